"""The sums over all alignments that the CTC loss is made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from minispore.core.tensor import Tensor
from minispore.ops.elementwise.extremes import Maximum, Minimum
from minispore.ops.elementwise.powers import Exp, Log, Log1p
from minispore.ops.index.gather import GatherD
from minispore.ops.index.select import Select
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import Reshape
from minispore.ops.shape.whole import StopGradient
from minispore.ops.statistics.reduce import ReduceMax, ReduceSum

_NEVER = -1e30  # log 0 that can be subtracted from itself


class Paths(NamedTuple):
    """How the states of a batch of targets follow each other. All have the shape (N, 2S + 1)."""

    label: np.ndarray  # the class that each state emits
    stay: np.ndarray  # 0 where a state may repeat, else _NEVER
    skip: np.ndarray  # 0 where a state may follow the last but one, else _NEVER
    end: np.ndarray  # 0 for the one or two last states of each target, else _NEVER


def paths(targets: np.ndarray, lengths: np.ndarray, blank: int, merge: bool = True) -> Paths:
    """The states of targets (N, S), of which the first ``lengths`` labels count."""
    n, s = targets.shape
    label = np.full((n, 2 * s + 1), blank, np.int64)
    label[:, 1::2] = np.where(np.arange(s) < lengths[:, None], targets, blank)
    real = label != blank
    fresh = real.copy()
    if merge:
        fresh[:, 2:] &= label[:, 2:] != label[:, :-2]
    fresh[:, :2] = False
    state = np.arange(2 * s + 1)
    last = 2 * lengths[:, None]
    at_end = (state == last) | (state == last - 1)
    stay = np.ones_like(real) if merge else ~real
    return Paths(label, *[np.where(ok, 0.0, _NEVER) for ok in (stay, fresh, at_end)])


def _shifted(x: np.ndarray, k: int) -> np.ndarray:
    """x moved k states on (or back), with log 0 coming in."""
    made = np.full_like(x, _NEVER)
    if k > 0:
        made[:, k:] = x[:, :-k]
    else:
        made[:, :k] = x[:, -k:]
    return made


def forward(log_probs: np.ndarray, path: Paths, lengths: np.ndarray) -> np.ndarray:
    """alpha (T, N, 2S + 1); after the end of a sequence it stays as it was."""
    emit = np.take_along_axis(log_probs, path.label[None], 2)
    alpha = np.full_like(emit, _NEVER)
    alpha[0, :, :2] = emit[0, :, :2]
    alpha[0, lengths == 0] = _nothing(alpha.shape[2])
    for t in range(1, len(emit)):
        before = alpha[t - 1]
        ways = np.logaddexp(before + path.stay, _shifted(before, 1))
        ways = np.logaddexp(ways, _shifted(before, 2) + path.skip) + emit[t]
        alpha[t] = np.where((lengths > t)[:, None], ways, before)
    return alpha


def _nothing(states: int) -> np.ndarray:
    """alpha (2S + 1) of a sequence without steps, which has emitted no label."""
    return np.where(np.arange(states) == 0, 0.0, _NEVER)


def backward(log_probs: np.ndarray, path: Paths, lengths: np.ndarray) -> np.ndarray:
    """beta (T, N, 2S + 1): the log probability of what follows each state."""
    emit = np.take_along_axis(log_probs, path.label[None], 2)
    beta = np.full_like(emit, _NEVER)
    for t in reversed(range(len(emit))):
        last = np.equal(lengths - 1, t)[:, None]
        if t + 1 < len(emit):
            after = beta[t + 1] + emit[t + 1]
            ways = np.logaddexp(after + path.stay, _shifted(after, -1))
            ways = np.logaddexp(ways, _shifted(after + path.skip, -2))
            beta[t] = np.where((lengths > t)[:, None], ways, _NEVER)
        beta[t] = np.where(last, path.end, beta[t])
    return beta


def total(alpha: np.ndarray, path: Paths) -> np.ndarray:
    """-log of the probability of each target, infinite where it can't be read."""
    loss = -np.logaddexp.reduce(alpha[-1] + path.end, 1)
    return np.where(loss > -_NEVER / 2, np.inf, loss)


def occupancy(log_probs: np.ndarray, path: Paths, lengths: np.ndarray) -> np.ndarray:
    """The expected number of times that each class is emitted at each step, (T, N, C)."""
    alpha, beta = forward(log_probs, path, lengths), backward(log_probs, path, lengths)
    loss = total(alpha, path)
    share = np.exp(alpha + beta + np.where(np.isinf(loss), 0, loss)[:, None])
    made = np.zeros_like(log_probs)
    steps, batch = np.ogrid[: len(alpha), : alpha.shape[1]]
    np.add.at(made, (steps[..., None], batch[..., None], path.label[None]), share)
    made[np.arange(len(made))[:, None] >= lengths] = 0
    return made


def formula(log_probs: Tensor, path: Paths, lengths: np.ndarray) -> Tensor:
    """The losses in ops, step by step: for derivatives of higher order."""
    dtype = log_probs.dtype
    stay, skip, end = (Tensor(x, dtype) for x in path[1:])
    label, states = Tensor(path.label), path.label.shape[1]
    start = np.where(np.arange(states) < 2, 0.0, _NEVER)
    first = Concat(1)

    def emitted(t: int) -> Tensor:
        return GatherD()(log_probs[t], 1, label)

    def shifted(x: Tensor, k: int) -> Tensor:
        empty = Tensor(np.full((x.shape[0], k), _NEVER), dtype)
        return first((empty, x[:, :-k])) if k < states else Tensor(np.full(x.shape, _NEVER), dtype)

    def either(a: Tensor, b: Tensor) -> Tensor:
        top = Maximum()(a, b)
        return top + Log1p()(Exp()(Minimum()(a, b) - top))

    alpha = emitted(0) + Tensor(start, dtype)
    if not np.all(lengths):
        none = Tensor(np.broadcast_to(_nothing(states), label.shape), dtype)
        alpha = Select()(Tensor((lengths > 0)[:, None]), alpha, none)
    for t in range(1, log_probs.shape[0]):
        ways = either(either(alpha + stay, shifted(alpha, 1)), shifted(alpha, 2) + skip)
        running = Tensor((lengths > t)[:, None])
        alpha = Select()(running, ways + emitted(t), alpha)
    closing = alpha + end
    top = StopGradient()(ReduceMax(True)(closing, 1))
    summed = ReduceSum(True)(Exp()(closing - top), 1)
    return -Reshape()(Log()(summed) + top, (-1,))
