"""Samples of reversing, rolling, padding, striding, and of space, depth and batch."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from minispore.ops.shape.pad import PadByIndex, PadConstant
from tests.ops.samples import bad, floats, ints, sample

sample(P.ReverseV2((0, -1)), floats(2, 3, 2))
bad(P.ReverseV2((2,)), floats(2, 3), match=r"axis must be in [-2, 2)")
sample(P.ReverseSequence(1), floats(2, 4), np.array([3, 4]))
sample(P.ReverseSequence(0, 1), floats(4, 2, 3), np.array([0, 2]))
bad(P.ReverseSequence(1), floats(2, 4), np.array([3, 5]), match=r"must be in [0, 4]")
bad(P.ReverseSequence(0), floats(2, 4), ints(2), match="must differ")
sample(P.Roll(1, 0), floats(3, 2))
sample(P.Roll((1, -2), (0, 1)), floats(3, 4))
sample(P.Roll(2), floats(3, 2))
bad(P.Roll(1, 2), floats(3, 2), match=r"dims must be in [-2, 2)")
bad(lambda: P.Roll((1, 2), (0,)), match="must be of one length", name="Roll")

sample(P.DepthToSpace(2), floats(1, 8, 2, 3))
bad(P.DepthToSpace(2), floats(1, 6, 2, 2), match="must be divisible by 4")
sample(P.SpaceToDepth(2), floats(1, 2, 4, 6))
bad(P.SpaceToDepth(2), floats(1, 2, 3, 4), match="must be divisible by 2")
sample(P.ChannelShuffle(2), floats(2, 6, 2, 2))
bad(P.ChannelShuffle(4), floats(2, 6, 2, 1), match="C divisible by group = 4")
sample(P.SpaceToBatchND((2, 3), ((1, 0), (0, 1))), floats(2, 2, 3, 5))
bad(P.SpaceToBatchND((2,), ((0, 0),)), floats(2, 3), match="must be divisible by block_shape")
sample(P.BatchToSpaceND((2, 3), ((1, 0), (0, 1))), floats(6, 2, 2, 2))
bad(P.BatchToSpaceND((2,), ((0, 0),)), floats(3, 2), match="batch divisible by 2")

sample(PadConstant(((1, 0), (-1, 2))), floats(2, 3), 1.5)
sample(PadConstant(((0, -2), (0, 0))), floats(3, 2), floats())
for mode in ("reflect", "symmetric", "edge", "wrap"):
    sample(PadByIndex(((1, 2), (0, 1)), mode), floats(3, 2))
sample(P.StridedSlice(), floats(4, 5), (0, 4), (4, 0), (2, -2))
sample(P.StridedSlice(1, 2, 0, 0, 4), floats(3, 4, 2), (1, 1, 1), (2, 2, 2), (1, 1, 1))
masked = P.StridedSlice(ellipsis_mask=1, new_axis_mask=2)
sample(masked, floats(2, 3), (0, 0, 1), (0, 0, 2), (1, 1, 1))
bad(P.StridedSlice(), floats(3), (0,), (3,), (0,), match="strides must not be 0")
bad(P.StridedSlice(), floats(3), (0,), (3, 1), (1,), match="must be of one length")
