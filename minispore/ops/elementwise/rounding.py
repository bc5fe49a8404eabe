"""Element-wise signs, squares, reciprocals and rounding."""

from __future__ import annotations

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents, VjpRule
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.arithmetic import DivNoNan, Sub
from minispore.ops.elementwise.bases import REAL, _FloatUnary, _Unary
from minispore.ops.elementwise.complex_numbers import Conj, Real
from minispore.ops.shape.cast_fill import Cast, ZerosLike
from minispore.ops.support.arguments import ORDERED_KINDS, check_tensors


class Neg(_Unary):
    """-x.

    >>> print(Neg()(Tensor([1.0, -2.0])))
    [-1.  2.]
    """

    ufunc = np.negative
    arithmetic = Arithmetic.EXACT
    kinds = "iufVc"

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: -dout,)


class Abs(_Unary):
    """|x|; the result for a complex x is complex (that of :class:`ComplexAbs` is real).

    The slope at 0 is 0.

    >>> print(Abs()(Tensor([1.0, -2.0])))
    [1. 2.]
    """

    ufunc = np.absolute
    arithmetic = Arithmetic.EXACT
    vjp_rule = VjpRule(hermitian=True)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        if x.dtype.kind == "c":  # the modulus is real, so only the real part of its gradient counts
            return (lambda: Cast()(Real()(dout), x.dtype) * Sign()(x),)
        return (lambda: dout * Sign()(x),)


class Sign(_Unary):
    """-1, 0 or 1 for a negative, zero (or NaN) or positive x; x / |x| for a complex x.

    >>> print(Sign()(Tensor([-3.0, 0.0, 2.0])))
    [-1.  0.  1.]
    """

    kinds = "iufVc"
    reuse = ()
    vjp_rule = VjpRule(hermitian=True)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Write the sign; for a complex number, the number divided by its magnitude."""
        if x.dtype.kind == "c":
            magnitude = np.abs(x)  # before NumPy 2, np.sign is the sign of the real part
            out[...] = 0
            np.divide(x, magnitude, out=out, where=magnitude != 0)
        else:
            np.greater(x, 0, out=out)
            np.subtract(out, np.less(x, 0), out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function for complex x; the sign of a real x has no gradient."""
        if x.dtype.kind != "c":
            return (None,)

        def compute_x_grad() -> Tensor:  # only the part of dout that changes the angle of x
            radial = Real()(Conj()(out) * dout)
            return DivNoNan()(dout - out * radial, Cast()(Abs()(x), x.dtype))

        return (compute_x_grad,)


class Square(_Unary):
    """x^2.

    >>> print(Square()(Tensor([1.0, -2.0])))
    [1. 4.]
    """

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.multiply(x, x, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * x * 2,)


class Reciprocal(_FloatUnary):
    """1 / x; integers give float32.

    >>> print(Reciprocal()(Tensor([1.0, 4.0])))
    [1.   0.25]
    """

    ufunc = np.reciprocal

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: -dout * out * out,)


class Inv(_Unary):
    """1 / x, truncated for integers.

    >>> print(Inv()(Tensor([1.0, 4.0])), Inv()(Tensor([-1, 4])))
    [1.   0.25] [-1  0]
    """

    ufunc = np.reciprocal
    kinds = "iufVc"

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: -dout * out * out,)


# -- rounding -------------------------------------------------------------------------------------


class _RoundingOp(_Unary):
    """Base of ops that round x to an integer value, with a zero gradient; integers are copied."""

    kinds = ORDERED_KINDS

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Round floats by ``ufunc``, and copy integers and bools."""
        if out.dtype.kind in "biu":
            np.copyto(out, x)
        else:
            self.ufunc(x, out=out)


class Floor(_RoundingOp):
    """The greatest whole number <= x.

    >>> print(Floor()(Tensor([1.7, -1.2])))
    [ 1. -2.]
    """

    ufunc = np.floor


class Ceil(_RoundingOp):
    """The smallest whole number >= x.

    >>> print(Ceil()(Tensor([1.2, -1.7])))
    [ 2. -1.]
    """

    ufunc = np.ceil


class Rint(_RoundingOp):
    """x rounded to the nearest whole number, halves to even.

    >>> print(Rint()(Tensor([0.5, 1.5, 1.6])))
    [0. 2. 2.]
    """

    ufunc = np.rint


class Round(_RoundingOp):
    """x rounded to ``decimals`` places, halves to even.

    >>> print(Round()(Tensor([0.5, 1.5, -1.6])))
    [ 0.  2. -2.]
    """

    ufunc = np.rint

    def infer(self, x: Spec, decimals: int = 0) -> Spec:
        """Return the spec of x; raise RuntimeError for integers and negative ``decimals``."""
        checks.integer(self.name, "decimals", decimals)
        spec = super().infer(x)
        if decimals < 0 and spec.dtype.kind in "iu":
            raise RuntimeError(
                f"{self.name}: decimals must be >= 0 for integers, got {decimals}. Cast x to a "
                "float."
            )
        return spec

    def kernel(self, x: np.ndarray, decimals: int = 0, *, out: np.ndarray) -> None:
        """Round to ``decimals`` places; integers change only if ``decimals`` is negative."""
        if decimals == 0 or (out.dtype.kind in "iu" and decimals > 0):
            super().kernel(x, out=out)
        else:
            np.round(x, decimals, out=out)


class Trunc(_RoundingOp):
    """x truncated towards 0.

    >>> print(Trunc()(Tensor([1.7, -1.7])))
    [ 1. -1.]
    """

    ufunc = np.trunc
    kinds = REAL


# -- functions ------------------------------------------------------------------------------------


@method("abs")
def abs(input: Tensor) -> Tensor:
    """Apply :class:`Abs` to ``input``."""
    return Abs()(input)


@method("absolute")
def absolute(input: Tensor) -> Tensor:
    """Apply :class:`Abs` to ``input``."""
    return Abs()(input)


@method("neg")
def neg(input: Tensor) -> Tensor:
    """Apply :class:`Neg` to ``input``."""
    return Neg()(input)


@method("negative")
def negative(input: Tensor) -> Tensor:
    """Apply :class:`Neg` to ``input``."""
    return Neg()(input)


@method("sign")
def sign(input: Tensor) -> Tensor:
    """Apply :class:`Sign` to ``input``."""
    return Sign()(input)


@method("square")
def square(input: Tensor) -> Tensor:
    """Apply :class:`Square` to ``input``."""
    return Square()(input)


@method("reciprocal")
def reciprocal(input: Tensor) -> Tensor:
    """Apply :class:`Reciprocal` to ``input``."""
    return Reciprocal()(input)


@method("inv")
def inv(x: Tensor) -> Tensor:
    """Apply :class:`Inv` to ``x``."""
    return Inv()(x)


@method("floor")
def floor(input: Tensor) -> Tensor:
    """Apply :class:`Floor` to ``input``."""
    return Floor()(input)


@method("ceil")
def ceil(input: Tensor) -> Tensor:
    """Apply :class:`Ceil` to ``input``."""
    return Ceil()(input)


def rint(input: Tensor) -> Tensor:
    """Apply :class:`Rint` to ``input``."""
    return Rint()(input)


@method("trunc")
def trunc(input: Tensor) -> Tensor:
    """Apply :class:`Trunc` to ``input``."""
    return Trunc()(input)


@method("round")
def round(input: Tensor, decimals: int = 0) -> Tensor:
    """Apply :class:`Round` to ``input`` to ``decimals`` places."""
    return Round()(input, decimals)


@method("frac")
def frac(x: Tensor) -> Tensor:
    """Return the fractional part of ``x``, with the sign of ``x``.

    >>> print(frac(Tensor([2.5, -1.25])))
    [ 0.5  -0.25]
    """
    if isinstance(x, Tensor) and x.dtype.kind == "b":
        return ZerosLike()(Cast()(x, mstype.int64))
    return Sub()(x, Trunc()(x))


@method("positive")
def positive(input: Tensor) -> Tensor:
    """Return ``input`` itself."""
    check_tensors("positive", input=input)
    return input


__all__ = [
    "Abs",
    "Ceil",
    "Floor",
    "Inv",
    "Neg",
    "Reciprocal",
    "Rint",
    "Round",
    "Sign",
    "Square",
    "Trunc",
    "abs",
    "absolute",
    "ceil",
    "floor",
    "frac",
    "inv",
    "neg",
    "negative",
    "positive",
    "reciprocal",
    "rint",
    "round",
    "sign",
    "square",
    "trunc",
]
