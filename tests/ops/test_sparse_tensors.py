"""COOTensor and CSRTensor: their parts, what they become, gradients; values as MindSpore prints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import COOTensor, CSRTensor, Tensor

INDICES = Tensor([[0, 1], [1, 2], [1, 2]], ms.int32)
VALUES = Tensor([1.0, 2.0, 3.0], ms.float32)
POINTERS, COLUMNS = Tensor([0, 1, 3, 3], ms.int32), Tensor([1, 0, 2], ms.int32)
DENSE = [[0, 1, 0, 0], [2, 0, 3, 0], [0, 0, 0, 0]]


def coo():
    return COOTensor(INDICES, VALUES, (3, 4))


def csr():
    return CSRTensor(POINTERS, COLUMNS, VALUES, (3, 4))


def test_values_of_one_place_are_summed():
    assert coo().to_dense().asnumpy().tolist() == [[0, 1, 0, 0], [0, 0, 5, 0], [0, 0, 0, 0]]
    both = coo().coalesce()
    assert both.indices.asnumpy().tolist() == [[0, 1], [1, 2]]
    assert both.values.asnumpy().tolist() == [1, 5]


def test_each_form_becomes_the_other():
    assert csr().to_dense().asnumpy().tolist() == DENSE
    assert csr().to_coo().to_dense().asnumpy().tolist() == DENSE
    assert csr().to_coo().to_csr().to_dense().asnumpy().tolist() == DENSE
    assert CSRTensor(csr_tensor=csr()).to_tuple()[3] == COOTensor(coo_tensor=coo()).shape == (3, 4)


def test_it_tells_of_itself():
    assert (coo().size, coo().ndim, coo().itemsize, coo().dtype) == (3, 2, 4, ms.float32)
    assert coo().astype(ms.float16).dtype == ms.float16
    pairs = ms.COOTensor(ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([6, 4]), (3, 3))
    assert repr(pairs) == (
        "COOTensor(shape=[3, 3], dtype=Int64, indices=Tensor(shape=[2, 2], dtype=Int64, value=\n"
        "[[0 1]\n [1 2]]), values=Tensor(shape=[2], dtype=Int64, value=[6 4]))"
    )
    assert repr(csr()).startswith("CSRTensor(shape=[3, 4], dtype=Float32, indptr=Tensor(shape=[4]")


def test_products_and_sums_are_those_of_the_dense_tensor():
    right = np.arange(8.0, dtype=np.float32).reshape(4, 2)
    np.testing.assert_allclose(csr().mm(Tensor(right)).asnumpy(), DENSE @ right)
    np.testing.assert_allclose(csr().mv(Tensor(right[:, :1])).asnumpy(), DENSE @ right[:, :1])
    assert csr().sum(1).asnumpy().tolist() == [[1], [5], [0]]


def test_elements_are_multiplied_where_values_stand():
    other = Tensor(np.arange(12).reshape(3, 4), ms.float32)
    assert (csr() * other).values.asnumpy().tolist() == [1, 8, 18]
    assert (csr() / other).values.asnumpy().tolist() == [1, 0.5, 0.5]
    assert (-csr() * 2.0).abs().values.asnumpy().tolist() == [2, 4, 6]


def test_two_of_a_shape_are_added():
    one, two = Tensor(1.0, ms.float32), Tensor(2.0, ms.float32)
    assert csr().add(csr(), one, two).values.asnumpy().tolist() == [3, 6, 9]
    summed = coo().add(coo(), Tensor(5.0, ms.float32))
    assert summed.to_dense().asnumpy().tolist() == [[0, 0, 0, 0], [0, 0, 10, 0], [0, 0, 0, 0]]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_gradients_flow_through_the_values(mode):
    ms.set_context(mode=mode)

    class Net(ms.nn.Cell):
        def construct(self, values):
            sparse = COOTensor(INDICES, values * values, (3, 4))
            return sparse.to_dense().sum()

    assert ms.grad(Net())(VALUES).asnumpy().tolist() == [2, 4, 6]


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: COOTensor(1, VALUES, (3, 4)), TypeError),
        (lambda: COOTensor(INDICES, VALUES, (3, 4, 5)), ValueError),
        (lambda: COOTensor(INDICES, VALUES[:2], (3, 4)), ValueError),
        (lambda: COOTensor(INDICES, VALUES, (3, 4), coo()), TypeError),
        (lambda: CSRTensor(POINTERS, COLUMNS, VALUES, (4, 4)), ValueError),
        (lambda: CSRTensor(POINTERS, COLUMNS, VALUES, (3,)), ValueError),
        (lambda: CSRTensor(POINTERS, Tensor([1.0, 0, 2]), VALUES, (3, 4)), TypeError),
        (lambda: csr().sum(0), ValueError),
        (lambda: csr().mm(VALUES), ValueError),
    ],
)
def test_parts_that_do_not_fit_are_refused(make, kind):
    with pytest.raises(kind, match="Tensor: "):
        make()


def test_a_tensor_of_open_rank_declares_an_input_of_any_shape():
    class Net(ms.nn.Cell):
        def construct(self, x):
            return x + 1

    net = Net()
    opened = Tensor(shape=None, dtype=ms.float32)
    assert opened.shape == (-2,)
    net.set_inputs(opened)
    assert net(Tensor([[1.0]], ms.float32)).asnumpy().tolist() == [[2]]
    assert net(Tensor([1.0, 2.0], ms.float32)).asnumpy().tolist() == [2, 3]
    with pytest.raises(ValueError, match=r"open shape"):
        opened.asnumpy()


def test_a_tensor_gives_what_is_not_zero_of_it() -> None:
    x = Tensor(np.float32([[0, 2, 0], [3, 0, 4]]))
    coo, csr = x.to_coo(), x.to_csr()
    assert coo.indices.dtype == csr.indices.dtype == csr.indptr.dtype == ms.int32
    assert coo.indices.asnumpy().tolist() == [[0, 1], [1, 0], [1, 2]]
    assert csr.indptr.asnumpy().tolist() == [0, 1, 3] and csr.indices.asnumpy().tolist() == [
        1,
        0,
        2,
    ]
    assert coo.values.asnumpy().tolist() == csr.values.asnumpy().tolist() == [2, 3, 4]
    assert np.array_equal(coo.to_dense().asnumpy(), x.asnumpy())
    assert np.array_equal(csr.to_dense().asnumpy(), x.asnumpy())


def test_only_matrices_become_sparse() -> None:
    with pytest.raises(ValueError, match="2 axes"):
        Tensor([1.0]).to_coo()
    with pytest.raises(ValueError, match="2 axes"):
        Tensor([[[1.0]]]).to_csr()


def test_gradients_go_through_what_is_not_zero() -> None:
    x = Tensor(np.float32([[0, 2], [3, 0]]))
    gradient = ms.grad(lambda t: (t.to_coo().values ** 2).sum())(x)
    assert gradient.asnumpy().tolist() == [[0, 4], [6, 0]]


def test_a_graph_that_returns_a_sparse_tensor_runs_op_by_op() -> None:
    @ms.jit
    def doubled(values: Tensor) -> tuple[Any, Any]:
        at = Tensor([[0, 1], [1, 2]])
        coo = ms.COOTensor(at, values * 2, (2, 3))
        return coo, ms.CSRTensor(Tensor([0, 1, 2]), Tensor([1, 2]), values + 1, (2, 3))

    with pytest.warns(RuntimeWarning, match="op by op, since it returns a COOTensor"):
        coo, csr = doubled(Tensor([1.0, 2.0]))
    assert coo.values.asnumpy().tolist() == [2, 4]
    assert csr.values.asnumpy().tolist() == [2, 3]
