"""A Cell's derivative of its own: what ``bprop`` takes and gives."""

from __future__ import annotations

from typing import Any

import pytest

import minispore as ms
from minispore import Tensor, grad, nn, ops
from minispore.ops.function.grad.grad_func import custom_vjp


def test_a_custom_bprop_replaces_the_derivative():
    class Mine(nn.Cell):
        def construct(self, x, y):
            return x * y

        def bprop(self, x, y, out, dout):
            return 10 * x, 100 * dout

    dx, dy = grad(Mine(), (0, 1))(Tensor([2.0]), Tensor([3.0]))
    assert (dx.asnumpy(), dy.asnumpy()) == ([20], [100])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("value", [lambda x: x, lambda x: x * 2])
def test_an_output_that_stands_in_several_places_has_a_gradient_in_each(mode, value):
    class Thrice(nn.Cell):
        def construct(self, x):
            h = value(x)
            return h, (h, h)

        def bprop(self, x, out, dout):
            return (dout[0] + dout[1][0] * 10 + dout[1][1] * 100,)

    def weighed(x):
        first, (second, third) = net(x)
        return first * 2 + second * 3 + third * 4 + x * 1000

    ms.set_context(mode=mode)
    net, x = Thrice(), Tensor([5.0])
    assert grad(net)(x).asnumpy() == [111]
    assert grad(weighed)(x).asnumpy() == [1432]
    (by_x,) = ms.vjp(net, x)[1](Tensor([2.0]), (Tensor([3.0]), Tensor([4.0])))
    assert by_x.asnumpy() == [432]


def test_a_bprop_that_is_a_graph_is_refused_op_by_op():
    class Half(nn.Cell):
        def construct(self, x):
            return x * x

        @ms.jit
        def bprop(self, x, out, dout):
            return (dout * 0.5,)

    x = Tensor([3.0])
    with pytest.raises(RuntimeError, match=r"Half.bprop: .* plain method"):
        ms.grad(Half())(x)
    assert Half()(x).asnumpy().tolist() == [9.0]
    ms.set_context(mode=ms.GRAPH_MODE)
    assert ms.grad(Half())(x).asnumpy().tolist() == [0.5]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("error", [RuntimeError, TypeError])
@pytest.mark.parametrize(
    "bprop",
    [
        lambda self, out: (out, out),
        lambda self, x, out, dout: (dout, dout),
        lambda self, x, y, z, out, dout: (dout, dout),
    ],
)
def test_a_custom_bprop_takes_the_inputs_the_output_and_its_gradient(mode, error, bprop):
    class Sum(nn.Cell):
        def construct(self, x, y):
            return x + y

    Sum.bprop = bprop
    ms.set_context(mode=mode)
    with pytest.raises(error, match=r"Sum.bprop: must take the 2 inputs, out and dout, got"):
        ms.grad(Sum(), (0, 1))(Tensor([1.0]), Tensor([2.0]))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_custom_bprop_of_one_input_may_return_a_bare_gradient(mode):
    class Same(nn.Cell):
        def construct(self, x):
            return x + 0

        def bprop(self, x, out, dout):
            return dout * 2

    ms.set_context(mode=mode)
    assert ms.grad(Same())(Tensor([1.0])).asnumpy().tolist() == [2.0]


def test_a_type_error_in_a_custom_bprop_propagates_unchanged():
    class Same(nn.Cell):
        def construct(self, x):
            return x + 0

        def bprop(self, x, out, dout):
            raise TypeError("mine")

    with pytest.raises(TypeError, match=r"^mine"):
        ms.grad(Same())(Tensor([1.0]))


def test_a_custom_bprop_with_defaults_gets_all_arguments():
    class Mine(nn.Cell):
        def construct(self, x, factor=5):
            return x * factor

        def bprop(self, x, factor, out, dout):
            return dout * (factor + 1), 0

    assert grad(Mine())(Tensor([2.0])).asnumpy() == [6]


def test_a_custom_bprop_may_return_none_for_zeros():
    class Mine(nn.Cell):
        def construct(self, x, y):
            return x * y

        def bprop(self, x, y, out, dout):
            return None, 7 * dout

    dx, dy = grad(Mine(), (0, 1))(Tensor([2.0]), Tensor([3.0]))
    assert (dx.asnumpy(), dy.asnumpy()) == ([0], [7])


@pytest.mark.parametrize("mode", [0, 1])
def test_a_function_takes_the_derivative_that_defbwd_gives_it(mode):
    ms.set_context(mode=mode)
    mine = custom_vjp(lambda x, y: 2 * x + y)
    mine.defbwd(lambda x, y, out, dout: (2 * dout, 2 * y))
    dx, dy = grad(ms.jit(lambda x, y: mine(x, y) + x), (0, 1))(Tensor([1.0]), Tensor([2.0]))
    assert (dx.asnumpy(), dy.asnumpy()) == ([3], [4])


def test_custom_vjp_requires_a_derivative():
    with pytest.raises(TypeError, match="must have a derivative, got none"):
        custom_vjp(lambda x: x)(Tensor(1.0))


def test_a_custom_bprop_with_too_few_gradients_is_an_error():
    class Mine(nn.Cell):
        def construct(self, x, y):
            return x * y

        def bprop(self, x, y, out, dout):
            return (dout,)

    with pytest.raises(RuntimeError, match="must return one gradient for each of the 2 inputs"):
        grad(Mine(), (0, 1))(Tensor([2.0]), Tensor([3.0]))


class CustomBprop(nn.Cell):
    """A product whose bprop gives what it is told."""

    def __init__(self, given):
        super().__init__()
        self.given = given

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return self.given(dout)


TWO, FOUR = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])


@MODES
def test_a_gradient_of_a_custom_bprop_takes_the_dtype_and_shape_of_its_input(mode):
    ms.set_context(mode=mode)
    net = CustomBprop(lambda d: (d.astype(ms.float16), ops.tile(d.astype(ms.float64), (2, 1))))
    dx, dy = grad(net, (0, 1))(TWO, FOUR)
    assert (dx.dtype, dy.dtype) == (ms.float32, ms.float32)
    assert (dx.asnumpy().tolist(), dy.asnumpy().tolist()) == ([1, 1], [2, 2])


@MODES
def test_a_gradient_of_a_custom_bprop_that_fits_no_input_is_an_error(mode):
    ms.set_context(mode=mode)
    with pytest.raises(RuntimeError, match=r"gradient 0 must have the input's shape \(2,\)"):
        grad(CustomBprop(lambda d: (ops.tile(d, (3,)), d)), (0, 1))(TWO, FOUR)


@MODES
@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        (lambda d: (d, d, d), TypeError, "one gradient for each of the 2 inputs, got 3"),
        (lambda d: (d,), TypeError, "one gradient for each of the 2 inputs, got 1"),
        (lambda d: (5, 7), TypeError, "gradient 0 must be a Tensor"),
        (lambda d: (d, d.astype(ms.float16)), TypeError, "gradient 1 must be of the input's dtype"),
        (lambda d: (ops.tile(d, (2, 1)), d), ValueError, "gradient 0 must have the input's shape"),
    ],
)
def test_check_bprop_refuses_gradients_that_need_conversion(mode, value, error, says):
    ms.set_context(mode=mode)
    ms.set_context(check_bprop=True)
    with pytest.raises(error, match=says):
        grad(CustomBprop(value), (0, 1))(TWO, FOUR)


def test_check_bprop_looks_at_a_compiled_gradient_too():
    ms.set_context(mode=ms.GRAPH_MODE)
    derived = grad(CustomBprop(lambda d: (d, d, d)), (0, 1))
    derived(TWO, FOUR)
    ms.set_context(check_bprop=True)
    with pytest.raises(TypeError, match="one gradient for each of the 2 inputs, got 3"):
        derived(TWO, FOUR)


class _Weighted(nn.Cell):
    """w x + v, whose gradients are told from the right ones by their factors."""

    def __init__(self, named: str, returned: Any) -> None:
        super().__init__()
        self.w = ms.Parameter(Tensor([2.0]), name="w")
        self.v = ms.Parameter(Tensor([3.0]), name="v")
        self.internal_params = [getattr(self, name) for name in named]
        self.returned = returned

    def construct(self, x: Tensor) -> Tensor:
        return self.w * x + self.v

    def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> Any:
        return self.returned(self, x, dout)


class _Around(nn.Cell):
    def __init__(self, net: nn.Cell) -> None:
        super().__init__()
        self.net = net

    def construct(self, x: Tensor) -> Tensor:
        return self.net(x) * 10 + self.net.w


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_bprop_gives_the_gradients_of_internal_params_in_a_dict(mode: int) -> None:
    ms.set_context(mode=mode)
    net = _Weighted("wv", lambda s, x, d: ((s.w * d,), {s.w: x * d * 100, s.v: None}))
    of_x, of_weights = ms.grad(net, 0, net.trainable_params())(Tensor([7.0]))
    assert [g.asnumpy().item() for g in (of_x, *of_weights)] == [2, 700, 0]
    net = _Weighted("w", lambda s, x, d: ((s.w * d,), {s.w: x * d * 100}))
    of_x, of_weights = ms.grad(_Around(net), 0, net.trainable_params())(Tensor([7.0]))
    assert [g.asnumpy().item() for g in (of_x, *of_weights)] == [20, 7001, 0]


@pytest.mark.parametrize(
    "returned", [lambda s, x, d: (s.w * d,), lambda s, x, d: ((s.w * d,), {s.w: d})]
)
def test_a_bprop_that_leaves_out_an_internal_param_is_refused(returned: Any) -> None:
    net = _Weighted("wv", returned)
    with pytest.raises(RuntimeError, match=r"a dict of those of its internal_params, got none.* v"):
        ms.grad(net)(Tensor([7.0]))
