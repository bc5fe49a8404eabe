"""Pixels of opened images as OpenCV reads them.

It leaves levels of gray to the library of each format, which has a way of its own: a JPEG file has
them, PNG drops what is behind the point and minds the gamma that the file tells, others round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

WEIGHTS = (4899, 9617, 1868)  # of luma, times 2**14
PNG_WEIGHTS = (9797, 19234, 3737)  # times 2**15, rounded down
SRGB_GAMMA = 0.45455
ORIENTATION = 274  # the number of this among the facts that cameras write


def colours(image: Any) -> np.ndarray:
    """(H, W, 3) uint8, as Decode gives it."""
    if image.mode[0] in "IF":
        return np.repeat(_bytes(image)[..., None], 3, -1)
    if image.mode == "RGBA" and image.format == "TIFF":  # colours are weighted by the alpha channel
        pixels = np.asarray(image).astype(np.int32)
        return ((pixels[..., :3] * pixels[..., 3:] + 127) // 255).astype(np.uint8)
    return np.array(image.convert("RGB"))


def coloured(image: Any) -> np.ndarray:
    """(H, W, 3) uint8, as read_image gives it."""
    if image.mode != "CMYK" or image.format != "JPEG":
        return colours(image)
    inks = 255 - np.asarray(image).astype(np.int32)
    light, black = inks[..., :3], inks[..., 3:]
    return (black - ((255 - light) * black >> 8)).astype(np.uint8)


def grayed(image: Any) -> np.ndarray:
    """(H, W) uint8."""
    if image.mode[0] in "IF":
        return _bytes(image)
    if image.mode in ("L", "LA", "1"):
        return np.array(image.convert("L"))
    pixels = coloured(image)
    if image.format == "PNG":
        return _png_gray(pixels, _gamma(image))
    return (pixels @ np.array(WEIGHTS) + (1 << 13) >> 14).astype(np.uint8)


def upright(pixels: Callable[[Any], np.ndarray], image: Any) -> np.ndarray:
    """``pixels`` of the image, turned as its file says that it must be shown."""
    way = image.getexif().get(ORIENTATION, 1)
    array = pixels(image)
    array = array.swapaxes(0, 1) if way in (5, 6, 7, 8) else array
    array = array[::-1] if way in (3, 4, 7, 8) else array
    return np.ascontiguousarray(array[:, ::-1] if way in (2, 3, 6, 7) else array)


def unchanged(image: Any) -> np.ndarray:
    """(H, W) or (H, W, 3): gray where the file is, without an alpha channel."""
    if image.mode[0] in "IF":
        return np.array(image)
    without_colours = image.mode in ("L", "1") or (image.mode == "LA" and image.format == "TIFF")
    return np.array(image.convert("L")) if without_colours else coloured(image)


def _bytes(image: Any) -> np.ndarray:
    """The higher bytes of levels of 16 bits.

    Raises:
        RuntimeError: there are more bits.
    """
    if not image.mode.startswith("I;16"):
        raise RuntimeError(
            f"image must have levels of 8 or 16 bits for colours, got {image.mode!r}: image decode "
            "failed. Read it with ImageReadMode.UNCHANGED."
        )
    return (np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8)


def _gamma(image: Any) -> float:
    """What a PNG file says of its levels; 0 if nothing."""
    return SRGB_GAMMA if "srgb" in image.info else image.info.get("gamma", 0)


def _png_gray(pixels: np.ndarray, gamma: float) -> np.ndarray:
    weights = np.array(PNG_WEIGHTS)
    if not gamma or abs(gamma - 1) <= 0.05:
        return (pixels @ weights >> 15).astype(np.uint8)
    levels = np.arange(256) / 255
    straight, bent = (
        np.floor(255 * levels**power + 0.5).astype(int) for power in (1 / gamma, gamma)
    )
    mixed = bent[straight[pixels] @ weights + (1 << 14) >> 15]
    equal = (pixels[..., 0] == pixels[..., 1]) & (pixels[..., 0] == pixels[..., 2])
    return np.where(equal, pixels[..., 0], mixed).astype(np.uint8)


def refuse_formats(name: str, image: Any) -> None:
    """Raise if MindSpore makes no array of an image of this format."""
    if image.format in ("GIF", "WEBP", "JPEG2000"):
        raise RuntimeError(
            f"{name}: data must not be {image.format} for an array, as in MindSpore: image decode "
            "failed, Unsupported image type. Use Decode(to_pil=True)."
        )
