"""Planning: which bytes of one arena each value occupies, decided once.

A value that is a view of another (Reshape, Transpose, ...) takes no memory and no call; BLAS reads
a transposed operand as it lies. An output takes over
the buffer of an input that nobody reads any more, where the primitive allows it (``reuse``). What a
Parameter becomes is written into the Parameter's own buffer when nobody reads its old content
later, else it is copied at the end.
"""

from __future__ import annotations

import contextlib
import mmap
from dataclasses import dataclass, field

import numpy as np

from minispore.core import layout
from minispore.core.parameter import Parameter
from minispore.core.value import Node, Spec, Value
from minispore.graph.ir import Graph

_HUGE = 2 << 20  # bytes of a huge page on x86-64 and most arm64 systems
ALIGN = 64  # a cache line, and the widest vector registers


@dataclass
class Plan:
    """Arrays for all values of a graph, over one arena."""

    arrays: dict[Value, np.ndarray] = field(default_factory=dict)
    views: set[Node] = field(default_factory=set)  # nodes that are views: nothing to run
    commits: list[tuple[Parameter, Value]] = field(
        default_factory=list
    )  # updates to copy at the end
    arena_bytes: int = 0
    state_bytes: int = 0
    input_bytes: int = 0
    scratch: dict[Node, list[np.ndarray]] = field(default_factory=dict)
    offsets: dict[Value, tuple[int, int]] = field(
        default_factory=dict
    )  # (offset, bytes), in the arena

    @property
    def peak_bytes(self) -> int:
        """Bytes that the program holds: arena, parameters and inputs."""
        return self.arena_bytes + self.state_bytes + self.input_bytes


@dataclass
class _Group:
    """A buffer: the value it was made for and those that share it."""

    nbytes: int
    first: int
    last: int
    offset: int = -1


def make_plan(graph: Graph) -> Plan:
    """Decide the memory of every value of ``graph``."""
    plan = Plan()
    group_of: dict[Value, _Group] = {}
    fixed: set[Value] = (
        set()
    )  # inputs, parameters and constants, and views of them: not in the arena
    last_use = _last_uses(graph)
    last_guard = max((g.position for g in graph.guards), default=0)
    groups: list[_Group] = []

    for value in graph.inputs:
        plan.arrays[value] = layout.empty(value.spec, _input_layout(graph, value))
        plan.input_bytes += value.spec.nbytes
        fixed.add(value)
    for param, value in graph.state.items():
        plan.arrays[value] = param.value_.data
        plan.state_bytes += value.spec.nbytes
        fixed.add(value)
    final = {v: p for p, v in graph.updates.items()}

    # First pass, over arrays of their own: what is a view of what, and how does each value lie?
    lies: dict[Value, tuple[int, ...]] = {}
    works: dict[Node, list[tuple[Spec, _Group]]] = {}
    view_of: dict[Value, Value] = {}
    in_place: dict[Value, Value] = {}
    for index, node in enumerate(graph.nodes):
        prim = node.prim
        arrays = [_array(plan, a) if a.__class__ is Value else a for a in node.args]
        if prim.has_view:
            seen = prim.view(*arrays)
            if seen is not None:
                made, source = node.outputs[0], node.args[0]
                plan.arrays[made] = seen
                plan.views.add(node)
                view_of[made] = source
                if source in group_of:
                    group_of[made] = group_of[source]
                    group_of[made].last = max(group_of[made].last, last_use.get(made, index))
                else:
                    fixed.add(made)
                continue
        if prim.has_scratch:
            specs = prim.scratch(*[a.spec if a.__class__ is Value else a for a in node.args])
            works[node] = [(s, _Group(s.nbytes, index, index)) for s in specs]
            groups += [g for _, g in works[node]]
        for i, made in enumerate(node.outputs):
            if i < len(prim.mutates):
                old = node.args[prim.mutates[i]]
                root = _root(old, view_of)
                owner = final.get(made)
                if (
                    old is root
                    and owner is not None
                    and graph.state.get(owner) is old
                    and _dead_after(old, index, graph, view_of, last_use)
                    and index >= last_guard
                ):
                    plan.arrays[made] = plan.arrays[old]
                    fixed.add(made)
                    in_place[made] = old
                    continue
            spec = made.spec
            strides = layout.strides(spec, prim.layout, tuple(arrays))
            taken = _reusable(node, made, strides, index, plan, group_of, last_use, view_of)
            if taken is not None:
                group_of[made] = taken
                taken.last = max(taken.last, last_use.get(made, index))
            else:
                group_of[made] = _Group(spec.nbytes, index, last_use.get(made, index))
                groups.append(group_of[made])
            lies[made] = strides
            plan.arrays[made] = _strided(np.empty(max(spec.nbytes, 1), np.uint8), 0, spec, strides)

    plan.arena_bytes = _assign(groups)
    arena = _arena(plan.arena_bytes)

    # Second pass, over the arena.
    for node in graph.nodes:
        if node in plan.views:
            arrays = [_array(plan, a) if a.__class__ is Value else a for a in node.args]
            plan.arrays[node.outputs[0]] = node.prim.view(*arrays)
            continue
        for made in node.outputs:
            if made in in_place:
                continue
            group = group_of[made]
            plan.arrays[made] = _strided(arena, group.offset, made.spec, lies[made])
            plan.offsets[made] = (group.offset, made.spec.nbytes)

    plan.scratch = {
        node: [
            _strided(arena, g.offset, s, layout.strides(s, layout.ROW_MAJOR, ())) for s, g in work
        ]
        for node, work in works.items()
    }
    plan.commits = [(p, v) for p, v in graph.updates.items() if v not in in_place]
    return plan


def _array(plan: Plan, value: Value) -> np.ndarray:
    return value.data if value.data is not None else plan.arrays[value]


def _root(value: Value, view_of: dict[Value, Value]) -> Value:
    while value in view_of:
        value = view_of[value]
    return value


def _last_uses(graph: Graph) -> dict[Value, int]:
    """The index of the last node that reads each value; results are read after the last node."""
    last: dict[Value, int] = {}
    for index, node in enumerate(graph.nodes):
        for a in node.inputs:
            last[a] = index
    for value in graph.results():
        last[value] = len(graph.nodes)
    return last


def _dead_after(
    value: Value, index: int, graph: Graph, view_of: dict[Value, Value], last_use: dict[Value, int]
) -> bool:
    """Whether nobody reads ``value`` or a view of it after node ``index``."""
    family = [value, *(v for v in view_of if _root(v, view_of) is value)]
    return all(last_use.get(v, -1) <= index for v in family)


def _reusable(
    node: Node,
    made: Value,
    strides: tuple[int, ...],
    index: int,
    plan: Plan,
    group_of: dict[Value, _Group],
    last_use: dict[Value, int],
    view_of: dict[Value, Value],
) -> _Group | None:
    """The buffer of an input that dies here and lies just as the output would."""
    if len(node.outputs) > 1 and made is not node.outputs[0]:
        return None
    for i in node.prim.reuse:
        if i >= len(node.args) or node.args[i].__class__ is not Value:
            continue
        source = node.args[i]
        group = group_of.get(source)
        if group is None or group.last > index or source.spec != made.spec:
            continue
        array = plan.arrays[source]
        if array.strides == strides and group.nbytes == made.spec.nbytes:
            return group
    return None


def _assign(groups: list[_Group]) -> int:
    """Give each buffer an offset so that buffers alive at the same time do not overlap; returns the
    arena's size.

    Largest first, each at the lowest offset that is free for its whole life.
    """
    placed: list[_Group] = []
    size = 0
    for group in sorted(groups, key=lambda g: (-g.nbytes, g.first)):
        need = -(-max(group.nbytes, 1) // ALIGN) * ALIGN
        offset = 0
        for other in sorted((o for o in placed if o.first <= group.last and group.first <= o.last),
                            key=lambda o: o.offset):  # fmt: skip
            if offset + need <= other.offset:
                break
            offset = max(offset, other.offset + -(-max(other.nbytes, 1) // ALIGN) * ALIGN)
        group.offset = offset
        placed.append(group)
        size = max(size, offset + need)
    return size


def _arena(nbytes: int) -> np.ndarray:
    """``nbytes`` of zeroed memory, on huge pages where the system has them.

    Columns are written far apart, a page or more from run to run; with 4 KiB pages each run then
    waits for an address translation.
    """
    if nbytes < _HUGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        raw = np.zeros(nbytes + ALIGN, np.uint8)
        start = -raw.ctypes.data % ALIGN
    else:
        memory = mmap.mmap(-1, nbytes + 2 * _HUGE)
        raw = np.frombuffer(memory, np.uint8)
        start = -raw.ctypes.data % _HUGE
        length = -(-nbytes // _HUGE) * _HUGE
        with contextlib.suppress(OSError):  # a kernel without huge pages
            memory.madvise(mmap.MADV_HUGEPAGE, start, length)
        raw[start : start + nbytes] = 0
    return raw[start : start + nbytes]


def _strided(memory: np.ndarray, offset: int, spec: Spec, strides: tuple[int, ...]) -> np.ndarray:
    return np.ndarray(spec.shape, spec.dtype, memory.data, offset, strides)


def _input_layout(graph: Graph, value: Value) -> str:
    """An input that only convolutions read is stored as they want it; the copy in transposes on
    the way.
    """
    readers = [n for n in graph.nodes if any(a is value for a in n.args)]
    if readers and all(n.prim.name in ("PadBatchLast", "ToPlanes") for n in readers):
        return layout.BATCH_LAST
    return layout.ROW_MAJOR


__all__ = ["ALIGN", "Plan", "make_plan"]
