"""Losses of numbers: the distance between what was predicted and what was right."""

from __future__ import annotations

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.nn.loss.base import LossBase


class L1Loss(LossBase):
    """|logits - labels|, reduced.

    >>> print(L1Loss()(Tensor([1.0, 2.0]), Tensor([0.0, 5.0])))
    2.0
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        self._check_tensors(logits=logits, labels=labels)
        return self.get_loss(ops.abs(logits - labels))


class MAELoss(L1Loss):
    """|logits - labels|, reduced: another name of :class:`L1Loss`."""

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        return super().construct(logits, label)


class MSELoss(LossBase):
    """(logits - labels)**2, reduced.

    >>> print(MSELoss()(Tensor([1.0, 2.0]), Tensor([0.0, 5.0])))
    5.0
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        self._check_tensors(logits=logits, labels=labels)
        return self.get_loss(ops.square(logits - labels))


__all__ = ["L1Loss", "MAELoss", "MSELoss"]
