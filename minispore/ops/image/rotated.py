"""Intersection over union of rotated rectangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.support.arguments import check_dtype, check_tensor_spec, check_tensors

_PAIRS_AT_ONCE = 8192


class RotatedIou(Primitive):
    """The intersection over union of each pair of ``boxes`` and ``query_boxes``.

    The areas are exact up to rounding in float64; a rectangle with no area has no intersection.

    Args:
        boxes: (B, N, 5) of float32: x and y of the centre, width, height, and the angle in degrees.
        query_boxes: (B, K, 5).
        trans: boxes are given as (x1, y1, x2, y2, angle), with the corners before the rotation.
        mode: 0: the intersection over the union; 1: over the area of ``boxes``.
        is_cross: True: compare all pairs; False: only the i-th with the i-th, with 0 elsewhere.
        v_threshold: the tolerance of vertices on Ascend; no effect, since areas are exact.
        e_threshold: the tolerance of edges on Ascend; no effect.

    Returns:
        (B, N, K) of float32.

    >>> boxes = Tensor([[[0.0, 0.0, 2.0, 2.0, 0.0]]])
    >>> print(RotatedIou()(boxes, Tensor([[[1.0, 0.0, 2.0, 2.0, 90.0]]])).asnumpy().round(4))
    [[[0.3333]]]
    """

    def __call__(
        self,
        boxes: Tensor,
        query_boxes: Tensor,
        trans: bool = False,
        mode: int = 0,
        is_cross: bool = True,
        v_threshold: float = 0.0,
        e_threshold: float = 0.0,
    ) -> Tensor:
        """Check the arguments and compute the ratios; the thresholds have no effect."""
        check_tensors(self.name, boxes=boxes, query_boxes=query_boxes)
        checks.boolean(self.name, "trans", trans)
        checks.boolean(self.name, "is_cross", is_cross)
        checks.integer(self.name, "mode", mode)
        for name, x in (("v_threshold", v_threshold), ("e_threshold", e_threshold)):
            checks.number(self.name, name, x)
        return super().__call__(boxes, query_boxes, trans, mode, is_cross)

    def infer(self, boxes: Spec, query_boxes: Spec, trans: bool, mode: int, cross: bool) -> Spec:
        """Return the spec (B, boxes, queries); raise unless both are float32 (B, count, 5), with
        equal counts without ``cross``.
        """
        for name, x in (("boxes", boxes), ("query_boxes", query_boxes)):
            check_dtype(self.name, check_tensor_spec(self.name, x, name), name, "float32")
            if x.ndim != 3 or x.shape[2] != 5 or x.shape[0] != boxes.shape[0]:
                rule = "be (B, count, 5), both of one B"
                raise ValueError(checks.format_error(self.name, name, rule, f"{x}"))
        if not cross and boxes.shape != query_boxes.shape:
            rule = "have as many as boxes where is_cross is False"
            raise ValueError(checks.format_error(self.name, "query_boxes", rule, f"{query_boxes}"))
        return Spec((*boxes.shape[:2], query_boxes.shape[1]), boxes.dtype)

    def kernel(
        self, boxes: np.ndarray, query_boxes: np.ndarray, trans: bool, mode: int, cross: bool, *,
        out: np.ndarray,
    ) -> None:  # fmt: skip
        """Compute the ratios, some pairs at a time.

        Pairs with an empty box give 0, as do pairs of unequal index without ``cross``.
        """
        if cross:
            batch, box, query = (x.ravel() for x in np.indices(out.shape))
        else:
            batch, box = (x.ravel() for x in np.indices(out.shape[:2]))
            query = box
            out[...] = 0
        rectangles, query_rectangles = (
            _compute_corners_and_area(x, trans) for x in (boxes, query_boxes)
        )
        for start in range(0, len(batch), _PAIRS_AT_ONCE):
            chunk = slice(start, start + _PAIRS_AT_ONCE)
            box_index, query_index = (batch[chunk], box[chunk]), (batch[chunk], query[chunk])
            common = _compute_intersection_area(
                rectangles[0][box_index], query_rectangles[0][query_index]
            )
            area, query_area = rectangles[1][box_index], query_rectangles[1][query_index]
            common = np.where((area > 0) & (query_area > 0), common, 0.0)
            base_area = area if mode == 1 else area + query_area - common
            ratio = np.divide(common, base_area, out=np.zeros_like(common), where=common > 0)
            out[batch[chunk], box[chunk], query[chunk]] = ratio

    def vjp(self, *args: Any, out: Tensor, dout: Tensor) -> Cotangents:
        """Return None for each input: the op has no gradient."""
        return (None,) * len(args)


def _compute_corners_and_area(boxes: np.ndarray, trans: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners (..., 4, 2), counterclockwise, and the area of each rectangle.

    A negative length counts as 0.
    """
    boxes = boxes.astype(np.float64)
    middle, size = boxes[..., :2], boxes[..., 2:4]
    if trans:
        middle, size = (middle + size) / 2, size - middle
    size = np.maximum(size, 0.0)
    angle = np.deg2rad(boxes[..., 4, None])
    corner_offsets = size[..., None, :] / 2 * [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    x, y = corner_offsets[..., 0], corner_offsets[..., 1]
    rotated = (x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle))
    return middle[..., None, :] + np.stack(rotated, -1), size.prod(-1)


def _compute_intersection_area(polygon: np.ndarray, clip: np.ndarray) -> np.ndarray:
    """Return the intersection area of pairs of rectangles (pairs, 4, 2).

    One rectangle is clipped by the lines through the other's sides. Points outside a line are moved
    onto it; their position on the line does not change the area.
    """
    start = polygon.mean(1, keepdims=True)  # small coordinates have small rounding errors
    polygon, clip = polygon - start, clip - start
    for side in range(4):
        corner = clip[:, side, None]
        direction = clip[:, (side + 1) % 4, None] - corner
        direction = (
            direction
            / np.maximum(np.hypot(direction[..., 0], direction[..., 1]), 1e-300)[..., None]
        )
        normal = np.stack((-direction[..., 1], direction[..., 0]), -1)  # points inwards
        depth = ((polygon - corner) * normal).sum(-1)
        following = np.roll(polygon, -1, 1)
        depth_after = np.roll(depth, -1, 1)
        crosses = (depth < 0) != (depth_after < 0)
        fraction = np.divide(depth, depth - depth_after, out=np.zeros_like(depth), where=crosses)
        projected = polygon - np.minimum(depth, 0)[..., None] * normal
        crossing = np.where(
            crosses[..., None], polygon + fraction[..., None] * (following - polygon), projected
        )
        polygon = np.stack((projected, crossing), 2).reshape(len(polygon), -1, 2)
    x, y = polygon[..., 0], polygon[..., 1]
    return np.maximum((x * np.roll(y, -1, 1) - y * np.roll(x, -1, 1)).sum(-1) / 2, 0.0)


def rotated_iou(
    boxes: Tensor,
    query_boxes: Tensor,
    trans: bool = False,
    mode: int = 0,
    is_cross: bool = True,
    v_threshold: float = 0.0,
    e_threshold: float = 0.0,
) -> Tensor:
    """Return the ratios of :class:`RotatedIou`, in the dtype of ``boxes``.

    Args:
        boxes: (B, N, 5), of float16, bfloat16 or float32: x and y of the centre, width, height, and
            the angle in degrees.
        query_boxes: (B, K, 5), of one of these dtypes.
        trans: boxes are given as (x1, y1, x2, y2, angle), with the corners before the rotation.
        mode: 0: the intersection over the union; 1: over the area of ``boxes``.
        is_cross: True: compare all pairs; False: only the i-th with the i-th, with 0 elsewhere.
        v_threshold: the tolerance of vertices on Ascend; no effect, since areas are exact.
        e_threshold: the tolerance of edges on Ascend; no effect.

    Raises:
        TypeError: ``boxes`` or ``query_boxes`` is not a Tensor.
        ValueError: a dtype is wrong, or the shapes do not fit.

    >>> boxes = Tensor([[[0.0, 0.0, 2.0, 2.0, 0.0]]])
    >>> print(rotated_iou(boxes, Tensor([[[0.0, 0.0, 2.0, 1.0, 0.0]]]), mode=1))
    [[[0.5]]]
    """
    inputs = {"boxes": boxes, "query_boxes": query_boxes}
    check_tensors("rotated_iou", **inputs)
    for name, x in inputs.items():
        if x.dtype not in (mstype.float16, mstype.bfloat16, mstype.float32):
            rule = "be of float16, bfloat16 or float32"
            raise ValueError(checks.format_error("rotated_iou", name, rule, str(x.dtype)))
    rectangles, query_rectangles = (Cast()(x, mstype.float32) for x in inputs.values())
    ratios = RotatedIou()(
        rectangles, query_rectangles, trans, mode, is_cross, v_threshold, e_threshold
    )
    return Cast()(ratios, boxes.dtype)


__all__ = ["RotatedIou", "rotated_iou"]

attach_docstrings("minispore.ops", __name__)
