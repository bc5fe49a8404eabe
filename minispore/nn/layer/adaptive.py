"""Adaptive pools, which are specified by the size of the output instead of the window.

For n inputs and ``out`` outputs, output i covers inputs floor(i n / out) up to ceil((i + 1) n /
out), exclusive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.ops.network.adaptive_pool import check_output_size


class _AdaptivePool(Cell):
    """Base of adaptive pools with ``output_size``, in which None keeps the length of an axis."""

    axes: int
    _pool: Callable[..., Any]

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        check_output_size(type(self).__name__, output_size, self.axes)
        self.output_size = output_size

    def construct(self, input: Tensor) -> Tensor:
        check.check_ndim(type(self).__name__, "input", input, self.axes + 1, self.axes + 2)
        return self._pool(input, self.output_size)


class _AdaptivePool1d(_AdaptivePool):
    """Base of adaptive pools over one axis, whose length must be a multiple of ``output_size``."""

    axes = 1

    def __init__(self, output_size: int) -> None:
        checks.integer(type(self).__name__, "output_size", output_size, 1)
        super().__init__(output_size)

    def construct(self, input: Tensor) -> Tensor:
        """Pool the last axis; raise ValueError unless ``output_size`` divides its length."""
        name = type(self).__name__
        check.check_ndim(name, "input", input, 3)
        if input.shape[-1] % self.output_size:
            raise ValueError(
                f"{name}: output_size must divide the last axis of the input, got "
                f"{self.output_size} for shape {input.shape}. mint.nn.{name} takes any."
            )
        return self._pool(input, self.output_size)


class AdaptiveAvgPool1d(_AdaptivePool1d):
    """The mean of each of ``output_size`` windows of equal length along the last axis.

    Args:
        output_size: an int that divides the length.

    Raises:
        TypeError: ``output_size`` is not an int.
        ValueError: it is below 1; when called: it does not divide the length, or x does not have 3
            axes.

    Shape: x (N, C, L) -> (N, C, output_size).

    >>> print(AdaptiveAvgPool1d(2)(Tensor([[[1.0, 3.0, 5.0, 7.0]]])))
    [[[2. 6.]]]
    """

    _pool = staticmethod(ops.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptivePool):
    """The mean of each of ``output_size`` (height, width) windows.

    Args:
        output_size: an int or a pair; None for an axis that keeps its length.

    Raises:
        TypeError: a size is neither an int nor None.
        ValueError: a size is below 1.

    Shape: x (N, C, H, W) or (C, H, W).

    >>> print(AdaptiveAvgPool2d((1, 2))(Tensor([[[1.0, 3.0, 5.0, 7.0]]])))
    [[[2. 6.]]]
    """

    axes = 2
    _pool = staticmethod(ops.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptivePool):
    """The mean of each of ``output_size`` (depth, height, width) windows.

    x: (N, C, D, H, W) or (C, D, H, W).
    """

    axes = 3
    _pool = staticmethod(ops.adaptive_avg_pool3d)


class AdaptiveMaxPool1d(_AdaptivePool1d):
    """The maximum of each of ``output_size`` windows of equal length along the last axis.

    Args:
        output_size: an int that divides the length.

    Raises:
        TypeError: ``output_size`` is not an int.
        ValueError: it is below 1; when called: it does not divide the length, or x does not have 3
            axes.

    Shape: x (N, C, L) -> (N, C, output_size).

    >>> print(AdaptiveMaxPool1d(2)(Tensor([[[1.0, 3.0, 5.0, 7.0]]])))
    [[[3. 7.]]]
    """

    _pool = staticmethod(ops.adaptive_max_pool1d)

    def construct(self, x: Tensor) -> Tensor:
        return super().construct(x)


class _AdaptiveMaxPool(_AdaptivePool):
    """Base of adaptive max pools that can return the indices of the maxima."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = checks.boolean(type(self).__name__, "return_indices", return_indices)

    def construct(self, input: Tensor) -> Any:
        check.check_ndim(type(self).__name__, "input", input, self.axes + 1, self.axes + 2)
        return self._pool(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The maximum of each of ``output_size`` (height, width) windows.

    Args:
        output_size: an int or a pair; None for an axis that keeps its length.
        return_indices: also return the flat index of each maximum.

    Shape: x (N, C, H, W) or (C, H, W).

    >>> print(AdaptiveMaxPool2d((1, 2))(Tensor([[[1.0, 3.0, 5.0, 7.0]]])))
    [[[3. 7.]]]
    """

    axes = 2
    _pool = staticmethod(ops.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """The maximum of each of ``output_size`` (depth, height, width) windows.

    Args:
        output_size: an int or three ints; None for an axis that keeps its length.
        return_indices: also return the flat index of each maximum.

    Shape: x (N, C, D, H, W) or (C, D, H, W).
    """

    axes = 3
    _pool = staticmethod(ops.adaptive_max_pool3d)


__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
]
