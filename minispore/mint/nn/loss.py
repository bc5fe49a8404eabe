"""Losses as layers."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.mint.nn import functional as F
from minispore.mint.nn.function_cell import TwoInputFunctionCell
from minispore.nn.loss import classification, regression, similarity


class BCEWithLogitsLoss(TwoInputFunctionCell):
    """The reduced binary cross entropy of sigmoid(input) and target.

    Args:
        weight: the weight of each element, broadcast to the input.
        reduction: "mean", "sum" or "none".
        pos_weight: the weight of the term of the positive targets.
    """

    function = staticmethod(F.binary_cross_entropy_with_logits)

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        """Store the arguments, as attributes too, for the function, which checks them at the
        call.
        """
        super().__init__(weight=weight, reduction=reduction, pos_weight=pos_weight)


class CrossEntropyLoss(TwoInputFunctionCell):
    """The cross entropy of softmax(input) and target, which holds class indices or probabilities.

    >>> from minispore import Tensor
    >>> print(CrossEntropyLoss()(Tensor([[0.0, 0.0]]), Tensor([1])))
    0.6931472
    """

    function = staticmethod(F.cross_entropy)

    def __init__(
        self,
        weight: Any = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        """Store the arguments, as attributes too, for the function, which checks them at the
        call.
        """
        super().__init__(
            weight=weight,
            ignore_index=ignore_index,
            reduction=reduction,
            label_smoothing=label_smoothing,
        )


class NLLLoss(TwoInputFunctionCell):
    """-weight[target] * input[target], reduced, for log probabilities (N, C, ...) and class
    indices.

    Args:
        weight: the weight of each class, (C,).
        ignore_index: the class index to ignore.
        reduction: "mean" (by the sum of the weights), "sum" or "none".
    """

    function = staticmethod(F.nll_loss)

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        """Store the arguments, as attributes too, for the function, which checks them at the
        call.
        """
        super().__init__(weight=weight, ignore_index=ignore_index, reduction=reduction)


class KLDivLoss(TwoInputFunctionCell):
    """target * (log(target) - input), reduced; the input holds log probabilities.

    Args:
        reduction: "mean", "sum", "batchmean" (the sum over the batch size) or "none".
        log_target: whether the target holds logarithms as well.
    """

    function = staticmethod(F.kl_div)

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        """Store the arguments, as attributes too, for the function, which checks them at the
        call.
        """
        super().__init__(reduction=reduction, log_target=log_target)


class SmoothL1Loss(TwoInputFunctionCell):
    """d^2 / (2 beta) where d = |input - target| < beta, else d - beta / 2, reduced."""

    function = staticmethod(F.smooth_l1_loss)

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        """Store the arguments, as attributes too, for the function, which checks them at the
        call.
        """
        super().__init__(reduction=reduction, beta=beta)


class BCELoss(classification.BCELoss):
    """The reduced binary cross entropy of probabilities and target."""

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return super().construct(input, target)


class MSELoss(regression.MSELoss):
    """(input - target)^2, reduced."""

    _ignores_case_ = True

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return super().construct(input, target)


class CosineEmbeddingLoss(similarity.CosineEmbeddingLoss):
    """1 - cos(input1, input2) where target is 1; max(0, cos - margin) where it is -1; reduced."""

    def construct(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return super().construct(input1, input2, target)


__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "KLDivLoss",
    "MSELoss",
    "NLLLoss",
    "SmoothL1Loss",
]
