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

So what a graph computes is decided by none of this. The many short calls of a recurrence, or of a
transform that stays in the cache, run on one thread; it is said there why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, groupby
from typing import Any

import numpy as np

from minispore.core.primitive import Calls
from minispore.core.threads import crew
from minispore.core.threads.tiles import (
    BYTES_PER_US,
    HARD,
    Lie,
    Rows,
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
_LEAST_ROWS_US = 800.0  # of one that is many calls, as kernels that compute rows are
_LEAST_BYTES = 512 << 10  # of an array of a pointwise run
_ALIGNED = 64  # bytes, as in the arena


class Tiles:
    """A step in tiles, the calls of each; a call of it runs them all."""

    __slots__ = ("tiles",)

    def __init__(self, tiles: Sequence[Calls]) -> None:
        self.tiles = tiles

    def __call__(self) -> None:
        crew.run(self.tiles)


def tiled(
    order: Iterable[Bound | Step], emit: Emit, threads: int
) -> list[tuple[Node | None, Step]]:
    """The calls of ``order``, large nodes in tiles for so many threads; each with its node.

    Args:
        order: what runs, in order: nodes, and calls that are no node's.
        emit: gives the calls of a node.
        threads: 2 or more.
    """
    steps: list[tuple[Node | None, Step]] = []
    spare = Spare()
    for updates, some in groupby(order, is_update):
        nodes: list[Any] = list(some)
        if updates:
            tiles = shared(nodes, lambda bound, tile: _in_tile(bound, emit, spare, tile), threads)
            if tiles:
                steps.append((nodes[0].node, Tiles(tiles)))
                continue
        for run in runs(nodes, _LEAST_BYTES):
            if isinstance(run, Run):
                steps += _cut(run, emit, threads, spare)
            else:
                steps.append((None, run))
    return steps


def _in_tile(bound: Bound, emit: Emit, spare: Spare, tile: int) -> Calls:
    """The calls of a node, which works in what the tile has."""
    return emit(
        Bound(bound.node, bound.args, bound.outs, _work(bound.node, bound.args, spare, tile))
    )


def _cut(run: Run, emit: Emit, threads: int, spare: Spare) -> list[tuple[Node, Step]]:
    """The steps of nodes that run together."""
    first = run.members[0]
    if run.axis is not None:
        parts = parts_of(sum(_us(bound, emit) for bound in run.members), threads)
        tiles = [[c for bound in s for c in emit(bound)] for s in run.slices(parts)]
        if parts > 1 and len(tiles) > 1:
            return [(first.node, Tiles(tiles))]
        return [(bound.node, call) for bound in run.ordered() for call in emit(bound)]
    if first.node.prim.has_rowwise and _us(first, emit) >= _LEAST_ROWS_US:
        tiles = _by_rows(first, emit, threads if first.work else 2 * threads, spare)
        if tiles:
            return [(first.node, Tiles(tiles))]
    return [(first.node, _cut_call(call, threads)) for call in emit(first)]


def _cut_call(call: Step, threads: int) -> Step:
    tiles = cut(call, threads)
    return Tiles(tiles) if tiles else call


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


def _by_rows(bound: Bound, emit: Emit, parts: int, spare: Spare) -> list[Calls]:
    """A node that computes rows on their own, some of them in each tile; [] if it can't be cut."""
    prim, arrays = bound.node.prim, [*bound.args, *bound.outs]
    outs = bound.outs if len(bound.outs) > 1 else bound.outs[0]
    axes = prim.rowwise(*bound.args, out=outs)
    plain = all(isinstance(a, np.ndarray) and a.dtype.kind == "f" for a in arrays)
    if axes is None or not plain or any(min(a.strides, default=0) < 0 for a in arrays):
        return []
    length = next(a.shape[i] for a, i in zip(arrays, axes, strict=True) if isinstance(i, int))
    where = cuts(length, parts)
    lies = tuple(map(lie, arrays))
    if len(where) < 2 or not _rows_alike(bound.node, emit, lies, axes, where):
        return []
    return [emit(_some(bound, axes, some, spare, k)) for k, some in enumerate(where)]


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


def _rows_alike(
    node: Node,
    emit: Emit,
    lies: tuple[Lie, ...],
    axes: Sequence[Rows],
    where: list[slice],
) -> bool:
    """Whether some rows at a time have the bits of all rows."""
    key = node.prim, lies, len(where)
    if key not in _seen:
        rng, spare = np.random.default_rng(0), Spare()
        drawn = [numbers(a, rng) for a in lies]
        count = len(lies) - len(node.outputs)
        again = [numbers(a, rng) for a in lies[count:]]
        args = drawn[:count]
        whole = Bound(node, args, tuple(drawn[count:]), _work(node, args, spare, 0))
        cut = Bound(node, args, tuple(again))
        with np.errstate(all="ignore"):
            for bound in (whole, *[_some(cut, axes, some, spare, 0) for some in where]):
                for call in emit(bound):
                    call()
        if len(_seen) >= _SEEN_BOUND:
            _seen.clear()
        pairs = zip(whole.outs, cut.outs, strict=True)
        _seen[key] = all(a.tobytes() == b.tobytes() for a, b in pairs)
    return _seen[key]


__all__ = ["Tiles", "tiled"]
