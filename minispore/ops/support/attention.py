"""Scaled dot-product attention, which all attention ops and layers use."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minispore.core.tensor import Tensor
from minispore.ops.elementwise.arithmetic import Mul
from minispore.ops.elementwise.powers import Exp
from minispore.ops.index.select import Select
from minispore.ops.linalg.products import BatchMatMul
from minispore.ops.network.softmax import Softmax
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.statistics.reduce import ReduceMax, ReduceSum

LOWEST = float(np.finfo(np.float32).min)  # the score of a dropped key: its exponential is 0


def compute_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    scale: float,
    shift: Tensor | None = None,
    dropped: Tensor | None = None,
    apply_dropout: Callable[[Tensor], Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """Return scaled dot-product attention, softmax(scale * q @ k.T + shift) @ v, and its scores.

    Args:
        q: the queries (B, N, S, D), float32; k and v may have fewer heads, each shared by several.
        k: the keys.
        v: the values.
        scale: the factor of the scores.
        shift: added to the scores.
        dropped: True for the keys that a query must not attend to; their scores become ``LOWEST``,
            their weights 0. A query with no other keys gets zeros.
        apply_dropout: called on the attention weights; returns those to use.

    Returns:
        The output (B, N, S, D of v), and the scores (B, N, S, keys) after scale, shift and drop.
    """
    shape = (*q.shape[:3], k.shape[2])
    scores = Mul()(_multiply_by_group(q, k, shape, transposed=True), scale)
    if shift is not None:
        scores = scores + shift
    if dropped is not None:
        scores = Select()(dropped, LOWEST, scores)
    weights = Softmax(-1)(scores)
    if dropped is not None:  # the softmax of a query without keys would be the mean of all values
        weights = Select()(dropped, 0.0, weights)
    if apply_dropout is not None:
        weights = apply_dropout(weights)
    return _multiply_by_group(weights, v, (*shape[:3], v.shape[3])), scores


def compute_softmax_sums(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Return each query's largest score, and the sum of exp(score - largest) over its keys, the
    last axis, which both keep with length 1.
    """
    largest = ReduceMax(keep_dims=True)(scores, -1)
    return largest, ReduceSum(keep_dims=True)(Exp()(scores - largest), -1)


def _multiply_by_group(
    x: Tensor, shared: Tensor, shape: tuple[int, ...], transposed: bool = False
) -> Tensor:
    """Return x @ ``shared`` (with ``transposed``, its transpose) in ``shape``; each head of
    ``shared`` serves a group of heads of x.
    """
    groups = Reshape()(x, (x.shape[0], shared.shape[1], -1, *x.shape[2:]))
    product = BatchMatMul(transpose_b=transposed)(groups, ExpandDims()(shared, 2))
    return Reshape()(product, shape)


__all__: list[str] = []
