"""Converts arguments of dataset operations to the form that pipeline nodes take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.pipeline.batching import Padding
from minispore.dataset.pipeline.workers import DEFAULT_BYTES
from minispore.errors import did_you_mean
from minispore.foundation import checks


def parse_max_rowsize(api_name: str, max_rowsize: Any) -> tuple[int, int]:
    """Return the bytes of shared memory to and from a worker process; ``max_rowsize`` is in MB.

    Each is at least ``DEFAULT_BYTES``, which None and -1 stand for.

    Raises:
        TypeError: ``max_rowsize`` holds anything other than ints.
        ValueError: ``max_rowsize`` is out of range, or not one or two ints.
    """
    sizes = max_rowsize if isinstance(max_rowsize, list | tuple) else [max_rowsize] * 2
    if len(sizes) != 2:
        raise ValueError(
            f"{api_name}: max_rowsize must be an int or a list of two, got {max_rowsize!r}."
        )
    megabytes = [-1 if s is None else check.int32(api_name, "max_rowsize", s, -1) for s in sizes]
    to_worker, from_worker = (max(s << 20, DEFAULT_BYTES) for s in megabytes)
    return to_worker, from_worker


def check_keywords(api_name: str, keywords: dict[str, Any], parameters: Sequence[str]) -> None:
    """Check that all keywords passed to an operation are among its parameters.

    Raises:
        TypeError: a keyword is unknown.
    """
    for name in keywords:
        if name not in parameters:
            raise TypeError(
                f"{api_name}: there is no argument {name!r}.{did_you_mean(name, parameters)}"
            )


def check_new_columns(
    api_name: str, new: Sequence[str], old: Sequence[str], columns: Sequence[str]
) -> None:
    """Check that output columns replace an input column or do not exist yet.

    Raises:
        RuntimeError: an output column already exists.
    """
    existing = [n for n in new if n in columns and n not in old]
    if existing:
        raise RuntimeError(f"{api_name}: output_columns must be new, {existing} exist already.")


def parse_pad_info(api_name: str, pad_info: Any, columns: Sequence[str]) -> Padding | None:
    """Return a shape and a fill value for each column that ``pad_info`` pads; ``{}`` pads all.

    Raises:
        TypeError, ValueError: ``pad_info`` is not a dict of (shape, value).
        RuntimeError: a column does not exist.
    """
    if pad_info is None:
        return None
    if not isinstance(pad_info, dict):
        raise check.wrong_type(api_name, "pad_info", "be a dict", pad_info, dict)
    for name in pad_info:
        if not isinstance(name, str):
            mindspore_text = check.type_mismatch_text("key in pad_info", name, str)
            raise TypeError(
                checks.format_error(
                    api_name, "pad_info", "have strs as keys", repr(name), mindspore_text
                )
            )
    check.check_columns_exist(api_name, "pad_info", pad_info, columns)
    if not pad_info:
        return dict.fromkeys(columns, (None, None))
    result: Padding = {}
    for name, pair in pad_info.items():
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise TypeError(f"{api_name}: pad_info[{name!r}] must be (shape, value), got {pair!r}.")
        shape, fill = pair
        if shape is not None:
            if not isinstance(shape, list | tuple):
                raise TypeError(
                    f"{api_name}: pad_info[{name!r}] must have a list as its shape, got {shape!r}."
                )
            shape = tuple(
                None if s is None or s == -1 else check.int32(api_name, f"pad_info[{name!r}]", s, 1)
                for s in shape
            )
        if fill is not None and not isinstance(fill, bool | int | float | str | bytes | np.generic):
            raise TypeError(
                f"{api_name}: pad_info[{name!r}] must have a number or a str as its value, "
                f"got {fill!r}."
            )
        result[name] = (shape, fill)
    return result


def check_bucket_arguments(
    column_names: Any, boundaries: Any, sizes: Any, length: Any, to_boundary: Any, drop: Any
) -> tuple[str, ...]:
    """Check the arguments of ``bucket_batch_by_length`` in MindSpore's order.

    Returns:
        The names of the columns.

    Raises:
        TypeError, ValueError: an argument is wrong.
    """
    api_name = "bucket_batch_by_length"
    numbers = {"bucket_boundaries": boundaries, "bucket_batch_sizes": sizes}
    for name, value in ({"column_names": column_names} | numbers).items():
        if not isinstance(value, list):
            element_types = "strs" if name == "column_names" else "ints"
            raise check.wrong_type(api_name, name, f"be a list of {element_types}", value, list)
    check.boolean(api_name, "pad_to_bucket_boundary", to_boundary)
    check.boolean(api_name, "drop_remainder", drop)
    inputs = check.names(api_name, "column_names", column_names)
    if not inputs:
        hint = "column_names should not be empty."
        raise ValueError(checks.format_error(api_name, "column_names", "name a column", "[]", hint))
    if length is not None:
        checks.function(api_name, "element_length_function", length)
    elif len(inputs) != 1:
        raise ValueError(
            f"{api_name}: element_length_function must be given with several column_names, got "
            f"{list(inputs)}. If element_length_function is not specified, exactly one column "
            "name should be passed."
        )
    if not boundaries:
        hint = "bucket_boundaries cannot be empty."
        raise ValueError(
            checks.format_error(api_name, "bucket_boundaries", "not be empty", "[]", hint)
        )
    _check_positive_ints(
        api_name, "bucket_boundaries", boundaries, "must only contain positive numbers."
    )
    if boundaries != sorted(set(boundaries)):
        hint = "bucket_boundaries should be strictly increasing."
        raise ValueError(
            checks.format_error(api_name, "bucket_boundaries", "rise", str(boundaries), hint)
        )
    if len(sizes) != len(boundaries) + 1:
        raise ValueError(
            f"{api_name}: bucket_batch_sizes must contain one element more than bucket_boundaries, "
            f"got {len(sizes)} sizes and {len(boundaries)} boundaries."
        )
    _check_positive_ints(
        api_name, "bucket_batch_sizes", sizes, "should be a list of positive numbers."
    )
    return inputs


def _check_positive_ints(api_name: str, name: str, numbers: list[Any], positive_rule: str) -> None:
    """Check that all numbers are positive ints; ``positive_rule`` is MindSpore's text.

    Raises:
        TypeError, ValueError: a number is not an int, or not positive.
    """
    for item in numbers:
        if not isinstance(item, int):
            hint = f"{name} should be a list of int."
            raise TypeError(checks.format_error(api_name, name, "hold ints", repr(item), hint))
    for item in numbers:
        if item < 1:
            hint = f"{name} {positive_rule}"
            raise ValueError(
                checks.format_error(api_name, name, "hold positive ints", str(item), hint)
            )


def split_sizes(sizes: Any, rows: int) -> list[int]:
    """Return the number of rows of each part of a split.

    Raises:
        TypeError: ``sizes`` is not a list.
        ValueError: ``sizes`` is empty, mixes or lacks ints and floats, holds a number out of range,
            or its fractions do not sum up to 1.
        RuntimeError: the numbers do not sum up to ``rows``, a part would be empty, or no part
            can give up the rows that rounding added.
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
    if abs(sum(sizes) - 1) >= 1e-5:  # thirds may be written as 0.333333
        raise ValueError(
            f"split: fractions must sum up to 1, got {sizes!r}, which is {sum(sizes)}: the "
            "percentages do not sum up to 1."
        )
    counts = [round(s * rows) for s in sizes]
    empty_parts = [s for s, count in zip(sizes, counts, strict=True) if count < 1]
    if empty_parts:
        raise RuntimeError(
            f"split: each part must have a row, got {counts} rows for {sizes!r} of {rows}. Split "
            f"percentage {empty_parts[0]} is too small."
        )
    # Rounding may give too many or too few rows in total: the first part that can is adjusted.
    surplus = rows - sum(counts)
    adjustable = next((i for i, count in enumerate(counts) if count + surplus > 0), None)
    if adjustable is None:
        raise RuntimeError(
            f"split: parts must have as many rows as the dataset, got {counts} rows for {sizes!r}. "
            f"Sum of calculated split sizes {sum(counts)} is not equal to dataset size {rows}."
        )
    counts[adjustable] += surplus
    return counts
