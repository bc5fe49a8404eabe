"""Schedules: four ways in which a host drives a device through training steps, in virtual time.

========  ==========================================  ==============================================
way       the data                                    the program
========  ==========================================  ==============================================
none      fetched by the host, copied, waited for     every kernel launched by the host
data      flows to the device by itself; GetNext      every kernel launched by the host
graph     the same                                    on the device; the host starts it once a step
loop      the same; the next GetNext runs while this  on the device; the host starts it once a sink,
          step computes                               and the device runs ``sink_size`` steps
========  ==========================================  ==============================================

The order of events is MindSpore's (``kernel_adjust.cc`` for the loop sink) and is exact; the times
are a model. For every network and dataset ``loop <= graph <= data <= none`` holds, because each way
has fewer waits or launches than the next.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from minispore.device.model.advice import copy_us
from minispore.device.model.cost import Kernel, ProgramCost
from minispore.device.model.stream import StreamClock
from minispore.device.model.timeline import Record, round_to_grid
from minispore.errors import did_you_mean

WAYS = ("none", "data", "graph", "loop")


class StepMark(NamedTuple):
    """The start, the end of the backward pass, and the end of one step, in virtual microseconds."""

    step: int
    fp_start_us: float  # the first kernel may start, since the data has arrived
    bp_end_us: float  # the last gradient is computed
    end_us: float


@dataclass
class Counts:
    """Exact counts of interactions, launches and copies between host and device."""

    interactions: int = 0  # calls of the host that run something on the device and wait for it
    program_launches: int = 0  # starts of the program by the host
    kernel_launches: int = 0  # kernels that the host launched one by one
    h2d_copies: int = 0
    h2d_bytes: int = 0
    d2h_copies: int = 0
    d2h_bytes: int = 0
    getnext: int = 0


@dataclass
class Schedule:
    """A simulation of the steps of one program, run in one way on one clock.

    Args:
        clock: the device's clock; its timeline, if it has one, records every task.
        cost: the priced program.
        way: one of ``WAYS``.
        data_us: the time that the data pipeline needs for one batch.
        detail: steps up to this number are recorded kernel by kernel in the timeline.
        marks: a list to which the marks of every step are appended, if given.
    """

    clock: StreamClock
    cost: ProgramCost
    way: str = "loop"
    data_us: float = 0.0
    detail: float = 0
    marks: list[StepMark] | None = None
    counts: Counts = field(default_factory=Counts)
    busy_us: float = 0.0  # the time that kernels took on the AI Core
    wait_us: float = 0.0  # the time that the idle AI Core waited for data
    step: int = 0  # steps done

    def __post_init__(self) -> None:
        """Check ``way``, and compute the fixed times of a step on the lanes of the clock."""
        if self.way not in WAYS:
            raise ValueError(
                f"Schedule: way must be one of {', '.join(WAYS)}, got {self.way!r}."
                f"{did_you_mean(self.way, WAYS)}"
            )
        clock, spec, cost = self.clock, self.clock.spec, self.cost
        lanes = ("Data", "H2D", "D2H", "AI CPU", "AI Core")
        self._data, self._h2d, self._d2h, self._aicpu, self._core = map(clock.main_stream, lanes)
        self._start_us = clock.host_us  # the pipeline starts when this schedule does
        depth = min(spec.channel_batches, spec.channel_bytes // max(1, cost.input_bytes))
        self._dequeue_times: deque[float] = deque(maxlen=max(1, int(depth)))
        self._copy_us = round_to_grid(copy_us(cost))
        memory_us = 2 * cost.input_bytes / (spec.memory_gbs * spec.memory_efficiency * 1e3)
        self._getnext_us = round_to_grid(spec.aicpu_kernel_us + memory_us)
        self._launch_us = round_to_grid(spec.host_launch_us)
        self._launch_bound_us = _compute_launch_bound_us(cost, self._launch_us)
        # Before the kernels: switch, receive, next += 1; after them: current += 1, activate or end.
        self._begin_us, self._end_us = (
            round_to_grid(3 * spec.control_us),
            round_to_grid(2 * spec.control_us),
        )

    def run(self, steps: int, sink_size: int = 1) -> float:
        """Simulate ``steps`` more steps, in sinks of ``sink_size`` if the way is "loop".

        Returns:
            The time of the host's clock afterwards, in microseconds.
        """
        last_step = self.step + steps
        while self.step < last_step:
            sink_steps = min(sink_size, last_step - self.step)
            if self.way == "none":
                self._run_fed_step()
            elif self.way == "loop" and sink_steps > 1:  # a loop of one is a plain graph sink
                self._run_sink(sink_steps)
            else:
                self._run_getnext_step(host_launches=self.way == "data")
        return self.clock.host_us

    # -- the host feeds ---------------------------------------------------------------------------

    def _run_fed_step(self) -> None:
        """Simulate one step without sink: the host waits for the batch, copies it and launches each
        kernel.
        """
        clock, spec, step = self.clock, self.clock.spec, self.step + 1
        clock.launch(self._data, "batch", self.data_us, step=step)
        clock.synchronize(self._data)
        self.wait_us += round_to_grid(self.data_us) if step > 1 else 0.0
        fill_us = self.cost.input_bytes / (spec.host_copy_gbs * 1e3)  # into tensors of the host
        clock.occupy_host("feed", spec.host_feed_us + fill_us, step=step)
        self._copy_batch(step, clock.host_us)
        clock.synchronize(self._h2d)
        clock.occupy_host("execute", spec.host_execute_us, step=step)
        self.counts.program_launches += 1
        self._launch_kernels(step, clock.host_us)
        self._read_results(step)

    # -- the device fetches -----------------------------------------------------------------------

    def _run_getnext_step(self, *, host_launches: bool) -> None:
        """Simulate one step fed by GetNext; the host launches the kernels or the whole program."""
        clock, step = self.clock, self.step + 1
        batch_us = self._produce_batch(step)
        clock.occupy_host("execute", clock.spec.host_execute_us, step=step)
        self.counts.program_launches += 1
        if host_launches:
            self.counts.kernel_launches += 1
            clock.occupy_host("launch GetNext", self._launch_us, step=step)
        ready_us = self._run_getnext(step, batch_us, clock.host_us)
        if host_launches:
            self._launch_kernels(step, ready_us)
        else:
            self._run_program(step, ready_us)
        self._read_results(step)

    def _run_sink(self, steps: int) -> None:
        """Simulate a loop sink of ``steps`` steps, which the device runs after one launch."""
        clock, spec = self.clock, self.clock.spec
        clock.occupy_host("execute", spec.host_execute_us, step=self.step + 1)
        self.counts.program_launches += 1
        # GetNext starts after the host's call, later during the step before.
        getnext_start_us = clock.host_us
        for step in range(self.step + 1, self.step + steps + 1):
            ready_us = self._run_getnext(step, self._produce_batch(step), getnext_start_us)
            getnext_start_us = self._run_program(step, ready_us)
        self._read_results(self.step + steps, steps)

    def _produce_batch(self, step: int) -> float:
        """Simulate the pipeline making and copying a batch, once the queue has space; return the
        time when it is queued.
        """
        queue_free_us = (
            self._dequeue_times[0]
            if len(self._dequeue_times) == self._dequeue_times.maxlen
            else self._start_us
        )
        end = self.clock.launch(
            self._data, "batch", self.data_us, sent_us=max(queue_free_us, self._start_us), step=step
        )
        return self._copy_batch(step, end)

    def _copy_batch(self, step: int, sent_us: float) -> float:
        """Simulate and count the copy of one batch to the device; return the time when it ends."""
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

    def _run_getnext(self, step: int, batch_us: float, allowed_us: float) -> float:
        """Simulate GetNext, which takes a batch out of the queue; return the time when it ends.

        Args:
            step: the number of the step.
            batch_us: the time when the batch is in the queue.
            allowed_us: the time when GetNext may start if the batch is queued.
        """
        self.counts.getnext += 1
        idle_us = max(allowed_us, self._aicpu.free_us, self._core.free_us)
        if step > 1:
            self.wait_us += max(0.0, batch_us - idle_us)
        end = self.clock.launch(
            self._aicpu, "GetNext", self._getnext_us, sent_us=max(batch_us, allowed_us), step=step
        )
        self._dequeue_times.append(end)
        return end

    # -- the program ------------------------------------------------------------------------------

    def _run_program(self, step: int, ready_us: float) -> float:
        """Simulate all kernels, started by the device; return the time when they begin, from which
        on GetNext may run again.
        """
        begin_us = self._launch_step_begin(step, ready_us)
        self.busy_us += self.cost.device_us
        if step <= self.detail:
            for k in self.cost.kernels:
                self._launch_kernel(k, step, begin_us)
        else:
            self.clock.launch(
                self._core, "program", self.cost.device_us, sent_us=begin_us, step=step
            )
        self._launch_step_end(step, begin_us)
        return begin_us

    def _launch_kernels(self, step: int, ready_us: float) -> None:
        """Simulate kernels that the host launches one by one; each starts after the previous one.

        Steps after ``detail`` are a single task in the timeline.
        """
        clock, cost = self.clock, self.cost
        self.counts.kernel_launches += cost.launches
        self.busy_us += cost.device_us
        host_start_us, begin_us = clock.host_us, self._launch_step_begin(step, ready_us)
        if step <= self.detail:
            for k in cost.kernels:
                self._launch_kernel(
                    k, step, clock.occupy_host(f"launch {k.op_type}", self._launch_us, step=step)
                )
        else:
            clock.occupy_host("launch kernels", self._launch_us * cost.launches, step=step)
            # The last kernel ends as late as the host's launches and the device's work require.
            end = max(host_start_us + self._launch_bound_us, begin_us + cost.device_us)
            if clock.timeline is not None and cost.launches:
                first_start_us = max(host_start_us + self._launch_us, begin_us)
                clock.timeline.append(
                    Record(
                        "AI Core",
                        "program",
                        first_start_us,
                        end - first_start_us,
                        step,
                        self._core.number,
                        "program",
                    )
                )
            clock.occupy(self._core, end)
        self._launch_step_end(step, begin_us)

    def _launch_step_begin(self, step: int, ready_us: float) -> float:
        """Launch the control tasks before the kernels of a step; return the time when they end."""
        return self.clock.launch(self._core, "begin", self._begin_us, sent_us=ready_us, step=step)

    def _launch_step_end(self, step: int, begin_us: float) -> None:
        """Launch the control tasks at the end of a step, and append its mark to ``marks``, if
        given.
        """
        kernels_end = self._core.free_us
        end = self.clock.launch(self._core, "end", self._end_us, sent_us=begin_us, step=step)
        if self.marks is not None:
            bp_end = kernels_end - self.cost.optimizer_us
            self.marks.append(StepMark(step, begin_us, max(begin_us, bp_end), end))

    def _launch_kernel(self, k: Kernel, step: int, sent_us: float) -> None:
        """Launch one kernel for its predicted time; the AI Core waits for an HCCL kernel."""
        stream = self._core
        if k.lane == "HCCL":
            stream, sent_us = self.clock.main_stream(k.lane), max(sent_us, self._core.free_us)
        end = self.clock.launch(
            stream,
            k.name,
            k.us,
            sent_us=sent_us,
            step=step,
            op_type=k.op_type,
            scope=k.scope,
            nbytes=k.nbytes,
        )
        if stream is not self._core:
            self.clock.occupy(self._core, end)

    def _read_results(self, step: int, steps: int = 1) -> None:
        """Simulate the host waiting for the device and reading back the results of ``steps`` steps;
        adds these to the steps done.

        Except for the last step only the loss is read; it was copied to the host while later steps
        ran.
        """
        clock, spec, nbytes = self.clock, self.clock.spec, self.cost.output_bytes
        earlier_losses = (steps - 1) * self.cost.loss_bytes
        clock.synchronize(self._core)
        clock.occupy_host("synchronize", spec.host_sync_us, step=step)
        copy_us = spec.copy_us + nbytes / (spec.d2h_gbs * 1e3)
        clock.launch(self._d2h, "D2H", copy_us, step=step, nbytes=nbytes + earlier_losses)
        clock.synchronize(self._d2h)
        self.counts.interactions += 1
        self.counts.d2h_copies += len(self.cost.results)
        self.counts.d2h_bytes += nbytes + earlier_losses
        self.step += steps


def _compute_launch_bound_us(cost: ProgramCost, launch_us: float) -> float:
    """Return when the last kernel ends if kernel i is launched at ``(i + 1) * launch_us``.

    The device is idle at first. The result is the longest of all chains "launched up to i, then run
    from i to the end", found in one backward pass.
    """
    longest_us = remaining_us = 0.0
    for i in range(len(cost.kernels) - 1, -1, -1):
        remaining_us += cost.kernels[i].us
        longest_us = max(longest_us, (i + 1) * launch_us + remaining_us)
    return longest_us
