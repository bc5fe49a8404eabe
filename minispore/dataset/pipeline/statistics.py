"""Statistics of a running pipeline: rows and time of each operation, and the fill of its queue."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class NodeStatistics:
    """One operation of a pipeline.

    Attributes:
        name: the operation, with its transforms.
        rows: the number of rows (batches, after ``batch``) that it produced.
        self_ns: time spent in it, without the operations below it; summed over its workers.
        workers: how many workers it may use.
    """

    name: str
    rows: int
    self_ns: int
    workers: int

    @property
    def us_per_row(self) -> float:
        """Microseconds of work per row, summed over the workers; 0 without rows."""
        return self.self_ns / 1e3 / self.rows if self.rows else 0.0


@dataclass(frozen=True)
class PipelineStatistics:
    """A snapshot of a pipeline.

    Attributes:
        nodes: each operation, from the sources to the root.
        queue_capacity: how many items may wait for the consumer.
        queue_size: how many items are waiting.
        queue_fill: how full the queue was when the consumer read from it, on average, from 0 to 1.
            Near 0, the pipeline is the bottleneck; near 1, it is not.
        gets: how many times the consumer read from the queue.
        waited_ns: how long the consumer waited in total.
    """

    nodes: tuple[NodeStatistics, ...]
    queue_capacity: int
    queue_size: int
    queue_fill: float
    gets: int
    waited_ns: int

    @property
    def slowest(self) -> NodeStatistics | None:
        """The operation with the most time per worker; None without operations."""
        return max(self.nodes, key=lambda n: n.self_ns / n.workers, default=None)

    @property
    def slowest_share(self) -> float:
        """The slowest operation's share of the time per worker of all operations, from 0 to 1."""
        slowest, total = self.slowest, sum(n.self_ns / n.workers for n in self.nodes)
        return slowest.self_ns / slowest.workers / total if slowest and total else 0.0


class Meter:
    """Collects the rows and the time of one operation; any thread may add."""

    def __init__(self, name: str, workers: int = 1) -> None:
        self.name = name
        self.workers = workers
        self._rows = self._self_ns = 0
        self._lock = threading.Lock()

    def add(self, rows: int, self_ns: int) -> None:
        """Count ``rows`` that took ``self_ns``."""
        with self._lock:
            self._rows += rows
            self._self_ns += self_ns

    @contextmanager
    def time(self, rows: int) -> Iterator[None]:
        """Return a context that counts ``rows`` and the time spent in it."""
        start = time.perf_counter_ns()
        try:
            yield
        finally:
            self.add(rows, time.perf_counter_ns() - start)

    def read(self) -> NodeStatistics:
        """Return the statistics of the operation: the rows and the time so far."""
        with self._lock:
            return NodeStatistics(self.name, self._rows, self._self_ns, self.workers)
