"""Convolution in the blocked layout: B neighbouring output columns share one row block of the GEMM.

A GEMM with few rows uses the machine poorly, and a kernel of stride 1 copies each input element
KH*KW times into its columns. Putting B neighbouring outputs of a row into the rows of the GEMM,
with the weight laid out as a small Toeplitz matrix, gives B times the rows and copies (KW+B-1)/B
elements instead of KW. For B = 2 and KW = 3::

    | w0 w1 w2  0 |     for outputs 0, 2, 4, ...     of the inputs  x0 x1 x2 x3,
    |  0 w0 w1 w2 |     for outputs 1, 3, 5, ...                    x2 x3 x4 x5, ...

Columns are made for one kernel row only. The columns of the KH input rows that an output row needs
are contiguous, so its GEMM reads them through an overlapping view::

    weight (F*B, KH*K) @ rows (H, K, OW/B*N) -> (OH, F*B, OW/B*N),  K = C*(KW+B-1)

Images are kept as *planes*, (C, B, H, W/B, N), the blocked layout: plane b holds the columns b,
b+B, b+2B, ... of each row. Copies and additions therefore run over long contiguous stretches, and a
2x2 max pool is a maximum of planes.

The gradient of the input is summed over the kernel rows in the same way: an input row needs
contiguous rows of dy, fewer at the edges.

As in :mod:`minispore.ops.steps.columns`, a convolution is lowered to primitives.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.primitive import Arithmetic, Calls
from minispore.execution.layout import BATCH_LAST, PrefersBatchLast, make_copy_call
from minispore.ir.operator import Steps
from minispore.ir.value import Spec
from minispore.ops.steps.columns import (
    _Step,
    avoid_cache_conflicts,
    bind_contiguous,
    has_cache_conflicts,
)
from minispore.ops.steps.products import (
    bind_weight_product,
    compute_row_scratch,
    emit_filter_gradient_by_rows,
    view_successive_rows,
)
from minispore.ops.steps.window import Window, move_batch_last

# Relative costs for the choice of B, measured with NumPy 2.4 and OpenBLAS: one multiply-add per
# GEMM row of a column element, and moving that element into and out of the columns. A GEMM with
# fewer than _LEAST_ROWS rows takes as long as one with _LEAST_ROWS.
_COST_PER_ROW, _COST_PER_MOVE, _LEAST_ROWS = 0.01, 0.5, 16
# The blocked layout is slower than columns of all taps for GEMMs with shorter rows than this, and
# for kernels with more weights per tap than this.
_LEAST_LENGTH, _MOST_WEIGHTS = 32, 64 * 64


@cache
def choose_block(win: Window, batch: int, channels: int, out_channel: int) -> int:
    """Choose the number B of neighbouring outputs in a block; 0 if the blocked layout does not
    apply.

    B is 1, 2 or 4. It does not apply to strides or dilations above 1 or to 1x1 kernels, or where
    columns of all taps cost less.
    """
    is_supported = (
        {*win.stride, *win.dilation} == {1} and len(win.kernel) == 2 and win.kernel != (1, 1)
    )
    best, least_cost = 0, float("inf")
    for b in (1, 2, 4) if is_supported and channels * out_channel <= _MOST_WEIGHTS else ():
        uneven = b > 1 and (win.kernel[1] == 1 or win.out[1] % b or win.padded[1] % b)
        if uneven or win.out[1] // b * batch < _LEAST_LENGTH:
            continue
        rows = max(out_channel * b, _LEAST_ROWS)
        cost = (win.kernel[1] + b - 1) / b * (rows * _COST_PER_ROW + _COST_PER_MOVE)
        if cost < least_cost * 0.9:  # a larger block must gain 10 %: the smaller one is simpler
            best, least_cost = b, cost
    return best


def view_as_planes(x: np.ndarray, b: int) -> np.ndarray:
    """View (C, H, W, N) as ``b`` planes (C, B, H, W/B, N).

    Plane i holds every B-th column of the images, from column i on.
    """
    c, h, w, n = x.shape
    return x.reshape(c, h, w // b, b, n).transpose(0, 3, 1, 2, 4)  # a split axis is never copied


def copy_to_planes(x: np.ndarray, win: Window | None, b: int, out: np.ndarray) -> Calls:
    """Return the calls that copy (N, C, H, W) into planes ``out`` (C, B, H, W/B, N), zero-padded by
    ``win`` if it is given.

    Plane i of the ``b`` planes holds every B-th column of the padded images, from column i on.
    """
    xt = move_batch_last(x)
    if win is None or win.padded == win.size:
        return [make_copy_call(out, view_as_planes(xt, b))]
    (top, left), (h, w) = win.low, win.size
    calls: Calls = [partial(out[:, :, :top].fill, 0), partial(out[:, :, top + h :].fill, 0)]
    for plane in range(b):
        first, columns = _match_plane_columns(plane, b, left, w)
        rows = out[:, plane, top : top + h]
        calls += [
            partial(rows[:, :, : columns.start].fill, 0),
            partial(rows[:, :, columns.stop :].fill, 0),
            make_copy_call(rows[:, :, columns], xt[:, :, first::b]),
        ]
    return calls


def _match_plane_columns(plane: int, b: int, left: int, width: int) -> tuple[int, slice]:
    """Return the first image column in a plane, and the slice of the plane that holds image
    columns.

    The other columns of the plane are padding. Images have ``width`` columns, after ``left``
    columns of padding; there are ``b`` planes, each with every b-th column of the padded image.
    """
    first = (plane - left) % b
    start = (first + left) // b
    return first, slice(start, start + len(range(first, width, b)))


def copy_from_planes(planes: np.ndarray, win: Window | None, out: np.ndarray) -> Calls:
    """Return the calls that copy planes (C, B, H, W/B, N) into ``out`` (N, C, H, W), without the
    padding of ``win`` if it is given.

    Plane i holds every B-th column of the images, from column i on.
    """
    b, images = planes.shape[1], move_batch_last(out)
    if win is None or win.padded == win.size:
        return [make_copy_call(view_as_planes(images, b), planes)]
    (top, left), (h, w) = win.low, win.size
    calls: Calls = []
    for plane in range(b):
        first, columns = _match_plane_columns(plane, b, left, w)
        interior = planes[:, plane, top : top + h, columns]
        calls.append(make_copy_call(images[:, :, first::b], interior))
    return calls


def copy_plane_rows(planes: np.ndarray, win: Window, out: np.ndarray) -> Calls:
    """Return the calls that copy the columns of each row of padded planes (C, B, H, W/B, N) into
    ``out`` (H, C*(KW+B-1), OW/B*N).

    KW+B-1 is a multiple of B, and B divides the number of outputs and of padded inputs in a row.
    The columns of a block are therefore complete runs of B columns, one from each plane.
    """
    c, b, h, _, n = planes.shape
    sc, sb, sh, sw, sn = planes.strides
    shape = (h, c, (win.kernel[1] + b - 1) // b, b, win.out[1] // b, n)
    return [make_copy_call(out.reshape(shape), as_strided(planes, shape, (sh, sc, sw, sb, sw, sn)))]


def _view_rows(planes: np.ndarray) -> np.ndarray:
    """View dense planes (F, B, H, W/B, N) as (H, F*B, W/B*N)."""
    f, b, h, *_ = planes.shape
    return planes.reshape(f * b, h, -1).swapaxes(0, 1)


def multiply_input_rows(t: np.ndarray, dy: np.ndarray, out: np.ndarray) -> Calls:
    """Return the calls that compute the gradient (H, K, P) of the columns of each input row.

    Input row i depends on rows i-KH+1 to i of dy, as far as they exist; rows with equally many are
    multiplied together. All arrays are dense.

    Args:
        t: the weight (KH, F*B, K), from the last row of the kernel to the first.
        dy: the gradient of the output by row, (OH, F*B, P).
        out: the result.
    """
    (kh, *_), oh, h = t.shape, len(dy), len(out)
    calls: Calls = []
    for count in range(1, min(kh, oh) + 1):  # number of dy rows that an input row depends on
        rows_met = [i for i in range(h) if min(i + 1, h - i, kh, oh) == count]
        dy_rows = [max(i - kh + 1, 0) for i in rows_met]
        taps = [kh - 1 - i + j for i, j in zip(rows_met, dy_rows, strict=True)]
        weight = _view_row_groups(t, taps, count).swapaxes(1, 2)
        calls.append(
            bind_weight_product(
                weight, _view_row_groups(dy, dy_rows, count), _view_row_groups(out, rows_met)
            )
        )
    return calls


def _view_row_groups(stack: np.ndarray, starts: list[int], count: int = 1) -> np.ndarray:
    """View groups of ``count`` successive dense rows of ``stack`` (H, K, P), as (groups, count*K,
    P).

    ``starts`` are the first rows of the groups, equally spaced. Groups may overlap.
    """
    (_, k, p), (row, *within) = stack.shape, stack.strides
    step = starts[1] - starts[0] if len(starts) > 1 else 0
    shape = len(starts), count * k, p
    return np.ndarray(shape, stack.dtype, stack, starts[0] * row, (step * row, *within))


def add_rows_to_planes(rows: np.ndarray, out: np.ndarray) -> Calls:
    """Return the calls that write the sum of rows of columns (H, C*(KW+B-1), OW/B*N) to padded
    planes ``out`` (C, B, H, W/B, N).

    Each column is added to the elements that it was copied from.
    """
    c, b, h, _, n = out.shape
    taps = rows.reshape(h, c, rows.shape[1] // (b * c), b, -1, n)
    first_tap, *later_taps = taps.transpose(2, 1, 3, 0, 4, 5)
    width = first_tap.shape[3]
    calls: Calls = [
        make_copy_call(out[:, :, :, :width], first_tap),
        partial(out[:, :, :, width:].fill, 0),
    ]
    for shift, tap in enumerate(later_taps, 1):
        target = out[:, :, :, shift : shift + width]
        calls.append(partial(np.add, target, tap, out=target))
    return calls


def fill_toeplitz(w: np.ndarray, out: np.ndarray) -> Calls:
    """Return the calls that write a weight (F, C, KH, KW) to ``out`` (F, B, KH, C, KW+B-1), B
    times.

    The i-th of the B copies is shifted by i, with zeros elsewhere.
    """
    taps, kw = w.transpose(0, 2, 1, 3), w.shape[3]
    blocks = range(out.shape[1])
    shifted = [partial(np.copyto, out[:, i, :, :, i : i + kw], taps) for i in blocks]
    return [partial(out.fill, 0), *shifted]


# -- the steps -------------------------------------------------------------------------------------


class ToPlanes(PrefersBatchLast, _Step):
    """Copies (N, C, H, W) to planes (C, B, H, W/B, N), zero-padded if a window is given."""

    arithmetic = Arithmetic.NONE
    block_size: int  # B, the number of planes
    win: Any = None

    def check(self) -> None:
        """Store ``win``, if there is one, as a :class:`Window`."""
        if self.win is not None:
            self.normalise(win=Window(*self.win))

    def infer(self, x: Spec) -> Spec:
        """Return the spec (C, B, H, W/B, N) of the planes, with H and W padded if there is a
        window.
        """
        n, c, h, w = x.shape if self.win is None else (*x.shape[:2], *self.win.padded)
        return Spec((c, self.block_size, h, w // self.block_size, n), x.dtype)

    def view(self, x: np.ndarray) -> np.ndarray | None:
        """Return a single plane without padding as a view if the batch is innermost, else None."""
        xt = move_batch_last(x)
        if self.block_size > 1 or not xt.flags.c_contiguous:
            return None
        return xt[:, None] if self.win is None or self.win.padded == self.win.size else None

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the calls that copy the planes; a single call if that avoids cache conflicts."""
        if has_cache_conflicts(x):
            return [partial(self._copy_without_conflicts, x, out)]
        return copy_to_planes(x, self.win, self.block_size, out)

    def _copy_without_conflicts(self, x: np.ndarray, out: np.ndarray) -> None:
        """Copy ``x`` to an array without cache conflicts, and that array to the planes ``out``."""
        for call in copy_to_planes(avoid_cache_conflicts(x), self.win, self.block_size, out):
            call()


class FromPlanes(_Step):
    """Copies planes (C, B, H, W/B, N) to (N, C, H, W), without the padding of a window if one is
    given.
    """

    arithmetic = Arithmetic.NONE
    win: Any = None
    order: str = BATCH_LAST  # the memory order of the images

    def check(self) -> None:
        """Set the memory order of the output to ``order``, and store ``win``, if there is one, as a
        :class:`Window`.
        """
        self.normalise(layout=self.order)
        if self.win is not None:
            self.normalise(win=Window(*self.win))

    def infer(self, planes: Spec) -> Spec:
        """Return the spec (N, C, H, W) of the images, without the padding of the window."""
        c, b, h, w, n = planes.shape
        size = (h, w * b) if self.win is None else self.win.size
        return Spec((n, c, *size), planes.dtype)

    def view(self, planes: np.ndarray) -> np.ndarray | None:
        """Return the images as a view for a single plane without padding, in batch-last order, else
        None.
        """
        if (
            planes.shape[1] > 1
            or self.order != BATCH_LAST
            or (self.win is not None and self.win.padded != self.win.size)
        ):
            return None
        return planes[:, 0].transpose(3, 0, 1, 2)

    def calls(self, planes: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return copy_from_planes(planes, self.win, out)


class PlaneRows(_Step):
    """Copies the columns of each row of padded planes to (H, C*(KW+B-1), OW/B*N)."""

    arithmetic = Arithmetic.NONE
    win: Any

    def check(self) -> None:
        """Store ``win``, which may be a plain tuple, as a :class:`Window`."""
        self.normalise(win=Window(*self.win))

    def infer(self, planes: Spec) -> Spec:
        """Return the spec (H, C*(KW+B-1), OW/B*N) of the columns by row."""
        (_, kw), (_, ow), (c, b, h, _, n) = self.win.kernel, self.win.out, planes.shape
        return Spec((h, c * (kw + b - 1), ow // b * n), planes.dtype)

    def calls(self, planes: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        return copy_plane_rows(planes, self.win, out)


class Toeplitz(_Step):
    """Writes a weight (F, C, KH, KW) as the matrix (F*B, KH*C*(KW+B-1)) of the blocked GEMM.

    With ``reversed``: as (KH, F*B, C*(KW+B-1)), from the last row of the kernel to the first, for
    the gradient of the input.
    """

    arithmetic = Arithmetic.NONE
    block_size: int  # B, the number of outputs in a block
    reversed: bool = False

    def infer(self, w: Spec) -> Spec:
        """Return the spec (F*B, KH*C*(KW+B-1)) of the matrix; with ``reversed``, (KH, F*B,
        C*(KW+B-1)).
        """
        f, c, kh, kw = w.shape
        rows, k = f * self.block_size, c * (kw + self.block_size - 1)
        return Spec((kh, rows, k) if self.reversed else (rows, kh * k), w.dtype)

    def calls(self, w: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the calls that fill the matrix with shifted copies of the weight, and with zeros
        elsewhere.
        """
        f, c, kh = w.shape[:3]
        if not self.reversed:
            return fill_toeplitz(w, out.reshape(f, self.block_size, kh, c, -1))
        by_row = out.reshape(kh, f, self.block_size, c, -1)[::-1]
        return fill_toeplitz(w, by_row.transpose(1, 2, 0, 3, 4))


class PlaneGemm(_Step):
    """Multiplies the Toeplitz matrix (F*B, KH*K) and rows of columns (H, K, OW/B*N) to planes of
    the output (F, B, OH, OW/B, N).
    """

    planes_shape: Any  # of the output

    def infer(self, t: Spec, rows: Spec) -> Spec:
        """Return the spec of ``planes_shape`` in the dtype of the rows."""
        return Spec(self.planes_shape, rows.dtype)

    def flops(self, t: Spec, rows: Spec) -> int:
        return 2 * t.size * self.planes_shape[2] * rows.shape[2]

    def calls(self, t: np.ndarray, rows: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the calls for the product of the matrix and overlapping rows, and a copy if
        ``out`` is not dense.
        """
        product_out = out if out.flags.c_contiguous else np.empty(out.shape, out.dtype)
        taps = t.shape[1] // rows.shape[1]

        def bind_product(rows: np.ndarray) -> Calls:
            """Return the call for the product of the matrix with each row of columns and the rows
            below it.
            """
            return [
                bind_weight_product(t, view_successive_rows(rows, taps), _view_rows(product_out))
            ]

        copy_back = [] if product_out is out else [partial(np.copyto, out, product_out)]
        return [*bind_contiguous(bind_product, rows), *copy_back]


class PlaneFilterGemm(_Step):
    """Multiplies planes of dy by rows of columns, giving the weight gradient (F, C, KH, KW)."""

    filter_size: Any  # (F, C, KH, KW), the shape of the result

    def infer(self, dy: Spec, rows: Spec) -> Spec:
        """Return the spec of ``filter_size`` in the dtype of dy."""
        return Spec(self.filter_size, dy.dtype)

    def flops(self, dy: Spec, rows: Spec) -> int:
        return 2 * dy.size * self.filter_size[2] * rows.shape[1]

    def scratch(self, dy: Spec, rows: Spec) -> tuple[Spec, ...]:
        """Return the specs of buffers for the products of a group of rows, their sum, and dy
        transposed.
        """
        f, b, oh, *_ = dy.shape
        shapes = compute_row_scratch(oh, self.filter_size[2] * rows.shape[1], f * b, rows.shape[2])
        return tuple(Spec(shape, dy.dtype) for shape in shapes)

    def calls(self, dy: np.ndarray, rows: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the calls on dense dy and rows; copies them first if they are not dense."""
        return bind_contiguous(
            lambda dy: bind_contiguous(
                lambda rows: emit_filter_gradient_by_rows(_view_rows(dy), rows, out, work), rows
            ),
            dy,
        )


class PlaneInput(_Step):
    """Multiplies the reversed Toeplitz matrix by dy row by row, giving padded planes of the input
    gradient.

    Shape: matrix (KH, F*B, C*(KW+B-1)), dy (F, B, OH, OW/B, N) -> (C, B, H, W/B, N).
    """

    planes_shape: Any  # of the result, with padding

    def infer(self, t: Spec, dy: Spec) -> Spec:
        """Return the spec of ``planes_shape`` in the dtype of dy."""
        return Spec(self.planes_shape, dy.dtype)

    def flops(self, t: Spec, dy: Spec) -> int:
        return 2 * t.size * dy.size // t.shape[1]

    def scratch(self, t: Spec, dy: Spec) -> tuple[Spec, Spec]:
        """Return the specs of buffers for dy by rows and the gradient of the columns by rows."""
        f, b, oh, width, n = dy.shape
        dy_rows = Spec((oh, f * b, width * n), dy.dtype)
        rows = Spec((self.planes_shape[2], t.shape[2], width * n), dy.dtype)
        return dy_rows, rows

    def calls(self, t: np.ndarray, dy: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the calls that copy dy by rows, multiply it into rows of columns, and add these to
        planes.
        """
        (dy_rows, rows), (f, b, oh, width, n) = work, dy.shape
        copy_dy = make_copy_call(dy_rows.reshape(oh, f, b, width, n), dy.transpose(2, 0, 1, 3, 4))
        product = bind_contiguous(lambda t: multiply_input_rows(t, dy_rows, rows), t)
        return [copy_dy, *product, *add_rows_to_planes(rows, out)]


# -- the lowering ----------------------------------------------------------------------------------


def _add_row_steps(steps: Steps, win: Window, b: int, x: int) -> int:
    """Append the steps from images to columns of their rows; return the value number of the
    columns.

    ``x`` is the value number of the images in ``steps``.
    """
    return steps.add(PlaneRows(win), steps.add(ToPlanes(b, win), x))


class BlockedLowering(NamedTuple):
    """Lowers a convolution to a GEMM for each row of images in the blocked layout.

    Used for kernels larger than 1x1 with stride 1 and few channels, where a GEMM by columns has too
    few rows. With B outputs in a block and K = C*(KW+B-1)::

        x (N, C, H, W)  -> planes (C, B, H, W/B, N)      plane b has the columns b, b+B, ...
        planes          -> rows (H, K, OW/B*N)           the columns of each row
        row i of y      =  T (F*B, KH*K) @ rows i ... i+KH-1, one after the other
        y               -> planes (F, B, OH, OW/B, N) -> (N, F, OH, OW)

    In a graph the conversions between two such convolutions cancel (``graph/passes/layout``). The
    costs by which :func:`choose_block` decides were measured with NumPy 2.4 and OpenBLAS.

    Args:
        win: the windows.
        block_size: the number B of outputs in a block.
    """

    win: Window
    block_size: int

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """Return the steps that compute the output, of shape ``out_shape``, from the arguments (x,
        w).
        """
        steps, (x, w) = Steps(2), (0, 1)
        n, f, oh, ow = out_shape
        rows = _add_row_steps(steps, self.win, self.block_size, x)
        gemm = PlaneGemm((f, self.block_size, oh, ow // self.block_size, n))
        steps.add(FromPlanes(), steps.add(gemm, steps.add(Toeplitz(self.block_size), w), rows))
        return steps

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the input, of shape ``size``, from the
        arguments (dy, w, size).
        """
        steps, (dy, w) = Steps(3), (0, 1)
        (n, c, *_), (h, w_padded) = size, self.win.padded
        shape = (c, self.block_size, h, w_padded // self.block_size, n)
        toeplitz = steps.add(Toeplitz(self.block_size, reversed=True), w)
        dx = steps.add(PlaneInput(shape), toeplitz, steps.add(ToPlanes(self.block_size), dy))
        steps.add(FromPlanes(self.win if self.win.padded != self.win.size else None), dx)
        return steps

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the weight, of shape ``size``, from the
        arguments (dy, x, size).
        """
        steps, (dy, x) = Steps(3), (0, 1)
        rows = _add_row_steps(steps, self.win, self.block_size, x)
        steps.add(PlaneFilterGemm(size), steps.add(ToPlanes(self.block_size), dy), rows)
        return steps
