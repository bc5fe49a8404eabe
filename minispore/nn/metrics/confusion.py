"""Confusion matrices and the metrics computed from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.errors import did_you_mean
from minispore.foundation import checks
from minispore.nn.metrics.metric import Metric, rearrange_inputs


class ConfusionMatrix(Metric):
    """The number of samples of each true class (row) that were predicted as each class (column).

    Args:
        num_classes: the number of classes.
        normalize: ``"no_norm"`` for counts; shares of the row (``"target"``), of the column
            (``"prediction"``) or of everything (``"all"``).
        threshold: the score from which on a binary prediction is 1.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``normalize`` is invalid.
    """

    def __init__(
        self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5
    ) -> None:
        super().__init__()
        name = "ConfusionMatrix"
        self.num_classes = checks.integer(name, "num_classes", num_classes, 1)
        allowed = ("no_norm", "target", "prediction", "all")
        self.normalize = checks.one_of(name, "normalize", normalize, allowed)
        self.threshold = checks.floating(name, "threshold", threshold)
        self.clear()

    def clear(self) -> None:
        self.confusion_matrix = np.zeros((self.num_classes, self.num_classes))
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add the counts of predicted and true classes of a batch."""
        y_pred, y = self._convert_inputs_(inputs, "y_pred", "y")
        if y_pred.ndim == y.ndim + 1:
            y_pred = y_pred.argmax(axis=1)
        elif y_pred.ndim != y.ndim:
            raise ValueError(
                "ConfusionMatrix.update: y_pred must have as many axes as y or one more, "
                f"got shapes {y_pred.shape} and {y.shape}."
            )
        if y_pred.dtype.kind == "f":
            y_pred = y_pred >= self.threshold
        cells = (y.reshape(-1) * self.num_classes + y_pred.reshape(-1)).astype(int)
        counts = np.bincount(cells, minlength=self.num_classes**2)
        self.confusion_matrix += counts.reshape(self.num_classes, self.num_classes)
        self._is_update = True

    def eval(self) -> np.ndarray:
        """Return the counts, or shares according to ``normalize``; 0 where a total is 0."""
        if not self._is_update:
            raise RuntimeError("ConfusionMatrix.eval: needs an update first, got none.")
        if self.normalize == "no_norm":
            return self.confusion_matrix.copy()
        axis = {"target": 1, "prediction": 0, "all": None}[self.normalize]
        total = self.confusion_matrix.sum(axis=axis, keepdims=True)
        return self.confusion_matrix / np.where(total == 0, 1, total)


def _divide_or_nan(part: Any, total: Any) -> Any:
    """Return part / total as floats, NaN where total is 0."""
    part, total = np.asarray(part, float), np.asarray(total, float)
    return np.divide(
        part, total, out=np.full(np.broadcast(part, total).shape, np.nan), where=total != 0
    )


def _prevalence_threshold(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    tpr, tnr = _divide_or_nan(tp, tp + fn), _divide_or_nan(tn, tn + fp)
    return _divide_or_nan(np.sqrt(tpr * (1 - tnr)) + tnr - 1, tpr + tnr - 1)


def _matthews_correlation(tp: Any, fp: Any, tn: Any, fn: Any) -> Any:
    return _divide_or_nan(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


_FORMULAS = {
    "tpr": lambda tp, fp, tn, fn: _divide_or_nan(tp, tp + fn),
    "tnr": lambda tp, fp, tn, fn: _divide_or_nan(tn, tn + fp),
    "ppv": lambda tp, fp, tn, fn: _divide_or_nan(tp, tp + fp),
    "npv": lambda tp, fp, tn, fn: _divide_or_nan(tn, tn + fn),
    "fnr": lambda tp, fp, tn, fn: _divide_or_nan(fn, tp + fn),
    "fpr": lambda tp, fp, tn, fn: _divide_or_nan(fp, tn + fp),
    "fdr": lambda tp, fp, tn, fn: _divide_or_nan(fp, tp + fp),
    "for": lambda tp, fp, tn, fn: _divide_or_nan(fn, tn + fn),
    "pt": _prevalence_threshold,
    "ts": lambda tp, fp, tn, fn: _divide_or_nan(tp, tp + fn + fp),
    "acc": lambda tp, fp, tn, fn: _divide_or_nan(tp + tn, tp + fp + tn + fn),
    "ba": lambda tp, fp, tn, fn: (_divide_or_nan(tp, tp + fn) + _divide_or_nan(tn, tn + fp)) / 2,
    "f1": lambda tp, fp, tn, fn: _divide_or_nan(2 * tp, 2 * tp + fn + fp),
    "mcc": _matthews_correlation,
    "fm": lambda tp, fp, tn, fn: np.sqrt(_divide_or_nan(tp, tp + fp) * _divide_or_nan(tp, tp + fn)),
    "bm": lambda tp, fp, tn, fn: _divide_or_nan(tp, tp + fn) + _divide_or_nan(tn, tn + fp) - 1,
    "mk": lambda tp, fp, tn, fn: _divide_or_nan(tp, tp + fp) + _divide_or_nan(tn, tn + fn) - 1,
}

_NAMES = {
    "tpr": ("sensitivity", "recall", "hit_rate", "true_positive_rate"),
    "tnr": ("specificity", "selectivity", "true_negative_rate"),
    "ppv": ("precision", "positive_predictive_value"),
    "npv": ("negative_predictive_value",),
    "fnr": ("miss_rate", "false_negative_rate"),
    "fpr": ("fall_out", "false_positive_rate"),
    "fdr": ("false_discovery_rate",),
    "for": ("false_omission_rate",),
    "pt": ("prevalence_threshold",),
    "ts": ("threat_score", "critical_success_index", "csi"),
    "acc": ("accuracy",),
    "ba": ("balanced_accuracy",),
    "f1": ("f1_score",),
    "mcc": ("matthews_correlation_coefficient",),
    "fm": ("fowlkes_mallows_index",),
    "bm": ("informedness", "bookmaker_informedness"),
    "mk": ("markedness", "deltap"),
}
_SHORT_NAMES = {name: short for short, names in _NAMES.items() for name in (short, *names)}

_DECREASE = ("none", "mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel")


class ConfusionMatrixMetric(Metric):
    """A metric computed from true and false positives and negatives of binary predictions.

    Args:
        skip_channel: whether channel 0 (the background) is included.
        metric_name: one of MindSpore's: ``"sensitivity"``, ``"precision"``, ``"f1 score"``,
            ``"accuracy"``, ...
        calculation_method: if False, compute the metric of the sum of all counts; if True, compute
            the metric of each sample and channel, and reduce it by ``decrease`` (not for inputs (N,
            C) or (N, C, 1)).
        decrease: how to reduce the scores of samples and channels to one. ``"none"``, ``"*_batch"``
            and ``"*_channel"`` need batches of which they leave one score.

    Raises:
        TypeError: an argument has the wrong type.
        NotImplementedError: ``metric_name`` is unknown.
        ValueError: ``decrease`` is invalid.

    Shape: y_pred, y: (N, C, ...), 0 or 1.
    """

    def __init__(
        self,
        skip_channel: bool = True,
        metric_name: str = "sensitivity",
        calculation_method: bool = False,
        decrease: str = "mean",
    ) -> None:
        super().__init__()
        name = "ConfusionMatrixMetric"
        self.skip_channel = checks.boolean(name, "skip_channel", skip_channel)
        self.calculation_method = checks.boolean(name, "calculation_method", calculation_method)
        self.metric_name = checks.string(name, "metric_name", metric_name)
        short = metric_name.replace(" ", "_").lower()
        if short not in _SHORT_NAMES:
            raise NotImplementedError(
                f"{name}: metric_name must be one of {', '.join(_SHORT_NAMES)}, got "
                f"{metric_name!r}."
                f"{did_you_mean(short, _SHORT_NAMES)}"
            )
        self._formula = _FORMULAS[_SHORT_NAMES[short]]
        self.decrease = checks.one_of(
            name, "decrease", checks.string(name, "decrease", decrease), _DECREASE
        )
        self.clear()

    def clear(self) -> None:
        self._total: Any = 0.0
        self._class_num = 0
        self._counts = np.zeros(4)
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add the counts of a batch, or with ``calculation_method`` the reduced score of its
        samples.

        Raises:
            ValueError: ``decrease`` leaves several scores of the batch, or the inputs are invalid.
        """
        y_pred, y = self._convert_inputs_(inputs, "y_pred", "y")
        counts = self._count_confusion(y_pred, y)
        if self.calculation_method and not (y_pred.ndim == 2 or y_pred.shape[2:] == (1,)):
            score, valid = _reduce_scores(self._formula(*np.moveaxis(counts, -1, 0)), self.decrease)
            if np.size(score) != 1:
                raise ValueError(
                    "ConfusionMatrixMetric.update: decrease must reduce a batch to one score, got "
                    f"{self.decrease!r}, which leaves {np.size(score)}. Use 'mean' or 'sum'."
                )
            self._total += score.item() * int(valid.item())
            self._class_num += int(valid.item())
        else:
            self._counts += counts.sum(axis=(0, 1))
        self._is_update = True

    def _count_confusion(self, y_pred: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return (tp, fp, tn, fn) of each sample and channel, shape (N, C, 4).

        Raises:
            ValueError: the shapes differ or have fewer than two axes, or ``y`` has values that are
                not whole numbers from 0 to 255.
        """
        name = "ConfusionMatrixMetric.update"
        if y_pred.ndim < 2 or y_pred.shape != y.shape:
            raise ValueError(
                f"{name}: y_pred and y must have the same shape (N, C, ...), got {y_pred.shape} "
                f"and {y.shape}."
            )
        if not (y == y.astype(np.uint8)).all():
            raise ValueError(f"{name}: y must be 0 or 1 everywhere, got other values.")
        if not self.skip_channel and y.shape[1] > 1:
            y_pred, y = y_pred[:, 1:], y[:, 1:]
        p, t = (a.reshape(*a.shape[:2], -1).astype(float) for a in (y_pred, y))
        tp, tn = (p + t == 2).sum(axis=2), (p + t == 0).sum(axis=2)
        positive = t.sum(axis=2)
        return np.stack([tp, t.shape[2] - positive - tn, tn, positive - tp], axis=-1).astype(float)

    def eval(self) -> Any:
        """Return the metric of all counts, or the mean of the scores of the batches."""
        if not self._is_update:
            raise RuntimeError("ConfusionMatrixMetric.eval: needs an update first, got none.")
        if self._class_num:
            return self._total / self._class_num
        return np.atleast_1d(self._formula(*self._counts))


def _reduce_scores(scores: np.ndarray, method: str) -> tuple[Any, Any]:
    """Reduce scores (N, C), ignoring NaN, by the ``decrease`` method.

    Returns:
        The result, and the number of valid scores in it.
    """
    valid = ~np.isnan(scores)
    scores = np.where(valid, scores, 0.0)

    def reduce_axis(
        values: np.ndarray, valid: np.ndarray, axis: Any, mean: bool
    ) -> tuple[Any, Any]:
        """Return the sum (mean if ``mean``) of valid values along ``axis``, and their number."""
        count = valid.sum(axis=axis)
        total = values.sum(axis=axis)
        return (np.where(count > 0, total / np.maximum(count, 1), 0.0) if mean else total), count

    if method == "mean":
        scores, count = reduce_axis(scores, valid, 1, mean=True)
        return reduce_axis(scores, count > 0, 0, mean=True)
    if method == "none":
        return scores, valid
    axis = {"sum": (0, 1), "batch": 0, "channel": 1}[method.split("_")[-1]]
    return reduce_axis(scores, valid, axis, method.startswith("mean"))


__all__ = ["ConfusionMatrix", "ConfusionMatrixMetric"]
