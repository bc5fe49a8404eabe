"""Optimizer sharding: each parameter is updated by one rank, which alone keeps its state.

The ranks sum each gradient on the rank that updates its parameter, and that rank hands the new
parameter to all: a reduce-scatter and an all-gather for each bucket, as many bytes as an
all-reduce. What is computed is the same, bit for bit where sums are made in rank order.
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

ALL = -1  # in place of the rank: every rank updates this parameter


def owners(parameters: Sequence[Parameter]) -> tuple[int, ...]:
    """The rank that updates each parameter; the largest first, each to the rank with least so far.

    Where ``enable_parallel_optimizer`` is not set, or there is one rank, it is ``ALL``, as for
    parameters smaller than ``parallel_optimizer_threshold`` KB and those that say so themselves.
    """
    said, ranks = context.parallel.current(), transport.current.size(WORLD)
    found = [ALL] * len(parameters)
    together = said.parallel_mode != ParallelMode.STAND_ALONE
    if not said.enable_parallel_optimizer or not together or ranks == 1:
        return tuple(found)
    least = said.parallel_optimizer_config["parallel_optimizer_threshold"] * 2**10
    loads = [0] * ranks
    for i in sorted(range(len(parameters)), key=lambda i: -parameters[i].nbytes):
        p = parameters[i]
        if p.parallel_optimizer and not p.layerwise_parallel and p.nbytes >= max(least, 1):
            found[i] = loads.index(min(loads))
            loads[found[i]] += p.nbytes
    return tuple(found)


class SharedOut(ParameterTuple):
    """Parameters, clones of which are filled on the ranks that update them."""

    owners: tuple[int, ...] = ()

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        made = list(super().clone(prefix, init))
        for i, owner in enumerate(self.owners):
            if owner not in (ALL, transport.current.rank(WORLD)):
                there = DeferredTensor(made[i].value_.spec, OnAnotherRank(owner))
                made[i] = Parameter(there, made[i].name, made[i].requires_grad)
            made[i].kept_by_ = None if owner == ALL else owner
        return ParameterTuple(made)


def hand_on(parameters: Sequence[Parameter], owners: Sequence[int]) -> None:
    """Give all ranks the parameters that each of them has updated."""
    shared = tuple(i for i, owner in enumerate(owners) if owner != ALL)
    if not shared:
        return
    me = transport.current.rank(WORLD)
    of = tuple(owners[i] for i in shared)
    found = AllGatherShares(of)(tuple(parameters[i] for i in shared))
    for i, new in zip((i for i in shared if owners[i] != me), found, strict=True):
        ops.assign(parameters[i], new)


__all__ = ["ALL", "SharedOut", "hand_on", "owners"]
