"""Rules that write an op as several ops of ONNX, or as one with different arguments.

They join the rules of :mod:`minispore.train.interchange.onnx_ops`, which describes a rule.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.ops.shape.pad import compute_source_indices
from minispore.train.interchange.onnx_ops import Writer, emit_cast, get_operand_names, register_rule
from minispore.train.interchange.onnx_shapes import RULES


def _emit_full(w: Writer, number: Any, dtype: Any, shape: str) -> str:
    """Emit a tensor filled with one number; ``shape`` names the value that holds its shape."""
    return w.emit("Expand", w.constant(np.array(number, dtype)), shape)


# -- elementwise -----------------------------------------------------------------------------------


@register_rule("OnesLike", "ZerosLike")
def _emit_full_like(w: Writer, node: Any, x: Any) -> str:
    """Emit ZerosLike or OnesLike as a constant that is expanded to the input's shape."""
    number = int(node.prim.name == "OnesLike")
    return _emit_full(w, number, x.spec.dtype, w.emit("Shape", w.name(x)))


@register_rule("ClampMin", "ClampMax")
def _emit_clamp(w: Writer, node: Any, *args: Any) -> str:
    """Emit ClampMin as Max, and ClampMax as Min."""
    extremum = "Max" if node.prim.name == "ClampMin" else "Min"
    return w.emit(extremum, *get_operand_names(w, node))


@register_rule("Fmax", "Fmin")
def _emit_extremum_of_numbers(w: Writer, node: Any, *args: Any) -> str:
    """Emit an Fmax or Fmin: the extremum, or the other operand where one is NaN."""
    x, y = get_operand_names(w, node)
    extremum = w.emit(node.prim.name[1:].capitalize(), x, y)
    if node.outputs[0].spec.dtype.kind != "f":
        return extremum
    extremum = w.emit("Where", w.emit("IsNaN", y), x, extremum)
    return w.emit("Where", w.emit("IsNaN", x), y, extremum)


@register_rule("IsFinite")
def _emit_is_finite(w: Writer, node: Any, x: Any) -> str:
    """Emit an IsFinite: x - x is 0, and NaN where x is infinite or NaN."""
    return w.emit("Equal", w.emit("Sub", w.name(x), w.name(x)), w.name(0, x.spec))


@register_rule("NanToNum")
def _emit_nan_to_num(w: Writer, node: Any, x: Any) -> str:
    """Emit a NanToNum: replace NaN and infinities, by default with 0 and the dtype's limits."""
    p, limits = node.prim, np.finfo(x.spec.dtype)
    largest = limits.max if p.posinf is None else p.posinf
    smallest = limits.min if p.neginf is None else p.neginf
    is_nan, is_infinite = w.emit("IsNaN", w.name(x)), w.emit("IsInf", w.name(x))
    is_negative = w.emit("Less", w.name(x), w.name(0, x.spec))
    bound = w.emit("Where", is_negative, w.name(smallest, x.spec), w.name(largest, x.spec))
    output = w.emit("Where", is_infinite, bound, w.name(x))
    return w.emit("Where", is_nan, w.name(p.nan or 0, x.spec), output)


@register_rule("Round")
def _emit_round(w: Writer, node: Any, x: Any, decimals: int = 0) -> str:
    """Emit a Round (an Identity for ints); with decimals, between a multiplication by
    10**decimals and a division by it.
    """
    if x.spec.dtype.kind != "f":
        return w.emit("Identity", w.name(x))
    if decimals == 0:
        return w.emit("Round", w.name(x))
    scale = w.name(10.0 ** abs(decimals), x.spec)
    scale_op, unscale_op = ("Mul", "Div") if decimals > 0 else ("Div", "Mul")
    return w.emit(unscale_op, w.emit("Round", w.emit(scale_op, w.name(x), scale)), scale)


@register_rule("Trunc")
def _emit_trunc(w: Writer, node: Any, x: Any) -> str:
    """Emit a Trunc as sign(x) * floor(abs(x)); integers are unchanged."""
    if x.spec.dtype.kind != "f":
        return w.emit("Identity", w.name(x))
    magnitude = w.emit("Floor", w.emit("Abs", w.name(x)))
    return w.emit("Mul", w.emit("Sign", w.name(x)), magnitude)


@register_rule("Mod", "TruncateMod")
def _emit_truncated_mod(w: Writer, node: Any, *args: Any) -> str:
    """Emit a remainder with the sign of the dividend, as in C's ``fmod``."""
    return w.emit("Mod", *get_operand_names(w, node), fmod=1)


@register_rule("Addcmul", "Addcdiv")
def _emit_weighted_sum(w: Writer, node: Any, x: Any, y: Any, z: Any, value: Any) -> str:
    """Emit x + value * y * z, or x + value * y / z."""
    x, y, z, value = get_operand_names(w, node)
    op = "Mul" if node.prim.name == "Addcmul" else "Div"
    return w.emit("Add", x, w.emit(op, w.emit("Mul", y, value), z))


@register_rule("Lerp")
def _emit_lerp(w: Writer, node: Any, *args: Any) -> str:
    """Emit ``start + (end - start) * weight``."""
    start, end, weight = get_operand_names(w, node)
    return w.emit("Add", start, w.emit("Mul", w.emit("Sub", end, start), weight))


@register_rule("Atan2")
def _emit_atan2(w: Writer, node: Any, *args: Any) -> str:
    """Emit an Atan2: the arctangent of y / x, shifted by half a turn where x is negative."""
    y, x = get_operand_names(w, node)
    spec = node.outputs[0].spec
    zero = w.name(0, spec)
    is_origin = w.emit("And", w.emit("Equal", x, zero), w.emit("Equal", y, zero))
    angle = w.emit("Atan", w.emit("Div", y, w.emit("Where", is_origin, w.name(1, spec), x)))
    half_turn = w.emit(
        "Where", w.emit("Less", y, zero), w.name(-math.pi, spec), w.name(math.pi, spec)
    )
    return w.emit("Where", w.emit("Less", x, zero), w.emit("Add", angle, half_turn), angle)


@register_rule("HShrink", "SoftShrink")
def _emit_shrink(w: Writer, node: Any, x: Any) -> str:
    """Emit SoftShrink or HShrink as ONNX's Shrink, whose bias tells them apart."""
    lambd = float(node.prim.lambd)
    return w.emit("Shrink", w.name(x), lambd=lambd, bias=lambd if node.prim.name[0] == "S" else 0.0)


@register_rule("FastGeLU")
def _emit_fast_gelu(w: Writer, node: Any, x: Any) -> str:
    """Emit ``x * sigmoid(1.702 * x)``."""
    return w.emit(
        "Mul", w.name(x), w.emit("Sigmoid", w.emit("Mul", w.name(x), w.name(1.702, x.spec)))
    )


# -- sums and scans --------------------------------------------------------------------------------


@register_rule("PNorm")
def _emit_norm(w: Writer, node: Any, x: Any) -> str:
    """Emit a PNorm by an ONNX reduction, or from powers of magnitudes."""
    p, axes, keep = node.prim.p, node.prim.axes, int(node.prim.keep_dims)
    if p in (1, 2):
        return w.emit(f"ReduceL{int(p)}", w.name(x), axes=axes, keepdims=keep)
    magnitude = w.emit("Abs", w.name(x))
    if p == math.inf:
        return w.emit("ReduceMax", magnitude, axes=axes, keepdims=keep)
    if p == 0:
        is_nonzero = emit_cast(w, w.emit("Greater", magnitude, w.name(0, x.spec)), x.spec.dtype)
        return w.emit("ReduceSum", is_nonzero, w.ints(*axes), keepdims=keep)
    powers = w.emit("Pow", magnitude, w.name(p, x.spec))
    total = w.emit("ReduceSum", powers, w.ints(*axes), keepdims=keep)
    return w.emit("Pow", total, w.name(1 / p, x.spec))


@register_rule("CumProd")
def _emit_cumprod(w: Writer, node: Any, x: Any, axis: int) -> str:
    """Emit a CumProd by doubling: each step multiplies by the products 1, 2, 4, ... positions
    away.
    """
    axis, output = axis % x.spec.ndim, w.name(x)
    length = x.spec.shape[axis]

    def emit_shifted(name: str, distance: int) -> str:
        """Emit ``name`` shifted along the axis by ``distance`` and filled up with ones."""
        pads = [0] * (2 * x.spec.ndim)  # the padding before each axis, then that after
        pads[axis + x.spec.ndim * int(node.prim.reverse)] = distance
        begin, end = (distance, length) if node.prim.reverse else (0, -distance)
        remaining = w.emit("Slice", name, w.ints(begin), w.ints(end), w.ints(axis))
        return w.emit("Pad", remaining, w.ints(*pads), w.name(1, x.spec), mode="constant")

    if node.prim.exclusive:
        output = emit_shifted(output, 1)
    distance = 1
    while distance < length:
        output = w.emit("Mul", output, emit_shifted(output, distance))
        distance *= 2
    return output


@register_rule("ChannelWindowSum")
def _emit_channel_window_sum(w: Writer, node: Any, x: Any) -> str:
    """Emit a ChannelWindowSum as a product with a matrix of ones around the diagonal."""
    channels = np.arange(x.spec.shape[1])
    is_near = np.abs(channels[:, None] - channels) <= node.prim.radius
    columns = w.emit("Reshape", w.name(x), w.ints(0, len(channels), -1))
    sums = w.emit("MatMul", w.constant(is_near.astype(x.spec.dtype)), columns)
    return w.emit("Reshape", sums, w.emit("Shape", w.name(x)))


# -- scatters, permutations, diagonals -------------------------------------------------------------


@register_rule("TensorScatterAdd")
def _emit_scatter_add(w: Writer, node: Any, x: Any, indices: Any, updates: Any) -> str:
    """Emit ScatterND that adds the updates."""
    positions = emit_cast(w, w.name(indices), np.int64)
    return w.emit("ScatterND", w.name(x), positions, w.name(updates), reduction="add")


@register_rule("ScatterNd")
def _emit_scatter_nd(w: Writer, node: Any, indices: Any, updates: Any, shape: Any) -> str:
    """Emit a ScatterNd as ScatterND that adds to zeros."""
    zeros = _emit_full(w, 0, updates.spec.dtype, w.ints(*node.outputs[0].spec.shape))
    positions = emit_cast(w, w.name(indices), np.int64)
    return w.emit("ScatterND", zeros, positions, w.name(updates), reduction="add")


@register_rule("UnsortedSegmentSum")
def _emit_segment_sum(w: Writer, node: Any, x: Any, ids: Any, count: int) -> str:
    """Emit an UnsortedSegmentSum; rows with a negative id are summed into an extra row, which is
    cut off.
    """
    row_shape = node.outputs[0].spec.shape[1:]
    rows = _emit_full(w, 0, x.spec.dtype, w.ints(count + 1, *row_shape))
    positions = emit_cast(w, w.name(ids), np.int64)
    positions = w.emit("Where", w.emit("Less", positions, w.name(0)), w.name(count), positions)
    positions = w.emit("Unsqueeze", positions, w.ints(-1))
    sums = w.emit("ScatterND", rows, positions, w.name(x), reduction="add")
    return w.emit("Slice", sums, w.ints(0), w.ints(count), w.ints(0))


@register_rule("Meshgrid")
def _emit_meshgrid(w: Writer, node: Any, *xs: Any) -> list[str]:
    """Emit a Meshgrid: each vector along its axis, expanded to the lengths of all."""
    order = node.prim._get_axis_order(len(xs))
    vectors = [xs[order.index(axis)] for axis in range(len(xs))]
    lengths = [w.emit("Reshape", w.emit("Size", w.name(x)), w.ints(1)) for x in vectors]
    shape = w.emit("Concat", *lengths, axis=0)
    outputs = []
    for x, axis in zip(xs, order, strict=True):
        vector_shape = w.ints(*(-1 if i == axis else 1 for i in range(len(xs))))
        outputs.append(w.emit("Expand", w.emit("Reshape", w.name(x), vector_shape), shape))
    return outputs


@register_rule("ReverseSequence")
def _emit_reverse_sequence(w: Writer, node: Any, x: Any, lengths: Any) -> str:
    """Emit a ReverseSequence between transposes: ONNX's axes are the first two."""
    batch, seq = (axis % x.spec.ndim for axis in (node.prim.batch_dim, node.prim.seq_dim))
    perm = [batch, seq, *(i for i in range(x.spec.ndim) if i not in (batch, seq))]
    rows = w.emit("Transpose", w.name(x), perm=perm)
    counts = emit_cast(w, w.name(lengths), np.int64)
    rows = w.emit("ReverseSequence", rows, counts, batch_axis=0, time_axis=1)
    return w.emit("Transpose", rows, perm=np.argsort(perm).tolist())


@register_rule("PadByIndex")
def _emit_pad_by_index(w: Writer, node: Any, x: Any) -> str:
    """Emit a PadByIndex as a Gather of its source indices along each padded axis."""
    output = w.name(x)
    for axis, pair in enumerate(node.prim.pairs):
        if any(pair):
            indices = compute_source_indices(x.spec.shape[axis], pair, node.prim.mode)
            output = w.emit("Gather", output, w.ints(*indices.tolist()), axis=axis)
    return output


@register_rule("Diag")
def _emit_diag(w: Writer, node: Any, x: Any) -> str:
    """Emit a Diag: the elements of x on the diagonal, zeros elsewhere."""
    shape = node.outputs[0].spec.shape
    is_diagonal = w.constant(np.eye(x.spec.size, dtype=np.bool_))
    rows = w.emit("Where", is_diagonal, w.emit("Reshape", w.name(x), w.ints(-1)), w.name(0, x.spec))
    return w.emit("Reshape", rows, w.ints(*shape))


@register_rule("Diagonal")
def _emit_diagonal(w: Writer, node: Any, x: Any) -> str:
    """Emit a Diagonal: the elements on the diagonal of two axes, transposed to the end."""
    p, ndim = node.prim, x.spec.ndim
    axes = (p.dim1 % ndim, p.dim2 % ndim)
    batch = [i for i in range(ndim) if i not in axes]
    matrices = w.emit("Transpose", w.name(x), perm=[*batch, *axes])
    return _emit_diagonal_of_matrices(w, matrices, x.spec.shape, axes, p.offset)


@register_rule("Trace")
def _emit_trace(w: Writer, node: Any, x: Any) -> str:
    """Emit the sum of a matrix's diagonal."""
    diagonal = _emit_diagonal_of_matrices(w, w.name(x), x.spec.shape, (0, 1), 0)
    return w.emit("ReduceSum", diagonal, w.ints(0), keepdims=0)


def _emit_diagonal_of_matrices(
    w: Writer, matrices: str, shape: tuple[int, ...], axes: tuple[int, int], offset: int
) -> str:
    """Emit the diagonal of ``matrices``, whose last two axes are the ``axes`` of ``shape``."""
    batch_shape = [n for i, n in enumerate(shape) if i not in axes]
    rows, columns = (shape[axis] for axis in axes)
    positions = np.arange(rows * columns).reshape(rows, columns).diagonal(offset)
    elements = w.emit("Reshape", matrices, w.ints(*batch_shape, rows * columns))
    return w.emit("Gather", elements, w.ints(*positions.tolist()), axis=len(batch_shape))


__all__ = ["RULES"]
