"""Convolutions and linear maps; padding may be "same" or "valid", and the batch axis is
optional.
"""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.mint.nn.functional.axis_arguments import expand_to_axes
from minispore.ops.elementwise.arithmetic import Add
from minispore.ops.network.bias import BiasAdd
from minispore.ops.support.arguments import check_tensors


def _convolve(
    axes: int,
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Tensor:
    """Convolve (N, C, ...) or (C, ...) over ``axes`` spatial axes, and add ``bias`` unless it is
    None.

    Raises:
        TypeError: ``stride``, ``padding`` or ``dilation`` is not an int or a tuple of ints.
        ValueError: the input has a different number of axes, or the padding is not valid: "same"
            requires a stride of 1.
    """
    name = f"conv{axes}d"
    if input.ndim not in (axes + 1, axes + 2):
        raise ValueError(
            f"{name}: input must have {axes + 1} or {axes + 2} axes, got shape {input.shape}."
        )
    if axes == 1:  # computed as the 2-D convolution of an image with one row
        stride = (1, *expand_to_axes(name, "stride", stride, 1))
        dilation = (1, *expand_to_axes(name, "dilation", dilation, 1))
        if not isinstance(padding, str):
            padding = (0, *expand_to_axes(name, "padding", padding, 1))
        image, kernel = ops.unsqueeze(input, -2), ops.unsqueeze(weight, -2)
        output = _convolve(2, image, kernel, bias, stride, padding, dilation, groups)
        return ops.squeeze(output, -2)
    strides, dilations = (
        expand_to_axes(name, argument, value, axes)
        for argument, value in (("stride", stride), ("dilation", dilation))
    )
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(f"{name}: padding must be 'same' or 'valid', got {padding!r}.")
        if padding == "same" and any(s != 1 for s in strides):
            raise ValueError(f"{name}: stride must be 1 for padding 'same', got {stride!r}.")
        mode = padding
        pad = (0,) * (2 * axes)
    else:
        mode = "pad"
        pad = tuple(p for p in expand_to_axes(name, "padding", padding, axes) for _ in range(2))
    has_batch_axis = input.ndim == axes + 2
    x = input if has_batch_axis else ops.unsqueeze(input, 0)
    convolve = ops.conv2d if axes == 2 else ops.conv3d
    output = convolve(x, weight, bias, strides, mode, pad, dilations, groups)
    return output if has_batch_axis else ops.squeeze(output, 0)


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Return the convolution of (N, C, L) with a weight (F, C/groups, K), plus the bias; the batch
    axis is optional.

    Stride, padding and dilation are an int or one per axis; padding may also be "same", with a
    stride of 1, or "valid".

    >>> print(conv1d(Tensor([[[1.0, 2.0, 4.0]]]), Tensor([[[1.0, 1.0]]])))
    [[[3. 6.]]]
    """
    check_tensors("conv1d", input=input, weight=weight)
    return _convolve(1, input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Return the convolution of (N, C, H, W) with a weight (F, C/groups, KH, KW), plus the bias;
    the batch axis is optional.

    Stride, padding and dilation are an int or one per axis; padding may also be "same", with a
    stride of 1, or "valid".
    """
    check_tensors("conv2d", input=input, weight=weight)
    return _convolve(2, input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Return the convolution of (N, C, D, H, W) with a weight (F, C/groups, KD, KH, KW), plus the
    bias; the batch axis is optional.

    Stride, padding and dilation are an int or one per axis; padding may also be "same", with a
    stride of 1, or "valid".
    """
    check_tensors("conv3d", input=input, weight=weight)
    return _convolve(3, input, weight, bias, stride, padding, dilation, groups)


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Return a transposed convolution: the gradient of :func:`conv2d` w.r.t. its input.

    Args:
        input: (N, C, H, W) or (C, H, W).
        weight: (C, F/groups, KH, KW).
        bias: (F,).
        stride: step of the window in the output per element of the input.
        padding: number of elements cropped from each side of the output.
        output_padding: number of elements added at the bottom and right of the output.
        groups: number of groups that the channels are split into.
        dilation: spacing between the elements of the window.

    Raises:
        TypeError: ``input`` or ``weight`` is not a Tensor, or a number not an int.
        ValueError: the input does not have 3 or 4 axes, or ``output_padding`` is too large.

    Shape: (N, C, H, W) -> (N, F, (H - 1) * stride - 2 * padding + dilation * (KH - 1) +
    output_padding + 1, ...).

    >>> print(conv_transpose2d(Tensor([[[[2.0]]]]), Tensor([[[[1.0, 3.0]]]])))
    [[[[2. 6.]]]]
    """
    check_tensors("conv_transpose2d", input=input, weight=weight)
    name = "conv_transpose2d"
    if input.ndim not in (3, 4):
        raise ValueError(f"{name}: input must have 3 or 4 axes, got shape {input.shape}.")
    strides, pads, output_pads, dilations = (
        expand_to_axes(name, argument, value, 2)
        for argument, value in (
            ("stride", stride),
            ("padding", padding),
            ("output_padding", output_padding),
            ("dilation", dilation),
        )
    )
    if any(e >= max(s, d) for e, s, d in zip(output_pads, strides, dilations, strict=True)):
        raise ValueError(
            f"{name}: output_padding must be below stride or dilation, got {output_padding!r}."
        )
    x = input if input.ndim == 4 else ops.unsqueeze(input, 0)
    channels, kernel = weight.shape[1] * groups, weight.shape[2:]
    size = tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + e + 1
        for n, s, p, d, k, e in zip(
            x.shape[2:], strides, pads, dilations, kernel, output_pads, strict=True
        )
    )
    transposed = ops.Conv2DTranspose(
        x.shape[1], kernel, "pad", pad=tuple(p for p in pads for _ in range(2)),
        stride=strides, dilation=dilations, group=groups,
    )  # fmt: skip
    output = transposed(x, weight, (x.shape[0], channels, *size))
    if bias is not None:
        output = BiasAdd()(output, bias)
    return output if input.ndim == 4 else ops.squeeze(output, 0)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input @ weight.T + bias, along the last axis of ``input``.

    A weight (out, in) gives (..., out); a vector gives (...).

    >>> print(linear(Tensor([1.0, 2.0]), Tensor([[1.0, 1.0], [0.0, 3.0]]), Tensor([0.5, 0.0])))
    [3.5 6. ]
    """
    check_tensors("linear", input=input, weight=weight)
    transposed_weight = weight.T if weight.ndim == 2 else weight
    output = ops.matmul(input, transposed_weight)
    return output if bias is None else Add()(output, bias)


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolve (L, N, C), padded by ``pad``, along the first axis with a weight (K, C, F), and add
    the bias.

    The result is (L + 2 * pad - K + 1, N, F).

    >>> x = Tensor([[[1.0]], [[2.0]], [[4.0]]])
    >>> print(ops.squeeze(conv_tbc(x, Tensor([[[1.0]], [[1.0]]]), Tensor([0.5]))))
    [3.5 6.5]
    """
    output = conv1d(
        ops.transpose(input, (1, 2, 0)), ops.transpose(weight, (2, 1, 0)), bias, padding=pad
    )
    return ops.transpose(output, (2, 0, 1))


__all__ = ["conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose2d", "linear"]
