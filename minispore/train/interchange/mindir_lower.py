"""Rewrites, for MindIR, of nodes whose op or options MindSpore does not have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.graph.ir import make_node_like
from minispore.ir.node import Node
from minispore.ir.registry import registry
from minispore.ir.value import Spec, Value
from minispore.ops.elementwise.compare import NotEqual
from minispore.ops.elementwise.powers import Pow
from minispore.ops.elementwise.rounding import Abs
from minispore.ops.index.gather import Gather
from minispore.ops.index.select import Select
from minispore.ops.linalg.products import MatMulExt
from minispore.ops.network.average_pool import AvgPool
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.join import Concat, Pad, Slice
from minispore.ops.shape.pad import compute_source_indices
from minispore.ops.shape.views import BroadcastTo, ExpandDims, Reshape, Squeeze, Transpose
from minispore.ops.statistics.reduce import ReduceSum
from minispore.train.interchange.inference import make_export_error
from minispore.train.interchange.mindir_gradients import RULES as GRADIENT_RULES
from minispore.train.interchange.mindir_ops import SCATTER_REDUCTIONS


def lower_for_mindspore(node: Node, producers: dict[Value, Node]) -> Any:
    """Return the nodes that express ``node`` by ops and kernels of MindSpore. Called by ``rewrite``
    for each node.

    Returns:
        None to leave the node unchanged.

    Raises:
        RuntimeError: the node can't be written.
    """
    if node.prim.name in GRADIENT_RULES:
        return GRADIENT_RULES[node.prim.name](node, producers)
    rule = _RULES.get(node.prim.name)
    return None if rule is None else rule(node)


def _rewrite_pool(node: Node) -> Any:
    """Rewrite a MaxPool or AvgPool with options that MindSpore has only in other ops; None without
    such options.

    Raises:
        RuntimeError: no op of MindSpore has the option.
    """
    prim: Any = node.prim
    defaults = {"ceil_mode": False, "dilation": (1, 1), "divisor_override": None}
    unsupported = [f for f, default in defaults.items() if getattr(prim, f, default) != default]
    has_padding = any(prim.pad)
    if not unsupported and not has_padding:
        return None
    if prim.name == "MaxPool" and prim.pad_mode != "same":
        return _expand_to_3d_pool(node)
    if not unsupported and prim.count_include_pad:
        return _pad_then_pool(node)
    fields = unsupported or ["pad"]
    raise make_export_error(
        node, f"can't be written with its {fields[0]}: a MindIR file has no such."
    )


def _check_scatter_reduction(node: Node) -> None:
    """Check that MindIR supports the reduction of TensorScatterElements; the node is not changed.

    Raises:
        RuntimeError: it does not.
    """
    prim: Any = node.prim
    if prim.reduction not in SCATTER_REDUCTIONS:
        raise make_export_error(
            node, "can't be written with its reduction: a MindIR file has no such."
        )


def _replace_clamp(node: Node) -> Any:
    """Rewrite ClampMin as Maximum, or ClampMax as Minimum."""
    op = "Maximum" if node.prim.name == "ClampMin" else "Minimum"
    return [make_node_like(node, registry[op](), *node.args)]


def _expand_norm(node: Node) -> Any:
    """Rewrite a PNorm as Abs and a reduction, with powers unless p is 0, 1 or infinite."""
    norm: Any = node.prim
    nodes = [make_node_like(node, Abs(), node.args[0])]
    if math.isinf(norm.p):
        reduction = registry["ReduceMax" if norm.p > 0 else "ReduceMin"](norm.keep_dims)
        return [*nodes, make_node_like(node, reduction, nodes[-1].outputs[0], norm.axes)]
    spec = node.args[0].spec
    if norm.p == 0:  # the number of nonzero elements
        zero = _make_scalar(0, spec)
        nodes.append(make_node_like(node, NotEqual(), nodes[-1].outputs[0], zero))
        nodes.append(make_node_like(node, Cast(), nodes[-1].outputs[0], spec.dtype))
    elif norm.p != 1:
        nodes.append(make_node_like(node, Pow(), nodes[-1].outputs[0], _make_scalar(norm.p, spec)))
    nodes.append(make_node_like(node, ReduceSum(norm.keep_dims), nodes[-1].outputs[0], norm.axes))
    if norm.p not in (0, 1):
        nodes.append(
            make_node_like(node, Pow(), nodes[-1].outputs[0], _make_scalar(1 / norm.p, spec))
        )
    return nodes


def _expand_pad_by_index(node: Node) -> Any:
    """Rewrite a PadByIndex as a Gather of its source indices along each padded axis."""
    p: Any = node.prim
    nodes, x = list[Node](), node.args[0]
    for axis, pair in enumerate(p.pairs):
        if any(pair):
            indices = compute_source_indices(x.spec.shape[axis], pair, p.mode).astype(np.int32)
            index = Value(Spec(indices.shape, indices.dtype), indices)
            nodes.append(make_node_like(node, Gather(0), x, index, axis))
            x = nodes[-1].outputs[0]
    return nodes or x


def _expand_constant_pad(node: Node) -> Any:
    """Rewrite a PadConstant as Slice and Pad with zeros, and a Select that writes the number into
    the border.

    Raises:
        RuntimeError: the number is a Tensor.
    """
    prim: Any = node.prim
    x, number = node.args
    if isinstance(number, Value):
        raise make_export_error(
            node, "can't be written: pad with a number in a MindIR file, not a Tensor."
        )
    nodes: list[Node] = []
    begin = tuple(max(-a, 0) for a, _ in prim.pairs)
    size = tuple(
        d - start - max(-b, 0)
        for d, start, (_, b) in zip(x.spec.shape, begin, prim.pairs, strict=True)
    )
    if size != x.spec.shape:
        nodes.append(make_node_like(node, Slice(), x, begin, size))
        x = nodes[-1].outputs[0]
    pairs = tuple((max(a, 0), max(b, 0)) for a, b in prim.pairs)
    nodes.append(make_node_like(node, Pad(pairs), x))
    if number != 0:
        is_interior = np.pad(np.ones(size, np.bool_), pairs)
        mask = Value(Spec(is_interior.shape, is_interior.dtype), is_interior)
        fill = np.full(is_interior.shape, number, x.spec.dtype)
        border = Value(Spec(fill.shape, fill.dtype), fill)
        nodes.append(make_node_like(node, Select(), mask, nodes[-1].outputs[0], border))
    return nodes


def _replace_with_matmul(node: Node) -> Any:
    """Rewrite a WeightedSums, which skips weights of 0, as a matrix product."""
    prim: Any = node.prim
    nodes, factors, position = list[Node](), list(node.args), prim.which  # of the weights
    if prim.transposed:
        nodes.append(make_node_like(node, Transpose(), factors[position], (1, 0)))
        factors[position] = nodes[-1].outputs[0]
    return [*nodes, make_node_like(node, MatMulExt(), *factors)]


def _broadcast_select(node: Node) -> Any:
    """Broadcast the arguments of a Select, since MindSpore's kernel does not; None if all shapes
    agree.
    """
    spec = node.outputs[0].spec
    shape = spec.shape
    broadcast = BroadcastTo(shape)
    nodes: list[Node] = []
    args = [a if a.__class__ is Value else _make_scalar(a, spec) for a in node.args]
    for i, a in enumerate(args):
        if a.spec.shape != shape:
            nodes.append(make_node_like(node, broadcast, a))
            args[i] = nodes[-1].outputs[0]
    return [*nodes, make_node_like(node, node.prim, *args)] if nodes else None


def _broadcast_batch_matmul(node: Node) -> Any:
    """Return nodes that broadcast the batch axes of a BatchMatMul, which MindSpore's kernel does
    not do, and then multiply; None if the axes agree.
    """
    batch_shape, nodes, args = node.outputs[0].spec.shape[:-2], list[Node](), list(node.args)
    for i, x in enumerate(args):
        if x.spec.shape[:-2] != batch_shape:
            nodes.append(make_node_like(node, BroadcastTo((*batch_shape, *x.spec.shape[-2:])), x))
            args[i] = nodes[-1].outputs[0]
    return [*nodes, make_node_like(node, node.prim, *args)] if nodes else None


def _expand_roll(node: Node) -> Any:
    """Rewrite a Roll: split each axis at its shift and swap the two parts."""
    p: Any = node.prim
    nodes, x = list[Node](), node.args[0]
    shape = x.spec.shape if p.dims is not None else (x.spec.size,)
    if p.dims is None:
        nodes.append(make_node_like(node, Reshape(), x, shape))
    for shift, axis in zip(p.shifts, p.dims or (0,), strict=True):
        split = -shift % shape[axis] if shape[axis] else 0
        if split:
            source = nodes[-1].outputs[0] if nodes else x
            halves = []
            for start, length in ((split, shape[axis] - split), (0, split)):
                begin, size = [0] * len(shape), list(shape)
                begin[axis], size[axis] = start, length
                nodes.append(make_node_like(node, Slice(), source, tuple(begin), tuple(size)))
                halves.append(nodes[-1].outputs[0])
            nodes.append(make_node_like(node, Concat(axis), *halves))
    if p.dims is None:
        nodes.append(make_node_like(node, Reshape(), nodes[-1].outputs[0], x.spec.shape))
    return nodes or x


def _make_scalar(number: Any, spec: Spec) -> Value:
    """Make a 0-d constant in the dtype of ``spec``."""
    return Value(Spec((), spec.dtype), np.array(number, spec.dtype))


def _pad_then_pool(node: Node) -> list[Node]:
    """Rewrite an AvgPool that counts its padding as Pad with zeros and a pool without padding."""
    p: Any = node.prim
    top, bottom, left, right = p.pad
    pad = Pad(((0, 0), (0, 0), (top, bottom), (left, right)))
    pad_node = make_node_like(node, pad, node.args[0])
    pool = AvgPool(p.kernel_size, p.strides, "valid")
    return [pad_node, make_node_like(node, pool, pad_node.outputs[0])]


def _expand_split(node: Node) -> Any:
    """Rewrite a SplitV as one Slice per output."""
    p: Any = node.prim
    x, axis = node.args[0], p.split_dim % node.args[0].spec.ndim
    nodes, start = [], 0
    for output in node.outputs:
        begin = tuple(start if i == axis else 0 for i in range(x.spec.ndim))
        nodes.append(make_node_like(node, Slice(), x, begin, output.spec.shape))
        start += output.spec.shape[axis]
    return [*nodes, tuple(n.outputs[0] for n in nodes)]


def _expand_to_3d_pool(node: Node) -> Any:
    """Rewrite a padded MaxPool as a 3-D pool with depth 1, as MindSpore's layers do.

    Raises:
        RuntimeError: the two sides of an axis are padded differently.
    """
    p: Any = node.prim
    top, bottom, left, right = p.pad
    if top != bottom or left != right:
        raise make_export_error(node, "can't be written: a MindIR file pads both sides alike.")
    expanded = make_node_like(node, ExpandDims(), node.args[0], 2)
    shape = (*node.outputs[0].spec.shape[:2], 1, *node.outputs[0].spec.shape[2:])
    # A 3-D MaxPool also returns the positions of the maxima.
    dtypes = (expanded.outputs[0].spec.dtype, np.dtype("int64"))
    outputs = tuple([Value(Spec(shape, dtype)) for dtype in dtypes])
    pooled = Node(p, expanded.outputs, outputs, node.scope, node.line)
    return [expanded, pooled, make_node_like(node, Squeeze(2), outputs[0])]


_RULES: dict[str, Callable[[Node], Any]] = {
    "AvgPool": _rewrite_pool,
    "BatchMatMul": _broadcast_batch_matmul,
    "ClampMax": _replace_clamp,
    "ClampMin": _replace_clamp,
    "MaxPool": _rewrite_pool,
    "PNorm": _expand_norm,
    "PadByIndex": _expand_pad_by_index,
    "PadConstant": _expand_constant_pad,
    "Roll": _expand_roll,  # MindSpore's CPU has neither this op nor SplitV
    "Select": _broadcast_select,
    "SplitV": _expand_split,
    "TensorScatterElements": _check_scatter_reduction,
    "WeightedSums": _replace_with_matmul,
}

__all__ = ["lower_for_mindspore"]
