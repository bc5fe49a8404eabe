"""Selection by bit operations, which NumPy vectorizes (eight integers at a time), unlike masked
copies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.ops.elementwise.bases import view_as_integers

_SLICE_BYTES = 512 << 10  # size of a slice of the result: its temporary arrays fit in the cache


def select_by_mask(
    condition: np.ndarray, x: Any, y: Any, out: np.ndarray, casting: Any = "same_kind"
) -> None:
    """Write ``x`` where ``condition`` is True, else ``y``, to ``out``; all broadcast to its shape.

    ``casting`` is NumPy's rule for casts of x and y.

    Raises:
        TypeError: x or y can't be cast to the dtype of ``out``.
    """
    x, y = (_cast_operand(a, out.dtype, casting) for a in (x, y))
    if out.itemsize > 8 or not out.size:
        np.copyto(out, np.where(condition, x, y))
    elif out.nbytes > _SLICE_BYTES:
        step = max(1, len(out) * _SLICE_BYTES // out.nbytes)
        broadcast_index: Any = slice(None) if step > 1 else 0
        for begin in range(0, len(out), step):
            # A row that is larger than a slice is cut along its next axis.
            index: Any = slice(begin, begin + step) if step > 1 else begin

            def slice_operand(a: np.ndarray, index: Any = index) -> np.ndarray:
                """Return the part of ``a`` that broadcasts to slice ``index`` of the output."""
                if a.ndim < out.ndim:
                    return a
                return a[index if len(a) > 1 else broadcast_index]

            select_by_mask(slice_operand(condition), slice_operand(x), slice_operand(y), out[index])
    else:
        x, y = view_as_integers(x), view_as_integers(y)
        mask = np.negative(condition.astype(np.int8)).astype(x.dtype)  # all bits set, or none
        np.bitwise_xor(np.bitwise_and(mask, np.bitwise_xor(x, y)), y, out=view_as_integers(out))


def _cast_operand(a: Any, dtype: np.dtype, casting: Any) -> np.ndarray:
    """Return ``a`` as an array of this dtype, ``a`` itself if it already is one; raise TypeError if
    ``casting`` forbids the cast.
    """
    if isinstance(a, np.ndarray) and a.dtype == dtype:
        return a
    result = np.empty(np.shape(a), dtype)
    np.copyto(result, a, casting=casting)
    return result


__all__: list[str] = []
