"""Layers for sparse tensors: conversion to dense, and products with dense matrices."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.ops.methods.sparse_tensors import COOTensor


class SparseToDense(Cell):
    """A COOTensor converted to a dense Tensor.

    Args:
        sparse_tensor (COOTensor): the tensor to convert.

    Returns:
        Tensor, dense.

    Raises:
        TypeError: ``sparse_tensor`` is not a COOTensor.

    >>> from minispore import COOTensor, Tensor
    >>> print(SparseToDense()(COOTensor(Tensor([[0, 1]]), Tensor([5.0]), (1, 2))))
    [[0. 5.]]
    """

    def construct(self, sparse_tensor: COOTensor) -> Tensor:
        """Return the dense Tensor; raise TypeError unless ``sparse_tensor`` is a COOTensor."""
        if not isinstance(sparse_tensor, COOTensor):
            rule = "be a COOTensor"
            raise TypeError(
                checks.format_error(self, "sparse_tensor", rule, checks.format_value(sparse_tensor))
            )
        return sparse_tensor.to_dense()


class SparseTensorDenseMatmul(Cell):
    """The product of a sparse matrix, given by its indices and values, and a dense matrix.

    Args:
        adjoint_st: transpose the sparse matrix first.
        adjoint_dt: transpose the dense matrix first.
        indices (Tensor): int32 or int64 (n, 2), the positions of the values.
        values (Tensor): (n,).
        sparse_shape (tuple): the shape of the sparse matrix, two ints.
        dense (Tensor): a matrix with the dtype of ``values``.

    Returns:
        Tensor, dense.

    Raises:
        TypeError: a flag is not a bool.
        ValueError: the shapes do not fit.

    >>> from minispore import Tensor
    >>> at, values = Tensor([[0, 1]]), Tensor([5.0])
    >>> print(SparseTensorDenseMatmul()(at, values, (1, 2), Tensor([[1.0], [2.0]])))
    [[10.]]
    """

    def __init__(self, adjoint_st: bool = False, adjoint_dt: bool = False) -> None:
        super().__init__()
        for name, flag in (("adjoint_st", adjoint_st), ("adjoint_dt", adjoint_dt)):
            checks.boolean(self, name, flag)
        self.adj_st, self.adj_dt = adjoint_st, adjoint_dt
        self.sparse_dense_matmul = ops.SparseTensorDenseMatmul(adjoint_st, adjoint_dt)

    def construct(
        self, indices: Tensor, values: Tensor, sparse_shape: Any, dense: Tensor
    ) -> Tensor:
        return self.sparse_dense_matmul(indices, values, sparse_shape, dense)


__all__ = ["SparseTensorDenseMatmul", "SparseToDense"]
