"""Axes of open length: the graph is traced for two lengths; axes whose length differs are open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from minispore.core.tensor import Tensor
from minispore.graph.ir import Graph
from minispore.ir.node import Node
from minispore.ir.value import Spec, Value
from minispore.ops.shape.views import BroadcastTo

LENGTHS = (11, 13)  # primes that are unlikely to be sizes in a network
PAST_END = 2**31 - 1  # a slice's end beyond the end of any axis

Shapes = dict[Value, tuple[int, ...]]  # -1 where the length is open


def has_open_axis(argument: Any) -> bool:
    """Whether an input of ``export`` has an open axis."""
    return isinstance(argument, Tensor) and -1 in argument.value_.spec.shape


def fix_open_axes(spec: Spec, length: int) -> Spec:
    """Return ``spec`` with its open axes replaced by ``length``."""
    return Spec(tuple(length if n == -1 else n for n in spec.shape), spec.dtype)


def infer_open_shapes(graph: Graph, twin: Graph) -> Shapes:
    """Infer the open axes of a graph's values, and rewrite nodes that contain the length.

    Args:
        graph: traced for one length; its nodes are changed in place.
        twin: traced for another length.

    Returns:
        The shapes of the values, -1 for open axes.
    """
    shapes: Shapes = {
        a: tuple(n if n == m else -1 for n, m in zip(a.spec.shape, b.spec.shape, strict=False))
        for a, b in zip(_iterate_values(graph), _iterate_values(twin), strict=False)
    }
    for node in graph.nodes:
        if node.prim.name in _RULES and -1 in shapes.get(node.outputs[0], ()):
            _RULES[node.prim.name](node, shapes)
    return shapes


def _iterate_values(graph: Graph) -> Iterator[Value]:
    """Yield the inputs of a graph and the outputs of its nodes, in order."""
    yield from graph.inputs
    for node in graph.nodes:
        yield from node.outputs


def _generalize_reshape(node: Node, shapes: Shapes) -> None:
    """Let a Reshape infer the open axis of its output, if there is only one; change the node in
    place.
    """
    if shapes[node.outputs[0]].count(-1) == 1:
        node.args = (node.args[0], shapes[node.outputs[0]])


def _generalize_broadcast(node: Node, shapes: Shapes) -> None:
    """Let a BroadcastTo keep open axes of its input; change the node in place unless another axis
    is open.
    """
    output_shape, (x, *_) = shapes[node.outputs[0]], node.args
    input_shape = (1,) * (len(output_shape) - x.spec.ndim) + shapes.get(x, x.spec.shape)
    if all(n != -1 or m == -1 for n, m in zip(output_shape, input_shape, strict=True)):
        node.prim = BroadcastTo(output_shape)


def _generalize_strided_slice(node: Node, shapes: Shapes) -> None:
    """Let a StridedSlice that covers an open axis end beyond any length; change the node in
    place.
    """
    x, begin, end, strides = node.args
    input_shape, output_shape = shapes.get(x, x.spec.shape), shapes[node.outputs[0]]
    covers_axis = [
        input_shape[i] == output_shape[i] == -1 and begin[i] == 0 and strides[i] == 1
        for i in range(len(begin))
    ]
    ends = tuple(PAST_END if is_full else n for is_full, n in zip(covers_axis, end, strict=True))
    node.args = (x, begin, ends, strides)


def _generalize_slice(node: Node, shapes: Shapes) -> None:
    """Let a Slice that covers an open axis take its full length; change the node in place."""
    x, begin, size = node.args
    input_shape, output_shape = shapes.get(x, x.spec.shape), shapes[node.outputs[0]]
    covers_axis = [
        n == m == -1 and b == 0 for n, m, b in zip(input_shape, output_shape, begin, strict=True)
    ]
    sizes = tuple(-1 if is_full else n for is_full, n in zip(covers_axis, size, strict=True))
    node.args = (x, begin, sizes)


_RULES: dict[str, Callable[[Node, Shapes], None]] = {
    "Reshape": _generalize_reshape,
    "BroadcastTo": _generalize_broadcast,
    "Slice": _generalize_slice,
    "StridedSlice": _generalize_strided_slice,
}

__all__ = ["LENGTHS", "PAST_END", "Shapes", "fix_open_axes", "has_open_axis", "infer_open_shapes"]
