"""Streams, events and memory pools of MindSpore's API.

A device that runs one op after another has nothing to order: every stream is idle, and every event
has happened. Memory pools are not supported and raise when they are created.
"""

from __future__ import annotations

import itertools
import threading
import time
from typing import Any, NoReturn

from minispore import context, device
from minispore.core import interpreter
from minispore.foundation import checks


class _UnsupportedClass:
    """Base of public classes that a simulated device does not support."""

    hint = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.raise_unsupported()

    @classmethod
    def raise_unsupported(cls) -> NoReturn:
        """Raise NotImplementedError with the class's hint."""
        raise NotImplementedError(f"mindspore.runtime.{cls.__name__}: is not here. {cls.hint}")


class Stream:
    """A queue of work on the device. Each op is done when it returns, so a stream is always idle,
    and results equal those of any correctly synchronized order.

    Args:
        priority (int): a smaller number has priority. Default: ``0``.
        **kwargs: ``stream_id``, the number of an existing stream.

    Raises:
        TypeError: the priority is not an int, or there is an unknown keyword.

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
        _force_op_by_op("a Stream was made")
        requested_id = kwargs.get("stream_id")
        self.id = (
            next(_stream_ids)
            if requested_id is None
            else checks.integer("Stream", "stream_id", requested_id, 0)
        )
        self.device_name = device.current().target
        self.device_id = context.current().device_id

    def __repr__(self) -> str:
        return (
            f"Stream(device_name={self.device_name}, device_id:{self.device_id}, "
            f"stream id:{self.id})"
        )

    def __eq__(self, other: object) -> bool:
        """Whether both refer to the same stream of the same device."""
        return isinstance(other, Stream) and self._identity_key() == other._identity_key()

    def __hash__(self) -> int:
        return hash(self._identity_key())

    def _identity_key(self) -> tuple[str, int, int]:
        """Return the key that equal streams share: device target, device id and stream id."""
        return self.device_name, self.device_id, self.id

    def query(self) -> bool:
        """Whether all of the stream's work is done: always."""
        return True

    def synchronize(self) -> None:
        """Wait for the stream's work; returns immediately, since all work is done."""

    def record_event(self, event: Event | None = None) -> Event:
        """Record ``event``, or a new one, at the end of the stream's work, and return it."""
        checks.instance("record_event", "event", event, Event, or_none=True)
        recorded_event = event or Event()
        recorded_event.record(self)
        return recorded_event

    def wait_event(self, event: Event) -> None:
        """Make later work wait for an event; does nothing, since every event has happened."""
        checks.instance("wait_event", "event", event, Event)

    def wait_stream(self, stream: Stream) -> None:
        """Make later work wait for another stream; does nothing, since its work is done."""
        checks.instance("wait_stream", "stream", stream, Stream)


class StreamCtx:
    """Make a stream the current one inside the ``with`` block.

    Args:
        ctx_stream (Stream, optional): None changes nothing.

    Raises:
        TypeError: ``ctx_stream`` is not a Stream.

    >>> with StreamCtx(None):
    ...     print(current_stream() == default_stream())
    True
    """

    def __init__(self, ctx_stream: Stream | None) -> None:
        checks.instance("StreamCtx", "ctx_stream", ctx_stream, Stream, or_none=True)
        self.stream = ctx_stream
        self._previous_streams: list[Stream] = []

    def __enter__(self) -> StreamCtx:
        """Make the stream current in this thread, unless it is None, and return this object."""
        self._previous_streams.append(current_stream())
        if self.stream is not None:
            set_cur_stream(self.stream)
        return self

    def __exit__(self, *exc_info: object) -> None:
        """Restore the stream that was current before the block."""
        set_cur_stream(self._previous_streams.pop())


class Event:
    """A point in a stream's work, which can be waited for and timed.

    Args:
        enable_timing (bool): whether the time is recorded, too. Default: ``False``.
        blocking (bool): whether ``wait`` blocks the host; there is nothing to wait for.

    Raises:
        TypeError: an argument is not a bool.

    >>> begin, end = Event(enable_timing=True), Event(enable_timing=True)
    >>> begin.record()
    >>> end.record()
    >>> begin.elapsed_time(end) >= 0
    True
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False) -> None:
        checks.boolean("Event", "enable_timing", enable_timing)
        checks.boolean("Event", "blocking", blocking)
        self._has_timing = enable_timing
        self._recorded_ns: int | None = None

    def record(self, stream: Stream | None = None) -> None:
        """Record the current end of a stream's work, by default that of the current stream.

        A function that is being compiled runs op by op instead.
        """
        checks.instance("record", "stream", stream, Stream, or_none=True)
        _force_op_by_op("an Event was recorded")
        self._recorded_ns = time.perf_counter_ns()

    def wait(self, stream: Stream | None = None) -> None:
        """Make later work of the stream wait for the event; does nothing, since it has happened."""
        checks.instance("wait", "stream", stream, Stream, or_none=True)

    def query(self) -> bool:
        """Whether the event has happened: always."""
        return True

    def synchronize(self) -> None:
        """Wait for the event; returns immediately, since it has happened."""

    def elapsed_time(self, end_event: Event) -> float:
        """Return the wall-clock milliseconds from this event to another, not simulated device time.

        A function that is being compiled runs op by op instead.

        Raises:
            TypeError: ``end_event`` is not an Event.
            RuntimeError: an event has no timing, or was not recorded.
        """
        checks.instance("elapsed_time", "end_event", end_event, Event)
        _force_op_by_op("the time between two Events was asked for")
        if not (self._has_timing and end_event._has_timing):
            raise RuntimeError(
                "elapsed_time: both events must note the time. Make them by "
                "Event(enable_timing=True)."
            )
        if self._recorded_ns is None or end_event._recorded_ns is None:
            raise RuntimeError("elapsed_time: both events must be recorded. Call record() before.")
        return (end_event._recorded_ns - self._recorded_ns) / 1e6


class MemPool(_UnsupportedClass):
    """A memory pool; not supported: raises when it is created.

    Args:
        *args, **kwargs: ignored.

    Raises:
        NotImplementedError: always; the message says what to do instead.
    """

    hint = "Leave it out: memory is what the plan of a graph needs."


class PluggableAllocator(MemPool):
    """A memory allocator; not supported: raises when it is created.

    Args:
        *args, **kwargs: ignored.

    Raises:
        NotImplementedError: always; the message says what to do instead.
    """


def current_stream() -> Stream:
    """Return the stream that was set for this device and thread, or the default stream.

    A function that is being compiled runs op by op instead.

    >>> current_stream() == default_stream()
    True
    """
    _force_op_by_op("the current Stream was asked for")
    default, current = default_stream(), getattr(_thread_state, "stream", None)
    return (
        current if current is not None and current.device_name == default.device_name else default
    )


def default_stream() -> Stream:
    """Return the stream that work goes to by default.

    >>> default_stream().id
    0
    """
    return Stream(stream_id=0)


def communication_stream() -> Stream:
    """Return the stream that collectives go to.

    >>> communication_stream().id
    1
    """
    return Stream(stream_id=1)


def set_cur_stream(stream: Stream) -> None:
    """Make a stream the current stream of this thread.

    A function that is being compiled runs op by op instead.

    Args:
        stream (Stream): the stream.

    Raises:
        TypeError: ``stream`` is not a Stream.

    >>> set_cur_stream(default_stream())
    """
    checks.instance("set_cur_stream", "stream", stream, Stream)
    _force_op_by_op("the current Stream was set")
    _thread_state.stream = stream


_stream_ids = itertools.count(2)
_thread_state = threading.local()  # the current stream of each thread


def _force_op_by_op(reason: str) -> None:
    """Mark the function being traced as untraceable, so that it runs op by op."""
    interpreter.current().on_untraceable(reason)
