"""Images sampled at points: grid_sample, affine_grid, crop_and_resize.

They are composed of other ops (gathers at the neighbours, weights from the points), which give them
gradients of any order by image and by points.
"""

from __future__ import annotations

import itertools
from math import prod
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import FloorMod
from minispore.ops.elementwise.compare import Greater, GreaterEqual, Less, LessEqual, LogicalAnd
from minispore.ops.elementwise.extremes import Maximum, Minimum
from minispore.ops.elementwise.rounding import Abs, Ceil, Floor, Sign, Trunc
from minispore.ops.index.gather import Gather
from minispore.ops.index.select import Select
from minispore.ops.linalg.products import MatMulExt
from minispore.ops.shape.cast_fill import Cast, StopGradient, ZerosLike
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import (
    check_dtype,
    check_real,
    check_shape,
    check_tensors,
    to_static,
)
from minispore.ops.support.derive import _Composite

_MODES = ("bilinear", "nearest")
_PADDINGS = ("zeros", "border", "reflection")


def _clamp_to_range(x: Tensor, low: float, high: float) -> Tensor:
    """Clamp the elements of ``x`` to [low, high]."""
    return Minimum()(Maximum()(x, low), high)


def _reflect_into_range(position: Tensor, low: float, high: float) -> Tensor:
    """Reflect ``position`` at the ends of [low, high] until it is inside."""
    span = high - low
    if span <= 0:
        return ZerosLike()(position)
    folded = FloorMod()(Abs()(position - low), 2 * span)
    return Minimum()(folded, 2 * span - folded) + low


def _unnormalize_coordinate(coordinate: Tensor, n: int, padding: str, corners: bool) -> Tensor:
    """Map coordinates in [-1, 1] to positions among n elements, and apply the padding mode."""
    if corners:
        position = (coordinate + 1) * ((n - 1) / 2)
    else:
        position = ((coordinate + 1) * n - 1) / 2
    if padding == "zeros":  # distant or NaN positions become -2, which is outside
        is_near = LogicalAnd()(Greater()(position, -2), Less()(position, n + 1))
        return Select()(is_near, position, -2.0)
    if padding == "reflection":
        margin = 0.0 if corners else 0.5
        position = _reflect_into_range(position, -margin, n - 1 + margin)
    is_inside = LogicalAnd()(Greater()(position, 0), Less()(position, n - 1))
    edge = Select()(Less()(position, n - 1), Maximum()(position, 0), float(n - 1))  # also for NaN
    return Select()(is_inside, position, StopGradient()(edge))


def sample_at_positions(
    x: Tensor, positions: list[Tensor], mode: str = "bilinear", above: str = "next"
) -> Tensor:
    """Sample x (N, C, *space) at ``positions``, one tensor (N, *out) per spatial axis, in elements.

    Returns (N, C, *out). Elements outside x count as zero. At an integer position, the slope is the
    one towards the next element; with ``above="ceil"`` it is 0.
    """
    n, c, *space = x.shape
    out = positions[0].shape[1:]
    flat = Transpose()(Reshape()(x, (n, c, prod(space))), (0, 2, 1))  # (N, S, C)
    total, row_shape = None, (n, prod(out), 1)
    for corner in itertools.product(*[_find_neighbours(p, mode, above) for p in positions]):
        index, weight, inside = None, None, None
        for (position, axis_weight), d in zip(corner, space, strict=True):
            is_valid = LogicalAnd()(GreaterEqual()(position, 0), LessEqual()(position, d - 1))
            clamped = Cast()(_clamp_to_range(position, 0, d - 1), mstype.int64)
            index = clamped if index is None else index * d + clamped
            inside = is_valid if inside is None else LogicalAnd()(inside, is_valid)
            if axis_weight is not None:
                weight = axis_weight if weight is None else weight * axis_weight
        assert index is not None and inside is not None
        samples = Gather(1)(flat, Reshape()(index, (n, prod(out))), 1)  # (N, prod(out), C)
        factor = Cast()(inside, x.dtype) if weight is None else Select()(inside, weight, 0)
        # an element outside x may be infinite, and times its weight of 0 would be NaN
        term = Select()(Reshape()(inside, row_shape), samples, 0) * Reshape()(factor, row_shape)
        total = term if total is None else total + term
    assert total is not None
    return Reshape()(Transpose()(total, (0, 2, 1)), (n, c, *out))


def _find_neighbours(position: Tensor, mode: str, above: str) -> list[tuple[Tensor, Tensor | None]]:
    """Return the integer positions that ``position`` reads, each with its weight (None means 1).

    The upper one is the next integer after the lower, or with ``above="ceil"`` the ceiling.
    """
    if mode == "nearest":
        truncated = Trunc()(position)
        rounds_up = GreaterEqual()(Abs()(position - truncated), 0.5)  # halves away from zero
        return [(truncated + Select()(rounds_up, Sign()(position), 0), None)]
    lower = StopGradient()(Floor()(position))
    fraction = position - lower
    upper = lower + 1.0 if above == "next" else StopGradient()(Ceil()(position))
    return [(lower, 1 - fraction), (upper, fraction)]


class _GridSampler(_Composite):
    """Base of ops that sample an image or volume at grid points in [-1, 1]."""

    interpolation_mode: str
    padding_mode: str
    align_corners: bool

    def check(self) -> None:
        """Check the interpolation mode, the padding mode and the flag."""
        if self.interpolation_mode not in _MODES:
            raise ValueError(
                f"{self.name}: interpolation_mode must be one of {', '.join(_MODES)}, got "
                f"{self.interpolation_mode!r}."
            )
        if self.padding_mode not in _PADDINGS:
            raise ValueError(
                f"{self.name}: padding_mode must be one of {', '.join(_PADDINGS)}, got "
                f"{self.padding_mode!r}."
            )
        checks.boolean(self.name, "align_corners", self.align_corners)

    def _sample_grid(self, x: Tensor, grid: Tensor, axes: int) -> Tensor:
        """Sample ``x`` with ``axes`` spatial axes at the grid points; raise if a shape or dtype
        does not fit.
        """
        if x.ndim != axes + 2 or grid.ndim != axes + 2 or grid.shape[-1] != axes:
            raise ValueError(
                f"{self.name}: input must have {axes + 2} axes and grid be (N, ..., {axes}), got "
                f"shapes {x.shape} and {grid.shape}."
            )
        if x.shape[0] != grid.shape[0]:
            raise ValueError(
                f"{self.name}: input and grid must have the same N, got {x.shape} and {grid.shape}."
            )
        if x.dtype is not grid.dtype:
            raise TypeError(
                f"{self.name}: grid must be of the input's dtype, got {grid.dtype} for {x.dtype}."
            )
        # a grid point holds the coordinate of the image's last axis first
        positions = [
            _unnormalize_coordinate(
                grid[..., axes - 1 - i], d, self.padding_mode, self.align_corners
            )
            for i, d in enumerate(x.shape[2:])
        ]
        return sample_at_positions(x, positions, self.interpolation_mode)


class GridSampler2D(_GridSampler):
    """x (N, C, H, W) sampled at grid (N, H', W', 2) of (x, y) in [-1, 1].

    >>> x = Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> print(GridSampler2D(align_corners=True)(x, Tensor([[[[0.0, 0.0]]]])))
    [[[[2.5]]]]
    """

    interpolation_mode: str = "bilinear"
    padding_mode: str = "zeros"
    align_corners: bool = False

    def __call__(self, input_x: Tensor, grid: Tensor) -> Tensor:
        return self._sample_grid(input_x, grid, 2)


class GridSampler3D(_GridSampler):
    """x (N, C, D, H, W) sampled at grid (N, D', H', W', 3) of (x, y, z) in [-1, 1].

    >>> x = Tensor(np.arange(8, dtype=np.float32).reshape(1, 1, 2, 2, 2))
    >>> print(GridSampler3D(align_corners=True)(x, Tensor([[[[[0.0, 0.0, 0.0]]]]])).reshape(-1))
    [3.5]
    """

    interpolation_mode: str = "bilinear"
    padding_mode: str = "zeros"
    align_corners: bool = False

    def __call__(self, input_x: Tensor, grid: Tensor) -> Tensor:
        return self._sample_grid(input_x, grid, 3)


class AffineGrid(_Composite):
    """The grid of an affine map: theta (N, 2, 3) -> (N, H, W, 2), (N, 3, 4) -> (N, D, H, W, 3).

    >>> theta = Tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> print(AffineGrid(True)(theta, (1, 1, 1, 3)).reshape(3, 2))
    [[-1.  0.]
     [ 0.  0.]
     [ 1.  0.]]
    """

    align_corners: bool = False

    def check(self) -> None:
        checks.boolean(self.name, "align_corners", self.align_corners)

    def __call__(self, theta: Tensor, output_size: Any) -> Tensor:
        """Multiply the homogeneous points of a regular grid in [-1, 1] by each transposed theta."""
        size = check_shape(self.name, to_static(output_size), "output_size", 1)
        space = size[2:]
        if theta.ndim != 3 or theta.shape != (size[0], len(space), len(space) + 1):
            raise ValueError(
                f"{self.name}: theta must have shape {(size[0], len(space), len(space) + 1)} for "
                f"output_size {size}, got {theta.shape}."
            )
        coordinates = []
        for n in space:
            if self.align_corners:
                coordinates.append(np.linspace(-1, 1, n) if n > 1 else np.zeros(1))
            else:
                coordinates.append((2 * np.arange(n) + 1) / n - 1)
        points = np.stack(
            [*reversed(np.meshgrid(*coordinates, indexing="ij")), np.ones(space)], -1
        ).reshape(-1, len(space) + 1)
        base = Tensor(points.astype(mstype.to_numpy(theta.dtype)))
        transformed = MatMulExt()(base, Transpose()(theta, (0, 2, 1)))  # (P, d+1) @ (N, d+1, d)
        return Reshape()(transformed, (size[0], *space, len(space)))


class CropAndResize(_Composite):
    """Boxes of images (N, H, W, C), each resized to ``crop_size``.

    Args:
        method: "bilinear", "nearest" or "bilinear_v2" (pixel centres instead of corners, and boxes
            rounded to whole pixels).
        extrapolation_value: the value of elements outside the image.

    >>> x = Tensor(np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1))
    >>> boxes, index = Tensor([[0.0, 0.0, 1.0, 1.0]]), Tensor([0], mstype.int32)
    >>> print(CropAndResize()(x, boxes, index, (1, 3)).reshape(-1))
    [1.  1.5 2. ]
    """

    method: str = "bilinear"
    extrapolation_value: float = 0.0

    def check(self) -> None:
        methods = ("bilinear", "nearest", "bilinear_v2")
        if self.method not in methods:
            raise ValueError(
                f"{self.name}: method must be one of {', '.join(methods)}, got {self.method!r}."
            )

    def __call__(self, x: Tensor, boxes: Tensor, box_index: Tensor, crop_size: Any) -> Tensor:
        """Sample each box at regular positions.

        Positions outside the image give ``extrapolation_value``, except for bilinear_v2.
        """
        check_real(self.name, x, boxes)
        size = check_shape(self.name, to_static(crop_size), "crop_size", 1)
        if x.ndim != 4 or boxes.ndim != 2 or boxes.shape[1] != 4 or len(size) != 2:
            raise ValueError(
                f"{self.name}: x must be (N, H, W, C), boxes (B, 4) and crop_size two lengths, got "
                f"shapes {x.shape} and {boxes.shape} and {size}."
            )
        if box_index.shape != boxes.shape[:1]:
            raise ValueError(
                f"{self.name}: box_index must have shape {boxes.shape[:1]}, got {box_index.shape}."
            )
        check_dtype(self.name, box_index, "box_index", "int32")
        if x.dtype is not mstype.float64:
            x = Cast()(x, mstype.float32)
        image = Transpose()(x, (0, 3, 1, 2))
        rows = self._compute_positions(boxes[:, 0:1], boxes[:, 2:3], x.shape[1], size[0])  # (B, h)
        # (B, w)
        columns = self._compute_positions(boxes[:, 1:2], boxes[:, 3:4], x.shape[2], size[1])
        shape = (boxes.shape[0], *size)
        row_positions = _broadcast_along(rows, shape, 1)
        column_positions = _broadcast_along(columns, shape, 2)
        inside = None
        for position, d in ((row_positions, x.shape[1]), (column_positions, x.shape[2])):
            is_valid = LogicalAnd()(GreaterEqual()(position, 0), LessEqual()(position, d - 1))
            inside = is_valid if inside is None else LogicalAnd()(inside, is_valid)
        if self.method == "nearest":
            row_positions, column_positions = (
                Floor()(row_positions + 0.5),
                Floor()(column_positions + 0.5),
            )
        output = sample_at_positions(
            Gather()(image, box_index, 0), [row_positions, column_positions], above="ceil"
        )
        output = Transpose()(output, (0, 2, 3, 1))
        if self.method == "bilinear_v2":
            return output
        inside_mask = Reshape()(inside, (*shape, 1))  # type: ignore[arg-type]
        return Select()(inside_mask, output, float(self.extrapolation_value))

    def _compute_positions(self, low: Tensor, high: Tensor, n: int, size: int) -> Tensor:
        """Return the positions (boxes, size), in pixels, of ``size`` elements of each box.

        The box reaches from ``low`` to ``high``, fractions of the image's axis of ``n`` pixels.
        """
        steps = np.arange(size, dtype=np.float32)
        if self.method == "bilinear_v2":  # map the centres of whole pixels
            begin, end = (Trunc()(edge * n) for edge in (low, high))
            length = Maximum()(end - begin + 1, 1)
            offset = length * Tensor((steps + 0.5) / size) - 0.5
            offset = Minimum()(Maximum()(offset, 0), length - 1)
            return _clamp_to_range(begin + offset, 0, n - 1)
        if size == 1:
            return (low + high) * (0.5 * (n - 1))
        return low * (n - 1) + (high - low) * Tensor(steps * ((n - 1) / (size - 1)))


def _broadcast_along(positions: Tensor, shape: tuple[int, ...], axis: int) -> Tensor:
    """Broadcast ``positions`` (B, k) along ``axis`` of ``shape`` (B, h, w)."""
    b, k = positions.shape
    reshaped = Reshape()(positions, (b, k, 1) if axis == 1 else (b, 1, k))
    return reshaped.broadcast_to(shape)


# -- functions ------------------------------------------------------------------------------------


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Tensor:
    """Sample an image or volume at the points of a grid, given in [-1, 1]."""
    check_tensors("grid_sample", input=input, grid=grid)
    sampler = GridSampler2D if input.ndim == 4 else GridSampler3D
    return sampler(mode, padding_mode, align_corners)(input, grid)


def affine_grid(theta: Tensor, size: Any, align_corners: bool = False) -> Tensor:
    """Return the grid of an affine map, for :func:`grid_sample`."""
    return AffineGrid(align_corners)(theta, size)


def crop_and_resize(
    image: Tensor,
    boxes: Tensor,
    box_indices: Tensor,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Tensor:
    """Crop boxes (y1, x1, y2, x2) from images (N, H, W, C), and resize each to ``crop_size``.

    Box i is cropped from the image ``box_indices[i]``, in fractions of the image's size.
    """
    return CropAndResize(method, extrapolation_value)(image, boxes, box_indices, crop_size)


__all__ = [
    "AffineGrid",
    "CropAndResize",
    "GridSampler2D",
    "GridSampler3D",
    "affine_grid",
    "crop_and_resize",
    "grid_sample",
]
