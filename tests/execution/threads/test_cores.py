"""Processes that compute together keep off each other's cores."""

from __future__ import annotations

import os

import pytest

from minispore.execution.threads import cpu_affinity

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux")


@pytest.fixture(autouse=True)
def free():
    mine = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, mine)


def test_each_worker_moves_off_the_occupied_core_to_a_different_one() -> None:
    mine = sorted(os.sched_getaffinity(0))
    if len(mine) < 2:
        pytest.skip("one core")
    gone = [cpu_affinity.move_off_core(mine[0], mine, number) for number in range(len(mine) - 1)]
    assert sorted(gone) == mine[1:]
    assert os.sched_getaffinity(0) == {gone[-1]}
    assert cpu_affinity.get_current_core() == gone[-1]


def test_one_stays_where_no_other_core_is_to_be_had() -> None:
    mine = os.sched_getaffinity(0)
    only = min(mine)
    assert cpu_affinity.move_off_core(only, [only], 0) == -1
    assert cpu_affinity.move_off_core(-1, sorted(mine), 0) == -1  # of whom nobody knows where
    assert os.sched_getaffinity(0) == mine


def test_waking_off_cores_restores_the_cpu_affinity_on_exit() -> None:
    mine = sorted(os.sched_getaffinity(0))
    with cpu_affinity.waking_off_cores(mine[1:]):
        assert os.sched_getaffinity(0) == {mine[0]}
    assert sorted(os.sched_getaffinity(0)) == mine
    with cpu_affinity.waking_off_cores(mine):  # all are taken
        assert sorted(os.sched_getaffinity(0)) == mine
    with pytest.raises(KeyboardInterrupt), cpu_affinity.waking_off_cores(mine[1:]):
        raise KeyboardInterrupt
    assert sorted(os.sched_getaffinity(0)) == mine
