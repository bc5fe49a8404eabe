"""A finished graph that can be called: what a model file holds, without the Python that made it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor, apply, wrap
from minispore.core.tree import mapped
from minispore.core.value import Node, Spec, Value
from minispore.graph import print as printer
from minispore.graph.ir import Graph
from minispore.ops.shape.whole import Cast, Identity


class FuncGraph:
    """Binds the nodes of ``graph`` again, in whatever mode it is called.

    Args:
        graph: nodes in program order; what it does to its Parameters is done to them at each call.
        structure: how the outputs are returned: the number of an output, or a tuple of structures.
        name: what it is called.
        shapes: of the inputs, -1 where the length of an axis is open; by default the graph's own.

    Raises:
        TypeError: when called, if an input is no Tensor.
        ValueError: when called, if the inputs do not have the number, shapes and dtypes
            of the graph's.
    """

    def __init__(
        self,
        graph: Graph,
        structure: Any = 0,
        name: str = "graph",
        shapes: Sequence[tuple[int, ...]] | None = None,
    ) -> None:
        self.graph = graph
        self.structure = structure
        self.name = name
        self.shapes = [v.spec.shape for v in graph.inputs] if shapes is None else shapes
        self._kept = _outlived(graph) if graph.updates else {}

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The Parameters by name."""
        return {p.name: p for p in self.graph.state}

    def update(self, contents: dict[str, Tensor]) -> None:
        """Give the Parameters that are named other contents; other names are passed over.

        Raises:
            ValueError: a content has another shape than its Parameter; nothing is changed then.
        """
        known = self.parameters
        found = {known[name]: value for name, value in contents.items() if name in known}
        for p, value in found.items():
            if p.shape != value.shape:
                raise ValueError(
                    f"{self.name}: parameter {p.name!r} must have the shape {p.shape}, got "
                    f"{value.shape}."
                )
        for p, value in found.items():
            p.set_data(Cast()(value, p.dtype))

    def __call__(self, *inputs: Tensor) -> Any:
        self._check(inputs)
        known: dict[Value, Any] = dict(zip(self.graph.inputs, inputs, strict=True))
        known.update((v, p) for p, v in self.graph.state.items())

        def of(arg: Any) -> Any:
            if arg.__class__ is not Value:
                return arg
            return known[arg] if arg in known else wrap(arg)

        for node in self.graph.nodes:
            args = tuple([of(a) for a in node.args])
            for old in self._kept.get(node, ()):
                known[old] = Identity()(known[old])
            made = apply(node.prim, args)
            outputs = made if isinstance(made, tuple) else (made,)
            known.update(zip(node.outputs, outputs, strict=True))
            for i, changed in zip(node.prim.mutates, node.outputs, strict=False):
                known[changed] = args[i]
        results = [of(v) for v in self.graph.outputs]
        return mapped(results.__getitem__, self.structure)

    def _check(self, inputs: tuple[Any, ...]) -> None:
        wanted = self.graph.inputs
        if len(inputs) != len(wanted):
            raise ValueError(
                f"{self.name}: must be called with {len(wanted)} tensors, got {len(inputs)}."
            )
        for i, (value, given) in enumerate(zip(wanted, inputs, strict=True)):
            if not isinstance(given, Tensor):
                raise TypeError(
                    f"{self.name}: input {i} must be a Tensor, got {given!r} "
                    f"({type(given).__name__})."
                )
            spec = given.value_.spec
            lengths = zip(self.shapes[i], spec.shape, strict=False)
            fits = spec.ndim == value.spec.ndim and all(n in (-1, m) for n, m in lengths)
            if spec.dtype != value.spec.dtype or not fits:
                raise ValueError(
                    f"{self.name}: input {i} must be {Spec(self.shapes[i], value.spec.dtype)}, as "
                    f"when the graph was exported, got {spec}."
                )

    def __str__(self) -> str:
        return printer.text(self.graph, self.name)

    def __repr__(self) -> str:
        g = self.graph
        inputs = ", ".join(str(v.spec) for v in g.inputs)
        outputs = ", ".join(str(v.spec) for v in g.outputs)
        return (
            f"FuncGraph({self.name}: ({inputs}) -> ({outputs}), {len(g.state)} parameters, "
            f"{len(g.nodes)} nodes)"
        )


def _outlived(graph: Graph) -> dict[Node, list[Value]]:
    """By nodes that change Parameters: the contents before it that are asked for after it."""
    last: dict[Value, int] = dict.fromkeys(graph.outputs, len(graph.nodes))
    for place, node in reversed([*enumerate(graph.nodes)]):
        for a in node.inputs:
            last.setdefault(a, place)
    kept = {
        node: [node.args[i] for i in node.prim.mutates if last[node.args[i]] > place]
        for place, node in enumerate(graph.nodes)
    }
    return {node: values for node, values in kept.items() if values}


__all__ = ["FuncGraph"]
