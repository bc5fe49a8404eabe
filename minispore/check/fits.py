"""Whether a training fits a device, how fast it would be, and what would bound it."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.cut import Training, Trainings
from minispore.check.sinks import Told, place
from minispore.dataset.dataset import Dataset
from minispore.device.model.forecast import Estimate
from minispore.device.model.predict import estimate, estimate_step, measure_pipeline
from minispore.device.model.spec import MIB, DeviceSpec
from minispore.device.model.step import Step

WAYS = {"none": "no sink", "data": "data sink", "graph": "graph sink", "loop": "loop sink"}


class Priced:
    """A training step that was estimated.

    Args:
        where: the line that trains.
        found: the step as one graph.
        by_op: as the script runs it, if that is op by op, and how many ops.
    """

    def __init__(self, where: str, found: Estimate, by_op: tuple[Estimate, int] | None) -> None:
        self.where, self.found, self.by_op = where, found, by_op

    def bars(self) -> list[tuple[str, float]]:
        """Each way that the device has, and milliseconds of a step."""
        first = [] if self.by_op is None else [("op by op", self.by_op[0]["none"])]
        ways = [*first, *[(WAYS[p.way], p) for p in self.found if p.supported]]
        return [(way, p.step_us / 1e3) for way, p in ways]


def fitting(
    trainings: Trainings, spec: DeviceSpec, ranks: int
) -> tuple[list[str], list[Told], list[Priced]]:
    """The lines of the section, what is to be found fault with, and the estimates."""
    lines: list[str] = []
    told: list[Told] = []
    priced: list[Priced] = []
    for loop, training in trainings.seen.items():
        where = place(training.file, training.line)
        try:
            found = _priced(where, training, trainings.steps.of(loop), spec, ranks)
        except Exception as exc:
            lines.append(f"{where}: no estimate ({type(exc).__name__}: {_first(exc)})")
            continue
        if found is None:
            lines.append(f"{where}: no estimate, as no optimizer was seen in its loop")
            continue
        priced.append(found)
        lines += _lines(found)
        if not found.found.memory.fits:
            told.append(("memory", training.file, training.line, _need(found.found)))
    return lines, told, priced


def _priced(
    where: str, training: Training, seen: tuple[Step, int] | None, spec: DeviceSpec, ranks: int
) -> Priced | None:
    if training.model is None and (seen is None or not isinstance(training.dataset, Dataset)):
        return None
    size = training.dataset.get_dataset_size()
    sink = training.sink_size if training.sink_size > 0 else size
    if training.model is not None:
        found = estimate(
            training.model, training.dataset, device=spec, sink_size=sink, devices=ranks
        )
        return Priced(where, found, None)
    assert seen is not None
    step, by_op = seen
    data_us = measure_pipeline(training.dataset) * min(ranks, int(spec.server_devices))

    def priced(spec: DeviceSpec) -> Estimate:
        return estimate_step(step, spec, size, sink, data_us, measured=True, devices=ranks)

    alone = spec.replace(fused_ops=1)  # what the host sends op by op can't be joined
    return Priced(where, priced(spec), (priced(alone), by_op) if by_op else None)


def _lines(priced: Priced) -> Iterator[str]:
    where, found, plan = priced.where, priced.found, priced.found.memory
    if plan.fits:
        largest = f"{plan.largest_batch:,}" if plan.largest_batch < 1 << 40 else "any"
        yield (
            f"{where}: {plan.peak / MIB:,.1f} MB of the {plan.capacity / MIB:,.0f} that a program "
            f"may take; batch {plan.batch_size:,}, up to {largest}"
        )
    else:
        yield f"{where}: does not fit: {_need(found)}"
    ways = ", ".join(f"{WAYS[p.way]} {p.step_us / 1e3:.3f}" for p in found if p.supported)
    now = ""
    if priced.by_op is not None:
        alone, ops = priced.by_op
        now = f"{alone['none'].step_us / 1e3:.3f} as now, {ops:,} ops one by one; in a graph "
    best = found.predictions[-1]
    epoch = f"an epoch of {found.dataset_size:,} steps {_time(best.epoch_us)}"
    yield f"    ms a step, predicted: {now}{ways}; {epoch}"
    measured = f"; one batch takes the data pipeline {found.data_us / 1e3:.3f} ms, measured here"
    yield f"    bounded by: {found.bottleneck}{measured if found.data_measured else ''}"
    yield from (f"      {line}" for line in found.advice)
    if found.parallel.devices > 1:
        shown = found.parallel
        yield (
            f"    {shown.devices} ranks: the gradients' all-reduce takes "
            f"{shown.all_reduce_us / 1e3:.3f} ms, of which {shown.exposed_us / 1e3:.3f} show; "
            f"{found.rows_s:,.0f} rows/s of all, efficiency {found.efficiency:.2f}"
        )


def _need(found: Estimate) -> str:
    plan = found.memory
    return (
        f"{plan.peak / MIB:,.0f} MB of {plan.capacity / MIB:,.0f} at {plan.peak_op}; the largest "
        f"batch is {plan.largest_batch:,}"
    )


def _time(us: float) -> str:
    return f"{us / 1e3:.1f} ms" if us < 1e6 else f"{us / 1e6:,.1f} s"


def _first(exc: Exception) -> str:
    return str(exc).split("\n", 1)[0]


__all__ = ["Priced", "fitting"]
