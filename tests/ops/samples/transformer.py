"""Samples of what large language models are made of."""

from __future__ import annotations

import numpy as np

from minispore.ops.transformer import fused_norms
from tests.ops.samples import bad, floats, positive, sample

TYPE = TypeError
NO_64 = "it takes no float64; tests/ops/test_fused_norms.py has its gradients"
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
