"""Smooth activations: sigmoid, tanh and functions of them, softplus, gelu."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents, VjpRule
from minispore.core.tensor import Tensor, method
from minispore.execution.kernels import saved_intermediates
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import Mul, Sub
from minispore.ops.elementwise.compare import Greater
from minispore.ops.elementwise.error_function import Erf
from minispore.ops.elementwise.piecewise_activations import _Activation, _GradientOp
from minispore.ops.elementwise.rounding import Abs, Neg, Square
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import check_tensors
from minispore.ops.support.logistic import log1p_exp


class Sigmoid(_Activation):
    """1 / (1 + e^-x).

    >>> print(Sigmoid()(Tensor([0.0, 2.0])).asnumpy().round(4))
    [0.5    0.8808]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    kinds = "fVc"

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Compute the sigmoid, or copy it if SiLU has computed it for the same x and saved it for
        its gradient.
        """
        if saved_intermediates.fill_from_saved(out, self, x):
            return
        np.negative(x, out=out)
        np.exp(out, out=out)
        np.add(out, 1, out=out)
        np.true_divide(1, out, out=out)  # gives the same bits as np.reciprocal, but faster

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: SigmoidGrad()(out, dout),)


class SigmoidGrad(_GradientOp):
    """dy * y * (1 - y).

    >>> print(SigmoidGrad()(Tensor([0.5]), Tensor([4.0])))
    [1.]
    """

    reuse = (0,)
    kinds = "iufVc"

    def kernel(self, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray) -> None:
        complement = np.subtract(1, y, out=None if np.may_share_memory(y, out) else out)
        np.multiply(y, complement, out=out)
        np.multiply(out, dy, out=out)

    def vjp(self, y: Tensor, dy: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return lambda: dout * dy * (1 - y * 2), lambda: SigmoidGrad()(y, dout)


class Tanh(_Activation):
    """The hyperbolic tangent of x.

    >>> print(Tanh()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [0.     0.7616]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    ufunc = np.tanh
    kinds = "fVc"

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: TanhGrad()(out, dout),)


class TanhGrad(_GradientOp):
    """dy * (1 - y^2).

    >>> print(TanhGrad()(Tensor([0.5]), Tensor([4.0])))
    [3.]
    """

    reuse = (0,)
    kinds = "iufVc"

    def kernel(self, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray) -> None:
        np.multiply(y, y, out=out)
        np.subtract(1, out, out=out)
        np.multiply(out, dy, out=out)

    def vjp(self, y: Tensor, dy: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return lambda: dout * dy * y * -2, lambda: TanhGrad()(y, dout)


class _SelfGated(_Activation):
    """Base of activations that multiply x by a gate, whose values are saved for the gradient."""

    gate: ClassVar[type[_Activation]]
    arithmetic = Arithmetic.TRANSCENDENTAL
    reuse = ()
    vjp_rule = VjpRule(saves_for_inputs=(0,))

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Multiply x by its gate; if intermediates are saved, store the gate's values for the
        gradient.
        """
        gate = self.gate()
        gate_values = np.empty_like(x) if saved_intermediates.is_saving() else out
        gate.kernel(x, out=gate_values)
        np.multiply(gate_values, x, out=out)
        if gate_values is not out:
            saved_intermediates.save(gate_values, (gate,), x)


class SiLU(_SelfGated):
    """x * sigmoid(x).

    >>> print(SiLU()(Tensor([0.0, 2.0])).asnumpy().round(4))
    [0.     1.7616]
    """

    gate = Sigmoid

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_x_grad() -> Tensor:
            s = Sigmoid()(x)
            return dout * s * (x * (1 - s) + 1)

        return (compute_x_grad,)


class Softplus(_Activation):
    """log(1 + e^x).

    >>> print(Softplus()(Tensor([0.0, 100.0])).asnumpy().round(4))
    [  0.6931 100.    ]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        log1p_exp(x, out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * Sigmoid()(x),)


class Mish(_Activation):
    """x * tanh(softplus(x)).

    Source: Misra, https://arxiv.org/abs/1908.08681

    >>> print(Mish()(Tensor([0.0, 1.0])).asnumpy().round(4))
    [0.     0.8651]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        log1p_exp(x, out)
        np.tanh(out, out=out)
        np.multiply(out, x, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_x_grad() -> Tensor:
            t = Tanh()(Softplus()(x))
            return dout * (t + x * (1 - t * t) * Sigmoid()(x))

        return (compute_x_grad,)


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

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout / Square()(Abs()(x) + 1),)


# -- gelu ------------------------------------------------------------------------------------------

_SQRT_2_OVER_PI = math.sqrt(2 / math.pi)
_CUBIC_COEFFICIENT = 0.044715  # Hendrycks & Gimpel, https://arxiv.org/abs/1606.08415


_TWICE_SQRT_2_OVER_PI = 2 * _SQRT_2_OVER_PI  # (1 + tanh(u)) / 2 is the logistic function of 2u


class GeLUGate(_Activation):
    """(1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))) / 2, the gate of GeLU.

    >>> print(GeLUGate()(Tensor([0.0, 2.0])).asnumpy().round(4))
    [0.5    0.9773]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Compute the gate, or copy it if GeLU has computed it for the same x and saved it for its
        gradient.
        """
        if saved_intermediates.fill_from_saved(out, self, x):
            return
        np.multiply(x, x, out=out)
        np.multiply(out, _TWICE_SQRT_2_OVER_PI * _CUBIC_COEFFICIENT, out=out)
        np.add(out, _TWICE_SQRT_2_OVER_PI, out=out)
        np.multiply(out, x, out=out)
        # (1 + tanh(u)) / 2 = 1 - 1 / (1 + e^2u): takes half the time of tanh without AVX-512 and,
        # as in MindSpore, is 0 for very negative x.
        np.exp(out, out=out)
        np.add(out, 1, out=out)
        np.true_divide(1, out, out=out)
        np.subtract(1, out, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: dout * out * (1 - out) * _compute_gate_slope(x),)


def _compute_gate_slope(x: Tensor) -> Tensor:
    """Return the derivative of 2u, the argument of the logistic function in GeLU, by x."""
    return x * x * (3 * _TWICE_SQRT_2_OVER_PI * _CUBIC_COEFFICIENT) + _TWICE_SQRT_2_OVER_PI


class GeLU(_SelfGated):
    """x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))).

    >>> print(GeLU()(Tensor([-1.0, 0.5, 2.0])).asnumpy().round(4))
    [-0.1588  0.3457  1.9546]
    """

    gate = GeLUGate

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_x_grad() -> Tensor:
            s = GeLUGate()(x)
            return dout * s * (x * (1 - s) * _compute_gate_slope(x) + 1)

        return (compute_x_grad,)


class FastGeLU(_Activation):
    """x * sigmoid(1.702 x).

    >>> print(FastGeLU()(Tensor([-1.0, 2.0])).asnumpy().round(4))
    [-0.1542  1.9357]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.multiply(x, -_FAST_GELU_SCALE, out=out)
        np.exp(out, out=out)
        np.add(out, 1, out=out)
        np.true_divide(x, out, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_x_grad() -> Tensor:
            s = Sigmoid()(x * _FAST_GELU_SCALE)
            return dout * s * (x * (1 - s) * _FAST_GELU_SCALE + 1)

        return (compute_x_grad,)


_FAST_GELU_SCALE = 1.702  # Hendrycks & Gimpel, section 2


# -- functions -------------------------------------------------------------------------------------


@method("sigmoid")
def sigmoid(input: Tensor) -> Tensor:
    """Apply :class:`Sigmoid` to ``input``."""
    return Sigmoid()(input)


@method("tanh")
def tanh(input: Tensor) -> Tensor:
    """Apply :class:`Tanh` to ``input``."""
    return Tanh()(input)


@method("silu")
def silu(input: Tensor) -> Tensor:
    """Apply :class:`SiLU` to ``input``."""
    return SiLU()(input)


def mish(x: Tensor) -> Tensor:
    """Apply :class:`Mish` to ``x``."""
    return Mish()(x)


def softsign(x: Tensor) -> Tensor:
    """Apply :class:`Softsign` to ``x``."""
    return Softsign()(x)


def tanhshrink(input: Tensor) -> Tensor:
    """Compute input - tanh(input)."""
    check_tensors("tanhshrink", input=input)
    if input.dtype.kind in "biu":
        input = Cast()(input, mstype.float32)
    return Sub()(input, Tanh()(input))


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """Compute log(1 + e^(beta * input)) / beta, or ``input`` where beta * input > threshold."""
    if beta == 1:
        smooth = Softplus()(input)
    else:
        smooth = Softplus()(Mul()(input, beta)) / beta
    return Select()(Greater()(Mul()(input, beta), threshold), input, smooth)


def logsigmoid(x: Tensor) -> Tensor:
    """Compute log(sigmoid(x)), without overflow.

    >>> print(logsigmoid(Tensor([0.0, -100.0])).asnumpy().round(4))
    [  -0.6931 -100.    ]
    """
    return Neg()(Softplus()(Neg()(x)))


@method("gelu")
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Compute input * P(Z <= input) for a standard normal variable Z.

    Args:
        input: floats.
        approximate: "none", or "tanh" for :class:`GeLU`.

    >>> print(gelu(Tensor([-1.0, 2.0])).asnumpy().round(4))
    [-0.1587  1.9545]
    """
    check_tensors("gelu", input=input)
    checks.string("gelu", "approximate", approximate)
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu: approximate must be 'none' or 'tanh', got {approximate!r}.")
    if approximate == "tanh":
        return GeLU()(input)
    return Mul()(input, Erf()(input * math.sqrt(0.5)) * 0.5 + 0.5)


def fast_gelu(x: Tensor) -> Tensor:
    """Apply :class:`FastGeLU` to ``x``."""
    return FastGeLU()(x)


__all__ = [
    "FastGeLU",
    "GeLU",
    "Mish",
    "SiLU",
    "Sigmoid",
    "SigmoidGrad",
    "Softplus",
    "Softsign",
    "Tanh",
    "TanhGrad",
    "fast_gelu",
    "gelu",
    "logsigmoid",
    "mish",
    "sigmoid",
    "silu",
    "softplus",
    "softsign",
    "tanh",
    "tanhshrink",
]
