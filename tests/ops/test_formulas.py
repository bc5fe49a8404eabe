"""Ops that are formulas in other ops."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, ops
from minispore.ops.support.derive import _Composite
from tests.ops.samples import SAMPLES, Sample, load

load()
FORMULAS = [s for result in SAMPLES.values() for s in result if isinstance(s.op, _Composite)]


@pytest.mark.parametrize("s", FORMULAS, ids=str)
@pytest.mark.parametrize("wrong", [[1.0, 2.0], None, 1, "a"], ids=repr)
def test_what_is_no_tensor_is_refused_by_its_name(s: Sample, wrong: Any) -> None:
    expected = [
        (i, p.name)
        for i, p in enumerate(inspect.signature(s.op).parameters.values())
        if p.annotation == "Tensor"
    ]
    args = [Tensor(a) if isinstance(a, np.ndarray) else a for a in s.args]
    for i, name in expected:
        if isinstance(args[i], Tensor):
            with pytest.raises(TypeError, match=rf"^{s.op.name}: {name} must be a Tensor, got"):
                s.op(*args[:i], wrong, *args[i + 1 :])


WIDE = Tensor(np.float32([1.5, 0.3, 3.0]))
NARROW = Tensor(np.float16([2.0, 1.1, -0.7]))
OF_TWO = """
    logaddexp logaddexp2 hypot xdivy xlogy float_power atan2 fmod remainder floor_div outer
    mul div add sub maximum pow
"""


@pytest.mark.parametrize("name", OF_TWO.split())
def test_a_formula_of_two_dtypes_computes_in_the_wider_one(name: str) -> None:
    op = getattr(ops, name)
    both = ops.cast(NARROW, ms.float32)
    for actual, expected in (
        (op(WIDE, NARROW), op(WIDE, both)),
        (op(NARROW, WIDE), op(both, WIDE)),
    ):
        assert actual.dtype == expected.dtype
        np.testing.assert_array_equal(actual.asnumpy(), expected.asnumpy())


@pytest.mark.parametrize(
    "op, dtype",
    [
        (lambda: ops.ldexp(NARROW, 2), ms.float16),
        (lambda: ops.xlogy(NARROW, 2), ms.float32),
        (lambda: ops.xlogy(2.5, NARROW), ms.float32),
        (lambda: ops.copysign(NARROW, WIDE), ms.float16),
        (lambda: ops.copysign(WIDE, Tensor(np.float64([1, -1, 1]))), ms.float32),
        (lambda: ops.copysign(Tensor([1, 2, 3]), NARROW), ms.float32),
        (lambda: ops.relu(Tensor([True, False])), ms.bool_),
    ],
)
def test_dtypes_of_formulas_are_those_of_mindspore(op: Any, dtype: Any) -> None:
    assert op().dtype == dtype


def test_sums_of_powers_are_those_of_wider_floats() -> None:
    x, y = np.float64([1.5, -3, 100]), np.float64([2, 0.25, 100.5])
    actual = ops.logaddexp2(Tensor(np.float32(x)), Tensor(np.float32(y))).asnumpy()
    np.testing.assert_allclose(actual, np.logaddexp2(x, y), rtol=3e-7)
