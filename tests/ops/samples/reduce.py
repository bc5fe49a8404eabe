"""Samples of reductions and running sums."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from minispore.ops.statistics.scan import WeightedScan
from tests.ops.samples import bad, bools, floats, ints, positive, sample

for op in (P.ReduceSum(), P.ReduceMean(), P.ReduceProd(), P.ReduceMax(), P.ReduceMin()):
    keep = type(op)(True)
    sample(op, positive(3, 4))
    sample(op, positive(2, 3, 2), 1)
    sample(op, positive(2, 3, 2), (0, -1))
    sample(keep, positive(2, 3, 2), (1,))
    sample(op, ints(3, 2), 0)
    sample(op, floats())
    bad(op, floats(2, 3), 2, match="axis must be in [-2, 2)")
    bad(op, floats(2, 3), (0, 0), match="must not hold an axis twice")
    bad(op, floats(2, 3), "x", match="axis must be an int", error=TypeError)
sample(P.ReduceSum(False, True), floats(2, 3))
sample(P.ReduceProd(), np.array([[0, 2, 3], [0, 0, 3]], np.float32), 1, second=False,
       why_not="it divides by the elements")  # fmt: skip
sample(
    P.ReduceMax(), np.array([[2, 2, 1]], np.float32), wrt=(), why_not="a kink where two are equal"
)
bad(P.ReduceMax(), floats(0, 3), 0, match="must have elements to reduce")
for op in (P.ReduceAll(), P.ReduceAny()):
    sample(op, bools(3, 4))
    sample(type(op)(True), bools(3, 4), 1)
    bad(op, bools(2), 1, match="axis must be in [-1, 1)")

for op in (P.Argmax(0), P.Argmin(-1), P.Argmax(1, P.Argmax().output_type)):
    sample(op, floats(3, 4), wrt=(), why_not="an index is no number")
    bad(type(op)(2), floats(2, 3), match="axis must be in [-2, 2)")
bad(lambda: P.Argmax(0, "int8"), match="output_type must be", error=TypeError, name="Argmax")
for op in (P.ArgMaxWithValue, P.ArgMinWithValue):
    sample(op(1), floats(3, 4))
    sample(op(0, True), floats(3, 4))
    sample(op(), ints(3, 4))
    bad(op(2), floats(2, 3), match="axis must be in [-2, 2)")
sample(P.PutAlongAxis(1, 4), floats(2, 1), ints(2, 1, high=4))
sample(P.PutAlongAxis(0, 3), floats(4, 2), ints(4, 2, high=3))

for reverse in (False, True):
    sample(WeightedScan(1, reverse), floats(2, 3, 2), floats(2, 3, 2, seed=1))
    sample(WeightedScan(0, reverse), floats(1), floats(1, seed=1))
for op in (P.CumSum, P.CumProd, P.CumulativeLogsumexp):
    for exclusive in (False, True):
        for reverse in (False, True):
            infinite = exclusive and op is P.CumulativeLogsumexp
            sample(
                op(exclusive, reverse),
                positive(2, 4),
                1,
                wrt=() if infinite else None,
                why_not="it starts with log(0)",
            )
    sample(op(), positive(3, 2), -2)
    bad(op(), floats(2, 3), 2, match="axis must be in [-2, 2)")
for op in (P.Cummax, P.Cummin):
    sample(op(1), floats(2, 5))
    sample(op(0), ints(5, 2))
    bad(op(2), floats(2, 3), match="axis must be in [-2, 2)")
# long enough for sums by products
sample(P.ReduceSum(), abs(floats(40, 30)), tolerance=1e-5)
sample(P.ReduceSum(True), abs(floats(40, 30)), 1, tolerance=1e-5)
sample(P.ReduceMean(), abs(floats(40, 30)), 0, tolerance=1e-5)
