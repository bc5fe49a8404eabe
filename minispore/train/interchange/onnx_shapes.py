"""Rules that write shape and selection ops in ONNX: reshapes, slices, reductions, lookups.

They join the rules of :mod:`minispore.train.interchange.onnx_ops`, which describes a rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.train.interchange.inference import make_export_error
from minispore.train.interchange.onnx_ops import RULES, Writer, emit_cast, register_rule
from minispore.train.interchange.open_axes import PAST_END


@register_rule("Reshape", "Flatten", "ExpandDims", "Squeeze")
def _emit_reshape(w: Writer, node: Any, x: Any, *args: Any) -> str:
    """Emit a Reshape to the output's shape, in which one axis may be open; raise an export error
    for several.
    """
    shape = w.shape(node.outputs[0])
    if shape.count(-1) > 1:
        raise make_export_error(node, "has several axes of open length, and ONNX can say one.")
    return w.emit("Reshape", w.name(x), w.ints(*shape))


@register_rule("Transpose")
def _emit_transpose(w: Writer, node: Any, x: Any, perm: Any) -> str:
    """Emit a Transpose; negative axes count from the end."""
    return w.emit("Transpose", w.name(x), perm=[p % x.spec.ndim for p in perm])


@register_rule("BroadcastTo")
def _emit_expand(w: Writer, node: Any, x: Any, *args: Any) -> str:
    """Emit a BroadcastTo as Expand; an axis of -1 keeps the input's length."""
    shape = [
        n if declared != -1 else 1
        for n, declared in zip(node.outputs[0].spec.shape, node.prim.shape)
    ]
    return w.emit("Expand", w.name(x), w.ints(*shape))


@register_rule("Tile")
def _emit_tile(w: Writer, node: Any, x: Any, multiples: Any) -> str:
    """Emit a Tile with one factor per axis; axes that x lacks are prepended."""
    new_axes = len(multiples) - x.spec.ndim
    name = w.name(x)
    if new_axes > 0:
        name = w.emit("Reshape", name, w.ints(*(1,) * new_axes, *x.spec.shape))
    return w.emit("Tile", name, w.ints(*(1,) * -new_axes, *multiples))


@register_rule("Concat")
def _emit_concat(w: Writer, node: Any, *xs: Any) -> str:
    return w.emit("Concat", *map(w.name, xs), axis=node.prim.axis)


@register_rule("Stack")
def _emit_stack(w: Writer, node: Any, *xs: Any) -> str:
    """Emit a Stack as Unsqueeze of each input and Concat."""
    axis = node.prim.axis % node.outputs[0].spec.ndim
    rows = [w.emit("Unsqueeze", w.name(x), w.ints(axis)) for x in xs]
    return w.emit("Concat", *rows, axis=axis)


@register_rule("Split", "SplitV", "Unstack")
def _emit_split(w: Writer, node: Any, x: Any) -> list[str]:
    """Emit a Split with the sizes of the outputs; an Unstack also squeezes each output."""
    p, count = node.prim, len(node.outputs)
    axis = (p.split_dim if p.name == "SplitV" else p.axis) % x.spec.ndim
    if p.name == "Unstack":
        sizes = (1,) * count
    else:
        sizes = tuple(o.spec.shape[axis] for o in node.outputs)
    outputs = w.emit("Split", w.name(x), w.ints(*sizes), outputs=count, axis=axis)
    outputs = [outputs] if count == 1 else outputs
    if p.name == "Unstack":
        return [w.emit("Squeeze", name, w.ints(axis)) for name in outputs]
    return outputs


@register_rule("StridedSlice")
def _emit_strided_slice(w: Writer, node: Any, x: Any, begin: Any, end: Any, strides: Any) -> str:
    """Emit a Slice; masked begins and ends become the int64 limits."""
    p = node.prim
    int64 = np.iinfo(np.int64)
    starts, ends = list(begin), list(end)
    for i, step in enumerate(strides):
        if p.begin_mask >> i & 1:
            starts[i] = 0 if step > 0 else int64.max
        if p.end_mask >> i & 1:
            ends[i] = int64.max if step > 0 else int64.min
    return w.emit(
        "Slice", w.name(x), w.ints(*starts), w.ints(*ends), w.ints(*range(len(starts))),
        w.ints(*strides),
    )  # fmt: skip


@register_rule("ReverseV2")
def _emit_reverse(w: Writer, node: Any, x: Any) -> str:
    """Emit a ReverseV2 as a Slice with steps of -1."""
    axes = _normalize_axes(node.prim.axis, x.spec.ndim)
    minus_ones = w.ints(*(-1,) * len(axes))
    return w.emit(
        "Slice",
        w.name(x),
        minus_ones,
        w.ints(*(np.iinfo(np.int64).min,) * len(axes)),
        w.ints(*axes),
        minus_ones,
    )


@register_rule("Triu", "Tril")
def _emit_triangle(w: Writer, node: Any, x: Any) -> str:
    """Emit a Triu or Tril as Trilu."""
    upper = int(node.prim.name == "Triu")
    return w.emit("Trilu", w.name(x), w.name(node.prim.diagonal), upper=upper)


@register_rule("Slice")
def _emit_slice(w: Writer, node: Any, x: Any, begin: Any, size: Any) -> str:
    """Emit a Slice; along an open axis it ends beyond any length."""
    ends = [PAST_END if n == -1 else b + n for b, n in zip(begin, w.shape(node.outputs[0]))]
    return w.emit("Slice", w.name(x), w.ints(*begin), w.ints(*ends), w.ints(*range(len(begin))))


@register_rule("Pad")
def _emit_pad(w: Writer, node: Any, x: Any) -> str:
    """Emit a pad with zeros."""
    return _emit_constant_pad(w, x, node.prim.paddings, 0)


@register_rule("PadConstant")
def _emit_pad_constant(w: Writer, node: Any, x: Any, value: Any) -> str:
    return _emit_constant_pad(w, x, node.prim.pairs, value)


def _emit_constant_pad(w: Writer, x: Any, pairs: Any, value: Any) -> str:
    """Emit a Pad with a constant; ``pairs`` has the lengths before and after each axis."""
    pads = [*[before for before, _ in pairs], *[after for _, after in pairs]]
    return w.emit("Pad", w.name(x), w.ints(*pads), w.name(value, x.spec), mode="constant")


@register_rule("DepthToSpace")
def _emit_depth_to_space(w: Writer, node: Any, x: Any) -> str:
    return w.emit("DepthToSpace", w.name(x), blocksize=node.prim.block_size, mode="DCR")


@register_rule("SpaceToDepth")
def _emit_space_to_depth(w: Writer, node: Any, x: Any) -> str:
    return w.emit("SpaceToDepth", w.name(x), blocksize=node.prim.block_size)


# -- reductions and choices ------------------------------------------------------------------------


def _normalize_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return axes as a tuple of nonnegative ints; None and () mean all."""
    if axis is None or axis == ():
        return tuple(range(ndim))
    return tuple(a % ndim for a in (axis if isinstance(axis, tuple | list) else (axis,)))


@register_rule("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd")
def _emit_reduction(w: Writer, node: Any, x: Any, axis: Any = ()) -> str:
    """Emit the reduction of the same name; an Identity if there are no axes."""
    axes = _normalize_axes(axis, x.spec.ndim)
    if not axes:
        return w.emit("Identity", w.name(x))
    return w.emit(node.prim.name, w.name(x), axes=axes, keepdims=int(node.prim.keep_dims))


@register_rule("ReduceSum")
def _emit_reduce_sum(w: Writer, node: Any, x: Any, axis: Any = ()) -> str:
    """Emit a ReduceSum; an Identity if there are no axes, or if the axes are () with
    ``skip_mode``.
    """
    axes = _normalize_axes(axis, x.spec.ndim)
    if not axes or (axis == () and node.prim.skip_mode):
        return w.emit("Identity", w.name(x))
    return w.emit("ReduceSum", w.name(x), w.ints(*axes), keepdims=int(node.prim.keep_dims))


@register_rule("ReduceAll", "ReduceAny")
def _emit_bool_reduction(w: Writer, node: Any, x: Any, axis: Any = ()) -> str:
    """Emit a ReduceAll or ReduceAny as an integer minimum or maximum."""
    op = "ReduceMin" if node.prim.name == "ReduceAll" else "ReduceMax"
    axes, keep = _normalize_axes(axis, x.spec.ndim), int(node.prim.keep_dims)
    return emit_cast(
        w, w.emit(op, emit_cast(w, w.name(x), np.int32), axes=axes, keepdims=keep), np.bool_
    )


@register_rule("Argmax", "Argmin")
def _emit_arg_extremum(w: Writer, node: Any, x: Any) -> str:
    """Emit an Argmax or Argmin, cast to the output's dtype."""
    op = "ArgMax" if node.prim.name == "Argmax" else "ArgMin"
    indices = w.emit(op, w.name(x), axis=node.prim.axis, keepdims=0)
    return emit_cast(w, indices, node.outputs[0].spec.dtype)


@register_rule("ArgMaxWithValue", "ArgMinWithValue")
def _emit_arg_with_value(w: Writer, node: Any, x: Any) -> list[str]:
    """Emit an ArgMaxWithValue or ArgMinWithValue: the index, then the value."""
    extremum = "Max" if node.prim.name == "ArgMaxWithValue" else "Min"
    axis, keep = node.prim.axis, int(node.prim.keep_dims)
    indices = w.emit(f"Arg{extremum}", w.name(x), axis=axis, keepdims=keep)
    value = w.emit(f"Reduce{extremum}", w.name(x), axes=[axis], keepdims=keep)
    return [emit_cast(w, indices, node.outputs[0].spec.dtype), value]


@register_rule("TopK")
def _emit_top_k(w: Writer, node: Any, x: Any, k: Any) -> list[str]:
    """Emit a TopK; if it is unsorted and covers all elements, emit the input itself and its
    indices.
    """
    spec = node.outputs[1].spec
    if not node.prim.sorted and int(k) == x.spec.shape[-1]:
        positions = np.broadcast_to(np.arange(int(k), dtype=spec.dtype), spec.shape)
        return [w.emit("Identity", w.name(x)), w.constant(np.ascontiguousarray(positions))]
    # Unless sorted, any order is valid.
    values, indices = w.emit("TopK", w.name(x), w.ints(int(k)), outputs=2)
    return [values, emit_cast(w, indices, spec.dtype)]


@register_rule("CumSum")
def _emit_cumsum(w: Writer, node: Any, x: Any, axis: Any) -> str:
    """Emit a cumulative sum along an axis."""
    p = node.prim
    return w.emit(
        "CumSum", w.name(x), w.name(axis), exclusive=int(p.exclusive), reverse=int(p.reverse)
    )


@register_rule("Gather")
def _emit_gather(w: Writer, node: Any, x: Any, indices: Any, axis: Any) -> str:
    """Emit a Gather; with batch_dims, emit a GatherND between transposes.

    x (*batch, *between, axis, *trailing), indices (*batch, *index)
    -> (*batch, *between, *index, *trailing)

    Raises:
        RuntimeError: the axis is a tensor.
    """
    if not isinstance(axis, int):
        raise make_export_error(node, "has no counterpart in ONNX with an axis in a tensor.")
    batch_dims, axis = node.prim.batch_dims, axis % x.spec.ndim
    if not batch_dims:
        return w.emit("Gather", w.name(x), w.name(indices), axis=axis)
    batch_dims %= indices.spec.ndim
    batch, between = list(range(batch_dims)), list(range(batch_dims, axis))
    trailing = list(range(axis + 1, x.spec.ndim))
    rows = w.emit("Transpose", w.name(x), perm=[*batch, axis, *between, *trailing])
    positions = w.emit("Unsqueeze", emit_cast(w, w.name(indices), np.int64), w.ints(-1))
    # (*batch, *index, *between, *trailing)
    elements = w.emit("GatherND", rows, positions, batch_dims=batch_dims)
    index_axes = list(range(batch_dims, indices.spec.ndim))
    between = [i + len(index_axes) for i in between]
    trailing = list(range(indices.spec.ndim + len(between), node.outputs[0].spec.ndim))
    return w.emit("Transpose", elements, perm=[*batch, *between, *index_axes, *trailing])


@register_rule("GatherD")
def _emit_gather_elements(w: Writer, node: Any, x: Any, dim: Any, index: Any) -> str:
    return w.emit("GatherElements", w.name(x), w.name(index), axis=dim)


@register_rule("GatherNd")
def _emit_gather_nd(w: Writer, node: Any, x: Any, indices: Any) -> str:
    return w.emit("GatherND", w.name(x), emit_cast(w, w.name(indices), np.int64))


@register_rule("TensorScatterUpdate")
def _emit_scatter_update(w: Writer, node: Any, x: Any, indices: Any, updates: Any) -> str:
    """Emit ScatterND that replaces the elements."""
    return w.emit("ScatterND", w.name(x), emit_cast(w, w.name(indices), np.int64), w.name(updates))


@register_rule("Roll")
def _emit_roll(w: Writer, node: Any, x: Any) -> str:
    """Emit a Roll: split each axis at its shift and swap the two parts."""
    p = node.prim
    shape, output = x.spec.shape, w.name(x)
    if p.dims is None:
        shape, output = (x.spec.size,), w.emit("Reshape", output, w.ints(-1))
    for shift, axis in zip(p.shifts, p.dims or (0,), strict=True):
        split = -shift % shape[axis] if shape[axis] else 0
        if split:
            cut, axes = w.ints(split), w.ints(axis)
            tail = w.emit("Slice", output, cut, w.ints(shape[axis]), axes)
            head = w.emit("Slice", output, w.ints(0), cut, axes)
            output = w.emit("Concat", tail, head, axis=axis)
    return output if p.dims is not None else w.emit("Reshape", output, w.ints(*x.spec.shape))


@register_rule("OneHot")
def _emit_one_hot(
    w: Writer, node: Any, indices: Any, depth: Any, on_value: Any, off_value: Any
) -> str:
    """Emit a OneHot in which negative indices, like those past the end, give only off values."""
    spec = node.outputs[0].spec
    scalars = [w.emit("Reshape", w.name(v, spec), w.ints(1)) for v in (off_value, on_value)]
    values = w.emit("Concat", *scalars, axis=0)
    # Onnxruntime has a kernel only for int64 indices.
    positions = emit_cast(w, w.name(indices), np.int64)
    # ONNX counts negative indices from the end; an index past the end gives zeros, as in minispore.
    positions = w.emit("Where", w.emit("Less", positions, w.name(0)), w.name(depth), positions)
    return w.emit("OneHot", positions, w.name(depth), values, axis=node.prim.axis)


@register_rule("Sort")
def _emit_sort(w: Writer, node: Any, x: Any) -> list[str]:
    """Emit a Sort as a TopK of all elements along the axis."""
    p, axis = node.prim, node.prim.axis % x.spec.ndim
    values, indices = w.emit(
        "TopK",
        w.name(x),
        w.ints(x.spec.shape[axis]),
        outputs=2,
        axis=axis,
        largest=int(p.descending),
    )
    return [values, emit_cast(w, indices, node.outputs[1].spec.dtype)]


__all__ = ["RULES"]
