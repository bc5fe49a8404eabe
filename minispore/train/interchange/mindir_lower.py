"""MindSpore's ops and kernels cannot do all that ours can: what stands in for a node in MindIR."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.registry import registry
from minispore.core.value import Node, Spec, Value
from minispore.graph.ir import make_node_like
from minispore.ops.elementwise.compare import NotEqual
from minispore.ops.elementwise.powers import Pow
from minispore.ops.elementwise.rounding import Abs
from minispore.ops.index.gather import Gather
from minispore.ops.index.select import Select
from minispore.ops.linalg.products import MatMulExt
from minispore.ops.network.average_pool import AvgPool
from minispore.ops.shape.join import Concat, Pad, Slice
from minispore.ops.shape.pad import continued
from minispore.ops.shape.views import BroadcastTo, ExpandDims, Reshape, Squeeze, Transpose
from minispore.ops.shape.whole import Cast
from minispore.ops.statistics.reduce import ReduceSum
from minispore.train.interchange.inference import refuse
from minispore.train.interchange.mindir_gradients import RULES
from minispore.train.interchange.mindir_ops import SCATTERED


def as_mindspore_has_it(node: Node, producers: dict[Value, Node]) -> Any:
    """A rule for ``rewrite``: other ops stand in for ``node``, it stays, or it is refused."""
    prim: Any = node.prim
    if prim.name in RULES:
        return RULES[prim.name](node, producers)
    if prim.name in ("MaxPool", "AvgPool"):
        plain = {"ceil_mode": False, "dilation": (1, 1), "divisor_override": None}
        special = [f for f, v in plain.items() if getattr(prim, f, v) != v]
        padded = any(prim.pad)
        if prim.name == "MaxPool" and (special or padded) and prim.pad_mode != "same":
            return _pool_in_space(node)
        if padded and not special and prim.count_include_pad:
            return _pad_then_pool(node)
        if special or padded:
            what = special or ["pad"]
            raise refuse(node, f"can't be written with its {what[0]}: a MindIR file has no such.")
    if prim.name == "Select":
        return _of_one_shape(node)
    if prim.name == "BatchMatMul":
        return _of_one_batch(node)
    if prim.name == "Roll":  # which MindSpore's CPU has not
        return _halves(node)
    if prim.name == "SplitV":  # which MindSpore's CPU has not
        return _slices(node)
    if prim.name == "WeightedSums":
        return _product(node)
    if prim.name == "PadConstant":
        return _bordered(node)
    if prim.name == "TensorScatterElements" and prim.reduction not in SCATTERED:
        raise refuse(node, "can't be written with its reduction: a MindIR file has no such.")
    if prim.name in _BOUNDS:
        return [make_node_like(node, registry[_BOUNDS[prim.name]](), *node.args)]
    if prim.name == "PNorm":
        return _norm(node)
    if prim.name == "PadByIndex":
        return _continued(node)
    return None


_BOUNDS = {"ClampMin": "Maximum", "ClampMax": "Minimum"}


def _norm(node: Node) -> Any:
    """The root of a sum of powers; the greatest or the smallest of absolute values."""
    p: Any = node.prim
    made = [make_node_like(node, Abs(), node.args[0])]
    if math.isinf(p.p):
        end = registry["ReduceMax" if p.p > 0 else "ReduceMin"](p.keep_dims)
        return [*made, make_node_like(node, end, made[-1].outputs[0], p.axes)]
    spec = node.args[0].spec
    if p.p == 0:  # how many are not zero
        zero = _scalar(0, spec)
        made.append(make_node_like(node, NotEqual(), made[-1].outputs[0], zero))
        made.append(make_node_like(node, Cast(), made[-1].outputs[0], spec.dtype))
    elif p.p != 1:
        made.append(make_node_like(node, Pow(), made[-1].outputs[0], _scalar(p.p, spec)))
    made.append(make_node_like(node, ReduceSum(p.keep_dims), made[-1].outputs[0], p.axes))
    if p.p not in (0, 1):
        made.append(make_node_like(node, Pow(), made[-1].outputs[0], _scalar(1 / p.p, spec)))
    return made


def _continued(node: Node) -> Any:
    """Each axis that becomes another one is gathered by the places of its elements."""
    p: Any = node.prim
    made, x = list[Node](), node.args[0]
    for axis, pair in enumerate(p.pairs):
        if any(pair):
            places = continued(x.spec.shape[axis], pair, p.mode).astype(np.int32)
            index = Value(Spec(places.shape, places.dtype), places)
            made.append(make_node_like(node, Gather(0), x, index, axis))
            x = made[-1].outputs[0]
    return made or x


def _bordered(node: Node) -> Any:
    """Zeros around what is left of a tensor, and another number selected in their place."""
    prim: Any = node.prim
    x, number = node.args
    if isinstance(number, Value):
        raise refuse(node, "can't be written: pad with a number in a MindIR file, not a Tensor.")
    made: list[Node] = []
    begin = tuple(max(-a, 0) for a, _ in prim.pairs)
    size = tuple(
        d - first - max(-b, 0)
        for d, first, (_, b) in zip(x.spec.shape, begin, prim.pairs, strict=True)
    )
    if size != x.spec.shape:
        made.append(make_node_like(node, Slice(), x, begin, size))
        x = made[-1].outputs[0]
    pairs = tuple((max(a, 0), max(b, 0)) for a, b in prim.pairs)
    made.append(make_node_like(node, Pad(pairs), x))
    if number != 0:
        inside = np.pad(np.ones(size, np.bool_), pairs)
        mask = Value(Spec(inside.shape, inside.dtype), inside)
        rest = np.full(inside.shape, number, x.spec.dtype)
        border = Value(Spec(rest.shape, rest.dtype), rest)
        made.append(make_node_like(node, Select(), mask, made[-1].outputs[0], border))
    return made


def _product(node: Node) -> Any:
    """Weights of 0 are like any others there."""
    prim: Any = node.prim
    made, factors, which = list[Node](), list(node.args), prim.which
    if prim.transposed:
        made.append(make_node_like(node, Transpose(), factors[which], (1, 0)))
        factors[which] = made[-1].outputs[0]
    return [*made, make_node_like(node, MatMulExt(), *factors)]


def _of_one_shape(node: Node) -> Any:
    """MindSpore's kernel broadcasts nothing."""
    spec = node.outputs[0].spec
    shape = spec.shape
    widen = BroadcastTo(shape)
    made: list[Node] = []
    args = [a if a.__class__ is Value else _scalar(a, spec) for a in node.args]
    for i, a in enumerate(args):
        if a.spec.shape != shape:
            made.append(make_node_like(node, widen, a))
            args[i] = made[-1].outputs[0]
    return [*made, make_node_like(node, node.prim, *args)] if made else None


def _of_one_batch(node: Node) -> Any:
    """MindSpore's kernel takes the first axes of both to be the same, and says nothing if not."""
    lead, made, args = node.outputs[0].spec.shape[:-2], list[Node](), list(node.args)
    for i, x in enumerate(args):
        if x.spec.shape[:-2] != lead:
            made.append(make_node_like(node, BroadcastTo((*lead, *x.spec.shape[-2:])), x))
            args[i] = made[-1].outputs[0]
    return [*made, make_node_like(node, node.prim, *args)] if made else None


def _halves(node: Node) -> Any:
    """Each axis is cut at its shift, and the halves change places."""
    p: Any = node.prim
    made, x = list[Node](), node.args[0]
    shape = x.spec.shape if p.dims is not None else (x.spec.size,)
    if p.dims is None:
        made.append(make_node_like(node, Reshape(), x, shape))
    for shift, axis in zip(p.shifts, p.dims or (0,), strict=True):
        at = -shift % shape[axis] if shape[axis] else 0
        if at:
            whole = made[-1].outputs[0] if made else x
            parts = []
            for begin, size in ((at, shape[axis] - at), (0, at)):
                begins = tuple(begin if i == axis % len(shape) else 0 for i in range(len(shape)))
                sizes = tuple(size if i == axis % len(shape) else n for i, n in enumerate(shape))
                made.append(make_node_like(node, Slice(), whole, begins, sizes))
                parts.append(made[-1].outputs[0])
            made.append(make_node_like(node, Concat(axis), *parts))
    if p.dims is None:
        made.append(make_node_like(node, Reshape(), made[-1].outputs[0], x.spec.shape))
    return made or x


def _scalar(number: Any, like_: Spec) -> Value:
    return Value(Spec((), like_.dtype), np.array(number, like_.dtype))


def _pad_then_pool(node: Node) -> Any:
    """Padding that counts is zeros around x, and then no padding."""
    p: Any = node.prim
    top, bottom, left, right = p.pad
    pad = Pad(((0, 0), (0, 0), (top, bottom), (left, right)))
    padded = make_node_like(node, pad, node.args[0])
    pool = AvgPool(p.kernel_size, p.strides, "valid")
    return [padded, make_node_like(node, pool, padded.outputs[0])]


def _slices(node: Node) -> Any:
    p: Any = node.prim
    x, axis = node.args[0], p.split_dim % node.args[0].spec.ndim
    made, start = [], 0
    for o in node.outputs:
        begin = tuple(start if i == axis else 0 for i in range(x.spec.ndim))
        made.append(make_node_like(node, Slice(), x, begin, o.spec.shape))
        start += o.spec.shape[axis]
    return [*made, tuple(n.outputs[0] for n in made)]


def _pool_in_space(node: Node) -> Any:
    """MaxPool with padding is a pooling of one-deep volumes, as in MindSpore's own layers."""
    p: Any = node.prim
    top, bottom, left, right = p.pad
    if top != bottom or left != right:
        raise refuse(node, "can't be written: a MindIR file pads both sides alike.")
    deep = make_node_like(node, ExpandDims(), node.args[0], 2)
    shape = (*node.outputs[0].spec.shape[:2], 1, *node.outputs[0].spec.shape[2:])
    outputs = tuple(
        [Value(Spec(shape, t)) for t in (deep.outputs[0].spec.dtype, np.dtype("int64"))]
    )
    pooled = Node(p, deep.outputs, outputs, node.scope, node.line)
    return [deep, pooled, make_node_like(node, Squeeze(2), outputs[0])]


__all__ = ["as_mindspore_has_it"]
