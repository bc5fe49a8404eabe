"""The law: a program gives the same in GRAPH_MODE as in PYNATIVE_MODE, or GRAPH_MODE says so."""

from __future__ import annotations

import inspect
import random
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, communication, nn
from minispore.errors import GraphModeError
from minispore.graph import compiler as front
from minispore.graph import jit
from tests.graph import law_changes, law_programs, law_values
from tests.graph.law_programs import cell, x

# Those that are one graph: what they do in Python is the same at every call.
GRAPH = {
    "a_call_of_its_own",
    "a_class_attribute_and_a_method_replaced",
    "a_parameter_returned",
    "an_argument_changed_in_place",
    "a_slice_and_a_range_by_a_tensor",
    "an_old_value_returned",
    "one_tensor_for_two_arguments",
    "changed_from_outside",
    "prints",
    "prints_in_a_branch_and_under_a_gradient",
    "prints_then_raises",
    "requires_grad_changed_between_steps",
}


def programs_of(module: Any) -> dict[str, Callable[[], Any]]:
    return {
        name: program
        for name, program in vars(module).items()
        if inspect.isfunction(program) and program.__module__ == module.__name__
        if name not in ("x", "y", "cell", "ones", "written_later")
    }


PROGRAMS = programs_of(law_programs) | programs_of(law_values) | programs_of(law_changes)
GRAPH |= programs_of(law_changes).keys()


def as_plain_data(actual: Any) -> Any:
    """A result as plain data."""
    if isinstance(actual, Tensor):
        kind = "Parameter" if isinstance(actual, Parameter) else "Tensor"
        return kind, str(actual.dtype), actual.shape, actual.asnumpy().tobytes()
    if isinstance(actual, np.ndarray):
        return "array", str(actual.dtype), actual.shape, actual.tobytes()
    if isinstance(actual, dict):
        return {k: as_plain_data(v) for k, v in actual.items()}
    if isinstance(actual, list | tuple):
        return [type(actual).__name__, *map(as_plain_data, actual)]
    return actual


def run(program: Callable[[], Any], mode: int) -> tuple[Any, list[str]]:
    """What ``program`` gives in ``mode``, and what it was warned of."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    ms.set_seed(1)
    ms.set_context(mode=mode)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        output = as_plain_data(program())
    return output, [str(w.message) for w in seen if "op by op" in str(w.message)]


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_both_modes_give_print_and_leave_the_same(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    by_op, _ = run(PROGRAMS[name], ms.PYNATIVE_MODE)
    printed = capsys.readouterr().out
    staged, _ = run(PROGRAMS[name], ms.GRAPH_MODE)
    assert staged == by_op
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - GRAPH))
def test_what_no_graph_can_repeat_is_warned_of_with_its_line(name: str) -> None:
    _, message = run(PROGRAMS[name], ms.GRAPH_MODE)
    assert message
    for text in message:
        assert re.search(r"runs op by op, since .* \(law_\w+\.py:\d+\)", text)


@pytest.mark.parametrize("name", sorted(GRAPH))
def test_what_a_graph_can_repeat_stays_a_graph(name: str) -> None:
    _, message = run(PROGRAMS[name], ms.GRAPH_MODE)
    assert message == []


def test_the_line_of_the_write_is_named() -> None:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.k = self.k + 1
        return x

    line = construct.__code__.co_firstlineno + 1
    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.warns(RuntimeWarning, match=rf"attribute k of Net was written \(.*:{line}\)"):
        cell(construct, k=0)(x())


def test_one_warning_for_all_calls_of_a_function() -> None:
    @jit
    def f(x: Tensor) -> Tensor:
        law_programs.LOG.append(1)
        return x

    with pytest.warns(RuntimeWarning, match="list LOG was changed") as seen:
        for _ in range(4):
            f(x())
    assert len(seen) == 1


def test_an_abandoned_trace_restores_the_python_state() -> None:
    log: list[int] = []

    @jit
    def f(x: Tensor) -> Tensor:
        log.append(random.randint(0, 99))
        return x * len(log)

    random.seed(7)
    with pytest.warns(RuntimeWarning):
        f(x())
    random.seed(7)
    assert log == [random.randint(0, 99)]


@pytest.mark.parametrize("view_first", [False, True])
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_read_only_view_is_restored_through_its_base(mode: int, view_first: bool) -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            base = np.ones(3, np.float32)
            view = base[:]
            view.flags.writeable = False
            for name in ("view", "base") if view_first else ("base", "view"):
                setattr(self, name, base if name == "base" else view)

        def construct(self, x: Tensor) -> Tensor:
            y = x * float(self.view[0])
            self.base[0] += 1
            return y * float(self.view[0])

    ms.set_context(mode=mode)
    net, two = Net(), Tensor(np.float32([2]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [net(two).asnumpy().tolist() for _ in range(3)] == [[4.0], [12.0], [24.0]]
    assert net.base.tolist() == net.view.tolist() == [4.0, 1.0, 1.0]
    assert not net.view.flags.writeable


def test_compiling_without_running_leaves_python_as_it_was() -> None:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.k = self.k + 1
        return x * self.k

    ms.set_context(mode=ms.GRAPH_MODE)
    net = cell(construct, k=0)
    with pytest.warns(RuntimeWarning, match="attribute k"):
        net.compile(x())
    assert net.k == 0


def test_a_warm_call_looks_only_at_what_its_code_names() -> None:
    def construct(self: Any, x: Tensor) -> Tensor:
        return x * self.used[0]

    ms.set_context(mode=ms.GRAPH_MODE)
    net = cell(construct, used=[2.0], unused=[1.0])
    before = front.compiler.compiles
    net(x())
    net.unused[0] = 5.0
    net(x())
    assert front.compiler.compiles - before == 1
    net.used[0] = 3.0
    assert net(x()).asnumpy().tolist() == [3.0, 6.0]


def test_a_recompile_names_the_python_state_that_changed() -> None:
    def construct(self: Any, x: Tensor) -> Tensor:
        return x * self.ks[0]

    ms.set_context(mode=ms.GRAPH_MODE)
    net = cell(construct, ks=[2.0])
    net(x())
    net.ks[0] = 3.0
    net(x())
    assert front.compiler.recompiles[-1] == "Net: list ks changed"


def test_builtin_layers_take_no_state_snapshots() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dropout(p=0.5), nn.LayerNorm((3,)))
    net(Tensor([[1.0, 2.0]]))
    (entries,) = front.compiler.cache.entries[net].values()
    assert entries[0].state_snapshots == []


def test_rank_and_group_size_are_not_graph_constants() -> None:
    communication.init()
    ms.set_context(mode=ms.GRAPH_MODE)
    net = cell(lambda self, x: x * (communication.get_rank() + communication.get_group_size()))
    with pytest.warns(RuntimeWarning, match="it uses communication.get_"):
        net(x())


def test_under_strict_what_can_not_be_one_graph_is_refused_with_line_and_way_out() -> None:
    def construct(self: Any, x: Tensor) -> Tensor:
        self.k = self.k + 1
        return x * self.k

    ms.set_context(mode=ms.GRAPH_MODE, jit_syntax_level=ms.context.STRICT)
    net = cell(construct, k=0)
    with pytest.raises(GraphModeError, match=r"self-attribute: .*test_law\.py:\d+.*Parameter"):
        net(x())
    assert net.k == 0
