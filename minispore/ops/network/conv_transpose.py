"""The transposed 3-D convolution: the gradient of Conv3D by its input, with an inferred size.

The 2-D counterpart is ``Conv2DBackpropInput``, which takes the size as an argument.
"""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.ops.network.conv import Conv3DBackpropInput
from minispore.ops.steps.window import normalise_padding, normalise_per_axis
from minispore.ops.support.derive import _Composite


def infer_transposed_lengths(
    sizes: tuple[int, ...],
    kernel_size: tuple[int, ...],
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
    pad_mode: str,
    pad: tuple[int, ...],
) -> tuple[int, ...]:
    """Return the spatial lengths of an input whose convolution has these output ``sizes``.

    ``pad`` is a flat tuple of (before, after) for each axis. If several lengths are possible, it is
    the shortest with "pad", the longest with "same", and the shortest of at least size * stride
    with "valid".
    """
    lengths = []
    for i, (n, k, s, d) in enumerate(zip(sizes, kernel_size, stride, dilation, strict=True)):
        extent = (k - 1) * d + 1
        if pad_mode == "same":
            lengths.append(n * s)
        elif pad_mode == "valid":
            lengths.append(n * s + max(extent - s, 0))
        else:
            lengths.append((n - 1) * s + extent - pad[2 * i] - pad[2 * i + 1])
    return tuple(lengths)


class Conv3DTranspose(_Composite):
    """The transposed convolution of (N, in_channel, D, H, W), which enlarges the volume.

    Args:
        in_channel, out_channel: channels of the input, and of the output.
        kernel_size: an int or three.
        mode: 1.
        pad_mode: "valid", "same" or "pad".
        pad: the padding of the matching convolution: an int or six, with "pad".
        stride, dilation: an int or three.
        group: the number of groups that the channels are split into.
        output_padding: the number of elements to add to the shortest output: an int or three, with
            "pad".
        data_format: "NCDHW".

    Shape: dout: (N, in_channel, D, H, W); weight: (in_channel, out_channel / group, KD, KH, KW).

    >>> x = Tensor([[[[[1.0, 1.0]]]]])
    >>> print(Conv3DTranspose(1, 1, (1, 1, 2))(x, x).reshape(-1))
    [1. 2. 1.]
    """

    in_channel: int
    out_channel: int
    kernel_size: Any
    mode: int = 1
    pad_mode: str = "valid"
    pad: Any = 0
    stride: Any = 1
    dilation: Any = 1
    group: int = 1
    output_padding: Any = 0
    data_format: str = "NCDHW"

    def check(self) -> None:
        """Check the attributes by creating the convolution's gradient op, and ``output_padding``
        against the stride.

        Raises:
            TypeError: an attribute is of a wrong type.
            ValueError: an attribute is out of range, or ``output_padding`` is not 0 without "pad"
                or not below the larger of stride and dilation.
        """
        conv_grad = self._make_conv_gradient()
        extra = normalise_per_axis(self.name, "output_padding", self.output_padding, 3, minimum=0)
        if any(extra) and conv_grad.pad_mode != "pad":
            raise ValueError(
                f"{self.name}: output_padding must be 0 unless pad_mode is 'pad', got "
                f"{self.output_padding!r} with {self.pad_mode!r}."
            )
        if conv_grad.dilation[0] != 1:
            raise ValueError(
                f"{self.name}: dilation must be 1 along the depth, got {self.dilation!r}."
            )
        for e, s, d in zip(extra, conv_grad.stride, conv_grad.dilation, strict=True):
            if e >= max(s, d):
                raise ValueError(
                    f"{self.name}: output_padding must be below stride or dilation, got "
                    f"{self.output_padding!r}."
                )

    def _make_conv_gradient(self) -> Any:
        """Create the input-gradient op of the matching convolution, which also checks the
        attributes.
        """
        return Conv3DBackpropInput(
            out_channel=self.in_channel,  # the convolution's output is its gradient's input
            kernel_size=self.kernel_size,
            mode=self.mode,
            pad_mode=self.pad_mode,
            pad=self.pad,
            stride=self.stride,
            dilation=self.dilation,
            group=self.group,
            data_format=self.data_format,
        )

    def __call__(self, dout: Tensor, weight: Tensor) -> Tensor:
        """Infer the output size, add ``output_padding``, and apply a convolution's input gradient.

        Raises:
            ValueError: ``dout`` does not have 5 axes, or the shapes do not fit.
        """
        conv_grad = self._make_conv_gradient()
        if dout.ndim != 5:
            raise ValueError(
                f"{self.name}: dout must have 5 axes (N, C, D, H, W), got the shape {dout.shape}."
            )
        extra = normalise_per_axis(self.name, "output_padding", self.output_padding, 3, minimum=0)
        lengths = infer_transposed_lengths(
            dout.shape[2:], conv_grad.kernel_size, conv_grad.stride, conv_grad.dilation,
            conv_grad.pad_mode,
            normalise_padding(self.name, conv_grad.pad, 3),
        )  # fmt: skip
        space = tuple(n + e for n, e in zip(lengths, extra, strict=True))
        return conv_grad(dout, weight, (dout.shape[0], self.out_channel, *space))


__all__ = ["Conv3DTranspose"]
