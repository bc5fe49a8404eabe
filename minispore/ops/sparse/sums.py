"""Element-wise and matrix operations between coordinate tensors and sparse or dense tensors."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir.registry import registry
from minispore.ops.elementwise.powers import Exp
from minispore.ops.index.gather import GatherNd
from minispore.ops.index.scatter import TensorScatterAdd
from minispore.ops.index.segment import UnsortedSegmentMax
from minispore.ops.shape.cast_fill import StopGradient
from minispore.ops.shape.views import ExpandDims, Reshape, broadcast_to
from minispore.ops.sparse.parts import (
    _SparseOp,
    check_coordinates,
    concat_pair,
    gather_rows,
    ravel_coordinates,
    read_coordinates,
    read_integers,
    read_shape,
    repeat_scalar,
    sum_groups,
    to_int_tensor,
    unravel_coordinates,
)
from minispore.ops.support.arguments import check_tensors

_X1_NAMES = ("x1_indices", "x1_values")
_X2_NAMES = ("x2_indices", "x2_values")


def merge_flat_indices(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge two lists of flat indices; also return the positions of ``a`` and ``b`` in the result.

    The smaller of the two next indices comes first; equal indices become one. Sorted lists give a
    sorted result; other lists keep their order and repeats.

    All three are int64 vectors.
    """
    if (np.diff(a) > 0).all() and (np.diff(b) > 0).all():
        unique_indices, position = np.unique(np.concatenate([a, b]), return_inverse=True)
        return unique_indices, position[: len(a)], position[len(a) :]
    merged_indices: list[int] = []
    a_positions = np.empty(len(a), np.int64)
    b_positions = np.empty(len(b), np.int64)
    i = j = 0
    while i < len(a) or j < len(b):
        takes_a = i < len(a) and (j == len(b) or a[i] <= b[j])
        takes_b = j < len(b) and (i == len(a) or b[j] <= a[i])
        if takes_a:
            a_positions[i] = len(merged_indices)
        if takes_b:
            b_positions[j] = len(merged_indices)
        merged_indices.append(a[i] if takes_a else b[j])
        i += takes_a
        j += takes_b
    return np.array(merged_indices, np.int64), a_positions, b_positions


class _SparsePairOp(_SparseOp):
    """Base of ops on two coordinate tensors of equal shape."""

    def merge_indices(self, x1: Any, x2: Any) -> tuple[Any, ...]:
        """Return the merged flat indices, the positions of both tensors' indices in them, and the
        shape.

        Each tensor is passed as (indices, values, shape).

        Raises:
            TypeError, ValueError: shapes or dtypes of the two tensors differ, or coordinates are
                invalid.
        """
        shape = read_shape(self.name, x1[2], "x1_shape", "int64")
        x2_shape = read_shape(self.name, x2[2], "x2_shape", "int64")
        if shape != x2_shape:
            raise ValueError(
                f"{self.name}: x1_shape and x2_shape must be equal, got {shape} and {x2_shape}."
            )
        if x1[1].dtype != x2[1].dtype:
            raise TypeError(
                f"{self.name}: x1_values and x2_values must have one dtype, got {x1[1].dtype} "
                f"and {x2[1].dtype}. Cast one of them."
            )
        x1_points = read_coordinates(self.name, _X1_NAMES, x1[0], x1[1], shape, "int64")
        x2_points = read_coordinates(self.name, _X2_NAMES, x2[0], x2[1], shape, "int64")
        x1_flat, x2_flat = (ravel_coordinates(p, shape) for p in (x1_points, x2_points))
        return *merge_flat_indices(x1_flat, x2_flat), shape


class SparseAdd(_SparsePairOp):
    """The sum of two coordinate tensors, without values whose magnitude is below ``thresh``.

    >>> at, shape, x = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 3])), Tensor([1.0])
    >>> print(SparseAdd()(at, x, shape, at, x * 2, shape, Tensor(0.0))[1])
    [3.]
    """

    def __call__(
        self,
        x1_indices: Tensor,
        x1_values: Tensor,
        x1_shape: Tensor,
        x2_indices: Tensor,
        x2_values: Tensor,
        x2_shape: Tensor,
        thresh: Tensor,
    ) -> Any:
        """Return coordinates, values and shape of the sum, without values whose magnitude is below
        ``thresh``.
        """
        merged, a, b, shape = self.merge_indices(
            (x1_indices, x1_values, x1_shape), (x2_indices, x2_values, x2_shape)
        )
        values = sum_groups(concat_pair(x1_values, x2_values), np.concatenate([a, b]), len(merged))
        selected = np.flatnonzero(np.abs(values.asnumpy()) >= thresh.asnumpy())
        return (
            to_int_tensor(unravel_coordinates(merged[selected], shape)),
            gather_rows(values, selected),
            to_int_tensor(shape),
        )


class _SparseExtreme(_SparsePairOp):
    """Base of the element-wise extremes of two coordinate tensors; a missing value counts as 0.

    A call returns the coordinates and the values, without the shape, which is that of the inputs.
    """

    extreme: ClassVar[str]  # the name of the op for two values

    def __call__(
        self,
        x1_indices: Tensor,
        x1_values: Tensor,
        x1_shape: Tensor,
        x2_indices: Tensor,
        x2_values: Tensor,
        x2_shape: Tensor,
    ) -> Any:
        """Return coordinates and values of the extreme; raise if dtypes or shapes differ, or a
        coordinate is invalid.
        """
        merged, a, b, shape = self.merge_indices(
            (x1_indices, x1_values, x1_shape), (x2_indices, x2_values, x2_shape)
        )
        x, y = sum_groups(x1_values, a, len(merged)), sum_groups(x2_values, b, len(merged))
        return to_int_tensor(unravel_coordinates(merged, shape)), registry[self.extreme]()(x, y)


class SparseSparseMaximum(_SparseExtreme):
    """The element-wise maximum of two coordinate tensors; a missing value counts as 0.

    >>> at, shape, x = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 3])), Tensor([1.0])
    >>> print(SparseSparseMaximum()(at, x, shape, at, x * 2, shape)[1])
    [2.]
    """

    extreme = "Maximum"


class SparseSparseMinimum(_SparseExtreme):
    """The element-wise minimum of two coordinate tensors; a missing value counts as 0.

    >>> at, shape, x = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 3])), Tensor([1.0])
    >>> print(SparseSparseMinimum()(at, x, shape, at, x * 2, shape)[1])
    [1.]
    """

    extreme = "Minimum"


class _SparseDenseOp(_SparseOp):
    """Base of ops that combine sparse values with the dense elements at their coordinates.

    A call returns the new values (n,); the coordinates do not change.
    """

    combining_op: ClassVar[str]  # the name of the op for a value and an element

    def __call__(
        self, x1_indices: Tensor, x1_values: Tensor, x1_shape: Tensor, x2: Tensor
    ) -> Tensor:
        """Return only the combined values, one for each of x1; raise if a coordinate is invalid or
        x2 does not broadcast.
        """
        shape = read_shape(self.name, x1_shape, "x1_shape", "int64")
        points = read_coordinates(self.name, _X1_NAMES, x1_indices, x1_values, shape, "int64")
        dense_values = GatherNd()(broadcast_to(x2, shape), to_int_tensor(points))
        return registry[self.combining_op]()(x1_values, dense_values)


class SparseDenseCwiseAdd(_SparseDenseOp):
    """Each value plus the element at its coordinates of ``x2``, which is broadcast to the shape.

    >>> at, shape = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 2]))
    >>> print(SparseDenseCwiseAdd()(at, Tensor([1.0]), shape, Tensor([10.0, 20.0])))
    [21.]
    """

    combining_op = "Add"


class SparseDenseCwiseMul(_SparseDenseOp):
    """Each value times the element at its coordinates of ``x2``, which is broadcast to the shape.

    >>> at, shape = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 2]))
    >>> print(SparseDenseCwiseMul()(at, Tensor([3.0]), shape, Tensor([10.0, 20.0])))
    [60.]
    """

    combining_op = "Mul"


class SparseDenseCwiseDiv(_SparseDenseOp):
    """Each value divided by the element at its coordinates of ``x2``, which is broadcast to the
    shape.

    >>> at, shape = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 2]))
    >>> print(SparseDenseCwiseDiv()(at, Tensor([3.0]), shape, Tensor([1.0, 2.0])))
    [1.5]
    """

    combining_op = "Div"


class SparseTensorDenseAdd(_SparseOp):
    """The sum of a coordinate tensor and a dense tensor of the same shape.

    Args:
        x1_indices (Tensor): int32 or int64 (n, axes), the coordinates.
        x1_values (Tensor): (n,), of the dtype of ``x2``.
        x1_shape (Tensor): (axes,), or a tuple of ints.
        x2 (Tensor): dense, of the same shape.

    Returns:
        Tensor, dense.

    Raises:
        TypeError: the coordinates are not integers, or the values are not a Tensor.
        ValueError: the shapes differ, or a coordinate is out of range.

    >>> op, at = SparseTensorDenseAdd(), Tensor([[0, 1]])
    >>> print(op(at, Tensor([1.0]), (1, 2), Tensor([[10.0, 20.0]])))
    [[10. 21.]]
    """

    def __call__(self, x1_indices: Tensor, x1_values: Tensor, x1_shape: Any, x2: Tensor) -> Tensor:
        """Return the dense sum, in which equal coordinates add up; raise ValueError if the shapes
        differ.
        """
        shape = read_shape(self.name, x1_shape, "x1_shape")
        if x2.shape != shape:
            raise ValueError(
                checks.format_error(self.name, "x2", f"have the shape {shape}", f"{x2.shape}")
            )
        points = read_coordinates(self.name, _X1_NAMES, x1_indices, x1_values, shape)
        return TensorScatterAdd()(x2, to_int_tensor(points), x1_values)


class SparseAddmm(_SparseOp):
    """alpha * (a sparse matrix @ x2) + beta * x3.

    >>> at, shape, one = Tensor([[0, 0]]), Tensor([1, 1]), Tensor([1.0])
    >>> print(SparseAddmm()(at, Tensor([2.0]), shape, Tensor([[3.0]]), Tensor([[4.0]]), one, one))
    [[10.]]
    """

    def __call__(
        self,
        indices: Tensor,
        values: Tensor,
        sparse_shape: Any,
        x2_dense: Tensor,
        x3_dense: Tensor,
        alpha: Tensor,
        beta: Tensor,
    ) -> Tensor:
        """Return the dense sum of products and x3; raise ValueError if the shapes do not fit."""
        shape = read_shape(self.name, sparse_shape, "sparse_shape")
        points = read_coordinates(self.name, ("indices", "values"), indices, values, shape)
        shapes_match = len(shape) == x2_dense.ndim == 2 and x2_dense.shape[0] == shape[1]
        if not shapes_match or x3_dense.shape != (shape[0], x2_dense.shape[1]):
            raise ValueError(
                f"{self.name}: x2_dense and x3_dense must have shapes that a matrix of shape "
                f"{shape} fits to, got {x2_dense.shape} and {x3_dense.shape}."
            )
        scaled_rows = gather_rows(x2_dense, points[:, 1]) * ExpandDims()(values, 1)
        return alpha * sum_groups(scaled_rows, points[:, 0], shape[0]) + beta * x3_dense


class Sspaddmm(_SparseOp):
    """beta * x1 + alpha * (x2 @ x3) for sparse matrices x1 and x2, with the values of x1 first.

    Each column of the indices holds the coordinates of one value.

    >>> at, shape, one = Tensor([[0], [0]]), Tensor([1, 1]), Tensor([1.0])
    >>> made = Sspaddmm()(at, one, shape, at, one * 2, shape, Tensor([[3.0]]), one, one)
    >>> print(made[1])
    [1. 6.]
    """

    def __call__(
        self,
        x1_indices: Tensor,
        x1_values: Tensor,
        x1_shape: Tensor,
        x2_indices: Tensor,
        x2_values: Tensor,
        x2_shape: Tensor,
        x3_dense: Tensor,
        alpha: Tensor,
        beta: Tensor,
    ) -> Any:
        """Return indices (2, n), values and shape; each row of x2 with a value contributes a full
        row. Equal coordinates are not merged.

        Raises:
            TypeError: an input has the wrong type.
            ValueError: the shapes do not fit, or a coordinate is out of range.
        """
        shape1 = read_shape(self.name, x1_shape, "x1_shape")
        shape2 = read_shape(self.name, x2_shape, "x2_shape")
        if not (shape1[0] == shape2[0] and x3_dense.shape == (shape2[-1], shape1[-1])):
            raise ValueError(
                f"{self.name}: x3_dense must have the shape "
                f"{(shape2[-1], shape1[-1])}, and x1_shape and "
                f"x2_shape as many rows, got {x3_dense.shape}, {shape1} and {shape2}."
            )
        points1 = self._read_columns("x1", x1_indices, x1_values, shape1)
        points2 = self._read_columns("x2", x2_indices, x2_values, shape2)
        rows, group = np.unique(points2[:, 0], return_inverse=True)
        product_rows = gather_rows(x3_dense, points2[:, 1]) * ExpandDims()(x2_values, 1)
        product_rows = Reshape()(sum_groups(product_rows, group, len(rows)), (-1,))
        columns = np.arange(shape1[1])
        product_points = np.stack([np.repeat(rows, shape1[1]), np.tile(columns, len(rows))], 1)
        values = concat_pair(
            x1_values * self._to_scalar(beta), product_rows * self._to_scalar(alpha)
        )
        return (
            to_int_tensor(np.concatenate([points1, product_points]).T),
            values,
            to_int_tensor(shape1),
        )

    def _read_columns(
        self, name: str, indices: Tensor, values: Tensor, shape: tuple[int, ...]
    ) -> np.ndarray:
        """Return the coordinates (n, 2) of indices (2, n).

        Raises:
            ValueError: the indices do not fit the values or the shape.
        """
        points = read_integers(self.name, indices, f"{name}_indices", 2).T
        if points.shape != (values.size, 2):
            rule = f"have the shape {(2, values.size)}, a column for each value"
            raise ValueError(
                checks.format_error(self.name, f"{name}_indices", rule, f"shape {indices.shape}")
            )
        check_coordinates(self.name, f"the columns of {name}_indices", points, shape)
        return points.astype(np.int64)

    def _to_scalar(self, x: Tensor) -> Tensor:
        """Return ``x``, a one-element factor, as a 0-d tensor; raise TypeError unless it is a
        Tensor.
        """
        check_tensors(self.name, alpha=x)
        return Reshape()(x, ())


class SparseSoftmax(_SparseOp):
    """The softmax along the last axis over the stored values.

    >>> at, shape = Tensor(np.array([[0, 0], [0, 3], [1, 2]])), Tensor(np.array([2, 4]))
    >>> print(SparseSoftmax()(at, Tensor([1.0, 1.0, 5.0]), shape))
    [0.5 0.5 1. ]
    """

    def __call__(self, indices: Tensor, values: Tensor, shape: Tensor) -> Tensor:
        """Return the softmax of the values of each row, (n,); raise ValueError unless ``shape`` has
        at least 2 axes.
        """
        lengths = read_shape(self.name, shape, "shape", "int64")
        if len(lengths) < 2:
            rule = "hold 2 lengths or more"
            raise ValueError(checks.format_error(self.name, "shape", rule, f"{lengths}"))
        points = read_coordinates(
            self.name, ("indices", "values"), indices, values, lengths, "int64"
        )
        return compute_row_softmax(values, ravel_coordinates(points[:, :-1], lengths[:-1]))


def compute_row_softmax(values: Tensor, rows: np.ndarray) -> Tensor:
    """Return exp(values) divided by its sum over the values with the same row index in ``rows``."""
    if not len(rows):
        return values
    _, group = np.unique(rows, return_inverse=True)
    count = int(group.max()) + 1
    maxima = StopGradient()(UnsortedSegmentMax()(values, to_int_tensor(group), count))
    powers = Exp()(values - gather_rows(maxima, group))
    return powers / gather_rows(sum_groups(powers, group, count), group)


class SparseCountSparseOutput(_SparseOp):
    """The number of occurrences of each number in each row, or the sum of its weights.

    Numbers >= ``maxlength`` are ignored; negative ones raise a ValueError.

    Args:
        binary_output: output 1 for each number that occurs, instead of its count.
        minlength: the minimum length of the rows of counts.
        maxlength: the length of the rows of counts, if positive.

    >>> at, shape = Tensor(np.array([[0, 0], [0, 1]])), Tensor(np.array([1, 2]))
    >>> numbers, weights = Tensor(np.array([3, 3])), Tensor([1.0, 2.0])
    >>> made = SparseCountSparseOutput()(at, numbers, shape, weights)
    >>> print(made[0].asnumpy().tolist(), made[1], made[2])
    [[0, 3]] [3.] [1 4]
    """

    binary_output: bool = False
    minlength: int = -1
    maxlength: int = -1

    def check(self) -> None:
        """Raise a TypeError unless ``binary_output`` is a bool and the lengths are ints, ValueError
        for a length below -1.
        """
        checks.boolean(self.name, "binary_output", self.binary_output)
        checks.integer(self.name, "minlength", self.minlength, -1)
        checks.integer(self.name, "maxlength", self.maxlength, -1)

    def __call__(
        self, indices: Tensor, values: Tensor, dense_shape: Tensor, weights: Tensor
    ) -> Any:
        """Return coordinates (row, number), counts and shape; with ``binary_output`` the counts are
        1.

        Raises a TypeError or ValueError if values are not non-negative ints, or the inputs do not
        fit.
        """
        shape = read_shape(self.name, dense_shape, "dense_shape", "int64")
        points = read_coordinates(self.name, ("indices", "values"), indices, values, shape, "int64")
        numbers = read_integers(self.name, values, "values", 1).astype(np.int64)
        if weights.shape != values.shape:
            rule = f"have the shape {values.shape} of values"
            raise ValueError(
                checks.format_error(self.name, "weights", rule, f"shape {weights.shape}")
            )
        if len(numbers) and numbers.min() < 0:
            rule = "hold no negative numbers"
            raise ValueError(checks.format_error(self.name, "values", rule, f"{numbers.min()}"))
        selected = np.flatnonzero(numbers < self.maxlength if self.maxlength > 0 else numbers >= 0)
        width = max(int(numbers.max(initial=-1)) + 1, self.minlength, 0)
        width = self.maxlength if self.maxlength > 0 else width
        rows_and_numbers = np.stack([points[selected, 0], numbers[selected]], 1)
        unique_pairs, group = np.unique(rows_and_numbers, axis=0, return_inverse=True)
        counts = sum_groups(gather_rows(weights, selected), group.reshape(-1), len(unique_pairs))
        if self.binary_output:
            counts = repeat_scalar(Tensor(1, weights.dtype), len(unique_pairs))
        output_points = unique_pairs if len(shape) > 1 else unique_pairs[:, 1:]
        return (
            to_int_tensor(output_points),
            counts,
            to_int_tensor((shape[0], width) if len(shape) > 1 else (width,)),
        )


__all__ = [
    "SparseAdd",
    "SparseAddmm",
    "SparseCountSparseOutput",
    "SparseDenseCwiseAdd",
    "SparseDenseCwiseDiv",
    "SparseDenseCwiseMul",
    "SparseSoftmax",
    "SparseSparseMaximum",
    "SparseSparseMinimum",
    "SparseTensorDenseAdd",
    "Sspaddmm",
]

attach_docstrings("minispore.ops", __name__)
