"""Sums, means, extremes and products along axes, with NumPy's names."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.linalg.contraction import match_contracted_axes
from minispore.ops.mnp.creation import (
    all_to_tensors,
    to_single_or_less,
    to_tensor,
    to_tensor_int64,
    widen_half_floats,
)
from minispore.ops.mnp.maths import cast_if_needed, widen_to_single
from minispore.ops.statistics.deviations import to_floating
from minispore.ops.statistics.scan import choose_scan_dtype
from minispore.ops.support.arguments import to_static


def sum(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None
) -> Tensor:
    """Return the sum along ``axis`` (all axes by default) plus ``initial``.

    Without ``dtype``, bools, uint8, int8, int16 and int32 are summed as int64.

    >>> print(sum([[1.0, 2.0], [3.0, 4.0]], axis=0))
    [4. 6.]
    """
    total = ops.sum(to_tensor(a), to_static(axis), keepdims, dtype=dtype)
    return total if initial is None else total + initial


def mean(a: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Tensor:
    """Return the mean along ``axis`` (all axes by default), then cast to ``dtype``.

    Means of integers are truncated.
    """
    return cast_if_needed(ops.mean(to_tensor(a), to_static(axis), keepdims), dtype)


def average(x: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """Return the weighted mean along ``axis``; with ``returned`` also the sum of the weights.

    ``weights`` has the shape of ``x`` or is a vector along ``axis``, else a ValueError is raised.
    Without weights, the mean of integers is truncated.

    >>> print(average(Tensor([1.0, 2.0]), weights=Tensor([3.0, 1.0])))
    1.25
    """
    x = to_tensor(x)
    if weights is None:
        weighted_mean = ops.mean(x, to_static(axis))
        count = x.size // weighted_mean.size if weighted_mean.size else 0
        total = ops.full_like(weighted_mean, count)
    else:
        w = to_tensor(weights)
        if w.shape != x.shape:
            if axis is None or w.ndim != 1:
                raise ValueError(
                    f"average: weights must have the shape of x or be a vector along axis, got "
                    f"{w.shape} for {x.shape}."
                )
            w = ops.reshape(w, tuple(-1 if i == axis % x.ndim else 1 for i in range(x.ndim)))
            w = ops.broadcast_to(w, x.shape)
        total = ops.sum(w, to_static(axis))
        weighted_mean = ops.sum(x * w, to_static(axis)) / total
    return (weighted_mean, total) if returned else weighted_mean


def std(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """Return the standard deviation along ``axis`` (all axes by default), with the divisor n -
    ddof.
    """
    return ops.std(to_tensor(x), to_static(axis), ddof, keepdims)


def var(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """Return the variance along ``axis`` (all axes by default), with the divisor n - ddof."""
    return ops.var(to_tensor(x), to_static(axis), ddof, keepdims)


def amax(
    a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Tensor:
    """Return the maximum along ``axis`` (all axes by default) of ``initial`` and the elements
    selected by ``where``.

    Raises ValueError for a ``where`` without ``initial``.
    """
    mask = None if where is True else to_tensor(where)
    return ops.amax(to_tensor(a), to_static(axis), keepdims, initial=initial, where=mask)


def amin(
    a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Tensor:
    """Return the minimum along ``axis`` (all axes by default) of ``initial`` and the elements
    selected by ``where``.

    Raises ValueError for a ``where`` without ``initial``.
    """
    mask = None if where is True else to_tensor(where)
    return ops.amin(to_tensor(a), to_static(axis), keepdims, initial=initial, where=mask)


max, min = amax, amin


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Return the maximum minus the minimum along ``axis`` (all axes by default)."""
    return amax(x, axis, keepdims) - amin(x, axis, keepdims)


def argmax(a: Any, axis: int | None = None) -> Tensor:
    """Return the index (int64) of the first maximum along ``axis``, or in the flattened tensor."""
    return ops.argmax(to_tensor(a), axis)


def argmin(a: Any, axis: int | None = None) -> Tensor:
    """Return the index (int32) of the first minimum along ``axis``, or in the flattened tensor."""
    return ops.argmin(to_tensor(a), axis)


def prod(a: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Tensor:
    """Return the product along ``axis`` (all axes by default).

    Without ``dtype``, bools, uint8, int8, int16 and int32 are multiplied as int64, unless ``axis``
    is a tuple.
    """
    return ops.prod(to_tensor(a), to_static(axis), keepdims, dtype)


def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Tensor:
    """Return the cumulative sums along ``axis``, or of the flattened tensor, cast to ``dtype``.

    Bools, int8, int16 and uint8 are summed as int32; Python ints become int64.
    """
    x = to_tensor_int64(a)
    return x.cumsum(axis, dtype)


def cumprod(a: Any, axis: int | None = None, dtype: Any = None) -> Tensor:
    """Return the cumulative products along ``axis``, or of the flattened tensor, cast to ``dtype``.

    Bools, int8 and int16 are multiplied as int32, uint8 and uint16 as uint32; Python ints become
    int64.
    """
    x = to_tensor_int64(a)
    if x.dtype in (mstype.uint8, mstype.uint16):
        product_dtype = mstype.uint32
    else:
        product_dtype = choose_scan_dtype(x) or x.dtype
    rows = ops.ravel(x) if axis is None else x
    return cast_if_needed(ops.cumprod(rows, axis or 0, product_dtype), dtype)


def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Return the sum along ``axis`` (all axes by default), ignoring NaN, cast to ``dtype``."""
    return ops.nansum(to_tensor(a), to_static(axis), bool(keepdims), dtype=dtype)


def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Return the mean along ``axis`` (all axes by default), ignoring NaN; NaN where all elements
    are.

    Integers and float16 are computed in float32. ``dtype`` is that of the sum, before the division.
    """
    x = to_floating(widen_half_floats(to_tensor(a)))  # a sum of uint8 could overflow
    total = nansum(x, axis, dtype, keepdims)
    counted = count_nonzero(ops.logical_not(ops.isnan(x)), axis, bool(keepdims))
    return total / ops.cast(counted, x.dtype)


def count_nonzero(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Return the number (int32) of non-zero elements along ``axis`` (all axes by default)."""
    return ops.count_nonzero(to_tensor(x), () if axis is None else to_static(axis), keepdims)


def sometrue(a: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether any element along ``axis`` (all axes by default) is not 0, as a bool tensor."""
    keep_axes = bool(checks.instance("sometrue", "keepdims", keepdims, int))
    return ops.any(to_tensor(a).bool(), to_static(axis), keep_axes)


def trapz(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Tensor:
    """Return the integral of ``y`` along ``axis`` by the trapezoidal rule, with points ``x`` or
    spacing ``dx``.
    """
    return ops.trapz(to_tensor(y), None if x is None else to_tensor(x), dx=dx, dim=axis)


# -- products -------------------------------------------------------------------------------------


def matmul(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
    """Return the matrix product over the last two axes, cast to ``dtype``; the other axes
    broadcast.
    """
    return cast_if_needed(ops.MatMulExt()(to_tensor(x1), to_tensor(x2)), dtype)


def dot(a: Any, b: Any) -> Tensor:
    """Return the sum of products over the last axis of ``a`` and the second to last of ``b``.

    The only axis of a vector ``b`` is used; with a 0-d operand, the result is the product.

    >>> print(dot(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    11.0
    """
    x, y = to_tensor(a), to_tensor(b)
    if not x.ndim or not y.ndim:
        return x * y
    return tensordot(x, y, ((-1,), (y.ndim - 2 if y.ndim > 1 else 0,)))


def inner(a: Any, b: Any) -> Tensor:
    """Return the sum of products over the last axes; with a 0-d operand, the product."""
    x, y = to_tensor(a), to_tensor(b)
    return x * y if not x.ndim or not y.ndim else tensordot(x, y, ((-1,), (-1,)))


def outer(a: Any, b: Any) -> Tensor:
    """Return the products of all pairs of elements, one row per element of the flattened ``a``."""
    return ops.outer(ops.ravel(to_tensor(a)), ops.ravel(to_tensor(b)))


def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    """Return the sum of products over ``axes``, with the other axes of ``a`` before those of ``b``.

    ``axes`` is the number of last axes of a and first axes of b, or a pair of axes or lists of
    axes. Raises ValueError for lengths that differ.
    """
    x, y = to_tensor(a), to_tensor(b)
    static_axes = to_static(axes)
    if isinstance(static_axes, int):
        x_axes, y_axes = tuple(range(x.ndim - static_axes, x.ndim)), tuple(range(static_axes))
    else:
        x_axes, y_axes = (g if isinstance(g, tuple) else (g,) for g in static_axes)
        x_axes, y_axes = tuple(i % x.ndim for i in x_axes), tuple(i % y.ndim for i in y_axes)
    y, y_axes = match_contracted_axes("tensordot", x, x_axes, y, y_axes)
    free_x = [i for i in range(x.ndim) if i not in x_axes]
    free_y = [i for i in range(y.ndim) if i not in y_axes]
    contracted_size = int(np.prod([x.shape[i] for i in x_axes]))
    shape = tuple(x.shape[i] for i in free_x) + tuple(y.shape[i] for i in free_y)
    rows = -1 if contracted_size else math.prod(x.shape[i] for i in free_x)
    columns = -1 if contracted_size else math.prod(y.shape[i] for i in free_y)
    x = ops.reshape(ops.transpose(x, (*free_x, *x_axes)), (rows, contracted_size))
    y = ops.reshape(ops.transpose(y, (*y_axes, *free_y)), (contracted_size, columns))
    return ops.reshape(ops.MatMulExt()(x, y), shape)


def multi_dot(arrays: Any) -> Tensor:
    """Return the matrix product of several tensors, multiplied from left to right; a single one is
    returned itself.
    """
    return functools.reduce(ops.MatMulExt(), all_to_tensors("multi_dot", "arrays", arrays))


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Tensor:
    """Return the cross product of vectors of 2 or 3 elements along the axes ``axisa`` and
    ``axisb``.

    A missing third element is 0. Two vectors of 2 elements give only the third element of the
    product, without that axis; else the product lies along ``axisc``. ``axis`` replaces all three.

    >>> print(cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    [0. 0. 1.]
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = ops.movedim(to_tensor(a), axisa, -1), ops.movedim(to_tensor(b), axisb, -1)
    lengths = x.shape[-1], y.shape[-1]
    if not {*lengths} <= {2, 3}:
        raise ValueError(f"cross: vectors must have 2 or 3 elements, got {x.shape} and {y.shape}.")
    u, v = (
        [t[..., i] for i in range(t.shape[-1])] + [None] * (3 - t.shape[-1])  # in a plane
        for t in (x, y)
    )
    if lengths == (2, 2):
        return _compute_minor(u, v, 0, 1)
    return ops.stack([_compute_minor(u, v, (i + 1) % 3, (i + 2) % 3) for i in range(3)], axisc)


def _compute_minor(u: list[Any], v: list[Any], i: int, j: int) -> Tensor:
    """Return u_i v_j - u_j v_i; None means 0; one of the products must have both elements."""
    if u[i] is None or v[j] is None:
        return -(u[j] * v[i])
    if u[j] is None or v[i] is None:
        return u[i] * v[j]
    return u[i] * v[j] - u[j] * v[i]


def matrix_power(a: Any, n: int) -> Tensor:
    """Return the ``n``-th power of a square matrix, or of each matrix in a stack; raise ValueError
    for a negative ``n``.

    >>> print(matrix_power([[1.0, 1.0], [0.0, 1.0]], 3))
    [[1. 3.]
     [0. 1.]]
    """
    return ops.matrix_power(to_tensor(a), checks.integer("matrix_power", "n", n, 0))


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Return the norm of vectors or matrices along ``axis``; by default the 2-norm of all elements.

    ``ord`` is that of :func:`ops.norm`. The norm of a float16 or bfloat16 tensor is float32.
    """
    checks.boolean("norm", "keepdims", keepdims)
    return ops.norm(widen_half_floats(to_tensor(x)), ord, to_static(axis), keepdims)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Tensor:
    """Return the sum along diagonal ``offset`` of the axes (axis1, axis2); integers other than
    uint64 are summed as int64.
    """
    a = to_tensor(a)
    if dtype is None and a.dtype.kind in "iu" and a.dtype != mstype.uint64:
        dtype = mstype.int64
    return sum(ops.diagonal(a, offset, axis1, axis2), -1, dtype)


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    dtype: Any = None,
) -> Tensor:
    """Return the covariance matrix of the variables in the rows (``rowvar``) or columns of ``m``
    and ``y``.

    Args:
        m: a matrix, or a vector for one variable.
        y: more variables.
        rowvar: whether variables are rows, and observations columns.
        bias: divide by the number of observations n instead of n - 1.
        ddof: divide by n - ddof, whatever ``bias``.
        fweights: the frequency of each observation.
        aweights: the weight of each observation.
        dtype: the dtype to which the result is cast.

    Returns:
        Tensor, 0-d for one variable; float32, or complex for complex inputs.

    Raises:
        ValueError: the number of weights is not that of the observations.
    """
    x = _stack_variables(m, y, rowvar)
    weights = [w for w in (fweights, aweights) if w is not None]
    if ddof is None:
        ddof = 0 if bias else 1
    if not weights:
        centred = x - ops.mean(x, 1, keep_dims=True)
        table = ops.MatMulExt()(centred, ops.transpose(centred, (1, 0))) / (x.shape[1] - ddof)
        return cast_if_needed(ops.squeeze(table), dtype)
    observation_weights = [_check_observation_weights("cov", w, x.shape[1]) for w in weights]
    w = functools.reduce(operator.mul, observation_weights)
    total = ops.sum(w)
    weight_ratio = ops.sum(w * observation_weights[-1]) / total if aweights is not None else 1
    centred = x - ops.sum(x * w, 1, keepdim=True) / total
    table = ops.MatMulExt()(centred * w, ops.transpose(centred, (1, 0))) / (
        total - ddof * weight_ratio
    )
    return cast_if_needed(ops.squeeze(table), dtype)


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Tensor:
    """Return the correlation matrix of the variables in the rows (``rowvar``) or columns of ``x``
    and ``y``, cast to ``dtype``; 0-d for one variable.
    """
    table = ops.atleast_2d(cov(x, y, rowvar))
    deviations = ops.sqrt(ops.diagonal(table))
    return cast_if_needed(ops.squeeze(table / ops.outer(deviations, deviations)), dtype)


def _check_observation_weights(api_name: str, weights: Any, count: int) -> Tensor:
    """Return the magnitudes of ``weights`` as float32; raise ValueError unless their number is
    ``count``.
    """
    w = to_tensor(weights)
    if w.shape != (count,):
        raise ValueError(
            f"{api_name}: fweights and aweights must have a number for each of the {count} "
            f"observations, got shape {w.shape}."
        )
    return ops.abs(ops.cast(w, mstype.float32))


def _stack_variables(m: Any, y: Any, rowvar: bool) -> Tensor:
    """Return the variables of ``m`` and ``y`` as the rows of one float32 or complex matrix.

    Unless ``rowvar``, columns become rows; a vector is always one row.
    """
    matrices = []
    for variables in (m,) if y is None else (m, y):
        x = ops.atleast_2d(to_single_or_less(widen_to_single(to_tensor(variables))))
        matrices.append(x if rowvar or x.shape[0] == 1 else ops.transpose(x, (1, 0)))
    return ops.concat(matrices, 0) if y is not None else matrices[0]


__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "average",
    "corrcoef",
    "count_nonzero",
    "cov",
    "cross",
    "cumprod",
    "cumsum",
    "dot",
    "inner",
    "matmul",
    "matrix_power",
    "max",
    "mean",
    "min",
    "multi_dot",
    "nanmean",
    "nansum",
    "norm",
    "outer",
    "prod",
    "ptp",
    "sometrue",
    "std",
    "sum",
    "tensordot",
    "trace",
    "trapz",
    "var",
]
