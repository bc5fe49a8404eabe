"""Single or batched CSR matrices: a shape, batch and row pointers, column indices, values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.complex_numbers import Conj
from minispore.ops.index.gather import GatherNd, ScatterNd
from minispore.ops.linalg.products import BatchMatMul
from minispore.ops.shape.cast_fill import Identity
from minispore.ops.shape.views import Transpose
from minispore.ops.sparse.parts import (
    INT32,
    _SparseOp,
    check_coordinates,
    concat_pair,
    gather_rows,
    ravel_coordinates,
    read_coordinates,
    read_integers,
    read_shape,
    sum_groups,
    to_int_tensor,
    unravel_coordinates,
)
from minispore.ops.sparse.sums import compute_row_softmax
from minispore.ops.support.arguments import check_tensors


@dataclass(frozen=True)
class CSRStructure:
    """The coordinates of the values of a CSR matrix in order: (n, 2), or (n, 3) with a batch
    index.

    Attributes:
        shape: the shape of the matrix, or of the batch.
        indices: the coordinates, in row-major order.
        dtype: the integer dtype of the components that ``make_components`` returns.
    """

    shape: tuple[int, ...]
    indices: np.ndarray
    dtype: np.dtype

    @property
    def batches(self) -> int:
        """The number of matrices in the batch; 1 without a batch axis."""
        return self.shape[0] if len(self.shape) == 3 else 1

    def make_components(self) -> tuple[Tensor, ...]:
        """Return the components of the matrix other than its values.

        They are the shape, the batch pointers, the row pointers and the column indices. Row
        pointers count from 0 in each batch.
        """
        row_indices = ravel_coordinates(self.indices[:, :-1], self.shape[:-1])
        row_sizes = np.bincount(row_indices, minlength=int(np.prod(self.shape[:-1])))
        row_sizes = row_sizes.reshape(self.batches, -1)
        begins = np.concatenate([np.zeros((self.batches, 1), int), row_sizes.cumsum(1)], 1)
        ends = np.concatenate([[0], row_sizes.sum(1).cumsum()])
        components = (self.shape, ends, begins.reshape(-1), self.indices[:, -1])
        return tuple([to_int_tensor(component, self.dtype) for component in components])

    def transpose(self) -> tuple[CSRStructure, np.ndarray]:
        """Return the structure with the last two axes swapped, and the previous index of each of
        its values.
        """
        points = np.concatenate([self.indices[:, :-2], self.indices[:, :-3:-1]], 1)
        shape = (*self.shape[:-2], self.shape[-1], self.shape[-2])
        order = np.argsort(ravel_coordinates(points, shape), kind="stable")
        return CSRStructure(shape, points[order], self.dtype), order


class _CSROp(_SparseOp):
    """Base of ops on CSR matrices."""

    def read_structure(
        self, components: tuple[Tensor, ...], values: Tensor, name: str = "x"
    ) -> CSRStructure:
        """Return the structure that the components of a CSR matrix describe.

        The batch pointers are not checked: the row pointers imply them.

        Raises:
            TypeError: a component is not an integer tensor, or ``values`` is not a tensor.
            ValueError: the components do not fit together.
        """
        names = ("dense_shape", "batch_pointers", "row_pointers", "col_indices")
        shape, _, begins, columns = [
            read_integers(self.name, component, f"{name}_{suffix}", 1)
            for component, suffix in zip(components, names, strict=True)
        ]
        if len(shape) not in (2, 3):
            rule = "hold 2 or 3 lengths"
            raise ValueError(
                checks.format_error(self.name, f"{name}_dense_shape", rule, f"{shape}")
            )
        check_tensors(self.name, **{f"{name}_values": values})
        lengths = tuple(shape.tolist())
        batches, row_count = (1, *lengths)[-3:-1]
        if len(begins) != batches * (row_count + 1):
            rule = f"hold {batches * (row_count + 1)} numbers, one more than rows for each batch"
            raise ValueError(
                checks.format_error(self.name, f"{name}_row_pointers", rule, f"{len(begins)}")
            )
        row_sizes = np.diff(begins.reshape(batches, -1), axis=1).reshape(-1)
        if (row_sizes < 0).any() or not row_sizes.sum() == len(columns) == values.size:
            rule = "grow, to as many as there are columns and values"
            raise ValueError(
                checks.format_error(self.name, f"{name}_row_pointers", rule, f"{begins}")
            )
        row_indices = np.repeat(np.arange(batches * row_count), row_sizes)
        points = np.stack([*np.divmod(row_indices, row_count), columns], 1)[:, 3 - len(lengths) :]
        check_coordinates(self.name, f"{name}_col_indices", points, lengths)
        return CSRStructure(lengths, points, shape.dtype)

    def make_dense(self, structure: CSRStructure, values: Tensor) -> Tensor:
        """Return the dense matrix of the structure and its values, with 0 elsewhere; values of
        equal coordinates are added.
        """
        return ScatterNd()(to_int_tensor(structure.indices), values, structure.shape)


class CSRSparseMatrixToDense(_CSROp):
    """A CSR matrix as a dense matrix.

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
        """Return the dense matrix; raise TypeError or ValueError if the components do not fit
        together.
        """
        components = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices)
        return self.make_dense(self.read_structure(components, x_values), x_values)


class CSRSparseMatrixToSparseTensor(_CSROp):
    """A CSR matrix as a coordinate tensor: its indices, values and shape.

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
        """Return the coordinates, the values and the shape.

        Raises a TypeError or ValueError if the components do not fit together.
        """
        components = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices)
        structure = self.read_structure(components, x_values)
        return (
            to_int_tensor(structure.indices, structure.dtype),
            Identity()(x_values),
            x_dense_shape,
        )


class DenseToCSRSparseMatrix(_CSROp):
    """The elements at ``indices`` of a matrix, or of a batch of matrices, as a CSR matrix.

    >>> parts = DenseToCSRSparseMatrix()(Tensor([[0.0, 1.0], [2.0, 0.0]]), Tensor([[0, 1], [1, 0]]))
    >>> print(*parts)
    [2 2] [0 2] [0 1 2] [1 0] [1. 2.]
    """

    def __call__(self, dense_input: Tensor, indices: Tensor) -> Any:
        """Return the five components of the CSR matrix of the elements at ``indices``.

        Raises:
            TypeError: ``indices`` is not an integer tensor.
            ValueError: the input does not have 2 or 3 axes, or an index is outside of it.
        """
        if dense_input.ndim not in (2, 3):
            rule = "have 2 or 3 axes"
            raise ValueError(
                checks.format_error(self.name, "dense_input", rule, f"{dense_input.shape}")
            )
        points = read_integers(self.name, indices, "indices", 2)
        check_coordinates(self.name, "indices", points, dense_input.shape)
        values = GatherNd()(dense_input, indices)
        return _make_csr_components(CSRStructure(dense_input.shape, points, points.dtype), values)


def _make_csr_components(structure: CSRStructure, values: Tensor) -> Any:
    """Return the five components of a CSR matrix, with its values sorted in row-major order.

    They are the shape, batch pointers, row pointers, column indices and values.
    """
    order = np.argsort(ravel_coordinates(structure.indices, structure.shape), kind="stable")
    ordered = CSRStructure(structure.shape, structure.indices[order], structure.dtype)
    return *ordered.make_components(), gather_rows(values, order)


class SparseTensorToCSRSparseMatrix(_CSROp):
    """A coordinate tensor of two or three axes as a CSR matrix.

    >>> at, shape = Tensor([[0, 1], [1, 0]]), Tensor([2, 2])
    >>> print(*SparseTensorToCSRSparseMatrix()(at, Tensor([1.0, 2.0]), shape))
    [2 2] [0 2] [0 1 2] [1 0] [1. 2.]
    """

    def __call__(self, x_indices: Tensor, x_values: Tensor, x_dense_shape: Tensor) -> Any:
        """Return the five components of the CSR matrix, with values in row-major order; raise
        ValueError unless the shape has 2 or 3 axes and holds all coordinates.
        """
        shape = read_shape(self.name, x_dense_shape, "x_dense_shape")
        if len(shape) not in (2, 3):
            rule = "hold 2 or 3 lengths"
            raise ValueError(checks.format_error(self.name, "x_dense_shape", rule, f"{shape}"))
        names = ("x_indices", "x_values")
        points = read_coordinates(self.name, names, x_indices, x_values, shape)
        return _make_csr_components(CSRStructure(shape, points, points.dtype), x_values)


class SparseMatrixAdd(_CSROp):
    """alpha * x1 + beta * x2 for two CSR matrices of equal shape.

    >>> parts = [Tensor(n) for n in ([1, 2], [0, 1], [0, 1], [1])]
    >>> one, op = Tensor([1.0]), SparseMatrixAdd()
    >>> print(op(*parts, one, *parts, one, Tensor(2.0), Tensor(3.0))[4])
    [5.]
    """

    def __call__(self, *x: Any) -> Any:
        """Return the five components of the sum; the inputs are the components of x1 and x2, alpha
        and beta.

        Raises:
            TypeError: there are not 12 inputs, or one has the wrong type.
            ValueError: the shapes differ.
        """
        if len(x) != 12:
            raise TypeError(
                f"{self.name}: takes 12 inputs, five of each matrix and 2 factors, got {len(x)}."
            )
        check_tensors(self.name, alpha=x[10], beta=x[11])
        x1 = self.read_structure(x[:4], x[4], "x1")
        x2 = self.read_structure(x[5:9], x[9], "x2")
        if x1.shape != x2.shape:
            raise ValueError(
                f"{self.name}: x1_dense_shape and x2_dense_shape must be equal, got {x1.shape} "
                f"and {x2.shape}."
            )
        flat_indices = [ravel_coordinates(m.indices, m.shape) for m in (x1, x2)]
        unique_indices, group = np.unique(np.concatenate(flat_indices), return_inverse=True)
        values = sum_groups(concat_pair(x[4] * x[10], x[9] * x[11]), group, len(unique_indices))
        points = unravel_coordinates(unique_indices, x1.shape)
        return *CSRStructure(x1.shape, points, x1.dtype).make_components(), values


class SparseMatrixNNZ(_CSROp):
    """The number of values of each matrix of a batch.

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
        """Return the differences of the batch pointers, int32; raise TypeError or ValueError if the
        components do not fit together.
        """
        self.read_structure(
            (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices), x_values
        )
        return to_int_tensor(np.diff(x_batch_pointers.asnumpy()), INT32)


class SparseMatrixSoftmax(_CSROp):
    """The softmax of each row over its stored values.

    Args:
        dtype: dtype of the values, float32 or float64.

    >>> shape, batches, begins, columns = (Tensor(n) for n in ([1, 3], [0, 2], [0, 2], [0, 2]))
    >>> op = SparseMatrixSoftmax(mstype.float32)
    >>> print(op(shape, batches, begins, columns, Tensor([1.0, 1.0]))[4])
    [0.5 0.5]
    """

    dtype: Any

    def check(self) -> None:
        """Raise a ValueError unless ``dtype`` is float32 or float64."""
        checks.one_of(self.name, "dtype", self.dtype, (mstype.float32, mstype.float64))

    def __call__(
        self,
        x_dense_shape: Tensor,
        x_batch_pointers: Tensor,
        x_row_pointers: Tensor,
        x_col_indices: Tensor,
        x_values: Tensor,
    ) -> Any:
        """Return the five components of the matrix, the values replaced by their softmax in each
        row.

        A 0-d ``x_batch_pointers`` is accepted. Raises a TypeError or ValueError if the components
        do not fit together.
        """
        components = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices)
        is_scalar = getattr(x_batch_pointers, "ndim", 1) == 0  # allowed for a single matrix
        batches = x_batch_pointers.reshape(1) if is_scalar else x_batch_pointers
        structure = self.read_structure((x_dense_shape, batches, *components[2:]), x_values)
        rows = ravel_coordinates(structure.indices[:, :-1], structure.shape[:-1])
        return *components, compute_row_softmax(x_values, rows)


class SparseMatrixTranspose(_CSROp):
    """The transpose of each matrix, conjugated if ``conjugate``.

    >>> shape, batches, begins, columns = (Tensor(n) for n in ([2, 3], [0, 2], [0, 1, 2], [1, 0]))
    >>> print(*SparseMatrixTranspose()(shape, batches, begins, columns, Tensor([1.0, 2.0])))
    [3 2] [0 2] [0 1 2 2] [1 0] [2. 1.]
    """

    conjugate: bool = False

    def check(self) -> None:
        """Raise a TypeError unless ``conjugate`` is a bool."""
        checks.boolean(self.name, "conjugate", self.conjugate)

    def __call__(
        self,
        x_dense_shape: Tensor,
        x_batch_pointers: Tensor,
        x_row_pointers: Tensor,
        x_col_indices: Tensor,
        x_values: Tensor,
    ) -> Any:
        """Return the five components of the transpose; raise TypeError or ValueError if those of x
        do not fit together.
        """
        components = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices)
        transposed, order = self.read_structure(components, x_values).transpose()
        values = gather_rows(x_values, order)
        return *transposed.make_components(), Conj()(values) if self.conjugate else values


def _check_exclusive_flags(api_name: str, **flags: bool) -> None:
    """Raise ValueError if all flags are True, and TypeError if one is not a bool."""
    for name, value in flags.items():
        checks.boolean(api_name, name, value)
    if all(flags.values()):
        raise ValueError(f"{api_name}: {' and '.join(flags)} must not both be True.")


def _transpose_dense(x: Tensor, transpose: bool, adjoint: bool) -> Tensor:
    """Transpose each matrix of x if ``transpose``; transpose and conjugate it if ``adjoint``; else
    return x itself.
    """
    if not (transpose or adjoint):
        return x
    x = Transpose()(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))
    return Conj()(x) if adjoint and x.dtype.kind == "c" else x


class SparseMatrixMatMul(_CSROp):
    """The product of a CSR matrix and a dense matrix, each optionally transposed or
    conjugate-transposed.

    Args:
        transpose_x1, transpose_x2: transpose the matrix first.
        adjoint_x1, adjoint_x2: conjugate-transpose the matrix first.
        transpose_output, conjugate_output: transpose or conjugate the product.

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
        """Raise a ValueError if a matrix is both transposed and conjugate-transposed."""
        _check_exclusive_flags(
            self.name, transpose_x1=self.transpose_x1, adjoint_x1=self.adjoint_x1
        )
        _check_exclusive_flags(
            self.name, transpose_x2=self.transpose_x2, adjoint_x2=self.adjoint_x2
        )

    def __call__(
        self,
        x1_dense_shape: Tensor,
        x1_batch_pointers: Tensor,
        x1_row_pointers: Tensor,
        x1_col_indices: Tensor,
        x1_values: Tensor,
        x2_dense: Tensor,
    ) -> Tensor:
        """Return the dense product, optionally transposed and conjugated; raise ValueError if the
        shapes do not fit.
        """
        components = (x1_dense_shape, x1_batch_pointers, x1_row_pointers, x1_col_indices)
        a = self.make_dense(self.read_structure(components, x1_values, "x1"), x1_values)
        a = _transpose_dense(a, self.transpose_x1, self.adjoint_x1)
        b = _transpose_dense(x2_dense, self.transpose_x2, self.adjoint_x2)
        if a.ndim != b.ndim or a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]:
            rule = f"have a shape that {a.shape} can be multiplied with"
            raise ValueError(checks.format_error(self.name, "x2_dense", rule, f"{b.shape}"))
        product = _transpose_dense(BatchMatMul()(a, b), self.transpose_output, False)
        conjugates = self.conjugate_output and product.dtype.kind == "c"
        return Conj()(product) if conjugates else product


class SparseMatrixSparseMatMul(_CSROp):
    """The product of two CSR matrices, each optionally transposed or conjugate-transposed.

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
        """Raise a ValueError if a matrix is both transposed and conjugate-transposed."""
        _check_exclusive_flags(self.name, transpose_a=self.transpose_a, adjoint_a=self.adjoint_a)
        _check_exclusive_flags(self.name, transpose_b=self.transpose_b, adjoint_b=self.adjoint_b)

    def __call__(self, *x: Any) -> Any:
        """Return the five components of the product: all elements to which a product of stored
        values contributes, even if they are 0.

        Raises:
            TypeError: there are not 10 inputs, or one has the wrong type.
            ValueError: the shapes do not fit.
        """
        if len(x) != 10:
            raise TypeError(f"{self.name}: takes 10 inputs, five of each matrix, got {len(x)}.")
        x1 = self.read_structure(x[:4], x[4], "x1")
        x2 = self.read_structure(x[5:9], x[9], "x2")
        a = _transpose_dense(self.make_dense(x1, x[4]), self.transpose_a, self.adjoint_a)
        b = _transpose_dense(self.make_dense(x2, x[9]), self.transpose_b, self.adjoint_b)
        if a.ndim != b.ndim or a.shape[:-2] != b.shape[:-2] or a.shape[-1] != b.shape[-2]:
            rule = f"be a shape that {a.shape} can be multiplied with"
            raise ValueError(checks.format_error(self.name, "x2_dense_shape", rule, f"{b.shape}"))
        product = BatchMatMul()(a, b)
        a_mask = _make_value_mask(x1, self.transpose_a or self.adjoint_a)
        b_mask = _make_value_mask(x2, self.transpose_b or self.adjoint_b)
        points = np.argwhere(a_mask @ b_mask)
        values = GatherNd()(product, to_int_tensor(points))
        return *CSRStructure(product.shape, points, x1.dtype).make_components(), values


def _make_value_mask(structure: CSRStructure, transposed: bool) -> np.ndarray:
    """Return a dense bool array that is True where the matrix, transposed if ``transposed``, has a
    stored value.
    """
    mask = np.zeros(structure.shape, bool)
    mask[tuple(structure.indices.T)] = True
    return np.swapaxes(mask, -1, -2) if transposed else mask


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
