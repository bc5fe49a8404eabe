"""Lowering: one op becomes the steps that its own kernel runs, so that equal steps of several ops
merge.
"""

from __future__ import annotations

from typing import Any

from minispore.core.value import Node, Value
from minispore.graph.ir import Graph, like, rewrite
from minispore.ops import columns as steps
from minispore.ops.conv import Conv2D, Conv2DBackpropFilter, Conv2DBackpropInput


def lower_convolutions(graph: Graph) -> Graph:
    """Convolutions and their gradients -> pad, columns, GEMM.

    Forward and filter gradient read the same columns of the same input, input and filter gradient
    the same flat cotangent; common subexpressions merges them. A depthwise convolution keeps its
    own kernel, which has no columns.
    """

    def rule(node: Node, producers: dict[Value, Node]) -> Any:
        prim = node.prim
        if isinstance(prim, Conv2D):
            return _forward(node, prim)
        if isinstance(prim, Conv2DBackpropFilter):
            return _filter(node, prim)
        if isinstance(prim, Conv2DBackpropInput):
            return _input(node, prim)
        return None

    return rewrite(graph, rule)


def _columns(node: Node, prim: Any, x: Value) -> list[Node]:
    win = prim.over(x.spec.shape[2:])
    pad = like(node, steps.PadBatchLast(win), x)
    return [pad, like(node, steps.Columns(win), pad.outputs[0])]


def _forward(node: Node, prim: Conv2D) -> Any:
    x, w = node.args
    if prim.depthwise(x.spec.shape[1]):
        return None
    made = _columns(node, prim, x)
    shape = node.outputs[0].spec.shape
    return [*made, like(node, steps.ColumnsGemm(shape, prim.group), w, made[-1].outputs[0])]


def _filter(node: Node, prim: Conv2DBackpropFilter) -> Any:
    dy, x, size = node.args
    if prim.depthwise(x.spec.shape[1]):
        return None
    made = [*_columns(node, prim, x), like(node, steps.Flat(), dy)]
    cols, flat = made[1].outputs[0], made[2].outputs[0]
    return [*made, like(node, steps.FilterGemm(size, prim.group), flat, cols)]


def _input(node: Node, prim: Conv2DBackpropInput) -> Any:
    dy, w, size = node.args
    if prim.depthwise(size[1]):
        return None
    flat = like(node, steps.Flat(), dy)
    dcols = like(node, steps.InputGemm(prim.group), w, flat.outputs[0])
    back = like(node, steps.AddColumns(prim.over(size[2:]), size), dcols.outputs[0])
    return [flat, dcols, back]
