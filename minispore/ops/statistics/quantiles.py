"""Medians, quantiles and the n-th smallest element."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor, method
from minispore.core.value import Spec
from minispore.foundation import checks
from minispore.ops.elementwise.bases import a_kind, parted
from minispore.ops.elementwise.compare import Equal, Greater, IsNan, LogicalAnd, LogicalOr
from minispore.ops.elementwise.extremes import Maximum, Minimum
from minispore.ops.elementwise.rounding import Floor
from minispore.ops.index.gather import GatherD
from minispore.ops.index.select import Select
from minispore.ops.shape.views import ExpandDims, Reshape, Transpose
from minispore.ops.shape.whole import Cast, ZerosLike
from minispore.ops.statistics.argmax import PutAlongAxis
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.statistics.sort import Sort
from minispore.ops.support.arguments import check_axis, to_static
from minispore.ops.support.derive import _Composite
from minispore.ops.support.spelling import also_spelled


class Median(Primitive):
    """The median along ``axis`` (the lower of two middle ones) and its index (int64). Of no
    elements it is nan, for integers 0.

    Args:
        global_median: of the whole tensor; the index is 0 then.
        axis: the axis to look along.
        keep_dims: keep the axis with length 1.
        ignore_nan: leave nans out, instead of making the median nan.

    >>> value, index = Median(axis=1)(Tensor([[3.0, 1.0, 2.0]]))
    >>> print(value, index)
    [2.] [2]
    """

    global_median: bool = False
    axis: int = 0
    keep_dims: bool = False
    ignore_nan: bool = False
    partial = True

    def check(self) -> None:
        checks.boolean(self.name, "global_median", self.global_median)
        checks.boolean(self.name, "keep_dims", self.keep_dims)
        checks.boolean(self.name, "ignore_nan", self.ignore_nan)
        check_axis(self.name, self.axis, 1 << 30)

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        a_kind(self.name, x, "iufV", "x")
        axis = None
        if not self.global_median and x.ndim:
            axis = check_axis(self.name, self.axis, x.ndim)
        shape: tuple[int, ...] = ()
        if axis is not None:
            shape = x.shape[:axis] + ((1,) if self.keep_dims else ()) + x.shape[axis + 1 :]
        return Spec(shape, x.dtype), Spec(shape, np.dtype(np.int64))

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        value, index = out
        rows, axis = self.rows(x)
        if not rows.shape[axis]:
            value[...] = 0 if value.dtype.kind in "iu" else np.nan
            index[...] = 0
            return
        at = self.places(x)
        value[...] = np.take_along_axis(rows, at, axis).reshape(value.shape)
        index[...] = 0 if self.global_median else at.reshape(index.shape)

    def rows(self, x: np.ndarray) -> tuple[np.ndarray, int]:
        """What to look through, and along which axis."""
        return (x.reshape(-1), 0) if self.global_median or not x.ndim else (x, self.axis)

    def places(self, x: np.ndarray) -> np.ndarray:
        """Where the medians are."""
        rows, axis = self.rows(x)
        order = np.argsort(rows, axis, kind="stable")  # nans come last
        n = rows.shape[axis]
        missing = np.isnan(rows).sum(axis, keepdims=True) if rows.dtype.kind == "f" else 0
        if self.ignore_nan:
            middle = np.maximum(n - missing - 1, 0) // 2
        else:
            middle = np.where(missing, n - missing, (n - 1) // 2)
        shape = [1 if i == axis % rows.ndim else d for i, d in enumerate(rows.shape)]
        return np.take_along_axis(order, np.broadcast_to(middle, shape), axis)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Any:
        if dout[0] is None:
            return (None,)

        def slope() -> Tensor:
            if not x.size:
                return ZerosLike()(x)
            if self.global_median or not x.ndim:
                both = LogicalAnd()(IsNan()(x), IsNan()(out[0]))
                best = LogicalOr()(Equal()(x, out[0]), both)
                count = ReduceSum()(Cast()(best, x.dtype))
                return Select()(best, parted(dout[0], count), 0)
            axis, index, dvalue = self.axis % x.ndim, out[1], dout[0]
            if not self.keep_dims:
                index, dvalue = ExpandDims()(index, axis), ExpandDims()(dvalue, axis)
            return PutAlongAxis(axis, x.shape[axis])(dvalue, index)

        return (slope,)


@also_spelled(dim="axis", keepdim="keepdims")
def median(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The median along ``axis`` (the lower of two middle ones) and its index.

    >>> print(median(Tensor([3.0, 1.0, 2.0]))[0])
    2.0
    """
    return Median(False, axis, keepdims)(input)


def nanmedian(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The median along ``axis`` of what is not nan, and its index."""
    return Median(False, axis, keepdims, True)(input)


class NthElement(Primitive):
    """The n-th smallest (or greatest) element along the last axis, counted from 0.

    >>> print(NthElement()(Tensor([[3.0, 1.0, 2.0]]), 1))
    [2.]
    """

    reverse: bool = False

    def __call__(self, x: Any, n: Any) -> Tensor:
        return super().__call__(x, to_static(n))

    def infer(self, x: Spec, n: int) -> Spec:
        if not a_kind(self.name, x, "iufV", "input").ndim:
            raise ValueError(f"{self.name}: input must have at least one axis, got {x}.")
        if not 0 <= n < x.shape[-1]:
            raise ValueError(f"{self.name}: n must be in [0, {x.shape[-1]}), got {n}.")
        return Spec(x.shape[:-1], x.dtype)

    def kernel(self, x: np.ndarray, n: int, *, out: np.ndarray) -> None:
        at = x.shape[-1] - 1 - n if self.reverse else n
        np.copyto(out, np.partition(x, at, -1)[..., at])

    def vjp(self, x: Tensor, n: int, *, out: Tensor, dout: Tensor) -> Any:
        def slope() -> Tensor:
            best = Equal()(x, ExpandDims()(out, -1))
            count = ReduceSum(True)(Cast()(best, x.dtype), -1)
            return Select()(best, parted(ExpandDims()(dout, -1), count), 0)

        return (slope,)


class Quantile(_Composite):
    """The number below which the share q of the elements along ``dim`` lies, interpolated.

    Args:
        dim: the axis; None for the whole tensor.
        keep_dims: keep the axis with length 1.
        ignore_nan: leave nans out, instead of making the result nan.

    >>> print(Quantile()(Tensor([1.0, 2.0, 4.0]), 0.75))
    3.0
    """

    dim: int | None = None
    keep_dims: bool = False
    ignore_nan: bool = False

    def check(self) -> None:
        checks.boolean(self.name, "keep_dims", self.keep_dims)
        checks.boolean(self.name, "ignore_nan", self.ignore_nan)
        if self.dim is not None:
            check_axis(self.name, self.dim, 1 << 30, "dim")

    def __call__(self, x: Tensor, q: Any) -> Tensor:
        if x.dtype.kind != "f":
            raise TypeError(f"{self.name}: input must be a float tensor, got {x.dtype}.")
        if not isinstance(q, Tensor):
            if not 0 <= q <= 1:
                raise ValueError(f"{self.name}: q must be in [0, 1], got {q}.")
            q = Tensor(q, x.dtype)
        shape, axis = x.shape, 0 if self.dim is None else check_axis(self.name, self.dim, x.ndim)
        rows = Reshape()(x, (-1,)) if self.dim is None else x
        order = (*[i for i in range(rows.ndim) if i != axis], axis)
        rows = Sort()(Transpose()(rows, order))[0]  # (..., n), nans last
        n = rows.shape[-1]
        nan = Cast()(IsNan()(rows), x.dtype)
        missing = ReduceSum(True)(nan, -1)  # (..., 1)
        share = Reshape()(q, (-1,))
        counted = n - missing if self.ignore_nan else n + missing * 0
        place = share * (counted - 1)  # (..., q)
        low = Maximum()(Floor()(place), 0)
        high = Minimum()(low + 1, n - 1)
        below, above = (GatherD()(rows, -1, Cast()(i, mstype.int64)) for i in (low, high))
        # where the fraction is 0 the upper neighbour may be nan or missing
        part = place - low
        made = Select()(Greater()(part, 0), below + (above - below) * part, below)
        if not self.ignore_nan:
            made = Select()(Greater()(missing, 0), float("nan"), made)
        kept = made if q.ndim else Reshape()(made, made.shape[:-1])
        if q.ndim:  # the shares come first
            kept = Transpose()(made, (made.ndim - 1, *range(made.ndim - 1)))
        if not self.keep_dims:
            return kept
        lead = (made.shape[-1],) if q.ndim else ()
        ones = (1,) * len(shape) if self.dim is None else (*shape[:axis], 1, *shape[axis + 1 :])
        return Reshape()(kept, (*lead, *ones))


@method("quantile")
def quantile(input: Tensor, q: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """:class:`Quantile` of ``input`` along ``axis``."""
    return Quantile(axis, keepdims)(input, q)


@method("nanquantile")
def nanquantile(input: Tensor, q: Any, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """:class:`Quantile` of what is not nan in ``input`` along ``axis``."""
    return Quantile(axis, keepdims, True)(input, q)


__all__ = [
    "Median",
    "NthElement",
    "Quantile",
    "median",
    "nanmedian",
    "nanquantile",
    "quantile",
]
