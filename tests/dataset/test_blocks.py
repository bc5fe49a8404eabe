"""Blocks of rows, and what joins, collates, pads and keeps them, at their edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.dataset.pipeline.batching import BatchInfo, collate, pad
from minispore.dataset.pipeline.block import (
    Block,
    from_rows,
    join,
    make_empty_block,
    row_value,
    row_values,
    stack_rows,
)
from minispore.dataset.pipeline.caching import Store
from minispore.errors import DatasetError
from tests.dataset.conftest import counted, rows

NO = ValueError("no")


def block(*numbers: int, ids: bool = False, error: Exception | None = None) -> Block:
    traced = np.array(numbers) * 10 if ids else None
    return Block({"x": np.array(numbers, np.int64)}, len(numbers), traced, error)


def content(b: Block) -> tuple[Any, ...]:
    ids = None if b.source_rows is None else b.source_rows.tolist()
    return [v.tolist() for (v,) in b], b.count, ids, b.error


# -- blocks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "stop", "expected", "error"),
    [
        (0, 1, [1], None),
        (1, 2, [2], None),
        (0, 2, [1, 2], None),
        (0, 3, [1, 2, 3], NO),
        (2, 9, [3], NO),
        (3, 3, [], NO),
    ],
)
def test_a_cut_has_the_error_if_it_reaches_the_end(start, stop, expected, error) -> None:
    cut = block(1, 2, 3, ids=True, error=NO).slice_rows(start, stop)
    assert content(cut) == (expected, len(expected), [10 * n for n in expected], error)


def test_take_selects_rows_in_any_order_and_drops_the_error() -> None:
    selected = block(1, 2, 3, ids=True, error=NO).take(np.array([2, 0, 0]))
    assert content(selected) == ([3, 1, 1], 3, [30, 10, 10], None)
    listed = Block({"x": ["a", "b"]}, 2).take(np.array([1, 0]))
    assert listed.columns == {"x": ["b", "a"]}
    assert content(block(1, 2).take(np.array([1]))) == ([2], 1, None, None)


def test_replaced_and_selected_columns_keep_the_row_numbers() -> None:
    output = block(1, 2, ids=True, error=NO)
    two = output.replace({"x": output.columns["x"], "y": ["a", "b"]})
    assert (two.count, two.source_rows is output.source_rows, two.error) == (2, True, NO)
    one = two.select(["y"])
    assert (one.columns, one.count, one.source_rows is output.source_rows, one.error) == (
        {"y": ["a", "b"]}, 2, True, NO,
    )  # fmt: skip


def test_copied_rows_have_separate_memory() -> None:
    output = block(1, 2)
    (first,), _ = output.copy_rows()
    output.columns["x"][0] = 9
    assert first.tolist() == 1


def test_one_row_of_a_column_is_an_array_or_the_value_itself() -> None:
    assert row_value(np.arange(3), 1).shape == () and row_value(["a", "b"], 1) == "b"
    assert [v.shape for v in row_values(np.zeros((2, 3)))] == [(3,), (3,)]
    inputs = ["a"]
    assert row_values(inputs) is inputs


@pytest.mark.parametrize(
    ("value", "shape"),
    [([np.int8(1)[...]], (1,)), ([np.zeros(2)] * 3, (3, 2)), ([np.float32(1)[...]] * 2, (2,))],
)
def test_rows_of_one_shape_and_dtype_are_one_array(value: list[Any], shape: Any) -> None:
    output = stack_rows(value)
    assert isinstance(output, np.ndarray)
    assert (output.shape, output.dtype) == (shape, value[0].dtype)


@pytest.mark.parametrize("value", [[], ["a"], [np.zeros(1), "a"], [np.zeros(1), np.zeros(2)]])
def test_other_rows_are_a_list(value: list[Any]) -> None:
    assert isinstance(stack_rows(value), list) and len(stack_rows(value)) == len(value)


def test_a_block_of_no_row_has_what_stopped_the_first() -> None:
    error = ValueError("stop")
    block = make_empty_block(["x", "y"], error)
    assert (block.count, block.columns, block.error) == (0, {"x": [], "y": []}, error)


def test_rows_become_a_block() -> None:
    output = from_rows(["a", "b"], [(np.int8(1)[...], "x"), (np.int8(2)[...], "y")])
    assert (output.columns["a"].tolist(), output.columns["b"], output.count) == (
        [1, 2],
        ["x", "y"],
        2,
    )


# -- joining ---------------------------------------------------------------------------------------


def test_one_block_is_joined_as_it_is() -> None:
    output = block(1, error=NO)
    assert join([output]) is output


def test_blocks_are_joined_with_their_ids_up_to_the_first_error() -> None:
    parts = [block(1, 2, ids=True), block(ids=True), block(3, ids=True, error=NO), block(4)]
    assert content(join(parts)) == ([1, 2, 3], 3, [10, 20, 30], NO)


def test_joined_blocks_have_row_numbers_only_if_all_parts_do() -> None:
    assert content(join([block(1, ids=True), block(2)])) == ([1, 2], 2, None, None)


def test_blocks_without_rows_are_joined_to_one_without_rows() -> None:
    assert content(join([block(), block(error=NO)])) == ([], 0, None, NO)


@pytest.mark.parametrize(
    "second",
    [np.array([3.0]), np.zeros((1, 2), np.int64), ["a"]],
    ids=["dtype", "shape", "no array"],
)
def test_columns_of_several_kinds_are_joined_row_by_row(second: Any) -> None:
    joined = join([block(1, 2), Block({"x": second}, 1)])
    assert isinstance(joined.columns["x"], list) and joined.count == len(joined.columns["x"]) == 3


def test_lists_that_turn_out_alike_are_joined_to_an_array() -> None:
    listed = Block({"x": [np.int64(3)[...]]}, 1)
    assert join([listed, block(1)]).columns["x"].tolist() == [3, 1]


# -- collating -------------------------------------------------------------------------------------


def test_dicts_are_collated_key_by_key() -> None:
    output = collate("x", [{"a": 1, "b": {"c": 2.0}}, {"a": 3, "b": {"c": 4.0}}])
    assert (output["a"].tolist(), output["b"]["c"].tolist()) == ([1, 3], [2, 4])
    for other in ({"a": 1}, 7):
        with pytest.raises(DatasetError, match="'x' must be dicts with the same keys"):
            collate("x", [{"b": 1}, other])


@pytest.mark.parametrize(
    ("second", "text"),
    [
        (np.float32(1)[...], "one dtype, got int64 in row 7 and float32 in row 8"),
        (np.int32(1)[...], "one dtype, got int64 in row 7 and int32 in row 8"),
        ("a", "one dtype, got int64 in row 7 and str in row 8"),
        (np.zeros(2, np.int64), r"one shape, got \(\) in row 7 and \(2,\) in row 8"),
    ],
)
def test_rows_that_differ_are_named(second: Any, text: str) -> None:
    with pytest.raises(DatasetError, match=text):
        collate("x", [np.int64(1)[...], second], 7)
    with pytest.raises(DatasetError, match=text.replace("7", "0").replace("8", "1")):
        collate("x", [np.int64(1)[...], second])


def test_texts_of_several_lengths_are_collated_and_bytes_are_none() -> None:
    assert collate("x", [np.array("a"), np.array("bcd")]).tolist() == ["a", "bcd"]
    with pytest.raises(DatasetError, match="one dtype"):
        collate("x", [np.array("a"), np.array(b"b")])


# -- padding ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "fill", "expected"),
    [
        (None, None, [[[1, 2], [0, 0]], [[3, 0], [4, 0]]]),
        ((None, 1), None, [[[1], [0]], [[3], [4]]]),
        ((1, None), 9, [[[1, 2]], [[3, 9]]]),
        ((3, 1), 9.0, [[[1], [9], [9]], [[3], [4], [9]]]),
    ],
)
def test_rows_are_cut_and_padded_at_their_ends(shape, fill, expected) -> None:
    output = pad("x", [np.array([[1, 2]]), np.array([[3], [4]])], shape, fill)
    assert output.tolist() == expected and output.dtype == np.int64


def test_texts_of_several_lengths_are_padded_to_the_longest() -> None:
    assert pad("x", [np.array([b"a"]), np.array([b"bcd", b""])], None, None).tolist() == [
        [b"a", b""], [b"bcd", b""],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "shape", "text"),
    [
        ([np.zeros(1), {"a": 1}], None, "must name columns of arrays, got 'x'"),
        (
            [np.zeros(1), np.zeros(2, "i8")],
            None,
            "one dtype, got float64 in row 0 and int64 in row 1",
        ),
        ([np.array(["a"]), np.zeros(2)], None, "one dtype, got <U1 in row 0 and float64 in row 1"),
        ([np.zeros(1), np.zeros((1, 1))], None, r"got shapes \[\(1,\), \(1, 1\)\]"),
        ([np.zeros(1)], (1, 1), r"got \[1, 1\] for rows of shape \(1,\)"),
    ],
)
def test_rows_that_can_not_be_padded_are_refused(value, shape, text) -> None:
    with pytest.raises(DatasetError, match=text):
        pad("x", value, shape, 0)


# -- batches of streams ----------------------------------------------------------------------------


def stream(count: int) -> Any:
    """Rows that come one after the other, since a filter is between."""
    return counted(count).filter(lambda x: True, "x")


@pytest.mark.parametrize(
    ("count", "drop", "expected"),
    [
        (7, False, [[0, 1, 2], [3, 4, 5], [6]]),
        (7, True, [[0, 1, 2], [3, 4, 5]]),
        (6, False, [[0, 1, 2], [3, 4, 5]]),
        (2, True, []),
    ],
)
def test_a_stream_is_batched_as_a_table_is(count: int, drop: bool, expected: Any) -> None:
    assert rows(stream(count).batch(3, drop)) == [expected]
    assert rows(counted(count).batch(3, drop)) == [expected]


def numbers(batched: Any) -> list[tuple[int, int]]:
    """(pass, batch) that a function of each batch is told."""
    seen: list[tuple[int, int]] = []

    def note(x: Any, info: BatchInfo) -> Any:
        seen.append((info.get_epoch_num(), info.get_batch_num()))
        return x

    rows(batched(per_batch_map=note, input_columns=["x"]), passes=2)
    return seen


def test_batches_of_a_stream_are_numbered_in_their_pass() -> None:
    expected = [(epoch, batch) for epoch in range(2) for batch in range(4)]
    assert numbers(lambda **how: stream(10).batch(3, **how)) == expected
    assert numbers(lambda **how: stream(10).batch(lambda info: 3, **how)) == expected


@pytest.mark.parametrize("source", [stream, counted])
@pytest.mark.parametrize("other", [1, 4, 7, 16, 25, 34, 43])
def test_a_row_of_another_shape_is_named_by_its_number_in_the_pass(source: Any, other: int) -> None:
    data = source(50).map(lambda x: np.zeros(1 + int(x == other)), "x").batch(3)
    iterator = data.create_tuple_iterator(num_epochs=1)
    for _ in range(other // 3):
        next(iterator)
    with pytest.raises(
        RuntimeError, match=rf"\(1,\) in row {other - 1} and \(2,\) in row {other}\."
    ):
        next(iterator)


@pytest.mark.parametrize("source", [stream, counted])
@pytest.mark.parametrize(("fails", "whole"), [(0, 0), (2, 0), (3, 1), (5, 1), (9, 3)])
def test_whole_batches_before_a_row_that_fails_come(source: Any, fails: int, whole: int) -> None:
    data = source(10).map(lambda x: 1 // int(x - fails), "x").batch(3)
    iterator = data.create_tuple_iterator(num_epochs=1)
    for _ in range(whole):
        next(iterator)
    with pytest.raises(RuntimeError, match=f"failed on row {fails}"):
        next(iterator)


def test_a_batch_size_function_is_called_once_for_each_batch() -> None:
    requests: list[tuple[int, int]] = []

    def size(info: BatchInfo) -> int:
        requests.append((info.get_epoch_num(), info.get_batch_num()))
        return [2, 1, 3][info.get_batch_num() % 3]

    assert rows(counted(9).batch(size)) == [[[0, 1], [2], [3, 4, 5], [6, 7], [8]]]
    assert requests == [(0, i) for i in range(6)]


@pytest.mark.parametrize("value", [True, 0, -1, 1.0, None, "1"])
def test_a_size_that_is_none_is_refused(value: Any) -> None:
    with pytest.raises(RuntimeError, match="must give a positive int, got"):
        rows(counted(3).batch(lambda info: value))


def test_a_batch_size_may_be_a_numpy_integer_and_errors_name_the_batch() -> None:
    assert rows(counted(3).batch(lambda info: np.int32(2))) == [[[0, 1], [2]]]
    text = "batch_size function failed on batch 1. ZeroDivisionError"
    with pytest.raises(RuntimeError, match=text):
        rows(counted(3).batch(lambda info: 1 // (1 - info.get_batch_num())))


def test_the_batches_before_one_of_no_size_come_out() -> None:
    data = counted(9).batch(lambda info: 2 if info.get_batch_num() < 3 else 0)
    seen: list[Any] = []
    with pytest.raises(RuntimeError, match="must give a positive int, got 0"):
        seen.extend(x.tolist() for (x,) in data.create_tuple_iterator(output_numpy=True))
    assert seen == [[0, 1], [2, 3], [4, 5]]


# -- keeping ---------------------------------------------------------------------------------------


def store(count: int = 4, room: int = 99) -> Store:
    stored: Store

    def has_room() -> bool:
        return stored.rows < room

    stored = Store(("x",), count, has_room)
    return stored


def take_rows(s: Store, *index: int) -> tuple[list[Any], list[bool]]:
    actual, have = s.take(np.array(index))
    return [v.tolist() if isinstance(v, np.ndarray) else v for (v,) in actual], have.tolist()


def test_the_store_adds_each_row_number_only_once() -> None:
    s = store()
    s.add(np.array([2, 0]), block(20, 0))
    assert take_rows(s, 0, 1, 2) == ([0, 20], [True, False, True])
    s.add(np.array([2, 1]), block(99, 10))
    assert take_rows(s, 2, 1) == ([20, 10], [True, True])
    assert (len(s), s.rows, s.nbytes) == (4, 3, 24)
    s.clear(2)
    assert (len(s), s.rows, s.nbytes) == (2, 0, 0) and take_rows(s, 0, 1) == ([], [False, False])


def test_the_store_adds_no_more_rows_than_fit() -> None:
    s = store(room=2)
    s.add(np.array([0, 1, 2]), block(0, 10, 20))
    assert take_rows(s, 0, 1, 2) == ([0, 10], [True, True, False])
    s.add(np.array([0, 3]), block(0, 30))  # the first is there already
    assert s.rows == 2


@pytest.mark.parametrize("other", [np.zeros(2, np.int64), np.float64(1)[...]])
def test_a_row_of_another_dtype_turns_the_column_into_a_list(other: np.ndarray) -> None:
    s = store()
    s.add(np.array([1]), block(10))
    s.add(np.array([3]), Block({"x": [other]}, 1))
    assert take_rows(s, 1, 3) == ([10, other.tolist()], [True, True])
    assert s.nbytes == 8 + other.nbytes


def test_rows_of_one_dtype_are_stored_as_one_array() -> None:
    s = store()
    s.add(np.array([1, 3]), block(10, 30))
    s.add(np.array([0]), block(0))
    assert s._columns["x"]._array is not None and s._columns["x"]._list is None


def test_the_store_copies_rows_when_they_are_added_and_returned() -> None:
    for first in (np.array("text"), np.int64(1)[...]):
        s, column = store(), [first.copy()]
        s.add(np.array([0]), Block({"x": column}, 1))
        column[0][...] = 7
        (inputs,) = s.take(np.array([0]))[0].row(0)
        assert inputs.tolist() == first.tolist()
        inputs[...] = 7
        assert s.take(np.array([0]))[0].row(0)[0].tolist() == first.tolist()


def test_the_store_accepts_texts_and_dicts() -> None:
    s = store()
    s.add(np.array([0, 1]), Block({"x": [np.array("a"), np.array("bcd")]}, 2))
    assert take_rows(s, 1, 0) == (["bcd", "a"], [True, True])
    s = store()
    s.add(np.array([0]), Block({"x": [{"a": 1}]}, 1))
    assert take_rows(s, 0) == ([{"a": 1}], [True]) and s.nbytes == 0


@pytest.mark.parametrize("order", [[3, 1, 0, 2], [0, 1, 2, 3], [2, 2, 1]])
def test_rows_come_in_the_order_of_the_sampler_from_a_half_full_cache(order: list[int]) -> None:
    cache = ds.DatasetCache(session_id=1)

    def source(sampler: list[int]) -> Any:
        return ds.NumpySlicesDataset(np.arange(4), ["x"], sampler=ds.SubsetSampler(sampler))

    outputs: list[int] = []

    def noted(x: Any) -> Any:
        outputs.append(int(x))
        return x * 10

    assert rows(source([1]).map(noted, "x", cache=cache)) == [[10]]
    assert rows(source(order).map(noted, "x", cache=cache)) == [[10 * i for i in order]]
