"""interpolate: resizes by MindSpore's modes, for any number of spatial axes."""

from __future__ import annotations

from math import floor
from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ops.image.resize import (
    ASYMMETRIC,
    CORNERS,
    HALF_PIXEL,
    _check_image_and_size,
    adjust_rule_for_length_one,
    make_adaptive_weights,
    make_cubic_weights,
    make_linear_weights,
    resize_by_nearest,
    resize_by_weights,
)
from minispore.ops.support.arguments import check_tensors, to_static

_AXES_OF_MODE = {
    "nearest": (1, 2, 3),
    "nearest-exact": (1, 2),
    "linear": (1,),
    "bilinear": (2,),
    "bicubic": (2,),
    "trilinear": (3,),
    "area": (1, 2, 3),
}


def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    *,
    roi: Any = None,
    scales: Any = None,
    sizes: Any = None,
    coordinate_transformation_mode: str | None = None,
) -> Tensor:
    """Resize a batch of signals, images or volumes (N, C, ...).

    Args:
        input: a tensor of 3, 4 or 5 axes.
        size: the lengths of the spatial axes, or one length for all.
        scale_factor: the factor of the lengths, in place of ``size``.
        mode: "nearest", "nearest-exact", "linear" (3 axes), "bilinear", "bicubic" (4), "trilinear"
            (5) or "area".
        align_corners: whether corner elements are aligned (linear and cubic modes).
        recompute_scale_factor: compute the step between elements from the lengths instead of
            ``scale_factor``.
        roi: an argument of MindSpore 1.x; must be None.
        scales: the name of ``scale_factor`` in MindSpore 1.x, with leading factors for N and C.
        sizes: the name of ``size`` in MindSpore 1.x.
        coordinate_transformation_mode: an argument of MindSpore 1.x: "align_corners", "half_pixel"
            or "asymmetric".

    Raises:
        TypeError: a factor is not a float, or an option is not a bool.
        ValueError: ``mode`` does not fit the input, or not exactly one of size and scale_factor is
            given.

    >>> print(interpolate(Tensor([[[1.0, 3.0]]]), size=3, mode="linear", align_corners=True))
    [[[1. 2. 3.]]]
    """
    check_tensors("interpolate", input=input)
    size = sizes if size is None else size
    if scale_factor is None and scales is not None:
        scale_factor = tuple(scales)[2:]
    if roi is not None:
        raise ValueError(f"interpolate: roi must be None, got {roi!r}.")
    if mode not in _AXES_OF_MODE:
        raise ValueError(
            f"interpolate: mode must be one of {', '.join(_AXES_OF_MODE)}, got {mode!r}."
        )
    flags = {"align_corners": align_corners, "recompute_scale_factor": recompute_scale_factor}
    for name, flag in flags.items():
        if flag is not None:
            checks.boolean("interpolate", name, flag)
    axes = input.ndim - 2
    if mode == "linear" and axes == 2 and sizes is not None:
        mode = "bilinear"  # MindSpore 1.x called both linear
    if axes not in _AXES_OF_MODE[mode]:
        allowed = " or ".join(str(a + 2) for a in _AXES_OF_MODE[mode])
        raise ValueError(
            f"interpolate: input must have {allowed} axes for mode {mode!r}, got shape "
            f"{input.shape}."
        )
    if (size is None) == (scale_factor is None):
        raise ValueError("interpolate: exactly one of size and scale_factor must be given.")
    steps = None
    if size is None:
        factors = to_static(scale_factor)
        factors = factors if isinstance(factors, tuple) else (factors,) * axes
        if scales is None and not all(isinstance(f, float) for f in factors):
            raise TypeError(
                f"interpolate: scale_factor must be float, or a tuple of them, got {scale_factor}."
            )
        size = tuple(floor(d * f) for d, f in zip(input.shape[2:], factors, strict=True))
        if not recompute_scale_factor and scales is None:
            steps = tuple(1 / f for f in factors)
    output_size = to_static(size)
    if not isinstance(output_size, tuple):
        output_size = (output_size,) * axes
    output_size = _check_image_and_size("interpolate", input, output_size, axes)
    if align_corners is not None and mode in ("nearest", "nearest-exact", "area"):
        raise ValueError(f"interpolate: align_corners must be None for mode {mode!r}.")
    if mode == "nearest":
        rule = coordinate_transformation_mode or ASYMMETRIC
        if steps is not None:  # for equal or doubled lengths, the step is the ratio of the lengths
            lengths = zip(input.shape[2:], output_size, steps, strict=True)
            steps = tuple(n / m if m in (n, 2 * n) else s for n, m, s in lengths)
        return resize_by_nearest(input, output_size, rule, steps=steps)
    if mode == "nearest-exact":
        return resize_by_nearest(input, output_size, HALF_PIXEL, steps=steps)
    if mode == "area":
        return resize_by_weights(input, output_size, "", make_adaptive_weights)
    rule = coordinate_transformation_mode or (CORNERS if align_corners else HALF_PIXEL)
    if rule not in (CORNERS, HALF_PIXEL, ASYMMETRIC):
        raise ValueError(
            "interpolate: coordinate_transformation_mode must be align_corners, half_pixel or "
            f"asymmetric, got {rule!r}."
        )
    weights = make_cubic_weights if mode == "bicubic" else make_linear_weights
    return resize_by_weights(
        input, output_size, adjust_rule_for_length_one(rule, output_size), weights, steps=steps
    )


def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """:func:`interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


__all__ = [
    "interpolate",
    "upsample",
]
