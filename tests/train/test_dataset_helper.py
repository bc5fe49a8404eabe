"""DatasetHelper, connect_network_with_dataset, data_sink."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore as ms
import minispore.dataset as ds
from minispore import context, nn, ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.device.channel import open_channels
from minispore.errors import GetNextError
from minispore.train import DatasetHelper, Model, connect_network_with_dataset, data_sink
from tests.train.nets import (
    GRAPH,
    PYNATIVE,
    Log,
    Params,
    consumed_by,
    devices,
    epochs,
    modes,
    numbers,
    regression,
    sink,
    sink_sizes,
    sizes,
    trainer,
)

pytestmark = pytest.mark.usefixtures("no_channel_stays_open")


# -- DatasetHelper ---------------------------------------------------------------------------------


@given(size=sizes, sink_size=sink_sizes, dev=devices, mode=modes)
def test_a_sink_is_one_turn_in_graph_mode_and_a_step_in_pynative(
    size, sink_size, dev, mode
) -> None:
    sink(mode, dev)
    helper = DatasetHelper(numbers(size), True, sink_size)
    steps = size if sink_size == -1 else sink_size
    assert list(helper) == [()] * (1 if mode == GRAPH else steps)
    helper.release()


@given(size=sizes, epoch=epochs)
def test_without_sink_a_turn_is_a_batch(size, epoch) -> None:
    helper = DatasetHelper(numbers(size), False, epoch_num=epoch)
    results = []
    for _ in range(epoch):
        turns = list(helper)
        assert len(turns) == size
        results += [x.asnumpy().tolist() for (x,) in turns]
    assert results == consumed_by(numbers(size), size, epoch * size)
    with pytest.raises(RuntimeError):
        list(helper)


def arrays_shared_with(source: np.ndarray, tensors: list[Tensor]) -> list[bool]:
    return [np.shares_memory(source, t.asnumpy()) for t in tensors]


def test_without_sink_batches_are_copies_if_the_iterator_mode_says_so() -> None:
    source = np.ones((3, 4), np.float32)
    data = ds.GeneratorDataset([(row,) for row in source], ["x"], shuffle=False)
    ds.config.set_iterator_mode(do_copy=True)
    batches = [x for (x,) in DatasetHelper(data, False, epoch_num=1)]
    assert arrays_shared_with(source, batches) == [False] * 3


def test_a_training_without_sink_copies_if_the_iterator_mode_says_so() -> None:
    source = np.ones((3, 4), np.float32)
    data = ds.GeneratorDataset([(row,) for row in source], ["x"], shuffle=False)
    batches: list[Tensor] = []

    class Note(ms.Callback):
        def on_train_step_end(self, run_context) -> None:
            batches.append(run_context.original_args().train_dataset_element[0])

    ds.config.set_iterator_mode(do_copy=True)
    Model(nn.ReLU()).train(1, data, callbacks=Note(), dataset_sink_mode=False)
    assert arrays_shared_with(source, batches) == [False] * 3


@given(size=sizes, sink_size=sink_sizes, dev=devices, mode=modes, batch=st.integers(1, 3))
def test_a_helper_knows_its_sink_size_and_types(size, sink_size, dev, mode, batch) -> None:
    sink(mode, dev)
    helper = DatasetHelper(regression(size, batch), True, sink_size)
    assert helper.sink_size() == (size if sink_size == -1 else sink_size)
    types, shapes = helper.types_shapes()
    assert types == [ms.float32, ms.float32]
    assert shapes == [[batch, 3], [batch, 1]]
    assert helper.get_data_info() == (types, shapes)
    assert helper.dynamic_min_max_shapes() == (shapes, shapes)
    helper.release()


@given(
    size=sizes, sink_size=st.integers(1, 4), epoch_num=st.integers(1, 3), dev=devices, mode=modes
)
def test_a_connected_network_consumes_every_batch_and_then_raises(
    size, sink_size, epoch_num, dev, mode
) -> None:
    sink(mode, dev)
    net = Log(epoch_num * size + 1)
    helper = DatasetHelper(numbers(size), True, sink_size, epoch_num)
    fed = connect_network_with_dataset(net, helper)
    total = epoch_num * size
    a_call = sink_size if mode == GRAPH else 1
    for n in range(1, total // a_call + 1):
        fed()
        assert int(net.calls.asnumpy()) == n * a_call
    with pytest.raises(GetNextError, match="exhausted"):
        fed()
    assert int(net.calls.asnumpy()) == total
    assert net.batches() == consumed_by(numbers(size), size, total)
    # what comes after is not affected
    log = Log(4)
    other = connect_network_with_dataset(log, DatasetHelper(numbers(2), True, 1))
    other()
    assert int(log.calls.asnumpy()) == 1


def test_only_a_sink_helper_connects_and_only_to_one_network() -> None:
    sink()
    net = Log(1)
    with pytest.raises(RuntimeError, match="sink mode"):
        connect_network_with_dataset(net, DatasetHelper(numbers(1), False))
    data = numbers(1)
    helper = DatasetHelper(data)
    fed = connect_network_with_dataset(net, helper)
    assert connect_network_with_dataset(net, helper) is fed
    assert connect_network_with_dataset(net, DatasetHelper(data)) is fed
    with pytest.raises(ValueError, match="feed one network"):
        connect_network_with_dataset(Log(1), helper)


def test_a_channel_that_still_sends_closes_with_the_last_holder_of_its_network() -> None:
    sink()
    helper = DatasetHelper(numbers(300), epoch_num=-1)
    fed = connect_network_with_dataset(Log(1), helper)
    del helper
    gc.collect()
    (channel,) = open_channels()
    del fed
    gc.collect()
    assert channel.is_closed


def test_parameters_of_a_connected_network_keep_names_and_order() -> None:
    sink()
    model = trainer()
    net = model.train_network
    names = [p.name for p in net.get_parameters()]
    trainable = [p.name for p in net.trainable_params()]
    fed = connect_network_with_dataset(net, DatasetHelper(regression(1)))
    assert [p.name for p in fed.get_parameters()] == names
    assert [p.name for p in fed.trainable_params()] == trainable
    assert fed.network is net
    assert fed.get_flags()["sink_mode"] is True


def test_without_a_device_queue_the_network_stays_as_it_is() -> None:
    context.set_context(mode=PYNATIVE, device_target="Ascend")
    helper = DatasetHelper(numbers(1))
    net = Log(1)
    context.set_context(device_target="CPU")
    assert connect_network_with_dataset(net, helper) is net
    helper.release()


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
def test_a_cpu_can_not_sink(mode) -> None:
    context.set_context(mode=mode, device_target="CPU")
    with pytest.raises(RuntimeError):
        DatasetHelper(numbers(1))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"dataset_sink_mode": 1}, TypeError),
        ({"sink_size": 1.5}, TypeError),
        ({"sink_size": True}, TypeError),
        ({"sink_size": 0}, ValueError),
        ({"sink_size": -2}, ValueError),
        ({"dataset_sink_mode": False, "epoch_num": 0}, RuntimeError),
        ({"dataset_sink_mode": False, "epoch_num": -2}, ValueError),
        ({"dataset_sink_mode": False, "epoch_num": 1.5}, TypeError),
    ],
)
def test_arguments_of_a_helper(options, error) -> None:
    sink()
    with pytest.raises(error):
        DatasetHelper(numbers(1), **options)


def test_sink_methods_of_a_helper_without_sink_are_attribute_errors() -> None:
    helper = DatasetHelper(numbers(1), False)
    for name in ("sink_size", "types_shapes", "stop_send", "continue_send", "release"):
        with pytest.raises(AttributeError):
            getattr(helper, name)()


def test_a_second_helper_starts_the_data_anew() -> None:
    sink()
    data, net = numbers(3), Log(6)
    fed = connect_network_with_dataset(net, DatasetHelper(data, sink_size=2, epoch_num=2))
    fed()
    helper = DatasetHelper(data, sink_size=2, epoch_num=2)
    assert connect_network_with_dataset(net, helper) is fed
    fed()
    expected = consumed_by(numbers(3), 3, 2)
    assert net.batches() == expected * 2
    helper.release()


def test_the_queue_name_is_where_the_documentation_says() -> None:
    sink(PYNATIVE)
    helper = DatasetHelper(numbers(2, shuffle=False))
    name = helper.iter.dataset.__transfer_dataset__.queue_name
    get_next = ops.GetNext([ms.float32], [[2]], 1, name)
    assert [t.asnumpy().tolist() for t in get_next()] == [[0.0, 1.0]]
    assert helper.get_mbuf_queue_size() <= 1
    helper.release()


def test_releasing_closes_the_queue() -> None:
    sink()
    helper = DatasetHelper(numbers(2), epoch_num=-1)
    fed = connect_network_with_dataset(Log(1), helper)
    helper.continue_send()
    helper.stop_send()
    helper.release()
    with pytest.raises(GetNextError, match="Open Failed"):
        fed()


def test_a_helper_that_is_dropped_takes_its_thread_along() -> None:
    sink()
    DatasetHelper(numbers(50), epoch_num=-1)
    gc.collect()
    assert open_channels() == []


def test_the_network_keeps_the_queue_when_the_helper_is_dropped() -> None:
    sink()
    net = Log(2)
    data = numbers(2, shuffle=False)
    fed = connect_network_with_dataset(net, DatasetHelper(data, sink_size=1))
    gc.collect()
    fed()
    assert net.batches() == [[0.0, 1.0]]


def test_declared_inputs_are_compared_with_the_data() -> None:
    sink(PYNATIVE)
    for declared, error in [
        (Tensor(np.zeros(2, np.int32)), TypeError),
        (Tensor(np.zeros((2, 1), np.float32)), ValueError),
        (Tensor(np.zeros(3, np.float32)), ValueError),
    ]:
        net, helper = Log(1), DatasetHelper(numbers(1))
        net.set_inputs(declared)
        with pytest.raises(error, match="set_inputs: input 1"):
            connect_network_with_dataset(net, helper)
        helper.release()


def test_a_declared_axis_of_open_length_takes_any_data() -> None:
    sink(PYNATIVE)
    net, helper = Log(1), DatasetHelper(numbers(1, shuffle=False))
    net.set_inputs(Tensor(shape=[None], dtype=ms.float32))
    connect_network_with_dataset(net, helper)()
    assert net.batches() == [[0.0, 1.0]]
    helper.release()


def test_a_callback_in_a_sink_can_ask_its_helper() -> None:
    sink()
    helpers = Params("dataset_helper")
    Model(Log(4)).train(1, numbers(4), helpers, dataset_sink_mode=True, sink_size=3)
    assert [helper.sink_size() for helper in helpers.values] == [3]


# -- shapes that change ----------------------------------------------------------------------------


class Mean(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.total = Parameter(np.zeros((), np.float32), name="total")

    def construct(self, x: Tensor) -> Tensor:
        ops.assign(self.total, self.total + x.sum())
        return x.mean()


def uneven() -> Any:
    return ds.NumpySlicesDataset({"x": np.arange(5, dtype=np.float32)}, shuffle=False).batch(2)


def test_a_graph_sink_explains_a_shape_that_changes() -> None:
    sink()
    with pytest.raises(GetNextError, match=r"the shape changed.*column 'x' is float32") as caught:
        Model(Mean()).train(1, uneven(), dataset_sink_mode=True)
    assert "drop_remainder=True" in str(caught.value)
    assert "sink_size=1" in str(caught.value)


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
def test_sinks_of_one_step_follow_the_shape(mode) -> None:
    sink(mode)
    net, outputs = Mean(), Params("net_outputs")
    Model(net).train(3, uneven(), outputs, dataset_sink_mode=True, sink_size=1)
    assert [float(o.asnumpy()) for o in outputs.values] == [0.5, 2.5, 4.0]


def test_a_sink_of_one_step_follows_the_shape_of_a_second_batch_that_is_the_last() -> None:
    sink()
    data = ds.NumpySlicesDataset({"x": np.arange(3, dtype=np.float32)}, shuffle=False).batch(2)
    outputs = Params("net_outputs")
    Model(Mean()).train(2, data, outputs, dataset_sink_mode=True, sink_size=1)
    assert [float(o.asnumpy()) for o in outputs.values] == [0.5, 2.0]


def test_pynative_follows_the_shape_and_warns_once_of_the_first_other_one() -> None:
    sink(PYNATIVE)
    net, outputs = Mean(), Params("net_outputs")
    other = r"'x' is float32\[1\], in the first batch float32\[2\]"
    with pytest.warns(UserWarning, match=other) as warned:
        Model(net).train(3, uneven(), outputs, dataset_sink_mode=True)
    assert [warning.filename for warning in warned] == [__file__]
    assert [float(o.asnumpy()) for o in outputs.values] == [0.5, 2.5, 4.0] * 3


def test_a_function_sunk_op_by_op_warns_of_another_shape() -> None:
    sink()
    process = data_sink(lambda x: x.mean(), uneven(), 3)
    with pytest.warns(UserWarning, match="should have one size"):
        process()


def test_a_function_sunk_as_a_graph_explains_a_shape_that_changes_in_its_first_call() -> None:
    sink()
    process = data_sink(lambda x: x.mean(), uneven(), 3, ms.JitConfig())
    with pytest.raises(GetNextError, match="the shape changed"):
        process()


def test_each_shape_is_compiled_once() -> None:
    sink()
    model = Model(Mean())
    data = uneven()
    model.train(3, data, dataset_sink_mode=True, sink_size=1)
    compiled = ms.ir.runtime.compiler.compiles
    model.train(6, data, dataset_sink_mode=True, sink_size=1)
    assert ms.ir.runtime.compiler.compiles == compiled


# -- __loop_size__ ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("loop", "turns"), [(1, 6), (2, 3), (3, 2), (6, 1), (7, 1), (12, 1)])
def test_a_loop_size_cuts_a_pass_into_turns(loop, turns) -> None:
    sink()
    data = numbers(6)
    data.__loop_size__ = loop
    helper = DatasetHelper(data, sink_size=4)
    assert (len(list(helper)), helper.sink_size()) == (turns, loop)
    helper.stop_send()


@pytest.mark.parametrize("loop", [4, 5])
def test_a_loop_size_within_a_pass_must_divide_it(loop) -> None:
    sink()
    data = numbers(6)
    data.__loop_size__ = loop
    with pytest.raises(ValueError, match=f"must divide the dataset size 6, got {loop}"):
        DatasetHelper(data)


def test_a_step_by_step_sink_has_no_loop_size() -> None:
    sink(PYNATIVE)
    data = numbers(6)
    data.__loop_size__ = 4
    helper = DatasetHelper(data, sink_size=5)
    assert len(list(helper)) == 5
    helper.stop_send()
