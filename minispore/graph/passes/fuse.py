"""Fusion passes: computation that several ops share is done once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.core.primitive import Primitive
from minispore.graph.ir import Graph, make_node_like, rewrite
from minispore.ir.node import Node
from minispore.ir.operator import Operator
from minispore.ir.value import Value
from minispore.ops.elementwise.arithmetic import Mul
from minispore.ops.elementwise.smooth_activations import _SelfGated
from minispore.ops.loss.cross_entropy import (
    SparseSoftmaxCrossEntropyWithLogits,
    SparseSoftmaxLossAndGrad,
)
from minispore.ops.network.softmax import LogSoftmax, ShiftedSoftmax, SoftmaxAndLog

# For each op of a pair: a function of a node that returns the fused op and the index of its output
# that replaces the node's.
_FUSED_OPS: dict[type[Operator], Callable[[Any, Node], tuple[Primitive, int]]] = {
    SparseSoftmaxCrossEntropyWithLogits: lambda prim, node: (
        SparseSoftmaxLossAndGrad(),
        int(prim.is_grad),
    ),
    ShiftedSoftmax: lambda prim, node: (SoftmaxAndLog(prim.get_axes(node.args[0].spec.ndim)), 0),
    LogSoftmax: lambda prim, node: (SoftmaxAndLog(prim.get_axes(node.args[0].spec.ndim)), 1),
}


def fuse_pairs(graph: Graph) -> Graph:
    """Fuse two ops on the same arguments into one op with both outputs.

    The pairs are a cross entropy and its gradient with respect to the logits, and a softmax and its
    logarithm.
    """
    outputs_used: dict[Any, set[int]] = {}
    for node in graph.nodes:
        if type(node.prim) in _FUSED_OPS:
            fused, index = _FUSED_OPS[type(node.prim)](node.prim, node)
            outputs_used.setdefault((fused, node.args), set()).add(index)
    pairs = {key for key, outputs in outputs_used.items() if len(outputs) == 2}
    if not pairs:
        return graph
    fused_nodes: dict[Any, Node] = {}

    def use_fused_output(node: Node, producers: dict[Value, Node]) -> Any:
        """Replace a node by its output of the fused op, which is created at the first node of a
        pair.

        Returns None if the graph has only one op of the pair.
        """
        fused, index = _FUSED_OPS[type(node.prim)](node.prim, node)
        key = fused, node.args
        if key not in pairs:
            return None
        if key in fused_nodes:
            return fused_nodes[key].outputs[index]
        fused_nodes[key] = make_node_like(node, fused, *node.args)
        return [fused_nodes[key], fused_nodes[key].outputs[index]]

    return rewrite(graph, *[(op, use_fused_output) for op in _FUSED_OPS])


def share_gates(graph: Graph) -> Graph:
    """Rewrite a ``_SelfGated`` op to gate(x) * x if the graph computes gate(x) anyway.

    For example, the gradient of the op computes gate(x).

    Not applied to float16 and bfloat16, where the rounded gate would change the result.
    """
    kinds = {node.prim.gate for node in graph.nodes if isinstance(node.prim, _SelfGated)}
    gates = {(type(node.prim), node.args[0]) for node in graph.nodes if type(node.prim) in kinds}

    def use_gate(node: Node, producers: dict[Value, Node]) -> Any:
        """Rewrite a ``_SelfGated`` op to Mul(gate(x), x) if the graph computes gate(x) anyway."""
        prim: Any = node.prim
        if (prim.gate, node.args[0]) not in gates or node.outputs[0].spec.dtype.itemsize < 4:
            return None
        gate = make_node_like(node, prim.gate(), *node.args)
        return [gate, make_node_like(node, Mul(), gate.outputs[0], *node.args)]

    return rewrite(graph, (_SelfGated, use_gate))
