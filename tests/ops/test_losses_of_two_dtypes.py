"""Losses of two dtypes, and what is filled with a tensor: as MindSpore's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, mint, nn, ops

X, Y = np.array([[0.2, 0.7], [0.4, 0.9]]), np.array([[0.0, 1.0], [1.0, 0.5]])
SIDES = Tensor([1, -1], ms.int32)

WIDER: list[Callable[[Any, Any], Any]] = [
    ops.smooth_l1_loss,
    ops.SmoothL1Loss(),
    nn.SmoothL1Loss(),
    ops.mse_loss,
    ops.huber_loss,
    ops.multilabel_soft_margin_loss,
]
REFUSED: list[Callable[[Any, Any], Any]] = [
    ops.binary_cross_entropy,
    nn.BCELoss(),
    ops.kl_div,
    nn.KLDivLoss(),
    ops.SigmoidCrossEntropyWithLogits(),
    lambda x, y: ops.cosine_embedding_loss(x, y, SIDES),
    lambda x, y: nn.CosineEmbeddingLoss()(x, y, SIDES),
    lambda x, y: ops.margin_ranking_loss(x, y, x),
    lambda x, y: ops.margin_ranking_loss(x, x, y),
    lambda x, y: nn.MarginRankingLoss()(x, y, x),
    lambda x, y: ops.triplet_margin_loss(x, y, x),
    lambda x, y: ops.triplet_margin_loss(x, x, y),
    lambda x, y: nn.TripletMarginLoss()(x, y, x),
    lambda x, y: nn.MultiMarginLoss()(x, Tensor([0, 1]), y[0]),
]
OTHERS = [(a, b) for a in "HSD" for b in "HSD" if a != b]
DTYPES = {"H": ms.float16, "S": ms.float32, "D": ms.float64}


@pytest.mark.parametrize("loss", WIDER)
@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_a_loss_is_computed_in_the_wider_dtype(loss, one, other) -> None:
    x, y = Tensor(X, DTYPES[one]), Tensor(Y, DTYPES[other])
    output, wide = loss(x, y), loss(Tensor(X, ms.float64), Tensor(Y, ms.float64))
    assert output.dtype is DTYPES[max((one, other), key="HSD".index)]
    np.testing.assert_allclose(output.asnumpy(), wide.asnumpy(), rtol=2e-3)


@pytest.mark.parametrize("loss", REFUSED)
@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_a_loss_that_wants_one_dtype_says_so(loss, one, other) -> None:
    with pytest.raises(TypeError, match="dtype"):
        loss(Tensor(X, DTYPES[one]), Tensor(Y, DTYPES[other]))


@pytest.mark.parametrize(("one", "other"), [("H", "S"), ("S", "H")])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_the_cross_entropy_of_logits_has_the_dtype_of_the_labels(one, other, reduction) -> None:
    x, y = Tensor(X, DTYPES[one]), Tensor(Y, DTYPES[other])

    def loss(x: Any, y: Any) -> Any:
        return nn.BCEWithLogitsLoss(reduction)(x, y)

    assert loss(x, y).dtype is y.dtype
    assert mint.nn.functional.binary_cross_entropy_with_logits(x, y).dtype is y.dtype
    by_x, by_y = ms.grad(loss, (0, 1))(x, y)
    assert by_x.dtype is x.dtype and by_y.dtype is y.dtype
    whole = ms.grad(loss)(Tensor(X, ms.float32), Tensor(Y, ms.float32))
    np.testing.assert_allclose(by_x.asnumpy(), whole.asnumpy(), rtol=5e-3, atol=1e-3)


@pytest.mark.parametrize("place", range(4))
def test_the_cross_entropy_of_logits_takes_float64_with_nothing_else(place) -> None:
    tensors = [Tensor(X, ms.float32) for _ in range(4)]
    tensors[place] = Tensor(Y, ms.float64)
    with pytest.raises(TypeError, match="must have one dtype"):
        ops.binary_cross_entropy_with_logits(*tensors)


@pytest.mark.parametrize("dtype", [ms.int32, ms.int64, ms.bool_])
def test_labels_of_several_classes_may_be_integers(dtype) -> None:
    x, y = Tensor([[0.5, 0.5]]), np.float32([[1, 0]])
    output = ops.multilabel_soft_margin_loss(x, Tensor(y, dtype))
    assert output.dtype is ms.float32
    assert output.asnumpy() == ops.multilabel_soft_margin_loss(x, Tensor(y)).asnumpy()


FILLED: list[Callable[[Any, Any], Any]] = [
    lambda x, v: ops.full((2, 2), v, dtype=ms.float32),
    lambda x, v: ops.full_like(x, v),
    lambda x, v: ops.full_like(x, v, dtype=ms.float16),
    lambda x, v: ops.fill(ms.float32, (2, 2), v),
    lambda x, v: ops.fills(x, v),
    lambda x, v: x.fill(v),
    lambda x, v: x.fills(v),
    lambda x, v: x.new_full((2, 2), v),
    lambda x, v: mint.full((2, 2), v, dtype=ms.float32),
    lambda x, v: mint.full_like(x, v),
    lambda x, v: (x * 1).fill_(v),
]


@pytest.mark.parametrize("fill", FILLED)
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_what_is_filled_with_a_tensor_has_a_gradient_by_it(mode, fill) -> None:
    ms.set_context(mode=mode)
    x = Tensor(X, ms.float32)

    class Filled(nn.Cell):
        def construct(self, v: Any) -> Any:
            return (fill(x, v) * 3).sum()

    value, by = ms.value_and_grad(Filled())(Tensor(2.5))
    assert (value.asnumpy(), by.asnumpy()) == (30.0, 12.0)


def test_what_is_filled_takes_a_tensor_of_one_element() -> None:
    assert ops.full_like(Tensor(X, ms.float32), Tensor([3.0])).asnumpy().tolist() == [[3.0] * 2] * 2
    with pytest.raises(ValueError, match="one element"):
        ops.full_like(Tensor(X, ms.float32), Tensor([3.0, 4.0]))


@pytest.mark.parametrize("dtype", [ms.bool_, ms.int8, ms.uint8, ms.int16, ms.int32])
def test_a_product_along_axes_in_a_tuple_keeps_the_dtype(dtype) -> None:
    x = Tensor([[1, 1], [0, 1]], dtype)
    for axes in ((0, 1), [0], (), (-1,)):
        assert ops.prod(x, axes).dtype is dtype
    assert ops.prod(x).dtype is ms.int64 and ops.prod(x, 0).dtype is ms.int64
    assert ops.prod(x, (0,), dtype=ms.float32).dtype is ms.float32


@pytest.mark.parametrize("order", [2, -2, "nuc"])
def test_norms_by_singular_values_of_halves_are_float32(order) -> None:
    x = Tensor([[1.0, 2.0], [2.0, 3.0]], ms.float16)
    for output in (ops.norm(x, order, (0, 1)), ops.matrix_norm(x, order)):
        assert output.dtype is ms.float32
        actual = np.linalg.norm(np.float64([[1, 2], [2, 3]]), order)
        np.testing.assert_allclose(output.asnumpy(), actual, rtol=1e-5)
    assert ops.matrix_norm(x).dtype is ms.float16 and ops.norm(x, 1, (0, 1)).dtype is ms.float16


@pytest.mark.parametrize(
    ("shape", "axes", "expected"),
    [((0,), 0, ()), ((0, 3), 0, (3,)), ((0, 3), (0, 1), ()), ((3, 0), 1, (3,)), ((3, 0), 0, (0,))],
)
def test_the_logarithm_of_a_sum_of_nothing_is_minus_infinity(shape, axes, expected) -> None:
    output = ops.logsumexp(Tensor(np.zeros(shape, np.float32)), axes).asnumpy()
    assert output.shape == expected
    assert np.isneginf(output).all()
    with pytest.raises(TypeError, match="input must be a Tensor"):
        ops.logsumexp(3, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "shrink", [ops.SoftShrink(-0.5), nn.SoftShrink(-0.5), lambda x: ops.softshrink(x, -0.5)]
)
def test_a_soft_shrink_does_not_grow(shrink) -> None:
    with pytest.raises(RuntimeError, match="lambd must be >= 0"):
        shrink(Tensor([1.0]))


def test_tensors_of_text_and_of_numbers_do_not_become_each_other() -> None:
    text = Tensor(np.array(["1", "2"]))
    with pytest.raises(TypeError, match="text"):
        Tensor(text, ms.float32)
    with pytest.raises(TypeError, match="text"):
        Tensor(Tensor([1.0]), ms.string)
    assert Tensor(text, ms.string).asnumpy().tolist() == ["1", "2"]
