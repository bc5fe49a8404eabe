"""Adaptive pools, whose windows are determined by the output's size.

For n inputs and ``out`` outputs, output i covers inputs floor(i n / out) up to ceil((i + 1) n /
out), exclusive.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype
from minispore.ops.image.resize import make_adaptive_weights, resize_by_weights
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.join import concat, stack
from minispore.ops.shape.views import Reshape
from minispore.ops.statistics.argmax import ArgMaxWithValue
from minispore.ops.statistics.reduce import ReduceMean
from minispore.ops.support.arguments import check_real, to_static
from minispore.ops.support.derive import _Composite


def compute_window_bounds(n: int, out: int) -> list[tuple[int, int]]:
    """Return the (start, stop) of each of ``out`` adaptive windows over ``n`` inputs; windows may
    overlap.
    """
    return [(i * n // out, -(-(i + 1) * n // out)) for i in range(out)]


def check_output_size(op: str, output_size: Any, axes: int) -> None:
    """Check that ``output_size`` is a length, or one length per axis; None keeps the length of an
    axis.

    None is valid only if there are several ``axes``.

    Raises:
        TypeError: a number is not an int.
        ValueError: a number is below 1, or the count of numbers is not ``axes``.
    """
    lengths = _expand_output_size(output_size, axes)
    if len(lengths) != axes:
        raise ValueError(f"{op}: output_size must have {axes} numbers, got {output_size!r}.")
    for size in lengths:
        if size is None and axes > 1:
            continue
        if isinstance(size, bool) or not isinstance(size, int):
            raise TypeError(f"{op}: output_size must be an int, got {size!r}.")
        if size < 1:
            raise ValueError(f"{op}: output_size must be >= 1, got {size}.")


def _expand_output_size(output_size: Any, axes: int) -> tuple[int | None, ...]:
    """Return ``output_size`` as a tuple; a single length (or None) is repeated for all ``axes``."""
    return tuple(output_size) if isinstance(output_size, tuple | list) else (output_size,) * axes


def _infer_output_lengths(op: str, x: Tensor, output_size: Any, axes: int) -> tuple[int, ...]:
    """Return the lengths of the last ``axes`` axes of the output, after checking the input.

    Raises:
        TypeError: the input is not a Tensor, or a length is not an int.
        ValueError: the input has a wrong number of axes, or a length is out of range.
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"{op}: input must be a Tensor, got {x!r}.")
    if x.ndim not in (axes + 1, axes + 2):
        raise ValueError(
            f"{op}: input must have {axes + 1} or {axes + 2} axes, got shape {x.shape}."
        )
    check_output_size(op, output_size, axes)
    lengths = _expand_output_size(output_size, axes)
    return tuple(
        n if size is None else size for size, n in zip(lengths, x.shape[-axes:], strict=True)
    )


def _pool_means(op: str, x: Tensor, output_size: Any, axes: int) -> Tensor:
    """Return the mean of each adaptive window over the last ``axes`` axes of x.

    Raises:
        TypeError: x is not a real tensor, or a length is not an int.
        ValueError: x has a wrong number of axes, or a length is out of range.
    """
    check_real(op, x)
    lengths, first_axis = _infer_output_lengths(op, x, output_size, axes), x.ndim - axes
    if all(size == 1 for size in lengths):
        return ReduceMean(keep_dims=True)(x, tuple(range(first_axis, x.ndim)))
    # This averages one axis after the other.
    return resize_by_weights(x, lengths, "", make_adaptive_weights, first_axis)


def _pool_maxima(op: str, x: Tensor, output_size: Any, axes: int) -> Tensor:
    """Return the maximum of each adaptive window over the last ``axes`` axes of x, one axis after
    the other.
    """
    lengths = _infer_output_lengths(op, x, output_size, axes)
    # The last axis comes first, so that the first in memory of equal elements gets the gradient.
    for axis, size in reversed([*enumerate(lengths, x.ndim - axes)]):
        if size == x.shape[axis]:
            continue
        leading = (slice(None),) * axis
        windows = [
            x[(*leading, slice(*window))] for window in compute_window_bounds(x.shape[axis], size)
        ]
        x = concat([ArgMaxWithValue(axis, keep_dims=True)(window)[1] for window in windows], axis)
    return x


def _pool_maxima_with_indices(
    op: str, x: Tensor, output_size: Any, axes: int
) -> tuple[Tensor, Tensor]:
    """Return the maximum of each window and its int64 index in the flattened last ``axes`` axes."""
    lengths = _infer_output_lengths(op, x, output_size, axes)
    batch_shape, sizes = x.shape[: x.ndim - axes], x.shape[x.ndim - axes :]
    bounds = [compute_window_bounds(n, out) for n, out in zip(sizes, lengths, strict=True)]
    maxima, indices = [], []
    for window in itertools.product(*bounds):
        elements = Reshape()(x[(..., *(slice(*b) for b in window))], (*batch_shape, -1))
        index_in_window, maximum = ArgMaxWithValue(-1)(elements)
        # Unravel the index in the window, and ravel it with the sizes of x.
        index: Any = 0
        stride = math.prod(high - low for low, high in window)
        for n, (low, high) in zip(sizes, window, strict=True):
            stride //= high - low
            index = index * n + index_in_window // stride % (high - low) + low
        maxima.append(maximum)
        indices.append(index)
    shape = (*batch_shape, *lengths)
    flat_indices = Cast()(stack(indices, -1), mstype.int64)
    return Reshape()(stack(maxima, -1), shape), Reshape()(flat_indices, shape)


class AdaptiveAvgPool2D(_Composite):
    """The mean of each of ``output_size`` (height, width) windows; None keeps an axis's length.

    The input is (N, C, H, W) or (C, H, W); an int is used for both axes.

    >>> print(AdaptiveAvgPool2D((1, 2))(Tensor([[[1.0, 3.0, 5.0, 7.0]]])))
    [[[2. 6.]]]
    """

    output_size: Any

    def check(self) -> None:
        check_output_size(self.name, self.output_size, 2)

    def __call__(self, input_x: Tensor) -> Tensor:
        return _pool_means(self.name, input_x, self.output_size, 2)


class AdaptiveAvgPool3D(_Composite):
    """The mean of each of ``output_size`` (depth, height, width) windows; None keeps an axis's
    length.

    The input is (N, C, D, H, W) or (C, D, H, W); an int is used for all three axes.

    >>> print(AdaptiveAvgPool3D((1, 1, 2))(Tensor([[[[1.0, 3.0, 5.0, 7.0]]]])))
    [[[[2. 6.]]]]
    """

    output_size: Any

    def check(self) -> None:
        check_output_size(self.name, self.output_size, 3)

    def __call__(self, input_x: Tensor) -> Tensor:
        return _pool_means(self.name, input_x, self.output_size, 3)


class AdaptiveMaxPool2D(_Composite):
    """The maximum of each of ``output_size`` (height, width) windows, and its int64 flat index in
    the plane.

    The input is (N, C, H, W) or (C, H, W).

    >>> value, where = AdaptiveMaxPool2D((1, 2))(Tensor([[[1.0, 3.0, 7.0, 5.0]]]))
    >>> print(value, where)
    [[[3. 7.]]] [[[1 2]]]
    """

    output_size: Any

    def check(self) -> None:
        check_output_size(self.name, self.output_size, 2)

    def __call__(self, input: Tensor) -> tuple[Tensor, Tensor]:
        return _pool_maxima_with_indices(self.name, input, self.output_size, 2)


class AdaptiveMaxPool3D(_Composite):
    """The maximum of each of ``output_size`` (depth, height, width) windows, and its int32 flat
    index in the volume.

    The input is (N, C, D, H, W) or (C, D, H, W); the size is the second input, not an attribute.

    >>> x, size = Tensor([[[[1.0, 3.0, 7.0, 5.0]]]]), Tensor([1, 1, 2], mstype.int32)
    >>> print(*AdaptiveMaxPool3D()(x, size))
    [[[[3. 7.]]]] [[[[1 2]]]]
    """

    def __call__(self, x: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
        return _pool_adaptive_maxima(self.name, x, to_static(output_size), 3, True)


# -- functions ------------------------------------------------------------------------------------


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Return the mean of each of ``output_size`` windows of ``input`` (N, C, L) or (C, L).

    >>> print(adaptive_avg_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2))
    [[[2. 6.]]]
    """
    return _pool_means("adaptive_avg_pool1d", input, output_size, 1)


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Average each of ``output_size`` windows of ``input`` (N, C, H, W) or (C, H, W).

    ``output_size`` is (height, width) or an int for both; None keeps an axis's length.
    """
    return _pool_means("adaptive_avg_pool2d", input, output_size, 2)


def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Average each of ``output_size`` windows of ``input`` (N, C, D, H, W) or (C, D, H, W).

    ``output_size`` is (depth, height, width) or an int for all; None keeps an axis's length.
    """
    return _pool_means("adaptive_avg_pool3d", input, output_size, 3)


def adaptive_max_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Return the maximum of each of ``output_size`` windows of ``input`` (N, C, L) or (C, L).

    >>> print(adaptive_max_pool1d(Tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2))
    [[[3. 7.]]]
    """
    return _pool_maxima("adaptive_max_pool1d", input, output_size, 1)


def _pool_adaptive_maxima(
    op: str, x: Tensor, output_size: Any, axes: int, return_indices: bool
) -> Any:
    """Return the maxima of adaptive windows; with ``return_indices`` also their flat indices.

    The indices are int32 in 3-D, else int64.
    """
    if not return_indices:
        return _pool_maxima(op, x, output_size, axes)
    values, indices = _pool_maxima_with_indices(op, x, output_size, axes)
    return values, Cast()(indices, mstype.int32) if axes == 3 else indices


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return the maximum of each of ``output_size`` windows of ``input`` (N, C, H, W) or (C, H, W).

    With ``return_indices``, return a pair: the maxima, and their int64 flat indices in the plane.
    None in ``output_size`` keeps an axis's length.
    """
    return _pool_adaptive_maxima("adaptive_max_pool2d", input, output_size, 2, return_indices)


def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Return the maximum of each of ``output_size`` windows of ``input`` (N, C, D, H, W) or (C, D,
    H, W).

    With ``return_indices``, return a pair: the maxima, and their int32 flat indices in the volume.
    None in ``output_size`` keeps an axis's length.
    """
    return _pool_adaptive_maxima("adaptive_max_pool3d", input, output_size, 3, return_indices)


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
