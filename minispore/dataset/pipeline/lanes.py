"""Lanes: threads that work on items side by side and hand over the results in the items' order.

Items are pulled one after the other, each with a ticket number. Work that must see the items in
order, one at a time (a user's function that has one worker), passes a turnstile: there, ticket k
waits until every earlier ticket is through.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Generic, TypeVar

from minispore.core.threads.monitor import Monitor

Item = TypeVar("Item")
Result = TypeVar("Result")

_WAKE_S = 0.5  # no wait is longer than this, so an interrupt gets through on every system
JOIN_S = 1.0  # how long close waits for a user's function that is running


class Turn:
    """The right to pass turnstiles in order. This one is for work that no other thread shares."""

    def at(self, place: Hashable) -> AbstractContextManager[None]:
        """A context that has one ticket at a time at ``place``, in the order of the tickets."""
        return nullcontext()

    def leave(self, place: Hashable) -> None:
        """Later tickets need not wait for this one at ``place``."""


ALONE = Turn()


class _Ticket(Turn):
    def __init__(self, gate: _Gate, number: int) -> None:
        self._gate = gate
        self._number = number

    @contextmanager
    def at(self, place: Hashable) -> Iterator[None]:
        self._gate.enter(self._number, place)
        try:
            yield
        finally:
            self.leave(place)

    def leave(self, place: Hashable) -> None:
        self._gate.leave(self._number, place)


class _Gate:
    """Where the tickets under way are."""

    def __init__(self) -> None:
        self._moved = Monitor()
        self._through: dict[int, set[Hashable]] = {}  # ticket under way -> the places it has left
        self._closed = False

    def issue(self, number: int) -> _Ticket:
        with self._moved:
            self._through[number] = set()
        return _Ticket(self, number)

    def enter(self, number: int, place: Hashable) -> None:
        with self._moved:
            while not self._closed and any(
                place not in left for n, left in self._through.items() if n < number
            ):
                self._moved.wait(_WAKE_S)

    def leave(self, number: int, place: Hashable) -> None:
        with self._moved:
            self._through[number].add(place)
            self._moved.notify_all()

    def finish(self, number: int) -> None:
        with self._moved:
            del self._through[number]
            self._moved.notify_all()

    def close(self) -> None:
        with self._moved:
            self._closed = True
            self._moved.notify_all()


class Lanes(Generic[Item, Result]):
    """An iterator over ``work(item, turn)`` for the items that ``pull`` gives until
    it raises StopIteration.

    Args:
        pull: gives the next item; never called by two threads at once.
        work: called by ``count`` threads side by side.
        count: the number of threads; 0 works in the caller's thread, when asked for a result.
        ahead: says how many results may wait.
        name: of the threads.
    """

    def __init__(
        self,
        pull: Callable[[], Item],
        work: Callable[[Item, Turn], Result],
        count: int,
        ahead: Callable[[], int],
        name: str,
    ) -> None:
        self._pull, self._work, self._count = pull, work, count
        self._ahead = ahead
        self._name = name
        self._state = Monitor()
        self._pulling = threading.Lock()
        self._gate = _Gate()
        self._ready: dict[int, tuple[Result | None, BaseException | None]] = {}
        self._issued = self._taken = 0
        self._end: int | None = None  # the number of tickets, once known
        self._closed = False
        self._threads: list[threading.Thread] = []

    def __iter__(self) -> Lanes[Item, Result]:
        return self

    def __next__(self) -> Result:
        if not self._count:
            return self._work(self._pull(), ALONE)
        if not self._threads:
            self._start()
        with self._state:
            while self._taken not in self._ready:
                if self._closed or (self._end is not None and self._taken >= self._end):
                    raise StopIteration
                self._state.wait(_WAKE_S)
            result, error = self._ready.pop(self._taken)
            self._taken += 1
            self._state.notify_all()
        if error is not None:
            raise error
        return result  # type: ignore[return-value]  # no error, so there is a result

    @property
    def filled(self) -> int:
        """How many results wait."""
        return len(self._ready)

    @property
    def capacity(self) -> int:
        """How many results may wait."""
        return max(self._ahead(), self._count)

    def stop(self) -> None:
        """Tell the threads to end."""
        with self._state:
            self._closed = True
            self._ready.clear()
            self._state.notify_all()
        self._gate.close()

    def join(self, end: float | None = None) -> None:
        """Wait for the threads to end, but only a moment for those inside a user's function.

        Args:
            end: the ``time.monotonic`` to wait for at most.
        """
        end = time.monotonic() + JOIN_S if end is None else end
        for thread in self._threads:
            if thread is not threading.current_thread() and thread.is_alive():  # it may not begin
                thread.join(end - time.monotonic())

    def _start(self) -> None:
        # The threads hold no reference to what the user holds: an iterator that is dropped gets
        # collected, and closes.
        self._threads = [
            threading.Thread(target=self._serve, name=f"{self._name}-{i}", daemon=True)
            for i in range(self._count)
        ]
        for thread in self._threads:
            thread.start()

    def _serve(self) -> None:
        while (taken := self._next()) is not None:
            number, item, turn = taken
            result: Result | None = None
            error: BaseException | None = None
            try:
                result = self._work(item, turn)
            except BaseException as exc:
                error = exc
            self._gate.finish(number)
            self._put(number, result, error)

    def _next(self) -> tuple[int, Item, Turn] | None:
        with self._pulling:
            with self._state:
                while not self._closed and self._end is None and self._full():
                    self._state.wait(_WAKE_S)
                if self._closed or self._end is not None:
                    return None
                number = self._issued
            try:
                item = self._pull()
            except StopIteration:
                self._finish(number)
                return None
            except BaseException as exc:
                self._put(number, None, exc)
                self._finish(number + 1)
                return None
            self._issued += 1
            return number, item, self._gate.issue(number)

    def _full(self) -> bool:
        return self._issued - self._taken >= self.capacity

    def _put(self, number: int, result: Result | None, error: BaseException | None) -> None:
        with self._state:
            if not self._closed:
                self._ready[number] = (result, error)
            self._state.notify_all()

    def _finish(self, end: int) -> None:
        with self._state:
            self._end = end
            self._state.notify_all()
