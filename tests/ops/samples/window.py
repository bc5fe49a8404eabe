"""Samples of convolution, pooling and matrix products, and of the steps they are lowered to."""

from __future__ import annotations

import numpy as np

from minispore import Tensor, ops
from minispore.ops.linalg import products as L
from minispore.ops.loss.cross_entropy import SparseSoftmaxLossAndGrad
from minispore.ops.network import average_pool as A
from minispore.ops.network import conv as C
from minispore.ops.network import pool as P
from minispore.ops.network import unpool as U
from minispore.ops.network.conv_transpose import Conv3DTranspose
from minispore.ops.network.fractional_regions import RegionArgmax, RegionMeanWeights
from minispore.ops.network.softmax import ShiftedSoftmax, SoftmaxAndLog
from minispore.ops.steps import columns, depthwise, half_precision, phases, planes, pools, winograd
from minispore.ops.steps.window import compute_window
from tests.ops.samples import bad, elsewhere, floats, ints, sample

_LOWERED = "a step of a lowered op: it comes after differentiation"


def _win(size: tuple[int, int], k: int = 3, pad: int = 0, stride: int = 1) -> object:
    mode = "pad" if pad else "valid"
    return compute_window("test", size, (k, k), (stride, stride), (1, 1), mode, (pad,) * 4)


# -- convolution: x (2, 4, 5, 6) -----------------------------------------------------------------

_X, _W = floats(2, 4, 5, 6), floats(6, 4, 3, 2, seed=1)
for attributes in (
    {},
    {"pad_mode": "same", "stride": 2},
    {"pad_mode": "pad", "pad": (1, 2, 0, 1), "dilation": (1, 2)},
):
    op = C.Conv2D(6, (3, 2), **attributes)
    y = op.infer(*[type("S", (), {"shape": a.shape, "dtype": a.dtype})() for a in (_X, _W)]).shape
    sample(op, _X, _W, tolerance=1e-5)
    sample(op.make_sibling("BackpropInput"), floats(*y, seed=2), _W, _X.shape, tolerance=1e-5)
    sample(op.make_sibling("BackpropFilter"), floats(*y, seed=2), _X, _W.shape, tolerance=1e-5)
# groups, and one filter per channel
sample(C.Conv2D(6, 3, group=2), _X, floats(6, 2, 3, 3), tolerance=1e-5)
sample(C.Conv2D(4, 3, group=4), _X, floats(4, 1, 3, 3), tolerance=1e-5)
sample(
    C.Conv2DBackpropInput(4, 3, group=4),
    floats(2, 4, 3, 4),
    floats(4, 1, 3, 3),
    _X.shape,
    tolerance=1e-5,
)
sample(C.Conv2DBackpropFilter(4, 3, group=4), floats(2, 4, 3, 4), _X, (4, 1, 3, 3), tolerance=1e-5)
# a skinny one that is computed in blocks: 6 of 8 columns, 2 or 4 at a time
sample(C.Conv2D(2, 5), floats(2, 1, 6, 8), floats(2, 1, 5, 5), tolerance=1e-5)
sample(C.Conv2D(2, 5, pad_mode="same"), floats(2, 1, 6, 8), floats(2, 1, 5, 5), tolerance=1e-5)
sample(C.Conv2DTranspose(6, (3, 2)), floats(2, 6, 3, 5), _W, _X.shape, tolerance=1e-5)
_V, _VW = floats(1, 2, 3, 4, 3), floats(2, 2, 2, 2, 2)
sample(C.Conv3D(2, 2), _V, _VW, tolerance=1e-5)
sample(C.Conv3DBackpropInput(2, 2), floats(1, 2, 2, 3, 2), _VW, _V.shape, tolerance=1e-5)
sample(Conv3DTranspose(2, 2, 2), floats(1, 2, 2, 3, 2), _VW, tolerance=1e-5)
sample(C.Conv3DBackpropFilter(2, 2), floats(1, 2, 2, 3, 2), _V, _VW.shape, tolerance=1e-5)

bad(C.Conv2D(6, 3), floats(2, 3, 5, 6), floats(6, 4, 3, 3), match="weight must have the shape")
bad(C.Conv2D(6, 3), floats(4, 5, 6), floats(6, 4, 3, 3), match="must have 4 axes")
bad(C.Conv2D(6, 7), floats(2, 4, 5, 6), floats(6, 4, 7, 7), match="kernel_size must fit")
bad(C.Conv2D(6, 3), _X, floats(6, 4, 3, 3).astype(np.float64), match="same dtype", error=TypeError)
for name in ("Conv2DBackpropInput", "Conv2DTranspose"):
    bad(getattr(C, name)(6, (3, 2)), floats(2, 6, 4, 5), _W, _X.shape, match="dout must have")
bad(C.Conv2DBackpropFilter(6, (3, 2)), floats(2, 6, 4, 5), _X, _W.shape, match="dout must have")
bad(C.Conv3D(2, 2), _X, _VW, match="must have 5 axes")
bad(C.Conv3DBackpropInput(2, 2), floats(1, 2, 2, 2, 2), _VW, _V.shape, match="dout must have")
bad(Conv3DTranspose(2, 2, 2), floats(1, 2, 2, 2), _VW, match="dout must have 5 axes")
bad(C.Conv3DBackpropFilter(2, 2), floats(1, 2, 2, 2, 2), _V, _VW.shape, match="dout must have")

# -- pools ---------------------------------------------------------------------------------------

_P = floats(2, 3, 6, 5)
for attributes in (
    {"kernel_size": 2, "strides": 2},
    {"kernel_size": (3, 2), "strides": (2, 1), "pad_mode": "same"},
    {"kernel_size": 3, "strides": 2, "pad_mode": "pad", "pad": 1, "ceil_mode": True},
    {"kernel_size": 1, "strides": 1},
    {"kernel_size": (1, 2), "strides": (2, 1)},
    {"kernel_size": 7, "strides": 3, "ceil_mode": True},  # more than there is
):
    pool = P.MaxPool(**attributes)
    y = pool.make_window(_P.shape[2:]).out
    sample(pool, _P)
    # the maximum itself: the gradient ops are defined on it

    top = pool(Tensor(_P)).asnumpy()
    sample(pool.make_sibling(P.MaxPoolGrad), _P, top, floats(2, 3, *y, seed=1), wrt=(2,))
    sample(pool.make_sibling(P.MaxPoolGradGrad), _P, top, floats(*_P.shape, seed=1), wrt=(2,))
    sample(A.AvgPool(**attributes), _P)
    sample(A.AvgPool(**attributes).make_sibling(A.AvgPoolGrad), floats(2, 3, *y), _P.shape)
sample(A.AvgPool(2, 2, "pad", pad=1, count_include_pad=True), _P)
sample(A.AvgPool(2, 2, divisor_override=3), _P)
sample(U.MaxPoolWithArgmaxV2(3, 2, 1), _P)
sample(U.MaxPoolWithArgmax(2, 2), _P)
sample(U.MaxPoolWithArgmax(3, 2, "same"), _P)
_Q = floats(1, 2, 4, 2, 4)
sample(P.MaxPool3D(2, 2), _Q)
sample(U.MaxPool3DWithArgmax((2, 1, 2), 2, (1, 0, 1)), _Q)
sample(U.MaxPool3DWithArgmax(2, 1, 1, 2, argmax_type="int32"), _Q)
_QT = P.MaxPool3D(2, 2)(Tensor(_Q)).asnumpy()
sample(P.MaxPool3DGrad(2, 2), _Q, _QT, floats(1, 2, 2, 1, 2), wrt=(2,))
sample(P.MaxPool3DGradGrad(2, 2), _Q, _QT, floats(*_Q.shape, seed=1), wrt=(2,))
sample(A.AvgPool3D(2, 2), _Q)
sample(A.AvgPool3DGrad(2, 2), floats(1, 2, 2, 1, 2), _Q.shape)

for pool in (P.MaxPool, A.AvgPool, U.MaxPoolWithArgmax, U.MaxPoolWithArgmaxV2):
    bad(pool(2, 2), floats(3, 6, 5), match="must have 4 axes")
for pool in (P.MaxPool3D, A.AvgPool3D):
    bad(pool(2, 2), floats(2, 3, 6, 5), match="must have 5 axes")
bad(U.MaxPool3DWithArgmax(2, 2, 0), floats(2, 3, 6, 5), match="must have 5 axes")
bad(lambda: P.MaxPool(0, 1), match="must be at least 1", name="MaxPool")
bad(
    lambda: U.MaxPoolWithArgmax(2, 1, "pad"),
    match="pad_mode must be 'valid' or 'same'",
    name="MaxPoolWithArgmax",
)
bad(lambda: A.AvgPool(2, 1, "some"), match="pad_mode must be", name="AvgPool")
for pool in (P.MaxPool, A.AvgPool):
    bad(lambda op=pool: op(3, 1, "pad", pad=2), match="must not exceed kernel", name=pool.__name__)
for pool in (U.MaxPoolWithArgmaxV2, U.MaxPool3DWithArgmax):
    bad(lambda op=pool: op(3, 1, 2), match="must not exceed kernel_size", name=pool.__name__)

# -- matrix products -----------------------------------------------------------------------------

sample(L.MatMul(), floats(3, 4), floats(4, 2), tolerance=1e-5)
sample(L.MatMul(True, False), floats(4, 3), floats(4, 2), tolerance=1e-5)
sample(L.MatMul(False, True), floats(3, 4), floats(2, 4), tolerance=1e-5)
sample(L.MatMul(True, True), floats(4, 3), floats(2, 4), tolerance=1e-5)
sample(L.BatchMatMul(), floats(2, 1, 3, 4), floats(5, 4, 2), tolerance=1e-5)
sample(L.BatchMatMul(True, True), floats(2, 4, 3), floats(2, 2, 4), tolerance=1e-5)
sample(L.MatMulExt(), floats(3, 4), floats(4), tolerance=1e-5)
sample(L.MatMulExt(), floats(4), floats(2, 4, 3), tolerance=1e-5)
sample(L.MatMulExt(), floats(4), floats(4, seed=1), tolerance=1e-5)
sample(L.Einsum("bij,bjk->bik"), floats(2, 3, 4), floats(2, 4, 2), tolerance=1e-5)
sample(L.Einsum("ij->j"), floats(3, 4), tolerance=1e-5)

bad(L.MatMul(), floats(3, 4), floats(3, 4), match="inner lengths")
bad(L.MatMul(), floats(3, 4), floats(4, 2).astype(np.float64), match="dtype", error=TypeError)
bad(L.BatchMatMul(), floats(3), floats(3, 4), match="at least 2 axes")
bad(L.MatMulExt(), floats(3, 4), floats(3, 4), match="inner lengths")
bad(L.Einsum("ij,jk->ik"), floats(3, 4), floats(3, 4), match="equation must fit")

# -- steps of a lowered convolution: image (2, 3, 6, 8), 4 filters of 3x3 ------------------------

_IMAGE = floats(2, 3, 6, 8)
for win in (_win((6, 8)), _win((6, 8), pad=1), _win((6, 8), k=1)):
    out, c, f, n = win.out, 3, 4, 2  # type: ignore[attr-defined]
    taps, places = win.kernel[0] * win.kernel[1], out[0] * out[1] * n  # type: ignore[attr-defined]
    padded = floats(c, *win.padded, n)  # type: ignore[attr-defined]
    sample(columns.PadBatchLast(win), _IMAGE, wrt=(), why_not=_LOWERED)
    sample(columns.Columns(win), padded, wrt=(), why_not=_LOWERED)
    sample(
        columns.AddColumns(win, (n, c, 6, 8)), floats(c * taps, places), wrt=(), why_not=_LOWERED
    )
sample(
    phases.PhaseInput(_win((9, 9), pad=1, stride=2)), floats(4, 50), floats(4, 3, 3, 3),
    wrt=(), why_not=_LOWERED, tolerance=1e-5,
)  # fmt: skip
sample(
    columns.ColumnsGemm((2, 4, 4, 6)), floats(4, 3, 3, 3), floats(27, 48),
    wrt=(), why_not=_LOWERED, tolerance=1e-5,
)  # fmt: skip
sample(half_precision.Converted("float16"), floats(2, 3), wrt=(), why_not=_LOWERED)
sample(half_precision.Rounded("float16"), floats(2, 3), wrt=(), why_not=_LOWERED)
sample(columns.Flat(), floats(2, 4, 4, 6), wrt=(), why_not=_LOWERED)
sample(
    columns.FilterGemm((4, 3, 3, 3)), floats(4, 48), floats(27, 48),
    wrt=(), why_not=_LOWERED, tolerance=1e-5,
)  # fmt: skip
sample(
    columns.InputGemm(), floats(4, 3, 3, 3), floats(4, 48),
    wrt=(), why_not=_LOWERED, tolerance=1e-5,
)  # fmt: skip

for win in (_win((6, 8)), _win((6, 8), pad=1)):
    h, w = win.padded  # type: ignore[attr-defined]
    oh, ow = win.out  # type: ignore[attr-defined]
    places = oh * ow // 2 * 2
    sample(planes.ToPlanes(2, win), _IMAGE, wrt=(), why_not=_LOWERED)
    sample(planes.FromPlanes(win), floats(3, 2, h, w // 2, 2), wrt=(), why_not=_LOWERED)
    sample(planes.PlaneRows(win), floats(3, 2, h, w // 2, 2), wrt=(), why_not=_LOWERED)
    sample(
        planes.PlaneInput((3, 2, h, w // 2, 2)), floats(3, 8, 12), floats(4, 2, oh, ow // 2, 2),
        wrt=(), why_not=_LOWERED, tolerance=1e-5,
    )  # fmt: skip
for turned in (False, True):
    sample(planes.Toeplitz(2, turned), floats(4, 3, 3, 3), wrt=(), why_not=_LOWERED)
sample(
    planes.PlaneGemm((4, 2, 4, 3, 2)), floats(8, 36), floats(6, 12, 6),
    wrt=(), why_not=_LOWERED, tolerance=1e-5,
)  # fmt: skip
sample(
    planes.PlaneFilterGemm((4, 3, 3, 3)), floats(4, 2, 4, 3, 2), floats(6, 12, 6),
    wrt=(), why_not=_LOWERED, tolerance=1e-5,
)  # fmt: skip
_PL = floats(3, 2, 4, 3, 2)
_PT = np.max(_PL.reshape(3, 1, 2, 2, 2, 3, 2), axis=(2, 4))
sample(pools.PlaneMaxPool(), _PL, wrt=(), why_not=_LOWERED)
sample(pools.PlaneMaxPoolGrad(), _PL, _PT, floats(3, 1, 2, 3, 2), wrt=(), why_not=_LOWERED)

# -- fused ops --------------------------------------------------------------------------------

sample(
    SparseSoftmaxLossAndGrad(), floats(4, 3), np.array([0, 2, 1, 1], np.int32),
    wrt=(), why_not=_LOWERED,
)  # fmt: skip
for axes in ((1,), (0, 2)):
    sample(SoftmaxAndLog(axes), floats(3, 40, 2), wrt=(), why_not=_LOWERED)
sample(ShiftedSoftmax(), floats(3, 4))
elsewhere("CustomVjp", "tests/nn: it stands in a tape for a Cell's own bprop, and has no kernel")

# Strided and dilated; of one run; with a batch that is made in bands, and with steps between taps.
for _deep, _batch in (
    (compute_window("Conv2D", (6, 6), (3, 3), (2, 1), (1, 2), "pad", (1, 1, 0, 2)), 2),
    (compute_window("Conv2D", (6, 6), (3, 2), (1, 1), (1, 2), "pad", (1, 1, 0, 3)), 2),
    (compute_window("Conv2D", (4, 8), (3, 3), (1, 1), (1, 1), "pad", (1, 1, 1, 1)), 16),
    (compute_window("Conv2D", (6, 8), (3, 3), (2, 2), (1, 1), "same", ()), 16),
):
    _image, _dy = floats(_batch, 3, *_deep.size), floats(_batch, 3, *_deep.out)
    _filter = floats(3, 1, *_deep.kernel)
    for _depthwise, _given in (
        (depthwise.DepthwiseTaps, (_image, _filter)),
        (depthwise.DepthwiseInput, (_dy, _filter)),
        (depthwise.DepthwiseFilter, (_dy, _image)),
    ):
        sample(_depthwise(_deep), *_given, wrt=(), why_not=_LOWERED, tolerance=1e-5)

for _m in (2, 4):
    sample(winograd.WinogradPoints(), floats(3, _m, 5, 2, 3), wrt=(), why_not=_LOWERED)
    for _turned in (False, True):
        sample(
            winograd.WinogradWeight(_m, _turned), floats(4, 3, 3, 3), wrt=(), why_not=_LOWERED,
            tolerance=1e-6,
        )  # fmt: skip
    sample(
        winograd.WinogradGemm(), floats(_m + 2, 4, 9), floats(_m + 2, 7, 3, 2, 3),
        wrt=(), why_not=_LOWERED, tolerance=1e-6,
    )  # fmt: skip
    for _turned, _filters in ((False, (5, 4, 2, 3)), (True, (5, 2, 3, 4))):
        sample(
            winograd.WinogradCotangent(_turned), floats(4, _m, 5, 2, 3), wrt=(),
            why_not=_LOWERED, tolerance=1e-6,
        )  # fmt: skip
        sample(
            winograd.WinogradFilter(_turned), floats(_m + 2, 7, 3, 2, 3),
            floats(_m + 2, *_filters), wrt=(), why_not=_LOWERED, tolerance=1e-6,
        )  # fmt: skip
for padding, dilation in (((1, 0, 2, 1), 1), ((2, 2, 2, 2), 2), ((3, 0, 0, 3), 1)):
    deep = {"group": 4, "pad_mode": "pad", "pad": padding, "dilation": dilation}
    sample(C.Conv2D(4, (3, 2), **deep), _X, floats(4, 1, 3, 2), tolerance=1e-5)
sample(
    C.Conv3D(2, (3, 2, 3), pad_mode="pad", pad=(1, 0, 1, 1, 0, 2), group=2),
    floats(2, 2, 4, 3, 4), floats(2, 1, 3, 2, 3), tolerance=1e-5,
)  # fmt: skip

_WHERE = np.int64([[[[0, 3], [8, 11]], [[1, 6], [13, 10]]]])
_TOPS = np.arange(8, dtype=np.float32).reshape(1, 2, 2, 2) / 4
sample(U.MaxUnpool2D(2), _TOPS, _WHERE)
sample(U.MaxUnpool2D(2, 2, 0, (1, 2, 5, 4)), _TOPS, _WHERE)
bad(U.MaxUnpool2D(2, 2, 0, (1, 2, 9, 9)), _TOPS, _WHERE, match="within one stride")
bad(U.MaxUnpool2D(2), _TOPS, _TOPS, match="argmax must be int32 or int64", error=TypeError)
bad(lambda: U.MaxUnpool2D(2, 2, 0, (4, 4)), match="output_shape must", name="MaxUnpool2D")
sample(U.MaxUnpool3D((1, 2, 2)), _TOPS[:, :, None], _WHERE[:, :, None])
bad(U.MaxUnpool3D(2), _TOPS, _WHERE, match="x must have 5 axes")

for pool in (ops.FractionalMaxPool, ops.FractionalAvgPool):
    for flags in ((False, False), (True, True)):
        sample(pool([1.0, 1.4, 1.6, 1.0], *flags), floats(2, 6, 5, 2))
    sample(pool([1.0, 1.5, 2.0, 1.0], False, True, True, 3, 4), floats(1, 6, 4, 1))
    bad(pool([1.0, 2.0, 2.0, 1.0]), floats(6, 4, 1), match="x must be (N, H, W, C)")
bounds = np.int64([0, 2, 5])
largest = "whole numbers"
sample(RegionArgmax(True), floats(1, 5, 5, 2), bounds, bounds, wrt=(), why_not=largest)
sample(RegionMeanWeights(False, 5, "float32"), bounds)
for mode, stride, rate in (("SAME", 1, 1), ("SAME", 2, 2), ("VALID", (1, 1, 1, 2), (1, 2))):
    sample(ops.Dilation2D(stride, rate, mode), floats(2, 2, 5, 6), floats(2, 2, 2, seed=3))
sample(ops.Dilation2D(2, 1), ints(1, 1, 4, 4), ints(1, 2, 2, low=-3))
bad(ops.Dilation2D(1, 1), floats(1, 2, 4, 4), floats(1, 2, 2), match="filter (C, KH, KW)")
