"""What minispore asks of its process: few threads for BLAS, freed memory kept, an end with others.

OpenBLAS takes all cores and lets its idle threads spin. A data pipeline then has no core of its
own, and on a shared machine each of the many small matrix products of a step waits for a thread
that is not running: on two busy cores the same LeNet training took 102 s with two threads and 5 s
with one.

The C library of Linux gives large blocks back to the system as they are freed, and gets the next
ones page by page. In PYNATIVE_MODE every step allocates the same megabytes again: a third of a
LeNet step went into fetching pages that the step before had given back.

What it started, ranks and workers, ends with the process that started it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

_SAID = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

# Parameters of glibc's mallopt(3): what the user may have set instead, and what we set.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_MALLOC_SAID = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")
_WATCH_SECONDS = 0.5  # how often a process looks whether another is alive
_KEPT_BYTES, _LARGEST_KEPT = 256 << 20, 32 << 20


def leave_half() -> None:
    """Let BLAS take half of the cores, unless the user said how many or NumPy has started."""
    if "numpy" in sys.modules or any(name in os.environ for name in _SAID):
        return
    ranks = os.environ.get("OMPI_COMM_WORLD_LOCAL_SIZE", "")  # of an MPI job, on this machine
    parts = max(2, int(ranks)) if ranks.isdecimal() else 2
    os.environ["OPENBLAS_NUM_THREADS"] = str(max(1, cores() // parts))


def cores() -> int:
    """How many this process may run on."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def keep_freed_memory() -> None:
    """Keep up to 256 MiB of freed memory for the next allocations, in blocks of up to 32 MiB.

    Nothing is done where the C library is not glibc or the user has tuned its ``malloc``.
    """
    if sys.platform != "linux" or any(name in os.environ for name in _MALLOC_SAID):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
        mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """No search for cycles meanwhile: for what makes many objects that stay, among which it finds
    none, at up to the cost of making them.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def disable_multi_thread() -> None:
    """What scripts for small machines ask of MindSpore: ops start one after the other anyway."""


def end_with(process: int) -> None:
    """End this process, and those of its process group, when its parent, or another, has died."""
    child = os.getppid() == process  # a dead process may still be there as a zombie

    def watch() -> None:
        while os.getppid() == process if child else _exists(process):
            time.sleep(_WATCH_SECONDS)
        if os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)

    if os.name == "posix":
        threading.Thread(target=watch, name=f"end_with {process}", daemon=True).start()


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
