"""Lowering: one op becomes the steps that its own kernel runs, so that equal steps of several ops
merge.
"""

from __future__ import annotations

from typing import Any

from minispore.core.value import Node, Value
from minispore.graph.ir import Graph, like, rewrite
from minispore.ops.network.conv import Conv2D, Conv2DBackpropFilter, Conv2DBackpropInput
from minispore.ops.steps import columns, planes


def lower_convolutions(graph: Graph) -> Graph:
    """Convolutions and their gradients -> columns and GEMM, in blocks where the kernel blocks.

    Forward and filter gradient read the same columns of the same input, input and filter gradient
    the same cotangent; common subexpressions merges them. A depthwise convolution keeps its own
    kernel, which has no columns.
    """

    def rule(node: Node, producers: dict[Value, Node]) -> Any:
        prim = node.prim
        if isinstance(prim, Conv2D):
            return _steps(_forward, _plane_forward, prim, node.args[0].spec.shape, node)
        if isinstance(prim, Conv2DBackpropFilter):
            return _steps(_filter, _plane_filter, prim, node.args[1].spec.shape, node)
        if isinstance(prim, Conv2DBackpropInput):
            return _steps(_input, _plane_input, prim, tuple(node.args[2]), node)
        return None

    return rewrite(graph, rule)


def _steps(plain: Any, blocked: Any, prim: Any, x_shape: tuple[int, ...], node: Node) -> Any:
    size = x_shape[2:]
    b = prim.blocks(size)
    if b > 1:
        return blocked(node, prim.over(size), b)
    return None if prim.depthwise(x_shape[1]) else plain(node, prim, prim.over(size))


def _columns(node: Node, win: Any, x: Value) -> list[Node]:
    pad = like(node, columns.PadBatchLast(win), x)
    return [pad, like(node, columns.Columns(win), pad.outputs[0])]


def _forward(node: Node, prim: Any, win: Any) -> list[Node]:
    x, w = node.args
    made = _columns(node, win, x)
    gemm = columns.ColumnsGemm(node.outputs[0].spec.shape, prim.group)
    return [*made, like(node, gemm, w, made[-1].outputs[0])]


def _filter(node: Node, prim: Any, win: Any) -> list[Node]:
    dy, x, size = node.args
    made = [*_columns(node, win, x), like(node, columns.Flat(), dy)]
    cols, flat = made[1].outputs[0], made[2].outputs[0]
    return [*made, like(node, columns.FilterGemm(size, prim.group), flat, cols)]


def _input(node: Node, prim: Any, win: Any) -> list[Node]:
    dy, w, size = node.args
    flat = like(node, columns.Flat(), dy)
    dcols = like(node, columns.InputGemm(prim.group), w, flat.outputs[0])
    return [flat, dcols, like(node, columns.AddColumns(win, size), dcols.outputs[0])]


def _plane_columns(node: Node, win: Any, b: int, x: Value) -> list[Node]:
    made = like(node, planes.ToPlanes(b, win), x)
    return [made, like(node, planes.PlaneColumns(win), made.outputs[0])]


def _plane_forward(node: Node, win: Any, b: int) -> list[Node]:
    x, w = node.args
    made = [*_plane_columns(node, win, b, x), like(node, planes.Toeplitz(b), w)]
    n, f, oh, ow = node.outputs[0].spec.shape
    cols, matrix = made[1].outputs[0], made[2].outputs[0]
    gemm = like(node, planes.PlaneGemm((f, b, oh, ow // b, n)), matrix, cols)
    return [*made, gemm, like(node, planes.FromPlanes(), gemm.outputs[0])]


def _plane_filter(node: Node, win: Any, b: int) -> list[Node]:
    dy, x, size = node.args
    made = [*_plane_columns(node, win, b, x), like(node, planes.ToPlanes(b), dy)]
    cols, of_dy = made[1].outputs[0], made[2].outputs[0]
    return [*made, like(node, planes.PlaneFilterGemm(size), of_dy, cols)]


def _plane_input(node: Node, win: Any, b: int) -> list[Node]:
    dy, w, size = node.args
    of_dy = like(node, planes.ToPlanes(b), dy)
    matrix = like(node, planes.Toeplitz(b), w)
    n, c, *_ = size
    shape = (c, b, win.padded[0], win.padded[1] // b, n)
    back = like(node, planes.PlaneInput(win, shape), matrix.outputs[0], of_dy.outputs[0])
    crop = planes.FromPlanes(win if win.padded != win.size else None)
    return [of_dy, matrix, back, like(node, crop, back.outputs[0])]
