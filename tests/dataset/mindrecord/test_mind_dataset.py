"""MindDataset: which rows come, in which order, and what is said of damaged files."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import minispore.dataset as ds
from minispore import mindrecord as mr
from minispore.dataset import vision
from tests.dataset.conftest import rows
from tests.dataset.mindrecord.conftest import PAIR, pairs, read, write

Shuffle = ds.Shuffle


def numbers(*arguments, **named) -> list[int]:
    """Column x of one pass."""
    return rows(ds.MindDataset(*arguments, columns_list=["x"], **named))[0]


def test_a_file_stands_for_its_set_and_a_list_for_itself(tmp_path):
    name = write(tmp_path / "f", PAIR, pairs(0, 11), files=3)
    assert numbers(name, shuffle=False) == list(range(11))
    assert numbers([f"{tmp_path}/f2", f"{tmp_path}/f0"], shuffle=False) == [8, 9, 10, 0, 1, 2, 3]


def test_the_dataset_size_needs_no_index(numbered):
    names = numbered(7, 0, 4)
    for name in names:
        os.rename(f"{name}.db", f"{name}.gone")
    assert ds.MindDataset(names).get_dataset_size() == 11
    assert ds.MindDataset(names, num_shards=3, shard_id=1).get_dataset_size() == 4
    assert ds.MindDataset(names, num_samples=5).get_dataset_size() == 5


@pytest.mark.parametrize("shards", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("counts", [(20,), (7, 4, 9), (0, 20), (1, 1, 1)])
@pytest.mark.parametrize("shuffle", [False, None, True, *Shuffle])
def test_each_row_comes_once_whatever_the_shards_files_and_shuffle(
    numbered, shards, counts, shuffle
):
    names, total = numbered(*counts), sum(counts)
    results = []
    for shard in range(shards):
        part = numbers(names, shuffle=shuffle, num_shards=shards, shard_id=shard)
        assert len(part) == -(-total // shards)
        results.append(part)
    assert set().union(*results) == set(range(total))
    if shuffle is Shuffle.PARTIAL:  # which shuffles the rows of each shard last
        return
    # Row i of all is row i // shards of shard i % shards; the last ones are the first once more.
    dealt = [results[i % shards][i // shards] for i in range(shards * len(results[0]))]
    assert sorted(dealt[:total]) == list(range(total))
    assert dealt[total:] == (dealt[:total] * shards)[: len(dealt) - total]


def test_shuffles_move_what_they_say(numbered):
    names = numbered(50, 50, 50)
    parts = [set(range(start, start + 50)) for start in (0, 50, 100)]
    files = numbers(names, shuffle=Shuffle.FILES)
    blocks = [files[i : i + 50] for i in (0, 50, 100)]
    assert all(block == sorted(block) for block in blocks)
    inside = numbers(names, shuffle=Shuffle.INFILE)
    assert [set(inside[i : i + 50]) for i in (0, 50, 100)] == parts
    assert inside != sorted(inside)
    for shuffle in (None, True, Shuffle.GLOBAL, Shuffle.PARTIAL, Shuffle.ADAPTIVE):
        assert set(numbers(names, shuffle=shuffle)[:50]) not in parts


def test_passes_differ_and_a_seed_repeats_them(numbered):
    names = numbered(30, 30)
    ds.config.set_seed(7)
    first, second = rows(ds.MindDataset(names, ["x"]), passes=2)
    assert first != second
    ds.config.set_seed(7)
    assert rows(ds.MindDataset(names, ["x"]), passes=2) == [first, second]


@pytest.mark.parametrize(
    ("sampler", "expected"),
    [
        (ds.SequentialSampler(2, 3), [2, 3, 4]),
        (ds.SubsetSampler([3, 1, 1]), [3, 1, 1]),
        (ds.DistributedSampler(2, 1, shuffle=False), [1, 3, 5, 7, 9]),
        ([4, 2], [4, 2]),
        (ds.PKSampler(1, class_column="x"), list(range(10))),
        (ds.PKSampler(1, 3, class_column="x"), [0, 1, 2]),
    ],
)
def test_samplers_pick_rows(numbered, sampler, expected):
    assert numbers(numbered(6, 4), sampler=sampler) == expected


def test_random_samplers_pick_existing_rows(numbered):
    names = numbered(6, 4)
    assert sorted(numbers(names, sampler=ds.RandomSampler())) == list(range(10))
    assert sorted(numbers(names, sampler=ds.SubsetRandomSampler([5, 9]))) == [5, 9]
    assert set(numbers(names, sampler=ds.WeightedRandomSampler([0] * 9 + [1], 4))) == {9}


@pytest.mark.parametrize(
    ("shuffle", "expected"),
    [  # two passes of the real one, with set_seed(7)
        (Shuffle.GLOBAL, "4 5 8 11 6 7 3 0 10 2 1 9 3 2 11 5 6 8 7 10 9 4 1 0"),
        (Shuffle.ADAPTIVE, "4 5 8 11 6 7 3 0 10 2 1 9 3 2 11 5 6 8 7 10 9 4 1 0"),
        (Shuffle.FILES, "8 9 10 11 0 1 2 3 4 5 6 7 4 5 6 7 8 9 10 11 0 1 2 3"),
        (Shuffle.INFILE, "3 0 1 2 7 4 5 6 11 8 9 10 1 3 2 0 5 7 6 4 9 11 10 8"),
        (Shuffle.PARTIAL, "0 1 4 7 2 3 11 8 6 10 9 5 2 5 11 9 0 10 1 4 7 8 6 3"),
    ],
)
def test_a_random_sampler_shuffles_as_the_argument_does(numbered, shuffle, expected):
    names = numbered(4, 4, 4)
    orders = [{"shuffle": shuffle}, {"sampler": ds.RandomSampler(shuffle=shuffle)}]
    if shuffle not in (Shuffle.GLOBAL, Shuffle.ADAPTIVE):  # these alone draw with replacement
        orders.append({"sampler": ds.RandomSampler(replacement=True, shuffle=shuffle)})
    for order in orders:
        ds.config.set_seed(7)
        first, second = rows(ds.MindDataset(names, ["x"], **order), 2)
        assert " ".join(map(str, first + second)) == expected, order
    samples = numbers(names, sampler=ds.RandomSampler(True, shuffle=shuffle))
    assert (sorted(samples) == list(range(12))) == (len(orders) == 3)


@pytest.mark.parametrize("shuffle", [Shuffle.FILES, Shuffle.INFILE])
def test_file_shuffles_refuse_a_random_sampler_with_num_samples(numbered, shuffle):
    with pytest.raises(RuntimeError, match="num_samples"):
        ds.MindDataset(numbered(4, 4), sampler=ds.RandomSampler(num_samples=5, shuffle=shuffle))


def test_pk_samples_come_of_strings_too(tmp_path):
    schema = {"kind": {"type": "string"}, "x": {"type": "int32"}}
    name = write(tmp_path / "f", schema, [{"kind": "abcab"[i], "x": i} for i in range(5)])
    data = ds.MindDataset(name, ["x"], sampler=ds.PKSampler(1, class_column="kind"))
    seen = [{"abcab"[i] for i in rows(data)[0]} for _ in range(8)]
    assert seen == [set("abc")] * 8
    with pytest.raises(RuntimeError, match="class_column"):
        ds.MindDataset(name, sampler=ds.PKSampler(1, class_column="y"))


def test_a_sampler_is_added_to_the_order_of_the_files(numbered):
    data = ds.MindDataset(numbered(6, 4), ["x"], shuffle=False, num_shards=2, shard_id=1)
    data.add_sampler(ds.SubsetSampler([0, 4]))
    assert rows(data)[0] == [1, 9]


def test_a_padded_sample_fills_up_the_shards(numbered):
    names = numbered(4, 3)
    padding = {"padded_sample": {"x": -1, "data": b"pad"}, "num_padded": 3, "shuffle": False}
    results = [numbers(names, num_shards=5, shard_id=i, **padding) for i in range(5)]
    assert results == [[0, 5], [1, 6], [2, -1], [3, -1], [4, -1]]
    assert sorted(numbers(names, **{**padding, "shuffle": True})) == [-1, -1, -1, *range(7)]
    data = ds.MindDataset(names, ["data"], **padding)
    assert rows(data)[0][-1] == [b"pad"] and data.get_dataset_size() == 10
    del padding["shuffle"]
    for picked in ({"num_samples": 2}, {"sampler": ds.SequentialSampler(0, 2)}):
        data = ds.MindDataset(names, ["data"], **padding, **picked)
        assert len(rows(data)[0]) == data.get_dataset_size() == 2


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"num_padded": 2}, RuntimeError),
        ({"padded_sample": {"x": 1}}, RuntimeError),
        ({"padded_sample": {"x": 1}, "num_padded": 2}, RuntimeError),
        ({"padded_sample": {"data": b""}, "num_padded": 2, "columns_list": ["x"]}, ValueError),
        ({"padded_sample": {"x": "1"}, "num_padded": 2, "columns_list": ["x"]}, RuntimeError),
        ({"padded_sample": {"x": 1}, "num_padded": -1, "columns_list": ["x"]}, ValueError),
        ({"padded_sample": 3, "num_padded": 1, "columns_list": ["x"]}, TypeError),
        (
            {
                "padded_sample": {"x": 1},
                "num_padded": 1,
                "columns_list": ["x"],
                "num_shards": 2,
                "shard_id": 0,
            },
            RuntimeError,
        ),
        (
            {
                "padded_sample": {"x": 1},
                "num_padded": 2,
                "columns_list": ["x"],
                "sampler": ds.DistributedSampler(4, 0),
            },
            RuntimeError,
        ),
        ({"columns_list": ["y"]}, RuntimeError),
        ({"shuffle": 1}, TypeError),
        ({"shuffle": "global"}, TypeError),
        ({"num_shards": 2}, RuntimeError),
        ({"num_samples": -1}, ValueError),
        ({"num_parallel_workers": 0}, ValueError),
        ({"sampler": ds.SequentialSampler(), "num_samples": 2}, RuntimeError),
        ({"sampler": ds.SequentialSampler(), "shuffle": False}, RuntimeError),
        ({"sampler": "3"}, TypeError),
    ],
)
def test_arguments_are_checked(numbered, wrong, error):
    with pytest.raises(error, match="must"):
        ds.MindDataset(numbered(4), **wrong)


@pytest.mark.parametrize(
    ("files", "error"), [("nowhere", ValueError), ([], ValueError), (3, TypeError)]
)
def test_dataset_files_must_exist(files, error):
    with pytest.raises(error, match="MindDataset: dataset_files must"):
        ds.MindDataset(files)


def test_all_files_must_have_one_schema(numbered, tmp_path):
    other = write(tmp_path / "other", {"x": {"type": "int64"}}, [{"x": 1}])
    with pytest.raises(RuntimeError, match="one schema"):
        ds.MindDataset([*numbered(2), other])


def test_columns_follow_the_order_of_the_columns_list(numbered):
    names = numbered(3)
    data = ds.MindDataset(names, ["x", "data"], shuffle=False)
    assert data.get_col_names() == ["x", "data"]
    assert data.output_shapes() == [[], [1]]
    assert ds.MindDataset(names).get_col_names() == ["data", "x"]


def test_images_are_decoded_of_bytes(tmp_path):
    pytest.importorskip("PIL")
    image = vision.encode_png(np.full((2, 3, 3), 7, np.uint8)).tobytes()
    name = write(tmp_path / "f", PAIR, [{"x": 0, "data": image}])
    data = ds.MindDataset(name, ["data"]).map(vision.Decode(), "data")
    assert data.output_shapes() == [[2, 3, 3]]


def test_a_dataset_of_no_row_gives_none(numbered):
    data = ds.MindDataset(numbered(0, 0))
    assert data.get_dataset_size() == 0 and rows(data) == [[]]


def test_rows_are_the_same_with_any_number_of_workers(numbered):
    names = numbered(300, 500)
    ds.config.set_seed(3)
    one = rows(ds.MindDataset(names, num_parallel_workers=1))
    ds.config.set_seed(3)
    assert rows(ds.MindDataset(names, num_parallel_workers=4)) == one


def test_many_threads_read_one_file_at_once(numbered):
    data = ds.MindDataset(numbered(400), ["x"], shuffle=False, num_parallel_workers=2)
    results: list[list] = []
    threads = [threading.Thread(target=lambda: results.append(rows(data)[0])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [list(range(400))] * 4


def open_files(folder: Path) -> list[str]:
    """Files of a folder that this process holds open or mapped."""
    values = [
        os.readlink(f"/proc/self/fd/{fd}")
        for fd in os.listdir("/proc/self/fd")
        if fd.isdigit() and os.path.islink(f"/proc/self/fd/{fd}")
    ]
    mapped = Path("/proc/self/maps").read_text().splitlines()
    return [name for name in values + mapped if str(folder) in name]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_no_file_stays_open_after_a_run(numbered, tmp_path):
    data = ds.MindDataset(numbered(300, 300), num_parallel_workers=2)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    next(iterator)
    assert open_files(tmp_path)
    del iterator
    rows(data)
    assert read(f"{tmp_path}/part0") == pairs(0, 300)
    writer = mr.FileWriter(f"{tmp_path}/w")
    writer.add_schema(PAIR)
    writer.write_raw_data(pairs(0, 10))
    writer.commit()
    assert open_files(tmp_path) == []


def test_a_damaged_row_is_named_and_those_before_it_come(numbered):
    (name,) = numbered(20)
    content = bytearray(Path(name).read_bytes())
    at = content.index(b"\x0b" * 5)  # the data of row 11
    content[at - 8] ^= 1  # its length
    Path(name).write_bytes(content)
    iterator = ds.MindDataset(name, ["x", "data"], shuffle=False).create_tuple_iterator(
        num_epochs=1, output_numpy=True
    )
    assert [int(next(iterator)[0]) for _ in range(11)] == list(range(11))
    with pytest.raises(RuntimeError, match=r"MindDataset: row 11 failed, in the file .*part0"):
        next(iterator)


def test_a_missing_or_foreign_index_is_refused(numbered):
    one, other = numbered(3, 4)
    os.rename(f"{other}.db", f"{one}.db")
    with pytest.raises(RuntimeError, match="must have the 3 rows of its header"):
        rows(ds.MindDataset(one))
    with pytest.raises(RuntimeError, match=r"must have its index part1\.db"):
        rows(ds.MindDataset(other))
    Path(f"{one}.db").write_bytes(b"no database")
    with pytest.raises(RuntimeError, match="must be the index of a MindRecord file"):
        rows(ds.MindDataset(one))


def test_places_outside_of_the_file_are_refused(numbered):
    (name,) = numbered(3)
    with closing(sqlite3.connect(f"{name}.db")) as base:
        base.execute("UPDATE INDEXES SET PAGE_ID_RAW = 7 WHERE ROW_ID = 1")
        base.commit()
    with pytest.raises(RuntimeError, match="where its index says"):
        rows(ds.MindDataset(name))


def test_a_file_that_was_written_anew_is_read_anew(numbered, tmp_path):
    (name,) = numbered(5)
    data = ds.MindDataset(name, ["x"], shuffle=False)
    assert rows(data)[0] == [0, 1, 2, 3, 4]
    os.unlink(name), os.unlink(f"{name}.db")
    write(tmp_path / "part0", PAIR, pairs(10, 15))
    assert rows(data)[0] == [10, 11, 12, 13, 14]


def test_a_cache_keeps_the_rows(numbered):
    data = ds.MindDataset(numbered(9), ["x"], shuffle=False, cache=ds.DatasetCache(1))
    assert rows(data, passes=2) == [list(range(9))] * 2


# -- save ---------------------------------------------------------------------------------------


def test_a_saved_dataset_is_read_with_widened_types(tmp_path):
    columns = {
        "i8": np.arange(5, dtype=np.int8),
        "u32": np.arange(5, dtype=np.uint32),
        "f16": np.ones((5, 2, 2), np.float16),
        "yes": np.array([True, False, True, True, False]),
        "text": ["a", "b", "c", "dd", ""],
        "data": [np.array([b"a\0"])] * 5,
    }
    ds.NumpySlicesDataset(columns, shuffle=False).save(f"{tmp_path}/saved", 2)
    assert sorted(os.listdir(tmp_path)) == ["saved0", "saved0.db", "saved1", "saved1.db"]
    names = ["i8", "u32", "f16", "yes", "text", "data"]
    data = ds.MindDataset(f"{tmp_path}/saved0", names, shuffle=False)
    assert [row[0] for row in rows(data)[0]] == [0, 2, 4, 1, 3]
    assert data.output_types()[:4] == [np.int32, np.int64, np.float32, np.int32]
    assert rows(data)[0][-1][2:5] == ([[1.0, 1.0], [1.0, 1.0]], 1, "dd")
    assert read(f"{tmp_path}/saved0")[0]["data"] == b"a\0"


def test_arrays_of_any_first_size_are_saved(tmp_path):
    data = ds.GeneratorDataset(lambda: ((np.ones((n, 2)),) for n in (1, 3)), ["x"])
    data.save(f"{tmp_path}/saved")
    assert [r["x"].shape for r in read(f"{tmp_path}/saved")] == [(1, 2), (3, 2)]


@pytest.mark.parametrize(
    "data",
    [
        ds.NumpySlicesDataset(np.arange(5), ["x"], shuffle=False).map(lambda x: 1 // int(x - 3)),
        ds.GeneratorDataset(lambda: ((np.ones(s),) for s in ([1, 2], [1, 3])), ["x"]),
        ds.NumpySlicesDataset([["a", "b"]], ["x"]),
        ds.NumpySlicesDataset(np.arange(5), ["x"]).filter(lambda x: False),
    ],
)
def test_saving_rows_that_fail_or_have_no_type_leaves_no_file(tmp_path, data):
    with pytest.raises(RuntimeError):
        data.save(f"{tmp_path}/saved")
    assert os.listdir(tmp_path) == []


def test_saving_does_not_replace_a_file(tmp_path):
    (tmp_path / "saved").write_text("mine")
    with pytest.raises(mr.MRMOpenError):
        ds.NumpySlicesDataset([1], ["x"]).save(f"{tmp_path}/saved")
    assert os.listdir(tmp_path) == ["saved"]
