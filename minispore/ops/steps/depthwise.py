"""Depthwise convolution: one filter per channel, without columns.

A GEMM of one row is not worth its columns. All copies are made for a few channels at a time, which
stay in the cache of a core.

Some rows of outputs are one small product, of a *band* and the rows of the image that they meet.
The band holds the filter once for each output row, shifted, and zeros elsewhere. Each row of the
image is there once for each tap along it, shifted by that tap::

    band (B, M*KW) @ rows (M*KW, OW*N) -> (B, OW*N),  M = S*(B-1) + D*(KH-1) + 1

For B = 4, a filter of three rows a, b, c (of KW taps each), stride and dilation 1, M is 6::

    output row 0:   | a b c . . . |     image row 0
    output row 1:   | . a b c . . |     image row 1
    output row 2:   | . . a b c . |  @  ...
    output row 3:   | . . . a b c |     image row 5

With B = 4 that is twice the multiplications of a filter of three rows, but many times as fast as
sums tap by tap. The gradient of the input is the same, of dy with the filter reversed. Where
windows lie s apart its columns are made *phase* by phase: every s-th of them together.

The gradient of the weight is made of *runs*: a padded image is one run, its rows one after the
other, and so is each of its phases. A tap shifts the begin of the run, and nothing else. The
product with the run of dy, which is zero beyond its rows, is one number of the gradient.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.primitive import Calls, WorkSplit
from minispore.execution.layout import BATCH_LAST, ROW_MAJOR, PrefersBatchLast, make_copy_call
from minispore.ir.operator import Steps
from minispore.ir.value import Spec
from minispore.ops.steps.columns import _Step, avoid_cache_conflicts
from minispore.ops.steps.window import Window, batch_last, clip_range

_SLICE_BYTES = 512 << 10  # channels of this size together stay in the cache of a core
_ROWS = 4  # rows of outputs in one product: more mean more zeros, fewer mean more products


class _Phase(NamedTuple):
    """Every s-th element of an axis.

    Attributes:
        start: the first element.
        taps: the taps that meet these elements.
        first_elements: for each tap the element on the other side that it meets for the first one.
    """

    start: int
    taps: tuple[int, ...]
    first_elements: tuple[int, ...]


def _make_output_phase(win: Window, axis: int) -> _Phase:
    """Return all outputs as one phase; neighbours meet input elements that are a stride apart."""
    d, low, taps = win.dilation[axis], win.low[axis], tuple(range(win.kernel[axis]))
    return _Phase(0, taps, tuple(k * d - low for k in taps))


@cache
def _make_input_phases(win: Window, axis: int) -> list[_Phase]:
    """Return the phases of the unpadded input; neighbours of a phase meet neighbours in dy."""
    s, d, low, kernel = (a[axis] for a in (win.stride, win.dilation, win.low, win.kernel))
    taps = [tuple(k for k in range(kernel) if (start + low - k * d) % s == 0) for start in range(s)]
    return [
        _Phase(start, phase_taps, tuple((start + low - k * d) // s for k in phase_taps))
        for start, phase_taps in enumerate(taps)
    ]


@cache
def _make_padded_phases(win: Window, axis: int) -> list[_Phase]:
    """Return the phases of the padded input that any tap meets.

    ``first_elements`` are here the elements of the phase before that which the first output meets.
    """
    s, d, kernel = (a[axis] for a in (win.stride, win.dilation, win.kernel))
    taps = [tuple(k for k in range(kernel) if k * d % s == start) for start in range(s)]
    return [
        _Phase(start, phase_taps, tuple(k * d // s for k in phase_taps))
        for start, phase_taps in enumerate(taps)
        if phase_taps
    ]


def _add_row_axis(win: Window, *arrays: np.ndarray) -> tuple[Any, ...]:
    """Return the window and arrays (C, *sizes, N) or (C, *kernel), one-dimensional ones with a row
    axis added.
    """
    if len(win.size) > 1:
        return win, *arrays
    window_2d = Window(*[(i, *a) for i, a in zip((1, 1, 1, 1, 0, 0, 1), win, strict=True)])
    return window_2d, *[a[:, None] for a in arrays]


def _slice_channels(count: int, nbytes: int) -> list[slice]:
    """Return slices of channels of ``nbytes`` each, as many at a time as fit into the cache."""
    step = max(1, min(count, _SLICE_BYTES // max(nbytes, 1)))
    return [slice(i, min(i + step, count)) for i in range(0, count, step)]


# -- in bands --------------------------------------------------------------------------------------


class _BandLayout(NamedTuple):
    """The form of the band matrix: which rows of the image the rows of a product meet.

    Attributes:
        rows: the number of rows that are computed together.
        width: the number of rows that they meet.
        shift: the distance from the first of these to the first that the next product meets.
        first: the first row that the first product meets; it may lie before the image.
        places: (computed row, rows that it meets, rows of the filter) for each computed row.
    """

    rows: int
    width: int
    shift: int
    first: int
    places: tuple[tuple[int, slice, slice], ...]

    def make_matrix(self, w: np.ndarray, columns: Sequence[_Phase]) -> np.ndarray:
        """Return the band (C, 1, B, M*taps) of w (C, *kernel), with its taps in these columns."""
        tap_rows = w[:, :, *[_make_slice(c.taps) for c in columns]].reshape(*w.shape[:2], -1)
        band = np.zeros((len(w), self.rows, self.width, tap_rows.shape[2]), w.dtype)
        for row, rows_met, taps in self.places:
            band[:, row, rows_met] = tap_rows[:, taps]
        return band.reshape(len(w), 1, self.rows, -1)


@cache
def _make_band_layout(win: Window, is_input_gradient: bool = False) -> _BandLayout:
    """Return the band layout of the outputs, or of the rows of the input's gradient, which meet
    rows of dy.
    """
    s = win.stride[0]
    if is_input_gradient:
        count, shift = -(-_ROWS // s) * s, -(-_ROWS // s)
        phases = [(row, row // s, _make_input_phases(win, 0)[row % s]) for row in range(count)]
    else:
        count, shift = _ROWS, _ROWS * s
        phases = [(row, row * s, _make_output_phase(win, 0)) for row in range(count)]
    rows_of_output = [
        (row, [base_row + f for f in p.first_elements], p.taps)
        for row, base_row, p in phases
        if p.taps
    ]
    first = min(min(rows_met) for _, rows_met, _ in rows_of_output)
    width = max(max(rows_met) for _, rows_met, _ in rows_of_output) - first + 1
    places = [
        (row, _make_slice([m - first for m in rows_met]), _make_slice(taps))
        for row, rows_met, taps in rows_of_output
    ]
    return _BandLayout(count, width, shift, first, tuple(places))


def _multiply_bands(
    bands: _BandLayout,
    source: np.ndarray,
    w: np.ndarray,
    columns: Sequence[_Phase],
    steps: Sequence[int],
    out: np.ndarray,
) -> None:
    """Compute all rows of some columns of a depthwise convolution, a few channels at a time.

    Args:
        bands: the form of the band.
        source: the input (C, H, *sizes, N).
        w: the filters (C, *kernel).
        columns: for each column axis the taps of ``w`` and the elements of ``source`` that they
            meet.
        steps: the distance in ``source`` of the elements that neighbours of ``out`` meet.
        out: the result (C, OH, *outs, N).
    """
    (count, height, *outs, n), size = out.shape, source.itemsize
    length, taps = math.prod(outs) * n, math.prod(len(c.taps) for c in columns)
    full_blocks, blocks = height // bands.rows, -(-height // bands.rows)
    rows = (blocks - 1) * bands.shift + bands.width
    slices = _slice_channels(count, rows * taps * length * size)
    columns_buffer = np.zeros((slices[0].stop, rows, taps, *outs, n), source.dtype)
    target_rows, source_rows = clip_range(bands.first, 1, rows, source.shape[1])
    copies = []
    for tap, first_elements in enumerate(itertools.product(*[c.first_elements for c in columns])):
        ranges = [
            clip_range(*a)
            for a in zip(first_elements, steps, outs, source.shape[2:-1], strict=True)
        ]
        target_index, source_part = zip(*ranges, strict=True)
        copies.append(
            (
                columns_buffer[:, target_rows, tap, *target_index],
                source[:, source_rows, *source_part],
            )
        )
    band = bands.make_matrix(w, columns)
    shape = (len(columns_buffer), blocks, band.shape[-1], length)
    channel_stride, row_stride, *_ = columns_buffer.strides
    rows_of_blocks = as_strided(
        columns_buffer, shape, (channel_stride, row_stride * bands.shift, length * size, size)
    )
    is_dense = out[0, 0].flags.c_contiguous
    buffer = None if is_dense else np.empty((len(columns_buffer), height, length), out.dtype)
    for channels in slices:
        c = channels.stop - channels.start
        for target, source_part in copies:
            np.copyto(target[:c], source_part[channels])
        product = out[channels].reshape(c, height, length) if buffer is None else buffer[:c]
        if full_blocks:
            first = product[:, : full_blocks * bands.rows].reshape(
                c, full_blocks, bands.rows, length
            )
            np.matmul(band[channels], rows_of_blocks[:c, :full_blocks], out=first)
        if full_blocks < blocks:
            last = product[:, full_blocks * bands.rows :]
            np.matmul(band[channels, 0, : last.shape[1]], rows_of_blocks[:c, full_blocks], out=last)
        if buffer is not None:
            np.copyto(out[channels], product.reshape(out[channels].shape))


# -- in runs ---------------------------------------------------------------------------------------


class _ChannelFrame:
    """A buffer for some channels at a time of an array (C, *sizes, N), with zeros around them.

    The last slice may have fewer channels: the rest of the buffer then keeps earlier ones, which
    are not used.

    Args:
        a: the array.
        low: the number of zeros before it along each axis.
        size: the lengths of the axes with zeros.
        slices: the slices of channels that will be loaded.
    """

    def __init__(
        self, a: np.ndarray, low: Sequence[int], size: Sequence[int], slices: list[slice]
    ) -> None:
        self.array = np.zeros((slices[0].stop, *size, a.shape[-1]), a.dtype)
        ranges = [clip_range(-b, 1, n, m) for b, n, m in zip(low, size, a.shape[1:-1], strict=True)]
        target_ranges, source_ranges = zip(*ranges, strict=True)
        self._target, self._source = self.array[:, *target_ranges], a[:, *source_ranges]

    def load(self, channels: slice) -> None:
        """Copy these channels into the buffer."""
        np.copyto(self._target[: channels.stop - channels.start], self._source[channels])


def _view_runs(a: np.ndarray, phases: Sequence[_Phase], length: int) -> np.ndarray:
    """View a contiguous array (C, *sizes, N) as (C, *taps, length): the run that each tap meets."""
    elements_per_step = [math.prod(a.shape[i + 2 :]) for i in range(len(phases))]
    offset = sum(p.first_elements[0] * e for p, e in zip(phases, elements_per_step, strict=True))
    steps = [
        _find_common_step(p.first_elements) * e
        for p, e in zip(phases, elements_per_step, strict=True)
    ]
    shape = (len(a), *[len(p.taps) for p in phases], length)
    flat = a.reshape(len(a), -1)
    return as_strided(
        flat[:, offset:], shape, (flat.strides[0], *[s * a.itemsize for s in (*steps, 1)])
    )


def _find_common_step(indices: Sequence[int]) -> int:
    """Return the distance of successive indices, which is the same for all; 1 for a single
    index.
    """
    return indices[1] - indices[0] if len(indices) > 1 else 1


def _make_slice(indices: Sequence[int]) -> slice:
    """Return the slice of equally distant indices, in ascending or descending order."""
    end = indices[-1] + (step := _find_common_step(indices))
    return slice(indices[0], None if end < 0 else end, step)


def _copy_phase(
    a: np.ndarray, phases: Sequence[_Phase], stride: Sequence[int]
) -> tuple[np.ndarray, Calls]:
    """Return the elements of an array (C, *sizes, N) that belong to some phases, contiguous.

    Returns:
        A view and no calls if it is contiguous; else a new array and the call that copies them.
    """
    view = a[:, *[slice(p.start, None, s) for p, s in zip(phases, stride, strict=True)]]
    if view.flags.c_contiguous:
        return view, []
    copy = np.empty(view.shape, a.dtype)
    return copy, [make_copy_call(copy, view)]


# -- the steps -------------------------------------------------------------------------------------


def _choose_dense_output(out: np.ndarray) -> np.ndarray:
    """Return (C, *size, N) memory for an output (N, C, *size): a view of it if contiguous, else a
    new array.
    """
    view = batch_last(out)
    return view if view.flags.c_contiguous else np.empty(view.shape, out.dtype)


def _copy_to_output(result: np.ndarray, out: np.ndarray) -> None:
    """Copy ``result`` to ``out``, unless it is a view of that."""
    if not np.may_share_memory(result, out):
        make_copy_call(batch_last(out), result)()


class _Depthwise(PrefersBatchLast, _Step):
    """A step over windows, on each channel separately."""

    win: Any
    layout = BATCH_LAST
    work_split = WorkSplit(short_calls=True)

    def check(self) -> None:
        self.normalise(win=Window(*self.win))


class DepthwiseTaps(_Depthwise):
    """Sums images (N, C, *size) times weight (C, 1, *kernel) over the taps of each channel."""

    def rowwise(self, x: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> tuple[int, ...]:
        return 1, 0, 1

    def infer(self, x: Spec, w: Spec) -> Spec:
        return Spec((*x.shape[:2], *self.win.out), x.dtype)

    def kernel(self, x: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> None:
        dense_out = _choose_dense_output(out)
        win, source, taps, target = _add_row_axis(
            self.win, batch_last(avoid_cache_conflicts(x)), w[:, 0], dense_out
        )
        columns = [_make_output_phase(win, i) for i in range(1, len(win.size))]
        _multiply_bands(_make_band_layout(win), source, taps, columns, win.stride[1:], target)
        _copy_to_output(dense_out, out)

    def flops(self, x: Spec, w: Spec) -> int:
        return 2 * self.infer(x, w).size * w.size // w.shape[0]


class DepthwiseInput(_Depthwise):
    """Computes the gradient (N, C, *size) of the input from dy and the weight, phase by phase."""

    def rowwise(self, dy: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> tuple[int, ...]:
        return 1, 0, 1

    def infer(self, dy: Spec, w: Spec) -> Spec:
        return Spec((*dy.shape[:2], *self.win.size), dy.dtype)

    def kernel(self, dy: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> None:
        dense_out = _choose_dense_output(out)
        win, source, taps, target = _add_row_axis(
            self.win, batch_last(avoid_cache_conflicts(dy)), w[:, 0], dense_out
        )
        column_axes, stride = range(1, len(win.size)), win.stride[1:]
        for columns in itertools.product(*[_make_input_phases(win, i) for i in column_axes]):
            index = [slice(c.start, None, s) for c, s in zip(columns, stride, strict=True)]
            phase = target[:, :, *index]
            if not all(c.taps for c in columns):
                phase.fill(0)
            elif phase.size:
                _multiply_bands(
                    _make_band_layout(win, is_input_gradient=True),
                    source,
                    taps,
                    columns,
                    (1,) * len(index),
                    phase,
                )
        _copy_to_output(dense_out, out)

    def flops(self, dy: Spec, w: Spec) -> int:
        return 2 * dy.size * w.size // w.shape[0]


class DepthwiseFilter(_Depthwise):
    """Computes the gradient (C, 1, *kernel) of the weight from dy and the images (N, C, *size)."""

    layout = ROW_MAJOR

    def rowwise(self, dy: np.ndarray, x: np.ndarray, *, out: np.ndarray) -> tuple[int, ...]:
        return 1, 1, 0

    def infer(self, dy: Spec, x: Spec) -> Spec:
        return Spec((dy.shape[1], 1, *self.win.kernel), dy.dtype)

    def kernel(self, dy: np.ndarray, x: np.ndarray, *, out: np.ndarray) -> None:
        win, source, dyt = (
            self.win,
            batch_last(avoid_cache_conflicts(x)),
            batch_last(avoid_cache_conflicts(dy)),
        )
        stride, axes = win.stride, range(len(win.size))
        # All phases have one size, and the frame of dy too; runs end at the last element of dy.
        size = [-(-n // s) for n, s in zip(win.padded, stride, strict=True)]
        padded_size = [n * s for n, s in zip(size, stride, strict=True)]
        ends = [(n - 1) * math.prod(size[i + 1 :]) for i, n in enumerate(win.out)]
        length = (sum(ends) + 1) * len(x)
        slices = _slice_channels(len(source), math.prod(padded_size) * len(x) * x.itemsize)
        images, dy_frame = (
            _ChannelFrame(a, low, frame_size, slices)
            for a, low, frame_size in (
                (source, win.low, padded_size),
                (dyt, (0,) * len(size), size),
            )
        )
        dy_run = dy_frame.array.reshape(len(dy_frame.array), *(1,) * len(size), -1, 1)[
            ..., :length, :
        ]
        gradients = np.empty((len(dy_run), *win.kernel), out.dtype)
        products: Calls = []
        for phases in itertools.product(*[_make_padded_phases(win, i) for i in axes]):
            part, copies = _copy_phase(images.array, phases, stride)
            taps = [_make_slice(p.taps) for p in phases]
            tap_runs = _view_runs(part, phases, length)[..., None, :]
            products += [
                *copies,
                partial(np.matmul, tap_runs, dy_run, out=gradients[:, *taps, None, None]),
            ]
        for channels in slices:
            images.load(channels)
            dy_frame.load(channels)
            for call in products:
                call()
            np.copyto(out[channels, 0], gradients[: channels.stop - channels.start])

    def flops(self, dy: Spec, x: Spec) -> int:
        return 2 * dy.size * self.infer(dy, x).size // dy.shape[1]


# -- what a depthwise convolution and its gradients are lowered to ---------------------------------


class DepthwiseLowering(NamedTuple):
    """Lowers a convolution with one filter per channel to products of bands, without columns.

    The forward pass and the gradient of the input are products of a small band matrix and image
    rows, B = 4 output rows at a time; the gradient of the weight is products of runs. See the
    module for formulas, shapes and a picture. Each of the three is one primitive, which works on as
    many channels at a time as stay in the cache of a core.

    Args:
        win: the windows.
    """

    win: Window

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """Return the steps that compute the output from (x, w)."""
        do, (x, w) = Steps(2), (0, 1)
        do(DepthwiseTaps(self.win), x, w)
        return do

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the input from (dy, w, size)."""
        do, (dy, w) = Steps(3), (0, 1)
        do(DepthwiseInput(self.win), dy, w)
        return do

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the weight from (dy, x, size)."""
        do, (dy, x) = Steps(3), (0, 1)
        do(DepthwiseFilter(self.win), dy, x)
        return do
