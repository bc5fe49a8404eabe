"""The cost model stays within its bounds of what MindSpore published for the Ascend 910."""

from __future__ import annotations

import pytest

from benchmarks import device as published
from benchmarks import device_plans
from benchmarks.device_fit import compute_median_and_worst
from minispore.device.model.spec import device_spec
from minispore.device.model.trust import SEEN_ERRORS, find_family


@pytest.fixture(scope="module")
def row_errors() -> list[tuple[published.Row, float, float]]:
    return published.compute_errors(published.ROWS, device_spec("Ascend910"))


def test_every_row_is_within_35_percent(row_errors) -> None:
    assert {(r.name, r.devices): e for r, _, e in row_errors if abs(e) > published.BOUND} == {}


def test_the_median_error_is_within_15_percent(row_errors) -> None:
    assert (
        compute_median_and_worst([error for *_, error in row_errors])[0] <= published.MEDIAN_BOUND
    )


def test_every_class_of_the_profile_s_kernels_is_within_30_percent() -> None:
    actual = published.compare_classes(device_spec("Ascend910"))
    large = [x for x in actual.lines if x.measured_us >= published.SHARE * actual.total.measured_us]
    assert len(large) == 9
    assert {x.name: x.error for x in large if abs(x.error) > 0.30} == {}


def test_the_sum_of_the_profile_s_kernels_is_within_10_percent() -> None:
    assert abs(published.compare_classes(device_spec("Ascend910")).total.error) <= 0.10


def test_a_row_is_predicted_nearly_as_well_by_the_constants_that_the_others_choose() -> None:
    median, worst = compute_median_and_worst(
        published.leave_one_out(published.ROWS, device_spec("Ascend910"))
    )
    assert median <= 0.20
    assert worst <= 0.50


def test_the_errors_that_estimates_print_are_those_of_the_published_rows() -> None:
    seen = published.compute_seen_errors()
    assert seen.keys() == SEEN_ERRORS.keys()
    for device, families in seen.items():
        assert families.keys() == SEEN_ERRORS[device].keys()
        for family, error in families.items():
            assert error == pytest.approx(SEEN_ERRORS[device][family], abs=0.011)


@pytest.mark.parametrize("row", [r for r in published.ROWS if r.devices == 1], ids=lambda r: r.name)
def test_a_published_network_is_of_its_family(row: published.Row) -> None:
    assert find_family(published.make_training_step(row.build).records) == row.family


@pytest.mark.parametrize("row", device_plans.ROWS, ids=lambda r: f"{r.name}-{r.spec.name}")
def test_plans_of_language_models_are_near_published_steps_and_textbook_memory(row) -> None:
    plan = row.plan()
    assert plan.step_us / 1e3 == pytest.approx(row.published_ms, rel=device_plans.BOUND)
    gib = plan.stages[0].peak / 2**30
    assert gib == pytest.approx(row.textbook_gib, rel=device_plans.MEMORY_BOUND)


def test_an_estimate_without_published_rows_says_so() -> None:
    assert "none, no published row of them" in str(
        published.predict(published.resnet50_32, device_spec("Ascend310P3"))
    )


def test_lenet_is_within_20_percent_without_a_floor_of_16_us(row_errors) -> None:
    assert device_spec("Ascend910").kernel_floor_us < 2
    assert abs(row_errors[0][2]) <= 0.20


# VGG16's published 1.00 is out of reach for the cut of its script: all products wait for the end.
# Wide & Deep's 0.76 is of a host that feeds 8 devices, too.
BELIEVED = [s for s in published.SCALES if s.name not in ("VGG16", "Wide & Deep")]


@pytest.mark.parametrize("scale", BELIEVED, ids=lambda s: f"{s.name}-{s.devices}")
def test_data_parallel_efficiency_is_within_5_points(scale: published.Scale) -> None:
    spec = device_spec("Ascend910")
    efficiency = published.predict(scale.build, spec, scale.devices, scale.fusion).efficiency
    assert efficiency == pytest.approx(scale.published, abs=0.05)
