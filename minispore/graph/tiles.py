"""Tiles of a program: the parts of a step that several threads run concurrently.

The steps of a program stay in order. A long step is cut into tiles, and the next step begins when
all tiles are done. One thread runs uncut steps; several threads run the same steps cut into tiles:

* A *run* of pointwise nodes is cut into slices (:mod:`minispore.graph.blocks`).
* An op whose *rows* are independent says so (``Primitive.rowwise``). It is cut between rows if that
  gave the same bits for random test arrays: NumPy may sum few rows in a different order.
* Successive updates of Parameters are distributed (:mod:`minispore.graph.updates`).
* The long calls of any other node are cut by :mod:`minispore.execution.threads.tiles`, as in
  PYNATIVE_MODE.

So the result of a graph does not depend on tiles. If there are worker processes
(:mod:`minispore.execution.threads.worker_processes`), they run the tiles of steps whose arrays are
all in shared memory, and much shorter steps are worth cutting. Otherwise threads run the tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import accumulate, groupby
from typing import Any

import numpy as np

from minispore.core.primitive import Arithmetic, Calls
from minispore.execution.threads import shared_memory, thread_pool, worker_processes
from minispore.execution.threads.tiles import (
    BY_THREADS,
    BYTES_PER_US,
    TRANSCENDENTAL_COST,
    MemoryLayout,
    MinCost,
    choose_tile_count,
    describe_layout,
    estimate_call_us,
    get_bound_arrays,
    make_samples,
    slice_rows,
    split_call,
    split_range,
)
from minispore.graph.blocks import BoundNode, NodeRun, group_runs
from minispore.graph.updates import is_update, make_update_tiles
from minispore.ir.node import Node
from minispore.ir.operator import Rows
from minispore.ir.value import Spec

Step = Callable[[], Any]
Emit = Callable[[BoundNode], Calls]

# Estimates for a kernel without a list of calls: passes over its arrays, flops per us without BLAS.
_PASSES, _SLOW_FLOPS_PER_US = 4, 4e3
BY_HELPERS = MinCost(5.0, 10.0, 64 << 10)  # for the tile of each worker


class Tiles:
    """A step as the calls of each of its tiles; calling it runs all tiles, on threads."""

    __slots__ = ("tiles",)

    def __init__(self, tiles: Sequence[Calls]) -> None:
        self.tiles = tiles

    def __call__(self) -> None:
        """Run all tiles in the thread pool, and wait for them."""
        thread_pool.run(self.tiles)


class _TileBuilder:
    """Makes tiled steps for a number of threads or for worker processes.

    Attributes:
        emit: returns the calls of a node.
        threads: the number of threads.
        has_workers: whether worker processes run the tiles instead of threads.
        thresholds: the minimum time and size of a step that is cut.
        scratch_pool: the scratch memory of each tile.
    """

    def __init__(self, emit: Emit, threads: int, has_workers: bool) -> None:
        self.emit, self.threads, self.has_workers = emit, threads, has_workers
        self.thresholds = BY_HELPERS * threads if has_workers else BY_THREADS
        self.scratch_pool = ScratchPool()

    def make_step(self, tiles: Sequence[Calls]) -> Step:
        """Return a step that runs these tiles, on worker processes or on threads."""
        return worker_processes.Step(tiles) if self.has_workers else Tiles(tiles)

    def emit_for_tile(self, bound: BoundNode, tile: int) -> Calls:
        """Return the calls of a node, with the scratch memory of this tile."""
        work = _get_scratch(bound.node, bound.args, self.scratch_pool, tile)
        return self.emit(BoundNode(bound.node, bound.args, bound.outs, work))


def make_tiled_steps(
    order: Iterable[BoundNode | Step], emit: Emit, threads: int, with_workers: bool = False
) -> list[tuple[Node | None, Step]]:
    """Return the calls of ``order`` with their nodes, large nodes cut into tiles.

    Args:
        order: nodes, and calls that do not belong to a node, in the order in which they run.
        emit: returns the calls of a node.
        threads: the number of threads, 2 or more.
        with_workers: worker processes run the tiles; all arrays of ``order`` but constants are in
            shared memory.
    """
    steps: list[tuple[Node | None, Step]] = []
    builder = _TileBuilder(emit, threads, with_workers)
    for are_updates, group in groupby(order, is_update):
        nodes: list[Any] = list(group)
        if are_updates:
            tiles = make_update_tiles(nodes, builder.emit_for_tile, threads, builder.thresholds.us)
            if tiles:
                steps.append((nodes[0].node, builder.make_step(tiles)))
                continue
        for run in group_runs(nodes, builder.thresholds.nbytes):
            if isinstance(run, NodeRun):
                steps += _cut_run(run, builder)
            else:
                steps.append((None, run))
    return steps


def _cut_run(run: NodeRun, builder: _TileBuilder) -> list[tuple[Node, Step]]:
    """Return the steps of nodes that run together: one tiled step, or the calls of each node."""
    first, emit, thresholds = run.members[0], builder.emit, builder.thresholds
    if run.axis is not None:
        us = sum(_estimate_us(bound, emit) for bound in run.members)
        count = choose_tile_count(us, builder.threads, thresholds.us)
        slices = run.cut_slices(count)
        tiles = [[call for bound in nodes for call in emit(bound)] for nodes in slices]
        if count > 1 and len(tiles) > 1:
            return [(first.node, builder.make_step(tiles))]
        return [(bound.node, call) for bound in run.members for call in emit(bound)]
    prim = first.node.prim
    can_cut_rows = prim.traits.has_rowwise and (
        builder.has_workers or not prim.work_split.short_calls
    )
    if can_cut_rows and _estimate_us(first, emit) >= thresholds.rows_us:
        tiles = _cut_rows(first, builder)
        if tiles:
            return [(first.node, builder.make_step(tiles))]
    return [(first.node, _cut_call(call, first, builder)) for call in emit(first)]


def _cut_call(call: Step, bound: BoundNode, builder: _TileBuilder) -> Step:
    """Return a call of a node cut into tiles for threads or workers; the call itself if tiling does
    not pay.
    """
    if not builder.has_workers:
        tiles = split_call(call, builder.threads)
        return Tiles(tiles) if tiles else call
    if not isinstance(call, partial):
        return call
    tiles = split_call(call, builder.threads, builder.thresholds)
    return worker_processes.Step(tiles) if tiles and _is_visible_to_workers(call, bound) else call


def _is_visible_to_workers(call: partial[Any], bound: BoundNode) -> bool:
    """Whether worker processes see all arrays that a call of a node reads and writes.

    Scratch memory of its kernel may be private to this process.
    """
    # Including constants, of which the workers have copies.
    arguments = [a for a in bound.args if isinstance(a, np.ndarray)]

    def is_visible(a: np.ndarray) -> bool:
        """Whether workers see an array: it is shared, read-only, or a view of an argument."""
        if shared_memory.is_shared(a) or shared_memory.is_read_only(a):
            return True
        return any(np.may_share_memory(a, b) for b in arguments)

    return all(is_visible(a) for a in get_bound_arrays(call))


def _estimate_us(bound: BoundNode, emit: Emit) -> float:
    """Return the estimated time of a node in microseconds, from its bytes and operations."""
    arrays = [a for a in (*bound.args, *bound.outs) if isinstance(a, np.ndarray)]
    us = sum(a.nbytes for a in arrays) / BYTES_PER_US
    prim = bound.node.prim
    is_transcendental = prim.arithmetic is Arithmetic.TRANSCENDENTAL
    cost_factor = TRANSCENDENTAL_COST if is_transcendental else 0
    if prim.pointwise and cost_factor:
        return us * cost_factor
    if prim.traits.has_calls:
        return sum(map(estimate_call_us, emit(bound)))
    return max(us * (cost_factor + _PASSES), bound.node.flops / _SLOW_FLOPS_PER_US)


# -- rows ------------------------------------------------------------------------------------------


class ScratchPool:
    """Scratch memory of each tile, shared by all nodes, since they run one after the other."""

    def __init__(self) -> None:
        self._memory_by_tile: dict[int, np.ndarray] = {}  # keyed by the number of the tile

    def get_arrays(self, tile: int, specs: Iterable[Spec]) -> list[np.ndarray]:
        """Return arrays of these specs in the memory of a tile, which grows if needed; their
        content is undefined.
        """
        specs = list(specs)
        ends = list(accumulate(shared_memory.compute_reserved_bytes(s.nbytes) for s in specs))
        if ends and (
            tile not in self._memory_by_tile or self._memory_by_tile[tile].size < ends[-1]
        ):
            self._memory_by_tile[tile] = np.empty(ends[-1], np.uint8)
        begins = [0, *ends]
        return [
            self._memory_by_tile[tile][begin : begin + s.nbytes].view(s.dtype).reshape(s.shape)
            for begin, s in zip(begins, specs, strict=False)
        ]


def _cut_rows(bound: BoundNode, builder: _TileBuilder) -> list[Calls]:
    """Cut a node whose rows are independent into tiles of rows; return [] if it can't be cut
    without changing bits.
    """
    prim, arrays = bound.node.prim, [*bound.args, *bound.outs]
    outs = bound.outs if len(bound.outs) > 1 else bound.outs[0]
    axes = prim.rowwise(*bound.args, out=outs)
    operands = [a for a in arrays if a is not None]
    is_numeric = all(isinstance(a, np.ndarray) and a.dtype.kind in "fi" for a in operands)
    if axes is None or not is_numeric or any(min(a.strides, default=0) < 0 for a in operands):
        return []
    length = next(
        a.shape[axis] for a, axis in zip(arrays, axes, strict=True) if isinstance(axis, int)
    )
    layouts = tuple([None if a is None else describe_layout(a) for a in arrays])
    for multiple in prim.work_split.row_edges:
        row_ranges = split_range(length, builder.threads, multiple)
        if len(row_ranges) > 1 and _rows_have_equal_bits(
            bound.node, builder.emit, layouts, axes, row_ranges
        ):
            return [
                builder.emit(_take_rows(bound, axes, rows, builder.scratch_pool, tile))
                for tile, rows in enumerate(row_ranges)
            ]
    return []


def _take_rows(
    bound: BoundNode, axes: Sequence[Rows], rows: slice, scratch_pool: ScratchPool, tile: int
) -> BoundNode:
    """Return the node on the rows of a slice, with the scratch memory of a tile."""
    arrays = [
        slice_rows(a, axis, rows) for a, axis in zip((*bound.args, *bound.outs), axes, strict=True)
    ]
    count = len(bound.args)
    args, outs = arrays[:count], tuple(arrays[count:])
    return BoundNode(bound.node, args, outs, _get_scratch(bound.node, args, scratch_pool, tile))


def _get_scratch(
    node: Node, args: list[Any], scratch_pool: ScratchPool, tile: int
) -> list[np.ndarray]:
    """Return the scratch arrays of a tile that the kernel of a node needs for these arguments."""
    specs = [Spec(a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in args]
    return scratch_pool.get_arrays(tile, node.prim.scratch(*specs))


_row_checks: dict[Any, bool] = {}
_MAX_ROW_CHECKS = 1024
# Small arrays are tested several times, since a few results may agree by chance.
_TEST_BYTES, _MAX_TESTS = 4 << 20, 16


def _rows_have_equal_bits(
    node: Node,
    emit: Emit,
    layouts: tuple[MemoryLayout | None, ...],
    axes: Sequence[Rows],
    row_ranges: list[slice],
) -> bool:
    """Whether a node computes the same bits range by range as on all rows; the answer is cached.

    Tested with random arrays of these layouts.
    """
    key = node.prim, layouts, tuple([rows.start for rows in row_ranges])
    if key not in _row_checks:
        if len(_row_checks) >= _MAX_ROW_CHECKS:
            _row_checks.clear()
        rng, nbytes = np.random.default_rng(0), sum(v.spec.nbytes for v in node.inputs)
        test_count = max(1, min(_MAX_TESTS, _TEST_BYTES // max(1, nbytes)))
        _row_checks[key] = all(
            _test_rows_once(node, emit, layouts, axes, row_ranges, rng) for _ in range(test_count)
        )
    return _row_checks[key]


def _test_rows_once(
    node: Node,
    emit: Emit,
    layouts: tuple[MemoryLayout | None, ...],
    axes: Sequence[Rows],
    row_ranges: list[slice],
    rng: np.random.Generator,
) -> bool:
    """Whether a node computes the same bits on all rows at once and range by range, for one set of
    random arrays.
    """
    scratch_pool, count = ScratchPool(), len(layouts) - len(node.outputs)
    arrays = [None if a is None else make_samples(a, rng) for a in layouts]
    other_outputs = [make_samples(a, rng) for a in layouts[count:] if a is not None]
    args, outs = arrays[:count], tuple([a for a in arrays[count:] if a is not None])
    uncut = BoundNode(node, args, outs, _get_scratch(node, args, scratch_pool, 0))
    cut = BoundNode(node, args, tuple(other_outputs))
    with np.errstate(all="ignore"):
        for bound in (
            uncut,
            *[_take_rows(cut, axes, rows, scratch_pool, 0) for rows in row_ranges],
        ):
            for call in emit(bound):
                call()
    return all(a.tobytes() == b.tobytes() for a, b in zip(uncut.outs, cut.outs, strict=True))


__all__ = ["Tiles", "make_tiled_steps"]
