"""By which inputs a gradient is taken, as MindSpore 2.10 takes it."""

from __future__ import annotations

from typing import Any

import pytest

import minispore as ms
from minispore import Tensor, context, nn, ops

MODES = pytest.mark.parametrize(
    "mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"]
)
A, B, C = Tensor([2.0]), Tensor([3.0]), Tensor([4.0])


class Product(nn.Cell):
    def construct(self, t: Any, z: Tensor) -> Tensor:
        return t[0] * t[1] * z


class ByKeyword(nn.Cell):
    def construct(self, x: Tensor, y: Tensor, *more: Tensor, **others: Tensor) -> Tensor:
        return 2 * x + 3 * y + 4 * more[0] + 5 * others["v"]


class Sum(nn.Cell):
    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        return 2 * x + 3 * y


def numbers(gradients: Any) -> list[float]:
    return [g.item() for g in gradients]


@MODES
@pytest.mark.parametrize("pair", [(A, B), [A, B]], ids=["tuple", "list"])
def test_all_gradients_pass_over_a_plain_container(mode: int, pair: Any) -> None:
    context.set_context(mode=mode)
    assert numbers(ops.GradOperation(get_all=True)(Product())(pair, C)) == [6]


@MODES
def test_a_plain_container_has_an_empty_gradient(mode: int) -> None:
    context.set_context(mode=mode)
    assert ms.grad(Product())((A, B), C) == ()
    assert ms.value_and_grad(Product())((A, B), C)[1] == ()
    assert ops.GradOperation()(Product())((A, B), C) == ()


@MODES
def test_grad_skips_a_position_of_a_plain_container(
    mode: int,
) -> None:
    context.set_context(mode=mode)
    assert ms.grad(Product(), (0, 1))((A, B), C).item() == 6
    position, output = ms.grad(Product(), (0, 1), return_ids=True)((A, B), C)
    assert (position, output.item()) == (1, 6)


@MODES
def test_a_mutable_container_has_a_gradient_also_through_a_cell(mode: int) -> None:
    class Inner(nn.Cell):
        def construct(self, t: Any, z: Tensor) -> Any:
            return ops.GradOperation(get_all=True)(Product())(t, z)

    context.set_context(mode=mode)
    pair, last = Inner()(ms.mutable((A, B)), C)
    assert (numbers(pair), last.item()) == ([12, 8], 6)


@MODES
def test_keyword_inputs_have_gradients_after_the_others(mode: int) -> None:
    context.set_context(mode=mode)
    gradients = ops.GradOperation(get_all=True)(ByKeyword())(A, B, C, u=A, v=B, w=C)
    assert numbers(gradients) == [2, 3, 4, 0, 5, 0]


@MODES
def test_keyword_inputs_are_numbered_in_the_order_of_the_call(mode: int) -> None:
    context.set_context(mode=mode)
    assert numbers(ops.GradOperation(get_all=True)(Sum())(y=A, x=B)) == [3, 2]
    assert ops.GradOperation()(Sum())(x=A, y=B).item() == 2


@MODES
def test_a_position_may_be_that_of_a_keyword_input(mode: int) -> None:
    context.set_context(mode=mode)
    assert ms.grad(Sum(), 1)(A, y=B).item() == 3
    assert numbers(ms.grad(Sum(), (0, 1))(A, y=B)) == [2, 3]


@MODES
def test_sens_by_keyword_is_no_input(mode: int) -> None:
    context.set_context(mode=mode)
    derive = ops.GradOperation(get_all=True, sens_param=True)(Sum())
    assert numbers(derive(A, y=B, sens=Tensor([7.0]))) == [14, 21]


@pytest.mark.parametrize("data", ["s", None, (1, "s"), {"a": None}], ids=str)
def test_mutable_refuses_what_is_neither_tensor_nor_number(data: Any) -> None:
    with pytest.raises(TypeError, match="mutable: input_data must hold tensors, numbers"):
        ms.mutable(data)


def test_mutable_refuses_a_container_in_itself() -> None:
    child: list[Any] = [1.0]
    assert ms.mutable([child, (child,)]) == [[1.0], ([1.0],)]
    child.append({"a": (child,)})
    with pytest.raises(TypeError, match="no self-reference"):
        ms.mutable(child)


def test_an_open_length_is_that_of_a_tuple_or_list() -> None:
    with pytest.raises(TypeError, match="must be a tuple or list with dynamic_len"):
        ms.mutable(1, dynamic_len=True)
    with pytest.raises(TypeError, match="dynamic_len must be a bool"):
        ms.mutable((1, 2), dynamic_len=3)  # type: ignore[arg-type]


SENS = Tensor([1.0, 10.0, 100.0])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
class TestSensParam:
    """What MindSpore 2.10 gave for the same calls."""

    @pytest.fixture(autouse=True)
    def in_mode(self, mode: int) -> None:
        ms.set_context(mode=mode)

    x, y = Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])

    def test_as_the_last_input_or_by_its_name(self) -> None:
        by_x = ms.grad(lambda x, y: x * y, sens_param=True)
        assert by_x(self.x, self.y, SENS).asnumpy().tolist() == [4.0, 50.0, 600.0]
        assert by_x(self.x, y=self.y, sens=SENS).asnumpy().tolist() == [4.0, 50.0, 600.0]

    def test_value_depends_only_on_the_inputs_and_not_on_sens(self) -> None:
        value, (dx, dy) = ms.value_and_grad(lambda x, y: x * y, (0, 1), sens_param=True)(
            self.x, self.y, SENS
        )
        assert value.asnumpy().tolist() == [4.0, 10.0, 18.0]
        assert dx.asnumpy().tolist() == [4.0, 50.0, 600.0]
        assert dy.asnumpy().tolist() == [1.0, 20.0, 300.0]

    def test_with_weights_and_ids(self) -> None:
        w = ms.Parameter(Tensor([2.0, 2.0, 2.0]), name="w")
        (dw,) = ms.grad(lambda x: x * w, None, [w], sens_param=True)(self.x, SENS)
        assert dw.asnumpy().tolist() == [1.0, 20.0, 300.0]
        place, dx = ms.grad(lambda x: x * w, 0, return_ids=True, sens_param=True)(self.x, SENS)
        assert (place, dx.asnumpy().tolist()) == (0, [2.0, 20.0, 200.0])

    def test_for_each_of_several_outputs(self) -> None:
        derived = ms.grad(lambda x, y: (x * y, x + y), (0, 1), sens_param=True)
        dx, dy = derived(self.x, self.y, (SENS, SENS * 2))
        assert dx.asnumpy().tolist() == [6.0, 70.0, 800.0]
        assert dy.asnumpy().tolist() == [3.0, 40.0, 500.0]

    def test_sens_applies_to_the_first_output_and_returns_aux_outputs(self) -> None:
        derived = ms.grad(lambda x, y: (x * y, x + y), 0, None, True, sens_param=True)
        dx, (other,) = derived(self.x, self.y, SENS)
        assert dx.asnumpy().tolist() == [4.0, 50.0, 600.0]
        assert other.asnumpy().tolist() == [5.0, 7.0, 9.0]

    def test_bad_sens_params_raise_precise_errors(self) -> None:
        def f(x: Tensor, y: Tensor) -> Tensor:
            return x * y

        with pytest.raises(TypeError, match=r"grad: sens_param must be a bool, got 1"):
            ms.grad(f, sens_param=1)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="grad: with sens_param=True the last input must be"):
            ms.grad(f, sens_param=True)()
        with pytest.raises(ValueError, match=r"sens must have the output's shape \(3,\), got \(2,"):
            ms.grad(f, sens_param=True)(self.x, self.y, Tensor([1.0, 2.0]))
        with pytest.raises(TypeError, match="sens must have the output's dtype Float32, got Fl"):
            ms.grad(f, sens_param=True)(self.x, self.y, SENS.astype(ms.float64))
        with pytest.raises(TypeError, match="sens"):
            ms.grad(f)(self.x, self.y, sens=SENS)


def square(x: Tensor) -> Tensor:
    return x * x


@pytest.mark.parametrize(
    "ask",
    [
        lambda: ms.grad(square)(A),
        lambda: ms.value_and_grad(square)(A),
        lambda: ops.GradOperation()(square)(A),
        lambda: nn.ForwardValueAndGrad(nn.ReLU(), None)(A),
    ],
)
def test_gradients_under_no_grad_are_refused_only_op_by_op(ask: Any) -> None:
    ask()
    with ms.no_grad():
        with pytest.raises(RuntimeError, match="In no_grad context, you can not calculate"):
            ask()
        assert ms.jit(lambda x: ms.grad(square)(x))(A).asnumpy().tolist() == [4.0]
    context.set_context(mode=context.GRAPH_MODE)
    with ms.no_grad():
        ask()


@pytest.mark.parametrize("ask", [ms.grad, ms.value_and_grad])
def test_a_position_that_is_named_twice_is_refused(ask) -> None:
    with pytest.raises(ValueError, match=r"name each input once, got \(0, 0\)"):
        ask(lambda x, y: (x * y).sum(), (0, 0))
