"""What queries read of keys and values: the softmax that all attentions share."""

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

LOWEST = float(np.finfo(np.float32).min)  # the score of a key that is dropped: e to its power is 0


def attended(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    scale: float,
    shift: Tensor | None = None,
    dropped: Tensor | None = None,
    kept: Callable[[Tensor], Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """What each query reads of the values, and the scores, where those that are ``dropped`` are
    ``LOWEST``. All are (B, N, S, D) of float32; ``kept`` says what is left of the weights.
    """
    shape = (*q.shape[:3], k.shape[2])
    scores = Mul()(_by_group(q, k, shape, transposed=True), scale)
    if shift is not None:
        scores = scores + shift
    if dropped is not None:
        scores = Select()(dropped, LOWEST, scores)
    weights = Softmax(-1)(scores)
    if dropped is not None:  # of a query without keys the softmax is a mean of all
        weights = Select()(dropped, 0.0, weights)
    if kept is not None:
        weights = kept(weights)
    return _by_group(weights, v, (*shape[:3], v.shape[3])), scores


def summed(scores: Tensor) -> tuple[Tensor, Tensor]:
    """The largest score of each query, and the sum of the exponentials of all less that."""
    largest = ReduceMax(True)(scores, -1)
    return largest, ReduceSum(True)(Exp()(scores - largest), -1)


def _by_group(
    x: Tensor, shared: Tensor, shape: tuple[int, ...], transposed: bool = False
) -> Tensor:
    """x @ ``shared``, whose heads several of x share, in ``shape``."""
    groups = Reshape()(x, (x.shape[0], shared.shape[1], -1, *x.shape[2:]))
    made = BatchMatMul(False, transposed)(groups, ExpandDims()(shared, 2))
    return Reshape()(made, shape)


__all__: list[str] = []
