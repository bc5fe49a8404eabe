"""Pipelines drawn at random, against plain lists: indexed, streamed, continued, in threads."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

import minispore.dataset as ds
from tests.dataset.conftest import rows

steps = st.one_of(
    st.tuples(st.just("map"), st.integers(1, 5)),
    st.tuples(st.just("take"), st.integers(1, 30)),
    st.tuples(st.just("skip"), st.integers(0, 10)),
    st.tuples(st.just("repeat"), st.integers(1, 3)),
    st.tuples(st.just("endless"), st.integers(1, 50)),
    st.tuples(st.just("zip"), st.integers(1, 40)),
    st.tuples(st.just("concat"), st.just(0)),
    st.tuples(st.just("filter"), st.integers(2, 3)),
    st.tuples(st.just("shuffle"), st.integers(2, 12)),
)
lists_of_steps = st.lists(steps, max_size=5)
batches = st.none() | st.tuples(st.integers(1, 7), st.booleans())


def source(count: int, *, streamed: bool) -> ds.Dataset:
    if not streamed:
        return ds.NumpySlicesDataset(np.arange(count), ["x"], shuffle=False)
    return ds.GeneratorDataset(lambda: iter(range(count)), ["x"])


def built(data: ds.Dataset, expected: list, batch: Any, workers: int | None = None) -> ds.Dataset:
    for name, n in expected:
        if name == "map":
            data = data.map(lambda x, n=n: x * 2 + n, num_parallel_workers=workers)
        elif name == "concat":
            data = data + data
        elif name == "endless":
            data = data.repeat().take(n)
        elif name == "zip":
            beside = source(n, streamed=n % 2 == 0).rename("x", "y")
            data = ds.zip((data, beside)).map(lambda x, y: x + y, ["x", "y"], ["x"])
        elif name == "filter":
            data = data.filter(lambda x, n=n: x % n == 0)
        else:
            data = getattr(data, name)(n)
    return data if batch is None else data.batch(*batch)


def listed(count: int, expected: list, batch: Any) -> list:
    """What a pipeline without shuffles gives, by lists."""
    results = list(range(count))
    for name, n in expected:
        if name == "map":
            results = [x * 2 + n for x in results]
        elif name == "take":
            results = results[:n]
        elif name == "skip":
            results = results[n:]
        elif name == "repeat":
            results = results * n
        elif name == "endless":
            results = list(itertools.islice(itertools.cycle(results), n))
        elif name == "zip":
            results = [x + y for x, y in zip(results, range(n))]
        elif name == "concat":
            results = results + results
        elif name == "filter":
            results = [x for x in results if x % n == 0]
    if batch is None:
        return results
    size, drop = batch
    cut = [results[i : i + size] for i in range(0, len(results), size)]
    return [b for b in cut if len(b) == size or not drop]


@given(st.integers(0, 40), lists_of_steps, batches, st.booleans())
@example(1, [("skip", 1), ("endless", 5)], None, False)
@example(1, [("skip", 1), ("endless", 5)], None, True)
@example(1, [("skip", 1), ("endless", 5), ("zip", 3)], (2, False), False)
def test_a_pipeline_gives_what_lists_give(count, wanted, batch, streamed):
    if count == 0 and not streamed:
        count = 1  # NumpySlicesDataset refuses to be empty
    wanted = [step for step in wanted if step[0] != "shuffle"]
    data = built(source(count, streamed=streamed), wanted, batch)
    expected = listed(count, wanted, batch)
    assert rows(data, passes=2) == [expected, expected]
    assert data.get_dataset_size() == len(expected)


@given(st.integers(1, 40), lists_of_steps, batches, st.integers(0, 9))
def test_a_shuffled_pipeline_gives_the_same_indexed_streamed_and_in_threads(
    count, wanted, batch, seed
):
    saved = ds.config.settings()
    ds.config.set_seed(seed)
    try:
        indexed = rows(built(source(count, streamed=False), wanted, batch), passes=2)
        streamed = rows(built(source(count, streamed=True), wanted, batch), passes=2)
        threads = rows(built(source(count, streamed=False), wanted, batch, workers=3), passes=2)
    finally:
        ds.config.restore(saved)
    assert indexed == streamed == threads
    plain = listed(count, [step for step in wanted if step[0] != "shuffle"], None)
    if not {"take", "skip", "endless", "zip"} & {name for name, _ in wanted} and batch is None:
        assert sorted(indexed[0]) == sorted(indexed[1]) == sorted(plain)


@given(st.integers(1, 30), lists_of_steps, batches, st.booleans(), st.integers(0, 60))
def test_a_pipeline_goes_on_from_any_state(count, wanted, batch, streamed, stop):
    data = built(source(count, streamed=streamed), wanted, batch)
    one = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    whole: list[Any] = []
    state = one.get_state()
    for _ in range(2):
        for row in one:
            whole.append(row[0].tolist())
            if len(whole) == stop:
                state = one.get_state()
        whole.append(None)
    other = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    other.set_state(state)
    rest: list[Any] = []
    for _ in range(2 - state["pass"]):
        rest += [row[0].tolist() for row in other]
        rest.append(None)
    assert whole[len(whole) - len(rest) :] == rest
    other.close()


@given(st.integers(1, 30), lists_of_steps, batches, st.booleans())
def test_row_ids_are_those_of_the_rows_that_came(count, wanted, batch, streamed):
    wanted = [step for step in wanted if step[0] not in ("map", "zip")]
    data = built(source(count, streamed=streamed), wanted, batch)
    for output in data.device_iterator(2, with_rows=True):
        assert np.array_equal(np.asarray(output.rows), output.columns[0])
