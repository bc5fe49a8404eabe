"""erf in float32, where gelu wants it fast, keeps close to the one of the standard library."""

from __future__ import annotations

import math

import numpy as np

from minispore import Tensor, ops


def test_erf_in_float32_is_within_3e_7_of_its_size() -> None:
    x = np.linspace(-6, 6, 20_001).astype(np.float32)
    x = x[x != 0]
    exact = np.array([math.erf(v) for v in x.tolist()])
    output = ops.erf(Tensor(x)).asnumpy().astype(np.float64)
    assert np.abs(output / exact - 1).max() < 3e-7
    assert np.diff(output).min() > -1.2e-7  # it never falls by more than a unit in the last place


def test_erf_in_float32_ends_at_one_and_keeps_the_sign_of_zero() -> None:
    x = np.array([-np.inf, -4.3, -0.0, 1e-30, 4.3, np.inf, np.nan], np.float32)
    output = ops.erf(Tensor(x)).asnumpy()
    assert output.tolist()[:3] == [-1.0, -1.0, 0.0] and np.signbit(output[2])
    np.testing.assert_allclose(output[3], 2 / math.sqrt(math.pi) * 1e-30, rtol=3e-7)
    assert output.tolist()[4:6] == [1.0, 1.0] and np.isnan(output[6])
