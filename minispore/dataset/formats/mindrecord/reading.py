"""Reading the rows of some files, any of them, many at once."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset.formats.mindrecord import columns, index
from minispore.dataset.formats.mindrecord.columns import Column, Rows
from minispore.dataset.formats.mindrecord.exceptions import MRMFetchDataError, PathNotExistsError
from minispore.dataset.formats.mindrecord.layout import Header, read_header
from minispore.dataset.formats.mindrecord.packing import pack
from minispore.dataset.formats.mindrecord.schema import Schema


@dataclass(frozen=True)
class Shard:
    """One file and where its rows are: see :func:`.index.read`."""

    path: Path
    header: Header
    places: np.ndarray


def file_set(path: Path) -> list[Path]:
    """All files that were written together with one.

    Raises:
        PathNotExistsError: one is not there.
    """
    files = read_header(path).files
    if len(files) < 2:  # it may have got another name
        return [path]
    paths = [path.with_name(name) for name in files]
    for other in paths:
        if not other.is_file():
            raise PathNotExistsError(
                f"{path.name}: all {len(paths)} files of its set must be there, {other} is not. To "
                "read some of them, pass a list."
            )
    return paths


def common_schema(paths: Sequence[Path]) -> Schema:
    """The schema of some files.

    Raises:
        MRMFetchDataError: they have different ones.
    """
    schema = read_header(paths[0]).schema
    for path in paths[1:]:
        other = read_header(path).schema
        if other.fields != schema.fields:
            raise MRMFetchDataError(
                f"{path.name}: all files must have one schema, got {other.content()}, but "
                f"{paths[0].name} has {schema.content()}."
            )
    return schema


def open_shard(path: Path) -> Shard:
    """A file with its index.

    Raises:
        MRMFetchDataError, DbConnectionError: one of them is damaged.
    """
    header = read_header(path)
    places = index.read(path, header)
    raw_start, raw_end, blob_start, blob_end = places
    size = path.stat().st_size
    inside = (raw_start >= 0) & (raw_start <= raw_end) & (raw_end <= size)
    inside &= (blob_start >= 0) & (blob_start <= blob_end) & (blob_end <= size)
    if places.shape[1] != header.rows or not inside.all():
        raise MRMFetchDataError(
            f"{path.name}: must have the {header.rows} rows of its header where its index says. "
            f"The file or its index is damaged: {path}"
        )
    return Shard(path, header, places)


@dataclass(frozen=True)
class _Part:
    """Bytes with rows in them; ``data`` is never empty."""

    data: mmap.mmap | bytes
    places: np.ndarray


class ShardReader:
    """Reads rows of some shards, numbered one shard after the other.

    Reading needs no lock, whatever the number of threads. ``close`` lets go of the files.

    Args:
        shards: what to read.
        names: which fields.
        padded: the row that comes after all, if ``padding`` is not 0.
        padding: how often it comes.
    """

    def __init__(
        self,
        shards: Sequence[Shard],
        names: Sequence[str],
        padded: list[Any] | None = None,
        padding: int = 0,
    ) -> None:
        self.names = tuple(names)
        self.schema = shards[0].header.schema
        self._fields = [f for name in names for f in self.schema.fields if f.name == name]
        self._scalars = [f.name for f in self._fields if not f.is_blob]
        self._parts: list[_Part] = []
        self._paths: list[Path | None] = []
        for shard in shards:
            if shard.places.shape[1]:
                with shard.path.open("rb") as file:
                    mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                self._parts.append(_Part(mapped, shard.places))
                self._paths.append(shard.path)
        if padded is not None and padding:
            raw, blob, _ = pack(self.schema, padded)
            ends = np.array([[0], [len(raw)], [len(raw)], [len(raw) + len(blob)]])
            self._parts.append(_Part(raw + blob, np.repeat(ends, padding, axis=1)))
            self._paths.append(None)
        self._ends = np.cumsum([part.places.shape[1] for part in self._parts])

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def close(self) -> None:
        """Let go of the files."""
        for part in self._parts:
            if isinstance(part.data, mmap.mmap):
                part.data.close()

    def file_of(self, row: int) -> Path | None:
        """The file that holds a row; None for a padded one."""
        return self._paths[int(np.searchsorted(self._ends, row, side="right"))]

    def columns(self, rows: np.ndarray, *, exact: bool = False) -> dict[str, Column]:
        """The fields of some rows: arrays with a row axis, or lists where rows differ in shape.

        Args:
            rows: their numbers.
            exact: whether numbers stay as they were written and strings are str, else numbers get
                the schema's type and strings are arrays.

        Raises:
            MRMFetchDataError: a row is damaged.
        """
        if not len(rows):
            return {name: [] for name in self.names}
        found: dict[str, Column] = {}
        if self._scalars:
            values = columns.raw_values(self.schema, self._gather(0, rows), self._scalars)
            for field in self._fields:
                value = values.get(field.name)
                if isinstance(value, list):
                    found[field.name] = value if exact else columns.text_column(value)
                elif value is not None:
                    found[field.name] = value if exact else value.astype(field.dtype)
        blobs = [field for field in self._fields if field.is_blob]
        if blobs:
            gathered = self._gather(2, rows)
            spans = columns.blob_spans(self.schema, gathered)
            for field in blobs:
                found[field.name] = columns.blob_column(field, gathered, *spans[field.name])
        return {name: found[name] for name in self.names}

    def _gather(self, kind: int, rows: np.ndarray) -> Rows:
        """The bytes of some raw rows (kind 0) or blob rows (2), in one piece."""
        of_part = np.searchsorted(self._ends, rows, side="right")
        starts, ends = np.empty((2, len(rows)), np.int64)
        numbers = np.unique(of_part).tolist()
        for number in numbers:
            part, at = self._parts[number], np.flatnonzero(of_part == number)
            own = rows[at] - (self._ends[number] - part.places.shape[1])
            starts[at], ends[at] = part.places[kind][own], part.places[kind + 1][own]
        if len(numbers) == 1 and (starts[1:] == ends[:-1]).all():  # rows in order
            whole = self._parts[numbers[0]].data[int(starts[0]) : int(ends[-1])]
        else:
            sources = [self._parts[number].data for number in of_part.tolist()]
            places = zip(sources, starts.tolist(), ends.tolist())
            whole = b"".join([data[start:end] for data, start, end in places])
        return Rows(whole, ends - starts)
