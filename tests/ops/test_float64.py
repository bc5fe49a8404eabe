"""What is computed of float64 has float64's accuracy: nothing on the way is a float32."""

from __future__ import annotations

import math

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops

RNG = np.random.default_rng(3)
NEAR = {"rtol": 1e-13, "atol": 1e-14}


def slope(f, x: np.ndarray) -> np.ndarray:
    return ms.grad(f)(Tensor(x)).asnumpy()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_polygamma_left_of_zero_is_its_sum_over_the_shifts(n: int) -> None:
    """psi_n(x) = psi_n(x + m) - (-1)^n n! sum over k < m of (x + k)^-(n + 1)."""
    x = np.array([-0.2, -3.3, -11.7, -20.6, -40.4])
    k = np.arange(60)
    shifts = np.array([((v + k) ** -(n + 1.0)).sum() for v in x])
    far = ops.polygamma(n, Tensor(x + 60)).asnumpy()
    expected = far + (-1) ** (n + 1) * math.factorial(n) * shifts
    np.testing.assert_allclose(ops.polygamma(n, Tensor(x)).asnumpy(), expected, **NEAR)


def test_digamma_s_gradient_is_the_trigamma_function() -> None:
    references = {1.0: math.pi**2 / 6, 0.5: math.pi**2 / 2, 3.0: math.pi**2 / 6 - 1.25}
    got = slope(ops.digamma, np.array(list(references)))
    np.testing.assert_allclose(got, list(references.values()), rtol=1e-14)


@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize(
    "mode, shape, size",
    [
        ("linear", (1, 2, 9), (13,)),
        ("bilinear", (1, 2, 5, 7), (8, 11)),
        ("trilinear", (1, 1, 3, 4, 5), (5, 6, 7)),
    ],
)
def test_an_interpolated_plane_is_a_plane(corners: bool, mode: str, shape, size) -> None:
    """Inside, a linear function of the place stays that function."""
    grids = np.meshgrid(*[np.arange(n) / 3 for n in shape[2:]], indexing="ij")
    x = np.broadcast_to(sum(grids), shape)
    got = ops.interpolate(Tensor(x), size=size, mode=mode, align_corners=corners).asnumpy()
    at = []
    for n, m in zip(shape[2:], size, strict=True):
        i = np.arange(m)
        place = i * (n - 1) / (m - 1) if corners else (i + 0.5) * n / m - 0.5
        at.append(np.clip(place, 0, n - 1) / 3)
    expected = np.broadcast_to(sum(np.meshgrid(*at, indexing="ij")), got.shape)
    np.testing.assert_allclose(got, expected, **NEAR)


@pytest.mark.parametrize("log_input", [True, False])
def test_poisson_nll_of_float64_is_its_formula(log_input: bool) -> None:
    x, y = RNG.uniform(0.1, 3, (4, 5)), RNG.integers(0, 6, (4, 5)).astype(float)
    rate = np.exp(x) - y * x if log_input else x - y * np.log(x + 1e-8)
    got = nn.PoissonNLLLoss(log_input)(Tensor(x), Tensor(y)).asnumpy()
    np.testing.assert_allclose(got, rate.mean(), rtol=1e-14)


LOSSES = {
    "MSELoss": lambda x, y: ((x - y) ** 2).mean(),
    "L1Loss": lambda x, y: np.abs(x - y).mean(),
    "SoftMarginLoss": lambda x, y: np.log1p(np.exp(-x * y)).mean(),
    "KLDivLoss": lambda x, y: (y * (np.log(y) - x)).mean(),
    "RMSELoss": lambda x, y: np.sqrt(((x - y) ** 2).mean()),
    "HuberLoss": lambda x, y: np.where(
        np.abs(x - y) <= 1, (x - y) ** 2 / 2, np.abs(x - y) - 0.5
    ).mean(),
    "SmoothL1Loss": lambda x, y: np.where(np.abs(x - y) < 1, (x - y) ** 2 / 2, np.abs(x - y) - 0.5),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_of_float64_is_its_formula(name: str) -> None:
    x, y = RNG.normal(size=(4, 5)), RNG.uniform(0.1, 0.9, (4, 5))
    got = getattr(nn, name)()(Tensor(x), Tensor(y))
    assert got.dtype == ms.float64
    np.testing.assert_allclose(got.asnumpy(), LOSSES[name](x, y), rtol=1e-13)


def test_a_clip_by_global_norm_of_float64_has_that_norm() -> None:
    x = RNG.normal(size=(3, 4)) * 10
    (clipped,) = ops.clip_by_global_norm([Tensor(x)], 1.0)
    np.testing.assert_allclose(clipped.asnumpy(), x / np.sqrt((x**2).sum()), rtol=1e-14)
