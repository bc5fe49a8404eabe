"""data_sink: a function on the next batches of a dataset."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore as ms
from minispore import device, nn
from minispore.core.tensor import Tensor
from minispore.device.channel import open_channels
from minispore.train import DatasetHelper, Model, connect_network_with_dataset, data_sink
from tests.train.nets import (
    GRAPH,
    PYNATIVE,
    Log,
    consumed_by,
    dense,
    devices,
    modes,
    numbers,
    regression,
    sizes,
)
from tests.train.test_dataset_helper import sink, uneven

# -- data_sink -------------------------------------------------------------------------------------


def stepper(net: nn.Cell) -> Any:
    loss_fn = nn.MSELoss()
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

    def step(x: Tensor, y: Tensor) -> Tensor:
        loss, grads = grad(x, y)
        optimizer(grads)
        return loss

    return step


@given(
    size=sizes,
    split=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    dev=devices,
    mode=modes,
    jit=st.booleans(),
)
def test_however_a_data_sink_is_split_the_weights_are_the_same(size, split, dev, mode, jit) -> None:
    sink(mode, dev)
    total = sum(split)
    jit_config = ms.JitConfig() if jit else None
    ends = []
    for sink_size, calls in ((1, total), (total, 1), *[(s, total // s) for s in split]):
        net = dense()
        data = regression(size)
        process = data_sink(stepper(net), data, sink_size, jit_config)
        for _ in range(calls):
            loss = process()
        if sink_size * calls == total:
            ends.append((net.weight.asnumpy().tolist(), float(loss.asnumpy())))
    assert all(end == ends[0] for end in ends)


def test_the_result_of_a_data_sink_is_that_of_its_last_step() -> None:
    sink()
    data = numbers(4, shuffle=False)
    process = data_sink(lambda x: x.mean(), data, 3, ms.JitConfig())
    assert float(process().asnumpy()) == 4.5
    assert float(process().asnumpy()) == 2.5  # batches 3, 0, 1: it goes on into the next pass


def test_a_data_sink_ignores_the_arguments_of_a_call() -> None:
    sink()

    def mean(x: Tensor) -> Tensor:
        """The mean."""
        return x.mean()

    process = data_sink(mean, numbers(2, shuffle=False))
    assert float(process(1, 2, three=3).asnumpy()) == 0.5
    assert process.__name__ == "mean"
    assert process.__doc__ == "The mean."


def test_a_dataset_can_be_sunk_once_and_not_after_a_training() -> None:
    sink()
    data = numbers(1)
    process = data_sink(lambda x: x, data)
    with pytest.raises(ValueError, match="has been used with a network"):
        data_sink(lambda x: x, data)
    del process
    trained = numbers(1)
    Model(Log(1)).train(1, trained, dataset_sink_mode=True)
    with pytest.raises(ValueError, match="has been used with a network"):
        data_sink(lambda x: x, trained)


def test_data_sink_refuses_a_cpu() -> None:
    with pytest.raises(ValueError, match="device_target must be 'Ascend' or 'GPU', got 'CPU'"):
        data_sink(lambda x: x, numbers(1))


@pytest.mark.parametrize(
    ("sink_size", "error"),
    [(0, ValueError), (-1, ValueError), (1.5, TypeError), (True, TypeError), (None, TypeError)],
)
def test_data_sink_checks_the_size_before_the_device(sink_size, error) -> None:
    with pytest.raises(error, match="sink_size"):
        data_sink(lambda x: x, numbers(1), sink_size)


@pytest.mark.parametrize("jit", [False, True])
def test_a_call_of_a_data_sink_is_one_interaction(jit) -> None:
    sink()
    jit_config = ms.JitConfig() if jit else None
    process = data_sink(stepper(dense()), regression(3), 5, jit_config)
    counters = device.current().counters
    counters.reset()
    process()
    process()
    assert counters.interactions == 2
    assert counters.steps == counters.batches_taken == 10
    assert counters.h2d_copies == 0


def test_a_signature_is_compared_with_the_data() -> None:
    sink()
    with pytest.raises(TypeError, match="input 1 of input_signature must be Float32"):
        data_sink(lambda x: x, numbers(1), input_signature=Tensor(np.zeros(2, np.int32)))
    with pytest.raises(ValueError, match="must have the shape"):
        data_sink(lambda x: x, numbers(1), input_signature=Tensor(np.zeros(3, np.float32)))
    for several in ((), (Tensor(np.zeros(2, np.float32)),) * 2):
        with pytest.raises(ValueError, match="a Tensor for each of the 1 inputs"):
            data_sink(lambda x: x, numbers(1), input_signature=several)
    open_length = Tensor(shape=[None], dtype=ms.float32)
    assert data_sink(lambda x: x * 2, numbers(1), input_signature=open_length)().shape == (2,)
    with pytest.raises(ValueError, match="must have the shape"):
        open_axes = Tensor(shape=[None, None], dtype=ms.float32)
        data_sink(lambda x: x, numbers(1), input_signature=open_axes)
    good = data_sink(lambda x: x, numbers(1), input_signature=Tensor(np.zeros(2, np.float32)))
    assert good().shape == (2,)


@pytest.mark.parametrize("jit", [False, True])
def test_one_step_calls_follow_the_shape(jit) -> None:
    sink()
    process = data_sink(lambda x: x.mean(), uneven(), 1, ms.JitConfig() if jit else None)
    assert [float(process().asnumpy()) for _ in range(4)] == [0.5, 2.5, 4.0, 0.5]


def test_a_data_sink_ends_with_its_function() -> None:
    sink()
    process = data_sink(lambda x: x, numbers(300))
    process()
    assert len(open_channels()) == 1
    del process
    gc.collect()
    assert open_channels() == []


# -- a dataset that begins with a later step -------------------------------------------------------


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
def test_a_data_sink_begins_with_the_init_step_of_its_dataset(mode) -> None:
    sink(mode, "Ascend")
    rows, net = numbers(5), Log(9)
    rows.set_init_step(7)
    data_sink(net, rows, 4)()
    assert net.batches() == consumed_by(numbers(5), 5, 4, first=7)


def test_a_helper_begins_with_the_epoch_of_the_init_step() -> None:
    sink(GRAPH, "Ascend")
    rows, net = numbers(5), Log(9)
    rows.set_init_step(7)
    with pytest.warns(
        UserWarning, match="end of an epoch of 2 steps in sink mode, got 7. It begins with step 6"
    ):
        helper = DatasetHelper(rows, True, 2, 2)
    network = connect_network_with_dataset(net, helper)
    for element in helper:
        network(*element)
    assert net.batches() == consumed_by(numbers(5), 5, 2, first=6)


def test_a_queue_begins_with_the_init_step_of_its_dataset() -> None:
    sink(GRAPH, "Ascend")
    rows = numbers(5)
    rows.set_init_step(7)
    queue = rows.device_que()
    lease = queue.send(1)
    batch, _ = lease.channel.take(60)
    queue.release()
    assert batch.arrays[0].tolist() == consumed_by(numbers(5), 5, 1, first=7)[0]
