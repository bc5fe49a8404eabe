"""What a Cell is told of itself: the inputs that it declares, its name in the network."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, nn


class Sums(nn.Cell):
    def construct(self, x: Any, y: Any) -> Any:
        return x.sum() + y.sum()


class Scales(nn.Cell):
    def construct(self, x: Any, factor: float = 2) -> Any:
        return x * factor


class Pairs(nn.Cell):
    def construct(self, xs: Any, factor: float) -> Any:
        return xs[0].sum() + xs[1].sum() * factor


def opened(*shape: Any, dtype: Any = ms.float32) -> Tensor:
    return Tensor(shape=list(shape), dtype=dtype)


def ones(*shape: int, dtype: Any = np.float32) -> Tensor:
    return Tensor(np.ones(shape, dtype))


TWO = (opened(2, None), opened(None))

#: Declared inputs, those of a call, and what the real MindSpore raises in GRAPH_MODE, if anything.
CASES: list[tuple[Any, Any, Any, Any]] = [
    (Sums, TWO, (ones(2, 3), ones(4)), None),
    (Sums, TWO, (ones(3, 3), ones(4)), ValueError),
    (Sums, TWO, (ones(2), ones(4)), ValueError),
    (Sums, TWO, (ones(2, 3, dtype=np.int32), ones(4)), TypeError),
    (Sums, TWO, (Parameter(ones(2, 3), name="p"), ones(4)), TypeError),
    (Sums, (ones(2, 3), opened(None)), (ones(2, 4), ones(4)), ValueError),
    (Sums, (None, opened(None)), (ones(2, 3), ones(4)), TypeError),
    (Sums, (Tensor(shape=None, dtype=ms.float32), opened(None)), (ones(2), ones(4)), None),
    (Sums, {"x": opened(2, None)}, (ones(2, 3), ones(4)), None),
    (Sums, {"x": opened(2, None)}, (ones(3, 3), ones(4)), ValueError),
    (Sums, {"y": opened(None)}, (ones(3, 3), ones(4)), None),
    (Scales, (opened(2), 3), (ones(2), 3), None),
    (Scales, (opened(2), 3), (ones(2), 4), ValueError),
    (Scales, (opened(2), 3), (ones(2), ones(2)), TypeError),
    (Scales, (opened(2), opened(None)), (ones(2), 3), TypeError),
    (Scales, {"factor": 3}, (ones(2),), None),
    (Pairs, ((opened(None), opened(None)), 1), ((ones(2), ones(3)), 1), None),
    (Pairs, ((opened(None), opened(None)), 1), ((ones(2), ones(2, 2)), 1), ValueError),
    (Pairs, ((opened(None), opened(None)), 1), ((ones(2),) * 3, 1), ValueError),
    (Pairs, ((opened(None), opened(None)), 1), (ones(2, 2), 1), TypeError),
]


def declaring(kind: Any, declared: Any) -> nn.Cell:
    net: nn.Cell = kind()
    if isinstance(declared, dict):
        net.set_inputs(**declared)
    else:
        net.set_inputs(*declared)
    return net


@pytest.mark.parametrize(("kind", "declared", "value", "error"), CASES)
def test_strict_graphs_refuse_inputs_that_were_not_declared(kind, declared, value, error):
    ms.set_context(mode=ms.GRAPH_MODE, jit_syntax_level=ms.STRICT)
    net = declaring(kind, declared)
    if error is None:
        assert (net(*value) == kind()(*value)).all()
        net.compile(*value)
        return
    for call in (net, net.compile):
        with pytest.raises(error, match=r"set_inputs.*as declared"):
            call(*value)


@pytest.mark.parametrize(("kind", "declared", "value", "error"), CASES)
def test_other_graphs_compute_what_is_computed_op_by_op_and_warn(kind, declared, value, error):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        op_by_op = declaring(kind, declared)(*value)
    ms.set_context(mode=ms.GRAPH_MODE)
    net = declaring(kind, declared)
    with contextlib.ExitStack() as warned:
        if error is not None:
            warned.enter_context(pytest.warns(UserWarning, match=r"set_inputs.*as declared"))
        assert (net(*value) == op_by_op).all()
    assert (op_by_op == kind()(*value)).all()


@pytest.mark.parametrize("declared", [(), (ones(2),), (ones(2), ones(2), ones(2))])
def test_all_inputs_of_construct_are_declared_or_some_by_name(declared):
    ms.set_context(mode=ms.GRAPH_MODE)
    net, inputs = Sums(), (ones(2), ones(2))
    net.set_inputs(*declared)
    with pytest.warns(UserWarning, match="set_inputs: inputs must be those of construct"):
        net(*inputs)
    ms.set_context(jit_syntax_level=ms.STRICT)
    with pytest.raises(TypeError, match="set_inputs: inputs must be those of construct"):
        net(*inputs)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_name_that_construct_does_not_have_is_an_error(mode):
    ms.set_context(mode=mode)
    with pytest.raises(ValueError, match=r"z must be one of the arguments of construct \(x, y\)"):
        Sums().set_inputs(z=ones(2))


def test_only_the_cell_that_is_called_compares():
    ms.set_context(mode=ms.GRAPH_MODE)
    net = declaring(Sums, TWO)
    outer = nn.WithLossCell(nn.Flatten(), net)
    assert outer(ones(3, 2), ones(4)) == 10.0


def test_get_inputs_returns_the_declared_inputs():
    assert Sums().get_inputs() is None
    assert declaring(Sums, TWO).get_inputs() == TWO
    assert declaring(Sums, {"y": TWO[1]}).get_inputs() == (None, TWO[1])


def test_declared_inputs_have_mindspores_attribute():
    assert Sums()._dynamic_shape_inputs is None
    assert declaring(Sums, TWO)._dynamic_shape_inputs == TWO


def test_recomputed_cells_say_so_in_their_scopes():
    net = nn.SequentialCell(nn.Dense(1, 1))
    net[0].recompute()
    assert (net.get_scope(), net[0].get_scope()) == (None, "recompute_")
    named = nn.SequentialCell(nn.Dense(1, 1))
    named.generate_scope()
    for _ in range(2):
        named.recompute()
    assert [c.get_scope() for c in (named, named[0])] == ["recompute_", "recompute_Default/0-Dense"]


@pytest.mark.parametrize("level", ["0", "1"])
def test_the_environments_syntax_level_takes_precedence(monkeypatch, level):
    ms.set_context(jit_syntax_level=ms.LAX)
    assert not ms.context.is_syntax_strict()
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", level)
    assert ms.context.is_syntax_strict()
    ms.set_context(jit_syntax_level=ms.STRICT)
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "2")
    assert not ms.context.is_syntax_strict()


def test_cells_are_named_by_their_place_once():
    net = nn.SequentialCell(nn.Dense(1, 1), nn.CellList([nn.ReLU()]))
    assert net[0].get_scope() is None
    net.generate_scope()
    assert [c.get_scope() for c in (net, net[0], net[1], net[1][0])] == [
        None,
        "Default/0-Dense",
        "Default/1-CellList",
        "Default/1-CellList/0-ReLU",
    ]
    outer = nn.WithLossCell(net, nn.MSELoss())
    outer.generate_scope()
    assert net.get_scope() == "Default/_backbone-SequentialCell"
    assert net[0].get_scope() == "Default/0-Dense"
    ms.set_context(reserve_class_name_in_scope=False)
    later = nn.SequentialCell(nn.ReLU())
    later.generate_scope()
    assert later[0].get_scope() == "Default/0"
