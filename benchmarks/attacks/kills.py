"""Kill a process at any of its calls.

The process is a fork of this one. Each call that may change a file (``write``, ``fsync``,
``replace``, ``execute``, ...) is a place where it may end, as by ``kill -9``: nothing is flushed,
nothing is cleaned up.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from typing import Any

DONE, KILLED, FAILED = 0, 9, 1


_MODULES = {"posix", "_io", "io", "fcntl", "sqlite3", "_sqlite3"}


def _touches_files(function: Any) -> bool:
    owner = getattr(function, "__self__", None)
    return (getattr(function, "__module__", None) or type(owner).__module__) in _MODULES


def fork() -> int:
    """Fork this process; return the child's number, or 0 in the child."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there may be idle threads, which the child never misses
        return os.fork()


def run_killed_at(call: int, work: Callable[[], Any]) -> int:
    """Do ``work`` in a fork that ends at its ``call``-th call; return DONE if it has fewer."""
    child = fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    calls_left = [call]

    def count_call(frame: Any, event: str, argument: Any) -> None:
        if event == "c_call" and _touches_files(argument):
            calls_left[0] -= 1
            if calls_left[0] < 0:
                os._exit(KILLED)

    try:
        threading.setprofile(count_call)
        sys.setprofile(count_call)
        work()
        sys.setprofile(None)
        os._exit(DONE)
    except BaseException:
        sys.setprofile(None)
        traceback.print_exc()
        os._exit(FAILED)


def count_calls(work: Callable[[], Any]) -> int:
    """Return how many calls of ``work`` may change a file, from a fork that runs to the end."""
    read, write = os.pipe()
    child = fork()
    if not child:
        call_count = [0]

        def count_call(frame: Any, event: str, argument: Any) -> None:
            call_count[0] += event == "c_call" and _touches_files(argument)

        try:
            threading.setprofile(count_call)
            sys.setprofile(count_call)
            work()
            sys.setprofile(None)
            os.write(write, str(call_count[0]).encode())
            os._exit(DONE)
        except BaseException:
            traceback.print_exc()
            os._exit(FAILED)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != DONE:
        raise RuntimeError("the work must end well when nobody kills it")
    return int(text)
