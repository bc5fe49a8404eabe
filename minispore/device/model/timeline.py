"""Timelines in virtual microseconds: records of tasks, exact lists, Chrome traces.

Virtual time is kept on a grid of 1/1024 us. Sums and differences of such numbers are exact in a
float (for runs of up to 270 years). So timelines are equal to the last digit in whatever order they
were summed, and the sum of a lane's tasks can never exceed the elapsed time.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

TICKS_PER_US = 1024


def round_to_grid(us: float) -> float:
    """Round to the nearest multiple of 1/1024 us.

    >>> round_to_grid(0.1), round_to_grid(3.0)
    (0.099609375, 3.0)
    """
    return round(us * TICKS_PER_US) / TICKS_PER_US


class Record(NamedTuple):
    """One task, which occupied ``lane`` from ``start_us`` for ``duration_us``."""

    lane: str
    name: str
    start_us: float
    duration_us: float
    step: int = 0  # 1-based number of its training step; 0 for none
    stream: int = 0
    op_type: str = ""
    scope: str = ""
    nbytes: int = 0

    @property
    def end_us(self) -> float:
        """The time at which the task ended."""
        return self.start_us + self.duration_us


@dataclass
class Timeline:
    """Tasks in the order in which they were launched.

    >>> t = Timeline()
    >>> t.append(Record("AI Core", "Conv2D", 5.0, 2.0))
    >>> t.as_lists()
    [['AI Core', 'Conv2D', 5.0, 7.0]]
    """

    records: list[Record] = field(default_factory=list)
    last_step: float = math.inf  # tasks of later steps are not kept

    def append(self, record: Record) -> None:
        """Add one task, unless its step is after ``last_step``, the last step that is recorded."""
        if record.step <= self.last_step:
            self.records.append(record)

    def extend(self, records: Iterable[Record]) -> None:
        """Add several tasks."""
        for record in records:
            self.append(record)

    def __iter__(self) -> Iterator[Record]:
        """Iterate over the records, in the order in which they were added."""
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def elapsed_us(self) -> float:
        """The end of the last task, in virtual microseconds."""
        return max((r.end_us for r in self.records), default=0.0)

    def lanes(self) -> list[str]:
        """Return the lanes in use, in their order from host to device."""
        used = {r.lane for r in self.records}
        return [lane for lane in LANES if lane in used] + sorted(used - set(LANES))

    def busy_us(self, lane: str) -> float:
        """Return the time for which tasks kept ``lane`` busy, in virtual microseconds."""
        return sum((r.duration_us for r in self.records if r.lane == lane), 0.0)

    def as_lists(self) -> list[list[Any]]:
        """Return ``[lane, name, start, end]`` of each task, for tests of exact times."""
        return [[r.lane, r.name, r.start_us, r.end_us] for r in self.records]

    def overlaps(self) -> list[tuple[Record, Record]]:
        """Return pairs of successive tasks that overlap on one lane; empty for a valid timeline."""
        pairs = []
        for lane in self.lanes():
            tasks = sorted(
                (r for r in self.records if r.lane == lane and r.duration_us > 0),
                key=lambda r: r.start_us,
            )
            pairs += [(a, b) for a, b in itertools.pairwise(tasks) if b.start_us < a.end_us]
        return pairs

    def chrome_trace(self, device_id: int = 0, labels: Mapping[str, str] | None = None) -> str:
        """Return the timeline as Chrome trace JSON, which Perfetto and chrome://tracing open."""
        return json.dumps(trace_events(self.records, device_id, labels), separators=(",", ":"))


#: Lanes from host to device, with the process id that MindSpore's timeline gives to each.
_HOST, _DMA, _AI_CPU, _HCCL = 11000, 13000, 9000, 10000
LANES: Mapping[str, int] = {
    "Data": _HOST,
    "Host": _HOST,
    "H2D": _DMA,
    "D2H": _DMA,
    "AI CPU": _AI_CPU,
    "AI Core": 0,  # the device's own id
    "HCCL": _HCCL,
}


def _make_metadata(kind: str, args: dict[str, Any], **ids: int) -> dict[str, Any]:
    """Return a Chrome metadata event (ph M) of a process, or with ``tid`` of a thread."""
    return {"name": kind, "ph": "M", **ids, "args": args}


def trace_events(
    records: Iterable[Record], device_id: int = 0, labels: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return complete events (ph X) for ``records``, and metadata events (ph M) that name
    processes and threads."""
    events: list[dict[str, Any]] = []
    threads: dict[tuple[int, str, int], int] = {}
    names = {_HOST: "Host", _DMA: "DMA", _AI_CPU: "AI CPU", _HCCL: "HCCL"} | dict(labels or {})
    pids: set[int] = set()
    for record in records:
        lane_id = LANES.get(record.lane, _DMA)
        pid = lane_id or device_id
        if pid not in pids:
            pids.add(pid)
            name = names.get(pid, f"AI Core of device {device_id}")
            sort_index = list(LANES.values()).index(lane_id)
            events += [
                _make_metadata("process_name", {"name": name}, pid=pid),
                _make_metadata("process_labels", {"labels": "virtual time, a model"}, pid=pid),
                _make_metadata("process_sort_index", {"sort_index": sort_index}, pid=pid),
            ]
        thread = (pid, record.lane, record.stream)
        if thread not in threads:
            threads[thread] = len(threads) + 1
            name = f"{record.lane} stream {record.stream}" if record.stream else record.lane
            metadata = _make_metadata("thread_name", {"name": name}, pid=pid, tid=threads[thread])
            events.append(metadata)
        event: dict[str, Any] = {
            "name": record.name,
            "ph": "X",
            "pid": pid,
            "tid": threads[thread],
            "ts": record.start_us,
            "dur": record.duration_us,
            "cat": record.op_type or record.lane,
            "args": {"step": record.step},
        }
        if record.scope:
            event["args"]["scope"] = record.scope
        if record.nbytes:
            event["args"]["bytes"] = record.nbytes
        events.append(event)
    return events
