"""What the tests of MindRecord files share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minispore.mindrecord import FileReader, FileWriter

PAIR = {"x": {"type": "int32"}, "data": {"type": "bytes"}}


def pairs(start: int, stop: int) -> list[dict[str, Any]]:
    """Rows of PAIR, each with data of another length."""
    return [{"x": i, "data": bytes([i % 256]) * (i % 7 + 1)} for i in range(start, stop)]


def write(
    path: Path,
    schema: dict[str, Any],
    *calls: list[dict],
    files: int = 1,
    overwrite: bool = False,
) -> str:
    """A small file of rows, or several; the name of the first."""
    writer = FileWriter(str(path), files, overwrite)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(schema)
    for rows in calls:
        writer.write_raw_data(rows)
    writer.commit()
    return str(path) + ("0" * len(str(files - 1)) if files > 1 else "")


def read(name: str | list[str], **arguments: Any) -> list[dict[str, Any]]:
    """All rows that FileReader gives."""
    reader = FileReader(name, **arguments)
    try:
        return list(reader.get_next())
    finally:
        reader.close()


@pytest.fixture
def numbered(tmp_path: Path) -> Callable[..., list[str]]:
    """Makes files of PAIR, with so many rows each, numbered throughout."""

    def make(*counts: int) -> list[str]:
        names, at = [], 0
        for i, count in enumerate(counts):
            calls = [pairs(at, at + count)] if count else []
            names.append(write(tmp_path / f"part{i}", PAIR, *calls))
            at += count
        return names

    return make
