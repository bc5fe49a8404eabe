"""Comparisons, logic, and tests for NaN and infinity, element by element."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Promotion
from minispore.core.tensor import Tensor, method
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import (
    BOOL,
    REAL,
    _Binary,
    _Unary,
)


class _Comparison(_Binary):
    """Base of ops that compute ``ufunc(x, y)`` as bool."""

    reuse = ()
    promotion: ClassVar[Promotion | None] = Promotion((0, 1), casts_int_scalars=False)

    def infer(self, x: Any, y: Any) -> Spec:
        return Spec(super().infer(x, y).shape, BOOL)


class Equal(_Comparison):
    """x == y.

    >>> print(Equal()(Tensor([1, 2]), 2))
    [False  True]
    """

    ufunc = np.equal


class NotEqual(_Comparison):
    """x != y.

    >>> print(NotEqual()(Tensor([1, 2]), 2))
    [ True False]
    """

    ufunc = np.not_equal


class Less(_Comparison):
    """x < y.

    >>> print(Less()(Tensor([1, 2, 3]), 2))
    [ True False False]
    """

    ufunc = np.less
    kinds = REAL


class LessEqual(_Comparison):
    """x <= y.

    >>> print(LessEqual()(Tensor([1, 2, 3]), 2))
    [ True  True False]
    """

    ufunc = np.less_equal
    kinds = REAL


class Greater(_Comparison):
    """x > y.

    >>> print(Greater()(Tensor([1, 2, 3]), 2))
    [False False  True]
    """

    ufunc = np.greater
    kinds = REAL


class GreaterEqual(_Comparison):
    """x >= y.

    >>> print(GreaterEqual()(Tensor([1, 2, 3]), 2))
    [False  True  True]
    """

    ufunc = np.greater_equal
    kinds = REAL


# -- logic ----------------------------------------------------------------------------------------


class LogicalAnd(_Comparison):
    """x and y; a number means ``number != 0``.

    >>> print(LogicalAnd()(Tensor([True, True]), Tensor([True, False])))
    [ True False]
    """

    ufunc = np.logical_and


class LogicalOr(_Comparison):
    """x or y; a number means ``number != 0``.

    >>> print(LogicalOr()(Tensor([False, True]), Tensor([False, False])))
    [False  True]
    """

    ufunc = np.logical_or


class LogicalXor(_Comparison):
    """Either x or y, but not both.

    >>> print(LogicalXor()(Tensor([False, True]), Tensor([True, True])))
    [ True False]
    """

    ufunc = np.logical_xor


class _UnaryTest(_Unary):
    """Base of ops that compute ``ufunc(x)`` as bool."""

    reuse = ()

    def infer(self, x: Spec) -> Spec:
        return Spec(super().infer(x).shape, BOOL)


class LogicalNot(_UnaryTest):
    """not x; a number means ``number != 0``.

    >>> print(LogicalNot()(Tensor([True, False])))
    [False  True]
    """

    ufunc = np.logical_not


class IsNan(_UnaryTest):
    """Whether x is not a number.

    >>> print(IsNan()(Tensor([1.0, float("nan")])))
    [False  True]
    """

    ufunc = np.isnan


class IsInf(_UnaryTest):
    """Whether x is infinite.

    >>> print(IsInf()(Tensor([1.0, float("-inf")])))
    [False  True]
    """

    ufunc = np.isinf


class IsFinite(_UnaryTest):
    """Whether x is neither infinite nor nan.

    >>> print(IsFinite()(Tensor([1.0, float("inf")])))
    [ True False]
    """

    ufunc = np.isfinite


# -- functions ------------------------------------------------------------------------------------


@method("equal")
def equal(input: Any, other: Any) -> Tensor:
    """Apply :class:`Equal` to ``input`` and ``other``."""
    return Equal()(input, other)


@method("eq")
def eq(input: Any, other: Any) -> Tensor:
    """Apply :class:`Equal` to ``input`` and ``other``."""
    return Equal()(input, other)


@method("not_equal")
def not_equal(input: Any, other: Any) -> Tensor:
    """Apply :class:`NotEqual` to ``input`` and ``other``."""
    return NotEqual()(input, other)


@method("ne")
def ne(input: Any, other: Any) -> Tensor:
    """Apply :class:`NotEqual` to ``input`` and ``other``."""
    return NotEqual()(input, other)


@method("less")
def less(input: Any, other: Any) -> Tensor:
    """Apply :class:`Less` to ``input`` and ``other``."""
    return Less()(input, other)


@method("lt")
def lt(input: Any, other: Any) -> Tensor:
    """Apply :class:`Less` to ``input`` and ``other``."""
    return Less()(input, other)


@method("less_equal")
def less_equal(input: Any, other: Any) -> Tensor:
    """Apply :class:`LessEqual` to ``input`` and ``other``."""
    return LessEqual()(input, other)


@method("le")
def le(input: Any, other: Any) -> Tensor:
    """Apply :class:`LessEqual` to ``input`` and ``other``."""
    return LessEqual()(input, other)


@method("greater")
def greater(input: Any, other: Any) -> Tensor:
    """Apply :class:`Greater` to ``input`` and ``other``."""
    return Greater()(input, other)


@method("gt")
def gt(input: Any, other: Any) -> Tensor:
    """Apply :class:`Greater` to ``input`` and ``other``."""
    return Greater()(input, other)


@method("greater_equal")
def greater_equal(input: Any, other: Any) -> Tensor:
    """Apply :class:`GreaterEqual` to ``input`` and ``other``."""
    return GreaterEqual()(input, other)


@method("ge")
def ge(input: Any, other: Any) -> Tensor:
    """Apply :class:`GreaterEqual` to ``input`` and ``other``."""
    return GreaterEqual()(input, other)


@method("logical_and")
def logical_and(input: Any, other: Any) -> Tensor:
    """Apply :class:`LogicalAnd` to ``input`` and ``other``."""
    return LogicalAnd()(input, other)


@method("logical_or")
def logical_or(input: Any, other: Any) -> Tensor:
    """Apply :class:`LogicalOr` to ``input`` and ``other``."""
    return LogicalOr()(input, other)


@method("logical_xor")
def logical_xor(input: Any, other: Any) -> Tensor:
    """Apply :class:`LogicalXor` to ``input`` and ``other``."""
    return LogicalXor()(input, other)


@method("logical_not")
def logical_not(input: Tensor) -> Tensor:
    """Apply :class:`LogicalNot` to ``input``."""
    return LogicalNot()(input)


@method("isnan")
def isnan(input: Tensor) -> Tensor:
    """Apply :class:`IsNan` to ``input``."""
    return IsNan()(input)


@method("isinf")
def isinf(input: Tensor) -> Tensor:
    """Apply :class:`IsInf` to ``input``."""
    return IsInf()(input)


@method("isfinite")
def isfinite(input: Tensor) -> Tensor:
    """Apply :class:`IsFinite` to ``input``."""
    return IsFinite()(input)


@method("isposinf")
def isposinf(input: Tensor) -> Tensor:
    """Whether ``input`` is +inf."""
    return Equal()(input, float("inf"))


@method("isneginf")
def isneginf(input: Tensor) -> Tensor:
    """Whether ``input`` is -inf."""
    return Equal()(input, float("-inf"))


@method("signbit")
def signbit(input: Tensor) -> Tensor:
    """Whether ``input`` is negative; False for -0.0, unlike in NumPy."""
    return Less()(input, 0)


__all__ = [
    "Equal",
    "Greater",
    "GreaterEqual",
    "IsFinite",
    "IsInf",
    "IsNan",
    "Less",
    "LessEqual",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "LogicalXor",
    "NotEqual",
    "eq",
    "equal",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "le",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "ne",
    "not_equal",
    "signbit",
]
