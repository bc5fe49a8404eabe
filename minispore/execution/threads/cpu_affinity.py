"""CPU cores of processes that compute together: the system sometimes puts several on one core.

The system tends to run a woken process on the core of the process that woke it, and to leave both
there as long as each of them sleeps now and then.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterable, Iterator, Sequence

_getcpu = getattr(ctypes.PyDLL(None), "sched_getcpu", None) if sys.platform == "linux" else None


def get_current_core() -> int:
    """Return the core that this thread runs on; -1 if it is unknown."""
    return _getcpu() if _getcpu is not None else -1


def move_off_core(core: int, allowed: Sequence[int], worker_index: int) -> int:
    """Move this process to one of the ``allowed`` cores other than ``core``; return the new core,
    or -1 if there is none or ``core`` is unknown (-1).

    Workers with different indices move to different cores, if there are enough.
    """
    other_cores = [c for c in allowed if c != core]
    if core < 0 or not other_cores:
        return -1
    new_core = other_cores[worker_index % len(other_cores)]
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {new_core})
    return new_core


@contextlib.contextmanager
def waking_off_cores(avoided: Iterable[int]) -> Iterator[None]:
    """Avoid these cores inside the ``with`` block, so that this thread does not wake up on one of
    them; then allow the same cores as before.

    Does nothing if the thread is allowed on no other core.
    """
    allowed = os.sched_getaffinity(0)
    try:
        if other_cores := allowed - set(avoided):
            os.sched_setaffinity(0, other_cores)
        yield
    finally:
        os.sched_setaffinity(0, allowed)


__all__ = ["get_current_core", "move_off_core", "waking_off_cores"]
