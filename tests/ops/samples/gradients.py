"""Samples of derivatives that are ops of their own."""

from __future__ import annotations

import numpy as np

from minispore.ops.control import gradient_ops as G
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
