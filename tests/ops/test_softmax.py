"""Softmax and its logarithm: of rows that need be shifted, and of such that need not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.ops.network.softmax import LogSoftmax, ShiftedSoftmax, Softmax, SoftmaxAndLog

RNG = np.random.default_rng(0)
ONE = {"Softmax": Softmax, "LogSoftmax": LogSoftmax, "ShiftedSoftmax": ShiftedSoftmax}
NAMES = [*ONE, "SoftmaxAndLog"]


def compute_outputs(name: str, x: np.ndarray, axis: int = -1) -> list[np.ndarray]:
    """The softmax, its logarithm or both."""
    if name == "SoftmaxAndLog":
        both = SoftmaxAndLog((axis % x.ndim,))(Tensor(x))
        return [t.asnumpy() for t in both]
    return [ONE[name](axis)(Tensor(x)).asnumpy()]


def exact(name: str, x: np.ndarray, axis: int = -1) -> list[np.ndarray]:
    wide = x.astype(np.float64)
    wide = wide - wide.max(axis, keepdims=True)
    log = wide - np.log(np.exp(wide).sum(axis, keepdims=True))
    both = [np.exp(log), log]
    return both if name == "SoftmaxAndLog" else [both[name == "LogSoftmax"]]


@pytest.mark.parametrize("top", [-1e4, -90.0, -44.0, -0.5, 0.0, 3.0, 43.0, 45.0, 90.0, 1e4])
@pytest.mark.parametrize("shape", [(3, 64), (2, 5, 300), (40, 10)], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_rows_of_any_height(name: str, shape: tuple[int, ...], top: float) -> None:
    x = RNG.standard_normal(shape).astype(np.float32) * 3
    x += np.float32(top) - x.max(-1, keepdims=True)
    for actual, expected in zip(compute_outputs(name, x), exact(name, x), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=3e-6, atol=2e-6 * np.abs(expected).max())


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", NAMES)
def test_along_any_axis(name: str, axis: int) -> None:
    x = RNG.standard_normal((70, 80, 90)).astype(np.float32)
    for actual, expected in zip(compute_outputs(name, x, axis), exact(name, x, axis), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_does_not_depend_on_the_others(name: str) -> None:
    x = RNG.standard_normal((64, 100)).astype(np.float32)
    before = compute_outputs(name, x)
    for i, other in enumerate([30.0, -30.0, np.nan, np.inf, -np.inf]):
        x[40 + i] = other
    for single, among in zip(before, compute_outputs(name, x), strict=True):
        assert among[:40].tobytes() == single[:40].tobytes()
        assert among[45:].tobytes() == single[45:].tobytes()
        assert np.isnan(among[42:45]).all() and not np.isnan(among[:42]).any()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_masked_has_no_share(name: str) -> None:
    x = RNG.standard_normal((4, 128)).astype(np.float32)
    x[:, 100:], x[2, 1:] = -np.inf, -1e9
    for actual, expected in zip(compute_outputs(name, x), exact(name, x), strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-5)


def test_no_probability_is_above_1() -> None:
    """A logarithm above 0 would make a loss below it, whose root is nan."""
    x = RNG.standard_normal((64, 128)).astype(np.float32) * 5
    x[:, 1:] -= np.float32(1e4)
    assert all((t <= 0).all() for t in compute_outputs("LogSoftmax", x))
    assert all((t <= 1).all() for t in compute_outputs("Softmax", x))


@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_both_modes_have_the_same_bits(scale: float) -> None:
    x = Tensor(RNG.standard_normal((32, 200)).astype(np.float32) * np.float32(scale))
    dy = Tensor(RNG.standard_normal((32, 200)).astype(np.float32))

    def both(x: Tensor, dy: Tensor) -> Any:
        results = []
        for op in (ops.softmax, ops.log_softmax):
            y, pull = ops.vjp(op, x)
            results += [y, pull(dy)[0]]
        return tuple(results)

    one_by_one, in_one = both(x, dy), ms.jit(both)(x, dy)
    for a, b in zip(one_by_one, in_one, strict=True):
        assert a.asnumpy().tobytes() == b.asnumpy().tobytes()
