"""The channel: batches on their way from a pipeline to GetNext.

A sender thread runs the pipeline and fills a bounded queue; the device takes batches out of it in
the calling thread. The bound is in batches and in bytes; a full queue holds the sender up
(back-pressure). Whichever side ends or fails wakes the other at once:

* the pipeline ended: batches still in the queue are handed out, then GetNext is told so at once;
* the pipeline failed: the same, and its exception is the cause of what GetNext raises;
* the device failed, or nobody wants more: :meth:`Channel.close` wakes the sender, and it leaves.

No wait is longer than a short slice at a time, so Ctrl-C gets through on every system.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from minispore.core.threads.monitor import Event, Monitor
from minispore.core.value import Spec
from minispore.device import faults
from minispore.device.getnext import Evidence, explain
from minispore.errors import GetNextError, warn

SLICE_S = 0.1  # the longest single wait
JOIN_S = 0.3  # how long close() waits for the user's pipeline code to come to an end
WARN_AFTER_S = 25.0  # MindSpore warns of a slow pipeline after as long


class Batch:
    """One batch, with what its maker knows about it.

    Attributes:
        arrays: its columns.
        origin: pass and rows; the channel only hands it on.
        specs: shape and dtype of each column.
        nbytes: bytes of all columns.
    """

    __slots__ = ("arrays", "nbytes", "origin", "specs")

    def __init__(self, arrays: tuple[np.ndarray, ...], origin: Any = None) -> None:
        self.arrays, self.origin = arrays, origin
        # Told here, by the thread that makes the batch: the device asks at each step.
        self.specs = tuple([Spec(a.shape, a.dtype) for a in arrays])
        self.nbytes = sum([a.nbytes for a in arrays])


class Channel:
    """A bounded queue between one run of a pipeline and the device.

    Args:
        name: the queue name that GetNext asks for.
        batches: makes the pipeline's batches; called in the sender thread.
        capacity: how many batches may wait in the queue.
        capacity_bytes: how many bytes may wait; a batch beyond it travels alone.
        columns: names of the columns, for messages.
        fixed: the one shape and dtype per column that the device's program was compiled for.
        on_sent: called in the sender thread with each batch that is in the queue.
        profile: seconds spent per dataset operation so far, for messages.
        interrupt: ends the pipeline from another thread, where it hangs; may take its time.
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
        self.fixed = fixed
        # Kernels sent one by one take batches of any shape, after a warning if this is set.
        self.uniform = False
        self._first: tuple[Spec, ...] | None = None
        self.evidence = Evidence(name, capacity, profile)
        self.origins: Callable[[Any], None] | None = None  # a ledger that wants to know
        self._capacity, self._capacity_bytes = capacity, capacity_bytes
        self._on_sent, self._interrupt = on_sent, interrupt
        self._queue: deque[Batch] = deque()
        self._queued_bytes = 0
        self._changed = Monitor()
        self._ended = False
        self._failure: BaseException | None = None
        self._closed = Event()
        self._done = False  # all that close() does
        self._sender = threading.Thread(
            target=self._send, args=(batches,), name=f"minispore-sender-{name}", daemon=True
        )
        _open[name] = self
        self._sender.start()

    # -- the sender's side ------------------------------------------------------------------------

    def _send(self, batches: Callable[[], Iterable[Batch]]) -> None:
        source = None
        try:
            source = faults.producing(batches(), self._closed.wait)
            begun = time.monotonic()
            for batch in source:
                if self._closed.is_set():
                    return
                self.evidence.produced += 1
                self._check(batch)
                self._put(batch, time.monotonic() - begun)
                begun = time.monotonic()
        except BaseException as exc:
            self._failure = exc
        finally:
            if source is not None:
                source.close()
            with self._changed:
                self._ended = True
                self._changed.notify_all()

    def _check(self, batch: Batch) -> None:
        for i, array in enumerate(batch.arrays):
            if array.dtype.kind not in "biufcV":
                column = self.columns[i] if i < len(self.columns) else i
                kind = "string" if array.dtype.kind in "US" else str(array.dtype)
                raise TypeError(
                    f"Invalid datatype, cannot send {kind} data to device: column {column!r}. "
                    "Convert it to numbers with map(), or leave it out with project()."
                )

    def _put(self, batch: Batch, took_s: float) -> None:
        nbytes = batch.nbytes
        with self._changed:
            while not self._closed.is_set() and not self._fits(nbytes):
                self._changed.wait(SLICE_S)
            if self._closed.is_set():
                return
            self._queue.append(batch)
            self._queued_bytes += nbytes
            self.evidence.note_sent(took_s)
            if self._on_sent is not None:
                self._on_sent(batch)
            self._changed.notify_all()

    def _fits(self, nbytes: int) -> bool:
        queued = len(self._queue)
        room = self._queued_bytes + nbytes <= self._capacity_bytes
        return queued == 0 or (queued < self._capacity and room)

    # -- the device's side ------------------------------------------------------------------------

    def take(self, timeout_s: float = 0.0) -> tuple[Batch, float]:
        """The next batch, and how many seconds it was waited for.

        Args:
            timeout_s: the longest wait; 0 is no limit. A wait that can't end is reported at once.

        Raises:
            GetNextError: the pipeline ended, failed or is too slow, the channel is closed, or the
                batch has another shape than the compiled program.
        """
        waited = 0.0
        with self._changed:
            if not self._queue:
                waited = self._wait(timeout_s)
            batch = self._queue.popleft()
            self._queued_bytes -= batch.nbytes
            self.evidence.note_taken(len(self._queue), waited)
            self._changed.notify_all()
        if self.fixed is not None and batch.specs != self.fixed:
            raise self._error("shape", detail=_difference(self.columns, self.fixed, batch.specs))
        if self.uniform:
            self._compare(batch.specs)
        if self.origins is not None:
            self.origins(batch.origin)
        return batch, waited

    def _compare(self, specs: tuple[Spec, ...]) -> None:
        """Warn once of a batch that differs in shape from the first."""
        if self._first is None:
            self._first = specs
        elif specs != self._first:
            self.uniform = False
            detail = _difference(self.columns, self._first, specs, "in the first batch")
            warn(
                f"GetNext: the batches of a data sink should have one size, but {detail}. Real "
                "devices may refuse it: use batch(..., drop_remainder=True), or pad to one shape.",
            )

    def _wait(self, timeout_s: float) -> float:
        started = time.monotonic()
        limit = timeout_s or float("inf")
        warned = False
        while not self._queue:
            if self._closed.is_set():
                raise self._error("closed")
            if self._ended or not self._sender.is_alive():
                raise self._error("failed" if self._failure else "exhausted") from self._failure
            waited = time.monotonic() - started
            if waited >= limit:
                raise self._error("timeout", waited_s=waited, limit_s=limit)
            if waited >= WARN_AFTER_S and not warned:
                warned = True
                warn(
                    f"GetNext has waited {waited:.0f} s for a batch of queue {self.name!r}: a slow "
                    "pipeline ends in a GetNext timeout. Optimise it, or raise op_timeout.",
                )
            self._changed.wait(min(SLICE_S, limit - waited))
        return time.monotonic() - started

    def _error(self, case: str, **facts: Any) -> GetNextError:
        return GetNextError(explain(case, self.evidence, self._failure, **facts))

    def peek(self, timeout_s: float = 0.0) -> tuple[Spec, ...]:
        """Shape and dtype of the next batch, which stays in the queue; waits as :meth:`take`."""
        with self._changed:
            if not self._queue:
                self._wait(timeout_s)
            return self._queue[0].specs

    # -- both -------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """How many batches wait in the queue."""
        return len(self._queue)

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._closed.is_set()

    def close(self) -> None:
        """Let the sender leave and forget what is in the queue; calling it again does nothing.

        Nobody waits long for a sender that is inside slow user code: it leaves when that returns.
        """
        if self._done:
            return
        self._closed.set()
        with self._changed:
            self._queue.clear()
            self._changed.notify_all()
        if _open.get(self.name) is self:
            del _open[self.name]
        if self._sender is not threading.current_thread():
            if self._sender.is_alive():  # or it never began
                self._sender.join(JOIN_S)
            if self._sender.is_alive() and self._interrupt is not None:
                name = f"minispore-interrupt-{self.name}"
                threading.Thread(target=self._interrupt, name=name, daemon=True).start()
        self._done = True  # not before: Ctrl-C may have come, and the last holder closes it again


class Lease:
    """Keeps a channel open: it is closed when the last holder of the lease is gone."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.release = weakref.finalize(self, channel.close)


def _difference(
    columns: Sequence[str],
    want: tuple[Spec, ...],
    got: tuple[Spec, ...],
    by: str = "the program was compiled for",
) -> str:
    if len(want) != len(got):
        return f"the batch has {len(got)} columns, the program takes {len(want)}"
    for i, (w, g) in enumerate(zip(want, got, strict=True)):
        if w != g:
            column = columns[i] if i < len(columns) else i
            return f"column {column!r} is {g}, {by} {w}"
    return ""


_open: dict[str, Channel] = {}


def find(name: str) -> Channel | None:
    """The open channel of a queue name."""
    return _open.get(name)


def open_channels() -> list[Channel]:
    """All channels that are not closed."""
    return list(_open.values())


__all__ = ["Batch", "Channel", "Lease", "find", "open_channels"]
