"""y[n] = sum_j b[j] x[n - j] - sum_j a[j] y[n - j]: filters whose output comes back.

All that a block of samples answers from rest is one product with the impulse response; what is
still to come of the samples before it depends on the last few outputs alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

BLOCK = 64  # samples: with it the product grows, and there are fewer blocks that hear of others


def filtered(x: np.ndarray, a: Sequence[float], b: Sequence[float]) -> np.ndarray:
    """The filter along the last axis of (rows, time), from rest, in float64."""
    with np.errstate(over="ignore", invalid="ignore"):  # of a filter that is not stable
        return _fed_back(_delayed(x, [v / a[0] for v in b]), [v / a[0] for v in a[1:]])


def _delayed(x: np.ndarray, b: Sequence[float]) -> np.ndarray:
    x = x.astype(np.float64)
    out = x * b[0]
    for j, weight in enumerate(b[1:], 1):
        if weight and j < x.shape[1]:
            out[:, j:] += x[:, :-j] * weight
    return out


def _fed_back(u: np.ndarray, a: Sequence[float]) -> np.ndarray:
    """y[n] = u[n] - sum_j a[j] y[n - 1 - j]."""
    while a and not a[-1]:
        a = a[:-1]
    if not a:
        return u
    order, (rows, time) = len(a), u.shape
    size = max(BLOCK, order)
    at_rest, carried = _responses(tuple(a), size)
    blocks = -(-time // size)
    whole = np.zeros((rows, blocks * size))
    whole[:, :time] = u
    y = np.matmul(whole.reshape(rows, blocks, size), at_rest)
    # last: (rows, blocks, order), the last outputs of each block; in each turn they hear of twice
    # as many blocks before them
    last, onward, reach = y[..., -order:].copy(), carried[:, -order:], 1
    while reach < blocks and onward.any():
        last[:, reach:] += np.matmul(last[:, :-reach], onward)
        onward, reach = onward @ onward, 2 * reach
    y[:, 1:] += np.matmul(last[:, :-1], carried)
    return y.reshape(rows, blocks * size)[:, :time]


@lru_cache(maxsize=16)
def _responses(a: tuple[float, ...], size: int) -> tuple[np.ndarray, np.ndarray]:
    """What the inputs of a block, and the outputs before it, make of its outputs."""
    order = len(a)
    answers = np.zeros((order + 1, order + size))  # to each last output, and to an impulse
    answers[:order, :order] = np.eye(order)
    answers[order, order] = 1.0
    back = np.array(a[::-1])
    for n in range(order, order + size):
        answers[:, n] -= answers[:, n - order : n] @ back
    impulse = answers[order, order:]
    lags = np.arange(size)[None] - np.arange(size)[:, None]
    return np.where(lags >= 0, impulse[lags], 0.0), answers[:order, order:].copy()
