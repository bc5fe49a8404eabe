"""batch and padded_batch: sizes, shapes, functions of a batch."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import minispore.dataset as ds
from tests.dataset.conftest import counted, rows


def ragged(count: int = 4) -> ds.GeneratorDataset:
    """Rows [0], [0 1], [0 1 2], ..."""

    def make():
        for i in range(count):
            yield (np.arange(i + 1),)

    return ds.GeneratorDataset(make, ["x"])


# -- batch --------------------------------------------------------------------------------------


def test_a_last_short_batch_is_delivered_or_dropped():
    assert rows(counted(7).batch(3)) == [[[0, 1, 2], [3, 4, 5], [6]]]
    assert rows(counted(7).batch(3, drop_remainder=True)) == [[[0, 1, 2], [3, 4, 5]]]
    assert counted(7).batch(3).get_dataset_size() == 3
    assert counted(7).batch(3, True).get_dataset_size() == 2
    assert counted(7).batch(3).get_batch_size() == 3


def test_ragged_rows_are_reported_with_shapes_rows_and_the_way_out():
    text = r"column 'x' must have one shape, got \(3,\) in row 2 and \(4,\) in row 3. Pass pad_info"
    data = ragged().skip(2).batch(2)
    with pytest.raises(
        RuntimeError, match=text.replace("row 2", "row 0").replace("row 3", "row 1")
    ):
        rows(data)
    with pytest.raises(RuntimeError, match=r"got \(1,\) in row 0 and \(2,\) in row 1"):
        rows(ragged().batch(2))


def test_a_row_of_another_dtype_is_reported():
    def make():
        for i in range(4):
            yield (np.array(i, np.int32 if i < 3 else np.float32),)

    with pytest.raises(RuntimeError, match=r"one dtype, got int32 in row 2 and float32 in row 3"):
        rows(ds.GeneratorDataset(make, ["x"]).batch(2))


def test_padding_fills_to_the_longest_row_or_to_a_shape():
    assert rows(ragged().padded_batch(2, pad_info={})) == [
        [[[0, 0], [0, 1]], [[0, 1, 2, 0], [0, 1, 2, 3]]]
    ]
    assert rows(ragged().batch(2, pad_info={"x": ([2], -1)})) == [
        [[[0, -1], [0, 1]], [[0, 1], [0, 1]]]
    ]
    assert rows(ragged(2).batch(2, pad_info={"x": (None, -1.5)})) == [[[[0, -1], [0, 1]]]]


def test_strings_are_padded_with_strings():
    def make():
        yield (np.array(["a"]),)
        yield (np.array(["b", "c"]),)

    data = ds.GeneratorDataset(make, ["x"])
    assert rows(data.batch(2, pad_info={})) == [[[["a", ""], ["b", "c"]]]]
    assert rows(data.batch(2, pad_info={"x": ([None], "zz")})) == [[[["a", "zz"], ["b", "c"]]]]
    (cut,) = data.batch(2, pad_info={"x": ([1], "zz")}).create_tuple_iterator(output_numpy=True)
    assert cut[0].dtype == "<U1"  # the room of what is left


def test_strings_of_several_lengths_make_one_batch():
    data = ds.NumpySlicesDataset({"x": ["a", "bcd", "ef"]}, shuffle=False).batch(3)
    assert rows(data) == [[["a", "bcd", "ef"]]]


def test_padding_adds_no_axes():
    with pytest.raises(RuntimeError, match="as many sizes as a row has axes"):
        rows(ragged().batch(2, pad_info={"x": ([2, 2], 0)}))
    with pytest.raises(RuntimeError, match="pad_info must name columns"):
        ragged().batch(2, pad_info={"z": ([2], 0)})


def test_per_batch_map_gets_lists_of_rows_and_the_numbers_of_batch_and_pass():
    seen = []

    def scaled(x, info):
        assert isinstance(x, list)
        seen.append((info.get_epoch_num(), info.get_batch_num()))
        return ([v * 10 for v in x], [v + 0.5 for v in x])

    data = counted(5).batch(2, per_batch_map=scaled, input_columns=["x"], output_columns=["y", "z"])
    assert rows(data, passes=2)[1] == [
        ([0, 10], [0.5, 1.5]),
        ([20, 30], [2.5, 3.5]),
        ([40], [4.5]),
    ]
    assert seen[:6] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x, info: ([1], [2]), "must give 1 columns"),
        (lambda x, info: ([1],), "must have 2 rows, got 1"),
        (lambda x, info: 3, "must be a list of rows"),
        (lambda x, info: 1 / 0, "ZeroDivisionError"),
        (lambda x, info: x + "a", "TypeError"),
    ],
)
def test_per_batch_map_that_fails_is_reported_with_its_batch(function, text):
    data = counted(4).batch(2, per_batch_map=function, input_columns=["x"])
    with pytest.raises(RuntimeError, match=f"per_batch_map failed on batch 0.*{text}"):
        rows(data)


def test_the_batch_size_may_be_a_function():
    data = counted(7).batch(lambda info: info.get_batch_num() + 1)
    assert rows(data) == [[[0], [1, 2], [3, 4, 5], [6]]]
    assert data.get_dataset_size() == 4 and data.get_batch_size() == -1
    with pytest.raises(RuntimeError, match="must give a positive int, got 0"):
        rows(counted(3).batch(lambda info: 0))


def test_a_shuffle_of_batches_keeps_their_rows_and_numbers_together():
    def numbered(x, info):
        return ([np.array(info.get_batch_num())] * len(x),)

    data = counted(20).batch(2, per_batch_map=numbered, input_columns=["x"]).shuffle(10)
    (batches,) = rows(data)
    assert sorted(batches) == [[i, i] for i in range(10)]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"batch_size": 0}, ValueError),
        ({"batch_size": 2.0}, TypeError),
        ({"batch_size": False}, ValueError),
        ({"batch_size": 2, "drop_remainder": 1}, TypeError),
        ({"batch_size": 2, "input_columns": ["x"]}, ValueError),
        ({"batch_size": 2, "per_batch_map": 3}, TypeError),
        ({"batch_size": 2, "per_batch_map": max, "input_columns": ["x"]}, ValueError),
        ({"batch_size": 2, "per_batch_map": len, "input_columns": ["x"]}, ValueError),
        ({"batch_size": 2, "per_batch_map": lambda x, i: x, "input_columns": ["y"]}, RuntimeError),
        ({"batch_size": 2, "num_parallel_workers": 0}, ValueError),
        ({"batch_size": 2, "pad_info": []}, TypeError),
        ({"batch_size": 2, "pad_info": {"x": 3}}, TypeError),
        ({"batch_size": 2, "pad_info": {"x": ([0], 0)}}, ValueError),
        ({"batch_size": 2, "dropremainder": True}, TypeError),
    ],
)
def test_batch_says_what_is_wrong_with_its_arguments(arguments, error):
    with pytest.raises(error, match=r"^batch: "):
        counted(3).batch(**arguments)


def test_rows_of_similar_length_are_batched_together():
    data = ragged(8).bucket_batch_by_length(["x"], [3, 6], [2, 2, 1])
    assert [np.shape(batch) for batch in rows(data)[0]] == [
        (2, 2),
        (2, 4),
        (1, 6),
        (1, 7),
        (1, 8),
        (1, 5),
    ]
    padded = ragged(5).bucket_batch_by_length(
        ["x"], [3, 6], [2, 2, 1], lambda x: len(x), {"x": ([None], 7)}, True, True
    )
    assert rows(padded) == [[[[0, 7], [0, 1]], [[0, 1, 2, 7, 7], [0, 1, 2, 3, 7]]]]


def test_the_length_of_a_row_is_its_first_size():
    long, wide = np.zeros((5, 1)), np.zeros((1, 5))
    data = ds.GeneratorDataset([(x,) for x in (long, wide, long, wide)], ["x"], shuffle=False)
    output = rows(data.bucket_batch_by_length(["x"], [3], [2, 2]))
    assert [np.shape(batch) for batch in output[0]] == [(2, 5, 1), (2, 1, 5)]


@pytest.mark.parametrize("values", [[5, 0, 9, 3, 2], ["", "yy", "zzzz", "x", "q"]])
def test_rows_without_axes_have_no_length(values):
    data = ds.NumpySlicesDataset(values, ["x"], shuffle=False)
    output = rows(data.bucket_batch_by_length(["x"], [1, 2], [2, 3, 4]))[0]
    assert [np.asarray(batch).tolist() for batch in output] == [values[:2], values[2:4], values[4:]]


def test_a_length_may_stand_in_an_array():
    data = counted(4).bucket_batch_by_length(["x"], [2], [2, 1], lambda x: np.array([int(x)]))
    assert rows(data) == [[[0, 1], [2], [3]]]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((["q"], [3], [1, 1]), RuntimeError),
        ((["x"], [], [1]), ValueError),
        ((["x"], [3, 3], [1, 1, 1]), ValueError),
        ((["x"], [3], [1]), ValueError),
        ((["x"], [0], [1, 1]), ValueError),
        ((["x"], "3", [1, 1]), TypeError),
    ],
)
def test_bucket_batch_says_what_is_wrong_with_its_arguments(arguments, error):
    with pytest.raises(error, match="bucket_batch_by_length: "):
        ragged().bucket_batch_by_length(*arguments)


@pytest.mark.parametrize("debug", [False, True])
def test_per_batch_map_gets_the_epoch_number_when_rows_repeat(debug):
    ds.config.set_debug_mode(debug)

    def epoch_numbers(rows, info):
        return ([np.array(info.get_epoch_num()) for _ in rows],)

    data = counted(4).batch(2, per_batch_map=epoch_numbers, input_columns=["x"])

    def epochs(data, count=2):
        iterator = data.create_tuple_iterator(num_epochs=count, output_numpy=True)
        return [[x[0] for (x, *_) in islice(iterator, 10)] for _ in range(count)]

    assert epochs(data) == [[0] * 2, [1] * 2]
    assert epochs(data.repeat(2)) == [[0] * 4, [1] * 4]
    assert epochs(data.repeat(3).take(4).repeat(2)) == [[0] * 8, [1] * 8]
    assert epochs(data.repeat(2).zip(counted(3).rename("x", "y"))) == [[0] * 3, [1] * 3]
    assert epochs(counted(1).flat_map(lambda x: data.repeat(2)).repeat(2)) == [[0] * 8, [1] * 8]
    assert epochs(data.repeat(), 1) == [[0, 0, 1, 1, 2, 2, 3, 3, 4, 4]]
    assert epochs(data.repeat(2).repeat().repeat(2), 1) == [[0] * 8 + [1] * 2]


def test_a_size_that_depends_on_the_epoch_is_the_same_in_all_repeats_of_it():
    data = counted(4).batch(lambda info: info.get_epoch_num() + 1).repeat(2)
    assert data.get_dataset_size() == 8
    assert rows(data, passes=2)[1] == [[0, 1], [2, 3]] * 2


def test_only_sizes_that_are_named_as_open_go_to_the_buckets_boundary():
    def lengths(pad_info):
        results = [(np.arange(k + 1),) for k in range(5)]
        data = ds.GeneratorDataset(results, ["x"], shuffle=False)
        buckets = ["x"], [4, 9], [2, 2, 2]
        batches = data.bucket_batch_by_length(
            *buckets, pad_info=pad_info, pad_to_bucket_boundary=True
        )
        return [
            len(row[0]) for (row,) in batches.create_tuple_iterator(num_epochs=1, output_numpy=True)
        ]

    assert lengths({"x": ([None], 7)}) == [3, 8, 3]
    assert lengths({"x": (None, 7)}) == lengths(None) == lengths({}) == [2, 5, 3]
    assert lengths({"x": ([2], 7)}) == [2, 2, 2]


def test_a_row_longer_than_the_last_bucket_boundary_is_refused():
    data = ds.GeneratorDataset([(np.arange(5),)], ["x"])
    batches = data.bucket_batch_by_length(
        ["x"], [2], [1, 1], pad_info={"x": ([None], 0)}, pad_to_bucket_boundary=True
    )
    with pytest.raises(RuntimeError, match="must say the size of rows that are longer"):
        rows(batches)


def test_text_is_padded_with_text_and_numbers_with_numbers():
    data = ds.NumpySlicesDataset({"s": ["a"], "n": [1]})
    for info in ({"s": (None, 0)}, {"n": (None, "x")}):
        with pytest.raises(RuntimeError, match="can not pad numeric and string tensors together"):
            rows(data.padded_batch(1, pad_info=info))


def test_a_dataset_without_rows_has_no_shapes_and_the_last_of_several_tells_the_sizes():
    none = counted(3).batch(5, True)
    assert none.output_shapes() == none.output_types() == []
    one, other = counted(6).batch(2).repeat(3), ds.NumpySlicesDataset(np.arange(8), ["y"]).repeat(2)
    assert (one.zip(other).get_batch_size(), one.zip(other).get_repeat_count()) == (1, 2)
    assert (other.zip(one).get_batch_size(), other.zip(one).get_repeat_count()) == (2, 3)
    assert counted(4).repeat(3).batch(2).repeat(1).batch(2).get_repeat_count() == 3
    assert counted(4).repeat(1).get_repeat_count() == 1
    assert (counted(6).batch(2) + counted(4)).get_batch_size() == 1
