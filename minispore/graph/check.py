"""Do the two modes agree? Run one call in both and name the first op that differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from minispore.core import interpreter, random
from minispore.core.autograd import tensors_in
from minispore.core.tensor import wrap
from minispore.core.value import Node, Spec, Value
from minispore.graph.compiler import compiler
from minispore.graph.ir import Graph
from minispore.graph.passes.clean import compute
from minispore.graph.trace import Tracer, finished


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

    >>> from minispore.core.tensor import Tensor
    >>> print(check_modes(lambda x: x * 2.0, Tensor([1.0])))
    GRAPH and PYNATIVE agree to the last bit
    """
    fn = getattr(net, "jitted", net)
    tracer = Tracer()
    boxes = [wrap(tracer.input(t._value.spec, t._value.data)) for t in tensors_in(inputs)]
    left = iter(boxes)
    args = [next(left) if tensors_in(a) else a for a in inputs]
    with interpreter.using(tracer):
        graph = finished(tracer, [t._value for t in tensors_in(fn(*args))])
    params = list(graph.state)
    before = [p.asnumpy() for p in params]
    draws = random.get_state()

    def restore() -> None:
        for p, content in zip(params, before):
            p.set_data(content)
        random.set_state(draws)

    by_op = _run_by_op(graph, [t._value.data for t in tensors_in(inputs)], before)
    restore()
    program = compiler.program(fn, *inputs)
    outputs = [a.copy() for a in program.run([t._value.data for t in tensors_in(inputs)])]
    after = [p.asnumpy() for p in params]
    planned = {v: program.plan.arrays.get(v) for v in by_op}
    restore()

    pairs = [
        *zip(outputs, [by_op[v] for v in graph.outputs]),
        *[(a, by_op[graph.updates[p]]) for p, a in zip(params, after) if p in graph.updates],
    ]
    largest = max((_difference(a, b) for a, b in pairs), default=0.0)
    if all(a.tobytes() == np.ascontiguousarray(b).tobytes() for a, b in pairs):
        return Agreement(True, 0.0, None)
    return Agreement(False, largest, _first(graph, by_op, planned))


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


def _first(graph: Graph, by_op: dict[Value, Any], planned: dict[Value, Any]) -> str | None:
    """The first traced op whose value survives in the program and differs there."""
    for node in graph.nodes:
        for o in node.outputs:
            got = planned.get(o)
            if got is not None and not np.array_equal(got, by_op[o], equal_nan=True):
                where = ", ".join(x for x in (node.scope, node.line) if x)
                return f"{node.prim!r} ({where})" if where else repr(node.prim)
    return None
