"""What the device needs to know about an op: its name, attributes, operands and place, but no data.

:func:`records_of` reads them off the nodes of a traced graph, so everything that is predicted
(cost, memory, schedules) needs shapes only.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from minispore.core.value import Node, Value

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
    view: bool = False  # the output may share the memory of the first input
    mutates: tuple[int, ...] = ()  # output i is the new content of input mutates[i]


#: Ops that only optimizers use; what a traced graph has after its first one updates parameters.
OPTIMIZER_OPS = frozenset(
    {
        "Adam",
        "AdamNoUpdateParam",
        "AdamWeightDecay",
        "ApplyAdaMax",
        "ApplyAdadelta",
        "ApplyAdagrad",
        "ApplyAdagradDA",
        "ApplyAdagradV2",
        "ApplyAdamWithAmsgrad",
        "ApplyAddSign",
        "ApplyCenteredRMSProp",
        "ApplyFtrl",
        "ApplyGradientDescent",
        "ApplyMomentum",
        "ApplyPowerSign",
        "ApplyProximalAdagrad",
        "ApplyProximalGradientDescent",
        "ApplyRMSProp",
        "FusedSparseAdam",
        "FusedSparseFtrl",
        "FusedSparseLazyAdam",
        "FusedSparseProximalAdagrad",
        "LARSUpdate",
        "Lamb",
        "Momentum",
        "SGD",
        "SparseApplyAdagrad",
        "SparseApplyFtrl",
        "SparseApplyProximalAdagrad",
    }
)
_BACKWARD_MARKS = ("Grad", "Backprop")


def records_of(nodes: Iterable[Node]) -> list[OpRecord]:
    """The records of the nodes of a traced step, in order.

    A node is *forward* until the first op of a gradient, *backward* until the first op that writes
    a parameter which a gradient trains, and *optimizer* from there on.
    """
    nodes = list(nodes)
    records: list[OpRecord] = []
    kind = FORWARD
    for node in nodes:
        name = node.prim.name
        if kind != OPTIMIZER and name in OPTIMIZER_OPS:
            kind = OPTIMIZER
        elif kind == FORWARD and any(mark in name for mark in _BACKWARD_MARKS):
            kind = BACKWARD
        inputs = tuple(operand(a) for a in _values(node.args))
        attrs = {f: getattr(node.prim, f) for f in node.prim.fields}
        statics = [a for a in node.args if not isinstance(a, Value)]
        if statics:
            attrs["static"] = statics
        records.append(
            OpRecord(
                name,
                inputs,
                tuple(operand(v) for v in node.outputs),
                attrs,
                kind,
                node.scope,
                node.line,
                view=node.prim.has_view,
                mutates=node.prim.mutates,
            )
        )
    return records


def operand(value: Value) -> Operand:
    """The operand that stands for ``value``."""
    return Operand(value, value.spec.shape, value.spec.dtype, value.param is not None)


def _values(args: Iterable[Any]) -> Iterable[Value]:
    for a in args:
        if isinstance(a, Value):
            yield a
        elif isinstance(a, tuple | list):
            yield from _values(a)
