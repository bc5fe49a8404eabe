"""Axes of open length: a graph is traced for two lengths, and what differs is said without them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from minispore.core.tensor import Tensor
from minispore.core.value import Node, Spec, Value
from minispore.graph.ir import Graph
from minispore.ops.shape.views import BroadcastTo

LENGTHS = (11, 13)  # that no network has by itself
FAR = 2**31 - 1  # an end past the end of every axis

Shapes = dict[Value, tuple[int, ...]]  # -1 where the length is open


def is_open(given: Any) -> bool:
    """Whether an input of ``export`` has an open axis."""
    return isinstance(given, Tensor) and -1 in given.value_.spec.shape


def closed(spec: Spec, length: int) -> Spec:
    """``spec`` with a length for its open axes."""
    return Spec(tuple(length if n == -1 else n for n in spec.shape), spec.dtype)


def opened(graph: Graph, twin: Graph) -> Shapes:
    """The shapes of the values of ``graph``; nodes that name the length name it no more.

    Args:
        graph: traced for one length.
        twin: traced for another.
    """
    shapes: Shapes = {
        a: tuple(n if n == m else -1 for n, m in zip(a.spec.shape, b.spec.shape, strict=False))
        for a, b in zip(_values(graph), _values(twin), strict=False)
    }
    for node in graph.nodes:
        if node.prim.name in _RULES and -1 in shapes.get(node.outputs[0], ()):
            _RULES[node.prim.name](node, shapes)
    return shapes


def _values(graph: Graph) -> Iterator[Value]:
    yield from graph.inputs
    for node in graph.nodes:
        yield from node.outputs


def _reshape(node: Node, shapes: Shapes) -> None:
    if shapes[node.outputs[0]].count(-1) == 1:
        node.args = (node.args[0], shapes[node.outputs[0]])


def _broadcast(node: Node, shapes: Shapes) -> None:
    out, (x, *_) = shapes[node.outputs[0]], node.args
    own = (1,) * (len(out) - x.spec.ndim) + shapes.get(x, x.spec.shape)
    if all(n != -1 or m == -1 for n, m in zip(out, own, strict=True)):
        node.prim = BroadcastTo(out)


def _strided_slice(node: Node, shapes: Shapes) -> None:
    x, begin, end, strides = node.args
    own, out = shapes.get(x, x.spec.shape), shapes[node.outputs[0]]
    whole = [
        own[i] == out[i] == -1 and begin[i] == 0 and strides[i] == 1 for i in range(len(begin))
    ]
    ends = tuple(FAR if all_of_it else n for all_of_it, n in zip(whole, end, strict=True))
    node.args = (x, begin, ends, strides)


def _slice(node: Node, shapes: Shapes) -> None:
    x, begin, size = node.args
    own, out = shapes.get(x, x.spec.shape), shapes[node.outputs[0]]
    rest = [n == m == -1 and b == 0 for n, m, b in zip(own, out, begin, strict=True)]
    sizes = tuple(-1 if all_of_it else n for all_of_it, n in zip(rest, size, strict=True))
    node.args = (x, begin, sizes)


_RULES: dict[str, Callable[[Node, Shapes], None]] = {
    "Reshape": _reshape,
    "BroadcastTo": _broadcast,
    "Slice": _slice,
    "StridedSlice": _strided_slice,
}

__all__ = ["FAR", "LENGTHS", "Shapes", "closed", "is_open", "opened"]
