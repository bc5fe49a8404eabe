"""The memory that a plan needs with fragmentation, where each array keeps its address."""

from __future__ import annotations

import bisect
from collections import defaultdict

from minispore.device.model.memory import MemoryPlan, round_to_blocks


def compute_peak_with_fragments(plan: MemoryPlan) -> int:
    """Return the highest address of a step, in bytes: each array is placed in the smallest free
    range that fits, as in MindSpore's best-fit pool, and is not moved.

    Arrays are rounded up to whole blocks of the pool. Those that live for the whole step are
    adjacent at the bottom, followed by the buffers of the dataset's channel.

    >>> from minispore.device.model.memory import plan_memory
    >>> from minispore.device.model.spec import device_spec
    >>> compute_peak_with_fragments(plan_memory([], device_spec()))
    0
    """
    block = int(plan.spec.memory_block_bytes)
    static_bytes = plan.peak_by_kind["channel"]
    allocations: defaultdict[int, list[int]] = defaultdict(list)
    releases: defaultdict[int, list[int]] = defaultdict(list)
    sizes: list[int] = []
    for life in plan.lifetimes:
        size = round_to_blocks(life.nbytes, block)
        if life.first == 0 and life.last >= plan.steps - 1:
            static_bytes += size
            continue
        allocations[life.first].append(len(sizes))
        releases[life.last].append(len(sizes))
        sizes.append(size)
    return static_bytes + _simulate_allocations(plan.steps, allocations, releases, sizes)


def _simulate_allocations(
    steps: int, allocations: dict[int, list[int]], releases: dict[int, list[int]], sizes: list[int]
) -> int:
    """Allocate and free arrays step by step, and return the highest address.

    Args:
        steps: the number of ops.
        allocations: op -> the arrays that it makes.
        releases: op -> the arrays of which it is the last reader.
        sizes: the bytes of each array.
    """
    ranges = _FreeRanges()
    starts: dict[int, int] = {}
    for step in range(steps):
        for array in allocations.get(step, ()):
            starts[array] = ranges.allocate(sizes[array])
        for array in releases.get(step, ()):
            ranges.free(starts.pop(array), sizes[array])
    return ranges.highest


class _FreeRanges:
    """The free ranges below the highest address; adjacent ranges are always merged."""

    def __init__(self) -> None:
        self.highest = 0
        self._by_size: list[tuple[int, int]] = []  # (size, start), sorted
        self._starts: dict[int, int] = {}  # start -> size
        self._ends: dict[int, int] = {}  # end -> start

    def allocate(self, size: int) -> int:
        """Return the start of ``size`` bytes in the smallest free range that fits; if none does, at
        the top, which raises ``highest``.
        """
        index = bisect.bisect_left(self._by_size, (size, -1))
        if index < len(self._by_size):
            range_size, start = self._by_size[index]
            self._remove_range(start)
            if range_size > size:
                self._add_range(start + size, range_size - size)
            return start
        start = self.highest
        if start in self._ends:  # the free range at the top is extended
            start = self._ends[start]
            self._remove_range(start)
        self.highest = start + size
        return start

    def free(self, start: int, size: int) -> None:
        """Free ``size`` bytes at ``start``, merged with adjacent free ranges."""
        neighbour = self._ends.get(start)
        if neighbour is not None:
            size += self._remove_range(neighbour)
            start = neighbour
        if start + size in self._starts:
            size += self._remove_range(start + size)
        self._add_range(start, size)

    def _add_range(self, start: int, size: int) -> None:
        """Add a free range of ``size`` bytes that begins at ``start``, without merging."""
        bisect.insort(self._by_size, (size, start))
        self._starts[start], self._ends[start + size] = size, start

    def _remove_range(self, start: int) -> int:
        """Remove the free range that begins at ``start``; return its size."""
        size = self._starts.pop(start)
        del self._ends[start + size]
        del self._by_size[bisect.bisect_left(self._by_size, (size, start))]
        return size


__all__ = ["compute_peak_with_fragments"]
