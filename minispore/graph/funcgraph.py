"""A finished graph that can be called: the content of a model file, without its Python code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor, apply, wrap
from minispore.core.tree import map_leaves
from minispore.graph import print as printer
from minispore.graph.ir import Graph
from minispore.ir.node import Node
from minispore.ir.value import Spec, Value
from minispore.ops.shape.cast_fill import Cast, Identity


class FuncGraph:
    """A callable graph, whose nodes are bound again at each call, in either mode.

    Args:
        graph: nodes in program order; each call applies its updates to its Parameters.
        structure: the form of the result: the index of an output, or a tuple of structures.
        name: the name in errors and printed text.
        shapes: the shapes of the inputs, -1 for a dynamic length; by default the graph's own.

    Raises:
        TypeError: when called, if an input is not a Tensor.
        ValueError: when called, if the inputs do not have the number, shapes and dtypes of the
            graph's.
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
        self._overwritten_values = _find_overwritten_but_read_later(graph) if graph.updates else {}

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The Parameters of the graph by name."""
        return {p.name: p for p in self.graph.state}

    def update(self, contents: dict[str, Tensor]) -> None:
        """Set the content of the Parameters that ``contents`` names, cast to their dtypes; unknown
        names are ignored.

        Raises:
            ValueError: the shape of a content differs from its Parameter's; then nothing is
                changed.
        """
        parameters = self.parameters
        updates = {
            parameters[name]: value for name, value in contents.items() if name in parameters
        }
        for p, value in updates.items():
            if p.shape != value.shape:
                raise ValueError(
                    f"{self.name}: parameter {p.name!r} must have the shape {p.shape}, got "
                    f"{value.shape}."
                )
        for p, value in updates.items():
            p.set_data(Cast()(value, p.dtype))

    def __call__(self, *inputs: Tensor) -> Any:
        """Apply the graph's ops to ``inputs`` and its Parameters, and return the result in its
        structure.

        Updates its Parameters. Records gradients, or extends the graph that is being traced.
        """
        self._check_inputs(inputs)
        tensors: dict[Value, Any] = dict(zip(self.graph.inputs, inputs, strict=True))
        tensors.update((v, p) for p, v in self.graph.state.items())

        def get_operand(arg: Any) -> Any:
            """Return the tensor of a Value, or a new one for a constant; other arguments are
            returned unchanged.
            """
            if arg.__class__ is not Value:
                return arg
            return tensors[arg] if arg in tensors else wrap(arg)

        for node in self.graph.nodes:
            args = tuple([get_operand(a) for a in node.args])
            for value in self._overwritten_values.get(node, ()):
                tensors[value] = Identity()(tensors[value])  # a copy of the old content
            result = apply(node.prim, args)
            outputs = result if isinstance(result, tuple) else (result,)
            tensors.update(zip(node.outputs, outputs, strict=True))
            for position, output in zip(node.prim.mutates, node.outputs, strict=False):
                tensors[output] = args[position]  # the Parameter, which has the new content now
        results = [get_operand(v) for v in self.graph.outputs]
        return map_leaves(results.__getitem__, self.structure)

    def _check_inputs(self, inputs: tuple[Any, ...]) -> None:
        """Check that the inputs of a call have the number, shapes and dtypes of the graph's inputs.

        Raises:
            TypeError: an input is not a Tensor.
            ValueError: the number of inputs, or the shape or dtype of one, is wrong.
        """
        expected = self.graph.inputs
        if len(inputs) != len(expected):
            raise ValueError(
                f"{self.name}: must be called with {len(expected)} tensors, got {len(inputs)}."
            )
        for i, (value, tensor) in enumerate(zip(expected, inputs, strict=True)):
            if not isinstance(tensor, Tensor):
                raise TypeError(
                    f"{self.name}: input {i} must be a Tensor, got {tensor!r} "
                    f"({type(tensor).__name__})."
                )
            spec = tensor.value_.spec
            lengths = zip(self.shapes[i], spec.shape, strict=False)
            has_shape = spec.ndim == value.spec.ndim and all(n in (-1, m) for n, m in lengths)
            if spec.dtype != value.spec.dtype or not has_shape:
                raise ValueError(
                    f"{self.name}: input {i} must be {Spec(self.shapes[i], value.spec.dtype)}, as "
                    f"when the graph was exported, got {spec}."
                )

    def __str__(self) -> str:
        """Return the graph as text, one op a line."""
        return printer.text(self.graph, self.name)

    def __repr__(self) -> str:
        """Return the name, the specs of inputs and outputs, and the parameter and node counts."""
        g = self.graph
        inputs = ", ".join(str(v.spec) for v in g.inputs)
        outputs = ", ".join(str(v.spec) for v in g.outputs)
        return (
            f"FuncGraph({self.name}: ({inputs}) -> ({outputs}), {len(g.state)} parameters, "
            f"{len(g.nodes)} nodes)"
        )


def _find_overwritten_but_read_later(graph: Graph) -> dict[Node, list[Value]]:
    """Find the contents of Parameters that a node overwrites although they are read later.

    Returns:
        The values to copy before each such node.
    """
    last_reads: dict[Value, int] = dict.fromkeys(graph.outputs, len(graph.nodes))
    for index, node in reversed([*enumerate(graph.nodes)]):
        for a in node.inputs:
            last_reads.setdefault(a, index)
    overwritten = {
        node: [node.args[i] for i in node.prim.mutates if last_reads[node.args[i]] > index]
        for index, node in enumerate(graph.nodes)
    }
    return {node: values for node, values in overwritten.items() if values}


__all__ = ["FuncGraph"]
