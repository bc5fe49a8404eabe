"""Pointwise ops on large arrays run slice by slice, wherever that changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minispore import Tensor, jit, ops
from minispore.graph import blocks, program_of
from minispore.graph.blocks import BoundNode, NodeRun
from minispore.ir.node import Node
from minispore.ir.value import Spec, Value
from minispore.ops import operations as P


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight rows of float32[8, 4] make a large array, of which two rows are a slice."""
    monkeypatch.setattr(blocks, "LEAST_BYTES", 8 * 4 * 4)
    monkeypatch.setattr(blocks, "SLICE_BYTES", 2 * 4 * 4)


def bound(prim: Any, *args: Any, out: np.ndarray) -> BoundNode:
    *given, made = [Value(Spec(a.shape, a.dtype)) for a in (*args, out)]
    return BoundNode(Node(prim, tuple(given), (made,)), list(args), (out,))


def array(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def test_a_run_goes_through_all_its_ops_for_each_slice() -> None:
    x, y, bias = array(8, 4), array(8, 4), array(4)
    run = NodeRun()
    assert run.try_add(bound(P.Add(), x, bias, out=y))
    assert run.try_add(bound(P.Tanh(), y, out=y))
    made = run.schedule_members()
    assert [b.node.prim.name for b in made] == ["Add", "Tanh"] * 4
    assert [len(b.outs[0]) for b in made] == [2] * 8
    assert made[0].args[1] is bias  # a broadcast input is read whole


def test_slices_are_cut_along_the_axis_that_is_outermost_in_memory() -> None:
    x = array(4, 8).T
    run = NodeRun()
    run.try_add(bound(P.Neg(), x, out=x))
    run.try_add(bound(P.Exp(), x, out=x))
    assert {b.outs[0].shape for b in run.schedule_members()} == {(8, 1)}


def test_an_axis_of_length_one_is_not_where_slices_are_cut() -> None:
    x, run = array(1, 8, 4), NodeRun()
    run.try_add(bound(P.Neg(), x, out=x))
    run.try_add(bound(P.Exp(), x, out=x))
    assert [b.outs[0].shape for b in run.schedule_members()] == [(1, 2, 4)] * 8


def test_a_single_pass_and_a_small_array_are_not_cut() -> None:
    for shape, ops_in_run in (((8, 4), 1), ((7, 4), 2)):
        x, run = array(*shape), NodeRun()
        for _ in range(ops_in_run):
            run.try_add(bound(P.Neg(), x, out=x))
        assert all(b.outs[0] is x for b in run.schedule_members())


def test_a_kernel_of_many_passes_is_cut_alone() -> None:
    x, y = array(8, 4), array(8, 4)
    run = NodeRun()
    run.try_add(bound(P.GeLU(), x, out=y))
    assert len(run.schedule_members()) == 4


@pytest.mark.parametrize(
    "prim, args, out",
    [
        (P.MatMul(), (array(8, 4), array(4, 4)), array(8, 4)),  # not pointwise
        (P.Neg(), (array(8, 8),), array(8, 8)),  # another shape
        (P.Add(), (array(8, 4), array(4, 8).T), array(8, 4)),  # an input that lies otherwise
    ],
    ids=str,
)
def test_what_does_not_go_with_the_others_begins_a_run_of_its_own(
    prim: Any, args: Any, out: np.ndarray
) -> None:
    x, run = array(8, 4), NodeRun()
    assert run.try_add(bound(P.Neg(), x, out=x))
    assert not run.try_add(bound(prim, *args, out=out))


def test_memory_that_an_earlier_op_still_reads_is_not_written_slice_by_slice() -> None:
    """The second output lies where the input of the first was, one row further on."""
    memory = array(9, 4)
    y, run = array(8, 4), NodeRun()
    assert run.try_add(bound(P.Neg(), memory[:8], out=y))
    assert not run.try_add(bound(P.Exp(), y, out=memory[1:]))
    assert run.try_add(bound(P.Exp(), y, out=memory[:8]))  # the very same elements: in place


def test_an_output_that_is_read_at_other_places_ends_the_run() -> None:
    y, z, run = array(8, 4), array(8, 4), NodeRun()
    assert run.try_add(bound(P.Neg(), array(8, 4), out=y))
    assert not run.try_add(bound(P.Add(), y[::-1], array(8, 4), out=z))
    assert not run.try_add(bound(P.Add(), y[3], array(8, 4), out=z))


def test_a_program_runs_in_slices_and_gives_the_same_bits() -> None:
    def f(x: Tensor) -> Tensor:
        return ops.tanh(x * 2 + 1) * x

    x = Tensor(np.random.default_rng(0).standard_normal((8, 4)).astype(np.float32))
    compiled = jit(f)
    assert np.array_equal(compiled(x).asnumpy(), f(x).asnumpy())
    program = program_of(compiled, x)
    assert [n.prim.name for n, _ in program.steps()] == ["Mul", "Add", "Tanh", "Mul"] * 4
    assert len(program.nodes) == 4
