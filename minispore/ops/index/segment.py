"""Segment ops: sums, means, products and extremes of the slices that share an id."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir.registry import registry
from minispore.ir.value import Spec
from minispore.ops.elementwise.compare import Equal, GreaterEqual
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.index.gather import Gather, add_rows
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast, Ones
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import (
    check_array,
    check_indices,
    check_real,
    check_tensor_spec,
    to_static,
)

_HALF_MAXIMA = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38}


class _UnsortedSegment(Primitive):
    """Base of ops that combine the slices of ``x`` with equal ``segment_ids``.

    The shape of the ids is that of the first axes of x. Slices with negative ids are ignored.
    """

    def __call__(self, input_x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
        count = to_static(num_segments)
        if isinstance(num_segments, Tensor) and num_segments.shape == (1,):
            (count,) = count
        return super().__call__(input_x, segment_ids, count)

    def get_initial_value(self, dtype: np.dtype) -> Any:
        """Return the value of an empty segment; subclasses override it."""
        raise TypeError(f"{self.name}: has no start.")

    def combine(self, table: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
        """Combine ``values`` into ``table`` at ``rows``, in place; subclasses override it."""
        raise TypeError(f"{self.name}: combines nothing.")

    def infer(self, x: Spec, ids: Spec, num_segments: Any) -> Spec:
        """Return the spec (num_segments, ...); raise ValueError unless the ids match the first axes
        of x.
        """
        check_tensor_spec(self.name, x, "input_x")
        check_indices(self.name, ids, "segment_ids")
        checks.integer(self.name, "num_segments", num_segments, 1)
        if ids.ndim < 1 or x.shape[: ids.ndim] != ids.shape:
            raise ValueError(
                f"{self.name}: the shape of segment_ids must begin that of input_x, got {ids} for "
                f"{x}."
            )
        return Spec((num_segments, *x.shape[ids.ndim :]), x.dtype)

    def kernel(self, x: np.ndarray, ids: np.ndarray, num: int, *, out: np.ndarray) -> None:
        """Combine the slices into a table of initial values; skip negative ids, raise for too large
        ones.
        """
        rows = ids.reshape(-1)
        if rows.size and rows.max() >= num:
            raise RuntimeError(
                f"{self.name}: every segment id must be below num_segments = {num}, got "
                f"{rows.max()}."
            )
        width = prod(x.shape[ids.ndim :])
        table = np.full((num, width), self.get_initial_value(x.dtype), x.dtype)
        is_member = rows >= 0
        self.combine(table, rows[is_member], x.reshape(rows.size, width)[is_member])
        out[...] = table.reshape(out.shape)


def broadcast_to_members(x: Tensor, ids: Tensor) -> Tensor:
    """Return the value of each id's segment in ``x``; zero where the id is negative."""
    values = Gather()(x, Maximum()(ids, 0), 0)
    is_member = GreaterEqual()(ids, 0)
    is_member = Reshape()(is_member, ids.shape + (1,) * (values.ndim - ids.ndim))
    return Select()(is_member, values, 0)


class UnsortedSegmentSum(_UnsortedSegment):
    """The sums of the slices with each id.

    >>> x, ids = Tensor([1.0, 2.0, 4.0]), Tensor([0, 2, 0])
    >>> print(UnsortedSegmentSum()(x, ids, 3))
    [5. 0. 2.]
    """

    def get_initial_value(self, dtype: np.dtype) -> Any:
        """Return 0, the sum of an empty segment."""
        return 0

    def combine(self, table: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
        """Add ``values`` to ``table`` at ``rows``, in place."""
        if values.size:
            add_rows(table, rows, values)

    def vjp(self, x: Tensor, ids: Tensor, num: int, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: broadcast_to_members(dout, ids),)


class _UnsortedSegmentExtreme(_UnsortedSegment):
    """Base of segment maximum and minimum.

    An empty segment holds the smallest number of the dtype for a maximum, the largest for a
    minimum.
    """

    ufunc: ClassVar[np.ufunc]
    clip_op: ClassVar[str]  # clips the float32 results of float16 and bfloat16
    clip_sign: ClassVar[int]

    def __call__(self, input_x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
        """Return the extremes, clipped to finite numbers for float16 and bfloat16."""
        extremes = super().__call__(input_x, segment_ids, num_segments)
        half_max = _HALF_MAXIMA.get(extremes.dtype.name)
        if half_max is None:
            return extremes
        return registry[self.clip_op]()(extremes, self.clip_sign * half_max)

    def infer(self, x: Spec, ids: Spec, num_segments: Any) -> Spec:
        check_real(self.name, x)
        return super().infer(x, ids, num_segments)

    def combine(self, table: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
        """Set ``table`` at ``rows`` to the extreme of its elements and ``values``, in place."""
        check_real(self.name, values)
        self.ufunc.at(table, rows, values)

    def vjp(self, x: Tensor, ids: Tensor, num: int, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_dx() -> Tensor:  # ties share the cotangent
            is_extreme = Equal()(x, broadcast_to_members(out, ids))
            ties = UnsortedSegmentSum()(Cast()(is_extreme, x.dtype), ids, num)
            return Select()(is_extreme, broadcast_to_members(dout / Maximum()(ties, 1), ids), 0)

        return (compute_dx,)


class UnsortedSegmentMax(_UnsortedSegmentExtreme):
    """The maxima of the slices with each id.

    >>> print(UnsortedSegmentMax()(Tensor([1, 2, 4]), Tensor([0, 1, 0]), 2))
    [4 2]
    """

    ufunc = np.maximum
    clip_op, clip_sign = "Maximum", -1

    def get_initial_value(self, dtype: np.dtype) -> Any:
        """Return the least number of the dtype."""
        return _get_dtype_limits(dtype).min


class UnsortedSegmentMin(_UnsortedSegmentExtreme):
    """The minima of the slices with each id.

    >>> print(UnsortedSegmentMin()(Tensor([1, 2, 4]), Tensor([0, 1, 0]), 2))
    [1 2]
    """

    ufunc = np.minimum
    clip_op, clip_sign = "Minimum", 1

    def get_initial_value(self, dtype: np.dtype) -> Any:
        """Return the greatest number of the dtype."""
        return _get_dtype_limits(dtype).max


class UnsortedSegmentProd(_UnsortedSegment):
    """The products of the slices with each id.

    >>> print(UnsortedSegmentProd()(Tensor([1, 2, 4]), Tensor([0, 1, 1]), 2))
    [1 8]
    """

    def get_initial_value(self, dtype: np.dtype) -> Any:
        """Return 1, the product of an empty segment."""
        return 1

    def combine(self, table: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
        """Multiply ``table`` at ``rows`` by ``values``, in place."""
        np.multiply.at(table, rows, values)

    def vjp(self, x: Tensor, ids: Tensor, num: int, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x."""

        def compute_dx() -> Tensor:
            """Compute the gradient of x, which divides products by x except where x is 0."""
            # d prod / d x_i is the product of the other elements: the full product over x_i, or, if
            # x_i is the only zero of its segment, the product of the non-zero elements.
            is_zero = Equal()(x, 0)
            nonzero_x = Select()(is_zero, 1, x)
            nonzero_products = broadcast_to_members(UnsortedSegmentProd()(nonzero_x, ids, num), ids)
            zero_counts = broadcast_to_members(
                UnsortedSegmentSum()(Cast()(is_zero, x.dtype), ids, num), ids
            )
            for_zero = Select()(Equal()(zero_counts, 1), nonzero_products, 0)
            for_nonzero = Select()(Equal()(zero_counts, 0), nonzero_products / nonzero_x, 0)
            return broadcast_to_members(dout, ids) * Select()(is_zero, for_zero, for_nonzero)

        return (compute_dx,)


def _get_dtype_limits(dtype: np.dtype) -> Any:
    """Return NumPy's limits of an integer or float dtype, with ``min`` and ``max``."""
    return np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)


class _Segment(Primitive):
    """Base of ops that combine the slices of x with equal ids, given in ascending order.

    There are max(id) + 1 segments, so the shape of the output depends on the ids. An empty segment
    holds ``empty_value``.
    """

    dynamic = True
    unsorted_op: ClassVar[type[_UnsortedSegment]] = UnsortedSegmentSum
    empty_value: ClassVar[int] = 0

    def kernel(self, x: np.ndarray, ids: np.ndarray, *, out: Any = None) -> np.ndarray:
        """Combine slices by the unsorted op; absent ids give ``empty_value``, descending or
        negative ids raise.
        """
        if check_array(self.name, ids, "segment_ids").shape != check_array(self.name, x).shape[:1]:
            raise ValueError(
                f"{self.name}: segment_ids must be a vector as long as input_x, got shape "
                f"{ids.shape} for {x.shape}."
            )
        if ids.size and (ids[0] < 0 or (np.diff(ids) < 0).any()):
            raise ValueError(f"{self.name}: segment_ids must not fall nor be negative, got {ids}.")
        num = int(ids[-1]) + 1 if ids.size else 0
        result = np.full((num, *x.shape[1:]), self.empty_value, x.dtype)
        if num:
            combined = np.empty_like(result)
            self.unsorted_op().kernel(x, ids, num, out=combined)
            ids_present = np.unique(ids)
            result[ids_present] = combined[ids_present]
        return result

    def vjp(self, x: Tensor, ids: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return self.unsorted_op().vjp(x, ids, out.shape[0], out=out, dout=dout)


class SegmentSum(_Segment):
    """The sums of the slices with each id.

    >>> print(SegmentSum()(Tensor([1.0, 2.0, 4.0]), Tensor([0, 0, 2])))
    [3. 0. 4.]
    """


class SegmentMean(_Segment):
    """The means of the slices with each id, truncated for integers.

    >>> print(SegmentMean()(Tensor([1.0, 2.0, 4.0]), Tensor([0, 0, 1])))
    [1.5 4. ]
    """

    def kernel(self, x: np.ndarray, ids: np.ndarray, *, out: Any = None) -> np.ndarray:
        """Return the sums divided by the sizes of the segments; integer means are truncated."""
        total = super().kernel(x, ids)
        sizes = np.maximum(np.bincount(ids, minlength=len(total)), 1)
        sizes = sizes.reshape(-1, *[1] * (x.ndim - 1)).astype(x.dtype)
        means = total / sizes
        return means if x.dtype.kind in "fc" else np.trunc(means).astype(x.dtype)

    def vjp(self, x: Tensor, ids: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x: the cotangent of its segment, divided by the segment's
        size.
        """

        def compute_dx() -> Tensor:
            ones = Ones()(ids.shape, ids.dtype)
            sizes = Maximum()(UnsortedSegmentSum()(ones, ids, out.shape[0]), 1)
            sizes = Cast()(sizes, x.dtype)
            sizes = Reshape()(sizes, (-1,) + (1,) * (x.ndim - 1))
            return broadcast_to_members(dout / sizes, ids)

        return (compute_dx,)


class SegmentMax(_Segment):
    """The maxima of the slices with each id.

    >>> print(SegmentMax()(Tensor([1.0, 2.0, 4.0]), Tensor([0, 0, 1])))
    [2. 4.]
    """

    unsorted_op = UnsortedSegmentMax


class SegmentMin(_Segment):
    """The minima of the slices with each id.

    >>> print(SegmentMin()(Tensor([1.0, 2.0, 4.0]), Tensor([0, 0, 1])))
    [1. 4.]
    """

    unsorted_op = UnsortedSegmentMin


class SegmentProd(_Segment):
    """The products of the slices with each id; 1 for an empty one.

    >>> print(SegmentProd()(Tensor([3.0, 2.0, 4.0]), Tensor([0, 0, 2])))
    [6. 1. 4.]
    """

    unsorted_op = UnsortedSegmentProd
    empty_value = 1


# -- functions ------------------------------------------------------------------------------------


def unsorted_segment_sum(input_x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """Return the sums of the slices with each id from 0 to ``num_segments`` - 1."""
    return UnsortedSegmentSum()(input_x, segment_ids, num_segments)


@method("unsorted_segment_max")
def unsorted_segment_max(x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """Return the maxima of the slices with each id from 0 to ``num_segments`` - 1."""
    return UnsortedSegmentMax()(x, segment_ids, num_segments)


@method("unsorted_segment_min")
def unsorted_segment_min(x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """Return the minima of the slices with each id from 0 to ``num_segments`` - 1."""
    return UnsortedSegmentMin()(x, segment_ids, num_segments)


@method("unsorted_segment_prod")
def unsorted_segment_prod(x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """Return the products of the slices with each id from 0 to ``num_segments`` - 1."""
    return UnsortedSegmentProd()(x, segment_ids, num_segments)


__all__ = [
    "SegmentMax",
    "SegmentMean",
    "SegmentMin",
    "SegmentProd",
    "SegmentSum",
    "UnsortedSegmentMax",
    "UnsortedSegmentMin",
    "UnsortedSegmentProd",
    "UnsortedSegmentSum",
    "unsorted_segment_max",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sum",
]
