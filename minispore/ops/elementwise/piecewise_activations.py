"""Piecewise activations: relu and variants, hard activations and shrinkage."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Arithmetic, Calls, Cotangents, Primitive
from minispore.core.tensor import Tensor, call, method
from minispore.execution import half
from minispore.execution.layout import LIKE_INPUT
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.arithmetic import Mul
from minispore.ops.elementwise.bases import (
    REAL,
    ReduceToShape,
    _Unary,
    cast_like,
    check_dtype_kind,
    clamp_to_dtype,
    view_as_integers,
)
from minispore.ops.elementwise.compare import Greater, Less, LessEqual
from minispore.ops.elementwise.extremes import Maximum, Minimum
from minispore.ops.elementwise.rounding import Abs
from minispore.ops.index.select import Select
from minispore.ops.random.draws import UniformReal
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import (
    FLOAT_KINDS,
    ORDERED_KINDS,
    check_tensor_spec,
    check_tensors,
)
from minispore.ops.support.choice import select_by_mask

# The bounds of a ReLU as arrays, so that NumPy does not convert scalars in each call.
_RELU_BOUNDS = {
    np.dtype(kind): (np.array(0, kind), np.array(np.inf, kind))
    for kind in (np.float16, np.float32, np.float64)
}


class _Activation(_Unary):
    """Base of element-wise functions of floats."""

    kinds = FLOAT_KINDS


class _GradientOp(Primitive):
    """Base of element-wise gradient ops with two inputs of the same shape and dtype."""

    pointwise = True
    layout = LIKE_INPUT
    kinds: ClassVar[str] = REAL

    def infer(self, a: Spec, b: Spec) -> Spec:
        check_dtype_kind(self.name, a, self.kinds, "the first input")
        if a != b:
            raise ValueError(f"{self.name}: inputs must have one shape and dtype, got {a} and {b}.")
        return a


class ReLU(_Unary):
    """max(x, 0). The slope at 0 is 0.

    >>> print(ReLU()(Tensor([-1.0, 2.0])))
    [0. 2.]
    """

    kinds = REAL
    arithmetic = Arithmetic.EXACT

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        if x.dtype.kind == "f":  # three times as fast as np.maximum(x, 0)
            return [partial(x.clip, *_RELU_BOUNDS[x.dtype], out=out)]
        return [partial(np.maximum, x, x.dtype.type(0), out=out)]

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: ReluGrad()(dout, out),)


class ReluGrad(_GradientOp):
    """dy where y > 0, else 0; y is the output (or input) of ReLU.

    >>> print(ReluGrad()(Tensor([5.0, 5.0]), Tensor([0.0, 2.0])))
    [0. 5.]
    """

    arithmetic = Arithmetic.NONE
    reuse = (1,)

    def calls(self, dy: np.ndarray, y: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return calls that multiply the bits of dy by the mask y > 0.

        For float16 and bfloat16, the mask is computed from the bits.
        """
        out_bits = view_as_integers(out)  # 0 or 1, so no mask has to be allocated
        select_call = partial(np.multiply, out_bits, view_as_integers(dy), out=out_bits)
        if not half.is_half(y.dtype):
            return [partial(np.greater, y, 0, out=out_bits), select_call]
        # y > 0 means that its bits are from 1 to those of infinity: bits - 1 < infinity, unsigned.
        infinity_bits = np.array(np.inf, y.dtype).view(np.uint16)
        shifted_bits = out_bits.view(np.uint16)
        return [
            partial(np.subtract, y.view(np.uint16), np.uint16(1), out=shifted_bits),
            partial(np.less, shifted_bits, infinity_bits, out=out_bits),
            select_call,
        ]

    def vjp(self, dy: Tensor, y: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: ReluGrad()(dout, y),)


class ReLU6(_Unary):
    """min(max(x, 0), 6).

    >>> print(ReLU6()(Tensor([-1.0, 2.0, 9.0])))
    [0. 2. 6.]
    """

    kinds = ORDERED_KINDS

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.clip(x, 0, 6, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: Relu6Grad()(dout, x),)


class Relu6Grad(_GradientOp):
    """dy where 0 < x <= 6, else 0.

    >>> print(Relu6Grad()(Tensor([5.0, 5.0, 5.0]), Tensor([0.0, 6.0, 7.0])))
    [0. 5. 0.]
    """

    def kernel(self, dy: np.ndarray, x: np.ndarray, *, out: np.ndarray) -> None:
        inside = np.greater(x, 0)
        inside &= np.less_equal(x, 6)
        np.multiply(view_as_integers(dy), inside, out=view_as_integers(out))

    def vjp(self, dy: Tensor, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: Relu6Grad()(dout, x),)


class PReLU(Primitive):
    """x where x > 0, else weight * x, with one weight per channel (axis 1) or a single weight.
    Source: He et al., https://arxiv.org/abs/1502.01852

    >>> print(PReLU()(Tensor([[-1.0, 2.0]]), Tensor([0.5, 0.5])))
    [[-0.5  2. ]]
    """

    layout = LIKE_INPUT

    def infer(self, x: Spec, weight: Spec) -> Spec:
        """Return the spec of x; raise ValueError unless the weight has one element, or one per
        channel.
        """
        check_dtype_kind(self.name, x, FLOAT_KINDS, "x")
        channels = x.shape[1] if x.ndim > 1 else 1
        if check_tensor_spec(self.name, weight, "weight").shape not in ((), (1,), (channels,)):
            raise ValueError(
                f"PReLU: weight must have the shape (), (1,) or ({channels},), one number per "
                f"channel of {x}, got {weight.shape}."
            )
        return x

    def kernel(self, x: np.ndarray, weight: np.ndarray, *, out: np.ndarray) -> None:
        slope = weight.reshape(_make_channel_shape(weight, x))
        np.multiply(x, slope, out=out, casting="same_kind")
        select_by_mask(np.greater(x, 0), x, out, out)

    def vjp(self, x: Tensor, weight: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient functions of x and weight; at x = 0 the slope is the weight."""
        shape = _make_channel_shape(weight, x)
        negative = LessEqual()(x, 0)

        def compute_weight_grad() -> Tensor:
            below = ReduceToShape(shape)(Select()(negative, dout * x, 0.0))
            return Cast()(Reshape()(below, weight.shape), weight.dtype)

        def compute_x_grad() -> Tensor:
            slope = Reshape()(Cast()(weight, x.dtype), shape)
            return Select()(negative, dout * slope, dout)

        return (
            compute_x_grad,
            compute_weight_grad,
        )


def _make_channel_shape(weight: Any, x: Any) -> tuple[int, ...]:
    """Return the shape in which ``weight`` broadcasts along the channels of ``x``, axis 1."""
    return tuple(weight.size if i == 1 else 1 for i in range(x.ndim))


# -- hard and shrinking ----------------------------------------------------------------------------


class HSigmoid(_Unary):
    """min(max(x + 3, 0), 6) / 6.

    >>> print(HSigmoid()(Tensor([-4.0, 0.0, 4.0])))
    [0.  0.5 1. ]
    """

    kinds = "ifV"

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Write min(max(x + 3, 0), 6) / 6; for integers truncated towards 0."""
        np.clip(np.add(x, 3, out=out), 0, 6, out=out)
        if out.dtype.kind == "i":
            np.floor_divide(np.subtract(out, np.fmod(out, 6)), 6, out=out)  # towards 0
        else:
            np.true_divide(out, 6, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_x_grad() -> Tensor:
            inside = Less()(Abs()(x), 3)
            return cast_like(x, Select()(inside, dout * (1 / 6), 0.0))

        return (compute_x_grad,)


class HSwish(_Unary):
    """x * min(max(x + 3, 0), 6) / 6.

    Source: Howard et al., https://arxiv.org/abs/1905.02244

    >>> print(HSwish()(Tensor([-4.0, 0.0, 4.0])))
    [-0.  0.  4.]
    """

    kinds = "ifV"
    reuse = ()

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Compute x times its gate; for integers truncated towards 0."""
        np.clip(np.add(x, 3, out=out), 0, 6, out=out)
        np.multiply(out, np.maximum(x, -3), out=out)  # -inf * 0 would be nan
        if out.dtype.kind == "i":
            np.floor_divide(np.subtract(out, np.fmod(out, 6)), 6, out=out)  # towards 0
        else:
            np.true_divide(out, 6, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_x_grad() -> Tensor:
            above = Select()(Greater()(x, 3), dout, 0.0)
            inside = LessEqual()(Abs()(x), 3)
            return cast_like(x, Select()(inside, dout * (x * (1 / 3) + 0.5), above))

        return (compute_x_grad,)


class HShrink(_Activation):
    r"""x where |x| > lambd, else 0.

    >>> print(HShrink()(Tensor([-1.0, 0.5, 2.0])))
    [-1.  0.  2.]
    """

    lambd: float = 0.5
    reuse = ()

    def check(self) -> None:
        """Normalise ``lambd`` to a Python scalar."""
        self.normalise(lambd=checks.scalar(self.name, "lambd", self.lambd))

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        is_outside = ~np.less_equal(np.abs(x), self.lambd)  # NaN stays
        np.multiply(view_as_integers(x), is_outside, out=view_as_integers(out))

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        inside = LessEqual()(Abs()(x), self.lambd)
        return (lambda: Select()(inside, 0.0, dout),)


class SoftShrink(HShrink):
    """sign(x) * max(|x| - lambd, 0), for lambd >= 0.

    >>> print(SoftShrink()(Tensor([-1.0, 0.25, 2.0])))
    [-0.5  0.   1.5]
    """

    reuse = ()

    def infer(self, x: Spec) -> Spec:
        """Return the spec of x; raise RuntimeError for a negative ``lambd``."""
        if self.lambd < 0:
            raise RuntimeError(f"{self.name}: lambd must be >= 0, got {self.lambd}.")
        return super().infer(x)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.clip(x, -self.lambd, self.lambd, out=out)
        np.subtract(x, out, out=out)


# -- functions -------------------------------------------------------------------------------------


@method("relu")
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Apply :class:`ReLU` to ``input``; with ``inplace``, write the result to ``input`` and return
    that.
    """
    output = ReLU()(input)
    return input._write_in_place(output) if inplace else output


@method("relu6")
def relu6(x: Tensor) -> Tensor:
    """Apply :class:`ReLU6` to ``x``."""
    return ReLU6()(x)


@method("prelu")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return ``input`` where it is above 0, else weight * input.

    There is one weight per channel (axis 1), or a single weight.
    """
    return PReLU()(input, weight)


@method("leaky_relu")
def leaky_relu(input: Tensor, alpha: float = 0.2) -> Tensor:
    """Return input where input > 0, else alpha * input; for integers, alpha is truncated.

    >>> print(leaky_relu(Tensor([-1.0, 2.0])))
    [-0.2  2. ]
    """
    check_tensors("leaky_relu", input=input)
    # 0 times infinity would be nan
    below = Mul()(input, clamp_to_dtype(input, alpha)) if alpha else 0
    return call("Maximum" if alpha <= 1 else "Minimum", input, below)


def rrelu(input: Tensor, lower: float = 1 / 8, upper: float = 1 / 3) -> Tensor:
    """Return input where input >= 0, else input times a random number in [lower, upper), one for
    each element.

    Raises:
        ValueError: lower > upper.
    """
    check_tensors("rrelu", input=input)
    if lower > upper:
        raise ValueError(f"rrelu: lower must be <= upper, got {lower} > {upper}.")
    slope = UniformReal()(input.shape) * (upper - lower) + lower
    return Select()(Less()(input, 0), Cast()(slope, input.dtype) * input, input)


@method("hardsigmoid")
def hardsigmoid(input: Tensor) -> Tensor:
    """Apply :class:`HSigmoid` to ``input``."""
    return HSigmoid()(input)


@method("hardswish")
def hardswish(input: Tensor) -> Tensor:
    """Apply :class:`HSwish` to ``input``."""
    return HSwish()(input)


@method("hardshrink")
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Apply :class:`HShrink` to ``input``."""
    return HShrink(lambd)(input)


@method("soft_shrink")
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Apply :class:`SoftShrink` to ``input``."""
    return SoftShrink(lambd)(input)


soft_shrink = softshrink


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Clamp ``input`` to [``min_val``, ``max_val``]; for integers the bounds are truncated."""
    check_tensors("hardtanh", input=input)
    above = Maximum()(input, clamp_to_dtype(input, min_val))
    return Minimum()(above, clamp_to_dtype(input, max_val))


def threshold(input: Tensor, thr: float, value: float) -> Tensor:
    """Return ``input`` where it is greater than ``thr``, else ``value``.

    >>> print(threshold(Tensor([0.5, 1.0, 2.0]), 1.0, 7.0))
    [7. 7. 2.]
    """
    checks.number("threshold", "thr", thr)
    checks.number_or_nan("threshold", "value", value)
    return Select()(Greater()(input, thr), input, clamp_to_dtype(input, value))


__all__ = [
    "HShrink",
    "HSigmoid",
    "HSwish",
    "PReLU",
    "ReLU",
    "ReLU6",
    "Relu6Grad",
    "ReluGrad",
    "SoftShrink",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "prelu",
    "relu",
    "relu6",
    "rrelu",
    "soft_shrink",
    "softshrink",
    "threshold",
]
