"""One simulated device: its spec, memory, virtual clock and streams, and what watches it.

What a runtime needs of it, in the order of a training::

    machine = Machine(device_spec("Ascend910"), device_id=0)
    cost = program_cost(records_of(graph.nodes), machine.spec, batch=...)      # once, at compile
    plan = plan_memory(...)                                                     # once, at compile
    with machine.loaded(plan):                                                  # raises if it can't
    fit
        schedule = machine.schedule(cost, "loop")                               # once per program
        schedule.run(sink_size, sink_size)                                      # after each sink:
        no cost per kernel

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
    """A device of its own, with ``device_id`` 0 to 4095.

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
        if not 0 <= self.device_id <= MAX_DEVICE_ID:
            raise ValueError(
                f"Machine: device_id must be in range [0, {MAX_DEVICE_ID}], got {self.device_id}."
            )
        self.memory = MemoryPool(self.spec, self.max_device_memory)
        self.clock = StreamClock(self.spec, timeline=None)
        self._held: list[Block] = []

    def schedule(self, cost: ProgramCost, way: str, *, data_us: float = 0.0) -> Schedule:
        """A run of ``cost`` in one of the four ways on this device's clock.

        Raises:
            DeviceError: if the device's target has no such way.
        """
        if way not in self.spec.sinks:
            raise DeviceError(
                f"{self.spec.name}: way must be one that {self.spec.target} has "
                f"({', '.join(self.spec.sinks)}), got {way!r}."
            )
        return Schedule(self.clock, cost, way, data_us)

    def hold(self, plan: MemoryPlan) -> None:
        """Hold the memory of ``plan`` in place of what was held before; the peak remembers both.

        Raises:
            DeviceMemoryError: if the plan does not fit; what was held is held on.
        """
        plan.check()
        now = self.clock.host_us
        in_use = self.memory.blocks
        for block in self._held:
            if block in in_use:  # Ctrl-C may have come between two
                self.memory.free(block, now)
        self._held = []
        for kind in KINDS:
            if plan.peak_by_kind[kind]:
                self._held.append(
                    self.memory.allocate(kind, plan.peak_by_kind[kind], plan.peak_op, now)
                )

    @contextmanager
    def loaded(self, plan: MemoryPlan) -> Iterator[None]:
        """Hold the memory of a training step, kind by kind, inside the ``with`` block.

        Raises:
            DeviceMemoryError: if the plan does not fit, or not beside what is loaded; nothing is
                held then.
        """
        plan.check()
        now = self.clock.host_us
        blocks = []
        try:
            for kind in KINDS:
                if plan.peak_by_kind[kind]:
                    blocks.append(
                        self.memory.allocate(kind, plan.peak_by_kind[kind], plan.peak_op, now)
                    )
            yield
        finally:
            for block in reversed(blocks):
                self.memory.free(block, self.clock.host_us)

    @contextmanager
    def recording(self) -> Iterator[Timeline]:
        """Keep the timeline of what runs inside the ``with`` block."""
        before, self.clock.timeline = self.clock.timeline, Timeline()
        try:
            yield self.clock.timeline
        finally:
            self.clock.timeline = before
