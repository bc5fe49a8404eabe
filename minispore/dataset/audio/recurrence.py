"""Recursive filters: y[n] = sum_j b[j] x[n - j] - sum_j a[j] y[n - j].

The response of a block of samples from rest is one matrix product with the impulse response. The
effect of earlier blocks depends only on their last few outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

BLOCK = 64  # samples; larger blocks have a larger product but need fewer carry-over steps


def apply_iir_filter(x: np.ndarray, a: Sequence[float], b: Sequence[float]) -> np.ndarray:
    """Filter (rows, time) along the last axis, from rest, in float64.

    a[0] y[n] = sum_j b[j] x[n - j] - sum_(j > 0) a[j] y[n - j]; an unstable filter overflows to inf
    or NaN without a warning.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # an unstable filter overflows
        fed_forward = _apply_feedforward(x, [v / a[0] for v in b])
        return _apply_feedback(fed_forward, [v / a[0] for v in a[1:]])


def _apply_feedforward(x: np.ndarray, b: Sequence[float]) -> np.ndarray:
    """Return sum_j b[j] x[n - j] in float64, where x is 0 before the beginning."""
    x = x.astype(np.float64)
    out = x * b[0]
    for j, weight in enumerate(b[1:], 1):
        if weight and j < x.shape[1]:
            out[:, j:] += x[:, :-j] * weight
    return out


def _apply_feedback(u: np.ndarray, a: Sequence[float]) -> np.ndarray:
    """Return y[n] = u[n] - sum_j a[j] y[n - 1 - j], from rest, block by block.

    ``u`` is (rows, time); it is returned itself if there is no feedback.
    """
    while a and not a[-1]:
        a = a[:-1]
    if not a:
        return u
    order, (rows, time) = len(a), u.shape
    size = max(BLOCK, order)
    rest_response, carry_response = _compute_responses(tuple(a), size)
    blocks = -(-time // size)
    padded = np.zeros((rows, blocks * size))
    padded[:, :time] = u
    y = np.matmul(padded.reshape(rows, blocks, size), rest_response)
    # last: (rows, blocks, order), the last outputs of each block; each iteration adds the effect
    # of twice as many earlier blocks
    last, carry, reach = y[..., -order:].copy(), carry_response[:, -order:], 1
    while reach < blocks and carry.any():
        last[:, reach:] += np.matmul(last[:, :-reach], carry)
        carry, reach = carry @ carry, 2 * reach
    y[:, 1:] += np.matmul(last[:, :-1], carry_response)
    return y.reshape(rows, blocks * size)[:, :time]


@lru_cache(maxsize=16)
def _compute_responses(a: tuple[float, ...], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrices that map a block's inputs, and earlier outputs, to its outputs.

    They are (size, size) and (order, size), where order is len(a); the last 16 pairs are cached.
    """
    order = len(a)
    responses = np.zeros((order + 1, order + size))  # to each earlier output, and to an impulse
    responses[:order, :order] = np.eye(order)
    responses[order, order] = 1.0
    reversed_a = np.array(a[::-1])
    for n in range(order, order + size):
        responses[:, n] -= responses[:, n - order : n] @ reversed_a
    impulse = responses[order, order:]
    lags = np.arange(size)[None] - np.arange(size)[:, None]
    return np.where(lags >= 0, impulse[lags], 0.0), responses[:order, order:].copy()
