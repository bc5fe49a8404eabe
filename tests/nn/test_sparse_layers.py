"""Layers of sparse tensors."""

from __future__ import annotations

import pytest

import minispore as ms
from minispore import COOTensor, Tensor, nn

AT, VALUES = Tensor([[0, 1], [1, 0]]), Tensor([5.0, 7.0])


def test_a_sparse_tensor_gets_its_zeros() -> None:
    output = nn.SparseToDense()(COOTensor(AT, VALUES, (2, 3)))
    assert output.asnumpy().tolist() == [[0, 5, 0], [7, 0, 0]]
    with pytest.raises(TypeError, match="sparse_tensor must be a COOTensor"):
        nn.SparseToDense()(VALUES)


@pytest.mark.parametrize(
    ("flags", "dense", "expected"),
    [
        ((False, False), [[1.0], [2.0], [3.0]], [[10], [7]]),
        ((False, True), [[1.0, 2.0, 3.0]], [[10], [7]]),
        ((True, False), [[1.0], [2.0]], [[14], [5], [0]]),
        ((True, True), [[1.0, 2.0]], [[14], [5], [0]]),
    ],
)
def test_either_matrix_may_be_turned_first(flags: tuple, dense: list, expected: list) -> None:
    product = nn.SparseTensorDenseMatmul(*flags)
    assert product(AT, VALUES, (2, 3), Tensor(dense)).asnumpy().tolist() == expected
    slope = ms.grad(lambda v: product(AT, v, (2, 3), Tensor(dense)).sum())(VALUES)
    assert slope.asnumpy().tolist() == ([2, 1] if not flags[0] else [1, 2])


def test_flags_are_bools() -> None:
    with pytest.raises(TypeError, match="adjoint_dt must be a bool"):
        nn.SparseTensorDenseMatmul(False, 1)  # type: ignore[arg-type]
