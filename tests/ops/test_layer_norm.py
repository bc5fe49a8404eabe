"""LayerNorm of rows of any length and number, whole or in slices, beside the formula in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.execution.kernels import blas
from minispore.ops.network.layer_norm import _SLICE_BYTES, LayerNorm

EPSILON = 1e-5
# rows and their length: one element, few, so many that the last slice is short, one row alone
SHAPES = [(2048, 1), (1500, 2), (40, 129), (5, 300), (1, 5000), (_SLICE_BYTES // 1024 + 7, 256)]


def formula(x: Any, gamma: Any, beta: Any, dy: Any) -> tuple[np.ndarray, ...]:
    """y, and the cotangents of x, gamma and beta."""
    x, gamma, beta, dy = (a.astype(np.float64) for a in (x, gamma, beta, dy))
    mean = x.mean(1, keepdims=True)
    inverse = 1 / np.sqrt(x.var(1, keepdims=True) + EPSILON)
    normal, g = (x - mean) * inverse, dy * gamma
    along = g.mean(1, keepdims=True) + normal * (g * normal).mean(1, keepdims=True)
    return normal * gamma + beta, (g - along) * inverse, (dy * normal).sum(0), dy.sum(0)


@pytest.fixture(params=["blas", "ufuncs"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what BLAS has for rows and columns, and without."""
    if request.param == "ufuncs":
        monkeypatch.setattr(blas, "_find_exact_function", lambda name, dtype: None)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_and_gradients_are_those_of_the_formula(
    shape: tuple[int, int], mode: int, dtype: Any
) -> None:
    ms.set_context(mode=mode)
    rng = np.random.default_rng(0)
    x, dy = (rng.standard_normal(shape).astype(dtype) for _ in range(2))
    gamma, beta = (rng.standard_normal(shape[1]).astype(dtype) for _ in range(2))
    x = x + 3

    @ms.jit
    def both(x: Tensor, gamma: Tensor, beta: Tensor, dy: Tensor) -> Any:
        y, pull = ops.vjp(lambda *inputs: LayerNorm(1, 1, EPSILON)(*inputs)[0], x, gamma, beta)
        return y, *pull(dy)

    run = both if mode == ms.GRAPH_MODE else both.__wrapped__
    actual = run(*map(Tensor, (x, gamma, beta, dy)))
    # What is rounded at the mean is divided by the deviation, which is small in some short rows.
    rounding = np.finfo(dtype).eps / np.sqrt(x.var(1).min() + EPSILON)
    for got, expected in zip(actual, formula(x, gamma, beta, dy), strict=True):
        assert got.shape == expected.shape
        most = 50 * rounding * max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(got.asnumpy(), expected, rtol=0, atol=most)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_statistics_of_half_floats_are_float32_and_so_is_the_way_to_the_gradient(
    dtype: Any,
) -> None:
    x, gamma = Tensor([[1.0, 5.0, 2.0]], dtype), Tensor([1.0, 1.0, 1.0], dtype)
    y, mean, variance = LayerNorm(-1, -1)(x, gamma, gamma * 0)
    assert (y.dtype, mean.dtype, variance.dtype) == (dtype, ms.float32, ms.float32)
    np.testing.assert_allclose(mean.asnumpy(), [[8 / 3]], rtol=1e-6)
    slope = ms.grad(lambda x: LayerNorm(-1, -1)(x, gamma, gamma * 0)[0].sum())(x)
    assert slope.dtype == dtype
    assert np.abs(slope.float().asnumpy()).max() < 2e-6
    both = ms.grad(lambda x: sum(v.sum() for v in LayerNorm(-1, -1)(x, gamma, gamma)[1:]))(x)
    assert both.dtype == dtype
