"""NumpySlicesDataset: rows of arrays in memory. PaddedDataset: a list of rows."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.formats.lines import read_csv
from minispore.dataset.pipeline.block import Column, stack_rows
from minispore.dataset.pipeline.operation import convert_to_array
from minispore.dataset.sources.table import ArrayTable, TableDataset


class NumpySlicesDataset(TableDataset):
    """Rows of arrays in memory: row i holds element i of each array.

    Args:
        data (list, tuple, dict, numpy.ndarray or str): one array or list is one column; a tuple has
            a column for each of its elements; a dict also names them; a str is a CSV file with a
            header line.
        column_names (list, optional): the names of the columns. Default: ``None``, a dict's keys,
            or ``column_0``, ``column_1``, ...
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int): the number of threads that gather rows. Default: ``1``.
        shuffle (bool, optional): whether to shuffle. Default: ``None``, yes.
        sampler (Sampler or iterable, optional): chooses the rows.
        num_shards, shard_id (int, optional): read only the rows of one shard.

    Raises:
        TypeError: ``data`` has none of these types.
        ValueError: columns differ in length, ``data`` is empty, or arguments are in conflict.

    Example:
        >>> import minispore.dataset as ds
        >>> data = ds.NumpySlicesDataset({"x": [1, 2], "y": ["a", "b"]}, shuffle=False)
        >>> rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        >>> [[value.item() for value in row] for row in rows]
        [[1, 'a'], [2, 'b']]
    """

    reads_files = False

    rows_from_python = True

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
        columns = _make_columns(data, column_names)
        self._columns = tuple(columns.values())
        options = num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        self._init_over_table(ArrayTable(columns), *options)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        """Return the values of row ``index`` of the first pass.

        Raises:
            TypeError: ``index`` is not an int.
            RuntimeError: ``index`` is out of range.
        """
        if not isinstance(index, int | np.number):
            raise check.wrong_type("NumpySlicesDataset", "index", "be an int", index, int)
        row = self._get_source_row(int(index))
        return tuple([column[row] for column in self._columns])


class PaddedDataset(TableDataset):
    """A list of rows, for padding another dataset with ``concat``.

    Args:
        padded_samples (list[dict]): rows, each a dict from column name to array.

    Raises:
        TypeError: ``padded_samples`` is not a list of dicts.
        ValueError: ``padded_samples`` is empty, or rows have different columns.
    """

    reads_files = False

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
        columns = {n: stack_rows([np.asarray(row[n]) for row in rows]) for n in names}
        self.padded_samples = rows
        self._init_over_table(ArrayTable(columns), None, None, False, None, None, None)


def _make_columns(data: Any, column_names: Any) -> dict[str, Column]:
    """Return a dict of the columns of ``data`` by name.

    Raises:
        TypeError, ValueError: the data or the names are invalid.
    """
    api_name = "NumpySlicesDataset"
    if isinstance(data, str | Path):
        data = _read_csv(Path(data))
    if not isinstance(data, list | tuple | dict | np.ndarray):
        rule, kinds = "be a list, tuple, dict, array or CSV file", (list, tuple, dict, np.ndarray)
        raise check.wrong_type(api_name, "data", rule, data, *kinds)
    if len(data) == 0:
        raise ValueError(f"{api_name}: data must not be empty.")
    if isinstance(data, dict):
        names, raw_columns = list(data), [_to_list(raw_column) for raw_column in data.values()]
    elif isinstance(data, tuple):
        names, raw_columns = [], list(data)
    else:
        names, raw_columns = [], [data]
    if column_names is not None:
        names = list(check.names(api_name, "column_names", column_names))
        if len(names) != len(raw_columns):
            raise ValueError(
                f"{api_name}: column_names must be {len(raw_columns)}, one for each column of "
                f"data, got {len(names)}."
            )
    columns = [_make_column(raw_column) for raw_column in raw_columns]
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        raise ValueError(f"{api_name}: all columns of data must have one length, got {lengths}.")
    return dict(zip(names or [f"column_{i}" for i in range(len(raw_columns))], columns))


def _to_list(raw_column: Any) -> Any:
    """Return unsupported iterables (a pandas Series, a range) as a list, others unchanged."""
    is_supported = isinstance(raw_column, list | tuple | dict | np.ndarray | str | bytes)
    is_supported = is_supported or hasattr(raw_column, "asnumpy")
    return list(raw_column) if isinstance(raw_column, Iterable) and not is_supported else raw_column


def _make_column(raw_column: Any) -> Column:
    """Make a column: an array with rows along its first axis, or a list of ragged rows.

    Raises:
        TypeError: the column holds anything other than numbers or strings.
    """
    if hasattr(raw_column, "asnumpy"):
        raw_column = raw_column.asnumpy()
    if isinstance(raw_column, np.ndarray):
        if raw_column.ndim and raw_column.dtype.kind not in "OUS":
            return convert_to_array(raw_column)
        raw_column = raw_column.tolist()
    if not isinstance(raw_column, list | tuple):
        raise TypeError(
            "NumpySlicesDataset: each column of data must be a list or an array, got "
            f"{raw_column!r:.80}."
        )
    rows = []
    for i, value in enumerate(raw_column):
        try:
            rows.append(convert_to_array(value))  # [1, 2.5] holds an int and a float
        except TypeError as exc:
            raise TypeError(
                f"NumpySlicesDataset: data must hold numbers or strings, got {value!r:.80} in "
                f"row {i}."
            ) from exc
    return stack_rows(rows)


def _read_csv(path: Path) -> dict[str, np.ndarray]:
    """Read the columns of a CSV file with a header line; a column of only numbers is converted.

    Raises:
        RuntimeError, ValueError: the file is unreadable, empty or ragged.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = [line for line in read_csv(file) if line]
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
    return {name: _parse_numbers(column) for name, *column in zip(names, *rows)}


def _parse_numbers(texts: list[str]) -> np.ndarray:
    """Convert texts to ints or floats if all of them can be, else to strings."""
    for convert in (int, float):
        try:
            return np.array([convert(t) for t in texts])
        except (ValueError, OverflowError):
            continue
    return np.array(texts)
