"""Cached: rows kept in memory once they were made, whatever the order they are asked for in."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import Block, Column, join, stacked, value
from minispore.dataset.pipeline.lanes import Turn
from minispore.dataset.pipeline.node import Indexed, Node, Pass
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.source import Sampled


class Store:
    """Rows by their number.

    Args:
        columns: their names.
        rows: how many there are.
        room: says whether one more may be kept.
    """

    def __init__(self, columns: tuple[str, ...], rows: int, room: Callable[[], bool]) -> None:
        self._names, self._room = columns, room
        self._lock = threading.Lock()
        self.clear(rows)

    def clear(self, rows: int) -> None:
        """Forget all rows; there are ``rows`` now."""
        with self._lock:
            self._have = np.zeros(rows, bool)
            self._columns = {name: _Kept(rows) for name in self._names}
            self.rows = self.nbytes = 0

    def __len__(self) -> int:
        return len(self._have)

    def take(self, index: np.ndarray) -> tuple[Block, np.ndarray]:
        """The rows of ``index`` that are kept, and which of them those are."""
        with self._lock:
            have = self._have[index]
            there = index[have]
            columns = {name: kept.take(there) for name, kept in self._columns.items()}
        return Block(columns, len(there)), have

    def put(self, index: np.ndarray, block: Block) -> None:
        """Keep rows, as far as there is room."""
        with self._lock:
            for i in range(block.count):
                row = int(index[i])
                if self._have[row]:
                    continue
                if not self._room():
                    return
                for name, kept in self._columns.items():
                    self.nbytes += kept.put(row, value(block.columns[name], i))
                self._have[row] = True
                self.rows += 1


class _Kept:
    """One column: an array while all rows have one shape and dtype, then a list."""

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


@dataclass(frozen=True, eq=False)
class Cached(Sampled):
    """The rows of a child, which are those of a table in its order, in the order of a sampler.

    Args:
        child: maps over the table; the same rows in each pass.
        store: where its rows are kept.
    """

    child: Node
    store: Store

    @property
    def children(self) -> tuple[Node, ...]:  # type: ignore[override]
        return (self.child,)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.child.columns

    def open(self, run: Run, number: int) -> Pass:
        below = self.child.open(run, 0)
        assert isinstance(below, Indexed) and below.size is not None
        if below.size != len(self.store):  # the files have changed
            self.store.clear(below.size)
        return _CachedPass(below, self.store, self.order(run, number), run.options.trace)


class _CachedPass(Indexed):
    def __init__(self, below: Indexed, store: Store, order: np.ndarray | None, trace: bool) -> None:
        self._below, self._store, self._order, self._trace = below, store, order, trace
        self.size = below.size if order is None else len(order)
        self.weight, self.lanes = below.weight, below.lanes

    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        index = at if self._order is None else self._order[at]
        block = self._rows(index, turn)
        block.rows = index[: block.count] if self._trace else None
        return block

    def _rows(self, index: np.ndarray, turn: Turn) -> Block:
        kept, have = self._store.take(index)
        if have.all():
            return kept
        wanted = index[~have]
        missing = wanted[np.sort(np.unique(wanted, return_index=True)[1])]  # each once, in order
        made = self._below.fetch(missing, turn)
        self._store.put(missing, made)
        if np.array_equal(missing, index):
            return made
        # Rows of both, in the order asked for, up to the first that failed.
        place = np.empty(len(index), np.intp)
        place[have] = np.arange(kept.count)
        by_number = np.argsort(missing)
        found = np.searchsorted(missing, wanted, sorter=by_number)
        place[~have] = kept.count + by_number[found]
        failed = np.flatnonzero(place >= kept.count + made.count)
        stop = int(failed[0]) if len(failed) else len(index)
        error, made.error, made.rows = made.error, None, None
        block = join([kept, made]).take(place[:stop])
        block.error = error if len(failed) else None
        return block
