"""The incomplete gamma and beta functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor, method
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import (
    check_dtype_kind,
    unbroadcast,
)
from minispore.ops.elementwise.powers import Exp, Log, Log1p
from minispore.ops.elementwise.special import Digamma, Lgamma, _SpecialBinary, digamma64, lgamma64
from minispore.ops.support.arguments import FLOAT_KINDS

_MAX_STEPS = 2000  # iteration limit; series and fractions stop when they have converged
_TINY = 1e-300  # replaces a zero denominator in Lentz' algorithm


def _compute_lower_gamma(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Compute P(a, x) for x < a + 1 by its power series."""
    term = np.ones_like(x) / a
    total = term.copy()
    for n in range(1, _MAX_STEPS):
        term = term * x / (a + n)
        total = total + term
        if np.all(np.abs(term) <= np.abs(total) * 1e-17):
            break
    return total * np.exp(a * np.log(x) - x - lgamma64(a))


def _compute_upper_gamma(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Compute Q(a, x) for x >= a + 1 by Lentz' continued fraction."""
    b = x + 1 - a
    c, d = np.full_like(x, 1 / _TINY), 1 / b
    total = d.copy()
    for n in range(1, _MAX_STEPS):
        numerator = -n * (n - a)
        b = b + 2
        d = 1 / _avoid_zero(numerator * d + b)
        c = _avoid_zero(b + numerator / c)
        total = total * c * d
        if np.all(np.abs(c * d - 1) < 1e-16):
            break
    return total * np.exp(a * np.log(x) - x - lgamma64(a))


def _avoid_zero(x: np.ndarray) -> np.ndarray:
    """Return ``x`` with values too close to 0 for a division replaced by a tiny number."""
    return np.where(np.abs(x) < _TINY, _TINY, x)


def igamma64(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Compute the regularized lower incomplete gamma function P(a, x) in float64."""
    a, x = np.broadcast_arrays(a, x)
    is_regular = (a > 0) & (x > 0) & np.isfinite(x)
    uses_series = x < a + 1
    safe_a, safe_x = np.where(is_regular, a, 1), np.where(is_regular, x, 1)
    low = _compute_lower_gamma(safe_a, np.where(uses_series, safe_x, 0.5))
    high = 1 - _compute_upper_gamma(safe_a, np.where(uses_series, safe_a + 2, safe_x))
    values = np.where(uses_series, low, high)
    is_one = (a > 0) & (a < np.inf) & (x == np.inf)
    return np.where(is_regular, values, np.where(x == 0, 0, np.where(is_one, 1, np.nan)))


def igammac64(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Compute the regularized upper incomplete gamma function Q(a, x) in float64."""
    a, x = np.broadcast_arrays(a, x)
    is_regular = (a > 0) & (x > 0) & np.isfinite(x)
    uses_series = x < a + 1
    safe_a, safe_x = np.where(is_regular, a, 1), np.where(is_regular, x, 1)
    low = 1 - _compute_lower_gamma(safe_a, np.where(uses_series, safe_x, 0.5))
    high = _compute_upper_gamma(safe_a, np.where(uses_series, safe_a + 2, safe_x))
    values = np.where(uses_series, low, high)
    is_zero = (a > 0) & (a < np.inf) & (x == np.inf)
    return np.where(
        is_regular, values, np.where((a > 0) & (x == 0), 1, np.where(is_zero, 0, np.nan))
    )


def igamma_grad_a64(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Compute the derivative of P(a, x) by a in float64."""
    a, x = np.broadcast_arrays(a, x)
    is_regular = (a > 0) & (x > 0) & np.isfinite(x)
    uses_series = x < a + 1
    safe_a, safe_x = np.where(is_regular, a, 1), np.where(is_regular, x, 1)
    low = _compute_lower_gamma_grad_a(safe_a, np.where(uses_series, safe_x, 0.5))
    high = -_compute_upper_gamma_grad_a(safe_a, np.where(uses_series, safe_a + 2, safe_x))
    is_limit = (a > 0) & ((x == 0) | (x == np.inf))
    return np.where(is_regular, np.where(uses_series, low, high), np.where(is_limit, 0, np.nan))


def _compute_lower_gamma_grad_a(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Compute dP/da for x < a + 1 by the power series and the derivatives of its terms."""
    term, total = 1 / a, 1 / a
    term_grad = total_grad = -term / a
    for n in range(1, _MAX_STEPS):
        ratio = x / (a + n)
        term_grad = (term_grad - term / (a + n)) * ratio
        term = term * ratio
        total, total_grad = total + term, total_grad + term_grad
        if np.all(np.abs(term_grad) <= np.abs(total_grad) * 1e-17):
            break
    front = np.exp(a * np.log(x) - x - lgamma64(a))
    return front * (total_grad + total * (np.log(x) - digamma64(a)))


def _compute_upper_gamma_grad_a(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Compute dQ/da for x >= a + 1 by the continued fraction and the derivatives of its steps."""
    b = x + 1 - a
    c, d = np.full_like(x, 1 / _TINY), 1 / b
    dc, dd = np.zeros_like(x), d * d  # the derivatives of c and d; the derivative of b is -1
    growth = d.copy()  # the derivative of the total's logarithm
    for n in range(1, _MAX_STEPS):
        numerator = -n * (n - a)
        b = b + 2
        dc = n / c - numerator * dc / c / c - 1
        c = _avoid_zero(b + numerator / c)
        denominator_grad = n * d + numerator * dd - 1
        d = 1 / _avoid_zero(numerator * d + b)
        dd = -denominator_grad * d * d
        term = dc / c + dd / d
        growth = growth + term
        if np.all(np.abs(term) <= np.abs(growth) * 1e-16):
            break
    return _compute_upper_gamma(a, x) * (growth + np.log(x) - digamma64(a))


class IgammaGradA(_SpecialBinary):
    """The derivative of :class:`Igamma` by ``a``; differentiable only with respect to x.

    >>> print(IgammaGradA()(Tensor([0.5, 3.0]), Tensor([1.0, 2.0])).asnumpy().round(4))
    [-0.3898 -0.2318]
    """

    def compute(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the derivative of P(x, y) by x in float64."""
        return igamma_grad_a64(x, y)

    def vjp(self, a: Any, x: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x; ``a`` has no gradient."""

        def compute_x_grad() -> Tensor:
            slope = Log()(x) - Digamma()(a)
            return unbroadcast(dout * _compute_gamma_density(a, x) * slope, x)

        return None, compute_x_grad


class Igamma(_SpecialBinary):
    """The regularised lower incomplete gamma function P(a, x).

    >>> print(Igamma()(Tensor([0.5, 3.0]), Tensor([1.0, 2.0])).asnumpy().round(4))
    [0.8427 0.3233]
    """

    def compute(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return P(x, y) in float64."""
        return igamma64(x, y)

    def vjp(self, a: Any, x: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(dout * IgammaGradA()(a, x), a),
            lambda: unbroadcast(dout * _compute_gamma_density(a, x), x),
        )


class Igammac(_SpecialBinary):
    """The regularised upper incomplete gamma function Q(a, x).

    >>> print(Igammac()(Tensor([0.5, 3.0]), Tensor([1.0, 2.0])).asnumpy().round(4))
    [0.1573 0.6767]
    """

    def compute(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return Q(x, y) in float64."""
        return igammac64(x, y)

    def vjp(self, a: Any, x: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(-dout * IgammaGradA()(a, x), a),
            lambda: unbroadcast(-dout * _compute_gamma_density(a, x), x),
        )


def _compute_gamma_density(a: Tensor, x: Tensor) -> Tensor:
    """Compute x^(a - 1) e^-x / Gamma(a), the density of the gamma distribution."""
    return Exp()((a - 1) * Log()(x) - x - Lgamma()(a))


def betainc64(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Compute the regularized incomplete beta function in float64 by Lentz' continued fraction."""
    a, b, x = np.broadcast_arrays(a, b, x)
    # For these, the fraction of 1 - I(b, a, 1 - x) converges faster.
    is_swapped = x > (a + 1) / (a + b + 2)
    p, q, z = np.where(is_swapped, b, a), np.where(is_swapped, a, b), np.where(is_swapped, 1 - x, x)
    c, d = np.ones_like(z), 1 / _avoid_zero(1 - (p + q) * z / (p + 1))
    total = d.copy()
    for m in range(1, _MAX_STEPS):
        for numerator in (
            m * (q - m) * z / ((p + 2 * m - 1) * (p + 2 * m)),
            -(p + m) * (p + q + m) * z / ((p + 2 * m) * (p + 2 * m + 1)),
        ):
            d = 1 / _avoid_zero(1 + numerator * d)
            c = _avoid_zero(1 + numerator / c)
            total = total * c * d
        if np.all(np.abs(c * d - 1) < 1e-16):
            break
    front = p * np.log(z) + q * np.log1p(-z) + lgamma64(p + q) - lgamma64(p) - lgamma64(q)
    values = np.exp(front) * total / p
    values = np.where(is_swapped, 1 - values, values)
    return np.where(
        x <= 0, np.where(x == 0, 0, np.nan), np.where(x >= 1, np.where(x == 1, 1, np.nan), values)
    )


class Betainc(Primitive):
    """The regularised incomplete beta function I(a, b, x); differentiable with respect to x.

    >>> print(Betainc()(Tensor([2.0]), Tensor([3.0]), Tensor([0.6])).asnumpy().round(4))
    [0.8208]
    """

    def infer(self, a: Spec, b: Spec, x: Spec) -> Spec:
        """Return the spec of ``a``; raise unless all three are floats of the same shape and
        dtype.
        """
        for name, v in (("a", a), ("b", b), ("x", x)):
            if check_dtype_kind(self.name, v, FLOAT_KINDS, name) != a:
                raise ValueError(
                    f"{self.name}: {name} must have the shape and dtype of a {a}, got {v}."
                )
        return a

    def kernel(self, a: np.ndarray, b: np.ndarray, x: np.ndarray, *, out: np.ndarray) -> None:
        widened = [np.asarray(v, np.float64) for v in (a, b, x)]
        np.copyto(out, betainc64(*widened), casting="same_kind")

    def vjp(self, a: Tensor, b: Tensor, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x; ``a`` and ``b`` have no gradient."""

        def compute_x_grad() -> Tensor:
            scale = Lgamma()(a + b) - Lgamma()(a) - Lgamma()(b)
            powers = (a - 1) * Log()(x) + (b - 1) * Log1p()(-x)
            return dout * Exp()(powers + scale)

        return None, None, compute_x_grad


@method("igamma")
def igamma(input: Any, other: Any) -> Tensor:
    """Return the regularised lower incomplete gamma function P(input, other)."""
    return Igamma()(input, other)


@method("igammac")
def igammac(input: Any, other: Any) -> Tensor:
    """Return the regularised upper incomplete gamma function Q(input, other)."""
    return Igammac()(input, other)


__all__ = [
    "Betainc",
    "Igamma",
    "Igammac",
    "igamma",
    "igammac",
]
