"""Boxes (x1, y1, x2, y2): overlaps, encoding and non-maximum suppression."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from minispore.core.primitive import Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.support.arguments import (
    check_number,
    check_tensor_spec,
    check_tensors,
    to_static,
)

_INT32 = np.dtype(np.int32)


def _check_boxes(api_name: str, x: Any, name: str, width: int = 4) -> Spec:
    """Return the spec ``x``; raise unless it is a float tensor of boxes (N, width)."""
    if check_tensor_spec(api_name, x, name).ndim != 2 or x.shape[1] != width:
        raise ValueError(f"{api_name}: {name} must have shape (N, {width}), got {x}.")
    if x.dtype.kind != "f":
        raise TypeError(f"{api_name}: {name} must be a float tensor, got {x}. Cast it to float32.")
    return x


def _compute_overlap(a: np.ndarray, b: np.ndarray, edge: float) -> np.ndarray:
    """Return the intersection area of each box of a (M, 1, 4) with each box of b (1, N, 4).

    ``edge`` is as in :func:`_compute_area`.
    """
    low = np.maximum(a[..., :2], b[..., :2])
    high = np.minimum(a[..., 2:4], b[..., 2:4])
    return np.prod(np.maximum(high - low + edge, 0), -1)


def _compute_area(boxes: np.ndarray, edge: float) -> np.ndarray:
    """Return the area of each box; ``edge`` is 1 if the last row and column belong to the box, else
    0.
    """
    return (boxes[..., 2] - boxes[..., 0] + edge) * (boxes[..., 3] - boxes[..., 1] + edge)


class IOU(Primitive):
    """Intersection over union ("iou") or over the area of gt ("iof"), including both edges.

    anchor_boxes: (N, 4), gt_boxes: (M, 4) -> (M, N).

    >>> print(IOU()(Tensor([[0.0, 0.0, 9.0, 9.0]]), Tensor([[0.0, 0.0, 9.0, 4.0]])))
    [[0.5]]
    """

    mode: str = "iou"

    def check(self) -> None:
        if self.mode not in ("iou", "iof"):
            raise KeyError(f"{self.name}: mode must be 'iou' or 'iof', got {self.mode!r}.")

    def infer(self, anchors: Spec, gt: Spec) -> Spec:
        _check_boxes(self.name, anchors, "anchor_boxes")
        _check_boxes(self.name, gt, "gt_boxes")
        return Spec((gt.shape[0], anchors.shape[0]), anchors.dtype)

    def kernel(self, anchors: np.ndarray, gt: np.ndarray, *, out: np.ndarray) -> None:
        """Compute the ratios in float32; boxes with no area give inf or NaN."""
        a, g = anchors.astype(np.float32)[None], gt.astype(np.float32)[:, None]
        common = _compute_overlap(g, a, 1.0)
        base = _compute_area(g, 1.0)
        if self.mode == "iou":
            base = base + _compute_area(a, 1.0) - common
        with np.errstate(divide="ignore", invalid="ignore"):
            out[...] = common / base


class BoundingBoxEncode(Primitive):
    """Encodes boxes relative to their anchors: shift over size, and log of the size ratio.

    >>> a, g = Tensor([[5.0, 5.0, 14.0, 14.0]]), Tensor([[4.0, 5.0, 13.0, 14.0]])
    >>> print(BoundingBoxEncode()(a, g))
    [[-0.1  0.   0.   0. ]]
    """

    means: Any = (0.0, 0.0, 0.0, 0.0)
    stds: Any = (1.0, 1.0, 1.0, 1.0)

    def check(self) -> None:
        _check_four_numbers(self.name, self.means, "means")
        _check_four_numbers(self.name, self.stds, "stds")

    def infer(self, anchors: Spec, gt: Spec) -> Spec:
        """Return the spec of the anchors; raise unless both are float tensors (N, 4) of the same
        shape.
        """
        _check_boxes(self.name, anchors, "anchor_box")
        if _check_boxes(self.name, gt, "groundtruth_box").shape != anchors.shape:
            raise ValueError(
                f"{self.name}: groundtruth_box must have the shape of {anchors}, got {gt}."
            )
        return anchors

    def kernel(self, anchors: np.ndarray, gt: np.ndarray, *, out: np.ndarray) -> None:
        """Write the deltas minus ``means``, divided by ``stds``; boxes with no size give
        infinities.
        """
        anchor_centre, anchor_size = _compute_centre_and_size(anchors)
        gt_centre, gt_size = _compute_centre_and_size(gt)
        with np.errstate(divide="ignore", invalid="ignore"):
            delta = np.concatenate(
                [(gt_centre - anchor_centre) / anchor_size, np.log(gt_size / anchor_size)], 1
            )
        out[...] = (delta - np.asarray(self.means)) / np.asarray(self.stds)


class BoundingBoxDecode(Primitive):
    """The boxes that ``deltas`` encode relative to their anchors, clipped to ``max_shape`` (H, W).

    >>> a = Tensor([[5.0, 5.0, 14.0, 14.0]])
    >>> print(BoundingBoxDecode((20, 20))(a, Tensor([[-0.1, 0.0, 0.0, 0.0]])))
    [[ 4.  5. 13. 14.]]
    """

    max_shape: Any
    means: Any = (0.0, 0.0, 0.0, 0.0)
    stds: Any = (1.0, 1.0, 1.0, 1.0)
    wh_ratio_clip: float = 0.016

    def check(self) -> None:
        _check_four_numbers(self.name, self.means, "means")
        _check_four_numbers(self.name, self.stds, "stds")
        if not isinstance(self.max_shape, tuple) or len(self.max_shape) != 2:
            raise ValueError(f"{self.name}: max_shape must be (H, W), got {self.max_shape!r}.")
        for n in self.max_shape:
            check_number(self.name, n, "max_shape")

    def infer(self, anchors: Spec, deltas: Spec) -> Spec:
        _check_boxes(self.name, anchors, "anchor_box")
        if _check_boxes(self.name, deltas, "deltas").shape != anchors.shape:
            raise ValueError(f"{self.name}: deltas must have the shape of {anchors}, got {deltas}.")
        return anchors

    def kernel(self, anchors: np.ndarray, deltas: np.ndarray, *, out: np.ndarray) -> None:
        """Shift and scale the anchors by the deltas, limit the size ratios by ``wh_ratio_clip``,
        and clip to the image.
        """
        centre, size = _compute_centre_and_size(anchors)
        d = deltas.astype(np.float64) * np.asarray(self.stds) + np.asarray(self.means)
        max_log_ratio = abs(log(self.wh_ratio_clip))
        centre = centre + size * d[:, :2]
        size = size * np.exp(np.clip(d[:, 2:], -max_log_ratio, max_log_ratio))
        upper = np.array([self.max_shape[1], self.max_shape[0]] * 2)
        half = size * 0.5 - 0.5
        out[...] = np.clip(np.concatenate([centre - half, centre + half], 1), 0, upper)


def _check_four_numbers(api_name: str, values: Any, name: str) -> None:
    """Check that ``values``, the attribute ``name``, is a tuple of 4 numbers."""
    if not isinstance(values, tuple) or len(values) != 4:
        raise ValueError(f"{api_name}: {name} must hold 4 numbers, got {values!r}.")
    for v in values:
        if isinstance(v, bool) or not isinstance(v, int | float):
            raise TypeError(f"{api_name}: {name} must hold numbers, got {v!r}.")


def _compute_centre_and_size(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the centres and sizes (N, 2) of boxes that include their last row and column."""
    b = boxes.astype(np.float64)
    return (b[:, :2] + b[:, 2:]) * 0.5, b[:, 2:] - b[:, :2] + 1


class CheckValid(Primitive):
    """Whether each box is inside the image; img_metas: (height, width, ratio).

    Shape: bboxes: (N, 4) of float32, float16, int16 or uint8; img_metas: (3,) of the same kind;
    output: (N,).

    >>> print(CheckValid()(Tensor([[0.0, 0.0, 9.0, 9.0]]), Tensor([10.0, 10.0, 1.0])))
    [ True]
    """

    def infer(self, boxes: Spec, metas: Spec) -> Spec:
        """Return the spec of one bool per box; raise unless both inputs are floats or both
        integers, and the shapes fit.
        """
        allowed = "float32", "float16", "int16", "uint8"
        for name, spec in (("bboxes", boxes), ("img_metas", metas)):
            if check_tensor_spec(self.name, spec, name).dtype.name not in allowed:
                rule = f"be of {', '.join(allowed)}"
                raise TypeError(checks.format_error(self.name, name, rule, str(spec), "Cast it."))
        if (boxes.dtype.kind == "f") != (metas.dtype.kind == "f"):
            rule, description = "both be floats or both be integers", f"{boxes} and {metas}"
            raise TypeError(
                checks.format_error(self.name, "bboxes and img_metas", rule, description)
            )
        if len(boxes.shape) != 2 or boxes.shape[1] != 4:
            raise ValueError(checks.format_error(self.name, "bboxes", "be (N, 4)", str(boxes)))
        if metas.shape != (3,):
            raise ValueError(f"{self.name}: img_metas must hold 3 numbers, got {metas}.")
        return Spec(boxes.shape[:1], np.dtype(np.bool_))

    def kernel(self, boxes: np.ndarray, metas: np.ndarray, *, out: np.ndarray) -> None:
        """Write whether the corners of each box are at least 0, and at most the image's size times
        its ratio minus 1.
        """
        if metas.dtype.kind != "f":
            metas = metas.astype(np.int32)  # the products below would overflow a narrow type
        height, width = metas[0] * metas[2] - 1, metas[1] * metas[2] - 1
        inside = (boxes[:, :2] >= 0).all(1)
        out[...] = inside & (boxes[:, 2] <= width) & (boxes[:, 3] <= height)


class NMSWithMask(Primitive):
    """Sorts boxes (N, 5) by score, best first, and marks those that no better box overlaps too
    much.

    Returns the sorted boxes, their indices 0 ... N-1, and a mask of the boxes to keep.

    >>> boxes = Tensor([[0.0, 0.0, 9.0, 9.0, 0.5], [0.0, 0.0, 9.0, 10.0, 0.9]])
    >>> print(NMSWithMask(0.5)(boxes)[2])
    [ True False]
    """

    iou_threshold: float = 0.5
    vjp_rule = VjpRule(takes_tuples=True)

    def check(self) -> None:
        if isinstance(self.iou_threshold, bool) or not isinstance(self.iou_threshold, int | float):
            raise TypeError(
                f"{self.name}: iou_threshold must be a number, got {self.iou_threshold!r}."
            )

    def infer(self, boxes: Spec) -> tuple[Spec, Spec, Spec]:
        n = _check_boxes(self.name, boxes, "bboxes", 5).shape[0]
        return boxes, Spec((n,), _INT32), Spec((n,), np.dtype(np.bool_))

    def kernel(self, boxes: np.ndarray, *, out: tuple[np.ndarray, ...]) -> None:
        """Write the boxes sorted by score, their numbers 0 ... N - 1 in this order, and the mask of
        those to keep.
        """
        order = np.argsort(-boxes[:, 4], kind="stable")
        ranked = boxes[order]
        out[0][...] = ranked
        out[1][...] = np.arange(len(boxes))
        out[2][...] = compute_keep_mask(ranked, self.iou_threshold)


def compute_keep_mask(ranked: np.ndarray, threshold: float) -> np.ndarray:
    """Return a mask of the boxes, sorted by score, that non-maximum suppression keeps.

    A box is dropped if its overlap with a better box that was kept is above ``threshold``.
    """
    keep_mask = np.ones(len(ranked), np.bool_)
    area = _compute_area(ranked, 0.0)
    for i in range(len(ranked)):
        if keep_mask[i]:
            later = slice(i + 1, None)
            common = _compute_overlap(ranked[i], ranked[later], 0.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                overlap_ratio = common / (area[i] + area[later] - common)
            keep_mask[later] &= ~(overlap_ratio > threshold)
    return keep_mask


def select_best_boxes(
    boxes: np.ndarray, scores: np.ndarray, iou_threshold: float, score_threshold: Any
) -> np.ndarray:
    """Return the indices of the boxes (y1, x1, y2, x2) that suppression keeps, best score first.

    Boxes whose score is not above ``score_threshold`` are dropped before.
    """
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > score_threshold]
    low = np.minimum(boxes[:, :2], boxes[:, 2:])  # corners may come in any order
    ranked = np.concatenate([low, np.maximum(boxes[:, :2], boxes[:, 2:])], 1)[order]
    return order[compute_keep_mask(ranked, iou_threshold)]


class NonMaxSuppressionV3(Primitive):
    """The indices of at most ``max_output_size`` boxes (y1, x1, y2, x2), best score first.

    No box overlaps a better one too much, and all scores are above ``score_threshold``. A negative
    ``max_output_size`` counts as 0.

    >>> boxes, scores = Tensor([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9]]), Tensor([0.5, 0.9])
    >>> print(NonMaxSuppressionV3()(boxes, scores, 2, 0.5, 0.0))
    [1]
    """

    dynamic = True

    def __call__(
        self, boxes: Tensor, scores: Tensor, max_output_size: Any, iou: Any, score: Any
    ) -> Tensor:
        """Convert the limits, which may be tensors, to Python scalars and return the indices."""
        check_tensors(self.name, boxes=boxes, scores=scores)
        max_count = checks.integer(self.name, "max_output_size", to_static(max_output_size))
        iou_threshold, score_threshold = (
            check_number(self.name, iou, "iou"),
            check_number(self.name, score, "score"),
        )
        return super().__call__(boxes, scores, max(max_count, 0), iou_threshold, score_threshold)

    def kernel(
        self,
        boxes: np.ndarray,
        scores: np.ndarray,
        max_count: int,
        iou: float,
        score: float,
        *,
        out: Any = None,
    ) -> np.ndarray:
        """Return the int32 indices of at most ``max_count`` boxes, best score first; their number
        depends on the data.
        """
        if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
            raise ValueError(
                f"{self.name}: boxes must be (N, 4) and scores (N,), got shapes {boxes.shape} and "
                f"{scores.shape}."
            )
        return select_best_boxes(boxes, scores, iou, score)[:max_count].astype(np.int32)


# -- functions ------------------------------------------------------------------------------------


def iou(anchor_boxes: Tensor, gt_boxes: Tensor, mode: str = "iou") -> Tensor:
    """Return the intersection over union ("iou") or over the area of the ground truth ("iof").

    Shape: anchor_boxes: (N, 4); gt_boxes: (M, 4); output: (M, N).
    """
    return IOU(mode)(anchor_boxes, gt_boxes)


def bounding_box_encode(
    anchor_box: Tensor,
    groundtruth_box: Tensor,
    means: Any = (0.0, 0.0, 0.0, 0.0),
    stds: Any = (1.0, 1.0, 1.0, 1.0),
) -> Tensor:
    """Encode ground-truth boxes relative to their anchors."""
    return BoundingBoxEncode(means, stds)(anchor_box, groundtruth_box)


def bounding_box_decode(
    anchor_box: Tensor,
    deltas: Tensor,
    max_shape: Any,
    means: Any = (0.0, 0.0, 0.0, 0.0),
    stds: Any = (1.0, 1.0, 1.0, 1.0),
    wh_ratio_clip: float = 0.016,
) -> Tensor:
    """Decode boxes from ``deltas`` relative to their anchors, and clip them to ``max_shape``."""
    return BoundingBoxDecode(max_shape, means, stds, wh_ratio_clip)(anchor_box, deltas)


def check_valid(bboxes: Tensor, img_metas: Tensor) -> Tensor:
    """Whether each box is inside the image of ``img_metas``, (height, width, ratio)."""
    return CheckValid()(bboxes, img_metas)


__all__ = [
    "IOU",
    "BoundingBoxDecode",
    "BoundingBoxEncode",
    "CheckValid",
    "NMSWithMask",
    "NonMaxSuppressionV3",
    "bounding_box_decode",
    "bounding_box_encode",
    "check_valid",
    "iou",
]
