"""Encoded images, PIL images, and files. All but the first test need Pillow."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore.dataset import transforms, vision
from minispore.dataset.transforms.compose import fuse_operations

RNG = np.random.default_rng(0)
IMAGE = RNG.integers(0, 256, (20, 30, 3), dtype=np.uint8)


@pytest.fixture
def pillow():
    return pytest.importorskip("PIL.Image")


@pytest.fixture
def png(pillow):
    file = io.BytesIO()
    pillow.fromarray(IMAGE).save(file, "PNG")
    return np.frombuffer(file.getvalue(), np.uint8)


def test_without_pillow_decode_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match=r"Decode: needs Pillow.*minispore\[image\]"):
        vision.Decode()(np.zeros(8, np.uint8))


def test_decode_gives_an_rgb_array_or_a_pil_image(png, pillow):
    out = vision.Decode()(png)
    assert out.flags.writeable
    np.testing.assert_array_equal(out, IMAGE)
    np.testing.assert_array_equal(vision.Decode()(png.tobytes()), IMAGE)
    image = vision.Decode(to_pil=True)(png)
    assert isinstance(image, pillow.Image) and image.mode == "RGB"


def test_decode_makes_rgb_of_gray(pillow):
    file = io.BytesIO()
    pillow.fromarray(IMAGE[..., 0]).save(file, "PNG")
    np.testing.assert_array_equal(
        vision.Decode()(file.getvalue()), np.repeat(IMAGE[..., :1], 3, axis=2)
    )


@pytest.mark.parametrize("data", [IMAGE, "image.png", np.array(["a"]), 3])
def test_decode_refuses_what_is_not_encoded(data, pillow):
    with pytest.raises(
        TypeError, match="Decode: image must be encoded, bytes or a vector of uint8"
    ):
        vision.Decode()(data)


@given(data=st.binary(max_size=200))
def test_random_bytes_are_refused(data):
    pytest.importorskip("PIL.Image")
    with pytest.raises(RuntimeError, match="Decode: data must be an encoded image"):
        vision.Decode()(data)


@given(cut=st.integers(8, 1500), damage=st.lists(st.integers(0, 1500), max_size=5))
def test_a_damaged_image_is_an_image_or_a_clear_error(cut, damage):
    image = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    image.fromarray(IMAGE).save(file, "JPEG")
    data = bytearray(file.getvalue()[:cut])
    for at in damage:
        if at < len(data):
            data[at] ^= 0xA5
    try:
        assert vision.Decode()(bytes(data)).ndim == 3
    except RuntimeError as error:
        assert str(error).startswith("Decode: data must be an encoded image")


def test_random_crop_decode_resize_is_decode_and_then_random_resized_crop(png):
    both = vision.RandomCropDecodeResize((8, 9), (0.3, 0.5))
    crop = vision.RandomResizedCrop((8, 9), (0.3, 0.5))
    np.testing.assert_array_equal(
        both.transform_row(png, rng=np.random.default_rng(1)),
        crop.transform_row(IMAGE, rng=np.random.default_rng(1)),
    )


@pytest.mark.parametrize(
    "array", [IMAGE, IMAGE[..., 0], IMAGE[..., :1], np.zeros((4, 5), np.float32)]
)
def test_to_numpy_inverts_to_pil(array, pillow):
    image = vision.ToPIL()(array)
    assert isinstance(image, pillow.Image) and vision.is_pil(image)
    assert vision.ToPIL()(image) is image
    np.testing.assert_array_equal(vision.ToNumpy()(image).reshape(array.shape), array)


@pytest.mark.parametrize(
    ("array", "error"),
    [
        (np.zeros((2, 2, 5), np.uint8), ValueError),
        (np.zeros(4, np.uint8), ValueError),
        (np.zeros((2, 2, 3), np.float32), TypeError),
        (np.zeros((2, 2), np.complex64), TypeError),
        ([1], TypeError),
    ],
)
def test_to_pil_refuses_what_no_image_is(array, error, pillow):
    with pytest.raises(error, match="ToPIL: image"):
        vision.ToPIL()(array)


def test_a_pil_image_stays_one_until_it_becomes_a_tensor(pillow):
    image = pillow.fromarray(IMAGE)
    steps = [
        vision.RandomCrop(16, 2),
        vision.RandomHorizontalFlip(),
        vision.RandomColorAdjust(0.4, 0.4, 0.4, 0.1),
        vision.Resize((8, 9)),
        vision.RandomGrayscale(0.5),
    ]
    for step in steps:
        image = step(image)
        assert isinstance(image, pillow.Image), step
    assert isinstance(vision.Posterize(3)(image), np.ndarray)
    last = [vision.ToTensor(), vision.Normalize([0.5] * 3, [0.5] * 3, False)]
    (tensor,) = transforms.Compose(last)(image)
    assert (tensor.shape, tensor.dtype) == ((3, 8, 9), np.float32)


def test_a_fused_run_gives_pil_images_what_its_steps_give(pillow):
    steps = [
        vision.Resize((8, 9)),
        vision.ToTensor(),
        vision.Normalize([0.5] * 3, [0.25] * 3, False),
    ]
    image = pillow.fromarray(IMAGE)
    (one,) = fuse_operations(steps)
    (out,) = transforms.Compose(steps)(image)
    np.testing.assert_allclose(one.transform_row(image), out, atol=1e-6)


def test_random_transforms_draw_the_same_for_an_array_and_its_pil_image(pillow):
    for transform in (vision.RandomCrop(9), vision.RandomHorizontalFlip(), vision.RandomInvert()):
        for seed in range(8):
            a = transform.transform_row(IMAGE, rng=np.random.default_rng(seed))
            b = transform.transform_row(pillow.fromarray(IMAGE), rng=np.random.default_rng(seed))
            np.testing.assert_array_equal(a, np.asarray(b))


def test_images_are_written_and_read_back(tmp_path, pillow):
    path = str(tmp_path / "image.png")
    vision.write_png(path, IMAGE)
    np.testing.assert_array_equal(vision.read_image(path), IMAGE)
    mode = vision.ImageReadMode
    gray = vision.read_image(path, mode.GRAYSCALE)
    assert gray.shape == (20, 30, 1)
    vision.write_jpeg(path, IMAGE, 90)
    assert vision.read_image(path, mode.COLOR).shape == IMAGE.shape
    np.testing.assert_array_equal(vision.Decode()(vision.read_file(path)), vision.read_image(path))


def test_a_gray_file_has_one_channel(tmp_path, pillow):
    path = str(tmp_path / "image.png")
    vision.write_png(path, IMAGE[..., 0])
    np.testing.assert_array_equal(vision.read_image(path), IMAGE[..., :1])


def test_bytes_are_written_and_read_back(tmp_path):
    path = str(tmp_path / "bytes")
    vision.write_file(path, np.arange(5, dtype=np.uint8))
    assert vision.read_file(path).tolist() == [0, 1, 2, 3, 4]


def test_file_functions_name_a_missing_file(tmp_path):
    path = str(tmp_path / "no" / "image.png")
    for call in (vision.read_file, vision.read_image, lambda p: vision.write_file(p, IMAGE[0, 0])):
        with pytest.raises(RuntimeError, match=r"filename must be .*no.image.png"):
            call(path)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: vision.encode_jpeg(IMAGE, 0),
            RuntimeError,
            r"quality must be in \[1, 100\], got 0",
        ),
        (lambda: vision.encode_jpeg(IMAGE, 1.5), TypeError, "quality must be an int"),
        (lambda: vision.encode_png(IMAGE, 10), RuntimeError, "compression_level must be in"),
        (lambda: vision.encode_png([1]), TypeError, "image must be a NumPy array or a Tensor"),
        (lambda: vision.encode_png(IMAGE[..., :2]), RuntimeError, "image must be uint8"),
        (lambda: vision.encode_png(IMAGE.astype(float)), RuntimeError, "image must be uint8"),
        (lambda: vision.read_file(3), TypeError, "filename must be a str"),
        (lambda: vision.write_file("a", IMAGE), RuntimeError, "data must be a vector of uint8"),
        (lambda: vision.read_image("a", 1), TypeError, "mode must be a member of ImageReadMode"),
    ],
)
def test_image_functions_refuse_bad_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_size_and_channels_of_arrays_and_pil_images(pillow):
    stack = np.zeros((5, 20, 30, 4), np.uint8)
    for image, channels in [(IMAGE, 3), (IMAGE[..., 0], 1), (stack, 4)]:
        assert vision.get_image_size(image) == [20, 30]
        assert vision.get_image_num_channels(image) == channels
    assert vision.get_image_size(pillow.fromarray(IMAGE)) == [20, 30]
    assert vision.get_image_num_channels(pillow.fromarray(IMAGE)) == 3
    with pytest.raises(TypeError, match="get_image_size: image must be"):
        vision.get_image_size([1])
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        vision.get_image_num_channels(np.zeros(3))
