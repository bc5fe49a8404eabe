"""The verifier: checks the invariants of a graph, before and after each pass."""

from __future__ import annotations

from minispore.core.primitive import UnknownShape
from minispore.graph.ir import Graph
from minispore.ir.value import Spec, Value


class InvalidGraph(AssertionError):
    """A pass broke a graph."""


def verify(graph: Graph, after: str = "trace") -> Graph:
    """Check that each value is written once, before it is read, and that its spec is the one that
    ``infer`` returns; return the graph unchanged.

    ``after`` is the name of the last pass, for the message.

    Raises:
        InvalidGraph: an invariant is violated; the message names the node and the last pass.
    """
    defined: set[Value] = {*graph.inputs, *graph.state.values()}

    def raise_invalid(violation: str) -> None:
        """Raise InvalidGraph with the violation and the name of the last pass."""
        raise InvalidGraph(f"after {after}: {violation}")

    for node in graph.nodes:
        for a in node.inputs:
            if a not in defined and a.data is None:
                raise_invalid(f"{node!r} reads a value that nothing wrote before it")
        try:
            inferred = node.prim.infer(*[a.spec if a.__class__ is Value else a for a in node.args])
        except UnknownShape:
            inferred = None
        except Exception as exc:
            raise InvalidGraph(f"after {after}: {node!r} can't be inferred again: {exc}") from exc
        specs = inferred if inferred.__class__ is tuple else (inferred,)
        for o, spec in zip(node.outputs, specs, strict=True):
            if o in defined:
                raise_invalid(f"{node!r} writes a value that is written already")
            if isinstance(spec, Spec) and o.spec != spec:
                raise_invalid(f"{node!r} is said to give {o.spec}, but infers {spec}")
            defined.add(o)
    for v in graph.results():
        if v not in defined and v.data is None:
            raise_invalid(f"a result {v.spec} is never computed")
    return graph
