"""The cost of a program on a device, computed once at compile time from the shapes of its ops.

A kernel takes ``kernel_us + max(compute, memory)`` microseconds:

* *cube* ops (convolutions and matrix products) compute padded 16 x 16 x 16 tiles; the tiles of the
  output are dealt to the cores, and a core reaches ``cube_efficiency`` of its peak. If the cube
  does not support float32, the inputs pass through inserted Cast kernels, as on the real chip;
* *vector* ops compute ``work`` instructions per element on ``vector_bytes`` lanes;
* memory moves every input and output once (``reads`` times if an op needs several passes) at
  ``memory_gbs * memory_efficiency``; feature maps keep their channels in blocks of 16;
* elementwise ops are fused into the kernel of their input, up to ``fused_ops`` of them, which saves
  a round trip to memory; all elementwise ops of an optimizer on one parameter are one kernel;
* views cost nothing, unless the layout of a feature map changes (TransData);
* kernels that the chip adds are inserted: zeros before partial sums (MemSet), and layout changes of
  product weights and their gradients (TransData).

All of this is a model. Counts (kernels, tiles, bytes) are exact for the given program; times are
not.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, NamedTuple

from minispore.device.model.collective import exchange_us
from minispore.device.model.cube import cube_work
from minispore.device.model.feature_maps import is_feature_map, is_float
from minispore.device.model.grouping import NORMS, Group, Grouping
from minispore.device.model.records import FORWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.model.spec import DeviceSpec
from minispore.device.model.table import OpCost, get_record_cost, is_priced_by_default
from minispore.device.model.timeline import round_to_grid
from minispore.device.model.trust import find_family


@dataclass(frozen=True)
class Kernel:
    """One kernel of a program, with its predicted time, computation and memory traffic."""

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
    ops: tuple[str, ...] = ()  # the names of the ops that it computes
    inserted: bool = False  # a Cast, TransData or MemSet that is not an op of the graph


@dataclass(frozen=True)
class ProgramCost:
    """All kernels of one training step on one device, with their predicted times."""

    spec: DeviceSpec
    kernels: tuple[Kernel, ...]
    input_bytes: int = 0  # of one batch
    input_columns: int = 1
    results: tuple[int, ...] = (4,)  # bytes of each array copied back to the host: the loss
    loss_bytes: int = 4  # bytes of the loss of one step; a loop sink keeps all losses
    gradients: tuple[tuple[float, int], ...] = ()  # (ready time, bytes), in order of readiness
    op_kernels: tuple[int, ...] = ()  # for each op of the program, the index of its kernel
    family: str = ""  # family of networks, for the errors seen
    device_us: float = field(init=False)
    optimizer_us: float = field(init=False)

    def __post_init__(self) -> None:
        """Set ``device_us`` and ``optimizer_us``, sums over the kernels."""
        updates = sum(k.us for k in self.kernels if k.kind == OPTIMIZER)
        object.__setattr__(self, "device_us", sum(k.us for k in self.kernels))
        object.__setattr__(self, "optimizer_us", updates)

    @property
    def output_bytes(self) -> int:
        """The bytes copied back to the host after a step."""
        return sum(self.results)

    @property
    def launches(self) -> int:
        """The kernel launches of a step for a host without graph sink."""
        return len(self.kernels)

    def add_exposed_all_reduce(self, us: float) -> ProgramCost:
        """Return the cost with a final AllReduce, whose duration is the part that is not
        overlapped.
        """
        return replace(self, kernels=(*self.kernels, Kernel("AllReduce", "AllReduce", us, "HCCL")))

    @property
    def cube_flops(self) -> float:
        """The operations of the cube ops, padding included."""
        return sum(k.cube_flops for k in self.kernels)

    def sum_default_priced_types(self) -> dict[str, float]:
        """Return kernel type -> share of the device's time, for kernels with ops priced by default.

        The cost table has no entry for such an op, so only the size of its arrays matters. Sorted,
        longest first.
        """
        total = self.device_us or 1.0
        shares: defaultdict[str, float] = defaultdict(float)
        for k in self.kernels:
            if any(is_priced_by_default(op) for op in k.ops):
                shares[k.op_type] += k.us / total
        return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))

    def sum_kernel_types(self) -> dict[str, tuple[int, float]]:
        """Return kernel type -> (count, microseconds), longest first."""
        count: Counter[str] = Counter()
        us: defaultdict[str, float] = defaultdict(float)
        for k in self.kernels:
            count[k.op_type] += 1
            us[k.op_type] += k.us
        return {
            op_type: (count[op_type], us[op_type])
            for op_type in sorted(us, key=lambda op_type: (-us[op_type], op_type))
        }


def program_cost(
    records: Iterable[OpRecord],
    spec: DeviceSpec,
    *,
    batch: Sequence[Operand] = (),
    results: Sequence[Operand] | None = None,
    get_group_size: Callable[[str], int] = lambda group: 1,
) -> ProgramCost:
    """Price the ops of one step.

    Args:
        records: the ops.
        spec: the device.
        batch: the columns of GetNext.
        results: the arrays copied back to the host; None for one loss.
        get_group_size: returns the number of ranks of the group of a collective op.
    """
    records = list(records)
    ops = [r for r in records if get_record_cost(r).engine != "free"]
    groups = Grouping(ops, spec)
    kernels = tuple(_KernelPricer(groups, get_group_size).price_kernels())
    ends = list(accumulate((k.us for k in kernels), initial=0.0))
    # A gradient is ready when the kernel that computes it ends.
    gradients = [(ends[number + 1], nbytes) for number, nbytes in groups.iterate_gradients()]
    return ProgramCost(
        spec,
        kernels,
        input_bytes=sum(o.nbytes for o in batch),
        input_columns=max(1, len(batch)),
        **_compute_result_bytes(results),
        gradients=tuple(sorted(gradients)),
        op_kernels=_find_op_kernels(records, groups),
        family=find_family(records),
    )


def _compute_result_bytes(results: Sequence[Operand] | None) -> dict[str, Any]:
    """Return the fields ``results`` and ``loss_bytes`` of a ProgramCost; an empty dict for one
    loss.
    """
    if results is None:
        return {}
    loss = results[0] if results else None
    loss_bytes = loss.dtype.itemsize if loss is not None and is_float(loss) else 0
    return {"results": tuple(o.nbytes for o in results), "loss_bytes": loss_bytes}


def _find_op_kernels(records: Iterable[OpRecord], groups: Grouping) -> tuple[int, ...]:
    """Return the kernel number of each op, which never decreases from one op to the next.

    An op without a kernel gets the number of the previous op.
    """
    numbers: list[int] = []
    for r in records:
        group = groups.effect_groups.get(id(r))
        if r.outputs:
            group = groups.producers.get(r.outputs[0].key)
        previous = numbers[-1] if numbers else 0
        numbers.append(previous if group is None else max(previous, group.kernel_number))
    return tuple(numbers)


class _ComputeWork(NamedTuple):
    """The compute time of a kernel, its operations on the cube and vector units, and its cores."""

    us: float
    cube_flops: float
    vector_flops: float
    cores: int


class _KernelPricer:
    """Prices the kernels of one program."""

    def __init__(self, groups: Grouping, get_group_size: Callable[[str], int]) -> None:
        self.groups, self.spec = groups, groups.spec
        self.get_group_size = get_group_size
        spec = self.spec
        self.hbm_bytes_per_us = spec.memory_gbs * spec.memory_efficiency * 1e3
        self.l2_bytes_per_us = max(self.hbm_bytes_per_us, spec.l2_gbs * 1e3)
        self.l2_traffic = 0.0  # bytes that have passed through the L2 cache so far
        self.last_access: dict[Hashable, float] = {}  # `l2_traffic` at that access

    def price_kernels(self) -> Iterable[Kernel]:
        """Group the ops, and return the priced kernels in order."""
        return map(self._price_group, self.groups.make_groups())

    def _price_group(self, group: Group) -> Kernel:
        """Return the kernel of a group, whose time is the fixed cost plus max(compute, memory)."""
        spec, first_record, engine = self.spec, group.records[0], group.cost.engine
        nbytes, memory_us = self._compute_traffic(group)
        work = self._compute_work(group.records)
        kernels = 1 if self._has_sums_from_conv(first_record) else group.cost.kernels
        fixed_us = spec.aicpu_kernel_us if engine == "aicpu" else spec.kernel_us * kernels
        work_us = work.us
        if engine == "hccl":
            ranks = self.get_group_size(first_record.attrs.get("group", ""))
            work_us = exchange_us(spec, first_record, ranks)
        op_type = "TransData" if engine == "view" else first_record.name
        if group.is_update and len(group.records) > 1:
            op_type = f"Fused{first_record.name}{group.records[-1].name}"
        return Kernel(
            name=f"{first_record.scope or 'Default'}/{op_type}-op{group.kernel_number}",
            op_type=op_type,
            us=round_to_grid(max(spec.kernel_floor_us, fixed_us + max(work_us, memory_us))),
            lane={"aicpu": "AI CPU", "hccl": "HCCL"}.get(engine, "AI Core"),
            kind=first_record.kind,
            scope=first_record.scope,
            line=first_record.line,
            compute_us=work.us,
            memory_us=memory_us,
            nbytes=round(nbytes),
            cube_flops=work.cube_flops,
            vector_flops=work.vector_flops,
            cores=work.cores,
            ops=tuple(part.name for r in group.records for part in r.parts or (r,)),
            inserted=group.is_inserted or engine == "view",
        )

    def _compute_work(self, records: Iterable[OpRecord]) -> _ComputeWork:
        """Return the compute time, operations and cores of the ops of a kernel."""
        spec = self.spec
        us = cube_flops = vector_flops = 0.0
        cores = int(spec.vector_cores)
        for record in records:
            cost = get_record_cost(record)
            if cost.engine == "cube":
                work = cube_work(record, spec)
                us += work.cycles / spec.clock_mhz
                if self.groups.is_float32_product(record):
                    us = max(us, spec.product_float32_us)
                cube_flops += work.flops
                cores = work.cores
            elif cost.engine == "fused":
                fused = self._compute_fused_work(record)
                us += fused.us
                cube_flops += fused.cube_flops
                vector_flops += fused.vector_flops
            elif cost.engine == "vector" and (record.inputs or record.outputs):
                largest = max(_list_moved_operands(record, cost), key=lambda o: o.size)
                lanes = spec.vector_bytes / max(2, largest.dtype.itemsize)
                work_per_element = (
                    cost.on_maps if cost.on_maps and is_feature_map(largest) else cost.work
                )
                vector_flops += work_per_element * largest.size
                us += work_per_element * largest.size / (lanes * spec.vector_cores * spec.clock_mhz)
                if cost.by_rows:
                    us = max(us, _count_indexed_rows(record) * spec.row_us / spec.vector_cores)
        return _ComputeWork(us, cube_flops, vector_flops, cores)

    def _compute_fused_work(self, record: OpRecord) -> _ComputeWork:
        """Return the work of the parts of a fused kernel, whose units work on different tiles.

        Its products read the dtype of the kernel's inputs; casts, transposes and broadcasts are
        part of their reads.
        """
        parts = defaultdict(list)
        for part in record.parts:
            engine = get_record_cost(part).engine
            if engine == "cube":
                dtype = record.inputs[0].dtype
                part = replace(part, inputs=tuple(o._replace(dtype=dtype) for o in part.inputs))
            if part.name not in ("BroadcastTo", "Cast", "Transpose"):
                parts[engine].append(part)
        cube, vector = (self._compute_work(parts[engine]) for engine in ("cube", "vector"))
        share = record.part_share
        return _ComputeWork(
            max(cube.us, vector.us) * share,
            cube.cube_flops * share,
            vector.vector_flops * share,
            cube.cores,
        )

    def _compute_traffic(self, group: Group) -> tuple[float, float]:
        """Return the bytes that a kernel moves, and their time in microseconds; its internal arrays
        are not moved.
        """
        internal_keys = {o.key for record in group.records for o in record.outputs}
        internal_uses = Counter(
            o.key for record in group.records for o in record.inputs if o.key in internal_keys
        )
        nbytes = us = 0.0
        # Each array is read once per kernel; an output is written unless only the kernel reads it.
        read_keys: set[Hashable] = set(internal_keys)
        for record in group.records:
            cost = get_record_cost(record)
            output_bytes = sum(self._compute_stored_bytes(o) for o in record.outputs)
            passes = 1.0 if self._has_sums_from_conv(record) else cost.reads
            gathered_bytes = _sum_gathered_bytes(record)
            row_share = _compute_row_share(record, cost)
            for index, operand in enumerate(record.inputs):
                if operand.key not in read_keys:
                    read_keys.add(operand.key)
                    stored_bytes = self._compute_stored_bytes(operand)
                    if cost.gathers:
                        read_bytes = min(stored_bytes, output_bytes)
                    elif operand.key in gathered_bytes:
                        read_bytes = min(stored_bytes, gathered_bytes[operand.key])
                    else:
                        share = row_share if index in record.mutates else 1.0
                        read_bytes = passes * share * stored_bytes
                    nbytes += read_bytes
                    us += self._compute_read_us(operand, read_bytes)
            for operand in record.outputs:
                if (
                    self.groups.use_counts[operand.key] > internal_uses[operand.key]
                    or not internal_uses[operand.key]
                ):
                    written_bytes = row_share * self._compute_stored_bytes(operand)
                    nbytes += written_bytes
                    us += written_bytes / self.hbm_bytes_per_us
                    self._note_access(operand.key, written_bytes)
        return nbytes, us

    def _compute_read_us(self, o: Operand, nbytes: float) -> float:
        """Return the time to read ``nbytes`` of an array, and record the access.

        The array is read from the L2 cache if few enough bytes have passed through the cache since
        the last access.
        """
        stored_bytes = self._compute_stored_bytes(o)
        reuse_distance = self.l2_traffic - self.last_access.get(o.key, -math.inf) + stored_bytes
        self._note_access(o.key, min(nbytes, stored_bytes))
        is_cached = reuse_distance <= self.spec.l2_bytes
        return nbytes / (self.l2_bytes_per_us if is_cached else self.hbm_bytes_per_us)

    def _note_access(self, key: Hashable, nbytes: float) -> None:
        """Count ``nbytes`` that pass through the L2 cache, and record the access to an array."""
        self.l2_traffic += nbytes
        self.last_access[key] = self.l2_traffic

    def _has_sums_from_conv(self, record: OpRecord) -> bool:
        """Whether ``record`` is a normalisation whose sums are computed by the kernel of a cube op.

        Only on devices that fuse ops.
        """
        if record.name not in NORMS or self.spec.fused_ops <= 1:
            return False
        producer = self.groups.producers.get(record.inputs[0].key)
        return producer is not None and producer.cost.engine == "cube"

    def _compute_stored_bytes(self, o: Operand) -> float:
        """Return the bytes of an array in device memory, with feature maps in channel blocks."""
        block = int(self.spec.channel_block)
        if block > 1 and o.key in self.groups.feature_map_keys:
            n, c, h, w = o.shape
            return n * (-(-c // block) * block) * h * w * o.dtype.itemsize
        return o.nbytes


def _list_moved_operands(record: OpRecord, cost: OpCost) -> Sequence[Operand]:
    """Return the operands whose elements all pass through the cores: all except the inputs of a
    gather and arrays in which an op changes rows in place.
    """
    if cost.gathers and record.outputs:
        return record.outputs
    if cost.by_rows and record.mutates:
        return [o for i, o in enumerate(record.inputs) if i not in record.mutates]
    return (*record.inputs, *record.outputs)


def _compute_row_share(record: OpRecord, cost: OpCost) -> float:
    """Return the share of its array that a row-wise op changes in place; 1.0 for other ops."""
    if not (cost.by_rows and record.mutates):
        return 1.0
    updates = max(o.size for o in _list_moved_operands(record, cost))
    return min(1.0, updates / max(1, record.size))


def _sum_gathered_bytes(record: OpRecord) -> dict[Hashable, float]:
    """Return the bytes that a fused kernel reads from each input of which it only gathers rows,
    such as a key cache.
    """
    sources: dict[Hashable, Hashable] = {}  # of views
    gathered: defaultdict[Hashable, float] = defaultdict(float)
    complete: set[Hashable] = set()
    for part in record.parts:
        keys = [sources.get(o.key, o.key) for o in part.inputs]
        if part.is_view:
            sources[part.outputs[0].key] = keys[0]
        elif get_record_cost(part).gathers:
            gathered[keys[0]] += sum(o.nbytes for o in part.outputs)
            complete.update(keys[1:])
        else:
            complete.update(keys)
    return {key: nbytes for key, nbytes in gathered.items() if key not in complete}


def _count_indexed_rows(record: OpRecord) -> int:
    """Return the number of rows that a gather or scatter addresses; 0 if it has no indices."""
    indices = [o for o in record.inputs if o.dtype.kind in "iu"]
    if not indices:
        return 0
    rows = indices[-1].size
    return rows // max(1, indices[-1].shape[-1]) if record.name.endswith("Nd") else rows
