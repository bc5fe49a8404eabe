"""Memory that this process shares with its worker processes.

Each process sees what the others write (:mod:`minispore.execution.threads.worker_processes`). Any
other forked child gets a private copy at the same address, as of all other memory.
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
# NumPy before 2.0 takes an array that begins where another ends for one that overlaps it. It then
# computes exp, log and others by scalar code, whose results differ in the last bits.
_GAP = 1 if np.lib.NumpyVersion(np.__version__) < "2.0.0" else 0
_MAP_FIXED = 0x10  # Linux's MAP_FIXED, which the mmap module lacks
_EXIT_STATUS = 70  # EX_SOFTWARE, for a child that gets no private memory


# Address of each block -> its bytes, and whether a forked child gets a copy of its content.
_blocks: dict[int, tuple[int, bool]] = {}


class _SharedBlock(mmap.mmap):
    """A block of shared memory.

    Its address is removed from the table of blocks before the system can reuse it: another thread
    may get a new block at that address immediately.
    """

    address: int | None = None
    released_count = 0  # the number of blocks that have been released

    def __del__(self, blocks: dict[int, tuple[int, bool]] = _blocks) -> None:
        """Remove the block from the table, and count it as released."""
        if self.address is not None:
            del blocks[self.address]
            type(self).released_count += 1


def allocate(nbytes: int, copied_on_fork: bool = True) -> np.ndarray:
    """Return ``nbytes`` of zeroed shared memory, whose pages are allocated when touched.

    Args:
        nbytes: the size.
        copied_on_fork: whether a forked child gets the content; otherwise its copy is empty.

    Raises:
        OSError, OverflowError: the system does not have enough memory.
    """
    block = _SharedBlock(-1, max(nbytes, 1), mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):
            block.madvise(mmap.MADV_HUGEPAGE)
    array = np.frombuffer(block, np.uint8)
    block.address = array.ctypes.data
    _blocks[block.address] = len(block), copied_on_fork
    return array[:nbytes]


def get_released_count() -> int:
    """Return the number of blocks that have been released; worker processes still map them."""
    return _SharedBlock.released_count


def is_shared(a: np.ndarray) -> bool:
    """Whether the first element of ``a`` is in shared memory."""
    address = a.__array_interface__["data"][0]
    blocks = list(_blocks.items())  # a copy, since another thread may release a block
    return any(start <= address < start + nbytes for start, (nbytes, _) in blocks)


def is_read_only(a: np.ndarray) -> bool:
    """Whether the memory of ``a`` is read-only, so that each process may have its own copy."""
    root: Any = a
    while isinstance(root.base, np.ndarray):
        root = root.base
    return not root.flags.writeable


# -- forks: a child that is not a worker process gets private copies, while its parent waits --

_fork_state = threading.local()


def prepare_fork() -> None:
    """Open a pipe for the parent to wait for the child, if there is shared memory; called before a
    fork.
    """
    _fork_state.pipe = None
    if _blocks:
        with contextlib.suppress(OSError):  # out of file descriptors: the parent can't wait
            _fork_state.pipe = os.pipe()


def wait_for_child() -> None:
    """Wait until the child has made its private copies or has ended; called in the parent after a
    fork.
    """
    if _fork_state.pipe is not None:
        (reader, writer), _fork_state.pipe = _fork_state.pipe, None
        os.close(writer)
        os.read(reader, 1)  # returns b"" if the child has ended
        os.close(reader)


def unshare_in_child() -> None:
    """Replace shared memory by private copies and signal it to the parent; called in the child
    after a fork.
    """
    if _blocks:
        _copy_blocks()
    if _fork_state.pipe is not None:
        (reader, writer), _fork_state.pipe = _fork_state.pipe, None
        os.write(writer, b".")  # closing it is not enough: another child may have it open, too
        for end in (reader, writer):
            os.close(end)


def _copy_blocks() -> None:
    """Map private copies over all shared blocks, for this process and its own workers.

    Ends the process if there is not enough memory, since it would otherwise change its parent's
    data.
    """
    mmap_function = ctypes.CDLL(None).mmap
    mmap_function.restype = ctypes.c_void_p
    mmap_function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    flags = mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | _MAP_FIXED  # shared with its own workers
    for address, (nbytes, copied_on_fork) in _blocks.items():
        content = ctypes.string_at(address, nbytes) if copied_on_fork else b""
        access = mmap.PROT_READ | mmap.PROT_WRITE
        if mmap_function(address, nbytes, access, flags, -1, 0) != address:
            # Without a private copy, the child's writes would change the arrays that its parent
            # trains.
            sys.stderr.write(
                f"minispore: no memory for the {nbytes / 2**20:.0f} MB of Parameters that a "
                "forked process needs. Set runtime_num_threads=1, or fork before training.\n"
            )
            os._exit(_EXIT_STATUS)
        ctypes.memmove(address, content, len(content))


def compute_reserved_bytes(nbytes: int) -> int:
    """Return the bytes to reserve for an array in a block with others, a multiple of ``ALIGN``."""
    return -(-max(nbytes + _GAP, 1) // ALIGN) * ALIGN


__all__ = [
    "ALIGN",
    "allocate",
    "compute_reserved_bytes",
    "get_released_count",
    "is_read_only",
    "is_shared",
    "prepare_fork",
    "unshare_in_child",
    "wait_for_child",
]
