"""Compute the virtual timeline of a recorded run from the programs that ran, in order.

The only wall time that enters is the data pipeline's time per batch, which is shown as an input.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from minispore.dataset.pipeline.statistics import PipelineStatistics
from minispore.device.machine import Machine
from minispore.device.model.cost import ProgramCost, program_cost
from minispore.device.model.forecast import Estimate, forecast
from minispore.device.model.memory import MemoryPlan, plan_memory
from minispore.device.model.records import BACKWARD, OpRecord
from minispore.device.model.schedule import Schedule, StepMark
from minispore.device.model.spec import DeviceSpec
from minispore.device.model.step import make_step
from minispore.device.model.timeline import Timeline
from minispore.ops.support import transport
from minispore.profiler.record import Launch, ProgramRun, Recorder


@dataclass
class PricedProgram:
    """A program of the run with its cost, its memory plan and its launches."""

    name: str
    records: list[OpRecord]
    cost: ProgramCost
    plan: MemoryPlan
    is_training: bool
    sink_mode: str
    launches: list[Launch] = field(default_factory=list)

    @property
    def steps(self) -> int:
        """The number of steps that the program ran."""
        return sum(launch.steps for launch in self.launches)


@dataclass
class Replay:
    """A recorded run in virtual time; made by ``replay``."""

    recorder: Recorder
    machine: Machine
    data_us: float  # measured wall time per batch, the model's input
    programs: list[PricedProgram]
    timeline: Timeline
    marks: list[StepMark]
    losses: list[float]

    @property
    def main(self) -> PricedProgram | None:
        """The program that trained the most steps; without training, the one that ran the most
        steps; None if no program ran.
        """
        return max(self.programs, key=lambda p: (p.is_training, p.steps), default=None)

    def estimate(self) -> Estimate | None:
        """Return the estimate of the main program in all sink modes, with the measured time of a
        batch; None if no program ran.
        """
        if self.main is None:
            return None
        sink = max(launch.steps for launch in self.main.launches)
        return forecast(
            self.main.cost,
            self.main.plan,
            self.main.steps,
            sink,
            self.data_us,
            data_source="measured",
        )


def replay(recorder: Recorder, spec: DeviceSpec, device_id: int, detail_steps: int) -> Replay:
    """Compute the virtual time of everything that ``recorder`` recorded.

    Steps are numbered over the whole run, and the timeline has the kernels of the first
    ``detail_steps``. The losses of programs that don't train are omitted if another program trains.
    """
    machine = Machine(spec, device_id)
    data_us = compute_pipeline_us(recorder.pipelines())
    timeline = machine.clock.timeline = Timeline(last_step=detail_steps)
    marks: list[StepMark] = []
    programs: dict[int | None, PricedProgram] = {}
    schedules: dict[int | None, Schedule] = {}
    completed_steps = 0
    for launch in recorder.launches:
        key = None if launch.program_run is None else id(launch.program_run.program)
        if key not in programs:
            priced = _price_launch(recorder, launch, spec)
            if priced is None:
                continue
            programs[key] = priced
            # An eager step has no sink mode, since the host launches each kernel.
            schedules[key] = Schedule(
                machine.clock, priced.cost, priced.sink_mode, data_us, detail_steps, marks
            )
        programs[key].launches.append(launch)
        schedules[key].step = completed_steps  # steps are numbered over the whole run
        schedules[key].run(launch.steps, launch.steps)
        completed_steps += launch.steps
    priced_programs = list(programs.values())
    has_training = any(p.is_training for p in priced_programs)
    reported_programs = [p for p in priced_programs if p.is_training or not has_training]
    reported_launches = {id(launch) for p in reported_programs for launch in p.launches}
    losses = [
        float(x)
        for launch in recorder.launches
        if id(launch) in reported_launches
        for x in launch.losses
    ]
    return Replay(recorder, machine, data_us, priced_programs, timeline, marks, losses)


def compute_pipeline_us(pipelines: Iterable[PipelineStatistics]) -> float:
    """Return the microseconds of work per batch in the busiest pipeline.

    The sum of each operation's time divided by its workers, for the pipeline that delivered the
    most rows; 0 without one.
    """
    busiest = max(pipelines, key=lambda p: p.nodes[-1].rows if p.nodes else 0, default=None)
    if busiest is None or not busiest.nodes or not busiest.nodes[-1].rows:
        return 0.0
    return sum(n.self_ns / n.workers for n in busiest.nodes) / 1e3 / busiest.nodes[-1].rows


def _price_launch(recorder: Recorder, launch: Launch, spec: DeviceSpec) -> PricedProgram | None:
    """Return the program of a launch with its cost and memory plan on a device; for single kernels,
    those of the last recorded eager step; None if there is neither.
    """
    if launch.program_run is not None:
        return _price_program(launch.program_run, spec)
    steps = [s for s in recorder.eager_steps if s]
    if not launch.kernels or not steps:
        return None
    records = steps[-1]
    cost = program_cost(records, spec, get_group_size=transport.current.size)
    is_training = any(r.kind == BACKWARD for r in records)
    sink_mode = "data" if launch.fetched and "data" in spec.sinks else "none"
    return PricedProgram(
        "op by op", records, cost, plan_memory(records, spec), is_training, sink_mode
    )


def _price_program(program_run: ProgramRun, spec: DeviceSpec) -> PricedProgram:
    """Return a compiled program with its cost and memory plan on a device, without launches."""
    step = make_step(program_run.program.traced).apply_precision_mode(spec)
    records = list(step.records)
    cost = program_cost(
        records,
        spec,
        batch=step.batch,
        results=step.results,
        get_group_size=transport.current.size,
    )
    plan = plan_memory(records, spec, batch=step.batch)
    is_training = any(r.kind == BACKWARD for r in records)
    sink_mode = spec.best_sink if step.uses_getnext else "none"
    return PricedProgram(program_run.name, records, cost, plan, is_training, sink_mode)
