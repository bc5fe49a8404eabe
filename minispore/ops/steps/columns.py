"""The steps that a convolution is made of: pad, columns, GEMM, columns back.

Arrays lie with the batch innermost (C, *spatial, N), so columns are copied in long contiguous runs.
Each step is a primitive, to which a convolution is lowered (:mod:`minispore.core.kernels.steps`):
in a graph forward and filter gradient then share their columns.

Shapes: ``K`` taps of the kernel, ``P = prod(out) * N`` positions::

    cols    (C*K, P)
    forward (F, C*K) @ (C*K, P) -> (F, P)
    filter  (F, P) @ (P, C*K)   -> (F, C*K)
    input   (C*K, F) @ (F, P)   -> (C*K, P), then every tap is added back to where it came from
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.kernels.steps import Steps
from minispore.core.layout import BATCH_LAST, copied
from minispore.core.primitive import Calls, Primitive
from minispore.core.value import Spec
from minispore.ops.steps.products import filter_calls, gemm, gemm_input, outer_scratch
from minispore.ops.steps.window import Window, batch_first, batch_last

# Images a whole number of pages apart share one set of the first cache, which has fewer lines than
# a batch has images; in a copy with a line between them each has its own. Of many elements it is
# quicker to turn them once, as a matrix, than to read all images side by side.
_PAGE, _LINE, _WAYS = 4096, 64, 8
_MANY = 1 << 16


def padded(x: np.ndarray, win: Window, out: np.ndarray) -> None:
    """Copy ``x`` (N, C, *size) into the dense (C, *padded, N) array ``out``."""
    if win.padded != win.size:
        for axis, (a, n, total) in enumerate(zip(win.low, win.size, win.padded), 1):
            edge: list[Any] = [slice(None)] * out.ndim
            for axis_slice in (slice(0, a), slice(a + n, total)):
                if axis_slice.start != axis_slice.stop:
                    edge[axis] = axis_slice
                    out[tuple(edge)] = 0
    np.copyto(out[(slice(None), *win.interior)], batch_last(spread(x)))


def crowded(x: np.ndarray) -> bool:
    """Whether images of ``x`` are in each other's way where they are read side by side."""
    return x.ndim > 0 and not x.strides[0] % _PAGE and len(x) > _WAYS and x.flags.c_contiguous


def spread(x: np.ndarray) -> np.ndarray:
    """``x``, or a copy of it whose images can be read side by side."""
    if x.size >= _MANY and len(x) > 1 and x.flags.c_contiguous:
        turned = batch_first(np.empty((*x.shape[1:], len(x)), x.dtype))
        copied(turned, x)()
        return turned
    if not crowded(x):
        return x
    n, size = len(x), x[0].size
    staged = np.empty((n, size + _LINE // x.itemsize), x.dtype)[:, :size]
    np.copyto(staged, x.reshape(n, size))
    return staged.reshape(x.shape)


def columns_view(xp: np.ndarray, win: Window) -> np.ndarray:
    """(C, *kernel, *out, N): every tap's view of the padded input, without a copy."""
    c, *spatial, n = xp.strides
    shape = (xp.shape[0], *win.kernel, *win.out, xp.shape[-1])
    strides = (
        c,
        *[s * d for s, d in zip(spatial, win.dilation)],
        *[s * t for s, t in zip(spatial, win.stride)],
        n,
    )
    return as_strided(xp, shape, strides)


def add_columns(dcols: np.ndarray, win: Window, out: np.ndarray) -> None:
    """Add (C*K, P) columns back to the padded (C, *padded, N) input they came
    from; overwrites ``out``.
    """
    taps = dcols.reshape(out.shape[0], *win.kernel, *win.out, out.shape[-1])
    if win.kernel == win.stride and win.tiles:
        for at, where in win.taps():
            out[(slice(None), *where)] = taps[(slice(None), *at)]
        return
    if max(win.stride) > 1:
        _add_phases(taps, win, out)
        return
    out.fill(0)
    for at, where in win.taps():
        part = out[(slice(None), *where)]
        np.add(part, taps[(slice(None), *at)], out=part)


def _add_phases(taps: np.ndarray, win: Window, out: np.ndarray) -> None:
    """Taps (C, *kernel, *out, N) added back where windows lie ``stride`` apart.

    What a tap meets is every ``stride``-th element: one of the phases of ``out``. Those that meet
    the same phase are added where its elements lie side by side, in long runs.
    """
    met: dict[tuple[int, ...], list[tuple[np.ndarray, Any]]] = {}
    for at, _ in win.taps():
        moved = [i * d for i, d in zip(at, win.dilation)]
        phase = tuple(m % s for m, s in zip(moved, win.stride))
        where = tuple(slice(m // s, m // s + o) for m, s, o in zip(moved, win.stride, win.out))
        met.setdefault(phase, []).append((taps[(slice(None), *at)], (slice(None), *where)))
    for phase in itertools.product(*map(range, win.stride)):
        place = out[(slice(None), *[slice(r, None, s) for r, s in zip(phase, win.stride)])]
        held = np.zeros(place.shape, out.dtype)
        for tap, there in met.get(phase, ()):
            part = held[there]
            np.add(part, tap, out=part)
        copied(place, held)()


def input_of_columns(dcols: np.ndarray, win: Window, out: np.ndarray) -> None:
    """``add_columns`` into an unpadded (N, C, *size) array of any strides."""
    dense = batch_last(out)
    if win.padded == win.size and dense.flags.c_contiguous:
        add_columns(dcols, win, dense)
        return
    dxp = np.empty((dense.shape[0], *win.padded, dense.shape[-1]), out.dtype)
    add_columns(dcols, win, dxp)
    copied(dense, dxp[(slice(None), *win.interior)])()


def dense(make: Callable[[np.ndarray], Calls], a: np.ndarray) -> Calls:
    """``make(a)``, which merges axes of ``a``: where they don't lie so, to copy is part of a run.

    A reshape that copies would bind what ``a`` holds today.
    """
    if a.flags.c_contiguous:
        return make(a)

    def run() -> None:
        for call in make(np.ascontiguousarray(a)):
            call()

    return [run]


# -- the steps -------------------------------------------------------------------------------------


class _Step(Primitive):
    """What a convolution is lowered to: after differentiation, so it has no vjp."""

    internal = True


class PadBatchLast(_Step):
    """(N, C, *size) -> (C, *padded, N), the padding zero; a view where x already lies so."""

    moves = True
    win: Any
    reads = BATCH_LAST

    def check(self) -> None:
        self.normalise(win=Window(*self.win))

    def infer(self, x: Spec) -> Spec:
        return Spec((x.shape[1], *self.win.padded, x.shape[0]), x.dtype)

    def view(self, x: np.ndarray) -> np.ndarray | None:
        xt = batch_last(x)
        return xt if self.win.padded == self.win.size and xt.flags.c_contiguous else None

    def rowwise(self, x: np.ndarray, *, out: np.ndarray) -> tuple[int, int]:
        return 1, 0

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        padded(x, self.win, out)


def _each_once(win: Window) -> bool:
    """Whether each element of the padded input is one of the columns, in their order."""
    return win.out == win.padded and math.prod(win.kernel) == 1


class Columns(_Step):
    """(C, *padded, N) -> (C*K, P); a view for a 1x1 kernel of stride 1."""

    moves = True
    win: Any

    def check(self) -> None:
        self.normalise(win=Window(*self.win))

    def infer(self, xp: Spec) -> Spec:
        rows = xp.shape[0] * math.prod(self.win.kernel)
        return Spec((rows, math.prod(self.win.out) * xp.shape[-1]), xp.dtype)

    def view(self, xp: np.ndarray) -> np.ndarray | None:
        if not _each_once(self.win) or not xp.flags.c_contiguous:
            return None
        return xp.reshape(xp.shape[0], -1)

    def calls(self, xp: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        view = columns_view(xp, self.win)
        return [copied(out.reshape(view.shape), view)]


class ColumnsGemm(_Step):
    """weight @ cols, as the convolution's output (N, F, *out) with the batch innermost."""

    out_shape: Any
    group: int = 1
    layout = BATCH_LAST

    def infer(self, w: Spec, cols: Spec) -> Spec:
        return Spec(self.out_shape, cols.dtype)

    def flops(self, w: Spec, cols: Spec) -> int:
        return 2 * w.shape[0] // self.group * cols.size

    def calls(self, w: np.ndarray, cols: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        last = batch_last(out)
        held = last if last.flags.c_contiguous else np.empty(last.shape, out.dtype)
        rows = held.reshape(held.shape[0], -1)
        product = dense(lambda w: [gemm(w, cols, self.group, rows)], w)
        return product if held is last else [*product, copied(last, held)]


class Flat(_Step):
    """(N, F, *out) -> (F, P); a view where dy lies with the batch innermost."""

    moves = True

    def infer(self, dy: Spec) -> Spec:
        return Spec((dy.shape[1], dy.size // dy.shape[1]), dy.dtype)

    def view(self, dy: np.ndarray) -> np.ndarray | None:
        dt = batch_last(dy)
        return dt.reshape(dt.shape[0], -1) if dt.flags.c_contiguous else None

    def kernel(self, dy: np.ndarray, *, out: np.ndarray) -> None:
        dt = batch_last(spread(dy))
        copied(out.reshape(dt.shape), dt)()


class FilterGemm(_Step):
    """dy @ cols.T, as the gradient (F, C/group, *kernel) of the weight."""

    filter_size: Any
    group: int = 1

    def infer(self, dy: Spec, cols: Spec) -> Spec:
        return Spec(self.filter_size, cols.dtype)

    def flops(self, dy: Spec, cols: Spec) -> int:
        return 2 * dy.shape[0] // self.group * cols.size

    def scratch(self, dy: Spec, cols: Spec) -> tuple[Spec]:
        shape = outer_scratch(dy.shape[0], cols.shape[0], dy.shape[1], self.group)
        return (Spec(shape, dy.dtype),)

    def calls(self, dy: np.ndarray, cols: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return filter_calls(dy, cols, self.group, out, work[0])


class InputGemm(_Step):
    """weight.T @ dy: the gradient (C*K, P) of the columns."""

    group: int = 1

    def infer(self, w: Spec, dy: Spec) -> Spec:
        rows = math.prod(w.shape[1:]) * self.group
        return Spec((rows, dy.shape[1]), dy.dtype)

    def flops(self, w: Spec, dy: Spec) -> int:
        return 2 * w.size * dy.shape[1]

    def calls(self, w: np.ndarray, dy: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return dense(lambda w: [gemm_input(w, dy, self.group, out)], w)


class AddColumns(_Step):
    """Every tap of (C*K, P) added back to the input (N, C, *size) it came from; a view for a 1x1
    kernel of stride 1.
    """

    win: Any
    in_shape: Any
    layout = BATCH_LAST

    def check(self) -> None:
        self.normalise(win=Window(*self.win))

    def infer(self, dcols: Spec) -> Spec:
        return Spec(self.in_shape, dcols.dtype)

    def view(self, dcols: np.ndarray) -> np.ndarray | None:
        n, c, *size = self.in_shape
        whole = _each_once(self.win) and self.win.padded == self.win.size
        if not whole or not dcols.flags.c_contiguous:
            return None
        return batch_first(dcols.reshape(c, *size, n))

    def kernel(self, dcols: np.ndarray, *, out: np.ndarray) -> None:
        input_of_columns(dcols, self.win, out)


# -- what a convolution and its gradients are lowered to -------------------------------------------


class ByColumns(NamedTuple):
    """Columns of the whole input, and one GEMM."""

    win: Window
    group: int

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """(x, w) -> the output."""
        do, (x, w) = Steps(2), (0, 1)
        cols = do(Columns(self.win), do(PadBatchLast(self.win), x))
        do(ColumnsGemm(out_shape, self.group), w, cols)
        return do

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, w, size) -> the gradient of the input."""
        do, (dy, w) = Steps(3), (0, 1)
        do(AddColumns(self.win, size), do(InputGemm(self.group), w, do(Flat(), dy)))
        return do

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, x, size) -> the gradient of the weight."""
        do, (dy, x) = Steps(3), (0, 1)
        cols = do(Columns(self.win), do(PadBatchLast(self.win), x))
        do(FilterGemm(size, self.group), do(Flat(), dy), cols)
        return do
