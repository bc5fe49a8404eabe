"""Sums as products with ones: BLAS adds three to five times as fast as ``add.reduce``. And what is
made of sums: mean and variance of channels.

Only of float arrays that lie row by row; everything else is for ``add.reduce``. A long sum is made
of partial ones of ``_RUN`` elements, so its rounding does not grow with its length.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import Any

import numpy as np

from minispore.core.kernels import blas
from minispore.core.kernels.blas import column_taken, ones
from minispore.core.primitive import Calls
from minispore.ops.elementwise.bases import sum_dtype
from minispore.ops.support.axes import along, others

_RUN = 4096  # elements that one product adds up
_LEAST = 1024  # elements below which a product saves nothing
_LONG_ROW = 128  # elements of a row from which one of BLAS's products takes less than einsum
_KINDS = (np.dtype(np.float32), np.dtype(np.float64))


def quick_spec(x: Any) -> bool:
    """Whether products serve for sums of ``x``, an array or a spec, if it lies row by row."""
    return x.size >= _LEAST and x.dtype in _KINDS


def quick(x: np.ndarray) -> bool:
    """Whether products serve for sums of ``x``."""
    return quick_spec(x) and x.flags.c_contiguous


def total(x: np.ndarray, axes: tuple[int, ...], out: np.ndarray) -> bool:
    """``x`` summed along the first, the last or all of its axes into ``out``, in its order; False
    if this is not quick, and nothing was done.
    """
    if not quick(x) or not axes or out.dtype != x.dtype or not out.flags.c_contiguous:
        return False
    count = math.prod([x.shape[i] for i in axes])
    if axes == tuple(range(x.ndim)):
        whole = x.size // _RUN * _RUN
        flat = x.reshape(-1)
        parts = np.matmul(flat[:whole].reshape(-1, _RUN), ones(_RUN, x.dtype))
        out[...] = np.add.reduce(parts) + np.add.reduce(flat[whole:])
    elif not 8 <= count <= _RUN:
        return False
    elif axes == tuple(range(x.ndim - len(axes), x.ndim)):
        np.matmul(x.reshape(-1, count), ones(count, x.dtype), out=out.reshape(-1))
    elif axes == tuple(range(len(axes))):
        np.matmul(ones(count, x.dtype), x.reshape(count, -1), out=out.reshape(-1))
    else:
        return False
    return True


def rows_sum(x: np.ndarray, out: np.ndarray) -> partial[Any] | None:
    """What adds up the rows of ``x`` (n, m) into ``out``; None if a product can't."""
    if x.dtype not in _KINDS or x.dtype != out.dtype or not 0 < len(x) <= _RUN:
        return None
    if x.flags.c_contiguous:
        return partial(np.matmul, ones(len(x), x.dtype), x, out)
    return partial(np.matmul, x.T, ones(len(x), x.dtype), out) if x.flags.f_contiguous else None


def row_sums(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """``x`` summed along ``axes``, which stay with length 1."""
    out = np.empty([1 if i in axes else n for i, n in enumerate(x.shape)], x.dtype)
    if not total(x, axes, out):
        np.add.reduce(x, axes, out=out, keepdims=True)
    return out


def less_each(x: np.ndarray, by: np.ndarray, axes: tuple[int, ...], out: np.ndarray) -> np.ndarray:
    """``x - by`` in ``out``, where ``by`` has length 1 along ``axes``: a number for each row."""
    last = axes == tuple(range(x.ndim - len(axes), x.ndim))
    if not last or x.size < blas.LEAST or not out.flags.c_contiguous:
        return np.subtract(x, by, out=out)
    if out is not x:
        np.copyto(out, x)
    column_taken(out.reshape(by.size, -1), by.reshape(-1))()
    return out


def dots(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> partial[Any]:
    """What sums x y (rows, n) along the rows into ``out``."""
    return partial(np.matmul, x[:, None], y[..., None], out[:, None, None])


def channel_dots(x: np.ndarray, y: np.ndarray | None, axis: int, out: np.ndarray) -> Calls:
    """Calls that sum x y over all axes but ``axis`` into ``out``; x alone where y is None.

    Where the batch lies innermost, by a product for each run of a channel: so the sum of one does
    not depend on which others there are.
    """
    rows = _channels(x, axis, out)
    by = rows if y is None or y is x else _channels(y, axis, out)
    if rows is None or by is None:
        letters = list(range(x.ndim))
        if y is None:
            over = (*letters[:axis], *letters[axis + 1 :])
            return [partial(np.add.reduce, x, over, sum_dtype(out.dtype), out)]
        dots = partial(np.einsum, x, letters, y, letters, [axis], out=out, dtype=out.dtype)
        return [partial(dots, casting="same_kind")]
    count, length = rows.shape
    whole = length // _RUN * _RUN
    parts = np.zeros((count, whole // _RUN + 1), x.dtype)  # the last one of what is left
    calls: Calls = []
    for some, made, run in (
        (slice(whole), parts[:, :-1], _RUN),
        (slice(whole, None), parts[:, -1:], length - whole),
    ):
        if run and made.size:
            a = rows[:, some].reshape(count, -1, 1, run)
            b = ones(run, x.dtype) if y is None else by[:, some].reshape(count, -1, run)
            calls.append(partial(np.matmul, a, b[..., None], made[..., None, None]))
    return [*calls, partial(np.add.reduce, parts, 1, None, out)]


def _channels(x: np.ndarray, axis: int, out: np.ndarray) -> np.ndarray | None:
    """x as (channels, the rest), if products serve for sums of it."""
    if axis != 1 or x.dtype != out.dtype or x.dtype not in _KINDS:
        return None
    seen = x.transpose(*range(1, x.ndim), 0)
    long = x.size >= _LONG_ROW * len(seen) > 0
    return seen.reshape(len(seen), -1) if long and seen.flags.c_contiguous else None


def pairs(column: np.ndarray, out: np.ndarray) -> partial[Any]:
    """What makes of (n,) the first column of ``out`` (n, 2), whose second one is 0: the product of
    two such is their outer product. BLAS fills it in half the time of a ufunc, if there is
    something to be added; that is 0.
    """
    return partial(np.copyto, out[:, 0], column, casting="same_kind")


@lru_cache(maxsize=64)
def pairs_of_ones(count: int, dtype: np.dtype) -> np.ndarray:
    """Those of as many ones, which nobody may change."""
    made = np.zeros((count, 2), dtype)
    made[:, 0] = 1
    made.flags.writeable = False
    return made


def row_dots(x: np.ndarray, y: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """x y summed along ``axes``, which stay with length 1."""
    if axes == (x.ndim - 1,) and quick(x) and quick(y):
        if x.shape[-1] < _LONG_ROW:
            return np.einsum("...i,...i->...", x, y)[..., None]
        made = np.empty((*x.shape[:-1], 1), x.dtype)
        dots(x.reshape(-1, x.shape[-1]), y.reshape(-1, x.shape[-1]), made.reshape(-1))()
        return made
    return np.add.reduce(np.multiply(x, y), axes, keepdims=True)


# -- the mean and the variance of channels --------------------------------------------------------

_SLICE_BYTES = 1536 << 10  # of channels over which all passes go before the next ones


def channel_slices(x: np.ndarray, axis: int) -> list[slice]:
    """Channels, as many at a time as stay in the cache of a core, where they lie one by one.

    The bits are the same.
    """
    channels = x.shape[1]
    apart = axis == 1 and x.strides[1] == max(x.strides)
    if apart and x.nbytes >= 2 * _SLICE_BYTES:
        parts = min(channels, -(-x.nbytes // _SLICE_BYTES))  # of like sizes: sums go the same way
        return [slice(channels * i // parts, channels * (i + 1) // parts) for i in range(parts)]
    return [slice(None)]


def near_mean(x: np.ndarray, axis: int, out: np.ndarray) -> Calls:
    """The mean of every eighth row per index of ``axis``; those may be unlike the others."""
    over = others(axis, x.ndim)
    rows = [slice(None)] * x.ndim
    rows[over[min(1, len(over) - 1)]] = slice(None, None, 8)
    some = x[tuple(rows)]
    count = max(1, some.size // max(1, out.size))
    return [partial(np.add.reduce, some, over, out.dtype, out), partial(_finite_mean, count, out)]


def _finite_mean(count: int, out: np.ndarray) -> None:
    np.true_divide(out, count, out)
    finite = np.isfinite(out)
    if np.count_nonzero(finite) < out.size:
        out[~finite] = 0


def around_mean(
    x: np.ndarray,
    axis: int,
    shift: np.ndarray,
    y: np.ndarray,
    square: np.ndarray,
    rest: np.ndarray,
) -> Calls:
    """x - shift in ``y``, the means of its squares in ``square``, its means in ``rest``."""
    n = x.size // max(1, shift.size)
    return [
        partial(np.subtract, x, along(shift, axis, x.ndim), y, casting="same_kind"),
        *channel_dots(y, y, axis, square),
        partial(np.true_divide, square, n, square),
        *channel_dots(y, None, axis, rest),
        partial(np.true_divide, rest, n, rest),
    ]


def moments(around: Calls, mean: np.ndarray, var: np.ndarray, rest: np.ndarray) -> None:
    """Mean and variance of what lies around ``mean``, by the means of its squares and itself.

    Sums of what lies around 0 lose nothing to a mean that is far greater than the deviation. For
    that ``mean`` has what is near it; where it has not, it is moved, and ``around`` run again. A
    value that is infinite, or whose square is, makes the mean and the variance what they would be
    by sums.
    """
    square = rest * rest
    unlike = square > var
    if np.count_nonzero(unlike):
        np.add(mean, np.where(unlike, rest, 0), out=mean, casting="same_kind")
        for each in around:
            each()
        square = rest * rest
    finite = np.isfinite(square)
    if np.count_nonzero(finite) < square.size:
        square[np.isfinite(rest) & np.isinf(var)] = 0
    np.subtract(var, square, var)
    np.maximum(var, 0, out=var)
    np.add(mean, rest, mean)


__all__: list[str] = []
