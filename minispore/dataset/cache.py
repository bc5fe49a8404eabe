"""DatasetCache: rows kept in memory once they were made."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.pipeline.block import Block, Column, join, stacked, value
from minispore.dataset.pipeline.lanes import Turn
from minispore.dataset.pipeline.mapping import Map
from minispore.dataset.pipeline.node import Indexed, Node, Run
from minispore.dataset.pipeline.order import Select
from minispore.dataset.pipeline.source import Reader, Table, TableSource
from minispore.dataset.transforms.base import Transform


class CacheStatistics:
    """What a cache holds.

    Attributes:
        avg_cache_sz: bytes of a row, on average.
        num_mem_cached: rows in memory.
        num_disk_cached: 0; nothing is spilled.
    """

    def __init__(self, rows: int, size: int) -> None:
        self.avg_cache_sz = size // rows if rows else 0
        self.num_mem_cached = rows
        self.num_disk_cached = 0


class DatasetCache:
    """Keeps the rows of sources and of maps in memory, so that later passes need not make them
    again.

    Args:
        session_id (int): accepted; there is no cache server, rows stay in this process.
        size (int): at most so many megabytes; 0 for no bound. Default: ``0``.
        spilling (bool): accepted; rows beyond ``size`` are made again, not written to disk.
        hostname, port, num_connections, prefetch_size: accepted.

    Raises:
        TypeError, ValueError: an argument is not what it must be.
    """

    def __init__(
        self,
        session_id: int,
        size: int = 0,
        spilling: bool = False,
        hostname: str | None = None,
        port: int | None = None,
        num_connections: int | None = None,
        prefetch_size: int | None = None,
    ) -> None:
        op = "DatasetCache"
        self.session_id = check.integer(op, "session_id", session_id, 0, 2**32 - 1)
        self.size = check.integer(op, "size", size, 0)
        self.spilling = check.boolean(op, "spilling", spilling)
        self._tables: list[CachedTable] = []

    def over(self, table: Table) -> CachedTable:
        """The table, its rows kept here."""
        cached = CachedTable(table, self)
        self._tables.append(cached)
        return cached

    def room(self) -> bool:
        """Whether one more row may be kept."""
        return not self.size or sum(t.nbytes for t in self._tables) < self.size << 20

    def get_stat(self) -> CacheStatistics:
        """How many rows are kept, and how large they are."""
        return CacheStatistics(
            sum(t.rows for t in self._tables), sum(t.nbytes for t in self._tables)
        )

    def node(self, op: str, node: Node) -> Node:
        """The node, its rows kept: maps and projections over a source with random access.

        Raises:
            RuntimeError: rows do not depend on the source row alone.
        """
        source = node
        while isinstance(source, Map | Select):
            if isinstance(source, Map) and any(
                isinstance(o, Transform) and o.random for o in source.operations
            ):
                raise RuntimeError(
                    f"{op}: cache must not be given to random transforms, whose rows differ in "
                    "each pass. "
                    "Put them into a map after this one."
                )
            source = source.child
        if not isinstance(source, TableSource):
            raise RuntimeError(
                f"{op}: cache must be given to maps right over a source with random access, got "
                "one over "
                f"{source.describe()}."
            )
        table = self.over(NodeTable(node, source))
        return TableSource(source.name, table, source.sampler, source.workers, source.settings)


def cache_of(op: str, value: Any) -> DatasetCache:
    """``cache`` of an operation.

    Raises:
        TypeError: it is no DatasetCache.
    """
    if not isinstance(value, DatasetCache):
        raise TypeError(f"{op}: cache must be a DatasetCache, got {value!r}.")
    return value


class NodeTable:
    """Maps over a source, as a table: row i is what they make of source row i."""

    def __init__(self, node: Node, source: TableSource) -> None:
        self._source = source
        self._node = _over_all(node)

    @property
    def columns(self) -> tuple[str, ...]:
        return self._node.columns

    def __len__(self) -> int:
        return len(self._source.table)

    def labels(self, column: str) -> np.ndarray | None:
        """The classes of all rows, for PKSampler."""
        return getattr(self._source.table, "labels", lambda column: None)(column)

    def open(self, run: Run, workers: int | None) -> Reader:
        inner = Run(self._node, run.seed, run.options)
        run.at_close(inner.close)
        opened = self._node.open(inner, 0)
        assert isinstance(opened, Indexed)
        return _NodeReader(opened)


class _NodeReader:
    def __init__(self, opened: Indexed) -> None:
        self._opened, self.lanes = opened, opened.lanes

    def read(self, index: np.ndarray, turn: Turn) -> Block:
        return self._opened.fetch(index, turn)


def _over_all(node: Node) -> Node:
    """The same maps over all rows of the source, in order."""
    if isinstance(node, Map | Select):
        return replace(node, child=_over_all(node.child))
    assert isinstance(node, TableSource)
    return replace(node, sampler=None)


class CachedTable:
    """A table whose rows are kept once they were read."""

    def __init__(self, table: Table, cache: DatasetCache) -> None:
        self._table, self._cache = table, cache
        self.lock = threading.Lock()
        self._forget(len(table))

    def _forget(self, rows: int) -> None:
        self._have = np.zeros(rows, bool)
        self._columns = {name: _Kept(rows) for name in self._table.columns}
        self.rows = self.nbytes = 0

    @property
    def columns(self) -> tuple[str, ...]:
        return self._table.columns

    def __len__(self) -> int:
        return len(self._table)

    def labels(self, column: str) -> np.ndarray | None:
        """The classes of all rows, for PKSampler."""
        return getattr(self._table, "labels", lambda column: None)(column)

    def open(self, run: Run, workers: int | None) -> Reader:
        reader = self._table.open(run, workers)
        with self.lock:
            if len(self._table) != len(self._have):  # the files have changed
                self._forget(len(self._table))
        return _CachedReader(self, reader)

    def take(self, index: np.ndarray) -> tuple[Block, np.ndarray]:
        """The rows of ``index`` that are kept, and which of them those are."""
        with self.lock:
            have = self._have[index]
            there = index[have]
            columns = {name: kept.take(there) for name, kept in self._columns.items()}
        return Block(columns, len(there)), have

    def put(self, index: np.ndarray, block: Block) -> None:
        """Keep rows, as far as there is room."""
        with self.lock:
            for i in range(block.count):
                row = int(index[i])
                if self._have[row]:
                    continue
                if not self._cache.room():
                    return
                for name, kept in self._columns.items():
                    self.nbytes += kept.put(row, value(block.columns[name], i))
                self._have[row] = True
                self.rows += 1


class _CachedReader:
    def __init__(self, table: CachedTable, reader: Reader) -> None:
        self._table, self._reader, self.lanes = table, reader, reader.lanes

    def read(self, index: np.ndarray, turn: Turn) -> Block:
        kept, have = self._table.take(index)
        if have.all():
            return kept
        missing = np.unique(index[~have])
        made = self._reader.read(missing, turn)
        self._table.put(missing, made)
        if not have.any() and np.array_equal(missing, index):
            return made
        # Rows of both, in the order asked for, up to the first that failed.
        place = np.empty(len(index), np.intp)
        place[have] = np.arange(kept.count)
        place[~have] = kept.count + np.searchsorted(missing, index[~have])
        failed = np.flatnonzero(place >= kept.count + made.count)
        stop = int(failed[0]) if len(failed) else len(index)
        error, made.error = made.error, None
        block = join([kept, made]).take(place[:stop])
        block.error = error if len(failed) else None
        return block


class _Kept:
    """One column of kept rows: an array while all rows have one shape and dtype, then a list."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._array: np.ndarray | None = None
        self._list: list[Any] | None = None

    def put(self, row: int, item: Any) -> int:
        """Keep a row; return its bytes."""
        if self._list is None and self._array is None:
            if isinstance(item, np.ndarray) and item.dtype.kind not in "USO":
                self._array = np.empty((self._rows, *item.shape), item.dtype)
            else:
                self._list = [None] * self._rows
        if self._array is not None and (
            not isinstance(item, np.ndarray)
            or item.shape != self._array.shape[1:]
            or item.dtype != self._array.dtype
        ):
            self._list, self._array = [a.copy() for a in self._array], None
        if self._array is not None:
            self._array[row] = item
        elif self._list is not None:
            self._list[row] = item.copy()
        return item.nbytes if isinstance(item, np.ndarray) else 0

    def take(self, index: np.ndarray) -> Column:
        """Rows that are kept, copied."""
        if self._array is not None:
            return self._array.take(index, axis=0)
        if self._list is None:
            return []
        return stacked([self._list[i].copy() for i in index])
