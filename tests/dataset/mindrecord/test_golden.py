"""Files of the real MindSpore are read, and ours are the same, byte for byte."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.mindrecord import FileWriter
from tests.dataset.mindrecord.conftest import read
from tests.golden import mindrecord_cases
from tests.golden.mindrecord_cases import CASES

GOLDEN = Path(mindrecord_cases.__file__).parent / "mindrecord"


def same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and (
        (a.dtype == b.dtype and np.array_equal(a, b)) if isinstance(a, np.ndarray) else a == b
    )


def index_of(path: Path) -> list[tuple]:
    """All that is in an index."""
    with closing(sqlite3.connect(f"{path}.db")) as base:
        columns = [row[1:] for row in base.execute("PRAGMA table_info(INDEXES)")]
        rows = base.execute("SELECT * FROM INDEXES").fetchall()
        return [*columns, *rows, *base.execute("SELECT * FROM SHARD_NAME").fetchall()]


@pytest.mark.parametrize("name", CASES)
def test_file_reader_gives_what_mindspore_wrote(name):
    text = read(str(GOLDEN / f"{name}.mindrecord"))
    written = CASES[name][2]()
    assert len(text) == len(written)
    for a, b in zip(text, written):
        assert a.keys() == b.keys() and all(same(a[key], b[key]) for key in b)


def test_mind_dataset_gives_what_mindspore_wrote_in_the_types_of_the_schema():
    data = ds.MindDataset(str(GOLDEN / "kinds.mindrecord"), shuffle=False)
    assert data.get_col_names() == sorted(mindrecord_cases.KINDS)
    rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    for a, b in zip(rows, mindrecord_cases.kinds(), strict=True):
        assert a["data"].shape == (1,) and a["data"].tobytes() == b["data"]
        assert a["raw_text"].item() == b["raw_text"] and a["raw_text"].shape == ()
        assert a["raw_f32"].dtype == np.float32 and a["raw_f32"] == np.float32(b["raw_f32"])
        assert a["raw_i32"].dtype == np.int32 and a["raw_i64"].dtype == np.int64
        for key in ("i32", "i64", "f32", "f64"):
            assert same(a[key], b[key])


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_the_same_as_mindspore_s(name, tmp_path):
    mindrecord_cases.write(FileWriter, str(tmp_path), name)
    ours, theirs = tmp_path / f"{name}.mindrecord", GOLDEN / f"{name}.mindrecord"
    assert ours.read_bytes() == theirs.read_bytes()
    assert index_of(ours) == index_of(theirs)
