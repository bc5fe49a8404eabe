"""Convolutions and transposed convolutions over one, two and three axes."""

from __future__ import annotations

import math
from typing import Any

from minispore import ops
from minispore.core.initializer import HeUniform, Uniform
from minispore.core.initializer.filling import _calculate_fan_in_and_fan_out
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.dense import make_param
from minispore.ops.network.conv_transpose import infer_transposed_lengths

_FORMATS = {2: "NCHW", 3: "NCDHW"}


class _Conv(Cell):
    """Base of all convolutions: checks the arguments, and creates weight and bias."""

    rank = 2  # axes of the op's window; 1-d convolutions use 2, the first of length 1
    transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCHW",
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__()
        name, rank = type(self).__name__, self.rank
        self.in_channels = checks.integer(name, "in_channels", in_channels, 1)
        self.out_channels = checks.integer(name, "out_channels", out_channels, 1)
        self.group = checks.integer(name, "group", group, 1)
        if in_channels % group or out_channels % group:
            raise ValueError(
                f"{name}: group must divide in_channels and out_channels, "
                f"got group={group}, in_channels={in_channels}, out_channels={out_channels}."
            )
        self.kernel_size = checks.integers(name, "kernel_size", kernel_size, rank)
        self.stride = checks.integers(name, "stride", stride, rank)
        self.dilation = checks.integers(name, "dilation", dilation, rank)
        self.pad_mode = checks.one_of(name, "pad_mode", pad_mode, ("valid", "same", "pad"))
        if any(checks.integers(name, "padding", padding, 2 * rank, 0)) and pad_mode != "pad":
            raise ValueError(
                f"{name}: padding must be 0 unless pad_mode is 'pad', got {padding!r} with "
                f"{pad_mode!r}."
            )
        self.padding = padding
        self.data_format = _FORMATS[rank]
        if data_format != self.data_format:
            raise ValueError(
                f"{name}: data_format must be {self.data_format!r}, got {data_format!r}. "
                "Transpose the input with ops.transpose."
            )
        self.has_bias = checks.boolean(name, "has_bias", has_bias)
        weight_outer, weight_inner = out_channels, in_channels
        if self.transposed:
            weight_outer, weight_inner = weight_inner, weight_outer
        shape = (weight_outer, weight_inner // group, *self.kernel_size)
        self.weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = make_param(name, "weight", self.weight_init, shape, None, dtype)
        self.bias_init = bias_init
        self.bias = None
        if has_bias:
            if bias_init is None:
                self.bias_init = Uniform(1 / math.sqrt(_calculate_fan_in_and_fan_out(shape)[0]))
            self.bias = make_param(name, "bias", self.bias_init, (out_channels,), None, dtype)
        self.bias_add = ops.BiasAdd(self.data_format)
        self._make_op()

    __init__.__qualname__ = "Conv2d.__init__"  # MindSpore's name in argument errors

    def _make_op(self) -> None:
        """Store the op as an attribute. Called by ``__init__`` when the other attributes are set;
        classes that store it in their own ``__init__`` do not override it.
        """

    def _get_op_attributes(self) -> dict[str, Any]:
        """Return the op's attributes by name."""
        return {
            "kernel_size": self.kernel_size,
            "pad_mode": self.pad_mode,
            "pad": self.padding,
            "stride": self.stride,
            "dilation": self.dilation,
            "group": self.group,
            "data_format": self.data_format,
        }

    def _add_bias(self, out: Tensor) -> Tensor:
        return self.bias_add(out, self.bias) if self.has_bias else out

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, "
            f"dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format={self.data_format}"
        )


class Conv2d(_Conv):
    """Convolution over the last two axes.

    Args:
        in_channels: C of the input.
        out_channels: C of the output.
        kernel_size: an int or (height, width).
        stride: an int or (height, width).
        pad_mode: ``"same"`` (output size = input size / stride, rounded up), ``"valid"`` (no
            padding) or ``"pad"``.
        padding: with ``"pad"``, an int or (top, bottom, left, right).
        dilation: an int or (height, width).
        group: the number of groups of channels, which are convolved independently.
        has_bias: whether there is a bias.
        weight_init: an initializer, its name, a number or a Tensor; by default HeUniform(sqrt(5)).
        bias_init: the same for the bias; by default uniform over +-1/sqrt(fan_in).
        data_format: ``"NCHW"``.
        dtype: the dtype of the parameters.

    Raises:
        TypeError: an argument has the wrong type; when called: the dtypes of x and the weight
            differ.
        ValueError: an argument is out of range; when called: x has a wrong number of channels or
            axes.

    Shape: x (N, C, H, W) -> (N, out_channels, OH, OW).

    >>> import numpy as np
    >>> Conv2d(3, 8, 3, stride=2)(Tensor(np.zeros((1, 3, 9, 9), np.float32))).shape
    (1, 8, 5, 5)
    """

    def _make_op(self) -> None:
        self.conv2d = ops.Conv2D(self.out_channels, **self._get_op_attributes())

    def construct(self, x: Tensor) -> Tensor:
        return self._add_bias(self.conv2d(x, self.weight))


class _Conv1dBase(_Conv):
    """Base of 1-d convolutions, which run as 2-d ones with a first axis of length 1."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        pad_mode: str = "same",
        padding: int = 0,
        dilation: int = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Any = mstype.float32,
    ) -> None:
        name = type(self).__name__
        kernel = checks.integer(name, "kernel_size", kernel_size, 1)
        step = checks.integer(name, "stride", stride, 1)
        pad = checks.integer(name, "padding", padding, 0)
        dilate = checks.integer(name, "dilation", dilation, 1)
        if isinstance(weight_init, Tensor) and weight_init.ndim == 3:
            weight_init = Tensor(weight_init.asnumpy()[:, :, None])
        super().__init__(
            in_channels, out_channels, (1, kernel), (1, step), pad_mode, (0, 0, pad, pad),
            (1, dilate), group, has_bias, weight_init, bias_init, dtype=dtype,
        )  # fmt: skip
        self.shape, self.expand_dims, self.squeeze = ops.Shape(), ops.ExpandDims(), ops.Squeeze(2)

    __init__.__qualname__ = "Conv1d.__init__"


class Conv1d(_Conv1dBase):
    """Convolution over the last axis. The arguments are those of :class:`Conv2d`, each an int.

    Shape: x (N, C, L) -> (N, out_channels, OL).
    """

    def _make_op(self) -> None:
        self.conv2d = ops.Conv2D(self.out_channels, **self._get_op_attributes())

    def construct(self, x: Tensor) -> Tensor:
        check.check_ndim("Conv1d", "x", x, 3)
        return self.squeeze(self._add_bias(self.conv2d(self.expand_dims(x, 2), self.weight)))


class Conv3d(_Conv):
    """Convolution over the last three axes.

    The arguments are those of :class:`Conv2d`; a tuple ``padding`` has 6 ints.

    Shape: x (N, C, D, H, W) -> (N, out_channels, OD, OH, OW).
    """

    rank = 3

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCDHW",
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, data_format, dtype,
        )  # fmt: skip
        self.conv3d = ops.Conv3D(self.out_channels, **self._get_op_attributes())

    def construct(self, x: Tensor) -> Tensor:
        return self._add_bias(self.conv3d(x, self.weight))


class _ConvTranspose(_Conv):
    """Base of transposed convolutions; computes the output's size."""

    transposed = True

    def _compute_output_lengths(self, sizes: tuple[int, ...]) -> tuple[int, ...]:
        """Return the spatial lengths of the output for an input of spatial ``sizes``."""
        pad = checks.integers(type(self).__name__, "padding", self.padding, 2 * len(sizes), 0)
        return infer_transposed_lengths(
            sizes, self.kernel_size, self.stride, self.dilation, self.pad_mode, pad
        )

    def _check_output_padding(self, value: Any) -> tuple[int, ...]:
        """Check ``output_padding`` and return it as one int per axis.

        Raises:
            ValueError: it is not 0 though pad_mode is not 'pad', or it is not below stride or
                dilation.
        """
        name = type(self).__name__
        numbers = checks.integers(name, "output_padding", value, self.rank, low=0)
        if any(numbers) and self.pad_mode != "pad":
            raise ValueError(
                f"{name}: output_padding must be 0 unless pad_mode is 'pad', got {value!r} with "
                f"{self.pad_mode!r}."
            )
        for n, stride, dilation in zip(numbers, self.stride, self.dilation, strict=True):
            if n >= max(stride, dilation):
                raise ValueError(
                    f"{name}: output_padding must be below stride or dilation, got {value!r}."
                )
        return numbers


class Conv2dTranspose(_ConvTranspose):
    """The gradient of :class:`Conv2d` with respect to its input, as a layer that enlarges images.

    Args:
        output_padding: zeros appended at the bottom and right of the output, an int or two.

    The other arguments are those of :class:`Conv2d`.

    Shape: x (N, C, H, W) -> (N, out_channels, H * stride, W * stride) with ``"same"``.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, dtype=dtype,
        )  # fmt: skip
        self.output_padding = output_padding
        self._output_padding_sizes = self._check_output_padding(output_padding)
        self.conv2d_transpose = ops.Conv2DTranspose(self.in_channels, **self._get_op_attributes())

    def construct(self, x: Tensor) -> Tensor:
        """Return the enlarged image plus the bias, extended by zeros for ``output_padding``."""
        check.check_ndim("Conv2dTranspose", "x", x, 4)
        shape = (x.shape[0], self.out_channels, *self._compute_output_lengths(x.shape[2:]))
        out = self._add_bias(self.conv2d_transpose(x, self.weight, shape))
        bottom, right = self._output_padding_sizes
        if bottom or right:
            out = ops.Pad(((0, 0), (0, 0), (0, bottom), (0, right)))(out)
        return out


class Conv1dTranspose(_Conv1dBase, _ConvTranspose):
    """The gradient of :class:`Conv1d` with respect to its input, as a layer that enlarges
    sequences.

    The arguments are those of :class:`Conv1d`.

    Shape: x (N, C, L) -> (N, out_channels, L * stride) with ``"same"``.
    """

    def _make_op(self) -> None:
        self.conv2d_transpose = ops.Conv2DTranspose(self.in_channels, **self._get_op_attributes())

    def construct(self, x: Tensor) -> Tensor:
        """Return the enlarged sequence plus the bias, computed as an image of height 1."""
        check.check_ndim("Conv1dTranspose", "x", x, 3)
        shape = (x.shape[0], self.out_channels, *self._compute_output_lengths((1, x.shape[2])))
        return self.squeeze(
            self._add_bias(self.conv2d_transpose(self.expand_dims(x, 2), self.weight, shape))
        )


class Conv3dTranspose(_ConvTranspose):
    """The gradient of :class:`Conv3d` with respect to its input, as a layer that enlarges volumes.

    Args:
        output_padding: elements added to one side of the output, an int or three.

    The other arguments are those of :class:`Conv3d`.

    Shape: x (N, C, D, H, W) -> (N, out_channels, D * stride, H * stride, W * stride) with
        ``"same"``.
    """

    rank = 3

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        output_padding: Any = 0,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCDHW",
        dtype: Any = mstype.float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
            has_bias, weight_init, bias_init, data_format, dtype,
        )  # fmt: skip
        self.output_padding = self._check_output_padding(output_padding)
        self.conv3d_transpose = ops.Conv3DTranspose(
            self.in_channels,
            self.out_channels,
            output_padding=self.output_padding,
            **self._get_op_attributes(),
        )

    def construct(self, x: Tensor) -> Tensor:
        check.check_ndim("Conv3dTranspose", "x", x, 5)
        return self._add_bias(self.conv3d_transpose(x, self.weight))


__all__ = ["Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dTranspose", "Conv3d", "Conv3dTranspose"]
