"""Passes, seeds and sizes: what comes when, and how often."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore.dataset as ds
from minispore import context
from minispore.dataset.pipeline.random import Slots, compute_buffered_order
from minispore.execution import random as core_random
from tests.dataset.conftest import counted, rows


def test_a_random_access_source_is_shuffled_by_default():
    first, second = rows(ds.NumpySlicesDataset(np.arange(100), ["x"]), passes=2)
    assert sorted(first) == sorted(second) == list(range(100))
    assert first != list(range(100)) and first != second


def test_without_a_seed_each_iterator_has_distinct_orders():
    data = counted(100).shuffle(100)
    assert rows(data) != rows(data)


def test_a_new_iterator_with_the_same_seed_repeats_the_passes():
    data = counted(50).shuffle(20)
    ds.config.set_seed(7)
    once = rows(data, passes=3)
    assert once == rows(data, passes=3)
    assert once[0] != once[1] != once[2]


def test_the_seed_is_read_when_an_iterator_is_created():
    ds.config.set_seed(1)
    data = counted(50).shuffle(50)
    first = rows(data)
    ds.config.set_seed(2)
    assert rows(data) != first
    ds.config.set_seed(1)
    assert rows(data) == first


def test_package_set_seed_seeds_datasets_without_a_seed():
    core_random.set_seed(3)
    assert ds.config.get_seed() == 3
    data = counted(50).shuffle(50)
    assert rows(data) == rows(data)
    ds.config.set_seed(4)
    assert ds.config.get_seed() == 4


def test_zipped_branches_of_one_shape_shuffle_alike_under_a_seed():
    ds.config.set_seed(5)
    images = counted(40).shuffle(10)
    labels = counted(40).rename("x", "y").project("y")
    labels = ds.NumpySlicesDataset(np.arange(40), ["y"], shuffle=False).shuffle(10)
    assert all(x == y for x, y in rows(ds.zip((images, labels)))[0])


def test_repeat_multiplies_the_size_and_reshuffles_each_round():
    data = counted(30).shuffle(30).repeat(3)
    assert data.get_dataset_size() == 90 and data.get_repeat_count() == 3
    (all_rows,) = rows(data)
    rounds = [all_rows[i : i + 30] for i in (0, 30, 60)]
    assert [sorted(r) for r in rounds] == [list(range(30))] * 3
    assert rounds[0] != rounds[1] != rounds[2]


def test_two_passes_of_two_rounds_are_the_four_passes_of_an_iterator():
    ds.config.set_seed(1)
    data = counted(20).shuffle(20)
    four = rows(data, passes=4)
    twice = rows(data.repeat(2), passes=2)
    # repeat is one node higher, the shuffle below it is the same one
    assert [len(p) for p in twice] == [40, 40]
    assert twice[0][:20] == four[0] and twice[0][20:] == four[1]
    assert twice[1][:20] == four[2] and twice[1][20:] == four[3]


def test_a_shuffle_over_rounds_mixes_them_and_opens_each_once():
    opened = []

    class Noted(ds.Sampler):
        def __iter__(self):
            opened.append(True)
            return iter(range(self.dataset_size))

    data = ds.NumpySlicesDataset(np.arange(10), ["x"], sampler=Noted()).repeat(50).shuffle(500)
    opened.clear()
    (mixed,) = rows(data)
    assert sorted(mixed) == sorted([*range(10)] * 50)
    assert len(opened) == 50


def test_repeat_without_end_reports_the_size_of_one_round():
    data = counted(7).repeat(-1)
    assert data.get_dataset_size() == 7 and data.get_repeat_count() == -1
    assert data.batch(4).get_dataset_size() == 2
    iterator = data.create_tuple_iterator(output_numpy=True)
    assert [int(next(iterator)[0]) for _ in range(16)] == [*range(7), *range(7), 0, 1]
    iterator.close()


def test_batches_cross_the_rounds_of_a_repeat():
    assert rows(counted(3).repeat(2).batch(4))[0] == [[0, 1, 2, 0], [1, 2]]


def test_take_and_skip_cut_each_pass():
    assert rows(counted(10).skip(2).take(3), passes=2) == [[2, 3, 4]] * 2
    assert counted(10).take(-1).get_dataset_size() == 10
    assert counted(10).take(100).get_dataset_size() == 10
    assert rows(counted(10).skip(100)) == [[]]


@given(st.integers(0, 60), st.integers(2, 70), st.integers(0, 2**32 - 1))
def test_a_buffered_shuffle_is_that_of_a_buffer(count, buffer, seed):
    rng = np.random.default_rng(seed)
    values, out = list(range(min(buffer, count))), []
    for coming in [*range(len(values), count), *[None] * len(values)]:
        slot = int(rng.integers(len(values)))
        out.append(values[slot])
        values[slot] = values[-1]
        values[-1:] = [] if coming is None else [coming]
    assert compute_buffered_order(Slots(np.random.default_rng(seed)), count, buffer).tolist() == out


def test_a_row_leaves_a_shuffle_buffer_no_earlier_than_the_buffer_allows():
    (order,) = rows(counted(1000).shuffle(10))
    assert sorted(order) == list(range(1000))
    assert all(place >= row - 9 for place, row in enumerate(order))


def test_a_shuffled_stream_comes_in_the_order_of_a_shuffled_source():
    ds.config.set_seed(11)

    def numbers():
        yield from range(500)

    stream = ds.GeneratorDataset(numbers, ["x"]).shuffle(17)
    assert rows(stream, passes=2) == rows(counted(500).shuffle(17), passes=2)


def test_zip_is_as_long_as_its_shortest_part():
    data = ds.zip((counted(5), counted(3).rename("x", "y"), counted(4).rename("x", "z")))
    assert data.get_dataset_size() == 3
    assert rows(data) == [[(0, 0, 0), (1, 1, 1), (2, 2, 2)]]


def test_concat_and_plus_append_rows():
    assert rows(counted(2) + counted(3)) == [[0, 1, 0, 1, 2]]
    assert rows(counted(2).concat([counted(1), counted(2)])) == [[0, 1, 0, 0, 1]]


def test_a_shuffle_over_concatenated_parts_mixes_them():
    (order,) = rows((counted(50) + counted(50)).shuffle(100))
    assert sorted(order) == sorted([*range(50), *range(50)])
    assert order[:50] != list(range(50))


def test_an_iterator_goes_on_after_a_break_and_starts_a_pass_with_each_for():
    iterator = counted(5).create_tuple_iterator(num_epochs=2, output_numpy=True)
    for (x,) in iterator:
        if x == 1:
            break
    assert [int(x) for (x,) in iterator] == [2, 3, 4]
    assert [int(x) for (x,) in iterator] == [0, 1, 2, 3, 4]


def test_iterating_past_num_epochs_is_a_runtime_error():
    iterator = counted(3).create_dict_iterator(num_epochs=1)
    assert len(list(iterator)) == 3
    with pytest.raises(RuntimeError, match=r"num_epochs.*are over"):
        next(iterator)


@pytest.mark.parametrize(
    ("value", "error"),
    [(0, RuntimeError), (-2, ValueError), (1.0, TypeError), (True, TypeError), (None, TypeError)],
)
def test_num_epochs_must_be_minus_one_or_positive(value, error):
    with pytest.raises(error, match="num_epochs must be"):
        counted(3).create_dict_iterator(num_epochs=value)


def test_for_over_a_dataset_is_one_pass_of_lists_of_tensors():
    assert [[int(v) for v in row] for row in counted(3)] == [[0], [1], [2]]
    assert len(counted(3)) == 3 and bool(counted(3).skip(3))


def test_columns_of_a_tuple_iterator_are_picked_and_ordered():
    data = ds.NumpySlicesDataset({"a": [1], "b": [2], "c": [3]})
    (row,) = data.create_tuple_iterator(columns=["c", "a"], num_epochs=1, output_numpy=True)
    assert [int(v) for v in row] == [3, 1]
    with pytest.raises(RuntimeError, match="must name columns of the dataset, got 'z'"):
        data.create_tuple_iterator(columns=["z"])


def test_shapes_and_types_are_those_of_the_first_row_and_take_it_from_nobody():
    data = ds.NumpySlicesDataset({"x": np.zeros((5, 2), np.float32), "y": np.arange(5)})
    batched = data.batch(2)
    iterator = batched.create_tuple_iterator(num_epochs=1)
    assert batched.output_shapes() == [[2, 2], [2]]
    assert batched.output_types() == [np.float32, np.int64]
    assert batched.types_shapes() == ([np.float32, np.int64], [(2, 2), (2,)])
    assert batched.output_shapes(estimate=True) == [[None, 2], [None]]
    assert len(list(iterator)) == 3


def test_split_gives_parts_that_share_no_row_and_keep_them():
    data = counted(10)
    first, second = data.split([0.7, 0.3])
    a, b = rows(first, passes=2), rows(second, passes=2)
    assert a[0] == a[1] and b[0] == b[1]
    assert len(a[0]) == 7 and len(b[0]) == 3
    in_order = data.split([4, 6], randomize=False)
    assert [rows(part)[0] for part in in_order] == [[0, 1, 2, 3], [4, 5, 6, 7, 8, 9]]


def test_split_parts_of_one_call_fit_together():
    ds.config.set_seed(1)
    first, second = counted(10).split([7, 3])
    assert sorted(rows(first)[0] + rows(second)[0]) == list(range(10))


@pytest.mark.parametrize(
    ("sizes", "error"),
    [
        ([3, 6], RuntimeError),
        ([0.3, 0.6], ValueError),
        ([0, 10], ValueError),
        ([0.5, 1], ValueError),
        ("x", TypeError),
        ([], ValueError),
    ],
)
def test_split_sizes_must_sum_up(sizes, error):
    with pytest.raises(error, match="split: "):
        counted(10).split(sizes)


@pytest.mark.parametrize(
    ("count", "sizes", "parts"),
    [  # by Python's rounding, what is left over goes to, or comes from, one part
        (7, [0.2] * 5, [3, 1, 1, 1, 1]),
        (9, [0.05, 0.35, 0.35, 0.25], RuntimeError),
        (10, [0.05, 0.95], RuntimeError),
        (11, [0.05, 0.45, 0.5], [1, 4, 6]),
        (11, [0.05, 0.15, 0.15, 0.65], [1, 1, 2, 7]),
        (5, [0.15] * 5 + [0.25], RuntimeError),
        (8, [0.2] * 4 + [0.19999] + [0.00001], RuntimeError),
        (8, [0.2] * 5, RuntimeError),
        (14, [0.25, 0.25, 0.25, 0.125, 0.125], [2, 4, 4, 2, 2]),
        (13, [0.2] * 5, [1, 3, 3, 3, 3]),
        (8, [0.333333, 0.333333, 0.333333], [2, 3, 3]),
        (8, [0.5, 0.50002], ValueError),
    ],
)
def test_fractions_of_a_split_are_rounded_as_the_real_one_rounds_them(count, sizes, parts):
    if isinstance(parts, list):
        split = counted(count).split(sizes, randomize=False)
        assert [part.get_dataset_size() for part in split] == parts
    else:
        with pytest.raises(parts, match="split: "):
            counted(count).split(sizes)


def test_a_pass_goes_on_from_a_state():
    data = counted(40).shuffle(10).map(lambda x: x * 2).batch(3)
    iterator = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    for _ in iterator:
        pass
    seen = [next(iterator)[0].tolist() for _ in range(5)]
    state = json.loads(json.dumps(iterator.get_state()))
    rest = [[v[0].tolist() for v in iterator], [v[0].tolist() for v in iterator]]

    other = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    other.set_state(state)
    assert len(seen) == 5
    assert [[v[0].tolist() for v in other], [v[0].tolist() for v in other]] == rest


def test_a_stream_goes_on_from_a_state_too():
    def numbers():
        yield from range(20)

    data = ds.GeneratorDataset(numbers, ["x"]).shuffle(5)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    for _ in range(7):
        next(iterator)
    state = iterator.get_state()
    rest = [int(x) for (x,) in iterator]
    other = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    other.set_state(state)
    assert [int(x) for (x,) in other] == rest


@pytest.mark.parametrize(
    ("state", "error"),
    [
        ({}, TypeError),
        (None, TypeError),
        ({"version": 2, "seed": 1, "seeded": True, "pass": 0, "position": 0}, ValueError),
        ({"version": 1, "seed": 1, "seeded": True, "pass": 9, "position": 0}, ValueError),
        ({"version": 1, "seed": 1, "seeded": True, "pass": 0, "position": -1}, ValueError),
    ],
)
def test_a_state_must_be_one_that_fits(state, error):
    iterator = counted(3).create_tuple_iterator(num_epochs=1)
    with pytest.raises(error, match="set_state: "):
        iterator.set_state(state)
    assert len(list(iterator)) == 3


def test_a_device_iterator_gives_numbered_batches_of_consecutive_passes():
    ds.config.set_seed(9)
    data = counted(6).shuffle(6).batch(4)
    host = rows(data, passes=3)
    batches = list(data.device_iterator(3, total_batches=5, with_rows=True))
    assert [b.columns[0].tolist() for b in batches] == (host[0] + host[1] + host[2])[:5]
    assert [(b.number, b.pass_number) for b in batches] == [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2)]
    assert all(b.rows.tolist() == b.columns[0].tolist() for b in batches)


def test_a_device_iterator_can_start_with_a_later_pass():
    ds.config.set_seed(9)
    data = counted(6).shuffle(6).batch(4)
    batches = list(data.device_iterator(1, first_pass=2))
    assert [b.columns[0].tolist() for b in batches] == rows(data, passes=3)[2]
    assert {b.pass_number for b in batches} == {2} and batches[0].rows is None


def test_a_device_iterator_can_start_in_the_middle_of_a_pass():
    ds.config.set_seed(9)
    data = counted(10).shuffle(6).batch(3)
    whole = [b.columns[0].tolist() for b in data.device_iterator(2)]
    rest = list(data.device_iterator(2, first_batch=3))
    assert [b.columns[0].tolist() for b in rest] == whole[3:]
    assert [b.pass_number for b in rest] == [0, 1, 1, 1, 1]
    assert [b.number for b in rest] == [3, 4, 5, 6, 7]


def test_a_queue_to_the_device_sends_the_batches_of_a_dataset():
    context.set_context(device_target="Ascend")
    data = counted(10).batch(4)
    queue = data.device_que(queue_name="mine")
    lease = queue.send(2)
    assert queue.queue_name == "mine" and queue.get_data_info()[1] == [[4]]
    selected = [queue.channel.take(5.0)[0].arrays[0].tolist() for _ in range(6)]
    assert selected == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]] * 2
    queue.release()
    del lease


def test_row_ids_follow_rows_through_streams_too():
    def numbers():
        yield from range(20)

    data = ds.GeneratorDataset(numbers, ["x"]).filter(lambda x: x % 2 == 0).shuffle(4).batch(3)
    for batch in data.device_iterator(1, with_rows=True):
        assert batch.rows.tolist() == batch.columns[0].tolist()


@pytest.mark.parametrize(("count", "message"), [(-1, -1), (3, 3)])
def test_json_stores_a_count_and_minus_one_for_endless(count: int, message: int) -> None:
    repeated, selected = counted(2).repeat(count).to_json(), counted(9).take(count).to_json()
    assert (repeated["op_type"], repeated["count"]) == ("Repeat", message)
    assert (selected["op_type"], selected["count"]) == ("Take", message)
