"""ROC curves over all thresholds, and the area under a curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.foundation import checks
from minispore.nn.metrics.metric import Metric, rearrange_inputs

Curve = tuple[np.ndarray, np.ndarray, np.ndarray]


class ROC(Metric):
    """The ROC curve: (false positive rates, true positive rates, thresholds), or lists per class.

    Args:
        class_num: the number of classes; 1 or None for binary labels.
        pos_label: the positive label; by default 1 for binary labels.

    Raises:
        TypeError: an argument is not an int.

    >>> fpr, tpr, thresholds = ROC(pos_label=1)(np.array([0.1, 0.4, 0.8]), np.array([0, 1, 1]))
    >>> fpr.tolist(), tpr.tolist()
    ([0.0, 0.0, 0.0, 1.0], [0.0, 0.5, 1.0, 1.0])
    """

    def __init__(self, class_num: int | None = None, pos_label: int | None = None) -> None:
        super().__init__()
        for name, value in (("class_num", class_num), ("pos_label", pos_label)):
            if value is not None:
                checks.integer("ROC", name, value)
        self.class_num, self.pos_label = class_num, pos_label
        self.clear()

    def clear(self) -> None:
        self.y_pred: np.ndarray = np.empty(0)
        self.y: np.ndarray = np.empty(0)
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Replace scores and labels by those of a batch.

        For binary labels, also set ``class_num`` to 1, and ``pos_label`` to 1 if it is None.
        """
        y_pred, y = self._convert_inputs_(inputs, "y_pred", "y")
        if y_pred.ndim == y.ndim:
            if self.class_num not in (None, 1):
                raise ValueError(
                    "ROC.update: class_num must be 1 when y_pred has the shape of y, got "
                    f"{self.class_num}."
                )
            self.class_num = 1
            self.pos_label = 1 if self.pos_label is None else self.pos_label
            self.y_pred = y_pred.reshape(-1)
        elif y_pred.ndim == y.ndim + 1:
            if self.pos_label is not None:
                raise ValueError(
                    f"ROC.update: pos_label must be None for several classes, got {self.pos_label}."
                )
            if self.class_num != y_pred.shape[1]:
                raise ValueError(
                    f"ROC.update: y_pred must have class_num={self.class_num} classes, got "
                    f"{y_pred.shape}."
                )
            self.y_pred = np.moveaxis(y_pred, 1, -1).reshape(-1, y_pred.shape[1])
        else:
            raise ValueError(
                f"ROC.update: y_pred must have as many axes as y or one more, got {y_pred.shape} "
                f"and {y.shape}."
            )
        self.y = y.reshape(-1)
        self._is_update = True

    def eval(self) -> Any:
        """Return the rates and thresholds of the curve; for several classes, lists of them."""
        if not self._is_update:
            raise RuntimeError("ROC.eval: needs an update first, got none.")
        if self.class_num == 1:
            return _compute_roc(self.y_pred, self.y == self.pos_label)
        curves = [_compute_roc(self.y_pred[:, c], self.y == c) for c in range(self.class_num or 0)]
        return tuple(list(class_values) for class_values in zip(*curves, strict=True))


def _compute_roc(scores: np.ndarray, positive: np.ndarray) -> Curve:
    """Compute the ROC curve of scores against binary labels.

    Returns:
        The false positive rates, true positive rates and thresholds: first rates of 0 with the
        threshold highest score + 1, then the rates at each score, in descending order.

    Raises:
        ValueError: all labels are the same.
    """
    if positive.all() or not positive.any():
        raise ValueError(
            "ROC.eval: y must hold both positive and negative samples, got one kind only."
        )
    order = np.argsort(-scores)
    scores, positive = scores[order], positive[order].astype(np.int64)
    # The last index of each run of equal scores.
    ends = np.append(np.flatnonzero(np.diff(scores)), scores.size - 1)
    tps = np.cumsum(positive)[ends]
    fps = 1 + ends - tps
    thresholds = scores[ends]
    tps, fps = np.append(0, tps), np.append(0, fps)
    return fps / fps[-1], tps / tps[-1], np.append(thresholds[0] + 1, thresholds)


def auc(x: np.ndarray, y: np.ndarray, reorder: bool = False) -> float:
    """Return the area under the curve through the points (x, y), by the trapezoidal rule.

    Args:
        x: coordinates, increasing or decreasing unless ``reorder``.
        y: coordinates.
        reorder: sort the points by x first.

    Raises:
        TypeError: the arguments are not NumPy arrays.
        ValueError: the lengths differ, there are fewer than 2 points, or x is not monotonic.

    >>> print(auc(np.array([0.0, 1.0]), np.array([0.0, 1.0])))
    0.5
    """
    for name, a in (("x", x), ("y", y)):
        if not isinstance(a, np.ndarray):
            raise TypeError(f"auc: {name} must be a numpy.ndarray, got {checks.format_value(a)}.")
    for name, a in (("x", x), ("y", y)):
        if a.ndim != 1 and not (a.ndim == 2 and a.shape[1] == 1):
            raise ValueError(f"auc: {name} must have one axis, got shape {a.shape}.")
    x, y = x.ravel(), y.ravel()
    if x.size != y.size or x.size < 2:
        raise ValueError(
            f"auc: x and y must have the same length of at least 2, got {x.size} and {y.size}."
        )
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    steps = np.diff(x)
    if (steps < 0).any() and (steps > 0).any():
        raise ValueError("auc: x must grow or fall, got both. Pass reorder=True.")
    direction = -1 if (steps < 0).any() else 1
    return direction * float(np.sum(steps * (y[1:] + y[:-1])) / 2)


__all__ = ["ROC", "auc"]
