"""The notebooks are the tutorials: the same text, the same programs, the same outputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.docs.notebooks import FOLDER, TUTORIALS, make_notebook, notebooks
from tests.docs.pages import blocks

PAGE = "# Add\n\nSee [more](sink.md).\n\n```python\nprint(1)\n```\n\n```\n1\n```\n\nThe end.\n"
LARGEST = 40_000  # bytes, so that a notebook opens at once


def read_cells(text: str) -> list[tuple[str, str]]:
    return [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]


def test_a_page_becomes_cells_of_text_and_code() -> None:
    assert read_cells(make_notebook(PAGE)) == [
        ("markdown", "# Add\n\nSee [more](../tutorials/sink.md)."),
        ("code", "print(1)"),
        ("markdown", "The end."),
    ]


def test_what_a_program_prints_is_its_output() -> None:
    code: dict[str, Any] = json.loads(make_notebook(PAGE))["cells"][1]
    assert code["outputs"] == [{"name": "stdout", "output_type": "stream", "text": ["1\n"]}]


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_is_its_page(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == notebooks()[path], "run `make notebooks`"


def test_no_notebook_is_left_of_a_page_that_is_gone() -> None:
    assert sorted(FOLDER.glob("*.ipynb")) == sorted(notebooks())


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_is_small(path: Path) -> None:
    assert len(notebooks()[path].encode()) < LARGEST


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_the_programs_of_a_notebook_are_those_that_the_page_runs(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    programs = [block.text.rstrip("\n") for block in blocks(text) if block.lang == "python"]
    assert [
        source for kind, source in read_cells(make_notebook(text)) if kind == "code"
    ] == programs
