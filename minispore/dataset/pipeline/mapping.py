"""The ``map`` node: operations applied to columns.

A transform that supports blocks runs over entire blocks; consecutive such maps become one program,
in which neighbouring operations on a column are fused. Any other callable runs row by row: in order
and one at a time, unless it was given workers.
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

from minispore.dataset.pipeline import random
from minispore.dataset.pipeline.block import Block, Column, Failure, join
from minispore.dataset.pipeline.map_callbacks import CallbackCalls, Hooks
from minispore.dataset.pipeline.node import UnaryNode, replace_columns
from minispore.dataset.pipeline.operation import Operation, apply_operations
from minispore.dataset.pipeline.ordered_workers import Ticket
from minispore.dataset.pipeline.passes import Indexed, Pass, Stream
from minispore.dataset.pipeline.replacements import ReplacementRows
from minispore.dataset.pipeline.row_buffers import RowBufferCheck, make_row_checks
from minispore.dataset.pipeline.run import Run
from minispore.dataset.pipeline.statistics import Meter
from minispore.dataset.pipeline.workers import ProcessPool
from minispore.dataset.transforms.base import Transform
from minispore.errors import DatasetError
from minispore.execution.threads.monitor import Monitor

logger = logging.getLogger("minispore.dataset")

_CLOSE_POLL_S = 0.5  # how often a waiting thread checks whether the run was closed


@dataclass(frozen=True, eq=False)
class Map(UnaryNode):
    """Operations applied to some columns.

    Args:
        operations: transforms or callables; each takes the results of the previous one.
        inputs: the columns that the first operation takes.
        outputs: the names of the columns that the last operation returns.
        workers: the number of threads or processes; None for the default.
        processes: whether functions run in worker processes, if there are several workers.
        memory: bytes of shared memory to and from each process.
        callbacks: functions that make the hooks of each callback for a run.
    """

    operations: tuple[Callable[..., Any], ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    workers: int | None
    processes: bool
    memory: tuple[int, int]
    callbacks: tuple[Callable[[], Hooks], ...]

    @cached_property
    def _output_columns(self) -> tuple[str, ...]:
        return replace_columns(self.child.columns, self.inputs, self.outputs)

    @property
    def columns(self) -> tuple[str, ...]:
        return self._output_columns

    @property
    def pure(self) -> bool:
        """Whether all operations are transforms, so that threads and order never change a row."""
        return all(isinstance(op, Transform) for op in self.operations)

    def describe(self) -> str:
        return f"map({', '.join(Operation(op).name for op in self.operations)})"

    def get_arguments(self) -> dict[str, Any]:
        """Return the arguments that ``to_json`` writes: functions as names, transforms as reprs."""
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

    def count_workers(self, run: Run) -> int:
        """Return the number of workers of this map, by default that of the run's options."""
        return self.workers or (run.options.workers if self.pure else run.options.function_workers)

    @cached_property
    def _row_checks(self) -> tuple[RowBufferCheck | None, ...]:
        """The checks of users' functions for reused buffers; None for each transform."""
        return make_row_checks(self.operations)

    def prepare(self, run: Run) -> None:
        """Start the worker processes of this map, if it has any, when the run starts."""
        self._get_run_state(run)

    def _get_run_state(self, run: Run) -> _MapRunState:
        """Return the state shared by all passes over this map in a run, made at the first call."""
        return run.get_or_make(self, lambda: _MapRunState(self, run))

    def open_pass(self, run: Run, number: int) -> Pass:
        """Open a pass, joined with the pass of a map below.

        The pass is a stream, and not joined, if the child's pass is a stream, the map has callbacks
        or rows that fail are skipped or replaced.
        """
        child_pass = self.child.open_pass(run, number)
        key = random.make_key(run.seed.value, run.get_random_index(self), number)
        operations = tuple(
            Operation(op, key, i, row_check)
            for i, (op, row_check) in enumerate(zip(self.operations, self._row_checks))
        )
        stage = Stage(
            add_debug_hooks(operations, run.options.hooks),
            self.inputs,
            self.outputs,
            self,
            self._get_run_state(run),
            tuple(operation.name for operation in operations),
        )
        needs_order = stage.run_state.calls is not None or run.options.on_error != "raise"
        if needs_order or not isinstance(child_pass, Indexed):
            return _MapStream(self, run, child_pass, stage)
        stages: tuple[Stage, ...] = ()
        if isinstance(child_pass, _MapPass):
            stages = child_pass.stages
            child_pass = child_pass.child_pass
        return _MapPass(run, child_pass, join_stages(stages, stage), self.columns)


def add_debug_hooks(
    operations: tuple[Operation, ...], hooks: tuple[Callable[..., Any], ...]
) -> tuple[Operation, ...]:
    """Return the operations with debug hooks before the first and after each of them."""
    first_name = operations[0].name
    hooked = [Operation(_DebugHookCall(hook, first_name, is_first=True)) for hook in hooks]
    for operation in operations:
        hooked.append(operation)
        for hook in hooks:
            hooked.append(Operation(_DebugHookCall(hook, operation.name, is_first=False)))
    return tuple(hooked)


class _DebugHookCall:
    """A call of a debug hook before or after an operation, which returns the columns unchanged."""

    def __init__(self, hook: Callable[..., Any], operation: str, is_first: bool) -> None:
        self._hook, self._operation, self._is_first = hook, operation, is_first
        self.__name__ = type(hook).__name__

    def __call__(self, *columns: Any) -> Any:
        """Set the hook's preceding operation if it has a setter, call it; return the columns."""
        hook: Any = self._hook
        if hasattr(hook, "set_previous_op_name"):
            hook.set_previous_op_name(self._operation)
            hook.set_is_first(self._is_first)
        hook(*columns)
        return columns


class _ThreadLimit:
    """A limit on the number of threads that work at a time.

    Once ``closed()`` is true, all threads stop waiting.
    """

    def __init__(self, count: int, closed: Callable[[], bool]) -> None:
        self._free_slots, self._closed = count, closed
        self._changed = Monitor()

    @contextmanager
    def hold_slot(self) -> Iterator[None]:
        """Return a context that holds one slot.

        Entering it waits until a slot is free or the run is closed.
        """
        with self._changed:
            while self._free_slots < 1 and not self._closed():
                self._changed.wait(_CLOSE_POLL_S)
            self._free_slots -= 1
        try:
            yield
        finally:
            with self._changed:
                self._free_slots += 1
                self._changed.notify_all()


class _MapRunState:
    """The state that the passes over one map share in a run.

    It holds the worker processes, the limit on threads, and the callback calls, whose epoch end it
    registers with the run.
    """

    def __init__(self, node: Map, run: Run) -> None:
        self.worker_count = node.count_workers(run)
        self.is_ordered = self.worker_count == 1 and not node.pure
        self.thread_limit = _ThreadLimit(self.worker_count, lambda: run.closed)
        self.calls: CallbackCalls | None = None
        if node.callbacks and run.options.callbacks:
            self.calls = CallbackCalls([hooks() for hooks in node.callbacks], lambda: run.closed)
            run.register_pass_end_callback(self.calls.end_epoch)
        self.pool: ProcessPool | None = None
        if node.processes and not node.pure:
            remote = _RemoteMap(node.operations, node.outputs)
            self.pool = run.make_pool(node.describe(), remote, self.worker_count, node.memory)


class _RemoteMap:
    """The function of a map's worker processes.

    It takes the input columns, then the numbers of their rows and the random key.
    """

    def __init__(
        self, operations: tuple[Callable[..., Any], ...], outputs: tuple[str, ...]
    ) -> None:
        self._operations, self._outputs = operations, outputs
        self._row_checks = make_row_checks(operations)

    def __call__(self, arguments: list[Column]) -> tuple[list[Column], Failure | None]:
        """Apply the operations to columns that are followed by row numbers and a random key."""
        *columns, rows, key = arguments
        operations = [
            Operation(op, np.asarray(key), i, row_check)
            for i, (op, row_check) in enumerate(zip(self._operations, self._row_checks))
        ]
        return apply_operations(operations, columns, np.asarray(rows), self._outputs)


@dataclass(frozen=True, eq=False)
class Stage:
    """Consecutive operations on the same columns in one pass."""

    operations: tuple[Operation, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    node: Map
    run_state: _MapRunState
    names: tuple[str, ...]  # names of the operations before fusion

    def meter(self, run: Run) -> Meter:
        """Return the meter that counts the rows and the time of this stage."""
        title = f"map({', '.join(self.names)}) on {', '.join(self.inputs)}"
        return run.get_meter(self.node, title, self.run_state.worker_count)

    def apply(
        self, block: Block, positions: np.ndarray, ticket: Ticket, meter: Meter, child_pass: Pass
    ) -> Block:
        """Replace the input columns of a block by the outputs of the operations.

        ``positions`` are the numbers of the block's rows in the pass ``child_pass``. The result
        ends before the first row that fails, and carries a DatasetError that names the row and its
        files.
        """
        columns = [block.columns[name] for name in self.inputs]
        positions = positions[: block.count]
        out: list[Column]
        failure: Failure | None = None
        if not block.count:
            out = [[] for _ in self.outputs]
        else:
            with self._wait_for_thread(ticket):
                start = time.perf_counter_ns()
                out, failure = self._run_operations(columns, positions, ticket)
                meter.add(len(out[0]), time.perf_counter_ns() - start)
        untouched = {n: c for n, c in block.columns.items() if n not in self.inputs}
        output = block.replace({**untouched, **dict(zip(self.outputs, out))})
        if failure is None:
            return output
        row = int(positions[failure.row])
        return output.slice_rows(0, failure.row).copy_with_error(
            self._make_error(failure, row, child_pass.list_files(row))
        )

    def _wait_for_thread(self, ticket: Ticket) -> AbstractContextManager[Any]:
        """Return a context in which the operations may run: in order, or in a few threads.

        Worker processes need no such context: their pool limits itself.
        """
        if self.run_state.pool is not None:
            return nullcontext()
        if self.run_state.is_ordered:
            return ticket.enter_turnstile(self)
        return self.run_state.thread_limit.hold_slot()

    def _run_operations(
        self, columns: list[Column], positions: np.ndarray, ticket: Ticket
    ) -> tuple[list[Column], Failure | None]:
        """Run the operations on the columns, in this thread or in a worker process."""
        if self.run_state.pool is None:
            return apply_operations(self.operations, columns, positions, self.outputs)
        key = self.operations[0].key
        assert key is not None
        return self.run_state.pool.call([*columns, positions], positions, ticket, [key])

    def _make_error(self, failure: Failure, row: int, files: Sequence[Any]) -> DatasetError:
        """Return the error for a failed row, with the details of MindSpore's error."""
        cause = failure.cause
        columns = ", ".join(map(repr, self.inputs))
        transform_names = {o.name: o.name for o in self.operations if isinstance(o.call, Transform)}
        mindspore_text = (
            f"map operation: [{transform_names.get(failure.operation, 'PyFunc')}] failed."
        )
        if files:
            mindspore_text += f" The corresponding data file is: {', '.join(map(str, files))}."
        error = DatasetError(
            f"map: {failure.operation} failed on row {row}, column {columns}. "
            f"{type(cause).__name__}: {cause} {mindspore_text}"
        )
        error.__cause__ = cause
        return error


def join_stages(stages: tuple[Stage, ...], new: Stage) -> tuple[Stage, ...]:
    """Append a stage, fused with the stage that produces its columns if possible.

    Both must be pure, the new one must keep its columns, and no stage between them may use these.
    """
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
    """Fuse neighbouring transforms that can be merged into one; random ones are not fused."""
    fused: list[Operation] = []
    for operation in operations:
        fused_call = _fuse_calls(fused[-1].call, operation.call) if fused else None
        if fused_call is None:
            fused.append(operation)
        else:
            fused[-1] = replace(fused[-1], call=fused_call)
    return tuple(fused)


def _fuse_calls(first: Callable[..., Any], following: Callable[..., Any]) -> Transform | None:
    """Merge two calls into one transform; None if they can't be merged."""
    if not isinstance(first, Transform) or not isinstance(following, Transform):
        return None
    return None if first.random or following.random else first.fuse(following)


class _MapPass(Indexed):
    """A pass of consecutive maps over an indexed pass."""

    def __init__(
        self, run: Run, child_pass: Indexed, stages: tuple[Stage, ...], columns: tuple[str, ...]
    ) -> None:
        self.child_pass, self.stages, self._columns = child_pass, stages, columns
        self._meters = [stage.meter(run) for stage in stages]
        self.size, self.weight = child_pass.size, child_pass.weight
        self.max_threads = max(
            child_pass.max_threads, *(stage.run_state.worker_count for stage in stages)
        )

    def fetch_rows(self, positions: np.ndarray, ticket: Ticket) -> Block:
        block = self.child_pass.fetch_rows(positions, ticket)
        for stage, meter in zip(self.stages, self._meters):
            block = stage.apply(block, positions, ticket, meter, self.child_pass)
        return block.select(self._columns)

    def list_files(self, position: int) -> Sequence[Any]:
        return self.child_pass.list_files(position)


class _MapStream(Stream):
    """A map over a stream: blocks are pulled in order and processed in parallel."""

    def __init__(self, node: Map, run: Run, child_pass: Pass, stage: Stage) -> None:
        self._node, self._run, self._child_pass = node, run, child_pass
        (self._stage,) = join_stages((), stage)
        self._meter = self._stage.meter(run)
        self.weight, self.max_threads = child_pass.weight, stage.run_state.worker_count

    def iterate_blocks(self) -> Iterator[Block]:
        """Yield the mapped blocks in order, and call the callbacks of the map at its steps.

        A failed row ends the pass, or is skipped or replaced, as the option ``on_error`` says.
        """
        blocks, calls = self._run.read_blocks(self._child_pass), self._stage.run_state.calls
        if calls is not None:
            calls.begin_epoch()
            blocks = calls.begin_steps(blocks)
        rows = 0

        def pull_block() -> tuple[np.ndarray, Block]:
            """Pull the next block of the child, with the numbers of its rows in the pass."""
            nonlocal rows
            block = next(blocks)
            rows += block.count
            return np.arange(rows - block.count, rows), block

        def apply_stage(
            item: tuple[np.ndarray, Block], ticket: Ticket
        ) -> tuple[Block, np.ndarray, int]:
            """Apply the stage to ``item``: the row numbers in the pass, and the block to change.

            Returns:
                The output, the positions of the good rows in the block, and its number of rows.
            """
            output, good_positions = self._apply_to_good_rows(*item, ticket)
            return output.select(self._node.columns), good_positions, item[1].count

        count = self._stage.run_state.worker_count
        workers = self._run.make_workers(
            pull_block, apply_stage, count if count > 1 else 0, "map", lambda: count + 1
        )
        replacements = ReplacementRows() if self._run.options.on_error == "replace" else None
        try:
            for block, good_positions, row_count in workers:
                if replacements is not None:
                    block = replacements.fill(block, good_positions, row_count)
                if calls is not None:
                    calls.end_step(block)
                yield block
                if block.error is not None:
                    return
            last_rows = None if replacements is None else replacements.take_remaining()
            if last_rows is not None:
                yield last_rows
        finally:
            self._run.end_workers(workers)

    def _apply_to_good_rows(
        self, positions: np.ndarray, block: Block, ticket: Ticket
    ) -> tuple[Block, np.ndarray]:
        """Apply the stage to a block, around the rows that fail if ``on_error`` is not "raise".

        A warning is logged for each row that is left out.

        Returns:
            The successful rows, and their positions in the block.
        """
        mode = self._run.options.on_error
        if mode == "raise":
            out = self._stage.apply(block, positions, ticket, self._meter, self._child_pass)
            return out, np.arange(out.count)
        good_blocks, good_positions = [], []
        start = 0
        while True:
            applied = self._stage.apply(
                block.slice_rows(start, block.count),
                positions[start:],
                ticket,
                self._meter,
                self._child_pass,
            )
            good_blocks.append(applied)
            good_positions.append(np.arange(start, start + applied.count))
            start += applied.count + 1
            if applied.error is None or applied.error is block.error:
                break
            logger.warning("%s The row is left out (error_samples_mode %s).", applied.error, mode)
            applied.error = None
            if start > block.count:
                break
        out = join(good_blocks)
        out.error = block.error
        return out, np.concatenate(good_positions)
