"""Access to Pillow, an optional dependency for encoded images and PIL images."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.dataset.vision.enums import Inter


def import_pillow(name: str) -> Any:
    """Return the module PIL.Image; ``name`` is the transform to name in an error.

    Raises:
        ImportError: Pillow is not installed.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(
            f"{name}: needs Pillow, which is not installed. Run: pip install 'minispore[image]'"
        ) from error
    return Image


def get_pillow_resampling(name: str, interpolation: Inter) -> Any:
    """Return Pillow's constant for an interpolation.

    Raises:
        TypeError: Pillow does not have this interpolation.
        ImportError: Pillow is not installed.
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
    return getattr(import_pillow(name).Resampling, names[interpolation])


def enhance_image(name: str, enhancer: str, image: Any, factor: float) -> Any:
    """Return PIL.ImageEnhance.<enhancer>(image).enhance(factor).

    Raises:
        ImportError: Pillow is not installed.
    """
    import_pillow(name)
    from PIL import ImageEnhance

    return getattr(ImageEnhance, enhancer)(image).enhance(factor)


def get_pillow_operation(name: str, operation: str) -> Any:
    """Return the function PIL.ImageOps.<operation>; raise ImportError without Pillow."""
    import_pillow(name)
    from PIL import ImageOps

    return getattr(ImageOps, operation)


def rotate_hue(name: str, image: Any, steps: int) -> Any:
    """Return a PIL image with ``steps`` / 256 of the circle added to each pixel's hue.

    A gray image is returned unchanged.
    """
    if image.mode in ("L", "1", "I", "F"):
        return image
    module = import_pillow(name)
    hue, saturation, value = image.convert("HSV").split()
    rotated = module.fromarray(np.asarray(hue) + np.array(steps).astype(np.uint8))
    return module.merge("HSV", (rotated, saturation, value)).convert(image.mode)


def add_pil_border(name: str, image: Any, border: tuple[int, ...], fill: Any, mode: Any) -> Any:
    """Return a PIL image with a border of (left, top, right, bottom) pixels.

    ``mode`` is a mode of ``numpy.pad``. A palette is kept, and a constant border of an image with
    an alpha channel is opaque.
    """
    left, top, right, bottom = border
    if mode == "constant":
        fill = fill[0] if image.mode in ("L", "1") else fill
        out = get_pillow_operation(name, "expand")(image, border, fill)
    else:
        sides = ((top, bottom), (left, right), (0, 0))
        array = np.asarray(image)
        out = import_pillow(name).fromarray(np.pad(array, sides[: array.ndim], mode))
    if image.mode == "P":
        out.putpalette(image.getpalette())
    return out
