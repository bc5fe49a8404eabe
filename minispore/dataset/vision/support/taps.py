"""Which input pixels an output pixel is made of, and with which weights: the tables of each
interpolation along one axis, as OpenCV and Pillow compute them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

PILLOW_BITS = 22  # of Pillow's integer weights


class Taps(NamedTuple):
    """Output pixel j of an axis is the sum over k of weight[k, j] * input[at[k, j]]."""

    at: np.ndarray  # (K, size) intp
    weight: np.ndarray  # (K, size) float32


def bilinear(source: int, size: int, covered: bool, clamp: bool) -> Taps:
    """Two neighbours, weighted by distance, or with ``covered`` by the area that the
    output pixel covers.

    With ``clamp``, OpenCV's way with rows, an edge pixel gets all the weight; in columns it is
    repeated with both weights, which rounds otherwise.
    """
    if covered:
        at, zoom = np.arange(size), size / source
        left = np.floor(at * (1 / zoom))
        t = ((at + 1) - (left + 1) * zoom).astype(np.float32)
        t = np.where(t <= 0, np.float32(0), t - np.floor(t))
    else:
        left, t = _left_and_fraction(source, size)
    if clamp:
        t = np.where((left < 0) | (left >= source - 1), np.float32(0), t)
        left = np.clip(left, 0, source - 1)
    index = left.astype(np.intp) + np.arange(2)[:, None]
    return Taps(np.clip(index, 0, source - 1), np.stack([1 - t, t]))


def _left_and_fraction(source: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the centres of the output pixels lie among the input's: in float32, as
    OpenCV computes it."""
    centre = ((np.arange(size) + 0.5) * (1 / (size / source)) - 0.5).astype(np.float32)
    left = np.floor(centre)
    return left, centre - left


def bicubic(source: int, size: int) -> Taps:
    """Four neighbours."""
    left, t = _left_and_fraction(source, size)
    index = left.astype(np.intp) + np.arange(-1, 3)[:, None]
    return Taps(np.clip(index, 0, source - 1), cubic_weights(t))


def cubic_weights(t: np.ndarray) -> np.ndarray:
    """Of the pixels at -1, 0, 1, 2 for a point at t in [0, 1): Keys' kernel with a = -0.75."""
    a, u = np.float32(-0.75), 1 - t
    before = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a
    here = ((a + 2) * t - (a + 3)) * t * t + 1
    after = ((a + 2) * u - (a + 3)) * u * u + 1
    return np.stack([before, here, after, 1 - before - here - after])


def area(source: int, size: int) -> Taps:
    """All pixels that the output pixel covers, weighted by how much of each."""
    scale, at = source / size, np.arange(size)
    low = at * scale
    high = np.minimum(low + scale, source)
    first = np.floor(low + 1e-3).astype(np.intp)  # less than a thousandth of a pixel is left out
    index = first + np.arange(math.ceil(scale) + 1)[:, None]
    covered = np.minimum(index + 1, high) - np.maximum(index, low)
    weight = np.where(covered > 1e-3, covered, 0) / (high - low)
    return Taps(np.minimum(index, source - 1), weight.astype(np.float32))


def pillow_bicubic(source: int, size: int) -> Taps:
    """Catmull-Rom stretched over 2 output pixels to either side, so that shrinking averages;
    weights in 22 bits."""
    scale = source / size
    stretch = max(scale, 1.0)
    centre = (np.arange(size) + 0.5) * scale
    first = np.maximum((centre - 2 * stretch + 0.5).astype(np.intp), 0)
    last = np.minimum((centre + 2 * stretch + 0.5).astype(np.intp), source)
    index = first + np.arange((last - first).max())[:, None]
    x = np.abs((index - centre + 0.5) / stretch)
    weight = np.where(x < 1, (1.5 * x - 2.5) * x * x + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2)
    weight = np.where((x < 2) & (index < last), weight, 0)
    weight = weight / weight.sum(axis=0) * (1 << PILLOW_BITS)
    weight = np.trunc(weight + np.copysign(0.5, weight))
    return Taps(np.minimum(index, source - 1), weight.astype(np.int32))


def nearest(source: int, size: int) -> np.ndarray:
    """The input pixel of each output pixel."""
    index = np.floor(np.arange(size) * (1 / (size / source))).astype(np.intp)
    return np.minimum(index, source - 1)
