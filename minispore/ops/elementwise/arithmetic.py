"""Sums, differences, products and quotients, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor, call, method
from minispore.core.value import Spec
from minispore.ops.elementwise.bases import (
    NUMBER,
    REAL,
    _Binary,
    _FloatBinary,
    a_kind,
    broadcast,
    common_dtype,
    to_float,
    unbroadcast,
)
from minispore.ops.support.spelling import also_spelled


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


# -- whole quotients and remainders ---------------------------------------------------------------


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


# -- more than two inputs -------------------------------------------------------------------------


class AddN(Primitive):
    """The sum of a tuple of tensors of one shape and dtype.

    >>> print(AddN()((Tensor([1.0]), Tensor([2.0]), Tensor([3.0]))))
    [6.]
    """

    variadic = True
    layout = LIKE_INPUT

    def infer(self, *xs: Any) -> Spec:
        if not xs:
            raise ValueError(f"{self.name}: x must hold at least one tensor, got none.")
        for x in xs:
            if a_kind(self.name, x, NUMBER, "every input") != xs[0]:
                raise ValueError(
                    f"{self.name}: inputs must have one shape and dtype, got {x} and {xs[0]}."
                )
        return xs[0]

    def kernel(self, *xs: np.ndarray, out: np.ndarray) -> None:
        np.copyto(out, xs[0])
        for x in xs[1:]:
            np.add(out, x, out=out)

    def vjp(self, *xs: Tensor, out: Tensor, dout: Tensor) -> Any:
        return (dout,) * len(xs)


class AccumulateNV2(AddN):
    """The sum of a tuple of tensors of one shape and dtype.

    >>> print(AccumulateNV2()((Tensor([1.0]), Tensor([2.0]))))
    [3.]
    """


class Addcmul(Primitive):
    """x + value * y * z.

    >>> print(Addcmul()(Tensor([1.0]), Tensor([2.0]), Tensor([3.0]), Tensor([10.0])))
    [61.]
    """

    promotes = (-1,)
    layout = LIKE_INPUT

    def infer(self, x: Any, y: Any, z: Any, value: Any) -> Spec:
        dtype = common_dtype(x, y, z, value)
        return Spec(broadcast(self.name, x, y, z, value), dtype)

    def kernel(self, x: Any, y: Any, z: Any, value: Any, *, out: np.ndarray) -> None:
        np.add(x, np.multiply(np.multiply(y, value), z), out=out)

    def vjp(self, x: Any, y: Any, z: Any, value: Any, *, out: Tensor, dout: Tensor) -> Any:
        return (
            lambda: unbroadcast(dout, x),
            lambda: unbroadcast(dout * value * z, y),
            lambda: unbroadcast(dout * value * y, z),
            lambda: unbroadcast(dout * y * z, value),
        )


class Addcdiv(Primitive):
    """x + value * y / z.

    >>> print(Addcdiv()(Tensor([1.0]), Tensor([6.0]), Tensor([3.0]), Tensor([10.0])))
    [21.]
    """

    promotes = (-1,)
    layout = LIKE_INPUT

    def infer(self, x: Any, y: Any, z: Any, value: Any) -> Spec:
        dtype = to_float(common_dtype(x, y, z, value))
        return Spec(broadcast(self.name, x, y, z, value), dtype)

    def kernel(self, x: Any, y: Any, z: Any, value: Any, *, out: np.ndarray) -> None:
        ratio = np.true_divide(np.multiply(y, value), z, dtype=out.dtype)
        np.add(x, ratio, out=out, dtype=out.dtype)

    def vjp(self, x: Any, y: Any, z: Any, value: Any, *, out: Tensor, dout: Tensor) -> Any:
        return (
            lambda: unbroadcast(dout, x),
            lambda: unbroadcast(dout * value / z, y),
            lambda: unbroadcast(-dout * value * y / (z * z), z),
            lambda: unbroadcast(dout * y / z, value),
        )


class Lerp(Primitive):
    """start + weight * (end - start); the weight may be a number.

    >>> print(Lerp()(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), 0.5))
    [2. 3.]
    """

    promotes = (-1,)
    layout = LIKE_INPUT

    def infer(self, start: Any, end: Any, weight: Any) -> Spec:
        dtype = common_dtype(start, end, weight)
        shape = broadcast(self.name, start, end, weight)
        return a_kind(self.name, Spec(shape, dtype), "fV", "inputs")

    def kernel(self, start: Any, end: Any, weight: Any, *, out: np.ndarray) -> None:
        step = np.subtract(end, start)
        np.add(start, np.multiply(step, weight), out=out)

    def vjp(self, start: Any, end: Any, weight: Any, *, out: Tensor, dout: Tensor) -> Any:
        return (
            lambda: unbroadcast(dout * (1 - weight), start),
            lambda: unbroadcast(dout * weight, end),
            lambda: unbroadcast(dout * (end - start), weight),
        )


class LerpScalar(Lerp):
    """start + weight * (end - start) with a number as the weight.

    >>> print(LerpScalar()(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), 0.5))
    [2. 3.]
    """


# -- functions ------------------------------------------------------------------------------------


@method("add")
def add(input: Any, other: Any) -> Tensor:
    """:class:`Add` of ``input`` and ``other``."""
    return call("Add", input, other)


def sub(input: Any, other: Any) -> Tensor:
    """:class:`Sub` of ``input`` and ``other``."""
    return call("Sub", input, other)


@method("sub")
@method("subtract")
def subtract(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """input - alpha * other."""
    return call("Sub", input, other if alpha == 1 else call("Mul", other, alpha))


@method("mul")
def mul(input: Any, other: Any) -> Tensor:
    """:class:`Mul` of ``input`` and ``other``."""
    return call("Mul", input, other)


@method("multiply")
@also_spelled(value="other")
def multiply(input: Any, other: Any) -> Tensor:
    """:class:`Mul` of ``input`` and ``other``."""
    return call("Mul", input, other)


@method("div")
@method("divide")
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """input / other, as a float; or "floor"ed or "trunc"ated to whole numbers.

    >>> print(div(Tensor([7.0, -7.0]), 2, rounding_mode="trunc"))
    [ 3. -3.]
    """
    if rounding_mode not in _QUOTIENTS:
        raise ValueError(
            f"div: rounding_mode must be None, 'floor' or 'trunc', got {rounding_mode!r}."
        )
    return call(_QUOTIENTS[rounding_mode], input, other)


def divide(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """:func:`div`."""
    return div(input, other, rounding_mode=rounding_mode)


_QUOTIENTS = {None: "Div", "floor": "FloorDiv", "trunc": "TruncateDiv"}


@method("true_divide")
@also_spelled(other="divisor")
def true_divide(dividend: Any, divisor: Any) -> Tensor:
    """:class:`Div` of ``dividend`` and ``divisor``."""
    return call("Div", dividend, divisor)


def floor_div(x: Any, y: Any) -> Tensor:
    """:class:`FloorDiv` of ``x`` and ``y``."""
    return call("FloorDiv", x, y)


@method("floor_divide")
def floor_divide(input: Any, other: Any) -> Tensor:
    """:class:`FloorDiv` of ``input`` and ``other``."""
    return call("FloorDiv", input, other)


def floor_mod(x: Any, y: Any) -> Tensor:
    """:class:`FloorMod` of ``x`` and ``y``."""
    return call("FloorMod", x, y)


@method("remainder")
def remainder(input: Any, other: Any) -> Tensor:
    """:class:`FloorMod` of ``input`` and ``other``."""
    return call("FloorMod", input, other)


@method("fmod")
def fmod(input: Any, other: Any) -> Tensor:
    """:class:`Mod` of ``input`` and ``other``."""
    return call("Mod", input, other)


def truncate_div(x: Any, y: Any) -> Tensor:
    """:class:`TruncateDiv` of ``x`` and ``y``."""
    return call("TruncateDiv", x, y)


def truncate_mod(x: Any, y: Any) -> Tensor:
    """:class:`TruncateMod` of ``x`` and ``y``."""
    return call("TruncateMod", x, y)


def addn(x: Any) -> Tensor:
    """:class:`AddN` of the tensors ``x``."""
    return call("AddN", x)


def accumulate_n(x: Any) -> Tensor:
    """:class:`AccumulateNV2` of the tensors ``x``."""
    return call("AccumulateNV2", x)


@method("addcmul")
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = 1) -> Tensor:
    """:class:`Addcmul`: input + value * tensor1 * tensor2."""
    return call("Addcmul", input, tensor1, tensor2, value)


@method("addcdiv")
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = 1) -> Tensor:
    """:class:`Addcdiv`: input + value * tensor1 / tensor2."""
    return call("Addcdiv", input, tensor1, tensor2, value)


@method("lerp")
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """:class:`Lerp`: input + weight * (end - input)."""
    return call("Lerp", input, end, weight)


__all__ = [
    "AccumulateNV2",
    "Add",
    "AddN",
    "Addcdiv",
    "Addcmul",
    "Div",
    "DivNoNan",
    "FloorDiv",
    "FloorMod",
    "Lerp",
    "LerpScalar",
    "Mod",
    "Mul",
    "MulNoNan",
    "RealDiv",
    "SquaredDifference",
    "Sub",
    "TruncateDiv",
    "TruncateMod",
    "accumulate_n",
    "add",
    "addcdiv",
    "addcmul",
    "addn",
    "div",
    "divide",
    "floor_div",
    "floor_divide",
    "floor_mod",
    "fmod",
    "lerp",
    "mul",
    "multiply",
    "remainder",
    "sub",
    "subtract",
    "true_divide",
    "truncate_div",
    "truncate_mod",
]
