"""The products that convolutions are made of: a weight with columns, and rows with rows.

What takes OpenBLAS longest is not to multiply, but to copy what it multiplies into the order that
its kernels want. For small products it has kernels that copy nothing, so what is long and narrow is
multiplied some columns at a time; and of two ways round a product has a quick one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.kernels.blas import SMALL, small_products
from minispore.core.layout import copied
from minispore.core.primitive import Calls


def grouped(a: np.ndarray, groups: int) -> np.ndarray:
    """Split the first axis into (groups, rest)."""
    return a.reshape(groups, a.shape[0] // groups, *a.shape[1:])


# Rows of columns are cut for products that copy nothing down to this length, and where the weight
# lies row by row they gain by that only if it has so few columns, or so few rows.
_LEAST_LENGTH, _FEW_COLUMNS, _FEW_ROWS = 128, 40, 16


@cache
def _length(rows: int, columns: int, length: int, turned: bool) -> int:
    """How many columns (columns, length) a weight is multiplied with at once."""
    most = small_products() // (rows * columns)
    few = turned or columns <= _FEW_COLUMNS or rows <= _FEW_ROWS
    if most < length and few:
        for parts in range(-(-length // max(most, 1)), length // _LEAST_LENGTH + 1):
            if length % parts == 0:
                return length // parts
    return length


def by_weight(w: np.ndarray, cols: np.ndarray, out: np.ndarray) -> Callable[[], Any]:
    """w (..., F, K) @ columns (..., K, P) -> (..., F, P), bound: as several products of fewer
    columns, where BLAS multiplies those without copying them first.
    """
    (f, k), p = w.shape[-2:], cols.shape[-1]
    part = p
    if w.dtype == cols.dtype == np.float32 and w.size and p:
        part = _length(f, k, p, w.strides[-2] < w.strides[-1])
    if part == p:
        return partial(np.matmul, w, cols, out=out)
    given, made = (a.reshape(*a.shape[:-1], -1, part).swapaxes(-3, -2) for a in (cols, out))
    return partial(np.matmul, w if w.ndim == 2 else w[..., None, :, :], given, out=made)


def one_behind_other(rows: np.ndarray, count: int) -> np.ndarray:
    """View dense rows (..., H, K, P) as (..., H-count+1, count*K, P): each with those behind it."""
    *more, h, k, p = rows.shape
    shape, step = (*more, h - count + 1, count * k, p), rows.itemsize
    return as_strided(rows, shape, (*rows.strides[:-2], p * step, step))


def gemm(w: np.ndarray, cols: np.ndarray, group: int, out: np.ndarray) -> Callable[[], Any]:
    """(F, C/g*K) @ (C*K, P) -> (F, P), group by group, bound."""
    f, p = w.shape[0], cols.shape[1]
    if group == 1:
        return by_weight(w.reshape(f, -1), cols, out)
    w = w.reshape(group, f // group, -1)
    return partial(np.matmul, w, grouped(cols, group), out=out.reshape(group, f // group, p))


# A GEMM of so few results, each a long sum, is faster as several small ones.
_FEW_RESULTS = 1024
# A longer one is made in some parts at least, of so many multiply-adds: threads can share it then.
_PART, _SHARED = 4_000_000, 4


def outer_scratch(rows: int, cols: int, length: int, group: int = 1) -> tuple[int, ...]:
    """Shape of the array in which :func:`outer` works on a (rows, length) and b (cols, length)."""
    m, k, parts = rows // group, cols // group, 1
    while m * k <= _FEW_RESULTS and m * k * length > parts * SMALL and not length % parts:
        parts *= 2
    parts = parts // 2 if length % parts else parts
    while parts < _SHARED and m * k * length > 2 * parts * _PART and not length % (2 * parts):
        parts *= 2
    return (parts + (parts > 1), group, max(k, m), min(k, m))


def outer(a: np.ndarray, b: np.ndarray, group: int, work: np.ndarray) -> tuple[Calls, np.ndarray]:
    """b @ a.T, group by group, made in ``work`` of :func:`outer_scratch`; and where it is, as
    (group, K/g, M/g).

    Of the two ways round, the one with more rows is up to twice as fast. Long sums of few results
    are made in parts.
    """
    parts, turned = max(1, len(work) - 1), len(a) > len(b)
    left, right = (
        x.reshape(group, len(x) // group, parts, x.shape[1] // parts).transpose(2, 0, 1, 3)
        for x in ((a, b) if turned else (b, a))
    )
    product = work[1:] if parts > 1 else work
    calls: Calls = [partial(np.matmul, left, right.swapaxes(2, 3), out=product)]
    if parts > 1:
        calls.append(partial(np.add.reduce, product, axis=0, out=work[0]))
    return calls, work[0].swapaxes(1, 2) if turned else work[0]


def filter_calls(
    dy: np.ndarray, cols: np.ndarray, group: int, out: np.ndarray, work: np.ndarray
) -> Calls:
    """dy (F, P) @ columns (P, C*K), group by group, into the weight's gradient."""
    product, made = outer(dy, cols, group, work)
    by_filter = grouped(out, group)
    return [*product, copied(by_filter, made.swapaxes(1, 2).reshape(by_filter.shape))]


# Elements of weights' gradients, each of a row, that are added up at once; and rows of columns from
# which on dy is turned before small products, which BLAS makes a quarter sooner then.
_SUMMED, _TURNED_FROM = 1 << 20, 96


def by_rows_scratch(count: int, rows: int, cols: int, length: int) -> list[tuple[int, ...]]:
    """Shapes of the arrays in which :func:`filter_by_rows` works: the products of some of ``count``
    dy (cols, length) with columns (rows, length), their sum, and dy turned, if that pays.
    """
    some = max(1, min(count, _SUMMED // max(1, rows * cols)))
    turned = rows >= _TURNED_FROM and rows * cols * length <= small_products()
    return [(some, rows, cols), (rows, cols), (count, length, cols) if turned else (0,)]


def filter_by_rows(dy: np.ndarray, rows: np.ndarray, out: np.ndarray, work: Any) -> Calls:
    """The gradient of the weight from dy by row, (OH, F*B, P), and rows of columns: that of its
    Toeplitz matrix, whose B copies of the weight are added.
    """
    (f, c, kh, kw), (by_row, summed, room) = out.shape, work
    b, met = dy.shape[1] // f, one_behind_other(rows, kh)
    calls: Calls = []
    turned = dy.swapaxes(1, 2)
    if room.size:
        calls.append(copied(room, turned))
        turned = room
    for begin in range(0, len(dy), len(by_row)):
        some = slice(begin, min(begin + len(by_row), len(dy)))
        made = by_row[: some.stop - begin]
        calls.append(partial(np.matmul, met[some], turned[some], out=made))
        if begin:
            calls.append(partial(np.add, summed, made[0], out=made[0]))
        calls.append(partial(np.add.reduce, made, axis=0, out=summed))
    taps = summed.reshape(kh, c, kw + b - 1, f, b).transpose(4, 3, 1, 0, 2)
    first, *more = [taps[i, :, :, :, i : i + kw] for i in range(b)]
    added = [partial(np.add, out, part, out=out) for part in more]
    return [*calls, partial(np.copyto, out, first), *added]


def gemm_input(w: np.ndarray, dy: np.ndarray, group: int, out: np.ndarray) -> Callable[[], Any]:
    """(C/g*K, F) @ (F, P) -> (C*K, P), group by group, bound."""
    f = w.shape[0]
    if group == 1:
        return by_weight(w.reshape(f, -1).T, dy, out)
    taps = w.reshape(group, f // group, -1).transpose(0, 2, 1)
    return partial(np.matmul, taps, grouped(dy, group), out=grouped(out, group))
