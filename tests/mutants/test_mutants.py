"""The mutation tester's own parts: children that end, functions that change places, its list."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from tests.mutants.child import Outcome, watch
from tests.mutants.readers import Readers
from tests.mutants.report import compute_interval
from tests.mutants.swap import find_changed_functions, find_functions, swap
from tests.mutants.trial import Task, TaskPlugin

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX: it forks")

LONG = [600.0, 600.0]


def test_a_child_whose_tests_pass_is_a_survivor() -> None:
    assert watch(lambda tell: True, LONG) == Outcome("survived", -1)


def test_the_test_that_failed_is_reported() -> None:
    def body(tell) -> bool:
        tell(0)
        tell(1)
        return False

    assert watch(body, [*LONG, 600.0]) == Outcome("killed", 1)


def test_an_exception_kills() -> None:
    assert watch(lambda tell: 1 // 0 > 0, LONG) == Outcome("killed", -1)


def test_a_child_that_ends_without_a_word_died() -> None:
    assert watch(lambda tell: os._exit(0), LONG) == Outcome("died", -1)


def test_a_test_that_hangs_is_ended_at_its_time_limit() -> None:
    def body(tell) -> bool:
        tell(0)
        time.sleep(3600)
        return True

    assert watch(body, [0.2, 600.0]) == Outcome("timed out", 0)


def test_what_a_child_started_ends_with_it(tmp_path: Path) -> None:
    note = tmp_path / "pid"

    def body(tell) -> bool:
        program = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        note.write_text(str(program.pid))
        return True

    watch(body, LONG)
    with pytest.raises(ProcessLookupError):
        while _is_running(int(note.read_text())):
            time.sleep(0.01)
        raise ProcessLookupError


def _is_running(process: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False


WARNS = """
import warnings
import pytest

def test_warns():
    warnings.warn("is an error here")

@pytest.mark.filterwarnings("ignore")
def test_warns_as_it_may():
    warnings.warn("is none here")

@pytest.mark.xfail
def test_fails_as_it_may():
    assert False
"""


@pytest.mark.parametrize(
    ("tests", "passed"),
    [
        (["test_warns_as_it_may", "test_fails_as_it_may"], True),
        (["test_warns_as_it_may", "test_warns"], False),
    ],
)
def test_a_selected_test_runs_under_its_marks(
    pytester: pytest.Pytester, tests: list[str], passed: bool
) -> None:
    file = pytester.makepyfile(WARNS).name
    pytester.makeini("[pytest]\nfilterwarnings = error")
    requests = TaskPlugin(
        Task("", "", "", [f"{file}::{test}" for test in tests], [1, 1], False), print
    )
    pytester.inline_run("-p", "no:xdist", "-p", "no:cacheprovider", plugins=[requests])
    assert requests.passed == passed


# -- functions that change places ------------------------------------------------------------------

OLD = "LIMIT = 3\nclass Gate:\n    most = 2\n    def opens(self, n):\n        return n < 5\n"


@pytest.fixture
def gate(tmp_path: Path):
    file = tmp_path / "gate.py"
    file.write_text(OLD)
    names: dict = {}
    exec(compile(OLD, str(file), "exec"), names)
    return file, names["Gate"]


def test_a_method_becomes_the_mutant_s(gate) -> None:
    file, output = gate
    swap(
        find_functions(file.parent), find_changed_functions(str(file), OLD, OLD.replace("<", "<="))
    )
    assert output().opens(5)


@pytest.mark.parametrize(("old", "new"), [("LIMIT = 3", "LIMIT = 4"), ("most = 2", "most = 1")])
def test_what_a_module_or_a_class_does_is_no_function(gate, old: str, new: str) -> None:
    assert find_changed_functions(str(gate[0]), OLD, OLD.replace(old, new)) == []


# -- who reads what a file makes at import ---------------------------------------------------------

FILES = {
    "queue.py": "MOST = 3\nclass Queue:\n    size = MOST\n    def puts(self, n=2):\n        ...\n",
    "host.py": "def run(queue):\n    if queue.size:\n        queue.puts()\n",
}


@pytest.mark.parametrize(
    ("line", "read_at"),
    [(1, ("host.py", 2, 2)), (3, ("host.py", 2, 2)), (4, ("host.py", 3, 3))],
    ids=["a constant that a class takes over", "a field", "a default"],
)
def test_what_a_file_makes_is_read_where_its_name_stands(line: int, read_at: tuple) -> None:
    assert Readers(FILES).find_readers("queue.py", line) == [read_at]


# -- the list and the rate -------------------------------------------------------------------------


def test_each_equivalent_mutant_quotes_an_existing_line(root: Path) -> None:
    settings = tomllib.loads((root / "tests/mutants/mutants.toml").read_text(encoding="utf-8"))
    lost = [
        entry["from"]
        for entry in settings["equivalent"]
        if not any(
            _remove_spaces(entry["from"]) in _remove_spaces(line)
            for path in root.glob(entry["file"])
            if path.is_file()
            for line in path.read_text(encoding="utf-8").splitlines()
        )
    ]
    assert lost == []


def _remove_spaces(text: str) -> str:
    return "".join(text.split())


def test_the_interval_is_wilson_s() -> None:
    assert compute_interval(95, 100) == pytest.approx((0.8882, 0.9785), abs=1e-4)
