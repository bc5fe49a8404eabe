"""Choice between running a program with or without worker processes, made by timing both.

Both compute the same bits. Which one is faster depends on the program and on the load of the cores:
each step waits for a worker that has no core to itself.
"""

from __future__ import annotations

from collections import deque

_WARM_UP_RUNS = 3  # first runs of a mode are not counted: they touch memory for the first time
_MEASURED_RUNS = 5  # the number of last runs of a mode over which the median is taken
_TRIAL_RUNS = _WARM_UP_RUNS + _MEASURED_RUNS
# Runs after which the slower mode is tried again (workers sooner); doubled as long as it stays
# slower.
_RETRY_AFTER = {True: 25, False: 100}
_LONGEST_RETRY = 400
_SLOWDOWN_LIMIT = 1.15  # times the median without workers: a slower run starts a new trial at once


class ParallelTuner:
    """Chooses the faster of two modes, with or without worker processes, and retries from time to
    time.

    A program asks :meth:`use_workers` before each run and reports its time with :meth:`record`.
    First each mode runs ``_TRIAL_RUNS`` times. Then the one with the lower median time is used,
    until the other is tried again.
    """

    def __init__(self) -> None:
        # The last times of each mode (True: with workers), and the modes of the remaining trial
        # runs.
        self._run_times = {mode: deque[int](maxlen=_MEASURED_RUNS) for mode in (False, True)}
        self._trials = [False] * _TRIAL_RUNS + [True] * _TRIAL_RUNS
        self._prefers_workers = True
        self._runs_since_choice, self._runs_until_retry = 0, 0

    def use_workers(self) -> bool:
        """Whether the next run should use worker processes: the mode on trial, otherwise the faster
        mode.
        """
        return self._trials[0] if self._trials else self._prefers_workers

    def record(self, with_workers: bool, spent_ns: int) -> None:
        """Record the time of a run in nanoseconds; may end a trial, which chooses a mode, or start
        a new one.
        """
        self._run_times[with_workers].append(spent_ns)
        if self._trials:
            self._trials.pop(0)
            if not self._trials:
                self._choose_mode()
            return
        self._runs_since_choice += 1
        workers_ns, alone_ns = map(self._compute_median_time, (True, False))
        is_slow = self._prefers_workers and workers_ns > _SLOWDOWN_LIMIT * alone_ns
        if self._runs_since_choice >= self._runs_until_retry or (
            is_slow and self._runs_since_choice >= _MEASURED_RUNS
        ):
            self._trials = [not self._prefers_workers] * _TRIAL_RUNS

    def _choose_mode(self) -> None:
        """Choose the mode with the lower median time, and set when to try the other mode again."""
        prefers_workers = self._compute_median_time(True) <= self._compute_median_time(False)
        is_confirmed = prefers_workers is self._prefers_workers and self._runs_until_retry
        self._runs_until_retry = (
            min(2 * self._runs_until_retry, _LONGEST_RETRY)
            if is_confirmed
            else _RETRY_AFTER[not prefers_workers]
        )
        self._prefers_workers, self._runs_since_choice = prefers_workers, 0

    def _compute_median_time(self, with_workers: bool) -> int:
        """Return the median time of the last counted runs of a mode, in nanoseconds."""
        times = sorted(self._run_times[with_workers])
        return times[len(times) // 2]


__all__ = ["ParallelTuner"]
