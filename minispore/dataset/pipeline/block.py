"""Block: some consecutive rows on their way through a pipeline.

A column of a block is one array with a leading row axis where all rows have one shape and dtype,
else a list with one value per row. An error is data: a block may say that the row after its last
one failed. What works row by row needs no care for that (a prefix of the input gives a prefix of
the output), and the rows before the failing one still arrive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

Column = np.ndarray | list


class Block:
    """``count`` rows: columns, source row ids if traced, and what stopped the next row."""

    __slots__ = ("columns", "count", "error", "rows")

    def __init__(
        self,
        columns: dict[str, Column],
        count: int,
        rows: np.ndarray | None = None,
        error: BaseException | None = None,
    ) -> None:
        self.columns = columns
        self.count = count
        self.rows = rows
        self.error = error

    def take(self, index: np.ndarray) -> Block:
        """The rows ``index``, copied, in that order."""
        columns = {n: _take(c, index) for n, c in self.columns.items()}
        return Block(columns, len(index), None if self.rows is None else self.rows[index])

    def cut(self, start: int, stop: int) -> Block:
        """The rows from ``start`` to ``stop``, not copied; with the error if they reach the end."""
        rows = None if self.rows is None else self.rows[start:stop]
        error = self.error if stop >= self.count else None
        stop = min(stop, self.count)
        return Block({n: c[start:stop] for n, c in self.columns.items()}, stop - start, rows, error)

    def select(self, names: Iterable[str]) -> Block:
        """Only the columns ``names``, in that order."""
        return Block({n: self.columns[n] for n in names}, self.count, self.rows, self.error)

    def replace(self, columns: dict[str, Column]) -> Block:
        """The same rows with other columns."""
        return Block(columns, self.count, self.rows, self.error)

    def failed(self, error: BaseException) -> Block:
        """The same rows, followed by one that failed."""
        return Block(self.columns, self.count, self.rows, error)

    def row(self, index: int) -> tuple[Any, ...]:
        """The values of one row; arrays are views."""
        return tuple(value(column, index) for column in self.columns.values())

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return (self.row(i) for i in range(self.count))

    def copies(self) -> list[tuple[Any, ...]]:
        """The values of all rows, for keeping: a view would keep the whole block."""
        return [tuple(v.copy() for v in row) for row in self]


class Failure(Exception):
    """An operation failed on row ``row`` of the block it was given, because of ``cause``."""

    def __init__(self, operation: str, row: int, cause: BaseException) -> None:
        super().__init__(operation, row)
        self.operation, self.row, self.cause = operation, row, cause


def value(column: Column, index: int) -> Any:
    """One row of a column: an array (of no axes for a scalar), or the value itself."""
    return column[index, ...] if isinstance(column, np.ndarray) else column[index]


def values(column: Column) -> list:
    """All rows of a column."""
    return column if isinstance(column, list) else [column[i, ...] for i in range(len(column))]


def stacked(rows: Sequence[Any]) -> Column:
    """Rows as one array if they are arrays of one shape and dtype, else as a list."""
    if not rows or not isinstance(rows[0], np.ndarray):
        return list(rows)
    shape, dtype = rows[0].shape, rows[0].dtype
    for row in rows:
        if not isinstance(row, np.ndarray) or row.shape != shape or row.dtype != dtype:
            return list(rows)
    if len(rows) == 1:
        return rows[0][None]
    return np.stack(rows) if shape else np.array(rows, dtype)


def from_rows(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> Block:
    """A block of rows, each a sequence with one value per name."""
    return Block({n: stacked([r[i] for r in rows]) for i, n in enumerate(names)}, len(rows))


def no_rows(columns: Iterable[str], error: BaseException | None) -> Block:
    """A block without a row, and what stopped the first."""
    return Block({name: [] for name in columns}, 0, None, error)


def join(blocks: Sequence[Block]) -> Block:
    """The rows of several blocks, one after the other, up to the first error."""
    if len(blocks) == 1:
        return blocks[0]
    kept = []
    for block in blocks:
        kept.append(block)
        if block.error is not None:
            break
    last = kept[-1]
    kept = [b for b in kept if b.count] or [last]
    columns = {n: _concatenate([b.columns[n] for b in kept]) for n in kept[0].columns}
    ids = [b.rows for b in kept]
    rows = (
        None if any(r is None for r in ids) else np.concatenate([r for r in ids if r is not None])
    )
    return Block(columns, sum(b.count for b in kept), rows, last.error)


def _take(column: Column, index: np.ndarray) -> Column:
    if isinstance(column, np.ndarray):
        return column.take(index, axis=0)
    return stacked([column[i] for i in index])


def _concatenate(parts: list[Column]) -> Column:
    if len(parts) == 1:
        return parts[0]
    kinds = {(p.shape[1:], p.dtype) if isinstance(p, np.ndarray) else None for p in parts}
    if len(kinds) == 1 and None not in kinds:
        return np.concatenate(parts)
    return stacked([v for part in parts for v in values(part)])
