"""Every training test leaves context, dataset settings and device counters as they were."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator

import pytest

import minispore.dataset as ds
from minispore import context
from minispore.context import parallel
from minispore.device.channel import open_channels


@pytest.fixture(autouse=True)
def same_settings_after() -> Iterator[None]:
    """Put the settings back, and let the tests run with one seed for all datasets."""
    saved, saved_parallel, saved_data = context.current(), parallel.current(), ds.config.settings()
    ds.config.set_seed(3)
    yield
    context.restore(saved)
    parallel.restore(saved_parallel)
    ds.config.restore(saved_data)


@pytest.fixture
def no_channel_stays_open() -> Iterator[None]:
    """Each channel that a test opened is closed when its holders are gone."""
    yield
    end = time.monotonic() + 30
    gc.collect()
    while open_channels() and time.monotonic() < end:
        time.sleep(0.01)  # a thread that is collecting right now makes gc.collect() do nothing
        gc.collect()
    assert open_channels() == []
