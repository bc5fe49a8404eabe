"""The callback protocol and the callbacks: P12, P13, P27 to P30, P41, P42."""

from __future__ import annotations

import math
import os
import re
import signal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore import context, device, nn
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.train import (
    BackupAndRestore,
    Callback,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    Model,
    OnRequestExit,
    ReduceLROnPlateau,
    RunContext,
    TimeMonitor,
    save_checkpoint,
)
from minispore.train.callback.base import EVENTS, OLD_NAMES, InternalCallbackParam
from tests.train.nets import (
    GRAPH,
    PYNATIVE,
    Log,
    Params,
    Trace,
    devices,
    epochs,
    modes,
    numbers,
    printed,
    regression,
    sink_sizes,
    sizes,
    trainer,
    weights_of,
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


def train(model: Model, data: Any, callbacks: Any, epoch: int = 1, **options: Any) -> None:
    model.train(epoch, data, callbacks, **options)


# -- LossMonitor -----------------------------------------------------------------------------------


@given(
    value=st.sampled_from([math.nan, math.inf, -math.inf]),
    form=st.sampled_from(["scalar", "array", "tuple"]),
    mode=modes,
    sink=st.booleans(),
    every=st.integers(0, 3),
)
def test_p12_a_loss_that_is_no_number_ends_the_training(value, form, mode, sink, every) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    model = Model(Constant(value, form))

    def run() -> None:
        with pytest.raises(ValueError, match="loss is NAN or INF"):
            train(model, numbers(3), LossMonitor(every), dataset_sink_mode=sink)

    assert printed(run) == []


@given(size=sizes, epoch=epochs, mode=modes, sink=st.booleans())
def test_p12_zero_prints_nothing(size, epoch, mode, sink) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    model, data = Model(Log(1)), numbers(size)
    assert printed(lambda: train(model, data, LossMonitor(0), epoch, dataset_sink_mode=sink)) == []


@given(size=sizes, epoch=epochs, mode=modes, sink=st.booleans(), every=st.integers(1, 4))
def test_p13_a_line_has_one_form_and_the_mean_of_the_outputs(
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


# -- stopping --------------------------------------------------------------------------------------


class StopAt(Callback):
    """Asks for a stop at an event when the step number is reached."""

    def __init__(self, event: str, step: int) -> None:
        self.step = step
        setattr(self, event, self._look)

    def _look(self, run_context: RunContext) -> None:
        if run_context.original_args().cur_step_num >= self.step:
            run_context.request_stop()


@given(size=sizes, epoch=epochs, at=st.integers(1, 20), mode=modes)
def test_p27_without_sink_a_stop_ends_the_step(size, epoch, at, mode) -> None:
    context.set_context(mode=mode)
    trace, net = Trace(), Log(1)
    train(Model(net), numbers(size), [StopAt("on_train_step_end", at), trace], epoch)
    steps = min(at, size * epoch)
    assert int(net.calls.asnumpy()) == steps
    assert len(trace.of("epoch_end")) == math.ceil(steps / size)
    assert len(trace.of("end")) == 1


@given(
    size=sizes, epoch=epochs, sink_size=sink_sizes, at=st.integers(1, 20), dev=devices, mode=modes
)
def test_p27_in_sink_mode_a_stop_ends_the_epoch(size, epoch, sink_size, at, dev, mode) -> None:
    context.set_context(mode=mode, device_target=dev)
    trace, net = Trace(), Log(1)
    train(
        Model(net),
        numbers(size),
        [StopAt("on_train_step_end", at), trace],
        epoch,
        dataset_sink_mode=True,
        sink_size=sink_size,
    )
    steps = size if sink_size == -1 else sink_size
    assert int(net.calls.asnumpy()) == min(epoch * steps, steps * math.ceil(at / steps))
    assert len(trace.of("end")) == 1


@pytest.mark.parametrize("event", ["begin", "epoch_begin", "step_begin", "step_end"])
def test_a_stop_asked_for_earlier_still_runs_one_step(event) -> None:
    trace, net = Trace(), Log(1)
    train(Model(net), numbers(3), [StopAt(f"on_train_{event}", 0), trace], 2)
    assert int(net.calls.asnumpy()) == 1
    assert [name for name, *_ in trace.events][-3:] == ["step_end", "epoch_end", "end"]


def test_a_stop_at_the_end_of_an_epoch_ends_the_training() -> None:
    trace = Trace()
    train(Model(Log(1)), numbers(3), [StopAt("on_train_epoch_end", 0), trace], 5)
    assert len(trace.of("epoch_begin")) == 1


# -- order -----------------------------------------------------------------------------------------


class Named(Callback):
    def __init__(self, name: str, log: list[str], fail_at: str = "") -> None:
        self.name, self.log, self.fail_at = name, log, fail_at

    def __enter__(self) -> Any:
        self.log.append(f"enter {self.name}")
        return self

    def __exit__(self, kind, error, trace) -> None:
        self.log.append(f"exit {self.name} {kind.__name__ if kind else None}")


def _note(event: str) -> Any:
    def note(self: Named, run_context: RunContext) -> None:
        self.log.append(f"{event} {self.name}")
        if event == self.fail_at:
            raise KeyError(event)

    return note


for _event in EVENTS:
    setattr(Named, _event, _note(_event))


@given(count=st.integers(1, 4), mode=modes, sink=st.booleans())
def test_p28_callbacks_run_in_order_and_leave_in_reverse(count, mode, sink) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    log: list[str] = []
    callbacks = [Named(str(i), log) for i in range(count)]
    train(Model(Log(1)), numbers(2), callbacks, dataset_sink_mode=sink)
    by_event = [log[i : i + count] for i in range(0, len(log), count)]
    assert [entry.split()[1] for entry in by_event[0]] == [str(i) for i in range(count)]
    for group in by_event[:-1]:
        assert [entry.split()[1] for entry in group] == [str(i) for i in range(count)]
        assert len({entry.split()[0] for entry in group}) == 1
    assert by_event[-1] == [f"exit {i} None" for i in reversed(range(count))]


@given(event=st.sampled_from([e for e in EVENTS if "train" in e]), mode=modes, sink=st.booleans())
def test_p28_an_exception_in_a_callback_comes_out_unchanged(event, mode, sink) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    log: list[str] = []
    with pytest.raises(KeyError) as caught:
        train(
            Model(Log(1)),
            numbers(2),
            [Named("a", log), Named("b", log, fail_at=event)],
            dataset_sink_mode=sink,
        )
    assert caught.value.args == (event,)
    assert log[-2:] == ["exit b KeyError", "exit a KeyError"]


def test_what_enters_in_place_of_a_callback_takes_its_place() -> None:
    trace = Trace()

    class Other(Callback):
        def __enter__(self) -> Any:
            return trace

    train(Model(Log(1)), numbers(1), Other())
    assert trace.of("end") == [(1, 1)]


def test_what_enters_and_is_no_callback_is_ignored_with_a_warning() -> None:
    class Odd(Trace):
        def __enter__(self) -> Any:
            return 1

    odd = Odd()
    with pytest.warns(UserWarning, match="must return a Callback"):
        train(Model(Log(1)), numbers(1), odd)
    assert odd.of("end") == [(1, 1)]


def counting(names: list[str]) -> Any:
    counts = dict.fromkeys(names, 0)

    def count(name: str) -> Any:
        def method(self: Any, run_context: RunContext) -> None:
            counts[name] += 1

        return method

    return type("Counting", (Callback,), {n: count(n) for n in names})(), counts


@given(size=sizes, epoch=epochs, mode=modes, sink=st.booleans())
@pytest.mark.filterwarnings("ignore:.*names of today")
def test_p29_old_names_see_as_many_events_as_new_ones(size, epoch, mode, sink) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    old, old_counts = counting(list(OLD_NAMES))
    new, new_counts = counting(list(EVENTS))
    model = trainer(metrics={"mse"})
    train(model, regression(size), [old, new], epoch, dataset_sink_mode=sink)
    model.eval(regression(size), [old, new], dataset_sink_mode=sink)
    for name in OLD_NAMES:
        assert old_counts[name] == new_counts[f"on_train_{name}"] + new_counts[f"on_eval_{name}"]


def test_a_new_name_hides_the_old_one() -> None:
    calls = []

    class Both(Callback):
        def step_end(self, run_context: RunContext) -> None:
            calls.append("old")

        def on_train_step_end(self, run_context: RunContext) -> None:
            calls.append("new")

    with pytest.warns(DeprecationWarning):
        train(Model(Log(1)), numbers(1), Both())
    assert calls == ["new"]


# -- fit -------------------------------------------------------------------------------------------

KEPT = ("mode", "batch_num", "cur_step_num", "dataset_sink_mode")


class AroundEval(Callback):
    """Compares what an evaluation must put back."""

    def __init__(self) -> None:
        self.evaluated: list[int] = []
        self.modes: list[str] = []

    def on_train_step_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        self.before = {key: params[key] for key in KEPT}
        self.outputs = params.net_outputs

    def on_eval_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        self.modes.append(params.mode)
        assert params.metrics

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        assert {key: params[key] for key in KEPT} == self.before
        assert params.net_outputs is self.outputs
        if "metrics" in params:
            self.evaluated.append(params.cur_epoch_num)
            assert params.eval_results.keys() == {*params.metrics, "eval_loss"}


@given(
    size=sizes,
    epoch=epochs,
    frequency=st.one_of(st.integers(1, 4), st.lists(st.integers(1, 5), max_size=3)),
    mode=modes,
    sink=st.booleans(),
    eval_sink=st.booleans(),
)
def test_p30_fit_evaluates_when_due_and_puts_everything_back(
    size, epoch, frequency, mode, sink, eval_sink
) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    around = AroundEval()
    trainer(metrics={"mse"}).fit(
        epoch,
        regression(size),
        regression(2, batch=3),
        frequency,
        around,
        dataset_sink_mode=sink,
        valid_dataset_sink_mode=eval_sink,
    )
    due = [
        k
        for k in range(1, epoch + 1)
        if (k in frequency if isinstance(frequency, list) else k % frequency == 0)
    ]
    assert around.evaluated == due
    assert around.modes == ["eval"] * len(due)


def test_the_lines_of_fit_come_in_mindspore_s_order() -> None:
    lines = printed(
        lambda: trainer(metrics={"mse"}).fit(
            1, regression(1), regression(1), callbacks=[LossMonitor(), TimeMonitor()]
        )
    )
    starts = [line.split(":")[0].split(" epoch")[0] for line in lines]
    assert starts == ["epoch", "Eval", "Eval result", "Train"]


def test_training_mode_is_on_in_training_and_off_in_evaluation() -> None:
    seen = []

    class Look(Callback):
        def on_train_step_end(self, run_context: RunContext) -> None:
            seen.append(("train", run_context.original_args().network.training))

        def on_eval_step_end(self, run_context: RunContext) -> None:
            seen.append(("eval", run_context.original_args().network.training))

    trainer(metrics={"mse"}).fit(2, regression(1), regression(1), callbacks=Look())
    assert seen == [("train", True), ("eval", False)] * 2


def test_eval_loss_is_the_mean_over_the_evaluation_set() -> None:
    seen = []

    class Look(Callback):
        def on_train_epoch_end(self, run_context: RunContext) -> None:
            params = run_context.original_args()
            seen.append((params.eval_results["eval_loss"], params.metrics["loss"]))

    trainer(metrics={"loss"}).fit(1, regression(1), regression(4, batch=1), callbacks=Look())
    assert seen[0][0] == pytest.approx(seen[0][1])


@given(size=sizes, mode=modes, dev=devices)
def test_p37_evaluation_gives_the_same_with_and_without_sink(size, mode, dev) -> None:
    context.set_context(mode=mode, device_target=dev)
    model = trainer(metrics={"mse", "mae", "loss"})
    trace, steps = counting(["on_eval_step_end"])
    without = model.eval(regression(size))
    within = model.eval(regression(size), trace, dataset_sink_mode=True)
    assert within == without
    assert steps == {"on_eval_step_end": size}


def test_p36_switching_modes_changes_no_result() -> None:
    net, x = nn.Dense(3, 2), Tensor(np.ones((2, 3), np.float32))
    results = []
    for mode in (GRAPH, PYNATIVE, GRAPH, PYNATIVE, PYNATIVE, GRAPH):
        context.set_context(mode=mode)
        results.append(net(x).asnumpy().tolist())
    assert all(r == results[0] for r in results)


@given(device_id=st.integers(0, 4095), dev=st.sampled_from(["CPU", "GPU"]), mode=modes)
def test_p34_the_device_id_changes_no_result(device_id, dev, mode) -> None:
    ends = []
    for chosen in (0, device_id):
        context.set_context(mode=mode, device_target=dev, device_id=chosen)
        model = trainer()
        train(model, regression(2), None)
        ends.append(weights_of(model))
    assert ends[0] == ends[1]


# -- cb_params -------------------------------------------------------------------------------------


def test_the_record_tells_of_the_run() -> None:
    fields = {}

    class Look(Callback):
        def on_train_begin(self, run_context: RunContext) -> None:
            fields.update(run_context.original_args())

    context.set_context(mode=GRAPH, device_target="Ascend")
    data, model = regression(3), trainer()
    train(model, data, Look(), 4, dataset_sink_mode=True, sink_size=2, initial_epoch=1)
    assert fields["epoch_num"] == 3
    assert fields["batch_num"] == fields["sink_size"] == 2
    assert fields["cur_step_num"] == fields["initial_step"] == 2
    assert fields["mode"] == "train"
    assert fields["train_dataset"] is data
    assert fields["dataset_sink_mode"] is True
    assert fields["parallel_mode"] == "stand_alone"
    assert fields["device_number"] == 1
    assert fields["train_dataset_element"] is None
    assert fields["loss_scale_mananger"] is None
    assert "cur_epoch_num" not in fields
    assert "net_outputs" not in fields


def test_a_missing_field_is_an_attribute_error_that_knows_the_close_one() -> None:
    params = InternalCallbackParam(cur_step_num=1)
    with pytest.raises(AttributeError, match="Did you mean 'cur_step_num'"):
        params.cur_setp_num
    assert not hasattr(params, "metrics")
    assert params.get("metrics") is None


def test_additions_stay_and_writes_reach_the_loop() -> None:
    seen = []

    class Write(Callback):
        def on_train_step_end(self, run_context: RunContext) -> None:
            params = run_context.original_args()
            params.mine = params.get("mine", 0) + 1
            params.cur_step_num += 10
            seen.append((params.mine, params.cur_step_num))

    train(Model(Log(1)), numbers(3), Write())
    assert seen == [(1, 11), (2, 22), (3, 33)]


def test_a_run_context_wants_a_dict() -> None:
    with pytest.raises(TypeError):
        RunContext([])  # type: ignore[arg-type]
    run_context = RunContext({"a": 1})
    assert run_context.original_args() == {"a": 1}
    assert not run_context.get_stop_requested()
    run_context.request_stop()
    assert run_context.get_stop_requested()


def test_the_elements_are_the_batch_or_nothing() -> None:
    elements = Params("train_dataset_element")
    train(Model(Log(1)), numbers(1, shuffle=False), elements)
    assert [t.asnumpy().tolist() for t in elements.values[0]] == [[0.0, 1.0]]
    context.set_context(mode=GRAPH, device_target="Ascend")
    elements = Params("train_dataset_element")
    train(Model(Log(1)), numbers(1), elements, dataset_sink_mode=True)
    assert elements.values == [()]


# -- History, EarlyStopping, learning rates --------------------------------------------------------


@given(size=sizes, epoch=epochs, mode=modes, sink=st.booleans())
def test_p41_history_keeps_the_output_of_each_epoch(size, epoch, mode, sink) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    history, outputs = History(), []

    def note(run_context: RunContext) -> None:
        outputs.append(float(np.mean(run_context.original_args().net_outputs.asnumpy())))

    callbacks = [history, LambdaCallback(on_train_epoch_end=note)]
    train(trainer(), regression(size), callbacks, epoch, dataset_sink_mode=sink)
    assert [float(v) for v in history.history["net_output"]] == outputs
    assert history.epoch == {"epoch": list(range(1, epoch + 1))}


def test_history_collects_metrics_and_goes_on_in_the_next_run() -> None:
    history, model = History(), trainer(metrics={"mse"})
    model.fit(2, regression(1), regression(1), callbacks=history)
    model.fit(1, regression(1), regression(1), callbacks=history)
    assert len(history.history["mse"]) == 3
    assert history.epoch == {"epoch": [1]}


@given(size=sizes, epoch=epochs, sink_size=sink_sizes, dev=devices)
def test_p42_the_rate_scheduler_is_called_once_a_sink(size, epoch, sink_size, dev) -> None:
    context.set_context(mode=GRAPH, device_target=dev)
    steps = size if sink_size == -1 else sink_size
    calls = []

    def halve(rate: float, step: int) -> float:
        calls.append((rate, step))
        return rate / 2

    model = trainer()
    train(
        model,
        regression(size),
        LearningRateScheduler(halve),
        epoch,
        dataset_sink_mode=True,
        sink_size=sink_size,
    )
    assert [step for _, step in calls] == [steps * k for k in range(1, epoch + 1)]
    assert [rate for rate, _ in calls] == pytest.approx([0.05 / 2**k for k in range(epoch)])
    rate = model.train_network.optimizer.learning_rate
    assert float(rate.asnumpy()) == pytest.approx(0.05 / 2**epoch)


def monitored(callback: Any, values: list[float], network: Any = None, optimizer: Any = None):
    """Run ``callback`` over epochs whose eval_loss is as given; returns the epochs that ran."""
    params = InternalCallbackParam(
        train_network=network or nn.Dense(1, 1), optimizer=optimizer, net_outputs=Tensor(1.0)
    )
    run_context = RunContext(params)
    callback.on_train_begin(run_context)
    for epoch, value in enumerate(values, 1):
        params.cur_epoch_num = epoch
        params.eval_results = {"eval_loss": value, "accuracy": value}
        callback.on_train_epoch_end(run_context)
        if run_context.get_stop_requested():
            break
    callback.on_train_end(run_context)
    return params.cur_epoch_num


@pytest.mark.parametrize(
    ("options", "values", "stops_after"),
    [
        ({}, [3, 2, 2, 1], 3),  # patience 0: at the first epoch without improvement
        ({"patience": 2}, [3, 3, 3, 3], 3),
        ({"patience": 2}, [3, 3, 2, 2, 2], 5),
        ({"min_delta": 0.5}, [3, 2.8], 2),
        ({"monitor": "accuracy"}, [0.1, 0.2, 0.2], 3),  # more is better
        ({"monitor": "accuracy", "mode": "min"}, [0.2, 0.1, 0.1], 3),
        ({"baseline": 1.0, "patience": 2}, [3, 2, 1.5], 2),  # better, but not than the baseline
        ({}, [1, 0.0, 0.0], 3),  # 0.0 is a value
    ],
)
def test_early_stopping(options, values, stops_after) -> None:
    assert monitored(EarlyStopping(**options), values) == stops_after


def test_early_stopping_says_when_and_restores_the_best_weights() -> None:
    net = nn.Dense(1, 1, weight_init="zeros", bias_init="zeros")
    callback = EarlyStopping(verbose=True, patience=1, restore_best_weights=True)
    params = InternalCallbackParam(train_network=net)
    run_context = RunContext(params)

    def run() -> None:
        callback.on_train_begin(run_context)
        for epoch, (weight, loss) in enumerate([(1.0, 2.0), (2.0, 1.0), (3.0, 5.0)], 1):
            net.weight.set_data(Tensor([[weight]]))
            params.update(cur_epoch_num=epoch, eval_results={"eval_loss": loss})
            callback.on_train_epoch_end(run_context)
        callback.on_train_end(run_context)

    assert printed(run) == [
        "Restoring model weights from the end of the best epoch.",
        "Epoch 00003: early stopping",
    ]
    assert net.weight.asnumpy().tolist() == [[2.0]]


def test_a_value_that_is_not_there_is_a_warning_and_no_stop() -> None:
    with pytest.warns(UserWarning, match="'recall' is not available. There is: loss, eval_loss"):
        assert monitored(EarlyStopping(monitor="recall"), [1.0]) == 1


def test_the_training_loss_can_be_watched_too() -> None:
    assert monitored(EarlyStopping(monitor="loss", patience=1), [0, 0, 0]) == 2


@pytest.mark.parametrize("kind", [EarlyStopping, ReduceLROnPlateau])
@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"mode": "up"}, ValueError),
        ({"mode": 1}, TypeError),
        ({"monitor": 1}, TypeError),
        ({"patience": -1}, ValueError),
        ({"patience": 1.5}, TypeError),
        ({"min_delta": "1"}, TypeError),
        ({"verbose": 1}, TypeError),
    ],
)
def test_arguments_of_those_that_watch(kind, options, error) -> None:
    with pytest.raises(error):
        kind(**options)


def test_a_plateau_lowers_the_rate() -> None:
    net = nn.Dense(1, 1)
    optimizer = nn.SGD(net.trainable_params(), 1.0)
    callback = ReduceLROnPlateau(factor=0.5, patience=2, verbose=True, cooldown=1, min_lr=0.2)
    lines = printed(lambda: monitored(callback, [5, 5, 5, 5, 5, 5, 5, 5, 5], net, optimizer))
    # waits 2, lowers, cools 1, waits 2 (the cooling epoch counts none), ...
    assert lines == [
        "Epoch 00003: ReduceLROnPlateau reducing learning rate to 0.5.",
        "Epoch 00005: ReduceLROnPlateau reducing learning rate to 0.25.",
        "Epoch 00007: ReduceLROnPlateau reducing learning rate to 0.2.",
    ]
    assert float(optimizer.learning_rate.asnumpy()) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("factor", "error"), [(1, TypeError), (1.0, ValueError), (0.0, ValueError), ("x", TypeError)]
)
def test_the_factor_must_be_a_float_between_0_and_1(factor, error) -> None:
    with pytest.raises(error):
        ReduceLROnPlateau(factor=factor)


def test_a_schedule_s_rate_can_not_be_lowered() -> None:
    class Scheduled:
        learning_rate = 0.1

    with pytest.raises(ValueError, match="one fixed learning rate"):
        monitored(ReduceLROnPlateau(), [1.0], optimizer=Scheduled())


def test_lambda_callback_calls_what_it_was_given() -> None:
    events = []
    hooks = {e: (lambda run_context, e=e: events.append(e)) for e in EVENTS}
    callback = LambdaCallback(**hooks)
    model = trainer(metrics={"mse"})
    train(model, regression(1), callback)
    model.eval(regression(1), callback)
    assert events == [
        f"on_{mode}_{name}"
        for mode in ("train", "eval")
        for name in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
    ]


# -- BackupAndRestore, OnRequestExit ---------------------------------------------------------------


def test_a_backup_is_made_loaded_and_removed(tmp_path) -> None:
    model = trainer()
    backup = BackupAndRestore(str(tmp_path / "b"), delete_checkpoint=False)
    train(model, regression(2), backup, 2)
    assert os.path.exists(backup.backup_file)
    again = trainer()
    loaded = []
    look = LambdaCallback(on_train_begin=lambda c: loaded.append(weights_of(again)))
    end = BackupAndRestore(str(tmp_path / "b"))
    train(again, regression(2), [end, look])
    assert loaded[0] == weights_of(model)
    assert not os.path.exists(backup.backup_file)


def test_a_backup_that_was_never_made_is_no_error(tmp_path) -> None:
    train(trainer(), regression(1), BackupAndRestore(str(tmp_path), save_freq=7))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"backup_dir": 1}, TypeError),
        ({"save_freq": 0}, ValueError),
        ({"save_freq": 1.5}, TypeError),
        ({"delete_checkpoint": 1}, TypeError),
    ],
)
def test_arguments_of_a_backup(options, error, tmp_path) -> None:
    with pytest.raises(error):
        BackupAndRestore(**{"backup_dir": str(tmp_path), **options})


@pytest.mark.parametrize("sink", [False, True])
def test_a_signal_ends_a_training_in_good_order(sink, tmp_path) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    handler = signal.getsignal(signal.SIGTERM)
    ask = LambdaCallback(on_train_step_end=lambda c: signal.raise_signal(signal.SIGTERM))
    exit_ = OnRequestExit(directory=str(tmp_path), file_name="net")
    trace, model = Trace(), trainer()
    train(model, regression(3), [ask, exit_, trace], 4, dataset_sink_mode=sink)
    assert len(trace.of("step_end")) == 1
    assert signal.getsignal(signal.SIGTERM) is handler
    assert (tmp_path / "rank_0" / "net_train.ckpt").exists()
    again, loaded = trainer(), []
    look = LambdaCallback(on_train_begin=lambda c: loaded.append(weights_of(again)))
    train(again, regression(3), [OnRequestExit(directory=str(tmp_path), file_name="net"), look])
    assert loaded[0] == weights_of(model)


def test_a_word_in_a_file_ends_a_training_too(tmp_path) -> None:
    config = tmp_path / "exit.json"
    config.write_text('{"GracefulExit": 0}')
    exit_ = OnRequestExit(directory=str(tmp_path), config_file=str(config))
    write = LambdaCallback(
        on_train_step_begin=lambda c: config.write_text(
            f'{{"GracefulExit": {int(c.original_args().cur_step_num >= 2)}}}'
        )
    )
    trace = Trace()
    train(trainer(), regression(4), [write, exit_, trace])
    assert len(trace.of("step_end")) == 2


def test_on_request_exit_checks_its_arguments(tmp_path) -> None:
    with pytest.raises(ValueError, match="SIGKILL"):
        OnRequestExit(directory=str(tmp_path), sig=signal.SIGKILL)
    with pytest.raises(TypeError):
        OnRequestExit(directory=str(tmp_path), save_ckpt=1)  # type: ignore[arg-type]


def test_an_evaluation_loads_what_a_training_left(tmp_path) -> None:
    model = trainer(metrics={"mse"})
    os.makedirs(tmp_path / "rank_0")
    saved = Parameter(np.full((1, 3), 7, np.float32), name="weight")
    save_checkpoint([saved], str(tmp_path / "rank_0" / "Net_train.ckpt"))
    with pytest.warns(UserWarning, match="not in the dict"):
        model.eval(regression(1), OnRequestExit(directory=str(tmp_path)))
    assert model.predict_network.weight.asnumpy().tolist() == [[7.0, 7.0, 7.0]]


def test_counters_are_where_a_test_can_reset_them() -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    device.current().counters.reset()
    train(trainer(), regression(2), None, 10, dataset_sink_mode=True)
    assert device.current().counters.interactions == 10
