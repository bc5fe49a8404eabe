"""Samples of norms of features, of statistics and of distances."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from minispore.ops.linalg.vector_norms import PNorm
from minispore.ops.network.feature_norm import ChannelWindowSum
from tests.ops.samples import bad, floats, ints, positive, sample

sample(P.RmsNorm(0.1), floats(3, 4), positive(4))
bad(P.RmsNorm(), floats(3, 4), positive(3), match="gamma must have the shape")
sample(P.L2Normalize(1), floats(3, 4))
sample(P.L2Normalize((0, 2), 0.01), floats(2, 3, 2))
bad(P.L2Normalize(2), floats(2, 3), match="axis must be in [-2, 2)")
sample(ChannelWindowSum(2), floats(2, 5, 2))
sample(P.LRN(1, 1.0, 0.5, 0.7), floats(2, 4, 2, 2))
bad(P.LRN(), floats(3), match="must have the axes (N, C, H, W)")
bad(lambda: P.LRN(norm_region="WITHIN_CHANNEL"), match="norm_region must be", name="LRN")

nan = np.array([[3, np.nan, 1, 2], [4, 6, 5, 7]], np.float32)
for axis in ((), (1,), (0, -1)):
    sample(P.ReduceStd(axis), floats(3, 4))
sample(P.ReduceStd(1, False, True), floats(3, 4))
bad(P.ReduceStd(), ints(3), match="x must be a float tensor", error=TypeError)
for op in (P.Median(True), P.Median(False, 1), P.Median(False, 0, True), P.Median(ignore_nan=True)):
    sample(op, floats(3, 4))
    sample(op, floats(4, 4))
sample(P.Median(axis=1), nan, wrt=(), why_not="a nan has no slope")
sample(P.Median(axis=1, ignore_nan=True), nan, wrt=(), why_not="a nan has no slope")
bad(P.Median(axis=2), floats(3, 4), match="axis must be in [-2, 2)")
sample(P.NthElement(), floats(3, 5), 2)
sample(P.NthElement(True), floats(3, 5), 1)
bad(P.NthElement(), floats(3, 5), 5, match="n must be in [0, 5)")
for op in (P.Quantile(), P.Quantile(1), P.Quantile(0, True), P.Quantile(1, True, True)):
    sample(op, floats(3, 5), 0.3)
    sample(op, floats(3, 5), np.array([0.1, 0.55], np.float32), wrt=(0,))
sample(P.Quantile(1), nan, 0.5, wrt=(), why_not="a nan has no slope")
sample(P.Quantile(1, False, True), nan, 0.4, wrt=(), why_not="a nan has no slope")
bad(P.Quantile(), floats(3), 1.5, match="q must be in [0, 1]")
sample(P.CountNonZero((1,)), ints(3, 4))
bad(P.CountNonZero(2), ints(3, 4), match="axis must be in [-2, 2)")

for p in (1, 2, 3):
    sample(P.LpNorm(1, p), floats(3, 4))
sample(P.LpNorm((0, 1), 2, True), floats(3, 4))
bad(P.LpNorm(2), floats(3, 4), match="axis must be in [-2, 2)")
sample(P.EuclideanNorm(), floats(3, 4), (1,))
bad(P.EuclideanNorm(), floats(3, 4), 2, match="axis must be in [-2, 2)")
sample(P.SquareSumAll(), floats(3), floats(3, seed=1))
bad(P.SquareSumAll(), floats(3), floats(4), match="x and y must have one shape")
sample(P.Renorm(2, 0, 2.0), floats(4, 3))
bad(lambda: P.Renorm(0, 0, 2.0), match="p must be >= 1", name="Renorm")
for p in (1.0, 2.0, 3.0):
    sample(P.Cdist(p), floats(3, 2), floats(4, 2, seed=1))
    sample(P.Pdist(p), floats(4, 2))
bad(P.Cdist(), floats(3, 2), floats(3, 3), match="rows of one length")
bad(P.Pdist(), floats(3), match="at least 2 axes")
for p in (0.0, 0.5, 1.0, 2.0, 3.0, float("inf")):
    sample(PNorm(p, (0, 2)), floats(2, 3, 4))
    sample(PNorm(p, (1,), True), floats(2, 3))
