"""Checks of arguments, with one form of message: ``<who>: <argument> must <rule>, got <value>.``"""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def boolean(who: str, name: str, value: Any) -> bool:
    """A bool and nothing like it.

    Raises:
        TypeError: it is not.
    """
    if not isinstance(value, bool):
        raise TypeError(f"{who}: {name} must be a bool, got {value!r} ({type(value).__name__}).")
    return value


def integer(who: str, name: str, value: Any, low: int | None = None) -> int:
    """An int that is no bool, from ``low`` on.

    Raises:
        TypeError: it is no int.
        ValueError: it is too small.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{who}: {name} must be an int, got {value!r} ({type(value).__name__}).")
    if low is not None and value < low:
        raise ValueError(f"{who}: {name} must be >= {low}, got {value}.")
    return value


def number(who: str, name: str, value: Any) -> float:
    """An int or a float.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{who}: {name} must be a number, got {value!r} ({type(value).__name__}).")
    return value


def instance(who: str, name: str, value: Any, kind: type[T], or_none: bool = False) -> T:
    """An instance of ``kind``.

    Raises:
        TypeError: it is not.
    """
    if not isinstance(value, kind) and not (or_none and value is None):
        allowed = f"{kind.__name__}{' or None' if or_none else ''}"
        raise TypeError(f"{who}: {name} must be {allowed}, got {value!r} ({type(value).__name__}).")
    return value  # type: ignore[return-value]


def sink_size(who: str, value: Any, dataset_size: int | None = None) -> int:
    """-1 or a positive number of steps; with ``dataset_size``, -1 becomes that.

    Raises:
        TypeError: it is no int.
        ValueError: it is 0 or less than -1.
    """
    integer(who, "sink_size", value)
    if value == 0 or value < -1:
        raise ValueError(f"{who}: sink_size must be -1 or positive, got {value}.")
    return dataset_size if value == -1 and dataset_size is not None else value
