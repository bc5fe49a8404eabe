"""The crew: threads that help the one that calls, tile by tile.

NumPy and BLAS let the interpreter go while they compute, so that calls of several threads run at
once. A *tile* is a list of calls that touches nothing of what other tiles of its step write. Which
tiles a step has is decided by what the arrays are; who runs which one is decided while they run: a
hand that comes late, since its core had other work, finds less left to do, and nobody waits for one
that has taken nothing.

A hand wakes up within some 20 us and ends when nobody has called for half a second, so nothing is
left behind, not at the end of the program either. A child process begins without any.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minispore import context, process
from minispore.core.kernels import blas

Calls = list[Callable[[], Any]]  # a kernel, its arrays bound

_IDLE_SECONDS = 0.5
_LOOK_SECONDS = 0.2  # how often one who waits looks by itself
_MOST = 8  # threads that are taken where nobody says how many


class _Job:
    """The tiles of one step, while they run."""

    __slots__ = ("begun", "closed", "error", "hands", "tiles", "todo")

    def __init__(self, tiles: Sequence[Calls], hands: int) -> None:
        self.tiles, self.hands = tiles, hands
        self.todo = dict.fromkeys(range(len(tiles)))
        self.begun: list[_Hand] | None = None  # who may be at work
        self.closed = False
        self.error: BaseException | None = None

    def work(self, hand: int) -> None:
        """Run tiles that nobody has begun, from the hand's own part on.

        So a hand gets the same part of each array of a like size, which its core has at hand.
        """
        tiles, todo, count = self.tiles, self.todo, len(self.tiles)
        begin = count * hand // self.hands
        try:
            for i in (*range(begin, count), *range(begin)):
                if todo.pop(i, self) is self:  # one call of the interpreter: no other can have it
                    continue
                for call in tiles[i]:
                    call()
        except BaseException as error:
            self.fail(error)

    def fail(self, error: BaseException) -> None:
        """Leave what nobody has begun."""
        self.error = self.error or error
        self.todo.clear()


class _Hand:
    """A thread, as long as there is work."""

    def __init__(self, number: int) -> None:
        self._number = number  # the caller is hand 0
        self._next: _Job | None = None
        self._at: _Job | None = None
        self._alive = False
        self._changing = threading.Lock()
        self._called, self._done = threading.Lock(), threading.Lock()
        self._called.acquire()
        self._done.acquire()

    def offer(self, job: _Job) -> None:
        """Let the thread join in, as soon as it can."""
        self._next = job
        if not self._alive:
            self._start()
        if self._called.locked():
            self._called.release()

    def _start(self) -> None:
        with self._changing:
            if not self._alive:
                self._alive = True
                name = f"minispore hand {self._number}"
                threading.Thread(target=self._serve, name=name, daemon=True).start()

    def leave(self, job: _Job) -> None:
        """Wait until the thread touches nothing of a closed job any more."""
        self._next = None
        while self._at is job:
            self._done.acquire(timeout=_LOOK_SECONDS)

    def _serve(self) -> None:
        with np.errstate(all="ignore"):  # log(0) is -inf and no warning, as on any device
            while True:
                if not self._called.acquire(timeout=_IDLE_SECONDS):
                    with self._changing:
                        if not self._called.acquire(blocking=False):
                            self._alive = False
                            return
                self._join()

    def _join(self) -> None:
        # Who closes a job looks whether a hand is at it; who is at it looks whether it is closed.
        # At least one of the two sees the other.
        job, self._next = self._next, None
        self._at = job
        if job is not None and not job.closed:
            job.work(self._number)
        self._at = None
        if self._done.locked():
            self._done.release()


class _Crew:
    """All hands but the caller's own."""

    def __init__(self) -> None:
        self._busy = threading.Lock()
        self._hands: list[_Hand] = []

    def run(self, tiles: Sequence[Calls], size: int) -> None:
        job = _Job(tiles, size)
        try:
            if self._begin(job):
                job.work(0)
            else:
                for tile in tiles:
                    for call in tile:
                        call()
        finally:
            self._end(job)
        _raise(job)

    def _begin(self, job: _Job) -> bool:
        """Let the hands join in, unless they have another thread's step, or a tile around this."""
        if not self._busy.acquire(blocking=False):
            return False
        job.begun = []
        while len(self._hands) < job.hands - 1:
            self._hands.append(_Hand(len(self._hands) + 1))
        job.begun = self._hands[: job.hands - 1]
        for hand in job.begun:
            hand.offer(job)
        return True

    def _end(self, job: _Job) -> None:
        if job.begun is not None:
            try:
                self._close(job, job.begun)
            finally:
                self._busy.release()

    def _close(self, job: _Job, hands: list[_Hand]) -> None:
        """Come back only when no hand is at work: whoever comes next may use the same memory."""
        while True:
            try:
                job.closed = True
                for hand in hands:
                    hand.leave(job)
                return
            except BaseException as error:  # Ctrl-C
                job.fail(error)


def _raise(job: _Job) -> None:
    """Raise what a call of it has raised."""
    error, job.error = job.error, None  # whose traceback leads back to here
    if error is not None:
        try:
            raise error
        finally:
            del error


# -- BLAS: held at one thread. Two pools on the same cores stand in each other's way, and what BLAS
# computes on several threads has other bits than what it computes on one.

_blas = blas.threads()
_own = 1  # as many as it had before
if _blas is not None:
    _own = _blas[1]()
    _blas[0](1)


def blas_threads() -> int:
    """How many threads it would take: what it was told, or what is left to it."""
    return _own


# -- what others call --


def run(tiles: Sequence[Calls]) -> None:
    """Run all tiles of a step, and raise what one of them has raised."""
    _crew.run(tiles, _size)


def size() -> int:
    """How many threads compute, the caller among them."""
    return _size


def _follow(old: context.Context, new: context.Context) -> None:
    """``runtime_num_threads`` says how many, up to the cores that there are.

    Where it says 0, as many as BLAS would have taken: what the environment says, else half of the
    cores (:mod:`minispore.process`), the other half being the data pipeline's.
    """
    global _size
    _size = min(new.runtime_num_threads or min(blas_threads(), _MOST), _cores)


def _after_fork() -> None:
    """A child has none of its parent's threads."""
    global _crew
    _crew = _Crew()


_crew = _Crew()
_cores = process.cores()
_size = 1
_follow(context.current(), context.current())
context.subscribe(_follow)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

__all__ = ["Calls", "run", "size"]
