"""Reads rows of MindRecord files in any order, many at a time."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from minispore.dataset.formats.mindrecord import columns, index
from minispore.dataset.formats.mindrecord.checksums import BLOB, RAW, RowChecker, read_checksums
from minispore.dataset.formats.mindrecord.columns import Column, RowBytes
from minispore.dataset.formats.mindrecord.exceptions import (
    MindRecordException,
    MRMFetchDataError,
    PathNotExistsError,
)
from minispore.dataset.formats.mindrecord.layout import Header, read_header, read_header_bytes
from minispore.dataset.formats.mindrecord.packing import pack_row
from minispore.dataset.formats.mindrecord.schema import Schema
from minispore.foundation.files import finish_renames, make_journal_path

_OPEN_ATTEMPTS = 100


@dataclass(frozen=True)
class Shard:
    """One file and the locations of its rows (see :func:`.index.read_locations`).

    ``checker`` compares the rows with their checksums, if the file has any.
    """

    path: Path
    header: Header
    locations: np.ndarray
    checker: RowChecker | None


def find_file_set(path: Path) -> list[Path]:
    """Return all files that were written together with ``path``.

    Raises:
        PathNotExistsError: a file is missing.
    """
    files = read_header(path).files
    if len(files) < 2:  # a single file may have been renamed
        return [path]
    paths = [path.with_name(name) for name in files]
    for other in paths:
        if not other.is_file():
            raise PathNotExistsError(
                f"{path.name}: all {len(paths)} files of its set must be there, {other} is not. To "
                "read some of them, pass a list."
            )
    return paths


def read_common_schema(paths: Sequence[Path]) -> Schema:
    """Return the schema that all files share.

    Raises:
        MRMFetchDataError: the schemas differ.
    """
    schema = read_header(paths[0]).schema
    for path in paths[1:]:
        other = read_header(path).schema
        if other.fields != schema.fields:
            raise MRMFetchDataError(
                f"{path.name}: all files must have one schema, got {other.to_dict()}, but "
                f"{paths[0].name} has {schema.to_dict()}."
            )
    return schema


def open_shard(path: Path) -> Shard:
    """Read and check the header, the row locations and the checksum of the header of a file.

    Raises:
        MRMFetchDataError, DbConnectionError: the file or its index is damaged.
    """
    header = read_header(path)
    locations = index.read_locations(path, header)
    raw_start, raw_end, blob_start, blob_end = locations
    size = path.stat().st_size
    is_valid = (raw_start >= 0) & (raw_start <= raw_end) & (raw_end <= size)
    is_valid &= (blob_start >= 0) & (blob_start <= blob_end) & (blob_end <= size)
    if locations.shape[1] != header.rows or not is_valid.all():
        raise MRMFetchDataError(
            f"{path.name}: must have the {header.rows} rows of its header where its index says. "
            f"The file or its index is damaged: {path}"
        )
    checksums = read_checksums(path, header.rows)
    if checksums is not None and checksums.header != crc32(read_header_bytes(path)):
        raise MRMFetchDataError(
            f"{path.name}: the header must be what was written, but its check sum differs. The "
            f"file or its index is damaged: {path}"
        )
    checker = None if checksums is None else RowChecker(path, checksums)
    return Shard(path, header, locations, checker)


def get_file_stamp(path: Path) -> tuple[int, ...]:
    """Return times, sizes and inodes of a file and its index, which change when it is rewritten."""
    stats = [path.stat()]
    with suppress(FileNotFoundError):
        stats.append(index.make_index_path(path).stat())
    return tuple([n for s in stats for n in (s.st_mtime_ns, s.st_size, s.st_ino)])


def open_reader(
    paths: Sequence[Path],
    names: Sequence[str],
    open_one: Callable[[Path], Shard] | None = None,
    padded_row: list[Any] | None = None,
    padding_rows: int = 0,
) -> ShardReader:
    """Open a reader of files of one writer, even if another writer is replacing them meanwhile.

    ``open_one`` opens one of the files; the other arguments are for :class:`ShardReader`.

    Raises:
        MRMFetchDataError: a file is damaged, or the files are replaced again and again.
        DbConnectionError: an index is damaged.
    """
    for _ in range(_OPEN_ATTEMPTS):
        stamps = [get_file_stamp(path) for path in paths]
        try:
            shards = [(open_one or open_shard)(path) for path in paths]
            reader = ShardReader(shards, names, padded_row, padding_rows)
        except MindRecordException:
            if stamps == [get_file_stamp(path) for path in paths]:
                raise
            continue
        journals = {
            make_journal_path(shard.path.with_name(shard.header.files[0]))
            for shard in shards
            if shard.header.files
        }
        was_replaced = any(finish_renames(journal) for journal in journals)
        if not was_replaced and stamps == [get_file_stamp(path) for path in paths]:
            return reader
        reader.close()
    raise MRMFetchDataError(
        f"{paths[0].name}: must not be replaced while it is opened, which happened "
        f"{_OPEN_ATTEMPTS} times. ({paths[0]})"
    )


@dataclass(frozen=True)
class _RowSource:
    """A file or bytes that contain rows, and the rows' locations; ``data`` is never empty."""

    data: mmap.mmap | bytes
    locations: np.ndarray
    checker: RowChecker | None = None


class ShardReader:
    """Reads rows of some shards, numbered consecutively over the shards.

    Reading needs no lock, even with several threads. ``close`` closes the files.

    Args:
        shards: the files to read.
        names: the fields to read.
        padded_row: the row after all others, if ``padding_rows`` is not 0.
        padding_rows: how often ``padded_row`` is repeated.
    """

    def __init__(
        self,
        shards: Sequence[Shard],
        names: Sequence[str],
        padded_row: list[Any] | None = None,
        padding_rows: int = 0,
    ) -> None:
        self.names = tuple(names)
        self.schema = shards[0].header.schema
        self._fields = [f for name in names for f in self.schema.fields if f.name == name]
        self._scalars = [f.name for f in self._fields if not f.is_blob]
        self._sources: list[_RowSource] = []
        self._paths: list[Path | None] = []
        for shard in shards:
            if shard.locations.shape[1]:
                with shard.path.open("rb") as file:
                    mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                self._sources.append(_RowSource(mapping, shard.locations, shard.checker))
                self._paths.append(shard.path)
        if padded_row is not None and padding_rows:
            raw, blob, _ = pack_row(self.schema, padded_row)
            ends = np.array([[0], [len(raw)], [len(raw)], [len(raw) + len(blob)]])
            self._sources.append(_RowSource(raw + blob, np.repeat(ends, padding_rows, axis=1)))
            self._paths.append(None)
        self._ends = np.cumsum([source.locations.shape[1] for source in self._sources])

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def close(self) -> None:
        """Close the files."""
        for source in self._sources:
            if isinstance(source.data, mmap.mmap):
                source.data.close()

    def find_file(self, row: int) -> Path | None:
        """Return the file that holds a row; None for a padded one."""
        return self._paths[int(np.searchsorted(self._ends, row, side="right"))]

    def read_columns(self, rows: np.ndarray, *, as_written: bool = False) -> dict[str, Column]:
        """Read the fields of some rows: arrays, or lists if rows differ in shape.

        Args:
            rows: the row numbers.
            as_written: whether numbers stay as they were written and strings are str; otherwise
                numbers get the schema's type and strings are arrays.

        Raises:
            MRMFetchDataError: a row is damaged.
        """
        if not len(rows):
            return {name: [] for name in self.names}
        result: dict[str, Column] = {}
        if self._scalars:
            gathered = self._gather_rows(RAW, rows)
            values = columns.read_raw_values(self.schema, gathered, self._scalars)
            for field in self._fields:
                value = values.get(field.name)
                if isinstance(value, list):
                    result[field.name] = value if as_written else columns.make_text_column(value)
                elif value is not None:
                    result[field.name] = value if as_written else value.astype(field.dtype)
        blobs = [field for field in self._fields if field.is_blob]
        if blobs:
            gathered = self._gather_rows(BLOB, rows)
            spans = columns.locate_blobs(self.schema, gathered)
            for field in blobs:
                result[field.name] = columns.read_blob_column(field, gathered, *spans[field.name])
        return {name: result[name] for name in self.names}

    def _gather_rows(self, kind: int, rows: np.ndarray) -> RowBytes:
        """Return the concatenated bytes of some rows, raw or blob by ``kind``.

        Raises:
            MRMFetchDataError: the checksum of a row differs.
        """
        location_index = 2 * kind  # index of the start of a row; its end is the next
        source_numbers = np.searchsorted(self._ends, rows, side="right")
        starts, ends = np.empty((2, len(rows)), np.int64)
        numbers = np.unique(source_numbers).tolist()
        for number in numbers:
            source, indices = self._sources[number], np.flatnonzero(source_numbers == number)
            source_rows = rows[indices] - (self._ends[number] - source.locations.shape[1])
            starts[indices] = source.locations[location_index][source_rows]
            ends[indices] = source.locations[location_index + 1][source_rows]
            checker = source.checker
            if checker is not None and not checker.is_checked(kind, source_rows):
                bounds = zip(starts[indices].tolist(), ends[indices].tolist())
                checker.check(kind, source_rows, [source.data[a:b] for a, b in bounds])
        if len(numbers) == 1 and (starts[1:] == ends[:-1]).all():  # rows in order
            gathered = self._sources[numbers[0]].data[int(starts[0]) : int(ends[-1])]
        else:
            sources = [self._sources[number].data for number in source_numbers.tolist()]
            spans = zip(sources, starts.tolist(), ends.tolist())
            gathered = b"".join([data[start:end] for data, start, end in spans])
        return RowBytes(gathered, ends - starts)
