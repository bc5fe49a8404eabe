"""CTCLoss: the loss of a sequence whose alignment is unknown."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.loss.base import LossBase


class CTCLoss(LossBase):
    """-log of the probability that the outputs, without repeats and blanks, equal the target;
    reduced.

    Args:
        blank: the class of the blank.
        reduction: ``"mean"`` (over each loss divided by its target's length), ``"sum"`` or
            ``"none"``.
        zero_infinity: replace by 0 the infinite losses of targets that do not fit into their
            inputs.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``reduction`` is invalid; when called: the shapes do not match.

    Shape: log_probs (T, N, C) or (T, C); targets (N, S); input_lengths, target_lengths (N,),
        tuples or ints.

    Source: Graves et al. 2006.
    """

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction)
        self.blank = checks.integer("CTCLoss", "blank", blank, 0)
        self.zero_infinity = checks.boolean("CTCLoss", "zero_infinity", zero_infinity)

    def construct(
        self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any
    ) -> Tensor:
        """Return the loss for (T, N, C), or for (T, C) without a batch; lengths may be ints."""
        self._check_tensors_(log_probs=log_probs, targets=targets)
        is_unbatched = log_probs.ndim == 2
        if is_unbatched:
            log_probs = ops.expand_dims(log_probs, 1)
            targets = ops.reshape(targets, (1, -1))
        check.check_ndim("CTCLoss", "log_probs", log_probs, 3)
        check.check_ndim("CTCLoss", "targets", targets, 2)
        _, n, classes = log_probs.shape
        if targets.shape[0] != n or self.blank >= classes:
            raise ValueError(
                f"CTCLoss: targets must have a row for each of the batch of {n} and blank be below "
                f"{classes} classes, got {targets.shape} and {self.blank}."
            )
        lengths, target_lengths = (_convert_lengths(x, n) for x in (input_lengths, target_lengths))
        loss, _ = ops.ctc_loss(
            log_probs,
            ops.cast(targets, mstype.int32),
            lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )
        return ops.squeeze(loss, 0) if is_unbatched and self.reduction == "none" else loss


def _convert_lengths(x: Any, n: int) -> Tensor:
    """Convert lengths (a Tensor, a list, or one int for all) to an int32 Tensor of shape (n,)."""
    if not isinstance(x, Tensor):
        x = Tensor(list(x) if isinstance(x, tuple | list) else [x] * n)
    return ops.cast(ops.broadcast_to(ops.reshape(x, (-1,)), (n,)), mstype.int32)


__all__ = ["CTCLoss"]
