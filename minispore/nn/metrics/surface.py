"""Distances between the surfaces of two masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.foundation import checks
from minispore.nn.metrics.metric import Metric, rearrange_inputs

_METRICS = ("euclidean", "chessboard", "taxicab")


def edges(mask: np.ndarray) -> np.ndarray:
    """The elements of a mask that touch its outside (or the border) along some axis."""
    inner = mask.copy()
    for axis in range(mask.ndim):
        padded = np.pad(mask, [(1, 1) if a == axis else (0, 0) for a in range(mask.ndim)])
        n = mask.shape[axis]
        inner &= np.take(padded, range(n), axis) & np.take(padded, range(2, n + 2), axis)
    return mask & ~inner


def surface_distances(from_edges: np.ndarray, to_edges: np.ndarray, metric: str) -> np.ndarray:
    """The distance of each edge element of one mask to the nearest of the other."""
    a, b = np.argwhere(from_edges), np.argwhere(to_edges)
    if not len(b):
        return np.full(len(a), np.inf)
    found = np.empty(len(a))
    for start in range(0, len(a), _CHUNK):
        difference = np.abs(a[start : start + _CHUNK, None].astype(float) - b[None])
        if metric == "euclidean":
            each = np.sqrt(np.square(difference).sum(axis=2))
        elif metric == "chessboard":
            each = difference.max(axis=2)
        else:
            each = difference.sum(axis=2)
        found[start : start + _CHUNK] = each.min(axis=1)
    return found


_CHUNK = 256  # rows of the distance matrix at a time


class _SurfaceMetric(Metric):
    """What the three share: the edges of two masks."""

    def __init__(self, distance_metric: str) -> None:
        super().__init__()
        name = type(self).__name__
        checks.string(name, "distance_metric", distance_metric)
        self.distance_metric = checks.one_of(name, "distance_metric", distance_metric, _METRICS)
        self.clear()

    def clear(self) -> None:
        self._pred: np.ndarray | None = None
        self._true: np.ndarray | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        name = f"{type(self).__name__}.update"
        if len(inputs) != 3:
            raise ValueError(f"{name}: needs 3 inputs (y_pred, y, label_idx), got {len(inputs)}.")
        y_pred, y = self._arrays_(inputs[:2], "y_pred", "y")
        label = inputs[2]
        if isinstance(label, bool) or not isinstance(label, int | float):
            raise ValueError(
                f"{name}: label_idx must be a number, got {checks.format_value(label)}."
            )
        if not y_pred.size or y_pred.shape != y.shape:
            raise ValueError(
                f"{name}: y_pred and y must have the same shape, got {y_pred.shape} and {y.shape}."
            )
        if not ((y_pred == label).any() or (y == label).any()):
            raise ValueError(f"{name}: label_idx must occur in y_pred or y, got {label}.")
        self._pred, self._true = self._edges(y_pred == label, y == label)

    def _edges(self, y_pred: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return edges(y_pred), edges(y)

    def _both(self) -> tuple[np.ndarray, np.ndarray]:
        """Distances from the prediction to the truth and back."""
        if self._pred is None or self._true is None:
            raise RuntimeError(f"{type(self).__name__}.eval: needs an update first, got none.")
        there = surface_distances(self._pred, self._true, self.distance_metric)
        return there, surface_distances(self._true, self._pred, self.distance_metric)


class HausdorffDistance(_SurfaceMetric):
    """The largest distance of a point of one surface to the other surface.

    Args:
        distance_metric: ``"euclidean"``, ``"chessboard"`` or ``"taxicab"``.
        percentile: take this percentile (0 to 100) instead of the largest.
        directed: only from the prediction to the truth.
        crop: kept for MindSpore's sake: cropping to the masks changes nothing but time.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: an argument out of range.
    """

    def __init__(
        self,
        distance_metric: str = "euclidean",
        percentile: float | None = None,
        directed: bool = False,
        crop: bool = True,
    ) -> None:
        super().__init__(distance_metric)
        name = "HausdorffDistance"
        if percentile is not None:
            checks.floating(name, "percentile", percentile, 0.0, 100.0)
        self.percentile = percentile
        self.directed = checks.boolean(name, "directed", directed)
        self.crop = checks.boolean(name, "crop", crop)

    def eval(self) -> float:
        there, back = self._both()
        return (
            self._largest(there)
            if self.directed
            else max(self._largest(there), self._largest(back))
        )

    def _largest(self, distances: np.ndarray) -> float:
        if not distances.size:
            return np.inf
        return float(
            np.percentile(distances, self.percentile) if self.percentile else distances.max()
        )


class MeanSurfaceDistance(_SurfaceMetric):
    """The mean distance of the points of the predicted surface to the true one.

    Args:
        symmetric: take the mean of both directions.
        distance_metric: ``"euclidean"``, ``"chessboard"`` or ``"taxicab"``.
    """

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        super().__init__(distance_metric)
        self.symmetric = checks.boolean(type(self).__name__, "symmetric", symmetric)

    def eval(self) -> float:
        there, back = self._both()
        if not there.size or (self.symmetric and not back.size):
            return np.inf
        return float((there.mean() + back.mean()) / 2 if self.symmetric else there.mean())


class RootMeanSquareDistance(MeanSurfaceDistance):
    """The mean squared distance of the points of the predicted surface to the true one.

    With ``symmetric``, the root of the mean of both directions; without, as in MindSpore, no root
    is taken.
    """

    def eval(self) -> float:
        there, back = (np.square(d) for d in self._both())
        if not there.size or (self.symmetric and not back.size):
            return np.inf
        return float(np.sqrt((there.mean() + back.mean()) / 2) if self.symmetric else there.mean())


__all__ = ["HausdorffDistance", "MeanSurfaceDistance", "RootMeanSquareDistance"]
