"""How a run cuts its rows, how far it works ahead, and what its meters say."""

from __future__ import annotations

from time import monotonic
from typing import Any

import numpy as np
import pytest

from minispore.dataset.iterator import start_run
from minispore.dataset.pipeline import run as run_room
from minispore.dataset.pipeline.block import Block
from minispore.dataset.pipeline.ordered_workers import Ticket
from minispore.dataset.pipeline.passes import Indexed, Options
from minispore.dataset.pipeline.random import Seed
from minispore.dataset.pipeline.run import Chunks, Run
from minispore.dataset.pipeline.statistics import Meter, NodeStatistics, PipelineStatistics
from tests.dataset.conftest import counted, rows

MS = 1_000_000
MB = 1 << 20


class Clock:
    """A time that stands still until rows are fetched."""

    def __init__(self) -> None:
        self.now = 0

    def perf_counter_ns(self) -> int:
        return self.now

    def monotonic(self) -> float:
        return monotonic()  # for runs of others that end meanwhile


class Source(Indexed):
    """Rows that take a time and a size."""

    def __init__(self, clock: Clock, size: int | None = None, weight: int = 1) -> None:
        self.clock, self.size, self.weight = clock, size, weight
        self.took_ns = self.nbytes = 0

    def fetch_rows(self, at: np.ndarray, turn: Ticket) -> Block:
        self.clock.now += self.took_ns
        column = np.zeros(self.nbytes, np.uint8)
        return Block({"x": column, "text": ["a"] * len(at)}, len(at))


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Source:
    clock = Clock()
    monkeypatch.setattr(run_room, "time", clock)
    return Source(clock)


def sizes(chunks: Chunks, count: int) -> list[int]:
    """How many rows the next chunks have."""
    results = []
    for _ in range(count):
        at = next(chunks)
        chunks.fetch_rows(at)
        results.append(len(at))
    return results


def test_chunks_of_quick_small_rows_double_up_to_4096(source: Source) -> None:
    assert sizes(Chunks(source, 0), 15) == [*(2**i for i in range(13)), 4096, 4096]


@pytest.mark.parametrize(("weight", "most"), [(1000, 4), (4096, 1), (4097, 1), (10**6, 1)])
def test_what_makes_one_row_of_many_has_smaller_chunks(source, weight, most) -> None:
    source.weight = weight
    assert max(sizes(Chunks(source, 0), 9)) == most


def test_the_rows_come_in_order_and_each_once(source: Source) -> None:
    source.size = 20
    chunks = Chunks(source, 3)
    got = []
    for at in chunks:
        chunks.fetch_rows(at)
        got.append(at.tolist())
    assert got == [[3], [4, 5], [6, 7, 8, 9], [10, 11, 12, 13, 14, 15, 16, 17], [18, 19]]
    assert list(Chunks(source, 20)) == list(Chunks(source, 25)) == []


@pytest.mark.parametrize(
    ("took_ns", "nbytes", "after"),
    [
        (0, 0, 16),
        (4 * MS - 1, MB - 1, 16),
        (4 * MS, 0, 8),
        (0, MB, 8),
        (16 * MS, 4 * MB, 8),
        (16 * MS + 1, 0, 4),
        (0, 4 * MB + 1, 4),
    ],
)
def test_time_and_bytes_of_a_chunk_decide_the_size_of_the_next(
    source: Source, took_ns: int, nbytes: int, after: int
) -> None:
    chunks = Chunks(source, 0)
    assert sizes(chunks, 3) == [1, 2, 4]
    source.took_ns, source.nbytes = took_ns, nbytes
    assert sizes(chunks, 2) == [8, after]
    assert chunks.nbytes == nbytes


def test_a_slow_row_is_a_chunk_by_itself(source: Source) -> None:
    source.took_ns = 60 * MS
    assert sizes(Chunks(source, 0), 3) == [1, 1, 1]


def test_a_short_last_chunk_says_nothing_of_the_size(source: Source) -> None:
    source.size = 4
    chunks = Chunks(source, 0)
    assert sizes(chunks, 3) == [1, 2, 1]
    assert chunks.size == 4


# -- ahead -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lanes", "size", "nbytes", "expected"),
    [
        (1, 1, 0, 16),
        (1, 3, 0, 6),
        (1, 8, 0, 2),
        (1, 16, 0, 2),
        (7, 16, 0, 8),
        (1, 1, 256 * MB, 2),
        (1, 1, 32 * MB, 8),
        (1, 1, 300 * MB, 2),
    ],
)
def test_prefetched_chunk_count_depends_on_lanes_rows_and_bytes(
    source, lanes, size, nbytes, expected
) -> None:
    run = Run(_Leaf(), Seed(0, True), Options(threads=False, prefetch=16))
    chunks = Chunks(source, 0)
    chunks.size, chunks.nbytes = size, nbytes
    assert run.count_prefetched_chunks(lanes, chunks) == expected
    assert run.count_prefetched_chunks(lanes, None) == 16


def test_a_feed_computes_its_prefetch_from_the_latest_chunk(monkeypatch: Any) -> None:
    messages = []

    def count_chunks(run: Run, lanes: int, chunks: Chunks | None) -> int:
        messages.append(chunks and chunks.size)
        return 1

    monkeypatch.setattr(Run, "count_prefetched_chunks", count_chunks)
    rows(counted(100))
    assert {8, 16} <= set(messages)


class _Leaf:
    children: tuple[Any, ...] = ()
    height = 1


def test_a_run_that_fails_to_start_calls_its_close_callbacks() -> None:
    class Fails(_Leaf):
        def prepare(self, run: Run) -> None:
            run.register_close_callback(lambda: closed.append("first"))
            run.register_close_callback(lambda: closed.append("last"))
            raise OSError("no more processes")

    closed: list[str] = []
    with pytest.raises(OSError, match="no more"):
        Run(Fails(), Seed(0, True), Options())
    assert closed == ["last", "first"]
    Run(Fails(), Seed(0, True), Options(threads=False)).close()
    assert len(closed) == 2


# -- meters ----------------------------------------------------------------------------------------


def test_a_meter_sums_rows_and_time() -> None:
    meter = Meter("map", 3)
    meter.add(2, 5000)
    meter.add(3, 15000)
    text = meter.read()
    assert text == NodeStatistics("map", 5, 20000, 3)
    assert text.us_per_row == 4.0
    with meter.time(4):
        pass
    assert meter.read().rows == 9 and 20000 <= meter.read().self_ns < 600 * 10**9
    assert Meter("map").read() == NodeStatistics("map", 0, 0, 1)
    assert Meter("map").read().us_per_row == 0.0


def statistics(*nodes: NodeStatistics) -> PipelineStatistics:
    return PipelineStatistics(nodes, 4, 1, 0.5, 2, 0)


def test_the_slowest_node_is_that_with_the_most_time_for_a_worker() -> None:
    message = statistics(
        NodeStatistics("a", 1, 900, 3), NodeStatistics("b", 1, 600, 1), NodeStatistics("c", 1, 0, 1)
    )
    assert message.slowest.name == "b"
    assert message.slowest_share == 600 / 900


def test_without_time_no_node_has_a_share_of_it() -> None:
    assert statistics().slowest is None
    assert statistics().slowest_share == 0.0
    assert statistics(NodeStatistics("a", 0, 0, 1)).slowest_share == 0.0


@pytest.mark.parametrize("at", ["stop", "join", "call"])
def test_a_close_that_ctrl_c_ended_is_carried_on_by_the_next(at: str, monkeypatch) -> None:
    run, called = start_run(counted(4).node), []
    lanes = run.make_workers(lambda: 1, lambda item, turn: item, 2, "test", lambda: 4)
    assert next(lanes) == 1

    def interrupted(*args: Any) -> None:
        raise KeyboardInterrupt

    run.register_close_callback(lambda: called.append("first"))
    if at == "call":
        run.register_close_callback(interrupted)
    with monkeypatch.context() as patch:
        if at != "call":
            patch.setattr(lanes, at, interrupted)
        with pytest.raises(KeyboardInterrupt):
            run.close()
    run.close()
    assert called == ["first"]
    assert not any(thread.is_alive() for thread in lanes._threads)
