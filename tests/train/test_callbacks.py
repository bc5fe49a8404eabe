"""The callback protocol, stopping, fit and the record of a run."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore import context, nn
from minispore.core.tensor import Tensor
from minispore.device.channel import open_channels
from minispore.train import (
    Callback,
    LossMonitor,
    Model,
    RunContext,
    TimeMonitor,
    TrainFaultTolerance,
)
from minispore.train.callback.base import (
    EVENTS,
    OLD_NAMES,
    CallbackManager,
    InternalCallbackParam,
)
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
    train,
    trainer,
    weights_of,
)

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
def test_without_sink_a_stop_ends_the_step(size, epoch, at, mode) -> None:
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
def test_in_sink_mode_a_stop_ends_the_epoch(size, epoch, sink_size, at, dev, mode) -> None:
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
def test_a_stop_requested_early_still_runs_one_step(event) -> None:
    trace, net = Trace(), Log(1)
    train(Model(net), numbers(3), [StopAt(f"on_train_{event}", 0), trace], 2)
    assert int(net.calls.asnumpy()) == 1
    assert [name for name, *_ in trace.events][-3:] == ["step_end", "epoch_end", "end"]


def test_a_stop_at_the_end_of_an_epoch_ends_the_training() -> None:
    trace = Trace()
    train(Model(Log(1)), numbers(3), [StopAt("on_train_epoch_end", 0), trace], 5)
    assert len(trace.of("epoch_begin")) == 1


@pytest.mark.parametrize(("sink", "steps"), [(False, 2), (True, 4)])
def test_a_stop_ends_an_evaluation_at_its_step_and_a_sunk_one_at_its_end(sink, steps) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    trace, seen = counting(["on_eval_step_end"])
    model = trainer(metrics={"mse"})
    model.eval(regression(4), [StopAt("on_eval_step_end", 2), trace], dataset_sink_mode=sink)
    assert seen == {"on_eval_step_end": steps}


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
def test_callbacks_run_in_order_and_leave_in_reverse(count, mode, sink) -> None:
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
def test_an_exception_in_a_callback_comes_out_unchanged(event, mode, sink) -> None:
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


def test_fit_enters_callbacks_once_and_evaluates_with_the_entered_ones() -> None:
    log: list[str] = []
    inner = Named("inner", log)

    class Outer(Callback):
        entered = 0

        def __enter__(self) -> Any:
            self.entered += 1
            return inner

    outer, data = Outer(), regression(2)
    trainer(metrics={"mse"}).fit(2, data, regression(1), callbacks=[outer, Named("a", log)])
    assert outer.entered == 1
    assert [e for e in log if "enter" in e or "exit" in e] == ["enter a", "exit a None"]
    assert log.count("on_eval_step_end inner") == log.count("on_eval_step_end a") == 2


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
def test_old_names_see_as_many_events_as_new_ones(size, epoch, mode, sink) -> None:
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
def test_fit_evaluates_when_due_and_puts_everything_back(
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
def test_evaluation_gives_the_same_with_and_without_sink(size, mode, dev) -> None:
    context.set_context(mode=mode, device_target=dev)
    model = trainer(metrics={"mse", "mae", "loss"})
    trace, steps = counting(["on_eval_step_end"])
    without = model.eval(regression(size))
    within = model.eval(regression(size), trace, dataset_sink_mode=True)
    assert within == without
    assert steps == {"on_eval_step_end": size}


def test_switching_modes_changes_no_result() -> None:
    net, x = nn.Dense(3, 2), Tensor(np.ones((2, 3), np.float32))
    results = []
    for mode in (GRAPH, PYNATIVE, GRAPH, PYNATIVE, PYNATIVE, GRAPH):
        context.set_context(mode=mode)
        results.append(net(x).asnumpy().tolist())
    assert all(r == results[0] for r in results)


@given(device_id=st.integers(0, 4095), mode=modes)
def test_the_device_id_changes_no_result(device_id, mode) -> None:
    ends = []
    for chosen in (0, device_id):
        context.set_context(mode=mode, device_target="Ascend", device_id=chosen)
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


def test_the_queue_is_closed_when_on_train_end_comes() -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    seen = []

    class Look(Callback):
        def on_train_end(self, run_context: RunContext) -> None:
            senders = [t for t in threading.enumerate() if t.name.startswith("minispore-sender")]
            seen.append((len(open_channels()), len(senders)))

    data = regression(40).repeat(5)
    Model(trainer().train_network).train(1, data, Look(), dataset_sink_mode=True, sink_size=2)
    assert seen == [(0, 0)]


@pytest.mark.parametrize("name", ["on_train_step_end", "step_end"])
def test_a_manager_has_a_method_for_each_event(name) -> None:
    messages: list[int] = []

    class Noting(Callback):
        def step_end(self, run_context: Any) -> None:
            messages.append(run_context.original_args().cur_step_num)

    manager = CallbackManager([Noting()])
    getattr(manager, name)(RunContext(InternalCallbackParam(cur_step_num=3)))
    assert messages == [3] and not hasattr(manager, "step_middle")


def test_repairs_of_a_cluster_are_refused_with_what_to_use() -> None:
    with pytest.raises(NotImplementedError, match="Use BackupAndRestore"):
        TrainFaultTolerance(ckpt_save_path="./ckpt")
