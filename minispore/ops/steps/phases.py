"""The gradient of the input of a strided convolution, without columns: phase by phase.

With stride s, an input element is multiplied only by the taps whose position modulo s equals its
own position modulo s. The elements in every s-th row and column form one *phase* of the input. The
gradient of a phase is a convolution of ``dy`` with these taps. For stride 2, three taps and a
padding of 1 along one axis::

    element of x     0     1     2     3     4
    phase            0     1     0     1     0
    its taps         1    0,2    1    0,2    1

The rows of dy are contiguous, with the columns that the taps need side by side. The GEMM of one row
of the phase reads them through an overlapping view, and sums over the taps::

    weight (C, A*B*F) @ rows (I, A*B*F, J*N) -> (I, C, J*N)

for I x J elements and A x B taps. The lowering by columns computes the same products, one row for
each tap, but adds them tap by tap, which moves each product twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.primitive import Calls
from minispore.execution.kernels.blas import SMALL_PRODUCT_MULTIPLY_ADDS
from minispore.execution.layout import BATCH_LAST, make_copy_call
from minispore.ir.operator import Rows, Steps
from minispore.ir.value import Spec
from minispore.ops.steps.columns import (
    ColumnLowering,
    Flat,
    _Step,
    avoid_cache_conflicts,
    bind_contiguous,
)
from minispore.ops.steps.window import Window, clip_range, move_batch_last

_LEAST_LENGTH = 32  # a part of a row has at least this many elements


class _Phase(NamedTuple):
    """Every s-th element of an axis of the input, from ``start`` on."""

    start: int
    size: int  # the number of elements
    taps: range  # the taps, in the order of the elements of dy that they multiply
    first_element: int  # the element of dy that the first tap multiplies for element 0 of the phase


def _iterate_phases(win: Window, axis: int) -> Iterator[_Phase]:
    """Yield the phases of the input along a spatial axis, one for each start below the stride; a
    phase may have no taps or no elements.
    """
    size, kernel, stride, low = (a[axis] for a in (win.size, win.kernel, win.stride, win.low))
    for start in range(stride):
        taps = range((start + low) % stride, kernel, stride)[::-1]
        first_element = (start + low - taps[0]) // stride if taps else 0
        yield _Phase(start, len(range(start, size, stride)), taps, first_element)


class PhaseInput(_Step):
    """Computes the input gradient (N, C, H, W) from dy (F, OH*OW*N) and a weight (F, C, KH, KW)."""

    win: Any
    layout = BATCH_LAST

    def check(self) -> None:
        """Store ``win``, which may be a plain tuple, as a :class:`Window`."""
        self.normalise(win=Window(*self.win))

    def infer(self, dy: Spec, w: Spec) -> Spec:
        """Return the spec (N, C, H, W) of the input gradient."""
        return Spec((self.count_images(dy), w.shape[1], *self.win.size), dy.dtype)

    def count_images(self, dy: Any) -> int:
        """Return the number N of images in ``dy`` (F, OH*OW*N)."""
        count: int = dy.shape[1] // math.prod(self.win.out)
        return count

    def flops(self, dy: Spec, w: Spec) -> int:
        return 2 * w.size * dy.shape[1]

    def rowwise(self, dy: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> tuple[Rows, ...]:
        """Return the row axes: None for dy, which is needed entirely, and the input channels of w
        and the output.
        """
        return None, 1, 1

    def scratch(self, dy: Spec, w: Spec) -> tuple[Spec, ...]:
        """Return specs of scratch buffers: the weight as (C, KH, KW, F), and flat ones for columns
        of dy, the taps of a phase and a product.
        """
        n, (f, c) = self.count_images(dy), w.shape[:2]
        rows, columns = (list(_iterate_phases(self.win, axis)) for axis in (0, 1))
        low, high = _find_row_range(rows)
        columns_size = max((high - low) * len(p.taps) * f * p.size * n for p in columns)
        taps = max(len(p.taps) for p in rows) * max(len(p.taps) for p in columns)
        product_size = rows[0].size * c * columns[0].size * n
        sizes = columns_size, c * taps * f, product_size
        channel_weight = Spec((c, *w.shape[2:], f), w.dtype)
        columns_buffer, tap_weights, product_buffer = [Spec((size,), dy.dtype) for size in sizes]
        return channel_weight, columns_buffer, tap_weights, product_buffer

    def calls(self, dy: np.ndarray, w: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the calls that compute the gradient, after a copy of ``dy`` if it is not
        contiguous.
        """
        return bind_contiguous(lambda dy: self._emit_calls(dy, w, out, work), dy)

    def _emit_calls(self, dy: np.ndarray, w: np.ndarray, out: np.ndarray, work: Any) -> Calls:
        """Return the calls for dense ``dy``: a copy for each column phase, then a GEMM for each row
        phase.

        Elements of the gradient that no tap touches are set to 0.
        """
        dx, (channel_weight, columns_buffer, tap_weights, product_buffer) = (
            move_batch_last(out),
            work,
        )
        n, (f, c), (down, right) = self.count_images(dy), w.shape[:2], self.win.stride
        images = dy.reshape(f, *self.win.out, n)
        rows, columns = (
            [p for p in _iterate_phases(self.win, i) if p.taps and p.size] for i in (0, 1)
        )
        low, high = _find_row_range(rows)
        calls: Calls = [partial(_transpose_weight, w, channel_weight)]
        if len(rows) * len(columns) < down * right:
            calls.append(partial(dx.fill, 0))
        for column in columns:
            shape = (high - low, len(column.taps), f, column.size, n)
            columns_met = columns_buffer[: math.prod(shape)].reshape(shape)
            calls += _copy_shifted(images, columns_met, low, column.first_element)
            for row in rows:
                taps = channel_weight[:, _make_tap_slice(row.taps), _make_tap_slice(column.taps)]
                weight = tap_weights[: taps.size].reshape(taps.shape)
                product = product_buffer[: row.size * c * column.size * n].reshape(
                    row.size, c, -1, n
                )
                target = dx[:, row.start :: down, column.start :: right]
                calls += [
                    partial(np.copyto, weight, taps),
                    _bind_product(
                        weight.reshape(c, -1), columns_met[row.first_element - low :], product
                    ),
                    make_copy_call(target, product.swapaxes(0, 1)),
                ]
        return calls


def _bind_product(w: np.ndarray, columns_met: np.ndarray, out: np.ndarray) -> partial[Any]:
    """Return the call that multiplies w (C, K) by overlapping rows into ``out`` (I, C, J, N).

    Row i of K x J*N elements begins at row i of ``columns_met`` (rows, B, F, J, N), and extends
    over the rows after it.
    """
    (row_count, c, *columns), k = out.shape, w.shape[1]
    length = math.prod(columns)
    part_count = _choose_part_count(c * k * length, length)
    part_length, step = length // part_count, columns_met.itemsize
    strides = columns_met.strides[0], part_length * step, length * step, step
    overlapping = as_strided(columns_met, (row_count, part_count, k, part_length), strides)
    return partial(
        np.matmul,
        w,
        overlapping,
        out=out.reshape(row_count, c, part_count, part_length).swapaxes(1, 2),
    )


def _transpose_weight(w: np.ndarray, out: np.ndarray) -> None:
    """Copy a weight (F, C, KH, KW) to (C, KH, KW, F)."""
    np.copyto(out, avoid_cache_conflicts(np.ascontiguousarray(w)).transpose(1, 2, 3, 0))


def _find_row_range(rows: list[_Phase]) -> tuple[int, int]:
    """Return the range of dy rows that the phases of the input rows read: the first, and one past
    the last.

    Either may lie outside dy. Phases without taps are skipped.
    """
    low = min(p.first_element for p in rows if p.taps)
    return low, max(p.first_element + p.size - 1 + len(p.taps) for p in rows if p.taps)


def _make_tap_slice(taps: range) -> slice:
    """Return the slice of the taps, from the last one to the first."""
    return slice(taps[0], taps[-1] - 1 if taps[-1] else None, taps.step)


def _choose_part_count(size: int, length: int) -> int:
    """Choose the number of parts to cut rows of ``length`` into, so that BLAS multiplies without a
    copy.

    Returns 1 if no number of parts allows that.

    Args:
        size: the multiply-adds of a product with uncut rows.
        length: the number of elements in a row.
    """
    for count in range(1, length // _LEAST_LENGTH + 1):
        if length % count == 0 and size <= count * SMALL_PRODUCT_MULTIPLY_ADDS:
            return count
    return 1


def _copy_shifted(dy: np.ndarray, out: np.ndarray, low: int, first_column: int) -> Calls:
    """Return the calls that copy dy (F, OH, OW, N) to ``out`` (rows, B, F, J, N), once for each tap
    b.

    Rows start at row ``low`` of dy, and the columns for tap b at column ``first_column + b``;
    elements outside dy are 0.
    """
    _, oh, ow, _ = dy.shape
    rows, taps, _, count, _ = out.shape
    target_rows, source_rows = clip_range(low, 1, rows, oh)
    calls: Calls = [
        partial(out[: target_rows.start].fill, 0),
        partial(out[target_rows.stop :].fill, 0),
    ]
    by_row = dy.swapaxes(0, 1)
    for tap in range(taps):
        target_columns, source_columns = clip_range(first_column + tap, 1, count, ow)
        target = out[target_rows, tap]
        calls += [
            partial(target[:, :, : target_columns.start].fill, 0),
            partial(target[:, :, target_columns.stop :].fill, 0),
            partial(
                np.copyto, target[:, :, target_columns], by_row[source_rows, :, source_columns]
            ),
        ]
    return calls


class PhaseLowering(NamedTuple):
    """Lowers a strided convolution by columns, but the gradient of its input phase by phase.

    Used for two-dimensional windows with a stride above 1 that still overlap. A phase of the input
    is every s-th row and column. Its elements share the same taps, so its gradient is a GEMM of
    those taps and rows of dy::

        weight (C, A*B*F) @ rows (I, A*B*F, J*N) -> (I, C, J*N)

    By columns, the same products are computed for each tap and then added, which moves each product
    twice. See the module for a picture of the phases.

    Args:
        win: the windows.
    """

    win: Window

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """Return the steps that compute the output, of shape ``out_shape``, from the arguments (x,
        w).
        """
        return ColumnLowering(self.win, 1).forward(out_shape)

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the input from (dy, w, size).

        The argument ``size`` is not used: the windows determine it.
        """
        steps, (dy, w) = Steps(3), (0, 1)
        steps.add(PhaseInput(self.win), steps.add(Flat(), dy), w)
        return steps

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the weight, of shape ``size``, from the
        arguments (dy, x, size).
        """
        return ColumnLowering(self.win, 1).weight_gradient(size)
