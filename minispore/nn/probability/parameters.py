"""Checks and conversions of distribution parameters, and numerically stable functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype

FLOATS = "f"
NUMBERS = "iuf"

_KINDS = {FLOATS: "a float", NUMBERS: "an int or a float"}


def check_dtype(api_name: str, dtype: Any, kinds: str) -> Any:
    """Check that the kind of ``dtype`` is one of ``kinds``, and return ``dtype``.

    Args:
        api_name: the public name that an error begins with.
        dtype: the dtype.
        kinds: ``FLOATS`` or ``NUMBERS``.

    Raises:
        TypeError: the kind of ``dtype`` is not one of them.
    """
    if not isinstance(dtype, mstype.DType) or dtype.kind not in kinds:
        raise TypeError(
            checks.format_error(
                api_name, "dtype", f"be {_KINDS[kinds]} type", checks.format_value(dtype)
            )
        )
    return dtype


def to_tensor(api_name: str, name: str, value: Any, dtype: Any) -> Tensor:
    """Return ``value`` as a Tensor of ``dtype``; a Parameter is returned unchanged.

    Raises:
        TypeError: ``value`` is not a number, list, array or Tensor.
    """
    if isinstance(value, Parameter):
        return value
    if isinstance(value, bool) or not isinstance(value, Tensor | np.ndarray | list | int | float):
        rule = "be a number, a list of numbers, a numpy.ndarray or a Tensor"
        raise TypeError(checks.format_error(api_name, name, rule, checks.format_value(value)))
    return Tensor(value, dtype=dtype)


def find_common_dtype(api_name: str, params: Mapping[str, Any], dtype: Any) -> Any:
    """Return the dtype of parameters: the dtype of the arrays among them, by default ``dtype``.

    It is float32 for arrays of integers or float64, or if ``dtype`` is not a float type.

    Raises:
        TypeError: two arrays have different dtypes.
    """
    common = None
    for name, value in params.items():
        if not hasattr(value, "dtype"):
            continue
        param_dtype = (
            mstype.from_numpy(value.dtype) if isinstance(value, np.ndarray) else value.dtype
        )
        if common is not None and param_dtype is not common:
            raise TypeError(
                checks.format_error(
                    api_name, name, f"have the others' dtype {common}", str(param_dtype)
                )
            )
        common = param_dtype
    if common is None:
        return dtype if dtype is not None and dtype.kind == "f" else mstype.float32
    return mstype.float32 if common.kind in "iu" or common is mstype.float64 else common


def compute_batch_shape(params: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Return the shape of all parameters broadcast together; None if one is None."""
    if any(value is None for value in params.values()):
        return None
    shapes = [v.shape if isinstance(v, Tensor) else np.shape(v) for v in params.values()]
    return np.broadcast_shapes(*shapes)


def are_scalars(params: Mapping[str, Any]) -> bool:
    """Whether all parameters that are not None are Python scalars."""
    return all(value is None or isinstance(value, int | float) for value in params.values())


def read_values(value: Any) -> np.ndarray | None:
    """Return the values of a Tensor as an array; None for None or an uninitialized Parameter."""
    if value is None or (isinstance(value, Parameter) and value.has_init):
        return None
    return value.asnumpy()


def check_positive(api_name: str, name: str, value: Any, allow_zero: bool = False) -> None:
    """Check that all values are greater than 0, or at least 0 with ``allow_zero``.

    None and an uninitialized Parameter pass.

    Raises:
        ValueError: a value is too small.
    """
    numbers = read_values(value)
    if numbers is None:
        return
    is_allowed = numbers >= 0 if allow_zero else numbers > 0
    if not is_allowed.all():
        rule = f"be {'>=' if allow_zero else '>'} 0 everywhere"
        raise ValueError(
            checks.format_error(api_name, name, rule, checks.format_short(numbers.tolist()))
        )


def check_probability(api_name: str, name: str, value: Any) -> None:
    """Check that all values are in (0, 1); None and an uninitialized Parameter pass.

    Raises:
        ValueError: a value is not in (0, 1).
    """
    numbers = read_values(value)
    if numbers is not None and not np.all((numbers > 0) & (numbers < 1)):
        raise ValueError(
            checks.format_error(
                api_name, name, "be in (0, 1) everywhere", checks.format_short(numbers.tolist())
            )
        )


def log(x: Tensor) -> Tensor:
    """Return ln(x); integers are computed in float32."""
    return ops.log(x if x.dtype.kind == "f" else ops.cast(x, mstype.float32))


def exp(x: Tensor) -> Tensor:
    """Return e^x; integers are computed in float32."""
    return ops.exp(x if x.dtype.kind == "f" else ops.cast(x, mstype.float32))


def make_float32(number: float) -> Tensor:
    """Return ``number`` as a float32 Tensor, which promotes float16 operands to float32."""
    return ops.scalar_to_tensor(float(number), mstype.float32)


def softplus(x: Tensor) -> Tensor:
    """Return ln(1 + e^x), computed as e^x where that is tiny and as x where x is large."""
    small, large = x < -_SATURATION, x > _SATURATION
    clipped = ops.select(ops.logical_or(small, large), ops.ones_like(x), x)
    return ops.select(small, exp(x), ops.select(large, x, log(exp(clipped) + 1.0)))


def softplus_inverse(y: Tensor) -> Tensor:
    """Return ln(e^y - 1), computed as ln(y) where y is tiny and as y where y is large."""
    small, large = y < float(np.exp(-_SATURATION)), y > _SATURATION
    clipped = ops.select(ops.logical_or(small, large), ops.ones_like(y), y)
    exact = clipped + log(ops.abs(ops.expm1(-clipped)))
    return ops.select(small, log(y), ops.select(large, y, exact))


# For larger x, 1 + e^-x rounds to 1 in float32.
_SATURATION = -float(np.log(np.finfo(np.float32).eps)) - 1
