"""Move every pixel: affine and perspective warps with the coordinates and weights of OpenCV.

Output pixel (x, y) is read from A @ (x, y, 1) of the input, in fixed point: source coordinates have
10 bits behind the point for affine warps and are rounded to 1/32 of a pixel before interpolation.
What lies outside of the image has the fill value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.dataset.vision.enums import Inter
from minispore.dataset.vision.support.taps import cubic_weights

AFFINE_BITS = 10
PHASE_BITS = 5  # interpolation knows 32 positions between two pixels
PHASES = 1 << PHASE_BITS


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
    rows, right = [], []
    for (x, y), (u, v) in zip(start, end):
        rows += [[x, y, 1, 0, 0, 0, -x * u, -y * u], [0, 0, 0, x, y, 1, -x * v, -y * v]]
        right += [u, v]
    solution = np.linalg.solve(np.array(rows, np.float64), np.array(right, np.float64))
    return np.append(solution, 1.0).reshape(3, 3)


def warp_affine(
    images: np.ndarray, matrix: np.ndarray, size: tuple[int, int], inter: Inter, fill: Any
) -> np.ndarray:
    """(N, H, W, C) -> (N, *size, C), each pixel moved by the (2, 3) matrix."""
    back = _inverse(matrix)
    y, x = np.arange(size[0])[:, None], np.arange(size[1])
    one = 1 << AFFINE_BITS
    at = [  # (H', W') fixed-point source coordinates, x and y
        np.rint((b * y + c) * one).astype(np.int64) + np.rint(a * x * one).astype(np.int64)
        for a, b, c in back
    ]
    if inter is Inter.NEAREST:
        at = [(v + one // 2) >> AFFINE_BITS << PHASE_BITS for v in at]
    else:
        shift = AFFINE_BITS - PHASE_BITS
        at = [(v + (1 << (shift - 1))) >> shift for v in at]
    return _sample(images, at[0], at[1], inter, fill)


def _inverse(matrix: np.ndarray) -> np.ndarray:
    """The (2, 3) matrix of the way back, in OpenCV's order of operations: ties round alike."""
    (a, b, c), (d, e, f) = matrix
    determinant = a * e - b * d
    scale = 1 / determinant if determinant else 0.0
    a, b, d, e = e * scale, -b * scale, -d * scale, a * scale
    return np.array([[a, b, -a * c - b * f], [d, e, -d * c - e * f]])


def warp_perspective(images: np.ndarray, matrix: np.ndarray, inter: Inter, fill: Any) -> np.ndarray:
    """(N, H, W, C), each pixel moved by the (3, 3) matrix."""
    back = np.linalg.inv(matrix)
    y, x = np.arange(images.shape[1])[:, None], np.arange(images.shape[2])
    u, v, w = (a * x + b * y + c for a, b, c in back)
    phases = 1 if inter is Inter.NEAREST else PHASES
    scale = np.divide(phases, w, out=np.zeros_like(w), where=w != 0)
    limit = 1 << 40  # beyond any image, within int64
    at = [np.clip(np.rint(v * scale), -limit, limit).astype(np.int64) for v in (u, v)]
    if inter is Inter.NEAREST:
        at = [v << PHASE_BITS for v in at]
    return _sample(images, at[0], at[1], inter, fill)


def _sample(
    images: np.ndarray, x: np.ndarray, y: np.ndarray, inter: Inter, fill: Any
) -> np.ndarray:
    """The images at coordinates in 1/32 of a pixel."""
    count, height, width, channels = images.shape
    framed = np.empty((count, height + 2, width + 2, channels), images.dtype)
    framed[...] = np.asarray(fill).astype(images.dtype)
    framed[:, 1:-1, 1:-1] = images
    flat = framed.reshape(count, (height + 2) * (width + 2), channels)

    def pixels(row: np.ndarray, column: np.ndarray) -> np.ndarray:
        row, column = np.clip(row + 1, 0, height + 1), np.clip(column + 1, 0, width + 1)
        return flat.take(row * (width + 2) + column, axis=1)

    column, row = x >> PHASE_BITS, y >> PHASE_BITS
    if inter is Inter.NEAREST:
        return pixels(row, column)
    t = np.arange(PHASES, dtype=np.float32) / PHASES
    weights = cubic_weights(t) if inter is Inter.CUBIC else np.stack([1 - t, t])
    if images.dtype == np.float64 or (images.dtype.kind in "ui" and images.dtype.itemsize > 2):
        weights = weights.astype(np.float64)
    first = 1 - len(weights) // 2
    across = [w[x & (PHASES - 1)] for w in weights]
    down = [w[y & (PHASES - 1)] for w in weights]
    total = np.zeros((count, *x.shape, channels), weights.dtype)
    for j, below in enumerate(down):
        for i, beside in enumerate(across):
            near = pixels(row + first + j, column + first + i)
            total += near * (below * beside)[..., None]
    if images.dtype.kind == "f":
        return total.astype(images.dtype)
    info = np.iinfo(np.uint8 if images.dtype == np.bool_ else images.dtype)
    return np.clip(np.floor(total + 0.5), info.min, info.max).astype(images.dtype)
