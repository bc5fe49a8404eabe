"""Fusion: what ops share of their work is computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.core.primitive import Primitive
from minispore.core.value import Node, Value
from minispore.graph.ir import Graph, like, rewrite
from minispore.ops.elementwise.arithmetic import Mul
from minispore.ops.elementwise.smooth_activations import _Gated
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
