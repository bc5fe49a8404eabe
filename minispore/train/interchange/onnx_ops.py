"""How each op of arithmetic is said in ONNX: a rule writes nodes and answers the outputs' names.

A rule gets the writer ``w``, the node, and the node's arguments: ``w(x)`` is the name of a value,
``w.emit`` adds a node. Opset 17. Source: https://onnx.ai/onnx/operators.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.core.value import Spec, Value
from minispore.train.interchange.inference import refuse
from minispore.train.interchange.onnx_proto import TENSOR_TYPES

Rule = Callable[..., Any]
RULES: dict[str, Rule] = {}

_SAME = {
    "Abs": "Abs", "ACos": "Acos", "Acosh": "Acosh", "Asin": "Asin", "Asinh": "Asinh",
    "Atan": "Atan", "Atanh": "Atanh", "Ceil": "Ceil", "Cos": "Cos", "Cosh": "Cosh", "Erf": "Erf",
    "Exp": "Exp", "Floor": "Floor", "Identity": "Identity", "IsInf": "IsInf",
    "IsNan": "IsNaN", "Log": "Log", "LogicalNot": "Not", "Neg": "Neg", "ReLU": "Relu",
    "Reciprocal": "Reciprocal", "SeLU": "Selu", "Sigmoid": "Sigmoid", "Sign": "Sign", "Sin": "Sin",
    "Sinh": "Sinh", "Softplus": "Softplus", "Softsign": "Softsign", "Sqrt": "Sqrt", "Tan": "Tan",
    "Tanh": "Tanh",
    "Add": "Add", "Sub": "Sub", "Mul": "Mul", "Pow": "Pow", "Maximum": "Max", "Minimum": "Min",
    "Equal": "Equal", "Less": "Less", "LessEqual": "LessOrEqual", "Greater": "Greater",
    "GreaterEqual": "GreaterOrEqual", "LogicalAnd": "And", "LogicalOr": "Or", "LogicalXor": "Xor",
    "MatMulExt": "MatMul",
}  # fmt: skip


def on(*names: str) -> Callable[[Rule], Rule]:
    """Make the function the rule of these ops."""

    def add(rule: Rule) -> Rule:
        for name in names:
            RULES[name] = rule
        return rule

    return add


def _operands(w: Any, node: Any) -> list[str]:
    """The names of all arguments in the dtype in which the op computes, which ONNX's need."""
    spec, out = node.inputs[0].spec, node.outputs[0].spec
    if node.prim.name.startswith("Logical"):
        spec = Spec(spec.shape, np.dtype(np.bool_))
    elif out.dtype.kind == "f":  # of integers, too
        spec = out
    return [_operand(w, a, spec) for a in node.args]


def _operand(w: Any, arg: Any, like: Spec) -> str:
    name: str = w(arg, like)
    other = arg.__class__ is Value and arg.spec.dtype != like.dtype
    return as_type(w, name, like.dtype) if other else name


@on(*_SAME)
def _same(w: Any, node: Any, *args: Any) -> str:
    return w.emit(_SAME[node.prim.name], *_operands(w, node))


@on("HSwish", "HSigmoid")
def _hard(w: Any, node: Any, x: Any) -> str:
    if x.spec.dtype.kind != "f":
        raise refuse(node, "has no counterpart in ONNX for integers.")
    if node.prim.name == "HSwish":
        return w.emit("HardSwish", w(x))
    return w.emit("HardSigmoid", w(x), alpha=1 / 6, beta=0.5)


@on("AddN")
def _total(w: Any, node: Any, *xs: Any) -> str:
    return functools.reduce(lambda total, name: w.emit("Add", total, name), map(w, xs))


@on("RealDiv", "Div")
def _divided(w: Any, node: Any, *args: Any) -> str:
    return w.emit("Div", *_operands(w, node))


@on("FloorDiv")
def _floor_divided(w: Any, node: Any, *args: Any) -> str:
    if node.outputs[0].spec.dtype.kind != "f":
        raise refuse(node, "has no counterpart in ONNX for integers, where division truncates.")
    return w.emit("Floor", w.emit("Div", *_operands(w, node)))


@on("NotEqual")
def _not_equal(w: Any, node: Any, *args: Any) -> str:
    return w.emit("Not", w.emit("Equal", *_operands(w, node)))


@on("Square")
def _square(w: Any, node: Any, x: Any) -> str:
    return w.emit("Mul", w(x), w(x))


@on("Rsqrt")
def _rsqrt(w: Any, node: Any, x: Any) -> str:
    return w.emit("Reciprocal", w.emit("Sqrt", *_operands(w, node)))


@on("Log1p")
def _log1p(w: Any, node: Any, x: Any) -> str:
    return w.emit("Log", w.emit("Add", w(x), w(1, x.spec)))


@on("Expm1")
def _expm1(w: Any, node: Any, x: Any) -> str:
    return w.emit("Sub", w.emit("Exp", w(x)), w(1, x.spec))


@on("Select")
def _select(w: Any, node: Any, condition: Any, x: Any, y: Any) -> str:
    return w.emit("Where", w(condition), w(x, node.outputs[0].spec), w(y, node.outputs[0].spec))


@on("MaskedFill")
def _masked_fill(w: Any, node: Any, x: Any, mask: Any, value: Any) -> str:
    return w.emit("Where", w(mask), w(value, x.spec), w(x))


@on("FloorMod")
def _floor_mod(w: Any, node: Any, *args: Any) -> str:
    x, y = _operands(w, node)
    if node.outputs[0].spec.dtype.kind != "f":
        return w.emit("Mod", x, y)
    floor = w.emit("Floor", w.emit("Div", x, y))
    return w.emit("Sub", x, w.emit("Mul", floor, y))


@on("Cast")
def _cast(w: Any, node: Any, x: Any, dtype: Any) -> str:
    return as_type(w, w(x), node.outputs[0].spec.dtype)


def as_type(w: Any, name: str, dtype: Any) -> str:
    """The value ``name`` in another dtype."""
    return w.emit("Cast", name, to=TENSOR_TYPES[np.dtype(dtype).name])


# -- activations -----------------------------------------------------------------------------------


@on("ReLU6")
def _relu6(w: Any, node: Any, x: Any) -> str:
    return w.emit("Clip", w(x), w(0, x.spec), w(6, x.spec))


@on("SiLU")
def _silu(w: Any, node: Any, x: Any) -> str:
    return w.emit("Mul", w(x), w.emit("Sigmoid", w(x)))


@on("Mish")
def _mish(w: Any, node: Any, x: Any) -> str:
    return w.emit("Mul", w(x), w.emit("Tanh", w.emit("Softplus", w(x))))


@on("Elu", "CeLU")
def _elu(w: Any, node: Any, x: Any) -> str:
    return w.emit(node.prim.name.capitalize(), w(x), alpha=float(node.prim.alpha))


@on("GeLU")
def _gelu(w: Any, node: Any, x: Any) -> str:
    # x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), the approximation that MindSpore computes
    cube = w.emit("Mul", w.emit("Mul", w(x), w(x)), w(x))
    inner = w.emit("Add", w(x), w.emit("Mul", cube, w(0.044715, x.spec)))
    wave = w.emit("Tanh", w.emit("Mul", inner, w(math.sqrt(2 / math.pi), x.spec)))
    half = w.emit("Mul", w(x), w(0.5, x.spec))
    return w.emit("Mul", half, w.emit("Add", wave, w(1, x.spec)))


@on("PReLU")
def _prelu(w: Any, node: Any, x: Any, slope: Any) -> str:
    shape = (-1,) + (1,) * (x.spec.ndim - 2)
    return w.emit("PRelu", w(x), w.emit("Reshape", w(slope), w.ints(*shape)))


@on("Softmax", "LogSoftmax")
def _softmax(w: Any, node: Any, x: Any) -> str:
    axis = node.prim.axis
    axes = axis if isinstance(axis, tuple) else (axis,)
    if len(axes) != 1:
        raise refuse(node, "has several axes, and ONNX has one.")
    return w.emit(node.prim.name, w(x), axis=axes[0])


# -- products, convolutions, normalisations --------------------------------------------------------


@on("MatMul")
def _matmul(w: Any, node: Any, a: Any, b: Any) -> str:
    p = node.prim
    return w.emit("Gemm", w(a), w(b), transA=int(p.transpose_a), transB=int(p.transpose_b))


@on("BatchMatMul")
def _batch_matmul(w: Any, node: Any, a: Any, b: Any) -> str:
    flags = (node.prim.transpose_a, node.prim.transpose_b)
    return w.emit("MatMul", *[_turned(w, x) if flag else w(x) for x, flag in zip((a, b), flags)])


@on("WeightedSums")
def _weighted_sums(w: Any, node: Any, a: Any, b: Any) -> str:
    turned = node.prim.which if node.prim.transposed else None
    return w.emit("MatMul", *[_turned(w, x) if i == turned else w(x) for i, x in enumerate((a, b))])


def _turned(w: Any, x: Any) -> str:
    *rest, row, column = range(x.spec.ndim)
    return w.emit("Transpose", w(x), perm=(*rest, column, row))


@on("Einsum")
def _einsum(w: Any, node: Any, *xs: Any) -> str:
    return w.emit("Einsum", *map(w, xs), equation=node.prim.equation)


@on("BiasAdd")
def _bias_add(w: Any, node: Any, x: Any, bias: Any) -> str:
    if x.spec.ndim == 2 or node.prim.data_format == "NHWC":
        return w.emit("Add", w(x), w(bias))
    shape = (1, -1) + (1,) * (x.spec.ndim - 2)
    return w.emit("Add", w(x), w.emit("Reshape", w(bias), w.ints(*shape)))


def _pads(prim: Any, size: tuple[int, ...]) -> tuple[int, ...]:
    """ONNX's pads of the window over an input of this size: all begins, then all ends."""
    win = prim.over(size)
    high = [p - n - a for p, n, a in zip(win.padded, win.size, win.low)]
    return (*[int(n) for n in win.low], *[int(n) for n in high])


@on("Conv2D", "Conv3D")
def _conv(w: Any, node: Any, x: Any, weight: Any) -> str:
    p = node.prim
    return w.emit(
        "Conv", w(x), w(weight), kernel_shape=p.kernel_size, strides=p.stride,
        dilations=p.dilation, group=p.group, pads=_pads(p, x.spec.shape[2:]),
    )  # fmt: skip


@on("Conv2DTranspose")
def _conv_transpose(w: Any, node: Any, x: Any, weight: Any, size: Any) -> str:
    p = node.prim
    pads = _pads(p, size[2:])
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


@on("BatchNormInfer")
def _batch_norm(w: Any, node: Any, *args: Any) -> str:
    if node.prim.data_format != "NCHW":
        raise refuse(node, "must have its channels second for ONNX.")
    return w.emit("BatchNormalization", *map(w, args), epsilon=float(node.prim.epsilon))


@on("LayerNorm")
def _layer_norm(w: Any, node: Any, x: Any, gamma: Any, beta: Any) -> list[str]:
    p, ndim = node.prim, x.spec.ndim
    if p.begin_norm_axis % ndim != p.begin_params_axis % ndim:
        raise refuse(node, "must normalise the axes that its parameters have, for ONNX.")
    axis = p.begin_norm_axis % ndim
    made = w.emit(
        "LayerNormalization", w(x), w(gamma), w(beta), axis=axis, epsilon=float(p.epsilon)
    )
    return [made]


@on("MaxPool", "AvgPool")
def _pool(w: Any, node: Any, x: Any) -> str:
    p = node.prim
    pads = _pads(p, x.spec.shape[2:])
    of = {"kernel_shape": p.kernel_size, "strides": p.strides, "pads": pads}
    if p.name == "MaxPool":
        return w.emit("MaxPool", w(x), **of, dilations=p.dilation)
    if p.divisor_override is not None or any(d != 1 for d in p.dilation) or p.ceil_mode:
        raise refuse(node, "has no counterpart in ONNX with divisor_override, dilation, ceil_mode.")
    whole = p.count_include_pad and p.pad_mode == "pad"
    return w.emit("AveragePool", w(x), **of, count_include_pad=int(whole))


__all__ = ["RULES", "as_type", "on"]
