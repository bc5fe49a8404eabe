"""Checks of what only datasets take: columns, shards, workers, counts."""

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

MAX_WORKERS = max(128, os.cpu_count() or 1)  # with more of them, a typo is likelier
FLOAT32_MAX = float(np.finfo(np.float32).max)
_INT64_MAX = 2**63 - 1
_SHOWN = 200  # characters of a value in a message
T = TypeVar("T")


def integer(
    op: object,
    name: str,
    value: Any,
    low: int | None = None,
    high: int | None = None,
    known_as: str | None = None,
    says: str = "",
) -> int:
    """An int in [low, high], refused in our words and, with the bounds, in MindSpore's.

    ``known_as`` is what its sentence calls a number out of range, where that is not ``name``: it
    may be "". ``says`` is what else it says of a wrong type.

    Raises:
        TypeError: it is no int.
        ValueError: it is out of range.
    """
    most = checks.INT32_MAX if high is None else high
    fault = _fault(name, known_as, _within(f"[{low}, {most}]"))
    with _in_mindspores_words(name, value, fault, int, says=says):
        return checks.integer(op, name, value, low, high)


def int32(
    op: object,
    name: str,
    value: Any,
    low: int = -checks.INT32_MAX - 1,
    known_as: str | None = None,
    says: str = "",
) -> int:
    """An int from ``low`` to the largest of int32, refused in the same way."""
    return integer(op, name, value, low, checks.INT32_MAX, known_as, says)


def positive(op: object, name: str, value: Any, known_as: str | None = None) -> int:
    """An int of int32 that is greater than 0, refused in the same way."""
    fault = _fault(name, known_as, "must be greater than 0")
    with _in_mindspores_words(name, value, fault, int):
        return checks.int32(op, name, value, 1)


def boolean(op: object, name: str, value: Any, says: str = "") -> bool:
    """True or False, refused in the same way."""
    return instance(op, name, value, bool, says)


def string(op: object, name: str, value: Any) -> str:
    """A str, refused in the same way."""
    return instance(op, name, value, str)


def instance(op: object, name: str, value: Any, kind: type[T], says: str = "") -> T:
    """An instance of ``kind``, refused in the same way."""
    with _in_mindspores_words(name, value, "", kind, says=says):
        return checks.instance(op, name, value, kind)


_SAYS = {  # of a setting of a wrong type, where it is not what MindSpore says of most
    "set_auto_num_workers": "must be of type bool",
    "set_auto_offload": "must be a bool dtype",
    "set_autotune_interval": "must be of type int",
    "set_debug_mode": "isn't of type boolean",
    "set_enable_autotune": "must be of type bool",
    "set_enable_shared_mem": "must be of type bool",
    "set_sending_batches": "must be an int dtype",
}


def int_setting(op: str, name: str, value: Any, low: int, high: int = checks.INT32_MAX) -> int:
    """An int that ``dataset.config`` is given."""
    return integer(op, name, value, low, high, says=_SAYS.get(op, "isn't of type int"))


def bool_setting(op: str, name: str, value: Any) -> bool:
    """A bool that ``dataset.config`` is given."""
    return boolean(op, name, value, _SAYS.get(op, "must be a boolean dtype"))


def not_of(name: str, value: Any, *kinds: type) -> str:
    """What MindSpore says of a value of a wrong type: its facts, for scripts that look for them.

    >>> not_of("size", "2", int)
    "Argument size with value 2 is not of type [<class 'int'>], but got <class 'str'>."
    """
    shown = str(value)[:_SHOWN] or '""'
    # A bool among ints is a case of its own there, and shows another bracket.
    listed = kinds if isinstance(value, bool) and int in kinds else [*kinds]
    return f"Argument {name} with value {shown} is not of type {listed}, but got {type(value)}."


def wrong_type(
    op: object, name: str, rule: str, value: Any, *kinds: type, known_as: str = ""
) -> TypeError:
    """What to raise for a value of none of the types; MindSpore may know it by another name."""
    told = not_of(known_as or name, value, *kinds)
    return TypeError(checks.format_error(op, name, rule, checks.format_short(value), told))


def _within(bounds: str) -> str:
    return f"is not within the required interval of {bounds}"


def _fault(name: str, known_as: str | None, rule: str) -> str:
    """What MindSpore says of a number that breaks a rule, under the name that it has there."""
    known_as = name if known_as is None else known_as
    return f"Input {known_as} {rule}." if known_as else f"Input {rule}."


@contextmanager
def _in_mindspores_words(
    name: str, value: Any, fault: str, *kinds: type, says: str = ""
) -> Iterator[None]:
    """Add to a refusal the facts that scripts look for in MindSpore's."""
    try:
        yield
    except TypeError as error:
        told = not_of(name, value, *kinds)
        raise TypeError(f"{error} {told}{f' {name} {says}.' if says else ''}") from None
    except ValueError as error:
        raise ValueError(f"{error} {fault}") from None


def _is_number(value: Any, any_kind: bool) -> bool:
    if any_kind:  # also a bool, or a NumPy scalar
        return isinstance(value, Real)
    return isinstance(value, int | float) and not isinstance(value, bool)


def number(
    op: object,
    name: str,
    value: Any,
    low: float,
    high: float,
    closed: str = "[]",
    known_as: str | None = None,
    kinds: tuple[type, ...] = (float, int),
) -> Any:
    """A number from ``low`` to ``high``, refused in the same way.

    ``closed`` tells which ends belong, and ``kinds`` which types MindSpore's sentence names.
    """
    bounds = f"{closed[0]}{low}, {high}{closed[1]}"
    unbounded = closed[0] == "(" and high >= FLOAT32_MAX
    rule = f"must be greater than {low}" if unbounded else _within(bounds)
    with _in_mindspores_words(name, value, _fault(name, known_as, rule), *kinds):
        if not _is_number(value, Number in kinds):
            raise TypeError(
                checks.format_error(op, name, "be a number", checks.format_short(value))
            )
        above = value >= low if closed[0] == "[" else value > low
        below = value <= high if closed[1] == "]" else value < high
        if not (above and below):
            rule = f"be in {closed[0]}{low:g}, {high:g}{closed[1]}"
            raise ValueError(checks.format_error(op, name, rule, checks.format_short(value)))
    return value


def num_samples(op: str, value: Any) -> int | None:
    """``num_samples``, None for 0 as for None: all rows."""
    if value is None:
        return None
    try:
        return integer(op, "num_samples", value, 0, _INT64_MAX) or None
    except ValueError as error:
        told = f"num_samples exceeds the boundary between 0 and {_INT64_MAX}(INT64_MAX)!"
        raise ValueError(f"{error} {told}") from None


def member(op: str, name: str, value: Any, known: Iterable[Any]) -> Any:
    """One of ``known``, whatever they are; refused in the same way."""
    known = list(known)
    try:
        return checks.one_of(op, name, value, known)
    except ValueError as error:
        told = f"Input {name} is not within the valid set of {known}."
        raise ValueError(f"{error} {told}") from None


def count(op: str, name: str, value: Any) -> int:
    """A count: -1 for all, or a positive int."""
    if isinstance(value, int) and not isinstance(value, bool) and value == -1:
        return -1
    if isinstance(value, int) and not isinstance(value, bool) and value < 1:
        raise ValueError(
            f"{op}: {name} must be -1 or positive, got {value}: {name} should be either -1 or "
            "within the required interval of (0, 2147483647]."
        )
    return int32(op, name, value, 1)


def workers(op: str, value: Any) -> int | None:
    """``num_parallel_workers``: None, or an int from 1 to :data:`MAX_WORKERS`."""
    if value is None:
        return None
    try:
        return integer(op, "num_parallel_workers", value, 1, MAX_WORKERS)
    except ValueError as error:
        told = f"num_parallel_workers exceeds the boundary between 1 and {MAX_WORKERS}."
        raise ValueError(f"{error} {told}") from None


def one_of(op: str, argument: str, value: Any, known: Iterable[str | None]) -> Any:
    """One of ``known``; None among them means that the argument may be left out.

    Raises:
        TypeError: it is no str.
        ValueError: it is another one.
    """
    texts = [choice for choice in known if choice is not None]
    if value is None and None in [*known]:
        return None
    if not isinstance(value, str):
        raise TypeError(
            f"{op}: {argument} must be a str, got {value!r}. {not_of(argument, value, str)}"
        )
    if value not in texts:
        *some, last = map(repr, texts)
        listed = f"{', '.join(some)} or {last}" if some else last
        raise ValueError(
            f"{op}: {argument} must be {listed}, got {value!r}.{did_you_mean(value, texts)} "
            f"Input {argument} is not within the valid set of {texts}."
        )
    return value


def names(op: str, argument: str, value: Any) -> tuple[str, ...]:
    """Column names: a str or a sequence of different, non-empty strs."""
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, list | tuple):
        raise wrong_type(op, argument, "be a str or a list of str", value, list, str)
    for i, name in enumerate(listed):
        if not isinstance(name, str):
            told = not_of(f"{argument}[{i}]", name, str)
            raise TypeError(f"{op}: {argument} must hold strs, got {name!r} in it. {told}")
        if not name:
            raise ValueError(
                f"{op}: {argument} must not hold an empty name, got {[*listed[:5]]!r}: "
                f"{argument}[{i}] should not be empty."
            )
    twice = sorted([name for name, count in Counter(listed).items() if count > 1])
    if twice:
        raise ValueError(
            f"{op}: {argument} must name each column once, got {twice!s:.80} more than once. Every "
            f"column name should not be same with others in {argument}."
        )
    return tuple(listed)


def known(op: str, argument: str, wanted: Iterable[str], columns: Sequence[str]) -> None:
    """Each wanted column must be there.

    Raises:
        RuntimeError: one is not.
    """
    for name in wanted:
        if name not in columns:
            raise RuntimeError(
                f"{op}: {argument} must name columns of the dataset, got {name!r}."
                f"{did_you_mean(name, columns)} It has {list(columns)}: column name {name!r} of "
                f"{argument!r} doesn't exist."
            )


def shards(
    op: str, num_shards: Any, shard_id: Any, alone: type[Exception] = DatasetError
) -> tuple[int, int] | None:
    """``(num_shards, shard_id)``, None when neither is given; both or neither.

    Raises:
        TypeError: one is no int.
        ValueError: one is out of range.
        alone: one is given without the other.
    """
    for name, value in (("num_shards", num_shards), ("shard_id", shard_id)):
        if value is not None:
            integer(op, name, value)
    if num_shards is None and shard_id is None:
        return None
    if num_shards is None or shard_id is None:
        told = (
            "num_shards is specified and currently requires shard_id as well"
            if shard_id is None
            else "shard_id is specified but num_shards is not"
        )
        raise alone(
            f"{op}: num_shards and shard_id must be given together, got num_shards={num_shards!r}, "
            f"shard_id={shard_id!r}: {told}."
        )
    total = int32(op, "num_shards", num_shards, 1)
    index = integer(op, "shard_id", shard_id)
    if not 0 <= index < total:
        rule = f"be less than num_shards={total}" if index > 0 else "not be negative"
        raise ValueError(
            f"{op}: shard_id must {rule}, got {index}. "
            f"Input shard_id is not within the required interval of [0, {total - 1}]."
        )
    return total, index
