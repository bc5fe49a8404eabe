"""What is no image is refused, also by transforms that would leave it as it is; and what else
transforms say of arguments that they can't take.
"""

from __future__ import annotations

import numpy as np
import pytest

from minispore.dataset import transforms, vision

WORDS, LINE = np.full((4, 4, 3), "0.5"), np.zeros(8, np.float32)
BY_CHANCE = [
    vision.RandomHorizontalFlip(0.0),
    vision.RandomVerticalFlip(0.0),
    vision.RandomInvert(0.0),
    vision.RandomEqualize(0.0),
    vision.RandomAutoContrast(prob=0.0),
    vision.RandomAdjustSharpness(2.0, 0.0),
]
SIX = np.zeros((8, 8, 6), np.uint8)
CORNERS = [[0, 0], [7, 0], [7, 7], [0, 7]]
CUBIC = [
    vision.Rotate(10, vision.Inter.CUBIC),
    vision.RandomRotation(10, vision.Inter.CUBIC),
    vision.Affine(10.0, (0, 0), 1.0, 0.0, vision.Inter.CUBIC),
    vision.RandomAffine(10.0, resample=vision.Inter.CUBIC),
    vision.Perspective(CORNERS, CORNERS, vision.Inter.CUBIC),
]


@pytest.mark.parametrize("transform", BY_CHANCE, ids=lambda t: t.name)
def test_what_is_no_image_is_refused_though_nothing_would_be_done_to_it(transform):
    with pytest.raises(RuntimeError, match="must hold numbers, got <U3"):
        transform(WORDS)
    with pytest.raises(RuntimeError, match=r"must have the shape .* got \(8,\)"):
        transform(LINE)


def test_a_crop_of_a_line_is_refused():
    with pytest.raises(RuntimeError, match=r"must have the shape .* got \(8,\)"):
        vision.RandomCrop(2)(LINE)


@pytest.mark.parametrize("transform", CUBIC, ids=lambda t: t.name)
def test_more_than_four_channels_are_not_interpolated_by_cubes(transform):
    with pytest.raises(RuntimeError, match="must not be CUBIC for an image of 6 channels"):
        transform(SIX)
    assert transform(SIX[..., :4]).shape == (8, 8, 4)


def test_labels_to_mix_are_numbers():
    images, labels = np.zeros((2, 8, 8, 1), np.uint8), np.array([["a"], ["b"]])
    for mix in (vision.CutMixBatch(vision.ImageBatchFormat.NHWC), vision.MixUpBatch()):
        with pytest.raises(RuntimeError, match="labels must be numbers, got <U1"):
            mix(images, labels)


def test_the_centre_of_a_turn_is_a_pair_and_a_slice_names_an_index():
    for turn in (vision.Rotate, vision.RandomRotation):
        with pytest.raises(ValueError, match=r"center must be a tuple \(x, y\), got \(0, 0, 0\)"):
            turn(10, center=(0, 0, 0))
    with pytest.raises(RuntimeError, match=r"slices\[0\] must name an index, got \[\]"):
        transforms.Slice([])


def test_a_transform_subclass_may_set_attributes_before_and_after_init():
    class Flip(vision.RandomHorizontalFlip):
        def __init__(self, prob):
            self.prob = prob
            super().__init__(prob)
            self.calls = 0

    flip = Flip(0.5)
    flip.calls += 1
    assert (flip.prob, flip.calls) == (0.5, 1)
    with pytest.raises(AttributeError, match="can't be changed"):
        flip.prob = 0.25
