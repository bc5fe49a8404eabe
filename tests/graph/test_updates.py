"""Updates of Parameters are shared out to threads, large ones in pieces, with the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn
from minispore.core.parameter import Parameter
from minispore.execution.threads import worker_processes
from minispore.graph import program_of
from minispore.graph.blocks import BoundNode
from minispore.graph.tiles import Tiles
from minispore.graph.updates import _get_byte_bounds, _has_memory_conflict, make_update_tiles
from minispore.ir.node import Node
from minispore.ops.optim.adam import Adam
from minispore.ops.optim.updates import BLOCK

pytestmark = pytest.mark.usefixtures("everything_is_long")


SIZES = (3 * BLOCK + 5, 7, BLOCK, 2 * BLOCK - 1, 1)
OPTIMIZERS: dict[str, Any] = {
    "Adam": lambda ps: nn.Adam(ps, 0.1),
    "nesterov": lambda ps: nn.Adam(ps, 0.1, use_nesterov=True),
    "AdamWeightDecay": lambda ps: nn.AdamWeightDecay(ps, 0.1),
    "Momentum": lambda ps: nn.Momentum(ps, 0.1, 0.9),
    "SGD": lambda ps: nn.SGD(ps, 0.1, momentum=0.9),
    "RMSProp": lambda ps: nn.RMSProp(ps, 0.1),
    "Adagrad": lambda ps: nn.Adagrad(ps, learning_rate=0.1),
}


def drawn(size: int, seed: int, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(size).astype(dtype)


def updated(name: str, threads: int, dtype: Any = np.float32) -> tuple[list[bytes], list[Any]]:
    """All Parameters after three updates, and what a step of them runs."""
    ms.set_context(mode=ms.GRAPH_MODE, runtime_num_threads=threads)
    params = [Parameter(Tensor(drawn(n, i, dtype)), name=f"p{i}") for i, n in enumerate(SIZES)]
    optimizer = OPTIMIZERS[name](params)
    grads = tuple([Tensor(drawn(n, 10 + i, dtype)) for i, n in enumerate(SIZES)])
    for _ in range(3):
        optimizer(grads)
    helped = worker_processes.should_use_workers()
    steps = program_of(optimizer, grads)._get_tiled_steps(threads, helped) if threads > 1 else []
    return [p.asnumpy().tobytes() for p in optimizer.get_parameters()], steps


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *[(name, np.float32) for name in OPTIMIZERS],
        *[(n, np.float16) for n in ("Momentum", "RMSProp")],
    ],
)
def test_several_threads_update_to_the_same_bits(name: str, dtype: Any) -> None:
    one, _ = updated(name, 1, dtype)
    for threads in (2, 3):
        assert updated(name, threads, dtype)[0] == one


@pytest.mark.parametrize("name", ["Adam", "Momentum"])
def test_updates_that_follow_each_other_are_one_step_of_tiles_of_a_like_size(name: str) -> None:
    _, steps = updated(name, 3)
    [step] = [s for s in steps if isinstance(s, Tiles)]
    assert len(step.tiles) == 6  # two for each thread: any update is long here
    of_one_block = [c for tile in step.tiles for c in tile if "_Coefficients.update" in repr(c)]
    assert len(of_one_block) > len(SIZES)  # large ones are cut


def test_small_updates_are_shared_out_by_what_their_calls_cost() -> None:
    small = [bound(*np.zeros((4, 8), np.float32)) for _ in range(40)]
    large = bound(*np.zeros((4, BLOCK), np.float32))
    tiles = make_update_tiles([*small, large], lambda one, tile: [one], 2, 0.0)
    assert len(tiles) > 1
    assert max(map(len, tiles)) < 20


def bound(var: np.ndarray, m: np.ndarray, v: np.ndarray, grad: np.ndarray) -> BoundNode:
    node = Node.__new__(Node)
    node.prim = Adam()
    return BoundNode(node, [var, m, v, 0.9, 0.9, 0.1, 0.9, 0.9, 1e-8, grad], (var, m, v))


def test_a_memory_conflict_is_detected_between_a_write_and_any_overlap() -> None:
    a = np.zeros(100, np.float32)
    parts = [a[i : i + 10] for i in range(0, 80, 10)]
    assert not _has_memory_conflict([bound(*parts[:4]), bound(*parts[4:8])])
    assert not _has_memory_conflict(
        [bound(*parts[:4]), bound(*parts[4:7], parts[3])]
    )  # both read it
    assert not _has_memory_conflict(
        [bound(*parts[:3], parts[0]), bound(*parts[4:8])]
    )  # one with itself
    assert _has_memory_conflict([bound(*parts[:4]), bound(*parts[4:7], parts[1])])
    assert _has_memory_conflict([bound(*parts[4:7], parts[1]), bound(*parts[:4])])
    assert _has_memory_conflict([bound(*parts[:4]), bound(*parts[4:7], a[29:39])])
    assert _has_memory_conflict([bound(*parts[:4]), bound(*parts[3:7])])
    assert _has_memory_conflict([bound(*parts[:4]), bound(*parts[4:8]), bound(a[:75], *parts[5:8])])


@pytest.mark.parametrize(
    "of", [lambda a: a, lambda a: a[::-1], lambda a: a[1:3, ::2], lambda a: a.T[::-2]]
)
def test_the_bounds_of_an_array_are_those_of_its_bytes(of: Any) -> None:
    whole = np.arange(24, dtype=np.int16).reshape(4, 6)
    part = of(whole)
    begin = whole.__array_interface__["data"][0]
    at = [begin + 2 * int(i) for i in part.ravel()]  # each element is its place
    assert _get_byte_bounds(part) == (min(at), max(at) + 2)
