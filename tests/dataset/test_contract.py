"""What every operation of a dataset must do, asked of all of them: order, size, state, row ids,
several epochs, workers, and random access as well as streams.

A new operation needs a line in ``SAMPLES``: what it makes of the rows 0, 1, ..., and what lists
would make of them.
"""

from __future__ import annotations

import inspect
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.dataset.operations import Operations
from minispore.dataset.pipeline.node import Node, UnaryNode
from minispore.dataset.row_operations import RowOperations
from tests.dataset.conftest import counted, plain, rows

COUNT = 12


@dataclass(frozen=True)
class Sample:
    """One operation.

    Attributes:
        made: the dataset that it makes of the rows 0 to 11.
        rows: what a pass of it gives; None where the order is random.
        kind: the class of the dataset.
        ids: the source rows that each row is made of, where they are not the row itself.
        only: the source that it works over, if not over both.
    """

    made: Callable[[ds.Dataset], ds.Dataset]
    rows: list[Any] | None
    kind: type = ds.Dataset
    ids: list[Any] | None = None
    only: str = ""

    @property
    def random(self) -> bool:
        return self.rows is None


ROWS = list(range(COUNT))
SAMPLES: dict[str, list[Sample]] = {}


def sample(
    name: str,
    actual: Callable[[Any], Any],
    rows: list[Any] | None,
    kind: type = ds.Dataset,
    ids: list[Any] | None = None,
    only: str = "",
) -> None:
    SAMPLES.setdefault(name, []).append(Sample(actual, rows, kind, ids, only))


def doubled(x: Any) -> Any:
    return x * 2


def tens() -> ds.Dataset:
    return ds.NumpySlicesDataset({"y": [10, 20, 30]}, shuffle=False)


sample("map", lambda d: d.map(doubled, "x"), [x * 2 for x in ROWS], ds.MapDataset, ROWS)
sample(
    "map",
    lambda d: d.map([doubled, lambda x: x + 1], "x", ["y"], num_parallel_workers=3),
    [x * 2 + 1 for x in ROWS],
    ds.MapDataset,
    ROWS,
)
sample("map", lambda d: d.map([], "x"), ROWS, ds.ProjectDataset)
sample(
    "map",
    lambda d: d.map(doubled, "x", cache=ds.DatasetCache(session_id=1, size=0)),
    [x * 2 for x in ROWS],
    ds.MapDataset,
    ROWS,
    only="random access",
)
sample(
    "batch",
    lambda d: d.batch(5),
    [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11]],
    ds.BatchDataset,
)
sample(
    "batch",
    lambda d: d.batch(
        5,
        True,
        3,
        per_batch_map=lambda x, info: ([v * 2 + info.get_batch_num() for v in x],),
        input_columns="x",
    ),
    [[0, 2, 4, 6, 8], [11, 13, 15, 17, 19]],
    ds.BatchDataset,
    [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]],
)
sample(
    "padded_batch",
    lambda d: d.padded_batch(7, True, pad_info={}),
    [[0, 1, 2, 3, 4, 5, 6]],
    ds.BatchDataset,
)
sample(
    "bucket_batch_by_length",
    lambda d: d.bucket_batch_by_length(
        ["x"], [4, 8], [2, 2, 4], element_length_function=lambda x: int(x) + 1
    ),
    [[0, 1], [3, 4], [5, 6], [7, 8, 9, 10], [2], [11]],
    ds.BucketBatchByLengthDataset,
)
sample("rename", lambda d: d.rename("x", "y"), ROWS, ds.RenameDataset)
sample("project", lambda d: d.project(["x"]), ROWS, ds.ProjectDataset)
sample("apply", lambda d: d.apply(lambda inner: inner.take(3)), [0, 1, 2], ds.TakeDataset)
sample("shuffle", lambda d: d.shuffle(COUNT), None, ds.ShuffleDataset)
sample("shuffle", lambda d: d.shuffle(3), None, ds.ShuffleDataset)
sample("repeat", lambda d: d.repeat(3), ROWS * 3, ds.RepeatDataset)
sample("take", lambda d: d.take(5), ROWS[:5], ds.TakeDataset)
sample("take", lambda d: d.take(50), ROWS, ds.TakeDataset)
sample("take", lambda d: d.take(), ROWS, ds.TakeDataset)
sample("skip", lambda d: d.skip(5), ROWS[5:], ds.SkipDataset)
sample("skip", lambda d: d.skip(COUNT), [], ds.SkipDataset)
sample("filter", lambda d: d.filter(lambda x: x % 3 == 0), ROWS[::3], ds.FilterDataset)
sample(
    "flat_map",
    lambda d: d.take(2).flat_map(
        lambda x: ds.NumpySlicesDataset([int(x), int(x) + 5], ["x"], shuffle=False)
    ),
    [0, 5, 1, 6],
    ds.ConcatDataset,
    [0, 0, 1, 1],
)
sample(
    "zip",
    lambda d: d.zip(tens()),
    [(0, 10), (1, 20), (2, 30)],
    ds.ZipDataset,
    [0, 1, 2],
)
sample("concat", lambda d: d.concat(d.take(2)), [*ROWS, 0, 1], ds.ConcatDataset)
sample("concat", lambda d: d + d.skip(10), [*ROWS, 10, 11], ds.ConcatDataset)
sample(
    "split",
    lambda d: d.skip(0).split([4, 8], randomize=False)[1],
    ROWS[4:],
    ds.TakeDataset,
)
sample("split", lambda d: d.skip(0).split([0.5, 0.5])[0], None, ds.TakeDataset)
sample("sync_wait", lambda d: d.sync_wait("more", num_batch=100), ROWS, ds.SyncWaitDataset)


def operations() -> list[str]:
    """The methods of a dataset that give datasets."""
    actual = {**vars(RowOperations), **vars(Operations)}
    return sorted(
        name
        for name, method in actual.items()
        if not name.startswith("_")
        and callable(method)
        and "Dataset" in str(inspect.signature(method).return_annotation)
    )


def nodes() -> list[type[Node]]:
    """What a pipeline is made of, above its sources."""

    def below(cls: type) -> Iterator[type]:
        for sub in cls.__subclasses__():
            yield sub
            yield from below(sub)

    results = {
        cls for cls in below(Node) if cls.__module__.startswith("minispore.dataset.pipeline.")
    }
    sources = {cls for cls in results if cls.__module__.endswith((".source", ".batch_sampler"))}
    return sorted(results - sources - {UnaryNode}, key=lambda cls: cls.__name__)


SOURCES = {
    "random access": lambda: counted(COUNT),
    "a stream": lambda: ds.GeneratorDataset(lambda: iter(range(COUNT)), ["x"]),
}
EVERY = [(f"{name}-{i}", s) for name, all_ in SAMPLES.items() for i, s in enumerate(all_)]
every = pytest.mark.parametrize("sample", [pytest.param(s, id=name) for name, s in EVERY])
#: Each over each source.
over = pytest.mark.parametrize(
    ("sample", "source"),
    [
        pytest.param(s, source, id=f"{name} over {kind}")
        for name, s in EVERY
        for kind, source in SOURCES.items()
        if s.only in ("", kind)
    ],
)


def tree(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from tree(child)


# -- there is one ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", operations())
def test_every_operation_has_a_sample(name: str) -> None:
    assert name in SAMPLES, f"add a sample(...) of {name} in {__file__}"


@pytest.mark.parametrize("name", operations())
def test_every_operation_says_what_it_gives(name: str) -> None:
    assert getattr(ds.Dataset, name).__doc__, f"Dataset.{name} has no docstring"


@pytest.mark.parametrize("kind", nodes(), ids=lambda cls: cls.__name__)
def test_every_node_class_has_a_sample(kind: type[Node]) -> None:
    kinds = {type(n) for all_ in SAMPLES.values() for s in all_ for n in tree(built(s).node)}
    text = f"{kind.__module__}.{kind.__name__}: no sample makes it. Give an operation that does in "
    assert kind in kinds, text + "minispore/dataset/operations.py or row_operations.py"


@every
def test_what_an_operation_gives_has_a_class_that_scripts_know(sample: Sample) -> None:
    data = built(sample)
    text = f"name the class of {type(data.node).__name__} in minispore/dataset/derived.py"
    assert type(data) is sample.kind is not ds.Dataset, text
    assert data.children
    assert json.loads(json.dumps(data.to_json()))["op_type"]


def built(sample: Sample, source: Callable[[], Any] = SOURCES["random access"]) -> ds.Dataset:
    return sample.made(source())


# -- order and size --------------------------------------------------------------------------------


@over
def test_each_pass_gives_the_rows_that_lists_would_give(sample: Sample, source: Any) -> None:
    passes = rows(built(sample, source), passes=2)
    if not sample.random:
        assert passes == [sample.rows] * 2
    else:
        for output in passes:
            assert len(set(output)) == len(output) and set(output) <= set(ROWS)


@over
def test_the_size_is_the_number_of_rows_that_come(sample: Sample, source: Any) -> None:
    data = built(sample, source)
    assert data.get_dataset_size() == len(rows(data)[0])
    assert data.get_dataset_size() == data.get_dataset_size()


@every
def test_column_names_match_the_delivered_columns(sample: Sample) -> None:
    data = built(sample).repeat(1)
    for row in data.create_dict_iterator(num_epochs=1):
        assert list(row) == data.get_col_names()


@over
def test_the_dataset_below_stays_as_it_was(sample: Sample, source: Any) -> None:
    below = source()
    node = below.node
    rows(sample.made(below))
    assert below.node is node and rows(below) == [ROWS]


# -- seeds, epochs and states ----------------------------------------------------------------------


@over
def test_a_seed_repeats_the_same_passes(sample: Sample, source: Any) -> None:
    ds.config.set_seed(4)
    data = built(sample, source)
    first, second = rows(data, passes=3), rows(data, passes=3)
    assert first == second


@pytest.mark.parametrize("sample", [pytest.param(s, id=n) for n, s in EVERY if not s.only])
def test_random_access_and_a_stream_give_the_same(sample: Sample) -> None:
    ds.config.set_seed(4)
    one, other = (rows(built(sample, source), passes=2) for source in SOURCES.values())
    assert one == other


@over
def test_an_iterator_goes_on_from_the_state_after_any_row(sample: Sample, source: Any) -> None:
    ds.config.set_seed(4)
    data = built(sample, source)
    whole = list(itertools.chain.from_iterable(rows(data, passes=2)))
    first = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    states = [first.get_state()]
    for _ in range(2):
        for _ in first:
            states.append(first.get_state())
    for done in {0, 1, len(whole) // 2, len(whole) - 1} & set(range(len(whole))):
        other = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
        other.set_state(json.loads(json.dumps(states[done])))
        rest = [plain(row) for _ in range(2 - states[done]["pass"]) for row in other]
        other.close()
        assert rest == whole[done:]


@over
def test_device_iterator_starts_at_first_batch(sample: Sample, source: Any) -> None:
    ds.config.set_seed(4)
    data = built(sample, source)
    whole = [[c.tolist() for c in b.columns] for b in data.device_iterator(2)]
    for first in range(min(3, len(whole) // 2)):
        rest = [[c.tolist() for c in b.columns] for b in data.device_iterator(2, first_batch=first)]
        assert rest == whole[first:]


# -- workers ---------------------------------------------------------------------------------------


@over
@pytest.mark.parametrize("workers", [1, 4])
def test_rows_are_the_same_whatever_the_number_of_workers(
    sample: Sample, source: Any, workers: int
) -> None:
    ds.config.set_seed(4)
    ds.config.set_debug_mode(True)
    single = rows(built(sample, source), passes=2)
    ds.config.set_debug_mode(False)
    ds.config.set_num_parallel_workers(workers)
    assert rows(built(sample, source), passes=2) == single


# -- which rows, and those that fail ---------------------------------------------------------------


def ids(sample: Sample) -> list[Any]:
    return sample.ids if sample.ids is not None else sample.rows or []


@over
def test_source_rows_of_each_row_are_reported(sample: Sample, source: Any) -> None:
    messages = [b.rows.tolist() for b in built(sample, source).device_iterator(1, with_rows=True)]
    if not sample.random:
        assert messages == ids(sample)
    else:
        assert len(set(messages)) == len(messages) and set(messages) <= set(ROWS)


def needs_7(sample: Sample) -> bool:
    """Whether it must make row 7: a random half may be without."""
    return sample.kind is ds.ShuffleDataset or 7 in np.hstack([[], *ids(sample)])


@over
def test_a_failing_row_is_named_through_every_operation(sample: Sample, source: Any) -> None:
    def failing(x: Any) -> Any:
        if x == 7:
            raise ArithmeticError("the seventh")
        return x

    try:
        output = rows(sample.made(source().map(failing, "x")))
    except RuntimeError as told:
        assert "row 7" in str(told)
    else:
        assert not needs_7(sample)
        assert sample.random or output == [sample.rows]
