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

from minispore.core.registry import registry
from minispore.device.model.cube import cube_work
from minispore.device.model.grouping import NORMS, Group, Grouping
from minispore.device.model.maps import is_float, is_map
from minispore.device.model.records import FORWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.model.spec import DeviceSpec
from minispore.device.model.table import cost_of, priced_by_default
from minispore.device.model.timeline import on_grid


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
    groups = Grouping(ops, spec)
    kernels = tuple(_Pricing(groups).kernels())
    ends = list(accumulate((k.us for k in kernels), initial=0.0))
    gradients = [(ends[number + 1], nbytes) for number, nbytes in groups.gradients()]
    return ProgramCost(
        spec,
        kernels,
        input_bytes=sum(o.nbytes for o in batch),
        input_columns=max(1, len(batch)),
        **_going_back(results),
        gradients=tuple(sorted(gradients)),
        op_kernels=_op_kernels(records, groups.made_by),
    )


def _going_back(results: Sequence[Operand] | None) -> dict[str, Any]:
    if results is None:
        return {}
    loss = results[0] if results else None
    kept = loss.dtype.itemsize if loss is not None and is_float(loss) else 0
    return {"results": tuple(o.nbytes for o in results), "loss_bytes": kept}


def _op_kernels(records: Iterable[OpRecord], made_by: Mapping[Hashable, Group]) -> tuple[int, ...]:
    """The kernel of each op; what runs nothing is with the op before."""
    numbers: list[int] = []
    for r in records:
        group = made_by.get(r.outputs[0].key) if r.outputs else None
        last = numbers[-1] if numbers else 0
        numbers.append(last if group is None else max(last, group.number))
    return tuple(numbers)


class _Work(NamedTuple):
    us: float
    cube_flops: float
    vector_flops: float
    cores: int


class _Pricing:
    """Prices the kernels of one program."""

    def __init__(self, groups: Grouping) -> None:
        self.groups, self.spec = groups, groups.spec
        spec = self.spec
        self.hbm_bytes_per_us = spec.memory_gbs * spec.memory_efficiency * 1e3
        self.l2_bytes_per_us = max(self.hbm_bytes_per_us, spec.l2_gbs * 1e3)
        self.moved = 0.0  # bytes that have passed through the L2 cache so far
        self.last_moved: dict[Hashable, float] = {}  # where `moved` stood when an array last passed

    def kernels(self) -> Iterable[Kernel]:
        """The kernels in order."""
        return map(self._price, self.groups.grouped())

    def _price(self, group: Group) -> Kernel:
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

    def _compute(self, group: Group) -> _Work:
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
                if self.groups.slow(r):
                    us = max(us, spec.product_float32_us)
                cube_flops += work.flops
                cores = work.cores
            elif cost.engine == "vector":
                largest = max((*r.inputs, *r.outputs), key=lambda o: o.size)
                lanes = spec.vector_bytes / max(2, largest.dtype.itemsize)
                work_each = cost.on_maps if cost.on_maps and is_map(largest) else cost.work
                vector_flops += work_each * largest.size
                us += work_each * largest.size / (lanes * spec.vector_cores * spec.clock_mhz)
                if cost.by_rows:
                    us = max(us, _rows_of(r) * spec.row_us / spec.vector_cores)
        return _Work(us, cube_flops, vector_flops, cores)

    def _traffic(self, group: Group) -> tuple[float, float]:
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
                if self.groups.uses[o.key] > used_inside[o.key] or not used_inside[o.key]:
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
        host = self.groups.made_by.get(record.inputs[0].key)
        return host is not None and host.cost.engine == "cube"

    def _stored(self, o: Operand) -> float:
        """Bytes in device memory: the channels of a feature map come in blocks."""
        block = int(self.spec.channel_block)
        if block > 1 and o.key in self.groups.images:
            n, c, h, w = o.shape
            return n * (-(-c // block) * block) * h * w * o.dtype.itemsize
        return o.nbytes


def _rows_of(record: OpRecord) -> int:
    """The rows that the indices of a gather or scatter name."""
    indices = [o for o in record.inputs if o.dtype.kind in "iu"]
    if not indices:
        return 0
    rows = indices[-1].size
    return rows // max(1, indices[-1].shape[-1]) if record.name.endswith("Nd") else rows
