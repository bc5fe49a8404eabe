"""Tensor parallel: the ops of one step on one of ``rank_count`` ranks, and their collectives.

An array is complete on every rank, or split along one axis. Matrix products with a weight are split
by columns (every rank has some outputs) if their input is complete, by rows (every rank has a part
of each sum) if it is already split, or as a strategy says. Elementwise ops, reshapes,
transpositions and other products propagate a split if they can. A product whose sum is split needs
an AllReduce before any op except another sum; an op that needs a complete input needs an AllGather.

Source: Shoeybi et al., "Megatron-LM"; MindSpore's operator strategies (``Primitive.shard``).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

from minispore.device.model.records import BACKWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.model.roles import has_role
from minispore.ir.registry import registry

#: "column", "row" or "whole"; or the argument of MindSpore's ``shard``: the number of parts of each
#: axis of each input.
Strategy = str | tuple[tuple[int, ...], ...]
COLUMN, ROW, WHOLE = "column", "row", "whole"


class Exchange(NamedTuple):
    """One collective of a tensor-parallel group, at one op."""

    op: str  # AllReduce or AllGather
    nbytes: int  # bytes of the complete array
    op_index: int  # the index of the op that needs it
    kind: str  # kind of that op: forward, backward or optimizer


class Sharded(NamedTuple):
    """The records and collectives of one rank's step."""

    records: list[OpRecord]
    exchanges: list[Exchange]


def check_strategies(strategies: Mapping[str, Strategy], rank_count: int) -> None:
    """Raise ValueError for a strategy that can't split a matrix product on ``rank_count`` ranks.

    A strategy given by parts must have two inputs, each axis split into 1 or ``rank_count`` parts.
    """
    for pattern, strategy in strategies.items():
        if (
            strategy not in (COLUMN, ROW, WHOLE)
            and _parse_strategy(strategy, rank_count, False) is None
        ):
            raise ValueError(
                f"parallel_plan: strategies[{pattern!r}] must be 'column', 'row', 'whole' or the "
                f"parts of each axis of both inputs, in 1 or tensor={rank_count}, got {strategy!r}."
            )


def shard(
    records: Sequence[OpRecord], rank_count: int, strategies: Mapping[str, Strategy] | None = None
) -> Sharded:
    """Return the records and collectives of one of ``rank_count`` tensor-parallel ranks.

    ``strategies`` maps patterns of Cell paths or op names to the split of their products.

    Raises:
        ValueError: the ranks do not divide any weight, the weight that a strategy names, or the
            axes (such as attention heads) into which a split axis is reshaped.
    """
    if rank_count == 1:
        return Sharded(list(records), [])
    return _Sharding(rank_count, strategies or {}).shard_all(records)


class _Sharding:
    """The split of each array of a step, and the sharded step that is built from it."""

    def __init__(self, rank_count: int, strategies: Mapping[str, Strategy]) -> None:
        self.rank_count, self.strategies = rank_count, strategies
        self.axes: dict[Hashable, int] = {}  # array -> the axis along which it is split
        self.shapes: dict[Hashable, tuple[int, ...]] = {}
        self.weight_keys: set[Hashable] = set()  # Parameters, and their casts and transposes
        # (Parameter, its axes in the order of this array)
        self.weight_sources: dict[Hashable, tuple[Hashable, tuple[int, ...]]] = {}
        self.sliced_inputs: dict[Hashable, int] = {}  # complete inputs that a rank reads in part
        self.indivisible_lengths: set[int] = set()  # lengths of weights that stay complete
        self.partial_sums: set[Hashable] = set()  # each rank has a part of every element's sum
        self.read_keys: set[Hashable] = set()
        self.sharded = Sharded([], [])

    def shard_all(self, records: Sequence[OpRecord]) -> Sharded:
        """Choose the split weights, then shard each record; returns the sharded step."""
        self._choose_split_weights(records)
        self.read_keys = {o.key for record in records for o in record.inputs}
        for record in records:
            self._shard_op(record)
        return self.sharded

    # -- which weights are split -------------------------------------------------------------------

    def _choose_split_weights(self, records: Sequence[OpRecord]) -> None:
        """Choose the axis of each split Parameter, in one pass over the forward ops; keeps only
        these in ``axes``.

        Raises ValueError if no weight can be split and no strategy is given.
        """
        # Here `axes` also follows the activations, which decide whether the next weight is split by
        # column or row; only the Parameters' axes are kept.
        for record in records:
            if record.kind == OPTIMIZER or record.kind == BACKWARD:
                break
            self._note_weight(record)
            is_product = has_role(record.name, "product") and len(record.inputs) > 1
            weight = record.inputs[1] if is_product else None
            if weight is not None and weight.key in self.weight_keys and len(weight.shape) == 2:
                self._split_weight(record, weight)
            else:
                self._propagate_split(record)
        self.axes = {k: a for k, a in self.axes.items() if k in self._param_keys}
        if not self.axes and not self.strategies:
            lengths = ", ".join(map(str, sorted(self.indivisible_lengths)))
            raise ValueError(
                "parallel_plan: tensor must divide the weight of a product, got "
                f"{self.rank_count} for weights of {lengths or 'no product'}. Use "
                f"{_format_divisors(self.indivisible_lengths)}."
            )

    def _note_weight(self, record: OpRecord) -> None:
        """Record the weights that an op reads, and its output if it casts or transposes one.

        It fills ``weight_keys`` and ``weight_sources``.
        """
        for operand in record.inputs:
            if operand.param and operand.key not in self.weight_sources:
                self.weight_keys.add(operand.key)
                self.weight_sources[operand.key] = (operand.key, tuple(range(len(operand.shape))))
        source = record.inputs[0] if record.inputs else None
        if source is None or source.key not in self.weight_keys or not record.outputs:
            return
        output = record.outputs[0]
        param_key, axes = self.weight_sources[source.key]
        if record.name == "Cast":
            self.weight_keys.add(output.key)
            self.weight_sources[output.key] = (param_key, axes)
        elif record.name == "Transpose":
            transposed_axes = tuple(axes[i] for i in _get_transpose_axes(record))
            self.weight_keys.add(output.key)
            self.weight_sources[output.key] = (param_key, transposed_axes)

    @property
    def _param_keys(self) -> set[Hashable]:
        """The keys of all Parameters seen so far."""
        return {param_key for param_key, _ in self.weight_sources.values()}

    def _split_weight(self, record: OpRecord, weight: Operand) -> None:
        """Split the weight of a matrix product by column or row, if its axis divides evenly.

        The strategy decides, or else the split of the product's other input. The split of an
        already split Parameter is not changed. Raises ValueError if a strategy names an axis that
        the ranks do not divide.
        """
        x = record.inputs[0]
        split_type = self._find_strategy(record)
        is_requested = split_type is not None
        input_axis = self.axes.get(x.key)
        input_sum_axis = len(x.shape) - (2 if record.attrs.get("transpose_a") else 1)
        if split_type is None:
            split_type = COLUMN if input_axis is None else WHOLE
            if input_axis == input_sum_axis:
                split_type = ROW
        is_transposed = bool(record.attrs.get("transpose_b"))
        out_axis, sum_axis = (0, 1) if is_transposed else (1, 0)
        axis = {COLUMN: out_axis, ROW: sum_axis}.get(split_type)
        if axis is None:
            return
        length = weight.shape[axis]
        if length % self.rank_count:
            self.indivisible_lengths.add(length)
            if is_requested:
                raise ValueError(
                    f"parallel_plan: tensor must divide the {length} {split_type}s of the weight "
                    f"of {record.scope or record.name}, which strategies split, got "
                    f"{self.rank_count}. Use {_format_divisors([length])}."
                )
            return
        param_key, axes = self.weight_sources[weight.key]
        if param_key in self.axes:  # a Parameter of several products is split once
            return
        self.axes[param_key] = axes[axis]
        for key, (source_key, order) in self.weight_sources.items():
            if source_key == param_key:
                self.axes[key] = order.index(self.axes[param_key])
        if split_type == COLUMN:
            self.axes[record.outputs[0].key] = len(record.outputs[0].shape) - 1

    def _find_strategy(self, record: OpRecord) -> str | None:
        """Find the strategy of an op by the first pattern that matches: "column", "row" or "whole".

        A pattern matches the Cell's path or is the name of an op. Returns None if no pattern
        matches, or if its strategy does not apply to a product.
        """
        for pattern, strategy in self.strategies.items():
            if fnmatchcase(record.scope, pattern) or record.name == pattern:
                return _parse_strategy(
                    strategy, self.rank_count, bool(record.attrs.get("transpose_b"))
                )
        return None

    # -- every op ----------------------------------------------------------------------------------

    def _shard_op(self, record: OpRecord) -> None:
        """Decide how the outputs of an op are split, and append its record with one rank's shapes.

        Also records weights, and appends the collectives that the op needs.
        """
        self.sliced_inputs = {}
        self._reduce_partial_sums(record)
        if record.kind == OPTIMIZER:
            self._split_update(record)
        else:
            self._note_weight(record)
            if record.name in ("Cast", "Transpose"):
                for key, (param_key, order) in self.weight_sources.items():
                    if param_key in self.axes and key not in self.axes:
                        self.axes[key] = order.index(self.axes[param_key])
            if has_role(record.name, "product") and len(record.inputs) > 1:
                self._shard_matmul(record)
            else:
                self._propagate_split(record, adds_gathers=True)
        outputs = tuple(map(self._slice_operand, record.outputs))
        share = outputs[0].size / max(1, record.outputs[0].size) if outputs else 1.0
        self.sharded.records.append(
            replace(
                record,
                inputs=tuple(map(self._slice_operand, record.inputs)),
                outputs=outputs,
                part_share=share,
            )
        )

    def _reduce_partial_sums(self, record: OpRecord) -> None:
        """Add an AllReduce for each partial sum that an op reads, unless the op is a view or an
        Add, whose output is a partial sum, too.
        """
        pending = [o for o in record.inputs if o.key in self.partial_sums]
        if pending and (record.is_view or record.name == "Add"):
            self._keep_partial_sum(record)
            return
        for operand in pending:
            self.partial_sums.discard(operand.key)
            self._add_exchange("AllReduce", operand, record)

    def _keep_partial_sum(self, record: OpRecord) -> None:
        """Mark an op's output as a partial sum, which its readers reduce; a result of the step is
        reduced immediately.
        """
        output = record.outputs[0]
        if output.key in self.read_keys:
            self.partial_sums.add(output.key)
        else:
            self._add_exchange("AllReduce", output, record)

    def _slice_operand(self, operand: Operand) -> Operand:
        """Return the operand with the shape of one rank's part, rounded up; unchanged if it is
        complete.
        """
        axis = self.axes.get(operand.key, self.sliced_inputs.get(operand.key))
        if axis is None or axis >= len(operand.shape):
            return operand
        shape = list(operand.shape)
        shape[axis] = math.ceil(shape[axis] / self.rank_count)
        return operand._replace(shape=tuple(shape))

    def _split_update(self, record: OpRecord) -> None:
        """Split all arrays of an optimizer's op that have the shape of its split Parameter."""
        for operand in record.inputs:
            if operand.key in self.axes:
                for array in (*record.inputs, *record.outputs):
                    if array.shape == operand.shape:
                        self.axes[array.key] = self.axes[operand.key]
                return

    def _shard_matmul(self, record: OpRecord) -> None:
        """Split the output of a matrix product according to its inputs, or record the collective or
        partial sum that it needs.
        """
        a, b, output = record.inputs[0], record.inputs[1], record.outputs[0]
        a_axis, b_axis = self.axes.get(a.key), self.axes.get(b.key)
        rank = len(output.shape)
        a_sum_axis = len(a.shape) - (2 if record.attrs.get("transpose_a") else 1)
        b_sum_axis = len(b.shape) - (1 if record.attrs.get("transpose_b") else 2)
        if a_axis is None and b_axis is None:
            return
        if (a_axis, b_axis) == (a_sum_axis, b_sum_axis):
            self._keep_partial_sum(record)
        elif (
            a_axis is not None
            and b_axis is not None
            and len(a.shape) > 2
            and a_axis == b_axis < rank - 2
        ):
            self.axes[output.key] = a_axis  # a batch axis of both, such as attention heads
        elif a_axis is None and b_axis is not None and b_axis != b_sum_axis and len(b.shape) == 2:
            self.axes[output.key] = rank - 1  # the columns of b
        elif b_axis is None and a_axis is not None and a_axis != a_sum_axis:
            is_row_axis = a_axis >= len(a.shape) - 2  # otherwise a batch axis of a
            self.axes[output.key] = rank - 2 if is_row_axis else a_axis
        elif (a_axis, b_axis) in ((a_sum_axis, None), (None, b_sum_axis)):
            # One input is complete: each rank reads its part of it, and the sum is split.
            self.sliced_inputs = {a.key: a_sum_axis, b.key: b_sum_axis}
            self._keep_partial_sum(record)
        else:
            self._gather_inputs(record)

    def _propagate_split(self, record: OpRecord, adds_gathers: bool = False) -> None:
        """Propagate the split of the largest split input to the outputs of a non-product op.

        With ``adds_gathers`` the inputs are gathered if the op can't keep the split, and a bias is
        split like the input.
        """
        split_inputs = [o for o in record.inputs if o.key in self.axes]
        if not split_inputs or not record.outputs:
            return
        operand = max(split_inputs, key=lambda o: o.size)
        axis = self.axes[operand.key]
        if record.name in _LOSSES and axis == len(operand.shape) - 1:
            if adds_gathers:
                self._split_loss(record, operand)
            return
        for output in record.outputs:
            output_axis = _find_output_axis(record, operand, axis, output, self.rank_count)
            if output_axis is not None:
                self.axes[output.key] = output_axis
            elif adds_gathers and output is record.outputs[0]:
                if record.name == "Reshape":
                    self._check_reshape(record, operand, axis)
                self._gather_inputs(record)
                return
        if adds_gathers:
            self._split_bias(record, axis, operand)

    def _split_loss(self, record: OpRecord, logits: Operand) -> None:
        """Add the AllReduce of a loss whose logits are split along the vocabulary, their last axis.

        The ranks exchange a maximum and a sum of each row. Outputs that have the shape of the
        logits are marked as split along that axis, too.
        """
        self.axes.update(
            (o.key, len(o.shape) - 1) for o in record.outputs if o.shape == logits.shape
        )
        rows = 2 * logits.size // logits.shape[-1]
        sums = logits._replace(shape=(rows,), dtype=np.dtype(np.float32))
        self._add_exchange("AllReduce", sums, record)

    def _check_reshape(self, record: OpRecord, operand: Operand, axis: int) -> None:
        """Raise ValueError if a split axis is reshaped into axes that the ranks do not divide."""
        new_shape = record.outputs[0].shape
        lengths = [new_shape[i] for i in _find_reshaped_axes(operand.shape, axis, new_shape)]
        if len(lengths) > 1:
            raise ValueError(
                f"parallel_plan: tensor must divide one of {lengths[:-1]}, into which Reshape in "
                f"{record.scope or record.line} splits {operand.shape[axis]}, got "
                f"{self.rank_count}. Use {_format_divisors(lengths[:-1])}, or "
                'strategies={"' + record.scope + '*": "whole"}.'
            )

    def _split_bias(self, record: OpRecord, axis: int, operand: Operand) -> None:
        """Split a Parameter of the op, such as a bias, along the axis of the split input."""
        axis_from_end = axis - len(operand.shape)
        for param in record.inputs:
            has_same_length = (
                len(param.shape) >= -axis_from_end
                and param.shape[axis_from_end] == operand.shape[axis]
            )
            if param.param and has_same_length and param.key not in self.axes:
                self.axes[param.key] = len(param.shape) + axis_from_end

    def _gather_inputs(self, record: OpRecord) -> None:
        """Add an AllGather for each split input except Parameters, and mark it as complete."""
        for operand in record.inputs:
            if operand.key in self.axes and not operand.param:
                self._add_exchange("AllGather", operand, record)
                del self.axes[operand.key]

    def _add_exchange(self, op: str, operand: Operand, record: OpRecord) -> None:
        """Append a collective of ``operand`` before the op that is sharded next.

        It gets the kind (forward, backward, ...) of ``record``, the op that needs it.
        """
        index = len(self.sharded.records)
        self.sharded.exchanges.append(Exchange(op, operand.nbytes, index, record.kind))


def _find_output_axis(
    record: OpRecord, operand: Operand, axis: int, output: Operand, rank_count: int
) -> int | None:
    """Return the axis of ``output`` that continues the split of an input; None if there is none."""
    if record.name == "Transpose":
        return _get_transpose_axes(record).index(axis)
    if record.name in ("Reshape", "Flatten", "ExpandDims", "Squeeze"):
        return _find_reshaped_axis(operand.shape, axis, output.shape, rank_count)
    op = registry.get(record.name)
    needs_last_axis = record.name in _NEEDS_LAST_AXIS
    if output.shape == operand.shape:
        return None if needs_last_axis and axis == len(operand.shape) - 1 else axis
    if "Attention" in record.name and len(output.shape) == len(operand.shape):
        return axis if output.shape[axis] % rank_count == 0 else None  # keys may have fewer heads
    if record.name == "GetItem" and output.shape == operand.shape[1:] and axis > 0:
        return axis - 1  # one of the arrays of the first axis, such as queries, keys or values
    if record.name == "GetItemGrad" and output.shape[1:] == operand.shape:
        return axis + 1
    if record.name == "BiasAddGrad" and axis == len(operand.shape) - 1:
        return 0
    if (
        needs_last_axis
        and len(output.shape) == len(operand.shape)
        and axis < len(operand.shape) - 1
    ):
        return axis  # means and deviations of rows
    if op is not None and op.pointwise and len(output.shape) >= len(operand.shape):
        axis_from_end = axis - len(operand.shape)
        return len(output.shape) + axis_from_end
    return None


#: Ops that need the complete last axis.
_NEEDS_LAST_AXIS = frozenset(
    {
        *("LayerNorm", "LayerNormGrad", "RmsNorm", "RmsNormGrad", "LogSoftmax", "LogSoftmaxGrad"),
        *("Softmax", "ShiftedSoftmax", "SoftmaxGrad"),
    }
)

#: Losses over the last axis, and their derivatives.
_LOSSES = frozenset({"SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"})


def _find_reshaped_axis(
    shape: tuple[int, ...], axis: int, new_shape: tuple[int, ...], rank_count: int
) -> int | None:
    """Return the axis of the reshaped array that continues the split of ``axis``, or None.

    An axis that becomes several axes is split along the first one that the ranks divide, except the
    last: of (3, heads, size) each rank has some heads, in their full size.
    """
    axes = _find_reshaped_axes(shape, axis, new_shape)
    for i in axes[:-1] or axes:
        if new_shape[i] % rank_count == 0:
            return i
    return None


def _find_reshaped_axes(shape: tuple[int, ...], axis: int, new_shape: tuple[int, ...]) -> list[int]:
    """Return the axes longer than 1 that have the elements of ``axis`` after a reshape.

    These are the new axes between two positions at which the products of the preceding lengths are
    equal in both shapes.
    """
    sizes = [math.prod(shape[:i]) for i in range(len(shape) + 1)]
    new_sizes = [math.prod(new_shape[:i]) for i in range(len(new_shape) + 1)]
    common = sorted({*sizes} & {*new_sizes})
    low = max(n for n in common if n <= sizes[axis])
    high = min(n for n in common if n >= sizes[axis + 1])
    return [
        i
        for i, n in enumerate(new_shape)
        if n > 1 and low <= new_sizes[i] < new_sizes[i + 1] <= high
    ]


def _get_transpose_axes(record: OpRecord) -> tuple[int, ...]:
    """Return the axes of a Transpose, reversed by default, as non-negative numbers."""
    rank = len(record.inputs[0].shape)
    perm, *_ = record.attrs.get("static") or [record.attrs.get("perm")]
    if isinstance(perm, tuple | list):
        return tuple(axis % rank for axis in perm)
    return tuple(range(rank))[::-1]


def _format_divisors(lengths: Iterable[int]) -> str:
    """Return as text the rank counts, up to 64, that divide one of the lengths."""
    counts = [n for n in range(1, 65) if n == 1 or any(length % n == 0 for length in lengths)]
    return " or ".join(filter(None, [", ".join(map(str, counts[:-1])), str(counts[-1])]))


def _parse_strategy(strategy: Strategy, rank_count: int, is_transposed: bool) -> str | None:
    """Return how a strategy splits the weight of a matrix product: "column" for its outputs, "row"
    for the axis that is summed, or "whole".

    A string must be one of these. Otherwise the strategy holds the number of parts of each axis of
    the input and of the weight, whose axes are in one part or in ``rank_count`` parts. Those of the
    input matter only for "row". ``is_transposed`` says that the weight is (outputs, inputs).

    Returns:
        None for any other strategy.
    """
    if isinstance(strategy, str):
        return strategy if strategy in (COLUMN, ROW, WHOLE) else None
    if len(strategy) != 2 or any(len(axis_parts) < 2 for axis_parts in strategy):
        return None
    x, w = strategy
    if any(n not in (1, rank_count) for n in w):
        return None
    sum_parts, output_parts = (w[-1], w[-2]) if is_transposed else (w[-2], w[-1])
    if sum_parts > 1:
        return ROW if x[-1] == sum_parts and output_parts == 1 else None
    return COLUMN if output_parts > 1 else WHOLE


__all__ = ["Exchange", "Sharded", "Strategy", "check_strategies", "shard"]
