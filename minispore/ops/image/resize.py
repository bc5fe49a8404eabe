"""Image resizing: nearest, linear, cubic and area interpolation, one axis at a time.

Interpolation along an axis is a product with a small constant matrix (out, in); nearest gathers
elements. The gradients of the product and the gather thus give gradients of any order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import floor
from typing import Any, ClassVar

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.index.gather import Gather
from minispore.ops.linalg.vector_products import WeightedSums
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import check_real, check_shape, check_tensors, to_static
from minispore.ops.support.derive import _Composite

CORNERS, HALF_PIXEL, ASYMMETRIC = "align_corners", "half_pixel", "asymmetric"


def compute_source_positions(size: int, n: int, rule: str, step: float | None = None) -> np.ndarray:
    """Return the source positions of ``size`` output elements among n input elements.

    The coordinate ``rule`` is CORNERS (the first and last elements of both coincide), HALF_PIXEL
    (the borders coincide) or ASYMMETRIC (the first elements coincide).
    ``step`` is the distance between neighbours, by default n / size.
    """
    index = np.arange(size, dtype=np.float64)
    if rule == CORNERS:
        return index * ((n - 1) / (size - 1)) if size > 1 else index
    step = n / size if step is None else step
    return (index + 0.5) * step - 0.5 if rule == HALF_PIXEL else index * step


@lru_cache(maxsize=512)
def make_linear_weights(size: int, n: int, rule: str, step: float | None = None) -> np.ndarray:
    """Return the matrix (size, n) of linear interpolation between two neighbours."""
    src = np.clip(compute_source_positions(size, n, rule, step), 0, n - 1)
    low = np.floor(src).astype(int)
    rows, fraction = np.arange(size), src - low
    table = np.zeros((size, n))
    np.add.at(table, (rows, low), 1 - fraction)
    np.add.at(table, (rows, np.minimum(low + 1, n - 1)), fraction)
    return table


@lru_cache(maxsize=512)
def make_cubic_weights(size: int, n: int, rule: str, step: float | None = None) -> np.ndarray:
    """Return the matrix (size, n) of cubic interpolation between four neighbours (Keys' kernel).

    With half pixels, a = -0.5 and neighbours outside are ignored; else a = -0.75 and the edge
    element replaces them. Distances are rounded to 1/1024. MindSpore does the same, following
    TensorFlow.
    """
    src = compute_source_positions(size, n, rule, step)
    low = np.floor(src).astype(int)
    fraction, a = np.rint((src - low) * 1024) / 1024, -0.5 if rule == HALF_PIXEL else -0.75
    table = np.zeros((size, n))
    for k in range(-1, 3):
        d = np.abs(fraction - k)
        inner = (a + 2) * d**3 - (a + 3) * d**2 + 1
        outer = a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
        weight = np.where(d <= 1, inner, outer)
        if rule == HALF_PIXEL:
            weight = np.where((low + k >= 0) & (low + k < n), weight, 0)
        np.add.at(table, (np.arange(size), np.clip(low + k, 0, n - 1)), weight)
    return table / table.sum(1, keepdims=True)


@lru_cache(maxsize=512)
def make_area_weights(size: int, n: int, rule: str) -> np.ndarray:
    """Return the matrix (size, n) of the means over the area that each output element covers."""
    scale = (n - 1) / (size - 1) if rule == CORNERS and size > 1 else n / size
    table = np.zeros((size, n))
    for i in range(size):
        begin, end = i * scale, (i + 1) * scale
        for j in range(floor(begin), min(int(np.ceil(end)), n)):
            table[i, j] = min(j + 1, end) - max(j, begin)
        table[i] /= table[i].sum()
    return table


@lru_cache(maxsize=512)
def make_adaptive_weights(size: int, n: int, rule: str = "") -> np.ndarray:
    """Return the matrix (size, n) of means over elements i n / size to (i + 1) n / size.

    The bounds are rounded outwards to whole elements.
    """
    table = np.zeros((size, n))
    for i in range(size):
        begin, end = i * n // size, -(-(i + 1) * n // size)
        table[i, begin:end] = 1 / (end - begin)
    return table


@lru_cache(maxsize=512)
def compute_nearest_indices(size: int, n: int, rule: str, step: float | None = None) -> np.ndarray:
    """Return the index of the input element that each output element copies, (size,)."""
    if rule in (CORNERS, HALF_PIXEL):
        index = np.floor(compute_source_positions(size, n, rule, step) + 0.5)
    elif step is None:
        index = np.arange(size) * n // size
    else:
        index = np.floor(np.arange(size) * np.float32(step))
    return np.minimum(index, n - 1).astype(np.int64)


def resize_by_weights(
    x: Tensor,
    size: tuple[int, ...],
    rule: str,
    weights: Any,
    first_axis: int = 2,
    steps: Any = None,
) -> Tensor:
    """Resize ``x`` along its axes from ``first_axis`` on to ``size``, in the dtype of x.

    ``weights(new_length, old_length, rule)``, with the axis's step if there are ``steps``, returns
    the interpolation matrix of an axis.
    """
    dtype = x.dtype
    resized = x if dtype in (mstype.float32, mstype.float64) else Cast()(x, mstype.float32)
    for i, n in enumerate(size):
        axis = first_axis + i
        step = () if steps is None else (steps[i],)
        if n == resized.shape[axis] and weights is not make_area_weights:
            continue  # every rule maps an axis of the same length to itself, regardless of the step
        table = Tensor(weights(n, resized.shape[axis], rule, *step), resized.dtype)
        shape_before, shape_after = resized.shape[:axis], resized.shape[axis + 1 :]
        if shape_after:
            inner = int(np.prod(shape_after))
            flat = Reshape()(resized, (*shape_before, resized.shape[axis], inner))
            # (n, d) @ (d, inner)
            resized = Reshape()(WeightedSums(0)(table, flat), (*shape_before, n, *shape_after))
        else:
            resized = WeightedSums(1)(resized, Transpose()(table, (1, 0)))
    return resized if dtype is resized.dtype else Cast()(resized, dtype)


def resize_by_nearest(
    x: Tensor, size: tuple[int, ...], rule: str, first_axis: int = 2, steps: Any = None
) -> Tensor:
    """Resize ``x`` along its axes from ``first_axis`` on to ``size`` by taking the nearest
    elements; ``steps`` are the distances between them, by default the ratios of the lengths.
    """
    for i, n in enumerate(size):
        d = x.shape[first_axis + i]
        if n != d:
            step = None if steps is None else steps[i]
            x = Gather()(x, Tensor(compute_nearest_indices(n, d, rule, step)), first_axis + i)
    return x


def _choose_rule(api_name: str, align_corners: bool, half_pixel_centers: bool) -> str:
    """Return the coordinate rule for the two flags, ASYMMETRIC if both are False; raise ValueError
    if both are True.
    """
    checks.boolean(api_name, "align_corners", align_corners)
    checks.boolean(api_name, "half_pixel_centers", half_pixel_centers)
    if align_corners and half_pixel_centers:
        raise ValueError(f"{api_name}: align_corners and half_pixel_centers must not both be True.")
    if align_corners:
        return CORNERS
    return HALF_PIXEL if half_pixel_centers else ASYMMETRIC


def _check_image_and_size(api_name: str, x: Any, size: Any, axes: int) -> tuple[int, ...]:
    """Return ``size`` as a tuple; raise ValueError unless it and x fit ``axes`` spatial axes."""
    if not isinstance(x, Tensor) or x.ndim != axes + 2:
        description = x.shape if isinstance(x, Tensor) else repr(x)
        raise ValueError(
            f"{api_name}: input must have {axes + 2} axes (N, C, ...), got {description}."
        )
    check_real(api_name, x)
    lengths = check_shape(api_name, to_static(size), "size", 1)
    if len(lengths) != axes:
        raise ValueError(f"{api_name}: size must hold {axes} lengths, got {lengths}.")
    return lengths


class _Resize(_Composite):
    """Base of resizes that are composed of gathers and matrix products, without a kernel."""


class ResizeNearestNeighbor(_Resize):
    """(N, C, H, W) -> (N, C, *size), each element copied from the nearest one.

    >>> print(ResizeNearestNeighbor((1, 4))(Tensor([[[[1.0, 2.0]]]])))
    [[[[1. 1. 2. 2.]]]]
    """

    size: Any
    align_corners: bool = False
    half_pixel_centers: bool = False

    def check(self) -> None:
        _choose_rule(self.name, self.align_corners, self.half_pixel_centers)

    def __call__(self, input_x: Tensor) -> Tensor:
        rule = _choose_rule(self.name, self.align_corners, self.half_pixel_centers)
        return resize_by_nearest(
            input_x, _check_image_and_size(self.name, input_x, self.size, 2), rule
        )


class ResizeNearestNeighborV2(_Resize):
    """:class:`ResizeNearestNeighbor` with the size as an input of the call.

    >>> print(ResizeNearestNeighborV2()(Tensor([[[[1.0, 2.0]]]]), (1, 4)))
    [[[[1. 1. 2. 2.]]]]
    """

    align_corners: bool = False
    half_pixel_centers: bool = False

    def check(self) -> None:
        _choose_rule(self.name, self.align_corners, self.half_pixel_centers)

    def __call__(self, image: Tensor, size: Any) -> Tensor:
        flags = (self.align_corners, self.half_pixel_centers)
        return ResizeNearestNeighbor(to_static(size), *flags)(image)


class _InterpolatingResize(_Resize):
    """Base of resizes along H and W of (N, C, H, W), each by a matrix from ``make_weights``."""

    align_corners: bool = False
    half_pixel_centers: bool = False
    make_weights: ClassVar[Callable[..., np.ndarray]]

    def check(self) -> None:
        _choose_rule(self.name, self.align_corners, self.half_pixel_centers)

    def __call__(self, image: Tensor, size: Any) -> Tensor:
        rule = _choose_rule(self.name, self.align_corners, self.half_pixel_centers)
        output_size = _check_image_and_size(self.name, image, size, 2)
        return resize_by_weights(image, output_size, rule, type(self).make_weights)


class ResizeBilinearV2(_InterpolatingResize):
    """(N, C, H, W) -> (N, C, *size) by linear interpolation along both axes.

    >>> print(ResizeBilinearV2(True)(Tensor([[[[1.0, 2.0]]]]), (1, 3)))
    [[[[1.  1.5 2. ]]]]
    """

    make_weights = staticmethod(make_linear_weights)


class ResizeBilinear(_Resize):
    """:class:`ResizeBilinearV2` with the size as an attribute, as in MindSpore 1.x.

    >>> print(ResizeBilinear((1, 3), True)(Tensor([[[[1.0, 2.0]]]])))
    [[[[1.  1.5 2. ]]]]
    """

    size: Any
    align_corners: bool = False
    half_pixel_centers: bool = False

    def check(self) -> None:
        _choose_rule(self.name, self.align_corners, self.half_pixel_centers)

    def __call__(self, input: Tensor) -> Tensor:
        return ResizeBilinearV2(self.align_corners, self.half_pixel_centers)(input, self.size)


class ResizeBicubic(_InterpolatingResize):
    """(N, C, H, W) -> (N, C, *size) by cubic interpolation along both axes.

    Source: R. Keys, Cubic convolution interpolation for digital image processing (1981).

    >>> print(ResizeBicubic(True)(Tensor([[[[1.0, 2.0]]]]), (1, 3)))
    [[[[1.  1.5 2. ]]]]
    """

    make_weights = staticmethod(make_cubic_weights)


class ResizeArea(_Resize):
    """(N, H, W, C) -> (N, *size, C), each element the mean of the area that it covers; float32.

    >>> image = Tensor([[[[1.0], [2.0], [6.0], [8.0]]]])
    >>> print(ResizeArea()(image, Tensor([1, 2], mstype.int32)).reshape(-1))
    [1.5 7. ]
    """

    align_corners: bool = False

    def __call__(self, images: Tensor, size: Any) -> Tensor:
        """Resize in float32; float64 images are resized in float64."""
        output_size = _check_image_and_size(self.name, images, size, 2)
        rule = _choose_rule(self.name, self.align_corners, half_pixel_centers=False)
        if images.dtype is not mstype.float64:
            images = Cast()(images, mstype.float32)
        return resize_by_weights(images, output_size, rule, make_area_weights, first_axis=1)


def adjust_rule_for_length_one(rule: str, size: tuple[int, ...]) -> str:
    """Return ``rule``, or CORNERS for size (1,), for which MindSpore takes the first element."""
    return CORNERS if size == (1,) else rule


class ResizeLinear1D(_Resize):
    """(N, C, W) -> (N, C, *size) by linear interpolation; size (1,) takes the first element.

    >>> print(ResizeLinear1D()(Tensor([[[1.0, 2.0]]]), (3,)))
    [[[1.  1.5 2. ]]]
    """

    coordinate_transformation_mode: str = CORNERS

    def check(self) -> None:
        rules = (CORNERS, HALF_PIXEL, ASYMMETRIC)
        if self.coordinate_transformation_mode not in rules:
            raise ValueError(
                f"{self.name}: coordinate_transformation_mode must be one of {', '.join(rules)}, "
                f"got {self.coordinate_transformation_mode!r}."
            )

    def __call__(self, x: Tensor, size: Any) -> Tensor:
        """Resize the last axis; the rule is adjusted for size (1,), as in MindSpore."""
        output_size = _check_image_and_size(self.name, x, size, 1)
        return resize_by_weights(
            x,
            output_size,
            adjust_rule_for_length_one(self.coordinate_transformation_mode, output_size),
            make_linear_weights,
        )


def _resolve_output_size(
    api_name: str, x: Tensor, output_size: Any, scales: Any
) -> tuple[int, ...]:
    """Return the output size from ``output_size`` or ``scales``; raise unless exactly one is
    given.
    """
    if (output_size is None) == (scales is None):
        raise ValueError(f"{api_name}: exactly one of output_size and scales must be given.")
    if output_size is not None:
        return _check_image_and_size(api_name, x, output_size, 3)
    check_tensors(api_name, x=x)
    scales = to_static(scales)
    if not isinstance(scales, tuple | list):
        raise TypeError(
            f"{api_name}: scales must be a tuple or list, got {checks.format_value(scales)}."
        )
    for scale in scales:
        checks.floating(api_name, "scales", scale)
    if len(scales) != 3 or x.ndim != 5:
        raise ValueError(
            f"{api_name}: scales must have one number for each axis of size, got {scales}."
        )
    return _check_image_and_size(
        api_name, x, tuple(floor(d * s) for d, s in zip(x.shape[2:], scales, strict=True)), 3
    )


class UpsampleNearest3D(_Resize):
    """(N, C, D, H, W) resized, with each element copied from the nearest one.

    >>> UpsampleNearest3D()(Tensor(np.zeros((1, 1, 1, 2, 2), np.float32)), (2, 4, 4)).shape
    (1, 1, 2, 4, 4)
    """

    def __call__(self, x: Tensor, output_size: Any = None, scales: Any = None) -> Tensor:
        return resize_by_nearest(
            x, _resolve_output_size(self.name, x, output_size, scales), ASYMMETRIC
        )


class UpsampleTrilinear3D(_Resize):
    """(N, C, D, H, W) resized by linear interpolation along all three axes.

    >>> UpsampleTrilinear3D()(Tensor(np.zeros((1, 1, 1, 2, 2), np.float32)), (2, 4, 4)).shape
    (1, 1, 2, 4, 4)
    """

    align_corners: bool = False

    def __call__(self, x: Tensor, output_size: Any = None, scales: Any = None) -> Tensor:
        check_real(self.name, x)
        rule = CORNERS if self.align_corners else HALF_PIXEL
        return resize_by_weights(
            x, _resolve_output_size(self.name, x, output_size, scales), rule, make_linear_weights
        )


# -- functions ------------------------------------------------------------------------------------


__all__ = [
    "ResizeArea",
    "ResizeBicubic",
    "ResizeBilinear",
    "ResizeBilinearV2",
    "ResizeLinear1D",
    "ResizeNearestNeighbor",
    "ResizeNearestNeighborV2",
    "UpsampleNearest3D",
    "UpsampleTrilinear3D",
]
