"""Cumulative sums, products, log-sum-exps and extremes along an axis."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import NUMBER, check_dtype_kind, choose_sum_dtype
from minispore.ops.elementwise.compare import Greater, IsFinite
from minispore.ops.elementwise.powers import Exp
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast, ZerosLike
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import Reshape
from minispore.ops.statistics.argmax import PutAlongAxis
from minispore.ops.statistics.reduce import widen_for_sum
from minispore.ops.support.arguments import (
    ANY_NDIM,
    FLOAT_KINDS,
    ORDERED_KINDS,
    check_axis,
    check_tensors,
    to_static,
)
from minispore.ops.support.spelling import also_spelled


class _Scan(Primitive):
    """Base of scans, which accumulate ``ufunc`` along ``axis``.

    Args:
        exclusive: exclude the element itself, so that results begin with ``initial``.
        reverse: accumulate from the last element to the first.
    """

    exclusive: bool = False
    reverse: bool = False
    ufunc: ClassVar[np.ufunc]
    initial: ClassVar[float]
    kinds: ClassVar[str] = NUMBER

    def check(self) -> None:
        """Raise a TypeError unless ``exclusive`` and ``reverse`` are bools."""
        checks.boolean(self.name, "exclusive", self.exclusive)
        checks.boolean(self.name, "reverse", self.reverse)

    def __call__(self, x: Any, axis: Any) -> Tensor:
        """Return the scan of x along ``axis``, an int or a 0-d tensor."""
        return super().__call__(x, to_static(axis))

    def infer(self, x: Spec, axis: int) -> Spec:
        """Return the spec of x; raise unless its dtype is supported and ``axis`` is one of its
        axes.
        """
        check_axis(self.name, axis, check_dtype_kind(self.name, x, self.kinds, "x").ndim)
        return x

    def kernel(self, x: np.ndarray, axis: int, *, out: np.ndarray) -> None:
        """Accumulate along ``axis``, from the end if ``reverse``.

        With ``exclusive``, the results begin with ``initial`` and lag by one element.
        """
        if not x.shape[axis]:
            return
        if self.reverse:
            x, out = np.flip(x, axis), np.flip(out, axis)
        if self.exclusive:
            skipped = (slice(None),) * (axis % x.ndim)
            out[(*skipped, slice(1))] = self.initial
            x = x[(*skipped, slice(-1))]
            out = out[(*skipped, slice(1, None))]
        if out.size:
            self.accumulate(x, axis, out)

    def accumulate(self, x: np.ndarray, axis: int, out: np.ndarray) -> None:
        """Accumulate x along ``axis`` into ``out``; float16 and bfloat16 accumulate in float32."""
        sum_dtype = choose_sum_dtype(x.dtype)
        if sum_dtype == x.dtype:
            self.ufunc.accumulate(x, axis, out=out)
        else:
            np.copyto(out, self.ufunc.accumulate(x, axis, sum_dtype), casting="same_kind")


class CumSum(_Scan):
    """The cumulative sum along ``axis``.

    >>> print(CumSum()(Tensor([1.0, 2.0, 3.0]), 0), CumSum(True, True)(Tensor([1.0, 2.0, 3.0]), 0))
    [1. 3. 6.] [5. 3. 0.]
    """

    ufunc = np.add
    initial = 0
    kinds = "iufVc"

    def __call__(self, input: Any, axis: Any) -> Tensor:
        return super().__call__(input, axis)

    def vjp(self, x: Tensor, axis: int, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: CumSum(self.exclusive, not self.reverse)(dout, axis),)


class CumProd(_Scan):
    """The cumulative product along ``axis``; the gradient is not finite where x is 0.

    >>> print(CumProd()(Tensor([1.0, 2.0, 3.0]), 0))
    [1. 2. 6.]
    """

    ufunc = np.multiply
    initial = 1

    def vjp(self, x: Tensor, axis: int, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x, whose result is NaN where x is 0."""
        return (lambda: CumSum(self.exclusive, not self.reverse)(out * dout, axis) / x,)


class CumulativeLogsumexp(_Scan):
    """log(cumulative sum of e^x) along ``axis``, without overflow.

    >>> print(CumulativeLogsumexp()(Tensor([0.0, 0.0]), Tensor(0)).asnumpy().round(4))
    [0.     0.6931]
    """

    ufunc = np.logaddexp
    initial = -np.inf
    kinds = FLOAT_KINDS

    def vjp(self, x: Tensor, axis: int, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: self._compute_dx(x, axis % x.ndim, out, dout),)

    def _compute_dx(self, x: Tensor, axis: int, out: Tensor, dout: Tensor) -> Tensor:
        """Return the gradient of x: the sum over all j >= i of dout_j e^(x_i - out_j).

        The sum is e^(x_i - out_i) r_i with r_i = dout_i + e^(out_i - out_(i+1)) r_(i+1), in which
        no power of e exceeds 1. With ``exclusive`` the sum begins at i + 1; with ``reverse`` it is
        over j <= i.
        """
        shifts_back = self.reverse
        finite = IsFinite()(out)
        decay = Select()(finite, out - _shift_along_axis(out, axis, shifts_back, np.inf), -np.inf)
        r = WeightedScan(axis, not self.reverse)(dout, Exp()(decay))
        if self.exclusive:
            r = _shift_along_axis(r, axis, shifts_back, 0.0)
            out = _shift_along_axis(out, axis, shifts_back, np.inf)
            finite = Greater()(out, -np.inf)
        return Exp()(Select()(finite, x - out, -np.inf)) * r


class WeightedScan(Primitive):
    """y_i = x_i + factor_i * y_(i-1) along ``axis``; with ``reverse``, y_i depends on y_(i+1).

    >>> print(WeightedScan(0)(Tensor([1.0, 2.0, 3.0]), Tensor([9.0, 0.5, 2.0])))
    [1.  2.5 8. ]
    """

    axis: int
    reverse: bool = False

    def infer(self, x: Spec, factor: Spec) -> Spec:
        """Return the spec of x; raise TypeError unless it is a float tensor, ValueError unless
        factor has its spec.
        """
        check_axis(self.name, self.axis, check_dtype_kind(self.name, x, FLOAT_KINDS, "x").ndim)
        if factor != x:
            raise ValueError(f"{self.name}: factor must be like x, {x}, got {factor}.")
        return x

    def kernel(self, x: np.ndarray, factor: np.ndarray, *, out: np.ndarray) -> None:
        """Compute element by element along ``axis``, from the end if ``reverse``."""
        x, factor, y = (np.moveaxis(a, self.axis, 0) for a in (x, factor, out))
        if self.reverse:
            x, factor, y = x[::-1], factor[::-1], y[::-1]
        y[:1] = x[:1]
        for i in range(1, len(y)):
            np.multiply(factor[i], y[i - 1], out=y[i, ...])
            y[i] += x[i]

    def vjp(self, x: Tensor, factor: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient functions of x and factor; both use one scan in the opposite
        direction, recorded at once.
        """
        is_reversed, is_forward = self.reverse, not self.reverse
        adjoint = WeightedScan(self.axis, is_forward)
        dx = adjoint(dout, _shift_along_axis(factor, self.axis, is_reversed, 0.0))
        return lambda: dx, lambda: dx * _shift_along_axis(out, self.axis, is_forward, 0.0)


def _shift_along_axis(x: Tensor, axis: int, to_back: bool, fill: float) -> Tensor:
    """Return x shifted by one position to the front (with ``to_back``, to the back), with ``fill``
    in the gap.
    """
    remaining = x[(*(slice(None),) * axis, slice(None, -1) if to_back else slice(1, None))]
    edge = ZerosLike()(x[(*(slice(None),) * axis, slice(None, 1))]) + fill
    return Concat(axis)([edge, remaining] if to_back else [remaining, edge])


class Cummax(Primitive):
    """The cumulative maximum along ``axis`` and its index (int64); of ties, the last.

    >>> value, index = Cummax(0)(Tensor([1.0, 5.0, 2.0]))
    >>> print(value, index)
    [1. 5. 5.] [0 1 1]
    """

    vjp_rule = VjpRule(partial=True)
    axis: int
    index_dtype: ClassVar[np.dtype] = np.dtype(np.int64)
    ufunc: ClassVar[np.ufunc] = np.maximum

    def check(self) -> None:
        """Raise a TypeError unless ``axis`` is an int."""
        check_axis(self.name, self.axis, ANY_NDIM)

    def infer(self, x: Spec) -> tuple[Spec, Spec]:
        """Return the specs of values and indices, both of the shape of x."""
        check_axis(self.name, self.axis, check_dtype_kind(self.name, x, ORDERED_KINDS, "x").ndim)
        return x, Spec(x.shape, self.index_dtype)

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        """Accumulate the extremes, and the last position at which x equals the current extreme."""
        value, index = out
        self.ufunc.accumulate(x, self.axis, out=value)
        shape = [1] * x.ndim
        shape[self.axis] = -1
        positions = np.arange(x.shape[self.axis], dtype=index.dtype).reshape(shape)
        is_extreme = np.equal(x, value)
        if x.dtype.kind == "f":
            is_extreme |= np.isnan(x)
        np.maximum.accumulate(np.where(is_extreme, positions, 0), self.axis, out=index)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient function, which adds each value's cotangent at its index; the index
        has no gradient.
        """
        if dout[0] is None:
            return (None,)
        axis = self.axis % x.ndim
        return (lambda: PutAlongAxis(axis, x.shape[axis])(dout[0], out[1]),)


class Cummin(Cummax):
    """The cumulative minimum along ``axis`` and its index (int32); of ties, the last.

    >>> value, index = Cummin(0)(Tensor([3.0, 5.0, 2.0]))
    >>> print(value, index)
    [3. 3. 2.] [0 0 2]
    """

    index_dtype = np.dtype(np.int32)
    ufunc = np.minimum


# -- functions -------------------------------------------------------------------------------------


@also_spelled(dim="axis")
def cumsum(x: Tensor, axis: int, dtype: Any = None) -> Tensor:
    """Return the cumulative sum of ``x``, cast to ``dtype`` first, along ``axis``.

    >>> print(cumsum(Tensor([[1, 2], [3, 4]]), 1))
    [[1 3]
     [3 7]]
    """
    return CumSum()(x if dtype is None else x.astype(dtype), axis)


@method("cumsum")
@also_spelled(dim="axis")
def _cumsum(self: Tensor, axis: int | None = None, dtype: Any = None) -> Tensor:
    """Return the cumulative sums along ``axis``, or of the flattened tensor, cast to ``dtype``.

    Bools, int8, int16 and uint8 are summed as int32, and stay int32 if ``dtype`` is None or
    their own dtype.
    """
    x = self if axis is not None else Reshape()(self, (-1,))
    sums = cumsum(x, 0 if axis is None else axis, choose_scan_dtype(x))
    # Small integers keep the wider dtype of the sum if their own dtype is requested.
    return sums if dtype in (None, self.dtype) else Cast()(sums, dtype)


def choose_scan_dtype(x: Tensor) -> Any:
    """Return the dtype in which to sum: int32 for bools, int8, int16 and uint8, None for
    others, which keep theirs.
    """
    is_small = x.dtype in (mstype.bool_, mstype.int8, mstype.int16, mstype.uint8)
    return mstype.int32 if is_small else None


@method("cumprod")
@also_spelled(axis="dim")
def cumprod(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Return the cumulative product of ``input``, cast to ``dtype`` first, along ``dim``.

    By default bools, uint8, int8, int16 and int32 are multiplied as int64. The gradient is not
    finite where ``input`` is 0.
    """
    check_tensors("cumprod", input=input)
    return CumProd()(widen_for_sum(input, dtype), dim)


@method("cummax")
def cummax(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Return the cumulative maximum along ``axis`` and its index (int64); of ties, the last."""
    return Cummax(axis)(input)


@method("cummin")
def cummin(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Return the cumulative minimum along ``axis`` and its index (int32); of ties, the last."""
    return Cummin(axis)(input)


@method("logcumsumexp")
def logcumsumexp(input: Tensor, axis: int) -> Tensor:
    """Return log(cumulative sum of e^input) along ``axis``, without overflow; raise TypeError
    unless it is a float tensor.
    """
    return CumulativeLogsumexp()(input, axis)


__all__ = [
    "CumProd",
    "CumSum",
    "Cummax",
    "Cummin",
    "CumulativeLogsumexp",
    "WeightedScan",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "logcumsumexp",
]
