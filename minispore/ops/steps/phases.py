"""The gradient of the input of a strided convolution, without columns: phase by phase.

With stride s an input element meets only those taps of the kernel whose place, taken modulo s, is
its own: every s-th row and column, one *phase* of the input, is a convolution of ``dy`` by those
taps. Its rows lie one behind the other, with the columns that the taps meet beside each other, so
the GEMM of a row of the phase reads them through an overlapping view, and adds up the taps::

    weight (C, A*B*F) @ rows (I, A*B*F, J*N) -> (I, C, J*N)

for I x J elements and A x B taps. By columns the same products are made, one row for each tap, and
then added tap by tap. That moves all of them twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.kernels.blas import SMALL
from minispore.core.kernels.steps import Steps
from minispore.core.layout import BATCH_LAST, copied
from minispore.core.primitive import Calls
from minispore.core.threads.tiles import Rows
from minispore.core.value import Spec
from minispore.ops.steps.columns import ByColumns, Flat, _Step, dense, spread
from minispore.ops.steps.window import Window, batch_last, in_range

_LEAST_LENGTH = 32  # elements of a row, down to which it is cut for small products


class _Phase(NamedTuple):
    """Every s-th element of an axis of the input, from ``at`` on."""

    at: int
    size: int  # how many they are
    taps: range  # of the kernel, in the order in which elements of dy meet them
    first: int  # the element of dy that the first of them meets for element 0


def _phases(win: Window, axis: int) -> Iterator[_Phase]:
    """The phases of a spatial axis."""
    size, kernel, stride, low = (a[axis] for a in (win.size, win.kernel, win.stride, win.low))
    for at in range(stride):
        taps = range((at + low) % stride, kernel, stride)[::-1]
        first = (at + low - taps[0]) // stride if taps else 0
        yield _Phase(at, len(range(at, size, stride)), taps, first)


class PhaseInput(_Step):
    """dy (F, OH*OW*N), weight (F, C, KH, KW) -> the gradient of the input (N, C, H, W)."""

    win: Any
    layout = BATCH_LAST

    def check(self) -> None:
        self.normalise(win=Window(*self.win))

    def infer(self, dy: Spec, w: Spec) -> Spec:
        return Spec((self.count_of(dy), w.shape[1], *self.win.size), dy.dtype)

    def count_of(self, dy: Any) -> int:
        """Of how many images dy is."""
        count: int = dy.shape[1] // math.prod(self.win.out)
        return count

    def flops(self, dy: Spec, w: Spec) -> int:
        return 2 * w.size * dy.shape[1]

    def rowwise(self, dy: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> tuple[Rows, ...]:
        return None, 1, 1

    def scratch(self, dy: Spec, w: Spec) -> tuple[Spec, ...]:
        n, (f, c) = self.count_of(dy), w.shape[:2]
        rows, columns = (list(_phases(self.win, axis)) for axis in (0, 1))
        low, high = _reach(rows)
        size = max((high - low) * len(p.taps) * f * p.size * n for p in columns)
        taps = max(len(p.taps) for p in rows) * max(len(p.taps) for p in columns)
        made = rows[0].size * c * columns[0].size * n
        sizes = size, c * taps * f, made
        return Spec((c, *w.shape[2:], f), w.dtype), *[Spec((size,), dy.dtype) for size in sizes]

    def calls(self, dy: np.ndarray, w: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return dense(lambda dy: self._calls(dy, w, out, work), dy)

    def _calls(self, dy: np.ndarray, w: np.ndarray, out: np.ndarray, work: Any) -> Calls:
        dx, (turned, held, weights, made) = batch_last(out), work
        n, (f, c), (down, right) = self.count_of(dy), w.shape[:2], self.win.stride
        given = dy.reshape(f, *self.win.out, n)
        rows, columns = ([p for p in _phases(self.win, i) if p.taps and p.size] for i in (0, 1))
        low, high = _reach(rows)
        calls: Calls = [partial(_turn, w, turned)]
        if len(rows) * len(columns) < down * right:
            calls.append(partial(dx.fill, 0))
        for column in columns:
            shape = (high - low, len(column.taps), f, column.size, n)
            met = held[: math.prod(shape)].reshape(shape)
            calls += _shifted(given, met, low, column.first)
            for row in rows:
                taps = turned[:, _slice(row.taps), _slice(column.taps)]
                by = weights[: taps.size].reshape(taps.shape)
                product = made[: row.size * c * column.size * n].reshape(row.size, c, -1, n)
                place = dx[:, row.at :: down, column.at :: right]
                calls += [
                    partial(np.copyto, by, taps),
                    _product(by.reshape(c, -1), met[row.first - low :], product),
                    copied(place, product.swapaxes(0, 1)),
                ]
        return calls


def _product(w: np.ndarray, met: np.ndarray, out: np.ndarray) -> partial[Any]:
    """w (C, K) @ rows that overlap in met (rows, B, F, J, N), of K J N elements each, bound: out
    (I, C, J, N).
    """
    (count, c, *columns), k = out.shape, w.shape[1]
    length = math.prod(columns)
    cut = _cut(c * k * length, length)
    part, step = length // cut, met.itemsize
    strides = met.strides[0], part * step, length * step, step
    seen = as_strided(met, (count, cut, k, part), strides)
    return partial(np.matmul, w, seen, out=out.reshape(count, c, cut, part).swapaxes(1, 2))


def _turn(w: np.ndarray, out: np.ndarray) -> None:
    """Copy a weight (F, C, KH, KW) to (C, KH, KW, F)."""
    np.copyto(out, spread(np.ascontiguousarray(w)).transpose(1, 2, 3, 0))


def _reach(rows: list[_Phase]) -> tuple[int, int]:
    """From which row of dy to which one phases reach."""
    low = min(p.first for p in rows if p.taps)
    return low, max(p.first + p.size - 1 + len(p.taps) for p in rows if p.taps)


def _slice(taps: range) -> slice:
    """The taps, from the last one to the first."""
    return slice(taps[0], taps[-1] - 1 if taps[-1] else None, taps.step)


def _cut(size: int, length: int) -> int:
    """Into how many parts rows of ``length`` are cut for products of ``size``."""
    for cut in range(1, length // _LEAST_LENGTH + 1):
        if length % cut == 0 and size <= cut * SMALL:
            return cut
    return 1


def _shifted(dy: np.ndarray, out: np.ndarray, low: int, first: int) -> Calls:
    """Copy dy (F, OH, OW, N) to out (rows, B, F, J, N): from row ``low`` on, and for tap b from
    column ``first + b`` on; 0 where there is none.
    """
    _, oh, ow, _ = dy.shape
    rows, taps, _, count, _ = out.shape
    here, there = in_range(low, 1, rows, oh)
    calls: Calls = [partial(out[: here.start].fill, 0), partial(out[here.stop :].fill, 0)]
    by_row = dy.swapaxes(0, 1)
    for b in range(taps):
        now, then = in_range(first + b, 1, count, ow)
        made = out[here, b]
        calls += [
            partial(made[:, :, : now.start].fill, 0),
            partial(made[:, :, now.stop :].fill, 0),
            partial(np.copyto, made[:, :, now], by_row[there, :, then]),
        ]
    return calls


class InPhases(NamedTuple):
    """As by columns, but the gradient of the input phase by phase."""

    win: Window

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """(x, w) -> the output."""
        return ByColumns(self.win, 1).forward(out_shape)

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, w, size) -> the gradient of the input."""
        do, (dy, w) = Steps(3), (0, 1)
        do(PhaseInput(self.win), do(Flat(), dy), w)
        return do

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, x, size) -> the gradient of the weight."""
        return ByColumns(self.win, 1).weight_gradient(size)
