"""Write the tutorials as notebooks: ``python -m tests.docs.notebooks`` (``make notebooks``).

A notebook has the text, the programs and the outputs of its page. Pictures stay links to those of
the page, so that a notebook is small.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.docs.pages import ROOT

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
FOLDER = ROOT / "docs" / "notebooks"
_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```\n", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!\w+:|\.\./|#)([\w/]+\.md)")  # of a page beside this one


def make_notebook(page: str) -> str:
    """Return the notebook of a page's Markdown as JSON."""
    cells: list[dict[str, Any]] = []
    position = 0
    for fence in _FENCE.finditer(page):
        _add_text(cells, page[position : fence.start()])
        position = fence.end()
        is_output = not fence["language"] and cells[-1]["cell_type"] == "code"
        if fence["language"] == "python":
            _add_code(cells, fence["text"])
        elif is_output and not cells[-1]["outputs"]:
            output = {"name": "stdout", "output_type": "stream", "text": _split(fence["text"])}
            cells[-1]["outputs"] = [output]
        else:
            _add_text(cells, fence[0])
    _add_text(cells, page[position:])
    notebook = {
        "cells": [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def _add_text(cells: list[dict[str, Any]], text: str) -> None:
    """Append a cell of Markdown, unless the text is blank; links go to the pages."""
    if text.strip():
        linked = _LINK.sub(r"](../tutorials/\1", text.strip())
        cells.append({"cell_type": "markdown", "metadata": {}, "source": _split(linked)})


def _add_code(cells: list[dict[str, Any]], text: str) -> None:
    source = _split(text.rstrip("\n"))
    cells.append(
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
         "source": source}
    )  # fmt: skip


def _split(text: str) -> list[str]:
    """Return the lines of a text with their ends, as notebooks keep them."""
    return text.splitlines(keepends=True)


def notebooks() -> dict[Path, str]:
    """Return the text of each notebook by its path."""
    return {
        FOLDER / f"{page.stem}.ipynb": make_notebook(page.read_text(encoding="utf-8"))
        for page in TUTORIALS
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, text in notebooks().items():
        path.write_text(text, encoding="utf-8")
