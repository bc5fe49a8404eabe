"""The ``batch`` node: stacks several rows into one, with padding and users' functions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import (
    Block,
    Column,
    join,
    make_empty_block,
    row_values,
    stack_rows,
)
from minispore.dataset.pipeline.node import UnaryNode, replace_columns
from minispore.dataset.pipeline.operation import convert_result, convert_to_array
from minispore.dataset.pipeline.ordered_workers import UNORDERED, Ticket
from minispore.dataset.pipeline.passes import Indexed, Pass, Stream
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.statistics import Meter
from minispore.dataset.transforms.base import narrow_text
from minispore.errors import DatasetError

# Column -> (shape, fill value). None for the shape or for a size means the longest row's.
Padding = dict[str, tuple[tuple[int | None, ...] | None, Any]]


class BatchInfo:
    """The epoch and number of a batch, as passed to ``per_batch_map`` and size functions."""

    def __init__(self, epoch: int, batch: int) -> None:
        self._epoch, self._batch = epoch, batch

    def get_epoch_num(self) -> int:
        """Return the number of the epoch, from 0; repeats within it do not count."""
        return self._epoch

    def get_batch_num(self) -> int:
        """Return the number of the batch in its pass, from 0."""
        return self._batch


def collate(name: str, rows: Sequence[Any], first_row: int = 0) -> Any:
    """Stack the rows of one batch of column ``name``; dicts become a dict of stacked arrays.

    Raises:
        DatasetError: the rows differ in shape, dtype or dict keys; ``first_row`` is the number of
            the first row, for the message.
    """
    array = stack_rows(rows)
    if isinstance(array, np.ndarray):
        return array
    if isinstance(rows[0], dict):
        try:
            rows_by_key = {
                key: [v if isinstance(v, dict) else convert_to_array(v) for v in values]
                for key, values in _merge_dict_rows(name, rows).items()
            }
        except TypeError as exc:
            raise DatasetError(f"batch: a dict of column {name!r} can't be batched: {exc}") from exc
        return {
            key: collate(f"{name}[{key!r}]", key_rows, first_row)
            for key, key_rows in rows_by_key.items()
        }
    _check_one_dtype(name, rows, first_row)
    shape = rows[0].shape
    for i, row in enumerate(rows):
        if row.shape != shape:
            raise DatasetError(
                f"batch: rows of column {name!r} must have one shape, got {shape} in row "
                f"{first_row} and {row.shape} in row {first_row + i}. Pass pad_info to pad them, "
                "or resize them before the batch."
            )
    return np.stack(rows)  # strings of different lengths


def _check_one_dtype(name: str, rows: Sequence[Any], first_row: int) -> None:
    """Check that all rows of a column have the dtype of the first; strings may differ in length.

    Raises:
        DatasetError: a row has a different dtype.
    """
    first_dtype = rows[0].dtype
    is_text = first_dtype.kind in "US"
    for i, row in enumerate(rows):
        dtype = row.dtype if isinstance(row, np.ndarray) else np.dtype(object)
        if dtype.kind != first_dtype.kind or (dtype != first_dtype and not is_text):
            raise DatasetError(
                f"batch: rows of column {name!r} must have one dtype, got {first_dtype} in row "
                f"{first_row} and {getattr(row, 'dtype', type(row).__name__)} in row "
                f"{first_row + i}. Put a TypeCast first."
            )


def _merge_dict_rows(name: str, rows: Sequence[Any]) -> dict[Any, list]:
    """Merge the dicts of one batch of column ``name`` into one dict of lists.

    Raises:
        DatasetError: a row is not a dict, or has different keys.
    """
    keys = rows[0].keys()
    if not all(isinstance(row, dict) and row.keys() == keys for row in rows):
        raise DatasetError(f"batch: all rows of column {name!r} must be dicts with the same keys.")
    return {key: [row[key] for row in rows] for key in keys}


def _copy_value(value: Any) -> Any:
    """Return a copy of a row's value (shallow for a dict), which a user's function may change."""
    return dict(value) if isinstance(value, dict) else np.array(value)


def pad(
    name: str,
    rows: Sequence[Any],
    shape: tuple[int | None, ...] | None,
    fill: Any,
    first_row: int = 0,
) -> np.ndarray:
    """Stack the rows of one batch, each cut or padded with ``fill`` at the end of each axis.

    A size of None in ``shape``, or None for all of it, stands for the largest row's; a ``fill`` of
    None is 0, or the empty string for text.

    Raises:
        DatasetError: the rows are dicts, or differ in rank or dtype, or ``shape`` or ``fill`` does
            not fit them; ``first_row`` is the number of the first row, for the message.
    """
    if not all(isinstance(row, np.ndarray) for row in rows):
        raise DatasetError(
            f"batch: pad_info must name columns of arrays, got {name!r}, which holds dicts."
        )
    _check_one_dtype(name, rows, first_row)
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
    target_sizes: list[int] = [
        max(row.shape[i] for row in rows) if size is None else size for i, size in enumerate(sizes)
    ]
    is_text = rows[0].dtype.kind in "US"
    if fill is None:
        fill = "" if is_text else 0
    if isinstance(fill, str | bytes) != is_text:
        raise DatasetError(
            f"batch: pad_info of column {name!r} must have text for text and a number for numbers, "
            f"got {fill!r} for {rows[0].dtype}: can not pad numeric and string tensors together."
        )
    dtype = np.result_type(*rows)
    if is_text:  # the fill value may be longer than all rows
        dtype = np.result_type(dtype, np.array(fill).astype(dtype.kind))
    out = np.empty((len(rows), *target_sizes), dtype)
    out[...] = np.array(fill).astype(dtype)
    for i, row in enumerate(rows):
        region = tuple([slice(min(sizes)) for sizes in zip(row.shape, target_sizes)])
        out[i, ...][region] = row[region]
    return narrow_text(out)


@dataclass(frozen=True, eq=False)
class Batch(UnaryNode):
    """Batches of ``batch_size`` rows.

    Args:
        batch_size: the number of rows, or a function that returns it for a :class:`BatchInfo`.
        drop: whether a last batch with fewer rows is dropped.
        function: called with the rows of each input column, as lists, and a BatchInfo.
        inputs: the input columns of the function.
        outputs: the output columns of the function.
        padding: the columns to pad, or None.
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
    def rows_per_output(self) -> int:  # type: ignore[override]
        """The batch size, but 1 if a function chooses it."""
        return 1 if callable(self.batch_size) else self.batch_size

    @cached_property
    def _output_columns(self) -> tuple[str, ...]:
        return replace_columns(self.child.columns, self.inputs, self.outputs)

    @property
    def columns(self) -> tuple[str, ...]:
        return self._output_columns

    def size(self) -> int | None:
        """Return the number of batches; None if unknown or if a function chooses their size."""
        rows = self.child.size()
        if rows is None or callable(self.batch_size):
            return None
        return rows // self.batch_size if self.drop else -(-rows // self.batch_size)

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open a pass with random access, or a stream if the child or the batch size demands it."""
        child_pass = self.child.open_pass(run, number)
        collator = _Collator(self, run, number)
        if isinstance(child_pass, Indexed) and not callable(self.batch_size):
            return _BatchedPass(child_pass, collator, self.batch_size, self.drop)
        return _BatchedStream(run, child_pass, collator)

    def count_workers(self, run: Run) -> int:
        """Return how many threads may call the user's function in a run, 1 without a function."""
        return 1 if self.function is None else self.workers or run.options.function_workers

    def describe(self) -> str:
        return f"batch({getattr(self.batch_size, '__name__', self.batch_size)})"

    def get_arguments(self) -> dict[str, Any]:
        """Return the arguments that ``to_json`` writes, "function" for a batch size function."""
        return {
            "batch_size": self.batch_size if isinstance(self.batch_size, int) else "function",
            "drop_remainder": self.drop,
            "input_columns": list(self.inputs),
            "output_columns": list(self.outputs),
            "num_parallel_workers": self.workers,
        }


class _Collator:
    """Makes the batches of one pass, with the user's function and the padding of the node."""

    def __init__(self, node: Batch, run: Run, number: int) -> None:
        self.node = node
        self.epoch = run.compute_epoch(node, number)
        self._trace = run.options.trace
        self._meter: Meter = run.get_meter(node, node.describe(), node.count_workers(run))
        self.max_threads = node.count_workers(run)

    def collate_batches(
        self,
        block: Block,
        sizes: Sequence[int],
        numbers: Sequence[int],
        rows: Sequence[int],
        ticket: Ticket,
    ) -> Block:
        """Make the batches of these sizes for which the block has enough rows.

        Batch i has number ``numbers[i]`` in its pass; its first row is row ``rows[i]`` of the
        child. A batch that fails ends the returned block, which carries the error. If the run is
        traced, the source rows of a batch are an array of its rows' ids. The batches and the time
        are added to the node's statistics.
        """
        start = time.perf_counter_ns()
        complete = 0
        while complete < len(sizes) and sum(sizes[: complete + 1]) <= block.count:
            complete += 1
        sizes = sizes[:complete]
        out = None
        if self.node.function is None and self.node.padding is None and len(set(sizes)) == 1:
            out = self._reshape_into_batches(block, complete, sizes[0])
        if out is None:
            out = self._collate_one_by_one(block, sizes, numbers, rows, ticket)
        if self._trace and block.source_rows is not None:
            sizes = sizes[: out.count]
            out.source_rows = np.empty(out.count, object)
            out.source_rows[:] = np.split(block.source_rows[: sum(sizes)], np.cumsum(sizes)[:-1])
        self._meter.add(out.count, time.perf_counter_ns() - start)
        return out

    def _collate_one_by_one(
        self,
        block: Block,
        sizes: Sequence[int],
        numbers: Sequence[int],
        rows: Sequence[int],
        ticket: Ticket,
    ) -> Block:
        """Make the batches of a block one by one, up to the first that fails.

        The returned block carries that error, or else the error of ``block``.
        """
        batches: list[dict[str, Any]] = []
        error = block.error
        begin = 0
        for size, number, row in zip(sizes, numbers, rows):
            batch_rows = block.slice_rows(begin, begin + size)
            try:
                batches.append(self._collate_batch(batch_rows, number, row, ticket))
            except Exception as exc:
                error = exc
                break
            begin += size
        columns = {name: stack_rows([b[name] for b in batches]) for name in self.node.columns}
        return Block(columns, len(batches), None, error)

    def _reshape_into_batches(self, block: Block, count: int, size: int) -> Block | None:
        """Reshape the first ``count * size`` rows into batches; None if a column is a list."""
        columns: dict[str, Column] = {}
        for name, column in block.columns.items():
            if not isinstance(column, np.ndarray):
                return None
            columns[name] = column[: count * size].reshape(count, size, *column.shape[1:])
        return Block(columns, count, None, block.error)

    def _collate_batch(
        self, rows: Block, number: int, first_row: int, ticket: Ticket
    ) -> dict[str, Any]:
        """Make one batch: call the user's function, then pad or stack each column.

        With one worker, the function is called for the batches in their order.

        Returns:
            The value of the batch for each column, by column name.
        """
        node = self.node
        columns: dict[str, Any] = dict(rows.columns)
        if node.function is not None:
            function_args = [
                [_copy_value(v) for v in row_values(columns.pop(name))] for name in node.inputs
            ]
            info = BatchInfo(self.epoch, number)
            if self.max_threads > 1:
                result = self._call_function(function_args, info)
            else:
                with ticket.enter_turnstile(self):
                    result = self._call_function(function_args, info)
            columns |= dict(zip(node.outputs, result))
        out = {}
        for name in node.columns:
            column = columns[name]
            if node.padding is not None and name in node.padding:
                out[name] = pad(name, row_values(column), *node.padding[name], first_row)
            else:
                is_collated = isinstance(column, np.ndarray | dict)
                out[name] = column if is_collated else collate(name, column, first_row)
        return out

    def _call_function(self, function_args: list[list], info: BatchInfo) -> list[Any]:
        """Call the user's function on the rows of one batch and check its results.

        Returns:
            For each output column a list of rows, or one value for the entire batch.

        Raises:
            DatasetError: the function failed, or returned the wrong columns, rows or types.
        """
        node = self.node
        assert node.function is not None
        error_prefix = f"batch: per_batch_map failed on batch {info.get_batch_num()}"
        try:
            result = node.function(*function_args, info)
        except Exception as exc:
            raise DatasetError(f"{error_prefix}. {type(exc).__name__}: {exc}") from exc
        columns = result if isinstance(result, tuple) else (result,)
        if len(columns) != len(node.outputs):
            raise DatasetError(
                f"{error_prefix}. It must give {len(node.outputs)} columns for "
                f"{list(node.outputs)}, got "
                f"{len(columns)}. Return a tuple with one list of rows per column, and name them "
                "in output_columns."
            )
        expected_rows = len(function_args[0]) if function_args else None
        is_batch_level = any(isinstance(column, dict) for column in columns)
        if is_batch_level and not all(isinstance(column, dict | np.ndarray) for column in columns):
            type_names = [type(column).__name__ for column in columns]
            raise DatasetError(
                f"{error_prefix}: mismatched types returned from per_batch_map, {type_names}. "
                "Beside a dict, which is a column of the whole batch, give dicts and arrays."
            )
        out: list[Any] = []
        for name, column in zip(node.outputs, columns):
            if not isinstance(column, list | tuple | np.ndarray | dict):
                raise DatasetError(
                    f"{error_prefix}. Column {name!r} must be a list of rows, or a dict for the "
                    f"whole batch, got {type(column).__name__}."
                )
            if not is_batch_level and expected_rows is not None and len(column) != expected_rows:
                raise DatasetError(
                    f"{error_prefix}. Column {name!r} must have {expected_rows} rows, got "
                    f"{len(column)}. Invalid data, column: {name} expects: {expected_rows} rows "
                    f"returned from 'per_batch_map', got: {len(column)}."
                )
            try:
                if is_batch_level:
                    out.append(convert_result(column))
                    continue
                rows = [convert_result(value) for value in column]
            except TypeError as exc:
                raise DatasetError(f"{error_prefix}, column {name!r}: {exc}") from exc
            has_dict_rows = rows and isinstance(rows[0], dict)
            out.append(_merge_dict_rows(name, rows) if has_dict_rows else rows)
        return out


class _BatchedPass(Indexed):
    """A pass of batches over an indexed pass: batch i starts at row ``i * size``."""

    def __init__(self, child_pass: Indexed, collator: _Collator, size: int, drop: bool) -> None:
        self._child_pass, self._collator, self._size = child_pass, collator, size
        self._rows = child_pass.size
        self.size = None
        if self._rows is not None:
            self.size = self._rows // size if drop else -(-self._rows // size)
        self.weight = child_pass.weight * size
        self.max_threads = max(child_pass.max_threads, collator.max_threads)

    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        """Fetch the rows of these batches and collate them; the last batch may be short."""
        first_rows = positions * self._size
        rows = (first_rows[:, None] + np.arange(self._size)).ravel()
        sizes = np.full(len(positions), self._size)
        if self._rows is not None:  # the last batch may be short
            rows = rows[rows < self._rows]
            sizes = np.minimum(sizes, self._rows - first_rows)
        block = self._child_pass.fetch_rows(rows, ticket)
        return self._collator.collate_batches(
            block, sizes.tolist(), positions.tolist(), first_rows.tolist(), ticket
        )


class _BatchedStream(Stream):
    """A pass of batches over a stream; their size may depend on their number."""

    def __init__(self, run: Run, child_pass: Pass, collator: _Collator) -> None:
        self._run, self._child_pass, self._collator = run, child_pass, collator
        size = collator.node.batch_size
        self.weight = child_pass.weight * (1 if callable(size) else size)

    def iterate_blocks(self) -> Iterator[Block]:
        """Yield the full batches of each block, then the rest of the rows unless it is dropped.

        An error of the rows or of the size function ends the pass after the batches before it.
        """
        node = self._collator.node
        waiting: list[Block] = []
        waiting_rows = batch_count = batched_rows = 0
        next_size = self._compute_batch_size(0)
        error: BaseException | None = None
        for block in self._run.read_blocks(self._child_pass):
            waiting.append(block)
            waiting_rows += block.count
            error = block.error
            sizes: list[int] = []
            try:
                while waiting_rows - sum(sizes) >= next_size:
                    sizes.append(next_size)
                    next_size = self._compute_batch_size(batch_count + len(sizes))
            except DatasetError as exc:  # the batches before it are complete and are still yielded
                error = exc
            if sizes:
                joined = join(waiting)
                used_rows = sum(sizes)
                out = self._collator.collate_batches(
                    joined.slice_rows(0, used_rows),
                    sizes,
                    range(batch_count, batch_count + len(sizes)),
                    [batched_rows + sum(sizes[:i]) for i in range(len(sizes))],
                    UNORDERED,
                )
                yield out
                if out.error is not None:
                    return
                batch_count += len(sizes)
                batched_rows += used_rows
                waiting_rows -= used_rows
                waiting = [joined.slice_rows(used_rows, joined.count)]
            if error is not None:
                break
        if error is not None:
            yield make_empty_block(node.columns, error)
        elif waiting_rows and not node.drop:
            yield self._collator.collate_batches(
                join(waiting), [waiting_rows], [batch_count], [batched_rows], UNORDERED
            )

    def _compute_batch_size(self, number: int) -> int:
        """Return the size of batch ``number``, from the user's function if there is one.

        Raises:
            DatasetError: the function failed or did not return a positive int.
        """
        size = self._collator.node.batch_size
        if not callable(size):
            return size
        try:
            result = size(BatchInfo(self._collator.epoch, number))
        except Exception as exc:
            raise DatasetError(
                f"batch: the batch_size function failed on batch {number}. {type(exc).__name__}: "
                f"{exc}"
            ) from exc
        if isinstance(result, bool) or not isinstance(result, int | np.integer) or result < 1:
            raise DatasetError(
                f"batch: the batch_size function must give a positive int, got {result!r}."
            )
        return int(result)
