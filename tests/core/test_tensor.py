"""A Tensor is made of numbers; its operators answer as MindSpore's do."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.numpy as mnp
from minispore import Parameter, Tensor

# -- made of ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [None, ms.float32])
@pytest.mark.parametrize(
    "data", ["1", ["1"], [None], [1, "a"], np.str_("1"), object(), [[1], [1, 2]], [1, [2]]]
)
def test_what_is_no_number_is_refused_whatever_the_dtype(data: Any, dtype: Any) -> None:
    with pytest.raises(TypeError, match="Tensor: input_data must be"):
        Tensor(data, dtype)


@pytest.mark.parametrize("dtype", [None, ms.string, ms.float32])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (np.array(["a", "bc"]), "[2], dtype=String, value= ['a', 'bc'])"),
        (np.array([b"a", b"bc"]), "[2], dtype=String, value= [b'a', b'bc'])"),
        (np.array("abc"), "[], dtype=String, value= 'abc')"),
        (np.array(b"abc"), "[], dtype=String, value= b'abc')"),
        (np.array([], "U1"), "[0], dtype=String, value= [])"),
        (np.array([["a"], ["b"]]), "[2, 1], dtype=String, value=\n[['a'],\n ['b']])"),
    ],
)
def test_an_array_of_text_is_a_tensor_of_text(text: Any, shown: str, dtype: Any) -> None:
    tensor = Tensor(text, dtype)
    assert tensor.dtype is ms.string and repr(tensor) == f"Tensor(shape={shown}"
    assert tensor.asnumpy().dtype == text.dtype and (tensor.asnumpy() == text).all()
    assert str(tensor) == str(text)
    same = pickle.loads(pickle.dumps(tensor))
    assert (same.asnumpy() == text).all() and (Tensor(tensor).asnumpy() == text).all()
    for compute in (
        lambda: tensor + tensor, lambda: tensor == tensor, lambda: tensor.astype(ms.float32),
        lambda: tensor * 2, tensor.sum, tensor.max, lambda: ms.ops.relu(tensor),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            compute()


def test_numbers_are_no_text() -> None:
    assert Tensor(np.array([1]), ms.string).dtype is ms.int64
    with pytest.raises(TypeError, match="text must stay text"):
        Tensor([1]).astype(ms.string)


def test_a_tensor_of_nothing_is_refused() -> None:
    with pytest.raises(TypeError, match="got NoneType"):
        Tensor(None, None)


def test_a_shape_and_a_dtype_are_enough() -> None:
    t = Tensor(shape=(2, 1), dtype=ms.float16)
    assert (t.tolist(), t.dtype) == ([[0.0], [0.0]], ms.float16)


def test_data_and_an_initializer_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="init must come without input_data"):
        Tensor(1.0, ms.float32, (2,), ms.common.initializer.One())


@pytest.mark.parametrize("init", ["normal", "zeros", 1, 0.5, [1.0], np.ones(2)])
def test_what_is_no_initializer_is_refused_by_name(init: Any) -> None:
    with pytest.raises(TypeError, match=r"init must be an Initializer, got .*initializer"):
        Tensor(shape=(2,), dtype=ms.float32, init=init)


# -- operators -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        (operator.iadd, [7.0, 8.0]),
        (operator.isub, [3.0, 4.0]),
        (operator.imul, [10.0, 12.0]),
        (operator.itruediv, [2.5, 3.0]),
        (operator.ifloordiv, [2.0, 3.0]),
        (operator.imod, [1.0, 0.0]),
        (operator.ipow, [25.0, 36.0]),
    ],
)
@pytest.mark.parametrize("make", [Tensor, Parameter])
def test_an_augmented_assignment_makes_a_new_tensor(
    make: Any, change: Callable[..., Any], changed: list[float]
) -> None:
    t = make(Tensor([5.0, 6.0]))
    assert change(t, 2).tolist() == changed
    assert t.asnumpy().tolist() == [5.0, 6.0]


@pytest.mark.parametrize("jit", [False, True], ids=["by op", "graph"])
def test_in_place_add_leaves_a_second_reference_to_the_input_unchanged(jit: bool) -> None:
    def f(x: Tensor) -> Tensor:
        shortcut = x
        x += x * x
        return (x * shortcut).sum()  # x**2 + x**3

    df = ms.grad(f)
    assert (ms.jit(df) if jit else df)(Tensor([1.0, 2.0])).tolist() == [5.0, 16.0]


@pytest.mark.parametrize("other", [[1, 2], (1.0, 2.0), np.float32([1, 2]), 1j, "a", None])
def test_no_list_array_or_complex_number_equals_a_tensor(other: Any) -> None:
    x = Tensor([1.0, 2.0])
    assert (x == other) is False
    assert (x != other) is True
    assert ms.jit(lambda x: x == other)(x) is False


@pytest.mark.parametrize("other", [[1, 2], (1.0, 2.0), np.float32([1, 2]), 1j])
@pytest.mark.parametrize("order", [operator.lt, operator.le, operator.gt, operator.ge])
def test_a_tensor_is_not_less_or_greater_than_a_list_or_an_array(order: Any, other: Any) -> None:
    with pytest.raises(TypeError):
        order(Tensor([1.0, 2.0]), other)


def test_round_goes_to_the_even_neighbour() -> None:
    assert round(Tensor([1.5, -2.5, 0.4])).tolist() == [2.0, -2.0, 0.0]


@pytest.mark.parametrize("dtype", [ms.bool_, ms.int32, ms.uint8, ms.float32])
def test_a_tilde_says_where_nothing_is(dtype: Any) -> None:
    t = ~Tensor([1, 0], dtype)
    assert (t.tolist(), t.dtype) == ([False, True], ms.bool_)


@pytest.mark.parametrize(
    ("text", "t"),
    [
        (" 0.333333", Tensor(1 / 3)),
        (" 2", Tensor(2.0)),
        (" 1.23457e+06", Tensor(1234567.0)),
        (" 0+1j", Tensor(1j)),
        (" True", Tensor(True)),
        (" [1+2j, 0.5+0j]", Tensor([1 + 2j, 0.5])),
        (" [ 3.3325e-01,         inf]", Tensor([1 / 3, np.inf], ms.float16)),
        (" [            nan,  1.00000000e+00]", Tensor([np.nan, 1.0])),
        (" ", Tensor(np.zeros(0, np.float32))),
        ("\n", Tensor(np.zeros((2, 0), np.float32))),
        ("\n[[[1],\n  [2]],\n [[3],\n  [4]]]", Tensor([[[1], [2]], [[3], [4]]])),
        (" [   0,    1,    2 ...  998,  999, 1000]", Tensor(np.arange(1001))),
        (" [" + "2, " * 24 + "\n 2]", Tensor([2] * 25)),
        (" [" + "2, " * 23 + "2\n ]", Tensor([2] * 24)),
        (" [" + " True, " * 12 + "\n False]", Tensor([True] * 12 + [False])),
        (" [" + " 2.0000e+00, " * 11 + " 2.0000e+00\n ]", Tensor([2] * 12, ms.float16)),
        (" [" + "0+1j, " * 24 + "\n 0+1j]", Tensor([1j] * 25)),
        ("\n[[1, 2, 3 ... 5, 6, 7]]", Tensor([[1, 2, 3, 10**6, 5, 6, 7]])),
        (
            "\n[[[-1,  0],\n  [ 1,  2],\n  [ 3,  4],\n  ...\n  [ 7,  8],\n  [ 9, 10],\n  [11, 12]],"
            "\n [[13, 14],\n  [15, 16],\n  [17, 18],\n  ...\n  [21, 22],"
            "\n  [23, 24],\n  [25, 26]]]",
            Tensor(np.arange(-1, 27).reshape(2, 7, 2)),
        ),
        (
            "\n[[[0]],\n [[1]],\n [[2]],\n ...\n [[4]],\n [[5]],\n [[6]]]",
            Tensor(np.arange(7).reshape(7, 1, 1)),
        ),
        (" [ 1.00000000e+00, 1.00000000e+300]", Tensor([1.0, 1e300], ms.float64)),
    ],
    ids=str,
)
def test_a_tensor_is_written_as_mindspore_writes_it(text: str, t: Tensor) -> None:
    assert repr(t) == f"Tensor(shape={list(t.shape)}, dtype={t.dtype}, value={text})"


@pytest.mark.parametrize("jit", [False, True], ids=["by op", "graph"])
@pytest.mark.parametrize(
    ("x", "dtype", "number", "total"),
    [
        (5, ms.uint8, -1, 4),
        (5, ms.uint8, 300, 49),
        (5, ms.int8, 200, -51),
        (5, ms.int32, 2**40, 5),
        (5, ms.int64, -(2**63), 5 - 2**63),
    ],
)
def test_a_python_number_wraps_around_as_an_element_would(
    x: int, dtype: Any, number: int, total: int, jit: bool
) -> None:
    def f(t: Tensor) -> Tensor:
        return t + number

    got = (ms.jit(f) if jit else f)(Tensor([x], dtype))
    assert (got.tolist(), got.dtype) == ([total], dtype)


def test_to_takes_a_device_by_name_but_no_dtype() -> None:
    t = Tensor([1.0])
    assert t.to("CPU") is t
    assert t.to(ms.float16).dtype is ms.float16
    with pytest.raises(ValueError, match="device must be"):
        t.to("float16")


@pytest.mark.parametrize("other", [np.ones(2, np.float32), 2j], ids=["array", "complex"])
@pytest.mark.parametrize(
    "op",
    [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
     operator.pow],
)  # fmt: skip
def test_an_array_or_a_complex_number_on_the_right_is_refused(op: Any, other: Any) -> None:
    with pytest.raises(TypeError, match="an operand must be a Tensor, bool, int or float, got"):
        op(Tensor([1.0, 2.0]), other)


def test_an_array_on_the_left_gives_a_tensor() -> None:
    assert isinstance(np.ones(2, np.float32) + Tensor([1.0, 2.0]), Tensor)
    assert isinstance(np.float32(2) * Tensor([1.0, 2.0]), Tensor)


@pytest.mark.parametrize(
    "op",
    [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.matmul],
)
def test_an_array_on_the_left_is_compared_element_by_element_as_in_mindspore(op: Any) -> None:
    left, right = np.float32([1, 2, 3]), np.float32([1, 5, 2])
    output, reference = op(left, Tensor(right)), op(left, right)
    assert type(output) is type(reference)
    np.testing.assert_array_equal(output, reference, strict=True)


@pytest.mark.parametrize(
    "name",
    ["all", "amax", "amin", "any", "max", "mean", "min", "prod", "ptp", "std", "sum", "var",
     "cumsum", "argmax", "median"],
)  # fmt: skip
def test_numpy_reduces_what_an_array_less_a_tensor_is(name: str) -> None:
    left, right = np.float32([[5, 6], [7, 9]]), np.float32([[1, 2], [3, 4]])
    reduce = getattr(np, name)
    for how in ({}, {"axis": 1}):
        output, reference = reduce(left - Tensor(right), **how), reduce(left - right, **how)
        np.testing.assert_array_equal(np.asarray(output), np.asarray(reference))
    if name in ("mean", "sum", "std", "var"):
        out = np.zeros(2, np.float32)
        assert reduce(Tensor(right), axis=0, keepdims=False, out=out) is out
        assert np.array_equal(out, reduce(right, axis=0))


def test_functions_of_numpy_take_tensors_for_arrays() -> None:
    a, t = np.float32([1, 2]), Tensor([3.0, 4.0])
    assert isinstance(np.exp(t), np.ndarray)
    assert np.add.reduce(t) == 7 and np.multiply.outer(t, a).shape == (2, 2)
    assert isinstance(np.add(t, t), np.ndarray) and isinstance(np.maximum(a, t), np.ndarray)
    a += t
    assert a.tolist() == [4, 6]
    assert np.add(a, t, out=np.zeros(2), where=Tensor([True, False])).tolist() == [7, 0]
    with pytest.raises(TypeError):
        np.add(a, a, out=t)
    gradient = ms.grad(lambda x: (np.float32([2, 3]) * x).sum())(t)
    assert gradient.asnumpy().tolist() == [2, 3]


@pytest.mark.parametrize("op", [operator.lshift, operator.rshift])
def test_tensors_are_not_shifted_by_an_operator(op: Any) -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        op(Tensor([1, 2]), 1)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.filterwarnings("ignore:GRAPH_MODE")
def test_attributes_that_a_cell_hangs_on_tensors_stay_in_both_modes(mode: int) -> None:
    class Net(ms.nn.Cell):
        def construct(self, x: Any) -> Any:
            x.mark = 3
            y = x * x.mark
            y.note = "made"
            return y

    ms.set_context(mode=mode)
    x: Any = Tensor([1.0, 2.0])
    y = Net()(x)
    assert (x.mark, y.note, y.tolist()) == (3, "made", [3.0, 6.0])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_the_shape_of_a_tensor_is_not_set(mode: int) -> None:
    ms.set_context(mode=mode)

    @ms.jit
    def flattened(x: Any) -> Any:
        x.shape = (4,)
        return x

    with pytest.raises(TypeError, match=r"Tensor: shape must not be set, got \(4,\)"):
        flattened(Tensor([[1.0, 2.0], [3.0, 4.0]]))


@pytest.mark.parametrize(
    ("word", "dtype"),
    [
        ("int", ms.int64), ("long", ms.int64), ("uint", ms.uint64), ("half", ms.float16),
        ("single", ms.float32), ("float", ms.float64), ("float_", ms.float64),
        ("double", ms.float64),
        ("bool_", ms.bool_), ("Int32", ms.int32),
    ],
)  # fmt: skip
def test_astype_accepts_numpy_names_of_dtypes(word: str, dtype: Any) -> None:
    assert ms.Tensor([1.0, 0.0]).astype(word).dtype == dtype


@pytest.mark.parametrize("dtype", [int, "int8", ms.int64, ms.bool_])
def test_asfarray_of_a_type_that_is_no_float_gives_float32(dtype: Any) -> None:
    assert mnp.asfarray([1], dtype).dtype == ms.float32
    assert mnp.asfarray([1], "float64").dtype == ms.float64


def test_short_names_of_types_are_mindspores() -> None:
    assert (ms.bool, ms.int, ms.float) == (ms.bool_, ms.int32, ms.float32)
    assert (ms.intc, ms.intp, ms.ushort, ms.uintp) == (ms.int32, ms.int64, ms.uint16, ms.uint64)
    assert (ms.cfloat, ms.cdouble) == (ms.complex64, ms.complex128)
    assert {ms.complex64, ms.complex128} < set(ms.dtype.number_type)
    assert ms.dtype.int is ms.int32


def test_a_kind_is_no_width_and_a_cast_takes_the_usual_one() -> None:
    assert [repr(k) for k in (ms.int_, ms.float_, ms.uint)] == [
        "mindspore.int", "mindspore.float", "mindspore.uint",
    ]  # fmt: skip
    assert ms.int_ not in (ms.int32, ms.int64)
    assert Tensor([1.5]).astype(ms.int_).dtype is ms.int32
    assert Tensor([1]).astype(ms.float_).dtype is ms.float32
    with pytest.raises(TypeError, match=r"mindspore\.uint, which says no width"):
        Tensor([1], ms.uint)


def test_bool_of_several_elements_raises() -> None:
    with pytest.raises(ValueError, match="array with more than one element is ambiguous"):
        bool(Tensor([1, 2]))


@pytest.mark.parametrize("op", [operator.lt, operator.le, operator.gt, operator.ge, operator.eq])
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_number_of_numpys_on_the_left_is_compared_by_the_tensor(mode: int, op: Any) -> None:
    """A graph computes it, and goes on with it."""
    x = np.float32([1, 2, 3])

    class Net(ms.nn.Cell):
        def construct(self, x: Tensor) -> Any:
            return x * op(np.float32(2), x)

    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        output = Net()(Tensor(x))
    finally:
        ms.set_context(mode=before)
    assert isinstance(output, Tensor)
    assert np.array_equal(output.asnumpy(), x * op(np.float32(2), x))


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_tensor_tells_whether_it_is_a_constant_argument(mode) -> None:
    ms.set_context(mode=mode)
    fixed = Tensor([3.0], const_arg=True)
    assert fixed.const_arg
    assert not Tensor([2.0]).const_arg
    assert ms.jit(lambda x, y: x * y)(Tensor([2.0]), fixed).asnumpy().tolist() == [6.0]
    assert fixed.set_const_arg(False) is fixed
    assert not fixed.const_arg
    assert fixed.set_const_arg().const_arg
    for wrong in (lambda: fixed.set_const_arg(1), lambda: Tensor([1.0], const_arg="yes")):
        with pytest.raises(TypeError, match="const_arg must be a bool"):
            wrong()
