"""Checkpoints that are written by a thread, one at a time."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable


class _Saving(threading.Thread):
    """A checkpoint that is being written; what fails is kept until somebody waits for it."""

    def __init__(self, path: str, write: Callable[[], None]) -> None:
        super().__init__(name="asyn_save_ckpt")
        self._path, self._write = path, write
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self._write()
        except BaseException as exc:
            exc.add_note(f"save_checkpoint: while {self._path!r} was written by a thread")
            self.error = exc


_saving: list[_Saving] = []


def save_in_thread(path: str, write: Callable[[], None]) -> None:
    """Let a thread write ``path``, after what is being written."""
    wait_for_saves()
    thread = _Saving(path, write)
    _saving.append(thread)
    thread.start()


def async_ckpt_thread_status() -> bool:
    """Whether a checkpoint is being written in a thread of its own."""
    return any(thread.is_alive() for thread in _saving)


def wait_for_saves() -> None:
    """Wait until no checkpoint is being written.

    Raises:
        OSError: one could not be written. It is raised once: here, or when Python ends.
    """
    while _saving:
        thread = _saving.pop()
        thread.join()
        if thread.error is not None:
            raise thread.error


atexit.register(wait_for_saves)
