"""What each transform of images makes of each kind of input, or that it refuses it as MindSpore.

The table is made by tests/golden/make_image_inputs.py. Where ours takes more, docs/compat.md says
so, and ``takes_more`` which.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from minispore.dataset import vision
from tests.golden.make_image_inputs import FILE, TRANSFORMS, TYPES, describe_result, inputs

Image = pytest.importorskip("PIL.Image")
pytestmark = pytest.mark.filterwarnings("ignore:Normalize. mean and std have one element")
WANTED: dict[str, dict[str, str]] = json.loads(FILE.read_text())
# Random ones whose result's dtype, or whether they do anything, depends on what is drawn.
BY_CHANCE = ("AutoAugment", "RandAugment", "TrivialAugmentWide", "UniformAugment")
OF_PIL_ALONE = ("FiveCrop", "Grayscale", "RandomGrayscale", "RandomPerspective", "TenCrop")
ONE_BY_ONE = {
    ("RandomRotation((20, 20))", "pil L"),  # MindSpore: Pillow wants one number to fill with
    ("RandomResize((5, 6))", "hw5"),  # which AREA refuses, if it is drawn
    ("Decode(True)", "object"),
    ("HsvToRgb(True)", "empty"),
    ("RgbToHsv(True)", "empty"),
    ("ToNumpy()", "None"),
    ("RandomEqualize(1.0)", "bool"),
    ("Posterize(3)", "int8"),
    ("Posterize(8)", "int8"),
    ("RandomPosterize((3, 3))", "int8"),
    ("RandomColor((0.5, 0.5))", "bool"),
}


def takes_more(expression: str, kind: str, expected: str) -> bool:
    """Whether ours is known to take what MindSpore refuses, or the other way round."""
    name = expression.split("(")[0]
    if name in OF_PIL_ALONE and not kind.startswith("pil"):
        return True
    if "PILCUBIC" in expression and kind in (*TYPES, "unit"):  # MindSpore reads their bytes
        return True
    numbers = kind in (*TYPES, "unit", "unit chw") or kind in ("stack", "deep")
    return (expected == "RuntimeError" and numbers) or (expression, kind) in ONE_BY_ONE


def outcome(operation: Any, row: tuple[Any, ...]) -> list[str]:
    """What comes out, or the names of the error's types."""
    try:
        return [describe_result(operation(*row))]
    except Exception as error:
        return [kind.__name__ for kind in type(error).__mro__]


def test_the_table_has_all_transforms() -> None:
    assert list(WANTED) == TRANSFORMS


@pytest.mark.parametrize("expression", TRANSFORMS)
def test_each_kind_of_input_is_accepted_or_refused_as_in_mindspore(expression: str) -> None:
    operation = eval("vision." + expression, {"vision": vision})
    wrong = {}
    for kind, row in inputs(Image).items():
        expected, got = WANTED[expression][kind], outcome(operation, row)
        is_random = expression.startswith(BY_CHANCE) and expected != "RuntimeError"
        if expected not in got and not is_random and not takes_more(expression, kind, expected):
            wrong[kind] = (expected, got[0])
    assert wrong == {}


@pytest.mark.parametrize(("padding", "whole"), [(None, (4, 5)), (1, (6, 7))])
def test_a_pil_image_smaller_than_the_crop_is_a_wrong_value(padding, whole):
    image = Image.fromarray(np.zeros((4, 5, 3), np.uint8))
    words = re.escape(f"Crop size (9, 9) is larger than input image size {whole}.")
    with pytest.raises(ValueError, match=words):
        vision.RandomCrop(9, padding)(image)
    with pytest.raises(RuntimeError, match="RandomCrop: size must not exceed the image"):
        vision.RandomCrop(9, padding)(np.asarray(image))
