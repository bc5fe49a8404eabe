"""Files of images become the pixels that MindSpore's OpenCV makes of them."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minispore.dataset import vision

Image = pytest.importorskip("PIL.Image")
PngImagePlugin = pytest.importorskip("PIL.PngImagePlugin")
GRAYSCALE, COLOR = vision.ImageReadMode.GRAYSCALE, vision.ImageReadMode.COLOR
PIXEL = np.array([[[188, 85, 78]]], np.uint8)  # whose gray is 115 within 0.0003


def written(path: Path, pixels: Any, mode: str | None = None, **how: Any) -> str:
    image = Image.fromarray(np.asarray(pixels))
    (image if mode is None else image.convert(mode)).save(path, **how)
    return str(path)


@pytest.mark.parametrize(("kind", "gray"), [("png", 114), ("bmp", 115), ("tiff", 115)])
def test_each_file_format_has_its_gray_conversion(tmp_path: Path, kind: str, gray: int) -> None:
    file = written(tmp_path / f"a.{kind}", PIXEL)
    assert vision.read_image(file, GRAYSCALE).tolist() == [[[gray]]]


def test_the_gray_of_a_jpeg_file_is_the_one_that_it_holds(tmp_path: Path) -> None:
    pixels = np.arange(192, dtype=np.uint8).reshape(8, 8, 3)
    file = written(tmp_path / "a.jpg", pixels)
    image = Image.open(file)
    image.draft("L", image.size)
    np.testing.assert_array_equal(vision.read_image(file, GRAYSCALE)[..., 0], np.array(image))


def test_the_gamma_of_a_png_file_bends_its_gray(tmp_path: Path) -> None:
    """0.2 of red in light that is mixed evenly: 255 (9797 / 2**15) ** 0.45455 = 147.2."""
    info = PngImagePlugin.PngInfo()
    info.add(b"gAMA", struct.pack(">I", 45455))
    file = written(tmp_path / "a.png", np.array([[[255, 0, 0], [9, 9, 9]]], np.uint8), pnginfo=info)
    assert vision.read_image(file, GRAYSCALE)[..., 0].tolist() == [[147, 9]]


def test_levels_of_16_bits_give_their_higher_bytes(tmp_path: Path) -> None:
    levels = np.array([[0x12FF, 0xFE01]], np.uint16)
    for kind in ("png", "tiff"):
        file = written(tmp_path / f"a.{kind}", levels)
        assert vision.read_image(file)[..., 0].tolist() == levels.tolist()
        assert vision.read_image(file, GRAYSCALE)[..., 0].tolist() == [[0x12, 0xFE]]
        assert vision.read_image(file, COLOR).tolist() == [[[0x12] * 3, [0xFE] * 3]]
        data = np.fromfile(file, np.uint8)
        assert vision.Decode()(data).tolist() == [[[0x12] * 3, [0xFE] * 3]]


def test_read_image_drops_the_alpha_channel(tmp_path: Path) -> None:
    file = written(tmp_path / "a.png", np.array([[[1, 2, 3, 4]]], np.uint8))
    assert vision.read_image(file).tolist() == [[[1, 2, 3]]]
    file = written(tmp_path / "b.png", np.array([[7]], np.uint8), "LA")
    assert vision.read_image(file).tolist() == [[[7, 7, 7]]]


def test_colours_of_a_tiff_file_are_weighted_by_its_alpha(tmp_path: Path) -> None:
    file = written(tmp_path / "a.tiff", np.array([[[100, 200, 50, 128]]], np.uint8))
    assert vision.read_image(file).tolist() == [[[50, 100, 25]]]
    assert vision.Decode()(np.fromfile(file, np.uint8)).tolist() == [[[50, 100, 25]]]


def test_black_and_white_are_0_and_255(tmp_path: Path) -> None:
    out = vision.read_image(written(tmp_path / "a.png", np.array([[True, False]])))
    assert out.dtype == np.uint8
    assert out.tolist() == [[[255], [0]]]


def test_inks_are_mixed_as_opencv_mixes_them(tmp_path: Path) -> None:
    image = Image.new("CMYK", (8, 8), (151, 126, 53, 30))
    image.save(tmp_path / "a.jpg", quality=100)
    inks = 255 - np.array(Image.open(tmp_path / "a.jpg"))[0, 0].astype(int)
    expected = [int(inks[3]) - ((255 - int(v)) * int(inks[3]) >> 8) for v in inks[:3]]
    assert vision.read_image(str(tmp_path / "a.jpg"), COLOR)[0, 0].tolist() == expected


UPRIGHT = {
    1: [[0, 1, 2], [3, 4, 5]],
    2: [[2, 1, 0], [5, 4, 3]],
    3: [[5, 4, 3], [2, 1, 0]],
    4: [[3, 4, 5], [0, 1, 2]],
    5: [[0, 3], [1, 4], [2, 5]],
    6: [[3, 0], [4, 1], [5, 2]],
    7: [[5, 2], [4, 1], [3, 0]],
    8: [[2, 5], [1, 4], [0, 3]],
}


@pytest.mark.parametrize("way", UPRIGHT)
def test_read_image_applies_the_exif_orientation(tmp_path: Path, way: int) -> None:
    facts = Image.Exif()
    facts[274] = way
    pixels = np.arange(6, dtype=np.uint8).reshape(2, 3)
    file = written(tmp_path / "a.png", pixels, exif=facts)
    assert vision.read_image(file, GRAYSCALE)[..., 0].tolist() == UPRIGHT[way]
    assert vision.read_image(file, COLOR)[..., 0].tolist() == UPRIGHT[way]
    assert vision.read_image(file)[..., 0].tolist() == pixels.tolist()  # as it is
    assert vision.Decode()(np.fromfile(file, np.uint8))[..., 0].tolist() == pixels.tolist()


def test_what_mindspore_does_not_read_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "a.gif", PIXEL)
    with pytest.raises(RuntimeError, match="Unsupported image type"):
        vision.read_image(file)
    file = written(tmp_path / "a.tiff", np.array([[1.5]], np.float32))
    assert vision.read_image(file).tolist() == [[[1.5]]]
    with pytest.raises(RuntimeError, match="8 or 16 bits"):
        vision.read_image(file, COLOR)
    with pytest.raises(RuntimeError, match="8 or 16 bits"):
        vision.Decode()(np.fromfile(file, np.uint8))
