"""Samples of losses."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from tests.ops.samples import bad, floats, ints, positive, sample

x, y = floats(3, 4), positive(3, 4) / 2
w, v = positive(3, 4, seed=2), positive(4, seed=3)
LABELS = "labels get no gradient, as in MindSpore"

sample(P.SigmoidCrossEntropyWithLogits(), x, y, wrt=(0,))
for reduction in ("none", "mean", "sum"):
    sample(P.BCEWithLogitsLoss(reduction), x, y, w, v)
    sample(P.BinaryCrossEntropy(reduction), positive(3, 4, seed=5) / 2.1, y, w)
    sample(P.SmoothL1Loss(0.7, reduction), x, floats(3, 4, seed=1))
    sample(P.KLDivLoss(reduction), x, y, wrt=(0,))
    sample(P.SoftMarginLoss(reduction), x, floats(3, 4, seed=1))
    sample(P.MultiMarginLoss(1, 0.5, reduction), x, ints(3, high=4, dtype=np.int64))
    sample(P.MultilabelMarginLoss(reduction), x, np.int32([[1, 2, -1, 0]] * 3))
    sample(
        P.TripletMarginLoss(reduction=reduction), x, floats(3, 4, seed=1), floats(3, 4, seed=2), 3.0
    )
    sample(P.NLLLoss(reduction), x, ints(3, high=4), v, wrt=(0,))
    d = floats(3) if reduction == "none" else floats()
    sample(P.NLLLossGrad(reduction), x, d, ints(3, high=4), v, wrt=(0, 1))
sample(P.BCEWithLogitsLoss(), x, y)
sample(P.BCEWithLogitsLoss(), *(np.asarray(a.flat[0]) for a in (x, y, w)), None)
sample(P.BinaryCrossEntropy(), positive(3, 4, seed=5) / 2.1, y)
sample(P.SmoothL1Loss(0.0), x, floats(3, 4, seed=1))
sample(P.KLDivLoss("batchmean"), x, y, wrt=(0,))
sample(P.MultiMarginLoss(2, 0.5), x, ints(3, high=4, dtype=np.int64), v, wrt=(0,))
sample(P.MultilabelMarginLoss(), floats(4), np.int32([1, -1, 0, 0]))
sample(P.TripletMarginLoss(3, True), x, floats(3, 4, seed=1), floats(3, 4, seed=2), 3.0)
sample(P.NLLLoss("mean", 1), x, np.array([1, 3, 0]), v, wrt=(0,))
sample(P.NLLLossGrad("mean", 1), x, floats(), np.array([1, 3, 0]), v, wrt=(0, 1))
sample(P.L2Loss(), x)

for op in (P.SigmoidCrossEntropyWithLogits(), P.BCEWithLogitsLoss(), P.BinaryCrossEntropy(),
           P.SmoothL1Loss(), P.KLDivLoss(), P.SoftMarginLoss()):  # fmt: skip
    bad(op, x, floats(3), match="must have the shape and dtype of")
for op in (P.BCEWithLogitsLoss, P.BinaryCrossEntropy, P.SmoothL1Loss, P.KLDivLoss, P.SoftMarginLoss,
           P.MultiMarginLoss, P.MultilabelMarginLoss, P.TripletMarginLoss, P.NLLLoss):  # fmt: skip
    bad(lambda op=op: op(reduction="avg"), match="reduction must be one of", name=op.name)
bad(P.BinaryCrossEntropy(), y, y, floats(2, 3, 4), match="weight must broadcast to")
bad(lambda: P.SmoothL1Loss(-1.0), match="beta must be >= 0", name="SmoothL1Loss")
bad(P.L2Loss(), ints(3), match="must be of a dtype of kind float", error=TypeError)
bad(P.NLLLoss(), x, ints(2), v, match="labels must have the shape (3,)")
bad(P.NLLLoss(), x, np.array([0, 1, 4]), v, match="labels must be in [0, 4)")
bad(P.MultiMarginLoss(), x, ints(2), match="target (N,)")
bad(P.MultiMarginLoss(), x, ints(3), match="target must be int64", error=TypeError)
bad(P.BinaryCrossEntropy(), y, y, w.astype(np.float16), match="dtype of input", error=TypeError)
bad(P.MultilabelMarginLoss(), x, ints(2), match="target the same shape")
