"""Memory that this process and its helpers have in common.

What is written here is seen by the processes that help (:mod:`minispore.core.threads.helpers`), and
the other way round. Any other child of a fork gets what is here as it gets all other memory: as a
copy of its own, at the same place.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import sys
import threading
from typing import Any

import numpy as np

ALIGN = 64  # a cache line, and the widest vector registers
_MAP_FIXED = 0x10  # of Linux, which the mmap module has no name for
_FAILED = 70  # how a child ends that can't have memory of its own: EX_SOFTWARE


# By where they begin: how many bytes, and whether a child has what is in them.
_pieces: dict[int, tuple[int, bool]] = {}


class _Piece(mmap.mmap):
    """A piece of common memory, which is told of no more before the system gives its place away: a
    thread may get another one there at once.
    """

    begin: int | None = None
    given_back = 0  # how many there are no more

    def __del__(self, pieces: dict[int, tuple[int, bool]] = _pieces) -> None:
        if self.begin is not None:
            del pieces[self.begin]
            type(self).given_back += 1


def memory(nbytes: int, kept: bool = True) -> np.ndarray:
    """``nbytes`` of zeroed memory, each page there when it is touched.

    Args:
        nbytes: how many.
        kept: whether a forked child has what is in it; else its copy is empty.

    Raises:
        OSError, OverflowError: the system has not so many.
    """
    mapped = _Piece(-1, max(nbytes, 1), mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):
            mapped.madvise(mmap.MADV_HUGEPAGE)
    made = np.frombuffer(mapped, np.uint8)
    mapped.begin = made.ctypes.data
    _pieces[mapped.begin] = len(mapped), kept
    return made[:nbytes]


def given_back() -> int:
    """How many pieces of memory there were and are no more; helpers still hold them."""
    return _Piece.given_back


def holds(a: np.ndarray) -> bool:
    """Whether ``a`` lies here."""
    at = a.__array_interface__["data"][0]
    pieces = list(_pieces.items())  # at once: one may end meanwhile
    return any(begin <= at < begin + nbytes for begin, (nbytes, _) in pieces)


def fixed(a: np.ndarray) -> bool:
    """Whether nobody writes into ``a``, so that each process may have its own."""
    root: Any = a
    while isinstance(root.base, np.ndarray):
        root = root.base
    return not root.flags.writeable


# -- forks: a child that is no helper gets what was common as its own, while its parent waits --

_waiting = threading.local()


def will_part() -> None:
    """Before a fork."""
    _waiting.pipe = None
    if _pieces:
        with contextlib.suppress(OSError):  # no more files: the parent can't wait
            _waiting.pipe = os.pipe()


def parted() -> None:
    """In the parent: wait until the child has a copy of what there was."""
    if _waiting.pipe is not None:
        (reader, writer), _waiting.pipe = _waiting.pipe, None
        os.close(writer)
        os.read(reader, 1)  # nothing, if the child has ended
        os.close(reader)


def part() -> None:
    """In the child."""
    if _pieces:
        _own()
    if _waiting.pipe is not None:
        (reader, writer), _waiting.pipe = _waiting.pipe, None
        os.write(writer, b".")  # not by closing it alone: another child may have it, too
        for end in (reader, writer):
            os.close(end)


def _own() -> None:
    """Put copies in the place of what was common."""
    place = ctypes.CDLL(None).mmap
    place.restype = ctypes.c_void_p
    place.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    way = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | _MAP_FIXED  # with helpers of its own
    for begin, (nbytes, kept) in _pieces.items():
        content = ctypes.string_at(begin, nbytes) if kept else b""
        if place(begin, nbytes, mmap.PROT_READ | mmap.PROT_WRITE, way, -1, 0) != begin:
            # Nothing that it wrote would be its own: what its parent trains would change.
            sys.stderr.write(
                f"minispore: no memory for the {nbytes / 2**20:.0f} MB of Parameters that a "
                "forked process needs. Set runtime_num_threads=1, or fork before training.\n"
            )
            os._exit(_FAILED)
        ctypes.memmove(begin, content, len(content))


__all__ = [
    "ALIGN",
    "fixed",
    "given_back",
    "holds",
    "memory",
    "part",
    "parted",
    "will_part",
]
