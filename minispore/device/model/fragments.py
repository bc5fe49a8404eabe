"""What memory a plan takes where arrays lie side by side: holes between them count as well."""

from __future__ import annotations

import bisect
from collections import defaultdict

from minispore.device.model.memory import MemoryPlan, in_blocks


def peak_with_fragments(plan: MemoryPlan) -> int:
    """The highest address of a step, in bytes: each array goes into the smallest hole that takes
    it, as MindSpore's best-fit pool does, and stays where it is.

    What lives for all of the step lies side by side below, and the channel above that.

    >>> from minispore.device.model.memory import plan_memory
    >>> from minispore.device.model.spec import device_spec
    >>> peak_with_fragments(plan_memory([], device_spec()))
    0
    """
    block = int(plan.spec.memory_block_bytes)
    whole = plan.peak_by_kind["channel"]
    makes: defaultdict[int, list[int]] = defaultdict(list)
    frees: defaultdict[int, list[int]] = defaultdict(list)
    sizes: list[int] = []
    for life in plan.lives:
        size = in_blocks(life.nbytes, block)
        if life.first == 0 and life.last >= plan.steps - 1:
            whole += size
            continue
        makes[life.first].append(len(sizes))
        frees[life.last].append(len(sizes))
        sizes.append(size)
    return whole + _highest(plan.steps, makes, frees, sizes)


def _highest(
    steps: int, makes: dict[int, list[int]], frees: dict[int, list[int]], sizes: list[int]
) -> int:
    holes = _Holes()
    at: dict[int, int] = {}
    for step in range(steps):
        for array in makes.get(step, ()):
            at[array] = holes.take(sizes[array])
        for array in frees.get(step, ()):
            holes.give_back(at.pop(array), sizes[array])
    return holes.highest


class _Holes:
    """Free ranges, no two of which touch."""

    def __init__(self) -> None:
        self.highest = 0
        self._by_size: list[tuple[int, int]] = []  # (size, start), sorted
        self._starts: dict[int, int] = {}  # start -> size
        self._ends: dict[int, int] = {}  # end -> start

    def take(self, size: int) -> int:
        found = bisect.bisect_left(self._by_size, (size, -1))
        if found < len(self._by_size):
            held, start = self._by_size[found]
            self._drop(start)
            if held > size:
                self._add(start + size, held - size)
            return start
        start = self.highest
        if start in self._ends:  # a hole at the top grows
            start = self._ends[start]
            self._drop(start)
        self.highest = start + size
        return start

    def give_back(self, start: int, size: int) -> None:
        before = self._ends.get(start)
        if before is not None:
            size += self._drop(before)
            start = before
        if start + size in self._starts:
            size += self._drop(start + size)
        self._add(start, size)

    def _add(self, start: int, size: int) -> None:
        bisect.insort(self._by_size, (size, start))
        self._starts[start], self._ends[start + size] = size, start

    def _drop(self, start: int) -> int:
        size = self._starts.pop(start)
        del self._ends[start + size]
        del self._by_size[bisect.bisect_left(self._by_size, (size, start))]
        return size


__all__ = ["peak_with_fragments"]
