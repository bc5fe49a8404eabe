"""Variances, standard deviations, covariances, non-zero counts, and sums and means that ignore
NaN.
"""

from __future__ import annotations

import math
from typing import Any

from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.compare import IsNan, LogicalNot, NotEqual
from minispore.ops.elementwise.powers import Sqrt
from minispore.ops.elementwise.rounding import Square
from minispore.ops.index.select import Select
from minispore.ops.linalg.products import MatMulExt
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import Reshape, Squeeze, Transpose
from minispore.ops.statistics.quantiles import median, nanmedian
from minispore.ops.statistics.reduce import ReduceMean, ReduceSum, normalize_reduction_axes
from minispore.ops.support.arguments import (
    ANY_NDIM,
    FLOAT_KINDS,
    check_axes,
    check_tensors,
    check_whole_number,
    to_static,
)
from minispore.ops.support.derive import _Composite
from minispore.ops.support.spelling import also_spelled

# -- deviations ------------------------------------------------------------------------------------


def to_floating(input: Tensor) -> Tensor:
    """Cast bools and integers to float32; return other tensors unchanged."""
    return Cast()(input, mstype.float32) if input.dtype.kind in "biu" else input


def _compute_moments(
    input: Tensor, axis: Any, ddof: int, keepdims: bool, take_root: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the variance, or with ``take_root`` the standard deviation, and the mean along
    ``axis``.

    float16 and bfloat16 are computed in float32 and cast back.
    """
    input = to_floating(input)
    if input.itemsize == 2:
        moments32 = _compute_moments(Cast()(input, mstype.float32), axis, ddof, keepdims, take_root)
        deviation, mean = [Cast()(a, input.dtype) for a in moments32]
        return deviation, mean
    axes = normalize_reduction_axes("var", to_static(axis), input.ndim)
    mean = ReduceMean(keep_dims=True)(input, axes)
    n = math.prod(input.shape[i] for i in axes)
    squares = ReduceSum(keepdims)(Square()(input - mean), axes)
    variance = squares / (n - check_whole_number("var", ddof, "ddof"))
    deviation = Sqrt()(variance) if take_root else variance
    return deviation, mean if keepdims else _squeeze_axes(mean, axes)


def _squeeze_axes(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Remove ``axes``, which have length 1; return ``x`` if there are none."""
    return Squeeze(axes)(x) if axes else x


@method("var")
@also_spelled(dim="axis", keepdim="keepdims", keep_dims="keepdims", correction="ddof")
def var(input: Tensor, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """Return the variance along ``axis``: the sum of squared deviations divided by n - ddof.

    Without ``axis``, it is that of all elements; bools and integers are computed in float32.

    >>> print(var(Tensor([1.0, 3.0])), var(Tensor([1.0, 3.0]), ddof=1))
    1.0 2.0
    """
    check_tensors("var", input=input)
    return _compute_moments(input, axis, ddof, keepdims)[0]


@method("std")
@also_spelled(dim="axis", keepdim="keepdims", keep_dims="keepdims", correction="ddof")
def std(input: Tensor, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """Return the standard deviation along ``axis`` (by default all axes), with the divisor n -
    ddof.

    Bools and integers are computed in float32.
    """
    check_tensors("std", input=input)
    return _compute_moments(input, axis, ddof, keepdims, take_root=True)[0]


def var_mean(
    input: Tensor, axis: Any = None, ddof: int = 0, keepdims: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the variance (with the divisor n - ddof) and the mean along ``axis``, by default all
    axes.
    """
    check_tensors("var_mean", input=input)
    return _compute_moments(input, axis, ddof, keepdims)


def std_mean(
    input: Tensor, axis: Any = None, ddof: int = 0, keepdims: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the standard deviation (with the divisor n - ddof) and the mean along ``axis``, by
    default all axes.
    """
    check_tensors("std_mean", input=input)
    return _compute_moments(input, axis, ddof, keepdims, take_root=True)


class ReduceStd(_Composite):
    """The standard deviation and the mean along ``axis``.

    Args:
        axis: the axes; all by default.
        unbiased: divide by n - 1 instead of n.
        keep_dims: keep the reduced axes with length 1.

    >>> deviation, mean = ReduceStd(unbiased=False)(Tensor([1.0, 3.0]))
    >>> print(deviation, mean)
    1.0 2.0
    """

    axis: Any = ()
    unbiased: bool = True
    keep_dims: bool = False

    def check(self) -> None:
        """Raise unless both flags are bools and the axes are distinct ints."""
        checks.boolean(self.name, "unbiased", self.unbiased)
        checks.boolean(self.name, "keep_dims", self.keep_dims)
        if self.axis != ():
            check_axes(self.name, self.axis, ANY_NDIM)

    def __call__(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return the standard deviation and the mean; raise TypeError unless x is a float
        tensor.
        """
        if x.dtype.kind not in FLOAT_KINDS:
            raise TypeError(f"{self.name}: x must be a float tensor, got {x.dtype}.")
        return std_mean(x, self.axis, int(self.unbiased), self.keep_dims)


@method("cov")
def cov(
    input: Tensor, *, correction: int = 1, fweights: Any = None, aweights: Any = None
) -> Tensor:
    """Return the covariance matrix of the rows of ``input``; of a single row or a vector, its 0-d
    variance.

    Args:
        input: variables in rows, observations in columns.
        correction: subtracted from the number of observations.
        fweights: the integer frequency of each observation.
        aweights: the weight of each observation.

    Raises:
        TypeError: ``input`` is not a Tensor of numbers.
        ValueError: it has more than 2 axes.

    >>> print(cov(Tensor([[1.0, 3.0], [5.0, 5.0]])))
    [[2. 0.]
     [0. 0.]]
    """
    check_tensors("cov", input=input)
    if input.dtype.kind == "b":
        raise TypeError("cov: input must hold numbers, got bool. Cast it first.")
    if input.ndim > 2:
        raise ValueError(f"cov: input must have at most 2 axes, got shape {input.shape}.")
    rows = to_floating(input)
    if rows.dtype == mstype.float16:
        rows = Cast()(rows, mstype.float32)
    if input.ndim < 2:
        rows = Reshape()(rows, (1, -1))
    weights = None
    for factor in (fweights, aweights):
        if factor is not None:
            factor = Cast()(factor, rows.dtype)
            weights = factor if weights is None else weights * factor
    if weights is None:
        divisor: Any = max(rows.shape[1] - correction, 0)
        centered = rows - ReduceMean(keep_dims=True)(rows, 1)
        weighted = centered
    else:
        total = ReduceSum()(weights)
        centered = rows - ReduceSum(keep_dims=True)(rows * weights, 1) / total
        weighted = centered * weights
        divisor = total - correction
        if aweights is not None:
            divisor = total - ReduceSum()(weights * aweights) / total * correction
    covariance = MatMulExt()(centered, Transpose()(weighted, (1, 0))) / divisor
    return covariance if rows.shape[0] > 1 else Reshape()(covariance, ())


# -- order statistics ------------------------------------------------------------------------------


method("median")(median)
method("nanmedian")(nanmedian)


# -- counting, and reductions that ignore NaN ------------------------------------------------------


class CountNonZero(_Composite):
    """The number of elements along ``dims`` that are not 0, int64.

    >>> print(CountNonZero()(Tensor([0.0, 2.0, 3.0])))
    2
    """

    dims: Any = None

    def __call__(self, x: Tensor) -> Tensor:
        """Return the counts; without ``dims``, one for all elements."""
        axes = normalize_reduction_axes(self.name, to_static(self.dims), x.ndim)
        return ReduceSum()(Cast()(NotEqual()(x, 0), mstype.int64), axes)


def count_nonzero(
    x: Tensor, axis: Any = (), keep_dims: bool = False, dtype: Any = mstype.int32
) -> Tensor:
    """Return the number of elements along ``axis`` (by default all axes) that are not 0, in
    ``dtype``.

    >>> print(count_nonzero(Tensor([[0, 2], [3, 4]]), 1))
    [1 2]
    """
    return ReduceSum(keep_dims)(Cast()(NotEqual()(x, 0), dtype), axis)


@method("count_nonzero")
@also_spelled(dim="axis", keepdims="keep_dims")
def _count_nonzero(
    self: Tensor, axis: Any = (), keep_dims: bool = False, dtype: Any = mstype.int32
) -> Tensor:
    """Return the number of elements along ``axis`` (by default all axes) that are not 0, in
    ``dtype``.
    """
    return count_nonzero(self, axis, keep_dims, dtype)


@method("nansum")
@also_spelled(dim="axis", keepdim="keepdims")
def nansum(input: Tensor, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the sum along ``axis`` (by default all axes), ignoring NaN.

    Without ``dtype``, it has the dtype of ``input``, or int64 for bool.

    >>> print(nansum(Tensor([1.0, float("nan"), 2.0])))
    3.0
    """
    check_tensors("nansum", input=input)
    if input.dtype is mstype.bool_:
        input = Cast()(input, mstype.int64)
    total = ReduceSum(keepdims)(Select()(IsNan()(input), 0, input), axis)
    return total if dtype is None else total.astype(dtype)


@method("nanmean")
def nanmean(
    input: Tensor, axis: Any = None, keepdims: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the mean along ``axis`` (by default all axes), ignoring NaN; NaN if all elements are.

    ``input`` must be a float tensor, or a TypeError is raised; the mean is cast to ``dtype``.

    >>> print(nanmean(Tensor([1.0, float("nan"), 2.0])))
    1.5
    """
    check_tensors("nanmean", input=input)
    if input.dtype.kind not in FLOAT_KINDS:
        raise TypeError(f"nanmean: input must be a float tensor, got {input.dtype}. Cast it first.")
    is_counted = Cast()(LogicalNot()(IsNan()(input)), input.dtype)
    means = nansum(input, axis, keepdims) / ReduceSum(keepdims)(is_counted, axis)
    return means if dtype is None else Cast()(means, dtype)


__all__ = [
    "CountNonZero",
    "ReduceStd",
    "count_nonzero",
    "cov",
    "nanmean",
    "nansum",
    "std",
    "std_mean",
    "var",
    "var_mean",
]
