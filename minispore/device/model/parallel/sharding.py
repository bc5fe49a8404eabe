"""Tensor parallel: the ops of one step as one of ``parts`` ranks has them, and what it exchanges.

An array is whole on every rank, or split along one axis. Products with a weight choose: by columns
(every rank has some outputs) where what they read is whole, by rows (every rank has a part of each
sum) where it is split already, or as a strategy says. All else follows: elementwise ops, reshapes,
transpositions and products keep a split where they can; a product whose sum is split needs an
AllReduce, and what can't be computed in parts an AllGather.

Source: Shoeybi et al., "Megatron-LM"; MindSpore's operator strategies (``Primitive.shard``).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import NamedTuple

from minispore.core.registry import registry
from minispore.device.model.records import BACKWARD, OPTIMIZER, Operand, OpRecord

#: Pattern of scopes or names -> "column", "row" or "whole"; or what MindSpore's ``shard`` takes: in
#: how many parts each axis of each input is cut.
Strategy = str | tuple[tuple[int, ...], ...]
COLUMN, ROW, WHOLE = "column", "row", "whole"


class Exchange(NamedTuple):
    """What ranks of one tensor-parallel group do together, at one op."""

    op: str  # AllReduce or AllGather
    nbytes: int  # of the whole array
    at: int  # the number of the op


class Sharded(NamedTuple):
    """The step of one rank."""

    records: list[OpRecord]
    exchanges: list[Exchange]


def check_strategies(strategies: Mapping[str, Strategy], parts: int) -> None:
    """Raise ValueError for a strategy that says nothing about a product over ``parts`` ranks."""
    for pattern, strategy in strategies.items():
        if strategy not in (COLUMN, ROW, WHOLE) and _named(strategy, parts, False) is None:
            raise ValueError(
                f"parallel_plan: strategies[{pattern!r}] must be 'column', 'row', 'whole' or the "
                f"parts of each axis of both inputs, in 1 or tensor={parts}, got {strategy!r}."
            )


def shard(
    records: Sequence[OpRecord], parts: int, strategies: Mapping[str, Strategy] | None = None
) -> Sharded:
    """The ops of one of ``parts`` ranks."""
    if parts == 1:
        return Sharded(list(records), [])
    return _Sharding(parts, strategies or {}).of(records)


class _Sharding:
    def __init__(self, parts: int, strategies: Mapping[str, Strategy]) -> None:
        self.parts, self.strategies = parts, strategies
        self.axes: dict[Hashable, int] = {}  # array -> the axis along which it is split
        self.shapes: dict[Hashable, tuple[int, ...]] = {}
        self.weights: set[Hashable] = set()  # Parameters, and casts and turns of them
        self.source: dict[Hashable, tuple[Hashable, tuple[int, ...]]] = {}  # of such: whose, axes
        self.taken: dict[Hashable, int] = {}  # whole arrays of which this op reads a part
        self.made = Sharded([], [])

    def of(self, records: Sequence[OpRecord]) -> Sharded:
        self._choose(records)
        for r in records:
            self._one(r)
        return self.made

    # -- which weights are split -------------------------------------------------------------------

    def _choose(self, records: Sequence[OpRecord]) -> None:
        """Follow the forward pass once, so that each weight is split before anything reads it."""
        readers: dict[Hashable, int] = {}
        for r in records:
            for o in r.inputs:
                if o.param and r.kind != OPTIMIZER:
                    readers[o.key] = readers.get(o.key, 0) + (r.kind != BACKWARD)
        for r in records:
            if r.kind == OPTIMIZER or r.kind == BACKWARD:
                break
            self._note_weight(r)
            product = registry[r.name].multiplies == "product" and len(r.inputs) > 1
            weight = r.inputs[1] if product else None
            if weight is not None and weight.key in self.weights and len(weight.shape) == 2:
                self._split_weight(r, weight)
            else:
                self._keep(r)
        self.axes = {k: a for k, a in self.axes.items() if k in self._parameters}

    def _note_weight(self, r: OpRecord) -> None:
        for o in r.inputs:
            if o.param and o.key not in self.source:
                self.weights.add(o.key)
                self.source[o.key] = (o.key, tuple(range(len(o.shape))))
        first = r.inputs[0] if r.inputs else None
        if first is None or first.key not in self.weights or not r.outputs:
            return
        out = r.outputs[0]
        base, axes = self.source[first.key]
        if r.name == "Cast":
            self.weights.add(out.key)
            self.source[out.key] = (base, axes)
        elif r.name == "Transpose":
            turned = tuple(axes[i] for i in _order(r))
            self.weights.add(out.key)
            self.source[out.key] = (base, turned)

    @property
    def _parameters(self) -> set[Hashable]:
        return {base for base, _ in self.source.values()}

    def _split_weight(self, r: OpRecord, weight: Operand) -> None:
        x = r.inputs[0]
        how = self._strategy(r)
        split = self.axes.get(x.key)
        last = len(x.shape) - 1 if not r.attrs.get("transpose_a") else len(x.shape) - 2
        if how is None:
            how = ROW if split == last else COLUMN if split is None else WHOLE
        turned = bool(r.attrs.get("transpose_b"))
        out_axis, sum_axis = (0, 1) if turned else (1, 0)
        axis = {COLUMN: out_axis, ROW: sum_axis}.get(how)
        if axis is None or weight.shape[axis] % self.parts:
            return
        base, axes = self.source[weight.key]
        if base in self.axes:  # a shared table: split once
            return
        self.axes[base] = axes[axis]
        for key, (whose, order) in self.source.items():
            if whose == base:
                self.axes[key] = order.index(self.axes[base])
        if how == COLUMN:
            self.axes[r.outputs[0].key] = len(r.outputs[0].shape) - 1

    def _strategy(self, r: OpRecord) -> str | None:
        for pattern, strategy in self.strategies.items():
            if fnmatchcase(r.scope, pattern) or r.name == pattern:
                return _named(strategy, self.parts, bool(r.attrs.get("transpose_b")))
        return None

    # -- every op ----------------------------------------------------------------------------------

    def _one(self, r: OpRecord) -> None:
        self.taken = {}
        if r.kind == OPTIMIZER:
            self._update(r)
        else:
            self._note_weight(r)
            for key, (base, order) in (
                self.source.items() if r.name in ("Cast", "Transpose") else ()
            ):
                if base in self.axes and key not in self.axes:
                    self.axes[key] = order.index(self.axes[base])
            product = registry[r.name].multiplies == "product" and len(r.inputs) > 1
            self._product(r) if product else self._keep(r, gathers=True)
        self.made.records.append(
            replace(
                r,
                inputs=tuple(map(self._part, r.inputs)),
                outputs=tuple(map(self._part, r.outputs)),
            )
        )

    def _part(self, o: Operand) -> Operand:
        axis = self.axes.get(o.key, self.taken.get(o.key))
        if axis is None or axis >= len(o.shape):
            return o
        shape = list(o.shape)
        shape[axis] = math.ceil(shape[axis] / self.parts)
        return o._replace(shape=tuple(shape))

    def _update(self, r: OpRecord) -> None:
        """What is of a split parameter's shape is split as that is."""
        for o in r.inputs:
            if o.key in self.axes:
                for other in (*r.inputs, *r.outputs):
                    if other.shape == o.shape:
                        self.axes[other.key] = self.axes[o.key]
                return

    def _product(self, r: OpRecord) -> None:
        a, b, out = r.inputs[0], r.inputs[1], r.outputs[0]
        i, j = self.axes.get(a.key), self.axes.get(b.key)
        n = len(out.shape)
        sums = (
            len(a.shape) - (2 if r.attrs.get("transpose_a") else 1),
            len(b.shape) - (1 if r.attrs.get("transpose_b") else 2),
        )
        if i is None and j is None:
            return
        if i is not None and j is not None and (i, j) == sums:
            self._exchange("AllReduce", out, r)
        elif i is not None and j is not None and len(a.shape) > 2 and i == j < n - 2:
            self.axes[out.key] = i  # heads
        elif i is None and j is not None and j != sums[1] and len(b.shape) == 2:
            self.axes[out.key] = n - 1
        elif j is None and i is not None and i != sums[0]:
            self.axes[out.key] = n - 2 if i >= len(a.shape) - 2 else i
        elif (i, j) in ((sums[0], None), (None, sums[1])):
            # One side is whole: each rank takes its part of it, and the sum is split.
            self.taken = {a.key: sums[0], b.key: sums[1]}
            self._exchange("AllReduce", out, r)
        else:
            self._whole(r)

    def _keep(self, r: OpRecord, gathers: bool = False) -> None:
        """Ops that are no products: keep the split, or gather what can't be kept."""
        split = [(o, self.axes[o.key]) for o in r.inputs if o.key in self.axes]
        if not split or not r.outputs:
            return
        o, axis = max(split, key=lambda pair: pair[0].size)
        for out in r.outputs:
            kept = _through(r, o, axis, out, self.parts)
            if kept is not None:
                self.axes[out.key] = kept
            elif gathers and out is r.outputs[0]:
                self._whole(r)
                return
        if gathers:
            self._follow(r, axis, o)

    def _follow(self, r: OpRecord, axis: int, o: Operand) -> None:
        """A bias beside a split array is split with it."""
        back = axis - len(o.shape)
        for other in r.inputs:
            fits = len(other.shape) >= -back and other.shape[back] == o.shape[axis]
            if other.param and fits and other.key not in self.axes:
                self.axes[other.key] = len(other.shape) + back

    def _whole(self, r: OpRecord) -> None:
        for o in r.inputs:
            if o.key in self.axes and not o.param:
                self._exchange("AllGather", o, r)
                del self.axes[o.key]

    def _exchange(self, op: str, o: Operand, r: OpRecord) -> None:
        self.made.exchanges.append(Exchange(op, o.nbytes, len(self.made.records)))


def _through(r: OpRecord, o: Operand, axis: int, out: Operand, parts: int) -> int | None:
    """The axis of ``out`` that the split of ``o`` becomes; None if the op needs it whole."""
    if r.name == "Transpose":
        return _order(r).index(axis)
    if r.name in ("Reshape", "Flatten", "ExpandDims", "Squeeze"):
        return _reshaped(o.shape, axis, out.shape, parts)
    op = registry.get(r.name)
    along_last = r.name in _ALONG_LAST
    if out.shape == o.shape:
        return None if along_last and axis == len(o.shape) - 1 else axis
    if r.name == "BiasAddGrad" and axis == len(o.shape) - 1:
        return 0
    if along_last and len(out.shape) == len(o.shape) and axis < len(o.shape) - 1:
        return axis  # means and deviations of rows
    if op is not None and op.pointwise and len(out.shape) >= len(o.shape):
        back = axis - len(o.shape)
        return len(out.shape) + back
    return None


#: Ops that need all of the last axis.
_ALONG_LAST = frozenset(
    {
        *("LayerNorm", "LayerNormGrad", "RmsNorm", "RmsNormGrad", "LogSoftmax", "LogSoftmaxGrad"),
        *("Softmax", "LoweredSoftmax", "SoftmaxGrad", "SoftmaxCrossEntropyWithLogits"),
        "SparseSoftmaxCrossEntropyWithLogits",
    }
)


def _reshaped(shape: tuple[int, ...], axis: int, out: tuple[int, ...], parts: int) -> int | None:
    before = math.prod(shape[:axis])
    for i, length in enumerate(out):
        if math.prod(out[:i]) == before and length % parts == 0 and length > 1:
            return i
    return None


def _order(r: OpRecord) -> tuple[int, ...]:
    n = len(r.inputs[0].shape)
    static = r.attrs.get("static") or [r.attrs.get("perm")]
    order = static[0]
    return tuple(d % n for d in order) if isinstance(order, tuple | list) else tuple(range(n))[::-1]


def _named(strategy: Strategy, parts: int, turned: bool) -> str | None:
    """What MindSpore's parts of each axis mean; None if they are no strategy of a product."""
    if isinstance(strategy, str):
        return strategy if strategy in (COLUMN, ROW, WHOLE) else None
    if len(strategy) != 2 or any(len(cut) < 2 for cut in strategy):
        return None
    x, w = strategy
    if any(n not in (1, parts) for n in w):
        return None
    sums, outs = (w[-1], w[-2]) if turned else (w[-2], w[-1])
    if sums > 1:
        return ROW if x[-1] == sums and outs == 1 else None
    return COLUMN if outs > 1 else WHOLE


__all__ = ["Exchange", "Sharded", "Strategy", "check_strategies", "shard"]
