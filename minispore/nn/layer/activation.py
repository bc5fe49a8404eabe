"""Activations: Cells that apply one function to each element or along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.ops.support.arguments import check_tensors


class _Activation(Cell):
    """Base of Cells that apply one primitive.

    It is also stored under MindSpore's attribute name ``name``, by default the lower-case name of
    the primitive.
    """

    def __init__(self, op: Primitive, name: str = "") -> None:
        super().__init__()
        self._op = op
        setattr(self, name or op.name.lower(), op)

    def construct(self, x: Tensor) -> Tensor:
        return self._op(x)


class _InputActivation(_Activation):
    """Base of activations whose argument is called ``input``."""

    def construct(self, input: Tensor) -> Tensor:
        return self._op(input)


class _InputXActivation(_Activation):
    """Base of activations whose argument is called ``input_x``."""

    def construct(self, input_x: Tensor) -> Tensor:
        return self._op(input_x)


class ReLU(_InputActivation):
    """max(x, 0).

    >>> print(ReLU()(Tensor([-1.0, 2.0])))
    [0. 2.]
    """

    def __init__(self) -> None:
        super().__init__(ops.ReLU())


class ReLU6(_Activation):
    """min(max(x, 0), 6)."""

    def __init__(self) -> None:
        super().__init__(ops.ReLU6())


class Sigmoid(_Activation):
    """1 / (1 + exp(-x))."""

    def __init__(self) -> None:
        super().__init__(ops.Sigmoid())


class Tanh(_Activation):
    """tanh(x)."""

    def __init__(self) -> None:
        super().__init__(ops.Tanh())


class ELU(_Activation):
    """x for x > 0, else alpha (exp(x) - 1)."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__(ops.Elu(alpha))


class CELU(_Activation):
    """max(x, 0) + min(0, alpha (exp(x / alpha) - 1))."""

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__(ops.CeLU(alpha))


class SeLU(_InputXActivation):
    """scale * ELU(x, alpha) with the two constants that keep mean 0 and variance 1.

    Source: Klambauer et al. 2017.
    """

    def __init__(self) -> None:
        super().__init__(ops.SeLU())


class SiLU(_Activation):
    """x * sigmoid(x)."""

    def __init__(self) -> None:
        super().__init__(ops.SiLU())


class Mish(_InputXActivation):
    """x * tanh(log(1 + exp(x)))."""

    def __init__(self) -> None:
        super().__init__(ops.Mish())


class FastGelu(_Activation):
    """x / (1 + exp(-1.702 |x|)) * exp(0.851 (x - |x|))."""

    def __init__(self) -> None:
        super().__init__(ops.FastGeLU(), "fast_gelu")


class Softsign(_Activation):
    """x / (1 + |x|)."""

    def __init__(self) -> None:
        super().__init__(ops.Softsign())


class HSwish(_InputActivation):
    """x * relu6(x + 3) / 6."""

    def __init__(self) -> None:
        super().__init__(ops.HSwish())


class HSigmoid(_InputActivation):
    """max(0, min(1, (x + 3) / 6))."""

    def __init__(self) -> None:
        super().__init__(ops.HSigmoid())


class SoftShrink(_InputActivation):
    """x moved towards 0 by ``lambd``; 0 where abs(x) <= lambd."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(ops.SoftShrink(lambd))


class HShrink(_InputActivation):
    """x where abs(x) > lambd, else 0."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(ops.HShrink(lambd))


class LRN(_InputXActivation):
    """x / (bias + alpha * sum of x**2 over neighbouring channels)**beta.  x: (N, C, H, W)."""

    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        super().__init__(ops.LRN(depth_radius, bias, alpha, beta, norm_region), "lrn_op")


class Softmax(_InputActivation):
    """exp(x) / sum(exp(x)) along ``axis``."""

    def __init__(self, axis: Any = -1) -> None:
        super().__init__(ops.Softmax(axis))


class LogSoftmax(_Activation):
    """log(softmax(x)) along ``axis``."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__(ops.LogSoftmax(axis), "log_softmax")


class Softmax2d(_Activation):
    """Softmax over the channels of (N, C, H, W) or (C, H, W)."""

    def __init__(self) -> None:
        super().__init__(ops.Softmax(-3))

    def construct(self, x: Tensor) -> Tensor:
        return self._op(check.check_ndim("Softmax2d", "x", x, 3, 4))


class Softmin(Cell):
    """softmax(-x) along ``axis``."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Tensor) -> Tensor:
        return ops.softmax(ops.neg(x), self.axis)


class GELU(Cell):
    """x * P(N < x) for a standard normal N; by default its tanh approximation."""

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        self.approximate = "tanh" if checks.boolean("GELU", "approximate", approximate) else "none"

    def construct(self, x: Tensor) -> Tensor:
        return ops.gelu(x, approximate=self.approximate)


class LeakyReLU(Cell):
    """x for x > 0, else alpha * x."""

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        return ops.leaky_relu(x, self.alpha)


class RReLU(Cell):
    """x for x >= 0, else a * x with a new a for each element, uniform over [lower, upper)."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3) -> None:
        super().__init__()
        self.lower = checks.number("RReLU", "lower", lower)
        self.upper = checks.number("RReLU", "upper", upper, self.lower)

    def construct(self, x: Tensor) -> Tensor:
        check.check_tensor("RReLU", "x", x)
        uniform = ops.UniformReal()(x.shape)
        slope = ops.cast(uniform * (self.upper - self.lower) + self.lower, x.dtype)
        return x * ops.select(x < 0, slope, ops.cast(x > 0, x.dtype))  # the output at 0 is 0


class Tanhshrink(Cell):
    """x - tanh(x)."""

    def construct(self, x: Tensor) -> Tensor:
        return ops.tanhshrink(x)


class Hardtanh(Cell):
    """x, clipped to [min_val, max_val]."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__()
        if min_val >= max_val:
            raise ValueError(
                f"Hardtanh: min_val must be below max_val, got {min_val} and {max_val}."
            )
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x: Tensor) -> Tensor:
        return ops.hardtanh(x, self.min_val, self.max_val)


class LogSigmoid(Cell):
    """log(1 / (1 + exp(-x)))."""

    def construct(self, input_x: Tensor) -> Tensor:
        # log(1 / (1 + exp(-x))) = min(x, 0) - log(1 + exp(-|x|)), which does not overflow
        return ops.minimum(input_x, 0) - ops.log1p(ops.exp(-ops.abs(input_x)))


class Threshold(Cell):
    """x where x > threshold, else ``value``."""

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__()
        self.threshold = checks.number("Threshold", "threshold", threshold)
        self.value = checks.number_or_nan("Threshold", "value", value)

    def construct(self, input_x: Tensor) -> Tensor:
        check_tensors("Threshold", input_x=input_x)
        return ops.select(input_x > self.threshold, input_x, ops.full_like(input_x, self.value))


class GLU(Cell):
    """a * sigmoid(b), with x split into halves a and b along ``axis``."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.dim = axis

    def construct(self, x: Tensor) -> Tensor:
        a, b = ops.Split(self.dim, 2)(x)
        return a * ops.sigmoid(b)


class PReLU(Cell):
    """x for x > 0, else w * x, with a learned w for each channel (or one for all).

    Args:
        channel: the number of elements of w, 1 or C.
        w: the initial value: a float, a list of floats or a Tensor.

    Raises:
        TypeError: ``w`` has another type.
        ValueError: ``w`` is not a float16 or float32 vector of ``channel`` elements.
    """

    def __init__(self, channel: int = 1, w: Any = 0.25) -> None:
        super().__init__()
        checks.integer("PReLU", "channel", channel, 1)
        if isinstance(w, float | np.floating):
            w = Tensor(np.full(channel, w, np.float32))
        elif isinstance(w, list):
            w = Tensor(w, mstype.float32)
        elif not isinstance(w, Tensor):
            raise TypeError(
                "PReLU: w must be a float, a list of floats or a Tensor, got "
                f"{checks.format_value(w)}."
            )
        if w.shape != (channel,) or w.dtype not in (mstype.float16, mstype.float32):
            raise ValueError(
                f"PReLU: w must hold {channel} floats, one for each channel, got "
                f"{checks.format_value(w)}."
            )
        self.w = Parameter(w, name="a")

    def construct(self, x: Tensor) -> Tensor:
        check_tensors("PReLU", x=x)
        return ops.PReLU()(x, ops.cast(self.w, x.dtype))


_ACTIVATIONS: dict[str, type[Cell]] = {
    layer.__name__.lower(): layer
    for layer in (
        CELU, ELU, GELU, Hardtanh, HShrink, HSigmoid, HSwish, LeakyReLU, LogSigmoid, LogSoftmax,
        Mish, PReLU, ReLU, ReLU6, RReLU, SeLU, Sigmoid, SiLU, Softmax, Softmax2d, Softmin,
        SoftShrink, Softsign, Tanh, Tanhshrink,
    )
} | {"fast_gelu": FastGelu}  # fmt: skip
_activation = _ACTIVATIONS  # MindSpore's name for the table


def get_activation(name: str | None, prim_name: str | None = None) -> Cell | None:
    """Return a new activation Cell for a name such as ``"relu"``; None for None.

    Raises:
        KeyError: the name is unknown.

    >>> get_activation("relu")
    ReLU()
    """
    if name is None:
        return None
    if not isinstance(name, str) or name not in _ACTIVATIONS:
        names = ", ".join(sorted(_ACTIVATIONS))
        raise KeyError(
            f"{prim_name or 'get_activation'}: activation must be one of {names}, "
            f"got {name!r}.{did_you_mean(str(name), _ACTIVATIONS)}"
        )
    return _ACTIVATIONS[name]()


__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "LRN",
    "FastGelu",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SeLU",
    "SiLU",
    "Sigmoid",
    "SoftShrink",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "get_activation",
]
