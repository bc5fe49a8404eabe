"""Threads that process items in parallel and deliver the results in the items' order.

Items are pulled one by one, each with a numbered ticket. Work that must see the items in order, one
at a time (a user's function with one worker), passes a turnstile, where ticket k waits until every
earlier ticket has left it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Generic, TypeVar

from minispore.execution.threads.monitor import Monitor

Item = TypeVar("Item")
Result = TypeVar("Result")

_POLL_S = 0.5  # the longest wait, so that an interrupt is handled on every system
JOIN_S = 1.0  # how long close waits for a running user's function


class Ticket:
    """The right to pass turnstiles in order. An instance of this base class never waits."""

    def enter_turnstile(self, turnstile: Hashable) -> AbstractContextManager[None]:
        """Return a context that holds the turnstile: one ticket at a time, in their order.

        This base class returns a context that never waits.
        """
        return nullcontext()

    def leave_turnstile(self, turnstile: Hashable) -> None:
        """Let later tickets pass the turnstile without waiting for this one; nothing to do here."""


UNORDERED = Ticket()


class _OrderedTicket(Ticket):
    """A numbered ticket, which waits at turnstiles for all earlier ones."""

    def __init__(self, gate: _Gate, number: int) -> None:
        self._gate = gate
        self._number = number

    @contextmanager
    def enter_turnstile(self, turnstile: Hashable) -> Iterator[None]:
        """Wait until all earlier tickets have left; leave the turnstile when the context exits."""
        self._gate.enter(self._number, turnstile)
        try:
            yield
        finally:
            self.leave_turnstile(turnstile)

    def leave_turnstile(self, turnstile: Hashable) -> None:
        self._gate.leave(self._number, turnstile)


class _Gate:
    """The active tickets and the turnstiles that each has left."""

    def __init__(self) -> None:
        self._changed = Monitor()
        # Active ticket -> the turnstiles it has left.
        self._left_turnstiles: dict[int, set[Hashable]] = {}
        self._closed = False

    def issue(self, number: int) -> _OrderedTicket:
        """Return a new ticket with this number, registered as active."""
        with self._changed:
            self._left_turnstiles[number] = set()
        return _OrderedTicket(self, number)

    def enter(self, number: int, turnstile: Hashable) -> None:
        """Wait until all earlier tickets have left the turnstile, or the gate is closed."""
        with self._changed:
            while not self._closed and any(
                turnstile not in passed for n, passed in self._left_turnstiles.items() if n < number
            ):
                self._changed.wait(_POLL_S)

    def leave(self, number: int, turnstile: Hashable) -> None:
        """Record that ticket ``number`` has left the turnstile, and wake the threads waiting."""
        with self._changed:
            self._left_turnstiles[number].add(turnstile)
            self._changed.notify_all()

    def finish(self, number: int) -> None:
        """Remove a ticket whose work is done, so that it no longer blocks any turnstile."""
        with self._changed:
            del self._left_turnstiles[number]
            self._changed.notify_all()

    def close(self) -> None:
        """Let all tickets pass at once."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class OrderedWorkers(Generic[Item, Result]):
    """An iterator over ``work(item, ticket)`` for the items that ``pull`` returns.

    Args:
        pull: returns the next item, or raises StopIteration; never called by two threads at once.
        work: called by ``count`` threads in parallel.
        count: the number of threads; with 0 the consumer's thread does the work.
        max_results: returns how many results may be ready or in progress.
        name: the name of the threads.
    """

    def __init__(
        self,
        pull: Callable[[], Item],
        work: Callable[[Item, Ticket], Result],
        count: int,
        max_results: Callable[[], int],
        name: str,
    ) -> None:
        self._pull, self._work, self._count = pull, work, count
        self._max_results = max_results
        self._name = name
        self._changed = Monitor()
        self._pull_lock = threading.Lock()
        self._gate = _Gate()
        self._ready: dict[int, tuple[Result | None, BaseException | None]] = {}
        self._issued = self._delivered = 0
        self._ticket_count: int | None = None  # known once pull has raised StopIteration
        self._closed = False
        self._threads: list[threading.Thread] = []

    def __iter__(self) -> OrderedWorkers[Item, Result]:
        return self

    def __next__(self) -> Result:
        """Return the next result in order, or raise the error of its item.

        The first call starts the threads; without threads this call does the work.
        """
        if not self._count:
            return self._work(self._pull(), UNORDERED)
        if not self._threads:
            self._start_threads()
        with self._changed:
            while self._delivered not in self._ready:
                if self._closed or (
                    self._ticket_count is not None and self._delivered >= self._ticket_count
                ):
                    raise StopIteration
                self._changed.wait(_POLL_S)
            result, error = self._ready.pop(self._delivered)
            self._delivered += 1
            self._changed.notify_all()
        if error is not None:
            raise error
        return result  # type: ignore[return-value]  # no error, so there is a result

    @property
    def result_count(self) -> int:
        """The number of results that are ready but not delivered."""
        return len(self._ready)

    @property
    def capacity(self) -> int:
        """The largest number of results that may be ready or in progress, at least one a thread."""
        return max(self._max_results(), self._count)

    def stop(self) -> None:
        """Signal the threads to end, and drop the results that are ready."""
        with self._changed:
            self._closed = True
            self._ready.clear()
            self._changed.notify_all()
        self._gate.close()

    def join(self, deadline: float | None = None) -> None:
        """Wait for the threads to end, but only briefly for threads inside a user's function.

        Args:
            deadline: the ``time.monotonic`` at which to stop waiting; None for ``JOIN_S`` from now.
        """
        deadline = time.monotonic() + JOIN_S if deadline is None else deadline
        for thread in self._threads:
            # A thread may not have started.
            if thread is not threading.current_thread() and thread.is_alive():
                thread.join(deadline - time.monotonic())

    def _start_threads(self) -> None:
        """Start the worker threads, as daemons."""
        # The threads hold no reference to the user's iterator, so that a dropped iterator is
        # garbage-collected and closed.
        self._threads = [
            threading.Thread(target=self._run_thread, name=f"{self._name}-{i}", daemon=True)
            for i in range(self._count)
        ]
        for thread in self._threads:
            thread.start()

    def _run_thread(self) -> None:
        """Run the loop of a worker thread: pull an item, process it, store the result or error."""
        while (pulled := self._pull_next()) is not None:
            number, item, ticket = pulled
            result: Result | None = None
            error: BaseException | None = None
            try:
                result = self._work(item, ticket)
            except BaseException as exc:
                error = exc
            self._gate.finish(number)
            self._store_result(number, result, error)

    def _pull_next(self) -> tuple[int, Item, Ticket] | None:
        """Pull the next item, once there is room for its result.

        An error of ``pull`` is stored as the result of the item and ends the items.

        Returns:
            Its number, the item and its ticket; None if the items have ended or the workers
            are stopped.
        """
        with self._pull_lock:
            with self._changed:
                while not self._closed and self._ticket_count is None and self._is_full():
                    self._changed.wait(_POLL_S)
                if self._closed or self._ticket_count is not None:
                    return None
                number = self._issued
            try:
                item = self._pull()
            except StopIteration:
                self._set_ticket_count(number)
                return None
            except BaseException as exc:
                self._store_result(number, None, exc)
                self._set_ticket_count(number + 1)
                return None
            self._issued += 1
            return number, item, self._gate.issue(number)

    def _is_full(self) -> bool:
        """Whether the number of results that are ready or in progress has reached its limit."""
        return self._issued - self._delivered >= self.capacity

    def _store_result(
        self, number: int, result: Result | None, error: BaseException | None
    ) -> None:
        """Store the result or error of item ``number`` unless closed, and wake the consumer."""
        with self._changed:
            if not self._closed:
                self._ready[number] = (result, error)
            self._changed.notify_all()

    def _set_ticket_count(self, ticket_count: int) -> None:
        """Record that the items end after ``ticket_count`` tickets, and wake all threads."""
        with self._changed:
            self._ticket_count = ticket_count
            self._changed.notify_all()
