"""Half floats: conversions are NumPy's own, to the bit, and both modes round between ops."""

from __future__ import annotations

import numpy as np
import pytest

from minispore import Tensor, ops
from minispore.core import half

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def test_every_float16_becomes_its_float32() -> None:
    assert np.array_equal(half.widened(EVERY), EVERY.astype(np.float32), equal_nan=True)


def test_float32_is_rounded_to_the_nearest_float16_and_to_the_even_one_between_two() -> None:
    kept = EVERY[np.isfinite(EVERY)].astype(np.float32)
    between = (kept[:-1] + kept[1:]) / 2
    some = np.concatenate([kept, between, np.nextafter(between, 9e9), np.nextafter(between, -9e9)])
    some = np.concatenate([some, np.float32([65519.99, 65520, 1e9, -1e9, np.inf, -np.inf, 1e-30])])
    made = np.empty(some.shape, np.float16)
    half.convert(some, made)
    with np.errstate(over="ignore"):
        assert np.array_equal(made.view(np.uint16), some.astype(np.float16).view(np.uint16))


def test_no_number_stays_none() -> None:
    some = np.ones(1000, np.float32)
    some[7] = np.nan
    made = np.empty(some.shape, np.float16)
    half.convert(some, made)
    assert np.flatnonzero(np.isnan(made)).tolist() == [7]


@pytest.mark.parametrize("arranged", [lambda a: a.T, lambda a: a[:, ::2], lambda a: a[::-1]])
def test_strides_do_not_matter(arranged) -> None:
    some = np.random.default_rng(1).standard_normal((40, 30)).astype(np.float32)
    made = np.empty_like(arranged(some), np.float16)
    half.convert(arranged(some), made)
    assert np.array_equal(made, arranged(some).astype(np.float16))


def test_a_convolution_of_half_floats_is_that_of_float32_rounded_once() -> None:
    rng = np.random.default_rng(2)
    x = rng.standard_normal((4, 3, 9, 9)).astype(np.float16)
    weight = rng.standard_normal((5, 3, 3, 3)).astype(np.float16)
    made = ops.conv2d(Tensor(x), Tensor(weight), pad_mode="same").asnumpy()
    wide = ops.conv2d(
        Tensor(x.astype(np.float32)), Tensor(weight.astype(np.float32)), pad_mode="same"
    ).asnumpy()
    assert made.dtype == np.float16
    assert np.array_equal(made, wide.astype(np.float16))
