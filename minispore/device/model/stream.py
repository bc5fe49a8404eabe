"""Streams, events and waits on a virtual clock: ``start = max(stream, lane, host, waits)``.

A task is launched on a stream; a stream's tasks run one after another, on one lane (AI Core, AI
CPU, DMA, HCCL). Two streams of one lane alternate in the order of launch, so ties are broken by
sequence number. The host has its own clock: a task can't start before the host has sent it, and the
host goes on immediately, until it synchronizes. Nothing sleeps or runs: times are added up, in
virtual microseconds.

>>> from minispore.device.model.spec import device_spec
>>> clock = StreamClock(device_spec("Ascend910"))
>>> compute, copies = clock.stream("AI Core"), clock.stream("H2D")
>>> clock.launch(copies, "copy", 4.0)
4.0
>>> copied = clock.record(copies)
>>> clock.launch(compute, "Conv2D", 2.0, waits=[copied])
6.0
>>> clock.synchronize(compute)
6.0
>>> clock.timeline.as_lists()
[['H2D', 'copy', 0.0, 4.0], ['AI Core', 'Conv2D', 4.0, 6.0]]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from minispore.device.model.spec import DeviceSpec
from minispore.device.model.timeline import Record, Timeline, round_to_grid
from minispore.errors import DeviceError


@dataclass(eq=False)
class Stream:
    """A queue of tasks on one lane; ``free_us`` is the end of its last task."""

    number: int
    lane: str
    free_us: float = 0.0


@dataclass(eq=False)
class Event:
    """A point in a stream that other streams can wait for; ``time_us`` is None until the event is
    recorded.
    """

    number: int
    time_us: float | None = None


@dataclass
class StreamClock:
    """The virtual clock of one device, with its streams, events, host time and timeline."""

    spec: DeviceSpec
    timeline: Timeline | None = field(default_factory=Timeline)  # None: tasks are not recorded
    host_us: float = 0.0
    streams: list[Stream] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    _lane_free: dict[str, float] = field(default_factory=dict)

    def stream(self, lane: str) -> Stream:
        """Add a new stream on ``lane``, and return it.

        Raises:
            DeviceError: the device has no more streams.
        """
        if len(self.streams) >= self.spec.max_streams:
            raise DeviceError(
                f"{self.spec.name}: stream exceeds limit: the device has "
                f"{self.spec.max_streams:.0f} streams. Use a smaller network, fewer communication "
                "operators or fewer conditionals."
            )
        self.streams.append(Stream(len(self.streams), lane))
        return self.streams[-1]

    def main_stream(self, lane: str) -> Stream:
        """Return the first stream on ``lane``; a new one if there is none."""
        return next((s for s in self.streams if s.lane == lane), None) or self.stream(lane)

    def event(self) -> Event:
        """Add a new event, which is not recorded yet, and return it.

        Raises:
            DeviceError: the device has no more events.
        """
        if len(self.events) >= self.spec.max_events:
            raise DeviceError(
                f"{self.spec.name}: event exceeds limit: the device has {self.spec.max_events:.0f} "
                "events. Let several tasks wait for one event."
            )
        self.events.append(Event(len(self.events)))
        return self.events[-1]

    def launch(
        self,
        stream: Stream,
        name: str,
        duration_us: float,
        *,
        waits: Iterable[Event] = (),
        sent_us: float | None = None,
        step: int = 0,
        op_type: str = "",
        scope: str = "",
        nbytes: int = 0,
    ) -> float:
        """Launch one task on ``stream``, and add it to the timeline; return the time when it ends.

        ``sent_us`` is the time when the task was sent, by default the host's current time; it is
        earlier for a thread of the host that does not wait for the main thread (the data pipeline).

        Raises:
            DeviceError: an event of ``waits`` has not been recorded.
        """
        sent = self.host_us if sent_us is None else sent_us
        start = max(stream.free_us, self._lane_free.get(stream.lane, 0.0), sent)
        for event in waits:
            start = max(start, _get_event_time(event, name))
        duration = round_to_grid(duration_us)
        stream.free_us = self._lane_free[stream.lane] = start + duration
        if self.timeline is not None:
            self.timeline.append(
                Record(
                    stream.lane,
                    name,
                    start,
                    duration,
                    step,
                    stream.number,
                    op_type or name,
                    scope,
                    nbytes,
                )
            )
        return stream.free_us

    def record(self, stream: Stream, event: Event | None = None) -> Event:
        """Record ``event``, or a new one, at the end of the stream's tasks, or at the host's time
        if that is later; return it.
        """
        event = event or self.event()
        event.time_us = max(stream.free_us, self.host_us)
        return event

    def wait(self, stream: Stream, event: Event) -> None:
        """Delay later tasks of ``stream`` until ``event``; raise DeviceError if it was not
        recorded.
        """
        stream.free_us = max(stream.free_us, _get_event_time(event, "wait"))

    def occupy_host(self, name: str, duration_us: float, *, step: int = 0) -> float:
        """Keep the host busy for ``duration_us``, as a task of the timeline; return the time when
        it is free again.
        """
        duration = round_to_grid(duration_us)
        if self.timeline is not None:
            self.timeline.append(Record("Host", name, self.host_us, duration, step, 0, "Host"))
        self.host_us += duration
        return self.host_us

    def occupy(self, stream: Stream, until_us: float) -> None:
        """Keep ``stream`` and its lane busy until ``until_us``, without a task."""
        stream.free_us = max(stream.free_us, until_us)
        self._lane_free[stream.lane] = max(self._lane_free.get(stream.lane, 0.0), until_us)

    def synchronize(self, stream: Stream) -> float:
        """Make the host wait for the tasks of ``stream``; return the host's time afterwards."""
        self.host_us = max(self.host_us, stream.free_us)
        return self.host_us


def _get_event_time(event: Event, task_name: str) -> float:
    """Return the time of an event; raise DeviceError if it was not recorded."""
    if event.time_us is None:
        raise DeviceError(
            f"{task_name}: waits must be for recorded events, got event {event.number}, which no "
            "stream has recorded: the stream would wait for ever. Record it first."
        )
    return event.time_us
