"""How a pipeline works, apart from what it gives: threads, orders of calls, meters, what a row is
made of.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.dataset import transforms, vision
from minispore.dataset.iterator import start_run
from minispore.dataset.pipeline import feed, workers
from minispore.dataset.pipeline.feed import Feed
from minispore.dataset.pipeline.mapping import fuse
from minispore.dataset.pipeline.operation import Operation
from minispore.dataset.pipeline.passes import SINGLE_THREAD_OPTIONS, Options
from minispore.dataset.pipeline.workers import can_fork
from tests.dataset.conftest import counted, rows


def slow(x: np.ndarray) -> np.ndarray:
    """The even rows take longer."""
    time.sleep(0.001 * (1 - int(x) % 2))
    return x


def streamed(count: int) -> ds.Dataset:
    return counted(count).filter(lambda x: True)


# -- what a row is made of, and how many threads are worth having --------------------------------

PARTS: dict[str, tuple[Callable[[ds.Dataset], ds.Dataset], int, int]] = {
    "a source": (lambda d: d, 1, 1),
    "a map": (lambda d: d.map(slow, num_parallel_workers=3), 1, 3),
    "maps": (
        lambda d: d.map(slow, num_parallel_workers=2).map(slow, num_parallel_workers=3), 1, 3,
    ),
    "a map of fewer": (
        lambda d: d.map(slow, num_parallel_workers=3).map(slow, num_parallel_workers=2), 1, 3,
    ),
    "a batch": (lambda d: d.batch(4), 4, 1),
    "a batch of batches": (lambda d: d.batch(4).batch(2), 8, 1),
    "a batch with a function": (
        lambda d: d.batch(4, per_batch_map=lambda x, info: x, num_parallel_workers=5), 4, 5,
    ),
    "a batch of a map": (lambda d: d.map(slow, num_parallel_workers=3).batch(2), 2, 3),
    "rounds": (lambda d: d.map(slow, num_parallel_workers=3).batch(2).repeat(2), 2, 3),
    "rows from somewhere": (lambda d: d.map(slow, num_parallel_workers=3).batch(2).skip(1), 2, 3),
    "a shuffle": (lambda d: d.map(slow, num_parallel_workers=3).batch(2).shuffle(9), 2, 3),
    "other names": (lambda d: d.map(slow, num_parallel_workers=3).batch(2).rename("x", "y"), 2, 3),
    "two after each other": (
        lambda d: d.batch(2) + d.map(slow, num_parallel_workers=3).batch(5), 5, 3,
    ),
    "two beside each other": (
        lambda d: ds.zip(
            (d.batch(2), d.map(slow, num_parallel_workers=3).batch(5).rename("x", "y"))
        ), 5, 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
def test_a_pass_reports_its_weight_and_maximum_threads(part: str) -> None:
    output, weight, lanes = PARTS[part]
    node = output(counted(24)).node
    run = start_run(node)
    opened = node.open_pass(run, 0)
    run.close()
    assert (opened.weight, opened.max_threads) == (weight, lanes)


@pytest.mark.parametrize(
    ("expected", "weight"),
    [
        (lambda d: d, 1),
        (lambda d: d.batch(4), 4),
        (lambda d: d.batch(4).filter(lambda x: True), 4),
        (lambda d: d.batch(4).batch(lambda info: 2), 4),
        (lambda d: d.map(slow).batch(4), 4),
        (lambda d: d.batch(4).shuffle(2), 4),
        (lambda d: d.batch(4).sync_wait("go", 100), 4),
        (lambda d: d.bucket_batch_by_length(["x"], [5], [2, 3], lambda x: x), 3),
        (lambda d: d.rename("x", "y").zip((d.batch(4), d.batch(2).rename("x", "z"))), 4),
        (lambda d: d.batch(2).concat([d.batch(4), d.batch(3)]), 4),
    ],
)
def test_a_row_of_a_stream_weighs_as_much(expected: Any, weight: int) -> None:
    node = expected(streamed(24)).node
    run = start_run(node)
    opened = node.open_pass(run, 0)
    run.close()
    assert opened.weight == weight


def test_a_node_is_as_high_as_the_longest_way_down() -> None:
    leaf = counted(4)
    other = leaf.rename("x", "y").map(slow).batch(2)
    heights = [data.node.height for data in (leaf, other, leaf.zip(other), other.zip(leaf))]
    assert heights == [1, 4, 5, 5]


def test_single_thread_options_have_no_threads_and_raise_errors() -> None:
    expected = Options(
        False, 16, 1, 1, "fork", 300.0, "raise",
        trace=False, callbacks=False, hooks=(), rows=None,
    )  # fmt: skip
    assert expected == SINGLE_THREAD_OPTIONS


@pytest.mark.parametrize(
    "make",
    [
        lambda: streamed(8).map(slow, num_parallel_workers=2),
        lambda: counted(8).map(slow, num_parallel_workers=2).filter(lambda x: True),
    ],
)
def test_lanes_of_passes_that_ended_are_let_go(make: Any) -> None:
    run = start_run(make().node)
    feed = Feed(run, 12, 0, 0)
    values = []
    while not feed.is_finished:
        if feed.next() is None:
            values.append(len(run._workers))
    assert len(values) == 12 and max(values) < 6


# -- the order of calls ---------------------------------------------------------------------------


@pytest.mark.parametrize("source", [counted, streamed])
def test_a_function_of_batches_with_one_worker_sees_them_in_order(source: Any) -> None:
    seen: list[int] = []

    def noted(x: list, info: Any) -> list:
        seen.append(int(x[0]))
        return x

    data = source(60).map(slow, num_parallel_workers=4)
    data = data.batch(2, per_batch_map=noted, input_columns=["x"], num_parallel_workers=1)
    assert len(rows(data)[0]) == 30
    assert seen == list(range(0, 60, 2))


def test_a_function_of_batches_with_many_workers_is_called_side_by_side() -> None:
    both = threading.Barrier(2, timeout=60.0)

    def met(x: list, info: Any) -> list:
        both.wait()
        return x

    data = counted(2).batch(1, per_batch_map=met, input_columns=["x"], num_parallel_workers=2)
    assert rows(data) == [[[0], [1]]]


@pytest.mark.parametrize("source", [counted, streamed])
def test_a_map_with_many_workers_is_called_side_by_side(source: Any) -> None:
    both = threading.Barrier(2, timeout=60.0)

    def met(x: np.ndarray) -> np.ndarray:
        both.wait()
        return x

    assert rows(source(2).map(met, num_parallel_workers=2)) == [[0, 1]]


# -- threads --------------------------------------------------------------------------------------


def test_no_thread_of_a_pipeline_keeps_a_program_from_its_end() -> None:
    before = set(threading.enumerate())
    data = counted(60).map(slow, num_parallel_workers=3).batch(2)
    iterator = data.create_tuple_iterator(num_epochs=1)
    next(iterator)
    output = set(threading.enumerate()) - before
    assert len(output) == 3 and all(thread.daemon for thread in output)
    assert {thread.name for thread in output} == {f"minispore-rows-{i}" for i in range(3)}
    iterator.close()
    for thread in output:
        thread.join(60.0)
    assert not any(thread.is_alive() for thread in output)


def test_an_iterator_may_be_closed_by_a_function_that_it_calls() -> None:
    def closes(x: np.ndarray) -> np.ndarray:
        if x == 5:
            iterator.close()
        return x

    data = counted(60).map(closes, num_parallel_workers=2)
    iterator = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    came = [int(x) for (x,) in iterator]
    assert came == list(range(len(came))) and len(came) < 60


# -- meters ---------------------------------------------------------------------------------------


def test_before_the_first_row_nothing_was_done() -> None:
    iterator = counted(6).map(slow).create_tuple_iterator(num_epochs=1)
    message = iterator.statistics()
    assert (message.queue_capacity, message.queue_size, message.queue_fill) == (0, 0, 0.0)
    assert (message.gets, message.waited_ns) == (0, 0)
    assert [node.rows for node in message.nodes] == [0] * len(message.nodes)
    iterator.close()


def test_each_operation_tells_its_rows_and_workers() -> None:
    data = counted(12).map(slow, num_parallel_workers=2).filter(lambda x: x % 3 > 0)
    data = data.map(lambda x: np.zeros(int(x)), num_parallel_workers=3)
    data = data.bucket_batch_by_length(["x"], [6], [2, 2])
    data = data.map(transforms.TypeCast(np.int32))
    padded = counted(12).batch(5, per_batch_map=lambda x, info: x, num_parallel_workers=4)
    iterator = padded.create_tuple_iterator(num_epochs=1)
    list(iterator)
    assert [(n.rows, n.workers) for n in iterator.statistics().nodes] == [(12, 1), (3, 4)]
    iterator = counted(12).filter(lambda x: x % 3 > 0).create_tuple_iterator(num_epochs=1)
    list(iterator)
    assert [(n.name, n.rows, n.workers) for n in iterator.statistics().nodes] == [
        ("NumpySlicesDataset", 12, 1), ("filter", 8, 1),
    ]  # fmt: skip


def test_a_stream_and_what_a_row_is_spread_over_are_counted() -> None:
    source = ds.GeneratorDataset(lambda: iter([1, 2, 3]), ["x"])
    data = source.flat_map(lambda x: counted(int(x)))
    iterator = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert [len(list(iterator)) for _ in range(2)] == [6, 6]
    messages = [(n.name, n.rows, n.workers) for n in iterator.statistics().nodes]
    assert messages == [("GeneratorDataset", 6, 1), ("flat_map", 12, 1)]


def test_the_consumer_s_wait_is_part_of_the_time_that_went_by() -> None:
    ds.config.set_debug_mode(True)  # nothing is ever made ahead
    began = time.perf_counter_ns()
    iterator = counted(6).map(slow).create_tuple_iterator(num_epochs=1)
    list(iterator)
    message = iterator.statistics()
    assert 0 < message.waited_ns < time.perf_counter_ns() - began
    assert message.queue_fill == 0.0 and message.queue_size == 0


def test_statistics_count_each_block_and_the_end_of_each_pass() -> None:
    ds.config.set_debug_mode(True)  # blocks of one row
    iterator = counted(3).create_tuple_iterator(num_epochs=2)
    assert [len(list(iterator)) for _ in range(2)] == [3, 3]
    assert iterator.statistics().gets == 2 * (3 + 1)


# -- worker processes -----------------------------------------------------------------------------


@pytest.mark.skipif(not can_fork(), reason="functions can't be inherited here")
def test_functions_run_in_processes_only_with_several_workers() -> None:
    def runs_in_parent(x: np.ndarray) -> np.ndarray:
        return np.array(os.getpid() == parent and multiprocessing.current_process().daemon < 1)

    parent = os.getpid()
    one, two = (
        rows(counted(4).map(runs_in_parent, num_parallel_workers=n, python_multiprocessing=True))[0]
        for n in (1, 2)
    )
    assert (one, two) == ([True] * 4, [False] * 4)


@pytest.mark.skipif(not can_fork(), reason="functions can't be inherited here")
def test_a_worker_process_that_will_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_JOIN_S", 0.2)

    def deaf(x: np.ndarray) -> np.ndarray:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return x

    data = counted(40).map(deaf, num_parallel_workers=2, python_multiprocessing=True)
    before = set(multiprocessing.active_children())
    iterator = data.create_tuple_iterator(num_epochs=1)
    next(iterator)
    output = set(multiprocessing.active_children()) - before
    assert len(output) == 2 and all(process.daemon for process in output)
    iterator.close()
    for process in output:
        process.join(60.0)
    assert not any(process.is_alive() for process in output)


class Clock:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


def test_a_slow_worker_process_is_checked_every_half_minute(monkeypatch, caplog) -> None:
    clock, stopped = Clock(), True
    monkeypatch.setattr(workers, "time", clock)
    monkeypatch.setattr(workers, "_is_stopped", lambda pid: stopped and pid == 7)
    pool = object.__new__(workers.ProcessPool)
    pool._name, pool._patience_s, pool._closed = "map(f)", 300.0, False
    look = pool._make_patience_check(SimpleNamespace(process=SimpleNamespace(pid=7)))
    messages = []
    for clock.now in (29.0, 30.0, 31.0, 60.0, 61.0, 62.0, 93.0, 300.0, 301.0, 302.0, 700.0):
        assert look()
        messages.append(len(caplog.records))
        stopped = clock.now < 62.0
    assert messages == [0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert "map(f): worker process 7 is stopped" in caplog.messages[0]
    assert "map(f): worker process 7 has worked on its rows for more than 300 s" in caplog.text
    pool._closed = True
    assert not look()


# -- meters of all operations, and what a closed run does -----------------------------------------


def test_the_time_of_each_operation_is_part_of_the_time_that_went_by() -> None:
    began = time.perf_counter_ns()
    data = ds.GeneratorDataset(lambda: iter(range(12)), ["x"]).filter(lambda x: x > 1)
    data = data.map(slow, num_parallel_workers=2).flat_map(lambda x: counted(int(x)))
    data = data.bucket_batch_by_length(["x"], [5], [2, 3], lambda x: x)
    data = ds.zip((data, counted(60).map(slow).batch(3).rename("x", "y")))
    iterator = data.create_tuple_iterator(num_epochs=1)
    list(iterator)
    message = iterator.statistics().nodes
    went_by = time.perf_counter_ns() - began
    assert len(message) == 8
    assert [n.name for n in message if not 0 < n.self_ns < went_by * n.workers] == []


@pytest.mark.parametrize("source", [counted, streamed])
def test_a_run_that_was_closed_reads_no_more(source: Any) -> None:
    node = source(6).map(slow).node
    run = start_run(node)
    opened = node.open_pass(run, 0)
    run.close()
    assert list(run.read_blocks(opened)) == []


def test_two_transforms_that_know_how_to_be_one_are_one_and_random_ones_are_not() -> None:
    scale, flip = vision.Rescale(2.0, 1.0), vision.RandomHorizontalFlip()
    assert [len(fuse([Operation(a), Operation(b)])) for a, b in [
        (scale, scale), (scale, flip), (flip, scale), (flip, flip), (slow, scale), (scale, slow),
    ]] == [1, 2, 2, 2, 2, 2]  # fmt: skip


def test_feed_watchers_see_each_pipeline_that_starts(monkeypatch) -> None:
    seen: list[feed.Feed] = []
    monkeypatch.setattr(feed, "feed_watchers", [seen.append])
    iterators = [counted(3).create_tuple_iterator(num_epochs=1) for _ in range(2)]
    assert len(seen) == 2 and all(isinstance(message, feed.Feed) for message in seen)
    for iterator in iterators:
        iterator.close()
