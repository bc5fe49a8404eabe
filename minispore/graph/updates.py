"""Updates that follow each other, as one step in tiles.

What an optimizer does stands at the end of a program, an update for each Parameter, and none
touches what another one writes. So they are shared out to the threads: small ones whole, large ones
cut where their kernels go on to another block, so that the calls are those that one thread makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from minispore.core.primitive import Calls
from minispore.core.threads.tiles import BYTES_PER_US, parts_of
from minispore.graph.blocks import Bound

_PASSES = 2  # over what an update reads and writes, which mostly stays in the cache
_LEAST_US = 5.0  # of its calls, however little they do


def is_update(one: object) -> bool:
    return isinstance(one, Bound) and one.node.prim.block > 0


def shared(
    updates: Sequence[Bound], emit: Callable[[Bound, int], Calls], threads: int, least: float
) -> list[Calls]:
    """Updates in tiles for so many threads; [] if that does not pay, or one touches what another
    one writes.

    Args:
        emit: gives the calls of a node in a tile, of which it is told the number.
        threads: so many.
        least: microseconds below which it does not.
    """
    costs = [_us(bound) for bound in updates]
    parts = parts_of(sum(costs), threads, least)
    if parts == 1 or _entangled(updates):
        return []
    share, spent = sum(costs) / parts, 0.0
    tiles: list[Calls] = [[] for _ in range(parts)]
    for bound, cost in zip(updates, costs, strict=True):
        count = _blocks(bound)
        # in which tile each of its blocks begins: what is before it fills those before that
        at = [min(parts - 1, int((spent + cost * i / count) / share)) for i in range(count)]
        begins = [i for i in range(count) if i == 0 or at[i] != at[i - 1]]
        for begin, end in pairwise([*begins, count]):
            piece = bound if end - begin == count else _piece(bound, begin, end)
            tiles[at[begin]] += emit(piece, at[begin])
        spent += cost
    return [tile for tile in tiles if tile]


def _us(bound: Bound) -> float:
    """What an update costs on paper."""
    arrays = [a for a in (*bound.args, *bound.outs) if isinstance(a, np.ndarray)]
    return _LEAST_US + _PASSES * sum(a.nbytes for a in arrays) / BYTES_PER_US


def _blocks(bound: Bound) -> int:
    """Of how many blocks it can be cut."""
    out = bound.outs[0]
    if not all(a.flags.c_contiguous for a in _whole(bound)):
        return 1
    return max(1, -(-out.size // bound.node.prim.block))


def _whole(bound: Bound) -> Iterator[np.ndarray]:
    """Those of its arrays that have an element for each of the variable's."""
    shape = bound.outs[0].shape
    for a in (*bound.args, *bound.outs):
        if isinstance(a, np.ndarray) and a.shape == shape:
            yield a


def _piece(bound: Bound, begin: int, end: int) -> Bound:
    """The update on some of its blocks."""
    block, shape = bound.node.prim.block, bound.outs[0].shape

    def part(a: object) -> object:
        fits = isinstance(a, np.ndarray) and a.shape == shape
        return a.reshape(-1)[begin * block : end * block] if fits else a  # type: ignore[attr-defined]

    outs = tuple([part(out) for out in bound.outs])
    return Bound(bound.node, [part(a) for a in bound.args], outs)  # type: ignore[arg-type]


def _entangled(updates: Sequence[Bound]) -> bool:
    """Whether one of them touches memory that another one writes."""
    touched = []  # from, to, by whom, written
    for i, bound in enumerate(updates):
        for arrays, written in ((bound.args, False), (bound.outs, True)):
            for a in arrays:
                if isinstance(a, np.ndarray) and a.size:
                    touched.append((*_bounds(a), i, written))
    touched.sort()
    # The furthest that one has come from the left, and that another one than it has.
    reads, writes = _Furthest(), _Furthest()
    for low, high, i, written in touched:
        if writes.beside(i) > low or (written and reads.beside(i) > low):
            return True
        (writes if written else reads).reach(high, i)
    return False


def _bounds(a: np.ndarray) -> tuple[int, int]:
    """The address of its first byte, and the one behind its last: `byte_bounds`, which stands
    elsewhere in NumPy 1 than in NumPy 2.
    """
    reach = [(n - 1) * step for n, step in zip(a.shape, a.strides, strict=True)]
    begin = a.__array_interface__["data"][0]
    return begin + sum(r for r in reach if r < 0), begin + sum(
        r for r in reach if r > 0
    ) + a.itemsize


class _Furthest:
    """How far each of several has come; only the two furthest ones are kept."""

    def __init__(self) -> None:
        self._first, self._second = (0, -1), (0, -1)  # how far, who

    def reach(self, high: int, who: int) -> None:
        if who == self._first[1]:
            self._first = max(self._first, (high, who))
        elif high > self._first[0]:
            self._first, self._second = (high, who), self._first
        elif high > self._second[0]:
            self._second = (high, who)

    def beside(self, who: int) -> int:
        """How far another one than ``who`` has come."""
        return self._first[0] if self._first[1] != who else self._second[0]


__all__ = ["is_update", "shared"]
