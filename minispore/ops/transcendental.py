"""Powers, roots, exponentials, logarithms, and the circular and hyperbolic functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.ops.elementwise import (
    REAL,
    _Binary,
    _FloatBinary,
    _FloatUnary,
    unbroadcast,
)

# -- powers and roots -----------------------------------------------------------------------------


class Pow(_Binary):
    """x^y.

    >>> print(Pow()(Tensor([1.0, 2.0, 3.0]), 2))
    [1. 4. 9.]
    """

    ufunc = np.power
    kinds = "iufVc"

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        if isinstance(y, int | float) and y in _QUICK_POWERS:
            _QUICK_POWERS[y](x, out=out)
        elif out.dtype.kind in "iu":
            out[...] = np.power(
                np.asarray(x, np.float64), y
            )  # a negative power of 2 is 0, no error
        else:
            np.power(x, y, out=out)

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return (
            lambda: unbroadcast(_slope_in_base(x, y, dout), x),
            lambda: unbroadcast(dout * Xlogy()(out, x), y),
        )


def _copy(x: np.ndarray, out: np.ndarray) -> None:
    np.copyto(out, x)


_QUICK_POWERS: dict[float, Any] = {1: _copy, 2: np.square}


def _slope_in_base(x: Any, y: Any, dout: Tensor) -> Tensor:
    if not isinstance(y, Tensor):
        if y == 0:
            return dout * 0
        if y == 2:
            return dout * x * 2
    return dout * y * Pow()(x, y - 1)


class Sqrt(_FloatUnary):
    """The square root of x.

    >>> print(Sqrt()(Tensor([1.0, 4.0])))
    [1. 2.]
    """

    ufunc = np.sqrt

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout / out * 0.5,)


class Rsqrt(_FloatUnary):
    """1 / sqrt(x).

    >>> print(Rsqrt()(Tensor([1.0, 4.0])))
    [1.  0.5]
    """

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.sqrt(x, out=out, dtype=out.dtype)
        np.reciprocal(out, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * out * out * out * -0.5,)


class Hypot(_FloatBinary):
    """sqrt(x^2 + y^2), without overflow on the way.

    >>> print(Hypot()(Tensor([3.0]), Tensor([4.0])))
    [5.]
    """

    ufunc = np.hypot
    kinds = REAL

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return lambda: unbroadcast(dout * x / out, x), lambda: unbroadcast(dout * y / out, y)


# -- exponentials and logarithms ------------------------------------------------------------------


class Exp(_FloatUnary):
    """e^x.

    >>> print(Exp()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [1.     2.7183]
    """

    ufunc = np.exp

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * out,)


class Expm1(_FloatUnary):
    """e^x - 1, exact for small x.

    >>> print(Expm1()(Tensor([0.0, 1.0])))
    [0.        1.7182819]
    """

    ufunc = np.expm1

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * (out + 1),)


class Log(_FloatUnary):
    """The natural logarithm of x.

    >>> print(Log()(Tensor([1.0, 2.0])))
    [0.        0.6931472]
    """

    ufunc = np.log

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout / x,)


class Log1p(_FloatUnary):
    """log(1 + x), exact for small x.

    >>> print(Log1p()(Tensor([0.0, 1.0])))
    [0.        0.6931472]
    """

    ufunc = np.log1p

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout / (x + 1),)


class Xlogy(_FloatBinary):
    """x * log(y), and 0 where x is 0.

    >>> print(Xlogy()(Tensor([0.0, 2.0]), Tensor([0.0, 1.0])))
    [0. 0.]
    """

    reuse = ()

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        np.log(y, out=out, dtype=out.dtype)
        np.multiply(out, x, out=out, dtype=out.dtype)
        np.copyto(out, 0, where=np.equal(x, 0))

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return (
            lambda: unbroadcast(Xlogy()(dout * NonZero01()(x), y), x),
            lambda: unbroadcast(Xdivy()(dout * x, y), y),
        )


class Xdivy(_FloatBinary):
    """x / y, and 0 where x is 0.

    >>> print(Xdivy()(Tensor([0.0, 2.0]), Tensor([0.0, 4.0])))
    [0.  0.5]
    """

    reuse = ()

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        np.true_divide(x, y, out=out, dtype=out.dtype)
        np.copyto(out, 0, where=np.equal(x, 0))

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return (
            lambda: unbroadcast(Xdivy()(dout * NonZero01()(x), y), x),
            lambda: unbroadcast(Xdivy()(-dout * out, y), y),
        )


class NonZero01(_FloatUnary):
    """1 where x is not 0, else 0, of the dtype of x.

    >>> print(NonZero01()(Tensor([0.0, 3.0])))
    [0. 1.]
    """

    internal = True

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.not_equal(x, 0, out=out)


# -- circular functions ---------------------------------------------------------------------------


class Sin(_FloatUnary):
    """The sine of x (radians).

    >>> print(Sin()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [0.     0.8415]
    """

    ufunc = np.sin

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * Cos()(x),)


class Cos(_FloatUnary):
    """The cosine of x (radians).

    >>> print(Cos()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [1.     0.5403]
    """

    ufunc = np.cos

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: -dout * Sin()(x),)


class Tan(_FloatUnary):
    """The tangent of x (radians).

    >>> print(Tan()(Tensor([0.0, 1.0])))
    [0.        1.5574077]
    """

    ufunc = np.tan

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * (out * out + 1),)


class Asin(_FloatUnary):
    """The angle in [-pi/2, pi/2] whose sine is x.

    >>> print(Asin()(Tensor([0.0, 1.0])))
    [0.        1.5707964]
    """

    ufunc = np.arcsin

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * Rsqrt()(1 - x * x),)


class ACos(_FloatUnary):
    """The angle in [0, pi] whose cosine is x.

    >>> print(ACos()(Tensor([1.0, 0.0])))
    [0.        1.5707964]
    """

    ufunc = np.arccos

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: -dout * Rsqrt()(1 - x * x),)


class Atan(_FloatUnary):
    """The angle in (-pi/2, pi/2) whose tangent is x.

    >>> print(Atan()(Tensor([0.0, 1.0])))
    [0.        0.7853982]
    """

    ufunc = np.arctan

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout / (x * x + 1),)


class Atan2(_FloatBinary):
    """The angle in (-pi, pi] of the point (y, x): atan(x / y), in the right quadrant.

    >>> print(Atan2()(Tensor([1.0, 1.0]), Tensor([1.0, -1.0])).asnumpy().round(4))
    [0.7854 2.3562]
    """

    ufunc = np.arctan2
    kinds = REAL

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return (
            lambda: unbroadcast(dout * y / (x * x + y * y), x),
            lambda: unbroadcast(-dout * x / (x * x + y * y), y),
        )


# -- hyperbolic functions -------------------------------------------------------------------------


class Sinh(_FloatUnary):
    """The hyperbolic sine of x.

    >>> print(Sinh()(Tensor([0.0, 1.0])))
    [0.        1.1752012]
    """

    ufunc = np.sinh

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * Cosh()(x),)


class Cosh(_FloatUnary):
    """The hyperbolic cosine of x.

    >>> print(Cosh()(Tensor([0.0, 1.0])))
    [1.        1.5430807]
    """

    ufunc = np.cosh

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * Sinh()(x),)


class Asinh(_FloatUnary):
    """The number whose hyperbolic sine is x.

    >>> print(Asinh()(Tensor([0.0, 1.0])))
    [0.        0.8813736]
    """

    ufunc = np.arcsinh

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * Rsqrt()(x * x + 1),)


class Acosh(_FloatUnary):
    """The number >= 0 whose hyperbolic cosine is x.

    >>> print(Acosh()(Tensor([1.0, 2.0])).asnumpy().round(4))
    [0.    1.317]
    """

    ufunc = np.arccosh

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * Rsqrt()(x * x - 1),)


class Atanh(_FloatUnary):
    """The number whose hyperbolic tangent is x.

    >>> print(Atanh()(Tensor([0.0, 0.5])))
    [0.         0.54930615]
    """

    ufunc = np.arctanh

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout / (1 - x * x),)


__all__ = [
    "ACos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atan2",
    "Atanh",
    "Cos",
    "Cosh",
    "Exp",
    "Expm1",
    "Hypot",
    "Log",
    "Log1p",
    "NonZero01",
    "Pow",
    "Rsqrt",
    "Sin",
    "Sinh",
    "Sqrt",
    "Tan",
    "Xdivy",
    "Xlogy",
]
