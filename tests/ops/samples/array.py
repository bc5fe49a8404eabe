"""Samples of casts, constants, ranges, shapes, joins and diagonals."""

from __future__ import annotations

import numpy as np

import minispore as ms
from minispore import ops as P
from minispore.ops.linalg.diagonal import Diagonal, DiagonalScatter
from minispore.ops.shape.cast_fill import ConvertToDynamic
from minispore.ops.shape.convert import ViewDtype
from tests.ops.samples import bad, floats, ints, sample

# -- whole arrays ---------------------------------------------------------------------------------

sample(P.Cast(), floats(2, 3), ms.float64)
sample(P.Cast(), floats(2, 3), ms.float16, wrt=(), why_not="half precision")
sample(P.Cast(), floats(2, 3), ms.int32, wrt=(), why_not="whole numbers have no slope")
sample(P.Cast(), ints(2, 3), ms.bool_)
sample(P.Cast(), floats(2, 3).astype(np.complex64), ms.float32)
bad(P.Cast(), floats(2), "flaot32", match="Did you mean 'float32'?", error=TypeError)
sample(ViewDtype(), floats(2, 3), ms.int32, wrt=(), why_not="bits have no slope")
sample(ViewDtype(), floats(2, 4), ms.float64, wrt=(), why_not="bits have no slope")
sample(ViewDtype(), ints(2, 3), ms.int8)
sample(ViewDtype(), ints(3), ms.bool_)
bad(ViewDtype(), floats(2, 3), ms.float64, match="must hold whole elements of float64")
bad(ViewDtype(), floats(), ms.int8, match="must hold whole elements of int8")
for op in (P.Identity(), P.ZerosLike(), P.OnesLike()):
    sample(op, floats(2, 3))
    sample(op, ints(4))
    bad(op, 3, match="must be a Tensor", error=TypeError)
sample(P.StopGradient(), floats(2, 3), wrt=(), why_not="it stops gradients")
bad(P.StopGradient(), 3, match="must be a Tensor", error=TypeError)
sample(P.Fill(), ms.float32, (2, 3), 1.5)
bad(P.Fill(), ms.float32, (2, -3), 1.5, match="every length in shape must be >= 0")
bad(P.Fill(), ms.float32, (2,), "x", match="value must be a number", error=TypeError)
sample(P.FillV2(), (2, 3), floats())
bad(P.FillV2(), (2, 3), floats(2), match="value must hold one element")
for op in (P.Zeros(), P.Ones()):
    sample(op, (2, 3), ms.int32)
    sample(op, 4, ms.float16)
    bad(op, (2, 1.5), ms.int32, match="must be an int or a tuple of ints", error=TypeError)

# -- made from numbers ----------------------------------------------------------------------------

sample(P.Range(), 0, 5, 2)
sample(P.Range(), 5.0, 1.0, -0.5)
bad(P.Range(), 0, 5, 0, match="delta must not be 0")
bad(P.Range(3), 0, 5, 1, match="at most maxlen = 3")
sample(P.LinSpace(), 0.0, 1.0, 4)
bad(P.LinSpace(), 0.0, 1.0, 0, match="num must be >= 1")
sample(P.LogSpace(4, 2), 0.0, 3.0)
bad(P.LogSpace(-1), 0.0, 3.0, match="steps must be >= 0")
sample(P.Eye(), 2, 3, ms.float32)
bad(P.Eye(), 2.0, 3, ms.float32, match="n must be an int", error=TypeError)
sample(P.Meshgrid(), floats(3), floats(2), floats(4))
sample(P.Meshgrid("ij"), floats(3), ints(2))
bad(P.Meshgrid(), floats(2, 2), floats(2), match="inputs must be vectors")
for indices in (P.TrilIndices, P.TriuIndices):
    sample(indices(3, 4, 1))
    sample(indices(4, 2, -1, ms.int64))
    bad(lambda op=indices: op(-1, 2), match="row must be >= 0", name=indices.name)

# -- shapes ---------------------------------------------------------------------------------------

sample(P.Reshape(), floats(2, 6), (3, -1))
sample(P.Reshape(), floats(), (1, 1))
bad(P.Reshape(), floats(2, 3), (4, 2), match="must hold the 6 elements")
bad(P.Reshape(), floats(2, 3), (-1, 4), match="must hold the 6 elements")
sample(P.Flatten(), floats(2, 3, 2))
bad(P.Flatten(), floats(), match="at least 1 axis")
sample(P.ExpandDims(), floats(2, 3), 1)
sample(P.ExpandDims(), floats(2, 3), -1)
bad(P.ExpandDims(), floats(2, 3), 3, match=r"axis must be in [-3, 3)")
sample(P.Squeeze(), floats(1, 3, 1))
sample(P.Squeeze((0, 2)), floats(1, 3, 1))
sample(P.Squeeze(1), floats(1, 3, 1))
bad(P.Squeeze(3), floats(1, 3), match=r"axis must be in [-2, 2)")
sample(P.Transpose(), floats(2, 3, 4), (2, 0, 1))
sample(P.Transpose(), floats(2, 3), (-1, 0))
bad(P.Transpose(), floats(2, 3), (0,), match="must name each of the 2 axes")
bad(P.Transpose(), floats(2, 3), (0, 0), match="must not hold an axis twice")
sample(P.BroadcastTo((4, 2, 3)), floats(2, 1))
sample(P.BroadcastTo((2, -1)), floats(1, 3))
bad(P.BroadcastTo((2, 4)), floats(2, 3), match="can be repeated to")
sample(P.Tile(), floats(2, 3), (2, 1, 2))
sample(P.Tile(), floats(2, 3), (3,))
bad(P.Tile(), floats(2, 3), (-1,), match="multiples must be >= 0")

# -- together and apart ---------------------------------------------------------------------------

sample(P.Concat(1), floats(2, 3), floats(2, 1), floats(2, 2))
sample(P.Concat(-2), ints(2, 3), ints(1, 3))
bad(P.Concat(), floats(2, 3), floats(2, 2), match="same shape except along axis 0")
bad(P.Concat(2), floats(2, 3), floats(2, 3), match=r"axis must be in [-2, 2)")
sample(P.Stack(1), floats(2, 3), floats(2, 3, seed=1))
sample(P.Stack(-1), floats(2), floats(2, seed=1))
bad(P.Stack(), floats(2), floats(3), match="must have one shape")
bad(P.Stack(), floats(2), ints(2), match="must be of one dtype", error=TypeError)
sample(P.Split(1, 3), floats(2, 6))
bad(P.Split(0, 2), floats(3), match="must divide the length")
sample(P.SplitV((1, -1), 1, 2), floats(2, 5))
bad(P.SplitV((1, 2), 0, 2), floats(4), match="must add up to 4")
sample(P.Unstack(1), floats(2, 3))
bad(P.Unstack(0, 3), floats(2), match="num must be the length")
sample(P.Slice(), floats(3, 4), (1, 0), (2, 3))
sample(P.Slice(), floats(3, 4), (0, 2), (-1, -1))
bad(P.Slice(), floats(3), (2,), (2,), match="must stay inside")
sample(P.Pad(((1, 2), (0, 1))), floats(2, 3))
bad(P.Pad(((1, 2),)), floats(2, 3), match="one pair for each axis")
bad(lambda: P.Pad(((-1, 2),)), match="must not be negative", name="Pad")

# -- diagonals ------------------------------------------------------------------------------------

for op in (P.Tril(), P.Tril(1), P.Triu(), P.Triu(-1)):
    sample(op, floats(2, 3, 4))
    bad(op, floats(3), match="at least 2 axes")
sample(P.MatrixBandPart(), floats(4, 5), 1, 2)
sample(P.MatrixBandPart(), floats(4, 5), -1, 0)
sample(P.MatrixBandPart(), floats(2, 2), 3, -4)
bad(P.MatrixBandPart(), floats(2, 2), 0.5, 0, match="lower must be an int", error=TypeError)
sample(Diagonal(), floats(3, 4))
sample(Diagonal(1, 2, 0), floats(3, 2, 4))
bad(Diagonal(0, 1, 1), floats(3, 4), match="dim1 and dim2 must differ")
sample(DiagonalScatter(-1), floats(3, 4), floats(2))
sample(P.Diag(), floats(2, 3))
bad(P.Diag(), floats(), match="at least 1 axis")
sample(P.DiagPart(), floats(2, 3, 2, 3))
bad(P.DiagPart(), floats(2, 3), match="second half of the shape")
sample(P.FillDiagonal(2.5), floats(3, 4))
sample(P.FillDiagonal(2.5, True), floats(7, 3))
bad(P.FillDiagonal(1.0), floats(2, 3, 4), match="all must be of one length")
sample(P.Trace(), floats(3, 4))
bad(P.Trace(), floats(3), match="must be a matrix")
sample(ConvertToDynamic(True), floats(2, 3))
bad(ConvertToDynamic(), 1.5, match="must be a Tensor", error=TypeError)
sample(P.DataFormatDimMap(), ints(2, 3, low=-4, high=4))
sample(P.DataFormatDimMap("NCHW", "NHWC"), ints(5, low=-4, high=4, dtype=np.int64))
bad(P.DataFormatDimMap(), np.array([4], np.int32), match="must hold axes in [-4, 4)")
bad(P.DataFormatDimMap(), floats(2), match="must be a Tensor of int32", error=TypeError)
bad(lambda: P.DataFormatDimMap("NHCW"), match="must be one of", name="DataFormatDimMap")
