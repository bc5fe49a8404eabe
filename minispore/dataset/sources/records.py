"""Files of records: each file is indexed once, so that its records have random access.

A format indexes a file and decodes its records. Only the index is kept in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Protocol

import numpy as np

from minispore.dataset import check
from minispore.dataset.cache import check_cache
from minispore.dataset.dataset import SourceDataset
from minispore.dataset.pipeline.block import Block, from_rows
from minispore.dataset.pipeline.mersenne import ConsecutiveShuffles
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.order import Shuffle as ShuffleNode
from minispore.dataset.pipeline.random import PassGenerator
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.source import TableSource, Varying
from minispore.dataset.samplers import Shuffle as Shuffle
from minispore.errors import DatasetError

BUFFER_ROWS = 10_000  # maximum size of a shuffle buffer


class Format(Protocol):
    """A format of files with records."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""

    def index_records(self, path: Path) -> np.ndarray:
        """Return start and length of each record of a file: int64 (records, 2)."""

    def read_record(self, path: Path, file: BinaryIO, start: int, length: int) -> Sequence[Any]:
        """Return one record of an open file, as one array per column."""


class RecordTable:
    """The concatenated records of some files.

    Args:
        api_name: the name of the dataset, for messages.
        files: the files.
        file_format: the format of the files.
        sort_by_name: whether files are read in the order of their names, else as given.
    """

    def __init__(
        self, api_name: str, files: list[Path], file_format: Format, sort_by_name: bool = True
    ) -> None:
        self._api_name, self._format = api_name, file_format
        self._files = sorted(files, key=str) if sort_by_name else files
        self._indexed: dict[Path, tuple[tuple[int, int], np.ndarray]] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        return self._format.columns

    def __len__(self) -> int:
        return sum(self.count_records())

    def count_records(self) -> list[int]:
        """Return the number of records of each file."""
        return [len(self._get_index(path)) for path in self._files]

    def list_row_files(self, row: int) -> list[Path]:
        """Return the file of a record."""
        ends = np.cumsum(self.count_records())
        return [self._files[int(np.searchsorted(ends, row, side="right"))]]

    def open_reader(self, run: Run, workers: int | None) -> RecordReader:
        """Return a reader; changed files are indexed again.

        Raises:
            RuntimeError: the files have no records.
        """
        spans = [self._get_index(path) for path in self._files]
        if not any(map(len, spans)):
            raise RuntimeError(
                f"{self._api_name}: the files must hold a row, got none in {self._files[0]}: "
                f"{self._api_name} API can't read the data file (interface mismatch or no "
                "data found)."
            )
        return RecordReader(
            self._api_name, self._files, spans, self._format, workers or run.options.workers
        )

    def _get_index(self, path: Path) -> np.ndarray:
        """Return the index of a file, recomputed if the file has changed.

        Raises:
            RuntimeError: the file can't be read.
        """
        try:
            stat = path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
            if self._indexed.get(path, ((), None))[0] != stamp:
                self._indexed[path] = (stamp, self._format.index_records(path))
        except OSError as exc:
            raise RuntimeError(
                f"{self._api_name}: the file {path} must be readable. {exc.strerror}."
            ) from exc
        return self._indexed[path][1]


class RecordReader:
    """Reads records of files by the indexes of the files at the start of the run."""

    is_ordered = False

    def __init__(
        self,
        api_name: str,
        files: list[Path],
        spans: list[np.ndarray],
        file_format: Format,
        max_threads: int,
    ) -> None:
        self._api_name, self._files, self._spans, self._format = api_name, files, spans, file_format
        self._ends = np.cumsum([len(p) for p in spans])
        self.max_threads = max_threads

    def read_rows(self, index: np.ndarray) -> Block:
        """Read the records ``index``, up to the first that fails; each file is opened once."""
        file_numbers = np.searchsorted(self._ends, index, side="right").tolist()
        open_files: dict[int, BinaryIO] = {}
        rows: list[Sequence[Any]] = []
        try:
            for i, number in zip(file_numbers, index.tolist()):
                path = self._files[i]
                if i not in open_files:
                    open_files[i] = path.open("rb")
                start, length = self._spans[i][number - (self._ends[i] - len(self._spans[i]))]
                rows.append(self._format.read_record(path, open_files[i], int(start), int(length)))
        except Exception as exc:
            error = DatasetError(
                f"{self._api_name}: row {number} failed, in the file {path}. "
                f"{type(exc).__name__}: {exc}"
            )
            error.__cause__ = exc
            return from_rows(self._format.columns, rows).copy_with_error(error)
        finally:
            for file in open_files.values():
                file.close()
        return from_rows(self._format.columns, rows)


class FileOrder:
    """The order in which a pass reads files or parts of them.

    It is the order of the table's files unless they are shuffled. Files are shuffled first, then
    sharded.

    Args:
        shards: (number of shards, index of this one), None for all rows.
        keep_whole_files: whether a shard has entire files; else all shards have the same number of
            rows, and the last shards wrap around to the first rows.
        shuffled: whether the files come in random order.
    """

    def __init__(
        self, shards: tuple[int, int] | None, keep_whole_files: bool, shuffled: bool
    ) -> None:
        self.shards = None if shards == (1, 0) else shards
        self.is_shuffled = shuffled
        self.keeps_whole_files = keep_whole_files and self.shards is not None
        self._shuffles = ConsecutiveShuffles()

    def count_rows(self, counts: Sequence[int]) -> int:
        """Return the number of rows in a pass over files with ``counts`` rows.

        If shards have entire files, it is that of a pass without shuffle.
        """
        if self.shards is None:
            return sum(counts)
        shards, shard = self.shards
        return sum(counts[shard::shards]) if self.keeps_whole_files else -(-sum(counts) // shards)

    def choose_file_ranges(
        self, counts: Sequence[int], rng: PassGenerator, number: int
    ) -> list[tuple[int, int, int]]:
        """Return the parts of files that pass ``number`` reads, in order: (file, first row, end).

        >>> order = FileOrder((2, 1), False, False)
        >>> order.choose_file_ranges([3, 4], PassGenerator(np.random.PCG64()), 0)
        [(1, 1, 4), (0, 0, 1)]
        """
        order = self._order_files(len(counts), rng, number).tolist()
        if self.shards is None:
            return [(i, 0, counts[i]) for i in order]
        shards, shard = self.shards
        if self.keeps_whole_files:
            return [(i, 0, counts[i]) for i in order[shard::shards]]
        rows, rows_per_shard = sum(counts), self.count_rows(counts)
        first = shard * rows_per_shard % max(1, rows)
        ranges, file_start = [], 0
        # The files twice: the rows of the last shards wrap around to the first files.
        for i in order * 2:
            begin = max(0, first - file_start)
            end = min(counts[i], first + rows_per_shard - file_start)
            # An empty file gets a range too.
            if begin < end or first <= file_start < first + rows_per_shard:
                ranges.append((i, begin, end))
            file_start += counts[i]
        return ranges

    def _order_files(self, count: int, rng: PassGenerator, number: int) -> np.ndarray:
        """Return the order of the files in a pass, the same on all ranks if there are shards."""
        files = np.arange(count)
        if not self.is_shuffled:
            return files
        if self.shards is not None:  # the ranks must agree, even if their seeds differ
            return self._shuffles.compute_order(files, 1, number)
        if rng.seed is not None:
            return self._shuffles.compute_order(files, rng.seed, number, 0)
        return rng.permutation(files)


class RecordOrder:
    """The order of the records of some files in a pass.

    Args:
        table: the files, with the number of records of each file.
        file_order: the order of the files.
        num_samples: the maximum number of rows.
        workers: the number of readers; they take the files in turn and yield one row each in turn.
            None for the default of the run.
        divides_files: whether two workers may read the same file, if a shard has both its last and
            its first rows.
    """

    def __init__(
        self,
        table: RecordTable,
        file_order: FileOrder,
        num_samples: int | None,
        workers: int | None,
        divides_files: bool = True,
    ) -> None:
        self._table, self._file_order, self._divides_files = table, file_order, divides_files
        self._num_samples, self._workers = num_samples, workers

    def is_sharded(self) -> bool:
        """Whether the rows are only a shard of the files."""
        return self._file_order.shards is not None

    def is_shuffled(self) -> bool:
        """Whether the files come in random order."""
        return self._file_order.is_shuffled

    def has_varying_size(self) -> bool:
        """Whether passes may differ in their number of rows."""
        file_order = self._file_order
        return (
            file_order.keeps_whole_files
            and file_order.is_shuffled
            and len(set(self._table.count_records())) > 1
        )

    def _size_(self, rows: int) -> int:
        """Return the number of rows of a pass over files with ``rows`` rows."""
        count = self._file_order.count_rows(self._table.count_records())
        return count if self._num_samples is None else min(count, self._num_samples)

    def _copy_for_iterator_(self) -> RecordOrder:
        """Return the order for one iterator: itself, since it has no state."""
        return self

    def _order_(self, rows: int, rng: PassGenerator, number: int, table: Any) -> np.ndarray:
        """Return the row numbers of pass ``number``, in the order in which workers yield them."""
        counts = self._table.count_records()
        starts = np.cumsum([0, *counts])
        row_ranges = [
            np.arange(starts[i] + first, starts[i] + last)
            for i, first, last in self._file_order.choose_file_ranges(counts, rng, number)
        ]
        workers = self._workers or rng.workers
        if not self._divides_files:
            workers = min(workers, len(counts))
        return _interleave_rows(row_ranges, workers)[: self._num_samples]


def _interleave_rows(row_ranges: list[np.ndarray], workers: int) -> np.ndarray:
    """Interleave rows like workers that take ranges in turn, then yield one row each in turn.

    >>> _interleave_rows([np.array([1, 2]), np.array([3]), np.array([4, 5])], 2).tolist()
    [1, 3, 2, 4, 5]
    """
    queues = [np.concatenate(row_ranges[i::workers]) for i in range(min(workers, len(row_ranges)))]
    if not queues:
        return np.arange(0)
    positions = np.concatenate([np.arange(len(queue)) for queue in queues])
    return np.concatenate(queues)[np.argsort(positions, kind="stable")]


class RecordDataset(SourceDataset):
    """Base of the datasets over files of records, with their common arguments."""

    _divides_files: ClassVar[bool] = True  # see RecordOrder

    def _init_over_records(
        self,
        table: RecordTable,
        num_samples: int | None,
        num_parallel_workers: int | None,
        shuffle: Any,
        shards: tuple[int, int] | None,
        cache: Any,
        keep_whole_files: bool = False,
        **settings: Any,
    ) -> None:
        """Check the common arguments and set up the pipeline node over a table of records.

        A GLOBAL shuffle adds a shuffle node with a buffer above the source.
        """
        api_name = type(self).__name__
        shuffle_mode = check_shuffle(api_name, shuffle)
        limit = check.num_samples(api_name, num_samples)
        workers = check.workers(api_name, num_parallel_workers)
        file_order = FileOrder(shards, keep_whole_files, shuffle_mode is not Shuffle.FALSE)
        order = RecordOrder(table, file_order, limit, workers, self._divides_files)
        node: Node = TableSource(table, order, api_name, workers, settings)
        if cache is not None:
            node = check_cache(api_name, cache).make_cached_node(api_name, node)
        if order.has_varying_size():
            node = Varying(node)
        if shuffle_mode is Shuffle.GLOBAL:
            node = ShuffleNode(node, compute_shuffle_buffer(table.count_records(), shards))
        super().__init__(node)


def compute_shuffle_buffer(counts: Sequence[int], shards: tuple[int, int] | None) -> int:
    """Return the buffer size of a shuffle over files with these row counts.

    It is four times the mean rows per file, but at most 10,000 rows.
    """
    rows = -(-sum(counts) // (1 if shards is None else shards[0]))
    return min(BUFFER_ROWS, rows // len(counts) * 4 or BUFFER_ROWS)


def check_shuffle(api_name: str, shuffle: Any) -> Shuffle:
    """Check ``shuffle`` of a source of files and return its mode; None and True are GLOBAL.

    As in MindSpore, the modes for MindRecord files do not shuffle other files.

    Raises:
        TypeError: ``shuffle`` is neither a bool nor a Shuffle.
    """
    if shuffle is None or isinstance(shuffle, bool):
        return Shuffle.GLOBAL if shuffle is not False else Shuffle.FALSE
    if not isinstance(shuffle, Shuffle):
        mindspore_text = "It must be of boolean or enum of 'Shuffle' values, such as Shuffle.FILES."
        raise TypeError(
            f"{api_name}: shuffle must be a bool or a Shuffle, got {shuffle!r}. {mindspore_text}"
        )
    return shuffle if shuffle in (Shuffle.GLOBAL, Shuffle.FILES) else Shuffle.FALSE
