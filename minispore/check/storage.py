"""Determine which tensors share memory in MindSpore's graphs, which omit ops without effect."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core import interpreter
from minispore.core.tensor import Tensor
from minispore.graph.trace import Tracer
from minispore.ir.node import Node
from minispore.ir.value import Value

#: Ops that MindSpore leaves out if their output has the shape and dtype of the input.
_COPIES_OF_EQUAL_SPEC = {"Cast", "Reshape", "View", "StopGradient"}


class StorageMap:
    """Maps the values of the graph being traced to the values whose memory they use in MindSpore.

    A write into the result of an op that MindSpore leaves out is a write into the op's input.
    """

    def __init__(self) -> None:
        self._graph: Any = None
        self._node_count = 0
        self._storages: dict[Value, Value] = {}
        self._reshape_origins: dict[Value, Value] = {}  # first inputs of chains of Reshape

    def find_storage(self, tensor: Tensor) -> Value:
        """Return the value whose memory ``tensor`` uses in MindSpore's graph; its own value if it
        has its own memory.

        Reads the nodes that were traced since the last call.
        """
        graph = getattr(interpreter.current(), "graph", None)
        if graph is not self._graph:
            self._graph, self._node_count = graph, 0
            self._storages, self._reshape_origins = {}, {}
        nodes = () if graph is None else graph.nodes
        for node in nodes[self._node_count :]:
            if len(node.inputs) == 1:
                self._note_node(node, node.inputs[0], node.outputs[0])
        self._node_count = len(nodes)
        return self._storages.get(tensor.value_, tensor.value_)

    def _note_node(self, node: Node, value: Value, output: Value) -> None:
        """Record that a node's output uses the memory of its only input, if it does so in
        MindSpore.
        """
        if node.prim.name == "Reshape":  # MindSpore merges a chain of them into one
            value = self._reshape_origins[output] = self._reshape_origins.get(value, value)
        if output.spec == value.spec and _is_left_out(node, value):
            self._storages[output] = self._storages.get(value, value)

    def is_from_outside(self, storage: Value) -> bool:
        """Whether a value is an input, the content of a Parameter, or was made before the graph.

        False outside a trace, where it is unknown which tensors the run has made.
        """
        tracer = interpreter.current()
        if not isinstance(tracer, Tracer):
            return False
        if storage in tracer.graph.inputs or storage.param is not None:
            return True
        return storage.data is not None and not tracer.is_created_inside(storage)


def have_equal_elements(a: Value, b: Value) -> bool:
    """Whether two values of the run are known to have the same shape and equal elements."""
    tracer = interpreter.current()
    if isinstance(tracer, Tracer):
        old, new = tracer.evaluate_example(a), tracer.evaluate_example(b)
    else:
        old, new = a.data, b.data
    return old is not None and new is not None and np.array_equal(old, new)


def _is_left_out(node: Node, value: Value) -> bool:
    """Whether MindSpore leaves out an op whose output has the spec of its input ``value``."""
    name, constants = node.prim.name, [a for a in node.args if a is not node.inputs[0]]
    if name == "Transpose":
        return constants == [tuple(range(value.spec.ndim))]
    if name == "Add":
        return constants in ([0], [0.0])
    return name in _COPIES_OF_EQUAL_SPEC


__all__ = ["StorageMap", "have_equal_elements"]
