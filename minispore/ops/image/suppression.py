"""Non-maximum suppression of boxes of many classes, or with given overlaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import FLOAT32, check_dtype_kind
from minispore.ops.image.detection import select_best_boxes
from minispore.ops.support.arguments import (
    check_dtype,
    check_number,
    check_tensor_spec,
    check_tensors,
    to_static,
)

INT32 = np.dtype(np.int32)


class CombinedNonMaxSuppression(Primitive):
    """The best boxes of all classes, best score first, after suppression within each class.

    A box is dropped if a better box of its class overlaps it too much.

    Args:
        pad_per_class: limit the output to the number of boxes that all classes can fill, if this is
            below ``max_total_size``.
        clip_boxes: clip the returned boxes to [0, 1].
        boxes (Tensor): float32 (N, B, Q, 4), (y1, x1, y2, x2), with Q = 1 for all classes, or one
            box per class.
        scores (Tensor): float32 (N, B, classes).
        max_output_size_per_class (Tensor): int32 (), the maximum number of boxes of a class.
        max_total_size (Tensor): int32 (), the maximum number of boxes in total.
        iou_threshold (Tensor): float32 (), the intersection over union above which a box is
            dropped.
        score_threshold (Tensor): float32 (); boxes without a higher score are dropped.

    Returns:
        ``(boxes, scores, classes, counts)``: (N, M, 4), (N, M), (N, M) and (N,), with zeros after
        the first ``counts`` boxes of each image.

    >>> boxes = Tensor([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 1.0, 0.9]]]])
    >>> found = CombinedNonMaxSuppression()(boxes, Tensor([[[0.5], [0.9]]]), 2, 2, 0.5, 0.0)
    >>> print(found[1], found[3])
    [[0.9 0. ]] [1]
    """

    pad_per_class: bool = False
    clip_boxes: bool = True
    vjp_rule = VjpRule(takes_tuples=True)

    def check(self) -> None:
        checks.boolean(self.name, "pad_per_class", self.pad_per_class)
        checks.boolean(self.name, "clip_boxes", self.clip_boxes)

    def __call__(
        self,
        boxes: Tensor,
        scores: Tensor,
        max_output_size_per_class: Any,
        max_total_size: Any,
        iou_threshold: Any,
        score_threshold: Any,
    ) -> Any:
        check_tensors(self.name, boxes=boxes, scores=scores)
        limits = to_static(max_output_size_per_class), to_static(max_total_size)
        iou_limit = check_number(self.name, iou_threshold, "iou_threshold")
        score_limit = check_number(self.name, score_threshold, "score_threshold")
        return super().__call__(boxes, scores, *limits, iou_limit, score_limit)

    def infer(
        self,
        boxes: Spec,
        scores: Spec,
        max_per_class: Any,
        max_total: Any,
        iou_limit: float,
        score_limit: float,
    ) -> tuple[Spec, ...]:
        """Return the specs of boxes, scores, classes and the number of detections of each image."""
        for name, x in (("boxes", boxes), ("scores", scores)):
            check_dtype(self.name, check_tensor_spec(self.name, x, name), name, "float32")
        if boxes.ndim != 4 or boxes.shape[3] != 4 or scores.ndim != 3:
            raise ValueError(
                f"{self.name}: boxes must be (N, B, Q, 4) and scores (N, B, classes), got {boxes} "
                f"and {scores}."
            )
        fits = boxes.shape[:2] == scores.shape[:2] and boxes.shape[2] in (1, scores.shape[2])
        if not fits:
            rule = f"have scores {(*boxes.shape[:2], boxes.shape[2])}, or one box for all classes"
            raise ValueError(checks.format_error(self.name, "boxes", rule, f"{scores}"))
        checks.integer(self.name, "max_output_size_per_class", max_per_class, 1)
        checks.integer(self.name, "max_total_size", max_total, 1)
        if not 0 <= iou_limit <= 1:
            raise ValueError(
                checks.format_error(self.name, "iou_threshold", "be in [0, 1]", f"{iou_limit}")
            )
        row_length = (
            min(max_total, max_per_class * scores.shape[2]) if self.pad_per_class else max_total
        )
        n = boxes.shape[0]
        row = Spec((n, row_length), FLOAT32)
        return Spec((n, row_length, 4), FLOAT32), row, row, Spec((n,), INT32)

    def kernel(
        self,
        boxes: np.ndarray,
        scores: np.ndarray,
        max_per_class: int,
        max_total: int,
        iou_limit: float,
        score_limit: float,
        *,
        out: tuple[np.ndarray, ...],
    ) -> None:
        """Suppress boxes class by class, and write the best of all classes, padded with zeros."""
        for array in out:
            array.fill(0)
        for n in range(len(boxes)):
            detections = []
            for c in range(scores.shape[2]):
                class_boxes = boxes[n, :, c if boxes.shape[2] > 1 else 0]
                class_scores = scores[n, :, c]
                best = select_best_boxes(
                    class_boxes, class_scores, iou_limit, np.float32(score_limit)
                )
                for i in best[:max_per_class]:
                    detections.append((class_scores[i], c, class_boxes[i]))
            detections.sort(key=lambda detection: -detection[0])
            for k, (score, c, box) in enumerate(detections[: out[1].shape[1]]):
                out[0][n, k] = np.clip(box, 0, 1) if self.clip_boxes else box
                out[1][n, k] = score
                out[2][n, k] = c
            out[3][n] = min(len(detections), out[1].shape[1])


class NonMaxSuppressionWithOverlaps(Primitive):
    """The indices of at most ``max_output_size`` boxes, best score first.

    No box overlaps a better one by more than ``overlap_threshold``.

    Args:
        overlaps (Tensor): float (N, N), the overlap of each pair of boxes.
        scores (Tensor): float (N,).
        max_output_size (Tensor): int32 (), or an int.
        overlap_threshold (Tensor): float (), or a number.
        score_threshold (Tensor): float (), or a number; boxes without a higher score are dropped.

    Returns:
        Tensor, int32, one index for each kept box.

    >>> overlaps = Tensor([[1.0, 0.8], [0.8, 1.0]])
    >>> print(NonMaxSuppressionWithOverlaps()(overlaps, Tensor([0.5, 0.9]), 2, 0.5, 0.0))
    [1]
    """

    dynamic = True

    def __call__(
        self,
        overlaps: Tensor,
        scores: Tensor,
        max_output_size: Any,
        overlap_threshold: Any,
        score_threshold: Any,
    ) -> Tensor:
        check_tensors(self.name, overlaps=overlaps, scores=scores)
        max_count = checks.integer(self.name, "max_output_size", to_static(max_output_size), 0)
        overlap_limit = check_number(self.name, overlap_threshold, "overlap_threshold")
        score_limit = check_number(self.name, score_threshold, "score_threshold")
        return super().__call__(overlaps, scores, max_count, overlap_limit, score_limit)

    def kernel(
        self,
        overlaps: np.ndarray,
        scores: np.ndarray,
        max_count: int,
        overlap_limit: float,
        score_limit: float,
        *,
        out: Any = None,
    ) -> np.ndarray:
        """Select boxes greedily, best score first; the number of indices depends on the data."""
        for name, x in (("overlaps", overlaps), ("scores", scores)):
            check_dtype_kind(self.name, Spec(x.shape, x.dtype), "f", name)
        if scores.ndim != 1 or overlaps.shape != scores.shape * 2:
            raise ValueError(
                f"{self.name}: overlaps must be (N, N) and scores (N,), got shapes "
                f"{overlaps.shape} and {scores.shape}."
            )
        order = np.argsort(-scores, kind="stable")
        selected: list[int] = []
        for i in order[scores[order] > scores.dtype.type(score_limit)]:
            if (
                len(selected) < max_count
                and not (overlaps[i, selected] > overlaps.dtype.type(overlap_limit)).any()
            ):
                selected.append(int(i))
        return np.array(selected, INT32)


__all__ = ["CombinedNonMaxSuppression", "NonMaxSuppressionWithOverlaps"]

attach_docstrings("minispore.ops", __name__)
