"""3x3 convolutions of stride 1 without columns: Winograd's F(m, 3) along the rows of planes.

F(m, 3) computes m neighbouring outputs of a row from m + 2 inputs with m + 2 multiplications,
where the plain sum needs 3 m. The m + 2 inputs d and a row g of the weight are each mapped to m + 2
*points*. The points are multiplied element-wise, and the outputs are sums of the products::

    y (m)  =  A' ((G g) * (B' d))       G (m+2, 3), B' (m+2, m+2), A' (m, m+2)

Here B' is ``_INPUT_POINTS`` (the two outer inputs are added separately), G ``_WEIGHT_POINTS`` and
A' ``_OUTPUTS``. The maps are small matrix products, one for each row of each channel, which read
and write the planes directly. The kernel rows need no transform: three rows of all channels are
contiguous, so the GEMM of an output row reads them through an overlapping view, without a copy::

    weight (m+2, F, 3*C) @ points (m+2, H, 3*C, T*N) -> (m+2, H, F, T*N),  T = W/m

Images are planes (C, m, H, T, N), as in :mod:`minispore.ops.steps.planes` with B = m: the m outputs
of a block are in m planes. The gradient of the input is the same convolution, of ``dy`` with the
reversed weight. The gradient of the weight multiplies the points of x, computed in the forward
pass, by the points of dy, which the transposed output map gives.

Rounding: the products are larger than the outputs, their sums. The error with m = 4 is therefore
larger than that of a plain sum, and depends on the points. Error of float32 against float64,
relative to the largest result: up to 2e-6 with m = 4 (5e-6 with the points 0, +-1, +-2), up to 1e-6
with m = 2 and by columns (``tests/ops/test_winograd.py``). ``set_context(conv_winograd=...)``
limits m.

Source: Lavin & Gray, Fast Algorithms for Convolutional Neural Networks, 2016,
https://arxiv.org/abs/1509.09308.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from minispore.core.primitive import Calls, VjpRule, WorkSplit
from minispore.execution.kernels.blas import get_small_product_limit
from minispore.execution.layout import make_copy_call
from minispore.ir.operator import Rows, Steps
from minispore.ir.value import Spec
from minispore.ops.steps.columns import _Step
from minispore.ops.steps.planes import FromPlanes, ToPlanes
from minispore.ops.steps.products import view_successive_rows

# The points of m = 2 are 0, +-1, inf; those of m = 4 are 0, +-r, +-R, inf with the roots of 1/2 and
# of 2: the rounding error is smallest if the first and the last output share it about equally.
_r, _R = 0.5**0.5, 2**0.5
# Maps the m inputs of a block to its points. The input before the block is added to the first
# point, the input after it to the last.
_INPUT_POINTS = {
    2: np.array([[0, -1], [1, 1], [-1, 1], [-1, 0]]),
    4: np.array([
        [0, -5 / 2, 0, 1], [-2 * _r, -2, _r, 1], [2 * _r, -2, -_r, 1],
        [-_R / 2, -1 / 2, _R, 1], [_R / 2, -1 / 2, -_R, 1], [1, 0, -5 / 2, 0],
    ]),
}  # fmt: skip
_WEIGHT_POINTS = {
    2: np.array([[1, 0, 0], [1 / 2, 1 / 2, 1 / 2], [1 / 2, -1 / 2, 1 / 2], [0, 0, 1]]),
    4: np.array([
        [1, 0, 0], [-2 / 3, -2 / 3 * _r, -1 / 3], [-2 / 3, 2 / 3 * _r, -1 / 3],
        [1 / 6, _R / 6, 1 / 3], [1 / 6, -_R / 6, 1 / 3], [0, 0, 1],
    ]),
}  # fmt: skip
_OUTPUTS = {
    2: np.array([[1, 1, 1, 0], [0, 1, -1, 1]]),
    4: np.array([
        [1, 1, 1, 1, 1, 0], [0, _r, -_r, _R, -_R, 0],
        [0, 1 / 2, 1 / 2, 2, 2, 0], [0, _r / 2, -_r / 2, 2 * _R, -2 * _R, 1],
    ]),
}  # fmt: skip
_TILE_BYTES = 192 << 10  # per point; all m + 2 points of a tile stay in the cache


def _map_points(matrix: np.ndarray, x: np.ndarray, out: np.ndarray) -> Calls:
    """Return the calls for ``matrix`` (P, Q) times each column of x (Q, A, B, T, N): out (P, A, B,
    T, N).

    This is a stack of small products, which read and write the blocks directly. An array whose last
    axes cannot be merged is copied.
    """
    copies_before, copies_after = [], []
    source, target = _merge_inner_axes(x), _merge_inner_axes(out)
    if source is None:
        dense = np.empty(x.shape, x.dtype)
        copies_before.append(partial(np.copyto, dense, x))
        source = _merge_inner_axes(dense)
    if target is None:
        dense = np.empty(out.shape, out.dtype)
        copies_after.append(partial(np.copyto, out, dense))
        target = _merge_inner_axes(dense)
    return [
        *copies_before,
        partial(np.matmul, _make_constant(matrix, x.dtype), source, out=target),
        *copies_after,
    ]


def _make_constant(matrix: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return a read-only copy of ``matrix`` in this dtype."""
    constant = matrix.astype(dtype)
    constant.flags.writeable = False
    return constant


def _merge_inner_axes(a: np.ndarray) -> np.ndarray | None:
    """View (Q, A, B, T, N) as (A, B, Q, T*N); return None if that needs a copy."""
    stack = a.transpose(1, 2, 0, 3, 4)
    view = stack.reshape(*stack.shape[:3], -1)
    return view if np.may_share_memory(view, a) else None


def _choose_tile_rows(rows: int, row_bytes: int) -> int:
    """Choose how many of ``rows`` (of ``row_bytes`` each) to multiply at once, at least 1, so that
    they fit into the cache.
    """
    return max(1, min(rows, _TILE_BYTES // max(row_bytes, 1)))


def _view_row_triples(points: np.ndarray) -> tuple[np.ndarray, Calls]:
    """View points (m+2, H+2, C, T, N) as (m+2, H, 3*C, T*N): three input rows for each output row.

    Returns:
        The view, and the calls to run first: a copy if the points are not dense.
    """
    q, h, c, t, n = points.shape
    calls: Calls = []
    if not points[0].flags.c_contiguous:
        dense = np.empty(points.shape, points.dtype)
        calls.append(partial(np.copyto, dense, points))
        points = dense
    return view_successive_rows(points.reshape(q, h, c, t * n), 3), calls


class WinogradPoints(_Step):
    """Maps planes (C, m, H, T, N) to points (m+2, H+2, C, T, N), with a row of zeros at
    either end.
    """

    vjp_rule = VjpRule(output_is_saved=True)
    work_split = WorkSplit(short_calls=True)

    def infer(self, x: Spec) -> Spec:
        """Return the spec (m+2, H+2, C, T, N) of the points of planes (C, m, H, T, N)."""
        c, m, h, t, n = x.shape
        return Spec((m + 2, h + 2, c, t, n), x.dtype)

    def rowwise(self, x: np.ndarray, *, out: np.ndarray) -> tuple[int, int]:
        """Return the axes of channels of the planes and of the points: channels are independent."""
        return 0, 2

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the calls that map each block of m inputs, and add its two neighbours to the outer
        points.
        """
        by_row, target = x.transpose(1, 2, 0, 3, 4), out[:, 1:-1]
        # The first point needs the input before the block, the last one the input after it.
        first_point, last_point = target[0, :, :, 1:], target[-1, :, :, :-1]
        return [
            partial(out[:, 0].fill, 0),
            partial(out[:, -1].fill, 0),
            *_map_points(_INPUT_POINTS[len(by_row)], by_row, target),
            partial(np.add, first_point, by_row[-1, :, :, :-1], first_point),
            partial(np.add, last_point, by_row[0, :, :, 1:], last_point),
        ]


class WinogradWeight(_Step):
    """Maps a weight (F, C, 3, 3) to its m + 2 points (m+2, F, 3*C).

    With ``reversed``: the points (m+2, C, 3*F) of the reversed kernel with swapped channels, for
    the gradient of the input.
    """

    m: int
    reversed: bool = False

    def infer(self, w: Spec) -> Spec:
        """Return the spec (m+2, F, 3*C) of the points; with ``reversed``, (m+2, C, 3*F)."""
        f, c = w.shape[1::-1] if self.reversed else w.shape[:2]
        return Spec((self.m + 2, f, 3 * c), w.dtype)

    def kernel(self, w: np.ndarray, *, out: np.ndarray) -> None:
        """Write the points of each row of the kernel; with ``reversed``, of the reversed kernel
        with swapped channels.
        """
        if self.reversed:
            w = w[:, :, ::-1, ::-1].swapaxes(0, 1)
        rows = np.ascontiguousarray(w.transpose(3, 0, 2, 1)).reshape(3, -1)  # (KW, F*KH*C)
        points = np.matmul(_WEIGHT_POINTS[self.m].astype(w.dtype), rows)
        np.copyto(out, points.reshape(out.shape))


class WinogradGemm(_Step):
    """Multiplies points of a weight (m+2, F, 3*C) and of the input (m+2, H+2, C, T, N), in tiles of
    rows, and maps the products to outputs (F, m, H, T, N).
    """

    def infer(self, weight_points: Spec, points: Spec) -> Spec:
        """Return the spec (F, m, H, T, N) of the planes of the output."""
        q, h, _, t, n = points.shape
        return Spec((weight_points.shape[1], q - 2, h - 2, t, n), points.dtype)

    def scratch(self, weight_points: Spec, points: Spec) -> tuple[Spec]:
        """Return the spec of a buffer for the products (m+2, rows, F, T, N) of one tile of rows."""
        f, _, h, t, n = self.infer(weight_points, points).shape
        rows = _choose_tile_rows(h, f * t * n * points.dtype.itemsize)
        return (Spec((weight_points.shape[0], rows, f, t, n), points.dtype),)

    def rowwise(
        self, weight_points: np.ndarray, points: np.ndarray, *, out: np.ndarray
    ) -> tuple[Rows, ...]:
        """Return the row axes: the weight is needed entirely; an output row needs its points and
        those of the next two rows.
        """
        return None, (1, 2), 2

    def flops(self, weight_points: Spec, points: Spec) -> int:
        q, h, c, *_ = points.shape
        return 2 * weight_points.size * points.size // (q * h * c) * (h - 2)

    def calls(
        self, weight_points: np.ndarray, points: np.ndarray, *, out: np.ndarray, work: Any
    ) -> Calls:
        """Return the calls that multiply each tile of rows, and map its points to outputs."""
        _, m, h, t, n = out.shape
        (buffer,), (row_triples, calls) = work, _view_row_triples(points)
        by_row = out.transpose(1, 2, 0, 3, 4)
        for begin in range(0, h, buffer.shape[1]):
            rows = slice(begin, min(begin + buffer.shape[1], h))
            products = buffer[:, : rows.stop - begin]
            flat = products.reshape(*products.shape[:3], t * n)
            calls.append(partial(np.matmul, weight_points[:, None], row_triples[:, rows], out=flat))
            calls += _map_points(_OUTPUTS[m], products, by_row[:, rows])
        return calls


class WinogradCotangent(_Step):
    """Maps planes of dy (F, m, H, T, N) to points (m+2, H, F, T, N) by the transposed output map.

    With ``filters_last`` the result is (m+2, H, T, N, F), which some products multiply faster.
    """

    filters_last: bool = False
    work_split = WorkSplit(short_calls=True)

    def infer(self, dy: Spec) -> Spec:
        """Return the spec (m+2, H, F, T, N) of the points; with ``filters_last``, (m+2, H, T, N,
        F).
        """
        f, m, h, t, n = dy.shape
        return Spec((m + 2, h, t, n, f) if self.filters_last else (m + 2, h, f, t, n), dy.dtype)

    def rowwise(self, dy: np.ndarray, *, out: np.ndarray) -> tuple[int, int]:
        """Return the axes of filters of dy and of the points: filters are independent."""
        return 0, 4 if self.filters_last else 2

    def scratch(self, dy: Spec) -> tuple[Spec, ...]:
        """Return the spec of a buffer for dy with the filters innermost, needed only with
        ``filters_last``.
        """
        f, *block_shape = dy.shape
        return (Spec((*block_shape, f), dy.dtype),) if self.filters_last else ()

    def calls(self, dy: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        """Return the calls that map planes to points; with ``filters_last``, after a copy with the
        filters innermost.
        """
        matrix = _OUTPUTS[dy.shape[1]].T
        if not self.filters_last:
            return _map_points(matrix, dy.transpose(1, 2, 0, 3, 4), out)
        return [make_copy_call(work[0], np.moveaxis(dy, 0, -1)), *_map_points(matrix, work[0], out)]


class WinogradFilter(_Step):
    """Computes the gradient (F, C, 3, 3) of the weight from points of x and of dy.

    ``filters_last`` must equal that of the :class:`WinogradCotangent` that made the points of dy.
    """

    filters_last: bool = False

    def _count_filters(self, dy_points: Spec) -> int:
        """Return the number of filters of the points of dy."""
        return dy_points.shape[4 if self.filters_last else 2]

    def infer(self, points: Spec, dy_points: Spec) -> Spec:
        """Return the spec (F, C, 3, 3) of the gradient of the weight."""
        return Spec((self._count_filters(dy_points), points.shape[2], 3, 3), points.dtype)

    def scratch(self, points: Spec, dy_points: Spec) -> tuple[Spec, Spec, Spec]:
        """Return specs of buffers for the products of each row, their sum, and the taps that the
        sum is mapped to.
        """
        q, h, f = *dy_points.shape[:2], self._count_filters(dy_points)
        size = 3 * points.shape[2] * f
        row_products = Spec((q, h, size // f, f), points.dtype)
        total, taps = Spec((q, size), points.dtype), Spec((3, size), points.dtype)
        return row_products, total, taps

    def flops(self, points: Spec, dy_points: Spec) -> int:
        return 6 * dy_points.size * points.shape[2]

    def calls(
        self, x_points: np.ndarray, dy_points: np.ndarray, *, out: np.ndarray, work: Any
    ) -> Calls:
        """Return the calls that multiply the points of each row, sum the products, and map the sum
        to taps.
        """
        q, h, f = *dy_points.shape[:2], out.shape[0]
        row_products, total, taps = work
        points, calls = _view_row_triples(x_points)
        if not dy_points.flags.c_contiguous:
            dense, source = np.empty(dy_points.shape, dy_points.dtype), dy_points
            calls.append(partial(np.copyto, dense, source))
            dy_points = dense
        dy_columns = (
            dy_points.reshape(q, h, -1, f)
            if self.filters_last
            else dy_points.reshape(q, h, f, -1).swapaxes(2, 3)
        )
        to_taps = _make_constant(_WEIGHT_POINTS[q - 2].T, x_points.dtype)
        taps_by_axis = taps.reshape(3, 3, x_points.shape[2], f)  # (KW, KH, C, F)
        return [
            *calls,
            partial(np.matmul, points, dy_columns, out=row_products),
            partial(np.add.reduce, row_products, axis=1, out=total.reshape(q, -1, f)),
            partial(np.matmul, to_taps, total, out=taps),
            make_copy_call(out, taps_by_axis.transpose(3, 2, 1, 0)),
        ]


# -- the lowering ----------------------------------------------------------------------------------

# With at least _LEAST_FILTERS filters, or rows of at most _LONGEST_ROW elements, points of dy with
# the filters innermost are multiplied faster by enough to repay a copy of dy.
_LEAST_FILTERS, _LONGEST_ROW = 32, 64


def make_winograd_lowering(m: int, channels: int, filters: int, length: int) -> WinogradLowering:
    """Return the lowering by F(m, 3) for rows of ``length`` elements of each plane, with the order
    of the points of dy that is faster.

    BLAS kernels for small matrices, where they exist, multiply by points of dy in half the time if
    the filters are last.
    """
    is_small = 3 * channels * filters * length <= get_small_product_limit()
    filters_last = is_small and (filters >= _LEAST_FILTERS or length <= _LONGEST_ROW)
    return WinogradLowering(m, filters_last)


class WinogradLowering(NamedTuple):
    """Lowers a 3x3 convolution of stride 1 to Winograd's F(m, 3) along rows (Lavin & Gray 2016).

    It needs m + 2 multiplications, not 3 m, for m outputs and one kernel row::

        points of x   (C, m, H, T, N)  -> (m+2, H+2, C, T, N)
        points of w   (F, C, 3, 3)     -> (m+2, F, 3*C)
        products      (m+2, F, 3*C) @ (m+2, H, 3*C, T*N) -> (m+2, H, F, T*N)
        outputs       -> (F, m, H, T, N)

    Requires float32, a padding of 1, one group, at least 8 input and output channels, and GEMM rows
    of at least 32 elements. Below these sizes the transforms cost more than the products that they
    save. With m = 4 the error is at most 2e-6 of the largest result; other lowerings have 1e-6.

    Args:
        m: the number of outputs in a block, 2 or 4.
        filters_last: whether the points of dy have the filters innermost.
    """

    m: int
    filters_last: bool = False

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """Return the steps that compute the output from (x, w); ``out_shape`` is not used."""
        steps, (x, w) = Steps(2), (0, 1)
        points = steps.add(WinogradPoints(), steps.add(ToPlanes(self.m), x))
        steps.add(
            FromPlanes(), steps.add(WinogradGemm(), steps.add(WinogradWeight(self.m), w), points)
        )
        return steps

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the input from (dy, w, size).

        It is the convolution of dy by the reversed weight; the argument ``size`` is not used.
        """
        steps, (dy, w) = Steps(3), (0, 1)
        points = steps.add(WinogradPoints(), steps.add(ToPlanes(self.m), dy))
        steps.add(
            FromPlanes(),
            steps.add(WinogradGemm(), steps.add(WinogradWeight(self.m, reversed=True), w), points),
        )
        return steps

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """Return the steps that compute the gradient of the weight from (dy, x, size).

        The argument ``size`` is not used.
        """
        steps, (dy, x) = Steps(3), (0, 1)
        points = steps.add(WinogradPoints(), steps.add(ToPlanes(self.m), x))
        dy_points = steps.add(WinogradCotangent(self.filters_last), steps.add(ToPlanes(self.m), dy))
        steps.add(WinogradFilter(self.filters_last), points, dy_points)
        return steps
