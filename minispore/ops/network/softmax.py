"""Softmax and its logarithm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents, Primitive
from minispore.core.tensor import Tensor, method
from minispore.execution.layout import LIKE_INPUT
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.elementwise.compare import Equal, IsFinite
from minispore.ops.elementwise.powers import Exp, Log
from minispore.ops.elementwise.rounding import Neg
from minispore.ops.index.select import Select
from minispore.ops.random.draws import UniformReal
from minispore.ops.shape.cast_fill import Cast, StopGradient
from minispore.ops.shape.views import Squeeze
from minispore.ops.statistics.reduce import ReduceMax, ReduceSum
from minispore.ops.support.arguments import (
    ANY_NDIM,
    FLOAT_KINDS,
    check_axes,
    check_axis,
    check_dtype,
    check_tensors,
)
from minispore.ops.support.derive import _Composite
from minispore.ops.support.spelling import also_spelled
from minispore.ops.support.sums import compute_row_dots, subtract_per_row, sum_along_axes

_LONG_ROW = (
    64  # row length from which checking the sum's range is cheaper than subtracting the maximum
)
# Range of sums of exponentials without loss of precision; the limit of float32 is 1e38.
_MIN_SAFE_SUM, _MAX_SAFE_SUM = 1e-19, 1e19


def _subtract_row_maxima(x: np.ndarray, axes: tuple[int, ...], out: np.ndarray) -> np.ndarray:
    """Write each row along ``axes`` minus its maximum to ``out`` and return it; exponentials are
    then at most 1.
    """
    maxima = np.maximum.reduce(x, axes, keepdims=True, initial=-np.inf)
    return subtract_per_row(x, maxima, axes, out)


def _compute_exp_and_row_sums(x: np.ndarray, axes: tuple[int, ...], out: np.ndarray) -> np.ndarray:
    """Write e^x, or e^(x - maximum), to ``out``, which must not be x, and return the sums along
    ``axes``.

    Long rows are shifted by their maximum only if their sum is out of range, since finding a
    maximum takes as long as everything else. The result of a row does not depend on other rows. The
    sums keep ``axes`` with length 1.
    """
    if x.size < _LONG_ROW * math.prod([n for i, n in enumerate(x.shape) if i not in axes]):
        return sum_along_axes(np.exp(_subtract_row_maxima(x, axes, out), out=out), axes)
    total = sum_along_axes(np.exp(x, out=out), axes)
    if total.size and not (total.min() >= _MIN_SAFE_SUM and total.max() <= _MAX_SAFE_SUM):
        maxima = np.maximum.reduce(x, axes, keepdims=True, initial=-np.inf)
        np.copyto(maxima, 0, where=(total >= _MIN_SAFE_SUM) & (total <= _MAX_SAFE_SUM))
        total = sum_along_axes(np.exp(np.subtract(x, maxima, out=out), out=out), axes)
    return total


class _Softmax(Primitive):
    """Base of ops that normalize exponentials along an axis."""

    arithmetic = Arithmetic.TRANSCENDENTAL
    layout = LIKE_INPUT

    def infer(self, x: Spec) -> Spec:
        """Return the spec of x; raise unless it is float, has an axis, and ``axis`` exists."""
        check_dtype_kind(self.name, x, FLOAT_KINDS)
        if not x.ndim:
            raise ValueError(f"{self.name}: input must have at least one axis, got {x}.")
        self.get_axes(x.ndim)
        return x

    def get_axes(self, ndim: int) -> tuple[int, ...]:
        """Return the attribute ``axis`` as a tuple of non-negative ints.

        Raises:
            ValueError: an axis is out of range.
        """
        return check_axes(self.name, self.axis, ndim)  # type: ignore[attr-defined]

    def rowwise(self, x: np.ndarray, *, out: np.ndarray) -> tuple[int, int] | None:
        return None if 0 in self.get_axes(x.ndim) else (0, 0)


class Softmax(_Softmax):
    """e^x / sum(e^x) along ``axis`` (an int, or a tuple of them).

    >>> print(Softmax()(Tensor([0.0, 0.0])))
    [0.5 0.5]
    """

    axis: int | tuple[int, ...] = -1

    def check(self) -> None:
        check_axes(self.name, self.axis, ANY_NDIM)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.true_divide(out, _compute_exp_and_row_sums(x, self.get_axes(x.ndim), out), out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: SoftmaxGrad(self.get_axes(x.ndim))(out, dout),)


class ShiftedSoftmax(Softmax):
    """Softmax whose inputs are always shifted by their maximum, for the gradient of
    :class:`LogSoftmax`.

    >>> print(ShiftedSoftmax()(Tensor([0.0, 0.0])))
    [0.5 0.5]
    """

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        axes = self.get_axes(x.ndim)
        np.exp(_subtract_row_maxima(x, axes, out), out=out)
        np.true_divide(out, sum_along_axes(out, axes), out=out)


class SoftmaxGrad(Primitive):
    """y * (dy - sum(dy * y)) along ``axis``.

    >>> print(SoftmaxGrad((0,))(Tensor([0.5, 0.5]), Tensor([1.0, 0.0])))
    [ 0.25 -0.25]
    """

    layout = LIKE_INPUT
    reuse = (1,)
    axis: tuple[int, ...]

    def infer(self, y: Spec, dy: Spec) -> Spec:
        """Return the spec of y; raise unless it is float and dy has its shape and dtype."""
        if check_dtype_kind(self.name, y, FLOAT_KINDS, "y") != dy:
            raise ValueError(f"SoftmaxGrad: dy must be like y, got {dy} and {y}.")
        return y

    def rowwise(self, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray) -> tuple[int, ...] | None:
        return None if 0 in self.axis else (0, 0, 0)

    def kernel(self, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray) -> None:
        subtract_per_row(dy, compute_row_dots(y, dy, self.axis), self.axis, out)
        np.multiply(out, y, out=out)

    def vjp(self, y: Tensor, dy: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_y_grad() -> Tensor:
            total = _sum_keep_dims(dy * y, self.axis)
            return dout * (dy - total) - dy * _sum_keep_dims(dout * y, self.axis)

        return compute_y_grad, lambda: SoftmaxGrad(self.axis)(y, dout)


def _sum_keep_dims(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Return the sum over ``axes``, which keep length 1."""
    return ReduceSum(keep_dims=True)(x, axes)


class LogSoftmax(_Softmax):
    """log(softmax(x)) along ``axis``.

    >>> print(LogSoftmax()(Tensor([0.0, 0.0])))
    [-0.6931472 -0.6931472]
    """

    reuse = (0,)
    axis: int = -1

    def check(self) -> None:
        check_axis(self.name, self.axis, ANY_NDIM)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        axes = self.get_axes(x.ndim)
        total = sum_along_axes(np.exp(_subtract_row_maxima(x, axes, out)), axes)
        subtract_per_row(out, np.log(total, out=total), axes, out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_x_grad() -> Tensor:  # a graph fuses this softmax with the forward op
            return dout - ShiftedSoftmax(self.axis)(x) * _sum_keep_dims(dout, self.get_axes(x.ndim))

        return (compute_x_grad,)


class SoftmaxAndLog(_Softmax):
    """:class:`ShiftedSoftmax` and :class:`LogSoftmax` of x along ``axis``, as two outputs.

    The compiler fuses these two ops into this one.

    >>> y, log = SoftmaxAndLog((0,))(Tensor([0.0, 0.0]))
    >>> print(y, log)
    [0.5 0.5] [-0.6931472 -0.6931472]
    """

    reuse = (0,)
    axis: tuple[int, ...]

    def infer(self, x: Spec) -> tuple[Spec, Spec]:  # type: ignore[override]
        spec = super().infer(x)
        return spec, spec

    def rowwise(self, x: np.ndarray, *, out: Any) -> tuple[int, int, int] | None:  # type: ignore[override]
        return None if 0 in self.axis else (0, 0, 0)

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]) -> None:
        y, log = out
        total = sum_along_axes(np.exp(_subtract_row_maxima(x, self.axis, log), out=y), self.axis)
        np.true_divide(y, total, out=y)
        subtract_per_row(log, np.log(total, out=total), self.axis, log)


class LogSoftmaxGrad(Primitive):
    """dy - e^y * sum(dy) along ``axis``.

    >>> print(LogSoftmaxGrad(0)(Tensor([0.0, 0.0]), Tensor([1.0, 0.0])))
    [ 0. -1.]
    """

    layout = LIKE_INPUT
    reuse = (0,)
    axis: int

    def infer(self, y: Spec, dy: Spec) -> Spec:
        """Return the spec of y; raise unless it is float and dy has its shape and dtype."""
        if check_dtype_kind(self.name, y, FLOAT_KINDS, "y") != dy:
            raise ValueError(f"LogSoftmaxGrad: dy must be like y, got {dy} and {y}.")
        return y

    def rowwise(self, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray) -> tuple[int, ...] | None:
        return None if self.axis == 0 else (0, 0, 0)

    def kernel(self, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray) -> None:
        np.exp(y, out=out)
        np.multiply(out, sum_along_axes(dy, (self.axis,)), out=out)
        np.subtract(dy, out, out=out)

    def vjp(self, y: Tensor, dy: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_dy_grad() -> Tensor:
            return dout - _sum_keep_dims(dout * Exp()(y), (self.axis,))

        return lambda: -dout * Exp()(y) * _sum_keep_dims(dy, (self.axis,)), compute_dy_grad


class LogSoftmaxExt(_Composite):
    """:class:`LogSoftmax` of x (as ``dtype``) along ``dim``.

    By default, ``dim`` is 0 if x has 0, 1 or 3 axes, else 1.

    >>> print(LogSoftmaxExt()(Tensor([0.0, 0.0])))
    [-0.6931472 -0.6931472]
    """

    def __call__(self, input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
        x = input if dtype is None else Cast()(input, dtype)
        if dim is None:
            dim = 0 if x.ndim in (0, 1, 3) else 1
        return LogSoftmax(dim)(x)


# -- functions -------------------------------------------------------------------------------------


@also_spelled(dim="axis")
def softmax(input: Tensor, axis: Any = -1, *, dtype: Any = None) -> Tensor:
    """Apply :class:`Softmax` to ``input`` (cast to ``dtype`` unless None) along ``axis``, an int or
    a tuple.
    """
    return Softmax(axis)(input if dtype is None else Cast()(input, dtype))


@method("softmax")
@also_spelled(dim="axis")
def _softmax_method(self: Tensor, axis: Any = -1, dtype: Any = None) -> Tensor:
    """Apply :class:`Softmax` to the tensor (cast to ``dtype`` unless None) along ``axis``."""
    return softmax(self, axis, dtype=dtype)


def softmin(x: Tensor, axis: Any = -1, *, dtype: Any = None) -> Tensor:
    """Return softmax(-x) along ``axis``, with x cast to ``dtype`` unless None."""
    return Softmax(axis)(Neg()(x if dtype is None else Cast()(x, dtype)))


@method("log_softmax")
@also_spelled(dim="axis")
def log_softmax(logits: Tensor, axis: int = -1) -> Tensor:
    """Return log(softmax(logits)) along ``axis``, computed without overflow."""
    return LogSoftmax(axis)(logits)


@method("logsumexp")
@also_spelled(axis="dim", keep_dims="keepdim", keepdims="keepdim")
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """Return log(sum(e^input)) along ``dim`` (an int or a tuple; () means all axes), without
    overflow.

    ``keepdim`` keeps these axes with length 1.

    >>> print(logsumexp(Tensor([1000.0, 1000.0]), 0).asnumpy().round(3))
    1000.693
    """
    check_tensors("logsumexp", input=input)
    maxima: Any = 0.0  # an empty input has no maximum; the logarithm of its sum is -inf
    if input.size:
        maxima = StopGradient()(ReduceMax(keep_dims=True)(input, dim))
        maxima = Select()(IsFinite()(maxima), maxima, 0.0)  # a row of -inf stays -inf, not nan
    total = Log()(ReduceSum(keep_dims=True)(Exp()(input - maxima), dim)) + maxima
    if keepdim:
        return total
    return Squeeze(() if dim == () else dim)(total)


@also_spelled(axis="dim")
def gumbel_softmax(logits: Tensor, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Tensor:
    """Return softmax((logits + g) / tau) with g drawn from a Gumbel distribution by the global
    stream.

    Args:
        logits: unnormalised log-probabilities.
        tau: temperature, > 0.
        hard: return one-hot rows, with the gradient of the soft rows.
        dim: the axis to normalise along.

    Source: Jang et al., https://arxiv.org/abs/1611.01144

    Raises:
        TypeError: ``logits`` is neither float16 nor float32.
        ValueError: tau <= 0.
    """
    check_dtype("gumbel_softmax", logits, "logits", "float16", "float32")
    if not tau > 0:
        raise ValueError(f"gumbel_softmax: tau must be > 0, got {tau}.")
    uniform = Cast()(UniformReal()(logits.shape), logits.dtype)
    tiny = 1e-20 if logits.dtype.name != "float16" else 1e-7
    noise = -Log()(-Log()(uniform + tiny) + tiny)
    soft = Softmax(dim)((logits + noise) / tau)
    if not hard:
        return soft
    maxima = ReduceMax(keep_dims=True)(soft, dim)
    one_hot = Cast()(Equal()(soft, maxima), soft.dtype)
    return StopGradient()(one_hot - soft) + soft


__all__ = [
    "LogSoftmax",
    "LogSoftmaxExt",
    "Softmax",
    "SoftmaxGrad",
    "gumbel_softmax",
    "log_softmax",
    "logsumexp",
    "softmax",
    "softmin",
]
