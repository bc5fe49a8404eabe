"""A gradient of a network that has just computed inside of a Cell does not compute it once more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.core import interpreter

MODES = pytest.mark.parametrize(
    "mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"]
)
# What the real MindSpore's moving mean is after two steps, in both modes; with two forwards a step
# it is TWICE.
ONCE = [-0.04422217, -0.0850051, 0.12954707]
TWICE = [-0.08076151, -0.15342322, 0.23500629]


class Sub(nn.TrainOneStepCell):
    def construct(self, *inputs: Any) -> Any:
        loss = self.network(*inputs)
        sens = ops.fill(loss.dtype, loss.shape, self.sens)
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        return ops.depend(loss, self.optimizer(self.grad_reducer(grads)))


class CustomTrainStep(nn.Cell):
    def __init__(self, network: Any, optimizer: Any, flag: bool = True) -> None:
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        network.set_grad(flag)

    def construct(self, x: Tensor, y: Tensor) -> Any:
        loss = self.network(x, y)
        self.optimizer(self.gradients(x, y))
        return loss

    def gradients(self, x: Tensor, y: Tensor) -> Any:
        return ms.grad(self.network, None, self.weights)(x, y)


class ByName(CustomTrainStep):
    def construct(self, x: Tensor, y: Tensor) -> Any:
        loss = self.network(x, label=y)
        self.optimizer(ms.grad(self.network, None, self.weights)(x, label=y))
        return loss


class Unlike(CustomTrainStep):
    """By a gradient at other inputs."""

    def gradients(self, x: Tensor, y: Tensor) -> Any:
        return super().gradients(x * 1.0, y)


class Changed(CustomTrainStep):
    """By a gradient at other weights."""

    def gradients(self, x: Tensor, y: Tensor) -> Any:
        ops.assign(self.weights[0], self.weights[0] * 1.0)
        return super().gradients(x, y)


class Unflagged(CustomTrainStep):
    def __init__(self, network: Any, optimizer: Any) -> None:
        super().__init__(network, optimizer, flag=False)


def make_step(kind: Any) -> tuple[Any, Any, Any]:
    ms.set_seed(1)
    net = nn.SequentialCell(nn.Dense(4, 3), nn.BatchNorm1d(3), nn.Dense(3, 2))
    with_loss = nn.WithLossCell(net, nn.MSELoss())
    step = kind(with_loss, nn.SGD(net.trainable_params(), 0.1))
    step.set_train()
    return net, with_loss, step


def two_steps(step: Any) -> Any:
    rng = np.random.default_rng(0)
    for _ in range(2):
        x, y = (Tensor(rng.random((8, n)).astype(np.float32)) for n in (4, 2))
        loss = step(x, y)
    return loss


@MODES
@pytest.mark.parametrize(
    ("kind", "mean"),
    [
        *((kind, ONCE) for kind in (nn.TrainOneStepCell, Sub, CustomTrainStep, ByName)),
        *((kind, TWICE) for kind in (Unlike, Changed, Unflagged)),
    ],
)
def test_moving_means_move_once_a_step(mode: int, kind: Any, mean: list[float]) -> None:
    ms.set_context(mode=mode)
    net, _, step = make_step(kind)
    loss = two_steps(step)
    np.testing.assert_allclose(loss.asnumpy(), 0.6007019, rtol=1e-6)
    np.testing.assert_allclose(net[1].moving_mean.asnumpy(), mean, rtol=1e-5)
    assert not interpreter.state().forwards


@MODES
def test_steps_at_the_top_compute_twice(mode: int) -> None:
    """As two graphs do in GRAPH_MODE; MindSpore's PYNATIVE_MODE computes once there."""
    ms.set_context(mode=mode)
    net, with_loss, step = make_step(CustomTrainStep)

    def at_the_top(x: Tensor, y: Tensor) -> Any:
        loss = with_loss(x, y)
        step.optimizer(ms.grad(with_loss, None, step.weights)(x, y))
        return loss

    two_steps(at_the_top)
    np.testing.assert_allclose(net[1].moving_mean.asnumpy(), TWICE, rtol=1e-5)


@MODES
def test_the_gradient_reuses_the_dropout_mask_of_the_forward_pass(mode: int) -> None:
    class Both(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.network = nn.Dropout(p=0.5)
            self.network.set_grad()

        def construct(self, x: Tensor, other: Tensor) -> Any:
            y = self.network(x)
            return y, ops.grad(self.network)(x), ops.grad(self.network)(other)

    ms.set_context(mode=mode)
    x = Tensor(np.ones(64, np.float32))
    y, dx, _ = Both().set_train()(x, x * 2)
    np.testing.assert_array_equal(y.asnumpy(), dx.asnumpy())
    assert 0 < (y.asnumpy() == 0).sum() < 64


@MODES
def test_two_networks_may_wait_for_their_gradients(mode: int) -> None:
    class Two(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
            self.a.set_grad()
            self.b.set_grad()

        def construct(self, x: Tensor) -> Any:
            output = self.a(x), self.b(x)
            return output, ops.grad(self.a, (0,))(x), ops.grad(self.b)(x), ops.grad(self.a)(x)

    ms.set_context(mode=mode)
    net = Two().set_train()
    x = Tensor(np.arange(8, dtype=np.float32).reshape(4, 2))
    net(x)
    mean = x.asnumpy().mean(0)
    np.testing.assert_allclose(net.b.moving_mean.asnumpy(), mean * 0.1, rtol=1e-5)
    # asked for a second time, it is computed again
    np.testing.assert_allclose(net.a.moving_mean.asnumpy(), mean * 0.19, rtol=1e-5)


@MODES
def test_a_tensor_passed_twice_has_two_gradients(mode: int) -> None:
    class Product(nn.Cell):
        def construct(self, x: Tensor, y: Tensor) -> Any:
            return x * y * y

    class Outer(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.network = Product()
            self.network.set_grad()

        def construct(self, x: Tensor) -> Any:
            return self.network(x, x), ops.grad(self.network, (0, 1))(x, x)

    ms.set_context(mode=mode)
    value, (dx, dy) = Outer().set_train()(Tensor([3.0]))
    assert (value.asnumpy(), dx.asnumpy(), dy.asnumpy()) == (27, 9, 18)


@MODES
def test_nothing_is_remembered_after_an_error(mode: int) -> None:
    class Fails(CustomTrainStep):
        def gradients(self, x: Tensor, y: Tensor) -> Any:
            raise KeyError("no gradient")

    ms.set_context(mode=mode)
    _, _, step = make_step(Fails)
    with pytest.raises(KeyError, match="no gradient"):
        two_steps(step)
    assert not interpreter.state().forwards and not interpreter.state().depth


@MODES
def test_a_weight_outside_the_network_has_its_gradient(mode: int) -> None:
    class Reads(nn.Cell):
        def __init__(self, held: list[ms.Parameter]) -> None:
            super().__init__()
            object.__setattr__(self, "held", tuple(held))

        def construct(self, x: Tensor) -> Any:
            return x * (self.held[0] * 2)

    class Outer(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = ms.Parameter(Tensor([2.0]), name="w")
            self.network = Reads([self.w])
            self.network.set_grad()

        def construct(self, x: Tensor) -> Any:
            return self.network(x), ops.grad(self.network, None, [self.w])(x)[0]

    ms.set_context(mode=mode)
    value, dw = Outer().set_train()(Tensor([3.0]))
    assert (value.asnumpy(), dw.asnumpy()) == (12, 6)


@MODES
def test_a_network_can_assign_to_a_parameter_argument(mode: int) -> None:
    class Writes(nn.Cell):
        def construct(self, x: Tensor, state: Tensor) -> Any:
            ops.assign(state, state + x)
            return x * state

    class Outer(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.state = ms.Parameter(Tensor([1.0]), name="state", requires_grad=False)
            self.network = Writes()
            self.network.set_grad()

        def construct(self, x: Tensor) -> Any:
            return self.network(x, self.state)

    ms.set_context(mode=mode)
    net = Outer().set_train()
    net(Tensor([2.0]))
    assert net.state.asnumpy() == 3
