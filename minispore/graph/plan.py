"""Memory planning: decide once, in five phases, which bytes of an arena each value occupies.

* *Strides*: a value that is a view of another (Reshape, Transpose, ...) takes no memory and no
  call; BLAS reads a transposed operand in place.
* *Lifetimes*: the op that makes each buffer, and the last op that reads it.
* *In place*: an update of a Parameter is written into the Parameter's own buffer if nothing reads
  its old content later; otherwise it is copied at the end.
* *Sharing*: an output reuses the buffer of an input that nothing reads any more, where the
  primitive allows it (``reuse``). All other buffers are placed in the arena, including those of
  inputs.
* *Binding*: an array for each value. The results of a run are stored in memory of the program
  itself, since other programs run in the same arena.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field

import numpy as np

from minispore.core.parameter import Parameter
from minispore.execution import layout
from minispore.execution.threads import shared_memory, worker_processes
from minispore.graph.arena import Arena, Buffer, allocate, assign_offsets, get_arena
from minispore.graph.ir import Graph
from minispore.graph.lifetimes import Lifetimes
from minispore.graph.strides import StrideInference, gather_arguments, make_strided_view
from minispore.ir.node import Node
from minispore.ir.value import Value


@dataclass
class MemoryPlan:
    """The arrays of all values of a graph, over one arena; made by :func:`make_plan`."""

    arena: Arena
    arrays: dict[Value, np.ndarray] = field(default_factory=dict)
    views: set[Node] = field(default_factory=set)  # nodes whose outputs are views: nothing to run
    # Updates that are not in place; they are copied to the Parameters at the end of a run.
    copied_updates: list[tuple[Parameter, Value]] = field(default_factory=list)
    arena_bytes: int = 0
    state_bytes: int = 0
    result_bytes: int = 0  # size of the memory that holds the results
    scratch: dict[Node, list[np.ndarray]] = field(default_factory=dict)
    # (offset, bytes) of each value in the arena
    offsets: dict[Value, tuple[int, int]] = field(default_factory=dict)

    @property
    def peak_bytes(self) -> int:
        """The bytes that the program uses: its part of the arena, its Parameters and results."""
        return self.arena_bytes + self.state_bytes + self.result_bytes


def make_plan(graph: Graph, shares_arena: bool = True) -> MemoryPlan:
    """Decide the memory of every value of ``graph``, allocate it, and return the arrays.

    If worker processes are in use, Parameters are moved to shared memory first.

    Args:
        graph: the optimised graph.
        shares_arena: whether other programs may use the same arena.
    """
    if worker_processes.should_use_workers():
        _move_to_shared_memory(graph.state)
    strides = StrideInference(graph)
    lifetimes = _compute_lifetimes(graph, strides)
    in_place = _find_in_place_updates(graph, strides, lifetimes)
    buffers = _assign_buffers(graph, strides, lifetimes, in_place)
    node_scratch = {
        node: [
            (s, Buffer(s.nbytes, first=index, last=index)) for s in node.prim.scratch(*node.specs)
        ]
        for index, node in enumerate(graph.nodes)
        if node.prim.traits.has_scratch and node not in strides.views
    }
    # A dict, because the order of a set of buffers differs from run to run.
    result_buffers = dict.fromkeys(
        buffers[lifetimes.root(v)]  # type: ignore[index]
        for v in graph.outputs
        if lifetimes.root(v) in buffers
    )
    scratch = [b for entries in node_scratch.values() for _, b in entries]
    intermediates = [b for b in dict.fromkeys(buffers.values()) if b not in result_buffers]
    arena_bytes = assign_offsets([*intermediates, *scratch])
    for buffer in result_buffers:
        buffer.last = len(graph.nodes)  # results are live until the end of a run
    result_bytes = assign_offsets(result_buffers)
    plan = MemoryPlan(
        get_arena(arena_bytes, shares_arena),
        views=strides.views,
        copied_updates=[(p, v) for p, v in graph.updates.items() if v not in in_place],
        arena_bytes=arena_bytes,
        state_bytes=sum(v.spec.nbytes for v in graph.state.values()),
        result_bytes=result_bytes,
    )
    _bind_arrays(plan, graph, strides, in_place, buffers, result_buffers, allocate(result_bytes))
    plan.scratch = {
        node: [
            make_strided_view(
                plan.arena.memory, b.offset, s, layout.compute_strides(s, layout.ROW_MAJOR, ())
            )
            for s, b in entries
        ]
        for node, entries in node_scratch.items()
    }
    return plan


def _move_to_shared_memory(params: Iterable[Parameter]) -> None:
    """Move the content of Parameters to one new block of memory that worker processes can see.

    Content that is already in such memory stays. A tensor that shares the content of a moved
    Parameter gets a copy.
    """
    private = [p for p in params if not shared_memory.is_shared(p.value_.data)]
    private_strides = [p.value_.data.strides for p in private]
    buffers = [
        Buffer(layout.compute_span(p.value_.spec, strides)[1], 0, 0)
        for p, strides in zip(private, private_strides, strict=True)
    ]
    block = allocate(assign_offsets(buffers)) if private else None
    for param, strides, buffer in zip(private, private_strides, buffers, strict=True):
        assert block is not None
        if param._aliasing_value is not None:
            param.unshare_()
        value = param.value_
        shared_array = make_strided_view(block, buffer.offset, value.spec, strides)
        # The new block is already zero, and its pages cost nothing until they are touched.
        if not _is_all_zero(value.data):
            np.copyto(shared_array, value.data)
        param._value = Value(value.spec, shared_array, param)


_PREFIX_BYTES = 4096  # bytes that are checked first, since they are not all 0 in most arrays


def _is_all_zero(a: np.ndarray) -> bool:
    """Whether all bits of ``a`` are known to be 0, as in an optimizer's moments before the first
    step.

    False, without a check, for arrays that are not in C order or whose size is not a multiple of 8
    bytes.
    """
    if a.nbytes % 8 or not a.flags.c_contiguous:
        return False
    words = a.reshape(-1).view(np.uint8).view(np.uint64)
    return not words[: _PREFIX_BYTES // 8].any() and not words.any()


def _compute_lifetimes(graph: Graph, strides: StrideInference) -> Lifetimes:
    """Compute the live range of each buffer, by node indices; results are read after the last
    node.
    """
    lifetimes = Lifetimes()
    for value in (*graph.inputs, *graph.state.values()):
        lifetimes.define(value, -1)
    for index, node in enumerate(graph.nodes):
        for a in node.inputs:
            lifetimes.record_read(a, index)
        for output in node.outputs:
            if node in strides.views:
                lifetimes.alias(output, node.args[0])
            else:
                lifetimes.define(output, index)
    for value in graph.results():
        lifetimes.record_read(value, len(graph.nodes))
    return lifetimes


def _find_in_place_updates(
    graph: Graph, strides: StrideInference, lifetimes: Lifetimes
) -> dict[Value, Value]:
    """Find the updates of Parameters that can be written into the Parameter's own buffer.

    Updates before the last guard can't: if that guard fails, no Parameter may have changed.

    Returns:
        The value before each such update, by the updated value.
    """
    param_of_update = {v: p for p, v in graph.updates.items()}
    guard_values = {g.value for g in graph.guards}
    guard_indices = [i for i, n in enumerate(graph.nodes) if not guard_values.isdisjoint(n.outputs)]
    last_guard = max(guard_indices, default=-1)
    in_place: dict[Value, Value] = {}
    for index, node in enumerate(graph.nodes):
        if index <= last_guard:
            continue
        for output, position in zip(node.outputs, node.prim.mutates):
            param, old_value = param_of_update.get(output), node.args[position]
            replaces_state = param is not None and graph.state.get(param) is old_value
            if (
                replaces_state
                and strides.arrays[output].strides == strides.arrays[old_value].strides
                and lifetimes.last[old_value] <= index
                and _is_sole_reader_at(node, (position,), lifetimes)
            ):
                in_place[output] = old_value
    return in_place


def _is_sole_reader_at(node: Node, positions: tuple[int, ...], lifetimes: Lifetimes) -> bool:
    """Whether ``node`` reads the buffer of an argument only through the arguments at ``positions``.

    ``positions`` begins with the position of that argument; arguments at the others may be the same
    value. A kernel that overwrites the buffer would corrupt data that it reads through another
    argument or a view.
    """
    source = node.args[positions[0]]
    count = sum(i < len(node.args) and node.args[i] is source for i in positions)
    return count == sum(lifetimes.root(a) is lifetimes.root(source) for a in node.inputs)


def _assign_buffers(
    graph: Graph, strides: StrideInference, lifetimes: Lifetimes, in_place: dict[Value, Value]
) -> dict[Value, Buffer]:
    """Assign a buffer to each value that needs one.

    Values that share a buffer extend its live range to cover their own. Parameters and in-place
    updates already have memory.
    """
    buffers = {
        v: Buffer(layout.compute_span(v.spec, strides.arrays[v].strides)[1], -1, lifetimes.last[v])
        for v in graph.inputs
    }
    for index, node in enumerate(graph.nodes):
        if node in strides.views:
            if node.args[0] in buffers:
                buffers[node.outputs[0]] = buffers[node.args[0]]
            continue
        for output in node.outputs:
            if output in in_place:
                continue
            buffer = None
            if output is node.outputs[0]:  # a primitive's ``reuse`` refers to its first output
                buffer = _find_reusable_buffer(node, index, strides, lifetimes, buffers)
            if buffer is None:
                buffer = Buffer(output.spec.nbytes, index, index)
            buffer.last = max(buffer.last, lifetimes.last[output])
            buffers[output] = buffer
    return buffers


def _find_reusable_buffer(
    node: Node,
    index: int,
    strides: StrideInference,
    lifetimes: Lifetimes,
    buffers: dict[Value, Buffer],
) -> Buffer | None:
    """Find the buffer of an input that ``node`` reads last and may overwrite with its first output.

    The input must have the spec and the strides of the output. Returns None if there is no such
    input.
    """
    output = node.outputs[0]
    reuse = node.prim.reuse
    for i in reuse:
        source = node.args[i] if i < len(node.args) else None
        if not isinstance(source, Value):
            continue
        buffer = buffers.get(source)
        if buffer is None or buffer.last > index or source.spec != output.spec:
            continue
        positions = (i, *(j for j in reuse if j != i))
        if (
            strides.arrays[source].strides == strides.arrays[output].strides
            and buffer.nbytes == output.spec.nbytes
            and _is_sole_reader_at(node, positions, lifetimes)
        ):
            return buffer
    return None


def _bind_arrays(
    plan: MemoryPlan,
    graph: Graph,
    strides: StrideInference,
    in_place: dict[Value, Value],
    buffers: dict[Value, Buffer],
    result_buffers: Container[Buffer],
    result_block: np.ndarray,
) -> None:
    """Create the array of each value, in the arena or in ``result_block``, and record its offset in
    the plan.
    """
    arrays = plan.arrays
    arrays.update({v: strides.arrays[v] for v in graph.state.values()})

    def bind_value(value: Value) -> None:
        """Create the array of a value; if it is in the arena, record its offset and bytes in the
        plan.
        """
        buffer, spec = buffers[value], value.spec
        block = result_block if buffer in result_buffers else plan.arena.memory
        arrays[value] = make_strided_view(block, buffer.offset, spec, strides.arrays[value].strides)
        if buffer not in result_buffers:
            plan.offsets[value] = (
                buffer.offset,
                layout.compute_span(spec, arrays[value].strides)[1],
            )

    # In program order, so what a view or an in-place update shares is bound before it.
    for value in graph.inputs:
        bind_value(value)
    for node in graph.nodes:
        if node in strides.views:
            arrays[node.outputs[0]] = node.prim.view(*gather_arguments(node, arrays))
            continue
        for output in node.outputs:
            if output in in_place:
                arrays[output] = arrays[in_place[output]]
            else:
                bind_value(output)


__all__ = ["MemoryPlan", "make_plan"]
