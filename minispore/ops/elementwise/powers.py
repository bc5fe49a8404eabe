"""Element-wise powers, roots, exponentials and logarithms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents
from minispore.core.tensor import Tensor, method
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import Add, Div, Mul, Sub
from minispore.ops.elementwise.bases import (
    _Binary,
    _FloatBinary,
    _FloatUnary,
    ufunc_dtype_args,
    unbroadcast,
)
from minispore.ops.elementwise.compare import Equal, GreaterEqual, LessEqual, LogicalAnd
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.elementwise.rounding import Abs, Neg
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import check_arithmetic_operands
from minispore.ops.support.spelling import also_spelled


class Pow(_Binary):
    """x^y.

    >>> print(Pow()(Tensor([1.0, 2.0, 3.0]), 2))
    [1. 4. 9.]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.power
    kinds = "iufVc"

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        """Compute x^y: by multiplication for some scalar y; for ints in float64, so that negative
        powers give 0.
        """
        if isinstance(y, int | float) and y in _FAST_POWERS:
            _FAST_POWERS[y](x, out=out)
        elif np.size(y) == 1 and y == 0.5 and out.dtype.kind == "f":
            _compute_half_power(x, out)
        elif out.dtype.kind in "iu":
            # In float64, a negative power of 2 gives 0 and not an error.
            out[...] = np.power(np.asarray(x, np.float64), y)
        else:
            np.power(x, y, out=out, **ufunc_dtype_args(out))

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(_compute_base_grad(x, y, dout), x),
            lambda: unbroadcast(_compute_exponent_grad(x, y, out, dout), y),
        )


def _copy_base(x: np.ndarray, out: np.ndarray) -> None:
    """Write ``x``, its first power, to ``out``."""
    np.copyto(out, x)


def _compute_cube(x: np.ndarray, out: np.ndarray) -> None:
    """Write x^3 to ``out``."""
    np.multiply(np.square(x), x, out=out)


def _compute_half_power(x: np.ndarray, out: np.ndarray) -> None:
    """Write x^0.5 to ``out``, unlike np.sqrt with the values of a power: inf at -inf, 0 at -0."""
    is_minus_inf = np.equal(x, -np.inf)
    np.sqrt(x, out=out)
    np.add(out, 0, out=out)  # -0 + 0 is 0
    np.copyto(out, np.inf, where=is_minus_inf)


_FAST_POWERS: dict[float, Any] = {1: _copy_base, 2: np.square, 3: _compute_cube}


def _compute_base_grad(x: Any, y: Any, dout: Tensor) -> Tensor:
    """Return the gradient of x^y by x, in a simpler form if y is the scalar 0 or 2."""
    if not isinstance(y, Tensor):
        if y == 0:
            return dout * 0
        if y == 2:
            return dout * x * 2
    return dout * y * Pow()(x, y - 1)


def _compute_exponent_grad(x: Any, y: Any, out: Tensor, dout: Tensor) -> Tensor:
    """Return dout * x^y * log(x); for x = 0 and y >= 0 it is 0, the limit from the right."""
    if out.dtype.kind == "c":
        return dout * Xlogy()(out, x)
    is_limit = LogicalAnd()(Equal()(x, 0), GreaterEqual()(y, 0))
    return dout * Xlogy()(Select()(is_limit, 0, out), x)


class Sqrt(_FloatUnary):
    """The square root of x.

    >>> print(Sqrt()(Tensor([1.0, 4.0])))
    [1. 2.]
    """

    ufunc = np.sqrt

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout / out * 0.5,)


class Rsqrt(_FloatUnary):
    """1 / sqrt(x).

    >>> print(Rsqrt()(Tensor([1.0, 4.0])))
    [1.  0.5]
    """

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.sqrt(x, out=out, dtype=out.dtype)
        np.reciprocal(out, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * out * out * out * -0.5,)


# -- exponentials and logarithms ------------------------------------------------------------------


class Exp(_FloatUnary):
    """e^x.

    >>> print(Exp()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [1.     2.7183]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.exp

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * out,)


class Expm1(_FloatUnary):
    """e^x - 1, exact for small x.

    >>> print(Expm1()(Tensor([0.0, 1.0])))
    [0.        1.7182819]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.expm1

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * (out + 1),)


class Log(_FloatUnary):
    """The natural logarithm of x.

    >>> print(Log()(Tensor([1.0, 2.0])))
    [0.        0.6931472]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.log

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout / x,)


class Log1p(_FloatUnary):
    """log(1 + x), exact for small x.

    >>> print(Log1p()(Tensor([0.0, 1.0])))
    [0.        0.6931472]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.log1p

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout / (x + 1),)


class Xlogy(_FloatBinary):
    """x * log(y), and 0 where x is 0 and y is not NaN.

    >>> print(Xlogy()(Tensor([0.0, 2.0]), Tensor([0.0, 1.0])))
    [0. 0.]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    reuse = ()

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        """Compute x * log(y), and set it to 0 where x is 0 and y is not NaN."""
        np.log(y, out=out, dtype=out.dtype)
        np.multiply(out, x, out=out, dtype=out.dtype)
        np.copyto(out, 0, where=np.equal(x, 0) & np.equal(y, y))

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(_zero_at_poles(x, y, Xlogy()(dout, y)), x),
            lambda: unbroadcast(Xdivy()(dout * x, y), y),
        )


def _zero_at_poles(x: Any, y: Any, slope: Tensor) -> Tensor:
    """Return the gradient ``slope`` of xlogy by x, with 0 where x = 0 and y <= 0 has no
    logarithm; for complex numbers where x = y = 0.
    """
    if slope.dtype.kind == "c":
        are_zero = LogicalAnd()(Equal()(x, 0), Equal()(y, 0))
        return Select()(are_zero, 0, slope)
    is_pole = LogicalAnd()(Equal()(x, 0), LessEqual()(y, 0))
    return Select()(is_pole, 0, slope)


class Xdivy(_FloatBinary):
    """x / y, and 0 where x is 0.

    >>> print(Xdivy()(Tensor([0.0, 2.0]), Tensor([0.0, 4.0])))
    [0.  0.5]
    """

    reuse = ()

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        """Write x / y, and 0 where x is 0."""
        np.true_divide(x, y, out=out, dtype=out.dtype)
        np.copyto(out, 0, where=np.equal(x, 0))

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(Xdivy()(dout * NonZero01()(x), y), x),
            lambda: unbroadcast(Xdivy()(-dout * out, y), y),
        )


class NonZero01(_FloatUnary):
    """1 where x is not 0, else 0, in the dtype of x.

    >>> print(NonZero01()(Tensor([0.0, 3.0])))
    [0. 1.]
    """

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Write 1 where x is not 0, else 0."""
        np.not_equal(x, 0, out=out)


# -- functions ------------------------------------------------------------------------------------


@method("pow")
def pow(input: Any, exponent: Any) -> Tensor:
    """Apply :class:`Pow` to ``input`` and ``exponent``."""
    return Pow()(input, exponent)


def pows(input: Any, exponent: Any) -> Tensor:
    """Apply :class:`Pow` to ``input`` and ``exponent``."""
    return Pow()(input, exponent)


@method("sqrt")
def sqrt(x: Tensor) -> Tensor:
    """Apply :class:`Sqrt` to ``x``."""
    return Sqrt()(x)


@method("rsqrt")
def rsqrt(input: Tensor) -> Tensor:
    """Apply :class:`Rsqrt` to ``input``."""
    return Rsqrt()(input)


@method("exp")
def exp(input: Tensor) -> Tensor:
    """Apply :class:`Exp` to ``input``."""
    return Exp()(input)


@method("expm1")
def expm1(input: Tensor) -> Tensor:
    """Apply :class:`Expm1` to ``input``."""
    return Expm1()(input)


@method("log")
def log(input: Tensor) -> Tensor:
    """Apply :class:`Log` to ``input``."""
    return Log()(input)


@method("log1p")
def log1p(input: Tensor) -> Tensor:
    """Apply :class:`Log1p` to ``input``."""
    return Log1p()(input)


@method("xlogy")
def xlogy(input: Any, other: Any) -> Tensor:
    """Return input * log(other), and 0 where ``input`` is 0 and ``other`` is not NaN.

    A Python scalar is converted to float32.
    """
    operands = (input, other)
    tensors = [Tensor(x, mstype.float32) if isinstance(x, int | float) else x for x in operands]
    return Xlogy()(*tensors)


@method("xdivy")
def xdivy(x: Any, y: Any) -> Tensor:
    """Return x / y, and 0 where x is 0."""
    return Xdivy()(x, y)


@method("float_power")
@also_spelled(other="exponent")
def float_power(input: Any, exponent: Any) -> Tensor:
    """Compute input ^ exponent in float64, or in complex128 if either is complex."""
    operands = (input, exponent)
    is_complex = any(x.dtype.kind == "c" for x in operands if isinstance(x, Tensor))
    dtype = mstype.complex128 if is_complex else mstype.float64
    return Pow()(*[Cast()(x, dtype) if isinstance(x, Tensor) else x for x in operands])


@method("exp2")
def exp2(input: Tensor) -> Tensor:
    """Compute 2 ^ input; for bfloat16 in float32.

    >>> print(exp2(Tensor([3.0, 0.5])).asnumpy().round(4))
    [8.     1.4142]
    """
    check_arithmetic_operands("exp2", input=input)
    needs_float32 = isinstance(input, Tensor) and input.dtype == mstype.bfloat16
    return Pow()(2.0, Cast()(input, mstype.float32) if needs_float32 else input)


@method("log2")
def log2(input: Tensor) -> Tensor:
    """Compute the logarithm to base 2."""
    return Div()(Log()(input), math.log(2))


@method("log10")
def log10(input: Tensor) -> Tensor:
    """Compute the logarithm to base 10."""
    return Div()(Log()(input), math.log(10))


@method("logaddexp")
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """Compute log(e^input + e^other), without overflow.

    >>> print(logaddexp(Tensor([1000.0]), Tensor([1000.0])).asnumpy().round(3))
    [1000.693]
    """
    minus_distance = Neg()(Abs()(Sub()(input, other)))
    return Add()(Maximum()(input, other), Log1p()(Exp()(minus_distance)))


@method("logaddexp2")
def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """Compute log2(2^input + 2^other), without overflow."""
    minus_distance = Neg()(Abs()(Sub()(input, other)))  # in the common dtype
    excess = Mul()(Log1p()(Pow()(2.0, minus_distance)), 1 / math.log(2))
    return Add()(Maximum()(input, other), excess)


@method("ldexp")
def ldexp(x: Tensor, other: Tensor) -> Tensor:
    """Compute x * 2^other.

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
