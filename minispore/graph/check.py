"""Comparison of graph and eager mode: run one call in both and name the first op that differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from minispore.core.tree import tensors_in
from minispore.execution import random
from minispore.graph.ir import Graph
from minispore.graph.passes.clean import compute_outputs
from minispore.graph.program import Program
from minispore.graph.staging import program_of
from minispore.ir.node import Node
from minispore.ir.value import Spec, Value


@dataclass(frozen=True)
class Agreement:
    """The result of :func:`check_modes`; true if the modes agree to the last bit."""

    equal: bool
    largest: float  # the largest absolute difference of any output or updated Parameter
    first: str | None  # the first op that differs, with its Cell and Python line

    def __bool__(self) -> bool:
        """Whether both modes agree to the last bit."""
        return self.equal

    def __str__(self) -> str:
        """Say that both modes agree to the last bit, or give the largest difference and the first
        op that differs.
        """
        if self.equal:
            return "GRAPH and PYNATIVE agree to the last bit"
        where = f"; the first op that differs is {self.first}" if self.first else ""
        return f"GRAPH and PYNATIVE differ by at most {self.largest:.3g}{where}"


def check_modes(net: Callable[..., Any], *inputs: Any) -> Agreement:
    """Run ``net(*inputs)`` once in each mode from the same state; the state is restored afterwards.

    Returns:
        An :class:`Agreement`.

    >>> print(check_modes(lambda x: x * 2.0, Tensor([1.0])))
    GRAPH and PYNATIVE agree to the last bit
    """
    program = program_of(net, *inputs)
    graph = program.traced
    params = list(graph.state)
    initial_contents = [p.asnumpy() for p in params]
    random_state = random.get_state()

    def restore_state() -> None:
        """Restore the contents of the Parameters and the random state from before the first run."""
        for p, content in zip(params, initial_contents):
            p.set_data(Tensor(content))
        random.set_state(random_state)

    arrays = [t._value.data for t in tensors_in(inputs)]
    # Each run begins with the same Parameters and random state. The run op by op executes the
    # traced graph, whose values the optimised graph shares where both compute them.
    eager_arrays = _run_op_by_op(graph, arrays, initial_contents)
    restore_state()
    outputs = [a.copy() for a in program.run(arrays)]
    final_contents = [p.asnumpy() for p in params]
    restore_state()

    compared = [
        *zip(outputs, [eager_arrays[v] for v in graph.outputs]),
        *[
            (a, eager_arrays[graph.updates[p]])
            for p, a in zip(params, final_contents)
            if p in graph.updates
        ],
    ]
    if all(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc") for a, b in compared):
        return Agreement(True, 0.0, None)
    first_op = _find_first_difference(Program(program.graph), arrays, eager_arrays)
    restore_state()
    return Agreement(False, max(_compute_max_difference(a, b) for a, b in compared), first_op)


def _compute_max_difference(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest absolute difference of two arrays, for complex ones the largest modulus of
    a difference; 0.0 if they are empty.
    """
    dtype = np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64
    return float(np.max(np.abs(a.astype(dtype) - b.astype(dtype)), initial=0.0))


def _run_op_by_op(
    graph: Graph, inputs: list[Any], state: list[np.ndarray]
) -> dict[Value, np.ndarray]:
    """Run the nodes of ``graph`` one by one and return the array of each value.

    Args:
        graph: the traced graph.
        inputs: an array for each input.
        state: the content of each Parameter, in the order of ``graph.state``.
    """
    arrays = dict(zip([*graph.inputs, *graph.state.values()], [*inputs, *state]))
    for node in graph.nodes:
        args = tuple([
            Value(Spec(a.spec.shape, a.spec.dtype), arrays.get(a, a.data)) if a.__class__ is Value
            else a for a in node.args
        ])  # fmt: skip
        for o, array in zip(
            node.outputs, compute_outputs(Node(node.prim, args, node.outputs)), strict=True
        ):
            arrays[o] = array
    return arrays


def _find_first_difference(
    program: Program, inputs: list[Any], eager_arrays: dict[Value, Any]
) -> str | None:
    """Return the first op whose output differs from its op-by-op run, with its Cell and line.

    Runs the program call by call, so Parameters change. Returns None if no op differs.
    """
    program.load(inputs)
    for node, calls in groupby(program.steps(), key=itemgetter(0)):
        for _, call in calls:
            call()
        for o in node.outputs if node is not None else ():
            expected, actual = eager_arrays.get(o), program.plan.arrays[o]
            if expected is not None and not np.array_equal(
                actual, expected, equal_nan=actual.dtype.kind in "fc"
            ):
                location = ", ".join(x for x in (node.scope, node.line) if x)
                return f"{node.prim!r} ({location})" if location else repr(node.prim)
    return None
