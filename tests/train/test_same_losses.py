"""Under a seed a training has the losses that it has on the real MindSpore: weights begin with its
numbers, rows come in its order.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import minispore as ms
from tests.golden import loss_cases

GOLDEN = json.loads((Path(loss_cases.__file__).parent / "losses.json").read_text())


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
@pytest.mark.parametrize("case", loss_cases.CASES)
def test_losses_are_those_of_the_real_one(case: str, mode: int) -> None:
    np.testing.assert_allclose(loss_cases.losses(ms, case, mode), GOLDEN[case], rtol=1e-5)
