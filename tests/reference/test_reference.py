"""Every public name says what it takes, gives and refuses, and shows it."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from minispore.commands import paths
from minispore.execution import random
from minispore.foundation import docstrings
from tests.docs.pages import same
from tests.reference import write
from tests.reference.examples import modules, restore_settings
from tests.reference.files import public_files
from tests.reference.names import FRONTS, names, public

needs_reference = pytest.mark.skipif(
    not write.FOLDER.exists(), reason="the reference is not written: make reference"
)


def test_every_public_name_has_each_section_that_applies(written: tuple[Path, str]) -> None:
    assert written[1] == "", (
        "A docstring, a line of tests/reference/glossary or a call in tests/reference/calls.txt is "
        "missing; then run make reference."
    )


def test_every_name_of_a_documented_path_is_among_the_public_names() -> None:
    references = {id(name.thing) for name in names()}
    absent = []
    for short in paths.DOCUMENTED.split():
        module = importlib.import_module(f"minispore.{short}".replace(".mindspore", ""))
        for name in public(module):
            thing = getattr(module, name)
            ours = str(getattr(thing, "__module__", "")).startswith("minispore")
            if ours and (inspect.isclass(thing) or inspect.isfunction(thing)):
                absent += [f"{short}.{name}"] if id(thing) not in references else []
    assert not absent, f"their front is not in {FRONTS}"


@needs_reference
def test_the_reference_is_what_the_sources_say(written: tuple[Path, str]) -> None:
    old, new = (
        {(front, path): text for front, path, text in write.read_entries(folder)}
        for folder in (write.FOLDER, written[0])
    )
    stale = [key for key, text in new.items() if not same(old.get(key, ""), text)]
    assert old.keys() == new.keys() and not stale, f"{stale}. Run make reference."


@needs_reference
def test_help_shows_the_whole_docstring_of_every_public_name() -> None:
    modules()
    values_by_name = {(n.front, n.path): n.thing.__doc__ for n in names()}
    assert values_by_name == {
        (front, path): text for front, path, text in write.read_entries(write.FOLDER)
    }


def test_without_the_reference_help_shows_what_the_source_says(tmp_path: Path) -> None:
    source = Path(docstrings.__file__).parents[1]
    leave_out = shutil.ignore_patterns("reference", "__pycache__")
    shutil.copytree(source, tmp_path / "minispore", ignore=leave_out)
    code = "import minispore; print(minispore.ops.abs.__doc__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("Apply :class:`Abs`"), done.stderr


def test_docstrings_are_none_under_python_oo() -> None:
    code = "import minispore; print(minispore.ops.Add.__doc__)"
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True)
    assert done.stdout == "None\n", done.stderr


class _Close(doctest.OutputChecker):
    """Numbers may differ in their last digits from machine to machine."""

    def check_output(self, expected: str, got: str, optionflags: int) -> bool:
        return super().check_output(expected, got, optionflags) or same(expected, got)


@pytest.mark.parametrize("front", FRONTS)
def test_examples_of_the_reference_run_as_they_are_pasted(
    front: str, written: tuple[Path, str]
) -> None:
    random.set_seed(5)  # not the one they were written with: what is drawn is not shown
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    runner = doctest.DocTestRunner(_Close(), verbose=False, optionflags=flags)
    report: list[str] = []
    with public_files():
        for where, path, text in write.read_entries(written[0]):
            if where == front:
                example = doctest.DocTestParser().get_doctest(text, {}, f"{front}.{path}", None, 0)
                with restore_settings():
                    runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)


def test_every_example_of_the_reference_runs(written: tuple[Path, str]) -> None:
    entries = write.read_entries(written[0])
    left_out = [path for _, path, text in entries if re.search(r"doctest: *\+SKIP", text)]
    assert entries and not left_out


def test_describe_reads_every_file_that_is_written() -> None:
    assert Path(docstrings.__file__).with_name("reference") == write.FOLDER
