"""Arithmetic, element by element: + - * / and their kin, the greater and the smaller, signs and rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.ops.axes import an_int
from minispore.ops.elementwise import (
    REAL,
    _Binary,
    _FloatBinary,
    _FloatUnary,
    _Unary,
    broadcast,
    common_dtype,
    to_float,
    unbroadcast,
)

# -- sum, difference, product, quotient -----------------------------------------------------------


class Add(_Binary):
    """x + y.

    >>> print(Add()(Tensor([1.0, 2.0]), 1))
    [2. 3.]
    """

    ufunc = np.add

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return lambda: unbroadcast(dout, x), lambda: unbroadcast(dout, y)


class Sub(_Binary):
    """x - y.

    >>> print(Sub()(Tensor([1.0, 2.0]), 1))
    [0. 1.]
    """

    ufunc = np.subtract
    kinds = "iufVc"

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return lambda: unbroadcast(dout, x), lambda: unbroadcast(-dout, y)


class Mul(_Binary):
    """x * y.

    >>> print(Mul()(Tensor([1.0, 2.0]), 3))
    [3. 6.]
    """

    ufunc = np.multiply

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return lambda: unbroadcast(dout * y, x), lambda: unbroadcast(dout * x, y)


class RealDiv(_FloatBinary):
    """x / y; integers are divided as float32.

    >>> print(RealDiv()(Tensor([1, 2]), 2))
    [0.5 1. ]
    """

    ufunc = np.true_divide

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return lambda: unbroadcast(dout / y, x), lambda: unbroadcast(-(dout / y) * out, y)


class Div(RealDiv):
    """x / y; integers are divided as float32.

    >>> print(Div()(Tensor([1.0, 2.0]), Tensor([2.0, 4.0])))
    [0.5 0.5]
    """


class DivNoNan(_FloatBinary):
    """x / y, and 0 where y is 0.

    >>> print(DivNoNan()(Tensor([1.0, 2.0]), Tensor([0.0, 4.0])))
    [0.  0.5]
    """

    reuse = ()

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        out.fill(0)
        np.true_divide(x, y, out=out, dtype=out.dtype, where=np.not_equal(y, 0))

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return (
            lambda: unbroadcast(DivNoNan()(dout, y), x),
            lambda: unbroadcast(-DivNoNan()(dout, y) * out, y),
        )


class MulNoNan(_Binary):
    """x * y, and 0 where y is 0, even if x is infinite or nan.

    >>> print(MulNoNan()(Tensor([float("inf"), 2.0]), Tensor([0.0, 4.0])))
    [0. 8.]
    """

    reuse = ()

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        out.fill(0)
        np.multiply(x, y, out=out, where=np.not_equal(y, 0))

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return lambda: unbroadcast(dout * y, x), lambda: unbroadcast(dout * x, y)


class FloorDiv(_Binary):
    """The floor of x / y.

    >>> print(FloorDiv()(Tensor([7, -7]), 2))
    [ 3 -4]
    """

    ufunc = np.floor_divide
    kinds = REAL

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        if out.dtype.kind == "b":
            np.logical_and(x, y, out=out)
        else:
            np.floor_divide(x, y, out=out)


class FloorMod(_Binary):
    """x - y * floor(x / y), with the sign of y.

    >>> print(FloorMod()(Tensor([7, -7]), 4))
    [3 1]
    """

    ufunc = np.remainder
    kinds = "iufV"

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return lambda: unbroadcast(dout, x), lambda: unbroadcast(-dout * FloorDiv()(x, y), y)


class Mod(_Binary):
    """The remainder of x / y truncated, with the sign of x (C's ``fmod``).

    >>> print(Mod()(Tensor([7, -7]), 4))
    [ 3 -3]
    """

    ufunc = np.fmod
    kinds = "iufV"

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return lambda: unbroadcast(dout, x), lambda: unbroadcast(-dout * TruncateDiv()(x, y), y)


class TruncateMod(Mod):
    """The remainder of x / y truncated, with the sign of x.

    >>> print(TruncateMod()(Tensor([7, -7]), 4))
    [ 3 -3]
    """


class TruncateDiv(_Binary):
    """x / y without its fraction.

    >>> print(TruncateDiv()(Tensor([7, -7]), 2))
    [ 3 -3]
    """

    kinds = "iufV"

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        if out.dtype.kind in "iu":
            # (x - fmod(x, y)) / y is exact, where floats would round large integers
            np.floor_divide(np.subtract(x, np.fmod(x, y)), y, out=out)
        else:
            np.trunc(np.true_divide(x, y, out=out), out=out)


class SquaredDifference(_Binary):
    """(x - y)^2.

    >>> print(SquaredDifference()(Tensor([1.0, 5.0]), Tensor([3.0, 4.0])))
    [4. 1.]
    """

    kinds = "iufVc"

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        np.subtract(x, y, out=out)
        np.multiply(out, out, out=out)

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return (
            lambda: unbroadcast(dout * (x - y) * 2, x),
            lambda: unbroadcast(dout * (y - x) * 2, y),
        )


# -- greater and smaller one ----------------------------------------------------------------------


class Preference(Primitive):
    """1 where x > y, 1/2 where x = y, 0 elsewhere: the share of x in the gradient of max(x, y).

    >>> print(Preference()(Tensor([1.0, 2.0, 3.0]), Tensor([2.0, 2.0, 2.0])))
    [0.  0.5 1. ]
    """

    internal = True
    layout = LIKE_INPUT
    promotes = (0, 1)

    def infer(self, x: Any, y: Any) -> Spec:
        return Spec(broadcast(self.name, x, y), to_float(common_dtype(x, y)))

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        np.greater(x, y, out=out)
        out += np.greater_equal(x, y)
        out *= 0.5


class Maximum(_Binary):
    """The greater of x and y; equal inputs share the gradient.

    >>> print(Maximum()(Tensor([1.0, 5.0]), 2))
    [2. 5.]
    """

    ufunc = np.maximum
    kinds = REAL

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return (
            lambda: unbroadcast(dout * Preference()(x, y), x),
            lambda: unbroadcast(dout * Preference()(y, x), y),
        )


class Minimum(_Binary):
    """The smaller of x and y; equal inputs share the gradient.

    >>> print(Minimum()(Tensor([1.0, 5.0]), 2))
    [1. 2.]
    """

    ufunc = np.minimum
    kinds = REAL

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Any:
        return (
            lambda: unbroadcast(dout * Preference()(y, x), x),
            lambda: unbroadcast(dout * Preference()(x, y), y),
        )


# -- one input ------------------------------------------------------------------------------------


class Neg(_Unary):
    """-x.

    >>> print(Neg()(Tensor([1.0, -2.0])))
    [-1.  2.]
    """

    ufunc = np.negative
    kinds = "iufVc"

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: -dout,)


class Abs(_Unary):
    """|x|; a complex x gives its real modulus. The slope at 0 is 0.

    >>> print(Abs()(Tensor([1.0, -2.0])))
    [1. 2.]
    """

    ufunc = np.absolute

    def infer(self, x: Spec) -> Spec:
        spec = super().infer(x)
        if spec.dtype.kind == "c":
            return Spec(spec.shape, np.dtype(f"f{spec.dtype.itemsize // 2}"))
        return spec

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * Sign()(x),)


class Sign(_Unary):
    """-1, 0 or 1 as x is negative, zero or positive.

    >>> print(Sign()(Tensor([-3.0, 0.0, 2.0])))
    [-1.  0.  1.]
    """

    ufunc = np.sign
    kinds = "iufVc"


class Square(_Unary):
    """x^2.

    >>> print(Square()(Tensor([1.0, -2.0])))
    [1. 4.]
    """

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.multiply(x, x, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * x * 2,)


class Reciprocal(_FloatUnary):
    """1 / x; integers give float32.

    >>> print(Reciprocal()(Tensor([1.0, 4.0])))
    [1.   0.25]
    """

    ufunc = np.reciprocal

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: -dout * out * out,)


class Inv(Reciprocal):
    """1 / x.

    >>> print(Inv()(Tensor([1.0, 4.0])))
    [1.   0.25]
    """


class _Rounding(_Unary):
    """A whole number near x, flat almost everywhere; integers stay as they are."""

    kinds = "iufV"

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        if out.dtype.kind in "iu":
            np.copyto(out, x)
        else:
            self.ufunc(x, out=out)


class Floor(_Rounding):
    """The greatest whole number <= x.

    >>> print(Floor()(Tensor([1.7, -1.2])))
    [ 1. -2.]
    """

    ufunc = np.floor


class Ceil(_Rounding):
    """The smallest whole number >= x.

    >>> print(Ceil()(Tensor([1.2, -1.7])))
    [ 2. -1.]
    """

    ufunc = np.ceil


class Rint(_Rounding):
    """The nearest whole number, halves to the even one.

    >>> print(Rint()(Tensor([0.5, 1.5, 1.6])))
    [0. 2. 2.]
    """

    ufunc = np.rint


class Round(_Rounding):
    """x rounded to ``decimals`` places, halves to the even one.

    >>> print(Round()(Tensor([0.5, 1.5, -1.6])), Round()(Tensor([1.26]), 1))
    [ 0.  2. -2.] [1.3]
    """

    ufunc = np.rint

    def infer(self, x: Spec, decimals: int = 0) -> Spec:
        an_int(self.name, decimals, "decimals")
        return super().infer(x)

    def kernel(self, x: np.ndarray, decimals: int = 0, *, out: np.ndarray) -> None:
        if decimals == 0 or (out.dtype.kind in "iu" and decimals > 0):
            super().kernel(x, out=out)
        else:
            np.round(x, decimals, out=out)


class Trunc(_Rounding):
    """x without its fraction.

    >>> print(Trunc()(Tensor([1.7, -1.7])))
    [ 1. -1.]
    """

    ufunc = np.trunc


__all__ = [
    "Abs",
    "Add",
    "Ceil",
    "Div",
    "DivNoNan",
    "Floor",
    "FloorDiv",
    "FloorMod",
    "Inv",
    "Maximum",
    "Minimum",
    "Mod",
    "Mul",
    "MulNoNan",
    "Neg",
    "Preference",
    "RealDiv",
    "Reciprocal",
    "Rint",
    "Round",
    "Sign",
    "Square",
    "SquaredDifference",
    "Sub",
    "Trunc",
    "TruncateDiv",
    "TruncateMod",
]
