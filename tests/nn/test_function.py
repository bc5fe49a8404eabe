"""Functions with derivatives of their own, and buffers that are assigned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, _Function, context, nn, ops
from minispore.common.parameter import _Buffer

MODES = pytest.mark.parametrize(
    "mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"]
)


class Scaled(_Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x + y, x

    @staticmethod
    def backward(ctx: Any, dz: Tensor, dx: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return x * dz + dx, None if not ctx.needs_input_grad[1] else 4 * dz


class Apart(_Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, zeros: bool) -> Any:
        ctx.set_materialize_grads(zeros)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx: Any, first: Any, second: Any) -> Any:
        return first + (100 if second is None else second), None


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def test_an_output_without_gradient_comes_as_zeros_or_as_none(mode: int) -> None:
    context.set_context(mode=mode)
    for zeros, expected in ((True, 1), (False, 101)):
        got = ms.grad(lambda x, zeros=zeros: Apart.apply(x, zeros)[0])(Tensor([3.0]))
        assert got.item() == expected


def all_gradients(function: Any, *args: Any) -> list[Any]:
    return [g.item() for g in ops.GradOperation(get_all=True)(function)(*args)]


class Twice(_Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Any:
        h = x * 2
        return h, h

    @staticmethod
    def backward(ctx: Any, first: Tensor, second: Tensor) -> Any:
        return first + second * 10


@MODES
def test_an_output_that_comes_twice_has_two_gradients(mode: int) -> None:
    context.set_context(mode=mode)

    def weighed(x: Tensor) -> Tensor:
        first, second = Twice.apply(x)
        return first * 2 + second * 3

    assert all_gradients(weighed, Tensor([3.0])) == [32]


@MODES
def test_backward_is_the_derivative(mode: int) -> None:
    context.set_context(mode=mode)
    assert all_gradients(Scaled.apply, Tensor([3.0]), Tensor([2.0])) == [4, 4]


@MODES
def test_an_input_that_is_no_tensor_needs_no_gradient(mode: int) -> None:
    context.set_context(mode=mode)
    assert all_gradients(Scaled.apply, Tensor([3.0]), 2.0) == [4]


def test_apply_gives_what_forward_returns() -> None:
    output, same = Scaled.apply(Tensor([3.0]), 2.0)
    assert (output.item(), same.item()) == (11, 3)


def test_setup_context_sees_inputs_and_output_of_a_forward_without_context() -> None:
    class Apart(_Function):
        @staticmethod
        def forward(x: Tensor, k: float = 3.0) -> Tensor:  # type: ignore[override]
            return x * k

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            ctx.k = inputs[1] + output.item()

        @staticmethod
        def backward(ctx: Any, dz: Tensor) -> Any:
            return dz * ctx.k, None

    assert all_gradients(Apart.apply, Tensor([2.0])) == [9]


def test_an_input_that_forward_writes_into_is_differentiated_by_what_it_was() -> None:
    class Dirty(_Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, y: Tensor) -> Any:
            x.add_(1)
            ctx.mark_dirty(x)
            return x + y, x

        @staticmethod
        def backward(ctx: Any, dz: Tensor, dx: Tensor) -> Any:
            return dz, 2 * dz

    assert all_gradients(lambda x, y: Dirty.apply(x + 1, y), Tensor([2.0]), Tensor([3.0])) == [1, 2]


def test_what_forward_wrote_into_must_be_an_output() -> None:
    class Lost(_Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Any:
            ctx.mark_dirty(x)
            return x + 1

    with pytest.raises(RuntimeError, match="all dirty tensors must be outputs"):
        Lost.apply(Tensor([1.0]))


@MODES
def test_no_gradient_comes_through_an_output_that_is_not_differentiable(mode: int) -> None:
    class Fixed(_Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Any:
            output = x * x
            ctx.mark_non_differentiable(output)
            return output, x * 2

        @staticmethod
        def backward(ctx: Any, da: Tensor, db: Tensor) -> Any:
            return 100 * da + 2 * db

    context.set_context(mode=mode)
    assert all_gradients(Fixed.apply, Tensor([3.0])) == [2]


@pytest.mark.parametrize(
    ("value", "match"),
    [
        (lambda dz: dz, "one gradient for each of the 2 inputs"),
        (lambda dz: (dz, 4), "must be None or a Tensor, got 4"),
        (lambda dz: (dz, dz), "must be None, for the input is no Tensor"),
    ],
)
def test_other_gradients_than_one_for_each_input_are_refused(value: Any, match: str) -> None:
    class Wrong(_Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, y: float) -> Any:
            return x * y

        @staticmethod
        def backward(ctx: Any, dz: Tensor) -> Any:
            return value(dz)

    with pytest.raises(RuntimeError, match=match):
        all_gradients(Wrong.apply, Tensor([3.0]), 2.0)


def test_a_subclass_must_say_both_ways() -> None:
    with pytest.raises(NotImplementedError, match=r"must define forward\(ctx, ...\)"):
        _Function.apply(Tensor([1.0]))
    for method in (_Function.backward, _Function.setup_context):
        with pytest.raises(NotImplementedError, match="a subclass must define"):
            method(None, (), None)


@MODES
def test_a_buffer_that_is_assigned_is_registered(mode: int) -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.kept = _Buffer(Tensor([2.0]))
            self.passing = _Buffer(Tensor([5.0]), persistent=False)

        def construct(self, x: Tensor) -> Tensor:
            return x * self.kept + self.passing

    context.set_context(mode=mode)
    net = Net()
    assert [name for name, _ in net.named_buffers()] == ["kept", "passing"]
    assert list(net.state_dict()) == ["kept"]
    assert net(Tensor([3.0])).item() == 11


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_max_unpool_puts_what_a_pool_took_back_to_its_place(axes: int) -> None:
    unpool = (ops.max_unpool1d, ops.max_unpool2d, ops.max_unpool3d)[axes - 1]
    x = Tensor(np.array([7.0, 9.0], np.float32).reshape(2, *[1] * axes))
    places = Tensor(np.array([0, 2**axes - 1]).reshape(2, *[1] * axes))
    output = unpool(x, places, 2).asnumpy().reshape(2, -1)
    assert output.tolist() == [[7, *[0] * (2**axes - 1)], [*[0] * (2**axes - 1), 9]]


@MODES
def test_max_unpool_passes_the_gradient_to_the_placed_element(mode: int) -> None:
    context.set_context(mode=mode)
    weights = Tensor([[1.0, 2.0, 3.0, 4.0]])
    places = Tensor([[1, 2]])
    by_x = ms.grad(lambda x: (ops.max_unpool1d(x, places, 2) * weights).sum())(Tensor([[5.0, 7.0]]))
    assert by_x.asnumpy().tolist() == [[2, 3]]


def test_max_unpool_takes_a_size_within_one_stride() -> None:
    x, places = Tensor([[5.0, 7.0]]), Tensor([[1, 2]])
    assert ops.max_unpool1d(x, places, 2, output_size=(1, 5)).shape == (1, 5)
    with pytest.raises(ValueError, match="output_size must be within one stride of"):
        ops.max_unpool1d(x, places, 2, output_size=(1, 9))
    with pytest.raises(ValueError, match="indices must have the shape of x"):
        ops.max_unpool1d(x, Tensor([[1]]), 2)
    with pytest.raises(TypeError, match="x must be a Tensor"):
        ops.max_unpool1d(5, places, 2)  # type: ignore[arg-type]


PLACES = Tensor([[[0.3, 0.7]]])


@MODES
def test_a_fractional_pool_gives_the_gradient_to_the_largest(mode: int) -> None:
    context.set_context(mode=mode)
    x = Tensor(np.arange(25, dtype=np.float32).reshape(1, 1, 5, 5))
    pool = nn.FractionalMaxPool2d(2, (2, 2), return_indices=True, _random_samples=PLACES)
    output, places = pool(x)
    assert output.asnumpy().ravel().tolist() == places.asnumpy().ravel().tolist() == [6, 9, 21, 24]
    by_x = ms.grad(lambda t: pool(t)[0])(x).asnumpy().ravel()
    assert np.flatnonzero(by_x).tolist() == [6, 9, 21, 24]


def test_nan_is_never_the_largest_of_a_fractional_pool() -> None:
    x = np.where(np.arange(25) % 3 == 0, np.nan, np.arange(25)).reshape(1, 1, 5, 5)
    output = ops.fractional_max_pool2d(Tensor(x, ms.float32), 2, (2, 2), _random_samples=PLACES)
    assert output.asnumpy().ravel().tolist() == [5, 8, 20, 23]


@pytest.mark.parametrize("axes", [2, 3])
def test_a_fractional_pool_without_samples_draws_them_and_takes_a_ratio(axes: int) -> None:
    layer = (nn.FractionalMaxPool2d, nn.FractionalMaxPool3d)[axes - 2]
    x = Tensor(np.zeros((3, *[6] * axes), np.float32))
    assert layer(2, output_ratio=(0.5,) * axes)(x).shape == (3, *[3] * axes)


def test_a_fractional_pool_wants_a_size() -> None:
    with pytest.raises(ValueError, match="output_size or output_ratio must be given"):
        nn.FractionalMaxPool2d(2)
    with pytest.raises(ValueError, match="output_size or output_ratio must be given"):
        ops.fractional_max_pool2d(Tensor(np.zeros((1, 4, 4), np.float32)), 2)
    with pytest.raises(ValueError, match=r"output_ratio must be 2 numbers in \(0, 1\)"):
        ops.fractional_max_pool2d(Tensor(np.zeros((1, 4, 4), np.float32)), 2, None, 1.5)


class Product(_Function):
    """Returns ``given`` as gradients."""

    needs: Any = None
    given: Any = None

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Any) -> Any:
        Product.needs = ctx.needs_input_grad
        return x * y

    @staticmethod
    def backward(ctx: Any, dz: Tensor) -> Any:
        return Product.given


@pytest.mark.filterwarnings("ignore:GRAPH_MODE")  # needs is assigned
@MODES
def test_an_input_needs_a_gradient_if_one_may_come_to_it(mode: int) -> None:
    context.set_context(mode=mode)
    Product.given, w = (Tensor(1.0), Tensor(2.0)), ms.Parameter(Tensor(3.0), name="w")
    Product.apply(Tensor(1.0), Tensor(2.0))
    assert Product.needs == (False, False)
    ms.grad(lambda x: Product.apply(x, Tensor(2.0)))(Tensor(1.0))
    assert Product.needs == (True, False)
    ms.grad(lambda x: Product.apply(x, w), None, [w])(Tensor(1.0))
    assert Product.needs == (False, True)
    ms.grad(lambda x: Product.apply(ops.stop_gradient(x), x * 2))(Tensor(1.0))
    assert Product.needs == (False, True)


@pytest.mark.filterwarnings("ignore:GRAPH_MODE")  # needs is assigned
@MODES
def test_extra_gradients_of_a_function_are_ignored(mode: int) -> None:
    context.set_context(mode=mode)
    Product.given = Tensor(1.0), Tensor(2.0), Tensor(3.0)
    dx, dy = ms.grad(Product.apply, (0, 1))(Tensor(1.0), Tensor(2.0))
    assert (dx, dy) == (1.0, 2.0)


def test_a_list_of_gradients_is_none() -> None:
    Product.given = [Tensor(1.0), Tensor(2.0)]
    with pytest.raises(RuntimeError, match="gradient"):
        ms.grad(Product.apply, (0, 1))(Tensor(1.0), Tensor(2.0))


def test_only_tensors_are_saved_for_backward() -> None:
    class Saves(_Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            ctx.save_for_backward(x, None, 3)
            return x

    with pytest.raises(RuntimeError, match="save_for_backward must get Tensors, got 3"):
        Saves.apply(Tensor(1.0))
