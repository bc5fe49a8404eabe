"""Checks of arguments: each returns the checked value, or raises an error that names the argument.

The error reads ``<api_name>: <name> must <rule>, got <value>.`` and is a TypeError if the type is
wrong, a ValueError if the value is. ``api_name`` is a name, or an object whose class has that name.
As in MindSpore, a NumPy integer does not count as an int, nor a NumPy bool as a bool.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from minispore.errors import did_you_mean

T = TypeVar("T")

INT32_MAX = 2**31 - 1
_MAX_VALUE_LENGTH = 200  # longest value in a message


def format_error(api_name: object, name: str, rule: str, value: str, hint: str = "") -> str:
    """Return an error message that begins with ``api_name``, or with the name of the class of
    another object than a string.

    >>> format_error("Resize", "size", "be positive", "0", "Pass an int.")
    'Resize: size must be positive, got 0. Pass an int.'
    """
    prefix = api_name if isinstance(api_name, str) else type(api_name).__name__
    return f"{prefix}: {name} must {rule}, got {value}.{' ' + hint if hint else ''}"


def format_short(value: Any) -> str:
    """Return the repr of a value, shortened if it is long."""
    text = repr(value)
    return text if len(text) <= _MAX_VALUE_LENGTH else text[: _MAX_VALUE_LENGTH - 3] + "..."


def format_value(value: Any) -> str:
    """Return a value as short text with its type; for a tensor or array, its shape and dtype."""
    if hasattr(value, "asnumpy") or type(value).__name__ == "ndarray":
        kind = "Tensor" if hasattr(value, "asnumpy") else "numpy.ndarray"
        return f"{kind} of shape {value.shape} ({value.dtype})"
    if hasattr(value, "numpy") and hasattr(value, "shape"):  # a tensor of another framework
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        return f"{kind} of shape {tuple(value.shape)} ({value.dtype})"
    return f"{format_short(value)} ({type(value).__name__})"


def instance(api_name: object, name: str, value: Any, kind: type[T], or_none: bool = False) -> T:
    """Check that ``value`` is an instance of ``kind``, or None if ``or_none`` is set, and return
    it.

    Raises:
        TypeError: ``value`` is not an instance of ``kind``.
    """
    if not isinstance(value, kind) and not (or_none and value is None):
        article = "an" if kind.__name__[0] in "aeiouAEIO" else "a"
        rule = f"be {article} {kind.__name__}{' or None' if or_none else ''}"
        raise TypeError(format_error(api_name, name, rule, format_value(value)))
    return value  # type: ignore[return-value]


def boolean(api_name: object, name: str, value: Any) -> bool:
    """Check that ``value`` is a bool, and return it.

    Raises:
        TypeError: ``value`` is not a bool.
    """
    return instance(api_name, name, value, bool)


def string(api_name: object, name: str, value: Any) -> str:
    """Check that ``value`` is a str, and return it.

    Raises:
        TypeError: ``value`` is not a str.
    """
    return instance(api_name, name, value, str)


def function(api_name: object, name: str, value: Any) -> Callable[..., Any]:
    """Check that ``value`` is callable, and return it.

    Raises:
        TypeError: ``value`` is not callable.
    """
    if not callable(value):
        raise TypeError(format_error(api_name, name, "be callable", format_value(value)))
    return value


def integer(
    api_name: object, name: str, value: Any, low: int | None = None, high: int | None = None
) -> int:
    """Check that ``value`` is an int, not a bool, in [low, high], and return it.

    Raises:
        TypeError: it is not an int.
        ValueError: it is out of range.

    >>> integer("batch", "batch_size", 32, 1)
    32
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(format_error(api_name, name, "be an int", format_value(value)))
    if (low is not None and value < low) or (high is not None and value > high):
        rule = f"be >= {low}" if high is None else f"be in [{low}, {high}]"
        raise ValueError(format_error(api_name, name, rule, str(value)))
    return value


def backward_prefetch(api_name: object, value: Any) -> None:
    """Check the ``backward_prefetch`` of an op: "Auto", or a number of ops.

    Raises:
        TypeError: ``value`` is neither a str nor an int.
        ValueError: it is another str, or negative.
    """
    if isinstance(value, str):
        one_of(api_name, "backward_prefetch", value, ["Auto"])
    else:
        integer(api_name, "backward_prefetch", value, 0)


def int32(api_name: object, name: str, value: Any, low: int = -INT32_MAX - 1) -> int:
    """Check that ``value`` is an int from ``low`` to the maximum of int32, and return it.

    Raises:
        TypeError: it is not an int.
        ValueError: it is out of range.
    """
    return integer(api_name, name, value, low, INT32_MAX)


def integers(
    api_name: object, name: str, value: Any, count: int, low: int | None = 1
) -> tuple[int, ...]:
    """Return ``value``, one int for all or a tuple or list of ``count`` ints, as a tuple of
    ``count`` ints, after checking that each is at least ``low``.

    Raises:
        TypeError: ``value`` is neither an int nor a tuple or list of ints.
        ValueError: the number of ints is wrong, or one is too small.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value,) * count
    rule = f"be an int or a tuple of {count} ints"
    if not isinstance(value, tuple | list):
        raise TypeError(format_error(api_name, name, rule, format_value(value)))
    if len(value) != count:
        raise ValueError(format_error(api_name, name, rule, format_short(value)))
    return tuple([integer(api_name, name, item, low) for item in value])


def number(
    api_name: object,
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    closed: str = "[]",
) -> float:
    """Check that ``value`` is a number in an interval, and return it as a float.

    ``closed`` says which ends belong to the interval: ``"[]"``, ``"[)"``, ``"(]"`` or ``"()"``.

    Raises:
        TypeError: it is not an int or a float.
        ValueError: it is out of range, or NaN.
    """
    number_or_nan(api_name, name, value)
    above = value >= low if closed[0] == "[" else value > low
    below = value <= high if closed[1] == "]" else value < high
    if not (above and below):
        rule = f"be in {closed[0]}{low}, {high}{closed[1]}"
        if high == math.inf:
            rule = f"be {'>=' if closed[0] == '[' else '>'} {low}"
            rule = "be finite" if math.isinf(value) and above else rule
        raise ValueError(format_error(api_name, name, rule, str(value)))
    return float(value)


def number_or_nan(api_name: object, name: str, value: Any) -> float:
    """Check that ``value`` is an int or a float, possibly NaN or infinite, and return it as a
    float.

    Raises:
        TypeError: it is not a number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(format_error(api_name, name, "be a number", format_value(value)))
    return float(value)


def scalar(api_name: object, name: str, value: Any) -> float:
    """Check that ``value`` is an int, a float (also NaN or infinite) or a bool, which counts as 0
    or 1, and return it as a float.

    Raises:
        TypeError: it is none of them.
    """
    return number_or_nan(api_name, name, int(value) if isinstance(value, bool) else value)


def floating(
    api_name: object,
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    closed: str = "[]",
) -> float:
    """Check that ``value`` is a float in an interval, and return it. As in MindSpore, ints are
    refused. ``closed`` is as in :func:`number`.

    Raises:
        TypeError: it is not a float.
        ValueError: it is out of range, or NaN.
    """
    if not isinstance(value, float):
        raise TypeError(format_error(api_name, name, "be a float", format_value(value)))
    return number(api_name, name, value, low, high, closed)


def one_of(api_name: object, name: str, value: Any, allowed: Iterable[T]) -> T:
    """Check that ``value`` is one of ``allowed``, and return it.

    Raises:
        ValueError: ``value`` is not among them.
    """
    allowed = list(allowed)
    if value not in allowed:
        hint = did_you_mean(value, map(str, allowed)).strip() if isinstance(value, str) else ""
        raise ValueError(
            format_error(api_name, name, f"be one of {allowed}", format_short(value), hint)
        )
    return value
