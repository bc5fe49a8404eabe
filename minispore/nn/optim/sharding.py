"""Optimizer sharding: each parameter is updated by one rank, which alone stores its state.

The ranks sum each gradient on the rank that updates its parameter, and that rank sends the new
parameter to all ranks. Each bucket takes a reduce-scatter and an all-gather, which transfer as many
bytes as an all-reduce. Results are the same, bitwise if sums are computed in rank order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minispore import context, ops
from minispore.context import ParallelMode
from minispore.core.initializer.deferred import DeferredTensor, OnAnotherRank
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.ops.control.bucket import AllGatherShares
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport

ALL_RANKS = -1  # in place of a rank: every rank updates this parameter


def assign_owners(parameters: Sequence[Parameter]) -> tuple[int, ...]:
    """Assign each parameter to a rank that updates it, and return these ranks.

    Parameters are assigned in order of decreasing size, each to the rank with the fewest bytes so
    far. All get ``ALL_RANKS`` without ``enable_parallel_optimizer`` or with one rank, as do
    parameters below ``parallel_optimizer_threshold`` KB or without ``parallel_optimizer``.
    """
    config, ranks = context.parallel.current(), transport.current.size(WORLD)
    owners = [ALL_RANKS] * len(parameters)
    is_parallel = config.parallel_mode != ParallelMode.STAND_ALONE
    if not config.enable_parallel_optimizer or not is_parallel or ranks == 1:
        return tuple(owners)
    min_bytes = config.parallel_optimizer_config["parallel_optimizer_threshold"] * 2**10
    rank_bytes = [0] * ranks
    for i in sorted(range(len(parameters)), key=lambda i: -parameters[i].nbytes):
        p = parameters[i]
        if p.parallel_optimizer and not p.layerwise_parallel and p.nbytes >= max(min_bytes, 1):
            owners[i] = rank_bytes.index(min(rank_bytes))
            rank_bytes[owners[i]] += p.nbytes
    return tuple(owners)


class ShardedParameters(ParameterTuple):
    """Parameters whose clones are filled only on the ranks that update them."""

    owners: tuple[int, ...] = ()

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """Clone the parameters; on this rank, those that another rank updates get no content.

        Each clone's ``owner_rank_`` is the rank that updates it, or None if all do.
        """
        clones = list(super().clone(prefix, init))
        for i, owner in enumerate(self.owners):
            if owner not in (ALL_RANKS, transport.current.rank(WORLD)):
                placeholder = DeferredTensor(clones[i].value_.spec, OnAnotherRank(owner))
                clones[i] = Parameter(placeholder, clones[i].name, clones[i].requires_grad)
            clones[i].owner_rank_ = None if owner == ALL_RANKS else owner
        return ParameterTuple(clones)


def broadcast_updates(parameters: Sequence[Parameter], owners: Sequence[int]) -> None:
    """Send the parameters that each rank has updated to all other ranks, which assign them."""
    sharded = tuple(i for i, owner in enumerate(owners) if owner != ALL_RANKS)
    if not sharded:
        return
    rank = transport.current.rank(WORLD)
    shard_owners = tuple(owners[i] for i in sharded)
    gathered = AllGatherShares(shard_owners)(tuple(parameters[i] for i in sharded))
    updated_elsewhere = [i for i in sharded if owners[i] != rank]
    for i, content in zip(updated_elsewhere, gathered, strict=True):
        ops.assign(parameters[i], content)


__all__ = ["ALL_RANKS", "ShardedParameters", "assign_owners", "broadcast_updates"]
