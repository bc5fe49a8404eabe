"""What a program costs on a device, from the shapes of its ops, computed once at compile.

A kernel takes ``kernel_us + max(compute, memory)`` microseconds:

* *cube* ops (convolutions and matrix products) compute padded 16 x 16 x 16 tiles; the tiles of the
  output are dealt to the cores, and a core reaches ``cube_efficiency`` of its peak. Where the cube
  can't take float32, the inputs pass through inserted Cast kernels, as on the real chip;
* *vector* ops compute ``work`` instructions an element on ``vector_bytes`` lanes;
* memory moves every input and output once (``reads`` times where an op needs several passes) at
  ``memory_gbs * memory_efficiency``; feature maps keep their channels in blocks of 16;
* elementwise ops ride in the kernel that makes their input, up to ``fused_ops`` of them, and save
  its trip to memory;
* views cost nothing, unless the layout of a feature map changes (TransData).

All of it is a model. Counts (kernels, tiles, bytes) are exact for the program given; times are not.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from minispore.device.records import FORWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.spec import DeviceSpec
from minispore.device.timeline import on_grid


class OpCost(NamedTuple):
    """How the cost model sees one op name."""

    engine: str = "vector"  # vector, cube, view, aicpu, hccl or free
    work: float = 1.0  # vector instructions per element of the largest operand
    reads: float = 1.0  # how often the inputs are read
    kernels: int = 1
    elementwise: bool = False  # may ride in the kernel that makes its input
    gathers: bool = False  # reads only the rows that it hands out


def _same(names: str, cost: OpCost) -> dict[str, OpCost]:
    return dict.fromkeys(names.split(), cost)


#: Op name -> how it is priced; a name that is not here is a vector op that moves each operand once.
TABLE: dict[str, OpCost] = {
    **_same(
        """Conv2D Conv2DTranspose Conv2DBackpropInput Conv2DBackpropFilter DepthwiseConv2dNative
        Conv3D Conv3DTranspose Conv3DBackpropInput Conv3DBackpropFilter
        MatMul BatchMatMul Dense""",
        OpCost("cube"),
    ),
    **_same(
        """Abs AccumulateNV2 Add AddN Assign AssignAdd AssignSub BiasAdd Cast Div DropoutDoMask
        DropoutGrad Equal Fill Greater GreaterEqual LeakyReLU Less LessEqual LogicalAnd LogicalNot
        LogicalOr Maximum Minimum Mul Neg NotEqual OnesLike ReLU ReLU6 ReLU6Grad RealDiv Reciprocal
        ReluGrad Rsqrt Select Sign Sqrt Square Sub TensorAdd ZerosLike""",
        OpCost(elementwise=True),
    ),
    **_same(
        """Cos Elu EluGrad Erf Exp FastGeLU FloorDiv GeLU GeLUGrad HSigmoid HSwish HSwishGrad Log
        Mish Pow SiLU Sigmoid SigmoidGrad Sin Softplus SoftplusGrad Swish Tanh TanhGrad""",
        OpCost(work=8.0, elementwise=True),
    ),
    "TransData": OpCost(),
    "Dropout": OpCost(work=4.0, elementwise=True),
    "BatchNorm": OpCost(work=4.0, reads=2.0, kernels=2),
    "BatchNormGrad": OpCost(work=6.0, reads=2.0, kernels=2),
    "LayerNorm": OpCost(work=6.0),
    "LayerNormGrad": OpCost(work=10.0, reads=2.0, kernels=2),
    "Softmax": OpCost(work=12.0),
    "LogSoftmax": OpCost(work=12.0),
    "SoftmaxCrossEntropyWithLogits": OpCost(work=14.0),
    "SparseSoftmaxCrossEntropyWithLogits": OpCost(work=14.0),
    "MaxPool": OpCost(work=9.0),
    "MaxPoolGrad": OpCost(work=18.0, reads=2.0),
    "AvgPool": OpCost(work=9.0),
    "AvgPoolGrad": OpCost(work=9.0),
    **_same(
        "EmbeddingLookup Gather GatherD GatherNd GatherV2 SparseGatherV2", OpCost(gathers=True)
    ),
    **_same("ScatterAdd ScatterNd TensorScatterAdd UnsortedSegmentSum", OpCost(work=4.0)),
    **_same(
        """DType Depend ExpandDims Flatten Identity Load MakeTuple Rank Reshape Shape Squeeze
        StopGradient TupleGetItem UpdateState""",
        OpCost("view"),
    ),
    **_same("GetNext", OpCost("free")),  # the schedule puts it on the AI CPU
    **_same(
        """DropoutGenMask NonZero Print RandomChoiceWithMask RandomNormal RandomUniform
        StandardNormal UniformReal Unique""",
        OpCost("aicpu"),
    ),
    **_same("AllGather AllReduce AllToAll Broadcast ReduceScatter", OpCost("hccl")),
    "Adam": OpCost(work=12.0),
    "Lamb": OpCost(work=24.0, reads=2.0, kernels=6),
}
_UNKNOWN = OpCost()
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
    output_bytes: int = 4  # what the host gets back: the loss
    gradients: tuple[tuple[float, int], ...] = ()  # (when it is ready, bytes), in that order
    device_us: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "device_us", sum(k.us for k in self.kernels))

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
) -> ProgramCost:
    """Price the ops of one step on ``spec``; ``batch`` are the columns that GetNext brings."""
    ops = [r for r in records if _cost_of(r).engine != "free"]
    pricing = _Pricing(ops, spec)
    kernels = tuple(pricing.kernels())
    ends = list(accumulate((k.us for k in kernels), initial=0.0))
    gradients = []
    for r in ops:
        if r.kind == OPTIMIZER:
            sizes = {o.size for o in r.inputs if o.param}
            for o in r.inputs:
                made = pricing.made_by.get(o.key)
                if made is not None and not o.param and o.size in sizes:
                    gradients.append((ends[made.number + 1], o.nbytes))
    return ProgramCost(
        spec,
        kernels,
        input_bytes=sum(o.nbytes for o in batch),
        input_columns=max(1, len(batch)),
        gradients=tuple(sorted(gradients)),
    )


def _cost_of(record: OpRecord) -> OpCost:
    found = TABLE.get(record.name)
    if found is None:
        return OpCost("view") if record.view else _UNKNOWN
    return found


@dataclass
class _Group:
    """Ops that run as one kernel."""

    records: list[OpRecord]
    index: int  # of the first one
    cost: OpCost
    inserted: bool = False
    number: int = 0  # of the kernel


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

    def kernels(self) -> Iterable[Kernel]:
        """The kernels in order."""
        cast: set[Hashable] = set()
        for index, record in enumerate(self.ops):
            cost = _cost_of(record)
            if cost.engine == "view" and not self._changes_layout(record):
                host = self.made_by.get(record.inputs[0].key) if record.inputs else None
                for o in record.outputs:
                    if host is not None:
                        self.made_by[o.key] = host
                continue
            if cost.engine == "cube":
                self._insert_before(record, index, cast)
                if self._casts(record.outputs[0]) and record.name != "Conv2DBackpropFilter":
                    self._cast_after(record, index)
                    continue
            self._place(record, cost, index)
        for number, group in enumerate(self.groups):
            group.number = number
            yield self._price(group, number)

    def _changes_layout(self, record: OpRecord) -> bool:
        """A feature map (N, C1, H, W, C0) that becomes a matrix, or the other way round."""
        if self.spec.channel_block == 1 or not record.inputs or not record.outputs:
            return False
        x, y = record.inputs[0], record.outputs[0]
        if x.param or (len(x.shape) == 4) == (len(y.shape) == 4):
            return False
        image = x if len(x.shape) == 4 else y
        return _is_float(x) and image.shape[2] * image.shape[3] > 1

    def _place(self, record: OpRecord, cost: OpCost, index: int, *, inserted: bool = False) -> None:
        host = self._host(record, cost, index)
        if host is None:
            host = _Group([], index, cost, inserted)
            self.groups.append(host)
        host.records.append(record)
        for o in record.outputs:
            self.made_by[o.key] = host

    def _casts(self, o: Operand) -> bool:
        return not self.spec.cube_macs_float32 and o.dtype == np.float32 and o.size > 1

    def _insert_before(self, record: OpRecord, index: int, done: set[Hashable]) -> None:
        """Kernels that no op asked for: the batch into blocks of channels, float32 into float16."""
        for o in record.inputs:
            if o.key in done:
                continue
            done.add(o.key)
            name = "Cast" if self._casts(o) else "TransData" if self._arrives_flat(o) else ""
            if name:
                half = Operand((name, o.key), o.shape, _TO_FLOAT16)
                extra = OpRecord(name, (o,), (half,), {}, record.kind, record.scope, record.line)
                self._place(extra, TABLE[name], index, inserted=True)

    def _arrives_flat(self, o: Operand) -> bool:
        """A feature map that no kernel made: it came with the batch, in rows of W."""
        return (
            self.spec.channel_block > 1
            and len(o.shape) == 4
            and not o.param
            and _is_float(o)
            and o.key not in self.made_by
        )

    def _cast_after(self, record: OpRecord, index: int) -> None:
        """The cube hands out float16; what asked for float32 gets it from a Cast."""
        wide = record.outputs[0]
        half = Operand(("cube", wide.key), wide.shape, _TO_FLOAT16)
        self.uses[half.key] += 1
        self._place(replace(record, outputs=(half,)), TABLE[record.name], index)
        back = OpRecord("Cast", (half,), (wide,), {}, record.kind, record.scope, record.line)
        self.groups.append(_Group([back], index, TABLE["Cast"], inserted=True))
        self.made_by[wide.key] = self.groups[-1]

    def _host(self, record: OpRecord, cost: OpCost, index: int) -> _Group | None:
        """The group whose kernel ``record`` can ride in: it made the newest input, of the same
        size."""
        if not record.outputs or not record.inputs:
            return None
        size = record.outputs[0].size
        made = [
            self.made_by[o.key] for o in record.inputs if o.size == size and o.key in self.made_by
        ]
        if not made:
            return None
        group = max(made, key=lambda g: g.index)
        head = group.cost
        if record.name == "BatchNorm" and self.spec.fused_ops > 1:
            return None
        if not cost.elementwise or len(group.records) >= self.spec.fused_ops:
            return None
        if not (head.elementwise or head.engine == "cube" or group.records[0].name == "BatchNorm"):
            return None
        if group.records[0].kind != record.kind:
            return None
        return group

    def _price(self, group: _Group, number: int) -> Kernel:
        spec, first = self.spec, group.records[0]
        inside = {o.key for r in group.records for o in r.outputs}
        used_inside = Counter(o.key for r in group.records for o in r.inputs if o.key in inside)
        nbytes = memory_us = 0.0
        seen: set[Hashable] = set()
        for r in group.records:
            c = _cost_of(r)
            out_bytes = sum(self._stored(o) for o in r.outputs)
            reads = c.reads
            if r.name == "BatchNorm" and self._after_conv(r):
                reads = 1.0  # the convolution's kernel sums up while it writes
            for o in r.inputs:
                if o.key in inside or o.key in seen:
                    continue
                seen.add(o.key)
                size = min(self._stored(o), out_bytes) if c.gathers else reads * self._stored(o)
                nbytes += size
                memory_us += self._read_us(o, size)
            for o in r.outputs:
                if self.uses[o.key] > used_inside[o.key] or not used_inside[o.key]:
                    nbytes += self._stored(o)
                    memory_us += self._stored(o) / self.hbm_bytes_per_us
                    self._pass(o.key, self._stored(o))
        cube_us = cube_flops = 0.0
        cores = int(spec.vector_cores)
        vector_flops = 0.0
        for r in group.records:
            c = _cost_of(r)
            if c.engine == "cube":
                work = cube_work(r, spec)
                cube_us += work.cycles / spec.clock_mhz / spec.cube_efficiency
                cube_flops += work.flops
                cores = work.cores
            elif c.engine == "vector":
                largest = max((o for o in (*r.inputs, *r.outputs)), key=lambda o: o.size)
                lanes = spec.vector_bytes / max(2, largest.dtype.itemsize)
                vector_flops += c.work * largest.size
                cube_us += c.work * largest.size / (lanes * spec.vector_cores * spec.clock_mhz)
        fixed = spec.kernel_us * (group.cost.kernels if first.name not in _SPLIT_FUSED else 1)
        lane, op_type = "AI Core", first.name
        if first.name in _SPLIT_FUSED and not self._after_conv(first):
            fixed = spec.kernel_us * group.cost.kernels
        if group.cost.engine == "aicpu":
            lane, fixed = "AI CPU", spec.aicpu_kernel_us
        elif group.cost.engine == "hccl":
            lane = "HCCL"
        elif group.cost.engine == "view":
            op_type = "TransData"
        names = tuple(r.name for r in group.records)
        return Kernel(
            name=f"{first.scope or 'Default'}/{op_type}-op{number}",
            op_type=op_type,
            us=on_grid(max(spec.kernel_floor_us, fixed + max(cube_us, memory_us))),
            lane=lane,
            kind=first.kind,
            scope=first.scope,
            line=first.line,
            compute_us=cube_us,
            memory_us=memory_us,
            nbytes=round(nbytes),
            cube_flops=cube_flops,
            vector_flops=vector_flops,
            cores=cores,
            ops=names,
            inserted=group.inserted or op_type == "TransData",
        )

    def _read_us(self, o: Operand, nbytes: float) -> float:
        """An array that passed through the L2 cache less than its capacity ago is still there."""
        since = self.moved - self.last_moved.get(o.key, -math.inf) + self._stored(o)
        self._pass(o.key, self._stored(o))
        fits = since <= self.spec.l2_bytes
        return nbytes / (self.l2_bytes_per_us if fits else self.hbm_bytes_per_us)

    def _pass(self, key: Hashable, nbytes: float) -> None:
        self.moved += nbytes
        self.last_moved[key] = self.moved

    def _after_conv(self, record: OpRecord) -> bool:
        host = self.made_by.get(record.inputs[0].key)
        return self.spec.fused_ops > 1 and host is not None and host.cost.engine == "cube"

    def _stored(self, o: Operand) -> float:
        """Bytes in device memory: the channels of a feature map come in blocks."""
        block = int(self.spec.channel_block)
        if block > 1 and len(o.shape) == 4 and _is_float(o) and o.shape[2] * o.shape[3] > 1:
            n, c, h, w = o.shape
            return n * (-(-c // block) * block) * h * w * o.dtype.itemsize
        return o.nbytes


_SPLIT_FUSED = frozenset({"BatchNorm"})


def _is_float(o: Operand) -> bool:
    return o.dtype.kind == "f"


class CubeWork(NamedTuple):
    """What a cube op asks of the cube units."""

    cycles: float  # of the busiest core, at one padded tile a cycle
    flops: float  # with padding
    cores: int


def cube_work(record: OpRecord, spec: DeviceSpec) -> CubeWork:
    """Tiles of a cube op and how they are dealt to the cores.

    The tiles of the output are the units of work; a weight gradient, whose output is small and
    whose sum is long, also splits the batch.
    """
    blocks, depth, splits = _tiles(record, int(spec.cube_tile))
    cores = min(int(spec.ai_cores), blocks * splits)
    rounds = math.ceil(blocks * splits / cores)  # output tiles that the busiest core makes
    macs = spec.cube_macs
    if spec.cube_macs_float32 and record.inputs[0].dtype.itemsize > 2:
        macs = spec.cube_macs_float32
    tile_macs = int(spec.cube_tile) ** 3
    cycles = rounds * depth / splits * tile_macs / macs
    return CubeWork(cycles, 2.0 * blocks * depth * tile_macs, cores)


def _tiles(record: OpRecord, tile: int) -> tuple[int, float, int]:
    """(output tiles, tiles summed into each, parts that the sum may be split into)."""

    def up(n: float) -> int:
        return math.ceil(n / tile)

    name, attrs = record.name, record.attrs
    if name in ("MatMul", "BatchMatMul", "Dense"):
        a, out = record.inputs[0].shape, record.outputs[0].shape
        turned = attrs.get("transpose_a", attrs.get("transpose_x1", False))
        inner = a[-2] if turned and len(a) > 1 else a[-1]
        rows = math.prod(out[:-1]) if name != "BatchMatMul" else out[-2]
        batch = math.prod(out[:-2]) if name == "BatchMatMul" else 1
        return (
            batch * up(rows) * up(out[-1] if len(out) > 1 else 1),
            up(inner),
            1 if (batch > 1) else max(1, up(inner) // 8),
        )
    image, weight, output = _conv_shapes(record)
    group = int(attrs.get("group", 1))
    if name == "DepthwiseConv2dNative":
        group = image[1]
    spatial = math.prod(weight[2:])
    c_in, c_out = max(1, image[1] // group), max(1, output[1] // group)
    packed = max(1, min(group, tile // max(c_in, c_out, 1)))  # small groups share a tile
    groups = math.ceil(group / packed)
    pixels = output[0] * math.prod(output[2:])
    in_tiles, out_tiles = up(c_in * packed), up(c_out * packed)
    if name == "Conv2DBackpropInput":
        pixels_in = image[0] * math.prod(image[2:])
        stride = max(1, round(pixels_in / max(1, pixels)))  # zeros between strides are skipped
        return groups * up(pixels_in) * in_tiles, spatial * out_tiles / stride, 1
    if name == "Conv2DBackpropFilter":
        return groups * spatial * in_tiles * out_tiles, up(pixels), output[0]
    return groups * up(pixels) * out_tiles, spatial * in_tiles, 1


def _conv_shapes(
    record: OpRecord,
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Shapes of the feature map read, the weight, and the feature map made, of any op of the
    triad."""
    shapes: list[Any] = [o.shape for o in record.inputs]
    out = record.outputs[0].shape
    if record.name == "Conv2DBackpropInput":  # (dout, weight) -> x
        return out, shapes[1], shapes[0]
    if record.name == "Conv2DBackpropFilter":  # (dout, x) -> weight
        return shapes[1], out, shapes[0]
    if record.name == "Conv2DTranspose":  # the same as a backprop to the input
        return out, shapes[1], shapes[0]
    return shapes[0], shapes[1], out
