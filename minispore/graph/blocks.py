"""Bound nodes, and runs of pointwise nodes that several threads compute slice by slice.

The output of one op is still in the cache when the next op reads its slice. Pointwise ops never add
elements up, so slicing does not change a bit of the results. A single thread gains nothing from
slices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls
from minispore.execution import half
from minispore.ir.node import Node
from minispore.ir.value import Spec

SLICE_BYTES = 256 << 10  # of one array: the L2 cache of most cores holds four slices


@dataclass(slots=True)
class BoundNode:
    """A node with the arrays that it reads and writes, and its scratch arrays.

    Attributes:
        work: the scratch arrays.
        is_single_output: whether its kernel takes one array as ``out``, not a tuple; None if
            unknown.
    """

    node: Node
    args: list[Any]
    outs: tuple[np.ndarray, ...]
    work: list[np.ndarray] = field(default_factory=list)
    is_single_output: bool | None = None

    def calls(self) -> Calls:
        """Return the calls that compute the outputs of this node.

        The calls are those that the primitive lists, or one call of its kernel. A float16 or
        bfloat16 node has one call, which computes in float32 and rounds.
        """
        prim, work = self.node.prim, self.work
        is_single_output = (
            _has_single_output(self.node)
            if self.is_single_output is None
            else self.is_single_output
        )
        out = self.outs[0] if is_single_output else self.outs
        if half.computes_in_float32(prim, out):
            return [partial(half.execute, prim, self.args, out)]
        if prim.traits.has_calls:
            return prim.calls(*self.args, out=out, work=work)
        if work:
            return [partial(prim.kernel, *self.args, out=out, work=work)]
        return [partial(prim.kernel, *self.args, out=out)]

    def slice_output(self, axis: int, ranges: list[slice]) -> list[BoundNode]:
        """Slice this pointwise node along ``axis`` of its output; return one bound node per range.

        Inputs that are broadcast along the axis are not sliced.
        """
        out, is_single_output = self.outs[0], _has_single_output(self.node)
        axis_from_end = axis - out.ndim  # broadcasting aligns the last axes
        slice_flags = [
            isinstance(a, np.ndarray)
            and a.ndim >= -axis_from_end
            and a.shape[axis_from_end] == out.shape[axis]
            for a in self.args
        ]
        slices = []
        for axis_range in ranges:
            index: Any = (..., axis_range, *[slice(None)] * (-axis_from_end - 1))
            args = [
                a[index] if must_slice else a
                for a, must_slice in zip(self.args, slice_flags, strict=True)
            ]
            slices.append(
                BoundNode(self.node, args, (out[index],), is_single_output=is_single_output)
            )
        return slices


def _has_single_output(node: Node) -> bool:
    """Whether the kernel of ``node`` takes one array as ``out``, not a tuple."""
    if len(node.outputs) != 1:
        return False
    return node.prim.infer(*node.specs).__class__ is Spec


class NodeRun:
    """Successive nodes that may run slice by slice, if they have a common axis.

    Attributes:
        members: the nodes.
        axis: the axis along which slices are cut; None if they can't be.
    """

    def __init__(self, min_bytes: int) -> None:
        self.members: list[BoundNode] = []
        self.axis: int | None = None
        self._min_bytes = min_bytes  # smaller arrays are not cut

    def try_add(self, bound: BoundNode) -> bool:
        """Add ``bound`` if it can run slice by slice with the members; return whether it was added.

        The first node of a run is always added.
        """
        axis = _find_slice_axis(bound, self._min_bytes)
        if self.members:
            if axis is None or axis != self.axis:
                return False
            if bound.outs[0].shape != self.members[0].outs[0].shape:
                return False
            if any(_has_conflict(bound, member) for member in self.members):
                return False
        self.axis = axis
        self.members.append(bound)
        return True

    def cut_slices(self, min_count: int) -> list[list[BoundNode]]:
        """Cut the members into slices; return a list of bound nodes, in order, for each slice.

        There are at least ``min_count`` slices if the axis is long enough.
        """
        assert self.axis is not None
        out = self.members[0].outs[0]
        length = out.shape[self.axis]
        step = max(1, min(length * SLICE_BYTES // out.nbytes, -(-length // min_count)))
        cuts = [slice(i, min(i + step, length)) for i in range(0, length, step)]
        return [
            list(nodes) for nodes in zip(*[b.slice_output(self.axis, cuts) for b in self.members])
        ]


def group_runs(
    order: Iterable[BoundNode | Callable[[], Any]], min_bytes: int
) -> Iterator[NodeRun | Callable[[], Any]]:
    """Group successive nodes of ``order`` into runs, as large as possible.

    Yields:
        A NodeRun, or a call that does not belong to a node, unchanged.
    """
    run: NodeRun | None = None
    for item in order:
        if run is not None:
            if isinstance(item, BoundNode) and run.try_add(item):
                continue
            yield run
        if isinstance(item, BoundNode):
            run = NodeRun(min_bytes)
            run.try_add(item)
        else:
            run = None
            yield item
    if run is not None:
        yield run


def _find_slice_axis(bound: BoundNode, min_bytes: int) -> int | None:
    """Return the outermost axis in memory along which a node can be sliced; None if it can't be.

    The node must be pointwise and large and use no scratch arrays, and its arrays must have equal
    strides.
    """
    prim = bound.node.prim
    if not prim.pointwise or prim.traits.has_scratch or len(bound.outs) != 1:
        return None
    out = bound.outs[0]
    if out.nbytes < min_bytes:
        return None
    for a in bound.args:
        if (
            isinstance(a, np.ndarray)
            and a.shape == out.shape
            and _compute_element_strides(a) != _compute_element_strides(out)
        ):
            return None
    return max(range(out.ndim), key=lambda i: (out.shape[i] > 1, out.strides[i]))


def _compute_element_strides(a: np.ndarray) -> list[int]:
    """Return the strides of ``a`` in elements."""
    return [s // a.itemsize for s in a.strides]


def _has_conflict(later: BoundNode, earlier: BoundNode) -> bool:
    """Whether one node writes memory that the other touches, other than the same elements.

    The memory of a dead value is reused. A later op must not write into it while an earlier op
    still has slices of it to read.
    """

    def is_independent(a: np.ndarray, b: np.ndarray) -> bool:
        """Whether two arrays share no memory, or are the same view of it."""
        if not np.may_share_memory(a, b):
            return True
        is_same_view = a.shape == b.shape and a.strides == b.strides
        return bool(is_same_view and a.ctypes.data == b.ctypes.data)

    earlier_reads = [a for a in earlier.args if isinstance(a, np.ndarray)]
    later_reads = [a for a in later.args if isinstance(a, np.ndarray)]
    return not (
        all(is_independent(a, later.outs[0]) for a in (*earlier_reads, earlier.outs[0]))
        and all(is_independent(a, earlier.outs[0]) for a in later_reads)
    )
