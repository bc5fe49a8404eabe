"""Draw handwritten-like digits, 28 x 28 grey levels as in MNIST, from nothing but a seed.

Each way to write a digit is a *glyph*: some pen strokes, given by knots on a grid 10 wide and 14
high. One image is one glyph whose knots tremble, joined by splines, bent by a smooth random field
(the elastic deformation), slanted, rotated and stretched (the affine one), and drawn with a pen
of random width and pressure on noisy paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

DRAWING = 1  # raise it whenever the same seed draws something else
SIDE = 28  # pixels; as MNIST, and like there the ink fits a box of 20 pixels
INK_BOX = 20.0
GRID_MIDDLE = np.array([5, 7], np.float32)
POINTS = 72  # pen positions along one image's strokes: less than a pixel apart
CHUNK = 1000  # images drawn from one random generator
BLOCK = 64  # images rendered at once: their float32 pixels fit a 256 KB cache


# digit -> its glyphs, the usual one first. A glyph is strokes with a slash between them, a stroke
# is knots "x,y" with x to the right and y down; an "o" closes the stroke to a loop.
GLYPHS: dict[int, list[str]] = {
    0: [
        "5,0 1.5,2 0,7 1.5,12 5,14 8.5,12 10,7 8.5,2 o",
        "7,1 4,0 1,4 0,9 3,14 7,13 10,8 9,3 6,0.5 4,1.5",
    ],
    1: [
        "5.5,0 5.2,5 5,9.5 5,14",
        "2.5,3.5 4.5,2 6,0 / 6,0 6,7 6,14",
        "2.5,3 4.5,1.8 6,0 / 6,0 6,7 6,14 / 2.5,14 6,14 9.5,14",
    ],
    2: [
        "1,3.5 2.5,1 5.5,0 8.5,1.5 9,4.5 7,8 4,11 0.5,14 / 0.5,14 5,13.7 10,14",
        "1,3 3,0.5 6,0 9,2.5 8,6.5 5,10.5 2,13.5 0.5,12.5 2,11 5,12.5 8,14 10,12.5",
    ],
    3: [
        "1,2 4,0 8,1 8.5,4 6.5,6.3 4,6.7 / 4,6.7 7.5,7.3 9.5,10 8,13 4.5,14 1,12",
        "1,0 5,0 9,0 / 9,0 6.5,3 4,6 / 4,6 8,7 10,10 8,13.3 4,14 0.5,12.5",
    ],
    4: [
        "3,0 1.5,4 0,8.5 / 0,8.5 5,8.3 10,8 / 7.5,2 7.3,8 7,14",
        "7,0 3.5,4.5 0,9 / 0,9 5,9 10,9 / 7,0 7,7 7,14",
        "2,0 1,4 1.5,7 4.5,8 8.3,6.5 / 9,0 8.5,7 8,14",
    ],
    5: [
        "8.5,0 5,0 2,0.2 / 2,0.2 1.6,3 1.2,6 / 1.2,6 4.5,5 8,6.5 9.5,9.5 8,13 4.5,14 1,12.8",
        "3,1 2.5,3.5 2,6.2 / 2,6.2 5.5,5.8 8.5,8 8.5,11.5 5.5,14 2,13.7 0,12 / 3,1 6,1 9.5,0",
    ],
    6: [
        "8,0.5 5,2 2,6 1,10 3,13.5 6,14 9,12 9,9 6,7.5 3,8.5 1.5,11",
        "6,0 3,4.5 1,9 1.5,12.5 4.5,14 8,12.5 8.5,9.7 5.5,8 2.5,9.5 1.3,11.5",
    ],
    7: [
        "0.5,0.5 5,0.2 9.5,0 / 9.5,0 7.5,5 5.5,9.5 4,14",
        "0.5,0.5 5,0.2 9.5,0 / 9.5,0 7.5,5 5.5,9.5 4,14 / 3,7.5 6,7.2 9,7",
        "0.5,3.3 0.6,2 0.7,0.7 / 0.7,0.7 5,0.9 9.5,0 / 9.5,0 6.5,5 5,9.5 4.7,14",
    ],
    8: [
        "8.5,2 5,0 1.7,2 2.5,5 6,7.3 9,10.5 7,13.7 3.5,13.8 1,10.8 4,7.3 7.5,4.5 8.5,2",
        "5,0 2,1.5 2,5 5,6.5 8,5 8,1.5 o / 5,6.5 1.5,8.5 1.2,12 5,14 8.8,12 8.5,8.5 o",
    ],
    9: [
        "8.5,2.5 5.5,0 2,1.5 1,4.5 3,7.3 6,6.8 8.6,3 / 8.7,2 8.3,8 7.5,14",
        "8.8,2.5 5.5,0 2,1.5 1.2,5 4,7.5 7.3,5.8 8.9,2.5 / 8.9,1.5 9.3,5 8.8,10 7,13.3 4,14 "
        "1.5,12.8",
    ],
}


@dataclass(frozen=True)
class Glyph:
    """One shape of a digit; pen positions are ``basis @ knots``."""

    digit: int
    knots: Floats  # (K, 2)
    basis: Floats  # (POINTS, K)


# The weights of the four knots around t, each a polynomial of t: columns 1, t, t^2, t^3.
CATMULL_ROM = np.array([[0, -1, 2, -1], [2, 0, -5, 3], [0, 1, 4, -3], [0, 0, -1, 1]]) / 2


def _make_spline_basis(knots: int, points: int) -> Floats:
    """Return the matrix (points, knots) of the uniform Catmull-Rom spline through ``knots``
    knots.

    Source: Catmull and Rom, "A class of local interpolating splines", 1974.
    """
    u = np.linspace(0, knots - 1, points)
    left = np.minimum(u.astype(int), knots - 2)
    t = u - left
    weights = CATMULL_ROM @ t ** np.arange(4)[:, None]
    padded = np.zeros((points, knots + 2))
    for offset, weight in enumerate(weights):
        padded[np.arange(points), left + offset] += weight
    # One knot beyond each end, mirrored: p[-1] = 2 p[0] - p[1], and p[K] = 2 p[K-1] - p[K-2].
    basis = padded[:, 1:-1]
    basis[:, 0] += 2 * padded[:, 0]
    basis[:, 1] -= padded[:, 0]
    basis[:, -1] += 2 * padded[:, -1]
    basis[:, -2] -= padded[:, -1]
    return basis.astype(np.float32)


def _parse_strokes(text: str) -> Iterator[list[list[float]]]:
    """Read a glyph's strokes."""
    for stroke in text.split(" / "):
        knots = [[float(x) for x in word.split(",")] for word in stroke.removesuffix(" o").split()]
        # Into a loop's start the hand goes on a little.
        yield knots + knots[:2] if stroke.endswith(" o") else knots


def _make_glyph(digit: int, text: str) -> Glyph:
    """Make a glyph; each stroke gets its share of the pen positions, by length."""
    strokes = list(_parse_strokes(text))
    lengths = [np.linalg.norm(np.diff(s, axis=0), axis=1).sum() for s in strokes]
    ends = np.round(np.cumsum([0, *lengths]) / sum(lengths) * POINTS).astype(int)
    knots = np.concatenate(strokes, dtype=np.float32)
    basis, column = np.zeros((POINTS, len(knots)), np.float32), 0
    for stroke, start, stop in zip(strokes, ends, ends[1:], strict=False):
        basis[start:stop, column : column + len(stroke)] = _make_spline_basis(
            len(stroke), stop - start
        )
        column += len(stroke)
    return Glyph(digit, knots, basis)


ALL_GLYPHS = [_make_glyph(digit, text) for digit, ways in GLYPHS.items() for text in ways]


def draw(count: int, *, seed: int, split: int = 0) -> Iterator[tuple[Bytes, Bytes]]:
    """Yield images (n, 28, 28) and labels (n,), ``count`` in all, in chunks of at most ``CHUNK``.

    The same ``seed`` and ``split`` give the same images, and a larger ``count`` begins with those
    of a smaller one if that was a multiple of ``CHUNK``.
    """
    for chunk, start in enumerate(range(0, count, CHUNK)):
        rng = np.random.default_rng([seed, split, chunk])
        labels = rng.integers(0, 10, min(CHUNK, count - start), dtype=np.uint8)
        yield _render_images(_move_pen(labels, rng), rng), labels


def _move_pen(labels: Bytes, rng: np.random.Generator) -> Floats:
    """Move the pen: positions (n, POINTS, 2) in pixels, for each label one of its glyphs."""
    choice = rng.random(len(labels)) ** 2  # the first glyph of a digit is the usual one
    points = np.empty((len(labels), POINTS, 2), np.float32)
    for digit, ways in GLYPHS.items():
        glyphs = [g for g in ALL_GLYPHS if g.digit == digit]
        for way, glyph in enumerate(glyphs):
            rows = np.flatnonzero((labels == digit) & ((choice * len(ways)).astype(int) == way))
            tremor = rng.normal(0, 0.4, (len(rows), *glyph.knots.shape)).astype(np.float32)
            points[rows] = glyph.basis @ (glyph.knots + tremor)
    return _fit_to_box(_slant_strokes(_bend_strokes(points - GRID_MIDDLE, rng), rng), rng)


def _bend_strokes(points: Floats, rng: np.random.Generator) -> Floats:
    """Add a smooth displacement field: three waves for each image, longer than half a digit."""
    n = len(points)
    for _ in range(3):
        wave = rng.normal(0, 0.25, (n, 2, 1)).astype(np.float32)
        phase = rng.uniform(0, 2 * np.pi, (n, 1, 1)).astype(np.float32)
        push = rng.normal(0, 0.55, (n, 1, 2)).astype(np.float32)
        points = points + np.sin(points @ wave + phase) * push
    return points


def _slant_strokes(points: Floats, rng: np.random.Generator) -> Floats:
    """Slant, stretch and rotate the strokes of each image."""
    n = len(points)
    slant, angle = rng.normal(0.1, 0.22, n), rng.normal(0, 0.12, n)
    width = rng.lognormal(-0.05, 0.18, n)
    c, s = np.cos(angle), np.sin(angle)
    matrix = np.array([[c * width, s * width], [-c * slant - s, c - s * slant]])  # (2, 2, n)
    return points @ matrix.transpose(2, 0, 1).astype(np.float32)


def _fit_to_box(points: Floats, rng: np.random.Generator) -> Floats:
    """Scale each image to the box of ink and put its middle near the middle of the picture."""
    n = len(points)
    low, high = points.min(1, keepdims=True), points.max(1, keepdims=True)
    size = (INK_BOX - 2.5) * rng.uniform(0.85, 1.03, (n, 1, 1)).astype(np.float32)
    points = (points - (low + high) / 2) * (size / (high - low).max(2, keepdims=True))
    return points + (SIDE / 2 + rng.normal(0, 0.7, (n, 1, 2))).astype(np.float32)


def _render_images(points: Floats, rng: np.random.Generator) -> Bytes:
    """Draw with a round pen: a pixel is brighter the nearer the nearest pen position is.

    With the pen's radius w at position p, a pixel at (x, y) has the distance
    min over p of sqrt((x - px)^2 + (y - py)^2) / w in radii; the edge is about a pixel soft.
    """
    n = len(points)
    radius = rng.lognormal(0.25, 0.28, (n, 1)).clip(0.75, 2.3)
    pressure = 1 + 0.18 * np.sin(
        rng.uniform(0.5, 3, (n, 1)) * np.linspace(0, 2 * np.pi, POINTS)
        + rng.uniform(0, 2 * np.pi, (n, 1))
    )
    pen = (radius * pressure).astype(np.float32)
    edge = (radius / rng.uniform(0.7, 1.3, (n, 1))).astype(np.float32)[:, :, None]
    ink = rng.uniform(0.85, 1.4, (n, 1, 1)).astype(np.float32)
    images = np.empty((n, SIDE, SIDE), np.uint8)
    axis = np.arange(SIDE, dtype=np.float32) + 0.5
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        x, y = (((axis - points[rows, :, d, None]) / pen[rows, :, None]) ** 2 for d in (0, 1))
        nearest = np.full((len(x), SIDE, SIDE), np.inf, np.float32)
        for p in range(POINTS):  # running minimum: no array of all positions times all pixels
            np.minimum(nearest, y[:, p, :, None] + x[:, p, None, :], out=nearest)
        light = ((1 - np.sqrt(nearest)) * edge[rows] + 0.5).clip(0, 1) * ink[rows]
        grain = rng.normal(0, 0.04, light.shape).astype(np.float32)
        light = light * (1 + 2 * grain) + (grain - 0.06).clip(0)
        images[rows] = (255 * light).clip(0, 255)
    return images
