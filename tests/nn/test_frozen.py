"""A Parameter that is frozen after its training step was made stays as it is."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops


class Product(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.a = ms.Parameter(Tensor([1.0]), name="a")
        self.b = ms.Parameter(Tensor([1.0]), name="b")

    def construct(self, x: Tensor) -> Tensor:
        return (x * self.a * self.b).sum()


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_step_leaves_a_parameter_that_was_frozen_after_the_step_before(mode: int) -> None:
    ms.set_context(mode=mode)
    net = Product()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    step(Tensor([1.0]))
    net.a.requires_grad = False
    step(Tensor([1.0]))
    assert net.a.asnumpy()[0] == pytest.approx(0.9)
    assert net.b.asnumpy()[0] == pytest.approx(0.9 - 0.1 * 0.9)


def test_get_grad_finds_a_gradient_by_position_and_by_parameter() -> None:
    net = Product()
    gradients = ms.grad(net, 0, net.trainable_params(), return_ids=True)(Tensor([2.0]))
    assert ms.get_grad(gradients, 0) == 1
    assert ms.get_grad(gradients, net.a) == 2


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_parameter_that_was_set_between_steps_is_moved_by_the_next(mode: int) -> None:
    ms.set_context(mode=mode)
    net = nn.Dense(2, 2, weight_init="zeros", bias_init="zeros")
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    x, y = ops.zeros((2, 2), ms.float32), ops.zeros((2, 2), ms.float32)
    step(x, y)
    net.bias.set_data(Tensor([5.0, -5.0]))
    step(x, y)  # the slope of the mean of four squares is b: 2 b * 2 / 4
    np.testing.assert_allclose(net.bias.asnumpy(), [4.5, -4.5])
