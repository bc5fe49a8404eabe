"""What the site's reference is made of; ``make docs`` makes it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def markup() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "docs" / "markup.py"
    spec = importlib.util.spec_from_file_location("markup", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_public_name_stands_on_one_page(markup: ModuleType) -> None:
    messages = [
        (front, line.removeprefix("        - "))
        for _, _, text in markup.pages()
        for front in [text.partition("::: ")[2].partition("\n")[0]]
        for line in text.splitlines()
        if line.startswith("        - ")
    ]
    names = [
        (front, name)
        for front, actual in markup.entries().items()
        for name in actual
        if "." not in name
    ]
    assert sorted(messages) == sorted(names)


def test_the_pages_have_different_paths_and_titles(markup: ModuleType) -> None:
    pages = list(markup.pages())
    assert (
        len({path for path, _, _ in pages}) == len({title for _, title, _ in pages}) == len(pages)
    )


def test_signs_of_markdown_stand_as_they_are_and_code_stays_code(markup: ModuleType) -> None:
    text = (
        "a * b of x[0].\n\nArgs:\n    *x_: in ``a * b``, not c * d.\n\nShape:\n    (N, *) -> (N,)\n"
    )
    assert markup.for_markdown(text) == (
        "a \\* b of x\\[0\\].\n\nArgs:\n    *x_: in `a * b`, not c \\* d.\n\n"
        "**Shape**\n\n- (N, \\*) -> (N,)\n"
    )


def test_an_example_gets_the_head_that_makes_it_code(markup: ModuleType) -> None:
    assert markup.headed("Add.\n\n>>> 1 + 1\n2\n") == "Add.\n\nExample:\n    >>> 1 + 1\n    2\n"
    assert markup.for_markdown("Add.\n\nExample:\n    >>> 2 * 3\n    6\n").endswith(
        "Examples:\n    >>> 2 * 3\n    6\n"
    )
