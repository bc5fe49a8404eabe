"""The virtual timeline of a recorded run: the programs that ran, priced, in the order they ran.

Wall time enters in one place only, and is shown as an input: what the data pipeline needs
for one batch.
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
from minispore.device.model.step import step_of
from minispore.device.model.timeline import Timeline
from minispore.profiler.record import Launch, Ran, Recorder


@dataclass
class Priced:
    """A program of the run, with what it costs and what memory it needs."""

    name: str
    records: list[OpRecord]
    cost: ProgramCost
    plan: MemoryPlan
    trains: bool
    way: str
    launches: list[Launch] = field(default_factory=list)

    @property
    def steps(self) -> int:
        """How often it ran."""
        return sum(launch.steps for launch in self.launches)


@dataclass
class Replay:
    """A run on the virtual clock."""

    recorder: Recorder
    machine: Machine
    data_us: float  # of wall time, for one batch: measured, the model's input
    programs: list[Priced]
    timeline: Timeline
    marks: list[StepMark]
    losses: list[float]

    @property
    def main(self) -> Priced | None:
        """The program that trained most; else the one that ran most."""
        return max(self.programs, key=lambda p: (p.trains, p.steps), default=None)

    def estimate(self) -> Estimate | None:
        """All four ways for the main program, as long as its run was."""
        if self.main is None:
            return None
        sink = max(launch.steps for launch in self.main.launches)
        return forecast(
            self.main.cost, self.main.plan, self.main.steps, sink, self.data_us, measured=True
        )


def replay(recorder: Recorder, spec: DeviceSpec, device_id: int, detail_steps: int) -> Replay:
    """Add up the virtual time of everything that ``recorder`` saw run."""
    machine = Machine(spec, device_id)
    data_us = pipeline_us(recorder.pipelines())
    timeline = machine.clock.timeline = Timeline(last_step=detail_steps)
    marks: list[StepMark] = []
    programs: dict[int | None, Priced] = {}
    schedules: dict[int | None, Schedule] = {}
    done = 0
    for launch in recorder.launches:
        key = None if launch.ran is None else id(launch.ran.program)
        if key not in programs:
            priced = _priced(recorder, launch, spec)
            if priced is None:
                continue
            programs[key] = priced
            # The eager step has no way of its own: the host sends kernel by kernel.
            schedules[key] = Schedule(
                machine.clock, priced.cost, priced.way, data_us, detail_steps, marks
            )
        programs[key].launches.append(launch)
        schedules[key].step = done  # steps are numbered over the whole run
        schedules[key].run(launch.steps, launch.steps)
        done += launch.steps
    priced_list = list(programs.values())
    trains = any(p.trains for p in priced_list)
    shown = [p for p in priced_list if p.trains or not trains]
    kept = {id(launch) for p in shown for launch in p.launches}
    losses = [float(x) for la in recorder.launches if id(la) in kept for x in la.losses]
    return Replay(recorder, machine, data_us, priced_list, timeline, marks, losses)


def pipeline_us(pipelines: Iterable[PipelineStatistics]) -> float:
    """Microseconds of pipeline work for one batch: all operations, each shared by its workers."""
    best = max(pipelines, key=lambda p: p.nodes[-1].rows if p.nodes else 0, default=None)
    if best is None or not best.nodes or not best.nodes[-1].rows:
        return 0.0
    return sum(n.self_ns / n.workers for n in best.nodes) / 1e3 / best.nodes[-1].rows


def _priced(recorder: Recorder, launch: Launch, spec: DeviceSpec) -> Priced | None:
    if launch.ran is not None:
        return _priced_program(launch.ran, launch, spec)
    steps = [s for s in recorder.eager_steps if s]
    if not launch.kernels or not steps:
        return None
    records = steps[-1]
    cost = program_cost(records, spec)
    trains = any(r.kind == BACKWARD for r in records)
    way = "data" if launch.fetched and "data" in spec.sinks else "none"
    return Priced("op by op", records, cost, plan_memory(records, spec), trains, way)


def _priced_program(ran: Ran, launch: Launch, spec: DeviceSpec) -> Priced:
    step = step_of(ran.program.traced).on(spec)
    records = list(step.records)
    cost = program_cost(records, spec, batch=step.batch, results=step.results)
    plan = plan_memory(records, spec, batch=step.batch)
    trains = any(r.kind == BACKWARD for r in records)
    way = spec.sinks[-1] if step.fetches else "none"
    return Priced(ran.name, records, cost, plan, trains, way)
