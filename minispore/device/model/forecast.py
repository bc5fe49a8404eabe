"""Forecast a run of a priced program: the four ways, the bottleneck, several devices."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from minispore import chart
from minispore.device.model.advice import Sides, copy_us, diagnose, ms
from minispore.device.model.collective import Parallel, data_parallel
from minispore.device.model.compare import Comparison, compare
from minispore.device.model.cost import ProgramCost
from minispore.device.model.memory import MemoryPlan
from minispore.device.model.roofline import roofline
from minispore.device.model.schedule import WAYS, Counts, Schedule
from minispore.device.model.spec import DeviceSpec
from minispore.device.model.stream import StreamClock
from minispore.device.model.timeline import Timeline, on_grid

#: More steps than these are not simulated one by one but continued at the rate that has settled.
SIMULATED_STEPS = 10_000


@dataclass(frozen=True)
class Prediction:
    """One way to run one epoch."""

    way: str
    supported: bool  # by this target; what is not falls back to the way before
    step_us: float
    epoch_us: float
    busy_share: float  # of the time, the AI Cores run kernels
    wait_share: float  # of the time, they wait for data
    counts: Counts


@dataclass(frozen=True)
class Estimate(chart.ShownAsText):
    """What training a model on a dataset would take on a device: a model of
    it, see ``spec.table()``."""

    spec: DeviceSpec
    cost: ProgramCost
    dataset_size: int
    sink_size: int
    data_us: float
    data_measured: bool
    predictions: tuple[Prediction, ...]
    parallel: Parallel
    bare_us: float  # a step of the best way, if the data were always there
    bottleneck: str  # which side limits the best way
    advice: tuple[str, ...]  # and what would move it
    memory: MemoryPlan = field(repr=False)
    rows: int = 1  # of a batch

    def __getitem__(self, way: str) -> Prediction:
        """The prediction for one way."""
        return self.predictions[WAYS.index(way)]

    def __iter__(self) -> Iterator[Prediction]:
        return iter(self.predictions)

    @property
    def efficiency(self) -> float:
        """Samples a second of all devices, as a share of that many times one device alone."""
        best = self.predictions[-1].step_us
        return (best - self.parallel.exposed_us) / best

    @property
    def host_rows_s(self) -> float:
        """Rows a second that the data pipelines make for all devices: the ceiling that the host
        sets, whatever the devices could do.
        """
        if not self.data_us:
            return math.inf
        return self.rows * self.parallel.devices * 1e6 / self.data_us

    @property
    def device_rows_s(self) -> float:
        """Rows a second of all devices if the data were always there."""
        return self.rows * self.parallel.devices * 1e6 / self.bare_us

    @property
    def rows_s(self) -> float:
        """Rows a second of the best way: never above either ceiling."""
        return self.rows * self.parallel.devices * 1e6 / self.predictions[-1].step_us

    def compare(self, profile: str | os.PathLike[str], steps: int | None = None) -> Comparison:
        """The kernels of a profile of a real device beside those of this model, class by class; see
        :func:`minispore.device.model.compare.compare`."""
        return compare(self.cost, profile, steps)

    def roofline(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw each kernel by what it computes for each byte that it moves, under the device's
        roofs; see :func:`minispore.device.model.roofline.roofline`."""
        return roofline(self.cost, path)

    def with_sink(self, sink_size: int) -> Estimate:
        """The same with another sink size, for a timeline."""
        return replace(self, sink_size=sink_size)

    def timeline(self, way: str, steps: int = 3, *, detail: float = 0) -> Timeline:
        """The first ``steps`` steps of one way in virtual time; up to ``detail`` each kernel."""
        clock = StreamClock(self.spec)
        schedule = Schedule(clock, self.cost, way, self.data_us, detail=detail)
        schedule.run(steps, self.sink_size)
        assert clock.timeline is not None
        return clock.timeline

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw what a step takes in each way, and which part of it the device computes.

        Args:
            path: a file to write, ``.png`` or ``.svg`` by its ending.

        Returns:
            A matplotlib Figure.

        Raises:
            ImportError: matplotlib is not installed.
            ValueError: ``path`` has another ending.
        """
        who = "Estimate.plot"
        drawing = chart.figure(who, height=2.6)
        axes = drawing.subplots()
        names = [p.way for p in self.predictions]
        parts = {
            "computes": [p.busy_share * p.step_us / 1e3 for p in self.predictions],
            "waits for data": [p.wait_share * p.step_us / 1e3 for p in self.predictions],
        }
        parts["waits for the host"] = [
            max(p.step_us / 1e3 - sum(done), 0.0)
            for p, done in zip(self.predictions, zip(*parts.values()))
        ]
        begun = [0.0] * len(names)
        for (label, lengths), colour in zip(parts.items(), ("#1f6fb4", "#c8c8c8", "#e39c37")):
            axes.barh(names, lengths, left=begun, label=label, color=colour)
            begun = [a + b for a, b in zip(begun, lengths)]
        axes.invert_yaxis()
        axes.set_xlabel("ms a step, predicted")
        axes.set_title(f"{self.spec.name}: bottleneck {self.bottleneck}", fontsize="medium")
        axes.legend(fontsize="small")
        return chart.saved(who, drawing, path)

    def __str__(self) -> str:
        data = "measured" if self.data_measured else "given"
        lines = [
            f"{self.spec.name}: predicted, a model and no measurement",
            f"{self.cost.launches} kernels, {ms(self.cost.device_us)} a step; data pipeline "
            f"{ms(self.data_us)} a batch, {data}",
            "        step ms    epoch s   busy  data wait  interactions      H2D MB    D2H kB",
        ]
        for p in self.predictions:
            moved = f"{p.counts.h2d_bytes / 1e6:>12.2f}{p.counts.d2h_bytes / 1e3:>10.2f}"
            lines.append(
                f"{p.way:<6}{p.step_us / 1e3:>9.3f}{p.epoch_us / 1e6:>11.3f}{p.busy_share:>7.0%}"
                f"{p.wait_share:>11.0%}{p.counts.interactions:>14,}{moved}"
                + ("" if p.supported else f"  not on {self.spec.target}")
            )
        if self.parallel.devices > 1:
            lines.append(
                f"{self.parallel.devices} devices: all_reduce {ms(self.parallel.all_reduce_us)}, "
                f"of which {ms(self.parallel.exposed_us)} show; efficiency {self.efficiency:.3f}"
            )
        if self.data_us:
            lines.append(
                f"ceilings: {self.host_rows_s:,.0f} rows/s by the host ({data}), "
                f"{self.device_rows_s:,.0f} by the device; predicted {self.rows_s:,.0f}"
            )
        guessed = self.cost.by_default()
        if guessed:
            shown = ", ".join(f"{name} {part:.1%}" for name, part in guessed.items())
            share = sum(guessed.values())
            lines.append(f"priced by default: {share:.1%} of the device's time ({shown})")
        lines.append(f"bottleneck: {self.bottleneck}")
        return "\n".join(lines + [f"  - {line}" for line in self.advice])


def forecast(
    cost: ProgramCost,
    plan: MemoryPlan,
    steps: int,
    sink_size: int,
    data_us: float,
    *,
    measured: bool = False,
    devices: int = 1,
    all_reduce_fusion_config: Sequence[int] | None = None,
    rows: int = 1,
) -> Estimate:
    """Predict ``steps`` steps of a program in all four ways; see :func:`predict.estimate`."""
    spec = cost.spec
    data_us = on_grid(data_us)
    parallel = data_parallel(cost, devices, all_reduce_fusion_config)
    if parallel.exposed_us:
        cost = cost.with_tail(parallel.exposed_us)
    found: list[Prediction] = []
    for way in WAYS:
        if way in spec.sinks:
            found.append(_predict(spec, cost, way, data_us, steps, sink_size))
        else:
            found.append(replace(found[-1], way=way, supported=False))
    best = spec.sinks[-1]
    bare = replace(cost, input_bytes=0)
    sides = Sides(
        best=best,
        none_us=found[0].step_us,
        best_us=found[-1].step_us,
        bare_us=_predict(spec, bare, best, 0.0, min(steps, 2000), sink_size).step_us,
        data_us=data_us,
        copy_us=copy_us(cost),
        sinks=math.ceil(steps / sink_size),
        dataset_size=steps,
    )
    bottleneck, advice = diagnose(cost, sides)
    return Estimate(
        spec,
        cost,
        steps,
        sink_size,
        data_us,
        measured,
        tuple(found),
        parallel,
        sides.bare_us,
        bottleneck,
        tuple(advice),
        plan,
        rows,
    )


def _predict(
    spec: DeviceSpec, cost: ProgramCost, way: str, data_us: float, size: int, sink: int
) -> Prediction:
    schedule = Schedule(StreamClock(spec, timeline=None), cost, way, data_us)
    steps = min(size, SIMULATED_STEPS)
    epoch_us = schedule.run(steps, sink)
    busy_us, wait_us, counts = schedule.busy_us, schedule.wait_us, schedule.counts
    if steps < size:
        # The whole run continues as its second half went: start-up is over by then.
        half = Schedule(StreamClock(spec, timeline=None), cost, way, data_us)
        begun = half.run(steps // 2, sink)
        rate = (epoch_us - begun) / (steps - steps // 2)
        epoch_us = on_grid(epoch_us + rate * (size - steps))
        share = size / steps
        busy_us, wait_us, counts = (
            busy_us * share,
            wait_us * share,
            _exact_counts(cost, way, size, sink),
        )
    return Prediction(
        way,
        True,
        epoch_us / size,
        epoch_us,
        min(1.0, busy_us / epoch_us),
        min(1.0, wait_us / epoch_us),
        counts,
    )


def _exact_counts(cost: ProgramCost, way: str, size: int, sink: int) -> Counts:
    """The counts of ``size`` steps: they follow from the way alone."""
    calls = math.ceil(size / sink) if way == "loop" else size
    sent = {"none": cost.launches, "data": cost.launches + 1, "graph": 0, "loop": 0}[way]
    return Counts(
        interactions=calls,
        program_launches=calls,
        kernel_launches=size * sent,
        h2d_copies=size * cost.input_columns,
        h2d_bytes=size * cost.input_bytes,
        d2h_copies=calls * len(cost.results),
        d2h_bytes=calls * cost.output_bytes + (size - calls) * cost.loss_bytes,
        getnext=0 if way == "none" else size,
    )
