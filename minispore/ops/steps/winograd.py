"""Convolutions 3x3 of stride 1 without columns: Winograd's F(m, 3) along the rows of planes.

F(m, 3) makes m neighbouring outputs of a row from m + 2 inputs by m + 2 products, where 3 m are
plain: m + 2 *points* are made of the inputs and of each row of the weight by additions, they are
multiplied point by point, and sums of the products are the outputs. The rows of the kernel need no
transform: three rows of all channels lie one behind the other, so the GEMM of an output row reads
them through an overlapping view, without a copy::

    weight (m+2, F, 3*C) @ points (m+2, H, 3*C, T*N) -> (m+2, H, F, T*N),  T = W/m

Images are planes (C, m, H, T, N), as of :mod:`minispore.ops.steps.planes` with B = m: the m outputs
of a block are m planes. The gradient of the input is the same convolution, of ``dy`` with the
weight turned round. That of the weight multiplies the points of x, which the forward pass has made,
by those of dy under the transposed map of outputs.

Rounding: outputs are sums of products that are larger than they, so the error of m = 4 is larger
than that of a plain sum, by how much the points decide. In float32, against float64, of the largest
result: up to 2e-6 with m = 4 (it were 5e-6 with points 0, +-1, +-2), up to 1e-6 with m = 2 and by
columns (``tests/ops/test_winograd.py``).
``set_context(conv_winograd=...)`` says which m may be taken.

Source: Lavin & Gray, Fast Algorithms for Convolutional Neural Networks,
https://arxiv.org/abs/1509.09308.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.kernels.steps import Steps
from minispore.core.primitive import Calls
from minispore.core.threads.tiles import Rows
from minispore.core.value import Spec
from minispore.ops.steps.columns import _Step
from minispore.ops.steps.planes import FromPlanes, ToPlanes

# The points of m = 2 are 0, +-1, inf; those of m = 4 are 0, +-r, +-R, inf with the roots of 1/2 and
# of 2: rounding is least where the first and the last output have like shares of it.
_ROOTS = {"r": 0.5**0.5, "R": 2**0.5}
# What is done to m + 2 inputs d, to products p and to cotangents y; a and b are only worked in.
_INPUT_POINTS = {
    2: "v0 = d0 - d2, v1 = d1 + d2, v2 = d2 - d1, v3 = d3 - d1",
    4: """v0 = 2 * d2, a = d4 - v0, b = 2 * d1, b = d3 - b, b = r * b, v1 = a + b, v2 = a - b,
        a = 0.5 * d2, a = d4 - a, b = 0.5 * d1, b = d3 - b, b = R * b, v3 = a + b, v4 = a - b,
        v0 = a - v0, v0 = v0 + d0, a = 2.5 * d3, v5 = d1 - a, v5 = v5 + d5""",
}
_OUTPUTS = {
    2: "a = p0 + p1, y0 = a + p2, a = p1 - p2, y1 = a + p3",
    4: """a = p1 + p2, b = p3 + p4, p0 = p0 + a, y0 = p0 + b, a = 0.5 * a, b = 2 * b, y2 = a + b,
        a = p1 - p2, b = p3 - p4, a = r * a, b = R * b, y1 = a + b,
        a = 0.5 * a, b = 2 * b, a = a + b, y3 = a + p5""",
}
_OUTPUTS_TRANSPOSED = {
    2: "p0 = y0, p1 = y0 + y1, p2 = y0 - y1, p3 = y1",
    4: """p0 = y0, p5 = y3,
        a = 0.5 * y2, a = y0 + a, b = 0.5 * y3, b = y1 + b, b = r * b, p1 = a + b, p2 = a - b,
        a = 2 * y2, a = y0 + a, b = 2 * y3, b = y1 + b, b = R * b, p3 = a + b, p4 = a - b""",
}
_r, _R = _ROOTS["r"], _ROOTS["R"]
_WEIGHT_POINTS = {
    2: np.array([[1, 0, 0], [1 / 2, 1 / 2, 1 / 2], [1 / 2, -1 / 2, 1 / 2], [0, 0, 1]]),
    4: np.array([
        [1, 0, 0], [-2 / 3, -2 / 3 * _r, -1 / 3], [-2 / 3, 2 / 3 * _r, -1 / 3],
        [1 / 6, _R / 6, 1 / 3], [1 / 6, -_R / 6, 1 / 3], [0, 0, 1],
    ]),
}  # fmt: skip
_UFUNCS = {"+": np.add, "-": np.subtract, "*": np.multiply}
_LONG = 128  # elements in a row from which on a ufunc leaves them elsewhere as quickly as a copy
_TILE_BYTES = 192 << 10  # of one point of some rows: all points of them stay in the cache of a core


@cache
def _formulas(
    text: str, names: tuple[tuple[str, int], ...], dtype: np.dtype
) -> tuple[list[np.generic], list[tuple[Any, list[int]]]]:
    """The formulas of ``text``: its constants, and each function with the places of what it takes.

    Places count the constants first, then the arrays of each name, as (("d", 6), ("a", 1)) says.
    """
    words = [w for part in text.split(",") for w in part.split()]
    named = [f"{n}{i}" if count > 1 else n for n, count in names for i in range(count)]
    constants = [w for w in dict.fromkeys(words) if w not in (*named, *_UFUNCS, "=")]
    place = {w: i for i, w in enumerate([*constants, *named])}
    found: list[tuple[Any, list[int]]] = []
    for part in text.split(","):
        made, _, x, *rest = part.split()
        if rest:  # (sign, y)
            found.append((_UFUNCS[rest[0]], [place[x], place[rest[1]], place[made]]))
        else:
            found.append((np.copyto, [place[made], place[x]]))
    return [dtype.type(_ROOTS[w] if w in _ROOTS else float(w)) for w in constants], found


def _calls(text: str, **named: Any) -> Calls:
    """The formulas of ``text`` on arrays: ``d=xs`` gives d0, d1, ...; a and b are ``work``."""
    a, b = named.pop("work")
    names = (*[(n, len(xs)) for n, xs in named.items()], ("a", 1), ("b", 1))
    constants, formulas = _formulas(text, names, a.dtype)
    at: list[Any] = [*constants, *[x for xs in named.values() for x in xs], a, b]
    return [partial(function, *[at[i] for i in places]) for function, places in formulas]


def _tile_rows(rows: int, row_bytes: int) -> int:
    """How many rows at a time fit into the cache."""
    return max(1, min(rows, _TILE_BYTES // max(row_bytes, 1)))


def _tiles(
    rows: int, row_bytes: int, work: Iterable[np.ndarray]
) -> Iterator[tuple[slice, list[list[np.ndarray]]]]:
    """Some rows at a time, each with so many of every array that ``work`` holds."""
    step, parts = _tile_rows(rows, row_bytes), [list(some) for some in work]
    for i in range(0, rows, step):
        if i + step > rows:
            parts = [[a[: rows - i] for a in some] for some in parts]
        yield slice(i, min(i + step, rows)), parts


def _tile(x: Spec, m: int) -> tuple[int, ...]:
    """(rows, C, T, N): the shape of the largest tile of planes ``x``."""
    c, _, h, t, n = x.shape
    return (_tile_rows(h, c * t * n * x.dtype.itemsize), c, t, n)


def _over_rows(points: np.ndarray) -> tuple[np.ndarray, Calls]:
    """View points (m+2, H+2, C, T, N) as (m+2, H, 3*C, T*N): three rows for each output row.

    And what is to be called first: a copy, where points do not lie densely.
    """
    q, h, c, t, n = points.shape
    calls: Calls = []
    if not points[0].flags.c_contiguous:
        dense = np.empty(points.shape, points.dtype)
        calls.append(partial(np.copyto, dense, points))
        points = dense
    sq, sh, *_ = points.strides
    step = points.itemsize
    return as_strided(points, (q, h - 2, 3 * c, t * n), (sq, sh, t * n * step, step)), calls


class WinogradPoints(_Step):
    """Planes (C, m, H, T, N) -> points (m+2, H+2, C, T, N), with a row of zeros at either end."""

    saved = True

    def infer(self, x: Spec) -> Spec:
        c, m, h, t, n = x.shape
        return Spec((m + 2, h + 2, c, t, n), x.dtype)

    def scratch(self, x: Spec) -> tuple[Spec, Spec]:
        tile = _tile(x, x.shape[1])
        return Spec((x.shape[1] + 2, *tile), x.dtype), Spec((2, *tile), x.dtype)

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        c, m, h, t, n = x.shape
        by_row = x.transpose(1, 2, 0, 3, 4)
        calls: Calls = [partial(out[:, 0].fill, 0), partial(out[:, h + 1].fill, 0)]
        for rows, (d, ab) in _tiles(h, c * t * n * x.itemsize, work):
            # d0 is the column before the block, d[m+1] the one behind it
            calls += [partial(np.copyto, d[i + 1], by_row[i, rows]) for i in range(m)]
            calls += [
                partial(d[0][:, :, :1].fill, 0),
                partial(np.copyto, d[0][:, :, 1:], d[m][:, :, :-1]),
                partial(d[m + 1][:, :, -1:].fill, 0),
                partial(np.copyto, d[m + 1][:, :, :-1], d[1][:, :, 1:]),
            ]
            made = out[:, rows.start + 1 : rows.stop + 1]
            calls += _calls(_INPUT_POINTS[m], d=d, v=made, work=ab)
        return calls


class WinogradWeight(_Step):
    """A weight (F, C, 3, 3) at m + 2 points, (m+2, F, 3*C); turned round (m+2, C, 3*F)."""

    m: int
    turned: bool = False

    def infer(self, w: Spec) -> Spec:
        f, c = w.shape[1::-1] if self.turned else w.shape[:2]
        return Spec((self.m + 2, f, 3 * c), w.dtype)

    def kernel(self, w: np.ndarray, *, out: np.ndarray) -> None:
        if self.turned:
            w = w[:, :, ::-1, ::-1].swapaxes(0, 1)
        rows = np.ascontiguousarray(w.transpose(3, 0, 2, 1)).reshape(3, -1)  # (KW, F*KH*C)
        points = np.matmul(_WEIGHT_POINTS[self.m].astype(w.dtype), rows)
        np.copyto(out, points.reshape(out.shape))


class WinogradGemm(_Step):
    """Weight (m+2, F, 3*C) times points (m+2, H+2, C, T, N): outputs (F, m, H, T, N)."""

    def infer(self, u: Spec, v: Spec) -> Spec:
        q, h, _, t, n = v.shape
        return Spec((u.shape[1], q - 2, h - 2, t, n), v.dtype)

    def scratch(self, u: Spec, v: Spec) -> tuple[Spec, Spec, Spec]:
        made = self.infer(u, v)
        m, tile = made.shape[1], _tile(made, made.shape[1])
        return (
            Spec((m + 2, *tile), v.dtype), Spec((m, *tile), v.dtype), Spec((2, *tile), v.dtype)
        )  # fmt: skip

    def rowwise(self, u: np.ndarray, v: np.ndarray, *, out: np.ndarray) -> tuple[Rows, ...]:
        return None, (1, 2), 2

    def flops(self, u: Spec, v: Spec) -> int:
        return 2 * u.size * v.size // (v.shape[0] * v.shape[1] * v.shape[2]) * (v.shape[1] - 2)

    def calls(self, u: np.ndarray, v: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        f, m, h, t, n = out.shape
        rows_of, calls = _over_rows(v)
        by_row, room = out.transpose(1, 2, 0, 3, 4), work[0].reshape(-1)
        for rows, (y, ab) in _tiles(h, f * t * n * v.itemsize, work[1:]):
            k = rows.stop - rows.start
            products = room[: (m + 2) * k * f * t * n].reshape(m + 2, k, f, t, n)
            flat = products.reshape(m + 2, k, f, t * n)
            calls.append(partial(np.matmul, u[:, None], rows_of[:, rows], out=flat))
            placed = list(by_row[:, rows])
            if t * n >= _LONG:
                calls += _calls(_OUTPUTS[m], p=products, y=placed, work=ab)
                continue
            calls += _calls(_OUTPUTS[m], p=products, y=y, work=ab)
            calls += [partial(np.copyto, a, b) for a, b in zip(placed, y, strict=True)]
        return calls


class WinogradCotangent(_Step):
    """Planes of dy (F, m, H, T, N) under the transposed map of outputs, (m+2, H, F, T, N)."""

    def infer(self, dy: Spec) -> Spec:
        f, m, h, t, n = dy.shape
        return Spec((m + 2, h, f, t, n), dy.dtype)

    def scratch(self, dy: Spec) -> tuple[Spec, Spec]:
        tile = _tile(dy, dy.shape[1])
        return Spec((dy.shape[1], *tile), dy.dtype), Spec((2, *tile), dy.dtype)

    def calls(self, dy: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        f, m, h, t, n = dy.shape
        calls: Calls = []
        by_row = dy.transpose(1, 2, 0, 3, 4)
        for rows, (y, ab) in _tiles(h, f * t * n * dy.itemsize, work):
            calls += [partial(np.copyto, y[i], by_row[i, rows]) for i in range(m)]
            calls += _calls(_OUTPUTS_TRANSPOSED[m], p=out[:, rows], y=y, work=ab)
        return calls


class WinogradFilter(_Step):
    """The gradient (F, C, 3, 3) of the weight from points of x and of dy."""

    def infer(self, v: Spec, e: Spec) -> Spec:
        return Spec((e.shape[2], v.shape[2], 3, 3), v.dtype)

    def scratch(self, v: Spec, e: Spec) -> tuple[Spec, Spec, Spec]:
        q, h, f, *_ = e.shape
        size = 3 * v.shape[2] * f
        return tuple(  # type: ignore[return-value]
            Spec(shape, v.dtype) for shape in ((q, h, size // f, f), (q, size), (3, size))
        )

    def flops(self, v: Spec, e: Spec) -> int:
        return 6 * e.size * v.shape[2]

    def calls(self, v: np.ndarray, e: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        q, h, f, t, n = e.shape
        by_row, summed, taps = work
        points, calls = _over_rows(v)
        if not e.flags.c_contiguous:
            held, given = np.empty(e.shape, e.dtype), e
            calls.append(partial(np.copyto, held, given))
            e = held
        turned = e.reshape(q, h, f, t * n).swapaxes(2, 3)
        to_taps = _WEIGHT_POINTS[q - 2].T.astype(v.dtype)
        made = taps.reshape(3, 3, v.shape[2], f)  # (KW, KH, C, F)
        return [
            *calls,
            partial(np.matmul, points, turned, out=by_row),
            partial(np.add.reduce, by_row, axis=1, out=summed.reshape(q, -1, f)),
            partial(np.matmul, to_taps, summed, out=taps),
            partial(np.copyto, out, made.transpose(3, 2, 1, 0)),
        ]


# -- what a convolution and its gradients are lowered to -------------------------------------------


class Winograd(NamedTuple):
    """F(m, 3) along rows."""

    m: int

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """(x, w) -> the output."""
        do, (x, w) = Steps(2), (0, 1)
        points = do(WinogradPoints(), do(ToPlanes(self.m), x))
        do(FromPlanes(), do(WinogradGemm(), do(WinogradWeight(self.m), w), points))
        return do

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, w, size) -> the gradient of the input."""
        do, (dy, w) = Steps(3), (0, 1)
        points = do(WinogradPoints(), do(ToPlanes(self.m), dy))
        do(FromPlanes(), do(WinogradGemm(), do(WinogradWeight(self.m, True), w), points))
        return do

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, x, size) -> the gradient of the weight."""
        do, (dy, x) = Steps(3), (0, 1)
        points = do(WinogradPoints(), do(ToPlanes(self.m), x))
        do(WinogradFilter(), points, do(WinogradCotangent(), do(ToPlanes(self.m), dy)))
        return do
