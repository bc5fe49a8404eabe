"""Pools by norms, and max pools undone."""

from __future__ import annotations

from typing import Any

from minispore import checks, ops
from minispore.core.tensor import Tensor
from minispore.nn.cell import Cell
from minispore.ops.network.unpool import each, unpooled

# -- pools by norms -------------------------------------------------------------------------------


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
        self.kernel_size = each(name, "kernel_size", kernel_size, self.axes, 1)
        self.stride = (
            self.kernel_size if stride is None else each(name, "stride", stride, self.axes, 1)
        )
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
        stride: from one window to the next; ``kernel_size`` by default.
        ceil_mode: let the last window reach past the end.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: a number out of range; when called: another number of axes.

    Shape: x (N, C, L) or (C, L).

    >>> print(LPPool1d(2, 2)(Tensor([[[3.0, 4.0]]])))
    [[[5.]]]
    """

    axes = 1


class LPPool2d(_LPPool):
    """(sum of x**norm_type in each window) ** (1 / norm_type).  x: (N, C, H, W) or (C, H, W).
    Arguments as those of :class:`LPPool1d`, an int or one for each axis.
    """

    axes = 2


# -- max pools undone -----------------------------------------------------------------------------


class _MaxUnpool(Cell):
    """Each element of x at the place in its channel that ``indices`` says, zeros elsewhere."""

    axes: int

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = each(name, "kernel_size", kernel_size, self.axes, 1)
        given = each(name, "stride", 0 if stride is None else stride, self.axes, 0)
        self.stride = given if any(given) else self.kernel_size
        self.padding = each(name, "padding", padding, self.axes, 0)

    def construct(
        self, x: Tensor, indices: Tensor, output_size: tuple[int, ...] | None = None
    ) -> Tensor:
        window = self.kernel_size, self.stride, self.padding
        return unpooled(type(self).__name__, self.axes, x, indices, window, output_size)


class MaxUnpool1d(_MaxUnpool):
    """Each element of x at the place that ``indices`` says, zeros elsewhere: a max pool undone.

    Args:
        kernel_size: the length of the windows.
        stride: from one window to the next; ``kernel_size`` by default or for 0.
        padding: zeros that the pool added at each end.

    Inputs: x; the indices that the pool returned; ``output_size``, if the pool dropped a rest.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: a number out of range; when called: shapes that do not fit.

    Shape: x (N, C, L) or (C, L).

    >>> print(MaxUnpool1d(2)(Tensor([[[5.0, 7.0]]]), Tensor([[[1, 2]]])))
    [[[0. 5. 7. 0.]]]
    """

    axes = 1


class MaxUnpool2d(_MaxUnpool):
    """A max pool undone, as :class:`MaxUnpool1d`.  x: (N, C, H, W) or (C, H, W)."""

    axes = 2


class MaxUnpool3d(_MaxUnpool):
    """A max pool undone, as :class:`MaxUnpool1d`.  x: (N, C, D, H, W) or (C, D, H, W)."""

    axes = 3


__all__ = ["LPPool1d", "LPPool2d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]
