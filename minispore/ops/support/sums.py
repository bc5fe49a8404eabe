"""Sums as products with ones: BLAS adds three to five times as fast as ``add.reduce``.

Only of float arrays that lie row by row; everything else is for ``add.reduce``. A long sum is made
of partial ones of ``_RUN`` elements, so its rounding does not grow with its length.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import Any

import numpy as np

from minispore.core.blas import ones
from minispore.ops.elementwise.bases import sum_dtype

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


def dots(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> partial[Any]:
    """What sums x y (rows, n) along the rows into ``out``."""
    return partial(np.matmul, x[:, None], y[..., None], out[:, None, None])


def channel_dots(x: np.ndarray, y: np.ndarray | None, axis: int, out: np.ndarray) -> None:
    """x y summed over all axes but ``axis`` into ``out``; x alone where y is None.

    Where the batch lies innermost, by a product for each run of a channel: so the sum of one does
    not depend on which others there are.
    """
    rows = _channels(x, axis, out)
    by = rows if y is None else _channels(y, axis, out)
    if rows is None or by is None:
        letters = list(range(x.ndim))
        if y is None:
            np.add.reduce(x, (*letters[:axis], *letters[axis + 1 :]), sum_dtype(out.dtype), out=out)
        else:
            np.einsum(x, letters, y, letters, [axis], out=out, dtype=out.dtype, casting="same_kind")
        return
    count, length = rows.shape
    whole = length // _RUN * _RUN
    parts = np.zeros((count, whole // _RUN + 1), x.dtype)  # the last one of what is left
    for some, made, run in (
        (slice(whole), parts[:, :-1], _RUN),
        (slice(whole, None), parts[:, -1:], length - whole),
    ):
        if run and made.size:
            a = rows[:, some].reshape(count, -1, 1, run)
            b = ones(run, x.dtype) if y is None else by[:, some].reshape(count, -1, run)
            np.matmul(a, b[..., None], out=made[..., None, None])
    np.add.reduce(parts, 1, out=out)


def _channels(x: np.ndarray, axis: int, out: np.ndarray) -> np.ndarray | None:
    """x as (channels, the rest), if products serve for sums of it."""
    if axis != 1 or x.dtype != out.dtype:
        return None
    seen = x.transpose(*range(1, x.ndim), 0)
    return seen.reshape(len(seen), -1) if quick(seen) else None


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


__all__: list[str] = []
