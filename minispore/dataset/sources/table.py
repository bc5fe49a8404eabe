"""Tables of rows in memory, and what all sources with random access share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from minispore.dataset import check
from minispore.dataset.cache import cache_of
from minispore.dataset.dataset import MappableDataset
from minispore.dataset.pipeline.block import Block, stacked
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.source import Table, TableSource
from minispore.dataset.sources import picking


class ArrayTable:
    """Columns that are in memory: arrays, or lists with one value per row."""

    lanes = 1  # gathering is quick, more threads would not make it quicker
    ordered = False

    def __init__(self, columns: dict[str, np.ndarray | list]) -> None:
        self._columns = columns
        self._rows = len(next(iter(columns.values()))) if columns else 0

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def __len__(self) -> int:
        return self._rows

    def open(self, run: Run, workers: int | None) -> ArrayTable:
        return self

    def read(self, index: np.ndarray) -> Block:
        """The rows, copied: what a user's function writes into them stays out of the table."""
        columns = {
            n: c.take(index, axis=0)
            if isinstance(c, np.ndarray)
            else stacked([c[i].copy() for i in index])
            for n, c in self._columns.items()
        }
        return Block(columns, len(index))

    def labels(self, column: str) -> np.ndarray | None:
        """The classes of all rows, for PKSampler: numbers, or the first of several in ``label``."""
        found = self._columns.get(column)
        if not isinstance(found, np.ndarray):
            return None
        if found.ndim == 2 and column == "label":
            return found[:, 0]
        return found if found.ndim == 1 else None


class NoFiles(RuntimeError):
    """A folder does not hold the files of one usage, but those of another: no rows."""


class FileTable:
    """Columns that ``load`` reads from files when a run starts; read again if a file
    has changed since.

    Args:
        columns: their names.
        files: what ``load`` reads.
        load: gives the columns.
        rows: gives the number of rows without reading all, if it can.
    """

    def __init__(
        self,
        columns: tuple[str, ...],
        files: Callable[[], list[Any]],
        load: Callable[[], dict[str, np.ndarray | list]],
    ) -> None:
        self._names, self._files, self._load = columns, files, load
        self._loaded: tuple[tuple, ArrayTable] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return self._names

    def __len__(self) -> int:
        try:
            return len(self._table())
        except NoFiles:  # told when they are read
            return 0

    def open(self, run: Run, workers: int | None) -> ArrayTable:
        return self._table()

    def labels(self, column: str) -> np.ndarray | None:
        """The classes of all rows, for PKSampler."""
        return self._table().labels(column)

    def files_of(self, row: int) -> list[Any]:
        """The files that all rows are in."""
        return self._files()

    def _table(self) -> ArrayTable:
        try:
            stamp = tuple((str(f), f.stat().st_mtime_ns, f.stat().st_size) for f in self._files())
        except OSError as exc:
            raise RuntimeError(
                f"{exc.filename}: the file must stay where it was. {exc.strerror}."
            ) from exc
        if self._loaded is None or self._loaded[0] != stamp:
            self._loaded = (stamp, ArrayTable(self._load()))
        return self._loaded[1]


class TableDataset(MappableDataset):
    """Base of the datasets over a table, with the arguments that they share."""

    of_functions: ClassVar[bool] = False  # rows come from Python, see picking.select
    without_classes: ClassVar[type[Exception] | None] = None  # what a PKSampler raises, if anything

    def _over(
        self,
        table: Table,
        num_samples: int | None,
        num_parallel_workers: int | None,
        shuffle: Any,
        sampler: Any,
        num_shards: int | None,
        shard_id: int | None,
        cache: Any = None,
        **settings: Any,
    ) -> None:
        op = type(self).__name__
        workers = check.workers(op, num_parallel_workers)
        if self.without_classes is not None and getattr(sampler, "_of_classes_", False):
            raise self.without_classes(
                f"{op}: sampler must not be a PKSampler, got {sampler!r}: as in MindSpore, its "
                "rows have no classes."
            )
        picked = num_samples, sampler, shuffle, num_shards, shard_id
        chosen = picking.select(op, *picked, of_functions=self.of_functions, of_files=self.of_files)
        node = TableSource(table, chosen._bound_(table), op, workers, settings)
        super().__init__(node if cache is None else cache_of(op, cache).over(op, node))
