"""Losses for classes and probabilities."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.loss.base import LossBase


class SoftmaxCrossEntropyWithLogits(LossBase):
    """-sum over the classes of labels * log(softmax(logits)), reduced over the batch.

    Args:
        sparse: whether labels are class indices instead of class probabilities.
        reduction: ``"none"``, ``"mean"`` or ``"sum"``.

    Raises:
        TypeError: ``sparse`` is not a bool; when called: an input has the wrong type.
        ValueError: ``reduction`` is invalid; when called: the shapes do not match.

    Shape: logits (N, C); labels (N,) of ints if sparse, else (N, C) of the logits' dtype.

    >>> loss = SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    >>> print(loss(Tensor([[0.0, 0.0]]), Tensor([1])))
    0.6931472
    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.sparse = checks.boolean("SoftmaxCrossEntropyWithLogits", "sparse", sparse)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the loss; labels are class indices if ``sparse``, otherwise probabilities."""
        self._check_tensors_(logits=logits, labels=labels)
        if self.sparse and self.reduction == "mean":
            return ops.SparseSoftmaxCrossEntropyWithLogits()(logits, labels)
        if self.sparse:
            if labels.dtype.kind in "iu" and labels.dtype not in (mstype.int32, mstype.int64):
                raise TypeError(
                    "SoftmaxCrossEntropyWithLogits: labels must be int32 or int64 where sparse, "
                    f"got {labels.dtype}. Cast them: labels.astype(mindspore.int32)."
                )
            one, zero = Tensor(1.0, logits.dtype), Tensor(0.0, logits.dtype)
            labels = ops.OneHot()(labels, logits.shape[-1], one, zero)
        return self.get_loss(ops.SoftmaxCrossEntropyWithLogits()(logits, labels)[0])


_HALF_OR_SINGLE = (mstype.float16, mstype.bfloat16, mstype.float32)


def _check_class_weight(api_name: str, weight: Any) -> Tensor | None:
    """Check that a class weight is None or a 1-d float16 or float32 Tensor, and return it.

    Raises:
        TypeError: ``weight`` is something else.
    """
    if weight is None:
        return None
    check.check_tensor(api_name, "weight", weight)
    if weight.ndim != 1 or weight.dtype not in (mstype.float16, mstype.float32):
        raise TypeError(
            f"{api_name}: weight must hold one float16 or float32 for each class, got "
            f"{checks.format_value(weight)}."
        )
    return weight


class NLLLoss(LossBase):
    """-weight[label] * logits[label], reduced; the mean is weighted.

    Args:
        weight: a Tensor with one weight per class, or None.
        ignore_index: a label that is ignored.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``reduction`` is invalid; when called: the shapes do not match.

    Shape: logits (N, C, ...) of log-probabilities, labels (N, ...) of ints.
    """

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction)
        self.weight = _check_class_weight("NLLLoss", weight)
        self.ignore_index = checks.integer("NLLLoss", "ignore_index", ignore_index)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        self._check_tensors_(logits=logits, labels=labels)
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class CrossEntropyLoss(LossBase):
    """-sum over the classes of labels * log(softmax(logits)), reduced.

    Args:
        weight: a Tensor with one weight per class, or None.
        ignore_index: a class index that is ignored.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        label_smoothing: the share of each label that is spread over all classes, in [0, 1].

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range; when called: the shapes do not match.

    Shape: logits (N, C, ...) or (C,); labels: class indices (N, ...) or (), or probabilities with
        the shape of logits.

    >>> print(CrossEntropyLoss()(Tensor([[0.0, 0.0]]), Tensor([1], mstype.int32)))
    0.6931472
    """

    def __init__(
        self,
        weight: Any = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(reduction)
        name = "CrossEntropyLoss"
        self.weight = _check_class_weight(name, weight)
        self.ignore_index = checks.integer(name, "ignore_index", ignore_index)
        self.label_smoothing = checks.number(name, "label_smoothing", label_smoothing, 0.0, 1.0)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the loss; raise TypeError for dtypes that MindSpore's class refuses."""
        self._check_tensors_(logits=logits, labels=labels)
        if logits.dtype not in _HALF_OR_SINGLE:
            raise TypeError(
                f"CrossEntropyLoss: logits must be float16 or float32, got {logits.dtype}. Cast "
                "them: logits.astype(mindspore.float32), or use ops.cross_entropy."
            )
        dtypes = _HALF_OR_SINGLE if labels.shape == logits.shape else (mstype.int32,)
        if labels.dtype not in dtypes:
            raise TypeError(
                "CrossEntropyLoss: labels must be int32 (class numbers), or float16 or float32 "
                f"(probabilities of the shape of logits), got {checks.format_value(labels)}. Cast "
                f"them: labels.astype(mindspore.{dtypes[-1].name})."
            )
        return ops.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class BCELoss(LossBase):
    """-weight * (labels * log(logits) + (1 - labels) * log(1 - logits)), reduced.

    Args:
        weight: a Tensor that is broadcast to the loss, or None.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Shape: logits (probabilities) and labels of the same shape and dtype.
    """

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = None if weight is None else check.check_tensor("BCELoss", "weight", weight)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        self._check_tensors_(logits=logits, labels=labels)
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """:class:`BCELoss` of sigmoid(input), computed without overflow.

    Args:
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        weight: a Tensor that is broadcast to the loss, or None.
        pos_weight: a Tensor that is broadcast to the term of the loss for target 1, or None.

    Raises:
        TypeError: a weight is not a Tensor, or is a Parameter.
    """

    _ignores_case_ = True

    def __init__(self, reduction: str = "mean", weight: Any = None, pos_weight: Any = None) -> None:
        super().__init__(reduction)
        for name, value in (("weight", weight), ("pos_weight", pos_weight)):
            if value is not None and (
                isinstance(value, Parameter) or not isinstance(value, Tensor)
            ):
                raise TypeError(
                    f"BCEWithLogitsLoss: {name} must be a Tensor that is no Parameter, got "
                    f"{checks.format_value(value)}."
                )
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        self._check_tensors_(input=input, target=target)
        return ops.binary_cross_entropy_with_logits(
            input, target, self.weight, self.pos_weight, self.reduction
        )


class KLDivLoss(LossBase):
    """labels * (log(labels) - logits), 0 where labels is 0; reduced.

    Args:
        reduction: ``"mean"``, ``"sum"``, ``"none"`` or ``"batchmean"`` (the sum divided by the
            batch size).

    Shape: logits (log-probabilities) and labels (probabilities) of the same shape and dtype.
    """

    def __init__(self, reduction: str = "mean") -> None:
        allowed = ("mean", "sum", "none", "batchmean")
        checks.one_of("KLDivLoss", "reduction", reduction, allowed)
        super().__init__("sum" if reduction == "batchmean" else reduction)
        self.reduction = reduction

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the loss; for ``"batchmean"`` the sum divided by the batch size."""
        self._check_tensors_(logits=logits, labels=labels)
        if logits.shape != labels.shape:
            raise ValueError(
                f"KLDivLoss: labels must have the shape of logits, got {labels.shape} and "
                f"{logits.shape}."
            )
        loss = self.get_loss(ops.KLDivLoss("none")(logits, labels))
        return loss / logits.shape[0] if self.reduction == "batchmean" else loss


class SoftMarginLoss(LossBase):
    """log(1 + exp(-labels * logits)), reduced; labels are 1 or -1."""

    _ignores_case_ = True

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        self._check_tensors_(logits=logits, labels=labels)
        z = -labels * logits
        # log(1 + exp(z)) = max(z, 0) + log(1 + exp(-|z|)), which does not overflow
        return self.get_loss(ops.maximum(z, 0.0) + ops.log1p(ops.exp(-ops.abs(z))))


class MultiLabelSoftMarginLoss(LossBase):
    """Binary cross-entropy of sigmoid(x), averaged over the last axis, reduced over the others.

    Args:
        weight: a Tensor that is broadcast to each label's loss, or None.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
    """

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        """Return the weighted loss, computed without overflow."""
        self._check_tensors_(x=x, target=target)
        losses = ops.maximum(x, 0.0) - target * x + ops.log1p(ops.exp(-ops.abs(x)))
        if self.weight is not None:
            losses = losses * self.weight
        return self.get_loss(ops.ReduceMean()(losses, -1))


class MultiMarginLoss(LossBase):
    """mean over the other classes of max(0, weight * (margin - x[target] + x[class]))**p, reduced.

    Args:
        p: 1 or 2.
        margin: the required lead of the correct class.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.
        weight: a Tensor with one weight per class, or None.

    Shape: x (N, C), target (N,) of ints.
    """

    def __init__(
        self, p: int = 1, margin: float = 1.0, reduction: str = "mean", weight: Any = None
    ) -> None:
        super().__init__(reduction)
        self.p = checks.one_of("MultiMarginLoss", "p", p, (1, 2))
        self.margin = checks.number("MultiMarginLoss", "margin", margin)
        self.weight = weight

    def construct(self, x: Tensor, target: Tensor, weight: Tensor | None = None) -> Tensor:
        """Return the loss; the ``weight`` of the call is used only if the layer has none."""
        self._check_tensors_(x=x, target=target)
        check.check_ndim("MultiMarginLoss", "x", x, 2)
        if target.dtype != mstype.int64:
            raise TypeError(f"MultiMarginLoss: target must be int64, got {target.dtype}. Cast it.")
        weight = self.weight if self.weight is not None else weight
        return self.get_loss(ops.multi_margin_loss(x, target, self.p, self.margin, weight, "none"))


class MultilabelMarginLoss(LossBase):
    """Sum over labels and other classes of max(0, 1 - x[label] + x[class]), divided by C; reduced.

    Shape: x (N, C) or (C,); target of the same shape, ints: the labels, then -1.
    """

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        """Return the loss; the labels of a row end at its first negative number."""
        self._check_tensors_(x=x, target=target)
        if x.shape != target.shape or x.ndim not in (1, 2):
            raise ValueError(
                "MultilabelMarginLoss: x and target must have the same shape (N, C) or (C,), "
                f"got {x.shape} and {target.shape}."
            )
        is_unbatched = x.ndim == 1
        if is_unbatched:
            x, target = ops.expand_dims(x, 0), ops.expand_dims(target, 0)
        classes = x.shape[1]
        # Only the entries before the first -1 are labels.
        is_label = ops.cast(ops.cumprod(ops.cast(target >= 0, mstype.float32), 1), x.dtype)
        label = ops.maximum(target, 0)
        one, zero = Tensor(1.0, x.dtype), Tensor(0.0, x.dtype)
        # (N, label, class)
        onehot = ops.OneHot()(label, classes, one, zero) * ops.expand_dims(is_label, 2)
        is_no_label = 1 - ops.minimum(ops.ReduceSum()(onehot, 1), 1.0)  # (N, class)
        label_logits = ops.gather_d(x, 1, label)
        violations = ops.relu(1 - ops.expand_dims(label_logits, 2) + ops.expand_dims(x, 1))
        violations = violations * ops.expand_dims(is_label, 2) * ops.expand_dims(is_no_label, 1)
        loss = ops.ReduceSum()(violations, (1, 2)) / classes
        return self.get_loss(ops.squeeze(loss, 0) if is_unbatched else loss)


class FocalLoss(LossBase):
    """-weight * (1 - p)**gamma * log(p), p = softmax(logits)[label]; mean over positions, reduced.

    Args:
        weight: a Tensor with one weight per class, or None.
        gamma: the exponent that reduces the weight of well-classified samples.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the shapes do not match.

    Shape: logits (N, C, ...) with 2 to 4 axes; labels (N, 1, ...) of class indices, or (N, C, ...)
        of 0 and 1.

    Source: Lin et al. 2017.
    """

    def __init__(self, weight: Any = None, gamma: float = 2.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.gamma = checks.floating("FocalLoss", "gamma", gamma)
        if weight is not None and check.check_tensor("FocalLoss", "weight", weight).ndim != 1:
            raise ValueError(f"FocalLoss: weight must have one axis, got shape {weight.shape}.")
        self.weight = weight

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Return the loss; labels are class indices (N, 1, ...) or probabilities (N, C, ...)."""
        check.check_ndim("FocalLoss", "logits", logits, 2, 3, 4)
        check.check_ndim("FocalLoss", "labels", labels, logits.ndim)
        classes = logits.shape[1]
        if classes == 1 or labels.shape[1] not in (1, classes):
            raise ValueError(
                "FocalLoss: labels must have 1 or C classes on axis 1 and logits C > 1, "
                f"got {labels.shape} and {logits.shape}."
            )
        # z is (N, C, positions), and y is (N, 1, positions) or (N, C, positions).
        z = ops.reshape(logits, (logits.shape[0], classes, -1))
        y = ops.reshape(labels, (labels.shape[0], labels.shape[1], -1))
        log_p = ops.LogSoftmax(1)(z)
        weight = None if self.weight is None else ops.reshape(self.weight, (1, -1, 1))
        if labels.shape[1] == 1:
            class_number = ops.cast(y, mstype.int32)
            log_p = ops.gather_d(log_p, 1, class_number)
            if weight is not None:
                weight = ops.gather_d(ops.broadcast_to(weight, z.shape), 1, class_number)
            losses = -ops.pow(1 - ops.exp(log_p), self.gamma) * log_p
        else:
            losses = -ops.pow(1 - ops.exp(log_p), self.gamma) * log_p * ops.cast(y, log_p.dtype)
        if weight is not None:
            losses = losses * weight
        if labels.shape[1] == 1:
            losses = ops.squeeze(losses, 1)
        return self.get_loss(ops.ReduceMean()(losses, -1))


__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "FocalLoss",
    "KLDivLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultilabelMarginLoss",
    "NLLLoss",
    "SoftMarginLoss",
    "SoftmaxCrossEntropyWithLogits",
]
