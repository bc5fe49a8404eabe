"""Device memory is counted to the block, and planned before a run."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore.device.model.memory import (
    KINDS,
    MemoryPlan,
    MemoryPool,
    plan_memory,
    round_to_blocks,
    usable_bytes,
)
from minispore.device.model.records import BACKWARD, FORWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.model.spec import MIB, device_spec
from minispore.device.model.step import Step
from minispore.errors import DeviceMemoryError
from tests.device.programs import SINGLE, array, small_step

SPEC = device_spec("Ascend910")


def plan_small_step(rows: int, **options: Any) -> MemoryPlan:
    """The plan of a small step that can be traced again with more rows."""
    records, batch = small_step(rows)
    return plan_memory(
        records,
        SPEC,
        batch=batch,
        trace_scaled=lambda factor: Step(*small_step(factor * rows)),
        **options,
    )


def test_mindspore_takes_15_16_of_the_device_less_10_mb() -> None:
    assert usable_bytes(SPEC) == (30 * 1024 - 10) * MIB


def test_max_device_memory_is_an_upper_bound() -> None:
    assert usable_bytes(SPEC, 1 << 30) == 1 << 30
    assert usable_bytes(SPEC, 1 << 60) == usable_bytes(SPEC)


@pytest.mark.parametrize(("nbytes", "expected"), [(1, 512), (512, 512), (513, 1024), (0, 512)])
def test_memory_is_handed_out_in_blocks_of_512_bytes(nbytes: int, expected: int) -> None:
    assert MemoryPool(SPEC).allocate("workspace", nbytes).nbytes == expected


def test_the_peak_remembers_what_was_in_use_then() -> None:
    pool = MemoryPool(SPEC)
    weights = pool.allocate("parameters", 1024)
    passing = pool.allocate("activations", 2048)
    pool.free(passing)
    pool.allocate("gradients", 512)
    pool.free(weights)
    assert pool.peak == 3072
    assert {k: v for k, v in pool.peak_by_kind.items() if v} == {
        "parameters": 1024,
        "activations": 2048,
    }
    assert pool.current_by_kind["gradients"] == pool.current == 512


def test_the_timeline_of_a_pool_has_every_change() -> None:
    pool = MemoryPool(SPEC)
    block = pool.allocate("workspace", 100, "tmp", time_us=1.0)
    pool.free(block, time_us=4.0)
    assert [tuple(m) for m in pool.timeline] == [
        (1.0, "workspace", 512, 512),
        (4.0, "workspace", -512, 0),
    ]


def test_an_allocation_above_the_capacity_reserves_nothing() -> None:
    pool = MemoryPool(SPEC, max_device_memory=1024)
    pool.allocate("parameters", 600)
    with pytest.raises(DeviceMemoryError, match="Out of Memory!!! Request memory size: 512 B"):
        pool.allocate("activations", 1)
    assert pool.current == pool.allocated_bytes == 1024


def test_the_error_has_the_words_that_users_search_for() -> None:
    with pytest.raises(DeviceMemoryError) as error:
        MemoryPool(SPEC, max_device_memory=512).allocate("activations", 513)
    for words in (
        "Memory Statistic", "Device HBM memory size: 32768 M", "MindSpore Used", "Total Static",
        "Total Dynamic", "Please try to reduce 'batch_size'",
    ):  # fmt: skip
        assert words in str(error.value)


def test_a_block_is_freed_once() -> None:
    pool = MemoryPool(SPEC)
    block = pool.allocate("workspace", 1, "tmp")
    pool.free(block)
    with pytest.raises(ValueError, match="must be in use"):
        pool.free(block)
    assert pool.current == 0


def test_a_block_of_another_pool_is_refused() -> None:
    pool, other = MemoryPool(SPEC), MemoryPool(SPEC)
    mine = pool.allocate("workspace", 1)
    other.allocate("workspace", 1)
    with pytest.raises(ValueError, match="must be in use"):
        other.free(mine)


def test_an_unknown_memory_kind_suggests_a_similar_one() -> None:
    with pytest.raises(ValueError, match="Did you mean 'activations'"):
        MemoryPool(SPEC).allocate("activation", 1)


@given(
    st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 5000), st.booleans()), max_size=60)
)
def test_bytes_in_are_bytes_allocated(script) -> None:
    pool = MemoryPool(SPEC)
    values, expected, highest = [], 0, 0
    for kind, nbytes, release in script:
        values.append(pool.allocate(kind, nbytes))
        expected += round_to_blocks(nbytes)
        highest = max(highest, pool.current)
        if release:
            pool.free(values.pop(len(values) // 2))
    assert pool.allocated_bytes == expected == pool.freed_bytes + sum(b.nbytes for b in values)
    assert pool.current == sum(b.nbytes for b in values) == sum(pool.current_by_kind.values())
    assert pool.peak == highest
    for block in values:
        pool.free(block)
    assert pool.current == 0 == sum(m.change for m in pool.timeline)


# -- plans ----------------------------------------------------------------------------------------


def test_the_plan_of_a_small_step_is_what_a_hand_adds_up() -> None:
    records, batch = small_step(rows=4)
    plan = plan_memory(records, SPEC, batch=batch)
    # w and m: 32 * 16 * 4 = 2048 each; x: 4 * 32 * 4 = 512; y, dy: 256 -> 512; loss: 512; dw: 2048.
    # During MatMul(x, dy) live: x, dy, dw. The channel holds 100 batches of one block.
    assert plan.peak_by_kind == {
        "parameters": 2048, "optimizer state": 2048, "gradients": 512 + 2048, "activations": 512,
        "channel": 51200, "workspace": 0,
    }  # fmt: skip
    assert plan.peak == 58368
    assert plan.peak_op == "MatMul"
    assert [t - 51200 - 4096 for t in plan.totals] == [1024, 1536, 1536, 3072, 2048]


def test_a_view_takes_no_memory_and_keeps_its_source() -> None:
    x = array("x", 4, 256, dtype=SINGLE)
    y, flat, z = array("y", 4, 256, dtype=SINGLE), array("flat", 1024, dtype=SINGLE), array("z", 1)
    records = [
        OpRecord("ReLU", (x,), (y,)),
        OpRecord("Reshape", (y,), (flat,)),
        OpRecord("ReduceSum", (flat,), (z,)),
    ]
    totals = plan_memory(records, SPEC, batch=[x]).totals
    channel = 100 * 4096
    assert [t - channel for t in totals] == [8192, 4096, 4608]


def test_an_op_that_writes_a_parameter_in_place_takes_no_memory() -> None:
    w, dw = array("w", 1024, param=True), array("dw", 1024)
    records = [
        OpRecord("Mul", (w,), (dw,), kind=BACKWARD),
        OpRecord("AssignSub", (w, dw), (array("new", 1024),), mutates=(0,), kind=BACKWARD),
    ]
    assert plan_memory(records, SPEC).totals == (4096, 4096)


def test_the_largest_batch_just_fits_and_one_more_does_not() -> None:
    plan = plan_small_step(4, max_device_memory=1 << 20)
    assert plan.peak_at(plan.largest_batch) <= plan.capacity < plan.peak_at(plan.largest_batch + 1)


@given(st.integers(1, 64), st.integers(1, 64))
def test_the_peak_at_another_batch_is_the_peak_of_the_step_traced_at_it(
    rows: int, other: int
) -> None:
    assert plan_small_step(rows).peak_at(other) == plan_small_step(other).peak


def test_a_plan_that_does_not_fit_raises_with_itself_and_the_largest_batch() -> None:
    plan = plan_small_step(4096, max_device_memory=1 << 20)
    with pytest.raises(DeviceMemoryError) as error:
        plan.check()
    assert f"reduce 'batch_size' to {plan.largest_batch} or less" in str(error.value)
    assert "optimizer state" in str(error.value)
    assert "Dynamic memory size of this graph" in str(error.value)


def test_a_plan_for_which_no_batch_fits_says_so() -> None:
    plan = plan_small_step(4, max_device_memory=512)
    assert plan.largest_batch == 0
    with pytest.raises(DeviceMemoryError, match="not even one row fits"):
        plan.check()


def test_a_step_recorded_for_one_batch_names_no_largest_batch() -> None:
    records, batch = small_step()
    plan = plan_memory(records, SPEC, batch=batch, max_device_memory=512)
    assert plan.largest_batch is None
    with pytest.raises(DeviceMemoryError, match="reduce 'batch_size' or set"):
        plan.check()


def test_a_plan_prints_its_peak_by_kind() -> None:
    records, batch = small_step()
    text = str(plan_memory(records, SPEC, batch=batch))
    assert "the step fits; the largest batch that fits is" in text
    assert all(kind in text for kind in KINDS)


def test_a_forward_pass_frees_arrays_after_their_last_read() -> None:
    values = [array(i, 1024, dtype=SINGLE) for i in range(4)]
    chain = [OpRecord("ReLU", (a,), (b,), kind=FORWARD) for a, b in itertools.pairwise(values)]
    assert plan_memory(chain, SPEC).totals == (4096, 8192, 8192)


def test_memory_over_the_ops_adds_up_to_the_totals() -> None:
    records, batch = small_step()
    plan = plan_memory(records, SPEC, batch=batch)
    kinds = plan.compute_usage_by_kind()
    assert tuple(map(sum, zip(*kinds.values(), strict=True))) == plan.totals


def test_an_op_of_the_optimizer_may_read_nothing() -> None:
    output = array("scale", 4)
    plan = plan_memory([OpRecord("Zeros", (), (output,), kind=OPTIMIZER)], device_spec("Ascend910"))
    assert plan.peak_by_kind["workspace"] > 0


def test_a_parameter_that_is_read_after_its_update_is_one_parameter() -> None:
    w = Operand("w", (1024,), np.dtype(np.float32), True)
    after = w._replace(key="w after the update")
    grad, copy = (Operand(key, (1024,), np.dtype(np.float32)) for key in ("grad", "copy"))
    records = [
        OpRecord("AssignAdd", (w, grad), (after,), kind=OPTIMIZER, mutates=(0,)),
        OpRecord("Sqrt", (after,), (copy,), kind=OPTIMIZER),
    ]
    plan = plan_memory(records, device_spec("Ascend910"))
    assert plan.peak_by_kind["optimizer state"] == w.nbytes
