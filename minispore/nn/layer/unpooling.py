"""Power-average pooling, max unpooling and fractional max pooling."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.ops.network.unpool import check_each_axis, scatter_to_indices

# -- power-average pooling ------------------------------------------------------------------------


class _LPPool(Cell):
    """(sum of x**p in each window) ** (1 / p)."""

    axes: int

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.norm_type = checks.number(name, "norm_type", norm_type)
        if not self.norm_type:
            raise ValueError(f"{name}: norm_type must not be 0, got {norm_type!r}.")
        self.kernel_size = check_each_axis(name, "kernel_size", kernel_size, self.axes, 1)
        self.stride = self.kernel_size
        if stride is not None:
            self.stride = check_each_axis(name, "stride", stride, self.axes, 1)
        self.ceil_mode = checks.boolean(name, "ceil_mode", ceil_mode)

    def construct(self, x: Tensor) -> Tensor:
        if self.axes == 1:
            size, step = self.kernel_size[0], self.stride[0]
            return ops.lp_pool1d(x, self.norm_type, size, step, self.ceil_mode)
        return ops.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)

    def extend_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """(sum of x**norm_type in each window) ** (1 / norm_type).

    Args:
        norm_type: p, not 0.
        kernel_size: the length of the windows.
        stride: the distance between windows; ``kernel_size`` by default.
        ceil_mode: let the last window reach past the end.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range; when called: x has a wrong number of axes.

    Shape: x (N, C, L) or (C, L).

    >>> print(LPPool1d(2, 2)(Tensor([[[3.0, 4.0]]])))
    [[[5.]]]
    """

    axes = 1


class LPPool2d(_LPPool):
    """(sum of x**norm_type in each window) ** (1 / norm_type), with windows over two axes.

    The arguments are those of :class:`LPPool1d`, each an int or one int per axis.

    Shape: x (N, C, H, W) or (C, H, W).
    """

    axes = 2


# -- max unpooling -----------------------------------------------------------------------------


class _MaxUnpool(Cell):
    """Each element of x at the position in its channel given by ``indices``, zeros elsewhere."""

    axes: int

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = check_each_axis(name, "kernel_size", kernel_size, self.axes, 1)
        stride_sizes = check_each_axis(
            name, "stride", 0 if stride is None else stride, self.axes, 0
        )
        self.stride = stride_sizes if any(stride_sizes) else self.kernel_size
        self.padding = check_each_axis(name, "padding", padding, self.axes, 0)

    def construct(
        self, x: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None
    ) -> Tensor:
        window = self.kernel_size, self.stride, self.padding
        return scatter_to_indices(type(self).__name__, self.axes, x, indices, window, output_size)


class MaxUnpool1d(_MaxUnpool):
    """The inverse of a max pool: each element of x at the position given by ``indices``, else 0.

    Args:
        kernel_size: the length of the windows.
        stride: the distance between windows; ``kernel_size`` by default or for 0.
        padding: the padding that the pool added at each end.

    Inputs: x; the indices that the pool returned; ``output_size`` if the pool dropped elements.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range; when called: the shapes do not fit.

    Shape: x (N, C, L) or (C, L).

    >>> print(MaxUnpool1d(2)(Tensor([[[5.0, 7.0]]]), Tensor([[[1, 2]]])))
    [[[0. 5. 7. 0.]]]
    """

    axes = 1


class MaxUnpool2d(_MaxUnpool):
    """The inverse of a max pool, as :class:`MaxUnpool1d`.  x: (N, C, H, W) or (C, H, W)."""

    axes = 2


class MaxUnpool3d(_MaxUnpool):
    """The inverse of a max pool, as :class:`MaxUnpool1d`.  x: (N, C, D, H, W) or (C, D, H, W)."""

    axes = 3


# -- fractional max pooling -------------------------------------------------------------------


class _FractionalMaxPool(Cell):
    """The maximum of each window, with windows at random positions."""

    axes: int

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = check_each_axis(name, "kernel_size", kernel_size, self.axes, 1)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name}: output_size or output_ratio must be given, got neither.")
        self.output_size, self.output_ratio = output_size, output_ratio
        self.return_indices = checks.boolean(name, "return_indices", return_indices)
        self._random_samples = _random_samples

    def construct(self, input: Tensor) -> Any:
        """Return the maxima; with ``return_indices`` also their indices."""
        pool = ops.fractional_max_pool2d if self.axes == 2 else ops.fractional_max_pool3d
        return pool(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            self._random_samples,
        )


class FractionalMaxPool2d(_FractionalMaxPool):
    """The maximum of each of ``output_size`` windows at random positions.

    Args:
        kernel_size: the size of the windows, an int or two.
        output_size: the size of the output, or
        output_ratio: the ratio of the output's size to the input's, in (0, 1).
        return_indices: also return the flat index of each maximum in its channel.
        _random_samples: (N, C, 2), numbers in [0, 1); by default drawn in each call.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: no size is given, or a number is out of range; when called: the shapes do not
            fit.

    Shape: (N, C, H, W) or (C, H, W).

    Source: Graham, https://arxiv.org/abs/1412.6071

    >>> print(FractionalMaxPool2d((1, 2), (1, 2))(Tensor([[[1.0, 5.0, 2.0, 3.0]]])))
    [[[5. 3.]]]
    """

    axes = 2


class FractionalMaxPool3d(_FractionalMaxPool):
    """The maximum of each of ``output_size`` windows of a volume at random positions.

    Args:
        kernel_size: the size of the windows, an int or three.
        output_size: the size of the output, or
        output_ratio: the ratio of the output's size to the input's, in (0, 1).
        return_indices: also return the flat index of each maximum in its channel.
        _random_samples: (N, C, 3), numbers in [0, 1); by default drawn in each call.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: no size is given, or a number is out of range; when called: the shapes do not
            fit.

    Shape: (N, C, D, H, W) or (C, D, H, W).

    >>> pool = FractionalMaxPool3d((1, 1, 2), (1, 1, 2))
    >>> print(pool(Tensor([[[[1.0, 5.0, 2.0, 3.0]]]])))
    [[[[5. 3.]]]]
    """

    axes = 3


__all__ = [
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]
