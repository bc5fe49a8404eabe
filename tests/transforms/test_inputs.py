"""What vision transforms make of PIL images, and of several columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.dataset import vision
from minispore.dataset.vision.support.image import ImageTransform, RandomImageTransform

Image = pytest.importorskip("PIL.Image")
PIXELS = np.random.default_rng(5).integers(0, 256, (24, 30, 3), np.uint8)

# Those of which the real one gives an array of a PIL image.
MAKE_ARRAYS = {
    "AdjustSharpness", "Affine", "AutoAugment", "ConvertColor", "Crop", "CutOut", "Erase",
    "GaussianBlur", "HorizontalFlip", "PadToSize", "Posterize", "RandAugment",
    "RandomAdjustSharpness", "RandomAutoContrast", "RandomEqualize", "RandomInvert",
    "RandomPosterize", "RandomResize", "RandomSelectSubpolicy", "RandomSolarize", "ResizedCrop",
    "Rotate", "Solarize", "TrivialAugmentWide", "VerticalFlip",
}  # fmt: skip
PAIRS = (
    vision.RandomResizedCrop((8, 9)),
    vision.RandomCrop(10),
    vision.RandomHorizontalFlip(0.9),
    vision.RandomVerticalFlip(0.9),
    vision.RandomResize(10),
)


def test_transforms_make_arrays_of_pil_images_where_the_real_one_does() -> None:
    named = {
        name
        for name, output in vars(vision).items()
        if isinstance(output, type)
        and issubclass(output, ImageTransform | RandomImageTransform)
        and output.makes_arrays
        and not name.endswith("WithBBox")
    }
    assert named == MAKE_ARRAYS


@pytest.mark.parametrize(
    "transform",
    [vision.Rotate(30), vision.Affine(10.0, (0.1, 0.0), 1.1, 2.0), vision.AdjustSharpness(2.0)],
    ids=repr,
)
def test_such_a_pil_image_is_changed_as_an_array(transform: Any) -> None:
    output = transform(Image.fromarray(PIXELS))
    assert isinstance(output, np.ndarray)
    np.testing.assert_array_equal(output, transform(PIXELS))


@pytest.mark.parametrize(
    "transform",
    [vision.RandomRotation((30, 30)), vision.RandomHorizontalFlip(1.0), vision.RandomCrop(8)],
    ids=repr,
)
def test_random_transforms_of_a_pil_image_return_a_pil_image(transform: Any) -> None:
    assert isinstance(transform(Image.fromarray(PIXELS)), Image.Image)


@pytest.mark.parametrize("transform", PAIRS, ids=repr)
@pytest.mark.parametrize("batched", [False, True])
def test_several_images_of_a_row_go_through_the_same(transform: Any, batched: bool) -> None:
    shapes = [(20, 22, 3)] * 6 if batched else [(20 + i, 22, 3) for i in range(6)]
    rng = np.random.default_rng(1)
    rows = [(x, x.copy()) for x in (rng.integers(0, 256, s, np.uint8) for s in shapes)]
    data = ds.GeneratorDataset(rows, ["image", "mask"], shuffle=False)
    data = data.map(transform, ["image", "mask"])
    changed = False
    for (image, mask), (before, _) in zip(
        data.create_tuple_iterator(num_epochs=1, output_numpy=True), rows, strict=True
    ):
        np.testing.assert_array_equal(image, mask)
        changed |= image.shape != before.shape or bool((image != before).any())
    assert changed


@pytest.mark.parametrize("kind", ["int64", "uint32", "uint64"])
def test_to_tensor_refuses_what_pixels_never_are(kind: str) -> None:
    with pytest.raises(RuntimeError, match=f"ToTensor: image must not be {kind}"):
        vision.ToTensor()(PIXELS.astype(kind))
