"""Nodes that decide row by row what comes out: filter, flat_map, sync_wait."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from minispore.core.threads.monitor import Monitor
from minispore.dataset.pipeline.block import Block, no_rows
from minispore.dataset.pipeline.node import Node, Over, Pass, Stream
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.pipeline.run import Run
from minispore.errors import DatasetError

LOOK_S = 0.5  # how often who waits looks whether the run was closed


@dataclass(frozen=True, eq=False)
class Filter(Over):
    """The rows for which ``predicate`` of the input columns is true."""

    predicate: Callable[..., Any]
    inputs: tuple[str, ...]

    def size(self) -> None:
        return None

    def open(self, run: Run, number: int) -> Pass:
        return _Filtered(self, run, self.child.open(run, number))

    def arguments(self) -> dict[str, Any]:
        return {"input_columns": list(self.inputs)}


class _Filtered(Stream):
    def __init__(self, node: Filter, run: Run, below: Pass) -> None:
        self._node, self._run, self._below = node, run, below
        self._meter = run.meter(node, "filter")
        self.weight = below.weight

    def blocks(self) -> Iterator[Block]:
        row = 0
        for block in self._run.read(self._below):
            start = time.perf_counter_ns()
            out = self._keep(block, row)
            self._meter.add(out.count, time.perf_counter_ns() - start)
            yield out
            if out.error is not None:
                return
            row += block.count

    def _keep(self, block: Block, first: int) -> Block:
        kept, error = [], block.error
        for i, given in enumerate(block.select(self._node.inputs)):
            try:
                if bool(self._node.predicate(*given)):
                    kept.append(i)
            except Exception as exc:
                error = DatasetError(
                    f"filter: predicate failed on row {first + i}. {type(exc).__name__}: {exc}"
                )
                error.__cause__ = exc
                break
        out = block if len(kept) == block.count else block.take(np.array(kept, np.intp))
        out.error = error
        return out


@dataclass(frozen=True, eq=False)
class FlatMap(Over):
    """The rows of the node that ``function`` makes of each row, one after the other. The rows that
    it is given come in the order of their first pass in all passes, and each of the nodes has the
    seed of the run.
    """

    function: Callable[..., Node]

    @cached_property
    def first(self) -> Node | None:
        """What the function makes of the first row; None if there is none. Only a run can tell."""
        run = Run(self.child, Seed(0, True))
        try:
            for block in run.read_one_by_one(self.child.open(run, 0)):
                if not block.count and block.error is not None:
                    raise block.error
                return self.function(*block.row(0))
            return None
        finally:
            run.close()

    @property
    def columns(self) -> tuple[str, ...]:
        return () if self.first is None else self.first.columns

    def size(self) -> None:
        return None

    def describe(self) -> str:
        return "flat_map"

    def open(self, run: Run, number: int) -> Pass:
        return _Flat(self, run, self.child.open(run, 0), number)


class _Flat(Stream):
    def __init__(self, node: FlatMap, run: Run, below: Pass, number: int) -> None:
        self._node, self._run, self._below, self._number = node, run, below, number
        self._meter = run.meter(node, "flat_map")

    def blocks(self) -> Iterator[Block]:
        row = 0
        for block in self._run.read(self._below):
            for i, given in enumerate(block):
                try:
                    with self._meter.time(0):
                        inner = self._node.function(*given)
                except Exception as exc:
                    error = DatasetError(
                        f"flat_map: function failed on row {row}. {type(exc).__name__}: {exc}"
                    )
                    error.__cause__ = exc
                    yield no_rows(self._node.columns, error)
                    return
                # The node is not part of the tree that the run was made for, so it gets a run of
                # its own.
                seed = self._run.seed
                if not seed.chosen:
                    seed = replace(seed, value=seed.value + row)
                run = Run(inner, seed, passes=self._run.passes(self._node))
                try:
                    for made in run.read(inner.open(run, self._number)):
                        self._meter.add(made.count, 0)
                        if block.rows is not None:
                            made.rows = np.repeat(block.rows[i], made.count)
                        yield made
                        if made.error is not None:
                            return
                finally:
                    run.close()
                row += 1
            if block.error is not None:
                yield no_rows(self._node.columns, block.error)
                return


class Condition:
    """How many rows may pass: ``sync_wait`` waits for it, ``sync_update`` moves it on.

    It is told in batches, those that rows behind it are put into.
    """

    def __init__(self, name: str, batches: int, callback: Callable[[Any], Any] | None) -> None:
        self.name = name
        self._batches, self._callback = batches, callback
        self._moved = Monitor()
        self._rows_each = 1  # of a batch
        self._passed = 0
        self._allowed = batches
        self._disabled = False

    def reset(self, rows_each: int) -> None:
        """Start again, with batches of so many rows: the first ones may pass."""
        with self._moved:
            self._rows_each = rows_each
            self._passed, self._allowed = 0, self._batches * rows_each

    def another(self) -> Condition:
        """One like it, which nobody updates."""
        return Condition(self.name, self._batches, None)

    def update(self, batches: int | None, data: Any) -> None:
        """Let so many more pass (None: as many as at first) and call the callback."""
        if self._callback is not None:
            self._callback(data)
        with self._moved:
            self._allowed += (self._batches if batches is None else batches) * self._rows_each
            self._moved.notify_all()

    def disable(self) -> None:
        """Let everything pass."""
        with self._moved:
            self._disabled = True
            self._moved.notify_all()

    def wait(self, seconds: float, stopped: Callable[[], bool]) -> None:
        """Wait until one more row may pass.

        Raises:
            DatasetError: nothing happened for so many seconds.
        """
        end = time.monotonic() + seconds
        with self._moved:
            while not self._disabled and self._passed >= self._allowed and not stopped():
                left = end - time.monotonic()
                if left <= 0:
                    raise DatasetError(
                        f"sync_wait: condition {self.name!r} got no sync_update for {seconds:g} s. "
                        f"Call dataset.sync_update(condition_name={self.name!r}) after each step."
                    )
                self._moved.wait(min(left, LOOK_S))
            self._passed += 1


@dataclass(frozen=True, eq=False)
class SyncWait(Over):
    """Rows pass as far as a condition allows, and no row is made before."""

    condition: Condition
    timeout_s: float

    def describe(self) -> str:
        return "sync_wait"

    def prepare(self, run: Run) -> None:
        run.keep(self, lambda: self._begun(run))

    def open(self, run: Run, number: int) -> Pass:
        condition = run.keep(self, lambda: self._begun(run))
        return _Waiting(self, condition, run, self.child.open(run, number))

    def _begun(self, run: Run) -> Condition:
        """The condition at the begin of a run; who only looks at a row has one of its own."""
        condition = self.condition if run.options.callbacks else self.condition.another()
        condition.reset(run.rows_each(self))
        return condition

    def arguments(self) -> dict[str, Any]:
        return {"condition_name": self.condition.name}


class _Waiting(Stream):
    def __init__(self, node: SyncWait, condition: Condition, run: Run, below: Pass) -> None:
        self._node, self._condition, self._run, self._below = node, condition, run, below
        self.weight = below.weight

    def blocks(self) -> Iterator[Block]:
        for block in self._run.read_one_by_one(self._below):
            try:
                self._condition.wait(self._node.timeout_s, lambda: self._run.closed)
            except DatasetError as exc:
                yield no_rows(self._node.columns, exc)
                return
            yield block
            if block.error is not None:
                return
