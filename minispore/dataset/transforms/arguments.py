"""Checks of transforms' arguments: each returns the value or raises an error that names it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from numbers import Number
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.foundation import checks
from minispore.ir import dtype as dtypes

EXACT_FLOAT32_INTEGER = 2**24  # MindSpore's bound for sizes and factors, which it stores in float32
FLOAT32_MAX = check.FLOAT32_MAX


def format_error(api_name: object, name: str, rule: str, value: Any, hint: str = "") -> str:
    """Return an error's text: ``Resize: size must be positive, got 0. Pass ...``.

    A long ``value`` is shortened; ``hint`` comes last.
    """
    return checks.format_error(api_name, name, rule, checks.format_short(value), hint)


def instance(api_name: object, name: str, value: Any, kinds: tuple[type, ...]) -> Any:
    """Return ``value`` if it is an instance of one of the types.

    Raises:
        TypeError: ``value`` has a wrong type.
    """
    if not isinstance(value, kinds):
        rule = f"be a {', '.join(kind.__name__ for kind in kinds)}"
        raise wrong_type(api_name, name, rule, value, *kinds)
    return value


def wrong_type(
    api_name: object, name: str, rule: str, value: Any, *kinds: type, hint: str = ""
) -> TypeError:
    """Return, but do not raise, the TypeError for a value that is not an instance of ``kinds``.

    Its text ends with ``hint`` and MindSpore's text.
    """
    mindspore_text = check.type_mismatch_text(name, value, *kinds)
    return TypeError(format_error(api_name, name, rule, value, f"{hint} {mindspore_text}".strip()))


def number(
    api_name: object,
    name: str,
    value: Any,
    low: float = -FLOAT32_MAX,
    high: float = FLOAT32_MAX,
    closed: str = "[]",
    mindspore_name: str | None = None,
    kinds: tuple[type, ...] = (float, int),
) -> Any:
    """Return ``value`` if it is a number from ``low`` to ``high``, by default float32's range.

    ``closed`` says which ends are included, such as ``"[)"``. ``kinds`` are the types that the
    error names; with ``numbers.Number`` in it, bools and NumPy scalars are accepted too.
    ``mindspore_name`` is the argument's name in MindSpore's text, if different.

    Raises:
        TypeError, ValueError: ``value`` has a wrong type or is out of range.
    """
    return check.number(api_name, name, value, low, high, closed, mindspore_name, kinds)


def probability(
    api_name: object, name: str, value: Any, kinds: tuple[type, ...] = (float, int)
) -> float:
    """Return ``value`` if it is a number in [0, 1].

    ``kinds`` are the types that the error names.

    Raises:
        TypeError, ValueError: ``value`` has a wrong type or is out of range.
    """
    return number(api_name, name, value, 0.0, 1.0, kinds=kinds)


def sequence(
    api_name: object,
    name: str,
    value: Any,
    lengths: Sequence[int] = (),
    hint: str = "",
    kinds: tuple[type, ...] = (list, tuple),
) -> tuple:
    """Return a list or tuple as a tuple; it must have one of ``lengths`` if any are given.

    ``hint`` is the error's text about the length, and ``kinds`` are the types that the error names.

    Raises:
        TypeError: ``value`` is not a list or tuple, or has a wrong length.
    """
    if not isinstance(value, list | tuple):
        raise wrong_type(api_name, name, "be a list or tuple", value, *kinds)
    if lengths and len(value) not in lengths:
        allowed_lengths = " or ".join(map(str, lengths))
        hint = hint or f"The length of {name} should be {allowed_lengths}."
        raise TypeError(
            format_error(api_name, name, f"have {allowed_lengths} elements", value, hint)
        )
    return tuple(value)


def number_sequence(
    api_name: object,
    name: str,
    value: Any,
    low: float,
    high: float,
    closed: str = "[]",
    mindspore_name: str = "{name}[{i}]",
    kinds: tuple[type, ...] = (int, float),
) -> tuple:
    """Return a list or tuple of numbers in one range as a tuple.

    ``mindspore_name`` is the pattern of an element's name in MindSpore's text. ``closed`` and
    ``kinds`` are as in :func:`number`.

    Raises:
        TypeError: ``value`` is not a list or tuple, or an element is not a number.
        ValueError: an element is out of range.
    """
    numbers = sequence(api_name, name, value)
    for i, element in enumerate(numbers):
        element_name = mindspore_name.format(name=name, i=i)
        number(api_name, f"{name}[{i}]", element, low, high, closed, element_name, kinds)
    return numbers


def interval(
    api_name: object,
    name: str,
    value: Any,
    low: float = -FLOAT32_MAX,
    high: float = FLOAT32_MAX,
    closed: str = "[]",
    mindspore_name: str = "{name}[{i}]",
    hint: str = "",
    order: str = "",
    kinds: tuple[type, ...] = (int, float),
) -> tuple:
    """Return (min, max) as a tuple if low <= min <= max <= high.

    ``hint`` is the error's text about a wrong length, ``order`` about a wrong order. The other
    arguments are as in :func:`number_sequence`.

    Raises:
        TypeError: ``value`` is not a pair of numbers.
        ValueError: the pair is out of range or out of order.
    """
    pair = sequence(api_name, name, value, (2,), hint)
    if all(isinstance(end, int | float) for end in pair) and pair[0] > pair[1]:
        order = order or f"{name} should be in (min,max) format. Got (max,min)."
        raise ValueError(
            format_error(api_name, name, "be (min, max) with min <= max", value, order)
        )
    return number_sequence(api_name, name, pair, low, high, closed, mindspore_name, kinds)


def member(api_name: object, name: str, value: Any, kind: type[Enum]) -> Any:
    """Return ``value`` if it is a member of the enumeration ``kind``.

    Raises:
        TypeError: ``value`` is not a member.
    """
    if not isinstance(value, kind):
        members = ", ".join(f"{kind.__name__}.{m}" for m in kind.__members__)
        rule, hint = f"be a member of {kind.__name__}", f"Use one of {members}."
        raise wrong_type(api_name, name, rule, value, kind, hint=hint)
    return value


def size(api_name: object, name: str, value: Any, mindspore_name: str = "") -> tuple[int, int]:
    """Check a size of 1 to 2**24 and return (height, width); one int is used for both.

    Raises:
        TypeError: ``value`` is neither an int nor a pair of ints.
        ValueError: a length is out of range.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value, value)
    if not isinstance(value, list | tuple) or len(value) != 2:
        rule = "be an int or (height, width)"
        hint = f"{name.capitalize().replace('_', ' ')} should be a single integer or a list/tuple"
        hint += " (h, w) of length 2."
        raise wrong_type(api_name, name, rule, value, int, list, tuple, hint=hint)
    height, width = (
        check.integer(api_name, f"{name}[{i}]", v, 1, EXACT_FLOAT32_INTEGER, mindspore_name)
        for i, v in enumerate(value)
    )
    return height, width


def resize_size(api_name: object, name: str, value: Any) -> int | tuple[int, int]:
    """Check a size: return one int, the length of the shorter side, or a pair as (height, width).

    Raises:
        TypeError: ``value`` is neither an int nor a pair of ints.
        ValueError: a length is not positive, or too large.
    """
    if isinstance(value, list | tuple) and len(value) == 2:
        height, width = (
            check.int32(api_name, f"{name} at dim {i}", v, 1) for i, v in enumerate(value)
        )
        return height, width
    return size(api_name, name, value)[0]


def fill_value(api_name: object, name: str, value: Any) -> tuple[int, int, int]:
    """Check fill values in [0, 255] and return a 3-tuple; one int is used for all channels.

    Raises:
        TypeError: ``value`` is neither an int nor a 3-tuple of ints.
        ValueError: a value is out of range.
    """
    if isinstance(value, int):
        value = (check.integer(api_name, name, value, 0, 255),) * 3
    if not isinstance(value, tuple) or len(value) != 3:
        hint = f"{name} should be a single integer or a 3-tuple."
        raise TypeError(format_error(api_name, name, "be an int or a 3-tuple of ints", value, hint))
    red, green, blue = (
        check.integer(api_name, f"{name}[{i}]", v, 0, 255) for i, v in enumerate(value)
    )
    return red, green, blue


def padding(api_name: object, name: str, value: Any) -> tuple[int, int, int, int]:
    """Check a padding and return (left, top, right, bottom).

    One int is used for all sides; of two, the first is for left and right, the second for top and
    bottom.

    Raises:
        TypeError: ``value`` is not an int, or a list or tuple of ints.
        ValueError: a padding is negative, or there are not two or four in the list.
    """
    if isinstance(value, Number):
        value = (check.int32(api_name, name, value, 0),) * 4
    if not isinstance(value, list | tuple):
        rule = "be an int, or a list or tuple of 2 or 4 ints"
        raise wrong_type(api_name, name, rule, value, tuple, list, Number)
    if len(value) not in (2, 4):
        hint = f"The size of the {name} list or tuple should be 2 or 4."
        raise ValueError(format_error(api_name, name, "have 2 or 4 elements", value, hint))
    value = tuple(value) * (4 // len(value))
    for i, v in enumerate(value):
        check.int32(api_name, f"{name}[{i}]", v, 0, "pad_value")
    left, top, right, bottom = value
    return left, top, right, bottom


def data_type(api_name: object, name: str, value: Any) -> np.dtype:
    """Return the NumPy dtype of a MindSpore type, NumPy dtype, Python type or name.

    Python's float is float64.

    Raises:
        TypeError: ``value`` does not name a data type.
    """
    try:
        if value is None or isinstance(value, list | tuple):
            raise TypeError
        if value is float:  # NumPy's dtype of Python floats, as for int
            return np.dtype(np.float64)
        dtype = value if isinstance(value, np.dtype) else dtypes.resolve_dtype(value)
        return dtypes.to_numpy(dtype)
    except TypeError:
        hint = "Pass e.g. minispore.float32 or numpy.float32."
        raise wrong_type(
            api_name, name, "name a data type", value, type, np.dtype, hint=hint
        ) from None


def operations(api_name: object, name: str, value: Any, wrap: Callable[[Any], Any]) -> tuple:
    """Check a list of transforms and functions and return a tuple of ``wrap`` of each.

    Raises:
        TypeError: ``value`` is not a list, or an element is not callable.
        ValueError: the list is empty, or holds a class.
    """
    if not isinstance(value, list):
        mindspore_text = check.type_mismatch_text(f"{name} list", value, list)
        raise TypeError(
            format_error(api_name, name, "be a list of transforms", value, mindspore_text)
        )
    if not value:
        hint = f"Pass at least one transform: {name} list can not be empty."
        raise ValueError(format_error(api_name, name, "not be empty", value, hint))
    for i, operation in enumerate(value):
        if isinstance(operation, type):
            hint = f"It should be a transform: make an instance, {operation.__name__}(...)."
            raise ValueError(
                format_error(
                    api_name, f"{name}[{i}]", "be a transform, not its class", operation, hint
                )
            )
        if not callable(operation):
            rule = "be a transform or a Python function"
            hint = (
                f"{name}[{i}] is neither a transforms op (TensorOperation) nor a callable pyfunc."
            )
            raise TypeError(format_error(api_name, f"{name}[{i}]", rule, operation, hint))
    return tuple(wrap(operation) for operation in value)
