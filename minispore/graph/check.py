"""Do the two modes agree? Run one call in both and name the first op that differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from minispore.core import random
from minispore.core.tensor import Tensor
from minispore.core.tree import tensors_in
from minispore.core.value import Node, Spec, Value
from minispore.graph.ir import Graph
from minispore.graph.passes.clean import compute
from minispore.graph.program import Program
from minispore.graph.staging import program_of


@dataclass(frozen=True)
class Agreement:
    """The answer of :func:`check_modes`: true when the modes agree to the last bit."""

    equal: bool
    largest: float  # the largest absolute difference of any output or updated Parameter
    first: str | None  # the first op that differs, with its Cell and line

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        if self.equal:
            return "GRAPH and PYNATIVE agree to the last bit"
        where = f"; the first op that differs is {self.first}" if self.first else ""
        return f"GRAPH and PYNATIVE differ by at most {self.largest:.3g}{where}"


def check_modes(net: Callable[..., Any], *inputs: Any) -> Agreement:
    """Run ``net(*inputs)`` once in each mode from the same state; the state is put back afterwards.

    Returns:
        An :class:`Agreement`.

    >>> print(check_modes(lambda x: x * 2.0, Tensor([1.0])))
    GRAPH and PYNATIVE agree to the last bit
    """
    program = program_of(net, *inputs)
    graph = program.traced
    params = list(graph.state)
    before = [p.asnumpy() for p in params]
    draws = random.get_state()

    def restore() -> None:
        for p, content in zip(params, before):
            p.set_data(Tensor(content))
        random.set_state(draws)

    arrays = [t._value.data for t in tensors_in(inputs)]
    by_op = _run_by_op(graph, arrays, before)
    restore()
    outputs = [a.copy() for a in program.run(arrays)]
    after = [p.asnumpy() for p in params]
    restore()

    pairs = [
        *zip(outputs, [by_op[v] for v in graph.outputs]),
        *[(a, by_op[graph.updates[p]]) for p, a in zip(params, after) if p in graph.updates],
    ]
    if all(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc") for a, b in pairs):
        return Agreement(True, 0.0, None)
    first = _first_to_differ(Program(program.graph, sliced=False), arrays, by_op)
    restore()
    return Agreement(False, max(_difference(a, b) for a, b in pairs), first)


def _difference(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.max(np.abs(a.astype(np.float64) - b.astype(np.float64)), initial=0.0))


def _run_by_op(graph: Graph, inputs: list[Any], state: list[np.ndarray]) -> dict[Value, np.ndarray]:
    known = dict(zip([*graph.inputs, *graph.state.values()], [*inputs, *state]))
    for node in graph.nodes:
        args = tuple([
            Value(Spec(a.spec.shape, a.spec.dtype), known.get(a, a.data)) if a.__class__ is Value
            else a for a in node.args
        ])  # fmt: skip
        for o, made in zip(node.outputs, compute(Node(node.prim, args, node.outputs)), strict=True):
            known[o] = made
    return known


def _first_to_differ(program: Program, inputs: list[Any], by_op: dict[Value, Any]) -> str | None:
    """The first op of a program that gives something else than op by op, with its Cell and line."""
    program.load(inputs)
    for node, calls in groupby(program.steps(), key=itemgetter(0)):
        for _, call in calls:
            call()
        for o in node.outputs if node is not None else ():
            want, got = by_op.get(o), program.plan.arrays[o]
            if want is not None and not np.array_equal(got, want, equal_nan=got.dtype.kind in "fc"):
                where = ", ".join(x for x in (node.scope, node.line) if x)
                return f"{node.prim!r} ({where})" if where else repr(node.prim)
    return None
