"""Samples of optimizer updates beyond momentum, SGD and Adam."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from tests.ops.samples import bad, floats, positive, sample

UPDATE = "an update is a step, not a function to differentiate"
w, g = floats(4, 2), floats(4, 2, seed=1)
a, b, c = (positive(4, 2, seed=i) for i in (2, 3, 4))
short = floats(3, 2)
ADAM = (0.9, 0.99, 0.1, 0.9, 0.99, 1e-3)

# op, inputs before the gradient, inputs after it
DENSE = [
    (P.ApplyAdaMax(), (w, a, b, 0.9, 0.1, 0.9, 0.99, 1e-3), ()),
    (P.ApplyAdadelta(), (w, a, b, 0.1, 0.9, 1e-3), ()),
    (P.ApplyAdagrad(), (w, a, 0.1), ()),
    (P.ApplyAdagrad(False), (w, a, np.float32(0.1)), ()),
    (P.ApplyAdagradV2(1e-3), (w, a, 0.1), ()),
    (P.ApplyAdagradDA(), (w, a, b), (0.1, 0.3, 0.02, 2)),
    (P.ApplyAdagradDA(), (w, a, b), (0.1, 0.0, 0.02, 2)),
    (P.ApplyAdamWithAmsgrad(), (w, a, b, c, 0.9, 0.99, 0.1), ()),
    (P.ApplyAdamWithAmsgradV2(), (w, a, b, c, *ADAM), ()),
    (P.AdamNoUpdateParam(), (a, b, *ADAM), ()),
    (P.AdamNoUpdateParam(False, True), (a, b, *ADAM), ()),
    (P.FusedCastAdamWeightDecay(), (w, a, b, 0.1, 0.9, 0.99, 1e-3, 0.01), (2.0,)),
    (P.ApplyRMSProp(), (w, a, b, 0.1), (0.9, 0.5, 1e-3)),
    (P.ApplyCenteredRMSProp(), (w, np.zeros_like(w), b, c), (0.1, 0.9, 0.5, 1e-3)),
    (P.ApplyGradientDescent(), (w, 0.1), ()),
    (P.ApplyProximalGradientDescent(), (w, 0.1, 0.3, 0.02), ()),
    (P.ApplyProximalAdagrad(), (w, a, 0.1, 0.3, 0.02), ()),
    (P.ApplyFtrl(), (w, a, b), (0.1, 0.3, 0.02, -0.5)),
    (P.ApplyAddSign(), (w, a, 0.1, 1.0, 0.5, 0.9), ()),
    (P.ApplyPowerSign(), (w, a, 0.1, 1.0, 0.5, 0.9), ()),
    (P.ApplyKerasMomentum(), (w, a, 0.1), (0.9,)),
    (P.ApplyKerasMomentum(False, True), (w, a, 0.1), (0.9,)),
    (P.FusedWeightScaleApplyMomentum(), (0.01, 0.5, w, a, 0.1), (0.9,)),
    (P.LARSUpdate(), (w,), (0.3, 0.4, 0.1, 0.2)),
    (P.LARSUpdate(use_clip=True), (w,), (0.3, 0.4, 0.1, 0.2)),
]
for op, before, after in DENSE:
    sample(op, *before, g, *after, wrt=(), why_not=UPDATE)
    bad(op, *before, short, *after, match="must have the shape of")
bad(P.ApplyAdagrad(), w, a, positive(2), g, match="must be one number")
bad(P.ApplyAdagrad(), w, a, "fast", g, match="must be a number or a Tensor", error=TypeError)
bad(lambda: P.ApplyAdagrad("no"), match="must be a bool", error=TypeError, name="ApplyAdagrad")

FACTORS = ((1e-30, 1e-3), 1.0, 0.9, 0.8, 0.01, 0.1)
for op, more in ((P.FusedAdaFactor, ()), (P.FusedAdaFactorWithGlobalNorm, (2.0,))):
    for flags in ((False, False, False), (True, True, True)):
        for shape in ((4, 3), (5,)):
            states = [positive(*shape, seed=i) for i in (3, 4)]
            row, column = (positive(*shape[:-1]), positive(*shape[:-2], shape[-1]))
            inputs = (floats(*shape), floats(*shape, seed=1), states[0], row, column, states[1])
            sample(op(*flags), *FACTORS, *inputs, *more, wrt=(), why_not=UPDATE)
    bad(
        op(),
        *FACTORS,
        short,
        w,
        a,
        positive(4),
        positive(2),
        b,
        *more,
        match="must have the shape of",
    )
    bad(lambda op=op: op(1), match="must be a bool", error=TypeError, name=op.name)

picks, rows = np.array([2, 0, 2], np.int32), floats(3, 2)
SPARSE = [
    (P.FusedSparseAdam(), (w, a, b, *ADAM)),
    (P.FusedSparseLazyAdam(), (w, a, b, *ADAM)),
    (P.FusedSparseLazyAdam(False, True), (w, a, b, *ADAM)),
    (P.FusedSparseFtrl(0.1, 0.3, 0.02, -0.5), (w, a, b)),
    (P.SparseApplyFtrl(0.1, 0.3, 0.02, -0.5), (w, a, b)),
    (P.SparseApplyFtrlV2(0.1, 0.3, 0.02, 0.1, -0.5), (w, a, b)),
    (P.FusedSparseProximalAdagrad(), (w, a, 0.1, 0.3, 0.02)),
    (P.SparseApplyProximalAdagrad(), (w, a, 0.1, 0.3, 0.02)),
    (P.SparseApplyAdagrad(0.1), (w, a)),
    (P.SparseApplyAdagradV2(0.1, 1e-3), (w, a)),
    (P.SparseApplyAdadelta(1e-3), (w, a, b, 0.1, 0.9)),
    (P.SparseApplyRMSProp(0.9, 0.5, 1e-3), (w, a, b, 0.1)),
]
for op, before in SPARSE:
    sample(op, *before, rows, picks, wrt=(), why_not=UPDATE)
    bad(op, *before, floats(2, 2), picks, match="grad must hold one row of the variable")
bad(P.SparseApplyAdagradV2(0.1, 1e-6), w, a, rows, picks + 2, match="indices must be in [0, 4)")
bad(
    lambda: P.FusedSparseFtrl(0.0, 0.3, 0.02, -0.5),
    match="lr is out of range",
    name="FusedSparseFtrl",
)
