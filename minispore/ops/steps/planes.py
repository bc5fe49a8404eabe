"""Blocked columns for skinny convolutions: B neighbouring output columns share one GEMM row block.

A GEMM of few rows wastes the machine, and a stride-1 kernel copies every input element KH*KW times
into its columns. Putting B neighbouring outputs of a row into the rows of the GEMM, with the weight
laid out as a small Toeplitz matrix, gives B times the rows and copies (KW+B-1)/B elements instead
of KW. And there are columns of one row of the kernel only: those of the KH rows that an output row
meets lie one behind the other, so its GEMM reads them through an overlapping view::

    weight (F*B, KH*K) @ rows (H, K, OW/B*N) -> (OH, F*B, OW/B*N),  K = C*(KW+B-1)

Images travel as *planes*, (C, B, H, W/B, N): plane b holds the columns b, b+B, b+2B, ... of a
row, so copies and additions run over long stretches, and a 2x2 pool is a maximum of planes.

The gradient of the input adds up over the rows of the kernel in the same way: an input row meets
rows of dy that lie one behind the other, fewer at the edges.

As in :mod:`minispore.ops.steps.columns`, a convolution is lowered to primitives.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.kernels.steps import Steps
from minispore.core.layout import BATCH_LAST, copied
from minispore.core.primitive import Calls
from minispore.core.value import Spec
from minispore.ops.steps.columns import _Step, crowded, dense, spread
from minispore.ops.steps.products import (
    by_rows_scratch,
    by_weight,
    filter_by_rows,
    one_behind_other,
)
from minispore.ops.steps.window import Window, batch_last

# Relative costs that choose B, measured with NumPy 2.4 and OpenBLAS: a multiply-add of one column
# element per GEMM row, and moving that element in and out of the columns.
_PER_ROW, _PER_MOVE, _LEAST_ROWS = 0.01, 0.5, 16
# Rows of fewer elements make products that are too small; where each tap of the kernel has more
# weights, what they take, row by row, is more than columns of all taps take.
_LEAST_LENGTH, _MOST_WEIGHTS = 32, 64 * 64


@cache
def blocks(win: Window, batch: int, channels: int, out_channel: int) -> int:
    """The number B of neighbouring outputs to block; 0 where columns of all taps are better, or a
    kernel of one element has none, or windows lie apart.
    """
    plain = {*win.stride, *win.dilation} == {1} and len(win.kernel) == 2 and win.kernel != (1, 1)
    best, least = 0, float("inf")
    for b in (1, 2, 4) if plain and channels * out_channel <= _MOST_WEIGHTS else ():
        uneven = b > 1 and (win.kernel[1] == 1 or win.out[1] % b or win.padded[1] % b)
        if uneven or win.out[1] // b * batch < _LEAST_LENGTH:
            continue
        rows = max(out_channel * b, _LEAST_ROWS)
        cost = (win.kernel[1] + b - 1) / b * (rows * _PER_ROW + _PER_MOVE)
        if cost < least * 0.9:  # a tie goes to the simpler way
            best, least = b, cost
    return best


def seen_as_planes(x: np.ndarray, b: int) -> np.ndarray:
    """View (C, H, W, N) as (C, B, H, W/B, N)."""
    c, h, w, n = x.shape
    return x.reshape(c, h, w // b, b, n).transpose(0, 3, 1, 2, 4)  # a split axis is never copied


def to_planes(x: np.ndarray, win: Window | None, b: int, out: np.ndarray) -> Calls:
    """Copy (N, C, H, W) into planes, zero-padded by ``win``."""
    xt = batch_last(x)
    if win is None or win.padded == win.size:
        return [copied(out, seen_as_planes(xt, b))]
    (top, left), (h, w) = win.low, win.size
    calls: Calls = [partial(out[:, :, :top].fill, 0), partial(out[:, :, top + h :].fill, 0)]
    for plane in range(b):
        first, count, at = _columns_of(plane, b, left, w)
        row = out[:, plane, top : top + h]
        calls += [partial(row[:, :, :at].fill, 0), partial(row[:, :, at + count :].fill, 0)]
        calls.append(copied(row[:, :, at : at + count], xt[:, :, first::b]))
    return calls


def _columns_of(plane: int, b: int, left: int, width: int) -> tuple[int, int, int]:
    """The first input column of a plane, how many there are, and where in the plane they start."""
    first = (plane - left) % b
    return first, len(range(first, width, b)), (first + left) // b


def from_planes(planes: np.ndarray, win: Window | None, out: np.ndarray) -> Calls:
    """Copy planes (C, B, H, W/B, N) into (N, C, H, W), the padding of ``win`` cut off."""
    b, dense = planes.shape[1], batch_last(out)
    if win is None or win.padded == win.size:
        return [copied(seen_as_planes(dense, b), planes)]
    (top, left), (h, w) = win.low, win.size
    calls: Calls = []
    for plane in range(b):
        first, count, at = _columns_of(plane, b, left, w)
        part = planes[:, plane, top : top + h, at : at + count]
        calls.append(copied(dense[:, :, first::b], part))
    return calls


def plane_rows(planes: np.ndarray, win: Window, out: np.ndarray) -> Calls:
    """Columns of each row of padded planes, (H, C*(KW+B-1), OW/B*N).

    KW+B-1 is a multiple of B, which divides the outputs and the padded inputs of a row; so the
    columns of a block are whole runs of B, one of each plane.
    """
    c, b, h, _, n = planes.shape
    sc, sb, sh, sw, sn = planes.strides
    shape = (h, c, (win.kernel[1] + b - 1) // b, b, win.out[1] // b, n)
    return [copied(out.reshape(shape), as_strided(planes, shape, (sh, sc, sw, sb, sw, sn)))]


def _by_row(planes: np.ndarray) -> np.ndarray:
    """View dense planes (F, B, H, W/B, N) as (H, F*B, W/B*N)."""
    f, b, h, *_ = planes.shape
    return planes.reshape(f * b, h, -1).swapaxes(0, 1)


def input_rows(t: np.ndarray, dy: np.ndarray, out: np.ndarray) -> Calls:
    """The gradient (H, K, P) of rows of columns from that of the output by row, (OH, F*B, P), by
    the weight (KH, F*B, K), from the last row of the kernel to the first; all dense.
    """
    (kh, *_), oh, h = t.shape, len(dy), len(out)
    calls: Calls = []
    for count in range(1, min(kh, oh) + 1):  # the rows of dy that an input row meets
        met = [i for i in range(h) if min(i + 1, h - i, kh, oh) == count]
        first = [max(i - kh + 1, 0) for i in met]
        taps = [kh - 1 - i + j for i, j in zip(met, first, strict=True)]
        by = _every(t, taps, count).swapaxes(1, 2)
        calls.append(by_weight(by, _every(dy, first, count), _every(out, met)))
    return calls


def _every(stack: np.ndarray, places: list[int], count: int = 1) -> np.ndarray:
    """View ``count`` of dense rows (H, K, P) from each of some places: (places, count*K, P)."""
    (_, k, p), (row, *within) = stack.shape, stack.strides
    step = places[1] - places[0] if len(places) > 1 else 0
    shape = len(places), count * k, p
    return np.ndarray(shape, stack.dtype, stack, places[0] * row, (step * row, *within))


def planes_of_rows(rows: np.ndarray, out: np.ndarray) -> Calls:
    """Add rows of columns (H, C*(KW+B-1), OW/B*N) back to the padded planes they came from."""
    c, b, h, _, n = out.shape
    taps = rows.reshape(h, c, rows.shape[1] // (b * c), b, -1, n)
    first, *more = taps.transpose(2, 1, 3, 0, 4, 5)
    wide = first.shape[3]
    calls: Calls = [copied(out[:, :, :, :wide], first), partial(out[:, :, :, wide:].fill, 0)]
    for shift, tap in enumerate(more, 1):
        part = out[:, :, :, shift : shift + wide]
        calls.append(partial(np.add, part, tap, out=part))
    return calls


def toeplitz(w: np.ndarray, out: np.ndarray) -> Calls:
    """(F, C, KH, KW) -> (F, B, KH, C, KW+B-1): block i holds the weight shifted by i."""
    taps, kw = w.transpose(0, 2, 1, 3), w.shape[3]
    blocks = range(out.shape[1])
    shifted = [partial(np.copyto, out[:, i, :, :, i : i + kw], taps) for i in blocks]
    return [partial(out.fill, 0), *shifted]


# -- the steps -------------------------------------------------------------------------------------


class ToPlanes(_Step):
    """(N, C, H, W) -> (C, B, H, W/B, N), zero-padded where a window is given."""

    moves = True
    b: int
    win: Any = None
    reads = BATCH_LAST

    def check(self) -> None:
        if self.win is not None:
            self.normalise(win=Window(*self.win))

    def infer(self, x: Spec) -> Spec:
        n, c, h, w = x.shape if self.win is None else (*x.shape[:2], *self.win.padded)
        return Spec((c, self.b, h, w // self.b, n), x.dtype)

    def view(self, x: np.ndarray) -> np.ndarray | None:
        xt = batch_last(x)
        if self.b > 1 or not xt.flags.c_contiguous:
            return None
        return xt[:, None] if self.win is None or self.win.padded == self.win.size else None

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        if crowded(x):
            return [partial(self._from_spread, x, out)]
        return to_planes(x, self.win, self.b, out)

    def _from_spread(self, x: np.ndarray, out: np.ndarray) -> None:
        for call in to_planes(spread(x), self.win, self.b, out):
            call()


class FromPlanes(_Step):
    """(C, B, H, W/B, N) -> (N, C, H, W), the padding of a window cut off where one is given."""

    moves = True
    win: Any = None
    order: str = BATCH_LAST  # how the images lie

    def check(self) -> None:
        self.normalise(layout=self.order)
        if self.win is not None:
            self.normalise(win=Window(*self.win))

    def infer(self, planes: Spec) -> Spec:
        c, b, h, w, n = planes.shape
        size = (h, w * b) if self.win is None else self.win.size
        return Spec((n, c, *size), planes.dtype)

    def view(self, planes: np.ndarray) -> np.ndarray | None:
        if (
            planes.shape[1] > 1
            or self.order != BATCH_LAST
            or (self.win is not None and self.win.padded != self.win.size)
        ):
            return None
        return planes[:, 0].transpose(3, 0, 1, 2)

    def calls(self, planes: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return from_planes(planes, self.win, out)


class PlaneRows(_Step):
    """Padded planes -> columns of each row (H, C*(KW+B-1), OW/B*N)."""

    moves = True
    win: Any

    def check(self) -> None:
        self.normalise(win=Window(*self.win))

    def infer(self, planes: Spec) -> Spec:
        (_, kw), (_, ow), (c, b, h, _, n) = self.win.kernel, self.win.out, planes.shape
        return Spec((h, c * (kw + b - 1), ow // b * n), planes.dtype)

    def calls(self, planes: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return plane_rows(planes, self.win, out)


class Toeplitz(_Step):
    """A weight (F, C, KH, KW) as the matrix (F*B, KH*C*(KW+B-1)) of the blocked GEMM; ``turned``
    (KH, F*B, C*(KW+B-1)), from the last row of the kernel to the first.
    """

    moves = True
    b: int
    turned: bool = False

    def infer(self, w: Spec) -> Spec:
        f, c, kh, kw = w.shape
        rows, k = f * self.b, c * (kw + self.b - 1)
        return Spec((kh, rows, k) if self.turned else (rows, kh * k), w.dtype)

    def calls(self, w: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        f, c, kh = w.shape[:3]
        if not self.turned:
            return toeplitz(w, out.reshape(f, self.b, kh, c, -1))
        by_row = out.reshape(kh, f, self.b, c, -1)[::-1]
        return toeplitz(w, by_row.transpose(1, 2, 0, 3, 4))


class PlaneGemm(_Step):
    """Toeplitz matrix @ rows of columns, as planes of the output."""

    planes_shape: Any

    def infer(self, t: Spec, rows: Spec) -> Spec:
        return Spec(self.planes_shape, rows.dtype)

    def flops(self, t: Spec, rows: Spec) -> int:
        return 2 * t.size * self.planes_shape[2] * rows.shape[2]

    def calls(self, t: np.ndarray, rows: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        made = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        taps = t.shape[1] // rows.shape[1]

        def product(rows: np.ndarray) -> Calls:
            return [by_weight(t, one_behind_other(rows, taps), _by_row(made))]

        behind = [] if made is out else [partial(np.copyto, out, made)]
        return [*dense(product, rows), *behind]


class PlaneFilterGemm(_Step):
    """dy planes @ rows of columns turned, folded to the gradient (F, C, KH, KW) of the weight."""

    filter_size: Any

    def infer(self, dy: Spec, rows: Spec) -> Spec:
        return Spec(self.filter_size, dy.dtype)

    def flops(self, dy: Spec, rows: Spec) -> int:
        return 2 * dy.size * self.filter_size[2] * rows.shape[1]

    def scratch(self, dy: Spec, rows: Spec) -> tuple[Spec, ...]:
        f, b, oh, *_ = dy.shape
        shapes = by_rows_scratch(oh, self.filter_size[2] * rows.shape[1], f * b, rows.shape[2])
        return tuple(Spec(shape, dy.dtype) for shape in shapes)

    def calls(self, dy: np.ndarray, rows: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return dense(
            lambda dy: dense(lambda rows: filter_by_rows(_by_row(dy), rows, out, work), rows), dy
        )


class PlaneInput(_Step):
    """Turned Toeplitz matrix and dy planes, multiplied row by row and added back to the padded
    planes of the input.

    Shape: matrix (KH, F*B, C*(KW+B-1)), dy (F, B, OH, OW/B, N) -> (C, B, H, W/B, N).
    """

    planes_shape: Any

    def infer(self, t: Spec, dy: Spec) -> Spec:
        return Spec(self.planes_shape, dy.dtype)

    def flops(self, t: Spec, dy: Spec) -> int:
        return 2 * t.size * dy.size // t.shape[1]

    def scratch(self, t: Spec, dy: Spec) -> tuple[Spec, Spec]:
        f, b, oh, wide, n = dy.shape
        rows = self.planes_shape[2], t.shape[2], wide * n
        return Spec((oh, f * b, wide * n), dy.dtype), Spec(rows, dy.dtype)

    def calls(self, t: np.ndarray, dy: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        (held, rows), (f, b, oh, wide, n) = work, dy.shape
        taken = copied(held.reshape(oh, f, b, wide, n), dy.transpose(2, 0, 1, 3, 4))
        product = dense(lambda t: input_rows(t, held, rows), t)
        return [taken, *product, *planes_of_rows(rows, out)]


# -- what a convolution and its gradients are lowered to -------------------------------------------


def _rows_of_images(do: Steps, win: Window, b: int, x: int) -> int:
    return do(PlaneRows(win), do(ToPlanes(b, win), x))


class InPlanes(NamedTuple):
    """Blocked columns of the rows of planes, and a GEMM for each row."""

    win: Window
    b: int

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """(x, w) -> the output."""
        do, (x, w) = Steps(2), (0, 1)
        n, f, oh, ow = out_shape
        rows = _rows_of_images(do, self.win, self.b, x)
        gemm = PlaneGemm((f, self.b, oh, ow // self.b, n))
        do(FromPlanes(), do(gemm, do(Toeplitz(self.b), w), rows))
        return do

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, w, size) -> the gradient of the input."""
        do, (dy, w) = Steps(3), (0, 1)
        shape = (size[1], self.b, self.win.padded[0], self.win.padded[1] // self.b, size[0])
        turned = do(Toeplitz(self.b, turned=True), w)
        back = do(PlaneInput(shape), turned, do(ToPlanes(self.b), dy))
        do(FromPlanes(self.win if self.win.padded != self.win.size else None), back)
        return do

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, x, size) -> the gradient of the weight."""
        do, (dy, x) = Steps(3), (0, 1)
        rows = _rows_of_images(do, self.win, self.b, x)
        do(PlaneFilterGemm(size), do(ToPlanes(self.b), dy), rows)
        return do
