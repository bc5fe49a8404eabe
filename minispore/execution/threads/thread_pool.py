"""The thread pool: threads that run tiles together with the calling thread.

NumPy and BLAS release the interpreter lock while they compute, so calls of several threads run
concurrently. A *tile* is a part of a step: a list of calls that touches no memory that other tiles
of the step write. The arrays determine the tiles of a step; which thread runs which tile is decided
at run time. A worker that is late, because its core had other work, finds fewer tiles left, and no
thread waits for a worker that has not begun a tile.

A worker wakes up within some 20 us and ends after half a second without work, so no thread is left
when the program ends. A child process begins without workers.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence

import numpy as np

from minispore import context
from minispore.execution.kernels import blas
from minispore.foundation import process
from minispore.ir.operator import Calls

_IDLE_SECONDS = 0.5
_RECHECK_SECONDS = 0.2  # longest wait before a condition is checked again
_MAX_DEFAULT_THREADS = 8  # if no setting gives a number


class _Job:
    """The tiles of one step while threads run them.

    Attributes:
        pending: the indices of the tiles that no thread has begun.
        active_workers: the workers that may be running tiles; None if the pool was busy.
        closed: whether a worker that has not joined yet must not run any tile.
        error: the first error of a call.
    """

    __slots__ = ("active_workers", "closed", "error", "pending", "thread_count", "tiles")

    def __init__(self, tiles: Sequence[Calls], thread_count: int) -> None:
        self.tiles, self.thread_count = tiles, thread_count
        self.pending = dict.fromkeys(range(len(tiles)))  # an ordered set whose pop is atomic
        self.active_workers: list[_Worker] | None = None
        self.closed = False
        self.error: BaseException | None = None

    def run_pending_tiles(self, worker_index: int) -> None:
        """Run tiles that no other thread has begun, starting with this worker's share.

        So a worker gets the same part of arrays of similar size, which is in its core's cache.
        """
        tiles, pending, count = self.tiles, self.pending, len(self.tiles)
        begin = count * worker_index // self.thread_count
        try:
            for i in (*range(begin, count), *range(begin)):
                if pending.pop(i, self) is self:  # another thread has begun this tile
                    continue
                for call in tiles[i]:
                    call()
        except BaseException as error:
            self.cancel(error)

    def cancel(self, error: BaseException) -> None:
        """Record the error unless one is recorded, and drop the tiles that have not begun."""
        self.error = self.error or error
        self.pending.clear()


class _Worker:
    """A worker thread of the pool, which ends when it is idle."""

    def __init__(self, index: int) -> None:
        self._index = index  # the caller has index 0
        self._next_job: _Job | None = None
        self._current_job: _Job | None = None
        self._alive = False
        self._lifecycle_lock = threading.Lock()
        self._wakeup, self._done = threading.Lock(), threading.Lock()
        self._wakeup.acquire()
        self._done.acquire()

    def offer(self, job: _Job) -> None:
        """Offer a job to this worker's thread, and start or wake the thread.

        A worker that wakes up after the job was closed runs none of its tiles.
        """
        self._next_job = job
        if not self._alive:
            self._start_thread()
        if self._wakeup.locked():
            self._wakeup.release()

    def _start_thread(self) -> None:
        """Start the thread unless it is alive."""
        with self._lifecycle_lock:
            if not self._alive:
                self._alive = True
                name = f"minispore pool thread {self._index}"
                threading.Thread(target=self._serve_jobs, name=name, daemon=True).start()

    def wait_until_done(self, job: _Job) -> None:
        """Wait until the thread no longer runs a closed job."""
        self._next_job = None
        while self._current_job is job:
            self._done.acquire(timeout=_RECHECK_SECONDS)

    def _serve_jobs(self) -> None:
        """Run jobs until none has come for ``_IDLE_SECONDS``; the target of the thread."""
        with np.errstate(all="ignore"):  # log(0) is -inf and no warning, as on any device
            while True:
                if not self._wakeup.acquire(timeout=_IDLE_SECONDS):
                    with self._lifecycle_lock:
                        if not self._wakeup.acquire(blocking=False):
                            self._alive = False
                            return
                self._run_next_job()

    def _run_next_job(self) -> None:
        """Run tiles of the offered job, unless it is closed, and signal the end."""
        # The caller closes a job, then checks if a worker runs it. A worker records the job, then
        # checks if it is closed. So at least one of the two sees the other's write.
        job, self._next_job = self._next_job, None
        self._current_job = job
        if job is not None and not job.closed:
            job.run_pending_tiles(self._index)
        self._current_job = None
        if self._done.locked():
            self._done.release()


class _ThreadPool:
    """All workers, without the calling thread."""

    def __init__(self) -> None:
        self._busy = threading.Lock()
        self._workers: list[_Worker] = []

    def run(self, tiles: Sequence[Calls], thread_count: int) -> None:
        """Run all tiles of a step on up to ``thread_count`` threads; raises the error of a call.

        If another step is running on the pool, this thread runs all tiles.
        """
        job = _Job(tiles, thread_count)
        try:
            if self._start_job(job):
                job.run_pending_tiles(0)
            else:
                for tile in tiles:
                    for call in tile:
                        call()
        finally:
            self._finish_job(job)
        _raise_job_error(job)

    def _start_job(self, job: _Job) -> bool:
        """Reserve the pool and offer the job to ``thread_count - 1`` workers, new ones if needed.

        The caller computes, too, and must call :meth:`_finish_job`, which releases the pool.
        Returns False, with nothing reserved, if the pool is running another job.
        """
        if not self._busy.acquire(blocking=False):
            return False
        job.active_workers = []
        while len(self._workers) < job.thread_count - 1:
            self._workers.append(_Worker(len(self._workers) + 1))
        job.active_workers = self._workers[: job.thread_count - 1]
        for worker in job.active_workers:
            worker.offer(job)
        return True

    def _finish_job(self, job: _Job) -> None:
        """Wait for the workers of a job, and release the pool for the next job."""
        if job.active_workers is not None:
            try:
                self._wait_for_workers(job, job.active_workers)
            finally:
                self._busy.release()

    def _wait_for_workers(self, job: _Job, workers: list[_Worker]) -> None:
        """Close a job and return when no worker runs it any more; then its arrays may be reused.

        Ctrl-C does not end the wait: it becomes the job's error and drops the tiles not begun.
        """
        while True:
            try:
                job.closed = True
                for worker in workers:
                    worker.wait_until_done(job)
                return
            except BaseException as error:  # Ctrl-C
                job.cancel(error)


def _raise_job_error(job: _Job) -> None:
    """Raise the error of a job's call, if there is one."""
    error, job.error = job.error, None  # breaks the cycle through the traceback
    if error is not None:
        try:
            raise error
        finally:
            del error


# -- BLAS is limited to one thread. Two pools on the same cores slow each other down, and BLAS on
# several threads gives bits that differ from those on one thread.

_blas_thread_functions = blas.find_thread_functions()
_default_blas_threads = 1  # the number before the limit
if _blas_thread_functions is not None:
    _default_blas_threads = _blas_thread_functions[1]()
    _blas_thread_functions[0](1)


def get_blas_threads() -> int:
    """Return the number of threads that BLAS had before it was limited to one."""
    return _default_blas_threads


# -- interface --


def run(tiles: Sequence[Calls]) -> None:
    """Run all tiles of a step on the threads of the pool and the calling thread, and wait for them;
    raises the first error of a call.
    """
    _pool.run(tiles, _thread_count)


def get_thread_count() -> int:
    """Return the number of threads that compute, including the caller."""
    return _thread_count


def _on_context_change(old: context.Context, new: context.Context) -> None:
    """Set the number of threads from ``runtime_num_threads``, up to the number of cores.

    0 means the number that BLAS would have used: the number in the environment, otherwise half of
    the cores (:mod:`minispore.foundation.process`), since the data pipeline uses the other half. It
    is 1 if no thread can be started.
    """
    global _thread_count
    _thread_count = min(
        new.runtime_num_threads or min(get_blas_threads(), _MAX_DEFAULT_THREADS), _cores
    )
    if _thread_count > 1 and not process.can_start_threads():
        _thread_count = 1


def _after_fork() -> None:
    """Start without workers in a forked child, which has none of its parent's threads."""
    global _pool
    _pool = _ThreadPool()


_pool = _ThreadPool()
_cores = process.count_cores()
_thread_count = 1
_on_context_change(context.current(), context.current())
context.subscribe(_on_context_change)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

__all__ = ["get_thread_count", "run"]
