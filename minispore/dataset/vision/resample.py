"""Change the size of images: separable interpolation with the coefficients and the rounding of
OpenCV and Pillow.

Each output pixel is a weighted sum of a few input pixels (taps), along the row, then along the
column. OpenCV computes uint8 images in integers: weights have 11 bits, and the bilinear column pass
drops bits in this way,

    row:    s[x] = a0 * p[i] + a1 * p[i+1]                                   (a0 + a1 = 2**11)
    column: (((b0 * (s0 >> 4)) >> 16) + ((b1 * (s1 >> 4)) >> 16) + 2) >> 2   (b0 + b1 = 2**11)

Pillow's bicubic has weights of 22 bits and rounds to uint8 after each pass. All is done here in the
same way, so that results are equal bit by bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from minispore.dataset.vision.enums import Inter

WEIGHT_BITS = 11  # of OpenCV's integer weights
PILLOW_BITS = 22
CHUNK_ELEMENTS = (
    1 << 16
)  # intermediate values held at a time: 256 KiB of int32, which fits a core's L2 cache
SHORT_ROW = 256  # in shorter rows a loop's overhead counts: weights are spread over the whole image


class Taps(NamedTuple):
    """Output pixel j of an axis is the sum over k of weight[k, j] * input[at[k, j]]."""

    at: np.ndarray  # (K, size) intp
    weight: np.ndarray  # (K, size) float32


def _bilinear(source: int, size: int, covered: bool, clamp: bool) -> Taps:
    """Two neighbours, weighted by distance, or with ``covered`` by the area that the output pixel
    covers.

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
    """Where the centres of the output pixels lie among the input's: in float32, as OpenCV computes
    it."""
    centre = ((np.arange(size) + 0.5) * (1 / (size / source)) - 0.5).astype(np.float32)
    left = np.floor(centre)
    return left, centre - left


def _bicubic(source: int, size: int) -> Taps:
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


def _area(source: int, size: int) -> Taps:
    """All pixels that the output pixel covers, weighted by how much of each."""
    scale, at = source / size, np.arange(size)
    low = at * scale
    high = np.minimum(low + scale, source)
    first = np.floor(low + 1e-3).astype(np.intp)  # less than a thousandth of a pixel is left out
    index = first + np.arange(math.ceil(scale) + 1)[:, None]
    covered = np.minimum(index + 1, high) - np.maximum(index, low)
    weight = np.where(covered > 1e-3, covered, 0) / (high - low)
    return Taps(np.minimum(index, source - 1), weight.astype(np.float32))


def _pillow_bicubic(source: int, size: int) -> Taps:
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


def _nearest(source: int, size: int) -> np.ndarray:
    index = np.floor(np.arange(size) * (1 / (size / source))).astype(np.intp)
    return np.minimum(index, source - 1)


@lru_cache(maxsize=256)
def _row_and_column_taps(
    inter: Inter, height: int, width: int, size: tuple[int, int]
) -> tuple[Taps, Taps]:
    if inter is Inter.PILCUBIC:
        return _pillow_bicubic(width, size[1]), _pillow_bicubic(height, size[0])
    if inter is Inter.CUBIC:
        return _bicubic(width, size[1]), _bicubic(height, size[0])
    covered = inter is Inter.AREA
    if covered and size[0] <= height and size[1] <= width:
        return _area(width, size[1]), _area(height, size[0])
    return _bilinear(width, size[1], covered, clamp=True), _bilinear(
        height, size[0], covered, clamp=False
    )


def resized(images: np.ndarray, size: tuple[int, int], inter: Inter) -> np.ndarray:
    """(N, H, W, C) -> (N, *size, C) of the same dtype."""
    out = np.empty((len(images), *size, images.shape[3]), images.dtype)
    for part, values in resized_parts(images, size, inter):
        out[part] = values
    return out


def resized_parts(
    images: np.ndarray, size: tuple[int, int], inter: Inter
) -> Iterator[tuple[slice, np.ndarray]]:
    """Pairs of some rows of the block and their values in the new size: integral ones in any
    dtype."""
    count, height, _, channels = images.shape
    step = max(1, CHUNK_ELEMENTS // max(1, max(height, size[0]) * size[1] * channels))
    for start in range(0, count, step):
        part = slice(start, start + step)
        yield part, _resized_chunk(images[part], size, inter)


def _resized_chunk(x: np.ndarray, size: tuple[int, int], inter: Inter) -> np.ndarray:
    height, width = x.shape[1:3]
    if x.dtype == np.bool_:
        x = x.view(np.uint8)
    if inter is Inter.NEAREST:
        return x.take(_nearest(height, size[0]), axis=1).take(_nearest(width, size[1]), axis=2)
    if (height, width) == size:
        return x
    across, down = _row_and_column_taps(inter, height, width, size)
    if inter is Inter.PILCUBIC:
        x = _pillow_pass(x, across, axis=2) if width != size[1] else x
        return _pillow_pass(x, down, axis=1) if height != size[0] else x
    rows = np.unique(down.at)
    if len(rows) < height:  # a much smaller image needs not all of them
        x, down = x.take(rows, axis=1), Taps(np.searchsorted(rows, down.at), down.weight)
    if x.dtype == np.uint8 and inter is not Inter.CUBIC and len(across.at) == 2:
        return _bilinear_uint8(x, across, down)
    if x.dtype == np.uint8 and inter is Inter.CUBIC:
        across, down = (
            Taps(across.at, _integers(across.weight)),
            Taps(down.at, _integers(down.weight)),
        )
        half = 1 << (2 * WEIGHT_BITS - 1)
        values = _pass(_pass(x.astype(np.int32), across, axis=2), down, axis=1) + half
        return np.clip(values >> (2 * WEIGHT_BITS), 0, 255)
    if (
        x.dtype.kind in "ui"
        and inter is not Inter.CUBIC
        and (height, width) == (2 * size[0], 2 * size[1])
    ):
        pairs = x[:, 0::2].astype(np.int64) + x[:, 1::2]
        return (
            pairs[:, :, 0::2] + pairs[:, :, 1::2] + 2
        ) >> 2  # the mean of 2 x 2 pixels: halves round up
    real = np.float32 if x.dtype.itemsize <= 2 or x.dtype == np.float32 else np.float64
    values = _pass(_pass(x.astype(real), across, axis=2), down, axis=1)
    if x.dtype.kind == "f":
        return values
    limits = np.iinfo(x.dtype)
    return np.clip(np.rint(values), limits.min, limits.max)


def _integers(weight: np.ndarray) -> np.ndarray:
    return np.rint(weight * (1 << WEIGHT_BITS)).astype(np.int32)


def _pass(x: np.ndarray, taps: Taps, axis: int) -> np.ndarray:
    shape = (-1,) + (1,) * (3 - axis)
    return sum(
        x.take(i, axis) * w.astype(x.dtype).reshape(shape) for i, w in zip(taps.at, taps.weight)
    )


def _pillow_pass(x: np.ndarray, taps: Taps, axis: int) -> np.ndarray:
    values = _pass(x.astype(np.int32), taps, axis) + (1 << (PILLOW_BITS - 1))
    return np.clip(values >> PILLOW_BITS, 0, 255)


def _bilinear_uint8(x: np.ndarray, across: Taps, down: Taps) -> np.ndarray:
    """The two passes of the module's text: int32 (n, H, W, C)."""
    count, _, _, channels = x.shape
    height, width = down.at.shape[1], across.at.shape[1]
    s = x.astype(np.int32)
    a0, a1 = _integers(across.weight)[:, :, None]
    s0, s1 = s.take(across.at[0], axis=2), s.take(across.at[1], axis=2)
    s0 *= a0
    s1 *= a1
    s0 += s1
    s0 >>= 4
    b0, b1 = _integers(down.weight)[:, :, None]
    shape: tuple[int, ...] = (count, height, width * channels)
    if width * channels < SHORT_ROW:
        b0, b1 = b0.repeat(width * channels), b1.repeat(width * channels)
        shape = (count, height * width * channels)
    t0 = s0.take(down.at[0], axis=1).reshape(shape)
    t1 = s0.take(down.at[1], axis=1).reshape(shape)
    t0 *= b0
    t0 >>= 16
    t1 *= b1
    t1 >>= 16
    t0 += t1
    t0 += 2
    t0 >>= 2
    return t0.reshape(count, height, width, channels)
