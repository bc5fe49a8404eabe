"""Checks of numbers: each returns the number, or raises an error if a relation does not hold."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, TypeVar

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class Rel(IntEnum):
    """Relations of a value to another value, to a range (INC_ names the included ends) or to a
    collection.

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
        """Whether ``value`` has this relation to ``bounds``: another value, or two limits."""
        if self in _COMPARISONS:
            return bool(_COMPARISONS[self][1](value, *bounds))
        lower, upper = bounds
        is_above = lower <= value if self in (Rel.INC_LEFT, Rel.INC_BOTH) else lower < value
        is_below = value <= upper if self in (Rel.INC_RIGHT, Rel.INC_BOTH) else value < upper
        return bool(is_above and is_below)

    def text(self, *bounds: Any) -> str:
        """Return the relation to ``bounds`` as text, such as ``>= 1`` or ``[0, 1)``."""
        if self in _COMPARISONS:
            return f"{_COMPARISONS[self][0]} {bounds[0]}"
        left = "[" if self in (Rel.INC_LEFT, Rel.INC_BOTH) else "("
        right = "]" if self in (Rel.INC_RIGHT, Rel.INC_BOTH) else ")"
        return f"{left}{bounds[0]}, {bounds[1]}{right}"


_COMPARISONS: dict[Rel, tuple[str, Callable[[Any, Any], bool]]] = {
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


def _make_subject(arg_name: str | None, prim_name: str | None) -> str:
    """Return the beginning of an error message, such as ``Conv2d: stride``."""
    return f"{prim_name or 'check'}: {arg_name or 'input value'}"


def _get_type_name(kind: Any) -> str:
    """Return the name of a class or data type."""
    return getattr(kind, "__name__", None) or str(kind)


def _to_tuple(kinds: Any) -> tuple[Any, ...]:
    """Return one type as a tuple of one, and several types as a tuple."""
    return tuple(kinds) if isinstance(kinds, Iterable) else (kinds,)


def _name_types(kinds: Any) -> str:
    """Return ``int``, or ``one of int, float``, for an error message."""
    names = [_get_type_name(kind) for kind in _to_tuple(kinds)]
    return ("one of " if len(names) > 1 else "") + ", ".join(names)


# -- numbers --------------------------------------------------------------------------------------


def check_is_number(
    arg_value: T, arg_type: type, arg_name: str | None = None, prim_name: str | None = None
) -> T:
    """Return ``arg_value``; raise unless it is a finite number of type ``arg_type`` (and not a
    bool).

    Raises:
        TypeError: it has another type.
        ValueError: it is infinite or NaN.
    """
    subject = _make_subject(arg_name, prim_name)
    if not isinstance(arg_value, arg_type) or isinstance(arg_value, bool):
        raise TypeError(f"{subject} must be {arg_type.__name__}, got {arg_value!r}.")
    if isinstance(arg_value, float) and not math.isfinite(arg_value):
        raise ValueError(f"{subject} must be finite, got {arg_value}.")
    return arg_value


def _check_relation(
    arg_value: T, value: Any, rel: int, kind: type, arg_name: str | None, prim_name: str | None
) -> T:
    """Return ``arg_value``; raise unless it is a finite ``kind`` that has ``rel`` to ``value``."""
    check_is_number(arg_value, kind, arg_name, prim_name)
    if not Rel(rel).holds(arg_value, value):
        subject = _make_subject(arg_name, prim_name)
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
    """Return ``arg_value``; raise unless it has ``value_type`` and is between the limits.

    ``rel`` says which limits belong to the range (INC_BOTH, INC_LEFT, ...). A NumPy scalar or array
    may have any dtype.
    """
    subject = _make_subject(arg_name, prim_name)
    is_array = hasattr(arg_value, "dtype")  # NumPy's scalars and arrays are also accepted
    if not (is_array or isinstance(arg_value, value_type)) or isinstance(arg_value, bool):
        raise TypeError(f"{subject} must be {value_type.__name__}, got {arg_value!r}.")
    if not Rel(rel).holds(arg_value, lower_limit, upper_limit):
        interval = Rel(rel).text(lower_limit, upper_limit)
        raise ValueError(f"{subject} must be in {interval}, got {arg_value!r}.")
    return arg_value


def check_int(
    arg_value: int, value: int, rel: int, arg_name: str | None = None, prim_name: str | None = None
) -> int:
    """Return ``arg_value``; raise unless it is an int that has the relation ``rel`` to ``value``.

    >>> check_int(3, 1, GE, "kernel_size", "Conv2d")
    3
    """
    return _check_relation(arg_value, value, rel, int, arg_name, prim_name)


def check_float(
    arg_value: float,
    value: float,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> float:
    """Return ``arg_value``; raise unless it is a float that has the relation ``rel`` to
    ``value``.
    """
    return _check_relation(arg_value, value, rel, float, arg_name, prim_name)


def check_is_int(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Return ``arg_value``; raise a TypeError unless it is an int."""
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_is_float(arg_value: T, arg_name: str | None = None, prim_name: str | None = None) -> T:
    """Return ``arg_value``; raise unless it is a finite float."""
    return check_is_number(arg_value, float, arg_name, prim_name)


def check_equal_int(
    arg_value: int, value: int, arg_name: str | None = None, prim_name: str | None = None
) -> int:
    """Return ``arg_value``; raise unless it is the int ``value``."""
    return check_int(arg_value, value, EQ, arg_name, prim_name)


def _make_zero_check(check: Callable[..., Any], rel: Rel, adjective: str) -> Callable[..., Any]:
    """Return a check that a number has the relation ``rel`` to 0, named after ``adjective``."""

    def check_sign(
        arg_value: Any, arg_name: str | None = None, prim_name: str | None = None
    ) -> Any:
        """Return ``arg_value`` after the check against 0; the docstring is replaced below."""
        return check(arg_value, 0, rel, arg_name, prim_name)

    kind = "int" if check is check_int else "float"
    check_sign.__name__ = check_sign.__qualname__ = f"check_{adjective}_{kind}"
    check_sign.__doc__ = f"Return ``arg_value``; raise unless it is {kind} and {rel.text(0)}."
    return check_sign


check_positive_int = _make_zero_check(check_int, GT, "positive")
check_negative_int = _make_zero_check(check_int, LT, "negative")
check_non_positive_int = _make_zero_check(check_int, LE, "non_positive")
check_non_negative_int = _make_zero_check(check_int, GE, "non_negative")
check_positive_float = _make_zero_check(check_float, GT, "positive")
check_negative_float = _make_zero_check(check_float, LT, "negative")
check_non_positive_float = _make_zero_check(check_float, LE, "non_positive")
check_non_negative_float = _make_zero_check(check_float, GE, "non_negative")


def _make_sequence_check(check: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function, called ``name``, that applies ``check`` to each element of a sequence."""

    def check_elements(
        sequence: Any, arg_name: str | None = None, prim_name: str | None = None
    ) -> Any:
        """Check each element, named by its index; return the sequence."""
        for i, element in enumerate(sequence):
            check(element, f"{arg_name or 'sequence'}[{i}]", prim_name)
        return sequence

    check_elements.__name__ = check_elements.__qualname__ = name
    check_elements.__doc__ = f"Return ``sequence``, after :func:`{check.__name__}` of each element."
    return check_elements


check_positive_int_sequence = _make_sequence_check(
    check_positive_int, "check_positive_int_sequence"
)
check_non_negative_int_sequence = _make_sequence_check(
    check_non_negative_int, "check_non_negative_int_sequence"
)
check_positive_float_sequence = _make_sequence_check(
    check_positive_float, "check_positive_float_sequence"
)


def check_int_range(
    arg_value: int,
    lower_limit: int,
    upper_limit: int,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> int:
    """Return ``arg_value``; raise unless it is an int between the limits, see
    :func:`check_number_range`.
    """
    return check_number_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(
    arg_value: float,
    lower_limit: float,
    upper_limit: float,
    rel: int,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> float:
    """Return ``arg_value``; raise unless it is a float between the limits, see
    :func:`check_number_range`.

    >>> check_float_range(0.5, 0.0, 1.0, INC_BOTH, "keep_prob", "Dropout")
    0.5
    """
    return check_number_range(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def check_number(arg_name: str, arg_value: T, value: Any, rel: int, prim_name: str | None) -> T:
    """Return ``arg_value``, of any type; raise a ValueError unless it has ``rel`` to ``value``."""
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
    """Return ``arg_value``; raise ``excp_cls`` unless it has the relation ``rel`` to ``value``.

    The message refers to ``value`` as ``value_name``.
    """
    if not Rel(rel).holds(arg_value, value):
        named_value = f"{value_name}: {value}" if value_name else value
        rule = f"be {Rel(rel).text(named_value)}"
        raise excp_cls(f"{_make_subject(arg_name, prim_name)} must {rule}, got {arg_value}.")
    return arg_value
