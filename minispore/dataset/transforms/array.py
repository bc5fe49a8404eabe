"""Transforms of plain arrays: labels, masks, sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Transform


class TypeCast(Transform):
    """x in another data type; float to integer truncates towards zero and wraps.

    Args:
        data_type: a MindSpore or NumPy data type, or its name.

    Raises:
        TypeError: ``data_type`` names no data type.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.TypeCast(np.int32)(np.array([2.5, -2.5]))
        array([ 2, -2], dtype=int32)
    """

    data_type: Any

    def check(self) -> None:
        self.normalise(data_type=arguments.data_type(self, "data_type", self.data_type))

    def batch(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(
            invalid="ignore", over="ignore"
        ):  # out of range is the user's business, as in C
            return x.astype(self.data_type)


class OneHot(Transform):
    """y[c] = 1 where c is the label, else 0; smoothed by s: 1 - s + s / num_classes, and s /
    num_classes.

    Args:
        num_classes (int): number of classes, at least 1.
        smoothing_rate (float): s, in [0, 1]; the result is float64 if it is not 0. Default:
            ``0.0``.

    Raises:
        TypeError: ``num_classes`` is not an int, or ``smoothing_rate`` not a number.
        ValueError: ``num_classes`` is not positive, or ``smoothing_rate`` not in [0, 1].
        RuntimeError: a label is no integer, or not in [0, num_classes).

    Shape:
        () or (1,) -> (num_classes,); (n,) -> (n, num_classes).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import transforms
        >>> transforms.OneHot(3)(np.int32(1))
        array([0, 1, 0], dtype=int32)
    """

    num_classes: int
    smoothing_rate: float = 0.0

    def check(self) -> None:
        arguments.integer(self, "num_classes", self.num_classes, 1)
        arguments.number(self, "smoothing_rate", self.smoothing_rate, 0.0, 1.0)

    def batch(self, labels: np.ndarray) -> np.ndarray:
        if labels.ndim == 3 and 1 in labels.shape[1:]:
            labels = labels.reshape(len(labels), -1)
        if labels.ndim > 2 or labels.dtype.kind not in "iu":
            what = f"{labels.dtype}{list(labels.shape[1:])}"
            raise RuntimeError(f"OneHot: label must be an integer scalar or vector, got {what}.")
        wrong = (labels < 0) | (labels >= self.num_classes)
        if wrong.any():
            raise RuntimeError(
                f"OneHot: label must be in [0, {self.num_classes}), got {labels[wrong][0]}. "
                "Set num_classes to the largest label plus one."
            )
        if labels.shape[1:] == (1,):
            labels = labels[:, 0]
        off = self.smoothing_rate / self.num_classes
        dtype = labels.dtype if self.smoothing_rate == 0 else np.dtype(np.float64)
        out = np.full((*labels.shape, self.num_classes), off, dtype)
        np.put_along_axis(out, labels[..., None].astype(np.intp), 1 - self.smoothing_rate + off, -1)
        return out
