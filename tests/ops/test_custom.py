"""Custom: functions of arrays as ops, in both modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["eager", "graph"])


class Net(nn.Cell):
    """Calls what it was given."""

    def __init__(self, op: Any) -> None:
        super().__init__()
        self.op = op

    def construct(self, *inputs: Tensor) -> Any:
        return self.op(*inputs)


X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 5.0])


@MODES
def test_one_output_is_a_tensor(mode: int) -> None:
    ms.set_context(mode=mode)
    out = Net(ops.Custom(np.subtract, lambda x, _: x, lambda x, _: x))(X, Y)
    assert isinstance(out, Tensor) and out.asnumpy().tolist() == [-2, -3]


@MODES
@pytest.mark.parametrize("count", [1, 2])
def test_several_dtypes_make_a_tuple(mode: int, count: int) -> None:
    ms.set_context(mode=mode)

    def both(x: np.ndarray, y: np.ndarray) -> Any:
        return (x + y, x * y)[:count]

    out = Net(ops.Custom(both, ((2,),) * count, (ms.float32,) * count))(X, Y)
    assert [o.asnumpy().tolist() for o in out] == [[4, 7], [3, 10]][:count]


@MODES
@pytest.mark.parametrize("declared", [(), lambda x: ()], ids=["value", "function"])
def test_a_function_without_output_is_called_at_each_run(mode: int, declared: Any) -> None:
    ms.set_context(mode=mode)
    seen: list[Any] = []
    net = Net(ops.Custom(lambda x: seen.append(x), declared, declared))
    net(X)
    net(Y)
    assert [s.tolist() for s in seen] == [[1, 2], [3, 5]]


@MODES
def test_an_out_dtype_that_a_function_returns_may_be_none_at_all(mode: int) -> None:
    ms.set_context(mode=mode)
    net = Net(ops.Custom(lambda x: x, lambda x: x, lambda x: ()))
    out = net(X)
    assert out.dtype is ms.int32 and out.asnumpy().tolist() == [0]


@MODES
def test_one_int32_that_a_function_declares_is_the_result(mode: int) -> None:
    ms.set_context(mode=mode)
    net = Net(ops.Custom(lambda x: np.int32([len(x)]), lambda x: [1], lambda x: ms.int32))
    assert net(X).asnumpy().tolist() == [2]


@MODES
def test_a_function_may_keep_and_change_its_inputs(mode: int) -> None:
    ms.set_context(mode=mode)

    def double(x: np.ndarray) -> np.ndarray:
        x *= 2
        return x

    tensor = Tensor([1.0, 2.0])
    assert Net(ops.Custom(double, lambda x: x, lambda x: x))(tensor).asnumpy().tolist() == [2, 4]
    assert tensor.asnumpy().tolist() == [1, 2]


@MODES
def test_its_gradient_is_what_bprop_gives(mode: int) -> None:
    ms.set_context(mode=mode)

    def bprop(x: Tensor, y: Tensor, out: Tensor, dout: Tensor) -> Any:
        return dout * y, dout * x + out * 0

    op = ops.Custom(np.multiply, lambda x, _: x, lambda x, _: x, "pyfunc", bprop)
    grads = ms.grad(Net(op), (0, 1))(X, Y)
    assert [g.asnumpy().tolist() for g in grads] == [[3, 5], [1, 2]]


@MODES
def test_a_gradient_without_bprop_is_an_error_that_names_it(mode: int) -> None:
    ms.set_context(mode=mode)
    net = Net(ops.Custom(np.sin, lambda x: x, lambda x: x))
    with pytest.raises(RuntimeError, match="bprop must be given"):
        ms.grad(net)(X)


def test_shapes_and_dtypes_may_follow_from_those_of_the_inputs() -> None:
    op = ops.Custom(
        lambda x, y: np.outer(x, y).astype(np.float64), lambda x, y: x + y, lambda x, y: ms.float64
    )
    assert op(X, Y).shape == (2, 2) and op(X, Y).dtype is ms.float64


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ops.Custom("./add.so:add", (2,), ms.float32, "aot"), ValueError, "func_type"),
        (lambda: ops.Custom("add", (2,), ms.float32), TypeError, "func must be callable"),
        (lambda: ops.Custom(np.sin)(X), TypeError, "out_shape must be given"),
        (lambda: ops.Custom(np.sin, (3,), ms.float32)(X), RuntimeError, r"shapes \[\(3,\)\]"),
        (lambda: ops.DataType.F33_Default, AttributeError, "F33_Default"),
    ],
)
def test_what_can_not_be_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_custom_reads_the_registered_info_of_an_op() -> None:
    output = ops.CustomRegOp().input(0, "x").output(0, "y").attr("axis", "optional", "int", 1)
    output.dtype_format(ops.DataType.F32_Default, ops.DataType.F32_Default).target("CPU")
    op = ops.Custom(np.sin, lambda x: x, lambda x: x, reg_info=output.get_op_info())
    np.testing.assert_allclose(op(X).asnumpy(), np.sin([1, 2]), rtol=1e-6)


def test_sources_in_another_language_are_refused_with_the_way_out() -> None:
    with pytest.raises(NotImplementedError, match=r"CustomOpBuilder: is not here.*ops\.Custom"):
        ops.CustomOpBuilder("add", ["add.cc"], backend="CPU")


def test_loops_over_elements_run_as_they_stand_and_as_an_op() -> None:
    @ops.kernel(compile_attrs={"a": 1}, reg_info={"op_name": "f"})
    def f(x: Any, y: Any) -> Any:
        part = allocate(x.shape, x.dtype, "local")  # type: ignore[name-defined]  # noqa: F821
        out = output_tensor(x.shape, x.dtype)  # type: ignore[name-defined]  # noqa: F821
        with block_realize(part), attr("enable", True):  # type: ignore[name-defined]  # noqa: F821
            for i in serial(x.shape[0]):  # type: ignore[name-defined]  # noqa: F821
                part[i] = x[i] * float32(2.0) + exp(y[i])  # type: ignore[name-defined]  # noqa: F821
        for i in grid(x.shape):  # type: ignore[name-defined]  # noqa: F821
            out[i] = part[i] + ceil_div(5, 2)  # type: ignore[name-defined]  # noqa: F821
        return out

    x, y = np.array([1, 2], np.float32), np.zeros(2, np.float32)
    assert f(x, y).tolist() == [6, 8]
    assert f.__name__ == "f" and "grid" not in globals()
    op = ops.Custom(f, lambda x, y: x, lambda x, y: x)
    assert op(Tensor(x), Tensor(y)).asnumpy().tolist() == [6, 8]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"compile_attrs": 3}, "compile_attrs must be a dict"),
        ({"compile_attrs": {1: 2}}, "compile_attrs must have keys of str"),
        ({"reg_info": 3}, "reg_info must be a str, a tuple or a dict"),
        ({"fn": 3}, "fn must be"),
    ],
)
def test_a_kernel_of_something_else_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        ops.kernel(**arguments)


@pytest.mark.filterwarnings("ignore:GRAPH_MODE")  # what tells shapes appends
@MODES
def test_an_input_may_be_a_number_which_the_function_gets_as_such(mode: int) -> None:
    ms.set_context(mode=mode)
    seen: list[Any] = []

    def scaled(x: np.ndarray, factor: Any) -> np.ndarray:
        seen.append(factor)
        return np.asarray(x * factor, np.float32)

    def record_inputs(*inputs: Any) -> Any:
        seen.append(inputs)
        return inputs[0]

    double = ops.Custom(
        scaled, record_inputs, record_inputs, bprop=lambda x, k, out, dout: (dout * k, dout)
    )
    assert double(X, 2).asnumpy().tolist() == [2, 4]
    assert ([2], []) in seen and (ms.float32, ms.int64) in seen and 2 in seen
    assert ms.grad(lambda x: double(x, 2.5))(X).asnumpy().tolist() == [2.5, 2.5]


@MODES
def test_as_many_elements_as_declared_take_the_declared_shape(mode: int) -> None:
    ms.set_context(mode=mode)
    flat = ops.Custom(lambda x: x.reshape(1, 2), lambda x: x, lambda x: x)
    assert flat(X).asnumpy().tolist() == [1, 2]


@MODES
@pytest.mark.parametrize(
    "expected",
    [
        np.ones(3, np.float32),
        np.ones(2),
        np.ones(2, np.float16),
        [1.0, 2.0],
        (np.ones(2, np.float32), np.ones(2, np.float32)),
    ],
)
def test_what_does_not_fill_the_declared_output_is_an_error(mode: int, expected: Any) -> None:
    ms.set_context(mode=mode)
    with pytest.raises(RuntimeError, match="func must return arrays of shapes"):
        ops.Custom(lambda x: expected, lambda x: x, lambda x: x)(X).asnumpy()


def test_extra_gradients_of_a_custom_op_are_ignored() -> None:
    twice = ops.Custom(np.negative, lambda x: x, lambda x: x, bprop=lambda x, out, d: (d * 2, d))
    assert ms.grad(twice)(X).asnumpy().tolist() == [2, 2]


@pytest.mark.parametrize("op", [ops.Custom(np.negative, lambda x: x, lambda x: x), ops.ReLU()])
def test_attributes_can_be_added_and_deleted(op: Any) -> None:
    before = op.attrs
    assert op.add_prim_attr("side", 3) is op
    assert op.attrs == {**before, "side": 3} and op.side == 3
    op.del_prim_attr("side")
    assert op.attrs == before
    op.set_prim_instance_name("mine")
    assert op.instance_name == "mine"


def test_attributes_added_to_one_op_do_not_appear_in_later_ops() -> None:
    first = ops.Softmax(-7).add_prim_attr("side", 3)
    assert first.side == 3 and "side" not in ops.Softmax(-7).attrs
    assert not hasattr(ops.Softmax(-7), "side")
    second = ops.Softmax(-7).add_prim_attr("side", 4)
    assert (first.side, second.side) == (3, 4)
    second.set_prim_instance_name("mine")
    assert not hasattr(ops.Softmax(-7), "instance_name")
    first.del_prim_attr("side")
    assert not hasattr(first, "side") and second.side == 4


def test_constructor_arguments_cannot_be_overwritten_as_attributes() -> None:
    op = ops.ReduceSum(keep_dims=True)
    with pytest.raises(AttributeError, match="immutable"):
        op.add_prim_attr("keep_dims", False)
    assert op.add_prim_attr("keep_dims", True) is op and op(X, 0).ndim == X.ndim
