"""A monitor (lock and condition) that Ctrl-C can't leave locked.

``with threading.Condition():`` runs Python code between taking its lock and entering the block that
releases it. A Ctrl-C at that point leaves the lock held by a thread that does not know it, and all
other threads wait forever. A Monitor uses the lock itself as the context manager, which is entered
in one interpreter step.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections import deque
from typing import Any

_MAX_WAIT_S = 0.5  # longest single wait, so that Ctrl-C works on every system


class Monitor:
    """A lock with a condition to wait for, like :class:`threading.Condition`.

    Example:
        >>> from minispore.execution.threads.monitor import Monitor
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

    # The lock's own methods, so that ``with`` runs no Python code on entry and exit.
    __slots__ = ("__enter__", "__exit__", "_lock", "_waiters")

    def __init__(self) -> None:
        self._lock: Any = threading.RLock()
        self.__enter__, self.__exit__ = self._lock.__enter__, self._lock.__exit__
        self._waiters: deque[threading.Lock] = deque()

    def wait(self, seconds: float) -> None:
        """Release the lock until notified or ``seconds`` have passed; the caller must hold it
        exactly once.

        The lock is held again afterwards, also after an exception.
        """
        waiter = threading.Lock()
        waiter.acquire()
        self._waiters.append(waiter)
        owner_state = (1, threading.get_ident())
        try:
            self._lock.release()
            waiter.acquire(True, seconds)
        finally:
            # As in threading.Condition: no signal ends this wait.
            self._lock._acquire_restore(owner_state)
        with contextlib.suppress(ValueError):  # not notified
            self._waiters.remove(waiter)

    def notify_all(self) -> None:
        """Wake all waiting threads; the caller must hold the lock."""
        while self._waiters:
            self._waiters.popleft().release()


class Event:
    """A flag that threads wait for, like :class:`threading.Event`."""

    def __init__(self) -> None:
        self._monitor = Monitor()
        self._is_set = False

    def is_set(self) -> bool:
        """Return whether the flag is set."""
        return self._is_set

    def set(self) -> None:
        """Set the flag, and wake all threads that wait for it."""
        with self._monitor:
            self._is_set = True
            self._monitor.notify_all()

    def clear(self) -> None:
        """Reset the flag; threads in ``wait`` go on waiting, even if ``set`` just woke them."""
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the flag is set, at most ``timeout`` seconds; return whether it is set."""
        end = time.monotonic() + (math.inf if timeout is None else timeout)
        with self._monitor:
            while not self._is_set and (remaining := end - time.monotonic()) > 0:
                self._monitor.wait(min(remaining, _MAX_WAIT_S))
        return self._is_set


__all__ = ["Event", "Monitor"]
