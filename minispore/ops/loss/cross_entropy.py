"""Cross entropies as single ops with fused gradients."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minispore.core.primitive import Calls, Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.execution.kernels import saved_intermediates
from minispore.execution.kernels.blas import get_ones
from minispore.execution.layout import LIKE_INPUT
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.network.softmax import LogSoftmax, Softmax
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.statistics.reduce import ReduceSum
from minispore.ops.support.arguments import FLOAT_KINDS, check_tensor_spec
from minispore.ops.support.sums import can_sum_fast


def _check_class_scores(op: str, logits: Any) -> Spec:
    """Check that ``logits`` is a float tensor (batch, classes) and return its spec."""
    if check_dtype_kind(op, logits, FLOAT_KINDS, "logits").ndim != 2:
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

    vjp_rule = VjpRule(partial=True)

    def infer(self, logits: Spec, labels: Spec) -> tuple[Spec, Spec]:
        """Return the specs (N,) and (N, C); raise unless labels have the shape and dtype of the
        logits.
        """
        _check_class_scores(self.name, logits)
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
        """Compute both outputs from one exponential of the logits minus their row maxima."""
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

    def vjp(self, logits: Tensor, labels: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient functions of logits and labels; either output's cotangent may be
        None.
        """
        _, dlogits = out
        dloss, ddlogits = dout

        def compute_logits_grad() -> Tensor:
            grad = None if dloss is None else dlogits * ExpandDims()(dloss, 1)
            if ddlogits is None:
                return grad  # type: ignore[return-value]
            # the derivative of softmax(logits), which equals the second output plus the labels
            p = dlogits + labels
            second_order = p * (ddlogits - ExpandDims()(ReduceSum()(ddlogits * p, 1), 1))
            return second_order if grad is None else grad + second_order

        def compute_labels_grad() -> Tensor:
            grad = None
            if dloss is not None:
                grad = -ExpandDims()(dloss, 1) * LogSoftmax()(logits)
            if ddlogits is None:
                return grad  # type: ignore[return-value]
            return -ddlogits if grad is None else grad - ddlogits

        return compute_logits_grad, compute_labels_grad


class SparseSoftmaxCrossEntropyWithLogits(Primitive):
    """The mean of -log_softmax(logits)[label] over the batch, or (``is_grad``) its gradient.

    Shape: logits: (N, ..., C); labels: (N, ...), int32 or int64; output: (), or (N, ..., C).

    >>> print(SparseSoftmaxCrossEntropyWithLogits()(Tensor([[0.0, 0.0]]), Tensor([1])))
    0.6931472
    """

    is_grad: bool = False
    layout = LIKE_INPUT
    vjp_rule = VjpRule(saves_for_inputs=(0,))

    def check(self) -> None:
        checks.boolean(self.name, "is_grad", self.is_grad)

    def __call__(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Apply the op to (N, C); further leading axes that labels shares are flattened first."""
        shape: tuple[int, ...] = getattr(logits, "shape", ())
        if len(shape) <= 2 or getattr(labels, "shape", ()) != shape[:-1]:
            return super().__call__(logits, labels)
        n = math.prod(shape[:-1])
        rows = Reshape()(logits, (n, shape[-1]))
        result = super().__call__(rows, Reshape()(labels, (n,)))
        return Reshape()(result, shape) if self.is_grad else result

    def infer(self, logits: Spec, labels: Spec) -> Spec:
        """Return the spec of the mean loss, or with ``is_grad`` of the logits; raise unless labels
        match the rows of the logits.
        """
        _check_class_scores(self.name, logits)
        if check_dtype_kind(self.name, labels, "iu", "labels").shape != logits.shape[:1]:
            raise ValueError(
                f"{self.name}: labels must have one class number per row of logits {logits}, "
                f"got {labels}."
            )
        return logits if self.is_grad else Spec((), logits.dtype)

    def kernel(self, logits: np.ndarray, labels: np.ndarray, *, out: np.ndarray) -> None:
        """Write the loss, and save its gradient if intermediates are saved.

        With ``is_grad``, write the gradient: copied if the loss of these inputs has saved it, else
        computed.
        """
        if self.is_grad and saved_intermediates.fill_from_saved(out, self, logits, labels):
            return
        # In the memory order of logits, so that sums are computed in the same order.
        z = out if self.is_grad else np.empty_like(logits)
        loss = np.empty((), z.dtype) if self.is_grad else out
        work = [np.empty(s.shape, s.dtype) for s in _make_scratch_specs(z)]
        calls = _make_loss_calls(self.name, logits, labels, z, loss, work)
        saves_gradient = not self.is_grad and saved_intermediates.is_saving()
        if self.is_grad or saves_gradient:
            calls += _make_gradient_calls(z, work)
        for call in calls:
            call()
        if saves_gradient:
            saved_intermediates.save(
                z, (SparseSoftmaxCrossEntropyWithLogits(is_grad=True),), logits, labels
            )

    def vjp(self, logits: Tensor, labels: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of the logits, for the loss or, with ``is_grad``, for its
        gradient.
        """
        if not self.is_grad:
            return (
                lambda: SparseSoftmaxCrossEntropyWithLogits(is_grad=True)(logits, labels) * dout,
            )

        def compute_logits_grad() -> Tensor:
            p = Softmax()(logits)
            return p * (dout - ExpandDims()(ReduceSum()(dout * p, 1), 1)) / out.shape[0]

        return (compute_logits_grad,)


class SparseSoftmaxLossAndGrad(Primitive):
    """:class:`SparseSoftmaxCrossEntropyWithLogits` and its gradient w.r.t. the logits as one op.

    The compiler fuses the two ops into this one.
    """

    layout = LIKE_INPUT

    def infer(self, logits: Spec, labels: Spec) -> tuple[Spec, Spec]:
        return SparseSoftmaxCrossEntropyWithLogits().infer(logits, labels), logits

    def scratch(self, logits: Spec, labels: Spec) -> tuple[Spec, ...]:
        return _make_scratch_specs(logits)

    def calls(
        self,
        logits: np.ndarray,
        labels: np.ndarray,
        *,
        out: tuple[np.ndarray, np.ndarray],
        work: list[np.ndarray],
    ) -> Calls:
        loss, z = out
        calls = _make_loss_calls(self.name, logits, labels, z, loss, work)
        return calls + _make_gradient_calls(z, work)


def _make_scratch_specs(z: Any) -> tuple[Spec, ...]:
    """Return the specs of the scratch arrays of the calls: three numbers and a label index per
    row.
    """
    n = z.shape[0]
    row = Spec((n,), z.dtype)
    return Spec((n, 1), z.dtype), row, row, Spec((n,), np.dtype(np.intp))


def _make_loss_calls(
    op: str,
    logits: np.ndarray,
    labels: np.ndarray,
    z: np.ndarray,
    loss: np.ndarray,
    work: list[np.ndarray],
) -> Calls:
    """Return calls that write z = e^(logits - max) and the mean loss.

    The calls leave the sum of each row in work[0], and raise ValueError for labels out of range.
    """
    row_values, label_scores, losses, indices = work
    n, classes = logits.shape
    sums = partial(np.add.reduce, z, 1, None, row_values, True)
    if can_sum_fast(z) and classes >= 8:
        sums = partial(np.matmul, z, get_ones(classes, z.dtype), row_values[:, 0])
    return [
        partial(_check_labels, op, labels, labels.view(f"u{labels.itemsize}"), classes),
        partial(np.maximum.reduce, logits, 1, None, row_values, True, -np.inf),
        partial(np.subtract, logits, row_values, z),
        *_make_label_index_calls(z, labels, indices),
        _make_read_labels_call(z, indices, label_scores),
        partial(np.exp, z, z),
        sums,
        partial(np.log, row_values[:, 0], losses),
        partial(np.subtract, losses, label_scores, losses),
        partial(np.add.reduce, losses, 0, None, loss),
        partial(np.true_divide, loss, z.dtype.type(n), loss),
    ]


def _make_gradient_calls(z: np.ndarray, work: list[np.ndarray]) -> Calls:
    """Return calls that turn z into (z / sum - one_hot(labels)) / N in place.

    They must run after the calls of :func:`_make_loss_calls`.
    """
    row_values, label_scores, _, indices = work
    one, n = z.dtype.type(1), z.dtype.type(len(z))
    return [
        partial(np.multiply, row_values, n, row_values),
        partial(np.true_divide, one, row_values, row_values),
        partial(np.multiply, z, row_values, z),
        _make_read_labels_call(z, indices, label_scores),
        partial(np.subtract, label_scores, one / n if len(z) else one, label_scores),
        _make_write_labels_call(z, indices, label_scores),
    ]


def _get_flat_view(z: np.ndarray) -> np.ndarray | None:
    """Return a flat view of z in memory order, by rows or by columns; None if z is not
    contiguous.
    """
    contiguous = z if z.flags.c_contiguous else z.T
    return contiguous.reshape(-1) if contiguous.flags.c_contiguous else None


def _make_label_index_calls(z: np.ndarray, labels: np.ndarray, out: np.ndarray) -> Calls:
    """Return calls that write the index of each label in the flat view of z to ``out``.

    If z is not contiguous, they write the label itself.
    """
    n, classes = z.shape
    if z.flags.c_contiguous or _get_flat_view(z) is None:
        row_starts = np.arange(n) * (classes if z.flags.c_contiguous else 0)
        return [partial(np.add, row_starts, labels, out, casting="unsafe")]
    scaled = partial(np.multiply, labels, n, out, casting="unsafe", dtype=out.dtype)
    return [scaled, partial(np.add, out, np.arange(n), out)]


def _make_read_labels_call(
    z: np.ndarray, indices: np.ndarray, out: np.ndarray
) -> Callable[[], Any]:
    """Return a call that reads z at the labels into ``out``.

    ``indices`` are the output of :func:`_make_label_index_calls`.
    """
    flat = _get_flat_view(z)
    if flat is not None:
        return partial(flat.take, indices, None, out, "clip")  # indices have been checked
    return lambda: np.copyto(out, z[np.arange(len(z)), indices])


def _make_write_labels_call(
    z: np.ndarray, indices: np.ndarray, values: np.ndarray
) -> Callable[[], Any]:
    """Return a call that writes ``values`` to z at the labels, at flat indices or, if z is not
    contiguous, row by row.
    """
    flat = _get_flat_view(z)
    if flat is not None:
        return partial(flat.put, indices, values, "clip")

    def write_values() -> None:
        """Write ``values[i]`` to row i of z, at its label."""
        z[np.arange(len(z)), indices] = values

    return write_values


def _check_labels(op: str, labels: np.ndarray, unsigned: np.ndarray, classes: int) -> None:
    """Raise a ValueError unless labels are in [0, classes).

    ``unsigned`` is an unsigned view of the labels, in which -1 is the largest number.
    """
    if unsigned.size and not np.maximum.reduce(unsigned) < classes:
        raise ValueError(
            f"{op}: labels must be in [0, {classes}), got {labels.min()} to {labels.max()}."
        )


__all__ = [
    "SoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogits",
]
