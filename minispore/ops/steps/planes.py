"""Blocked columns for skinny convolutions: B neighbouring output columns share one GEMM row block.

A GEMM of few rows wastes the machine, and a stride-1 kernel copies every input element KW times
into its columns. Putting B neighbouring outputs of a row into the rows of the GEMM, with the weight
laid out as a small Toeplitz matrix, gives B times the rows and copies (KW+B-1)/B elements instead
of KW::

    weight (F*B, KH*C*(KW+B-1)) @ columns (KH*C*(KW+B-1), OH*OW/B*N) -> (F, B, OH, OW/B, N)

Images travel as *planes*, (C, B, H, W/B, N): plane b holds the columns b, b+B, b+2B, ... of a
row, so all copies and additions run over long contiguous stretches, and a 2x2 pool is a
maximum of planes.

As in :mod:`minispore.ops.steps.columns`, each step is a primitive to which a
convolution is lowered.
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
from minispore.ops.elementwise.bases import bits
from minispore.ops.steps.columns import _Step, crowded, dense, spread
from minispore.ops.steps.products import by_weight, outer, outer_scratch
from minispore.ops.steps.window import Window, batch_last

# Relative costs that choose B, measured with NumPy 2.4 and OpenBLAS: a multiply-add of one column
# element per GEMM row, and moving that element in and out of the columns.
_PER_ROW, _PER_MOVE, _LEAST_ROWS = 0.01, 0.5, 16


@cache
def blocks(win: Window, out_channel: int, group: int) -> int:
    """The number B of neighbouring outputs to block, 1 for none."""
    if len(win.kernel) != 2 or group != 1 or win.stride[1] != 1 or win.dilation != (1, 1):
        return 1
    best, least = 1, float("inf")
    for b in (1, 2, 4):
        if b > 1 and (win.kernel[1] == 1 or win.out[1] % b or win.padded[1] % b):
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


def plane_columns(planes: np.ndarray, win: Window, out: np.ndarray) -> Calls:
    """Columns (KH*C*(KW+B-1), OH*OW/B*N) of padded planes.

    KW+B-1 is a multiple of B, because B divides the outputs and the padded inputs of a row; so the
    columns of a block are whole runs of B, one of each plane.
    """
    (kh, kw), (oh, ow) = win.kernel, win.out
    c, b, *_, n = planes.shape
    sc, sb, sh, sw, sn = planes.strides
    shape = (kh, c, (kw + b - 1) // b, b, oh, ow // b, n)
    met = as_strided(planes, shape, (sh, sc, sw, sb, sh * win.stride[0], sw, sn))
    return [copied(out.reshape(shape), met)]


def input_planes(
    t: np.ndarray, dy: np.ndarray, win: Window, out: np.ndarray, dcols: np.ndarray
) -> Calls:
    """The gradient of the padded planes from that of the output, by that of the columns."""
    (kh, kw), (oh, ow), (c, b, *_, n) = win.kernel, win.out, out.shape
    wide, down = ow // b, win.stride[0]
    taps = dcols.reshape(kh, c, (kw + b - 1) // b, b, oh, wide, n)
    calls: Calls = [by_weight(t.T, dy, dcols), partial(out.fill, 0)]
    for shift in range(taps.shape[2]):
        for i in range(kh):
            part = out[:, :, i : i + (oh - 1) * down + 1 : down, shift : shift + wide]
            calls.append(partial(np.add, part, taps[i, :, shift], out=part))
    return calls


def toeplitz(w: np.ndarray, b: int, out: np.ndarray) -> Calls:
    """(F, C, KH, KW) -> (F*B, KH*C*(KW+B-1)): block row i holds the weight shifted by i."""
    f, c, kh, kw = w.shape
    rows = out.reshape(f, b, kh, c, kw + b - 1)
    taps = w.transpose(0, 2, 1, 3)
    shifted = [partial(np.copyto, rows[:, i, :, :, i : i + kw], taps) for i in range(b)]
    return [partial(rows.fill, 0), *shifted]


def filter_planes(dy: np.ndarray, cols: np.ndarray, out: np.ndarray, work: np.ndarray) -> Calls:
    """The gradient of the weight from planes of dy and columns: that of its Toeplitz matrix, whose
    B copies of the weight are added.
    """
    f, c, kh, kw = out.shape
    b = dy.shape[1]
    product, made = outer(dy.reshape(f * b, -1), cols, 1, work)
    taps = made.reshape(kh, c, kw + b - 1, f, b).transpose(4, 3, 1, 0, 2)
    first, *more = [taps[i, :, :, :, i : i + kw] for i in range(b)]
    added = [partial(np.add, out, part, out=out) for part in more]
    return [*product, partial(np.copyto, out, first), *added]


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


class PlaneColumns(_Step):
    """Padded planes -> columns (KH*C*(KW+B-1), OH*OW/B*N)."""

    moves = True
    win: Any

    def check(self) -> None:
        self.normalise(win=Window(*self.win))

    def infer(self, planes: Spec) -> Spec:
        (kh, kw), (oh, ow), b = self.win.kernel, self.win.out, planes.shape[1]
        shape = (planes.shape[0] * kh * (kw + b - 1), oh * (ow // b) * planes.shape[-1])
        return Spec(shape, planes.dtype)

    def calls(self, planes: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return plane_columns(planes, self.win, out)


class Toeplitz(_Step):
    """A weight (F, C, KH, KW) as the matrix of the blocked GEMM."""

    moves = True
    b: int

    def infer(self, w: Spec) -> Spec:
        f, c, kh, kw = w.shape
        return Spec((f * self.b, c * kh * (kw + self.b - 1)), w.dtype)

    def calls(self, w: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return toeplitz(w, self.b, out)


class PlaneGemm(_Step):
    """Toeplitz matrix @ columns, as planes of the output."""

    planes_shape: Any

    def infer(self, t: Spec, cols: Spec) -> Spec:
        return Spec(self.planes_shape, cols.dtype)

    def flops(self, t: Spec, cols: Spec) -> int:
        return 2 * t.shape[0] * cols.size

    def calls(self, t: np.ndarray, cols: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        if out.flags.c_contiguous:
            return [by_weight(t, cols, out.reshape(t.shape[0], -1))]
        made = np.empty((t.shape[0], cols.shape[1]), out.dtype)
        return [by_weight(t, cols, made), partial(np.copyto, out, made.reshape(out.shape))]


class PlaneFilterGemm(_Step):
    """dy planes @ columns.T, folded to the gradient (F, C, KH, KW) of the weight."""

    filter_size: Any

    def infer(self, dy: Spec, cols: Spec) -> Spec:
        return Spec(self.filter_size, dy.dtype)

    def flops(self, dy: Spec, cols: Spec) -> int:
        return 2 * dy.shape[0] * dy.shape[1] * cols.size

    def scratch(self, dy: Spec, cols: Spec) -> tuple[Spec]:
        shape = outer_scratch(dy.shape[0] * dy.shape[1], *cols.shape)
        return (Spec(shape, dy.dtype),)

    def calls(self, dy: np.ndarray, cols: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return dense(lambda dy: filter_planes(dy, cols, out, work[0]), dy)


class PlaneInput(_Step):
    """Toeplitz matrix.T @ dy planes, added back to the padded planes of the input.

    Shape: matrix (F*B, KH*C*(KW+B-1)), dy (F, B, OH, OW/B, N) -> (C, B, H, W/B, N).
    """

    win: Any
    planes_shape: Any

    def check(self) -> None:
        self.normalise(win=Window(*self.win))

    def infer(self, t: Spec, dy: Spec) -> Spec:
        return Spec(self.planes_shape, dy.dtype)

    def flops(self, t: Spec, dy: Spec) -> int:
        return 2 * t.shape[1] * dy.size

    def scratch(self, t: Spec, dy: Spec) -> tuple[Spec]:
        return (Spec((t.shape[1], dy.size // t.shape[0]), dy.dtype),)

    def calls(self, t: np.ndarray, dy: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        rows = t.shape[0]
        return dense(lambda dy: input_planes(t, dy.reshape(rows, -1), self.win, out, work[0]), dy)


# -- 2x2 pooling of planes -------------------------------------------------------------------------


def _corners(x: Any) -> tuple[Any, Any, Any, Any]:
    """The four elements of each 2x2 window, in row-major order, as (C, B/2, H/2, W/B, N)."""
    rows = x[:, :, 0::2], x[:, :, 1::2]
    return rows[0][:, 0::2], rows[0][:, 1::2], rows[1][:, 0::2], rows[1][:, 1::2]


class PlanePool(_Step):
    """The maximum of each 2x2 window: planes (C, B, H, W, N) -> (C, B/2, H/2, W, N)."""

    chooses = short_calls = True

    def infer(self, x: Spec) -> Spec:
        c, b, h, w, n = x.shape
        return Spec((c, b // 2, h // 2, w, n), x.dtype)

    def rowwise(self, x: np.ndarray, *, out: np.ndarray) -> tuple[int, int]:
        return 0, 0

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        a, b, c, d = _corners(x)
        return [partial(np.maximum, one, two, out=out) for one, two in ((a, b), (out, c), (out, d))]


class PlanePoolGrad(_Step):
    """dy sent to the first maximum of each 2x2 window of x, whose maximum is y."""

    chooses = short_calls = True

    def infer(self, x: Spec, y: Spec, dy: Spec) -> Spec:
        return Spec(x.shape, dy.dtype)

    def rowwise(self, x: np.ndarray, *given: np.ndarray, out: np.ndarray) -> tuple[int, ...]:
        return 0, 0, 0, 0

    def scratch(self, x: Spec, y: Spec, dy: Spec) -> tuple[Spec, Spec]:
        mask = Spec(y.shape, np.dtype(bool))
        return mask, mask

    def calls(
        self, x: np.ndarray, y: np.ndarray, dy: np.ndarray, *, out: np.ndarray, work: Any
    ) -> Calls:
        free, hit = work
        calls: Calls = [partial(free.fill, True)]
        *corners, last = zip(_corners(x), _corners(out))
        for n, (corner, made) in enumerate(corners):
            calls.append(partial(np.equal, corner, y, out=hit))
            if n:
                calls.append(partial(np.logical_and, hit, free, out=hit))
            calls.append(partial(np.logical_xor, free, hit, out=free))
            calls.append(partial(np.multiply, bits(dy), hit, out=bits(made)))
        # the maximum is somewhere; a NaN, equal to nothing, is sent to the last
        return [*calls, partial(np.multiply, bits(dy), free, out=bits(last[1]))]


# -- what a convolution and its gradients are lowered to -------------------------------------------


def _columns_of_images(do: Steps, win: Window, b: int, x: int) -> int:
    return do(PlaneColumns(win), do(ToPlanes(b, win), x))


class InPlanes(NamedTuple):
    """Blocked columns of planes, and one GEMM."""

    win: Window
    b: int

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """(x, w) -> the output."""
        do, (x, w) = Steps(2), (0, 1)
        n, f, oh, ow = out_shape
        cols = _columns_of_images(do, self.win, self.b, x)
        gemm = PlaneGemm((f, self.b, oh, ow // self.b, n))
        do(FromPlanes(), do(gemm, do(Toeplitz(self.b), w), cols))
        return do

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, w, size) -> the gradient of the input."""
        do, (dy, w) = Steps(3), (0, 1)
        shape = (size[1], self.b, self.win.padded[0], self.win.padded[1] // self.b, size[0])
        back = do(PlaneInput(self.win, shape), do(Toeplitz(self.b), w), do(ToPlanes(self.b), dy))
        do(FromPlanes(self.win if self.win.padded != self.win.size else None), back)
        return do

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, x, size) -> the gradient of the weight."""
        do, (dy, x) = Steps(3), (0, 1)
        cols = _columns_of_images(do, self.win, self.b, x)
        do(PlaneFilterGemm(size), do(ToPlanes(self.b), dy), cols)
        return do
