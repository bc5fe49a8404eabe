"""Which ops of a program run together as one kernel, and what the device inserts between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from minispore.core.registry import registry
from minispore.device.model.maps import feature_maps, is_float, is_map
from minispore.device.model.records import BACKWARD, FORWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.model.spec import DeviceSpec
from minispore.device.model.table import OpCost, cost_of, price

NORMS = frozenset({"BatchNorm", "BatchNormTrain"})
_TO_FLOAT16 = np.dtype(np.float16)


@dataclass(eq=False)
class Group:
    """Ops that run as one kernel."""

    records: list[OpRecord]
    index: int  # of the first one
    cost: OpCost
    inserted: bool = False
    updates: bool = False  # elements of one parameter, or scalars, by an optimizer
    readers: list[Group] = field(default_factory=list)  # the groups that read its outputs
    into: Group | None = None  # the group that does what this one did
    number: int = 0  # of the kernel

    @property
    def size(self) -> int:
        """The elements of what it makes."""
        return self.records[0].outputs[0].size

    def now(self) -> Group:
        """The group that this one has become."""
        found = self
        while found.into is not None:
            found = found.into
        return found


class Grouping:
    """Groups the ops of one program."""

    def __init__(self, ops: list[OpRecord], spec: DeviceSpec) -> None:
        self.ops, self.spec = ops, spec
        self.uses: Counter[Hashable] = Counter(o.key for r in ops for o in r.inputs)
        self.made_by: dict[Hashable, Group] = {}
        self.groups: list[Group] = []
        self.scalars: list[Group] = []  # those in which an optimizer computes single numbers
        self.images = feature_maps(ops)
        self.as_given = {o.key for r in ops for o in r.inputs if o.param}
        made = {o.key for r in ops for o in r.outputs}
        self.raw = {o.key for r in ops for o in r.inputs if o.key not in made and not o.param}
        for r in ops:
            for same in (self.as_given, self.raw):
                if r.name == "Cast" and r.inputs and r.inputs[0].key in same:
                    same.update(o.key for o in r.outputs)
        # How many ops of the forward pass come from one line of one Cell.
        self.forward = Counter(
            (r.scope, r.line) for r in ops if r.kind == FORWARD and cost_of(r).engine == "vector"
        )
        self.weights = {o.shape for r in ops for o in r.inputs if o.param and len(o.shape) > 1}

    def grouped(self) -> list[Group]:
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
            if cost.engine == "cube" and not self.slow(record):
                self._insert_before(record, index, cast)
                if self._casts(record.outputs[0]) and not adds_up:
                    self._cast_after(record, index)
                    continue
            self._place(record, cost, index)
            if adds_up and registry[record.name].multiplies == "product":
                self._turn(record.outputs[0], record, index)  # as the weight lies for its update
        found = [g for g in self.groups if g.records]
        for number, group in enumerate(found):
            group.number = number
        return found

    def _changes_layout(self, record: OpRecord) -> bool:
        """A feature map (N, C1, H, W, C0) that becomes a matrix, or the other way round."""
        if self.spec.channel_block == 1 or not record.inputs or not record.outputs:
            return False
        return (record.inputs[0].key in self.images) != (record.outputs[0].key in self.images)

    def _place(self, record: OpRecord, cost: OpCost, index: int, *, inserted: bool = False) -> None:
        updates = record.kind == OPTIMIZER and self.spec.fused_ops > 1
        host = (
            self._chain(record, cost)
            if updates
            else self._derivative(record, cost) or self._host(record, cost)
        )
        if host is None:
            host = Group([], index, cost, inserted, updates and _is_update(record, cost))
            self.groups.append(host)
            if host.updates and record.outputs[0].size == 1:
                self.scalars.append(host)
        host.records.append(record)
        for o in record.inputs:
            if o.key in self.made_by:
                self.made_by[o.key].readers.append(host)
        for o in record.outputs:
            self.made_by[o.key] = host

    def slow(self, record: OpRecord) -> bool:
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
        self.groups.append(Group([back], index, price("Cast"), inserted=True))
        self.made_by[wide.key] = self.groups[-1]

    def _host(self, record: OpRecord, cost: OpCost) -> Group | None:
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

    def _chain(self, record: OpRecord, cost: OpCost) -> Group | None:
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
        return self._merged(found)

    def _derivative(self, record: OpRecord, cost: OpCost) -> Group | None:
        """The group of one op's derivative: on the chip it is one kernel (GeluGrad), in however
        many ops it is written.
        """
        fuses = self.spec.fused_ops > 1 and cost.elementwise and record.kind == BACKWARD
        place = (record.scope.removeprefix("Gradients."), record.line)
        if not fuses or not record.outputs or self.forward[place] != 1:
            return None
        size = record.outputs[0].size
        made = [self.made_by[o.key] for o in record.inputs if o.key in self.made_by]
        found = {
            id(g): g
            for g in made
            if g.size == size
            and g.cost.elementwise
            and all((r.scope, r.line) == (record.scope, record.line) for r in g.records)
        }
        return self._merged(found)

    def _merged(self, found: dict[int, Group]) -> Group | None:
        """The newest of some groups, with the others in it where nobody else has read them."""
        if not found:
            return None
        newest = max(found.values(), key=lambda g: g.index)
        for older in found.values():
            if older is not newest and all(g.now() in (older, newest) for g in older.readers):
                self._join(older, newest)
        return newest

    def _join(self, older: Group, newest: Group) -> None:
        """Let ``newest`` do what ``older`` did, whose outputs nobody else has read."""
        newest.records[:0] = older.records
        newest.readers += older.readers
        older.into = newest
        for r in older.records:
            for o in r.outputs:
                self.made_by[o.key] = newest
        older.records = []


def _is_update(record: OpRecord, cost: OpCost) -> bool:
    """Whether an optimizer's op goes over elements one by one: Mul, Sqrt, ApplyMomentum, ..."""
    return (cost.elementwise or bool(record.mutates)) and bool(record.outputs)
