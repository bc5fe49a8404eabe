"""TextFileDataset: lines. CSVDataset: records of comma-separated values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minispore.dataset import check
from minispore.dataset.formats import lines
from minispore.dataset.sources.files import files
from minispore.dataset.sources.records import RecordDataset, RecordTable, Shuffle

_KINDS: dict[type, Any] = {int: np.int32, float: np.float32, str: np.str_}


class TextFileDataset(RecordDataset):
    """Lines of text files, without the empty ones: ``text``, a string.

    A line ends at a line feed alone: one of a file written on Windows keeps its carriage return.

    Args:
        dataset_files (str or list): files or patterns.
        num_samples (int, optional): at most so many rows.
        num_parallel_workers (int, optional): threads that read; they take the files in turn and
            give a row each in turn.
        shuffle (bool or Shuffle): ``True`` and GLOBAL shuffle files and rows, FILES only the files.
            Default: ``Shuffle.GLOBAL``.
        num_shards, shard_id (int, optional): only the rows of one shard; all have equally many.
        cache (DatasetCache, optional): keeps the rows.

    Raises:
        TypeError, ValueError: an argument is not what it must be, or no file is there.
        RuntimeError: later, when a line is no UTF-8.
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
        op = "TextFileDataset"
        shards = check.shards(op, num_shards, shard_id)
        table = RecordTable(op, files(op, dataset_files), Lines())
        self._over(table, num_samples, num_parallel_workers, shuffle, shards, cache)


class CSVDataset(RecordDataset):
    """Records of CSV files: a column for each value, int32, float32 or string.

    Args:
        dataset_files (str or list): files or patterns.
        field_delim (str, optional): one character between values. Default: ``","``, also for
            ``None``.
        column_defaults (list, optional): a value of the type of each column: int, float or str.
            Default: ``None``, all strings.
        column_names (list, optional): Default: ``None``, the first line of each file.
        num_samples (int, optional): at most so many rows.
        num_parallel_workers (int, optional): threads that read; they take the files in turn and
            give a row each in turn.
        shuffle (bool or Shuffle): ``True`` and GLOBAL shuffle files and rows, FILES only the files.
            Default: ``Shuffle.GLOBAL``.
        num_shards, shard_id (int, optional): only the rows of one shard; all have equally many.
        cache (DatasetCache, optional): keeps the rows.

    Raises:
        TypeError, ValueError: an argument is not what it must be, or no file is there.
        RuntimeError: a file has no line of names, or another one than the first file; later, when a
            record has another number of values, or one of another type.
    """

    _divided = False

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
        op = "CSVDataset"
        paths = files(op, dataset_files)
        field_delim = "," if field_delim is None else field_delim
        if not isinstance(field_delim, str):
            raise TypeError(f"{op}: field_delim must be a str, got {field_delim!r}.")
        if len(field_delim) != 1 or field_delim in '"\r\n':
            raise ValueError(
                f"{op}: field_delim must be one character, no quote or line end, got "
                f"{field_delim!r}."
            )
        shards = check.shards(op, num_shards, shard_id)
        if column_names is None:
            names = _header(op, paths, field_delim)
        else:
            names = check.names(op, "column_names", column_names)
        kinds = _column_kinds(op, column_defaults, len(names))
        form = Csv(names, kinds, field_delim, header=column_names is None)
        table = RecordTable(op, paths, form)
        self._over(table, num_samples, num_parallel_workers, shuffle, shards, cache)


class Lines:
    """Lines as a column ``text``.

    Args:
        empty: whether lines without a character count.
    """

    columns = ("text",)

    def __init__(self, empty: bool = False) -> None:
        self._empty = empty

    def index(self, path: Path) -> np.ndarray:
        return lines.index(path, quotes=False, empty=self._empty, bare=True)

    def read(self, path: Path, file: BinaryIO, start: int, length: int) -> Sequence[Any]:
        return (np.array(line(file, start, length)),)


class Csv:
    """Records of values.

    Args:
        columns: their names.
        kinds: the type of each: int, float or str.
        delimiter: one character between values.
        header: whether a file begins with the names.
    """

    def __init__(
        self, columns: tuple[str, ...], kinds: list[type], delimiter: str, header: bool
    ) -> None:
        self.columns = columns
        self._kinds, self._delimiter, self._header = kinds, delimiter, header

    def index(self, path: Path) -> np.ndarray:
        places = lines.index(path, quotes=True)
        if not self._header:
            return places
        found = _header("CSVDataset", [path], self._delimiter)
        if found != self.columns:
            raise RuntimeError(
                f"{path.name}: must start with the names {list(self.columns)}, as the first file, "
                f"got {list(found)}. ({path})"
            )
        return places[1:]

    def read(self, path: Path, file: BinaryIO, start: int, length: int) -> Sequence[Any]:
        values = _fields(file, start, length, self._delimiter)
        if len(values) != len(self.columns):
            raise ValueError(
                f"the record at byte {start} must have {len(self.columns)} values, got "
                f"{len(values)}"
            )
        return [_parsed(n, k, v) for n, k, v in zip(self.columns, self._kinds, values)]


def _parsed(name: str, kind: type, value: str) -> np.ndarray:
    if kind is str:
        return np.array(value)
    try:
        if "_" in value:  # Python's digit groups are no CSV
            raise ValueError
        number = kind(value)
        if kind is int and not -(2**31) <= number < 2**31:  # NumPy 1.26 would wrap it round
            raise OverflowError
        return np.array(number, _KINDS[kind])
    except (ValueError, OverflowError) as exc:
        raise ValueError(
            f"column {name!r} must be {kind.__name__}, as column_defaults says, got {value!r}"
        ) from exc


def line(file: BinaryIO, start: int, length: int) -> str:
    """Text of an open file.

    Raises:
        ValueError: it is no UTF-8, or the file has become shorter.
    """
    file.seek(start)
    raw = file.read(length)
    if len(raw) < length:
        raise ValueError(
            "the file must not become shorter while it is read, it ends before byte "
            f"{start + length}"
        )
    return lines.text(raw, start)


def _fields(file: BinaryIO, start: int, length: int, delimiter: str) -> list[str]:
    """The values of a record, whose line may end in a carriage return, too."""
    return lines.fields(line(file, start, length).removesuffix("\r"), delimiter)


def _header(op: str, paths: list[Path], delimiter: str) -> tuple[str, ...]:
    """The names in the first line of the first file."""
    path = paths[0]
    try:
        places = lines.index(path, quotes=True)
        if not len(places):
            raise ValueError("it is empty")
        start, length = places[0].tolist()
        with path.open("rb") as file:
            found = _fields(file, start, length, delimiter)
        return check.names(op, "the first line", found)
    except (OSError, ValueError) as exc:
        raise RuntimeError(
            f"{op}: {path} must start with a line of column names. {exc}. Or pass column_names."
        ) from exc


def _column_kinds(op: str, defaults: Any, count: int) -> list[type]:
    if defaults is None:
        return [str] * count
    if not isinstance(defaults, list | tuple):
        raise TypeError(f"{op}: column_defaults must be a list, got {defaults!r}.")
    if len(defaults) != count:
        raise ValueError(
            f"{op}: column_defaults must be {count}, one for each column, got {len(defaults)}."
        )
    for value in defaults:
        if type(value) not in _KINDS:
            raise TypeError(f"{op}: column_defaults must be ints, floats or strs, got {value!r}.")
    return [type(value) for value in defaults]
