"""Every graph that these tests compile is verified after each pass."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from minispore import context
from minispore.core.threads import crew
from minispore.core.threads import tiles as calls
from minispore.graph import compiler, tiles


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
    """Anything is worth several threads, which end with the test."""
    monkeypatch.setattr(calls, "LEAST_US", 0.0)
    monkeypatch.setattr(tiles, "_LEAST_ROWS_US", 0.0)
    monkeypatch.setattr(tiles, "_LEAST_BYTES", 64)
    monkeypatch.setattr(crew, "_IDLE_SECONDS", 0.05)
    monkeypatch.setattr(crew, "_cores", 3)
    yield
    context.set_context(runtime_num_threads=1)
    for thread in threading.enumerate():
        if thread.name.startswith("minispore hand"):
            thread.join(60)
