"""Losses of classes and probabilities."""

from __future__ import annotations

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.nn import check
from minispore.nn.loss.base import LossBase


class SoftmaxCrossEntropyWithLogits(LossBase):
    """-sum over the classes of labels * log(softmax(logits)), reduced over the batch.

    Args:
        sparse: whether labels are class numbers, not probabilities of each class.
        reduction: ``"none"``, ``"mean"`` or ``"sum"``.

    Raises:
        TypeError: ``sparse`` is no bool; when called: inputs of wrong types.
        ValueError: another ``reduction``; when called: shapes that do not fit.

    Shape: logits (N, C); labels (N,) of ints if sparse, else (N, C) of the logits' dtype.

    >>> loss = SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    >>> print(loss(Tensor([[0.0, 0.0]]), Tensor([1])))
    0.6931472
    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.sparse = check.a_bool("SoftmaxCrossEntropyWithLogits", "sparse", sparse)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        self._check_tensors(logits=logits, labels=labels)
        if self.sparse and self.reduction == "mean":
            return ops.SparseSoftmaxCrossEntropyWithLogits()(logits, labels)
        if self.sparse:
            one, zero = Tensor(1.0, logits.dtype), Tensor(0.0, logits.dtype)
            labels = ops.OneHot()(labels, logits.shape[-1], one, zero)
        return self.get_loss(ops.SoftmaxCrossEntropyWithLogits()(logits, labels)[0])


__all__ = ["SoftmaxCrossEntropyWithLogits"]
