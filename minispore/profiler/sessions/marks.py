"""mstx: points and ranges of a program that it marks itself, in wall time."""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minispore.errors import warn
from minispore.profiler.writing import table

DEFAULT_DOMAIN = "default"


@dataclass
class Marks:
    """What is marked while a recording goes on, in the domains that it asks for."""

    include: Collection[str] = ()
    exclude: Collection[str] = ()
    began_ns: int = field(default_factory=time.perf_counter_ns)
    #: message, domain, when it was marked; of a range when it ended, or None
    rows: list[list[Any]] = field(default_factory=list)
    ranges: dict[tuple[int, str], list[Any]] = field(default_factory=dict)

    def add(self, message: str, domain: str, now: int) -> list[Any] | None:
        """A new row, if its domain is asked for."""
        if domain not in self.include if self.include else domain in self.exclude:
            return None
        self.rows.append([message, domain, now, now])
        return self.rows[-1]

    def write(self, path: Path) -> None:
        """Write each mark: its microseconds are those of this computer, from the beginning."""
        rows = [
            [message, domain, (first - self.began_ns) / 1e3, (last - first) / 1e3]
            for message, domain, first, last in self.rows
        ]
        table(path, ["Message", "Domain", "Start Time(us)", "Duration(us)"], rows)


class _State:
    collecting: Marks | None = None
    ids = itertools.count(1)


def collect(marks: Marks | None) -> None:
    """Let ``marks`` have what is marked from now on; None for nobody."""
    _State.collecting = marks


class Mstx:
    """Marks in the program's own words, which a recording with ``mstx=True`` writes into
    ``wall_marks_0.csv``; without one they do nothing.

    >>> number = Mstx.range_start("data")
    >>> Mstx.range_end(number)
    """

    @staticmethod
    def mark(message: str, stream: Any = None, domain: str = DEFAULT_DOMAIN) -> None:
        """Mark a point."""
        if _good("mark", message, stream, domain) and _State.collecting is not None:
            _State.collecting.add(message, domain, time.perf_counter_ns())

    @staticmethod
    def range_start(message: str, stream: Any = None, domain: str = DEFAULT_DOMAIN) -> int:
        """Begin a range; return the number with which ``range_end`` ends it, or 0."""
        marks = _State.collecting
        if not _good("range_start", message, stream, domain) or marks is None:
            return 0
        number = next(_State.ids)
        row = marks.add(message, domain, time.perf_counter_ns())
        if row is not None:
            marks.ranges[number, domain] = row
        return number

    @staticmethod
    def range_end(range_id: int, domain: str = DEFAULT_DOMAIN) -> None:
        """End a range; one that nobody began, or that began outside of this recording, is
        passed by."""
        if not isinstance(range_id, int) or range_id < 0:
            warn(f"mstx.range_end: range_id must be what range_start returned, got {range_id!r}.")
        elif _named("range_end", domain) and _State.collecting is not None:
            row = _State.collecting.ranges.pop((range_id, domain), None)
            if row is not None:
                row[-1] = time.perf_counter_ns()


def _good(who: str, message: str, stream: Any, domain: str) -> bool:
    if not isinstance(message, str) or not message:
        warn(f"mstx.{who}: message must be a str with something in it, got {message!r}.")
        return False
    if stream is not None:
        warn(f"mstx.{who}: stream must be None, got {stream!r}. Streams are not here.")
        return False
    return _named(who, domain)


def _named(who: str, domain: str) -> bool:
    good = isinstance(domain, str) and domain != ""
    if not good:
        warn(f"mstx.{who}: domain must be a str with something in it, got {domain!r}.")
    return good


#: How ``mindspore.profiler`` calls it.
mstx = Mstx

__all__ = ["Marks", "Mstx", "collect", "mstx"]
