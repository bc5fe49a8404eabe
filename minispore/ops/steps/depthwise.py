"""The steps of a convolution with one filter per channel: tap by tap, without columns.

A GEMM of one row is not worth its columns. All arrays are (C, *spatial, N).

At stride 1 a padded image is one *run*, its rows one behind the other: a tap moves where the run
begins, and nothing else. Outputs are as long as padded rows then, and their ends are for nobody.
Both gradients read one padded dy: that of the input is the same sum with the taps turned round,
that of the weight is the product of two runs, where dy is zero beyond its rows. Runs are thousands
of elements, rows of an image a few.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.kernels.steps import Steps
from minispore.core.layout import BATCH_LAST
from minispore.core.value import Spec
from minispore.ops.steps.columns import PadBatchLast, _Step, spread
from minispore.ops.steps.window import Window, batch_last

_SLICE_BYTES = 256 << 10  # channels of this size stay in the cache of a core while taps are added


def _channels(a: np.ndarray) -> Iterator[slice]:
    """Some channels at a time: each is on its own."""
    step = max(1, len(a) * _SLICE_BYTES // max(a.nbytes, 1))
    return (slice(i, i + step) for i in range(0, len(a), step))


def _dense(a: np.ndarray) -> np.ndarray:
    """``a`` as (C, *spatial, N), contiguous: a copy is cheaper than to jump for each tap."""
    return np.ascontiguousarray(batch_last(spread(a)))


def _runs(xp: np.ndarray, kernel: tuple[int, ...], dilation: tuple[int, ...]) -> np.ndarray:
    """View xp (C, *padded, N), contiguous, as (C, *kernel, L): the run that each tap meets."""
    whole = xp.reshape(len(xp), math.prod(xp.shape[1:]))
    moves = [math.prod(xp.shape[i + 2 :]) * d for i, d in enumerate(dilation)]
    length = whole.shape[1] - sum(m * (k - 1) for m, k in zip(moves, kernel, strict=True))
    steps = [n * xp.itemsize for n in (*moves, 1)]
    return as_strided(whole, (len(xp), *kernel, length), (whole.strides[0], *steps))


def _correlated(xp: np.ndarray, w: np.ndarray, dilation: tuple[int, ...], out: np.ndarray) -> None:
    """All taps at stride 1 in one pass: xp (C, *padded, N), w (C, *kernel) -> out (C, *out, N)."""
    runs, rank = _runs(xp, w.shape[1:], dilation), w.ndim - 1
    held = np.empty(xp.shape, xp.dtype)
    taps = list(range(1, rank + 1))
    made = held.reshape(len(xp), math.prod(xp.shape[1:]))[:, : runs.shape[-1]]
    np.einsum(runs, [0, *taps, rank + 1], w, [0, *taps], [0, rank + 1], out=made)
    np.copyto(out, held[(slice(None), *map(slice, out.shape[1:-1]))])


def _tap(w: np.ndarray, at: tuple[int, ...], ndim: int) -> np.ndarray:
    where: Any = (slice(None), 0, *at)
    return w[where].reshape(-1, *(1,) * (ndim - 1))


class DepthwiseTaps(_Step):
    """The sum over taps of padded input (C, *padded, N) times weight (C, 1, *kernel).

    ``turned``: the taps are turned round.
    """

    win: Any
    turned: bool = False
    layout = BATCH_LAST

    def check(self) -> None:
        self.normalise(win=Window(*self.win))

    def infer(self, xp: Spec, w: Spec) -> Spec:
        return Spec((xp.shape[-1], xp.shape[0], *self.win.out), xp.dtype)

    def rowwise(self, xp: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> tuple[int, int, int]:
        return 0, 0, 1

    def kernel(self, xp: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> None:
        dense = batch_last(out)
        if self.turned:
            w = np.flip(w, tuple(range(2, w.ndim)))
        if _is_run(self.win):
            _correlated(np.ascontiguousarray(xp), w[:, 0], self.win.dilation, dense)
            return
        for some in _channels(dense):
            held = np.zeros(dense[some].shape, out.dtype)
            term = np.empty_like(held)
            for at, where in self.win.taps():
                held += np.multiply(xp[(some, *where)], _tap(w[some], at, xp.ndim), out=term)
            np.copyto(dense[some], held)

    def flops(self, xp: Spec, w: Spec) -> int:
        return 2 * self.infer(xp, w).size * w.size // w.shape[0]


class DepthwiseInput(_Step):
    """The gradient (N, C, *size) of the input."""

    win: Any
    layout = BATCH_LAST

    def check(self) -> None:
        self.normalise(win=Window(*self.win))

    def infer(self, dy: Spec, w: Spec) -> Spec:
        return Spec((*dy.shape[:2], *self.win.size), dy.dtype)

    def rowwise(self, dy: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> tuple[int, int, int]:
        return 1, 0, 1

    def kernel(self, dy: np.ndarray, w: np.ndarray, *, out: np.ndarray) -> None:
        dyt = _dense(dy)
        dxp = np.zeros((dyt.shape[0], *self.win.padded, dyt.shape[-1]), dy.dtype)
        for some in _channels(dyt):
            term = np.empty(dyt[some].shape, dy.dtype)
            for at, where in self.win.taps():
                dxp[(some, *where)] += np.multiply(dyt[some], _tap(w[some], at, dy.ndim), out=term)
        np.copyto(batch_last(out), dxp[(slice(None), *self.win.interior)])

    def flops(self, dy: Spec, w: Spec) -> int:
        return 2 * dy.size * w.size // w.shape[0]


class DepthwiseFilter(_Step):
    """The gradient (C, 1, *kernel) of the weight from dy and the padded input."""

    win: Any

    def check(self) -> None:
        self.normalise(win=Window(*self.win))

    def infer(self, dy: Spec, xp: Spec) -> Spec:
        return Spec((dy.shape[1], 1, *self.win.kernel), dy.dtype)

    def rowwise(self, dy: np.ndarray, xp: np.ndarray, *, out: np.ndarray) -> tuple[int, int, int]:
        return 1, 0, 0

    def kernel(self, dy: np.ndarray, xp: np.ndarray, *, out: np.ndarray) -> None:
        dyt = _dense(dy)
        axes = list(range(dy.ndim))
        for at, where in self.win.taps():
            place: Any = (slice(None), 0, *at)
            np.einsum(xp[(slice(None), *where)], axes, dyt, axes, axes[:1], out=out[place])

    def flops(self, dy: Spec, xp: Spec) -> int:
        return 2 * dy.size * self.infer(dy, xp).size // dy.shape[1]


class DepthwiseProducts(_Step):
    """The gradient (C, 1, *kernel) of the weight from two runs: padded dy and the padded input.

    ``placed`` says where in its padding dy lies; rows of both are equally long.
    """

    win: Any
    placed: Any

    def check(self) -> None:
        self.normalise(win=Window(*self.win), placed=Window(*self.placed))

    def infer(self, dyp: Spec, xp: Spec) -> Spec:
        return Spec((xp.shape[0], 1, *self.win.kernel), xp.dtype)

    def kernel(self, dyp: np.ndarray, xp: np.ndarray, *, out: np.ndarray) -> None:
        runs = _runs(np.ascontiguousarray(xp), self.win.kernel, self.win.dilation)
        once = (1,) * len(self.win.kernel)
        whole = _runs(np.ascontiguousarray(dyp), once, self.win.dilation)
        first = sum(low * math.prod(dyp.shape[i + 2 :]) for i, low in enumerate(self.placed.low))
        dy = whole[..., first : first + runs.shape[-1], None]
        np.matmul(runs[..., None, :], dy, out=out[:, 0, ..., None, None])

    def flops(self, dyp: Spec, xp: Spec) -> int:
        return 2 * xp.shape[0] * xp.shape[-1] * math.prod((*self.win.out, *self.win.kernel))


# -- what a depthwise convolution and its gradients are lowered to ---------------------------------


def _is_run(win: Window) -> bool:
    return set(win.stride) == {1}


def _behind(win: Window) -> Window:
    """dy with zeros behind it, in as much room as the padded input takes."""
    high = tuple(a - b for a, b in zip(win.padded, win.out, strict=True))
    return Window(win.out, win.kernel, win.stride, win.dilation, (0,) * len(high), high, win.out)


class TapByTap(NamedTuple):
    """One filter per channel, tap by tap."""

    win: Window

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """(x, w) -> the output."""
        do, (x, w) = Steps(2), (0, 1)
        do(DepthwiseTaps(self.win), do(PadBatchLast(self.win), x), w)
        return do

    def turned(self) -> Window | None:
        """The window over dy by whose turned taps the input's gradient is made, if there is one."""
        win = self.win
        reach = [(k - 1) * d for k, d in zip(win.kernel, win.dilation, strict=True)]
        low, high = (
            tuple(r - a for r, a in zip(reach, pads, strict=True)) for pads in (win.low, win.high)
        )
        if not _is_run(win) or min((*low, *high)) < 0:
            return None
        return Window(win.out, win.kernel, win.stride, win.dilation, low, high, win.size)

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, w, size) -> the gradient of the input."""
        do, (dy, w) = Steps(3), (0, 1)
        turned = self.turned()
        if turned is None:
            do(DepthwiseInput(self.win), dy, w)
        else:
            do(DepthwiseTaps(turned, True), do(PadBatchLast(turned), dy), w)
        return do

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, x, size) -> the gradient of the weight."""
        do, (dy, x), win = Steps(3), (0, 1), self.win
        xp = do(PadBatchLast(win), x)
        if not _is_run(win):
            do(DepthwiseFilter(win), dy, xp)
            return do
        placed = self.turned()
        if placed is None or placed.padded != win.padded:
            placed = _behind(win)
        do(DepthwiseProducts(win, placed), do(PadBatchLast(placed), dy), xp)
        return do
