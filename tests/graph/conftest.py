"""Every graph that these tests compile is verified after each pass."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from minispore import context
from minispore.graph import compiler


@pytest.fixture(autouse=True)
def verified(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(compiler, "checking", True)
    yield


@pytest.fixture
def graph_mode() -> Iterator[None]:
    context.set_context(mode=context.GRAPH_MODE)
    yield
