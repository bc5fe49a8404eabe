"""What ``grad``, ``value_and_grad`` and ``GradOperation`` return, and how gradients flow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, ParameterTuple, Tensor, context, ops

W = Parameter(Tensor([2.0]), name="w")
V = Parameter(Tensor([3.0]), name="v")


def f(x: Tensor, y: Tensor) -> Tensor:
    return x * W * V + y


def shape_of(tree: Any) -> Any:
    return "T" if isinstance(tree, Tensor) else [shape_of(t) for t in tree]


@pytest.mark.parametrize(
    ("position", "weights", "want"),
    [  # as the real MindSpore 2.10 answers
        (0, None, "T"),
        ((0,), None, "T"),
        ((0, 1), None, ["T", "T"]),
        (None, W, "T"),
        (None, (W,), ["T"]),
        (None, ParameterTuple([W]), ["T"]),
        (None, [W, V], ["T", "T"]),
        (0, (W,), ["T", ["T"]]),
        ((0,), (W,), ["T", ["T"]]),
        ((0, 1), W, [["T", "T"], "T"]),
    ],
)
@pytest.mark.parametrize("mode", [context.PYNATIVE_MODE, context.GRAPH_MODE])
def test_gradients_come_in_mindspores_shape(
    mode: int, position: Any, weights: Any, want: Any
) -> None:
    context.set_context(mode=mode)
    x, y = Tensor([1.0]), Tensor([1.0])
    assert shape_of(ms.grad(f, position, weights)(x, y)) == want
    assert shape_of(ms.value_and_grad(f, position, weights)(x, y)) == ["T", want]


def test_gradients_come_with_their_positions_and_names() -> None:
    x, y = Tensor([1.0]), Tensor([1.0])
    by_input, by_weight = ms.grad(f, (0, 1), (W, V), return_ids=True)(x, y)
    assert [i for i, _ in by_input] == [0, 1]
    assert [name for name, _ in by_weight] == ["w", "v"]


def test_auxiliary_outputs_pass_through_and_are_not_differentiated() -> None:
    both = ms.value_and_grad(lambda x: (x * x, x * 100.0), has_aux=True)
    (value, aux), dx = both(Tensor(3.0))
    assert (value.item(), aux.item(), dx.item()) == (9.0, 300.0, 6.0)


def test_several_outputs_are_summed() -> None:
    assert ms.grad(lambda x: (x * 2.0, x * x))(Tensor(3.0)).item() == 2.0 + 6.0


def test_the_same_tensor_at_two_positions_has_two_gradients() -> None:
    x = Tensor(3.0)
    dx, dy = ms.grad(lambda a, b: a * a * b, (0, 1))(x, x)
    assert (dx.item(), dy.item()) == (18.0, 9.0)


def test_an_input_that_is_not_used_has_a_gradient_of_zero() -> None:
    assert ms.grad(lambda x, y: x * 2.0, 1)(Tensor(1.0), Tensor([1.0, 2.0])).tolist() == [0.0, 0.0]


def test_the_fourth_derivative_of_a_power() -> None:
    g = lambda x: x**5.0  # noqa: E731
    for _ in range(4):
        g = ms.grad(g)
    assert g(Tensor(2.0)).item() == 5 * 4 * 3 * 2 * 2.0


def test_a_long_chain_does_not_recurse() -> None:
    def chain(x: Tensor) -> Tensor:
        for _ in range(5000):
            x = x + 1.0
        return x

    assert ms.grad(chain)(Tensor(0.0)).item() == 1.0


def test_no_gradient_flows_through_stop_gradient_or_no_grad() -> None:
    assert ms.grad(lambda x: ops.stop_gradient(x) * x)(Tensor(3.0)).item() == 3.0

    def partly(x: Tensor) -> Tensor:
        with ms.no_grad():
            factor = x * x
        return factor * x

    assert ms.grad(partly)(Tensor(3.0)).item() == 9.0


def test_a_parameter_updated_between_forward_and_backward_keeps_its_old_value_on_the_tape() -> None:
    p = Parameter(Tensor([2.0]), name="p")

    def forward(x: Tensor) -> Tensor:
        y = x * p
        ops.assign(p, Tensor([100.0]))
        return y

    assert ms.grad(forward)(Tensor([1.0])).tolist() == [2.0]
    assert p.asnumpy().tolist() == [100.0]


def test_grad_operation_orders_inputs_weights_and_sens() -> None:
    x, y, sens = Tensor([1.0]), Tensor([1.0]), Tensor([10.0])
    everything = ms.GradOperation(get_all=True, get_by_list=True, sens_param=True)
    (dx, dy), (dw,) = everything(f, ParameterTuple([W]))(x, y, sens)
    assert (dx.item(), dy.item(), dw.item()) == (60.0, 10.0, 30.0)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: ms.grad(f, None), ValueError, "can't both be None"),
        (lambda: ms.grad(f, "x"), TypeError, "grad_position must be an int"),
        (lambda: ms.grad(f, -1), ValueError, "must be >= 0"),
        (lambda: ms.grad(f, 0, [Tensor(1.0)]), TypeError, "weights must be Parameters"),
        (lambda: ms.grad(f, 5)(Tensor(1.0), Tensor(1.0)), ValueError, "got 2 inputs"),
        (lambda: ms.grad(f, 0)(1.0, Tensor(1.0)), TypeError, "must be a Tensor"),
        (lambda: ms.grad(lambda x: 3)(Tensor(1.0)), TypeError, "must return a Tensor"),
        (lambda: ms.GradOperation(get_all=1), TypeError, "get_all must be a bool"),
        (
            lambda: ms.GradOperation(sens_param=True)(f)(
                Tensor([1.0]), Tensor([1.0]), Tensor(np.ones(3, np.float32))
            ),
            ValueError,
            "sens must have the output's shape",
        ),
    ],
)
def test_bad_questions_are_refused(call: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        call()
