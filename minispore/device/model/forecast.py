"""Forecasts of a priced program: the times of all four ways, the bottleneck, several devices."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from minispore.device.model.advice import StepTimes, copy_us, diagnose, format_ms
from minispore.device.model.compare import Comparison, compare
from minispore.device.model.cost import ProgramCost
from minispore.device.model.memory import MemoryPlan
from minispore.device.model.parallel.data_parallel import Parallel, estimate_data_parallel
from minispore.device.model.roofline import roofline
from minispore.device.model.schedule import WAYS, Counts, Schedule
from minispore.device.model.spec import DeviceSpec
from minispore.device.model.stream import StreamClock
from minispore.device.model.timeline import Timeline, round_to_grid
from minispore.device.model.trust import SEEN_HOST_ERROR, describe_trust
from minispore.foundation import charts

#: Further steps are not simulated; they are extrapolated at the rate of the second half.
SIMULATED_STEPS = 10_000


@dataclass(frozen=True)
class Prediction:
    """The predicted times and counts of one epoch in one of the four ways to drive a device: no
    sink, data, graph or loop sink.
    """

    way: str
    supported: bool  # by this target; an unsupported way repeats the previous way
    step_us: float
    epoch_us: float
    busy_share: float  # share of the time in which the AI Cores run kernels
    wait_share: float  # share of the time in which they wait for data
    counts: Counts


#: The labels of the four ways in plots.
_WAY_LABELS = {
    "none": "no sink",
    "data": "data sink",
    "graph": "data + graph sink",
    "loop": "data + graph + loop sink",
}


@dataclass(frozen=True)
class Estimate(charts.TextRepr):
    """The predicted times and memory of training a model on a device; the numbers come from
    ``spec.table()``."""

    spec: DeviceSpec
    cost: ProgramCost
    dataset_size: int
    sink_size: int
    data_us: float
    data_source: str  # of ``data_us``: "given", "measured" here, or "computed" from rates
    predictions: tuple[Prediction, ...]
    parallel: Parallel
    bare_us: float  # a step of the best way if data were always available
    bottleneck: str  # what limits the best way
    advice: tuple[str, ...]  # changes that would help
    memory: MemoryPlan = field(repr=False)
    rows: int = 1  # of a batch

    def __getitem__(self, way: str) -> Prediction:
        """Return the prediction for one way: "none", "data", "graph" or "loop"."""
        return self.predictions[WAYS.index(way)]

    def __iter__(self) -> Iterator[Prediction]:
        """Iterate over the predictions, one for each sink mode."""
        return iter(self.predictions)

    @property
    def best(self) -> Prediction:
        """The prediction for the best way of this target, which unsupported ways repeat."""
        return self.predictions[-1]

    @property
    def data_measured(self) -> bool:
        """Whether the pipeline was measured on this computer."""
        return self.data_source == "measured"

    @property
    def efficiency(self) -> float:
        """The rows per second of n devices, as a fraction of n times those of one device."""
        step_us = self.best.step_us
        return (step_us - self.parallel.exposed_us) / step_us

    @property
    def host_rows_s(self) -> float:
        """The rows per second that the data pipelines make for all devices: an upper limit that
        does not depend on the devices.
        """
        if not self.data_us:
            return math.inf
        return self.rows * self.parallel.devices * 1e6 / self.data_us

    @property
    def device_rows_s(self) -> float:
        """The rows per second of all devices if data were always available."""
        return self.rows * self.parallel.devices * 1e6 / self.bare_us

    @property
    def rows_s(self) -> float:
        """The rows per second of the best way; both upper limits apply."""
        return self.rows * self.parallel.devices * 1e6 / self.best.step_us

    def compare(self, profile: str | os.PathLike[str], steps: int | None = None) -> Comparison:
        """Compare the kernels of a real device's profile with the predicted ones, by class; see
        :func:`minispore.device.model.compare.compare`."""
        return compare(self.cost, profile, steps)

    def roofline(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Plot each kernel by its operations per byte and per second, under the device's roofs; see
        :func:`minispore.device.model.roofline.roofline`.
        """
        return roofline(self.cost, path)

    def with_sink(self, sink_size: int) -> Estimate:
        """Return a copy with a different sink size for timelines; the predictions do not change."""
        return replace(self, sink_size=sink_size)

    def timeline(self, way: str, steps: int = 3, *, detail: float = 0) -> Timeline:
        """Return the timeline of ``steps`` simulated steps in one way: "none", "data", "graph" or
        "loop"; it shows single kernels up to step ``detail``.
        """
        clock = StreamClock(self.spec)
        schedule = Schedule(clock, self.cost, way, self.data_us, detail=detail)
        schedule.run(steps, self.sink_size)
        assert clock.timeline is not None
        return clock.timeline

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Plot the time of a step in each way, and the share in which the device computes.

        Args:
            path: a file to write, with the extension ``.png`` or ``.svg``.

        Returns:
            A matplotlib Figure.

        Raises:
            ImportError: matplotlib is not installed.
            ValueError: ``path`` has a different extension.
        """
        api_name = "Estimate.plot"
        drawing = charts.make_figure(api_name, height=2.6)
        axes = drawing.subplots()
        labels = [_WAY_LABELS[p.way] for p in self.predictions]
        parts = {
            "computes": [p.busy_share * p.step_us / 1e3 for p in self.predictions],
            "waits for data": [p.wait_share * p.step_us / 1e3 for p in self.predictions],
        }
        parts["waits for the host"] = [
            max(p.step_us / 1e3 - sum(timed_parts), 0.0)
            for p, timed_parts in zip(self.predictions, zip(*parts.values()))
        ]
        lefts = [0.0] * len(labels)
        longest = max(p.step_us for p in self.predictions) / 1e3
        for (label, lengths), colour in zip(parts.items(), ("#1f6fb4", "#c8c8c8", "#e39c37")):
            is_visible = max(lengths) > longest / 1000
            legend = label if is_visible else "_nolegend_"
            axes.barh(labels, lengths, left=lefts, label=legend, color=colour)
            lefts = [a + b for a, b in zip(lefts, lengths)]
        axes.invert_yaxis()
        axes.set_xlabel("ms a step, predicted")
        axes.set_title(f"One training step in four ways on the {self.spec.name}", fontsize="medium")
        axes.legend(fontsize="small")
        return charts.save_chart(api_name, drawing, path)

    def __str__(self) -> str:
        """Return a table of the four ways, with the bottleneck and advice."""
        lines = [
            f"{self.spec.name}: predicted, a model and no measurement",
            describe_trust(self.spec, self.cost.family),
            f"{self.cost.launches} kernels, {format_ms(self.cost.device_us)} a step; data pipeline "
            f"{format_ms(self.data_us)} a batch, {self.data_source}",
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
                f"{self.parallel.devices} devices: all_reduce "
                f"{format_ms(self.parallel.all_reduce_us)}, "
                f"of which {format_ms(self.parallel.exposed_us)} not overlapped; efficiency "
                f"{self.efficiency:.3f}"
            )
        if self.data_us:
            lines.append(
                f"ceilings: {self.host_rows_s:,.0f} rows/s by the host ({self.data_source}), "
                f"{self.device_rows_s:,.0f} by the device; predicted {self.rows_s:,.0f}"
            )
        if self.data_source == "computed":
            lines.append(f"errors seen of the host's computed ceiling: {SEEN_HOST_ERROR}")
        default_priced = self.cost.sum_default_priced_types()
        if default_priced:
            type_shares = ", ".join(f"{name} {part:.1%}" for name, part in default_priced.items())
            share = sum(default_priced.values())
            lines.append(f"priced by default: {share:.1%} of the device's time ({type_shares})")
        lines.append(f"bottleneck: {self.bottleneck}")
        return "\n".join(lines + [f"  - {line}" for line in self.advice])


def forecast(
    cost: ProgramCost,
    plan: MemoryPlan,
    steps: int,
    sink_size: int,
    data_us: float,
    *,
    data_source: str = "given",
    workers_help: bool = True,
    devices: int = 1,
    all_reduce_fusion_config: Sequence[int] | None = None,
    rows: int = 1,
) -> Estimate:
    """Predict an epoch of ``steps`` steps of a priced program, for each of the four ways to drive
    a device; see :func:`predict.estimate`.

    Ways that the target does not support repeat the previous way.
    """
    spec = cost.spec
    data_us = round_to_grid(data_us)
    parallel = estimate_data_parallel(cost, devices, all_reduce_fusion_config)
    if parallel.exposed_us:
        cost = cost.add_exposed_all_reduce(parallel.exposed_us)
    predictions: list[Prediction] = []
    for way in WAYS:
        if way in spec.sinks:
            predictions.append(_predict_way(spec, cost, way, data_us, steps, sink_size))
        else:
            predictions.append(replace(predictions[-1], way=way, supported=False))
    best = spec.best_sink
    # For `bare_us`: no batch is copied, the pipeline takes no time, and 2,000 steps show the rate.
    cost_without_input = replace(cost, input_bytes=0)
    step_times = StepTimes(
        best=best,
        none_us=predictions[0].step_us,
        best_us=predictions[-1].step_us,
        bare_us=_predict_way(
            spec, cost_without_input, best, 0.0, min(steps, 2000), sink_size
        ).step_us,
        data_us=data_us,
        copy_us=copy_us(cost),
        sinks=math.ceil(steps / sink_size),
        dataset_size=steps,
        workers_help=workers_help,
    )
    bottleneck, advice = diagnose(cost, step_times)
    return Estimate(
        spec,
        cost,
        steps,
        sink_size,
        data_us,
        data_source,
        tuple(predictions),
        parallel,
        step_times.bare_us,
        bottleneck,
        tuple(advice),
        plan,
        rows,
    )


def _predict_way(
    spec: DeviceSpec, cost: ProgramCost, way: str, data_us: float, epoch_steps: int, sink_size: int
) -> Prediction:
    """Predict one epoch of ``epoch_steps`` steps in one way, such as "loop" (sink).

    At most ``SIMULATED_STEPS`` steps are simulated; the others are extrapolated.
    """
    schedule = Schedule(StreamClock(spec, timeline=None), cost, way, data_us)
    steps = min(epoch_steps, SIMULATED_STEPS)
    epoch_us = schedule.run(steps, sink_size)
    busy_us, wait_us, counts = schedule.busy_us, schedule.wait_us, schedule.counts
    if steps < epoch_steps:
        # The other steps are extrapolated from the second half, after the start-up.
        first_half = Schedule(StreamClock(spec, timeline=None), cost, way, data_us)
        half_us = first_half.run(steps // 2, sink_size)
        us_per_step = (epoch_us - half_us) / (steps - steps // 2)
        epoch_us = round_to_grid(epoch_us + us_per_step * (epoch_steps - steps))
        scale = epoch_steps / steps
        busy_us, wait_us = busy_us * scale, wait_us * scale
        counts = _compute_counts(cost, way, epoch_steps, sink_size)
    return Prediction(
        way,
        supported=True,
        step_us=epoch_us / epoch_steps,
        epoch_us=epoch_us,
        busy_share=min(1.0, busy_us / epoch_us),
        wait_share=min(1.0, wait_us / epoch_us),
        counts=counts,
    )


def _compute_counts(cost: ProgramCost, way: str, steps: int, sink_size: int) -> Counts:
    """Return the interactions, launches and copies of ``steps`` steps, which depend only on the
    way to drive the device, not on times.
    """
    calls = math.ceil(steps / sink_size) if way == "loop" else steps
    launches_per_step = {"none": cost.launches, "data": cost.launches + 1, "graph": 0, "loop": 0}[
        way
    ]
    return Counts(
        interactions=calls,
        program_launches=calls,
        kernel_launches=steps * launches_per_step,
        h2d_copies=steps * cost.input_columns,
        h2d_bytes=steps * cost.input_bytes,
        d2h_copies=calls * len(cost.results),
        d2h_bytes=calls * cost.output_bytes + (steps - calls) * cost.loss_bytes,
        getnext=0 if way == "none" else steps,
    )
