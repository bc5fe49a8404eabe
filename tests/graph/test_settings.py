"""Settings and graphs: what asks for one in a graph runs op by op, and asks again at every call."""

from __future__ import annotations

import inspect
import types
import warnings
from collections.abc import Callable
from inspect import signature
from typing import Any

import pytest

import minispore as ms
from minispore import Tensor, context, nn, ops
from minispore.dataset import config
from minispore.graph.state.scanner import DependencyScanner
from tests.graph.law_programs import cell, x


@pytest.fixture(autouse=True)
def graph_mode() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)


ASKING: dict[str, Callable[[], Any]] = {
    "get_context": lambda: ms.get_context("mode"),
    "set_context": lambda: ms.set_context(save_graphs=0),
    "get_auto_parallel_context": lambda: ms.get_auto_parallel_context("device_num"),
    "set_auto_parallel_context": lambda: ms.set_auto_parallel_context(gradients_mean=True),
    "reset_auto_parallel_context": lambda: ms.reset_auto_parallel_context(),
    "get_ps_context": lambda: context.get_ps_context("enable_ps"),
    "reset_ps_context": lambda: context.reset_ps_context(),
    "set_device": lambda: ms.set_device("CPU"),
    "set_deterministic": lambda: context.set_deterministic(True),
    "set_recursion_limit": lambda: ms.set_recursion_limit(1000),
    "get_jit_config": lambda: context.get_jit_config(),
    "set_seed": lambda: ms.set_seed(7),
}


@pytest.mark.parametrize("name", ASKING)
def test_what_asks_or_changes_a_setting_has_one_result_in_both_modes(name: str) -> None:
    ask = ASKING[name]
    net = cell(lambda self, x: x * 2 if ask() == ms.PYNATIVE_MODE else x * 3)
    with pytest.warns(RuntimeWarning, match="runs op by op"):
        graph = [net(x()).asnumpy().tolist() for _ in range(2)]
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert [net(x()).asnumpy().tolist() for _ in range(2)] == graph


def test_get_context_reports_pynative_mode_only_while_a_graph_runs_op_by_op() -> None:
    messages: list[int] = []

    def construct(self: Any, x: Tensor) -> Tensor:
        messages.append(ms.get_context("mode"))
        if self.turns:
            ms.set_context(mode=ms.GRAPH_MODE)
        messages.append(ms.get_context("mode"))
        return x

    with pytest.warns(RuntimeWarning, match="runs op by op"):
        cell(construct, turns=False)(x())
        assert ms.get_context("mode") == ms.GRAPH_MODE
        cell(construct, turns=True)(x())
    assert messages == [ms.PYNATIVE_MODE] * 3 + [ms.GRAPH_MODE]
    assert ms.get_context("mode") == ms.GRAPH_MODE


@pytest.mark.parametrize("ask", [lambda f: inspect.signature(f), lambda f: signature(f)])
def test_a_signature_is_read_in_a_graph_which_sees_when_it_changes(ask: Any) -> None:
    def scale(x: Any, by: int = 2) -> Any:
        return x * by

    def construct(self: Any, x: Tensor) -> Tensor:
        return x * ask(scale).parameters["by"].default

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net = cell(construct)
        assert net(x()).asnumpy().tolist() == [2.0, 4.0]
        scale.__defaults__ = (3,)
        assert net(x()).asnumpy().tolist() == [3.0, 6.0]
        scale.__wrapped__ = lambda x, by=5: x  # type: ignore[attr-defined]
        assert net(x()).asnumpy().tolist() == [5.0, 10.0]


def test_a_cell_constructed_in_a_graph_may_read_a_signature() -> None:
    class Scale(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.by = 2 if "p" in inspect.signature(nn.Dropout.__init__).parameters else 3

        def construct(self, x: Tensor) -> Tensor:
            return x * self.by

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cell(lambda self, x: Scale()(x))(x()).asnumpy().tolist() == [2.0, 4.0]


def test_an_error_in_what_runs_op_by_op_leaves_the_mode_as_it_was() -> None:
    def construct(self: Any, x: Tensor) -> Tensor:
        raise ValueError(str(ms.get_context("mode")))

    with (
        pytest.warns(RuntimeWarning, match="runs op by op"),
        pytest.raises(ValueError, match=str(ms.PYNATIVE_MODE)),
    ):
        cell(construct)(x())
    assert ms.get_context("mode") == ms.GRAPH_MODE


def test_what_runs_op_by_op_for_another_reason_is_answered_alike() -> None:
    def construct(self: Any, x: Tensor) -> Tensor:
        import time

        return x * ms.get_context("mode") * (time.time() > 0)

    with pytest.warns(RuntimeWarning, match="runs op by op"):
        assert cell(construct)(x()).asnumpy().tolist() == [1.0, 2.0]


def test_outside_of_a_graph_the_mode_is_that_of_the_context() -> None:
    mode = ms.get_context("mode")

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.mode = ms.get_context("mode")

        def construct(self, x: Tensor, default: int = ms.get_context("mode")) -> Tensor:
            return x * (1 + mode + self.mode + default)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Net()(x()).asnumpy().tolist() == [1.0, 2.0]
    assert ms.get_context("mode") == ms.GRAPH_MODE


class Asking(nn.Cell):
    """Asks when it is made."""

    def __init__(self) -> None:
        super().__init__()
        self.mode = ms.get_context("mode")

    def construct(self, x: Tensor) -> Tensor:
        return x * 2 if self.mode == ms.PYNATIVE_MODE else x * 3


CONSTANT = ops.constexpr(lambda: ms.get_context("mode"))


@pytest.mark.parametrize("body", [lambda self, x: Asking()(x), lambda self, x: x + CONSTANT()])
def test_code_that_reads_settings_outside_the_trace_agrees_in_both_modes(body: Any) -> None:
    with pytest.warns(RuntimeWarning, match="runs op by op"):
        graph = cell(body)(x()).asnumpy().tolist()
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert cell(body)(x()).asnumpy().tolist() == graph


def test_a_builtin_layer_constructed_in_a_graph_may_read_settings() -> None:
    net = cell(lambda self, x: nn.DistributedGradReducer([], degree=1).mean * x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert net(x()).shape == (2,)


STATE: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "seed": (lambda: ms.get_seed() == 7, lambda: ms.set_seed(7)),
    "rng": (lambda: ms.get_rng_state().asnumpy().sum(), lambda: ms.set_seed(7)),
    "dataset": (lambda: config.get_seed() == 7, lambda: config.set_seed(7)),
    "record": (lambda: context.current().save_graphs, lambda: ms.set_context(save_graphs=1)),
    "search": (
        lambda: ms.get_algo_parameters("elementwise_op_strategy_follow"),
        lambda: ms.set_algo_parameters(elementwise_op_strategy_follow=True),
    ),
}


@pytest.mark.parametrize("name", STATE)
def test_settings_are_read_at_every_call(name: str) -> None:
    ask, change = STATE[name]
    net = cell(lambda self, x: x * float(ask() != first))
    first = ask()
    with pytest.warns(RuntimeWarning, match="op by op"):
        assert net(x()).asnumpy().tolist() == [0.0, 0.0]
    try:
        change()
        assert net(x()).asnumpy().tolist() == [1.0, 2.0]
    finally:
        ms.reset_algo_parameters()
        config.set_seed(5489)


def public_questions() -> list[Any]:
    """All public functions that ask or change a setting, by their names."""
    doors = (ms, context, ms.runtime, ms.hal, ms.device_context, config, ms.parallel)
    return [
        f
        for door in doors
        for f in map(door.__getattribute__, dir(door))
        if isinstance(f, types.FunctionType)
        if f.__name__.startswith(("get_", "set_", "reset_", "memory_", "max_memory_"))
        if not f.__module__.startswith(("minispore.nn", "minispore.ops"))
    ]


@pytest.mark.parametrize("function", public_questions(), ids=lambda f: f.__name__)
def test_no_graph_keeps_what_a_question_was_answered_once(function: Any) -> None:
    reach = DependencyScanner()
    reach.scan(lambda: function())
    assert reach.untraceable is not None
