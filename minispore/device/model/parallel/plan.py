"""``parallel_plan``: the predicted step and memory of a training on 1 to 4,096 ranks.

A step is traced once, for one micro-batch of one rank, and split in three ways: along weights
(tensor parallel), along the network (pipeline stages), and not at all (data parallel, whose ranks
may shard optimizer state, gradients and parameters: ZeRO 1, 2 and 3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from minispore.device.model.collective import all_reduce_us
from minispore.device.model.cost import ProgramCost, program_cost
from minispore.device.model.memory import CHANNEL, plan_memory, round_to_blocks, usable_bytes
from minispore.device.model.parallel.data_parallel import estimate_data_parallel
from minispore.device.model.parallel.pipeline import assign_stages, bubble, split_into_stages
from minispore.device.model.parallel.rank_memory import RankMemory
from minispore.device.model.parallel.sharding import Exchange, Strategy, check_strategies, shard
from minispore.device.model.predict import Shapes, resolve_spec, rows_of, specs_of, training_step
from minispore.device.model.records import BACKWARD, FORWARD, OPTIMIZER
from minispore.device.model.spec import MIB, DeviceSpec
from minispore.device.model.step import Step
from minispore.device.model.trust import describe_trust
from minispore.foundation import charts


class StagePlan(NamedTuple):
    """The predicted times and memory of each rank of one pipeline stage."""

    number: int
    kernels: int
    forward_us: float  # of one micro-batch
    backward_us: float  # of one micro-batch, with recomputed forward ops
    update_us: float
    exchange_us: float  # tensor parallel, of one micro-batch
    send_us: float  # to the next and the previous stage, of one micro-batch
    memory: Mapping[str, int]  # by kind, at the peak

    @property
    def micro_us(self) -> float:
        """The time of one micro-batch, forward and backward, with its communication."""
        return self.forward_us + self.backward_us + self.exchange_us + self.send_us

    @property
    def peak(self) -> int:
        """The bytes in use at the peak."""
        return sum(self.memory.values())


@dataclass(frozen=True)
class ParallelPlan(charts.TextRepr):
    """The predicted step and memory of a training on ``ranks`` devices."""

    spec: DeviceSpec
    data: int
    tensor: int
    micro_batches: int
    zero: int
    recompute: bool
    rows: int  # of a step of all ranks
    stages: tuple[StagePlan, ...]
    all_reduce_us: float  # for gradients (or ZeRO's collectives), on the slowest stage
    exposed_us: float  # the part of it that does not overlap with computation
    family: str = ""  # family of networks, for the errors seen

    @property
    def ranks(self) -> int:
        """The number of devices."""
        return self.data * self.tensor * len(self.stages)

    @property
    def pipeline_us(self) -> float:
        """The time of all micro-batches through all stages, at the rate of the slowest stage."""
        return (self.micro_batches + len(self.stages) - 1) * max(s.micro_us for s in self.stages)

    @property
    def step_us(self) -> float:
        """The predicted time of one step."""
        return self.pipeline_us + self.exposed_us + max(s.update_us for s in self.stages)

    @property
    def bubble(self) -> float:
        """The share of the pipeline's time in which a stage waits: (p - 1) / (m + p - 1)."""
        return bubble(len(self.stages), self.micro_batches)

    @property
    def rows_s(self) -> float:
        """The rows per second of all ranks together."""
        return self.rows * 1e6 / self.step_us

    @property
    def communication_us(self) -> float:
        """The communication time of a rank of the slowest stage in a step, exposed or not."""
        micro_us = max(s.exchange_us + s.send_us for s in self.stages)
        return self.micro_batches * micro_us + self.all_reduce_us

    @property
    def peak(self) -> int:
        """The peak bytes of the rank that needs most."""
        return max(s.peak for s in self.stages)

    @property
    def fits(self) -> bool:
        """Whether every rank has enough memory."""
        return self.peak <= usable_bytes(self.spec)

    def __str__(self) -> str:
        """Return the predicted times of a step, and the memory of each stage, as text."""
        options = f", ZeRO {self.zero}" if self.zero else ""
        options += ", recomputed" if self.recompute else ""
        lines = [
            f"{self.spec.name} x {self.ranks}: data {self.data}, tensor {self.tensor}, stages "
            f"{len(self.stages)}, micro-batches {self.micro_batches}{options}; predicted, a model",
            describe_trust(self.spec, self.family),
            f"step {self.step_us / 1e3:.3f} ms, {self.rows_s:,.0f} rows/s; bubble "
            f"{self.bubble:.1%}; communication {self.communication_us / 1e3:.3f} ms, gradients "
            f"{self.all_reduce_us / 1e3:.3f} ms, of which {self.exposed_us / 1e3:.3f} ms not "
            "overlapped",
            f"Device MOC memory size: {self.spec.memory_bytes / MIB:.0f}M",
            f"MindSpore Used memory size: {usable_bytes(self.spec) / MIB:.0f}M",
        ]
        ranks_per_stage = self.data * self.tensor
        for s in self.stages:
            first = s.number * ranks_per_stage
            last = first + ranks_per_stage - 1
            ranks = f"rank {first}" if first == last else f"ranks {first} to {last}"
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
    """Predict the step and memory of a training on ``data * tensor * stages`` devices; nothing
    runs, and no weight has to exist (``nn.utils.no_init_parameters``).

    Args:
        model: a Model with loss function and optimizer.
        dataset: its training data or their ``Shapes``: the batch of one data-parallel rank.
        device: see :func:`estimate`.
        data: data-parallel ranks, each with its own batch.
        tensor: ranks that share each product (operator-level parallel).
        stages: pipeline stages.
        micro_batches: parts into which a batch is cut for the stages.
        zero: the arrays that are sharded among data-parallel ranks: 1 optimizer state, 2 gradients
            as well, 3 parameters as well.
        recompute: keep only the inputs of each layer, and recompute the rest for its derivative.
        strategies: for products with a weight, by pattern of the Cell's path or name of the op:
            "column", "row", "whole", or an argument of ``Primitive.shard``. By default products are
            split by columns if their input is complete, by rows if it is split.

    Raises:
        TypeError, ValueError: invalid numbers, more than 4,096 ranks, a batch that
            ``micro_batches`` does not divide, or weights or heads that ``tensor`` does not divide.

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
    spec = resolve_spec(device)
    _check_rank_count(spec, data, tensor, stages, micro_batches, zero)
    check_strategies(strategies or {}, tensor)
    step = training_step(
        model, _make_micro_batch_shapes(dataset, micro_batches)
    ).apply_precision_mode(spec)
    return SplitStep(spec, step, tensor, stages, strategies).plan(
        data=data, micro_batches=micro_batches, zero=zero, recompute=recompute
    )


class SplitStep:
    """The step of a micro-batch on each rank, priced once for all ways in which ranks share data.

    Raises:
        ValueError: ``tensor`` does not divide the weights or heads.
    """

    def __init__(
        self,
        spec: DeviceSpec,
        step: Step,
        tensor: int,
        stages: int,
        strategies: Mapping[str, Strategy] | None = None,
    ) -> None:
        self.spec, self.step, self.tensor = spec, step, tensor
        sharded = shard(step.records, tensor, strategies)
        op_stages = assign_stages(sharded.records, stages, spec)
        self.stages = split_into_stages(sharded.records, op_stages, stages)
        self.exchanges = [
            [e for e in sharded.exchanges if op_stages[e.op_index] == number]
            for number in range(stages)
        ]
        self.costs = [program_cost(stage.records, spec) for stage in self.stages]
        self.columns = [
            [o for o in step.batch if any(o in r.inputs for r in stage.records)]
            for stage in self.stages
        ]
        self.memory_plans = [
            plan_memory(
                stage.records,
                spec,
                batch=[*columns, *stage.entering],
                batch_size=rows_of(step),
                reserves_input_queue=False,
            )
            for stage, columns in zip(self.stages, self.columns, strict=True)
        ]

    def plan(self, *, data: int, micro_batches: int, zero: int, recompute: bool) -> ParallelPlan:
        """Return the plan of all stages for these data-parallel ranks and micro-batches."""
        planners = [
            _RankPlanner(self, number, data, zero, recompute, micro_batches)
            for number in range(len(self.stages))
        ]
        plans = tuple(planner.plan() for planner in planners)
        return ParallelPlan(
            self.spec,
            data,
            self.tensor,
            micro_batches,
            zero,
            recompute,
            rows=rows_of(self.step) * micro_batches * data,
            stages=plans,
            all_reduce_us=max(planner.all_reduce_us for planner in planners),
            exposed_us=max(planner.exposed_us for planner in planners),
            family=self.costs[0].family,
        )


class _RankPlanner:
    """Computes the plan of one rank of a stage; ``plan`` also sets the two gradient times."""

    def __init__(
        self,
        split: SplitStep,
        number: int,
        data: int,
        zero: int,
        recompute: bool,
        micro_batches: int,
    ) -> None:
        self.split, self.number, self.spec = split, number, split.spec
        self.stage, self.cost = split.stages[number], split.costs[number]
        self.data, self.zero, self.recompute = data, zero, recompute
        self.micro_batches = micro_batches
        self.all_reduce_us = self.exposed_us = 0.0

    def plan(self) -> StagePlan:
        """Return the plan of the stage; also sets ``all_reduce_us`` and ``exposed_us``."""
        kind_us = dict.fromkeys((FORWARD, BACKWARD, OPTIMIZER), 0.0)
        for k in self.cost.kernels:
            kind_us[k.kind] += k.us
        self._compute_gradient_times(self.cost)
        share = self.data if self.zero else 1
        recomputed_us = kind_us[FORWARD] if self.recompute else 0.0
        return StagePlan(
            self.number,
            self.cost.launches,
            kind_us[FORWARD],
            kind_us[BACKWARD] + recomputed_us + self._compute_accumulation_us(self.cost),
            kind_us[OPTIMIZER] / share,
            self._compute_exchange_us(self.split.exchanges[self.number], self.split.tensor),
            self._compute_send_us(),
            self._compute_memory(),
        )

    def _compute_gradient_times(self, cost: ProgramCost) -> None:
        """Set ``all_reduce_us`` and ``exposed_us``, the communication times of a step's gradients.

        With ZeRO the all_reduce is a reduce_scatter and an all_gather, which move as many bytes;
        with ZeRO 3 parameters are also gathered before each pass.
        """
        estimated = estimate_data_parallel(cost, self.data)
        self.all_reduce_us, self.exposed_us = estimated.all_reduce_us, estimated.exposed_us
        if self.zero == 3 and self.data > 1:
            weights = sum(nbytes for _, nbytes in cost.gradients)
            passes = 3 if self.recompute else 2
            gather_total_us = (
                passes * compute_gather_us(self.spec, weights, self.data) * self.micro_batches
            )
            # ZeRO 3 skips the gather after updates.
            skipped_us = compute_gather_us(self.spec, weights, self.data)
            self.all_reduce_us += gather_total_us - skipped_us
            self.exposed_us = min(
                self.all_reduce_us, self.exposed_us + gather_total_us - skipped_us
            )

    def _compute_exchange_us(self, exchanges: Sequence[Exchange], tensor: int) -> float:
        """Return the microseconds of the exchanges of one micro-batch over ``tensor`` devices.

        A gather or scatter takes half the time of an AllReduce. A recomputed forward pass repeats
        its exchanges.
        """
        us = 0.0
        for e in exchanges:
            reduce_us = all_reduce_us(self.spec, e.nbytes, tensor)
            passes = 2 if self.recompute and e.kind == FORWARD else 1
            us += passes * (reduce_us if e.op == "AllReduce" else reduce_us / 2)
        return us

    def _compute_accumulation_us(self, cost: ProgramCost) -> float:
        """Return the time to add the gradients of one of several micro-batches to their sum."""
        if self.micro_batches == 1:
            return 0.0
        moved_bytes = 3 * sum(nbytes for _, nbytes in cost.gradients)
        return moved_bytes / (self.spec.memory_gbs * self.spec.memory_efficiency * 1e3)

    def _compute_send_us(self) -> float:
        """Return the time of one micro-batch's sends between stages, point to point over a ring's
        links.
        """
        nbytes = self.stage.sent_bytes
        return self.spec.hccl_us_per_mb / 2 * nbytes / 1e6 if nbytes else 0.0

    def _compute_memory(self) -> dict[str, int]:
        """Return the bytes at the peak of the step, by kind, with the micro-batches in flight.

        With one forward, one backward, stage i of p holds the activations of p - i micro-batches.
        """
        block = int(self.spec.memory_block_bytes)
        columns = self.split.columns[self.number]
        memory = RankMemory(
            self.stage.records,
            self.split.memory_plans[self.number],
            data=self.data,
            zero=self.zero,
            recompute=self.recompute,
            micro_batches=self.micro_batches,
            in_flight=min(self.micro_batches, len(self.split.stages) - self.number),
        ).compute_peak_by_kind()
        memory[CHANNEL] = sum(round_to_blocks(o.nbytes, block) for o in columns)
        return memory


def compute_gather_us(spec: DeviceSpec, nbytes: float, devices: int) -> float:
    """Return the microseconds of an all_gather or reduce_scatter, half of an all_reduce's."""
    return all_reduce_us(spec, nbytes, devices) / 2


def _make_micro_batch_shapes(dataset: Any, micro_batches: int) -> Any:
    """Return the shapes of a micro-batch; the dataset itself if there is one micro-batch.

    Raises:
        ValueError: the first length of a column can't be divided evenly.
    """
    if micro_batches == 1:
        return dataset
    specs = specs_of(dataset)
    for shape, _ in specs:
        if not shape or shape[0] % micro_batches:
            raise ValueError(
                f"parallel_plan: micro_batches={micro_batches} must divide the first length of "
                f"each column, got shape {shape}."
            )
    return Shapes([((shape[0] // micro_batches, *shape[1:]), dtype) for shape, dtype in specs])


def _check_rank_count(
    spec: DeviceSpec, data: int, tensor: int, stages: int, micro_batches: int, zero: int
) -> None:
    """Raise TypeError or ValueError unless the numbers of a plan are ints that the cluster can
    have.
    """
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


__all__ = ["ParallelPlan", "SplitStep", "StagePlan", "parallel_plan"]
