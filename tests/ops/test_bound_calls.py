"""Calls that are bound once compute what their arrays hold when they run, however those lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from minispore.execution import half
from minispore.ir.value import Spec
from tests.ops.samples import Sample
from tests.ops.test_contract import (
    ALL,
    by_id,
    frozen,
    poisoned,
    run,
    specs_of,
    static_kernels,
)

WITH_CALLS = [s for s in ALL if s.op.traits.has_calls]
# Their inputs are columns and matrices that other steps have made, row by row.
OF_STEPS = {"FilterGemm", "PlaneGemm"}


def turned(a: Any) -> Any:
    """An array of the same shape whose axes lie the other way round: its reshapes are copies."""
    return np.empty(a.shape[::-1], a.dtype).T if isinstance(a, np.ndarray) else a


def dense(a: Any) -> Any:
    return np.empty(a.shape, a.dtype) if isinstance(a, np.ndarray) else a


@pytest.mark.parametrize("like", [dense, turned])
@by_id(WITH_CALLS)
def test_calls_read_their_inputs_when_they_run(s: Sample, like: Any) -> None:
    for prim, args, _ in static_kernels(s):
        if not prim.traits.has_calls or not prim.effect.is_pure:
            continue
        if like is turned and prim.name in OF_STEPS:
            continue
        specs = specs_of(prim, args)
        if any(half.is_half(spec.dtype) for spec in specs):
            continue
        arrays = [like(a) for a in args]
        for a in arrays:
            if isinstance(a, np.ndarray):
                a[...] = 0
        outs = tuple(poisoned(spec, 0xFF) for spec in specs)
        inputs = [Spec(a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in args]
        scratch = prim.scratch(*inputs)
        work = [poisoned(spec, 0xFF) for spec in scratch] if prim.traits.has_scratch else None
        calls = prim.calls(*arrays, out=outs if len(outs) > 1 else outs[0], work=work)
        for a, source in zip(arrays, args, strict=True):
            if isinstance(a, np.ndarray):
                a[...] = source
        expected = tuple(poisoned(spec, 0xFF) for spec in specs)
        values = [a.copy("K") if isinstance(a, np.ndarray) else a for a in arrays]
        run(prim, frozen(tuple(values)), expected)
        with np.errstate(all="ignore"):
            for call in calls:
                call()
        for output, expected_output in zip(outs, expected, strict=True):
            np.testing.assert_array_equal(output, expected_output, err_msg=str(prim))
