"""Sweeps, roofs and the ceiling of the host."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore.dataset as ds
from minispore import Model, nn
from minispore.device import SPECS, Shapes, device_spec, estimate, sweep
from minispore.device.model.roofline import compute_roof, make_points


def trained(rows: int = 32) -> tuple[Model, Shapes]:
    net = nn.SequentialCell([nn.Dense(256, 512), nn.ReLU(), nn.Dense(512, 10)])
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = Model(net, loss, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    return model, Shapes([((rows, 256), np.float32), ((rows,), np.int32)], size=100)


MODEL, SHAPES = trained()

# -- sweeps ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("batch", [8, 16, 64]),
        ("devices", [1, 8, 4096]),
        ("sink_size", [1, 10, 100]),
        ("device", ["Ascend910", "A100"]),
        ("data_us", [0, 1000.0]),
        ("host_rows_s", [1000, 100_000]),
        ("memory_gbs", [600, 1200]),
    ],
)
def test_each_value_of_a_sweep_equals_a_single_estimate(name: str, values: list[Any]) -> None:
    actual = sweep(MODEL, SHAPES, name, values)
    for value, one in zip(values, actual.estimates, strict=True):
        if name == "batch":
            single = estimate(MODEL, trained(value)[1])
            assert one["loop"].step_us == pytest.approx(single["loop"].step_us, rel=0.01)
        elif name == "memory_gbs":
            spec = device_spec().replace(memory_gbs=value)
            assert one.predictions == estimate(MODEL, SHAPES, device=spec).predictions
        else:
            assert one.predictions == estimate(MODEL, SHAPES, **{name: value}).predictions


def test_a_larger_batch_leaves_as_many_rows_in_an_epoch() -> None:
    actual = sweep(MODEL, SHAPES, "batch", [32, 64])
    assert [e.dataset_size for e in actual.estimates] == [100, 50]


def test_the_pipeline_is_measured_once_for_all_values() -> None:
    rows = np.zeros((64, 256), np.float32), np.zeros(64, np.int32)
    data = ds.NumpySlicesDataset(rows, ["x", "y"]).batch(32)
    actual = sweep(MODEL, data, "devices", [1, 8, 16])
    one, eight, two_servers = (e.data_us for e in actual.estimates)
    assert eight == pytest.approx(8 * one, rel=0.01) == two_servers


def test_the_table_has_a_line_for_each_value() -> None:
    text = str(sweep(MODEL, SHAPES, "devices", [1, 8]))
    assert [line.split()[0] for line in text.splitlines()[2:]] == ["1", "8"]


@pytest.mark.parametrize(("name", "values"), [("devices", [1, 64]), ("device", ["V100", "A100"])])
def test_a_sweep_is_plotted_to_a_file(name: str, values: list[Any], tmp_path: Path) -> None:
    sweep(MODEL, SHAPES, name, values).plot(tmp_path / "sweep.png")
    assert (tmp_path / "sweep.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("name", "values", "options", "text"),
    [
        ("memory_gb", [1], {}, "Did you mean 'memory_gbs'"),
        ("devices", [], {}, "at least one value"),
        ("devices", [1], {"devices": 8}, "got both"),
        ("batch", [0], {}, "at least 1"),
        ("devices", [0], {}, "from 1 to 4096"),
        ("memory_gbs", [-1], {}, "positive finite"),
    ],
)
def test_what_can_not_be_swept_is_refused(name, values, options, text) -> None:
    with pytest.raises(ValueError, match=text):
        sweep(MODEL, SHAPES, name, values, **options)


# -- the host's ceiling ----------------------------------------------------------------------------


@given(st.floats(100, 1e8), st.sampled_from([1, 2, 8, 16, 1024]))
def test_no_more_rows_than_the_host_or_the_device_makes(rows_s: float, devices: int) -> None:
    actual = estimate(MODEL, SHAPES, host_rows_s=rows_s, devices=devices)
    assert actual.rows_s <= min(actual.host_rows_s, actual.device_rows_s) * (1 + 1e-4)


def test_the_ceiling_of_a_server_is_shared_by_its_devices_and_grows_with_servers() -> None:
    host = [estimate(MODEL, SHAPES, host_rows_s=12e3, devices=d).host_rows_s for d in (1, 8, 16)]
    assert host == pytest.approx([12e3, 12e3, 24e3], rel=1e-3)


def test_networks_of_any_size_are_as_fast_as_the_host_lets_them() -> None:
    actual = estimate(MODEL, SHAPES, host_rows_s=12e3, devices=8)
    assert actual.rows_s == pytest.approx(12e3, rel=0.02)
    assert actual.device_rows_s > 10 * actual.host_rows_s
    assert actual.bottleneck == "data pipeline"
    assert "12,000 rows/s by the host (given)" in str(actual)


def test_without_a_pipeline_the_host_sets_no_ceiling() -> None:
    assert math.isinf(estimate(MODEL, SHAPES).host_rows_s)


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, "fast", True])
def test_a_ceiling_must_be_a_number_above_0(bad: Any) -> None:
    with pytest.raises(ValueError, match="host_rows_s must be"):
        estimate(MODEL, SHAPES, host_rows_s=bad)


def test_host_rows_s_and_data_us_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="got both"):
        estimate(MODEL, SHAPES, host_rows_s=1, data_us=1)


# -- roofs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", SPECS)
def test_no_kernel_of_any_device_is_above_its_roof(device: str) -> None:
    """A cube's peak is that of its best dtype; what the cache holds has no roof by the memory."""
    cost = estimate(MODEL, SHAPES, device=device).cost
    for p in make_points(cost):
        assert p.flops <= compute_roof(cost.spec, p.engine, math.inf) * 1.001, p


def test_a_roofline_is_plotted_to_a_file(tmp_path: Path) -> None:
    estimate(MODEL, SHAPES).roofline(tmp_path / "roof.svg")
    assert (tmp_path / "roof.svg").stat().st_size > 10_000


def test_a_picture_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="path must end in"):
        estimate(MODEL, SHAPES).roofline(tmp_path / "roof.doc")


# -- devices ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", SPECS)
def test_every_device_estimates_a_training_and_a_forward_pass(device: str) -> None:
    training = estimate(MODEL, SHAPES, device=device)
    forward = estimate(MODEL.predict_network, Shapes(SHAPES.columns[:1]), device=device)
    assert 0 < forward.cost.device_us < training.cost.device_us
