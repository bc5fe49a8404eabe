"""Pipeline stages: which ops of a step run on which, and what passes between them.

The forward ops are cut into runs of about the same time; a derivative runs where its op does, and
an update where its parameter is.

Source: Huang et al., "GPipe"; Narayanan et al., "PipeDream" (one forward, one backward).

>>> bubble(4, 12)
0.2
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from minispore.device.model.cost import program_cost
from minispore.device.model.records import BACKWARD, FORWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.model.spec import DeviceSpec

GRADIENTS = "Gradients."


def bubble(stages: int, micro_batches: int) -> float:
    """(p - 1) / (m + p - 1): the share of the time in which a stage of ``stages`` waits for the
    first, or after the last, of ``micro_batches``.
    """
    return (stages - 1) / (micro_batches + stages - 1)


class Stage:
    """The ops of one stage for one micro-batch."""

    def __init__(self) -> None:
        self.records: list[OpRecord] = []
        self.entering: list[Operand] = []  # made on another stage
        self.sent_bytes = 0  # to other stages, forward and backward


def stages_of(records: Sequence[OpRecord], where: Sequence[int], count: int) -> list[Stage]:
    """The ops of each of ``count`` stages, by the stage of each op."""
    stages = [Stage() for _ in range(count)]
    makers: dict[Hashable, int] = {}
    entered: list[set[Hashable]] = [set() for _ in range(count)]
    for r, place in zip(records, where, strict=True):
        stages[place].records.append(r)
        for o in r.inputs:
            maker = makers.get(o.key, place)
            if maker != place and o.key not in entered[place]:
                entered[place].add(o.key)
                stages[place].entering.append(o)
                if r.kind != OPTIMIZER:
                    stages[maker].sent_bytes += o.nbytes
        for o in r.outputs:
            makers[o.key] = place
    return stages


def places(records: Sequence[OpRecord], count: int, spec: DeviceSpec) -> list[int]:
    """The number of the stage of each op."""
    if count == 1:
        return [0] * len(records)
    forward = _cut(records, count, spec)
    of_param: dict[Hashable, int] = {}
    of_array: dict[Hashable, int] = {}
    of_scope: dict[str, int] = {}
    found: list[int] = []
    for index, r in enumerate(records):
        if r.kind == FORWARD:
            place = forward.get(index, 0)
            of_scope[r.scope] = place
        elif r.kind == BACKWARD:
            plain = r.scope.removeprefix(GRADIENTS)
            read = [of_array[o.key] for o in r.inputs if o.key in of_array]
            place = of_scope.get(plain, min(read, default=count - 1))
            made = [of_array[o.key] for o in r.inputs if o.key in of_array and not o.param]
            if made and not any(p == place for p in made):
                place = min(made)
        else:
            owned = [of_param[o.key] for o in r.inputs if o.key in of_param]
            made = [of_array[o.key] for o in r.inputs if o.key in of_array]
            place = owned[0] if owned else max(made, default=count - 1)
            if owned:
                of_param.update({o.key: place for o in r.inputs if o.param and o.size > 1})
        for o in r.inputs:
            if o.param and r.kind == FORWARD:
                of_param.setdefault(o.key, place)
        of_array.update({o.key: place for o in r.outputs})
        found.append(place)
    return found


def _cut(records: Sequence[OpRecord], count: int, spec: DeviceSpec) -> dict[int, int]:
    """The stage of each forward op, by its index: runs of about the same time."""
    indices = [i for i, r in enumerate(records) if r.kind == FORWARD]
    ops = [records[i] for i in indices]
    cost = program_cost(ops, spec)
    of_kernel: dict[int, int] = {}
    for position, number in enumerate(cost.op_kernels):
        of_kernel.setdefault(number, position)
    us, position = [0.0] * len(ops), 0
    for number, kernel in enumerate(cost.kernels):
        position = of_kernel.get(number, position)  # what is inserted is with the op before
        us[position] += kernel.us
    whole, done = sum(us) or 1.0, 0.0
    found = {}
    for index, part in zip(indices, us, strict=True):
        found[index] = min(count - 1, int((done + part / 2) / whole * count))
        done += part
    return found


__all__ = ["Stage", "bubble", "places", "stages_of"]
