"""Arrays side by side: what holes between them cost."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minispore.device.model.fragments import compute_peak_with_fragments
from minispore.device.model.memory import plan_memory
from minispore.device.model.records import Operand, OpRecord
from minispore.device.model.spec import device_spec

SPEC = device_spec("Ascend910")


def array(key: str, blocks: int) -> Operand:
    return Operand(key, (blocks * 128,), np.dtype(np.float32))


def op(inputs: list[Operand], output: Operand) -> OpRecord:
    return OpRecord("Odd", tuple(inputs), (output,))


def test_a_hole_too_small_for_what_comes_next_is_lost() -> None:
    start, a, b, c = array("start", 1), array("a", 2), array("b", 1), array("c", 3)
    ops = [op([start], a), op([a, start], b), op([b, start], c), op([c, start, b], array("d", 1))]
    plan = plan_memory(ops, SPEC, batch=[start], reserves_input_queue=False)
    assert plan.peak == 6 * 512  # start, b, c, d
    assert compute_peak_with_fragments(plan) == 7 * 512  # a's two blocks take no c, d goes there


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 5)), min_size=1, max_size=30))
def test_fragments_never_take_less_than_the_arrays_and_never_more_than_all(arrays) -> None:
    results = [array(str(i), blocks) for i, (blocks, _) in enumerate(arrays)]
    ops = []
    for i, out in enumerate(results):
        inputs = [results[j] for j in range(i) if j + arrays[j][1] >= i]
        ops.append(op(inputs, out))
    plan = plan_memory(ops, SPEC, reserves_input_queue=False)
    assert plan.peak <= compute_peak_with_fragments(plan) <= sum(o.nbytes for o in results)
