"""Lp pools: the p-norm of each window."""

from __future__ import annotations

import math
from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.elementwise.piecewise_activations import ReLU
from minispore.ops.elementwise.powers import Pow
from minispore.ops.elementwise.rounding import Abs, Sign
from minispore.ops.network.average_pool import avg_pool2d
from minispore.ops.shape.views import ExpandDims, Reshape


def _check_each_axis(op: str, value: Any, name: str, axes: int) -> tuple[int, ...]:
    """Return ``value``, a positive int or one for each axis, as a tuple of ``axes`` ints.

    Raises:
        TypeError: an element is not an int.
        ValueError: the number of ints is wrong, or one is below 1.
    """
    per_axis = value if isinstance(value, tuple | list) and axes > 1 else (value,) * axes
    if len(per_axis) != axes:
        raise ValueError(f"{op}: {name} must have {axes} numbers, got {value!r}.")
    return tuple(checks.integer(op, name, n, 1) for n in per_axis)


def _pool_by_lp_norm(
    op: str, x: Any, p: Any, kernel: Any, stride: Any, ceil: bool, axes: int
) -> Tensor:
    """Return (sum of x^p)^(1 / p) for each window, computed from an average pool of x^p.

    ``stride`` None means the kernel size. x has ``axes`` spatial axes, and may lack the batch axis.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: p is 0, a size is below 1, or x has a wrong number of axes.
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"{op}: x must be a Tensor, got {x!r} ({type(x).__name__}).")
    if isinstance(p, bool) or not isinstance(p, int | float):
        raise TypeError(f"{op}: norm_type must be a number, got {p!r} ({type(p).__name__}).")
    if not p:
        raise ValueError(f"{op}: norm_type must not be 0, got {p!r}.")
    checks.boolean(op, "ceil_mode", ceil)
    if x.ndim not in (axes + 1, axes + 2):
        raise ValueError(f"{op}: x must have {axes + 1} or {axes + 2} axes, got shape {x.shape}.")
    kernel_size = _check_each_axis(op, kernel, "kernel_size", axes)
    strides = kernel_size if stride is None else _check_each_axis(op, stride, "stride", axes)
    images = x if x.ndim == axes + 2 else ExpandDims()(x, 0)
    if axes == 1:
        images, kernel_size, strides = ExpandDims()(images, 2), (1, *kernel_size), (1, *strides)
    mean = avg_pool2d(Pow()(images, float(p)), kernel_size, strides, ceil_mode=ceil)
    total = Sign()(mean) * ReLU()(Abs()(mean))  # makes the gradient 0 where the sum is 0
    output = Pow()(total * float(math.prod(kernel_size)), 1.0 / p)
    batch_shape = output.shape[:2] if x.ndim == axes + 2 else output.shape[1:2]
    return Reshape()(output, (*batch_shape, *output.shape[4 - axes :]))


def lp_pool1d(
    x: Tensor, norm_type: float, kernel_size: int, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """Compute (sum of x^p in each window)^(1 / p) of x (N, C, L) or (C, L), with p =
    ``norm_type``.

    Args:
        x: (N, C, L) or (C, L).
        norm_type: p, not 0; 1 gives the sum.
        kernel_size: the length of a window.
        stride: the distance between windows; the window's size by default.
        ceil_mode: allow a last window that extends past the end.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: p is 0, a size is below 1, or x has a wrong number of axes.

    >>> from minispore import Tensor
    >>> print(lp_pool1d(Tensor([[3.0, 4.0, 0.0, 2.0]]), 2, 2))
    [[5. 2.]]
    """
    return _pool_by_lp_norm("lp_pool1d", x, norm_type, kernel_size, stride, ceil_mode, 1)


def lp_pool2d(
    x: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """Compute (sum of x^p in each window)^(1 / p) of images, with p = ``norm_type``.

    Args:
        x: (N, C, H, W) or (C, H, W).
        norm_type: p, not 0; 1 gives the sum.
        kernel_size: height and width of a window, or one int for both.
        stride: the distance between windows; the window's size by default.
        ceil_mode: allow a last window that extends past the end.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: p is 0, a size is below 1, or x has a wrong number of axes.

    >>> from minispore import Tensor
    >>> print(lp_pool2d(Tensor([[[[3.0, 4.0], [0.0, 12.0]]]]), 2, 2))
    [[[[13.]]]]
    """
    return _pool_by_lp_norm("lp_pool2d", x, norm_type, kernel_size, stride, ceil_mode, 2)


__all__ = ["lp_pool1d", "lp_pool2d"]
