"""Elementwise and matrix operations of coordinate tensors with sparse and dense tensors."""

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

_FIRST, _SECOND = ("x1_indices", "x1_values"), ("x2_indices", "x2_values")


def merge_flat_indices(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge two lists of flat indices; also return the positions of ``a`` and ``b`` in the
    result.

    The lists are read side by side, the lesser index first, and an index at the head of
    both is merged. Sorted lists give a sorted result; other lists keep their order and
    repeats.
    """
    if (np.diff(a) > 0).all() and (np.diff(b) > 0).all():
        unique_indices, position = np.unique(np.concatenate([a, b]), return_inverse=True)
        return unique_indices, position[: len(a)], position[len(a) :]
    merged_indices: list[int] = []
    positions, i, j = (np.empty(len(a), np.int64), np.empty(len(b), np.int64)), 0, 0
    while i < len(a) or j < len(b):
        takes_a = i < len(a) and (j == len(b) or a[i] <= b[j])
        takes_b = j < len(b) and (i == len(a) or b[j] <= a[i])
        if takes_a:
            positions[0][i] = len(merged_indices)
        if takes_b:
            positions[1][j] = len(merged_indices)
        merged_indices.append(a[i] if takes_a else b[j])
        i, j = i + takes_a, j + takes_b
    return np.array(merged_indices, np.int64), *positions


class _SparsePairOp(_SparseOp):
    """Base of ops on two coordinate tensors of one shape."""

    def merge_indices(self, first: Any, second: Any) -> tuple[Any, ...]:
        """Return the merged flat indices, the positions of both tensors in them, and the shape.

        Raises:
            TypeError, ValueError: Shapes or dtypes of the two tensors differ.
        """
        shape = read_shape(self.name, first[2], "x1_shape", "int64")
        other = read_shape(self.name, second[2], "x2_shape", "int64")
        if shape != other:
            raise ValueError(
                f"{self.name}: x1_shape and x2_shape must be equal, got {shape} and {other}."
            )
        if first[1].dtype != second[1].dtype:
            raise TypeError(
                f"{self.name}: x1_values and x2_values must have one dtype, got {first[1].dtype} "
                f"and {second[1].dtype}. Cast one of them."
            )
        a = ravel_coordinates(
            read_coordinates(self.name, _FIRST, first[0], first[1], shape, "int64"), shape
        )
        b = ravel_coordinates(
            read_coordinates(self.name, _SECOND, second[0], second[1], shape, "int64"), shape
        )
        return *merge_flat_indices(a, b), shape


class SparseAdd(_SparsePairOp):
    """The sum of two coordinate tensors, without the values that are less than ``thresh`` in size.

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
        first, second = (x1_indices, x1_values, x1_shape), (x2_indices, x2_values, x2_shape)
        merged, a, b, shape = self.merge_indices(first, second)
        values = sum_groups(concat_pair(x1_values, x2_values), np.concatenate([a, b]), len(merged))
        selected = np.flatnonzero(np.abs(values.asnumpy()) >= thresh.asnumpy())
        return (
            to_int_tensor(unravel_coordinates(merged[selected], shape)),
            gather_rows(values, selected),
            to_int_tensor(shape),
        )


class _SparseExtreme(_SparsePairOp):
    """Base of the elementwise maximum and minimum of two coordinate tensors; a missing value
    counts as 0.
    """

    extreme: ClassVar[str]

    def __call__(
        self,
        x1_indices: Tensor,
        x1_values: Tensor,
        x1_shape: Tensor,
        x2_indices: Tensor,
        x2_values: Tensor,
        x2_shape: Tensor,
    ) -> Any:
        first, second = (x1_indices, x1_values, x1_shape), (x2_indices, x2_values, x2_shape)
        merged, a, b, shape = self.merge_indices(first, second)
        x, y = sum_groups(x1_values, a, len(merged)), sum_groups(x2_values, b, len(merged))
        return to_int_tensor(unravel_coordinates(merged, shape)), registry[self.extreme]()(x, y)


class SparseSparseMaximum(_SparseExtreme):
    """The larger of both at each place where one has a value; where one has none, it is 0.

    >>> at, shape, x = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 3])), Tensor([1.0])
    >>> print(SparseSparseMaximum()(at, x, shape, at, x * 2, shape)[1])
    [2.]
    """

    extreme = "Maximum"


class SparseSparseMinimum(_SparseExtreme):
    """The smaller of both at each place where one has a value; where one has none, it is 0.

    >>> at, shape, x = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 3])), Tensor([1.0])
    >>> print(SparseSparseMinimum()(at, x, shape, at, x * 2, shape)[1])
    [1.]
    """

    extreme = "Minimum"


class _SparseDenseOp(_SparseOp):
    """Base of ops that combine sparse values with the elements of a dense tensor at their
    coordinates.
    """

    combining_op: ClassVar[str]

    def __call__(
        self, x1_indices: Tensor, x1_values: Tensor, x1_shape: Tensor, x2: Tensor
    ) -> Tensor:
        shape = read_shape(self.name, x1_shape, "x1_shape", "int64")
        points = read_coordinates(self.name, _FIRST, x1_indices, x1_values, shape, "int64")
        return registry[self.combining_op]()(
            x1_values, GatherNd()(broadcast_to(x2, shape), to_int_tensor(points))
        )


class SparseDenseCwiseAdd(_SparseDenseOp):
    """Each value plus the element of ``x2``, broadcast to the shape, that stands at its place.

    >>> at, shape = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 2]))
    >>> print(SparseDenseCwiseAdd()(at, Tensor([1.0]), shape, Tensor([10.0, 20.0])))
    [21.]
    """

    combining_op = "Add"


class SparseDenseCwiseMul(_SparseDenseOp):
    """Each value times the element of ``x2``, broadcast to the shape, that stands at its place.

    >>> at, shape = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 2]))
    >>> print(SparseDenseCwiseMul()(at, Tensor([3.0]), shape, Tensor([10.0, 20.0])))
    [60.]
    """

    combining_op = "Mul"


class SparseDenseCwiseDiv(_SparseDenseOp):
    """Each value over the element of ``x2``, broadcast to the shape, that stands at its place.

    >>> at, shape = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 2]))
    >>> print(SparseDenseCwiseDiv()(at, Tensor([3.0]), shape, Tensor([1.0, 2.0])))
    [1.5]
    """

    combining_op = "Div"


class SparseTensorDenseAdd(_SparseOp):
    """A coordinate tensor plus a dense one of its shape.

    Args:
        x1_indices (Tensor): int32 or int64 (n, axes), the places.
        x1_values (Tensor): (n,), of the dtype of ``x2``.
        x1_shape (Tensor): (axes,), or a tuple of ints.
        x2 (Tensor): of that shape.

    Returns:
        Tensor, dense.

    >>> op, at = SparseTensorDenseAdd(), Tensor([[0, 1]])
    >>> print(op(at, Tensor([1.0]), (1, 2), Tensor([[10.0, 20.0]])))
    [[10. 21.]]
    """

    def __call__(self, x1_indices: Tensor, x1_values: Tensor, x1_shape: Any, x2: Tensor) -> Tensor:
        shape = read_shape(self.name, x1_shape, "x1_shape")
        if x2.shape != shape:
            raise ValueError(
                checks.format_error(self.name, "x2", f"have the shape {shape}", f"{x2.shape}")
            )
        points = read_coordinates(self.name, _FIRST, x1_indices, x1_values, shape)
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
    """beta * x1 + alpha * (x2 @ x3) of two sparse matrices, the values of x1 first.

    Here a column of the indices is a place.

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
        first_shape = read_shape(self.name, x1_shape, "x1_shape")
        second_shape = read_shape(self.name, x2_shape, "x2_shape")
        if not (
            first_shape[0] == second_shape[0]
            and x3_dense.shape == (second_shape[-1], first_shape[-1])
        ):
            raise ValueError(
                f"{self.name}: x3_dense must have the shape "
                f"{(second_shape[-1], first_shape[-1])}, and x1_shape and "
                f"x2_shape as many rows, got {x3_dense.shape}, {first_shape} and {second_shape}."
            )
        first = self._read_columns("x1", x1_indices, x1_values, first_shape)
        second = self._read_columns("x2", x2_indices, x2_values, second_shape)
        rows, group = np.unique(second[:, 0], return_inverse=True)
        product_rows = gather_rows(x3_dense, second[:, 1]) * ExpandDims()(x2_values, 1)
        product_rows = Reshape()(sum_groups(product_rows, group, len(rows)), (-1,))
        columns = np.arange(first_shape[1])
        product_points = np.stack([np.repeat(rows, first_shape[1]), np.tile(columns, len(rows))], 1)
        values = concat_pair(
            x1_values * self._to_scalar(beta), product_rows * self._to_scalar(alpha)
        )
        return (
            to_int_tensor(np.concatenate([first, product_points]).T),
            values,
            to_int_tensor(first_shape),
        )

    def _read_columns(
        self, name: str, indices: Tensor, values: Tensor, shape: tuple[int, ...]
    ) -> np.ndarray:
        """Return the coordinates (n, 2) from indices (2, n); raise ValueError unless they fit
        values and shape.
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
        check_tensors(self.name, alpha=x)
        return Reshape()(x, ())


class SparseSoftmax(_SparseOp):
    """softmax along the last axis, of the values that are there alone.

    >>> at, shape = Tensor(np.array([[0, 0], [0, 3], [1, 2]])), Tensor(np.array([2, 4]))
    >>> print(SparseSoftmax()(at, Tensor([1.0, 1.0, 5.0]), shape))
    [0.5 0.5 1. ]
    """

    def __call__(self, indices: Tensor, values: Tensor, shape: Tensor) -> Tensor:
        lengths = read_shape(self.name, shape, "shape", "int64")
        if len(lengths) < 2:
            rule = "hold 2 lengths or more"
            raise ValueError(checks.format_error(self.name, "shape", rule, f"{lengths}"))
        points = read_coordinates(
            self.name, ("indices", "values"), indices, values, lengths, "int64"
        )
        return compute_row_softmax(values, ravel_coordinates(points[:, :-1], lengths[:-1]))


def compute_row_softmax(values: Tensor, rows: np.ndarray) -> Tensor:
    """Return exp(values) divided by its sum over the values of the same row."""
    if not len(rows):
        return values
    _, group = np.unique(rows, return_inverse=True)
    count = int(group.max()) + 1
    maxima = StopGradient()(UnsortedSegmentMax()(values, to_int_tensor(group), count))
    powers = Exp()(values - gather_rows(maxima, group))
    return powers / gather_rows(sum_groups(powers, group, count), group)


class SparseCountSparseOutput(_SparseOp):
    """Count each number in each row, or sum its weights; numbers of ``maxlength``
    and more are left out.

    Args:
        binary_output: 1 for what occurs, in place of how often.
        minlength: the least length of the rows of counts.
        maxlength: their length, if it is above 0.

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
        checks.boolean(self.name, "binary_output", self.binary_output)
        checks.integer(self.name, "minlength", self.minlength, -1)
        checks.integer(self.name, "maxlength", self.maxlength, -1)

    def __call__(
        self, indices: Tensor, values: Tensor, dense_shape: Tensor, weights: Tensor
    ) -> Any:
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
        pairs = np.stack([points[selected, 0], numbers[selected]], 1)
        unique_pairs, group = np.unique(pairs, axis=0, return_inverse=True)
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
