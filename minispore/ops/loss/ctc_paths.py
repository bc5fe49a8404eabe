"""Forward and backward sums over all alignments of a target, for the CTC losses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from minispore.core.tensor import Tensor
from minispore.ops.elementwise.extremes import Maximum, Minimum
from minispore.ops.elementwise.powers import Exp, Log, Log1p
from minispore.ops.index.gather import GatherD
from minispore.ops.index.select import Select
from minispore.ops.shape.cast_fill import StopGradient
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import Reshape
from minispore.ops.statistics.reduce import ReduceMax, ReduceSum

_LOG_ZERO = -1e30  # represents log 0, and can be subtracted from itself


class Paths(NamedTuple):
    """The allowed transitions between the states of a batch of targets.

    Every array has the shape (N, 2S + 1).
    """

    label: np.ndarray  # the class that each state emits
    stay: np.ndarray  # 0 where a state may repeat, else _LOG_ZERO
    skip: np.ndarray  # 0 where the previous state may be skipped, else _LOG_ZERO
    end: np.ndarray  # 0 for the last one or two states of each target, else _LOG_ZERO


def make_paths(targets: np.ndarray, lengths: np.ndarray, blank: int, merge: bool = True) -> Paths:
    """Make the paths of targets (N, S), of which only the first ``lengths`` labels are valid.

    With ``merge``, successive emissions of a label are merged.
    """
    n, s = targets.shape
    label = np.full((n, 2 * s + 1), blank, np.int64)
    label[:, 1::2] = np.where(np.arange(s) < lengths[:, None], targets, blank)
    is_label = label != blank
    can_skip = is_label.copy()
    if merge:
        can_skip[:, 2:] &= label[:, 2:] != label[:, :-2]
    can_skip[:, :2] = False
    state = np.arange(2 * s + 1)
    end = 2 * lengths[:, None]
    at_end = (state == end) | (state == end - 1)
    stay = np.ones_like(is_label) if merge else ~is_label
    return Paths(label, *[np.where(mask, 0.0, _LOG_ZERO) for mask in (stay, can_skip, at_end)])


def _shift_states(x: np.ndarray, k: int) -> np.ndarray:
    """Shift x by k states, forwards or backwards, and fill with log 0."""
    shifted = np.full_like(x, _LOG_ZERO)
    if k > 0:
        shifted[:, k:] = x[:, :-k]
    else:
        shifted[:, :k] = x[:, -k:]
    return shifted


def compute_alpha(log_probs: np.ndarray, path: Paths, lengths: np.ndarray) -> np.ndarray:
    """Return alpha (T, N, 2S + 1): the log probability of all alignments up to each step that end
    in each state.

    It is constant after the end of a sequence, whose number of steps is in ``lengths``.
    """
    emit = np.take_along_axis(log_probs, path.label[None], 2)
    alpha = np.full_like(emit, _LOG_ZERO)
    alpha[0, :, :2] = emit[0, :, :2]
    alpha[0, lengths == 0] = _make_empty_alpha(alpha.shape[2])
    # A state is reached from itself, from the state before it, or by skipping that state.
    for t in range(1, len(emit)):
        before = alpha[t - 1]
        log_sums = np.logaddexp(before + path.stay, _shift_states(before, 1))
        log_sums = np.logaddexp(log_sums, _shift_states(before, 2) + path.skip) + emit[t]
        alpha[t] = np.where((lengths > t)[:, None], log_sums, before)
    return alpha


def _make_empty_alpha(states: int) -> np.ndarray:
    """Return the alpha (2S + 1) of a sequence without steps, which has emitted no label."""
    return np.where(np.arange(states) == 0, 0.0, _LOG_ZERO)


def compute_beta(log_probs: np.ndarray, path: Paths, lengths: np.ndarray) -> np.ndarray:
    """Return beta (T, N, 2S + 1): the log probability of the remaining emissions after each
    state.
    """
    emit = np.take_along_axis(log_probs, path.label[None], 2)
    beta = np.full_like(emit, _LOG_ZERO)
    for t in reversed(range(len(emit))):
        is_last = np.equal(lengths - 1, t)[:, None]
        if t + 1 < len(emit):
            after = beta[t + 1] + emit[t + 1]
            log_sums = np.logaddexp(after + path.stay, _shift_states(after, -1))
            log_sums = np.logaddexp(log_sums, _shift_states(after + path.skip, -2))
            beta[t] = np.where((lengths > t)[:, None], log_sums, _LOG_ZERO)
        beta[t] = np.where(is_last, path.end, beta[t])
    return beta


def compute_target_losses(alpha: np.ndarray, path: Paths) -> np.ndarray:
    """Return -log of the probability of each target, infinite where no alignment exists."""
    loss = -np.logaddexp.reduce(alpha[-1] + path.end, 1)
    return np.where(loss > -_LOG_ZERO / 2, np.inf, loss)


def compute_occupancy(log_probs: np.ndarray, path: Paths, lengths: np.ndarray) -> np.ndarray:
    """Return the expected number of emissions of each class at each step, (T, N, C)."""
    alpha = compute_alpha(log_probs, path, lengths)
    beta = compute_beta(log_probs, path, lengths)
    loss = compute_target_losses(alpha, path)
    # The probability, given the target, that step t emits the label of state s: (T, N, 2S + 1).
    probabilities = np.exp(alpha + beta + np.where(np.isinf(loss), 0, loss)[:, None])
    counts = np.zeros_like(log_probs)
    steps, batch = np.ogrid[: len(alpha), : alpha.shape[1]]
    np.add.at(counts, (steps[..., None], batch[..., None], path.label[None]), probabilities)
    counts[np.arange(len(counts))[:, None] >= lengths] = 0
    return counts


def add_log_probabilities(a: Tensor, b: Tensor) -> Tensor:
    """Return log(e^a + e^b)."""
    maxima = Maximum()(a, b)
    return maxima + Log1p()(Exp()(Minimum()(a, b) - maxima))


def compute_losses_by_ops(log_probs: Tensor, path: Paths, lengths: np.ndarray) -> Tensor:
    """Compute the losses by differentiable ops, step by step, for derivatives of higher order."""
    dtype = log_probs.dtype
    stay, skip, end = (Tensor(x, dtype) for x in path[1:])
    label, states = Tensor(path.label), path.label.shape[1]
    start = np.where(np.arange(states) < 2, 0.0, _LOG_ZERO)
    concat = Concat(1)

    def get_emission(t: int) -> Tensor:
        """Return the log probability at step ``t`` of the label of each state."""
        return GatherD()(log_probs[t], 1, label)

    def shift_states(x: Tensor, k: int) -> Tensor:
        """Shift x by ``k`` states towards the end, and fill with log 0."""
        if k >= states:
            return Tensor(np.full(x.shape, _LOG_ZERO), dtype)
        empty = Tensor(np.full((x.shape[0], k), _LOG_ZERO), dtype)
        return concat((empty, x[:, :-k]))

    # The recursion of compute_alpha, of which only the current step is kept.
    alpha = get_emission(0) + Tensor(start, dtype)
    if not np.all(lengths):
        no_steps_alpha = Tensor(np.broadcast_to(_make_empty_alpha(states), label.shape), dtype)
        alpha = Select()(Tensor((lengths > 0)[:, None]), alpha, no_steps_alpha)
    for t in range(1, log_probs.shape[0]):
        log_sums = add_log_probabilities(
            add_log_probabilities(alpha + stay, shift_states(alpha, 1)),
            shift_states(alpha, 2) + skip,
        )
        is_running = Tensor((lengths > t)[:, None])
        alpha = Select()(is_running, log_sums + get_emission(t), alpha)
    closing = alpha + end
    maxima = StopGradient()(ReduceMax(keep_dims=True)(closing, 1))
    exp_sums = ReduceSum(keep_dims=True)(Exp()(closing - maxima), 1)
    return -Reshape()(Log()(exp_sums) + maxima, (-1,))
