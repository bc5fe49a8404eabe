"""Attention at points of several maps is a sum of what lies between their cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
RNG = np.random.default_rng(0)
SHAPE, OFFSET = np.array([[3, 4], [2, 2]]), np.array([1, 14])  # cells 0 and 13 are of no map
N, CELLS, HEADS, WIDTH, QUERIES, POINTS = 2, 18, 2, 8, 3, 4


def reference(value: np.ndarray, at: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """One point after the other, in float64."""
    output = np.zeros((N, QUERIES, HEADS, WIDTH))
    for n, q, h, m, p in np.ndindex(*weight.shape):
        height, width = SHAPE[m]
        x, y = at[n, q, h, m, p] * (width, height) - 0.5
        for row in (int(np.floor(y)), int(np.floor(y)) + 1):
            for column in (int(np.floor(x)), int(np.floor(x)) + 1):
                if 0 <= row < height and 0 <= column < width:
                    share = (1 - abs(y - row)) * (1 - abs(x - column)) * weight[n, q, h, m, p]
                    output[n, q, h] += share * value[n, OFFSET[m] + row * width + column, h]
    return output.reshape(N, QUERIES, -1)


def arguments(dtype: Any = np.float32) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    value = RNG.standard_normal((N, CELLS, HEADS, WIDTH))
    at = RNG.uniform(-0.3, 1.3, (N, QUERIES, HEADS, 2, POINTS, 2))  # beyond the borders, too
    weight = RNG.standard_normal(at.shape[:-1])
    return value.astype(dtype), at.astype(dtype), weight.astype(dtype)


@MODES
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("ints", [np.int32, np.int64])
def test_it_is_the_sum_over_points(mode: int, dtype: Any, ints: Any) -> None:
    ms.set_context(mode=mode)
    value, at, weight = arguments(dtype)
    tensors = [Tensor(x) for x in (value, SHAPE.astype(ints), OFFSET.astype(ints), at, weight)]
    output = ops.multi_scale_deformable_attn_function(*tensors)
    assert output.dtype == tensors[0].dtype
    expected = reference(*(x.astype(np.float64) for x in (value, at, weight)))
    bound = 1e-5 if dtype == np.float32 else 2e-2
    np.testing.assert_allclose(output.asnumpy(), expected, atol=bound, rtol=bound)
    jitted = ms.jit(ops.multi_scale_deformable_attn_function)(*tensors)
    assert (jitted.asnumpy() == output.asnumpy()).all()


def test_gradients_are_those_of_finite_differences() -> None:
    base = arguments()
    sense = RNG.standard_normal((N, QUERIES, HEADS * WIDTH)).astype(np.float32)

    def score(value: Tensor, at: Tensor, weight: Tensor) -> Tensor:
        shape, offset = Tensor(SHAPE), Tensor(OFFSET)
        output = ops.multi_scale_deformable_attn_function(value, shape, offset, at, weight)
        return (output * Tensor(sense)).sum()

    grads = ms.grad(score, (0, 1, 2))(*map(Tensor, base))
    for i, grad in enumerate(grads):
        for index in RNG.integers(0, base[i].size, 40):
            ends = []
            for step in (1e-6, -1e-6):
                moved = [x.astype(np.float64) for x in base]
                moved[i].flat[index] += step
                ends.append((reference(*moved) * sense).sum())
            expected = (ends[0] - ends[1]) / 2e-6
            np.testing.assert_allclose(grad.asnumpy().flat[index], expected, atol=2e-3, rtol=2e-3)


@pytest.mark.parametrize(
    "at, argument, error, match",
    [
        (0, 1, TypeError, "value must be a Tensor"),
        (0, Tensor(np.ones((N, CELLS, HEADS, 8))), RuntimeError, "value must be of Float16 or"),
        (
            0,
            Tensor(np.ones((N, CELLS, HEADS, 6), np.float32)),
            RuntimeError,
            "multiple of 8, got 6",
        ),
        (1, Tensor(SHAPE.astype(np.float32)), RuntimeError, "shape must be of Int32 or Int64"),
        (1, Tensor(SHAPE[:, :1]), ValueError, r"shape must be \(maps, 2\)"),
        (2, Tensor(OFFSET[:1]), ValueError, r"offset must be \(2,\)"),
        (
            3,
            Tensor(np.ones((N, QUERIES, HEADS, 1, 4, 2), np.float32)),
            ValueError,
            "locations must",
        ),
        (4, Tensor(np.ones((N, QUERIES, HEADS, 2, 3), np.float32)), ValueError, "weight must be"),
        (2, Tensor(np.array([1, 100])), RuntimeError, "every index must be in"),
    ],
)
def test_what_does_not_fit_is_refused(at: int, argument: Any, error: Any, match: str) -> None:
    value, places, weight = arguments()
    whole: list[Any] = [*map(Tensor, (value, SHAPE, OFFSET, places, weight))]
    whole[at] = argument
    with pytest.raises(error, match=match):
        ops.multi_scale_deformable_attn_function(*whole)
