"""Which dtype a function gives for each dtype, and the values: those of the real MindSpore."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import numpy as mnp
from tests.golden.dtype_cases import CASES, namespace, outcome

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@pytest.fixture(scope="module")
def golden() -> dict[str, dict[str, Any]]:
    return json.loads((GOLDEN / "dtypes.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def different() -> dict[str, list[str]]:
    """The dtypes for which a case is known to give something else: see docs/compat.md."""
    lines = (GOLDEN / "dtype_differences.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.partition(" | ") for line in lines if not line.startswith("#")]
    return {case: dtypes.split() for case, _, dtypes in rows}


@pytest.mark.parametrize("case", CASES)
def test_dtypes_and_values_are_mindspores(
    case: str, golden: dict[str, dict[str, Any]], different: dict[str, list[str]]
) -> None:
    others = [d for d, expected in golden.get(case, {}).items() if not _gives(case, d, expected)]
    assert others == different.get(case, [])


def _gives(case: str, dtype: str, expected: Any) -> bool:
    try:
        with np.errstate(all="ignore"):
            actual = outcome(case, namespace(ms, mnp, dtype))
    except (TypeError, ValueError):
        return False
    return _near(actual, expected)


def _near(actual: Any, expected: Any) -> bool:
    """Equal, but for the last of the digits that are kept."""
    if isinstance(actual, list) and isinstance(expected, list):
        return len(actual) == len(expected) and all(map(_near, actual, expected))
    if isinstance(actual, str) or isinstance(expected, str):
        return bool(actual == expected)
    return bool(actual == expected) or abs(actual - expected) <= 2e-3 * (abs(expected) + 1)
