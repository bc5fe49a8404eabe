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


def check(found: Any, wanted: Any) -> None:
    """The same numbers, the signs of zeros among them."""
    given, known = found.asnumpy(), np.array(wanted, np.float32)
    np.testing.assert_allclose(given, known, rtol=1e-6)
    np.testing.assert_array_equal(np.signbit(given[given == 0]), np.signbit(known[given == 0]))


@MODES
@pytest.mark.parametrize("value", [INF, -INF, NAN, -0.0, 0.0, 1.5])
@pytest.mark.parametrize("cell", [nn.ConstantPad1d, mint.nn.ConstantPad1d, nn.ConstantPad2d])
def test_a_border_holds_its_value_and_leaves_the_inside_alone(cell, value, mode):
    ms.set_context(mode=mode)
    found = cell((1, -1, 1, 0)[: 4 if cell is nn.ConstantPad2d else 2], value)(array([1, 2, 3]))
    rows = [[value] * 3] if cell is nn.ConstantPad2d else []
    check(found, [*rows, [value, 1, 2]])


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
