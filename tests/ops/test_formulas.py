"""Ops that are formulas in other ops."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from minispore import Tensor
from minispore.ops.support.derive import _Composite
from tests.ops.samples import SAMPLES, Sample, load

load()
FORMULAS = [s for found in SAMPLES.values() for s in found if isinstance(s.op, _Composite)]


@pytest.mark.parametrize("s", FORMULAS, ids=str)
@pytest.mark.parametrize("wrong", [[1.0, 2.0], None, 1, "a"], ids=repr)
def test_what_is_no_tensor_is_refused_by_its_name(s: Sample, wrong: Any) -> None:
    wanted = [
        (i, p.name)
        for i, p in enumerate(inspect.signature(s.op).parameters.values())
        if p.annotation == "Tensor"
    ]
    args = [Tensor(a) if isinstance(a, np.ndarray) else a for a in s.args]
    for i, name in wanted:
        if isinstance(args[i], Tensor):
            with pytest.raises(TypeError, match=rf"^{s.op.name}: {name} must be a Tensor, got"):
                s.op(*args[:i], wrong, *args[i + 1 :])
