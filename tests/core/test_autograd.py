"""What ``grad``, ``value_and_grad`` and ``GradOperation`` return, and how gradients flow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, ParameterTuple, Tensor, context, ops
from minispore.core.autograd import custom_vjp

W = Parameter(Tensor([2.0]), name="w")
V = Parameter(Tensor([3.0]), name="v")
MODES = pytest.mark.parametrize("mode", [context.PYNATIVE_MODE, context.GRAPH_MODE])


def f(x: Tensor, y: Tensor) -> Tensor:
    return x * W * V + y


def shape_of(tree: Any) -> Any:
    return "T" if isinstance(tree, Tensor) else [shape_of(t) for t in tree]


@pytest.mark.parametrize(
    ("position", "weights", "expected"),
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
    mode: int, position: Any, weights: Any, expected: Any
) -> None:
    context.set_context(mode=mode)
    x, y = Tensor([1.0]), Tensor([1.0])
    assert shape_of(ms.grad(f, position, weights)(x, y)) == expected
    assert shape_of(ms.value_and_grad(f, position, weights)(x, y)) == ["T", expected]


def test_gradients_come_with_their_positions_and_names() -> None:
    x, y = Tensor([1.0]), Tensor([1.0])
    by_input, by_weight = ms.grad(f, (0, 1), (W, V), return_ids=True)(x, y)
    assert [i for i, _ in by_input] == [0, 1]
    assert [name for name, _ in by_weight] == ["w", "v"]


def test_one_gradient_by_one_input_and_one_weight_comes_with_its_position_and_name() -> None:
    both = ms.grad(lambda x: x * W * V, 0, W, return_ids=True)(Tensor([5.0]))
    (position, dx), (name, dw) = both
    assert (position, dx.item(), name, dw.item()) == (0, 6.0, "w", 15.0)


def test_a_function_of_no_inputs_has_no_gradient_by_them() -> None:
    by_input, by_weight = ms.grad(lambda: W * 3.0, 0, W)()
    assert (by_input, by_weight.item()) == ((), 3.0)


@pytest.mark.parametrize("mode", [context.PYNATIVE_MODE, context.GRAPH_MODE])
def test_what_was_assigned_to_a_weight_stands_for_it_in_the_gradient(mode: int) -> None:
    context.set_context(mode=mode)
    p = Parameter(Tensor([2.0]), name="p")

    def squared(x: Tensor) -> Tensor:
        ops.assign(p, Tensor([5.0]))
        return p * p * x

    assert ms.grad(squared, None, p)(Tensor([3.0])).item() == 2 * 5 * 3


@pytest.mark.parametrize("mode", [context.PYNATIVE_MODE, context.GRAPH_MODE])
@pytest.mark.parametrize(
    ("use", "gradient"), [(lambda x, p: x * p, 3.0), (lambda x, p: p, 1.0), (lambda x, p: p + x, 1)]
)
def test_what_was_assigned_is_differentiated_wherever_it_stands(mode, use, gradient) -> None:
    context.set_context(mode=mode)
    p = Parameter(Tensor([2.0]), name="p")

    def assigned(x: Tensor) -> Tensor:
        ops.assign(p, Tensor([5.0]))
        return use(x, p)

    _, dp = ms.grad(assigned, 0, p)(Tensor([3.0]))
    assert dp.item() == gradient


class Doubled(ms.nn.Cell):
    """2 x, with a derivative of its own that is counted."""

    def __init__(self) -> None:
        super().__init__()
        self.call_count = 0

    def construct(self, x: Tensor) -> Tensor:
        return 2 * x

    def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor]:
        self.call_count += 1
        return (2 * dout,)


def test_ops_on_other_weights_are_not_differentiated() -> None:
    doubled = Doubled()
    dw = ms.grad(lambda x: x * W + doubled(V), None, W)(Tensor([5.0]))
    assert (dw.item(), doubled.call_count) == (5.0, 0)
    dv = ms.grad(lambda x: x * W + doubled(V), None, V)(Tensor([5.0]))
    assert (dv.item(), doubled.call_count) == (2.0, 1)


class Split(ms.nn.Cell):
    """(x, 2 x), with a derivative of its own that notes what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[Any] = []

    def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return x, 2 * x

    def bprop(self, x: Tensor, out: Any, dout: Any) -> tuple[Tensor]:
        self.given.append([t.asnumpy().tolist() for t in (*out, *dout)])
        return (10 * dout[0] + 100 * dout[1],)


@pytest.mark.parametrize(("used", "dout"), [(0, [1.0, 0.0]), (1, [0.0, 1.0])])
def test_of_several_outputs_one_that_is_not_used_has_a_cotangent_of_zero(used, dout) -> None:
    split = Split()
    dx = ms.grad(lambda x: split(x)[used])(Tensor([3.0]))
    assert dx.item() == 10 * dout[0] + 100 * dout[1]
    assert split.given == [[[3.0], [6.0], [dout[0]], [dout[1]]]]


@MODES
def test_an_input_that_a_custom_derivative_returns_is_counted_once(mode: int) -> None:
    class Reversed(ms.nn.Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x

        def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor]:
            return (-dout,)

    context.set_context(mode=mode)
    cell = Reversed()
    assert ms.grad(lambda x: cell(x) + 1000 * x)(Tensor([3.0])).item() == 999


def test_a_cotangent_function_that_returns_none_is_left_out() -> None:
    def both(a: Tensor, b: Tensor) -> Tensor:
        return custom_vjp(lambda a, b: a + b, lambda *_: (lambda: None, Tensor([7.0])), (a, b))

    da, db = ms.grad(both, (0, 1))(Tensor([1.0]), Tensor([1.0]))
    assert (da.item(), db.item()) == (0.0, 7.0)


def test_a_custom_derivative_may_give_fewer_cotangents_than_inputs() -> None:
    def both(a: Tensor, b: Tensor) -> Tensor:
        return custom_vjp(lambda a, b: a + b, lambda *_: (Tensor([7.0]),), (a, b))

    da, db = ms.grad(both, (0, 1))(Tensor([1.0]), Tensor([1.0]))
    assert (da.item(), db.item()) == (7.0, 0.0)


@pytest.mark.parametrize("derive", [ms.grad, ms.value_and_grad, ms.GradOperation()])
def test_a_derivative_has_the_name_of_its_function(derive: Any) -> None:
    assert derive(f).__name__ == "f"


def test_grad_operation_sums_several_outputs() -> None:
    assert ms.GradOperation()(lambda x: (x * 2.0, x * x))(Tensor(3.0)).item() == 2.0 + 6.0


def test_the_gradient_of_a_complex_number_takes_the_conjugate_of_the_derivative() -> None:
    x = Tensor(np.complex64(1 + 2j))
    assert ms.grad(lambda x: x * x)(x).item() == 2 - 4j
    assert ms.grad(lambda x: x.real())(x).item() == 1


def test_a_complex_number_of_two_real_ones_has_their_gradients() -> None:
    def f(a: Tensor, b: Tensor) -> Tensor:
        return (ms.ops.Complex()(a, b) * Tensor(np.complex64(3 + 4j))).real()

    da, db = ms.grad(f, (0, 1))(Tensor([1.0]), Tensor([2.0]))
    assert (da.item(), db.item()) == (3.0, -4.0)


def test_a_complex_custom_derivative_is_used_unchanged() -> None:
    tensor = Tensor(np.complex64(1 + 2j))
    f = lambda x: custom_vjp(lambda x: x * 1, lambda *_: (tensor,), (x,))  # noqa: E731
    assert ms.grad(f)(Tensor(np.complex64(3j))).item() == 1 + 2j


def test_the_cotangent_of_a_complex_number_is_multiplied_by_that_conjugate() -> None:
    x, sens = Tensor(np.complex64(1 + 2j)), Tensor(np.complex64(1j))
    assert ms.GradOperation(sens_param=True)(lambda x: x * x)(x, sens).item() == 1j * (2 - 4j)


def test_grad_operation_returns_the_gradient_of_a_single_weight() -> None:
    x, y = Tensor([5.0]), Tensor([1.0])
    assert ms.GradOperation(get_by_list=True)(f, W)(x, y).item() == 15.0
    (dx, dy), dw = ms.GradOperation(True, True)(f, W)(x, y)
    assert (dx.item(), dy.item(), dw.item()) == (6.0, 1.0, 15.0)


def test_grad_operation_takes_the_weights_of_a_cell() -> None:
    by_list = ms.GradOperation(get_by_list=True)
    dw, db = by_list(ms.nn.Dense(2, 1))(Tensor([[1.0, 4.0]]))
    assert (dw.tolist(), db.tolist()) == ([[1.0, 4.0]], [1.0])


@pytest.mark.parametrize("decorate", [lambda f: f, ms.jit])
def test_grad_operation_finds_the_weights_that_a_function_reads(decorate) -> None:
    frozen = ms.Parameter(Tensor([2.0]), name="frozen", requires_grad=False)
    first, second = (ms.Parameter(Tensor([k]), name=f"p{k}") for k in (3.0, 5.0))

    def function(x):
        return ops.exp(second * 0.0) + x * first * frozen

    by_both = ms.GradOperation(get_all=True, get_by_list=True)
    (dx,), weights = by_both(decorate(function))(Tensor([7.0]))
    assert dx.item() == 6.0
    assert [w.item() for w in weights] == [0.0, 14.0]


def test_grad_operation_finds_no_weights_that_a_cell_does_not_read() -> None:
    net = ms.nn.Dense(2, 1)
    net.unread = Parameter(Tensor([2.0]), name="unread")
    assert len(ms.GradOperation(get_by_list=True)(net)(Tensor([[1.0, 4.0]]))) == 2


@pytest.mark.parametrize("decorate", [lambda f: f, ms.jit])
def test_grad_operation_finds_no_weights_in_a_function_of_inputs(decorate) -> None:
    by_both = ms.GradOperation(get_all=True, get_by_list=True)
    (dx,), weights = by_both(decorate(lambda x: x * x))(Tensor(3.0))
    assert (dx.item(), weights) == (6.0, ())


def test_auxiliary_outputs_pass_through_and_are_not_differentiated() -> None:
    both = ms.value_and_grad(lambda x: (x * x, x * 100.0), has_aux=True)
    (value, aux), dx = both(Tensor(3.0))
    assert (value.item(), aux.item(), dx.item()) == (9.0, 300.0, 6.0)


def test_grad_gives_its_auxiliary_outputs_as_a_tuple() -> None:
    dx, aux = ms.grad(lambda x: (x * x, x + 1, x + 2), has_aux=True)(Tensor(3.0))
    assert (dx.item(), [a.item() for a in aux]) == (6, [4, 5])
    dx, aux = ms.grad(lambda x: (x * x, x + 1), has_aux=True)(Tensor(3.0))
    assert (dx.item(), [a.item() for a in aux]) == (6, [4])


@MODES
@pytest.mark.parametrize(
    ("make", "product", "structure"),
    [
        (lambda a, b: [a, b], lambda t: t[0] * t[1], list),
        (lambda a, b: (a, b), lambda t: t[0] * t[1], tuple),
        (lambda a, b: {"a": a, "b": b}, lambda t: t["a"] * t["b"], dict),
    ],
)
def test_a_gradient_by_a_container_has_its_structure(
    mode: int, make: Any, product: Any, structure: type
) -> None:
    context.set_context(mode=mode)
    gradient = ms.grad(product)(ms.mutable(make(Tensor(3.0), Tensor(2.0))))
    assert type(gradient) is structure
    actual = gradient.values() if isinstance(gradient, dict) else gradient
    assert [g.item() for g in actual] == [2, 3]


@MODES
def test_a_gradient_by_a_nested_container_has_its_structure_and_0_for_numbers(mode: int) -> None:
    context.set_context(mode=mode)
    x = (Tensor(3.0), [Tensor(2.0), 7], {"k": Tensor(1.0)})
    first, (second, number), last = ms.grad(lambda t: t[0] * t[1][0])(ms.mutable(x))
    assert (first.item(), second.item(), number, last["k"].item()) == (2, 3, 0, 0)


@MODES
def test_a_gradient_goes_through_a_cast_to_integers_and_back(mode: int) -> None:
    context.set_context(mode=mode)
    assert ms.grad(lambda x: ops.cast(x, ms.int32))(Tensor([3.0])).asnumpy().tolist() == [1]
    assert ms.grad(lambda x: ops.cast(x, ms.int32) * x)(Tensor([3.0])).asnumpy().tolist() == [6]


@MODES
@pytest.mark.parametrize(("out", "sens"), [((), (1,)), ((1,), ()), ((1, 1), (1,))])
def test_one_element_serves_as_the_cotangent_of_one_element(
    mode: int, out: tuple[int, ...], sens: tuple[int, ...]
) -> None:
    context.set_context(mode=mode)
    derived = ops.GradOperation(sens_param=True)(lambda x: (x * x).sum().reshape(out))
    output = derived(Tensor([1.0, 2.0]), Tensor(np.full(sens, 10, np.float32)))
    assert output.asnumpy().tolist() == [20, 40]


# -- hooks on tensors -----------------------------------------------------------------------------


def times(factor: float) -> Any:
    return lambda g: g * factor


@MODES
def test_the_hook_of_a_parameter_sees_and_replaces_its_gradient(mode: int) -> None:
    context.set_context(mode=mode)
    w = Parameter(Tensor([2.0]), name="w")
    x = Tensor([3.0])
    derived = ms.grad(lambda x: w * x * w, None, w)
    assert derived(x).item() == 12
    handle = w.register_hook(times(10))
    assert derived(x).item() == 120
    handle.remove()
    assert derived(x).item() == 12


@MODES
def test_the_hook_of_an_input_sees_and_replaces_its_gradient(mode: int) -> None:
    context.set_context(mode=mode)
    x = Tensor([3.0])
    derived = ms.grad(lambda x: x * 3)
    assert derived(x).item() == 3
    handle = x.register_hook(times(5))
    assert derived(x).item() == 15
    assert derived(Tensor([3.0])).item() == 3
    handle.remove()
    assert derived(x).item() == 3


@MODES
def test_hooks_of_one_tensor_are_called_in_their_order(mode: int) -> None:
    context.set_context(mode=mode)

    def f(x: Tensor) -> Tensor:
        y = x * 1
        y.register_hook(lambda g: g + 1)
        y.register_hook(times(10))
        return y * 3

    assert ms.grad(f)(Tensor([1.0])).item() == 40  # (3 + 1) * 10


def test_a_hook_that_gives_nothing_leaves_the_gradient_to_the_next() -> None:
    seen: list[float] = []
    x = Tensor([3.0])
    x.register_hook(lambda g: seen.append(g.item()))
    x.register_hook(times(10))
    assert (ms.grad(lambda x: x * 3)(x).item(), seen) == (30, [3])


def test_a_hook_that_gives_another_shape_is_an_error() -> None:
    x = Tensor([3.0])
    x.register_hook(lambda g: Tensor([1.0, 2.0]))
    with pytest.raises(RuntimeError, match=r"a gradient of shape \(1,\)"):
        ms.grad(lambda x: x * 3)(x)


def test_a_hooked_tensor_accepts_another_hook_while_a_gradient_is_computed() -> None:
    scale = Tensor([2.0])
    scale.register_hook(times(10))

    def f(x: Tensor) -> Tensor:
        scale.register_hook(times(100))  # which no gradient asked for passes
        return x * scale

    assert ms.grad(f)(Tensor([3.0])).item() == 2.0


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


def test_gradients_flow_after_a_reused_no_grad_context_ends() -> None:
    off = ms.no_grad()

    def f(x: Tensor) -> Tensor:
        with off:
            factor = x * 2.0
        return factor * x

    assert [ms.grad(f)(Tensor(3.0)).item() for _ in range(2)] == [6.0, 6.0]


def test_value_and_grad_sums_all_outputs_unless_has_aux_is_set() -> None:
    def f(x: Tensor) -> tuple[Tensor, Tensor]:
        return x * 2.0, x * x

    assert ms.value_and_grad(f)(Tensor(3.0))[1].item() == 2.0 + 6.0
    assert ms.value_and_grad(f, has_aux=True)(Tensor(3.0))[1].item() == 2.0


def test_the_cotangent_may_be_a_number_or_one_tensor_for_each_output() -> None:
    derived = ms.GradOperation(sens_param=True)
    assert derived(lambda x: x * x)(Tensor(3.0), 10.0).item() == 60.0
    both = (Tensor(10.0), Tensor(100.0))
    assert derived(lambda x: (x * x, x * 2.0))(Tensor(3.0), both).item() == 260.0


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
        (lambda: ms.grad(f, 5)(Tensor(1.0), Tensor(1.0)), RuntimeError, "got 2 inputs"),
        (lambda: ms.grad(f, 2)(Tensor(1.0), Tensor(1.0)), IndexError, "got 2 inputs"),
        (lambda: ms.grad(f, ()), RuntimeError, "should not be empty"),
        (lambda: ms.grad(Tensor(1.0)), TypeError, "grad: fn must be a function or Cell"),
        (lambda: ms.GradOperation()(3), TypeError, "GradOperation: fn must be a function"),
        (lambda: ms.GradOperation(sens_param=True)(f)(), TypeError, "last input must be"),
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


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("constant", [3, "a", None, (2, 1)])
def test_what_is_no_tensor_has_gradients_of_zero_and_says_so(mode: int, constant: Any) -> None:
    ms.set_context(mode=mode)
    text = "returned no Tensor to differentiate .* gradients are 0"
    with pytest.warns(UserWarning, match=text) as message:
        dx, (dw,) = ms.grad(lambda x: constant, 0, [W])(Tensor([1.0, 2.0]))
    assert message[0].filename == __file__
    assert dx.asnumpy().tolist() == [0.0, 0.0]
    assert dw.asnumpy().tolist() == np.zeros_like(W.asnumpy()).tolist()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_numbers_among_the_inputs_have_no_gradient(mode: int) -> None:
    ms.set_context(mode=mode)

    def times(x: Any, y: Any) -> Any:
        return x * y

    x = Tensor([1.0, 2.0])
    assert ms.grad(times, (0, 1))(x, 3.0).asnumpy().tolist() == [3.0, 3.0]
    assert ms.grad(times)(3.0, x) == ()
    assert ms.GradOperation()(times)(3.0, x) == ()


def test_a_function_without_inputs_has_gradients_only_by_its_weights() -> None:
    by_input, (dw,) = ms.grad(lambda: W * 2, 0, [W])()
    assert by_input == () and (dw.asnumpy() == 2).all()
    assert ms.GradOperation()(lambda: W * 2)() == ()
