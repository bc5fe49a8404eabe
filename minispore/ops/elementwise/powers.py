"""Powers, roots, exponentials and logarithms, element by element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor, method
from minispore.ops.elementwise.arithmetic import Add, Div, Mul, Sub
from minispore.ops.elementwise.bases import _Binary, _FloatBinary, _FloatUnary, unbroadcast
from minispore.ops.elementwise.compare import Equal, GreaterEqual, LessEqual, LogicalAnd
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.elementwise.rounding import Abs, Neg
from minispore.ops.index.select import Select
from minispore.ops.shape.whole import Cast
from minispore.ops.support.arguments import check_arithmetic_operands
from minispore.ops.support.spelling import also_spelled


class Pow(_Binary):
    """x^y.

    >>> print(Pow()(Tensor([1.0, 2.0, 3.0]), 2))
    [1. 4. 9.]
    """

    transcendental = True
    ufunc = np.power
    kinds = "iufVc"

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        if isinstance(y, int | float) and y in _QUICK_POWERS:
            _QUICK_POWERS[y](x, out=out)
        elif np.size(y) == 1 and y == 0.5 and out.dtype.kind == "f":
            _root(x, out)
        elif out.dtype.kind in "iu":
            # In float64 a negative power of 2 is 0, no error.
            out[...] = np.power(np.asarray(x, np.float64), y)
        else:
            np.power(x, y, out=out)

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return (
            lambda: unbroadcast(_slope_in_base(x, y, dout), x),
            lambda: unbroadcast(_slope_in_exponent(x, y, out, dout), y),
        )


def _copy(x: np.ndarray, out: np.ndarray) -> None:
    np.copyto(out, x)


def _cube(x: np.ndarray, out: np.ndarray) -> None:
    np.multiply(np.square(x), x, out=out)


def _root(x: np.ndarray, out: np.ndarray) -> None:
    """x^0.5, for which NumPy takes the square root: NaN of -inf, and -0 of -0."""
    low = np.equal(x, -np.inf)
    np.sqrt(x, out=out)
    np.add(out, 0, out=out)  # -0 + 0 is 0
    np.copyto(out, np.inf, where=low)


_QUICK_POWERS: dict[float, Any] = {1: _copy, 2: np.square, 3: _cube}


def _slope_in_base(x: Any, y: Any, dout: Tensor) -> Tensor:
    if not isinstance(y, Tensor):
        if y == 0:
            return dout * 0
        if y == 2:
            return dout * x * 2
    return dout * y * Pow()(x, y - 1)


def _slope_in_exponent(x: Any, y: Any, out: Tensor, dout: Tensor) -> Tensor:
    """dout * x^y * log(x), which is 0 for x = 0 and any y >= 0: the limit from the right."""
    if out.dtype.kind == "c":
        return dout * Xlogy()(out, x)
    flat = LogicalAnd()(Equal()(x, 0), GreaterEqual()(y, 0))
    return dout * Xlogy()(Select()(flat, 0, out), x)


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


# -- exponentials and logarithms ------------------------------------------------------------------


class Exp(_FloatUnary):
    """e^x.

    >>> print(Exp()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [1.     2.7183]
    """

    transcendental = True
    ufunc = np.exp

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * out,)


class Expm1(_FloatUnary):
    """e^x - 1, exact for small x.

    >>> print(Expm1()(Tensor([0.0, 1.0])))
    [0.        1.7182819]
    """

    transcendental = True
    ufunc = np.expm1

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * (out + 1),)


class Log(_FloatUnary):
    """The natural logarithm of x.

    >>> print(Log()(Tensor([1.0, 2.0])))
    [0.        0.6931472]
    """

    transcendental = True
    ufunc = np.log

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout / x,)


class Log1p(_FloatUnary):
    """log(1 + x), exact for small x.

    >>> print(Log1p()(Tensor([0.0, 1.0])))
    [0.        0.6931472]
    """

    transcendental = True
    ufunc = np.log1p

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout / (x + 1),)


class Xlogy(_FloatBinary):
    """x * log(y), and 0 where x is 0 and y a number.

    >>> print(Xlogy()(Tensor([0.0, 2.0]), Tensor([0.0, 1.0])))
    [0. 0.]
    """

    transcendental = True
    reuse = ()

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        np.log(y, out=out, dtype=out.dtype)
        np.multiply(out, x, out=out, dtype=out.dtype)
        np.copyto(out, 0, where=np.equal(x, 0) & np.equal(y, y))

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return (
            lambda: unbroadcast(_without_poles(x, y, Xlogy()(dout, y)), x),
            lambda: unbroadcast(Xdivy()(dout * x, y), y),
        )


def _without_poles(x: Any, y: Any, slope: Tensor) -> Tensor:
    """``slope``, and 0 where x = 0 meets a y that has no logarithm."""
    if slope.dtype.kind == "c":
        both = LogicalAnd()(Equal()(x, 0), Equal()(y, 0))
        return Select()(both, 0, slope)
    bare = LogicalAnd()(Equal()(x, 0), LessEqual()(y, 0))
    return Select()(bare, 0, slope)


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


# -- functions ------------------------------------------------------------------------------------


@method("pow")
def pow(input: Any, exponent: Any) -> Tensor:
    """:class:`Pow` of ``input`` and ``exponent``."""
    return Pow()(input, exponent)


def pows(input: Any, exponent: Any) -> Tensor:
    """:class:`Pow` of ``input`` and ``exponent``."""
    return Pow()(input, exponent)


@method("sqrt")
def sqrt(x: Tensor) -> Tensor:
    """:class:`Sqrt` of ``x``."""
    return Sqrt()(x)


@method("rsqrt")
def rsqrt(input: Tensor) -> Tensor:
    """:class:`Rsqrt` of ``input``."""
    return Rsqrt()(input)


@method("exp")
def exp(input: Tensor) -> Tensor:
    """:class:`Exp` of ``input``."""
    return Exp()(input)


@method("expm1")
def expm1(input: Tensor) -> Tensor:
    """:class:`Expm1` of ``input``."""
    return Expm1()(input)


@method("log")
def log(input: Tensor) -> Tensor:
    """:class:`Log` of ``input``."""
    return Log()(input)


@method("log1p")
def log1p(input: Tensor) -> Tensor:
    """:class:`Log1p` of ``input``."""
    return Log1p()(input)


@method("xlogy")
def xlogy(input: Any, other: Any) -> Tensor:
    """:class:`Xlogy` of ``input`` and ``other``; a number is a float32."""
    given = (input, other)
    wide = [Tensor(x, mstype.float32) if isinstance(x, int | float) else x for x in given]
    return Xlogy()(*wide)


@method("xdivy")
def xdivy(x: Any, y: Any) -> Tensor:
    """:class:`Xdivy` of ``x`` and ``y``."""
    return Xdivy()(x, y)


@method("float_power")
@also_spelled(other="exponent")
def float_power(input: Any, exponent: Any) -> Tensor:
    """input ^ exponent in float64, of complex numbers in complex128."""
    given = (input, exponent)
    is_complex = any(x.dtype.kind == "c" for x in given if isinstance(x, Tensor))
    kind = mstype.complex128 if is_complex else mstype.float64
    return Pow()(*[Cast()(x, kind) if isinstance(x, Tensor) else x for x in given])


@method("exp2")
def exp2(input: Tensor) -> Tensor:
    """2 ^ input; of bfloat16 in float32.

    >>> print(exp2(Tensor([3.0, 0.5])).asnumpy().round(4))
    [8.     1.4142]
    """
    check_arithmetic_operands("exp2", input=input)
    wide = isinstance(input, Tensor) and input.dtype == mstype.bfloat16
    return Pow()(2.0, Cast()(input, mstype.float32) if wide else input)


@method("log2")
def log2(input: Tensor) -> Tensor:
    """The logarithm to base 2."""
    return Div()(Log()(input), math.log(2))


@method("log10")
def log10(input: Tensor) -> Tensor:
    """The logarithm to base 10."""
    return Div()(Log()(input), math.log(10))


@method("logaddexp")
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """log(e^input + e^other), without overflow.

    >>> print(logaddexp(Tensor([1000.0]), Tensor([1000.0])).asnumpy().round(3))
    [1000.693]
    """
    apart = Neg()(Abs()(Sub()(input, other)))
    return Add()(Maximum()(input, other), Log1p()(Exp()(apart)))


@method("logaddexp2")
def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """log2(2^input + 2^other), without overflow."""
    apart = Neg()(Abs()(Sub()(input, other)))  # in the dtype of both
    beyond = Mul()(Log1p()(Pow()(2.0, apart)), 1 / math.log(2))
    return Add()(Maximum()(input, other), beyond)


@method("ldexp")
def ldexp(x: Tensor, other: Tensor) -> Tensor:
    """x * 2^other.

    >>> print(ldexp(Tensor([1.0, 3.0]), Tensor([2, 1])))
    [4. 6.]
    """
    check_arithmetic_operands("ldexp", x=x, other=other)
    factor = Tensor(2.0**other) if isinstance(other, int | float) else Pow()(2.0, other)
    return Mul()(x, factor)


__all__ = [
    "Exp",
    "Expm1",
    "Log",
    "Log1p",
    "NonZero01",
    "Pow",
    "Rsqrt",
    "Sqrt",
    "Xdivy",
    "Xlogy",
    "exp",
    "exp2",
    "expm1",
    "float_power",
    "ldexp",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "pow",
    "pows",
    "rsqrt",
    "sqrt",
    "xdivy",
    "xlogy",
]
