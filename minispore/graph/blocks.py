"""Blocks: runs of pointwise ops on large arrays go through the cache slice by slice.

Op by op, each array of a run is written to memory and read from it again. Slice by slice, what one
op leaves is still in the cache when the next one reads it, and a kernel of many passes makes all of
them there. No array is added and none left out, so the results are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from minispore.core import half
from minispore.core.primitive import Calls
from minispore.core.value import Node, Spec

SLICE_BYTES = 256 << 10  # of one array: the second-level cache of most cores has four
LEAST_BYTES = 1 << 20  # arrays below it are in that cache anyway


@dataclass(slots=True)
class Bound:
    """A node on the arrays that it reads and writes, and those that it works in.

    Attributes:
        single: whether its kernel takes one array as ``out``, not a tuple; None where nobody asked.
    """

    node: Node
    args: list[Any]
    outs: tuple[np.ndarray, ...]
    work: list[np.ndarray] = field(default_factory=list)
    single: bool | None = None

    def calls(self) -> Calls:
        """The kernel: as the calls that it is made of, where it says which."""
        prim, work = self.node.prim, self.work
        single = _single(self.node) if self.single is None else self.single
        out = self.outs[0] if single else self.outs
        if half.widens(prim, out):
            return [partial(half.execute, prim, self.args, out)]
        if prim.has_calls:
            return prim.calls(*self.args, out=out, work=work)
        if work:
            return [partial(prim.kernel, *self.args, out=out, work=work)]
        return [partial(prim.kernel, *self.args, out=out)]

    def cuts(self, axis: int, where: list[slice]) -> list[Bound]:
        """The node on slices of its first output, which is pointwise."""
        out, single = self.outs[0], _single(self.node)
        behind = axis - out.ndim  # broadcasting counts axes from the last
        arrays = [
            isinstance(a, np.ndarray) and a.ndim >= -behind and a.shape[behind] == out.shape[axis]
            for a in self.args
        ]
        found = []
        for cut in where:
            index: Any = (..., cut, *[slice(None)] * (-behind - 1))
            args = [a[index] if is_one else a for a, is_one in zip(self.args, arrays, strict=True)]
            found.append(Bound(self.node, args, (out[index],), single=single))
        return found


def _single(node: Node) -> bool:
    """Whether the kernel of ``node`` takes one array as ``out``, not a tuple."""
    if len(node.outputs) != 1:
        return False
    return node.prim.infer(*node.specs).__class__ is Spec


class Run:
    """Nodes that run one after the other, and whether they may do so slice by slice.

    Attributes:
        members: the nodes.
        axis: where slices are cut, if they can be.
    """

    def __init__(self, least: int | None = None) -> None:
        self.members: list[Bound] = []
        self.axis: int | None = None
        self._least = (
            LEAST_BYTES if least is None else least
        )  # bytes of an array below which it is not cut

    def takes(self, bound: Bound) -> bool:
        """Add ``bound`` if it goes with the members; any node goes with none."""
        axis = _axis(bound, self._least)
        if self.members:
            if axis is None or axis != self.axis:
                return False
            if bound.outs[0].shape != self.members[0].outs[0].shape:
                return False
            if any(_clash(bound, member) for member in self.members):
                return False
        self.axis = axis
        self.members.append(bound)
        return True

    def ordered(self) -> list[Bound]:
        """The members in the order in which they run: as they are, or once for each slice."""
        if self.axis is None or not self._pays():
            return self.members
        return [bound for part in self.slices(1) for bound in part]

    def slices(self, least: int) -> list[list[Bound]]:
        """The members on each slice; ``least`` slices or more, if there are so many."""
        assert self.axis is not None
        out = self.members[0].outs[0]
        length = out.shape[self.axis]
        step = max(1, min(length * SLICE_BYTES // out.nbytes, -(-length // least)))
        cuts = [slice(i, min(i + step, length)) for i in range(0, length, step)]
        return [list(part) for part in zip(*[b.cuts(self.axis, cuts) for b in self.members])]

    def _pays(self) -> bool:
        """A single pass over memory, as of one ufunc, gains nothing; several do."""
        return len(self.members) > 1 or not hasattr(self.members[0].node.prim, "ufunc")


def runs(
    order: Iterable[Bound | Callable[[], Any]], least: int | None = None
) -> Iterator[Run | Callable[[], Any]]:
    """The nodes of ``order``, as many at a time as go together; what is no node is as it was."""
    run: Run | None = None
    for one in order:
        if run is not None:
            if isinstance(one, Bound) and run.takes(one):
                continue
            yield run
        if isinstance(one, Bound):
            run = Run(least)
            run.takes(one)
        else:
            run = None
            yield one
    if run is not None:
        yield run


def _axis(bound: Bound, least: int) -> int | None:
    """The outermost axis in memory of a large pointwise node all of whose arrays lie alike."""
    prim = bound.node.prim
    if not prim.pointwise or prim.has_scratch or len(bound.outs) != 1:
        return None
    out = bound.outs[0]
    if out.nbytes < least:
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

    def apart(a: np.ndarray, b: np.ndarray) -> bool:
        if not np.may_share_memory(a, b):
            return True
        same = a.shape == b.shape and a.strides == b.strides
        return bool(same and a.ctypes.data == b.ctypes.data)

    read_before = [a for a in earlier.args if isinstance(a, np.ndarray)]
    read_after = [a for a in later.args if isinstance(a, np.ndarray)]
    return not (
        all(apart(a, later.outs[0]) for a in (*read_before, earlier.outs[0]))
        and all(apart(a, earlier.outs[0]) for a in read_after)
    )
