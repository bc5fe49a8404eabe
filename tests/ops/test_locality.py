"""A cotangent that is no number reaches the slopes of what its element was made of, no others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore.execution import random
from tests.ops.samples import Sample
from tests.ops.test_contract import ALL, outputs_of, same_draws, tensors  # noqa: F401

# Products with matrices, and a BLAS that solves with them, meet zeros: transforms, decompositions,
# paddings, weights of neighbours that do not count. Coins, too: a mask is multiplied with, as in
# MindSpore and PyTorch. And the slopes of quotients, powers and products by what is 0.
MIXED = """
    Cholesky Conv2D Conv2DBackpropFilter Conv2DBackpropInput Conv3D CosineTransform CTCLoss
    DropoutDoMask DropoutGrad Dropout2D Dropout3D Eigh FloorMod FractionalAvgPool
    GRUSequenceGrad GridSampler2D LSTMSequenceGrad Lu LuSolve MatrixTriangularSolve Mod MulNoNan
    Orgqr Ormqr Pow Qr ReduceProd RNNTLoss STFT SelfAdjointEig SparseMatrixMatMul
    SparseMatrixSoftmax SparseSoftmax TridiagonalSolve TruncateMod WeightedScan Xdivy
"""


def slopes(s: Sample, cotangents: list[np.ndarray]) -> list[np.ndarray]:
    def f(*xs: Any) -> Any:
        args = tensors(s.args)
        for i, x in zip(s.wrt, xs, strict=True):
            args[i] = x
        return s.op(*args)

    random.set_seed(7)
    _, pull = ms.vjp(f, *[tensors(s.args)[i] for i in s.wrt])
    return outputs_of(pull(*tensors(tuple(cotangents))))


@pytest.mark.parametrize("s", [s for s in ALL if s.wrt and s.op.name not in MIXED.split()], ids=str)
def test_a_nan_cotangent_reaches_only_gradients_that_depend_on_it(s: Sample) -> None:
    random.set_seed(7)
    rng = np.random.default_rng(0)
    outputs = outputs_of(s.op(*tensors(s.args)))
    samples = [rng.normal(size=o.shape).astype(o.dtype) for o in outputs]
    for k, d in enumerate(samples):
        if d.dtype.kind != "f" or not d.size:
            continue

        def with_one(value: float, k: int = k, d: np.ndarray = d) -> list[np.ndarray]:
            changed = d.copy()
            changed.reshape(-1)[d.size // 2] = value
            return slopes(s, [*samples[:k], changed, *samples[k + 1 :]])

        before, after, large, spoilt = (with_one(v) for v in (0.5, -3.0, 1e6, np.nan))
        for a, b, c, e in zip(before, after, large, spoilt, strict=True):
            unaffected = (a == b) & (a == c)
            np.testing.assert_allclose(e[unaffected], a[unaffected], rtol=1e-4, atol=1e-6)
