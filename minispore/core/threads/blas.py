"""BLAS and its own threads.

While the crew computes, BLAS is held at one thread: two pools of threads on the same cores stand in
each other's way, and the products of a step would not have the same bits on every machine.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

# How the library that NumPy brings, or was built with, calls what sets and tells its threads.
_NAMES = (
    ("scipy_openblas_set_num_threads64_", "scipy_openblas_get_num_threads64_"),
    ("openblas_set_num_threads64_", "openblas_get_num_threads64_"),
    ("openblas_set_num_threads", "openblas_get_num_threads"),
    ("MKL_Set_Num_Threads", "MKL_Get_Max_Threads"),
)


def _found() -> tuple[Callable[[int], object], Callable[[], int]] | None:
    core = getattr(np, "_core", None) or np.core
    try:  # what NumPy's own library was linked with is found through it
        library = ctypes.PyDLL(core._multiarray_umath.__file__)
    except (AttributeError, OSError):
        return None
    for setter, getter in _NAMES:
        if hasattr(library, setter) and hasattr(library, getter):
            return getattr(library, setter), getattr(library, getter)
    return None


_threads = _found()
_own = _threads[1]() if _threads is not None else 1  # as many as it has when nobody holds it
_held = False


def wanted() -> int:
    """How many threads it has of its own: what it was told, or what is left to it."""
    return _own


def hold(held: bool) -> None:
    """Hold it at one thread, or give it back its own."""
    global _held
    if _threads is not None and held is not _held:
        _threads[0](1 if held else _own)
        _held = held


__all__ = ["hold", "wanted"]
