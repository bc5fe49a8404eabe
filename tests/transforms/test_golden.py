"""Every deterministic transform gives what the real MindSpore gives.

The arrays are made by tests/golden/make_transforms.py, and named by the expression that made them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from minispore.dataset import transforms, vision

pytestmark = pytest.mark.filterwarnings("ignore:Normalize. mean and std have one element")
FOLDER = Path(__file__).parent.parent / "golden" / "transforms"
NAMES = {"vision": vision, "transforms": transforms, "np": np}


def load(file: str) -> tuple[dict[str, np.ndarray], dict[str, list[np.ndarray]]]:
    """The inputs, and for each ``expression @ input`` the output columns."""
    options, output = {}, {}
    with np.load(FOLDER / file) as arrays:
        for name in arrays.files:
            if name.startswith("input/"):
                options[name.removeprefix("input/")] = arrays[name]
            else:
                output.setdefault(name.rsplit(" # ", 1)[0], []).append(arrays[name])
    return options, output


ARRAYS, MADE = load("arrays.npz")
_, MADE_BY_PILLOW = load("pillow.npz")


def assert_same(out, expected):
    """uint8 within one level, floats to their rounding, all else exactly."""
    columns = out if isinstance(out, tuple) else (out,)
    assert len(columns) == len(expected)
    for column, expected_output in zip(columns, expected):
        column = np.asarray(column)
        assert (column.shape, column.dtype) == (expected_output.shape, expected_output.dtype)
        if expected_output.dtype.kind == "f":
            tolerance = 2e-3 if expected_output.dtype == np.float16 else 1e-5
            scale = max(
                1.0,
                float(np.abs(expected_output).max(where=np.isfinite(expected_output), initial=0)),
            )
            np.testing.assert_allclose(
                column, expected_output, rtol=tolerance, atol=tolerance * scale
            )
        elif expected_output.dtype in (np.uint8, np.uint16):
            assert np.abs(column.astype(int) - expected_output.astype(int)).max(initial=0) <= 1
        else:
            np.testing.assert_array_equal(column, expected_output)


@pytest.mark.parametrize("case", MADE)
def test_arrays_are_those_of_mindspore(case):
    expression, name = case.split(" @ ")
    columns = [ARRAYS[part] for part in name.split(", ")]
    assert_same(eval(expression, NAMES)(*columns), MADE[case])


@pytest.mark.parametrize("case", MADE_BY_PILLOW)
def test_pil_images_are_those_of_mindspore(case):
    image = pytest.importorskip("PIL.Image")
    expression, name = case.split(" @ ")
    assert_same(eval(expression, NAMES)(image.fromarray(ARRAYS[name])), MADE_BY_PILLOW[case])


EXACT = ["Resize((26, 20), vision.Inter.LINEAR)", "Resize((7, 9), vision.Inter.AREA)", "PILCUBIC"]


@pytest.mark.parametrize("part", EXACT)
def test_resize_of_uint8_is_equal_bit_by_bit(part):
    cases = [case for case in MADE if part in case and case.endswith(("@ rgb", "@ gray"))]
    assert cases
    for case in cases:
        expression, name = case.split(" @ ")
        np.testing.assert_array_equal(eval(expression, NAMES)(ARRAYS[name]), MADE[case][0])
