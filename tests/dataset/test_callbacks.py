"""What a map's callbacks are told, in which order, and when the map waits for the training."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import minispore as ms
import minispore.dataset as ds
from minispore import nn
from tests.dataset.conftest import counted, rows

Event = tuple[str, int, int, int]


class RecordingCallback(ds.DSCallback):
    """Notes each call: its name, the epoch, the step over all epochs, the step of the epoch."""

    def __init__(self, step_size: int = 1) -> None:
        super().__init__(step_size)
        self.events: list[Event] = []

    def note(self, name: str, place: Any) -> None:
        numbers = (place.cur_epoch_num, place.cur_step_num, place.cur_step_num_in_epoch)
        self.events.append((name, *numbers))

    def ds_begin(self, ds_run_context: Any) -> None:
        self.note("begin", ds_run_context)

    def ds_epoch_begin(self, ds_run_context: Any) -> None:
        self.note("epoch_begin", ds_run_context)

    def ds_epoch_end(self, ds_run_context: Any) -> None:
        self.note("epoch_end", ds_run_context)

    def ds_step_begin(self, ds_run_context: Any) -> None:
        self.note("step_begin", ds_run_context)

    def ds_step_end(self, ds_run_context: Any) -> None:
        self.note("step_end", ds_run_context)

    def named(self, name: str) -> list[tuple[int, ...]]:
        return [numbers for event, *numbers in self.events if event == name]  # type: ignore[misc]


def same(x: Any) -> Any:
    return x


def run_with_callback(
    make: Callable[[ds.DSCallback], ds.Dataset], passes: int = 2, step_size: int = 1
) -> RecordingCallback:
    callback = RecordingCallback(step_size)
    rows(make(callback), passes)
    return callback


def test_a_callback_sees_the_events_of_epochs_and_steps() -> None:
    callback = run_with_callback(lambda c: counted(2).map(same, callbacks=c))
    assert callback.events == [
        ("begin", 0, 0, 0),
        ("epoch_begin", 1, 0, 0),
        ("step_begin", 1, 1, 1),
        ("step_end", 1, 1, 1),
        ("step_begin", 1, 2, 2),
        ("step_end", 1, 2, 2),
        ("epoch_end", 1, 2, 2),
        ("epoch_begin", 2, 2, 0),
        ("step_begin", 2, 3, 1),
        ("step_end", 2, 3, 1),
        ("step_begin", 2, 4, 2),
        ("step_end", 2, 4, 2),
        ("epoch_end", 2, 4, 2),
    ]


@pytest.mark.parametrize("processes", [False, True])
def test_step_events_come_in_order_with_several_workers(processes: bool) -> None:
    callback = run_with_callback(
        lambda c: counted(20).map(
            same, callbacks=c, num_parallel_workers=3, python_multiprocessing=processes
        ),
        passes=1,
    )
    expected = [[1, i, i] for i in range(1, 21)]
    assert callback.named("step_begin") == callback.named("step_end") == expected
    for i in range(1, 21):
        start = callback.events.index(("step_begin", 1, i, i))
        assert start < callback.events.index(("step_end", 1, i, i))


def test_step_size_leaves_out_the_steps_between() -> None:
    callback = run_with_callback(lambda c: counted(5).map(same, callbacks=c), step_size=2)
    expected = [[1, 1, 1], [1, 3, 3], [1, 5, 5], [2, 6, 1], [2, 8, 3], [2, 10, 5]]
    assert callback.named("step_begin") == callback.named("step_end") == expected


def test_callbacks_of_different_step_sizes_each_see_their_steps() -> None:
    two, three = RecordingCallback(2), RecordingCallback(3)
    rows(counted(7).map(same, callbacks=[two, three]))
    assert [step for *_, step in two.named("step_end")] == [1, 3, 5, 7]
    assert [step for *_, step in three.named("step_end")] == [1, 4, 7]


def test_an_epoch_is_a_pass_of_the_pipeline_so_a_repeat_makes_it_longer() -> None:
    callback = run_with_callback(lambda c: counted(2).map(same, callbacks=c).repeat(2))
    assert callback.named("epoch_begin") == [[1, 0, 0], [2, 4, 0]]
    assert callback.named("epoch_end") == [[1, 4, 4], [2, 8, 4]]


def test_a_step_is_a_row_of_the_map_so_batches_below_make_fewer() -> None:
    callback = run_with_callback(lambda c: counted(4).batch(2).map(same, callbacks=c), passes=1)
    assert callback.named("step_end") == [[1, 1, 1], [1, 2, 2]]


def test_an_epoch_without_rows_begins_and_ends() -> None:
    callback = run_with_callback(
        lambda c: counted(2).filter(lambda x: x > 5).map(same, callbacks=c), passes=1
    )
    assert callback.events == [
        ("begin", 0, 0, 0),
        ("epoch_begin", 1, 0, 0),
        ("epoch_end", 1, 0, 0),
    ]


def test_rows_with_callbacks_are_those_without() -> None:
    data = counted(6).shuffle(6)
    ds.config.set_seed(3)
    plain, with_callback = data.map(same), data.map(same, callbacks=RecordingCallback())
    assert rows(plain.batch(4), 2) == rows(with_callback.batch(4), 2)


def test_a_failing_row_has_a_beginning_and_no_end() -> None:
    callback = RecordingCallback()
    data = counted(3).map(lambda x: 1 // (int(x) - 1), callbacks=callback)
    with pytest.raises(RuntimeError, match="failed on row 1"):
        rows(data)
    assert callback.events[-1] == ("step_begin", 1, 2, 2)


def test_a_failing_callback_says_its_name_and_place() -> None:
    class Wrong(ds.DSCallback):
        def ds_step_begin(self, ds_run_context: Any) -> None:
            raise ValueError("no")

    with pytest.raises(RuntimeError, match=r"ds_step_begin of the callback Wrong .* step 1 of"):
        rows(counted(2).map(same, callbacks=Wrong()))


def test_the_place_cannot_be_changed() -> None:
    class Sets(ds.DSCallback):
        def ds_begin(self, ds_run_context: Any) -> None:
            ds_run_context.cur_epoch_num = 5

    with pytest.raises(RuntimeError, match="cur_epoch_num"):
        rows(counted(1).map(same, callbacks=Sets()))


def test_shape_and_size_queries_call_no_callback() -> None:
    callback = RecordingCallback()
    data = counted(3).map(same, callbacks=callback).filter(lambda x: x > 0)
    assert data.get_dataset_size() == 2
    data.output_shapes(estimate=True)
    assert callback.events == []


def test_a_callback_that_overrides_nothing_is_refused_when_the_pipeline_starts() -> None:
    class Waits(ds.WaitedDSCallback):
        pass

    for callback in (ds.DSCallback(), Waits()):
        data = counted(1).map(same, callbacks=callback)
        with pytest.raises(AttributeError, match="must override a method"):
            data.create_tuple_iterator()


@pytest.mark.parametrize("wrong", [3, [3], "x"])
def test_what_is_no_callback_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="callbacks must be a DSCallback"):
        counted(1).map(same, callbacks=wrong)


@pytest.mark.parametrize("kind", [ds.DSCallback, ds.WaitedDSCallback])
@pytest.mark.parametrize(
    ("size", "error"), [(0, ValueError), (2**31, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_step_size_must_be_a_positive_int(kind: Any, size: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="step_size must be"):
        kind(size)


def test_a_map_with_callbacks_has_no_cache() -> None:
    with pytest.raises(RuntimeError, match="cache must not be given to a map with callbacks"):
        counted(1).map(same, callbacks=RecordingCallback(), cache=ds.DatasetCache(1, 0))


# -- in step with a training -----------------------------------------------------------------------


class Net(nn.Cell):
    def construct(self, x: Any) -> Any:
        return x


class Trained(ms.Callback):
    """Notes steps and epochs of the training among those of the pipeline."""

    def __init__(self, events: list[Any]) -> None:
        self.events = events

    def on_train_step_end(self, run_context: Any) -> None:
        self.events.append(("trained", run_context.original_args().cur_step_num))

    def on_train_epoch_end(self, run_context: Any) -> None:
        self.events.append(("trained epoch", run_context.original_args().cur_epoch_num))


class Follows(ds.WaitedDSCallback):
    def __init__(self, events: list[Any], step_size: int = 1) -> None:
        super().__init__(step_size)
        self.events = events

    def sync_epoch_begin(self, train_run_context: Any, ds_run_context: Any) -> None:
        assert train_run_context.original_args().epoch_num > 1
        self.events.append(("epoch", ds_run_context.cur_epoch_num))

    def sync_step_begin(self, train_run_context: Any, ds_run_context: Any) -> None:
        self.events.append(("row", ds_run_context.cur_step_num))


def train(data: ds.Dataset, epochs: int, *callbacks: ms.Callback) -> None:
    ms.Model(Net()).train(epochs, data, callbacks=list(callbacks), dataset_sink_mode=False)


def test_rows_wait_for_the_step_before_and_epochs_for_the_epoch_before() -> None:
    events: list[Any] = []
    follows = Follows(events)
    train(counted(2).map(same, callbacks=follows), 2, Trained(events), follows)
    assert events == [
        ("trained", 1), ("row", 2), ("trained", 2), ("trained epoch", 1),
        ("epoch", 2), ("row", 3), ("trained", 3), ("row", 4), ("trained", 4), ("trained epoch", 2),
    ]  # fmt: skip


def test_with_the_batch_size_as_step_size_a_batch_waits_for_the_batch_before() -> None:
    events: list[Any] = []
    follows = Follows(events, step_size=2)
    data = counted(5).map(same, callbacks=follows, num_parallel_workers=2)
    train(data.batch(2, drop_remainder=True), 1, Trained(events), follows)
    assert events[:3] == [("trained", 1), ("row", 3), ("trained", 2)]


def test_the_same_callback_waits_in_a_second_training_too() -> None:
    events: list[Any] = []
    follows = Follows(events)
    data = counted(2).map(same, callbacks=follows)
    model = ms.Model(Net())
    for _ in range(2):
        model.train(1, data, callbacks=[Trained(events), follows], dataset_sink_mode=False)
    assert events == 2 * [("trained", 1), ("row", 2), ("trained", 2), ("trained epoch", 1)]


@pytest.mark.parametrize("ahead", [True, False])
def test_a_training_without_sink_ends_the_last_epoch_of_the_pipeline(ahead: bool) -> None:
    ds.config.set_debug_mode(not ahead)
    callback = RecordingCallback()
    train(counted(3).map(same, callbacks=callback).batch(2, drop_remainder=True), 2)
    assert callback.named("epoch_end") == [[1, 3, 3], [2, 6, 3]]


def test_a_pipeline_whose_training_does_not_come_gives_up() -> None:
    ds.config.set_callback_timeout(1)
    data = counted(2).map(same, callbacks=Follows([]))
    with pytest.raises(
        RuntimeError,
        match=r"step_begin timed out after 1 second.s.: the .* step_end did not come\. Give",
    ):
        rows(data)


def test_a_failing_training_ends_the_wait() -> None:
    class Stop(ms.Callback):
        def on_train_step_end(self, run_context: Any) -> None:
            raise KeyError("stop")

    before = threading.active_count()
    follows = Follows([])
    with pytest.raises(KeyError, match="stop"):
        train(counted(9).map(same, callbacks=follows), 1, Stop(), follows)
    assert threading.active_count() == before
    assert follows.events == []


def test_closing_the_iterator_ends_the_wait() -> None:
    follows = Follows([])
    iterator = counted(9).map(same, callbacks=follows).create_tuple_iterator()
    next(iterator)
    before = threading.active_count()
    iterator.close()
    assert threading.active_count() < before
    assert follows.events == []


@pytest.mark.parametrize(("batches", "ends"), [(3, [[1, 3, 3]]), (2, [])])
def test_a_device_that_took_all_batches_of_a_pass_ends_the_epoch(batches: int, ends: list) -> None:
    ds.config.set_debug_mode(True)  # nothing is read ahead
    callback = RecordingCallback()
    data = counted(3).map(same, callbacks=callback)
    assert len(list(data.device_iterator(2, total_batches=batches))) == batches
    assert callback.named("epoch_end") == ends


class Three:
    """A source of three rows that knows whether it was asked for a fourth."""

    asked = False

    def __len__(self) -> int:
        return 3

    def __iter__(self) -> Iterator[int]:
        yield from range(3)
        self.asked = True


def test_the_source_end_is_not_read_when_total_batches_is_reached() -> None:
    ds.config.set_debug_mode(True)  # nothing is read ahead
    source = Three()
    data = ds.GeneratorDataset(source, "x")
    assert len(list(data.device_iterator(1, total_batches=3))) == 3
    assert not source.asked
