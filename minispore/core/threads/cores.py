"""On which cores processes that compute together are: the system puts them on one, at times.

It lets who is woken up run where who woke it up does, and leaves both there while each of them
sleeps now and then.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterable, Iterator, Sequence

_getcpu = getattr(ctypes.PyDLL(None), "sched_getcpu", None) if sys.platform == "linux" else None


def here() -> int:
    """The core on which this thread is; -1 where nobody knows."""
    return _getcpu() if _getcpu is not None else -1


def leave(core: int, mine: Sequence[int], number: int) -> int:
    """Go to another core than that one, helpers of several numbers to several cores; to which."""
    others = [c for c in mine if c != core]
    if core < 0 or not others:
        return -1
    chosen = others[number % len(others)]
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {chosen})
    return chosen


@contextlib.contextmanager
def woken_off(cores: Iterable[int]) -> Iterator[None]:
    """Wake up on another core than those: the system likes that of who wakes up whom, and would
    leave both there.
    """
    mine = os.sched_getaffinity(0)
    try:
        if others := mine - set(cores):
            os.sched_setaffinity(0, others)
        yield
    finally:
        os.sched_setaffinity(0, mine)


__all__ = ["here", "leave", "woken_off"]
