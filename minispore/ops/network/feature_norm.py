"""Normalisation within each example: group norm, RMS norm, L2 norm, local response norm."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor
from minispore.execution.layout import LIKE_INPUT
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.elementwise.powers import Pow, Rsqrt, Sqrt
from minispore.ops.elementwise.rounding import Square
from minispore.ops.network.layer_norm import layer_norm
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import Reshape
from minispore.ops.statistics.reduce import ReduceMean, ReduceSum
from minispore.ops.support.arguments import (
    ANY_NDIM,
    FLOAT_KINDS,
    check_axes,
    check_real,
    check_tensors,
)
from minispore.ops.support.derive import _Composite


class RmsNorm(_Composite):
    """x / sqrt(mean(x^2) + epsilon) * gamma, with the mean over the axes of gamma, the last axes of
    x.

    The factor is float32 (float64 for a float64 x); its normalised axes have length 1.

    Returns:
        ``(y, 1 / sqrt(mean(x^2) + epsilon))``

    Source: Zhang & Sennrich, https://arxiv.org/abs/1910.07467

    >>> y, scale = RmsNorm(0.0)(Tensor([[3.0, 3.0]]), Tensor([1.0, 2.0]))
    >>> print(y)
    [[1. 2.]]
    """

    is_one_kernel = True

    epsilon: float = 1e-6

    def check(self) -> None:
        checks.number(self.name, "epsilon", self.epsilon)

    def __call__(self, x: Tensor, gamma: Tensor) -> tuple[Tensor, Tensor]:
        """Return the normalised x, and the factor 1 / sqrt(mean(x^2) + epsilon), float32 or
        float64.

        Raises:
            TypeError: an input is not a real tensor.
            ValueError: gamma does not have the shape of the last axes of x.
        """
        check_real(self.name, x, gamma)
        if gamma.shape != x.shape[x.ndim - gamma.ndim :]:
            raise ValueError(
                f"RmsNorm: gamma must have the shape of the last axes of x, got shapes "
                f"{gamma.shape} and {x.shape}."
            )
        axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
        widened = x if x.dtype.name in ("float32", "float64") else Cast()(x, mstype.float32)
        mean = ReduceMean(keep_dims=True)(Square()(widened), axes)
        scale = Rsqrt()(mean + self.epsilon)
        return Cast()(widened * scale, x.dtype) * gamma, scale


class L2Normalize(_Composite):
    """x / sqrt(max(sum(x^2), epsilon)) along ``axis``, an int or a tuple of them.

    >>> print(L2Normalize(0)(Tensor([3.0, 4.0])))
    [0.6 0.8]
    """

    axis: int | tuple[int, ...] = 0
    epsilon: float = 1e-4

    def check(self) -> None:
        check_axes(self.name, self.axis, ANY_NDIM)

    def __call__(self, x: Tensor) -> Tensor:
        axes = check_axes(self.name, self.axis, x.ndim)
        length = ReduceSum(keep_dims=True)(Square()(x), axes)
        return x / Sqrt()(Maximum()(length, self.epsilon))


class ChannelWindowSum(Primitive):
    """The sum over the channels (axis 1) that are at most ``radius`` apart; the op is its own
    adjoint.

    >>> print(ChannelWindowSum(1)(Tensor([[1.0, 10.0, 100.0]])))
    [[ 11. 111. 110.]]
    """

    radius: int
    layout = LIKE_INPUT

    def infer(self, x: Spec) -> Spec:
        """Return the spec of x; raise, in the name of LRN, unless it is float with 2 axes or
        more.
        """
        if check_dtype_kind("LRN", x, FLOAT_KINDS, "x").ndim < 2:
            raise ValueError(f"LRN: x must have at least 2 axes, got {x}.")
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, x)
        for k in range(1, min(self.radius, x.shape[1] - 1) + 1):
            out[:, k:] += x[:, :-k]
            out[:, :-k] += x[:, k:]

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: ChannelWindowSum(self.radius)(dout),)


class LRN(_Composite):
    """x / (bias + alpha * sum of x^2 over neighbouring channels) ^ beta.

    Args:
        depth_radius: the number of neighbouring channels on each side.
        bias: a constant that keeps the base above 0.
        alpha: factor of the sum.
        beta: the exponent.
        norm_region: "ACROSS_CHANNELS".

    Source: Krizhevsky et al., section 3.3

    >>> print(LRN(1, 0.0, 1.0, 0.5)(Tensor([[[[3.0]], [[4.0]]]])).reshape(-1))
    [0.6 0.8]
    """

    depth_radius: int = 5
    bias: float = 1.0
    alpha: float = 1.0
    beta: float = 0.5
    norm_region: str = "ACROSS_CHANNELS"

    def check(self) -> None:
        checks.integer(self.name, "depth_radius", self.depth_radius, 0)
        if self.norm_region != "ACROSS_CHANNELS":
            raise ValueError(
                f"LRN: norm_region must be 'ACROSS_CHANNELS', got {self.norm_region!r}."
            )

    def __call__(self, x: Tensor) -> Tensor:
        """Normalise x (N, C, H, W); raise a ValueError for another number of axes."""
        if x.ndim != 4:
            raise ValueError(f"{self.name}: x must have the axes (N, C, H, W), got {x.shape}.")
        total = ChannelWindowSum(self.depth_radius)(Square()(x))
        return x * Pow()(total * self.alpha + self.bias, -self.beta)


# -- functions -------------------------------------------------------------------------------------


def group_norm(
    input: Tensor, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-05
) -> Tensor:
    """Normalise each of ``num_groups`` channel groups of each example, then scale and shift each
    channel.

    ``weight`` is the scale and ``bias`` the shift of each channel, each (C,) or None; the channels
    are axis 1.

    Raises:
        TypeError: ``input`` is not a Tensor, or ``num_groups`` is not an int.
        ValueError: ``num_groups`` does not divide the channels.

    Source: Wu & He, https://arxiv.org/abs/1803.08494

    >>> print(group_norm(Tensor([[1.0, 3.0, 5.0, 9.0]]), 2).asnumpy().round(3))
    [[-1.  1. -1.  1.]]
    """
    check_tensors("group_norm", input=input)
    checks.integer("group_norm", "num_groups", num_groups, 1)
    if input.ndim < 2 or input.shape[1] % num_groups:
        raise ValueError(
            f"group_norm: the channels of input must be a multiple of num_groups {num_groups}, got "
            f"shape {input.shape}."
        )
    width = prod(input.shape[1:]) // num_groups
    groups = Reshape()(input, (input.shape[0] * num_groups, width))
    output = Reshape()(layer_norm(groups, width, eps=eps), input.shape)
    channel_shape = tuple(-1 if i == 1 else 1 for i in range(input.ndim))
    if weight is not None:
        output = output * Reshape()(weight, channel_shape)
    return output if bias is None else output + Reshape()(bias, channel_shape)


def rms_norm(x: Tensor, gamma: Tensor, epsilon: float = 1e-06) -> tuple[Tensor, Tensor]:
    """Return x / sqrt(mean(x^2) + epsilon) * gamma, and the factor 1 / sqrt(mean(x^2) + epsilon).

    The mean is over the axes of gamma, the last axes of x. The factor is float32 or float64.
    """
    return RmsNorm(epsilon)(x, gamma)


def lrn(
    x: Tensor,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Tensor:
    """Return x / (bias + alpha * sum of x^2 over neighbouring channels) ^ beta, for x (N, C, H, W).

    The neighbours are the channels at most ``depth_radius`` apart, the channel itself included.
    """
    return LRN(depth_radius, bias, alpha, beta, norm_region)(x)


__all__ = [
    "LRN",
    "ChannelWindowSum",
    "L2Normalize",
    "RmsNorm",
    "group_norm",
    "lrn",
    "rms_norm",
]
