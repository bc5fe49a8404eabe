"""What changes Parameters, in the order in which a MindIR file says it."""

from __future__ import annotations

from minispore.core.value import Node, Value
from minispore.graph.ir import Graph
from minispore.train.interchange.inference import refuse


class Effects:
    """What is known of the Parameters that ``graph`` changes, while its nodes are written.

    Args:
        graph: the graph.
    """

    def __init__(self, graph: Graph) -> None:
        self.held: dict[Value, str] = {}  # the Parameter that has, or had, this content
        self.monad: str | None = None  # the last effect
        self.reads: list[str] = []  # copies that the next effect must come after
        self.asked = set(graph.outputs)  # contents that others than their successor ask for
        self.users: dict[Value, list[Node]] = {}
        for node in graph.nodes:
            mutated = node.prim.mutates
            self.asked.update(
                a for i, a in enumerate(node.args) if a.__class__ is Value and i not in mutated
            )
            for a in node.inputs:
                self.users.setdefault(a, []).append(node)
        self.outputs = set(graph.outputs)
        self.averages = {n for n in graph.nodes if n.prim.name == "MovingAverage"}

    def averaged(self, norm: Node) -> list[Node]:
        """The moving averages of the mean and of the variance that ``norm`` finds."""
        found = []
        for statistic in norm.outputs[1:]:
            users = self.users.get(statistic, [])
            averages = [n for n in users if n in self.averages]
            known = all(n in self.averages or n.prim.name == "BatchNormGrad" for n in users)
            if len(averages) != 1 or not known or statistic in self.outputs:
                raise refuse(norm, "can't be written without its moving averages.")
            found += averages
        return found


__all__ = ["Effects"]
