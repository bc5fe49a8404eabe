"""What is worked on some rows at a time gives what it gives at once."""

from __future__ import annotations

import numpy as np
import pytest

from minispore.dataset import vision
from minispore.dataset.vision import smooth
from minispore.dataset.vision.enums import Inter
from minispore.dataset.vision.support import warp
from minispore.dataset.vision.support.image import ImageTransform

CORNERS = [[0, 0], [12, 0], [12, 9], [0, 9]], [[2, 1], [10, 2], [12, 9], [1, 7]]
WARPS = [
    make(inter)
    for inter in (Inter.NEAREST, Inter.LINEAR, Inter.CUBIC)
    for make in (
        lambda inter: vision.Rotate(30, inter, fill_value=7),
        lambda inter: vision.Affine(10, [0.1, 0.2], 1.2, 5.0, inter, 7),
        lambda inter: vision.Perspective(*CORNERS, inter),
    )
]


def images(kind: str, channels: int) -> np.ndarray:
    samples = np.random.default_rng(3).integers(0, 120, (2, 10, 13, channels))
    return samples.astype(kind) > 60 if kind == "?" else samples.astype(kind)


@pytest.mark.parametrize("kind", ["u1", "?", "i2", "f4"])
@pytest.mark.parametrize("channels", [1, 2, 3])
@pytest.mark.parametrize("transform", WARPS, ids=repr)
def test_a_warp_does_not_depend_on_how_many_rows_it_does_at_a_time(
    transform: ImageTransform, kind: str, channels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = transform.transform_pixels(images(kind, channels))
    for pixels in (1, 13, 40):
        monkeypatch.setattr(warp, "BAND_PIXELS", pixels)
        np.testing.assert_array_equal(transform.transform_pixels(images(kind, channels)), at_once)


@pytest.mark.parametrize("kernel", [1, 3, (5, 1), (1, 9), (25, 23)])
@pytest.mark.parametrize("channels", [1, 3])
def test_a_blur_does_not_depend_on_how_many_rows_it_does_at_a_time(
    kernel: int | tuple[int, int], channels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    blur = vision.GaussianBlur(kernel)
    at_once = blur.transform_pixels(images("u1", channels))
    for elements in (1, 40, 100):
        monkeypatch.setattr(smooth, "BAND_ELEMENTS", elements)
        np.testing.assert_array_equal(blur.transform_pixels(images("u1", channels)), at_once)


def test_a_blur_of_bytes_is_that_of_numbers_up_to_the_rounding_of_its_weights() -> None:
    bytes_, numbers = images("u1", 3), images("f8", 3)
    blur = vision.GaussianBlur(5, 1.5)
    assert np.abs(blur.transform_pixels(bytes_) - blur.transform_pixels(numbers)).max() <= 1.5


def test_auto_contrast_rounds_as_the_real_one():
    """In float32, where 41 * (255 / 41) is less than 255."""
    assert vision.AutoContrast()(np.arange(42, dtype=np.uint8)[None])[0, -1] == 254
    levels = vision.AutoContrast()(np.arange(3, 70, dtype=np.uint8)[None])[0]
    assert levels[[22, 44, 66]].tolist() == [84, 169, 255]
