"""Checks of arguments that only datasets have: columns, shards, workers, counts."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Number, Real
from typing import Any, TypeVar

import numpy as np

from minispore.errors import DatasetError, did_you_mean
from minispore.foundation import checks

MAX_WORKERS = max(128, os.cpu_count() or 1)  # a larger number is probably a typo
FLOAT32_MAX = float(np.finfo(np.float32).max)
_INT64_MAX = 2**63 - 1
_VALUE_CHARS = 200  # maximum length of a value in a message
T = TypeVar("T")


def integer(
    api_name: object,
    name: str,
    value: Any,
    low: int | None = None,
    high: int | None = None,
    mindspore_name: str | None = None,
    mindspore_rule: str = "",
) -> int:
    """Check and return an int in [low, high]; errors hold minispore's text and MindSpore's.

    ``mindspore_name`` is the argument's name in MindSpore's text for a number out of range, if it
    is not ``name``; it may be "". ``mindspore_rule`` is added to MindSpore's text for a wrong type.

    Raises:
        TypeError: ``value`` is not an int.
        ValueError: ``value`` is out of range.
    """
    largest = checks.INT32_MAX if high is None else high
    mindspore_fault = _range_fault_text(name, mindspore_name, _interval_text(f"[{low}, {largest}]"))
    with _add_mindspore_text(name, value, mindspore_fault, int, mindspore_rule=mindspore_rule):
        return checks.integer(api_name, name, value, low, high)


def int32(
    api_name: object,
    name: str,
    value: Any,
    low: int = -checks.INT32_MAX - 1,
    mindspore_name: str | None = None,
    mindspore_rule: str = "",
) -> int:
    """Check and return an int from ``low`` to the int32 maximum, as :func:`integer` does."""
    return integer(api_name, name, value, low, checks.INT32_MAX, mindspore_name, mindspore_rule)


def positive(api_name: object, name: str, value: Any, mindspore_name: str | None = None) -> int:
    """Check and return a positive int that fits into int32, as :func:`integer` does."""
    mindspore_fault = _range_fault_text(name, mindspore_name, "must be greater than 0")
    with _add_mindspore_text(name, value, mindspore_fault, int):
        return checks.int32(api_name, name, value, 1)


def boolean(api_name: object, name: str, value: Any, mindspore_rule: str = "") -> bool:
    """Check and return a bool, as :func:`instance` does."""
    return instance(api_name, name, value, bool, mindspore_rule)


def string(api_name: object, name: str, value: Any) -> str:
    """Check and return a str, as :func:`instance` does."""
    return instance(api_name, name, value, str)


def instance(api_name: object, name: str, value: Any, kind: type[T], mindspore_rule: str = "") -> T:
    """Check and return an instance of ``kind``; a TypeError holds minispore's text and MindSpore's.

    ``mindspore_rule`` is added to MindSpore's text.
    """
    with _add_mindspore_text(name, value, "", kind, mindspore_rule=mindspore_rule):
        return checks.instance(api_name, name, value, kind)


# MindSpore's rules for settings of a wrong type, where they differ from the usual text
_SETTING_RULES = {
    "set_auto_num_workers": "must be of type bool",
    "set_auto_offload": "must be a bool dtype",
    "set_autotune_interval": "must be of type int",
    "set_debug_mode": "isn't of type boolean",
    "set_enable_autotune": "must be of type bool",
    "set_enable_shared_mem": "must be of type bool",
    "set_sending_batches": "must be an int dtype",
}


def int_setting(
    api_name: str, name: str, value: Any, low: int, high: int = checks.INT32_MAX
) -> int:
    """Check and return an int argument of ``dataset.config``; ``api_name`` is its function."""
    mindspore_rule = _SETTING_RULES.get(api_name, "isn't of type int")
    return integer(api_name, name, value, low, high, mindspore_rule=mindspore_rule)


def bool_setting(api_name: str, name: str, value: Any) -> bool:
    """Check and return a bool argument of ``dataset.config``; ``api_name`` is its function."""
    return boolean(api_name, name, value, _SETTING_RULES.get(api_name, "must be a boolean dtype"))


def type_mismatch_text(name: str, value: Any, *kinds: type) -> str:
    """Return MindSpore's text for a value of a wrong type, for scripts that search for it.

    >>> type_mismatch_text("size", "2", int)
    "Argument size with value 2 is not of type [<class 'int'>], but got <class 'str'>."
    """
    value_text = str(value)[:_VALUE_CHARS] or '""'
    # MindSpore checks a bool among ints separately, and prints a tuple of the types there.
    listed_types = kinds if isinstance(value, bool) and int in kinds else [*kinds]
    return (
        f"Argument {name} with value {value_text} is not of type {listed_types}, "
        f"but got {type(value)}."
    )


def wrong_type(
    api_name: object, name: str, rule: str, value: Any, *kinds: type, mindspore_name: str = ""
) -> TypeError:
    """Make the TypeError for a value that has none of the types.

    ``mindspore_name`` is the argument's name in MindSpore's text, if different.
    """
    mindspore_text = type_mismatch_text(mindspore_name or name, value, *kinds)
    return TypeError(
        checks.format_error(api_name, name, rule, checks.format_short(value), mindspore_text)
    )


def _interval_text(bounds: str) -> str:
    """Return MindSpore's rule for a number outside an interval."""
    return f"is not within the required interval of {bounds}"


def _range_fault_text(name: str, mindspore_name: str | None, rule: str) -> str:
    """Return MindSpore's text for a number that breaks a rule, under its name in MindSpore."""
    mindspore_name = name if mindspore_name is None else mindspore_name
    return f"Input {mindspore_name} {rule}." if mindspore_name else f"Input {rule}."


@contextmanager
def _add_mindspore_text(
    name: str, value: Any, mindspore_fault: str, *kinds: type, mindspore_rule: str = ""
) -> Iterator[None]:
    """Add MindSpore's text to a TypeError or ValueError raised in this context."""
    try:
        yield
    except TypeError as error:
        mindspore_text = type_mismatch_text(name, value, *kinds)
        if mindspore_rule:
            mindspore_text += f" {name} {mindspore_rule}."
        raise TypeError(f"{error} {mindspore_text}") from None
    except ValueError as error:
        raise ValueError(f"{error} {mindspore_fault}") from None


def _is_number(value: Any, accepts_any_real: bool) -> bool:
    """Whether ``value`` is a number; bools and NumPy scalars only with ``accepts_any_real``."""
    if accepts_any_real:  # includes bools and NumPy scalars
        return isinstance(value, Real)
    return isinstance(value, int | float) and not isinstance(value, bool)


def number(
    api_name: object,
    name: str,
    value: Any,
    low: float,
    high: float,
    closed: str = "[]",
    mindspore_name: str | None = None,
    kinds: tuple[type, ...] = (float, int),
) -> Any:
    """Check and return a number from ``low`` to ``high``; errors hold both texts.

    ``closed`` says which ends are included, and ``kinds`` which types MindSpore's text names; with
    ``numbers.Number`` in it, bools and NumPy scalars are numbers too.

    Raises:
        TypeError: ``value`` is not a number.
        ValueError: ``value`` is out of range.
    """
    bounds = f"{closed[0]}{low}, {high}{closed[1]}"
    unbounded = closed[0] == "(" and high >= FLOAT32_MAX
    rule = f"must be greater than {low}" if unbounded else _interval_text(bounds)
    with _add_mindspore_text(name, value, _range_fault_text(name, mindspore_name, rule), *kinds):
        if not _is_number(value, Number in kinds):
            raise TypeError(
                checks.format_error(api_name, name, "be a number", checks.format_short(value))
            )
        above = value >= low if closed[0] == "[" else value > low
        below = value <= high if closed[1] == "]" else value < high
        if not (above and below):
            rule = f"be in {closed[0]}{low:g}, {high:g}{closed[1]}"
            raise ValueError(checks.format_error(api_name, name, rule, checks.format_short(value)))
    return value


def num_samples(api_name: str, value: Any) -> int | None:
    """Check ``num_samples`` and return None for all rows (0 or None).

    Raises:
        TypeError: ``value`` is not an int.
        ValueError: ``value`` is negative or too large.
    """
    if value is None:
        return None
    try:
        return integer(api_name, "num_samples", value, 0, _INT64_MAX) or None
    except ValueError as error:
        mindspore_text = f"num_samples exceeds the boundary between 0 and {_INT64_MAX}(INT64_MAX)!"
        raise ValueError(f"{error} {mindspore_text}") from None


def member(api_name: str, name: str, value: Any, allowed: Iterable[Any]) -> Any:
    """Check that ``value`` is one of ``allowed``, of any type, and return it.

    The error also holds MindSpore's text.

    Raises:
        ValueError: ``value`` is not in ``allowed``.
    """
    allowed = list(allowed)
    try:
        return checks.one_of(api_name, name, value, allowed)
    except ValueError as error:
        mindspore_text = f"Input {name} is not within the valid set of {allowed}."
        raise ValueError(f"{error} {mindspore_text}") from None


def count(api_name: str, name: str, value: Any) -> int:
    """Check and return a count: -1 for all, or a positive int.

    Raises:
        TypeError: ``value`` is not an int.
        ValueError: ``value`` is 0 or less than -1.
    """
    if isinstance(value, int) and not isinstance(value, bool) and value == -1:
        return -1
    if isinstance(value, int) and not isinstance(value, bool) and value < 1:
        raise ValueError(
            f"{api_name}: {name} must be -1 or positive, got {value}: {name} should be either -1 "
            "or within the required interval of (0, 2147483647]."
        )
    return int32(api_name, name, value, 1)


def workers(api_name: str, value: Any) -> int | None:
    """Check and return ``num_parallel_workers``: None, or an int from 1 to :data:`MAX_WORKERS`.

    Raises:
        TypeError: ``value`` is not an int.
        ValueError: ``value`` is out of range.
    """
    if value is None:
        return None
    try:
        return integer(api_name, "num_parallel_workers", value, 1, MAX_WORKERS)
    except ValueError as error:
        mindspore_text = f"num_parallel_workers exceeds the boundary between 1 and {MAX_WORKERS}."
        raise ValueError(f"{error} {mindspore_text}") from None


def one_of(api_name: str, argument: str, value: Any, allowed: Iterable[str | None]) -> Any:
    """Check that ``value`` is one of the strs ``allowed``, and return it; None if None is allowed.

    Raises:
        TypeError: ``value`` is not a str.
        ValueError: ``value`` is not in ``allowed``.
    """
    texts = [choice for choice in allowed if choice is not None]
    if value is None and None in [*allowed]:
        return None
    if not isinstance(value, str):
        raise TypeError(
            f"{api_name}: {argument} must be a str, got {value!r}. "
            f"{type_mismatch_text(argument, value, str)}"
        )
    if value not in texts:
        *others, last = map(repr, texts)
        allowed_text = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(
            f"{api_name}: {argument} must be {allowed_text}, got "
            f"{value!r}.{did_you_mean(value, texts)} "
            f"Input {argument} is not within the valid set of {texts}."
        )
    return value


def names(api_name: str, argument: str, value: Any) -> tuple[str, ...]:
    """Check column names, a str or a sequence of distinct, non-empty strs; return a tuple.

    Raises:
        TypeError: ``value`` holds anything other than strs.
        ValueError: a name is empty or occurs twice.
    """
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, list | tuple):
        raise wrong_type(api_name, argument, "be a str or a list of str", value, list, str)
    for i, name in enumerate(listed):
        if not isinstance(name, str):
            mindspore_text = type_mismatch_text(f"{argument}[{i}]", name, str)
            raise TypeError(
                f"{api_name}: {argument} must hold strs, got {name!r} in it. {mindspore_text}"
            )
        if not name:
            raise ValueError(
                f"{api_name}: {argument} must not hold an empty name, got {[*listed[:5]]!r}: "
                f"{argument}[{i}] should not be empty."
            )
    duplicates = sorted([name for name, count in Counter(listed).items() if count > 1])
    if duplicates:
        raise ValueError(
            f"{api_name}: {argument} must name each column once, got {duplicates!s:.80} more than "
            f"once. Every column name should not be same with others in {argument}."
        )
    return tuple(listed)


def check_columns_exist(
    api_name: str, argument: str, column_names: Iterable[str], columns: Sequence[str]
) -> None:
    """Check that the dataset has all the columns in ``column_names``.

    Raises:
        RuntimeError: the dataset lacks a column.
    """
    for name in column_names:
        if name not in columns:
            raise RuntimeError(
                f"{api_name}: {argument} must name columns of the dataset, got {name!r}."
                f"{did_you_mean(name, columns)} It has {list(columns)}: column name {name!r} of "
                f"{argument!r} doesn't exist."
            )


def shards(
    api_name: str, num_shards: Any, shard_id: Any, incomplete_error: type[Exception] = DatasetError
) -> tuple[int, int] | None:
    """Check ``num_shards`` and ``shard_id`` and return both; None when neither is given.

    Raises:
        TypeError: an argument is not an int.
        ValueError: an argument is out of range.
        incomplete_error: only one of the two is given.
    """
    for name, value in (("num_shards", num_shards), ("shard_id", shard_id)):
        if value is not None:
            integer(api_name, name, value)
    if num_shards is None and shard_id is None:
        return None
    if num_shards is None or shard_id is None:
        mindspore_text = "shard_id is specified but num_shards is not"
        if shard_id is None:
            mindspore_text = "num_shards is specified and currently requires shard_id as well"
        raise incomplete_error(
            f"{api_name}: num_shards and shard_id must be given together, got "
            f"num_shards={num_shards!r}, "
            f"shard_id={shard_id!r}: {mindspore_text}."
        )
    total = int32(api_name, "num_shards", num_shards, 1)
    index = integer(api_name, "shard_id", shard_id)
    if not 0 <= index < total:
        rule = f"be less than num_shards={total}" if index > 0 else "not be negative"
        raise ValueError(
            f"{api_name}: shard_id must {rule}, got {index}. "
            f"Input shard_id is not within the required interval of [0, {total - 1}]."
        )
    return total, index
