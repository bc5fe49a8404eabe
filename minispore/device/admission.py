"""Admission: the memory of a program is planned before it runs on a device; a program that does not
fit is refused with a DeviceMemoryError.

An admission belongs to one program and one device: a program that was compiled for one device must
be admitted again on another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from minispore import context
from minispore.device.machine import Machine
from minispore.device.model.cost import program_cost
from minispore.device.model.memory import MemoryPlan, plan_memory
from minispore.device.model.spec import GIB, DeviceSpec
from minispore.device.model.step import Step, make_step
from minispore.graph.ir import Graph
from minispore.graph.trace import Retrace


@dataclass
class Admission:
    """The step, device constants and memory plan of a program that a device admitted.

    Attributes:
        step: the ops of one run.
        spec: the device's constants.
        plan: the memory plan; None on a device without its own memory (the CPU).
    """

    step: Step
    spec: DeviceSpec
    plan: MemoryPlan | None = None

    @cached_property
    def kernels(self) -> int:
        """The number of kernel launches by the host in one run without sink, including GetNext."""
        step = self.step.apply_precision_mode(self.spec)
        return program_cost(step.records, self.spec).launches + step.uses_getnext


def admit(
    graph: Graph, machine: Machine, device_has_memory: bool, retrace: Retrace | None = None
) -> Admission:
    """Plan the memory that ``graph`` needs on ``machine``, and reserve it.

    Args:
        graph: the traced graph of one step.
        machine: the simulated device.
        device_has_memory: False on the CPU, where nothing is planned or reserved.
        retrace: traces the graph's function on other batches, to find the largest one that fits.

    Returns:
        The admission; its plan is None if nothing was planned.

    Raises:
        DeviceMemoryError: the plan does not fit; nothing has run, and the previous plan stays.
    """
    admission = Admission(make_step(graph), machine.spec)
    if device_has_memory:
        step = make_step(graph, retrace).apply_precision_mode(machine.spec)
        plan = plan_memory(
            step.records,
            machine.spec,
            batch=step.batch,
            reserves_input_queue=step.uses_getnext,
            max_device_memory=int(context.current().max_device_memory * GIB),
            trace_scaled=step.trace_scaled,
        )
        machine.replace_plan(plan)
        # Without the tracer, which would keep the network alive as long as the program.
        admission.plan = replace(plan, plan_scaled=None)
    return admission
