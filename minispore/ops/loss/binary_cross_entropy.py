"""Binary cross entropy of probabilities and of logits."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents
from minispore.core.tensor import Tensor
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.bases import unbroadcast
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.elementwise.powers import Log
from minispore.ops.elementwise.smooth_activations import Sigmoid, Softplus
from minispore.ops.loss.pointwise import (
    _apply_weight,
    _Pointwise,
    cast_to_common_float,
    check_same_dtype,
)
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.logistic import log1p_exp


class SigmoidCrossEntropyWithLogits(_Pointwise):
    """max(x, 0) - x * y + log(1 + e^-|x|): the cross entropy of sigmoid(x) and y.

    >>> print(SigmoidCrossEntropyWithLogits()(Tensor([0.0, 100.0]), Tensor([1.0, 1.0])))
    [0.6931472 0.       ]
    """

    def compute_elementwise_loss(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        losses = log1p_exp(x, np.empty_like(x))
        return np.subtract(losses, x * y, out=losses)

    def vjp(self, x: Tensor, y: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x; the labels get no gradient."""
        return (lambda: (Sigmoid()(x) - y) * dout,)


class BCEWithLogitsLoss(_Pointwise):
    """The binary cross entropy of sigmoid(x) and y, times weight; ``pos_weight`` weights positive
    labels.

    float16 and float32 may be mixed; the loss has the dtype of y.

    Args:
        reduction: "mean", "sum" or "none".

    >>> one = Tensor([1.0])
    >>> print(BCEWithLogitsLoss()(Tensor([0.0]), one, one, one))
    0.6931472
    """

    reduction: str = "mean"  # type: ignore[misc]

    def __call__(self, input: Any, target: Any, weight: Any = None, posWeight: Any = None) -> Any:
        """Cast mixed float16 and float32 inputs to float32, and the loss to the dtype of
        ``target``.
        """
        tensors = [x for x in (input, target, weight, posWeight) if isinstance(x, Tensor)]
        if any(x.dtype == mstype.float64 for x in tensors):
            check_same_dtype(
                self.name, input=input, target=target, weight=weight, posWeight=posWeight
            )
        x, y = cast_to_common_float(input, target)
        loss = super().__call__(x, y, weight, posWeight)
        return loss if y is target else Cast()(loss, target.dtype)

    def compute_elementwise_loss(
        self, x: np.ndarray, y: np.ndarray, weight: Any, pos_weight: Any
    ) -> np.ndarray:
        """Return (1 - y) x + ((pos_weight - 1) y + 1) log(1 + e^-x), times weight; a weight of None
        means 1.
        """
        losses = np.negative(x, out=np.empty_like(x))  # without axes an array as well
        softplus = log1p_exp(losses, np.empty_like(x))  # -log(sigmoid(x))
        if pos_weight is not None:
            softplus *= (pos_weight - 1) * y + 1
        np.multiply(np.subtract(1, y, out=losses), x, out=losses)
        return _apply_weight(np.add(losses, softplus, out=losses), weight)

    def vjp(
        self, x: Tensor, y: Tensor, weight: Any, pos_weight: Any, *, out: Tensor, dout: Tensor
    ) -> Cotangents:
        """Return the gradient functions of logits, labels, weight and pos_weight."""
        loss_grads = self.broadcast_cotangent(dout, x)
        weighted_grads = _apply_weight(loss_grads, weight)
        scale = None if pos_weight is None else (pos_weight - 1) * y + 1

        def compute_softplus() -> Tensor:
            """Return log(1 + e^-x), which is -log(sigmoid(x))."""
            return Softplus()(-x)

        def compute_weight_grad() -> Tensor:
            return unbroadcast(
                loss_grads * ((1 - y) * x + _apply_weight(compute_softplus(), scale)), weight
            )

        return (
            lambda: weighted_grads * ((1 - y) - _apply_weight(Sigmoid()(-x), scale)),
            lambda: (
                weighted_grads
                * (-x if scale is None else compute_softplus() * (pos_weight - 1) - x)
            ),
            compute_weight_grad,
            lambda: unbroadcast(weighted_grads * y * compute_softplus(), pos_weight),
        )


class BinaryCrossEntropy(_Pointwise):
    """-weight * (y * log(x) + (1 - y) * log(1 - x)) for probabilities x.

    Args:
        reduction: "mean", "sum" or "none".

    >>> print(BinaryCrossEntropy()(Tensor([0.5, 0.5]), Tensor([1.0, 0.0])))
    0.6931472
    """

    reduction: str = "mean"  # type: ignore[misc]

    def __call__(self, input: Any, target: Any, weight: Any = None) -> Any:
        if isinstance(weight, Tensor) and isinstance(input, Tensor) and weight.dtype != input.dtype:
            raise TypeError(
                f"{self.name}: weight must have the dtype of input, got {weight.dtype} and "
                f"{input.dtype}. Cast it."
            )
        return super().__call__(input, target, weight)

    def compute_elementwise_loss(self, x: np.ndarray, y: np.ndarray, weight: Any) -> np.ndarray:
        """Return the losses; raise ValueError if a probability is outside [0, 1] and none is NaN,
        and warn if a label is outside [0, 1].
        """
        if x.size and not (x.min() >= 0 and x.max() <= 1) and not np.isnan(x).any():
            raise ValueError(
                f"{self.name}: logits must be probabilities in [0, 1], got {x.min()} to {x.max()}. "
                "Put a sigmoid before it, or use BCEWithLogitsLoss."
            )
        if y.size and (y.min() < 0 or y.max() > 1):
            warnings.warn(
                f"{self.name}: labels are probabilities in [0, 1], got {y.min()} to {y.max()}: "
                "the loss has no lower bound.",
                stacklevel=2,
            )
        log_p = np.log(np.maximum(x, _MIN_PROBABILITY))
        log_q = np.log(np.maximum(1 - x, _MIN_PROBABILITY))
        return _apply_weight(-(y * log_p + (1 - y) * log_q), weight)

    def vjp(self, x: Tensor, y: Tensor, weight: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient functions of probabilities, labels and weight."""
        loss_grads = self.broadcast_cotangent(dout, x)
        weighted_grads = _apply_weight(loss_grads, weight)

        def compute_logs() -> tuple[Tensor, Tensor]:
            """Return log(x) and log(1 - x), with arguments clamped to the minimum probability."""
            return (
                Log()(Maximum()(x, _MIN_PROBABILITY)),
                Log()(Maximum()(1 - x, _MIN_PROBABILITY)),
            )

        def compute_labels_grad() -> Tensor:
            log_p, log_q = compute_logs()
            return weighted_grads * (log_q - log_p)

        def compute_weight_grad() -> Tensor:
            log_p, log_q = compute_logs()
            return unbroadcast(-loss_grads * (y * log_p + (1 - y) * log_q), weight)

        return (
            lambda: weighted_grads * (x - y) / Maximum()(x * (1 - x), _MIN_PROBABILITY),
            compute_labels_grad,
            compute_weight_grad,
        )


_MIN_PROBABILITY = 1e-12  # MindSpore's lower bound for the argument of the logarithm


def binary_cross_entropy(
    logits: Tensor, labels: Tensor, weight: Any = None, reduction: str = "mean"
) -> Tensor:
    """Apply :class:`BinaryCrossEntropy` to probabilities ``logits`` and ``labels``."""
    return BinaryCrossEntropy(reduction)(logits, labels, weight)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    pos_weight: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Apply :class:`BCEWithLogitsLoss` to ``input`` and ``target``."""
    return BCEWithLogitsLoss(reduction)(input, target, weight, pos_weight)


__all__ = [
    "BCEWithLogitsLoss",
    "BinaryCrossEntropy",
    "SigmoidCrossEntropyWithLogits",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
]
