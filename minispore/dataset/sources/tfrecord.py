"""TFRecordDataset: files of tf.train.Example records."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from minispore.dataset import check
from minispore.dataset.formats import tfrecord
from minispore.dataset.pipeline import random
from minispore.dataset.pipeline.block import Block, from_rows
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.order import Shuffle as ShuffleNode
from minispore.dataset.pipeline.order import Take
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.source import StreamSource
from minispore.dataset.schema import Schema, SchemaColumn
from minispore.dataset.sources.files import find_files
from minispore.dataset.sources.records import (
    FileOrder,
    RecordDataset,
    RecordTable,
    Shuffle,
    check_shuffle,
    compute_shuffle_buffer,
)
from minispore.errors import DatasetError, did_you_mean

_OP = "TFRecordDataset"
_COMPRESSIONS = ("", "GZIP", "ZLIB")
_STREAM_ROWS = 64  # rows in a block of a compressed file


class TFRecordDataset(RecordDataset):
    """Rows of TFRecord files: a column for each feature.

    Without a schema the columns are the features of the first record, in alphabetical order, as
    one-dimensional arrays: int64, float32, or the bytes of all values as uint8.

    Args:
        dataset_files (str or list): files or patterns.
        schema (Schema or str, optional): names, types and shapes of the columns; one size of a
            shape may be -1. Its ``numRows`` is the default of ``num_samples``.
        columns_list (list, optional): read only these columns, in this order.
        num_samples (int, optional): the maximum number of rows.
        num_parallel_workers (int, optional): reader threads; they take the files in turn and
            yield one row each in turn.
        shuffle (bool or Shuffle): ``True`` and GLOBAL shuffle files and rows, FILES only the files.
            Default: ``Shuffle.GLOBAL``.
        num_shards, shard_id (int, optional): read only the files of one shard, which change in each
            pass if files are shuffled, or only its rows (``shard_equal_rows``).
        shard_equal_rows (bool): whether shards have the same number of rows, instead of entire
            files. Default: ``False``.
        cache (DatasetCache, optional): caches the rows of plain files.
        compression_type (str, optional): ``""``, ``"GZIP"`` or ``"ZLIB"``; compressed files are
            read sequentially, and shuffled with a buffer. Default: ``None``, plain.

    Raises:
        TypeError, ValueError: an argument has an invalid type or value, or a file is missing.
        RuntimeError: a file is damaged, or lacks a column; later, when a record is damaged or does
            not fit the schema.
    """

    def __init__(
        self,
        dataset_files: str | Sequence[str],
        schema: Schema | str | None = None,
        columns_list: Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle = Shuffle.GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        shard_equal_rows: bool = False,
        cache: Any = None,
        compression_type: str | None = None,
    ) -> None:
        paths = find_files(_OP, dataset_files)
        compression = compression_type or ""
        if compression not in _COMPRESSIONS:
            raise ValueError(
                f"{_OP}: compression_type must be '', 'GZIP' or 'ZLIB', got {compression_type!r}."
            )
        shards = check.shards(_OP, num_shards, shard_id)
        keep_whole_files = not check.boolean(_OP, "shard_equal_rows", shard_equal_rows)
        if shards is not None and keep_whole_files and len(paths) < shards[0]:
            raise RuntimeError(
                f"{_OP}: dataset_files must be at least num_shards={shards[0]} files, got "
                f"{len(paths)}. Pass shard_equal_rows=True to share their rows."
            )
        if isinstance(schema, str):
            schema = Schema(schema)
        file_format = _ExampleFormat(_choose_columns(paths, compression, schema, columns_list))
        if num_samples is None and schema is not None:
            num_samples = schema.num_rows or None
        settings = {"dataset_files": [str(p) for p in paths]}
        if not compression:
            self._init_over_records(
                RecordTable(_OP, paths, file_format),
                num_samples,
                num_parallel_workers,
                shuffle,
                shards,
                cache,
                keep_whole_files,
                **settings,
            )
            return
        workers = check.workers(_OP, num_parallel_workers)
        shuffle_mode = check_shuffle(_OP, shuffle)
        order = FileOrder(shards, keep_whole_files, shuffle_mode is not Shuffle.FALSE)
        streams = _CompressedFiles(paths, file_format, compression, order, workers)
        node: Node = StreamSource(
            _OP, file_format.columns, streams.iterate_pass, streams.count_rows, settings
        )
        if limit := check.int32(_OP, "num_samples", num_samples or 0, 0):
            node = Take(node, limit)
        if shuffle_mode is Shuffle.GLOBAL:
            node = ShuffleNode(node, compute_shuffle_buffer(streams.count_records(), shards))
        super(RecordDataset, self).__init__(node)


class _ExampleFormat:
    """The format of files of Examples, which are decoded to the columns of a schema."""

    def __init__(self, columns: list[SchemaColumn]) -> None:
        self._columns = columns
        self.columns = tuple(c.name for c in columns)

    def index_records(self, path: Path) -> np.ndarray:
        return tfrecord.index_records(path)

    def read_record(self, path: Path, file: BinaryIO, start: int, length: int) -> list[np.ndarray]:
        return self.decode(tfrecord.read_record(path, file, start, length))

    def decode(self, data: bytes) -> list[np.ndarray]:
        """Return a record as one array per column."""
        example = tfrecord.parse_example(data)
        return [_convert_feature(column, example) for column in self._columns]


class _CompressedFiles:
    """Compressed files, which are read sequentially."""

    def __init__(
        self,
        paths: list[Path],
        file_format: _ExampleFormat,
        compression: str,
        order: FileOrder,
        workers: int | None,
    ) -> None:
        self._paths = sorted(paths, key=str)
        self._format, self._compression = file_format, compression
        self._order, self._workers = order, workers
        self._record_counts: list[int] | None = None

    def iterate_pass(self, run: Run, number: int) -> Iterator[Block]:
        """Yield the rows of one pass, up to the first that fails.

        Workers take the files in turn, and yield one row each in turn.
        """
        workers = self._workers or run.options.workers
        # Only shards of equal size need the number of rows.
        needs_counts = self._order.shards is not None and not self._order.keeps_whole_files
        counts = self.count_records() if needs_counts else [sys.maxsize] * len(self._paths)
        ranges = self._order.choose_file_ranges(
            counts, random.make_pass_generator(run.seed, workers, number), number
        )
        queues = [
            self._iterate_records(ranges[i::workers]) for i in range(min(workers, len(ranges)))
        ]
        rows: list[list[np.ndarray]] = []
        done = 0
        try:
            while queues:
                for queue in list(queues):
                    row = next(queue, None)
                    if row is None:
                        queues.remove(queue)
                        continue
                    rows.append(row)
                    if len(rows) == _STREAM_ROWS:
                        yield from_rows(self._format.columns, rows)
                        done, rows = done + len(rows), []
        except _RecordError as failed:
            error = DatasetError(f"{_OP}: row {done + len(rows)} failed, {failed}")
            error.__cause__ = failed.__cause__
            yield from_rows(self._format.columns, rows).copy_with_error(error)
            return
        if rows:
            yield from_rows(self._format.columns, rows)

    def _iterate_records(self, ranges: list[tuple[int, int, int]]) -> Iterator[list[np.ndarray]]:
        """Yield the decoded records of some ranges of files.

        Raises:
            _RecordError: a file or a record can't be read.
        """
        for file, first, last in ranges:
            path = self._paths[file]
            try:
                for data in islice(tfrecord.stream_records(path, self._compression), first, last):
                    yield self._format.decode(data)
            except (tfrecord.DamagedFileError, OSError, ValueError, TypeError) as exc:
                raise _RecordError(f"in the file {path}. {exc}") from exc

    def count_records(self) -> list[int]:
        """Return the number of records of each file; the first call reads all of them."""
        if self._record_counts is None:
            self._record_counts = [
                sum(1 for _ in tfrecord.stream_records(path, self._compression))
                for path in self._paths
            ]
        return self._record_counts

    def count_rows(self) -> int:
        """Return the number of records of a pass over this shard; the first call reads files."""
        return self._order.count_rows(self.count_records())


class _RecordError(Exception):
    """A record failed; the message says in which file, and why."""


def _choose_columns(
    paths: list[Path], compression: str, schema: Schema | None, columns_list: Any
) -> list[SchemaColumn]:
    """Return the columns of the schema or, without a schema, of the first record.

    Raises:
        TypeError, RuntimeError: the schema or ``columns_list`` is invalid.
    """
    if schema is None:
        available = _infer_columns(paths, compression)
    elif isinstance(schema, Schema):
        available = dict(schema.columns)
    else:
        raise TypeError(f"{_OP}: schema must be a Schema or a str, got {schema!r}.")
    if columns_list is None:
        return list(available.values())
    names = check.names(_OP, "columns_list", columns_list)
    check.check_columns_exist(_OP, "columns_list", names, list(available))
    return [available[name] for name in names]


def _infer_columns(paths: list[Path], compression: str) -> dict[str, SchemaColumn]:
    """Return the columns of the first record, by name; raise RuntimeError if there is no record."""
    for path in paths:
        for data in tfrecord.stream_records(path, compression):
            example = tfrecord.parse_example(data)
            return {
                name: SchemaColumn(name, _get_feature_dtype(example[name]), None)
                for name in sorted(example)
            }
    raise RuntimeError(f"{_OP}: dataset_files must hold a record, or a schema must be given.")


def _get_feature_dtype(feature: tfrecord.Feature) -> np.dtype:
    """Return the dtype of a feature's column: uint8 for a bytes feature."""
    return feature.dtype if isinstance(feature, np.ndarray) else np.dtype(np.uint8)


def _convert_feature(column: SchemaColumn, example: tfrecord.Example) -> np.ndarray:
    """Return the feature of a column in its dtype and shape.

    Raises:
        ValueError, TypeError: the feature is missing, or does not fit the schema.
    """
    if column.name not in example:
        raise ValueError(
            f"the record must have a feature {column.name!r}.{did_you_mean(column.name, example)} "
            f"It has {sorted(example)}"
        )
    feature, dtype = example[column.name], column.dtype
    array: np.ndarray
    if isinstance(feature, list):
        if dtype.kind in "US":
            array = np.array([v.decode("utf-8") for v in feature], np.str_)
        elif dtype == np.uint8:
            array = np.frombuffer(b"".join(feature), np.uint8).copy()
        else:
            raise TypeError(
                f"feature {column.name!r} must be {dtype}, as the schema says, got bytes"
            )
    elif feature.dtype.kind != dtype.kind and not (
        feature.dtype.kind == "i" and dtype.kind in "ub"
    ):
        raise TypeError(
            f"feature {column.name!r} must be {dtype}, as the schema says, got {feature.dtype}"
        )
    else:
        array = feature.astype(dtype)
    if column.shape is None:
        return array
    try:
        return array.reshape(column.shape)
    except ValueError:
        raise ValueError(
            f"feature {column.name!r} must fill the shape {list(column.shape)}, as the schema "
            f"says, got {array.size} values"
        ) from None
