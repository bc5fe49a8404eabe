"""The curves of a training, as its profile shows them."""

from __future__ import annotations

import numpy as np
import pytest

from minispore import context, dataset, device, nn
from minispore.core.callback import watchers
from minispore.profiler import Profiler
from minispore.profiler.page import make_page_data
from minispore.train import Model
from tests.profiler.conftest import ROWS, STEPS, Net, train

WAYS = {
    "graph, sink": (context.GRAPH_MODE, "Ascend", True),
    "graph": (context.GRAPH_MODE, "Ascend", False),
    "graph, data sink": (context.GRAPH_MODE, "GPU", True),
    "op by op, sink": (context.PYNATIVE_MODE, "Ascend", True),
    "op by op": (context.PYNATIVE_MODE, "CPU", False),
}


def model_of(rate) -> Model:
    net = Net()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return Model(net, loss, nn.SGD(net.trainable_params(), rate), metrics={"loss", "acc"})


def rows() -> dataset.Dataset:
    rng = np.random.default_rng(0)
    x = rng.random((STEPS * ROWS, 6), np.float32)
    y = rng.integers(0, 3, STEPS * ROWS).astype(np.int32)
    return dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(ROWS)


@pytest.fixture
def profiler(tmp_path):
    profiler = Profiler(output_path=str(tmp_path))
    yield profiler
    if profiler.running:
        profiler.stop()


@pytest.mark.parametrize("way", WAYS)
def test_each_step_has_its_loss_whatever_the_way(way: str, tmp_path) -> None:
    mode, target, sink = WAYS[way]
    context.set_context(mode=mode, device_target=target)
    profiler = Profiler(output_path=str(tmp_path))
    train(sink, epochs=2)
    profiler.stop()
    losses = profiler.recorder.curves.get_curves()["loss"]
    assert [step for step, _ in losses] == list(range(1, 2 * STEPS + 1))
    assert len({loss for _, loss in losses}) == 2 * STEPS


def test_the_rate_of_a_list_is_that_of_each_step(profiler) -> None:
    rates = [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.5, 1.0]
    model_of(rates).train(2, rows())
    assert profiler.recorder.curves.compute_rates() == list(enumerate(rates, 1))


@pytest.mark.parametrize("mode", [context.GRAPH_MODE, context.PYNATIVE_MODE])
def test_the_rate_of_a_schedule_is_that_of_each_step_in_a_sink(profiler, mode: int) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    schedule = nn.ExponentialDecayLR(0.5, 0.5, 1)
    model_of(schedule).train(1, rows(), dataset_sink_mode=True)
    rates = profiler.recorder.curves.compute_rates()
    assert rates == [(1, 0.5), (2, 0.25), (3, 0.125), (4, 0.0625)]


def test_asking_for_the_rates_is_no_work_of_the_device(profiler) -> None:
    model_of(nn.ExponentialDecayLR(0.5, 0.5, 1)).train(1, rows())
    before = device.current().counters.kernel_launches
    assert len(profiler.recorder.curves.compute_rates()) == STEPS
    assert device.current().counters.kernel_launches == before


def test_evaluations_stand_at_the_steps_after_which_they_came(profiler) -> None:
    model = model_of(0.1)
    model.fit(2, rows(), rows())
    profiler.stop()
    curves = profiler.recorder.curves.get_curves()
    assert curves.keys() == {"loss", "learning rate", "evaluated acc", "evaluated loss"}
    assert [step for step, _ in curves["evaluated acc"]] == [STEPS, 2 * STEPS]
    assert len(curves["loss"]) == 2 * STEPS


def test_a_second_training_continues_the_curves_of_the_first(profiler) -> None:
    model = model_of(0.1)
    model.train(1, rows())
    model.train(1, rows())
    model.eval(rows())
    curves = profiler.recorder.curves.get_curves()
    assert [step for step, _ in curves["loss"]] == list(range(1, 2 * STEPS + 1))
    assert [step for step, _ in curves["evaluated acc"]] == [2 * STEPS]


def test_a_training_after_stop_records_no_curves(profiler) -> None:
    profiler.stop()
    train()
    assert not watchers
    assert not profiler.recorder.curves.get_curves()


def test_steps_of_evaluations_are_counted_separately(profiler) -> None:
    model_of(0.1).fit(2, rows(), rows())
    profiler.stop()
    facts = dict(make_page_data(profiler.get_priced_run())["facts"])
    assert facts["steps"] == f"{2 * STEPS}, and {2 * STEPS} of evaluations"
