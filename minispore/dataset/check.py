"""Checks of arguments: each names the operation, the argument and the way out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from minispore.errors import did_you_mean

INT32_MAX = 2**31 - 1
MAX_WORKERS = 256  # more threads or processes than any machine here has; a typo is likelier


def integer(op: str, name: str, value: Any, low: int, high: int = INT32_MAX) -> int:
    """``value`` as an int in [low, high].

    Raises:
        TypeError: it is not an int.
        ValueError: it is out of range.

    >>> integer("batch", "batch_size", 32, 1)
    32
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{op}: {name} must be an int, got {value!r} ({type(value).__name__}).")
    if not low <= value <= high:
        raise ValueError(f"{op}: {name} must be in [{low}, {high}], got {value}.")
    return int(value)


def count(op: str, name: str, value: Any) -> int:
    """A count: -1 for all, or a positive int."""
    if isinstance(value, int) and not isinstance(value, bool) and value == -1:
        return -1
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value < 1:
        raise ValueError(f"{op}: {name} must be -1 or positive, got {value}.")
    return integer(op, name, value, 1)


def boolean(op: str, name: str, value: Any) -> bool:
    """``value``, which must be True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{op}: {name} must be a bool, got {value!r} ({type(value).__name__}).")
    return value


def workers(op: str, value: Any) -> int | None:
    """``num_parallel_workers``: None, or an int from 1 to :data:`MAX_WORKERS`."""
    return None if value is None else integer(op, "num_parallel_workers", value, 1, MAX_WORKERS)


def names(op: str, argument: str, value: Any) -> tuple[str, ...]:
    """Column names: a str or a sequence of different, non-empty strs."""
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, list | tuple):
        raise TypeError(f"{op}: {argument} must be a str or a list of str, got {value!r}.")
    for i, name in enumerate(listed):
        if not isinstance(name, str):
            raise TypeError(f"{op}: {argument} must hold strs, got {name!r} in it.")
        if not name:
            raise ValueError(
                f"{op}: {argument} must not hold an empty name, got {[*listed[:5]]!r} with name "
                f"{i} empty."
            )
    twice = sorted([name for name, count in Counter(listed).items() if count > 1])
    if twice:
        raise ValueError(
            f"{op}: {argument} must name each column once, got {twice!s:.80} more than once."
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
                f"{op}: {argument} must name columns of the dataset, got "
                f"{name!r}.{did_you_mean(name, columns)} It has {list(columns)}."
            )


def shards(op: str, num_shards: Any, shard_id: Any) -> tuple[int, int] | None:
    """``(num_shards, shard_id)``, None when neither is given; both or neither."""
    if num_shards is None and shard_id is None:
        return None
    if num_shards is None or shard_id is None:
        raise ValueError(
            f"{op}: num_shards and shard_id must be given together, got num_shards={num_shards!r}, "
            f"shard_id={shard_id!r}."
        )
    total = integer(op, "num_shards", num_shards, 1)
    index = integer(op, "shard_id", shard_id, 0)
    if index >= total:
        raise ValueError(f"{op}: shard_id must be less than num_shards={total}, got {index}.")
    return total, index


def function(op: str, name: str, value: Any) -> Callable[..., Any]:
    """``value``, which must be callable."""
    if not callable(value):
        raise TypeError(f"{op}: {name} must be callable, got {value!r} ({type(value).__name__}).")
    return value
