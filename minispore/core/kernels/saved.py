"""What a kernel makes on its way and the gradient's kernels ask for again, saved in between.

In a graph equal nodes are one. Op by op, a convolution's transformed input, the gate of a GELU or
the softmax of a cross entropy would be made twice: for the op while a tape records it, and for the
op's gradient. So the first saves it with the tape, if the gradient will ask (``Primitive.saves``
tells for that of which inputs), and the second takes it from there. Neither must: what is not
found is made, with the same bits.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from minispore.core.primitive import Primitive

_MOST_BYTES = 64 << 20  # that a tape saves: it is there for speed, and memory is scarce, too


class Saved:
    """What kernels have made on their way while a tape was open, for those of the gradient.

    It is known by the primitives that made it, one after the other, and the arrays that they began
    with, which nobody changes while a tape is open.
    """

    def __init__(self) -> None:
        self._made: dict[Any, tuple[tuple[Any, ...], np.ndarray]] = {}
        self._bytes = 0

    def put(self, made: np.ndarray, prims: tuple[Primitive, ...], args: tuple[Any, ...]) -> None:
        """Save ``made``, if there is room and it is not there yet."""
        key = prims, tuple(map(id, args))  # the numbers stay theirs, since args are held
        if key not in self._made and self._bytes + made.nbytes <= _MOST_BYTES:
            self._bytes += made.nbytes
            self._made[key] = args, made

    def take(self, prims: tuple[Primitive, ...], args: tuple[Any, ...]) -> np.ndarray | None:
        """What was saved, or None; it is given away."""
        _, made = self._made.pop((prims, tuple(map(id, args))), ((), None))
        self._bytes -= 0 if made is None else made.nbytes
        return made


class _Here(threading.local):
    """Where the kernels of this thread save things, and where they look for what was saved."""

    saves: Saved | None = None
    looks: Saved | None = None


_here = _Here()


@contextmanager
def saving(into: Saved | None) -> Iterator[None]:
    """Let kernels in the ``with`` block save things ``into`` something, or not at all."""
    before, _here.saves = _here.saves, into
    try:
        yield
    finally:
        _here.saves = before


@contextmanager
def looking(where: Saved) -> Iterator[None]:
    """Let kernels in the ``with`` block take what they would make from ``where`` it is saved."""
    before, _here.looks = _here.looks, where
    try:
        yield
    finally:
        _here.looks = before


def saves() -> bool:
    """Whether what :func:`save` is given may be asked for."""
    return _here.saves is not None


def save(made: np.ndarray, prims: tuple[Primitive, ...], *args: Any) -> None:
    """Save what ``prims`` make of ``args`` for the gradient, if there will be one."""
    if _here.saves is not None:
        _here.saves.put(made, prims, args)


def found(prims: tuple[Primitive, ...], *args: Any) -> np.ndarray | None:
    """What ``prims`` make of ``args``, if it was saved for who asks now."""
    return None if _here.looks is None else _here.looks.take(prims, args)


def filled(out: np.ndarray, prim: Primitive, *args: Any) -> bool:
    """Whether what ``prim`` makes of ``args`` was saved, and now is in ``out``."""
    made = found((prim,), *args)
    if made is not None:
        np.copyto(out, made)
    return made is not None
