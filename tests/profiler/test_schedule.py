"""A schedule gives each step the action that MindSpore's gives it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore.profiler import schedule
from minispore.profiler.schedule import ProfilerAction, Schedule

REAL = json.loads(
    (Path(__file__).parents[1] / "golden/profiler_schedules.json").read_text(encoding="utf-8")
)


def quiet(**given: int) -> Schedule:
    """A schedule; one without a warm-up warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return schedule(**given)


def model(wait: int, warmup: int, active: int, repeat: int, skip_first: int, steps: int) -> str:
    """The actions as letters, written down cycle by cycle."""
    cycle = "." * wait + "w" * warmup + "r" * (active - 1) + "S"
    text = "." * skip_first + cycle * (repeat or steps)
    return (text + "." * steps)[:steps]


LETTERS = dict(zip(ProfilerAction, ".wrS", strict=True))
small = st.integers(0, 4)


@given(small, small, st.integers(1, 4), small, small)
def test_the_actions_are_those_of_cycles_written_one_after_the_other(
    wait: int, warmup: int, active: int, repeat: int, skip_first: int
) -> None:
    output = quiet(wait=wait, warmup=warmup, active=active, repeat=repeat, skip_first=skip_first)
    actions = "".join(LETTERS[output(step)] for step in range(60))
    assert actions == model(wait, warmup, active, repeat, skip_first, 60)


@pytest.mark.parametrize("row", REAL["actions"], ids=str)
def test_the_actions_are_mindspores(row: dict) -> None:
    output = quiet(**row["given"])
    assert [output(step).value for step in range(len(row["actions"]))] == row["actions"]
    assert output.to_dict() == row["taken"]
    assert repr(output) == row["repr"]


@pytest.mark.parametrize("row", REAL["replaced"], ids=str)
def test_bad_arguments_are_replaced_as_mindspore_replaces_them(row: dict) -> None:
    bad = next(name for name, value in row["given"].items() if row["taken"][name] is not value)
    with warnings.catch_warnings(record=True) as text:
        warnings.simplefilter("always")
        output = schedule(**row["given"])
    assert f"schedule: {bad} must be an int" in str(text[0].message)
    assert output.to_dict() == row["taken"]


def test_a_schedule_without_warmup_warns() -> None:
    with pytest.warns(UserWarning, match="warmup is 0"):
        schedule(wait=1, active=1)


def test_a_step_before_the_first_has_no_action() -> None:
    with pytest.raises(ValueError, match="step must be at least 0, got -1"):
        schedule(wait=1, warmup=1, active=1)(-1)


def test_actions_have_mindspores_values() -> None:
    assert {action.name: action.value for action in ProfilerAction} == REAL["enums"][
        "ProfilerAction"
    ]
    assert ProfilerAction.get_by_value(2) is ProfilerAction.RECORD
    assert ProfilerAction.get_by_value(4) is None
