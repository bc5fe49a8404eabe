"""Sets of the rows of tensors: what the real MindSpore 2.10 gave."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops

X = np.array([[[1, 5, 5], [4, 3, 0]], [[1, 1, 1], [2, 2, 2]]])
Y = np.array([[[1, 7], [4, 4]], [[1, 2], [9, 8]]])
FOUND = {
    "a-b": ([[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 1, 0]], [5, 0, 3, 2], [2, 2, 2]),
    "B-A": ([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], [7, 2, 8, 9], [2, 2, 2]),
    "intersection": ([[0, 0, 0], [0, 1, 0], [1, 0, 0]], [1, 4, 1], [2, 2, 1]),
}


@pytest.mark.parametrize("operation", FOUND)
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16"])
def test_rows_are_sets(operation, dtype):
    kind = getattr(ms, dtype)
    x, y = Tensor(X, kind), Tensor(Y, kind)
    output = ops.DenseToDenseSetOperation(operation)(x, y)
    assert [t.asnumpy().tolist() for t in output] == list(FOUND[operation])
    assert [t.dtype for t in output] == [ms.int64, kind, ms.int64]
    places = np.argwhere(Y >= 0)
    sparse = Tensor(places), Tensor(Y.reshape(-1), kind), Tensor(np.array(Y.shape))
    second = ops.DenseToSparseSetOperation(operation)(x, *sparse)
    assert [t.asnumpy().tolist() for t in second] == list(FOUND[operation])


def test_nothing_in_any_row_has_no_length():
    at, values, shape = ops.DenseToDenseSetOperation()(Tensor([[1, 1]]), Tensor([[1, 2]]))
    assert (at.shape, values.shape, shape.asnumpy().tolist()) == ((0, 2), (0,), [1, 0])


def test_tensors_of_two_dtypes_and_floats_are_refused():
    op, x = ops.DenseToDenseSetOperation(), Tensor([[1]])
    with pytest.raises(TypeError, match="alike in their dtype"):
        op(x, x.int())
    with pytest.raises(TypeError, match="x1"):
        op(x.float(), x.float())
    with pytest.raises(ValueError, match="set_operation must be one of"):
        ops.DenseToDenseSetOperation("xor")
