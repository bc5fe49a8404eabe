"""Early: what takes its time beside the program begins as soon as it can."""

from __future__ import annotations

from minispore.core.value import Node, Value
from minispore.graph.ir import Graph


def begin_early(graph: Graph) -> Graph:
    """Move each node that is ``early`` to behind the last node that it reads from. Two of them keep
    their order, which all ranks share.
    """
    if not any(node.prim.early for node in graph.nodes):
        return graph
    position: dict[Value, int] = {}
    behind: dict[int, list[Node]] = {}  # early nodes, by the position of the node before them
    last = -1
    for at, node in enumerate(graph.nodes):
        if node.prim.early:
            last = max(last, *[position.get(v, -1) for v in node.inputs])
            behind.setdefault(last, []).append(node)
        here = last if node.prim.early else at
        position.update(dict.fromkeys(node.outputs, here))
    nodes = list(behind.get(-1, []))
    for at, node in enumerate(graph.nodes):
        if not node.prim.early:
            nodes.append(node)
        nodes += behind.get(at, [])
    return graph.replaced(nodes, {})
