"""Worker processes, which compute the tiles of a program together with this process.

Threads of one process hand the interpreter lock to each other after each call, and the system must
wake them up, so only long steps gain from them. A worker process has its own interpreter. It is a
fork of this process, so it has each step that existed at the fork and needs only the number of a
step to begin. Arrays are in shared memory (:mod:`minispore.execution.threads.shared_memory`).

Which process runs which tile is decided at run time, as in the
:mod:`~minispore.execution.threads.thread_pool`: a worker that is late finds fewer tiles left, and
no process waits for a worker that has not begun a tile. A worker avoids the core of its caller
(:mod:`minispore.execution.threads.cpu_affinity`), and polls for work for a fraction of a
millisecond before it sleeps. It ends after some seconds without work, and when this process ends in
any way. An error in a step ends all workers before it is raised, so that no part of the step goes
on.

If fork is missing or fails, there are no worker processes, and threads do the work.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import itertools
import os
import pickle
import signal
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NoReturn

import numpy as np

from minispore.execution.threads import cpu_affinity, shared_memory, thread_pool
from minispore.foundation.lazy_import import make_lazy_attributes
from minispore.foundation.signals import HoldSignals
from minispore.ir.operator import Calls

_SPINS = 3000  # polls of 70 ns each, before a waiting process sleeps
_IDLE_SECONDS = 5.0
_AWAKE_SECONDS = 0.5  # how often a sleeping process checks that the others are alive
_START_SECONDS = 2.0  # longer than a worker needs to get ready
_MESSAGE_BYTES = 1 << 16
_MAX_TILES = 16
# Entries of the board, a shared int64 array: the number of the step, the bytes of a pickled error
# (0: none), the caller's core, and from _CORES_OFFSET on the workers' cores.
_STEP, _ERROR_BYTES, _CALLER_CORE, _CORES_OFFSET = range(4)

_multiprocessing, _ = make_lazy_attributes(__name__, {"get_context": "multiprocessing"})
_step_numbers = itertools.count(1)
_steps: weakref.WeakValueDictionary[int, Step] = weakref.WeakValueDictionary()


class Step:
    """Tiles that worker processes run together with the caller.

    Attributes:
        number: the key of the step in worker processes forked after it was created.
    """

    __slots__ = ("__weakref__", "number", "tiles")

    def __init__(self, tiles: Sequence[Calls]) -> None:
        """Store the tiles, merged pairwise until there are at most ``_MAX_TILES``, and take the
        next number.
        """
        while len(tiles) > _MAX_TILES:  # merge pairs
            tiles = [
                [call for tile in tiles[i : i + 2] for call in tile]
                for i in range(0, len(tiles), 2)
            ]
        self.tiles = tiles
        self.number = next(_step_numbers)
        _steps[self.number] = self

    def __call__(self) -> None:
        """Run all tiles, in this process and in the worker processes."""
        _team.run(self)


class _Worker:
    """A worker process, as seen from the process that forked it."""

    def __init__(self, index: int, semaphore: Callable[[int], Any]) -> None:
        self.index = index  # the caller has index 0
        self.pid = 0
        step, done, ready = (semaphore(0) for _ in range(3))
        self.signal_step, self.wait_step = step.release, step.acquire
        self.signal_done, self.wait_done = done.release, done.acquire
        self.signal_ready, self.wait_ready = ready.release, ready.acquire

    def has_ended(self) -> bool:
        """Whether the process has ended; reaps it if other code has not."""
        try:
            return os.waitpid(self.pid, os.WNOHANG)[0] != 0
        except ChildProcessError:
            return True


class _WorkerTeam:
    """All worker processes of this process."""

    def __init__(self) -> None:
        self.possible = sys.platform == "linux" and hasattr(os, "fork")
        self._busy = threading.Lock()
        self._workers: list[_Worker] = []
        self._newest_step = self._released_count = 0  # at the time of the fork
        self._tile_semaphores: list[Any] = []  # the process that acquires one runs the tile
        self._acquire_tile: list[Any] = []  # their bound acquire methods
        self._new_workers: list[_Worker] = []
        self._board: Any = None
        self._message: Any = None

    # -- in the calling process --

    def ensure_workers(self, newest: int) -> bool:
        """Ensure that workers run that know the steps up to ``newest``; return False if none can
        run.

        Starts new workers if needed. Returns True immediately if another thread's step is running
        on them; then this thread's step runs without workers.
        """
        if not self._busy.acquire(blocking=False):
            return True
        try:
            if (
                self._newest_step < newest
                or len(self._workers) != thread_pool.get_thread_count() - 1
                or self._released_count != shared_memory.get_released_count()
                or any(worker.has_ended() for worker in self._workers)
            ):
                self._end_workers()
                self._start_workers()
            if self._workers:
                self._board[_CALLER_CORE] = cpu_affinity.get_current_core()
        finally:
            self._busy.release()
        return bool(self._workers)

    def _start_workers(self) -> None:
        """Fork the workers and wait until they are ready; on failure end them and set ``possible``
        to False.
        """
        try:
            self._allocate_shared_state()
            for worker in self._new_workers:
                with HoldSignals():
                    worker.pid = self._fork_worker(worker)
                    self._workers.append(worker)
            are_ready = [w.wait_ready(timeout=_START_SECONDS) for w in self._workers]
        except (OSError, ImportError):  # out of processes, memory or semaphores
            are_ready = [False]
        except BaseException:
            self._end_workers()
            raise
        if not all(are_ready):
            self._end_workers()
            self.possible = False

    def _allocate_shared_state(self) -> None:
        """Allocate the semaphores and shared memory of new workers, before these are forked.

        Also records the newest step that they will know, and the number of released blocks.
        """
        get_context: Any = _multiprocessing("get_context")
        semaphore = get_context("fork").Semaphore
        self._tile_semaphores = [semaphore(1) for _ in range(_MAX_TILES)]
        self._acquire_tile = [s.acquire for s in self._tile_semaphores]
        self._new_workers = [
            _Worker(i, semaphore) for i in range(1, thread_pool.get_thread_count())
        ]
        board_bytes = 8 * (_CORES_OFFSET + thread_pool.get_thread_count())
        memory = shared_memory.allocate(board_bytes + _MESSAGE_BYTES, copied_on_fork=False)
        self._board = memoryview(memory[:board_bytes].view(np.int64).data)
        self._message = memory[board_bytes:]
        self._released_count = shared_memory.get_released_count()
        self._newest_step = next(_step_numbers)

    def _fork_worker(self, worker: _Worker) -> int:
        """Fork a worker, which serves steps and never returns; returns its process id."""
        global _forking
        _forking = threading.get_ident()
        try:
            with warnings.catch_warnings():
                # Python 3.12 warns that other threads may hold locks, but a worker acquires none.
                warnings.simplefilter("ignore", DeprecationWarning)
                pid = os.fork()
            if pid == 0:
                self._serve_steps(worker)
        finally:
            _forking = 0
        return pid

    def _end_workers(self) -> None:
        """Kill the workers and reap them; afterwards they can't touch any array."""
        while self._workers:
            worker = self._workers[-1]
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(worker.pid, 0)
            self._workers.pop()

    def run(self, step: Step) -> None:
        """Run the tiles of a step together with the workers; without them if they are busy or do
        not know the step.

        An error of a call is raised, and ends the workers.
        """
        if step.number > self._newest_step or not self._busy.acquire(blocking=False):
            for call in itertools.chain(*step.tiles):
                call()
            return
        try:
            self._run_step(step)
        except BaseException:
            self._end_workers()
            raise
        finally:
            self._busy.release()

    def _run_step(self, step: Step) -> None:
        """Signal the step to all workers, run tiles, wait for workers that have begun one, and
        release the tiles.
        """
        workers, tiles = self._workers, step.tiles
        self._board[_STEP] = step.number
        for worker in workers:
            worker.signal_step()
        _run_free_tiles(tiles, self._acquire_tile, 0, len(workers) + 1)
        for worker in workers:
            is_running = not worker.wait_step(block=False)  # otherwise this takes the signal back
            if is_running:
                self._wait_for_worker(worker)
        for semaphore in self._tile_semaphores[: len(tiles)] if workers else ():
            semaphore.release()

    def _wait_for_worker(self, worker: _Worker) -> None:
        """Wait until a worker is done, polling before it sleeps.

        Raises:
            BaseException: the error of its tile.
            RuntimeError: the process has ended.
        """
        wait_done = worker.wait_done
        for _ in range(_SPINS):
            if wait_done(block=False):
                break
        else:
            with cpu_affinity.waking_off_cores(self._board[_CORES_OFFSET:]):
                self._sleep_until_done(worker)
        if self._board[_ERROR_BYTES]:
            raise _read_error(self._message, self._board[_ERROR_BYTES])

    def _sleep_until_done(self, worker: _Worker) -> None:
        """Sleep until a worker is done; raises a RuntimeError if it has ended."""
        while not worker.wait_done(timeout=_AWAKE_SECONDS):
            if worker.has_ended():
                raise RuntimeError(
                    f"GRAPH_MODE: process {worker.pid}, which computed a part of this step, was "
                    "ended from outside (out of memory?); what the step writes is not whole. Load "
                    "a checkpoint, or set runtime_num_threads=1 to compute in one process."
                )

    # -- in a worker process --

    def _serve_steps(self, worker: _Worker) -> NoReturn:
        """Run tiles of the signalled steps until the parent ends or is idle; then end the process.

        Runs in the worker, which moves off the caller's core and writes the error of a call to
        shared memory.
        """
        try:
            _detach_from_parent()
            warm_up = np.ones((8, 8), np.float32)
            np.matmul(warm_up, warm_up)  # initializes BLAS in the child
            steps, parent, worker_count = dict(_steps), os.getppid(), len(self._new_workers) + 1
            allowed_cores, avoided_core = sorted(os.sched_getaffinity(0)), -1
            worker.signal_ready()
            while _wait_for_step(worker, parent):
                if self._board[_CALLER_CORE] != avoided_core:
                    avoided_core = self._board[_CALLER_CORE]
                    chosen_core = cpu_affinity.move_off_core(
                        avoided_core, allowed_cores, worker.index - 1 + parent
                    )
                    self._board[_CORES_OFFSET + worker.index - 1] = chosen_core
                try:
                    _run_free_tiles(
                        steps[self._board[_STEP]].tiles,
                        self._acquire_tile,
                        worker.index,
                        worker_count,
                    )
                except BaseException as error:
                    self._board[_ERROR_BYTES] = _write_error(error, self._message)
                worker.signal_done()
        finally:
            os._exit(0)


@cache
def _compute_tile_order(count: int, worker_index: int, worker_count: int) -> tuple[int, ...]:
    """Return the order in which a worker tries the tiles, its own share first.

    The core's cache holds the same share of other arrays.
    """
    begin = count * worker_index // worker_count
    return (*range(begin, count), *range(begin))


def _run_free_tiles(
    tiles: Sequence[Calls], acquire_tile: Sequence[Any], worker_index: int, worker_count: int
) -> None:
    """Run the tiles that no other process has begun, starting with this worker's share.

    If there are no workers, the process runs all tiles without semaphores.
    """
    for i in _compute_tile_order(len(tiles), worker_index, worker_count):
        if worker_count == 1 or acquire_tile[i](block=False):
            for call in tiles[i]:
                call()


def _wait_for_step(worker: _Worker, parent: int) -> bool:
    """Wait for a step in a worker, polling before sleeping; return False after a long idle time or
    if the parent has ended.
    """
    wait_step = worker.wait_step
    for _ in range(_SPINS):
        if wait_step(block=False):
            return True
    for _ in range(int(_IDLE_SECONDS / _AWAKE_SECONDS)):
        if wait_step(timeout=_AWAKE_SECONDS):
            return True
        if os.getppid() != parent:
            break
    return False


def _detach_from_parent() -> None:
    """Detach a worker from inherited state: tracing, signals, descriptors, garbage collection.

    Its standard streams become the null device, and NumPy's warnings are off.
    """
    sys.settrace(None)
    sys.setprofile(None)
    gc.disable()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)  # sent by the terminal: the parent handles it
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with contextlib.suppress(OSError):
        descriptors = [int(name) for name in os.listdir("/proc/self/fd")]
        devnull = os.open(os.devnull, os.O_RDWR)
        for descriptor in descriptors:
            if descriptor > 2:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
            else:
                os.dup2(devnull, descriptor)
    np.seterr(all="ignore")  # log(0) is -inf and no warning, as on any device


def _write_error(error: BaseException, buffer: np.ndarray) -> int:
    """Write a pickled error to ``buffer``, as a RuntimeError if it can't be pickled or is too long;
    returns its length.
    """
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
        if len(pickled) > len(buffer):
            raise ValueError
    except Exception:
        pickled = pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"[:1000]))
    buffer[: len(pickled)] = np.frombuffer(pickled, np.uint8)
    return len(pickled)


def _read_error(buffer: np.ndarray, nbytes: int) -> BaseException:
    """Return the error that a worker wrote to ``buffer``, ``nbytes`` long."""
    error: BaseException = pickle.loads(buffer[:nbytes].tobytes())
    return error


# -- interface --


def should_use_workers() -> bool:
    """Whether programs should use worker processes: several threads are set, and fork works on this
    system.
    """
    return _team.possible and thread_pool.get_thread_count() > 1


def ensure_workers(newest: int) -> bool:
    """Ensure that workers run that know all steps up to number ``newest``; return False if none can
    run.
    """
    return _team.ensure_workers(newest)


def end_workers() -> None:
    """End the workers, also when this process exits; the next program that needs workers starts new
    ones.
    """
    _team._end_workers()


def _before_fork() -> None:
    """Prepare shared memory for a fork by other code; does nothing before a fork that makes a
    worker.
    """
    if _forking != threading.get_ident():
        shared_memory.prepare_fork()


def _after_fork_in_parent() -> None:
    """Wait until a child forked by other code has private copies of shared memory."""
    if _forking != threading.get_ident():
        shared_memory.wait_for_child()


def _after_fork_in_child() -> None:
    """Start without workers and with private memory in a child that is not a worker."""
    global _team
    if _forking != threading.get_ident():
        _team = _WorkerTeam()
        shared_memory.unshare_in_child()


_forking = 0  # the thread that forks a worker, or 0
_team = _WorkerTeam()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
atexit.register(end_workers)

__all__ = ["Step", "end_workers", "ensure_workers", "should_use_workers"]
