"""The lowering pass: an op becomes the primitives that its kernel runs, so ops can share them."""

from __future__ import annotations

from typing import Any

from minispore.core.primitive import Primitive
from minispore.execution.kernels.steps import expand_to_steps
from minispore.graph.ir import Graph, make_node_like, rewrite
from minispore.ir.node import Node
from minispore.ir.value import Value


def lower(graph: Graph) -> Graph:
    """Replace each op that can be lowered by its steps.

    The forward pass and the weight gradient of a convolution read the same columns of the same
    input, and both gradients read the same cotangent; ``common_subexpressions`` merges these steps
    later.
    """

    def lower_node(node: Node, producers: dict[Value, Node]) -> Any:
        """Return the nodes of the steps of an op; None if it has no steps."""
        if not node.prim.traits.lowers_to_steps:
            return None
        values, nodes = list(node.args), []
        for prim, reads in expand_to_steps(node.prim, tuple(node.specs)):
            nodes.append(make_node_like(node, prim, *[values[i] for i in reads]))
            values += nodes[-1].outputs
        return nodes

    return rewrite(graph, (Primitive, lower_node))
