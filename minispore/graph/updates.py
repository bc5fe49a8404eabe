"""Successive updates of Parameters, as one tiled step.

An optimizer's updates are at the end of a program, one for each Parameter, and none touches memory
that another one writes. So they are distributed over the threads: small ones uncut, large ones cut
between the blocks of their kernels, which gives the same calls as on one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from minispore.core.primitive import Calls
from minispore.execution.threads.tiles import BYTES_PER_US, choose_tile_count
from minispore.graph.blocks import BoundNode

_MEMORY_PASSES = 2  # passes over the arrays of an update, which mostly stay in the cache
_CALL_OVERHEAD_US = 5.0  # time of its calls, however small the arrays are


def is_update(item: object) -> bool:
    """Whether ``item`` is a bound node that updates a Parameter block by block."""
    return isinstance(item, BoundNode) and item.node.prim.work_split.block_size > 0


def make_update_tiles(
    updates: Sequence[BoundNode],
    emit: Callable[[BoundNode, int], Calls],
    threads: int,
    min_us: float,
) -> list[Calls]:
    """Distribute the updates of Parameters over tiles, which several threads run concurrently.

    Args:
        updates: the bound nodes, in order.
        emit: returns the calls of a node in the tile of this number.
        threads: the number of threads.
        min_us: the minimum time of a tile for which a thread pays, in microseconds.

    Returns:
        The calls of each tile; [] if tiles do not pay, or if an update touches memory that another
        one writes.
    """
    costs = [_estimate_us(bound) for bound in updates]
    tile_count = choose_tile_count(sum(costs), threads, min_us)
    if tile_count == 1 or _has_memory_conflict(updates):
        return []
    us_per_tile, us_so_far = sum(costs) / tile_count, 0.0
    tiles: list[Calls] = [[] for _ in range(tile_count)]
    for bound, cost in zip(updates, costs, strict=True):
        count = _count_blocks(bound)
        # The tile in which each block begins: earlier work fills the earlier tiles.
        tile_of_block = [
            min(tile_count - 1, int((us_so_far + cost * i / count) / us_per_tile))
            for i in range(count)
        ]
        begins = [i for i in range(count) if i == 0 or tile_of_block[i] != tile_of_block[i - 1]]
        for begin, end in pairwise([*begins, count]):
            piece = bound if end - begin == count else _take_blocks(bound, begin, end)
            tiles[tile_of_block[begin]] += emit(piece, tile_of_block[begin])
        us_so_far += cost
    return [tile for tile in tiles if tile]


def _estimate_us(bound: BoundNode) -> float:
    """Return the estimated time of an update from the bytes of its arrays, in microseconds."""
    arrays = [a for a in (*bound.args, *bound.outs) if isinstance(a, np.ndarray)]
    return _CALL_OVERHEAD_US + _MEMORY_PASSES * sum(a.nbytes for a in arrays) / BYTES_PER_US


def _count_blocks(bound: BoundNode) -> int:
    """Return the number of blocks into which an update can be cut; 1 unless its arrays are
    contiguous.
    """
    out = bound.outs[0]
    if not all(a.flags.c_contiguous for a in _iterate_full_size_arrays(bound)):
        return 1
    return max(1, -(-out.size // bound.node.prim.work_split.block_size))


def _iterate_full_size_arrays(bound: BoundNode) -> Iterator[np.ndarray]:
    """Yield the arrays of an update that have the shape of the Parameter."""
    shape = bound.outs[0].shape
    for a in (*bound.args, *bound.outs):
        if isinstance(a, np.ndarray) and a.shape == shape:
            yield a


def _take_blocks(bound: BoundNode, begin: int, end: int) -> BoundNode:
    """Return the update as a bound node on the blocks from ``begin`` to before ``end``."""
    block, shape = bound.node.prim.work_split.block_size, bound.outs[0].shape

    def slice_array(a: object) -> object:
        """Return the blocks of an array of the Parameter's shape; anything else unchanged."""
        fits = isinstance(a, np.ndarray) and a.shape == shape
        return a.reshape(-1)[begin * block : end * block] if fits else a  # type: ignore[attr-defined]

    outs = tuple([slice_array(out) for out in bound.outs])
    return BoundNode(bound.node, [slice_array(a) for a in bound.args], outs)  # type: ignore[arg-type]


def _has_memory_conflict(updates: Sequence[BoundNode]) -> bool:
    """Whether an update touches memory that another one writes.

    Sorts the byte ranges of all arrays and sweeps over them once.
    """
    touched = []  # (first byte, byte after the last, index of the update, whether it is written)
    for i, bound in enumerate(updates):
        for arrays, is_written in ((bound.args, False), (bound.outs, True)):
            for a in arrays:
                if isinstance(a, np.ndarray) and a.size:
                    touched.append((*_get_byte_bounds(a), i, is_written))
    touched.sort()
    # The furthest ends of the ranges so far, of reads and of writes.
    reads, writes = _FurthestEnds(), _FurthestEnds()
    for low, high, i, is_written in touched:
        if writes.get_furthest_of_others(i) > low or (
            is_written and reads.get_furthest_of_others(i) > low
        ):
            return True
        (writes if is_written else reads).advance(high, i)
    return False


def _get_byte_bounds(a: np.ndarray) -> tuple[int, int]:
    """Return the address of the first byte of ``a``, and of the one after its last.

    Equal to NumPy's ``byte_bounds``, which NumPy 1 and NumPy 2 have in different modules.
    """
    extents = [(n - 1) * step for n, step in zip(a.shape, a.strides, strict=True)]
    begin = a.__array_interface__["data"][0]
    lowest, highest = sum(r for r in extents if r < 0), sum(r for r in extents if r > 0)
    return begin + lowest, begin + highest + a.itemsize


class _FurthestEnds:
    """The largest ends of the byte ranges so far, for the two updates that reach furthest."""

    def __init__(self) -> None:
        self._first, self._second = (0, -1), (0, -1)  # (end, index of the update)

    def advance(self, high: int, index: int) -> None:
        """Record that a byte range of update ``index`` ends at ``high``."""
        if index == self._first[1]:
            self._first = max(self._first, (high, index))
        elif high > self._first[0]:
            self._first, self._second = (high, index), self._first
        elif high > self._second[0]:
            self._second = (high, index)

    def get_furthest_of_others(self, index: int) -> int:
        """Return the furthest end of the byte ranges of the updates other than ``index``; 0 if
        there are none.
        """
        return self._first[0] if self._first[1] != index else self._second[0]


__all__ = ["is_update", "make_update_tiles"]
