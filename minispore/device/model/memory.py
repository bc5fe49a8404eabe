"""Device memory: 512-byte blocks of six kinds, a pool that counts them, and the plan that is known
before a run.

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
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from minispore import chart
from minispore.device.model.records import BACKWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.model.spec import DeviceSpec
from minispore.errors import DeviceMemoryError, did_you_mean
from minispore.graph.lifetimes import Lifetimes

PARAMETERS, GRADIENTS, OPTIMIZER_STATE = "parameters", "gradients", "optimizer state"
ACTIVATIONS, CHANNEL, WORKSPACE = "activations", "channel", "workspace"
KINDS = (PARAMETERS, GRADIENTS, OPTIMIZER_STATE, ACTIVATIONS, CHANNEL, WORKSPACE)


def usable_bytes(spec: DeviceSpec, max_device_memory: int | None = None) -> int:
    """What MindSpore takes of the device: 15/16, rounded down to 2 MB, less 10 MB;
    at most ``max_device_memory``.

    >>> from minispore.device.model.spec import device_spec
    >>> usable_bytes(device_spec("Ascend910")) == 30710 * 2**20
    True
    """
    unit = int(spec.memory_round_bytes)
    taken = int(spec.memory_bytes * spec.memory_share) // unit * unit
    usable = max(0, taken - int(spec.memory_reserve_bytes))
    return usable if max_device_memory is None else min(usable, max_device_memory)


def in_blocks(nbytes: int, block: int = 512) -> int:
    """``nbytes`` rounded up to whole blocks; every array takes at least one.

    >>> in_blocks(0), in_blocks(512), in_blocks(513)
    (512, 512, 1024)
    """
    return max(1, -(-nbytes // block)) * block


class Block(NamedTuple):
    """A piece of device memory."""

    number: int
    kind: str
    label: str
    nbytes: int  # whole 512-byte blocks


class Moment(NamedTuple):
    """The memory in use after one allocation (``change > 0``) or release (``change < 0``)."""

    time_us: float
    kind: str
    change: int
    total: int


@dataclass
class MemoryPool:
    """Counts what is allocated on one device, by kind: now, at the peak, and over time."""

    spec: DeviceSpec
    max_device_memory: int | None = None
    keeps_timeline: bool = True
    current_by_kind: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    peak_by_kind: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    current: int = 0
    peak: int = 0
    allocated_bytes: int = 0  # ever
    freed_bytes: int = 0
    timeline: list[Moment] = field(default_factory=list)
    _blocks: dict[int, Block] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    @property
    def capacity(self) -> int:
        """The bytes that this pool may hand out."""
        return usable_bytes(self.spec, self.max_device_memory)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks in use, oldest first."""
        return tuple(self._blocks.values())

    def allocate(self, kind: str, nbytes: int, label: str = "", time_us: float = 0.0) -> Block:
        """Take memory for an array of ``nbytes``.

        Raises:
            DeviceMemoryError: beyond the capacity; nothing is taken then.
            ValueError: for an unknown kind.
        """
        if kind not in self.current_by_kind:
            raise ValueError(
                f"MemoryPool: kind must be one of {', '.join(KINDS)}, got {kind!r}."
                f"{did_you_mean(kind, KINDS)}"
            )
        size = in_blocks(nbytes, int(self.spec.memory_block_bytes))
        if self.current + size > self.capacity:
            raise DeviceMemoryError(
                out_of_memory_text(self.spec, self.capacity, size, self.current_by_kind)
            )
        block = Block(next(self._numbers), kind, label, size)
        self._blocks[block.number] = block
        self.allocated_bytes += size
        self._change(kind, size, time_us)
        return block

    def free(self, block: Block, time_us: float = 0.0) -> None:
        """Give ``block`` back.

        Raises:
            ValueError: when it is not in use (given back before, or of another pool).
        """
        if self._blocks.get(block.number) is not block:
            raise ValueError(
                f"MemoryPool: block must be in use in this pool, got "
                f"{block.label or block.number!r}, which "
                "is not. Free each block once, in the pool that made it."
            )
        del self._blocks[block.number]
        self.freed_bytes += block.nbytes
        self._change(block.kind, -block.nbytes, time_us)

    def _change(self, kind: str, change: int, time_us: float) -> None:
        self.current += change
        self.current_by_kind[kind] += change
        if self.current > self.peak:
            self.peak, self.peak_by_kind = self.current, dict(self.current_by_kind)
        if self.keeps_timeline:
            self.timeline.append(Moment(time_us, kind, change, self.current))


def out_of_memory_text(
    spec: DeviceSpec,
    capacity: int,
    request: int,
    in_use: Mapping[str, int],
    plan: MemoryPlan | None = None,
    hint: str = "",
) -> str:
    """The text of the out-of-memory error, with the words that users of MindSpore search for."""
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


class Life(NamedTuple):
    """One array of a program: who makes it, who reads it last, and how its size depends
    on the batch."""

    kind: str
    label: str
    nbytes: int
    first: int
    last: int
    batched: bool

    def bytes_at(self, batch: int, planned: int, block: int) -> int:
        """The blocks that it takes with a batch of ``batch`` rows, planned for ``planned``."""
        size = -(-self.nbytes * batch // planned) if self.batched else self.nbytes
        return in_blocks(size, block)


@dataclass(frozen=True)
class MemoryPlan(chart.ShownAsText):
    """The memory of one training step, op by op, before anything has run."""

    spec: DeviceSpec
    capacity: int
    batch_size: int
    lives: tuple[Life, ...]
    steps: int
    channel_bytes: int  # of one batch in the channel
    totals: tuple[int, ...]  # bytes in use during each op
    peak: int
    peak_by_kind: Mapping[str, int]
    peak_op: str

    def over_ops(self) -> dict[str, list[int]]:
        """For each kind the bytes in use during each op."""
        found = {}
        for kind in KINDS:
            mine = [life for life in self.lives if life.kind == kind]
            found[kind] = _usage(mine, self.steps, 1, 1, self._block)[0]
        found[CHANNEL] = [_channel(self.spec, self.channel_bytes)] * max(1, self.steps)
        return found

    @property
    def fits(self) -> bool:
        """Whether the step can run on this device."""
        return self.peak <= self.capacity

    @property
    def static_bytes(self) -> int:
        """What stays all the time: parameters, optimizer state and the channel."""
        return sum(self.peak_by_kind[k] for k in (PARAMETERS, OPTIMIZER_STATE, CHANNEL))

    @property
    def dynamic_bytes(self) -> int:
        """What comes and goes within a step, at the peak."""
        return self.peak - self.static_bytes

    def peak_at(self, batch_size: int) -> int:
        """The peak that a batch of ``batch_size`` rows would have."""
        return max(_usage(self.lives, self.steps, batch_size, self.batch_size, self._block)[0]) + (
            _channel(self.spec, self.channel_bytes * batch_size // self.batch_size)
        )

    @property
    def _block(self) -> int:
        return int(self.spec.memory_block_bytes)

    @property
    def largest_batch(self) -> int:
        """The largest batch that fits; 0 if not even one row does."""
        if self.peak_at(1) > self.capacity:
            return 0
        low, high = 1, 2
        while self.peak_at(high) <= self.capacity:
            low, high = high, 2 * high
            if high > 1 << 40:  # nothing of it grows with the batch
                return low
        while high - low > 1:
            middle = (low + high) // 2
            if self.peak_at(middle) <= self.capacity:
                low = middle
            else:
                high = middle
        return low

    def check(self) -> None:
        """Raise the out-of-memory error if the step does not fit.

        Raises:
            DeviceMemoryError: with the plan and the largest batch that fits.
        """
        if self.fits:
            return
        largest = self.largest_batch
        hint = (
            f" to {largest} or less"
            if largest
            else ": not even one row fits, so use a smaller network"
        )
        raise DeviceMemoryError(
            out_of_memory_text(self.spec, self.capacity, self.peak, self.peak_by_kind, self, hint)
        )

    def table(self) -> str:
        """The peak by kind, one kind a line."""
        lines = [f"  at the peak ({self.peak_op}), batch_size {self.batch_size}:"]
        lines += [f"    {k:<16}{self.peak_by_kind[k] / 2**20:>12.3f} M" for k in KINDS]
        lines.append(
            f"    {'together':<16}{self.peak / 2**20:>12.3f} M of {self.capacity / 2**20:.0f} M"
        )
        return "\n".join(lines)

    def __str__(self) -> str:
        fit = "fits" if self.fits else "does not fit"
        return (
            f"{self.spec.name}: the step {fit}; the largest batch that fits is "
            f"{self.largest_batch}\n{self.table()}"
        )


def plan_memory(
    records: Sequence[OpRecord],
    spec: DeviceSpec,
    *,
    batch: Sequence[Operand] = (),
    batch_size: int | None = None,
    max_device_memory: int | None = None,
    channel: bool = True,
) -> MemoryPlan:
    """Follow every array of a step from the op that makes it to the op that reads it last.

    ``batch`` are the columns that the channel brings; arrays that depend on them and whose first
    dimension is a multiple of the batch size grow with it (one without rows counts as one row).
    Without a ``channel`` the host hands them over one by one.
    """
    rows = batch_size or (batch[0].shape[0] if batch and batch[0].shape else 1) or 1
    block = int(spec.memory_block_bytes)
    lives = tuple(_lives(records, batch, rows))
    channel_bytes = sum(o.nbytes for o in batch) if channel else 0
    totals, peak_index = _usage(lives, len(records), rows, rows, block)
    queue = _channel(spec, channel_bytes)
    at_peak = Counter[str]()
    for life in lives:
        if life.first <= peak_index <= life.last:
            at_peak[life.kind] += life.bytes_at(rows, rows, block)
    at_peak[CHANNEL] += queue
    peak_op = records[peak_index].name if records else "nothing"
    scope = records[peak_index].scope if records else ""
    return MemoryPlan(
        spec,
        usable_bytes(spec, max_device_memory),
        rows,
        lives,
        len(records),
        channel_bytes,
        tuple(t + queue for t in totals),
        totals[peak_index] + queue,
        {k: at_peak[k] for k in KINDS},
        f"{scope}/{peak_op}" if scope else peak_op,
    )


def _channel(spec: DeviceSpec, batch_bytes: int) -> int:
    """The device queue when it is full: so many batches, or so many bytes."""
    if not batch_bytes:
        return 0
    depth = max(1, min(int(spec.channel_batches), int(spec.channel_bytes) // batch_bytes))
    return depth * in_blocks(batch_bytes, int(spec.memory_block_bytes))


def _lives(records: Sequence[OpRecord], batch: Sequence[Operand], rows: int) -> Iterable[Life]:
    lives = Lifetimes()
    made: dict[Hashable, tuple[str, Operand]] = {}
    parameters: dict[Hashable, tuple[Operand, set[str]]] = {}
    weight_shapes = {o.shape for r in records for o in r.inputs if o.param}
    fed: set[Hashable] = {o.key for o in batch}  # what depends on the batch
    growing = set(fed)  # and is larger for a larger one
    for o in batch:
        made[o.key] = (ACTIVATIONS, o)
        lives.make(o.key, 0)
    for index, r in enumerate(records):
        batched = False
        for o in r.inputs:
            if o.param:
                parameters.setdefault(o.key, (o, set()))[1].add(r.kind)
            else:
                lives.read(o.key, index)
            batched = batched or lives.owner(o.key) in fed
        for position, o in enumerate(r.outputs):
            shared = None
            if position < len(r.mutates):
                shared = r.inputs[r.mutates[position]]
            elif r.inputs and (r.view or r.kind == OPTIMIZER):
                shared = r.inputs[0]
            if shared is not None and (r.view or shared.param):
                lives.share(o.key, shared.key)
                continue
            kind = {BACKWARD: GRADIENTS, OPTIMIZER: WORKSPACE}.get(r.kind, ACTIVATIONS)
            made[o.key] = (kind, o)
            lives.make(o.key, index)
            if batched:
                fed.add(o.key)
                of_weights = o.shape in weight_shapes and (r.kind == BACKWARD or len(o.shape) == 1)
                if o.shape and o.shape[0] % rows == 0 and not of_weights:
                    growing.add(o.key)
    end = max(0, len(records) - 1)
    for o, kinds in parameters.values():
        kind = OPTIMIZER_STATE if kinds == {OPTIMIZER} else PARAMETERS
        yield Life(kind, "", o.nbytes, 0, end, False)
    for key, (kind, o) in made.items():
        first = lives.first[key]
        scope = records[first].scope if records else ""
        yield Life(kind, scope, o.nbytes, first, lives.last[key], key in growing)


def _usage(
    lives: Iterable[Life], steps: int, batch: int, planned: int, block: int
) -> tuple[list[int], int]:
    """Bytes in use during each op, and the index of the op with the most."""
    change = [0] * (steps + 1)
    for life in lives:
        size = life.bytes_at(batch, planned, block)
        change[life.first] += size
        change[min(life.last + 1, steps)] -= size
    totals = list(itertools.accumulate(change[:-1])) or [0]
    return totals, max(range(len(totals)), key=totals.__getitem__)
