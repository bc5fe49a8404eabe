"""Cleaning passes: drop nodes that nothing reads, merge equal nodes, and fold constants."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Effect, Primitive
from minispore.execution import half, layout
from minispore.graph.ir import Graph, rewrite
from minispore.ir.node import Node
from minispore.ir.value import Spec, Value

_FOLD_BYTES = 1 << 16  # folding a larger constant would save little time and cost memory


def dead_code(graph: Graph) -> Graph:
    """Drop pure nodes whose outputs are not read.

    A node with an effect stays, and so do the nodes that it reads. If an op reads the overflow
    flag, all nodes between it and the op that clears the flag stay: the flag records their
    overflows.
    """
    needed = set(graph.results())
    live_nodes: list[Node] = []
    is_flag_read = False
    for node in reversed(graph.nodes):
        is_flag_read = node.prim.effect is Effect.READS_OVERFLOW or (
            is_flag_read and node.prim.effect is not Effect.CLEARS_OVERFLOW
        )
        if is_flag_read or not node.prim.effect.is_pure or any(o in needed for o in node.outputs):
            live_nodes.append(node)
            needed.update(node.inputs)
    graph = graph.replace_nodes(live_nodes[::-1], {})
    graph.state = {p: v for p, v in graph.state.items() if v in needed}
    return graph


def common_subexpressions(graph: Graph) -> Graph:
    """Replace a pure node by an earlier one of the same primitive and arguments.

    No node is merged across an op that clears the overflow flag, since the flag records the
    overflows after that op.
    """
    first_nodes: dict[Any, Node] = {}

    def reuse_earlier_node(node: Node, producers: dict[Value, Node]) -> Any:
        """Return the outputs of an earlier node of the same op and arguments, or None.

        Records the node for later ones. An op that clears the overflow flag forgets all earlier
        nodes.
        """
        if node.prim.effect is Effect.CLEARS_OVERFLOW:
            first_nodes.clear()
        if not node.prim.effect.is_pure or node.prim.dynamic:
            return None
        # 1 == 1.0 == True, but they are different arguments; constants are compared by content.
        key = (node.prim, *[_make_argument_key(a) for a in node.args])
        first = first_nodes.setdefault(key, node)
        return None if first is node else first.outputs

    return rewrite(graph, (Primitive, reuse_earlier_node))


def _make_argument_key(arg: Any) -> Any:
    """Return a hashable key that is equal for equal arguments of nodes.

    Small constants are compared by content, other values by identity, static arguments by type and
    ``repr``.
    """
    if arg.__class__ is not Value:
        return (type(arg), repr(arg))
    if arg.data is not None and arg.data.nbytes <= 64:
        return (arg.spec, arg.data.tobytes())
    return arg


def fold_constants(graph: Graph) -> Graph:
    """Replace pure nodes by their outputs if all inputs are constants and the outputs are small."""

    def fold_node(node: Node, producers: dict[Value, Node]) -> Any:
        """Compute a pure node whose inputs are all constants; return its outputs as constants.

        Returns None if an input is not a constant, or if the outputs have more than
        ``_FOLD_BYTES``.
        """
        prim = node.prim
        if not prim.effect.is_pure or prim.dynamic:
            return None
        if any(a.data is None for a in node.inputs):
            return None
        if sum(o.spec.nbytes for o in node.outputs) > _FOLD_BYTES:
            return None
        return tuple(
            [Value(o.spec, a) for o, a in zip(node.outputs, compute_outputs(node), strict=True)]
        )

    return rewrite(graph, (Primitive, fold_node))


def compute_outputs(node: Node) -> list[np.ndarray]:
    """Compute and return the outputs of a node whose inputs all have data; the output of a view op
    is a view of the input where possible.
    """
    arrays = [a.data if a.__class__ is Value else a for a in node.args]
    prim, specs = node.prim, [o.spec for o in node.outputs]
    view = prim.view(*arrays) if prim.traits.has_view else None
    if view is not None and not layout.is_misread_by_numpy(view):
        # A broadcast view stays a view, since the layout of later results depends on its strides.
        return [view]
    out = [layout.empty(s, prim.layout, tuple(arrays)) for s in specs]
    is_single = isinstance(prim.infer(*node.specs), Spec)
    half.execute(prim, arrays, out[0] if is_single else tuple(out))
    return out
