"""Arenas: memory that programs work in, and the offsets at which a program's buffers are placed.

Nothing in an arena outlives a run, so programs that do not run concurrently share one. A program
that finds its arena in use runs in another one (:meth:`minispore.graph.program.Program.run`).
"""

from __future__ import annotations

import contextlib
import mmap
import threading
import weakref
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from minispore.execution.threads import shared_memory, worker_processes
from minispore.execution.threads.shared_memory import ALIGN, compute_reserved_bytes

_HUGE_PAGE_BYTES = 2 << 20  # bytes of a huge page on x86-64 and most arm64 systems
_MADV_WIPEONFORK = 18  # Linux's MADV_WIPEONFORK, which the mmap module does not define


@dataclass(eq=False)
class Buffer:
    """Bytes of an arena that are in use from node ``first`` to node ``last``."""

    nbytes: int
    first: int
    last: int
    offset: int = -1


def assign_offsets(buffers: Iterable[Buffer]) -> int:
    """Assign each buffer an offset so that no two buffers overlap that are in use at the same time.

    Largest first, each at the lowest offset that is free for its whole live range.

    Returns:
        The bytes of the arena.
    """
    order = sorted(buffers, key=lambda b: (-b.nbytes, b.first))
    # For each buffer that has an offset: its first and last node, its first byte, and the byte
    # after its last byte.
    first, last, begin, end = np.empty((4, len(order)), np.int64)
    size = 0
    for count, buffer in enumerate(order):
        reserved_bytes = compute_reserved_bytes(buffer.nbytes)
        is_live = (first[:count] <= buffer.last) & (last[:count] >= buffer.first)
        buffer.offset = offset = _find_lowest_gap(
            begin[:count], end[:count], is_live.nonzero()[0], reserved_bytes
        )
        first[count], last[count] = buffer.first, buffer.last
        begin[count], end[count] = offset, offset + reserved_bytes
        size = max(size, offset + reserved_bytes)
    return size


def _find_lowest_gap(
    begin: np.ndarray, end: np.ndarray, overlapping: np.ndarray, nbytes: int
) -> int:
    """Return the lowest offset at which ``nbytes`` are free.

    Args:
        begin: the first byte of each placed buffer.
        end: the byte after the last byte of each placed buffer.
        overlapping: the indices of the placed buffers that are in use at the same time.
        nbytes: the number of bytes that are needed.
    """
    if not len(overlapping):
        return 0
    starts = begin[overlapping]
    order = starts.argsort()
    starts = starts[order]
    if starts[0] >= nbytes:
        return 0
    # The largest end offset of each buffer and those before it.
    occupied_until = np.maximum.accumulate(end[overlapping[order]])
    fits = (starts[1:] - occupied_until[:-1] >= nbytes).nonzero()[0]
    return int(occupied_until[fits[0] if len(fits) else -1])


class Arena:
    """Memory that programs work in, one run at a time.

    Attributes:
        memory: its bytes.
        is_visible_to_workers: whether worker processes see the memory, too.
        lock: held by the program that runs in it.
    """

    def __init__(self, nbytes: int) -> None:
        self.is_visible_to_workers = worker_processes.should_use_workers()
        self.memory = allocate(nbytes, copied_on_fork=False)
        self.lock = threading.Lock()


_arenas: weakref.WeakSet[Arena] = weakref.WeakSet()
_arenas_lock = threading.Lock()


def get_arena(nbytes: int, shared: bool = True) -> Arena:
    """Return an arena of at least ``nbytes``: the smallest existing one that fits, or a new one.

    A new shared arena is twice as large as the largest so far, if there is enough memory, so
    growing programs need few arenas; pages that no program touches cost nothing. If not ``shared``,
    the arena has exactly the size that is needed, and no other program gets it.
    """
    if not shared:
        return Arena(nbytes)
    with _arenas_lock:
        is_visible = worker_processes.should_use_workers()
        sizes = {
            arena: len(arena.memory)
            for arena in _arenas
            if arena.is_visible_to_workers is is_visible
        }
        fitting = [arena for arena, size in sizes.items() if size >= nbytes]
        if fitting:
            return min(fitting, key=sizes.__getitem__)
        try:
            new_arena = Arena(max(nbytes, 2 * max(sizes.values(), default=0)))
        except MemoryError:
            new_arena = Arena(nbytes)
        _arenas.add(new_arena)
        return new_arena


def allocate(nbytes: int, copied_on_fork: bool = True) -> np.ndarray:
    """Allocate zeroed memory, on huge pages where the system has them.

    Pages are allocated when they are first touched: a program that is compiled but never run costs
    none.

    A convolution writes short pieces of its columns a page or more apart. With 4 KiB pages each
    piece would wait for an address translation. The memory is private to this process: a forked
    child that runs the same program writes into a copy. If worker processes are in use, the memory
    is shared with them; most systems do not put shared memory on huge pages.

    Args:
        nbytes: the number of bytes.
        copied_on_fork: whether a forked child sees the content; if not, no page is copied for it.

    Raises:
        MemoryError: the system does not have that many bytes.
    """
    if worker_processes.should_use_workers():
        try:
            return shared_memory.allocate(nbytes, copied_on_fork)
        except (OSError, OverflowError) as exc:
            raise _make_memory_error(nbytes) from exc
    if nbytes < _HUGE_PAGE_BYTES or not hasattr(mmap, "MADV_HUGEPAGE"):
        raw = np.zeros(nbytes + ALIGN, np.uint8)
        start = -raw.ctypes.data % ALIGN
    else:
        try:
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
            mapping = mmap.mmap(-1, nbytes + 2 * _HUGE_PAGE_BYTES, flags)
        except (OSError, OverflowError) as exc:
            raise _make_memory_error(nbytes) from exc
        raw = np.frombuffer(mapping, np.uint8)
        start = -raw.ctypes.data % _HUGE_PAGE_BYTES
        length = -(-nbytes // _HUGE_PAGE_BYTES) * _HUGE_PAGE_BYTES
        fork_advice = () if copied_on_fork else (_MADV_WIPEONFORK,)
        for advice in (mmap.MADV_HUGEPAGE, *fork_advice):
            with contextlib.suppress(OSError):  # an old kernel rejects advice that it does not know
                mapping.madvise(advice, start, length)
    return raw[start : start + nbytes]


def _make_memory_error(nbytes: int) -> MemoryError:
    """Return the error for a program that needs more memory than there is."""
    return MemoryError(
        f"GRAPH_MODE: the program needs {nbytes / 2**20:.0f} MB, which this machine has not. Use a "
        "smaller batch."
    )
