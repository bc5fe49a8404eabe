"""Samples of sorting, searching, counting, and of larger ways to put tensors together."""

from __future__ import annotations

import numpy as np

import minispore as ms
from minispore import ops as P
from tests.ops.samples import bad, floats, ints, positive, sample

WHERE = "an index is no number"

for op in (P.Sort(), P.Sort(0, True), P.Sort(1)):
    sample(op, floats(3, 4))
    sample(op, ints(3, 4))
bad(P.Sort(2), floats(2, 3), match="axis must be in [-2, 2)")
bad(lambda: P.Sort(0, 1), match="descending must be a bool", error=TypeError, name="Sort")
sample(P.TopK(), floats(3, 5), 2)
sample(P.TopK(False), ints(5), 5)
bad(P.TopK(), floats(3), 4, match="k must be in [0, 3]")
sample(P.SearchSorted(), np.sort(floats(5)), floats(2, 3, seed=1), wrt=(), why_not=WHERE)
sample(P.SearchSorted(ms.int32, True), np.sort(ints(2, 5)), ints(2, 3))
bad(P.SearchSorted(), floats(2, 3), floats(3, 3), match="sorted_sequence must be a vector or")
bad(lambda: P.SearchSorted(ms.int8), match="int32 or int64", error=TypeError, name="SearchSorted")
for op in (P.LowerBound(), P.UpperBound()):
    sample(op, np.sort(floats(2, 5)), floats(2, 3, seed=1), wrt=(), why_not=WHERE)
    bad(op, floats(2, 3), floats(3, 3), match="sorted_sequence must be a vector or")
sample(P.Bucketize((-1.0, 0.5, 1.0)), floats(2, 3), wrt=(), why_not=WHERE)
bad(
    lambda: P.Bucketize([[1.0]])(ms.Tensor(1.0)),
    match="must",
    name="Bucketize",
)
sample(P.InTopK(2), floats(3, 5), ints(3), wrt=(), why_not=WHERE)
bad(P.InTopK(1), floats(3), ints(3), match="x1 must be a matrix")

sample(P.Unique(), ints(6, high=4))
bad(P.Unique(), 3, match="must be a Tensor", error=TypeError)
sample(P.UniqueWithPad(), ints(6, high=4), -1)
bad(P.UniqueWithPad(), ints(2, 3), 0, match="x must be a vector")
sample(P.UniqueConsecutive(True, True), ints(8, high=3))
sample(P.UniqueConsecutive(dim=0), ints(6, 2, high=2))
bad(P.UniqueConsecutive(dim=2), ints(3), match="dim must be in [-1, 1)")
sample(P.NonZero(), ints(3, 4, high=2))
bad(P.NonZero(), ints(), match="at least 1 axis")
sample(P.Bincount(), ints(6, high=4), 5, floats(6))
sample(P.Bincount(), ints(6, high=4), 5, floats(0), wrt=(), why_not="no weights")
bad(P.Bincount(), ints(3), 5, floats(4), match="weights must have the shape")
bad(P.Bincount(), np.int32([-1]), 5, floats(1), match="must not be negative")
sample(P.Histogram(4, -1.0, 1.0), floats(3, 4), wrt=(), why_not="a count has no slope")
sample(P.Histogram(4), ints(9))
bad(lambda: P.Histogram(4, 2.0, 1.0), match="min must be <= max", name="Histogram")
sample(P.HistogramFixedWidth(4), floats(9), np.float32([-1, 1]), wrt=(), why_not="a count")
bad(P.HistogramFixedWidth(4), floats(9), floats(3), match="range must hold two numbers")
sample(P.ListDiff(), ints(6), ints(2, seed=1))
bad(P.ListDiff(), ints(2, 3), ints(2), match="must be vectors")

sample(P.Eps(), floats(2, 3), wrt=(), why_not="a constant")
bad(P.Eps(), ints(2), match="must be a float tensor", error=TypeError)
sample(P.UnravelIndex(), ints(2, 3, high=12), (3, 4))
bad(P.UnravelIndex(), ints(2), (0, 4), match="positive lengths")
bad(P.UnravelIndex(), np.array([12]), (3, 4), match="indices must lie in an array")
sample(P.ParallelConcat(), (floats(1, 3), floats(1, 3, seed=1)))
bad(
    lambda: P.ParallelConcat()((ms.Tensor([1]), ms.Tensor([1, 2]))),
    match="must have one shape",
    name="ParallelConcat",
)
sample(P.IdentityN(), (floats(2), ints(3)))
bad(P.IdentityN(), (3,), match="must be a Tensor", error=TypeError)

for op in (P.SegmentSum(), P.SegmentMean(), P.SegmentMax(), P.SegmentMin(), P.SegmentProd()):
    sample(op, positive(4, 3), np.array([0, 0, 1, 3]))
    bad(op, floats(3), ints(2), match="a vector as long as input_x")
    bad(op, floats(3), np.array([0, 2, 1]), match="must not fall")
sample(P.IndexPut(), floats(3, 4), floats(2), (np.array([0, 2]), np.array([1, 1])))
sample(P.IndexPut(1), floats(3, 4), floats(2), (np.array([2, 2]), np.array([1, 1])))
bad(
    lambda: P.IndexPut()(ms.Tensor([1]), ms.Tensor([1, 2]), (ms.Tensor([0]),)),
    match="must broadcast to what the index picks",
    name="IndexPut",
)
sample(P.InplaceUpdateV2(), floats(3, 2), (2, 0), floats(2, 2))
bad(P.InplaceUpdateV2(), floats(3, 2), 3, floats(1, 2), match="indices must be below 3")
sample(P.SpaceToBatch(2, ((0, 1), (1, 0))), floats(1, 2, 3, 3))
bad(P.SpaceToBatch(2, ((0, 0), (0, 0))), floats(1, 2, 3, 3), match="must be divisible by")
sample(P.BatchToSpace(2, ((0, 1), (1, 0))), floats(4, 2, 2, 2))
bad(P.BatchToSpace(2, ((0, 0), (0, 0))), floats(3, 2, 2, 2), match="batch divisible by 4")
sample(P.PadV3(), floats(2, 3), (1, 0, 0, 2), 1.5)
sample(P.PadV3("reflect"), floats(1, 2, 3), (2, 1))
sample(P.PadV3("edge", False), floats(1, 2, 3), (1, 0, 2, 1))
bad(P.PadV3(), floats(2), (1, 1, 1, 1), match="at most 2 ints")
bad(P.PadV3("mirror"), floats(2), (1, 1), match="mode must be one of")
sample(P.MirrorPad(), floats(3, 2), ((2, 1), (1, 0)))
sample(P.MirrorPad("SYMMETRIC"), floats(3, 2), ((2, 3), (1, 2)))
bad(P.MirrorPad(), floats(3), ((3, 0),), match="must be at most 2")
sample(P.Padding(4), floats(2, 1))
bad(P.Padding(4), floats(2, 2), match="the last of length 1")

sample(P.EqualCount(), ints(9, high=2), ints(9, high=2, seed=1))
bad(P.EqualCount(), ints(3), floats(3), match="of one shape and dtype")
sample(P.ConfusionMatrix(3), ints(9, high=3), ints(9, high=3, seed=1))
sample(P.ConfusionMatrix(3), ints(4, high=3), ints(4, high=3), floats(4), wrt=(), why_not="a count")
bad(P.ConfusionMatrix(2), ints(3), ints(4), match="must be of one length")
bad(P.ConfusionMatrix(2), ints(3, low=2), ints(3, high=2), match=r"labels must be in [0, 2)")

for align in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
    sample(P.MatrixDiagPartV3(align), floats(2, 3, 4), (-1, 2), floats())
    sample(P.MatrixDiagV3(align), floats(2, 4, 3), (-1, 2), 3, 4, floats())
    sample(P.MatrixSetDiagV3(align), floats(2, 3, 4), floats(2, 3, 3, seed=1), (0, 2))
sample(P.MatrixDiagV3(), floats(2, 3), -1, -1, -1, 0.5)
bad(P.MatrixDiagPartV3(), floats(3, 4), (2, 1), 0, match="one or two rising diagonals")
bad(P.MatrixDiagV3(), floats(3), (0, 1), 3, 3, 0, match="x must hold 2 diagonals of 3")
bad(P.MatrixSetDiagV3(), floats(3, 4), floats(4), 0, match="diagonal must have shape (3,)")
bad(lambda: P.MatrixDiagV3("LEFT"), match="align must be one of", name="MatrixDiagV3")

sample(P.EmbeddingLookup(), floats(4, 3), np.array([[1, 5], [2, 0]]), 1)
bad(P.EmbeddingLookup(), floats(2, 2, 2), ints(2), 0, match="1 or 2 axes")
sample(P.SparseToDense(), np.array([[0, 1], [2, 0]]), floats(2), (3, 2))
bad(P.SparseToDense(), ints(2, 3), floats(2), (3, 2), match="at most 2 coordinates")
AT = np.array([[0, 1], [2, 0], [2, 1]])
sample(P.SparseTensorDenseMatmul(), AT, floats(3), (3, 2), floats(2, 4))
sample(P.SparseTensorDenseMatmul(True, True), AT, floats(3), (3, 2), floats(4, 3))
bad(
    P.SparseTensorDenseMatmul(), AT, floats(3), (3, 2), floats(3, 4), match="dense must have 2 rows"
)
