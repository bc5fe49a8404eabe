"""The graph of a network in MindSpore's own ops: what both formats are made of."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core import interpreter
from minispore.core.parameter import Parameter
from minispore.core.registry import registry
from minispore.core.tensor import Tensor, wrap
from minispore.core.value import Node, Spec, Value
from minispore.graph.funcgraph import FuncGraph
from minispore.graph.ir import Graph, make_node_like, rewrite
from minispore.graph.passes import common_subexpressions, dead_code, fold_constants, simplify
from minispore.graph.staging import get_undecorated
from minispore.graph.trace import Tracer, Untraceable, finish_graph
from minispore.nn.cell import Cell
from minispore.ops.control.effects import Assign
from minispore.ops.elementwise.arithmetic import Add
from minispore.ops.elementwise.compare import Less
from minispore.ops.index.gather import Gather
from minispore.ops.index.scatter import TensorScatterUpdate
from minispore.ops.index.select import Select
from minispore.ops.index.strided import StridedSlice
from minispore.ops.index.subscript import GetItem, numpy_index
from minispore.ops.shape.views import BroadcastTo, Reshape
from minispore.ops.shape.whole import Cast
from minispore.train.interchange.open_axes import LENGTHS, closed

WHO = "export"


def where(node: Node) -> str:
    """`` (in net.conv1, net.py:12)``: the Cell and line that asked for ``node``."""
    found = [f"in {node.scope}"] if node.scope else []
    found += [node.line] if node.line else []
    return f" ({', '.join(found)})" if found else ""


def refuse(node: Node, why: str) -> RuntimeError:
    """The error that ``node`` can't be written."""
    return RuntimeError(f"{WHO}: {node.prim!r}{where(node)} {why}")


@contextlib.contextmanager
def inferring(net: Any) -> Iterator[None]:
    """``net`` and all Cells in it switched to inference, and back at the end."""
    cells = [cell for _, cell in net.cells_and_names()] if isinstance(net, Cell) else []
    before = [(cell, cell.training, cell.phase) for cell in cells]
    if cells:
        net.set_train(False)
    try:
        yield
    finally:
        for cell, training, phase in before:
            cell.add_flags(training=training)
            cell.phase = phase


Stays = Callable[[Graph, Node, dict[Value, Node]], bool]


def inference_graph(
    net: Callable[..., Any],
    inputs: tuple[Any, ...],
    length: int = LENGTHS[0],
    said_whole: Stays = lambda graph, node, producers: False,
) -> FuncGraph:
    """:func:`graph_of` ``net`` in inference.

    Raises:
        ValueError: the network changes Parameters.
    """
    with inferring(net):
        function = graph_of(net, inputs, length, said_whole)
    if function.graph.updates:
        changed = ", ".join(p.name for p in function.graph.updates)
        raise ValueError(
            f"{WHO}: the network changes its parameters ({changed}), which no ONNX file can say. "
            "Use file_format='MINDIR', or export the network itself, not the step that trains it."
        )
    return function


def graph_of(
    net: Callable[..., Any],
    inputs: tuple[Any, ...],
    length: int = LENGTHS[0],
    said_whole: Stays = lambda graph, node, producers: False,
) -> FuncGraph:
    """Trace ``net(*inputs)``, and clean the graph; open axes have ``length``.

    A recurrent layer becomes the ops of its steps, but where the format has it ``said_whole``.

    Raises:
        TypeError: an input is neither a Tensor nor a number or str, or the net returns something
            else than Tensors, and tuples and dicts of them.
        ValueError: the graph depends on values, or two Parameters have one name.
    """
    tracer = Tracer()
    boxes: list[Any] = []
    for i, given in enumerate(inputs):
        if isinstance(given, Tensor):
            value = given.value_
            boxes.append(wrap(tracer.add_input(closed(value.spec, length), value.data)))
        elif given is None or isinstance(given, bool | int | float | str):
            boxes.append(given)  # it becomes a constant of the graph
        else:
            raise TypeError(
                f"{WHO}: input {i} must be a Tensor, a number, a str or None, got "
                f"{type(given).__name__}. Pass each Tensor by itself, with the shape that the "
                "model is to have."
            )
    with interpreter.using_interpreter(tracer):
        try:
            out = get_undecorated(net)(*boxes)
        except Untraceable as exc:
            raise ValueError(f"{WHO}: {exc.why} ({exc.line}). A file holds fixed shapes.") from exc
        flat: list[Tensor] = []
        structure = _structure(out, flat)
        graph = finish_graph(tracer, [t.value_ for t in flat])
    if graph.guards:
        raise ValueError(
            f"{WHO}: the network branches on the value of a tensor ({graph.guards[0].line}), and a "
            "file holds one branch only. Use ops such as select in place of Python's if."
        )
    _check_parameters(graph)
    graph = _assigned(graph)
    for step in (dead_code, simplify, fold_constants, partial(in_public_ops, said_whole=said_whole),
                 simplify, common_subexpressions, dead_code):  # fmt: skip
        graph = step(graph)
    return FuncGraph(graph, structure, getattr(net, "__name__", type(net).__name__))


def _structure(out: Any, flat: list[Tensor]) -> Any:
    """``out`` with a number in place of each Tensor, which joins ``flat``."""
    if isinstance(out, Tensor):
        flat.append(out)
        return len(flat) - 1
    if isinstance(out, dict):  # a file has no keys
        out = tuple(out.values())
    if isinstance(out, tuple | list) and out:
        return tuple([_structure(part, flat) for part in out])
    raise TypeError(
        f"{WHO}: the network must return Tensors, or tuples and dicts of them, got "
        f"{type(out).__name__}."
    )


def _check_parameters(graph: Graph) -> None:
    names = [p.name for p in graph.state]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{WHO}: parameters must have different names, got {twice[0]!r} twice.")


def _assigned(graph: Graph) -> Graph:
    """What Parameters were given by no op of their own, as ``p.add_(x)`` does, an Assign gives."""
    now = dict(graph.state)  # what each Parameter holds in the file's order
    held = {value: p for p, value in now.items()}
    nodes: list[Node] = []

    def give(p: Parameter, content: Value, scope: str, line: str) -> Value:
        made = Value(now[p].spec)
        nodes.append(Node(Assign(), (now[p], content), (made,), scope, line))
        now[p], held[made] = made, p
        return made

    for node in graph.nodes:
        args = list(node.args)
        for i in node.prim.mutates:
            a = args[i]
            if a.__class__ is Value and a not in held and a.param is not None:
                args[i] = give(a.param, a, node.scope, node.line)
        nodes.append(Node(node.prim, tuple(args), node.outputs, node.scope, node.line))
        for i, made in zip(node.prim.mutates, node.outputs, strict=False):
            p = held.get(args[i])
            if p is not None:
                now[p], held[made] = made, p
    for p, value in graph.updates.items():
        if value not in held:
            give(p, value, "", "")
    whole = graph.replace_nodes(nodes, {})
    whole.updates = {p: now[p] for p in graph.updates}
    return whole


# -- our own ops in terms of MindSpore's -----------------------------------------------------------


def in_public_ops(graph: Graph, said_whole: Stays = lambda graph, node, producers: False) -> Graph:
    """Replace ops that only minispore has by those that both have."""

    def steps(node: Node, producers: dict[Value, Node]) -> Any:
        return None if said_whole(graph, node, producers) else _steps_of(node)

    rules = [(registry[name], rule) for name, rule in _RULES.items()]
    return rewrite(
        graph,
        *[(op, lambda node, _, r=rule: r(node)) for op, rule in rules],
        *[(registry[name], steps) for name in ("GRUSequence", "LSTMSequence")],
    )


def _get_item(node: Node) -> Any:
    """x[index] = a strided slice, then the axes that ints drop and None adds; or one Gather."""
    x, parts, *tensors = node.args
    shape = node.outputs[0].spec.shape
    if tensors:
        return _gathered(node, x, parts, tensors)
    if any(isinstance(p, tuple) and p[0] != "slice" for p in parts):
        return None
    taken = sum(p not in ("newaxis", "ellipsis") for p in parts)
    rest = [("slice", None, None, None)] * (x.spec.ndim - taken)
    if "ellipsis" in parts:
        at = parts.index("ellipsis")
        parts = [*parts[:at], *rest, *parts[at + 1 :]]
    else:
        parts = [*parts, *rest]
    begin, end, strides, mask = [], [], [], 0
    for axis, part in enumerate(p for p in parts if p != "newaxis"):
        size = x.spec.shape[axis]
        if isinstance(part, tuple):
            start, stop, step = slice(*part[1:]).indices(size)
        else:
            start = part + size if part < 0 else part
            stop, step = start + 1, 1
        if stop < 0:  # backwards through the first element, which no number can say
            mask |= 1 << axis
        begin.append(start)
        end.append(stop)
        strides.append(step)
    sliced = make_node_like(
        node, StridedSlice(0, mask), x, tuple(begin), tuple(end), tuple(strides)
    )
    return [sliced, make_node_like(node, Reshape(), sliced.outputs[0], shape)]


def _gathered(node: Node, x: Value, parts: Any, tensors: list[Any]) -> Any:
    whole = ("slice", None, None, None)
    others = [p for p in parts if p != "tensor"]
    if len(tensors) != 1 or any(p != whole for p in others):
        return None
    axis = parts.index("tensor")
    index, size = tensors[0], x.spec.shape[axis]
    spec = Spec((), index.spec.dtype)
    zero, length = (Value(spec, np.array(n, spec.dtype)) for n in (0, size))
    negative = make_node_like(node, Less(), index, zero)
    moved = make_node_like(node, Add(), index, length)
    chosen = make_node_like(node, Select(), negative.outputs[0], moved.outputs[0], index)
    return [negative, moved, chosen, make_node_like(node, Gather(), x, chosen.outputs[0], axis)]


def _gather(node: Node) -> Any:
    """What differs is the gradient."""
    prim: Any = node.prim
    return [make_node_like(node, Gather(prim.batch_dims), *node.args)]


def _strided_slice(node: Node) -> Any:
    """Masks that change the number of axes are an index like any other."""
    p: Any = node.prim
    x, begin, end, strides = node.args
    if not (p.ellipsis_mask or p.new_axis_mask or p.shrink_axis_mask):
        return None
    return _get_item(make_node_like(node, GetItem(), x, p.parts(begin, end, strides)))


def _set_item(node: Node) -> Any:
    """x with a value at [index] = a scatter into flat x, at places that the index names now."""
    x, value, parts, *tensors = node.args
    if any(t.data is None or t.spec.dtype.kind == "b" for t in tensors):
        return None
    shape, size = x.spec.shape, math.prod(x.spec.shape)
    index = numpy_index(parts, tuple(t.data for t in tensors))
    places = np.arange(size, dtype=np.int32).reshape(shape)[index]
    rows = places.reshape(-1, 1)
    made = [make_node_like(node, Reshape(), x, (-1,))]
    if value.__class__ is Value:
        lead = value.spec.ndim - places.ndim
        if lead > 0:  # axes of length 1 that the item has not
            made.append(make_node_like(node, Reshape(), value, value.spec.shape[lead:]))
            value = made[-1].outputs[0]
        if value.spec.dtype != x.spec.dtype:
            made.append(make_node_like(node, Cast(), value, mstype.from_numpy(x.spec.dtype)))
            value = made[-1].outputs[0]
        made.append(make_node_like(node, BroadcastTo(places.shape), value))
        made.append(make_node_like(node, Reshape(), made[-1].outputs[0], (-1,)))
        updates = made[-1].outputs[0]
    else:
        filled = np.full(places.size, value, x.spec.dtype)
        updates = Value(Spec(filled.shape, filled.dtype), filled)
    where = Value(Spec(rows.shape, rows.dtype), rows)
    scatter = TensorScatterUpdate()
    made.append(make_node_like(node, scatter, made[0].outputs[0], where, updates))
    return [*made, make_node_like(node, Reshape(), made[-1].outputs[0], shape)]


def _steps_of(node: Node) -> Any:
    """A recurrent layer = the ops of each step."""
    prim: Any = node.prim
    inner, own = Tracer(), {}
    for a in node.inputs:
        own[inner.add_input(a.spec, None)] = a
    boxes = iter([wrap(v) for v in own])
    with interpreter.using_interpreter(inner):
        made = prim.told(*[next(boxes) if a.__class__ is Value else a for a in node.args])
        graph = in_public_ops(finish_graph(inner, [t.value_ for t in made]))
    steps = [
        Node(n.prim, tuple([own.get(a, a) if a.__class__ is Value else a for a in n.args]),
             n.outputs, node.scope, node.line)
        for n in graph.nodes
    ]  # fmt: skip
    return [*steps, tuple([own.get(v, v) for v in graph.outputs])]


_RULES: dict[str, Callable[[Node], Any]] = {
    "GetItem": _get_item,
    "KnownRows": _gather,
    "SetItem": _set_item,
    "SparseGatherV2": _gather,
    "StridedSlice": _strided_slice,
}

__all__ = ["graph_of", "inference_graph", "refuse"]
