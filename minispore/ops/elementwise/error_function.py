"""The error function, its complement and its inverse.

In float64, the Taylor series is used near 0. Beyond 1, erfc(x) = e^(-x^2) g(x) / x, where g is a
Chebyshev series fitted to the continued fraction of erfc (Abramowitz & Stegun 7.1.14). In float32,
where speed matters (gelu), erf(x) = tanh(x p(x^2)) with a short series p.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents
from minispore.core.tensor import Tensor, method
from minispore.ops.elementwise.bases import _FloatUnary
from minispore.ops.elementwise.powers import Exp

_TWO_OVER_SQRT_PI = 2 / math.sqrt(math.pi)
# erf(x) = x * sum of c_n x^(2n); for |x| <= 1 the first omitted term is below 1e-16
_TAYLOR = [
    _TWO_OVER_SQRT_PI * (-1) ** n / (math.factorial(n) * (2 * n + 1)) for n in reversed(range(19))
]
_MIDDLE, _OFFSET = 4.0, 2.0  # s = (x - 4) / (x + 2) maps [1, inf) to [-1, 1)


def _compute_scaled_erfc(x: float) -> float:
    """Compute x e^(x^2) erfc(x) for x >= 1, by the continued fraction from its tail."""
    tail = x
    for k in range(400, 0, -1):
        tail = x + k / 2 / tail
    return x / tail / math.sqrt(math.pi)


def _fit_polynomial(f: Callable[[float], float], degree: int) -> np.ndarray:
    """Return power coefficients, highest first, of a Chebyshev interpolation of f over [-1, 1]."""
    nodes = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    series = np.polynomial.chebyshev.chebfit(nodes, [f(s) for s in nodes.tolist()], degree)
    return np.polynomial.chebyshev.cheb2poly(series)[::-1].copy()


@functools.cache
def _fit_large_x_series() -> np.ndarray:
    """Return power coefficients, highest first, of x e^(x^2) erfc(x) for x >= 1, in
    s = (x - 4) / (x + 2).
    """
    return _fit_polynomial(lambda s: _compute_scaled_erfc((_MIDDLE + _OFFSET * s) / (1 - s)), 22)


_SATURATION = 4.3  # from this x on, erf and np.tanh of the series are 1 in float32


@functools.cache
def _fit_float32_series() -> list[float]:
    """Return power coefficients, highest first, of atanh(erf(x)) / x in s = 2 (x / 4.3)^2 - 1.

    The fit is weighted by (1 - erf(x)^2) x / erf(x), the relative effect of an error on erf(x); a
    minimum weight keeps erf at 1 for large x.
    """
    s = np.cos(np.pi * (np.arange(512) + 0.5) / 512)
    x = _SATURATION * np.sqrt((s + 1) / 2)
    erf, erfc = np.vectorize(math.erf)(x), np.vectorize(math.erfc)(x)
    ratio, weight = np.log((1 + erf) / erfc) / (2 * x), erfc * (1 + erf) * x / erf
    series = np.polynomial.chebyshev.chebfit(s, ratio, 9, w=np.maximum(weight, 3e-6))
    return [float(c) for c in np.polynomial.chebyshev.cheb2poly(series)[::-1]]


def erf32(x: np.ndarray) -> np.ndarray:
    """Compute the error function in float32, with a relative error below 3e-7."""
    x = np.clip(x, -_SATURATION, _SATURATION)
    s = x * x
    s *= 2 / _SATURATION**2
    s -= 1
    coefficients = _fit_float32_series()
    y = np.full_like(s, coefficients[0])
    for c in coefficients[1:]:
        y *= s
        y += c
    y *= x
    return np.tanh(y, out=y)


def erf64(x: np.ndarray) -> np.ndarray:
    """Compute the error function in float64."""
    is_large = np.abs(x) > 1
    return np.where(
        is_large,
        np.copysign(1 - _compute_erfc_beyond_1(np.where(is_large, np.abs(x), 1)), x),
        _compute_erf_near_0(np.where(is_large, 0, x)),
    )


def erfc64(x: np.ndarray) -> np.ndarray:
    """Compute 1 - erf(x) in float64, with full relative precision for large x."""
    magnitude = np.abs(x)
    is_large = magnitude > 1
    values = np.where(
        is_large,
        _compute_erfc_beyond_1(np.where(is_large, magnitude, 1)),
        1 - _compute_erf_near_0(np.where(is_large, 0, magnitude)),
    )
    return np.where(np.signbit(x), 2 - values, values)


def _compute_erf_near_0(x: np.ndarray) -> np.ndarray:
    """Compute erf(x) for small x by its Taylor series."""
    return x * np.polyval(_TAYLOR, x * x)


def _compute_erfc_beyond_1(x: np.ndarray) -> np.ndarray:
    """Compute erfc(x) for x >= 1 by its Chebyshev series."""
    s = (x - _MIDDLE) / (x + _OFFSET)
    return np.where(np.isinf(x), 0, np.exp(-x * x) * np.polyval(_fit_large_x_series(), s) / x)


def erfinv64(x: np.ndarray) -> np.ndarray:
    """Compute the inverse of erf in float64."""
    magnitude = np.abs(x)
    # Winitzki's formula is accurate to 0.002; each Halley step triples the number of correct
    # digits.
    log = np.log1p(-magnitude * magnitude)
    b = 2 / (math.pi * _WINITZKI) + log / 2
    y = np.sqrt(np.sqrt(b * b - log / _WINITZKI) - b)
    for _ in range(3):
        newton_step = (erfc64(y) - (1 - magnitude)) / (-_TWO_OVER_SQRT_PI * np.exp(-y * y))
        y = y - newton_step / (1 + y * newton_step)
    y = np.where(
        magnitude < 1, np.where(magnitude == 0, 0, y), np.where(magnitude == 1, np.inf, np.nan)
    )
    return np.copysign(y, x)


_WINITZKI = 0.147  # the constant a of Winitzki's formula


class _Special(_FloatUnary):
    """Base of functions that are computed in float64 and rounded to the dtype of x."""

    arithmetic = Arithmetic.TRANSCENDENTAL
    kinds = "biufV"
    reuse = ()
    compute: ClassVar[Any]  # float64 to float64

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, type(self).compute(np.asarray(x, np.float64)), casting="same_kind")


class Erf(_Special):
    """2 / sqrt(pi) * integral of e^(-t^2) from 0 to x.

    >>> print(Erf()(Tensor([-1.0, 0.0, 2.0])).asnumpy().round(4))
    [-0.8427  0.      0.9953]
    """

    compute = staticmethod(erf64)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Compute float64 inputs by the float64 series, and other dtypes in float32."""
        if out.dtype == np.float64:
            super().kernel(x, out=out)
        else:
            np.copyto(out, erf32(np.asarray(x, np.float32)), casting="same_kind")

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * Exp()(-x * x) * _TWO_OVER_SQRT_PI,)


class Erfc(_Special):
    """1 - erf(x).

    >>> print(Erfc()(Tensor([-1.0, 0.0, 2.0])).asnumpy().round(4))
    [1.8427 1.     0.0047]
    """

    compute = staticmethod(erfc64)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: -dout * Exp()(-x * x) * _TWO_OVER_SQRT_PI,)


class Erfinv(_Special):
    """The number whose erf is x; infinite for x = -1 and 1, NaN outside [-1, 1].

    >>> print(Erfinv()(Tensor([-0.5, 0.0, 0.9])).asnumpy().round(4))
    [-0.4769  0.      1.1631]
    """

    compute = staticmethod(erfinv64)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * Exp()(out * out) * (1 / _TWO_OVER_SQRT_PI),)


@method("erf")
def erf(input: Tensor) -> Tensor:
    """Apply :class:`Erf` to ``input``."""
    return Erf()(input)


@method("erfc")
def erfc(input: Tensor) -> Tensor:
    """Apply :class:`Erfc` to ``input``."""
    return Erfc()(input)


@method("erfinv")
def erfinv(input: Tensor) -> Tensor:
    """Apply :class:`Erfinv` to ``input``."""
    return Erfinv()(input)


__all__ = ["Erf", "Erfc", "Erfinv", "erf", "erfc", "erfinv"]
