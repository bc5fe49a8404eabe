"""Every example in a docstring runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib

import pytest

from tests.architecture.house import house

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("name", house())
def test_the_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(name)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for example in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)
