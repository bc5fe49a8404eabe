"""The metrics, and a factory that finds them by name."""
# ruff: noqa: F403, F405  the __all__ of each module lists what is public

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.errors import did_you_mean
from minispore.foundation import checks
from minispore.nn.metrics import (
    classification,
    confusion,
    curve,
    error,
    metric,
    occlusion,
    surface,
    text,
)
from minispore.nn.metrics.classification import *
from minispore.nn.metrics.confusion import *
from minispore.nn.metrics.curve import *
from minispore.nn.metrics.error import *
from minispore.nn.metrics.metric import *
from minispore.nn.metrics.occlusion import *
from minispore.nn.metrics.surface import *
from minispore.nn.metrics.text import *

__all__ = [
    "get_metric_fn",
    "get_metrics",
    "names",
    *classification.__all__,
    *confusion.__all__,
    *curve.__all__,
    *error.__all__,
    *metric.__all__,
    *occlusion.__all__,
    *surface.__all__,
    *text.__all__,
]

_FACTORY: dict[str, Callable[..., Any]] = {
    "F1": F1,
    "acc": Accuracy,
    "accuracy": Accuracy,
    "auc": auc,
    "bleu_score": BleuScore,
    "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric,
    "cosine_similarity": CosineSimilarity,
    "dice": Dice,
    "hausdorff_distance": HausdorffDistance,
    "loss": Loss,
    "mae": MAE,
    "mean_surface_distance": MeanSurfaceDistance,
    "mse": MSE,
    "occlusion_sensitivity": OcclusionSensitivity,
    "perplexity": Perplexity,
    "precision": Precision,
    "recall": Recall,
    "roc": ROC,
    "root_mean_square_distance": RootMeanSquareDistance,
    "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy,
    "topk": TopKCategoricalAccuracy,
}


def names() -> list[str]:
    """Return the sorted names of all metrics that :func:`get_metric_fn` accepts."""
    return sorted(_FACTORY)


def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Any:
    """Return a new metric by its name.

    Raises:
        KeyError: ``name`` is unknown.

    >>> type(get_metric_fn("accuracy")).__name__
    'Accuracy'
    """
    if not isinstance(name, str) or name not in _FACTORY:
        raise KeyError(
            f"get_metric_fn: name must be one of {', '.join(names())}, got {name!r}."
            f"{did_you_mean(str(name), _FACTORY)}"
        )
    return _FACTORY[name](*args, **kwargs)


def get_metrics(metrics: Any) -> dict[str, Metric] | None:
    """Return a dict of metrics by name, from a dict of metrics or a set of names; None for None.

    Raises:
        TypeError: ``metrics`` is something else.
        KeyError: a name is unknown.
    """
    if metrics is None:
        return None
    if isinstance(metrics, dict):
        for name, metric in metrics.items():
            if not isinstance(name, str) or not isinstance(metric, Metric):
                raise TypeError(
                    "get_metrics: metrics must map names to Metrics, "
                    f"got {name!r}: {checks.format_value(metric)}."
                )
        return metrics
    if isinstance(metrics, set):
        return {name: get_metric_fn(name) for name in metrics}
    raise TypeError(
        "get_metrics: metrics must be a dict, a set of names or None, got "
        f"{checks.format_value(metrics)}."
    )
