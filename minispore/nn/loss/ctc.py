"""The loss of a sequence whose alignment is not known."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.nn import check
from minispore.nn.loss.base import LossBase

_NEVER = -1e30  # the logarithm of a probability of 0 that has finite gradients


class CTCLoss(LossBase):
    """-log of the probability that the outputs, with repeats and blanks removed, spell the target;
    reduced.

    Args:
        blank: the class of the blank.
        reduction: ``"mean"`` (of each loss divided by its target's length), ``"sum"`` or
            ``"none"``.
        zero_infinity: replace losses of targets that don't fit, which are infinite, by 0.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: another ``reduction``; when called: shapes that do not fit.

    Shape: log_probs (T, N, C) or (T, C); targets (N, S); input_lengths, target_lengths (N,),
        tuples or ints.

    Source: Graves et al. 2006.
    """

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction)
        self.blank = check.an_int("CTCLoss", "blank", blank, 0)
        self.zero_infinity = check.a_bool("CTCLoss", "zero_infinity", zero_infinity)

    def construct(
        self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any
    ) -> Tensor:
        self._check_tensors(log_probs=log_probs, targets=targets)
        single = log_probs.ndim == 2
        if single:
            log_probs = ops.expand_dims(log_probs, 1)
            targets = ops.reshape(targets, (1, -1))
        check.ndim("CTCLoss", "log_probs", log_probs, 3)
        check.ndim("CTCLoss", "targets", targets, 2)
        _, n, classes = log_probs.shape
        if targets.shape[0] != n or self.blank >= classes:
            raise ValueError(
                f"CTCLoss: targets must have a row for each of the batch of {n} and blank be below "
                f"{classes} classes, "
                f"got {targets.shape} and {self.blank}."
            )
        lengths, target_lengths = (_lengths(x, n) for x in (input_lengths, target_lengths))
        loss = -self._log_likelihood(
            log_probs, ops.cast(targets, mstype.int32), lengths, target_lengths
        )
        if self.zero_infinity:
            loss = ops.select(loss >= -_NEVER / 2, ops.zeros_like(loss), loss)
        else:
            loss = ops.select(loss >= -_NEVER / 2, ops.full_like(loss, float("inf")), loss)
        if self.reduction == "mean":
            loss = loss / ops.cast(ops.maximum(target_lengths, 1), loss.dtype)
        loss = self.get_loss(loss)
        return ops.squeeze(loss, 0) if single and self.reduction == "none" else loss

    def _log_likelihood(
        self, log_probs: Tensor, targets: Tensor, lengths: Tensor, target_lengths: Tensor
    ) -> Tensor:
        """The forward algorithm over the labels with blanks around each: (N,)."""
        steps, n, _ = log_probs.shape
        count = targets.shape[1]
        blanks = ops.full((n, count, 1), self.blank, dtype=mstype.int32)
        pairs = ops.reshape(ops.concat((blanks, ops.expand_dims(targets, 2)), 2), (n, 2 * count))
        labels = ops.concat(
            (pairs, ops.full((n, 1), self.blank, dtype=mstype.int32)), 1
        )  # (N, 2 S + 1)
        width = 2 * count + 1
        never = ops.full((n, width), _NEVER, dtype=log_probs.dtype)
        # a blank between two different labels may be skipped
        before = ops.concat((ops.full((n, 2), -1, dtype=mstype.int32), labels[:, :-2]), 1)
        may_skip = ops.logical_and(labels != self.blank, labels != before)
        first = ops.arange(width) < 2
        emitted = ops.gather_d(log_probs[0], 1, labels)
        alpha = ops.select(ops.broadcast_to(ops.expand_dims(first, 0), (n, width)), emitted, never)
        for t in range(1, steps):
            stay = alpha
            step = ops.concat((never[:, :1], alpha[:, :-1]), 1)
            skip = ops.select(may_skip, ops.concat((never[:, :2], alpha[:, :-2]), 1), never)
            new = _log_sum_exp(stay, step, skip) + ops.gather_d(log_probs[t], 1, labels)
            alpha = ops.select(ops.expand_dims(lengths > t, 1), new, alpha)
        ends = ops.expand_dims(2 * target_lengths, 1)
        last = ops.gather_d(alpha, 1, ends)
        one_before = ops.select(
            ends > 0, ops.gather_d(alpha, 1, ops.maximum(ends - 1, 0)), never[:, :1]
        )
        return ops.squeeze(_log_sum_exp(last, one_before, never[:, :1]), 1)


def _log_sum_exp(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    highest = ops.stop_gradient(ops.maximum(ops.maximum(a, b), c))
    return highest + ops.log(ops.exp(a - highest) + ops.exp(b - highest) + ops.exp(c - highest))


def _lengths(x: Any, n: int) -> Tensor:
    x = x if isinstance(x, Tensor) else Tensor(list(x) if isinstance(x, tuple | list) else [x] * n)
    return ops.cast(ops.broadcast_to(ops.reshape(x, (-1,)), (n,)), mstype.int32)


__all__ = ["CTCLoss"]
