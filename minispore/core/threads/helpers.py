"""Helpers: processes that compute the tiles of a program beside this one.

Threads of one process hand each other the interpreter's lock after each call, and the system wakes
them up; so only long steps gain by them. A helper has an interpreter of its own. It is a fork of
this process, so it knows each step that was there by then, and all that a step takes to begin is
its number. Arrays are where both see them (:mod:`minispore.core.threads.commons`).

Who takes which tile is decided while they run, as in the :mod:`~minispore.core.threads.crew`: a
helper that comes late finds less left to do, and one that has taken nothing is not waited for. It
keeps off the core of its caller (:mod:`minispore.core.threads.cores`), and looks for work for a
fraction of a millisecond before it sleeps. When nobody has called for some seconds it ends, and it
ends with this process, whatever that ends by. What goes wrong in a step ends all helpers before
anybody is told, so that nothing of it goes on.

Where there is no fork, or it fails, there are no helpers, and threads do the work.
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

from minispore.core.threads import commons, cores, crew
from minispore.core.threads.crew import Calls
from minispore.later import later

_LOOKS = 3000  # of 70 ns, before one who waits sleeps
_IDLE_SECONDS = 5.0
_AWAKE_SECONDS = 0.5  # how often one who sleeps looks whether the others are there
_START_SECONDS = 2.0  # longer than a helper needs to be ready
_MESSAGE_BYTES = 1 << 16
_MOST_TILES = 16
_HELPERS_AT = 3  # of the board, where they say on which core they are

_system, _ = later(__name__, {"get_context": "multiprocessing"})  # most programs have no helpers
_numbers = itertools.count(1)
_steps: weakref.WeakValueDictionary[int, Step] = weakref.WeakValueDictionary()


class Step:
    """Tiles that helpers run together with who calls it.

    Attributes:
        number: what helpers know it by: those that are forked after it was made.
    """

    __slots__ = ("__weakref__", "number", "tiles")

    def __init__(self, tiles: Sequence[Calls]) -> None:
        while len(tiles) > _MOST_TILES:  # two by two
            tiles = [
                [call for tile in tiles[i : i + 2] for call in tile]
                for i in range(0, len(tiles), 2)
            ]
        self.tiles = tiles
        self.number = next(_numbers)
        _steps[self.number] = self

    def __call__(self) -> None:
        _team.run(self)


class _Helper:
    """A process, seen from the one that forked it."""

    def __init__(self, number: int, semaphore: Callable[[int], Any]) -> None:
        self.number = number  # the caller is hand 0
        self.pid = 0
        made = [semaphore(0) for _ in range(3)]
        self.held = made
        self.call, self.called = made[0].release, made[0].acquire
        self.say_done, self.done = made[1].release, made[1].acquire
        self.say_ready, self.ready = made[2].release, made[2].acquire

    def gone(self) -> bool:
        """Whether it has ended, or somebody else has seen that it has."""
        try:
            return os.waitpid(self.pid, os.WNOHANG)[0] != 0
        except ChildProcessError:
            return True


class _Team:
    """All helpers of this process."""

    def __init__(self) -> None:
        self.possible = sys.platform == "linux" and hasattr(os, "fork")
        self._busy = threading.Lock()
        self._helpers: list[_Helper] = []
        self._known = self._given_back = 0  # when they were forked
        self._tiles: list[Any] = []  # semaphores: who gets one, gets the tile
        self._free: list[Any] = []  # what gets them
        self._made: list[_Helper] = []
        # The number of the step, of how many bytes is what went wrong, and on which cores who is.
        self._board: Any = None
        self._message: Any = None

    # -- here --

    def ready(self, newest: int) -> bool:
        """Let there be helpers that know the steps up to this number; False: there can't be any.

        While they have another thread's step, this one's are its own.
        """
        if not self._busy.acquire(blocking=False):
            return True
        try:
            if (
                self._known < newest
                or len(self._helpers) != crew.size() - 1
                or self._given_back != commons.given_back()
                or any(helper.gone() for helper in self._helpers)
            ):
                self._end()
                self._start()
            if self._helpers:
                self._board[2] = cores.here()
        finally:
            self._busy.release()
        return bool(self._helpers)

    def _start(self) -> None:
        try:
            self._prepare()
            for helper in self._made:
                helper.pid = self._fork(helper)
                self._helpers.append(helper)
            ready = [h.ready(True, _START_SECONDS) for h in self._helpers]
        except (OSError, ImportError):  # no process, no memory, or no semaphores to be had
            ready = [False]
        except BaseException:
            self._end()
            raise
        if not all(ready):
            self._end()
            self.possible = False

    def _prepare(self) -> None:
        get_context: Any = _system("get_context")
        semaphore = get_context("fork").Semaphore
        self._tiles = [semaphore(1) for _ in range(_MOST_TILES)]
        self._free = [s.acquire for s in self._tiles]
        self._made = [_Helper(i, semaphore) for i in range(1, crew.size())]
        size = 8 * (_HELPERS_AT + crew.size())
        room = commons.memory(size + _MESSAGE_BYTES, kept=False)
        self._board = memoryview(room[:size].view(np.int64).data)
        self._message = room[size:]
        self._given_back = commons.given_back()
        self._known = next(_numbers)

    def _fork(self, helper: _Helper) -> int:
        global _forking
        _forking = threading.get_ident()
        try:
            with warnings.catch_warnings():
                # From Python 3.12 on, of locks that other threads may hold: a helper takes none.
                warnings.simplefilter("ignore", DeprecationWarning)
                pid = os.fork()
            if pid == 0:
                self._serve(helper)
        finally:
            _forking = 0
        return pid

    def _end(self) -> None:
        """End the helpers; when this returns they touch nothing any more."""
        while self._helpers:
            helper = self._helpers[-1]
            with contextlib.suppress(ProcessLookupError):
                os.kill(helper.pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(helper.pid, 0)
            self._helpers.pop()

    def run(self, step: Step) -> None:
        """Run a step, and raise what a call of it has raised."""
        if step.number > self._known or not self._busy.acquire(blocking=False):
            for call in itertools.chain(*step.tiles):
                call()
            return
        try:
            self._run(step)
        except BaseException:
            self._end()
            raise
        finally:
            self._busy.release()

    def _run(self, step: Step) -> None:
        helpers, tiles = self._helpers, step.tiles
        self._board[0] = step.number
        for helper in helpers:
            helper.call()
        _work(tiles, self._free, 0, len(helpers) + 1)
        for helper in helpers:
            if not helper.called(False):  # else it has not come, and will not
                self._wait(helper)
        for tile in self._tiles[: len(tiles)] if helpers else ():
            tile.release()

    def _wait(self, helper: _Helper) -> None:
        done = helper.done
        for _ in range(_LOOKS):
            if done(False):
                break
        else:
            with cores.woken_off(self._board[_HELPERS_AT:]):
                self._sleep(helper)
        if self._board[1]:
            raise _said(self._message, self._board[1])

    def _sleep(self, helper: _Helper) -> None:
        while not helper.done(True, _AWAKE_SECONDS):
            if helper.gone():
                raise RuntimeError(
                    f"GRAPH_MODE: process {helper.pid}, which computed a part of this step, was "
                    "ended from outside (out of memory?); what the step writes is not whole. Load "
                    "a checkpoint, or set runtime_num_threads=1 to compute in one process."
                )

    # -- in a helper --

    def _serve(self, helper: _Helper) -> NoReturn:
        try:
            _leave_all()
            small = np.ones((8, 8), np.float32)
            np.matmul(small, small)  # BLAS works in a child of a process that was at work in it
            steps, parent, hands = dict(_steps), os.getppid(), len(self._made) + 1
            mine, kept_off = sorted(os.sched_getaffinity(0)), -1
            helper.say_ready()
            while _called(helper, parent):
                if self._board[2] != kept_off:
                    kept_off = self._board[2]
                    at = cores.leave(kept_off, mine, helper.number - 1 + parent)
                    self._board[_HELPERS_AT + helper.number - 1] = at
                try:
                    _work(steps[self._board[0]].tiles, self._free, helper.number, hands)
                except BaseException as error:
                    self._board[1] = _say(error, self._message)
                helper.say_done()
        finally:
            os._exit(0)


@cache
def _order(count: int, hand: int, hands: int) -> tuple[int, ...]:
    """A hand's own part of the tiles first: its core has the same part of other arrays at hand."""
    begin = count * hand // hands
    return (*range(begin, count), *range(begin))


def _work(tiles: Sequence[Calls], free: Sequence[Any], hand: int, hands: int) -> None:
    """Run tiles that nobody has begun."""
    for i in _order(len(tiles), hand, hands):
        if hands == 1 or free[i](False):
            for call in tiles[i]:
                call()


def _called(helper: _Helper, parent: int) -> bool:
    """Wait for a step; False when there is nobody who will call."""
    called = helper.called
    for _ in range(_LOOKS):
        if called(False):
            return True
    for _ in range(int(_IDLE_SECONDS / _AWAKE_SECONDS)):
        if called(True, _AWAKE_SECONDS):
            return True
        if os.getppid() != parent:
            break
    return False


def _leave_all() -> None:
    """What a child has of its parent and must not touch: signals, files, what is watched."""
    sys.settrace(None)
    sys.setprofile(None)
    gc.disable()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)  # of all processes of a terminal: the parent's matter
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with contextlib.suppress(OSError):
        files = [int(name) for name in os.listdir("/proc/self/fd")]
        nothing = os.open(os.devnull, os.O_RDWR)
        for file in files:
            if file > 2:
                with contextlib.suppress(OSError):
                    os.close(file)
            else:
                os.dup2(nothing, file)
    np.seterr(all="ignore")  # log(0) is -inf and no warning, as on any device


def _say(error: BaseException, room: np.ndarray) -> int:
    """Write down what went wrong; how many bytes that takes."""
    try:
        said = pickle.dumps(error)
        pickle.loads(said)
        if len(said) > len(room):
            raise ValueError
    except Exception:
        said = pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"[:1000]))
    room[: len(said)] = np.frombuffer(said, np.uint8)
    return len(said)


def _said(room: np.ndarray, nbytes: int) -> BaseException:
    error: BaseException = pickle.loads(room[:nbytes].tobytes())
    return error


# -- what others call --


def wanted() -> bool:
    """Whether programs should have helpers: more threads than one are wanted, and there is fork."""
    return _team.possible and crew.size() > 1


def ready(newest: int) -> bool:
    """Let there be helpers that know all steps up to that number; False: there can't be any."""
    return _team.ready(newest)


def end() -> None:
    """End the helpers; the next program that wants some starts others."""
    _team._end()


def _before_fork() -> None:
    if _forking != threading.get_ident():
        commons.will_part()


def _after_fork_in_parent() -> None:
    if _forking != threading.get_ident():
        commons.parted()


def _after_fork_in_child() -> None:
    """A child has none of its parent's helpers, and shares no memory with it, unless it is one."""
    global _team
    if _forking != threading.get_ident():
        _team = _Team()
        commons.part()


_forking = 0  # the thread that forks a helper
_team = _Team()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
atexit.register(end)

__all__ = ["Step", "end", "ready", "wanted"]
