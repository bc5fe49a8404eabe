"""What a training is given at the edges of what it takes: the last that is good."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore import Tensor, context, nn
from minispore.core.staged import Looped
from minispore.dataset.iterator import DeviceIterator
from minispore.dataset.pipeline.random import Seed
from minispore.train import (
    DatasetHelper,
    LambdaCallback,
    Model,
    connect_network_with_dataset,
    explain_schedule,
)
from minispore.train import arguments as given
from minispore.train.arguments import check_sink_size, must_evaluate_after
from minispore.train.callback.base import InternalCallbackParam
from minispore.train.dataset_helper import SinkIterator, make_sink_iterator
from minispore.train.feed import HostFeed, convert_column
from minispore.train.ledger import BatchLedger
from minispore.train.loop import _is_non_finite_loss
from tests.train.nets import GRAPH, PYNATIVE, Log, Params, dense, numbers, regression, trainer

# -- numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"), [(-1, 7), (1, 1), (9, 9), (0, None), (-2, None), (-7, None)]
)
def test_a_sink_size_is_minus_one_or_positive(value: int, expected: int | None) -> None:
    if expected is None:
        with pytest.raises(ValueError, match=f"sink_size must be -1 or positive, got {value}"):
            check_sink_size("who", value, 7)
        return
    assert check_sink_size("who", value, 7) == expected
    assert check_sink_size("who", value) == value


@pytest.mark.parametrize(("epoch", "good"), [(2**30 - 1, True), (2**30, False)])
def test_steps_of_a_sunk_training_are_a_number_of_32_bits(epoch: int, good: bool) -> None:
    """Here with sinks of two steps: 2**31 - 2 steps are the most."""
    context.set_context(device_target="Ascend")

    def checked(sink: bool) -> Any:
        return given.check_training_arguments("who", epoch, regression(1), None, sink, 2, 0, None)

    assert checked(False).epochs == range(epoch)
    if good:
        assert checked(True).sink_size == 2
    else:
        with pytest.raises(
            ValueError, match=r"epoch \* sink_size must be below 2\*\*31, got 2147483648"
        ):
            checked(True)


def test_2_to_the_31_less_1_steps_are_the_most() -> None:
    context.set_context(device_target="Ascend")
    data = regression(1)
    assert given.check_training_arguments("who", 2**31 - 1, data, None, True, 1, 0, None).sink_mode
    with pytest.raises(ValueError, match="got 2147483648"):
        given.check_training_arguments("who", 2**31, data, None, True, 1, 0, None)


@pytest.mark.parametrize(
    ("frequency", "due"), [(1, [1, 2, 3, 4]), (3, [3]), (5, []), ([2, 4], [2, 4]), ([], [])]
)
def test_an_epoch_is_due_by_its_number(frequency: Any, due: list[int]) -> None:
    assert [k for k in range(1, 5) if must_evaluate_after(k, frequency)] == due


@pytest.mark.parametrize(
    ("outputs", "lost"),
    [
        (Tensor(np.nan), True),
        (Tensor([np.inf]), True),
        (Tensor(-np.inf), True),
        (Tensor(1.0), False),
        (Tensor([np.nan, np.nan]), False),  # no loss
        (Tensor(3), False),
        ((Tensor(np.nan), Tensor(1.0)), False),  # with a loss scale, which may overflow
        (np.nan, False),
    ],
)
def test_a_loss_is_lost_where_it_is_one_number_that_is_none(outputs: Any, lost: bool) -> None:
    assert _is_non_finite_loss(outputs) == lost


# -- things of another kind ------------------------------------------------------------------------


def test_an_iterator_is_no_dataset() -> None:
    rows = regression(1).create_dict_iterator()
    with pytest.raises(AttributeError, match="Pass the dataset itself, not its iterator"):
        trainer().train(1, rows)
    with pytest.raises(AttributeError, match=r"got list\. Make one, as ds\.NumpySlicesDataset"):
        trainer().train(1, [1, 2])


def test_a_class_is_no_optimizer() -> None:
    with pytest.raises(TypeError, match="optimizer must be an instance, got the class Momentum"):
        Model(dense(), nn.MSELoss(), nn.Momentum)


def test_texts_are_no_labels() -> None:
    data = ds.NumpySlicesDataset((np.ones((4, 3), np.float32), ["a"] * 4), ["x", "y"]).batch(2)
    with pytest.raises(TypeError, match="got texts in column 1"):
        trainer().train(1, data)


def test_a_model_that_can_not_learn_says_so() -> None:
    with pytest.warns(UserWarning, match="a loss_fn and no optimizer, so no weight will change"):
        Model(dense(), nn.MSELoss()).train(1, regression(1))


@pytest.mark.parametrize(
    "data", [1, 2.5, True, "text", None, [Tensor([1.0]), {"a": (1, None)}], {"a": Tensor([1.0])}]
)
def test_what_can_be_predicted_from(data: Any) -> None:
    given.check_predict_data("who", data)


@pytest.mark.parametrize("data", [np.ones(2), [np.ones(2)], {"a": object()}, b"bytes"])
def test_what_can_not_be_predicted_from(data: Any) -> None:
    with pytest.raises(TypeError, match="predict_data must be Tensors, numbers, texts or contain"):
        given.check_predict_data("who", data)


@pytest.mark.parametrize("backend", [None, "lite"])
def test_backends_are_all_the_same(backend: Any) -> None:
    x = Tensor(np.ones((2, 3), np.float32))
    assert trainer().predict(x, backend=backend, config=3).shape == (2, 1)


def test_a_build_takes_the_sink_size_of_a_training() -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    with pytest.raises(ValueError, match=r"Model\.build: sink_size must be -1 or positive, got 0"):
        trainer().build(regression(1), sink_size=0)


def test_a_layout_needs_a_dataset_of_a_batch_and_a_size() -> None:
    context.set_auto_parallel_context(parallel_mode="auto_parallel")
    model = trainer()
    with pytest.raises(ValueError, match="must have a batch, got none"):
        model.infer_train_layout(regression(1).batch(9, drop_remainder=True))
    with pytest.raises(ValueError, match="sink_size must be"):
        model.infer_train_layout(regression(1), sink_size=0)
    with pytest.raises(TypeError, match="dataset_sink_mode"):
        model.infer_train_layout(regression(1), dataset_sink_mode=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Wrap a NumPy array"):
        model.infer_predict_layout(np.ones((1, 3), np.float32))


def test_a_model_that_was_never_trained_has_counted_nothing() -> None:
    model = trainer()
    assert (model.epoch_iter, model.batch_num) == (0, -1)
    model.train(2, regression(3))
    assert (model.epoch_iter, model.batch_num) == (2, 3)


def test_a_script_puts_another_network_in_place_of_the_one_that_is_trained() -> None:
    model, count = trainer(), ms.Parameter(Tensor(0), name="count")

    class Counting(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.count = count

        def construct(self, *batch: Any) -> Any:
            self.count += 1
            return Tensor(0.0)

    model._train_network = counting = Counting()
    assert model.train_network is counting
    model.train(2, regression(3))
    assert int(count.value()) == 6


# -- feeds -----------------------------------------------------------------------------------------


def test_a_column_of_several_is_a_dict_of_tensors() -> None:
    output = convert_column({"a": np.ones(2), "b": {"c": 3.0}})
    assert output["a"].asnumpy().tolist() == [1, 1] and output["b"]["c"].asnumpy() == 3


def test_a_feed_that_never_began_closes() -> None:
    HostFeed(numbers(1), 1, 1, seed=Seed(1, True)).close()


def test_a_pass_shorter_than_its_size_sets_ended_early() -> None:
    feed = HostFeed(numbers(2), 3, 6, seed=Seed(1, True))
    assert not feed.ended_early
    with pytest.warns(UserWarning, match="ended after 2 batches, its size was said to be 3"):
        assert len(list(feed.epoch_inputs())) == 2
    assert feed.ended_early
    feed.close()


@pytest.mark.filterwarnings("ignore:Model.train. a pass over the dataset ended after")
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("seed", [3, 5, 7])
def test_each_pass_of_a_filter_over_random_rows_is_trained_to_its_end(mode: int, seed: int) -> None:
    """MindSpore 2.10 takes the same steps; its sizes of passes are those of the same seed."""
    ms.set_context(mode=mode)
    ms.set_seed(seed)
    rows = np.arange(12, dtype=np.float32).reshape(12, 1)
    source = ds.NumpySlicesDataset((rows, rows), ["x", "y"], sampler=ds.RandomSampler(False, 5))
    data = source.filter(lambda x: bool(x[0] % 5 != 1), ["x"]).batch(1)
    iterator = data.create_tuple_iterator(num_epochs=4)
    sizes = [len(list(iterator)) for _ in range(4)]
    assert len(set(sizes)) > 1
    steps: list[int] = []
    callback = LambdaCallback(
        on_train_epoch_begin=lambda _: steps.append(0),
        on_train_step_end=lambda _: steps.append(steps.pop() + 1),
    )
    net = nn.Dense(1, 1)
    ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 1e-4)).train(4, data, callback)
    assert steps == sizes


def test_a_pass_is_read_to_its_end_and_no_further() -> None:
    iterator = DeviceIterator(numbers(2).node, 2)
    counts = [len(list(iter(iterator.read_in_pass, None))) for _ in range(3)]
    assert counts == [2, 2, 0]
    iterator.close()


@pytest.mark.parametrize(
    ("arguments", "passes", "unused"),
    [((4, 3, 2, True, 2), 2, 1), ((4, 3, 2, True, 0), 3, 1), ((4, 3, -1, True, 1), 3, 0)],
)
def test_a_schedule_counts_the_passes_that_begin(arguments: Any, passes: int, unused: int) -> None:
    plan = explain_schedule(*arguments, device_target="Ascend")
    assert (plan.passes, plan.unused_batches) == (passes, unused)


def test_sink_losses_contain_only_floats() -> None:
    class Counted(Log):
        def construct(self, x: Tensor) -> Tensor:
            return ms.ops.cast(x.mean(), ms.int32)

    context.set_context(mode=PYNATIVE, device_target="Ascend")
    params = Params("sink_losses")
    Model(Counted(1)).train(1, numbers(3), params, dataset_sink_mode=True)
    assert [len(losses) for losses in params.values] == [0, 0, 0]


class Pair(Log):
    def construct(self, x: Tensor) -> Any:
        return x.mean(), x * 100


def test_losses_of_a_sink_are_the_first_outputs() -> None:
    context.set_context(mode=PYNATIVE, device_target="Ascend")
    params = Params("sink_losses")
    Model(Pair(1)).train(1, numbers(3, shuffle=False), params, dataset_sink_mode=True)
    assert params.values[-1].tolist() == [0.5, 2.5, 4.5]


def test_a_helper_of_something_else_is_refused() -> None:
    with pytest.raises(TypeError, match=r"must be a DatasetHelper, got list\. Make one"):
        connect_network_with_dataset(Log(1), [])  # type: ignore[arg-type]


def test_an_iterator_says_how_many_turns_it_has() -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    data = numbers(2)
    with pytest.raises(TypeError, match="SinkIterator: must say how many turns a sink has"):
        SinkIterator(data, 1, data.use.get_transfer(data))
    assert make_sink_iterator(data, 5).get_sink_size() == 5


@pytest.mark.parametrize(
    ("mode", "one_by_one"), [(GRAPH, 1), (PYNATIVE, 1), (PYNATIVE, 2), (GRAPH, 2)]
)
def test_a_queue_watches_for_other_shapes_where_nothing_follows_them(
    mode: int, one_by_one: int
) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    data = numbers(1)  # of one shape, whatever the size of a sink
    helper = DatasetHelper(data, True, sink_size=1)
    connect_network_with_dataset(Log(1), helper)
    assert helper.iter.transfer.channel.warns_on_shape_change == (mode == PYNATIVE)
    helper.release()
    helper = DatasetHelper(numbers(3), True, sink_size=one_by_one)
    output = connect_network_with_dataset(Log(1), helper)
    channel = helper.iter.transfer.channel
    assert channel.warns_on_shape_change == (mode == PYNATIVE and one_by_one > 1)
    assert (channel.required_specs is not None) == (mode == GRAPH and one_by_one > 1)
    assert isinstance(output, Looped) and output.loop == one_by_one
    helper.release()


@pytest.mark.parametrize(
    ("declared", "error", "text"),
    [
        (Tensor(shape=[2], dtype=ms.float32), None, ""),
        (Tensor(shape=[None], dtype=ms.float32), None, ""),
        (Tensor(shape=[3], dtype=ms.float32), ValueError, r"shape \(2,\) of the data, got \(3,\)"),
        (Tensor(shape=[2, 1], dtype=ms.float32), ValueError, "must have 1 axes .* got 2"),
        (Tensor(shape=[2], dtype=ms.int32), TypeError, "input 1 must be Float32 like the data"),
    ],
)
def test_declared_inputs_are_checked_against_the_data(declared: Any, error: Any, text: str) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    net = Log(1)
    net.set_inputs(declared)
    helper = DatasetHelper(numbers(3), True)
    if error is None:
        connect_network_with_dataset(net, helper)
    else:
        with pytest.raises(error, match=text):
            connect_network_with_dataset(net, helper)
    helper.release()


# -- the ledger ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("never", "end"), [(10, "9]"), (11, "9]...")])
def test_ten_rows_that_were_never_used_are_named(never: int, end: str) -> None:
    ledger = BatchLedger(dataset_size=1, source_rows=never)
    *_, last = str(ledger).splitlines()
    assert last.startswith(f"source rows never used: {never} of {never}: [0, 1, ")
    assert last.endswith(end)


@pytest.mark.parametrize(
    ("rows", "often"),
    [([[0, 1]], "once"), ([[0], [0]], "2 times"), ([[0, 1], [0]], "1 to 2 times")],
)
def test_a_ledger_says_how_often_rows_were_used(rows: Any, often: str) -> None:
    ledger = BatchLedger(dataset_size=2)
    for number, each in enumerate(rows):
        batch = InternalCallbackParam(pass_number=number // 2, number=number, rows=np.array(each))
        ledger.record(batch)
    assert f"each {often}" in str(ledger) and "never" not in str(ledger)
    assert [entry.number_in_pass for entry in ledger.entries] == list(range(len(rows)))
    assert len(ledger) == len(rows)


def test_the_record_of_a_training_says_what_is_on(tmp_path: Path) -> None:
    seen: dict[str, Any] = {}
    look = LambdaCallback(on_train_begin=lambda c: seen.update(c.original_args()))
    model = trainer()
    model.train(2, regression(3), look)
    assert seen["list_callback"] == [look]
    assert seen["optimizer"] is model.train_network.optimizer
    assert seen["last_save_ckpt_step"] is None and seen["latest_ckpt_file"] is None
    assert "sink_size" not in seen and seen["epoch_num"] == 2


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
def test_texts_come_to_a_network_as_arrays_as_iterators_give_them(mode: int) -> None:
    context.set_context(mode=mode)

    class Weighs(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.w = ms.Parameter(Tensor([1.0]), name="w")

        def construct(self, x: Tensor, names: Any) -> Tensor:
            return (x * self.w).sum() * len(names)

    x = np.ones((4, 1), np.float32)
    data = ds.NumpySlicesDataset((x, np.array(["a", "bb", "c", "d"])), shuffle=False).batch(2)
    seen: list[Any] = []
    look = LambdaCallback(
        on_train_step_end=lambda run: seen.append(run.original_args().train_dataset_element[1])
    )
    net = Weighs()
    Model(net, None, nn.SGD(net.trainable_params(), 0.125)).train(1, data, callbacks=look)
    assert [type(names) for names in seen] == [np.ndarray] * 2
    assert [names.tolist() for names in seen] == [["a", "bb"], ["c", "d"]]
    assert net.w.asnumpy() == 0.0
