"""Optimizers of half floats compute in float32, in which no square is 0 or infinite: the numbers
are MindSpore's, where it does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from minispore import Parameter, Tensor, context, float16, float32, nn
from minispore.experimental import optim

MADE: dict[str, Callable[[Any], Any]] = {
    "nn.Adam": lambda p: nn.Adam(p, 0.01),
    "nn.Adam amsgrad": lambda p: nn.Adam(p, 0.01, use_amsgrad=True),
    "nn.AdaMax": lambda p: nn.AdaMax(p, 0.01),
    "nn.Adagrad": lambda p: nn.Adagrad(p, learning_rate=0.01),
    "nn.Adagrad from 0": lambda p: nn.Adagrad(p, 0.0, 0.01),
    "nn.Adadelta": lambda p: nn.Adadelta(p, 1.0),
    "nn.ProximalAdagrad": lambda p: nn.ProximalAdagrad(p, learning_rate=0.1, l1=0.001, l2=0.01),
    "nn.RMSProp": lambda p: nn.RMSProp(p, 0.01, momentum=0.9),
    "nn.RMSProp centred": lambda p: nn.RMSProp(p, 0.01, centered=True),
    "optim.Adam": lambda p: optim.Adam(p, 0.01),
    "optim.Adam amsgrad": lambda p: optim.Adam(p, 0.01, amsgrad=True),
    "optim.AdamW": lambda p: optim.AdamW(p, 0.01),
}
GRADIENTS = {
    "small": [0.01, 0.005, 1e-3, 0.3],
    "large": [300.0, -50.0, 20.0, 1.0],
    "none": [0.0, 0.0, 0.0, 0.0],
}


def ends(actual: Callable[[Any], Any], dtype: Any, gradient: list[float], steps: int) -> np.ndarray:
    weight = Parameter(Tensor([1.0, 0.5, -2.0, 0.01], dtype), name="w")
    optimizer = actual([weight])
    for _ in range(steps):
        optimizer((Tensor(gradient, float16).astype(dtype),))
    return weight.astype(float32).asnumpy()


@pytest.mark.parametrize("mode", [context.PYNATIVE_MODE, context.GRAPH_MODE])
@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("name", MADE)
def test_the_first_step_is_that_of_float32(name: str, gradient: str, mode: int) -> None:
    context.set_context(mode=mode)
    half, whole = (ends(MADE[name], t, GRADIENTS[gradient], 1) for t in (float16, float32))
    np.testing.assert_allclose(half, whole, rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("name", "gradient", "expected"),
    [
        ("nn.AdaMax", "none", [1.0, 0.5, -2.0, 0.01]),
        ("nn.RMSProp", "large", [0.9683, 0.5317, -2.031, 0.0]),
        ("nn.RMSProp centred", "large", [0.9668, 0.5332, -2.033, -4.822e-05]),
        ("nn.ProximalAdagrad", "large", [0.9, 0.6, -2.1, -0.08514]),
        ("nn.Adadelta", "large", [0.997, 0.503, -2.004, 0.00684]),
    ],
)
def test_numbers_of_mindspore(name: str, gradient: str, expected: list[float]) -> None:
    actual = ends(MADE[name], float16, GRADIENTS[gradient], 1)
    np.testing.assert_allclose(actual, expected, rtol=2e-3, atol=1e-4)


def test_experimental_adam_divides_by_no_rounded_zero() -> None:
    weight = Parameter(Tensor([1.0, 0.5], float16), name="w")
    optimizer = optim.Adam([weight])
    for expected in [0.999, 0.499], [0.998, 0.4976], [0.997, 0.4958]:
        optimizer((Tensor([0.01, 0.005], float16),))
        np.testing.assert_allclose(weight.asnumpy(), expected, rtol=1e-3)
