"""Activations: relu and its relatives, the sigmoids, gelu, and softmax."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Primitive
from minispore.core.registry import registry
from minispore.core.tensor import Tensor, call
from minispore.core.value import Spec
from minispore.ops.axes import many_axes, one_axis
from minispore.ops.elementwise import REAL, _Unary, a_kind

_INFINITY = math.inf


class _Activation(_Unary):
    """An elementwise function of floats."""

    kinds = "fV"


class _Slope(Primitive):
    """A gradient kernel of two arrays of one shape and dtype, elementwise."""

    internal = True
    layout = LIKE_INPUT

    def infer(self, a: Spec, b: Spec) -> Spec:
        a_kind(self.name, a, REAL, "the first input")
        if a != b:
            raise ValueError(f"{self.name}: inputs must have one shape and dtype, got {a} and {b}.")
        return a


# -- piecewise linear -----------------------------------------------------------------------------


class ReLU(_Unary):
    """max(x, 0). The slope at 0 is 0.

    >>> print(ReLU()(Tensor([-1.0, 2.0])))
    [0. 2.]
    """

    kinds = REAL

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        if x.dtype.kind == "f":
            np.clip(x, 0.0, _INFINITY, out=out)  # three times as fast as np.maximum(x, 0)
        else:
            np.maximum(x, 0, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: ReluGrad()(dout, out),)


class ReluGrad(_Slope):
    """dy where y > 0, else 0; y is relu's output (or input).

    >>> print(ReluGrad()(Tensor([5.0, 5.0]), Tensor([0.0, 2.0])))
    [0. 5.]
    """

    reuse = (1,)

    def kernel(self, dy: np.ndarray, y: np.ndarray, *, out: np.ndarray) -> None:
        np.greater(y, 0, out=out)  # 0.0 or 1.0, so no mask has to be allocated
        np.multiply(out, dy, out=out)

    def vjp(self, dy: Tensor, y: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: ReluGrad()(dout, y),)


class ReLU6(_Unary):
    """min(max(x, 0), 6).

    >>> print(ReLU6()(Tensor([-1.0, 2.0, 9.0])))
    [0. 2. 6.]
    """

    kinds = "iufV"

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.clip(x, 0, 6, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: Relu6Grad()(dout, out),)


class Relu6Grad(_Slope):
    """dy where 0 < y < 6, else 0.

    >>> print(Relu6Grad()(Tensor([5.0, 5.0, 5.0]), Tensor([0.0, 2.0, 6.0])))
    [0. 5. 0.]
    """

    def kernel(self, dy: np.ndarray, y: np.ndarray, *, out: np.ndarray) -> None:
        inside = np.greater(y, 0)
        inside &= np.less(y, 6)
        np.multiply(dy, inside, out=out)

    def vjp(self, dy: Tensor, y: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: Relu6Grad()(dout, y),)


# -- sigmoids -------------------------------------------------------------------------------------


class Sigmoid(_Activation):
    """1 / (1 + e^-x).

    >>> print(Sigmoid()(Tensor([0.0, 2.0])).asnumpy().round(4))
    [0.5    0.8808]
    """

    kinds = "fVc"

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.negative(x, out=out)
        np.exp(out, out=out)
        np.add(out, 1, out=out)
        np.reciprocal(out, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: SigmoidGrad()(out, dout),)


class SigmoidGrad(_Slope):
    """dy * y * (1 - y).

    >>> print(SigmoidGrad()(Tensor([0.5]), Tensor([4.0])))
    [1.]
    """

    reuse = (0,)

    def kernel(self, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray) -> None:
        rest = np.subtract(1, y)
        np.multiply(y, rest, out=out)
        np.multiply(out, dy, out=out)

    def vjp(self, y: Tensor, dy: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return lambda: dout * dy * (1 - y * 2), lambda: SigmoidGrad()(y, dout)


class Tanh(_Activation):
    """The hyperbolic tangent of x.

    >>> print(Tanh()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [0.     0.7616]
    """

    ufunc = np.tanh
    kinds = "fVc"

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: TanhGrad()(out, dout),)


class TanhGrad(_Slope):
    """dy * (1 - y^2).

    >>> print(TanhGrad()(Tensor([0.5]), Tensor([4.0])))
    [3.]
    """

    reuse = (0,)

    def kernel(self, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray) -> None:
        np.multiply(y, y, out=out)
        np.subtract(1, out, out=out)
        np.multiply(out, dy, out=out)

    def vjp(self, y: Tensor, dy: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return lambda: dout * dy * y * -2, lambda: TanhGrad()(y, dout)


class SiLU(_Activation):
    """x * sigmoid(x).

    >>> print(SiLU()(Tensor([0.0, 2.0])).asnumpy().round(4))
    [0.     1.7616]
    """

    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.negative(x, out=out)
        np.exp(out, out=out)
        np.add(out, 1, out=out)
        np.true_divide(x, out, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        def slope() -> Tensor:
            s = Sigmoid()(x)
            return dout * s * (x * (1 - s) + 1)

        return (slope,)


# -- gelu -----------------------------------------------------------------------------------------

_SQRT_2_OVER_PI = math.sqrt(2 / math.pi)
_CUBIC = 0.044715  # Hendrycks & Gimpel, https://arxiv.org/abs/1606.08415


class GeLU(_Activation):
    """x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).

    >>> print(GeLU()(Tensor([-1.0, 0.5, 2.0])).asnumpy().round(4))
    [-0.1588  0.3457  1.9546]
    """

    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.multiply(x, x, out=out)
        np.multiply(out, _SQRT_2_OVER_PI * _CUBIC, out=out)
        np.add(out, _SQRT_2_OVER_PI, out=out)
        np.multiply(out, x, out=out)
        np.tanh(out, out=out)
        np.add(out, 1, out=out)
        np.multiply(out, x, out=out)
        np.multiply(out, 0.5, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        def slope() -> Tensor:
            square = x * x
            t = Tanh()((square * (_SQRT_2_OVER_PI * _CUBIC) + _SQRT_2_OVER_PI) * x)
            inner = square * (3 * _SQRT_2_OVER_PI * _CUBIC) + _SQRT_2_OVER_PI
            return dout * ((t + 1) * 0.5 + x * (1 - t * t) * inner * 0.5)

        return (slope,)


# -- softmax --------------------------------------------------------------------------------------


class _Softmax(Primitive):
    """Normalises along an axis."""

    layout = LIKE_INPUT
    reuse = (0,)

    def infer(self, x: Spec) -> Spec:
        a_kind(self.name, x, "fV")
        if not x.ndim:
            raise ValueError(f"{self.name}: input must have at least one axis, got {x}.")
        self.axes_of(x.ndim)
        return x

    def axes_of(self, ndim: int) -> tuple[int, ...]:
        return many_axes(self.name, self.axis, ndim)  # type: ignore[attr-defined]


class Softmax(_Softmax):
    """e^x / sum(e^x) along ``axis`` (an int, or a tuple of them).

    >>> print(Softmax()(Tensor([0.0, 0.0])))
    [0.5 0.5]
    """

    axis: int | tuple[int, ...] = -1

    def check(self) -> None:
        many_axes(self.name, self.axis, 1 << 30)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        axes = self.axes_of(x.ndim)
        np.subtract(x, np.maximum.reduce(x, axes, keepdims=True), out=out)
        np.exp(out, out=out)
        np.true_divide(out, np.add.reduce(out, axes, keepdims=True), out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: SoftmaxGrad(self.axes_of(x.ndim))(out, dout),)


class SoftmaxGrad(Primitive):
    """y * (dy - sum(dy * y)) along ``axis``.

    >>> print(SoftmaxGrad((0,))(Tensor([0.5, 0.5]), Tensor([1.0, 0.0])))
    [ 0.25 -0.25]
    """

    internal = True
    layout = LIKE_INPUT
    reuse = (1,)
    axis: tuple[int, ...]

    def infer(self, y: Spec, dy: Spec) -> Spec:
        if a_kind(self.name, y, "fV", "y") != dy:
            raise ValueError(f"SoftmaxGrad: dy must be like y, got {dy} and {y}.")
        return y

    def kernel(self, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray) -> None:
        total = np.add.reduce(np.multiply(y, dy), self.axis, keepdims=True)
        np.subtract(dy, total, out=out)
        np.multiply(out, y, out=out)

    def vjp(self, y: Tensor, dy: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        def by_y() -> Tensor:
            total = _sum(dy * y, self.axis)
            return dout * (dy - total) - dy * _sum(dout * y, self.axis)

        return by_y, lambda: SoftmaxGrad(self.axis)(y, dout)


def _sum(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    return registry["ReduceSum"](True)(x, axes)


class LogSoftmax(_Softmax):
    """log(softmax(x)) along ``axis``.

    >>> print(LogSoftmax()(Tensor([0.0, 0.0])))
    [-0.6931472 -0.6931472]
    """

    axis: int = -1

    def check(self) -> None:
        one_axis(self.name, self.axis, 1 << 30)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.subtract(x, np.maximum.reduce(x, self.axis, keepdims=True), out=out)
        total = np.add.reduce(np.exp(out), self.axis, keepdims=True)
        np.subtract(out, np.log(total, out=total), out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout - call("Exp", out) * _sum(dout, (self.axis % x.ndim,)),)


__all__ = [
    "GeLU",
    "LogSoftmax",
    "ReLU",
    "ReLU6",
    "Relu6Grad",
    "ReluGrad",
    "SiLU",
    "Sigmoid",
    "SigmoidGrad",
    "Softmax",
    "SoftmaxGrad",
    "Tanh",
    "TanhGrad",
]
