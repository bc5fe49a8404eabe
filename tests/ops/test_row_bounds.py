"""Rows of sparse matrices, by their bounds and one by one."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops

ROWS, BOUNDS = [0, 0, 1, 3], [0, 2, 3, 3, 4]


def places(numbers: list[int]) -> Tensor:
    return Tensor(np.array(numbers, np.int32))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_rows_and_bounds_say_the_same(mode: int) -> None:
    ms.set_context(mode=mode)
    assert ms.jit(lambda x: ops.coo2csr(x, 4))(places(ROWS)).asnumpy().tolist() == BOUNDS
    assert ms.jit(lambda x: ops.csr2coo(x, 4))(places(BOUNDS)).asnumpy().tolist() == ROWS
    assert ops.coo2csr(places(ROWS), 4).dtype == ops.csr2coo(places(BOUNDS), 4).dtype == ms.int32


def test_bounds_are_those_of_a_csr_tensor() -> None:
    dense = Tensor([[0.0, 1.0], [0.0, 0.0], [2.0, 3.0]])
    coo, csr = dense.to_coo(), dense.to_csr()
    output = ops.coo2csr(coo.indices[:, 0].astype(ms.int32), 3)
    assert output.asnumpy().tolist() == csr.indptr.asnumpy().tolist()
    assert ops.csr2coo(csr.indptr.astype(ms.int32), 3).asnumpy().tolist() == [0, 2, 2]


def test_a_tensor_without_rows_has_bounds_of_zero() -> None:
    assert ops.coo2csr(places([]), 2).asnumpy().tolist() == [0, 0, 0]
    assert ops.csr2coo(places([0, 0, 0]), 0).shape == (0,)


def test_places_are_one_axis_of_int32() -> None:
    with pytest.raises(TypeError, match="row_indices must be int32, got Int64"):
        ops.coo2csr(Tensor([0, 1]), 2)
    with pytest.raises(ValueError, match="indptr must have one axis"):
        ops.csr2coo(Tensor(np.zeros((2, 2), np.int32)), 2)
    with pytest.raises(ValueError, match="nnz must be an int from 0 on, got -1"):
        ops.csr2coo(places(BOUNDS), -1)


def test_a_sparse_tensor_of_1_x_is_a_coo_tensor() -> None:
    sparse_tensor = ms.SparseTensor(Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0]), (2, 3))
    assert isinstance(sparse_tensor, ms.COOTensor)
    assert sparse_tensor.to_dense().asnumpy().tolist() == [[0, 1, 0], [0, 0, 2]]
    with pytest.raises(TypeError):
        ms.SparseTensor(Tensor([[0, 1]]), [1.0], (2, 3))


def test_an_op_tells_its_arguments() -> None:
    assert ops.ReduceSum(keep_dims=True).attrs == {"keep_dims": True, "skip_mode": False}
    assert ops.MatMul(True).attrs == {"transpose_a": True, "transpose_b": False}
    assert ops.Add().attrs == {}
