"""The crew runs the tiles of a step on several threads, and leaves none behind."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore.execution.threads import thread_pool
from minispore.foundation import process

WAIT = 60.0  # seconds that no busy machine needs


@pytest.fixture(autouse=True)
def three(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three threads, the caller among them, which end with the test."""
    monkeypatch.setattr(thread_pool, "_cores", 3)
    monkeypatch.setattr(thread_pool, "_IDLE_SECONDS", 0.05)
    ms.set_context(runtime_num_threads=3)
    yield
    ms.set_context(runtime_num_threads=1)
    for thread in hands():
        thread.join(WAIT)


def together(count: int) -> list[list[Callable[[], Any]]]:
    """Tiles that end only when all of them have begun, each on a thread of its own."""
    met = threading.Barrier(count)
    return [[lambda: met.wait(WAIT)] for _ in range(count)]


def hands() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name.startswith("minispore pool thread")]


def test_tiles_run_at_once_on_the_configured_number_of_threads() -> None:
    thread_pool.run(together(3))  # returns at all


def test_every_tile_runs_once() -> None:
    done: list[int] = []
    for _ in range(200):
        done.clear()
        thread_pool.run([[lambda i=i: done.append(i)] for i in range(7)])  # type: ignore[misc]
        assert sorted(done) == list(range(7))


def test_the_calls_of_a_tile_run_in_order() -> None:
    done: list[tuple[int, int]] = []
    tiles = [[(lambda i=i, k=k: done.append((i, k))) for k in range(5)] for i in range(4)]  # type: ignore[misc]
    thread_pool.run(tiles)
    assert all([k for j, k in done if j == i] == list(range(5)) for i in range(4))


def test_one_thread_starts_no_other() -> None:
    ms.set_context(runtime_num_threads=1)
    assert thread_pool.get_thread_count() == 1
    before = hands()
    ms.ops.matmul(ms.Tensor(np.ones((512, 512), np.float32)), ms.Tensor(np.ones((512, 512))))
    assert hands() == before


def test_what_a_tile_raises_is_raised_when_no_other_is_at_work() -> None:
    met, at_work = threading.Barrier(2), threading.Event()

    def fail() -> None:
        met.wait(WAIT)
        raise ValueError("a tile")

    def work() -> None:
        at_work.set()
        met.wait(WAIT)
        np.add.reduce(np.ones(1_000_000))
        at_work.clear()

    with pytest.raises(ValueError, match="a tile"):
        thread_pool.run([[work], [fail]])
    assert not at_work.is_set()


def test_a_step_runs_after_one_that_was_interrupted() -> None:
    done: list[int] = []

    def fail() -> None:
        raise KeyboardInterrupt

    ms.set_context(runtime_num_threads=2)
    with pytest.raises(KeyboardInterrupt):
        thread_pool.run([[fail], [fail]])
    thread_pool.run([[lambda: done.append(2)], [lambda: done.append(3)]])
    assert sorted(done) == [2, 3]


def test_a_step_within_a_tile_runs_on_the_thread_of_the_tile() -> None:
    seen: list[tuple[int, int]] = []

    def outer() -> None:
        outer_thread = threading.get_ident()
        thread_pool.run(
            [[lambda: seen.append((outer_thread, threading.get_ident()))] for _ in range(3)]
        )

    thread_pool.run([[outer], [outer]])
    assert len(seen) == 6
    assert all(a == b for a, b in seen)


def test_two_threads_that_call_at_once_both_get_all_their_tiles() -> None:
    done: tuple[list[int], list[int]] = ([], [])

    def call(i: int) -> None:
        for _ in range(100):
            thread_pool.run([[lambda: done[i].append(1)]] * 4)

    callers = [threading.Thread(target=call, args=(i,)) for i in range(2)]
    for t in callers:
        t.start()
    for t in callers:
        t.join(WAIT)
    assert [len(d) for d in done] == [400, 400]


def test_threads_end_when_nobody_calls_and_come_back_when_somebody_does() -> None:
    thread_pool.run(together(3))
    for thread in hands():
        thread.join(WAIT)
        assert not thread.is_alive()
    thread_pool.run(together(3))


def test_tiles_warn_of_nothing_as_a_device_does() -> None:
    zero = np.zeros(4, np.float32)
    with np.errstate(all="ignore"):  # of the caller, as of each run
        thread_pool.run([[lambda: np.log(zero)], [lambda: np.log(zero)]])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")
def test_a_forked_child_starts_its_thread_pool() -> None:
    thread_pool.run(together(3))
    with warnings.catch_warnings():  # later Pythons warn of a fork beside threads
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            thread_pool.run(together(3))
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_bundled_blas_is_detected_and_runs_on_one_thread() -> None:
    name = np.show_config("dicts")["Build Dependencies"]["blas"]["name"]  # type: ignore[call-overload,index]
    if "openblas" not in name and "mkl" not in name:
        pytest.skip(f"{name} has no threads that can be told")
    assert thread_pool._blas_thread_functions is not None
    assert thread_pool._blas_thread_functions[1]() == 1
    ms.set_context(runtime_num_threads=1)
    assert thread_pool._blas_thread_functions[1]() == 1


def test_as_many_threads_compute_as_the_environment_gives_to_blas() -> None:
    if thread_pool._blas_thread_functions is None:
        pytest.skip("no BLAS that tells its threads")
    program = (
        "from minispore.execution.threads import thread_pool; "
        "print(thread_pool.get_thread_count(), thread_pool._blas_thread_functions[1]())"
    )
    output = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "2"},
        capture_output=True,
        check=True,
    )
    assert output.stdout.split() == [str(min(2, process.count_cores())).encode(), b"1"]


def test_zero_threads_follow_the_thread_count_of_blas() -> None:
    ms.set_context(runtime_num_threads=0)
    assert thread_pool.get_thread_count() == min(thread_pool.get_blas_threads(), 3)


def test_thread_count_is_limited_to_the_number_of_cores() -> None:
    ms.set_context(runtime_num_threads=30)
    assert thread_pool.get_thread_count() == 3
