"""Every transform of sound that draws nothing gives what the real MindSpore gives.

The arrays are made by tests/golden/make_audio.py, and named by the expression that made them.
"""

from __future__ import annotations

import numpy as np
import pytest

from minispore.dataset import audio
from tests.transforms.test_golden import load

GIVEN, MADE = load("audio.npz")
NAMES = {"audio": audio, "np": np}
# MindSpore's sums and recurrences are rounded at each step, also in half floats.
TOLERANCE = {np.float16: 0.03, np.float32: 3e-5, np.float64: 1e-5}


@pytest.mark.parametrize("case", MADE)
def test_sounds_are_those_of_mindspore(case):
    expression, _, name = case.partition(" @ ")
    out = eval(expression, NAMES)
    columns = out(GIVEN[name]) if name else out
    columns = columns if isinstance(columns, tuple) else (columns,)
    for column, expected in zip(columns, MADE[case], strict=True):
        assert (column.shape, column.dtype) == (expected.shape, expected.dtype)
        most = np.abs(expected).max(where=np.isfinite(expected), initial=1e-30)
        tolerance = TOLERANCE.get(expected.dtype.type, 0) * most
        np.testing.assert_allclose(column, expected, rtol=0, atol=tolerance)
