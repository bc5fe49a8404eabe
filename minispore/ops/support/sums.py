"""Sums as matrix products with ones, and the mean and variance of channels from such sums.

BLAS adds three to five times as fast as ``add.reduce``, but only contiguous float arrays qualify;
all others use ``add.reduce``. A long sum is split into partial sums of ``_RUN`` elements, so its
rounding error does not grow with its length.

Functions named ``bind_`` return a call, functions named ``emit_`` a list of calls.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls
from minispore.execution.kernels import blas
from minispore.execution.kernels.blas import bind_subtract_column, get_ones
from minispore.ops.elementwise.bases import choose_sum_dtype
from minispore.ops.support.arguments import broadcast_along, get_other_axes

_RUN = 4096  # elements summed by one product
_LEAST = 1024  # below this number of elements a product is no faster
_LONG_ROW = 128  # from this row length on, a BLAS product is faster than einsum
_FLOAT_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


def can_sum_spec_fast(x: Any) -> bool:
    """Whether products can compute sums of ``x``, an array or a spec, assuming it is contiguous.

    It must be float32 or float64 with at least ``_LEAST`` elements.
    """
    return x.size >= _LEAST and x.dtype in _FLOAT_DTYPES


def can_sum_fast(x: np.ndarray) -> bool:
    """Whether products can compute sums of the array ``x``: a large, C-contiguous float array."""
    return can_sum_spec_fast(x) and x.flags.c_contiguous


def try_sum(x: np.ndarray, axes: tuple[int, ...], out: np.ndarray) -> bool:
    """Sum ``x`` along its first, last or all axes into ``out``, if products can compute this sum.

    ``axes`` are in ascending order. Sums along the first or last axes need 8 to ``_RUN`` elements
    each.

    Returns:
        Whether the sum was computed; if not, ``out`` is unchanged.
    """
    if not can_sum_fast(x) or not axes or out.dtype != x.dtype or not out.flags.c_contiguous:
        return False
    count = math.prod([x.shape[i] for i in axes])
    if axes == tuple(range(x.ndim)):
        full_length = x.size // _RUN * _RUN
        flat = x.reshape(-1)
        partial_sums = np.matmul(flat[:full_length].reshape(-1, _RUN), get_ones(_RUN, x.dtype))
        out[...] = np.add.reduce(partial_sums) + np.add.reduce(flat[full_length:])
    elif not 8 <= count <= _RUN:
        return False
    elif axes == tuple(range(x.ndim - len(axes), x.ndim)):
        np.matmul(x.reshape(-1, count), get_ones(count, x.dtype), out=out.reshape(-1))
    elif axes == tuple(range(len(axes))):
        np.matmul(get_ones(count, x.dtype), x.reshape(count, -1), out=out.reshape(-1))
    else:
        return False
    return True


def bind_sum_of_rows(x: np.ndarray, out: np.ndarray) -> partial[Any] | None:
    """Return the call that sums the rows of ``x`` (n, m) into ``out`` (m,); None if no product can.

    A product needs a contiguous float32 or float64 ``x`` of at most ``_RUN`` rows, in C or Fortran
    order.
    """
    if x.dtype not in _FLOAT_DTYPES or x.dtype != out.dtype or not 0 < len(x) <= _RUN:
        return None
    if x.flags.c_contiguous:
        return partial(np.matmul, get_ones(len(x), x.dtype), x, out)
    return partial(np.matmul, x.T, get_ones(len(x), x.dtype), out) if x.flags.f_contiguous else None


def sum_along_axes(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Return ``x`` summed along ``axes``, which keep length 1, in its own dtype."""
    out = np.empty([1 if i in axes else n for i, n in enumerate(x.shape)], x.dtype)
    if not try_sum(x, axes, out):
        np.add.reduce(x, axes, out=out, keepdims=True)
    return out


def subtract_per_row(
    x: np.ndarray, subtrahend: np.ndarray, axes: tuple[int, ...], out: np.ndarray
) -> np.ndarray:
    """Write ``x - subtrahend`` to ``out``, and return it; ``subtrahend`` has length 1 along
    ``axes``.

    ``out`` may be ``x``.
    If ``axes`` are the last axes, BLAS subtracts one number from each row.
    """
    is_along_last_axes = axes == tuple(range(x.ndim - len(axes), x.ndim))
    if not is_along_last_axes or x.size < blas.MIN_ELEMENTS or not out.flags.c_contiguous:
        return np.subtract(x, subtrahend, out=out)
    if out is not x:
        np.copyto(out, x)
    bind_subtract_column(out.reshape(subtrahend.size, -1), subtrahend.reshape(-1))()
    return out


def bind_row_dots(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> partial[Any]:
    """Return the call that writes the dot products of the rows of x and y (rows, n) to ``out``
    (rows,).
    """
    return partial(np.matmul, x[:, None], y[..., None], out[:, None, None])


def emit_channel_dots(x: np.ndarray, y: np.ndarray | None, axis: int, out: np.ndarray) -> Calls:
    """Return the calls that sum x * y over all axes but ``axis`` into ``out``; just x if y is None.

    If the batch is innermost, each run of a channel is a separate product, so the sum of a channel
    does not depend on the number of channels. Other layouts use einsum or ``add.reduce``.
    """
    x_rows = _view_channels(x, axis, out)
    y_rows = x_rows if y is None or y is x else _view_channels(y, axis, out)
    if x_rows is None or y_rows is None:
        if y is None:
            over = get_other_axes(axis, x.ndim)
            return [partial(np.add.reduce, x, over, choose_sum_dtype(out.dtype), out)]
        labels = list(range(x.ndim))
        einsum = partial(np.einsum, x, labels, y, labels, [axis], out=out, dtype=out.dtype)
        return [partial(einsum, casting="same_kind")]
    count, length = x_rows.shape
    full_length = length // _RUN * _RUN
    # The last column is for the remainder, which is shorter than a run.
    partial_sums = np.zeros((count, full_length // _RUN + 1), x.dtype)
    calls: Calls = []
    for columns, sums, run in (
        (slice(full_length), partial_sums[:, :-1], _RUN),
        (slice(full_length, None), partial_sums[:, -1:], length - full_length),
    ):
        if run and sums.size:
            a = x_rows[:, columns].reshape(count, -1, 1, run)
            b = get_ones(run, x.dtype) if y is None else y_rows[:, columns].reshape(count, -1, run)
            calls.append(partial(np.matmul, a, b[..., None], sums[..., None, None]))
    return [*calls, partial(np.add.reduce, partial_sums, 1, None, out)]


def _view_channels(x: np.ndarray, axis: int, out: np.ndarray) -> np.ndarray | None:
    """View x (N, C, *size) as (C, elements) if the batch is innermost and products can compute its
    sums; else return None.

    None also if the rows are short, or ``out``, the array for the sums, has another dtype.
    """
    if axis != 1 or x.dtype != out.dtype or x.dtype not in _FLOAT_DTYPES:
        return None
    batch_last = x.transpose(*range(1, x.ndim), 0)
    has_long_rows = x.size >= _LONG_ROW * len(batch_last) > 0
    if not has_long_rows or not batch_last.flags.c_contiguous:
        return None
    return batch_last.reshape(len(batch_last), -1)


def bind_column_copy(column: np.ndarray, out: np.ndarray) -> partial[Any]:
    """Return the call that copies ``column`` (n,) to the first column of ``out`` (n, 2).

    The caller has set the second column of ``out`` to 0: the matrix product of two such arrays is
    then the outer product of the columns. Where such products are also summed, BLAS takes half the
    time of a ufunc.
    """
    return partial(np.copyto, out[:, 0], column, casting="same_kind")


@lru_cache(maxsize=64)
def get_ones_column(count: int, dtype: np.dtype) -> np.ndarray:
    """Return a cached, read-only array (count, 2) with ones in the first column and zeros in the
    second.
    """
    pairs = np.zeros((count, 2), dtype)
    pairs[:, 0] = 1
    pairs.flags.writeable = False
    return pairs


def compute_row_dots(x: np.ndarray, y: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Return x * y summed along ``axes``, which keep length 1.

    Contiguous arrays are multiplied by BLAS or einsum if that is the last axis.
    """
    if axes == (x.ndim - 1,) and can_sum_fast(x) and can_sum_fast(y):
        if x.shape[-1] < _LONG_ROW:
            return np.einsum("...i,...i->...", x, y)[..., None]
        out = np.empty((*x.shape[:-1], 1), x.dtype)
        bind_row_dots(x.reshape(-1, x.shape[-1]), y.reshape(-1, x.shape[-1]), out.reshape(-1))()
        return out
    return np.add.reduce(np.multiply(x, y), axes, keepdims=True)


# -- the mean and the variance of channels --------------------------------------------------------


def emit_mean_estimate(x: np.ndarray, axis: int, out: np.ndarray) -> Calls:
    """Return the calls that write an estimate of each channel's mean to ``out``, from every eighth
    row.

    Channels are along ``axis``. Rows are along the second of the other axes, or the only one.
    Estimates that are not finite become 0.
    """
    axes = get_other_axes(axis, x.ndim)
    rows = [slice(None)] * x.ndim
    rows[axes[min(1, len(axes) - 1)]] = slice(None, None, 8)
    sample = x[tuple(rows)]
    count = max(1, sample.size // max(1, out.size))
    return [
        partial(np.add.reduce, sample, axes, out.dtype, out),
        partial(_divide_to_finite_mean, count, out),
    ]


def _divide_to_finite_mean(count: int, out: np.ndarray) -> None:
    """Divide the sums in ``out`` by ``count`` in place, and set results that are not finite to
    0.
    """
    np.true_divide(out, count, out)
    is_finite = np.isfinite(out)
    if np.count_nonzero(is_finite) < out.size:
        out[~is_finite] = 0


def emit_centred_moments(
    x: np.ndarray,
    axis: int,
    shift: np.ndarray,
    centred: np.ndarray,
    square: np.ndarray,
    residual_mean: np.ndarray,
) -> Calls:
    """Return the calls that compute the first two moments of x around ``shift``.

    Args:
        x: the input.
        axis: the axis of channels.
        shift: an estimate of the mean of each channel, read when the calls run.
        centred: gets x - shift.
        square: gets the mean of the squares of ``centred`` for each channel.
        residual_mean: gets the mean of ``centred`` for each channel.
    """
    n = x.size // max(1, shift.size)
    return [
        partial(np.subtract, x, broadcast_along(shift, axis, x.ndim), centred, casting="same_kind"),
        *emit_channel_dots(centred, centred, axis, square),
        partial(np.true_divide, square, n, square),
        *emit_channel_dots(centred, None, axis, residual_mean),
        partial(np.true_divide, residual_mean, n, residual_mean),
    ]


def finish_moments(
    recompute: Calls, mean: np.ndarray, var: np.ndarray, residual_mean: np.ndarray
) -> None:
    """Turn moments of x around an estimate of its mean into mean and variance, in place.

    Subtracting a number near the mean loses no digits, even if the mean is far greater than the
    standard deviation. An estimate farther from the mean than the standard deviation is therefore
    corrected and the moments are recomputed. Infinite values give the same results as plain sums.

    Args:
        recompute: the calls of :func:`emit_centred_moments`, with ``mean`` as their shift.
        mean: the estimate; gets the mean.
        var: the mean square of x - estimate; gets the variance.
        residual_mean: the mean of x - estimate; overwritten if the moments are recomputed.
    """
    square = residual_mean * residual_mean
    needs_shift = square > var
    if np.count_nonzero(needs_shift):
        np.add(mean, np.where(needs_shift, residual_mean, 0), out=mean, casting="same_kind")
        for call in recompute:
            call()
        square = residual_mean * residual_mean
    is_finite = np.isfinite(square)
    if np.count_nonzero(is_finite) < square.size:
        square[np.isfinite(residual_mean) & np.isinf(var)] = 0
    np.subtract(var, square, var)
    np.maximum(var, 0, out=var)
    np.add(mean, residual_mean, mean)


__all__: list[str] = []
