"""Worker processes: they run a function of columns, called from any thread."""

from __future__ import annotations

import builtins
import logging
import math
import mmap
import multiprocessing
import os
import secrets
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import connection
from typing import Any

import numpy as np

from minispore.dataset.pipeline import wire
from minispore.dataset.pipeline.block import Block, Column, Failure, join
from minispore.dataset.pipeline.ordered_workers import Ticket
from minispore.dataset.pipeline.random import Seed
from minispore.errors import DatasetError
from minispore.execution import random
from minispore.execution.threads.monitor import Monitor

logger = logging.getLogger("minispore.dataset")

_STOPPED_CHECK_S = 30.0  # without an answer for so long, a process may have been stopped

# From columns to output columns, and the failure of the row after the last output row.
Function = Callable[[list[Column]], tuple[list[Column], Failure | None]]

DEFAULT_BYTES = 16 << 20  # shared memory each way; a page costs nothing before it is used
_POLL_S = 0.5  # how often a waiting side checks that the other process is alive
_JOIN_S = 1.0


class RemoteError(Exception):
    """The traceback of an exception in a worker process, as text."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def can_fork() -> bool:
    """Whether worker processes can inherit functions (Linux), so that lambdas work in them."""
    return "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"


class ProcessPool:
    """``count`` processes that run ``function``.

    Args:
        name: the name of the operation, for messages.
        function: runs in the processes.
        count: the number of processes.
        seed: seeds ``random`` and ``np.random`` differently in each process. Under a chosen seed
            rows are assigned to processes by their position, in order, as in MindSpore.
        start_method: ``"fork"`` or ``"spawn"``.
        memory: bytes of shared memory to a process, and from it.
        patience_s: a warning is logged if a process needs longer than this for a call.
    """

    def __init__(
        self,
        name: str,
        function: Function,
        count: int,
        seed: Seed,
        start_method: str,
        memory: tuple[int, int],
        patience_s: float,
    ) -> None:
        self._name = name
        self._patience_s = patience_s
        self._owner_pid = os.getpid()
        self._changed = Monitor()
        self._closed = False
        self._workers: list[_WorkerProcess] = []
        self._assigns_rows = seed.chosen
        try:
            for i in range(count):
                worker_seed = seed.value + i if seed.chosen else secrets.randbits(32)
                self._workers.append(
                    _WorkerProcess(function, i, worker_seed % 2**32, start_method, memory)
                )
        except BaseException:
            self.close()
            raise
        self._idle = list(self._workers)

    def call(
        self,
        columns: list[Column],
        positions: np.ndarray,
        ticket: Ticket,
        key: Sequence[Column] = (),
    ) -> tuple[list[Column], Failure | None]:
        """Run the function on rows, in any idle process or in the processes assigned to the rows.

        Args:
            columns: the rows.
            positions: the positions of the rows in the pass.
            ticket: the ticket of the calling thread.
            key: further arguments of the function after the columns.

        Returns:
            The output columns, and the failure of the row after their last; None if all rows are
            good.

        Raises:
            DatasetError: a process ended, or the pool was closed.
        """
        if not self._assigns_rows:
            return self._call_worker(self._acquire_worker(), [*columns, *key])
        worker_of_row = positions % len(self._workers)
        results = []
        # Processes without a row of this block serve later blocks at once.
        for number in set(range(len(self._workers))).difference(worker_of_row.tolist()):
            ticket.leave_turnstile((self, number))
        for number in dict.fromkeys(worker_of_row.tolist()):
            rows = np.flatnonzero(worker_of_row == number)
            with ticket.enter_turnstile((self, number)):
                worker = self._acquire_worker(self._workers[number])
                worker_rows = _make_column_block(columns, len(positions)).take(rows)
                out, failure = self._call_worker(worker, [*worker_rows.columns.values(), *key])
            results.append((rows, out, failure))
        return _merge_results(results) if len(results) > 1 else results[0][1:]

    def _acquire_worker(self, worker: _WorkerProcess | None = None) -> _WorkerProcess:
        """Wait until a worker process, or this one, is idle, and reserve it.

        Raises:
            DatasetError: the pool was closed.
        """
        with self._changed:
            while not self._closed:
                idle = [w for w in self._idle if worker in (None, w)]
                if idle:
                    self._idle.remove(idle[-1])
                    return idle[-1]
                self._changed.wait(_POLL_S)
        raise DatasetError(f"{self._name}: the pipeline was closed.")

    def _call_worker(
        self, worker: _WorkerProcess, columns: list[Column]
    ) -> tuple[list[Column], Failure | None]:
        """Call the function in a reserved process, and release the process afterwards.

        Raises:
            DatasetError: the process ended, or the pool was closed.
        """
        try:
            return worker.call(columns, self._make_patience_check(worker))
        except (EOFError, OSError) as exc:
            worker.process.join(_JOIN_S)
            if self._closed:
                raise DatasetError(f"{self._name}: the pipeline was closed.") from exc
            raise DatasetError(
                f"{self._name}: worker process {worker.process.pid} "
                f"{_describe_exit(worker.process.exitcode)} while it worked on a row. Look at the "
                "system's log; with too little memory, use fewer workers."
            ) from None
        finally:
            with self._changed:
                self._idle.append(worker)
                self._changed.notify_all()

    def _make_patience_check(self, worker: _WorkerProcess) -> Callable[[], bool]:
        """Return a function that decides whether to keep waiting for a worker process.

        It warns once if the process is slow, and repeatedly while it is stopped by a signal.
        """
        slow_warning_at = time.monotonic() + self._patience_s
        stop_check_at = time.monotonic() + _STOPPED_CHECK_S

        def keep_waiting() -> bool:
            """Whether to keep waiting for a result: the pool is still open.

            Also warns if the worker process was stopped by a signal, and once if it is slow.
            """
            nonlocal slow_warning_at, stop_check_at
            if time.monotonic() > stop_check_at:
                stop_check_at = time.monotonic() + _STOPPED_CHECK_S
                if _is_stopped(worker.process.pid):
                    logger.warning(
                        "%s: worker process %s is stopped (SIGSTOP). Go on with: kill -CONT %s",
                        self._name,
                        worker.process.pid,
                        worker.process.pid,
                    )
            if time.monotonic() > slow_warning_at:
                slow_warning_at = math.inf
                logger.warning(
                    "%s: worker process %s has worked on its rows for more than %g s.",
                    self._name,
                    worker.process.pid,
                    self._patience_s,
                )
            return not self._closed

        return keep_waiting

    def close(self) -> None:
        """End the processes; do nothing in a process that was forked from the pool's owner."""
        if os.getpid() != self._owner_pid:
            return
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join(_JOIN_S)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join(_JOIN_S)
            worker.connection.close()


def _make_column_block(columns: list[Column], count: int) -> Block:
    """Return columns without names as a block."""
    return Block({str(i): column for i, column in enumerate(columns)}, count)


def _merge_results(
    results: list[tuple[np.ndarray, list[Column], Failure | None]],
) -> tuple[list[Column], Failure | None]:
    """Merge the outputs of several processes for the rows of a block, up to the first failed row.

    Args:
        results: the positions of a process's rows, the columns it returned, and its failure.
    """
    blocks, rows, failures = [], [], []
    for positions, columns, failure in results:
        count = len(positions) if failure is None else failure.row
        blocks.append(_make_column_block(columns, count))
        rows.append(positions[:count])
        if failure is not None:
            failures.append(Failure(failure.operation, int(positions[count]), failure.cause))
    out = join(blocks).take(np.argsort(np.concatenate(rows)))
    first_failure = min(failures, key=lambda failure: failure.row, default=None)
    if first_failure is not None:
        out = out.slice_rows(0, first_failure.row)
    return list(out.columns.values()), first_failure


class _WorkerProcess:
    """One worker process with its pipe and shared memory."""

    def __init__(
        self, function: Function, number: int, seed: int, method: str, sizes: tuple[int, int]
    ) -> None:
        context: Any = multiprocessing.get_context(method)
        self.connection, child_end = context.Pipe()
        self._input_memory, self._output_memory = (
            _allocate_shared_memory(context, method, size) for size in sizes
        )
        self.process = context.Process(
            target=_run_worker,
            args=(child_end, self._input_memory, self._output_memory, function, seed, os.getpid()),
            name=f"minispore-worker-{number}",
            daemon=True,
        )
        with warnings.catch_warnings():
            # Newer Pythons warn of any fork beside a thread; this child needs no lock that another
            # thread could hold.
            warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
            self.process.start()
        child_end.close()

    def call(
        self, columns: list[Column], keep_waiting: Callable[[], bool]
    ) -> tuple[list[Column], Failure | None]:
        """Send columns to the process and return its result.

        Raises:
            EOFError: ``keep_waiting`` returned False, or the process ended.
        """
        wire.send(self.connection, memoryview(self._input_memory).cast("B"), columns)
        while not connection.wait([self.connection, self.process.sentinel], _POLL_S):
            if not keep_waiting():
                raise EOFError
        out, extra = wire.receive(self.connection, memoryview(self._output_memory).cast("B"))
        failure = extra.get("failure")
        return out, None if failure is None else _failure_from_dict(failure)


def _allocate_shared_memory(context: Any, method: str, size: int) -> Any:
    """Allocate memory that a worker process shares with its parent."""
    return mmap.mmap(-1, size) if method == "fork" else context.RawArray("B", size)


def _run_worker(
    pipe: connection.Connection,
    incoming: Any,
    outgoing: Any,
    function: Function,
    seed: int,
    parent: int,
) -> None:
    """Run the loop of a worker process: receive columns, call the function, send the result.

    It ends when the pipe is closed or the parent process has ended.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    random.seed_python(seed)
    source, target = memoryview(incoming).cast("B"), memoryview(outgoing).cast("B")
    while True:
        while not pipe.poll(_POLL_S):
            if os.getppid() != parent:
                os._exit(1)
        try:
            columns, _ = wire.receive(pipe, source)
        except (EOFError, OSError):
            os._exit(0)
        try:
            out, failure = function(columns)
            failure_record = None if failure is None else _failure_to_dict(failure)
        except BaseException as exc:
            out, failure_record = [], _failure_to_dict(Failure("worker", 0, exc))
        try:
            wire.send(pipe, target, out, failure=failure_record)
        except TypeError as exc:
            wire.send(pipe, target, [], failure=_failure_to_dict(Failure("worker", 0, exc)))


def _failure_to_dict(failure: Failure) -> dict[str, Any]:
    """Return a failure as a JSON-serializable dict, with the traceback as text."""
    cause = failure.cause
    return {
        "operation": failure.operation,
        "row": failure.row,
        "type": type(cause).__name__,
        "text": str(cause),
        "traceback": "".join(traceback.format_exception(cause)),
    }


def _failure_from_dict(record: dict[str, Any]) -> Failure:
    """Return the Failure in a worker's record.

    Its cause has the type of a built-in exception, else it is a RuntimeError.
    """
    exception_type = getattr(builtins, record["type"], None)
    cause: Exception = RuntimeError(f"{record['type']}: {record['text']}")
    if isinstance(exception_type, type) and issubclass(exception_type, Exception):
        with suppress(TypeError):  # UnicodeDecodeError and others need more arguments
            cause = exception_type(record["text"])
    cause.__cause__ = RemoteError(record["traceback"])
    return Failure(record["operation"], record["row"], cause)


def _is_stopped(pid: int | None) -> bool:
    """Whether a signal has stopped a process; False on systems that can't tell."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] in ("T", "t")
    except (OSError, IndexError):
        return False


def _describe_exit(code: int | None) -> str:
    """Describe how a process ended, for a message; ``code`` is its exit code, None if it runs."""
    if code is None:
        return "stopped answering"
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"ended with status {code}"


def choose_start_method(start_method: str) -> str | None:
    """Return ``start_method``; None for ``"fork"`` on a system where processes can't fork."""
    return start_method if start_method == "spawn" or can_fork() else None
