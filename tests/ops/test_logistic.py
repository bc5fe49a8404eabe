"""log(1 + e^x) and e^x - 1 against float64, near 0 and far from it."""

from __future__ import annotations

import numpy as np
import pytest

from minispore.ops.support.logistic import expm1_below_0, log1p_exp

SIZES = np.concatenate([np.logspace(-38, 2, 4001), [0.0, 1e-45, 3e38]]).astype(np.float32)


@pytest.mark.parametrize("x", [SIZES, -SIZES])
def test_log1p_exp_is_right_to_the_last_bits(x: np.ndarray) -> None:
    wide = x.astype(np.float64)
    expected = np.maximum(wide, 0) + np.log1p(np.exp(-np.abs(wide)))
    output = log1p_exp(x, np.empty_like(x))
    np.testing.assert_allclose(output, expected, rtol=6e-7, atol=2e-45)


def test_expm1_below_0_is_right_to_the_last_bits() -> None:
    output = expm1_below_0(-SIZES, np.empty_like(SIZES))
    np.testing.assert_allclose(output, np.expm1(-SIZES.astype(np.float64)), rtol=6e-7, atol=2e-45)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_what_is_no_number_stays_none_and_infinities_have_their_limits(dtype: type) -> None:
    x = np.array([np.nan, np.inf, -np.inf], dtype)
    assert np.array_equal(log1p_exp(x, np.empty_like(x)), [np.nan, np.inf, 0], equal_nan=True)
    assert np.array_equal(expm1_below_0(x[::2], np.empty(2, dtype)), [np.nan, -1], equal_nan=True)
    for one in x[:, None].reshape(3):
        single = np.array(one)
        assert log1p_exp(single, np.empty_like(single)).shape == ()


def test_a_result_may_take_the_place_of_its_input() -> None:
    x = -SIZES
    expected = expm1_below_0(x, np.empty_like(x))
    assert np.array_equal(expm1_below_0(x, x), expected)
