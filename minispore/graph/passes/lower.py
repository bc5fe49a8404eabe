"""Lowering: an op becomes the steps that its own kernel runs, so that equal steps of
several ops merge.
"""

from __future__ import annotations

from typing import Any

from minispore.core.kernels.steps import told
from minispore.core.primitive import Primitive
from minispore.core.value import Node, Value
from minispore.graph.ir import Graph, like, rewrite


def lower(graph: Graph) -> Graph:
    """Each op that is told as steps -> its steps.

    The forward pass and the weight's gradient of a convolution read the same columns of the same
    input, both gradients the same cotangent; common subexpressions merges them.
    """

    def rule(node: Node, producers: dict[Value, Node]) -> Any:
        if not node.prim.lowers:
            return None
        held, made = list(node.args), []
        for prim, reads in told(node.prim, tuple(node.specs)):
            made.append(like(node, prim, *[held[i] for i in reads]))
            held += made[-1].outputs
        return made

    return rewrite(graph, (Primitive, rule))
