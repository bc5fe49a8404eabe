"""Worker processes: a function of columns, run in other processes, called from any thread."""

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

from minispore.core import random
from minispore.core.threads.monitor import Monitor
from minispore.dataset.pipeline import wire
from minispore.dataset.pipeline.block import Block, Column, Failure, join
from minispore.dataset.pipeline.lanes import Turn
from minispore.dataset.pipeline.random import Seed
from minispore.errors import DatasetError

logger = logging.getLogger("minispore.dataset")

_STILL_S = 30.0  # after so long without an answer, a process is looked at

# Columns in, columns out, and what stopped it after the last row of those.
Function = Callable[[list[Column]], tuple[list[Column], Failure | None]]

DEFAULT_BYTES = 16 << 20  # shared memory each way; a page costs nothing before it is used
_LOOK_S = 0.5  # how often a waiting side looks whether the other one is still there
_END_S = 1.0


class RemoteError(Exception):
    """The traceback of an exception in a worker process, as text."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def can_fork() -> bool:
    """Whether worker processes can inherit functions (Linux), so that lambdas work in them."""
    return "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"


class Pool:
    """``count`` processes that run ``function``.

    Args:
        name: of the operation, for messages.
        function: what they run.
        count: how many.
        seed: of ``random`` and ``np.random`` inside, a different one for each process. Under one
            that somebody chose each process has rows of its own, in order, as in MindSpore.
        method: ``"fork"`` or ``"spawn"``.
        memory: bytes of shared memory to a process, and from it.
        patience_s: a process that needs longer for a call is logged as a warning.
    """

    def __init__(
        self,
        name: str,
        function: Function,
        count: int,
        seed: Seed,
        method: str,
        memory: tuple[int, int],
        patience_s: float,
    ) -> None:
        self._name = name
        self._patience_s = patience_s
        self._owner = os.getpid()
        self._changed = Monitor()
        self._closed = False
        self._workers: list[_Worker] = []
        self._sorted = seed.chosen
        try:
            for i in range(count):
                own = seed.value + i if seed.chosen else secrets.randbits(32)
                self._workers.append(_Worker(function, i, own % 2**32, method, memory))
        except BaseException:
            self.close()
            raise
        self._idle = list(self._workers)

    def call(
        self, columns: list[Column], at: np.ndarray, turn: Turn, key: Sequence[Column] = ()
    ) -> tuple[list[Column], Failure | None]:
        """Run the function on rows, in whichever process is free, or each in its own.

        Args:
            columns: the rows.
            at: their places in the pass.
            turn: of the thread that calls.
            key: what the function takes behind the columns.

        Raises:
            DatasetError: a process ended, or the pool was closed.
        """
        if not self._sorted:
            return self._call(self._free(), [*columns, *key])
        owner = at % len(self._workers)
        parts = []
        for number in set(range(len(self._workers))).difference(owner.tolist()):
            turn.leave((self, number))
        for number in dict.fromkeys(owner.tolist()):
            rows = np.flatnonzero(owner == number)
            with turn.at((self, number)):
                worker = self._free(self._workers[number])
                given = _block(columns, len(at)).take(rows)
                out, failure = self._call(worker, [*given.columns.values(), *key])
            parts.append((rows, out, failure))
        return _sorted(parts) if len(parts) > 1 else parts[0][1:]

    def _free(self, wanted: _Worker | None = None) -> _Worker:
        """That process, or any, when it is free."""
        with self._changed:
            while not self._closed:
                found = [w for w in self._idle if wanted in (None, w)]
                if found:
                    self._idle.remove(found[-1])
                    return found[-1]
                self._changed.wait(_LOOK_S)
        raise DatasetError(f"{self._name}: the pipeline was closed.")

    def _call(self, worker: _Worker, columns: list[Column]) -> tuple[list[Column], Failure | None]:
        try:
            return worker.call(columns, self._look(worker))
        except (EOFError, OSError) as exc:
            worker.process.join(_END_S)
            if self._closed:
                raise DatasetError(f"{self._name}: the pipeline was closed.") from exc
            raise DatasetError(
                f"{self._name}: worker process {worker.process.pid} "
                f"{_ended(worker.process.exitcode)} while it worked on a row. Look at the system's "
                "log; with too little memory, use fewer workers."
            ) from None
        finally:
            with self._changed:
                self._idle.append(worker)
                self._changed.notify_all()

    def _look(self, worker: _Worker) -> Callable[[], bool]:
        """Called while a process works: whether to go on waiting. It warns once."""
        late = time.monotonic() + self._patience_s
        still = time.monotonic() + _STILL_S

        def look() -> bool:
            nonlocal late, still
            if time.monotonic() > still:
                still = time.monotonic() + _STILL_S
                if _is_stopped(worker.process.pid):
                    logger.warning(
                        "%s: worker process %s is stopped (SIGSTOP). Go on with: kill -CONT %s",
                        self._name,
                        worker.process.pid,
                        worker.process.pid,
                    )
            if time.monotonic() > late:
                late = math.inf
                logger.warning(
                    "%s: worker process %s has worked on its rows for more than %g s.",
                    self._name,
                    worker.process.pid,
                    self._patience_s,
                )
            return not self._closed

        return look

    def close(self) -> None:
        """End the processes. A process that was forked from the owner leaves them alone."""
        if os.getpid() != self._owner:
            return
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join(_END_S)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join(_END_S)
            worker.connection.close()


def _block(columns: list[Column], count: int) -> Block:
    return Block({str(i): column for i, column in enumerate(columns)}, count)


def _sorted(
    parts: list[tuple[np.ndarray, list[Column], Failure | None]],
) -> tuple[list[Column], Failure | None]:
    """What several processes made of their rows of a block, up to the first that failed."""
    made, rows, failed = [], [], []
    for own, columns, failure in parts:
        count = len(own) if failure is None else failure.row
        made.append(_block(columns, count))
        rows.append(own[:count])
        if failure is not None:
            failed.append(Failure(failure.operation, int(own[count]), failure.cause))
    out = join(made).take(np.argsort(np.concatenate(rows)))
    first = min(failed, key=lambda failure: failure.row, default=None)
    if first is not None:
        out = out.cut(0, first.row)
    return list(out.columns.values()), first


class _Worker:
    def __init__(
        self, function: Function, number: int, seed: int, method: str, sizes: tuple[int, int]
    ) -> None:
        context: Any = multiprocessing.get_context(method)
        self.connection, theirs = context.Pipe()
        self._to, self._back = (_memory(context, method, size) for size in sizes)
        self.process = context.Process(
            target=_serve,
            args=(theirs, self._to, self._back, function, seed, os.getpid()),
            name=f"minispore-worker-{number}",
            daemon=True,
        )
        with warnings.catch_warnings():
            # Newer Pythons warn of any fork beside a thread; ours runs nothing that such a thread
            # could have locked.
            warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
            self.process.start()
        theirs.close()

    def call(
        self, columns: list[Column], go_on: Callable[[], bool]
    ) -> tuple[list[Column], Failure | None]:
        wire.send(self.connection, memoryview(self._to).cast("B"), columns)
        while not connection.wait([self.connection, self.process.sentinel], _LOOK_S):
            if not go_on():
                raise EOFError
        out, extra = wire.receive(self.connection, memoryview(self._back).cast("B"))
        failure = extra.get("failure")
        return out, None if failure is None else _rebuilt(failure)


def _memory(context: Any, method: str, size: int) -> Any:
    return mmap.mmap(-1, size) if method == "fork" else context.RawArray("B", size)


def _serve(
    pipe: connection.Connection,
    incoming: Any,
    outgoing: Any,
    function: Function,
    seed: int,
    parent: int,
) -> None:
    """The life of a worker process: it ends when told to, and when its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    random.seed_python(seed)
    source, target = memoryview(incoming).cast("B"), memoryview(outgoing).cast("B")
    while True:
        while not pipe.poll(_LOOK_S):
            if os.getppid() != parent:
                os._exit(1)
        try:
            columns, _ = wire.receive(pipe, source)
        except (EOFError, OSError):
            os._exit(0)
        try:
            out, failure = function(columns)
            told = None if failure is None else _told(failure)
        except BaseException as exc:
            out, told = [], _told(Failure("worker", 0, exc))
        try:
            wire.send(pipe, target, out, failure=told)
        except TypeError as exc:
            wire.send(pipe, target, [], failure=_told(Failure("worker", 0, exc)))


def _told(failure: Failure) -> dict[str, Any]:
    cause = failure.cause
    return {
        "operation": failure.operation,
        "row": failure.row,
        "type": type(cause).__name__,
        "text": str(cause),
        "traceback": "".join(traceback.format_exception(cause)),
    }


def _rebuilt(told: dict[str, Any]) -> Failure:
    """The failure, with an exception of the same type where that is a built-in one."""
    kind = getattr(builtins, told["type"], None)
    cause: Exception = RuntimeError(f"{told['type']}: {told['text']}")
    if isinstance(kind, type) and issubclass(kind, Exception):
        with suppress(TypeError):  # UnicodeDecodeError and its like want more arguments
            cause = kind(told["text"])
    cause.__cause__ = RemoteError(told["traceback"])
    return Failure(told["operation"], told["row"], cause)


def _is_stopped(pid: int | None) -> bool:
    """Whether a signal has stopped a process, where the system tells."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] in ("T", "t")
    except (OSError, IndexError):
        return False


def _ended(code: int | None) -> str:
    if code is None:
        return "stopped answering"
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"ended with status {code}"


def method(wanted: str) -> str | None:
    """How worker processes start here; None where they can't, and threads must do."""
    return wanted if wanted == "spawn" or can_fork() else None
