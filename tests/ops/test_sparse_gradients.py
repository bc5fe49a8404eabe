"""Gradients through sparse tensors, as inputs and as results, in both modes as in MindSpore."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import COOTensor, CSRTensor, Tensor, nn, ops

AT = Tensor([[0, 1], [1, 2]], ms.int32)
ROWS, COLUMNS = Tensor([0, 1, 2], ms.int32), Tensor([1, 0], ms.int32)
X = Tensor([2.0, 3.0])
DENSE = Tensor(np.arange(1, 13, dtype=np.float32).reshape(3, 4))
SQUARE = Tensor([[1.0, 2.0], [3.0, 4.0]])


def coo(values: Any) -> COOTensor:
    return COOTensor(AT, values, (3, 4))


def csr(values: Any) -> CSRTensor:
    return CSRTensor(ROWS, COLUMNS, values, (2, 2))


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"], autouse=True)
def mode(request: pytest.FixtureRequest) -> Any:
    ms.set_context(mode=request.param)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*runs op by op")
        warnings.filterwarnings("error", ".*returned no Tensor")
        yield


@pytest.mark.parametrize(
    ("expected", "slope"),
    [
        (lambda v: coo(v * v), [4, 6]),
        (lambda v: csr(v * v), [4, 6]),
        (lambda v: -coo(v), [-1, -1]),
        (lambda v: coo(v * v).astype(ms.float16), [4, 6]),
        (lambda v: coo(v) * DENSE, [2, 7]),
        (lambda v: csr(v) * SQUARE, [2, 3]),
        (lambda v: coo(v) + coo(v), [2, 2]),
        (lambda v: csr(v) - csr(v * 3), [-2, -2]),
        (lambda v: [v * 3, {"a": coo(v * v)}], [7, 9]),
    ],
)
def test_the_values_of_a_sparse_result_are_differentiated(
    expected: Any, slope: list[float]
) -> None:
    value, dx = ms.value_and_grad(expected)(X)
    assert type(value) is type(expected(X))
    assert dx.asnumpy().tolist() == slope
    assert ops.GradOperation()(expected)(X).asnumpy().tolist() == slope


def test_only_the_first_of_several_counts_with_aux() -> None:
    (_, aux), dx = ms.value_and_grad(lambda v: (v * 3, coo(v * v)), has_aux=True)(X)
    assert dx.asnumpy().tolist() == [3, 3] and aux.values.asnumpy().tolist() == [4, 9]


@pytest.mark.parametrize(
    ("of", "value", "slope"),
    [
        (lambda c: c.values * c.values, coo(X), [4, 6]),
        (lambda c: c.to_dense() * DENSE, coo(X), [2, 7]),
        (lambda c: c * DENSE, coo(X), [2, 7]),
        (lambda c: c + DENSE, coo(X), [1, 1]),
        (lambda c: c.mm(SQUARE), csr(X), [7, 3]),
        (lambda c: c.sum(1) * Tensor([[1.0], [10.0]]), csr(X), [1, 10]),
        (lambda c: c.indices * 1.0, coo(X), [0, 0]),
        (ops.csr_neg, csr(X), [-1, -1]),
    ],
)
def test_the_gradient_by_a_sparse_input_is_that_by_its_values(
    of: Any, value: Any, slope: list[float]
) -> None:
    assert ms.grad(of)(value).asnumpy().tolist() == slope
    assert ops.GradOperation(get_all=True)(of)(value)[0].asnumpy().tolist() == slope


def test_the_gradient_depends_on_the_values_at_equal_indices() -> None:
    of = ms.grad(lambda c: c.values * c.values)
    assert of(coo(X)).asnumpy().tolist() == [4, 6]
    assert of(coo(X * 10)).asnumpy().tolist() == [40, 60]


def test_a_network_with_sparse_input_and_output() -> None:
    class Scaled(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = ms.Parameter(Tensor([5.0, 7.0]))

        def construct(self, c: COOTensor) -> COOTensor:
            return COOTensor(c.indices, c.values * self.w, c.shape)

    class Step(nn.Cell):
        def __init__(self, net: nn.Cell) -> None:
            super().__init__()
            self.net = net

        def construct(self, c: COOTensor) -> Any:
            loss = self.net(c)
            return loss, ms.grad(self.net, 0, self.net.trainable_params())(c)

    net = Scaled().set_train()
    dx, (dw,) = ms.grad(net, 0, net.trainable_params())(coo(X))
    assert dx.asnumpy().tolist() == [5, 7] and dw.asnumpy().tolist() == [2, 3]
    _, (dx, (dw,)) = Step(net).set_train()(coo(X))
    assert dx.asnumpy().tolist() == [5, 7] and dw.asnumpy().tolist() == [2, 3]


def test_cotangents_and_second_derivatives() -> None:
    sens = Tensor([1.0, 10.0])
    assert ops.GradOperation(sens_param=True)(lambda v: coo(v * v))(X, coo(sens)).tolist() == [
        4,
        60,
    ]
    assert ms.vjp(lambda v: coo(v * v), X)[1](sens)[0].tolist() == [4, 60]
    assert ms.grad(ms.grad(lambda v: coo(v * v * v)))(X).tolist() == [12, 18]


def test_operators_of_sparse_and_dense_tensors() -> None:
    assert (coo(X) - DENSE).tolist()[0] == [-1, 0, -3, -4]
    assert (DENSE + coo(X)).tolist()[0] == [1, 4, 3, 4]
    assert (coo(X) / DENSE).values.tolist() == [1, np.float32(3) / np.float32(7)]
    assert (coo(X) - coo(X * 3)).values.tolist() == [-4, -6]
    with pytest.raises(ValueError, match="must have the shape"):
        coo(X) * SQUARE
    with pytest.raises(TypeError, match="must be a CSRTensor"):
        csr(X) + SQUARE
    with pytest.raises(TypeError):
        coo(X) * 2
