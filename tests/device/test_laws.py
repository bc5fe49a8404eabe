"""What holds for every network, whatever its layers and its optimizer."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from minispore.device import cheapest_plan, device_spec, estimate, memory_report, parallel_plan
from tests.device.networks import Case, networks

few = settings(max_examples=40, deadline=None)
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


@settings(few, max_examples=15)
@given(networks(), st.sampled_from([1, 2, 4]))
def test_the_cheapest_plan_fits_and_is_no_slower_than_sharing_data_alone(
    case: Case, ranks: int
) -> None:
    search = cheapest_plan(case.model, case.batch(32), device=SMALL, ranks=ranks)
    single = parallel_plan(
        case.model, case.batch(32 // ranks), device=SMALL, data=ranks, zero=int(ranks > 1)
    )
    assert all(p.fits and p.ranks <= ranks for p in search.plans)
    assert not single.fits or search.best.step_us <= single.step_us


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
