"""Ranks that train together: one tells what all could, and a metric is of the rows of all."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from minispore import context, ops
from minispore.context import ParallelMode
from minispore.core.callback import Callback
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.core.tree import map_tensors
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport

_MOST = 64  # callbacks of one training that are compared
_NAME_BYTES = 16


def ranks_together() -> int:
    """How many ranks train one network: 1 in mode ``stand_alone``."""
    mode = context.get_auto_parallel_context("parallel_mode")
    return 1 if mode == ParallelMode.STAND_ALONE else transport.current.size(WORLD)


def tell_once(callbacks: Sequence[Callback]) -> None:
    """Let the first rank that has it print and write what several ranks' callbacks would: the same
    lines, the same files.
    """
    for callback in callbacks:
        callback._told_elsewhere_ = False
    if ranks_together() == 1:
        return
    mine = np.zeros((_MOST, _NAME_BYTES), np.uint8)
    for row, callback in zip(mine, callbacks, strict=False):
        if callback._tells_ is not None:
            name = blake2b(callback._tells_.encode(), digest_size=_NAME_BYTES).digest()
            row[:] = np.frombuffer(name, np.uint8)
    found = transport.current.all_gather(mine, WORLD)
    told = {row.tobytes() for each in found[: transport.current.rank(WORLD)] for row in each}
    for row, callback in zip(mine, callbacks, strict=False):
        callback._told_elsewhere_ = callback._tells_ is not None and row.tobytes() in told


def content_of(p: Parameter) -> np.ndarray:
    """The content of a parameter; of one that a rank alone keeps, what that rank has. All ranks
    must ask for it.
    """
    if p.owner_rank_ is None:
        return p.asnumpy()
    spec, ranks = p.value_.spec, transport.current
    mine = ranks.rank(WORLD) == p.owner_rank_
    x = p.asnumpy() if mine else np.broadcast_to(np.zeros((), spec.dtype), spec.shape)
    return ranks.broadcast(x, p.owner_rank_, WORLD)


def of_all_ranks(outputs: Any) -> list[Any]:
    """What a network has given on each rank, by rank. All ranks must ask for it."""
    parts = map_tensors(lambda t: ops.AllGather()(t.reshape((1, *t.shape))), outputs)

    def of(rank: int) -> Any:
        return map_tensors(lambda t: Tensor(t[rank]), parts)

    return [of(rank) for rank in range(transport.current.size(WORLD))]
