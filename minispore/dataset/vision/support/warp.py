"""Affine and perspective warps of images with the coordinates and weights of OpenCV.

Output pixel (x, y) is read from position A @ (x, y, 1) of the input, in fixed point: source
coordinates have 10 fractional bits for affine warps and are rounded to 1/32 of a pixel before
interpolation. Pixels outside of the image have the fill value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minispore.dataset.vision.enums import Inter
from minispore.dataset.vision.support.colour import cast_saturated
from minispore.dataset.vision.support.taps import compute_cubic_weights

AFFINE_BITS = 10
PHASE_BITS = 5  # interpolation has 32 positions between two pixels
PHASES = 1 << PHASE_BITS
_FINER_BITS = AFFINE_BITS - PHASE_BITS
BLOCK_ROWS, BLOCK_PIXELS = 16, 1 << 10  # size of OpenCV's blocks
BAND_PIXELS = 1 << 15  # processed at a time: they fit into a core's cache

# Maps a slice of output rows to their source coordinates x and y, in 1/32 of a pixel.
CoordinateFunction = Callable[[slice], Sequence[np.ndarray]]
Solver = Callable[[np.ndarray, np.ndarray], np.ndarray]


def make_rotation_matrix(centre: tuple[float, float], degrees: float) -> np.ndarray:
    """Return the (2, 3) matrix that rotates the image counterclockwise around the centre (x, y)."""
    cos, sin = _compute_cos_sin(degrees)
    x, y = centre
    return np.array([[cos, sin, (1 - cos) * x - sin * y], [-sin, cos, sin * x + (1 - cos) * y]])


def compute_rotated_size(height: int, width: int, degrees: float) -> tuple[float, float]:
    """Return (height, width) of a rotated image's bounding box, not rounded to whole pixels.

    Computed in float32, as in OpenCV.
    """
    cos, sin = (abs(np.float32(v)) for v in _compute_cos_sin(degrees))
    float_height, float_width = np.float32(height), np.float32(width)
    rotated_height = cos * float_height + sin * float_width
    rotated_width = sin * float_height + cos * float_width
    return float(rotated_height), float(rotated_width)


def _compute_cos_sin(degrees: float) -> tuple[float, float]:
    """Return cosine and sine of an angle, converted to float32 in [0, 360) as in MindSpore."""
    angle = math.radians(np.float32(degrees % 360))
    return math.cos(angle), math.sin(angle)


def make_affine_matrix(
    centre: tuple[float, float],
    degrees: float,
    translate: tuple[float, float],
    scale: float,
    shear: tuple[float, float],
) -> np.ndarray:
    """Return the (2, 3) matrix that shears, rotates clockwise, scales, then translates.

    Args:
        centre (tuple): (x, y) of the fixed point before the translation.
        degrees (float): angle of the rotation.
        translate (tuple): (x, y) in pixels.
        scale (float): factor.
        shear (tuple): angles along x and y in degrees.
    """
    angle, shear_x, shear_y = (math.radians(v) for v in (degrees, *shear))
    cos, sin = math.cos(angle - shear_y), math.sin(angle - shear_y)
    tan, norm = math.tan(shear_x), math.cos(shear_y)
    linear = scale * np.array(
        [
            [cos / norm, -cos * tan / norm - math.sin(angle)],
            [sin / norm, -sin * tan / norm + math.cos(angle)],
        ]
    )
    offset = np.add(centre, translate) - linear @ centre
    return np.column_stack([linear, offset])


def make_perspective_matrix(start: Sequence[Any], end: Sequence[Any]) -> np.ndarray:
    """Return the (3, 3) matrix that maps the four start points (x, y) to the end points.

    Raises:
        numpy.linalg.LinAlgError: three of the points are collinear.
    """
    return np.append(solve_perspective(start, end, np.linalg.solve), 1.0).reshape(3, 3)


def solve_perspective(start: Sequence[Any], end: Sequence[Any], solve: Solver) -> np.ndarray:
    """Return the first eight entries of the perspective matrix; the last is 1.

    Args:
        start (sequence): four points (x, y).
        end (sequence): the points to which they are mapped.
        solve (callable): solves linear equations, given matrix and right-hand side.
    """
    rows, right_side = [], []
    for (x, y), (u, v) in zip(start, end):
        rows += [[x, y, 1, 0, 0, 0, -x * u, -y * u], [0, 0, 0, x, y, 1, -x * v, -y * v]]
        right_side += [u, v]
    return solve(np.array(rows, np.float64), np.array(right_side, np.float64))


def warp_affine(
    images: np.ndarray, matrix: np.ndarray, size: tuple[int, int], inter: Inter, fill: Any
) -> np.ndarray:
    """Warp images by the (2, 3) matrix from input to output positions: (N, H, W, C) -> (N, *size,
    C).

    The dtype is kept. ``fill``, one value or one for each channel, is the value of pixels from
    outside of the image.
    """
    y, x = np.arange(size[0])[:, None], np.arange(size[1])
    one = 1 << AFFINE_BITS
    coordinate_terms = [  # row and column terms of the fixed-point source coordinates x and y
        (np.rint((b * y + c) * one).astype(np.int64), np.rint(a * x * one).astype(np.int64))
        for a, b, c in _invert_affine(matrix)
    ]
    shift, shift_back = (AFFINE_BITS, PHASE_BITS) if inter is Inter.NEAREST else (_FINER_BITS, 0)

    def compute_coordinates(rows: slice) -> list[np.ndarray]:
        """Return the source coordinates x and y of the pixels of some output rows."""
        coordinates = [row_term[rows] + column_term for row_term, column_term in coordinate_terms]
        return [(v + (1 << (shift - 1))) >> shift << shift_back for v in coordinates]

    return _sample_images(images, size, compute_coordinates, inter, fill)


def _invert_affine(matrix: np.ndarray) -> np.ndarray:
    """Return the inverse of the (2, 3) matrix, zeros if it is singular.

    Computed in OpenCV's order, so that ties round equally.
    """
    (a, b, c), (d, e, f) = matrix
    determinant = a * e - b * d
    scale = 1 / determinant if determinant else 0.0
    a, b, d, e = e * scale, -b * scale, -d * scale, a * scale
    return np.array([[a, b, -a * c - b * f], [d, e, -d * c - e * f]])


def _invert_perspective(matrix: np.ndarray) -> np.ndarray:
    """Return the inverse of the (3, 3) matrix in OpenCV's order, zeros if it is singular."""
    (a, b, c), (d, e, f), (g, h, i) = matrix
    determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    rows = [
        [e * i - f * h, c * h - b * i, b * f - c * e],
        [f * g - d * i, a * i - c * g, c * d - a * f],
        [d * h - e * g, b * g - a * h, a * e - b * d],
    ]
    return np.array(rows) * (1 / determinant if determinant else 0.0)


def warp_perspective(images: np.ndarray, matrix: np.ndarray, inter: Inter, fill: Any) -> np.ndarray:
    """Warp images (N, H, W, C) by the (3, 3) matrix from input to output positions.

    Size and dtype are kept. ``fill`` is as in :func:`warp_affine`.
    """
    inverse = _invert_perspective(matrix)
    height, width = images.shape[1:3]
    block_width = min(max(BLOCK_PIXELS // min(BLOCK_ROWS, height), 1), width)
    phases = 1 if inter is Inter.NEAREST else PHASES
    limit = 1 << 40  # beyond any image, within int64

    def compute_coordinates(rows: slice) -> list[np.ndarray]:
        """Return the source coordinates x and y of the pixels of some output rows."""
        y, x = np.arange(height)[rows, None], np.arange(width)
        start = x // block_width * block_width  # each block starts a new sum, as in OpenCV
        u, v, w = (a * start + b * y + c + a * (x - start) for a, b, c in inverse)
        scale = np.divide(phases, w, out=np.zeros_like(w), where=w != 0)
        coordinates = [np.clip(np.rint(v * scale), -limit, limit).astype(np.int64) for v in (u, v)]
        return [v * (PHASES // phases) for v in coordinates]

    return _sample_images(images, (height, width), compute_coordinates, inter, fill)


def _sample_images(
    images: np.ndarray,
    size: tuple[int, int],
    compute_coordinates: CoordinateFunction,
    inter: Inter,
    fill: Any,
) -> np.ndarray:
    """Interpolate images (N, H, W, C) at the source coordinates of a result (N, *size, C).

    Bands of output rows are processed one at a time; pixels from outside of the image have the
    value ``fill``.
    """
    count, height, width, channels = images.shape
    out = np.empty((count, *size, channels), images.dtype)
    if not count:
        return out
    fill = np.broadcast_to(cast_saturated(np.asarray(fill), images.dtype), channels)
    sampler: _NearestSampler | _PackedSampler | _PlanarSampler
    if inter is Inter.NEAREST:
        sampler = _NearestSampler(images, fill)
    elif images.dtype in (np.uint8, np.bool_) and channels <= 3 and inter is not Inter.CUBIC:
        sampler = _PackedSampler(images.view(np.uint8), fill.view(np.uint8))
    else:
        sampler = _PlanarSampler(images, fill, inter)
    first_tap = -((sampler.taps - 1) // 2)
    for rows in _iterate_bands(*size):
        x, y = compute_coordinates(rows)
        taps = range(first_tap + 1, first_tap + 1 + sampler.taps)  # offset by the border
        columns = [np.clip((x >> PHASE_BITS) + tap, 0, width + 1) for tap in taps]
        row_offsets = [
            np.clip((y >> PHASE_BITS) + tap, 0, height + 1) * (width + 2) for tap in taps
        ]
        indices = [[row_offset + column for column in columns] for row_offset in row_offsets]
        sampler.write_samples(indices, x & (PHASES - 1), y & (PHASES - 1), out[:, rows])
    return out


def _iterate_bands(height: int, width: int) -> Iterator[slice]:
    """Yield slices of output rows with about ``BAND_PIXELS`` pixels each, in order.

    The last slice may extend beyond the last row.
    """
    step = max(1, BAND_PIXELS // max(width, 1))
    return (slice(begin, begin + step) for begin in range(0, height, step))


def _add_border(shape: tuple[int, ...], fill: Any, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return an array (..., H + 2, W + 2) with a border of ``fill``, and a view of its interior.

    The interior is not initialised.
    """
    bordered = np.empty((*shape[:-2], shape[-2] + 2, shape[-1] + 2), dtype)
    bordered[..., [0, -1], :] = bordered[..., [0, -1]] = fill
    return bordered, bordered[..., 1:-1, 1:-1]


class _NearestSampler:
    """Sampler that copies whole pixels for nearest-neighbour interpolation."""

    taps = 1  # input pixels of an output pixel along each axis

    def __init__(self, images: np.ndarray, fill: np.ndarray) -> None:
        """Copy the images (N, H, W, C), one item per pixel, with a border of ``fill``, a value per
        channel.
        """
        pixel = np.dtype((np.void, images.itemsize * len(fill)))
        bordered, interior = _add_border(images.shape[:3], fill.copy().view(pixel), pixel)
        interior[...] = np.ascontiguousarray(images).view(pixel)[..., 0]
        self._pixels = bordered.reshape(len(images), -1)

    def write_samples(
        self, indices: list[list[np.ndarray]], x: Any, y: Any, out: np.ndarray
    ) -> None:
        """Write the pixels at ``indices[0][0]``, into the bordered images, to ``out``; ignore x and
        y.
        """
        pixels = self._pixels.take(indices[0][0], axis=1)
        np.copyto(out, pixels.view(out.dtype).reshape(out.shape))


class _PackedSampler:
    """Bilinear sampler of pixels of up to three bytes, packed into one word.

    One sum computes all channels: sums of four pixels with weights of 2 * 5 bits need 18 bits, and
    each channel has 21.
    """

    taps = 2

    def __init__(self, images: np.ndarray, fill: np.ndarray) -> None:
        """Pack uint8 images (N, H, W, C), with a border of ``fill``, into one uint64 per pixel."""
        shifts = [np.uint64(21 * i) for i in range(len(fill))]
        word = sum(int(v) << int(shift) for v, shift in zip(fill, shifts))
        bordered, interior = _add_border(images.shape[:3], np.uint64(word), np.uint64)
        for rows in _iterate_bands(*images.shape[1:3]):
            interior[:, rows] = images[:, rows, :, 0]
            for i, shift in enumerate(shifts[1:], 1):
                interior[:, rows] |= images[:, rows, :, i].astype(np.uint64) << shift
        self._words, self._shifts = bordered.reshape(len(images), -1), shifts
        self._rounding = np.uint64(sum(1 << (2 * PHASE_BITS - 1 + int(s)) for s in shifts))

    def write_samples(
        self, indices: list[list[np.ndarray]], x: np.ndarray, y: np.ndarray, out: np.ndarray
    ) -> None:
        """Write the bilinear sums of the pixels at ``indices`` to ``out``, rounded.

        ``indices``, by row and column tap, are positions in the flat bordered images; x and y are
        the fractions of the coordinates in 1/32.
        """
        x, y = x.astype(np.uint64), y.astype(np.uint64)
        neighbour_rows = [
            [self._words.take(index, axis=1) for index in row_indices] for row_indices in indices
        ]
        above, below = (left * (PHASES - x) + right * x for left, right in neighbour_rows)
        total = above * (PHASES - y) + below * y + self._rounding
        for i, shift in enumerate(self._shifts):
            shifted = total >> (shift + np.uint64(2 * PHASE_BITS))
            np.copyto(out.view(np.uint8)[..., i], shifted, casting="unsafe")


class _PlanarSampler:
    """Bilinear or bicubic sampler of pixels of any dtype, one plane for each channel."""

    def __init__(self, images: np.ndarray, fill: np.ndarray, inter: Inter) -> None:
        """Copy the images (N, H, W, C), with a border of ``fill``, into floating-point planes.

        ``taps``, the number of input pixels along each axis, is 4 for CUBIC, else 2.
        """
        dtype, t = images.dtype, np.arange(PHASES, dtype=np.float32) / PHASES
        weights = compute_cubic_weights(t) if inter is Inter.CUBIC else np.stack([1 - t, t])
        if dtype == np.float64 or (dtype.kind in "ui" and dtype.itemsize > 2):
            weights = weights.astype(np.float64)
        self._weights, self.taps = weights, len(weights)
        planes = np.moveaxis(images, -1, 1)
        bordered, interior = _add_border(planes.shape, fill[:, None, None], weights.dtype)
        interior[...] = planes
        self._planes = bordered.reshape(*planes.shape[:2], -1)

    def write_samples(
        self, indices: list[list[np.ndarray]], x: np.ndarray, y: np.ndarray, out: np.ndarray
    ) -> None:
        """Write the weighted sums of the pixels at ``indices`` to ``out``, rounded and clipped for
        integers.

        The arguments are as in ``_PackedSampler``.
        """
        total = np.zeros((*self._planes.shape[:2], *x.shape), self._weights.dtype)
        for row_indices, row_weights in zip(indices, self._weights):
            for index, column_weights in zip(row_indices, self._weights):
                total += self._planes.take(index, axis=2) * (row_weights[y] * column_weights[x])
        if out.dtype.kind != "f":
            info = np.iinfo(np.uint8 if out.dtype == np.bool_ else out.dtype)
            total = np.clip(np.floor(total + 0.5), info.min, info.max)
        np.copyto(out, np.moveaxis(total, 1, -1), casting="unsafe")
