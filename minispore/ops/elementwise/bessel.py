"""Bessel functions of order 0 and 1: J and Y, the modified I and K, and scaled I and K.

J and I are integrals of periodic functions, for which the trapezoid rule is exact to the last
digits; K is an integral that falls off twice exponentially. Y is Neumann's series of Js. Beyond 25
the asymptotic series of Hankel are used (Abramowitz & Stegun 9.2 and 9.7).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor, method
from minispore.ops.elementwise.compare import Equal
from minispore.ops.elementwise.error_function import _Special
from minispore.ops.elementwise.rounding import Sign
from minispore.ops.index.select import Select

_FAR = 25.0
_TERMS = 14
_ANGLES = np.linspace(0, math.pi, 65)
_WEIGHTS = np.where((_ANGLES == 0) | (math.pi == _ANGLES), 0.5, 1.0) / 64


def _hankel(n: int, x: np.ndarray) -> list[np.ndarray]:
    """The terms (4n^2 - 1)(4n^2 - 9) ... / (k! (8x)^k)."""
    terms = [np.ones_like(x)]
    for k in range(1, _TERMS):
        terms.append(terms[-1] * (4 * n * n - (2 * k - 1) ** 2) / (8 * k * x))
    return terms


def bessel_j(n: int, x: np.ndarray) -> np.ndarray:
    """J_n(x)."""
    size = np.abs(x)
    near = np.minimum(size, _FAR)[..., None]
    made = (np.cos(n * _ANGLES - near * np.sin(_ANGLES)) * _WEIGHTS).sum(-1)
    made = np.where(size > _FAR, _wave(n, np.maximum(size, _FAR), 0.0), made)
    return _at_small(n, x, made)


def _at_small(n: int, x: np.ndarray, made: np.ndarray) -> np.ndarray:
    """``made`` with the sign of x; near 0, where its digits cancel, x / 2 if n is 1."""
    if n == 1:
        made = np.where(np.abs(x) < 1e-8, np.abs(x) / 2, made)
    return np.where(x < 0, (-1) ** n * made, made)


def _wave(n: int, x: np.ndarray, shift: float) -> np.ndarray:
    """J_n for great x; Y_n is the same wave a quarter behind."""
    terms = _hankel(n, x)
    even = sum((-1) ** k * t for k, t in enumerate(terms[0::2]))
    odd = sum((-1) ** k * t for k, t in enumerate(terms[1::2]))
    angle = x - n * math.pi / 2 - math.pi / 4 - shift
    return np.sqrt(2 / (math.pi * x)) * (even * np.cos(angle) - odd * np.sin(angle))


def bessel_y(n: int, x: np.ndarray) -> np.ndarray:
    """Y_n(x): -inf at 0 and below."""
    near = np.where((x > 0) & (x < _FAR), x, 1.0)
    log = np.log(near / 2) + np.euler_gamma
    if n == 0:
        tail = sum((-1) ** (k + 1) * bessel_j(2 * k, near) / k for k in range(1, 32))
        made = (2 * log * bessel_j(0, near) + 4 * tail) / math.pi
    else:  # -dY_0/dx
        tail = sum(
            (-1) ** k * (bessel_j(2 * k - 1, near) - bessel_j(2 * k + 1, near)) / k
            for k in range(1, 32)
        )
        made = (log * bessel_j(1, near) - bessel_j(0, near) / near + tail) * (2 / math.pi)
    made = np.where(x >= _FAR, _wave(n, np.maximum(x, _FAR), math.pi / 2), made)
    return np.where(x > 0, made, np.where(x <= 0, -np.inf, np.nan))


def bessel_ie(n: int, x: np.ndarray) -> np.ndarray:
    """e^-|x| I_n(x)."""
    size = np.abs(x)
    near = np.minimum(size, _FAR)[..., None]
    made = (np.exp(near * (np.cos(_ANGLES) - 1)) * np.cos(n * _ANGLES) * _WEIGHTS).sum(-1)
    far = np.maximum(size, _FAR)
    series = sum((-1) ** k * t for k, t in enumerate(_hankel(n, far)))
    made = np.where(size > _FAR, series / math.sqrt(2 * math.pi) / np.sqrt(far), made)
    return _at_small(n, x, made)


def bessel_ke(n: int, x: np.ndarray) -> np.ndarray:
    """e^x K_n(x): inf at 0 and below, 0 at the end."""
    least = 1e-7  # below, the first term of the series at 0 is all there is
    safe = np.where((x > least) & (x < np.inf), x, 1.0)[..., None]
    end = np.arccosh(1 + 45 / safe)  # where the integrand is e^-45
    t = end * np.linspace(0, 1, 201)
    height = np.exp(-safe * (np.cosh(t) - 1)) * np.cosh(n * t)
    made = (height.sum(-1) - height[..., 0] / 2) * end[..., 0] / 200
    tiny = np.where((x > 0) & (x <= least), x, 1.0)
    start = -np.log(tiny / 2) - np.euler_gamma if n == 0 else 1 / tiny
    made = np.where(x > least, np.where(x < np.inf, made, 0.0), start)
    return np.where(x > 0, made, np.where(x <= 0, np.inf, np.nan))


def _over(value: Tensor, x: Tensor) -> Tensor:
    """value / x for an odd function with the slope 1/2 at 0."""
    zero = Equal()(x, 0)
    return Select()(zero, 0.5, value / Select()(zero, 1.0, x))


class BesselJ0(_Special):
    """J_0(x).

    >>> print(BesselJ0()(Tensor([0.0, 1.0, 40.0])).asnumpy().round(4))
    [1.     0.7652 0.0074]
    """

    compute = staticmethod(lambda x: bessel_j(0, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: -dout * BesselJ1()(x),)


class BesselJ1(_Special):
    """J_1(x).

    >>> print(BesselJ1()(Tensor([0.0, 1.0, 40.0])).asnumpy().round(4))
    [0.     0.4401 0.126 ]
    """

    compute = staticmethod(lambda x: bessel_j(1, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * (BesselJ0()(x) - _over(out, x)),)


class BesselY0(_Special):
    """Y_0(x).

    >>> print(BesselY0()(Tensor([1.0, 40.0])).asnumpy().round(4))
    [0.0883 0.1259]
    """

    compute = staticmethod(lambda x: bessel_y(0, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: -dout * BesselY1()(x),)


class BesselY1(_Special):
    """Y_1(x).

    >>> print(BesselY1()(Tensor([1.0, 40.0])).asnumpy().round(4))
    [-0.7812 -0.0058]
    """

    compute = staticmethod(lambda x: bessel_y(1, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * (BesselY0()(x) - out / x),)


class BesselI0(_Special):
    """I_0(x).

    >>> print(BesselI0()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [1.     1.2661]
    """

    compute = staticmethod(lambda x: bessel_ie(0, x) * np.exp(np.abs(x)))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * BesselI1()(x),)


class BesselI1(_Special):
    """I_1(x).

    >>> print(BesselI1()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [0.     0.5652]
    """

    compute = staticmethod(lambda x: bessel_ie(1, x) * np.exp(np.abs(x)))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * (BesselI0()(x) - _over(out, x)),)


class BesselI0e(_Special):
    """e^-|x| I_0(x).

    >>> print(BesselI0e()(Tensor([0.0, 20.0])).asnumpy().round(4))
    [1.     0.0898]
    """

    compute = staticmethod(lambda x: bessel_ie(0, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * (BesselI1e()(x) - Sign()(x) * out),)


class BesselI1e(_Special):
    """e^-|x| I_1(x).

    >>> print(BesselI1e()(Tensor([0.0, 20.0])).asnumpy().round(4))
    [0.     0.0875]
    """

    compute = staticmethod(lambda x: bessel_ie(1, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * (BesselI0e()(x) - _over(out, x) - Sign()(x) * out),)


class BesselK0(_Special):
    """K_0(x).

    >>> print(BesselK0()(Tensor([0.1, 1.0])).asnumpy().round(4))
    [2.4271 0.421 ]
    """

    compute = staticmethod(lambda x: bessel_ke(0, x) * np.exp(-x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: -dout * BesselK1()(x),)


class BesselK1(_Special):
    """K_1(x).

    >>> print(BesselK1()(Tensor([0.1, 1.0])).asnumpy().round(4))
    [9.8538 0.6019]
    """

    compute = staticmethod(lambda x: bessel_ke(1, x) * np.exp(-x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: -dout * (BesselK0()(x) + out / x),)


class BesselK0e(_Special):
    """e^x K_0(x).

    >>> print(BesselK0e()(Tensor([0.1, 20.0])).asnumpy().round(4))
    [2.6823 0.2785]
    """

    compute = staticmethod(lambda x: bessel_ke(0, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * (out - BesselK1e()(x)),)


class BesselK1e(_Special):
    """e^x K_1(x).

    >>> print(BesselK1e()(Tensor([0.1, 20.0])).asnumpy().round(4))
    [10.8902  0.2854]
    """

    compute = staticmethod(lambda x: bessel_ke(1, x))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * (out * (1 - 1 / x) - BesselK0e()(x)),)


# -- functions -------------------------------------------------------------------------------------


def bessel_j0(x: Tensor) -> Tensor:
    """:class:`BesselJ0` of ``x``."""
    return BesselJ0()(x)


def bessel_j1(x: Tensor) -> Tensor:
    """:class:`BesselJ1` of ``x``."""
    return BesselJ1()(x)


def bessel_y0(x: Tensor) -> Tensor:
    """:class:`BesselY0` of ``x``."""
    return BesselY0()(x)


def bessel_y1(x: Tensor) -> Tensor:
    """:class:`BesselY1` of ``x``."""
    return BesselY1()(x)


def bessel_i0(x: Tensor) -> Tensor:
    """:class:`BesselI0` of ``x``."""
    return BesselI0()(x)


@method("i0")
def i0(input: Tensor) -> Tensor:
    """:class:`BesselI0` of ``input``."""
    return BesselI0()(input)


def bessel_i1(x: Tensor) -> Tensor:
    """:class:`BesselI1` of ``x``."""
    return BesselI1()(x)


def bessel_i0e(x: Tensor) -> Tensor:
    """:class:`BesselI0e` of ``x``."""
    return BesselI0e()(x)


def bessel_i1e(x: Tensor) -> Tensor:
    """:class:`BesselI1e` of ``x``."""
    return BesselI1e()(x)


def bessel_k0(x: Tensor) -> Tensor:
    """:class:`BesselK0` of ``x``."""
    return BesselK0()(x)


def bessel_k1(x: Tensor) -> Tensor:
    """:class:`BesselK1` of ``x``."""
    return BesselK1()(x)


def bessel_k0e(x: Tensor) -> Tensor:
    """:class:`BesselK0e` of ``x``."""
    return BesselK0e()(x)


def bessel_k1e(x: Tensor) -> Tensor:
    """:class:`BesselK1e` of ``x``."""
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
