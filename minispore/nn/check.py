"""Checks of a Cell's arguments: tensors, flags, functions and numbers of axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks


def check_tensor(api_name: str, name: str, value: Any) -> Tensor:
    """Check that ``value`` is a Tensor and return it.

    Raises:
        TypeError: ``value`` is not a Tensor; for lists and arrays the message says to wrap them.
    """
    if not isinstance(value, Tensor):
        hint = "Wrap it: Tensor(...)." if isinstance(value, list | tuple | np.ndarray) else ""
        if callable(getattr(value, "numpy", None)):  # a tensor of another framework
            hint = "Convert it: Tensor(x.numpy())."
        raise TypeError(
            checks.format_error(api_name, name, "be a Tensor", checks.format_value(value), hint)
        )
    return value


def to_python_number(value: Any) -> Any:
    """Convert a NumPy scalar to a Python scalar; return any other value unchanged."""
    return value.item() if isinstance(value, np.integer | np.floating) else value


def check_flag(api_name: str, name: str, value: Any) -> None:
    """Check that a flag is a bool, or a number, which MindSpore also accepts.

    Raises:
        TypeError: ``value`` is neither.
    """
    if not isinstance(value, int | np.bool_):
        raise TypeError(
            checks.format_error(api_name, name, "be a bool", checks.format_value(value))
        )


def check_callable(api_name: str, name: str, value: Any) -> Any:
    """Check that ``value`` is a Cell or a function rather than a class, and return it.

    Raises:
        TypeError: it is neither, or it is a class.
    """
    if isinstance(value, type):
        raise TypeError(
            f"{api_name}: {name} must be an instance, got the class {value.__name__}. Call it: "
            f"{value.__name__}()."
        )
    if not callable(value):
        raise TypeError(
            f"{api_name}: {name} must be a Cell or a function, got {checks.format_value(value)}."
        )
    return value


def check_rate(api_name: str, name: str, value: Any, is_positive: bool = True) -> float:
    """Check that a float is above 0 (or, without ``is_positive``, at least 0) and return it.

    Raises:
        TypeError: ``value`` is not a float.
        ValueError: it is out of range, infinite or NaN.
    """
    if not isinstance(value, float):
        raise TypeError(f"{api_name}: {name} must be a float, got {checks.format_value(value)}.")
    return checks.number(api_name, name, value, 0.0, math.inf, "()" if is_positive else "[)")


_RECOMPUTE_OPTIONS = (
    "mp_comm_recompute",
    "output_recompute",
    "parallel_optimizer_comm_recompute",
    "recompute_slice_activation",
)


def check_recompute_options(api_name: str, options: dict[str, Any]) -> None:
    """Check the keyword arguments of ``Cell.recompute``.

    Raises:
        ValueError: an option is unknown.
        TypeError: an option is not a bool; ``recompute_slice_activation`` is not checked.
    """
    for name, value in options.items():
        checks.one_of(api_name, "keyword", name, _RECOMPUTE_OPTIONS)
        if name != "recompute_slice_activation" and value is not None:
            checks.boolean(api_name, name, value)


def check_ndim(api_name: str, name: str, x: Any, *allowed: int) -> Tensor:
    """Check that ``x`` is a Tensor with one of the ``allowed`` numbers of axes and return it.

    Raises:
        TypeError: ``x`` is not a Tensor.
        ValueError: its number of axes is not allowed.
    """
    if check_tensor(api_name, name, x).ndim not in allowed:
        allowed_text = " or ".join(map(str, allowed))
        raise ValueError(f"{api_name}: {name} must have {allowed_text} axes, got shape {x.shape}.")
    return x
