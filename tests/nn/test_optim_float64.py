"""Optimizers of float64 weights carry float64's digits: what they keep beside them does not cost
any.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, nn
from minispore.common.api import jit

RATE, BETA1, BETA2, EPSILON = 2.0**-7, 0.875, 1 - 2.0**-10, 2.0**-27  # as float32 has them, too
GRADIENTS = np.random.default_rng(0).standard_normal((30, 5))


def moved(make: Any, dtype: Any) -> np.ndarray:
    """Weights after thirty steps."""
    weight = Parameter(Tensor(np.ones(5), dtype), name="w")
    step = jit(make([weight]))
    for g in GRADIENTS:
        step((Tensor(g, dtype),))
    return weight.asnumpy()


def adam(dtype: Any, largest: bool = False) -> np.ndarray:
    w, m, v, top = np.ones(5, dtype), *np.zeros((3, 5), dtype)
    for t, g in enumerate(GRADIENTS.astype(dtype), 1):
        m, v = BETA1 * m + (1 - BETA1) * g, BETA2 * v + (1 - BETA2) * g * g
        top = np.maximum(top, v) if largest else v
        rate = RATE * np.sqrt(1 - dtype(BETA2) ** t) / (1 - dtype(BETA1) ** t)
        w = w - rate * m / (np.sqrt(top) + EPSILON)
    return w


@pytest.mark.parametrize(
    ("make", "largest"),
    [
        (lambda w: nn.Adam(w, RATE, BETA1, BETA2, EPSILON), False),
        (lambda w: nn.Adam(w, RATE, BETA1, BETA2, EPSILON, use_amsgrad=True), True),
        (lambda w: nn.LazyAdam(w, RATE, BETA1, BETA2, EPSILON), False),
    ],
)
def test_adam_in_float64_is_its_formula_to_fourteen_digits(make: Any, largest: bool) -> None:
    expected = adam(np.longdouble, largest).astype(np.float64)
    np.testing.assert_allclose(moved(make, ms.float64), expected, rtol=1e-14)


def test_adamax_in_float64_is_its_formula_to_fourteen_digits() -> None:
    w, m, top = np.ones(5), np.zeros(5), np.zeros(5)
    for t, g in enumerate(GRADIENTS, 1):
        m, top = BETA1 * m + (1 - BETA1) * g, np.maximum(BETA2 * top, np.abs(g))
        w = w - RATE / (1 - BETA1**t) * m / (top + EPSILON)
    output = moved(lambda x: nn.AdaMax(x, RATE, BETA1, BETA2, EPSILON), ms.float64)
    np.testing.assert_allclose(output, w, rtol=1e-14)


def test_adam_powers_of_float32_weights_are_float32() -> None:
    optimizer = nn.Adam([Parameter(Tensor(np.ones(5, np.float32)), name="w")])
    assert optimizer.beta1_power.dtype is optimizer.beta2_power.dtype is ms.float32


@pytest.mark.parametrize("centered", [False, True])
def test_rmsprop_has_epsilon_under_the_root_for_every_weight(centered: bool) -> None:
    decay, momentum, epsilon = 0.75, 0.5, 0.25
    w, s, v, m = np.ones(5), np.ones(5), np.zeros(5), np.zeros(5)
    for g in GRADIENTS:
        s, m = decay * s + (1 - decay) * g * g, decay * m + (1 - decay) * g
        spread = s - m * m if centered else s
        v = momentum * v + RATE * g / np.sqrt(spread + epsilon)
        w = w - v
    output = moved(
        lambda x: nn.RMSProp(x, RATE, decay, momentum, epsilon, centered=centered), ms.float64
    )
    np.testing.assert_allclose(output, w, rtol=1e-14)
