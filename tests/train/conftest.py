"""Every training test leaves context, dataset settings and device counters as they were."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import minispore.dataset as ds
from minispore import context
from minispore.context import parallel


@pytest.fixture(autouse=True)
def same_settings_after() -> Iterator[None]:
    """Put the settings back, and let the tests run with one seed for all datasets."""
    saved, saved_parallel, saved_data = context.current(), parallel.current(), ds.config.settings()
    ds.config.set_seed(3)
    yield
    context.restore(saved)
    parallel.restore(saved_parallel)
    ds.config.restore(saved_data)
