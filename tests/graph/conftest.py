"""Every graph that these tests compile is verified after each pass."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from minispore import context
from minispore.execution.threads import thread_pool, worker_processes
from minispore.execution.threads import tiles as calls
from minispore.graph import compiler, parallel_tuner, tiles


@pytest.fixture(autouse=True)
def verified(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(compiler, "checking", True)
    yield


@pytest.fixture
def graph_mode() -> Iterator[None]:
    context.set_context(mode=context.GRAPH_MODE)
    yield


@pytest.fixture
def everything_is_long(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Anything is worth several threads, which end with the test; there are no helpers."""
    for module, name in ((calls, "BY_THREADS"), (tiles, "BY_THREADS"), (tiles, "BY_HELPERS")):
        monkeypatch.setattr(module, name, calls.MinCost(0.0, 0.0, 32))
    monkeypatch.setattr(calls, "_LONG_US", 0.0)
    monkeypatch.setattr(worker_processes._team, "possible", False)
    monkeypatch.setattr(thread_pool, "_IDLE_SECONDS", 0.05)
    monkeypatch.setattr(thread_pool, "_cores", 3)
    yield
    context.set_context(runtime_num_threads=1)
    worker_processes.end_workers()
    for thread in threading.enumerate():
        if thread.name.startswith("minispore pool thread"):
            thread.join(60)


@pytest.fixture
def helped(everything_is_long: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Helpers run the tiles, from the first run of a program on."""
    if not worker_processes._WorkerTeam().possible:
        pytest.skip("no helpers on this system")
    monkeypatch.setattr(worker_processes._team, "possible", True)
    monkeypatch.setattr(parallel_tuner.ParallelTuner, "use_workers", lambda self: True)
    monkeypatch.setattr(parallel_tuner.ParallelTuner, "record", lambda self, helped, spent_ns: None)
