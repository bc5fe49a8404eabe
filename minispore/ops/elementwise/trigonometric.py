"""Trigonometric and hyperbolic functions, their inverses, hypot and atan2."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents
from minispore.core.tensor import Tensor, method
from minispore.ops.elementwise.arithmetic import Mul
from minispore.ops.elementwise.bases import REAL, _FloatBinary, _FloatUnary, unbroadcast
from minispore.ops.elementwise.powers import Rsqrt


class Sin(_FloatUnary):
    """The sine of x (radians).

    >>> print(Sin()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [0.     0.8415]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.sin

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * Cos()(x),)


class Cos(_FloatUnary):
    """The cosine of x (radians).

    >>> print(Cos()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [1.     0.5403]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.cos

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: -dout * Sin()(x),)


class Tan(_FloatUnary):
    """The tangent of x (radians).

    >>> print(Tan()(Tensor([0.0, 1.0])))
    [0.        1.5574077]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.tan

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * (out * out + 1),)


class Asin(_FloatUnary):
    """The angle in [-pi/2, pi/2] whose sine is x.

    >>> print(Asin()(Tensor([0.0, 1.0])))
    [0.        1.5707964]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.arcsin

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * Rsqrt()(1 - x * x),)


class ACos(_FloatUnary):
    """The angle in [0, pi] whose cosine is x.

    >>> print(ACos()(Tensor([1.0, 0.0])))
    [0.        1.5707964]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.arccos

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: -dout * Rsqrt()(1 - x * x),)


class Atan(_FloatUnary):
    """The angle in (-pi/2, pi/2) whose tangent is x.

    >>> print(Atan()(Tensor([0.0, 1.0])))
    [0.        0.7853982]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.arctan

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout / (x * x + 1),)


class Hypot(_FloatBinary):
    """sqrt(x^2 + y^2), without intermediate overflow.

    >>> print(Hypot()(Tensor([3.0]), Tensor([4.0])))
    [5.]
    """

    ufunc = np.hypot
    kinds = REAL

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return lambda: unbroadcast(dout * x / out, x), lambda: unbroadcast(dout * y / out, y)


class Atan2(_FloatBinary):
    """The angle in (-pi, pi] of the point (y, x): atan(x / y), in the right quadrant.

    >>> print(Atan2()(Tensor([1.0, 1.0]), Tensor([1.0, -1.0])).asnumpy().round(4))
    [0.7854 2.3562]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.arctan2
    kinds = REAL

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
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

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.sinh

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * Cosh()(x),)


class Cosh(_FloatUnary):
    """The hyperbolic cosine of x.

    >>> print(Cosh()(Tensor([0.0, 1.0])))
    [1.        1.5430807]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.cosh

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * Sinh()(x),)


class Asinh(_FloatUnary):
    """The number whose hyperbolic sine is x.

    >>> print(Asinh()(Tensor([0.0, 1.0])))
    [0.        0.8813736]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.arcsinh

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * Rsqrt()(x * x + 1),)


class Acosh(_FloatUnary):
    """The number >= 0 whose hyperbolic cosine is x.

    >>> print(Acosh()(Tensor([1.0, 2.0])).asnumpy().round(4))
    [0.    1.317]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.arccosh

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout / Sinh()(out),)


class Atanh(_FloatUnary):
    """The number whose hyperbolic tangent is x.

    >>> print(Atanh()(Tensor([0.0, 0.5])))
    [0.         0.54930615]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.arctanh

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout / (1 - x * x),)


# -- functions ------------------------------------------------------------------------------------


@method("hypot")
def hypot(input: Any, other: Any) -> Tensor:
    """Apply :class:`Hypot` to ``input`` and ``other``."""
    return Hypot()(input, other)


@method("sin")
def sin(input: Tensor) -> Tensor:
    """Apply :class:`Sin` to ``input``."""
    return Sin()(input)


@method("cos")
def cos(input: Tensor) -> Tensor:
    """Apply :class:`Cos` to ``input``."""
    return Cos()(input)


@method("tan")
def tan(input: Tensor) -> Tensor:
    """Apply :class:`Tan` to ``input``."""
    return Tan()(input)


@method("asin")
def asin(input: Tensor) -> Tensor:
    """Apply :class:`Asin` to ``input``."""
    return Asin()(input)


@method("arcsin")
def arcsin(x: Tensor) -> Tensor:
    """Apply :class:`Asin` to ``x``."""
    return Asin()(x)


@method("acos")
def acos(input: Tensor) -> Tensor:
    """Apply :class:`ACos` to ``input``."""
    return ACos()(input)


@method("arccos")
def arccos(input: Tensor) -> Tensor:
    """Apply :class:`ACos` to ``input``."""
    return ACos()(input)


@method("atan")
def atan(input: Tensor) -> Tensor:
    """Apply :class:`Atan` to ``input``."""
    return Atan()(input)


@method("arctan")
def arctan(input: Tensor) -> Tensor:
    """Apply :class:`Atan` to ``input``."""
    return Atan()(input)


@method("atan2")
def atan2(input: Any, other: Any) -> Tensor:
    """Apply :class:`Atan2` to ``input`` and ``other``."""
    return Atan2()(input, other)


@method("arctan2")
def arctan2(input: Any, other: Any) -> Tensor:
    """Apply :class:`Atan2` to ``input`` and ``other``."""
    return Atan2()(input, other)


@method("sinh")
def sinh(input: Tensor) -> Tensor:
    """Apply :class:`Sinh` to ``input``."""
    return Sinh()(input)


@method("cosh")
def cosh(input: Tensor) -> Tensor:
    """Apply :class:`Cosh` to ``input``."""
    return Cosh()(input)


@method("asinh")
def asinh(input: Tensor) -> Tensor:
    """Apply :class:`Asinh` to ``input``."""
    return Asinh()(input)


@method("arcsinh")
def arcsinh(input: Tensor) -> Tensor:
    """Apply :class:`Asinh` to ``input``."""
    return Asinh()(input)


@method("acosh")
def acosh(input: Tensor) -> Tensor:
    """Apply :class:`Acosh` to ``input``."""
    return Acosh()(input)


@method("arccosh")
def arccosh(input: Tensor) -> Tensor:
    """Apply :class:`Acosh` to ``input``."""
    return Acosh()(input)


@method("atanh")
def atanh(input: Tensor) -> Tensor:
    """Apply :class:`Atanh` to ``input``."""
    return Atanh()(input)


@method("arctanh")
def arctanh(input: Tensor) -> Tensor:
    """Apply :class:`Atanh` to ``input``."""
    return Atanh()(input)


@method("deg2rad")
def deg2rad(x: Tensor) -> Tensor:
    """Convert degrees to radians."""
    return Mul()(x, math.pi / 180)


@method("rad2deg")
def rad2deg(x: Tensor) -> Tensor:
    """Convert radians to degrees."""
    return Mul()(x, 180 / math.pi)


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
    "Hypot",
    "Sin",
    "Sinh",
    "Tan",
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "deg2rad",
    "hypot",
    "rad2deg",
    "sin",
    "sinh",
    "tan",
]
