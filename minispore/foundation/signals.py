"""Signals that are deferred while a process is forked.

During a fork Python calls the functions of ``os.register_at_fork`` and ignores their exceptions. A
KeyboardInterrupt at that moment would be lost, and one between the fork and the line that records
the new process would leave that process running.
"""

from __future__ import annotations

import functools
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

Handler = Callable[[int, FrameType | None], Any]
_open_blocks: list[HoldSignals] = []


class HoldSignals:
    """Context manager that defers the program's signal handlers until the ``with`` block ends.

    Python runs handlers only in the main thread, so a block in another thread has no effect. A
    child forked inside the block gets the handlers back at once, and none of the signals that its
    parent received.
    """

    def __init__(self) -> None:
        self._handlers: dict[int, Handler] = {}
        self._received: list[int] = []
        self._is_holding = True

    def __enter__(self) -> HoldSignals:
        """Save each handler of the program, and replace it by one that only records the signal.

        If a signal raises an exception in between, all handlers are restored.
        """
        if threading.current_thread() is not threading.main_thread():
            return self
        _register_child_hook()
        _open_blocks.append(self)
        try:
            for number in signal.valid_signals():
                handler = signal.getsignal(number)
                if callable(handler):
                    self._handlers[number] = handler
                    signal.signal(number, self._receive)
        except BaseException:  # a signal arrived before its handler was replaced
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the handlers, and run them for the received signals."""
        self._close()

    def _receive(self, number: int, frame: FrameType | None) -> None:
        """Record a signal; at the end of the block, while handlers are restored, call its
        handler.
        """
        if not self._is_holding:
            self._handlers[number](number, frame)
        elif number not in self._received:
            self._received.append(number)

    def _close(self) -> None:
        """Restore the handlers, and run them for the received signals."""
        self._is_holding = False
        try:
            self._restore_handlers()
        finally:  # again, in case a handler raised an exception
            self._restore_handlers()
            if self in _open_blocks:
                _open_blocks.remove(self)
            self._deliver_signals()

    def _restore_handlers(self) -> None:
        """Restore the program's handlers of all signals."""
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _deliver_signals(self) -> None:
        """Send the received signals to this process, each one even if the previous raises an
        exception.
        """
        if self._received:
            try:
                signal.raise_signal(self._received.pop(0))
            finally:
                self._deliver_signals()


@functools.cache
def _register_child_hook() -> None:
    """Let forked children restore their handlers, after all other functions of a fork."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_cancel_blocks_in_child)


def _cancel_blocks_in_child() -> None:
    """End all blocks in a forked child: restore the handlers, and forget the received signals."""
    while _open_blocks:  # the outermost block last, since it saved the program's handlers
        block = _open_blocks.pop()
        block._received.clear()
        block._close()
