"""Expressions over tensors, each evaluated by the real MindSpore (make_array_ops.py) and by ours.

``ops`` and ``P`` are the functions and primitives, ``D`` the gradient by the first argument.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def inputs() -> dict[str, np.ndarray]:
    """The arrays that the expressions name."""
    rng = np.random.default_rng(5)

    def floats(*shape: int) -> np.ndarray:
        return rng.permutation(int(np.prod(shape))).reshape(shape).astype(np.float32) / 4 - 2

    return {
        "a": floats(3, 4),
        "b": floats(3, 4),
        "v": floats(5),
        "w": np.float32([1, 3, 5, 7]),
        "c": floats(2, 3, 4),
        "i": rng.integers(0, 9, (3, 4)).astype(np.int32),
        "k": np.int32([3, 1, 3, 2, 0]),
        "h": floats(2, 3).astype(np.float16),
        "m": rng.random((3, 4)) < 0.5,
        "x": floats(1, 2, 3, 4),
        "y": floats(1, 8, 2, 3),
        "z": floats(1, 1, 2, 2, 3),
        "at": np.int64([[0, 2], [1, 3], [3, 0]]),
        "rows": np.int32([2, 0, 2]),
        "nd": np.int32([[0, 1], [2, 3]]),
        "one": np.float32(1.5),
        "box": np.float32([[0, 0, 9, 9], [5, 5, 14, 14], [20, 20, 22, 24]]),
        "gt": np.float32([[0, 0, 9, 9], [4, 4, 10, 12]]),
        "roi": np.float32([[0, 0.2, 0.3, 3, 2.5], [0, -2, -3, 1, 9]]),
        "points": rng.uniform(-1.3, 1.3, (1, 2, 3, 2)).astype(np.float32),
        "colours": rng.random((2, 2, 3)).astype(np.float32),
    }


CASES = """
ops.cast(a, ms.int32)
ops.cast(a, ms.bool_)
ops.cast(i, ms.float16)
ops.zeros_like(h)
ops.ones_like(i)
ops.zeros((2, 3))
ops.ones((2,), ms.int32)
ops.full((2,), 3.5, dtype=ms.float32)
ops.full((2,), 3)
ops.full_like(i, 3.7)
ops.fill(ms.float16, (2, 2), 3)
P.FillV2()((2, 3), one)
D(lambda t: P.FillV2()((2, 3), t) * 2)(one)
ops.arange(5)
ops.arange(0, 1, 0.25)
ops.arange(5.0)
ops.range(0, 7, 2)
P.Range()(0.0, 1.0, 0.25)
ops.linspace(0, 1, 5)
ops.linspace(1.0, 2.0, 3)
P.LogSpace(4, 2)(Tensor(0.0, ms.float32), Tensor(3.0, ms.float32))
ops.eye(2, 3)
ops.eye(3, 3, ms.int32)
ops.meshgrid(v, w)
ops.meshgrid(v, w, indexing="ij")
ops.tril_indices(3, 4, 1)
ops.triu_indices(3, 4, -1)
ops.reshape(a, (2, -1))
ops.transpose(c, (2, 0, 1))
ops.swapaxes(c, 0, -1)
ops.movedim(c, 0, 2)
ops.permute(c, (1, 2, 0))
ops.expand_dims(a, -1)
ops.squeeze(ops.expand_dims(a, 0))
ops.squeeze(a, 0)
ops.flatten(c)
ops.flatten(c, start_dim=0, end_dim=1)
ops.flatten(c, order="F")
ops.broadcast_to(v, (2, 5))
ops.broadcast_to(a, (2, -1, 4))
ops.tile(a, (2, 1, 2))
D(lambda t: ops.tile(t, (2, 2)) * ops.tile(t, (2, 2)))(a)
ops.concat((a, b), 1)
ops.stack((a, b), axis=-1)
ops.unstack(a, 1)
ops.split(c, 2, 1)
ops.split(c, (1, 2), 1)
ops.chunk(v, 3)
ops.tensor_split(v, 3)
ops.tensor_split(v, (1, 3))
ops.hsplit(a, 2)
ops.vsplit(a, 3)
ops.unbind(a, 1)
ops.hstack((v, w))
ops.vstack((w, w))
ops.dstack((a, b))
ops.column_stack((w, w))
ops.block_diag(a, w)
ops.cartesian_prod(v, w)
ops.combinations(v, 3)
ops.vander(w)
ops.sequence_mask(k)
ops.sequence_mask(k, 4)
ops.atleast_1d(one)
ops.atleast_2d(v)
ops.atleast_3d(a)
ops.slice(a, (1, 0), (2, 3))
ops.strided_slice(a, (0, 0), (3, 4), (2, 3))
P.StridedSlice(begin_mask=1)(a, (1, 1), (2, 2), (1, 1))
P.StridedSlice(shrink_axis_mask=1)(a, (1, 1), (2, 2), (1, 1))
D(lambda t: ops.strided_slice(t, (2, 3), (0, 0), (-1, -2)) * 2)(a)
P.Pad(((1, 0), (0, 2)))(a)
ops.pad(a, (1, 0, 0, 1), value=5.0)
ops.pad(a, (-1, 2))
ops.pad(c, (1, 2), mode="reflect")
ops.pad(c, (1, 2), mode="replicate")
ops.pad(c, (1, 2), mode="circular")
D(lambda t: ops.pad(t, (2, 1), mode="reflect") ** 2)(c)
P.MirrorPad("REFLECT")(a, Tensor(np.array([[1, 1], [1, 0]])))
P.MirrorPad("SYMMETRIC")(a, Tensor(np.array([[1, 1], [2, 0]])))
P.Padding(4)(ops.expand_dims(v, 1))
ops.tril(a, 1)
ops.triu(a, -1)
ops.diag(v)
P.DiagPart()(ops.diag(v))
ops.diagonal(c, 1, 0, 2)
ops.diag_embed(a)
ops.trace(a)
P.FillDiagonal(9.0)(a)
P.MatrixBandPart()(a, 1, 0)
ops.flip(c, (0, 2))
ops.rot90(a, 1, (0, 1))
ops.rot90(a, 3, (0, 1))
ops.reverse_sequence(a, Tensor(np.array([1, 4, 2])), 1)
ops.repeat_interleave(a, 2)
ops.repeat_interleave(a, 2, 1)
ops.repeat_interleave(a, [1, 2, 3, 1], 1)
ops.repeat_elements(a, 2, 0)
P.DepthToSpace(2)(y)
P.SpaceToDepth(2)(P.DepthToSpace(2)(y))
ops.pixel_shuffle(y, 2)
ops.pixel_unshuffle(ops.pixel_shuffle(y, 2), 2)
ops.channel_shuffle(y, 4)
P.BatchToSpaceND((2, 2), ((0, 1), (1, 0)))(ops.reshape(y, (8, 1, 2, 3)))
P.SpaceToBatchND((2, 2), ((0, 1), (1, 1)))(x)
a[1]
a[-1, 1:]
a[..., ::2]
a[None, 1:, None]
a[rows]
a[:, rows]
a[m]
a[rows, rows]
D(lambda t: t[rows] ** 2)(a)
D(lambda t: t[m] ** 2)(a)
ops.gather(a, rows, 0)
ops.gather(a, nd, 1)
ops.gather(c, Tensor(np.array([[0, 2], [1, 1]])), 1, 1)
D(lambda t: ops.gather(t, rows, 0) ** 2)(a)
ops.gather_elements(a, 1, at)
D(lambda t: ops.gather_elements(t, 1, at) ** 2)(a)
ops.gather_nd(a, nd)
ops.scatter_nd(nd, Tensor(np.float32([7, 8])), (3, 4))
ops.index_select(a, 1, rows)
ops.tensor_scatter_update(a, nd, Tensor(np.float32([7, 8])))
ops.tensor_scatter_add(a, Tensor(np.array([[0, 1], [0, 1]])), Tensor(np.float32([7, 8])))
ops.tensor_scatter_sub(a, nd, Tensor(np.float32([7, 8])))
ops.tensor_scatter_mul(a, nd, Tensor(np.float32([7, 8])))
ops.tensor_scatter_div(a, nd, Tensor(np.float32([7, 8])))
ops.tensor_scatter_max(a, nd, Tensor(np.float32([-7, 8])))
ops.tensor_scatter_min(a, nd, Tensor(np.float32([-7, 8])))
D(lambda t: ops.tensor_scatter_max(t, nd, Tensor(np.float32([-7, 8]))) ** 2)(a)
ops.tensor_scatter_elements(a, at, ops.ones((3, 2)), 1, "add")
ops.scatter(a, 1, at, ops.ones((3, 2)))
ops.unsorted_segment_sum(a, rows, 4)
ops.unsorted_segment_max(a, rows, 4)
ops.unsorted_segment_min(i, rows, 4)
ops.unsorted_segment_prod(a, Tensor(np.int32([1, 0, -1])), 2)
D(lambda t: ops.unsorted_segment_max(t, rows, 4)[2] ** 2)(a)
D(lambda t: ops.unsorted_segment_prod(t, rows, 4) * 2)(a)
P.SegmentSum()(a, Tensor(np.int32([0, 0, 2])))
P.SegmentMean()(a, Tensor(np.int32([0, 0, 2])))
P.SegmentMax()(a, Tensor(np.int32([0, 0, 2])))
P.SegmentMin()(a, Tensor(np.int32([0, 0, 2])))
P.SegmentProd()(a, Tensor(np.int32([0, 0, 2])))
ops.index_fill(a, 1, rows, 9.0)
ops.inplace_add(a, a[:1], 1)
ops.inplace_sub(a, a[:2], (0, 2))
ops.inplace_update(a, a[:1], (2,))
P.MaskedScatter()(a, m, ops.arange(12.0))
ops.narrow(a, 1, 1, 2)
ops.select_scatter(a, v[:3], 1, 2)
ops.slice_scatter(a, b[:2], 0, 0, 3, 2)
ops.diagonal_scatter(a, v[:3])
ops.select(m, a, b)
ops.where(m, a, 2)
ops.where(m, i, 2.5)
ops.where(m, 1, 2.5)
ops.masked_fill(a, m, 0.5)
ops.masked_select(a, m)
D(lambda t: ops.masked_select(t, m) ** 2)(a)
ops.one_hot(k, 4)
ops.one_hot(k, 2, 1.0, -1.0, 0)
P.OneHot()(k, 4, Tensor(2.0, ms.float32), Tensor(0.5, ms.float32))
ops.sort(a)
ops.sort(a, 0, True)
P.Sort(1, True)(i)
ops.argsort(a, 0)
ops.topk(a, 2)
ops.topk(a, 2, dim=0)
ops.topk(a, 2, largest=False)
D(lambda t: ops.topk(t, 2)[0] ** 2)(a)
ops.msort(a)[0:1] * 0 + 1
ops.unique(k)
ops.unique_consecutive(Tensor(np.array([1, 1, 2, 1])), True, True)
ops.unique_with_pad(k, -1)
ops.nonzero(i)
ops.searchsorted(w, v)
ops.searchsorted(w, v, right=True)
P.LowerBound()(ops.expand_dims(w, 0), ops.expand_dims(v, 0))
P.UpperBound()(ops.expand_dims(w, 0), ops.expand_dims(v, 0))
ops.bincount(k)
ops.bincount(k, v, 6)
ops.histc(a, 4)
P.Histogram(4, -1.0, 1.0)(a)
ops.intopk(a, Tensor(np.int32([0, 3, 1])), 2)
P.ListDiff()(k, Tensor(np.int32([3, 0])))
P.Eps()(a)
P.UnravelIndex()(k, Tensor(np.int32([2, 3])))
P.ParallelConcat()((a[:1], b[:1]))
ops.tuple_to_array((1, 2, 3))
ops.tuple_to_array((1.5, 2))
ops.scalar_to_tensor(2)
ops.scalar_to_tensor(2, ms.int32)
P.TensorShape()(c)
ops.dyn_shape(c)
ops.clip_by_value(i, 2, 5)
ops.clip_by_value((a, b), -1, 1)
ops.clip_by_norm(a, 1.0)
ops.clip_by_norm([a, b], 1.0, norm_type=float("inf"))
ops.clip_by_global_norm((a, b), 1.0)
ops.clip_by_global_norm((a, b), 100.0)
ops.vjp(lambda t: t * t, a)[1](b)
P.ResizeNearestNeighbor((4, 5))(x)
P.ResizeNearestNeighbor((4, 5), True)(x)
P.ResizeNearestNeighbor((2, 2), True)(x)
P.ResizeBilinearV2()(x, (4, 5))
P.ResizeBilinearV2(True)(x, (4, 5))
P.ResizeBilinearV2(False, True)(x, (2, 3))
D(lambda t: P.ResizeBilinearV2(False, True)(t, (5, 3)) ** 2)(x)
P.ResizeBicubic()(x, (5, 3))
P.ResizeBicubic(True)(x, (5, 3))
P.ResizeBicubic(False, True)(x, (5, 3))
P.ResizeArea()(ops.transpose(x, (0, 2, 3, 1)), Tensor(np.int32([4, 3])))
P.ResizeArea(True)(ops.transpose(x, (0, 2, 3, 1)), Tensor(np.int32([4, 3])))
P.ResizeLinear1D()(c, (7,))
P.ResizeLinear1D("half_pixel")(c, (3,))
ops.interpolate(x, size=(4, 5))
ops.interpolate(x, scale_factor=1.5, recompute_scale_factor=True)
ops.interpolate(x, size=(4, 5), mode="bilinear", align_corners=True)
ops.interpolate(x, size=(4, 5), mode="bilinear")
ops.interpolate(x, size=(5, 3), mode="bicubic")
ops.interpolate(c, size=6, mode="linear")
ops.interpolate(c, size=3, mode="nearest")
ops.interpolate(c, size=6, mode="nearest-exact")
ops.interpolate(x, size=(2, 3), mode="nearest-exact")
ops.interpolate(x, size=(2, 3), mode="area")
ops.interpolate(z, size=(3, 3, 4), mode="trilinear")
ops.interpolate(z, size=(3, 4, 2), mode="nearest")
ops.grid_sample(x, points)
ops.grid_sample(x, points, align_corners=True)
ops.grid_sample(x, points, padding_mode="border")
ops.grid_sample(x, points, padding_mode="reflection")
ops.grid_sample(x, points, padding_mode="reflection", align_corners=True)
ops.grid_sample(x, points, mode="nearest", padding_mode="border")
D(lambda t: ops.grid_sample(t, points) ** 2)(x)
D(lambda t: ops.grid_sample(x, t) ** 2)(points)
ops.affine_grid(Tensor(np.float32([[[0.8, 0.5, 0], [-0.5, 0.8, 0.1]]])), (1, 1, 2, 3))
ops.affine_grid(Tensor(np.float32([[[0.8, 0.5, 0], [-0.5, 0.8, 0.1]]])), (1, 1, 2, 3), True)
P.CropAndResize()(ops.transpose(x, (0, 2, 3, 1)), box[:2] / 14, Tensor(np.int32([0, 0])), (2, 3))
P.CropAndResize("nearest", 9.0)(x, box[:2] / 10, Tensor(np.int32([0, 0])), (3, 3))
P.CropAndResize("bilinear_v2")(x, box[:2] / 14, Tensor(np.int32([0, 0])), (2, 3))
ops.unfold(x, 2)
ops.fold(ops.unfold(x, 2), Tensor(np.int32([3, 4])), 2)
P.Im2Col(2, 1, 1, 1)(x)
P.IOU()(box, gt)
P.IOU("iof")(box, gt)
P.BoundingBoxEncode()(box[:2], gt)
P.BoundingBoxEncode((0.1, 0.1, 0.2, 0.2), (0.5, 0.5, 1.0, 1.0))(box[:2], gt)
P.BoundingBoxDecode((20, 20))(box[:2], gt * 0.1)
P.CheckValid()(box, Tensor(np.float32([20, 20, 1])))
P.NMSWithMask(0.1)(Tensor(np.float32([[0, 0, 9, 9, 0.5], [1, 1, 9, 9, 0.9], [8, 8, 12, 12, 0.7]])))
P.ROIAlign(2, 2, 0.9)(x, roi)
P.ROIAlign(2, 2, 0.9, 3, 0)(x, roi)
P.ROIAlign(2, 3, 1.0, 0)(x, roi)
D(lambda t: P.ROIAlign(2, 2, 0.9)(t, roi) ** 2)(x)
P.HSVToRGB()(ops.expand_dims(colours, 0))
P.RGBToHSV()(colours)
P.AdjustHue()(colours, Tensor(0.3))
P.AdjustSaturation()(colours, Tensor(1.5))
"""


def cases() -> list[str]:
    """The expressions, one a line."""
    return [line for line in CASES.splitlines() if line]


def namespace(ms: Any, ops: Any, primitives: Any) -> dict[str, Any]:
    """What the expressions may name, over one framework or the other."""
    tensors = {name: ms.Tensor(array) for name, array in inputs().items()}

    def derivative(fn: Any) -> Any:
        return ms.grad(fn)

    return {
        "ms": ms,
        "ops": ops,
        "P": primitives,
        "D": derivative,
        "np": np,
        "Tensor": ms.Tensor,
    } | tensors


def arrays(result: Any) -> list[np.ndarray]:
    """The arrays of a tensor or of nested tuples of them."""
    if isinstance(result, tuple | list):
        return [a for r in result for a in arrays(r)]
    return [result.asnumpy()]
