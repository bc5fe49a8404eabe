"""Grouping: which ops of a program run as one kernel, and which kernels the device inserts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from minispore.device.model.feature_maps import (
    find_feature_maps,
    is_feature_map,
    is_float,
    use_relu_masks,
)
from minispore.device.model.records import BACKWARD, FORWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.model.roles import has_role
from minispore.device.model.spec import DeviceSpec
from minispore.device.model.table import OpCost, get_op_cost, get_record_cost

NORMS = frozenset({"BatchNorm", "BatchNormTrain"})
#: Row-wise ops into whose kernels elementwise ops are fused, as in SoftmaxGradExt.
ROW_OPS = frozenset(
    {*("Softmax", "ShiftedSoftmax", "SoftmaxGrad", "LayerNorm", "RmsNorm", "RmsNormGrad")}
)
_TO_FLOAT16 = np.dtype(np.float16)


@dataclass(eq=False)
class Group:
    """Ops that run as one kernel of the device."""

    records: list[OpRecord]
    index: int  # index of the first op
    cost: OpCost
    is_inserted: bool = False
    is_update: bool = False  # an optimizer's update of one parameter's elements, or of scalars
    readers: list[Group] = field(default_factory=list)  # the groups that read its outputs
    merged_into: Group | None = None  # the group that the records were moved to
    kernel_number: int = 0  # index of the kernel in program order

    @property
    def size(self) -> int:
        """The number of elements of the group's first output; 0 without outputs."""
        return self.records[0].size

    def find_merged(self) -> Group:
        """Return the group that this one was merged into, or the group itself."""
        group = self
        while group.merged_into is not None:
            group = group.merged_into
        return group


class Grouping:
    """Groups the ops of one program into kernels; :meth:`make_groups` does the work."""

    def __init__(self, ops: list[OpRecord], spec: DeviceSpec) -> None:
        self.feature_map_keys = find_feature_maps(ops)
        if spec.channel_block > 1 and spec.fused_ops > 1:
            ops = use_relu_masks(ops)
        self.ops, self.spec = ops, spec
        self.use_counts: Counter[Hashable] = Counter(o.key for r in ops for o in r.inputs)
        self.producers: dict[Hashable, Group] = {}
        self.effect_groups: dict[int, Group] = {}  # for ops without outputs, by the record's id
        self.groups: list[Group] = []
        self.scalar_updates: list[Group] = []  # groups in which an optimizer computes scalars
        self.param_keys = {o.key for r in ops for o in r.inputs if o.param}
        produced_keys = {o.key for r in ops for o in r.outputs}
        self.input_keys = {
            o.key for r in ops for o in r.inputs if o.key not in produced_keys and not o.param
        }
        for r in ops:
            for keys in (self.param_keys, self.input_keys):
                is_copy = r.name in ("Cast", "Transpose") or r.is_view
                if is_copy and r.inputs and r.inputs[0].key in keys:
                    keys.update(o.key for o in r.outputs)
        # The number of vector ops in the forward pass for each line of each Cell.
        self.forward_counts = Counter(
            (r.scope, r.line)
            for r in ops
            if r.kind == FORWARD and get_record_cost(r).engine == "vector"
        )
        self.parameter_gradient_keys = _find_parameter_gradients(ops)

    def make_groups(self) -> list[Group]:
        """Group all ops into kernels, in order; inserts the device's casts and layout changes.

        Views get no kernel. Also numbers the groups.
        """
        converted_keys: set[Hashable] = set()
        for index, record in enumerate(self.ops):
            cost = get_record_cost(record)
            if cost.engine == "view" and not self._changes_layout(record):
                producer = self.producers.get(record.inputs[0].key) if record.inputs else None
                for o in record.outputs:
                    if producer is not None:
                        self.producers[o.key] = producer
                continue
            adds_partial_sums = self._adds_partial_sums(record, cost)
            if adds_partial_sums:
                record = self._insert_zero_fill(record, cost, index)
            if cost.on_maps and is_feature_map(record.inputs[0]):
                self._insert_layout_change(record.inputs[0], record, index)  # for ops over pixels
            if cost.engine == "cube" and not self.is_float32_product(record):
                self._insert_input_kernels(record, index, converted_keys)
                if self._needs_float16_cast(record.outputs[0]) and not adds_partial_sums:
                    self._add_with_output_cast(record, index)
                    continue
            self._add_to_group(record, cost, index)
            if adds_partial_sums and has_role(record.name, "product") and self.spec.weight_blocks:
                # To the layout of the weight.
                self._insert_layout_change(record.outputs[0], record, index)
        self.producers = {key: group.find_merged() for key, group in self.producers.items()}
        groups = [g for g in self.groups if g.records]
        for number, group in enumerate(groups):
            group.kernel_number = number
        return groups

    def _changes_layout(self, record: OpRecord) -> bool:
        """Whether a view turns a feature map (N, C1, H, W, C0) into a matrix, or the reverse."""
        if self.spec.channel_block == 1 or not record.inputs or not record.outputs:
            return False
        return (record.inputs[0].key in self.feature_map_keys) != (
            record.outputs[0].key in self.feature_map_keys
        )

    def _add_to_group(
        self, record: OpRecord, cost: OpCost, index: int, *, is_inserted: bool = False
    ) -> None:
        """Add ``record`` to the group whose kernel can compute it, too, or to a new group.

        Also records the group as the producer of the outputs and as a reader of the inputs.
        """
        is_update = record.kind == OPTIMIZER and self.spec.fused_ops > 1
        if is_update:
            group = self._find_update_group(record, cost)
        else:
            group = self._find_derivative_group(record, cost)
            group = group or self._find_fusion_group(record, cost)
        if group is None:
            group = Group([], index, cost, is_inserted, is_update and _is_update(record, cost))
            self.groups.append(group)
            if group.is_update and record.size == 1:
                self.scalar_updates.append(group)
        group.records.append(record)
        for producer in self._find_producers(record.inputs):
            producer.readers.append(group)
        for o in record.outputs:
            self.producers[o.key] = group
        if not record.outputs:
            self.effect_groups[id(record)] = group

    def _find_producers(self, operands: Iterable[Operand]) -> list[Group]:
        """Return the groups that compute the operands, or the arrays of which they are views;
        operands without a producer are left out.
        """
        return [self.producers[o.key].find_merged() for o in operands if o.key in self.producers]

    def is_float32_product(self, record: OpRecord) -> bool:
        """Whether an op is a matrix product of float32 inputs and output, on a cube that does not
        support float32. It has no Cast kernels, and takes at least ``product_float32_us``.
        """
        is_product = has_role(record.name, "product")
        return is_product and all(
            map(self._needs_float16_cast, (*record.inputs[:2], record.outputs[0]))
        )

    def _adds_partial_sums(self, record: OpRecord, cost: OpCost) -> bool:
        """Whether cores add partial sums to one output, as in a weight gradient."""
        is_weight_gradient = (
            cost.engine == "cube"
            and record.kind == BACKWARD
            and record.outputs[0].key in self.parameter_gradient_keys
            # The gradient of the other factor of a weight may also be a parameter's gradient.
            and self.param_keys.isdisjoint(o.key for o in record.inputs)
        )
        return bool(self.spec.partial_sums) and (cost.adds_up or is_weight_gradient)

    def _insert_zero_fill(self, record: OpRecord, cost: OpCost, index: int) -> OpRecord:
        """Insert a MemSet kernel for the output of ``record``; return the record, whose output
        becomes float32 for a cube op.
        """
        out = record.outputs[0]
        if cost.engine == "cube":
            out = out._replace(dtype=np.dtype(np.float32))
        zeros = Operand(("MemSet", out.key), out.shape, out.dtype)
        zero_fill = OpRecord("MemSet", (), (zeros,), {}, record.kind, record.scope, record.line)
        self._add_to_group(zero_fill, get_op_cost("MemSet"), index, is_inserted=True)
        return replace(record, outputs=(out, *record.outputs[1:]))

    def _insert_layout_change(self, o: Operand, record: OpRecord, index: int) -> None:
        """Insert a TransData kernel that converts ``o``'s layout; does nothing on chips without
        channel blocks.
        """
        if self.spec.channel_block > 1:
            converted = Operand(("TransData", o.key), o.shape, o.dtype)
            layout_change = OpRecord(
                "TransData", (o,), (converted,), {}, record.kind, record.scope, record.line
            )
            self._add_to_group(layout_change, get_op_cost("TransData"), index, is_inserted=True)

    def _needs_float16_cast(self, o: Operand) -> bool:
        """Whether an array is float32, not a scalar, and must be cast to float16 because the cube
        does not support float32.
        """
        return not self.spec.cube_macs_float32 and o.dtype == np.float32 and o.size > 1

    def _insert_input_kernels(
        self, record: OpRecord, index: int, converted_keys: set[Hashable]
    ) -> None:
        """Insert the kernels that convert the inputs of a cube op, each array once.

        These are Cast for float32, and TransData for weights and unblocked feature maps.
        """
        for operand in record.inputs:
            if operand.key in converted_keys:
                continue
            converted_keys.add(operand.key)
            name = "TransData" if self._needs_channel_blocks(operand) else ""
            if self._needs_float16_cast(operand):
                name = "Cast"
            if (
                operand.key in self.param_keys
                and len(operand.shape) == 2
                and self.spec.weight_blocks
            ):
                self._insert_layout_change(operand, record, index)  # a matrix product's weight
            if name:
                converted = Operand((name, operand.key), operand.shape, _TO_FLOAT16)
                conversion = OpRecord(
                    name, (operand,), (converted,), {}, record.kind, record.scope, record.line
                )
                self._add_to_group(conversion, get_op_cost(name), index, is_inserted=True)

    def _needs_channel_blocks(self, o: Operand) -> bool:
        """Whether ``o`` is a feature map of the program's input, without channel blocks."""
        return (
            self.spec.channel_block > 1
            and len(o.shape) == 4
            and not o.param
            and is_float(o)
            and (o.key not in self.producers or o.key in self.input_keys)
        )

    def _add_with_output_cast(self, record: OpRecord, index: int) -> None:
        """Add a cube op with a float16 output, and a Cast kernel of that output to float32."""
        output = record.outputs[0]
        float16_output = Operand(("cube", output.key), output.shape, _TO_FLOAT16)
        self.use_counts[float16_output.key] += 1
        self._add_to_group(
            replace(record, outputs=(float16_output,)), get_op_cost(record.name), index
        )
        cast = OpRecord(
            "Cast", (float16_output,), (output,), {}, record.kind, record.scope, record.line
        )
        self.groups.append(Group([cast], index, get_op_cost("Cast"), is_inserted=True))
        self.producers[output.key] = self.groups[-1]

    def _find_fusion_group(self, record: OpRecord, cost: OpCost) -> Group | None:
        """Return the group into which an elementwise op is fused, or None.

        It is the group of the newest input of the same size, if its kernel can take more ops. The
        kernel of a product can also write its output transposed.
        """
        is_transpose = record.name == "Transpose"
        if not (cost.elementwise or is_transpose) or not record.outputs:
            return None
        size = record.size
        candidates = self._find_producers([o for o in record.inputs if o.size == size])
        if not candidates:
            return None
        group = max(candidates, key=lambda g: g.index)
        head = group.records[0]
        is_product = has_role(head.name, "product")
        accepts_fusion = (
            group.cost.elementwise or group.cost.engine == "cube" or head.name in NORMS | ROW_OPS
        )
        if is_transpose:
            accepts_fusion = is_product
        has_capacity = len(group.records) < self.spec.fused_ops
        return group if accepts_fusion and has_capacity and head.kind == record.kind else None

    def iterate_gradients(self) -> Iterable[tuple[int, int]]:
        """Yield (kernel number, bytes) of each parameter gradient that an optimizer op reads.

        Called after :meth:`make_groups`, which numbers the kernels.
        """
        shapes = {o.shape for r in self.ops for o in r.inputs if o.param}
        yielded_keys: set[Hashable] = set()
        for r in self.ops:
            for o in r.inputs if r.kind == OPTIMIZER else ():
                producer = self.producers.get(o.key)
                if producer is None or o.key in yielded_keys or o.param or o.shape not in shapes:
                    continue
                if producer.records[0].kind != OPTIMIZER:
                    yielded_keys.add(o.key)
                    yield producer.kernel_number, o.nbytes

    def _find_update_group(self, record: OpRecord, cost: OpCost) -> Group | None:
        """Find the group of an optimizer's op; None if it begins a new one or is not elementwise.

        All elementwise ops of an optimizer on one parameter form one kernel, as in
        FusedMulApplyMomentum, and so do successive ops on scalars. Groups that this op connects are
        merged.
        """
        if not _is_update(record, cost):
            return None
        size = record.size
        producers = self._find_producers(record.inputs)
        candidates = {id(g): g for g in producers if g.is_update and g.size == size}
        if size == 1 and not candidates:
            newest_input = max((g.index for g in producers), default=-1)
            return next((g for g in self.scalar_updates if g.index > newest_input), None)
        return self._merge_groups(candidates)

    def _find_derivative_group(self, record: OpRecord, cost: OpCost) -> Group | None:
        """Return the group of an op in the derivative of one forward op, or None for a new one.

        On the chip such a derivative is one kernel (GeluGrad), however many ops it consists of.
        Groups that this op connects are merged.
        """
        can_fuse = self.spec.fused_ops > 1 and cost.elementwise and record.kind == BACKWARD
        source_line = (record.scope.removeprefix("Gradients."), record.line)
        if not can_fuse or not record.outputs or self.forward_counts[source_line] != 1:
            return None
        size = record.size
        producers = self._find_producers(record.inputs)
        candidates = {
            id(g): g
            for g in producers
            if g.size == size
            and g.cost.elementwise
            and all((r.scope, r.line) == (record.scope, record.line) for r in g.records)
        }
        return self._merge_groups(candidates)

    def _merge_groups(self, candidates: dict[int, Group]) -> Group | None:
        """Merge groups into the newest of them and return it; None if there are none.

        A group is not merged if a group other than the newest has read its outputs.
        """
        if not candidates:
            return None
        newest = max(candidates.values(), key=lambda g: g.index)
        for older in candidates.values():
            if older is not newest and all(
                g.find_merged() in (older, newest) for g in older.readers
            ):
                self._move_records(older, newest)
        return newest

    def _move_records(self, older: Group, newest: Group) -> None:
        """Move the records and readers of group ``older`` to ``newest``; link ``older`` to it.

        ``older`` is left empty.
        """
        newest.records[:0] = older.records
        newest.readers += older.readers
        older.merged_into = newest
        older.records = []


def _find_parameter_gradients(ops: Sequence[OpRecord]) -> set[Hashable]:
    """Return the keys of the backward pass's arrays that become a parameter's gradient.

    These are arrays that an optimizer reads, or that no op reads, or from which copies and
    elementwise ops lead to such an array.
    """
    read_keys = {o.key for r in ops for o in r.inputs}
    keys = {o.key for r in ops for o in r.inputs if r.kind == OPTIMIZER}
    for r in reversed(ops):
        if r.kind != BACKWARD:
            continue
        keys.update(o.key for o in r.outputs if o.key not in read_keys)
        keeps_elements = get_record_cost(r).elementwise or r.is_view or r.name == "Transpose"
        if keeps_elements and not keys.isdisjoint(o.key for o in r.outputs):
            keys.update(o.key for o in r.inputs)
    return keys


def _is_update(record: OpRecord, cost: OpCost) -> bool:
    """Whether an optimizer's op is elementwise, such as Mul, Sqrt or ApplyMomentum."""
    return (cost.elementwise or bool(record.mutates)) and bool(record.outputs)
