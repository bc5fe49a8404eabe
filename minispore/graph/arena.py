"""Arenas: memory that programs work in, and where the buffers of a program lie in it.

Programs that do not run at once share an arena: nothing in it outlives a run. One that finds its
arena in use runs in another (:meth:`minispore.graph.program.Program.run`).
"""

from __future__ import annotations

import contextlib
import mmap
import threading
import weakref
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from minispore.core.threads import commons, helpers
from minispore.core.threads.commons import ALIGN

_HUGE = 2 << 20  # bytes of a huge page on x86-64 and most arm64 systems
_WIPE_ON_FORK = 18  # MADV_WIPEONFORK of Linux, which the mmap module has no name for


@dataclass(eq=False)
class Buffer:
    """Bytes that are taken from node ``first`` to node ``last``."""

    nbytes: int
    first: int
    last: int
    offset: int = -1


def place(buffers: Iterable[Buffer]) -> int:
    """Give each buffer an offset so that none overlaps another that is taken at the same time.

    Largest first, each at the lowest offset that is free for its whole life.

    Returns:
        The bytes of the arena.
    """
    order = sorted(buffers, key=lambda b: (-b.nbytes, b.first))
    # What is placed already: first and last node, first byte and the one behind.
    first, last, begin, end = np.empty((4, len(order)), np.int64)
    size = 0
    for count, buffer in enumerate(order):
        need = -(-max(buffer.nbytes, 1) // ALIGN) * ALIGN
        alive = (first[:count] <= buffer.last) & (last[:count] >= buffer.first)
        buffer.offset = at = _lowest_gap(begin[:count], end[:count], alive.nonzero()[0], need)
        first[count], last[count] = buffer.first, buffer.last
        begin[count], end[count] = at, at + need
        size = max(size, at + need)
    return size


def _lowest_gap(begin: np.ndarray, end: np.ndarray, met: np.ndarray, need: int) -> int:
    """The lowest offset of ``need`` free bytes between the pieces ``met``."""
    if not len(met):
        return 0
    starts = begin[met]
    order = starts.argsort()
    starts = starts[order]
    if starts[0] >= need:
        return 0
    taken = np.maximum.accumulate(end[met[order]])  # up to there, by this piece and those before it
    fits = (starts[1:] - taken[:-1] >= need).nonzero()[0]
    return int(taken[fits[0] if len(fits) else -1])


class Arena:
    """Memory for one run at a time.

    Attributes:
        memory: its bytes.
        common: whether helpers see them, too.
        lock: held by the program that runs in it.
    """

    def __init__(self, nbytes: int) -> None:
        self.common = helpers.wanted()
        self.memory = memory(nbytes, kept=False)
        self.lock = threading.Lock()


_arenas: weakref.WeakSet[Arena] = weakref.WeakSet()
_making = threading.Lock()


def arena_of(nbytes: int, shared: bool = True) -> Arena:
    """An arena of at least ``nbytes``: the smallest one that there is, or a new one.

    The second new one is twice as large as the largest so far, if there is so much memory, and so
    on: the arenas of ever larger programs are few, and what no program has touched costs nothing.
    One that is not ``shared`` is as large as it must be, and no other program's.
    """
    if not shared:
        return Arena(nbytes)
    with _making:
        common = helpers.wanted()
        sizes = {arena: len(arena.memory) for arena in _arenas if arena.common is common}
        fitting = [arena for arena, size in sizes.items() if size >= nbytes]
        if fitting:
            return min(fitting, key=sizes.__getitem__)
        try:
            made = Arena(max(nbytes, 2 * max(sizes.values(), default=0)))
        except MemoryError:
            made = Arena(nbytes)
        _arenas.add(made)
        return made


def memory(nbytes: int, kept: bool = True) -> np.ndarray:
    """``nbytes`` of zeroed memory, on huge pages where the system has them, each there when it is
    touched: a program that is compiled and never run costs none.

    Columns are written far apart, a page or more from run to run; with 4 KiB pages each run then
    waits for an address translation. It is this process's own: a forked child that runs the same
    program writes into a copy. Where helpers are wanted it is what they see, too; most systems do
    not put that on huge pages.

    Args:
        nbytes: how many.
        kept: whether a forked child has what is in it; else no page is copied for it.

    Raises:
        MemoryError: the system has not so many.
    """
    if helpers.wanted():
        try:
            return commons.memory(nbytes, kept)
        except (OSError, OverflowError) as exc:
            raise _missing(nbytes) from exc
    if nbytes < _HUGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        raw = np.zeros(nbytes + ALIGN, np.uint8)
        start = -raw.ctypes.data % ALIGN
    else:
        try:
            own = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
            mapped = mmap.mmap(-1, nbytes + 2 * _HUGE, own)
        except (OSError, OverflowError) as exc:
            raise _missing(nbytes) from exc
        raw = np.frombuffer(mapped, np.uint8)
        start = -raw.ctypes.data % _HUGE
        length = -(-nbytes // _HUGE) * _HUGE
        for advice in [mmap.MADV_HUGEPAGE] + [_WIPE_ON_FORK] * (not kept):
            with contextlib.suppress(OSError):  # a kernel that does not know it
                mapped.madvise(advice, start, length)
    return raw[start : start + nbytes]


def _missing(nbytes: int) -> MemoryError:
    return MemoryError(
        f"GRAPH_MODE: the program needs {nbytes / 2**20:.0f} MB, which this machine has not. Use a "
        "smaller batch."
    )
