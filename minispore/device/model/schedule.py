"""Four ways in which a host drives a device through training steps, on the virtual clock.

========  ==========================================  ==============================================
way       the data                                    the program
========  ==========================================  ==============================================
none      fetched by the host, copied, waited for     every kernel sent by the host
data      flows to the device by itself; GetNext      every kernel sent by the host
graph     the same                                    on the device; the host starts it once a step
loop      the same; the next GetNext runs while this  on the device; the host starts it once a sink,
          step computes                               and the device runs ``sink_size`` steps
========  ==========================================  ==============================================

The order of events is MindSpore's (its loop sink is that of ``kernel_adjust.cc``), and is exact;
the times are a model. For every network and dataset ``loop <= graph <= data <= none``: each way
leaves out waiting or sending that the one before it has.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from minispore.device.model.advice import copy_us
from minispore.device.model.cost import Kernel, ProgramCost
from minispore.device.model.stream import StreamClock
from minispore.device.model.timeline import Record, on_grid
from minispore.errors import did_you_mean

WAYS = ("none", "data", "graph", "loop")


class StepMark(NamedTuple):
    """When one step went through its points, in virtual microseconds."""

    step: int
    fp_start_us: float  # the first kernel may start: the data is there
    bp_end_us: float  # the last gradient is computed
    end_us: float


@dataclass
class Counts:
    """What crossed the bus and how often: exact, whatever the times are."""

    interactions: int = 0  # calls of the host that run something on the device and wait for it
    program_launches: int = 0  # starts of the program by the host
    kernel_launches: int = 0  # kernels that the host sent one by one
    h2d_copies: int = 0
    h2d_bytes: int = 0
    d2h_copies: int = 0
    d2h_bytes: int = 0
    getnext: int = 0


@dataclass
class Schedule:
    """Runs the steps of one program in one way on one clock.

    Args:
        clock: the device's clock; its timeline, if it has one, gets every task.
        cost: the program, priced.
        way: one of ``WAYS``.
        data_us: what the data pipeline needs for one batch.
        detail: the steps up to this number appear kernel by kernel in the timeline.
        marks: gets the points of every step, if given.
    """

    clock: StreamClock
    cost: ProgramCost
    way: str = "loop"
    data_us: float = 0.0
    detail: float = 0
    marks: list[StepMark] | None = None
    counts: Counts = field(default_factory=Counts)
    busy_us: float = 0.0  # how long kernels kept the AI Core
    wait_us: float = 0.0  # how long the AI Core could have run but for data
    step: int = 0  # steps done

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise ValueError(
                f"Schedule: way must be one of {', '.join(WAYS)}, got {self.way!r}."
                f"{did_you_mean(self.way, WAYS)}"
            )
        clock, spec, cost = self.clock, self.clock.spec, self.cost
        lanes = ("Data", "H2D", "D2H", "AI CPU", "AI Core")
        self._data, self._h2d, self._d2h, self._aicpu, self._core = map(clock.main_stream, lanes)
        self._from = clock.host_us  # the pipeline starts when this schedule does
        depth = min(spec.channel_batches, spec.channel_bytes // max(1, cost.input_bytes))
        self._taken: deque[float] = deque(maxlen=max(1, int(depth)))
        self._copy_us = on_grid(copy_us(cost))
        memory_us = 2 * cost.input_bytes / (spec.memory_gbs * spec.memory_efficiency * 1e3)
        self._getnext_us = on_grid(spec.aicpu_kernel_us + memory_us)
        self._launch_us = on_grid(spec.host_launch_us)
        self._sent_us = _last_end_when_sent(cost, self._launch_us)
        # Before the kernels: switch, receive, next += 1; after them: current += 1, activate or end.
        self._begin_us, self._end_us = on_grid(3 * spec.control_us), on_grid(2 * spec.control_us)

    def run(self, steps: int, sink_size: int = 1) -> float:
        """Run ``steps`` more steps, in sinks of ``sink_size`` where the way has them; return the
        time then."""
        end = self.step + steps
        while self.step < end:
            size = min(sink_size, end - self.step)
            if self.way == "none":
                self._fed_step()
            elif self.way == "loop" and size > 1:  # a loop of one is a plain graph sink
                self._sink(size)
            else:
                self._getnext_step(sent=self.way == "data")
        return self.clock.host_us

    # -- the host feeds ---------------------------------------------------------------------------

    def _fed_step(self) -> None:
        clock, spec, step = self.clock, self.clock.spec, self.step + 1
        clock.launch(self._data, "batch", self.data_us, step=step)
        clock.synchronize(self._data)
        self.wait_us += on_grid(self.data_us) if step > 1 else 0.0
        fill_us = self.cost.input_bytes / (spec.host_copy_gbs * 1e3)  # into tensors of the host
        clock.host("feed", spec.host_feed_us + fill_us, step=step)
        self._host_to_device(step, clock.host_us)
        clock.synchronize(self._h2d)
        clock.host("execute", spec.host_execute_us, step=step)
        self.counts.program_launches += 1
        self._send_kernels(step, clock.host_us)
        self._finish(step)

    # -- the device fetches -----------------------------------------------------------------------

    def _getnext_step(self, *, sent: bool) -> None:
        clock, step = self.clock, self.step + 1
        there = self._produce(step)
        clock.host("execute", clock.spec.host_execute_us, step=step)
        self.counts.program_launches += 1
        if sent:
            self.counts.kernel_launches += 1
            clock.host("launch GetNext", self._launch_us, step=step)
        ready = self._getnext(step, there, clock.host_us)
        if sent:
            self._send_kernels(step, ready)
        else:
            self._program(step, ready)
        self._finish(step)

    def _sink(self, size: int) -> None:
        clock, spec = self.clock, self.clock.spec
        clock.host("execute", spec.host_execute_us, step=self.step + 1)
        self.counts.program_launches += 1
        active = clock.host_us  # when GetNext may start: the host's call, then the small loop
        for step in range(self.step + 1, self.step + size + 1):
            ready = self._getnext(step, self._produce(step), active)
            active = self._program(step, ready)
        self._finish(self.step + size, size)

    def _produce(self, step: int) -> float:
        """Let the pipeline make a batch and send it on; return when it is in the device queue."""
        room = self._taken[0] if len(self._taken) == self._taken.maxlen else self._from
        end = self.clock.launch(
            self._data, "batch", self.data_us, sent_us=max(room, self._from), step=step
        )
        return self._host_to_device(step, end)

    def _host_to_device(self, step: int, sent_us: float) -> float:
        self.counts.h2d_copies += self.cost.input_columns
        self.counts.h2d_bytes += self.cost.input_bytes
        return self.clock.launch(
            self._h2d,
            "H2D",
            self._copy_us,
            sent_us=sent_us,
            step=step,
            nbytes=self.cost.input_bytes,
        )

    def _getnext(self, step: int, there: float, active: float) -> float:
        """GetNext takes a batch out of the queue once it is there; return when the graph has it."""
        self.counts.getnext += 1
        could = max(active, self._aicpu.free_us, self._core.free_us)
        if step > 1:
            self.wait_us += max(0.0, there - could)
        end = self.clock.launch(
            self._aicpu, "GetNext", self._getnext_us, sent_us=max(there, active), step=step
        )
        self._taken.append(end)
        return end

    # -- the program ------------------------------------------------------------------------------

    def _program(self, step: int, ready: float) -> float:
        """Run all kernels, started by the device; return when GetNext may fetch again."""
        begun = self._begin(step, ready)
        self.busy_us += self.cost.device_us
        if step <= self.detail:
            for k in self.cost.kernels:
                self._kernel(k, step, begun)
        else:
            self.clock.launch(self._core, "program", self.cost.device_us, sent_us=begun, step=step)
        self._end(step, begun)
        return begun

    def _send_kernels(self, step: int, ready: float) -> None:
        """Send kernel by kernel; each starts when it was sent and the one before has ended."""
        clock, cost = self.clock, self.cost
        self.counts.kernel_launches += cost.launches
        self.busy_us += cost.device_us
        start, begun = clock.host_us, self._begin(step, ready)
        if step <= self.detail:
            for k in cost.kernels:
                self._kernel(k, step, clock.host(f"launch {k.op_type}", self._launch_us, step=step))
        else:
            clock.host("launch kernels", self._launch_us * cost.launches, step=step)
            end = max(start + self._sent_us, begun + cost.device_us)
            if clock.timeline is not None and cost.launches:
                first = max(start + self._launch_us, begun)
                clock.timeline.append(
                    Record(
                        "AI Core", "program", first, end - first, step, self._core.number, "program"
                    )
                )
            clock.occupy(self._core, end)
        self._end(step, begun)

    def _begin(self, step: int, ready: float) -> float:
        return self.clock.launch(self._core, "begin", self._begin_us, sent_us=ready, step=step)

    def _end(self, step: int, begun: float) -> None:
        kernels_end = self._core.free_us
        end = self.clock.launch(self._core, "end", self._end_us, sent_us=begun, step=step)
        if self.marks is not None:
            bp_end = kernels_end - self.cost.optimizer_us
            self.marks.append(StepMark(step, begun, max(begun, bp_end), end))

    def _kernel(self, k: Kernel, step: int, sent_us: float) -> None:
        self.clock.launch(
            self._core,
            k.name,
            k.us,
            sent_us=sent_us,
            step=step,
            op_type=k.op_type,
            scope=k.scope,
            nbytes=k.nbytes,
        )

    def _finish(self, step: int, steps: int = 1) -> None:
        """The host waits for the device and reads the results of ``steps`` steps back.

        Of all steps but the last it is the loss, which went to the host's memory while
        later steps ran.
        """
        clock, spec, nbytes = self.clock, self.clock.spec, self.cost.output_bytes
        earlier = (steps - 1) * self.cost.loss_bytes
        clock.synchronize(self._core)
        clock.host("synchronize", spec.host_sync_us, step=step)
        copy = spec.copy_us + nbytes / (spec.d2h_gbs * 1e3)
        clock.launch(self._d2h, "D2H", copy, step=step, nbytes=nbytes + earlier)
        clock.synchronize(self._d2h)
        self.counts.interactions += 1
        self.counts.d2h_copies += len(self.cost.results)
        self.counts.d2h_bytes += nbytes + earlier
        self.step += steps


def _last_end_when_sent(cost: ProgramCost, launch_us: float) -> float:
    """When the last kernel ends if kernel i is sent at ``(i + 1) * launch_us`` and the
    device is idle.

    It is the longest of all chains "sent up to i, then run from i to the end", found in
    one pass backwards.
    """
    longest = left = 0.0
    for i in range(len(cost.kernels) - 1, -1, -1):
        left += cost.kernels[i].us
        longest = max(longest, (i + 1) * launch_us + left)
    return longest
