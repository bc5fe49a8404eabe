"""Operations of MindSpore 1.x that have no equivalent among current transforms."""

from __future__ import annotations

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.array import OneHot
from minispore.dataset.transforms.base import Transform


class OneHotOp(Transform):
    """OneHot for labels of any shape, always float64.

    Args:
        num_classes (int): number of classes, at least 1.
        smoothing_rate (float): as for OneHot. Default: ``0.0``.

    Raises:
        TypeError: ``num_classes`` is not an int, or ``smoothing_rate`` not a number.
        ValueError: ``num_classes`` is not positive, or ``smoothing_rate`` not in [0, 1].
        RuntimeError: a label is not an integer, or not in [0, num_classes).

    Shape:
        (...) -> (..., num_classes).
    """

    num_classes: int
    smoothing_rate: float = 0.0

    def check(self) -> None:
        check.positive(self, "num_classes", self.num_classes, mindspore_name="")
        arguments.number(self, "smoothing_rate", self.smoothing_rate, 0.0, 1.0)

    def transform_batch(self, labels: np.ndarray) -> np.ndarray:
        flat = OneHot(self.num_classes, self.smoothing_rate).transform_batch(labels.reshape(-1))
        return flat.reshape(*labels.shape, self.num_classes).astype(np.float64)
