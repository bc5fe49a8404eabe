"""Interpolation tables along one axis: the input pixels of each output pixel and their weights.

They are equal to the tables of OpenCV and Pillow.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

PILLOW_BITS = 22  # bits of Pillow's integer weights


class Taps(NamedTuple):
    """Output pixel j of an axis is the sum over k of weight[k, j] * input[indices[k, j]]."""

    indices: np.ndarray  # (K, size) intp
    weight: np.ndarray  # (K, size) float32, or int32 in fixed point


def make_bilinear_taps(source: int, size: int, by_area: bool, clamp: bool) -> Taps:
    """Make taps of two neighbours for each output pixel.

    Args:
        source (int): length of the axis.
        size (int): length of the resized axis.
        by_area (bool): whether weights come from the covered areas, else from the distances.
        clamp (bool): whether an edge pixel gets the entire weight, as in OpenCV's rows. In columns
            it is repeated with both weights, which rounds differently.
    """
    if by_area:
        position, zoom = np.arange(size), size / source
        left = np.floor(position * (1 / zoom))
        t = ((position + 1) - (left + 1) * zoom).astype(np.float32)
        t = np.where(t <= 0, np.float32(0), t - np.floor(t))
    else:
        left, t = _locate_centres(source, size)
    if clamp:
        t = np.where((left < 0) | (left >= source - 1), np.float32(0), t)
        left = np.clip(left, 0, source - 1)
    index = left.astype(np.intp) + np.arange(2)[:, None]
    return Taps(np.clip(index, 0, source - 1), np.stack([1 - t, t]))


def _locate_centres(source: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the left input neighbour of each output pixel's centre, and the distance from it.

    Computed in float32, as in OpenCV.
    """
    centre = ((np.arange(size) + 0.5) * (1 / (size / source)) - 0.5).astype(np.float32)
    left = np.floor(centre)
    return left, centre - left


def make_bicubic_taps(source: int, size: int) -> Taps:
    """Make taps of four neighbours with OpenCV's cubic weights."""
    left, t = _locate_centres(source, size)
    index = left.astype(np.intp) + np.arange(-1, 3)[:, None]
    return Taps(np.clip(index, 0, source - 1), compute_cubic_weights(t))


def compute_cubic_weights(t: np.ndarray) -> np.ndarray:
    """Return the weights (4, ...) of the pixels at -1, 0, 1, 2 for points at t in [0, 1)."""
    a, u = np.float32(-0.75), 1 - t
    before_left = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a
    at_left = ((a + 2) * t - (a + 3)) * t * t + 1
    at_right = ((a + 2) * u - (a + 3)) * u * u + 1
    return np.stack([before_left, at_left, at_right, 1 - before_left - at_left - at_right])


def make_area_taps(source: int, size: int) -> Taps:
    """Make taps of all input pixels that an output pixel covers, weighted by the overlap."""
    scale, position = source / size, np.arange(size)
    low = position * scale
    high = np.minimum(low + scale, source)
    # An overlap below a thousandth of a pixel is ignored.
    first = np.floor(low + 1e-3).astype(np.intp)
    index = first + np.arange(math.ceil(scale) + 1)[:, None]
    overlap = np.minimum(index + 1, high) - np.maximum(index, low)
    weight = np.where(overlap > 1e-3, overlap, 0) / (high - low)
    return Taps(np.minimum(index, source - 1), weight.astype(np.float32))


def make_pillow_bicubic_taps(source: int, size: int) -> Taps:
    """Make taps of Pillow's bicubic interpolation, with int32 weights of ``PILLOW_BITS`` bits."""
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


def compute_nearest_indices(source: int, size: int) -> np.ndarray:
    """Return the index of the input pixel that each output pixel copies."""
    index = np.floor(np.arange(size) * (1 / (size / source))).astype(np.intp)
    return np.minimum(index, source - 1)
