"""Losses over classes and pairs: negative log likelihood, cross entropy, cosine similarity."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.arithmetic import Mul
from minispore.ops.elementwise.bases import broadcast_to, check_dtype_kind
from minispore.ops.elementwise.compare import Equal, NotEqual
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.elementwise.powers import Sqrt
from minispore.ops.elementwise.rounding import Square
from minispore.ops.index.segment import UnsortedSegmentSum
from minispore.ops.index.select import Select
from minispore.ops.linalg.vector_norms import PNorm
from minispore.ops.loss.pointwise import (
    check_reduction,
    check_same_dtype,
    normalize_reduction,
    reduce_loss,
)
from minispore.ops.network.softmax import LogSoftmax
from minispore.ops.shape.cast_fill import Cast, Ones, OnesLike
from minispore.ops.shape.views import ExpandDims, Reshape, Transpose
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import (
    FLOAT_KINDS,
    check_arithmetic_operands,
    check_axis,
    check_tensor_spec,
    check_tensors,
)


class NLLLoss(Primitive):
    """-weight[label] * logits[label] per row, and the total weight.

    Args:
        reduction: "mean" (the sum divided by the total weight), "sum" or "none".
        ignore_index: rows with this label are ignored.

    Shape: logits: (N, C); labels: (N,); weight: (C,); output: () or (N,), and ().

    >>> loss, total = NLLLoss()(Tensor([[-1.0, -2.0]]), Tensor([1]), Tensor([1.0, 3.0]))
    >>> print(loss, total)
    2.0 3.0
    """

    reduction: str = "mean"
    ignore_index: int = -100
    vjp_rule = VjpRule(partial=True)

    def check(self) -> None:
        """Check the attributes, and normalise ``reduction`` to lower case."""
        self.normalise(reduction=normalize_reduction(self.name, self.reduction))
        checks.integer(self.name, "ignore_index", self.ignore_index)

    def infer(self, logits: Spec, labels: Spec, weight: Spec) -> tuple[Spec, Spec]:
        """Return the specs of the loss (one per row if it is not reduced) and of the total
        weight.
        """
        if check_dtype_kind(self.name, logits, FLOAT_KINDS, "logits").ndim != 2:
            raise ValueError(f"{self.name}: logits must have the axes (N, C), got {logits}.")
        n, classes = logits.shape
        if not classes:
            raise ValueError(f"{self.name}: logits must have at least one class, got {logits}.")
        if check_dtype_kind(self.name, labels, "iu", "labels").shape != (n,):
            raise ValueError(f"{self.name}: labels must have the shape ({n},), got {labels}.")
        if check_dtype_kind(self.name, weight, FLOAT_KINDS, "weight").shape != (classes,):
            raise ValueError(f"{self.name}: weight must have the shape ({classes},), got {weight}.")
        loss_shape = (n,) if self.reduction == "none" else ()
        return Spec(loss_shape, logits.dtype), Spec((), weight.dtype)

    def get_row_weights(self, labels: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return the weight of each row, 0 where its label is ignored.

        Raises:
            ValueError: a label is out of range.
        """
        is_counted = labels != self.ignore_index
        is_invalid = is_counted & ((labels < 0) | (labels >= len(weight)))
        if is_invalid.any():
            raise ValueError(
                f"{self.name}: labels must be in [0, {len(weight)}) or ignore_index "
                f"{self.ignore_index}, got {labels[is_invalid][0]}."
            )
        return np.where(is_counted, weight[np.where(is_counted, labels, 0)], 0)

    def kernel(
        self,
        logits: np.ndarray,
        labels: np.ndarray,
        weight: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray],
    ) -> None:
        """Write the reduced weighted losses and the sum of weights; rows with the ignored label
        count as 0.
        """
        loss, total = out
        weights = self.get_row_weights(labels, weight)
        is_counted = labels != self.ignore_index
        label_scores = np.where(
            is_counted, logits[np.arange(len(labels)), np.where(is_counted, labels, 0)], 0
        )
        total[...] = weights.sum()
        if self.reduction == "none":
            np.multiply(label_scores, -weights, out=loss)
        else:
            loss_sum = -(label_scores * weights).sum()
            loss[...] = loss_sum / weights.sum() if self.reduction == "mean" else loss_sum

    def compute_losses(self, logits: Tensor, labels: Tensor, weight: Tensor) -> Tensor:
        """Return the loss of each row for weights of 1: -logits at its label."""
        return NLLLoss("none", self.ignore_index)(logits, labels, OnesLike()(weight))[0]

    def sum_by_class(self, values: Tensor, labels: Tensor, weight: Tensor) -> Tensor:
        """Return the sum of ``values`` over the rows of each class."""
        labels = Cast()(labels, mstype.int64)
        labels = Select()(Equal()(labels, self.ignore_index), -1, labels)
        rows = broadcast_to(values, labels.shape)
        return UnsortedSegmentSum()(rows, labels, weight.shape[0])

    def vjp(
        self, logits: Tensor, labels: Tensor, weight: Tensor, *, out: Any, dout: Any
    ) -> Cotangents:
        """Return the gradient functions of logits and weight, given the cotangents of loss and
        total weight.
        """
        dloss, dtotal = dout
        grad = NLLLossGrad(self.reduction, self.ignore_index)

        def compute_weight_grad() -> Tensor:
            """Sum, for each class, the gradients with respect to the weights of its rows."""
            terms = [] if dtotal is None else [dtotal]  # the derivative of total is 1
            dsum = dloss
            if self.reduction == "mean" and dloss is not None:
                dsum = dloss / out[1]
                terms.append(-dsum * out[0])
            if dsum is not None:
                terms.insert(0, dsum * self.compute_losses(logits, labels, weight))
            row_grads = functools.reduce(operator.add, terms)
            return Cast()(self.sum_by_class(row_grads, labels, weight), weight.dtype)

        logits_grad = None if dloss is None else lambda: grad(logits, dloss, labels, weight)
        return logits_grad, None, compute_weight_grad


class NLLLossGrad(NLLLoss):
    """The gradient of the negative log likelihood w.r.t. the logits, given the cotangent of the
    loss.

    >>> one, weight = Tensor(1.0), Tensor([1.0, 3.0])
    >>> print(NLLLossGrad("sum")(Tensor([[0.0, 0.0]]), one, Tensor([1]), weight))
    [[ 0. -3.]]
    """

    vjp_rule = VjpRule()

    def infer(self, logits: Spec, dloss: Spec, labels: Spec, weight: Spec) -> Spec:  # type: ignore[override]
        super().infer(logits, labels, weight)
        check_tensor_spec(self.name, dloss, "loss_grad")
        return logits

    def kernel(  # type: ignore[override]
        self, logits: Any, dloss: Any, labels: Any, weight: Any, *, out: np.ndarray
    ) -> None:
        """Write -weight * dloss at the label of each row, divided by the total weight for
        "mean".
        """
        weights = self.get_row_weights(labels, weight)
        scale = -weights * dloss
        if self.reduction == "mean":
            scale = scale / weights.sum()
        out.fill(0)
        rows = np.flatnonzero(labels != self.ignore_index)  # if all rows are ignored, scale is NaN
        out[rows, labels[rows]] = scale[rows]

    def vjp(  # type: ignore[override]
        self,
        logits: Tensor,
        dloss: Tensor,
        labels: Tensor,
        weight: Tensor,
        *,
        out: Tensor,
        dout: Tensor,
    ) -> Cotangents:
        """Return the gradient functions of dloss and weight; the op does not depend on logits."""
        # NLLLoss is linear in the logits, so the sum of dout times this op's output equals dloss
        # times NLLLoss with dout as logits. The gradients w.r.t. dloss and weight are those of this
        # product.
        nll_loss = NLLLoss(self.reduction, self.ignore_index)

        def compute_weight_grad() -> Tensor:
            row_grads = dloss * self.compute_losses(dout, labels, weight)
            if self.reduction == "mean":
                mean, total = nll_loss(dout, labels, weight)
                row_grads = (row_grads - mean * dloss) / total
            return self.sum_by_class(row_grads, labels, weight)

        return None, lambda: nll_loss(dout, labels, weight)[0], None, compute_weight_grad


# -- functions -------------------------------------------------------------------------------------


def _flatten_to_rows(x: Tensor) -> Tensor:
    """Reshape (N, C, d1, ...) to (N * d1 * ..., C); (N, C) and (C,) are unchanged."""
    if x.ndim < 3:
        return x
    order = (0, *range(2, x.ndim), 1)
    return Reshape()(Transpose()(x, order), (-1, x.shape[1]))


def nll_loss(
    inputs: Tensor,
    target: Tensor,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return -weight[target] * inputs[target]; see :class:`NLLLoss`.

    Args:
        inputs: log probabilities, (C,), (N, C) or (N, C, d1, ...).
        target: class indices, (), (N,) or (N, d1, ...).
        weight: weight of each class, (C,).
        ignore_index: the target to ignore.
        reduction: "mean", "sum" or "none".
        label_smoothing: fraction of the target that is spread over all classes, in [0, 1].

    >>> print(nll_loss(Tensor([[-1.0, -2.0], [-3.0, -4.0]]), Tensor([0, 1])))
    2.5
    """
    check_tensors("nll_loss", inputs=inputs, target=target)
    check_reduction("nll_loss", reduction)
    if target.dtype not in (mstype.int32, mstype.int64):
        raise TypeError(
            f"nll_loss: target must be int32 or int64 class numbers, got {target.dtype}. Cast "
            "them: target.astype(mindspore.int32)."
        )
    _check_label_smoothing("nll_loss", label_smoothing)
    if inputs.ndim < 1 or target.ndim != max(inputs.ndim - 1, 0):
        raise ValueError(
            f"nll_loss: target must have the axes of inputs without the classes, got shapes "
            f"{target.shape} and {inputs.shape}."
        )
    shape = target.shape
    rows = ExpandDims()(inputs, 0) if inputs.ndim == 1 else _flatten_to_rows(inputs)
    labels = Reshape()(target, (-1,))
    if weight is None:
        weight = Ones()((rows.shape[1],), rows.dtype)
    elif isinstance(weight, Tensor) and weight.dtype.kind == rows.dtype.kind == "f":
        common = mstype.from_numpy(mstype.promote(rows.dtype.np, weight.dtype.np))
        rows, weight = Cast()(rows, common), Cast()(weight, common)
    losses, total = NLLLoss("none", ignore_index)(rows, labels, weight)
    if label_smoothing:  # this fraction of each target is spread evenly over the classes
        smooth_losses = -ReduceSum()(rows * weight, 1)
        smooth_losses = Select()(NotEqual()(labels, ignore_index), smooth_losses, 0)
        losses = losses * (1 - label_smoothing) + smooth_losses * (label_smoothing / rows.shape[1])
    if reduction == "none":
        return Reshape()(losses, shape)
    loss_sum = ReduceSum()(losses, ())
    return loss_sum / total if reduction == "mean" else loss_sum


def _check_label_smoothing(op: str, label_smoothing: Any) -> None:
    """Check that ``label_smoothing`` is a non-negative number."""
    if isinstance(label_smoothing, bool) or not isinstance(label_smoothing, int | float):
        raise TypeError(f"{op}: label_smoothing must be a float, got {label_smoothing!r}.")
    if not label_smoothing >= 0:
        raise ValueError(f"{op}: label_smoothing must be >= 0, got {label_smoothing}.")


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross entropy of softmax(input) and target, which holds class indices or
    probabilities.

    Args:
        input: logits, (C,), (N, C) or (N, C, d1, ...).
        target: class indices (without the axis C), or probabilities in the shape of ``input``.
        weight: weight of each class, (C,).
        ignore_index: the class index to ignore; no effect on probabilities.
        reduction: "mean", "sum" or "none".
        label_smoothing: fraction of the target that is spread over all classes, in [0, 1].

    >>> print(cross_entropy(Tensor([[0.0, 0.0]]), Tensor([1])))
    0.6931472
    """
    check_tensors("cross_entropy", input=input, target=target)
    check_reduction("cross_entropy", reduction)
    axis = 0 if input.ndim == 1 else 1
    logs = LogSoftmax(axis)(input)
    if target.shape != input.shape or target.dtype.kind in "iu":
        return nll_loss(logs, target, weight, ignore_index, reduction, label_smoothing)
    _check_label_smoothing("cross_entropy", label_smoothing)
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / input.shape[axis]
    losses = -logs * target
    if weight is not None:
        weight_shape = tuple(-1 if i == axis else 1 for i in range(input.ndim))
        losses = losses * Reshape()(weight, weight_shape)
    row_losses = ReduceSum()(losses, axis)
    return reduce_loss(row_losses, reduction)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08) -> Tensor:
    """Return the cosine of the angle between ``x1`` and ``x2`` along ``dim``.

    The product of their norms, by which it divides, is at least ``eps``.

    >>> print(cosine_similarity(Tensor([[3.0, 4.0]]), Tensor([[3.0, 4.0]])))
    [1.]
    """
    check_tensors("cosine_similarity", x1=x1, x2=x2)
    check_axis("cosine_similarity", dim, max(x1.ndim, x2.ndim), "dim")
    total = ReduceSum()(Mul()(x1, x2), dim)
    norms = [PNorm(2.0, (dim % x.ndim,))(x) for x in (x1, x2)]
    return total / Maximum()(norms[0] * norms[1], eps)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """Return 1 - cosine where target is 1, max(0, cosine - margin) where it is -1, reduced."""
    check_tensors("cosine_embedding_loss", input1=input1, input2=input2)
    check_arithmetic_operands("cosine_embedding_loss", target=target)
    check_same_dtype("cosine_embedding_loss", input1=input1, input2=input2)
    check_reduction("cosine_embedding_loss", reduction)
    if not -1 <= margin <= 1:
        raise ValueError(f"cosine_embedding_loss: margin must be in [-1, 1], got {margin}.")
    axis = input1.ndim - 1
    dot = ReduceSum()(input1 * input2, axis)
    squares = [ReduceSum()(Square()(x), axis) + _TINY for x in (input1, input2)]
    cosine = dot / Sqrt()(squares[0] * squares[1])
    positive_losses = Select()(Equal()(target, 1), 1 - cosine, 0.0)
    negative_losses = Select()(Equal()(target, -1), Maximum()(cosine - margin, 0), 0.0)
    return reduce_loss(positive_losses + negative_losses, reduction)


_TINY = 1e-12


__all__ = [
    "NLLLoss",
    "NLLLossGrad",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "nll_loss",
]
