"""Distances between the surfaces of two masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.foundation import checks
from minispore.nn.metrics.metric import Metric, rearrange_inputs

_METRICS = ("euclidean", "chessboard", "taxicab")


def find_edges(mask: np.ndarray) -> np.ndarray:
    """Return the elements of a mask next to its outside or to the border along some axis."""
    inner = mask.copy()
    for axis in range(mask.ndim):
        padded = np.pad(mask, [(1, 1) if a == axis else (0, 0) for a in range(mask.ndim)])
        n = mask.shape[axis]
        inner &= np.take(padded, range(n), axis) & np.take(padded, range(2, n + 2), axis)
    return mask & ~inner


def compute_surface_distances(
    from_edges: np.ndarray, to_edges: np.ndarray, metric: str
) -> np.ndarray:
    """Return the distance from each edge element of one mask to the nearest one of the other.

    The distances are infinite if the other mask has no edge elements.
    """
    a, b = np.argwhere(from_edges), np.argwhere(to_edges)
    if not len(b):
        return np.full(len(a), np.inf)
    nearest = np.empty(len(a))
    for start in range(0, len(a), _CHUNK):
        difference = np.abs(a[start : start + _CHUNK, None].astype(float) - b[None])
        if metric == "euclidean":
            distances = np.sqrt(np.square(difference).sum(axis=2))
        elif metric == "chessboard":
            distances = difference.max(axis=2)
        else:
            distances = difference.sum(axis=2)
        nearest[start : start + _CHUNK] = distances.min(axis=1)
    return nearest


_CHUNK = 256  # rows of the distance matrix at a time


class _SurfaceMetric(Metric):
    """Base of the surface metrics, which compare the edges of two masks."""

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
        """Replace the edges by those of ``label_idx`` in a prediction and the ground truth."""
        name = f"{type(self).__name__}.update"
        if len(inputs) != 3:
            raise ValueError(f"{name}: needs 3 inputs (y_pred, y, label_idx), got {len(inputs)}.")
        y_pred, y = self._convert_inputs_(inputs[:2], "y_pred", "y")
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
        self._pred, self._true = self._find_both_edges(y_pred == label, y == label)

    def _find_both_edges(self, y_pred: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return find_edges(y_pred), find_edges(y)

    def _compute_distances(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the distances from the predicted edges to the true edges, and in the other
        direction.

        Raises:
            RuntimeError: there was no update.
        """
        if self._pred is None or self._true is None:
            raise RuntimeError(f"{type(self).__name__}.eval: needs an update first, got none.")
        to_truth = compute_surface_distances(self._pred, self._true, self.distance_metric)
        return to_truth, compute_surface_distances(self._true, self._pred, self.distance_metric)


class HausdorffDistance(_SurfaceMetric):
    """The largest distance from a point of one surface to the other surface.

    Args:
        distance_metric: ``"euclidean"``, ``"chessboard"`` or ``"taxicab"``.
        percentile: take this percentile (0 to 100) instead of the largest.
        directed: use only distances from the prediction to the ground truth.
        crop: has no effect, since cropping to the masks would only change the time.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range.
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
        """Return the largest distance, in both directions unless ``directed``."""
        to_truth, to_prediction = map(self._find_largest_distance, self._compute_distances())
        return to_truth if self.directed else max(to_truth, to_prediction)

    def _find_largest_distance(self, distances: np.ndarray) -> float:
        """Return the largest distance, or the given percentile unless it is 0; inf if there are no
        distances.
        """
        if not distances.size:
            return np.inf
        return float(
            np.percentile(distances, self.percentile) if self.percentile else distances.max()
        )


class MeanSurfaceDistance(_SurfaceMetric):
    """The mean distance from the points of the predicted surface to the true surface.

    Args:
        symmetric: use the mean of both directions.
        distance_metric: ``"euclidean"``, ``"chessboard"`` or ``"taxicab"``.
    """

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        super().__init__(distance_metric)
        self.symmetric = checks.boolean(type(self).__name__, "symmetric", symmetric)

    def eval(self) -> float:
        """Return the mean distance; inf if there are no edges."""
        to_truth, to_prediction = self._compute_distances()
        if not to_truth.size or (self.symmetric and not to_prediction.size):
            return np.inf
        return float(
            (to_truth.mean() + to_prediction.mean()) / 2 if self.symmetric else to_truth.mean()
        )


class RootMeanSquareDistance(MeanSurfaceDistance):
    """The mean squared distance from the points of the predicted surface to the true surface.

    With ``symmetric``, the root of the mean of both directions. Otherwise, as in MindSpore, no root
    is taken.
    """

    def eval(self) -> float:
        """Return the mean squared distance, its root if ``symmetric``; inf without edges."""
        to_truth, to_prediction = (np.square(d) for d in self._compute_distances())
        if not to_truth.size or (self.symmetric and not to_prediction.size):
            return np.inf
        if not self.symmetric:
            return float(to_truth.mean())
        return float(np.sqrt((to_truth.mean() + to_prediction.mean()) / 2))


__all__ = ["HausdorffDistance", "MeanSurfaceDistance", "RootMeanSquareDistance"]
