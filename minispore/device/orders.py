"""What orders work on a device by hand: streams, events, pools of memory.

A device that runs one op after the other has nothing to order: every stream is idle, every event
has happened. Pools of memory can't be had of it, and raise when they are made.
"""

from __future__ import annotations

import itertools
import threading
import time
from typing import Any, NoReturn

from minispore import checks, context, device
from minispore.core import interpreter


class _NotHere:
    """Base of what orders work on a device by hand."""

    instead = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.refuse()

    @classmethod
    def refuse(cls) -> NoReturn:
        """Raise, and say what to do instead."""
        raise NotImplementedError(f"mindspore.runtime.{cls.__name__}: is not here. {cls.instead}")


class Stream:
    """A row of work on the device. Each op is done when it returns, so a stream never has work that
    is not done: results are those of any order that waits where it must.

    Args:
        priority (int): a smaller number goes first. Default: ``0``.
        **kwargs: ``stream_id``, to speak of a stream that is there already.

    Raises:
        TypeError: the priority is no int, or there is another keyword.

    >>> stream = Stream()
    >>> with StreamCtx(stream):
    ...     done = stream.record_event()
    ...     current_stream() == stream
    True
    >>> done.query(), stream.query(), current_stream() == default_stream()
    (True, True, True)
    """

    def __init__(self, priority: int = 0, **kwargs: Any) -> None:
        checks.integer("Stream", "priority", priority)
        if unknown := kwargs.keys() - {"stream_id"}:
            raise TypeError(f"Stream: takes priority and stream_id, got {sorted(unknown)}.")
        _touched("a Stream was made")
        given = kwargs.get("stream_id")
        self.id = next(_ids) if given is None else checks.integer("Stream", "stream_id", given, 0)
        self.device_name = device.current().target
        self.device_id = context.current().device_id

    def __repr__(self) -> str:
        return (
            f"Stream(device_name={self.device_name}, device_id:{self.device_id}, "
            f"stream id:{self.id})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, int, int]:
        return self.device_name, self.device_id, self.id

    def query(self) -> bool:
        """Whether all of its work is done: it is."""
        return True

    def synchronize(self) -> None:
        """Wait for its work; there is nothing to wait for."""

    def record_event(self, event: Event | None = None) -> Event:
        """Let ``event``, or a new one, be the place that the work has come to."""
        checks.instance("record_event", "event", event, Event, or_none=True)
        made = event or Event()
        made.record(self)
        return made

    def wait_event(self, event: Event) -> None:
        """Let later work wait for an event; it has happened."""
        checks.instance("wait_event", "event", event, Event)

    def wait_stream(self, stream: Stream) -> None:
        """Let later work wait for what another stream was given; it is done."""
        checks.instance("wait_stream", "stream", stream, Stream)


class StreamCtx:
    """Work goes to a stream inside the ``with`` block.

    Args:
        ctx_stream (Stream, optional): None changes nothing.

    Raises:
        TypeError: it is no Stream.

    >>> with StreamCtx(None):
    ...     print(current_stream() == default_stream())
    True
    """

    def __init__(self, ctx_stream: Stream | None) -> None:
        checks.instance("StreamCtx", "ctx_stream", ctx_stream, Stream, or_none=True)
        self.stream = ctx_stream
        self._before: list[Stream] = []

    def __enter__(self) -> StreamCtx:
        self._before.append(current_stream())
        if self.stream is not None:
            set_cur_stream(self.stream)
        return self

    def __exit__(self, *raised: object) -> None:
        set_cur_stream(self._before.pop())


class Event:
    """A place that a stream's work has come to.

    Args:
        enable_timing (bool): whether the time is noted, too. Default: ``False``.
        blocking (bool): whether ``wait`` holds the host up; there is nothing to wait for.

    Raises:
        TypeError: an argument is no bool.

    >>> begin, end = Event(enable_timing=True), Event(enable_timing=True)
    >>> begin.record()
    >>> end.record()
    >>> begin.elapsed_time(end) >= 0
    True
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False) -> None:
        checks.boolean("Event", "enable_timing", enable_timing)
        checks.boolean("Event", "blocking", blocking)
        self._timed = enable_timing
        self._at_ns: int | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Be the place that the stream's work has come to, the current one's by default."""
        checks.instance("record", "stream", stream, Stream, or_none=True)
        _touched("an Event was recorded")
        self._at_ns = time.perf_counter_ns()

    def wait(self, stream: Stream | None = None) -> None:
        """Let later work of the stream wait for the event; it has happened."""
        checks.instance("wait", "stream", stream, Stream, or_none=True)

    def query(self) -> bool:
        """Whether it has happened: all work is done."""
        return True

    def synchronize(self) -> None:
        """Wait for it; it has happened."""

    def elapsed_time(self, end_event: Event) -> float:
        """The milliseconds from this event to another, as they passed here, not on the device that
        is simulated.

        Raises:
            TypeError: ``end_event`` is no Event.
            RuntimeError: one of them notes no time, or was not recorded.
        """
        checks.instance("elapsed_time", "end_event", end_event, Event)
        _touched("the time between two Events was asked for")
        if not (self._timed and end_event._timed):
            raise RuntimeError(
                "elapsed_time: both events must note the time. Make them by "
                "Event(enable_timing=True)."
            )
        if self._at_ns is None or end_event._at_ns is None:
            raise RuntimeError("elapsed_time: both events must be recorded. Call record() before.")
        return (end_event._at_ns - self._at_ns) / 1e6


class MemPool(_NotHere):
    """Not here: raises when it is made.

    Args:
        *args, **kwargs: not looked at.

    Raises:
        NotImplementedError: always; it says what to do instead.
    """

    instead = "Leave it out: memory is what the plan of a graph needs."


class PluggableAllocator(MemPool):
    """Not here: raises when it is made.

    Args:
        *args, **kwargs: not looked at.

    Raises:
        NotImplementedError: always; it says what to do instead.
    """


def current_stream() -> Stream:
    """The stream that work goes to: one that was set for this device, or the default one.

    >>> current_stream() == default_stream()
    True
    """
    _touched("the current Stream was asked for")
    default, chosen = default_stream(), getattr(_here, "stream", None)
    return chosen if chosen is not None and chosen.device_name == default.device_name else default


def default_stream() -> Stream:
    """The stream that work goes to where nothing else is said.

    >>> default_stream().id
    0
    """
    return Stream(stream_id=0)


def communication_stream() -> Stream:
    """The stream that collectives go to.

    >>> communication_stream().id
    1
    """
    return Stream(stream_id=1)


def set_cur_stream(stream: Stream) -> None:
    """Let the work of this thread go to a stream.

    Args:
        stream (Stream): the one to go on in.

    Raises:
        TypeError: it is no Stream.

    >>> set_cur_stream(default_stream())
    """
    checks.instance("set_cur_stream", "stream", stream, Stream)
    _touched("the current Stream was set")
    _here.stream = stream


_ids = itertools.count(2)
_here = threading.local()  # the current stream of each thread


def _touched(what: str) -> None:
    """No graph can do that: the function runs op by op."""
    interpreter.interpreter().outside(what)
