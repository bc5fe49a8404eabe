"""The early pass: ops that run concurrently with the program start as soon as their inputs are
computed.
"""

from __future__ import annotations

from minispore.core.primitive import Effect
from minispore.graph.ir import Graph
from minispore.ir.node import Node
from minispore.ir.value import Value


def begin_early(graph: Graph) -> Graph:
    """Move each node that starts its work early to directly after the last node that it reads from.

    Such nodes keep their relative order, in which all ranks run them.
    """
    if not any(node.prim.effect is Effect.EXTERNAL_EARLY for node in graph.nodes):
        return graph
    position_of: dict[Value, int] = {}
    early_nodes: dict[int, list[Node]] = {}  # keyed by the index of the node that they follow
    follows = -1
    for index, node in enumerate(graph.nodes):
        if node.prim.effect is Effect.EXTERNAL_EARLY:
            follows = max(follows, *[position_of.get(v, -1) for v in node.inputs])
            early_nodes.setdefault(follows, []).append(node)
        output_position = follows if node.prim.effect is Effect.EXTERNAL_EARLY else index
        position_of.update(dict.fromkeys(node.outputs, output_position))
    nodes = list(early_nodes.get(-1, []))
    for index, node in enumerate(graph.nodes):
        if node.prim.effect is not Effect.EXTERNAL_EARLY:
            nodes.append(node)
        nodes += early_nodes.get(index, [])
    return graph.replace_nodes(nodes, {})
