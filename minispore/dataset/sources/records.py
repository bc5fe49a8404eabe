"""Files of records: where each record is gets indexed once, so that they have random access.

A format knows how to index a file and how to decode a record of it. Nothing is kept in memory but
the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Protocol

import numpy as np

from minispore.dataset import check
from minispore.dataset.cache import cache_of
from minispore.dataset.dataset import SourceDataset
from minispore.dataset.pipeline.block import Block, from_rows
from minispore.dataset.pipeline.mersenne import Reshuffled
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.order import Shuffle as ShuffleNode
from minispore.dataset.pipeline.random import Draws
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.source import TableSource, Varying
from minispore.dataset.samplers import Shuffle as Shuffle
from minispore.errors import DatasetError

BUFFER_ROWS = 10_000  # that a shuffle holds


class Format(Protocol):
    """A kind of file that holds records."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""

    def index(self, path: Path) -> np.ndarray:
        """Start and length of each record of a file: int64 (records, 2)."""

    def read(self, path: Path, file: BinaryIO, start: int, length: int) -> Sequence[Any]:
        """One record of an open file, as one array per column."""


class RecordTable:
    """The records of some files, one after the other.

    Args:
        op: the name of the dataset, for messages.
        files: the files.
        form: what they hold.
        by_name: whether they come in the order of their names, else as given.
    """

    def __init__(self, op: str, files: list[Path], form: Format, by_name: bool = True) -> None:
        self._op, self._form = op, form
        self._files = sorted(files, key=str) if by_name else files
        self._indexed: dict[Path, tuple[tuple[int, int], np.ndarray]] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        return self._form.columns

    def __len__(self) -> int:
        return sum(self.counts())

    def counts(self) -> list[int]:
        """How many records each file has."""
        return [len(self._index(path)) for path in self._files]

    def files_of(self, row: int) -> list[Path]:
        """The file that a record is in."""
        return [self._files[int(np.searchsorted(np.cumsum(self.counts()), row, side="right"))]]

    def open(self, run: Run, workers: int | None) -> RecordReader:
        """A reader; the index of a file that has changed is made anew."""
        places = [self._index(path) for path in self._files]
        if not any(map(len, places)):
            raise RuntimeError(
                f"{self._op}: the files must hold a row, got none in {self._files[0]}: "
                f"{self._op} API can't read the data file (interface mismatch or no data found)."
            )
        return RecordReader(
            self._op, self._files, places, self._form, workers or run.options.workers
        )

    def _index(self, path: Path) -> np.ndarray:
        try:
            seen = path.stat()
            stamp = (seen.st_mtime_ns, seen.st_size)
            if self._indexed.get(path, ((), None))[0] != stamp:
                self._indexed[path] = (stamp, self._form.index(path))
        except OSError as exc:
            raise RuntimeError(
                f"{self._op}: the file {path} must be readable. {exc.strerror}."
            ) from exc
        return self._indexed[path][1]


class RecordReader:
    """Reads records of files as they were when a run began."""

    ordered = False

    def __init__(
        self, op: str, files: list[Path], places: list[np.ndarray], form: Format, lanes: int
    ) -> None:
        self._op, self._files, self._places, self._form = op, files, places, form
        self._ends = np.cumsum([len(p) for p in places])
        self.lanes = lanes

    def read(self, index: np.ndarray) -> Block:
        """The records ``index``, up to the first that fails; each file is opened once."""
        of_file = np.searchsorted(self._ends, index, side="right").tolist()
        opened: dict[int, BinaryIO] = {}
        rows: list[Sequence[Any]] = []
        try:
            for i, number in zip(of_file, index.tolist()):
                path = self._files[i]
                if i not in opened:
                    opened[i] = path.open("rb")
                start, length = self._places[i][number - (self._ends[i] - len(self._places[i]))]
                rows.append(self._form.read(path, opened[i], int(start), int(length)))
        except Exception as exc:
            error = DatasetError(
                f"{self._op}: row {number} failed, in the file {path}. {type(exc).__name__}: {exc}"
            )
            error.__cause__ = exc
            return from_rows(self._form.columns, rows).failed(error)
        finally:
            for file in opened.values():
                file.close()
        return from_rows(self._form.columns, rows)


class FileOrder:
    """Which parts of some files a pass reads, and in which order: that of the files' names unless
    they are shuffled. They are shuffled first, then shared.

    Args:
        shards: (number, which), None for all rows.
        whole: whether a shard has whole files, else equally many rows, the last shards going round
            to the first rows.
        shuffled: whether the files come in random order.
    """

    def __init__(self, shards: tuple[int, int] | None, whole: bool, shuffled: bool) -> None:
        self.shards = None if shards == (1, 0) else shards
        self.shuffled = shuffled
        self.whole = whole and self.shards is not None
        self._passes = Reshuffled()

    def size(self, counts: Sequence[int]) -> int:
        """How many rows a pass has; with whole files, one in the order of their names."""
        if self.shards is None:
            return sum(counts)
        shards, shard = self.shards
        return sum(counts[shard::shards]) if self.whole else -(-sum(counts) // shards)

    def parts(self, counts: Sequence[int], rng: Draws, number: int) -> list[tuple[int, int, int]]:
        """Of pass ``number``, the file of each part, its first row and the one after its last.

        >>> FileOrder((2, 1), False, False).parts([3, 4], Draws(np.random.PCG64()), 0)
        [(1, 1, 4), (0, 0, 1)]
        """
        order = self._files(len(counts), rng, number).tolist()
        if self.shards is None:
            return [(i, 0, counts[i]) for i in order]
        shards, shard = self.shards
        if self.whole:
            return [(i, 0, counts[i]) for i in order[shard::shards]]
        rows, each = sum(counts), self.size(counts)
        first = shard * each % max(1, rows)
        found, start = [], 0
        for i in order * 2:
            begin, end = max(0, first - start), min(counts[i], first + each - start)
            if begin < end or first <= start < first + each:  # an empty file is read, too
                found.append((i, begin, end))
            start += counts[i]
        return found

    def _files(self, count: int, rng: Draws, number: int) -> np.ndarray:
        """The order of the files in a pass: the same on all ranks, whatever their seeds."""
        files = np.arange(count)
        if not self.shuffled:
            return files
        if self.shards is not None:
            return self._passes.order(files, 1, number)
        if rng.seed is not None:
            return self._passes.order(files, rng.seed, number, 0)
        return rng.permutation(files)


class RecordOrder:
    """Which records of some files make a pass.

    Args:
        table: the files, whose counts say which record is in which file.
        files: their order.
        num_samples: at most so many.
        workers: how many read; they take the files in turn and give a row each in turn. None for
            the default of the run.
        divided: whether two may read one file, of which a shard has the last rows and the first.
    """

    def __init__(
        self,
        table: RecordTable,
        files: FileOrder,
        num_samples: int | None,
        workers: int | None,
        divided: bool = True,
    ) -> None:
        self._table, self._files, self._divided = table, files, divided
        self._num_samples, self._workers = num_samples, workers

    def is_sharded(self) -> bool:
        """Whether the rows are those of a shard."""
        return self._files.shards is not None

    def is_shuffled(self) -> bool:
        """Whether files come in random order."""
        return self._files.shuffled

    def varies(self) -> bool:
        """Whether passes may have other numbers of rows than the first."""
        files = self._files
        return files.whole and files.shuffled and len(set(self._table.counts())) > 1

    def _size_(self, rows: int) -> int:
        """How many rows a pass has, of files with ``rows``."""
        count = self._files.size(self._table.counts())
        return count if self._num_samples is None else min(count, self._num_samples)

    def _begun_(self) -> RecordOrder:
        """The one of one iterator: it counts nothing."""
        return self

    def _order_(self, rows: int, rng: Draws, number: int, table: Any) -> np.ndarray:
        """The rows of one pass."""
        counts = self._table.counts()
        starts = np.cumsum([0, *counts])
        parts = [
            np.arange(starts[i] + first, starts[i] + last)
            for i, first, last in self._files.parts(counts, rng, number)
        ]
        workers = self._workers or rng.workers
        if not self._divided:
            workers = min(workers, len(counts))
        return _in_turn(parts, workers)[: self._num_samples]


def _in_turn(parts: list[np.ndarray], workers: int) -> np.ndarray:
    """The rows that ``workers`` give who take the parts in turn, then give a row each in turn.

    >>> _in_turn([np.array([1, 2]), np.array([3]), np.array([4, 5])], 2).tolist()
    [1, 3, 2, 4, 5]
    """
    queues = [np.concatenate(parts[i::workers]) for i in range(min(workers, len(parts)))]
    if not queues:
        return np.arange(0)
    rounds = np.concatenate([np.arange(len(queue)) for queue in queues])
    return np.concatenate(queues)[np.argsort(rounds, kind="stable")]


class RecordDataset(SourceDataset):
    """Base of the datasets over files of records, with the arguments that they share."""

    _divided: ClassVar[bool] = True  # see RecordOrder

    def _over(
        self,
        table: RecordTable,
        num_samples: int | None,
        num_parallel_workers: int | None,
        shuffle: Any,
        shards: tuple[int, int] | None,
        cache: Any,
        whole_files: bool = False,
        **settings: Any,
    ) -> None:
        op = type(self).__name__
        kind = shuffle_kind(op, shuffle)
        limit = check.num_samples(op, num_samples)
        workers = check.workers(op, num_parallel_workers)
        files = FileOrder(shards, whole_files, kind is not Shuffle.FALSE)
        order = RecordOrder(table, files, limit, workers, self._divided)
        node: Node = TableSource(table, order, op, workers, settings)
        if cache is not None:
            node = cache_of(op, cache).over(op, node)
        if order.varies():
            node = Varying(node)
        if kind is Shuffle.GLOBAL:
            node = ShuffleNode(node, shuffle_buffer(table.counts(), shards))
        super().__init__(node)


def shuffle_buffer(counts: Sequence[int], shards: tuple[int, int] | None) -> int:
    """How many rows a shuffle of files with so many rows holds: those of four, if not too many."""
    rows = -(-sum(counts) // (1 if shards is None else shards[0]))
    return min(BUFFER_ROWS, rows // len(counts) * 4 or BUFFER_ROWS)


def shuffle_kind(op: str, shuffle: Any) -> Shuffle:
    """``shuffle`` of a source of files: a bool, Shuffle.GLOBAL, as None, or Shuffle.FILES.

    The kinds that MindRecord files alone have shuffle nothing here, as in MindSpore.

    Raises:
        TypeError: it is no bool and no Shuffle.
    """
    if shuffle is None or isinstance(shuffle, bool):
        return Shuffle.GLOBAL if shuffle is not False else Shuffle.FALSE
    if not isinstance(shuffle, Shuffle):
        told = "It must be of boolean or enum of 'Shuffle' values, such as Shuffle.FILES."
        raise TypeError(f"{op}: shuffle must be a bool or a Shuffle, got {shuffle!r}. {told}")
    return shuffle if shuffle in (Shuffle.GLOBAL, Shuffle.FILES) else Shuffle.FALSE
