"""Bit operations, shifts and divisors of integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor, method
from minispore.execution.layout import LIKE_INPUT
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import _Binary, _Unary, check_dtype_kind


class _IntegerBinary(_Binary):
    """Base of ops that compute ``ufunc(x, y)`` of integers."""

    kinds = "biu"


class BitwiseAnd(_IntegerBinary):
    """x & y.

    >>> print(BitwiseAnd()(Tensor([6, 5]), Tensor([3, 4])))
    [2 4]
    """

    ufunc = np.bitwise_and


class BitwiseOr(_IntegerBinary):
    """x | y.

    >>> print(BitwiseOr()(Tensor([6, 5]), Tensor([3, 4])))
    [7 5]
    """

    ufunc = np.bitwise_or


class BitwiseXor(_IntegerBinary):
    """x ^ y.

    >>> print(BitwiseXor()(Tensor([6, 5]), Tensor([3, 4])))
    [5 1]
    """

    ufunc = np.bitwise_xor


class LeftShift(_IntegerBinary):
    """x << y.

    >>> print(LeftShift()(Tensor([1, 3]), Tensor([2, 1])))
    [4 6]
    """

    ufunc = np.left_shift
    kinds = "iu"


class RightShift(_IntegerBinary):
    """x >> y.

    >>> print(RightShift()(Tensor([8, 3]), Tensor([2, 1])))
    [2 1]
    """

    ufunc = np.right_shift
    kinds = "iu"


class Invert(_Unary):
    """~x.

    >>> print(Invert()(Tensor([0, 5])))
    [-1 -6]
    """

    ufunc = np.invert
    kinds = "biu"


class PopulationCount(Primitive):
    """The number of bits that are 1, as uint8.

    >>> print(PopulationCount()(Tensor([0, 5, 255])))
    [0 2 8]
    """

    layout = LIKE_INPUT

    def infer(self, x: Spec) -> Spec:
        return Spec(check_dtype_kind(self.name, x, "iu").shape, np.dtype(np.uint8))

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        bits = np.unpackbits(np.ascontiguousarray(x).reshape(*x.shape, 1).view(np.uint8), axis=-1)
        np.sum(bits, axis=-1, dtype=np.uint8, out=out)


# -- divisors -------------------------------------------------------------------------------------


class Gcd(_IntegerBinary):
    """The greatest common divisor of x and y.

    >>> print(Gcd()(Tensor([12, 7]), Tensor([18, 21])))
    [6 7]
    """

    ufunc = np.gcd
    kinds = "iu"


class Lcm(_IntegerBinary):
    """The least common multiple of x and y.

    >>> print(Lcm()(Tensor([4, 7]), Tensor([6, 21])))
    [12 21]
    """

    ufunc = np.lcm
    kinds = "iu"


# -- functions ------------------------------------------------------------------------------------


@method("bitwise_and")
def bitwise_and(input: Any, other: Any) -> Tensor:
    """Apply :class:`BitwiseAnd` to ``input`` and ``other``."""
    return BitwiseAnd()(input, other)


@method("bitwise_or")
def bitwise_or(input: Any, other: Any) -> Tensor:
    """Apply :class:`BitwiseOr` to ``input`` and ``other``."""
    return BitwiseOr()(input, other)


@method("bitwise_xor")
def bitwise_xor(input: Any, other: Any) -> Tensor:
    """Apply :class:`BitwiseXor` to ``input`` and ``other``."""
    return BitwiseXor()(input, other)


@method("bitwise_left_shift")
def bitwise_left_shift(input: Any, other: Any) -> Tensor:
    """Apply :class:`LeftShift` to ``input`` and ``other``."""
    return LeftShift()(input, other)


@method("bitwise_right_shift")
def bitwise_right_shift(input: Any, other: Any) -> Tensor:
    """Apply :class:`RightShift` to ``input`` and ``other``."""
    return RightShift()(input, other)


@method("invert")
def invert(x: Tensor) -> Tensor:
    """Apply :class:`Invert` to ``x``."""
    return Invert()(x)


def population_count(input_x: Tensor) -> Tensor:
    """Apply :class:`PopulationCount` to ``input_x``."""
    return PopulationCount()(input_x)


@method("gcd")
def gcd(input: Any, other: Any) -> Tensor:
    """Apply :class:`Gcd` to ``input`` and ``other``."""
    return Gcd()(input, other)


@method("lcm")
def lcm(input: Any, other: Any) -> Tensor:
    """Apply :class:`Lcm` to ``input`` and ``other``."""
    return Lcm()(input, other)


@method("bitwise_not")
def bitwise_not(input: Tensor) -> Tensor:
    """Apply :class:`Invert` to ``input``."""
    return Invert()(input)


__all__ = [
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "Gcd",
    "Invert",
    "Lcm",
    "LeftShift",
    "PopulationCount",
    "RightShift",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "gcd",
    "invert",
    "lcm",
    "population_count",
]
