"""CSR matrices, one or a batch: a shape, where batches and rows begin, columns, values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.elementwise.complex_numbers import Conj
from minispore.ops.index.gather import GatherNd, ScatterNd
from minispore.ops.linalg.products import BatchMatMul
from minispore.ops.shape.views import Transpose
from minispore.ops.shape.whole import Identity
from minispore.ops.sparse.parts import (
    INT32,
    _Sparse,
    both,
    coordinates,
    flat,
    inside,
    made,
    sizes,
    summed,
    taken,
    unflat,
    whole_numbers,
)
from minispore.ops.sparse.sums import softmax_of_rows
from minispore.ops.support.arguments import check_tensors


@dataclass(frozen=True)
class Rows:
    """The places of a CSR matrix, (n, 2) or (n, 3) with a batch before, in their order."""

    shape: tuple[int, ...]
    at: np.ndarray
    dtype: np.dtype

    @property
    def batches(self) -> int:
        return self.shape[0] if len(self.shape) == 3 else 1

    def pointers(self) -> tuple[Tensor, ...]:
        """The four parts before the values."""
        lines = flat(self.at[:, :-1], self.shape[:-1])
        each = np.bincount(lines, minlength=int(np.prod(self.shape[:-1]))).reshape(self.batches, -1)
        begins = np.concatenate([np.zeros((self.batches, 1), int), each.cumsum(1)], 1)
        ends = np.concatenate([[0], each.sum(1).cumsum()])
        parts = (self.shape, ends, begins.reshape(-1), self.at[:, -1])
        return tuple([made(part, self.dtype) for part in parts])

    def transposed(self) -> tuple[Rows, np.ndarray]:
        """The matrix turned, and which old value each of its values is."""
        at = np.concatenate([self.at[:, :-2], self.at[:, :-3:-1]], 1)
        shape = (*self.shape[:-2], self.shape[-1], self.shape[-2])
        order = np.argsort(flat(at, shape), kind="stable")
        return Rows(shape, at[order], self.dtype), order


class _Matrix(_Sparse):
    """An op of CSR matrices."""

    def rows(self, parts: tuple[Tensor, ...], values: Tensor, name: str = "x") -> Rows:
        """The places of ``values``."""
        names = ("dense_shape", "batch_pointers", "row_pointers", "col_indices")
        shape, _, begins, columns = [
            whole_numbers(self.name, part, f"{name}_{said}", 1)
            for part, said in zip(parts, names, strict=True)
        ]
        if len(shape) not in (2, 3):
            rule = "hold 2 or 3 lengths"
            raise ValueError(
                checks.format_error(self.name, f"{name}_dense_shape", rule, f"{shape}")
            )
        check_tensors(self.name, **{f"{name}_values": values})
        lengths = tuple(shape.tolist())
        batches, lines = (1, *lengths)[-3:-1]
        if len(begins) != batches * (lines + 1):
            rule = f"hold {batches * (lines + 1)} numbers, one more than rows for each batch"
            raise ValueError(
                checks.format_error(self.name, f"{name}_row_pointers", rule, f"{len(begins)}")
            )
        each = np.diff(begins.reshape(batches, -1), axis=1).reshape(-1)
        if (each < 0).any() or not each.sum() == len(columns) == values.size:
            rule = "grow, to as many as there are columns and values"
            raise ValueError(
                checks.format_error(self.name, f"{name}_row_pointers", rule, f"{begins}")
            )
        line = np.repeat(np.arange(batches * lines), each)
        at = np.stack([*np.divmod(line, lines), columns], 1)[:, 3 - len(lengths) :]
        inside(self.name, f"{name}_col_indices", at, lengths)
        return Rows(lengths, at, shape.dtype)

    def dense(self, found: Rows, values: Tensor) -> Tensor:
        """The matrix with its zeros."""
        return ScatterNd()(made(found.at), values, found.shape)


class CSRSparseMatrixToDense(_Matrix):
    """A CSR matrix with its zeros.

    >>> shape, batches, begins, columns = (Tensor(n) for n in ([2, 3], [0, 2], [0, 1, 2], [1, 0]))
    >>> print(CSRSparseMatrixToDense()(shape, batches, begins, columns, Tensor([1.0, 2.0])))
    [[0. 1. 0.]
     [2. 0. 0.]]
    """

    def __call__(
        self,
        x_dense_shape: Tensor,
        x_batch_pointers: Tensor,
        x_row_pointers: Tensor,
        x_col_indices: Tensor,
        x_values: Tensor,
    ) -> Tensor:
        parts = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices)
        return self.dense(self.rows(parts, x_values), x_values)


class CSRSparseMatrixToSparseTensor(_Matrix):
    """The places, values and shape of a CSR matrix.

    >>> shape, batches, begins, columns = (Tensor(n) for n in ([2, 3], [0, 2], [0, 1, 2], [1, 0]))
    >>> op = CSRSparseMatrixToSparseTensor()
    >>> print(op(shape, batches, begins, columns, Tensor([1.0, 2.0]))[0])
    [[0 1]
     [1 0]]
    """

    def __call__(
        self,
        x_dense_shape: Tensor,
        x_batch_pointers: Tensor,
        x_row_pointers: Tensor,
        x_col_indices: Tensor,
        x_values: Tensor,
    ) -> Any:
        parts = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices)
        found = self.rows(parts, x_values)
        return made(found.at, found.dtype), Identity()(x_values), x_dense_shape


class DenseToCSRSparseMatrix(_Matrix):
    """The elements of a matrix, or of a batch of them, at ``indices``, as a CSR matrix.

    >>> parts = DenseToCSRSparseMatrix()(Tensor([[0.0, 1.0], [2.0, 0.0]]), Tensor([[0, 1], [1, 0]]))
    >>> print(*parts)
    [2 2] [0 2] [0 1 2] [1 0] [1. 2.]
    """

    def __call__(self, dense_input: Tensor, indices: Tensor) -> Any:
        if dense_input.ndim not in (2, 3):
            rule = "have 2 or 3 axes"
            raise ValueError(
                checks.format_error(self.name, "dense_input", rule, f"{dense_input.shape}")
            )
        at = whole_numbers(self.name, indices, "indices", 2)
        inside(self.name, "indices", at, dense_input.shape)
        values = GatherNd()(dense_input, indices)
        return _in_rows(Rows(dense_input.shape, at, at.dtype), values)


def _in_rows(found: Rows, values: Tensor) -> Any:
    """The five parts, in the order of the places."""
    order = np.argsort(flat(found.at, found.shape), kind="stable")
    return *Rows(found.shape, found.at[order], found.dtype).pointers(), taken(values, order)


class SparseTensorToCSRSparseMatrix(_Matrix):
    """A coordinate tensor of two or three axes as a CSR matrix.

    >>> at, shape = Tensor([[0, 1], [1, 0]]), Tensor([2, 2])
    >>> print(*SparseTensorToCSRSparseMatrix()(at, Tensor([1.0, 2.0]), shape))
    [2 2] [0 2] [0 1 2] [1 0] [1. 2.]
    """

    def __call__(self, x_indices: Tensor, x_values: Tensor, x_dense_shape: Tensor) -> Any:
        shape = sizes(self.name, x_dense_shape, "x_dense_shape")
        if len(shape) not in (2, 3):
            rule = "hold 2 or 3 lengths"
            raise ValueError(checks.format_error(self.name, "x_dense_shape", rule, f"{shape}"))
        names = ("x_indices", "x_values")
        at = coordinates(self.name, names, x_indices, x_values, shape)
        return _in_rows(Rows(shape, at, at.dtype), x_values)


class SparseMatrixAdd(_Matrix):
    """alpha * x1 + beta * x2 of two CSR matrices of one shape.

    >>> parts = [Tensor(n) for n in ([1, 2], [0, 1], [0, 1], [1])]
    >>> one, op = Tensor([1.0]), SparseMatrixAdd()
    >>> print(op(*parts, one, *parts, one, Tensor(2.0), Tensor(3.0))[4])
    [5.]
    """

    def __call__(self, *x: Any) -> Any:
        if len(x) != 12:
            raise TypeError(
                f"{self.name}: takes 12 inputs, five of each matrix and 2 factors, got {len(x)}."
            )
        check_tensors(self.name, alpha=x[10], beta=x[11])
        first, second = self.rows(x[:4], x[4], "x1"), self.rows(x[5:9], x[9], "x2")
        if first.shape != second.shape:
            raise ValueError(
                f"{self.name}: x1_dense_shape and x2_dense_shape must be equal, got {first.shape} "
                f"and {second.shape}."
            )
        numbers = [flat(m.at, m.shape) for m in (first, second)]
        there, number = np.unique(np.concatenate(numbers), return_inverse=True)
        values = summed(both(x[4] * x[10], x[9] * x[11]), number, len(there))
        at = unflat(there, first.shape)
        return *Rows(first.shape, at, first.dtype).pointers(), values


class SparseMatrixNNZ(_Matrix):
    """How many values each matrix of a batch has.

    >>> shape, batches, begins, columns = (Tensor(n) for n in ([2, 3], [0, 2], [0, 1, 2], [1, 0]))
    >>> print(SparseMatrixNNZ()(shape, batches, begins, columns, Tensor([1.0, 2.0])))
    [2]
    """

    def __call__(
        self,
        x_dense_shape: Tensor,
        x_batch_pointers: Tensor,
        x_row_pointers: Tensor,
        x_col_indices: Tensor,
        x_values: Tensor,
    ) -> Tensor:
        self.rows((x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices), x_values)
        return made(np.diff(x_batch_pointers.asnumpy()), INT32)


class SparseMatrixSoftmax(_Matrix):
    """softmax of each row, of the values that are there alone.

    Args:
        dtype: of the values, float32 or float64.

    >>> shape, batches, begins, columns = (Tensor(n) for n in ([1, 3], [0, 2], [0, 2], [0, 2]))
    >>> op = SparseMatrixSoftmax(mstype.float32)
    >>> print(op(shape, batches, begins, columns, Tensor([1.0, 1.0]))[4])
    [0.5 0.5]
    """

    dtype: Any

    def check(self) -> None:
        checks.one_of(self.name, "dtype", self.dtype, (mstype.float32, mstype.float64))

    def __call__(
        self,
        x_dense_shape: Tensor,
        x_batch_pointers: Tensor,
        x_row_pointers: Tensor,
        x_col_indices: Tensor,
        x_values: Tensor,
    ) -> Any:
        parts = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices)
        one = getattr(x_batch_pointers, "ndim", 1) == 0  # matrix: they may be a scalar
        batches = x_batch_pointers.reshape(1) if one else x_batch_pointers
        found = self.rows((x_dense_shape, batches, *parts[2:]), x_values)
        return *parts, softmax_of_rows(x_values, flat(found.at[:, :-1], found.shape[:-1]))


class SparseMatrixTranspose(_Matrix):
    """Each matrix turned, and conjugated if ``conjugate``.

    >>> shape, batches, begins, columns = (Tensor(n) for n in ([2, 3], [0, 2], [0, 1, 2], [1, 0]))
    >>> print(*SparseMatrixTranspose()(shape, batches, begins, columns, Tensor([1.0, 2.0])))
    [3 2] [0 2] [0 1 2 2] [1 0] [2. 1.]
    """

    conjugate: bool = False

    def check(self) -> None:
        checks.boolean(self.name, "conjugate", self.conjugate)

    def __call__(
        self,
        x_dense_shape: Tensor,
        x_batch_pointers: Tensor,
        x_row_pointers: Tensor,
        x_col_indices: Tensor,
        x_values: Tensor,
    ) -> Any:
        parts = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices)
        turned, order = self.rows(parts, x_values).transposed()
        values = taken(x_values, order)
        return *turned.pointers(), Conj()(values) if self.conjugate else values


def _either(op: str, **flags: bool) -> None:
    """Raise a ValueError if a matrix is to be turned in two ways."""
    for name, value in flags.items():
        checks.boolean(op, name, value)
    (first, a), (second, b) = flags.items()
    if a and b:
        raise ValueError(f"{op}: {first} and {second} must not both be True.")


def _turned(x: Tensor, transpose: bool, adjoint: bool) -> Tensor:
    if not (transpose or adjoint):
        return x
    x = Transpose()(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))
    return Conj()(x) if adjoint and x.dtype.kind == "c" else x


class SparseMatrixMatMul(_Matrix):
    """The product of a CSR matrix and a dense one, each transposed, or conjugated, too, if asked.

    Args:
        transpose_x1, transpose_x2: turn the matrix first.
        adjoint_x1, adjoint_x2: turn and conjugate it.
        transpose_output, conjugate_output: what becomes of the product.

    >>> parts = [Tensor(n) for n in ([1, 2], [0, 1], [0, 1], [1])]
    >>> print(SparseMatrixMatMul()(*parts, Tensor([2.0]), Tensor([[3.0], [4.0]])))
    [[8.]]
    """

    transpose_x1: bool = False
    transpose_x2: bool = False
    adjoint_x1: bool = False
    adjoint_x2: bool = False
    transpose_output: bool = False
    conjugate_output: bool = False

    def check(self) -> None:
        _either(self.name, transpose_x1=self.transpose_x1, adjoint_x1=self.adjoint_x1)
        _either(self.name, transpose_x2=self.transpose_x2, adjoint_x2=self.adjoint_x2)

    def __call__(
        self,
        x1_dense_shape: Tensor,
        x1_batch_pointers: Tensor,
        x1_row_pointers: Tensor,
        x1_col_indices: Tensor,
        x1_values: Tensor,
        x2_dense: Tensor,
    ) -> Tensor:
        parts = (x1_dense_shape, x1_batch_pointers, x1_row_pointers, x1_col_indices)
        a = self.dense(self.rows(parts, x1_values, "x1"), x1_values)
        a = _turned(a, self.transpose_x1, self.adjoint_x1)
        b = _turned(x2_dense, self.transpose_x2, self.adjoint_x2)
        if a.ndim != b.ndim or a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]:
            rule = f"have a shape that {a.shape} can be multiplied with"
            raise ValueError(checks.format_error(self.name, "x2_dense", rule, f"{b.shape}"))
        product = _turned(BatchMatMul()(a, b), self.transpose_output, False)
        conjugated = self.conjugate_output and product.dtype.kind == "c"
        return Conj()(product) if conjugated else product


class SparseMatrixSparseMatMul(_Matrix):
    """The product of two CSR matrices, each transposed, or conjugated, too, if asked.

    >>> a = [Tensor(n) for n in ([1, 2], [0, 1], [0, 1], [1])]
    >>> b = [Tensor(n) for n in ([2, 1], [0, 1], [0, 0, 1], [0])]
    >>> print(*SparseMatrixSparseMatMul()(*a, Tensor([2.0]), *b, Tensor([3.0])))
    [1 1] [0 1] [0 1] [0] [6.]
    """

    transpose_a: bool = False
    transpose_b: bool = False
    adjoint_a: bool = False
    adjoint_b: bool = False

    def check(self) -> None:
        _either(self.name, transpose_a=self.transpose_a, adjoint_a=self.adjoint_a)
        _either(self.name, transpose_b=self.transpose_b, adjoint_b=self.adjoint_b)

    def __call__(self, *x: Any) -> Any:
        if len(x) != 10:
            raise TypeError(f"{self.name}: takes 10 inputs, five of each matrix, got {len(x)}.")
        first, second = self.rows(x[:4], x[4], "x1"), self.rows(x[5:9], x[9], "x2")
        a = _turned(self.dense(first, x[4]), self.transpose_a, self.adjoint_a)
        b = _turned(self.dense(second, x[9]), self.transpose_b, self.adjoint_b)
        if a.ndim != b.ndim or a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]:
            rule = f"be a shape that {a.shape} can be multiplied with"
            raise ValueError(checks.format_error(self.name, "x2_dense_shape", rule, f"{b.shape}"))
        product = BatchMatMul()(a, b)
        first_at = _meet(first, self.transpose_a or self.adjoint_a)
        at = np.argwhere(first_at @ _meet(second, self.transpose_b or self.adjoint_b))
        return *Rows(product.shape, at, first.dtype).pointers(), GatherNd()(product, made(at))


def _meet(found: Rows, turned: bool) -> np.ndarray:
    """Where a matrix has values."""
    there = np.zeros(found.shape, bool)
    there[tuple(found.at.T)] = True
    return np.swapaxes(there, -1, -2) if turned else there


__all__ = [
    "CSRSparseMatrixToDense",
    "CSRSparseMatrixToSparseTensor",
    "DenseToCSRSparseMatrix",
    "SparseMatrixAdd",
    "SparseMatrixMatMul",
    "SparseMatrixNNZ",
    "SparseMatrixSoftmax",
    "SparseMatrixSparseMatMul",
    "SparseMatrixTranspose",
    "SparseTensorToCSRSparseMatrix",
]
