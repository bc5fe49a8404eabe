"""Each rule finds its bad lines, in the program that it brings, and not its good ones."""

from __future__ import annotations

from typing import Any

import pytest

from minispore.check import all_rules
from minispore.check.rule import FITS, NUMERICS, SECTIONS, SINKS

RULES = pytest.mark.parametrize("name", sorted(all_rules()))


def found(check_script, name: str, lines: str) -> list[dict[str, Any]]:
    text = all_rules()[name].program(lines).replace("mindspore", "minispore")
    return [f for f in check_script(text, "--strict")["findings"] if f["rule"] == name]


@RULES
@pytest.mark.filterwarnings("ignore:build_train_network")  # which says it, too
def test_a_rule_finds_its_bad_lines(name: str, check_script) -> None:
    assert found(check_script, name, all_rules()[name].bad)


@RULES
def test_a_rule_does_not_find_its_good_lines(name: str, check_script) -> None:
    assert not found(check_script, name, all_rules()[name].good)


@RULES
def test_a_rule_says_what_the_real_one_does(name: str) -> None:
    rule = all_rules()[name]
    assert rule.says.endswith(".") and rule.bad and rule.good
    assert rule.section in SECTIONS
    assert rule.lax or rule.strict or rule.section in (SINKS, FITS, NUMERICS)


def test_a_name_that_is_changed_after_the_branch_is_read_there(check_script) -> None:
    lines = "if x.sum() > 0:\n    y = x\ny = y + 1\nreturn y"
    assert found(check_script, "bound-in-branch", lines)


def test_a_name_that_is_bound_anew_after_the_branch_is_not_read(check_script) -> None:
    lines = "if x.sum() > 0:\n    y = x\ny = x + 1\nreturn y"
    assert not found(check_script, "bound-in-branch", lines)
