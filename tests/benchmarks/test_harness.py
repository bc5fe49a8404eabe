"""The harness runs sides in processes of their own, in turn, and reads their clocks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.harness import Result, Round, Side, SideFailed, format_table, interleave

SOURCE = """
import os

def count(log):
    print("noise that a library prints")
    def step():
        with open(log, "a") as file:
            file.write(os.environ["OMP_NUM_THREADS"])
    return step, "counts"

def broken():
    raise SystemExit(3)
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "work.py"
    path.write_text(SOURCE)
    return path


def test_sides_take_turns_and_turn_round(source: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    options = {"log": str(log)}
    with (
        Side("one", source, "count", threads=1, options=options) as one,
        Side("two", source, "count", threads=2, options=options) as two,
    ):
        interleave([one, two], rounds=2, steps=3, warm_up=1)
    one_turn, two_turn = "1" * (3 + 3), "2" * (3 + 3)  # each begins with steps that don't count
    assert log.read_text() == "1" + "2" + one_turn + two_turn + two_turn + one_turn


def test_a_side_says_what_it_is(source: Path, tmp_path: Path) -> None:
    with Side("one", source, "count", threads=1, options={"log": str(tmp_path / "log")}) as one:
        results = interleave([one], rounds=1, steps=1, warm_up=1)
    assert results[0].about == "counts"


def test_a_side_that_ends_is_an_error_with_its_status(source: Path) -> None:
    with pytest.raises(SideFailed, match="status 3"), Side("one", source, "broken") as one:
        one.prepare()


def test_table_gives_the_median_and_the_median_ratio_to_the_first_side() -> None:
    slow = Result("slow", 1, "", [Round(2.0, 2.0), Round(9.0, 2.0), Round(4.0, 2.0)])
    fast = Result("fast", 2, "", [Round(1.0, 2.0), Round(1.0, 2.0), Round(1.0, 2.0)])
    lines = format_table([slow, fast]).splitlines()
    assert lines[1].split() == ["slow", "1", "4.000", "2.000..9.000", "2.000", "1.00x"]
    assert lines[2].split() == ["fast", "2", "1.000", "1.000..1.000", "2.000", "0.25x"]


def test_without_a_name_the_benchmarks_are_listed(root: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks"], cwd=root, capture_output=True, text=True
    )
    assert run.returncode == 0
    assert "harness" not in run.stdout and "usage" in run.stdout


def test_an_unknown_benchmark_is_refused_with_the_nearest_name(root: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", "lenett"], cwd=root, capture_output=True, text=True
    )
    assert run.returncode == 2
    assert "lenett" in run.stderr
