"""A sparse update may name a row more than once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.ops.operations import nn_ops

STEPS = {
    ops.SparseApplyFtrl(0.1, 0.3, 0.02, -0.5): (3, (), ()),
    ops.SparseApplyFtrlV2(0.1, 0.3, 0.02, 0.1, -0.5): (3, (), ()),
    ops.SparseApplyProximalAdagrad(): (2, (0.1, 0.3, 0.02), ()),
    ops.SparseApplyAdagradV2(0.1, 1e-3): (2, (), ()),
    ops.SparseApplyAdadelta(1e-3): (3, (0.1, 0.9), ()),
    ops.SparseApplyRMSProp(0.9, 0.5, 1e-3): (3, (0.1,), ()),
    nn_ops.SparseApplyMomentum(): (2, (0.1,), (0.9,)),
    nn_ops.SparseApplyAdagradDA(): (3, (), (0.1, 0.01, 0.01, 1)),
    nn_ops.SparseApplyCenteredRMSProp(): (4, (0.1, 0.9, 0.5, 4.0), ()),
    nn_ops.SparseApplyProximalGradientDescent(): (1, (0.1, 0.3, 0.02), ()),
}
RATES = (0.9, 0.99, 0.1, 0.9, 0.99, 1e-8)
SUMS = {
    ops.operations.FusedSparseAdam(): (3, RATES),
    ops.operations.FusedSparseLazyAdam(): (3, RATES),
    ops.operations.FusedSparseFtrl(0.1, 0.3, 0.02, -0.5): (3, ()),
    ops.operations.FusedSparseProximalAdagrad(): (2, (0.1, 0.3, 0.02)),
    ops.SparseApplyAdagrad(0.1): (2, ()),
}


def states(n: int) -> list[ms.Parameter]:
    """A variable and what is kept with it: three rows each."""
    draw = np.random.default_rng(n)
    return [ms.Parameter(draw.uniform(1, 2, (3, 2)).astype(np.float32)) for _ in range(n)]


def grads(rows: list[list[float]], places: list[int]) -> tuple[Tensor, Tensor]:
    return Tensor(rows, ms.float32), Tensor(places, ms.int32)


def contents(stored: list[ms.Parameter]) -> list[Any]:
    return [p.asnumpy().tolist() for p in stored]


@pytest.mark.parametrize("op", STEPS, ids=lambda op: op.name)
def test_a_row_named_twice_makes_two_steps(op: Any) -> None:
    n, before, behind = STEPS[op]
    once, twice = states(n), states(n)
    op(*once, *before, *grads([[0.1, 0.2], [0.3, 0.1], [0.3, 0.5]], [2, 0, 2]), *behind)
    op(*twice, *before, *grads([[0.1, 0.2], [0.3, 0.1]], [2, 0]), *behind)
    op(*twice, *before, *grads([[0.3, 0.5]], [2]), *behind)
    assert contents(once) == contents(twice)


@pytest.mark.parametrize("op", SUMS, ids=lambda op: op.name)
def test_a_fused_update_adds_up_the_gradients_of_a_row(op: Any) -> None:
    n, rates = SUMS[op]
    once, summed = states(n), states(n)
    op(*once, *rates, *grads([[0.25, 0.5], [0.5, 1.0], [0.5, 0.125]], [2, 0, 2]))
    op(*summed, *rates, *grads([[0.75, 0.625], [0.5, 1.0]], [2, 0]))
    assert contents(once) == contents(summed)


def test_adagrad_of_a_row_named_twice_is_mindspores() -> None:
    w, a = (ms.Parameter(np.ones((2, 2), np.float32)) for _ in range(2))
    ops.SparseApplyAdagradV2(0.1, 0.001)(w, a, *grads([[0.1, 0.2], [0.1, 0.2]], [1, 1]))
    assert np.allclose(w.asnumpy()[1], [0.9801579117774963, 0.9611616730690002], atol=1e-7)
    assert np.allclose(a.asnumpy()[1], [1.02, 1.08], atol=1e-6)
