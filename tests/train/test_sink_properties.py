"""The law of epochs, steps and sinks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore as ms
import minispore.dataset as ds
from minispore import context, device, nn
from minispore.core.autograd import value_and_grad
from minispore.core.tensor import Tensor
from minispore.ir import runtime as seam
from minispore.train import LossMonitor, Model
from tests.train.nets import (
    GRAPH,
    PYNATIVE,
    Log,
    Params,
    Trace,
    consumed_by,
    dataset_seed,
    dense,
    devices,
    epochs,
    modes,
    numbers,
    passes,
    printed,
    regression,
    sink_sizes,
    sizes,
    trainer,
    weights_of,
)

runs = given(
    size=sizes, epoch=epochs, sink_size=sink_sizes, first=st.integers(0, 3), dev=devices, mode=modes
)
graph_runs = given(
    size=sizes, epoch=epochs, sink_size=sink_sizes, first=st.integers(0, 3), dev=devices
)
host_runs = given(size=sizes, epoch=epochs, first=st.integers(0, 3), mode=modes)


def train_log(mode, dev, size, epoch, sink_size, first=0, *, sink=True, callbacks=(), batch=2):
    """Train a Log and return it; ``epoch`` counts from ``first``."""
    context.set_context(mode=mode, device_target=dev)
    steps = epoch * (size if sink_size == -1 or not sink else sink_size)
    net = Log(steps + 1, batch)
    Model(net).train(
        first + epoch,
        numbers(size, batch),
        list(callbacks),
        dataset_sink_mode=sink,
        sink_size=sink_size,
        initial_epoch=first,
    )
    return net


# -- with data sink --------------------------------------------------------------------------------


@runs
def test_an_epoch_consumes_sink_size_batches(size, epoch, sink_size, first, dev, mode) -> None:
    net = train_log(mode, dev, size, epoch, sink_size, first)
    steps = size if sink_size == -1 else sink_size
    assert int(net.calls.asnumpy()) == epoch * steps


@runs
def test_batches_of_a_sink_follow_each_other_over_the_passes(
    size, epoch, sink_size, first, dev, mode
) -> None:
    net = train_log(mode, dev, size, epoch, sink_size, first)
    steps = size if sink_size == -1 else sink_size
    assert net.batches() == consumed_by(numbers(size), size, epoch * steps, first * steps)


@graph_runs
def test_in_graph_mode_callbacks_come_once_a_sink(size, epoch, sink_size, first, dev) -> None:
    trace = Trace()
    train_log(GRAPH, dev, size, epoch, sink_size, first, callbacks=[trace])
    assert len(trace.of("step_end")) == len(trace.of("epoch_end")) == epoch
    assert len(trace.of("begin")) == len(trace.of("end")) == 1


@graph_runs
def test_the_step_number_counts_whole_sinks(size, epoch, sink_size, first, dev) -> None:
    trace, batch_num = Trace(), Params("batch_num")
    train_log(GRAPH, dev, size, epoch, sink_size, first, callbacks=[trace, batch_num])
    steps = size if sink_size == -1 else sink_size
    expected = [(k, k * steps) for k in range(first + 1, first + epoch + 1)]
    assert trace.of("step_begin") == trace.of("step_end") == trace.of("epoch_end") == expected
    assert batch_num.values == [steps] * epoch


@graph_runs
def test_in_pynative_mode_callbacks_come_at_every_step(size, epoch, sink_size, first, dev) -> None:
    trace = Trace()
    net = train_log(PYNATIVE, dev, size, epoch, sink_size, first, callbacks=[trace])
    steps = size if sink_size == -1 else sink_size
    start = first * steps
    numbers_seen = [step for _, step in trace.of("step_end")]
    assert numbers_seen == list(range(start + 1, start + epoch * steps + 1))
    assert net.batches() == consumed_by(numbers(size), size, epoch * steps, start)


@given(size=sizes, epoch=epochs, sink_size=sink_sizes, dev=devices)
def test_weights_are_the_same_bits_in_both_modes_and_by_hand(size, epoch, sink_size, dev) -> None:
    steps = size if sink_size == -1 else sink_size
    ends = []
    for mode in (GRAPH, PYNATIVE):
        context.set_context(mode=mode, device_target=dev)
        model = trainer()
        model.train(epoch, regression(size), dataset_sink_mode=True, sink_size=sink_size)
        ends.append(weights_of(model))
    context.set_context(mode=PYNATIVE, device_target="CPU")
    net, loss_fn = dense(), nn.MSELoss()
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    step = value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    rows = regression(size).create_tuple_iterator(num_epochs=-1)
    selected = 0
    while selected < epoch * steps:
        for x, y in rows:
            _, grads = step(x, y)
            optimizer(grads)
            selected += 1
            if selected == epoch * steps:
                break
    by_hand = {p.name: p.asnumpy().tolist() for p in (*net.get_parameters(),)}
    assert ends[0] == ends[1]
    assert ends[0][: len(by_hand)] == list(by_hand.values())
    rows.close()


@given(size=sizes, epoch=epochs, dev=devices, mode=modes)
def test_a_sink_size_of_minus_one_is_the_dataset_size(size, epoch, dev, mode) -> None:
    seen = []
    for sink_size in (-1, size):
        trace = Trace()
        net = Log(epoch * size + 1)

        def run(net=net, trace=trace, sink_size=sink_size) -> None:
            context.set_context(mode=mode, device_target=dev)
            Model(net).train(
                epoch,
                numbers(size),
                [trace, LossMonitor()],
                dataset_sink_mode=True,
                sink_size=sink_size,
            )

        seen.append((printed(run), trace.events, net.batches()))
    assert seen[0] == seen[1]


@given(size=sizes, epoch=epochs, sink_size=st.integers(1, 7), every=st.integers(1, 20), dev=devices)
def test_in_a_sink_lines_come_at_epochs_that_are_multiples(
    size, epoch, sink_size, every, dev
) -> None:
    context.set_context(mode=GRAPH, device_target=dev)
    net = Log(1)
    lines = printed(
        lambda: Model(net).train(
            epoch,
            numbers(size),
            LossMonitor(every),
            dataset_sink_mode=True,
            sink_size=sink_size,
        )
    )
    stride = math.ceil(every / sink_size)
    expected = [f"epoch: {k} step: {sink_size}" for k in range(1, epoch + 1) if k % stride == 0]
    assert [line.partition(",")[0] for line in lines] == expected


@given(size=sizes, epoch=epochs, sink_size=sink_sizes, dev=devices, mode=modes)
def test_as_many_passes_begin_as_the_sinks_need(size, epoch, sink_size, dev, mode) -> None:
    start = []

    def source():
        start.append(1)
        for i in range(size):
            yield (np.float32([i]),)

    context.set_context(mode=mode, device_target=dev)
    data = ds.GeneratorDataset(source, ["x"], shuffle=False).batch(1)
    net = Log(epoch * size * 7, 1)
    assert data.get_dataset_size() == size
    start.clear()
    Model(net).train(epoch, data, dataset_sink_mode=True, sink_size=sink_size)
    steps = size if sink_size == -1 else sink_size
    assert len(start) == math.ceil(epoch * steps / size)


@given(size=sizes, epoch=epochs, sink_size=sink_sizes, dev=devices, mode=modes, sink=st.booleans())
def test_under_a_seed_two_trainings_see_the_same(size, epoch, sink_size, dev, mode, sink) -> None:
    context.set_context(mode=mode, device_target=dev)
    steps = epoch * (size if sink_size == -1 or not sink else sink_size)
    data, net = numbers(size), Log(steps)
    model = Model(net)
    model.train(epoch, data, dataset_sink_mode=sink, sink_size=sink_size)
    first = net.batches()
    model.train(epoch, data, dataset_sink_mode=sink, sink_size=sink_size)
    assert net.batches() == first


@given(size=sizes, epoch=epochs, dev=devices, mode=modes, sink=st.booleans())
def test_without_a_seed_each_pass_is_a_permutation(size, epoch, dev, mode, sink) -> None:
    context.set_context(mode=mode, device_target=dev)
    with dataset_seed(None):
        net = Log(epoch * size)
        Model(net).train(epoch, numbers(size, seed=None), dataset_sink_mode=sink)
        for k in range(epoch):
            rows = np.ravel(net.batches()[k * size : (k + 1) * size])
            assert sorted(rows) == list(range(2 * size))


@given(size=st.integers(1, 3), times=st.integers(1, 3), epoch=st.integers(1, 3), mode=modes)
def test_repeat_is_as_many_more_passes(size, times, epoch, mode) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    steps = size * times * epoch
    repeated, plain = Log(steps), Log(steps)
    data = numbers(size).repeat(times)
    assert data.get_dataset_size() == times * size
    Model(repeated).train(epoch, data, dataset_sink_mode=True)
    Model(plain).train(epoch * times, numbers(size), dataset_sink_mode=True)
    assert sorted(repeated.batches()) == sorted(plain.batches()) or sorted(
        np.ravel(repeated.batches())
    ) == sorted(np.ravel(plain.batches()))


# -- without -----------------------------------------------------------------------------------


@host_runs
def test_without_sink_every_batch_is_a_step(size, epoch, first, mode) -> None:
    trace = Trace()
    net = train_log(mode, "CPU", size, epoch, -1, first, sink=False, callbacks=[trace])
    expected = [(first + g // size + 1, first * size + g + 1) for g in range(epoch * size)]
    assert trace.of("step_begin") == trace.of("step_end") == expected
    assert net.batches() == consumed_by(numbers(size), size, epoch * size, first * size)


@given(size=sizes, epoch=epochs, sink_size=st.integers(1, 9), mode=modes)
def test_without_sink_a_sink_size_has_no_effect(size, epoch, sink_size, mode) -> None:
    seen = []
    for given_size in (-1, sink_size):
        trace, net = Trace(), Log(epoch * size)
        model = Model(net)
        context.set_context(mode=mode)

        def run(model=model, trace=trace, given_size=given_size) -> None:
            model.train(epoch, numbers(size), [trace, LossMonitor()], sink_size=given_size)

        seen.append((printed(run), trace.events, net.batches(), model.batch_num))
    assert seen[0] == seen[1]


@given(size=sizes, epoch=epochs, sink_size=st.integers(1, 9), mode=modes)
def test_on_cpu_sink_falls_back_with_one_warning_and_no_other_effect(
    size, epoch, sink_size, mode
) -> None:
    context.set_context(mode=mode, device_target="CPU")
    seen = []
    for sink in (False, True):
        trace, model = Trace(), trainer()

        def run(sink=sink, trace=trace, model=model) -> None:
            model.train(
                epoch,
                regression(size),
                [trace, LossMonitor()],
                dataset_sink_mode=sink,
                sink_size=sink_size if sink else -1,
            )

        if sink:
            with pytest.warns(UserWarning, match="can't be sunk to CPU") as caught:
                lines = printed(run)
            assert len(caught) == 1
        else:
            lines = printed(run)
        seen.append((lines, trace.events, weights_of(model)))
    assert seen[0] == seen[1]


@given(size=sizes, epoch=epochs, every=st.integers(1, 12), mode=modes)
def test_without_sink_lines_come_at_multiples_of_the_step(size, epoch, every, mode) -> None:
    context.set_context(mode=mode)
    lines = printed(lambda: Model(Log(1)).train(epoch, numbers(size), LossMonitor(every)))
    expected = [
        f"epoch: {(g - 1) // size + 1} step: {(g - 1) % size + 1}"
        for g in range(every, epoch * size + 1, every)
    ]
    assert [line.partition(",")[0] for line in lines] == expected


# -- counters and determinism ------------------------------------------------------------------


@given(size=sizes, epoch=epochs, sink_size=sink_sizes, dev=devices, mode=modes, sink=st.booleans())
def test_a_sink_is_one_interaction_and_without_it_each_step_is_one(
    size, epoch, sink_size, dev, mode, sink
) -> None:
    steps = size if sink_size == -1 or not sink else sink_size
    context.set_context(mode=mode, device_target=dev)
    counters = device.current().counters
    counters.reset()
    train_log(mode, dev, size, epoch, sink_size, sink=sink)
    whole_sinks = sink and mode == GRAPH and dev == "Ascend"
    assert counters.interactions == (epoch if whole_sinks else epoch * steps)
    assert counters.steps == epoch * steps
    if sink:  # the data comes by itself: the host copies none
        assert counters.h2d_copies == 0
        assert counters.batches_sent == counters.batches_taken == epoch * steps
    else:
        assert counters.h2d_copies == epoch * steps


@given(size=sizes, epoch=epochs, sink_size=sink_sizes, mode=modes, seed=st.integers(0, 2**32 - 1))
def test_the_same_seed_gives_the_same_training(size, epoch, sink_size, mode, seed) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    ends = []
    with dataset_seed(None):
        for _ in range(2):
            ms.set_seed(seed)
            net = nn.Dense(3, 1)
            model = trainer(net)
            model.train(epoch, regression(size), dataset_sink_mode=True, sink_size=sink_size)
            ends.append(weights_of(model))
    assert ends[0] == ends[1]


# -- losses of a sink --------------------------------------------------------------------------


@runs
def test_sink_losses_hold_every_step_of_the_sink(size, epoch, sink_size, first, dev, mode) -> None:
    losses = Params("sink_losses")
    net = train_log(mode, dev, size, epoch, sink_size, first, callbacks=[losses])
    steps = size if sink_size == -1 else sink_size
    means = [float(np.mean(np.float32(b))) for b in net.batches()]
    at_sink_ends = losses.values if mode == GRAPH else losses.values[steps - 1 :: steps]
    results = [loss for values in at_sink_ends for loss in np.asarray(values).tolist()]
    assert results == pytest.approx(means)


def test_the_sum_of_passes_is_what_a_plain_iterator_gives() -> None:
    data = numbers(3)
    assert consumed_by(data, 3, 6) == [b for run in passes(data, 2) for b in run]


def test_a_new_sink_size_is_honoured_in_the_next_training() -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    net, data = Log(20), numbers(4)
    model = Model(net)
    model.train(1, data, dataset_sink_mode=True, sink_size=3)
    trace = Trace()
    model.train(2, data, trace, dataset_sink_mode=True, sink_size=5)
    assert int(net.calls.asnumpy()) == 3 + 10
    assert trace.of("step_end") == [(1, 5), (2, 10)]


def test_a_tensor_of_losses_is_averaged_in_the_ring() -> None:
    class Two(nn.Cell):
        def construct(self, x: Tensor) -> Tensor:
            return x

    context.set_context(mode=GRAPH, device_target="Ascend")
    losses = Params("sink_losses")
    Model(Two()).train(1, numbers(3, shuffle=False), losses, dataset_sink_mode=True)
    assert losses.values[0].tolist() == [0.5, 2.5, 4.5]


@pytest.mark.parametrize("sink", [False, True])
def test_a_second_training_compiles_nothing(sink) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    model, data = trainer(metrics={"mse"}), regression(3)
    both = {"dataset_sink_mode": sink, "valid_dataset_sink_mode": sink}
    valid = regression(1)
    model.fit(2, data, valid, **both)
    compiled = seam.compiler.compiles
    model.fit(2, data, valid, **both)
    model.train(3, data, dataset_sink_mode=sink, sink_size=2)
    assert seam.compiler.compiles == compiled


@given(size=st.integers(1, 3), first=st.integers(0, 3), epoch=st.integers(1, 2), sink=st.booleans())
def test_an_endless_dataset_goes_on_where_earlier_epochs_ended(size, first, epoch, sink) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    whole, resumed = Log((first + epoch) * size), Log(epoch * size)
    Model(whole).train(first + epoch, numbers(size).repeat(-1), dataset_sink_mode=sink)
    data = numbers(size).repeat(-1)
    Model(resumed).train(first + epoch, data, dataset_sink_mode=sink, initial_epoch=first)
    assert resumed.batches() == whole.batches()[first * size :]
