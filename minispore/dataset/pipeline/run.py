"""Run: everything that lives as long as one iterator."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

from minispore.dataset.pipeline import random
from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.lanes import ALONE, JOIN_S, Lanes, Turn
from minispore.dataset.pipeline.node import ALONE_OPTIONS, Indexed, Node, Options, Pass, Stream
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.pipeline.statistics import Meter, NodeStatistics
from minispore.dataset.pipeline.workers import Function, Pool, method

Kept = TypeVar("Kept")


_AHEAD_BYTES = 256 << 20  # rows that wait for the consumer take about so much at most


class Run:
    """Everything that lives as long as one iterator: seed, threads, worker processes, statistics.

    Args:
        root: the node to run.
        seed: of shuffles and random transforms.
        options: how it works.
        passes: how many passes over the root are one epoch.
    """

    def __init__(
        self, root: Node, seed: Seed, options: Options = ALONE_OPTIONS, passes: int = 1
    ) -> None:
        self.root = root
        self._passes = passes
        self.seed = seed
        self.options = options
        self._nodes = _below(root)
        # Branches of one shape shuffle alike under a seed, as in MindSpore: zipped images and
        # labels stay together.
        self._places = {
            id(node): node.height if seed.chosen else i for i, node in enumerate(self._nodes)
        }
        self._meters: dict[int, Meter] = {}
        self._lanes: list[Lanes] = []
        self._closing: list[Callable[[], None]] = []
        self._pass_ends: list[Callable[[], None]] = []
        self._generators: list[Generator[Any, None, None]] = []
        self._kept: dict[int, Any] = {}
        self.lock = threading.RLock()
        self.closed = False
        try:
            if options.threads:
                for node in self._nodes:
                    node.prepare(self)
        except BaseException:
            self.close()
            raise

    def place(self, node: Node) -> int:
        """The number under which a node draws."""
        return self._places[id(node)]

    def generator(self, node: Node, number: int) -> random.Draws:
        """The stream of a node in one pass."""
        return random.draws(self.seed, self.options.workers, self.place(node), number)

    def epoch(self, node: Node, number: int) -> int:
        """The epoch of pass ``number`` of a node, which users' functions are told."""
        return number // self.passes(node)

    def passes(self, node: Node) -> int:
        """How many passes of a node are one epoch: the repeats above it but for those for ever."""
        return self._passes * self._in_one(node, lambda above: above.rounds or 1)

    def rows_each(self, node: Node) -> int:
        """How many rows of a node make one of the root: the sizes of the batches above it."""
        return self._in_one(node, lambda above: above.rows_each)

    def _in_one(self, node: Node, each: Callable[[Node], int]) -> int:
        """What of a node makes one of the root, if ``each`` of its children makes one of a node."""
        found = {id(self.root): 1}
        for above in reversed(self._nodes):
            for child in above.children:
                found[id(child)] = found[id(above)] * each(above)
        return found[id(node)]

    def meter(self, node: Node, name: str, workers: int = 1) -> Meter:
        """The meter of a node, under its latest name; passes share it."""
        meter = self._meters.setdefault(id(node), Meter(name, workers))
        meter.name = name
        return meter

    def statistics(self) -> tuple[NodeStatistics, ...]:
        """What each node did so far, sources first."""
        known = [self._meters[id(n)] for n in self._nodes if id(n) in self._meters]
        return tuple(meter.read() for meter in known)

    def keep(self, owner: object, make: Callable[[], Kept]) -> Kept:
        """What ``make`` gives for a node, or for its sampler, made once in this run."""
        with self.lock:
            if id(owner) not in self._kept:
                self._kept[id(owner)] = make()
            return self._kept[id(owner)]

    def lanes(
        self, pull: Callable, work: Callable, count: int, name: str, ahead: Callable
    ) -> Lanes:
        """Lanes that end with this run."""
        made = Lanes(pull, work, count if self.options.threads else 0, ahead, f"minispore-{name}")
        self._lanes.append(made)
        if self.closed:
            made.stop()
        return made

    def pool(
        self, name: str, function: Function, count: int, memory: tuple[int, int]
    ) -> Pool | None:
        """Worker processes that end with this run; None where threads must do."""
        start = method(self.options.start_method)
        if count < 2 or not self.options.threads or start is None:
            return None
        patience_s = self.options.patience_s
        made = Pool(name, function, count, self.seed, start, memory, patience_s)
        self.at_close(made.close)
        return made

    def at_close(self, call: Callable[[], None]) -> None:
        """Call it when the run ends."""
        self._closing.append(call)

    def at_pass_end(self, call: Callable[[], None]) -> None:
        """Call it whenever a pass over the root was read to its end."""
        self._pass_ends.append(call)

    @property
    def has_pass_ends(self) -> bool:
        """Whether somebody is called at the end of a pass."""
        return bool(self._pass_ends)

    def end_pass(self) -> None:
        """A pass over the root was read to its end."""
        for call in self._pass_ends:
            call()

    def until_close(self, rows: Generator[Kept, None, None]) -> Generator[Kept, None, None]:
        """The generator, closed with the run, so that a ``finally`` in users' code runs."""
        self._generators.append(rows)
        return rows

    def read(self, source: Pass, start: int = 0) -> Iterator[Block]:
        """The rows of a pass from row ``start`` on, in order, in blocks."""
        if isinstance(source, Stream):
            return _skip(source.blocks(), start)
        assert isinstance(source, Indexed)
        return self._read_indexed(source, start)

    def _read_indexed(self, source: Indexed, start: int) -> Iterator[Block]:
        chunks = Chunks(source, start, self.options.rows)
        lanes = self.lanes(
            chunks.__next__,
            chunks.fetch,
            source.lanes,
            "rows",
            lambda: self.ahead(source.lanes, chunks),
        )
        try:
            yield from lanes
        finally:
            self.release(lanes)

    def read_one_by_one(self, source: Pass) -> Iterator[Block]:
        """The rows of a pass, one a block, none made before it is asked for."""
        if isinstance(source, Indexed):
            at = 0
            while source.size is None or at < source.size:
                yield source.fetch(np.array([at]), ALONE)
                at += 1
        else:
            for block in self.read(source):
                for i in range(block.count):
                    yield block.cut(i, i + 1)
                if block.error is not None and not block.count:
                    yield block

    def ahead(self, lanes: int, chunks: Chunks | None) -> int:
        """How many chunks to prepare ahead of the consumer: some rows, but not too many bytes."""
        if chunks is None:
            return self.options.prefetch
        wanted = -(-self.options.prefetch // chunks.size)
        return max(lanes + 1, min(wanted, _AHEAD_BYTES // max(1, chunks.nbytes)))

    def release(self, lanes: Lanes) -> None:
        """End lanes that are no longer needed."""
        lanes.stop()
        lanes.join()
        if lanes in self._lanes:
            self._lanes.remove(lanes)

    def close(self) -> None:
        """End all threads and worker processes. Safe to call again."""
        self.closed = True  # Ctrl-C may come in between: what is not ended stays noted
        lanes = list(self._lanes)
        for one in lanes:
            one.stop()
        while self._closing:
            try:
                call = self._closing.pop()
            except IndexError:  # another thread has taken it
                break
            call()
        end = time.monotonic() + JOIN_S
        for one in lanes:
            one.join(end)
        self._lanes = []
        generators, self._generators = self._generators, []
        for rows in generators:
            with suppress(ValueError):  # users' code in it is still running, in a thread that ends
                rows.close()


class Chunks:
    """Cuts an indexed pass into runs of rows that take a few milliseconds and megabytes each.

    Small ones would cost more in handing over than in work; large ones would make the first row
    late and fill the cache.
    """

    _QUICK_NS, _SLOW_NS = 4_000_000, 16_000_000
    _SMALL_BYTES, _LARGE_BYTES = 1 << 20, 4 << 20
    ROWS = 4096  # source rows of a chunk, at most

    def __init__(self, source: Indexed, start: int, rows: int | None = None) -> None:
        self._source = source
        self._next = start
        self.nbytes = 0  # of the last chunk
        self.size = 1  # the first row soon, however slow
        self._most = max(1, (rows or self.ROWS) // source.weight)

    def __iter__(self) -> Chunks:
        return self

    def __next__(self) -> np.ndarray:
        start = self._next
        stop = start + self.size
        if self._source.size is not None:
            stop = min(stop, self._source.size)
        if start >= stop:
            raise StopIteration
        self._next = stop
        return np.arange(start, stop)

    def fetch(self, at: np.ndarray, turn: Turn = ALONE) -> Block:
        """Those rows; how quick and large they were decides how many come next."""
        start = time.perf_counter_ns()
        block = self._source.fetch(at, turn)
        took = time.perf_counter_ns() - start
        size = sum(c.nbytes for c in block.columns.values() if isinstance(c, np.ndarray))
        self.nbytes = size
        if took > self._SLOW_NS or size > self._LARGE_BYTES:
            self.size = max(1, len(at) // 2)
        elif took < self._QUICK_NS and size < self._SMALL_BYTES and len(at) >= self.size:
            self.size = min(self._most, 2 * len(at))
        return block


def _below(root: Node) -> list[Node]:
    """A node and all below it, each once, children first."""
    found: dict[int, Node] = {}

    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            found.setdefault(id(node), node)
        elif id(node) not in found:
            stack.append((node, True))
            stack += [(child, False) for child in reversed(node.children)]
    return list(found.values())


def _skip(blocks: Iterator[Block], start: int) -> Iterator[Block]:
    for block in blocks:
        if start >= block.count and block.error is None:
            start -= block.count
        elif start:
            cut, start = block.cut(min(start, block.count), block.count), 0
            yield cut
        else:
            yield block
