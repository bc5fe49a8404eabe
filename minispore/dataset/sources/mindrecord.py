"""MindDataset: rows of MindRecord files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check, samplers
from minispore.dataset.cache import check_cache
from minispore.dataset.dataset import MappableDataset
from minispore.dataset.formats.mindrecord.columns import Column
from minispore.dataset.formats.mindrecord.layout import read_header
from minispore.dataset.formats.mindrecord.reading import (
    Shard,
    ShardReader,
    find_file_set,
    get_file_stamp,
    open_reader,
    open_shard,
    read_common_schema,
)
from minispore.dataset.formats.mindrecord.schema import Schema
from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.run import Run
from minispore.dataset.sources import sampler_arguments
from minispore.dataset.sources.files import find_files
from minispore.dataset.sources.records import Shuffle
from minispore.dataset.sources.row_order import RecordSource, adapt_to_files, make_file_order
from minispore.errors import DatasetError

_OP = "MindDataset"


class MindDataset(MappableDataset):
    """Rows of MindRecord files: a column for each field, in alphabetical order.

    Numbers become scalars, strings strings, arrays arrays; bytes become an array of one element,
    whose memory is the bytes.

    Args:
        dataset_files (str or list): a file, to read all files written together with it, or a list
            of exactly the files to read.
        columns_list (list, optional): read only these columns, in this order.
        num_parallel_workers (int, optional): the number of reader threads.
        shuffle (bool or Shuffle, optional): GLOBAL shuffles all rows; PARTIAL shuffles the files
            and then the rows of each million; ``None``, ``True`` and ADAPTIVE are GLOBAL up to 100
            million rows, else PARTIAL; FILES shuffles only the files, INFILE only the rows within
            each file. Default: ``None``.
        num_shards, shard_id (int, optional): read only the rows of one shard: every
            ``num_shards``-th row, wrapping around at the end. All shards shuffle alike.
        sampler (Sampler or iterable, optional): chooses the rows.
        padded_sample (dict, optional): a row to append ``num_padded`` times after all others.
        num_padded (int, optional): the number of padded rows.
        num_samples (int, optional): the maximum number of rows.
        cache (DatasetCache, optional): caches the rows.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value, or a file is missing.
        RuntimeError: a file is damaged, its schema differs from the first file's, or a column does
            not exist; later, when a row is damaged.

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
        paths = find_files(_OP, dataset_files)
        if isinstance(dataset_files, str) and len(paths) == 1:
            paths = find_file_set(paths[0])
        schema = read_common_schema(paths)
        names = schema.names
        if columns_list:
            names = check.names(_OP, "columns_list", columns_list)
            check.check_columns_exist(_OP, "columns_list", names, schema.names)
        padded_row = _make_padded_row(schema, columns_list, padded_sample, num_padded)
        table = MindTable(paths, schema, names, padded_row, num_padded or 0)
        workers = check.workers(_OP, num_parallel_workers)
        shards = check.shards(_OP, num_shards, shard_id)
        shard_count = 1 if shards is None else shards[0]
        if isinstance(sampler, samplers.DistributedSampler):
            shard_count = sampler.num_shards
        if padded_row is not None and num_padded and len(table) % shard_count:
            raise RuntimeError(
                f"{_OP}: num_padded must fill up the rows to a multiple of "
                f"num_shards={shard_count}, "
                f"got {len(table)} rows with num_padded={num_padded}."
            )
        order: samplers.Sampler
        if sampler is not None:
            chosen = sampler_arguments.make_sampler(
                _OP, num_samples, sampler, shuffle, num_shards, shard_id
            )
            order = self._adapt_sampler(chosen)
        else:
            order = make_file_order(_choose_shuffle(shuffle, num_samples), shards, num_samples)
        settings = {"dataset_files": [str(path) for path in paths], "columns_list": list(names)}
        node = RecordSource(table, order._bind_table_(table), _OP, workers, settings)
        super().__init__(
            node if cache is None else check_cache(_OP, cache).make_cached_node(_OP, node)
        )

    def _adapt_sampler(self, sampler: samplers.Sampler) -> samplers.Sampler:
        """Return the sampler adapted to MindRecord files, see :func:`adapt_to_files`."""
        return adapt_to_files(sampler)


class MindTable:
    """The rows of some MindRecord files; the index of a changed file is read again.

    Args:
        paths: the files.
        schema: the schema of all files.
        names: the columns to read.
        padded_row: the values of a row after all others.
        padding_rows: how often ``padded_row`` is repeated.
    """

    def __init__(
        self,
        paths: list[Path],
        schema: Schema,
        names: tuple[str, ...],
        padded_row: list[Any] | None,
        padding_rows: int,
    ) -> None:
        self._paths, self.schema, self._names = paths, schema, names
        self._padded_row, self._padding_rows = padded_row, padding_rows
        self._open_shards: dict[Path, tuple[tuple[int, ...], Shard]] = {}
        self._row_counts = [read_header(path).rows for path in paths]

    @property
    def columns(self) -> tuple[str, ...]:
        return self._names

    def __len__(self) -> int:
        return sum(self.count_rows())

    def count_rows(self) -> list[int]:
        """Return the number of rows of each file, then the number of padded rows."""
        return [*self._row_counts, self._padding_rows]

    def open_reader(self, run: Run, workers: int | None) -> MindReader:
        """Return a reader, which closes the files when the run ends."""
        reader = MindReader(
            self._open_reader(self._names), self.schema, workers or run.options.workers
        )
        run.register_close_callback(reader.close)
        return reader

    def list_row_files(self, row: int) -> list[Path]:
        """Return the file of a row; an empty list for a padded row."""
        file_index = int(np.searchsorted(np.cumsum(self._row_counts), row, side="right"))
        return self._paths[file_index : file_index + 1]

    def get_labels(self, column: str) -> np.ndarray | None:
        """Return the values of a number or string field in all rows, None without such a field.

        Called by PKSampler, which draws rows by their class.
        """
        if column not in {field.name for field in self.schema.raw}:
            return None
        reader = self._open_reader((column,))
        try:
            values = reader.read_columns(np.arange(len(reader)))[column]
        finally:
            reader.close()
        return np.array(values) if isinstance(values, list) else values

    def _open_reader(self, names: tuple[str, ...]) -> ShardReader:
        """Open a reader of some fields.

        Raises:
            DatasetError: a file can't be read, or has a different number of rows than at first.
        """
        try:
            reader = open_reader(
                self._paths, names, self._get_shard, self._padded_row, self._padding_rows
            )
        except OSError as exc:
            raise DatasetError(
                f"{_OP}: the file {exc.filename} must be readable. {exc.strerror}."
            ) from exc
        if [self._open_shards[path][1].header.rows for path in self._paths] != self._row_counts:
            reader.close()
            raise DatasetError(
                f"{_OP}: the files must keep their rows, they have others than before."
            )
        return reader

    def _get_shard(self, path: Path) -> Shard:
        """Return header and row locations of a file, read again if it or its index has changed."""
        stamp = get_file_stamp(path)
        if self._open_shards.get(path, ((), None))[0] != stamp:
            self._open_shards[path] = stamp, open_shard(path)
        return self._open_shards[path][1]


class MindReader:
    """Reads blocks of rows of MindRecord files; bytes become arrays of one element."""

    is_ordered = False

    def __init__(self, reader: ShardReader, schema: Schema, max_threads: int) -> None:
        self._reader, self.max_threads = reader, max_threads
        self._bytes_columns = [
            f.name for f in schema.fields if f.type == "bytes" and f.name in reader.names
        ]

    def read_rows(self, index: np.ndarray) -> Block:
        """Read the rows ``index``, up to the first that fails."""
        try:
            return self._read_block(index)
        except Exception:
            return self._read_up_to_failure(index)

    def close(self) -> None:
        """Close the files."""
        self._reader.close()

    def _read_block(self, index: np.ndarray) -> Block:
        """Read rows, all of which must be readable."""
        columns = self._reader.read_columns(index)
        for name in self._bytes_columns:
            columns[name] = _view_as_single_bytes(columns[name])
        return Block(columns, len(index))

    def _read_up_to_failure(self, index: np.ndarray) -> Block:
        """Read rows one at a time, up to the one that fails; the block carries its error."""
        for i, row in enumerate(index.tolist()):
            try:
                self._read_block(index[i : i + 1])
            except Exception as exc:
                error = DatasetError(
                    f"{_OP}: row {row} failed, in the file {self._reader.find_file(row)}. "
                    f"{type(exc).__name__}: {exc}"
                )
                error.__cause__ = exc
                return self._read_block(index[:i]).copy_with_error(error)
        return self._read_block(index)


def _view_as_single_bytes(column: Column) -> Column:
    """View each row, a vector of uint8, as an array of one bytes element."""
    if isinstance(column, list):
        return [v.view(f"S{len(v)}") if len(v) else np.array([b""]) for v in column]
    if not column.shape[1]:
        return np.full((len(column), 1), b"")
    return column.view(f"S{column.shape[1]}")


def _choose_shuffle(shuffle: Any, num_samples: Any) -> Shuffle:
    """Return the shuffle mode for the ``shuffle`` argument; None and True are ADAPTIVE.

    Raises:
        TypeError, ValueError: ``shuffle`` is not a mode, or can't be used with ``num_samples``.
    """
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


def _make_padded_row(
    schema: Schema, columns_list: Any, padded_sample: Any, num_padded: Any
) -> list[Any] | None:
    """Check the padding arguments and return the values of a padded row, None without padding.

    Fields outside of ``columns_list`` get blank values.

    Raises:
        TypeError, ValueError, RuntimeError: an argument is invalid or missing.
    """
    if padded_sample is None and num_padded is None:
        return None
    if padded_sample is None or num_padded is None or not columns_list:
        if padded_sample is None:
            mindspore_text = "num_padded is specified but padded_sample is not."
        elif num_padded is None:
            mindspore_text = "padded_sample is specified but num_padded is not."
        else:
            mindspore_text = "padded_sample is specified and requires columns_list as well."
        raise RuntimeError(
            f"{_OP}: padded_sample, num_padded and columns_list must be given together, got "
            f"padded_sample={padded_sample!r:.60}, num_padded={num_padded!r}, "
            f"columns_list={columns_list!r}. {mindspore_text}"
        )
    check.int32(_OP, "num_padded", num_padded, 0)
    if not isinstance(padded_sample, Mapping):
        raise TypeError(f"{_OP}: padded_sample must be a dict, got {padded_sample!r:.60}.")
    values = []
    for field in schema.fields:
        if field.name in padded_sample:
            values.append(field.check_value(padded_sample[field.name], _OP, "padded_sample"))
        elif field.name in columns_list:
            raise ValueError(
                f"{_OP}: padded_sample must have all columns of {list(columns_list)}, got "
                f"{list(padded_sample)}: padded_sample cannot match columns_list."
            )
        else:
            values.append(field.blank_value)
    return values
