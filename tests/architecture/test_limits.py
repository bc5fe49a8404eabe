"""A file holds one concept, and a folder's list can be read at a glance."""

from __future__ import annotations

from collections import Counter

from tests.architecture.layers import ROOT

FILES = [p for p in (ROOT / "minispore").rglob("*") if p.suffix in {".py", ".pyi"}]


def test_no_file_has_more_than_800_lines() -> None:
    long_files = sorted(
        f"{path.relative_to(ROOT)}: {count} lines"
        for top in ("minispore", "tests", "benchmarks", "examples")
        for path in (ROOT / top).rglob("*.py")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 800
    )
    assert long_files == [], "one concept a file: such a file usually holds two"


def test_no_folder_has_more_than_25_files_on_one_level() -> None:
    counts = Counter(file.parent.relative_to(ROOT) for file in FILES)
    full = {str(folder): count for folder, count in counts.items() if count > 25}
    assert full == {}, "put what belongs together into a folder of its own"
