"""The numbers that make a distribution: what they may be, and in which dtype they are kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks

FLOATS = "f"
NUMBERS = "iuf"

_KINDS = {FLOATS: "a float", NUMBERS: "an int or a float"}


def a_dtype(owner: str, dtype: Any, kinds: str) -> Any:
    """A dtype of one of the ``kinds``.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(dtype, mstype.DType) or dtype.kind not in kinds:
        raise TypeError(
            checks.format_error(
                owner, "dtype", f"be {_KINDS[kinds]} type", checks.format_value(dtype)
            )
        )
    return dtype


def as_tensor(owner: str, name: str, value: Any, dtype: Any) -> Tensor:
    """``value`` as a Tensor of ``dtype``; a Parameter stays itself.

    Raises:
        TypeError: it is no number, list, array or Tensor.
    """
    if isinstance(value, Parameter):
        return value
    if isinstance(value, bool) or not isinstance(value, Tensor | np.ndarray | list | int | float):
        rule = "be a number, a list of numbers, a numpy.ndarray or a Tensor"
        raise TypeError(checks.format_error(owner, name, rule, checks.format_value(value)))
    return Tensor(value, dtype=dtype)


def common_dtype(owner: str, given: Mapping[str, Any], dtype: Any) -> Any:
    """The dtype of parameters: that of the arrays among them, else ``dtype``; float32 for ints
    and float64.

    Raises:
        TypeError: two arrays of different dtypes.
    """
    found = None
    for name, value in given.items():
        if not hasattr(value, "dtype"):
            continue
        own = mstype.from_numpy(value.dtype) if isinstance(value, np.ndarray) else value.dtype
        if found is not None and own is not found:
            raise TypeError(
                checks.format_error(owner, name, f"have the others' dtype {found}", str(own))
            )
        found = own
    if found is None:
        return dtype if dtype is not None and dtype.kind == "f" else mstype.float32
    return mstype.float32 if found.kind in "iu" or found is mstype.float64 else found


def batch_shape(given: Mapping[str, Any]) -> tuple[int, ...] | None:
    """The shape of all parameters broadcast together; None if one is left for later."""
    if any(value is None for value in given.values()):
        return None
    return np.broadcast_shapes(*[np.shape(_array(value)) for value in given.values()])


def _array(value: Any) -> Any:
    return np.empty(value.shape) if isinstance(value, Tensor) else value


def are_scalars(given: Mapping[str, Any]) -> bool:
    """Whether all that is given are Python's own numbers."""
    return all(value is None or isinstance(value, int | float) for value in given.values())


def held(value: Any) -> np.ndarray | None:
    """The numbers that can be checked now; None without a value, or before it is initialised."""
    if value is None or (isinstance(value, Parameter) and value.has_init):
        return None
    return value.asnumpy()


def positive(owner: str, name: str, value: Any, or_zero: bool = False) -> None:
    """All numbers are greater than 0.

    Raises:
        ValueError: one is not.
    """
    numbers = held(value)
    if numbers is not None and not np.all(numbers >= 0 if or_zero else numbers > 0):
        rule = f"be {'>=' if or_zero else '>'} 0 everywhere"
        raise ValueError(
            checks.format_error(owner, name, rule, checks.format_short(numbers.tolist()))
        )


def probability(owner: str, name: str, value: Any) -> None:
    """All numbers are between 0 and 1, and neither.

    Raises:
        ValueError: one is not.
    """
    numbers = held(value)
    if numbers is not None and not np.all((numbers > 0) & (numbers < 1)):
        raise ValueError(
            checks.format_error(
                owner, name, "be in (0, 1) everywhere", checks.format_short(numbers.tolist())
            )
        )


def log(x: Tensor) -> Tensor:
    """ln(x), of integers in float32."""
    return ops.log(x if x.dtype.kind == "f" else ops.cast(x, mstype.float32))


def exp(x: Tensor) -> Tensor:
    """e^x, of integers in float32."""
    return ops.exp(x if x.dtype.kind == "f" else ops.cast(x, mstype.float32))


def constant(number: float) -> Tensor:
    """A number as float32, which makes float32 of half floats."""
    return ops.scalar_to_tensor(float(number), mstype.float32)


def softplus(x: Tensor) -> Tensor:
    """ln(1 + e^x), as e^x where that is tiny and as x where it is large."""
    small, large = x < -_FAR, x > _FAR
    inside = ops.select(ops.logical_or(small, large), ops.ones_like(x), x)
    return ops.select(small, exp(x), ops.select(large, x, log(exp(inside) + 1.0)))


def softplus_inverse(y: Tensor) -> Tensor:
    """ln(e^y - 1), as ln(y) where y is tiny and as y where it is large."""
    small, large = y < float(np.exp(-_FAR)), y > _FAR
    inside = ops.select(ops.logical_or(small, large), ops.ones_like(y), y)
    near = inside + log(ops.abs(ops.expm1(-inside)))
    return ops.select(small, log(y), ops.select(large, y, near))


# Beyond it, e^-x is lost beside 1 in float32.
_FAR = -float(np.log(np.finfo(np.float32).eps)) - 1
