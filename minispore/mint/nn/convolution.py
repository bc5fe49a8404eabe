"""Convolutions as layers, with a weight and optionally a bias."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from minispore.core.initializer import HeUniform, Uniform, initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.mint.nn import functional as F
from minispore.mint.nn.functional.axis_arguments import expand_to_axes
from minispore.nn import Cell

_PAD_MODES = {"zeros": "", "reflect": "reflect", "replicate": "replicate", "circular": "circular"}


class _Conv(Cell):
    """Base class of convolutions, which creates their parameters and pads with non-zero borders."""

    axes: int
    function: Callable[..., Any]
    is_transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        dtype: Any = None,
    ) -> None:
        """Check the arguments, and create the Parameters weight and bias with PyTorch's initial
        ranges.

        Without ``bias``, the attribute is None. The weight is (out_channels, in_channels / groups,
        *kernel), with the channels swapped if ``is_transposed``. See :class:`Conv2d` for the
        arguments and errors.
        """
        super().__init__()
        name = type(self).__name__
        self.in_channels = checks.integer(name, "in_channels", in_channels, 1)
        self.out_channels = checks.integer(name, "out_channels", out_channels, 1)
        self.groups = checks.integer(name, "groups", groups, 1)
        if in_channels % groups or out_channels % groups:
            raise ValueError(
                f"{name}: groups must divide in_channels and out_channels, got groups={groups}, "
                f"in_channels={in_channels}, out_channels={out_channels}."
            )
        self.kernel_size = expand_to_axes(name, "kernel_size", kernel_size, self.axes)
        self.stride = expand_to_axes(name, "stride", stride, self.axes, 1)
        self.dilation = expand_to_axes(name, "dilation", dilation, self.axes, 1)
        self.padding_mode = checks.one_of(name, "padding_mode", padding_mode, _PAD_MODES)
        if isinstance(padding, str):
            self.padding: Any = checks.one_of(name, "padding", padding, ("same", "valid"))
            if padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError(
                    f"{name}: padding must be a number or 'valid' where stride is not 1, got "
                    f"'same' with stride {self.stride}."
                )
        else:
            self.padding = expand_to_axes(name, "padding", padding, self.axes)
        dtype = dtype or mstype.float32
        if self.is_transposed:
            shape = (in_channels, out_channels // groups, *self.kernel_size)
        else:
            shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = Parameter(initializer(HeUniform(math.sqrt(5)), shape, dtype), name="weight")
        self.bias = None
        if checks.boolean(name, "bias", bias):
            bound = 1 / math.sqrt(math.prod(shape[1:]))
            self.bias = Parameter(initializer(Uniform(bound), (out_channels,), dtype), name="bias")

    def _compute_border(self) -> list[int]:
        """Return (before, after) for each axis as a flat list, with the last axis first, as ``pad``
        expects.
        """
        sizes = []
        for i in reversed(range(self.axes)):
            if self.padding == "same":
                total = self.dilation[i] * (self.kernel_size[i] - 1)
                sizes += [total // 2, total - total // 2]
            else:
                sizes += [0, 0] if self.padding == "valid" else [self.padding[i]] * 2
        return sizes

    def construct(self, input: Tensor) -> Tensor:
        """Return the convolution of the input, padded before if ``padding_mode`` is not "zeros"."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._compute_border(), _PAD_MODES[self.padding_mode])
            padding = 0
        output: Tensor = self.function(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )
        return output

    def extend_repr(self) -> str:
        return (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"groups={self.groups}, bias={self.bias is not None}, "
            f"padding_mode={self.padding_mode!r}"
        )


class Conv1d(_Conv):
    """A convolution of (N, C, L) or (C, L); see :class:`Conv2d`."""

    axes = 1
    function = staticmethod(F.conv1d)


class Conv2d(_Conv):
    """A convolution of (N, C, H, W) or (C, H, W).

    Args:
        in_channels: C.
        out_channels: number of output channels.
        kernel_size: an int or (height, width), like stride, padding and dilation.
        stride: step of the window.
        padding: border added on each side; or "same" or "valid".
        dilation: spacing between the elements of the window.
        groups: number of groups that the channels are split into.
        bias: add a learned bias to each channel.
        padding_mode: content of the border: "zeros", "reflect", "replicate" or "circular".
        dtype: dtype of the parameters; float32 by default.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``groups`` does not divide the channels, or a number is out of range.

    >>> from minispore import ops
    >>> Conv2d(3, 8, 3, padding=1)(ops.ones((2, 3, 5, 5))).shape
    (2, 8, 5, 5)
    """

    axes = 2
    function = staticmethod(F.conv2d)


class Conv3d(_Conv):
    """A convolution of (N, C, D, H, W) or (C, D, H, W); see :class:`Conv2d`."""

    axes = 3
    function = staticmethod(F.conv3d)


class ConvTranspose2d(_Conv):
    """A transposed convolution, which enlarges images: the gradient of a convolution w.r.t. its
    input.

    A call accepts ``output_size``, the size of the image to return, in place of ``output_padding``.

    >>> from minispore import ops
    >>> ConvTranspose2d(3, 8, 2, stride=2)(ops.ones((2, 3, 5, 5))).shape
    (2, 8, 10, 10)
    """

    axes = 2
    is_transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        dtype: Any = None,
    ) -> None:
        """Create the layer. The arguments have PyTorch's order; a ``padding_mode`` other than
        "zeros" raises a ValueError.
        """
        if padding_mode != "zeros":
            raise ValueError(
                f"ConvTranspose2d: padding_mode must be 'zeros', got {padding_mode!r}."
            )
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
            padding_mode, dtype,
        )  # fmt: skip
        self.output_padding = expand_to_axes("ConvTranspose2d", "output_padding", output_padding, 2)

    def construct(self, input: Tensor, output_size: Any = None) -> Tensor:
        """Return the transposed convolution with the layer's ``output_padding``, or with the one
        that results in ``output_size``.

        Raises a ValueError if there is none.
        """
        output_padding = self.output_padding
        if output_size is not None:
            output_padding = self._compute_output_padding(input, output_size)
        return F.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups,
            self.dilation,
        )  # fmt: skip

    def _compute_output_padding(self, input: Tensor, output_size: Any) -> tuple[int, ...]:
        """Return the output padding for ``output_size``, which has the image axes or all axes.

        Raises:
            ValueError: no output padding results in this size.
        """
        if len(output_size) not in (2, input.ndim):
            raise ValueError(
                f"ConvTranspose2d: output_size must have 2 or {input.ndim} numbers, got "
                f"{output_size}."
            )
        windows = zip(
            input.shape[-2:], self.stride, self.padding, self.dilation, self.kernel_size,
            strict=True,
        )  # fmt: skip
        smallest = [
            (n - 1) * step - 2 * pad + dilation * (k - 1) + 1
            for n, step, pad, dilation, k in windows
        ]
        output_padding = tuple(size - n for size, n in zip(output_size[-2:], smallest, strict=True))
        if not all(0 <= r < step for r, step in zip(output_padding, self.stride, strict=True)):
            largest = [n + step - 1 for n, step in zip(smallest, self.stride, strict=True)]
            raise ValueError(
                f"ConvTranspose2d: output_size must be between {smallest} and {largest} for an "
                f"input of shape {input.shape}, got {output_size}."
            )
        return output_padding


__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d"]
