"""Pooling and image resizing; the batch axis of the input is optional."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.mint.nn.functional.axis_arguments import expand_to_axes
from minispore.ops.support.arguments import check_tensors


def _apply_with_batch_axis(
    api_name: str, input: Tensor, axes: int, pool: Callable[[Tensor], Any]
) -> Any:
    """Return ``pool(input)``, adding a batch axis for the call, and removing it from the result, if
    the input has none.

    Raises:
        ValueError: the input has neither ``axes`` + 1 nor ``axes`` + 2 axes.
    """
    if input.ndim == axes + 2:
        return pool(input)
    if input.ndim != axes + 1:
        raise ValueError(
            f"{api_name}: input must have {axes + 1} or {axes + 2} axes, got shape {input.shape}."
        )
    output = pool(ops.unsqueeze(input, 0))
    if isinstance(output, tuple):
        return tuple(ops.squeeze(tensor, 0) for tensor in output)
    return output.squeeze(0)


def max_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Return the maximum of each window of (N, C, H, W), with ``return_indices`` also its flat
    index in the image.

    The batch axis is optional, and the default stride is the kernel size.

    >>> print(max_pool2d(Tensor([[[1.0, 3.0, 2.0, 4.0]]]), (1, 2)))
    [[[3. 4.]]]
    """

    check_tensors("max_pool2d", input=input)
    checks.boolean("max_pool2d", "return_indices", return_indices)
    checks.boolean("max_pool2d", "ceil_mode", ceil_mode)

    def pool(x: Tensor) -> Any:
        """Pool ``x``, which has a batch axis; the default stride is the kernel size."""
        step = kernel_size if stride is None else stride
        return ops.max_pool2d(
            x, kernel_size, step, padding, dilation, return_indices=return_indices,
            ceil_mode=ceil_mode,
        )  # fmt: skip

    return _apply_with_batch_axis("max_pool2d", input, 2, pool)


def avg_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Return the mean of each window of (N, C, L).

    The batch axis is optional, and the default stride is the kernel size. Padding counts as zeros,
    unless ``count_include_pad`` is False.

    >>> print(avg_pool1d(Tensor([[1.0, 3.0, 2.0, 4.0]]), 2))
    [[2. 3.]]
    """
    check_tensors("avg_pool1d", input=input)
    (kernel,) = expand_to_axes("avg_pool1d", "kernel_size", kernel_size, 1)
    (step,) = expand_to_axes("avg_pool1d", "stride", kernel if stride is None else stride, 1)

    def pool(x: Tensor) -> Tensor:
        """Pool ``x``, which has a batch axis."""
        return ops.avg_pool1d(x, kernel, step, padding, ceil_mode, count_include_pad)

    output: Tensor = _apply_with_batch_axis("avg_pool1d", input, 1, pool)
    return output


def _average_windows(
    axes: int,
    input: Tensor,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor: int | None,
) -> Tensor:
    """Check the arguments, and average each window over 2 or 3 spatial ``axes``; the batch axis is
    optional.

    The sum of a window is divided by ``divisor``, or by its number of elements if that is None.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the input or a tuple has the wrong number of axes, or ``divisor`` is 0.
    """
    name = f"avg_pool{axes}d"
    check_tensors(name, input=input)
    kernel = expand_to_axes(name, "kernel_size", kernel_size, axes)
    step = kernel if stride is None else expand_to_axes(name, "stride", stride, axes)
    pads = tuple(p for p in expand_to_axes(name, "padding", padding, axes) for _ in range(2))
    checks.boolean(name, "ceil_mode", ceil_mode)
    checks.boolean(name, "count_include_pad", count_include_pad)
    if divisor is not None and checks.integer(name, "divisor_override", divisor) == 0:
        raise ValueError(f"{name}: divisor_override must not be 0. Give None for the window's.")
    options = ceil_mode, count_include_pad, divisor or 0
    average = ops.avg_pool2d if axes == 2 else ops.avg_pool3d
    output: Tensor = _apply_with_batch_axis(
        name, input, axes, lambda x: average(x, kernel, step, pads, *options)
    )
    return output


def avg_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean of each window of (N, C, H, W), or the sum divided by ``divisor_override``.

    The batch axis is optional, and the default stride is the kernel size. Padding counts as zeros,
    unless ``count_include_pad`` is False.
    """
    return _average_windows(
        2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def avg_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """Return the mean of each window of (N, C, D, H, W), or the sum divided by
    ``divisor_override``.

    The batch axis is optional, and the default stride is the kernel size. Padding counts as zeros,
    unless ``count_include_pad`` is False.
    """
    return _average_windows(
        3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return the maximum of each of ``output_size`` windows along the last axis, optionally with
    its index.

    >>> print(*adaptive_max_pool1d(Tensor([[1.0, 3.0, 4.0, 2.0]]), 2, True))
    [[3. 4.]] [[1 2]]
    """
    if not return_indices:
        return ops.adaptive_max_pool1d(input, output_size)
    (size,) = expand_to_axes("adaptive_max_pool1d", "output_size", output_size, 1)
    values, indices = ops.adaptive_max_pool2d(ops.unsqueeze(input, -2), (1, size), True)
    return ops.squeeze(values, -2), ops.squeeze(indices, -2)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """Invert max pooling: place each element at its index in ``indices``, with zeros elsewhere.

    ``indices`` are those that :func:`max_pool2d` returns with the same windows. ``output_size`` is
    the size of the image, by default the smallest that the windows fit.
    """
    return ops.max_unpool2d(input, indices, kernel_size, stride, padding, output_size)


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Resize a batch of signals, images or volumes (N, C, ...) to ``size``, or by ``scale_factor``.

    >>> print(interpolate(Tensor([[[1.0, 3.0]]]), 4))
    [[[1. 1. 3. 3.]]]
    """
    options = align_corners, recompute_scale_factor
    if mode == "linear" and isinstance(input, Tensor) and input.ndim == 3:
        size, scale_factor = _prepend_row(size, 1), _prepend_row(scale_factor, 1.0)
        rows = ops.interpolate(input.expand_dims(2), size, scale_factor, "bilinear", *options)
        return rows.squeeze(2)
    return ops.interpolate(input, size, scale_factor, mode, *options)


def _prepend_row(value: Any, row_value: float) -> Any:
    """Convert the size or factor of a 1-D signal to the pair for an image with one row, beginning
    with ``row_value``; None stays None.
    """
    if value is None:
        return None
    return (row_value, *value) if isinstance(value, tuple | list) else (row_value, value)


def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Return ``input`` resized to ``size`` or by ``scale_factor``, as :func:`interpolate` does."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Return the image (N, C, H, W) sampled at the coordinates (x, y) in ``grid`` (N, OH, OW, 2),
    which range from -1 to 1.

    Volumes have one axis more. ``padding_mode`` says what is outside the image.
    """
    return ops.grid_sample(input, grid, mode, padding_mode, bool(align_corners))


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Move channels into space: (N, C * r * r, H, W) -> (N, C, H * r, W * r); raise ValueError if
    that is impossible.
    """
    return ops.pixel_shuffle(input, upscale_factor)


def pad(input: Tensor, pad: Any, mode: str = "constant", value: Any = None) -> Tensor:
    """Return ``input`` with a border of (before, after) elements for the last axis, then the axis
    before, and so on.

    ``mode`` is "constant" (of ``value``, 0 by default), "reflect", "replicate" or "circular";
    negative numbers crop.

    >>> print(pad(Tensor([1, 2]), (1, 0)))
    [0 1 2]
    """
    return ops.pad(input, pad, mode, value)


__all__ = [
    "adaptive_max_pool1d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "grid_sample",
    "interpolate",
    "max_pool2d",
    "max_unpool2d",
    "pad",
    "pixel_shuffle",
    "upsample",
]
