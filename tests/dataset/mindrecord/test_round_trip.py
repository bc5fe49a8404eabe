"""Rows of any schema are read as they were written, and damage is refused."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import minispore.dataset as ds
from minispore import mindrecord as mr
from minispore.dataset.formats.mindrecord import integers
from tests.dataset.mindrecord.conftest import read, write

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
NAMES = st.text("abcXYZ019_", min_size=1, max_size=40)


def shapes() -> st.SearchStrategy[list[int]]:
    """Up to three sizes, at most one of them free."""
    fixed = st.lists(st.integers(1, 3), max_size=3)
    free = st.builds(
        lambda a, b: [*a, -1, *b], st.lists(st.integers(1, 3), max_size=2), st.just([])
    )
    return fixed | free


def fields() -> st.SearchStrategy[dict[str, Any]]:
    kinds = st.sampled_from(["int32", "int64", "float32", "float64", "string", "bytes"])
    single = kinds.map(lambda kind: {"type": kind})
    array = st.builds(lambda kind, shape: {"type": kind, "shape": shape}, kinds, shapes())
    return single | array.filter(lambda f: f["type"] not in ("string", "bytes"))


def values(field: dict[str, Any]) -> st.SearchStrategy[Any]:
    kind = field["type"]
    if "shape" in field:
        free = st.integers(0, 4) if -1 in field["shape"] else st.just(0)
        shape = free.map(lambda n: tuple(n if s == -1 else s for s in field["shape"]))
        return shape.flatmap(lambda s: arrays.arrays(kind, s))
    if kind == "string":
        return TEXT
    if kind == "bytes":
        return st.binary(max_size=70)
    if kind.startswith("int"):
        limits = np.iinfo(kind)
        return st.integers(int(limits.min), int(limits.max))
    return st.floats(width=32 if kind == "float32" else 64, allow_nan=False)


@st.composite
def tables(draw: Any) -> tuple[dict[str, Any], list[list[dict]]]:
    """A schema, and the rows of some calls."""
    by_name = st.dictionaries(NAMES, fields(), min_size=1, max_size=18)
    schema = draw(by_name.filter(lambda s: len({n.lower() for n in s}) == len(s)))
    row = st.fixed_dictionaries({name: values(field) for name, field in schema.items()})
    return schema, draw(st.lists(st.lists(row, min_size=1, max_size=4), max_size=4))


def equal(a: Any, b: Any) -> bool:
    if isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and a == b


_TEXTS = [[{"a": ""}, {"a": "\0"}, {"a": "x\0"}, {"a": "x"}], [{"a": "\0\0"}]]


@given(tables(), st.integers(1, 3))
@example(({"a": {"type": "string"}}, _TEXTS), 1)
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_rows_of_any_schema_are_read_as_they_were_written(table, files):
    schema, calls = table
    with tempfile.TemporaryDirectory() as folder:
        name = write(Path(folder) / "f", schema, *calls, files=files)
        written = [row for call in calls for row in call]
        text = read(name)
        assert len(text) == len(written)
        if files == 1:
            for a, b in zip(text, written):
                assert a.keys() == b.keys() and all(equal(a[key], b[key]) for key in b)
        data = ds.MindDataset(name, shuffle=False)
        columns = data.get_col_names()
        for a, b in zip(data.create_tuple_iterator(num_epochs=1, output_numpy=True), text):
            for value, key in zip(a, columns):
                if "shape" in schema[key]:
                    assert equal(value, b[key])
                elif schema[key]["type"] == "bytes":
                    assert value.tobytes() == (b[key] or b"\0")
                elif schema[key]["type"] != "string":
                    assert value == np.dtype(schema[key]["type"]).type(b[key])


@given(st.lists(arrays.arrays(np.int64, st.integers(0, 9)), min_size=1, max_size=5))
def test_integers_are_expanded_as_they_were_compressed(rows):
    packed = [integers.compress(row) for row in rows]
    lengths = np.array([len(p) for p in packed])
    data = np.frombuffer(b"".join(packed), np.uint8)
    actual = integers.expand(data, np.cumsum(lengths) - lengths, lengths)
    listed = list(actual[0]) if len({len(row) for row in rows}) == 1 else actual
    assert [row.tolist() for row in listed] == [row.tolist() for row in rows]


SCHEMA = {
    "i": {"type": "int64"},
    "s": {"type": "string"},
    "f": {"type": "float32"},
    "a": {"type": "int32", "shape": [-1]},
    "b": {"type": "bytes"},
    "c": {"type": "float64", "shape": [2]},
}


@given(st.integers(0, 10**6), st.integers(0, 255), st.booleans())
def test_a_damaged_file_gives_its_rows_or_one_clear_error(at, byte, in_header):
    rows = [
        {"i": 300 * i, "s": "t" * i, "f": 0.5, "a": np.arange(i, dtype=np.int32),
         "b": b"b" * i, "c": np.ones(2)}
        for i in range(5)
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        name = write(Path(folder) / "f", SCHEMA, rows)
        written = repr(read(name))
        content = bytearray(Path(name).read_bytes())
        size = 8 + int.from_bytes(content[:8], "little")
        used = [i for i in range(1 << 14, len(content)) if i < (1 << 14) + 400 or i >= 3 << 14]
        place = at % size if in_header else used[at % len(used)]
        content[place] = byte
        Path(name).write_bytes(content)
        try:
            assert repr(read(name)) == written
            ds.MindDataset(name).get_dataset_size()
        except mr.MindRecordException as refused:
            assert "must" in str(refused)


@pytest.mark.parametrize("content", [b"", b"x", bytes(8), b"\xff" * 100, b"\2\0\0\0\0\0\0\0{}"])
def test_what_is_no_mindrecord_file_is_refused(tmp_path, content):
    (tmp_path / "f").write_bytes(content)
    for call in (mr.FileReader, ds.MindDataset):
        with pytest.raises(RuntimeError, match="f: must be a MindRecord file"):
            call(str(tmp_path / "f"))
