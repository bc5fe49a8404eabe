"""The random programs that are held against a real MindSpore, without one."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from benchmarks.programs import Side, find_difference, shorten
from benchmarks.suite.program_parts import generate_programs, write_source


def test_a_seed_says_which_programs_and_each_can_be_parsed() -> None:
    first, second = (list(generate_programs(3, 50)) for _ in range(2))
    assert first == second
    for program in first:
        ast.parse(write_source(program))


@pytest.mark.parametrize(
    ("ours", "real", "difference"),
    [
        ("loss is 0.12345", "loss is 0.12346", ""),
        ("loss is 0.12345", "loss is 0.13345", "number: loss is 0.12345... 0.12345 <> 0.13345"),
        ("a", "a\nb", "line: (no line) <> b"),
    ],
)
def test_numbers_may_differ_by_rounding_and_lines_not(
    ours: str, real: str, difference: str
) -> None:
    assert find_difference(*({"printed": p, "error": ""} for p in (ours, real))) == difference


def test_a_number_may_differ_by_the_effect_of_rounding_its_inputs() -> None:
    ours, real, near, far = (
        {"printed": f"loss {n}", "error": ""} for n in (0.5, 0.502, 0.5001, 0.498)
    )
    assert find_difference(ours, real, near) == "number: loss 0.5... 0.5 <> 0.502"
    assert find_difference(ours, real, far) == ""


def test_a_program_is_shortened_to_what_differs() -> None:
    program = {"blocks": ["a", "b", "c"], "layers": [("", "x"), ("", "y")]}
    shorter = shorten(program, lambda p: "line: b" if "b" in p["blocks"] else "")
    assert shorter == {"blocks": ["b"], "layers": [("", "x")]}


def test_a_side_runs_a_program_and_says_what_it_printed(tmp_path: Path) -> None:
    side = Side(sys.executable, "minispore", tmp_path / "side", 60)
    program = next(generate_programs(3, 1))
    side.start({**program, "blocks": ["print(ms.__name__)", "raise KeyError(1)"]})
    assert side.wait() == {"printed": "minispore\n", "error": "KeyError: 1"}
    side.close()
