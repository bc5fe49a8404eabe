"""Checkpoints written by a background thread, one at a time."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable

from minispore.foundation import process


class _SaveThread(threading.Thread):
    """A thread that writes a checkpoint and stores its error for :func:`wait_for_saves`."""

    def __init__(self, path: str, write: Callable[[], None]) -> None:
        super().__init__(name="asyn_save_ckpt")
        self._path, self._write = path, write
        self.error: BaseException | None = None

    def run(self) -> None:
        """Write the checkpoint; store an exception, with a note that names the file, as
        ``error``.
        """
        try:
            self._write()
        except BaseException as exc:
            exc.add_note(f"save_checkpoint: while {self._path!r} was written by a thread")
            self.error = exc


_save_threads: list[_SaveThread] = []


def save_in_thread(path: str, write: Callable[[], None]) -> None:
    """Start a thread that calls ``write`` to write ``path``, after waiting for the previous save.

    If no thread can be started, ``write`` is called at once.

    Raises:
        OSError: the previous save failed, or this one was written at once and failed.
    """
    wait_for_saves()
    thread = _SaveThread(path, write)
    _save_threads.append(thread)
    if process.can_start_threads():
        thread.start()
    else:
        thread.run()
        wait_for_saves()


def async_ckpt_thread_status() -> bool:
    """Return whether a background thread is writing a checkpoint."""
    return any(thread.is_alive() for thread in _save_threads)


def wait_for_saves() -> None:
    """Wait until no checkpoint is being written; also called when Python exits.

    Raises:
        OSError: a checkpoint could not be written. Each error is raised once.
    """
    while _save_threads:
        thread = _save_threads.pop()
        if thread.ident is not None:  # it was started
            thread.join()
        if thread.error is not None:
            raise thread.error


atexit.register(wait_for_saves)
