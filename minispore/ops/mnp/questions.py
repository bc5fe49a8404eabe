"""What a value or a type is: sizes, signs, common types; and reductions that leave NaN out."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.dtype import DType
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.mnp.creation import named, to_tensor
from minispore.ops.mnp.maths import _cast
from minispore.ops.support.arguments import to_static


def size(a: Any, axis: int | None = None) -> int:
    """The number of elements, or the length of ``axis``."""
    a = to_tensor(a)
    return a.size if axis is None else a.shape[axis]


def isscalar(element: Any) -> bool:
    """Whether it is a Python number or string, and no tensor."""
    return np.isscalar(element)


def array_str(a: Any) -> str:
    """The content as text."""
    return str(to_tensor(a))


def _type_of(given: Any) -> np.dtype:
    if isinstance(given, DType):
        return mstype.to_numpy(given)
    if isinstance(given, str) and given not in ("int", "float", "uint"):
        try:  # NumPy's codes, too: "f4", "?"
            return mstype.from_numpy(np.dtype(given)).np
        except TypeError:
            return mstype.to_numpy(mstype.resolve_dtype(given))
    if isinstance(given, str | type | np.dtype):
        return mstype.to_numpy(named(given))
    return mstype.to_numpy(to_tensor(given).dtype)


def promote_types(type1: Any, type2: Any) -> DType:
    """The type that both fit into.

    >>> promote_types("int32", "float16")
    mindspore.float16
    """
    return mstype.from_numpy(mstype.promote(_type_of(type1), _type_of(type2)))


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The type that all of the tensors and types fit into."""
    first, *rest = arrays_and_dtypes
    made = _type_of(first)
    for other in rest:
        made = mstype.promote(made, _type_of(other))
    return mstype.from_numpy(made)


def signbit(x: Any, dtype: Any = None) -> Tensor:
    """Whether x is below 0."""
    return _cast(ops.less(to_tensor(x), 0), dtype)


def isneginf(x: Any) -> Tensor:
    """Whether x is -inf."""
    return ops.equal(to_tensor(x), float("-inf"))


def isposinf(x: Any) -> Tensor:
    """Whether x is inf."""
    return ops.equal(to_tensor(x), float("inf"))


# -- without NaN -----------------------------------------------------------------------------------


def _nan_as(x: Tensor, number: float) -> Tensor:
    return x if x.dtype.kind != "f" else ops.where(ops.isnan(x), ops.full_like(x, number), x)


def _extreme(a: Any, axis: Any, dtype: Any, keepdims: bool, sign: int) -> Tensor:
    a = to_tensor(a)
    reduce = ops.amax if sign > 0 else ops.amin
    keepdims = bool(checks.instance("nanmax" if sign > 0 else "nanmin", "keepdims", keepdims, int))
    made = reduce(_nan_as(a, -sign * float("inf")), to_static(axis), keepdims)
    if a.dtype.kind == "f":
        none = ops.all(ops.isnan(a), to_static(axis), keepdims)
        made = ops.where(none, ops.full_like(made, float("nan")), made)
    return _cast(made, dtype)


def nanmax(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The maximum of what is not NaN; NaN where all is.

    >>> print(nanmax([1.0, float("nan")]))
    1.0
    """
    return _extreme(a, axis, dtype, keepdims, 1)


def nanmin(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The minimum of what is not NaN; NaN where all is."""
    return _extreme(a, axis, dtype, keepdims, -1)


def nancumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Tensor:
    """The running sum, NaN as 0; of the flattened ``a`` without ``axis``."""
    return _nan_as(to_tensor(a), 0.0).cumsum(axis, dtype)


def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False
) -> Tensor:
    """The variance of what is not NaN.

    >>> print(nanvar([1.0, float("nan"), 4.0]))
    2.25
    """
    a = to_tensor(a)
    a = ops.cast(a, mstype.float32)
    there = ops.cast(ops.logical_not(ops.isnan(a)), a.dtype)
    count = ops.sum(there, to_static(axis), True)
    x = _nan_as(a, 0.0)
    off = (x - ops.sum(x, to_static(axis), True) / count) * there
    keepdims = bool(keepdims)
    total = ops.sum(off * off, to_static(axis), keepdims)
    return _cast(total / (ops.sum(there, to_static(axis), keepdims) - ddof), dtype)


def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False
) -> Tensor:
    """The standard deviation of what is not NaN."""
    return _cast(ops.sqrt(nanvar(a, axis, None, ddof, keepdims)), dtype)


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
