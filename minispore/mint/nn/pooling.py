"""Pooling, padding and image resizing as layers."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.mint.nn import functional as F
from minispore.mint.nn.function_cell import FunctionCell
from minispore.mint.nn.renamed import PaddingAdapter
from minispore.nn.layer.padding import _ConstantPad


class AdaptiveAvgPool1d(FunctionCell):
    """The mean of each of ``output_size`` windows of (N, C, L) or (C, L).

    >>> print(AdaptiveAvgPool1d(2)(Tensor([[1.0, 3.0, 5.0]])))
    [[2. 4.]]
    """

    function = staticmethod(F.adaptive_avg_pool1d)

    def __init__(self, output_size: Any) -> None:
        super().__init__(output_size=output_size)


class AdaptiveMaxPool1d(FunctionCell):
    """The maximum of each of ``output_size`` windows along the last axis, optionally with its
    index.
    """

    function = staticmethod(F.adaptive_max_pool1d)

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size=output_size, return_indices=return_indices)


class MaxPool2d(FunctionCell):
    """The maximum of each window of (N, C, H, W) or (C, H, W); with ``return_indices`` also its
    flat index in the image.

    Args:
        kernel_size: an int or (height, width), like stride, padding and dilation.
        stride: step of the window; the kernel size by default.
        padding: border on each side, which never is the maximum.
        dilation: spacing between the elements of the window.
        return_indices: whether to return the indices.
        ceil_mode: round the number of windows up instead of down.
    """

    function = staticmethod(F.max_pool2d)

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        """Store the arguments, as attributes too, for the function, which checks them at the
        call.
        """
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            return_indices=return_indices,
            ceil_mode=ceil_mode,
        )


class AvgPool1d(FunctionCell):
    """The mean of each window of (N, C, L) or (C, L); see :class:`AvgPool2d`."""

    function = staticmethod(F.avg_pool1d)

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        """Store the arguments, as attributes too, for the function, which checks them at the
        call.
        """
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
        )


class AvgPool2d(FunctionCell):
    """The mean of each window of (N, C, H, W) or (C, H, W); the default stride is the kernel size.

    Args:
        kernel_size: an int or (height, width), like stride and padding.
        stride: step of the window; the kernel size by default.
        padding: border of zeros on each side.
        ceil_mode: round the number of windows up instead of down.
        count_include_pad: whether the zeros of the border count as elements.
        divisor_override: the number that sums are divided by; None: the number of elements.
    """

    function = staticmethod(F.avg_pool2d)

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        """Store the arguments, as attributes too, for the function, which checks them at the
        call.
        """
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )


class AvgPool3d(AvgPool2d):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W); see :class:`AvgPool2d`."""

    function = staticmethod(F.avg_pool3d)


class ZeroPad1d(PaddingAdapter, _ConstantPad):
    """x with zeros before and after its last axis; padding (left, right)."""

    axes = 1

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0)


class ZeroPad3d(PaddingAdapter, _ConstantPad):
    """x with zeros around its last 3 axes; padding (left, right, top, bottom, front, back)."""

    axes = 3

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0)


class Fold(FunctionCell):
    """Columns that hold sliding blocks, combined into an image; overlapping elements are summed.

    Shape: (N, C * KH * KW, L) -> (N, C, *output_size), the inverse layout of :class:`Unfold`.
    """

    function = staticmethod(F.fold)

    def __init__(
        self,
        output_size: Any,
        kernel_size: Any,
        dilation: Any = 1,
        padding: Any = 0,
        stride: Any = 1,
    ) -> None:
        """Store the arguments, as attributes too, for the function, which checks them at the
        call.
        """
        super().__init__(
            output_size=output_size,
            kernel_size=kernel_size,
            dilation=dilation,
            padding=padding,
            stride=stride,
        )


class Unfold(FunctionCell):
    """The sliding blocks of an image, as columns: (N, C, H, W) -> (N, C * KH * KW, L)."""

    function = staticmethod(F.unfold)

    def __init__(
        self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        """Store the arguments, as attributes too, for the function, which checks them at the
        call.
        """
        super().__init__(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)


class UpsamplingNearest2d(FunctionCell):
    """An image resized by nearest-neighbour interpolation.

    >>> print(UpsamplingNearest2d((1, 4))(Tensor([[[[1.0, 3.0]]]])))
    [[[[1. 1. 3. 3.]]]]
    """

    function = staticmethod(F.interpolate)

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size=size, scale_factor=scale_factor)


class UpsamplingBilinear2d(FunctionCell):
    """An image resized by bilinear interpolation with aligned corners.

    >>> print(UpsamplingBilinear2d((1, 3))(Tensor([[[[1.0, 3.0]]]])))
    [[[[1. 2. 3.]]]]
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size=size, scale_factor=scale_factor)

    @staticmethod
    def function(input: Tensor, size: Any, scale_factor: Any) -> Tensor:
        """Return ``input``, resized to ``size`` or by ``scale_factor`` by bilinear interpolation
        with aligned corners.
        """
        return ops.interpolate(input, size, scale_factor, "bilinear", align_corners=True)


__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveMaxPool1d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "Fold",
    "MaxPool2d",
    "Unfold",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad3d",
]
