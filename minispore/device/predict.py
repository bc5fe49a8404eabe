"""Predict a training without running it: ``estimate`` for time, ``memory_report`` for memory.

Both need shapes only: the training step of a Model is traced on the shapes of its dataset's
columns. If nobody gives the time that the pipeline needs for one batch, it is measured on some.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from minispore import context
from minispore.core import interpreter
from minispore.core.autograd import tensors_in
from minispore.core.tensor import wrap
from minispore.core.value import Spec
from minispore.device.advice import Sides, copy_us, diagnose, ms
from minispore.device.collective import Parallel, check_devices, data_parallel
from minispore.device.cost import ProgramCost, program_cost
from minispore.device.memory import MemoryPlan, plan_memory
from minispore.device.records import Operand, OpRecord, in_half, operand, records_of
from minispore.device.schedule import WAYS, Counts, Schedule
from minispore.device.spec import GIB, DeviceSpec, device_spec
from minispore.device.stream import StreamClock
from minispore.device.timeline import Timeline, on_grid
from minispore.graph.ir import Graph
from minispore.graph.trace import Tracer, finished

#: More steps than these are not simulated one by one but continued at the rate that has settled.
SIMULATED_STEPS = 20_000
#: Values of ``set_context(ascend_config={"precision_mode": ...})`` that compute in float16.
HALF_MODES = ("force_fp16", "allow_mix_precision", "allow_mix_precision_fp16")
#: How much of the pipeline is measured at most: batches, seconds.
MEASURED_BATCHES, MEASURED_S = 50, 1.0


@runtime_checkable
class Estimable(Protocol):
    """What can be estimated: a Model, or anything else that has its training step as one Cell."""

    train_network: Any  # called with the columns of a batch, it trains one step


@runtime_checkable
class Recorded(Protocol):
    """A training step that is a list of op records already."""

    records: Sequence[OpRecord]
    batch: Sequence[Operand]


def trace_step(network: Callable[..., Any], specs: Sequence[Spec]) -> Graph:
    """The graph of ``network`` on inputs of these shapes; no data, nothing runs.

    >>> graph = trace_step(lambda x: x * 2, [Spec((2, 3), np.dtype(np.float32))])
    >>> [node.prim.name for node in graph.nodes]
    ['Mul']
    """
    tracer = Tracer()
    boxes = [wrap(tracer.input(spec, None)) for spec in specs]
    with interpreter.using(tracer):
        outputs = tensors_in(network(*boxes))
        return finished(tracer, [t.value_ for t in outputs])


def step_records(model: Any, dataset: Any) -> tuple[list[OpRecord], list[Operand]]:
    """The ops of one training step, and the columns of its batch.

    Raises:
        TypeError: for a model that can't say what its step is, or a dataset without shapes.
    """
    if isinstance(model, Recorded):
        return list(model.records), list(model.batch)
    if not isinstance(model, Estimable) or model.train_network is None:
        raise TypeError(
            "estimate: model must have a training step, got "
            f"{type(model).__name__}. Wrap the network: Model(network, loss_fn, optimizer)."
        )
    if not hasattr(dataset, "types_shapes"):
        raise TypeError(
            "estimate: dataset must be a dataset, for the shapes of its columns, got "
            f"{type(dataset).__name__}."
        )
    types, shapes = dataset.types_shapes()
    specs = [Spec(tuple(shape), np.dtype(t)) for t, shape in zip(types, shapes, strict=True)]
    network = model.train_network
    asleep = getattr(network, "training", True) is False  # after an evaluation, say
    if asleep:
        network.set_train()
    try:
        graph = trace_step(network, specs)
    finally:
        if asleep:
            network.set_train(False)
    return records_of(graph), [operand(v) for v in graph.inputs]


def memory_report(
    model: Any,
    dataset: Any,
    *,
    device: str | DeviceSpec = "Ascend910",
    batch_size: int | None = None,
) -> MemoryPlan:
    """The memory of a training step on ``device``, op by op, and the largest batch that fits;
    nothing runs.

    Args:
        model: a Model with loss function and optimizer.
        dataset: its training data; only shapes and types are asked for.
        device: the name of a device, or a spec of your own.
        batch_size: rows of a batch; by default the dataset's.
    """
    records, batch = _step(model, dataset, _spec(device))
    rows = batch_size
    if rows is None and hasattr(dataset, "get_batch_size"):
        rows = dataset.get_batch_size()
    limit = int(context.current().max_device_memory * GIB)
    return plan_memory(
        records, _spec(device), batch=batch, batch_size=rows, max_device_memory=limit
    )


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
class Estimate:
    """What training a model on a dataset would take on a device: a model of it, see
    ``spec.table()``."""

    spec: DeviceSpec
    cost: ProgramCost
    dataset_size: int
    sink_size: int
    data_us: float
    data_measured: bool
    predictions: tuple[Prediction, ...]
    parallel: Parallel
    bottleneck: str  # which side limits the best way
    advice: tuple[str, ...]  # and what would move it
    memory: MemoryPlan = field(repr=False)

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

    def timeline(self, way: str, steps: int = 3, *, detail: float = 0) -> Timeline:
        """The first ``steps`` steps of one way in virtual time; up to ``detail``, kernel by
        kernel."""
        clock = StreamClock(self.spec)
        schedule = Schedule(clock, self.cost, way, self.data_us, detail=detail)
        schedule.run(steps, self.sink_size)
        assert clock.timeline is not None
        return clock.timeline

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
        lines.append(f"bottleneck: {self.bottleneck}")
        return "\n".join(lines + [f"  - {line}" for line in self.advice])


def estimate(
    model: Any,
    dataset: Any,
    *,
    device: str | DeviceSpec = "Ascend910",
    sink_size: int = -1,
    data_us: float | None = None,
    devices: int = 1,
    all_reduce_fusion_config: Sequence[int] | None = None,
) -> Estimate:
    """Predict one epoch in all four ways, without training.

    Args:
        model: a Model with loss function and optimizer.
        dataset: its training data, or just the number of its batches.
        device: the name of a device ("Ascend910", "Ascend310", "Ascend910B2", "GPU", "CPU"), or a
            spec of your own (``device_spec("Ascend910").replace(...)``).
        sink_size: steps of a sink; -1 for the whole dataset.
        data_us: microseconds that the data pipeline needs for one batch; measured on some batches
            when None.
        devices: number of devices that train data-parallel, 1 to 4096.
        all_reduce_fusion_config: MindSpore's, where the gradients are cut into buckets.

    Returns:
        An Estimate; ``print`` it for the table.

    Raises:
        TypeError, ValueError: for arguments out of their range, before anything is traced.
    """
    spec = _spec(device)
    check_devices(spec, devices)
    _check_sink_size(sink_size)
    if data_us is not None and not (
        isinstance(data_us, int | float) and math.isfinite(data_us) and data_us >= 0
    ):
        raise ValueError(f"estimate: data_us must be a time of at least 0, got {data_us!r}.")
    size = dataset if isinstance(dataset, int) else dataset.get_dataset_size()
    if size < 1:
        raise ValueError(f"estimate: dataset must have at least one batch, got {size}.")
    records, batch = _step(model, dataset, spec)
    cost = program_cost(records, spec, batch=batch)
    measured = data_us is None and not isinstance(dataset, int)
    batch_us = on_grid(measure_pipeline(dataset) if measured else data_us or 0.0)
    sink = size if sink_size == -1 else sink_size
    parallel = data_parallel(cost, devices, all_reduce_fusion_config)
    if parallel.exposed_us:
        cost = cost.with_tail(parallel.exposed_us)
    found: list[Prediction] = []
    for way in WAYS:
        supported = way in spec.sinks
        if supported:
            found.append(_predict(spec, cost, way, batch_us, size, sink))
        else:
            last = found[-1]
            found.append(Prediction(way, False, *_after_way(last)))
    way = [p.way for p in found if p.supported][-1]
    sides = Sides(
        best=way,
        none_us=found[0].step_us,
        best_us=found[-1].step_us,
        bare_us=_predict(
            spec, replace(cost, input_bytes=0), way, 0.0, min(size, 2000), sink
        ).step_us,
        data_us=batch_us,
        copy_us=copy_us(cost),
        sinks=math.ceil(size / sink),
        dataset_size=size,
    )
    bottleneck, advice = diagnose(cost, sides)
    limit = int(context.current().max_device_memory * GIB)
    return Estimate(
        spec,
        cost,
        size,
        sink,
        batch_us,
        measured,
        tuple(found),
        parallel,
        bottleneck,
        tuple(advice),
        plan_memory(records, spec, batch=batch, max_device_memory=limit),
    )


def measure_pipeline(
    dataset: Any, batches: int = MEASURED_BATCHES, seconds: float = MEASURED_S
) -> float:
    """Microseconds of wall time that the pipeline of ``dataset`` needs for one batch, after the
    first.

    At most ``batches`` batches are fetched, and no new one after ``seconds``.
    """
    rows = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
    with closing(rows) if hasattr(rows, "close") else nullcontext():
        feed = iter(rows)
        begin = time.perf_counter()
        next(feed)
        first = start = time.perf_counter()
        count = 0
        for _ in feed:
            count += 1
            if count == batches or time.perf_counter() - start > seconds:
                break
        end = time.perf_counter()
    return 1e6 * ((end - start) / count if count else first - begin)


def _step(model: Any, dataset: Any, spec: DeviceSpec) -> tuple[list[OpRecord], list[Operand]]:
    """The step's records, in the precision that the context asks of the device."""
    records, batch = step_records(model, dataset)
    mode = context.current().ascend_config.get("precision_mode", "")
    return (
        in_half(records, batch) if mode in HALF_MODES and spec.target == "Ascend" else records
    ), batch


def _spec(device: str | DeviceSpec) -> DeviceSpec:
    return device if isinstance(device, DeviceSpec) else device_spec(device)


def _check_sink_size(sink_size: int) -> None:
    if isinstance(sink_size, bool) or not isinstance(sink_size, int):
        raise TypeError(f"estimate: sink_size must be an int, got {type(sink_size).__name__}.")
    if sink_size == 0 or sink_size < -1:
        raise ValueError(f"estimate: sink_size must be -1 or positive, got {sink_size}.")


def _after_way(p: Prediction) -> tuple[float, float, float, float, Counts]:
    return p.step_us, p.epoch_us, p.busy_share, p.wait_share, p.counts


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
    kernels = {"none": cost.launches, "data": cost.launches + 1, "graph": 1, "loop": 1}[way]
    return Counts(
        interactions=calls,
        launches=calls * kernels,
        h2d_copies=size * cost.input_columns,
        h2d_bytes=size * cost.input_bytes,
        d2h_copies=calls,
        d2h_bytes=size * cost.output_bytes,
        getnext=0 if way == "none" else size,
    )
