"""GeneratorDataset with a batch_sampler: lists of row numbers make the batches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore import Model, nn
from tests.dataset.conftest import rows


class Squares:
    """Row i is (i, i) and 10 i."""

    def __getitem__(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        return np.full(2, i, np.float32), np.int64(10 * i)

    def __len__(self) -> int:
        return 10


def picked(picks: Any, function: Any = None, **options: Any) -> ds.GeneratorDataset:
    return ds.GeneratorDataset(
        Squares(), ["a", "b"], batch_sampler=picks, collate_fn=function, **options
    )


def passes(data: Any, count: int = 1) -> list[list[Any]]:
    """The column b of each batch, and a must tell the same."""
    outputs, batches = [], data.create_tuple_iterator(num_epochs=count, output_numpy=True)
    for _ in range(count):
        outputs.append([])
        for a, b in batches:
            assert a.tolist() == [[n // 10] * 2 for n in b.tolist()]
            outputs[-1].append(b.tolist())
    return outputs


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("processes", [False, True])
def test_each_list_of_numbers_is_a_batch(workers: int, processes: bool) -> None:
    picks = [[1, 2, 0], np.array([3, 3]), (np.int32(9),), [4, 5], [6], [7, 8], [0]]
    data = picked(picks, num_parallel_workers=workers, python_multiprocessing=processes)
    expected = [[10 * int(i) for i in some] for some in picks]
    assert passes(data, 2) == [expected, expected]
    assert data.get_dataset_size() == 7 and data.get_batch_size() == -1
    assert data.get_col_names() == ["a", "b"]


class Shuffled:
    """Other batches in each pass, and no length."""

    begun = 0

    def __iter__(self) -> Iterator[list[int]]:
        self.begun += 1
        yield [self.begun, 0]
        if self.begun > 1:
            yield [5]


def test_the_batch_sampler_is_iterated_in_each_pass() -> None:
    assert passes(picked(Shuffled()), 3) == [[[10, 0]], [[20, 0], [50]], [[30, 0], [50]]]
    assert picked(Shuffled()).get_dataset_size() == 1


def test_a_one_shot_batch_sampler_is_stored_for_later_passes() -> None:
    data = picked(iter([[1, 2], [3]]))
    assert data.get_dataset_size() == 2
    assert passes(data, 2) == [[[10, 20], [30]]] * 2


def test_further_operations_take_batches_for_rows() -> None:
    picks = [[1, 2], [3, 4]]
    assert passes(picked(picks).repeat(2)) == [[[10, 20], [30, 40]] * 2]
    assert picked(picks).repeat(2).get_dataset_size() == 4
    (pair,) = picked(picks).batch(2).create_dict_iterator(num_epochs=1, output_numpy=True)
    assert pair["b"].tolist() == [[10, 20], [30, 40]] and pair["a"].shape == (2, 2, 2)
    assert passes(picked([[1], [2], [3]]).skip(1).take(1)) == [[[20]]]


def test_collate_fn_gets_a_list_for_each_column_and_gives_an_array_for_each() -> None:
    def together(a: list[Any], b: list[Any]) -> tuple[Any, Any]:
        assert isinstance(a, list) and all(v.shape == (2,) for v in a) and len(a) == len(b)
        return np.stack(a).T, sum(b)

    rows = [
        *picked([[1, 2, 3], [4]], together).create_tuple_iterator(num_epochs=1, output_numpy=True)
    ]
    assert [a.shape for a, _ in rows] == [(2, 3), (2, 1)]
    assert [int(b) for _, b in rows] == [60, 40]
    one = ds.GeneratorDataset([1.0, 2.0, 3.0], ["x"], batch_sampler=[[2, 0]], collate_fn=np.stack)
    assert [x.tolist() for (x,) in one.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [
        [3.0, 1.0]
    ]


def test_rows_of_several_shapes_are_padded_by_a_collate_fn() -> None:
    rows = [np.ones(n, np.float32) for n in (1, 3, 2)]

    def pad(some: list[np.ndarray]) -> np.ndarray:
        return np.stack([np.pad(x, (0, 3 - len(x))) for x in some])

    data = ds.GeneratorDataset(rows, ["x"], batch_sampler=[[0, 1], [2]], collate_fn=pad)
    results = [x.tolist() for (x,) in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert results == [[[1, 0, 0], [1, 1, 1]], [[1, 1, 0]]]
    with pytest.raises(RuntimeError, match=r"batch 0 must have rows that are alike, or a collate"):
        passes(ds.GeneratorDataset(rows, ["x"], batch_sampler=[[0, 1]]))


def test_a_model_trains_on_picked_batches() -> None:
    net = nn.Dense(2, 1, weight_init="zeros")
    loss = nn.WithLossCell(net, lambda y, b: (y[:, 0] * b.astype(y.dtype)).sum())
    model = Model(loss, optimizer=nn.SGD(net.trainable_params(), 1.0))
    model.train(1, picked([[1, 2], [3]]))
    expected = -(1 * 10 + 2 * 20 + 3 * 30)
    assert np.allclose(net.weight.asnumpy(), expected)


class Broken:
    def __iter__(self) -> Iterator[list[int]]:
        yield [1]
        raise KeyError("no more")


@pytest.mark.parametrize(
    ("picks", "function", "words"),
    [
        ([1, 2], None, "lists of row numbers, at least one in each, got 1 for batch 0"),
        ([[1], []], None, "got [] for batch 1"),
        ([[1, 2.0]], None, "got [1, 2.0] for batch 0"),
        ([[True]], None, "got [True] for batch 0"),
        ([[False]], None, "got [False] for batch 0"),
        ([], None, "batch_sampler must not be empty"),
        (Broken(), None, "batch_sampler failed. KeyError"),
        ([[1]], lambda a, b: a, "a value for each column of ['a', 'b'], got 1"),
        ([[1]], lambda a, b: (a, None), "collate_fn failed on batch 0. TypeError"),
        ([[1], [2]], lambda a, b: (a, 1 // (2 - int(a[0][0]))), "failed on batch 1. ZeroDivision"),
    ],
)
def test_what_fails_says_which_batch(picks: Any, function: Any, words: str) -> None:
    with pytest.raises(RuntimeError, match=re.escape(words)):
        for _ in picked(picks, function):
            pass


def test_a_missing_row_number_fails_in_the_source() -> None:
    data = ds.GeneratorDataset([1.0, 2.0], ["x"], batch_sampler=[[0], [1, 7]])
    with pytest.raises(RuntimeError, match="source failed on row 7"):
        list(data)


@pytest.mark.parametrize(
    "option",
    [{"num_samples": 3}, {"shuffle": False}, {"sampler": [1]}, {"num_shards": 2, "shard_id": 0}],
)
def test_a_batch_sampler_excludes_other_sampling_options(option: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"must stand alone, got it with {next(iter(option))}"):
        picked([[1]], **option)


def test_arguments_are_checked_at_once() -> None:
    with pytest.raises(TypeError, match=r"batch_sampler must be iterable, .*got 3"):
        picked(3)
    with pytest.raises(TypeError, match="collate_fn must be callable, got 3"):
        picked([[1]], 3)
    with pytest.raises(ValueError, match="collate_fn must come with a batch_sampler"):
        picked(None, np.stack)
    with pytest.raises(ValueError, match="batch_sampler must not be given for a source without"):
        ds.GeneratorDataset(lambda: iter([1]), ["x"], batch_sampler=[[0]])


def test_what_a_batch_sampler_counts_begins_anew_in_each_iterator() -> None:
    class Counting:
        asked = 0

        def __iter__(self) -> Any:
            self.asked += 1
            return iter([[self.asked, self.asked + 1], [0]])

    picks = Counting()
    data = ds.GeneratorDataset([float(i) for i in range(9)], ["x"], batch_sampler=picks)
    assert data.get_dataset_size() == 2
    for _ in range(2):
        both = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
        assert [[x.tolist() for (x,) in both] for _ in range(2)] == [
            [[1.0, 2.0], [0.0]],
            [[2.0, 3.0], [0.0]],
        ]
    assert picks.asked == 0


# -- rows by their number ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "picked",
    [
        {},
        {"shuffle": True},
        {"shuffle": False},
        {"num_samples": 4},
        {"num_shards": 3, "shard_id": 1},
        {"sampler": ds.WeightedRandomSampler([0.9, 0.01, 0.4, 0.8, 0.1, 0.3], 4)},
    ],
)
def test_a_row_of_a_source_is_that_of_a_first_pass(picked):
    ds.config.set_seed(200)
    data = ds.GeneratorDataset([[str(i), i] for i in range(6)], ["text", "x"], **picked)
    first = rows(data)[0]
    assert [tuple(data[i]) for i in range(len(first))] == first
    assert data[np.int64(1)] is data.source[first[1][1]]  # as the source has it
    data.use_sampler(ds.SequentialSampler(2))
    assert data[0] == ["2", 2]


def test_a_row_that_is_none_of_a_pass_is_refused():
    data = ds.GeneratorDataset(list(range(6)), ["x"], num_samples=4)
    for wrong, message in (
        (4, "exceeded the number of data samples"),
        (-1, "is a negative number"),
    ):
        with pytest.raises(
            RuntimeError, match=rf"index must be in \[0, 3\], got {wrong}: .*{message}"
        ):
            data[wrong]
    with pytest.raises(TypeError, match="GeneratorDataset: index must be an int, got 'x'"):
        data["x"]
    for streamed in (
        ds.GeneratorDataset(lambda: iter(range(3)), ["x"]),
        ds.GeneratorDataset(list(range(6)), ["x"], batch_sampler=[[1, 2]]),
    ):
        with pytest.raises(RuntimeError, match="must have random access"):
            streamed[0]
    assert rows(ds.GeneratorDataset(ds.GeneratorDataset([3, 5], ["x"], shuffle=False), ["y"])) == [
        [3, 5]
    ]
