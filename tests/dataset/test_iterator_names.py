"""Rows by number, and the names by which earlier versions ask an iterator for a row."""

from __future__ import annotations

import numpy as np
import pytest

import minispore.dataset as ds


def make_dataset() -> ds.NumpySlicesDataset:
    return ds.NumpySlicesDataset({"a": np.arange(3), "b": np.arange(3) * 2}, shuffle=False)


def test_rows_of_slices_have_numbers() -> None:
    assert make_dataset()[1] == (1, 2)
    assert list(reversed(make_dataset())) == [(2, 4), (1, 2), (0, 0)]


def test_a_number_is_that_of_a_row_of_a_pass() -> None:
    data = make_dataset()
    data.use_sampler(ds.SubsetSampler([2, 0]))
    assert data[0] == (2, 4)
    with pytest.raises(RuntimeError, match="exceeded the number of data samples"):
        data[2]
    with pytest.raises(TypeError, match="index must be an int"):
        data[0:1]


@pytest.mark.parametrize("name", ["get_next", "_get_next"])
def test_iterators_give_the_next_row_by_earlier_names(name: str) -> None:
    get_next = getattr(make_dataset().create_tuple_iterator(num_epochs=1, output_numpy=True), name)
    assert [get_next() for _ in range(4)] == [[0, 0], [1, 2], [2, 4], []]
    get_row = getattr(make_dataset().create_dict_iterator(num_epochs=1, output_numpy=True), name)
    assert get_row() == {"a": 0, "b": 0}
