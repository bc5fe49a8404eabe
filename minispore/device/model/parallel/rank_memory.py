"""The memory of one rank: which arrays are sharded among the data-parallel ranks, and which are
complete.

A rank keeps its shard of a sharded array, and the complete array only during an op that needs it.
With several micro-batches, gradients are accumulated from the first one on, and the activations of
all micro-batches in flight are kept. Recomputed activations take memory twice: in the forward pass
of their layer, and from the first backward op of their layer on.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from minispore.device.model.memory import (
    ACTIVATIONS,
    GRADIENTS,
    KINDS,
    OPTIMIZER_STATE,
    PARAMETERS,
    WORKSPACE,
    ArrayLifetime,
    MemoryPlan,
    round_to_blocks,
)
from minispore.device.model.records import FORWARD, OPTIMIZER, OpRecord

#: The lowest ZeRO stage that shards a kind of arrays among the data-parallel ranks.
SHARING_STAGES = {OPTIMIZER_STATE: 1, WORKSPACE: 1, GRADIENTS: 2, PARAMETERS: 3}


class Occupation(NamedTuple):
    """Bytes of one array from op ``first`` to op ``last``; if it is shared, a rank has only its
    shard except during the ops ``complete_at``.
    """

    kind: str
    nbytes: int
    first: int
    last: int
    is_shared: bool = False
    complete_at: tuple[int, ...] = ()


class RankMemory:
    """The memory of a rank of one stage during each op of a micro-batch's step.

    Args:
        records: the ops of the stage.
        plan: their memory plan.
        data: the number of data-parallel ranks.
        zero: the ZeRO stage.
        recompute: whether only arrays that pass between layers are kept for the backward pass.
        micro_batches: the number of micro-batches in a step.
        in_flight: the number of micro-batches whose activations the stage holds at once.
    """

    def __init__(
        self,
        records: Sequence[OpRecord],
        plan: MemoryPlan,
        *,
        data: int,
        zero: int,
        recompute: bool,
        micro_batches: int,
        in_flight: int,
    ) -> None:
        self.records, self.plan = records, plan
        self.data, self.zero, self.recompute = data, zero, recompute
        self.accumulates, self.in_flight = micro_batches > 1, in_flight
        self.end = max(0, len(records) - 1)
        self.forward_end = max((i for i, r in enumerate(records) if r.kind == FORWARD), default=0)
        self.recompute_starts = self._find_recompute_starts() if recompute else {}

    def compute_peak_by_kind(self) -> dict[str, int]:
        """Return the bytes of each kind of array during the op at which their sum is largest."""
        steps = self.end + 2
        changes = {(kind, shared): [0] * steps for kind in KINDS for shared in (False, True)}

        def occupy(kind: str, is_shared: bool, nbytes: int, first: int, last: int) -> None:
            """Count ``nbytes`` as in use from op ``first`` to op ``last``."""
            changes[kind, is_shared][first] += nbytes
            changes[kind, is_shared][last + 1] -= nbytes

        for o in self._iterate_occupations():
            occupy(o.kind, o.is_shared, o.nbytes, o.first, o.last)
            for index in o.complete_at if o.is_shared else ():
                occupy(o.kind, True, -o.nbytes, index, index)
                occupy(o.kind, False, o.nbytes, index, index)
        usage = {}
        for kind in KINDS:
            bytes_by_op = (itertools.accumulate(changes[kind, shared]) for shared in (False, True))
            usage[kind] = [
                complete_bytes + -(-shared_bytes // self.data)  # a rank's shard, rounded up
                for complete_bytes, shared_bytes in zip(*bytes_by_op, strict=True)
            ]
        totals = [sum(column) for column in zip(*usage.values(), strict=True)]
        peak_index = max(range(len(totals)), key=totals.__getitem__)
        return {kind: usage[kind][peak_index] for kind in KINDS}

    def _iterate_occupations(self) -> Iterable[Occupation]:
        """Yield an Occupation for each time that an array of the plan takes memory.

        Arrays of the optimizer, gradients and parameters are sharded among ranks from their ZeRO
        stage on.
        """
        block = int(self.plan.spec.memory_block_bytes)
        for life in self.plan.lifetimes:
            nbytes = round_to_blocks(life.nbytes, block)
            is_shared = self.zero >= SHARING_STAGES.get(life.kind, self.zero + 1)
            used_at = tuple(i for i in set(life.reads) if self.records[i].kind != OPTIMIZER)
            if life.kind == PARAMETERS:
                yield Occupation(PARAMETERS, nbytes, 0, self.end, is_shared, used_at)
            elif life.kind == GRADIENTS:
                if len(used_at) == len(set(life.reads)):  # no optimizer reads it: for an activation
                    yield Occupation(GRADIENTS, nbytes, life.first, life.last)
                    continue
                first, last = (0, self.end) if self.accumulates else (life.first, life.last)
                complete_at = (life.first, *(i for i in used_at if i <= last))
                yield Occupation(GRADIENTS, nbytes, first, last, is_shared, complete_at)
            elif life.kind == ACTIVATIONS and self._is_saved(life):
                yield from self._iterate_saved_occupations(life, nbytes)
            else:
                yield Occupation(life.kind, nbytes, life.first, life.last, is_shared)

    def _is_saved(self, life: ArrayLifetime) -> bool:
        """Whether the forward pass makes an array that the backward pass reads."""
        return life.first <= self.forward_end < life.last

    def _iterate_saved_occupations(self, life: ArrayLifetime, nbytes: int) -> Iterable[Occupation]:
        """Yield the two Occupations of an array that the backward pass reads.

        If the array is recomputed, these are the two periods in which it takes memory; otherwise
        the second one is for the other micro-batches in flight.
        """
        layer = _get_layer_path(life.label)
        if self.recompute and self._stays_in_layer(life):
            forward_reads = [i for i in life.reads if i <= self.forward_end]
            last = max(forward_reads, default=life.first)
            yield Occupation(ACTIVATIONS, nbytes, life.first, last)
            yield Occupation(ACTIVATIONS, nbytes, self.recompute_starts[layer], life.last)
            return
        yield Occupation(ACTIVATIONS, nbytes, life.first, life.last)
        yield Occupation(ACTIVATIONS, nbytes * (self.in_flight - 1), 0, self.end)

    def _stays_in_layer(self, life: ArrayLifetime) -> bool:
        """Whether all forward readers of an array are in the layer that makes it."""
        layer = _get_layer_path(life.label)
        return all(
            _get_layer_path(self.records[i].scope) == layer
            for i in life.reads
            if i <= self.forward_end
        )

    def _find_recompute_starts(self) -> dict[str, int]:
        """Return the first backward op of each layer that reads a recomputed array; the last op for
        layers without one.
        """
        starts: dict[str, int] = defaultdict(lambda: self.end)
        for life in self.plan.lifetimes:
            if life.kind == ACTIVATIONS and self._is_saved(life) and self._stays_in_layer(life):
                layer = _get_layer_path(life.label)
                first_read = min(i for i in life.reads if i > self.forward_end)
                starts[layer] = min(starts[layer], first_read)
        return starts


def _get_layer_path(scope: str) -> str:
    """Return the path of a Cell up to its first number, which names one layer of a sequence.

    >>> _get_layer_path("Gradients.Train.network.blocks.11.attention.q")
    'Train.network.blocks.11'
    """
    match = re.match(r"(?:Gradients\.)?(.*?\.\d+)(?:\.|$)", scope)
    return match.group(1) if match else scope.removeprefix("Gradients.")
