"""No test of this folder can start a thread or a process, as in an interpreter in a browser."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from minispore.foundation import process


def _refuse_thread(thread: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def _refuse_process(*args: Any) -> int:
    raise OSError("this system has no processes")


@pytest.fixture(autouse=True, scope="module")
def no_threads() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threading.Thread, "start", _refuse_thread)
        for name in ("fork", "posix_spawn"):
            if hasattr(os, name):
                patch.setattr(os, name, _refuse_process)
        process.can_start_threads.cache_clear()
        yield
    process.can_start_threads.cache_clear()
