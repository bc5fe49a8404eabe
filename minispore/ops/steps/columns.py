"""Convolution by columns (im2col): pad, copy columns, one GEMM, add columns back.

Arrays have the batch innermost, (C, *spatial, N), so columns are copied in long contiguous runs. A
convolution is lowered to steps, each of them a primitive
(:mod:`minispore.execution.kernels.steps`). In a graph the forward pass and the filter's gradient
therefore share their columns.

Shapes: ``K`` taps of the kernel, ``P = prod(out) * N`` positions::

    cols    (C*K, P)
    forward (F, C*K) @ (C*K, P) -> (F, P)
    filter  (F, P) @ (P, C*K)   -> (F, C*K)
    input   (C*K, F) @ (F, P)   -> (C*K, P), then each tap is added back to the input it came from
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.primitive import Arithmetic, Calls, Primitive
from minispore.execution.layout import BATCH_LAST, PrefersBatchLast, make_copy_call
from minispore.ir.operator import Steps
from minispore.ir.value import Spec
from minispore.ops.steps.products import (
    bind_gemm,
    bind_input_gemm,
    compute_outer_scratch,
    emit_filter_gradient,
)
from minispore.ops.steps.window import Window, move_batch_first, move_batch_last

# Images whose addresses differ by a multiple of the page size map to the same set of the L1 cache,
# and a batch can have more images than a set has lines. A copy with one cache line between images
# avoids these conflicts. From _TRANSPOSE_ELEMENTS elements on it is faster to transpose the batch
# once, as a matrix.
_PAGE, _LINE, _CACHE_WAYS = 4096, 64, 8
_TRANSPOSE_ELEMENTS = 1 << 16


def copy_padded(x: np.ndarray, win: Window, out: np.ndarray) -> None:
    """Copy ``x`` (N, C, *size) into the dense ``out`` (C, *padded, N), all of which is overwritten,
    with zeros as padding.
    """
    if win.padded != win.size:
        for axis, (low, size, padded) in enumerate(zip(win.low, win.size, win.padded), 1):
            border: list[Any] = [slice(None)] * out.ndim
            for axis_slice in (slice(0, low), slice(low + size, padded)):
                if axis_slice.start != axis_slice.stop:
                    border[axis] = axis_slice
                    out[tuple(border)] = 0
    np.copyto(out[(slice(None), *win.interior)], move_batch_last(avoid_cache_conflicts(x)))


def has_cache_conflicts(x: np.ndarray) -> bool:
    """Whether the images of ``x`` evict each other from the cache when read side by side.

    That is so if ``x`` is contiguous, the distance of its images is a multiple of the page size,
    and there are more images than the cache has ways.
    """
    return x.ndim > 0 and not x.strides[0] % _PAGE and len(x) > _CACHE_WAYS and x.flags.c_contiguous


def avoid_cache_conflicts(x: np.ndarray) -> np.ndarray:
    """Return ``x``, or a copy of it whose images can be read side by side without cache conflicts.

    Only a contiguous ``x`` is copied. A large batch is copied with the batch innermost in memory, a
    smaller one with a cache line between its images.
    """
    if x.size >= _TRANSPOSE_ELEMENTS and len(x) > 1 and x.flags.c_contiguous:
        transposed = move_batch_first(np.empty((*x.shape[1:], len(x)), x.dtype))
        make_copy_call(transposed, x)()
        return transposed
    if not has_cache_conflicts(x):
        return x
    n, size = len(x), x[0].size
    staged = np.empty((n, size + _LINE // x.itemsize), x.dtype)[:, :size]
    np.copyto(staged, x.reshape(n, size))
    return staged.reshape(x.shape)


def view_columns(xp: np.ndarray, win: Window) -> np.ndarray:
    """View padded input (C, *padded, N) as (C, *kernel, *out, N): the elements that each tap reads.

    Windows may overlap, so the view must not be written to.
    """
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
    """Write the sum of columns (C*K, P) at the elements they came from to ``out`` (C, *padded, N).

    ``out`` is overwritten, with 0 where no window reads. If the windows are a partition of the
    input, the columns are only copied.
    """
    taps = dcols.reshape(out.shape[0], *win.kernel, *win.out, out.shape[-1])
    if win.kernel == win.stride and win.is_partition:
        for tap, region in win.taps():
            out[(slice(None), *region)] = taps[(slice(None), *tap)]
        return
    if max(win.stride) > 1:
        _add_by_phases(taps, win, out)
        return
    out.fill(0)
    for tap, region in win.taps():
        target = out[(slice(None), *region)]
        np.add(target, taps[(slice(None), *tap)], out=target)


def _add_by_phases(taps: np.ndarray, win: Window, out: np.ndarray) -> None:
    """Write the sum of the taps (C, *kernel, *out, N) of windows with a stride above 1 to ``out``
    (C, *padded, N).

    A tap covers every ``stride``-th element: one phase of ``out``. All taps of a phase are summed
    in a dense array, which has long contiguous runs, and the sum is copied to ``out``.
    """
    taps_of_phase: dict[tuple[int, ...], list[tuple[np.ndarray, Any]]] = {}
    for tap, _ in win.taps():
        shift = [i * d for i, d in zip(tap, win.dilation)]
        phase = tuple(m % s for m, s in zip(shift, win.stride))
        region = tuple(slice(m // s, m // s + o) for m, s, o in zip(shift, win.stride, win.out))
        taps_of_phase.setdefault(phase, []).append(
            (taps[(slice(None), *tap)], (slice(None), *region))
        )
    for phase in itertools.product(*map(range, win.stride)):
        output_phase = out[(slice(None), *[slice(r, None, s) for r, s in zip(phase, win.stride)])]
        phase_sum = np.zeros(output_phase.shape, out.dtype)
        for columns, region_of_tap in taps_of_phase.get(phase, ()):
            target = phase_sum[region_of_tap]
            np.add(target, columns, out=target)
        make_copy_call(output_phase, phase_sum)()


def add_columns_to_input(dcols: np.ndarray, win: Window, out: np.ndarray) -> None:
    """Write the sum of columns (C*K, P) at the elements they came from to ``out`` (N, C, *size),
    without the padding.

    ``out`` is overwritten, and may have any strides.
    """
    dense = move_batch_last(out)
    if win.padded == win.size and dense.flags.c_contiguous:
        add_columns(dcols, win, dense)
        return
    dxp = np.empty((dense.shape[0], *win.padded, dense.shape[-1]), out.dtype)
    add_columns(dcols, win, dxp)
    make_copy_call(dense, dxp[(slice(None), *win.interior)])()


def bind_contiguous(make_calls: Callable[[np.ndarray], Calls], a: np.ndarray) -> Calls:
    """Return ``make_calls(a)`` if ``a`` is contiguous; else one call that copies ``a`` and then
    makes and runs the calls for the copy, each time.

    ``make_calls`` reshapes its argument, which copies a strided array. A copy made at binding time
    would miss later writes to ``a``.
    """
    if a.flags.c_contiguous:
        return make_calls(a)

    def run_on_copy() -> None:
        """Copy ``a``, and make and run the calls for the copy."""
        for call in make_calls(np.ascontiguousarray(a)):
            call()

    return [run_on_copy]


# -- the steps -------------------------------------------------------------------------------------


class _Step(Primitive):
    """Base of the primitives that convolutions are lowered to; none has a vjp, because lowering
    follows differentiation.
    """


class PadBatchLast(PrefersBatchLast, _Step):
    """Copies (N, C, *size) to (C, *padded, N) with zero padding; a view if the batch is innermost
    and there is no padding.
    """

    arithmetic = Arithmetic.NONE
    win: Any

    def check(self) -> None:
        """Store ``win``, which may be a plain tuple, as a :class:`Window`."""
        self.normalise(win=Window(*self.win))

    def infer(self, x: Spec) -> Spec:
        """Return the spec (C, *padded, N) of the padded input."""
        return Spec((x.shape[1], *self.win.padded, x.shape[0]), x.dtype)

    def view(self, x: np.ndarray) -> np.ndarray | None:
        """Return (C, *size, N) as a view if there is no padding and the batch is innermost, else
        None.
        """
        xt = move_batch_last(x)
        return xt if self.win.padded == self.win.size and xt.flags.c_contiguous else None

    def rowwise(self, x: np.ndarray, *, out: np.ndarray) -> tuple[int, int]:
        """Return the axis of channels of the input and of the output: channels are independent."""
        return 1, 0

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        copy_padded(x, self.win, out)


def _is_identity_window(win: Window) -> bool:
    """Whether the columns of the padded input are its elements, in their order: a 1x1 kernel of
    stride 1.
    """
    return win.out == win.padded and math.prod(win.kernel) == 1


class Columns(_Step):
    """Copies the padded input (C, *padded, N) to columns (C*K, P); a view for a 1x1 kernel of
    stride 1, if the input is contiguous.
    """

    arithmetic = Arithmetic.NONE
    win: Any

    def check(self) -> None:
        """Store ``win``, which may be a plain tuple, as a :class:`Window`."""
        self.normalise(win=Window(*self.win))

    def infer(self, xp: Spec) -> Spec:
        """Return the spec (C*K, P) of the columns."""
        rows = xp.shape[0] * math.prod(self.win.kernel)
        return Spec((rows, math.prod(self.win.out) * xp.shape[-1]), xp.dtype)

    def view(self, xp: np.ndarray) -> np.ndarray | None:
        """Return the columns as a view for a 1x1 kernel of stride 1 and a contiguous input, else
        None.
        """
        if not _is_identity_window(self.win) or not xp.flags.c_contiguous:
            return None
        return xp.reshape(xp.shape[0], -1)

    def calls(self, xp: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        view = view_columns(xp, self.win)
        return [make_copy_call(out.reshape(view.shape), view)]


class ColumnsGemm(_Step):
    """Multiplies a weight (F, C/group, *kernel) and columns (C*K, P) to (N, F, *out), with the
    batch innermost.
    """

    out_shape: Any
    group: int = 1
    layout = BATCH_LAST

    def infer(self, w: Spec, cols: Spec) -> Spec:
        """Return the spec of ``out_shape`` in the dtype of the columns."""
        return Spec(self.out_shape, cols.dtype)

    def flops(self, w: Spec, cols: Spec) -> int:
        return 2 * w.shape[0] // self.group * cols.size

    def calls(self, w: np.ndarray, cols: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the calls for the product, and for a copy of it if the batch is not innermost in
        ``out``.
        """
        target = product = move_batch_last(out)
        if not target.flags.c_contiguous:
            product = np.empty(target.shape, out.dtype)
        rows = product.reshape(product.shape[0], -1)
        calls = bind_contiguous(lambda w: [bind_gemm(w, cols, self.group, rows)], w)
        return calls if product is target else [*calls, make_copy_call(target, product)]


class Flat(_Step):
    """Copies dy (N, F, *out) to (F, P); a view if dy has the batch innermost."""

    arithmetic = Arithmetic.NONE

    def infer(self, dy: Spec) -> Spec:
        """Return the spec (F, P) of the flattened dy."""
        return Spec((dy.shape[1], dy.size // dy.shape[1]), dy.dtype)

    def view(self, dy: np.ndarray) -> np.ndarray | None:
        """Return dy as a view (F, P) if its batch is innermost in memory, else None."""
        dt = move_batch_last(dy)
        return dt.reshape(dt.shape[0], -1) if dt.flags.c_contiguous else None

    def kernel(self, dy: np.ndarray, *, out: np.ndarray) -> None:
        dt = move_batch_last(avoid_cache_conflicts(dy))
        make_copy_call(out.reshape(dt.shape), dt)()


class FilterGemm(_Step):
    """Multiplies dy (F, P) and columns (C*K, P), transposed, to the gradient (F, C/group, *kernel)
    of the weight.
    """

    filter_size: Any
    group: int = 1

    def infer(self, dy: Spec, cols: Spec) -> Spec:
        """Return the spec of ``filter_size`` in the dtype of the columns."""
        return Spec(self.filter_size, cols.dtype)

    def flops(self, dy: Spec, cols: Spec) -> int:
        return 2 * dy.shape[0] // self.group * cols.size

    def scratch(self, dy: Spec, cols: Spec) -> tuple[Spec]:
        """Return the spec of the buffer for partial products and their sum."""
        shape = compute_outer_scratch(dy.shape[0], cols.shape[0], dy.shape[1], self.group)
        return (Spec(shape, dy.dtype),)

    def calls(self, dy: np.ndarray, cols: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return emit_filter_gradient(dy, cols, self.group, out, work[0])


class InputGemm(_Step):
    """Multiplies the transposed weight and dy (F, P) to the gradient (C*K, P) of the columns."""

    group: int = 1

    def infer(self, w: Spec, dy: Spec) -> Spec:
        """Return the spec (C*K, P) of the gradient of the columns."""
        rows = math.prod(w.shape[1:]) * self.group
        return Spec((rows, dy.shape[1]), dy.dtype)

    def flops(self, w: Spec, dy: Spec) -> int:
        return 2 * w.size * dy.shape[1]

    def calls(self, w: np.ndarray, dy: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return bind_contiguous(lambda w: [bind_input_gemm(w, dy, self.group, out)], w)


class AddColumns(_Step):
    """Adds each tap of (C*K, P) back to the input (N, C, *size) it came from.

    A view for a 1x1 kernel of stride 1 without padding, if the columns are contiguous.
    """

    win: Any
    in_shape: Any
    layout = BATCH_LAST

    def check(self) -> None:
        """Store ``win``, which may be a plain tuple, as a :class:`Window`."""
        self.normalise(win=Window(*self.win))

    def infer(self, dcols: Spec) -> Spec:
        """Return the spec of ``in_shape`` in the dtype of the columns."""
        return Spec(self.in_shape, dcols.dtype)

    def view(self, dcols: np.ndarray) -> np.ndarray | None:
        """Return the columns as a view (N, C, *size) for a 1x1 kernel of stride 1 without padding,
        else None; also None if they are not contiguous.
        """
        n, c, *size = self.in_shape
        is_identity = _is_identity_window(self.win) and self.win.padded == self.win.size
        if not is_identity or not dcols.flags.c_contiguous:
            return None
        return move_batch_first(dcols.reshape(c, *size, n))

    def kernel(self, dcols: np.ndarray, *, out: np.ndarray) -> None:
        add_columns_to_input(dcols, self.win, out)


# -- the lowering ----------------------------------------------------------------------------------


class ColumnLowering(NamedTuple):
    """Lowers a convolution to columns of the whole input and one GEMM (im2col).

    It handles every convolution, and is chosen where no other lowering applies. Each column is the
    window of one output, so the convolution is one product::

        out (F, P) = weight (F, C*K) @ cols (C*K, P)

    The gradient of the weight multiplies dy by the same columns, transposed. The gradient of the
    input multiplies dy by the transposed weight, which gives columns, and adds each row of them
    (one per channel and tap) to the input elements that it was copied from. Besides the GEMM, the
    cost is K copies of each input element for a stride of 1.

    Args:
        win: the windows.
        group: the number of groups of channels.
    """

    win: Window
    group: int

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """Return the steps that compute the output, of shape ``out_shape``, from the arguments (x,
        w).
        """
        steps, (x, w) = Steps(2), (0, 1)
        cols = steps.add(Columns(self.win), steps.add(PadBatchLast(self.win), x))
        steps.add(ColumnsGemm(out_shape, self.group), w, cols)
        return steps

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the input, of shape ``size``, from the
        arguments (dy, w, size).
        """
        steps, (dy, w) = Steps(3), (0, 1)
        steps.add(
            AddColumns(self.win, size), steps.add(InputGemm(self.group), w, steps.add(Flat(), dy))
        )
        return steps

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the weight, of shape ``size``, from the
        arguments (dy, x, size).
        """
        steps, (dy, x) = Steps(3), (0, 1)
        cols = steps.add(Columns(self.win), steps.add(PadBatchLast(self.win), x))
        steps.add(FilterGemm(size, self.group), steps.add(Flat(), dy), cols)
        return steps
