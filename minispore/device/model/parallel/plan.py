"""What a training would take of many ranks, 1 to 4,096, without any of them: ``parallel_plan``.

A step is traced once, for one micro-batch of one rank, and cut three ways: along weights (tensor
parallel), along the network (pipeline stages), and not at all (data parallel, whose ranks may share
optimizer state, gradients and parameters: ZeRO 1, 2 and 3).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from minispore import chart
from minispore.device.model.collective import all_reduce_us, data_parallel
from minispore.device.model.cost import ProgramCost, program_cost
from minispore.device.model.memory import (
    ACTIVATIONS,
    GRADIENTS,
    KINDS,
    OPTIMIZER_STATE,
    PARAMETERS,
    WORKSPACE,
    in_blocks,
    plan_memory,
    usable_bytes,
)
from minispore.device.model.parallel.pipeline import Stage, bubble, places, stages_of
from minispore.device.model.parallel.sharding import Exchange, Strategy, check_strategies, shard
from minispore.device.model.predict import Shapes, as_spec, rows_of, specs_of, training_step
from minispore.device.model.records import BACKWARD, FORWARD, OPTIMIZER, OpRecord
from minispore.device.model.spec import MIB, DeviceSpec
from minispore.device.model.step import Step


class StagePlan(NamedTuple):
    """The ranks of one pipeline stage: all the same."""

    number: int
    kernels: int
    forward_us: float  # of one micro-batch
    backward_us: float  # the same, with what is computed again
    update_us: float
    exchange_us: float  # tensor parallel, of one micro-batch
    send_us: float  # to the next stage and the one before, of one micro-batch
    memory: Mapping[str, int]  # by kind, at the peak

    @property
    def micro_us(self) -> float:
        """One micro-batch, forward and backward."""
        return self.forward_us + self.backward_us + self.exchange_us + self.send_us

    @property
    def peak(self) -> int:
        """Bytes at the peak."""
        return sum(self.memory.values())


@dataclass(frozen=True)
class ParallelPlan(chart.ShownAsText):
    """A training on ``ranks`` devices, predicted."""

    spec: DeviceSpec
    data: int
    tensor: int
    micro_batches: int
    zero: int
    recompute: bool
    rows: int  # of a step of all ranks
    stages: tuple[StagePlan, ...]
    all_reduce_us: float  # of the gradients (or what ZeRO does in its place), of the slowest stage
    exposed_us: float  # what of it shows

    @property
    def ranks(self) -> int:
        """All devices."""
        return self.data * self.tensor * len(self.stages)

    @property
    def pipeline_us(self) -> float:
        """All micro-batches through all stages, at the pace of the slowest."""
        return (self.micro_batches + len(self.stages) - 1) * max(s.micro_us for s in self.stages)

    @property
    def step_us(self) -> float:
        """One step."""
        return self.pipeline_us + self.exposed_us + max(s.update_us for s in self.stages)

    @property
    def bubble(self) -> float:
        """The share of the pipeline's time in which a stage waits: (p - 1) / (m + p - 1)."""
        return bubble(len(self.stages), self.micro_batches)

    @property
    def rows_s(self) -> float:
        """Rows a second of all ranks."""
        return self.rows * 1e6 / self.step_us

    @property
    def communication_us(self) -> float:
        """All that a rank of the slowest stage exchanges in a step, shown or hidden."""
        each = max(s.exchange_us + s.send_us for s in self.stages)
        return self.micro_batches * each + self.all_reduce_us

    @property
    def peak(self) -> int:
        """Bytes of the rank that needs the most."""
        return max(s.peak for s in self.stages)

    @property
    def fits(self) -> bool:
        """Whether every rank has memory enough."""
        return self.peak <= usable_bytes(self.spec)

    def __str__(self) -> str:
        extra = f", ZeRO {self.zero}" if self.zero else ""
        extra += ", recomputed" if self.recompute else ""
        lines = [
            f"{self.spec.name} x {self.ranks}: data {self.data}, tensor {self.tensor}, stages "
            f"{len(self.stages)}, micro-batches {self.micro_batches}{extra}; predicted, a model",
            f"step {self.step_us / 1e3:.3f} ms, {self.rows_s:,.0f} rows/s; bubble "
            f"{self.bubble:.1%}; communication {self.communication_us / 1e3:.3f} ms, gradients "
            f"{self.all_reduce_us / 1e3:.3f} ms, of which {self.exposed_us / 1e3:.3f} ms show",
            f"Device MOC memory size: {self.spec.memory_bytes / MIB:.0f}M",
            f"MindSpore Used memory size: {usable_bytes(self.spec) / MIB:.0f}M",
        ]
        each = self.data * self.tensor
        for s in self.stages:
            first = s.number * each
            ranks = f"rank {first}" if each == 1 else f"ranks {first} to {first + each - 1}"
            kinds = ", ".join(f"{k} {v / MIB:.0f}M" for k, v in s.memory.items() if v >= MIB / 2)
            lines.append(
                f"{ranks}: Used peak memory usage (without fragments): {s.peak / MIB:.0f}M"
                f"{f' ({kinds})' if kinds else ''}; a micro-batch {s.micro_us / 1e3:.3f} ms"
            )
        if not self.fits:
            lines.append("Out of Memory!!! Not every rank has memory enough.")
        return "\n".join(lines)


def parallel_plan(
    model: Any,
    dataset: Any,
    *,
    device: str | DeviceSpec | None = None,
    data: int = 1,
    tensor: int = 1,
    stages: int = 1,
    micro_batches: int = 1,
    zero: int = 0,
    recompute: bool = False,
    strategies: Mapping[str, Strategy] | None = None,
) -> ParallelPlan:
    """Predict a step and each rank's memory of a training on ``data * tensor * stages`` devices;
    nothing runs, and no weight need exist (``nn.utils.no_init_parameters``).

    Args:
        model: a Model with loss function and optimizer.
        dataset: its training data or their ``Shapes``: the batch of one data-parallel rank.
        device: see :func:`estimate`.
        data: data-parallel ranks, each with a batch of its own.
        tensor: ranks that share each product (operator-level parallel).
        stages: pipeline stages.
        micro_batches: parts into which a batch is cut for the stages.
        zero: what data-parallel ranks share: 1 optimizer state, 2 gradients as well, 3 parameters
            as well.
        recompute: keep what goes into each layer, and compute the rest again for its derivative.
        strategies: for products with a weight, by pattern of the Cell's path or name of the op:
            "column", "row", "whole", or what ``Primitive.shard`` takes. By default columns where
            their input is whole, rows where it is split.

    Raises:
        TypeError, ValueError: numbers that can't be, more than 4,096 ranks, or a batch that
            ``micro_batches`` does not divide.

    Example:
        >>> from minispore import Model, nn
        >>> from minispore.device import Shapes, parallel_plan
        >>> net = nn.SequentialCell([nn.Dense(64, 256), nn.ReLU(), nn.Dense(256, 64)])
        >>> model = Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()))
        >>> batch = Shapes([((32, 64), "float32"), ((32, 64), "float32")])
        >>> plan = parallel_plan(model, batch, data=4, stages=2, micro_batches=8)
        >>> plan.ranks, round(plan.bubble, 3)
        (8, 0.111)
    """
    spec = as_spec(device)
    ranks = _checked(spec, data, tensor, stages, micro_batches, zero)
    check_strategies(strategies or {}, tensor)
    step = training_step(model, _micro(dataset, micro_batches)).on(spec)
    sharded = shard(step.records, tensor, strategies)
    where = places(sharded.records, stages, spec)
    parts = stages_of(sharded.records, where, stages)
    plans, reduced, shown = [], 0.0, 0.0
    for number, part in enumerate(parts):
        made = _Rank(spec, part, number, stages, data, zero, recompute, micro_batches, step)
        exchanged = [e for e in sharded.exchanges if where[e.at] == number]
        plans.append(made.plan(exchanged, tensor))
        reduced, shown = max(reduced, made.reduced_us), max(shown, made.shown_us)
    assert ranks == data * tensor * stages
    return ParallelPlan(
        spec,
        data,
        tensor,
        micro_batches,
        zero,
        recompute,
        rows_of(step) * micro_batches * data,
        tuple(plans),
        reduced,
        shown,
    )


class _Rank:
    """One rank of a stage."""

    def __init__(
        self,
        spec: DeviceSpec,
        stage: Stage,
        number: int,
        stages: int,
        data: int,
        zero: int,
        recompute: bool,
        micro_batches: int,
        step: Step,
    ) -> None:
        self.spec, self.stage, self.number, self.stages = spec, stage, number, stages
        self.data, self.zero, self.recompute = data, zero, recompute
        self.micro_batches, self.step = micro_batches, step
        self.reduced_us = self.shown_us = 0.0

    def plan(self, exchanges: Sequence[Exchange], tensor: int) -> StagePlan:
        cost = program_cost(self.stage.records, self.spec)
        us = dict.fromkeys((FORWARD, BACKWARD, OPTIMIZER), 0.0)
        for k in cost.kernels:
            us[k.kind] += k.us
        self._gradients(cost)
        share = self.data if self.zero else 1
        again = us[FORWARD] if self.recompute else 0.0
        return StagePlan(
            self.number,
            cost.launches,
            us[FORWARD],
            us[BACKWARD] + again,
            us[OPTIMIZER] / share,
            self._exchanged(exchanges, tensor),
            self._sent(),
            self._memory(),
        )

    def _gradients(self, cost: ProgramCost) -> None:
        """The all_reduce of the last micro-batch's gradients; with ZeRO a reduce_scatter and an
        all_gather, which move as much; with ZeRO 3 parameters are gathered before each pass.
        """
        found = data_parallel(cost, self.data)
        self.reduced_us, self.shown_us = found.all_reduce_us, found.exposed_us
        if self.zero == 3 and self.data > 1:
            weights = sum(nbytes for _, nbytes in cost.gradients)
            passes = 3 if self.recompute else 2
            gathered = passes * gather_us(self.spec, weights, self.data) * self.micro_batches
            half = gather_us(self.spec, weights, self.data)  # the gather after updates is not done
            self.reduced_us += gathered - half
            self.shown_us = min(self.reduced_us, self.shown_us + gathered - half)

    def _exchanged(self, exchanges: Sequence[Exchange], tensor: int) -> float:
        us = 0.0
        for e in exchanges:
            whole = all_reduce_us(self.spec, e.nbytes, tensor)
            us += whole if e.op == "AllReduce" else whole / 2
        return us

    def _sent(self) -> float:
        """From stage to stage: one device to one, at the rate of a ring's links."""
        nbytes = self.stage.sent_bytes
        return self.spec.hccl_us_per_mb / 2 * nbytes / 1e6 if nbytes else 0.0

    def _memory(self) -> dict[str, int]:
        """By kind, at the peak of the step: what stays, and the micro-batches that are under way.

        With one forward, one backward, stage i of p holds the activations of p - i micro-batches.
        """
        block = int(self.spec.memory_block_bytes)
        mine = [o for o in self.step.batch if any(o in r.inputs for r in self.stage.records)]
        plan = plan_memory(
            self.stage.records,
            self.spec,
            batch=[*mine, *self.stage.entering],
            batch_size=rows_of(self.step),
            channel=False,
        )
        held = dict.fromkeys(KINDS, 0)
        for life in plan.lives:
            if life.kind in (PARAMETERS, OPTIMIZER_STATE):
                held[life.kind] += in_blocks(life.nbytes, block)
        gradients = sum(in_blocks(n, block) for n in self._weight_gradients())
        inside = _inside(self.stage.records, plan, block)
        peak = max(plan.totals, default=0)
        flying = min(self.micro_batches, self.stages - self.number)
        if self.recompute:
            kept, largest = _layers(self.stage.records, plan, block)
            held[ACTIVATIONS] = kept * flying + largest
        else:
            held[ACTIVATIONS] = inside * flying
        held[GRADIENTS] = gradients
        static = held[PARAMETERS] + held[OPTIMIZER_STATE]
        held[WORKSPACE] = max(0, peak - static - gradients - inside)
        if self.micro_batches == self.stages == 1 and not self.recompute:
            # What goes in comes out again: gradients take the place of activations.
            held[ACTIVATIONS] = max(0, peak - static - gradients - held[WORKSPACE])
        held["channel"] = sum(in_blocks(o.nbytes, block) for o in mine)
        for kind, since in ((OPTIMIZER_STATE, 1), (GRADIENTS, 2), (PARAMETERS, 3)):
            if self.zero >= since:
                held[kind] = math.ceil(held[kind] / self.data)
        return held

    def _weight_gradients(self) -> list[int]:
        params = {o.key: o for r in self.stage.records for o in r.inputs if o.param}
        read = {o.key for r in self.stage.records if r.kind == FORWARD for o in r.inputs}
        return [o.nbytes for key, o in params.items() if key in read]


def gather_us(spec: DeviceSpec, nbytes: float, devices: int) -> float:
    """Microseconds of an all_gather (or reduce_scatter): one round of the ring in place of two."""
    return all_reduce_us(spec, nbytes, devices) / 2


def _inside(records: Sequence[OpRecord], plan: Any, block: int) -> int:
    """Bytes that the forward pass leaves for the backward one."""
    ends = [i for i, r in enumerate(records) if r.kind == FORWARD]
    end = ends[-1] if ends else 0
    return sum(
        in_blocks(x.nbytes, block)
        for x in plan.lives
        if x.kind == ACTIVATIONS and x.first <= end < x.last
    )


def _layers(records: Sequence[OpRecord], plan: Any, block: int) -> tuple[int, int]:
    """Bytes that go from layer to layer, and those of the largest layer inside."""
    names = [_layer(r.scope) for r in records]
    ends = [i for i, r in enumerate(records) if r.kind == FORWARD]
    end = ends[-1] if ends else 0
    kept, inside = 0, dict.fromkeys(names, 0)
    last_read: dict[Any, str] = {}
    for r in records[: end + 1]:
        for o in r.inputs:
            last_read[o.key] = _layer(r.scope)
    crossing = {
        o.key
        for r in records[: end + 1]
        for o in r.outputs
        if last_read.get(o.key, _layer(r.scope)) != _layer(r.scope)
    }
    sizes = {o.key: o.nbytes for r in records[: end + 1] for o in r.outputs}
    kept = sum(in_blocks(sizes[key], block) for key in crossing)
    for life in plan.lives:
        if life.kind == ACTIVATIONS and life.first <= end < life.last:
            inside[names[life.first]] += in_blocks(life.nbytes, block)
    whole = sum(inside.values())
    return min(kept, whole), max(inside.values(), default=0)


def _layer(scope: str) -> str:
    """The path of a Cell up to the first number in it: one of a row of layers.

    >>> _layer("Gradients.Train.network.blocks.11.attention.q")
    'Train.network.blocks.11'
    """
    found = re.match(r"(?:Gradients\.)?(.*?\.\d+)(?:\.|$)", scope)
    return found.group(1) if found else scope.removeprefix("Gradients.")


def _micro(dataset: Any, parts: int) -> Any:
    """The shapes of a micro-batch."""
    if parts == 1:
        return dataset
    specs = specs_of(dataset)
    for shape, _ in specs:
        if not shape or shape[0] % parts:
            raise ValueError(
                f"parallel_plan: micro_batches={parts} must divide the first length of each "
                f"column, got shape {shape}."
            )
    return Shapes([((s[0] // parts, *s[1:]), t) for s, t in specs])


def _checked(
    spec: DeviceSpec, data: int, tensor: int, stages: int, micro_batches: int, zero: int
) -> int:
    """The number of ranks."""
    numbers = {"data": data, "tensor": tensor, "stages": stages, "micro_batches": micro_batches}
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"parallel_plan: {name} must be an int, got {type(value).__name__}.")
        if value < 1:
            raise ValueError(f"parallel_plan: {name} must be at least 1, got {value}.")
    if zero not in (0, 1, 2, 3) or isinstance(zero, bool):
        raise ValueError(f"parallel_plan: zero must be 0, 1, 2 or 3, got {zero!r}.")
    ranks = data * tensor * stages
    if ranks > spec.max_devices:
        raise ValueError(
            f"parallel_plan: data * tensor * stages must be at most {spec.max_devices:.0f}, got "
            f"{data} * {tensor} * {stages} = {ranks}."
        )
    return ranks


__all__ = ["ParallelPlan", "StagePlan", "parallel_plan"]
