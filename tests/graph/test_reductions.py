"""Deviations and their gradients are the same bits in both modes, whatever the axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore as ms
from minispore import Tensor, context, ops

SHAPES = st.lists(st.sampled_from([1, 2, 3, 5, 8, 13, 33]), min_size=1, max_size=4).map(tuple)


@st.composite
def reductions(draw: Any) -> tuple[np.ndarray, tuple[int, ...]]:
    """An array, and some of its axes in any order, from the front or from the back."""
    shape = draw(SHAPES)
    some = draw(st.permutations(range(len(shape))))[: draw(st.integers(1, len(shape)))]
    axes = tuple(axis - len(shape) * draw(st.booleans()) for axis in some)
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    seed = draw(st.integers(0, 99))
    return np.random.default_rng(seed).normal(2, 1, shape).astype(dtype), axes


FUNCTIONS = {
    "var": lambda x, axes: ops.var(x, axes, 0),
    "std": lambda x, axes: ops.std(x, axes, 0) * 2,
    "mean": lambda x, axes: ops.square(ops.mean(x, axes)),
    "logsumexp": lambda x, axes: ops.logsumexp(x, axes),
    "weighed": lambda x, axes: ops.var(x, axes, 0) * ops.mean(x, axes),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@given(case=reductions())
def test_a_reduction_and_its_gradient_have_the_same_bits_in_both_modes(name: str, case) -> None:
    x, axes = case
    f = FUNCTIONS[name]
    outputs = []

    def twice(t: Tensor) -> Any:
        y = f(t, axes)
        return y, y

    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        context.set_context(mode=mode)
        with np.errstate(all="ignore"):  # one element has no slope of its deviation
            slope, value = ms.grad(twice, has_aux=True)(Tensor(x))
        outputs.append((bits(value[0]), bits(slope)))
    assert outputs[0] == outputs[1]


def bits(t: Tensor) -> bytes:
    """The bytes of a tensor; no number has a sign that means anything."""
    actual = t.asnumpy()
    return np.where(np.isnan(actual), np.abs(actual), actual).tobytes()
