"""The paths and spellings of MindSpore 1.x and 2.x lead to the same transforms."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from minispore.dataset import audio, transforms, vision
from minispore.foundation.alias_table import read_alias_table

DOORS = {
    "audio.transforms": audio,
    "audio.utils": audio,
    "vision.c_transforms": vision,
    "vision.py_transforms": vision,
    "vision.transforms": vision,
    "vision.utils": vision,
    "vision.py_transforms_util": vision,
    "transforms.c_transforms": transforms,
    "transforms.py_transforms": transforms,
    "transforms.transforms": transforms,
}
RENAMED = {
    "audio.transforms": {"TensorOperation"},
    "vision.c_transforms": {"Decode", "RgbToBgr"},
    "vision.py_transforms": {"CutOut", "Decode", "Normalize", "NormalizePad", "RgbToBgr", "ToType"},
    "vision.py_transforms_util": {
        "augment_error_message",
        "hsv_to_rgbs",
        "hwc_to_chw",
        "rgb_to_hsvs",
    },
    "vision.transforms": {"PyTensorOperation", "TensorOperation"},
    "transforms.py_transforms": {"OneHotOp"},
}


def door(path):
    return importlib.import_module(f"minispore.dataset.{path}")


@pytest.mark.parametrize("path", DOORS)
def test_a_door_names_what_its_room_holds(path):
    entry = read_alias_table()[f"minispore.dataset.{path}"]
    for name in {n.name for n in entry.names} - RENAMED.get(path, set()):
        assert getattr(door(path), name) is getattr(DOORS[path], name)


def test_c_transforms_decode_takes_rgb():
    c = door("vision.c_transforms")
    assert c.Decode() == c.Decode(True) == c.Decode(rgb=True) == vision.Decode(to_pil=False)
    with pytest.raises(ValueError, match="Decode: rgb must be True"):
        c.Decode(rgb=False)


def test_c_transforms_swap_red_and_blue_of_hwc():
    image = np.array([[[1, 2, 3]]], np.uint8)
    assert door("vision.c_transforms").RgbToBgr()(image).tolist() == [[[3, 2, 1]]]


def test_py_transforms_decode_to_pil_images():
    assert door("vision.py_transforms").Decode() == vision.Decode(to_pil=True)


def test_py_transforms_take_channels_first():
    py = door("vision.py_transforms")
    assert py.Normalize([0.5], [0.25]) == vision.Normalize([0.5], [0.25], is_hwc=False)
    assert py.CutOut(3, num_patches=2) == vision.CutOut(3, 2, is_hwc=False)
    pad = vision.NormalizePad([0.5], [0.25], "float16", is_hwc=False)
    assert py.NormalizePad([0.5], [0.25], dtype="float16") == pad
    image = np.arange(6, dtype=np.uint8).reshape(3, 1, 2)
    np.testing.assert_array_equal(py.RgbToBgr()(image), image[::-1])


def test_py_transforms_call_the_type_output_type():
    assert door("vision.py_transforms").ToType(output_type=np.float16) == vision.ToType(np.float16)


def test_one_hot_op_takes_labels_of_any_shape_and_gives_float64():
    out = door("transforms.py_transforms").OneHotOp(3, 0.3)(np.array([[0, 2], [1, 1]]))
    assert (out.shape, out.dtype) == ((2, 2, 3), np.float64)
    np.testing.assert_allclose(out[0, 1], [0.1, 0.1, 0.8])


def test_a_users_operation_may_derive_from_the_old_bases():
    class Double(door("transforms.py_transforms").PyTensorOperation):
        def __init__(self, bias):
            super().__init__()
            self.bias = bias

        def __call__(self, x):
            return 2 * x + self.bias

    class Triple(door("vision.transforms").PyTensorOperation):
        def _execute_py(self, x):
            return 3 * x

    assert transforms.Compose([Double(1), Triple()])(np.array([1])).tolist() == [9]
