"""Convert decoded Pillow images to arrays with the same pixel values as OpenCV.

OpenCV leaves the conversion to gray to the library of each format: a JPEG file stores luma, PNG
rounds down and applies the gamma of the file, other formats round to nearest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LUMA_WEIGHTS = (4899, 9617, 1868)  # luma weights times 2**14
PNG_LUMA_WEIGHTS = (9797, 19234, 3737)  # luma weights times 2**15; the sum is rounded down
SRGB_GAMMA = 0.45455
ORIENTATION_TAG = 274  # EXIF tag


def to_rgb(image: Any) -> np.ndarray:
    """Return an image as (H, W, 3) uint8 RGB, as Decode converts it.

    Of 16-bit levels the high bytes are used; other integer or float levels raise RuntimeError.
    """
    if image.mode[0] in "IF":
        return np.repeat(_get_high_bytes(image)[..., None], 3, -1)
    if image.mode == "RGBA" and image.format == "TIFF":  # colours are weighted by the alpha channel
        pixels = np.asarray(image).astype(np.int32)
        return ((pixels[..., :3] * pixels[..., 3:] + 127) // 255).astype(np.uint8)
    return np.array(image.convert("RGB"))


def to_rgb_as_opencv(image: Any) -> np.ndarray:
    """Return an image as (H, W, 3) uint8 RGB, as read_image converts it.

    CMYK JPEGs differ from the result of Decode.
    """
    if image.mode != "CMYK" or image.format != "JPEG":
        return to_rgb(image)
    inks = 255 - np.asarray(image).astype(np.int32)
    light, black = inks[..., :3], inks[..., 3:]
    return (black - ((255 - light) * black >> 8)).astype(np.uint8)


def to_gray(image: Any) -> np.ndarray:
    """Return an image as (H, W) uint8 luma, rounded like the library of its format.

    Of 16-bit levels the high bytes are used; other integer or float levels raise RuntimeError.
    """
    if image.mode[0] in "IF":
        return _get_high_bytes(image)
    if image.mode in ("L", "LA", "1"):
        return np.array(image.convert("L"))
    pixels = to_rgb_as_opencv(image)
    if image.format == "PNG":
        return _compute_png_gray(pixels, _read_png_gamma(image))
    return (pixels @ np.array(LUMA_WEIGHTS) + (1 << 13) >> 14).astype(np.uint8)


def apply_orientation(convert: Callable[[Any], np.ndarray], image: Any) -> np.ndarray:
    """Return ``convert(image)``, flipped and transposed according to the image's EXIF orientation.

    The result is contiguous.
    """
    orientation = image.getexif().get(ORIENTATION_TAG, 1)
    array = convert(image)
    array = array.swapaxes(0, 1) if orientation in (5, 6, 7, 8) else array
    array = array[::-1] if orientation in (3, 4, 7, 8) else array
    return np.ascontiguousarray(array[:, ::-1] if orientation in (2, 3, 6, 7) else array)


def to_array(image: Any) -> np.ndarray:
    """Return an image as (H, W) if the file is gray, else as (H, W, 3), without alpha.

    It is uint8, unless the image has 16-bit, integer or float levels, whose dtype is kept.
    """
    if image.mode[0] in "IF":
        return np.array(image)
    is_gray = image.mode in ("L", "1") or (image.mode == "LA" and image.format == "TIFF")
    return np.array(image.convert("L")) if is_gray else to_rgb_as_opencv(image)


def _get_high_bytes(image: Any) -> np.ndarray:
    """Return the high bytes of 16-bit levels as uint8.

    Raises:
        RuntimeError: The image does not have 16-bit levels.
    """
    if not image.mode.startswith("I;16"):
        raise RuntimeError(
            f"image must have levels of 8 or 16 bits for colours, got {image.mode!r}: image decode "
            "failed. Read it with ImageReadMode.UNCHANGED."
        )
    return (np.asarray(image).astype(np.uint32) >> 8).astype(np.uint8)


def _read_png_gamma(image: Any) -> float:
    """Return the gamma given in a PNG file, or 0 if there is none."""
    return SRGB_GAMMA if "srgb" in image.info else image.info.get("gamma", 0)


def _compute_png_gray(pixels: np.ndarray, gamma: float) -> np.ndarray:
    """Return the luma of RGB pixels of a PNG file, in linear light if the file gives a gamma."""
    weights = np.array(PNG_LUMA_WEIGHTS)
    if not gamma or abs(gamma - 1) <= 0.05:
        return (pixels @ weights >> 15).astype(np.uint8)
    levels = np.arange(256) / 255
    to_linear = np.floor(255 * levels ** (1 / gamma) + 0.5).astype(int)
    from_linear = np.floor(255 * levels**gamma + 0.5).astype(int)
    luma = from_linear[to_linear[pixels] @ weights + (1 << 14) >> 15]
    equal = (pixels[..., 0] == pixels[..., 1]) & (pixels[..., 0] == pixels[..., 2])
    return np.where(equal, pixels[..., 0], luma).astype(np.uint8)


def check_format(name: str, image: Any) -> None:
    """Raise RuntimeError if MindSpore can't decode images of this format to arrays."""
    if image.format in ("GIF", "WEBP", "JPEG2000"):
        raise RuntimeError(
            f"{name}: data must not be {image.format} for an array, as in MindSpore: image decode "
            "failed, Unsupported image type. Use Decode(to_pil=True)."
        )
