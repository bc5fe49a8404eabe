"""The pages and docstrings that ``make docs`` makes the site's reference of."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def markup() -> ModuleType:
    path = ROOT / "docs" / "markup.py"
    spec = importlib.util.spec_from_file_location("markup", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_public_name_stands_on_one_page(markup: ModuleType) -> None:
    members = [
        (module, line.removeprefix("        - "))
        for _, _, text in markup.make_pages()
        for module in [text.partition("::: ")[2].partition("\n")[0]]
        for line in text.splitlines()
        if line.startswith("        - ")
    ]
    public_names = [
        (module, name)
        for module, docstrings in markup.read_docstrings().items()
        for name in docstrings
        if "." not in name
    ]
    assert sorted(members) == sorted(public_names)


def test_the_pages_have_different_paths_and_titles(markup: ModuleType) -> None:
    pages = list(markup.make_pages())
    assert (
        len({path for path, _, _ in pages}) == len({title for _, title, _ in pages}) == len(pages)
    )


def test_signs_of_markdown_stand_as_they_are_and_code_stays_code(markup: ModuleType) -> None:
    text = (
        "a * b of x[0].\n\nArgs:\n    *x_: in ``a * b``, not c * d.\n\nShape:\n    (N, *) -> (N,)\n"
    )
    assert markup.escape_markdown(text) == (
        "a \\* b of x\\[0\\].\n\nArgs:\n    *x_: in `a * b`, not c \\* d.\n\n"
        "**Shape**\n\n- (N, \\*) -> (N,)\n"
    )


def test_an_example_gets_the_head_that_makes_it_code(markup: ModuleType) -> None:
    assert markup.add_heads("Add.\n\n>>> 1 + 1\n2\n") == "Add.\n\nExample:\n    >>> 1 + 1\n    2\n"
    assert markup.escape_markdown("Add.\n\nExample:\n    >>> 2 * 3\n    6\n").endswith(
        "Examples:\n    >>> 2 * 3\n    6\n"
    )


def test_the_search_needs_no_network() -> None:
    """The offline plugin loads a script from the network unless the site names its own."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    (scripts,) = re.findall(r"^  polyfills: \[(.*)\]", text, re.M)
    assert "iframe-worker" in scripts
    assert all((ROOT / "docs" / script).is_file() for script in scripts.split(", "))
