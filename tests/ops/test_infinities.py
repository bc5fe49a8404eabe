"""Infinities, NaNs and negative zeros stay where they belong: what has no part in a result does not
spoil it, and what is asked for arrives.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, mint, nn, ops

INF, NAN = math.inf, math.nan
MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])


def array(*values: Any) -> Tensor:
    return Tensor(np.array(values, np.float32))


def check(actual: Any, expected: Any) -> None:
    """The same numbers, the signs of zeros among them."""
    output, reference = actual.asnumpy(), np.array(expected, np.float32)
    np.testing.assert_allclose(output, reference, rtol=1e-6)
    np.testing.assert_array_equal(
        np.signbit(output[output == 0]), np.signbit(reference[output == 0])
    )


@MODES
@pytest.mark.parametrize("value", [INF, -INF, NAN, -0.0, 0.0, 1.5])
@pytest.mark.parametrize("cell", [nn.ConstantPad1d, mint.nn.ConstantPad1d, nn.ConstantPad2d])
def test_constant_padding_has_its_value_and_preserves_the_interior(cell, value, mode):
    ms.set_context(mode=mode)
    actual = cell((1, -1, 1, 0)[: 4 if cell is nn.ConstantPad2d else 2], value)(array([1, 2, 3]))
    rows = [[value] * 3] if cell is nn.ConstantPad2d else []
    check(actual, [*rows, [value, 1, 2]])


def test_a_border_of_integers_refuses_what_is_no_integer():
    with pytest.raises(OverflowError):
        nn.ConstantPad1d(1, INF)(Tensor([1, 2]))


@MODES
@pytest.mark.parametrize("value", [INF, NAN, -0.0])
def test_what_is_below_a_threshold_may_become_anything(value, mode):
    ms.set_context(mode=mode)
    check(ops.threshold(array(1, 4), 3.0, value), [value, 4])
    check(nn.Threshold(3.0, value)(array(1, 4)), [value, 4])


@MODES
def test_a_slope_of_zero_leaves_infinity_to_a_leaky_relu(mode):
    ms.set_context(mode=mode)
    x = array(INF, 2, -1, -INF)
    for f in (lambda x: ops.leaky_relu(x, 0.0), nn.LeakyReLU(0.0)):
        check(f(x), [INF, 2, 0, 0])
        check(ms.grad(f)(x), [1, 1, 0, 0])


@MODES
@pytest.mark.parametrize("loss", [nn.HuberLoss("none", 2.0), None])
def test_the_slope_of_a_huber_loss_is_bounded(loss, mode):
    ms.set_context(mode=mode)
    f = loss or (lambda x, y: ops.huber_loss(x, y, "none", 2.0))
    x, y = array(INF, -5, 1, 5), array(1, 1, 0, 1)
    check(f(x, y), [INF, 10, 0.5, 6])
    check(ms.grad(f)(x, y), [2, -2, 1, 2])
    check(ms.vjp(f, x, y)[1](array(1, INF, 1, -INF))[0], [2, -INF, 1, -INF])


@MODES
def test_zero_times_the_logarithm_of_nan_is_nan(mode):
    ms.set_context(mode=mode)
    check(ops.xlogy(array(0, 0, 0, 1), array(NAN, INF, -1, 1)), [NAN, 0, 0, 0])


def test_nan_is_unlike_any_other():
    x = array(NAN, 1, NAN, 2, 1)
    for values, which in (ops.unique(x), ops.Unique()(x)):
        check(values, [NAN, 1, NAN, 2])
        assert which.asnumpy().tolist() == [0, 1, 2, 3, 1]
    check(ms.numpy.unique(x), [NAN, 1, NAN, 2])
    values, counts = x.unique(return_counts=True)
    check(values, [1, 2, NAN, NAN])
    assert counts.asnumpy().tolist() == [2, 1, 1, 1]


@MODES
@pytest.mark.parametrize("value", [INF, -INF, NAN])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize(
    ("reduction", "loss"), [("none", [0, -2]), ("sum", -2), ("mean", -2)], ids=str
)
def test_a_row_that_is_ignored_counts_nothing(reduction, loss, smoothing, value, mode):
    ms.set_context(mode=mode)
    x, labels, w = array([value] * 2, [2, 2]), Tensor([-1, 0], ms.int32), array(1, 1)
    options = {"ignore_index": -1, "reduction": reduction, "label_smoothing": smoothing}

    def likelihood(x: Tensor) -> Tensor:
        return ops.nll_loss(x, labels, **options)

    check(likelihood(x) + 0, loss)  # no negative zero
    slope = ms.grad(likelihood)(x).asnumpy()
    assert not slope[0].any() and abs(slope[1].sum() + 1) < 1e-6
    entropy = ops.cross_entropy(x, labels, w, **options).asnumpy()
    np.testing.assert_allclose(entropy, np.multiply(loss, -np.log(2) / 2), rtol=1e-6)


@MODES
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_the_class_weight_gradient_depends_only_on_rows_of_its_class(reduction, mode):
    ms.set_context(mode=mode)
    x = array([1, NAN, 2], [4, INF, 3], [NAN, NAN, NAN])
    labels = Tensor([0, 2, -1], ms.int32)
    op = ops.NLLLoss(reduction, ignore_index=-1)
    gradient = ms.grad(lambda w: op(x, labels, w)[0].sum())(array(1, 2, 3))
    check(gradient, [0.375, 0, -0.125] if reduction == "mean" else [-1, 0, -3])


@MODES
def test_margins_are_those_of_the_other_classes(mode):
    ms.set_context(mode=mode)
    x, target = array([2, -INF, 1.5], [INF, 0, 0]), Tensor([0, 0])
    check(ops.multi_margin_loss(x, target, reduction="none"), [1 / 6, 0])
    f = lambda x: ops.multi_margin_loss(x, target, weight=array(1, INF, INF), reduction="sum")  # noqa: E731
    check(ms.grad(f)(x), [[-1 / 3, 0, 1 / 3], [0, 0, 0]])
    labels = Tensor([[0, -1, 1], [0, -1, 2]], ms.int32)
    check(ops.multilabel_margin_loss(x, labels, "none"), [1 / 6, 0])


@MODES
@pytest.mark.parametrize("value", [INF, -INF, NAN])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: ops.interpolate(x, size=(7, 9), mode="bilinear"),
        lambda x: ops.interpolate(x, size=(5, 4), mode="bilinear", align_corners=True),
        lambda x: ops.interpolate(x, size=(9, 7), mode="bicubic"),
        lambda x: ops.interpolate(x.reshape(2, 1, 42), size=17, mode="linear"),
        lambda x: ops.interpolate(x.reshape(2, 1, 2, 3, 7), size=(4, 5, 6), mode="trilinear"),
        lambda x: ops.interpolate(x, size=(4, 5), mode="area"),
        lambda x: ops.adaptive_avg_pool2d(x, (4, 3)),
        lambda x: ops.adaptive_avg_pool1d(x.reshape(2, 42), 5),
        lambda x: ops.ResizeArea()(x.reshape(2, 6, 7, 1), Tensor([4, 5], ms.int32)),
        lambda x: ops.ROIAlign(3, 3, 1.0)(x, array([1, 0, 0, 5, 3], [0, 1, 1, 2, 2])),
    ],
)
def test_a_resized_image_has_of_a_pixel_what_reaches_it(f, value, mode):
    """How far a pixel reaches is seen in the slopes of finite ones."""
    ms.set_context(mode=mode)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 1, 6, 7)).astype(np.float32)
    y, pull = ms.vjp(f, Tensor(x))
    columns = [pull(Tensor(e.reshape(y.shape)))[0] for e in np.eye(y.size, dtype=np.float32)]
    weights = np.stack([c.asnumpy().reshape(-1) for c in columns])  # (output, input)

    def sums(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
        terms = weights * np.where(weights == 0, 0, inputs.reshape(-1))
        return np.array([sum(row[row != 0]) for row in terms])

    with np.errstate(invalid="ignore"):
        x[1, 0, 2, 3] = value
        actual = f(Tensor(x)).asnumpy().reshape(-1)
        np.testing.assert_allclose(actual, sums(weights, x), rtol=1e-4, atol=1e-5)
        d = rng.normal(size=y.shape).astype(np.float32)
        d.reshape(-1)[-d.size // 3] = value
        slope = ms.vjp(f, Tensor(x))[1](Tensor(d))[0].asnumpy().reshape(-1)
        np.testing.assert_allclose(slope, sums(weights.T, d), rtol=1e-4, atol=1e-5)


@MODES
@pytest.mark.parametrize("value", [INF, NAN])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("cell", [nn.RNN, nn.GRU, nn.LSTM])
def test_values_after_the_end_of_a_sequence_reach_no_gradient(cell, bidirectional, value, mode):
    ms.set_context(mode=mode)
    net = cell(2, 3, bidirectional=bidirectional)
    x = np.random.default_rng(0).normal(size=(3, 2, 2)).astype(np.float32)
    length, results = Tensor([3, 2], ms.int32), []
    for padding in (0, value):
        x[2, 1] = padding
        f = ms.value_and_grad(lambda x: net(x, None, length)[0].sum(), 0, net.trainable_params())
        y, (dx, dw) = f(Tensor(x))
        results.append([t.asnumpy() for t in (y, dx, *dw)])
        assert not dx.asnumpy()[2, 1].any()
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a, b)


@MODES
def test_an_extreme_that_is_no_number_has_the_slope(mode):
    ms.set_context(mode=mode)
    x = array([1, NAN, 3], [1, INF, 3])
    for f in (ops.ReduceMax(), ops.ReduceMin(), ops.amax, ops.amin):
        slope = ms.grad(lambda x: f(x, 1).sum())(x)  # noqa: B023
        least = f in (ops.amin, ops.ReduceMin())
        check(slope, [[0, 1, 0], [1, 0, 0] if least else [0, 1, 0]])


@MODES
def test_channels_that_are_dropped_are_zero(mode):
    ms.set_context(mode=mode)
    x = array(INF, -INF, NAN, 1).reshape(1, 4, 1, 1)
    y, mask = ops.Dropout2D(0.5)(x)
    assert not y.asnumpy()[~mask.asnumpy()].any()
    check(ops.dropout2d(x, 1.0).reshape(4), [0, 0, 0, 0])


@MODES
def test_a_central_difference_leaves_out_the_center(mode):
    ms.set_context(mode=mode)
    check(ms.numpy.gradient(array(1, INF, -2, 2)), [INF, -1.5, -INF, 4])


@MODES
@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64])
def test_a_norm_that_is_nan_clips_nothing(mode, dtype):
    ms.set_context(mode=mode)
    for first, expected in (([NAN, 1.0], [NAN, 1.0, 2.0]), ([INF, 1.0], [NAN, 0.0, 0.0])):
        parts = ops.clip_by_global_norm([Tensor(first, dtype), Tensor([2.0], dtype)], 1.0)
        assert all(p.dtype == dtype for p in parts)
        np.testing.assert_array_equal(np.concatenate([p.asnumpy() for p in parts]), expected)


def test_the_ends_of_incomplete_gamma_functions():
    a = Tensor([0.5, 2.0, INF, 0.0, -1.0, NAN])
    actual = {
        (ops.igamma, 0.0): [0, 0, 0, 0, 0, 0],
        (ops.igamma, INF): [1, 1, NAN, NAN, NAN, NAN],
        (ops.igammac, 0.0): [1, 1, 1, NAN, NAN, NAN],
        (ops.igammac, INF): [0, 0, NAN, NAN, NAN, NAN],
    }
    for (f, x), values in actual.items():
        np.testing.assert_array_equal(f(a, Tensor([x] * 6)).asnumpy(), values)


@MODES
@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64, ms.bfloat16])
@pytest.mark.parametrize("half", [0.5, Tensor(0.5), Tensor([0.5])])
def test_a_half_as_exponent_is_a_power_and_no_root_at_the_ends(half, dtype, mode):
    ms.set_context(mode=mode)
    half = half if isinstance(half, float) else half.astype(dtype)
    x = Tensor([-INF, -0.0, 0.0, INF, 4.0, -4.0], dtype)
    check(ms.jit(ops.pow)(x, half).float(), [INF, 0.0, 0.0, INF, 2.0, NAN])


def test_digamma_at_zero_has_the_sign_of_the_side_that_it_comes_from():
    check(ops.digamma(array(0.0, -0.0, -1.0)), [-INF, INF, NAN])


def test_an_infinite_zeta_is_what_its_first_power_makes_it():
    check(
        ops.zeta(array(INF, INF, INF, INF, NAN), array(1.5, 1, 0.5, NAN, 1)), [0, 1, INF, NAN, NAN]
    )
