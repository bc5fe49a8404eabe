"""One simulated device: its spec, memory, virtual clock and streams, and the timeline it records.

The calls of a runtime, in the order of a training::

    machine = Machine(device_spec("Ascend910"), device_id=0)
    # Once, at compile:
    cost = program_cost(records_of(graph.nodes), machine.spec, batch=...)
    plan = plan_memory(...)
    with machine.reserve_memory(plan):  # raises if it does not fit
        schedule = machine.schedule(cost, "loop")  # once per program
        schedule.run(sink_size, sink_size)  # after each sink, at no cost per kernel

Machines share nothing: each has its own memory, streams and time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from minispore.device.model.cost import ProgramCost
from minispore.device.model.memory import KINDS, Block, MemoryPlan, MemoryPool
from minispore.device.model.schedule import Schedule
from minispore.device.model.spec import DeviceSpec, device_spec
from minispore.device.model.stream import StreamClock
from minispore.device.model.timeline import Timeline
from minispore.errors import DeviceError

MAX_DEVICE_ID = 4095


@dataclass
class Machine:
    """A simulated device with its own memory and clock; ``device_id`` is 0 to 4095.

    >>> a, b = Machine(device_id=0), Machine(device_id=4095)
    >>> block = a.memory.allocate("parameters", 512)
    >>> a.memory.current, b.memory.current
    (512, 0)
    """

    spec: DeviceSpec = field(default_factory=device_spec)
    device_id: int = 0
    max_device_memory: int | None = None
    memory: MemoryPool = field(init=False)
    clock: StreamClock = field(init=False)

    def __post_init__(self) -> None:
        """Check the device's number, and create its memory pool and its clock."""
        if not 0 <= self.device_id <= MAX_DEVICE_ID:
            raise ValueError(
                f"Machine: device_id must be in range [0, {MAX_DEVICE_ID}], got {self.device_id}."
            )
        self.memory = MemoryPool(self.spec, self.max_device_memory)
        self.clock = StreamClock(self.spec, timeline=None)
        self._plan_blocks: list[Block] = []

    def schedule(self, cost: ProgramCost, way: str, *, data_us: float = 0.0) -> Schedule:
        """Return a schedule that simulates steps of the program ``cost`` on this device's clock.

        ``way`` is "none" (no sink), "data", "graph" or "loop"; ``data_us`` is the time that the
        data pipeline needs for a batch.

        Raises:
            DeviceError: the device's target does not support this way.
        """
        if way not in self.spec.sinks:
            raise DeviceError(
                f"{self.spec.name}: way must be one that {self.spec.target} has "
                f"({', '.join(self.spec.sinks)}), got {way!r}."
            )
        return Schedule(self.clock, cost, way, data_us)

    def replace_plan(self, plan: MemoryPlan) -> None:
        """Reserve the memory of ``plan`` in place of the previous plan's, which is freed first.

        Raises:
            DeviceMemoryError: the plan does not fit; the previous plan stays reserved.
        """
        plan.check()
        now_us = self.clock.host_us
        in_use = self.memory.blocks
        for block in self._plan_blocks:
            if block in in_use:  # false for blocks that an earlier call freed before Ctrl-C
                self.memory.free(block, now_us)
        self._plan_blocks = []
        for kind in KINDS:
            if plan.peak_by_kind[kind]:
                self._plan_blocks.append(
                    self.memory.allocate(kind, plan.peak_by_kind[kind], plan.peak_op, now_us)
                )

    @contextmanager
    def reserve_memory(self, plan: MemoryPlan) -> Iterator[None]:
        """Reserve the memory of a plan, kind by kind, inside the ``with`` block.

        Raises:
            DeviceMemoryError: the plan does not fit in addition to the memory in use; nothing is
                reserved.
        """
        plan.check()
        now_us = self.clock.host_us
        blocks = []
        try:
            for kind in KINDS:
                if plan.peak_by_kind[kind]:
                    blocks.append(
                        self.memory.allocate(kind, plan.peak_by_kind[kind], plan.peak_op, now_us)
                    )
            yield
        finally:
            for block in reversed(blocks):
                self.memory.free(block, self.clock.host_us)

    @contextmanager
    def record_timeline(self) -> Iterator[Timeline]:
        """Record the clock's tasks inside the ``with`` block in a new timeline, and yield the
        timeline.

        They are not recorded in the clock's previous timeline.
        """
        previous, self.clock.timeline = self.clock.timeline, Timeline()
        try:
            yield self.clock.timeline
        finally:
            self.clock.timeline = previous
