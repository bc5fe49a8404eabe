"""Samples of what few scripts ask for: keys, formats, tridiagonal systems, updates of some rows."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from minispore.ops.operations import math_ops as M
from minispore.ops.operations import nn_ops as N
from tests.ops.samples import bad, bools, floats, ints, positive, sample

WHOLE, PICKS = "whole numbers", "it only takes scores away"
KEYS = ints(2, 3, high=20)

sample(P.MapUniform(), KEYS, 8, 2)
bad(P.MapUniform(), KEYS, 8, 0, match="group_num must be >= 1")
sample(P.SubAndFilter(), ints(6, high=9), 5, 1)
bad(P.SubAndFilter(), KEYS, 5, 1, match="input_x must have 1 axis")
TRUE = np.int64([[1, 2], [0, 4], [3, 3]])
sample(P.ComputeAccidentalHits(2), TRUE, np.int64([0, 1, 2, 3, 4, 3]))
bad(P.ComputeAccidentalHits(1), TRUE, np.int64([0]), match="true_classes must be (N, 1)")
for x in (floats(2, 8), ints(3, 16), bools(8)):
    sample(P.CompareAndBitpack(), x, x.reshape(-1)[:1].reshape(()), wrt=(), why_not=WHOLE)
bad(P.CompareAndBitpack(), floats(7), np.zeros((), np.float32), match="that 8 divides")
words, scores = ints(2, 2, 5), floats(2, 2, 6)
sample(P.NoRepeatNGram(2), words, scores, wrt=(), why_not=PICKS)
bad(P.NoRepeatNGram(6), words, scores, match="ngram_size must be at most 5")

sample(P.ConjugateTranspose(), floats(2, 3, 4), (2, 0, 1))
bad(P.ConjugateTranspose(), floats(2, 3), (0, 0), match="each of the 2 axes once")
sample(P.DataFormatVecPermute(), np.int32([1, 2, 3, 4]))
sample(P.DataFormatVecPermute("NCHW", "NHWC"), ints(4, 2))
bad(P.DataFormatVecPermute(), ints(3), match="the shape (4,) or (4, 2)")
sample(P.Expand(), floats(2, 1), (3, 2, 4))
bad(P.Expand(), floats(2, 1), (3, 4), match="can be repeated to")
sample(P.Fills(), floats(2, 3), 3.0, wrt=(), why_not="a constant")
bad(P.Fills(), floats(2, 3), floats(2), match="value must be a number", error=TypeError)

DIAGONALS = floats(2, 3, 4) + np.float32([[[0], [5], [0]]])
sample(M.TridiagonalSolve(), DIAGONALS, floats(2, 4, 2), tolerance=1e-5)
bad(M.TridiagonalSolve(), DIAGONALS, floats(2, 3, 2), match="rhs must have the shape (2, 4)")
SYMMETRIC, turned = np.float32([[2, 1, 0], [1, 3, 1], [0, 1, 5]]), "directions have any sign"
sample(M.SelfAdjointEig(), SYMMETRIC, wrt=(), why_not=turned)
sample(M.SelfAdjointEig(False), SYMMETRIC)
bad(M.SelfAdjointEig(), floats(2, 3), match="must")
sample(
    N.SparseSoftmaxCrossEntropyWithLogitsV2(),
    floats(2, 3),
    np.int32([2, 0]),
    wrt=(),
    why_not="the second output has no slope; test_golden_rare.py has the first one's",
)
bad(N.SparseSoftmaxCrossEntropyWithLogitsV2(), floats(2, 3), np.int32([2]), match="for each row")

UPDATE = "an update"
var, some, at = floats(4, 2), floats(3, 2, seed=1), np.int32([2, 0, 2])
m, s = floats(4, 2, seed=2), positive(4, 2) + 8
for op in (N.SparseApplyMomentum(), N.SparseApplyMomentum(use_nesterov=True)):
    sample(op, var, m, 0.1, some, at, 0.9, wrt=(), why_not=UPDATE)
bad(N.SparseApplyMomentum(), var, m, 0.1, some[:2], at, 0.9, match="grad must hold one row")
dual = N.SparseApplyAdagradDA()
sample(dual, var, m, s, some, at, 0.1, 0.2, 0.3, 2, wrt=(), why_not=UPDATE)
bad(dual, var, m, s[:2], some, at, 0.1, 0.2, 0.3, 2, match="the shape of the variable")
centred = N.SparseApplyCenteredRMSProp()
rates = (0.1, 0.9, 0.5, 1e-3)
sample(centred, var, m * 0, s, m, *rates, some, at, wrt=(), why_not=UPDATE)
bad(centred, var, m, s, m[:2], *rates, some, at, match="the shape of the variable")
proximal = N.SparseApplyProximalGradientDescent()
sample(proximal, var, 0.1, 0.2, 0.3, some, at, wrt=(), why_not=UPDATE)
bad(proximal, var, 0.1, 0.2, 0.3, some, at + 2, match="indices must be in [0, 4)")
