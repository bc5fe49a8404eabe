"""Losses element by element, then averaged, summed or left as they are."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor, call
from minispore.core.value import Spec
from minispore.ops.elementwise.bases import a_kind, broadcast, broadcast_to, sum_dtype, unbroadcast
from minispore.ops.support.axes import a_tensor

REDUCTIONS = ("none", "mean", "sum")


def a_reduction(op: str, reduction: Any, known: tuple[str, ...] = REDUCTIONS) -> None:
    """Raise a ValueError unless ``reduction`` is known."""
    if reduction not in known:
        shown = ", ".join(map(repr, known))
        raise ValueError(f"{op}: reduction must be one of {shown}, got {reduction!r}.")


def reduced(x: Tensor, reduction: str) -> Tensor:
    """``x``, its mean or its sum."""
    if reduction == "none":
        return x
    return call("ReduceMean" if reduction == "mean" else "ReduceSum", x, ())


class _Pointwise(Primitive):
    """``each(prediction, target, ...)``, reduced; weights (None for 1) broadcast."""

    layout = LIKE_INPUT
    reduction: ClassVar[str] = "none"
    reductions: ClassVar[tuple[str, ...]] = REDUCTIONS
    names: ClassVar[tuple[str, ...]] = ("logits", "labels", "weight", "pos_weight")

    def check(self) -> None:
        a_reduction(self.name, self.reduction, self.reductions)

    def infer(self, x: Spec, target: Spec, *weights: Any) -> Spec:
        a_kind(self.name, x, "fV", self.names[0])
        if a_tensor(self.name, target, self.names[1]) != x:
            raise ValueError(
                f"{self.name}: {self.names[1]} must have the shape and dtype of {self.names[0]}, "
                f"got {target} and {x}."
            )
        for name, w in zip(self.names[2:], weights, strict=False):
            if w is not None and broadcast(self.name, x, a_tensor(self.name, w, name)) != x.shape:
                raise ValueError(
                    f"{self.name}: {name} must broadcast to {self.names[0]} {x}, got {w}."
                )
        return x if self.reduction == "none" else Spec((), x.dtype)

    def each(self, *args: Any) -> np.ndarray:
        """The loss of each element."""
        raise TypeError(f"{self.name}: defines no loss.")

    def divisor(self, x: Any) -> int:
        """What the sum is divided by."""
        return x.size if self.reduction == "mean" else 1

    def kernel(self, x: np.ndarray, *args: Any, out: np.ndarray) -> None:
        losses = self.each(x, *args)
        if self.reduction == "none":
            np.copyto(out, losses, casting="same_kind")
        else:
            total = np.add.reduce(losses, None, sum_dtype(losses.dtype))
            np.copyto(out, total / self.divisor(x), casting="same_kind")

    def spread(self, dout: Tensor, x: Tensor) -> Tensor:
        """The cotangent of each element's loss."""
        return broadcast_to(dout / self.divisor(x) if self.divisor(x) != 1 else dout, x.shape)


def _times(x: Any, w: Any) -> Any:
    return x if w is None else x * w


class SigmoidCrossEntropyWithLogits(_Pointwise):
    """max(x, 0) - x * y + log(1 + e^-|x|): the cross entropy of sigmoid(x) and y.

    >>> print(SigmoidCrossEntropyWithLogits()(Tensor([0.0, 100.0]), Tensor([1.0, 1.0])))
    [0.6931472 0.       ]
    """

    def each(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        made = np.abs(x)
        np.negative(made, out=made)
        np.exp(made, out=made)
        np.log1p(made, out=made)
        made += np.maximum(x, 0)
        made -= x * y
        return made

    def vjp(self, x: Tensor, y: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: (call("Sigmoid", x) - y) * dout,)


class BCEWithLogitsLoss(_Pointwise):
    """The cross entropy of sigmoid(x) and y, times weight; ``pos_weight`` weighs positive labels.

    Args:
        reduction: "mean", "sum" or "none".

    >>> one = Tensor([1.0])
    >>> print(BCEWithLogitsLoss()(Tensor([0.0]), one, one, one))
    0.6931472
    """

    reduction: str = "mean"  # type: ignore[misc]

    def __call__(self, input: Any, target: Any, weight: Any = None, posWeight: Any = None) -> Any:
        return super().__call__(input, target, weight, posWeight)

    def each(self, x: np.ndarray, y: np.ndarray, weight: Any, pos_weight: Any) -> np.ndarray:
        soft = np.log1p(np.exp(-np.abs(x))) + np.maximum(-x, 0)  # -log(sigmoid(x))
        scale = 1 if pos_weight is None else (pos_weight - 1) * y + 1
        return _times((1 - y) * x + scale * soft, weight)

    def vjp(
        self, x: Tensor, y: Tensor, weight: Any, pos_weight: Any, *, out: Tensor, dout: Tensor
    ) -> Any:
        each = self.spread(dout, x)
        weighed = _times(each, weight)
        scale = None if pos_weight is None else (pos_weight - 1) * y + 1

        def soft() -> Tensor:
            return call("Softplus", -x)

        def by_weight() -> Tensor:
            return unbroadcast(each * ((1 - y) * x + _times(soft(), scale)), weight)

        return (
            lambda: weighed * ((1 - y) - _times(call("Sigmoid", -x), scale)),
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
        return super().__call__(input, target, weight)

    def each(self, x: np.ndarray, y: np.ndarray, weight: Any) -> np.ndarray:
        made = y * np.log(np.maximum(x, _LEAST)) + (1 - y) * np.log(np.maximum(1 - x, _LEAST))
        return _times(-made, weight)

    def vjp(self, x: Tensor, y: Tensor, weight: Any, *, out: Tensor, dout: Tensor) -> Any:
        each = self.spread(dout, x)
        weighed = _times(each, weight)

        def logs() -> tuple[Tensor, Tensor]:
            return (
                call("Log", call("Maximum", x, _LEAST)),
                call("Log", call("Maximum", 1 - x, _LEAST)),
            )

        def by_y() -> Tensor:
            yes, no = logs()
            return weighed * (no - yes)

        def by_weight() -> Tensor:
            yes, no = logs()
            return unbroadcast(-each * (y * yes + (1 - y) * no), weight)

        return (
            lambda: weighed * (x - y) / call("Maximum", x * (1 - x), _LEAST),
            by_y,
            by_weight,
        )


_LEAST = 1e-12  # where MindSpore cuts the logarithm off


class SmoothL1Loss(_Pointwise):
    """d^2 / (2 beta) where d = |prediction - target| < beta, else d - beta / 2.

    Args:
        beta: where the parabola ends, > 0 (0 gives d itself).
        reduction: "none", "mean" or "sum".

    Source: Girshick, https://arxiv.org/abs/1504.08083

    >>> print(SmoothL1Loss()(Tensor([1.5, 5.0]), Tensor([1.0, 1.0])))
    [0.125 3.5  ]
    """

    beta: float = 1.0
    reduction: str = "none"  # type: ignore[misc]
    names = ("prediction", "target")

    def check(self) -> None:
        super().check()
        if not self.beta >= 0:
            raise ValueError(f"SmoothL1Loss: beta must be >= 0, got {self.beta}.")

    def each(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        apart = np.abs(x - y)
        if not self.beta:
            return apart
        inner = np.minimum(apart, self.beta)
        return inner * inner * (0.5 / self.beta) + (apart - inner)

    def vjp(self, x: Tensor, y: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        def slope(sign: int) -> Tensor:
            if not self.beta:
                return self.spread(dout, x) * call("Sign", x - y) * sign
            apart = call("Minimum", call("Maximum", x - y, -self.beta), self.beta)
            return self.spread(dout, x) * apart * (sign / self.beta)

        return lambda: slope(1), lambda: slope(-1)


class KLDivLoss(_Pointwise):
    """y * (log(y) - x), 0 where y is 0; x holds logarithms of probabilities, y probabilities.

    The labels get no gradient, as in MindSpore.

    Args:
        reduction: "mean", "batchmean" (the sum divided by the first length), "sum" or "none".

    >>> print(KLDivLoss("sum")(Tensor([0.0, 0.0]), Tensor([1.0, 0.0])))
    0.0
    """

    reduction: str = "mean"  # type: ignore[misc]
    reductions = ("none", "mean", "batchmean", "sum")

    def each(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        some = y > 0
        return np.where(some, y * (np.log(np.where(some, y, 1)) - x), 0)

    def divisor(self, x: Any) -> int:
        return x.shape[0] if self.reduction == "batchmean" and x.shape else super().divisor(x)

    def vjp(self, x: Tensor, y: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: -self.spread(dout, x) * call("Maximum", y, 0),)


class SoftMarginLoss(_Pointwise):
    """log(1 + e^(-target * input)), target -1 or 1.

    Args:
        reduction: "mean", "sum" or "none".

    >>> print(SoftMarginLoss()(Tensor([0.0]), Tensor([1.0])))
    0.6931472
    """

    reduction: str = "mean"  # type: ignore[misc]
    names = ("input", "target")

    def each(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.logaddexp(-x * y, 0)

    def vjp(self, x: Tensor, y: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        def slope(by: Tensor) -> Tensor:
            return -self.spread(dout, x) * by * call("Sigmoid", -x * y)

        return lambda: slope(y), lambda: slope(x)


class L2Loss(Primitive):
    """sum(x^2) / 2.

    >>> print(L2Loss()(Tensor([1.0, 3.0])))
    5.0
    """

    def infer(self, x: Spec) -> Spec:
        return Spec((), a_kind(self.name, x, "fV", "input_x").dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        total = np.add.reduce(np.square(x), None, sum_dtype(x.dtype))
        np.copyto(out, total / 2, casting="same_kind")

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        return (lambda: x * dout,)


# -- functions -------------------------------------------------------------------------------------


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


def smooth_l1_loss(
    input: Tensor, target: Tensor, beta: float = 1.0, reduction: str = "none"
) -> Tensor:
    """:class:`SmoothL1Loss` of ``input`` and ``target``."""
    return SmoothL1Loss(beta, reduction)(input, target)


def kl_div(logits: Tensor, labels: Tensor, reduction: str = "mean") -> Tensor:
    """:class:`KLDivLoss` of ``logits`` and ``labels``."""
    return KLDivLoss(reduction)(logits, labels)


def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """:class:`SoftMarginLoss` of ``input`` and ``target``."""
    return SoftMarginLoss(reduction)(input, target)


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """|input - target|, reduced.

    >>> print(l1_loss(Tensor([1.0, 5.0]), Tensor([2.0, 2.0])))
    2.0
    """
    a_reduction("l1_loss", reduction)
    return reduced(call("Abs", call("Sub", input, target)), reduction)


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """(input - target)^2, reduced.

    >>> print(mse_loss(Tensor([1.0, 5.0]), Tensor([2.0, 2.0])))
    5.0
    """
    a_reduction("mse_loss", reduction)
    return reduced(call("Square", call("Sub", input, target)), reduction)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0
) -> Tensor:
    """d^2 / 2 where d = |input - target| <= delta, else delta * (d - delta / 2), reduced.

    Raises:
        ValueError: delta <= 0.

    >>> print(huber_loss(Tensor([1.5, 5.0]), Tensor([1.0, 1.0]), "none"))
    [0.125 3.5  ]
    """
    a_reduction("huber_loss", reduction)
    if not delta > 0:
        raise ValueError(f"huber_loss: delta must be > 0, got {delta}.")
    apart = call("Abs", call("Sub", input, target))
    inner = call("Minimum", apart, delta)
    return reduced(inner * inner * 0.5 + (apart - inner) * delta, reduction)


def gaussian_nll_loss(
    x: Tensor,
    target: Tensor,
    var: Any,
    full: bool = False,
    eps: float = 1e-06,
    reduction: str = "mean",
) -> Tensor:
    """(log(var) + (x - target)^2 / var) / 2 with var at least eps, reduced.

    Args:
        x: expectations.
        target: what was seen.
        var: variances, a tensor or a number.
        full: add log(2 pi) / 2.
        eps: the least variance.
        reduction: "mean", "sum" or "none".
    """
    a_reduction("gaussian_nll_loss", reduction)
    least = call("Maximum", var, eps) if isinstance(var, Tensor) else Tensor(max(var, eps), x.dtype)
    losses = (call("Log", least) + call("Square", x - target) / least) * 0.5
    return reduced(losses + _HALF_LOG_2_PI if full else losses, reduction)


_HALF_LOG_2_PI = 0.9189385332046727


def hinge_embedding_loss(
    inputs: Tensor, targets: Tensor, margin: float = 1.0, reduction: str = "mean"
) -> Tensor:
    """inputs where targets is 1, max(0, margin - inputs) where it is -1, reduced."""
    a_reduction("hinge_embedding_loss", reduction)
    apart = call("Maximum", call("Sub", margin, inputs), 0)
    near = call("Select", call("Equal", targets, 1), inputs, 0.0)
    return reduced(near + call("Select", call("Equal", targets, -1), apart, 0.0), reduction)


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """max(0, -target * (input1 - input2) + margin), reduced."""
    a_reduction("margin_ranking_loss", reduction)
    losses = call("Maximum", -target * (input1 - input2) + margin, 0)
    return reduced(losses, reduction)


__all__ = [
    "BCEWithLogitsLoss",
    "BinaryCrossEntropy",
    "KLDivLoss",
    "L2Loss",
    "SigmoidCrossEntropyWithLogits",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "margin_ranking_loss",
    "mse_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
]
