"""What the device needs to know about an op: its name, attributes, operands and place, but no data.

:func:`records_of` reads them off the nodes of a traced graph, so everything that is predicted
(cost, memory, schedules) needs shapes only.
"""

from __future__ import annotations

import math
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from minispore.core.registry import registry
from minispore.core.value import Value
from minispore.graph.ir import Graph

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

    @property
    def view(self) -> bool:
        """Whether the output is the first input under another shape or name."""
        op = registry.get(self.name)
        return op is not None and op.renames


def records_of(graph: Graph) -> list[OpRecord]:
    """The records of the nodes of a traced training step, in order.

    What derivatives bound is *backward*; what comes after the first of it and is not one itself is
    *optimizer*; the rest is *forward*.
    """
    params = set(graph.state.values())
    records: list[OpRecord] = []
    differentiated = False
    for node in graph.nodes:
        backward = node.scope.startswith("Gradients")
        differentiated = differentiated or backward
        attrs = {f: getattr(node.prim, f) for f in node.prim.fields}
        statics = [a for a in node.args if not isinstance(a, Value)]
        if statics:
            attrs["static"] = statics
        records.append(
            OpRecord(
                node.prim.name,
                tuple(operand(v, params) for v in _values(node.args)),
                tuple(operand(v, params) for v in node.outputs),
                attrs,
                BACKWARD if backward else OPTIMIZER if differentiated else FORWARD,
                node.scope,
                node.line,
                mutates=tuple(_count(node.args[:i]) for i in node.prim.mutates),
            )
        )
    return records


def in_half(records: Sequence[OpRecord], batch: Sequence[Operand]) -> list[OpRecord]:
    """The same ops with float16 between them, as the ``force_fp16`` of ``ascend_config`` has it.

    Parameters, what optimizers read and write, and the batch stay as they are.
    """
    kept = {o.key for r in records if r.kind == OPTIMIZER for o in (*r.inputs, *r.outputs)}
    kept.update(o.key for o in batch)

    def half(o: Operand) -> Operand:
        changes = o.dtype == np.float32 and not o.param and o.key not in kept and o.size > 1
        return o._replace(dtype=np.dtype(np.float16)) if changes else o

    return [
        replace(r, inputs=tuple(map(half, r.inputs)), outputs=tuple(map(half, r.outputs)))
        for r in records
    ]


def operand(value: Value, params: Container[Value] = ()) -> Operand:
    """The operand that stands for ``value``; ``params`` are those that hold Parameters."""
    held = value.param is not None or value in params
    return Operand(value, value.spec.shape, value.spec.dtype, held)


def _count(args: Iterable[Any]) -> int:
    """How many inputs these arguments are: numbers and None are none."""
    return sum(1 for _ in _values(args))


def _values(args: Iterable[Any]) -> Iterable[Value]:
    for a in args:
        if isinstance(a, Value):
            yield a
        elif isinstance(a, tuple | list):
            yield from _values(a)
