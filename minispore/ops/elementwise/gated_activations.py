"""Gated activations, in which one half of the input gates the other."""

from __future__ import annotations

from minispore.core.tensor import Tensor
from minispore.ops.elementwise.arithmetic import Mul
from minispore.ops.elementwise.smooth_activations import Sigmoid, SiLU
from minispore.ops.shape.split import Split
from minispore.ops.support.arguments import ANY_NDIM, check_axis, check_real, check_tensors
from minispore.ops.support.derive import _Composite
from minispore.ops.support.spelling import also_spelled


class GLU(_Composite):
    """The first half of x along ``axis`` times the sigmoid of the second half.

    Source: Dauphin et al., https://arxiv.org/abs/1612.08083

    >>> print(GLU()(Tensor([2.0, 0.0])))
    [1.]
    """

    axis: int = -1

    def check(self) -> None:
        check_axis(self.name, self.axis, ANY_NDIM)

    def __call__(self, x: Tensor) -> Tensor:
        check_real(self.name, x)
        values, gates = split_halves(self.name, x, self.axis)
        return Mul()(values, Sigmoid()(gates))


@also_spelled(dim="axis")
def glu(x: Tensor, axis: int = -1) -> Tensor:
    """Apply :class:`GLU` to ``x``."""
    return GLU(axis)(x)


@also_spelled(axis="dim")
def swiglu(input: Tensor, dim: int = -1) -> Tensor:
    """Multiply silu of the first half of ``input`` along ``dim`` by the second half.

    Source: Shazeer, https://arxiv.org/abs/2002.05202
    """
    check_tensors("swiglu", input=input)
    gates, values = split_halves("swiglu", input, dim)
    return Mul()(SiLU()(gates), values)


def split_halves(op: str, x: Tensor, axis: int) -> tuple[Tensor, ...]:
    """Split ``x`` into two halves along ``axis``.

    Raises:
        ValueError: the axis has an odd length.
    """
    axis = check_axis(op, axis, x.ndim)
    if x.shape[axis] % 2:
        raise ValueError(f"{op}: the axis {axis} must have an even length, got {x.shape[axis]}.")
    return Split(axis, 2)(x)


__all__ = [
    "GLU",
    "glu",
    "swiglu",
]
