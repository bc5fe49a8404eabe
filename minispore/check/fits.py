"""Whether a training fits a device, how fast it would be, and what would bound it."""

from __future__ import annotations

from collections.abc import Iterator

from minispore.check.cut import Training
from minispore.check.sinks import Told, place
from minispore.dataset.dataset import Dataset
from minispore.device.model.forecast import Estimate
from minispore.device.model.predict import estimate, estimate_step, measure_pipeline
from minispore.device.model.records import OPTIMIZER
from minispore.device.model.spec import MIB, DeviceSpec
from minispore.device.model.step import step_of
from minispore.graph.ir import Graph

WAYS = {"none": "no sink", "data": "data sink", "graph": "graph sink", "loop": "loop sink"}


class Priced:
    """A training step that was estimated."""

    def __init__(self, where: str, found: Estimate) -> None:
        self.where, self.found = where, found

    def bars(self) -> list[tuple[str, float]]:
        """Each way that the device has, and milliseconds of a step."""
        return [(WAYS[p.way], p.step_us / 1e3) for p in self.found if p.supported]


def fitting(
    trainings: list[Training], graphs: list[tuple[str, Graph]], spec: DeviceSpec, ranks: int
) -> tuple[list[str], list[Told], list[Priced]]:
    """The lines of the section, what is to be found fault with, and the estimates."""
    lines: list[str] = []
    told: list[Told] = []
    priced: list[Priced] = []
    for training in trainings:
        where = place(training.file, training.line)
        try:
            found = _priced(training, graphs, spec, ranks)
        except Exception as exc:
            lines.append(f"{where}: no estimate ({type(exc).__name__}: {_first(exc)})")
            continue
        if found is None:
            lines.append(
                f"{where}: no estimate: no whole step went through a graph; ms.jit makes one"
            )
            continue
        priced.append(Priced(where, found))
        lines += _lines(where, found)
        if not found.memory.fits:
            told.append(("memory", training.file, training.line, _need(found)))
    return lines, told, priced


def _priced(
    training: Training, graphs: list[tuple[str, Graph]], spec: DeviceSpec, ranks: int
) -> Estimate | None:
    if training.model is not None:
        size = training.dataset.get_dataset_size()
        sink = training.sink_size if training.sink_size > 0 else size
        return estimate(
            training.model, training.dataset, device=spec, sink_size=sink, devices=ranks
        )
    if not isinstance(training.dataset, Dataset):
        return None
    steps = [step_of(graph) for _, graph in graphs]
    whole = [s for s in steps if any(r.kind == OPTIMIZER for r in s.records)]
    if not whole:
        return None
    size = training.dataset.get_dataset_size()
    data_us = measure_pipeline(training.dataset) * min(ranks, int(spec.server_devices))
    sink = training.sink_size if training.sink_size > 0 else size
    return estimate_step(whole[0], spec, size, sink, data_us, measured=True, devices=ranks)


def _lines(where: str, found: Estimate) -> Iterator[str]:
    plan = found.memory
    if plan.fits:
        largest = f"{plan.largest_batch:,}" if plan.largest_batch < 1 << 40 else "any"
        yield (
            f"{where}: {plan.peak / MIB:,.1f} MB of the {plan.capacity / MIB:,.0f} that a program "
            f"may take; batch {plan.batch_size:,}, up to {largest}"
        )
    else:
        yield f"{where}: does not fit: {_need(found)}"
    ways = ", ".join(f"{WAYS[p.way]} {p.step_us / 1e3:.3f}" for p in found if p.supported)
    best = found.predictions[-1]
    epoch = f"an epoch of {found.dataset_size:,} steps {_time(best.epoch_us)}"
    yield f"    ms a step, predicted: {ways}; {epoch}"
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
