"""Depthwise convolution: one filter per channel, without columns.

A GEMM with a single row does not repay the copy to columns. All copies are made for a few channels
at a time, which stay in a core's cache.

A few output rows are computed as one small product of a *band* matrix and the image rows that they
need. The band holds a shifted copy of the filter for each output row, and zeros elsewhere. Each row
of the image is copied once for each of the KW taps along it, shifted by that tap::

    band (B, M*KW) @ rows (M*KW, OW*N) -> (B, OW*N),  M = S*(B-1) + D*(KH-1) + 1

For B = 4, a filter of three rows a, b, c (of KW taps each), stride and dilation 1, M is 6::

    output row 0:   | a b c . . . |     image row 0
    output row 1:   | . a b c . . |     image row 1
    output row 2:   | . . a b c . |  @  ...
    output row 3:   | . . . a b c |     image row 5

With B = 4 and a filter of three rows, that doubles the multiplications, but is many times faster
than adding tap by tap. The gradient of the input is the same product, of dy and the reversed
filter. For a stride s its columns are computed *phase* by phase: every s-th column together.

The gradient of the weight is computed from *runs*. A run is a padded image, or one of its phases,
flattened. A tap only shifts the start of the run. The dot product of a shifted run and the run of
dy, which is zero beyond its rows, is one element of the gradient.
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
from minispore.ops.steps.window import Window, clip_range, move_batch_last

_SLICE_BYTES = 512 << 10  # channels of this total size stay in a core's cache
_ROWS = 4  # output rows in one product: more mean more zeros, fewer mean more products


class _Phase(NamedTuple):
    """Every s-th element of an axis.

    Attributes:
        start: the first element.
        taps: the indices in the kernel of the taps that touch these elements.
        first_elements: for each tap, the index of the element that contributes to ``start``, in the
            array that the tap multiplies; it may be out of range, in the padding.
    """

    start: int
    taps: tuple[int, ...]
    first_elements: tuple[int, ...]


def _make_output_phase(win: Window, axis: int) -> _Phase:
    """Return all outputs along a spatial axis as one phase, with all taps of the kernel.

    Neighbouring outputs read input elements a stride apart.
    """
    d, low, taps = win.dilation[axis], win.low[axis], tuple(range(win.kernel[axis]))
    return _Phase(0, taps, tuple(k * d - low for k in taps))


@cache
def _make_input_phases(win: Window, axis: int) -> list[_Phase]:
    """Return the phases of the unpadded input along a spatial axis; neighbours in a phase read
    neighbours in dy.

    There is one for each start below the stride; it has no taps if no window covers its elements.
    """
    s, d, low, kernel = (a[axis] for a in (win.stride, win.dilation, win.low, win.kernel))
    taps = [tuple(k for k in range(kernel) if (start + low - k * d) % s == 0) for start in range(s)]
    return [
        _Phase(start, phase_taps, tuple((start + low - k * d) // s for k in phase_taps))
        for start, phase_taps in enumerate(taps)
    ]


@cache
def _make_padded_phases(win: Window, axis: int) -> list[_Phase]:
    """Return the phases of the padded input along a spatial axis that at least one tap touches.

    Here ``first_elements`` are indices within the phase: the element that each tap of the first
    output reads.
    """
    s, d, kernel = (a[axis] for a in (win.stride, win.dilation, win.kernel))
    taps = [tuple(k for k in range(kernel) if k * d % s == start) for start in range(s)]
    return [
        _Phase(start, phase_taps, tuple(k * d // s for k in phase_taps))
        for start, phase_taps in enumerate(taps)
        if phase_taps
    ]


def _add_row_axis(win: Window, *arrays: np.ndarray) -> tuple[Any, ...]:
    """Return the window and the arrays (C, *sizes, N) or (C, *kernel), with a row axis of length 1
    added if the window is 1-d.
    """
    if len(win.size) > 1:
        return win, *arrays
    window_2d = Window(*[(i, *a) for i, a in zip((1, 1, 1, 1, 0, 0, 1), win, strict=True)])
    return window_2d, *[a[:, None] for a in arrays]


def _slice_channels(count: int, nbytes: int) -> list[slice]:
    """Cut ``count`` channels of ``nbytes`` each into slices that fit into a core's cache."""
    step = max(1, min(count, _SLICE_BYTES // max(nbytes, 1)))
    return [slice(i, min(i + step, count)) for i in range(0, count, step)]


# -- in bands --------------------------------------------------------------------------------------


class _BandLayout(NamedTuple):
    """The layout of the band matrix: which image rows are multiplied for a block of output rows.

    Attributes:
        rows: the number of output rows in a block.
        width: the number of image rows that a block reads.
        shift: the distance from the first image row of a block to that of the next.
        first: the first image row of the first block; negative if it is in the padding.
        nonzeros: for each output row: the row, the slice of the ``width`` image rows, and the slice
            of filter rows that multiply them.
    """

    rows: int
    width: int
    shift: int
    first: int
    nonzeros: tuple[tuple[int, slice, slice], ...]

    def make_matrix(self, w: np.ndarray, columns: Sequence[_Phase]) -> np.ndarray:
        """Return the band matrix (C, 1, B, M*taps) of the filters w (C, *kernel), with only the
        taps of the phases ``columns``.
        """
        tap_rows = w[:, :, *[_make_slice(c.taps) for c in columns]].reshape(*w.shape[:2], -1)
        band = np.zeros((len(w), self.rows, self.width, tap_rows.shape[2]), w.dtype)
        for row, rows_met, taps in self.nonzeros:
            band[:, row, rows_met] = tap_rows[:, taps]
        return band.reshape(len(w), 1, self.rows, -1)


@cache
def _make_band_layout(win: Window, is_input_gradient: bool = False) -> _BandLayout:
    """Return the band layout of the forward pass, or of the input gradient, whose rows read rows of
    dy.

    A block has ``_ROWS`` output rows; for the input gradient, that rounded up to a multiple of the
    stride, so that all blocks start in the same phase.
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
    nonzeros = [
        (row, _make_slice([m - first for m in rows_met]), _make_slice(taps))
        for row, rows_met, taps in rows_of_output
    ]
    return _BandLayout(count, width, shift, first, tuple(nonzeros))


def _multiply_bands(
    bands: _BandLayout,
    source: np.ndarray,
    w: np.ndarray,
    columns: Sequence[_Phase],
    steps: Sequence[int],
    out: np.ndarray,
) -> None:
    """Write the depthwise convolution of ``source`` by ``w`` to ``out``, a few channels at a time.

    Args:
        bands: the layout of the band matrix.
        source: the input (C, H, *sizes, N).
        w: the filters (C, *kernel).
        columns: for each axis after H, the taps of ``w`` and the elements of ``source`` that they
            multiply.
        steps: for each of these axes, the distance in ``source`` between the elements that
            neighbours in ``out`` read.
        out: the result (C, OH, *outs, N); it may be strided.
    """
    (channel_count, height, *outs, n), itemsize = out.shape, source.itemsize
    length, taps = math.prod(outs) * n, math.prod(len(c.taps) for c in columns)
    full_blocks, blocks = height // bands.rows, -(-height // bands.rows)
    rows = (blocks - 1) * bands.shift + bands.width
    slices = _slice_channels(channel_count, rows * taps * length * itemsize)
    columns_buffer = np.zeros((slices[0].stop, rows, taps, *outs, n), source.dtype)
    target_rows, source_rows = clip_range(bands.first, 1, rows, source.shape[1])
    copies = []
    for tap, first_elements in enumerate(itertools.product(*[c.first_elements for c in columns])):
        ranges = map(clip_range, first_elements, steps, outs, source.shape[2:-1])
        target_columns, source_columns = zip(*ranges, strict=True)
        target = columns_buffer[:, target_rows, tap, *target_columns]
        copies.append((target, source[:, source_rows, *source_columns]))
    band = bands.make_matrix(w, columns)
    shape = (len(columns_buffer), blocks, band.shape[-1], length)
    channel_stride, row_stride, *_ = columns_buffer.strides
    strides = (channel_stride, row_stride * bands.shift, length * itemsize, itemsize)
    rows_of_blocks = as_strided(columns_buffer, shape, strides)  # overlapping where shift < width
    is_dense = out[0, 0].flags.c_contiguous
    buffer = None if is_dense else np.empty((len(columns_buffer), height, length), out.dtype)
    for channels in slices:
        c = channels.stop - channels.start
        for target, columns_met in copies:
            np.copyto(target[:c], columns_met[channels])
        product = out[channels].reshape(c, height, length) if buffer is None else buffer[:c]
        if full_blocks:
            rows_in_blocks = product[:, : full_blocks * bands.rows]
            block_products = rows_in_blocks.reshape(c, full_blocks, bands.rows, length)
            np.matmul(band[channels], rows_of_blocks[:c, :full_blocks], out=block_products)
        if full_blocks < blocks:  # the last block has fewer rows
            edge = product[:, full_blocks * bands.rows :]
            np.matmul(band[channels, 0, : edge.shape[1]], rows_of_blocks[:c, full_blocks], out=edge)
        if buffer is not None:
            np.copyto(out[channels], product.reshape(out[channels].shape))


# -- in runs ---------------------------------------------------------------------------------------


class _ChannelFrame:
    """A zero-padded buffer that holds a few channels at a time of an array (C, *sizes, N).

    The last slice may have fewer channels. The rest of the buffer then keeps earlier channels,
    which are not used.

    Args:
        a: the array.
        low: the number of zeros before the array along each axis.
        size: the lengths of the axes with zeros.
        slices: the slices of channels that will be loaded.
    """

    def __init__(
        self, a: np.ndarray, low: Sequence[int], size: Sequence[int], slices: list[slice]
    ) -> None:
        """Make the buffer of zeros for the largest slice; no channels are loaded yet."""
        self.array = np.zeros((slices[0].stop, *size, a.shape[-1]), a.dtype)
        ranges = [clip_range(-b, 1, n, m) for b, n, m in zip(low, size, a.shape[1:-1], strict=True)]
        target_ranges, source_ranges = zip(*ranges, strict=True)
        self._target, self._source = self.array[:, *target_ranges], a[:, *source_ranges]

    def load(self, channels: slice) -> None:
        """Copy these channels of the array into the buffer, between its zeros."""
        np.copyto(self._target[: channels.stop - channels.start], self._source[channels])


def _view_runs(a: np.ndarray, phases: Sequence[_Phase], length: int) -> np.ndarray:
    """View a contiguous array (C, *sizes, N) as (C, *taps, length): for each tap, the ``length``
    elements from the first that it reads, flattened.

    The views of taps overlap.
    """
    offset, steps = 0, []  # in elements
    for axis, phase in enumerate(phases, 1):
        axis_stride = math.prod(a.shape[axis + 1 :])
        offset += phase.first_elements[0] * axis_stride
        steps.append(_compute_common_step(phase.first_elements) * axis_stride)
    shape = (len(a), *[len(p.taps) for p in phases], length)
    flat = a.reshape(len(a), -1)
    strides = (flat.strides[0], *[s * a.itemsize for s in (*steps, 1)])
    return as_strided(flat[:, offset:], shape, strides)


def _compute_common_step(indices: Sequence[int]) -> int:
    """Return the distance between neighbours of equally spaced indices; 1 for a single index."""
    return indices[1] - indices[0] if len(indices) > 1 else 1


def _make_slice(indices: Sequence[int]) -> slice:
    """Return the slice of equally spaced indices, which may be in descending order."""
    step = _compute_common_step(indices)
    end = indices[-1] + step
    return slice(indices[0], None if end < 0 else end, step)


def _copy_phase(
    a: np.ndarray, phases: Sequence[_Phase], stride: Sequence[int]
) -> tuple[np.ndarray, Calls]:
    """Return a contiguous array for the elements of (C, *sizes, N) in one phase of each axis, and
    the calls that fill it.

    Returns:
        A view and no calls if it is contiguous; else a new array and the call that fills it.
    """
    view = a[:, *[slice(p.start, None, s) for p, s in zip(phases, stride, strict=True)]]
    if view.flags.c_contiguous:
        return view, []
    copy = np.empty(view.shape, a.dtype)
    return copy, [make_copy_call(copy, view)]


# -- the steps -------------------------------------------------------------------------------------


def _choose_dense_output(out: np.ndarray) -> np.ndarray:
    """Return a contiguous (C, *size, N) array for an output (N, C, *size): a view if possible, else
    a new array.
    """
    view = move_batch_last(out)
    return view if view.flags.c_contiguous else np.empty(view.shape, out.dtype)


def _copy_to_output(result: np.ndarray, out: np.ndarray) -> None:
    """Copy ``result`` (C, *size, N) to ``out`` (N, C, *size), unless it is a view of that."""
    if not np.may_share_memory(result, out):
        make_copy_call(move_batch_last(out), result)()


class _Depthwise(PrefersBatchLast, _Step):
    """Base of the three depthwise steps, which process each channel separately."""

    win: Any
    layout = BATCH_LAST
    work_split = WorkSplit(short_calls=True)

    def check(self) -> None:
        """Store ``win``, which may be a plain tuple, as a :class:`Window`."""
        self.normalise(win=Window(*self.win))


class DepthwiseTaps(_Depthwise):
    """Sums images (N, C, *size) times weight (C, 1, *kernel) over the taps of each channel."""

    def rowwise(self, x: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> tuple[int, ...]:
        """Return the axes of channels of x, w and the output: channels are independent."""
        return 1, 0, 1

    def infer(self, x: Spec, w: Spec) -> Spec:
        """Return the spec (N, C, *out) of the output."""
        return Spec((*x.shape[:2], *self.win.out), x.dtype)

    def kernel(self, x: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> None:
        """Multiply a band matrix of the filters by image rows; all outputs are one phase."""
        dense_out = _choose_dense_output(out)
        win, source, taps, target = _add_row_axis(
            self.win, move_batch_last(avoid_cache_conflicts(x)), w[:, 0], dense_out
        )
        columns = [_make_output_phase(win, i) for i in range(1, len(win.size))]
        _multiply_bands(_make_band_layout(win), source, taps, columns, win.stride[1:], target)
        _copy_to_output(dense_out, out)

    def flops(self, x: Spec, w: Spec) -> int:
        return 2 * self.infer(x, w).size * w.size // w.shape[0]


class DepthwiseInput(_Depthwise):
    """Computes the gradient (N, C, *size) of the input from dy and the weight, phase by phase."""

    def rowwise(self, dy: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> tuple[int, ...]:
        """Return the axes of channels of dy, w and the output: channels are independent."""
        return 1, 0, 1

    def infer(self, dy: Spec, w: Spec) -> Spec:
        """Return the spec (N, C, *size) of the gradient of the input."""
        return Spec((*dy.shape[:2], *self.win.size), dy.dtype)

    def kernel(self, dy: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> None:
        """Multiply a band matrix of the filters by rows of dy, for each phase of input columns."""
        dense_out = _choose_dense_output(out)
        win, source, taps, target = _add_row_axis(
            self.win, move_batch_last(avoid_cache_conflicts(dy)), w[:, 0], dense_out
        )
        column_axes, stride = range(1, len(win.size)), win.stride[1:]
        for columns in itertools.product(*[_make_input_phases(win, i) for i in column_axes]):
            index = [slice(c.start, None, s) for c, s in zip(columns, stride, strict=True)]
            phase = target[:, :, *index]
            if not all(c.taps for c in columns):
                phase.fill(0)
            elif phase.size:
                bands = _make_band_layout(win, is_input_gradient=True)
                _multiply_bands(bands, source, taps, columns, (1,) * len(index), phase)
        _copy_to_output(dense_out, out)

    def flops(self, dy: Spec, w: Spec) -> int:
        return 2 * dy.size * w.size // w.shape[0]


class DepthwiseFilter(_Depthwise):
    """Computes the gradient (C, 1, *kernel) of the weight from dy and the images (N, C, *size)."""

    layout = ROW_MAJOR

    def rowwise(self, dy: np.ndarray, x: np.ndarray, *, out: np.ndarray) -> tuple[int, ...]:
        """Return the axes of channels of dy, x and the output: channels are independent."""
        return 1, 1, 0

    def infer(self, dy: Spec, x: Spec) -> Spec:
        """Return the spec (C, 1, *kernel) of the gradient of the weight."""
        return Spec((dy.shape[1], 1, *self.win.kernel), dy.dtype)

    def kernel(self, dy: np.ndarray, x: np.ndarray, *, out: np.ndarray) -> None:
        """Set each element of the gradient to the dot product of a run of the padded images and the
        run of dy.

        A few channels are processed at a time.
        """
        win, (stride, rank) = self.win, (self.win.stride, len(self.win.size))
        source, dyt = (move_batch_last(avoid_cache_conflicts(a)) for a in (x, dy))
        # All phases are as large as the padded frame of dy; runs end at the last element of dy.
        size = [-(-n // s) for n, s in zip(win.padded, stride, strict=True)]
        padded_size = [n * s for n, s in zip(size, stride, strict=True)]
        last_element = sum((n - 1) * math.prod(size[i + 1 :]) for i, n in enumerate(win.out))
        length = (last_element + 1) * len(x)
        slices = _slice_channels(len(source), math.prod(padded_size) * len(x) * x.itemsize)
        images = _ChannelFrame(source, win.low, padded_size, slices)
        dy_frame = _ChannelFrame(dyt, (0,) * rank, size, slices)
        dy_run = dy_frame.array.reshape(len(dy_frame.array), *(1,) * rank, -1, 1)[..., :length, :]
        gradients = np.empty((len(dy_run), *win.kernel), out.dtype)
        products: Calls = []
        for phases in itertools.product(*[_make_padded_phases(win, i) for i in range(rank)]):
            phase_images, copies = _copy_phase(images.array, phases, stride)
            taps = [_make_slice(p.taps) for p in phases]
            tap_runs = _view_runs(phase_images, phases, length)[..., None, :]
            dot = partial(np.matmul, tap_runs, dy_run, out=gradients[:, *taps, None, None])
            products += [*copies, dot]
        for channels in slices:
            images.load(channels)
            dy_frame.load(channels)
            for call in products:
                call()
            np.copyto(out[channels, 0], gradients[: channels.stop - channels.start])

    def flops(self, dy: Spec, x: Spec) -> int:
        return 2 * dy.size * self.infer(dy, x).size // dy.shape[1]


# -- the lowering ----------------------------------------------------------------------------------


class DepthwiseLowering(NamedTuple):
    """Lowers a convolution with one filter per channel to products with band matrices, without
    columns.

    The forward pass and the gradient of the input are products of a small band matrix and image
    rows, B = 4 output rows at a time; the gradient of the weight is products of runs. See the
    module for formulas, shapes and a picture. Each of the three is one primitive. It processes
    slices of channels that fit into a core's cache.

    Args:
        win: the windows.
    """

    win: Window

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """Return the steps that compute the output from (x, w); ``out_shape`` is not used."""
        steps, (x, w) = Steps(2), (0, 1)
        steps.add(DepthwiseTaps(self.win), x, w)
        return steps

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the input from (dy, w, size).

        The argument ``size`` is not used: the windows determine it.
        """
        steps, (dy, w) = Steps(3), (0, 1)
        steps.add(DepthwiseInput(self.win), dy, w)
        return steps

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the weight from (dy, x, size).

        The argument ``size`` is not used: the windows determine it.
        """
        steps, (dy, x) = Steps(3), (0, 1)
        steps.add(DepthwiseFilter(self.win), dy, x)
        return steps
