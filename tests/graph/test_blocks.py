"""Pointwise ops on large arrays are cut into slices, wherever that changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minispore.graph import blocks
from minispore.graph.blocks import BoundNode, NodeRun
from minispore.ir.node import Node
from minispore.ir.value import Spec, Value
from minispore.ops import operations as P


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows of float32[8, 4] are a slice."""
    monkeypatch.setattr(blocks, "SLICE_BYTES", 2 * 4 * 4)


LARGE = 8 * 4 * 4  # the bytes of float32[8, 4]


def list_slices(run: NodeRun) -> list[BoundNode]:
    return [b for part in run.cut_slices(1) for b in part]


def bound(prim: Any, *args: Any, out: np.ndarray) -> BoundNode:
    *inputs, output = [Value(Spec(a.shape, a.dtype)) for a in (*args, out)]
    return BoundNode(Node(prim, tuple(inputs), (output,)), list(args), (out,))


def array(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def test_a_run_goes_through_all_its_ops_for_each_slice() -> None:
    x, y, bias = array(8, 4), array(8, 4), array(4)
    run = NodeRun(LARGE)
    assert run.try_add(bound(P.Add(), x, bias, out=y))
    assert run.try_add(bound(P.Tanh(), y, out=y))
    slices = list_slices(run)
    assert [b.node.prim.name for b in slices] == ["Add", "Tanh"] * 4
    assert [len(b.outs[0]) for b in slices] == [2] * 8
    assert slices[0].args[1] is bias  # a broadcast input is read whole


def test_slices_are_cut_along_the_axis_that_is_outermost_in_memory() -> None:
    x = array(4, 8).T
    run = NodeRun(LARGE)
    run.try_add(bound(P.Neg(), x, out=x))
    run.try_add(bound(P.Exp(), x, out=x))
    assert {b.outs[0].shape for b in list_slices(run)} == {(8, 1)}


def test_an_axis_of_length_one_is_not_where_slices_are_cut() -> None:
    x, run = array(1, 8, 4), NodeRun(LARGE)
    run.try_add(bound(P.Neg(), x, out=x))
    run.try_add(bound(P.Exp(), x, out=x))
    assert [b.outs[0].shape for b in list_slices(run)] == [(1, 2, 4)] * 8


def test_a_small_array_is_not_cut() -> None:
    x, run = array(7, 4), NodeRun(LARGE)
    run.try_add(bound(P.Neg(), x, out=x))
    assert run.axis is None


@pytest.mark.parametrize(
    "prim, args, out",
    [
        (P.MatMul(), (array(8, 4), array(4, 4)), array(8, 4)),  # not pointwise
        (P.Neg(), (array(8, 8),), array(8, 8)),  # another shape
        (P.Add(), (array(8, 4), array(4, 8).T), array(8, 4)),  # an input that lies otherwise
    ],
    ids=str,
)
def test_a_node_that_does_not_fit_a_run_is_refused(prim: Any, args: Any, out: np.ndarray) -> None:
    x, run = array(8, 4), NodeRun(LARGE)
    assert run.try_add(bound(P.Neg(), x, out=x))
    assert not run.try_add(bound(prim, *args, out=out))


def test_memory_that_an_earlier_op_still_reads_is_not_written_slice_by_slice() -> None:
    """The second output lies where the input of the first was, one row further on."""
    memory = array(9, 4)
    y, run = array(8, 4), NodeRun(LARGE)
    assert run.try_add(bound(P.Neg(), memory[:8], out=y))
    assert not run.try_add(bound(P.Exp(), y, out=memory[1:]))
    assert run.try_add(bound(P.Exp(), y, out=memory[:8]))  # the very same elements: in place


def test_an_output_that_is_read_at_other_places_ends_the_run() -> None:
    y, z, run = array(8, 4), array(8, 4), NodeRun(LARGE)
    assert run.try_add(bound(P.Neg(), array(8, 4), out=y))
    assert not run.try_add(bound(P.Add(), y[::-1], array(8, 4), out=z))
    assert not run.try_add(bound(P.Add(), y[3], array(8, 4), out=z))
