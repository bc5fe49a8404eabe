"""Strangers who reach for a job of several ranks change nothing of it: many kinds at once here, one
by one in ``python -m benchmarks chaos strangers``.
"""

from __future__ import annotations

import os
import sys

import pytest

if sys.platform == "win32" or not os.path.isdir("/proc/self"):
    pytest.skip("looks for the job's doors in /proc", allow_module_level=True)

from benchmarks.attacks import strangers

ENDS = ["rank 0 has ", "rank 1 has "]


def read_matching_lines(result: tuple[set[int], list[str]]) -> list[str]:
    """What the ranks have said, one number for all of them."""
    statuses, text = result
    assert statuses == {0}
    assert [line[: len(ENDS[0])] for line in text] == ENDS
    assert len({line[len(ENDS[0]) :] for line in text}) == 1
    return text


def test_strangers_at_the_door_keep_nobody_out_and_pass_as_nobody() -> None:
    assert read_matching_lines(strangers.run_shell_job([*strangers.AT_MAILBOX.values()]))


@pytest.mark.parametrize("name", strangers.BEFORE_MAILBOX)
def test_what_strangers_left_where_ranks_meet_keeps_nobody_out(name: str) -> None:
    assert read_matching_lines(
        strangers.run_shell_job([strangers.BEFORE_MAILBOX[name]], before=True)
    )


def test_strangers_between_ranks_reach_nothing() -> None:
    kinds = [*strangers.AT_PORTS.values(), *strangers.BETWEEN_RANKS.values()]
    assert read_matching_lines(strangers.run_launcher_job("sockets", kinds))
