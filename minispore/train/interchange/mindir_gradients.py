"""Gradient ops that only minispore has, as ops of MindIR files: rules for ``rewrite``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.core.registry import registry
from minispore.core.value import Node, Spec, Value
from minispore.graph.ir import make_node_like
from minispore.ops.index.subscript import numpy_index
from minispore.ops.network.softmax import Softmax
from minispore.train.interchange.inference import refuse


def _made(node: Node, steps: list[Node], op: str, *args: Any, **fields: Any) -> Value:
    """The output of one more step."""
    steps.append(make_node_like(node, registry[op](**fields), *args))
    return steps[-1].outputs[0]


def filled(node: Node, steps: list[Node], spec: Spec, number: float = 0) -> Value:
    """A tensor of one number, which takes no room in the file."""
    one = Value(Spec((), spec.dtype), np.array(number, spec.dtype))
    return _made(node, steps, "BroadcastTo", one, shape=spec.shape)


def _softmax(node: Node, _: dict[Value, Node]) -> Any:
    prim: Any = node.prim
    return [make_node_like(node, Softmax(prim.axis), *node.args)]


def _softmax_grad(node: Node, _: dict[Value, Node]) -> Any:
    """A file says one axis; several are y * (dy - sum(dy * y))."""
    prim: Any = node.prim
    if len(prim.axis) == 1:
        return None
    steps: list[Node] = []
    y, dy = node.args
    both = _made(node, steps, "Mul", dy, y)
    total = _made(node, steps, "ReduceSum", both, prim.axis, keep_dims=True)
    _made(node, steps, "Mul", _made(node, steps, "Sub", dy, total), y)
    return steps


def _gelu_gate(node: Node, _: dict[Value, Node]) -> Any:
    """1 - 1 / (1 + exp(2u)) with u = sqrt(2/pi) * (x + 0.044715 x^3)."""
    steps: list[Node] = []
    x = node.args[0]
    twice = 2 * np.sqrt(2 / np.pi)

    def number(n: float) -> Value:
        return Value(Spec((), x.spec.dtype), np.array(n, x.spec.dtype))

    u = _made(node, steps, "Mul", _made(node, steps, "Square", x), number(twice * 0.044715))
    u = _made(node, steps, "Mul", _made(node, steps, "Add", u, number(twice)), x)
    rest = _made(node, steps, "Add", _made(node, steps, "Exp", u), number(1))
    _made(node, steps, "Sub", number(1), _made(node, steps, "Reciprocal", rest))
    return steps


def _of_the_larger(node: Node, _: dict[Value, Node]) -> Any:
    """dy where x is larger, half of it where both are equal."""
    steps: list[Node] = []
    shape = node.outputs[0].spec.shape
    dy, x, y = node.args
    half = Value(Spec((), dy.spec.dtype), np.array(0.5, dy.spec.dtype))
    if dy.spec.shape != shape:
        dy = _made(node, steps, "BroadcastTo", dy, shape=shape)

    def widened(mask: Value) -> Value:
        if mask.spec.shape == shape:
            return mask
        return _made(node, steps, "BroadcastTo", mask, shape=shape)

    greater = widened(_made(node, steps, "Greater", x, y))
    equal = widened(_made(node, steps, "Equal", x, y))
    some = _made(node, steps, "Select", greater, dy, filled(node, steps, dy.spec))
    _made(node, steps, "Select", equal, _made(node, steps, "Mul", dy, half), some)
    return steps


def _reduce_to_shape(node: Node, _: dict[Value, Node]) -> Any:
    """The axes that broadcasting has added or stretched are summed."""
    steps: list[Node] = []
    x, shape = node.args[0], node.outputs[0].spec.shape
    whole = (1,) * (x.spec.ndim - len(shape)) + shape
    axes = tuple(i for i, n in enumerate(whole) if n != x.spec.shape[i])
    if axes:
        x = _made(node, steps, "ReduceSum", x, axes, keep_dims=True)
    if x.spec.shape != shape or not steps:
        _made(node, steps, "Reshape", x, shape)
    return steps


def _gather_grad(node: Node, _: dict[Value, Node]) -> Any:
    """Rows are summed by their number, with the axis that was gathered in front."""
    prim: Any = node.prim
    dout, indices, axis, shape = node.args
    if prim.batch_dims:
        raise refuse(node, "can't be written with its batch_dims.")
    steps: list[Node] = []
    axis %= len(shape)
    many, ndim = indices.spec.ndim, dout.spec.ndim
    front = (*range(axis, axis + many), *range(axis), *range(axis + many, ndim))
    if axis:
        dout = _made(node, steps, "Transpose", dout, front)
    out = _made(node, steps, "UnsortedSegmentSum", dout, indices, shape[axis])
    if axis:
        _made(node, steps, "Transpose", out, (*range(1, axis + 1), 0, *range(axis + 1, len(shape))))
    return steps


def _get_item_grad(node: Node, _: dict[Value, Node]) -> Any:
    """Zeros, and what is added at places in flat x that the index names now."""
    dout, shape, parts, *tensors = node.args
    if any(t.data is None or t.spec.dtype.kind == "b" for t in tensors):
        raise refuse(node, "can't be written: its index is known when it runs.")
    steps: list[Node] = []
    index = numpy_index(parts, tuple(t.data for t in tensors))
    size = math.prod(shape)
    rows = np.arange(size, dtype=np.int32).reshape(shape)[index].reshape(-1, 1)
    places = Value(Spec(rows.shape, rows.dtype), rows)
    flat = _made(node, steps, "Reshape", dout, (-1,))
    zeros = filled(node, steps, Spec((size,), dout.spec.dtype))
    out = _made(node, steps, "TensorScatterAdd", zeros, places, flat)
    _made(node, steps, "Reshape", out, shape)
    return steps


def _gather_d_grad(node: Node, _: dict[Value, Node]) -> Any:
    steps: list[Node] = []
    dout, dim, index, _shape = node.args
    zeros = filled(node, steps, node.outputs[0].spec)
    _made(node, steps, "TensorScatterElements", zeros, index, dout, axis=dim, reduction="add")
    return steps


def _put_along_axis(node: Node, _: dict[Value, Node]) -> Any:
    steps: list[Node] = []
    x, index = node.args
    zeros = filled(node, steps, node.outputs[0].spec)
    axis = vars(node.prim)["axis"]
    _made(node, steps, "TensorScatterElements", zeros, index, x, axis=axis, reduction="add")
    return steps


def _average_pool_grad(node: Node, _: dict[Value, Node]) -> Any:
    """A file has the input and the output of the pooling, too, of which only the shapes count."""
    prim: Any = node.prim
    if len(node.args) == 3:
        return None
    _plain(node, prim, {"divisor_override": None})
    steps: list[Node] = []
    dy = node.args[0]
    x, y = (filled(node, steps, spec) for spec in (node.outputs[0].spec, dy.spec))
    return [*steps, Node(prim, (x, y, dy), node.outputs, node.scope, node.line)]


def _max_pool_grad(node: Node, _: dict[Value, Node]) -> Any:
    _plain(node, node.prim, {})
    return None


def _plain(node: Node, prim: Any, more: dict[str, Any]) -> None:
    for name, value in {
        "ceil_mode": False,
        "dilation": (1, 1),
        "pad": (0, 0, 0, 0),
        **more,
    }.items():
        if getattr(prim, name) != value and not (name == "pad" and prim.pad_mode == "same"):
            raise refuse(node, f"can't be written with its {name}: a MindIR file has no such.")


def _nll_loss_grad(node: Node, producers: dict[Value, Node]) -> Any:
    """A file has the sum of the weights, too, which the loss itself has found."""
    if len(node.args) == 5:
        return None
    x, _dout, labels, weight = node.args
    for loss in producers.values():
        if loss.prim.name == "NLLLoss" and loss.args == (x, labels, weight):
            args = (*node.args, loss.outputs[1])
            return [Node(node.prim, args, node.outputs, node.scope, node.line)]
    raise refuse(node, "can't be written without its loss.")


RULES: dict[str, Callable[[Node, dict[Value, Node]], Any]] = {
    "AvgPoolGrad": _average_pool_grad,
    "GatherDGrad": _gather_d_grad,
    "GatherGrad": _gather_grad,
    "GeLUGate": _gelu_gate,
    "GetItemGrad": _get_item_grad,
    "LoweredSoftmax": _softmax,
    "MaxPoolGrad": _max_pool_grad,
    "MaximumGrad": _of_the_larger,
    "NLLLossGrad": _nll_loss_grad,
    "PutAlongAxis": _put_along_axis,
    "ReduceToShape": _reduce_to_shape,
    "SoftmaxGrad": _softmax_grad,
}

__all__ = ["RULES", "filled"]
