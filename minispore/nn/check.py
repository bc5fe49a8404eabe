"""Checks of Cell arguments: each returns the value it accepts and raises ``<Cell>: <argument> must
..., got ...``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean


def shown(value: Any) -> str:
    """A value with its type, as messages show it."""
    if isinstance(value, Tensor):
        return f"Tensor of shape {value.shape} ({value.dtype})"
    if isinstance(value, np.ndarray):
        return f"numpy.ndarray of shape {value.shape} ({value.dtype})"
    return f"{value!r} ({type(value).__name__})"


def an_int(owner: str, name: str, value: Any, least: int | None = None) -> int:
    """An int, at least ``least``.

    Raises:
        TypeError: no int.
        ValueError: too small.
    """
    rule = "an int" if least is None else "a positive int" if least == 1 else f"an int >= {least}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{owner}: {name} must be {rule}, got {shown(value)}.")
    if least is not None and value < least:
        raise ValueError(f"{owner}: {name} must be {rule}, got {value}.")
    return value


def positive_int(owner: str, name: str, value: Any) -> int:
    """An int above 0."""
    return an_int(owner, name, value, 1)


def a_bool(owner: str, name: str, value: Any) -> bool:
    """A bool."""
    if not isinstance(value, bool):
        raise TypeError(f"{owner}: {name} must be a bool, got {shown(value)}.")
    return value


def a_str(owner: str, name: str, value: Any) -> str:
    """A str."""
    if not isinstance(value, str):
        raise TypeError(f"{owner}: {name} must be a str, got {shown(value)}.")
    return value


def a_number(
    owner: str,
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    closed: str = "[]",
) -> float:
    """A number from ``low`` to ``high``; ``closed`` tells which ends belong: ``"[]"``, ``"[)"``,
    ``"(]"`` or ``"()"``.

    Raises:
        TypeError: no number.
        ValueError: out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{owner}: {name} must be a number, got {shown(value)}.")
    above = value >= low if closed[0] == "[" else value > low
    below = value <= high if closed[1] == "]" else value < high
    if not (above and below):
        rule = f"in {closed[0]}{low}, {high}{closed[1]}"
        if high == math.inf:
            rule = f"{'>=' if closed[0] == '[' else '>'} {low}"
        raise ValueError(f"{owner}: {name} must be {rule}, got {value}.")
    return float(value)


def one_of(owner: str, name: str, value: Any, known: Iterable[Any]) -> Any:
    """One of ``known``.

    Raises:
        ValueError: none of them.
    """
    known = list(known)
    if value not in known:
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        raise ValueError(f"{owner}: {name} must be one of {known}, got {value!r}.{hint}")
    return value


def a_tensor(owner: str, name: str, value: Any) -> Tensor:
    """A Tensor."""
    if not isinstance(value, Tensor):
        hint = " Wrap it: Tensor(...)." if isinstance(value, list | tuple | np.ndarray) else ""
        raise TypeError(f"{owner}: {name} must be a Tensor, got {shown(value)}.{hint}")
    return value


def a_function(owner: str, name: str, value: Any) -> Any:
    """A Cell or a function, and not the class of one.

    Raises:
        TypeError: neither.
    """
    if isinstance(value, type):
        raise TypeError(
            f"{owner}: {name} must be an instance, got the class {value.__name__}. Call it: "
            f"{value.__name__}()."
        )
    if not callable(value):
        raise TypeError(f"{owner}: {name} must be a Cell or a function, got {shown(value)}.")
    return value


def ndim(owner: str, name: str, x: Any, *allowed: int) -> Tensor:
    """A Tensor with one of the ``allowed`` numbers of axes."""
    if a_tensor(owner, name, x).ndim not in allowed:
        counts = " or ".join(map(str, allowed))
        raise ValueError(f"{owner}: {name} must have {counts} axes, got shape {x.shape}.")
    return x


def ints(owner: str, name: str, value: Any, count: int, least: int = 1) -> tuple[int, ...]:
    """``count`` ints of at least ``least``, from one for all or a tuple.

    Raises:
        TypeError: neither an int nor a tuple of ints.
        ValueError: a wrong number of ints, or one too small.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value,) * count
    if not isinstance(value, tuple | list):
        raise TypeError(
            f"{owner}: {name} must be an int or a tuple of {count} ints, got {shown(value)}."
        )
    if len(value) != count:
        raise ValueError(
            f"{owner}: {name} must be an int or a tuple of {count} ints, got {value!r}."
        )
    for item in value:
        an_int(owner, name, item, least)
    return tuple(value)
