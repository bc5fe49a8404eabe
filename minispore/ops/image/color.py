"""Colours: RGB and HSV, hue and saturation. The last axis holds the three channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.ir.value import Spec
from minispore.ops.support.arguments import check_tensor_spec, to_static


def _check_image(api_name: str, x: Any, min_ndim: int = 1) -> Spec:
    """Return the spec ``x``; raise unless it is a float tensor of at least ``min_ndim`` axes, of
    which the last holds 3 channels.
    """
    if check_tensor_spec(api_name, x).ndim < min_ndim or x.shape[-1] != 3:
        raise ValueError(f"{api_name}: the last axis of the input must hold 3 channels, got {x}.")
    if x.dtype.kind != "f":
        raise TypeError(f"{api_name}: input must be a float tensor, got {x}.")
    return x


def to_hsv(rgb: np.ndarray) -> np.ndarray:
    """Convert RGB (..., 3) to hue, saturation and value, each in [0, 1]."""
    r, g, b = np.moveaxis(rgb.astype(np.float64), -1, 0)
    value = np.maximum(np.maximum(r, g), b)
    chroma = value - np.minimum(np.minimum(r, g), b)
    with np.errstate(divide="ignore", invalid="ignore"):
        saturation = np.where(value > 0, chroma / value, 0)
        sector = np.where(
            value == r,
            (g - b) / chroma,
            np.where(value == g, 2 + (b - r) / chroma, 4 + (r - g) / chroma),
        )
    hue = np.where(chroma == 0, 0, sector / 6 % 1)
    return np.stack([hue, saturation, value], -1)


def to_rgb(hsv: np.ndarray) -> np.ndarray:
    """Convert (..., 3) hue, saturation and value to float64 RGB, the inverse of :func:`to_hsv`."""
    h, s, v = np.moveaxis(hsv.astype(np.float64), -1, 0)
    # how far each channel is below the value: a trapezoid of the hue, shifted by a third of a turn
    shift = np.array([5.0, 3.0, 1.0])
    k = (shift + h[..., None] * 6) % 6
    return v[..., None] * (1 - s[..., None] * np.clip(np.minimum(k, 4 - k), 0, 1))


class RGBToHSV(Primitive):
    """Red, green and blue in [0, 1] as hue, saturation and value.

    >>> print(RGBToHSV()(Tensor([0.25, 0.5, 0.5])))
    [0.5 0.5 0.5]
    """

    def infer(self, x: Spec) -> Spec:
        return _check_image(self.name, x)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = to_hsv(x)


class HSVToRGB(Primitive):
    """Hue, saturation and value in [0, 1] as red, green and blue.  x: (N, H, W, 3).

    >>> print(HSVToRGB()(Tensor([[[[0.5, 0.5, 0.5]]]])))
    [[[[0.25 0.5  0.5 ]]]]
    """

    def infer(self, x: Spec) -> Spec:
        if check_tensor_spec(self.name, x, "x").ndim != 4:
            raise ValueError(f"{self.name}: x must have the axes (N, H, W, 3), got {x}.")
        return _check_image(self.name, x)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = to_rgb(x)


class AdjustHue(Primitive):
    """RGB images with ``delta`` (of a full turn) added to the hue.

    >>> print(AdjustHue()(Tensor([[[0.25, 0.5, 0.5]]]), Tensor(0.5)))
    [[[0.5  0.25 0.25]]]
    """

    def __call__(self, image: Tensor, delta: Any) -> Tensor:
        return super().__call__(image, to_static(delta))

    def infer(self, x: Spec, delta: Any) -> Spec:
        _check_number(self.name, delta, "delta")
        return _check_image(self.name, x, 3)

    def kernel(self, x: np.ndarray, delta: float, *, out: np.ndarray) -> None:
        hsv = to_hsv(x)
        hsv[..., 0] = (hsv[..., 0] + delta) % 1
        out[...] = to_rgb(hsv)


class AdjustSaturation(Primitive):
    """RGB images with the saturation multiplied by ``scale`` and limited to 1.

    >>> print(AdjustSaturation()(Tensor([[[0.25, 0.5, 0.5]]]), Tensor(2.0)))
    [[[0.  0.5 0.5]]]
    """

    def __call__(self, image: Tensor, scale: Any) -> Tensor:
        return super().__call__(image, to_static(scale))

    def infer(self, x: Spec, scale: Any) -> Spec:
        _check_number(self.name, scale, "scale")
        return _check_image(self.name, x, 3)

    def kernel(self, x: np.ndarray, scale: float, *, out: np.ndarray) -> None:
        hsv = to_hsv(x)
        hsv[..., 1] = np.clip(hsv[..., 1] * scale, 0, 1)
        out[...] = to_rgb(hsv)


def _check_number(api_name: str, value: Any, name: str) -> None:
    """Check that ``value``, the argument ``name``, is an int or float, but not a bool."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(
            f"{api_name}: {name} must be a number, got {value!r} ({type(value).__name__})."
        )


__all__ = ["AdjustHue", "AdjustSaturation", "HSVToRGB", "RGBToHSV"]
