"""Coordinate tensors added to, multiplied with and compared to others, sparse and dense."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core.registry import registry
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.elementwise.powers import Exp
from minispore.ops.index.gather import GatherNd
from minispore.ops.index.scatter import TensorScatterAdd
from minispore.ops.index.segment import UnsortedSegmentMax
from minispore.ops.shape.views import ExpandDims, Reshape, broadcast_to
from minispore.ops.shape.whole import StopGradient
from minispore.ops.sparse.parts import (
    _Sparse,
    both,
    coordinates,
    flat,
    inside,
    made,
    repeated,
    sizes,
    summed,
    taken,
    unflat,
    whole_numbers,
)
from minispore.ops.support.arguments import check_tensors

_FIRST, _SECOND = ("x1_indices", "x1_values"), ("x2_indices", "x2_values")


def merged(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The places of two tensors as one list, and where in it those of either stand.

    Both are read side by side, the lesser place first, and a place that comes in both at once is
    one. So what is in order comes in order; what is not, or comes twice, stays so.
    """
    if (np.diff(a) > 0).all() and (np.diff(b) > 0).all():
        there, number = np.unique(np.concatenate([a, b]), return_inverse=True)
        return there, number[: len(a)], number[len(a) :]
    found: list[int] = []
    at, i, j = (np.empty(len(a), np.int64), np.empty(len(b), np.int64)), 0, 0
    while i < len(a) or j < len(b):
        first = i < len(a) and (j == len(b) or a[i] <= b[j])
        second = j < len(b) and (i == len(a) or b[j] <= a[i])
        if first:
            at[0][i] = len(found)
        if second:
            at[1][j] = len(found)
        found.append(a[i] if first else b[j])
        i, j = i + first, j + second
    return np.array(found, np.int64), *at


class _Pair(_Sparse):
    """Two coordinate tensors of one shape."""

    def together(self, first: Any, second: Any) -> tuple[Any, ...]:
        """Where either has a value, the places of both among these, and the shape."""
        shape = sizes(self.name, first[2], "x1_shape", "int64")
        other = sizes(self.name, second[2], "x2_shape", "int64")
        if shape != other:
            raise ValueError(
                f"{self.name}: x1_shape and x2_shape must be equal, got {shape} and {other}."
            )
        if first[1].dtype != second[1].dtype:
            raise TypeError(
                f"{self.name}: x1_values and x2_values must have one dtype, got {first[1].dtype} "
                f"and {second[1].dtype}. Cast one of them."
            )
        a = flat(coordinates(self.name, _FIRST, first[0], first[1], shape, "int64"), shape)
        b = flat(coordinates(self.name, _SECOND, second[0], second[1], shape, "int64"), shape)
        return *merged(a, b), shape


class SparseAdd(_Pair):
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
        there, a, b, shape = self.together(first, second)
        values = summed(both(x1_values, x2_values), np.concatenate([a, b]), len(there))
        kept = np.flatnonzero(np.abs(values.asnumpy()) >= thresh.asnumpy())
        return made(unflat(there[kept], shape)), taken(values, kept), made(shape)


class _Extreme(_Pair):
    """The extreme of both at each place where one has a value; where one has none, it is 0."""

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
        there, a, b, shape = self.together(first, second)
        x, y = summed(x1_values, a, len(there)), summed(x2_values, b, len(there))
        return made(unflat(there, shape)), registry[self.extreme]()(x, y)


class SparseSparseMaximum(_Extreme):
    """The larger of both at each place where one has a value; where one has none, it is 0.

    >>> at, shape, x = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 3])), Tensor([1.0])
    >>> print(SparseSparseMaximum()(at, x, shape, at, x * 2, shape)[1])
    [2.]
    """

    extreme = "Maximum"


class SparseSparseMinimum(_Extreme):
    """The smaller of both at each place where one has a value; where one has none, it is 0.

    >>> at, shape, x = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 3])), Tensor([1.0])
    >>> print(SparseSparseMinimum()(at, x, shape, at, x * 2, shape)[1])
    [1.]
    """

    extreme = "Minimum"


class _Beside(_Sparse):
    """Values combined with the elements of a dense tensor that stand at their places."""

    combined: ClassVar[str]

    def __call__(
        self, x1_indices: Tensor, x1_values: Tensor, x1_shape: Tensor, x2: Tensor
    ) -> Tensor:
        shape = sizes(self.name, x1_shape, "x1_shape", "int64")
        at = coordinates(self.name, _FIRST, x1_indices, x1_values, shape, "int64")
        return registry[self.combined]()(x1_values, GatherNd()(broadcast_to(x2, shape), made(at)))


class SparseDenseCwiseAdd(_Beside):
    """Each value plus the element of ``x2``, broadcast to the shape, that stands at its place.

    >>> at, shape = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 2]))
    >>> print(SparseDenseCwiseAdd()(at, Tensor([1.0]), shape, Tensor([10.0, 20.0])))
    [21.]
    """

    combined = "Add"


class SparseDenseCwiseMul(_Beside):
    """Each value times the element of ``x2``, broadcast to the shape, that stands at its place.

    >>> at, shape = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 2]))
    >>> print(SparseDenseCwiseMul()(at, Tensor([3.0]), shape, Tensor([10.0, 20.0])))
    [60.]
    """

    combined = "Mul"


class SparseDenseCwiseDiv(_Beside):
    """Each value over the element of ``x2``, broadcast to the shape, that stands at its place.

    >>> at, shape = Tensor(np.array([[0, 1]])), Tensor(np.array([2, 2]))
    >>> print(SparseDenseCwiseDiv()(at, Tensor([3.0]), shape, Tensor([1.0, 2.0])))
    [1.5]
    """

    combined = "Div"


class SparseTensorDenseAdd(_Sparse):
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
        shape = sizes(self.name, x1_shape, "x1_shape")
        if x2.shape != shape:
            raise ValueError(
                checks.format_error(self.name, "x2", f"have the shape {shape}", f"{x2.shape}")
            )
        at = coordinates(self.name, _FIRST, x1_indices, x1_values, shape)
        return TensorScatterAdd()(x2, made(at), x1_values)


class SparseAddmm(_Sparse):
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
        shape = sizes(self.name, sparse_shape, "sparse_shape")
        at = coordinates(self.name, ("indices", "values"), indices, values, shape)
        fits = len(shape) == x2_dense.ndim == 2 and x2_dense.shape[0] == shape[1]
        if not fits or x3_dense.shape != (shape[0], x2_dense.shape[1]):
            raise ValueError(
                f"{self.name}: x2_dense and x3_dense must have shapes that a matrix of shape "
                f"{shape} fits to, got {x2_dense.shape} and {x3_dense.shape}."
            )
        lines = taken(x2_dense, at[:, 1]) * ExpandDims()(values, 1)
        return alpha * summed(lines, at[:, 0], shape[0]) + beta * x3_dense


class Sspaddmm(_Sparse):
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
        one = sizes(self.name, x1_shape, "x1_shape")
        two = sizes(self.name, x2_shape, "x2_shape")
        if not (one[0] == two[0] and x3_dense.shape == (two[-1], one[-1])):
            raise ValueError(
                f"{self.name}: x3_dense must have the shape {(two[-1], one[-1])}, and x1_shape and "
                f"x2_shape as many rows, got {x3_dense.shape}, {one} and {two}."
            )
        first = self._columns("x1", x1_indices, x1_values, one)
        second = self._columns("x2", x2_indices, x2_values, two)
        rows, number = np.unique(second[:, 0], return_inverse=True)
        lines = taken(x3_dense, second[:, 1]) * ExpandDims()(x2_values, 1)
        lines = Reshape()(summed(lines, number, len(rows)), (-1,))
        columns = np.arange(one[1])
        more = np.stack([np.repeat(rows, one[1]), np.tile(columns, len(rows))], 1)
        values = both(x1_values * self._number(beta), lines * self._number(alpha))
        return made(np.concatenate([first, more]).T), values, made(one)

    def _columns(
        self, name: str, indices: Tensor, values: Tensor, shape: tuple[int, ...]
    ) -> np.ndarray:
        at = whole_numbers(self.name, indices, f"{name}_indices", 2).T
        if at.shape != (values.size, 2):
            rule = f"have the shape {(2, values.size)}, a column for each value"
            raise ValueError(
                checks.format_error(self.name, f"{name}_indices", rule, f"shape {indices.shape}")
            )
        inside(self.name, f"the columns of {name}_indices", at, shape)
        return at.astype(np.int64)

    def _number(self, x: Tensor) -> Tensor:
        check_tensors(self.name, alpha=x)
        return Reshape()(x, ())


class SparseSoftmax(_Sparse):
    """softmax along the last axis, of the values that are there alone.

    >>> at, shape = Tensor(np.array([[0, 0], [0, 3], [1, 2]])), Tensor(np.array([2, 4]))
    >>> print(SparseSoftmax()(at, Tensor([1.0, 1.0, 5.0]), shape))
    [0.5 0.5 1. ]
    """

    def __call__(self, indices: Tensor, values: Tensor, shape: Tensor) -> Tensor:
        lengths = sizes(self.name, shape, "shape", "int64")
        if len(lengths) < 2:
            rule = "hold 2 lengths or more"
            raise ValueError(checks.format_error(self.name, "shape", rule, f"{lengths}"))
        at = coordinates(self.name, ("indices", "values"), indices, values, lengths, "int64")
        return softmax_of_rows(values, flat(at[:, :-1], lengths[:-1]))


def softmax_of_rows(values: Tensor, rows: np.ndarray) -> Tensor:
    """exp(values) over its sum in each row."""
    if not len(rows):
        return values
    _, number = np.unique(rows, return_inverse=True)
    count = int(number.max()) + 1
    most = StopGradient()(UnsortedSegmentMax()(values, made(number), count))
    powers = Exp()(values - taken(most, number))
    return powers / taken(summed(powers, number, count), number)


class SparseCountSparseOutput(_Sparse):
    """How often each number occurs in each row, or the sum of its weights; numbers of ``maxlength``
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
        shape = sizes(self.name, dense_shape, "dense_shape", "int64")
        at = coordinates(self.name, ("indices", "values"), indices, values, shape, "int64")
        numbers = whole_numbers(self.name, values, "values", 1).astype(np.int64)
        if weights.shape != values.shape:
            rule = f"have the shape {values.shape} of values"
            raise ValueError(
                checks.format_error(self.name, "weights", rule, f"shape {weights.shape}")
            )
        if len(numbers) and numbers.min() < 0:
            rule = "hold no negative numbers"
            raise ValueError(checks.format_error(self.name, "values", rule, f"{numbers.min()}"))
        kept = np.flatnonzero(numbers < self.maxlength if self.maxlength > 0 else numbers >= 0)
        width = max(int(numbers.max(initial=-1)) + 1, self.minlength, 0)
        width = self.maxlength if self.maxlength > 0 else width
        pairs = np.stack([at[kept, 0], numbers[kept]], 1)
        there, number = np.unique(pairs, axis=0, return_inverse=True)
        counts = summed(taken(weights, kept), number.reshape(-1), len(there))
        if self.binary_output:
            counts = repeated(Tensor(1, weights.dtype), len(there))
        places = there if len(shape) > 1 else there[:, 1:]
        return made(places), counts, made((shape[0], width) if len(shape) > 1 else (width,))


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
