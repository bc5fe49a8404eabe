"""Limits that Python's libraries bring along: long CSV fields are read, deep JSON is refused."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import minispore.dataset as ds
from minispore import mindrecord as mr

LENGTH = 2_000_000


@pytest.fixture(autouse=True)
def default_field_limit() -> Iterator[None]:
    previous = csv.field_size_limit(131_072)
    yield
    csv.field_size_limit(previous)


def rows_with_csv_dataset(path: Path) -> list[str]:
    data = ds.CSVDataset(str(path), column_defaults=["", 0], shuffle=False)
    return [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def rows_of_slices(path: Path) -> list[str]:
    data = ds.NumpySlicesDataset(str(path), shuffle=False)
    return [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def rows_of_converter(path: Path) -> list[str]:
    target = str(path.with_suffix(".mindrecord"))
    mr.CsvToMR(str(path), target).transform()
    return [str(row["text"]) for row in mr.FileReader(target).get_next()]


@pytest.mark.parametrize("read", [rows_with_csv_dataset, rows_of_slices, rows_of_converter])
def test_a_csv_field_of_two_million_characters_is_read(
    read: Callable[[Path], list[str]], tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"text,number\n{'x' * LENGTH},1\nshort,2\n")
    assert [len(text) for text in read(path)] == [LENGTH, 5]


DEEP = "[" * 100_000 + "]" * 100_000
JSON_READERS: dict[str, Callable[[str], Any]] = {
    "schema": ds.Schema,
    "settings": ds.config.load,
    "tree": lambda path: ds.deserialize(json_filepath=path),
    "coco": lambda path: ds.CocoDataset(str(Path(path).parent), path),
    "manifest": ds.ManifestDataset,
    "clue": lambda path: next(iter(ds.CLUEDataset(path, "AFQMC", "train"))),
}


@pytest.mark.parametrize("name", JSON_READERS)
def test_json_that_is_nested_too_deeply_is_refused_by_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.json"
    path.write_text(DEEP)
    with pytest.raises(RuntimeError, match=r"^\w+(\.load)?: ") as caught:
        JSON_READERS[name](str(path))
    assert not isinstance(caught.value, RecursionError)
