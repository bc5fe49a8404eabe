"""What LossMonitor and TimeMonitor print, and when."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore import context, nn
from minispore.core.tensor import Tensor
from minispore.device import faults
from minispore.train import (
    LossMonitor,
    Model,
    RunContext,
    TimeMonitor,
)
from tests.train.nets import (
    GRAPH,
    PYNATIVE,
    Log,
    Params,
    devices,
    epochs,
    modes,
    numbers,
    printed,
    regression,
    sizes,
    train,
    trainer,
)


class Constant(nn.Cell):
    """Returns the same thing whatever comes in, in a form of choice."""

    def __init__(self, value: float, form: str = "scalar") -> None:
        super().__init__()
        self.value = Tensor(np.float32(value))
        self.form = form

    def construct(self, x: Tensor) -> Any:
        value = x.mean() * 0 + self.value
        if self.form == "tuple":
            return value, x
        return value if self.form == "scalar" else value * (x * 0 + 1)


# -- LossMonitor -----------------------------------------------------------------------------------


@given(
    value=st.sampled_from([math.nan, math.inf, -math.inf]),
    form=st.sampled_from(["scalar", "array", "tuple"]),
    mode=modes,
    sink=st.booleans(),
    every=st.integers(1, 3),
)
def test_a_loss_that_is_no_number_ends_the_training(value, form, mode, sink, every) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    model = Model(Constant(value, form))

    def run() -> None:
        with pytest.raises(ValueError, match="loss is NAN or INF"):
            train(model, numbers(3), LossMonitor(every), dataset_sink_mode=sink)

    assert printed(run) == []


@given(size=sizes, epoch=epochs, mode=modes, sink=st.booleans())
def test_loss_monitor_of_zero_steps_prints_nothing(size, epoch, mode, sink) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    model, data = Model(Log(1)), numbers(size)
    with pytest.warns(UserWarning, match="prints no loss"):
        monitor = LossMonitor(0)
    assert printed(lambda: train(model, data, monitor, epoch, dataset_sink_mode=sink)) == []


@given(size=sizes, epoch=epochs, mode=modes, sink=st.booleans(), every=st.integers(1, 4))
def test_a_line_of_loss_monitor_shows_the_mean_of_the_outputs(
    size, epoch, mode, sink, every
) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    outputs = Params("net_outputs")
    steps = Params("cur_step_num")
    lines = printed(
        lambda: train(
            trainer(),
            regression(size),
            [outputs, steps, LossMonitor(every)],
            epoch,
            dataset_sink_mode=sink,
        )
    )
    means = [float(np.mean(o.asnumpy())) for o in outputs.values]
    assert all(re.fullmatch(r"epoch: \d+ step: \d+, loss is \S+", line) for line in lines)
    losses = [float(line.rsplit(" ", 1)[1]) for line in lines]
    assert [x for x in means if x in losses] == losses


def test_a_tuple_s_first_element_is_printed_as_the_tensor_it_is() -> None:
    lines = printed(lambda: train(Model(Constant(0.1, "tuple")), numbers(1), LossMonitor()))
    assert lines == ["epoch: 1 step: 1, loss is 0.1"]  # float32 digits
    lines = printed(lambda: train(Model(Constant(0.1)), numbers(1), LossMonitor()))
    assert lines == ["epoch: 1 step: 1, loss is 0.10000000149011612"]  # float64 digits of a mean


def test_a_monitor_that_is_used_again_prints_from_the_start() -> None:
    monitor, model = LossMonitor(2), trainer()
    first = printed(lambda: train(model, regression(3), monitor))
    second = printed(lambda: train(model, regression(3), monitor))
    assert [x.partition(",")[0] for x in first] == [x.partition(",")[0] for x in second]


@given(size=sizes, epoch=epochs, sink_size=st.integers(1, 6), every=st.integers(1, 5), dev=devices)
def test_every_step_prints_in_a_sink_what_no_sink_would_have(
    size, epoch, sink_size, every, dev
) -> None:
    lines = {}
    for mode in (GRAPH, PYNATIVE):
        context.set_context(mode=mode, device_target=dev)
        monitor = LossMonitor(every, every_step=True)
        lines[mode] = printed(
            lambda monitor=monitor: train(
                trainer(),
                regression(size),
                monitor,
                epoch,
                dataset_sink_mode=True,
                sink_size=sink_size,
            )
        )
    assert lines[GRAPH] == lines[PYNATIVE]
    assert len(lines[GRAPH]) == epoch * sink_size // every


@pytest.mark.parametrize(
    ("every", "error"), [(-1, ValueError), (1.0, TypeError), ("1", TypeError), (True, TypeError)]
)
def test_per_print_times_must_be_a_count(every, error) -> None:
    with pytest.raises(error):
        LossMonitor(every)


def test_in_a_plain_evaluation_it_prints_too() -> None:
    lines = printed(lambda: trainer(metrics={"mse"}).eval(regression(2), LossMonitor()))
    assert [line.partition(",")[0] for line in lines] == ["epoch: 1 step: 1", "epoch: 1 step: 2"]


# -- TimeMonitor -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sink", [False, True])
def test_the_time_line_has_mindspore_s_form(sink) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    number = r" *\d+\.\d{3} ms"
    lines = printed(
        lambda: train(trainer(), regression(2), TimeMonitor(), 2, dataset_sink_mode=sink)
    )
    assert len(lines) == 2
    for line in lines:
        assert re.fullmatch(rf"Train epoch time: {number}, per step time: {number}", line)
    lines = printed(
        lambda: train(trainer(), regression(2), TimeMonitor(data_time=True), dataset_sink_mode=sink)
    )
    assert re.fullmatch(rf".*per step time: {number} \(data time: {number}\)", lines[0])


def test_eval_has_a_time_line_of_its_own() -> None:
    lines = printed(lambda: trainer(metrics={"mse"}).eval(regression(1), TimeMonitor()))
    assert lines[0].startswith("Eval epoch time: ")


def test_the_time_monitor_checks_its_arguments() -> None:
    with pytest.raises(TypeError):
        TimeMonitor(data_time=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        TimeMonitor().epoch_end(RunContext({"mode": "train"}))
    with pytest.raises(ValueError):
        TimeMonitor(0).epoch_end(RunContext({"mode": "train"}))


class Clock:
    """A clock that goes on by the seconds it is told, whenever it is read."""

    def __init__(self, *steps: float) -> None:
        self.now, self.steps = 0.0, list(steps)

    def __call__(self) -> float:
        self.now += self.steps.pop(0) if self.steps else 0.0
        return self.now


def time_lines(monkeypatch: pytest.MonkeyPatch, epochs: list[float], batch_num: int) -> list[str]:
    """What a TimeMonitor prints of epochs that took so many seconds, with a second in between."""
    from minispore.train.callback import monitors

    clock = Clock()
    monkeypatch.setattr(monitors.time, "perf_counter", clock)
    monitor = TimeMonitor()
    run_context = RunContext({"mode": "train", "batch_num": batch_num})

    def run() -> None:
        for seconds in epochs:
            clock.now += 1.0
            monitor.epoch_begin(run_context)
            clock.now += seconds
            monitor.epoch_end(run_context)

    return printed(run)


def test_the_time_of_a_step_is_the_epoch_s_by_its_steps(monkeypatch) -> None:
    (line,) = time_lines(monkeypatch, [2.5], batch_num=4)
    assert line == "Train epoch time: 2500.000 ms, per step time: 625.000 ms"


def test_every_epoch_starts_the_clock_anew(monkeypatch) -> None:
    lines = time_lines(monkeypatch, [2.0, 3.0], batch_num=1)
    assert [line.split(":")[1].split(",")[0].strip() for line in lines] == [
        "2000.000 ms",
        "3000.000 ms",
    ]


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
def test_the_data_time_of_a_sink_is_what_getnext_waited(mode) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    monitor = TimeMonitor(data_time=True)

    def run() -> None:
        with faults.slow_batch(2, 0.2):
            train(trainer(), regression(2), monitor, dataset_sink_mode=True)

    (line,) = printed(run)
    assert float(re.search(r"data time: +([\d.]+) ms", line)[1]) >= 50  # of 200 in two steps
