"""Settings and graphs: what asks for one in a graph is refused, or runs op by op and asks again."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import minispore as ms
from minispore import Tensor, context, nn, ops
from minispore.context.settings import GUARDED
from minispore.dataset import config
from minispore.errors import GraphModeError
from minispore.graph import jit
from minispore.graph.reach import Reach
from tests.graph.law_programs import cell, x


@pytest.fixture(autouse=True)
def graph_mode() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)


def scaled(ask: Callable[[], Any]) -> nn.Cell:
    """A network that computes by what ``ask`` says."""
    return cell(lambda self, x: x * 2 if ask() == ms.GRAPH_MODE else x * 3)


ASKING = {
    "get_context": lambda: ms.get_context("mode"),
    "set_context": lambda: ms.set_context(save_graphs=0),
    "get_auto_parallel_context": lambda: ms.get_auto_parallel_context("device_num"),
    "set_auto_parallel_context": lambda: ms.set_auto_parallel_context(gradients_mean=True),
    "reset_auto_parallel_context": lambda: ms.reset_auto_parallel_context(),
    "get_ps_context": lambda: context.get_ps_context("enable_ps"),
    "set_ps_context": lambda: context.set_ps_context(enable_ssl=True),
    "reset_ps_context": lambda: context.reset_ps_context(),
    "set_device": lambda: ms.set_device("Ascend"),
    "set_deterministic": lambda: context.set_deterministic(True),
    "set_recursion_limit": lambda: ms.set_recursion_limit(5),
    "get_jit_config": lambda: context.get_jit_config(),
    "set_seed": lambda: ms.set_seed(7),
}


def test_every_guarded_function_is_asked_here() -> None:
    assert {f.__name__ for f in GUARDED} == ASKING.keys()


@pytest.mark.parametrize("name", ASKING)
def test_a_setting_is_not_asked_or_changed_in_a_graph(name: str) -> None:
    before = context.current(), context.parallel.current(), ms.get_seed()
    where = rf"{name}: .* at test_settled\.py:\d+\. Call it before, as in __init__"
    for _ in range(2):
        with pytest.raises(GraphModeError, match=where):
            scaled(ASKING[name])(x())
    assert (context.current(), context.parallel.current(), ms.get_seed()) == before


def test_a_function_under_jit_does_not_ask_in_either_mode() -> None:
    ms.set_context(mode=ms.PYNATIVE_MODE)
    with pytest.raises(GraphModeError, match="get_context: must be called outside"):
        jit(lambda x: x * ms.get_context("mode"))(x())


def test_no_gradient_hides_who_asks() -> None:
    def twice(x: Tensor) -> Tensor:
        return x * x * ms.get_context("mode")

    with pytest.raises(GraphModeError, match="get_context"):
        ms.grad(twice)(x())


def test_python_state_is_as_it_was_when_a_graph_is_refused() -> None:
    log: list[int] = []

    def construct(self: Any, x: Tensor) -> Tensor:
        log.append(1)
        self.k = self.k + 1
        return x * ms.get_context("mode")

    net = cell(construct, k=0)
    with pytest.raises(GraphModeError):
        net(x())
    assert (log, net.k) == ([], 0)


def test_no_handler_hides_the_refusal() -> None:
    def construct(self: Any, x: Tensor) -> Tensor:
        try:
            return x * ms.get_context("mode")
        except RuntimeError:
            return x * 3

    with pytest.raises(GraphModeError, match="get_context"):
        cell(construct)(x())


def test_what_runs_op_by_op_for_another_reason_does_not_ask_either() -> None:
    def construct(self: Any, x: Tensor) -> Tensor:
        import time

        return x * ms.get_context("mode") * (time.time() > 0)

    with (
        pytest.warns(RuntimeWarning, match="imports time"),
        pytest.raises(GraphModeError, match="get_context"),
    ):
        cell(construct)(x())


def test_what_is_named_and_not_called_is_no_question() -> None:
    def construct(self: Any, x: Tensor) -> Tensor:
        if self.asks:
            return x * ms.get_context("mode")
        return x * 3

    assert cell(construct, asks=False)(x()).asnumpy().tolist() == [3.0, 6.0]


def test_outside_of_a_graph_all_may_be_asked() -> None:
    mode = ms.get_context("mode")

    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.mode = ms.get_context("mode")

        def construct(self, x: Tensor, default: int = ms.get_context("mode")) -> Tensor:
            return x * (1 + mode + self.mode + default)

    assert Net()(x()).asnumpy().tolist() == [1.0, 2.0]
    assert ms.get_context("mode") == ms.GRAPH_MODE


class Asking(nn.Cell):
    """Asks when it is made."""

    def __init__(self) -> None:
        super().__init__()
        self.mode = ms.get_context("mode")

    def construct(self, x: Tensor) -> Tensor:
        return x * 2 if self.mode == ms.GRAPH_MODE else x * 3


def test_a_layer_made_inside_may_ask_as_it_is_made() -> None:
    with pytest.warns(RuntimeWarning, match=r"it calls get_context \(test_settled"):
        assert cell(lambda self, x: Asking()(x))(x()).asnumpy().tolist() == [2.0, 4.0]


def test_a_constant_function_may_ask() -> None:
    mode = ops.constexpr(lambda: ms.get_context("mode"))
    with pytest.warns(RuntimeWarning, match="it calls get_context"):
        assert cell(lambda self, x: x + mode())(x()).asnumpy().tolist() == [1.0, 2.0]


def test_a_layer_of_ours_made_inside_asks_what_it_likes() -> None:
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
def test_what_may_be_asked_is_asked_at_every_call(name: str) -> None:
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
    reach = Reach()
    reach.add(lambda: function())
    assert reach.outside is not None or function in GUARDED
