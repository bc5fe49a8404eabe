"""Feed: the rows of consecutive passes over a node, one after the other, prepared ahead."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.lanes import Lanes, Turn
from minispore.dataset.pipeline.node import Indexed
from minispore.dataset.pipeline.run import Chunks, Run
from minispore.dataset.pipeline.statistics import PipelineStatistics


@dataclass(frozen=True)
class _Work:
    """Something to do for a pass: rows to fetch, a block to hand on, or (neither) its end."""

    number: int
    chunks: Chunks | None = None
    at: np.ndarray | None = None
    block: Block | None = None


watchers: list[Callable[[Feed], None]] = []  # told of every new feed (the profiler)


class Feed:
    """Rows of the passes ``first``, ``first + 1``, ... of a run's root.

    Args:
        run: closed with the feed.
        passes: how many; None for no end.
        first: the number of the first.
        start: the row of the first pass to start with.

    :meth:`next` gives a row, None at the end of each pass, and raises StopIteration after the last
    one.
    """

    def __init__(self, run: Run, passes: int | None, first: int, start: int) -> None:
        self.run = run
        self.number, self.position = first, start  # of the row that comes next
        self.rows: np.ndarray | None = None  # the source rows of the row that came last, if traced
        self._last = None if passes is None else first + passes
        self._lanes: Lanes[_Work, tuple[int, Block | None]] | None = None
        self._block: Block | None = None
        self._index: int  # in the block, of the row that comes next
        self._failure: BaseException | None = None
        self._gets = self._waited_ns = 0
        self._filled = 0.0
        for watch in watchers:
            watch(self)

    def next(self) -> tuple[Any, ...] | None:
        """The values of the next row, None where a pass ends.

        Raises:
            StopIteration: the last pass has ended, or the feed is closed.
        """
        while True:
            block = self._block
            if block is not None:
                if self._index < block.count:
                    index = self._index
                    self._index += 1
                    self.position += 1
                    if block.rows is not None:
                        self.rows = block.rows[index]
                    return block.row(index)
                if block.error is not None:
                    self.fail(block.error)
            if self._failure is not None:
                raise self._failure
            number, self._block = self._take()
            self._index = 0
            if self._block is None:
                self.number, self.position = number + 1, 0
                if self.number == self._last:
                    self.close()
                return None

    def fail(self, error: BaseException) -> None:
        """End the feed with an error, which every further call raises."""
        self._failure, self._block = error, None
        self.close()
        raise error

    def finish_pass(self) -> None:
        """See the pass to its end if all its rows came, so that who waits for that is called."""
        run = self.run
        waited_for = run.has_pass_ends and not run.closed and not run.root.endless
        if waited_for and self.position == run.root.size():
            self.next()

    def close(self) -> None:
        """End all threads and worker processes."""
        self.run.close()

    @property
    def ended(self) -> bool:
        """Whether the last pass has ended."""
        return self.number == self._last

    def statistics(self) -> PipelineStatistics:
        """What each operation did so far, and how full the queue was."""
        lanes = self._lanes
        return PipelineStatistics(
            nodes=self.run.statistics(),
            queue_capacity=lanes.capacity if lanes else 0,
            queue_size=lanes.filled if lanes else 0,
            queue_fill=self._filled / self._gets if self._gets else 0.0,
            gets=self._gets,
            waited_ns=self._waited_ns,
        )

    def _take(self) -> tuple[int, Block | None]:
        if self.ended or self.run.closed:
            raise StopIteration
        start = time.perf_counter_ns()
        try:
            if self._lanes is None:
                self._lanes = self._open()
            self._gets += 1
            self._filled += min(1.0, self._lanes.filled / self._lanes.capacity)
            return next(self._lanes)
        except StopIteration:
            raise
        except BaseException as exc:
            self.fail(exc)
            raise
        finally:
            self._waited_ns += time.perf_counter_ns() - start

    def _open(self) -> Lanes[_Work, tuple[int, Block | None]]:
        run, number, position = self.run, self.number, self.position
        source = run.root.open(run, number)  # in the caller's thread: what is wrong is said at once
        count = source.lanes if isinstance(source, Indexed) else 1
        plan = run.until_close(self._plan(source, number, position))
        latest: list[Chunks] = []

        def pull() -> _Work:
            work = next(plan)
            if work.chunks is not None:
                latest[:] = [work.chunks]
            return work

        def ahead() -> int:
            return run.ahead(count, latest[0] if latest else None)

        return run.lanes(pull, _do, count, "rows", ahead)

    def _plan(self, source: Any, number: int, start: int) -> Generator[_Work, None, None]:
        while True:
            if isinstance(source, Indexed):
                chunks = Chunks(source, start, self.run.options.rows)
                for at in chunks:
                    yield _Work(number, chunks, at)
            else:
                for block in self.run.read(source, start):
                    yield _Work(number, block=block)
                    if block.error is not None:
                        return
            self.run.end_pass()
            yield _Work(number)
            number, start = number + 1, 0
            if number == self._last:
                return
            source = self.run.root.open(self.run, number)


def _do(work: _Work, turn: Turn) -> tuple[int, Block | None]:
    if work.chunks is None or work.at is None:
        return work.number, work.block
    return work.number, work.chunks.fetch(work.at, turn)
