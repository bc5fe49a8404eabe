"""The channel: the queue of batches between a dataset pipeline and GetNext.

A sender thread runs the pipeline and fills a bounded queue; the device takes batches out of it in
the calling thread. If no thread can be started, the device runs the pipeline itself, up to the
batch that it needs. The queue is bounded in batches and in bytes; a full queue blocks the sender
(back-pressure). A side that ends or fails wakes the other side immediately:

* the pipeline ended: GetNext gets the queued batches, then the error that the queue is exhausted;
* the pipeline failed: the same, with its exception as the cause of GetNext's error;
* the device failed, or nothing reads any more: :meth:`Channel.close` wakes the sender, which ends.

Waits are split into short slices, so Ctrl-C works on every system.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any

import numpy as np

from minispore.device import faults
from minispore.device.getnext import ChannelHistory, explain
from minispore.errors import GetNextError, warn
from minispore.execution.threads.monitor import Event, Monitor
from minispore.foundation import process
from minispore.ir.value import Spec

SLICE_S = 0.1  # the longest single wait
JOIN_S = 0.3  # how long close() waits for the user's pipeline code
WARN_AFTER_S = 25.0  # MindSpore warns of a slow pipeline after the same time


class Batch:
    """One batch of a pipeline: its arrays, their specs and sizes, and its place in the dataset.

    Attributes:
        arrays: its columns.
        origin: the epoch and rows of the batch; the channel passes it on without reading it.
        specs: shape and dtype of each column.
        nbytes: bytes of all columns.
    """

    __slots__ = ("arrays", "nbytes", "origin", "specs")

    def __init__(self, arrays: tuple[np.ndarray, ...], origin: Any = None) -> None:
        self.arrays, self.origin = arrays, origin
        # Computed in the sender thread, because the device compares specs at each step.
        self.specs = tuple([Spec(a.shape, a.dtype) for a in arrays])
        self.nbytes = sum([a.nbytes for a in arrays])


class Channel:
    """A bounded queue between one run of a pipeline and the device.

    Args:
        name: the queue name that GetNext asks for.
        batches: makes the pipeline's batches; called in the sender thread.
        capacity: the maximum number of queued batches.
        capacity_bytes: the maximum number of queued bytes; a larger batch is queued alone.
        columns: names of the columns, for messages.
        fixed: the specs of the columns that the device's program was compiled for.
        on_sent: called in the sender thread with each queued batch.
        profile: returns the seconds spent so far per dataset operation, for messages.
        interrupt: ends a hanging pipeline; called in a separate thread; may be slow.
    """

    def __init__(
        self,
        name: str,
        batches: Callable[[], Iterable[Batch]],
        *,
        capacity: int = 100,
        capacity_bytes: int = 2 << 30,
        columns: Sequence[str] = (),
        fixed: tuple[Spec, ...] | None = None,
        on_sent: Callable[[Batch], None] | None = None,
        profile: Callable[[], dict[str, float]] | None = None,
        interrupt: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self.columns = tuple(columns)
        self.required_specs = fixed
        # Whether to warn once if the shape changes: kernels that the host launches accept any
        # shape.
        self.warns_on_shape_change = False
        self._first_specs: tuple[Spec, ...] | None = None
        self.history = ChannelHistory(name, capacity, profile)
        self.on_origin: Callable[[Any], None] | None = None  # called with the origin of each batch
        self._capacity, self._capacity_bytes = capacity, capacity_bytes
        self._on_sent, self._interrupt = on_sent, interrupt
        self._queue: deque[Batch] = deque()
        self._queued_bytes = 0
        self._monitor = Monitor()
        self._has_ended = False
        self._pipeline_error: BaseException | None = None
        self._closed = Event()
        self._is_fully_closed = False  # close() has completed
        # Run by the sender thread, or batch by batch by take() if no thread can start.
        self._sending = self._send_batches(batches)
        self._sender: threading.Thread | None = None
        if process.can_start_threads():
            self._sender = threading.Thread(
                target=self._send_all, name=f"minispore-sender-{name}", daemon=True
            )
        _open_channels[name] = self
        if self._sender is not None:
            self._sender.start()

    # -- the sender's side ------------------------------------------------------------------------

    def _send_all(self) -> None:
        """Exhaust the generator that sends the batches; the body of the sender thread."""
        for _ in self._sending:
            pass

    def _send_batches(self, batches: Callable[[], Iterable[Batch]]) -> Generator[None]:
        """Run the pipeline and queue its batches; yields after each.

        An exception of the pipeline is stored; GetNext raises it on the device's side.
        """
        source = None
        try:
            source = faults.iterate_with_faults(batches(), self._closed.wait)
            start = time.monotonic()
            for batch in source:
                if self._closed.is_set():
                    return
                self.history.produced += 1
                self._check_dtypes(batch)
                self._enqueue(batch, time.monotonic() - start)
                yield
                start = time.monotonic()
        except GeneratorExit:
            raise
        except BaseException as exc:
            self._pipeline_error = exc
        finally:
            if source is not None:
                source.close()
            with self._monitor:
                self._has_ended = True
                self._monitor.notify_all()

    def _check_dtypes(self, batch: Batch) -> None:
        """Raise TypeError if a column of ``batch`` is not numeric, such as text."""
        for i, array in enumerate(batch.arrays):
            if array.dtype.kind not in "biufcV":
                column = self.columns[i] if i < len(self.columns) else i
                dtype_name = "string" if array.dtype.kind in "US" else str(array.dtype)
                raise TypeError(
                    f"Invalid datatype, cannot send {dtype_name} data to device: column "
                    f"{column!r}. Convert it to numbers with map(), or leave it out with project()."
                )

    def _enqueue(self, batch: Batch, pipeline_s: float) -> None:
        """Queue ``batch`` as soon as there is capacity, and call ``on_sent``; do nothing once the
        channel is closed.

        Args:
            batch: the batch.
            pipeline_s: the seconds that the pipeline took to make the batch.
        """
        nbytes = batch.nbytes
        with self._monitor:
            while not self._closed.is_set() and not self._has_capacity(nbytes):
                self._monitor.wait(SLICE_S)
            if self._closed.is_set():
                return
            self._queue.append(batch)
            self._queued_bytes += nbytes
            self.history.note_sent(pipeline_s)
            if self._on_sent is not None:
                self._on_sent(batch)
            self._monitor.notify_all()

    def _has_capacity(self, nbytes: int) -> bool:
        """Whether a batch of ``nbytes`` may be queued now; an empty queue accepts any size."""
        queued = len(self._queue)
        bytes_fit = self._queued_bytes + nbytes <= self._capacity_bytes
        return queued == 0 or (queued < self._capacity and bytes_fit)

    # -- the device's side ------------------------------------------------------------------------

    def take(self, timeout_s: float = 0.0) -> tuple[Batch, float]:
        """Return the next batch, and the seconds that the device waited for it.

        Also calls ``on_origin`` with the batch's origin.

        Args:
            timeout_s: the longest wait; 0 is no limit. A wait that can't end is reported
                immediately.

        Raises:
            GetNextError: the pipeline ended, failed or is too slow, the channel is closed, or the
                batch does not have the shape of the compiled program.
        """
        waited = 0.0
        if self._sender is None and not self._queue:
            waited = self._send_next(timeout_s)
        with self._monitor:
            if not self._queue:
                waited = self._wait_for_batch(timeout_s)
            batch = self._queue.popleft()
            self._queued_bytes -= batch.nbytes
            self.history.note_dequeued(len(self._queue), waited)
            self._monitor.notify_all()
        if self.required_specs is not None and batch.specs != self.required_specs:
            raise self._make_getnext_error(
                "shape",
                detail=_describe_spec_difference(self.columns, self.required_specs, batch.specs),
            )
        if self.warns_on_shape_change:
            self._warn_on_shape_change(batch.specs)
        if self.on_origin is not None:
            self.on_origin(batch.origin)
        return batch, waited

    def _warn_on_shape_change(self, specs: tuple[Spec, ...]) -> None:
        """Warn, at most once, if the shapes or dtypes of a batch differ from the first batch's.

        The first call records the specs.
        """
        if self._first_specs is None:
            self._first_specs = specs
        elif specs != self._first_specs:
            self.warns_on_shape_change = False
            detail = _describe_spec_difference(
                self.columns, self._first_specs, specs, "in the first batch"
            )
            warn(
                f"GetNext: the batches of a data sink should have one size, but {detail}. Real "
                "devices may refuse it: use batch(..., drop_remainder=True), or pad to one shape.",
            )

    def _wait_for_batch(self, timeout_s: float) -> float:
        """Wait until a batch is queued, and return the seconds that this took; the caller holds the
        monitor.

        Warns once after ``WARN_AFTER_S`` seconds.

        Raises:
            GetNextError: the channel is closed, the pipeline ended or failed, or the time has run
                out.
        """
        started = time.monotonic()
        limit_s = timeout_s or float("inf")
        has_warned = False
        while not self._queue:
            if self._closed.is_set():
                raise self._make_getnext_error("closed")
            if self._has_ended or self._sender is None or not self._sender.is_alive():
                raise self._make_getnext_error(
                    "failed" if self._pipeline_error else "exhausted"
                ) from self._pipeline_error
            waited = time.monotonic() - started
            if waited >= limit_s:
                raise self._make_getnext_error("timeout", waited_s=waited, limit_s=limit_s)
            if waited >= WARN_AFTER_S and not has_warned:
                has_warned = True
                warn(
                    f"GetNext has waited {waited:.0f} s for a batch of queue {self.name!r}: a slow "
                    "pipeline ends in a GetNext timeout. Optimise it, or raise op_timeout.",
                )
            self._monitor.wait(min(SLICE_S, limit_s - waited))
        return time.monotonic() - started

    def _make_getnext_error(self, case: str, **facts: Any) -> GetNextError:
        """Return the GetNextError that explains ``case``, a key of ``getnext._CASES``, with
        ``facts`` for its text.
        """
        with self._monitor:  # the sender adds to the history
            return GetNextError(explain(case, self.history, self._pipeline_error, **facts))

    def peek(self, timeout_s: float = 0.0) -> tuple[Spec, ...]:
        """Return the specs of the next batch, which stays queued; waits like :meth:`take`."""
        if self._sender is None and not self._queue:
            self._send_next(timeout_s)
        with self._monitor:
            if not self._queue:
                self._wait_for_batch(timeout_s)
            return self._queue[0].specs

    def _send_next(self, timeout_s: float) -> float:
        """Run the pipeline up to its next batch in this thread, if there is no sender thread.

        Returns:
            The seconds that this took.

        Raises:
            GetNextError: it took longer than ``timeout_s``; 0 is no limit.
        """
        started = time.monotonic()
        next(self._sending, None)
        waited = time.monotonic() - started
        if timeout_s and waited > timeout_s:
            raise self._make_getnext_error("timeout", waited_s=waited, limit_s=timeout_s)
        return waited

    # -- both -------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Return the number of queued batches."""
        return len(self._queue)

    @property
    def is_closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._closed.is_set()

    def close(self) -> None:
        """End the sender and empty the queue; calling it again does nothing.

        Waits at most ``JOIN_S`` seconds for a sender inside slow user code, which ends later.
        """
        if self._is_fully_closed:
            return
        self._closed.set()
        with self._monitor:
            self._queue.clear()
            self._monitor.notify_all()
        if _open_channels.get(self.name) is self:
            del _open_channels[self.name]
        if self._sender is None:
            self._sending.close()
        elif self._sender is not threading.current_thread():
            if self._sender.is_alive():  # false if the thread never started
                self._sender.join(JOIN_S)
            if self._sender.is_alive() and self._interrupt is not None:
                name = f"minispore-interrupt-{self.name}"
                threading.Thread(target=self._interrupt, name=name, daemon=True).start()
        # Set last: if Ctrl-C interrupts this method, the lease closes the channel again.
        self._is_fully_closed = True


class Lease:
    """Keeps a channel open until the lease is released or garbage-collected."""

    def __init__(self, channel: Channel) -> None:
        """Keep ``channel`` open; ``release()`` closes it."""
        self.channel = channel
        self.release = weakref.finalize(self, channel.close)


def _describe_spec_difference(
    columns: Sequence[str],
    expected: tuple[Spec, ...],
    actual: tuple[Spec, ...],
    expectation: str = "the program was compiled for",
) -> str:
    """Return a phrase that names the first column whose spec is not the expected one; "" if none.

    Args:
        columns: the names of the columns, if known.
        expected: the required spec of each column.
        actual: the specs of the batch.
        expectation: the text between the actual and the expected spec.
    """
    if len(expected) != len(actual):
        return f"the batch has {len(actual)} columns, the program takes {len(expected)}"
    for i, (expected_spec, actual_spec) in enumerate(zip(expected, actual, strict=True)):
        if expected_spec != actual_spec:
            column = columns[i] if i < len(columns) else i
            return f"column {column!r} is {actual_spec}, {expectation} {expected_spec}"
    return ""


_open_channels: dict[str, Channel] = {}


def find_channel(name: str) -> Channel | None:
    """Return the open channel with this queue name, or None."""
    return _open_channels.get(name)


def open_channels() -> list[Channel]:
    """Return all channels that are not closed."""
    return list(_open_channels.values())


__all__ = ["Batch", "Channel", "Lease", "find_channel", "open_channels"]
