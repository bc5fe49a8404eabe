"""Prose is set as it is read: no line of a docstring is broken for a word that would have fit."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

WIDTH = 100
# One or two words of a sentence; not of a table, a list or an example.
_WORDS = re.compile(r"[a-z`][\w`'/.-]*(?: [\w`'/.-]+)?[.,;:)]*")
_NO_PROSE = (">>>", "...", "|", "*", "[", "array")


def orphans(source: str) -> Iterator[str]:
    """The last lines of paragraphs that would have fit into the lines above them."""
    lines = source.splitlines()
    for first, last in _docstrings(source):
        code = False
        for above, below in zip(lines[first - 1 : last], lines[first:last]):
            said, words = above.strip(), below.strip().removesuffix('"""')
            code = said.endswith("::") or (code and (not said or above[:8].isspace()))
            prose = len(said) > 50 and not said.endswith((":", ".")) and said[:3] not in _NO_PROSE
            fits = len(above) + 1 + len(words) <= WIDTH
            if prose and fits and not code and _WORDS.fullmatch(words) and words[-1] in ".;)":
                yield words


def _docstrings(source: str) -> Iterator[tuple[int, int]]:
    holders = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, holders) and ast.get_docstring(node, clean=False) is not None:
            told = node.body[0]
            assert told.end_lineno is not None
            yield told.lineno, told.end_lineno


def test_a_word_that_would_have_fit_is_found() -> None:
    said = "A sentence of more than fifty characters, in the middle of nowhere,"
    assert [*orphans(f'"""{said}\nbroken off."""\n')] == ["broken off."]
    assert [*orphans(f'"""{said} not broken off."""\n')] == []
    assert [*orphans(f'"""{said} {"x" * 25}\nbroken off."""\n')] == []


@pytest.mark.parametrize("room", ["benchmarks", "examples", "minispore", "tests"])
def test_no_line_is_broken_for_a_word_that_would_have_fit(root: Path, room: str) -> None:
    found = {
        str(path.relative_to(root)): broken
        for path in sorted((root / room).rglob("*.py"))
        if (broken := [*orphans(path.read_text("utf-8"))])
    }
    assert found == {}
