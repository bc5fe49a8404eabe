"""Metrics of classifiers: accuracy, precision, recall, F."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from minispore.foundation import checks
from minispore.nn.metrics.metric import (
    EvaluationBase,
    Metric,
    check_class_count,
    rearrange_inputs,
    to_class_numbers,
)

_EPS = sys.float_info.min  # as in MindSpore: a division by 0 gives 0


class Accuracy(EvaluationBase):
    """The share of samples whose class (or all labels) was predicted correctly.

    Args:
        eval_type: ``"classification"`` (y_pred: scores (N, C, ...); y: class numbers (N, ...) or
            one-hot) or ``"multilabel"`` (both 0 or 1, of the same shape).

    Raises:
        TypeError: ``eval_type`` is invalid.
        ValueError: the inputs do not match (in ``update``).
        RuntimeError: nothing was counted (in ``eval``).

    >>> print(Accuracy()(np.array([[0.1, 0.9], [0.8, 0.2]]), np.array([1, 1])))
    0.5
    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.clear()

    def clear(self) -> None:
        self._correct_num: Any = 0
        self._total_num = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Count the samples of a batch and those predicted correctly."""
        y_pred, y, self._class_num = self._prepare_inputs(inputs, self._class_num)
        if self._type == "classification":
            is_correct = (y_pred.argmax(axis=1) == y).reshape(-1)
        else:
            y_pred, y = (a.swapaxes(1, -1).reshape(-1, self._class_num) for a in (y_pred, y))
            is_correct = np.equal(y_pred, y).all(axis=1)
        self._correct_num += is_correct.sum()
        self._total_num += is_correct.shape[0]

    def eval(self) -> float:
        """Return the share of correctly predicted samples."""
        self._check_count_(self._total_num)
        return self._correct_num / self._total_num


class _ClassShares(EvaluationBase):
    """Base of Precision and Recall: true positives as a share of some samples of each class."""

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.eps = _EPS
        self.clear()

    def clear(self) -> None:
        self._class_num = 0
        is_multilabel = self._type == "multilabel"
        self._true_positives: Any = np.empty(0) if is_multilabel else 0
        self._base_counts: Any = np.empty(0) if is_multilabel else 0

    def _choose_base(self, y_pred: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the array whose sums over the samples are the denominators: ``y_pred`` (0 or 1)
        for Precision, ``y`` for Recall.
        """
        raise AttributeError

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add the true positives and the denominator of each class; for multilabel, append those of
        each sample.
        """
        y_pred, y, classes = self._prepare_inputs(inputs, self._class_num)
        if self._type == "classification":
            y_pred, y = to_onehot(self, y_pred, y, classes)
        else:
            y_pred, y = (a.swapaxes(1, 0).reshape(classes, -1) for a in (y_pred, y))
        self._class_num = classes
        true_positives, base = (y * y_pred).sum(axis=0), self._choose_base(y_pred, y).sum(axis=0)
        if self._type == "multilabel":
            self._true_positives = np.concatenate((self._true_positives, true_positives))
            self._base_counts = np.concatenate((self._base_counts, base))
        else:
            self._true_positives += true_positives
            self._base_counts += base

    def eval(self, average: bool = False) -> Any:
        """Return the share for each class (or sample, for multilabel), or their mean.

        Raises:
            TypeError: ``average`` is not a bool.
            RuntimeError: nothing was counted.
        """
        self._check_count_(self._class_num)
        shares = self._true_positives / (self._base_counts + self.eps)
        return shares.mean() if checks.boolean(type(self).__name__, "average", average) else shares


def to_onehot(
    metric: Metric, y_pred: np.ndarray, y: np.ndarray, classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the predicted and the true class of each sample as one-hot rows.

    Raises:
        ValueError: a class in ``y`` is not below ``classes``.
    """
    if y.size and y.max() >= classes:
        raise ValueError(
            f"{type(metric).__name__}.update: y must be below the {classes} classes of y_pred, "
            f"got {y.max()}."
        )
    eye = np.eye(classes)
    return eye[y_pred.argmax(axis=1).reshape(-1)], eye[y.reshape(-1).astype(int)]


class Precision(_ClassShares):
    """true positives / (true positives + false positives), for each class.

    Args:
        eval_type: see :class:`Accuracy`.

    >>> Precision()(np.array([[0.2, 0.8], [0.4, 0.6]]), np.array([1, 0])).tolist()
    [0.0, 0.5]
    """

    def _choose_base(self, y_pred: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the predicted positives, the denominator of precision."""
        return y_pred


class Recall(_ClassShares):
    """true positives / (true positives + false negatives), for each class.

    Args:
        eval_type: see :class:`Accuracy`.

    >>> Recall()(np.array([[0.2, 0.8], [0.4, 0.6]]), np.array([1, 0])).tolist()
    [0.0, 1.0]
    """

    def _choose_base(self, y_pred: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the actual positives, the denominator of recall."""
        return y


class Fbeta(Metric):
    """(1 + beta**2) * precision * recall / (beta**2 * precision + recall), for each class.

    Args:
        beta: the weight of recall relative to precision, above 0.

    Raises:
        ValueError: ``beta`` is not above 0.
    """

    def __init__(self, beta: float) -> None:
        super().__init__()
        self.eps = _EPS
        self.beta = checks.number(type(self).__name__, "beta", beta, 0.0, closed="(]")
        self.clear()

    def clear(self) -> None:
        self._true_positives: Any = 0
        self._actual_positives: Any = 0
        self._positives: Any = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add the true, actual and predicted positives of each class in y_pred (N, C, ...) and y,
        class indices (N, ...) or one-hot.

        Raises:
            ValueError: the number of classes differs from that of earlier updates.
        """
        y_pred, y = self._convert_inputs_(inputs, "y_pred", "y")
        classes = check_class_count(self, y_pred, self._class_num)
        y_pred, y = to_onehot(self, y_pred, to_class_numbers(y_pred, y), classes)
        self._class_num = classes
        self._true_positives += (y * y_pred).sum(axis=0)
        self._positives += y_pred.sum(axis=0)
        self._actual_positives += y.sum(axis=0)

    def eval(self, average: bool = False) -> Any:
        """Return F for each class, or their mean."""
        checks.boolean(type(self).__name__, "average", average)
        self._check_count_(self._class_num)
        b = self.beta**2
        total = b * self._actual_positives + self._positives + self.eps
        f = (1 + b) * self._true_positives / total
        return f.mean() if average else f


class F1(Fbeta):
    """2 * precision * recall / (precision + recall), for each class."""

    def __init__(self) -> None:
        super().__init__(1.0)


class TopKCategoricalAccuracy(Metric):
    """The share of samples whose class is among the k with the highest scores.

    Args:
        k: at least 1.

    Raises:
        TypeError: ``k`` is not an int.
        ValueError: ``k`` is below 1; (in ``update``) there are fewer than ``k`` classes.
    """

    def __init__(self, k: int) -> None:
        super().__init__()
        self.k = checks.integer("TopKCategoricalAccuracy", "k", k, 1)
        self.clear()

    def clear(self) -> None:
        self._correct_num: Any = 0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Count the samples of a batch, and the samples whose class is among the k best."""
        y_pred, y = self._convert_inputs_(inputs, "y_pred", "y")
        if y_pred.ndim != 2 or y_pred.shape[1] < self.k:
            raise ValueError(
                f"{type(self).__name__}.update: y_pred must be (N, C) with at least k={self.k} "
                f"classes, got shape {y_pred.shape}."
            )
        best = np.argsort(-y_pred, axis=1)[:, : self.k]
        is_correct = (best == to_class_numbers(y_pred, y).reshape(-1, 1)).any(axis=1)
        self._correct_num += is_correct.sum()
        self._samples_num += is_correct.shape[0]

    def eval(self) -> float:
        """Return the share of samples whose class was among the k best."""
        self._check_count_(self._samples_num)
        return self._correct_num / self._samples_num


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of samples whose class has the highest score."""

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of samples whose class is among the 5 with the highest scores."""

    def __init__(self) -> None:
        super().__init__(5)


__all__ = [
    "F1",
    "Accuracy",
    "Fbeta",
    "Precision",
    "Recall",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
]
