"""Admission: before a graph becomes a program, its memory is planned; what can't fit is refused."""

from __future__ import annotations

from minispore import context
from minispore.device.machine import Machine
from minispore.device.model.memory import MemoryPlan, plan_memory
from minispore.device.model.records import operand, records_of
from minispore.device.model.spec import GIB
from minispore.graph.ir import Graph


def admit(graph: Graph, machine: Machine) -> MemoryPlan:
    """Plan the memory that ``graph`` needs on ``machine``, and hold it.

    Raises:
        DeviceMemoryError: it can't fit; nothing has run, and nothing more is held than before.
    """
    records = records_of(graph)
    fetched = [o for r in records if r.name == "GetNext" for o in r.outputs]
    plan = plan_memory(
        records,
        machine.spec,
        batch=fetched or [operand(v) for v in graph.inputs],
        channel=bool(fetched),
        max_device_memory=int(context.current().max_device_memory * GIB),
    )
    machine.hold(plan)
    return plan
