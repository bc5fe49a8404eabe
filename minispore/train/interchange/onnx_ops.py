"""How each op is said in ONNX: a rule per op, which writes nodes and answers the outputs' names.

A rule gets the writer ``w``, the node, and the node's arguments: ``w(x)`` is the name of a value,
``w.emit`` adds a node. Opset 17. Source: https://onnx.ai/onnx/operators.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.train.interchange.inference import refuse
from minispore.train.interchange.onnx_proto import TENSOR_TYPES

Rule = Callable[..., Any]
RULES: dict[str, Rule] = {}

_SAME = {
    "Abs": "Abs", "ACos": "Acos", "Acosh": "Acosh", "Asin": "Asin", "Asinh": "Asinh",
    "Atan": "Atan", "Atanh": "Atanh", "Ceil": "Ceil", "Cos": "Cos", "Cosh": "Cosh", "Erf": "Erf",
    "Exp": "Exp", "Floor": "Floor", "HSwish": "HardSwish", "Identity": "Identity", "IsInf": "IsInf",
    "IsNan": "IsNaN", "Log": "Log", "LogicalNot": "Not", "Neg": "Neg", "ReLU": "Relu",
    "Reciprocal": "Reciprocal", "SeLU": "Selu", "Sigmoid": "Sigmoid", "Sign": "Sign", "Sin": "Sin",
    "Sinh": "Sinh", "Softplus": "Softplus", "Softsign": "Softsign", "Sqrt": "Sqrt", "Tan": "Tan",
    "Tanh": "Tanh",
    "Add": "Add", "Sub": "Sub", "Mul": "Mul", "Pow": "Pow", "Maximum": "Max", "Minimum": "Min",
    "Equal": "Equal", "Less": "Less", "LessEqual": "LessOrEqual", "Greater": "Greater",
    "GreaterEqual": "GreaterOrEqual", "LogicalAnd": "And", "LogicalOr": "Or", "LogicalXor": "Xor",
    "AddN": "Sum", "MatMulExt": "MatMul",
}  # fmt: skip


def _on(*names: str) -> Callable[[Rule], Rule]:
    def add(rule: Rule) -> Rule:
        for name in names:
            RULES[name] = rule
        return rule

    return add


def _operands(w: Any, node: Any) -> list[str]:
    """The names of all arguments, numbers in the dtype of the tensors."""
    spec = node.inputs[0].spec
    return [w(a, spec) for a in node.args]


@_on(*_SAME)
def _same(w: Any, node: Any, *args: Any) -> str:
    return w.emit(_SAME[node.prim.name], *_operands(w, node))


@_on("RealDiv", "Div")
def _divided(w: Any, node: Any, *args: Any) -> str:
    return w.emit("Div", *_operands(w, node))


@_on("FloorDiv")
def _floor_divided(w: Any, node: Any, *args: Any) -> str:
    if node.outputs[0].spec.dtype.kind != "f":
        raise refuse(node, "has no counterpart in ONNX for integers, where division truncates.")
    return w.emit("Floor", w.emit("Div", *_operands(w, node)))


@_on("NotEqual")
def _not_equal(w: Any, node: Any, *args: Any) -> str:
    return w.emit("Not", w.emit("Equal", *_operands(w, node)))


@_on("Square")
def _square(w: Any, node: Any, x: Any) -> str:
    return w.emit("Mul", w(x), w(x))


@_on("Rsqrt")
def _rsqrt(w: Any, node: Any, x: Any) -> str:
    return w.emit("Reciprocal", w.emit("Sqrt", w(x)))


@_on("Log1p")
def _log1p(w: Any, node: Any, x: Any) -> str:
    return w.emit("Log", w.emit("Add", w(x), w(1, x.spec)))


@_on("Expm1")
def _expm1(w: Any, node: Any, x: Any) -> str:
    return w.emit("Sub", w.emit("Exp", w(x)), w(1, x.spec))


@_on("Select")
def _select(w: Any, node: Any, condition: Any, x: Any, y: Any) -> str:
    return w.emit("Where", w(condition), w(x, node.outputs[0].spec), w(y, node.outputs[0].spec))


@_on("MaskedFill")
def _masked_fill(w: Any, node: Any, x: Any, mask: Any, value: Any) -> str:
    return w.emit("Where", w(mask), w(value, x.spec), w(x))


@_on("FloorMod")
def _floor_mod(w: Any, node: Any, *args: Any) -> str:
    x, y = _operands(w, node)
    if node.outputs[0].spec.dtype.kind != "f":
        return w.emit("Mod", x, y)
    floor = w.emit("Floor", w.emit("Div", x, y))
    return w.emit("Sub", x, w.emit("Mul", floor, y))


@_on("Cast")
def _cast(w: Any, node: Any, x: Any, dtype: Any) -> str:
    return _as(w, w(x), node.outputs[0].spec.dtype)


def _as(w: Any, name: str, dtype: Any) -> str:
    return w.emit("Cast", name, to=TENSOR_TYPES[np.dtype(dtype).name])


# -- activations -----------------------------------------------------------------------------------


@_on("ReLU6")
def _relu6(w: Any, node: Any, x: Any) -> str:
    return w.emit("Clip", w(x), w(0, x.spec), w(6, x.spec))


@_on("SiLU")
def _silu(w: Any, node: Any, x: Any) -> str:
    return w.emit("Mul", w(x), w.emit("Sigmoid", w(x)))


@_on("Mish")
def _mish(w: Any, node: Any, x: Any) -> str:
    return w.emit("Mul", w(x), w.emit("Tanh", w.emit("Softplus", w(x))))


@_on("HSigmoid")
def _hard_sigmoid(w: Any, node: Any, x: Any) -> str:
    return w.emit("HardSigmoid", w(x), alpha=1 / 6, beta=0.5)


@_on("Elu", "CeLU")
def _elu(w: Any, node: Any, x: Any) -> str:
    return w.emit(node.prim.name.capitalize(), w(x), alpha=float(node.prim.alpha))


@_on("GeLU")
def _gelu(w: Any, node: Any, x: Any) -> str:
    # x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), the approximation that MindSpore computes
    cube = w.emit("Mul", w.emit("Mul", w(x), w(x)), w(x))
    inner = w.emit("Add", w(x), w.emit("Mul", cube, w(0.044715, x.spec)))
    wave = w.emit("Tanh", w.emit("Mul", inner, w(math.sqrt(2 / math.pi), x.spec)))
    half = w.emit("Mul", w(x), w(0.5, x.spec))
    return w.emit("Mul", half, w.emit("Add", wave, w(1, x.spec)))


@_on("PReLU")
def _prelu(w: Any, node: Any, x: Any, slope: Any) -> str:
    shape = (-1,) + (1,) * (x.spec.ndim - 2)
    return w.emit("PRelu", w(x), w.emit("Reshape", w(slope), w.ints(*shape)))


@_on("Softmax", "LogSoftmax")
def _softmax(w: Any, node: Any, x: Any) -> str:
    axis = node.prim.axis
    axes = axis if isinstance(axis, tuple) else (axis,)
    if len(axes) != 1:
        raise refuse(node, "has several axes, and ONNX has one.")
    return w.emit(node.prim.name, w(x), axis=axes[0])


# -- products, convolutions, normalisations --------------------------------------------------------


@_on("MatMul")
def _matmul(w: Any, node: Any, a: Any, b: Any) -> str:
    p = node.prim
    return w.emit("Gemm", w(a), w(b), transA=int(p.transpose_a), transB=int(p.transpose_b))


@_on("BatchMatMul")
def _batch_matmul(w: Any, node: Any, a: Any, b: Any) -> str:
    flags = (node.prim.transpose_a, node.prim.transpose_b)
    return w.emit("MatMul", *[_turned(w, x) if flag else w(x) for x, flag in zip((a, b), flags)])


def _turned(w: Any, x: Any) -> str:
    *rest, row, column = range(x.spec.ndim)
    return w.emit("Transpose", w(x), perm=(*rest, column, row))


@_on("Einsum")
def _einsum(w: Any, node: Any, *xs: Any) -> str:
    return w.emit("Einsum", *map(w, xs), equation=node.prim.equation)


@_on("BiasAdd")
def _bias_add(w: Any, node: Any, x: Any, bias: Any) -> str:
    if x.spec.ndim == 2 or node.prim.data_format == "NHWC":
        return w.emit("Add", w(x), w(bias))
    shape = (1, -1) + (1,) * (x.spec.ndim - 2)
    return w.emit("Add", w(x), w.emit("Reshape", w(bias), w.ints(*shape)))


def _window(prim: Any, size: tuple[int, ...]) -> tuple[Any, tuple[int, ...]]:
    """The window over an input of this size, and ONNX's pads: all begins, then all ends."""
    win = prim.over(size)
    high = [p - n - a for p, n, a in zip(win.padded, win.size, win.low)]
    return win, (*[int(n) for n in win.low], *[int(n) for n in high])


@_on("Conv2D", "Conv3D")
def _conv(w: Any, node: Any, x: Any, weight: Any) -> str:
    p = node.prim
    _, pads = _window(p, x.spec.shape[2:])
    return w.emit(
        "Conv", w(x), w(weight), kernel_shape=p.kernel_size, strides=p.stride,
        dilations=p.dilation, group=p.group, pads=[max(n, 0) for n in pads],
    )  # fmt: skip


@_on("Conv2DTranspose")
def _conv_transpose(w: Any, node: Any, x: Any, weight: Any, size: Any) -> str:
    p = node.prim
    _, pads = _window(p, size[2:])
    pads = tuple(max(n, 0) for n in pads)
    low, high = pads[:2], pads[2:]
    full = [
        (n - 1) * s + (k - 1) * d + 1
        for n, s, k, d in zip(x.spec.shape[2:], p.stride, p.kernel_size, p.dilation)
    ]
    extra = [n - (f - a - b) for n, f, a, b in zip(size[2:], full, low, high)]
    return w.emit(
        "ConvTranspose", w(x), w(weight), kernel_shape=p.kernel_size, strides=p.stride,
        dilations=p.dilation, group=p.group, pads=pads, output_padding=extra,
    )  # fmt: skip


@_on("BatchNormInfer")
def _batch_norm(w: Any, node: Any, *args: Any) -> str:
    if node.prim.data_format != "NCHW":
        raise refuse(node, "must have its channels second for ONNX.")
    return w.emit("BatchNormalization", *map(w, args), epsilon=float(node.prim.epsilon))


@_on("LayerNorm")
def _layer_norm(w: Any, node: Any, x: Any, gamma: Any, beta: Any) -> list[str]:
    p, ndim = node.prim, x.spec.ndim
    if p.begin_norm_axis % ndim != p.begin_params_axis % ndim:
        raise refuse(node, "must normalise the axes that its parameters have, for ONNX.")
    axis = p.begin_norm_axis % ndim
    made = w.emit(
        "LayerNormalization", w(x), w(gamma), w(beta), axis=axis, epsilon=float(p.epsilon)
    )
    return [made]


@_on("MaxPool", "AvgPool")
def _pool(w: Any, node: Any, x: Any) -> str:
    p = node.prim
    _, pads = _window(p, x.spec.shape[2:])
    of = {"kernel_shape": p.kernel_size, "strides": p.strides, "pads": [max(n, 0) for n in pads]}
    if p.name == "MaxPool":
        return w.emit("MaxPool", w(x), **of, dilations=p.dilation)
    if p.divisor_override is not None or any(d != 1 for d in p.dilation) or p.ceil_mode:
        raise refuse(node, "has no counterpart in ONNX with divisor_override, dilation, ceil_mode.")
    whole = p.count_include_pad and p.pad_mode == "pad"
    return w.emit("AveragePool", w(x), **of, count_include_pad=int(whole))


# -- shapes ----------------------------------------------------------------------------------------


@_on("Reshape", "Flatten", "ExpandDims", "Squeeze")
def _reshape(w: Any, node: Any, x: Any, *args: Any) -> str:
    return w.emit("Reshape", w(x), w.ints(*node.outputs[0].spec.shape))


@_on("Transpose")
def _transpose(w: Any, node: Any, x: Any, perm: Any) -> str:
    return w.emit("Transpose", w(x), perm=[p % x.spec.ndim for p in perm])


@_on("BroadcastTo")
def _broadcast(w: Any, node: Any, x: Any, *args: Any) -> str:
    return w.emit("Expand", w(x), w.ints(*node.outputs[0].spec.shape))


@_on("Tile")
def _tile(w: Any, node: Any, x: Any, multiples: Any) -> str:
    lead = len(multiples) - x.spec.ndim
    name = w(x)
    if lead > 0:
        name = w.emit("Reshape", name, w.ints(*(1,) * lead, *x.spec.shape))
    return w.emit("Tile", name, w.ints(*(1,) * -lead, *multiples))


@_on("Concat")
def _concat(w: Any, node: Any, *xs: Any) -> str:
    return w.emit("Concat", *map(w, xs), axis=node.prim.axis)


@_on("Stack")
def _stack(w: Any, node: Any, *xs: Any) -> str:
    axis = node.prim.axis % node.outputs[0].spec.ndim
    rows = [w.emit("Unsqueeze", w(x), w.ints(axis)) for x in xs]
    return w.emit("Concat", *rows, axis=axis)


@_on("Split", "SplitV", "Unstack")
def _split(w: Any, node: Any, x: Any) -> list[str]:
    p, count = node.prim, len(node.outputs)
    axis = (p.split_dim if p.name == "SplitV" else p.axis) % x.spec.ndim
    if p.name == "Unstack":
        sizes = (1,) * count
    else:
        sizes = tuple(o.spec.shape[axis] for o in node.outputs)
    made = w.emit("Split", w(x), w.ints(*sizes), outputs=count, axis=axis)
    made = [made] if count == 1 else made
    if p.name == "Unstack":
        return [w.emit("Squeeze", name, w.ints(axis)) for name in made]
    return made


@_on("StridedSlice")
def _strided_slice(w: Any, node: Any, x: Any, begin: Any, end: Any, strides: Any) -> str:
    p = node.prim
    far = np.iinfo(np.int64)
    starts, ends = list(begin), list(end)
    for i, step in enumerate(strides):
        if p.begin_mask >> i & 1:
            starts[i] = 0 if step > 0 else far.max
        if p.end_mask >> i & 1:
            ends[i] = far.max if step > 0 else far.min
    return w.emit(
        "Slice", w(x), w.ints(*starts), w.ints(*ends), w.ints(*range(len(starts))),
        w.ints(*strides),
    )  # fmt: skip


@_on("ReverseV2")
def _reversed(w: Any, node: Any, x: Any) -> str:
    axes = _axes(node.prim.axis, x.spec.ndim)
    back = w.ints(*(-1,) * len(axes))
    return w.emit(
        "Slice", w(x), back, w.ints(*(np.iinfo(np.int64).min,) * len(axes)), w.ints(*axes), back
    )


@_on("Triu", "Tril")
def _triangle(w: Any, node: Any, x: Any) -> str:
    upper = int(node.prim.name == "Triu")
    return w.emit("Trilu", w(x), w(node.prim.diagonal), upper=upper)


@_on("Slice")
def _slice(w: Any, node: Any, x: Any, begin: Any, size: Any) -> str:
    ends = [b + n for b, n in zip(begin, node.outputs[0].spec.shape)]
    return w.emit("Slice", w(x), w.ints(*begin), w.ints(*ends), w.ints(*range(len(begin))))


@_on("Pad")
def _pad(w: Any, node: Any, x: Any) -> str:
    return _padded(w, x, node.prim.paddings, 0)


@_on("PadConstant")
def _pad_constant(w: Any, node: Any, x: Any, value: Any) -> str:
    return _padded(w, x, node.prim.pairs, value)


def _padded(w: Any, x: Any, pairs: Any, value: Any) -> str:
    around = [*[a for a, _ in pairs], *[b for _, b in pairs]]
    return w.emit("Pad", w(x), w.ints(*around), w(value, x.spec), mode="constant")


@_on("DepthToSpace")
def _depth_to_space(w: Any, node: Any, x: Any) -> str:
    return w.emit("DepthToSpace", w(x), blocksize=node.prim.block_size, mode="DCR")


@_on("SpaceToDepth")
def _space_to_depth(w: Any, node: Any, x: Any) -> str:
    return w.emit("SpaceToDepth", w(x), blocksize=node.prim.block_size)


@_on("ResizeNearestNeighbor")
def _nearest(w: Any, node: Any, x: Any) -> str:
    if node.prim.align_corners or node.prim.half_pixel_centers:
        raise refuse(node, "has no counterpart in ONNX with align_corners or half_pixel_centers.")
    size = w.ints(*node.outputs[0].spec.shape)
    return w.emit(
        "Resize", w(x), "", "", size, mode="nearest",
        coordinate_transformation_mode="asymmetric", nearest_mode="floor",
    )  # fmt: skip


# -- reductions and choices ------------------------------------------------------------------------


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None or axis == ():
        return tuple(range(ndim))
    return tuple(a % ndim for a in (axis if isinstance(axis, tuple | list) else (axis,)))


@_on("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd")
def _reduce(w: Any, node: Any, x: Any, axis: Any = ()) -> str:
    axes = _axes(axis, x.spec.ndim)
    if not axes:
        return w.emit("Identity", w(x))
    return w.emit(node.prim.name, w(x), axes=axes, keepdims=int(node.prim.keep_dims))


@_on("ReduceSum")
def _reduce_sum(w: Any, node: Any, x: Any, axis: Any = ()) -> str:
    axes = _axes(axis, x.spec.ndim)
    if not axes:
        return w.emit("Identity", w(x))
    return w.emit("ReduceSum", w(x), w.ints(*axes), keepdims=int(node.prim.keep_dims))


@_on("ReduceAll", "ReduceAny")
def _reduce_bools(w: Any, node: Any, x: Any, axis: Any = ()) -> str:
    op = "ReduceMin" if node.prim.name == "ReduceAll" else "ReduceMax"
    axes, keep = _axes(axis, x.spec.ndim), int(node.prim.keep_dims)
    return _as(w, w.emit(op, _as(w, w(x), np.int32), axes=axes, keepdims=keep), np.bool_)


@_on("Argmax", "Argmin")
def _arg(w: Any, node: Any, x: Any) -> str:
    op = "ArgMax" if node.prim.name == "Argmax" else "ArgMin"
    found = w.emit(op, w(x), axis=node.prim.axis, keepdims=0)
    return _as(w, found, node.outputs[0].spec.dtype)


@_on("ArgMaxWithValue", "ArgMinWithValue")
def _arg_with_value(w: Any, node: Any, x: Any) -> list[str]:
    end = "Max" if node.prim.name == "ArgMaxWithValue" else "Min"
    axis, keep = node.prim.axis, int(node.prim.keep_dims)
    found = w.emit(f"Arg{end}", w(x), axis=axis, keepdims=keep)
    value = w.emit(f"Reduce{end}", w(x), axes=[axis], keepdims=keep)
    return [_as(w, found, node.outputs[0].spec.dtype), value]


@_on("TopK")
def _top_k(w: Any, node: Any, x: Any, k: Any) -> list[str]:
    values, found = w.emit("TopK", w(x), w.ints(int(k)), outputs=2, sorted=int(node.prim.sorted))
    return [values, _as(w, found, node.outputs[1].spec.dtype)]


@_on("CumSum")
def _cumsum(w: Any, node: Any, x: Any, axis: Any) -> str:
    p = node.prim
    return w.emit("CumSum", w(x), w(axis), exclusive=int(p.exclusive), reverse=int(p.reverse))


@_on("Gather")
def _gather(w: Any, node: Any, x: Any, indices: Any, axis: Any) -> str:
    if node.prim.batch_dims or not isinstance(axis, int):
        raise refuse(node, "has no counterpart in ONNX with batch_dims or an axis in a tensor.")
    return w.emit("Gather", w(x), w(indices), axis=axis)


@_on("GatherD")
def _gather_d(w: Any, node: Any, x: Any, dim: Any, index: Any) -> str:
    return w.emit("GatherElements", w(x), w(index), axis=dim)


@_on("GatherNd")
def _gather_nd(w: Any, node: Any, x: Any, indices: Any) -> str:
    return w.emit("GatherND", w(x), _as(w, w(indices), np.int64))


@_on("OneHot")
def _one_hot(w: Any, node: Any, indices: Any, depth: Any, on: Any, off: Any) -> str:
    spec = node.outputs[0].spec
    ends = [w.emit("Reshape", w(v, spec), w.ints(1)) for v in (off, on)]
    values = w.emit("Concat", *ends, axis=0)
    at = _as(w, w(indices), np.int64)  # what onnxruntime has a kernel for
    return w.emit("OneHot", at, w(depth), values, axis=node.prim.axis)


@_on("Sort")
def _sort(w: Any, node: Any, x: Any) -> list[str]:
    p, axis = node.prim, node.prim.axis % x.spec.ndim
    values, found = w.emit(
        "TopK", w(x), w.ints(x.spec.shape[axis]), outputs=2, axis=axis, largest=int(p.descending)
    )
    return [values, _as(w, found, node.outputs[1].spec.dtype)]


__all__ = ["RULES"]
