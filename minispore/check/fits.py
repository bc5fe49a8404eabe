"""Estimate whether a training fits on a device, its speed, and its bottleneck."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.cut import Training, Trainings
from minispore.check.sinks import RawFinding, locate
from minispore.dataset.dataset import Dataset
from minispore.device.model.forecast import Estimate
from minispore.device.model.memory import MemoryPlan
from minispore.device.model.predict import estimate, estimate_step, measure_pipeline
from minispore.device.model.spec import MIB, DeviceSpec
from minispore.device.model.step import Step

MODE_NAMES = {"none": "no sink", "data": "data sink", "graph": "graph sink", "loop": "loop sink"}


class StepEstimate:
    """The estimates of one training step.

    Args:
        location: the line that trains.
        graph_estimate: the step as one graph.
        eager_estimate: the step op by op, and the number of its ops; None if the script runs the
            step as a graph.
    """

    def __init__(
        self, location: str, graph_estimate: Estimate, eager_estimate: tuple[Estimate, int] | None
    ) -> None:
        self.location = location
        self.graph_estimate, self.eager_estimate = graph_estimate, eager_estimate

    def bars(self) -> list[tuple[str, float]]:
        """Return the milliseconds of a step in each execution mode that the device supports."""
        modes = [(MODE_NAMES[p.way], p) for p in self.graph_estimate if p.supported]
        if self.eager_estimate is not None:
            modes.insert(0, ("op by op", self.eager_estimate[0]["none"]))
        return [(mode, p.step_us / 1e3) for mode, p in modes]


def estimate_trainings(
    trainings: Trainings, spec: DeviceSpec, ranks: int
) -> tuple[list[str], list[RawFinding], list[StepEstimate]]:
    """Return the report's lines about time and memory, a raw finding for each training that does
    not fit into memory, and the estimates of all trainings.

    If an estimate fails, its line gives the error.
    """
    lines: list[str] = []
    raw_findings: list[RawFinding] = []
    estimates: list[StepEstimate] = []
    for loop, training in trainings.entries.items():
        location = locate(training.file, training.line)
        try:
            step_estimate = _estimate_training(
                location, training, trainings.step_recorder.find_step(loop), spec, ranks
            )
        except Exception as exc:
            lines.append(f"{location}: no estimate ({type(exc).__name__}: {_get_first_line(exc)})")
            continue
        if step_estimate is None:
            lines.append(f"{location}: no estimate, as no optimizer was seen in its loop")
            continue
        estimates.append(step_estimate)
        lines += _format_estimate(step_estimate)
        plan = step_estimate.graph_estimate.memory
        if not plan.fits:
            need, way_out = _format_memory_need(plan), _suggest_batch(plan.largest_batch)
            raw_findings.append(("memory", training.file, training.line, need, way_out))
    return lines, raw_findings, estimates


def _estimate_training(
    location: str,
    training: Training,
    recorded_step: tuple[Step, int] | None,
    spec: DeviceSpec,
    ranks: int,
) -> StepEstimate | None:
    """Return the estimates of a training, or None if no training step was recorded in its loop."""
    if training.model is None and (
        recorded_step is None or not isinstance(training.dataset, Dataset)
    ):
        return None
    size = training.dataset.get_dataset_size()
    sink_size = training.sink_size if training.sink_size > 0 else size
    if training.model is not None:
        graph_estimate = estimate(
            training.model, training.dataset, device=spec, sink_size=sink_size, devices=ranks
        )
        return StepEstimate(location, graph_estimate, None)
    assert recorded_step is not None
    step, eager_ops = recorded_step
    data_us = measure_pipeline(training.dataset) * min(ranks, int(spec.server_devices))

    def estimate_on(spec: DeviceSpec) -> Estimate:
        """Return the estimate of the recorded step on a device."""
        return estimate_step(
            step, spec, size, sink_size, data_us, data_source="measured", devices=ranks
        )

    unfused_spec = spec.replace(fused_ops=1)  # ops launched one by one can't be fused
    return StepEstimate(
        location, estimate_on(spec), (estimate_on(unfused_spec), eager_ops) if eager_ops else None
    )


def _format_estimate(step_estimate: StepEstimate) -> Iterator[str]:
    """Yield the lines about a training: memory, milliseconds of a step, bound, and all-reduce."""
    location, estimate = step_estimate.location, step_estimate.graph_estimate
    plan = estimate.memory
    if plan.fits:
        yield (
            f"{location}: {plan.peak / MIB:,.1f} MB of the {plan.capacity / MIB:,.0f} that a "
            f"program may take; batch {plan.batch_size:,}, up to {plan.format_largest_batch()}"
        )
    else:
        yield f"{location}: does not fit: {_format_memory_need(plan)}"
    modes = ", ".join(f"{MODE_NAMES[p.way]} {p.step_us / 1e3:.3f}" for p in estimate if p.supported)
    eager_text = ""
    if step_estimate.eager_estimate is not None:
        eager_estimate, ops = step_estimate.eager_estimate
        eager_ms = eager_estimate["none"].step_us / 1e3
        eager_text = f"{eager_ms:.3f} as the script runs it, {ops:,} ops one by one; in a graph "
    fastest = estimate.best
    epoch = f"an epoch of {estimate.dataset_size:,} steps {_format_duration(fastest.epoch_us)}"
    yield f"    ms a step, predicted: {eager_text}{modes}; {epoch}"
    data_text = (
        f"; the data pipeline takes {estimate.data_us / 1e3:.3f} ms per batch, measured here"
    )
    yield f"    bounded by: {estimate.bottleneck}{data_text if estimate.data_measured else ''}"
    yield from (f"      {line}" for line in estimate.advice)
    parallel = estimate.parallel
    if parallel.devices > 1:
        yield (
            f"    {parallel.devices} ranks: the gradients' all-reduce takes "
            f"{parallel.all_reduce_us / 1e3:.3f} ms, of which {parallel.exposed_us / 1e3:.3f} not "
            f"overlapped; {estimate.rows_s:,.0f} rows/s of all, efficiency "
            f"{estimate.efficiency:.2f}"
        )


def _format_memory_need(plan: MemoryPlan) -> str:
    """Return text with the peak memory of a step, the op of the peak, and the largest batch that
    fits.
    """
    return (
        f"{plan.peak / MIB:,.0f} MB of {plan.capacity / MIB:,.0f} at {plan.peak_op}; the largest "
        f"batch is {plan.format_largest_batch()}"
    )


def _suggest_batch(largest: int | None) -> str:
    """Return the line to write instead of a line whose batch does not fit."""
    if largest is None:
        return "# a smaller batch, or a smaller network"
    return f"data.batch({largest})" if largest else "# a smaller network: not even one row fits"


def _format_duration(us: float) -> str:
    """Return microseconds as text: in milliseconds below a second, otherwise in seconds."""
    return f"{us / 1e3:.1f} ms" if us < 1e6 else f"{us / 1e6:,.1f} s"


def _get_first_line(exc: Exception) -> str:
    """Return the first line of an exception's text."""
    return str(exc).split("\n", 1)[0]


__all__ = ["StepEstimate", "estimate_trainings"]
