"""Arguments of operations in the form that nodes take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.pipeline.batching import Padding
from minispore.dataset.pipeline.workers import DEFAULT_BYTES
from minispore.errors import did_you_mean
from minispore.foundation import checks


def shared_memory(op: str, max_rowsize: Any) -> tuple[int, int]:
    """Bytes to and from a worker process; ``max_rowsize`` is megabytes, both or [to, from]."""
    sizes = max_rowsize if isinstance(max_rowsize, list | tuple) else [max_rowsize] * 2
    if len(sizes) != 2:
        raise ValueError(f"{op}: max_rowsize must be an int or a list of two, got {max_rowsize!r}.")
    given = [-1 if s is None else check.int32(op, "max_rowsize", s, -1) for s in sizes]
    to, back = (DEFAULT_BYTES if s < 1 else max(s << 20, DEFAULT_BYTES) for s in given)
    return to, back


def known_arguments(op: str, given: dict[str, Any], known: Sequence[str]) -> None:
    """Refuse keywords that an operation does not have.

    Raises:
        TypeError: there is one.
    """
    for name in given:
        if name not in known:
            raise TypeError(f"{op}: there is no argument {name!r}.{did_you_mean(name, known)}")


def fresh(op: str, new: Sequence[str], old: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse output columns that are there already and are not replaced.

    Raises:
        RuntimeError: there is one.
    """
    taken = [n for n in new if n in columns and n not in old]
    if taken:
        raise RuntimeError(f"{op}: output_columns must be new, {taken} exist already.")


def padding(op: str, pad_info: Any, columns: Sequence[str]) -> Padding | None:
    """``pad_info`` with a shape and a value for each column that is padded; ``{}`` pads all.

    Raises:
        TypeError, ValueError: it is no dict of (shape, value).
        RuntimeError: a column does not exist.
    """
    if pad_info is None:
        return None
    if not isinstance(pad_info, dict):
        raise check.wrong_type(op, "pad_info", "be a dict", pad_info, dict)
    for name in pad_info:
        if not isinstance(name, str):
            told = check.not_of("key in pad_info", name, str)
            raise TypeError(
                checks.format_error(op, "pad_info", "have strs as keys", repr(name), told)
            )
    check.known(op, "pad_info", pad_info, columns)
    if not pad_info:
        return dict.fromkeys(columns, (None, None))
    made: Padding = {}
    for name, pair in pad_info.items():
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise TypeError(f"{op}: pad_info[{name!r}] must be (shape, value), got {pair!r}.")
        shape, fill = pair
        if shape is not None:
            if not isinstance(shape, list | tuple):
                raise TypeError(
                    f"{op}: pad_info[{name!r}] must have a list as its shape, got {shape!r}."
                )
            shape = tuple(
                None if s is None or s == -1 else check.int32(op, f"pad_info[{name!r}]", s, 1)
                for s in shape
            )
        if fill is not None and not isinstance(fill, bool | int | float | str | bytes | np.generic):
            raise TypeError(
                f"{op}: pad_info[{name!r}] must have a number or a str as its value, got {fill!r}."
            )
        made[name] = (shape, fill)
    return made


def buckets(
    column_names: Any, boundaries: Any, sizes: Any, length: Any, to_boundary: Any, drop: Any
) -> tuple[str, ...]:
    """The columns of ``bucket_batch_by_length``, whose arguments are looked at in this order.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
    """
    op = "bucket_batch_by_length"
    numbers = {"bucket_boundaries": boundaries, "bucket_batch_sizes": sizes}
    for name, value in ({"column_names": column_names} | numbers).items():
        if not isinstance(value, list):
            of = "strs" if name == "column_names" else "ints"
            raise check.wrong_type(op, name, f"be a list of {of}", value, list)
    check.boolean(op, "pad_to_bucket_boundary", to_boundary)
    check.boolean(op, "drop_remainder", drop)
    inputs = check.names(op, "column_names", column_names)
    if not inputs:
        hint = "column_names should not be empty."
        raise ValueError(checks.format_error(op, "column_names", "name a column", "[]", hint))
    if length is not None:
        checks.function(op, "element_length_function", length)
    elif len(inputs) != 1:
        raise ValueError(
            f"{op}: element_length_function must be given with several column_names, got "
            f"{list(inputs)}. If element_length_function is not specified, exactly one column "
            "name should be passed."
        )
    if not boundaries:
        hint = "bucket_boundaries cannot be empty."
        raise ValueError(checks.format_error(op, "bucket_boundaries", "not be empty", "[]", hint))
    _positive(op, "bucket_boundaries", boundaries, "must only contain positive numbers.")
    if boundaries != sorted(set(boundaries)):
        hint = "bucket_boundaries should be strictly increasing."
        raise ValueError(
            checks.format_error(op, "bucket_boundaries", "rise", str(boundaries), hint)
        )
    if len(sizes) != len(boundaries) + 1:
        raise ValueError(
            f"{op}: bucket_batch_sizes must contain one element more than bucket_boundaries, "
            f"got {len(sizes)} sizes and {len(boundaries)} boundaries."
        )
    _positive(op, "bucket_batch_sizes", sizes, "should be a list of positive numbers.")
    return inputs


def _positive(op: str, name: str, numbers: list[Any], says: str) -> None:
    for item in numbers:
        if not isinstance(item, int):
            hint = f"{name} should be a list of int."
            raise TypeError(checks.format_error(op, name, "hold ints", repr(item), hint))
    for item in numbers:
        if item < 1:
            hint = f"{name} {says}"
            raise ValueError(checks.format_error(op, name, "hold positive ints", str(item), hint))


def split_sizes(sizes: Any, rows: int) -> list[int]:
    """How many rows each part of a split has.

    Raises:
        TypeError: ``sizes`` is no list.
        ValueError: it is empty or of other things than ints or floats, one is out of range, or the
            fractions do not sum up to 1.
        RuntimeError: the numbers do not sum up to ``rows``, a part would be empty, or none
            has the rows that rounding gave too many.
    """
    if not isinstance(sizes, list | tuple):
        raise check.wrong_type("split", "sizes", "be a list of ints or of floats", sizes, list)
    if not sizes:
        raise ValueError("split: sizes must name at least one part, got []: sizes cannot be empty.")
    if all(isinstance(s, int) and not isinstance(s, bool) for s in sizes):
        if any(s < 1 for s in sizes):
            hint = "sizes is a list of int, but there should be no negative or zero numbers."
            raise ValueError(checks.format_error("split", "sizes", "be positive", str(sizes), hint))
        counts = [check.int32("split", "sizes", s, 1) for s in sizes]
        if sum(counts) != rows:
            raise RuntimeError(
                f"split: sizes must sum up to the {rows} rows of the dataset, got {counts}. Sum of "
                f"split sizes {sum(counts)} is not equal to dataset size {rows}."
            )
        return counts
    if not all(isinstance(s, float) for s in sizes):
        hint = "sizes should be list of int or list of float."
        raise ValueError(
            checks.format_error("split", "sizes", "be all ints or all floats", str(sizes), hint)
        )
    if any(not 0 < s <= 1 for s in sizes):
        hint = "sizes is a list of float, but there should be no numbers outside the range (0, 1]."
        raise ValueError(
            checks.format_error("split", "fractions", "be in (0, 1]", str(sizes), hint)
        )
    if abs(sum(sizes) - 1) >= 1e-5:  # thirds are written as 0.333333, too
        raise ValueError(
            f"split: fractions must sum up to 1, got {sizes!r}, which is {sum(sizes)}: the "
            "percentages do not sum up to 1."
        )
    counts = [round(s * rows) for s in sizes]
    small = [s for s, count in zip(sizes, counts, strict=True) if count < 1]
    if small:
        raise RuntimeError(
            f"split: each part must have a row, got {counts} rows for {sizes!r} of {rows}. Split "
            f"percentage {small[0]} is too small."
        )
    # Rounding may give some rows too many or too few: the first part that can bear it takes all.
    wrong = rows - sum(counts)
    able = next((i for i, count in enumerate(counts) if count + wrong > 0), None)
    if able is None:
        raise RuntimeError(
            f"split: parts must have as many rows as the dataset, got {counts} rows for {sizes!r}. "
            f"Sum of calculated split sizes {sum(counts)} is not equal to dataset size {rows}."
        )
    counts[able] += wrong
    return counts
