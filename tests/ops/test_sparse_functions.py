"""The functions of sparse tensors give what the dense ones give at the places that are there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import COOTensor, CSRTensor, Tensor, ops
from minispore.ops import extended

PLACES = np.array([[0, 1], [1, 0], [1, 2]])
VALUES = np.array([0.25, -0.5, 0.75], np.float32)
DENSE = np.zeros((3, 4), np.float32)
DENSE[tuple(PLACES.T)] = VALUES


def coo(values: Any = VALUES) -> COOTensor:
    return COOTensor(Tensor(PLACES), Tensor(values), (3, 4))


def csr(values: Any = VALUES) -> CSRTensor:
    return CSRTensor(Tensor([0, 1, 3, 3]), Tensor([1, 0, 2]), Tensor(values), (3, 4))


@pytest.mark.parametrize("name", extended._VALUE_FUNCTIONS.split())
def test_a_function_of_the_values_keeps_the_places(name) -> None:
    dense = getattr(ops, name)(Tensor(VALUES)).asnumpy()
    first, second = getattr(ops, f"coo_{name}")(coo()), getattr(ops, f"csr_{name}")(csr())
    assert isinstance(first, COOTensor) and isinstance(second, CSRTensor)
    for output in (first, second):
        np.testing.assert_array_equal(output.values.asnumpy(), dense)
    np.testing.assert_array_equal(first.indices.asnumpy(), PLACES)
    assert second.indptr.asnumpy().tolist() == [0, 1, 3, 3]


def test_the_functions_of_one_kind_refuse_the_other() -> None:
    with pytest.raises(TypeError, match="coo_sin: x must be a COOTensor"):
        ops.coo_sin(csr())
    with pytest.raises(TypeError, match="csr_sin: x must be a CSRTensor"):
        ops.csr_sin(Tensor(VALUES))
    with pytest.raises(TypeError, match="csr_mm: b must be a CSRTensor"):
        ops.csr_mm(csr(), Tensor(DENSE.T))


def test_gradients_flow_through_the_values() -> None:
    def f(values: Tensor) -> Tensor:
        x = CSRTensor(csr().indptr, csr().indices, values, (3, 4))
        return ops.csr_to_dense(ops.csr_square(x)).sum()

    np.testing.assert_array_equal(ms.grad(f)(Tensor(VALUES)).asnumpy(), 2 * VALUES)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_coo_concat_sorts_the_indices(axis) -> None:
    other = COOTensor(Tensor([[2, 3], [0, 0]]), Tensor(np.float32([8, 9])), (3, 4))
    both = ops.coo_concat((coo(), other), axis)
    dense = np.concatenate([DENSE, other.to_dense().asnumpy()], axis)
    np.testing.assert_array_equal(both.to_dense().asnumpy(), dense)
    assert both.shape == dense.shape
    places = both.indices.asnumpy().tolist()
    assert places == sorted(places)


def test_coo_concat_refuses_incompatible_inputs() -> None:
    narrow = COOTensor(Tensor([[0, 1]]), Tensor(np.float32([1])), (3, 2))
    with pytest.raises(ValueError, match="at least 2"):
        ops.coo_concat((coo(),))
    with pytest.raises(ValueError, match="equal but along axis 0"):
        ops.coo_concat((coo(), narrow))
    with pytest.raises(TypeError, match="each of sp_input must be a COOTensor"):
        ops.coo_concat((coo(), csr()))
    with pytest.raises(ValueError, match="concat_dim"):
        ops.coo_concat((coo(), coo()), 2)


def test_sums_and_products_are_those_of_the_dense_matrices() -> None:
    ones = Tensor(np.ones((4, 1), np.float32))
    two, three = Tensor(np.float32(2)), Tensor(np.float32(3))
    row = Tensor(np.float32([[1, 2, 4, 8]]))
    at = tuple(PLACES.T)
    results = {
        "coo_add": (ops.coo_add(coo(), coo(), Tensor(np.float32(0))).to_dense(), 2 * DENSE),
        "csr_add": (ops.csr_add(csr(), csr(), two, three).to_dense(), 5 * DENSE),
        "csr_mul": (ops.csr_mul(csr(), row).to_dense(), DENSE * row.asnumpy()),
        "csr_div": (ops.csr_div(csr(), row), (DENSE / row.asnumpy())[at]),
        "csr_mv": (ops.csr_mv(csr(), ones), DENSE.sum(1, keepdims=True)),
        "csr_mm": (ops.csr_mm(csr(), csr(), False, True).to_dense(), DENSE @ DENSE.T),
        "adjoint": (ops.csr_mm(csr(), csr(), adjoint_a=True).to_dense(), DENSE.T @ DENSE),
        "csr_reduce_sum": (ops.csr_reduce_sum(csr(), 1), DENSE.sum(1, keepdims=True)),
        "csr_gather": (ops.csr_gather(csr().indptr, csr().indices, row, (3, 4)), [2, 1, 4]),
        "csr_to_coo": (ops.csr_to_coo(csr()).to_dense(), DENSE),
        "dense_to_sparse_coo": (ops.dense_to_sparse_coo(Tensor(DENSE)).to_dense(), DENSE),
        "dense_to_sparse_csr": (ops.dense_to_sparse_csr(Tensor(DENSE)).to_dense(), DENSE),
    }
    for name, (actual, expected) in results.items():
        np.testing.assert_array_equal(actual.asnumpy(), np.float32(expected), err_msg=name)


def test_an_adjoint_conjugates_and_is_no_transpose() -> None:
    values = np.complex64([1 + 2j, 3j, 4])
    dense = csr(values).to_dense().asnumpy()
    output = ops.csr_mm(csr(values), csr(values), adjoint_b=True).to_dense().asnumpy()
    np.testing.assert_allclose(output, dense @ dense.conj().T)
    with pytest.raises(ValueError, match="trans_a and adjoint_a must not both be True"):
        ops.csr_mm(csr(), csr(), True, adjoint_a=True)


def test_csr_softmax_covers_only_the_stored_values_of_each_row() -> None:
    e = np.exp(np.float64([-0.5, 0.75]))
    expected = [1, *(e / e.sum())]
    before = csr()
    output = ops.csr_softmax(before, ms.float32)
    np.testing.assert_allclose(output.values.asnumpy(), expected, rtol=1e-6)
    np.testing.assert_array_equal(before.values.asnumpy(), VALUES)
    with pytest.raises(TypeError, match="dtype must be float32 or float64"):
        ops.csr_softmax(before, ms.int32)


def test_in_a_graph_they_give_the_same() -> None:
    def f(values: Tensor) -> Tensor:
        x = CSRTensor(csr().indptr, csr().indices, values, (3, 4))
        return ops.csr_reduce_sum(ops.csr_exp(ops.csr_softmax(x, ms.float32)), 1)

    np.testing.assert_array_equal(ms.jit(f)(Tensor(VALUES)).asnumpy(), f(Tensor(VALUES)).asnumpy())


def test_parts_are_had_by_functions_too() -> None:
    assert ops.coo_tensor_get_values(coo()).asnumpy().tolist() == VALUES.tolist()
    assert ops.coo_tensor_get_indices(coo()).asnumpy().tolist() == PLACES.tolist()
    assert ops.coo_tensor_get_dense_shape(coo()) == ops.csr_tensor_get_dense_shape(csr()) == (3, 4)
    assert ops.csr_tensor_get_values(csr()).asnumpy().tolist() == VALUES.tolist()
    assert ops.csr_tensor_get_indices(csr()).asnumpy().tolist() == [1, 0, 2]
    assert ops.csr_tensor_get_indptr(csr()).asnumpy().tolist() == [0, 1, 3, 3]


def test_each_door_of_functions_has_them() -> None:
    assert ops.functional.coo_sin is ops.function.coo_sin is ops.coo_sin
    assert ops.function.sparse_func.csr_mm is ops.csr_mm
    assert {"coo_sin", "csr_mm"} <= set(dir(ops))
