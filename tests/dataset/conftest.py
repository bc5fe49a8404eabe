"""What the tests of the data engine share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds


@pytest.fixture(autouse=True)
def settings() -> Iterator[None]:
    """ds.config is after a test what it was before it."""
    saved = ds.config.settings()
    yield
    ds.config.restore(saved)


def rows(dataset: ds.Dataset, passes: int = 1) -> list[list[Any]]:
    """Each pass as a list of rows; a row of one column is its value, else a tuple."""
    iterator = dataset.create_tuple_iterator(num_epochs=passes, output_numpy=True)
    return [[plain(row) for row in iterator] for _ in range(passes)]


def plain(row: list[Any]) -> Any:
    """A row as Python numbers and lists."""
    results = [v.tolist() if isinstance(v, np.ndarray) else v for v in row]
    return results[0] if len(results) == 1 else tuple(results)


def counted(count: int, **arguments: Any) -> ds.NumpySlicesDataset:
    """The rows 0, 1, ..., in order, in a column x."""
    return ds.NumpySlicesDataset(np.arange(count), ["x"], shuffle=False, **arguments)
