"""Common memory ends in our books before its place can be another one's."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from minispore.execution.threads import shared_memory


def test_released_memory_is_unregistered_before_its_address_is_reused() -> None:
    size, later = 1 << 20, []
    first = shared_memory.allocate(size)
    root: Any = first
    while isinstance(root.base, np.ndarray):
        root = root.base
    mapped = root.base.obj if isinstance(root.base, memoryview) else root.base
    # runs when the system has its memory back, as another thread may
    weakref.finalize(mapped, lambda: later.append(shared_memory.allocate(size)))
    ended = shared_memory.get_released_count()
    del first, root, mapped
    assert shared_memory.get_released_count() == ended + 1
    [second] = later
    assert shared_memory.is_shared(second)
    later.clear()
    del second
    assert shared_memory.get_released_count() == ended + 2
