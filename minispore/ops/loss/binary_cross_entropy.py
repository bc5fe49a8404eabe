"""Binary cross entropy, of probabilities and of logits."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.ops.elementwise.bases import unbroadcast
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.elementwise.powers import Log
from minispore.ops.elementwise.smooth_activations import Sigmoid, Softplus
from minispore.ops.loss.pointwise import _Pointwise, _times, as_one, of_one_dtype
from minispore.ops.shape.whole import Cast
from minispore.ops.support.logistic import log1p_exp


class SigmoidCrossEntropyWithLogits(_Pointwise):
    """max(x, 0) - x * y + log(1 + e^-|x|): the cross entropy of sigmoid(x) and y.

    >>> print(SigmoidCrossEntropyWithLogits()(Tensor([0.0, 100.0]), Tensor([1.0, 1.0])))
    [0.6931472 0.       ]
    """

    def each(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        made = log1p_exp(x, np.empty_like(x))
        return np.subtract(made, x * y, out=made)

    def vjp(self, x: Tensor, y: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: (Sigmoid()(x) - y) * dout,)


class BCEWithLogitsLoss(_Pointwise):
    """The cross entropy of sigmoid(x) and y, times weight; ``pos_weight`` weighs positive labels.
    Half floats may stand beside float32: the loss has the dtype of y.

    Args:
        reduction: "mean", "sum" or "none".

    >>> one = Tensor([1.0])
    >>> print(BCEWithLogitsLoss()(Tensor([0.0]), one, one, one))
    0.6931472
    """

    reduction: str = "mean"  # type: ignore[misc]

    def __call__(self, input: Any, target: Any, weight: Any = None, posWeight: Any = None) -> Any:
        given = [x for x in (input, target, weight, posWeight) if isinstance(x, Tensor)]
        if any(x.dtype == mstype.float64 for x in given):
            of_one_dtype(self.name, input=input, target=target, weight=weight, posWeight=posWeight)
        x, y = as_one(input, target)
        made = super().__call__(x, y, weight, posWeight)
        return made if y is target else Cast()(made, target.dtype)

    def each(self, x: np.ndarray, y: np.ndarray, weight: Any, pos_weight: Any) -> np.ndarray:
        made = np.negative(x)
        soft = log1p_exp(made, np.empty_like(x))  # -log(sigmoid(x))
        if pos_weight is not None:
            soft *= (pos_weight - 1) * y + 1
        np.multiply(np.subtract(1, y, out=made), x, out=made)
        return _times(np.add(made, soft, out=made), weight)

    def vjp(
        self, x: Tensor, y: Tensor, weight: Any, pos_weight: Any, *, out: Tensor, dout: Tensor
    ) -> Any:
        each = self.spread(dout, x)
        weighed = _times(each, weight)
        scale = None if pos_weight is None else (pos_weight - 1) * y + 1

        def soft() -> Tensor:
            return Softplus()(-x)

        def by_weight() -> Tensor:
            return unbroadcast(each * ((1 - y) * x + _times(soft(), scale)), weight)

        return (
            lambda: weighed * ((1 - y) - _times(Sigmoid()(-x), scale)),
            lambda: weighed * (-x if scale is None else soft() * (pos_weight - 1) - x),
            by_weight,
            lambda: unbroadcast(weighed * y * soft(), pos_weight),
        )


class BinaryCrossEntropy(_Pointwise):
    """-weight * (y * log(x) + (1 - y) * log(1 - x)) of probabilities x.

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

    def each(self, x: np.ndarray, y: np.ndarray, weight: Any) -> np.ndarray:
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
        made = y * np.log(np.maximum(x, _LEAST)) + (1 - y) * np.log(np.maximum(1 - x, _LEAST))
        return _times(-made, weight)

    def vjp(self, x: Tensor, y: Tensor, weight: Any, *, out: Tensor, dout: Tensor) -> Any:
        each = self.spread(dout, x)
        weighed = _times(each, weight)

        def logs() -> tuple[Tensor, Tensor]:
            return (
                Log()(Maximum()(x, _LEAST)),
                Log()(Maximum()(1 - x, _LEAST)),
            )

        def by_y() -> Tensor:
            yes, no = logs()
            return weighed * (no - yes)

        def by_weight() -> Tensor:
            yes, no = logs()
            return unbroadcast(-each * (y * yes + (1 - y) * no), weight)

        return (
            lambda: weighed * (x - y) / Maximum()(x * (1 - x), _LEAST),
            by_y,
            by_weight,
        )


_LEAST = 1e-12  # where MindSpore cuts the logarithm off


def binary_cross_entropy(
    logits: Tensor, labels: Tensor, weight: Any = None, reduction: str = "mean"
) -> Tensor:
    """:class:`BinaryCrossEntropy` of probabilities ``logits`` and ``labels``."""
    return BinaryCrossEntropy(reduction)(logits, labels, weight)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    pos_weight: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """:class:`BCEWithLogitsLoss` of ``input`` and ``target``."""
    return BCEWithLogitsLoss(reduction)(input, target, weight, pos_weight)


__all__ = [
    "BCEWithLogitsLoss",
    "BinaryCrossEntropy",
    "SigmoidCrossEntropyWithLogits",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
]
