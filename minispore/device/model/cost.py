"""What a program costs on a device, from the shapes of its ops, computed once at compile.

A kernel takes ``kernel_us + max(compute, memory)`` microseconds:

* *cube* ops (convolutions and matrix products) compute padded 16 x 16 x 16 tiles; the tiles of the
  output are dealt to the cores, and a core reaches ``cube_efficiency`` of its peak. Where the cube
  can't take float32, the inputs pass through inserted Cast kernels, as on the real chip;
* *vector* ops compute ``work`` instructions an element on ``vector_bytes`` lanes;
* memory moves every input and output once (``reads`` times where an op needs several passes) at
  ``memory_gbs * memory_efficiency``; feature maps keep their channels in blocks of 16;
* elementwise ops ride in the kernel that makes their input, up to ``fused_ops`` of them, and save
  its trip to memory; all that an optimizer does to the elements of one parameter is one kernel;
* views cost nothing, unless the layout of a feature map changes (TransData);
* what the chip inserts is inserted: zeros before partial sums (MemSet), products' weights and their
  gradients in another layout (TransData).

All of it is a model. Counts (kernels, tiles, bytes) are exact for the program given; times are not.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from minispore.core.registry import registry
from minispore.device.model.cube import cube_work
from minispore.device.model.maps import feature_maps, is_float, is_map
from minispore.device.model.records import BACKWARD, FORWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.model.spec import DeviceSpec
from minispore.device.model.table import OpCost, cost_of, price, priced_by_default
from minispore.device.model.timeline import on_grid

NORMS = frozenset({"BatchNorm", "BatchNormTrain"})
_TO_FLOAT16 = np.dtype(np.float16)


@dataclass(frozen=True)
class Kernel:
    """One kernel of a program: what it is, how long it takes, and why."""

    name: str  # "Default/network-ResNet/conv1/Conv2D-op12"
    op_type: str
    us: float
    lane: str = "AI Core"
    kind: str = FORWARD
    scope: str = ""
    line: str = ""
    compute_us: float = 0.0
    memory_us: float = 0.0
    nbytes: int = 0
    cube_flops: float = 0.0
    vector_flops: float = 0.0
    cores: int = 0
    ops: tuple[str, ...] = ()  # the op names that ride in it
    inserted: bool = False  # no op of the graph: Cast or TransData


@dataclass(frozen=True)
class ProgramCost:
    """All kernels of one training step on one device, priced once."""

    spec: DeviceSpec
    kernels: tuple[Kernel, ...]
    input_bytes: int = 0  # of one batch
    input_columns: int = 1
    results: tuple[int, ...] = (4,)  # bytes of each array that the host gets back: the loss
    loss_bytes: int = 4  # of the loss of one step, of which a loop keeps all
    gradients: tuple[tuple[float, int], ...] = ()  # (when it is ready, bytes), in that order
    op_kernels: tuple[int, ...] = ()  # for each op of the program, the kernel that it is part of
    device_us: float = field(init=False)
    optimizer_us: float = field(init=False)

    def __post_init__(self) -> None:
        updates = sum(k.us for k in self.kernels if k.kind == OPTIMIZER)
        object.__setattr__(self, "device_us", sum(k.us for k in self.kernels))
        object.__setattr__(self, "optimizer_us", updates)

    @property
    def output_bytes(self) -> int:
        """What the host gets back of a step."""
        return sum(self.results)

    @property
    def launches(self) -> int:
        """Kernels that a host without graph sink sends one by one."""
        return len(self.kernels)

    def with_tail(self, us: float) -> ProgramCost:
        """The same program with one more wait on the AI Core: what an all_reduce does not hide."""
        return replace(self, kernels=(*self.kernels, Kernel("AllReduce", "AllReduce", us, "HCCL")))

    @property
    def cube_flops(self) -> float:
        """Operations of the cube ops, padding included."""
        return sum(k.cube_flops for k in self.kernels)

    def by_default(self) -> dict[str, float]:
        """Kernel type -> share of the device's time, of those of whose ops nothing is known but the
        size of their arrays; the longest first.
        """
        total = self.device_us or 1.0
        shares: defaultdict[str, float] = defaultdict(float)
        for k in self.kernels:
            if any(priced_by_default(op) for op in k.ops):
                shares[k.op_type] += k.us / total
        return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))

    def by_type(self) -> dict[str, tuple[int, float]]:
        """Kernel type -> (how many, microseconds), the longest first."""
        count: Counter[str] = Counter()
        us: defaultdict[str, float] = defaultdict(float)
        for k in self.kernels:
            count[k.op_type] += 1
            us[k.op_type] += k.us
        return {t: (count[t], us[t]) for t in sorted(us, key=lambda t: (-us[t], t))}


def program_cost(
    records: Iterable[OpRecord],
    spec: DeviceSpec,
    *,
    batch: Sequence[Operand] = (),
    results: Sequence[Operand] | None = None,
) -> ProgramCost:
    """Price the ops of one step on ``spec``; ``batch`` are the columns that GetNext brings,
    ``results`` what goes back to the host (None: one loss).
    """
    records = list(records)
    ops = [r for r in records if cost_of(r).engine != "free"]
    pricing = _Pricing(ops, spec)
    kernels = tuple(pricing.kernels())
    ends = list(accumulate((k.us for k in kernels), initial=0.0))
    gradients = [(ends[number + 1], nbytes) for number, nbytes in pricing.gradients()]
    return ProgramCost(
        spec,
        kernels,
        input_bytes=sum(o.nbytes for o in batch),
        input_columns=max(1, len(batch)),
        **_going_back(results),
        gradients=tuple(sorted(gradients)),
        op_kernels=_op_kernels(records, pricing.made_by),
    )


def _going_back(results: Sequence[Operand] | None) -> dict[str, Any]:
    if results is None:
        return {}
    loss = results[0] if results else None
    kept = loss.dtype.itemsize if loss is not None and is_float(loss) else 0
    return {"results": tuple(o.nbytes for o in results), "loss_bytes": kept}


def _op_kernels(records: Iterable[OpRecord], made_by: Mapping[Hashable, _Group]) -> tuple[int, ...]:
    """The kernel of each op; what runs nothing is with the op before."""
    numbers: list[int] = []
    for r in records:
        group = made_by.get(r.outputs[0].key) if r.outputs else None
        last = numbers[-1] if numbers else 0
        numbers.append(last if group is None else max(last, group.number))
    return tuple(numbers)


@dataclass
class _Group:
    """Ops that run as one kernel."""

    records: list[OpRecord]
    index: int  # of the first one
    cost: OpCost
    inserted: bool = False
    updates: bool = False  # elements of one parameter, or scalars, by an optimizer
    readers: set[int] = field(default_factory=set)  # ids of the groups that read its outputs
    number: int = 0  # of the kernel

    @property
    def size(self) -> int:
        """The elements of what it makes."""
        return self.records[0].outputs[0].size


class _Work(NamedTuple):
    us: float
    cube_flops: float
    vector_flops: float
    cores: int


class _Pricing:
    """Groups the ops of one program into kernels, and prices each."""

    def __init__(self, ops: list[OpRecord], spec: DeviceSpec) -> None:
        self.ops, self.spec = ops, spec
        self.uses: Counter[Hashable] = Counter(o.key for r in ops for o in r.inputs)
        self.hbm_bytes_per_us = spec.memory_gbs * spec.memory_efficiency * 1e3
        self.l2_bytes_per_us = max(self.hbm_bytes_per_us, spec.l2_gbs * 1e3)
        self.moved = 0.0  # bytes that have passed through the L2 cache so far
        self.last_moved: dict[Hashable, float] = {}  # where `moved` stood when an array last passed
        self.made_by: dict[Hashable, _Group] = {}
        self.groups: list[_Group] = []
        self.scalars: list[_Group] = []  # those in which an optimizer computes single numbers
        self.images = feature_maps(ops)
        self.as_given = {o.key for r in ops for o in r.inputs if o.param}
        made = {o.key for r in ops for o in r.outputs}
        self.raw = {o.key for r in ops for o in r.inputs if o.key not in made and not o.param}
        for r in ops:
            for same in (self.as_given, self.raw):
                if r.name == "Cast" and r.inputs and r.inputs[0].key in same:
                    same.update(o.key for o in r.outputs)
        self.weights = {o.shape for r in ops for o in r.inputs if o.param and len(o.shape) > 1}

    def kernels(self) -> Iterable[Kernel]:
        """The kernels in order."""
        cast: set[Hashable] = set()
        for index, record in enumerate(self.ops):
            cost = cost_of(record)
            if cost.engine == "view" and not self._changes_layout(record):
                host = self.made_by.get(record.inputs[0].key) if record.inputs else None
                for o in record.outputs:
                    if host is not None:
                        self.made_by[o.key] = host
                continue
            adds_up = self._sums_parts(record, cost)
            if adds_up:
                record = self._filled(record, cost, index)
            if cost.on_maps and is_map(record.inputs[0]):
                self._turn(record.inputs[0], record, index)  # over pixels, not blocks of channels
            if cost.engine == "cube" and not self._slow(record):
                self._insert_before(record, index, cast)
                if self._casts(record.outputs[0]) and not adds_up:
                    self._cast_after(record, index)
                    continue
            self._place(record, cost, index)
            if adds_up and registry[record.name].multiplies == "product":
                self._turn(record.outputs[0], record, index)  # as the weight lies for its update
        for number, group in enumerate([g for g in self.groups if g.records]):
            group.number = number
            yield self._price(group)

    def _changes_layout(self, record: OpRecord) -> bool:
        """A feature map (N, C1, H, W, C0) that becomes a matrix, or the other way round."""
        if self.spec.channel_block == 1 or not record.inputs or not record.outputs:
            return False
        return (record.inputs[0].key in self.images) != (record.outputs[0].key in self.images)

    def _place(self, record: OpRecord, cost: OpCost, index: int, *, inserted: bool = False) -> None:
        updates = record.kind == OPTIMIZER and self.spec.fused_ops > 1
        host = self._chain(record, cost) if updates else self._host(record, cost)
        if host is None:
            host = _Group([], index, cost, inserted, updates and _is_update(record, cost))
            self.groups.append(host)
            if host.updates and record.outputs[0].size == 1:
                self.scalars.append(host)
        host.records.append(record)
        for o in record.inputs:
            if o.key in self.made_by:
                self.made_by[o.key].readers.add(id(host))
        for o in record.outputs:
            self.made_by[o.key] = host

    def _slow(self, record: OpRecord) -> bool:
        """A product of float32, which the cube can't take, runs without casts, and slowly."""
        product = registry[record.name].multiplies == "product"
        return product and all(map(self._casts, (*record.inputs[:2], record.outputs[0])))

    def _sums_parts(self, record: OpRecord, cost: OpCost) -> bool:
        """Whether cores add partial sums to one output: that of a weight's gradient, say."""
        gradient = (
            cost.engine == "cube"
            and record.kind == BACKWARD
            and record.outputs[0].shape in self.weights
        )
        return bool(self.spec.partial_sums) and (cost.adds_up or gradient)

    def _filled(self, record: OpRecord, cost: OpCost, index: int) -> OpRecord:
        """The same op after a kernel of zeros; what the cube adds up is float32."""
        out = record.outputs[0]
        if cost.engine == "cube":
            out = out._replace(dtype=np.dtype(np.float32))
        zeros = Operand(("MemSet", out.key), out.shape, out.dtype)
        extra = OpRecord("MemSet", (), (zeros,), {}, record.kind, record.scope, record.line)
        self._place(extra, price("MemSet"), index, inserted=True)
        return replace(record, outputs=(out, *record.outputs[1:]))

    def _turn(self, o: Operand, record: OpRecord, index: int) -> None:
        """A kernel that no op asked for: ``o`` in another layout."""
        if self.spec.channel_block > 1:
            turned = Operand(("TransData", o.key), o.shape, o.dtype)
            extra = OpRecord(
                "TransData", (o,), (turned,), {}, record.kind, record.scope, record.line
            )
            self._place(extra, price("TransData"), index, inserted=True)

    def _casts(self, o: Operand) -> bool:
        return not self.spec.cube_macs_float32 and o.dtype == np.float32 and o.size > 1

    def _insert_before(self, record: OpRecord, index: int, done: set[Hashable]) -> None:
        """Kernels that no op asked for: the batch into blocks of channels, float32 into float16."""
        for o in record.inputs:
            if o.key in done:
                continue
            done.add(o.key)
            name = "Cast" if self._casts(o) else "TransData" if self._arrives_flat(o) else ""
            if o.key in self.as_given and len(o.shape) == 2 and o.size > 1:
                self._turn(o, record, index)  # a product's weight, in rows
            if name:
                half = Operand((name, o.key), o.shape, _TO_FLOAT16)
                extra = OpRecord(name, (o,), (half,), {}, record.kind, record.scope, record.line)
                self._place(extra, price(name), index, inserted=True)

    def _arrives_flat(self, o: Operand) -> bool:
        """A feature map that no kernel made: it came with the batch, in rows of W."""
        return (
            self.spec.channel_block > 1
            and len(o.shape) == 4
            and not o.param
            and is_float(o)
            and (o.key not in self.made_by or o.key in self.raw)
        )

    def _cast_after(self, record: OpRecord, index: int) -> None:
        """The cube hands out float16; what asked for float32 gets it from a Cast."""
        wide = record.outputs[0]
        half = Operand(("cube", wide.key), wide.shape, _TO_FLOAT16)
        self.uses[half.key] += 1
        self._place(replace(record, outputs=(half,)), price(record.name), index)
        back = OpRecord("Cast", (half,), (wide,), {}, record.kind, record.scope, record.line)
        self.groups.append(_Group([back], index, price("Cast"), inserted=True))
        self.made_by[wide.key] = self.groups[-1]

    def _host(self, record: OpRecord, cost: OpCost) -> _Group | None:
        """The group whose kernel ``record`` rides in: it made the newest input of the same size."""
        if not cost.elementwise or not record.outputs:
            return None
        size = record.outputs[0].size
        made = [
            self.made_by[o.key] for o in record.inputs if o.size == size and o.key in self.made_by
        ]
        if not made:
            return None
        group = max(made, key=lambda g: g.index)
        head = group.records[0]
        carries = group.cost.elementwise or group.cost.engine == "cube" or head.name in NORMS
        room = len(group.records) < self.spec.fused_ops
        return group if carries and room and head.kind == record.kind else None

    def gradients(self) -> Iterable[tuple[int, int]]:
        """(kernel, bytes) of each array that the optimizer takes from the backward pass: one of a
        parameter's shape.
        """
        shapes = {o.shape for r in self.ops for o in r.inputs if o.param}
        seen: set[Hashable] = set()
        for r in self.ops:
            for o in r.inputs if r.kind == OPTIMIZER else ():
                made = self.made_by.get(o.key)
                if made is None or o.key in seen or o.param or o.shape not in shapes:
                    continue
                if made.records[0].kind != OPTIMIZER:
                    seen.add(o.key)
                    yield made.number, o.nbytes

    def _chain(self, record: OpRecord, cost: OpCost) -> _Group | None:
        """The group of an update. However an optimizer is written, what it does to the elements of
        one parameter is one kernel, as in FusedMulApplyMomentum; so are scalars that follow each
        other.
        """
        if not _is_update(record, cost):
            return None
        size = record.outputs[0].size
        made = [self.made_by[o.key] for o in record.inputs if o.key in self.made_by]
        found = {id(g): g for g in made if g.updates and g.size == size}
        if size == 1 and not found:
            ready = max((g.index for g in made), default=-1)
            return next((g for g in self.scalars if g.index > ready), None)
        if not found:
            return None
        newest = max(found.values(), key=lambda g: g.index)
        for older in found.values():
            if older is not newest and older.readers <= {id(older), id(newest)}:
                self._join(older, newest)
        return newest

    def _join(self, older: _Group, newest: _Group) -> None:
        """Let ``newest`` do what ``older`` did, whose outputs nobody else has read."""
        newest.records[:0] = older.records
        newest.readers |= older.readers
        for r in older.records:
            for o in r.outputs:
                self.made_by[o.key] = newest
        older.records = []

    # -- prices -----------------------------------------------------------------------------------

    def _price(self, group: _Group) -> Kernel:
        spec, first, engine = self.spec, group.records[0], group.cost.engine
        nbytes, memory_us = self._traffic(group)
        work = self._compute(group)
        kernels = 1 if self._sums_in_conv(first) else group.cost.kernels
        fixed = spec.aicpu_kernel_us if engine == "aicpu" else spec.kernel_us * kernels
        op_type = "TransData" if engine == "view" else first.name
        if group.updates and len(group.records) > 1:
            op_type = f"Fused{first.name}{group.records[-1].name}"
        return Kernel(
            name=f"{first.scope or 'Default'}/{op_type}-op{group.number}",
            op_type=op_type,
            us=on_grid(max(spec.kernel_floor_us, fixed + max(work.us, memory_us))),
            lane={"aicpu": "AI CPU", "hccl": "HCCL"}.get(engine, "AI Core"),
            kind=first.kind,
            scope=first.scope,
            line=first.line,
            compute_us=work.us,
            memory_us=memory_us,
            nbytes=round(nbytes),
            cube_flops=work.cube_flops,
            vector_flops=work.vector_flops,
            cores=work.cores,
            ops=tuple(r.name for r in group.records),
            inserted=group.inserted or engine == "view",
        )

    def _compute(self, group: _Group) -> _Work:
        spec = self.spec
        us = cube_flops = vector_flops = 0.0
        cores = int(spec.vector_cores)
        for r in group.records:
            cost = cost_of(r)
            if cost.engine == "cube":
                work = cube_work(r, spec)
                product = registry[r.name].multiplies == "product"
                share = spec.product_efficiency if product else spec.cube_efficiency
                us += work.cycles / spec.clock_mhz / share
                if self._slow(r):
                    us = max(us, spec.product_float32_us)
                cube_flops += work.flops
                cores = work.cores
            elif cost.engine == "vector":
                largest = max((*r.inputs, *r.outputs), key=lambda o: o.size)
                lanes = spec.vector_bytes / max(2, largest.dtype.itemsize)
                work_each = cost.on_maps if cost.on_maps and is_map(largest) else cost.work
                vector_flops += work_each * largest.size
                us += work_each * largest.size / (lanes * spec.vector_cores * spec.clock_mhz)
        return _Work(us, cube_flops, vector_flops, cores)

    def _traffic(self, group: _Group) -> tuple[float, float]:
        """Bytes that a kernel moves, and the microseconds of it: what stays inside is not moved."""
        inside = {o.key for r in group.records for o in r.outputs}
        used_inside = Counter(o.key for r in group.records for o in r.inputs if o.key in inside)
        nbytes = us = 0.0
        seen: set[Hashable] = set(inside)
        for r in group.records:
            cost = cost_of(r)
            made = sum(self._stored(o) for o in r.outputs)
            passes = 1.0 if self._sums_in_conv(r) else cost.reads
            for o in r.inputs:
                if o.key not in seen:
                    seen.add(o.key)
                    stored = self._stored(o)
                    read = min(stored, made) if cost.gathers else passes * stored
                    nbytes += read
                    us += self._read_us(o, read)
            for o in r.outputs:
                if self.uses[o.key] > used_inside[o.key] or not used_inside[o.key]:
                    nbytes += self._stored(o)
                    us += self._stored(o) / self.hbm_bytes_per_us
                    self._pass(o.key, self._stored(o))
        return nbytes, us

    def _read_us(self, o: Operand, nbytes: float) -> float:
        """An array that passed through the L2 cache less than its capacity ago is still there."""
        since = self.moved - self.last_moved.get(o.key, -math.inf) + self._stored(o)
        self._pass(o.key, self._stored(o))
        fits = since <= self.spec.l2_bytes
        return nbytes / (self.l2_bytes_per_us if fits else self.hbm_bytes_per_us)

    def _pass(self, key: Hashable, nbytes: float) -> None:
        self.moved += nbytes
        self.last_moved[key] = self.moved

    def _sums_in_conv(self, record: OpRecord) -> bool:
        """A normalisation after a convolution has its sums from the convolution's kernel."""
        if record.name not in NORMS or self.spec.fused_ops <= 1:
            return False
        host = self.made_by.get(record.inputs[0].key)
        return host is not None and host.cost.engine == "cube"

    def _stored(self, o: Operand) -> float:
        """Bytes in device memory: the channels of a feature map come in blocks."""
        block = int(self.spec.channel_block)
        if block > 1 and o.key in self.images:
            n, c, h, w = o.shape
            return n * (-(-c // block) * block) * h * w * o.dtype.itemsize
        return o.nbytes


def _is_update(record: OpRecord, cost: OpCost) -> bool:
    """Whether an optimizer's op goes over elements one by one: Mul, Sqrt, ApplyMomentum, ..."""
    return (cost.elementwise or bool(record.mutates)) and bool(record.outputs)
