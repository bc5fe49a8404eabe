"""Sparse tensors in parts that take or give lists of tensors, and what has nothing to give."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor
from minispore.ops.operations import sparse_ops as S


def whole(*numbers: object) -> Tensor:
    return Tensor(np.array(numbers, np.int64))


AT, SHAPE = whole([0, 1], [1, 2], [2, 3]), whole(3, 5)


def test_the_first_parts_are_longer_where_an_axis_is_no_multiple() -> None:
    places, values, shapes = S.SparseSplit(2)(
        Tensor(np.array(1)), AT, Tensor([1.0, 2.0, 3.0]), SHAPE
    )
    assert [p.asnumpy().tolist() for p in places] == [[[0, 1], [1, 2]], [[2, 0]]]
    assert [v.asnumpy().tolist() for v in values] == [[1, 2], [3]]
    assert [s.asnumpy().tolist() for s in shapes] == [[3, 3], [3, 2]]


def test_more_parts_than_the_axis_is_long_are_refused() -> None:
    with pytest.raises(ValueError, match="num_split must be at most 3"):
        S.SparseSplit(4)(Tensor(np.array(0)), AT, Tensor([1.0, 2.0, 3.0]), SHAPE)


def test_slopes_of_joined_tensors_go_where_their_values_were() -> None:
    def f(a: Tensor, b: Tensor) -> Tensor:
        values = S.SparseConcat(1)((AT, AT), (a, b), (SHAPE, SHAPE))[1]
        return (values * Tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])).sum()

    a, b = ms.grad(f, (0, 1))(Tensor([1.0, 1.0, 1.0]), Tensor([1.0, 1.0, 1.0]))
    assert (a.asnumpy().tolist(), b.asnumpy().tolist()) == ([1, 3, 5], [2, 4, 6])


def test_tensors_that_do_not_fit_together_are_not_joined() -> None:
    with pytest.raises(ValueError, match="equal but along axis 1"):
        S.SparseConcat(1)((AT, AT), (Tensor([1.0] * 3),) * 2, (SHAPE, whole(4, 5)))
    with pytest.raises(ValueError, match="at least 2"):
        S.SparseConcat(1)((AT,), (Tensor([1.0] * 3),), (SHAPE,))


def test_a_set_of_nothing_has_no_elements() -> None:
    sizes = S.SetSize()(Tensor(np.zeros((0, 2), np.int64)), Tensor(np.zeros(0, np.int32)), SHAPE)
    assert sizes.asnumpy().tolist() == [0, 0, 0]


def test_inner_lengths_of_ragged_values_become_axes() -> None:
    places, values, shape = S.RaggedTensorToSparse(ms.int64)(
        [whole(0, 2, 3)], Tensor([[1.0], [2.0], [3.0]])
    )
    assert places.asnumpy().tolist() == [[0, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert (values.shape, shape.asnumpy().tolist()) == ((3,), [2, 2, 1])


def test_the_softmax_of_one_matrix_takes_a_scalar_for_its_batches() -> None:
    shape, begins, columns = Tensor([1, 3]), Tensor([0, 2]), Tensor([0, 2])
    op = S.SparseMatrixSoftmax(ms.float32)
    output = op(shape, Tensor(2), begins, columns, Tensor([1.0, 1.0]))
    assert output[1].shape == () and output[4].asnumpy().tolist() == [0.5, 0.5]


def lists(actual: tuple[Tensor, ...]) -> list[object]:
    return [t.asnumpy().tolist() for t in actual[:2]]


def test_merging_preserves_unsorted_and_repeated_indices() -> None:
    shape, third = whole(3, 4), Tensor(0.0)
    first = whole([0, 1], [0, 1], [2, 2]), Tensor([4.0, 2.0, 3.0]), shape
    second = whole([0, 1], [2, 3]), Tensor([2.0, 3.0]), shape
    places = [[0, 1], [0, 1], [2, 2], [2, 3]]
    assert lists(S.SparseSparseMaximum()(*first, *second)) == [places, [4.0, 2.0, 3.0, 3.0]]
    assert lists(S.SparseSparseMinimum()(*first, *second)) == [places, [2.0, 0.0, 0.0, 0.0]]
    assert lists(S.SparseAdd()(*first, *second, third)) == [places, [6.0, 2.0, 3.0, 3.0]]
    first = whole([2, 2], [0, 1]), Tensor([-4.0, 2.0]), shape
    second = whole([2, 3], [0, 1]), Tensor([2.0, -3.0]), shape
    places = [[2, 2], [0, 1], [2, 3], [0, 1]]
    assert lists(S.SparseSparseMaximum()(*first, *second)) == [places, [0.0, 2.0, 2.0, 0.0]]
