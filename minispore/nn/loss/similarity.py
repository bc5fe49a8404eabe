"""Similarity losses, which pull matching samples together and push others apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.activation import get_activation
from minispore.nn.loss.base import LossBase
from minispore.ops.loss.pointwise import check_same_dtype


class CosineEmbeddingLoss(LossBase):
    """1 - cos(x1, x2) where labels is 1; max(0, cos(x1, x2) - margin) where labels is -1; reduced.

    Args:
        margin: the cosine up to which pairs with label -1 have no loss, in [-1, 1].
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Shape: logits_x1, logits_x2 (N, C, ...), labels (N, ...).
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = checks.floating("CosineEmbeddingLoss", "margin", margin, -1.0, 1.0)

    def construct(self, logits_x1: Tensor, logits_x2: Tensor, labels: Tensor) -> Tensor:
        """Return the loss of pairs of rows; it is 0 for labels other than 1 and -1."""
        self._check_tensors_(logits_x1=logits_x1, logits_x2=logits_x2, labels=labels)
        check_same_dtype("CosineEmbeddingLoss", logits_x1=logits_x1, logits_x2=logits_x2)
        total = ops.ReduceSum()
        norms = ops.sqrt(total(ops.square(logits_x1), 1)) * ops.sqrt(
            total(ops.square(logits_x2), 1)
        )
        cosine = total(logits_x1 * logits_x2, 1) / norms
        zero = ops.zeros_like(cosine)
        loss = ops.select(labels == 1, 1.0 - cosine, zero)
        return self.get_loss(
            loss + ops.select(labels == -1, ops.maximum(cosine - self.margin, 0.0), zero)
        )


class MarginRankingLoss(LossBase):
    """max(0, -target * (input1 - input2) + margin), reduced; target is 1 or -1."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = checks.floating("MarginRankingLoss", "margin", margin)

    def construct(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        self._check_tensors_(input1=input1, input2=input2, target=target)
        losses = ops.margin_ranking_loss(input1, input2, target, self.margin, "none")
        return self.get_loss(losses)


class HingeEmbeddingLoss(LossBase):
    """logits where labels is 1, max(0, margin - logits) where labels is -1; reduced."""

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = checks.number("HingeEmbeddingLoss", "margin", margin)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        self._check_tensors_(logits=logits, labels=labels)
        return self.get_loss(ops.hinge_embedding_loss(logits, labels, self.margin, "none"))


class TripletMarginLoss(LossBase):
    """max(0, d(x, positive) - d(x, negative) + margin) with d(a, b) = |a - b + eps|_p; reduced.

    Args:
        p: the degree of the norm, >= 1; or 0 for the number of nonzero elements.
        swap: take the smaller of d(x, negative) and d(positive, negative).
        eps: keeps the gradient from being 0 / 0.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        margin: how much farther away ``negative`` must be.
    """

    def __init__(
        self,
        p: int = 2,
        swap: bool = False,
        eps: float = 1e-6,
        reduction: str = "mean",
        margin: float | Tensor = 1.0,
    ) -> None:
        super().__init__(reduction)
        self.p = checks.integer("TripletMarginLoss", "p", p, 0)
        self.swap = checks.boolean("TripletMarginLoss", "swap", swap)
        self.eps = checks.number("TripletMarginLoss", "eps", eps)
        self.margin = margin
        if not isinstance(margin, Tensor):
            checks.number("TripletMarginLoss", "margin", margin)

    def construct(self, x: Tensor, positive: Tensor, negative: Tensor, margin: Any = 1.0) -> Tensor:
        """Return the loss; the ``margin`` of the call is used only if the layer's margin is 1."""
        self._check_tensors_(x=x, positive=positive, negative=negative)
        if isinstance(self.margin, Tensor) or self.margin != 1.0:
            margin = self.margin
        return ops.triplet_margin_loss(
            x, positive, negative, margin, self.p, self.eps, self.swap, self.reduction
        )


class TripletMarginWithDistanceLoss(LossBase):
    """max(0, d(x, positive) - d(x, negative) + margin) with any d; reduced.

    Args:
        distance_function: d, a function of two tensors; the 2-norm of their difference along
            axis 1 by default.
        swap: take the smaller of d(x, negative) and d(positive, negative).
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        margin: how much farther away ``negative`` must be.
    """

    def __init__(
        self,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        swap: bool = False,
        reduction: str = "mean",
        margin: float = 1.0,
    ) -> None:
        super().__init__(reduction)
        self.distance_function = distance_function or _euclidean_distance
        self.swap = checks.boolean("TripletMarginWithDistanceLoss", "swap", swap)
        self.margin = checks.number("TripletMarginWithDistanceLoss", "margin", margin)

    def construct(self, x: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Return the loss; ``swap`` uses the smaller distance to negative, of x or positive."""
        self._check_tensors_(x=x, positive=positive, negative=negative)
        distance = self.distance_function
        positive_distance, negative_distance = distance(x, positive), distance(x, negative)
        if self.swap:
            negative_distance = ops.minimum(negative_distance, distance(positive, negative))
        return self.get_loss(ops.maximum(positive_distance - negative_distance + self.margin, 0.0))


def _euclidean_distance(x: Tensor, y: Tensor) -> Tensor:
    return ops.norm(x - y, 2, 1)  # its gradient at 0 is 0


class DiceLoss(LossBase):
    """1 - 2 sum(logits * label) / (sum(logits**2) + sum(label**2) + smooth).

    Args:
        smooth: a number above 0 that keeps the fraction from being 0 / 0.

    Raises:
        ValueError: ``smooth`` is not above 0; when called: the shapes differ.

    Source: Milletari, Navab & Ahmadi 2016.
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        self.smooth = checks.floating("DiceLoss", "smooth", smooth, 0.0, closed="(]")

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        """Return the loss over all elements; raise ValueError if the shapes differ."""
        self._check_tensors_(logits=logits, label=label)
        if logits.shape != label.shape:
            raise ValueError(
                f"DiceLoss: label must have the shape of logits, got {label.shape} and "
                f"{logits.shape}."
            )
        total = ops.ReduceSum()
        union = total(ops.square(logits)) + total(ops.square(label)) + self.smooth
        return 1 - 2 * total(logits * label) / union


class MultiClassDiceLoss(LossBase):
    """The mean over the classes of their :class:`DiceLoss`.

    Args:
        weights: a Tensor (C, ...) by which the loss of each class is multiplied, or None.
        ignore_indiex: a class that is ignored (MindSpore's spelling).
        activation: the activation applied to logits first: a name, a Cell or None.

    Shape: logits, label (N, C, ...).
    """

    def __init__(
        self, weights: Any = None, ignore_indiex: int | None = None, activation: Any = "softmax"
    ) -> None:
        super().__init__()
        name = "MultiClassDiceLoss"
        if weights is not None and check.check_tensor(name, "weights", weights).ndim != 2:
            raise ValueError(f"{name}: weights must have 2 axes, got shape {weights.shape}.")
        if ignore_indiex is not None:
            checks.integer(name, "ignore_indiex", ignore_indiex)
        allowed = ("softmax", "logsoftmax", "relu", "relu6", "tanh", "sigmoid")
        if isinstance(activation, str):
            activation = get_activation(checks.one_of(name, "activation", activation, allowed))
        if activation is not None and not isinstance(activation, Cell):
            raise TypeError(
                f"{name}: activation must be a name or a Cell, got "
                f"{checks.format_value(activation)}."
            )
        self.binarydiceloss = DiceLoss(smooth=1e-5)
        self.weights, self.ignore_indiex, self.activation = weights, ignore_indiex, activation

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        """Return the mean of the weighted losses of all classes; the ignored class counts as 0."""
        self._check_tensors_(logits=logits, label=label)
        if logits.shape != label.shape or logits.ndim < 2:
            raise ValueError(
                "MultiClassDiceLoss: logits and label must have the same shape (N, C, ...), "
                f"got {logits.shape} and {label.shape}."
            )
        classes = label.shape[1]
        if self.weights is not None and self.weights.shape[0] != classes:
            raise ValueError(
                f"MultiClassDiceLoss: weights must have {classes} rows, got shape "
                f"{self.weights.shape}."
            )
        if self.activation is not None:
            logits = self.activation(logits)
        total: Any = 0
        for c in range(classes):
            if c == self.ignore_indiex:
                continue
            loss = self.binarydiceloss(logits[:, c], label[:, c])
            total = total + (loss if self.weights is None else loss * self.weights[c])
        return total / classes


__all__ = [
    "CosineEmbeddingLoss",
    "DiceLoss",
    "HingeEmbeddingLoss",
    "MarginRankingLoss",
    "MultiClassDiceLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]
