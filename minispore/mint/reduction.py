"""Functions along axes: sums, extremes, moments, norms, scans and sorting."""

from __future__ import annotations

import math
from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.mint.elementwise import convert_to_float
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.statistics.reduce import normalize_reduction_axes
from minispore.ops.support.arguments import check_tensors, to_static


def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the sum along ``dim``, by default of all elements; integers are summed as int64.

    >>> print(sum(Tensor([[1, 2], [3, 4]]), 1))
    [3 7]
    """
    return ops.sum(input, dim, keepdim, dtype=dtype)


def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the mean along ``dim``, by default of all elements, in ``dtype`` or that of
    ``input``.
    """
    return ops.mean(input, dim, keepdim, dtype=dtype)


def prod(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the product along ``dim``, by default of all; integers are multiplied as int64."""
    return ops.prod(input, dim, keepdim, dtype)


def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Return the sum along ``dim``, by default of all elements, treating NaN as 0."""
    return ops.nansum(input, dim, keepdim, dtype=dtype)


def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return whether all elements along ``dim``, by default all of the tensor, are true, as
    bools.
    """
    return ops.all(input, dim, keepdim)


def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return whether any element along ``dim``, by default of the tensor, is true, as bools."""
    return ops.any(input, dim, keepdim)


def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the maximum along ``dim``, by default of all elements; ties share the gradient."""
    return ops.amax(input, dim, keepdim)


def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the minimum along ``dim``, by default of all elements; ties share the gradient."""
    return ops.amin(input, dim, keepdim)


def max(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the maximum of the tensor, or along an int ``dim`` the maximum and its index.

    With another tensor, a float or a bool (in place of ``dim``, or any number as ``other``), return
    the element-wise maximum. ``keepdim`` without ``dim`` raises a TypeError.

    >>> values, indices = max(Tensor([[1.0, 5.0], [7.0, 2.0]]), 1)
    >>> print(values, indices, max(Tensor([3.0, 1.0])), max(Tensor([3, 1]), Tensor([2, 2])))
    [5. 7.] [1 0] 3.0 [3 2]
    """
    return _reduce_or_compare("maximum", "ArgMaxWithValue", "amax", input, dim, keepdim, other)


def min(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the minimum of the tensor, or along an int ``dim`` the minimum and its index.

    With another tensor, a float or a bool (in place of ``dim``, or any number as ``other``), return
    the element-wise minimum. ``keepdim`` without ``dim`` raises a TypeError.
    """
    return _reduce_or_compare("minimum", "ArgMinWithValue", "amin", input, dim, keepdim, other)


def _reduce_or_compare(
    pairwise_name: str,
    axis_op_name: str,
    reduce_name: str,
    input: Tensor,
    dim: Any,
    keepdim: bool,
    other: Any,
) -> Any:
    """Return ``max`` or ``min`` in the form that the arguments select.

    Args:
        pairwise_name: the name of the function that compares with ``other``.
        axis_op_name: the name of the op along an axis, which also returns indices.
        reduce_name: the name of the function over all elements.
        input: the tensor.
        dim: an axis, None, or ``other`` passed by position.
        keepdim: whether to keep the axis with length 1.
        other: the tensor or number to compare with.

    Raises:
        TypeError: keepdim is passed without dim.
    """
    if other is None and isinstance(dim, Tensor | float | bool):
        dim, other = None, dim
    if other is not None:
        return getattr(ops, pairwise_name)(input, other)
    if dim is None and keepdim is not False:
        raise TypeError(
            checks.format_error(
                reduce_name[1:], "dim", "be an int where keepdim is given", checks.format_value(dim)
            )
        )
    if dim is None:
        return getattr(ops, reduce_name)(input)
    indices, values = getattr(ops, axis_op_name)(dim, keepdim)(input)
    return values, indices


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Return the index (int64) of the minimum along ``dim``, of ties the first; without ``dim``, in
    the flattened tensor.

    >>> print(argmin(Tensor([[4.0, 5.0], [7.0, 0.0]]), dim=1))
    [0 1]
    """
    return Cast()(ops.argmin(input, dim, keepdim), mstype.int64)


def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """Return the number of non-zero elements along ``dim``, by default of all elements (int64).

    >>> print(count_nonzero(Tensor([[0, 2], [3, 4]]), 1))
    [1 2]
    """
    return ops.count_nonzero(input, () if dim is None else dim, dtype=mstype.int64)


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """Return log(sum(exp(input))) along ``dim``, an int or a tuple, without overflow."""
    return ops.logsumexp(input, dim, keepdim)


# -- moments --------------------------------------------------------------------------------------


def _limit_correction(api_name: str, input: Tensor, dim: Any, correction: int) -> int:
    """Return ``correction``, at most the number of elements along ``dim``, so that the divisor of
    the variance is not negative.
    """
    check_tensors(api_name, input=input)
    count = math.prod(
        [input.shape[i] for i in normalize_reduction_axes(api_name, to_static(dim), input.ndim)]
    )
    return count if correction.__class__ is int and correction > count else correction


def var(input: Tensor, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Tensor:
    """Return the variance along ``dim``, with the divisor n - correction; by default of all
    elements.

    A ``correction`` above n is taken as n.

    >>> print(var(Tensor([1.0, 3.0])), var(Tensor([1.0, 3.0]), correction=0))
    2.0 1.0
    """
    return ops.var(input, dim, _limit_correction("var", input, dim, correction), keepdim)


def std(input: Tensor, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Tensor:
    """Return the standard deviation along ``dim``, by default along all axes, with the divisor n -
    correction; a larger ``correction`` counts as n.
    """
    return ops.std(input, dim, _limit_correction("std", input, dim, correction), keepdim)


def var_mean(
    input: Tensor, dim: Any = None, *, correction: int = 1, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the variance (with the divisor n - correction, at least 0) and the mean along ``dim``,
    by default along all axes.
    """
    return ops.var_mean(input, dim, _limit_correction("var_mean", input, dim, correction), keepdim)


def std_mean(
    input: Tensor, dim: Any = None, *, correction: int = 1, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the standard deviation (with the divisor n - correction, at least 0) and the mean
    along ``dim``, by default along all axes.
    """
    return ops.std_mean(input, dim, _limit_correction("std_mean", input, dim, correction), keepdim)


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """Return the median of the tensor, or along ``dim`` the median and its index.

    Of two middle elements, the median is the lower one. The index is int64.

    >>> print(median(Tensor([3.0, 1.0, 2.0])))
    2.0
    """
    if dim is None:
        return ops.median(ops.reshape(input, (-1,)))[0]
    return ops.median(input, dim, keepdim)


def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the p-norm along ``dim``, by default of all elements; "fro" is the 2-norm, "nuc" the
    nuclear norm.

    ``dtype`` is that to which ``input`` is cast first. The nuclear norm needs two axes, by default
    those of a matrix.

    >>> print(norm(Tensor([[3.0, 4.0]])), norm(Tensor([[3.0, -4.0]]), 1, dim=1))
    5.0 [7.]
    """
    if p == "nuc":
        axes = (0, 1) if dim is None and input.ndim == 2 else dim
        return ops.matrix_norm(input, "nuc", axes, keepdim, dtype=dtype)
    return ops.vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)


# -- scans and sorting -----------------------------------------------------------------------------


def cumsum(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Return the cumulative sum along ``dim``, cast to ``dtype`` first; without it, integers and
    bools are summed as int64.

    >>> print(cumsum(Tensor([True, False, True]), 0))
    [1 1 2]
    """
    check_tensors("cumsum", input=input)
    return ops.cumsum(_cast_integers_to_int64(input, dtype), dim)


def cumprod(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Return the cumulative product along ``dim``, cast to ``dtype`` first; without it, bools and
    integers are multiplied as int64.
    """
    check_tensors("cumprod", input=input)
    return ops.cumprod(input, dim, dtype)


def _cast_integers_to_int64(input: Tensor, dtype: Any) -> Tensor:
    """Return ``input`` cast to ``dtype``; without one, integers and bools as int64, others
    unchanged.
    """
    if dtype is None and input.dtype.kind in "biu":
        dtype = mstype.int64
    return input if dtype is None else Cast()(input, dtype)


def cummax(input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Return the cumulative maximum along ``dim``, and its indices (int64); of ties, the last."""
    values, indices = ops.cummax(input, dim)
    return values, Cast()(indices, mstype.int64)


def cummin(input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Return the cumulative minimum along ``dim``, and its indices (int64); of ties, the last."""
    values, indices = ops.cummin(input, dim)
    return values, Cast()(indices, mstype.int64)


def sort(
    input: Tensor, *, dim: int = -1, descending: bool = False, stable: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the elements sorted along ``dim``, in descending order if ``descending``, and their
    original indices (int64).

    The sort is always stable.

    >>> print(*sort(Tensor([3.0, 1.0, 2.0])))
    [1. 2. 3.] [1 2 0]
    """
    values, indices = ops.sort(input, dim, descending)
    return values, Cast()(indices, mstype.int64)


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Return the indices (int64) that sort ``input`` along ``dim``, in descending order if
    ``descending``.

    The sort is always stable.
    """
    return Cast()(ops.argsort(input, dim, descending), mstype.int64)


def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    """Return the ``k`` greatest elements along ``dim``, without ``largest`` the smallest, and their
    indices (int64).

    >>> print(*topk(Tensor([3.0, 1.0, 2.0]), 2))
    [3. 2.] [0 2]
    """
    values, indices = ops.topk(input, k, dim, largest, sorted)
    return values, Cast()(indices, mstype.int64)


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Return the ``k``-th smallest element along ``dim``, counted from 1, and its index (int64).

    >>> print(*kthvalue(Tensor([3.0, 1.0, 2.0]), 2))
    2.0 2
    """
    check_tensors("kthvalue", input=input)
    values, indices = input.kthvalue(k, dim, keepdim)
    return values, Cast()(indices, mstype.int64)


def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None
) -> Tensor:
    """Return the ``n``-th differences of adjacent elements along ``dim``, which shortens by ``n``;
    raise ValueError for an empty axis.

    ``prepend`` and ``append`` are concatenated first.
    """
    return ops.diff(input, n, dim, prepend, append)


def softmax(input: Tensor, dim: int | None, *, dtype: Any = None) -> Tensor:
    """Return exp(input) / sum(exp(input)) along ``dim``; None means :func:`get_class_axis`.

    ``input`` is cast to ``dtype`` first. The softmax of a 0-d tensor is 1.
    """
    if isinstance(input, Tensor) and not input.ndim and dim in (None, 0, -1):
        return ops.softmax(ops.reshape(input, (1,)), 0, dtype=dtype).reshape(())
    return ops.softmax(input, get_class_axis(input) if dim is None else dim, dtype=dtype)


def get_class_axis(input: Tensor) -> int:
    """Return the default class axis: 0 for a tensor of 0, 1 or 3 axes, else 1."""
    return 0 if input.ndim in (0, 1, 3) else 1


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Return the number of occurrences of each of 0, 1, ... (int64), or the sums of their weights.

    The result has at least ``minlength`` elements. Raises a TypeError unless ``input`` holds
    integers, ValueError for a negative number.

    >>> print(bincount(Tensor([1, 3, 1])))
    [0 2 0 1]
    """
    counts = ops.bincount(input, weights, minlength)
    return Cast()(counts, mstype.int64) if weights is None else counts


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """Return the number of elements in each of ``bins`` equal bins of [min, max].

    The default range, for ``min`` equal to ``max``, is that of the elements. The counts have the
    dtype of ``input``, or float32 if it holds integers.

    >>> print(histc(Tensor([1.0, 2.0, 1.0]), 2))
    [2. 1.]
    """
    counts = ops.histc(input, bins, min, max)
    return Cast()(counts, convert_to_float(input).dtype)


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the sorted distinct elements, optionally with each element's index among them and
    their counts.

    With ``dim``, return distinct slices along that axis. Without the options, return a tensor, not
    a tuple.

    >>> print(unique(Tensor([3, 1, 3])))
    [1 3]
    """
    check_tensors("unique", input=input)
    return input.unique(sorted, return_inverse, return_counts, dim)


__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmin",
    "argsort",
    "bincount",
    "count_nonzero",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "diff",
    "histc",
    "kthvalue",
    "logsumexp",
    "max",
    "mean",
    "median",
    "min",
    "nansum",
    "norm",
    "prod",
    "softmax",
    "sort",
    "std",
    "std_mean",
    "sum",
    "topk",
    "unique",
    "var",
    "var_mean",
]
