"""What holds for every network, whatever its layers and its optimizer."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from minispore.device import device_spec, memory_report
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
