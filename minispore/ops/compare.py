"""Questions element by element: comparisons, logic, bits, and what is finite."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Primitive
from minispore.core.value import Spec
from minispore.ops.elementwise import BOOL, REAL, _Binary, _Unary, a_kind


class _Comparison(_Binary):
    """``ufunc(x, y)`` as bool."""

    reuse = ()

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


class ApproximateEqual(_Comparison):
    """|x - y| < tolerance.

    >>> print(ApproximateEqual(0.5)(Tensor([1.0, 2.0]), Tensor([1.4, 3.0])))
    [ True False]
    """

    kinds = "iufV"
    tolerance: float = 1e-05

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        np.less(np.abs(np.subtract(x, y)), self.tolerance, out=out)


class IsClose(_Comparison):
    """|x - y| <= atol + rtol * |y|.

    >>> print(IsClose()(Tensor([1.0, 2.0]), Tensor([1.0, 2.1])))
    [ True False]
    """

    rtol: float = 1e-05
    atol: float = 1e-08
    equal_nan: bool = True

    def kernel(self, x: Any, y: Any, *, out: np.ndarray) -> None:
        out[...] = np.isclose(x, y, self.rtol, self.atol, self.equal_nan)


# -- logic ----------------------------------------------------------------------------------------


class LogicalAnd(_Comparison):
    """x and y; numbers count as ``x != 0``.

    >>> print(LogicalAnd()(Tensor([True, True]), Tensor([True, False])))
    [ True False]
    """

    ufunc = np.logical_and


class LogicalOr(_Comparison):
    """x or y; numbers count as ``x != 0``.

    >>> print(LogicalOr()(Tensor([False, True]), Tensor([False, False])))
    [False  True]
    """

    ufunc = np.logical_or


class LogicalXor(_Comparison):
    """Either x or y, not both.

    >>> print(LogicalXor()(Tensor([False, True]), Tensor([True, True])))
    [ True False]
    """

    ufunc = np.logical_xor


class _Test(_Unary):
    """``ufunc(x)`` as bool."""

    reuse = ()

    def infer(self, x: Spec) -> Spec:
        return Spec(super().infer(x).shape, BOOL)


class LogicalNot(_Test):
    """not x; numbers count as ``x != 0``.

    >>> print(LogicalNot()(Tensor([True, False])))
    [False  True]
    """

    ufunc = np.logical_not


class IsNan(_Test):
    """Whether x is not a number.

    >>> print(IsNan()(Tensor([1.0, float("nan")])))
    [False  True]
    """

    ufunc = np.isnan


class IsInf(_Test):
    """Whether x is infinite.

    >>> print(IsInf()(Tensor([1.0, float("-inf")])))
    [False  True]
    """

    ufunc = np.isinf


class IsFinite(_Test):
    """Whether x is neither infinite nor nan.

    >>> print(IsFinite()(Tensor([1.0, float("inf")])))
    [ True False]
    """

    ufunc = np.isfinite


# -- bits -----------------------------------------------------------------------------------------


class _Bits(_Binary):
    """``ufunc(x, y)`` of integers."""

    kinds = "biu"


class BitwiseAnd(_Bits):
    """x & y.

    >>> print(BitwiseAnd()(Tensor([6, 5]), Tensor([3, 4])))
    [2 4]
    """

    ufunc = np.bitwise_and


class BitwiseOr(_Bits):
    """x | y.

    >>> print(BitwiseOr()(Tensor([6, 5]), Tensor([3, 4])))
    [7 5]
    """

    ufunc = np.bitwise_or


class BitwiseXor(_Bits):
    """x ^ y.

    >>> print(BitwiseXor()(Tensor([6, 5]), Tensor([3, 4])))
    [5 1]
    """

    ufunc = np.bitwise_xor


class LeftShift(_Bits):
    """x << y.

    >>> print(LeftShift()(Tensor([1, 3]), Tensor([2, 1])))
    [4 6]
    """

    ufunc = np.left_shift
    kinds = "iu"


class RightShift(_Bits):
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

    >>> print(PopulationCount()(Tensor([0, 5, 255], mstype.int16)))
    [0 2 8]
    """

    layout = LIKE_INPUT

    def infer(self, x: Spec) -> Spec:
        return Spec(a_kind(self.name, x, "iu").shape, np.dtype(np.uint8))

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.bitwise_count(x.view(np.dtype(f"u{x.dtype.itemsize}")), out=out)


__all__ = [
    "ApproximateEqual",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "Equal",
    "Greater",
    "GreaterEqual",
    "Invert",
    "IsClose",
    "IsFinite",
    "IsInf",
    "IsNan",
    "LeftShift",
    "Less",
    "LessEqual",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "LogicalXor",
    "NotEqual",
    "PopulationCount",
    "RightShift",
]
