"""The ceiling of a host that decodes and augments pictures, from rates of a core."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import device_host
from minispore import Model, nn
from minispore.device import HOST, ImagePipeline, Shapes, estimate, sweep
from minispore.device.model.trust import SEEN_HOST_ERROR

NET = nn.Dense(64, 10)
MODEL = Model(NET, nn.MSELoss(), nn.SGD(NET.trainable_params()))
SHAPES = Shapes([((32, 64), np.float32), ((32, 10), np.float32)], size=100)

AUGMENTS = st.sampled_from(["", "autoaugment", "randaugment"])
PIPELINES = st.builds(
    ImagePipeline, st.integers(8, 800), st.integers(1, 64), AUGMENTS, st.floats(1, 1e4)
)


# -- published rows --------------------------------------------------------------------------------


def test_the_computed_ceiling_is_within_30_percent_of_rows_that_the_host_binds() -> None:
    assert {name: e for name, *_, e in device_host.compute_host_errors() if abs(e) > 0.30} == {}


def test_the_error_that_estimates_print_is_that_of_the_published_rows() -> None:
    assert device_host.compute_seen_host_error() == pytest.approx(SEEN_HOST_ERROR, abs=0.011)
    assert SEEN_HOST_ERROR.median <= 0.10


def test_no_published_row_is_more_than_a_tenth_above_its_computed_ceiling() -> None:
    for row in device_host.ROWS:
        ceiling = row.pipeline.compute_rows_s(device_host.PROCESSES)
        assert ceiling > 0.9 * max(row.older_rows_s, row.newer_rows_s)


def test_one_worker_makes_what_was_published_of_one() -> None:
    assert ImagePipeline(224, workers=1).compute_rows_s(1) == pytest.approx(32 / 90.87e-3, rel=0.01)


def test_every_rate_has_a_unit_a_source_and_a_tag() -> None:
    for constant in HOST.values():
        assert constant.unit
        assert constant.source
        assert constant.tag in {"S", "M", "C", "D", "A"}


# -- laws ------------------------------------------------------------------------------------------


@given(PIPELINES, st.integers(1, 8))
def test_more_work_a_picture_never_gives_more_pictures(pipeline: ImagePipeline, n: int) -> None:
    size, workers, augment = pipeline.size, pipeline.workers, pipeline.augment
    rows_s = pipeline.compute_rows_s(n)
    plain = ImagePipeline(size, workers, "", pipeline.picture_kb)
    larger = ImagePipeline(size + 1, workers, augment, pipeline.picture_kb)
    heavier = ImagePipeline(size, workers, augment, 2 * pipeline.picture_kb)
    assert 0 < larger.compute_rows_s(n) <= rows_s <= plain.compute_rows_s(n)
    assert heavier.compute_rows_s(n) <= rows_s


@given(PIPELINES, st.integers(1, 7))
def test_more_workers_or_processes_never_give_fewer_pictures(
    pipeline: ImagePipeline, n: int
) -> None:
    rows_s = pipeline.compute_rows_s(n)
    more = ImagePipeline(pipeline.size, pipeline.workers + 1, pipeline.augment, pipeline.picture_kb)
    assert rows_s <= more.compute_rows_s(n)
    assert rows_s <= pipeline.compute_rows_s(n + 1)
    if pipeline.is_python_bound(n):
        assert rows_s == more.compute_rows_s(n)


@given(PIPELINES)
def test_workers_beyond_the_cores_make_no_more(pipeline: ImagePipeline) -> None:
    crowded = ImagePipeline(pipeline.size, 192, "", pipeline.picture_kb)
    assert crowded.compute_rows_s(8) == crowded.compute_rows_s(1)


# -- in an estimate --------------------------------------------------------------------------------


@pytest.mark.parametrize("devices", [1, 8, 16])
def test_an_estimate_has_the_computed_ceiling_of_each_server(devices: int) -> None:
    pipeline = ImagePipeline(224, workers=8)
    actual = estimate(MODEL, SHAPES, host_rows_s=pipeline, devices=devices, device="Ascend910")
    servers = max(1, devices // 8)
    expected = servers * pipeline.compute_rows_s(min(devices, 8))
    assert actual.host_rows_s == pytest.approx(expected, rel=1e-3)
    assert actual.rows_s <= actual.host_rows_s * (1 + 1e-4)
    assert not actual.data_measured


def test_an_estimate_says_that_the_ceiling_is_computed_and_how_far_off_it_was() -> None:
    text = str(estimate(MODEL, SHAPES, host_rows_s=ImagePipeline(), devices=8, device="Ascend910"))
    assert "ms a batch, computed" in text
    assert "rows/s by the host (computed)" in text
    assert f"errors seen of the host's computed ceiling: {SEEN_HOST_ERROR}" in text
    given_text = str(estimate(MODEL, SHAPES, host_rows_s=12_000, device="Ascend910"))
    assert "computed" not in given_text


def test_more_workers_are_advised_where_they_help_only() -> None:
    plain, augmented = (
        estimate(MODEL, SHAPES, host_rows_s=ImagePipeline(augment=name), device="Ascend910")
        for name in ("", "randaugment")
    )
    assert plain.bottleneck == augmented.bottleneck == "data pipeline"
    assert any(line.startswith("workers: ") for line in plain.advice)
    assert any(line.startswith("augmentation: ") for line in augmented.advice)
    assert not any(line.startswith("workers: ") for line in augmented.advice)


def test_devices_can_be_swept_under_a_computed_ceiling() -> None:
    swept = sweep(MODEL, SHAPES, "devices", [1, 8], host_rows_s=ImagePipeline(), device="Ascend910")
    one, eight = (e.host_rows_s for e in swept.estimates)
    assert eight == pytest.approx(8 * one, rel=1e-3)


@pytest.mark.parametrize(
    "bad",
    [{"size": 0}, {"workers": -1}, {"workers": True}, {"picture_kb": float("inf")}],
)
def test_a_number_of_a_pipeline_must_be_positive(bad: dict) -> None:
    with pytest.raises(ValueError, match="must be a positive number"):
        ImagePipeline(**bad)


def test_an_unknown_augmentation_suggests_a_similar_one() -> None:
    with pytest.raises(ValueError, match="Did you mean 'autoaugment'"):
        ImagePipeline(augment="autoaugmet")


def test_a_computed_ceiling_and_data_us_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="must come without"):
        estimate(MODEL, SHAPES, host_rows_s=ImagePipeline(), data_us=1)


def test_a_pipeline_is_no_time_of_a_batch() -> None:
    with pytest.raises(ValueError, match="data_us must be a number"):
        estimate(MODEL, SHAPES, data_us=ImagePipeline())
