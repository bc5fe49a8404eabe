"""Derivatives of losses as ops of their own, with the names, attributes and order of arguments of
MindSpore's kernels.
"""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.ops.control.layer_gradients import _AlsoOf
from minispore.ops.support.derive import pull_back


class _LossGrad(_AlsoOf):
    def _by_first(self, x: Tensor, dout: Tensor, *rest: Any) -> Tensor:
        return pull_back(lambda x: self._forward()(x, *rest), (x,), (dout,))[0]


class SmoothL1LossGrad(_LossGrad):
    """What the cotangent of SmoothL1Loss means for the prediction."""

    beta: float = 1.0
    reduction: str = "none"

    def __call__(self, prediction: Tensor, target: Tensor, dout: Tensor) -> Tensor:
        return self._by_first(prediction, dout, target)


class SoftMarginLossGrad(_LossGrad):
    """What the cotangent of SoftMarginLoss means for the prediction."""

    reduction: str = "mean"

    def __call__(self, predict: Tensor, label: Tensor, dout: Tensor) -> Tensor:
        return self._by_first(predict, dout, label)


class SigmoidCrossEntropyWithLogitsGrad(_LossGrad):
    """What the cotangent of SigmoidCrossEntropyWithLogits means for the logits."""

    def __call__(self, x: Tensor, y: Tensor, dout: Tensor) -> Tensor:
        return self._by_first(x, dout, y)


class BinaryCrossEntropyGrad(_LossGrad):
    """What the cotangent of BinaryCrossEntropy means for the probabilities."""

    reduction: str = "mean"

    def __call__(
        self, input: Tensor, target: Tensor, grad_output: Tensor, weight: Any = None
    ) -> Tensor:
        return self._by_first(input, grad_output, target, weight)


class KLDivLossGrad(_LossGrad):
    """What the cotangent of KLDivLoss means for its input."""

    reduction: str = "mean"

    def __call__(self, grad: Tensor, x: Tensor, target: Tensor) -> Tensor:
        return self._by_first(x, grad, target)


__all__: list[str] = []
