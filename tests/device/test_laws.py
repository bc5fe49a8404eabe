"""What holds for every network, whatever its layers and its optimizer.

``HYPOTHESIS_PROFILE=deep`` tries each law on 300 networks.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minispore.device import cheapest_plan, device_spec, estimate, memory_report, parallel_plan
from minispore.device.model.compare import compare_kernel_times
from minispore.device.model.predict import training_step
from minispore.device.model.schedule import WAYS
from tests.device.networks import WIDTHS, WORDS, Case, Design, designs, networks

IS_DEEP = os.environ.get("HYPOTHESIS_PROFILE") == "deep"
few = settings(max_examples=300 if IS_DEEP else 25, deadline=None)
SMALL = device_spec("Ascend910").replace(memory_bytes=160 << 20)


# -- the batch -------------------------------------------------------------------------------------


@few
@given(networks(), st.sampled_from([1, 2, 7, 8, 24]), st.integers(2, 40))
def test_the_peak_at_another_batch_is_that_of_a_step_traced_with_it(
    case: Case, rows: int, other: int
) -> None:
    peak = memory_report(case.model, case.batch(rows), device=SMALL).peak_at(other)
    assert peak == memory_report(case.model, case.batch(other), device=SMALL).peak


@few
@given(networks(), st.sampled_from([1, 4, 24]))
def test_the_largest_batch_fits_and_one_row_more_does_not(case: Case, rows: int) -> None:
    largest = memory_report(case.model, case.batch(rows), device=SMALL).largest_batch
    assert largest
    assert memory_report(case.model, case.batch(largest), device=SMALL).fits
    assert not memory_report(case.model, case.batch(largest + 1), device=SMALL).fits


# -- the memory of ranks ---------------------------------------------------------------------------

RANKS = st.sampled_from([2, 8, 64])


@few
@given(networks(), RANKS, st.sampled_from([1, 2, 3]), st.sampled_from([8, 512]))
def test_a_rank_saves_no_more_than_its_share_of_what_zero_shares(
    case: Case, data: int, zero: int, rows: int
) -> None:
    """At no op can a rank have less than all activations and its share of the rest."""
    plan = parallel_plan(case.model, case.batch(rows), device=SMALL, data=data, zero=zero)
    usage = memory_report(case.model, case.batch(rows), device=SMALL).compute_usage_by_kind()
    shared = ("optimizer state", "workspace", "gradients", "parameters")[: zero + 1]
    shares = [
        [nbytes // data if kind in shared else nbytes for nbytes in usage[kind]]
        for kind in usage
        if kind != "channel"
    ]
    assert plan.peak >= max(map(sum, zip(*shares, strict=True)))


@few
@given(networks(), RANKS, st.integers(0, 3), st.booleans())
def test_two_micro_batches_need_no_less_than_one_of_the_same_size(
    case: Case, data: int, zero: int, recompute: bool
) -> None:
    options = {"device": SMALL, "data": data, "zero": zero, "recompute": recompute}
    one = parallel_plan(case.model, case.batch(32), **options)
    two = parallel_plan(case.model, case.batch(64), micro_batches=2, **options)
    assert one.peak <= two.stages[0].peak


@few
@given(networks(), RANKS, st.integers(0, 3), st.sampled_from([1, 2]))
def test_recomputing_never_needs_more_memory(case: Case, data: int, zero: int, micro: int) -> None:
    options = {"device": SMALL, "data": data, "zero": zero, "micro_batches": micro}
    stored = parallel_plan(case.model, case.batch(64), **options)
    assert parallel_plan(case.model, case.batch(64), recompute=True, **options).peak <= stored.peak


@few
@given(networks(), st.sampled_from([1, 8, 33]))
def test_one_rank_needs_exactly_what_the_memory_report_says(case: Case, rows: int) -> None:
    report = memory_report(case.model, case.batch(rows), device=SMALL)
    stage = parallel_plan(case.model, case.batch(rows), device=SMALL).stages[0].memory
    assert sum(stage.values()) - stage["channel"] == report.peak - report.peak_by_kind["channel"]


@few
@given(networks(("dense", "attention")), st.sampled_from([2, 3, 4, 7]))
def test_ranks_that_split_products_need_less_memory_or_are_refused(case: Case, tensor: int) -> None:
    single = parallel_plan(case.model, case.batch(64), device=SMALL)
    try:
        split = parallel_plan(case.model, case.batch(64), device=SMALL, tensor=tensor)
    except ValueError as error:
        assert "tensor must divide" in str(error)
        return
    assert split.peak < single.peak


@settings(few, max_examples=300 if IS_DEEP else 10)
@given(networks(), st.sampled_from([1, 2, 4]))
def test_the_cheapest_plan_fits_and_is_no_slower_than_data_parallelism(
    case: Case, ranks: int
) -> None:
    search = cheapest_plan(case.model, case.batch(32), device=SMALL, ranks=ranks)
    single = parallel_plan(
        case.model, case.batch(32 // ranks), device=SMALL, data=ranks, zero=int(ranks > 1)
    )
    assert all(p.fits and p.ranks <= ranks for p in search.plans)
    assert not single.fits or search.best.step_us <= single.step_us


# -- time ------------------------------------------------------------------------------------------

DEVICES = st.sampled_from(["Ascend910", "Ascend910B2", "Ascend310P3", "A100", "CPU"])
#: Constants of which more never makes a step longer, and constants of which more never makes it
#: shorter. The number of cores is in neither: what is dealt to them comes in whole blocks.
RATES = (
    *("memory_gbs", "memory_efficiency", "l2_gbs", "l2_bytes", "clock_mhz", "vector_cores"),
    *("vector_bytes", "cube_macs", "cube_efficiency", "group_efficiency", "product_efficiency"),
    *("h2d_gbs", "d2h_gbs", "host_copy_gbs"),
)
DELAYS = (
    *("kernel_us", "kernel_floor_us", "product_float32_us", "row_us", "aicpu_kernel_us"),
    *("control_us", "host_launch_us", "host_execute_us", "host_feed_us", "host_sync_us"),
    *("copy_us", "hccl_latency_us", "hccl_us_per_mb", "hccl_hop_us"),
)


@few
@given(networks(), DEVICES, st.integers(1, 40), st.integers(1, 9), st.sampled_from([0, 200, 1e5]))
def test_no_way_is_slower_than_the_one_before(
    case: Case, device: str, size: int, sink_size: int, data_us: float
) -> None:
    actual = estimate(
        case.model, case.batch(8, size), device=device, sink_size=sink_size, data_us=data_us
    )
    times = [actual[way].step_us for way in WAYS]
    assert times == sorted(times, reverse=True)


@few
@given(networks(), DEVICES, st.sampled_from([1, 8]))
def test_the_classes_of_kernels_sum_up_to_the_step(case: Case, device: str, devices: int) -> None:
    devices = min(devices, int(device_spec(device).max_devices))
    actual = estimate(case.model, case.batch(8), device=device, data_us=0, devices=devices)
    cost, total = actual.cost, compare_kernel_times(actual.cost, []).total
    assert total.predicted_us + actual.parallel.exposed_us == cost.device_us
    types = cost.sum_kernel_types().values()
    assert sum(count for count, _ in types) == cost.launches
    assert sum(us for _, us in types) == cost.device_us


@few
@given(
    networks(), st.sampled_from([1, 2, 8, 64]), st.integers(0, 3), st.booleans(),
    st.lists(st.integers(0, 5), max_size=3),
)  # fmt: skip
def test_what_shows_of_communication_is_at_most_all_of_it(
    case: Case, data: int, zero: int, recompute: bool, cuts: list[int]
) -> None:
    step = training_step(case.model, case.batch(8))
    plan = parallel_plan(step, 1, device=SMALL, data=data, zero=zero, recompute=recompute)
    assert 0 <= plan.exposed_us <= plan.all_reduce_us <= plan.communication_us
    fusion = sorted(set(cuts))
    actual = estimate(
        step, 1, device=SMALL, data_us=0, devices=data, all_reduce_fusion_config=fusion
    ).parallel
    assert 0 <= actual.exposed_us <= actual.all_reduce_us


@few
@given(networks(), st.integers(1, 4), st.sampled_from([1, 2, 4, 8]))
def test_the_stages_of_a_pipeline_wait_for_the_share_of_its_bubble(
    case: Case, stages: int, micro: int
) -> None:
    plan = parallel_plan(
        case.model, case.batch(16), device=SMALL, stages=stages, micro_batches=micro
    )
    assert plan.bubble == (stages - 1) / (micro + stages - 1)
    busy_us = micro * max(s.micro_us for s in plan.stages)
    assert plan.pipeline_us * (1 - plan.bubble) == pytest.approx(busy_us)
    assert plan.step_us >= plan.pipeline_us >= busy_us


@few
@given(networks(), DEVICES, st.sampled_from(RATES + DELAYS), st.floats(1, 8), st.booleans())
def test_a_better_constant_never_makes_a_step_longer(
    case: Case, device: str, name: str, factor: float, is_parallel: bool
) -> None:
    """What shows of an all-reduce is that of a device which does not wait for its host."""
    spec = device_spec(device)
    step = training_step(case.model, case.batch(8))
    other = spec.replace(**{name: spec[name].value * factor})
    better, worse = (other, spec) if name in RATES else (spec, other)
    is_parallel = is_parallel and spec.target == "Ascend"
    options = {"data_us": 50, "devices": 8 if is_parallel else 1}
    for way in WAYS[2:] if is_parallel else WAYS:
        assert (
            estimate(step, 6, device=better, **options)[way].step_us
            <= estimate(step, 6, device=worse, **options)[way].step_us
        )


# -- kernels ---------------------------------------------------------------------------------------


@few
@given(networks(), st.integers(2, 40))
def test_the_kernels_of_a_step_do_not_depend_on_the_rows(case: Case, rows: int) -> None:
    """Also where the rows are as many as the columns of a weight."""
    widths = {n for shape in case.row_shapes for n in shape} - {1}
    counts = {
        estimate(case.model, case.batch(n), device=SMALL, data_us=0).cost.launches
        for n in (rows, *widths)
    }
    assert len(counts) == 1


@few
@given(designs(), WIDTHS, WIDTHS, WORDS, st.integers(2, 40))
def test_the_kernels_of_a_step_do_not_depend_on_lengths_that_happen_to_be_equal(
    design: Design, width: int, hidden: int, words: int, rows: int
) -> None:
    """A network with the same layers has no two lengths in common."""
    counts = {
        estimate(design.build(*sizes).model, design.build(*sizes).batch(n), data_us=0).cost.launches
        for sizes, n in (((width, hidden, words), rows), ((44, 76, 23), 13))
    }
    assert len(counts) == 1
