"""Sorting, top-k, and positions of values in sorted sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.index.gather import GatherD, GatherDGrad
from minispore.ops.shape.views import swapaxes
from minispore.ops.support.arguments import (
    check_arithmetic_operands,
    check_axis,
    check_tensor_spec,
    check_tensors,
    to_static,
)
from minispore.ops.support.derive import _Composite
from minispore.ops.support.spelling import also_spelled

_INT32 = np.dtype(np.int32)


def compute_descending_order(x: np.ndarray, axis: int) -> np.ndarray:
    """Return the indices that stably sort x along ``axis`` in descending order; NaN comes first."""
    order = np.argsort(np.flip(x, axis), axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(order, axis)


class Sort(Primitive):
    """``x`` sorted stably along ``axis``, and the original indices (int32) of its elements.

    >>> values, indices = Sort()(Tensor([3.0, 1.0, 2.0]))
    >>> print(values, indices)
    [1. 2. 3.] [1 2 0]
    """

    axis: int = -1
    descending: bool = False
    vjp_rule = VjpRule(partial=True, takes_tuples=True)

    def check(self) -> None:
        """Raise a TypeError unless ``axis`` is an int and ``descending`` a bool."""
        checks.integer(self.name, "axis", self.axis)
        checks.boolean(self.name, "descending", self.descending)

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        """Return the specs of values and int32 indices; raise ValueError for an invalid axis."""
        check_axis(self.name, self.axis, max(check_tensor_spec(self.name, x).ndim, 1))
        return x, Spec(x.shape, _INT32)

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        """Sort stably, and write the values and their original indices."""
        values, indices = out
        if not x.ndim:
            values[...] = x
            indices[...] = 0
            return
        if self.descending:
            order = compute_descending_order(x, self.axis)
        else:
            order = np.argsort(x, self.axis, kind="stable")
        indices[...] = order
        values[...] = np.take_along_axis(x, order, self.axis)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient function, which puts each value's cotangent at its original index;
        the indices have no gradient.
        """
        if dout[0] is None or not x.ndim:
            return (dout[0],)
        return (lambda: GatherDGrad()(dout[0], self.axis, out[1], x.shape),)


class TopK(Primitive):
    """The ``k`` greatest elements along the last axis, in descending order, and their indices
    (int32).

    Args:
        sorted: False keeps the order of elements if ``k`` is the length of the axis.

    >>> values, indices = TopK()(Tensor([3.0, 1.0, 2.0]), 2)
    >>> print(values, indices)
    [3. 2.] [0 2]
    """

    sorted: bool = True
    vjp_rule = VjpRule(partial=True, takes_tuples=True)

    def check(self) -> None:
        """Raise a TypeError unless ``sorted`` is a bool."""
        checks.boolean(self.name, "sorted", self.sorted)

    def __call__(self, input_x: Tensor, k: Any) -> tuple[Tensor, Tensor]:
        """Return the greatest elements and their indices; ``k`` may be a 0-d tensor."""
        return super().__call__(input_x, to_static(k))

    def infer(self, x: Spec, k: Any) -> tuple[Spec, Spec]:
        """Return the specs of values and int32 indices; raise ValueError if ``k`` exceeds the last
        axis.
        """
        if check_tensor_spec(self.name, x, "input_x").ndim < 1:
            raise ValueError(f"{self.name}: input_x must have at least 1 axis, got {x}.")
        if not 0 <= checks.integer(self.name, "k", k) <= x.shape[-1]:
            raise ValueError(f"{self.name}: k must be in [0, {x.shape[-1]}], got {k}.")
        shape = (*x.shape[:-1], k)
        return Spec(shape, x.dtype), Spec(shape, _INT32)

    def kernel(self, x: np.ndarray, k: int, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        """Write the greatest elements and their indices; copy x if ``k`` covers it and not
        ``sorted``.
        """
        if k == x.shape[-1] and not self.sorted:
            out[1][...] = np.arange(k)
            np.copyto(out[0], x)
            return
        order = compute_descending_order(x, -1)[..., :k]
        out[1][...] = order
        out[0][...] = np.take_along_axis(x, order, -1)

    def vjp(self, x: Tensor, k: int, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient function, which puts each value's cotangent at its index; the indices
        have no gradient.
        """
        if dout[0] is None:
            return (None,)
        return (lambda: GatherDGrad()(dout[0], x.ndim - 1, out[1], x.shape),)


class SearchSorted(Primitive):
    """The index at which each value would be inserted into the sorted last axis of
    ``sorted_sequence``.

    With ``right``, the index is behind equal elements, otherwise before them. A sequence of several
    axes has the axes of the values except the last; row i is searched for the values of row i.
    ``sorter`` holds the indices that sort an unsorted sequence.

    >>> print(SearchSorted()(Tensor([1.0, 3.0, 5.0]), Tensor([3.0, 4.0])))
    [1 2]
    """

    dtype: Any = mstype.int64
    right: bool = False

    def check(self) -> None:
        """Raise a TypeError unless ``dtype`` is int32 or int64 and ``right`` is a bool."""
        if self.dtype not in (mstype.int32, mstype.int64):
            raise TypeError(f"{self.name}: dtype must be int32 or int64, got {self.dtype}.")
        checks.boolean(self.name, "right", self.right)

    def __call__(self, sorted_sequence: Tensor, values: Any, sorter: Any = None) -> Tensor:
        """Reorder the sequence by ``sorter`` unless it is None, and search in it.

        Values that are not a tensor take the dtype of the sequence.
        """
        if sorter is not None:
            sorted_sequence = GatherD()(sorted_sequence, sorted_sequence.ndim - 1, sorter)
        if not isinstance(values, Tensor):
            values = Tensor(values, sorted_sequence.dtype)
        return super().__call__(sorted_sequence, values)

    def infer(self, sequence: Spec, values: Spec) -> Spec:
        """Return the spec of the indices; raise ValueError unless the sequence is a vector or has
        one row per row of values.
        """
        check_tensor_spec(self.name, values, "values")
        row_shape = check_tensor_spec(self.name, sequence, "sorted_sequence").shape[:-1]
        if sequence.ndim < 1 or (sequence.ndim > 1 and row_shape != values.shape[:-1]):
            raise ValueError(
                f"{self.name}: sorted_sequence must be a vector or have the axes of values except "
                f"the last, got {sequence} for {values}."
            )
        return Spec(values.shape, mstype.to_numpy(self.dtype))

    def kernel(self, sequence: np.ndarray, values: np.ndarray, *, out: np.ndarray) -> None:
        """Search in the vector, or row by row if the sequence has more axes."""
        side: Any = "right" if self.right else "left"
        if sequence.ndim == 1:
            out[...] = np.searchsorted(sequence, values, side)
            return
        for row in np.ndindex(sequence.shape[:-1]):
            out[row] = np.searchsorted(sequence[row], values[row], side)


class LowerBound(_Composite):
    """The index at which each row's values would be inserted into the sorted rows, before equal
    elements.

    >>> print(LowerBound()(Tensor([[1.0, 3.0, 5.0]]), Tensor([[3.0, 4.0]])))
    [[1 2]]
    """

    out_type: Any = mstype.int32

    def __call__(self, sorted_x: Tensor, values: Tensor) -> Tensor:
        """Return the indices, of the shape of ``values``, as ``out_type``; raise ValueError unless
        the leading axes are equal.
        """
        return SearchSorted(self.out_type)(sorted_x, values)


class UpperBound(_Composite):
    """The index at which each row's values would be inserted into the sorted rows, behind equal
    elements.

    >>> print(UpperBound()(Tensor([[1.0, 3.0, 5.0]]), Tensor([[3.0, 4.0]])))
    [[2 2]]
    """

    out_type: Any = mstype.int32

    def __call__(self, sorted_x: Tensor, values: Tensor) -> Tensor:
        """Return the indices, of the shape of ``values``, as ``out_type``; raise ValueError unless
        the leading axes are equal.
        """
        return SearchSorted(self.out_type, right=True)(sorted_x, values)


class Bucketize(_Composite):
    """The index of the interval between ``boundaries`` that contains each element.

    A boundary belongs to the interval above it. The indices are int32.

    >>> print(Bucketize([1.0, 3.0])(Tensor([0.0, 1.0, 2.0, 9.0])))
    [0 1 1 2]
    """

    boundaries: Any

    def __call__(self, input: Tensor) -> Tensor:
        """Return the indices as int32, in the shape of ``input``."""
        return bucketize(input, self.boundaries, right=True)


class InTopK(Primitive):
    """Whether element ``x2[i]`` of row i is among the ``k`` greatest of the row.

    Ties with the k-th element count as among them. False where ``x2[i]`` is out of range or the
    element is not finite.

    >>> print(InTopK(1)(Tensor([[1.0, 3.0], [4.0, 2.0]]), Tensor([1, 1])))
    [ True False]
    """

    k: int

    def check(self) -> None:
        """Raise a TypeError unless ``k`` is an int."""
        checks.integer(self.name, "k", self.k)

    def infer(self, x1: Spec, x2: Spec) -> Spec:
        """Return a bool spec; raise ValueError unless x1 is a matrix and x2 holds one column per
        row.
        """
        if check_tensor_spec(self.name, x1, "x1").ndim != 2:
            raise ValueError(f"{self.name}: x1 must be a matrix, got {x1}.")
        if (
            check_tensor_spec(self.name, x2, "x2").shape != x1.shape[:1]
            or x2.dtype.kind not in "iu"
        ):
            raise ValueError(f"{self.name}: x2 must hold a column for each row of {x1}, got {x2}.")
        return Spec(x2.shape, np.dtype(np.bool_))

    def kernel(self, x1: np.ndarray, x2: np.ndarray, *, out: np.ndarray) -> None:
        """Write the answers; False for a column out of range or an element that is not finite."""
        is_valid = (x2 >= 0) & (x2 < x1.shape[1])
        targets = np.take_along_axis(x1, np.where(is_valid, x2, 0)[:, None], 1)
        out[...] = is_valid & np.isfinite(targets[:, 0]) & ((x1 > targets).sum(1) < self.k)


# -- functions ------------------------------------------------------------------------------------


@method("sort")
@also_spelled(dim="axis")
def sort(
    input_x: Tensor, axis: int = -1, descending: bool = False, stable: bool = True
) -> tuple[Tensor, Tensor]:
    """Return ``input_x`` sorted along ``axis``, in descending order if ``descending``, and the
    original indices (int32) of its elements.

    The order of equal elements is always kept, whatever ``stable``.
    """
    return Sort(axis, descending)(input_x)


@method("argsort")
@also_spelled(dim="axis")
def argsort(input: Tensor, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """Return the indices (int32) that sort ``input`` along ``axis``, in descending order if
    ``descending``.

    The order of equal elements is always kept, whatever ``stable``.
    """
    return Sort(axis, descending)(input)[1]


@method("msort")
def msort(input: Tensor) -> Tensor:
    """Return ``input`` sorted along its first axis."""
    return Sort(0)(input)[0]


@method("topk")
@also_spelled(axis="dim")
def topk(
    input: Tensor, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    """Return the ``k`` greatest (or least, unless ``largest``) elements along ``dim`` (by default
    the last axis), and their indices (int32).

    They are sorted from the greatest (or least) on; but ``sorted=False`` keeps the order of
    elements if ``largest`` and ``k`` is the length of the axis. Raises ValueError if ``k`` exceeds
    it.

    >>> values, indices = topk(Tensor([3.0, 1.0, 2.0]), 2, largest=False)
    >>> print(values, indices)
    [1. 2.] [1 2]
    """
    check_tensors("topk", input=input)
    checks.boolean("topk", "largest", largest)
    axis = check_axis("topk", -1 if dim is None else dim, max(input.ndim, 1), "dim")
    is_last_axis = axis == input.ndim - 1
    x = input if is_last_axis else swapaxes(input, axis, -1)
    if largest:
        values, indices = TopK(sorted)(x, k)
    else:
        if not 0 <= checks.integer("topk", "k", to_static(k)) <= x.shape[-1]:
            raise ValueError(f"topk: k must be in [0, {x.shape[-1]}], got {k}.")
        values, indices = (t[..., : to_static(k)] for t in Sort()(x))
    if is_last_axis:
        return values, indices
    return swapaxes(values, axis, -1), swapaxes(indices, axis, -1)


@method("top_k")
def top_k(input_x: Tensor, k: int, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """Return the ``k`` greatest elements along the last axis, in descending order, and their
    indices (int32).

    ``sorted=False`` keeps the order of elements if ``k`` is the length of the axis.
    """
    return TopK(sorted)(input_x, k)


@method("kthvalue")
@also_spelled(axis="dim", keepdims="keepdim")
def _kthvalue(self: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Return the ``k``-th smallest element along ``dim``, counted from 1, and its index (int32).

    Raises ValueError unless 1 <= ``k`` <= the length of the axis.

    >>> print(*Tensor([3.0, 1.0, 2.0]).kthvalue(2))
    2.0 2
    """
    axis = check_axis("kthvalue", dim, self.ndim, "dim")
    if not 1 <= checks.integer("kthvalue", "k", k) <= self.shape[axis]:
        raise ValueError(f"kthvalue: k must be in [1, {self.shape[axis]}], got {k}.")
    index = (slice(None),) * axis + (slice(k - 1, k) if keepdim else k - 1,)
    values, indices = Sort(axis)(self)
    return values[index], indices[index]


def searchsorted(
    sorted_sequence: Tensor,
    values: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Tensor:
    """Return the index at which each value would be inserted into the sorted last axis of
    ``sorted_sequence``, behind equal elements if ``right`` or ``side`` is "right".

    The indices are int64, or int32 if ``out_int32``. ``sorter`` holds the indices that sort an
    unsorted sequence. A sequence of several axes has the axes of ``values`` except the last.

    Raises:
        ValueError: ``side`` is unknown or contradicts ``right``, or the shapes do not fit.
    """
    if side not in (None, "left", "right"):
        raise ValueError(f"searchsorted: side must be 'left' or 'right', got {side!r}.")
    if side == "left" and right:
        raise ValueError("searchsorted: side='left' and right=True contradict each other.")
    dtype = mstype.int32 if out_int32 else mstype.int64
    return SearchSorted(dtype, right or side == "right")(sorted_sequence, values, sorter)


@method("searchsorted")
def _searchsorted_method(self: Tensor, v: Any, side: str = "left", sorter: Any = None) -> Tensor:
    """Return the index at which each of ``v`` would be inserted into this sorted tensor, as int32.

    ``side`` says on which side of equal elements; ``sorter`` has the indices that sort the tensor.
    """
    return searchsorted(self, v, out_int32=True, side=side, sorter=sorter)


def bucketize(input: Tensor, boundaries: Any, *, right: bool = False) -> Tensor:
    """Return the index (int32) of the interval between ``boundaries`` that contains each element.

    Args:
        input: the elements, a Tensor.
        boundaries: increasing numbers.
        right: whether a boundary belongs to the interval above it instead of the one below.

    >>> print(bucketize(Tensor([0.0, 1.0, 2.0, 9.0]), [1.0, 3.0]))
    [0 0 1 2]
    """
    check_arithmetic_operands("bucketize", boundaries=boundaries)
    edges = Tensor(np.asarray(boundaries, np.float64))
    return SearchSorted(mstype.int32, right)(edges, input)


def intopk(x1: Tensor, x2: Tensor, k: int) -> Tensor:
    """Whether element ``x2[i]`` of row i is among the ``k`` greatest of the row, or ties with them.

    False where ``x2[i]`` is out of range or the element is not finite.
    """
    return InTopK(k)(x1, x2)


__all__ = [
    "Bucketize",
    "InTopK",
    "LowerBound",
    "SearchSorted",
    "Sort",
    "TopK",
    "UpperBound",
    "argsort",
    "bucketize",
    "intopk",
    "msort",
    "searchsorted",
    "sort",
    "top_k",
    "topk",
]
