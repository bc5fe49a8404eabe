"""A Parameter that is frozen after its training step was made stays as it is."""

from __future__ import annotations

import pytest

import minispore as ms
from minispore import Tensor, nn


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
