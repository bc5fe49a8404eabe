"""Random programs, of which the golden file has MindSpore's verdicts: a few are judged here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.check import predict_in_child
from benchmarks.check_programs import generate_programs
from tests.golden.make_check_programs import COUNT, GOLDEN, compute_digest

VERDICTS = json.loads(GOLDEN.read_text(encoding="utf-8"))
STRIDE = 17  # coprime to the number of features, so that every feature has its turn


@pytest.mark.parametrize("seed", VERDICTS)
def test_a_seed_gives_the_programs_of_the_golden_file(seed: str) -> None:
    assert compute_digest(int(seed)) == VERDICTS[seed]["digest"]


def find_disagreements(program: dict[str, Any], verdicts: str, folder: Path) -> list[str]:
    prediction = predict_in_child(program, str(folder))
    levels = ("lax", "strict")
    return [
        f"{level} {program['id']}"
        for level, verdict in zip(levels, verdicts, strict=True)
        if prediction[level][0] != verdict
    ]


@pytest.mark.parametrize("seed", VERDICTS)
def test_nine_in_ten_predictions_are_mindspore_s_verdicts(seed: str, tmp_path: Path) -> None:
    pairs = [VERDICTS[seed]["verdicts"][2 * i : 2 * i + 2] for i in range(COUNT)]
    programs = list(zip(generate_programs(int(seed), COUNT), pairs, strict=True))[::STRIDE]
    sample = [(program, pair) for program, pair in programs if pair != "--"]
    wrong = [d for program, pair in sample for d in find_disagreements(program, pair, tmp_path)]
    assert len(wrong) <= 2 * len(sample) // 10, wrong
