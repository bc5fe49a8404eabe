"""The graph of a network in MindSpore's ops, from which both formats are written."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from minispore.core import interpreter
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor, wrap
from minispore.graph.funcgraph import FuncGraph
from minispore.graph.ir import Graph, make_node_like, rewrite
from minispore.graph.passes import common_subexpressions, dead_code, fold_constants, simplify
from minispore.graph.staging import get_undecorated
from minispore.graph.trace import Tracer, Untraceable, finish_graph
from minispore.ir import dtype as mstype
from minispore.ir.node import Node
from minispore.ir.registry import registry
from minispore.ir.value import Spec, Value
from minispore.nn.cell import Cell
from minispore.ops.control.effects import Assign
from minispore.ops.elementwise.arithmetic import Add
from minispore.ops.elementwise.compare import Less
from minispore.ops.index.gather import Gather
from minispore.ops.index.scatter import TensorScatterUpdate
from minispore.ops.index.select import Select
from minispore.ops.index.strided import StridedSlice
from minispore.ops.index.subscript import GetItem, to_numpy_index
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import BroadcastTo, Reshape
from minispore.train.interchange.open_axes import LENGTHS, fix_open_axes

API_NAME = "export"


def format_node_location(node: Node) -> str:
    """Format the Cell and line that created a node: `` (in net.conv1, net.py:12)``, or ""."""
    phrases = [f"in {node.scope}"] if node.scope else []
    phrases += [node.line] if node.line else []
    return f" ({', '.join(phrases)})" if phrases else ""


def make_export_error(node: Node, reason: str) -> RuntimeError:
    """Make the error for a ``node`` that can't be written; the caller raises it."""
    return RuntimeError(f"{API_NAME}: {node.prim!r}{format_node_location(node)} {reason}")


@contextlib.contextmanager
def inference_mode(net: Any) -> Iterator[None]:
    """Switch ``net`` and its Cells to inference, and restore their modes and phases at the end."""
    cells = [cell for _, cell in net.cells_and_names()] if isinstance(net, Cell) else []
    previous_modes = [(cell, cell.training, cell.phase) for cell in cells]
    if cells:
        net.set_train(False)
    try:
        yield
    finally:
        for cell, training, phase in previous_modes:
            cell.add_flags(training=training)
            cell.phase = phase


KeepsNode = Callable[[Graph, Node, dict[Value, Node]], bool]


def trace_inference_network(
    net: Callable[..., Any],
    inputs: tuple[Any, ...],
    length: int = LENGTHS[0],
    keeps_node: KeepsNode = lambda graph, node, producers: False,
) -> FuncGraph:
    """Trace ``net`` in inference mode by :func:`trace_network`.

    Raises:
        ValueError: the network changes Parameters.
    """
    with inference_mode(net):
        function = trace_network(net, inputs, length, keeps_node)
    if function.graph.updates:
        changed_names = ", ".join(p.name for p in function.graph.updates)
        raise ValueError(
            f"{API_NAME}: the network changes its parameters ({changed_names}), which no ONNX file "
            "can say. Use file_format='MINDIR', or export the network itself, not the step that "
            "trains it."
        )
    return function


def trace_network(
    net: Callable[..., Any],
    inputs: tuple[Any, ...],
    length: int = LENGTHS[0],
    keeps_node: KeepsNode = lambda graph, node, producers: False,
) -> FuncGraph:
    """Trace ``net(*inputs)`` into a simplified graph of MindSpore's ops.

    Open axes of the inputs get ``length``. A recurrent layer is expanded into the ops of its steps,
    unless ``keeps_node`` returns True for it.

    Raises:
        TypeError: an input is neither a Tensor nor a number or str, or the net returns anything
            other than Tensors and tuples and dicts of them.
        ValueError: the graph depends on values, or two Parameters have the same name.
    """
    tracer = Tracer()
    arguments: list[Any] = []
    for i, argument in enumerate(inputs):
        if isinstance(argument, Tensor):
            value = argument.value_
            arguments.append(wrap(tracer.add_input(fix_open_axes(value.spec, length), value.data)))
        elif argument is None or isinstance(argument, bool | int | float | str):
            arguments.append(argument)  # becomes a constant of the graph
        else:
            raise TypeError(
                f"{API_NAME}: input {i} must be a Tensor, a number, a str or None, got "
                f"{type(argument).__name__}. Pass each Tensor by itself, with the shape that the "
                "model is to have."
            )
    with interpreter.using_interpreter(tracer):
        try:
            output = get_undecorated(net)(*arguments)
        except Untraceable as exc:
            raise ValueError(
                f"{API_NAME}: {exc.why} ({exc.line}). A file holds fixed shapes."
            ) from exc
        output_tensors: list[Tensor] = []
        structure = _number_outputs(output, output_tensors)
        graph = finish_graph(tracer, [t.value_ for t in output_tensors])
    if graph.guards:
        raise ValueError(
            f"{API_NAME}: the network branches on the value of a tensor ({graph.guards[0].line}), "
            "and a file holds one branch only. Use ops such as select in place of Python's if."
        )
    _check_distinct_names(graph)
    graph = _insert_assigns(graph)
    lower = partial(lower_to_public_ops, keeps_node=keeps_node)
    for transform in (
        dead_code, simplify, fold_constants, lower, simplify, common_subexpressions, dead_code,
    ):  # fmt: skip
        graph = transform(graph)
    return FuncGraph(graph, structure, getattr(net, "__name__", type(net).__name__))


def _number_outputs(output: Any, tensors: list[Tensor]) -> Any:
    """Return ``output`` with each Tensor replaced by its index in ``tensors``, to which it is
    appended.

    Raises:
        TypeError: it is anything other than Tensors and tuples, lists and dicts of them.
    """
    if isinstance(output, Tensor):
        tensors.append(output)
        return len(tensors) - 1
    if isinstance(output, dict):  # files have no keys
        output = tuple(output.values())
    if isinstance(output, tuple | list) and output:
        return tuple([_number_outputs(element, tensors) for element in output])
    raise TypeError(
        f"{API_NAME}: the network must return Tensors, or tuples and dicts of them, got "
        f"{type(output).__name__}."
    )


def _check_distinct_names(graph: Graph) -> None:
    """Raise ValueError if two Parameters of the graph have the same name."""
    names = [p.name for p in graph.state]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(
            f"{API_NAME}: parameters must have different names, got {repeated[0]!r} twice."
        )


def _insert_assigns(graph: Graph) -> Graph:
    """Insert an Assign op for each update of a Parameter by other means, such as ``p.add_(x)``.

    Returns:
        A new graph, in which in-place ops update only Parameters.
    """
    current_values = dict(graph.state)  # the current Parameter contents, in the file's order
    params_by_value = {value: p for p, value in current_values.items()}
    nodes: list[Node] = []

    def emit_assign(p: Parameter, content: Value, scope: str, line: str) -> Value:
        """Append an Assign of ``content`` to ``p``, and return its output."""
        output = Value(current_values[p].spec)
        nodes.append(Node(Assign(), (current_values[p], content), (output,), scope, line))
        current_values[p], params_by_value[output] = output, p
        return output

    for node in graph.nodes:
        args = list(node.args)
        # An in-place op on a value that is not the content of its Parameter yet needs an Assign.
        for position in node.prim.mutates:
            a = args[position]
            if a.__class__ is Value and a not in params_by_value and isinstance(a.param, Parameter):
                args[position] = emit_assign(a.param, a, node.scope, node.line)
        nodes.append(Node(node.prim, tuple(args), node.outputs, node.scope, node.line))
        for position, output in zip(node.prim.mutates, node.outputs, strict=False):
            p = params_by_value.get(args[position])
            if p is not None:
                current_values[p], params_by_value[output] = output, p
    for p, value in graph.updates.items():
        if value not in params_by_value:
            emit_assign(p, value, "", "")
    assigned_graph = graph.replace_nodes(nodes, {})
    assigned_graph.updates = {p: current_values[p] for p in graph.updates}
    return assigned_graph


# -- minispore's own ops as MindSpore's ------------------------------------------------------------


def lower_to_public_ops(
    graph: Graph, keeps_node: KeepsNode = lambda graph, node, producers: False
) -> Graph:
    """Return a graph in which minispore's private ops are replaced by ops that MindSpore has, too.

    A recurrent layer for which ``keeps_node`` returns True is left as it is.
    """

    def expand_sequence(node: Node, producers: dict[Value, Node]) -> Any:
        """Expand a recurrent layer into its steps, unless ``keeps_node`` accepts it."""
        return None if keeps_node(graph, node, producers) else _expand_to_steps(node)

    rules = [(registry[name], rule) for name, rule in _RULES.items()]
    return rewrite(
        graph,
        *[(registry[name], expand_sequence) for name in ("GRUSequence", "LSTMSequence")],
        *rules,
    )


def _expand_get_item(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite a GetItem, x[index], as StridedSlice and Reshape, or with a tensor index as Gather;
    None if neither fits.

    ``parts`` are the parts of the index: numbers, ("slice", start, stop, step), "ellipsis",
    "newaxis", and "tensor" for each of ``tensors``.
    """
    x, parts, *tensors = node.args
    shape = node.outputs[0].spec.shape
    if tensors:
        return _expand_tensor_index(node, x, parts, tensors)
    if any(isinstance(p, tuple) and p[0] != "slice" for p in parts):
        return None
    indexed_axes = sum(p not in ("newaxis", "ellipsis") for p in parts)
    remaining_slices = [("slice", None, None, None)] * (x.spec.ndim - indexed_axes)
    if "ellipsis" in parts:
        ellipsis_index = parts.index("ellipsis")
        parts = [*parts[:ellipsis_index], *remaining_slices, *parts[ellipsis_index + 1 :]]
    else:
        parts = [*parts, *remaining_slices]
    begin, end, strides, mask = [], [], [], 0
    for axis, part in enumerate(p for p in parts if p != "newaxis"):
        size = x.spec.shape[axis]
        if isinstance(part, tuple):
            start, stop, step = slice(*part[1:]).indices(size)
        else:
            start = part + size if part < 0 else part
            stop, step = start + 1, 1
        if stop < 0:  # a slice backwards through the first element needs the end mask
            mask |= 1 << axis
        begin.append(start)
        end.append(stop)
        strides.append(step)
    sliced = make_node_like(
        node, StridedSlice(0, mask), x, tuple(begin), tuple(end), tuple(strides)
    )
    return [sliced, make_node_like(node, Reshape(), sliced.outputs[0], shape)]


def _expand_tensor_index(node: Node, x: Value, parts: Any, tensors: list[Any]) -> Any:
    """Rewrite a GetItem x[:, index] with one tensor index, on any axis, as a Gather; None for any
    other index.

    Negative indices are first made nonnegative, by added nodes.
    """
    full_slice = ("slice", None, None, None)
    if len(tensors) != 1 or any(p not in ("tensor", full_slice) for p in parts):
        return None
    axis = parts.index("tensor")
    index, size = tensors[0], x.spec.shape[axis]
    spec = Spec((), index.spec.dtype)
    zero, length = (Value(spec, np.array(n, spec.dtype)) for n in (0, size))
    negative = make_node_like(node, Less(), index, zero)
    wrapped = make_node_like(node, Add(), index, length)
    positive = make_node_like(node, Select(), negative.outputs[0], wrapped.outputs[0], index)
    return [
        negative,
        wrapped,
        positive,
        make_node_like(node, Gather(), x, positive.outputs[0], axis),
    ]


def _replace_with_gather(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite a GatherValidRows or SparseGatherV2 as Gather, which has the same output."""
    prim: Any = node.prim
    return [make_node_like(node, Gather(prim.batch_dims), *node.args)]


def _expand_masked_slice(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite a StridedSlice whose masks change the number of axes as indexing; None for any
    other.
    """
    p: Any = node.prim
    x, begin, end, strides = node.args
    if not (p.ellipsis_mask or p.new_axis_mask or p.shrink_axis_mask):
        return None
    item = make_node_like(node, GetItem(), x, p.make_parts(begin, end, strides))
    return _expand_get_item(item, producers)


def _expand_set_item(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite a SetItem, x[index] = value, as a scatter into flat x, at constant positions.

    The positions are computed during the export. None, which leaves the node unchanged, if the
    index is known only at run time.
    """
    x, value, parts, *tensors = node.args
    if any(t.data is None or t.spec.dtype.kind == "b" for t in tensors):
        return None
    shape, size = x.spec.shape, math.prod(x.spec.shape)
    index = to_numpy_index(parts, tuple(t.data for t in tensors))
    positions = np.arange(size, dtype=np.int32).reshape(shape)[index]
    rows = positions.reshape(-1, 1)
    nodes = [make_node_like(node, Reshape(), x, (-1,))]
    if value.__class__ is Value:
        extra_axes = value.spec.ndim - positions.ndim
        if extra_axes > 0:  # leading axes of length 1, which the indexed part does not have
            nodes.append(make_node_like(node, Reshape(), value, value.spec.shape[extra_axes:]))
            value = nodes[-1].outputs[0]
        if value.spec.dtype != x.spec.dtype:
            nodes.append(make_node_like(node, Cast(), value, mstype.from_numpy(x.spec.dtype)))
            value = nodes[-1].outputs[0]
        nodes.append(make_node_like(node, BroadcastTo(positions.shape), value))
        nodes.append(make_node_like(node, Reshape(), nodes[-1].outputs[0], (-1,)))
        updates = nodes[-1].outputs[0]
    else:
        constants = np.full(positions.size, value, x.spec.dtype)
        updates = Value(Spec(constants.shape, constants.dtype), constants)
    indices = Value(Spec(rows.shape, rows.dtype), rows)
    scatter = TensorScatterUpdate()
    nodes.append(make_node_like(node, scatter, nodes[0].outputs[0], indices, updates))
    return [*nodes, make_node_like(node, Reshape(), nodes[-1].outputs[0], shape)]


def _expand_to_steps(node: Node) -> Any:
    """Rewrite a recurrent layer as the ops of each step, by tracing and lowering them."""
    prim: Any = node.prim
    tracer, outer_values = Tracer(), {}
    for a in node.inputs:
        outer_values[tracer.add_input(a.spec, None)] = a
    tensors = iter([wrap(v) for v in outer_values])
    with interpreter.using_interpreter(tracer):
        outputs = prim.decompose(*[next(tensors) if a.__class__ is Value else a for a in node.args])
        graph = lower_to_public_ops(finish_graph(tracer, [t.value_ for t in outputs]))
    steps = [
        Node(n.prim, tuple([outer_values.get(a, a) if a.__class__ is Value else a for a in n.args]),
             n.outputs, node.scope, node.line)
        for n in graph.nodes
    ]  # fmt: skip
    return [*steps, tuple([outer_values.get(v, v) for v in graph.outputs])]


_RULES: dict[str, Callable[[Node, dict[Value, Node]], Any]] = {
    "GetItem": _expand_get_item,
    "GatherValidRows": _replace_with_gather,
    "SetItem": _expand_set_item,
    "SparseGatherV2": _replace_with_gather,
    "StridedSlice": _expand_masked_slice,
}

__all__ = ["make_export_error", "trace_inference_network", "trace_network"]
