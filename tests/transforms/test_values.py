"""Numbers of single transforms that the real MindSpore 2.10 gave."""

from __future__ import annotations

import numpy as np
import pytest

from minispore.dataset import transforms, vision

DOT = np.pad(np.ones((1, 1), np.float32), 7)


@pytest.mark.parametrize(
    ("size", "sigma", "across", "down"),
    [
        ((1, 7), None, [0.7866, 0.0], [0.7866, 0.1065]),
        ((7, 3), None, [0.113, 0.0875], [0.113, 0.0875]),
        ((5, 7), 0, [0.1342, 0.0887], [0.1342, 0.0887]),
        ((1, 7), (0, 0), [0.288, 0.0], [0.288, 0.2232]),
        ((3, 7), [0, 0], [0.1504, 0.0688], [0.1504, 0.1165]),
    ],
)
def test_a_blur_without_a_sigma_takes_that_of_the_width(size, sigma, across, down):
    blurred = vision.GaussianBlur(size, sigma)(DOT)
    np.testing.assert_allclose(blurred[7, 7:9], across, atol=1e-4)
    np.testing.assert_allclose(blurred[7:9, 7], down, atol=1e-4)


def test_blurs_are_equal_only_if_they_blur_alike():
    one, two = vision.GaussianBlur((3, 7)), vision.GaussianBlur((3, 7), (0, 0))
    assert one != two and eval(repr(one), vars(vision)) == one == vision.GaussianBlur((3, 7), 0.0)
    assert eval(repr(two), vars(vision)) == two == vision.GaussianBlur((3, 7), [0, 0])


@pytest.mark.parametrize(
    ("turn", "corner"),
    [
        (vision.Rotate(45, fill_value=(1, 2, 3)), [3, 2, 1, 0, 3, 2]),
        (vision.Affine(45.0, (0, 0), 1.0, 0, fill_value=(1, 2, 3)), [1, 2, 3, 0, 1, 2]),
    ],
)
def test_channels_are_filled_with_the_values_and_a_0_in_turn(turn, corner):
    for channels in (1, 2, 3, 4, 6):
        image = np.full((9, 9, channels), 9, np.uint8)
        assert turn(image)[0, 0].tolist() == corner[:channels]


@pytest.mark.parametrize(("shades", "mean"), [([126, 127], 126), ([117, 118], 118), ([1, 1, 3], 2)])
def test_the_mean_gray_of_a_contrast_is_rounded_halves_to_even(shades, mean):
    image = np.repeat(np.uint8([shades]), 3).reshape(1, -1, 3)
    assert np.unique(vision.AdjustContrast(0)(image)).tolist() == [mean]


@pytest.mark.parametrize(("dtype", "opaque"), [("uint8", 255), ("uint16", 65535), ("float32", 1)])
def test_an_added_alpha_is_opaque(dtype, opaque):
    add = vision.ConvertColor(vision.ConvertMode.COLOR_RGB2RGBA)
    assert add(np.zeros((2, 2, 3), dtype))[..., 3].tolist() == [[opaque] * 2] * 2


REFUSED = [
    (vision.CenterCrop((9, 2)), (2, 2, 3), "must not exceed four times the image"),
    (vision.Erase(0, 0, 9, 1), (8, 8, 3), "height and width must not exceed the image"),
    (vision.Resize((2, 2), vision.Inter.AREA), (5, 5, 5), "at most four channels"),
    (vision.Resize((2, 2), vision.Inter.PILCUBIC), (5, 5, 1), "three channels for PILCUBIC"),
    (transforms.Unique(), (4,), "must have two axes or more"),
]


@pytest.mark.parametrize(("transform", "shape", "text"), REFUSED, ids=repr)
def test_what_a_kernel_can_not_do_is_refused(transform, shape, text):
    with pytest.raises(RuntimeError, match=text):
        transform(np.zeros(shape, np.uint8))


@pytest.mark.parametrize(
    "kind", [vision.AutoAugment, vision.RandAugment, vision.TrivialAugmentWide]
)
def test_policies_refuse_interpolations_of_pil_images(kind):
    with pytest.raises(RuntimeError, match="interpolation must be one for arrays"):
        kind(interpolation=vision.Inter.ANTIALIAS)


def test_a_negative_factor_is_refused():
    with pytest.raises(RuntimeError, match="rescale must not be negative"):
        vision.Rescale(-1.0, 0.0)


def test_antialias_is_refused_for_arrays_as_each_transform_does():
    image = np.zeros((8, 8, 3), np.uint8)
    boxes = np.array([[1, 1, 2, 2]], np.float32)
    inter = vision.Inter.ANTIALIAS
    points = [[0, 0], [7, 0], [7, 7], [0, 7]]
    for error, operation, row in (
        (TypeError, vision.Perspective(points, points, inter), (image,)),
        (TypeError, vision.RandomRotation(5, inter), (image,)),
        (ValueError, vision.RandomAffine(5, resample=inter), (image,)),
        (RuntimeError, vision.ResizedCrop(0, 0, 4, 4, 5, inter), (image,)),
        (RuntimeError, vision.ResizeWithBBox(5, inter), (image, boxes)),
    ):
        with pytest.raises(error, match="must not be ANTIALIAS"):
            operation(*row)


def test_a_call_takes_one_column_that_holds_something():
    operation = transforms.Fill(1)
    with pytest.raises(RuntimeError, match="must be given one column, got 2"):
        operation(np.zeros(2), np.zeros(2))
    with pytest.raises(RuntimeError, match="Input Tensor is not valid"):
        operation()
    with pytest.raises(RuntimeError, match=r"must not be empty, got \(0,\)"):
        operation(np.zeros(0))
    with pytest.raises(TypeError, match="must hold numbers or text, got object"):
        operation(np.array([None]))
    with pytest.raises(TypeError, match="must be given one column, got 2"):
        vision.ToPIL()(np.zeros(2), np.zeros(2))


def test_what_the_last_function_of_a_compose_gives_becomes_an_array():
    compose = transforms.Compose([lambda x: x.tolist()])
    assert isinstance(compose(np.array([1, 2])), np.ndarray)
    with pytest.raises(RuntimeError, match="a function must give a value, got None"):
        transforms.Compose([lambda x: None])(np.array([1]))


def test_types_of_python_are_those_of_numpy():
    assert transforms.TypeCast(float)(np.array([1], np.int8)).dtype == np.float64
    assert transforms.TypeCast(int)(np.array([1], np.int8)).dtype == np.int64
    with pytest.raises(TypeError, match="dtype must be a data type of minispore"):
        transforms.Mask(transforms.Relational.EQ, 1, np.uint8)


@pytest.mark.parametrize("words", [["a", "bb", "é"], [b"a", b"bb", "é".encode()]])
@pytest.mark.parametrize("constant", ["bb", b"bb"])
def test_text_and_bytes_compare_as_utf_8(words, constant):
    mask = transforms.Mask(transforms.Relational.GE, constant)
    assert mask(np.array(words)).tolist() == [False, True, True]


def test_a_fill_is_the_nearest_value_that_the_type_holds():
    image = np.ones((9, 9, 3), np.int8)
    assert vision.Pad((1, 0), 255)(image)[0, 0].tolist() == [127] * 3
    assert vision.PadToSize((9, 10), 0, 200)(image)[0, 9].tolist() == [127] * 3
    assert vision.Rotate(45, fill_value=255)(image)[0, 0].tolist() == [127] * 3
    assert vision.Erase(0, 0, 1, 1, 200)(image)[0, 0].tolist() == [127] * 3


def test_an_erased_value_is_rounded_to_an_even_half():
    image = np.zeros((1, 1, 3), np.uint8)
    assert vision.Erase(0, 0, 1, 1, (2.5, 3.5, 200.7))(image).tolist() == [[[2, 4, 201]]]


def test_gamma_of_a_negative_real_is_what_the_power_is():
    image = np.array([[-2, -0.5, 0.5]], np.float32)
    assert vision.AdjustGamma(2.0)(image).tolist() == [[1.0, 0.25, 0.25]]
    out = vision.AdjustGamma(0.5)(image)
    assert np.isnan(out[0, :2]).all()
    assert out[0, 2] == np.float32(0.5) ** np.float32(0.5)


def test_random_lighting_preserves_integers_outside_the_byte_range():
    image = np.array([[[-700, 100, 300]]], np.int16)
    np.testing.assert_array_equal(vision.RandomLighting(0.0)(image), image)


def test_a_turn_that_expands_makes_bytes_of_bools():
    image = np.array([[[True], [False]]])
    out = vision.Rotate(90, expand=True)(image)
    assert out.dtype == np.uint8
    assert out.tolist() == [[[0]], [[1]]]


def test_posterize_takes_the_bytes_of_int8():
    image = np.array([[-1, -100, 5]], np.int8)
    out = vision.Posterize(4)(image)
    assert out.dtype == np.uint8
    assert out.tolist() == [[240, 144, 0]]


def test_a_number_comes_out_as_an_array_without_axes():
    for out in (transforms.TypeCast(np.int8)(np.array(3)), transforms.Fill(2)(np.array(1.5))):
        assert isinstance(out, np.ndarray)
        assert out.shape == ()


def test_a_mix_is_called_with_images_and_labels():
    images, labels = np.zeros((2, 3, 3, 3), np.uint8), np.eye(2, dtype=np.float32)
    mixed, shares = vision.MixUp(2, 0.2, True)(images, labels)
    assert mixed.shape == images.shape
    np.testing.assert_allclose(shares.sum(1), [1, 1], atol=1e-6)


def test_a_cast_from_float64_to_float16_goes_by_way_of_float32():
    x = np.array([2049.0000001, 2049.01, 1 + 2**-11 + 2**-30])
    expected = np.array([2048, 2050, 1], np.float16)
    for cast in (transforms.TypeCast(np.float16), vision.ToType("float16")):
        np.testing.assert_array_equal(cast(x), expected)


def test_a_gray_image_is_normalised_as_its_one_channel_and_padded_by_another():
    gray = np.array([[3, 5]], np.uint8)
    pad = vision.NormalizePad([1.0], [2.0])
    assert pad(gray).tolist() == pad(gray[..., None]).tolist() == [[[1.0, 0.0], [2.0, 0.0]]]
    with pytest.raises(RuntimeError, match=r"\(C, H, W\)"):
        vision.NormalizePad([1.0], [2.0], is_hwc=False)(gray)


def test_brightness_of_wide_numbers_counts_in_float64_with_a_factor_of_float32():
    factor = float(np.float32(1.3))
    x = np.array([[0.1, 0.7, 1 / 3]])
    assert vision.AdjustBrightness(1.3)(x).tolist() == [[v * factor for v in x[0].tolist()]]
    whole = np.array([[35, 235, 215]], np.int32)  # 45.4999983, 305.4999888, 279.4999897
    assert vision.AdjustBrightness(1.3)(whole).tolist() == [[45, 305, 279]]
    assert vision.AdjustBrightness(1.3)(whole.astype(np.int16)).tolist() == [[46, 306, 280]]
