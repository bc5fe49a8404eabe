"""Resize images by separable interpolation with the rounding of OpenCV and Pillow.

Each output pixel is a weighted sum of a few input pixels (taps), along the row, then along the
column. OpenCV computes uint8 images in integers: weights have 11 bits, and the bilinear column pass
drops bits in this way,

    row:    s[x] = a0 * p[i] + a1 * p[i+1]                                   (a0 + a1 = 2**11)
    column: (((b0 * (s0 >> 4)) >> 16) + ((b1 * (s1 >> 4)) >> 16) + 2) >> 2   (b0 + b1 = 2**11)

Pillow's bicubic interpolation has 22-bit weights and rounds to uint8 after each pass. This module
does the same, so that results are bitwise equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from minispore.dataset.vision.enums import Inter
from minispore.dataset.vision.support.taps import (
    PILLOW_BITS,
    Taps,
    compute_nearest_indices,
    make_area_taps,
    make_bicubic_taps,
    make_bilinear_taps,
    make_pillow_bicubic_taps,
)

WEIGHT_BITS = 11  # bits of OpenCV's integer weights

# Number of intermediate values at a time: 64 KiB of int32, which fit into a core's cache and are
# below the size from which malloc takes fresh pages from the system each time.
CHUNK_ELEMENTS = 1 << 14
SHORT_ROW = 256  # shorter rows: loop overhead matters, so weights are repeated over the row


@lru_cache(maxsize=256)
def get_row_and_column_taps(
    inter: Inter, height: int, width: int, size: tuple[int, int]
) -> tuple[Taps, Taps]:
    """Return the taps along the rows and along the columns of an image; the last 256 are cached.

    ``inter`` is any interpolation but NEAREST, which needs no weights.
    """
    out_height, out_width = size
    if is_bilinear(inter, height, width, size):
        by_area = inter is Inter.AREA
        across = make_bilinear_taps(width, out_width, by_area, clamp=True)
        return across, make_bilinear_taps(height, out_height, by_area, clamp=False)
    make_taps = make_area_taps
    if inter is Inter.PILCUBIC:
        make_taps = make_pillow_bicubic_taps
    elif inter is Inter.CUBIC:
        make_taps = make_bicubic_taps
    return make_taps(width, out_width), make_taps(height, out_height)


def is_bilinear(inter: Inter, height: int, width: int, size: tuple[int, int]) -> bool:
    """Whether an output pixel has 2 x 2 input pixels: LINEAR, or AREA if a side grows."""
    grows = size[0] > height or size[1] > width
    return inter is Inter.LINEAR or (inter is Inter.AREA and grows)


def resize_images(images: np.ndarray, size: tuple[int, int], inter: Inter) -> np.ndarray:
    """Resize images (N, H, W, C) to (N, *size, C) of the same dtype."""
    out = np.empty((len(images), *size, images.shape[3]), images.dtype)
    for rows, values in iterate_resized_chunks(images, size, inter):
        out[rows] = values
    return out


def iterate_resized_chunks(
    images: np.ndarray, size: tuple[int, int], inter: Inter
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of the block (N, H, W, C) and the resized images (n, *size, C) of each slice.

    The values are rounded and clipped to the images' dtype but may have a wider one; they may be
    overwritten by the next chunk.
    """
    count, height, width, channels = images.shape
    images = images.view(np.uint8) if images.dtype == np.bool_ else images
    step = max(1, CHUNK_ELEMENTS // max(1, max(height, size[0]) * size[1] * channels))
    if images.dtype == np.uint8 and is_bilinear(inter, height, width, size):
        across, down = get_row_and_column_taps(inter, height, width, size)
        yield from _iterate_bilinear_chunks(images, across, down, step)
        return
    for start in range(0, count, step):
        chunk = slice(start, start + step)
        yield chunk, _resize_block(images[chunk], size, inter)


def _resize_block(x: np.ndarray, size: tuple[int, int], inter: Inter) -> np.ndarray:
    """Resize a block (N, H, W, C); return the block itself if it has the size already.

    The result is rounded and clipped but may have a wider dtype.
    """
    height, width = x.shape[1:3]
    if (height, width) == size:
        return x
    if inter is Inter.NEAREST:
        rows = x.take(compute_nearest_indices(height, size[0]), axis=1)
        return rows.take(compute_nearest_indices(width, size[1]), axis=2)
    across, down = get_row_and_column_taps(inter, height, width, size)
    if inter is Inter.PILCUBIC:
        x = _apply_pillow_taps(x, across, axis=2) if width != size[1] else x
        return _apply_pillow_taps(x, down, axis=1) if height != size[0] else x
    if x.dtype == np.uint8 and inter is Inter.CUBIC:
        resized_rows = _apply_taps(x.astype(np.int32), _quantize_taps(across), 2)
        values = _apply_taps(resized_rows, _quantize_taps(down), 1)
        return np.clip((values + (1 << (2 * WEIGHT_BITS - 1))) >> (2 * WEIGHT_BITS), 0, 255)
    is_halved = (height, width) == (2 * size[0], 2 * size[1])
    if is_halved and x.dtype.kind in "ui" and inter is not Inter.CUBIC:
        pairs = x[:, 0::2].astype(np.int64) + x[:, 1::2]
        return (pairs[:, :, 0::2] + pairs[:, :, 1::2] + 2) >> 2  # 2 x 2 means, rounded half up
    float_dtype = np.float32 if x.dtype.itemsize <= 2 or x.dtype == np.float32 else np.float64
    values = _apply_taps(_apply_taps(x.astype(float_dtype), across, 2), down, 1)
    if x.dtype.kind == "f":
        return values
    limits = np.iinfo(x.dtype)
    return np.clip(np.rint(values), limits.min, limits.max)


def _quantize_taps(taps: Taps) -> Taps:
    """Round the weights of taps to integers of ``WEIGHT_BITS`` bits."""
    return Taps(taps.indices, np.rint(taps.weight * (1 << WEIGHT_BITS)).astype(np.int32))


def _apply_taps(x: np.ndarray, taps: Taps, axis: int) -> np.ndarray:
    """Return the sum over the taps of x.take(index, axis) * weight, for axis 1 or 2 of 4."""
    shape = (-1,) + (1,) * (3 - axis)
    weights = taps.weight.astype(x.dtype)
    return sum(x.take(index, axis) * w.reshape(shape) for index, w in zip(taps.indices, weights))


def _apply_pillow_taps(x: np.ndarray, taps: Taps, axis: int) -> np.ndarray:
    """Apply Pillow's integer taps along an axis; round and clip to the range of uint8."""
    values = _apply_taps(x.astype(np.int32), taps, axis) + (1 << (PILLOW_BITS - 1))
    return np.clip(values >> PILLOW_BITS, 0, 255)


def _iterate_bilinear_chunks(
    images: np.ndarray, across: Taps, down: Taps, step: int
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of uint8 images, and their int32 values resized by OpenCV's two integer passes.

    The values are in buffers that the next chunk overwrites.
    """
    count, source_height, _, channels = images.shape
    height, width = down.indices.shape[1], across.indices.shape[1]
    rows = np.unique(down.indices)
    if len(rows) < source_height:  # a much smaller output does not read all rows
        images = images.take(rows, axis=1)
        down = Taps(np.searchsorted(rows, down.indices), down.weight)
    a0, a1 = _quantize_taps(across).weight[:, :, None]
    b0, b1 = _quantize_taps(down).weight[:, :, None]
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
        chunk = slice(start, start + len(p))
        p[...] = images[chunk]
        p.take(across.indices[0], 2, s0, "clip")  # all are in range; "raise" would make a copy
        p.take(across.indices[1], 2, s1, "clip")
        s0 *= a0
        s1 *= a1
        s0 += s1
        s0 >>= 4
        s0.take(down.indices[0], 1, t0, "clip")
        s0.take(down.indices[1], 1, t1, "clip")
        shape = (len(p), height * row) if row < SHORT_ROW else (len(p), height, row)
        u0, u1 = t0.reshape(shape), t1.reshape(shape)
        u0 *= b0
        u0 >>= 16
        u1 *= b1
        u1 >>= 16
        u0 += u1
        u0 += 2
        u0 >>= 2
        yield chunk, t0
