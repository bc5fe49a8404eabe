"""The overflow flag is up exactly if an op made an infinity or a NaN, in both modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.execution import overflow

MODES = (ms.GRAPH_MODE, ms.PYNATIVE_MODE)
BIG = Tensor(np.full((2, 2), 3e38, np.float32))
ONES = ops.ones((2, 2))


@pytest.fixture(params=MODES, ids=("graph", "pynative"), autouse=True)
def mode(request: pytest.FixtureRequest) -> Iterator[None]:
    ms.set_context(mode=request.param)
    yield
    overflow.flag.read()


class Watched(nn.Cell):
    """Runs ``f`` between clear and get, as scripts with a scaled loss do."""

    def __init__(self, f: Callable[..., Any]) -> None:
        super().__init__()
        self.f = f
        self.alloc_status = ops.NPUAllocFloatStatus()
        self.get_status = ops.NPUGetFloatStatus()
        self.clear_status = ops.NPUClearFloatStatus()
        self.reduce_sum = ops.ReduceSum()

    def construct(self, *xs: Tensor) -> tuple[Any, Tensor]:
        init = self.alloc_status()
        clear_status = self.clear_status(init)
        xs = ops.depend(xs, clear_status)
        output = self.f(*xs)
        init = ops.depend(init, output)
        get_status = self.get_status(init)
        init = ops.depend(init, get_status)
        return output, self.reduce_sum(init, (0,))


def flag_of(f: Callable[..., Any], *xs: Tensor) -> float:
    return float(Watched(f)(*xs)[1])


OVERFLOWS = {
    "a product": lambda x: x * 10,
    "a sum": lambda x: ops.ReduceSum()(x),
    "a matrix product": lambda x: ops.matmul(x, x),
    "a cast": lambda x: ops.cast(x, ms.float16),
    "a quotient": lambda x: x / ops.zeros_like(x),
    "a root": lambda x: ops.sqrt(-x),
    "an exponential": lambda x: ops.exp(x),
    "an overflow that is gone in the end": lambda x: 1 / (x * 10),
    "a result that nobody reads": lambda x: (x * 10, x)[1],
    "a gradient": lambda x: ops.grad(lambda y: (y * y).sum() * 10)(x),
}


@pytest.mark.parametrize("what", OVERFLOWS)
def test_the_flag_is_up_after(what: str) -> None:
    assert flag_of(OVERFLOWS[what], BIG) == 1


HARMLESS = {
    "a product": lambda x: x * 0.5,
    "a sigmoid of what exp can't take": lambda x: ops.sigmoid(-x) + ops.sigmoid(x),
    "a softmax": lambda x: ops.softmax(x - 1),
    "a log softmax": lambda x: ops.log_softmax(x),
    "a tanh, gelu and softplus": lambda x: ops.tanh(x) + ops.gelu(x * 0.1) + ops.softplus(x * 0.1),
}


@pytest.mark.parametrize("what", HARMLESS)
def test_the_flag_is_down_after(what: str) -> None:
    assert flag_of(HARMLESS[what], BIG) == 0


def test_infinities_that_come_as_data_do_not_raise_the_flag() -> None:
    mask = Tensor(np.float32([[0, -np.inf], [0, 0]]))
    assert flag_of(lambda x, m: ops.softmax(x + m), ONES, mask) == 0


def test_a_nan_out_of_infinities_raises_the_flag() -> None:
    mask = Tensor(np.full((2, 2), -np.inf, np.float32))
    assert flag_of(lambda x, m: (x + m) - (x + m), ONES, mask) == 1


def test_the_flag_stays_up_until_it_is_cleared() -> None:
    status = ops.NPUAllocFloatStatus()()
    clear, get = ops.NPUClearFloatStatus(), ops.NPUGetFloatStatus()
    clear(status)
    _ = BIG * 10
    _ = ONES * 2
    assert float(get(status).sum()) == 1
    assert float(get(status).sum()) == 1
    assert float(clear(status).sum()) == 0
    _ = ONES * 2
    assert float(get(status).sum()) == 0


def test_overflow_of_a_graph_run_between_clear_and_get_is_detected() -> None:
    @ms.jit
    def scaled(x: Tensor) -> Tensor:
        return x * 10

    scaled(ONES)  # compiled while nobody asks
    status = ops.NPUAllocFloatStatus()()
    ops.NPUClearFloatStatus()(status)
    scaled(ONES)
    assert float(ops.NPUGetFloatStatus()(status).sum()) == 0
    ops.NPUClearFloatStatus()(status)
    scaled(Tensor(np.full((2, 2), 3e38, np.float32)))
    assert float(ops.NPUGetFloatStatus()(status).sum()) == 1


def test_ops_before_clear_and_after_get_do_not_count() -> None:
    _ = BIG * 10
    assert flag_of(lambda x: x * 2, ONES) == 0
    _ = BIG * 10
    assert float(ops.NPUGetFloatStatus()(ops.zeros((8,))).sum()) == 0


def test_overflow_in_a_large_sliced_array_is_detected() -> None:
    x = np.ones((1024, 2048), np.float32)
    x[-1, -1] = 3e38
    assert flag_of(lambda x: ops.exp((x * 10) * 0), Tensor(x)) == 1
    assert flag_of(lambda x: ops.exp((x * 0.1) * 0), Tensor(x)) == 0


class Stepping(nn.TrainOneStepWithLossScaleCell):
    """A training step that asks the flag, as scripts write it."""

    def __init__(self, network: nn.Cell, optimizer: nn.Optimizer, scale: nn.Cell) -> None:
        super().__init__(network, optimizer, scale)
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.alloc_status = ops.NPUAllocFloatStatus()
        self.get_status = ops.NPUGetFloatStatus()
        self.clear_status = ops.NPUClearFloatStatus()

    def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
        loss = self.network(x)
        scale = self.scale_sense
        init = self.alloc_status()
        init = ops.depend(init, loss)
        scale = ops.depend(scale, self.clear_status(init))
        grads = self.grad(self.network, self.weights)(x, scale * ops.ones_like(loss))
        grads = [g / scale for g in grads]
        init = ops.depend(init, grads)
        init = ops.depend(init, self.get_status(init))
        overflow = self.base <= self.reduce_sum(init, (0,))
        overflow = self.loss_scaling_manager(self.scale_sense, overflow)
        if not overflow:
            self.optimizer(tuple(grads))
        return loss, overflow


class Product(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w = ms.Parameter(Tensor([1.0]), name="w")

    def construct(self, x: Tensor) -> Tensor:
        return (self.w * x).sum()


def test_a_training_step_is_skipped_until_the_scaled_gradients_fit() -> None:
    network = Product()
    scale = nn.DynamicLossScaleUpdateCell(2.0**127, 2, 1000)
    step = Stepping(network, nn.SGD(network.trainable_params(), 0.5), scale)
    x = Tensor([8.0])  # dw = 8 * scale fits from scale = 2 ** 124 on, three halvings later
    skipped = [bool(step(x)[1]) for _ in range(5)]
    assert skipped == [True, True, True, False, False]
    assert float(network.w) == 1 - 2 * 0.5 * 8
    assert bool(step(Tensor([3e38]))[1])  # and after steps that fitted
    assert float(network.w) == -7


def test_an_overflow_in_the_forward_pass_counts_though_it_ran_before_clear_too() -> None:
    network = Product()
    network.w.set_data(Tensor([1e20]))
    scale = nn.DynamicLossScaleUpdateCell(1.0, 2, 1000)
    step = Stepping(network, nn.SGD(network.trainable_params(), 0.5), scale)
    assert bool(step(Tensor([1e20]))[1])
    assert bool(step(Tensor([1e20]))[1])
