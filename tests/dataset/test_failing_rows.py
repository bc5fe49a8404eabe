"""A row that fails: those before it arrive, and it is named, whatever block it travels in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore.dataset as ds
from minispore.dataset.transforms.base import Transform
from minispore.errors import DatasetError
from tests.dataset.conftest import counted, plain, rows


class Refuses(Transform):
    """x + 1, but not for one value."""

    wrong: int

    def transform_batch(self, x: np.ndarray) -> np.ndarray:
        if (x == self.wrong).any():
            raise ValueError(f"got {self.wrong}")
        return x + 1


def until_it_fails(data: ds.Dataset) -> tuple[list[Any], str]:
    """The rows that arrive, and what is said of the one that does not."""
    came: list[Any] = []
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    with pytest.raises(DatasetError) as caught:
        while True:
            came.append(plain(next(iterator)))
    return came, str(caught.value)


@pytest.mark.parametrize("fails", range(9))
def test_what_a_transform_of_blocks_refuses_is_one_row(fails: int) -> None:
    came, text = until_it_fails(counted(12).map(Refuses(fails)))
    assert came == list(range(1, fails + 1))
    assert f"Refuses failed on row {fails}, column 'x'. ValueError: got {fails}" in text


@pytest.mark.parametrize("fails", range(9))
def test_the_first_of_several_failing_operations_is_reported(fails: int) -> None:
    twice = counted(12).map([Refuses(fails), Refuses(9)])  # row 8 comes to the second as 9
    came, text = until_it_fails(twice)
    assert came == [x + 2 for x in range(min(fails, 8))]
    assert f"on row {min(fails, 8)}, column 'x'" in text


@pytest.mark.parametrize(("left", "right"), [(5, 9), (9, 5), (5, 5), (3, 4), (4, 3)])
def test_the_first_of_several_columns_without_an_array_is_reported(left: int, right: int) -> None:
    def break_columns(x: np.ndarray) -> tuple[Any, Any]:
        return None if x == left else x, object if x == right else x

    came, text = until_it_fails(counted(12).map(break_columns, "x", ["a", "b"]))
    assert came == [(x, x) for x in range(min(left, right))]
    assert f"break_columns failed on row {min(left, right)}, column 'x'" in text
    assert ("got None" in text) == (left <= right)


@pytest.mark.parametrize("fails", [1, 2, 5, 6])
def test_an_earlier_bad_value_is_reported_before_a_later_failure(fails: int) -> None:
    def fail_late(x: np.ndarray) -> Any:
        if x == fails:
            raise KeyError("late")
        return None if x == fails - 1 else x

    came, text = until_it_fails(counted(12).map(fail_late))
    assert came == list(range(fails - 1))
    assert f"failed on row {fails - 1}" in text and "got None" in text


@pytest.mark.parametrize("fails", [0, 1, 2, 5])
def test_a_wrong_number_of_output_columns_is_reported_with_its_row(fails: int) -> None:
    came, text = until_it_fails(counted(12).map(lambda x: (x,) * (2 if x == fails else 1)))
    assert came == list(range(fails))
    assert f"on row {fails}" in text and "columns" in text and "got 2" in text


@pytest.mark.parametrize("result", [(0, 1), {1, 2}.__iter__, None])
def test_a_bad_column_value_is_reported_for_the_last_operation(result: Any) -> None:
    def first(x: np.ndarray) -> np.ndarray:
        return x

    def last(x: np.ndarray) -> Any:
        return result

    came, text = until_it_fails(counted(3).map([first, last]))
    assert came == [] and "map: last failed on row 0" in text


# -- left out or replaced ----------------------------------------------------------------------


@given(st.integers(1, 20), st.sets(st.integers(0, 19)), st.booleans(), st.sampled_from([1, 3]))
def test_rows_that_fail_are_left_out_and_no_others(count, wrong, streamed, workers) -> None:
    assert without(count, wrong, "SKIP", streamed, workers) == [
        x for x in range(count) if x not in wrong
    ]


@given(st.integers(1, 60), st.sets(st.integers(0, 59)), st.booleans(), st.sampled_from([1, 3]))
def test_each_failing_row_is_replaced_by_a_good_row(count, wrong, streamed, workers) -> None:
    good = [x for x in range(count) if x not in wrong]
    if not good:
        return
    came = without(count, wrong, "REPLACE", streamed, workers)
    assert len(came) == count and set(came) == set(good)
    assert list(dict.fromkeys(came)) == good  # in their order
    assert came[: min(len(good), 16)] == good[:16]  # stand-ins come behind the first sixteen


def without(count: int, wrong: set[int], mode: str, streamed: bool, workers: int | None) -> list:
    """What comes of rows of which some fail in a map."""

    def fails(x: np.ndarray) -> np.ndarray:
        if int(x) in wrong:
            raise ValueError("no")
        return x

    data = counted(count)
    if streamed:
        data = data.filter(lambda x: True)
    saved = ds.config.settings()
    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode[mode])
    try:
        (came,) = rows(data.map(fails, num_parallel_workers=workers))
    finally:
        ds.config.restore(saved)
    return came


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("count", "wrong", "came"),
    [
        (7, {3}, [0, 1, 2, 4, 5, 6, 0]),
        (7, {3, 4, 5, 6}, [0, 1, 2, 0, 1, 2, 0]),
        (20, {0}, [*range(1, 17), 1, 17, 18, 19]),
        (30, {20}, [*range(20), 0, *range(21, 30)]),
        (30, {20, 21}, [*range(20), 0, 22, 1, *range(23, 30)]),
        (30, {0, 1, 20, 21}, [*range(2, 18), 2, 18, 3, 19, 4, 22, 5, *range(23, 30)]),
        (40, {*range(1, 40, 2)}, [*range(0, 32, 2), 0, 32, 2, 34, 4, 36, 6, *range(38, 40, 2),
                                  *range(8, 40, 2)]),
        (50, {*range(30)}, [*range(30, 46), 30, 46, 31, 47, 32, 48, 33, 49, 34, *range(35, 50),
                            *range(34, 44)]),
    ],
)  # fmt: skip
def test_rows_stand_in_for_others_in_mindspores_order(count, wrong, came, streamed) -> None:
    assert without(count, wrong, "REPLACE", streamed, None) == came


def test_where_all_rows_fail_none_can_stand_in() -> None:
    with pytest.raises(RuntimeError, match="all 5 failed"):
        without(5, set(range(5)), "REPLACE", False, None)


def test_in_debug_mode_a_row_that_fails_ends_the_pass_whatever_the_mode() -> None:
    saved = ds.config.settings()
    ds.config.set_debug_mode(True)
    try:
        with pytest.raises(RuntimeError, match="fails failed on row 2"):
            without(5, {2}, "SKIP", False, None)
    finally:
        ds.config.restore(saved)


@pytest.mark.parametrize("wrong", range(3))
@pytest.mark.parametrize("mode", ["SKIP", "REPLACE"])
def test_a_row_that_the_source_cannot_produce_ends_the_pass(mode: str, wrong: int) -> None:
    def produce_rows() -> Any:
        yield from (0, 1, 2)
        raise OSError("gone")

    ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode[mode])
    came, text = until_it_fails(ds.GeneratorDataset(produce_rows, ["x"]).map(Refuses(wrong)))
    assert came == [x + 1 for x in range(3) if x != wrong]
    assert "gone" in text


# -- several parts -----------------------------------------------------------------------------


def part(name: str, fails: int, streamed: bool, count: int = 12) -> ds.Dataset:
    """Rows of which one fails."""
    data = counted(count)
    if streamed:
        data = data.filter(lambda x: True)
    return data.map(Refuses(fails), num_parallel_workers=1).rename("x", name)


@pytest.mark.parametrize("streamed", [(False, False), (True, True), (False, True)])
@pytest.mark.parametrize(("left", "right"), [(3, 5), (5, 3), (4, 4), (99, 6), (6, 99), (0, 7)])
def test_the_first_failing_part_of_a_zip_is_reported(left, right, streamed) -> None:
    zipped = ds.zip((part("a", left, streamed[0]), part("b", right, streamed[1])))
    came, text = until_it_fails(zipped)
    assert came == [(x + 1, x + 1) for x in range(min(left, right))]
    assert f"got {min(left, right)}" in text


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("fails", range(6))
def test_nothing_of_a_second_part_comes_after_a_first_that_failed(fails, streamed) -> None:
    came, text = until_it_fails(part("x", fails, streamed, 6) + counted(20))
    assert came == [x + 1 for x in range(fails)]
    assert f"failed on row {fails}" in text


@pytest.mark.parametrize("fails", range(6))
def test_the_first_part_is_whole_where_the_second_fails(fails: int) -> None:
    came, text = until_it_fails(counted(6) + part("x", fails, False, 6))
    assert came == [*range(6), *(x + 1 for x in range(fails))]
    assert f"failed on row {fails}" in text


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("fails", range(6))
def test_a_share_of_several_parts_ends_with_the_row_that_fails(fails: int, streamed: bool) -> None:
    whole = part("x", fails, streamed, 6) + part("x", 99, streamed, 6)
    whole.use_sampler(ds.DistributedSampler(2, fails % 2, shuffle=False))
    came, text = until_it_fails(whole)
    assert came == [x + 1 for x in range(fails % 2, fails, 2)]
    assert f"got {fails}" in text


@pytest.mark.parametrize("fails", [2, 3, 9])
def test_a_failing_row_is_reported_after_the_rows_that_precede_it(fails: int) -> None:
    data = part("x", fails, False) + part("x", 99, False)
    data = data.shuffle(24)
    ds.config.set_seed(3)
    whole = [
        x
        for row in rows((counted(12) + counted(12).map(lambda x: x + 20)).shuffle(24))
        for x in row
    ]
    came, text = until_it_fails(data)
    assert came == [x % 20 + 1 for x in whole[: whole.index(fails)]]
    assert f"got {fails}" in text


@pytest.mark.parametrize("fails", range(5))
def test_rounds_end_with_the_row_that_fails(fails: int) -> None:
    came, _ = until_it_fails(part("x", fails, False, 5).repeat(3))
    assert came == [x + 1 for x in range(fails)]


@pytest.mark.parametrize("fails", range(5))
def test_a_shuffle_of_what_never_ends_ends_with_the_row_that_fails(fails: int) -> None:
    came, text = until_it_fails(part("x", fails, False, 5).repeat().shuffle(2).take(50))
    assert sorted(came) == [x + 1 for x in range(fails)] and f"failed on row {fails}" in text


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("fails", range(1, 9))
def test_take_can_stop_before_the_failing_row(fails: int, streamed: bool) -> None:
    assert rows(part("x", fails, streamed).take(fails)) == [[x + 1 for x in range(fails)]]


@pytest.mark.parametrize("fails", range(8))
def test_rows_that_were_full_buckets_come_before_the_one_that_fails(fails: int) -> None:
    data = part("x", fails, True).map(lambda x: np.arange(int(x)))
    data = data.bucket_batch_by_length(["x"], [100], [2, 2], pad_info={"x": ([12], -1)})
    came, text = until_it_fails(data)
    assert [[sum(v >= 0 for v in row) for row in batch] for batch in came] == [
        [2 * i + 1, 2 * i + 2] for i in range(fails // 2)
    ]
    assert f"failed on row {fails}" in text


@pytest.mark.parametrize("source", [counted, lambda n: counted(n).filter(lambda x: True)])
@pytest.mark.parametrize("fails", range(1, 6))  # flat_map looks at row 0 for its columns
def test_row_functions_report_the_row_number_of_a_failure(fails: int, source: Any) -> None:
    came, text = until_it_fails(source(9).filter(lambda x: 1 // (x - fails) is not None))
    assert came == list(range(fails))
    assert f"filter: predicate failed on row {fails}. " in text
    spread = source(9).flat_map(lambda x: counted(6 // (int(x) != fails)))
    came, text = until_it_fails(spread)
    assert came == list(range(6)) * fails
    assert f"flat_map: function failed on row {fails}. ZeroDivisionError" in text


@pytest.mark.parametrize("count", range(4))
def test_flat_map_expands_the_rows_before_a_source_failure(count: int) -> None:
    def produce_rows() -> Any:
        yield from range(count)
        raise OSError("gone")

    came: list[Any] = []
    with pytest.raises((DatasetError, OSError), match="gone"):
        data = ds.GeneratorDataset(produce_rows, ["x"]).flat_map(lambda x: counted(2))
        came.extend(map(plain, data.create_tuple_iterator(num_epochs=1, output_numpy=True)))
    assert came == [0, 1] * count


@pytest.mark.parametrize("fails", [1, 2, 5])
def test_rows_of_a_row_that_is_spread_end_with_the_one_that_fails(fails: int) -> None:
    came, text = until_it_fails(counted(3).flat_map(lambda x: part("x", fails, False, 6)))
    assert came == [x + 1 for x in range(fails)] and f"failed on row {fails}" in text
    came, text = until_it_fails(part("x", fails, True).flat_map(lambda x: counted(2)))
    assert came == [0, 1] * fails and f"failed on row {fails}" in text


@pytest.mark.parametrize(
    "order",
    [
        [0, 1, 2, 3], [0, 2, 1, 3], [3, 1, 2, 0], [0, 3, 2], [1, 0, 3], [0, 1, 0, 3, 0],
        [1, 3, 1, 3, 2, 0, 1], [1, 3, 1, 3, 2, 0, 1, 2, 0],
    ],
)  # fmt: skip
def test_a_failing_row_is_reported_after_rows_of_a_partly_filled_cache(order: list[int]) -> None:
    cache = ds.DatasetCache(session_id=1)

    def cached_dataset(order: list[int]) -> ds.Dataset:
        source = ds.NumpySlicesDataset(np.arange(4), ["x"], sampler=ds.SubsetSampler(order))
        return source.map(Refuses(2), "x", cache=cache)

    assert rows(cached_dataset([1, 3])) == [[2, 4]]
    if 2 in order:
        came, text = until_it_fails(cached_dataset(order))
        assert came == [x + 1 for x in order[: order.index(2)]] and "got 2" in text
    else:
        assert rows(cached_dataset(order)) == [[x + 1 for x in order]]


@pytest.mark.parametrize(
    ("second", "kinds"),
    [(np.int32, ["i8", "i8", "i8", "i4", "i4"]), (np.int64, ["i8"] * 5)],
)
def test_rows_of_a_block_retain_their_individual_dtypes(second: Any, kinds: list[str]) -> None:
    def typed(x: np.ndarray) -> np.ndarray:
        return x.astype(second if x >= 3 else np.int64)

    came = list(counted(5).map(typed).create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert [row[0].dtype.str[1:] for row in came] == kinds
    if second is np.int32:
        with pytest.raises(DatasetError, match="int64 in row 0 and int32 in row 3"):
            rows(counted(5).map(typed).batch(5))


@pytest.mark.parametrize("fails", range(1, 6))
def test_a_bad_element_length_is_reported_with_its_row(fails: int) -> None:
    data = counted(9).bucket_batch_by_length(["x"], [50], [4, 4], lambda x: 6 // (x != fails))
    came, text = until_it_fails(data)
    assert [len(batch) for batch in came] == [4] * (fails // 4)
    assert f"element_length_function failed on row {fails}" in text
    data = counted(9).bucket_batch_by_length(["x"], [50], [4, 4], lambda x: int(x != fails) - 1)
    assert f"on row {fails}. It must give 0 or more, got -1" in until_it_fails(data)[1]


class Promising:
    """Gives other rows than its length says."""

    def __init__(self, says: int, gives: int) -> None:
        self.says, self.gives = says, gives

    def __len__(self) -> int:
        return self.says

    def __iter__(self) -> Iterator[tuple[int]]:
        return iter([(i,) for i in range(self.gives)])


@pytest.mark.parametrize(("says", "gives"), [(5, 4), (3, 4), (1, 0), (30, 20)])
def test_a_source_that_gives_other_rows_than_its_length_says_is_refused_at_its_end(
    says: int, gives: int
) -> None:
    data = ds.GeneratorDataset(Promising(says, gives), ["x"])
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [int(next(iterator)[0]) for _ in range(gives)] == list(range(gives))
    with pytest.raises(RuntimeError, match=f"as its __len__ says, {says}, got {gives}"):
        next(iterator)


def test_a_source_that_delivers_its_declared_or_requested_size_passes() -> None:
    assert rows(ds.GeneratorDataset(Promising(4, 4), ["x"]), passes=2) == [[0, 1, 2, 3]] * 2
    short = ds.GeneratorDataset(Promising(5, 4), ["x"])
    assert rows(short.take(4)) == [[0, 1, 2, 3]]
    assert rows(ds.GeneratorDataset(Promising(5, 4), ["x"], num_samples=2)) == [[0, 1]]
