"""Losses as single ops: cross entropies with their gradients fused in."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minispore.core.kernels import saved_intermediates
from minispore.core.kernels.blas import get_ones
from minispore.core.layout import LIKE_INPUT
from minispore.core.primitive import Calls, Primitive
from minispore.core.tensor import Tensor
from minispore.core.value import Spec
from minispore.foundation import checks
from minispore.ops.elementwise.bases import a_kind
from minispore.ops.network.softmax import LogSoftmax, Softmax
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import check_tensor_spec
from minispore.ops.support.sums import can_sum_fast


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
        if check_tensor_spec(self.name, labels, "labels") != logits:
            error = ValueError if labels.dtype == logits.dtype else TypeError
            raise error(
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
            found = None if dloss is None else dlogits * ExpandDims()(dloss, 1)
            if ddlogits is None:
                return found  # type: ignore[return-value]
            # the derivative of softmax(logits), which is the second output plus the labels
            p = dlogits + labels
            more = p * (ddlogits - ExpandDims()(ReduceSum()(ddlogits * p, 1), 1))
            return more if found is None else found + more

        def by_labels() -> Tensor:
            found = None
            if dloss is not None:
                found = -ExpandDims()(dloss, 1) * LogSoftmax()(logits)
            if ddlogits is None:
                return found  # type: ignore[return-value]
            return -ddlogits if found is None else found - ddlogits

        return by_logits, by_labels


class SparseSoftmaxCrossEntropyWithLogits(Primitive):
    """The mean of -log_softmax(logits)[label] over the batch, or (``is_grad``) its gradient.

    Shape: logits: (N, ..., C); labels: (N, ...), int32 or int64; output: (), or (N, ..., C).

    >>> print(SparseSoftmaxCrossEntropyWithLogits()(Tensor([[0.0, 0.0]]), Tensor([1])))
    0.6931472
    """

    is_grad: bool = False
    layout = LIKE_INPUT
    saves_for_inputs = (0,)

    def check(self) -> None:
        checks.boolean(self.name, "is_grad", self.is_grad)

    def __call__(self, logits: Tensor, labels: Tensor) -> Tensor:
        shape: tuple[int, ...] = getattr(logits, "shape", ())
        if len(shape) <= 2 or getattr(labels, "shape", ()) != shape[:-1]:
            return super().__call__(logits, labels)
        n = math.prod(shape[:-1])
        rows = Reshape()(logits, (n, shape[-1]))
        made = super().__call__(rows, Reshape()(labels, (n,)))
        return Reshape()(made, shape) if self.is_grad else made

    def infer(self, logits: Spec, labels: Spec) -> Spec:
        _class_scores(self.name, logits)
        if a_kind(self.name, labels, "iu", "labels").shape != logits.shape[:1]:
            raise ValueError(
                f"{self.name}: labels must have one class number per row of logits {logits}, "
                f"got {labels}."
            )
        return logits if self.is_grad else Spec((), logits.dtype)

    def kernel(self, logits: np.ndarray, labels: np.ndarray, *, out: np.ndarray) -> None:
        if self.is_grad and saved_intermediates.fill_from_saved(out, self, logits, labels):
            return
        z = out if self.is_grad else np.empty_like(logits)  # in its order: sums run the same way
        loss = np.empty((), z.dtype) if self.is_grad else out
        work = [np.empty(s.shape, s.dtype) for s in _room(z)]
        calls = _exponentials(self.name, logits, labels, z, loss, work)
        slope = not self.is_grad and saved_intermediates.is_saving()
        if self.is_grad or slope:
            calls += _as_gradient(z, work)
        for step in calls:
            step()
        if slope:
            saved_intermediates.save(
                z, (SparseSoftmaxCrossEntropyWithLogits(True),), logits, labels
            )

    def vjp(self, logits: Tensor, labels: Tensor, *, out: Tensor, dout: Tensor) -> Any:
        if not self.is_grad:
            return (lambda: SparseSoftmaxCrossEntropyWithLogits(True)(logits, labels) * dout,)

        def by_logits() -> Tensor:
            p = Softmax()(logits)
            return p * (dout - ExpandDims()(ReduceSum()(dout * p, 1), 1)) / out.shape[0]

        return (by_logits,)


class SparseSoftmaxLossAndGrad(Primitive):
    """:class:`SparseSoftmaxCrossEntropyWithLogits` and its gradient by the logits in one go.

    The compiler puts it in place of the two.
    """

    internal = True
    layout = LIKE_INPUT

    def infer(self, logits: Spec, labels: Spec) -> tuple[Spec, Spec]:
        return SparseSoftmaxCrossEntropyWithLogits().infer(logits, labels), logits

    def scratch(self, logits: Spec, labels: Spec) -> tuple[Spec, ...]:
        return _room(logits)

    def calls(
        self,
        logits: np.ndarray,
        labels: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray],
        work: list[np.ndarray],
    ) -> Calls:
        loss, z = out
        made = _exponentials(self.name, logits, labels, z, loss, work)
        return made + _as_gradient(z, work)


def _room(z: Any) -> tuple[Spec, ...]:
    """What the calls below work in: a number for each row, thrice, and where its label is."""
    n = z.shape[0]
    row = Spec((n,), z.dtype)
    return Spec((n, 1), z.dtype), row, row, Spec((n,), np.dtype(np.intp))


def _exponentials(
    op: str,
    logits: np.ndarray,
    labels: np.ndarray,
    z: np.ndarray,
    loss: np.ndarray,
    work: list[np.ndarray],
) -> Calls:
    """z = e^(logits - max), and the mean of the losses; leaves the sum of each row in work[0]."""
    each, picked, losses, at = work
    n, classes = logits.shape
    sums = partial(np.add.reduce, z, 1, None, each, True)
    if can_sum_fast(z) and classes >= 8:
        sums = partial(np.matmul, z, get_ones(classes, z.dtype), each[:, 0])
    return [
        partial(_check_labels, op, labels, labels.view(f"u{labels.itemsize}"), classes),
        partial(np.maximum.reduce, logits, 1, None, each, True, -np.inf),
        partial(np.subtract, logits, each, z),
        *_places(z, labels, at),
        _picks(z, at, picked),
        partial(np.exp, z, z),
        sums,
        partial(np.log, each[:, 0], losses),
        partial(np.subtract, losses, picked, losses),
        partial(np.add.reduce, losses, 0, None, loss),
        partial(np.true_divide, loss, z.dtype.type(n), loss),
    ]


def _as_gradient(z: np.ndarray, work: list[np.ndarray]) -> Calls:
    """z = (z / sum - one_hot(labels)) / N in place, after the calls above."""
    each, picked, _, at = work
    one, n = z.dtype.type(1), z.dtype.type(len(z))
    return [
        partial(np.multiply, each, n, each),
        partial(np.true_divide, one, each, each),
        partial(np.multiply, z, each, z),
        _picks(z, at, picked),
        partial(np.subtract, picked, one / n if len(z) else one, picked),
        _puts(z, at, picked),
    ]


def _flat(z: np.ndarray) -> np.ndarray | None:
    """z as it lies, by rows or by columns; None if it does not lie densely."""
    by_rows = z if z.flags.c_contiguous else z.T
    return by_rows.reshape(-1) if by_rows.flags.c_contiguous else None


def _places(z: np.ndarray, labels: np.ndarray, out: np.ndarray) -> Calls:
    """Where the labels are in a flat z; or else in each row."""
    n, classes = z.shape
    if z.flags.c_contiguous or _flat(z) is None:
        begins = np.arange(n) * (classes if z.flags.c_contiguous else 0)
        return [partial(np.add, begins, labels, out, casting="unsafe")]
    scaled = partial(np.multiply, labels, n, out, casting="unsafe", dtype=out.dtype)
    return [scaled, partial(np.add, out, np.arange(n), out)]


def _picks(z: np.ndarray, at: np.ndarray, out: np.ndarray) -> Callable[[], Any]:
    """Read z at the labels, whose places are ``at``."""
    flat = _flat(z)
    if flat is not None:
        return partial(flat.take, at, None, out, "clip")  # which are checked
    return lambda: np.copyto(out, z[np.arange(len(z)), at])


def _puts(z: np.ndarray, at: np.ndarray, given: np.ndarray) -> Callable[[], Any]:
    """Write z at the labels, whose places are ``at``."""
    flat = _flat(z)
    if flat is not None:
        return partial(flat.put, at, given, "clip")

    def put() -> None:
        z[np.arange(len(z)), at] = given

    return put


def _check_labels(op: str, labels: np.ndarray, whole: np.ndarray, classes: int) -> None:
    """``whole``: labels without a sign, so that -1 is the largest."""
    if whole.size and not np.maximum.reduce(whole) < classes:
        raise ValueError(
            f"{op}: labels must be in [0, {classes}), got {labels.min()} to {labels.max()}."
        )


__all__ = [
    "SoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogits",
]
