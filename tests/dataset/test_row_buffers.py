"""A source or function that writes each row into the same array is named, once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore import Tensor

LOGGER = "minispore.dataset"


def count_rows(data: ds.Dataset, passes: int = 2) -> int:
    return sum(1 for _ in range(passes) for _ in data.create_dict_iterator(num_epochs=1))


def one_buffer() -> Iterator[tuple[np.ndarray]]:
    buffer = np.zeros(3, np.float32)
    for i in range(32):
        buffer[:] = i
        yield (buffer,)


def two_buffers_in_turn() -> Iterator[tuple[np.ndarray]]:
    buffers = np.zeros((2, 3), np.float32)
    for i in range(32):
        buffers[i % 2] = i
        yield (buffers[i % 2],)


class OneBuffer:
    """A source with random access and one buffer."""

    def __init__(self) -> None:
        self.buffer = np.zeros(3, np.float32)

    def __len__(self) -> int:
        return 32

    def __getitem__(self, i: int) -> tuple[np.ndarray]:
        self.buffer[:] = i
        return (self.buffer,)


@pytest.mark.parametrize("source", [one_buffer, two_buffers_in_turn, OneBuffer()])
def test_a_source_that_overwrites_its_rows_is_named_once(
    source: Any, caplog: pytest.LogCaptureFixture
) -> None:
    data = ds.GeneratorDataset(source, ["x"]).batch(8)
    with caplog.at_level(logging.WARNING, LOGGER):
        assert count_rows(data) == 8
    (record,) = caplog.records
    text = record.getMessage()
    assert text.startswith("GeneratorDataset: source must return memory of its own for each row")


def test_a_map_function_that_overwrites_its_rows_is_named_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    buffer = np.zeros(3, np.float32)

    def add_into_buffer(x: np.ndarray) -> np.ndarray:
        return np.add(x, 1, out=buffer)

    data = ds.NumpySlicesDataset({"x": np.arange(96, dtype=np.float32).reshape(32, 3)})
    data = data.map(add_into_buffer, "x").batch(8)
    with caplog.at_level(logging.WARNING, LOGGER):
        count_rows(data)
    assert [r.getMessage().partition(" must")[0] for r in caplog.records] == [
        "map: add_into_buffer"
    ]


CONSTANT = np.ones(3, np.float32)
WINDOWS = np.arange(40, dtype=np.float32)


@pytest.mark.parametrize(
    "make_row",
    [
        lambda i: CONSTANT,
        lambda i: WINDOWS[i : i + 8],
        lambda i: np.full(3, i, np.float32),
        lambda i: Tensor(np.full(3, i, np.float32)),
        lambda i: np.array("text"),
    ],
    ids=["constant", "windows", "new", "tensor", "text"],
)
def test_rows_that_nobody_overwrites_are_right(
    make_row: Callable[[int], Any], caplog: pytest.LogCaptureFixture
) -> None:
    data = ds.GeneratorDataset(lambda: ((make_row(i),) for i in range(32)), ["x"])
    with caplog.at_level(logging.WARNING, LOGGER):
        assert count_rows(data.map(lambda x: x, "x").batch(8)) == 8
    assert not caplog.records


def test_a_function_may_change_its_input_row_in_place(caplog: pytest.LogCaptureFixture) -> None:
    def negate(x: np.ndarray) -> np.ndarray:
        return np.negative(x, out=x)

    data = ds.GeneratorDataset(lambda: ((np.full(3, i, np.float32),) for i in range(32)), ["x"])
    with caplog.at_level(logging.WARNING, LOGGER):
        assert count_rows(data.map([negate, negate], "x").batch(8)) == 8
    assert not caplog.records
