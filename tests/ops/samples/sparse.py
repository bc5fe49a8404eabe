"""Samples of sparse and ragged tensors in parts: places, values, a shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops as P
from minispore.ir import dtype as mstype
from minispore.ops.operations import sparse_ops as S
from tests.ops.samples import bad, elsewhere, floats, sample


def whole(*numbers: Any) -> np.ndarray:
    return np.array(numbers, np.int64)


AT, VALUES, SHAPE = whole([1, 2], [0, 1], [1, 0]), floats(3), whole(3, 3)
FAR = whole([1, 2], [0, 5], [1, 0])
CROSSED = (S.SparseDenseCwiseAdd(), S.SparseDenseCwiseMul(), S.SparseDenseCwiseDiv())

sample(P.Coalesce(), whole([0, 0, 1], [1, 1, 2]), VALUES, SHAPE)
bad(P.Coalesce(), whole([0, 0, 1], [1, 1, 3]), VALUES, SHAPE, match="must be places in the shape")
bad(P.Coalesce(), AT.astype(np.int32), VALUES, SHAPE, match="of int64", error=TypeError)
sample(S.SparseReorder(), AT, VALUES, SHAPE)
bad(S.SparseReorder(), FAR, VALUES, SHAPE, match="must be places in the shape")
sample(S.SparseReshape(), AT, SHAPE, whole(9, -1))
bad(S.SparseReshape(), AT, SHAPE, whole(4, -1), match="of the 9 elements")
sample(P.SparseSlice(), AT, VALUES, SHAPE, whole(0, 1), whole(2, 5))
sample(P.SparseSlice(), AT, VALUES, SHAPE, whole(2, 0), whole(1, 3), wrt=(), why_not="nothing left")
bad(P.SparseSlice(), AT, VALUES, SHAPE, whole(0, 1), whole(2), match="size must hold 2 numbers")
for lists in ("SparseSplit", "SparseConcat"):
    elsewhere(lists, "tests/ops/test_sparse_parts.py")
sample(S.SparseFillEmptyRows(), AT, VALUES, SHAPE, np.float32([9]).reshape(()))
bad(S.SparseFillEmptyRows(), FAR, VALUES, SHAPE, np.full((), 9, np.float32), match="must be places")
sample(S.SparseToDenseV2(False), AT, SHAPE, VALUES, np.float32([7]).reshape(()))
bad(
    S.SparseToDenseV2(),
    AT,
    SHAPE,
    VALUES,
    np.full((), 7, np.float32),
    match="must be in row-major order",
)
sample(S.SetSize(), AT, np.array([1, 1, 4], np.int32), SHAPE)
bad(S.SetSize(), AT, np.array([1, 1], np.int32), SHAPE, match="one for each place")

TWO, OTHER = whole([1, 5, 5], [4, 3, 0]), whole([7, 1], [4, 4])
sample(P.DenseToDenseSetOperation("union"), TWO, OTHER)
sample(P.DenseToSparseSetOperation(), TWO, AT[[1, 2]], whole(3, 1), whole(2, 2))
bad(P.DenseToDenseSetOperation(), TWO, OTHER[:1], match="alike in their shape but for the last")
bad(P.DenseToDenseSetOperation(), TWO[0], OTHER[0], match="x1 must have 2 axes or more")
bad(P.DenseToSparseSetOperation(), TWO, FAR, whole(1, 1, 1), whole(2, 2), match="must be places")

PAIR = (AT, VALUES, SHAPE, whole([0, 1], [2, 2]), floats(2, seed=1), SHAPE)
sample(S.SparseAdd(), *PAIR, np.zeros((), np.float32), wrt=(1, 4))
bad(S.SparseAdd(), *PAIR[:5], whole(3, 4), np.zeros((), np.float32), match="x2_shape must be equal")
for op in (S.SparseSparseMaximum(), S.SparseSparseMinimum()):
    sample(op, *PAIR)
    bad(op, *PAIR[:5], whole(3, 4), match="x2_shape must be equal")
for op in CROSSED:
    sample(op, AT, VALUES, SHAPE, floats(3, low=1.0))
    bad(op, FAR, VALUES, SHAPE, floats(3), match="must be places in the shape")
sample(P.SparseTensorDenseAdd(), AT, VALUES, SHAPE, floats(3, 3))
sample(P.SparseTensorDenseAdd(), AT, VALUES, (3, 3), floats(3, 3))
bad(
    P.SparseTensorDenseAdd(), AT, VALUES, SHAPE, floats(2, 3), match="x2 must have the shape (3, 3)"
)
ONE = np.ones(1, np.float32)
sample(S.SparseAddmm(), AT, VALUES, SHAPE, floats(3, 2), floats(3, 2), ONE, ONE)
bad(S.SparseAddmm(), AT, VALUES, SHAPE, floats(2, 2), floats(3, 2), ONE, ONE, match="fits to")
turned = (AT.T.copy(), VALUES, SHAPE)
sample(S.Sspaddmm(), *turned, *turned, floats(3, 3), ONE, ONE)
bad(S.Sspaddmm(), *turned, *turned, floats(2, 3), ONE, ONE, match="must have the shape (3, 3)")
sample(S.SparseSoftmax(), AT, VALUES, SHAPE)
bad(S.SparseSoftmax(), AT, VALUES, whole(9), match="hold 2 lengths or more")
NUMBERS = whole(0, 3, 3)
sample(S.SparseCountSparseOutput(), AT, NUMBERS, SHAPE, floats(3))
sample(S.SparseCountSparseOutput(True, 2, 3), AT, NUMBERS, SHAPE, floats(3), wrt=(), why_not="ones")
bad(S.SparseCountSparseOutput(), AT, NUMBERS, SHAPE, floats(2), match="of values")

CSR = tuple(np.int32(n) for n in ([2, 3], [0, 3], [0, 1, 3], [1, 0, 2]))
BATCH = tuple(np.int32(n) for n in ([2, 2, 3], [0, 2, 3], [0, 1, 2, 0, 1, 1], [1, 0, 2]))
UNENDED = (*CSR[:2], np.int32([0, 1, 2]), CSR[3])
for op in (
    S.CSRSparseMatrixToDense(),
    S.CSRSparseMatrixToSparseTensor(),
    S.SparseMatrixSoftmax(mstype.float32),
    S.SparseMatrixTranspose(),
):
    sample(op, *CSR, VALUES)
    sample(op, *BATCH, VALUES)
    bad(op, *UNENDED, VALUES, match="x_row_pointers must grow")
sample(S.SparseMatrixNNZ(), *BATCH, VALUES, wrt=(), why_not="counts")
bad(S.SparseMatrixNNZ(), *UNENDED, VALUES, match="x_row_pointers must grow")
sample(S.DenseToCSRSparseMatrix(), floats(3, 3), AT)
bad(S.DenseToCSRSparseMatrix(), floats(3), AT, match="2 or 3 axes")
sample(S.SparseTensorToCSRSparseMatrix(), AT, VALUES, SHAPE)
bad(S.SparseTensorToCSRSparseMatrix(), AT, VALUES, whole(9), match="2 or 3 lengths")
two, three = np.float32([2]).reshape(()), np.float32([3]).reshape(())
sample(S.SparseMatrixAdd(), *CSR, VALUES, *CSR, floats(3, seed=1), two, three)
bad(S.SparseMatrixAdd(), *CSR, VALUES, match="takes 12 inputs", error=TypeError)
sample(S.SparseMatrixMatMul(), *CSR, VALUES, floats(3, 2))
sample(
    S.SparseMatrixMatMul(True, adjoint_x2=True, transpose_output=True), *CSR, VALUES, floats(2, 2)
)
bad(S.SparseMatrixMatMul(), *CSR, VALUES, floats(2, 2), match="can be multiplied with")
product = S.SparseMatrixSparseMatMul(transpose_b=True)
sample(product, *CSR, VALUES, *CSR, floats(3, seed=1))
bad(product, *CSR, VALUES, match="takes 10 inputs", error=TypeError)

ROWS, IDS = np.int32([0, 2, 3]), np.int32([0, 0, 1])
for name in ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"):
    op, counted = getattr(S, name)(), getattr(S, f"{name}WithNumSegments")()
    sample(op, floats(4, 2), ROWS, IDS)
    sample(counted, floats(4, 2), ROWS, IDS, np.int32([3]))
    bad(op, floats(4, 2), ROWS + 1, IDS, match="indices must be in [0, 4)")
    bad(counted, floats(4, 2), ROWS, IDS, np.int32([1]), match="segment_ids must be in order")

sample(P.RaggedRange(mstype.int64), np.int32([2, 5]), np.int32([5, 6]), np.int32([2, 1]))
floating = "which numbers there are does not move"
sample(
    P.RaggedRange(mstype.int32),
    floats(1),
    floats(1) + 2,
    0.3 + 0 * floats(1),
    wrt=(),
    why_not=floating,
)
bad(P.RaggedRange(mstype.int64), np.int32([2]), np.int32([5]), np.int32([0]), match="not be 0")
nested = (whole(0, 2, 2, 3),)
sample(S.RaggedTensorToSparse(mstype.int64), nested, floats(3))
bad(S.RaggedTensorToSparse(mstype.int64), (), floats(3), match="must hold 1 tensor or more")
fill = np.float32([9]).reshape(())
sample(S.RaggedTensorToTensor(["ROW_SPLITS"]), whole(3, 2), floats(3), fill, nested)
ids = (np.array(3), whole(0, 0, 2))
sample(
    S.RaggedTensorToTensor(["FIRST_DIM_SIZE", "VALUE_ROWIDS"]), whole(4, 1), floats(3), fill, ids
)
bad(
    lambda: S.RaggedTensorToTensor(["VALUE_ROWIDS"]),
    match="must begin with 'FIRST_DIM_SIZE'",
    name="RaggedTensorToTensor",
)
