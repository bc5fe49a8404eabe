"""Stride inference: determine the memory layout of each value of a graph, and which values are
views, before memory is allocated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.execution import layout
from minispore.graph.ir import Graph
from minispore.ir.node import Node
from minispore.ir.value import Spec, Value


class StrideInference:
    """Infers the strides of all values of a graph, as arrays over placeholder memory.

    Attributes:
        arrays: for each value a placeholder array with the strides that it will have in the
            program.
        views: the nodes whose output is a view of their first input.
    """

    def __init__(self, graph: Graph) -> None:
        output_bytes = [o.spec.nbytes for n in graph.nodes for o in n.outputs]
        input_bytes = [
            layout.compute_span(v.spec, graph.input_strides[v])[1] for v in graph.input_strides
        ]
        largest = max(
            [*output_bytes, *input_bytes, *[v.spec.nbytes for v in graph.inputs]], default=0
        )
        self._placeholder = np.empty(largest + 1, np.uint8)
        self.arrays: dict[Value, np.ndarray] = {}
        self.views: set[Node] = set()
        orders = _choose_input_orders(graph)
        for value in graph.inputs:
            strides = graph.input_strides.get(value)
            self._set_strides(
                value, strides or layout.compute_strides(value.spec, orders[value], ())
            )
        for param, value in graph.state.items():
            self.arrays[value] = param.value_.data
        for node in graph.nodes:
            self._infer_node(node)

    def gather_args(self, node: Node) -> list[Any]:
        """Return the arguments of ``node``, with placeholder arrays (or a constant's array) in
        place of values.
        """
        return gather_arguments(node, self.arrays)

    def _infer_node(self, node: Node) -> None:
        """Infer the strides of the outputs of ``node``, and record it in ``views`` if it is a view.

        An output that is not a view gets the memory order that the primitive's ``layout`` rule
        gives.
        """
        prim, arrays = node.prim, self.gather_args(node)
        if prim.traits.has_view:
            view = prim.view(*arrays)
            if view is not None and not layout.is_misread_by_numpy(view):
                self.arrays[node.outputs[0]] = view
                self.views.add(node)
                return
        for output in node.outputs:
            self._set_strides(
                output, layout.compute_strides(output.spec, prim.layout, tuple(arrays))
            )

    def _set_strides(self, value: Value, strides: tuple[int, ...]) -> None:
        """Give ``value`` a placeholder array with these strides."""
        self.arrays[value] = make_strided_view(self._placeholder, 0, value.spec, strides)


def gather_arguments(node: Node, arrays: dict[Value, np.ndarray]) -> list[Any]:
    """Return the arguments of ``node``, with an array in place of each value: a constant's own
    array, otherwise that in ``arrays``.
    """
    return [
        (a.data if a.data is not None else arrays[a]) if a.__class__ is Value else a
        for a in node.args
    ]


def make_strided_view(
    memory: np.ndarray, offset: int, spec: Spec, strides: tuple[int, ...]
) -> np.ndarray:
    """Return an array of ``spec`` with these strides, its first byte at ``offset`` of
    ``memory``.
    """
    before, _ = layout.compute_span(spec, strides)
    return np.ndarray(spec.shape, spec.dtype, memory.data, offset + before, strides)


def _choose_input_orders(graph: Graph) -> dict[Value, str]:
    """Choose the memory order of each input of ``graph``.

    It is the order that all readers of the input prefer, since inputs are copied anyway; row-major
    if they disagree.
    """
    orders: dict[Value, set[str]] = {v: set() for v in graph.inputs}
    for node in graph.nodes:
        prefers_batch_last = isinstance(node.prim, layout.PrefersBatchLast)
        for a in node.inputs:
            if a in orders:
                orders[a].add(layout.BATCH_LAST if prefers_batch_last else layout.ROW_MAJOR)
    return {v: (a.pop() if len(a) == 1 else layout.ROW_MAJOR) for v, a in orders.items()}
