"""The gradient of the input of a strided convolution, phase by phase, is that by columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore as ms
from minispore import Tensor, ops
from minispore.core.primitive import Primitive
from minispore.execution.threads import thread_pool
from minispore.graph import jit, program_of
from minispore.ir.operator import Steps
from minispore.ops.steps.columns import ColumnLowering
from minispore.ops.steps.lowering import choose_lowering
from minispore.ops.steps.phases import PhaseLowering
from minispore.ops.steps.window import Window


def run(steps: Steps, *args: Any, out: np.ndarray) -> np.ndarray:
    """What ``steps`` make of ``args``, run as the kernel of an op runs them."""

    class _Lowered(Primitive):
        def lower_to_steps(self, *args: Any) -> Steps:
            return steps

    _Lowered().kernel(*args, out=out)
    return out


@st.composite
def strided(draw: Any) -> tuple[Window, int]:
    """A window of any stride and padding, and how many images there are."""
    pairs = st.tuples(st.integers(1, 5), st.integers(1, 5))
    kernel, stride = draw(pairs), draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    low = draw(st.tuples(*[st.integers(0, k - 1) for k in kernel]))
    high = draw(st.tuples(*[st.integers(0, k - 1) for k in kernel]))
    size = draw(st.tuples(*[st.integers(k, 11) for k in kernel]))
    pad = (low[0], high[0], low[1], high[1])
    op = ops.Conv2D(4, kernel, stride=stride, pad_mode="pad", pad=pad)
    return op.make_window(size), draw(st.sampled_from([1, 3, 40]))


@given(strided())
def test_a_gradient_by_phases_is_that_by_columns(case: tuple[Window, int]) -> None:
    win, n = case
    rng, size = np.random.default_rng(0), (n, 3, *win.size)
    dy = rng.integers(-4, 5, (n, 4, *win.out)).astype(np.float64)
    w = rng.integers(-4, 5, (4, 3, *win.kernel)).astype(np.float64)
    output = run(PhaseLowering(win).input_gradient(size), dy, w, size, out=np.full(size, np.nan))
    expected = run(ColumnLowering(win, 1).input_gradient(size), dy, w, size, out=np.empty(size))
    np.testing.assert_array_equal(output, expected)


@pytest.mark.parametrize(
    "attributes, shape, way_of_it",
    [
        ({"stride": 2}, (32, 16, 32, 32, 32), PhaseLowering),
        ({"kernel_size": 4, "stride": 2}, (32, 64, 16, 16, 32), PhaseLowering),
        ({"stride": (1, 2)}, (8, 16, 16, 16, 8), PhaseLowering),
        # no tap meets another
        ({"kernel_size": 2, "stride": 2}, (32, 16, 32, 32, 32), ColumnLowering),
        ({"kernel_size": 1, "stride": 2}, (32, 16, 32, 32, 32), ColumnLowering),
        ({"stride": 2}, (3, 16, 32, 32, 32), ColumnLowering),  # few channels
        ({"stride": 2, "group": 2}, (32, 16, 32, 32, 32), ColumnLowering),
        ({"stride": 2, "dilation": 2}, (32, 16, 32, 32, 32), ColumnLowering),
    ],
    ids=str,
)  # fmt: skip
def test_phase_lowering_is_chosen_for_strided_overlapping_windows(
    attributes, shape, way_of_it
) -> None:
    c, f, h, w, n = shape
    op = ops.Conv2D(f, **{"kernel_size": 3, "pad_mode": "same", **attributes})
    chosen = choose_lowering(op.make_window((h, w)), n, c, f, op.group, np.dtype(np.float32), 4)
    assert isinstance(chosen, way_of_it)


@pytest.mark.parametrize("kernel, c, f, h", [(3, 16, 32, 32), (4, 32, 64, 16), (4, 64, 128, 8)])
def test_bits_depend_neither_on_the_mode_nor_on_the_threads(kernel, c, f, h) -> None:
    rng = np.random.default_rng(0)
    op = ops.Conv2D(f, kernel, stride=2, pad_mode="pad", pad=1)
    x, w = (
        Tensor(rng.standard_normal(s).astype(np.float32))
        for s in ((32, c, h, h), (f, c, kernel, kernel))
    )
    back = ms.grad(lambda x, w: (op(x, w) ** 2).sum())
    graph = jit(back)
    assert any(n.prim.name == "PhaseInput" for n in program_of(graph, x, w).nodes)
    actual = {back(x, w).asnumpy().tobytes()}
    for threads in (1, 2, 1):
        ms.set_context(runtime_num_threads=threads)
        assert thread_pool.get_thread_count() <= threads
        actual.add(graph(x, w).asnumpy().tobytes())
    assert len(actual) == 1


def test_it_rounds_as_a_product_by_columns() -> None:
    """Against float64, by the largest result."""
    rng, op = np.random.default_rng(0), ops.Conv2D(64, 4, stride=2, pad_mode="pad", pad=1)
    dy, w = (rng.standard_normal(s) for s in ((16, 64, 16, 16), (64, 32, 4, 4)))
    exact, output = (
        op.make_sibling("BackpropInput")(
            Tensor(dy.astype(t)), Tensor(w.astype(t)), (16, 32, 32, 32)
        )
        for t in (np.float64, np.float32)
    )
    error = np.abs(output.asnumpy() - exact.asnumpy()).max()
    assert error <= 1e-6 * np.abs(exact.asnumpy()).max()
