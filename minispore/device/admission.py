"""Admission: before a program runs on a device, its memory is planned; what can't fit is refused.

What a device knows of a program belongs to the two of them: a program that was compiled for one
device is admitted anew by the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from minispore import context
from minispore.device.machine import Machine
from minispore.device.model.cost import program_cost
from minispore.device.model.memory import MemoryPlan, plan_memory
from minispore.device.model.spec import GIB, DeviceSpec
from minispore.device.model.step import Step, step_of
from minispore.graph.ir import Graph


@dataclass
class Admission:
    """A program on a device.

    Attributes:
        step: the ops of one run.
        spec: the device's constants.
        plan: where its arrays lie; None on a device that has the memory of its host.
    """

    step: Step
    spec: DeviceSpec
    plan: MemoryPlan | None = None

    @cached_property
    def kernels(self) -> int:
        """Kernels that a host sends for one run, GetNext among them."""
        step = self.step.on(self.spec)
        return program_cost(step.records, self.spec).launches + step.fetches


def admit(graph: Graph, machine: Machine, own_memory: bool) -> Admission:
    """Plan the memory that ``graph`` needs on ``machine``, and hold it.

    Raises:
        DeviceMemoryError: it can't fit; nothing has run, and nothing more is held than before.
    """
    step = step_of(graph)
    admission = Admission(step, machine.spec)
    if own_memory:
        admission.plan = plan_memory(
            step.records,
            machine.spec,
            batch=step.batch,
            channel=step.fetches,
            max_device_memory=int(context.current().max_device_memory * GIB),
        )
        machine.hold(admission.plan)
    return admission
