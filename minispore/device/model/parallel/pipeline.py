"""Pipeline stages: which ops of a step run on which stage, and the bytes sent between stages.

The forward ops are split into runs of about equal time; a derivative runs on the stage of its
forward op, and an update on the stage of its parameter.

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
    """Return (p - 1) / (m + p - 1), the idle share of the time of p stages with m micro-batches.

    A stage is idle before its first micro-batch arrives and after its last one is done.
    """
    return (stages - 1) / (micro_batches + stages - 1)


class Stage:
    """The ops of one stage for one micro-batch."""

    def __init__(self) -> None:
        self.records: list[OpRecord] = []
        self.entering: list[Operand] = []  # inputs that another stage made
        self.sent_bytes = 0  # bytes sent to other stages, forward and backward


def split_into_stages(
    records: Sequence[OpRecord], op_stages: Sequence[int], count: int
) -> list[Stage]:
    """Return the ops of each of ``count`` stages, given the stage of each op.

    Arrays that cross stages count as inputs of the receiving stage and as bytes sent by the other.
    """
    stages = [Stage() for _ in range(count)]
    producer_stages: dict[Hashable, int] = {}
    received_keys: list[set[Hashable]] = [set() for _ in range(count)]
    for record, stage in zip(records, op_stages, strict=True):
        stages[stage].records.append(record)
        for operand in record.inputs:
            producer_stage = producer_stages.get(operand.key, stage)
            if producer_stage != stage and operand.key not in received_keys[stage]:
                received_keys[stage].add(operand.key)
                stages[stage].entering.append(operand)
                if record.kind != OPTIMIZER:
                    stages[producer_stage].sent_bytes += operand.nbytes
        for operand in record.outputs:
            producer_stages[operand.key] = stage
    return stages


def assign_stages(records: Sequence[OpRecord], count: int, spec: DeviceSpec) -> list[int]:
    """Return the index of the stage of each op, so that ``count`` stages take about the same time.

    A derivative is on the stage of its forward op, and an update on the stage of its parameter.
    """
    if count == 1:
        return [0] * len(records)
    forward_stages = _balance_forward_ops(records, count, spec)
    param_stages: dict[Hashable, int] = {}
    array_stages: dict[Hashable, int] = {}
    scope_stages: dict[str, int] = {}
    op_stages: list[int] = []
    for index, record in enumerate(records):
        if record.kind == FORWARD:
            stage = forward_stages.get(index, 0)
            scope_stages[record.scope] = stage
        elif record.kind == BACKWARD:
            forward_scope = record.scope.removeprefix(GRADIENTS)
            input_stages = [array_stages[o.key] for o in record.inputs if o.key in array_stages]
            stage = scope_stages.get(forward_scope, min(input_stages, default=count - 1))
            producer_stages = [
                array_stages[o.key] for o in record.inputs if o.key in array_stages and not o.param
            ]
            # A derivative that reads no array of that stage runs on the first stage that made one.
            if producer_stages and stage not in producer_stages:
                stage = min(producer_stages)
        else:
            owner_stages = [param_stages[o.key] for o in record.inputs if o.key in param_stages]
            producer_stages = [array_stages[o.key] for o in record.inputs if o.key in array_stages]
            stage = max(producer_stages, default=count - 1)
            if owner_stages:  # the stage of the Parameter that is updated
                stage = owner_stages[0]
                param_stages.update({o.key: stage for o in record.inputs if o.param and o.size > 1})
        for operand in record.inputs:
            if operand.param and record.kind == FORWARD:
                param_stages.setdefault(operand.key, stage)
        array_stages.update({o.key: stage for o in record.outputs})
        op_stages.append(stage)
    return op_stages


def _balance_forward_ops(
    records: Sequence[OpRecord], count: int, spec: DeviceSpec
) -> dict[int, int]:
    """Return the stage of each forward op, by index, so that stages take about the same time."""
    indices = [i for i, r in enumerate(records) if r.kind == FORWARD]
    ops = [records[i] for i in indices]
    cost = program_cost(ops, spec)
    first_ops: dict[int, int] = {}
    for position, number in enumerate(cost.op_kernels):
        first_ops.setdefault(number, position)
    op_times_us, position = [0.0] * len(ops), 0
    for number, kernel in enumerate(cost.kernels):
        position = first_ops.get(number, position)  # an inserted kernel counts to the previous op
        op_times_us[position] += kernel.us
    total_us, done_us = sum(op_times_us) or 1.0, 0.0
    stages = {}
    for index, op_us in zip(indices, op_times_us, strict=True):
        stages[index] = min(count - 1, int((done_us + op_us / 2) / total_us * count))
        done_us += op_us
    return stages


__all__ = ["Stage", "assign_stages", "bubble", "split_into_stages"]
