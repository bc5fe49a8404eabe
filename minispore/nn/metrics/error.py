"""Metrics of numeric predictions: mean errors, mean loss, perplexity, Dice, cosine similarity."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.foundation import checks
from minispore.nn.metrics.metric import Metric, rearrange_inputs


class _MeanError(Metric):
    """Base of MAE and MSE: the sum of errors divided by the number of samples."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._sum = 0.0
        self._samples_num = 0

    def _compute_error(self, difference: np.ndarray) -> np.ndarray:
        """Return the error of each element; subclasses override it."""
        raise AttributeError

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add the sum of the errors of a batch and its number of samples."""
        y_pred, y = self._convert_inputs_(inputs, "y_pred", "y")
        if y_pred.size != y.size:
            raise ValueError(
                f"{type(self).__name__}.update: y must have the shape of y_pred, got {y.shape} and "
                f"{y_pred.shape}."
            )
        self._sum += float(self._compute_error(y.reshape(y_pred.shape) - y_pred).sum())
        self._samples_num += y.shape[0]

    def eval(self) -> float:
        self._check_count_(self._samples_num)
        return self._sum / self._samples_num


class MAE(_MeanError):
    """The sum of |y - y_pred| divided by the number of samples.

    >>> print(round(MAE()(np.array([0.1, 0.2]), np.array([0.0, 0.0])), 3))
    0.15
    """

    def _compute_error(self, difference: np.ndarray) -> np.ndarray:
        return np.abs(difference)


class MSE(_MeanError):
    """The sum of (y - y_pred)**2 divided by the number of samples."""

    def _compute_error(self, difference: np.ndarray) -> np.ndarray:
        return np.square(difference)


class Loss(Metric):
    """The mean of the losses, one for each ``update``.

    Raises:
        ValueError: there is not exactly one input, or the loss has more than one axis (in
            ``update``).
        RuntimeError: nothing was counted (in ``eval``).

    >>> loss = Loss()
    >>> loss.update(np.array(0.2)), loss.update(np.array(0.4))
    (None, None)
    >>> print(round(loss.eval(), 3))
    0.3
    """

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._sum_loss = 0.0
        self._total_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add the mean of a batch's loss."""
        (loss,) = self._convert_inputs_(inputs, "loss")
        if loss.ndim > 1:
            raise ValueError(
                f"Loss.update: loss must have at most one axis, got shape {loss.shape}."
            )
        self._sum_loss += float(loss.mean())
        self._total_num += 1

    def eval(self) -> float:
        self._check_count_(self._total_num)
        return self._sum_loss / self._total_num


class Perplexity(Metric):
    """exp(-mean of log(probability of the label)).

    Args:
        ignore_label: a label whose positions are ignored.
    """

    def __init__(self, ignore_label: int | None = None) -> None:
        super().__init__()
        if ignore_label is not None:
            checks.integer("Perplexity", "ignore_label", ignore_label)
        self.ignore_label = ignore_label
        self.clear()

    def clear(self) -> None:
        self._sum_metric = 0.0
        self._num_inst = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add the negative log-probabilities of a batch's labels and their number, without those of
        ``ignore_label``.
        """
        preds, labels = self._convert_inputs_(inputs, "preds", "labels")
        if labels.size * preds.shape[-1] != preds.size:
            raise RuntimeError(
                "Perplexity.update: labels must have the shape of preds without the last axis, "
                f"got {labels.shape} and {preds.shape}."
            )
        labels = labels.reshape(-1).astype(int)
        probabilities = preds.reshape(-1, preds.shape[-1])[np.arange(labels.size), labels]
        if self.ignore_label is not None:
            probabilities = probabilities[labels != self.ignore_label]
        self._sum_metric -= float(np.log(np.maximum(1e-10, probabilities)).sum())
        self._num_inst += probabilities.size

    def eval(self) -> float:
        self._check_count_(self._num_inst)
        return math.exp(self._sum_metric / self._num_inst)


class Dice(Metric):
    """Sum over batches of 2 |y_pred * y| / (|y_pred|**2 + |y|**2), divided by the number of
    samples.

    Args:
        smooth: a number above 0 that is added to the denominator.
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        self.smooth = checks.floating("Dice", "smooth", smooth, 0.0, closed="(]")
        self.clear()

    def clear(self) -> None:
        self._dice_coeff_sum = 0.0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add the Dice coefficient of a batch and its number of samples."""
        y_pred, y = self._convert_inputs_(inputs, "y_pred", "y")
        if y_pred.shape != y.shape:
            raise ValueError(
                f"Dice.update: y must have the shape of y_pred, got {y.shape} and {y_pred.shape}."
            )
        p, t = y_pred.reshape(-1), y.reshape(-1)
        self._dice_coeff_sum += 2 * float(p @ t) / (float(p @ p + t @ t) + self.smooth)
        self._samples_num += y.shape[0]

    def eval(self) -> float:
        self._check_count_(self._samples_num)
        return self._dice_coeff_sum / self._samples_num


class CosineSimilarity(Metric):
    """The cosines (or dot products) between all pairs of rows.

    Args:
        similarity: ``"cosine"`` or ``"dot"``.
        reduction: ``"none"``, or ``"sum"`` or ``"mean"`` over the last axis.
        zero_diagonal: whether to set the diagonal to 0.
    """

    def __init__(
        self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True
    ) -> None:
        super().__init__()
        name = "CosineSimilarity"
        self.similarity = checks.one_of(
            name, "similarity", checks.string(name, "similarity", similarity), ("dot", "cosine")
        )
        self.reduction = checks.one_of(
            name, "reduction", checks.string(name, "reduction", reduction), ("none", "sum", "mean")
        )
        self.zero_diagonal = checks.boolean(name, "zero_diagonal", zero_diagonal)
        self.clear()

    def clear(self) -> None:
        self._rows: np.ndarray | None = None

    @rearrange_inputs
    def update(self, inputs: Any) -> None:
        """Replace the rows by those of a batch, normalized to norm 1 for ``"cosine"``."""
        (rows,) = self._convert_inputs_((inputs,), "inputs")
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self._rows = rows

    def eval(self) -> np.ndarray:
        """Return the products of all pairs of rows, reduced over the last axis by ``reduction``."""
        if self._rows is None:
            raise RuntimeError("CosineSimilarity.eval: needs an update first, got none.")
        products = self._rows @ self._rows.T
        if self.zero_diagonal:
            np.fill_diagonal(products, 0)
        if self.reduction == "none":
            return products
        return products.mean(axis=-1) if self.reduction == "mean" else products.sum(axis=-1)


__all__ = ["MAE", "MSE", "CosineSimilarity", "Dice", "Loss", "Perplexity"]
