"""A lock to wait under that Ctrl-C can't leave locked.

``with threading.Condition():`` runs Python between taking its lock and the block that gives it
back; a Ctrl-C just there leaves the lock with a thread that knows nothing of it, and everybody else
waits for ever. Here the lock itself is entered, in one step of the interpreter.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import deque
from typing import Any

_LOOK_S = 0.5  # no single wait is longer, so that Ctrl-C gets through on every system


class Monitor:
    """A lock, and a place to wait for what changes under it, as :class:`threading.Condition` is.

    Example:
        >>> from minispore.core.threads.monitor import Monitor
        >>> changed, items = Monitor(), []
        >>> with changed:
        ...     items.append(1)
        ...     changed.notify_all()
        >>> with changed:
        ...     while not items:
        ...         changed.wait(0.1)
        ...     items.pop()
        1
    """

    # ``with`` finds the lock's own two methods in these, and runs no Python to enter and to leave.
    __slots__ = ("__enter__", "__exit__", "_lock", "_waiters")

    def __init__(self) -> None:
        self._lock: Any = threading.RLock()
        self.__enter__, self.__exit__ = self._lock.__enter__, self._lock.__exit__
        self._waiters: deque[threading.Lock] = deque()

    def wait(self, seconds: float) -> None:
        """Let the lock go until somebody notifies, at most so long; who waits holds it just once.

        On any way out the lock is held again.
        """
        woken = threading.Lock()
        woken.acquire()
        self._waiters.append(woken)
        held = (1, threading.get_ident())
        try:
            self._lock.release()
            woken.acquire(True, seconds)
        finally:
            self._lock._acquire_restore(held)  # as in threading.Condition: no signal ends this wait
        with contextlib.suppress(ValueError):  # nobody came
            self._waiters.remove(woken)

    def notify_all(self) -> None:
        """Wake all that wait; the caller holds the lock."""
        while self._waiters:
            self._waiters.popleft().release()


class Event:
    """A flag that threads wait for, as :class:`threading.Event` is."""

    def __init__(self) -> None:
        self._changed = Monitor()
        self._is_set = False

    def is_set(self) -> bool:
        """Whether it is set."""
        return self._is_set

    def set(self) -> None:
        """Set it, and wake all that wait for it."""
        with self._changed:
            self._is_set = True
            self._changed.notify_all()

    def clear(self) -> None:
        """As if it had never been set."""
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        """Whether it is set, at the latest after so many seconds; None waits for it."""
        end = time.monotonic() + (math.inf if timeout is None else timeout)
        with self._changed:
            while not self._is_set and (left := end - time.monotonic()) > 0:
                self._changed.wait(min(left, _LOOK_S))
        return self._is_set


__all__ = ["Event", "Monitor"]
