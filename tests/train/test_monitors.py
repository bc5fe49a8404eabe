"""What LossMonitor and TimeMonitor print, and when."""

from __future__ import annotations

import math
import re
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore import context, device, nn
from minispore.core.tensor import Tensor
from minispore.device import faults
from minispore.train import (
    LossMonitor,
    Model,
    RunContext,
    TimeMonitor,
)
from minispore.train.callback.base import InternalCallbackParam
from minispore.train.callback.monitors import find_last_print_step
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


def test_a_reused_loss_monitor_prints_from_the_start() -> None:
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


def test_eval_prints_its_time_line() -> None:
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


# -- a training that goes on, or goes back ---------------------------------------------------------


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
@pytest.mark.parametrize("sink", [False, True])
@pytest.mark.parametrize("options", [{}, {"every_step": True}])
@pytest.mark.parametrize("every", [1, 2, 5, 7])
def test_later_epochs_print_where_an_unbroken_training_would(mode, sink, options, every) -> None:
    context.set_context(mode=mode, device_target="Ascend")

    def lines(first: int) -> list[str]:
        output = printed(
            lambda: train(
                trainer(),
                regression(3),
                LossMonitor(every, **options),
                4,
                dataset_sink_mode=sink,
                initial_epoch=first,
            )
        )
        return [line.partition(",")[0] for line in output]

    assert lines(2) == [line for line in lines(0) if line.split()[1] > "2"]


@pytest.mark.parametrize(
    ("every", "sink", "steps", "prints"),
    [
        (2, False, [1, 2, 3, 4, 5, 6, 3, 4, 5, 6], [2, 4, 6, 4, 6]),
        (2, True, [5, 10, 15, 5, 10], [5, 10, 15, 5, 10]),
        (7, True, [5, 10, 15, 20, 5, 10], [10, 20, 10]),
    ],
)
def test_a_training_that_is_rolled_back_repeats_its_printed_lines(
    every, sink, steps, prints
) -> None:
    monitor = LossMonitor(every)
    params = InternalCallbackParam(
        cur_epoch_num=1, batch_num=5 if sink else 10, net_outputs=1.0, dataset_sink_mode=sink
    )

    def run() -> None:
        for step in steps:
            params.cur_step_num = step
            monitor.step_end(RunContext(params))

    lines = [(step - 1) % params.batch_num + 1 for step in prints]
    assert printed(run) == [f"epoch: 1 step: {step}, loss is 1.0" for step in lines]


def print_on_silent_rank(callback: Any, event: str, **params: Any) -> list[str]:
    callback._another_rank_writes_ = True
    record = InternalCallbackParam(cur_step_num=1, cur_epoch_num=1, batch_num=1, **params)
    return printed(lambda: getattr(callback, event)(RunContext(record)))


def test_monitors_print_nothing_on_a_silent_rank() -> None:
    assert print_on_silent_rank(LossMonitor(), "step_end", net_outputs=1.0) == []
    assert print_on_silent_rank(LossMonitor(), "on_train_epoch_end", metrics={"mse": 1.0}) == []
    assert print_on_silent_rank(TimeMonitor(), "epoch_end", mode="train") == []


def test_a_training_of_one_rank_tells_all_itself() -> None:
    monitor = LossMonitor()
    monitor._another_rank_writes_ = True  # by an earlier training on several ranks
    assert len(printed(lambda: train(trainer(), regression(1), monitor))) == 1


def test_the_metrics_of_an_epoch_are_printed_as_they_are() -> None:
    params = InternalCallbackParam(cur_epoch_num=3, metrics={"mse": 0.5})
    lines = printed(lambda: LossMonitor().on_train_epoch_end(RunContext(params)))
    assert lines == ["Eval result: epoch 3, metrics: {'mse': 0.5}"]
    assert (
        printed(lambda: LossMonitor().on_train_epoch_end(RunContext(params | {"metrics": {}})))
        == []
    )


@pytest.mark.parametrize("loss", ["text", None, 3, [Tensor([1.0])]])
def test_a_loss_that_is_no_float_is_printed_as_it_is(loss) -> None:
    params = InternalCallbackParam(cur_step_num=1, batch_num=1, net_outputs=loss)
    text = loss[0] if isinstance(loss, list) else loss
    lines = printed(lambda: LossMonitor().step_end(RunContext(params)))
    assert lines == [f"epoch: 1 step: 1, loss is {text}"]


# -- the time of data ------------------------------------------------------------------------------


def test_the_data_time_of_a_step_is_what_it_waited_before_it_began(monkeypatch) -> None:
    from minispore.train.callback import monitors

    clock = Clock()
    monkeypatch.setattr(monitors.time, "perf_counter", clock)
    monitor = TimeMonitor(data_time=True)
    run_context = RunContext({"mode": "train", "batch_num": 2})

    def run() -> None:
        for waits in ((0.5, 0.25), (0.25, 0.125)):
            clock.now += 1.0  # between the epochs
            monitor.epoch_begin(run_context)
            for wait in waits:
                clock.now += wait
                monitor.on_train_step_begin(run_context)
                clock.now += 1.0  # the step
                monitor.on_train_step_end(run_context)
            monitor.epoch_end(run_context)

    assert printed(run) == [
        "Train epoch time: 2750.000 ms, per step time: 1375.000 ms (data time: 375.000 ms)",
        "Train epoch time: 2375.000 ms, per step time: 1187.500 ms (data time: 187.500 ms)",
    ]


def test_a_wall_clock_that_is_set_back_does_not_change_the_time_of_an_epoch(monkeypatch) -> None:
    from minispore.train.callback import monitors

    monkeypatch.setattr(monitors.time, "time", Clock(1e9, *[-3600.0] * 9))
    monkeypatch.setattr(monitors.time, "perf_counter", Clock(0.0, 0.0, 0.25, 1.0, 0.75))
    monitor, run_context = TimeMonitor(data_time=True), RunContext({"mode": "train"})
    run_context.original_args()["batch_num"] = 1

    def run() -> None:
        monitor.epoch_begin(run_context)
        monitor.on_train_step_begin(run_context)
        monitor.on_train_step_end(run_context)
        monitor.epoch_end(run_context)

    assert printed(run) == [
        "Train epoch time: 2000.000 ms, per step time: 2000.000 ms (data time: 250.000 ms)"
    ]


def test_an_epoch_may_have_one_step() -> None:
    run_context = RunContext({"mode": "train"})
    assert len(printed(lambda: TimeMonitor(1).epoch_end(run_context))) == 1


@pytest.mark.parametrize("message", [{}, {"batch_num": 0}, {"batch_num": -1}, {"batch_num": None}])
def test_the_steps_of_an_epoch_that_says_none_are_the_data_size(message, monkeypatch) -> None:
    from minispore.train.callback import monitors

    monkeypatch.setattr(monitors.time, "perf_counter", Clock(0.0, 0.0, 2.0))
    run_context = RunContext({"mode": "eval", **message})

    def run() -> None:
        monitor = TimeMonitor(4)
        monitor.epoch_begin(run_context)
        monitor.epoch_end(run_context)

    assert printed(run) == ["Eval epoch time: 2000.000 ms, per step time: 500.000 ms"]
    with pytest.raises(TypeError, match="data_size must be an int"):
        TimeMonitor().epoch_end(run_context)


def test_the_data_time_of_a_sink_is_what_getnext_waited_in_its_epoch(monkeypatch) -> None:
    counters = device.current().counters
    monitor = TimeMonitor(data_time=True)
    run_context = RunContext({"mode": "train", "batch_num": 2, "dataset_sink_mode": True})

    def run() -> None:
        for wait in (0.5, 0.25):
            counters.getnext_wait_s += 3.0  # between the epochs
            monitor.epoch_begin(run_context)
            monitor.on_train_step_begin(run_context)
            counters.getnext_wait_s += wait
            monitor.on_train_step_end(run_context)
            monitor.epoch_end(run_context)

    lines = [line.partition("(")[2] for line in printed(run)]
    assert lines == ["data time: 250.000 ms)", "data time: 125.000 ms)"]


@pytest.mark.parametrize(
    ("every", "turn", "step", "last"),
    [(1, 1, 7, 7), (5, 1, 14, 10), (5, 3, 15, 12), (3, 3, 6, 6), (0, 3, 9, 0)],
)
def test_last_print_step_is_the_last_multiple_at_the_end_of_a_call(
    every: int, turn: int, step: int, last: int
) -> None:
    assert find_last_print_step(every, turn, step) == last


def test_monitor_subclasses_read_mindspore_attribute_names() -> None:
    class Loss(LossMonitor):
        def step_end(self, run_context: RunContext) -> None:
            step = run_context.original_args().cur_step_num
            if self._per_print_times and step - self._last_print_time >= self._per_print_times:
                self._last_print_time = step
                print(f"epoch: 1 step: {step}, of mine", flush=True)

    class Time(TimeMonitor):
        def epoch_end(self, run_context: RunContext) -> None:
            print(f"Train epoch time: {int(time.time() - self.epoch_time)}", flush=True)

    def run() -> None:
        loss, clock = Loss(2), Time()
        params = InternalCallbackParam(cur_step_num=0, batch_num=4)
        for callback in (loss, clock):
            callback.on_train_begin(RunContext(params))
            callback.epoch_begin(RunContext(params))
        for params.cur_step_num in range(1, 5):
            loss.step_end(RunContext(params))
        clock.epoch_end(RunContext(params))

    assert printed(run) == [
        "epoch: 1 step: 2, of mine",
        "epoch: 1 step: 4, of mine",
        "Train epoch time: 0",
    ]
