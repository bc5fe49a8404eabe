"""Intermediates of a kernel that are saved for the kernels of its gradient.

In a graph equal nodes are merged. Op by op, a convolution's transformed input, the gate of a GELU
or the softmax of a cross entropy would be computed twice: by the op while a tape records it, and by
its gradient. So the op saves it with the tape, if the gradient will read it (see
``VjpRule.saves_for_inputs``), and the gradient takes it from the tape. Saving is optional: an
intermediate that was not saved is computed, with the same bits.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from minispore.ir.operator import Operator

_MOST_BYTES = 64 << 20  # limit on the bytes of a tape's intermediates


class SavedIntermediates:
    """Intermediates that kernels saved while a tape was open, for the kernels of the gradient.

    The key of an array consists of the primitives that computed it, in order, and their input
    arrays, which do not change while a tape is open.
    """

    def __init__(self) -> None:
        self._arrays: dict[Any, tuple[tuple[Any, ...], np.ndarray]] = {}
        self._nbytes = 0

    def store(self, array: np.ndarray, prims: tuple[Operator, ...], args: tuple[Any, ...]) -> None:
        """Save ``array`` unless its key is already stored or the memory limit is reached.

        Its key is the primitives and the identity of ``args``.
        """
        key = prims, tuple(map(id, args))  # the entry refers to args, so their ids stay unique
        if key not in self._arrays and self._nbytes + array.nbytes <= _MOST_BYTES:
            self._nbytes += array.nbytes
            self._arrays[key] = args, array

    def take(self, prims: tuple[Operator, ...], args: tuple[Any, ...]) -> np.ndarray | None:
        """Return the array saved for these primitives and ``args``, and remove it; None if there is
        none.
        """
        _, array = self._arrays.pop((prims, tuple(map(id, args))), ((), None))
        self._nbytes -= 0 if array is None else array.nbytes
        return array


class _ThreadState(threading.local):
    """The stores that kernels of this thread save intermediates to and take intermediates from."""

    save_target: SavedIntermediates | None = None
    lookup_source: SavedIntermediates | None = None


_thread_state = _ThreadState()


@contextmanager
def saving_to(target: SavedIntermediates | None) -> Iterator[None]:
    """Let kernels of this thread save intermediates to ``target`` inside the ``with`` block; None
    disables saving.
    """
    previous, _thread_state.save_target = _thread_state.save_target, target
    try:
        yield
    finally:
        _thread_state.save_target = previous


@contextmanager
def looking_up_in(source: SavedIntermediates) -> Iterator[None]:
    """Let kernels of this thread take intermediates from ``source`` inside the ``with`` block."""
    previous, _thread_state.lookup_source = _thread_state.lookup_source, source
    try:
        yield
    finally:
        _thread_state.lookup_source = previous


def is_saving() -> bool:
    """Whether kernels of this thread save intermediates for a gradient."""
    return _thread_state.save_target is not None


def save(array: np.ndarray, prims: tuple[Operator, ...], *args: Any) -> None:
    """Save the array that ``prims`` computed from ``args``, if a gradient will need it."""
    if _thread_state.save_target is not None:
        _thread_state.save_target.store(array, prims, args)


def take_saved(prims: tuple[Operator, ...], *args: Any) -> np.ndarray | None:
    """Return the array that ``prims`` computed from ``args``, and remove it; None if not saved."""
    source = _thread_state.lookup_source
    return None if source is None else source.take(prims, args)


def fill_from_saved(out: np.ndarray, prim: Operator, *args: Any) -> bool:
    """Copy the saved output of ``prim`` on ``args`` to ``out`` and drop it; return whether there
    was one.
    """
    array = take_saved((prim,), *args)
    if array is not None:
        np.copyto(out, array)
    return array is not None
