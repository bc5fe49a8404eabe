"""``python -m tests.mutants.reached TESTS OUT.json``: which tests run each line of the parts.

Also how long each takes, which says when one hangs.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Generator
from pathlib import Path

import coverage
import pytest

from tests.mutants.catalogue import ROOT, SETTINGS, files, text
from tests.mutants.trial import OPTIONS


class Contexts:
    """A pytest plugin that records each test in a coverage context of its own."""

    def __init__(self, recorder: coverage.Coverage) -> None:
        self.recorder = recorder
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.recorder.switch_context(item.nodeid)
        start = _measure_cpu_s()
        result = yield
        self.seconds[item.nodeid] = round(_measure_cpu_s() - start, 3)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)


def _measure_cpu_s() -> float:
    """Return the processor time of this process and its children, which a busy machine
    doesn't change.
    """
    return sum(os.times()[:4])


def main(folder: str, out: str) -> None:
    sources = [file for part in SETTINGS["parts"] for file in files(part)]
    recorder = coverage.Coverage(
        data_file=out + ".coverage", config_file=False, include=[str(ROOT / f) for f in sources]
    )
    recorder.erase()
    contexts = Contexts(recorder)
    recorder.start()
    for file in sources:  # else the first test that opens a later door would run their definitions
        importlib.import_module(
            file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        )
    pytest.main([*OPTIONS, folder], plugins=[contexts])
    recorder.stop()
    tests = [test for test in contexts.seconds if test not in contexts.failed]
    numbers = {test: number for number, test in enumerate(tests)}
    lines = {}
    for file in sources:
        by_line = recorder.get_data().contexts_by_lineno(str(ROOT / file))
        lines[file] = {
            line: [numbers.get(test, -1) for test in actual if test in numbers or not test]
            for line, actual in sorted(by_line.items())
        }
    record = {
        "tests": tests,
        "seconds": [contexts.seconds[test] for test in tests],
        "lines": lines,
        "sources": {file: text(file) for file in sources},
    }
    Path(out).write_text(json.dumps(record), encoding="utf-8")
    for test in sorted(contexts.failed):
        print("not asked, for it fails without a mutant:", test)


if __name__ == "__main__":
    main(*sys.argv[1:])
