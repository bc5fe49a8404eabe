"""Smooth activations: sigmoid, tanh and what is made of them, gelu, the exponential ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.registry import registry
from minispore.core.tensor import Tensor, call, method
from minispore.ops.elementwise.piecewise_activations import _Activation, _Slope
from minispore.ops.support.axes import one_axis
from minispore.ops.support.derive import _Composite
from minispore.ops.support.spelling import also_spelled


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


def _softplus(x: np.ndarray, out: np.ndarray) -> None:
    """log(1 + e^x) = max(x, 0) + log(1 + e^-|x|): nine times as fast as np.logaddexp."""
    np.abs(x, out=out)
    np.negative(out, out=out)
    np.exp(out, out=out)
    np.log1p(out, out=out)
    np.add(out, np.maximum(x, 0), out=out)


class Softplus(_Activation):
    """log(1 + e^x).

    >>> print(Softplus()(Tensor([0.0, 100.0])).asnumpy().round(4))
    [  0.6931 100.    ]
    """

    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        _softplus(x, out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout * Sigmoid()(x),)


class Mish(_Activation):
    """x * tanh(softplus(x)).

    Source: Misra, https://arxiv.org/abs/1908.08681

    >>> print(Mish()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [0.     0.8651]
    """

    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        _softplus(x, out)
        np.tanh(out, out=out)
        np.multiply(out, x, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        def slope() -> Tensor:
            t = Tanh()(Softplus()(x))
            return dout * (t + x * (1 - t * t) * Sigmoid()(x))

        return (slope,)


class Softsign(_Activation):
    r"""x / (1 + |x|).

    >>> print(Softsign()(Tensor([-1.0, 0.0, 3.0])))
    [-0.5   0.    0.75]
    """

    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.abs(x, out=out)
        np.add(out, 1, out=out)
        np.true_divide(x, out, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: dout / call("Square", call("Abs", x) + 1),)


# -- gelu ------------------------------------------------------------------------------------------

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


class FastGeLU(_Activation):
    """x * sigmoid(1.702 x).

    >>> print(FastGeLU()(Tensor([-1.0, 2.0])).asnumpy().round(4))
    [-0.1542  1.9357]
    """

    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.multiply(x, -_FAST, out=out)
        np.exp(out, out=out)
        np.add(out, 1, out=out)
        np.true_divide(x, out, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        def slope() -> Tensor:
            s = Sigmoid()(x * _FAST)
            return dout * s * (x * (1 - s) * _FAST + 1)

        return (slope,)


_FAST = 1.702  # Hendrycks & Gimpel, section 2


# -- exponential units -----------------------------------------------------------------------------


class Elu(_Activation):
    """x where x > 0, else alpha * (e^x - 1).

    Source: Clevert et al., https://arxiv.org/abs/1511.07289

    >>> print(Elu()(Tensor([-1.0, 2.0])).asnumpy().round(4))
    [-0.6321  2.    ]
    """

    alpha: float = 1.0
    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.minimum(x, 0, out=out)
        np.expm1(out, out=out)
        np.multiply(out, self.alpha, out=out)
        np.copyto(out, x, where=np.greater(x, 0))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        def slope() -> Tensor:
            below = call("Exp", call("Minimum", x, 0)) * self.alpha
            return dout * call("Select", call("Greater", x, 0), 1.0, below)

        return (slope,)


class CeLU(_Activation):
    """x where x > 0, else alpha * (e^(x / alpha) - 1).

    Source: Barron, https://arxiv.org/abs/1704.07483

    >>> print(CeLU()(Tensor([-1.0, 2.0])).asnumpy().round(4))
    [-0.6321  2.    ]
    """

    alpha: float = 1.0
    reuse = ()

    def check(self) -> None:
        if self.alpha == 0:
            raise ValueError("CeLU: alpha must not be 0.")

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.minimum(x, 0, out=out)
        np.true_divide(out, self.alpha, out=out)
        np.expm1(out, out=out)
        np.multiply(out, self.alpha, out=out)
        np.copyto(out, x, where=np.greater(x, 0))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        def slope() -> Tensor:
            below = call("Exp", call("Minimum", x, 0) / self.alpha)
            return dout * call("Select", call("Greater", x, 0), 1.0, below)

        return (slope,)


_SELU_SCALE = 1.0507009873554804934193349852946  # Klambauer et al., appendix A.1
_SELU_ALPHA = 1.6732632423543772848170429916717


class SeLU(_Activation):
    """1.0507 * (x where x > 0, else 1.6733 * (e^x - 1)): keeps mean 0 and variance 1.

    Source: Klambauer et al., https://arxiv.org/abs/1706.02515

    >>> print(SeLU()(Tensor([-1.0, 2.0])).asnumpy().round(4))
    [-1.1113  2.1014]
    """

    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.minimum(x, 0, out=out)
        np.expm1(out, out=out)
        np.multiply(out, _SELU_ALPHA, out=out)
        np.copyto(out, x, where=np.greater(x, 0))
        np.multiply(out, _SELU_SCALE, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        def slope() -> Tensor:
            below = call("Exp", call("Minimum", x, 0)) * (_SELU_SCALE * _SELU_ALPHA)
            return dout * call("Select", call("Greater", x, 0), _SELU_SCALE, below)

        return (slope,)


class GLU(_Composite):
    """The first half of x along ``axis`` times the sigmoid of the second.

    Source: Dauphin et al., https://arxiv.org/abs/1612.08083

    >>> print(GLU()(Tensor([2.0, 0.0])))
    [1.]
    """

    axis: int = -1

    def check(self) -> None:
        one_axis(self.name, self.axis, 1 << 30)

    def __call__(self, x: Tensor) -> Tensor:
        first, second = halves(self.name, x, self.axis)
        return call("Mul", first, call("Sigmoid", second))


# -- functions -------------------------------------------------------------------------------------


@method("sigmoid")
def sigmoid(input: Tensor) -> Tensor:
    """:class:`Sigmoid` of ``input``."""
    return call("Sigmoid", input)


@method("tanh")
def tanh(input: Tensor) -> Tensor:
    """:class:`Tanh` of ``input``."""
    return call("Tanh", input)


@method("silu")
def silu(input: Tensor) -> Tensor:
    """:class:`SiLU` of ``input``."""
    return call("SiLU", input)


def mish(x: Tensor) -> Tensor:
    """:class:`Mish` of ``x``."""
    return call("Mish", x)


def softsign(x: Tensor) -> Tensor:
    """:class:`Softsign` of ``x``."""
    return call("Softsign", x)


def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input)."""
    return call("Sub", input, call("Tanh", input))


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """log(1 + e^(beta * input)) / beta, and input itself where beta * input > threshold."""
    if beta == 1:
        smooth = call("Softplus", input)
    else:
        smooth = call("Softplus", call("Mul", input, beta)) / beta
    return call("Select", call("Greater", call("Mul", input, beta), threshold), input, smooth)


def logsigmoid(x: Tensor) -> Tensor:
    """log(sigmoid(x)), without overflow.

    >>> print(logsigmoid(Tensor([0.0, -100.0])).asnumpy().round(4))
    [  -0.6931 -100.    ]
    """
    return call("Neg", call("Softplus", call("Neg", x)))


@method("gelu")
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """input * P(a normal variable < input).

    Args:
        input: floats.
        approximate: "none", or "tanh" for :class:`GeLU`.

    >>> print(gelu(Tensor([-1.0, 2.0])).asnumpy().round(4))
    [-0.1587  1.9545]
    """
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu: approximate must be 'none' or 'tanh', got {approximate!r}.")
    if approximate == "tanh":
        return call("GeLU", input)
    return call("Mul", input, call("Erf", input * math.sqrt(0.5)) * 0.5 + 0.5)


def fast_gelu(x: Tensor) -> Tensor:
    """:class:`FastGeLU` of ``x``."""
    return call("FastGeLU", x)


def elu(input_x: Tensor, alpha: float = 1.0) -> Tensor:
    """:class:`Elu` of ``input_x``."""
    return Elu(alpha)(input_x)


def celu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """:class:`CeLU` of ``x``."""
    return CeLU(alpha)(x)


def selu(input_x: Tensor) -> Tensor:
    """:class:`SeLU` of ``input_x``."""
    return call("SeLU", input_x)


@also_spelled(dim="axis")
def glu(x: Tensor, axis: int = -1) -> Tensor:
    """:class:`GLU` of ``x``."""
    return GLU(axis)(x)


@also_spelled(axis="dim")
def swiglu(input: Tensor, dim: int = -1) -> Tensor:
    """silu of the first half of ``input`` along ``dim``, times the second.

    Source: Shazeer, https://arxiv.org/abs/2002.05202
    """
    first, second = halves("swiglu", input, dim)
    return call("Mul", call("SiLU", first), second)


def halves(op: str, x: Tensor, axis: int) -> tuple[Tensor, ...]:
    """``x`` cut in two along ``axis``.

    Raises:
        ValueError: the axis has an odd length.
    """
    axis = one_axis(op, axis, x.ndim)
    if x.shape[axis] % 2:
        raise ValueError(f"{op}: the axis {axis} must have an even length, got {x.shape[axis]}.")
    return registry["Split"](axis, 2)(x)


__all__ = [
    "GLU",
    "CeLU",
    "Elu",
    "FastGeLU",
    "GeLU",
    "Mish",
    "SeLU",
    "SiLU",
    "Sigmoid",
    "SigmoidGrad",
    "Softplus",
    "Softsign",
    "Tanh",
    "TanhGrad",
    "celu",
    "elu",
    "fast_gelu",
    "gelu",
    "glu",
    "logsigmoid",
    "mish",
    "selu",
    "sigmoid",
    "silu",
    "softplus",
    "softsign",
    "swiglu",
    "tanh",
    "tanhshrink",
]
