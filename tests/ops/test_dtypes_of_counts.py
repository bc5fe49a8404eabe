"""Dtypes of what is counted, subtracted and listed, and axes that are not there."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
import minispore.numpy as mnp
from minispore import Tensor, mint, ops


def _dtype_and_values(x):
    return str(x.dtype), x.asnumpy().tolist()


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        ([Tensor(1, ms.int32), Tensor(2, ms.int32)], "Int64"),
        ((Tensor([1], ms.int32),), "Int64"),
        ([np.int32(1)], "Int64"),
        ([Tensor([1.5], ms.float64)], "Float32"),
        ([Tensor(1, ms.int16)], "Int16"),
        ([Tensor(1.5, ms.float16)], "Float16"),
        (np.int32(1), "Int32"),
        (np.array([1.5]), "Float64"),
    ],
)
def test_a_list_of_tensors_is_one_of_numbers(data, dtype):
    assert str(Tensor(data).dtype) == dtype


def test_bools_that_are_subtracted_say_whether_they_differ():
    x, y = Tensor([True, False, True]), Tensor([True, True, True])
    assert _dtype_and_values(x - y) == ("Bool", [False, True, False])
    assert _dtype_and_values(x - True) == ("Bool", [False, True, False])
    for diff in (ops.diff, mint.diff, mnp.diff, mnp.ediff1d):
        assert _dtype_and_values(diff(x)) == ("Bool", [True, True])
    assert _dtype_and_values(mint.diff(x, prepend=Tensor([False]))) == ("Bool", [True, True, True])


def test_eps_is_the_machine_epsilon_of_each_float_dtype():
    for dtype in (np.float16, np.float32, np.float64):
        assert ops.eps(Tensor(np.ones(2, dtype))).asnumpy()[0] == np.finfo(dtype).eps


@pytest.mark.parametrize(
    ("function", "data", "expected"),
    [
        (mnp.cumsum, [1, 2], ("Int64", [1, 3])),
        (mnp.cumprod, [1, 2], ("Int64", [1, 2])),
        (mnp.around, [1, 2], ("Int64", [1, 2])),
        (mnp.cumprod, Tensor([1, 2], ms.uint16), ("UInt32", [1, 2])),
        (mnp.trace, Tensor([[1, 2], [3, 4]], ms.uint16), ("Int64", 5)),
        (mnp.trace, Tensor([[1, 2], [3, 4]], ms.uint64), ("UInt64", 5)),
    ],
)
def test_what_counts_is_wide(function, data, expected):
    assert _dtype_and_values(function(data)) == expected


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [(ms.uint8, "Int64"), (ms.int16, "Int64"), (ms.uint16, "UInt16"), (ms.uint32, "UInt32")],
)
def test_products_of_vectors_keep_what_has_no_sign(dtype, expected):
    x = Tensor([1, 2], dtype)
    assert _dtype_and_values(ops.vecdot(x, x)) == (expected, 5)


def test_missing_axes_are_refused():
    with pytest.raises(ValueError, match="axes"):
        ops.tensor_dot(Tensor(1.0), Tensor(2.0), 1)
    for transform in (ops.rfftn, ops.irfftn, ops.hfftn, ops.ihfftn):
        with pytest.raises(ValueError, match="1 axis"):
            transform(Tensor(1.0))


@pytest.mark.parametrize("compiled", [False, True])
def test_cumulative_sums_are_cast_to_the_requested_dtype_at_the_end(compiled: bool):
    x, small = Tensor([[1.75, -2.25], [1.5, 0.5]]), Tensor([[100, 3], [100, 4]], ms.int8)
    f = ms.jit if compiled else lambda g: g
    cases = [
        (lambda: x.cumsum(0, ms.int32), ms.int32, [[1, -2], [3, -1]]),
        (lambda: x.cumsum(1, ms.int32), ms.int32, [[1, 0], [1, 2]]),
        (lambda: mnp.cumsum(x, 0, ms.int32), ms.int32, [[1, -2], [3, -1]]),
        (lambda: mnp.nancumsum(x, 0, ms.int32), ms.int32, [[1, -2], [3, -1]]),
        (lambda: mnp.cumprod(x, 0, ms.int32), ms.int32, [[1, -2], [2, -1]]),
        (lambda: ops.cumsum(x, 0, ms.int32), ms.int32, [[1, -2], [2, -2]]),  # which casts first
        (lambda: small.cumsum(0, ms.int8), ms.int32, [[100, 3], [200, 7]]),
        (lambda: small.cumsum(0, ms.float32), ms.float32, [[100, 3], [200, 7]]),
    ]
    for run, dtype, values in cases:
        output = f(run)()
        assert output.dtype == dtype and output.asnumpy().tolist() == values
