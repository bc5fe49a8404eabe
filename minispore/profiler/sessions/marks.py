"""Define ``mstx``, with which a program marks points and ranges of its run, in wall time."""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minispore.errors import warn
from minispore.profiler.writing import write_csv

DEFAULT_DOMAIN = "default"


@dataclass
class Marks:
    """The marks of one recording, from the domains that it includes."""

    include: Collection[str] = ()
    exclude: Collection[str] = ()
    began_ns: int = field(default_factory=time.perf_counter_ns)
    #: message, domain, begin and end in nanoseconds; a point ends at its begin
    rows: list[list[Any]] = field(default_factory=list)
    ranges: dict[tuple[int, str], list[Any]] = field(default_factory=dict)

    def add_row(self, message: str, domain: str, now: int) -> list[Any] | None:
        """Add a mark that begins and ends at ``now`` (nanoseconds) to ``rows`` and return its row;
        return None if its domain is not collected.
        """
        is_collected = domain in self.include if self.include else domain not in self.exclude
        if not is_collected:
            return None
        self.rows.append([message, domain, now, now])
        return self.rows[-1]

    def write(self, path: Path) -> None:
        """Write each mark as CSV, with its begin since the start of the recording and its duration,
        in microseconds of wall time.
        """
        rows = [
            [message, domain, (first - self.began_ns) / 1e3, (last - first) / 1e3]
            for message, domain, first, last in self.rows
        ]
        write_csv(path, ["Message", "Domain", "Start Time(us)", "Duration(us)"], rows)


class _State:
    collecting: Marks | None = None  # receives the marks; None: they are dropped
    ids = itertools.count(1)  # of ranges


def set_collecting_marks(marks: Marks | None) -> None:
    """Add the program's marks to ``marks`` from now on; drop them if it is None."""
    _State.collecting = marks


class Mstx:
    """Marks points and ranges of a program. A recording with ``mstx=True`` writes them to
    ``wall_marks_0.csv``; without one they have no effect.

    >>> number = Mstx.range_start("data")
    >>> Mstx.range_end(number)
    """

    @staticmethod
    def mark(message: str, stream: Any = None, domain: str = DEFAULT_DOMAIN) -> None:
        """Mark a point; only warn if an argument is invalid."""
        if _is_valid_mark("mark", message, stream, domain) and _State.collecting is not None:
            _State.collecting.add_row(message, domain, time.perf_counter_ns())

    @staticmethod
    def range_start(message: str, stream: Any = None, domain: str = DEFAULT_DOMAIN) -> int:
        """Begin a range; return its number for ``range_end``.

        It is 0 if nothing is recorded, or, with a warning, if an argument is invalid.
        """
        marks = _State.collecting
        if not _is_valid_mark("range_start", message, stream, domain) or marks is None:
            return 0
        number = next(_State.ids)
        row = marks.add_row(message, domain, time.perf_counter_ns())
        if row is not None:
            marks.ranges[number, domain] = row
        return number

    @staticmethod
    def range_end(range_id: int, domain: str = DEFAULT_DOMAIN) -> None:
        """End a range; a range that did not begin in this recording is ignored."""
        if not isinstance(range_id, int) or range_id < 0:
            warn(f"mstx.range_end: range_id must be what range_start returned, got {range_id!r}.")
        elif _is_valid_domain("range_end", domain) and _State.collecting is not None:
            row = _State.collecting.ranges.pop((range_id, domain), None)
            if row is not None:
                row[-1] = time.perf_counter_ns()


def _is_valid_mark(method: str, message: str, stream: Any, domain: str) -> bool:
    """Whether the arguments of a mark are valid; warn if not."""
    if not isinstance(message, str) or not message:
        warn(f"mstx.{method}: message must be a str with something in it, got {message!r}.")
        return False
    if stream is not None:
        warn(f"mstx.{method}: stream must be None, got {stream!r}. Streams are not here.")
        return False
    return _is_valid_domain(method, domain)


def _is_valid_domain(method: str, domain: str) -> bool:
    """Whether ``domain`` is the name of a domain; warn if not."""
    is_valid = isinstance(domain, str) and domain != ""
    if not is_valid:
        warn(f"mstx.{method}: domain must be a str with something in it, got {domain!r}.")
    return is_valid


#: Its name in ``mindspore.profiler``.
mstx = Mstx

__all__ = ["Marks", "Mstx", "mstx", "set_collecting_marks"]
