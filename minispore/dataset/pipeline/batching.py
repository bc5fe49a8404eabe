"""batch: one row of several."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import Block, Column, join, no_rows, stacked, values
from minispore.dataset.pipeline.lanes import ALONE, Turn
from minispore.dataset.pipeline.node import Indexed, Over, Pass, Stream, replaced
from minispore.dataset.pipeline.operation import as_array, as_value
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.statistics import Meter
from minispore.dataset.transforms.base import narrow
from minispore.errors import DatasetError

# Column -> (shape, or None for the longest row; one size of it None likewise), value.
Padding = dict[str, tuple[tuple[int | None, ...] | None, Any]]


class BatchInfo:
    """What a function of ``batch`` may ask about the batch it is called for."""

    def __init__(self, epoch: int, batch: int) -> None:
        self._epoch, self._batch = epoch, batch

    def get_epoch_num(self) -> int:
        """The number of the epoch, from 0, however often rows repeat in it."""
        return self._epoch

    def get_batch_num(self) -> int:
        """The number of the batch in its pass, from 0."""
        return self._batch


def collate(name: str, rows: Sequence[Any], first: int = 0) -> Any:
    """The rows of one batch of column ``name`` as one array; dicts become a dict of such arrays.

    Raises:
        DatasetError: they have several shapes or dtypes; ``first`` is the number of the
            first of them.
    """
    made = stacked(rows)
    if isinstance(made, np.ndarray):
        return made
    a = rows[0]
    if isinstance(a, dict):
        try:
            parts = {
                key: [v if isinstance(v, dict) else as_array(v) for v in column]
                for key, column in _by_key(name, rows).items()
            }
        except TypeError as exc:
            raise DatasetError(f"batch: a dict of column {name!r} can't be batched: {exc}") from exc
        return {key: collate(f"{name}[{key!r}]", part, first) for key, part in parts.items()}
    _of_one_dtype(name, rows, first)
    for i, b in enumerate(rows):
        if b.shape != a.shape:
            raise DatasetError(
                f"batch: rows of column {name!r} must have one shape, got {a.shape} in row {first} "
                f"and {b.shape} in row {first + i}. Pass pad_info to pad them, or resize them "
                "before the batch."
            )
    return np.stack(rows)  # strings of several lengths


def _of_one_dtype(name: str, rows: Sequence[Any], first: int) -> None:
    a = rows[0].dtype
    for i, b in enumerate(rows):
        dtype = b.dtype if isinstance(b, np.ndarray) else np.dtype(object)
        if dtype.kind != a.kind or (dtype != a and a.kind not in "US"):
            raise DatasetError(
                f"batch: rows of column {name!r} must have one dtype, got {a} in row {first} and "
                f"{getattr(b, 'dtype', type(b).__name__)} in row {first + i}. Put a TypeCast first."
            )


def _by_key(name: str, rows: Sequence[Any]) -> dict[Any, list]:
    """Dicts of one batch of column ``name`` as a dict of lists."""
    keys = rows[0].keys()
    if not all(isinstance(row, dict) and row.keys() == keys for row in rows):
        raise DatasetError(f"batch: all rows of column {name!r} must be dicts with the same keys.")
    return {key: [row[key] for row in rows] for key in keys}


def _own(value: Any) -> Any:
    """A value that a function may change."""
    return dict(value) if isinstance(value, dict) else np.array(value)


def pad(
    name: str, rows: Sequence[Any], shape: tuple[int | None, ...] | None, fill: Any, first: int = 0
) -> np.ndarray:
    """The rows of one batch, cut or padded at their ends to one shape."""
    if not all(isinstance(row, np.ndarray) for row in rows):
        raise DatasetError(
            f"batch: pad_info must name columns of arrays, got {name!r}, which holds dicts."
        )
    _of_one_dtype(name, rows, first)
    rank = rows[0].ndim
    if any(row.ndim != rank for row in rows):
        raise DatasetError(
            f"batch: rows of column {name!r} must have one number of axes, got shapes "
            f"{sorted({row.shape for row in rows}, key=len)}. Padding adds no axes."
        )
    if shape is not None and len(shape) != rank:
        raise DatasetError(
            f"batch: pad_info of column {name!r} must have as many sizes as a row has axes, got "
            f"{list(shape)} for rows of shape {rows[0].shape}."
        )
    sizes = shape or (None,) * rank
    target: list[int] = [
        max(r.shape[i] for r in rows) if s is None else s for i, s in enumerate(sizes)
    ]
    text = rows[0].dtype.kind in "US"
    fill = ("" if text else 0) if fill is None else fill
    if isinstance(fill, str | bytes) != text:
        raise DatasetError(
            f"batch: pad_info of column {name!r} must have text for text and a number for numbers, "
            f"got {fill!r} for {rows[0].dtype}: can not pad numeric and string tensors together."
        )
    dtype = np.result_type(*rows, *([np.array(fill).astype(rows[0].dtype.kind)] if text else []))
    out = np.empty((len(rows), *target), dtype)
    out[...] = np.array(fill).astype(dtype)
    for i, row in enumerate(rows):
        box = tuple([slice(min(have, want)) for have, want in zip(row.shape, target)])
        out[i, ...][box] = row[box]
    return narrow(out)


@dataclass(frozen=True, eq=False)
class Batch(Over):
    """Rows put together, ``batch_size`` at a time.

    Args:
        batch_size: the number of rows, or a function of :class:`BatchInfo` that gives it.
        drop: whether a last batch with fewer rows is left out.
        function: called with the rows of each input column, as lists, and a BatchInfo.
        inputs: the columns it takes.
        outputs: the columns it gives.
        padding: columns to be padded, None for none.
        workers: how many threads may call the function.
    """

    batch_size: int | Callable[[BatchInfo], int]
    drop: bool
    function: Callable[..., Any] | None
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    padding: Padding | None
    workers: int | None

    @property
    def rows_each(self) -> int:  # type: ignore[override]
        return 1 if callable(self.batch_size) else self.batch_size

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        return replaced(self.child.columns, self.inputs, self.outputs)

    @property
    def columns(self) -> tuple[str, ...]:
        return self._columns

    def size(self) -> int | None:
        rows = self.child.size()
        if rows is None or callable(self.batch_size):
            return None
        return rows // self.batch_size if self.drop else -(-rows // self.batch_size)

    def open(self, run: Run, number: int) -> Pass:
        below = self.child.open(run, number)
        collator = _Collator(self, run, number)
        if isinstance(below, Indexed) and not callable(self.batch_size):
            return _Batched(below, collator, self.batch_size, self.drop)
        return _BatchedStream(run, below, collator)

    def worker_count(self, run: Run) -> int:
        """How many threads may call the function."""
        return 1 if self.function is None else self.workers or run.options.function_workers

    def describe(self) -> str:
        return f"batch({getattr(self.batch_size, '__name__', self.batch_size)})"

    def arguments(self) -> dict[str, Any]:
        return {
            "batch_size": self.batch_size if isinstance(self.batch_size, int) else "function",
            "drop_remainder": self.drop,
            "input_columns": list(self.inputs),
            "output_columns": list(self.outputs),
            "num_parallel_workers": self.workers,
        }


class _Collator:
    """Makes batches of rows in one pass."""

    def __init__(self, node: Batch, run: Run, number: int) -> None:
        self.node, self.epoch, self._trace = node, run.epoch(node, number), run.options.trace
        self._meter: Meter = run.meter(node, node.describe(), node.worker_count(run))
        self.lanes = node.worker_count(run)

    def batches(
        self,
        block: Block,
        sizes: Sequence[int],
        numbers: Sequence[int],
        rows: Sequence[int],
        turn: Turn,
    ) -> Block:
        """Batches of these sizes; batch i has number ``numbers[i]``, its first row ``rows[i]``."""
        start = time.perf_counter_ns()
        error = block.error
        done = 0
        while done < len(sizes) and sum(sizes[: done + 1]) <= block.count:
            done += 1
        sizes = sizes[:done]
        if self.node.function is None and self.node.padding is None and len(set(sizes)) == 1:
            out = self._reshaped(block, done, sizes[0])
        else:
            out = None
        if out is None:
            made: list[dict[str, Any]] = []
            at = 0
            for i, size in enumerate(sizes):
                try:
                    made.append(self._one(block.cut(at, at + size), numbers[i], rows[i], turn))
                except Exception as exc:
                    error = exc
                    break
                at += size
            done = len(made)
            out = Block({n: stacked([b[n] for b in made]) for n in self.node.columns}, done)
        out.error = error
        if self._trace and block.rows is not None:
            sizes = sizes[:done]
            out.rows = np.empty(done, object)
            out.rows[:] = np.split(block.rows[: sum(sizes)], np.cumsum(sizes)[:-1])
        self._meter.add(done, time.perf_counter_ns() - start)
        return out

    def _reshaped(self, block: Block, count: int, size: int) -> Block | None:
        columns: dict[str, Column] = {}
        for name, column in block.columns.items():
            if not isinstance(column, np.ndarray):
                return None
            columns[name] = column[: count * size].reshape(count, size, *column.shape[1:])
        return Block(columns, count)

    def _one(self, rows: Block, number: int, first: int, turn: Turn) -> dict[str, Any]:
        node = self.node
        columns: dict[str, Any] = dict(rows.columns)
        if node.function is not None:
            given = [[_own(v) for v in values(columns.pop(name))] for name in node.inputs]
            info = BatchInfo(self.epoch, number)
            if self.lanes > 1:
                result = self._call(given, info)
            else:
                with turn.at(self):
                    result = self._call(given, info)
            columns |= dict(zip(node.outputs, result))
        out = {}
        for name in node.columns:
            column = columns[name]
            if node.padding is not None and name in node.padding:
                out[name] = pad(name, values(column), *node.padding[name], first)
            else:
                whole = isinstance(column, np.ndarray | dict)
                out[name] = column if whole else collate(name, column, first)
        return out

    def _call(self, given: list[list], info: BatchInfo) -> list[Any]:
        """What the function gave: per output column a list of rows, or what stands for all."""
        node = self.node
        assert node.function is not None
        where = f"batch: per_batch_map failed on batch {info.get_batch_num()}"
        try:
            result = node.function(*given, info)
        except Exception as exc:
            raise DatasetError(f"{where}. {type(exc).__name__}: {exc}") from exc
        columns = result if isinstance(result, tuple) else (result,)
        if len(columns) != len(node.outputs):
            raise DatasetError(
                f"{where}. It must give {len(node.outputs)} columns for {list(node.outputs)}, got "
                f"{len(columns)}. Return a tuple with one list of rows per column, and name them "
                "in output_columns."
            )
        wanted = len(given[0]) if given else None
        whole = any(isinstance(column, dict) for column in columns)
        if whole and not all(isinstance(column, dict | np.ndarray) for column in columns):
            kinds = [type(column).__name__ for column in columns]
            raise DatasetError(
                f"{where}: mismatched types returned from per_batch_map, {kinds}. Beside a dict, "
                "which is a column of the whole batch, give dicts and arrays."
            )
        out: list[Any] = []
        for name, column in zip(node.outputs, columns):
            if not isinstance(column, list | tuple | np.ndarray | dict):
                raise DatasetError(
                    f"{where}. Column {name!r} must be a list of rows, or a dict for the whole "
                    f"batch, got {type(column).__name__}."
                )
            if not whole and wanted is not None and len(column) != wanted:
                raise DatasetError(
                    f"{where}. Column {name!r} must have {wanted} rows, got {len(column)}. Invalid "
                    f"data, column: {name} expects: {wanted} rows returned from 'per_batch_map', "
                    f"got: {len(column)}."
                )
            try:
                rows = as_value(column) if whole else [as_value(v) for v in column]
            except TypeError as exc:
                raise DatasetError(f"{where}, column {name!r}: {exc}") from exc
            dicts = not whole and rows and isinstance(rows[0], dict)
            out.append(_by_key(name, rows) if dicts else rows)
        return out


class _Batched(Indexed):
    def __init__(self, below: Indexed, collator: _Collator, size: int, drop: bool) -> None:
        self._below, self._collator, self._size = below, collator, size
        self._rows = rows = below.size
        last = 0 if drop else size - 1
        self.size = None if rows is None else (rows + last) // size
        self.weight, self.lanes = below.weight * size, max(below.lanes, collator.lanes)

    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        firsts = at * self._size
        rows = (firsts[:, None] + np.arange(self._size)).ravel()
        sizes = np.full(len(at), self._size)
        if self._rows is not None:  # the last batch may be short
            rows = rows[rows < self._rows]
            sizes = np.minimum(sizes, self._rows - firsts)
        block = self._below.fetch(rows, turn)
        return self._collator.batches(block, sizes.tolist(), at.tolist(), firsts.tolist(), turn)


class _BatchedStream(Stream):
    """Batches of rows that come one after the other; their size may depend on their number."""

    def __init__(self, run: Run, below: Pass, collator: _Collator) -> None:
        self._run, self._below, self._collator = run, below, collator
        size = collator.node.batch_size
        self.weight = below.weight * (1 if callable(size) else size)

    def blocks(self) -> Iterator[Block]:
        node = self._collator.node
        waiting: list[Block] = []
        have = done = rows = 0
        want = self._want(0)
        error: BaseException | None = None
        for block in self._run.read(self._below):
            waiting.append(block)
            have += block.count
            error = block.error
            sizes: list[int] = []
            try:
                while have - sum(sizes) >= want:
                    sizes.append(want)
                    want = self._want(done + len(sizes))
            except DatasetError as exc:  # the batches before it are whole
                error = exc
            if sizes:
                joined = join(waiting)
                used = sum(sizes)
                firsts = [rows + sum(sizes[:i]) for i in range(len(sizes))]
                given = joined.cut(0, used), sizes, range(done, done + len(sizes)), firsts
                out = self._collator.batches(*given, ALONE)
                yield out
                if out.error is not None:
                    return
                done, rows, have = done + len(sizes), rows + used, have - used
                waiting = [joined.cut(used, joined.count)]
            if error is not None:
                break
        if error is not None:
            yield no_rows(node.columns, error)
        elif have and not node.drop:
            yield self._collator.batches(join(waiting), [have], [done], [rows], ALONE)

    def _want(self, number: int) -> int:
        size = self._collator.node.batch_size
        if not callable(size):
            return size
        try:
            given = size(BatchInfo(self._collator.epoch, number))
        except Exception as exc:
            raise DatasetError(
                f"batch: the batch_size function failed on batch {number}. {type(exc).__name__}: "
                f"{exc}"
            ) from exc
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
            raise DatasetError(
                f"batch: the batch_size function must give a positive int, got {given!r}."
            )
        return int(given)
