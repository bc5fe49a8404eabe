"""Predictions without a run: times, counts, memory, the bottleneck and what would move it."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import models
from benchmarks.device import make_training_step
from minispore import Parameter, Tensor, context, nn, ops, value_and_grad
from minispore.device import Estimate, Shapes
from minispore.device.model.predict import estimate, measure_pipeline, memory_report, trace_step
from minispore.device.model.records import BACKWARD, FORWARD, OPTIMIZER, records_of
from minispore.device.model.schedule import WAYS, Counts
from minispore.device.model.spec import SPECS, device_spec
from minispore.errors import DeviceMemoryError
from minispore.train import Model

FLOAT, INT = np.dtype(np.float32), np.dtype(np.int32)


class Batches:
    """A dataset as far as it is asked: sizes, shapes, rows."""

    def __init__(self, size: int = 100, rows: int = 32) -> None:
        self.size, self.rows, self.fetched, self.closed = size, rows, 0, False

    def get_dataset_size(self) -> int:
        return self.size

    def get_batch_size(self) -> int:
        return self.rows

    def types_shapes(self):
        return [FLOAT, INT], [(self.rows, 64), (self.rows,)]

    def create_dict_iterator(self, num_epochs: int, output_numpy: bool):
        assert (num_epochs, output_numpy) == (1, True)
        batches = self

        class Rows:
            def __iter__(self):
                for i in range(batches.size):
                    batches.fetched += 1
                    yield {"x": i}

            def close(self) -> None:
                batches.closed = True

        return Rows()


class Dense:
    """A model whose training step is one dense layer and momentum."""

    def __init__(self) -> None:
        self.w = Parameter(Tensor(np.zeros((64, 10), np.float32)), name="w")
        self.m = Parameter(Tensor(np.zeros((64, 10), np.float32)), name="m")

    def loss(self, x: Tensor, y: Tensor) -> Tensor:
        logits = ops.MatMul()(x, self.w)
        return ops.ReduceMean()(ops.Square()(logits))

    def train_network(self, x: Tensor, y: Tensor) -> Tensor:
        loss, grads = value_and_grad(self.loss, None, [self.w])(x, y)
        ops.ApplyMomentum()(self.w, self.m, Tensor(0.1), grads[0], Tensor(0.9))
        return loss


@pytest.fixture
def batches() -> Batches:
    return Batches()


@pytest.fixture
def model() -> Dense:
    return Dense()


# -- a traced model -------------------------------------------------------------------------------


def test_a_step_is_traced_without_running_it(model: Dense, batches: Batches) -> None:
    estimate(model, batches, data_us=10)
    assert batches.fetched == 0
    assert not model.w.asnumpy().any()


def test_the_ops_of_a_traced_step_know_what_they_are_for(model: Dense, batches: Batches) -> None:
    from minispore.ir.value import Spec

    types, shapes = batches.types_shapes()
    specs = [Spec(s, t) for t, s in zip(types, shapes, strict=True)]
    records = records_of(trace_step(model.train_network, specs))
    kinds = [r.kind for r in records]
    assert kinds == sorted(kinds, key=[FORWARD, BACKWARD, OPTIMIZER].index)
    (update,) = [r for r in records if r.name == "ApplyMomentum"]
    assert update.kind == OPTIMIZER
    assert [o.param for o in update.inputs] == [True, True, False, False, False]
    (product,) = [r for r in records if r.name == "MatMul" and r.kind == FORWARD]
    assert product.line.startswith("test_predict.py:")


def test_a_memory_report_tells_parameters_from_optimizer_state(model, batches) -> None:
    report = memory_report(model, batches)
    assert report.peak_by_kind["parameters"] == report.peak_by_kind["optimizer state"] == 2560
    assert report.batch_size == 32
    assert report.fits
    assert report.largest_batch > 1000


def test_a_memory_report_for_a_device_that_is_too_small_says_so(model, batches) -> None:
    small = device_spec().replace(memory_bytes=16 * 2**20, channel_batches=1)
    report = memory_report(model, Batches(rows=1 << 15), device=small)
    assert not report.fits
    with pytest.raises(DeviceMemoryError, match=f"'batch_size' to {report.largest_batch} or less"):
        report.check()


def test_a_model_without_a_training_step_is_refused(batches: Batches) -> None:
    with pytest.raises(TypeError, match=r"Model\(network, loss_fn, optimizer\)"):
        estimate(object(), batches, data_us=0)


def test_a_traced_model_needs_a_dataset_with_shapes(model: Dense) -> None:
    with pytest.raises(TypeError, match="must be a dataset"):
        estimate(model, 100)


# -- the pipeline ---------------------------------------------------------------------------------


def test_the_pipeline_is_measured_on_some_batches_and_closed(batches: Batches) -> None:
    assert measure_pipeline(batches, batches=7) >= 0
    assert batches.fetched == 8  # the first one starts it up
    assert batches.closed


def test_a_pipeline_of_one_batch_is_measured_by_that_one() -> None:
    one = Batches(size=1)
    assert measure_pipeline(one) > 0
    assert one.fetched == 1


def test_an_estimate_says_whether_the_pipeline_was_measured(model, batches) -> None:
    assert estimate(model, batches).data_measured
    overridden = estimate(model, batches, data_us=123)
    assert (overridden.data_measured, overridden.data_us) == (False, 123)


# -- the table ------------------------------------------------------------------------------------


def test_counts_are_exact_for_every_way() -> None:
    actual = estimate(make_training_step(models.lenet), 1875, sink_size=1000, data_us=0)
    kernels, row_bytes = actual.cost.launches, 32 * (32 * 32 * 4 + 4)
    expected = {
        "none": (1875, 1875, 1875 * kernels),
        "data": (1875, 1875, 1875 * (kernels + 1)),
        "graph": (1875, 1875, 0),
        "loop": (2, 2, 0),
    }
    for way in WAYS:
        counts = actual[way].counts
        counts_now = counts.interactions, counts.program_launches, counts.kernel_launches
        assert counts_now == expected[way]
        assert counts.h2d_bytes == 1875 * row_bytes
        assert counts.d2h_bytes == 1875 * 4


@pytest.mark.parametrize("way", WAYS)
def test_counts_after_the_simulated_steps_equal_a_full_simulation(way: str, monkeypatch) -> None:
    whole = estimate(make_training_step(models.lenet), 300, sink_size=7, data_us=0)[way].counts
    monkeypatch.setattr("minispore.device.model.forecast.SIMULATED_STEPS", 20)
    assert (
        estimate(make_training_step(models.lenet), 300, sink_size=7, data_us=0)[way].counts == whole
    )


@pytest.mark.parametrize("data_us", [0, 900, 5000])
def test_times_after_the_simulated_steps_continue_at_the_settled_rate(data_us, monkeypatch) -> None:
    whole = estimate(make_training_step(models.lenet), 3000, data_us=data_us)
    monkeypatch.setattr("minispore.device.model.forecast.SIMULATED_STEPS", 1000)
    part = estimate(make_training_step(models.lenet), 3000, data_us=data_us)
    for way in WAYS:
        assert part[way].epoch_us == pytest.approx(whole[way].epoch_us, rel=1e-3)


def test_an_estimate_prints_a_table_that_says_it_is_a_model() -> None:
    text = str(estimate(make_training_step(models.lenet), 1875, data_us=100, devices=8))
    assert "predicted, a model and no measurement" in text
    assert all(f"\n{way} " in text for way in WAYS)
    assert "8 devices: all_reduce" in text
    assert "bottleneck: " in text


@pytest.mark.parametrize(("name", "ways"), [("GPU", 2), ("CPU", 1), ("Ascend310", 4)])
def test_a_way_that_the_target_lacks_falls_back_to_the_one_before(name: str, ways: int) -> None:
    actual = estimate(make_training_step(models.lenet), 10, device=name, data_us=0)
    assert [p.supported for p in actual] == [True] * ways + [False] * (4 - ways)
    assert len({p.step_us for p in list(actual)[ways - 1 :]}) == 1
    assert str(actual).count(f"not on {device_spec(name).target}") == 4 - ways


def test_the_timeline_of_an_estimate_shows_its_first_steps() -> None:
    timeline = estimate(make_training_step(models.lenet), 10, data_us=0).timeline("graph", 2)
    assert [r.step for r in timeline if r.name == "program"] == [1, 2]


@given(st.integers(1, 200), st.integers(1, 200), st.floats(0, 1e5), st.sampled_from(sorted(SPECS)))
@settings(max_examples=15)
def test_loop_graph_data_none_holds_for_every_dataset(size, sink, data_us, device) -> None:
    actual = estimate(
        make_training_step(models.lenet), size, sink_size=sink, data_us=data_us, device=device
    )
    none, data, graph, loop = (p.epoch_us for p in actual)
    assert loop <= graph <= data <= none
    assert all(0 <= p.busy_share <= 1 and 0 <= p.wait_share <= 1 for p in actual)


# -- what limits ----------------------------------------------------------------------------------


def advice(**options) -> tuple[str, str]:
    actual = estimate(make_training_step(models.lenet), 1875, **{"data_us": 0, **options})
    return actual.bottleneck, "\n".join(actual.advice)


def test_a_slow_pipeline_is_the_bottleneck_and_workers_would_move_it() -> None:
    bottleneck, text = advice(data_us=5000)
    assert bottleneck == "data pipeline"
    assert "about 5 times as many (num_parallel_workers)" in text  # 5 ms against 1.04 ms


def test_small_kernels_are_the_bottleneck_of_a_small_network() -> None:
    bottleneck, text = advice(device=device_spec().replace(product_float32_us=1, kernel_us=16))
    assert bottleneck == "device, by small kernels"
    assert "a larger batch costs little more" in text


def test_small_sinks_make_the_host_the_bottleneck() -> None:
    bottleneck, text = advice(sink_size=1)
    assert bottleneck == "host"
    assert "1875 sinks an epoch; 1875 leaves one" in text


def test_a_large_network_is_limited_by_what_it_computes() -> None:
    actual = estimate(make_training_step(models.vgg16), 10, data_us=0)
    assert actual.bottleneck == "device, by compute"


def test_a_slow_bus_is_the_bottleneck() -> None:
    actual = estimate(
        make_training_step(models.lenet), 100, device=device_spec().replace(h2d_gbs=0.05), data_us=0
    )
    assert actual.bottleneck == "host to device copy"
    assert "uint8 or float16" in "\n".join(actual.advice)


# -- several devices ------------------------------------------------------------------------------


def test_more_devices_never_make_a_step_shorter() -> None:
    steps = [
        estimate(make_training_step(models.lenet), 10, data_us=0, devices=d)["loop"].step_us
        for d in (1, 8, 4096)
    ]
    assert steps == sorted(steps)


def test_one_device_is_fully_efficient() -> None:
    assert estimate(make_training_step(models.lenet), 10, data_us=0).efficiency == 1


# -- arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sink_size": 0}, ValueError),
        ({"sink_size": -2}, ValueError),
        ({"sink_size": 1.5}, TypeError),
        ({"sink_size": True}, TypeError),
        ({"devices": 0}, ValueError),
        ({"devices": 4097}, ValueError),
        ({"devices": "8"}, TypeError),
        ({"data_us": -1}, ValueError),
        ({"data_us": math.nan}, ValueError),
        ({"data_us": "fast"}, ValueError),
        ({"device": "Ascend911"}, ValueError),
    ],
)
def test_arguments_out_of_range_are_refused(options: dict, error: type[Exception]) -> None:
    with pytest.raises(error):
        estimate(make_training_step(models.lenet), 10, **options)


def test_an_empty_dataset_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one batch"):
        estimate(make_training_step(models.lenet), 0)


def test_a_fresh_count_is_all_zero() -> None:
    assert set(vars(Counts()).values()) == {0}


# -- precision ------------------------------------------------------------------------------------


@pytest.fixture
def force_fp16():
    before = context.current()
    context.set_context(device_target="Ascend", ascend_config={"precision_mode": "force_fp16"})
    yield
    context.restore(before)


def test_force_fp16_lets_the_device_compute_in_float16(model, batches, force_fp16) -> None:
    half = {k.op_type for k in estimate(model, batches, data_us=0).cost.kernels if k.inserted}
    assert "Cast" in half  # of the batch and of the weight, which stay float32
    report = memory_report(model, Batches(rows=64))
    assert report.peak_by_kind["parameters"] == 2560


def test_force_fp16_takes_less_time_than_products_of_float32(model, batches, force_fp16) -> None:
    half = estimate(model, batches, data_us=0).cost.device_us
    context.set_context(ascend_config={})
    assert half < estimate(model, batches, data_us=0).cost.device_us


# -- what is not known -----------------------------------------------------------------------------


class Odd(nn.Cell):
    """A loss with an op of which the device knows nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(16, 16)

    def construct(self, x: Any) -> Any:
        return ops.cumsum(self.dense(x), 0).sum()


def odd() -> Estimate:
    net = Odd()
    model = Model(net, optimizer=nn.SGD(net.trainable_params(), 0.1))
    return estimate(model, Shapes([((32, 16), np.float32)]), data_us=0)


def test_an_estimate_names_the_ops_that_are_priced_by_default_and_their_share() -> None:
    actual = odd()
    shares = actual.cost.sum_default_priced_types()
    us = sum(k.us for k in actual.cost.kernels if "CumSum" in k.ops)
    assert shares["CumSum"] == pytest.approx(us / actual.cost.device_us)
    assert re.search(r"priced by default: [\d.]+% of the device's time \(CumSum", str(actual))


def test_a_network_of_supported_ops_has_no_default_prices(model, batches) -> None:
    actual = estimate(model, batches, data_us=0)
    assert actual.cost.sum_default_priced_types() == {}
    assert "priced by default" not in str(actual)


def test_the_classes_of_kernels_add_up_to_the_device_s_time(model, batches) -> None:
    cost = estimate(model, batches, data_us=0).cost
    assert sum(us for _, us in cost.sum_kernel_types().values()) == cost.device_us
    assert sum(count for count, _ in cost.sum_kernel_types().values()) == cost.launches
