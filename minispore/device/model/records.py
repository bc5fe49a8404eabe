"""Records of ops for the device's model: names, attributes, operands and scopes, but no data.

:func:`records_of` derives them from the nodes of a traced graph, so all predictions (cost, memory,
schedules) need only shapes.
"""

from __future__ import annotations

import math
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from minispore.device.model.roles import has_role
from minispore.graph.ir import Graph
from minispore.ir.value import Value

FORWARD, BACKWARD, OPTIMIZER = "forward", "backward", "optimizer"


class Operand(NamedTuple):
    """One array that an op reads or writes. Two operands with one ``key`` are the same array."""

    key: Hashable
    shape: tuple[int, ...]
    dtype: np.dtype
    param: bool = False

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The number of bytes without any padding."""
        return self.size * self.dtype.itemsize


@dataclass(frozen=True)
class OpRecord:
    """``outputs = name(*inputs)``, with ``attrs``; ``kind`` is forward, backward or optimizer."""

    name: str
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    kind: str = FORWARD
    scope: str = ""
    line: str = ""
    mutates: tuple[int, ...] = ()  # output i is the new content of input mutates[i]
    parts: tuple[OpRecord, ...] = ()  # the ops that a fused kernel computes
    part_share: float = 1.0  # the fraction of their work that this rank does

    @property
    def size(self) -> int:
        """The number of elements of the first output; 0 for an op without outputs."""
        return self.outputs[0].size if self.outputs else 0

    @property
    def is_view(self) -> bool:
        """Whether the output is the first input under another shape or name."""
        return has_role(self.name, "view")


def records_of(graph: Graph) -> list[OpRecord]:
    """Return the records of the nodes of a traced training step, in order.

    Nodes of derivatives are *backward*; other nodes after the first of these are
    *optimizer*; the rest are *forward*.
    """
    params = set(graph.state.values())
    masks = {node.outputs[1] for node in graph.nodes if node.prim.name == "Dropout"}

    def make_operands(values: Iterable[Value]) -> tuple[Operand, ...]:
        """Make the operands of values; a Dropout mask has one byte per element on the device."""
        return tuple(
            o._replace(dtype=np.dtype(np.bool_)) if o.key in masks else o
            for o in (make_operand(v, params) for v in values)
        )

    records: list[OpRecord] = []
    has_gradients = False
    for node in graph.nodes:
        is_backward = node.scope.startswith("Gradients")
        has_gradients = has_gradients or is_backward
        attrs = {f: getattr(node.prim, f) for f in node.prim.fields}
        statics = [a for a in node.args if not isinstance(a, Value)]
        if statics:
            attrs["static"] = statics
        records.append(
            OpRecord(
                node.prim.name,
                make_operands(_iterate_values(node.args)),
                make_operands(node.outputs),
                attrs,
                BACKWARD if is_backward else OPTIMIZER if has_gradients else FORWARD,
                node.scope,
                node.line,
                # Among the array inputs alone; the primitive counts all arguments.
                mutates=tuple(_count_values(node.args[:i]) for i in node.prim.mutates),
            )
        )
    return records


def convert_to_float16(records: Sequence[OpRecord], batch: Sequence[Operand]) -> list[OpRecord]:
    """Return the records with float16 arrays in place of float32, as ``force_fp16`` runs them.

    Parameters, the arrays that optimizers read or write, and the batch keep their dtype.
    """
    unchanged_keys = {
        o.key for r in records if r.kind == OPTIMIZER for o in (*r.inputs, *r.outputs)
    }
    unchanged_keys.update(o.key for o in batch)

    def convert_operand(o: Operand) -> Operand:
        """Return a float32 operand as float16, unless it is a scalar or must stay float32."""
        is_converted = (
            o.dtype == np.float32 and not o.param and o.key not in unchanged_keys and o.size > 1
        )
        return o._replace(dtype=np.dtype(np.float16)) if is_converted else o

    return [
        replace(
            r,
            inputs=tuple(map(convert_operand, r.inputs)),
            outputs=tuple(map(convert_operand, r.outputs)),
        )
        for r in records
    ]


def make_operand(value: Value, params: Container[Value] = ()) -> Operand:
    """Make the operand of ``value``, whose key is the value; it counts as a Parameter if ``params``
    contains the value.
    """
    is_param = value.param is not None or value in params
    return Operand(value, value.spec.shape, value.spec.dtype, is_param)


def _count_values(args: Iterable[Any]) -> int:
    """Count the array arguments; Python scalars and None are not counted."""
    return sum(1 for _ in _iterate_values(args))


def _iterate_values(args: Iterable[Any]) -> Iterable[Value]:
    """Yield the values among the arguments, including those inside tuples and lists."""
    for a in args:
        if isinstance(a, Value):
            yield a
        elif isinstance(a, tuple | list):
            yield from _iterate_values(a)
