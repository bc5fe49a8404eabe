"""Change the size of images: separable interpolation with the rounding of OpenCV and Pillow.

Each output pixel is a weighted sum of a few input pixels (taps), along the row, then along the
column. OpenCV computes uint8 images in integers: weights have 11 bits, and the bilinear column pass
drops bits in this way,

    row:    s[x] = a0 * p[i] + a1 * p[i+1]                                   (a0 + a1 = 2**11)
    column: (((b0 * (s0 >> 4)) >> 16) + ((b1 * (s1 >> 4)) >> 16) + 2) >> 2   (b0 + b1 = 2**11)

Pillow's bicubic has weights of 22 bits and rounds to uint8 after each pass. All is done here in the
same way, so that results are equal bit by bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from minispore.dataset.vision.enums import Inter
from minispore.dataset.vision.support.taps import (
    PILLOW_BITS,
    Taps,
    area,
    bicubic,
    bilinear,
    nearest,
    pillow_bicubic,
)

WEIGHT_BITS = 11  # of OpenCV's integer weights

# Intermediate values held at a time: 64 KiB of int32, which stay in a core's cache, and below the
# size from which malloc takes fresh pages from the system each time.
CHUNK_ELEMENTS = 1 << 14
SHORT_ROW = 256  # in shorter rows a loop's overhead counts: weights are spread over the whole image


@lru_cache(maxsize=256)
def row_and_column_taps(
    inter: Inter, height: int, width: int, size: tuple[int, int]
) -> tuple[Taps, Taps]:
    """Taps across and down an image."""
    tall, wide = size
    if inter is Inter.PILCUBIC:
        return pillow_bicubic(width, wide), pillow_bicubic(height, tall)
    if inter is Inter.CUBIC:
        return bicubic(width, wide), bicubic(height, tall)
    if not is_bilinear(inter, height, width, size):
        return area(width, wide), area(height, tall)
    covered = inter is Inter.AREA
    return bilinear(width, wide, covered, clamp=True), bilinear(height, tall, covered, clamp=False)


def is_bilinear(inter: Inter, height: int, width: int, size: tuple[int, int]) -> bool:
    """Whether pixels are made of 2 x 2 others: AREA is, too, where an image grows."""
    grows = size[0] > height or size[1] > width
    return inter is Inter.LINEAR or (inter is Inter.AREA and grows)


def resized(images: np.ndarray, size: tuple[int, int], inter: Inter) -> np.ndarray:
    """(N, H, W, C) -> (N, *size, C) of the same dtype."""
    out = np.empty((len(images), *size, images.shape[3]), images.dtype)
    for part, values in resized_parts(images, size, inter):
        out[part] = values
    return out


def resized_parts(
    images: np.ndarray, size: tuple[int, int], inter: Inter
) -> Iterator[tuple[slice, np.ndarray]]:
    """Some rows of the block at a time and their values in the new size, in any dtype that holds
    them. The values are overwritten when the next ones are asked for."""
    count, height, width, channels = images.shape
    images = images.view(np.uint8) if images.dtype == np.bool_ else images
    step = max(1, CHUNK_ELEMENTS // max(1, max(height, size[0]) * size[1] * channels))
    if images.dtype == np.uint8 and is_bilinear(inter, height, width, size):
        across, down = row_and_column_taps(inter, height, width, size)
        yield from _bilinear_parts(images, across, down, step)
        return
    for start in range(0, count, step):
        part = slice(start, start + step)
        yield part, _resized(images[part], size, inter)


def _resized(x: np.ndarray, size: tuple[int, int], inter: Inter) -> np.ndarray:
    height, width = x.shape[1:3]
    if (height, width) == size:
        return x
    if inter is Inter.NEAREST:
        return x.take(nearest(height, size[0]), axis=1).take(nearest(width, size[1]), axis=2)
    across, down = row_and_column_taps(inter, height, width, size)
    if inter is Inter.PILCUBIC:
        x = _pillow_pass(x, across, axis=2) if width != size[1] else x
        return _pillow_pass(x, down, axis=1) if height != size[0] else x
    if x.dtype == np.uint8 and inter is Inter.CUBIC:
        values = _pass(_pass(x.astype(np.int32), _integral(across), 2), _integral(down), 1)
        return np.clip((values + (1 << (2 * WEIGHT_BITS - 1))) >> (2 * WEIGHT_BITS), 0, 255)
    halved = (height, width) == (2 * size[0], 2 * size[1])
    if halved and x.dtype.kind in "ui" and inter is not Inter.CUBIC:
        pairs = x[:, 0::2].astype(np.int64) + x[:, 1::2]
        return (pairs[:, :, 0::2] + pairs[:, :, 1::2] + 2) >> 2  # of 2 x 2 pixels, halves go up
    real = np.float32 if x.dtype.itemsize <= 2 or x.dtype == np.float32 else np.float64
    values = _pass(_pass(x.astype(real), across, 2), down, 1)
    if x.dtype.kind == "f":
        return values
    limits = np.iinfo(x.dtype)
    return np.clip(np.rint(values), limits.min, limits.max)


def _integral(taps: Taps) -> Taps:
    return Taps(taps.at, np.rint(taps.weight * (1 << WEIGHT_BITS)).astype(np.int32))


def _pass(x: np.ndarray, taps: Taps, axis: int) -> np.ndarray:
    shape = (-1,) + (1,) * (3 - axis)
    weights = taps.weight.astype(x.dtype)
    return sum(x.take(at, axis) * w.reshape(shape) for at, w in zip(taps.at, weights))


def _pillow_pass(x: np.ndarray, taps: Taps, axis: int) -> np.ndarray:
    values = _pass(x.astype(np.int32), taps, axis) + (1 << (PILLOW_BITS - 1))
    return np.clip(values >> PILLOW_BITS, 0, 255)


def _bilinear_parts(
    images: np.ndarray, across: Taps, down: Taps, step: int
) -> Iterator[tuple[slice, np.ndarray]]:
    """The two passes of the module's text, ``step`` images at a time, in buffers made once."""
    count, source_height, _, channels = images.shape
    height, width = down.at.shape[1], across.at.shape[1]
    rows = np.unique(down.at)
    if len(rows) < source_height:  # a much smaller image needs not all of them
        images, down = images.take(rows, axis=1), Taps(np.searchsorted(rows, down.at), down.weight)
    a0, a1 = _integral(across).weight[:, :, None]
    b0, b1 = _integral(down).weight[:, :, None]
    row = width * channels
    if row < SHORT_ROW:
        b0, b1 = b0.repeat(row), b1.repeat(row)
    step = max(1, min(step, count))
    p = np.empty((step, *images.shape[1:]), np.int32)
    s0, s1 = (np.empty((step, images.shape[1], width, channels), np.int32) for _ in range(2))
    t0, t1 = (np.empty((step, height, width, channels), np.int32) for _ in range(2))
    for start in range(0, count, step):
        if count - start < step:
            p, s0, s1, t0, t1 = (buffer[: count - start] for buffer in (p, s0, s1, t0, t1))
        part = slice(start, start + len(p))
        p[...] = images[part]
        p.take(across.at[0], 2, s0, "clip")  # all are inside; "raise" would make a copy
        p.take(across.at[1], 2, s1, "clip")
        s0 *= a0
        s1 *= a1
        s0 += s1
        s0 >>= 4
        s0.take(down.at[0], 1, t0, "clip")
        s0.take(down.at[1], 1, t1, "clip")
        shape = (len(p), height * row) if row < SHORT_ROW else (len(p), height, row)
        u0, u1 = t0.reshape(shape), t1.reshape(shape)
        u0 *= b0
        u0 >>= 16
        u1 *= b1
        u1 >>= 16
        u0 += u1
        u0 += 2
        u0 >>= 2
        yield part, t0
