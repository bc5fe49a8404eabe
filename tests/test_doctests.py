"""Every example in a docstring runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib

import pytest

from tests.architecture.layers import load_modules
from tests.reference.names import names

#: Docstrings of public names, whose examples tests/reference runs.
REFERENCE = {name.thing.__doc__ for name in names()}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("name", load_modules())
def test_the_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(name)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for example in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        if example.docstring not in REFERENCE:
            runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)
