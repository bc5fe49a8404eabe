"""OcclusionSensitivity: measures the importance of each part of an image to a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.nn.metrics.metric import Metric, rearrange_inputs


class OcclusionSensitivity(Metric):
    """The drop of the label's score when a box around each element is covered.

    Args:
        pad_val: the value that covers the box.
        margin: the extent of the box on each side: an int, or a list with one per axis.
        n_batch: the number of covered images per call of the model.
        b_box: the part of the image to examine, as ``first, last`` of each axis (channel, height,
            width) in one list; -1 for the full axis.

    Raises:
        TypeError: an argument has the wrong type.
        RuntimeError: there is not exactly one image and one label (in ``update``).
        ValueError: ``b_box`` does not match the image (in ``update``).

    Shape: model, image (1, C, H, W), label (1, 1) -> (C, H, W).
    """

    def __init__(
        self,
        pad_val: float = 0.0,
        margin: Any = 2,
        n_batch: int = 128,
        b_box: list[int] | None = None,
    ) -> None:
        super().__init__()
        name = "OcclusionSensitivity"
        self.pad_val = checks.number(name, "pad_val", pad_val)
        if not isinstance(margin, int | list) or isinstance(margin, bool):
            raise TypeError(
                f"{name}: margin must be an int or a list of ints, got "
                f"{checks.format_value(margin)}."
            )
        self.margin = margin
        self.n_batch = checks.integer(name, "n_batch", n_batch, 1)
        if b_box is not None and not isinstance(b_box, list):
            raise TypeError(
                f"{name}: b_box must be a list of ints or None, got {checks.format_value(b_box)}."
            )
        self.b_box = b_box
        self.clear()

    def clear(self) -> None:
        self._sensitivity: np.ndarray | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Compute and store how much the model's score of the label drops when the box around each
        element of the image is covered; replaces earlier results.
        """
        name = "OcclusionSensitivity.update"
        if len(inputs) != 3:
            raise ValueError(f"{name}: needs 3 inputs (model, image, label), got {len(inputs)}.")
        model = inputs[0]
        if not isinstance(model, Cell):
            raise TypeError(f"{name}: model must be a Cell, got {checks.format_value(model)}.")
        image, label = self._convert_inputs_(inputs[1:], "image", "label")
        if image.shape[0] != 1 or label.size != 1:
            raise RuntimeError(
                f"{name}: needs one image and one label, got {image.shape} and {label.shape}."
            )
        label_index = int(label.reshape(-1)[0])
        low, high = self._get_bounds(image.shape[1:])
        shape = tuple(h - a + 1 for a, h in zip(low, high, strict=True))
        scores = np.empty(shape)
        offsets = list(np.ndindex(shape))
        for start in range(0, len(offsets), self.n_batch):
            chunk = offsets[start : start + self.n_batch]
            covered = np.concatenate([self._cover_region(image, np.add(p, low)) for p in chunk])
            chunk_scores = model(Tensor(covered)).asnumpy()[:, label_index]
            for offset, score in zip(chunk, chunk_scores, strict=True):
                scores[offset] = score
        baseline = model(Tensor(image)).asnumpy()[0, label_index]
        self._sensitivity = np.squeeze(baseline - scores)

    def _cover_region(self, image: np.ndarray, centre: np.ndarray) -> np.ndarray:
        """Return a copy of the image in which the box of ``margin`` around a centre is covered."""
        margins = self.margin if isinstance(self.margin, list) else [self.margin] * len(centre)
        sizes = image.shape[1:]
        region = tuple(
            slice(max(0, c - m), min(n, c + m))
            for c, m, n in zip(centre, margins, sizes, strict=True)
        )
        covered = image.copy()
        covered[(slice(None), *region)] = self.pad_val
        return covered

    def _get_bounds(self, sizes: tuple[int, ...]) -> tuple[list[int], list[int]]:
        """Return the lowest and highest index of the examined elements along each axis.

        Raises:
            ValueError: ``b_box`` has the wrong length or is outside the image.
        """
        if self.b_box is None:
            return [0] * len(sizes), [n - 1 for n in sizes]
        if len(self.b_box) != 2 * len(sizes):
            raise ValueError(
                f"OcclusionSensitivity: b_box must have two numbers for each axis of {sizes}, got "
                f"{self.b_box}."
            )
        low = [max(0, a) for a in self.b_box[::2]]
        high = [n - 1 if b < 0 else b for b, n in zip(self.b_box[1::2], sizes, strict=True)]
        if any(b >= n or a > b for a, b, n in zip(low, high, sizes, strict=True)):
            raise ValueError(
                f"OcclusionSensitivity: b_box must lie inside the image {sizes}, got {self.b_box}."
            )
        return low, high

    def eval(self) -> np.ndarray:
        """Return the drops of the score, in the shape of the examined part of the image."""
        if self._sensitivity is None:
            raise RuntimeError("OcclusionSensitivity.eval: needs an update first, got none.")
        return self._sensitivity


__all__ = ["OcclusionSensitivity"]
