"""Norms of sums are their formulas, in each dtype and mode; their gradients are MindSpore's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.ops.auto_generate as generated
from minispore import Tensor, ops
from tests.ops.ways import DTYPES, MODES, Run, graph, wide

CLOSE = {ms.float16: 4e-3, ms.bfloat16: 3e-2, ms.float32: 4e-6}
RNG = np.random.default_rng(0)


def of(dtype: Any, *shape: int) -> tuple[Tensor, np.ndarray]:
    x = Tensor(RNG.standard_normal(shape), dtype)
    return x, wide(x)


def near(actual: Tensor, expected: np.ndarray, dtype: Any, close: Any = None) -> None:
    assert actual.dtype == dtype
    close = CLOSE[close or dtype]
    np.testing.assert_allclose(wide(actual), expected, close, close)


def rms(x: np.ndarray, gamma: np.ndarray, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    scale = 1 / np.sqrt((x**2).mean(axes, keepdims=True) + epsilon)
    return x * scale * gamma, scale


def layer(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, epsilon: float) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(
        x.var(-1, keepdims=True) + epsilon
    ) * gamma + beta


def by_differences(f: Callable[..., np.ndarray], weights: Any, *xs: np.ndarray) -> list[np.ndarray]:
    """Gradients of the sum of f times weights, in float64."""
    outputs = []
    for i, x in enumerate(xs):
        slope = np.zeros_like(x)
        for at in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[at] = 1e-6
            ends = [f(*xs[:i], x + s, *xs[i + 1 :]) for s in (step, -step)]
            slope[at] = (weights * (ends[0] - ends[1])).sum() / 2e-6
        outputs.append(slope)
    return outputs


@MODES
@DTYPES
@pytest.mark.parametrize("shape, last", [((3, 8), 1), ((2, 3, 4), 2), ((2, 3, 4), 3), ((5,), 1)])
@pytest.mark.parametrize("epsilon", [1e-6, 0.5])
def test_the_rms_norm_of_a_sum(run: Run, dtype: Any, shape: Any, last: int, epsilon: float) -> None:
    (x1, a), (x2, b), (gamma, g) = of(dtype, *shape), of(dtype, *shape), of(dtype, *shape[-last:])
    y, scale, total = run(ops.add_rms_norm)(x1, x2, gamma, epsilon)
    expected, factor = rms(a + b, g, epsilon)
    near(y, expected, dtype)
    near(total, a + b, dtype)
    assert scale.shape == (*shape[: len(shape) - last], *[1] * last)
    near(scale, factor, ms.float32, dtype)


@MODES
@DTYPES
def test_add_rms_norm_differentiates_only_its_normalized_output(run: Run, dtype: Any) -> None:
    (x1, a), (x2, b), (gamma, g), (slope, d) = (
        of(dtype, *s) for s in ((3, 4), (3, 4), (4,), (3, 4))
    )

    def weighted(x1: Tensor, x2: Tensor, gamma: Tensor) -> Tensor:
        y, scale, total = ops.add_rms_norm(x1, x2, gamma, 0.1)
        return (y * slope).astype(ms.float32).sum() + scale.sum() + total.astype(ms.float32).sum()

    output = run(ms.grad(weighted, (0, 1, 2)))(x1, x2, gamma)
    expected = by_differences(lambda x1, x2, gamma: rms(x1 + x2, gamma, 0.1)[0], d, a, b, g)
    for actual, reference in zip(output, expected, strict=True):
        near(actual, reference, dtype)
    dx, dgamma = run(generated.RmsNormGrad())(
        slope, x1 + x2, Tensor(rms(a + b, g, 0.1)[1], ms.float32), gamma
    )
    near(dx, expected[0], dtype)
    near(dgamma, expected[2], ms.float32, dtype)


@MODES
@DTYPES
@pytest.mark.parametrize("shape", [(3, 8), (2, 3, 4), (5,)])
@pytest.mark.parametrize("more", [False, True])
def test_the_layer_norm_of_a_sum(run: Run, dtype: Any, shape: Any, more: bool) -> None:
    (x1, a), (x2, b) = of(dtype, *shape), of(dtype, *shape)
    (gamma, g), (beta, c) = of(dtype, shape[-1]), of(dtype, shape[-1])
    y, mean, inverse, total = run(ops.add_layer_norm)(x1, x2, gamma, beta, 0.1, more)
    x = a + b
    near(y, layer(x, g, c, 0.1), dtype)
    near(mean, x.mean(-1, keepdims=True), ms.float32)
    near(inverse, 1 / np.sqrt(x.var(-1, keepdims=True) + 0.1), ms.float32)
    near(total, x if more else 0 * x, dtype)


@MODES
@DTYPES
@pytest.mark.parametrize("more", [False, True])
def test_gradients_of_a_layer_norm_go_through_it_and_the_sum(
    run: Run, dtype: Any, more: bool
) -> None:
    (x1, a), (x2, b), (slope, d), (aside, e) = (of(dtype, 3, 4) for _ in range(4))
    (gamma, g), (beta, c) = of(dtype, 4), of(dtype, 4)

    def weighted(x1: Tensor, x2: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
        y, mean, inverse, total = ops.add_layer_norm(x1, x2, gamma, beta, 0.1, more)
        half = y * slope + total * aside
        return half.astype(ms.float32).sum() + mean.sum() + inverse.sum()

    output = run(ms.grad(weighted, (0, 1, 2, 3)))(x1, x2, gamma, beta)
    expected = by_differences(lambda x, y, g, c: layer(x + y, g, c, 0.1), d, a, b, g, c)
    expected[:2] = [w + (e if more else 0) for w in expected[:2]]
    for actual, reference in zip(output, expected, strict=True):
        near(actual, reference, dtype)
    x = a + b
    mean, inverse = x.mean(-1, keepdims=True), 1 / np.sqrt(x.var(-1, keepdims=True) + 0.1)
    parts = [Tensor(v, ms.float32) for v in (inverse, mean)]
    grads = run(generated.AddLayerNormGrad())(
        slope, x1, x2, *parts, gamma, aside if more else aside * 0
    )
    near(grads[0], expected[0], dtype)
    for actual, reference in zip(grads[1:], expected[2:], strict=True):
        near(actual, reference, ms.float32, dtype)


@DTYPES
def test_op_by_op_and_in_a_graph_the_bits_are_the_same(dtype: Any) -> None:
    (x1, _), (x2, _), (gamma, _) = of(dtype, 6, 40), of(dtype, 6, 40), of(dtype, 40)
    norms: list[Callable[..., Any]] = [
        lambda x, y, g: ops.add_rms_norm(x, y, g),
        lambda x, y, g: ops.add_layer_norm(x, y, g, g, 1e-5, True),
    ]
    for norm in norms:
        slope = ms.grad(
            lambda x, y, g, f=norm: f(x, y, g)[0].astype(ms.float32).square().sum(), (0, 2)
        )
        for f in (norm, slope):
            for plain, whole in zip(f(x1, x2, gamma), graph(f)(x1, x2, gamma), strict=True):
                np.testing.assert_array_equal(wide(plain), wide(whole))
