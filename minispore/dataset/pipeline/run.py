"""Run: the state of a pipeline that lives as long as one iterator."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any, Protocol, TypeVar

import numpy as np

from minispore.dataset.pipeline import random
from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.ordered_workers import JOIN_S, UNORDERED, OrderedWorkers, Ticket
from minispore.dataset.pipeline.passes import (
    SINGLE_THREAD_OPTIONS,
    Indexed,
    Options,
    Pass,
    Stream,
)
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.pipeline.statistics import Meter, NodeStatistics
from minispore.dataset.pipeline.workers import Function, ProcessPool, choose_start_method
from minispore.errors import warn
from minispore.foundation import process
from minispore.foundation.signals import HoldSignals

T = TypeVar("T")


@cache
def _warn_of_missing_processes() -> None:
    """Warn once that the calling thread does the work of worker processes."""
    warn(
        "dataset: this interpreter can't start processes, as in a browser: the rows are made one "
        "after the other, as with num_parallel_workers=1."
    )


_PREFETCH_BYTES = 256 << 20  # upper bound of the memory of prefetched rows


class RunNode(Protocol):
    """The part of :class:`minispore.dataset.pipeline.node.Node` that a run uses."""

    @property
    def children(self) -> Sequence[RunNode]: ...

    @property
    def height(self) -> int: ...

    @property
    def rounds(self) -> int | None: ...

    @property
    def rows_per_output(self) -> int: ...

    @property
    def endless(self) -> bool: ...

    def size(self) -> int | None: ...

    def prepare(self, run: Run) -> None: ...

    def open_pass(self, run: Run, number: int) -> Pass: ...


class Run:
    """One run of a pipeline for one iterator: its seed, threads, worker processes and statistics.

    Args:
        root: the node to run.
        seed: the seed of shuffles and random transforms.
        options: the settings.
        passes: the number of passes over the root in one epoch.
        owner: the run ends when this object is dropped, if it is not closed before.
    """

    def __init__(
        self,
        root: RunNode,
        seed: Seed,
        options: Options = SINGLE_THREAD_OPTIONS,
        passes: int = 1,
        owner: object = None,
    ) -> None:
        self.root = root
        self._root_passes = passes
        if options.threads and not process.can_start_threads():
            options = replace(options, threads=False)
        self.seed = seed
        self.options = options
        self._nodes = _list_nodes(root)
        # Nodes of equal height share a key under a seed, as in MindSpore: zipped images and
        # labels are shuffled alike.
        self._random_indices = {
            id(node): node.height if seed.chosen else i for i, node in enumerate(self._nodes)
        }
        self._meters: dict[int, Meter] = {}
        self._workers: list[OrderedWorkers] = []
        self._close_callbacks: list[Callable[[], None]] = []
        self._pass_end_callbacks: list[Callable[[], None]] = []
        self._generators: list[Generator[Any, None, None]] = []
        self._shared: dict[int, Any] = {}
        self.lock = threading.RLock()
        self.closed = False
        # Made before the threads and processes, so that Ctrl-C can't leave them without an owner.
        self._finalizer = None if owner is None else weakref.finalize(owner, self.close)
        try:
            if options.threads:
                for node in self._nodes:
                    node.prepare(self)
        except BaseException:
            self.close()
            raise

    def get_random_index(self, node: RunNode) -> int:
        """Return the integer from which a node's random keys are computed."""
        return self._random_indices[id(node)]

    def make_generator(self, node: RunNode, number: int) -> random.PassGenerator:
        """Make the random generator of a node in pass ``number``."""
        return random.make_pass_generator(
            self.seed, self.options.workers, self.get_random_index(node), number
        )

    def compute_epoch(self, node: RunNode, number: int) -> int:
        """Return the epoch of pass ``number`` of a node, as users' functions see it."""
        return number // self.count_passes_per_epoch(node)

    def count_passes_per_epoch(self, node: RunNode) -> int:
        """Return the number of passes of a node in an epoch, from the finite repeats above it."""
        return self._root_passes * self._multiply_from_root(node, lambda parent: parent.rounds or 1)

    def count_rows_per_output(self, node: RunNode) -> int:
        """Return how many rows of a node make one row of the root: the product of the batch sizes
        of the nodes between them.
        """
        return self._multiply_from_root(node, lambda parent: parent.rows_per_output)

    def _multiply_from_root(self, node: RunNode, factor: Callable[[RunNode], int]) -> int:
        """Return the product of ``factor`` of all nodes above ``node``, up to the root."""
        counts = {id(self.root): 1}
        for parent in reversed(self._nodes):
            for child in parent.children:
                counts[id(child)] = counts[id(parent)] * factor(parent)
        return counts[id(node)]

    def get_meter(self, node: RunNode, name: str, workers: int = 1) -> Meter:
        """Return the meter of a node, renamed to ``name``; all passes share it."""
        meter = self._meters.setdefault(id(node), Meter(name, workers))
        meter.name = name
        return meter

    def statistics(self) -> tuple[NodeStatistics, ...]:
        """Return the statistics of each node so far, sources first."""
        meters = [self._meters[id(n)] for n in self._nodes if id(n) in self._meters]
        return tuple(meter.read() for meter in meters)

    def get_or_make(self, owner: object, make: Callable[[], T]) -> T:
        """Return the object of ``owner`` in this run; ``make`` creates it at the first call."""
        with self.lock:
            if id(owner) not in self._shared:
                self._shared[id(owner)] = make()
            return self._shared[id(owner)]

    def make_workers(
        self, pull: Callable, work: Callable, count: int, name: str, max_results: Callable
    ) -> OrderedWorkers:
        """Return workers whose threads end with this run; if threads are off, the caller works.

        The threads start when the first result is taken.
        """
        workers = OrderedWorkers(
            pull, work, count if self.options.threads else 0, max_results, f"minispore-{name}"
        )
        self._workers.append(workers)
        if self.closed:
            workers.stop()
        return workers

    def make_pool(
        self, name: str, function: Function, count: int, memory: tuple[int, int]
    ) -> ProcessPool | None:
        """Make worker processes that end with this run; None if threads must do the work.

        They must if fewer than two processes are asked for, the run has no threads, or processes
        can't start.

        Warns once if this interpreter can't start processes at all.
        """
        start_method = choose_start_method(self.options.start_method)
        if count > 1 and not process.can_start_threads():
            _warn_of_missing_processes()
        if count < 2 or not self.options.threads or start_method is None:
            return None
        patience_s = self.options.patience_s
        with HoldSignals():  # on Ctrl-C the run can end only processes that it knows
            pool = ProcessPool(name, function, count, self.seed, start_method, memory, patience_s)
            self.register_close_callback(pool.close)
        return pool

    def register_close_callback(self, call: Callable[[], None]) -> None:
        """Register a function to call when the run ends."""
        self._close_callbacks.append(call)

    def register_pass_end_callback(self, call: Callable[[], None]) -> None:
        """Register a function to call whenever a pass over the root has been read to its end."""
        self._pass_end_callbacks.append(call)

    @property
    def has_pass_end_callbacks(self) -> bool:
        """Whether functions are registered for the end of a pass."""
        return bool(self._pass_end_callbacks)

    def end_pass(self) -> None:
        """Call the functions registered for the end of a pass over the root."""
        for call in self._pass_end_callbacks:
            call()

    def close_at_end(self, rows: Generator[T, None, None]) -> Generator[T, None, None]:
        """Register a generator to be closed with the run, and return it.

        This runs the ``finally`` clauses of users' generators.
        """
        self._generators.append(rows)
        return rows

    def read_blocks(self, source: Pass, start: int = 0) -> Iterator[Block]:
        """Return an iterator over the blocks of a pass from row ``start`` on, in order."""
        if isinstance(source, Stream):
            return _skip_rows(source.iterate_blocks(), start)
        assert isinstance(source, Indexed)
        return self._read_indexed(source, start)

    def _read_indexed(self, source: Indexed, start: int) -> Iterator[Block]:
        """Yield the blocks of an indexed pass, fetched by threads that end with the generator."""
        chunks = Chunks(source, start, self.options.rows)
        workers = self.make_workers(
            chunks.__next__,
            chunks.fetch_rows,
            source.max_threads,
            "rows",
            lambda: self.count_prefetched_chunks(source.max_threads, chunks),
        )
        try:
            yield from workers
        finally:
            self.end_workers(workers)

    def read_one_by_one(self, source: Pass) -> Iterator[Block]:
        """Yield the rows of a pass on demand, one row per block; a failed row is an empty block.

        The empty block carries the error, after which the caller must stop.
        """
        if isinstance(source, Indexed):
            position = 0
            while source.size is None or position < source.size:
                yield source.fetch_rows(np.array([position]), UNORDERED)
                position += 1
        else:
            for block in self.read_blocks(source):
                for i in range(block.count):
                    yield block.slice_rows(i, i + 1)
                if block.error is not None and not block.count:
                    yield block

    def count_prefetched_chunks(self, thread_count: int, chunks: Chunks | None) -> int:
        """Return how many chunks to prefetch: ``prefetch`` rows within ``_PREFETCH_BYTES``.

        At least one chunk more than there are threads. For a stream, which has no chunks, it is a
        number of blocks.
        """
        if chunks is None:
            return self.options.prefetch
        chunk_count = -(-self.options.prefetch // chunks.size)
        return max(thread_count + 1, min(chunk_count, _PREFETCH_BYTES // max(1, chunks.nbytes)))

    def end_workers(self, workers: OrderedWorkers) -> None:
        """Stop the threads of ``workers``, wait for them, and drop them from the run."""
        workers.stop()
        workers.join()
        if workers in self._workers:
            self._workers.remove(workers)

    def close(self) -> None:
        """Stop all threads and worker processes, and close the registered generators.

        Safe to call again.
        """
        self.closed = True  # if Ctrl-C comes in between, the rest stays registered
        worker_groups = list(self._workers)
        for workers in worker_groups:
            workers.stop()
        while self._close_callbacks:
            try:
                call = self._close_callbacks.pop()
            except IndexError:  # another thread has taken the last one
                break
            call()
        deadline = time.monotonic() + JOIN_S
        for workers in worker_groups:
            workers.join(deadline)
        self._workers = []
        generators, self._generators = self._generators, []
        for rows in generators:
            with suppress(ValueError):  # it is running in a thread that is about to end
                rows.close()
        if self._finalizer is not None:
            self._finalizer.detach()


class Chunks:
    """Cuts an indexed pass into chunks of rows that take a few milliseconds and megabytes each.

    Small chunks would cost more in synchronization than in work; large ones would delay the first
    row and overflow the cache.
    """

    _QUICK_NS, _SLOW_NS = 4_000_000, 16_000_000
    _SMALL_BYTES, _LARGE_BYTES = 1 << 20, 4 << 20
    ROWS = 4096  # maximum number of source rows in a chunk

    def __init__(self, source: Indexed, start: int, rows: int | None = None) -> None:
        self._source = source
        self._next_row = start
        self.nbytes = 0  # size of the last chunk
        self.size = 1  # begin with one row, so that it is ready soon
        self._max_size = max(1, (rows or self.ROWS) // source.weight)

    def __iter__(self) -> Chunks:
        return self

    def __next__(self) -> np.ndarray:
        """Return the row numbers of the next chunk, with the current chunk size."""
        start = self._next_row
        stop = start + self.size
        if self._source.size is not None:
            stop = min(stop, self._source.size)
        if start >= stop:
            raise StopIteration
        self._next_row = stop
        return np.arange(start, stop)

    def fetch_rows(self, positions: np.ndarray, ticket: Ticket = UNORDERED) -> Block:
        """Fetch the rows at ``positions``, and adapt the chunk size to their time and bytes."""
        start = time.perf_counter_ns()
        block = self._source.fetch_rows(positions, ticket)
        elapsed = time.perf_counter_ns() - start
        size = sum(c.nbytes for c in block.columns.values() if isinstance(c, np.ndarray))
        self.nbytes = size
        if elapsed > self._SLOW_NS or size > self._LARGE_BYTES:
            self.size = max(1, len(positions) // 2)
        elif elapsed < self._QUICK_NS and size < self._SMALL_BYTES and len(positions) >= self.size:
            self.size = min(self._max_size, 2 * len(positions))
        return block


def _list_nodes(root: RunNode) -> list[RunNode]:
    """Return a node and all nodes below it, each once, children first."""
    ordered: dict[int, RunNode] = {}

    stack: list[tuple[RunNode, bool]] = [(root, False)]
    while stack:
        node, has_children_listed = stack.pop()
        if has_children_listed:
            ordered.setdefault(id(node), node)
        elif id(node) not in ordered:
            stack.append((node, True))
            stack += [(child, False) for child in reversed(node.children)]
    return list(ordered.values())


def _skip_rows(blocks: Iterator[Block], start: int) -> Iterator[Block]:
    """Yield the blocks without their first ``start`` rows, but with the error of a skipped row."""
    for block in blocks:
        if start >= block.count and block.error is None:
            start -= block.count
        elif start:
            rest, start = block.slice_rows(min(start, block.count), block.count), 0
            yield rest
        else:
            yield block
