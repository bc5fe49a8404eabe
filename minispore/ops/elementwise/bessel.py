"""Bessel functions of order 0 and 1: J and Y, the modified I and K, and scaled I and K.

J and I are integrals of periodic functions, for which the trapezoid rule is exact to the last
digits. The integrand of K decays double-exponentially. Y is computed by Neumann's series of J_n.
For arguments above 25, Hankel's asymptotic series are used (Abramowitz & Stegun 9.2 and 9.7).
"""

from __future__ import annotations

import math

import numpy as np

from minispore.core.primitive import Cotangents
from minispore.core.tensor import Tensor, method
from minispore.ops.elementwise.compare import Equal
from minispore.ops.elementwise.error_function import _Special
from minispore.ops.elementwise.rounding import Sign
from minispore.ops.index.select import Select

_ASYMPTOTIC_FROM = 25.0
_TERMS = 14
_ANGLES = np.linspace(0, math.pi, 65)
_WEIGHTS = np.where((_ANGLES == 0) | (math.pi == _ANGLES), 0.5, 1.0) / 64


def _compute_hankel_terms(n: int, x: np.ndarray) -> list[np.ndarray]:
    """Return the terms (4n^2 - 1)(4n^2 - 9) ... / (k! (8x)^k) of Hankel's asymptotic series."""
    terms = [np.ones_like(x)]
    for k in range(1, _TERMS):
        terms.append(terms[-1] * (4 * n * n - (2 * k - 1) ** 2) / (8 * k * x))
    return terms


def bessel_j(n: int, x: np.ndarray) -> np.ndarray:
    """Compute J_n(x)."""
    magnitude = np.abs(x)
    clipped = np.minimum(magnitude, _ASYMPTOTIC_FROM)[..., None]
    values = (np.cos(n * _ANGLES - clipped * np.sin(_ANGLES)) * _WEIGHTS).sum(-1)
    values = np.where(
        magnitude > _ASYMPTOTIC_FROM,
        _compute_asymptotic_wave(n, np.maximum(magnitude, _ASYMPTOTIC_FROM), 0.0),
        values,
    )
    return _restore_sign(n, x, values)


def _restore_sign(n: int, x: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Apply the sign of x to values for |x|; for n = 1 near 0, where digits cancel, use x / 2."""
    if n == 1:
        values = np.where(np.abs(x) < 1e-8, np.abs(x) / 2, values)
    return np.where(x < 0, (-1) ** n * values, values)


def _compute_asymptotic_wave(n: int, x: np.ndarray, shift: float) -> np.ndarray:
    """Compute J_n for large x by its asymptotic series; a ``shift`` of pi / 2 gives Y_n."""
    terms = _compute_hankel_terms(n, x)
    even = sum((-1) ** k * t for k, t in enumerate(terms[0::2]))
    odd = sum((-1) ** k * t for k, t in enumerate(terms[1::2]))
    angle = x - n * math.pi / 2 - math.pi / 4 - shift
    return np.sqrt(2 / (math.pi * x)) * (even * np.cos(angle) - odd * np.sin(angle))


def bessel_y(n: int, x: np.ndarray) -> np.ndarray:
    """Compute Y_n(x); -inf for x <= 0."""
    clipped = np.where((x > 0) & (x < _ASYMPTOTIC_FROM), x, 1.0)
    log = np.log(clipped / 2) + np.euler_gamma
    if n == 0:
        tail = sum((-1) ** (k + 1) * bessel_j(2 * k, clipped) / k for k in range(1, 32))
        values = (2 * log * bessel_j(0, clipped) + 4 * tail) / math.pi
    else:  # -dY_0/dx
        tail = sum(
            (-1) ** k * (bessel_j(2 * k - 1, clipped) - bessel_j(2 * k + 1, clipped)) / k
            for k in range(1, 32)
        )
        values = (log * bessel_j(1, clipped) - bessel_j(0, clipped) / clipped + tail) * (
            2 / math.pi
        )
    values = np.where(
        x >= _ASYMPTOTIC_FROM,
        _compute_asymptotic_wave(n, np.maximum(x, _ASYMPTOTIC_FROM), math.pi / 2),
        values,
    )
    return np.where(x > 0, values, np.where(x <= 0, -np.inf, np.nan))


def bessel_ie(n: int, x: np.ndarray) -> np.ndarray:
    """Compute e^-|x| I_n(x)."""
    magnitude = np.abs(x)
    clipped = np.minimum(magnitude, _ASYMPTOTIC_FROM)[..., None]
    values = (np.exp(clipped * (np.cos(_ANGLES) - 1)) * np.cos(n * _ANGLES) * _WEIGHTS).sum(-1)
    asymptotic_x = np.maximum(magnitude, _ASYMPTOTIC_FROM)
    series = sum((-1) ** k * t for k, t in enumerate(_compute_hankel_terms(n, asymptotic_x)))
    values = np.where(
        magnitude > _ASYMPTOTIC_FROM,
        series / math.sqrt(2 * math.pi) / np.sqrt(asymptotic_x),
        values,
    )
    return _restore_sign(n, x, values)


def bessel_ke(n: int, x: np.ndarray) -> np.ndarray:
    """Compute e^x K_n(x): inf for x <= 0, and 0 for x = inf."""
    series_below = 1e-7  # below this, the first term of the series at 0 is exact
    clipped = np.where((x > series_below) & (x < np.inf), x, 1.0)[..., None]
    end_t = np.arccosh(1 + 45 / clipped)  # where the integrand is e^-45
    t = end_t * np.linspace(0, 1, 201)
    integrand = np.exp(-clipped * (np.cosh(t) - 1)) * np.cosh(n * t)
    values = (integrand.sum(-1) - integrand[..., 0] / 2) * end_t[..., 0] / 200
    tiny = np.where((x > 0) & (x <= series_below), x, 1.0)
    series = -np.log(tiny / 2) - np.euler_gamma if n == 0 else 1 / tiny
    values = np.where(x > series_below, np.where(x < np.inf, values, 0.0), series)
    return np.where(x > 0, values, np.where(x <= 0, np.inf, np.nan))


def _divide_odd(value: Tensor, x: Tensor) -> Tensor:
    """Return value / x, or 0.5 where x is 0, for values of an odd function f with f'(0) = 1/2."""
    zero = Equal()(x, 0)
    return Select()(zero, 0.5, value / Select()(zero, 1.0, x))


class BesselJ0(_Special):
    """J_0(x).

    >>> print(BesselJ0()(Tensor([0.0, 1.0, 40.0])).asnumpy().round(4))
    [1.     0.7652 0.0074]
    """

    compute = staticmethod(lambda x: bessel_j(0, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: -dout * BesselJ1()(x),)


class BesselJ1(_Special):
    """J_1(x).

    >>> print(BesselJ1()(Tensor([0.0, 1.0, 40.0])).asnumpy().round(4))
    [0.     0.4401 0.126 ]
    """

    compute = staticmethod(lambda x: bessel_j(1, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * (BesselJ0()(x) - _divide_odd(out, x)),)


class BesselY0(_Special):
    """Y_0(x).

    >>> print(BesselY0()(Tensor([1.0, 40.0])).asnumpy().round(4))
    [0.0883 0.1259]
    """

    compute = staticmethod(lambda x: bessel_y(0, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: -dout * BesselY1()(x),)


class BesselY1(_Special):
    """Y_1(x).

    >>> print(BesselY1()(Tensor([1.0, 40.0])).asnumpy().round(4))
    [-0.7812 -0.0058]
    """

    compute = staticmethod(lambda x: bessel_y(1, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * (BesselY0()(x) - out / x),)


class BesselI0(_Special):
    """I_0(x).

    >>> print(BesselI0()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [1.     1.2661]
    """

    compute = staticmethod(lambda x: bessel_ie(0, x) * np.exp(np.abs(x)))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * BesselI1()(x),)


class BesselI1(_Special):
    """I_1(x).

    >>> print(BesselI1()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [0.     0.5652]
    """

    compute = staticmethod(lambda x: bessel_ie(1, x) * np.exp(np.abs(x)))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * (BesselI0()(x) - _divide_odd(out, x)),)


class BesselI0e(_Special):
    """e^-|x| I_0(x).

    >>> print(BesselI0e()(Tensor([0.0, 20.0])).asnumpy().round(4))
    [1.     0.0898]
    """

    compute = staticmethod(lambda x: bessel_ie(0, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * (BesselI1e()(x) - Sign()(x) * out),)


class BesselI1e(_Special):
    """e^-|x| I_1(x).

    >>> print(BesselI1e()(Tensor([0.0, 20.0])).asnumpy().round(4))
    [0.     0.0875]
    """

    compute = staticmethod(lambda x: bessel_ie(1, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * (BesselI0e()(x) - _divide_odd(out, x) - Sign()(x) * out),)


class BesselK0(_Special):
    """K_0(x).

    >>> print(BesselK0()(Tensor([0.1, 1.0])).asnumpy().round(4))
    [2.4271 0.421 ]
    """

    compute = staticmethod(lambda x: bessel_ke(0, x) * np.exp(-x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: -dout * BesselK1()(x),)


class BesselK1(_Special):
    """K_1(x).

    >>> print(BesselK1()(Tensor([0.1, 1.0])).asnumpy().round(4))
    [9.8538 0.6019]
    """

    compute = staticmethod(lambda x: bessel_ke(1, x) * np.exp(-x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: -dout * (BesselK0()(x) + out / x),)


class BesselK0e(_Special):
    """e^x K_0(x).

    >>> print(BesselK0e()(Tensor([0.1, 20.0])).asnumpy().round(4))
    [2.6823 0.2785]
    """

    compute = staticmethod(lambda x: bessel_ke(0, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * (out - BesselK1e()(x)),)


class BesselK1e(_Special):
    """e^x K_1(x).

    >>> print(BesselK1e()(Tensor([0.1, 20.0])).asnumpy().round(4))
    [10.8902  0.2854]
    """

    compute = staticmethod(lambda x: bessel_ke(1, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * (out * (1 - 1 / x) - BesselK0e()(x)),)


# -- functions -------------------------------------------------------------------------------------


def bessel_j0(x: Tensor) -> Tensor:
    """Apply :class:`BesselJ0` to ``x``."""
    return BesselJ0()(x)


def bessel_j1(x: Tensor) -> Tensor:
    """Apply :class:`BesselJ1` to ``x``."""
    return BesselJ1()(x)


def bessel_y0(x: Tensor) -> Tensor:
    """Apply :class:`BesselY0` to ``x``."""
    return BesselY0()(x)


def bessel_y1(x: Tensor) -> Tensor:
    """Apply :class:`BesselY1` to ``x``."""
    return BesselY1()(x)


def bessel_i0(x: Tensor) -> Tensor:
    """Apply :class:`BesselI0` to ``x``."""
    return BesselI0()(x)


@method("i0")
def i0(input: Tensor) -> Tensor:
    """Apply :class:`BesselI0` to ``input``."""
    return BesselI0()(input)


def bessel_i1(x: Tensor) -> Tensor:
    """Apply :class:`BesselI1` to ``x``."""
    return BesselI1()(x)


def bessel_i0e(x: Tensor) -> Tensor:
    """Return e^-|x| I_0(x), the scaled modified Bessel function of the first kind."""
    return BesselI0e()(x)


def bessel_i1e(x: Tensor) -> Tensor:
    """Return e^-|x| I_1(x), the scaled modified Bessel function of the first kind."""
    return BesselI1e()(x)


def bessel_k0(x: Tensor) -> Tensor:
    """Apply :class:`BesselK0` to ``x``."""
    return BesselK0()(x)


def bessel_k1(x: Tensor) -> Tensor:
    """Apply :class:`BesselK1` to ``x``."""
    return BesselK1()(x)


def bessel_k0e(x: Tensor) -> Tensor:
    """Return e^x K_0(x), the scaled modified Bessel function of the second kind."""
    return BesselK0e()(x)


def bessel_k1e(x: Tensor) -> Tensor:
    """Return e^x K_1(x), the scaled modified Bessel function of the second kind."""
    return BesselK1e()(x)


__all__ = [
    "BesselI0",
    "BesselI0e",
    "BesselI1",
    "BesselI1e",
    "BesselJ0",
    "BesselJ1",
    "BesselK0",
    "BesselK0e",
    "BesselK1",
    "BesselK1e",
    "BesselY0",
    "BesselY1",
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "bessel_j0",
    "bessel_j1",
    "bessel_k0",
    "bessel_k0e",
    "bessel_k1",
    "bessel_k1e",
    "bessel_y0",
    "bessel_y1",
    "i0",
]
