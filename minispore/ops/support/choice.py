"""Choices by bits: NumPy copies what a mask allows element by element, and combines whole numbers
eight at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.ops.elementwise.bases import bits

_SLICE_BYTES = 512 << 10  # of the result at a time, so that what is worked in stays in the cache


def choose(
    condition: np.ndarray, x: Any, y: Any, out: np.ndarray, casting: Any = "same_kind"
) -> None:
    """``x`` where the bools ``condition`` hold, else ``y``, in ``out``, to which all broadcast.

    Raises:
        TypeError: x or y can't be cast to the dtype of ``out``.
    """
    x, y = (_cast(a, out.dtype, casting) for a in (x, y))
    if out.itemsize > 8 or not out.size:
        np.copyto(out, np.where(condition, x, y))
    elif out.nbytes > _SLICE_BYTES:
        step = max(1, len(out) * _SLICE_BYTES // out.nbytes)
        for at in range(0, len(out), step):
            some: Any = slice(at, at + step) if step > 1 else at  # a single one: go on inside it

            def part(a: np.ndarray, some: Any = some) -> np.ndarray:
                if a.ndim < out.ndim:
                    return a
                return a[some] if len(a) > 1 else a if step > 1 else a[0]

            choose(part(condition), part(x), part(y), out[some])
    else:
        x, y = bits(x), bits(y)
        chosen = np.negative(condition.astype(np.int8)).astype(x.dtype)  # all bits, or none
        np.bitwise_xor(np.bitwise_and(chosen, np.bitwise_xor(x, y)), y, out=bits(out))


def _cast(a: Any, dtype: np.dtype, casting: Any) -> np.ndarray:
    if isinstance(a, np.ndarray) and a.dtype == dtype:
        return a
    made = np.empty(np.shape(a), dtype)
    np.copyto(made, a, casting=casting)
    return made


__all__: list[str] = []
