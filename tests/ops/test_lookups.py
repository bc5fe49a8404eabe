"""Where rare ops go another way than MindSpore's CPU kernels, on purpose (docs/compat.md)."""

from __future__ import annotations

import numpy as np

from minispore import Tensor, ops
from minispore.ops.operations import nn_ops as N
from minispore.ops.operations import sparse_ops as S


def test_answers_of_bools_are_packed_as_those_of_numbers() -> None:
    answers = [True, False, True, True, False, False, True, False]
    packed = ops.CompareAndBitpack()(Tensor(answers), Tensor(False))
    assert packed.asnumpy().tolist() == [0b10110010]


def test_sparse_nesterov_momentum_updates_only_the_indexed_rows() -> None:
    w, m = Tensor([[3.0], [5.0]]), Tensor([[1.0], [1.0]])
    op = N.SparseApplyMomentum(use_nesterov=True)
    output = op(w, m, 0.5, Tensor([[1.0]]), Tensor([0]), 0.5)
    assert output.asnumpy().ravel().tolist() == [3 - 0.5 * (1 + 0.5 * 1.5), 5]


def test_one_new_length_may_follow_from_the_others() -> None:
    at, shape = Tensor(np.array([[0, 1], [1, 2]])), Tensor(np.array([2, 4]))
    places, actual = S.SparseReshape()(at, shape, Tensor(np.array([4, -1])))
    assert places.asnumpy().tolist() == [[0, 1], [3, 0]]
    assert actual.asnumpy().tolist() == [4, 2]
