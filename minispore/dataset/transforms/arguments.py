"""Validate transforms' arguments: each check returns the value or raises by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import numpy as np

from minispore import checks
from minispore.core import dtype as dtypes
from minispore.dataset import check

EXACT_FLOAT32_INTEGER = 2**24  # MindSpore's bound for sizes and factors that it holds in float32
FLOAT32_MAX = float(np.finfo(np.float32).max)


def text(owner: object, name: str, rule: str, value: Any, hint: str = "") -> str:
    """``Resize: size must be positive, got 0. Pass ...``"""
    return checks.text(owner, name, rule, checks.short(value), hint)


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
    above: bool = False,
) -> Any:
    """An int or float in [low, high], or in (low, high] with ``above``."""
    return check.number(owner, name, value, low, high, above)


def probability(owner: object, name: str, value: Any) -> float:
    """A number in [0, 1]."""
    return number(owner, name, value, 0.0, 1.0)


def sequence(owner: object, name: str, value: Any, lengths: Sequence[int] = ()) -> tuple:
    """A list or tuple, of one of the lengths if any are given."""
    if not isinstance(value, list | tuple):
        raise wrong_type(owner, name, "be a list or tuple", value, list, tuple)
    if lengths and len(value) not in lengths:
        wanted = " or ".join(map(str, lengths))
        raise TypeError(text(owner, name, f"have {wanted} elements", value))
    return tuple(value)


def numbers_of(
    owner: object, name: str, value: Any, low: float, high: float, above: bool = False
) -> tuple:
    """A list or tuple of numbers in one range."""
    return tuple(
        number(owner, f"{name}[{i}]", v, low, high, above)
        for i, v in enumerate(sequence(owner, name, value))
    )


def interval(
    owner: object,
    name: str,
    value: Any,
    low: float = -FLOAT32_MAX,
    high: float = FLOAT32_MAX,
    above: bool = False,
) -> tuple:
    """(min, max) with low <= min <= max <= high."""
    pair = sequence(owner, name, value, (2,))
    pair = tuple(number(owner, f"{name}[{i}]", v, low, high, above) for i, v in enumerate(pair))
    if pair[0] > pair[1]:
        hint = f"{name} should be in (min,max) format. Got (max,min)."
        raise ValueError(text(owner, name, "be (min, max) with min <= max", value, hint))
    return pair


def member(owner: object, name: str, value: Any, kind: type[Enum]) -> Any:
    """A member of an enumeration."""
    if not isinstance(value, kind):
        known = ", ".join(f"{kind.__name__}.{m}" for m in kind.__members__)
        rule, hint = f"be a member of {kind.__name__}", f"Use one of {known}."
        raise wrong_type(owner, name, rule, value, kind, hint=hint)
    return value


def size(owner: object, name: str, value: Any) -> tuple[int, int]:
    """(height, width), from one int for both."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value, value)
    if not isinstance(value, list | tuple) or len(value) != 2:
        rule, hint = "be an int or (height, width)", "Size should be a single integer or a pair."
        raise wrong_type(owner, name, rule, value, int, list, tuple, hint=hint)
    height, width = (
        check.integer(owner, f"{name}[{i}]", v, 1, EXACT_FLOAT32_INTEGER)
        for i, v in enumerate(value)
    )
    return height, width


def fill_value(owner: object, name: str, value: Any) -> tuple[int, int, int]:
    """The value of each channel, from one int for all or a 3-tuple, in [0, 255]."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value,) * 3
    if not isinstance(value, tuple) or len(value) != 3:
        hint = f"{name} should be a single integer or a 3-tuple."
        raise TypeError(text(owner, name, "be an int or a 3-tuple of ints", value, hint))
    red, green, blue = (
        check.integer(owner, f"{name}[{i}]", v, 0, 255) for i, v in enumerate(value)
    )
    return red, green, blue


def padding(owner: object, name: str, value: Any) -> tuple[int, int, int, int]:
    """(left, top, right, bottom), from one int for all or (left and right, top and bottom)."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value,) * 4
    if not isinstance(value, list | tuple):
        rule = "be an int, or a list or tuple of 2 or 4 ints"
        raise wrong_type(owner, name, rule, value, int, tuple, list)
    if len(value) not in (2, 4):
        raise ValueError(text(owner, name, "have 2 or 4 elements", value))
    value = tuple(value) * (4 // len(value))
    left, top, right, bottom = (
        check.int32(owner, f"{name}[{i}]", v, 0) for i, v in enumerate(value)
    )
    return left, top, right, bottom


def data_type(owner: object, name: str, value: Any) -> np.dtype:
    """The NumPy dtype that a MindSpore type, NumPy dtype, Python type or name means."""
    try:
        if value is None or isinstance(value, list | tuple):
            raise TypeError
        return dtypes.to_numpy(value)
    except TypeError:
        hint = "Pass e.g. minispore.float32 or numpy.float32."
        raise wrong_type(
            owner, name, "name a data type", value, type, np.dtype, hint=hint
        ) from None


def operations(owner: object, name: str, value: Any, wrap: Callable[[Any], Any]) -> tuple:
    """A list of transforms and Python functions, each through ``wrap``."""
    if not isinstance(value, list):
        raise TypeError(text(owner, name, "be a list of transforms", value))
    if not value:
        raise ValueError(text(owner, name, "not be empty", value, "Pass at least one transform."))
    for i, operation in enumerate(value):
        if isinstance(operation, type):
            hint = f"Make an instance: {operation.__name__}(...)."
            raise ValueError(
                text(owner, f"{name}[{i}]", "be a transform, not its class", operation, hint)
            )
        if not callable(operation):
            raise TypeError(
                text(owner, f"{name}[{i}]", "be a transform or a Python function", operation)
            )
    return tuple(wrap(operation) for operation in value)
