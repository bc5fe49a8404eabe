"""Blocks: runs of pointwise ops on large arrays go through the cache slice by slice.

Op by op, each array of a run is written to memory and read from it again. Slice by slice, what one
op leaves is still in the cache when the next one reads it, and a kernel of many passes makes all of
them there. No array is added and none left out, so the results are the same to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.core.value import Node

SLICE_BYTES = 512 << 10  # of one array: half of the second-level cache of most cores
LEAST_BYTES = 4 << 20  # arrays below it are in a cache anyway


@dataclass(frozen=True)
class Bound:
    """A node on the arrays that it reads and writes."""

    node: Node
    args: list[Any]
    outs: tuple[np.ndarray, ...]

    def cut(self, axis: int, where: slice) -> Bound:
        """The node on a slice of its first output, which is pointwise."""
        shape = self.outs[0].shape
        behind = axis - len(shape)  # broadcasting counts axes from the last
        index: Any = (..., where, *[slice(None)] * (-behind - 1))

        def part(a: Any) -> Any:
            sliced = isinstance(a, np.ndarray) and a.ndim >= -behind
            return a[index] if sliced and a.shape[behind] == shape[axis] else a

        return Bound(self.node, [part(a) for a in self.args], (self.outs[0][index],))


class Run:
    """Nodes that run one after the other, and whether they may do so slice by slice."""

    def __init__(self) -> None:
        self.members: list[Bound] = []
        self._axis: int | None = None  # where slices are cut, if they can be

    def takes(self, bound: Bound) -> bool:
        """Add ``bound`` if it goes with the members; any node goes with none."""
        axis = _axis(bound)
        if self.members:
            first = self.members[0].outs[0]
            if axis is None or axis != self._axis or bound.outs[0].shape != first.shape:
                return False
            if any(_clash(bound, member) for member in self.members):
                return False
        self._axis = axis
        self.members.append(bound)
        return True

    def slices(self) -> list[Bound]:
        """The members in the order in which they run: as they are, or once for each slice."""
        if self._axis is None or not self._pays():
            return self.members
        axis, out = self._axis, self.members[0].outs[0]
        length = out.shape[axis]
        step = max(1, length * SLICE_BYTES // out.nbytes)
        cuts = [slice(i, i + step) for i in range(0, length, step)]
        return [bound.cut(axis, cut) for cut in cuts for bound in self.members]

    def _pays(self) -> bool:
        """A single pass over memory, as of one ufunc, gains nothing; several do."""
        return len(self.members) > 1 or not hasattr(self.members[0].node.prim, "ufunc")


def _axis(bound: Bound) -> int | None:
    """The outermost axis in memory of a large pointwise node all of whose arrays lie alike."""
    prim, out = bound.node.prim, bound.outs[0]
    if not prim.pointwise or prim.has_scratch or len(bound.outs) > 1 or out.nbytes < LEAST_BYTES:
        return None
    for a in bound.args:
        if isinstance(a, np.ndarray) and a.shape == out.shape and _steps(a) != _steps(out):
            return None
    return max(range(out.ndim), key=lambda i: (out.shape[i] > 1, out.strides[i]))


def _steps(a: np.ndarray) -> list[int]:
    return [s // a.itemsize for s in a.strides]


def _clash(later: Bound, earlier: Bound) -> bool:
    """Whether one writes what the other touches elsewhere than in the same elements.

    The memory of a value that is done with belongs to the next one. A later op must not write into
    it while an earlier one has slices of it to read.
    """

    def apart(a: Any, b: np.ndarray) -> bool:
        same = isinstance(a, np.ndarray) and a.shape == b.shape and a.strides == b.strides
        return (same and a.ctypes.data == b.ctypes.data) or not np.may_share_memory(a, b)

    read_before = [a for a in earlier.args if isinstance(a, np.ndarray)]
    read_after = [a for a in later.args if isinstance(a, np.ndarray)]
    return not (
        all(apart(a, later.outs[0]) for a in (*read_before, earlier.outs[0]))
        and all(apart(a, earlier.outs[0]) for a in read_after)
    )
