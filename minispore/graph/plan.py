"""Planning: which bytes of one arena each value occupies, decided once, in five phases.

* *Strides*: a value that is a view of another (Reshape, Transpose, ...) takes no memory, no call;
  BLAS reads a transposed operand as it lies.
* *Lifetimes*: when each buffer is made, and when it is read last.
* *In place*: what a Parameter becomes is written into the Parameter's own buffer when nobody reads
  its old content later, else it is copied at the end.
* *Sharing*: an output takes over the buffer of an input that nobody reads any more, where the
  primitive allows it (``reuse``). What is left is placed in the arena, inputs among it.
* *Binding*: an array for each value. What a run hands out lies in memory of the program's own,
  since other programs run in the same arena.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from minispore.core import layout
from minispore.core.parameter import Parameter
from minispore.core.threads import commons, helpers
from minispore.core.value import Node, Value
from minispore.graph.arena import Arena, Buffer, arena_of, memory, place
from minispore.graph.ir import Graph
from minispore.graph.lifetimes import Lifetimes
from minispore.graph.strides import Strides, arguments, strided


@dataclass
class Plan:
    """Arrays for all values of a graph, over one arena."""

    arena: Arena
    arrays: dict[Value, np.ndarray] = field(default_factory=dict)
    views: set[Node] = field(default_factory=set)  # nodes that are views: nothing to run
    # Updates to copy at the end.
    commits: list[tuple[Parameter, Value]] = field(default_factory=list)
    arena_bytes: int = 0
    state_bytes: int = 0
    own_bytes: int = 0  # of results
    scratch: dict[Node, list[np.ndarray]] = field(default_factory=dict)
    # (offset, bytes) of what lies in the arena
    offsets: dict[Value, tuple[int, int]] = field(default_factory=dict)

    @property
    def peak_bytes(self) -> int:
        """Bytes that the program works on: its part of the arena, parameters and results."""
        return self.arena_bytes + self.state_bytes + self.own_bytes


def make_plan(graph: Graph, shared: bool = True) -> Plan:
    """Decide the memory of every value of ``graph``; others may work in it, too, if ``shared``."""
    if helpers.wanted():
        _bring(graph.state)
    strides = Strides(graph)
    lives = _lifetimes(graph, strides)
    in_place = _in_place(graph, strides, lives)
    buffers = _shared(graph, strides, lives, in_place)
    works = {
        node: [(s, Buffer(s.nbytes, index, index)) for s in node.prim.scratch(*node.specs)]
        for index, node in enumerate(graph.nodes)
        if node.prim.has_scratch and node not in strides.views
    }
    own = {buffers[lives.owner(v)] for v in graph.outputs if lives.owner(v) in buffers}  # type: ignore[index]
    scratch = [b for work in works.values() for _, b in work]
    apart = [b for b in dict.fromkeys(buffers.values()) if b not in own]
    size = place([*apart, *scratch])
    for buffer in own:
        buffer.last = len(graph.nodes)
    own_bytes = place(own)
    made = Plan(
        arena_of(size, shared),
        views=strides.views,
        commits=[(p, v) for p, v in graph.updates.items() if v not in in_place],
        arena_bytes=size,
        state_bytes=sum(v.spec.nbytes for v in graph.state.values()),
        own_bytes=own_bytes,
    )
    _bind(made, graph, strides, in_place, buffers, own, memory(own_bytes))
    made.scratch = {
        node: [
            strided(made.arena.memory, b.offset, s, layout.strides(s, layout.ROW_MAJOR, ()))
            for s, b in work
        ]
        for node, work in works.items()
    }
    return made


def _bring(params: Iterable[Parameter]) -> None:
    """Move Parameters to where helpers see them."""
    far = [p for p in params if not commons.holds(p.value_.data)]
    lie = [p.value_.data.strides for p in far]
    taken = [
        Buffer(layout.span(p.value_.spec, strides)[1], 0, 0)
        for p, strides in zip(far, lie, strict=True)
    ]
    room = memory(place(taken)) if far else None
    for param, strides, buffer in zip(far, lie, taken, strict=True):
        assert room is not None
        if param._lent is not None:
            param.reclaim_()
        held = param.value_
        moved = strided(room, buffer.offset, held.spec, strides)
        if not _cleared(held.data):  # the room is, and costs nothing before it is touched
            np.copyto(moved, held.data)
        param._value = Value(held.spec, moved, param)


_LOOKED_AT = 4096  # bytes that tell of most arrays that they are not all 0


def _cleared(a: np.ndarray) -> bool:
    """Whether each bit of ``a`` is 0, as of moments before the first step."""
    if a.nbytes % 8 or not a.flags.c_contiguous:
        return False
    words = a.reshape(-1).view(np.uint8).view(np.uint64)
    return not words[: _LOOKED_AT // 8].any() and not words.any()


def _lifetimes(graph: Graph, strides: Strides) -> Lifetimes:
    """The life of each buffer; results are read after the last node."""
    lives = Lifetimes()
    for value in (*graph.inputs, *graph.state.values()):
        lives.make(value, -1)
    for index, node in enumerate(graph.nodes):
        for a in node.inputs:
            lives.read(a, index)
        for made in node.outputs:
            if node in strides.views:
                lives.share(made, node.args[0])
            else:
                lives.make(made, index)
    for value in graph.results():
        lives.read(value, len(graph.nodes))
    return lives


def _in_place(graph: Graph, strides: Strides, lives: Lifetimes) -> dict[Value, Value]:
    """Updates -> what the Parameter held before, where both may be one buffer."""
    of_param = {v: p for p, v in graph.updates.items()}
    guarded = {g.value for g in graph.guards}
    asked = [i for i, n in enumerate(graph.nodes) if not guarded.isdisjoint(n.outputs)]
    last_guard = max(asked, default=-1)
    found: dict[Value, Value] = {}
    for index, node in enumerate(graph.nodes):
        if index <= last_guard:  # it may still turn out that nothing should have happened
            continue
        for made, i in zip(node.outputs, node.prim.mutates):
            param, old = of_param.get(made), node.args[i]
            held = param is not None and graph.state.get(param) is old
            same = held and strides.arrays[made].strides == strides.arrays[old].strides
            if same and lives.last[old] <= index and _alone(node, (i,), lives):
                found[made] = old
    return found


def _alone(node: Node, at: tuple[int, ...], lives: Lifetimes) -> bool:
    """Whether the first input of ``at`` is read as it is, ``at`` these places and nowhere else.

    A kernel that overwrites it may still want what else lies in its buffer: itself once more, or a
    view of it.
    """
    source = node.args[at[0]]
    same = sum(i < len(node.args) and node.args[i] is source for i in at)
    return same == sum(lives.owner(a) is lives.owner(source) for a in node.inputs)


def _shared(
    graph: Graph, strides: Strides, lives: Lifetimes, in_place: dict[Value, Value]
) -> dict[Value, Buffer]:
    """The buffer of each value that has one, as large and as long as all who share it need."""
    buffers = {
        v: Buffer(layout.span(v.spec, strides.arrays[v].strides)[1], -1, lives.last[v])
        for v in graph.inputs
    }
    for index, node in enumerate(graph.nodes):
        if node in strides.views:
            if node.args[0] in buffers:
                buffers[node.outputs[0]] = buffers[node.args[0]]
            continue
        for made in node.outputs:
            if made in in_place:
                continue
            first = made is node.outputs[0]
            buffer = _dying(node, index, strides, lives, buffers) if first else None
            if buffer is None:
                buffer = Buffer(made.spec.nbytes, index, index)
            buffer.last = max(buffer.last, lives.last[made])
            buffers[made] = buffer
    return buffers


def _dying(
    node: Node, index: int, strides: Strides, lives: Lifetimes, buffers: dict[Value, Buffer]
) -> Buffer | None:
    """The buffer of an input that dies at ``node`` and lies just as its output would."""
    made = node.outputs[0]
    reuse = node.prim.reuse
    for i in reuse:
        source = node.args[i] if i < len(node.args) else None
        if not isinstance(source, Value):
            continue
        buffer = buffers.get(source)
        if buffer is None or buffer.last > index or source.spec != made.spec:
            continue
        alike = strides.arrays[source].strides == strides.arrays[made].strides
        at = (i, *(j for j in reuse if j != i))
        if alike and buffer.nbytes == made.spec.nbytes and _alone(node, at, lives):
            return buffer
    return None


def _bind(
    plan: Plan,
    graph: Graph,
    strides: Strides,
    in_place: dict[Value, Value],
    buffers: dict[Value, Buffer],
    own: set[Buffer],
    results: np.ndarray,
) -> None:
    """Give each value its array, in the arena or among the ``results``."""
    arrays = plan.arrays
    arrays.update({v: strides.arrays[v] for v in graph.state.values()})

    def bind(value: Value) -> None:
        buffer, spec = buffers[value], value.spec
        where = results if buffer in own else plan.arena.memory
        arrays[value] = strided(where, buffer.offset, spec, strides.arrays[value].strides)
        if buffer not in own:
            plan.offsets[value] = (buffer.offset, layout.span(spec, arrays[value].strides)[1])

    for value in graph.inputs:
        bind(value)
    for node in graph.nodes:
        if node in strides.views:
            arrays[node.outputs[0]] = node.prim.view(*arguments(node, arrays))
            continue
        for made in node.outputs:
            if made in in_place:
                arrays[made] = arrays[in_place[made]]
            else:
                bind(made)


__all__ = ["Plan", "make_plan"]
