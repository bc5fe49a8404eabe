"""Activations that are exponential below zero."""

from __future__ import annotations

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.compare import Greater
from minispore.ops.elementwise.extremes import Minimum
from minispore.ops.elementwise.piecewise_activations import _Activation
from minispore.ops.elementwise.powers import Exp
from minispore.ops.index.select import Select
from minispore.ops.support.logistic import expm1_below_0


class Elu(_Activation):
    """x where x > 0, else alpha * (e^x - 1).

    Source: Clevert et al., https://arxiv.org/abs/1511.07289

    >>> print(Elu()(Tensor([-1.0, 2.0])).asnumpy().round(4))
    [-0.6321  2.    ]
    """

    alpha: float = 1.0
    arithmetic = Arithmetic.TRANSCENDENTAL
    reuse = ()

    def check(self) -> None:
        checks.floating(self.name, "alpha", self.alpha)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.minimum(x, 0, out=out)
        expm1_below_0(out, out)
        np.multiply(out, self.alpha, out=out)
        np.add(out, np.maximum(x, 0), out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_x_grad() -> Tensor:
            below = Exp()(Minimum()(x, 0)) * self.alpha
            return dout * Select()(Greater()(x, 0), 1.0, below)

        return (compute_x_grad,)


class CeLU(_Activation):
    """x where x > 0, else alpha * (e^(x / alpha) - 1).

    Source: Barron, https://arxiv.org/abs/1704.07483

    >>> print(CeLU()(Tensor([-1.0, 2.0])).asnumpy().round(4))
    [-0.6321  2.    ]
    """

    alpha: float = 1.0
    arithmetic = Arithmetic.TRANSCENDENTAL
    reuse = ()

    def check(self) -> None:
        if checks.floating(self.name, "alpha", self.alpha) == 0:
            raise ValueError("CeLU: alpha must not be 0.")

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.minimum(x, 0, out=out)
        np.true_divide(out, self.alpha, out=out)
        (expm1_below_0 if self.alpha > 0 else np.expm1)(out, out)
        np.multiply(out, self.alpha, out=out)
        np.add(out, np.maximum(x, 0), out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_x_grad() -> Tensor:
            below = Exp()(Minimum()(x, 0) / self.alpha)
            return dout * Select()(Greater()(x, 0), 1.0, below)

        return (compute_x_grad,)


_SELU_SCALE = 1.0507009873554804934193349852946  # Klambauer et al., appendix A.1


_SELU_ALPHA = 1.6732632423543772848170429916717


class SeLU(_Activation):
    """1.0507 * (x where x > 0, else 1.6733 * (e^x - 1)), which preserves mean 0 and variance 1.

    For int8 and int32 the factors are truncated to 1, as in MindSpore: x where x > 0, else e^x - 1
    rounded towards 0.

    Source: Klambauer et al., https://arxiv.org/abs/1706.02515

    >>> print(SeLU()(Tensor([-1.0, 2.0])).asnumpy().round(4))
    [-1.1113  2.1014]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    reuse = ()

    def infer(self, x: Spec) -> Spec:
        """Return the spec of x, which may also be int8 or int32."""
        return x if x.dtype.name in ("int8", "int32") else super().infer(x)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Compute SeLU; for ints without the scale factors, and truncated."""
        if out.dtype.kind == "i":
            below = np.exp(np.minimum(x, 0), dtype=np.float32) - 1
            np.copyto(out, np.where(x > 0, x, below), casting="unsafe")
            return
        np.minimum(x, 0, out=out)
        expm1_below_0(out, out)
        np.multiply(out, _SELU_ALPHA, out=out)
        np.add(out, np.maximum(x, 0), out=out)
        np.multiply(out, _SELU_SCALE, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function, which raises TypeError for ints."""

        def compute_x_grad() -> Tensor:
            """Compute the gradient of x.

            Raises:
                TypeError: x is a tensor of ints.
            """
            if x.dtype.kind == "i":
                raise TypeError("SeLU: input must be of floats to have a gradient. Cast it first.")
            below = Exp()(Minimum()(x, 0)) * (_SELU_SCALE * _SELU_ALPHA)
            return dout * Select()(Greater()(x, 0), _SELU_SCALE, below)

        return (compute_x_grad,)


def elu(input_x: Tensor, alpha: float = 1.0) -> Tensor:
    """Apply :class:`Elu` to ``input_x``."""
    return Elu(alpha)(input_x)


def celu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """Apply :class:`CeLU` to ``x``."""
    return CeLU(alpha)(x)


def selu(input_x: Tensor) -> Tensor:
    """Apply :class:`SeLU` to ``input_x``."""
    return SeLU()(input_x)


__all__ = [
    "CeLU",
    "Elu",
    "SeLU",
    "celu",
    "elu",
    "selu",
]
