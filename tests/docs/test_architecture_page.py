"""docs/architecture.md names every package, existing files, and true line counts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.layers import LEVELS


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "architecture.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("package", LEVELS)
def test_each_package_is_in_the_diagram(page: str, package: str) -> None:
    diagram = page.split("```")[1]
    assert re.search(rf"\b{package}\b", diagram)


def test_each_file_that_the_page_names_exists(page: str, root: Path) -> None:
    for name in re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", page):
        assert (root / "minispore" / name).exists() or (root / name).exists(), name


def test_the_page_fits_on_200_lines(page: str) -> None:
    assert len(page.splitlines()) <= 200


def test_the_line_counts_of_the_reading_order_are_true_within_a_tenth(
    page: str, root: Path
) -> None:
    table = page.split("<!-- lines: -->")[1]
    rows = re.findall(r"^\| (`[^|]+`) \| ([\d,]+) \|", table, re.M)
    assert len(rows) >= 8
    for names, count in rows:
        files = re.findall(r"`([\w/]+\.py)`", names)
        lines = sum(len((root / "minispore" / f).read_text("utf-8").splitlines()) for f in files)
        assert abs(int(count.replace(",", "")) - lines) <= lines / 10, f"{names}: {lines} lines"
