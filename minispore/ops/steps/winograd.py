"""Convolutions 3x3 of stride 1 without columns: Winograd's F(m, 3) along the rows of planes.

F(m, 3) makes m neighbouring outputs of a row from m + 2 inputs by m + 2 products, where 3 m are
plain: m + 2 *points*, sums of the inputs and of each row of the weight, are multiplied point by
point, and sums of the products are the outputs. Such sums are small matrix products, one for each
row of each channel, which read and write planes where they lie. The rows of the kernel need no
transform: three rows of all channels lie one behind the other, so the GEMM of an output row reads
them through an overlapping view, without a copy::

    weight (m+2, F, 3*C) @ points (m+2, H, 3*C, T*N) -> (m+2, H, F, T*N),  T = W/m

Images are planes (C, m, H, T, N), as of :mod:`minispore.ops.steps.planes` with B = m: the m outputs
of a block are m planes. The gradient of the input is the same convolution, of ``dy`` with the
weight turned round. That of the weight multiplies the points of x, which the forward pass has made,
by those of dy under the transposed map of outputs.

Rounding: outputs are sums of products that are larger than they, so the error of m = 4 is larger
than that of a plain sum, by how much the points decide. In float32, against float64, of the largest
result: up to 2e-6 with m = 4 (it were 5e-6 with points 0, +-1, +-2), up to 1e-6 with m = 2 and by
columns (``tests/ops/test_winograd.py``).
``set_context(conv_winograd=...)`` says which m may be taken.

Source: Lavin & Gray, Fast Algorithms for Convolutional Neural Networks,
https://arxiv.org/abs/1509.09308.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from minispore.core.kernels.blas import small_products
from minispore.core.kernels.steps import Steps
from minispore.core.layout import copied
from minispore.core.primitive import Calls
from minispore.core.threads.tiles import Rows
from minispore.core.value import Spec
from minispore.ops.steps.columns import _Step
from minispore.ops.steps.planes import FromPlanes, ToPlanes
from minispore.ops.steps.products import one_behind_other

# The points of m = 2 are 0, +-1, inf; those of m = 4 are 0, +-r, +-R, inf with the roots of 1/2 and
# of 2: rounding is least where the first and the last output have like shares of it.
_r, _R = 0.5**0.5, 2**0.5
# What the m inputs of a block add to its points. The input before them is added to the first point,
# the one behind them to the last.
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
_TILE_BYTES = 192 << 10  # of one point of some rows: all points of them stay in the cache of a core


def _mapped(by: np.ndarray, x: np.ndarray, out: np.ndarray) -> Calls:
    """``by`` (P, Q) times each column of x (Q, A, B, T, N): out (P, A, B, T, N).

    As a stack of small products, which read and write blocks where they lie.
    """
    before, behind = [], []
    given, made = _merged(x), _merged(out)
    if given is None:
        held = np.empty(x.shape, x.dtype)
        before.append(partial(np.copyto, held, x))
        given = _merged(held)
    if made is None:
        held = np.empty(out.shape, out.dtype)
        behind.append(partial(np.copyto, out, held))
        made = _merged(held)
    return [*before, partial(np.matmul, _constant(by, x.dtype), given, out=made), *behind]


def _constant(by: np.ndarray, dtype: np.dtype) -> np.ndarray:
    made = by.astype(dtype)
    made.flags.writeable = False
    return made


def _merged(a: np.ndarray) -> np.ndarray | None:
    """View (Q, A, B, T, N) as (A, B, Q, T*N), if it lies so."""
    stack = a.transpose(1, 2, 0, 3, 4)
    seen = stack.reshape(*stack.shape[:3], -1)
    return seen if np.may_share_memory(seen, a) else None


def _tile_rows(rows: int, row_bytes: int) -> int:
    """How many rows at a time fit into the cache."""
    return max(1, min(rows, _TILE_BYTES // max(row_bytes, 1)))


def _over_rows(points: np.ndarray) -> tuple[np.ndarray, Calls]:
    """View points (m+2, H+2, C, T, N) as (m+2, H, 3*C, T*N): three rows for each output row.

    And what is to be called first: a copy, where points do not lie densely.
    """
    q, h, c, t, n = points.shape
    calls: Calls = []
    if not points[0].flags.c_contiguous:
        dense = np.empty(points.shape, points.dtype)
        calls.append(partial(np.copyto, dense, points))
        points = dense
    return one_behind_other(points.reshape(q, h, c, t * n), 3), calls


class WinogradPoints(_Step):
    """Planes (C, m, H, T, N) -> points (m+2, H+2, C, T, N), with a row of zeros at either end."""

    saved = short_calls = True

    def infer(self, x: Spec) -> Spec:
        c, m, h, t, n = x.shape
        return Spec((m + 2, h + 2, c, t, n), x.dtype)

    def rowwise(self, x: np.ndarray, *, out: np.ndarray) -> tuple[int, int]:
        return 0, 2

    def calls(self, x: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        by_row, made = x.transpose(1, 2, 0, 3, 4), out[:, 1:-1]
        first, last = made[0, :, :, 1:], made[-1, :, :, :-1]
        return [
            partial(out[:, 0].fill, 0),
            partial(out[:, -1].fill, 0),
            *_mapped(_INPUT_POINTS[len(by_row)], by_row, made),
            partial(np.add, first, by_row[-1, :, :, :-1], first),
            partial(np.add, last, by_row[0, :, :, 1:], last),
        ]


class WinogradWeight(_Step):
    """A weight (F, C, 3, 3) at m + 2 points, (m+2, F, 3*C); turned round (m+2, C, 3*F)."""

    m: int
    turned: bool = False

    def infer(self, w: Spec) -> Spec:
        f, c = w.shape[1::-1] if self.turned else w.shape[:2]
        return Spec((self.m + 2, f, 3 * c), w.dtype)

    def kernel(self, w: np.ndarray, *, out: np.ndarray) -> None:
        if self.turned:
            w = w[:, :, ::-1, ::-1].swapaxes(0, 1)
        rows = np.ascontiguousarray(w.transpose(3, 0, 2, 1)).reshape(3, -1)  # (KW, F*KH*C)
        points = np.matmul(_WEIGHT_POINTS[self.m].astype(w.dtype), rows)
        np.copyto(out, points.reshape(out.shape))


class WinogradGemm(_Step):
    """Weight (m+2, F, 3*C) times points (m+2, H+2, C, T, N): outputs (F, m, H, T, N)."""

    def infer(self, u: Spec, v: Spec) -> Spec:
        q, h, _, t, n = v.shape
        return Spec((u.shape[1], q - 2, h - 2, t, n), v.dtype)

    def scratch(self, u: Spec, v: Spec) -> tuple[Spec]:
        f, _, h, t, n = self.infer(u, v).shape
        return (Spec((u.shape[0], _tile_rows(h, f * t * n * v.dtype.itemsize), f, t, n), v.dtype),)

    def rowwise(self, u: np.ndarray, v: np.ndarray, *, out: np.ndarray) -> tuple[Rows, ...]:
        return None, (1, 2), 2

    def flops(self, u: Spec, v: Spec) -> int:
        return 2 * u.size * v.size // (v.shape[0] * v.shape[1] * v.shape[2]) * (v.shape[1] - 2)

    def calls(self, u: np.ndarray, v: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        _, m, h, t, n = out.shape
        (room,), (rows_of, calls) = work, _over_rows(v)
        by_row = out.transpose(1, 2, 0, 3, 4)
        for begin in range(0, h, room.shape[1]):
            rows = slice(begin, min(begin + room.shape[1], h))
            products = room[:, : rows.stop - begin]
            flat = products.reshape(*products.shape[:3], t * n)
            calls.append(partial(np.matmul, u[:, None], rows_of[:, rows], out=flat))
            calls += _mapped(_OUTPUTS[m], products, by_row[:, rows])
        return calls


class WinogradCotangent(_Step):
    """Planes of dy (F, m, H, T, N) under the transposed map of outputs, (m+2, H, F, T, N); turned
    (m+2, H, T, N, F), in which filters lie as products want them.
    """

    turned: bool = False
    short_calls = True

    def infer(self, dy: Spec) -> Spec:
        f, m, h, t, n = dy.shape
        return Spec((m + 2, h, t, n, f) if self.turned else (m + 2, h, f, t, n), dy.dtype)

    def rowwise(self, dy: np.ndarray, *, out: np.ndarray) -> tuple[int, int]:
        return 0, 4 if self.turned else 2

    def scratch(self, dy: Spec) -> tuple[Spec, ...]:
        f, *others = dy.shape
        return (Spec((*others, f), dy.dtype),) if self.turned else ()

    def calls(self, dy: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        by = _OUTPUTS[dy.shape[1]].T
        if not self.turned:
            return _mapped(by, dy.transpose(1, 2, 0, 3, 4), out)
        return [copied(work[0], np.moveaxis(dy, 0, -1)), *_mapped(by, work[0], out)]


class WinogradFilter(_Step):
    """The gradient (F, C, 3, 3) of the weight from points of x and of dy, ``turned`` or not."""

    turned: bool = False

    def _filters(self, e: Spec) -> int:
        return e.shape[4 if self.turned else 2]

    def infer(self, v: Spec, e: Spec) -> Spec:
        return Spec((self._filters(e), v.shape[2], 3, 3), v.dtype)

    def scratch(self, v: Spec, e: Spec) -> tuple[Spec, Spec, Spec]:
        q, h, f = *e.shape[:2], self._filters(e)
        size = 3 * v.shape[2] * f
        return tuple(  # type: ignore[return-value]
            Spec(shape, v.dtype) for shape in ((q, h, size // f, f), (q, size), (3, size))
        )

    def flops(self, v: Spec, e: Spec) -> int:
        return 6 * e.size * v.shape[2]

    def calls(self, v: np.ndarray, e: np.ndarray, *, out: np.ndarray, work: Any) -> Calls:
        q, h, f = *e.shape[:2], out.shape[0]
        by_row, summed, taps = work
        points, calls = _over_rows(v)
        if not e.flags.c_contiguous:
            held, given = np.empty(e.shape, e.dtype), e
            calls.append(partial(np.copyto, held, given))
            e = held
        turned = e.reshape(q, h, -1, f) if self.turned else e.reshape(q, h, f, -1).swapaxes(2, 3)
        to_taps = _constant(_WEIGHT_POINTS[q - 2].T, v.dtype)
        made = taps.reshape(3, 3, v.shape[2], f)  # (KW, KH, C, F)
        return [
            *calls,
            partial(np.matmul, points, turned, out=by_row),
            partial(np.add.reduce, by_row, axis=1, out=summed.reshape(q, -1, f)),
            partial(np.matmul, to_taps, summed, out=taps),
            copied(out, made.transpose(3, 2, 1, 0)),
        ]


# -- what a convolution and its gradients are lowered to -------------------------------------------

# From so many filters on, or for rows up to so many elements, it is worth a copy of dy to multiply
# by turned points.
_FILTERS, _LENGTH = 32, 64


def by_blocks(m: int, channels: int, filters: int, length: int) -> Winograd:
    """F(m, 3) for rows of ``length`` elements of each plane.

    BLAS multiplies small matrices by turned ones in half the time that it takes for others, but
    only where it has kernels for them.
    """
    small = 3 * channels * filters * length <= small_products()
    return Winograd(m, small and (filters >= _FILTERS or length <= _LENGTH))


class Winograd(NamedTuple):
    """F(m, 3) along rows; ``turned``: the points of dy are, for the gradient of the weight."""

    m: int
    turned: bool = False

    def forward(self, out_shape: tuple[int, ...]) -> Steps:
        """(x, w) -> the output."""
        do, (x, w) = Steps(2), (0, 1)
        points = do(WinogradPoints(), do(ToPlanes(self.m), x))
        do(FromPlanes(), do(WinogradGemm(), do(WinogradWeight(self.m), w), points))
        return do

    def input_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, w, size) -> the gradient of the input."""
        do, (dy, w) = Steps(3), (0, 1)
        points = do(WinogradPoints(), do(ToPlanes(self.m), dy))
        do(FromPlanes(), do(WinogradGemm(), do(WinogradWeight(self.m, True), w), points))
        return do

    def weight_gradient(self, size: tuple[int, ...]) -> Steps:
        """(dy, x, size) -> the gradient of the weight."""
        do, (dy, x) = Steps(3), (0, 1)
        points = do(WinogradPoints(), do(ToPlanes(self.m), x))
        turned = do(WinogradCotangent(self.turned), do(ToPlanes(self.m), dy))
        do(WinogradFilter(self.turned), points, turned)
        return do
