"""Beyond the device's memory nothing is trained and nothing is left; failures carry both lines."""

from __future__ import annotations

import gc
import re
import threading
import weakref

import numpy as np
import pytest

from minispore import Tensor, context, dataset, device, dtype, jit, nn, ops
from minispore.device import faults
from minispore.errors import DeviceMemoryError, GetNextError
from minispore.train import Model

SINKS = [False, True]


class Data:
    """A training with an input of a megabyte, which is what the limits below are about."""

    def __init__(self, rows: int = 64) -> None:
        x = np.ones((2 * rows, 4096), np.float32)
        y = np.ones((2 * rows, 1), np.float32)
        self.data = dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(rows)
        self.net = nn.Dense(4096, 1)
        optimizer = nn.SGD(self.net.trainable_params(), 0.01)
        self.model = Model(self.net, nn.MSELoss(), optimizer)

    def train(self, sink: bool) -> None:
        self.model.train(1, self.data, dataset_sink_mode=sink)


@pytest.fixture
def ascend() -> device.Device:
    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend", device_id=11)
    return device.current()


@pytest.fixture
def small(ascend: device.Device) -> device.Device:
    context.set_context(max_device_memory="0.001GB")
    return ascend


@pytest.mark.parametrize("shape", [(0, 2), (2, 0), (0,)])
@pytest.mark.parametrize("target", ["Ascend", "GPU"])
def test_arrays_without_elements_are_admitted(target: str, shape: tuple[int, ...]) -> None:
    context.set_context(mode=context.GRAPH_MODE, device_target=target)
    doubled = jit(lambda x: ops.relu(x) * 2)(ops.zeros(shape, dtype.float32))
    assert doubled.shape == shape


@pytest.mark.parametrize("sink", SINKS)
def test_a_step_above_the_memory_capacity_trains_nothing(small: device.Device, sink: bool) -> None:
    training = Data()
    before = training.net.weight.asnumpy().copy()
    with pytest.raises(DeviceMemoryError, match="Out of Memory!!!"):
        training.train(sink)
    np.testing.assert_array_equal(training.net.weight.asnumpy(), before)


@pytest.mark.parametrize("sink", SINKS)
def test_a_step_above_the_memory_capacity_leaves_no_memory_or_thread(
    small: device.Device, sink: bool
) -> None:
    threads, values = threading.active_count(), small.memory.current
    with pytest.raises(DeviceMemoryError):
        Data().train(sink)
    assert small.memory.current == values
    assert threading.active_count() == threads


def test_the_batch_that_the_error_names_trains_and_one_row_more_does_not(small) -> None:
    with pytest.raises(DeviceMemoryError) as error:
        Data().train(False)
    largest = int(re.search(r"'batch_size' to (\d+) or less", str(error.value))[1])
    Data(largest).train(False)
    with pytest.raises(DeviceMemoryError):
        Data(largest + 1).train(False)


class LastState(nn.Cell):
    """A recurrent layer over rows of three words; the arrays of its steps have time first."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.dense = nn.LSTM(8, 8, batch_first=True), nn.Dense(8, 1)

    def construct(self, x: Tensor) -> Tensor:
        return self.dense(self.lstm(x)[0][:, -1])


def train_recurrent(rows: int, sink: bool) -> None:
    x, y = np.ones((rows, 3, 8), np.float32), np.ones((rows, 1), np.float32)
    data = dataset.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(rows)
    net = LastState()
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01))
    model.train(1, data, dataset_sink_mode=sink)


@pytest.mark.parametrize("sink", SINKS)
def test_the_suggested_batch_of_a_recurrent_network_is_the_largest_that_fits(
    small: device.Device, sink: bool
) -> None:
    with pytest.raises(DeviceMemoryError) as error:
        train_recurrent(4096, sink)
    largest = int(re.search(r"'batch_size' to (\d+) or less", str(error.value))[1])
    train_recurrent(largest, sink)
    with pytest.raises(DeviceMemoryError):
        train_recurrent(largest + 1, sink)


def test_an_admitted_program_does_not_keep_its_network_alive(ascend: device.Device) -> None:
    training = Data()
    training.train(False)
    network = weakref.ref(training.net)
    del training
    gc.collect()
    assert network() is None


def test_after_an_out_of_memory_error_another_training_works(small) -> None:
    with pytest.raises(DeviceMemoryError):
        Data().train(True)
    context.set_context(max_device_memory="1GB")
    training = Data()
    training.train(True)
    assert training.net.weight.asnumpy().any()


def test_a_cpu_has_the_memory_of_its_host() -> None:
    context.set_context(mode=context.GRAPH_MODE, device_target="CPU")
    Data().train(False)
    assert device.current().memory.current == 0


def test_the_memory_of_a_device_is_that_of_the_program_compiled_last(ascend) -> None:
    Data().train(False)
    assert ascend.memory.current_by_kind["parameters"] >= 4096 * 4
    assert ascend.memory.current_by_kind["channel"] == 0  # the host feeds
    peak = ascend.memory.peak
    ops.ReLU()(Tensor(np.ones(4, np.float32)))
    assert ascend.memory.peak == peak


def test_with_data_sink_the_channel_has_its_share(ascend) -> None:
    Data().train(True)
    batch_bytes = 64 * 4096 * 4 + 512  # the labels, 256 bytes, and what fills their block
    assert ascend.memory.current_by_kind["channel"] == 100 * batch_bytes


def test_devices_have_separate_memories(ascend) -> None:
    Data().train(False)
    context.set_context(device_id=12)
    assert device.current().memory.peak == 0
    assert ascend.memory.peak > 0


@pytest.mark.parametrize("threads", [1, 2])
def test_a_failing_task_names_its_line_and_the_line_of_the_launch(ascend, threads) -> None:
    context.set_context(runtime_num_threads=threads)
    with faults.producer_raises(2), pytest.raises(GetNextError) as error:
        Data().train(True)
    (note,) = [n for n in error.value.__notes__ if n.startswith("Task ")]
    assert note.startswith("Task GetNext (in ")
    assert re.search(r"written at test_admission.py:\d+, launched at test_admission.py:\d+", note)
