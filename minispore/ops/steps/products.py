"""The matrix products of convolutions: weight by columns, and rows by rows.

OpenBLAS spends most time not on multiplication, but on packing the operands into the order that its
kernels need. For small products it has kernels that do not pack. Long and narrow operands are
therefore multiplied a few columns at a time, and the faster of the two orders of a product is used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from minispore.core.primitive import Calls
from minispore.execution.kernels.blas import SMALL_PRODUCT_MULTIPLY_ADDS, get_small_product_limit
from minispore.execution.layout import make_copy_call


def split_groups(a: np.ndarray, groups: int) -> np.ndarray:
    """Reshape the first axis of ``a`` to (groups, rest)."""
    return a.reshape(groups, a.shape[0] // groups, *a.shape[1:])


# Rows of columns are cut to at least this length for products without packing. For a row-major
# weight that pays only with at most this many columns, or this many rows.
_LEAST_LENGTH, _FEW_COLUMNS, _FEW_ROWS = 128, 40, 16


@cache
def _choose_part_length(rows: int, columns: int, length: int, is_transposed: bool) -> int:
    """Choose how many of the ``length`` columns a weight (rows, columns) multiplies at once.

    Returns a divisor of ``length``, or ``length`` itself if cutting brings no gain.
    ``is_transposed`` says that the weight is column-major.
    """
    max_columns = get_small_product_limit() // (rows * columns)
    can_gain = is_transposed or columns <= _FEW_COLUMNS or rows <= _FEW_ROWS
    if max_columns < length and can_gain:
        for part_count in range(-(-length // max(max_columns, 1)), length // _LEAST_LENGTH + 1):
            if length % part_count == 0:
                return length // part_count
    return length


def bind_weight_product(w: np.ndarray, cols: np.ndarray, out: np.ndarray) -> Callable[[], Any]:
    """Return the call that multiplies w (..., F, K) @ columns (..., K, P) -> (..., F, P) into
    ``out``.

    A float32 product is split into several with fewer columns where BLAS multiplies those without
    packing.
    """
    (f, k), p = w.shape[-2:], cols.shape[-1]
    part_length = p
    if w.dtype == cols.dtype == np.float32 and w.size and p:
        part_length = _choose_part_length(f, k, p, w.strides[-2] < w.strides[-1])
    if part_length == p:
        return partial(np.matmul, w, cols, out=out)
    col_parts, out_parts = (
        a.reshape(*a.shape[:-1], -1, part_length).swapaxes(-3, -2) for a in (cols, out)
    )
    return partial(np.matmul, w if w.ndim == 2 else w[..., None, :, :], col_parts, out=out_parts)


def view_successive_rows(rows: np.ndarray, count: int) -> np.ndarray:
    """View dense rows (..., H, K, P) as (..., H-count+1, count*K, P): each row followed by the next
    ``count - 1`` rows.

    The rows of the view overlap in memory.
    """
    *leading, h, k, p = rows.shape
    shape, step = (*leading, h - count + 1, count * k, p), rows.itemsize
    return as_strided(rows, shape, (*rows.strides[:-2], p * step, step))


def bind_gemm(w: np.ndarray, cols: np.ndarray, group: int, out: np.ndarray) -> Callable[[], Any]:
    """Return the call that multiplies w (F, C/g, *kernel) @ columns (C*K, P) -> (F, P), group by
    group, into ``out``.

    w must be contiguous, since it is reshaped to (F, C/g*K).
    """
    f, p = w.shape[0], cols.shape[1]
    if group == 1:
        return bind_weight_product(w.reshape(f, -1), cols, out)
    w = w.reshape(group, f // group, -1)
    return partial(np.matmul, w, split_groups(cols, group), out=out.reshape(group, f // group, p))


# A GEMM of at most this many results, each a long sum, is faster as a sum of several small GEMMs.
_FEW_RESULTS = 1024
# A large GEMM is cut into parts for the threads, of at least _PART_FLOPS multiply-adds each.
_PART_FLOPS, _LEAST_PARTS = 4_000_000, 4


def compute_outer_scratch(rows: int, cols: int, length: int, group: int = 1) -> tuple[int, ...]:
    """Return the shape of the scratch array of :func:`emit_outer` for a (rows, length) and b (cols,
    length).

    The shape is (arrays, group, longer side, shorter side). There is one array for the product, or,
    if the length is cut into parts, the first is for their sum and the others for their products.
    """
    m, k, parts = rows // group, cols // group, 1
    while (
        m * k <= _FEW_RESULTS
        and m * k * length > parts * SMALL_PRODUCT_MULTIPLY_ADDS
        and not length % parts
    ):
        parts *= 2
    parts = parts // 2 if length % parts else parts
    while (
        parts < _LEAST_PARTS
        and m * k * length > 2 * parts * _PART_FLOPS
        and not length % (2 * parts)
    ):
        parts *= 2
    return (parts + (parts > 1), group, max(k, m), min(k, m))


def emit_outer(
    a: np.ndarray, b: np.ndarray, group: int, work: np.ndarray
) -> tuple[Calls, np.ndarray]:
    """Return the calls that compute b @ a.T, group by group, and a view of the result in ``work``.

    The faster order is used: of b @ a.T and a @ b.T, the one with more rows is up to twice as fast.
    Few results with long sums are computed in parts.

    Args:
        a: (M, P).
        b: (K, P).
        group: the number of groups g, into which the rows of both are divided.
        work: the array of :func:`compute_outer_scratch`.

    Returns:
        The calls, and the result as (group, K/g, M/g).
    """
    parts, is_swapped = max(1, len(work) - 1), len(a) > len(b)
    left, right = (
        x.reshape(group, len(x) // group, parts, x.shape[1] // parts).transpose(2, 0, 1, 3)
        for x in ((a, b) if is_swapped else (b, a))
    )
    product = work[1:] if parts > 1 else work
    calls: Calls = [partial(np.matmul, left, right.swapaxes(2, 3), out=product)]
    if parts > 1:
        calls.append(partial(np.add.reduce, product, axis=0, out=work[0]))
    return calls, work[0].swapaxes(1, 2) if is_swapped else work[0]


def emit_filter_gradient(
    dy: np.ndarray, cols: np.ndarray, group: int, out: np.ndarray, work: np.ndarray
) -> Calls:
    """Return the calls that write dy (F, P) @ columns.T (P, C*K), group by group, to ``out``, the
    gradient of the weight; ``work`` is the array of :func:`compute_outer_scratch`.
    """
    product, gradient = emit_outer(dy, cols, group, work)
    by_filter = split_groups(out, group)
    return [*product, make_copy_call(by_filter, gradient.swapaxes(1, 2).reshape(by_filter.shape))]


# Gradients of single rows are summed in groups of at most _SUM_ELEMENTS elements. From
# _TRANSPOSE_FROM rows of columns on, small products are a quarter faster with dy transposed.
_SUM_ELEMENTS, _TRANSPOSE_FROM = 1 << 20, 96


def compute_row_scratch(count: int, rows: int, cols: int, length: int) -> list[tuple[int, ...]]:
    """Return the shapes of the scratch arrays of :func:`emit_filter_gradient_by_rows`.

    These hold the products of a group of the ``count`` dy (cols, length) and columns (rows,
    length), their sum, and dy transposed if that pays.
    """
    rows_at_once = max(1, min(count, _SUM_ELEMENTS // max(1, rows * cols)))
    needs_transpose = rows >= _TRANSPOSE_FROM and rows * cols * length <= get_small_product_limit()
    return [
        (rows_at_once, rows, cols),
        (rows, cols),
        (count, length, cols) if needs_transpose else (0,),
    ]


def emit_filter_gradient_by_rows(
    dy: np.ndarray, rows: np.ndarray, out: np.ndarray, work: Any
) -> Calls:
    """Return the calls that compute the gradient of the weight row by row, in the blocked layout.

    The gradient of the Toeplitz matrix, which holds B shifted copies of the weight, is summed over
    the rows first. Then the gradients of the B copies are added.

    Args:
        dy: by row, (OH, F*B, P).
        rows: the columns of each row, (H, K, P).
        out: the gradient (F, C, KH, KW).
        work: the arrays of :func:`compute_row_scratch`.
    """
    (f, c, kh, kw), (row_products, total, transposed) = out.shape, work
    b, rows_met = dy.shape[1] // f, view_successive_rows(rows, kh)
    calls: Calls = []
    dy_columns = dy.swapaxes(1, 2)
    if transposed.size:
        calls.append(make_copy_call(transposed, dy_columns))
        dy_columns = transposed
    for begin in range(0, len(dy), len(row_products)):
        batch = slice(begin, min(begin + len(row_products), len(dy)))
        products = row_products[: batch.stop - begin]
        calls.append(partial(np.matmul, rows_met[batch], dy_columns[batch], out=products))
        if begin:
            calls.append(partial(np.add, total, products[0], out=products[0]))
        calls.append(partial(np.add.reduce, products, axis=0, out=total))
    taps = total.reshape(kh, c, kw + b - 1, f, b).transpose(4, 3, 1, 0, 2)
    first_copy, *later_copies = [taps[i, :, :, :, i : i + kw] for i in range(b)]
    additions = [partial(np.add, out, copy, out=out) for copy in later_copies]
    return [*calls, partial(np.copyto, out, first_copy), *additions]


def bind_input_gemm(
    w: np.ndarray, dy: np.ndarray, group: int, out: np.ndarray
) -> Callable[[], Any]:
    """Return the call that multiplies the transposed weight (C/g*K, F) @ dy (F, P) -> (C*K, P),
    group by group, into ``out``.

    w (F, C/g, *kernel) must be contiguous, since it is reshaped.
    """
    f = w.shape[0]
    if group == 1:
        return bind_weight_product(w.reshape(f, -1).T, dy, out)
    taps = w.reshape(group, f // group, -1).transpose(0, 2, 1)
    return partial(np.matmul, taps, split_groups(dy, group), out=split_groups(out, group))
