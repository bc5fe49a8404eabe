"""Arithmetic of colours: gray values, blends, hue, and look-up tables, rounded as OpenCV rounds."""

from __future__ import annotations

import numpy as np

RGB_WEIGHTS = (0.299, 0.587, 0.114)  # of luma, ITU-R BT.601
GRAY_BITS = 15
RGB_WEIGHTS_INTEGER = (9798, 19235, 3735)  # times 2**15; they add up to 2**15


def saturated(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Real values in another dtype: integers are rounded, halves to even, and clipped."""
    if dtype.kind == "f":
        return values.astype(dtype, copy=False)
    if dtype == np.bool_:
        return values != 0
    limits = np.iinfo(dtype)
    return np.clip(np.rint(values), limits.min, limits.max).astype(dtype)


def gray(images: np.ndarray, bgr: bool = False) -> np.ndarray:
    """(..., 3 or more) -> (...): the luma of RGB (or BGR) images in the same dtype."""
    first, green, last = (images[..., i] for i in range(3))
    red, blue = (last, first) if bgr else (first, last)
    if images.dtype.kind == "f":
        r, g, b = (np.float32(w) for w in RGB_WEIGHTS)
        return (red * r + green * g + blue * b).astype(images.dtype, copy=False)
    channels = (c.astype(np.int64) for c in (red, green, blue))
    total = np.asarray(sum(c * w for c, w in zip(channels, RGB_WEIGHTS_INTEGER)))
    return ((total + (1 << (GRAY_BITS - 1))) >> GRAY_BITS).astype(images.dtype)


def blended(a: np.ndarray, weight: np.float32, b: np.ndarray, rest: np.float32) -> np.ndarray:
    """a * weight + b * rest in the dtype of ``a``, as a fused multiply-add.

    Only the second product is rounded to float32 before the sum.
    """
    second = (b.astype(np.float32) * rest).astype(np.float64)
    total = (a.astype(np.float64) * np.float64(weight) + second).astype(np.float32)
    return saturated(total, a.dtype)


def looked_up(tables: np.ndarray, images: np.ndarray) -> np.ndarray:
    """tables[n, c, images[n, h, w, c]]: one table of 256 values for each image and channel."""
    count, _, _, channels = images.shape
    n = np.arange(count)[:, None, None, None]
    return tables[n, np.arange(channels), images]


def histograms(images: np.ndarray) -> np.ndarray:
    """(N, H, W, C) uint8 -> (N, C, 256): how often each level occurs."""
    count, height, width, channels = images.shape
    plane = np.arange(count * channels).reshape(count, 1, channels) * 256
    flat = images.reshape(count, height * width, channels) + plane
    counted = np.bincount(flat.ravel(), minlength=count * channels * 256)
    return counted.reshape(count, channels, 256)


def rgb_to_hsv(images: np.ndarray) -> np.ndarray:
    """uint8 RGB -> uint8 HSV with hue in 256 steps, in OpenCV's fixed point of 12 bits."""
    red, green, blue = (images[..., i].astype(np.int64) for i in range(3))
    value, low = images.max(-1).astype(np.int64), images.min(-1).astype(np.int64)
    spread = value - low
    levels = np.arange(1, 256)
    saturation_of = np.concatenate([[0], np.rint((255 << 12) / levels)]).astype(np.int64)
    hue_of = np.concatenate([[0], np.rint((256 << 12) / (6.0 * levels))]).astype(np.int64)
    saturation = (spread * saturation_of[value] + (1 << 11)) >> 12
    sixth = np.where(
        value == red,
        green - blue,
        np.where(value == green, blue - red + 2 * spread, red - green + 4 * spread),
    )
    hue = ((sixth * hue_of[spread] + (1 << 11)) >> 12) % 256
    return np.stack([hue, saturation, value], -1).astype(np.uint8)


# Which of (v, p, q, t) red, green and blue are, in each sixth of the circle of hues.
_SECTORS = np.array([[0, 3, 1], [2, 0, 1], [1, 0, 3], [1, 2, 0], [3, 1, 0], [0, 1, 2]])


def hsv_to_rgb(images: np.ndarray) -> np.ndarray:
    """uint8 HSV with hue in 256 steps -> uint8 RGB, truncated."""
    hue, saturation, value = (images[..., i].astype(np.float32) for i in range(3))
    rgb = hsv_to_rgb_real(hue * np.float32(6 / 255), saturation * np.float32(1 / 255), value)
    return rgb.astype(np.uint8)


def hsv_to_rgb_real(sixths: np.ndarray, saturation: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Hue in [0, 6), saturation in [0, 1] and value -> (..., 3) RGB in the scale of the value."""
    sector = np.floor(sixths)
    part = sixths - sector
    choices = np.stack(
        [
            value,
            value * (1 - saturation),
            value * (1 - saturation * part),
            value * (1 - saturation * (1 - part)),
        ],
        -1,
    )
    return np.take_along_axis(choices, _SECTORS[sector.astype(np.intp) % 6], -1)


def rgb_to_hsv_real(images: np.ndarray) -> np.ndarray:
    """(..., 3) RGB -> hue in [0, 1), saturation in [0, 1] and value in the scale of the image."""
    red, green, blue = (images[..., i].astype(np.float64) for i in range(3))
    value, low = images.max(-1).astype(np.float64), images.min(-1).astype(np.float64)
    spread = value - low
    some = np.where(spread == 0, 1, spread)
    r, g, b = ((value - c) / some for c in (red, green, blue))
    sixths = np.where(red == value, b - g, np.where(green == value, 2 + r - b, 4 + g - r))
    hue = np.where(spread == 0, 0.0, sixths / 6 % 1)
    saturation = np.where(spread == 0, 0.0, spread / np.where(value == 0, 1, value))
    return np.stack([hue, saturation, value], -1)
