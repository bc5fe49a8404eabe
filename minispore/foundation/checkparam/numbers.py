"""Checks of numbers: how they relate to others, and whether they lie in a range."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, TypeVar

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class Rel(IntEnum):
    """How a value stands to another one, to a range (which ends belong to it) or to a collection.

    >>> Rel.INC_LEFT.holds(0, 0, 1), Rel.INC_LEFT.text(0, 1)
    (True, '[0, 1)')
    """

    EQ = 1
    NE = 2
    LT = 3
    LE = 4
    GT = 5
    GE = 6
    INC_NEITHER = 7
    INC_LEFT = 8
    INC_RIGHT = 9
    INC_BOTH = 10
    IN = 11
    NOT_IN = 12

    def holds(self, value: Any, *bounds: Any) -> bool:
        """Whether ``value`` stands to ``bounds`` in this relation."""
        if self in _COMPARED:
            return bool(_COMPARED[self][1](value, *bounds))
        lower, upper = bounds
        above = lower <= value if self in (Rel.INC_LEFT, Rel.INC_BOTH) else lower < value
        below = value <= upper if self in (Rel.INC_RIGHT, Rel.INC_BOTH) else value < upper
        return bool(above and below)

    def text(self, *bounds: Any) -> str:
        """The relation to ``bounds`` as people write it."""
        if self in _COMPARED:
            return f"{_COMPARED[self][0]} {bounds[0]}"
        left = "[" if self in (Rel.INC_LEFT, Rel.INC_BOTH) else "("
        right = "]" if self in (Rel.INC_RIGHT, Rel.INC_BOTH) else ")"
        return f"{left}{bounds[0]}, {bounds[1]}{right}"


_COMPARED: dict[Rel, tuple[str, Callable[[Any, Any], bool]]] = {
    Rel.EQ: ("=", operator.eq),
    Rel.NE: ("!=", operator.ne),
    Rel.LT: ("<", operator.lt),
    Rel.LE: ("<=", operator.le),
    Rel.GT: (">", operator.gt),
    Rel.GE: (">=", operator.ge),
    Rel.IN: ("in", lambda value, values: value in values),
    Rel.NOT_IN: ("not in", lambda value, values: value not in values),
}

EQ, NE, LT, LE, GT, GE = Rel.EQ, Rel.NE, Rel.LT, Rel.LE, Rel.GT, Rel.GE
INC_NEITHER, INC_LEFT = Rel.INC_NEITHER, Rel.INC_LEFT
INC_RIGHT, INC_BOTH = Rel.INC_RIGHT, Rel.INC_BOTH
IN, NOT_IN = Rel.IN, Rel.NOT_IN


def _subject(arg_name: str | None, prim_name: str | None) -> str:
    return f"{prim_name or 'check'}: {arg_name or 'input value'}"


def _name(kind: Any) -> str:
    return getattr(kind, "__name__", None) or str(kind)


def _all_of(kinds: Any) -> tuple[Any, ...]:
    return tuple(kinds) if isinstance(kinds, Iterable) else (kinds,)


def _one_of(kinds: tuple[Any, ...]) -> str:
    return ("one of " if len(kinds) > 1 else "") + ", ".join(_name(kind) for kind in kinds)


# -- numbers --------------------------------------------------------------------------------------


def check_is_number(
    arg_value: T, arg_type: type, arg_name: str | None = None, prim_name: str | None = None
) -> T:
    """``arg_value``, which must be a finite number of type ``arg_type``."""
    subject = _subject(arg_name, prim_name)
    if not isinstance(arg_value, arg_type) or isinstance(arg_value, bool):
        raise TypeError(f"{subject} must be {arg_type.__name__}, got {arg_value!r}.")
    if not math.isfinite(arg_value):  # type: ignore[arg-type]
        raise ValueError(f"{subject} must be finite, got {arg_value}.")
    return arg_value


def _related(
    arg_value: T, value: Any, rel: int, kind: type, arg_name: str | None, prim_name: str | None
) -> T:
    check_is_number(arg_value, kind, arg_name, prim_name)
    if not Rel(rel).holds(arg_value, value):
        subject = _subject(arg_name, prim_name)
        rule = f"be {kind.__name__} and {Rel(rel).text(value)}"
        raise ValueError(f"{subject} must {rule}, got {arg_value!r}.")
    return arg_value


def check_number_range(
    arg_value: T,
    lower_limit: Any,
    upper_limit: Any,
    rel: int,
    value_type: type,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> T:
    """``arg_value``, which must be of ``value_type`` and between the limits."""
    subject = _subject(arg_name, prim_name)
    array = hasattr(arg_value, "dtype")  # NumPy's scalars and arrays are taken, too
    if not (array or isinstance(arg_value, value_type)) or isinstance(arg_value, bool):
        raise TypeError(f"{subject} must be {value_type.__name__}, got {arg_value!r}.")
    if not Rel(rel).holds(arg_value, lower_limit, upper_limit):
        within = Rel(rel).text(lower_limit, upper_limit)
        raise ValueError(f"{subject} must be in {within}, got {arg_value!r}.")
    return arg_value


def check_int(
    arg_value: int, value: int, rel: int, arg_name: str | None = None, prim_name: str | None = None
) -> int:
    """``arg_value``, which must be an int that stands to ``value`` in the relation ``rel``.

    >>> check_int(3, 1, GE, "kernel_size", "Conv2d")
    3
    """
    return _related(arg_value, value, rel, int, arg_name, prim_name)


def check_float(
    arg_value: float,
    value: float,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> float:
    """``arg_value``, which must be a float that stands to ``value`` in the relation ``rel``."""
    return _related(arg_value, value, rel, float, arg_name, prim_name)


def check_is_int(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """``arg_value``, which must be an int."""
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_is_float(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """``arg_value``, which must be a finite float."""
    return check_is_number(arg_value, float, arg_name, prim_name)


def check_equal_int(
    arg_value: int, value: int, arg_name: str | None = None, prim_name: str | None = None
) -> int:
    """``arg_value``, which must be the int ``value``."""
    return check_int(arg_value, value, EQ, arg_name, prim_name)


def _against_zero(check: Callable[..., Any], rel: Rel, says: str) -> Callable[..., Any]:
    """A check of one number against 0."""

    def checked(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
        return check(arg_value, 0, rel, arg_name, prim_name)

    kind = "int" if check is check_int else "float"
    checked.__name__ = checked.__qualname__ = f"check_{says}_{kind}"
    checked.__doc__ = f"``arg_value``, which must be {kind} and {rel.text(0)}."
    return checked


check_positive_int = _against_zero(check_int, GT, "positive")
check_negative_int = _against_zero(check_int, LT, "negative")
check_non_positive_int = _against_zero(check_int, LE, "non_positive")
check_non_negative_int = _against_zero(check_int, GE, "non_negative")
check_positive_float = _against_zero(check_float, GT, "positive")
check_negative_float = _against_zero(check_float, LT, "negative")
check_non_positive_float = _against_zero(check_float, LE, "non_positive")
check_non_negative_float = _against_zero(check_float, GE, "non_negative")


def _each(check: Callable[..., Any], says: str) -> Callable[..., Any]:
    """``check`` for every element of a sequence."""

    def checked(sequence: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
        for i, element in enumerate(sequence):
            check(element, f"{arg_name or 'sequence'}[{i}]", prim_name)
        return sequence

    checked.__name__ = checked.__qualname__ = says
    checked.__doc__ = f":func:`{check.__name__}` for every element of ``sequence``."
    return checked


check_positive_int_sequence = _each(check_positive_int, "check_positive_int_sequence")
check_non_negative_int_sequence = _each(check_non_negative_int, "check_non_negative_int_sequence")
check_positive_float_sequence = _each(check_positive_float, "check_positive_float_sequence")


def check_int_range(
    arg_value: int,
    lower_limit: int,
    upper_limit: int,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> int:
    """``arg_value``, which must be an int between the limits."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(
    arg_value: float,
    lower_limit: float,
    upper_limit: float,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> float:
    """``arg_value``, which must be a float between the limits.

    >>> check_float_range(0.5, 0.0, 1.0, INC_BOTH, "keep_prob", "Dropout")
    0.5
    """
    return check_number_range(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def check_number(arg_name: str, arg_value: T, value: Any, rel: int, prim_name: str | None) -> T:
    """``arg_value``, which must stand to ``value`` in the relation ``rel``; of any type."""
    return check(arg_name, arg_value, "", value, rel, prim_name)


def check(
    arg_name: str,
    arg_value: T,
    value_name: str,
    value: Any,
    rel: int = EQ,
    prim_name: str | None = None,
    excp_cls: type[Exception] = ValueError,
) -> T:
    """``arg_value``, which must stand to ``value`` (called ``value_name``) in the relation."""
    if not Rel(rel).holds(arg_value, value):
        other = f"{value_name}: {value}" if value_name else value
        rule = f"be {Rel(rel).text(other)}"
        raise excp_cls(f"{_subject(arg_name, prim_name)} must {rule}, got {arg_value}.")
    return arg_value
