"""Methods that change a tensor, lookups that touch their table, small formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, ops
from minispore.ops.methods.inplace import InplaceAddExt


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda t: t.add_(1), [2, 5]),
        (lambda t: t.sub_(1), [0, 3]),
        (lambda t: t.add_(1, alpha=2), [3, 6]),
        (lambda t: t.sub_(Tensor([1.0, 2.0]), alpha=3), [-2, -2]),
        (lambda t: t.mul_(Tensor([2.0, 3.0])), [2, 12]),
        (lambda t: t.div_(4), [0.25, 1]),
        (lambda t: t.remainder_(3), [1, 1]),
        (lambda t: t.floor_divide_(3), [0, 1]),
        (lambda t: t.clamp_(2, 3), [2, 3]),
        (lambda t: t.sign_(), [1, 1]),
        (lambda t: t.zero_(), [0, 0]),
        (lambda t: t.fill_(5), [5, 5]),
        (lambda t: t.masked_fill_(Tensor([True, False]), 9), [9, 4]),
        (lambda t: t.index_add_(0, Tensor([0, 0]), Tensor([1.0, 2.0]), alpha=10), [31, 4]),
        (lambda t: t.scatter_(0, Tensor([1]), Tensor([8.0])), [1, 8]),
        (lambda t: t.scatter_(dim=0, index=Tensor([1]), value=8.0), [1, 8]),
        (lambda t: t.scatter_(0, Tensor([1]), value=8.0, reduce="add"), [1, 12]),
        (lambda t: t.scatter_add_(0, Tensor([1, 1]), Tensor([8.0, 1.0])), [1, 13]),
        (lambda t: t.put_(Tensor([1]), Tensor([7.0]), accumulate=True), [1, 11]),
        (lambda t: t.index_fill_(0, Tensor([0]), 6.0), [6, 4]),
    ],
)
def test_a_change_stays_and_the_same_tensor_comes_back(change: Any, expected: Any) -> None:
    t = Tensor([1.0, 4.0])
    before = t.reshape(2, 1)
    assert change(t) is t
    assert t.asnumpy().tolist() == expected
    assert before.asnumpy().ravel().tolist() == expected  # it shows the same tensor


def test_a_parameter_changes_too() -> None:
    p = Parameter(Tensor([1.0, 4.0]), name="p")
    assert p.add_(1) is p and p.asnumpy().tolist() == [2, 5] and p.name == "p"


def test_an_integer_tensor_refuses_what_it_cannot_hold() -> None:
    t = Tensor([1, 4])
    with pytest.raises(
        TypeError, match=r"add_: the result must fit a tensor of Int64, got Float32"
    ):
        t.add_(1.5)
    assert t.asnumpy().tolist() == [1, 4]


def test_the_gradient_goes_through_changes() -> None:
    def f(x: Tensor) -> Tensor:
        y = x * 2
        y.mul_(y)  # (2x)^2
        return y.sum()

    assert ms.grad(f)(Tensor([1.0, 3.0])).asnumpy().tolist() == [8, 24]


@pytest.mark.parametrize(
    ("draw", "low", "high"),
    [
        (lambda t: t.uniform_(2, 3), 2, 3),
        (lambda t: t.random_(5, 9), 5, 8),
        (lambda t: t.bernoulli_(0.5), 0, 1),
        (lambda t: t.exponential_(2.0), 0, np.inf),
        (lambda t: t.normal_(0, 1), -9, 9),
    ],
)
def test_random_content_is_in_its_range_and_follows_the_seed(
    draw: Any, low: Any, high: Any
) -> None:
    ms.set_seed(3)
    first = draw(Tensor(np.zeros(50, np.float32))).asnumpy()
    ms.set_seed(3)
    second = draw(Tensor(np.zeros(50, np.float32))).asnumpy()
    assert (first >= low).all() and (first <= high).all() and len(np.unique(first)) > 1
    np.testing.assert_array_equal(first, second)


def test_resize_itemset_and_like_tensors() -> None:
    t = Tensor([1.0, 2.0, 3.0])
    assert t.resize(2, 2).asnumpy().tolist() == [[1, 2], [3, 0]]
    assert t.itemset(1, 9).asnumpy().tolist() == [1, 9, 3]
    assert (
        t.new_zeros(2).asnumpy().tolist() == [0, 0] and t.new_ones((1,), ms.int32).dtype is ms.int32
    )
    assert t.new_full((2,), 7).asnumpy().tolist() == [7, 7]
    with pytest.raises(IndexError, match="an index must come first"):
        t.itemset(4)


def test_an_embedding_sends_no_gradient_to_its_padding() -> None:
    w = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    ids = Tensor([0, 2, 2])
    grad = ms.grad(lambda t: ops.embedding(ids, t, padding_idx=0).sum())(w)
    assert grad.asnumpy().tolist() == [[0, 0], [0, 0], [2, 2]]


def test_an_embedding_divides_a_gradient_by_how_often_a_row_is_used() -> None:
    w = Tensor([[1.0], [3.0], [5.0]])
    ids = Tensor([[0, 2], [2, 2]])
    grad = ms.grad(lambda t: ops.embedding(ids, t, scale_grad_by_freq=True).sum())(w)
    assert grad.asnumpy().tolist() == [[1], [0], [1]]


def test_an_embedding_shortens_the_rows_it_uses() -> None:
    w = Parameter(Tensor([[3.0, 4.0], [6.0, 8.0], [0.3, 0.4]]), name="w")
    out = ops.embedding(Tensor([0, 2]), w, max_norm=1.0)
    np.testing.assert_allclose(out.asnumpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-5)
    np.testing.assert_allclose(w.asnumpy(), [[0.6, 0.8], [6, 8], [0.3, 0.4]], rtol=1e-5)


def test_an_embedding_names_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="weight must be a matrix"):
        ops.embedding(Tensor([0]), Tensor([1.0]))
    with pytest.raises(ValueError, match=r"padding_idx must be in \[-1, 1\), got 3"):
        ops.embedding(Tensor([0]), Tensor([[1.0]]), padding_idx=3)
    with pytest.raises(TypeError, match="weight must be a Parameter"):
        ops.embedding(Tensor([0]), Tensor([[1.0]]), max_norm=1.0)


def test_differences_of_higher_order_and_along_other_axes() -> None:
    x = Tensor([[1, 4, 9], [2, 8, 18]])
    assert ops.diff(x, 2).asnumpy().tolist() == [[2], [4]]
    assert ops.diff(x, axis=0, append=Tensor([[0, 0, 0]])).asnumpy().tolist() == [
        [1, 4, 9],
        [-2, -8, -18],
    ]


def test_choose_broadcasts_and_clips() -> None:
    actual = Tensor([0, 5, 1]).choose([Tensor([[1], [2]]), 7])
    assert actual.asnumpy().tolist() == [[1, 7, 7], [2, 7, 7]]
    assert Tensor([2]).choose([5, 6], mode="wrap").asnumpy().tolist() == [5]
    for mode, expected in (("clip", [5, 5, 6, 6, 5]), ("wrap", [5, 5, 6, 5, 6])):  # as MindSpore's
        actual = Tensor([0.7, -0.5, 1.9, 2.5, -3.2]).choose([5, 6], mode)
        assert actual.asnumpy().tolist() == expected
    with pytest.raises(ValueError, match="mode must be"):
        Tensor([0]).choose([5], mode="no")


def test_answers_about_tensors() -> None:
    t = Tensor([[1.0, 2.0]])
    assert (t.is_floating_point(), t.is_complex(), t.is_signed(), t.nelement()) == (
        True,
        False,
        True,
        2,
    )
    assert t.allclose(t + 1e-7) and not t.allclose(t + 1)
    assert t.get_bytes() == np.float32([1, 2]).tobytes()
    assert (t.stride(), t.stride(0), t.type()) == ([2, 1], 2, "Float32")
    assert t.mT.shape == t.H.shape == (2, 1)
    assert t.set_dtype(ms.int32) is ms.int32 and t.dtype is ms.int32


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_an_op_adds_into_its_input(mode) -> None:
    ms.set_context(mode=mode)

    class Net(ms.nn.Cell):
        def construct(self, x):
            y = ms.ops.ZerosLike()(x)
            InplaceAddExt()(y, y + 2, 3)
            return y + 1

    assert Net()(Tensor([1, 5])).asnumpy().tolist() == [7, 7]


@pytest.mark.parametrize("of", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"])
def test_an_augmented_assignment_makes_a_new_tensor(of: str) -> None:
    t, other = Tensor([5.0, 9.0]), Tensor([2.0, 4.0])
    output = getattr(t, f"__i{of}__")(other)
    np.testing.assert_array_equal(output.asnumpy(), getattr(t, f"__{of}__")(other).asnumpy())
    assert output is not t and t.tolist() == [5.0, 9.0]


@pytest.mark.parametrize("write", ["copy_", "assign_value", "fill_"])
def test_what_became_a_parameters_content_stays_when_the_parameter_changes(write) -> None:
    x, p = Tensor([5.0]), ms.Parameter(Tensor([1.0] if write != "fill_" else 1.0), name="p")
    x = Tensor(5.0) if write == "fill_" else x
    getattr(x, write)(p)
    ops.assign(p, p + 6)
    assert x.asnumpy().ravel().tolist() == [1.0]


@pytest.mark.parametrize(("name", "other"), [("add_", 1), ("mul_", 2), ("sub_", Tensor([1]))])
def test_a_tensor_of_bools_holds_no_integers(name: str, other: Any) -> None:
    t = Tensor([True, False])
    with pytest.raises(TypeError, match=f"{name}: the result must fit a tensor of Bool, got Int64"):
        getattr(t, name)(other)
    assert t.asnumpy().tolist() == [True, False]


@pytest.mark.parametrize("name", ["exp_", "log_", "sigmoid_", "tanh_", "sign_", "floor_"])
def test_what_changes_a_tensor_by_itself_takes_nothing_else(name):
    t = Tensor([1.0, 2.0])
    with pytest.raises(TypeError):
        getattr(t, name)(0)
    np.testing.assert_array_equal(t.asnumpy(), [1.0, 2.0])
