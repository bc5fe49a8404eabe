"""Feed: iterates over the rows of consecutive passes over a node, prefetched by threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.ordered_workers import OrderedWorkers, Ticket
from minispore.dataset.pipeline.passes import Indexed
from minispore.dataset.pipeline.run import Chunks, Run
from minispore.dataset.pipeline.statistics import PipelineStatistics


@dataclass(frozen=True)
class _FeedTask:
    """One task of a feed: rows to fetch, a block to pass on, or with neither, the end of a pass."""

    number: int
    chunks: Chunks | None = None
    positions: np.ndarray | None = None
    block: Block | None = None


feed_watchers: list[Callable[[Feed], None]] = []  # called with every new feed (by the profiler)


class Feed:
    """An iterator over the rows of the passes ``first``, ``first + 1``, ... of a run's root.

    Args:
        run: the run, which is closed with the feed.
        passes: the number of passes; None for no limit.
        first: the number of the first pass.
        start: the row of the first pass to start with.

    :meth:`next` returns a row, None at the end of each pass, and raises StopIteration after the
    last pass.
    """

    def __init__(self, run: Run, passes: int | None, first: int, start: int) -> None:
        self.run = run
        self.number, self.position = first, start  # pass and row number of the next row
        self.source_rows: np.ndarray | None = None  # the source rows of the latest row, if traced
        self._last = None if passes is None else first + passes
        self._workers: OrderedWorkers[_FeedTask, tuple[int, Block | None]] | None = None
        self._block: Block | None = None
        self._index: int  # of the next row in the block
        self._failure: BaseException | None = None
        self._gets = self._waited_ns = 0
        self._fill_sum = 0.0
        for watch in feed_watchers:
            watch(self)

    def next(self) -> tuple[Any, ...] | None:
        """Return the values of the next row, or None at the end of a pass.

        The error of a failed row closes the feed; this call and all later calls raise it.

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
                    if block.source_rows is not None:
                        self.source_rows = block.source_rows[index]
                    return block.row(index)
                if block.error is not None:
                    self.fail(block.error)
            if self._failure is not None:
                raise self._failure
            number, self._block = self._take_block()
            self._index = 0
            if self._block is None:
                self.number, self.position = number + 1, 0
                if self.number == self._last:
                    self.close()
                return None

    def fail(self, error: BaseException) -> None:
        """End the feed with an error, which this call and all later calls raise."""
        self._failure, self._block = error, None
        self.close()
        raise error

    def finish_pass(self) -> None:
        """Read the end of a pass if its last row was read and functions are registered for the end.

        For a consumer that counts rows and does not call :meth:`next` once more.
        """
        run = self.run
        must_reach_end = run.has_pass_end_callbacks and not run.closed and not run.root.endless
        if must_reach_end and self.position == run.root.size():
            self.next()

    def close(self) -> None:
        """Stop all threads and worker processes."""
        self.run.close()

    @property
    def is_finished(self) -> bool:
        """Whether the last pass has ended."""
        return self.number == self._last

    def statistics(self) -> PipelineStatistics:
        """Return the statistics of each operation and the fill of the queue so far."""
        workers = self._workers
        return PipelineStatistics(
            nodes=self.run.statistics(),
            queue_capacity=workers.capacity if workers else 0,
            queue_size=workers.result_count if workers else 0,
            queue_fill=self._fill_sum / self._gets if self._gets else 0.0,
            gets=self._gets,
            waited_ns=self._waited_ns,
        )

    def _take_block(self) -> tuple[int, Block | None]:
        """Return the number of the current pass and its next block, None at the end of the pass.

        Starts the workers at the first call, measures the time it waits, and ends the feed on
        an error.

        Raises:
            StopIteration: the feed has ended or is closed.
        """
        if self.is_finished or self.run.closed:
            raise StopIteration
        start = time.perf_counter_ns()
        try:
            if self._workers is None:
                self._workers = self._start_workers()
            self._gets += 1
            self._fill_sum += min(1.0, self._workers.result_count / self._workers.capacity)
            return next(self._workers)
        except StopIteration:
            raise
        except BaseException as exc:
            self.fail(exc)
            raise
        finally:
            self._waited_ns += time.perf_counter_ns() - start

    def _start_workers(self) -> OrderedWorkers[_FeedTask, tuple[int, Block | None]]:
        """Return the workers that prepare blocks from the current position on.

        Their threads start when the first block is taken. The root is opened in the caller's
        thread, so that setup errors are raised at once.
        """
        run, number, position = self.run, self.number, self.position
        source = run.root.open_pass(
            run, number
        )  # in the caller's thread, which raises setup errors
        count = source.max_threads if isinstance(source, Indexed) else 1
        tasks = run.close_at_end(self._plan_tasks(source, number, position))
        latest_chunks: list[Chunks] = []

        def pull_task() -> _FeedTask:
            """Return the next task, and remember its chunks, if it has any, as the latest."""
            task = next(tasks)
            if task.chunks is not None:
                latest_chunks[:] = [task.chunks]
            return task

        def count_prefetched() -> int:
            """Return how many tasks to prefetch, from the size of the latest chunks."""
            return run.count_prefetched_chunks(count, latest_chunks[0] if latest_chunks else None)

        return run.make_workers(pull_task, _run_task, count, "rows", count_prefetched)

    def _plan_tasks(self, source: Any, number: int, start: int) -> Generator[_FeedTask, None, None]:
        """Yield the tasks of pass ``number`` from row ``start`` on, and of all passes after it.

        At the end of each pass, call the functions that the run has registered for it.
        """
        while True:
            if isinstance(source, Indexed):
                chunks = Chunks(source, start, self.run.options.rows)
                for positions in chunks:
                    yield _FeedTask(number, chunks, positions)
            else:
                for block in self.run.read_blocks(source, start):
                    yield _FeedTask(number, block=block)
                    if block.error is not None:
                        return
            self.run.end_pass()
            yield _FeedTask(number)
            number, start = number + 1, 0
            if number == self._last:
                return
            source = self.run.root.open_pass(self.run, number)


def _run_task(task: _FeedTask, ticket: Ticket) -> tuple[int, Block | None]:
    """Fetch the rows of a task, and return its pass number and block, None at the end of a pass."""
    if task.chunks is None or task.positions is None:
        return task.number, task.block
    return task.number, task.chunks.fetch_rows(task.positions, ticket)
