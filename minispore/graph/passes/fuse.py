"""Fusion: two ops that share most of their work become one."""

from __future__ import annotations

from typing import Any

from minispore.core.value import Node, Value
from minispore.graph.ir import Graph, like, rewrite
from minispore.ops.loss.cross_entropy import (
    SparseSoftmaxCrossEntropyWithLogits,
    SparseSoftmaxLossAndGrad,
)


def fuse_cross_entropy(graph: Graph) -> Graph:
    """A cross entropy and its gradient by the same logits -> one op with both outputs."""
    found: dict[tuple[Value, Value], list[Node]] = {}
    for node in graph.nodes:
        if isinstance(node.prim, SparseSoftmaxCrossEntropyWithLogits):
            found.setdefault((node.args[0], node.args[1]), []).append(node)
    pairs = {k for k, v in found.items() if len({n.prim for n in v}) == 2}
    if not pairs:
        return graph
    made: dict[tuple[Value, Value], Node] = {}

    def rule(node: Node, producers: dict[Value, Node]) -> Any:
        prim: Any = node.prim
        key = (node.args[0], node.args[1])
        if key not in pairs:
            return None
        both = made.get(key)
        if both is not None:
            return both.outputs[1 if prim.is_grad else 0]
        both = made[key] = like(node, SparseSoftmaxLossAndGrad(), *node.args)
        return [both, both.outputs[1 if prim.is_grad else 0]]

    return rewrite(graph, (SparseSoftmaxCrossEntropyWithLogits, rule))
