"""Connectionist temporal classification: its two losses and the greedy decoder.

Source: Graves et al., https://www.cs.toronto.edu/~graves/icml_2006.pdf

A target of S labels is extended by blanks around and between its labels, which gives 2S + 1 states.
alpha[t, s] is the log probability of all alignments of t + 1 steps that end in state s.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.elementwise.extremes import Maximum
from minispore.ops.index.select import Select
from minispore.ops.loss.ctc_paths import (
    _LOG_ZERO,
    Paths,
    compute_alpha,
    compute_losses_by_ops,
    compute_occupancy,
    compute_target_losses,
    make_paths,
)
from minispore.ops.loss.pointwise import check_reduction
from minispore.ops.network.softmax import LogSoftmax
from minispore.ops.shape.cast_fill import Cast, OnesLike
from minispore.ops.shape.views import ExpandDims
from minispore.ops.statistics.reduce import ReduceMean, ReduceSum
from minispore.ops.support.arguments import (
    check_array,
    check_dtype,
    check_tensor_spec,
    check_tensors,
)
from minispore.ops.support.derive import pull_back


class CTCLossV2(Primitive):
    """-log P(target) of each sequence, and alpha.

    Args:
        blank: the class that emits nothing.
        reduction: "none".
        zero_infinity: a target without an alignment has the loss 0 and no gradient.

    Shape: log_probs: (T, N, C); targets: (N, S); input_lengths, target_lengths: (N,); output: (N,)
        and (N, T, 2S + 1).

    >>> log_probs = Tensor(np.log([[[0.4, 0.6]], [[0.5, 0.5]]]))
    >>> one = Tensor([1])
    >>> print(CTCLossV2()(log_probs, Tensor([[1]]), Tensor([2]), one)[0].asnumpy().round(4))
    [0.2231]
    """

    blank: int = 0
    reduction: str = "none"
    zero_infinity: bool = False
    vjp_rule = VjpRule(partial=True)

    def check(self) -> None:
        checks.integer(self.name, "blank", self.blank, 0)
        check_reduction(self.name, self.reduction, ("none",))
        checks.boolean(self.name, "zero_infinity", self.zero_infinity)

    def infer(self, log_probs: Spec, targets: Spec, inputs: Any, lengths: Any) -> tuple[Spec, Spec]:
        """Check axes, blank and lengths; return the specs (N,) of the losses and (N, T, 2S + 1) of
        alpha.
        """
        if check_dtype_kind(self.name, log_probs, "f", "log_probs").ndim != 3:
            raise ValueError(
                f"{self.name}: log_probs must have the axes (T, N, C), got {log_probs}."
            )
        time_steps, n, classes = log_probs.shape
        if self.blank >= classes:
            raise ValueError(f"{self.name}: blank must be < {classes}, got {self.blank}.")
        if check_dtype_kind(self.name, targets, "iu", "targets").ndim != 2 or targets.shape[0] != n:
            raise ValueError(f"{self.name}: targets must have the axes ({n}, S), got {targets}.")
        for name, v in (("input_lengths", inputs), ("target_lengths", lengths)):
            shape = v.shape if isinstance(v, Spec) else (len(v),) if isinstance(v, tuple) else None
            if shape != (n,):
                raise ValueError(f"{self.name}: {name} must hold {n} lengths, got {v}.")
            if isinstance(v, Spec):
                check_dtype_kind(self.name, v, "iu", name)
            else:
                checks.integers(self.name, name, v, n, low=None)
        return (
            Spec((n,), log_probs.dtype),
            Spec((n, time_steps, 2 * targets.shape[1] + 1), log_probs.dtype),
        )

    def prepare_paths(
        self, classes: int, targets: Any, inputs: Any, lengths: Any
    ) -> tuple[Paths, np.ndarray]:
        """Return the paths of the targets, and the input lengths ``inputs`` as an array; raise
        ValueError for a label that is not a class.
        """
        targets, lengths = np.asarray(targets), np.asarray(lengths)
        used = targets[np.arange(targets.shape[1]) < lengths.reshape(-1, 1)]
        if used.size and not (used.min() >= 0 and used.max() < classes):
            raise ValueError(
                f"{self.name}: targets must be in [0, {classes}), got {used.min()} to {used.max()}."
            )
        return make_paths(targets, lengths, self.blank), np.asarray(inputs)

    def kernel(self, log_probs: Any, targets: Any, inputs: Any, lengths: Any, *, out: Any) -> None:
        """Compute the losses and alpha in float64; alpha is -inf for impossible states, ended
        sequences and padding.
        """
        loss, alpha = out
        path, steps = self.prepare_paths(log_probs.shape[-1], targets, inputs, lengths)
        log_alpha = compute_alpha(log_probs.astype(np.float64), path, steps)
        losses = compute_target_losses(log_alpha, path)
        loss[...] = np.where(np.isinf(losses), 0, losses) if self.zero_infinity else losses
        masked_alpha = np.where(log_alpha < _LOG_ZERO / 2, -np.inf, log_alpha)
        masked_alpha[np.arange(len(log_alpha))[:, None] >= steps] = -np.inf
        is_padding = np.arange(log_alpha.shape[2]) > 2 * np.asarray(lengths)[:, None]
        masked_alpha[:, is_padding] = -np.inf
        alpha[...] = masked_alpha.transpose(1, 0, 2)

    def vjp(
        self, log_probs: Tensor, targets: Any, inputs: Any, lengths: Any, *, out: Any, dout: Any
    ) -> Cotangents:
        """Return the gradient function of ``log_probs``; none if only alpha has a cotangent, as
        alpha has no gradient.
        """
        if dout[0] is None:
            return ()
        grad = CTCLossV2Grad(self.blank, self.reduction, self.zero_infinity)
        return (lambda: grad(dout[0], log_probs, targets, inputs, lengths),)


class CTCLossV2Grad(CTCLossV2):
    """The gradient of :class:`CTCLossV2` w.r.t. the log probabilities: -dloss * occupancy.

    >>> log_probs = Tensor(np.log([[[0.4, 0.6]], [[0.5, 0.5]]]))
    >>> one = Tensor([1])
    >>> made = CTCLossV2Grad()(Tensor([1.0]), log_probs, Tensor([[1]]), Tensor([2]), one)
    >>> print(made.asnumpy().round(3)[:, 0])
    [[-0.25  -0.75 ]
     [-0.375 -0.625]]
    """

    vjp_rule = VjpRule()

    def infer(self, dloss: Spec, log_probs: Spec, *inputs: Any) -> Spec:  # type: ignore[override]
        loss, _ = super().infer(log_probs, *inputs)
        if check_tensor_spec(self.name, dloss, "dloss").shape != loss.shape:
            raise ValueError(f"{self.name}: dloss must have the shape {loss.shape}, got {dloss}.")
        return log_probs

    def kernel(  # type: ignore[override]
        self, dloss: Any, log_probs: Any, targets: Any, inputs: Any, lengths: Any, *, out: Any
    ) -> None:
        """Write -dloss times the expected number of emissions of each class at each step.

        Targets without an alignment get NaN, or 0 with ``zero_infinity``.
        """
        path, steps = self.prepare_paths(log_probs.shape[-1], targets, inputs, lengths)
        log_probs64 = log_probs.astype(np.float64)
        grads = -compute_occupancy(log_probs64, path, steps)
        is_impossible = np.isinf(
            compute_target_losses(compute_alpha(log_probs64, path, steps), path)
        )
        grads[:, is_impossible] = 0 if self.zero_infinity else np.nan
        np.copyto(out, grads * dloss[:, None], casting="same_kind")

    def vjp(  # type: ignore[override]
        self,
        dloss: Tensor,
        log_probs: Tensor,
        targets: Any,
        inputs: Any,
        lengths: Any,
        *,
        out: Tensor,
        dout: Tensor,
    ) -> Cotangents:
        """Return the gradients of dloss and log_probs by differentiating a formula of ops twice."""
        arrays = [v.asnumpy() if isinstance(v, Tensor) else v for v in (targets, inputs, lengths)]
        path, steps = self.prepare_paths(log_probs.shape[-1], *arrays)

        def compute_gradient(dloss: Tensor, log_probs: Tensor) -> Tensor:
            """Compute the op's output by differentiable ops."""
            return pull_back(
                lambda x: compute_losses_by_ops(x, path, steps), (log_probs,), (dloss,)
            )[0]

        return pull_back(compute_gradient, (dloss, log_probs), (dout,))


class CTCLoss(Primitive):
    """-log P(labels) of each sequence of scores, and the gradient; the last class is the blank.

    Args:
        preprocess_collapse_repeated: collapse repeated labels into one.
        ctc_merge_repeated: merge successive emissions of a label.
        ignore_longer_outputs_than_inputs: labels longer than the sequence have the loss 0 instead
            of raising an error.

    Shape: x: (T, N, C); labels_indices: (M, 2), rows (batch, position); labels_values: (M,), blanks
        behind the classes are ignored; sequence_length: (N,); output: (N,) and (T, N, C).

    >>> import minispore as ms
    >>> x, places = Tensor(np.zeros((2, 1, 2), np.float32)), Tensor([[0, 0]])
    >>> label, length = Tensor([0], ms.int32), Tensor([2], ms.int32)
    >>> print(CTCLoss()(x, places, label, length)[0].asnumpy().round(4))
    [0.2877]
    """

    preprocess_collapse_repeated: bool = False
    ctc_merge_repeated: bool = True
    ignore_longer_outputs_than_inputs: bool = False
    vjp_rule = VjpRule(partial=True)

    def check(self) -> None:
        for name in self.fields:
            checks.boolean(self.name, name, getattr(self, name))

    def infer(self, x: Spec, indices: Spec, values: Spec, lengths: Spec) -> tuple[Spec, Spec]:
        """Check axes and dtypes; return the specs of the losses (N,) and of the gradient."""
        if check_dtype_kind(self.name, x, "f", "x").ndim != 3:
            raise ValueError(f"{self.name}: x must have the axes (T, N, C), got {x}.")
        m = check_dtype(self.name, values, "labels_values", "int32").size
        if check_dtype(self.name, indices, "labels_indices", "int64").shape != (m, 2):
            raise ValueError(
                f"{self.name}: labels_indices must have the shape ({m}, 2), got {indices}."
            )
        if check_dtype(self.name, lengths, "sequence_length", "int32").shape != x.shape[1:2]:
            raise ValueError(
                f"{self.name}: sequence_length must hold {x.shape[1]} lengths, got {lengths}."
            )
        return Spec(x.shape[1:2], x.dtype), x

    def prepare_paths(
        self, x: Any, indices: Any, values: Any, lengths: Any
    ) -> tuple[Paths, np.ndarray]:
        """Check the labels; return their paths, and whether each sequence is too short for them."""
        n, blank = x.shape[1], x.shape[2] - 1
        if values.size and not (values.min() >= 0 and values.max() <= blank):
            raise ValueError(
                f"{self.name}: labels_values must be in [0, {blank}], got {values.min()} to "
                f"{values.max()}."
            )
        if np.any(lengths > x.shape[0]):
            raise ValueError(
                f"{self.name}: sequence_length must be <= {x.shape[0]}, got {lengths.max()}."
            )
        rows: list[list[int]] = [[] for _ in range(n)]
        for (row, _), value in sorted(zip(indices.tolist(), values.tolist(), strict=True)):
            if self.preprocess_collapse_repeated and rows[row] and rows[row][-1] == value:
                continue
            if value < blank and blank in rows[row]:
                raise ValueError(
                    f"{self.name}: labels_values must hold no class behind a blank, {blank}, of "
                    f"one sequence, got {value} in sequence {row}."
                )
            rows[row].append(value)
        rows = [[value for value in row if value < blank] for row in rows]  # blanks are padding
        counts = np.array([len(r) for r in rows])
        is_too_short = counts > lengths
        if is_too_short.any() and not self.ignore_longer_outputs_than_inputs:
            raise ValueError(
                f"{self.name}: a sequence must be at least as long as its labels, got "
                f"{lengths[is_too_short][0]} < {counts[is_too_short][0]}. Or set "
                "ignore_longer_outputs_than_inputs."
            )
        targets = np.full((n, max(counts.max(initial=0), 1)), blank)
        for row, labels in enumerate(rows):
            targets[row, : len(labels)] = labels
        return make_paths(targets, counts, blank, self.ctc_merge_repeated), is_too_short

    def kernel(self, x: Any, indices: Any, values: Any, lengths: Any, *, out: Any) -> None:
        """Compute losses and gradients in float64; both are 0 for sequences too short for their
        labels.
        """
        loss, gradient = out
        path, is_too_short = self.prepare_paths(x, indices, values, lengths)
        log_probs = x.astype(np.float64)
        log_probs = log_probs - np.logaddexp.reduce(log_probs, 2, keepdims=True)
        loss[...] = np.where(
            is_too_short, 0, compute_target_losses(compute_alpha(log_probs, path, lengths), path)
        )
        grads = np.exp(log_probs) - compute_occupancy(log_probs, path, lengths)
        grads[np.arange(len(grads))[:, None] >= lengths] = 0
        grads[:, is_too_short] = 0
        np.copyto(gradient, grads, casting="same_kind")

    def vjp(
        self, x: Tensor, indices: Tensor, values: Tensor, lengths: Tensor, *, out: Any, dout: Any
    ) -> Cotangents:
        """Return the gradient function of x, given the cotangents of the loss and of the
        gradient.
        """
        dloss, dgradient = dout

        def compute_losses(x: Tensor) -> Tensor:
            """Compute the losses by differentiable ops."""
            arrays = [v.asnumpy() for v in (indices, values, lengths)]
            path, is_too_short = self.prepare_paths(x, *arrays)
            path_losses = compute_losses_by_ops(LogSoftmax(2)(x), path, arrays[2])
            return Select()(Tensor(is_too_short), 0.0, path_losses)

        def compute_gradient(x: Tensor) -> Tensor:
            """Compute the second output, the gradient of the losses w.r.t. x, by differentiable
            ops.
            """
            ones = OnesLike()(out[0])
            return pull_back(compute_losses, (x,), (ones,))[0]

        def compute_x_grad() -> Tensor:
            grad = None
            if dloss is not None:
                grad = out[1] * ExpandDims()(dloss, 1)
            if dgradient is not None:
                second_order = pull_back(compute_gradient, (x,), (dgradient,))[0]
                grad = second_order if grad is None else grad + second_order
            return grad  # type: ignore[return-value]

        return (compute_x_grad,)


class CTCGreedyDecoder(Primitive):
    """The most probable class of each step, without repeats and blanks (the last class).

    Args:
        merge_repeated: merge successive repeats of a class.

    Shape: inputs: (T, N, C); sequence_length: (N,); output, as a sparse matrix: indices (M, 2),
        classes (M,), shape (2,), and (N, 1), minus the sum of the best scores.

    >>> import minispore as ms
    >>> x = Tensor([[[9.0, 0.0]], [[8.0, 0.0]], [[0.0, 7.0]]])
    >>> places, classes, shape, score = CTCGreedyDecoder()(x, Tensor([3], ms.int32))
    >>> print(places, classes, shape, score)
    [[0 0]] [0] [1 1] [[-24.]]
    """

    merge_repeated: bool = True
    dynamic = True

    def check(self) -> None:
        checks.boolean(self.name, "merge_repeated", self.merge_repeated)

    def kernel(self, inputs: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return indices, classes and dense shape of the decoded sequences, and minus the sums of
        the best scores.
        """
        check_dtype(self.name, lengths, "sequence_length", "int32")
        if check_array(self.name, inputs, "inputs").ndim != 3 or inputs.dtype.kind != "f":
            raise ValueError(
                f"{self.name}: inputs must be floats with the axes (T, N, C), got "
                f"{inputs.dtype.name}{list(inputs.shape)}."
            )
        steps, n, classes = inputs.shape
        if lengths.shape != (n,) or np.any(lengths > steps):
            raise ValueError(
                f"{self.name}: sequence_length must hold {n} lengths <= {steps}, got "
                f"{lengths.tolist()}."
            )
        best = inputs.argmax(2)
        is_running = np.arange(steps)[:, None] < lengths
        is_emitted = is_running & (best != classes - 1)
        if self.merge_repeated:
            is_emitted[1:] &= best[1:] != best[:-1]
        row, step = np.nonzero(is_emitted.T)
        position = np.concatenate([np.arange(k) for k in is_emitted.sum(0)]) if n else row
        max_count = int(is_emitted.sum(0).max(initial=0))
        scores = -np.where(is_running, inputs.max(2), 0).sum(0, dtype=inputs.dtype)
        return (
            np.stack([row, position], 1).astype(np.int64),
            best.T[row, step].astype(np.int64),
            np.array([n, max_count], np.int64),
            scores[:, None],
        )


# -- functions -------------------------------------------------------------------------------------


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> tuple[Tensor, Tensor]:
    """Return the reduced :class:`CTCLossV2`; "mean" first divides each loss by its target's length.

    >>> log_probs = Tensor(np.log([[[0.4, 0.6]], [[0.5, 0.5]]]))
    >>> loss, _ = ctc_loss(log_probs, Tensor([[1]]), Tensor([2]), Tensor([1]))
    >>> print(loss.asnumpy().round(4))
    0.2231
    """
    check_reduction("ctc_loss", reduction)
    loss = CTCLossV2(blank, "none", zero_infinity)
    losses, alpha = loss(log_probs, targets, input_lengths, target_lengths)
    if reduction == "none":
        return losses, alpha
    if reduction == "sum":
        return ReduceSum()(losses, ()), alpha
    lengths = target_lengths if isinstance(target_lengths, Tensor) else Tensor(target_lengths)
    target_length = Maximum()(Cast()(lengths, losses.dtype), 1.0)
    return ReduceMean()(losses / target_length, ()), alpha


def ctc_greedy_decoder(
    inputs: Tensor, sequence_length: Tensor, merge_repeated: bool = True
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Decode the most probable class of each step, without repeats and blanks (the last class), to
    a sparse tensor and scores.
    """
    check_tensors("ctc_greedy_decoder", inputs=inputs, sequence_length=sequence_length)
    return CTCGreedyDecoder(merge_repeated)(inputs, sequence_length)


__all__ = [
    "CTCGreedyDecoder",
    "CTCLoss",
    "CTCLossV2",
    "CTCLossV2Grad",
    "ctc_greedy_decoder",
    "ctc_loss",
]
