"""Losses as single ops: cross entropies with their gradients fused in."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import checks
from minispore.core.kernels import saved
from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor, call
from minispore.core.value import Spec
from minispore.ops.elementwise.bases import a_kind
from minispore.ops.network.softmax import LogSoftmax, Softmax
from minispore.ops.support.axes import a_tensor
from minispore.ops.support.sums import row_sums


def _class_scores(op: str, logits: Any) -> Spec:
    if a_kind(op, logits, "fV", "logits").ndim != 2:
        raise ValueError(
            f"{op}: logits must have two axes, (batch, classes), got {logits}. Reshape them first."
        )
    return logits


class SoftmaxCrossEntropyWithLogits(Primitive):
    """-sum(labels * log_softmax(logits)) per row, and its gradient softmax(logits) - labels.

    Shape: logits, labels: (N, C); output: (N,) and (N, C).

    >>> loss, dlogits = SoftmaxCrossEntropyWithLogits()(Tensor([[0.0, 0.0]]), Tensor([[0.0, 1.0]]))
    >>> print(loss, dlogits)
    [0.6931472] [[ 0.5 -0.5]]
    """

    partial = True

    def infer(self, logits: Spec, labels: Spec) -> tuple[Spec, Spec]:
        _class_scores(self.name, logits)
        if a_tensor(self.name, labels, "labels") != logits:
            raise ValueError(
                f"{self.name}: labels must have the shape and dtype of logits, got {labels} "
                f"and {logits}. For class numbers use sparse labels, or one_hot them."
            )
        return Spec(logits.shape[:1], logits.dtype), logits

    def kernel(
        self, logits: np.ndarray, labels: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]
    ) -> None:
        loss, dlogits = out
        # loss = log(sum(e^z)) * sum(labels) - sum(labels * z) with z = logits - max
        np.subtract(
            logits, np.maximum.reduce(logits, 1, keepdims=True, initial=-np.inf), out=dlogits
        )
        np.einsum("nc,nc->n", dlogits, labels, out=loss)
        np.exp(dlogits, out=dlogits)
        total = np.add.reduce(dlogits, 1)
        np.true_divide(dlogits, total[:, None], out=dlogits)
        np.log(total, out=total)
        np.multiply(total, np.add.reduce(labels, 1), out=total)
        np.subtract(total, loss, out=loss)
        np.subtract(dlogits, labels, out=dlogits)

    def vjp(self, logits: Tensor, labels: Tensor, *, out: Any, dout: Any) -> Any:
        _, dlogits = out
        dloss, ddlogits = dout

        def by_logits() -> Tensor:
            found = None if dloss is None else dlogits * call("ExpandDims", dloss, 1)
            if ddlogits is None:
                return found  # type: ignore[return-value]
            # the derivative of softmax(logits), which is the second output plus the labels
            p = dlogits + labels
            more = p * (ddlogits - call("ExpandDims", call("ReduceSum", ddlogits * p, 1), 1))
            return more if found is None else found + more

        def by_labels() -> Tensor:
            found = None
            if dloss is not None:
                found = -call("ExpandDims", dloss, 1) * LogSoftmax()(logits)
            if ddlogits is None:
                return found  # type: ignore[return-value]
            return -ddlogits if found is None else found - ddlogits

        return by_logits, by_labels


class SparseSoftmaxCrossEntropyWithLogits(Primitive):
    """The mean of -log_softmax(logits)[label] over the batch, or (``is_grad``) its gradient.

    Shape: logits: (N, C); labels: (N,), int32 or int64; output: (), or (N, C).

    >>> print(SparseSoftmaxCrossEntropyWithLogits()(Tensor([[0.0, 0.0]]), Tensor([1])))
    0.6931472
    """

    is_grad: bool = False
    layout = LIKE_INPUT
    saves = (0,)

    def check(self) -> None:
        checks.boolean(self.name, "is_grad", self.is_grad)

    def infer(self, logits: Spec, labels: Spec) -> Spec:
        _class_scores(self.name, logits)
        if a_kind(self.name, labels, "iu", "labels").shape != logits.shape[:1]:
            raise ValueError(
                f"{self.name}: labels must have one class number per row of logits {logits}, "
                f"got {labels}."
            )
        return logits if self.is_grad else Spec((), logits.dtype)

    def kernel(self, logits: np.ndarray, labels: np.ndarray, *, out: np.ndarray) -> None:
        if self.is_grad and saved.filled(out, self, logits, labels):
            return
        z = out if self.is_grad else np.empty_like(logits)  # in its order: sums run the same way
        total, loss = _exponentials(self.name, logits, labels, z)
        if self.is_grad:
            _as_gradient(z, total, labels)
            return
        out[...] = loss
        if saved.saves():
            _as_gradient(z, total, labels)
            saved.save(z, (SparseSoftmaxCrossEntropyWithLogits(True),), logits, labels)

    def vjp(self, logits: Tensor, labels: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        if not self.is_grad:
            return (lambda: SparseSoftmaxCrossEntropyWithLogits(True)(logits, labels) * dout,)

        def by_logits() -> Tensor:
            p = Softmax()(logits)
            return p * (dout - call("ExpandDims", call("ReduceSum", dout * p, 1), 1)) / out.shape[0]

        return (by_logits,)


class SparseSoftmaxLossAndGrad(Primitive):
    """:class:`SparseSoftmaxCrossEntropyWithLogits` and its gradient by the logits in one go.

    The compiler puts it in place of the two.
    """

    internal = True
    layout = LIKE_INPUT

    def infer(self, logits: Spec, labels: Spec) -> tuple[Spec, Spec]:
        return SparseSoftmaxCrossEntropyWithLogits().infer(logits, labels), logits

    def kernel(
        self, logits: np.ndarray, labels: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]
    ) -> None:
        loss, dlogits = out
        total, loss[...] = _exponentials(self.name, logits, labels, dlogits)
        _as_gradient(dlogits, total, labels)


def _exponentials(
    op: str, logits: np.ndarray, labels: np.ndarray, z: np.ndarray
) -> tuple[np.ndarray, Any]:
    """z = e^(logits - max); returns the sum of each row (N, 1), and the mean of the losses."""
    n, classes = logits.shape
    if n and not np.maximum.reduce(labels.view(f"u{labels.itemsize}")) < classes:  # -1 is largest
        raise ValueError(
            f"{op}: labels must be in [0, {classes}), got {labels.min()} to {labels.max()}."
        )
    top = np.maximum.reduce(logits, 1, keepdims=True, initial=-np.inf)
    np.subtract(logits, top, out=z)
    seen, at = _chosen(z, labels)
    picked = seen[at]
    np.exp(z, out=z)
    total = row_sums(z, (1,))
    losses = np.subtract(np.log(total[:, 0]), picked, out=picked)
    return total, np.add.reduce(losses) / losses.dtype.type(n)


def _as_gradient(z: np.ndarray, total: np.ndarray, labels: np.ndarray) -> None:
    """z = (z / total - one_hot(labels)) / N in place; total is overwritten."""
    one = z.dtype.type(1)
    np.true_divide(one, np.multiply(total, len(z), out=total), out=total)
    np.multiply(z, total, out=z)
    seen, at = _chosen(z, labels)
    seen[at] -= one / z.dtype.type(len(z))


def _chosen(z: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, Any]:
    """What z holds at the labels, as an array and an index: of flat arrays NumPy is quicker."""
    n, classes = z.shape
    if not z.flags.c_contiguous:
        return z, (np.arange(n), labels)
    at = np.arange(0, z.size, classes) if classes else np.arange(0)
    return z.reshape(-1), np.add(at, labels, out=at, casting="unsafe")


__all__ = [
    "SoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogits",
]
