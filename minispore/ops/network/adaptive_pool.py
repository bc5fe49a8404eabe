"""Adaptive pools: the size of the output is given, not that of the window.

Output i of n inputs covers floor(i n / out) up to ceil((i + 1) n / out).
"""

from __future__ import annotations

import math
from typing import Any

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.ops.image.resize import adaptive_weights, along_axes
from minispore.ops.shape.join import concat, stack
from minispore.ops.shape.views import Reshape
from minispore.ops.shape.whole import Cast
from minispore.ops.statistics.argmax import ArgMaxWithValue
from minispore.ops.statistics.reduce import ReduceMean
from minispore.ops.support.arguments import check_real, to_static
from minispore.ops.support.derive import _Composite


def bounds(n: int, out: int) -> list[tuple[int, int]]:
    """First and last (exclusive) input of each of ``out`` outputs."""
    return [(i * n // out, -(-(i + 1) * n // out)) for i in range(out)]


def sizes(op: str, output_size: Any, axes: int) -> tuple[int | None, ...]:
    """``output_size`` as one number for each of ``axes``; None keeps an axis.

    Raises:
        TypeError: one is no int.
        ValueError: one is below 1, or they are too many or too few.
    """
    given = tuple(output_size) if isinstance(output_size, tuple | list) else (output_size,) * axes
    if len(given) != axes:
        raise ValueError(f"{op}: output_size must have {axes} numbers, got {output_size!r}.")
    for size in given:
        if size is None and axes > 1:
            continue
        if isinstance(size, bool) or not isinstance(size, int):
            raise TypeError(f"{op}: output_size must be an int, got {size!r}.")
        if size < 1:
            raise ValueError(f"{op}: output_size must be >= 1, got {size}.")
    return given


def _outputs(op: str, x: Tensor, output_size: Any, axes: int) -> tuple[int, ...]:
    """The lengths of the last ``axes`` axes of the output."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{op}: input must be a Tensor, got {x!r}.")
    if x.ndim not in (axes + 1, axes + 2):
        raise ValueError(
            f"{op}: input must have {axes + 1} or {axes + 2} axes, got shape {x.shape}."
        )
    given = sizes(op, output_size, axes)
    return tuple(
        n if size is None else size for size, n in zip(given, x.shape[-axes:], strict=True)
    )


def _mean(op: str, x: Tensor, output_size: Any, axes: int) -> Tensor:
    check_real(op, x)
    outputs, first = _outputs(op, x, output_size, axes), x.ndim - axes
    if all(size == 1 for size in outputs):
        return ReduceMean(True)(x, tuple(range(first, x.ndim)))
    return along_axes(x, outputs, "", adaptive_weights, first)  # a mean along each axis in turn


def _largest(op: str, x: Tensor, output_size: Any, axes: int) -> Tensor:
    # the last axis first: of equal elements, the first in the order of memory has the slope
    for axis, size in reversed([*enumerate(_outputs(op, x, output_size, axes), x.ndim - axes)]):
        if size == x.shape[axis]:
            continue
        every = (slice(None),) * axis
        windows = [x[(*every, slice(*window))] for window in bounds(x.shape[axis], size)]
        x = concat([ArgMaxWithValue(axis, True)(window)[1] for window in windows], axis)
    return x


def _largest_and_where(op: str, x: Tensor, output_size: Any, axes: int) -> tuple[Tensor, Tensor]:
    """The largest of each window, and its place in the flattened last ``axes`` axes (int64)."""
    outputs = _outputs(op, x, output_size, axes)
    lead, space = x.shape[: x.ndim - axes], x.shape[x.ndim - axes :]
    windows: list[tuple[tuple[int, int], ...]] = [()]
    for n, out in zip(space, outputs, strict=True):
        windows = [(*w, b) for w in windows for b in bounds(n, out)]
    values, places = [], []
    for window in windows:
        part = Reshape()(x[(..., *(slice(*b) for b in window))], (*lead, -1))
        within, value = ArgMaxWithValue(-1)(part)
        place: Any = 0
        inner = math.prod(high - low for low, high in window)
        for n, (low, high) in zip(space, window, strict=True):
            inner //= high - low
            place = place * n + within // inner % (high - low) + low
        values.append(value)
        places.append(place)
    shape = (*lead, *outputs)
    where = Cast()(stack(places, -1), mstype.int64)
    return Reshape()(stack(values, -1), shape), Reshape()(where, shape)


class AdaptiveAvgPool2D(_Composite):
    """The mean of each of ``output_size`` (height, width) windows; None keeps an axis.

    >>> print(AdaptiveAvgPool2D((1, 2))(Tensor([[[1.0, 3.0, 5.0, 7.0]]])))
    [[[2. 6.]]]
    """

    output_size: Any

    def check(self) -> None:
        sizes(self.name, self.output_size, 2)

    def __call__(self, input_x: Tensor) -> Tensor:
        return _mean(self.name, input_x, self.output_size, 2)


class AdaptiveAvgPool3D(_Composite):
    """The mean of each of ``output_size`` (depth, height, width) windows; None keeps an axis.

    >>> print(AdaptiveAvgPool3D((1, 1, 2))(Tensor([[[[1.0, 3.0, 5.0, 7.0]]]])))
    [[[[2. 6.]]]]
    """

    output_size: Any

    def check(self) -> None:
        sizes(self.name, self.output_size, 3)

    def __call__(self, input_x: Tensor) -> Tensor:
        return _mean(self.name, input_x, self.output_size, 3)


class AdaptiveMaxPool2D(_Composite):
    """The largest of each of ``output_size`` (height, width) windows, and its flat place.

    >>> value, where = AdaptiveMaxPool2D((1, 2))(Tensor([[[1.0, 3.0, 7.0, 5.0]]]))
    >>> print(value, where)
    [[[3. 7.]]] [[[1 2]]]
    """

    output_size: Any

    def check(self) -> None:
        sizes(self.name, self.output_size, 2)

    def __call__(self, input: Tensor) -> tuple[Tensor, Tensor]:
        return _largest_and_where(self.name, input, self.output_size, 2)


class AdaptiveMaxPool3D(_Composite):
    """The largest of each of ``output_size`` (depth, height, width) windows, and its flat place.

    >>> x, size = Tensor([[[[1.0, 3.0, 7.0, 5.0]]]]), Tensor([1, 1, 2], mstype.int32)
    >>> print(*AdaptiveMaxPool3D()(x, size))
    [[[[3. 7.]]]] [[[[1 2]]]]
    """

    def __call__(self, x: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
        return _max_pool(self.name, x, to_static(output_size), 3, True)


# -- functions ------------------------------------------------------------------------------------


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of each of ``output_size`` windows.  input: (N, C, L) or (C, L).

    >>> print(adaptive_avg_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2))
    [[[2. 6.]]]
    """
    return _mean("adaptive_avg_pool1d", input, output_size, 1)


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of each of ``output_size`` windows.  input: (N, C, H, W) or (C, H, W)."""
    return _mean("adaptive_avg_pool2d", input, output_size, 2)


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of each of ``output_size`` windows.  input: (N, C, D, H, W) or (C, D, H, W)."""
    return _mean("adaptive_avg_pool3d", input, output_size, 3)


def adaptive_max_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The largest of each of ``output_size`` windows.  input: (N, C, L) or (C, L).

    >>> print(adaptive_max_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2))
    [[[3. 7.]]]
    """
    return _largest("adaptive_max_pool1d", input, output_size, 1)


def _max_pool(op: str, x: Tensor, output_size: Any, axes: int, return_indices: bool) -> Any:
    if not return_indices:
        return _largest(op, x, output_size, axes)
    values, where = _largest_and_where(op, x, output_size, axes)
    return values, Cast()(where, mstype.int32) if axes == 3 else where


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest of each of ``output_size`` windows, and its flat place if asked for."""
    return _max_pool("adaptive_max_pool2d", input, output_size, 2, return_indices)


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest of each of ``output_size`` windows, and its flat place if asked for."""
    return _max_pool("adaptive_max_pool3d", input, output_size, 3, return_indices)


__all__ = [
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
]
