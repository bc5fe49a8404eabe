"""Resize, and the pass that it shares with the transforms after it."""

from __future__ import annotations

import numpy as np
import pytest

from minispore.dataset import vision
from minispore.dataset.transforms.compose import fuse_operations
from minispore.dataset.vision import Inter


def test_linear_uint8_rounds_as_opencv_does():
    gray = np.array([[0, 100], [100, 200]], np.uint8)
    assert vision.Resize((4, 2))(gray).tolist() == [[0, 100], [25, 125], [75, 175], [100, 200]]


def test_an_int_is_the_length_of_the_shorter_side():
    assert vision.Resize(4)(np.zeros((8, 6, 3), np.uint8)).shape == (5, 4, 3)
    assert vision.Resize(4)(np.zeros((6, 8, 3), np.uint8)).shape == (4, 5, 3)


def test_a_block_is_what_its_rows_are():
    images = np.random.default_rng(0).integers(0, 256, (70, 28, 28, 1), dtype=np.uint8)
    for inter in (Inter.NEAREST, Inter.LINEAR, Inter.CUBIC, Inter.AREA):
        resize = vision.Resize((32, 30), inter)
        np.testing.assert_array_equal(
            resize.transform_batch(images), [resize(image) for image in images]
        )


def test_the_lenet_chain_becomes_one_pass_with_the_values_of_its_steps():
    steps = [
        vision.Resize((32, 32)),
        vision.Rescale(1 / 255, 0.0),
        vision.Rescale(1 / 0.3081, -0.1307 / 0.3081),
        vision.HWC2CHW(),
    ]
    images = np.random.default_rng(0).integers(0, 256, (40, 28, 28, 1), dtype=np.uint8)
    (one,) = fuse_operations(steps)
    expected = images
    for step in steps:
        expected = step.transform_batch(expected)
    np.testing.assert_allclose(one.transform_batch(images), expected, atol=1e-6)


def test_a_large_block_in_parts_is_what_its_rows_are():
    images = np.random.default_rng(0).integers(0, 256, (5, 500, 600, 3), dtype=np.uint8)
    for transform in (vision.GaussianBlur(3), vision.Resize((70, 50)), vision.VerticalFlip()):
        np.testing.assert_array_equal(
            transform.transform_batch(images)[3:], transform.transform_batch(images[3:])
        )


def test_a_fused_run_is_called_by_its_steps_and_fails_by_the_one_that_is_wrong():
    (one,) = fuse_operations([vision.Rescale(1.0, 0.0), vision.Normalize([1.0, 2.0], [1.0, 2.0])])
    assert one.name == "Rescale+Normalize"
    with pytest.raises(RuntimeError, match=r"^Normalize: image must have as many channels"):
        one.transform_batch(np.zeros((2, 4, 4, 3), np.uint8))


def test_images_of_one_pixel_and_to_one_pixel():
    for inter in (Inter.NEAREST, Inter.LINEAR, Inter.CUBIC, Inter.AREA, Inter.PILCUBIC):
        one = np.full((1, 1, 3), 7, np.uint8)
        np.testing.assert_array_equal(vision.Resize((3, 4), inter)(one), np.full((3, 4, 3), 7))
        many = np.full((5, 6, 3), 9, np.uint8)
        assert vision.Resize((1, 1), inter)(many).tolist() == [[[9, 9, 9]]]


@pytest.mark.parametrize(
    ("size", "error"),
    [(0, ValueError), ((3, 0), ValueError), ((1, 2, 3), TypeError), ((1.5, 2), TypeError)],
)
def test_a_bad_size_is_refused_by_name(size, error):
    with pytest.raises(error, match="Resize: size"):
        vision.Resize(size)
