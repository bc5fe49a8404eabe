"""MindRecord files of ours carry check sums, which tell damage that the format itself can't."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import minispore.dataset as ds
from minispore import mindrecord as mr

SCHEMA = {"number": {"type": "int32"}, "pixels": {"type": "bytes"}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of 50 rows."""
    path = tmp_path / "rows"
    writer = mr.FileWriter(str(path))
    writer.add_schema(SCHEMA)
    writer.write_raw_data([make_row(i) for i in range(50)])
    writer.commit()
    return path


def make_row(number: int) -> dict[str, object]:
    return {"number": number, "pixels": bytes([number]) * 40}


def read_numbers(path: Path) -> list[int]:
    rows = ds.MindDataset(str(path), shuffle=False)
    return [int(r["number"]) for r in rows.create_dict_iterator(1, output_numpy=True)]


def flip(path: Path, pattern: bytes) -> None:
    """Change the last byte of the first place with these bytes."""
    content = bytearray(path.read_bytes())
    content[content.index(pattern) + len(pattern) - 1] ^= 1
    path.write_bytes(content)


def drop_checksums(path: Path) -> None:
    """Leave the file as MindSpore would have written it."""
    with closing(sqlite3.connect(f"{path}.db")) as database:
        database.execute("DROP TABLE CHECKSUMS")
        database.commit()


def test_a_changed_pixel_is_reported_with_its_row(file: Path) -> None:
    flip(file, bytes([7]) * 40)
    with pytest.raises(RuntimeError, match=r"rows: row 7 must be what was written"):
        read_numbers(file)


def test_a_changed_name_in_the_header_is_reported(file: Path) -> None:
    flip(file, b'"number"')
    with pytest.raises(RuntimeError, match=r"rows"):
        read_numbers(file)


def test_a_changed_version_is_reported(file: Path) -> None:
    flip(file, b'"version":"3')
    with pytest.raises(mr.MindRecordException, match="the header must be what was written"):
        read_numbers(file)


def test_a_row_that_is_not_read_is_not_compared(file: Path) -> None:
    flip(file, bytes([7]) * 40)
    rows = ds.MindDataset(str(file), ["number"], shuffle=False)
    assert len(list(rows.create_tuple_iterator(num_epochs=1))) == 50


def test_a_file_without_check_sums_is_read(file: Path) -> None:
    drop_checksums(file)
    assert read_numbers(file) == list(range(50))


def test_appended_rows_have_check_sums(file: Path) -> None:
    writer = mr.FileWriter.open_for_append(str(file))
    writer.write_raw_data([make_row(60)])
    writer.commit()
    assert read_numbers(file) == [*range(50), 60]
    flip(file, bytes([60]) * 40)
    with pytest.raises(RuntimeError, match="row 50 must be what was written"):
        read_numbers(file)


def test_rows_that_are_appended_to_a_file_without_check_sums_have_none(file: Path) -> None:
    drop_checksums(file)
    writer = mr.FileWriter.open_for_append(str(file))
    writer.write_raw_data([make_row(60)])
    writer.commit()
    assert read_numbers(file) == [*range(50), 60]


def test_check_sums_of_fewer_rows_are_not_compared(file: Path) -> None:
    """MindSpore appends rows and leaves the table of the check sums as it is."""
    with closing(sqlite3.connect(f"{file}.db")) as database:
        database.execute("UPDATE CHECKSUMS SET ROWS = substr(ROWS, 1, 8)")
        database.commit()
    assert read_numbers(file) == list(range(50))
