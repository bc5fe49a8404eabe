"""Fusion: what ops share of their work is computed once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from operator import itemgetter
from typing import Any

from minispore.core.primitive import Primitive
from minispore.core.value import Node, Value
from minispore.graph.ir import Graph, like, rewrite
from minispore.ops.elementwise.arithmetic import Add, Mul
from minispore.ops.elementwise.smooth_activations import _Gated
from minispore.ops.index.subscript import GetItemGrad, GetItemsGrad, interval
from minispore.ops.loss.cross_entropy import (
    SparseSoftmaxCrossEntropyWithLogits,
    SparseSoftmaxLossAndGrad,
)
from minispore.ops.network.softmax import LogSoftmax, LoweredSoftmax, SoftmaxAndLog

# Of an op: the one that does its work and another's, and which of its outputs is meant.
_BOTH: dict[type[Primitive], Callable[[Any, Node], tuple[Primitive, int]]] = {
    SparseSoftmaxCrossEntropyWithLogits: lambda prim, node: (
        SparseSoftmaxLossAndGrad(),
        int(prim.is_grad),
    ),
    LoweredSoftmax: lambda prim, node: (SoftmaxAndLog(prim.axes_of(node.args[0].spec.ndim)), 0),
    LogSoftmax: lambda prim, node: (SoftmaxAndLog(prim.axes_of(node.args[0].spec.ndim)), 1),
}


def fuse_pairs(graph: Graph) -> Graph:
    """A cross entropy and its gradient by the same logits, a softmax and its logarithm -> one op
    with both outputs.
    """
    found: dict[Any, set[int]] = {}
    for node in graph.nodes:
        if type(node.prim) in _BOTH:
            both, index = _BOTH[type(node.prim)](node.prim, node)
            found.setdefault((both, node.args), set()).add(index)
    pairs = {key for key, outputs in found.items() if len(outputs) == 2}
    if not pairs:
        return graph
    made: dict[Any, Node] = {}

    def rule(node: Node, producers: dict[Value, Node]) -> Any:
        both, index = _BOTH[type(node.prim)](node.prim, node)
        key = both, node.args
        if key not in pairs:
            return None
        if key in made:
            return made[key].outputs[index]
        made[key] = like(node, both, *node.args)
        return [made[key], made[key].outputs[index]]

    return rewrite(graph, *[(op, rule) for op in _BOTH])


def share_gates(graph: Graph) -> Graph:
    """``_Gated(x)`` -> gate(x) * x, where the gate is computed anyway, as for its gradient.

    Not of half floats: a gate that has been rounded is another.
    """
    kinds = {node.prim.gate for node in graph.nodes if isinstance(node.prim, _Gated)}
    gates = {(type(node.prim), node.args[0]) for node in graph.nodes if type(node.prim) in kinds}

    def rule(node: Node, producers: dict[Value, Node]) -> Any:
        prim: Any = node.prim
        if (prim.gate, node.args[0]) not in gates or node.outputs[0].spec.dtype.itemsize < 4:
            return None
        gate = like(node, prim.gate(), *node.args)
        return [gate, like(node, Mul(), gate.outputs[0], *node.args)]

    return rewrite(graph, (_Gated, rule))


def join_items(graph: Graph) -> Graph:
    """What parts of an array give back to it, as q, k and v to ``qkv``, is written side by side: it
    was as many arrays of zeros, and their sum.
    """

    def items(value: Any, producers: dict[Value, Node]) -> list[tuple[int, int, int, Value]]:
        """Along which axis, from where and to where it is what."""
        made = producers.get(value) if value.__class__ is Value else None
        if made is not None and isinstance(made.prim, GetItemsGrad):
            _, axis, bounds, *douts = made.args
            return [(axis, *some, d) for some, d in zip(bounds, douts, strict=True)]
        if made is None or not isinstance(made.prim, GetItemGrad):
            return []
        at = interval(made.args[2], made.args[1])
        return [] if at is None else [(*at, made.args[0])]

    def rule(node: Node, producers: dict[Value, Node]) -> Any:
        one, two = (items(x, producers) for x in node.args)
        made = node.outputs[0].spec
        if not one or not two or any(x.spec != made for x in node.args):
            return None
        both = sorted(one + two, key=itemgetter(1))
        axis = both[0][0]
        if any(a[0] != axis or a[2] > b[1] for a, b in pairwise(both)) or both[-1][0] != axis:
            return None
        bounds = tuple(some[1:3] for some in both)
        return [like(node, GetItemsGrad(), made.shape, axis, bounds, *(some[3] for some in both))]

    return rewrite(graph, (Add, rule))
