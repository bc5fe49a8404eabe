"""Tiles of a program: what several threads do at once, while its steps stay in their order.

A step that is long enough is cut into tiles, and the next one begins when all of them are done.
One thread runs the uncut steps, several the same ones cut:

* A *run* of pointwise nodes is cut into slices, as :mod:`minispore.graph.blocks` does for the
  cache.
* An op that computes *rows* on their own says so (``Primitive.rowwise``), and is cut between them
  if that has given the same bits of numbers drawn for it: few rows may be summed in another way.
* Updates of Parameters that follow each other are shared out (:mod:`minispore.graph.updates`).
* Any other node is its calls, of which :mod:`minispore.core.threads.tiles` cuts the long ones, as
  it does in PYNATIVE_MODE.

So what a graph computes is decided by none of this. Where there are helpers
(:mod:`minispore.core.threads.helpers`), they run the tiles, and much shorter steps are worth it:
those all of whose arrays they see, too. Else threads do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import accumulate, groupby
from typing import Any

import numpy as np

from minispore.core.primitive import Calls
from minispore.core.threads import commons, crew, helpers
from minispore.core.threads.tiles import (
    BY_THREADS,
    BYTES_PER_US,
    HARD,
    Least,
    Lie,
    Rows,
    arrays_of,
    call_us,
    cut,
    cuts,
    lie,
    numbers,
    parts_of,
    rows_of,
)
from minispore.core.value import Node, Spec
from minispore.graph.blocks import Bound, Run, runs
from minispore.graph.updates import is_update, shared

Step = Callable[[], Any]
Emit = Callable[[Bound], Calls]

# Of a kernel that does not tell its calls: passes over its arrays, products a us outside of BLAS.
_PASSES, _SLOW_FLOPS_PER_US = 4, 4e3
_ALIGNED = 64  # bytes, as in the arena
BY_HELPERS = Least(5.0, 10.0, 64 << 10)  # of the part of each of them


class Tiles:
    """A step in tiles, the calls of each; a call of it runs them all, on threads."""

    __slots__ = ("tiles",)

    def __init__(self, tiles: Sequence[Calls]) -> None:
        self.tiles = tiles

    def __call__(self) -> None:
        crew.run(self.tiles)


class _Way:
    """How steps are cut.

    Attributes:
        emit: gives the calls of a node.
        threads: for so many.
        helped: whether helpers run the tiles, not threads.
        least: what is not cut.
        spare: what tiles work in.
    """

    def __init__(self, emit: Emit, threads: int, helped: bool) -> None:
        self.emit, self.threads, self.helped = emit, threads, helped
        self.least = BY_HELPERS * threads if helped else BY_THREADS
        self.spare = Spare()

    def step(self, tiles: Sequence[Calls]) -> Step:
        return helpers.Step(tiles) if self.helped else Tiles(tiles)

    def in_tile(self, bound: Bound, tile: int) -> Calls:
        """The calls of a node, which works in what the tile has."""
        work = _work(bound.node, bound.args, self.spare, tile)
        return self.emit(Bound(bound.node, bound.args, bound.outs, work))


def tiled(
    order: Iterable[Bound | Step], emit: Emit, threads: int, helped: bool = False
) -> list[tuple[Node | None, Step]]:
    """The calls of ``order``, large nodes in tiles for so many threads; each with its node.

    Args:
        order: what runs, in order: nodes, and calls that are no node's.
        emit: gives the calls of a node.
        threads: 2 or more.
        helped: helpers run the tiles: all arrays of ``order`` but constants lie where they see
            them.
    """
    steps: list[tuple[Node | None, Step]] = []
    way = _Way(emit, threads, helped)
    for updates, some in groupby(order, is_update):
        nodes: list[Any] = list(some)
        if updates:
            tiles = shared(nodes, way.in_tile, threads, way.least.us)
            if tiles:
                steps.append((nodes[0].node, way.step(tiles)))
                continue
        for run in runs(nodes, way.least.nbytes):
            if isinstance(run, Run):
                steps += _cut(run, way)
            else:
                steps.append((None, run))
    return steps


def _cut(run: Run, way: _Way) -> list[tuple[Node, Step]]:
    """The steps of nodes that run together."""
    first, emit, least = run.members[0], way.emit, way.least
    if run.axis is not None:
        us = sum(_us(bound, emit) for bound in run.members)
        parts = parts_of(us, way.threads, least.us)
        tiles = [[c for bound in s for c in emit(bound)] for s in run.slices(parts)]
        if parts > 1 and len(tiles) > 1:
            return [(first.node, way.step(tiles))]
        return [(bound.node, call) for bound in run.ordered() for call in emit(bound)]
    prim = first.node.prim
    by_rows = prim.has_rowwise and (way.helped or not prim.short_calls)
    if by_rows and _us(first, emit) >= least.rows_us:
        tiles = _by_rows(first, way)
        if tiles:
            return [(first.node, way.step(tiles))]
    return [(first.node, _cut_call(call, first, way)) for call in emit(first)]


def _cut_call(call: Step, bound: Bound, way: _Way) -> Step:
    """A call of a node in tiles, if it is worth it."""
    if not way.helped:
        tiles = cut(call, way.threads)
        return Tiles(tiles) if tiles else call
    if not isinstance(call, partial):
        return call
    tiles = cut(call, way.threads, way.least)
    return helpers.Step(tiles) if tiles and _seen_by_all(call, bound) else call


def _seen_by_all(call: partial[Any], bound: Bound) -> bool:
    """Whether helpers see all that a call of a node reads and writes: what its kernel works in may
    be memory of this process alone.
    """
    known = [a for a in bound.args if isinstance(a, np.ndarray)]  # constants among them

    def seen(a: np.ndarray) -> bool:
        if commons.holds(a) or commons.fixed(a):
            return True
        return any(np.may_share_memory(a, b) for b in known)

    return all(seen(a) for a in arrays_of(call))


def _us(bound: Bound, emit: Emit) -> float:
    """What a node costs on paper."""
    arrays = [a for a in (*bound.args, *bound.outs) if isinstance(a, np.ndarray)]
    us = sum(a.nbytes for a in arrays) / BYTES_PER_US
    prim = bound.node.prim
    hard = HARD if prim.transcendental else 0
    if prim.pointwise and hard:
        return us * hard
    if prim.has_calls:
        return sum(map(call_us, emit(bound)))
    return max(us * (hard + _PASSES), bound.node.flops / _SLOW_FLOPS_PER_US)


# -- rows ------------------------------------------------------------------------------------------


class Spare:
    """What each tile of a node works in, one for all nodes: they run one after the other."""

    def __init__(self) -> None:
        self._of: dict[int, np.ndarray] = {}  # by the number of the tile

    def arrays(self, tile: int, specs: Iterable[Spec]) -> list[np.ndarray]:
        specs = list(specs)
        ends = list(accumulate(-(-s.nbytes // _ALIGNED) * _ALIGNED for s in specs))
        if ends and (tile not in self._of or self._of[tile].size < ends[-1]):
            self._of[tile] = np.empty(ends[-1], np.uint8)
        begins = [0, *ends]
        return [
            self._of[tile][begin : begin + s.nbytes].view(s.dtype).reshape(s.shape)
            for begin, s in zip(begins, specs, strict=False)
        ]


def _by_rows(bound: Bound, way: _Way) -> list[Calls]:
    """A node that computes rows on their own, some of them in each tile; [] if it can't be cut."""
    prim, arrays = bound.node.prim, [*bound.args, *bound.outs]
    outs = bound.outs if len(bound.outs) > 1 else bound.outs[0]
    axes = prim.rowwise(*bound.args, out=outs)
    given = [a for a in arrays if a is not None]
    plain = all(isinstance(a, np.ndarray) and a.dtype.kind in "fi" for a in given)
    if axes is None or not plain or any(min(a.strides, default=0) < 0 for a in given):
        return []
    length = next(a.shape[i] for a, i in zip(arrays, axes, strict=True) if isinstance(i, int))
    lies = tuple([None if a is None else lie(a) for a in arrays])
    for multiple in prim.row_edges:
        where = cuts(length, way.threads, multiple)
        if len(where) > 1 and _rows_alike(bound.node, way.emit, lies, axes, where):
            some = enumerate(where)
            return [way.emit(_some(bound, axes, rows, way.spare, tile)) for tile, rows in some]
    return []


def _some(bound: Bound, axes: Sequence[Rows], some: slice, spare: Spare, tile: int) -> Bound:
    """The node on some rows."""
    arrays = [rows_of(a, i, some) for a, i in zip((*bound.args, *bound.outs), axes, strict=True)]
    count = len(bound.args)
    args, outs = arrays[:count], tuple(arrays[count:])
    return Bound(bound.node, args, outs, _work(bound.node, args, spare, tile))


def _work(node: Node, args: list[Any], spare: Spare, tile: int) -> list[np.ndarray]:
    """What the kernel works in."""
    specs = [Spec(a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in args]
    return spare.arrays(tile, node.prim.scratch(*specs))


_seen: dict[Any, bool] = {}
_SEEN_BOUND = 1024
_DRAWN_BYTES, _DRAWS = 4 << 20, 16  # few numbers, which may be alike by chance, are drawn again


def _rows_alike(
    node: Node,
    emit: Emit,
    lies: tuple[Lie | None, ...],
    axes: Sequence[Rows],
    where: list[slice],
) -> bool:
    """Whether some rows at a time have the bits of all rows."""
    key = node.prim, lies, tuple([some.start for some in where])
    if key not in _seen:
        if len(_seen) >= _SEEN_BOUND:
            _seen.clear()
        rng, nbytes = np.random.default_rng(0), sum(v.spec.nbytes for v in node.inputs)
        draws = max(1, min(_DRAWS, _DRAWN_BYTES // max(1, nbytes)))
        _seen[key] = all(_alike_once(node, emit, lies, axes, where, rng) for _ in range(draws))
    return _seen[key]


def _alike_once(
    node: Node,
    emit: Emit,
    lies: tuple[Lie | None, ...],
    axes: Sequence[Rows],
    where: list[slice],
    rng: np.random.Generator,
) -> bool:
    """Whether they have of numbers that are drawn."""
    spare, count = Spare(), len(lies) - len(node.outputs)
    drawn = [None if a is None else numbers(a, rng) for a in lies]
    again = [numbers(a, rng) for a in lies[count:] if a is not None]
    args, outs = drawn[:count], tuple([a for a in drawn[count:] if a is not None])
    whole = Bound(node, args, outs, _work(node, args, spare, 0))
    cut = Bound(node, args, tuple(again))
    with np.errstate(all="ignore"):
        for bound in (whole, *[_some(cut, axes, some, spare, 0) for some in where]):
            for call in emit(bound):
                call()
    return all(a.tobytes() == b.tobytes() for a, b in zip(whole.outs, cut.outs, strict=True))


__all__ = ["Tiles", "tiled"]
