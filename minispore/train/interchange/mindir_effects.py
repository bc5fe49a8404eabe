"""The order of ops that update Parameters in a MindIR file."""

from __future__ import annotations

from minispore.graph.ir import Graph
from minispore.ir.node import Node
from minispore.ir.value import Value
from minispore.train.interchange.inference import make_export_error


class Effects:
    """The Parameter contents and the order of effects, tracked while a graph's nodes are written.

    Args:
        graph: the graph.
    """

    def __init__(self, graph: Graph) -> None:
        # Content of a Parameter, current or earlier -> the Parameter's name in the file.
        self.parameter_refs: dict[Value, str] = {}
        self.monad: str | None = None  # the name of the last effect
        self.reads: list[str] = []  # copies of contents that the next effect must wait for
        # Contents read by ops other than the one that replaces them.
        self.read_later = set(graph.outputs)
        self.users: dict[Value, list[Node]] = {}
        for node in graph.nodes:
            mutated = node.prim.mutates
            self.read_later.update(
                a for i, a in enumerate(node.args) if a.__class__ is Value and i not in mutated
            )
            for a in node.inputs:
                self.users.setdefault(a, []).append(node)
        self.outputs = set(graph.outputs)
        self.moving_averages = {n for n in graph.nodes if n.prim.name == "MovingAverage"}

    def find_moving_averages(self, norm: Node) -> list[Node]:
        """Find the MovingAverage nodes of mean and variance that ``norm``'s statistics update.

        Raises:
            RuntimeError: a statistic has no such node or several, or has other uses.
        """
        averages = []
        for statistic in norm.outputs[1:]:
            users = self.users.get(statistic, [])
            candidates = [n for n in users if n in self.moving_averages]
            has_other_uses = statistic in self.outputs or any(
                n not in self.moving_averages and n.prim.name != "BatchNormGrad" for n in users
            )
            if len(candidates) != 1 or has_other_uses:
                raise make_export_error(norm, "can't be written without its moving averages.")
            averages += candidates
        return averages


__all__ = ["Effects"]
