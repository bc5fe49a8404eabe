"""Predicates and properties of values and dtypes, and reductions that ignore NaN."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.dtype import DType
from minispore.ops.mnp.creation import resolve_dtype, to_tensor
from minispore.ops.mnp.maths import cast_if_needed
from minispore.ops.support.arguments import to_static


def size(a: Any, axis: int | None = None) -> int:
    """Return the number of elements, or the length of ``axis``; raise IndexError if there is no
    such axis.
    """
    a = to_tensor(a)
    return a.size if axis is None else a.shape[axis]


def isscalar(element: Any) -> bool:
    """Whether ``element`` is a Python or NumPy scalar or a string; a tensor is not."""
    return np.isscalar(element)


def array_str(a: Any) -> str:
    """Return the string that ``print`` shows for the tensor."""
    return str(to_tensor(a))


def _get_numpy_dtype(x: Any) -> np.dtype:
    """Return the NumPy dtype of a tensor, value, Python type, dtype, or dtype name (also NumPy's
    codes such as "f4").
    """
    if isinstance(x, DType):
        return mstype.to_numpy(x)
    if isinstance(x, str) and x not in ("int", "float", "uint"):
        try:  # NumPy's codes are also accepted: "f4", "?"
            return mstype.from_numpy(np.dtype(x)).np
        except TypeError:
            return mstype.to_numpy(mstype.resolve_dtype(x))
    if isinstance(x, str | type | np.dtype):
        return mstype.to_numpy(resolve_dtype(x))
    return mstype.to_numpy(to_tensor(x).dtype)


def promote_types(type1: Any, type2: Any) -> DType:
    """Return the dtype in which an operation on both dtypes is computed.

    Each is a dtype, its name, a Python type, or a value with a dtype.

    >>> promote_types("int32", "float16")
    mindspore.float16
    """
    return mstype.from_numpy(mstype.promote(_get_numpy_dtype(type1), _get_numpy_dtype(type2)))


def result_type(*arrays_and_dtypes: Any) -> DType:
    """Return the dtype to which :func:`promote_types` promotes all tensors and dtypes together,
    one after another.
    """
    dtypes = map(_get_numpy_dtype, arrays_and_dtypes)
    return mstype.from_numpy(functools.reduce(mstype.promote, dtypes))


def signbit(x: Any, dtype: Any = None) -> Tensor:
    """Whether each element of ``x`` is below 0, which -0.0 is not; cast to ``dtype``."""
    return cast_if_needed(ops.less(to_tensor(x), 0), dtype)


def isneginf(x: Any) -> Tensor:
    """Whether each element of x is -inf."""
    return ops.equal(to_tensor(x), float("-inf"))


def isposinf(x: Any) -> Tensor:
    """Whether each element of x is inf."""
    return ops.equal(to_tensor(x), float("inf"))


# -- without NaN -----------------------------------------------------------------------------------


def _replace_nan(x: Tensor, number: float) -> Tensor:
    """Return ``x`` with ``number`` in place of NaN; return ``x`` itself unless it is a float
    tensor.
    """
    return x if x.dtype.kind != "f" else ops.where(ops.isnan(x), ops.full_like(x, number), x)


def _reduce_ignoring_nan(a: Any, axis: Any, dtype: Any, keepdims: bool, sign: int) -> Tensor:
    """Return the maximum (``sign`` 1) or minimum (-1) along ``axis``, ignoring NaN.

    The result is NaN where all elements are NaN.
    """
    a = to_tensor(a)
    reduce = ops.amax if sign > 0 else ops.amin
    keepdims = bool(checks.instance("nanmax" if sign > 0 else "nanmin", "keepdims", keepdims, int))
    extreme = reduce(_replace_nan(a, -sign * float("inf")), to_static(axis), keepdims)
    if a.dtype.kind == "f":
        all_nan = ops.all(ops.isnan(a), to_static(axis), keepdims)
        extreme = ops.where(all_nan, ops.full_like(extreme, float("nan")), extreme)
    return cast_if_needed(extreme, dtype)


def nanmax(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Return the maximum along ``axis`` (all axes by default), ignoring NaN; NaN where all elements
    are NaN.

    >>> print(nanmax([1.0, float("nan")]))
    1.0
    """
    return _reduce_ignoring_nan(a, axis, dtype, keepdims, 1)


def nanmin(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """Return the minimum along ``axis`` (all axes by default), ignoring NaN; NaN where all elements
    are NaN.
    """
    return _reduce_ignoring_nan(a, axis, dtype, keepdims, -1)


def nancumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Tensor:
    """Return the cumulative sum along ``axis``, or of the flattened ``a``, treating NaN as 0."""
    return _replace_nan(to_tensor(a), 0.0).cumsum(axis, dtype)


def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False
) -> Tensor:
    """Return the variance along ``axis`` (all axes by default), ignoring NaN, with the divisor n -
    ddof.

    It is computed in float32, then cast to ``dtype``; n is the number of elements that are not NaN.

    >>> print(nanvar([1.0, float("nan"), 4.0]))
    2.25
    """
    a = to_tensor(a)
    a = ops.cast(a, mstype.float32)
    is_number = ops.cast(ops.logical_not(ops.isnan(a)), a.dtype)
    count = ops.sum(is_number, to_static(axis), True)
    x = _replace_nan(a, 0.0)
    deviation = (x - ops.sum(x, to_static(axis), True) / count) * is_number
    keepdims = bool(keepdims)
    total = ops.sum(deviation * deviation, to_static(axis), keepdims)
    return cast_if_needed(total / (ops.sum(is_number, to_static(axis), keepdims) - ddof), dtype)


def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False
) -> Tensor:
    """Return the standard deviation along ``axis`` (all axes by default), ignoring NaN, with the
    divisor n - ddof.

    It is computed in float32, then cast to ``dtype``; n is the number of elements that are not NaN.
    """
    return cast_if_needed(ops.sqrt(nanvar(a, axis, None, ddof, keepdims)), dtype)


__all__ = [
    "array_str",
    "isneginf",
    "isposinf",
    "isscalar",
    "nancumsum",
    "nanmax",
    "nanmin",
    "nanstd",
    "nanvar",
    "promote_types",
    "result_type",
    "signbit",
    "size",
]
