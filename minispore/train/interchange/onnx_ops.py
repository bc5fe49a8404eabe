"""Rules that write arithmetic ops in ONNX: each emits nodes and returns the outputs' names.

A rule is called with the writer ``w``, the node, and the node's arguments. Opset 17.
Source: https://onnx.ai/onnx/operators.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from minispore.ir.node import Node
from minispore.ir.value import Spec, Value
from minispore.train.interchange.inference import make_export_error
from minispore.train.interchange.onnx_proto import TENSOR_TYPES

Rule = Callable[..., Any]
RULES: dict[str, Rule] = {}

_SAME_ARGUMENTS = {
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


class Writer(Protocol):
    """The interface of a graph's writer, as used by the rules."""

    producers: dict[Value, Node]

    def name(self, arg: Any, like: Spec | None = None) -> str:
        """Return the name of a value; a number becomes a constant in the dtype of ``like``."""

    def shape(self, value: Value) -> tuple[int, ...]:
        """Return the shape of a value, -1 for axes of open length."""

    def constant(self, array: np.ndarray) -> str:
        """Return the name of the constant with this content, which is added if there is none."""

    def ints(self, *numbers: int) -> str:
        """Return the name of a constant int64 vector."""

    def emit(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        """Add a node and return the name of its output, or a list of names."""


def register_rule(*names: str) -> Callable[[Rule], Rule]:
    """Register the decorated function as the rule of these ops."""

    def register(rule: Rule) -> Rule:
        """Enter the rule into ``RULES`` under each name, and return it."""
        for name in names:
            RULES[name] = rule
        return rule

    return register


def get_operand_names(w: Writer, node: Any) -> list[str]:
    """Return the names of all arguments, cast to the common dtype in which ONNX's op computes.

    Emits a Cast for each Value of another dtype.
    """
    spec, output = node.inputs[0].spec, node.outputs[0].spec
    if node.prim.name.startswith("Logical"):
        spec = Spec(spec.shape, np.dtype(np.bool_))
    elif output.dtype.kind == "f":  # a float op on integers computes in the output's dtype
        spec = output
    return [_get_operand_name(w, a, spec) for a in node.args]


def _get_operand_name(w: Writer, arg: Any, spec: Spec) -> str:
    """Return the name of an argument, cast to the dtype of ``spec``."""
    name: str = w.name(arg, spec)
    needs_cast = arg.__class__ is Value and arg.spec.dtype != spec.dtype
    return emit_cast(w, name, spec.dtype) if needs_cast else name


@register_rule(*_SAME_ARGUMENTS)
def _emit_same_arguments(w: Writer, node: Any, *args: Any) -> str:
    """Emit the ONNX op that takes the same arguments."""
    return w.emit(_SAME_ARGUMENTS[node.prim.name], *get_operand_names(w, node))


@register_rule("HSwish", "HSigmoid")
def _emit_hard_activation(w: Writer, node: Any, x: Any) -> str:
    """Emit an HSwish or HSigmoid; raise an export error for integers."""
    if x.spec.dtype.kind != "f":
        raise make_export_error(node, "has no counterpart in ONNX for integers.")
    if node.prim.name == "HSwish":
        return w.emit("HardSwish", w.name(x))
    return w.emit("HardSigmoid", w.name(x), alpha=1 / 6, beta=0.5)


@register_rule("AddN")
def _emit_sum(w: Writer, node: Any, *xs: Any) -> str:
    """Emit an AddN as a chain of Add."""
    return functools.reduce(lambda total, name: w.emit("Add", total, name), map(w.name, xs))


@register_rule("RealDiv", "Div")
def _emit_div(w: Writer, node: Any, *args: Any) -> str:
    return w.emit("Div", *get_operand_names(w, node))


@register_rule("FloorDiv")
def _emit_floor_div(w: Writer, node: Any, *args: Any) -> str:
    """Emit a FloorDiv as Div and Floor; raise an export error for integers."""
    if node.outputs[0].spec.dtype.kind != "f":
        raise make_export_error(
            node, "has no counterpart in ONNX for integers, where division truncates."
        )
    return w.emit("Floor", w.emit("Div", *get_operand_names(w, node)))


@register_rule("NotEqual")
def _emit_not_equal(w: Writer, node: Any, *args: Any) -> str:
    return w.emit("Not", w.emit("Equal", *get_operand_names(w, node)))


@register_rule("Square")
def _emit_square(w: Writer, node: Any, x: Any) -> str:
    return w.emit("Mul", w.name(x), w.name(x))


@register_rule("Rsqrt")
def _emit_rsqrt(w: Writer, node: Any, x: Any) -> str:
    """Emit the reciprocal of the square root, for which ONNX has no single op."""
    return w.emit("Reciprocal", w.emit("Sqrt", *get_operand_names(w, node)))


@register_rule("Log1p")
def _emit_log1p(w: Writer, node: Any, x: Any) -> str:
    """Emit ``log(x + 1)``, which loses precision for a small ``x``."""
    return w.emit("Log", w.emit("Add", w.name(x), w.name(1, x.spec)))


@register_rule("Expm1")
def _emit_expm1(w: Writer, node: Any, x: Any) -> str:
    """Emit ``exp(x) - 1``, which loses precision for a small ``x``."""
    return w.emit("Sub", w.emit("Exp", w.name(x)), w.name(1, x.spec))


@register_rule("Select")
def _emit_where(w: Writer, node: Any, condition: Any, x: Any, y: Any) -> str:
    """Emit a Where between two inputs; scalars get the dtype of the output."""
    return w.emit(
        "Where", w.name(condition), w.name(x, node.outputs[0].spec), w.name(y, node.outputs[0].spec)
    )


@register_rule("MaskedFill")
def _emit_masked_fill(w: Writer, node: Any, x: Any, mask: Any, value: Any) -> str:
    """Emit ``value`` where the mask is set, else ``x``."""
    return w.emit("Where", w.name(mask), w.name(value, x.spec), w.name(x))


@register_rule("FloorMod")
def _emit_floor_mod(w: Writer, node: Any, *args: Any) -> str:
    """Emit a FloorMod: Mod for integers, x - y * floor(x / y) for floats."""
    x, y = get_operand_names(w, node)
    if node.outputs[0].spec.dtype.kind != "f":
        return w.emit("Mod", x, y)
    floor = w.emit("Floor", w.emit("Div", x, y))
    return w.emit("Sub", x, w.emit("Mul", floor, y))


@register_rule("Cast")
def _emit_cast(w: Writer, node: Any, x: Any, dtype: Any) -> str:
    """Emit a cast to the dtype of the output."""
    return emit_cast(w, w.name(x), node.outputs[0].spec.dtype)


def emit_cast(w: Writer, name: str, dtype: Any) -> str:
    """Emit a Cast of the value ``name`` to ``dtype``."""
    return w.emit("Cast", name, to=TENSOR_TYPES[np.dtype(dtype).name])


# -- activations -----------------------------------------------------------------------------------


@register_rule("ReLU6")
def _emit_relu6(w: Writer, node: Any, x: Any) -> str:
    return w.emit("Clip", w.name(x), w.name(0, x.spec), w.name(6, x.spec))


@register_rule("SiLU")
def _emit_silu(w: Writer, node: Any, x: Any) -> str:
    return w.emit("Mul", w.name(x), w.emit("Sigmoid", w.name(x)))


@register_rule("Mish")
def _emit_mish(w: Writer, node: Any, x: Any) -> str:
    return w.emit("Mul", w.name(x), w.emit("Tanh", w.emit("Softplus", w.name(x))))


@register_rule("Elu", "CeLU")
def _emit_elu(w: Writer, node: Any, x: Any) -> str:
    """Emit Elu or Celu with its ``alpha``."""
    return w.emit(node.prim.name.capitalize(), w.name(x), alpha=float(node.prim.alpha))


@register_rule("GeLU")
def _emit_gelu(w: Writer, node: Any, x: Any) -> str:
    """Emit a GeLU by the tanh approximation."""
    # x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), the approximation that MindSpore computes
    cube = w.emit("Mul", w.emit("Mul", w.name(x), w.name(x)), w.name(x))
    inner = w.emit("Add", w.name(x), w.emit("Mul", cube, w.name(0.044715, x.spec)))
    tanh = w.emit("Tanh", w.emit("Mul", inner, w.name(math.sqrt(2 / math.pi), x.spec)))
    half = w.emit("Mul", w.name(x), w.name(0.5, x.spec))
    return w.emit("Mul", half, w.emit("Add", tanh, w.name(1, x.spec)))


@register_rule("PReLU")
def _emit_prelu(w: Writer, node: Any, x: Any, slope: Any) -> str:
    """Emit a PReLU, with the slope reshaped to vary along axis 1."""
    shape = (-1,) + (1,) * (x.spec.ndim - 2)
    return w.emit("PRelu", w.name(x), w.emit("Reshape", w.name(slope), w.ints(*shape)))


@register_rule("Softmax", "LogSoftmax")
def _emit_softmax(w: Writer, node: Any, x: Any) -> str:
    """Emit a Softmax or LogSoftmax; raise an export error for several axes."""
    axis = node.prim.axis
    axes = axis if isinstance(axis, tuple) else (axis,)
    if len(axes) != 1:
        raise make_export_error(node, "has several axes, and ONNX has one.")
    return w.emit(node.prim.name, w.name(x), axis=axes[0])


# -- products, convolutions, normalisations --------------------------------------------------------


@register_rule("MatMul")
def _emit_gemm(w: Writer, node: Any, a: Any, b: Any) -> str:
    """Emit a MatMul as Gemm, which has flags for transposed operands."""
    p = node.prim
    return w.emit(
        "Gemm", w.name(a), w.name(b), transA=int(p.transpose_a), transB=int(p.transpose_b)
    )


@register_rule("BatchMatMul")
def _emit_batch_matmul(w: Writer, node: Any, a: Any, b: Any) -> str:
    """Emit a BatchMatMul as MatMul, with a Transpose of each transposed operand."""
    a = _emit_transposed(w, a) if node.prim.transpose_a else w.name(a)
    b = _emit_transposed(w, b) if node.prim.transpose_b else w.name(b)
    return w.emit("MatMul", a, b)


@register_rule("WeightedSums")
def _emit_weighted_sums(w: Writer, node: Any, a: Any, b: Any) -> str:
    """Emit a WeightedSums, a product that skips weights of 0, as a MatMul."""
    names = [w.name(a), w.name(b)]
    if node.prim.transposed:
        position = node.prim.which  # of the weights
        names[position] = _emit_transposed(w, (a, b)[position])
    return w.emit("MatMul", *names)


def _emit_transposed(w: Writer, x: Any) -> str:
    """Emit a Transpose of the last two axes."""
    *batch, row, column = range(x.spec.ndim)
    return w.emit("Transpose", w.name(x), perm=(*batch, column, row))


@register_rule("Einsum")
def _emit_einsum(w: Writer, node: Any, *xs: Any) -> str:
    return w.emit("Einsum", *map(w.name, xs), equation=node.prim.equation)


@register_rule("BiasAdd")
def _emit_bias_add(w: Writer, node: Any, x: Any, bias: Any) -> str:
    """Emit an Add of the bias, reshaped to vary along axis 1 unless channels are last."""
    if x.spec.ndim == 2 or node.prim.data_format == "NHWC":
        return w.emit("Add", w.name(x), w.name(bias))
    shape = (1, -1) + (1,) * (x.spec.ndim - 2)
    return w.emit("Add", w.name(x), w.emit("Reshape", w.name(bias), w.ints(*shape)))


def _compute_pads(prim: Any, size: tuple[int, ...]) -> tuple[int, ...]:
    """Return ONNX's pads of the window over an input of this size: all begins, then all ends."""
    window = prim.make_window(size)
    high = [padded - n - low for padded, n, low in zip(window.padded, window.size, window.low)]
    return (*[int(n) for n in window.low], *[int(n) for n in high])


@register_rule("Conv2D", "Conv3D")
def _emit_conv(w: Writer, node: Any, x: Any, weight: Any) -> str:
    """Emit a Conv with the pads of this input size."""
    p = node.prim
    return w.emit(
        "Conv", w.name(x), w.name(weight), kernel_shape=p.kernel_size, strides=p.stride,
        dilations=p.dilation, group=p.group, pads=_compute_pads(p, x.spec.shape[2:]),
    )  # fmt: skip


@register_rule("Conv2DTranspose")
def _emit_conv_transpose(w: Writer, node: Any, x: Any, weight: Any, size: Any) -> str:
    """Emit a ConvTranspose; output_padding extends its output to ``size``.

    The output of ONNX's op has the length (n - 1) * stride + (k - 1) * dilation + 1 - pads.
    """
    p = node.prim
    pads = _compute_pads(p, size[2:])
    unpadded_size = [
        (n - 1) * s + (k - 1) * d + 1
        for n, s, k, d in zip(x.spec.shape[2:], p.stride, p.kernel_size, p.dilation)
    ]
    output_padding = [
        n - (full - low - high)
        for n, full, low, high in zip(size[2:], unpadded_size, pads[:2], pads[2:])
    ]
    return w.emit(
        "ConvTranspose", w.name(x), w.name(weight), kernel_shape=p.kernel_size, strides=p.stride,
        dilations=p.dilation, group=p.group, pads=pads, output_padding=output_padding,
    )  # fmt: skip


@register_rule("BatchNormInfer")
def _emit_batch_norm(w: Writer, node: Any, *args: Any) -> str:
    """Emit a BatchNormalization; raise an export error unless the layout is NCHW."""
    if node.prim.data_format != "NCHW":
        raise make_export_error(node, "must have its channels second for ONNX.")
    return w.emit("BatchNormalization", *map(w.name, args), epsilon=float(node.prim.epsilon))


@register_rule("LayerNorm")
def _emit_layer_norm(w: Writer, node: Any, x: Any, gamma: Any, beta: Any) -> list[str]:
    """Emit a LayerNormalization.

    Raises:
        RuntimeError: the axes of the parameters are not the normalised ones.
    """
    p, ndim = node.prim, x.spec.ndim
    if p.begin_norm_axis % ndim != p.begin_params_axis % ndim:
        raise make_export_error(node, "must normalise the axes that its parameters have, for ONNX.")
    axis = p.begin_norm_axis % ndim
    output = w.emit(
        "LayerNormalization",
        w.name(x),
        w.name(gamma),
        w.name(beta),
        axis=axis,
        epsilon=float(p.epsilon),
    )
    return [output]


@register_rule("MaxPool", "AvgPool")
def _emit_pool(w: Writer, node: Any, x: Any) -> str:
    """Emit MaxPool or AveragePool.

    Raises:
        RuntimeError: ONNX lacks an option of AvgPool.
    """
    p = node.prim
    pads = _compute_pads(p, x.spec.shape[2:])
    attributes = {"kernel_shape": p.kernel_size, "strides": p.strides, "pads": pads}
    if p.name == "MaxPool":
        return w.emit("MaxPool", w.name(x), **attributes, dilations=p.dilation)
    if p.divisor_override is not None or any(d != 1 for d in p.dilation) or p.ceil_mode:
        raise make_export_error(
            node, "has no counterpart in ONNX with divisor_override, dilation, ceil_mode."
        )
    counts_padding = p.count_include_pad and p.pad_mode == "pad"
    return w.emit("AveragePool", w.name(x), **attributes, count_include_pad=int(counts_padding))


__all__ = ["RULES", "Writer", "emit_cast", "register_rule"]
