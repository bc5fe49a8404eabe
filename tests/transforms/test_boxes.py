"""Bounding boxes go where their image goes."""

from __future__ import annotations

import numpy as np
import pytest

from minispore.dataset import vision
from minispore.dataset.vision.boxes import crop_boxes

IMAGE = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
BOXES = np.array([[5, 6, 10, 12], [30, 20, 25, 18]], np.float32)


def test_a_piece_cuts_boxes_and_leaves_out_those_that_it_misses():
    assert crop_boxes(BOXES, 10, 8, 20, 20).tolist() == [[0, 0, 7, 8]]


def test_a_box_that_only_touches_the_piece_is_left_out():
    assert crop_boxes(BOXES, 0, 15, 20, 15).tolist() == [[0, 0, 0, 0]]


def test_a_piece_without_boxes_has_one_of_zeros():
    assert crop_boxes(BOXES, 0, 40, 5, 5).tolist() == [[0, 0, 0, 0]]


def test_extra_box_columns_are_preserved_by_a_flip():
    labelled = np.concatenate([BOXES, [[7], [8]]], axis=1).astype(np.float32)
    _, boxes = vision.RandomHorizontalFlipWithBBox(1.0)(IMAGE, labelled)
    assert boxes.tolist() == [[45, 6, 10, 12, 7], [5, 20, 25, 18, 8]]


def test_what_is_in_a_box_of_a_cropped_image_was_in_it_before():
    crop = vision.RandomCropWithBBox((30, 40), (2, 3))
    (image, boxes), plain = (
        t.transform_row(*columns, rng=np.random.default_rng(4))
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


def test_bounding_box_augment_changes_each_box_with_its_probability_and_nothing_else():
    places = [np.s_[y : y + h, x : x + w] for x, y, w, h in BOXES.astype(int)]
    augment = vision.BoundingBoxAugment(vision.Invert(), 0.3)
    seen = []
    for seed in range(300):
        out, boxes = augment.transform_row(IMAGE, BOXES, rng=np.random.default_rng(seed))
        np.testing.assert_array_equal(boxes, BOXES)
        seen.append([bool((out[place] != IMAGE[place]).any()) for place in places])
        for place, changed in zip(places, seen[-1], strict=True):
            out[place] = 255 - out[place] if changed else out[place]
        np.testing.assert_array_equal(out, IMAGE)
    assert {tuple(row) for row in seen} == {
        (False, False),
        (False, True),
        (True, False),
        (True, True),
    }
    assert 0.2 < np.mean(seen) < 0.4


def test_boxes_that_overlap_are_augmented_in_their_order():
    image, boxes = IMAGE[:8, :9], np.array([[0, 0, 6, 6], [2, 2, 6, 6], [4, 1, 3, 7]], np.float32)
    expected = image.copy()
    for x, y, width, height in boxes.astype(int):
        expected[y : y + height, x : x + width] = expected[y : y + height, x : x + width][
            :, ::-1
        ].copy()
    out, _ = vision.BoundingBoxAugment(vision.HorizontalFlip(), 1.0)(image, boxes)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("interpolation", [vision.Inter.LINEAR, vision.Inter.AREA])
def test_a_gray_image_is_resized_with_its_boxes_as_without(interpolation):
    image, boxes = IMAGE[:8, :9, 0], np.array([[0, 0, 6, 6]], np.float32)
    out, _ = vision.ResizeWithBBox((5, 4), interpolation)(image, boxes)
    np.testing.assert_array_equal(out, vision.Resize((5, 4), interpolation)(image))


@pytest.mark.parametrize(
    "transform",
    [
        vision.BoundingBoxAugment(vision.HorizontalFlip(), 1.0),
        vision.BoundingBoxAugment(vision.HorizontalFlip(), 0.0),
        vision.RandomCropWithBBox((40, 60)),
        vision.RandomHorizontalFlipWithBBox(0.0),
        vision.RandomVerticalFlipWithBBox(1.0),
        vision.ResizeWithBBox((5, 4), vision.Inter.AREA),
        vision.ResizeWithBBox((5, 4)),
    ],
    ids=repr,
)
def test_a_pil_image_with_boxes_gives_the_array_that_its_array_gives(transform):
    pillow = pytest.importorskip("PIL.Image")
    for image in (IMAGE, IMAGE[..., 0]):
        out, boxes = transform(pillow.fromarray(image), BOXES)
        expected_image, expected_boxes = transform(image, BOXES)
        assert isinstance(out, np.ndarray) and out.flags.writeable
        np.testing.assert_array_equal(out, expected_image)
        np.testing.assert_array_equal(boxes, expected_boxes)


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
