"""Comparisons of sequences: the RNN transducer loss and the edit distance.

Source: Graves, https://arxiv.org/abs/1211.3711
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.loss.ctc_paths import add_log_probabilities
from minispore.ops.network.softmax import LogSoftmax
from minispore.ops.shape.cast_fill import OnesLike, ZerosLike
from minispore.ops.shape.join import Stack
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import FLOAT_KINDS, check_array, check_dtype
from minispore.ops.support.derive import pull_back


class RNNTLoss(Primitive):
    """-log P(labels) of each sequence, and the gradient w.r.t. the scores.

    Args:
        blank_label: the class that advances a time step without emitting a label.

    Shape: acts: (B, T, U + 1, V); labels: (B, U); input_lengths, label_lengths: (B,); output: (B,)
        and (B, T, U + 1, V).

    >>> import minispore as ms
    >>> acts, one = Tensor(np.zeros((1, 1, 2, 2), np.float32)), Tensor([1], ms.int32)
    >>> print(RNNTLoss()(acts, Tensor([[1]], ms.int32), one, one)[0].asnumpy().round(4))
    [1.3863]
    """

    blank_label: int = 0
    vjp_rule = VjpRule(partial=True)

    def check(self) -> None:
        checks.integer(self.name, "blank_label", self.blank_label, 0)

    def infer(self, acts: Spec, labels: Spec, inputs: Spec, lengths: Spec) -> tuple[Spec, Spec]:
        """Return the specs of the costs (B,) and of the gradient; raise unless labels are (B, U)
        and lengths (B,).
        """
        if check_dtype_kind(self.name, acts, FLOAT_KINDS, "acts").ndim != 4:
            raise ValueError(f"{self.name}: acts must have the axes (B, T, U + 1, V), got {acts}.")
        batch, _, states, classes = acts.shape
        if self.blank_label >= classes:
            raise ValueError(
                f"{self.name}: blank_label must be < {classes}, got {self.blank_label}."
            )
        if check_dtype(self.name, labels, "labels", "int32").shape != (batch, states - 1):
            raise ValueError(
                f"{self.name}: labels must have the shape {(batch, states - 1)}, got {labels}."
            )
        for name, v in (("input_lengths", inputs), ("label_lengths", lengths)):
            if check_dtype(self.name, v, name, "int32").shape != (batch,):
                raise ValueError(f"{self.name}: {name} must hold {batch} lengths, got {v}.")
        return Spec((batch,), acts.dtype), acts

    def check_values(self, acts: Any, labels: Any, inputs: Any, lengths: Any) -> None:
        """Raise a ValueError for lengths or labels that are out of range."""
        _, steps, states, classes = acts.shape
        for name, v, lower, upper in (
            ("input_lengths", inputs, 1, steps),
            ("label_lengths", lengths, 0, states - 1),
            ("labels", labels, 0, classes - 1),
        ):
            if v.size and not (v.min() >= lower and v.max() <= upper):
                raise ValueError(
                    f"{self.name}: {name} must be in [{lower}, {upper}], got {v.min()} to "
                    f"{v.max()}."
                )

    def kernel(self, acts: Any, labels: Any, inputs: Any, lengths: Any, *, out: Any) -> None:
        """Check lengths and labels, and compute cost and gradient of each sequence; the gradient is
        0 beyond the end of the sequence.
        """
        self.check_values(acts, labels, inputs, lengths)
        costs, grads = out
        log_probs = acts.astype(np.float64)
        log_probs -= np.logaddexp.reduce(log_probs, 3, keepdims=True)
        grads.fill(0)
        for b, (steps, count) in enumerate(zip(inputs.tolist(), lengths.tolist(), strict=True)):
            logs, target = log_probs[b, :steps, : count + 1], labels[b, :count]
            costs[b], grads[b, :steps, : count + 1] = self.compute_cost_and_gradient(logs, target)

    def compute_cost_and_gradient(
        self, logs: np.ndarray, target: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """Return the cost of one sequence from its log probabilities (T, U + 1, V), and the cost's
        gradient with respect to the scores before the softmax.
        """
        steps, states, _ = logs.shape
        blank = logs[:, :, self.blank_label]
        emit = logs[:, np.arange(states - 1), target]  # (T, U)
        # In the node (t, u), u labels have been emitted before step t. alpha is the log probability
        # of reaching a node, beta that of everything after it, the last blank included.
        alpha, beta = np.full((steps, states), -np.inf), np.full((steps, states), -np.inf)
        alpha[0, 0], beta[-1, -1] = 0.0, blank[-1, -1]
        for t in range(steps):
            for u in range(states):
                if t:
                    alpha[t, u] = np.logaddexp(alpha[t, u], alpha[t - 1, u] + blank[t - 1, u])
                if u:
                    alpha[t, u] = np.logaddexp(alpha[t, u], alpha[t, u - 1] + emit[t, u - 1])
        for t in reversed(range(steps)):
            for u in reversed(range(states)):
                if t + 1 < steps:
                    beta[t, u] = np.logaddexp(beta[t, u], beta[t + 1, u] + blank[t, u])
                if u + 1 < states:
                    beta[t, u] = np.logaddexp(beta[t, u], beta[t, u + 1] + emit[t, u])
        total = beta[0, 0]
        # The expected number of traversals of each edge of the lattice.
        usage = np.zeros_like(logs)
        usage[:-1, :, self.blank_label] += np.exp(alpha[:-1] + blank[:-1] + beta[1:] - total)
        usage[-1, -1, self.blank_label] += 1.0
        label_usage = np.exp(alpha[:, :-1] + emit + beta[:, 1:] - total)
        usage[:, np.arange(states - 1), target] += label_usage  # each state has one label
        return -total, np.exp(logs) * usage.sum(2, keepdims=True) - usage

    def compute_costs_by_ops(self, acts: Tensor, labels: Any, inputs: Any, lengths: Any) -> Tensor:
        """Compute the costs by differentiable ops, for derivatives of higher order."""
        logs = LogSoftmax(3)(acts)
        costs = []
        for b, (steps, count) in enumerate(zip(inputs.tolist(), lengths.tolist(), strict=True)):
            alpha: dict[tuple[int, int], Any] = {}
            for t in range(steps):
                for u in range(count + 1):
                    incoming = []
                    if t:
                        incoming.append(alpha[t - 1, u] + logs[b, t - 1, u, self.blank_label])
                    if u:
                        incoming.append(alpha[t, u - 1] + logs[b, t, u - 1, int(labels[b, u - 1])])
                    if not incoming:
                        incoming.append(ZerosLike()(logs[b, 0, 0, 0]))
                    alpha[t, u] = functools.reduce(add_log_probabilities, incoming)
            end = alpha[steps - 1, count] + logs[b, steps - 1, count, self.blank_label]
            costs.append(-end)
        return Stack(0)(tuple(costs))

    def vjp(
        self, acts: Tensor, labels: Tensor, inputs: Tensor, lengths: Tensor, *, out: Any, dout: Any
    ) -> Cotangents:
        """Return the gradient function of acts, given the cotangents of the costs and of the
        gradient.
        """
        dcosts, dgrads = dout

        def compute_costs(x: Tensor) -> Tensor:
            """Compute the costs by differentiable ops."""
            return self.compute_costs_by_ops(x, *[v.asnumpy() for v in (labels, inputs, lengths)])

        def compute_gradient(x: Tensor) -> Tensor:
            """Compute the second output, the gradient of the costs w.r.t. x, by differentiable
            ops.
            """
            return pull_back(compute_costs, (x,), (OnesLike()(out[0]),))[0]

        def compute_acts_grad() -> Tensor:
            grad = None
            if dcosts is not None:
                grad = out[1] * Reshape()(dcosts, (-1, 1, 1, 1))
            if dgrads is not None:
                second_order = pull_back(compute_gradient, (acts,), (dgrads,))[0]
                grad = second_order if grad is None else grad + second_order
            return grad  # type: ignore[return-value]

        return (compute_acts_grad,)


class EditDistance(Primitive):
    """The Levenshtein distance between the sequences of two sparse tensors.

    Args:
        normalize: divide by the length of the true sequence; infinite if only that is empty.

    Shape: indices (N, R), int64, in ascending order, the last being the position in the sequence;
        values (N,); shapes (R,), int64, the maximum sequence length last. Output: float32, the
        greater of both shapes without its last axis.

    >>> import minispore as ms
    >>> said = Tensor([[0, 0], [0, 1]]), Tensor([1, 2]), Tensor([1, 2])
    >>> true = Tensor([[0, 0], [0, 1], [0, 2]]), Tensor([1, 3, 2]), Tensor([1, 3])
    >>> print(EditDistance(normalize=False)(*said, *true))
    [1.]
    """

    normalize: bool = True
    dynamic = True

    def check(self) -> None:
        checks.boolean(self.name, "normalize", self.normalize)

    def kernel(
        self,
        hypothesis_indices: np.ndarray,
        hypothesis_values: np.ndarray,
        hypothesis_shape: np.ndarray,
        truth_indices: np.ndarray,
        truth_values: np.ndarray,
        truth_shape: np.ndarray,
    ) -> np.ndarray:
        """Compute the distance of each pair of sequences; with ``normalize``, divided by the length
        of the true sequence.
        """
        hypotheses = _group_by_sequence(
            self.name, "hypothesis", hypothesis_indices, hypothesis_values, hypothesis_shape
        )
        truths = _group_by_sequence(self.name, "truth", truth_indices, truth_values, truth_shape)
        if hypothesis_values.dtype != truth_values.dtype:
            raise TypeError(
                f"{self.name}: hypothesis_values and truth_values must be of one dtype, got "
                f"{hypothesis_values.dtype.name} and {truth_values.dtype.name}."
            )
        if hypothesis_shape.shape != truth_shape.shape:
            raise ValueError(
                f"{self.name}: hypothesis_shape and truth_shape must have one length, got "
                f"{hypothesis_shape.tolist()} and {truth_shape.tolist()}."
            )
        shape = np.maximum(hypothesis_shape, truth_shape)[:-1]
        for name, positions in (("hypothesis", hypotheses), ("truth", truths)):
            if outside := [p for p in positions if not np.all(p < shape)]:
                raise ValueError(
                    f"{self.name}: {name}_indices must lie in the greater of both shapes, "
                    f"{shape.tolist()} but for the last axis, got {list(outside[0])}."
                )
        out = np.zeros(shape, np.float32)
        for position in {*hypotheses, *truths}:
            truth = truths.get(position, [])
            out[position] = _compute_edit_distance(hypotheses.get(position, []), truth)
            if self.normalize:
                out[position] = out[position] / len(truth) if truth else np.inf
        return out


def _group_by_sequence(
    op: str, which: str, indices: Any, values: Any, shape: Any
) -> dict[Any, list[Any]]:
    """Check a sparse tensor and return the values of each of its sequences, keyed by position."""
    for name, a in (("indices", indices), ("shape", shape)):
        check_dtype(op, a, f"{which}_{name}", "int64")
    check_array(op, values, f"{which}_values")
    if shape.ndim != 1 or indices.shape != (len(values), len(shape)):
        raise ValueError(
            f"{op}: {which}_indices must be of shape ({len(values)}, {len(shape)}): a row for each "
            f"value, a number for each axis, got {indices.shape}."
        )
    if np.any(indices < 0):
        raise ValueError(f"{op}: {which}_indices must be >= 0, got {indices.min()}.")
    sequences: dict[Any, list[Any]] = {}
    for row, value in zip(indices.tolist(), values.tolist(), strict=True):
        sequences.setdefault(tuple(row[:-1]), []).append(value)
    return sequences


def _compute_edit_distance(hypothesis: list[Any], truth: list[Any]) -> int:
    """Return the minimum number of substitutions, insertions and deletions (Levenshtein
    distance).
    """
    row = list(range(len(truth) + 1))
    for i, a in enumerate(hypothesis, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(truth, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


__all__ = ["EditDistance", "RNNTLoss"]
