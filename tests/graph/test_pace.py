"""The quicker of two ways to run is found, and found again when the other becomes quicker."""

from __future__ import annotations

import itertools

import pytest

from minispore.graph import parallel_tuner
from minispore.graph.parallel_tuner import ParallelTuner


def record_runs(actual: ParallelTuner, runs: int, alone: int, together: int) -> list[bool]:
    """Which way each of some runs went, when they take so long."""
    ways = []
    for _ in range(runs):
        ways.append(actual.use_workers())
        actual.record(ways[-1], together if ways[-1] else alone)
    return ways


@pytest.mark.parametrize(("alone", "together"), [(10, 7), (10, 10), (10, 30)])
def test_both_ways_are_tried_and_the_quicker_one_stays(alone: int, together: int) -> None:
    ways = record_runs(ParallelTuner(), 50, alone, together)
    first = parallel_tuner._TRIAL_RUNS
    assert ways[:first] == [False] * first
    assert ways[first : 2 * first] == [True] * first
    assert set(ways[2 * first : 2 * first + parallel_tuner._RETRY_AFTER[True]]) == {
        together <= alone
    }


def test_the_slower_mode_is_retried_at_growing_intervals_until_it_is_faster() -> None:
    output = ParallelTuner()
    ways = record_runs(output, 1000, 10, 30)
    tries = [i for i in range(1, 1000) if ways[i] and not ways[i - 1]]
    gaps = [b - a for a, b in itertools.pairwise(tries)]
    assert len(tries) >= 4
    assert gaps == sorted(gaps)
    assert gaps[-1] >= parallel_tuner._LONGEST_RETRY
    assert (
        record_runs(output, 2 * parallel_tuner._LONGEST_RETRY, 10, 5)[-20:].count(True)
        >= 20 - parallel_tuner._TRIAL_RUNS
    )


def test_helpers_that_become_slow_are_left_within_a_few_runs() -> None:
    output = ParallelTuner()
    assert record_runs(output, 20, 10, 7)[-1]
    assert record_runs(output, 20, 10, 30)[-8:] == [False] * 8


def test_one_slow_run_decides_nothing() -> None:
    output = ParallelTuner()
    record_runs(output, 20, 10, 7)
    output.record(True, 500)
    assert record_runs(output, 20, 10, 7) == [True] * 20


def test_where_everything_becomes_slow_the_quicker_way_stays() -> None:
    output = ParallelTuner()
    record_runs(output, 20, 10, 7)
    assert record_runs(output, 40, 40, 28)[-20:] == [True] * 20
