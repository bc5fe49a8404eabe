"""Tiles of a program: what several threads do at once, while its steps stay in their order.

A step that is long enough is cut into tiles, and the next one begins when all of them are done.
One thread runs the uncut steps, several the same ones cut:

* A *run* of pointwise nodes is cut into slices, as :mod:`minispore.graph.blocks` does for the
  cache.
* An op that computes *rows* on their own says so (``Primitive.rowwise``), and is cut between them
  if that has given the same bits of numbers drawn for it: few rows may be summed in another way.
* Any other node is its calls, of which :mod:`minispore.core.threads.tiles` cuts the long ones, as
  it does in PYNATIVE_MODE.

So what a graph computes is decided by none of this. The many short calls of a recurrence, or of a
transform that stays in the cache, run on one thread; it is said there why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from minispore.core.primitive import Calls
from minispore.core.threads import crew
from minispore.core.threads.tiles import BYTES_PER_US, HARD, Lie, cut, cuts, lie, numbers, parts_of
from minispore.core.value import Node
from minispore.graph.blocks import Bound, Run, runs

Step = Callable[[], Any]
Emit = Callable[[Bound], Calls]

_PASSES = 4  # over its arrays by a kernel that does not tell its calls
_LEAST_ROWS_US = 500.0  # of one that is many calls, as kernels that compute rows are
_LEAST_BYTES = 512 << 10  # of an array of a pointwise run


class Tiles:
    """A step in tiles; a call of it runs them all.

    Attributes:
        node: of which it is, or the first of those.
        tiles: the calls of each tile.
    """

    __slots__ = ("node", "tiles")

    def __init__(self, node: Node, tiles: Sequence[Calls]) -> None:
        self.node, self.tiles = node, tiles

    def __call__(self) -> None:
        crew.run(self.tiles)


def tiled(order: Iterable[Bound | Step], emit: Emit, threads: int) -> list[Step]:
    """The calls of ``order``, those of large nodes in tiles for so many threads.

    Args:
        order: what runs, in order: nodes, and calls that are no node's.
        emit: gives the calls of a node.
        threads: 2 or more.
    """
    steps: list[Step] = []
    for run in runs(order, _LEAST_BYTES):
        if isinstance(run, Run):
            steps += _cut(run, emit, threads)
        else:
            steps.append(run)
    return steps


def _cut(run: Run, emit: Emit, threads: int) -> list[Step]:
    """The steps of nodes that run together."""
    first = run.members[0]
    if run.axis is not None:
        parts = parts_of(sum(_us(bound, emit) for bound in run.members), threads)
        tiles = [[c for bound in s for c in emit(bound)] for s in run.slices(parts)]
        if parts > 1 and len(tiles) > 1:
            return [Tiles(first.node, tiles)]
        return [call for bound in run.ordered() for call in emit(bound)]
    if first.node.prim.has_rowwise and _us(first, emit) >= _LEAST_ROWS_US:
        tiles = _by_rows(first, emit, 2 * threads)
        if tiles:
            return [Tiles(first.node, tiles)]
    return [_cut_call(first.node, call, threads) for call in emit(first)]


def _cut_call(node: Node, call: Step, threads: int) -> Step:
    tiles = cut(call, threads)
    return Tiles(node, tiles) if tiles else call


def _us(bound: Bound, emit: Emit) -> float:
    """What a node costs on paper."""
    arrays = [a for a in (*bound.args, *bound.outs) if isinstance(a, np.ndarray)]
    us = sum(a.nbytes for a in arrays) / BYTES_PER_US
    if bound.node.prim.transcendental:
        return us * HARD
    return us * (len(emit(bound)) if bound.node.prim.has_calls else _PASSES)


# -- rows ------------------------------------------------------------------------------------------


def _by_rows(bound: Bound, emit: Emit, parts: int) -> list[Calls]:
    """A node that computes rows on their own, some of them in each tile; [] if it can't be cut."""
    prim, arrays = bound.node.prim, [*bound.args, *bound.outs]
    outs = bound.outs if len(bound.outs) > 1 else bound.outs[0]
    axes = prim.rowwise(*bound.args, out=outs)
    plain = all(isinstance(a, np.ndarray) and a.dtype.kind == "f" for a in arrays)
    if (
        axes is None
        or not plain
        or bound.work
        or any(min(a.strides, default=0) < 0 for a in arrays)
    ):
        return []
    length = next(a.shape[i] for a, i in zip(arrays, axes, strict=True) if i is not None)
    where = cuts(length, parts)
    lies = tuple(map(lie, arrays))
    if len(where) < 2 or not _rows_alike(bound.node, emit, lies, axes, where):
        return []
    return [emit(_some(bound, axes, some)) for some in where]


def _some(bound: Bound, axes: Sequence[int | None], some: slice) -> Bound:
    """The node on some rows."""
    arrays = [
        a if i is None else a[(*[slice(None)] * i, some)]
        for a, i in zip((*bound.args, *bound.outs), axes, strict=True)
    ]
    count = len(bound.args)
    return Bound(bound.node, arrays[:count], tuple(arrays[count:]))


_seen: dict[Any, bool] = {}
_SEEN_BOUND = 1024


def _rows_alike(
    node: Node,
    emit: Emit,
    lies: tuple[Lie, ...],
    axes: tuple[int | None, ...],
    where: list[slice],
) -> bool:
    """Whether some rows at a time have the bits of all rows."""
    key = node.prim, lies, len(where)
    if key not in _seen:
        rng = np.random.default_rng(0)
        drawn = [numbers(a, rng) for a in lies]
        count = len(lies) - len(node.outputs)
        again = [numbers(a, rng) for a in lies[count:]]
        whole = Bound(node, drawn[:count], tuple(drawn[count:]))
        cut = Bound(node, drawn[:count], tuple(again))
        with np.errstate(all="ignore"):
            for bound in (whole, *[_some(cut, axes, some) for some in where]):
                for call in emit(bound):
                    call()
        if len(_seen) >= _SEEN_BOUND:
            _seen.clear()
        pairs = zip(whole.outs, cut.outs, strict=True)
        _seen[key] = all(a.tobytes() == b.tobytes() for a, b in pairs)
    return _seen[key]


__all__ = ["Tiles", "tiled"]
