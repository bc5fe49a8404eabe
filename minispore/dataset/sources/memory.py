"""NumpySlicesDataset: rows of arrays in memory. PaddedDataset: a list of rows."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.pipeline.block import Column, stacked
from minispore.dataset.pipeline.operation import as_array
from minispore.dataset.sources.table import ArrayTable, TableDataset


class NumpySlicesDataset(TableDataset):
    """Row i is element i of each of some arrays.

    Args:
        data (list, tuple, dict, numpy.ndarray or str): one array or list is one column; a tuple has
            a column for each of its elements; a dict names them; a str is a CSV file of numbers
            with one line of names.
        column_names (list, optional): Default: ``None``, a dict's keys, or ``column_0``,
            ``column_1``, ...
        num_samples (int, optional): at most so many rows.
        num_parallel_workers (int): threads that gather rows. Default: ``1``.
        shuffle (bool, optional): Default: ``None``, yes.
        sampler (Sampler or iterable, optional): picks the rows.
        num_shards, shard_id (int, optional): only the rows of one shard.

    Raises:
        TypeError: ``data`` is of no type above.
        ValueError: columns differ in length, ``data`` is empty, or arguments contradict each other.

    Example:
        >>> import minispore.dataset as ds
        >>> data = ds.NumpySlicesDataset({"x": [1, 2], "y": ["a", "b"]}, shuffle=False)
        >>> rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        >>> [[value.item() for value in row] for row in rows]
        [[1, 'a'], [2, 'b']]
    """

    of_files = False

    of_functions = True

    def __init__(
        self,
        data: Any,
        column_names: str | Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
    ) -> None:
        table = ArrayTable(_columns(data, column_names))
        self._over(table, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id)


class PaddedDataset(TableDataset):
    """A list of rows, for filling up another dataset with ``concat``.

    Args:
        padded_samples (list[dict]): rows, each from column name to array.

    Raises:
        TypeError: ``padded_samples`` is no list of dicts.
        ValueError: it is empty, or rows have different columns.
    """

    of_files = False

    def __init__(self, padded_samples: list[dict[str, Any]]) -> None:
        rows = padded_samples
        if not isinstance(rows, list | tuple) or not all(isinstance(row, dict) for row in rows):
            rule = "be a list of dicts"
            raise check.wrong_type("PaddedDataset", "padded_samples", rule, rows, list)
        if not rows or not rows[0]:
            raise ValueError("PaddedDataset: padded_samples must not be empty.")
        names = check.names("PaddedDataset", "padded_samples", list(rows[0]))
        if any(row.keys() != rows[0].keys() for row in rows):
            raise ValueError("PaddedDataset: all padded_samples must have the same columns.")
        columns = {n: stacked([np.asarray(row[n]) for row in rows]) for n in names}
        self.padded_samples = rows
        self._over(ArrayTable(columns), None, None, False, None, None, None)


def _columns(data: Any, column_names: Any) -> dict[str, Column]:
    op = "NumpySlicesDataset"
    if isinstance(data, str | Path):
        data = _read_csv(Path(data))
    if not isinstance(data, list | tuple | dict | np.ndarray):
        rule, kinds = "be a list, tuple, dict, array or CSV file", (list, tuple, dict, np.ndarray)
        raise check.wrong_type(op, "data", rule, data, *kinds)
    if len(data) == 0:
        raise ValueError(f"{op}: data must not be empty.")
    if isinstance(data, dict):
        names, parts = list(data), [_listed(part) for part in data.values()]
    elif isinstance(data, tuple):
        names, parts = [], list(data)
    else:
        names, parts = [], [data]
    if column_names is not None:
        names = list(check.names(op, "column_names", column_names))
        if len(names) != len(parts):
            raise ValueError(
                f"{op}: column_names must be {len(parts)}, one for each column of data, got "
                f"{len(names)}."
            )
    columns = [_column(part) for part in parts]
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        raise ValueError(f"{op}: all columns of data must have one length, got {lengths}.")
    return dict(zip(names or [f"column_{i}" for i in range(len(parts))], columns))


def _listed(part: Any) -> Any:
    """What else has elements (a Series of pandas, a range) as a list of them."""
    known = isinstance(part, list | tuple | dict | np.ndarray | str | bytes)
    known = known or hasattr(part, "asnumpy")
    return list(part) if isinstance(part, Iterable) and not known else part


def _column(part: Any) -> Column:
    """One column: an array with rows along its first axis, or a list of ragged rows."""
    if hasattr(part, "asnumpy"):
        part = part.asnumpy()
    if isinstance(part, np.ndarray):
        if part.ndim and part.dtype.kind not in "OUS":
            return as_array(part)
        part = part.tolist()
    if not isinstance(part, list | tuple):
        raise TypeError(
            f"NumpySlicesDataset: each column of data must be a list or an array, got {part!r:.80}."
        )
    rows = []
    for i, value in enumerate(part):
        try:
            rows.append(as_array(value))  # [1, 2.5] are an int and a float
        except TypeError as exc:
            raise TypeError(
                f"NumpySlicesDataset: data must hold numbers or strings, got {value!r:.80} in "
                f"row {i}."
            ) from exc
    return stacked(rows)


def _read_csv(path: Path) -> dict[str, np.ndarray]:
    """The columns of a CSV file with a line of names; numbers where all values are."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = [line for line in csv.reader(file) if line]
    except (OSError, UnicodeDecodeError, csv.Error) as exc:
        raise RuntimeError(
            f"NumpySlicesDataset: data must be a readable CSV file, got {str(path)!r}. {exc}"
        ) from exc
    if len(lines) < 2:
        raise ValueError(
            "NumpySlicesDataset: the CSV file must have a line of names and rows, got "
            f"{str(path)!r}."
        )
    names, *rows = lines
    for i, row in enumerate(rows, 2):
        if len(row) != len(names):
            raise ValueError(
                f"NumpySlicesDataset: each line of {str(path)!r} must have {len(names)} values, "
                f"got {len(row)} in line {i}."
            )
    return {name: _numbers(column) for name, *column in zip(names, *rows)}


def _numbers(texts: list[str]) -> np.ndarray:
    for kind in (int, float):
        try:
            return np.array([kind(t) for t in texts])
        except (ValueError, OverflowError):
            continue
    return np.array(texts)
