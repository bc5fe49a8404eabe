"""Pace: whether to run a program with helpers, or alone, is found out by running it.

Both ways compute the same bits. Which one is quicker depends on the program, and on what else the
cores have to do just then: a helper that has no core to itself is waited for at each step.
"""

from __future__ import annotations

from collections import deque

_COLD = 3  # runs of a way that do not count: memory is touched for the first time
_COUNTED = 5  # runs that do, the last ones
_TRIED = _COLD + _COUNTED
# Runs after which the slower way is tried again, helpers soon: ever later, if it stays so.
_AGAIN = {True: 25, False: 100}
_LATE = 400
_WORSE = 1.15  # times the pace that running alone had: enough to try that at once


class Pace:
    """Chooses the quicker of two ways to run, and looks again from time to time."""

    def __init__(self) -> None:
        self._spent = {way: deque[int](maxlen=_COUNTED) for way in (False, True)}
        self._to_try = [False] * _TRIED + [True] * _TRIED
        self._best = True
        self._since, self._again = 0, 0

    def helped(self) -> bool:
        """Whether the next run is one with helpers."""
        return self._to_try[0] if self._to_try else self._best

    def took(self, helped: bool, spent_ns: int) -> None:
        """A run took so long."""
        self._spent[helped].append(spent_ns)
        if self._to_try:
            self._to_try.pop(0)
            if not self._to_try:
                self._decide()
            return
        self._since += 1
        slow = self._best and self._usual(True) > _WORSE * self._usual(False)
        if self._since >= self._again or (slow and self._since >= _COUNTED):
            self._to_try = [not self._best] * _TRIED

    def _decide(self) -> None:
        best = self._usual(True) <= self._usual(False)
        same = best is self._best and self._again
        self._again = min(2 * self._again, _LATE) if same else _AGAIN[not best]
        self._best, self._since = best, 0

    def _usual(self, helped: bool) -> int:
        spent = sorted(self._spent[helped])
        return spent[len(spent) // 2]


__all__ = ["Pace"]
