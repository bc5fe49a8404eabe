"""Colour arithmetic: gray values, blends, hue, and look-up tables, rounded as in OpenCV."""

from __future__ import annotations

import numpy as np

RGB_WEIGHTS = (0.299, 0.587, 0.114)  # of luma, ITU-R BT.601
GRAY_BITS = 15
RGB_WEIGHTS_INTEGER = (9798, 19235, 3735)  # times 2**15; their sum is 2**15


def cast_saturated(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Cast real values to a dtype; integers are rounded half to even and clipped.

    Floats are not clipped, and may be returned without a copy; a bool is ``value != 0``.
    """
    if dtype.kind == "f":
        return values.astype(dtype, copy=False)
    if dtype == np.bool_:
        return values != 0
    limits = np.iinfo(dtype)
    return np.clip(np.rint(values), limits.min, limits.max).astype(dtype)


def invert_colours(images: np.ndarray) -> np.ndarray:
    """Return 255 - x, clipped to the range of the dtype."""
    if images.dtype == np.uint8:
        return np.uint8(255) - images
    return cast_saturated(255 - images.astype(np.float64), images.dtype)


def split_channels(images: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return the first three channels of (..., C) images as (3, ...) contiguous planes."""
    return np.array([images[..., i] for i in range(3)], dtype)


def to_gray(images: np.ndarray, bgr: bool = False) -> np.ndarray:
    """Return the luma (...) of RGB or BGR images (..., C >= 3) in the same dtype.

    Integers are rounded half up, with weights of 15 bits.
    """
    if images.dtype.kind == "f":
        channels = split_channels(images, np.result_type(images.dtype, np.float32))
        weights = np.array(RGB_WEIGHTS, np.float32)
    else:
        wide = images.dtype.itemsize > 2
        channels = split_channels(images, np.dtype(np.int64 if wide else np.int32))
        weights = np.array(RGB_WEIGHTS_INTEGER, channels.dtype)
    red, green, blue = weights[::-1] if bgr else weights
    total = channels[0] * red
    total += channels[1] * green
    total += channels[2] * blue
    if images.dtype.kind != "f":
        total += 1 << (GRAY_BITS - 1)
        total >>= GRAY_BITS
    return total.astype(images.dtype)


def to_pillow_gray(images: np.ndarray) -> np.ndarray:
    """Return the luma (...) of images (..., 3), for uint8 with Pillow's 16-bit weights.

    Other dtypes are converted as in :func:`to_gray`.
    """
    if images.dtype != np.uint8:
        return to_gray(images)
    red, green, blue = split_channels(images, np.dtype(np.int32))
    return ((red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16).astype(np.uint8)


def blend_images(
    a: np.ndarray, a_weight: np.float32, b: np.ndarray, b_weight: np.float32
) -> np.ndarray:
    """Return a * a_weight + b * b_weight in a's dtype; integers are rounded and clipped."""
    second = (b.astype(np.float32) * b_weight).astype(np.float64)
    total = (a.astype(np.float64) * np.float64(a_weight) + second).astype(np.float32)
    return cast_saturated(total, a.dtype)


def apply_lookup_tables(tables: np.ndarray, images: np.ndarray) -> np.ndarray:
    """Return (N, H, W, C) with each level looked up in the table of its image and channel.

    Args:
        tables (numpy.ndarray): (N, C, 256).
        images (numpy.ndarray): (N, H, W, C) uint8.
    """
    count, _, _, channels = images.shape
    n = np.arange(count)[:, None, None, None]
    return tables[n, np.arange(channels), images]


def compute_histograms(images: np.ndarray) -> np.ndarray:
    """Count how often each level occurs in each channel: (N, H, W, C) uint8 -> (N, C, 256)."""
    count, height, width, channels = images.shape
    bin_offsets = np.arange(count * channels).reshape(count, 1, channels) * 256
    bins = images.reshape(count, height * width, channels) + bin_offsets
    counts = np.bincount(bins.ravel(), minlength=count * channels * 256)
    return counts.reshape(count, channels, 256)


def rgb_to_hsv(images: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Convert uint8 RGB (..., 3) to int32 hue, saturation and value (...) in [0, 255].

    The circle of hues has 256 steps; computed in 12-bit fixed point, as in OpenCV.
    """
    red, green, blue = split_channels(images, np.dtype(np.int32))
    value = np.maximum(np.maximum(red, green), blue)
    chroma = value - np.minimum(np.minimum(red, green), blue)
    levels = np.arange(1, 256)
    saturation_table = np.concatenate([[0], np.rint((255 << 12) / levels)]).astype(np.int32)
    hue_table = np.concatenate([[0], np.rint((256 << 12) / (6.0 * levels))]).astype(np.int32)
    saturation = (chroma * saturation_table[value] + (1 << 11)) >> 12
    hue_numerator = np.select(
        [value == red, value == green],
        [green - blue, blue - red + 2 * chroma],
        red - green + 4 * chroma,
    )
    hue = ((hue_numerator * hue_table[chroma] + (1 << 11)) >> 12) & 0xFF
    return hue, saturation, value


def hsv_to_rgb(hue: np.ndarray, saturation: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Convert hue, saturation and value in [0, 255] to uint8 RGB (..., 3), truncated."""
    sixths = hue.astype(np.float32) * np.float32(6 / 255)
    saturations = saturation.astype(np.float32) * np.float32(1 / 255)
    return hsv_to_rgb_real(sixths, saturations, value.astype(np.float32)).astype(np.uint8)


def hsv_to_rgb_real(sixths: np.ndarray, saturation: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Convert hue in [0, 6), saturation in [0, 1] and value to (..., 3) RGB, scaled like value.

    The dtype is that of ``value``. Each channel is value * (1 - saturation * m), where m is 0 over
    a third of the hue circle, 1 over the opposite third, and linear between them.
    """
    out = np.empty((*value.shape, 3), value.dtype)
    for channel, start in enumerate((5, 3, 1)):
        k = (sixths + start) % 6
        np.minimum(k, 4 - k, out=k)
        np.clip(k, 0, 1, out=k)
        out[..., channel] = value * (1 - saturation * k)
    return out


def rgb_to_hsv_real(images: np.ndarray) -> np.ndarray:
    """Convert RGB (..., 3) to float64 (..., 3): hue in [0, 1), saturation in [0, 1], and value.

    The value is scaled like RGB. Hue is 0 for grays, saturation too.
    """
    red, green, blue = split_channels(images, np.dtype(np.float64))
    value = np.maximum(np.maximum(red, green), blue)
    chroma = value - np.minimum(np.minimum(red, green), blue)
    divisor = np.where(chroma == 0, 1, chroma)
    r, g, b = ((value - c) / divisor for c in (red, green, blue))
    sixths = np.select([red == value, green == value], [b - g, 2 + r - b], 4 + g - r)
    hue = np.where(chroma == 0, 0.0, sixths / 6 % 1)
    saturation = np.where(chroma == 0, 0.0, chroma / np.where(value == 0, 1, value))
    return np.stack([hue, saturation, value], -1)
