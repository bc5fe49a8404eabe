"""PIL images of palettes, alpha channels and other modes stay what they are, as in MindSpore."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minispore.dataset import transforms, vision

Image = pytest.importorskip("PIL.Image")
PIXELS = np.arange(6, dtype=np.uint8).reshape(2, 3)
LEFT_RIGHT = [[2, 1, 0], [5, 4, 3]]


def palette_image() -> Any:
    image = Image.fromarray(PIXELS)
    image.putpalette([255 - i for i in range(18)])
    return image


def image_of(mode: str) -> Any:
    bands = len(Image.new(mode, (1, 1)).getbands())
    data = np.arange(6 * bands, dtype=np.uint8)
    return Image.frombytes(mode, (3, 2), data.tobytes())


@pytest.mark.parametrize(
    ("transform", "pixels"),
    [
        (vision.RandomHorizontalFlip(1.0), LEFT_RIGHT),
        (vision.RandomVerticalFlip(1.0), [[3, 4, 5], [0, 1, 2]]),
        (vision.RandomCrop((2, 3)), PIXELS.tolist()),
        (vision.Pad((1, 0), padding_mode=vision.Border.EDGE), [[0, 0, 1, 2, 2], [3, 3, 4, 5, 5]]),
        (vision.AdjustGamma(1.0), PIXELS.tolist()),
        (vision.FiveCrop((2, 3)), PIXELS.tolist()),
    ],
    ids=repr,
)
def test_a_palette_stays(transform: Any, pixels: list) -> None:
    image = palette_image()
    out = transform(image)
    out = out[0] if isinstance(out, tuple) else out
    assert out.mode == "P"
    assert np.array(out).tolist() == pixels
    assert out.getpalette()[:18] == image.getpalette()[:18]


@pytest.mark.parametrize("mode", ["LA", "RGBA", "CMYK", "HSV", "YCbCr"])
@pytest.mark.parametrize(
    "transform", [vision.RandomHorizontalFlip(1.0), vision.RandomCrop((2, 3))], ids=repr
)
def test_a_mode_stays(mode: str, transform: Any) -> None:
    image = image_of(mode)
    turned = (
        np.array(image)[:, ::-1] if isinstance(transform, vision.RandomHorizontalFlip) else image
    )
    out = transform(image)
    assert out.mode == mode
    np.testing.assert_array_equal(np.array(out), np.array(turned))


def test_a_border_of_an_image_with_alpha_is_opaque() -> None:
    out = vision.Pad((1, 0), fill_value=(7, 8, 9))(image_of("RGBA"))
    assert np.array(out)[0, 0].tolist() == [7, 8, 9, 255]


def test_gamma_leaves_an_image_with_alpha() -> None:
    image = image_of("RGBA")
    np.testing.assert_array_equal(np.array(vision.AdjustGamma(3.0)(image)), np.array(image))


def test_gray_of_a_palette_has_three_channels() -> None:
    out = vision.RandomGrayscale(1.0)(palette_image())
    assert out.mode == "RGB"
    first = np.array(palette_image().convert("L"))
    np.testing.assert_array_equal(np.array(out), np.stack([first] * 3, -1))


def test_a_turn_by_eighths_falls_between_two_pixels_as_mindspore_s() -> None:
    """The coefficients are summed up in its order: another one reads other pixels at the ties."""
    image = Image.fromarray(np.arange(8, dtype=np.uint8).reshape(2, 4))
    out = vision.RandomAffine((45, 45), scale=(1.0, 1.0), fill_value=99)(image)
    linear = [0.7071067811865476, 0.7071067811865475, -0.32842712474618985]
    other = [-0.7071067811865475, 0.7071067811865476, 2.207106781186547]
    expected = image.transform((4, 2), Image.Transform.AFFINE, linear + other, fillcolor=99)
    np.testing.assert_array_equal(np.array(out), np.array(expected))


def test_a_black_and_white_image_has_255() -> None:
    """Its bytes are 0 and 255, which MindSpore's kernels read; ToTensor sees 1."""
    image = Image.fromarray(np.array([[True, False]]))
    assert vision.Rescale(0.5, 1.0)(image).tolist() == [[128.5, 1.0]]
    assert vision.Normalize([55.0], [2.0])(image).tolist() == [[100.0, -27.5]]
    np.testing.assert_array_equal(vision.ToTensor()(image), np.array([[[1 / 255, 0]]], np.float32))


def identity(value: Any) -> Any:
    return value


@pytest.mark.parametrize(
    "steps",
    [
        [vision.ToPIL()],
        [vision.ToPIL(), vision.ToTensor()],
        [vision.ToPIL(), vision.Resize((1, 1))],
        [transforms.RandomOrder([vision.HorizontalFlip()])],
        [transforms.RandomApply([vision.ToPIL()], 1.0)],
        [transforms.RandomChoice([vision.ToPIL()])],
        [vision.UniformAugment([vision.ToPIL(), vision.ToPIL()])],
        [vision.ToPIL(), vision.Resize((1, 1), vision.Inter.ANTIALIAS)],
    ],
    ids=repr,
)
def test_a_compose_that_calls_python_gives_a_tuple(steps: list) -> None:
    out = transforms.Compose(steps)(np.zeros((2, 3, 3), np.uint8))
    assert isinstance(out, tuple)
    assert len(out) == 1


@pytest.mark.parametrize(
    "steps", [[vision.Resize((1, 1))], [identity], [vision.ToTensor()], [vision.HorizontalFlip()]]
)
def test_a_compose_gives_a_tuple_of_a_pil_image_and_an_array_of_an_array(steps: list) -> None:
    compose, image = transforms.Compose(steps), np.zeros((2, 3, 3), np.uint8)
    assert isinstance(compose(image), np.ndarray)
    assert isinstance(compose(Image.fromarray(image)), tuple)


def test_what_functions_of_a_compose_of_arrays_give_are_arrays() -> None:
    compose = transforms.Compose([Image.fromarray, vision.Resize((1, 1)), Image.fromarray])
    out = compose(np.full((2, 3, 3), 7, np.uint8))
    assert isinstance(out, np.ndarray)
    assert out.tolist() == [[[7, 7, 7]]]


def test_transforms_of_arrays_take_a_pil_image() -> None:
    image = Image.fromarray(PIXELS)
    first, second = transforms.Duplicate()(image)
    assert first.tolist() == second.tolist() == PIXELS.tolist()


def test_a_compose_without_a_row_is_refused() -> None:
    with pytest.raises(RuntimeError, match="Input Tensor is not valid"):
        transforms.Compose([identity])()
    with pytest.raises(TypeError, match="called without an image"):
        transforms.Compose([vision.ToPIL()])()
