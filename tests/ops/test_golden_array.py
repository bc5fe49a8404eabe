"""Shapes, indexing, order and images: values and dtypes are those of the real MindSpore."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import minispore as ms
from minispore import numpy as mnp
from minispore import ops
from tests.golden.array_ops_cases import arrays, cases, namespace

NO_CPU_KERNEL = {  # of MindSpore, so there is nothing to compare with
    "D(lambda t: ops.strided_slice(t, (2, 3), (0, 0), (-1, -2)) * 2)(a)",
    "mnp.prod(v)",
    "w.searchsorted(v)",
}
FILE = Path(__file__).resolve().parents[1] / "golden" / "array_ops.npz"


@pytest.fixture(scope="module")
def golden() -> dict[str, list[np.ndarray]]:
    options: dict[str, list[np.ndarray]] = {}
    with np.load(FILE) as data:
        for key in data.files:
            case, _, number = key.rpartition("|")
            options.setdefault(case, []).append(data[key])
            assert len(options[case]) == int(number) + 1
    return options


@pytest.mark.parametrize("case", [c for c in cases() if c not in NO_CPU_KERNEL])
def test_values_and_dtypes_are_mindspores(case: str, golden: dict[str, list[np.ndarray]]) -> None:
    found = arrays(eval(case, namespace(ms, ops, ops, mnp)))
    assert len(found) == len(golden[case])
    for a, b in zip(found, golden[case], strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if a.dtype.kind == "f":
            np.testing.assert_allclose(a, b, rtol=3e-6, atol=3e-6)
        else:
            np.testing.assert_array_equal(a, b)
