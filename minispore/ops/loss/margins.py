"""Margin losses of classes and embeddings."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.bases import broadcast, broadcast_to
from minispore.ops.elementwise.compare import Equal, Less, LogicalAnd, LogicalNot
from minispore.ops.elementwise.extremes import Maximum, Minimum
from minispore.ops.elementwise.piecewise_activations import ReLU
from minispore.ops.elementwise.powers import Pow
from minispore.ops.elementwise.rounding import Abs, Sign, Square
from minispore.ops.index.select import OneHot, Select
from minispore.ops.loss.binary_cross_entropy import BCEWithLogitsLoss
from minispore.ops.loss.classes import NLLLoss
from minispore.ops.loss.pointwise import (
    cast_to_common_float,
    check_reduction,
    check_same_dtype,
    reduce_loss,
)
from minispore.ops.shape.cast_fill import Cast, Ones
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.statistics.reduce import ReduceMean, ReduceSum
from minispore.ops.statistics.scan import CumSum
from minispore.ops.statistics.truth import ReduceAny
from minispore.ops.support.arguments import check_arithmetic_operands, check_dtype
from minispore.ops.support.derive import _Composite

_NO_LABEL = -1 << 62  # ignore_index that matches no label


class MultiMarginLoss(_Composite):
    """mean over j != t of weight[t] * max(0, margin - x[t] + x[j])^p, reduced.

    Args:
        p: 1 or 2.
        margin: required difference between the score of the true class and the others.
        reduction: "mean", "sum" or "none".

    Shape: x: (N, C); target: (N,); weight: (C,) or None.

    >>> print(MultiMarginLoss()(Tensor([[1.0, 0.5]]), Tensor([0])))
    0.25
    """

    p: int = 1
    margin: float = 1.0
    reduction: str = "mean"

    def check(self) -> None:
        check_reduction(self.name, self.reduction)
        if self.p not in (1, 2):
            raise ValueError(f"{self.name}: p must be 1 or 2, got {self.p}.")

    def __call__(self, x: Tensor, target: Tensor, weight: Any = None) -> Tensor:
        """Check the inputs, compare each score with the score of the true class, and reduce."""
        if x.ndim != 2 or target.shape != x.shape[:1]:
            raise ValueError(
                f"{self.name}: x must have the axes (N, C) and target (N,), got shapes {x.shape} "
                f"and {target.shape}."
            )
        check_same_dtype(self.name, x=x, weight=weight)
        if target.dtype != mstype.int64:
            raise TypeError(f"{self.name}: target must be int64, got {target.dtype}. Cast it.")
        classes = x.shape[1]
        truth = OneHot()(target, classes, Tensor(True), Tensor(False))
        nll_loss = NLLLoss("none", _NO_LABEL)  # also checks that targets are valid classes
        true_scores = -ExpandDims()(nll_loss(x, target, Ones()((classes,), x.dtype))[0], 1)
        margins = Select()(truth, 0, ReLU()(x - true_scores + self.margin))
        row_losses = margins if self.p == 1 else Square()(margins)
        if weight is not None:
            row_losses = row_losses * ReduceSum(keep_dims=True)(Select()(truth, weight, 0), 1)
        return reduce_loss(ReduceSum()(row_losses, 1) / classes, self.reduction)


class MultilabelMarginLoss(_Composite):
    """The sum over true classes t and others j of max(0, 1 - (x[t] - x[j])) / C, reduced.

    Args:
        reduction: "mean", "sum" or "none".

    Returns:
        The loss, and an int32 mask of the true classes.

    Shape: x: (N, C) or (C,); target: the same, class indices terminated by -1.

    >>> import minispore as ms
    >>> labels = Tensor([[0, -1]], ms.int32)
    >>> loss, true = MultilabelMarginLoss()(Tensor([[0.5, 0.0]]), labels)
    >>> print(loss, true)
    0.25 [[1 0]]
    """

    reduction: str = "mean"

    def check(self) -> None:
        check_reduction(self.name, self.reduction)

    def __call__(self, x: Tensor, target: Tensor) -> Any:
        """Return the reduced loss, and an int32 mask of the true classes: the targets before the
        first -1.
        """
        if x.ndim not in (1, 2) or target.shape != x.shape:
            raise ValueError(
                f"{self.name}: x must have the axes (N, C) or (C,) and target the same shape, got "
                f"shapes {x.shape} and {target.shape}."
            )
        check_dtype(self.name, x, "x", "float16", "float32", "float64")
        check_dtype(self.name, target, "target", "int32")
        classes = x.shape[-1]
        rows, labels = Reshape()(x, (-1, classes)), Reshape()(target, (-1, classes))
        # labels are valid up to the first -1 of their row
        padding_count = CumSum()(Cast()(Less()(labels, 0), Tensor([0]).dtype), 1)
        valid_labels = Select()(Equal()(padding_count, 0), labels, -1)
        one_hot = OneHot()(valid_labels, classes, Tensor(True), Tensor(False))
        is_true = ReduceAny(keep_dims=True)(one_hot, 1)  # hot is (N, label, class)
        is_true_and_other = LogicalAnd()(
            ReduceAny(keep_dims=True)(one_hot, 2), LogicalNot()(is_true)
        )
        class_scores = ExpandDims()(rows, 1)
        true_scores = ReduceSum(keep_dims=True)(Select()(one_hot, class_scores, 0), 2)
        margins = Select()(is_true_and_other, ReLU()(1 - true_scores + class_scores), 0)
        row_losses = ReduceSum()(margins, (1, 2)) / classes
        if x.ndim == 1:
            row_losses = Reshape()(row_losses, ())
        is_target = Cast()(Reshape()(is_true, x.shape), target.dtype)
        return reduce_loss(row_losses, self.reduction), is_target


class TripletMarginLoss(_Composite):
    """max(0, |x - positive| - |x - negative| + margin) with p-norms along axis 1, reduced.

    Args:
        p: order of the norm, >= 1; 0 counts the non-zero elements.
        swap: use |positive - negative| where it is smaller than |x - negative|.
        eps: added to each difference.
        reduction: "mean", "sum" or "none".

    Shape: x, positive, negative: (N, D, ...), which broadcast together.

    Source: Balntas et al., http://www.bmva.org/bmvc/2016/papers/paper119/

    >>> x, far = Tensor([[0.0]]), Tensor([[5.0]])
    >>> print(TripletMarginLoss()(x, x, far, Tensor(1.0)))
    0.0
    """

    p: int = 2
    swap: bool = False
    eps: float = 1e-6
    reduction: str = "mean"

    def check(self) -> None:
        check_reduction(self.name, self.reduction)
        checks.boolean(self.name, "swap", self.swap)
        checks.integer(self.name, "p", self.p, 0)

    def __call__(self, x: Tensor, positive: Tensor, negative: Tensor, margin: Any) -> Tensor:
        """Broadcast the three inputs and reduce; with ``swap``, the negative is also compared with
        the positive.
        """
        check_arithmetic_operands(self.name, margin=margin)
        check_same_dtype(self.name, x=x, positive=positive, negative=negative)
        shape = broadcast(self.name, *[t.value_.spec for t in (x, positive, negative)])
        if len(shape) < 2:
            raise ValueError(f"{self.name}: x must have the shape (N, D, ...), got {x.shape}.")
        x, positive, negative = (broadcast_to(t, shape) for t in (x, positive, negative))

        def compute_distance(a: Tensor, b: Tensor) -> Tensor:
            """Return the p-norm along axis 1 of a - b + eps; for p = 0, the number of non-zero
            elements.
            """
            difference = Abs()(a - b + self.eps)
            if self.p == 0:
                return ReduceSum()(Sign()(difference), 1)
            return Pow()(ReduceSum()(Pow()(difference, self.p), 1), 1 / self.p)

        negative_distance = compute_distance(x, negative)
        if self.swap:
            negative_distance = Minimum()(negative_distance, compute_distance(positive, negative))
        return reduce_loss(
            Maximum()(compute_distance(x, positive) - negative_distance + margin, 0), self.reduction
        )


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1,
    weight: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """Return the mean over classes j other than the target t of weight[t] * max(0, margin - x[t] +
    x[j])^p, reduced.
    """
    return MultiMarginLoss(p, margin, reduction)(input, target, weight)


def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Return the sum over true classes t and others j of max(0, 1 - (x[t] - x[j])) / C, reduced."""
    return MultilabelMarginLoss(reduction)(input, target)[0]


def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Any = None, reduction: str = "mean"
) -> Tensor:
    """Return the mean over classes of the binary cross entropy of sigmoid(input) and target,
    reduced.
    """
    check_reduction("multilabel_soft_margin_loss", reduction)
    if isinstance(target, Tensor) and target.dtype.kind in "biu":
        target = Cast()(target, mstype.float32)
    losses = BCEWithLogitsLoss("none")(*cast_to_common_float(input, target), weight, None)
    return reduce_loss(ReduceMean()(losses, input.ndim - 1), reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: int = 2,
    eps: float = 1e-06,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, |anchor - positive| - |anchor - negative| + margin) with p-norms along axis 1,
    reduced.
    """
    return TripletMarginLoss(p, swap, eps, reduction)(anchor, positive, negative, margin)


__all__ = [
    "MultiMarginLoss",
    "MultilabelMarginLoss",
    "TripletMarginLoss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "triplet_margin_loss",
]
