"""Losses over classes and over pairs: negative log likelihood, margins, cosines, triplets."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core import dtype as mstype
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.foundation import checks
from minispore.ops.elementwise.arithmetic import Mul
from minispore.ops.elementwise.bases import a_kind, broadcast_to
from minispore.ops.elementwise.compare import Equal, NotEqual
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.elementwise.powers import Sqrt
from minispore.ops.elementwise.rounding import Square
from minispore.ops.index.segment import UnsortedSegmentSum
from minispore.ops.index.select import Select
from minispore.ops.linalg.vector_norms import PNorm
from minispore.ops.loss.pointwise import a_reduction, in_any_case, of_one_dtype, reduced
from minispore.ops.network.softmax import LogSoftmax
from minispore.ops.shape.views import ExpandDims, Reshape, Transpose
from minispore.ops.shape.whole import Cast, Ones, OnesLike
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import (
    check_arithmetic_operands,
    check_axis,
    check_tensor_spec,
    check_tensors,
)


class NLLLoss(Primitive):
    """-weight[label] * logits[label] per row, and the total weight.

    Args:
        reduction: "mean" (the sum divided by the total weight), "sum" or "none".
        ignore_index: rows with this label count nothing.

    Shape: logits: (N, C); labels: (N,); weight: (C,); output: () or (N,), and ().

    >>> loss, total = NLLLoss()(Tensor([[-1.0, -2.0]]), Tensor([1]), Tensor([1.0, 3.0]))
    >>> print(loss, total)
    2.0 3.0
    """

    reduction: str = "mean"
    ignore_index: int = -100
    partial = True

    def check(self) -> None:
        self.normalise(reduction=in_any_case(self.name, self.reduction))
        checks.integer(self.name, "ignore_index", self.ignore_index)

    def infer(self, logits: Spec, labels: Spec, weight: Spec) -> tuple[Spec, Spec]:
        if a_kind(self.name, logits, "fV", "logits").ndim != 2:
            raise ValueError(f"{self.name}: logits must have the axes (N, C), got {logits}.")
        n, classes = logits.shape
        if not classes:
            raise ValueError(f"{self.name}: logits must have at least one class, got {logits}.")
        if a_kind(self.name, labels, "iu", "labels").shape != (n,):
            raise ValueError(f"{self.name}: labels must have the shape ({n},), got {labels}.")
        if a_kind(self.name, weight, "fV", "weight").shape != (classes,):
            raise ValueError(f"{self.name}: weight must have the shape ({classes},), got {weight}.")
        each = (n,) if self.reduction == "none" else ()
        return Spec(each, logits.dtype), Spec((), weight.dtype)

    def weights_of(self, labels: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """The weight of each row."""
        counted = labels != self.ignore_index
        bad = counted & ((labels < 0) | (labels >= len(weight)))
        if bad.any():
            raise ValueError(
                f"{self.name}: labels must be in [0, {len(weight)}) or ignore_index "
                f"{self.ignore_index}, got {labels[bad][0]}."
            )
        return np.where(counted, weight[np.where(counted, labels, 0)], 0)

    def kernel(
        self,
        logits: np.ndarray,
        labels: np.ndarray,
        weight: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray],
    ) -> None:
        loss, total = out
        weights = self.weights_of(labels, weight)
        counted = labels != self.ignore_index
        picked = np.where(counted, logits[np.arange(len(labels)), np.where(counted, labels, 0)], 0)
        total[...] = weights.sum()
        if self.reduction == "none":
            np.multiply(picked, -weights, out=loss)
        else:
            whole = -(picked * weights).sum()
            loss[...] = whole / weights.sum() if self.reduction == "mean" else whole

    def losses(self, logits: Tensor, labels: Tensor, weight: Tensor) -> Tensor:
        """-logits of each row at its class: the losses if all weights are 1."""
        return NLLLoss("none", self.ignore_index)(logits, labels, OnesLike()(weight))[0]

    def by_class(self, each: Tensor, labels: Tensor, weight: Tensor) -> Tensor:
        """The sum over the rows of each class."""
        labels = Cast()(labels, mstype.int64)
        labels = Select()(Equal()(labels, self.ignore_index), -1, labels)
        rows = broadcast_to(each, labels.shape)
        return UnsortedSegmentSum()(rows, labels, weight.shape[0])

    def vjp(self, logits: Tensor, labels: Tensor, weight: Tensor, *, out: Any, dout: Any) -> Any:
        dloss, dtotal = dout
        grad = NLLLossGrad(self.reduction, self.ignore_index)

        def dweight() -> Tensor:
            """By weight[c] the sum of rows is -logits[i, c] in each row of class c, the total 1."""
            if self.reduction == "mean" and dloss is not None:
                dsum = dloss / out[1]
                also = -dsum * out[0]
            else:
                dsum, also = dloss, None
            dall = also if dtotal is None else dtotal if also is None else dtotal + also
            each = dall
            if dsum is not None:
                each = dsum * self.losses(logits, labels, weight)
                each = each if dall is None else each + dall
            return Cast()(self.by_class(each, labels, weight), weight.dtype)

        by_logits = None if dloss is None else lambda: grad(logits, dloss, labels, weight)
        return by_logits, None, dweight


class NLLLossGrad(NLLLoss):
    """The gradient of the negative log likelihood by the logits, from that of the loss.

    >>> one, weight = Tensor(1.0), Tensor([1.0, 3.0])
    >>> print(NLLLossGrad("sum")(Tensor([[0.0, 0.0]]), one, Tensor([1]), weight))
    [[ 0. -3.]]
    """

    internal = True
    partial = False

    def infer(self, logits: Spec, dloss: Spec, labels: Spec, weight: Spec) -> Spec:  # type: ignore[override]
        super().infer(logits, labels, weight)
        check_tensor_spec(self.name, dloss, "loss_grad")
        return logits

    def kernel(  # type: ignore[override]
        self, logits: Any, dloss: Any, labels: Any, weight: Any, *, out: np.ndarray
    ) -> None:
        weights = self.weights_of(labels, weight)
        scale = -weights * dloss
        if self.reduction == "mean":
            scale = scale / weights.sum()
        out.fill(0)
        rows = np.flatnonzero(labels != self.ignore_index)  # where all are ignored, scale is nan
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
    ) -> Any:
        # linear in dloss, and but for the mean in the weights: the loss with dout for the logits
        loss = NLLLoss(self.reduction, self.ignore_index)

        def dweight() -> Tensor:
            each = dloss * self.losses(dout, labels, weight)
            if self.reduction == "mean":
                mean, total = loss(dout, labels, weight)
                each = (each - mean * dloss) / total
            return self.by_class(each, labels, weight)

        return None, lambda: loss(dout, labels, weight)[0], None, dweight


# -- functions -------------------------------------------------------------------------------------


def _rows(x: Tensor) -> Tensor:
    """(N, C, d1, ...) as (N * d1 * ..., C)."""
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
    """-weight[target] * inputs[target]; see :class:`NLLLoss`.

    Args:
        inputs: log probabilities, (C,), (N, C) or (N, C, d1, ...).
        target: class numbers, (), (N,) or (N, d1, ...).
        weight: of each class, (C,).
        ignore_index: this target counts nothing.
        reduction: "mean", "sum" or "none".
        label_smoothing: how much of the target is spread over all classes, in [0, 1].

    >>> print(nll_loss(Tensor([[-1.0, -2.0], [-3.0, -4.0]]), Tensor([0, 1])))
    2.5
    """
    check_tensors("nll_loss", inputs=inputs, target=target)
    a_reduction("nll_loss", reduction)
    if target.dtype not in (mstype.int32, mstype.int64):
        raise TypeError(
            f"nll_loss: target must be int32 or int64 class numbers, got {target.dtype}. Cast "
            "them: target.astype(mindspore.int32)."
        )
    _smoothing("nll_loss", label_smoothing)
    if inputs.ndim < 1 or target.ndim != max(inputs.ndim - 1, 0):
        raise ValueError(
            f"nll_loss: target must have the axes of inputs without the classes, got shapes "
            f"{target.shape} and {inputs.shape}."
        )
    shape = target.shape
    rows = ExpandDims()(inputs, 0) if inputs.ndim == 1 else _rows(inputs)
    labels = Reshape()(target, (-1,))
    if weight is None:
        weight = Ones()((rows.shape[1],), rows.dtype)
    elif isinstance(weight, Tensor) and weight.dtype.kind == rows.dtype.kind == "f":
        common = mstype.from_numpy(mstype.promote(rows.dtype.np, weight.dtype.np))
        rows, weight = Cast()(rows, common), Cast()(weight, common)
    losses, total = NLLLoss("none", ignore_index)(rows, labels, weight)
    if label_smoothing:
        spread = -ReduceSum()(rows * weight, 1)
        spread = Select()(NotEqual()(labels, ignore_index), spread, 0)
        losses = losses * (1 - label_smoothing) + spread * (label_smoothing / rows.shape[1])
    if reduction == "none":
        return Reshape()(losses, shape)
    whole = ReduceSum()(losses, ())
    return whole / total if reduction == "mean" else whole


def _smoothing(op: str, label_smoothing: Any) -> None:
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
    """The cross entropy of softmax(input) and target: class numbers, or probabilities.

    Args:
        input: scores, (C,), (N, C) or (N, C, d1, ...).
        target: class numbers (without the axis C), or probabilities in the shape of ``input``.
        weight: of each class, (C,).
        ignore_index: this class number counts nothing.
        reduction: "mean", "sum" or "none".
        label_smoothing: how much of the target is spread over all classes, in [0, 1].

    >>> print(cross_entropy(Tensor([[0.0, 0.0]]), Tensor([1])))
    0.6931472
    """
    check_tensors("cross_entropy", input=input, target=target)
    a_reduction("cross_entropy", reduction)
    axis = 0 if input.ndim == 1 else 1
    logs = LogSoftmax(axis)(input)
    if target.shape != input.shape or target.dtype.kind in "iu":
        return nll_loss(logs, target, weight, ignore_index, reduction, label_smoothing)
    _smoothing("cross_entropy", label_smoothing)
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / input.shape[axis]
    losses = -logs * target
    if weight is not None:
        along = tuple(-1 if i == axis else 1 for i in range(input.ndim))
        losses = losses * Reshape()(weight, along)
    each = ReduceSum()(losses, axis)
    return reduced(each, reduction)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08) -> Tensor:
    """The cosine of the angle between ``x1`` and ``x2`` along ``dim``.

    >>> print(cosine_similarity(Tensor([[3.0, 4.0]]), Tensor([[3.0, 4.0]])))
    [1.]
    """
    check_tensors("cosine_similarity", x1=x1, x2=x2)
    check_axis("cosine_similarity", dim, max(x1.ndim, x2.ndim), "dim")
    total = ReduceSum()(Mul()(x1, x2), dim)
    sizes = [PNorm(2.0, (dim % x.ndim,))(x) for x in (x1, x2)]
    return total / Maximum()(sizes[0] * sizes[1], eps)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """1 - cosine where target is 1, max(0, cosine - margin) where it is -1, reduced."""
    check_tensors("cosine_embedding_loss", input1=input1, input2=input2)
    check_arithmetic_operands("cosine_embedding_loss", target=target)
    of_one_dtype("cosine_embedding_loss", input1=input1, input2=input2)
    a_reduction("cosine_embedding_loss", reduction)
    if not -1 <= margin <= 1:
        raise ValueError(f"cosine_embedding_loss: margin must be in [-1, 1], got {margin}.")
    axis = input1.ndim - 1
    dot = ReduceSum()(input1 * input2, axis)
    squares = [ReduceSum()(Square()(x), axis) + _TINY for x in (input1, input2)]
    cosine = dot / Sqrt()(squares[0] * squares[1])
    near = Select()(Equal()(target, 1), 1 - cosine, 0.0)
    apart = Select()(Equal()(target, -1), Maximum()(cosine - margin, 0), 0.0)
    return reduced(near + apart, reduction)


_TINY = 1e-12


__all__ = [
    "NLLLoss",
    "NLLLossGrad",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "nll_loss",
]
