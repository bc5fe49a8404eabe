"""Nodes that stream row by row: filter, flat_map and sync_wait."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import Block, make_empty_block
from minispore.dataset.pipeline.node import Node, UnaryNode
from minispore.dataset.pipeline.passes import Pass, Stream
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.pipeline.run import Run
from minispore.errors import DatasetError
from minispore.execution.threads.monitor import Monitor

CLOSE_POLL_S = 0.5  # how often a waiting thread checks whether the run was closed


@dataclass(frozen=True, eq=False)
class Filter(UnaryNode):
    """The rows for which ``predicate`` of the input columns is true."""

    predicate: Callable[..., Any]
    inputs: tuple[str, ...]

    def size(self) -> None:
        return None

    def open_pass(self, run: Run, number: int) -> Pass:
        return _FilterPass(self, run, self.child.open_pass(run, number))

    def get_arguments(self) -> dict[str, Any]:
        return {"input_columns": list(self.inputs)}


class _FilterPass(Stream):
    """A pass of the rows for which the predicate is true."""

    def __init__(self, node: Filter, run: Run, child_pass: Pass) -> None:
        self._node, self._run, self._child_pass = node, run, child_pass
        self._meter = run.get_meter(node, "filter")
        self.weight = child_pass.weight

    def iterate_blocks(self) -> Iterator[Block]:
        """Yield the selected rows of each block, up to the first error."""
        row = 0
        for block in self._run.read_blocks(self._child_pass):
            start = time.perf_counter_ns()
            out = self._select_rows(block, row)
            self._meter.add(out.count, time.perf_counter_ns() - start)
            yield out
            if out.error is not None:
                return
            row += block.count

    def _select_rows(self, block: Block, first_row: int) -> Block:
        """Return the rows of a block that satisfy the predicate, up to a row on which it fails.

        The result carries that error, or else the error of ``block``.
        """
        indices, error = [], block.error
        for i, row_values in enumerate(block.select(self._node.inputs)):
            try:
                if bool(self._node.predicate(*row_values)):
                    indices.append(i)
            except Exception as exc:
                error = DatasetError(
                    f"filter: predicate failed on row {first_row + i}. {type(exc).__name__}: {exc}"
                )
                error.__cause__ = exc
                break
        out = block if len(indices) == block.count else block.take(np.array(indices, np.intp))
        out.error = error
        return out


@dataclass(frozen=True, eq=False)
class FlatMap(UnaryNode):
    """The rows of the nodes that ``function`` makes from each row, one node after the other.

    All passes use the input rows in the order of the first pass. Each of the nodes has the seed of
    the run; unless the user chose it, the number of the input row is added.
    """

    function: Callable[..., Node]

    @cached_property
    def first_node(self) -> Node | None:
        """The node that the function makes from the first row, None without rows.

        Runs the child once.
        """
        run = Run(self.child, Seed(0, chosen=True))
        try:
            for block in run.read_one_by_one(self.child.open_pass(run, 0)):
                if not block.count and block.error is not None:
                    raise block.error
                return self.function(*block.row(0))
            return None
        finally:
            run.close()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the first node, for which the child is run once; () without rows."""
        return () if self.first_node is None else self.first_node.columns

    def size(self) -> None:
        return None

    def describe(self) -> str:
        return "flat_map"

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open pass ``number`` of the nodes made from the rows of the child's first pass."""
        return _FlatMapPass(self, run, self.child.open_pass(run, 0), number)


class _FlatMapPass(Stream):
    """A pass that opens the node made from each row in a separate run and yields its blocks."""

    def __init__(self, node: FlatMap, run: Run, child_pass: Pass, number: int) -> None:
        self._node, self._run, self._child_pass, self._number = node, run, child_pass, number
        self._meter = run.get_meter(node, "flat_map")

    def iterate_blocks(self) -> Iterator[Block]:
        """Yield the rows of the node made from each row, one node after the other.

        The first error of the child, the function or a node ends the pass. The rows of a node have
        the source row of the input row that the node was made from.
        """
        row = 0
        for block in self._run.read_blocks(self._child_pass):
            for i, row_values in enumerate(block):
                try:
                    inner_node = self._make_node(row_values, row)
                except DatasetError as exc:
                    yield make_empty_block(self._node.columns, exc)
                    return
                source_row = None if block.source_rows is None else block.source_rows[i]
                has_failed = yield from self._read_node(inner_node, row, source_row)
                if has_failed:
                    return
                row += 1
            if block.error is not None:
                yield make_empty_block(self._node.columns, block.error)
                return

    def _make_node(self, row_values: tuple[Any, ...], row: int) -> Node:
        """Return the node that the function makes from row ``row``.

        Raises:
            DatasetError: the function failed.
        """
        try:
            with self._meter.time(0):
                return self._node.function(*row_values)
        except Exception as exc:
            raise DatasetError(
                f"flat_map: function failed on row {row}. {type(exc).__name__}: {exc}"
            ) from exc

    def _read_node(
        self, inner_node: Node, row: int, source_row: Any
    ) -> Generator[Block, None, bool]:
        """Yield the blocks of the node made from row ``row``, and return whether one has an error.

        The node is not part of the tree that the run was made for, so it gets a separate run. Its
        rows have the source row ``source_row`` unless that is None.
        """
        seed = self._run.seed
        if not seed.chosen:
            seed = replace(seed, value=seed.value + row)
        run = Run(inner_node, seed, passes=self._run.count_passes_per_epoch(self._node))
        try:
            for inner_block in run.read_blocks(inner_node.open_pass(run, self._number)):
                self._meter.add(inner_block.count, 0)
                if source_row is not None:
                    inner_block.source_rows = np.repeat(source_row, inner_block.count)
                yield inner_block
                if inner_block.error is not None:
                    return True
        finally:
            run.close()
        return False


class Condition:
    """The number of rows that may pass ``sync_wait``; ``sync_update`` raises it.

    The number is given in batches, as formed by a later ``batch``.
    """

    def __init__(self, name: str, batches: int, callback: Callable[[Any], Any] | None) -> None:
        self.name = name
        self._batches, self._callback = batches, callback
        self._changed = Monitor()
        self._rows_per_batch = 1  # rows in a batch of the root, see Run.count_rows_per_output
        self._passed_rows = 0
        self._allowed_rows = batches
        self._disabled = False

    def reset(self, rows_per_batch: int) -> None:
        """Restart counting for a new run, in which ``rows_per_batch`` rows make a batch."""
        with self._changed:
            self._rows_per_batch = rows_per_batch
            self._passed_rows, self._allowed_rows = 0, self._batches * rows_per_batch

    def make_detached(self) -> Condition:
        """Return a condition with the same start that ``sync_update`` does not affect."""
        return Condition(self.name, self._batches, None)

    def update(self, batches: int | None, data: Any) -> None:
        """Call the callback, then let ``batches`` more batches pass (None: the initial number).

        ``sync_update`` calls this.
        """
        if self._callback is not None:
            self._callback(data)
        more_batches = self._batches if batches is None else batches
        with self._changed:
            self._allowed_rows += more_batches * self._rows_per_batch
            self._changed.notify_all()

    def disable(self) -> None:
        """Let all rows pass from now on, also those that wait; ``disable_sync`` calls this."""
        with self._changed:
            self._disabled = True
            self._changed.notify_all()

    def wait(self, seconds: float, stopped: Callable[[], bool]) -> None:
        """Wait until one more row may pass, or the run was stopped; then count that row.

        Raises:
            DatasetError: no update came within ``seconds``.
        """
        deadline = time.monotonic() + seconds
        with self._changed:
            while not self._disabled and self._passed_rows >= self._allowed_rows and not stopped():
                remaining = deadline - time.monotonic()
                if remaining <= 0:
                    raise DatasetError(
                        f"sync_wait: condition {self.name!r} got no sync_update for {seconds:g} s. "
                        f"Call dataset.sync_update(condition_name={self.name!r}) after each step."
                    )
                self._changed.wait(min(remaining, CLOSE_POLL_S))
            self._passed_rows += 1


@dataclass(frozen=True, eq=False)
class SyncWait(UnaryNode):
    """The rows of the child, each passed on only when the condition lets it pass."""

    condition: Condition
    timeout_s: float

    def describe(self) -> str:
        return "sync_wait"

    def prepare(self, run: Run) -> None:
        """Reset the condition when the run starts."""
        run.get_or_make(self, lambda: self._start_condition(run))

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open a pass that yields a row only when the condition lets it pass."""
        condition = run.get_or_make(self, lambda: self._start_condition(run))
        return _SyncWaitPass(self, condition, run, self.child.open_pass(run, number))

    def _start_condition(self, run: Run) -> Condition:
        """Reset and return the condition for a run.

        A run without callbacks, which only inspects rows, gets a detached copy.
        """
        condition = self.condition if run.options.callbacks else self.condition.make_detached()
        condition.reset(run.count_rows_per_output(self))
        return condition

    def get_arguments(self) -> dict[str, Any]:
        return {"condition_name": self.condition.name}


class _SyncWaitPass(Stream):
    """A pass that waits for the condition before each row."""

    def __init__(self, node: SyncWait, condition: Condition, run: Run, child_pass: Pass) -> None:
        self._node, self._condition, self._run, self._child_pass = node, condition, run, child_pass
        self.weight = child_pass.weight

    def iterate_blocks(self) -> Iterator[Block]:
        """Yield one row at a time once it may pass; a timeout ends the pass."""
        for block in self._run.read_one_by_one(self._child_pass):
            try:
                self._condition.wait(self._node.timeout_s, lambda: self._run.closed)
            except DatasetError as exc:
                yield make_empty_block(self._node.columns, exc)
                return
            yield block
            if block.error is not None:
                return
