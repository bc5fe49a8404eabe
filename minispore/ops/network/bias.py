"""A bias for each channel."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls, Cotangents, Primitive, Promotion
from minispore.core.tensor import Tensor
from minispore.execution.kernels.blas import bind_add_row
from minispore.execution.layout import LIKE_INPUT
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import broadcast_to
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import broadcast_along, check_tensor_spec
from minispore.ops.support.sums import bind_sum_of_rows, emit_channel_dots


class BiasAdd(Primitive):
    """x + bias along the channel axis (axis 1, or the last one in NHWC).

    Shape: x: at least 2 axes; bias: (C,); output: like x.

    >>> print(BiasAdd()(Tensor([[1.0, 2.0]]), Tensor([10.0, 20.0])))
    [[11. 22.]]
    """

    data_format: str = "NCHW"
    reuse = (0,)
    promotion = Promotion((0, 1))
    layout = LIKE_INPUT

    def check(self) -> None:
        check_data_format(self.name, self.data_format)

    def infer(self, x: Spec, bias: Spec) -> Spec:
        """Return the spec of x; raise unless x has 2 axes or more and the bias one element per
        channel.
        """
        if check_tensor_spec(self.name, x, "input_x").ndim < 2:
            raise ValueError(f"BiasAdd: input_x must have at least 2 axes, got {x}.")
        check_channel_vector(self.name, bias, x, get_channel_axis(self.data_format, x.ndim), "bias")
        return x

    def calls(self, x: np.ndarray, bias: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the call that adds the bias; BLAS adds it if ``out`` is the matrix x itself."""
        if x.ndim == 2 and (x.ctypes.data, x.strides) == (out.ctypes.data, out.strides):
            return [bind_add_row(out, bias)]
        channels = broadcast_along(bias, get_channel_axis(self.data_format, x.ndim), x.ndim)
        return [partial(np.add, x, channels, out=out)]

    def vjp(self, x: Tensor, bias: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return dout, lambda: BiasAddGrad(self.data_format)(dout)


class BiasAddGrad(Primitive):
    """The sum over all axes but the channels: dy -> (C,).

    >>> print(BiasAddGrad()(Tensor([[1.0, 2.0], [3.0, 4.0]])))
    [4. 6.]
    """

    data_format: str = "NCHW"

    def check(self) -> None:
        check_data_format(self.name, self.data_format)

    def infer(self, dy: Spec) -> Spec:
        check_tensor_spec(self.name, dy, "dout")
        return Spec((dy.shape[get_channel_axis(self.data_format, dy.ndim)],), dy.dtype)

    def calls(self, dy: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the calls that sum over all axes but the channels, by matrix products where that
        is faster.
        """
        axis = get_channel_axis(self.data_format, dy.ndim)
        if dy.ndim == 2 and (fast_call := bind_sum_of_rows(dy, out)):
            return [fast_call]
        return emit_channel_dots(dy, None, axis, out)

    def vjp(self, dy: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        axis = get_channel_axis(self.data_format, dy.ndim)
        return (lambda: broadcast_to(_expand_channels(dout, axis, dy.ndim), dy.shape),)


def bias_add(input_x: Tensor, bias: Tensor) -> Tensor:
    """Return ``input_x`` plus ``bias`` (C,) along axis 1, see :class:`BiasAdd`."""
    return BiasAdd()(input_x, bias)


_FORMATS = ("NCHW", "NHWC", "NCDHW")


def get_channel_axis(data_format: str, ndim: int) -> int:
    """Return the index of the channel axis: the last in NHWC, else 1; 0 for a vector."""
    return ndim - 1 if data_format == "NHWC" else min(1, ndim - 1)


def check_data_format(op: str, data_format: Any) -> None:
    """Raise a ValueError unless ``data_format`` is "NCHW", "NHWC" or "NCDHW"."""
    if data_format not in _FORMATS:
        raise ValueError(f"{op}: data_format must be one of {_FORMATS}, got {data_format!r}.")


def _expand_channels(channels: Tensor, axis: int, ndim: int) -> Tensor:
    """Reshape a vector of channels so that it broadcasts along ``axis`` of ``ndim`` axes."""
    return Reshape()(channels, tuple(-1 if i == axis else 1 for i in range(ndim)))


def check_channel_vector(op: str, v: Any, x: Spec, axis: int, name: str) -> Spec:
    """Return ``v`` if it holds one element per channel of x.

    Raises:
        TypeError: v is not a tensor.
        ValueError: v has a different shape.
    """
    if check_tensor_spec(op, v, name).shape != (x.shape[axis],):
        raise ValueError(
            f"{op}: {name} must have the shape ({x.shape[axis]},), one number per channel of {x}, "
            f"got {v.shape}."
        )
    return v


__all__ = [
    "BiasAdd",
    "BiasAddGrad",
    "bias_add",
]
