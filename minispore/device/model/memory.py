"""Device memory: 512-byte blocks of six kinds, a pool that counts them, and the plan of a step.

>>> from minispore.device.model.spec import device_spec
>>> pool = MemoryPool(device_spec("Ascend910").replace(memory_bytes=1 << 30))
>>> weights = pool.allocate("parameters", 1000, "conv1.weight")
>>> weights.nbytes, pool.current, pool.peak
(1024, 1024, 1024)
>>> pool.free(weights)
>>> pool.current, pool.peak
(0, 1024)
"""

from __future__ import annotations

import itertools
import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from minispore.device.model.records import BACKWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.model.spec import DeviceSpec
from minispore.device.model.step import Step
from minispore.errors import DeviceMemoryError, did_you_mean
from minispore.foundation import charts
from minispore.graph.lifetimes import Lifetimes

PARAMETERS, GRADIENTS, OPTIMIZER_STATE = "parameters", "gradients", "optimizer state"
ACTIVATIONS, CHANNEL, WORKSPACE = "activations", "channel", "workspace"
UNLIMITED = 1 << 40  # rows of a batch; a step that fits with so many rows does not grow with them
KINDS = (PARAMETERS, GRADIENTS, OPTIMIZER_STATE, ACTIVATIONS, CHANNEL, WORKSPACE)


def usable_bytes(spec: DeviceSpec, max_device_memory: int | None = None) -> int:
    """Return the bytes that MindSpore uses: 15/16 of the device, rounded down to 2 MB, less 10 MB;
    at most ``max_device_memory``.

    >>> from minispore.device.model.spec import device_spec
    >>> usable_bytes(device_spec("Ascend910")) == 30710 * 2**20
    True
    """
    unit = int(spec.memory_round_bytes)
    reserved = int(spec.memory_bytes * spec.memory_share) // unit * unit
    usable = max(0, reserved - int(spec.memory_reserve_bytes))
    return usable if max_device_memory is None else min(usable, max_device_memory)


def round_to_blocks(nbytes: int, block: int = 512) -> int:
    """Round ``nbytes`` up to complete blocks; every array takes at least one block.

    >>> round_to_blocks(0), round_to_blocks(512), round_to_blocks(513)
    (512, 512, 1024)
    """
    return max(1, -(-nbytes // block)) * block


class Block(NamedTuple):
    """A piece of allocated device memory."""

    number: int
    kind: str
    label: str
    nbytes: int  # a multiple of 512


class MemoryEvent(NamedTuple):
    """The memory in use after one allocation (``change > 0``) or release (``change < 0``)."""

    time_us: float
    kind: str
    change: int
    total: int


@dataclass
class MemoryPool:
    """A counter of the memory of one device by kind: in use, at the peak, and over time."""

    spec: DeviceSpec
    max_device_memory: int | None = None
    keeps_timeline: bool = True
    current_by_kind: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    peak_by_kind: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    current: int = 0
    peak: int = 0
    allocated_bytes: int = 0  # ever
    freed_bytes: int = 0
    timeline: list[MemoryEvent] = field(default_factory=list)
    _blocks: dict[int, Block] = field(default_factory=dict)
    _block_numbers: itertools.count[int] = field(default_factory=itertools.count)

    @property
    def capacity(self) -> int:
        """The bytes that this pool can allocate."""
        return usable_bytes(self.spec, self.max_device_memory)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks in use, oldest first."""
        return tuple(self._blocks.values())

    def allocate(self, kind: str, nbytes: int, label: str = "", time_us: float = 0.0) -> Block:
        """Allocate a block for an array of ``nbytes``.

        Raises:
            DeviceMemoryError: the block does not fit; nothing is allocated.
            ValueError: the kind is unknown.
        """
        if kind not in self.current_by_kind:
            raise ValueError(
                f"MemoryPool: kind must be one of {', '.join(KINDS)}, got {kind!r}."
                f"{did_you_mean(kind, KINDS)}"
            )
        size = round_to_blocks(nbytes, int(self.spec.memory_block_bytes))
        if self.current + size > self.capacity:
            raise DeviceMemoryError(
                format_out_of_memory(self.spec, self.capacity, size, self.current_by_kind)
            )
        block = Block(next(self._block_numbers), kind, label, size)
        self._blocks[block.number] = block
        self.allocated_bytes += size
        self._apply_change(kind, size, time_us)
        return block

    def free(self, block: Block, time_us: float = 0.0) -> None:
        """Free ``block``, and count its bytes as freed.

        Raises:
            ValueError: the block is not in use in this pool.
        """
        if self._blocks.get(block.number) is not block:
            raise ValueError(
                f"MemoryPool: block must be in use in this pool, got "
                f"{block.label or block.number!r}, which is not. Free each block once, in the pool "
                "that made it."
            )
        del self._blocks[block.number]
        self.freed_bytes += block.nbytes
        self._apply_change(block.kind, -block.nbytes, time_us)

    def _apply_change(self, kind: str, change: int, time_us: float) -> None:
        """Add ``change`` bytes to the counts of a kind; update the peak, and the timeline if it is
        recorded.
        """
        self.current += change
        self.current_by_kind[kind] += change
        if self.current > self.peak:
            self.peak, self.peak_by_kind = self.current, dict(self.current_by_kind)
        if self.keeps_timeline:
            self.timeline.append(MemoryEvent(time_us, kind, change, self.current))


def format_out_of_memory(
    spec: DeviceSpec,
    capacity: int,
    request: int,
    in_use: Mapping[str, int],
    plan: MemoryPlan | None = None,
    hint: str = "",
) -> str:
    """Return the text of the out-of-memory error, with MindSpore's searchable phrases.

    Args:
        spec: the device.
        capacity: the bytes that may be used.
        request: the bytes that were requested.
        in_use: the bytes in use, by kind.
        plan: the plan that does not fit; its table is added.
        hint: the end of the advice to reduce the batch size.
    """
    static = in_use[PARAMETERS] + in_use[OPTIMIZER_STATE] + in_use[CHANNEL]
    dynamic = sum(in_use.values()) - static
    text = (
        f"Out of Memory!!! Request memory size: {request} B, Memory Statistic:\n"
        f"  Device HBM memory size: {spec.memory_bytes / 2**20:.0f} M\n"
        f"  MindSpore Used memory size: {capacity / 2**20:.0f} M\n"
        f"  Total Static Memory size: {static / 2**20:.3f} M\n"
        f"  Total Dynamic memory size: {dynamic / 2**20:.3f} M\n"
    )
    if plan is not None:
        text += f"  Dynamic memory size of this graph: {plan.dynamic_bytes / 2**20:.3f} M\n"
        text += f"{plan.table()}\n"
    return text + f"Please try to reduce 'batch_size'{hint or ' or set max_device_memory higher'}."


# -- the plan --------------------------------------------------------------------------------------


class ArrayLifetime(NamedTuple):
    """The lifetime of one array: the op that makes it, and its last reader.

    ``label`` is the scope of the op that makes the array; "" if no op makes it.
    """

    kind: str
    label: str
    shape: tuple[int, ...]
    itemsize: int
    first: int
    last: int
    reads: tuple[int, ...]  # the ops that read it or a view of it

    @property
    def nbytes(self) -> int:
        """The number of bytes without any padding."""
        return math.prod(self.shape) * self.itemsize

    def extrapolate(self, other: ArrayLifetime, steps: Fraction) -> ArrayLifetime:
        """Return the array for another batch: each axis changes by ``steps`` times its difference
        from the same array in ``other``.
        """
        lengths = zip(self.shape, other.shape, strict=True)
        return self._replace(shape=tuple(a + math.ceil((b - a) * steps) for a, b in lengths))


@dataclass(frozen=True)
class MemoryPlan(charts.TextRepr):
    """The predicted memory of one training step during each op."""

    spec: DeviceSpec
    capacity: int
    batch_size: int
    lifetimes: tuple[ArrayLifetime, ...]
    steps: int
    channel_bytes: int  # bytes of one batch in the channel
    totals: tuple[int, ...]  # bytes in use during each op
    peak: int
    peak_by_kind: Mapping[str, int]
    peak_op: str
    # Plans the step with the rows of a batch multiplied by a factor.
    plan_scaled: Callable[[int], MemoryPlan] | None = None

    def compute_usage_by_kind(self) -> dict[str, list[int]]:
        """Return, for each kind, the bytes in use during each op."""
        usage = {}
        for kind in KINDS:
            kind_lifetimes = [life for life in self.lifetimes if life.kind == kind]
            usage[kind] = _compute_usage(kind_lifetimes, self.steps, self._block_bytes)[0]
        usage[CHANNEL] = [_compute_queue_bytes(self.spec, self.channel_bytes)] * max(1, self.steps)
        return usage

    @property
    def fits(self) -> bool:
        """Whether the step can run on this device."""
        return self.peak <= self.capacity

    @property
    def static_bytes(self) -> int:
        """The bytes that stay in use: parameters, optimizer state and the input queue."""
        return sum(self.peak_by_kind[k] for k in (PARAMETERS, OPTIMIZER_STATE, CHANNEL))

    @property
    def dynamic_bytes(self) -> int:
        """The bytes allocated within the step, at the peak."""
        return self.peak - self.static_bytes

    def peak_at(self, batch_size: int) -> int:
        """Return the peak bytes for a batch of ``batch_size`` rows, with the device queue.

        Raises:
            ValueError: the growth of the step with the batch is unknown.
        """
        if batch_size == self.batch_size:
            return self.peak
        if self._samples is None:
            raise ValueError(
                f"MemoryPlan.peak_at: batch_size must be {self.batch_size}, the only one that is "
                f"known of this step, got {batch_size}."
            )
        plan, larger = self._samples
        steps = Fraction(batch_size - plan.batch_size, larger.batch_size - plan.batch_size)
        lifetimes = [
            life.extrapolate(other, steps)
            for life, other in zip(plan.lifetimes, larger.lifetimes, strict=True)
        ]
        batch_bytes = math.ceil(
            plan.channel_bytes + (larger.channel_bytes - plan.channel_bytes) * steps
        )
        peak = max(_compute_usage(lifetimes, self.steps, self._block_bytes)[0])
        return peak + _compute_queue_bytes(self.spec, batch_bytes)

    @cached_property
    def _samples(self) -> tuple[MemoryPlan, MemoryPlan] | None:
        """The plans of the same step for two batches, which show how arrays grow with the rows.

        None if the step can't be traced for other batches, or has different ops for them. A batch
        of one row is not used as a sample: broadcasting treats a length of 1 like a missing axis.
        """
        if self.plan_scaled is None:
            return None
        try:
            plan = self if self.batch_size > 1 else self.plan_scaled(2)
            larger = self.plan_scaled(2 if self.batch_size > 1 else 4)
        except Exception:  # in the network's code, which may require its batch size
            return None
        ranks = ([len(life.shape) for life in p.lifetimes] for p in (plan, larger))
        is_same_step = plan.steps == larger.steps and operator.eq(*ranks)
        return (plan, larger) if is_same_step else None

    @property
    def _block_bytes(self) -> int:
        """The bytes of a memory block of the device."""
        return int(self.spec.memory_block_bytes)

    @property
    def largest_batch(self) -> int | None:
        """The largest batch that fits; 0 if not even one row does, None if it is unknown."""
        if self._samples is None:
            return None
        if self.peak_at(1) > self.capacity:
            return 0
        low, high = 1, 2
        while self.peak_at(high) <= self.capacity:
            low, high = high, 2 * high
            if high > UNLIMITED:  # no array grows with the batch
                return low
        while high - low > 1:
            middle = (low + high) // 2
            if self.peak_at(middle) <= self.capacity:
                low = middle
            else:
                high = middle
        return low

    def format_largest_batch(self) -> str:
        """Return the largest batch that fits as text: a number, "any" or "an unknown size"."""
        largest = self.largest_batch
        if largest is None:
            return "an unknown size"
        return f"{largest:,}" if largest < UNLIMITED else "any"

    def check(self) -> None:
        """Raise the out-of-memory error if the step does not fit into the device's memory.

        Raises:
            DeviceMemoryError: with the plan and the largest batch that fits.
        """
        if self.fits:
            return
        largest = self.largest_batch
        hint = f" to {largest} or less" if largest else ""
        if largest == 0:
            hint = ": not even one row fits, so use a smaller network"
        raise DeviceMemoryError(
            format_out_of_memory(self.spec, self.capacity, self.peak, self.peak_by_kind, self, hint)
        )

    def table(self) -> str:
        """Return the peak by kind, one line per kind."""
        lines = [f"  at the peak ({self.peak_op}), batch_size {self.batch_size}:"]
        lines += [f"    {k:<16}{self.peak_by_kind[k] / 2**20:>12.3f} M" for k in KINDS]
        lines.append(
            f"    {'together':<16}{self.peak / 2**20:>12.3f} M of {self.capacity / 2**20:.0f} M"
        )
        return "\n".join(lines)

    def __str__(self) -> str:
        """Return whether the step fits, the largest batch that fits, and the peak by kind."""
        fit = "fits" if self.fits else "does not fit"
        return (
            f"{self.spec.name}: the step {fit}; the largest batch that fits is "
            f"{self.format_largest_batch()}\n{self.table()}"
        )


def plan_memory(
    records: Sequence[OpRecord],
    spec: DeviceSpec,
    *,
    batch: Sequence[Operand] = (),
    batch_size: int | None = None,
    max_device_memory: int | None = None,
    reserves_input_queue: bool = True,
    trace_scaled: Callable[[int], Step] | None = None,
) -> MemoryPlan:
    """Plan the memory of a step from the lifetime of each array, from its op to its last reader.

    ``batch`` holds the columns of the input queue (a batch without rows counts as one row). If
    ``reserves_input_queue`` is False, no memory is planned for queued batches. ``trace_scaled``
    traces the step with its rows multiplied by a factor, to see which arrays grow with the batch.
    """
    rows = batch_size or (batch[0].shape[0] if batch and batch[0].shape else 1) or 1
    block = int(spec.memory_block_bytes)
    lifetimes = tuple(_compute_lifetimes(records, batch))
    channel_bytes = sum(o.nbytes for o in batch) if reserves_input_queue else 0
    totals, peak_index = _compute_usage(lifetimes, len(records), block)
    queue_bytes = _compute_queue_bytes(spec, channel_bytes)  # in use during every op
    peak_by_kind = Counter[str]()
    for life in lifetimes:
        if life.first <= peak_index <= life.last:
            peak_by_kind[life.kind] += round_to_blocks(life.nbytes, block)
    peak_by_kind[CHANNEL] += queue_bytes
    peak_op = records[peak_index].name if records else "nothing"
    scope = records[peak_index].scope if records else ""

    def plan_scaled(factor: int) -> MemoryPlan:
        """Return the plan of the step, traced again with ``factor`` times the rows."""
        assert trace_scaled is not None
        step = trace_scaled(factor)
        return plan_memory(
            step.records,
            spec,
            batch=step.batch,
            batch_size=factor * rows,
            reserves_input_queue=reserves_input_queue,
        )

    return MemoryPlan(
        spec,
        usable_bytes(spec, max_device_memory),
        rows,
        lifetimes,
        len(records),
        channel_bytes,
        tuple(total + queue_bytes for total in totals),
        totals[peak_index] + queue_bytes,
        {k: peak_by_kind[k] for k in KINDS},
        f"{scope}/{peak_op}" if scope else peak_op,
        None if trace_scaled is None else plan_scaled,
    )


def _compute_queue_bytes(spec: DeviceSpec, batch_bytes: int) -> int:
    """Return the bytes of the full device queue, which is bounded in batches and in bytes."""
    if not batch_bytes:
        return 0
    depth = max(1, min(int(spec.channel_batches), int(spec.channel_bytes) // batch_bytes))
    return depth * round_to_blocks(batch_bytes, int(spec.memory_block_bytes))


def _compute_lifetimes(
    records: Sequence[OpRecord], batch: Sequence[Operand]
) -> Iterable[ArrayLifetime]:
    """Yield the lifetime of each parameter and array of a step, with its kind.

    Views and in-place updates extend the lifetime of the array that they alias.
    """
    lifetimes = Lifetimes()
    arrays: dict[Hashable, tuple[str, Operand]] = {}
    parameters: dict[Hashable, tuple[Operand, set[str]]] = {}
    reads: defaultdict[Hashable, list[int]] = defaultdict(list)
    for operand in batch:
        arrays[operand.key] = (ACTIVATIONS, operand)
        lifetimes.define(operand.key, 0)
    for index, record in enumerate(records):
        for operand in record.inputs:
            # A Parameter read after an update is the same Parameter.
            root = lifetimes.root(operand.key)
            if operand.param:
                parameters.setdefault(root, (operand._replace(key=root), set()))[1].add(record.kind)
            else:
                lifetimes.record_read(operand.key, index)
            reads[root].append(index)
        for position, operand in enumerate(record.outputs):
            aliased = None
            if position < len(record.mutates):
                aliased = record.inputs[record.mutates[position]]
            elif record.inputs and (record.is_view or record.kind == OPTIMIZER):
                aliased = record.inputs[0]
            if aliased is not None and (record.is_view or aliased.param):
                lifetimes.alias(operand.key, aliased.key)
                continue
            kind = {BACKWARD: GRADIENTS, OPTIMIZER: WORKSPACE}.get(record.kind, ACTIVATIONS)
            arrays[operand.key] = (kind, operand)
            lifetimes.define(operand.key, index)
    last_index = max(0, len(records) - 1)
    for operand, kinds in parameters.values():
        kind = OPTIMIZER_STATE if kinds == {OPTIMIZER} else PARAMETERS
        indices = tuple(reads[operand.key])
        yield ArrayLifetime(kind, "", operand.shape, operand.dtype.itemsize, 0, last_index, indices)
    batch_keys = {operand.key for operand in batch}
    for key, (kind, operand) in arrays.items():
        first, last = lifetimes.first[key], lifetimes.last[key]
        scope = records[first].scope if records and key not in batch_keys else ""
        yield ArrayLifetime(
            kind, scope, operand.shape, operand.dtype.itemsize, first, last, tuple(reads[key])
        )


def _compute_usage(
    lifetimes: Iterable[ArrayLifetime], steps: int, block: int
) -> tuple[list[int], int]:
    """Return the bytes in use during each op, and the index of the op that uses most."""
    changes = [0] * (steps + 1)
    for life in lifetimes:
        size = round_to_blocks(life.nbytes, block)
        changes[life.first] += size
        changes[min(life.last + 1, steps)] -= size
    totals = list(itertools.accumulate(changes[:-1])) or [0]
    return totals, max(range(len(totals)), key=totals.__getitem__)
