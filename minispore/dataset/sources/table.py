"""Tables of rows in memory, and the base of sources with random access."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from minispore.dataset import check
from minispore.dataset.cache import check_cache
from minispore.dataset.dataset import MappableDataset
from minispore.dataset.pipeline.block import Block, Column, stack_rows
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.source import Table, TableSource
from minispore.dataset.sources import sampler_arguments


class ArrayTable:
    """Columns in memory: arrays, or lists with one value per row."""

    max_threads = 1  # gathering rows is fast, more threads would not help
    is_ordered = False

    def __init__(self, columns: dict[str, np.ndarray | list]) -> None:
        self._columns = columns
        self._rows = len(next(iter(columns.values()))) if columns else 0

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    def __len__(self) -> int:
        return self._rows

    def open_reader(self, run: Run, workers: int | None) -> ArrayTable:
        """Return this table, which is its own reader."""
        return self

    def read_rows(self, index: np.ndarray) -> Block:
        """Return copies of the rows, so that users' functions can't change the table."""
        columns: dict[str, Column] = {}
        for name, column in self._columns.items():
            if isinstance(column, np.ndarray):
                columns[name] = column.take(index, axis=0)
            else:
                columns[name] = stack_rows([column[i].copy() for i in index])
        return Block(columns, len(index))

    def get_labels(self, column: str) -> np.ndarray | None:
        """Return the class of each row, for PKSampler; the first of several labels.

        None if the column is not an array of one axis, or does not exist.
        """
        values = self._columns.get(column)
        if not isinstance(values, np.ndarray):
            return None
        if values.ndim == 2 and column == "label":
            return values[:, 0]
        return values if values.ndim == 1 else None


class ThreadedReader:
    """The reader of a table whose ``read_rows`` may be called by several threads at a time."""

    is_ordered = False

    def __init__(self, read: Callable[[np.ndarray], Block], max_threads: int) -> None:
        self.read_rows, self.max_threads = read, max_threads


class MissingUsageFiles(RuntimeError):
    """A folder has only files of other usages, so the dataset has no rows."""


class FileTable:
    """A table that ``load`` reads from files when a run starts, and again if a file has changed.

    Args:
        columns: the names of the columns.
        files: returns the paths of the files that ``load`` reads.
        load: returns a dict of the columns by name.
    """

    def __init__(
        self,
        columns: tuple[str, ...],
        files: Callable[[], list[Any]],
        load: Callable[[], dict[str, np.ndarray | list]],
    ) -> None:
        self._column_names, self._files, self._load = columns, files, load
        self._loaded: tuple[tuple, ArrayTable] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return self._column_names

    def __len__(self) -> int:
        try:
            return len(self._get_table())
        except MissingUsageFiles:  # an error is raised when the files are read
            return 0

    def open_reader(self, run: Run, workers: int | None) -> ArrayTable:
        """Return the table in memory, loaded again if a file has changed."""
        return self._get_table()

    def get_labels(self, column: str) -> np.ndarray | None:
        """Return the class of each row, for PKSampler."""
        return self._get_table().get_labels(column)

    def list_row_files(self, row: int) -> list[Any]:
        """Return all files: any row may come from any of them."""
        return self._files()

    def _get_table(self) -> ArrayTable:
        """Return the loaded table, reloaded if a file has changed.

        Raises:
            RuntimeError: a file no longer exists.
        """
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
    """Base of the datasets over a table, with their common arguments."""

    rows_from_python: ClassVar[bool] = False  # see sampler_arguments.make_sampler
    # The error for a PKSampler, if it is not supported.
    no_classes_error: ClassVar[type[Exception] | None] = None

    def _init_over_table(
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
        """Check the common arguments and set up the pipeline node over a table."""
        api_name = type(self).__name__
        workers = check.workers(api_name, num_parallel_workers)
        if self.no_classes_error is not None and getattr(sampler, "_needs_classes_", False):
            raise self.no_classes_error(
                f"{api_name}: sampler must not be a PKSampler, got {sampler!r}: as in MindSpore, "
                "its rows have no classes."
            )
        sampler_args = num_samples, sampler, shuffle, num_shards, shard_id
        chosen = sampler_arguments.make_sampler(
            api_name,
            *sampler_args,
            rows_from_python=self.rows_from_python,
            reads_files=self.reads_files,
        )
        node = TableSource(table, chosen._bind_table_(table), api_name, workers, settings)
        super().__init__(
            node if cache is None else check_cache(api_name, cache).make_cached_node(api_name, node)
        )
