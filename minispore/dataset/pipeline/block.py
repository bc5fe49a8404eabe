"""Blocks: consecutive rows of a pipeline, column by column.

A column of a block is an array with a leading row axis if all rows have the same shape and dtype,
else a list with one value per row. A block can carry an error: the row after its last one failed.
Operations that work row by row can ignore the error (a prefix of the input gives a prefix of the
output), and the rows before the failed one still arrive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

Column = np.ndarray | list


class Block:
    """``count`` rows: columns, the ids of source rows if traced, and the error of the next row."""

    __slots__ = ("columns", "count", "error", "source_rows")

    def __init__(
        self,
        columns: dict[str, Column],
        count: int,
        source_rows: np.ndarray | None = None,
        error: BaseException | None = None,
    ) -> None:
        self.columns = columns
        self.count = count
        self.source_rows = source_rows
        self.error = error

    def take(self, index: np.ndarray) -> Block:
        """Return a block with copies of the rows at ``index``, in that order, without the error."""
        columns = {n: _take_rows(c, index) for n, c in self.columns.items()}
        source_rows = None if self.source_rows is None else self.source_rows[index]
        return Block(columns, len(index), source_rows)

    def slice_rows(self, start: int, stop: int) -> Block:
        """Return the rows from ``start`` to below ``stop`` as views.

        The result carries the block's error only if it extends to the end of the block.
        """
        error = self.error if stop >= self.count else None
        stop = min(stop, self.count)
        columns = {n: c[start:stop] for n, c in self.columns.items()}
        source_rows = None if self.source_rows is None else self.source_rows[start:stop]
        return Block(columns, stop - start, source_rows, error)

    def select(self, names: Iterable[str]) -> Block:
        """Return a block with only the columns ``names``, in that order."""
        return Block({n: self.columns[n] for n in names}, self.count, self.source_rows, self.error)

    def replace(self, columns: dict[str, Column]) -> Block:
        """Return a block of the same rows with different columns."""
        return Block(columns, self.count, self.source_rows, self.error)

    def copy_with_error(self, error: BaseException) -> Block:
        """Return a block of the same rows, followed by a row that failed with ``error``."""
        return Block(self.columns, self.count, self.source_rows, error)

    def row(self, index: int) -> tuple[Any, ...]:
        """Return the values of one row; arrays are views."""
        return tuple(row_value(column, index) for column in self.columns.values())

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return (self.row(i) for i in range(self.count))

    def copy_rows(self) -> list[tuple[Any, ...]]:
        """Return copies of all rows, to be stored: a view would keep the entire block alive."""
        return [tuple(v.copy() for v in row) for row in self]


class Failure(Exception):
    """An operation failed on row ``row`` of its input block, because of ``cause``."""

    def __init__(self, operation: str, row: int, cause: BaseException) -> None:
        super().__init__(operation, row)
        self.operation, self.row, self.cause = operation, row, cause


def row_value(column: Column, index: int) -> Any:
    """Return one row of a column: an array (0-d for a scalar), or the value itself."""
    return column[index, ...] if isinstance(column, np.ndarray) else column[index]


def row_values(column: Column) -> list:
    """Return all rows of a column as a list; arrays are views."""
    return column if isinstance(column, list) else [column[i, ...] for i in range(len(column))]


def stack_rows(rows: Sequence[Any]) -> Column:
    """Stack rows into one array if they are arrays of equal shape and dtype, else return a list."""
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
    """Make a block from rows, each a sequence with one value per name."""
    return Block({n: stack_rows([r[i] for r in rows]) for i, n in enumerate(names)}, len(rows))


def make_empty_block(columns: Iterable[str], error: BaseException | None) -> Block:
    """Make a block without rows that carries the error of the first row."""
    return Block({name: [] for name in columns}, 0, None, error)


def join(blocks: Sequence[Block]) -> Block:
    """Concatenate the rows of several blocks up to the first error, which the result carries."""
    if len(blocks) == 1:
        return blocks[0]
    joined_blocks = []
    for block in blocks:
        joined_blocks.append(block)
        if block.error is not None:
            break
    last = joined_blocks[-1]
    joined_blocks = [b for b in joined_blocks if b.count] or [last]
    columns = {
        name: _concatenate_columns([b.columns[name] for b in joined_blocks])
        for name in joined_blocks[0].columns
    }
    traced_rows = [b.source_rows for b in joined_blocks if b.source_rows is not None]
    source_rows = None
    if len(traced_rows) == len(joined_blocks):
        source_rows = np.concatenate(traced_rows)
    return Block(columns, sum(b.count for b in joined_blocks), source_rows, last.error)


def _take_rows(column: Column, index: np.ndarray) -> Column:
    """Return copies of the rows at ``index``."""
    if isinstance(column, np.ndarray):
        return column.take(index, axis=0)
    return stack_rows([column[i] for i in index])


def _concatenate_columns(columns: list[Column]) -> Column:
    """Concatenate columns into an array if row shapes and dtypes are equal, else into a list."""
    if len(columns) == 1:
        return columns[0]
    layouts = {(p.shape[1:], p.dtype) if isinstance(p, np.ndarray) else None for p in columns}
    if len(layouts) == 1 and None not in layouts:
        return np.concatenate(columns)
    return stack_rows([v for column in columns for v in row_values(column)])
