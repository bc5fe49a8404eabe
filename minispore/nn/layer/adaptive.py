"""Adaptive pools: the size of the output is given, not that of the window.

Output i of n inputs covers floor(i n / out) up to ceil((i + 1) n / out).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.nn import check
from minispore.nn.cell import Cell


def _bounds(n: int, out: int) -> list[tuple[int, int]]:
    return [(i * n // out, -(-(i + 1) * n // out)) for i in range(out)]


def _averaging(n: int, out: int) -> np.ndarray:
    """The matrix (out, n) that takes the mean of each window."""
    matrix = np.zeros((out, n))
    for i, (low, high) in enumerate(_bounds(n, out)):
        matrix[i, low:high] = 1 / (high - low)
    return matrix


class _Adaptive(Cell):
    """What adaptive pools share: ``output_size``, None for an axis that keeps its length."""

    axes: int

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        name = type(self).__name__
        sizes = output_size if isinstance(output_size, tuple | list) else (output_size,) * self.axes
        if len(sizes) != self.axes:
            raise ValueError(
                f"{name}: output_size must have {self.axes} numbers, got {output_size!r}."
            )
        for size in sizes:
            if size is not None or self.axes == 1:
                check.positive_int(name, "output_size", size)
        self.output_size = output_size
        self._sizes = tuple(sizes)

    def _outputs(self, x: Tensor) -> tuple[int, ...]:
        check.ndim(type(self).__name__, "x", x, self.axes + 1, self.axes + 2)
        return tuple(
            n if size is None else size
            for size, n in zip(self._sizes, x.shape[-self.axes :], strict=True)
        )


class _AdaptiveAvgPool(_Adaptive):
    def construct(self, x: Tensor) -> Tensor:
        outputs = self._outputs(x)
        if all(size == 1 for size in outputs):
            return ops.ReduceMean(keep_dims=True)(x, tuple(range(x.ndim - self.axes, x.ndim)))
        for axis, size in enumerate(outputs, x.ndim - self.axes):
            n = x.shape[axis]
            if size != n:
                # the mean over a box is a mean along each axis in turn: x @ (n, out)
                matrix = Tensor(_averaging(n, size).T.astype(mstype.to_numpy(x.dtype)))
                x = ops.swapaxes(ops.matmul(ops.swapaxes(x, axis, -1), matrix), axis, -1)
        return x


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """The mean of ``output_size`` windows along the last axis.  x: (N, C, L) or (C, L)."""

    axes = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """The mean of each of ``output_size`` (height, width) windows.

    Args:
        output_size: an int or a pair; None for an axis that keeps its length.

    Raises:
        TypeError: no ints.
        ValueError: a number below 1.

    Shape: x (N, C, H, W) or (C, H, W).

    >>> print(AdaptiveAvgPool2d((1, 2))(Tensor([[[1.0, 3.0, 5.0, 7.0]]])))
    [[[2. 6.]]]
    """

    axes = 2


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """The mean of each of ``output_size`` (depth, height, width) windows.  x: (N, C, D, H, W) or
    (C, D, H, W).
    """

    axes = 3


class _AdaptiveMaxPool(_Adaptive):
    def construct(self, x: Tensor) -> Any:
        for axis, size in enumerate(self._outputs(x), x.ndim - self.axes):
            if size == x.shape[axis]:
                continue
            x = ops.swapaxes(x, axis, -1)
            windows = [
                ops.ReduceMax(keep_dims=True)(x[..., low:high], -1)
                for low, high in _bounds(x.shape[-1], size)
            ]
            x = ops.swapaxes(ops.concat(windows, -1), axis, -1)
        return x


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """The largest of each of ``output_size`` windows of the last axis.  x: (N, C, L) or (C, L)."""

    axes = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The largest of each of ``output_size`` (height, width) windows.

    Args:
        output_size: an int or a pair; None for an axis that keeps its length.
        return_indices: return the flat position of each maximum too.

    Shape: x (N, C, H, W) or (C, H, W).

    >>> print(AdaptiveMaxPool2d((1, 2))(Tensor([[[1.0, 3.0, 5.0, 7.0]]])))
    [[[3. 7.]]]
    """

    axes = 2

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = check.a_bool("AdaptiveMaxPool2d", "return_indices", return_indices)

    def construct(self, x: Tensor) -> Any:
        if not self.return_indices:
            return super().construct(x)
        rows, cols = (
            _bounds(n, out) for n, out in zip(x.shape[-2:], self._outputs(x), strict=True)
        )
        lead, width = x.shape[:-2], x.shape[-1]
        values, places = [], []
        for top, bottom in rows:
            for left, right in cols:
                window = ops.reshape(x[..., top:bottom, left:right], (*lead, -1))
                where, value = ops.ArgMaxWithValue(axis=-1)(window)
                span = right - left
                values.append(value)
                places.append((where // span + top) * width + where % span + left)
        shape = (*lead, len(rows), len(cols))
        indices = ops.cast(ops.stack(places, -1), mstype.int64)
        return ops.reshape(ops.stack(values, -1), shape), ops.reshape(indices, shape)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """The largest of each of ``output_size`` (depth, height, width) windows.  x: (N, C, D, H, W) or
    (C, D, H, W).
    """

    axes = 3


__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
]
