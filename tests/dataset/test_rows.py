"""Rows as the user's Python gives them: lists, dicts, text, what can be iterated over once; where
iterators begin; what a schema says of TFRecord files.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds


def two_passes(data: Any) -> list[list[Any]]:
    rows = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    return [[[v.tolist() for v in row] for row in rows] for _ in range(2)]


def first(data: Any, output_numpy: bool = True) -> dict[str, Any]:
    return next(iter(data.create_dict_iterator(num_epochs=1, output_numpy=output_numpy)))


# -- what can be iterated over only once -----------------------------------------------------------


def test_zipped_columns_have_random_access_and_come_in_every_pass() -> None:
    data = ds.GeneratorDataset(zip([1, 2], [3, 4]), ["a", "b"], shuffle=False)
    assert two_passes(data) == [[[1, 3], [2, 4]]] * 2
    picked = ds.GeneratorDataset(zip([1, 2], [3, 4]), ["a", "b"], sampler=[1])
    assert two_passes(picked) == [[[2, 4]]] * 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: iter([1, 2]),
        lambda: map(int, [1, 2]),
        lambda: filter(None, [1, 0, 2]),
        lambda: itertools.islice([1, 2, 3], 2),
    ],
)
def test_an_iterator_of_python_gives_its_rows_in_every_pass(make: Any) -> None:
    assert two_passes(ds.GeneratorDataset(make(), ["a"])) == [[[1], [2]]] * 2


def test_a_user_iterator_is_restarted_in_every_pass() -> None:
    class Counting:
        started = 0

        def __iter__(self) -> Counting:
            self.started += 1
            self.left = 2
            return self

        def __next__(self) -> int:
            if not self.left:
                raise StopIteration
            self.left -= 1
            return self.started * 10 + self.left

    assert two_passes(ds.GeneratorDataset(Counting(), ["a"])) == [[[11], [10]], [[21], [20]]]


# -- rows that are lists ---------------------------------------------------------------------------


@pytest.mark.parametrize("source", [[[1, 2], [3, 4]], lambda: iter([[1, 2], [3, 4]])])
def test_a_row_that_is_a_list_is_spread_over_the_columns(source: Any) -> None:
    data = ds.GeneratorDataset(
        source, ["a", "b"], shuffle=False if isinstance(source, list) else None
    )
    assert two_passes(data)[0] == [[1, 2], [3, 4]]


def test_a_row_that_is_a_list_is_no_array_of_one_column() -> None:
    data = ds.GeneratorDataset([[1, 2]], ["a"])
    with pytest.raises(RuntimeError, match="a row must have 1 values"):
        two_passes(data)


def test_a_list_within_a_row_is_an_array() -> None:
    assert two_passes(ds.GeneratorDataset([([1, 2], 3)], ["a", "b"]))[0] == [[[1, 2], 3]]


def test_a_dataset_may_be_the_source_of_another() -> None:
    inner = ds.NumpySlicesDataset(([1, 2], [3, 4]), ["x", "y"], shuffle=False)
    assert two_passes(ds.GeneratorDataset(inner, ["a", "b"], shuffle=False))[0] == [[1, 3], [2, 4]]


# -- dicts and text --------------------------------------------------------------------------------


def test_numbers_and_lists_in_a_dict_column_are_arrays() -> None:
    (row,) = ds.GeneratorDataset([({"k": [np.ones(2), 3], "s": 3},)], ["a"]).create_tuple_iterator(
        num_epochs=1, output_numpy=True
    )
    (value,) = row
    assert isinstance(value["s"], np.ndarray) and value["s"].tolist() == 3
    assert [v.tolist() for v in value["k"]] == [[1, 1], 3]


@pytest.mark.parametrize("wrapped", [False, True])
def test_per_batch_map_may_give_a_dict_for_the_whole_batch(wrapped: bool) -> None:
    def whole(rows: list[Any], info: Any) -> Any:
        options = {"rows": rows, "n": len(rows)}
        return (options,) if wrapped else options

    data = ds.NumpySlicesDataset([1, 2, 3, 4], ["a"], shuffle=False).batch(2, per_batch_map=whole)
    value = first(data)["a"]
    assert ([v.tolist() for v in value["rows"]], value["n"].tolist()) == ([1, 2], 2)


def test_a_dict_that_holds_dicts_in_a_list_is_no_part_of_a_batch() -> None:
    data = ds.GeneratorDataset([({"k": [1, {"m": 2}]},)] * 2, ["d"], shuffle=False)
    assert first(data)["d"]["k"][1] == {"m": 2}
    with pytest.raises(RuntimeError, match="a dict of column 'd' can't be batched"):
        first(data.batch(2))


def test_lists_and_tuples_in_a_dict_column_stay_what_they_are() -> None:
    options = {"t": (1, [2, 3]), "l": [(4,), 5]}
    for output_numpy in (True, False):
        value = first(ds.GeneratorDataset([(options,)], ["a"]), output_numpy)["a"]
        assert [type(value["t"]), type(value["t"][1]), type(value["l"][0])] == [tuple, list, tuple]
        assert int(value["t"][0]) == 1 and int(value["l"][0][0]) == 4


def dicts() -> ds.Dataset:
    """Two columns of dicts, five rows."""
    results = [({"n": i, "t": (i, i)}, {"n": -i}) for i in range(5)]
    return ds.GeneratorDataset(results, ["a", "b"], shuffle=False)


def test_per_batch_map_takes_and_gives_dicts_a_row_which_become_a_dict_of_lists() -> None:
    def changed(a: list[Any], b: list[Any], info: Any) -> Any:
        for row in a:
            row["n"] = row["n"] + 10
        return a, [row["n"] for row in b]

    value = first(dicts().batch(2, per_batch_map=changed))
    assert [int(n) for n in value["a"]["n"]] == [10, 11]
    assert [type(t) for t in value["a"]["t"]] == [tuple, tuple]
    assert value["b"].tolist() == [0, -1]
    second = first(dicts().batch(2, per_batch_map=changed).batch(2))["a"]
    assert second["n"].tolist() == [[10, 11], [12, 13]]
    assert [int(row["a"]["n"]) for row in dicts().create_dict_iterator(1, True)] == [*range(5)]


@pytest.mark.parametrize(
    ("argument", "fits"),
    [
        (({"k": 1}, {"k": 2}), True),
        (({"k": 1}, np.array([1, 2, 3])), True),
        (({"k": 1}, [1, 2]), False),
        (({"k": 1}, {1}), False),
    ],
)
def test_a_dict_of_a_whole_batch_goes_only_with_dicts_and_arrays(argument: Any, fits: bool) -> None:
    data = dicts().batch(2, per_batch_map=lambda a, b, info: argument)
    if fits:
        value = first(data)
        assert np.shape(value["b"]) == np.shape(argument[1])
    else:
        with pytest.raises(RuntimeError, match="mismatched types returned from per_batch_map"):
            first(data)


@pytest.mark.parametrize("value", [[np.array(1), {"k": 1}], [{"k": 1}, np.array(1)]])
def test_dicts_among_other_rows_of_a_batch_are_refused(value: list[Any]) -> None:
    data = ds.NumpySlicesDataset([1, 2], ["a"], shuffle=False)
    with pytest.raises(RuntimeError, match=r"^batch: (all )?rows of column 'a' must"):
        first(data.batch(2, per_batch_map=lambda a, info: value))


@pytest.mark.parametrize("text", ["x", ["x", "yy"]])
def test_text_is_an_array_when_other_columns_are_tensors(text: Any) -> None:
    value = first(ds.GeneratorDataset([(np.array(text), 1)], ["a", "b"]), output_numpy=False)["a"]
    assert isinstance(value, np.ndarray) and value.tolist() == text and str(value)


# -- where iterators begin -------------------------------------------------------------------------


def test_the_first_pass_begins_with_the_init_step() -> None:
    data = ds.NumpySlicesDataset([1, 2, 3, 4, 5], ["a"], shuffle=False).batch(2)
    data.set_init_step(2)
    assert two_passes(data) == [[[[5]]], [[[1, 2]], [[3, 4]], [[5]]]]


def test_an_init_step_past_the_first_pass_begins_within_a_later_one() -> None:
    data = ds.NumpySlicesDataset(list(range(50)), ["a"], shuffle=True)
    ds.config.set_seed(3)
    whole = list(itertools.islice(two_passes(data)[1], 50))
    data.set_init_step(53)
    assert two_passes(data)[0] == whole[3:]


def test_a_state_of_an_iterator_with_an_init_step_goes_on() -> None:
    data = ds.NumpySlicesDataset([1, 2, 3], ["a"], shuffle=False)
    data.set_init_step(4)
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert next(rows)[0].tolist() == 2
    second = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    second.set_state(rows.get_state())
    assert [v.tolist() for (v,) in second] == [3]


# -- a schema of TFRecord files --------------------------------------------------------------------


@pytest.fixture
def records(tmp_path: Path) -> str:
    columns = {"z": list(range(5)), "a": [[0.5, 1.5]] * 5, "m": [7] * 5}
    path = str(tmp_path / "rows.tfrecord")
    ds.NumpySlicesDataset(columns, shuffle=False).save(path, file_type="tfrecord")
    return path


def schema(tmp_path: Path, text: dict[str, Any]) -> str:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(text))
    return str(path)


SAID = {
    "z": {"type": "int64", "rank": 0},
    "a": {"type": "float32", "rank": 1, "shape": [2]},
    "m": {"type": "int64", "rank": 1},
}


def test_num_rows_of_a_schema_limits_the_rows(tmp_path: Path, records: str) -> None:
    path = schema(tmp_path, {"numRows": 3, "columns": SAID})
    data = ds.TFRecordDataset(records, path, shuffle=False)
    assert (data.get_dataset_size(), len(two_passes(data)[0])) == (3, 3)
    assert ds.TFRecordDataset(records, path, num_samples=4).get_dataset_size() == 4


def test_columns_that_a_schema_says_by_name_are_in_alphabetical_order(
    tmp_path: Path, records: str
) -> None:
    data = ds.TFRecordDataset(records, schema(tmp_path, {"columns": SAID}))
    assert data.get_col_names() == ["a", "m", "z"]
    listed = [{"name": name, **entry} for name, entry in SAID.items()]
    data = ds.TFRecordDataset(records, schema(tmp_path, {"columns": listed}))
    assert data.get_col_names() == ["z", "a", "m"]


def test_a_rank_of_0_is_a_number(tmp_path: Path, records: str) -> None:
    row = first(ds.TFRecordDataset(records, schema(tmp_path, {"columns": SAID})))
    assert (row["z"].shape, row["a"].shape, row["m"].shape) == ((), (2,), (1,))


# -- texts and types -------------------------------------------------------------------------------

WIDE = np.array(["a", "bb"], "<U20")


def text_pipelines(text: np.ndarray) -> list[tuple[str, Any]]:
    """How a text comes into a pipeline."""
    one = ds.NumpySlicesDataset([0], ["x"], shuffle=False)
    whole = ds.NumpySlicesDataset(text, ["x"], shuffle=False)
    return [
        ("generator", ds.GeneratorDataset([(text,)], ["x"])),
        ("functions", ds.GeneratorDataset(lambda: iter([(text,)]), ["x"])),
        ("map", one.map(lambda x: text, "x")),
        ("maps", one.map([lambda x: x, lambda x: text], "x").map(lambda x: x, "x")),
        ("batch", one.batch(1, per_batch_map=lambda x, info: ([text],))),
        ("batched", ds.GeneratorDataset([(text,)] * 2, ["x"]).batch(2)),
        ("slices", whole.take(1)),
        ("rows", whole.skip(1)),
        ("dict", ds.NumpySlicesDataset({"x": text[None]}, shuffle=False)),
    ]


@pytest.mark.parametrize("kind", ["U", "S"])
@pytest.mark.parametrize("way", range(len(text_pipelines(WIDE))))
def test_a_text_takes_the_room_of_the_longest_in_its_row(way: int, kind: str) -> None:
    name, data = text_pipelines(WIDE.astype(f"{kind}20"))[way]
    longest = 1 if name == "slices" else 2
    assert first(data)["x"].dtype == np.dtype(f"{kind}{longest}"), name
    assert data.output_types() == [np.dtype(kind)]


@pytest.mark.parametrize(
    ("expected", "kind"),
    [
        (ds.transforms.Slice(0), "U1"),
        (ds.transforms.Duplicate(), "U2"),
        (ds.transforms.PadEnd([3], "c"), "U2"),
        (ds.text.Truncate(1), "U1"),
        (ds.text.SlidingWindow(2), "U2"),
    ],
    ids=repr,
)
def test_a_text_that_a_transform_gives_takes_the_room_of_the_longest(
    expected: Any, kind: str
) -> None:
    out = expected(WIDE)
    assert {x.dtype for x in (out if isinstance(out, tuple) else (out,))} == {np.dtype(kind)}
    data = ds.GeneratorDataset([(WIDE,)], ["x"])
    names = ["x", "y"] if isinstance(out, tuple) else ["x"]
    assert first(data.map(expected, "x", names))["x"].dtype == np.dtype(kind)


def test_texts_without_a_letter_take_the_room_of_one() -> None:
    for empty in (np.array("", "U9"), np.array([], "U9"), np.array([b"", b""], "S9")):
        data = ds.GeneratorDataset([(empty,)], ["x"])
        assert first(data)["x"].dtype == np.dtype(f"{empty.dtype.kind}1")


@pytest.mark.parametrize(
    "value",
    [np.complex64(1), np.datetime64("2020-01-01"), np.array([1, 2], ">i4"), np.array([1.5], ">f8")],
    ids=repr,
)
def test_what_no_column_can_hold_is_refused(value: Any) -> None:
    one = ds.NumpySlicesDataset([0, 1], ["x"], shuffle=False)
    for data in (
        ds.GeneratorDataset([(value,)], ["x"]),
        one.map(lambda x: value, "x"),
        one.batch(2, per_batch_map=lambda x, info: ([value, value],)),
    ):
        with pytest.raises(RuntimeError, match=r"must be of bool, an int, float16, .* Use astype"):
            first(data)


def test_rows_of_a_list_keep_their_data_types():
    dataset = ds.NumpySlicesDataset([2**63, 1, True, 2.5, np.float16(1)], ["x"], shuffle=False)
    results = [x for (x,) in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert [x.item() for x in results] == [2**63, 1, True, 2.5, 1.0]
    assert [x.dtype for x in results] == ["uint64", "int64", "bool", "float64", "float16"]
    with pytest.raises(RuntimeError, match="must have one dtype, got uint64 in row 0 and int64 in"):
        list(dataset.batch(2).create_tuple_iterator(num_epochs=1))
