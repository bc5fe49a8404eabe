"""Every example in a docstring runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib

import pytest

from tests.architecture.layers import load_modules
from tests.reference.test_reference import ENTRIES

REFERENCE = {text for _, _, text in ENTRIES}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("name", load_modules())
def test_the_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(name)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for example in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        if example.docstring not in REFERENCE:  # they are run there
            runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)
