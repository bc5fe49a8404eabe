"""How each value of a graph lies in memory, before it has any: its strides, and what is a
view of what.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core import layout
from minispore.core.value import Node, Spec, Value
from minispore.graph.ir import Graph


class Strides:
    """The arrays of a program, over memory that holds nothing.

    Attributes:
        arrays: for each value an array that lies as the program's own will; it holds nothing.
        views: the nodes whose output is a view of their first input.
    """

    def __init__(self, graph: Graph) -> None:
        made = [o.spec.nbytes for n in graph.nodes for o in n.outputs]
        given = [layout.span(v.spec, graph.lies[v])[1] for v in graph.lies]
        most = max([*made, *given, *[v.spec.nbytes for v in graph.inputs]], default=0)
        self._memory = np.empty(most + 1, np.uint8)
        self.arrays: dict[Value, np.ndarray] = {}
        self.views: set[Node] = set()
        wanted = _wanted(graph)
        for value in graph.inputs:
            lies = graph.lies.get(value)
            self._lay(value, lies or layout.strides(value.spec, wanted[value], ()))
        for param, value in graph.state.items():
            self.arrays[value] = param.value_.data
        for node in graph.nodes:
            self._node(node)

    def args(self, node: Node) -> list[Any]:
        """The arguments of ``node`` as its primitive takes them."""
        return arguments(node, self.arrays)

    def _node(self, node: Node) -> None:
        prim, arrays = node.prim, self.args(node)
        if prim.has_view:
            seen = prim.view(*arrays)
            if seen is not None and not layout.misread(seen):
                self.arrays[node.outputs[0]] = seen
                self.views.add(node)
                return
        for made in node.outputs:
            self._lay(made, layout.strides(made.spec, prim.layout, tuple(arrays)))

    def _lay(self, value: Value, strides: tuple[int, ...]) -> None:
        self.arrays[value] = strided(self._memory, 0, value.spec, strides)


def arguments(node: Node, arrays: dict[Value, np.ndarray]) -> list[Any]:
    """The arguments of ``node``, arrays in place of values."""
    return [
        (a.data if a.data is not None else arrays[a]) if a.__class__ is Value else a
        for a in node.args
    ]


def strided(memory: np.ndarray, offset: int, spec: Spec, strides: tuple[int, ...]) -> np.ndarray:
    """The array of ``spec`` that spreads from ``offset`` bytes of ``memory`` on."""
    before, _ = layout.span(spec, strides)
    return np.ndarray(spec.shape, spec.dtype, memory.data, offset + before, strides)


def _wanted(graph: Graph) -> dict[Value, str]:
    """The memory order of each input: that which all who read it want, for it is copied anyway."""
    asked: dict[Value, set[str]] = {v: set() for v in graph.inputs}
    for node in graph.nodes:
        for a in node.inputs:
            if a in asked:
                asked[a].add(node.prim.reads)
    return {v: (a.pop() if len(a) == 1 else layout.ROW_MAJOR) for v, a in asked.items()}
