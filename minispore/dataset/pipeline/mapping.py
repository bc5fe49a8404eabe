"""map: operations applied to columns.

A transform that knows blocks runs over whole blocks; a run of such maps is one program, in which
neighbours on a column are fused. Anything else that can be called runs row by row: in order and one
at a time, unless it was given workers.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from minispore.core.threads.monitor import Monitor
from minispore.dataset.pipeline import random
from minispore.dataset.pipeline.block import Block, Column, Failure, join
from minispore.dataset.pipeline.calls import Calls, Hooks
from minispore.dataset.pipeline.lanes import Turn
from minispore.dataset.pipeline.node import Indexed, Over, Pass, Stream, replaced
from minispore.dataset.pipeline.operation import Operation, compute
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.standins import StandIns
from minispore.dataset.pipeline.statistics import Meter
from minispore.dataset.pipeline.workers import Pool
from minispore.dataset.transforms.base import Transform
from minispore.errors import DatasetError

logger = logging.getLogger("minispore.dataset")

_LOOK_S = 0.5  # how often who waits for a place looks whether the run was closed


@dataclass(frozen=True, eq=False)
class Map(Over):
    """Operations applied to some columns.

    Args:
        operations: transforms, or anything that can be called; each takes what the one before gave.
        inputs: the columns that the first operation takes.
        outputs: the names of what the last one gives.
        workers: how many threads or processes; None for the default.
        processes: whether functions run in processes of their own, if there are several workers.
        memory: bytes of shared memory to and from each process.
        callbacks: each makes the hooks that it wants to be called by in a run.
    """

    operations: tuple[Callable[..., Any], ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    workers: int | None
    processes: bool
    memory: tuple[int, int]
    callbacks: tuple[Callable[[], Hooks], ...]

    @cached_property
    def _columns(self) -> tuple[str, ...]:
        return replaced(self.child.columns, self.inputs, self.outputs)

    @property
    def columns(self) -> tuple[str, ...]:
        return self._columns

    @property
    def pure(self) -> bool:
        """Whether all operations are transforms, so that threads and order leave no trace."""
        return all(isinstance(op, Transform) for op in self.operations)

    def describe(self) -> str:
        return f"map({', '.join(Operation(op).name for op in self.operations)})"

    def arguments(self) -> dict[str, Any]:
        return {
            "operations": [
                repr(op) if isinstance(op, Transform) else Operation(op).name
                for op in self.operations
            ],
            "input_columns": list(self.inputs),
            "output_columns": list(self.outputs),
            "num_parallel_workers": self.workers,
            "python_multiprocessing": self.processes,
        }

    def worker_count(self, run: Run) -> int:
        """How many workers apply the operations in a run."""
        return self.workers or (run.options.workers if self.pure else run.options.function_workers)

    def prepare(self, run: Run) -> None:
        self._limits(run)

    def _limits(self, run: Run) -> _Limits:
        return run.keep(self, lambda: _Limits(self, run))

    def open(self, run: Run, number: int) -> Pass:
        below = self.child.open(run, number)
        key = random.key(run.seed.value, run.place(self), number)
        operations = tuple(Operation(op, key, i) for i, op in enumerate(self.operations))
        stage = Stage(
            watched(operations, run.options.hooks),
            self.inputs,
            self.outputs,
            self,
            self._limits(run),
            tuple(Operation(op).name for op in self.operations),
        )
        calls = stage.limits.calls
        if calls is not None or run.options.on_error != "raise" or not isinstance(below, Indexed):
            return _MappedStream(self, run, below, stage)
        if isinstance(below, _Mapped):
            return _Mapped(run, below.below, join_stages(below.stages, stage), self.columns)
        return _Mapped(run, below, join_stages((), stage), self.columns)


def watched(
    operations: tuple[Operation, ...], hooks: tuple[Callable[..., Any], ...]
) -> tuple[Operation, ...]:
    """The operations with hooks before the first and after each."""
    if not hooks:
        return operations
    first = [Operation(_Hooked(hook, operations[0].name, True)) for hook in hooks]
    return (
        *first,
        *[
            one
            for op in operations
            for one in (op, *[Operation(_Hooked(hook, op.name, False)) for hook in hooks])
        ],
    )


class _Hooked:
    """A hook at one place."""

    def __init__(self, hook: Callable[..., Any], operation: str, before: bool) -> None:
        self._hook, self._operation, self._before = hook, operation, before
        self.__name__ = type(hook).__name__

    def __call__(self, *columns: Any) -> Any:
        hook: Any = self._hook
        if hasattr(hook, "set_previous_op_name"):
            hook.set_previous_op_name(self._operation)
            hook.set_is_first(self._before)
        hook(*columns)
        return columns


class _Room:
    """A place for so many threads at a time, until ``closed``: then nobody waits any longer."""

    def __init__(self, count: int, closed: Callable[[], bool]) -> None:
        self._free, self._closed = count, closed
        self._left = Monitor()

    @contextmanager
    def entered(self) -> Iterator[None]:
        """In it, once there is room."""
        with self._left:
            while self._free < 1 and not self._closed():
                self._left.wait(_LOOK_S)
            self._free -= 1
        try:
            yield
        finally:
            with self._left:
                self._free += 1
                self._left.notify_all()


class _Limits:
    """What the passes over one map share in a run: processes, how many threads may enter, and the
    place that callbacks are told.
    """

    def __init__(self, node: Map, run: Run) -> None:
        self.count = node.worker_count(run)
        self.ordered = self.count == 1 and not node.pure
        self.room = _Room(self.count, lambda: run.closed)
        self.calls: Calls | None = None
        if node.callbacks and run.options.callbacks:
            self.calls = Calls([hooks() for hooks in node.callbacks], lambda: run.closed)
            run.at_pass_end(self.calls.end_epoch)
        self.pool: Pool | None = None
        if node.processes and not node.pure:
            remote = _Remote(node.operations, node.outputs)
            self.pool = run.pool(node.describe(), remote, self.count, node.memory)


class _Remote:
    """What a worker process runs: columns, then the numbers of the rows and the key."""

    def __init__(
        self, operations: tuple[Callable[..., Any], ...], outputs: tuple[str, ...]
    ) -> None:
        self._operations, self._outputs = operations, outputs

    def __call__(self, columns: list[Column]) -> tuple[list[Column], Failure | None]:
        *columns, rows, key = columns
        operations = [Operation(op, np.asarray(key), i) for i, op in enumerate(self._operations)]
        return compute(operations, columns, np.asarray(rows), self._outputs)


@dataclass(frozen=True, eq=False)
class Stage:
    """Operations in a row, from some columns to some columns, in one pass."""

    operations: tuple[Operation, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    node: Map
    limits: _Limits
    names: tuple[str, ...]  # of the operations before any were fused

    def meter(self, run: Run) -> Meter:
        """What counts the rows and the time of this stage."""
        title = f"map({', '.join(self.names)}) on {', '.join(self.inputs)}"
        return run.meter(self.node, title, self.limits.count)

    def apply(self, block: Block, at: np.ndarray, turn: Turn, meter: Meter, below: Pass) -> Block:
        """The block with output columns in place of input columns; ``at`` are its rows' numbers in
        the pass ``below``.
        """
        columns = [block.columns[name] for name in self.inputs]
        at = at[: block.count]
        out: list[Column]
        failure: Failure | None = None
        if not block.count:
            out = [[] for _ in self.outputs]
        else:
            with self._entered(turn):
                start = time.perf_counter_ns()
                out, failure = self._compute(columns, at, turn)
                meter.add(len(out[0]), time.perf_counter_ns() - start)
        kept = {n: c for n, c in block.columns.items() if n not in self.inputs}
        after = block.replace({**kept, **dict(zip(self.outputs, out))})
        if failure is None:
            return after
        row = int(at[failure.row])
        return after.cut(0, failure.row).failed(self._error(failure, row, below.files(row)))

    def _entered(self, turn: Turn) -> AbstractContextManager[Any]:
        """As many threads at a time as the operations may have; a pool lets in its own."""
        if self.limits.pool is not None:
            return nullcontext()
        return turn.at(self) if self.limits.ordered else self.limits.room.entered()

    def _compute(
        self, columns: list[Column], at: np.ndarray, turn: Turn
    ) -> tuple[list[Column], Failure | None]:
        if self.limits.pool is None:
            return compute(self.operations, columns, at, self.outputs)
        key = self.operations[0].key
        assert key is not None
        return self.limits.pool.call([*columns, at], at, turn, [key])

    def _error(self, failure: Failure, row: int, files: Sequence[Any]) -> DatasetError:
        cause = failure.cause
        columns = ", ".join(map(repr, self.inputs))
        kinds = {o.name: o.name for o in self.operations if isinstance(o.call, Transform)}
        told = f"map operation: [{kinds.get(failure.operation, 'PyFunc')}] failed."
        if files:
            told += f" The corresponding data file is: {', '.join(map(str, files))}."
        error = DatasetError(
            f"map: {failure.operation} failed on row {row}, column {columns}. "
            f"{type(cause).__name__}: {cause} {told}"
        )
        error.__cause__ = cause
        return error


def join_stages(stages: tuple[Stage, ...], new: Stage) -> tuple[Stage, ...]:
    """The stages with one more, joined to the one that made its columns if both are pure."""
    if new.node.pure and new.inputs == new.outputs:
        for i in range(len(stages) - 1, -1, -1):
            old = stages[i]
            if old.outputs == new.inputs and old.node.pure:
                fused = replace(
                    old,
                    operations=fuse((*old.operations, *new.operations)),
                    names=old.names + new.names,
                )
                return (*stages[:i], fused, *stages[i + 1 :])
            if set(new.inputs) & {*old.inputs, *old.outputs}:
                break
    return (*stages, replace(new, operations=fuse(new.operations)))


def fuse(operations: Sequence[Operation]) -> tuple[Operation, ...]:
    """The operations, neighbours that know how to be one made one."""
    fused: list[Operation] = []
    for operation in operations:
        last = fused[-1].call if fused else None
        both = (
            last.fuse(operation.call)
            if isinstance(last, Transform)
            and isinstance(operation.call, Transform)
            and not (last.random or operation.call.random)
            else None
        )
        if both is None:
            fused.append(operation)
        else:
            fused[-1] = replace(fused[-1], call=both)
    return tuple(fused)


class _Mapped(Indexed):
    """Some maps over an indexed pass."""

    def __init__(
        self, run: Run, below: Indexed, stages: tuple[Stage, ...], columns: tuple[str, ...]
    ) -> None:
        self.below, self.stages, self._columns = below, stages, columns
        self._meters = [stage.meter(run) for stage in stages]
        self.size, self.weight = below.size, below.weight
        self.lanes = max(below.lanes, *(stage.limits.count for stage in stages))

    def fetch(self, at: np.ndarray, turn: Turn) -> Block:
        block = self.below.fetch(at, turn)
        for stage, meter in zip(self.stages, self._meters):
            block = stage.apply(block, at, turn, meter, self.below)
        return block.select(self._columns)

    def files(self, at: int) -> Sequence[Any]:
        return self.below.files(at)


class _MappedStream(Stream):
    """A map over a stream: blocks are pulled in order and worked on side by side."""

    def __init__(self, node: Map, run: Run, below: Pass, stage: Stage) -> None:
        self._node, self._run, self._below = node, run, below
        (self._stage,) = join_stages((), stage)
        self._meter = self._stage.meter(run)
        self.weight, self.lanes = below.weight, stage.limits.count

    def blocks(self) -> Iterator[Block]:
        blocks, calls = self._run.read(self._below), self._stage.limits.calls
        if calls is not None:
            calls.begin_epoch()
            blocks = calls.before(blocks)
        rows = 0

        def pull() -> tuple[np.ndarray, Block]:
            nonlocal rows
            block = next(blocks)
            rows += block.count
            return np.arange(rows - block.count, rows), block

        def work(item: tuple[np.ndarray, Block], turn: Turn) -> tuple[Block, np.ndarray, int]:
            out, good = self._apply(*item, turn)
            return out.select(self._node.columns), good, item[1].count

        count = self._stage.limits.count
        lanes = self._run.lanes(pull, work, count if count > 1 else 0, "map", lambda: count + 1)
        stand_ins = StandIns() if self._run.options.on_error == "replace" else None
        try:
            for block, good, places in lanes:
                if stand_ins is not None:
                    block = stand_ins.among(block, good, places)
                if calls is not None:
                    calls.after(block)
                yield block
                if block.error is not None:
                    return
            rest = None if stand_ins is None else stand_ins.rest()
            if rest is not None:
                yield rest
        finally:
            self._run.release(lanes)

    def _apply(self, at: np.ndarray, block: Block, turn: Turn) -> tuple[Block, np.ndarray]:
        """The rows that came through, and their places in the block."""
        mode = self._run.options.on_error
        if mode == "raise":
            out = self._stage.apply(block, at, turn, self._meter, self._below)
            return out, np.arange(out.count)
        kept, good = [], []
        start = 0
        while True:
            rest = block.cut(start, block.count)
            part = self._stage.apply(rest, at[start:], turn, self._meter, self._below)
            kept.append(part)
            good.append(np.arange(start, start + part.count))
            start += part.count + 1
            if part.error is None or part.error is block.error:
                break
            logger.warning("%s The row is left out (error_samples_mode %s).", part.error, mode)
            part.error = None
            if start > block.count:
                break
        out = join(kept)
        out.error = block.error
        return out, np.concatenate(good)
