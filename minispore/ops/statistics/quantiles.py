"""Medians, quantiles and the n-th smallest element."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind, split_evenly
from minispore.ops.elementwise.compare import Equal, Greater, IsNan, LogicalAnd, LogicalOr
from minispore.ops.elementwise.extremes import Maximum, Minimum
from minispore.ops.elementwise.rounding import Floor
from minispore.ops.index.gather import GatherD
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast, ZerosLike
from minispore.ops.shape.views import ExpandDims, Reshape, Transpose
from minispore.ops.statistics.argmax import put_at_index
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.statistics.sort import Sort
from minispore.ops.support.arguments import ANY_NDIM, ORDERED_KINDS, check_axis, to_static
from minispore.ops.support.derive import _Composite
from minispore.ops.support.spelling import also_spelled


class Median(Primitive):
    """The median along ``axis`` (the lower of two middle elements) and its index (int64).

    The median of no elements is NaN, for integers 0.

    Args:
        global_median: compute the median of the whole tensor; the index is then 0.
        axis: the axis to reduce.
        keep_dims: keep the axis with length 1.
        ignore_nan: ignore NaN instead of returning NaN.

    >>> value, index = Median(axis=1)(Tensor([[3.0, 1.0, 2.0]]))
    >>> print(value, index)
    [2.] [2]
    """

    global_median: bool = False
    axis: int = 0
    keep_dims: bool = False
    ignore_nan: bool = False
    vjp_rule = VjpRule(partial=True)

    def check(self) -> None:
        """Raise a TypeError unless the flags are bools and ``axis`` is an int."""
        checks.boolean(self.name, "global_median", self.global_median)
        checks.boolean(self.name, "keep_dims", self.keep_dims)
        checks.boolean(self.name, "ignore_nan", self.ignore_nan)
        check_axis(self.name, self.axis, ANY_NDIM)

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        """Return the specs of value and index; they are 0-d for a global median."""
        check_dtype_kind(self.name, x, ORDERED_KINDS, "x")
        axis = None
        if not self.global_median and x.ndim:
            axis = check_axis(self.name, self.axis, x.ndim)
        shape: tuple[int, ...] = ()
        if axis is not None:
            shape = x.shape[:axis] + ((1,) if self.keep_dims else ()) + x.shape[axis + 1 :]
        return Spec(shape, x.dtype), Spec(shape, np.dtype(np.int64))

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        """Write the median and its index, which is 0 for a global median; without elements, write
        NaN, or 0 for integers.
        """
        value, index = out
        rows, axis = self.select_data(x)
        if not rows.shape[axis]:
            value[...] = 0 if value.dtype.kind in "iu" else np.nan
            index[...] = 0
            return
        positions = self.find_positions(x)
        value[...] = np.take_along_axis(rows, positions, axis).reshape(value.shape)
        index[...] = 0 if self.global_median else positions.reshape(index.shape)

    def select_data(self, x: np.ndarray) -> tuple[np.ndarray, int]:
        """Return the array to search and the axis: x flattened and 0 for a global median or a 0-d
        x.
        """
        return (x.reshape(-1), 0) if self.global_median or not x.ndim else (x, self.axis)

    def find_positions(self, x: np.ndarray) -> np.ndarray:
        """Return the positions of the medians along the axis, which is kept with length 1.

        Unless NaN is ignored, the median of a row with NaNs is the first of these.
        """
        rows, axis = self.select_data(x)
        order = np.argsort(rows, axis, kind="stable")  # NaNs come last
        n = rows.shape[axis]
        missing = np.isnan(rows).sum(axis, keepdims=True) if rows.dtype.kind == "f" else 0
        if self.ignore_nan:
            middle = np.maximum(n - missing - 1, 0) // 2
        else:
            middle = np.where(missing, n - missing, (n - 1) // 2)
        shape = [1 if i == axis % rows.ndim else d for i, d in enumerate(rows.shape)]
        return np.take_along_axis(order, np.broadcast_to(middle, shape), axis)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient function of the value; the index has none."""
        if dout[0] is None:
            return (None,)

        def compute_dx() -> Tensor:
            """Compute the gradient of x, at the index, or shared among all elements equal to a
            global median.
            """
            if not x.size:
                return ZerosLike()(x)
            if self.global_median or not x.ndim:
                is_nan_median = LogicalAnd()(IsNan()(x), IsNan()(out[0]))
                is_median = LogicalOr()(Equal()(x, out[0]), is_nan_median)
                count = ReduceSum()(Cast()(is_median, x.dtype))
                return Select()(is_median, split_evenly(dout[0], count), 0)
            return put_at_index(x, self.axis, out[1], dout[0], self.keep_dims)

        return (compute_dx,)


@also_spelled(dim="axis", keepdim="keepdims")
def median(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Return the median along ``axis`` (the lower of two middle elements) and its index (int64).

    The median of elements with a NaN is NaN.

    >>> print(median(Tensor([3.0, 1.0, 2.0]))[0])
    2.0
    """
    return Median(False, axis, keepdims)(input)


def nanmedian(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """Return the median along ``axis`` (the lower of two middle elements), ignoring NaN, and its
    index (int64).
    """
    return Median(axis=axis, keep_dims=keepdims, ignore_nan=True)(input)


class NthElement(Primitive):
    """The n-th smallest (with ``reverse`` greatest) element along the last axis, counted from 0.

    Equal elements share the gradient.

    >>> print(NthElement()(Tensor([[3.0, 1.0, 2.0]]), 1))
    [2.]
    """

    reverse: bool = False

    def __call__(self, x: Any, n: Any) -> Tensor:
        """Return the n-th element of each row; ``n`` may be a 0-d tensor."""
        return super().__call__(x, to_static(n))

    def infer(self, x: Spec, n: int) -> Spec:
        """Return the spec without the last axis; raise ValueError for a 0-d input or an ``n`` out
        of range.
        """
        if not check_dtype_kind(self.name, x, ORDERED_KINDS, "input").ndim:
            raise ValueError(f"{self.name}: input must have at least one axis, got {x}.")
        if not 0 <= n < x.shape[-1]:
            raise ValueError(f"{self.name}: n must be in [0, {x.shape[-1]}), got {n}.")
        return Spec(x.shape[:-1], x.dtype)

    def kernel(self, x: np.ndarray, n: int, *, out: np.ndarray) -> None:
        """Write the n-th smallest element of each row; with ``reverse``, the n-th greatest."""
        position = x.shape[-1] - 1 - n if self.reverse else n
        np.copyto(out, np.partition(x, position, -1)[..., position])

    def vjp(self, x: Tensor, n: int, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x."""

        def compute_dx() -> Tensor:
            """Compute the gradient of x, shared among all elements equal to the result."""
            is_nth = Equal()(x, ExpandDims()(out, -1))
            count = ReduceSum(keep_dims=True)(Cast()(is_nth, x.dtype), -1)
            return Select()(is_nth, split_evenly(ExpandDims()(dout, -1), count), 0)

        return (compute_dx,)


class Quantile(_Composite):
    """The quantile q of the elements along ``dim``, by linear interpolation; a vector q adds a
    leading axis.

    Args:
        dim: the axis; None for the whole tensor.
        keep_dims: keep the axis with length 1.
        ignore_nan: ignore NaN instead of returning NaN.

    >>> print(Quantile()(Tensor([1.0, 2.0, 4.0]), 0.75))
    3.0
    """

    dim: int | None = None
    keep_dims: bool = False
    ignore_nan: bool = False

    def check(self) -> None:
        """Raise a TypeError unless the flags are bools and ``dim`` is None or an int."""
        checks.boolean(self.name, "keep_dims", self.keep_dims)
        checks.boolean(self.name, "ignore_nan", self.ignore_nan)
        if self.dim is not None:
            check_axis(self.name, self.dim, ANY_NDIM, "dim")

    def __call__(self, x: Tensor, q: Any) -> Tensor:
        """Return the quantiles; several ``q``, a vector, add a leading axis.

        Raises a TypeError unless x is a float tensor, ValueError if a number ``q`` is outside [0,
        1]. A tensor ``q`` is not checked.
        """
        if x.dtype.kind != "f":
            raise TypeError(f"{self.name}: input must be a float tensor, got {x.dtype}.")
        if not isinstance(q, Tensor):
            if not 0 <= q <= 1:
                raise ValueError(f"{self.name}: q must be in [0, 1], got {q}.")
            q = Tensor(q, x.dtype)
        shape, axis = x.shape, 0 if self.dim is None else check_axis(self.name, self.dim, x.ndim)
        rows = Reshape()(x, (-1,)) if self.dim is None else x
        order = (*[i for i in range(rows.ndim) if i != axis], axis)
        rows = Sort()(Transpose()(rows, order))[0]  # (..., n), NaN last
        n = rows.shape[-1]
        nan = Cast()(IsNan()(rows), x.dtype)
        missing = ReduceSum(keep_dims=True)(nan, -1)  # (..., 1)
        fractions = Reshape()(q, (-1,))
        valid_count = n - missing if self.ignore_nan else n + missing * 0
        position = fractions * (valid_count - 1)  # (..., q)
        low = Maximum()(Floor()(position), 0)
        high = Minimum()(low + 1, n - 1)
        below, above = (GatherD()(rows, -1, Cast()(i, mstype.int64)) for i in (low, high))
        # Where the remainder is 0, the upper neighbour may be NaN or missing.
        remainder = position - low
        quantiles = Select()(Greater()(remainder, 0), below + (above - below) * remainder, below)
        if not self.ignore_nan:
            quantiles = Select()(Greater()(missing, 0), float("nan"), quantiles)
        result = quantiles if q.ndim else Reshape()(quantiles, quantiles.shape[:-1])
        if q.ndim:  # the axis of q comes first
            result = Transpose()(quantiles, (quantiles.ndim - 1, *range(quantiles.ndim - 1)))
        if not self.keep_dims:
            return result
        q_shape = (quantiles.shape[-1],) if q.ndim else ()
        unit_shape = (
            (1,) * len(shape) if self.dim is None else (*shape[:axis], 1, *shape[axis + 1 :])
        )
        return Reshape()(result, (*q_shape, *unit_shape))


@method("quantile")
def quantile(input: Tensor, q: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the quantile ``q`` along ``axis``, by linear interpolation; NaN if any element is
    NaN.

    ``q`` is a number in [0, 1] or a tensor of such numbers; a vector adds a leading axis. Without
    ``axis``, the quantile is that of all elements. ``input`` must be a float tensor.
    """
    return Quantile(axis, keepdims)(input, q)


@method("nanquantile")
def nanquantile(input: Tensor, q: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Return the quantile ``q`` along ``axis``, ignoring NaN, by linear interpolation.

    ``q`` is a number in [0, 1] or a tensor of such numbers; a vector adds a leading axis. Without
    ``axis``, the quantile is that of all elements. ``input`` must be a float tensor.
    """
    return Quantile(axis, keepdims, ignore_nan=True)(input, q)


__all__ = [
    "Median",
    "NthElement",
    "Quantile",
    "median",
    "nanmedian",
    "nanquantile",
    "quantile",
]
