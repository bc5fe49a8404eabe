"""Datasets of several parts: how long they are, what each draws, and what is made one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.dataset import transforms, vision
from minispore.dataset.iterator import start_run
from minispore.dataset.pipeline.ordered_workers import UNORDERED
from minispore.dataset.pipeline.run import Run
from tests.dataset.conftest import counted, rows


def streamed(count: int) -> ds.Dataset:
    return counted(count).filter(lambda x: True)


def zip_parts(*parts: ds.Dataset) -> ds.Dataset:
    return ds.zip(tuple(part.rename("x", f"x{i}") for i, part in enumerate(parts)))


# -- lengths --------------------------------------------------------------------------------------

SHORT, LONG = counted(3), counted(5)


@pytest.mark.parametrize(
    ("parts", "size"),
    [
        ((SHORT, LONG), 3),
        ((LONG, SHORT), 3),
        ((SHORT.repeat(), LONG), 5),
        ((LONG, SHORT.repeat()), 5),
        ((SHORT, LONG, SHORT.repeat(3)), 3),
        ((streamed(4), LONG), 4),
        ((SHORT.repeat(), streamed(7)), 7),
    ],
)
def test_a_zip_is_as_long_as_its_shortest_part_that_ends(parts: Any, size: int) -> None:
    zipped = zip_parts(*parts)
    assert zipped.get_dataset_size() == size
    assert len(rows(zipped)[0]) == size


@pytest.mark.parametrize(
    ("parts", "size"), [((SHORT.repeat(), LONG.repeat()), 3), ((LONG.repeat(), SHORT.repeat()), 3)]
)
def test_a_zip_of_what_never_ends_never_ends(parts: Any, size: int) -> None:
    zipped = zip_parts(*parts)
    assert zipped.get_dataset_size() == size  # of one round
    assert [len(row) for row in rows(zipped.take(17))[0]] == [2] * 17


@pytest.mark.parametrize("source", [counted, streamed])
def test_a_batch_or_rounds_of_what_never_ends_never_end(source: Any) -> None:
    batches = source(3).repeat().batch(2)
    assert rows(batches.take(4)) == [[[0, 1], [2, 0], [1, 2], [0, 1]]]
    assert rows((source(2) + source(3)).repeat().take(7)) == [[0, 1, 0, 1, 2, 0, 1]]


@pytest.mark.parametrize("source", [counted, streamed])
def test_a_take_from_what_never_ends_is_as_long_as_it_says(source: Any) -> None:
    assert counted(3).repeat().take(7).get_dataset_size() == 7
    assert counted(3).take(7).get_dataset_size() == 3
    assert counted(3).repeat().skip(2).take(4).get_dataset_size() == 4
    assert rows(source(3).repeat().skip(2).take(4)) == [[2, 0, 1, 2]]
    assert rows(source(3).take(7)) == [[0, 1, 2]]
    assert rows(source(3).skip(4)) == [[]]
    assert counted(3).skip(4).get_dataset_size() == 0


def test_rounds_of_nothing_end() -> None:
    nothing = ds.GeneratorDataset(lambda: iter(()), ["x"])
    assert rows(nothing.repeat()) == rows(nothing.repeat(3)) == [[]]
    assert rows(counted(3).skip(3).repeat()) == [[]]
    assert rows(nothing.repeat().take(3) + counted(2)) == [[0, 1]]


def test_a_sampler_picks_from_all_parts() -> None:
    whole = SHORT + LONG
    whole.use_sampler(ds.DistributedSampler(3, 1, shuffle=False))
    assert whole.get_dataset_size() == 3
    assert rows(whole) == [[1, 1, 4]]
    longer = SHORT + LONG + SHORT
    longer.use_sampler(ds.DistributedSampler(3, 1, shuffle=False))
    assert rows(longer) == [[1, 1, 4, 2]]
    mixed = SHORT + streamed(5)
    mixed.use_sampler(ds.DistributedSampler(3, 1, shuffle=False))
    both = [x for row in rows(SHORT + streamed(5)) for x in row]
    assert [x for row in rows(mixed) for x in row] == both[1::3]


# -- what each draws ------------------------------------------------------------------------------


def test_what_each_row_is_spread_over_is_shuffled_for_itself() -> None:
    spread = counted(4).flat_map(lambda x: counted(20).shuffle(20))
    (one,) = rows(spread)
    parts = [one[i : i + 20] for i in range(0, 80, 20)]
    assert all(sorted(part) == list(range(20)) for part in parts)
    assert len(set(map(tuple, parts))) == 4
    ds.config.set_seed(0)  # under which all have the order of the real one
    one, two = (rows(spread)[0] for _ in range(2))
    assert one == two == one[:20] * 4


# -- what is made one -----------------------------------------------------------------------------


def stages(data: ds.Dataset) -> list[str]:
    iterator = data.create_tuple_iterator(num_epochs=1)
    list(iterator)
    return [node.name for node in iterator.statistics().nodes[1:]]


def twice(factor: float = 2.0) -> Any:
    return vision.Rescale(factor, 0.0)


PAIRS = ds.NumpySlicesDataset(
    {"i": np.ones((6, 4, 4, 3), np.float32), "l": np.arange(6)}, shuffle=False
)


def test_maps_of_one_column_are_one_over_those_of_others() -> None:
    data = PAIRS.map(twice(), "i").map(transforms.TypeCast(np.int32), "l").map(twice(), "i")
    assert stages(data) == ["map(Rescale, Rescale) on i", "map(TypeCast) on l"]
    assert rows(data)[0][5][0][0][0][0] == 4.0


def test_a_map_of_both_columns_stands_between_those_of_one() -> None:
    both = PAIRS.map(twice(), "i").map(lambda i, label: (i + 1, label), ["i", "l"])
    both = both.map(twice(), "i")
    assert stages(both) == ["map(Rescale) on i", "map(<lambda>) on i, l", "map(Rescale) on i"]
    assert rows(both)[0][0][0][0][0][0] == 6.0


@pytest.mark.parametrize("between", [lambda i: i + 1, lambda i: i * 10])
def test_a_function_stands_between_transforms(between: Any) -> None:
    data = PAIRS.map(twice(), "i").map(between, "i").map(twice(), "i")
    assert len(stages(data)) == 3
    assert rows(data)[0][0][0][0][0][0] == between(2.0) * 2


def test_a_transform_after_other_names_finds_them() -> None:
    data = PAIRS.map(twice(), "i", "j").map(twice(), "j").map(twice(), "j", "k")
    assert stages(data) == ["map(Rescale, Rescale) on i", "map(Rescale) on j"]
    assert data.get_col_names() == ["k", "l"]
    assert rows(data)[0][0][0][0][0][0] == 8.0


def test_dicts_and_rows_of_several_shapes_come_after_each_other() -> None:
    def make_dataset(*sizes: int) -> ds.Dataset:
        inputs = [(np.arange(size), {"k": size}) for size in sizes]
        return ds.GeneratorDataset(inputs, ["a", "b"], shuffle=False)

    ((*both,),) = rows(make_dataset(1, 2) + make_dataset(3) + make_dataset(2, 2))
    assert [a for a, _ in both] == [list(range(size)) for size in (1, 2, 3, 2, 2)]
    assert [b["k"].tolist() for _, b in both] == [1, 2, 3, 2, 2]


def test_take_ends_an_endless_dataset() -> None:
    never = counted(3).repeat()
    assert [d.node.endless for d in (never, never.take(5), never.take(-1))] == [True, False, True]
    assert not counted(3).take(-1).node.endless and not counted(3).take(2).node.endless


def test_repeat_closes_the_passes_that_are_finished() -> None:
    node = counted(1 << 14).repeat(40).node
    run = start_run(node)
    opened = node.open_pass(run, 0)
    values = []
    for number in range(40):
        block = opened.fetch_rows(np.array([number << 14]), UNORDERED)
        assert block.columns["x"].tolist() == [0]
        values.append(len(opened._open_passes))
    run.close()
    assert max(values) <= 8


@pytest.mark.parametrize("source", [counted, streamed])
def test_rows_of_a_zip_are_numbered_by_its_first_part(source: Any) -> None:
    data = ds.zip((source(4), counted(6).skip(2).rename("x", "y")))
    assert [b.rows.tolist() for b in data.device_iterator(1, with_rows=True)] == [0, 1, 2, 3]


def test_each_pass_of_what_never_ends_is_an_epoch() -> None:
    inner = counted(2)
    run = start_run(inner.repeat().batch(3).node)
    assert [run.compute_epoch(inner.node, number) for number in (0, 1, 7)] == [0, 1, 7]
    assert [run.compute_epoch(run.root, number) for number in (0, 1, 7)] == [0, 1, 7]
    four = Run(run.root, run.seed, passes=4)
    assert [four.compute_epoch(run.root, number) for number in (0, 3, 7, 8)] == [0, 0, 1, 2]
    four.close()
    run.close()
