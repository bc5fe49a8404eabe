"""Settings of the process: few BLAS threads, freed memory kept, termination together with others.

OpenBLAS uses all cores and lets its idle threads spin. A data pipeline then has no free core, and
on a shared machine each of the many small matrix products of a step waits for a thread that is not
running: on two busy cores the same LeNet training took 102 s with two threads and 5 s with one.

The C library of Linux returns large blocks to the system when they are freed, and obtains new ones
page by page. In PYNATIVE_MODE every step allocates the same megabytes again: a third of a LeNet
step was spent on fetching pages that the previous step had returned.

Ranks and workers end with the process that started them. If no thread can be started, the work of a
thread is done by the code that requests its result.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

_THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")

# Parameters of glibc's mallopt(3), and variables with which the user may have set them.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_MALLOC_VARIABLES = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")
_WATCH_SECONDS = 0.5  # interval at which a process checks that another is alive
_TRIM_BYTES, _MMAP_BYTES = 256 << 20, 32 << 20


def limit_blas_threads() -> None:
    """Set ``OPENBLAS_NUM_THREADS`` to half of the cores, or to this process's share among the ranks
    of MPI, for the BLAS that NumPy loads later.

    Does nothing if the user has set a number or NumPy is already imported.
    """
    if "numpy" in sys.modules or any(name in os.environ for name in _THREAD_VARIABLES):
        return
    ranks = os.environ.get("OMPI_COMM_WORLD_LOCAL_SIZE", "")  # ranks of an MPI job on this machine
    processes = max(2, int(ranks)) if ranks.isdecimal() else 2
    os.environ["OPENBLAS_NUM_THREADS"] = str(max(1, count_cores() // processes))


def count_cores() -> int:
    """Return the number of cores that this process may run on."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def keep_freed_memory() -> None:
    """Let malloc keep up to 256 MiB of freed memory for reuse, in blocks of up to 32 MiB.

    It has no effect if the C library is not glibc or the user has tuned its ``malloc``.
    """
    if sys.platform != "linux" or any(name in os.environ for name in _MALLOC_VARIABLES):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, _TRIM_BYTES)
        mallopt(_MMAP_THRESHOLD, _MMAP_BYTES)


@contextlib.contextmanager
def gc_disabled() -> Iterator[None]:
    """Disable garbage collection inside the ``with`` block.

    For code that creates many long-lived objects: searching them for cycles finds none, and may
    take as long as creating them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@functools.cache
def can_start_threads() -> bool:
    """Whether this interpreter can start threads, and thus processes; tried once.

    In WebAssembly it can't, although :mod:`threading` and ``os.fork`` exist.
    """
    thread = threading.Thread(target=lambda: None, name="minispore-try", daemon=True)
    try:
        thread.start()
    except RuntimeError:
        return False
    thread.join()
    return True


def disable_multi_thread() -> None:
    """Accepted for compatibility: it makes ops start one after the other, as they always do in
    minispore.
    """


def end_with(process: int) -> None:
    """Start a thread that kills this process once the process with the id ``process`` has ended,
    and with it the process group that this process leads, if any.

    Does nothing on Windows.
    """
    is_child = os.getppid() == process  # a dead process may remain as a zombie

    def watch() -> None:
        """Wait until the process has ended, then kill this process's group, or only itself."""
        while os.getppid() == process if is_child else _is_alive(process):
            time.sleep(_WATCH_SECONDS)
        if os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)

    if os.name == "posix":
        threading.Thread(target=watch, name=f"end_with {process}", daemon=True).start()


def _is_alive(process: int) -> bool:
    """Whether a process with this id exists; a zombie counts."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
