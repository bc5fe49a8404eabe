"""Sums, differences, products and quotients, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Promotion
from minispore.core.tensor import Tensor, call, method
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.bases import (
    REAL,
    _Binary,
    _FloatBinary,
    ufunc_dtype_args,
    unbroadcast,
)
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import FLOAT_KINDS, ORDERED_KINDS
from minispore.ops.support.spelling import also_spelled


class Add(_Binary):
    """x + y.

    >>> print(Add()(Tensor([1.0, 2.0]), 1))
    [2. 3.]
    """

    ufunc = np.add

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return lambda: unbroadcast(dout, x), lambda: unbroadcast(dout, y)


class Sub(_Binary):
    """x - y.

    >>> print(Sub()(Tensor([1.0, 2.0]), 1))
    [0. 1.]
    """

    ufunc = np.subtract
    kinds = "iufVc"

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return lambda: unbroadcast(dout, x), lambda: unbroadcast(-dout, y)


class Mul(_Binary):
    """x * y.

    >>> print(Mul()(Tensor([1.0, 2.0]), 3))
    [3. 6.]
    """

    ufunc = np.multiply
    promotion = Promotion((0, 1), retained_kinds=ORDERED_KINDS)

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return lambda: unbroadcast(dout * y, x), lambda: unbroadcast(dout * x, y)


class Div(_FloatBinary):
    """x / y; integers are divided as float32.

    >>> print(Div()(Tensor([1, 2]), 2))
    [0.5 1. ]
    """

    ufunc = np.true_divide
    promotion = Promotion((0, 1), retained_kinds=FLOAT_KINDS, casts_int_scalars=False)

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return lambda: unbroadcast(dout / y, x), lambda: unbroadcast(-(dout / y) * out, y)


class DivNoNan(_FloatBinary):
    """x / y, and 0 where y is 0.

    >>> print(DivNoNan()(Tensor([1.0, 2.0]), Tensor([0.0, 4.0])))
    [0.  0.5]
    """

    reuse = ()

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        out.fill(0)
        np.true_divide(x, y, out=out, dtype=out.dtype, where=np.not_equal(y, 0))

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
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
        np.multiply(x, y, out=out, where=np.not_equal(y, 0), **ufunc_dtype_args(out))

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return lambda: unbroadcast(dout * y, x), lambda: unbroadcast(dout * x, y)


class SquaredDifference(_Binary):
    """(x - y)^2.

    >>> print(SquaredDifference()(Tensor([1.0, 5.0]), Tensor([3.0, 4.0])))
    [4. 1.]
    """

    kinds = "iufVc"

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        np.subtract(x, y, out=out, **ufunc_dtype_args(out))
        np.multiply(out, out, out=out)

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (
            lambda: unbroadcast(dout * (x - y) * 2, x),
            lambda: unbroadcast(dout * (y - x) * 2, y),
        )


# -- integer quotients and remainders -------------------------------------------------------------


class FloorDiv(_Binary):
    """The floor of x / y.

    >>> print(FloorDiv()(Tensor([7, -7]), 2))
    [ 3 -4]
    """

    ufunc = np.floor_divide
    kinds = REAL

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        """Divide by NumPy, and correct the result where an operand is infinite; bools give ``x and
        y``.
        """
        if out.dtype.kind == "b":
            np.logical_and(x, y, out=out)
            return
        # NumPy gives NaN for an infinite x, and -1 for an infinite y of the opposite sign.
        is_infinite = np.isinf(x) | np.isinf(y) if out.dtype.kind in FLOAT_KINDS else np.False_
        quotients = np.floor(np.true_divide(x, y)) if is_infinite.any() else 0
        super().kernel(x, y, out=out)
        np.copyto(out, quotients, where=is_infinite, casting="same_kind")


class FloorMod(_Binary):
    """x - y * floor(x / y), with the sign of y.

    >>> print(FloorMod()(Tensor([7, -7]), 4))
    [3 1]
    """

    ufunc = np.remainder
    kinds = ORDERED_KINDS

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return lambda: unbroadcast(dout, x), lambda: unbroadcast(-dout * FloorDiv()(x, y), y)


class Mod(_Binary):
    """The remainder of the truncated division x / y, with the sign of x (C's ``fmod``).

    >>> print(Mod()(Tensor([7, -7]), 4))
    [ 3 -3]
    """

    ufunc = np.fmod
    kinds = ORDERED_KINDS

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return lambda: unbroadcast(dout, x), lambda: unbroadcast(-dout * TruncateDiv()(x, y), y)


class TruncateMod(Mod):
    """The remainder of the truncated division x / y, with the sign of x.

    >>> print(TruncateMod()(Tensor([7.0, -7.0]), 4))
    [ 3. -3.]
    """


class TruncateDiv(_Binary):
    """x / y, truncated towards 0.

    >>> print(TruncateDiv()(Tensor([7, -7]), 2))
    [ 3 -3]
    """

    kinds = ORDERED_KINDS

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        """Divide and truncate towards 0; exact for ints."""
        if out.dtype.kind in "iu":
            # (x - fmod(x, y)) / y is exact; a float division would round large integers.
            dtype_args = ufunc_dtype_args(out)
            multiple = np.subtract(x, np.fmod(x, y, **dtype_args), **dtype_args)
            np.floor_divide(multiple, y, out=out, **dtype_args)
        else:
            np.trunc(np.true_divide(x, y, out=out), out=out)


class DivMod(_Binary):
    """x / y rounded to integers, down ("floor") or towards 0 ("trunc").

    >>> print(DivMod("floor")(Tensor([7, -7]), 2), DivMod("trunc")(Tensor([7, -7]), 2))
    [ 3 -4] [ 3 -3]
    """

    rounding_mode: str
    kinds = REAL
    promotion = Promotion((0, 1), retained_kinds=FLOAT_KINDS)

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        """Write the quotient rounded by ``rounding_mode``; bools are always rounded down."""
        rounds_down = self.rounding_mode == "floor" or out.dtype.kind == "b"
        (FloorDiv() if rounds_down else TruncateDiv()).kernel(x, y, out=out)


class RealDiv(TruncateDiv):
    """x / y; for integers truncated towards 0 (:class:`Div` gives floats).

    >>> print(RealDiv()(Tensor([1.0, 2.0]), 4), RealDiv()(Tensor([7, -7]), 2))
    [0.25 0.5 ] [ 3 -3]
    """

    kinds = "iufVc"

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        """Divide; integers are truncated towards 0."""
        if out.dtype.kind in "iu":
            super().kernel(x, y, out=out)
        else:
            np.true_divide(x, y, out=out)

    def vjp(self, x: Any, y: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        x_grad = RealDiv()(dout, y)
        return lambda: unbroadcast(x_grad, x), lambda: unbroadcast(-x_grad * out, y)


# -- functions ------------------------------------------------------------------------------------


def add(input: Any, other: Any) -> Tensor:
    """Apply :class:`Add` to ``input`` and ``other``."""
    return Add()(input, other)


@method("add")
def add_scaled(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Compute input + alpha * other."""
    return Add()(input, scale_other(input, other, alpha))


def _get_dtype_kind(x: Any) -> str:
    """Return the dtype kind of a tensor or a Python scalar; "" for anything else."""
    if isinstance(x, Tensor):
        return x.dtype.kind
    return np.result_type(type(x)).kind if isinstance(x, int | float | complex) else ""


def scale_other(input: Any, other: Any, alpha: Any) -> Any:
    """Return alpha * other, in the common dtype of ``input`` and ``other``.

    Raises:
        TypeError: ``alpha`` is a bool but the inputs are not bools, or a float but the inputs are
            integers.
    """
    are_integers = not any(
        isinstance(a, float) or _get_dtype_kind(a) in "fc" for a in (input, other)
    )
    if alpha.__class__ is bool and {_get_dtype_kind(input), _get_dtype_kind(other)} != {"b"}:
        raise TypeError(f"alpha must be a number, got {alpha}.")
    if isinstance(alpha, float) and are_integers:
        raise TypeError(f"alpha must be an int for integers, got {alpha}.")
    if {_get_dtype_kind(input), _get_dtype_kind(other)} == {"b"}:
        alpha = bool(alpha)
    if alpha == 1:
        return other
    if isinstance(other, int | float) and isinstance(alpha, int | float):
        return other * alpha
    if isinstance(input, Tensor) and isinstance(other, Tensor) and input.dtype is not other.dtype:
        common = mstype.promote(input.value_.spec.dtype, other.value_.spec.dtype)
        other = Cast()(other, mstype.from_numpy(common))
    return Mul()(other, alpha)


def sub(input: Any, other: Any) -> Tensor:
    """Apply :class:`Sub` to ``input`` and ``other``."""
    return Sub()(input, other)


@method("sub")
@method("subtract")
def difference(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Compute input - alpha * other; for bools, whether ``input`` and ``other`` differ."""
    are_bools = {_get_dtype_kind(input), _get_dtype_kind(other)} == {"b"}
    return call("LogicalXor" if are_bools else "Sub", input, scale_other(input, other, alpha))


def subtract(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Compute input - alpha * other; bools give int64."""
    are_bools = {_get_dtype_kind(input), _get_dtype_kind(other)} == {"b"} and alpha.__class__ is int
    return Sub()(input, Mul()(other, alpha) if are_bools else scale_other(input, other, alpha))


@method("mul")
def mul(input: Any, other: Any) -> Tensor:
    """Apply :class:`Mul` to ``input`` and ``other``."""
    return Mul()(input, other)


@method("multiply")
@also_spelled(value="other")
def multiply(input: Any, other: Any) -> Tensor:
    """Apply :class:`Mul` to ``input`` and ``other``."""
    return Mul()(input, other)


@method("div")
@method("divide")
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Divide input by other; with ``rounding_mode`` "floor" or "trunc", round to whole numbers.

    >>> print(div(Tensor([7.0, -7.0]), 2, rounding_mode="trunc"))
    [ 3. -3.]
    """
    if rounding_mode not in _ROUNDINGS:
        raise ValueError(
            f"div: rounding_mode must be None, 'floor' or 'trunc', got {rounding_mode!r}."
        )
    if rounding_mode is None:
        return Div()(input, other)
    return DivMod(rounding_mode)(input, other)


def divide(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """:func:`div`."""
    return div(input, other, rounding_mode=rounding_mode)


_ROUNDINGS = (None, "floor", "trunc")


def tensor_div(x: Any, y: Any) -> Tensor:
    """Return x / y, truncated towards 0 for integers."""
    return RealDiv()(x, y)


@method("true_divide")
@also_spelled(other="divisor")
def true_divide(dividend: Any, divisor: Any) -> Tensor:
    """Return dividend / divisor; integers are divided as float32."""
    return Div()(dividend, divisor)


@also_spelled(input="x", other="y")
def floor_div(x: Any, y: Any) -> Tensor:
    """Return the floor of x / y."""
    return FloorDiv()(x, y)


@method("floor_divide")
def floor_divide(input: Any, other: Any) -> Tensor:
    """Return the floor of input / other."""
    return FloorDiv()(input, other)


def floor_mod(x: Any, y: Any) -> Tensor:
    """Return x - y * floor(x / y), with the sign of y."""
    return FloorMod()(x, y)


@method("remainder")
@also_spelled(divisor="other")
def remainder(input: Any, other: Any) -> Tensor:
    """Return input - other * floor(input / other), with the sign of ``other``."""
    return FloorMod()(input, other)


@method("fmod")
def fmod(input: Any, other: Any) -> Tensor:
    """Apply :class:`Mod` to ``input`` and ``other``.

    If the only tensor is 0-d, a Python scalar becomes an int64 or float32 tensor. A 0-d ``other``
    is cast to the dtype of ``input`` if both are integers or neither is.
    """
    tensors = [a for a in (input, other) if isinstance(a, Tensor)]
    if len(tensors) == 1 and not tensors[0].ndim:
        input, other = (Tensor(a) if isinstance(a, int | float) else a for a in (input, other))
    elif (
        len(tensors) == 2
        and input.ndim
        and not other.ndim
        and _is_integer(input) is _is_integer(other)
    ):
        other = Cast()(other, input.dtype)
    return Mod()(input, other)


def _is_integer(x: Tensor) -> bool:
    """Whether the dtype of ``x`` is an integer type other than bool."""
    return x.dtype.kind in "iu"


def truncate_div(x: Any, y: Any) -> Tensor:
    """Return x / y, truncated towards 0."""
    return TruncateDiv()(x, y)


def truncate_mod(x: Any, y: Any) -> Tensor:
    """Return the remainder of the truncated division x / y, with the sign of x."""
    return TruncateMod()(x, y)


__all__ = [
    "Add",
    "Div",
    "DivNoNan",
    "FloorDiv",
    "FloorMod",
    "Mod",
    "Mul",
    "MulNoNan",
    "RealDiv",
    "SquaredDifference",
    "Sub",
    "TruncateDiv",
    "TruncateMod",
    "add",
    "div",
    "divide",
    "floor_div",
    "floor_divide",
    "floor_mod",
    "fmod",
    "mul",
    "multiply",
    "remainder",
    "sub",
    "subtract",
    "tensor_div",
    "true_divide",
    "truncate_div",
    "truncate_mod",
]
