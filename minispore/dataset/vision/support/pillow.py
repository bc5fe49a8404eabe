"""The one place that imports Pillow: an optional extra for encoded images and PIL images."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.dataset.vision.enums import Inter


def pillow(name: str) -> Any:
    """The module PIL.Image, for the transform of this name.

    Raises:
        ImportError: Pillow is not installed.
    """
    try:
        from PIL import Image
    except ImportError as missing:
        raise ImportError(
            f"{name}: needs Pillow, which is not installed. Run: pip install 'minispore[image]'"
        ) from missing
    return Image


def resampling(name: str, interpolation: Inter) -> Any:
    """Pillow's name for an interpolation.

    Raises:
        TypeError: Pillow has none of this kind.
    """
    names = {
        Inter.NEAREST: "NEAREST",
        Inter.LINEAR: "BILINEAR",
        Inter.CUBIC: "BICUBIC",
        Inter.ANTIALIAS: "LANCZOS",
    }
    if interpolation not in names:
        raise TypeError(
            f"{name}: interpolation must be NEAREST, LINEAR, CUBIC or ANTIALIAS for a PIL image, "
            f"got {interpolation.name}. Current Interpolation is not supported with PIL input."
        )
    return getattr(pillow(name).Resampling, names[interpolation])


def enhanced(name: str, what: str, image: Any, factor: float) -> Any:
    """PIL.ImageEnhance.<what>(image).enhance(factor), for the transform of this name."""
    pillow(name)
    from PIL import ImageEnhance

    return getattr(ImageEnhance, what)(image).enhance(factor)


def image_operation(name: str, what: str) -> Any:
    """The function PIL.ImageOps.<what>, for the transform of this name."""
    pillow(name)
    from PIL import ImageOps

    return getattr(ImageOps, what)


def turned_hue(name: str, image: Any, steps: int) -> Any:
    """The image with all hues so many of 256 steps further."""
    if image.mode in ("L", "1", "I", "F"):
        return image
    module = pillow(name)
    hue, saturation, value = image.convert("HSV").split()
    turned = module.fromarray(np.asarray(hue) + np.array(steps).astype(np.uint8))
    return module.merge("HSV", (turned, saturation, value)).convert(image.mode)


def expanded(name: str, image: Any, border: tuple[int, ...], fill: Any, mode: Any) -> Any:
    """The image with (left, top, right, bottom) more pixels. A palette stays, and what a constant
    border adds to an image with an alpha channel is opaque."""
    left, top, right, bottom = border
    if mode == "constant":
        fill = fill[0] if image.mode in ("L", "1") else fill
        out = image_operation(name, "expand")(image, border, fill)
    else:
        sides = ((top, bottom), (left, right), (0, 0))
        array = np.asarray(image)
        out = pillow(name).fromarray(np.pad(array, sides[: array.ndim], mode))
    if image.mode == "P":
        out.putpalette(image.getpalette())
    return out
