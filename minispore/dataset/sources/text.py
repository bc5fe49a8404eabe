"""TextFileDataset: lines. CSVDataset: records of comma-separated values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minispore.dataset import check
from minispore.dataset.formats import lines
from minispore.dataset.sources.files import find_files
from minispore.dataset.sources.records import RecordDataset, RecordTable, Shuffle

_DTYPES: dict[type, Any] = {int: np.int32, float: np.float32, str: np.str_}


class TextFileDataset(RecordDataset):
    """Non-empty lines of text files: ``text``, a string.

    Only a line feed ends a line: the lines of a file written on Windows keep a carriage return.

    Args:
        dataset_files (str or list): files or patterns.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): reader threads; they take the files in turn and
            yield one row each in turn.
        shuffle (bool or Shuffle): ``True`` and GLOBAL shuffle files and rows, FILES only the files.
            Default: ``Shuffle.GLOBAL``.
        num_shards, shard_id (int, optional): read only one of several shards of equal size.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value, or a file is missing.
        RuntimeError: later, when a line is not valid UTF-8.
    """

    def __init__(
        self,
        dataset_files: str | Sequence[str],
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "TextFileDataset"
        shards = check.shards(api_name, num_shards, shard_id)
        table = RecordTable(api_name, find_files(api_name, dataset_files), Lines())
        self._init_over_records(table, num_samples, num_parallel_workers, shuffle, shards, cache)


class CSVDataset(RecordDataset):
    """Records of CSV files: a column for each value, int32, float32 or string.

    Args:
        dataset_files (str or list): files or patterns.
        field_delim (str, optional): the character between values. Default: ``","``, also for
            ``None``.
        column_defaults (list, optional): for each column a value of its type: int, float or str.
            Default: ``None``, all strings.
        column_names (list, optional): the names of the columns. Default: ``None``, the first line
            of each file.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): reader threads; they take the files in turn and
            yield one row each in turn.
        shuffle (bool or Shuffle): ``True`` and GLOBAL shuffle files and rows, FILES only the files.
            Default: ``Shuffle.GLOBAL``.
        num_shards, shard_id (int, optional): read only one of several shards of equal size.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value, or a file is missing.
        RuntimeError: a file has no header line, or one that differs from the first file's; later,
            when a record has a wrong number of values or a value of a wrong type.
    """

    _divides_files = False

    def __init__(
        self,
        dataset_files: str | Sequence[str],
        field_delim: str | None = ",",
        column_defaults: Sequence[int | float | str] | None = None,
        column_names: Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        api_name = "CSVDataset"
        paths = find_files(api_name, dataset_files)
        field_delim = "," if field_delim is None else field_delim
        if not isinstance(field_delim, str):
            raise TypeError(f"{api_name}: field_delim must be a str, got {field_delim!r}.")
        if len(field_delim) != 1 or field_delim in '"\r\n':
            raise ValueError(
                f"{api_name}: field_delim must be one character, no quote or line end, got "
                f"{field_delim!r}."
            )
        shards = check.shards(api_name, num_shards, shard_id)
        if column_names is None:
            names = _read_header(api_name, paths, field_delim)
        else:
            names = check.names(api_name, "column_names", column_names)
        types = _check_column_types(api_name, column_defaults, len(names))
        file_format = Csv(names, types, field_delim, has_header=column_names is None)
        table = RecordTable(api_name, paths, file_format)
        self._init_over_records(table, num_samples, num_parallel_workers, shuffle, shards, cache)


class Lines:
    """The format of files of lines, with one column ``text``.

    Args:
        keep_empty: whether empty lines are rows.
    """

    columns = ("text",)

    def __init__(self, keep_empty: bool = False) -> None:
        self._keep_empty = keep_empty

    def index_records(self, path: Path) -> np.ndarray:
        """Return the byte offset and the length in bytes of each line of a file: int64 (lines, 2).

        A carriage return before the line feed belongs to the line. Empty lines are left out unless
        the format keeps them.
        """
        return lines.index_lines(path, quoted=False, keep_empty=self._keep_empty, keep_returns=True)

    def read_record(self, path: Path, file: BinaryIO, start: int, length: int) -> Sequence[Any]:
        return (np.array(read_line(file, start, length)),)


class Csv:
    """The format of CSV files.

    Args:
        columns: the names of the columns.
        types: the type of each column: int, float or str.
        delimiter: the character between values.
        has_header: whether a file begins with the column names.
    """

    def __init__(
        self, columns: tuple[str, ...], types: list[type], delimiter: str, has_header: bool
    ) -> None:
        self.columns = columns
        self._types, self._delimiter, self._has_header = types, delimiter, has_header

    def index_records(self, path: Path) -> np.ndarray:
        """Return start and length of each record without the header, which must name the columns.

        Raises:
            RuntimeError: the header is missing or names other columns.
        """
        spans = lines.index_lines(path, quoted=True)
        if not self._has_header:
            return spans
        header = _read_header("CSVDataset", [path], self._delimiter)
        if header != self.columns:
            raise RuntimeError(
                f"{path.name}: must start with the names {list(self.columns)}, as the first file, "
                f"got {list(header)}. ({path})"
            )
        return spans[1:]

    def read_record(self, path: Path, file: BinaryIO, start: int, length: int) -> Sequence[Any]:
        """Return the values of one record; raise ValueError for a wrong number or type."""
        values = _read_fields(file, start, length, self._delimiter)
        if len(values) != len(self.columns):
            raise ValueError(
                f"the record at byte {start} must have {len(self.columns)} values, got "
                f"{len(values)}"
            )
        return [_parse_value(n, k, v) for n, k, v in zip(self.columns, self._types, values)]


def _parse_value(name: str, value_type: type, value: str) -> np.ndarray:
    """Return a value of a CSV record as an array.

    Raises:
        ValueError: the value does not have the column's type.
    """
    if value_type is str:
        return np.array(value)
    try:
        if "_" in value:  # Python would accept digit groups
            raise ValueError
        number = value_type(value)
        if value_type is int and not -(2**31) <= number < 2**31:  # NumPy 1.26 would wrap it around
            raise OverflowError
        return np.array(number, _DTYPES[value_type])
    except (ValueError, OverflowError) as exc:
        raise ValueError(
            f"column {name!r} must be {value_type.__name__}, as column_defaults says, got {value!r}"
        ) from exc


def read_line(file: BinaryIO, start: int, length: int) -> str:
    """Read the text in the ``length`` bytes of an open file from byte ``start`` on.

    Raises:
        ValueError: the text is not valid UTF-8, or the file has become shorter.
    """
    file.seek(start)
    raw = file.read(length)
    if len(raw) < length:
        raise ValueError(
            "the file must not become shorter while it is read, it ends before byte "
            f"{start + length}"
        )
    return lines.decode_line(raw, start)


def _read_fields(file: BinaryIO, start: int, length: int, delimiter: str) -> list[str]:
    """Return the values of a record, whose line may end in a carriage return."""
    return lines.parse_csv_record(read_line(file, start, length).removesuffix("\r"), delimiter)


def _read_header(api_name: str, paths: list[Path], delimiter: str) -> tuple[str, ...]:
    """Read the names in the first line of the first file.

    Raises:
        RuntimeError: the file can't be read, is empty, or its first line does not hold names.
    """
    path = paths[0]
    try:
        spans = lines.index_lines(path, quoted=True)
        if not len(spans):
            raise ValueError("it is empty")
        start, length = spans[0].tolist()
        with path.open("rb") as file:
            names = _read_fields(file, start, length, delimiter)
        return check.names(api_name, "the first line", names)
    except (OSError, ValueError) as exc:
        raise RuntimeError(
            f"{api_name}: {path} must start with a line of column names. {exc}. Or pass "
            "column_names."
        ) from exc


def _check_column_types(api_name: str, defaults: Any, count: int) -> list[type]:
    """Return the type of each column, from ``column_defaults``; str by default.

    Raises:
        TypeError, ValueError: the number or the types of the values are wrong.
    """
    if defaults is None:
        return [str] * count
    if not isinstance(defaults, list | tuple):
        raise TypeError(f"{api_name}: column_defaults must be a list, got {defaults!r}.")
    if len(defaults) != count:
        raise ValueError(
            f"{api_name}: column_defaults must be {count}, one for each column, got "
            f"{len(defaults)}."
        )
    for value in defaults:
        if type(value) not in _DTYPES:
            raise TypeError(
                f"{api_name}: column_defaults must be ints, floats or strs, got {value!r}."
            )
    return [type(value) for value in defaults]
