"""How many threads BLAS takes.

OpenBLAS takes all cores and lets its idle threads spin. A data pipeline then has no core of its
own, and on a shared machine each of the many small matrix products of a step waits for a thread
that is not running: on two busy cores the same LeNet training took 102 s with two threads and 5 s
with one.
"""

from __future__ import annotations

import os
import sys

_SAID = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def leave_half() -> None:
    """Let BLAS take half of the cores, unless the user said how many or NumPy has started."""
    if "numpy" in sys.modules or any(name in os.environ for name in _SAID):
        return
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    os.environ["OPENBLAS_NUM_THREADS"] = str(max(1, cores // 2))
