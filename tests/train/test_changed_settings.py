"""A mode or device that changes while data is sunk: refused by name, and no step is lost."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore import Tensor, context, nn, ops
from minispore.core import interpreter
from minispore.train import (
    DatasetHelper,
    LambdaCallback,
    LossMonitor,
    Model,
    connect_network_with_dataset,
    data_sink,
)
from tests.train.nets import GRAPH, PYNATIVE, Log, numbers, regression, trainer

EVENTS = [
    "on_train_begin", "on_train_epoch_begin", "on_train_step_begin", "on_train_step_end",
    "on_train_epoch_end",
]  # fmt: skip
REFUSED = "set_context: {} must stay .* until the data sink ends, got "


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("sink_size", [-1, 1, 2])
@pytest.mark.parametrize(("start", "change"), [
    (GRAPH, {"mode": PYNATIVE}),
    (PYNATIVE, {"mode": GRAPH}),
    (GRAPH, {"device_target": "GPU"}),
    (PYNATIVE, {"device_target": "CPU"}),
    (GRAPH, {"device_id": 1}),
])  # fmt: skip
def test_a_setting_that_a_callback_changes_is_refused_before_the_next_call(
    start: int, change: dict[str, Any], sink_size: int, event: str
) -> None:
    context.set_context(mode=start, device_target="Ascend")
    net = Log(8)
    changing = LambdaCallback(**{event: lambda run_context: context.set_context(**change)})
    with pytest.raises(RuntimeError, match=REFUSED.format(*change)):
        Model(net).train(4, numbers(4), changing, dataset_sink_mode=True, sink_size=sink_size)
    is_graph_mode = start == GRAPH
    first_call = (4 if sink_size == -1 else sink_size) if is_graph_mode else 1
    first_epoch = 4 if sink_size == -1 else sink_size
    ends = {"on_train_step_end": first_call, "on_train_epoch_end": first_epoch}
    assert int(net.calls.asnumpy()) == ends.get(event, 0)


def test_a_setting_may_change_while_a_callback_runs_and_after_the_last_call() -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    net = Log(8)

    def look(run_context: Any) -> None:
        context.set_context(mode=PYNATIVE)
        assert float(ops.add(Tensor(1.0), Tensor(2.0)).asnumpy()) == 3.0
        context.set_context(mode=GRAPH)

    callbacks = [
        LambdaCallback(on_train_step_end=look),
        LambdaCallback(on_train_end=lambda _: context.set_context(mode=PYNATIVE)),
    ]
    Model(net).train(2, numbers(4), callbacks, dataset_sink_mode=True)
    assert int(net.calls.asnumpy()) == 8


@pytest.mark.parametrize("start", [GRAPH, PYNATIVE])
def test_a_thread_that_changes_the_mode_for_a_moment_takes_no_step_away(
    start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other mode comes just after the check, and is gone before the next."""
    context.set_context(mode=start, device_target="Ascend")
    find, net = interpreter.find_stage_compiler, Log(12)

    def find_in_other_mode(*mode: int) -> Any:
        context.set_context(mode=1 - start)
        try:
            return find(*mode)
        finally:
            context.set_context(mode=start)

    monkeypatch.setattr(interpreter, "find_stage_compiler", find_in_other_mode)
    Model(net).train(3, numbers(4), dataset_sink_mode=True)
    assert int(net.calls.asnumpy()) == 12


def test_a_thread_that_changes_the_mode_ends_the_training_or_leaves_it_whole() -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    is_done, net = threading.Event(), Log(40)

    def switch() -> None:
        while not is_done.is_set():
            context.set_context(mode=PYNATIVE)
            context.set_context(mode=GRAPH)

    thread = threading.Thread(target=switch)
    starting = LambdaCallback(on_train_begin=lambda _: thread.start())
    was_refused = False
    try:
        Model(net).train(10, numbers(4), starting, dataset_sink_mode=True)
    except RuntimeError as error:
        was_refused = "mode must stay GRAPH_MODE" in str(error)
        assert was_refused, error
    finally:
        is_done.set()
        thread.join()
    assert was_refused or int(net.calls.asnumpy()) == 40
    assert int(net.calls.asnumpy()) % 4 == 0


@pytest.mark.parametrize("start", [GRAPH, PYNATIVE])
def test_an_evaluation_with_sink_keeps_its_mode(start: int) -> None:
    context.set_context(mode=start, device_target="Ascend")
    changing = LambdaCallback(on_eval_step_end=lambda _: context.set_context(mode=1 - start))
    model = trainer()
    model = Model(model.predict_network, nn.MSELoss(), metrics={"mae"})
    with pytest.raises(RuntimeError, match=REFUSED.format("mode")):
        model.eval(regression(3), changing, dataset_sink_mode=True)


@pytest.mark.parametrize("start", [GRAPH, PYNATIVE])
def test_a_dataset_helper_keeps_its_mode(start: int) -> None:
    context.set_context(mode=start, device_target="Ascend")
    helper = DatasetHelper(numbers(4), sink_size=2)
    network = connect_network_with_dataset(Log(4), helper)
    network()
    context.set_context(mode=1 - start)
    for use in (network, lambda: next(iter(helper))):
        with pytest.raises(RuntimeError, match=REFUSED.format("mode")):
            use()
    with pytest.raises(RuntimeError, match=REFUSED.format("mode")):
        connect_network_with_dataset(Log(4), helper)
    context.set_context(mode=start)
    network()
    helper.release()


@pytest.mark.parametrize("change", [{"device_target": "GPU"}, {"mode": PYNATIVE}])
def test_data_sink_keeps_its_settings(change: dict[str, Any]) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    data = ds.NumpySlicesDataset({"x": np.arange(8, dtype=np.float32)}, shuffle=False).batch(2)
    step = data_sink(lambda x: x + 1, data)
    assert step().asnumpy().tolist() == [1, 2]
    context.set_context(**change)
    with pytest.raises(RuntimeError, match=REFUSED.format(*change)):
        step()


def test_without_sink_a_callback_may_change_the_mode(capsys: pytest.CaptureFixture[str]) -> None:
    """As in MindSpore."""
    context.set_context(mode=GRAPH, device_target="Ascend")
    changing = LambdaCallback(on_train_step_end=lambda _: context.set_context(mode=PYNATIVE))
    trainer().train(2, regression(3), [changing, LossMonitor()])
    assert capsys.readouterr().out.count("loss is") == 6
