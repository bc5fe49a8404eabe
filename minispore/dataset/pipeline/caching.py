"""The ``cache`` node: rows of a source are computed once and stored in memory by row number."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import Block, Column, join, row_value, stack_rows
from minispore.dataset.pipeline.node import Node
from minispore.dataset.pipeline.ordered_workers import Ticket
from minispore.dataset.pipeline.passes import Indexed, Pass
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.source import Sampled


class Store:
    """Stored rows, accessed by row number.

    Args:
        columns: the names of the columns.
        rows: the number of rows of the source.
        has_room: returns whether one more row may be stored.
    """

    def __init__(self, columns: tuple[str, ...], rows: int, has_room: Callable[[], bool]) -> None:
        self._names, self._has_room = columns, has_room
        self._lock = threading.Lock()
        self.clear(rows)

    def clear(self, rows: int) -> None:
        """Discard all stored rows and prepare for ``rows`` rows."""
        with self._lock:
            self._is_stored = np.zeros(rows, bool)
            self._columns = {name: _StoredColumn(rows) for name in self._names}
            self.rows = self.nbytes = 0

    def __len__(self) -> int:
        return len(self._is_stored)

    def take(self, index: np.ndarray) -> tuple[Block, np.ndarray]:
        """Return copies of the stored rows among ``index``, and a mask that marks them in it."""
        with self._lock:
            is_stored = self._is_stored[index]
            stored_index = index[is_stored]
            columns = {
                name: stored_column.take(stored_index)
                for name, stored_column in self._columns.items()
            }
        return Block(columns, len(stored_index)), is_stored

    def add(self, index: np.ndarray, block: Block) -> None:
        """Store the rows of a block that are not stored yet, until the memory limit is reached.

        Row i of the block is row ``index[i]`` of the source.
        """
        with self._lock:
            for i in range(block.count):
                row = int(index[i])
                if self._is_stored[row]:
                    continue
                if not self._has_room():
                    return
                for name, stored_column in self._columns.items():
                    self.nbytes += stored_column.add(row, row_value(block.columns[name], i))
                self._is_stored[row] = True
                self.rows += 1


class _StoredColumn:
    """One stored column: an array while all rows have the same shape and dtype, then a list."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._array: np.ndarray | None = None
        self._list: list[Any] | None = None

    def add(self, row: int, item: Any) -> int:
        """Store an item as row ``row`` and return its size in bytes, 0 for a dict.

        The first item with a different shape or dtype turns the array into a list.
        """
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
        """Return copies of stored rows."""
        if self._array is not None:
            return self._array.take(index, axis=0)
        if self._list is None:
            return []
        return stack_rows([self._list[i].copy() for i in index])


@dataclass(frozen=True, eq=False)
class Cached(Sampled):
    """The rows of a child over a table, cached, in the order of a sampler.

    Args:
        child: maps over the table, with the same rows in each pass.
        store: the memory for the rows of ``child``.
    """

    child: Node
    store: Store

    @property
    def children(self) -> tuple[Node, ...]:  # type: ignore[override]
        return (self.child,)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open a pass over the store, which is cleared if the child's size has changed."""
        child_pass = self.child.open_pass(run, 0)
        assert isinstance(child_pass, Indexed) and child_pass.size is not None
        if child_pass.size != len(self.store):  # the files have changed
            self.store.clear(child_pass.size)
        return _CachedPass(child_pass, self.store, self.order(run, number), run.options.trace)


class _CachedPass(Indexed):
    """A pass that takes rows from the store, and fetches and stores missing rows."""

    def __init__(
        self, child_pass: Indexed, store: Store, order: np.ndarray | None, trace: bool
    ) -> None:
        self._child_pass, self._store, self._order, self._trace = child_pass, store, order, trace
        self.size = child_pass.size if order is None else len(order)
        self.weight, self.max_threads = child_pass.weight, child_pass.max_threads

    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        """Return rows from the store; missing rows are fetched from the child and stored."""
        index = positions if self._order is None else self._order[positions]
        block = self._get_rows(index, ticket)
        block.source_rows = index[: block.count] if self._trace else None
        return block

    def _get_rows(self, index: np.ndarray, ticket: Ticket) -> Block:
        """Return source rows ``index``, up to the first failure; fetch and store missing ones."""
        stored, is_stored = self._store.take(index)
        if is_stored.all():
            return stored
        uncached_index = index[~is_stored]
        # Each missing row once, in order.
        missing = uncached_index[np.sort(np.unique(uncached_index, return_index=True)[1])]
        fetched = self._child_pass.fetch_rows(missing, ticket)
        self._store.add(missing, fetched)
        if np.array_equal(missing, index):
            return fetched
        # Stored and fetched rows, in the order of `index`, up to the first that failed.
        joined_index = np.empty(len(index), np.intp)
        joined_index[is_stored] = np.arange(stored.count)
        missing_order = np.argsort(missing)
        sorted_position = np.searchsorted(missing, uncached_index, sorter=missing_order)
        joined_index[~is_stored] = stored.count + missing_order[sorted_position]
        unavailable = np.flatnonzero(joined_index >= stored.count + fetched.count)
        stop = int(unavailable[0]) if len(unavailable) else len(index)
        error, fetched.error, fetched.source_rows = fetched.error, None, None
        block = join([stored, fetched]).take(joined_index[:stop])
        block.error = error if len(unavailable) else None
        return block
