"""Adagrad beside sums of squares near 0, in MindSpore's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minispore import Parameter, Tensor, float16, float32, float64, nn, ops

GRADIENT = [1e-3, 1e-6, 0.0, 1.0]


@pytest.mark.parametrize("dtype", [float16, float32, float64])
@pytest.mark.parametrize(
    ("steps", "expected"),
    [(1, [0.00496286, 1.9900005, 3.0, 3.0]), (3, [-1.2767732, 1.9700029, 3.0, 1.7155429])],
)
def test_sums_may_begin_at_zero(dtype: Any, steps: int, expected: list[float]) -> None:
    weight = Parameter(Tensor([1.0, 2.0, 3.0, 4.0], dtype), name="w")
    optimizer = nn.Adagrad([weight], accum=0.0, learning_rate=1.0)
    for _ in range(steps):
        optimizer((Tensor(GRADIENT, dtype),))
    rough = {"rtol": 4e-3, "atol": 1e-3} if dtype is float16 else {"rtol": 1e-4}
    np.testing.assert_allclose(weight.asnumpy(), expected, **rough)


def test_the_op_steps_as_the_optimizer_does_and_the_one_of_rows_does_not() -> None:
    def states() -> list[Tensor]:
        return [Tensor(a, float32) for a in ([[1.0], [2.0], [4.0]], [[0.0], [0.0], [0.0]])]

    gradient = Tensor([[1e-3], [1e-6], [1.0]], float32)
    whole = ops.ApplyAdagrad()(*states(), Tensor(1.0), gradient)[0]
    np.testing.assert_allclose(whole.asnumpy()[:, 0], [0.00496286, 1.9900005, 3.0], 1e-4)
    rows = ops.SparseApplyAdagrad(1.0)(*states(), gradient, Tensor([0, 1, 2]))[0]
    np.testing.assert_allclose(rows.asnumpy()[:, 0], [0.0, 1.0, 3.0], atol=1e-6)
