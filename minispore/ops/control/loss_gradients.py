"""Derivatives of losses as ops, with the names and arguments of MindSpore's kernels."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.ops.control.layer_gradients import _SameAttributes
from minispore.ops.support.derive import pull_back


class _LossGrad(_SameAttributes):
    """A derivative op with respect to the first input of a loss."""

    def _pull_back_to_first(self, x: Tensor, dout: Tensor, *other_inputs: Any) -> Tensor:
        """Return the gradient of the loss by its first input x for the cotangent ``dout``;
        ``other_inputs`` follow x in the call of the loss.
        """
        return pull_back(lambda x: self._make_forward_op()(x, *other_inputs), (x,), (dout,))[0]


class SmoothL1LossGrad(_LossGrad):
    """The gradient of SmoothL1Loss with respect to the prediction."""

    beta: float = 1.0
    reduction: str = "none"

    def __call__(self, prediction: Tensor, target: Tensor, dout: Tensor) -> Tensor:
        return self._pull_back_to_first(prediction, dout, target)


class SoftMarginLossGrad(_LossGrad):
    """The gradient of SoftMarginLoss with respect to the prediction."""

    reduction: str = "mean"

    def __call__(self, predict: Tensor, label: Tensor, dout: Tensor) -> Tensor:
        return self._pull_back_to_first(predict, dout, label)


class SigmoidCrossEntropyWithLogitsGrad(_LossGrad):
    """The gradient of SigmoidCrossEntropyWithLogits with respect to the logits."""

    def __call__(self, x: Tensor, y: Tensor, dout: Tensor) -> Tensor:
        return self._pull_back_to_first(x, dout, y)


class BinaryCrossEntropyGrad(_LossGrad):
    """The gradient of BinaryCrossEntropy with respect to the probabilities."""

    reduction: str = "mean"

    def __call__(
        self, input: Tensor, target: Tensor, grad_output: Tensor, weight: Any = None
    ) -> Tensor:
        return self._pull_back_to_first(input, grad_output, target, weight)


class KLDivLossGrad(_LossGrad):
    """The gradient of KLDivLoss with respect to its input."""

    reduction: str = "mean"

    def __call__(self, grad: Tensor, x: Tensor, target: Tensor) -> Tensor:
        return self._pull_back_to_first(x, grad, target)


__all__: list[str] = []
