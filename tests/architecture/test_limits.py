"""A file can be read at a sitting, and a folder's list at a glance."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.architecture.house import ROOT

FILES = [p for p in (ROOT / "minispore").rglob("*") if p.suffix in {".py", ".pyi"}]


def long(most: int, *rooms: str) -> list[str]:
    """The sources of more than ``most`` lines. Stubs are written by a program and read by one."""
    return sorted(
        f"{len(text)} lines: {p.relative_to(ROOT)}"
        for room in rooms
        for p in (ROOT / room).rglob("*.py")
        if len(text := p.read_text(encoding="utf-8").splitlines()) > most
    )


def test_no_file_has_more_than_500_lines() -> None:
    assert long(500, "minispore", "tests", "benchmarks", "examples") == [], (
        "it usually holds two rooms: part them"
    )


def test_at_most_10_files_have_more_than_400_lines() -> None:
    found = long(400, "minispore")
    assert len(found) <= 10, found


def test_no_folder_has_more_than_25_files_on_one_level() -> None:
    full = {str(f): n for f, n in Counter(map(_folder, FILES)).items() if n > 25}
    assert full == {}, "put what belongs together into a folder of its own"


def _folder(file: Path) -> Path:
    return file.parent.relative_to(ROOT)
