"""Samples of what large language models are made of."""

from __future__ import annotations

import numpy as np

from minispore.ops.transformer import experts, fused_norms, gating, grouped, products, routing
from tests.ops.samples import bad, elsewhere, floats, positive, sample

WHERE = np.array([[1, 0], [2, 1], [0, 1]], np.int32)  # the experts of three tokens
ENDS = np.array([2, 2, 5], np.int64)  # the second group is empty
TYPE, RUN = TypeError, RuntimeError
NO_64 = "it takes no float64; tests/ops/test_experts.py has its gradients"

sample(experts.MoeTokenPermute(), floats(3, 4), WHERE, wrt=(), why_not=NO_64)
sample(experts.MoeTokenPermute(), floats(3, 4), WHERE.astype(np.int64), 4, wrt=(), why_not=NO_64)
sample(experts.MoeTokenPermute(), floats(3, 4), WHERE[:, 0].copy(), wrt=(), why_not=NO_64)
PERMUTE = experts.MoeTokenPermute()
bad(PERMUTE, floats(3, 4, 1), WHERE, match="tokens must have 2 axes")
bad(PERMUTE, floats(3, 4), floats(3), match="indices must be a Tensor of int32", error=TYPE)
bad(PERMUTE, floats(3, 4), WHERE, -1, match="num_out_tokens must be >= 0, got -1")
bad(PERMUTE, floats(3, 4), WHERE, 1.0, match="num_out_tokens must be an int", error=TYPE)
bad(PERMUTE, floats(3, 4), WHERE, None, True, match="padded_mode must be False")
bad(PERMUTE, floats(4, 4), WHERE, match="indices must have the shape (4, 2), got (3, 2)")
bad(PERMUTE, floats(1, 4), np.zeros((1, 513), np.int32), match="1 to 512 experts")
RANKS = np.array([3, 0, 5, 1, 2, 4], np.int32)
sample(experts.MoeTokenPermuteGrad(), floats(6, 4), RANKS, 2, wrt=(), why_not=NO_64)
sample(experts.MoeTokenPermuteGrad(), floats(4, 4), RANKS, 2, wrt=(), why_not=NO_64)
bad(experts.MoeTokenPermuteGrad(), floats(6, 4), RANKS, 0, match="num_topk must be >= 1")
UNPERMUTE = experts.MoeTokenUnpermute()
sample(UNPERMUTE, floats(6, 4), RANKS, wrt=(), why_not=NO_64)
sample(UNPERMUTE, floats(6, 4), RANKS, positive(3, 2), wrt=(), why_not=NO_64)
sample(UNPERMUTE, floats(4, 4), RANKS, positive(3, 2), wrt=(), why_not=NO_64)
bad(UNPERMUTE, floats(6, 4), RANKS.astype(np.int64), match="of int32, got", error=TYPE)
for kept in (6, 4):
    bad(UNPERMUTE, floats(kept, 4), RANKS - 1, match="every index must be in", error=RUN)
bad(UNPERMUTE, floats(6, 4), RANKS, positive(6), match="probs must have 2 axes")
bad(UNPERMUTE, floats(6, 4), RANKS, positive(3, 1), match="a number for each of the 6")
bad(UNPERMUTE, floats(6, 4), RANKS, None, True, match="padded_mode must be False")
UNPERMUTED = experts.MoeTokenUnpermuteGrad()
sample(UNPERMUTED, floats(6, 4), floats(3, 4), RANKS, positive(3, 2), wrt=(), why_not=NO_64)
bad(UNPERMUTED, floats(6, 4), floats(6, 4), RANKS, None, True, match="padded_mode must be False")

NUMBERS = np.array([[0, 3], [1, 4], [2, 5]], np.int32)
sample(routing.MoeInitRouting(), floats(3, 4), NUMBERS, WHERE, 2, wrt=(), why_not=NO_64)
bad(routing.MoeInitRouting(), floats(3, 4), NUMBERS, WHERE, -1, match="active_num must be >= 0")
bad(
    routing.MoeInitRouting(),
    floats(3, 4),
    NUMBERS[:, 0],
    WHERE,
    2,
    match="2 axes",
    error=RUN,
)
ROUTE = routing.MoeInitRoutingV2()
sample(ROUTE, floats(3, 4), WHERE, 0, 0, 3, 0, 1, False, wrt=(), why_not=NO_64)
sample(ROUTE, floats(3, 4), WHERE, 4, 0, 3, 0, 2, False, wrt=(), why_not=NO_64)
sample(ROUTE, floats(3, 4), WHERE, 0, 2, 3, 1, 0, True, wrt=(), why_not=NO_64)
bad(ROUTE, floats(3, 4), WHERE, 0, 4, 3, 1, 0, False, match="expert_capacity must be in [1, 3]")
bad(ROUTE, floats(3, 4), WHERE, 0, 2, 0, 1, 0, False, match="expert_num must be >= 1")
bad(ROUTE, floats(3, 4), WHERE, 0, 2, 3, 2, 0, False, match="drop_pad_mode must be in [0, 1]")
bad(ROUTE, floats(3, 4), WHERE, 0, 2, 3, 1, 3, False, match="cumsum_flag must be in [0, 2]")
bad(ROUTE, floats(3, 4), WHERE, 0, 2, 3, 1, 0, 1, match="flag must be a bool", error=TYPE)
NONE_SUCH = "every index must be in"
bad(ROUTE, floats(3, 4), WHERE, 0, 2, 2, 1, 0, False, match=NONE_SUCH, error=RUN)
bad(ROUTE, floats(3, 4), WHERE - 1, 0, 2, 3, 1, 0, False, match=NONE_SUCH, error=RUN)
FINALIZE = routing.MoeFinalizeRouting()
REST = (positive(3, 4), floats(3, 4, seed=1), floats(3, 4, seed=2), positive(3, 2), RANKS, WHERE)
sample(FINALIZE, floats(6, 4), *REST, wrt=(), why_not=NO_64)
bad(FINALIZE, floats(5, 4), *REST, match="expanded_x must have the shape (6, 4)", error=RUN)
bad(FINALIZE, floats(6, 4), *REST[:3], match="scales must be a Tensor", error=TYPE)

GATE = gating.MoeGatingTopKSoftmax()
sample(GATE, floats(3, 5), None, 2, wrt=(), why_not=NO_64)
sample(GATE, floats(2, 3, 5), np.array([[True, False, True]] * 2), 2, wrt=(), why_not=NO_64)
bad(GATE, floats(3, 5), None, 6, match="k must be in [0, 5]")
bad(GATE, floats(5), match="x must have 2 or 3 axes", error=RUN)
bad(GATE, floats(3, 5), np.array([True]), match="finished must have the shape (3,)")
SORTED = np.array([0, 0, 1, 3], np.int32)
sample(gating.MoeComputeExpertTokens(), SORTED, 5)
bad(gating.MoeComputeExpertTokens(), SORTED, 0, match="num_expert must be >= 1")
elsewhere("GroupTopk", "tests/ops/test_experts.py")
FUSED = gating.FusedAddTopKDiv()
sample(FUSED, floats(3, 8), floats(8, seed=1), 4, 2, 1, 3, wrt=(), why_not=NO_64)
sample(FUSED, floats(3, 8), floats(8, seed=1), 2, 1, 2, 2, 0, False, wrt=(), why_not=NO_64)
bad(FUSED, floats(3, 8), floats(8), 3, 2, 1, 3, match="group_num must divide the 8 experts")
bad(FUSED, floats(3, 8), floats(8), 4, 5, 1, 3, match="group_topk must be in [1, 4]")
bad(FUSED, floats(3, 8), floats(8), 4, 2, 3, 3, match="n must be in [1, 2]")
bad(FUSED, floats(3, 8), floats(7), 4, 2, 1, 3, match="add_num must have the shape (8,)")
MAPPED = (0, True, 1.0, None, None, True)
bad(
    FUSED, floats(3, 8), floats(8), 4, 2, 1, 3, *MAPPED, match="enable_expert_mapping must be False"
)
CHOICES = np.array([[[0, 1], [1, 2], [1, 0]]], np.int32)
sample(gating.TopKRouter(), CHOICES, 2, 3)
sample(gating.TopKRouter(), CHOICES.astype(np.int64), 2, 3, 1)
bad(gating.TopKRouter(), CHOICES, 2, 3, 2, match="drop_type must be in [0, 1]")
bad(gating.TopKRouter(), CHOICES[0], 2, 3, match="input must have 3 axes")

sample(products.GroupedRows(), floats(6, 2), floats(3, 2, 4), ENDS)
sample(products.GroupedRows(True), floats(6, 2), floats(3, 4, 2), ENDS)
sample(products.GroupedOuter(), floats(6, 2), floats(6, 4), ENDS)
for name in ("GroupedMatmul", "GroupedMatmulV2", "GroupedMatmulV4", "InplaceGroupedMatmulAdd"):
    assert hasattr(grouped, name)
    elsewhere(name, "tests/ops/test_grouped.py")

ONE_SIDED = "its gradients go through the first output alone; tests/ops/test_fused_norms.py"
ADD_RMS, ADD_LAYER = fused_norms.AddRmsNorm(), fused_norms.AddLayerNormV2()
X = floats(3, 4), floats(3, 4, seed=1)
sample(ADD_RMS, *X, positive(4), 0.1, wrt=(), why_not=ONE_SIDED)
sample(ADD_RMS, *X, positive(3, 4), wrt=(), why_not=ONE_SIDED)
bad(ADD_RMS, *X, positive(3), match="gamma must have the shape (4,), got (3,)")
bad(ADD_RMS, *X, positive(4), 0.0, match="epsilon must be in (0, 1]")
bad(ADD_RMS, *X, positive(4), 1, match="epsilon must be a float", error=TYPE)
bad(ADD_RMS, X[0], floats(2, 4), positive(4), match="x2 must have the shape (3, 4)")
bad(ADD_RMS, X[0], X[1].astype(np.float16), positive(4), match="x2 must be a Tensor", error=TYPE)
sample(ADD_LAYER, *X, positive(4), floats(4), 0.1, wrt=(), why_not=ONE_SIDED)
sample(ADD_LAYER, *X, positive(4), floats(4), 0.1, True, wrt=(), why_not=ONE_SIDED)
bad(ADD_LAYER, *X, positive(4), floats(3), match="beta must have the shape (4,), got (3,)")
bad(ADD_LAYER, *X, positive(4), floats(4), 1, match="epsilon must be a float", error=TYPE)
bad(ADD_LAYER, *X, positive(4), floats(4), 0.1, 1, match="additionalOut must be a bool", error=TYPE)
PARTS = positive(3, 1), floats(3, 1), positive(4), floats(3, 4, seed=3)
sample(fused_norms.AddLayerNormGrad(), floats(3, 4, seed=2), *X, *PARTS, wrt=(), why_not=NO_64)
sample(fused_norms.RmsNormGrad(), *X, positive(3, 1), positive(4), wrt=(), why_not=NO_64)
bad(fused_norms.AddLayerNormGrad(), floats(3, 3), *X, *PARTS, match="dy must have the shape (3, 4)")
bad(
    fused_norms.RmsNormGrad(), floats(3, 3), X[0], positive(3, 1), positive(4), match="dy must have"
)
