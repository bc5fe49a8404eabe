"""Parts of sources, and samplers on samplers: the rows and orders of the real MindSpore 2.10."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import minispore.dataset as ds
from tests.dataset.conftest import rows
from tests.dataset.mindrecord.conftest import PAIR, pairs, write

Random, In, Share = ds.RandomSampler, ds.SequentialSampler, ds.DistributedSampler
Named, NamedAtRandom = ds.SubsetSampler, ds.SubsetRandomSampler


def ten(shuffle):
    return ds.NumpySlicesDataset(list(range(10)), ["x"], shuffle=shuffle)


def chain(*samplers):
    """Each picks from what the one before it gives."""
    for child, picks in pairwise(samplers):
        picks.add_child(child)
    return samplers[-1]


# What the real one gave for the first of two parts, of 7 of 10 rows under seed 3, with a sampler of
# its own: two passes. Keys are (randomize, shuffle of the source, sampler).
PICKED = {
    (True, None, "share"): [[1, 6, 9, 5], [7, 5, 1, 8]],
    (True, None, "mixed"): [[4, 9, 8, 5], [7, 9, 2, 1]],
    (True, None, "in"): [[0, 6, 8], [0, 5, 2]],
    (True, None, "random"): [[6, 4, 5, 0, 9, 1, 8], [5, 2, 8, 7, 0, 1, 9]],
    (True, False, "share"): [[1, 5, 6, 3], [1, 5, 6, 3]],
    (True, False, "mixed"): [[9, 6, 2, 3], [1, 9, 2, 6]],
    (True, False, "in"): [[8, 5, 2], [8, 5, 2]],
    (True, False, "random"): [[5, 9, 3, 8, 6, 1, 2], [5, 2, 3, 1, 8, 6, 9]],
    (False, None, "share"): [[1, 5, 6, 3], [7, 8, 5, 3]],
    (False, None, "mixed"): [[9, 6, 2, 3], [7, 1, 6, 5]],
    (False, None, "in"): [[8, 5, 2], [2, 8, 6]],
    (False, None, "random"): [[5, 9, 3, 8, 6, 1, 2], [8, 6, 3, 7, 2, 5, 1]],
    (False, False, "share"): [[1, 3, 5, 0], [1, 3, 5, 0]],
    (False, False, "mixed"): [[6, 5, 4, 0], [1, 6, 4, 5]],
    (False, False, "in"): [[2, 3, 4], [2, 3, 4]],
    (False, False, "random"): [[3, 6, 0, 2, 5, 1, 4], [3, 4, 0, 1, 2, 5, 6]],
}
SAMPLERS = {
    "share": lambda: Share(2, 1, shuffle=False),
    "mixed": lambda: Share(2, 1),
    "in": lambda: In(2, 3),
    "random": Random,
}


@pytest.mark.parametrize(("case", "expected"), PICKED.items(), ids=str)
def test_a_sampler_picks_from_the_rows_of_a_part(case, expected):
    randomize, shuffle, name = case
    ds.config.set_seed(3)
    first, second = ten(shuffle).split([0.7, 0.3], randomize=randomize)
    others = rows(second, passes=2)
    first.use_sampler(SAMPLERS[name]())
    assert first.get_dataset_size() == len(expected[0])
    assert rows(first, passes=2) == expected
    assert rows(second, passes=2) == others


@pytest.mark.parametrize(
    ("shuffle", "expected"),
    [
        (None, [[[6, 4, 5], [5, 9, 8]], [[0, 9, 1, 8], [0, 1, 7, 2]]]),
        (False, [[[5, 9, 3]] * 2, [[8, 6, 1, 2]] * 2]),
    ],
)
def test_a_part_is_split_as_the_real_one_splits_it(shuffle, expected):
    ds.config.set_seed(3)
    whole, _ = ten(shuffle).split([0.7, 0.3])
    assert [rows(part, passes=2) for part in whole.split([3, 4])] == expected


def test_parts_of_a_source_are_of_its_kind_and_a_dataset_is_left_as_it_was():
    data = ten(False)
    data.use_sampler(In(0, 9))
    parts = data.split([4, 5], randomize=False)
    assert [type(part) for part in parts] == [ds.NumpySlicesDataset] * 2
    assert rows(data) == [list(range(9))]
    assert [rows(part)[0] for part in parts] == [[0, 1, 2, 3], [4, 5, 6, 7, 8]]
    assert isinstance(parts, tuple)


def test_a_sampler_takes_the_place_of_the_last_one():
    data = ten(False)
    data.use_sampler(Named([9, 8, 7, 6]))
    data.add_sampler(In(1, 2))
    assert rows(data) == [[8, 7]]
    data.use_sampler(In(2, 2))
    assert rows(data) == [[7, 6]]
    with pytest.raises(RuntimeError, match="already has a child"):
        data.use_sampler(chain(In(), In()))


def test_the_only_shard_of_one_is_whole(tmp_path):
    name = write(tmp_path / "f", PAIR, pairs(0, 4))
    for data in (
        ds.NumpySlicesDataset([0, 1, 2, 3], ["x"], num_shards=1, shard_id=0, shuffle=False),
        ds.MindDataset(name, ["x"], num_shards=1, shard_id=0, shuffle=False),
    ):
        assert [rows(part)[0] for part in data.split([2, 2], randomize=False)] == [[0, 1], [2, 3]]


@pytest.mark.parametrize("child", [None, In])
def test_of_rows_named_in_random_order_num_samples_takes_the_first(child):
    ds.config.set_seed(7)
    expected = {1: [[7]] * 3, 2: [[4, 7], [7, 4], [4, 7]], 3: [[0, 7, 4], [4, 0, 7], [7, 4, 0]]}
    for count, output in expected.items():
        named = NamedAtRandom([7, 4, 0, 1], count)
        data = ds.NumpySlicesDataset(
            list(range(9)), ["x"], sampler=chain(child(), named) if child else named
        )
        assert data.get_dataset_size() == count
        assert rows(data, passes=3) == output


# -- MindRecord files ------------------------------------------------------------------------------

# Samplers over 11 rows, and what the real one gave in four passes under seed 1: which rows come is
# found out for the first pass, and shuffled again for each later one.
CHAINS = [
    ((Random(), In(2, 5)), [[1, 8, 2, 0, 4], [2, 0, 4, 1, 8], [8, 2, 1, 0, 4], [1, 8, 0, 4, 2]]),
    (
        (Random(), Random()),
        [
            [6, 8, 3, 5, 1, 9, 2, 7, 0, 4, 10],
            [3, 4, 2, 6, 8, 5, 9, 0, 1, 7, 10],
            [1, 3, 10, 4, 6, 2, 0, 8, 5, 9, 7],
            [8, 10, 7, 6, 9, 1, 2, 4, 0, 3, 5],
        ],
    ),
    ((Random(), Named([4, 2, 9, 1])), [[2, 1, 6, 3], [3, 6, 2, 1], [6, 2, 1, 3], [2, 1, 6, 3]]),
    (
        (Random(), NamedAtRandom([4, 2, 9, 1])),
        [[6, 2, 1, 3], [3, 1, 6, 2], [1, 6, 2, 3], [6, 2, 1, 3]],
    ),
    (
        (NamedAtRandom([4, 2, 9, 1]), Random()),
        [[2, 9, 4, 1], [1, 4, 2, 9], [4, 2, 9, 1], [2, 9, 4, 1]],
    ),
    ((NamedAtRandom([4, 2, 9, 1]),), [[9, 4, 2, 1]] * 4),
    ((NamedAtRandom([4, 2, 9, 1], 2),), [[2, 4]] * 4),
    ((NamedAtRandom([4, 4, 2, 2, 1]),), [[1, 2, 4, 4, 2]] * 4),
    ((NamedAtRandom([4, 2, 9, 1]), In(1, 2)), [[4, 2]] * 4),
    ((In(3, 6), NamedAtRandom([4, 2, 0])), [[3, 7, 5]] * 4),
]


@pytest.mark.parametrize(("samplers", "expected"), CHAINS)
def test_samplers_over_mindrecord_files_choose_as_the_real_ones_do(tmp_path, samplers, expected):
    name = write(tmp_path / "f", PAIR, pairs(0, 11))
    ds.config.set_seed(1)
    for one in samplers:
        one.child_sampler = None
    data = ds.MindDataset(name, ["x"], sampler=chain(*samplers))
    assert rows(data, passes=4) == expected
    late = [int(b.columns[0]) for b in data.device_iterator(1, first_pass=3)]
    assert late == expected[3]


def test_samplers_of_mindrecord_files_are_named_and_written_as_users_know_them(tmp_path):
    name = write(tmp_path / "f", PAIR, pairs(0, 3))
    for output, message in (
        (NamedAtRandom([1, 2]), {"indices": [1, 2], "sampler_name": "SubsetRandomSampler"}),
        (Random(True, 4), {"replacement": True, "sampler_name": "RandomSampler"}),
    ):
        data = ds.MindDataset(name, ["x"], sampler=output)
        assert message.items() <= ds.serialize(data)["sampler"].items()
        assert repr(data.node.sampler).startswith(message["sampler_name"])
    with pytest.raises(RuntimeError, match=r"^SubsetRandomSampler: a row number"):
        rows(ds.MindDataset(name, ["x"], sampler=NamedAtRandom([7])))


def test_a_part_that_was_written_has_its_rows_when_it_is_read(tmp_path):
    ds.config.set_seed(3)
    name = write(tmp_path / "f", PAIR, pairs(0, 11))
    for part in ds.MindDataset(name, ["x"], shuffle=False).split([5, 6], randomize=False):
        assert ds.serialize(part)["op_type"] == "MindDataset"
    folder = tmp_path / "texts"
    for label in ("a", "b", "c", "d"):
        (folder / label).mkdir(parents=True)
        (folder / label / "x.jpg").write_bytes(label.encode())
    for part in ds.ImageFolderDataset(str(folder), shuffle=False).split([2, 2]):
        read = ds.deserialize(ds.serialize(part))
        assert rows(read.project("label"), passes=3) == rows(part.project("label"), passes=3)


# Of seed 3: (randomize, shuffle) -> two passes of each part.
MIND_PARTS = {
    (False, True): ([[6, 9, 3, 10, 2], [3, 6, 10, 2, 9]], [[4, 8, 5, 7, 0, 1], [8, 5, 4, 0, 7, 1]]),
    (True, True): ([[7, 4, 2, 5, 8], [5, 8, 4, 2, 7]], [[0, 9, 6, 3, 10, 1], [10, 3, 1, 6, 0, 9]]),
    (True, False): ([[8, 5, 4, 7, 6], [4, 7, 6, 8, 5]], [[9, 1, 0, 2, 3, 10], [2, 3, 10, 1, 0, 9]]),
    (False, False): ([[0, 1, 2, 3, 4]] * 2, [[5, 6, 7, 8, 9, 10]] * 2),
}


@pytest.mark.parametrize(("case", "expected"), MIND_PARTS.items(), ids=str)
def test_parts_of_mindrecord_files_are_those_of_the_real_one(tmp_path, case, expected):
    randomize, shuffle = case
    name = write(tmp_path / "f", PAIR, pairs(0, 11))
    ds.config.set_seed(3)
    parts = ds.MindDataset(name, ["x"], shuffle=shuffle).split([5, 6], randomize=randomize)
    assert tuple(rows(part, passes=2) for part in parts) == expected


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("shard", [None, (2, 0), (2, 1)])
def test_no_row_of_mindrecord_files_goes_from_one_part_to_another(tmp_path, seed, shard):
    name = write(tmp_path / "f", PAIR, pairs(0, 40))
    if seed is not None:
        ds.config.set_seed(seed)
    train, test = ds.MindDataset(name, ["x"]).split([30, 10], randomize=False)
    if seed is None:  # each run has rows of its own, which all its passes have
        assert len({frozenset(one) for one in rows(test, passes=4)}) == 1
        return
    stored = {x for one in rows(test, passes=4) for x in one}
    if shard is not None:
        train.use_sampler(Share(*shard))
    assert len(stored) == 10
    assert not stored & {x for one in rows(train, passes=4) for x in one}


def test_random_mindrecord_rows_are_as_many_as_the_sampler_requests(tmp_path):
    name = write(tmp_path / "f", PAIR, pairs(0, 3))
    for sampler, inputs in (
        (Random(True, 8), {0, 1, 2}),
        (chain(Named([1]), Random(True, 4)), {1}),
    ):
        data = ds.MindDataset(name, ["x"], sampler=sampler)
        output = rows(data, passes=2)
        assert (
            [len(one) for one in output]
            == [data.get_dataset_size()] * 2
            == [8 if len(inputs) > 1 else 4] * 2
        )
        assert set(output[0] + output[1]) <= inputs


# -- other orders ----------------------------------------------------------------------------------


def test_num_samples_zero_draws_as_many_random_rows_as_exist():
    ds.config.set_seed(3)
    data = ds.NumpySlicesDataset(list(range(6)), ["x"], num_samples=0)
    assert rows(data, passes=2) == [[3, 0, 4, 5, 1, 0], [5, 5, 3, 1, 5, 5]]


def test_what_rows_are_spread_over_comes_in_the_order_of_the_real_one():
    ds.config.set_seed(3)

    def five(x):
        return ds.NumpySlicesDataset(list(range(5)), ["y"], shuffle=True)

    spread = ten(False).take(3).flat_map(five)
    assert rows(spread, passes=2) == [[3, 4, 0, 2, 1] * 3, [3, 4, 0, 1, 2] * 3]
    mixed = ds.NumpySlicesDataset([0, 1, 2], ["x"], shuffle=True).flat_map(
        lambda x: ds.NumpySlicesDataset(np.arange(x + 1) + 10 * x, ["y"], shuffle=False)
    )
    assert rows(mixed, passes=3) == [[20, 21, 22, 10, 11, 0]] * 3


# -- datasets one after the other ------------------------------------------------------------------


def numbers(count, first, kind):
    """``count`` numbers from ``first`` on, with random access or as a stream."""
    if kind == "stream":
        return ds.GeneratorDataset(lambda: iter(range(first, first + count)), ["x"])
    data = ds.NumpySlicesDataset(np.arange(first, first + count), ["x"], shuffle=False)
    return data.map(lambda x: x, "x") if kind == "mapped" else data


# What the real one gave in three passes under seed 1: the rows of each part are in order.
MIXED = [
    [10, 11, 0, 12, 1, 2, 3, 13, 4],
    [0, 10, 1, 2, 11, 12, 3, 4, 13],
    [10, 11, 0, 1, 12, 13, 2, 3, 4],
]


@pytest.mark.parametrize("kinds", [("rows", "rows"), ("rows", "stream"), ("stream", "mapped")])
def test_a_random_sampler_takes_the_parts_in_turn_as_the_real_one_does(kinds):
    ds.config.set_seed(1)
    mixed = numbers(5, 0, kinds[0]) + numbers(4, 10, kinds[1])
    mixed.use_sampler(Random())
    assert mixed.get_dataset_size() == 9
    assert rows(mixed, passes=3) == MIXED
    late = [int(b.columns[0]) for b in mixed.device_iterator(1, first_pass=2)]
    assert late == MIXED[2]
    batches = numbers(5, 0, kinds[0]).batch(1) + numbers(4, 10, kinds[1]).batch(1)
    batches.use_sampler(Random())
    assert [[int(x) for (x,) in one] for one in rows(batches, passes=3)] == MIXED


@pytest.mark.parametrize("kind", ["rows", "stream"])
def test_concatenated_parts_are_mixed_in_the_order_of_mindspore(kind):
    ds.config.set_seed(58)
    mixed = numbers(3, 0, kind) + numbers(4, 10, kind) + numbers(6, 20, "rows")
    mixed.use_sampler(Random())
    assert rows(mixed, passes=2) == [
        [20, 21, 22, 23, 10, 11, 24, 12, 13, 0, 25, 1, 2],
        [20, 21, 0, 10, 22, 11, 12, 23, 13, 24, 1, 2, 25],
    ]


def test_without_a_seed_concatenated_parts_are_mixed_in_many_orders():
    mixed = numbers(3, 0, "rows") + numbers(3, 10, "stream")
    mixed.use_sampler(Random())
    orders = {tuple(one) for one in rows(mixed, passes=40)}
    assert len(orders) > 10  # of 20
    for one in orders:
        assert [x for x in one if x < 10] == [0, 1, 2]
        assert [x for x in one if x >= 10] == [10, 11, 12]


@pytest.mark.parametrize("fails", [0, 3])
def test_a_part_that_fails_in_its_turn_ends_the_pass(fails):
    ds.config.set_seed(1)

    def some():
        for i in range(10, 14):
            assert i != 10 + fails
            yield i

    second = ds.GeneratorDataset(some, ["x"])
    mixed = numbers(5, 0, "rows") + second
    second._size = 4  # or asking for its size would fail
    mixed.use_sampler(Random())
    came = []
    with pytest.raises(RuntimeError, match="AssertionError"):
        came.extend(int(x) for (x,) in mixed.create_tuple_iterator(num_epochs=1))
    assert came == MIXED[0][: MIXED[0].index(10 + fails)]


def test_a_part_with_fewer_rows_than_its_size_is_reported():
    dataset = ds.GeneratorDataset(lambda: iter(range(2)), ["x"])
    dataset._size = 3
    mixed = numbers(2, 0, "rows") + dataset
    mixed.use_sampler(Random())
    with pytest.raises(RuntimeError, match="dataset 1 must have as many rows as it said"):
        rows(mixed)


def test_shards_of_datasets_take_the_rows_of_sources_in_order():
    joined = ds.NumpySlicesDataset(list(range(5)), ["x"]) + ds.NumpySlicesDataset([5, 6, 7], ["x"])
    joined.use_sampler(Share(2, 1, shuffle=False))
    assert rows(joined, passes=2) == [[1, 3, 5, 7]] * 2
    part, _ = ten(False).split([4, 6], randomize=False)
    joined = part + ten(False).skip(8)
    joined.use_sampler(Share(2, 0, shuffle=False))
    assert rows(joined) == [[0, 2, 8]]
