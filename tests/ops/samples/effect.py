"""Samples of assignments, hooks, checks and collectives of one rank; ops that need a queue, write
somewhere or call the user's functions are tested in files of their own.
"""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from tests.ops.samples import bad, elsewhere, floats, ints, positive, sample

STRAIGHT = "as in MindSpore it is that of the variable, see tests/ops/test_mutation.py"
sample(P.Assign(), floats(2, 3), floats(2, 3, seed=1), wrt=(), why_not=STRAIGHT)
for op in (P.AssignAdd(), P.AssignSub()):
    sample(op, floats(2, 3), floats(2, 3, seed=1))
for op in (P.Assign(), P.AssignAdd(), P.AssignSub()):
    sample(op, ints(3), ints(3, seed=1))
    bad(op, floats(2, 3), floats(2, 2), match="value must have the variable's shape")
    bad(op, ints(3), floats(3), match="must fit into the variable", error=TypeError)
for op in (P.AssignAdd(), P.AssignSub()):
    sample(op, floats(2, 3), floats())
for name in (
    "GetNext",
    "Print",
    "HookBackward",
    "InsertGradientOf",
    "PrintLine",
    "PyFunc",
):
    elsewhere(name, "tests/ops/test_effect.py")
elsewhere("InplaceAddExt", "tests/ops/test_inplace.py")
elsewhere("FlashAttentionScore", "tests/ops/test_attention.py")
for name in ("FusedInferAttentionScore", "IncreFlashAttention", "PromptFlashAttention"):
    elsewhere(name, "tests/ops/test_inference_attention.py")
for name in (
    "KVCacheScatterUpdate",
    "PagedAttention",
    "PagedAttentionMask",
    "PutRows",
    "PutRowsInPlace",
    "PutTokens",
    "PutTokensInPlace",
    "ReshapeAndCache",
):
    elsewhere(name, "tests/ops/test_paged_attention.py")
elsewhere("StreamSeed", "tests/ops/test_speed_fusion.py")
elsewhere("ApplyRotaryPosEmb", "tests/ops/test_rotary_tables.py")
elsewhere("RotatedIou", "tests/ops/test_rotated_iou.py")
elsewhere("Custom", "tests/ops/test_custom.py")
for name in ("ScalarSummary", "TensorSummary", "HistogramSummary", "ImageSummary", "TensorDump"):
    elsewhere(name, "tests/ops/test_watch.py")
elsewhere("DumpGradient", "tests/ops/test_watch.py")
sample(P.FloatStatus(), floats(2, 3), wrt=(), why_not="a flag")
sample(P.FloatStatus(), np.float32([1, np.inf]), wrt=(), why_not="a flag")
bad(P.FloatStatus(), ints(2), match="must be a float tensor", error=TypeError)
sample(P.CheckNumerics(), floats(2, 3))
bad(P.CheckNumerics(), np.float32([1, np.nan]), match="got NaN", error=RuntimeError)
for status in (np.zeros(8, np.float32), np.zeros((2, 2), np.float16)):
    sample(P.NPUClearFloatStatus(), status, wrt=(), why_not="a flag")
    sample(P.NPUGetFloatStatus(), status, wrt=(), why_not="a flag")
sample(P.NPUAllocFloatStatus(), wrt=(), why_not="a flag")
bad(
    lambda: P.NPUAllocFloatStatus(8),
    match="takes at most 0 arguments",
    name="NPUAllocFloatStatus",
    error=TypeError,
)
for op in (P.NPUClearFloatStatus(), P.NPUGetFloatStatus()):
    bad(op, ints(8), match="x must be float16 or float32", error=TypeError)
    bad(op, floats(0), match="x must have at least 1 element")

# -- a group of one rank --------------------------------------------------------------------------

for how in ("sum", "max", "min", "prod"):
    sample(P.AllReduce(how), positive(2, 3))
bad(lambda: P.AllReduce("mean"), match="op must be one of", name="AllReduce")
for name in ("AllGatherShares", "AllReduceBegin", "AllReduceEnd"):
    elsewhere(name, "tests/ops/test_collective.py")
sample(P.AllGather(), floats(2, 3))
bad(P.AllGather(), floats(), match="at least 1 axis")
sample(P.ReduceScatter(), floats(2, 3))
bad(P.ReduceScatter(), floats(), match="must be divisible by the 1 ranks")
sample(P.Broadcast(0), floats(2), ints(3))
bad(lambda: P.Broadcast(-1), match="root_rank must be >= 0", name="Broadcast")
sample(P.AlltoAll(1, 0, 1), floats(2, 3))
bad(P.AlltoAll(2, 0, 1), floats(2, 3), match="split_count must be the 1 ranks")
UNDIFFERENTIATED = "MindSpore has no gradient of it"
for op in (P.Reduce(0), P.CollectiveGather(0), P.CollectiveScatter(0)):
    sample(op, floats(2, 3), wrt=(), why_not=UNDIFFERENTIATED)
bad(lambda: P.Reduce(0, "x"), match="op must be one of", name="Reduce")
bad(P.CollectiveGather(0), floats(), match="at least 1 axis")
bad(P.CollectiveScatter(0), floats(), match="must be divisible by")
sample(P.Barrier())
bad(lambda: P.Barrier(3), match="group must be a str", error=TypeError, name="Barrier")
elsewhere("Send", "tests/ops/test_collective.py")
elsewhere("Receive", "tests/ops/test_collective.py")
