"""Common shares of turned rectangles, against areas that are counted or known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
RNG = np.random.default_rng(0)


def cut(polygon: list[Any], clip: list[Any]) -> list[Any]:
    """A polygon within a convex one, corner by corner (Sutherland and Hodgman)."""
    for a, b in zip(clip, clip[1:] + clip[:1]):

        def depth(p: Any, a: Any = a, b: Any = b) -> float:
            return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

        outputs = []
        for p, q in zip(polygon, polygon[1:] + polygon[:1]):
            if depth(p) >= 0:
                outputs.append(p)
            if depth(p) * depth(q) < 0:
                t = depth(p) / (depth(p) - depth(q))
                outputs.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
        polygon = outputs
    return polygon


def area(polygon: list[Any]) -> float:
    return sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(polygon, polygon[1:] + polygon[:1])) / 2


def corners(box: np.ndarray) -> list[Any]:
    x, y, w, h, angle = box
    c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    apart = [(-w / 2, -h / 2), (w / 2, -h / 2), (w / 2, h / 2), (-w / 2, h / 2)]
    return [(x + a * c - b * s, y + a * s + b * c) for a, b in apart]


def draw(*shape: int) -> np.ndarray:
    at, size = RNG.uniform(-3, 3, (*shape, 2)), RNG.uniform(0.5, 4, (*shape, 2))
    return np.concatenate((at, size, RNG.uniform(-180, 180, (*shape, 1))), -1).astype(np.float32)


def shares(first: np.ndarray, second: np.ndarray, mode: int) -> np.ndarray:
    output = np.zeros((*first.shape[:2], second.shape[1]))
    for b, i, k in np.ndindex(*output.shape):
        one, other = (corners(x.astype(np.float64)) for x in (first[b, i], second[b, k]))
        actual = cut(one, other)
        common = area(actual) if len(actual) > 2 else 0.0
        whole = area(one) if mode else area(one) + area(other) - common
        output[b, i, k] = common / whole
    return output


@MODES
@pytest.mark.parametrize("how", [0, 1])
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32])
def test_each_with_each(mode: int, how: int, dtype: Any) -> None:
    ms.set_context(mode=mode)
    first, second = (Tensor(draw(2, n), dtype) for n in (5, 7))
    output = ops.rotated_iou(first, second, mode=how)
    assert (output.dtype, output.shape) == (dtype, (2, 5, 7))
    expected = shares(first.float().asnumpy(), second.float().asnumpy(), how)
    bound = {ms.float16: 1e-3, ms.bfloat16: 1e-2, ms.float32: 1e-6}[dtype]
    np.testing.assert_allclose(output.float().asnumpy(), expected, atol=bound, rtol=bound)
    assert (expected > 0).any()
    assert (expected == 0).any()
    same = ops.rotated_iou(first, second.float(), mode=how)  # of two dtypes
    assert (same.float() == output.float()).all()


@MODES
def test_one_with_one(mode: int) -> None:
    ms.set_context(mode=mode)
    first, second = draw(2, 4), draw(2, 4)
    output = ops.rotated_iou(Tensor(first), Tensor(second), is_cross=False).asnumpy()
    expected = shares(first, second, 0)
    for i in range(4):
        np.testing.assert_allclose(output[:, i, i], expected[:, i, i], atol=1e-6)
        assert not np.delete(output[:, i], i, 1).any()


@MODES
def test_corners_say_the_same_as_middles_and_sizes(mode: int) -> None:
    ms.set_context(mode=mode)
    boxes = [draw(1, 6).astype(np.float64) for _ in "ab"]
    by_corners = [
        np.concatenate((b[..., :2] - b[..., 2:4] / 2, b[..., :2] + b[..., 2:4] / 2, b[..., 4:]), -1)
        for b in boxes
    ]
    output = ops.rotated_iou(*(Tensor(b, ms.float32) for b in by_corners), trans=True)
    expected = ops.rotated_iou(*(Tensor(b, ms.float32) for b in boxes))
    np.testing.assert_allclose(output.asnumpy(), expected.asnumpy(), atol=1e-5)


@pytest.mark.parametrize(
    "first, second, expected",
    [
        ((0, 0, 2, 2, 0), (0, 0, 2, 2, 0), 1.0),
        ((0, 0, 2, 2, 30), (0, 0, 2, 2, 120), 1.0),  # the same square
        ((0, 0, 2, 2, 0), (2, 0, 2, 2, 0), 0.0),  # sides touch
        ((0, 0, 2, 2, 0), (2, 2, 2, 2, 0), 0.0),  # corners touch
        ((0, 0, 4, 4, 0), (0, 0, 2, 2, 45), 0.25),  # one within the other
        ((0, 0, 2, 2, 0), (0, 0, 2, 2, 45), 8 * (2**0.5 - 1) / (8 - 8 * (2**0.5 - 1))),
        ((0, 0, 2, 2, 0), (0, 0, 0, 2, 0), 0.0),
        ((0, 0, 0, 0, 0), (0, 0, 0, 0, 0), 0.0),
        ((0, 0, -2, -2, 0), (0, 0, 2, 2, 0), 0.0),
        ((1e4, 1e4, 2, 2, 10), (1e4, 1e4, 2, 2, 10), 1.0),
    ],
)
def test_rotated_iou_matches_exact_areas(first: Any, second: Any, expected: float) -> None:
    tensors = (Tensor([[list(map(float, box))]]) for box in (first, second))
    output = ops.rotated_iou(*tensors).asnumpy()
    np.testing.assert_allclose(output, [[[expected]]], atol=1e-6)


def test_many_pairs_are_as_few(monkeypatch: pytest.MonkeyPatch) -> None:
    from minispore.ops.image import rotated

    boxes = Tensor(draw(3, 9))
    whole = ops.rotated_iou(boxes, boxes)
    monkeypatch.setattr(rotated, "_PAIRS_AT_ONCE", 7)
    output = ops.rotated_iou(boxes, boxes)
    assert (whole.asnumpy() == output.asnumpy()).all()
    np.testing.assert_allclose(np.einsum("bii->bi", whole.asnumpy()), 1, rtol=1e-6)


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        ({"boxes": 1}, TypeError, "boxes must be a Tensor"),
        ({"query_boxes": Tensor(np.ones((1, 2, 5), np.int32))}, ValueError, "query_boxes must be"),
        ({"boxes": Tensor(np.ones((1, 2, 4), np.float32))}, ValueError, "boxes must be .B, count"),
        ({"query_boxes": Tensor(np.ones((2, 2, 5), np.float32))}, ValueError, "both of one B"),
        (
            {"query_boxes": Tensor(np.ones((1, 3, 5), np.float32)), "is_cross": False},
            ValueError, "have as many as boxes",
        ),
        ({"trans": 1}, TypeError, "trans must be a bool"),
        ({"mode": 1.0}, TypeError, "mode must be an int"),
        ({"v_threshold": "0"}, TypeError, "v_threshold must be"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(arguments: Any, error: Any, match: str) -> None:
    box = Tensor(np.ones((1, 2, 5), np.float32))
    with pytest.raises(error, match=match):
        ops.rotated_iou(**{"boxes": box, "query_boxes": box, **arguments})
