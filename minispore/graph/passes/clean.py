"""Cleaning: drop what nobody reads, compute once what is equal, compute now what is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core import half, layout
from minispore.core.primitive import Primitive
from minispore.core.value import Node, Spec, Value
from minispore.graph.ir import Graph, rewrite

_FOLD_BYTES = 1 << 16  # a larger constant would only move work from time to memory


def dead_code(graph: Graph) -> Graph:
    """Drop pure nodes whose outputs nobody reads. A node with an effect stays, and what it
    reads; so does each node that the overflow flag is asked about.
    """
    needed = set(graph.results())
    kept: list[Node] = []
    asked = False
    for node in reversed(graph.nodes):
        asked = node.prim.flag == "reads" or (asked and node.prim.flag != "clears")
        if asked or not node.prim.pure or any(o in needed for o in node.outputs):
            kept.append(node)
            needed.update(node.inputs)
    graph = graph.replaced(kept[::-1], {})
    graph.state = {p: v for p, v in graph.state.items() if v in needed}
    return graph


def common_subexpressions(graph: Graph) -> Graph:
    """Replace a pure node by an earlier one of the same primitive and arguments.

    No node moves across a clearing of the overflow flag: what is computed again after it counts.
    """
    seen: dict[Any, Node] = {}

    def rule(node: Node, producers: dict[Value, Node]) -> Any:
        if node.prim.flag == "clears":
            seen.clear()
        if not node.prim.pure or node.prim.dynamic:
            return None
        # 1 == 1.0 == True, but they are different arguments; constants are equal by content.
        key = (node.prim, *[_identity(a) for a in node.args])
        first = seen.setdefault(key, node)
        return None if first is node else first.outputs

    return rewrite(graph, (Primitive, rule))


def _identity(arg: Any) -> Any:
    if arg.__class__ is not Value:
        return (type(arg), repr(arg))
    if arg.data is not None and arg.data.nbytes <= 64:
        return (arg.spec, arg.data.tobytes())
    return arg


def fold_constants(graph: Graph) -> Graph:
    """Compute pure nodes whose inputs are all known, where the result is small."""

    def rule(node: Node, producers: dict[Value, Node]) -> Any:
        prim = node.prim
        if not prim.pure or prim.dynamic or prim.mutates:
            return None
        if any(a.data is None for a in node.inputs):
            return None
        if sum(o.spec.nbytes for o in node.outputs) > _FOLD_BYTES:
            return None
        return tuple([Value(o.spec, a) for o, a in zip(node.outputs, compute(node), strict=True)])

    return rewrite(graph, (Primitive, rule))


def compute(node: Node) -> list[np.ndarray]:
    """The outputs of a node whose inputs are all known."""
    arrays = [a.data if a.__class__ is Value else a for a in node.args]
    prim, specs = node.prim, [o.spec for o in node.outputs]
    seen = prim.view(*arrays) if prim.has_view else None
    if seen is not None and not layout.misread(seen):
        return [seen]  # repeated where it is repeated: what is made of it lies by that
    out = [layout.empty(s, prim.layout, tuple(arrays)) for s in specs]
    single = isinstance(prim.infer(*node.specs), Spec)
    half.execute(prim, arrays, out[0] if single else tuple(out))
    return out
