"""The steps of a convolution with one filter per channel, without columns.

A GEMM of one row is not worth its columns. All copies are made for a few channels at a time, which
stay in the cache of a core.

Some rows of outputs are one small product, of a *band* and the rows of the image that they meet.
The band holds the filter once for each row, at its place, and zeros elsewhere; each row of the
image stands there once for each tap along it, moved by that tap::

    band (B, M*KW) @ rows (M*KW, OW*N) -> (B, OW*N),  M = S*(B-1) + D*(KH-1) + 1

With B = 4 that is twice the multiplications of a filter of three rows, at many times the pace of
sums tap by tap. The gradient of the input is the same, of dy with the filter turned round. Where
windows lie s apart its columns are made *phase* by phase, every s-th of them together.

The gradient of the weight is made of *runs*: a padded image is one run, its rows one behind the
other, and so is each of its phases. A tap moves where the run begins, and nothing else. The product
with the run of dy, which is zero beyond its rows, is one number of the gradient.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.kernels.steps import Steps
from minispore.core.layout import BATCH_LAST, ROW_MAJOR, copied
from minispore.core.primitive import Calls
from minispore.core.value import Spec
from minispore.ops.steps.columns import _Step, spread
from minispore.ops.steps.window import Window, batch_last, in_range

_SLICE_BYTES = 512 << 10  # channels of this size stay in the cache of a core
_ROWS = 4  # of outputs in one product: more are more zeros, fewer are more products


class _Phase(NamedTuple):
    """Every s-th element of an axis, from ``at`` on; the taps that meet it, and for each of them
    the element on the other side that it meets for the first one.
    """

    at: int
    taps: tuple[int, ...]
    firsts: tuple[int, ...]


def _of_outputs(win: Window, axis: int) -> _Phase:
    """Outputs, which meet the input from these elements on, s apart."""
    d, low, taps = win.dilation[axis], win.low[axis], tuple(range(win.kernel[axis]))
    return _Phase(0, taps, tuple(k * d - low for k in taps))


@cache
def _of_input(win: Window, axis: int) -> list[_Phase]:
    """Elements of the input, which meet neighbours in dy."""
    s, d, low, kernel = (a[axis] for a in (win.stride, win.dilation, win.low, win.kernel))
    taps = [tuple(k for k in range(kernel) if (at + low - k * d) % s == 0) for at in range(s)]
    return [
        _Phase(at, some, tuple((at + low - k * d) // s for k in some))
        for at, some in enumerate(taps)
    ]


@cache
def _of_padded(win: Window, axis: int) -> list[_Phase]:
    """Elements of the padded input that some tap meets; how many elements of each phase are before
    that which the first output meets.
    """
    s, d, kernel = (a[axis] for a in (win.stride, win.dilation, win.kernel))
    taps = [tuple(k for k in range(kernel) if k * d % s == at) for at in range(s)]
    return [
        _Phase(at, some, tuple(k * d // s for k in some)) for at, some in enumerate(taps) if some
    ]


def _with_rows(win: Window, *arrays: np.ndarray) -> tuple[Any, ...]:
    """The window, and arrays (C, *sizes, N) or (C, *kernel) that it is for, with an axis of rows
    in front of a single one.
    """
    if len(win.size) > 1:
        return win, *arrays
    one = Window(*[(i, *a) for i, a in zip((1, 1, 1, 1, 0, 0, 1), win, strict=True)])
    return one, *[a[:, None] for a in arrays]


def _slices(count: int, nbytes: int) -> list[slice]:
    """Channels of so many bytes each, as many at a time as fit into the cache."""
    step = max(1, min(count, _SLICE_BYTES // max(nbytes, 1)))
    return [slice(i, min(i + step, count)) for i in range(0, count, step)]


# -- in bands --------------------------------------------------------------------------------------


class _Bands(NamedTuple):
    """How rows are made of those that they meet.

    Attributes:
        rows: how many are made together.
        width: rows that they meet.
        shift: from the first of these to the first that the next ones meet.
        first: the first row that the first ones meet; it may be before the image.
        places: row that is made, rows that it meets, and rows of the filter that do.
    """

    rows: int
    width: int
    shift: int
    first: int
    places: tuple[tuple[int, slice, slice], ...]

    def matrix(self, w: np.ndarray, columns: Sequence[_Phase]) -> np.ndarray:
        """The band (C, 1, B, M*taps) of w (C, *kernel), by its taps in these columns."""
        rows = w[:, :, *[_along(c.taps) for c in columns]].reshape(*w.shape[:2], -1)
        made = np.zeros((len(w), self.rows, self.width, rows.shape[2]), w.dtype)
        for row, met, taps in self.places:
            made[:, row, met] = rows[:, taps]
        return made.reshape(len(w), 1, self.rows, -1)


@cache
def _bands(win: Window, back: bool = False) -> _Bands:
    """Of the outputs; ``back``: of the input, by rows of dy."""
    s = win.stride[0]
    if back:
        count, shift = -(-_ROWS // s) * s, -(-_ROWS // s)
        phases = [(row, row // s, _of_input(win, 0)[row % s]) for row in range(count)]
    else:
        count, shift = _ROWS, _ROWS * s
        phases = [(row, row * s, _of_outputs(win, 0)) for row in range(count)]
    meet = [(row, [at + f for f in p.firsts], p.taps) for row, at, p in phases if p.taps]
    first = min(min(met) for _, met, _ in meet)
    width = max(max(met) for _, met, _ in meet) - first + 1
    places = [(row, _along([m - first for m in met]), _along(taps)) for row, met, taps in meet]
    return _Bands(count, width, shift, first, tuple(places))


def _by_bands(
    bands: _Bands,
    given: np.ndarray,
    w: np.ndarray,
    columns: Sequence[_Phase],
    steps: Sequence[int],
    out: np.ndarray,
) -> None:
    """All rows of some columns, ``out`` (C, OH, *outs, N), of ``given`` (C, H, *sizes, N).

    ``columns`` say which taps of w (C, *kernel) meet which of ``given``; neighbours of ``out`` meet
    such that are ``steps`` apart.
    """
    (count, height, *outs, n), size = out.shape, given.itemsize
    length, taps = math.prod(outs) * n, math.prod(len(c.taps) for c in columns)
    whole, blocks = height // bands.rows, -(-height // bands.rows)
    rows = (blocks - 1) * bands.shift + bands.width
    slices = _slices(count, rows * taps * length * size)
    held = np.zeros((slices[0].stop, rows, taps, *outs, n), given.dtype)
    here, there = in_range(bands.first, 1, rows, given.shape[1])
    copies = []
    for tap, firsts in enumerate(itertools.product(*[c.firsts for c in columns])):
        at = [in_range(*a) for a in zip(firsts, steps, outs, given.shape[2:-1], strict=True)]
        into, of = zip(*at, strict=True)
        copies.append((held[:, here, tap, *into], given[:, there, *of]))
    by = bands.matrix(w, columns)
    lie = (len(held), blocks, by.shape[-1], length)
    each, row, *_ = held.strides
    met = as_strided(held, lie, (each, row * bands.shift, length * size, size))
    dense = out[0, 0].flags.c_contiguous
    room = None if dense else np.empty((len(held), height, length), out.dtype)
    for some in slices:
        c = some.stop - some.start
        for place, of in copies:
            np.copyto(place[:c], of[some])
        made = out[some].reshape(c, height, length) if room is None else room[:c]
        if whole:
            first = made[:, : whole * bands.rows].reshape(c, whole, bands.rows, length)
            np.matmul(by[some], met[:c, :whole], out=first)
        if whole < blocks:
            last = made[:, whole * bands.rows :]
            np.matmul(by[some, 0, : last.shape[1]], met[:c, whole], out=last)
        if room is not None:
            np.copyto(out[some], made.reshape(out[some].shape))


# -- in runs ---------------------------------------------------------------------------------------


class _Frame:
    """Some channels at a time of a (C, *sizes, N), one after the other in one place, zeros around.

    The last ones may be fewer: what is behind them is of those before, and for nobody.
    """

    def __init__(
        self, a: np.ndarray, low: Sequence[int], size: Sequence[int], slices: list[slice]
    ) -> None:
        self.array = np.zeros((slices[0].stop, *size, a.shape[-1]), a.dtype)
        at = [in_range(-b, 1, n, m) for b, n, m in zip(low, size, a.shape[1:-1], strict=True)]
        here, there = zip(*at, strict=True)
        self._made, self._given = self.array[:, *here], a[:, *there]

    def load(self, some: slice) -> None:
        """Copy these channels."""
        np.copyto(self._made[: some.stop - some.start], self._given[some])


def _runs(a: np.ndarray, phases: Sequence[_Phase], length: int) -> np.ndarray:
    """View a (C, *sizes, N), contiguous, as (C, *taps, length): the run that each tap meets."""
    each = [math.prod(a.shape[i + 2 :]) for i in range(len(phases))]
    first = sum(p.firsts[0] * e for p, e in zip(phases, each, strict=True))
    steps = [_step(p.firsts) * e for p, e in zip(phases, each, strict=True)]
    shape = (len(a), *[len(p.taps) for p in phases], length)
    whole = a.reshape(len(a), -1)
    return as_strided(
        whole[:, first:], shape, (whole.strides[0], *[s * a.itemsize for s in (*steps, 1)])
    )


def _step(places: Sequence[int]) -> int:
    """How far apart places are: those of the taps of a phase are equally far."""
    return places[1] - places[0] if len(places) > 1 else 1


def _along(places: Sequence[int]) -> slice:
    """All of these places, which are equally far apart; the last may be the lowest."""
    end = places[-1] + (step := _step(places))
    return slice(places[0], None if end < 0 else end, step)


def _phase_of(
    a: np.ndarray, phases: Sequence[_Phase], stride: Sequence[int]
) -> tuple[np.ndarray, Calls]:
    """The elements of a (C, *sizes, N) that belong to some phases, contiguous, and what copies
    them, if they are not.
    """
    seen = a[:, *[slice(p.at, None, s) for p, s in zip(phases, stride, strict=True)]]
    if seen.flags.c_contiguous:
        return seen, []
    made = np.empty(seen.shape, a.dtype)
    return made, [copied(made, seen)]


# -- the steps -------------------------------------------------------------------------------------


def _dense(out: np.ndarray) -> np.ndarray:
    """Where (N, C, *size) is made as (C, *size, N): in itself, if it lies so."""
    last = batch_last(out)
    return last if last.flags.c_contiguous else np.empty(last.shape, out.dtype)


def _bring(made: np.ndarray, out: np.ndarray) -> None:
    """Copy what was made elsewhere."""
    if not np.may_share_memory(made, out):
        copied(batch_last(out), made)()


class _Depthwise(_Step):
    """Over a window, each channel on its own."""

    win: Any
    layout = BATCH_LAST
    reads = BATCH_LAST
    short_calls = True

    def check(self) -> None:
        self.normalise(win=Window(*self.win))


class DepthwiseTaps(_Depthwise):
    """The sum over taps of images (N, C, *size) times weight (C, 1, *kernel)."""

    def rowwise(self, x: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> tuple[int, ...]:
        return 1, 0, 1

    def infer(self, x: Spec, w: Spec) -> Spec:
        return Spec((*x.shape[:2], *self.win.out), x.dtype)

    def kernel(self, x: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> None:
        last = _dense(out)
        win, given, taps, made = _with_rows(self.win, batch_last(spread(x)), w[:, 0], last)
        columns = [_of_outputs(win, i) for i in range(1, len(win.size))]
        _by_bands(_bands(win), given, taps, columns, win.stride[1:], made)
        _bring(last, out)

    def flops(self, x: Spec, w: Spec) -> int:
        return 2 * self.infer(x, w).size * w.size // w.shape[0]


class DepthwiseInput(_Depthwise):
    """The gradient (N, C, *size) of the input."""

    def rowwise(self, dy: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> tuple[int, ...]:
        return 1, 0, 1

    def infer(self, dy: Spec, w: Spec) -> Spec:
        return Spec((*dy.shape[:2], *self.win.size), dy.dtype)

    def kernel(self, dy: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> None:
        last = _dense(out)
        win, given, taps, made = _with_rows(self.win, batch_last(spread(dy)), w[:, 0], last)
        behind, stride = range(1, len(win.size)), win.stride[1:]
        for columns in itertools.product(*[_of_input(win, i) for i in behind]):
            at = [slice(c.at, None, s) for c, s in zip(columns, stride, strict=True)]
            place = made[:, :, *at]
            if not all(c.taps for c in columns):
                place.fill(0)
            elif place.size:
                _by_bands(_bands(win, True), given, taps, columns, (1,) * len(at), place)
        _bring(last, out)

    def flops(self, dy: Spec, w: Spec) -> int:
        return 2 * dy.size * w.size // w.shape[0]


class DepthwiseFilter(_Depthwise):
    """The gradient (C, 1, *kernel) of the weight from dy and the images (N, C, *size)."""

    layout = ROW_MAJOR

    def rowwise(self, dy: np.ndarray, x: np.ndarray, *, out: np.ndarray) -> tuple[int, ...]:
        return 1, 1, 0

    def infer(self, dy: Spec, x: Spec) -> Spec:
        return Spec((dy.shape[1], 1, *self.win.kernel), dy.dtype)

    def kernel(self, dy: np.ndarray, x: np.ndarray, *, out: np.ndarray) -> None:
        win, given, dyt = self.win, batch_last(spread(x)), batch_last(spread(dy))
        stride, axes = win.stride, range(len(win.size))
        # Phases of one size; dy stands in as much room, and its last element is where runs end.
        size = [-(-n // s) for n, s in zip(win.padded, stride, strict=True)]
        whole = [n * s for n, s in zip(size, stride, strict=True)]
        ends = [(n - 1) * math.prod(size[i + 1 :]) for i, n in enumerate(win.out)]
        length = (sum(ends) + 1) * len(x)
        slices = _slices(len(given), math.prod(whole) * len(x) * x.itemsize)
        images, behind = (
            _Frame(a, low, room, slices)
            for a, low, room in ((given, win.low, whole), (dyt, (0,) * len(size), size))
        )
        run = behind.array.reshape(len(behind.array), *(1,) * len(size), -1, 1)[..., :length, :]
        made = np.empty((len(run), *win.kernel), out.dtype)
        products: Calls = []
        for phases in itertools.product(*[_of_padded(win, i) for i in axes]):
            part, copies = _phase_of(images.array, phases, stride)
            taps = [_along(p.taps) for p in phases]
            runs = _runs(part, phases, length)[..., None, :]
            products += [*copies, partial(np.matmul, runs, run, out=made[:, *taps, None, None])]
        for some in slices:
            images.load(some)
            behind.load(some)
            for call in products:
                call()
            np.copyto(out[some, 0], made[: some.stop - some.start])

    def flops(self, dy: Spec, x: Spec) -> int:
        return 2 * dy.size * self.infer(dy, x).size // dy.shape[1]


# -- what a depthwise convolution and its gradients are lowered to ---------------------------------


class InBands(NamedTuple):
    """One filter per channel, without columns."""

    win: Window

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """(x, w) -> the output."""
        do, (x, w) = Steps(2), (0, 1)
        do(DepthwiseTaps(self.win), x, w)
        return do

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, w, size) -> the gradient of the input."""
        do, (dy, w) = Steps(3), (0, 1)
        do(DepthwiseInput(self.win), dy, w)
        return do

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, x, size) -> the gradient of the weight."""
        do, (dy, x) = Steps(3), (0, 1)
        do(DepthwiseFilter(self.win), dy, x)
        return do
