"""How ops of shape and choice are said in ONNX: reshapes, slices, reductions, lookups.

The rules join those of :mod:`minispore.train.interchange.onnx_ops`, which says what a rule is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.train.interchange.inference import refuse
from minispore.train.interchange.onnx_ops import RULES, as_type, on
from minispore.train.interchange.open_axes import FAR


@on("Reshape", "Flatten", "ExpandDims", "Squeeze")
def _reshape(w: Any, node: Any, x: Any, *args: Any) -> str:
    shape = w.shape(node.outputs[0])
    if shape.count(-1) > 1:
        raise refuse(node, "has several axes of open length, and ONNX can say one.")
    return w.emit("Reshape", w(x), w.ints(*shape))


@on("Transpose")
def _transpose(w: Any, node: Any, x: Any, perm: Any) -> str:
    return w.emit("Transpose", w(x), perm=[p % x.spec.ndim for p in perm])


@on("BroadcastTo")
def _broadcast(w: Any, node: Any, x: Any, *args: Any) -> str:
    kept = [
        n if open_ != -1 else 1 for n, open_ in zip(node.outputs[0].spec.shape, node.prim.shape)
    ]
    return w.emit("Expand", w(x), w.ints(*kept))


@on("Tile")
def _tile(w: Any, node: Any, x: Any, multiples: Any) -> str:
    lead = len(multiples) - x.spec.ndim
    name = w(x)
    if lead > 0:
        name = w.emit("Reshape", name, w.ints(*(1,) * lead, *x.spec.shape))
    return w.emit("Tile", name, w.ints(*(1,) * -lead, *multiples))


@on("Concat")
def _concat(w: Any, node: Any, *xs: Any) -> str:
    return w.emit("Concat", *map(w, xs), axis=node.prim.axis)


@on("Stack")
def _stack(w: Any, node: Any, *xs: Any) -> str:
    axis = node.prim.axis % node.outputs[0].spec.ndim
    rows = [w.emit("Unsqueeze", w(x), w.ints(axis)) for x in xs]
    return w.emit("Concat", *rows, axis=axis)


@on("Split", "SplitV", "Unstack")
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


@on("StridedSlice")
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


@on("ReverseV2")
def _reversed(w: Any, node: Any, x: Any) -> str:
    axes = _axes(node.prim.axis, x.spec.ndim)
    back = w.ints(*(-1,) * len(axes))
    return w.emit(
        "Slice", w(x), back, w.ints(*(np.iinfo(np.int64).min,) * len(axes)), w.ints(*axes), back
    )


@on("Triu", "Tril")
def _triangle(w: Any, node: Any, x: Any) -> str:
    upper = int(node.prim.name == "Triu")
    return w.emit("Trilu", w(x), w(node.prim.diagonal), upper=upper)


@on("Slice")
def _slice(w: Any, node: Any, x: Any, begin: Any, size: Any) -> str:
    ends = [FAR if n == -1 else b + n for b, n in zip(begin, w.shape(node.outputs[0]))]
    return w.emit("Slice", w(x), w.ints(*begin), w.ints(*ends), w.ints(*range(len(begin))))


@on("Pad")
def _pad(w: Any, node: Any, x: Any) -> str:
    return _padded(w, x, node.prim.paddings, 0)


@on("PadConstant")
def _pad_constant(w: Any, node: Any, x: Any, value: Any) -> str:
    return _padded(w, x, node.prim.pairs, value)


def _padded(w: Any, x: Any, pairs: Any, value: Any) -> str:
    around = [*[a for a, _ in pairs], *[b for _, b in pairs]]
    return w.emit("Pad", w(x), w.ints(*around), w(value, x.spec), mode="constant")


@on("DepthToSpace")
def _depth_to_space(w: Any, node: Any, x: Any) -> str:
    return w.emit("DepthToSpace", w(x), blocksize=node.prim.block_size, mode="DCR")


@on("SpaceToDepth")
def _space_to_depth(w: Any, node: Any, x: Any) -> str:
    return w.emit("SpaceToDepth", w(x), blocksize=node.prim.block_size)


# -- reductions and choices ------------------------------------------------------------------------


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None or axis == ():
        return tuple(range(ndim))
    return tuple(a % ndim for a in (axis if isinstance(axis, tuple | list) else (axis,)))


@on("ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd")
def _reduce(w: Any, node: Any, x: Any, axis: Any = ()) -> str:
    axes = _axes(axis, x.spec.ndim)
    if not axes:
        return w.emit("Identity", w(x))
    return w.emit(node.prim.name, w(x), axes=axes, keepdims=int(node.prim.keep_dims))


@on("ReduceSum")
def _reduce_sum(w: Any, node: Any, x: Any, axis: Any = ()) -> str:
    axes = _axes(axis, x.spec.ndim)
    if not axes or (axis == () and node.prim.skip_mode):
        return w.emit("Identity", w(x))
    return w.emit("ReduceSum", w(x), w.ints(*axes), keepdims=int(node.prim.keep_dims))


@on("ReduceAll", "ReduceAny")
def _reduce_bools(w: Any, node: Any, x: Any, axis: Any = ()) -> str:
    op = "ReduceMin" if node.prim.name == "ReduceAll" else "ReduceMax"
    axes, keep = _axes(axis, x.spec.ndim), int(node.prim.keep_dims)
    return as_type(w, w.emit(op, as_type(w, w(x), np.int32), axes=axes, keepdims=keep), np.bool_)


@on("Argmax", "Argmin")
def _arg(w: Any, node: Any, x: Any) -> str:
    op = "ArgMax" if node.prim.name == "Argmax" else "ArgMin"
    found = w.emit(op, w(x), axis=node.prim.axis, keepdims=0)
    return as_type(w, found, node.outputs[0].spec.dtype)


@on("ArgMaxWithValue", "ArgMinWithValue")
def _arg_with_value(w: Any, node: Any, x: Any) -> list[str]:
    end = "Max" if node.prim.name == "ArgMaxWithValue" else "Min"
    axis, keep = node.prim.axis, int(node.prim.keep_dims)
    found = w.emit(f"Arg{end}", w(x), axis=axis, keepdims=keep)
    value = w.emit(f"Reduce{end}", w(x), axes=[axis], keepdims=keep)
    return [as_type(w, found, node.outputs[0].spec.dtype), value]


@on("TopK")
def _top_k(w: Any, node: Any, x: Any, k: Any) -> list[str]:
    spec = node.outputs[1].spec
    if not node.prim.sorted and int(k) == x.spec.shape[-1]:  # all elements keep their order
        places = np.broadcast_to(np.arange(int(k), dtype=spec.dtype), spec.shape)
        return [w.emit("Identity", w(x)), w.constant(np.ascontiguousarray(places))]
    values, found = w.emit("TopK", w(x), w.ints(int(k)), outputs=2)  # sorted is a free choice
    return [values, as_type(w, found, spec.dtype)]


@on("CumSum")
def _cumsum(w: Any, node: Any, x: Any, axis: Any) -> str:
    p = node.prim
    return w.emit("CumSum", w(x), w(axis), exclusive=int(p.exclusive), reverse=int(p.reverse))


@on("Gather")
def _gather(w: Any, node: Any, x: Any, indices: Any, axis: Any) -> str:
    if node.prim.batch_dims or not isinstance(axis, int):
        raise refuse(node, "has no counterpart in ONNX with batch_dims or an axis in a tensor.")
    return w.emit("Gather", w(x), w(indices), axis=axis)


@on("GatherD")
def _gather_d(w: Any, node: Any, x: Any, dim: Any, index: Any) -> str:
    return w.emit("GatherElements", w(x), w(index), axis=dim)


@on("GatherNd")
def _gather_nd(w: Any, node: Any, x: Any, indices: Any) -> str:
    return w.emit("GatherND", w(x), as_type(w, w(indices), np.int64))


@on("TensorScatterUpdate")
def _scatter_update(w: Any, node: Any, x: Any, indices: Any, updates: Any) -> str:
    return w.emit("ScatterND", w(x), as_type(w, w(indices), np.int64), w(updates))


@on("Roll")
def _roll(w: Any, node: Any, x: Any) -> str:
    """Each axis is cut at its shift, and the halves change places."""
    p = node.prim
    shape = (x.spec.size,) if p.dims is None else x.spec.shape
    made = w(x) if p.dims is not None else w.emit("Reshape", w(x), w.ints(-1))
    for shift, axis in zip(p.shifts, p.dims or (0,), strict=True):
        at = -shift % shape[axis] if shape[axis] else 0
        if at:
            cut, end, begin, along = w.ints(at), w.ints(shape[axis]), w.ints(0), w.ints(axis)
            halves = (
                w.emit("Slice", made, cut, end, along),
                w.emit("Slice", made, begin, cut, along),
            )
            made = w.emit("Concat", *halves, axis=axis)
    return made if p.dims is not None else w.emit("Reshape", made, w.ints(*x.spec.shape))


@on("OneHot")
def _one_hot(w: Any, node: Any, indices: Any, depth: Any, on: Any, off: Any) -> str:
    spec = node.outputs[0].spec
    ends = [w.emit("Reshape", w(v, spec), w.ints(1)) for v in (off, on)]
    values = w.emit("Concat", *ends, axis=0)
    at = as_type(w, w(indices), np.int64)  # what onnxruntime has a kernel for
    # ONNX counts what is negative from the end; past the end there is nothing, as for us.
    at = w.emit("Where", w.emit("Less", at, w(0)), w(depth), at)
    return w.emit("OneHot", at, w(depth), values, axis=node.prim.axis)


@on("Sort")
def _sort(w: Any, node: Any, x: Any) -> list[str]:
    p, axis = node.prim, node.prim.axis % x.spec.ndim
    values, found = w.emit(
        "TopK", w(x), w.ints(x.spec.shape[axis]), outputs=2, axis=axis, largest=int(p.descending)
    )
    return [values, as_type(w, found, node.outputs[1].spec.dtype)]


__all__ = ["RULES"]
