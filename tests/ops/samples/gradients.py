"""Samples of derivatives that are ops of their own."""

from __future__ import annotations

import numpy as np

from minispore.ops.control import gradient_ops as G
from minispore.ops.control import layer_gradients as L
from minispore.ops.control import loss_gradients as Loss
from minispore.ops.elementwise.incomplete_gamma import IgammaGradA
from tests.ops.samples import floats, positive, sample

for cls in (G.AbsGrad, G.AtanGrad):
    sample(cls(), floats(3, 4), floats(3, 4, seed=1))
for cls in (G.ACosGrad, G.AsinGrad):
    sample(cls(), floats(3, 4) / 2.1, floats(3, 4, seed=1))
for cls in (G.ReLU6Grad, G.HSigmoidGrad, G.HSwishGrad, G.SiLUGrad, G.FastGeLUGrad, G.SoftplusGrad):
    sample(cls(), floats(3, 4, seed=1), floats(3, 4))
for cls in (G.SoftShrinkGrad, G.HShrinkGrad):
    sample(cls(0.4), floats(3, 4, seed=1), floats(3, 4))
sample(G.GeLUGrad(), floats(3, 4, seed=1), floats(3, 4), floats(3, 4, seed=2))
for cls in (G.SqrtGrad, G.RsqrtGrad, G.ReciprocalGrad, G.InvGrad, G.AsinhGrad, G.AcoshGrad):
    sample(cls(), positive(3, 4), floats(3, 4, seed=1))
sample(G.L2NormalizeGrad(1), floats(3, 4), floats(3, 4, seed=1), floats(3, 4, seed=2))
for corners in (True, False):
    image = floats(1, 2, 3, 4)
    sample(G.ResizeBilinearGrad(corners), floats(1, 2, 5, 6, seed=1), image)
    sample(G.UpsampleTrilinear3DGrad(corners), floats(1, 2, 4, 4, 6), (1, 2, 2, 3, 4), (4, 4, 6))
sample(G.ResizeLinear1DGrad(), floats(1, 2, 5, seed=1), floats(1, 2, 3))
sample(G.UpsampleNearest3DGrad(), floats(1, 2, 4, 4, 6), (1, 2, 2, 2, 3), (4, 4, 6))
sample(G.StridedSliceGrad(), floats(1, 2, 3), (3, 2, 3), (2, 0, 0), (3, 2, 3), (1, 1, 1))
sample(IgammaGradA(), positive(3, 4), positive(3, 4, seed=1), wrt=(1,))
sample(IgammaGradA(), positive(3, 1) * 9, positive(4, seed=1) * 9, wrt=(1,))
sample(IgammaGradA(), np.float32([2, 2]), np.float32([0, 9e9]), wrt=(), why_not="the ends of x")

window = ((1, 1, 1, 1), (0, 0, 0, 0), (2, 2))
offsets = positive(1, 12, 2, 2) / 5
sample(L.DeformableOffsetsGrad(*window), floats(1, 2, 4, 4), floats(1, 2, 3, 3, seed=1), offsets)
for cls in (L.ResizeNearestNeighborGrad, L.ResizeNearestNeighborV2Grad):
    sample(cls(), floats(1, 2, 4, 5), (2, 3))
sample(L.ResizeBicubicGrad(), floats(1, 2, 4, 5), floats(1, 2, 2, 3, seed=1))
sample(L.SliceGrad(), floats(1, 2), floats(2, 3, seed=1), (0, 1), (1, 2))
sample(L.MirrorPadGrad(), floats(4, 5), ((1, 0), (1, 1)))
sample(L.PadV3Grad("edge"), floats(1, 2, 4, 6), (1, 2, 1, 0))
sample(L.PadV3Grad("reflect", False), floats(1, 2, 6, 7), (1, 2, 1, 0))
sample(L.FlattenGrad(), floats(2, 6), (2, 2, 3))
sample(L.TraceGrad(), floats(), (2, 3))
sample(L.AdaptiveAvgPool2DGrad(), floats(1, 2, 2, 2), (1, 2, 3, 4))
sample(L.AdaptiveAvgPool3DGrad(), floats(1, 2, 2, 2, 1), (1, 2, 3, 4, 2))
sample(L.PReLUGrad(), floats(2, 3), floats(2, 3, seed=1), floats(3, seed=2))
sample(L.MinimumGrad(), floats(2, 3), floats(3, seed=1), floats(2, 3, seed=2))
sample(L.LRNGrad(), floats(1, 3, 2, 2), floats(1, 3, 2, 2, seed=1), floats(1, 3, 2, 2, seed=2))
sample(L.LogitGrad(0.01), floats(3), positive(3) / 3)
sample(L.EluGrad(), floats(4), floats(4, seed=1) / 3)
sample(L.GluGrad(0), floats(2), floats(4, seed=1))
at = np.int64([[[[0, 2], [8, 10]]]])
for op in (L.MaxPoolGradWithArgmax(2, 2), L.MaxPoolGradWithArgmaxV2(2, 2)):
    sample(op, floats(1, 1, 4, 4), floats(1, 1, 2, 2, seed=1), at)
sample(L.AdaptiveMaxPool2DGrad(), floats(1, 1, 2, 2), floats(1, 1, 4, 4, seed=1), at)
sample(L.AffineGridGrad(), floats(1, 2, 2, 2), (1, 1, 2, 2))
sample(L.GatherDGradV2(), floats(2, 3), 1, np.int64([[0, 1], [2, 0]]), floats(2, 2))
places = positive(1, 2, 2, 2) / 3
sample(L.GridSampler2DGrad(), floats(1, 1, 2, 2), floats(1, 1, 3, 3, seed=1), places)
places = positive(1, 2, 2, 2, 3) / 3
sample(L.GridSampler3DGrad(), floats(1, 1, 2, 2, 2), floats(1, 1, 3, 3, 3, seed=1), places)

sample(Loss.SmoothL1LossGrad(), floats(4), floats(4, seed=1), floats(4, seed=2))
sample(Loss.SoftMarginLossGrad(), floats(4), np.float32([1, -1, 1, 1]), floats())
sample(Loss.SigmoidCrossEntropyWithLogitsGrad(), floats(4), positive(4), floats(4, seed=1))
sample(Loss.BinaryCrossEntropyGrad("sum"), positive(4) / 3, positive(4, seed=1) / 3, floats())
sample(Loss.KLDivLossGrad("sum"), floats(), floats(4), positive(4))
