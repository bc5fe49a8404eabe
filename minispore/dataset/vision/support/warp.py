"""Move every pixel: affine and perspective warps with the coordinates and weights of OpenCV.

Output pixel (x, y) is read from A @ (x, y, 1) of the input, in fixed point: source coordinates have
10 bits behind the point for affine warps and are rounded to 1/32 of a pixel before interpolation.
What lies outside of the image has the fill value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from minispore.dataset.vision.enums import Inter
from minispore.dataset.vision.support.colour import saturated
from minispore.dataset.vision.support.taps import cubic_weights

AFFINE_BITS = 10
PHASE_BITS = 5  # interpolation knows 32 positions between two pixels
PHASES = 1 << PHASE_BITS
_FINER_BITS = AFFINE_BITS - PHASE_BITS
BLOCK_ROWS, BLOCK_PIXELS = 16, 1 << 10  # of the blocks in which OpenCV works
BAND_PIXELS = 1 << 15  # worked on at a time: they stay in a core's cache

# Of some rows of the output, the source coordinates x and y in 1/32 of a pixel.
Where = Callable[[slice], Sequence[np.ndarray]]
Solver = Callable[[np.ndarray, np.ndarray], np.ndarray]


def rotation(centre: tuple[float, float], degrees: float) -> np.ndarray:
    """(2, 3) matrix that turns the image counterclockwise around (x, y)."""
    cos, sin = _cos_sin(degrees)
    x, y = centre
    return np.array([[cos, sin, (1 - cos) * x - sin * y], [-sin, cos, sin * x + (1 - cos) * y]])


def turned_size(height: int, width: int, degrees: float) -> tuple[float, float]:
    """(height, width) of what the turned image needs, in float32 as OpenCV's rotated rectangles."""
    cos, sin = (abs(np.float32(v)) for v in _cos_sin(degrees))
    tall, wide = np.float32(height), np.float32(width)
    return float(cos * tall + sin * wide), float(sin * tall + cos * wide)


def _cos_sin(degrees: float) -> tuple[float, float]:
    """Of an angle that MindSpore hands on as a float32 in [0, 360)."""
    angle = math.radians(np.float32(degrees % 360))
    return math.cos(angle), math.sin(angle)


def affine_matrix(
    centre: tuple[float, float],
    degrees: float,
    translate: tuple[float, float],
    scale: float,
    shear: tuple[float, float],
) -> np.ndarray:
    """(2, 3) matrix: shear, rotate clockwise and scale around (x, y), then translate; in pixels."""
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


def perspective_matrix(start: Sequence[Any], end: Sequence[Any]) -> np.ndarray:
    """(3, 3) matrix that takes the four start points (x, y) to the end points."""
    return np.append(perspective_numbers(start, end, np.linalg.solve), 1.0).reshape(3, 3)


def perspective_numbers(start: Sequence[Any], end: Sequence[Any], solve: Solver) -> np.ndarray:
    """The first eight numbers of that matrix, found by ``solve(rows, right side)``."""
    rows, right = [], []
    for (x, y), (u, v) in zip(start, end):
        rows += [[x, y, 1, 0, 0, 0, -x * u, -y * u], [0, 0, 0, x, y, 1, -x * v, -y * v]]
        right += [u, v]
    return solve(np.array(rows, np.float64), np.array(right, np.float64))


def warp_affine(
    images: np.ndarray, matrix: np.ndarray, size: tuple[int, int], inter: Inter, fill: Any
) -> np.ndarray:
    """(N, H, W, C) -> (N, *size, C), each pixel moved by the (2, 3) matrix."""
    y, x = np.arange(size[0])[:, None], np.arange(size[1])
    one = 1 << AFFINE_BITS
    parts = [  # fixed-point source coordinates, x and y: of the row, and of the column
        (np.rint((b * y + c) * one).astype(np.int64), np.rint(a * x * one).astype(np.int64))
        for a, b, c in _inverse(matrix)
    ]
    shift, back = (AFFINE_BITS, PHASE_BITS) if inter is Inter.NEAREST else (_FINER_BITS, 0)

    def where(rows: slice) -> list[np.ndarray]:
        at = [of_row[rows] + of_column for of_row, of_column in parts]
        return [(v + (1 << (shift - 1))) >> shift << back for v in at]

    return _sample(images, size, where, inter, fill)


def _inverse(matrix: np.ndarray) -> np.ndarray:
    """The (2, 3) matrix of the way back, in OpenCV's order of operations: ties round alike."""
    (a, b, c), (d, e, f) = matrix
    determinant = a * e - b * d
    scale = 1 / determinant if determinant else 0.0
    a, b, d, e = e * scale, -b * scale, -d * scale, a * scale
    return np.array([[a, b, -a * c - b * f], [d, e, -d * c - e * f]])


def _inverse_of_three(matrix: np.ndarray) -> np.ndarray:
    """The (3, 3) matrix of the way back in OpenCV's order of operations, zeros if there is none."""
    (a, b, c), (d, e, f), (g, h, i) = matrix
    determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    rows = [
        [e * i - f * h, c * h - b * i, b * f - c * e],
        [f * g - d * i, a * i - c * g, c * d - a * f],
        [d * h - e * g, b * g - a * h, a * e - b * d],
    ]
    return np.array(rows) * (1 / determinant if determinant else 0.0)


def warp_perspective(images: np.ndarray, matrix: np.ndarray, inter: Inter, fill: Any) -> np.ndarray:
    """(N, H, W, C), each pixel moved by the (3, 3) matrix."""
    back = _inverse_of_three(matrix)
    height, width = images.shape[1:3]
    block = min(max(BLOCK_PIXELS // min(BLOCK_ROWS, height), 1), width)
    phases = 1 if inter is Inter.NEAREST else PHASES
    limit = 1 << 40  # beyond any image, within int64

    def where(rows: slice) -> list[np.ndarray]:
        y, x = np.arange(height)[rows, None], np.arange(width)
        start = x // block * block  # each sum begins anew with a block, as OpenCV's do
        u, v, w = (a * start + b * y + c + a * (x - start) for a, b, c in back)
        scale = np.divide(phases, w, out=np.zeros_like(w), where=w != 0)
        at = [np.clip(np.rint(v * scale), -limit, limit).astype(np.int64) for v in (u, v)]
        return [v * (PHASES // phases) for v in at]

    return _sample(images, (height, width), where, inter, fill)


def _sample(
    images: np.ndarray, size: tuple[int, int], where: Where, inter: Inter, fill: Any
) -> np.ndarray:
    """The images at coordinates in 1/32 of a pixel, some rows at a time."""
    count, height, width, channels = images.shape
    out = np.empty((count, *size, channels), images.dtype)
    if not count:
        return out
    fill = np.broadcast_to(saturated(np.asarray(fill), images.dtype), channels)
    pixels: _Nearest | _Words | _Planes
    if inter is Inter.NEAREST:
        pixels = _Nearest(images, fill)
    elif images.dtype in (np.uint8, np.bool_) and channels <= 3 and inter is not Inter.CUBIC:
        pixels = _Words(images.view(np.uint8), fill.view(np.uint8))
    else:
        pixels = _Planes(images, fill, inter)
    first = -((pixels.taps - 1) // 2)
    for rows in _bands(*size):
        x, y = where(rows)
        columns, lines = (
            [np.clip((v >> PHASE_BITS) + (first + i + 1), 0, n + 1) for i in range(pixels.taps)]
            for v, n in ((x, width), (y, height))
        )
        lines = [line * (width + 2) for line in lines]
        places = [[line + column for column in columns] for line in lines]
        pixels.read(places, x & (PHASES - 1), y & (PHASES - 1), out[:, rows])
    return out


def _bands(height: int, width: int) -> Iterator[slice]:
    """Some rows at a time."""
    step = max(1, BAND_PIXELS // max(width, 1))
    return (slice(begin, begin + step) for begin in range(0, height, step))


def _framed(shape: tuple[int, ...], fill: Any, kind: Any) -> tuple[np.ndarray, np.ndarray]:
    """(..., H + 2, W + 2), the frame full of what comes in from outside, and its inside."""
    framed = np.empty((*shape[:-2], shape[-2] + 2, shape[-1] + 2), kind)
    framed[..., [0, -1], :] = framed[..., [0, -1]] = fill
    return framed, framed[..., 1:-1, 1:-1]


class _Nearest:
    """Whole pixels, as they lie."""

    taps = 1

    def __init__(self, images: np.ndarray, fill: np.ndarray) -> None:
        pixel = np.dtype((np.void, images.itemsize * len(fill)))
        framed, inside = _framed(images.shape[:3], fill.copy().view(pixel), pixel)
        inside[...] = np.ascontiguousarray(images).view(pixel)[..., 0]
        self._pixels = framed.reshape(len(images), -1)

    def read(self, places: list[list[np.ndarray]], x: Any, y: Any, out: np.ndarray) -> None:
        """Write the pixels at ``places`` to ``out``."""
        taken = self._pixels.take(places[0][0], axis=1)
        np.copyto(out, taken.view(out.dtype).reshape(out.shape))


class _Words:
    """Pixels of up to three bytes, each in one word: one sum serves for all channels.

    Sums of four pixels with weights of 2 * 5 bits need 18 bits, and each channel has 21.
    """

    taps = 2

    def __init__(self, images: np.ndarray, fill: np.ndarray) -> None:
        shifts = [np.uint64(21 * i) for i in range(len(fill))]
        word = sum(int(v) << int(shift) for v, shift in zip(fill, shifts))
        framed, inside = _framed(images.shape[:3], np.uint64(word), np.uint64)
        for rows in _bands(*images.shape[1:3]):
            inside[:, rows] = images[:, rows, :, 0]
            for i, shift in enumerate(shifts[1:], 1):
                inside[:, rows] |= images[:, rows, :, i].astype(np.uint64) << shift
        self._words, self._shifts = framed.reshape(len(images), -1), shifts
        self._halves = np.uint64(sum(1 << (2 * PHASE_BITS - 1 + int(s)) for s in shifts))

    def read(
        self, places: list[list[np.ndarray]], x: np.ndarray, y: np.ndarray, out: np.ndarray
    ) -> None:
        """Write the pixels at ``places``, weighted by x and y in 32nds, to ``out``."""
        x, y = x.astype(np.uint64), y.astype(np.uint64)
        lines = [[self._words.take(place, axis=1) for place in line] for line in places]
        above, below = (left * (PHASES - x) + right * x for left, right in lines)
        total = above * (PHASES - y) + below * y + self._halves
        for i, shift in enumerate(self._shifts):
            shifted = total >> (shift + np.uint64(2 * PHASE_BITS))
            np.copyto(out.view(np.uint8)[..., i], shifted, casting="unsafe")


class _Planes:
    """Pixels of any kind, a plane for each channel."""

    def __init__(self, images: np.ndarray, fill: np.ndarray, inter: Inter) -> None:
        kind, t = images.dtype, np.arange(PHASES, dtype=np.float32) / PHASES
        weights = cubic_weights(t) if inter is Inter.CUBIC else np.stack([1 - t, t])
        if kind == np.float64 or (kind.kind in "ui" and kind.itemsize > 2):
            weights = weights.astype(np.float64)
        self._weights, self.taps = weights, len(weights)
        planes = np.moveaxis(images, -1, 1)
        framed, inside = _framed(planes.shape, fill[:, None, None], weights.dtype)
        inside[...] = planes
        self._planes = framed.reshape(*planes.shape[:2], -1)

    def read(
        self, places: list[list[np.ndarray]], x: np.ndarray, y: np.ndarray, out: np.ndarray
    ) -> None:
        """Write the pixels at ``places``, weighted by x and y in 32nds, to ``out``."""
        total = np.zeros((*self._planes.shape[:2], *x.shape), self._weights.dtype)
        for line, below in zip(places, self._weights):
            for place, beside in zip(line, self._weights):
                total += self._planes.take(place, axis=2) * (below[y] * beside[x])
        if out.dtype.kind != "f":
            info = np.iinfo(np.uint8 if out.dtype == np.bool_ else out.dtype)
            total = np.clip(np.floor(total + 0.5), info.min, info.max)
        np.copyto(out, np.moveaxis(total, 1, -1), casting="unsafe")
