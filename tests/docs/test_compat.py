"""docs/compat.md tells of paths that exist; ``python -m minispore paths`` lists them all."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from minispore.commands import paths

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (`.*`) \| (.*) \|$", re.MULTILINE)


def rows() -> list[tuple[list[str], str]]:
    """What the page's table says: the paths of each row, and the difference."""
    return [
        (full_paths(cell.strip("`").split("`, `")), what)
        for cell, what in ROW.findall((ROOT / "docs" / "compat.md").read_text(encoding="utf-8"))
    ]


def full_paths(names: list[str]) -> list[str]:
    """``.name`` is a neighbour of the path before it."""
    actual = [names[0]]
    for name in names[1:]:
        actual.append(actual[-1].rpartition(".")[0] + name if name.startswith(".") else name)
    return actual


def test_each_path_of_the_compat_page_exists() -> None:
    missing = [path for listed, _ in rows() for path in listed if path not in paths.make_table()]
    assert not missing, "no such path; python -m minispore paths lists those that are"


def test_a_path_has_one_row() -> None:
    listed = [path for paths, _ in rows() for path in paths]
    assert len(listed) == len(set(listed)) > 80


def test_a_documented_difference_is_a_phrase() -> None:
    for listed, what in rows():
        assert what and what == what.strip() and not what.endswith("."), listed


def test_each_room_of_the_list_is_a_module() -> None:
    for where in set(paths.make_table().values()) - {"the front"}:
        importlib.import_module(f"minispore.{where}")


def test_the_command_prints_the_paths_with_a_word_in_them() -> None:
    program = [sys.executable, "-m", "minispore", "paths", "nosuchword", "nn.LossBase", "ops.ctcg"]
    printed = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert [line.split() for line in printed.splitlines()] == [
        ["mindspore.nn.LossBase", "nn.loss.base"],
        ["mindspore.ops.CTCGreedyDecoder", "ops.loss.ctc"],
    ]


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in ROOT.glob("docs/*.md"))]
)
def test_links_inside_the_project_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for link in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / link).exists(), link
