"""Where something has no end, or no room: it is said, and what can go on goes on."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore import Tensor, context, nn, ops
from minispore.core.parameter import Parameter
from minispore.dataset import properties
from minispore.dataset.pipeline import workers
from minispore.device import faults
from minispore.errors import DeviceMemoryError
from minispore.graph import arena
from minispore.train import LossMonitor, Model, SummaryCollector
from minispore.train.summary import event_file
from tests.train.nets import GRAPH, PYNATIVE, Log, numbers, regression, trainer


def endless() -> Any:
    for i in itertools.count():
        yield (np.float32(i),)


def thrice() -> Any:
    for i in range(3):
        yield (np.float32(i),)


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
def test_an_endless_generator_is_not_counted_with_sink_size(mode) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    net = Log(8, 1)
    data = ds.GeneratorDataset(endless, ["x"]).batch(1)
    Model(net).train(2, data, dataset_sink_mode=True, sink_size=4)
    assert int(net.calls.asnumpy()) == 8


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
def test_passes_of_a_generator_that_is_not_counted_follow_each_other(mode) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    net = Log(8, 1)
    data = ds.GeneratorDataset(thrice, ["x"]).batch(1)
    Model(net).train(2, data, dataset_sink_mode=True, sink_size=4)
    assert net.log.asnumpy().reshape(-1).tolist() == [0, 1, 2, 0, 1, 2, 0, 1]


def test_counting_rows_is_logged_and_ends_at_op_timeout(monkeypatch, caplog) -> None:
    monkeypatch.setattr(properties, "_LOG_AFTER_S", 0.0)
    context.set_context(op_timeout=1)
    messages = []
    monkeypatch.setattr(properties.log, "warning", lambda text, *args: messages.append(text % args))
    with pytest.raises(RuntimeError, match=r"within op_timeout=1 s.*pass sink_size to Model.train"):
        trainer().train(1, ds.GeneratorDataset(endless, ["x"]).batch(1))
    assert len(messages) == 1
    assert "has no length, so a pass is run to count its rows" in messages[0]


def test_a_device_that_is_full_is_a_memory_error() -> None:
    with faults.out_of_memory(1), pytest.raises(MemoryError) as caught:
        Model(Log(1)).train(1, numbers(1))
    assert isinstance(caught.value, DeviceMemoryError)


def test_an_arena_that_does_not_fit_is_a_memory_error() -> None:
    with pytest.raises(MemoryError, match="Use a smaller batch"):
        arena.allocate(1 << 60)


class Diverges(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.weight = Parameter(Tensor(1.0), name="weight")

    def construct(self, x: Any) -> Any:
        return ops.log(self.weight - 2.0) + 0.0 * ops.reduce_sum(x)


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
def test_a_loss_that_is_no_number_is_warned_of_once(mode) -> None:
    context.set_context(mode=mode)
    net = Diverges()
    model = Model(net, optimizer=nn.SGD(net.trainable_params(), 0.0))
    with pytest.warns(UserWarning, match="NaN or infinite at step 1") as caught:
        model.train(2, numbers(3))
    assert [warning.filename for warning in caught] == [__file__]


def test_with_a_loss_monitor_it_ends_the_training_instead() -> None:
    net = Diverges()
    model = Model(net, optimizer=nn.SGD(net.trainable_params(), 0.0))
    with pytest.raises(ValueError, match="NAN or INF"):
        model.train(2, numbers(3), LossMonitor())


def test_a_full_disk_ends_the_summary_and_not_the_training(tmp_path, monkeypatch) -> None:
    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(event_file.tfrecord, "write_record", full)
    model = trainer()
    before = model.predict_network.weight.asnumpy()
    with pytest.warns(UserWarning, match="No space left.* the training goes on") as caught:
        model.train(2, regression(2), SummaryCollector(str(tmp_path)))
    assert len(caught) == 1
    assert not np.array_equal(before, model.predict_network.weight.asnumpy())


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_a_process_that_a_signal_stopped_is_seen_to_be_stopped() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert not workers._is_stopped(process.pid)
        process.send_signal(signal.SIGSTOP)
        end = time.monotonic() + 10
        while not workers._is_stopped(process.pid) and time.monotonic() < end:
            time.sleep(0.01)
        assert workers._is_stopped(process.pid)
    finally:
        process.kill()
        process.communicate()
