"""Rules for ``rewrite`` that express minispore's private gradient ops by ops of MindIR files."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minispore.graph.ir import make_node_like
from minispore.ir.node import Node
from minispore.ir.registry import registry
from minispore.ir.value import Spec, Value
from minispore.ops.index.subscript import to_numpy_index
from minispore.ops.network.softmax import Softmax
from minispore.train.interchange.inference import make_export_error


def _append_node(node: Node, steps: list[Node], op: str, *args: Any, **fields: Any) -> Value:
    """Append a node of the op named ``op``, with the Cell and line of ``node``, to ``steps``;
    return its output.
    """
    steps.append(make_node_like(node, registry[op](**fields), *args))
    return steps[-1].outputs[0]


def _append_zeros(node: Node, steps: list[Node], spec: Spec) -> Value:
    """Append zeros of this spec to ``steps``: a broadcast 0-d zero, which takes little space in the
    file.
    """
    zero = Value(Spec((), spec.dtype), np.array(0, spec.dtype))
    return _append_node(node, steps, "BroadcastTo", zero, shape=spec.shape)


def _restore_softmax(node: Node, _: dict[Value, Node]) -> Any:
    """Rewrite a ShiftedSoftmax as Softmax."""
    prim: Any = node.prim
    return [make_node_like(node, Softmax(prim.axis), *node.args)]


def _expand_softmax_grad(node: Node, _: dict[Value, Node]) -> Any:
    """Rewrite SoftmaxGrad over several axes as y * (dy - sum(dy * y)); leave it unchanged over one
    axis.
    """
    prim: Any = node.prim
    if len(prim.axis) == 1:
        return None
    steps: list[Node] = []
    append = partial(_append_node, node, steps)
    y, dy = node.args
    total = append("ReduceSum", append("Mul", dy, y), prim.axis, keep_dims=True)
    append("Mul", append("Sub", dy, total), y)
    return steps


def _expand_gelu_gate(node: Node, _: dict[Value, Node]) -> Any:
    """Rewrite GeLUGate as 1 - 1 / (1 + exp(2u)) with u = sqrt(2/pi) * (x + 0.044715 x^3)."""
    steps: list[Node] = []
    x = node.args[0]
    doubled_factor = 2 * np.sqrt(2 / np.pi)

    def make_scalar(n: float) -> Value:
        """Return a 0-d constant in the dtype of x."""
        return Value(Spec((), x.spec.dtype), np.array(n, x.spec.dtype))

    append = partial(_append_node, node, steps)
    cubic_term = append("Mul", append("Square", x), make_scalar(doubled_factor * 0.044715))
    u2 = append("Mul", append("Add", cubic_term, make_scalar(doubled_factor)), x)
    denominator = append("Add", append("Exp", u2), make_scalar(1))
    append("Sub", make_scalar(1), append("Reciprocal", denominator))
    return steps


def _expand_maximum_grad(node: Node, _: dict[Value, Node]) -> Any:
    """Rewrite MaximumGrad, the gradient by x, as dy where x > y, and dy / 2 where x and y are
    equal.
    """
    steps: list[Node] = []
    append = partial(_append_node, node, steps)
    shape = node.outputs[0].spec.shape
    dy, x, y = node.args
    half = Value(Spec((), dy.spec.dtype), np.array(0.5, dy.spec.dtype))

    def broadcast(value: Value) -> Value:
        """Return the value in the output's shape, by a BroadcastTo if its shape differs."""
        return value if value.spec.shape == shape else append("BroadcastTo", value, shape=shape)

    dy = broadcast(dy)
    is_greater = broadcast(append("Greater", x, y))
    is_equal = broadcast(append("Equal", x, y))
    strict_grad = append("Select", is_greater, dy, _append_zeros(node, steps, dy.spec))
    append("Select", is_equal, append("Mul", dy, half), strict_grad)
    return steps


def _expand_reduce_to_shape(node: Node, _: dict[Value, Node]) -> Any:
    """Rewrite ReduceToShape as a sum over broadcast axes, and Reshape."""
    steps: list[Node] = []
    x, shape = node.args[0], node.outputs[0].spec.shape
    padded_shape = (1,) * (x.spec.ndim - len(shape)) + shape
    axes = tuple(i for i, n in enumerate(padded_shape) if n != x.spec.shape[i])
    if axes:
        x = _append_node(node, steps, "ReduceSum", x, axes, keep_dims=True)
    if x.spec.shape != shape or not steps:
        _append_node(node, steps, "Reshape", x, shape)
    return steps


def _expand_gather_grad(node: Node, _: dict[Value, Node]) -> Any:
    """Rewrite GatherGrad as UnsortedSegmentSum, with the gathered axis transposed to the front.

    Raises:
        RuntimeError: it has batch_dims.
    """
    prim: Any = node.prim
    dout, indices, axis, shape = node.args
    if prim.batch_dims:
        raise make_export_error(node, "can't be written with its batch_dims.")
    steps: list[Node] = []
    axis %= len(shape)
    index_ndim, ndim = indices.spec.ndim, dout.spec.ndim
    permutation = (*range(axis, axis + index_ndim), *range(axis), *range(axis + index_ndim, ndim))
    if axis:
        dout = _append_node(node, steps, "Transpose", dout, permutation)
    sums = _append_node(node, steps, "UnsortedSegmentSum", dout, indices, shape[axis])
    if axis:
        _append_node(
            node, steps, "Transpose", sums, (*range(1, axis + 1), 0, *range(axis + 1, len(shape)))
        )
    return steps


def _expand_get_item_grad(node: Node, _: dict[Value, Node]) -> Any:
    """Rewrite GetItemGrad as a scatter-add into flat zeros, at positions computed during export.

    Raises:
        RuntimeError: the index is known only at run time.
    """
    dout, shape, parts, *tensors = node.args
    if any(t.data is None or t.spec.dtype.kind == "b" for t in tensors):
        raise make_export_error(node, "can't be written: its index is known when it runs.")
    steps: list[Node] = []
    index = to_numpy_index(parts, tuple(t.data for t in tensors))
    size = math.prod(shape)
    rows = np.arange(size, dtype=np.int32).reshape(shape)[index].reshape(-1, 1)
    indices = Value(Spec(rows.shape, rows.dtype), rows)
    flat = _append_node(node, steps, "Reshape", dout, (-1,))
    zeros = _append_zeros(node, steps, Spec((size,), dout.spec.dtype))
    scattered = _append_node(node, steps, "TensorScatterAdd", zeros, indices, flat)
    _append_node(node, steps, "Reshape", scattered, shape)
    return steps


def _expand_gather_d_grad(node: Node, _: dict[Value, Node]) -> Any:
    """Rewrite GatherDGrad as a scatter-add into zeros."""
    steps: list[Node] = []
    dout, dim, index, _shape = node.args
    zeros = _append_zeros(node, steps, node.outputs[0].spec)
    _append_node(
        node, steps, "TensorScatterElements", zeros, index, dout, axis=dim, reduction="add"
    )
    return steps


def _expand_put_along_axis(node: Node, _: dict[Value, Node]) -> Any:
    """Rewrite PutAlongAxis as a scatter-add into zeros."""
    steps: list[Node] = []
    x, index = node.args
    zeros = _append_zeros(node, steps, node.outputs[0].spec)
    axis = vars(node.prim)["axis"]
    _append_node(node, steps, "TensorScatterElements", zeros, index, x, axis=axis, reduction="add")
    return steps


def _complete_average_pool_grad(node: Node, _: dict[Value, Node]) -> Any:
    """Add the pool's input and output to AvgPoolGrad, as zeros, since only their shapes matter;
    None if it already has them.

    Raises RuntimeError for an option that MindIR lacks.
    """
    prim: Any = node.prim
    if len(node.args) == 3:
        return None
    _check_plain_pool(node, prim, {"divisor_override": None})
    steps: list[Node] = []
    dy = node.args[0]
    x, y = (_append_zeros(node, steps, spec) for spec in (node.outputs[0].spec, dy.spec))
    return [*steps, Node(prim, (x, y, dy), node.outputs, node.scope, node.line)]


def _check_max_pool_grad(node: Node, _: dict[Value, Node]) -> Any:
    """Check that MindIR supports the options of MaxPoolGrad; the node is not changed."""
    _check_plain_pool(node, node.prim, {})
    return None


def _check_plain_pool(node: Node, prim: Any, extra_defaults: dict[str, Any]) -> None:
    """Check that a pool's gradient has no option that MindIR lacks.

    Raises:
        RuntimeError: the gradient has such an option.
    """
    defaults = {"ceil_mode": False, "dilation": (1, 1), **extra_defaults}
    if prim.pad_mode != "same":
        defaults["pad"] = (0, 0, 0, 0)
    for name, default in defaults.items():
        if getattr(prim, name) != default:
            raise make_export_error(
                node, f"can't be written with its {name}: a MindIR file has no such."
            )


def _complete_nll_loss_grad(node: Node, producers: dict[Value, Node]) -> Any:
    """Add the sum of the weights, an output of the loss op, to NLLLossGrad; None if it is already
    there.

    Raises:
        RuntimeError: the graph does not contain the loss.
    """
    if len(node.args) == 5:
        return None
    x, _dout, labels, weight = node.args
    for loss in producers.values():
        if loss.prim.name == "NLLLoss" and loss.args == (x, labels, weight):
            args = (*node.args, loss.outputs[1])
            return [Node(node.prim, args, node.outputs, node.scope, node.line)]
    raise make_export_error(node, "can't be written without its loss.")


RULES: dict[str, Callable[[Node, dict[Value, Node]], Any]] = {
    "AvgPoolGrad": _complete_average_pool_grad,
    "GatherDGrad": _expand_gather_d_grad,
    "GatherGrad": _expand_gather_grad,
    "GeLUGate": _expand_gelu_gate,
    "GetItemGrad": _expand_get_item_grad,
    "ShiftedSoftmax": _restore_softmax,
    "MaxPoolGrad": _check_max_pool_grad,
    "MaximumGrad": _expand_maximum_grad,
    "NLLLossGrad": _complete_nll_loss_grad,
    "PutAlongAxis": _expand_put_along_axis,
    "ReduceToShape": _expand_reduce_to_shape,
    "SoftmaxGrad": _expand_softmax_grad,
}

__all__ = ["RULES"]
