"""Under a seed, rows come in the order in which the real MindSpore 2.10 gives them."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore.dataset import vision
from minispore.dataset.iterator import start_run
from minispore.dataset.pipeline import mersenne
from minispore.dataset.pipeline.feed import Feed
from minispore.dataset.pipeline.mersenne import ConsecutiveShuffles, Mt19937Words64
from tests.golden import record_orders

GOLDEN = Path(record_orders.__file__).parent

SEEDS = (1, 58)

# What the real one gave, passes of one iterator for seeds 1 and 58.
SHUFFLED = (
    [[9, 0, 2, 5, 7, 4, 6, 3, 1, 8], [4, 9, 5, 0, 1, 7, 6, 2, 3, 8]],
    [[1, 7, 4, 2, 9, 0, 6, 5, 3, 8], [9, 2, 4, 5, 6, 1, 0, 3, 8, 7]],
)
FOUR_SAMPLES = ([[4, 9, 7, 9], [4, 1, 0, 9]], [[3, 8, 4, 8], [9, 8, 1, 6]])
SHARD = ([[0, 8, 2, 5], [0, 3, 2, 1], [2, 6, 8, 1]], [[3, 6, 8, 4], [7, 3, 6, 8], [7, 8, 2, 0]])
SUBSET = ([[3, 1, 5, 7], [1, 3, 5, 7], [3, 1, 5, 7]], [[3, 1, 7, 5], [1, 3, 5, 7], [3, 1, 7, 5]])
WEIGHTS = [0.1, 0.5, 2.0, 0, 1.0]
WEIGHTED = ([[4, 4, 1, 4, 2, 2, 2, 2, 4, 4]] * 2, [[4, 4, 4, 4, 2, 2, 4, 2, 2, 2]] * 2)
WITHOUT = ([[2, 4, 1, 0]] * 2, [[4, 2, 1, 0]] * 2)
ONLY = ([[0, 0]] * 2,) * 2
BUFFER_OF_4 = (
    [[0, 2, 4, 5, 3, 1, 7, 9, 6, 8], [0, 4, 1, 6, 3, 5, 8, 7, 9, 2]],
    [[0, 2, 5, 1, 3, 6, 9, 8, 4, 7], [1, 4, 0, 2, 5, 6, 3, 8, 7, 9]],
)
BOTH = ([[5, 2, 9, 0, 1, 8, 6, 7, 4, 3]], [[1, 4, 2, 7, 3, 9, 6, 5, 0, 8]])


def ten(**arguments):
    return ds.NumpySlicesDataset(list(range(10)), ["x"], **arguments)


def passes(data, count):
    iterator = data.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [[int(x) for (x,) in iterator] for _ in range(count)]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: ten(shuffle=True), SHUFFLED),
        (lambda: ds.GeneratorDataset(list(range(10)), ["x"], shuffle=True), SHUFFLED),
        (lambda: ten(num_samples=4), FOUR_SAMPLES),
        (lambda: ten(num_shards=3, shard_id=1), SHARD),
        (lambda: ten(sampler=ds.SubsetRandomSampler([1, 3, 5, 7])), SUBSET),
        (lambda: ten(sampler=ds.WeightedRandomSampler(WEIGHTS)), WEIGHTED),
        (lambda: ten(sampler=ds.WeightedRandomSampler(WEIGHTS, 4, replacement=False)), WITHOUT),
        (lambda: ten(sampler=ds.WeightedRandomSampler([3.0], 2)), ONLY),
        (lambda: ten(shuffle=False).shuffle(4), BUFFER_OF_4),
        (lambda: ds.GeneratorDataset(lambda: iter(range(10)), ["x"]).shuffle(4), BUFFER_OF_4),
        (lambda: ten(shuffle=True).shuffle(5), BOTH),
    ],
    ids=[
        "shuffle", "generator", "num_samples", "shard", "subset", "weighted", "without",
        "only", "buffer", "stream", "both",
    ],
)  # fmt: skip
def test_rows_come_in_the_order_of_the_real_one(make, expected):
    for seed, expected_output in zip(SEEDS, expected):
        ds.config.set_seed(seed)
        assert passes(make(), len(expected_output)) == expected_output


def test_the_rounds_of_a_repeat_are_shuffled_as_passes_are():
    ds.config.set_seed(1)
    first, second = SHUFFLED[0]
    assert passes(ten().repeat(2), 1) == [first + second]


def test_a_split_deals_the_rows_as_the_real_one_does():
    ds.config.set_seed(1)
    parts = ten(shuffle=False).split([6, 4])
    assert [passes(part, 2) for part in parts] == [[[9, 0, 2, 5, 7, 4]] * 2, [[6, 3, 1, 8]] * 2]


def test_more_rows_than_two_of_a_draw_are_shuffled_as_in_the_real_one():
    ds.config.set_seed(58)
    data = ds.NumpySlicesDataset(np.arange(100_000), ["x"]).take(5)
    assert passes(data, 1) == [[60155, 68826, 3677, 15617, 13855]]


def test_rows_draw_separately_when_one_draw_is_too_small_for_two():
    draws = iter([5, 7, 6, 1, 5])  # of 8 numbers: for two rows, three (6 and 7 are too many), four
    assert mersenne._shuffle_in_place([0, 1, 2, 3], draws, 8) == [2, 1, 3, 0]
    assert list(draws) == []


def test_a_later_first_pass_has_the_order_that_it_has_after_the_others():
    ds.config.set_seed(1)
    for data in (ten(), ten(shuffle=False).shuffle(4)):
        whole = passes(data, 4)
        late = [int(b.columns[0]) for b in data.device_iterator(1, first_pass=3)]
        assert late == whole[3]


def test_without_a_seed_each_iterator_has_a_distinct_order():
    assert passes(ten(), 1) != passes(ten(), 1) or passes(ten(), 1) != passes(ten(), 1)


@pytest.fixture(scope="module")
def record_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    record_orders.build(folder)
    return folder


@pytest.mark.parametrize("kind", record_orders.FILE_KINDS)
def test_files_of_records_give_their_rows_in_the_order_of_the_real_one(record_files, kind):
    reference = json.loads((GOLDEN / "record_orders.json").read_text())
    cases = [one for one in reference if one["case"]["kind"] == kind]
    assert len(cases) > 50
    for one in cases:
        expected = {"size": one["size"], "passes": one["passes"]}
        assert record_orders.outcome(ds, record_files, one["case"]) == expected, one["case"]


def test_mindrecord_files_give_their_rows_in_the_order_of_the_real_one(tmp_path):
    record_orders.build_mind(tmp_path)
    reference = json.loads((GOLDEN / "record_orders.json").read_text())
    cases = [one for one in reference if one["case"]["kind"] == "MindDataset"]
    assert len(cases) > 100
    for one in cases:
        output = record_orders.mind_outcome(ds, tmp_path, one["case"])
        assert output["passes"] == one["passes"], one["case"]
        assert output["size"] == len(output["passes"][0])


@pytest.mark.parametrize("seed", [None, 1, 58])
def test_ranks_share_the_rows_of_shuffled_files_whatever_each_was_seeded_with(record_files, seed):
    files = sorted(map(str, record_files.glob("*.txt")))
    shared = []
    for rank in (0, 1):
        if seed is not None:
            ds.config.set_seed(seed + rank)
        shared += passes(ds.TextFileDataset(files, num_shards=2, shard_id=rank), 1)[0]
    rows = [10 * file + k for file, count in enumerate(record_orders.ROWS) for k in range(count)]
    assert set(shared) == set(rows) and len(shared) == 16


def test_a_shuffle_of_large_files_holds_the_rows_of_four_of_them(tmp_path):
    files = []
    for file in range(6):
        files.append(tmp_path / str(file))
        numbers = range(4000 * file, 4000 * file + 4000 - 100 * file)
        files[-1].write_text("".join(f"{n}\n" for n in numbers))
    ds.config.set_seed(1)
    listed = list(map(str, files))
    rank = {"num_shards": 2, "shard_id": 1}
    for count, shard, expected in ((6, {}, [5528, 6462, 10030]), (5, rank, [12528, 16962, 12530])):
        data = ds.TextFileDataset(listed[:count], num_parallel_workers=1, **shard)
        assert passes(data.take(3), 1) == [expected]


def test_in_debug_mode_each_run_is_that_of_seed_1_unless_another_was_chosen():
    ds.config.set_seed(1)
    first = passes(ten(shuffle=True), 1)
    ds.config.set_seed(ds.config.DEFAULT_SEED)
    ds.config.set_debug_mode(True)
    assert passes(ten(shuffle=True), 1) == first
    ds.config.set_seed(58)
    assert passes(ten(shuffle=True), 1) == SHUFFLED[1][:1]


def test_a_seed_has_64_bits_as_that_of_the_standard_library_of_cpp():
    assert Mt19937Words64(2**64 + 5489).take(2).tolist() == Mt19937Words64(5489).take(2).tolist()
    assert Mt19937Words64(2**63 + 5489).take(2).tolist() != Mt19937Words64(5489).take(2).tolist()


def test_the_ten_thousandth_number_of_each_generator_is_that_of_the_cpp_standard():
    twister, minstd = mersenne.TWISTER[0](5489), mersenne.MINSTD[0](1)
    assert next(islice(twister, 9999, None)) == 4123659995
    assert next(islice(minstd, 9999, None)) + 1 == 1043618065  # they begin at 1 there
    assert Mt19937Words64(5489).take(10000)[-1] == 9981545732273789042


def test_the_order_of_a_pass_builds_on_the_previous_pass(monkeypatch):
    outputs = []
    shuffled = mersenne.std_shuffle
    monkeypatch.setattr(
        mersenne, "std_shuffle", lambda rows, seed: outputs.append(seed) or shuffled(rows, seed)
    )
    orders = ConsecutiveShuffles()
    for number in range(4):
        orders.compute_order(np.arange(9), 5, number)
    last = orders.compute_order(np.arange(9), 5, 3)
    assert outputs == [5, 6, 7, 8]
    assert orders.compute_order(np.arange(9), 5, 0).tolist() != last.tolist()
    assert outputs == [5, 6, 7, 8, 5]


@pytest.mark.parametrize("make", [ten, lambda: ten().filter(lambda x: True)])
def test_the_words_of_a_shuffle_go_on_from_pass_to_pass(make, monkeypatch):
    outputs = []
    monkeypatch.setattr(
        mersenne, "Mt19937Words64", lambda seed: outputs.append(seed) or Mt19937Words64(seed)
    )
    ds.config.set_seed(58)
    passes(make().shuffle(4), 5)
    assert outputs == [58]


def test_words_of_passes_that_are_over_are_forgotten():
    ds.config.set_seed(58)
    node = ten().filter(lambda x: True).shuffle(4).node
    run = start_run(node)
    feed, values = Feed(run, 6, 0, 0), []
    while not feed.is_finished:
        if feed.next() is None:
            values.append(len(run.get_or_make(node, dict)))
    assert len(values) == 6 and 0 < max(values) <= 2


@pytest.mark.parametrize("set_seed", [ds.config.set_seed, ms.set_seed])
def test_a_transform_that_is_called_by_itself_draws_the_same_after_a_seed(set_seed) -> None:
    image = np.arange(20 * 20 * 3, dtype=np.uint8).reshape(20, 20, 3)
    ds.config.set_seed(3)
    crops = []
    for _ in range(2):
        set_seed(1)
        crops.append([vision.RandomCrop(4)(image) for _ in range(2)])
    np.testing.assert_array_equal(*crops)
    assert (crops[0][0] != crops[0][1]).any()
