"""Checks of arguments, for all rooms: each returns what it accepts, or raises by name.

The error reads ``<owner>: <name> must <rule>, got <value>.`` and is a TypeError where the type is
wrong, a ValueError where the value is. ``owner`` is a name, or the object whose class has it. A
NumPy integer is no int and a NumPy bool no bool, as in MindSpore.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from minispore.errors import did_you_mean

T = TypeVar("T")

INT32_MAX = 2**31 - 1
_LONGEST = 200  # characters of a value in a message


def text(owner: object, name: str, rule: str, value: str, hint: str = "") -> str:
    """The sentence of an error.

    >>> text("Resize", "size", "be positive", "0", "Pass an int.")
    'Resize: size must be positive, got 0. Pass an int.'
    """
    who = owner if isinstance(owner, str) else type(owner).__name__
    return f"{who}: {name} must {rule}, got {value}.{' ' + hint if hint else ''}"


def short(value: Any) -> str:
    """What Python shows of a value, cut where it is long."""
    shown = repr(value)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."


def shown(value: Any) -> str:
    """A value with its type; a tensor or array by its shape and data type alone."""
    if hasattr(value, "asnumpy") or type(value).__name__ == "ndarray":
        kind = "Tensor" if hasattr(value, "asnumpy") else "numpy.ndarray"
        return f"{kind} of shape {value.shape} ({value.dtype})"
    return f"{short(value)} ({type(value).__name__})"


def instance(owner: object, name: str, value: Any, kind: type[T], or_none: bool = False) -> T:
    """An instance of ``kind``.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(value, kind) and not (or_none and value is None):
        article = "an" if kind.__name__[0] in "aeiouAEIO" else "a"
        wanted = f"be {article} {kind.__name__}{' or None' if or_none else ''}"
        raise TypeError(text(owner, name, wanted, shown(value)))
    return value  # type: ignore[return-value]


def boolean(owner: object, name: str, value: Any) -> bool:
    """True or False.

    Raises:
        TypeError: it is neither.
    """
    return instance(owner, name, value, bool)


def string(owner: object, name: str, value: Any) -> str:
    """A str.

    Raises:
        TypeError: it is none.
    """
    return instance(owner, name, value, str)


def function(owner: object, name: str, value: Any) -> Callable[..., Any]:
    """Something that can be called.

    Raises:
        TypeError: it can't.
    """
    if not callable(value):
        raise TypeError(text(owner, name, "be callable", shown(value)))
    return value


def integer(
    owner: object, name: str, value: Any, low: int | None = None, high: int | None = None
) -> int:
    """An int that is no bool, in [low, high].

    Raises:
        TypeError: it is no int.
        ValueError: it is out of range.

    >>> integer("batch", "batch_size", 32, 1)
    32
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(text(owner, name, "be an int", shown(value)))
    if (low is not None and value < low) or (high is not None and value > high):
        rule = f"be >= {low}" if high is None else f"be in [{low}, {high}]"
        raise ValueError(text(owner, name, rule, str(value)))
    return value


def prefetch(owner: object, value: Any) -> None:
    """How long before its gradient an op's inputs are fetched: "Auto", or a number of ops.

    Raises:
        TypeError: neither a str nor an int.
        ValueError: another word, or a number below 0.
    """
    if isinstance(value, str):
        one_of(owner, "backward_prefetch", value, ["Auto"])
    else:
        integer(owner, "backward_prefetch", value, 0)


def int32(owner: object, name: str, value: Any, low: int = -INT32_MAX - 1) -> int:
    """An int from ``low`` to the largest of int32.

    Raises:
        TypeError: it is no int.
        ValueError: it is out of range.
    """
    return integer(owner, name, value, low, INT32_MAX)


def integers(
    owner: object, name: str, value: Any, count: int, low: int | None = 1
) -> tuple[int, ...]:
    """``count`` ints of at least ``low``, from one for all or a tuple.

    Raises:
        TypeError: neither an int nor a tuple of ints.
        ValueError: a wrong number of ints, or one too small.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value,) * count
    rule = f"be an int or a tuple of {count} ints"
    if not isinstance(value, tuple | list):
        raise TypeError(text(owner, name, rule, shown(value)))
    if len(value) != count:
        raise ValueError(text(owner, name, rule, short(value)))
    return tuple([integer(owner, name, item, low) for item in value])


def number(
    owner: object,
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    closed: str = "[]",
) -> float:
    """A number from ``low`` to ``high``; ``closed`` tells which ends belong: ``"[]"``, ``"[)"``,
    ``"(]"`` or ``"()"``.

    Raises:
        TypeError: it is no number.
        ValueError: it is out of range.
    """
    number_or_nan(owner, name, value)
    above = value >= low if closed[0] == "[" else value > low
    below = value <= high if closed[1] == "]" else value < high
    if not (above and below):
        rule = f"be in {closed[0]}{low}, {high}{closed[1]}"
        if high == math.inf:
            rule = f"be {'>=' if closed[0] == '[' else '>'} {low}"
        raise ValueError(text(owner, name, rule, str(value)))
    return float(value)


def number_or_nan(owner: object, name: str, value: Any) -> float:
    """Any number, and NaN.

    Raises:
        TypeError: it is no number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(text(owner, name, "be a number", shown(value)))
    return float(value)


def floating(
    owner: object,
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    closed: str = "[]",
) -> float:
    """A :func:`number` that is a float: MindSpore takes no int for it.

    Raises:
        TypeError: it is no float.
        ValueError: it is out of range.
    """
    if not isinstance(value, float):
        raise TypeError(text(owner, name, "be a float", shown(value)))
    return number(owner, name, value, low, high, closed)


def one_of(owner: object, name: str, value: Any, known: Iterable[T]) -> T:
    """One of ``known``.

    Raises:
        ValueError: it is none of them.
    """
    known = list(known)
    if value not in known:
        hint = did_you_mean(value, map(str, known)).strip() if isinstance(value, str) else ""
        raise ValueError(text(owner, name, f"be one of {known}", short(value), hint))
    return value
