"""Arguments that MindSpore refuses are refused, with its type of exception."""

from __future__ import annotations

import json

import pytest

import minispore as ms
from tests.golden.refusal_cases import FOLDER, calls, ending, space

TOLD: dict[str, str] = json.loads((FOLDER / "refusals.json").read_text(encoding="utf-8"))
NAMES = space(ms)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", TOLD)
def test_a_call_ends_as_in_mindspore(call: str) -> None:
    assert ending(NAMES, call) == TOLD[call]


def test_the_table_holds_the_calls_of_the_list() -> None:
    assert set(TOLD) <= set(calls())
    assert len(TOLD) > 200
