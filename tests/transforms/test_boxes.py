"""Bounding boxes go where their image goes."""

from __future__ import annotations

import numpy as np
import pytest

from minispore.dataset import vision
from minispore.dataset.vision.boxes import cut

IMAGE = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
BOXES = np.array([[5, 6, 10, 12], [30, 20, 25, 18]], np.float32)


def test_a_piece_cuts_boxes_and_leaves_out_those_that_it_misses():
    assert cut(BOXES, 10, 8, 20, 20).tolist() == [[0, 0, 7, 8]]


def test_a_box_that_only_touches_the_piece_is_left_out():
    assert cut(BOXES, 0, 15, 20, 15).tolist() == [[0, 0, 0, 0]]


def test_a_piece_without_boxes_has_one_of_zeros():
    assert cut(BOXES, 0, 40, 5, 5).tolist() == [[0, 0, 0, 0]]


def test_features_behind_the_box_go_along():
    labelled = np.concatenate([BOXES, [[7], [8]]], axis=1).astype(np.float32)
    _, boxes = vision.RandomHorizontalFlipWithBBox(1.0)(IMAGE, labelled)
    assert boxes.tolist() == [[45, 6, 10, 12, 7], [5, 20, 25, 18, 8]]


def test_what_is_in_a_box_of_a_cropped_image_was_in_it_before():
    crop = vision.RandomCropWithBBox((30, 40), (2, 3))
    (image, boxes), plain = (
        t.row(*columns, rng=np.random.default_rng(4))
        for t, columns in ((crop, (IMAGE, BOXES)), (vision.RandomCrop((30, 40), (2, 3)), (IMAGE,)))
    )
    np.testing.assert_array_equal(image, plain)
    x, y, width, height = boxes[0].astype(int)
    inside = image[y : y + height, x : x + width]
    places = np.lib.stride_tricks.sliding_window_view(IMAGE, inside.shape)[:, :, 0]
    rows, columns = np.nonzero((places == inside).all(axis=(2, 3, 4)))
    old = BOXES[0] if rows[0] < 20 else BOXES[1]
    assert old[1] <= rows[0] and rows[0] + height <= old[1] + old[3]
    assert old[0] <= columns[0] and columns[0] + width <= old[0] + old[2]


def test_bounding_box_augment_changes_a_part_of_the_boxes_and_nothing_else():
    augment = vision.BoundingBoxAugment(vision.Invert(), 0.5)
    out, boxes = augment.row(IMAGE, BOXES, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(boxes, BOXES)
    changed = np.argwhere((out != IMAGE).any(-1))
    x, y, width, height = next(b for b in BOXES if (changed.min(0) == b[[1, 0]]).all())
    assert len(changed) == width * height
    np.testing.assert_array_equal(changed.max(0), (y + height - 1, x + width - 1))


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ((IMAGE,), "must be given an image and its boxes, got 1 columns"),
        (
            (IMAGE, BOXES[0]),
            r"boxes must be \(n, 4 or more\) of float32, got float32 of shape \(4,\)",
        ),
        ((IMAGE, BOXES[:, :3]), "boxes must be"),
        ((IMAGE, BOXES + 20), r"boxes must lie in the image of \(40, 60\)"),
        ((IMAGE, -BOXES), "boxes must lie in the image"),
    ],
)
def test_boxes_that_do_not_fit_are_refused(columns, text):
    with pytest.raises(RuntimeError, match=text):
        vision.ResizeWithBBox(5)(*columns)
