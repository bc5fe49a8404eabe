"""MindDataset: rows of MindRecord files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check, samplers
from minispore.dataset.cache import cache_of
from minispore.dataset.dataset import MappableDataset
from minispore.dataset.formats.mindrecord.columns import Column
from minispore.dataset.formats.mindrecord.index import index_path
from minispore.dataset.formats.mindrecord.layout import read_header
from minispore.dataset.formats.mindrecord.reading import (
    Shard,
    ShardReader,
    common_schema,
    file_set,
    open_shard,
)
from minispore.dataset.formats.mindrecord.schema import Schema
from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.run import Run
from minispore.dataset.sources import picking
from minispore.dataset.sources.files import files
from minispore.dataset.sources.records import Shuffle
from minispore.dataset.sources.row_order import RecordSource, file_order, of_files
from minispore.errors import DatasetError

_OP = "MindDataset"


class MindDataset(MappableDataset):
    """Rows of MindRecord files: a column for each field, in alphabetical order.

    Numbers are scalars, strings strings, arrays arrays; bytes are an array of one element, whose
    memory is the bytes.

    Args:
        dataset_files (str or list): a file, which stands for all files written together with it, or
            a list of just the files to read.
        columns_list (list, optional): only these columns, in this order.
        num_parallel_workers (int, optional): threads that read.
        shuffle (bool or Shuffle, optional): ``None``, ``True`` and GLOBAL shuffle all rows, PARTIAL
            the files and then the rows of each million, ADAPTIVE does the one or the other; FILES
            shuffles only the files, INFILE only the rows within each. Default: ``None``.
        num_shards, shard_id (int, optional): only the rows of one shard: every ``num_shards``-th
            row, going round at the end. All shards shuffle alike.
        sampler (Sampler or iterable, optional): picks the rows.
        padded_sample (dict, optional): a row that comes ``num_padded`` times after all others.
        num_padded (int, optional): so often.
        num_samples (int, optional): at most so many rows.
        cache (DatasetCache, optional): keeps the rows.

    Raises:
        TypeError, ValueError: an argument is not what it must be, or a file is not there.
        RuntimeError: a file is damaged or has another schema than the first, or there is no such
            column; later, when a row is damaged.

    Example:
        >>> import os, tempfile
        >>> import minispore.dataset as ds
        >>> from minispore.mindrecord import FileWriter
        >>> folder = tempfile.TemporaryDirectory()
        >>> writer = FileWriter(os.path.join(folder.name, "x.mindrecord"), shard_num=2)
        >>> writer.add_schema({"label": {"type": "int32"}})
        >>> writer.write_raw_data([{"label": i} for i in range(4)])
        >>> writer.commit()
        >>> data = ds.MindDataset(os.path.join(folder.name, "x.mindrecord0"), shuffle=False)
        >>> [int(row["label"]) for row in data.create_dict_iterator(1, output_numpy=True)]
        [0, 1, 2, 3]
        >>> folder.cleanup()
    """

    def __init__(
        self,
        dataset_files: str | Sequence[str],
        columns_list: Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        sampler: Any = None,
        padded_sample: dict[str, Any] | None = None,
        num_padded: int | None = None,
        num_samples: int | None = None,
        cache: Any = None,
    ) -> None:
        paths = files(_OP, dataset_files)
        if isinstance(dataset_files, str) and len(paths) == 1:
            paths = file_set(paths[0])
        schema = common_schema(paths)
        names = schema.names
        if columns_list:
            names = check.names(_OP, "columns_list", columns_list)
            check.known(_OP, "columns_list", names, schema.names)
        padded = _padded(schema, columns_list, padded_sample, num_padded)
        table = MindTable(paths, schema, names, padded, num_padded or 0)
        workers = check.workers(_OP, num_parallel_workers)
        shards = check.shards(_OP, num_shards, shard_id)
        parts = 1 if shards is None else shards[0]
        if isinstance(sampler, samplers.DistributedSampler):
            parts = sampler.num_shards
        if padded is not None and num_padded and len(table) % parts:
            raise RuntimeError(
                f"{_OP}: num_padded must fill up the rows to a multiple of num_shards={parts}, "
                f"got {len(table)} rows with num_padded={num_padded}."
            )
        order: samplers.Sampler
        if sampler is not None:
            chosen = picking.select(_OP, num_samples, sampler, shuffle, num_shards, shard_id)
            order = self._own(chosen)
        else:
            order = file_order(_shuffle(shuffle, num_samples), shards, num_samples)
        settings = {"dataset_files": [str(path) for path in paths], "columns_list": list(names)}
        node = RecordSource(table, order._bound_(table), _OP, workers, settings)
        super().__init__(node if cache is None else cache_of(_OP, cache).over(_OP, node))

    def _own(self, sampler: samplers.Sampler) -> samplers.Sampler:
        return of_files(sampler)


class MindTable:
    """The rows of some files; the index of a file that has changed is read anew.

    Args:
        paths: the files.
        schema: what they hold.
        names: the columns to read.
        padded: the values of a row that comes after all others.
        padding: how often it comes.
    """

    def __init__(
        self,
        paths: list[Path],
        schema: Schema,
        names: tuple[str, ...],
        padded: list[Any] | None,
        padding: int,
    ) -> None:
        self._paths, self.schema, self._names = paths, schema, names
        self._padded, self._padding = padded, padding
        self._opened: dict[Path, tuple[tuple[int, ...], Shard]] = {}
        self._counts = [read_header(path).rows for path in paths]

    @property
    def columns(self) -> tuple[str, ...]:
        return self._names

    def __len__(self) -> int:
        return sum(self.counts())

    def counts(self) -> list[int]:
        """How many rows each file has, and how many padded ones there are."""
        return [*self._counts, self._padding]

    def open(self, run: Run, workers: int | None) -> MindReader:
        """A reader, which lets go of the files when the run ends."""
        reader = MindReader(self._reader(self._names), self.schema, workers or run.options.workers)
        run.at_close(reader.close)
        return reader

    def files_of(self, row: int) -> list[Path]:
        """The file that a row is in; none for a padded one."""
        part = int(np.searchsorted(np.cumsum(self._counts), row, side="right"))
        return self._paths[part : part + 1]

    def labels(self, column: str) -> np.ndarray | None:
        """The values of a number or string in all rows, for PKSampler."""
        if column not in {field.name for field in self.schema.raw}:
            return None
        reader = self._reader((column,))
        try:
            values = reader.columns(np.arange(len(reader)))[column]
        finally:
            reader.close()
        return np.array(values) if isinstance(values, list) else values

    def _reader(self, names: tuple[str, ...]) -> ShardReader:
        shards = [self._shard(path) for path in self._paths]
        if [shard.header.rows for shard in shards] != self._counts:
            raise DatasetError(
                f"{_OP}: the files must keep their rows, they have others than before."
            )
        return ShardReader(shards, names, self._padded, self._padding)

    def _shard(self, path: Path) -> Shard:
        try:
            seen = (
                [path.stat(), index_path(path).stat()]
                if index_path(path).exists()
                else [path.stat()]
            )
            stamp = tuple(n for s in seen for n in (s.st_mtime_ns, s.st_size, s.st_ino))
            if self._opened.get(path, ((), None))[0] != stamp:
                self._opened[path] = stamp, open_shard(path)
        except OSError as exc:
            raise DatasetError(f"{_OP}: the file {path} must be readable. {exc.strerror}.") from exc
        return self._opened[path][1]


class MindReader:
    """Reads blocks of rows; bytes become arrays of one element."""

    ordered = False

    def __init__(self, reader: ShardReader, schema: Schema, lanes: int) -> None:
        self._reader, self.lanes = reader, lanes
        self._bytes = [
            f.name for f in schema.fields if f.type == "bytes" and f.name in reader.names
        ]

    def read(self, index: np.ndarray) -> Block:
        """The rows ``index``, up to the first that fails."""
        try:
            return self._block(index)
        except Exception:
            return self._up_to_failing(index)

    def close(self) -> None:
        self._reader.close()

    def _block(self, index: np.ndarray) -> Block:
        columns = self._reader.columns(index)
        for name in self._bytes:
            columns[name] = _one_element(columns[name])
        return Block(columns, len(index))

    def _up_to_failing(self, index: np.ndarray) -> Block:
        """The same, one row at a time, to find the one that fails."""
        for i, row in enumerate(index.tolist()):
            try:
                self._block(index[i : i + 1])
            except Exception as exc:
                error = DatasetError(
                    f"{_OP}: row {row} failed, in the file {self._reader.file_of(row)}. "
                    f"{type(exc).__name__}: {exc}"
                )
                error.__cause__ = exc
                return self._block(index[:i]).failed(error)
        return self._block(index)


def _one_element(column: Column) -> Column:
    """Vectors of bytes as arrays of one element."""
    if isinstance(column, list):
        return [v.view(f"S{len(v)}") if len(v) else np.array([b""]) for v in column]
    if not column.shape[1]:
        return np.full((len(column), 1), b"")
    return column.view(f"S{column.shape[1]}")


def _shuffle(shuffle: Any, num_samples: Any) -> Shuffle:
    if shuffle is None or shuffle is True:
        return Shuffle.ADAPTIVE
    if shuffle is False:
        return Shuffle.FALSE
    if not isinstance(shuffle, Shuffle):
        raise TypeError(f"{_OP}: shuffle must be a bool or a Shuffle, got {shuffle!r}.")
    if shuffle in (Shuffle.FILES, Shuffle.INFILE) and num_samples:
        raise ValueError(
            f"{_OP}: num_samples must not be given with Shuffle.FILES or Shuffle.INFILE, got "
            f"{num_samples}. Leave one of them out."
        )
    return shuffle


def _padded(
    schema: Schema, columns_list: Any, padded_sample: Any, num_padded: Any
) -> list[Any] | None:
    """The values of ``padded_sample``, blank ones for columns that nobody reads."""
    if padded_sample is None and num_padded is None:
        return None
    if padded_sample is None or num_padded is None or not columns_list:
        if padded_sample is None:
            told = "num_padded is specified but padded_sample is not."
        elif num_padded is None:
            told = "padded_sample is specified but num_padded is not."
        else:
            told = "padded_sample is specified and requires columns_list as well."
        raise RuntimeError(
            f"{_OP}: padded_sample, num_padded and columns_list must be given together, got "
            f"padded_sample={padded_sample!r:.60}, num_padded={num_padded!r}, "
            f"columns_list={columns_list!r}. {told}"
        )
    check.int32(_OP, "num_padded", num_padded, 0)
    if not isinstance(padded_sample, Mapping):
        raise TypeError(f"{_OP}: padded_sample must be a dict, got {padded_sample!r:.60}.")
    values = []
    for field in schema.fields:
        if field.name in padded_sample:
            values.append(field.checked(padded_sample[field.name], _OP, "padded_sample"))
        elif field.name in columns_list:
            raise ValueError(
                f"{_OP}: padded_sample must have all columns of {list(columns_list)}, got "
                f"{list(padded_sample)}: padded_sample cannot match columns_list."
            )
        else:
            values.append(field.blank)
    return values
