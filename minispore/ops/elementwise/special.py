"""Special functions: the gamma family, zeta, sinc and logit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents, Primitive
from minispore.core.tensor import Tensor, method
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import (
    REAL,
    _FloatBinary,
    _FloatUnary,
    check_dtype_kind,
    unbroadcast,
)
from minispore.ops.elementwise.compare import Equal, LessEqual
from minispore.ops.elementwise.error_function import _Special
from minispore.ops.elementwise.piecewise_activations import _Activation
from minispore.ops.elementwise.rounding import Abs, Sign
from minispore.ops.elementwise.trigonometric import Cos
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import FLOAT_KINDS, check_whole_number
from minispore.ops.support.derive import _Composite

# Lanczos' approximation with g = 7 and 9 terms (Godfrey's coefficients), accurate to 1e-15.
_LANCZOS_G = 7
_LANCZOS = (
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
    1.5056327351493116e-7,
)  # fmt: skip
# Bernoulli numbers B_2, B_4, ... of the asymptotic series
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def lgamma64(x: np.ndarray) -> np.ndarray:
    """Compute log |Gamma(x)| in float64."""
    low = x < 0.5
    z = np.where(low, 1 - x, x) - 1
    series = _LANCZOS[0] + sum(c / (z + k) for k, c in enumerate(_LANCZOS[1:], 1))
    t = z + _LANCZOS_G + 0.5
    high = 0.5 * math.log(2 * math.pi) + (z + 0.5) * np.log(t) - t + np.log(series)
    reflected = math.log(math.pi) - np.log(np.abs(np.sin(math.pi * x))) - high
    values = np.where(low, reflected, high)
    # Sets exact zeros, independent of rounding errors of the logarithms.
    values = np.where((x == 1) | (x == 2), 0.0, values)
    pole = (x <= 0) & (x == np.floor(x))
    return np.where(pole | np.isinf(x), np.inf, values)


def digamma64(x: np.ndarray) -> np.ndarray:
    """Compute the derivative of log Gamma in float64."""
    low = x < 0.5
    z = np.where(low, 1 - x, x)
    shifted = np.zeros_like(z)
    for _ in range(8):  # psi(z) = psi(z + 1) - 1 / z, up to where the series is exact
        small = z < 8
        shifted = np.where(small, shifted - 1 / z, shifted)
        z = np.where(small, z + 1, z)
    square = 1 / (z * z)
    tail = sum(b / (2 * n) * square**n for n, b in enumerate(_BERNOULLI, 1))
    high = shifted + np.log(z) - 0.5 / z - tail
    values = np.where(low, high - math.pi / np.tan(math.pi * (x - np.rint(x))), high)
    pole = np.where(np.signbit(x), np.inf, -np.inf)
    return np.where(x == 0, pole, np.where((x < 0) & (x == np.floor(x)), np.nan, values))


def zeta64(s: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Compute the Hurwitz zeta function, the sum over k >= 0 of (k + a)^-s, in float64."""
    s, a = np.broadcast_arrays(s, a)
    values = _sum_by_euler_maclaurin(s, np.where(a < 0, 1 - a, a))
    is_reflected = (a < 0) & (s > 1) & (s == np.floor(s))
    # For large powers the two terms nearest to 0 suffice.
    has_large_power, nearest = is_reflected & (s > 60), np.floor(-a)
    values = np.where(has_large_power, (a + nearest) ** -s + (a + nearest + 1) ** -s, values)
    for n in np.unique(s[is_reflected & ~has_large_power]).astype(int):
        selected = (a < 0) & (s == n)
        reflection = _compute_cotangent_derivative(n - 1, a[selected])
        values[selected] = (-1) ** (n - 1) * (values[selected] + reflection)
    pole = (a <= 0) & (a == np.floor(a))
    values = np.where(s == np.inf, np.maximum(a, 0) ** -s, values)
    values = np.where(s == 1, np.inf, np.where(s < 1, np.nan, np.where(pole, np.inf, values)))
    return np.where((a < 0) & ~pole & (s != np.floor(s)), np.nan, values)


def _compute_cotangent_derivative(n: int, x: np.ndarray) -> np.ndarray:
    """Return the n-th derivative of pi cot(pi x), divided by n!.

    Up to its sign, this is the difference of zeta(n + 1, 1 - x) and zeta(n + 1, x).
    """
    polynomial, cot = np.array([1.0, 0.0]), 1 / np.tan(math.pi * (x - np.rint(x)))
    for _ in range(n):
        # Cot' = -pi (1 + cot^2)
        polynomial = np.polymul(np.polyder(polynomial), [-math.pi, 0, -math.pi])
    return math.pi / math.factorial(n) * np.polyval(polynomial, cot)


def _sum_by_euler_maclaurin(s: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Compute :func:`zeta64` for a >= 0 by the Euler-Maclaurin formula."""
    start = 12
    total = sum((a + k) ** -s for k in range(start))
    b = a + start
    total = total + b ** (1 - s) / (s - 1) + 0.5 * b**-s
    factor, power = s, b ** (-s - 1)
    for n, bernoulli in enumerate(_BERNOULLI, 1):
        total = total + bernoulli / math.factorial(2 * n) * factor * power
        factor = factor * (s + 2 * n - 1) * (s + 2 * n)
        power = power / (b * b)
    return np.array(total)


class Lgamma(_Special):
    """log |Gamma(x)|.

    >>> print(Lgamma()(Tensor([0.5, 3.0, 10.0])).asnumpy().round(4))
    [ 0.5724  0.6931 12.8018]
    """

    compute = staticmethod(lgamma64)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * Digamma()(x),)


class Digamma(_Special):
    """The derivative of log Gamma(x).

    >>> print(Digamma()(Tensor([0.5, 3.0])).asnumpy().round(4))
    [-1.9635  0.9228]
    """

    compute = staticmethod(digamma64)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * Polygamma()(1, x),)


class Polygamma(Primitive):
    """The a-th derivative of digamma at x, for an int a >= 0.

    >>> print(Polygamma()(Tensor(1), Tensor([0.5, 3.0])).asnumpy().round(4))
    [4.9348 0.3949]
    """

    def __call__(self, a: Any, x: Any) -> Tensor:
        return super().__call__(check_whole_number(self.name, a, "a"), x)

    def infer(self, a: int, x: Spec) -> Spec:
        if a < 0:
            raise ValueError(f"Polygamma: a must be >= 0, got {a}.")
        return check_dtype_kind(self.name, x, FLOAT_KINDS, "x")

    def kernel(self, a: int, x: np.ndarray, *, out: np.ndarray) -> None:
        """Compute the derivative in float64: by digamma for a = 0, else by the Hurwitz zeta
        function.
        """
        widened = np.asarray(x, np.float64)
        if a == 0:
            values = digamma64(widened)
        else:
            values = (-1) ** (a + 1) * math.factorial(a) * zeta64(np.asarray(a + 1.0), widened)
        np.copyto(out, values, casting="same_kind")

    def vjp(self, a: int, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return None, lambda: dout * Polygamma()(a + 1, x)


class _SpecialBinary(_FloatBinary):
    """Base of functions of two inputs, computed in float64."""

    arithmetic = Arithmetic.TRANSCENDENTAL
    kinds = REAL
    reuse = ()

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        widened = [np.asarray(v, np.float64) for v in (x, y)]
        np.copyto(out, self.compute(*widened), casting="same_kind")

    def compute(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the function of x and y in float64; subclasses override it, the base raises."""
        raise TypeError(f"{self.name}: defines no function.")


class Zeta(_SpecialBinary):
    """Hurwitz' zeta: the sum over k >= 0 of (k + y)^-x; differentiable with respect to y.

    >>> print(Zeta()(Tensor([2.0]), Tensor([1.0])).asnumpy().round(4))
    [1.6449]
    """

    def compute(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the sum over k >= 0 of (k + y)^-x in float64."""
        return zeta64(x, y)

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of y; x has no gradient."""
        return None, lambda: unbroadcast(-dout * x * Zeta()(x + 1, y), y)


class Mvlgamma(_Composite):
    """The logarithm of the multivariate gamma function of dimension p.

    >>> print(Mvlgamma(2)(Tensor([3.0, 4.0])).asnumpy().round(4))
    [1.5502 3.5651]
    """

    p: int

    def check(self) -> None:
        if isinstance(self.p, bool) or not isinstance(self.p, int) or self.p < 1:
            raise ValueError(f"Mvlgamma: p must be an int >= 1, got {self.p!r}.")

    def __call__(self, x: Tensor) -> Tensor:
        total = Lgamma()(x)
        for j in range(1, self.p):
            total = total + Lgamma()(x - j / 2)
        return total + self.p * (self.p - 1) / 4 * math.log(math.pi)


# -- sinc, logit, neighbours -----------------------------------------------------------------------


class Sinc(_FloatUnary):
    """sin(pi x) / (pi x), and 1 at 0.

    >>> print(Sinc()(Tensor([0.0, 0.5])).asnumpy().round(4))
    [1.     0.6366]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, np.sinc(x.astype(out.dtype, copy=False)))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x."""

        def compute_x_grad() -> Tensor:
            """Compute the gradient of x, which is 0 at x = 0."""
            zero = Equal()(x, 0)
            safe = Select()(zero, 1.0, x)
            derivative = (Cos()(safe * math.pi) - Sinc()(safe)) / safe
            return Select()(zero, 0.0, dout * derivative)

        return (compute_x_grad,)


class Logit(_Activation):
    """log(x / (1 - x)), with x clipped to [eps, 1 - eps] if eps >= 0.

    >>> print(Logit()(Tensor([0.5, 0.75])).asnumpy().round(4))
    [0.     1.0986]
    """

    eps: float = -1.0
    arithmetic = Arithmetic.TRANSCENDENTAL
    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        clipped = np.clip(x, self.eps, 1 - self.eps) if self.eps >= 0 else x
        np.subtract(1, clipped, out=out)
        np.true_divide(clipped, out, out=out)
        np.log(out, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x."""

        def compute_x_grad() -> Tensor:
            """Compute the gradient of x: 0 where ``eps`` clips x; without ``eps``, NaN outside [0,
            1].
            """
            grad = dout / (x * (1 - x))
            if self.eps < 0:  # outside [0, 1], value and gradient are NaN
                return Select()(LessEqual()(Abs()(x - 0.5), 0.5), grad, np.nan)
            inside = LessEqual()(Abs()(x - 0.5), 0.5 - self.eps)
            return Select()(inside, grad, 0.0)

        return (compute_x_grad,)


class NextAfter(_FloatBinary):
    """The next number of the dtype after x in the direction of y.

    >>> print(NextAfter()(Tensor([1.0]), Tensor([2.0])).asnumpy()[0] > 1)
    True
    """

    ufunc = np.nextafter
    kinds = FLOAT_KINDS

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the cotangent as the gradient of x; y has no gradient."""
        return (lambda: unbroadcast(dout, x),)


class CopySign(_FloatBinary):
    """|x| with the sign of y.

    >>> print(CopySign()(Tensor([1.0, -2.0]), Tensor([-3.0, 4.0])))
    [-1.  2.]
    """

    ufunc = np.copysign
    kinds = REAL

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_x_grad() -> Tensor:
            sign_change = Sign()(x) * Sign()(out)
            return unbroadcast(dout * sign_change, x)

        return (compute_x_grad,)


# -- functions -------------------------------------------------------------------------------------


@method("lgamma")
def lgamma(input: Tensor) -> Tensor:
    """Apply :class:`Lgamma` to ``input``."""
    return Lgamma()(input)


@method("digamma")
def digamma(input: Tensor) -> Tensor:
    """Apply :class:`Digamma` to ``input``."""
    return Digamma()(input)


def polygamma(n: Any, input: Tensor) -> Tensor:
    """:class:`Polygamma`: the n-th derivative of digamma at ``input``."""
    return Polygamma()(n, input)


def zeta(input: Any, other: Any) -> Tensor:
    """Return Hurwitz' zeta: the sum over k >= 0 of (k + other)^-input.

    It is differentiable with respect to ``other``.
    """
    return Zeta()(input, other)


@method("mvlgamma")
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """Return the logarithm of the multivariate gamma function of dimension ``p``."""
    return Mvlgamma(p)(input)


@method("sinc")
def sinc(input: Tensor) -> Tensor:
    """Apply :class:`Sinc` to ``input``."""
    return Sinc()(input)


@method("logit")
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """Apply :class:`Logit` to ``input``."""
    return Logit(-1.0 if eps is None else eps)(input)


@method("nextafter")
def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """Apply :class:`NextAfter` to ``input`` and ``other``."""
    return NextAfter()(input, other)


@method("copysign")
def copysign(x: Any, other: Any) -> Tensor:
    """Apply :class:`CopySign` to ``x`` and ``other``.

    The result has the dtype of ``x`` if this is float16, float32 or float64, else float32.
    """
    result = CopySign()(x, other)
    retained_dtypes = (mstype.float16, mstype.float32, mstype.float64)
    if not isinstance(x, Tensor):
        return result
    return Cast()(result, x.dtype if x.dtype in retained_dtypes else mstype.float32)


__all__ = [
    "CopySign",
    "Digamma",
    "Lgamma",
    "Logit",
    "Mvlgamma",
    "NextAfter",
    "Polygamma",
    "Sinc",
    "Zeta",
    "copysign",
    "digamma",
    "lgamma",
    "logit",
    "mvlgamma",
    "nextafter",
    "polygamma",
    "sinc",
    "zeta",
]
