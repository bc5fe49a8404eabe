"""Validate transforms' arguments: each check returns the value or raises by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from numbers import Number
from typing import Any

import numpy as np

from minispore.core import dtype as dtypes
from minispore.dataset import check
from minispore.foundation import checks

EXACT_FLOAT32_INTEGER = 2**24  # MindSpore's bound for sizes and factors that it holds in float32
FLOAT32_MAX = check.FLOAT32_MAX


def text(owner: object, name: str, rule: str, value: Any, hint: str = "") -> str:
    """``Resize: size must be positive, got 0. Pass ...``"""
    return checks.format_error(owner, name, rule, checks.format_short(value), hint)


def instance(owner: object, name: str, value: Any, kinds: tuple[type, ...]) -> Any:
    """An object of one of the types."""
    if not isinstance(value, kinds):
        rule = f"be a {', '.join(kind.__name__ for kind in kinds)}"
        raise wrong_type(owner, name, rule, value, *kinds)
    return value


def wrong_type(
    owner: object, name: str, rule: str, value: Any, *kinds: type, hint: str = ""
) -> TypeError:
    """What to raise for a value that is of none of the types."""
    told = check.not_of(name, value, *kinds)
    return TypeError(text(owner, name, rule, value, f"{hint} {told}".strip()))


def number(
    owner: object,
    name: str,
    value: Any,
    low: float = -FLOAT32_MAX,
    high: float = FLOAT32_MAX,
    closed: str = "[]",
    known_as: str | None = None,
    kinds: tuple[type, ...] = (float, int),
) -> Any:
    """An int or float from ``low`` to ``high``; ``closed`` tells which ends belong."""
    return check.number(owner, name, value, low, high, closed, known_as, kinds)


def probability(
    owner: object, name: str, value: Any, kinds: tuple[type, ...] = (float, int)
) -> float:
    """A number in [0, 1]."""
    return number(owner, name, value, 0.0, 1.0, kinds=kinds)


def sequence(
    owner: object,
    name: str,
    value: Any,
    lengths: Sequence[int] = (),
    hint: str = "",
    kinds: tuple[type, ...] = (list, tuple),
) -> tuple:
    """A list or tuple, of one of the lengths if any are given; ``hint`` speaks of the length."""
    if not isinstance(value, list | tuple):
        raise wrong_type(owner, name, "be a list or tuple", value, *kinds)
    if lengths and len(value) not in lengths:
        wanted = " or ".join(map(str, lengths))
        hint = hint or f"The length of {name} should be {wanted}."
        raise TypeError(text(owner, name, f"have {wanted} elements", value, hint))
    return tuple(value)


def numbers_of(
    owner: object,
    name: str,
    value: Any,
    low: float,
    high: float,
    closed: str = "[]",
    known_as: str = "{name}[{i}]",
    kinds: tuple[type, ...] = (int, float),
) -> tuple:
    """A list or tuple of numbers in one range; ``known_as`` is said of the i-th."""
    return tuple(
        number(owner, f"{name}[{i}]", v, low, high, closed, known_as.format(name=name, i=i), kinds)
        for i, v in enumerate(sequence(owner, name, value))
    )


def interval(
    owner: object,
    name: str,
    value: Any,
    low: float = -FLOAT32_MAX,
    high: float = FLOAT32_MAX,
    closed: str = "[]",
    known_as: str = "{name}[{i}]",
    hint: str = "",
    order: str = "",
    kinds: tuple[type, ...] = (int, float),
) -> tuple:
    """(min, max) with low <= min <= max <= high; ``hint`` speaks of the length, ``order`` of the
    order."""
    pair = sequence(owner, name, value, (2,), hint)
    if all(isinstance(end, int | float) for end in pair) and pair[0] > pair[1]:
        order = order or f"{name} should be in (min,max) format. Got (max,min)."
        raise ValueError(text(owner, name, "be (min, max) with min <= max", value, order))
    return numbers_of(owner, name, pair, low, high, closed, known_as, kinds)


def member(owner: object, name: str, value: Any, kind: type[Enum]) -> Any:
    """A member of an enumeration."""
    if not isinstance(value, kind):
        known = ", ".join(f"{kind.__name__}.{m}" for m in kind.__members__)
        rule, hint = f"be a member of {kind.__name__}", f"Use one of {known}."
        raise wrong_type(owner, name, rule, value, kind, hint=hint)
    return value


def size(owner: object, name: str, value: Any, known_as: str = "") -> tuple[int, int]:
    """(height, width), from one int for both."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value, value)
    if not isinstance(value, list | tuple) or len(value) != 2:
        rule = "be an int or (height, width)"
        hint = f"{name.capitalize().replace('_', ' ')} should be a single integer or a list/tuple"
        hint += " (h, w) of length 2."
        raise wrong_type(owner, name, rule, value, int, list, tuple, hint=hint)
    height, width = (
        check.integer(owner, f"{name}[{i}]", v, 1, EXACT_FLOAT32_INTEGER, known_as)
        for i, v in enumerate(value)
    )
    return height, width


def resized(owner: object, name: str, value: Any) -> int | tuple[int, int]:
    """A size of which one int is the shorter side, else (height, width)."""
    if isinstance(value, list | tuple) and len(value) == 2:
        height, width = (
            check.int32(owner, f"{name} at dim {i}", v, 1) for i, v in enumerate(value)
        )
        return height, width
    return size(owner, name, value)[0]


def fill_value(owner: object, name: str, value: Any) -> tuple[int, int, int]:
    """The value of each channel, from one int for all or a 3-tuple, in [0, 255]."""
    if isinstance(value, int):
        value = (check.integer(owner, name, value, 0, 255),) * 3
    if not isinstance(value, tuple) or len(value) != 3:
        hint = f"{name} should be a single integer or a 3-tuple."
        raise TypeError(text(owner, name, "be an int or a 3-tuple of ints", value, hint))
    red, green, blue = (
        check.integer(owner, f"{name}[{i}]", v, 0, 255) for i, v in enumerate(value)
    )
    return red, green, blue


def padding(owner: object, name: str, value: Any) -> tuple[int, int, int, int]:
    """(left, top, right, bottom), from one int for all or (left and right, top and bottom)."""
    if isinstance(value, Number):
        value = (check.int32(owner, name, value, 0),) * 4
    if not isinstance(value, list | tuple):
        rule = "be an int, or a list or tuple of 2 or 4 ints"
        raise wrong_type(owner, name, rule, value, tuple, list, Number)
    if len(value) not in (2, 4):
        hint = f"The size of the {name} list or tuple should be 2 or 4."
        raise ValueError(text(owner, name, "have 2 or 4 elements", value, hint))
    value = tuple(value) * (4 // len(value))
    for i, v in enumerate(value):
        check.int32(owner, f"{name}[{i}]", v, 0, "pad_value")
    left, top, right, bottom = value
    return left, top, right, bottom


def data_type(owner: object, name: str, value: Any) -> np.dtype:
    """The NumPy dtype that a MindSpore type, NumPy dtype, Python type or name means."""
    try:
        if value is None or isinstance(value, list | tuple):
            raise TypeError
        if value is float:  # NumPy's, as for int
            return np.dtype(np.float64)
        return dtypes.to_numpy(
            value if isinstance(value, np.dtype) else dtypes.resolve_dtype(value)
        )
    except TypeError:
        hint = "Pass e.g. minispore.float32 or numpy.float32."
        raise wrong_type(
            owner, name, "name a data type", value, type, np.dtype, hint=hint
        ) from None


def operations(owner: object, name: str, value: Any, wrap: Callable[[Any], Any]) -> tuple:
    """A list of transforms and Python functions, each through ``wrap``."""
    if not isinstance(value, list):
        told = check.not_of(f"{name} list", value, list)
        raise TypeError(text(owner, name, "be a list of transforms", value, told))
    if not value:
        hint = f"Pass at least one transform: {name} list can not be empty."
        raise ValueError(text(owner, name, "not be empty", value, hint))
    for i, operation in enumerate(value):
        if isinstance(operation, type):
            hint = f"It should be a transform: make an instance, {operation.__name__}(...)."
            raise ValueError(
                text(owner, f"{name}[{i}]", "be a transform, not its class", operation, hint)
            )
        if not callable(operation):
            rule = "be a transform or a Python function"
            hint = (
                f"{name}[{i}] is neither a transforms op (TensorOperation) nor a callable pyfunc."
            )
            raise TypeError(text(owner, f"{name}[{i}]", rule, operation, hint))
    return tuple(wrap(operation) for operation in value)
