"""Samplers: which rows they pick, in which order, and what they say of bad arguments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore.dataset as ds
from tests.dataset.conftest import rows
from tests.dataset.files import cifar_records, idx


def picked(sampler: object, count: int = 7, passes: int = 1) -> list[list[int]]:
    return rows(ds.NumpySlicesDataset(np.arange(count), ["x"], sampler=sampler), passes)


@pytest.mark.parametrize(
    ("sampler", "order"),
    [
        (ds.SequentialSampler(2, 3), [2, 3, 4]),
        (ds.SequentialSampler(5), [5, 6]),
        (ds.SubsetSampler([4, 1, 1]), [4, 1, 1]),
        (ds.SubsetSampler([4, 1, 3], 2), [4, 1]),
        (ds.DistributedSampler(2, 1, shuffle=False), [1, 3, 5, 0]),
        (ds.DistributedSampler(3, 2, shuffle=False, offset=1), [1, 4]),
        (ds.DistributedSampler(3, 0, shuffle=False, offset=1), [2, 5]),
        (ds.DistributedSampler(2, 0, shuffle=False, num_samples=2), [0, 2]),
        (ds.DistributedSampler(9, 8, shuffle=False, offset=0), [0]),
        (ds.DistributedSampler(9, 1, offset=2), [0]),
        ([3, 1], [3, 1]),
        (range(0, 7, 3), [0, 3, 6]),
    ],
)
def test_samplers_without_chance_pick_what_their_arguments_say(sampler, order):
    data = ds.NumpySlicesDataset(np.arange(7), ["x"], sampler=sampler)
    assert rows(data, passes=2) == [order, order]
    assert data.get_dataset_size() == len(order)


def test_a_random_sampler_draws_anew_in_each_pass():
    first, second = picked(ds.RandomSampler(), 50, 2)
    assert sorted(first) == sorted(second) == list(range(50)) and first != second
    assert len(picked(ds.RandomSampler(num_samples=3))[0]) == 3
    repeated = picked(ds.RandomSampler(replacement=True), 200)[0]
    assert len(repeated) == 200 and 80 < len(set(repeated)) < 160  # 126 of 200, on average


def test_a_random_subset_is_the_subset():
    assert [sorted(p) for p in picked(ds.SubsetRandomSampler([4, 1, 6]), passes=3)] == [
        [1, 4, 6]
    ] * 3


@given(st.integers(1, 5), st.integers(0, 20), st.booleans())
def test_shards_share_all_rows_and_have_equally_many(num_shards, count, shuffle):
    shards = []
    for shard in range(num_shards):
        sampler = ds.DistributedSampler(num_shards, shard, shuffle)
        shards.append(sampler._order_(count, np.random.default_rng(shard), 3).tolist())
        assert len(shards[-1]) == sampler._size_(count) == -(-count // num_shards)
    assert {row for shard in shards for row in shard} == set(range(count))


@pytest.mark.parametrize("seed", [None, 7])
def test_shards_share_all_rows_of_each_pass_under_one_seed_and_without(seed):
    if seed is not None:
        ds.config.set_seed(seed)
    passes = [picked(ds.DistributedSampler(2, rank), 20, 2) for rank in range(2)]
    assert [sorted(a + b) for a, b in zip(*passes)] == [list(range(20))] * 2
    assert passes[0][0] != passes[0][1]


def test_weights_are_probabilities():
    samples = picked(ds.WeightedRandomSampler([0, 3, 1]), 4000)[0]
    assert set(samples) == {1, 2} and abs(samples.count(1) / 4000 - 0.75) < 0.05
    assert len(picked(ds.WeightedRandomSampler([0, 3, 1], 9), 3)[0]) == 3  # no more than there are
    without = picked(ds.WeightedRandomSampler([1, 0, 5, 5], 3, replacement=False), 4, 50)
    assert all(len(set(p)) == 3 and 1 not in p for p in without)
    assert sum(p[0] == 0 for p in without) < 25


def labelled(folder: Path, labels: Sequence[int], sampler: ds.Sampler) -> ds.Dataset:
    """Rows of their number and their class, of a source that knows its classes."""
    images = np.arange(len(labels))[:, None, None] + np.zeros((28, 28), np.int64)
    (folder / "train-images-idx3-ubyte").write_bytes(idx(images.astype(np.uint8)))
    (folder / "train-labels-idx1-ubyte").write_bytes(idx(np.array(labels, np.uint8)))
    data = ds.MnistDataset(str(folder), "train", sampler=sampler)
    return data.map(lambda x: x[0, 0, 0], "image")


def test_a_pk_sampler_draws_some_rows_of_each_class_anew_in_each_pass(tmp_path):
    labels = np.array([2, 0, 1, 0, 2, 1, 0], np.uint32)
    plain = labelled(tmp_path, labels, ds.PKSampler(4))
    assert plain.get_dataset_size() == 12  # of two rows of a class some come more than once
    passes = rows(plain, passes=30)
    for one in passes:
        assert [label for _, label in one] == [0] * 4 + [1] * 4 + [2] * 4
        assert all(labels[x] == label for x, label in one)
    assert {x for one in passes for x, _ in one} == set(range(7))
    assert len({tuple(one) for one in passes}) > 20
    samples = labelled(tmp_path, labels, ds.PKSampler(2, 2, shuffle=True))
    for one in rows(samples, passes=5):
        assert len(one) == 4 and {label for _, label in one} == {0, 1}
    with pytest.raises(RuntimeError, match="class_column must be a column of class labels"):
        labelled(tmp_path, labels, ds.PKSampler(2, class_column="y"))
    with pytest.raises(RuntimeError, match="num_class must be at most 3"):
        labelled(tmp_path, labels, ds.PKSampler(2, 4))


@pytest.mark.parametrize("source", [ds.NumpySlicesDataset, ds.GeneratorDataset])
def test_python_sources_refuse_pk_samplers_and_conflicting_options(source):
    inputs = [[1], [2]], ["x"]
    with pytest.raises(ValueError, match="sampler must not be a PKSampler"):
        source(*inputs, sampler=ds.PKSampler(1))
    with pytest.raises(ValueError, match="sampler and sharding cannot be specified"):
        source(*inputs, sampler=ds.SequentialSampler(), num_shards=2, shard_id=0)
    with pytest.raises(ValueError, match="num_shards and shard_id must be given together"):
        source(*inputs, num_shards=2)
    with pytest.raises(TypeError, match="sampler must be a Sampler or an iterable of ints, got 1"):
        source(*inputs, sampler=1)
    with pytest.raises(TypeError, match="num_shards must be an int"):
        source(*inputs, num_shards=2.5)
    picked = source(*inputs, sampler=[1], num_shards=2, shard_id=0)  # row numbers are all
    assert picked.get_dataset_size() == 1


def test_rows_of_files_are_picked_in_one_way(tmp_path):
    labelled(tmp_path, [0, 1], ds.SequentialSampler())
    for others in ({"num_samples": 1}, {"shuffle": False}, {"num_shards": 2, "shard_id": 0}):
        with pytest.raises(RuntimeError, match="cannot be specified at the same time"):
            ds.MnistDataset(str(tmp_path), sampler=[0], **others)


def test_under_a_seed_a_pk_sampler_draws_what_mindspore_draws(tmp_path):
    labels = np.repeat([0, 1, 2], [5, 2, 3])  # the numbers are the real one's, of these classes
    saved = ds.config.settings()
    ds.config.set_seed(1)
    try:
        sampler = ds.PKSampler(3)
        data = labelled(tmp_path, labels, sampler)
        assert [[x for x, _ in one] for one in rows(data, passes=2)] == [
            [2, 4, 3, 6, 5, 5, 7, 9, 7],
            [2, 0, 0, 6, 6, 6, 8, 8, 8],
        ]
        data = labelled(tmp_path, labels, ds.PKSampler(3, shuffle=True))
        assert [[x for x, _ in one] for one in rows(data, passes=3)] == [
            [6, 6, 6, 0, 0, 1, 9, 7, 7],
            [5, 5, 5, 4, 2, 4, 8, 8, 8],
            [6, 5, 6, 4, 1, 0, 8, 8, 9],
        ]
        outer = ds.SequentialSampler(0, 5)
        outer.add_child(ds.PKSampler(2))
        data = labelled(tmp_path, labels, outer)
        assert data.get_dataset_size() == 5
        assert [x for x, _ in rows(data)[0]] == [2, 4, 6, 6, 7]
    finally:
        ds.config.restore(saved)


def test_a_pk_sampler_takes_the_first_column_of_numbers_where_none_is_called_label(tmp_path):
    records = cifar_records(4, 2)
    records[:, :2] = [[1, 0], [0, 1], [1, 2], [0, 3]]
    (tmp_path / "train.bin").write_bytes(records.tobytes())
    data = ds.Cifar100Dataset(str(tmp_path), "train", sampler=ds.PKSampler(1))
    assert rows(data.project(["coarse_label"])) == [[0, 1]]


class EveryOther(ds.Sampler):
    """A sampler as users write it."""

    def __iter__(self):
        return iter(range(1, self.dataset_size, 2))


class Growing(ds.Sampler):
    """One that gives other rows each time, and has the older method."""

    def __init__(self):
        super().__init__(3)
        self.calls = 0

    def get_indices(self):
        self.calls += 1
        return np.arange(5) * self.calls % 7


def test_users_samplers_pick_with_iter_or_get_indices():
    assert picked(EveryOther(), passes=2) == [[1, 3, 5]] * 2
    assert picked(Growing(), passes=3) == [[0, 1, 2], [0, 2, 4], [0, 3, 6]]


def test_a_chained_sampler_picks_from_what_its_child_gives():
    sampler = ds.SequentialSampler(1, 2)
    sampler.add_child(ds.SubsetSampler([6, 5, 4, 3]))
    assert picked(sampler) == [[5, 4]] and sampler.get_num_samples() == 2
    with pytest.raises(RuntimeError, match="at most one child"):
        sampler.add_child(ds.SequentialSampler())


def test_a_dataset_takes_other_samplers():
    data = ds.NumpySlicesDataset(np.arange(7), ["x"], shuffle=False)
    data.use_sampler(ds.SubsetSampler([5, 3, 1]))
    assert rows(data) == [[5, 3, 1]] and data.get_dataset_size() == 3
    data.add_sampler(ds.SequentialSampler(1))
    assert rows(data) == [[3, 1]] and data.get_dataset_size() == 2
    chained = ds.SequentialSampler()
    chained.add_child(None)
    chained.add_child(ds.SequentialSampler(1))
    with pytest.raises(RuntimeError, match="already has a child"):
        ds.NumpySlicesDataset([1, 2], ["x"]).use_sampler(chained)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: ds.SequentialSampler(-1), ValueError),
        (lambda: ds.SequentialSampler(1.0), TypeError),
        (lambda: ds.RandomSampler(1), TypeError),
        (lambda: ds.RandomSampler(num_samples=-1), ValueError),
        (lambda: ds.RandomSampler(shuffle=True), TypeError),
        (lambda: ds.RandomSampler(shuffle=ds.Shuffle.FALSE), TypeError),
        (lambda: picked(ds.RandomSampler(shuffle=ds.Shuffle.FILES)), RuntimeError),
        (lambda: picked(ds.RandomSampler(shuffle=ds.Shuffle.ADAPTIVE)), RuntimeError),
        (lambda: ds.DistributedSampler(2, 2), ValueError),
        (lambda: ds.DistributedSampler(0, 0), ValueError),
        (lambda: ds.DistributedSampler(2, -1), ValueError),
        (lambda: ds.DistributedSampler("a", 0), TypeError),
        (lambda: ds.DistributedSampler(2, 0, offset=3), ValueError),
        (lambda: ds.PKSampler(0), ValueError),
        (lambda: ds.PKSampler(1, class_column=3), TypeError),
        (lambda: ds.SubsetSampler("x"), TypeError),
        (lambda: ds.SubsetSampler([1.5]), TypeError),
        (lambda: ds.WeightedRandomSampler([]), ValueError),
        (lambda: ds.WeightedRandomSampler([-1]), ValueError),
        (lambda: ds.WeightedRandomSampler([0, 0]), ValueError),
        (lambda: ds.WeightedRandomSampler([float("nan")]), ValueError),
        (lambda: ds.WeightedRandomSampler("ab"), TypeError),
        (lambda: ds.WeightedRandomSampler((0.5, 0.5)), TypeError),
        (lambda: ds.WeightedRandomSampler(np.array([0.5, 0.5])), TypeError),
        (lambda: ds.WeightedRandomSampler([np.True_]), TypeError),
    ],
)
def test_samplers_say_what_is_wrong_with_their_arguments(make, error):
    with pytest.raises(error, match=r"\w+Sampler: .* must"):
        make()


def test_weights_may_be_bools_float32_or_a_single_number():
    samples = picked(ds.WeightedRandomSampler([False, True, np.float32(0)], 3), 3)[0]
    assert samples == [1, 1, 1]
    assert picked(ds.WeightedRandomSampler(2, 1), 3)[0] == [0]


@pytest.mark.parametrize(
    "sampler",
    [
        ds.SubsetSampler([7]),
        ds.SubsetSampler([-1]),
        ds.SequentialSampler(9),
        ds.WeightedRandomSampler([1] * 9),
    ],
)
def test_rows_that_the_source_does_not_have_are_a_runtime_error(sampler):
    with pytest.raises(RuntimeError, match=r"\w+Sampler: "):
        picked(sampler)


def joined(sampler: object, passes: int = 1) -> list[list[int]]:
    data = ds.NumpySlicesDataset(np.arange(10), ["x"], shuffle=False)
    data = data.concat(ds.NumpySlicesDataset(np.arange(20, 23), ["x"], shuffle=False))
    data.use_sampler(sampler)
    assert data.get_dataset_size() == len(rows(data)[0])
    return rows(data, passes)


def test_a_sampler_of_joined_datasets_deals_out_the_rows_of_all() -> None:
    shards = [joined(ds.DistributedSampler(2, shard, shuffle=False))[0] for shard in (0, 1)]
    assert shards[0] == [0, 2, 4, 6, 8, 20, 22]
    assert shards[1][:6] == [1, 3, 5, 7, 9, 21]


def test_a_random_sampler_of_joined_datasets_mixes_the_rows_of_all() -> None:
    first, second = joined(ds.RandomSampler(), passes=2)
    assert sorted(first) == sorted(second) == [*range(10), 20, 21, 22]
    assert first != second != sorted(second)


@pytest.mark.parametrize(
    ("sampler", "error"),
    [
        (ds.SequentialSampler(), TypeError),
        (None, TypeError),
        (ds.DistributedSampler(2, 0), ValueError),
        (ds.DistributedSampler(2, 0, False, num_samples=2), ValueError),
        (ds.RandomSampler(replacement=True), ValueError),
        (ds.RandomSampler(num_samples=2), ValueError),
    ],
)
def test_joined_datasets_refuse_other_samplers(sampler: object, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"ConcatDataset\.use_sampler"):
        joined(sampler)


def test_of_a_list_as_sampler_num_samples_takes_the_first() -> None:
    data = ds.NumpySlicesDataset(np.arange(9), ["x"], sampler=[3, 1, 2], num_samples=2)
    assert rows(data) == [[3, 1]] and data.get_dataset_size() == 2
    with pytest.raises(ValueError, match="sampler and num_samples cannot be specified"):
        ds.NumpySlicesDataset([1], ["x"], sampler=ds.RandomSampler(), num_samples=1)


def test_a_list_as_sampler_must_hold_ints():
    with pytest.raises(TypeError, match=r"indices must hold ints, got 0\.5"):
        ds.NumpySlicesDataset([1], ["x"], sampler=[0.5])


def test_a_number_as_sampler_is_that_row(tmp_path):
    labelled(tmp_path, [0, 1, 0], ds.SequentialSampler())
    assert rows(ds.MnistDataset(str(tmp_path), sampler=1).project(["label"])) == [[1]]


def test_a_users_sampler_is_reset_between_passes():
    class Same(ds.Sampler):
        at = 0

        def __iter__(self):
            return iter([self.at] * 2)

        def reset(self):
            self.at += 1

    assert picked(Same(), 5, 3) == [[0, 0], [1, 1], [2, 2]]


class Ten(ds.Sampler):
    """Ten rows, of which it tells a number."""

    def __iter__(self):
        return iter(range(10))


class Telling(Ten):
    def __init__(self, told):
        super().__init__()
        self.told = told

    def __len__(self):
        return self.told


class Plain:
    """No Sampler, but it is iterated over like one."""

    def __init__(self, told):
        self.told = told

    def __iter__(self):
        return iter(range(10))

    def __len__(self):
        return self.told


@pytest.mark.parametrize("kind", [Telling, Plain, Ten])
def test_a_custom_sampler_yields_as_many_rows_as_it_declares(kind):
    data = ds.NumpySlicesDataset(list(range(10)), ["x"], sampler=kind(5))
    assert data.get_dataset_size() == 5
    row_iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [int(x) for (x,) in row_iterator] == [0, 1, 2, 3, 4]
    assert data.batch(2).get_dataset_size() == 3


@pytest.mark.parametrize("kind", [Telling, Plain, Ten])
def test_a_sampler_that_tells_more_rows_than_it_gives_is_refused(kind):
    data = ds.NumpySlicesDataset(list(range(10)), ["x"], sampler=kind(15))
    assert data.get_dataset_size() == 15
    with pytest.raises(RuntimeError, match=r"must give the 15 rows .* got 10"):
        next(data.create_tuple_iterator(num_epochs=1))


class Counting:
    """Gives other rows each time that it is asked."""

    def __init__(self):
        self.asked = 0

    def __iter__(self):
        self.asked += 1
        return iter([self.asked, self.asked + 1])


class CountingSampler(Counting, ds.Sampler):
    def __init__(self):
        Counting.__init__(self)
        ds.Sampler.__init__(self)


def test_what_a_users_sampler_counts_begins_anew_in_each_iterator():
    sampler = CountingSampler()
    data = ds.NumpySlicesDataset(np.arange(9), ["x"], sampler=sampler)
    assert data.get_dataset_size() == 2
    assert rows(data, passes=3) == [[1, 2], [2, 3], [3, 4]]
    assert rows(data, passes=2) == [[1, 2], [2, 3]] and sampler.asked == 0


def test_a_sampler_below_another_begins_anew_in_each_iterator():
    above = ds.SequentialSampler(1)
    above.add_child(ds.IterSampler(Counting()))
    data = ds.NumpySlicesDataset(np.arange(9), ["x"], sampler=above)
    assert [rows(data, passes=2) for _ in range(2)] == [[[2], [3]]] * 2


def test_an_iterable_sampler_is_read_at_construction_as_in_mindspore(tmp_path):
    first = Counting()
    data = ds.NumpySlicesDataset(np.arange(9), ["x"], sampler=first)
    assert first.asked == 2 and rows(data, passes=2) == [[3, 4], [4, 5]]
    second = Counting()
    labelled(tmp_path, [0, 1, 2, 3, 4], ds.SequentialSampler())
    data = ds.MnistDataset(str(tmp_path), sampler=second).project(["label"])
    assert second.asked == 1 and rows(data, passes=2) == [[2, 3], [3, 4]]


def test_what_changes_in_a_sampler_counts_from_the_next_iterator_on():
    sampler = CountingSampler()
    data = ds.NumpySlicesDataset(np.arange(9), ["x"], sampler=sampler)
    start = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    sampler.asked = 4
    assert [int(x) for (x,) in start] == [1, 2]
    assert rows(data) == [[5, 6]]


def test_an_iterator_that_goes_on_later_gives_what_its_pass_would_have():
    sampler = CountingSampler()
    sampler.dataset_size = 9
    later = sampler._copy_for_iterator_()
    assert later._order_(9, None, 2).tolist() == [3, 4]
    assert later._order_(9, None, 3).tolist() == [4, 5] and sampler.asked == 0


def test_passes_that_are_opened_in_another_order_keep_their_rows():
    start = CountingSampler()._copy_for_iterator_()
    assert [start._order_(9, None, n).tolist() for n in (2, 0, 1)] == [[3, 4], [1, 2], [2, 3]]


def test_a_length_bounds_what_an_iterable_gives():
    class Bounded(Counting):
        def __len__(self):
            return 1

    data = ds.NumpySlicesDataset(np.arange(9), ["x"], sampler=Bounded())
    assert data.get_dataset_size() == 1 and rows(data) == [[3]]


def test_an_iterator_as_sampler_is_used_up_after_one_pass():
    data = ds.NumpySlicesDataset(np.arange(9), ["x"], sampler=iter([4, 2]))
    assert rows(data) == [[4, 2]]
    with pytest.raises(RuntimeError, match=r"IterSampler: .*must give .*none for pass 1"):
        rows(data, passes=2)


def test_a_sampler_that_cannot_be_copied_is_refused():
    data = ds.NumpySlicesDataset(np.arange(9), ["x"], sampler=(i for i in range(3)))
    with pytest.raises(TypeError, match=r"must be copied for each iterator.*generator"):
        rows(data)
