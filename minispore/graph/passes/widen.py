"""The widening pass: float16 and bfloat16 values stay in float32 between ops, rounded to half
precision.

An op on float16 or bfloat16 (half) values computes in float32 and rounds
(:mod:`minispore.execution.half`). In PYNATIVE_MODE each op converts its inputs and outputs. In a
graph only the inputs and outputs of the graph are converted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.execution import half
from minispore.graph.ir import Graph, make_node_like, rewrite
from minispore.graph.strides import StrideInference
from minispore.ir.node import Node
from minispore.ir.value import Spec, Value
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.steps.half_precision import Converted, Rounded


def widen(graph: Graph) -> Graph:
    """Rewrite f(x) of half values to Rounded(f(x)) in float32.

    A conversion to the half type follows for readers that need it, and is dead code if there are
    none. An op that only copies elements of a widened value copies the float32 elements. All values
    keep the strides that they would have in the half type, since other strides would change the
    order of sums.
    """
    if not any(half.is_half(o.spec.dtype) for n in graph.nodes for o in n.outputs):
        return graph
    return rewrite(graph, (Primitive, _WideningRule(graph)))


class _WideningRule:
    """The rewrite rule of :func:`widen`; remembers the float32 value of each half value.

    Attributes:
        arrays: for each value a placeholder array with its strides.
        views: the values that are views of others.
        wide_values: the float32 value of each half value.
    """

    def __init__(self, graph: Graph) -> None:
        strides = StrideInference(graph)
        self.arrays = strides.arrays
        self.views = {n.outputs[0] for n in strides.views}
        self.wide_values: dict[Value, Value] = {}

    def __call__(self, node: Node, producers: dict[Value, Node]) -> Any:
        """Return the op's nodes in float32, with conversions; None if the op is not widened."""
        if isinstance(node.prim, Cast | Converted):
            return self._widen_conversion(node)
        half_inputs = [a for a in node.inputs if half.is_half(a.spec.dtype)]
        if node.prim.arithmetic.is_copy:
            reads_wide = node.outputs[0] in self.views or any(
                a in self.wide_values for a in half_inputs
            )
            # A Python scalar among the arguments of a pointwise op would have to be rounded as
            # well.
            has_no_scalars = not node.prim.pointwise or len(node.inputs) == len(node.args)
            can_widen = bool(half_inputs) and reads_wide and has_no_scalars
        else:
            can_widen = half.computes_in_float32(node.prim, tuple([o.spec for o in node.outputs]))
        if not can_widen or not all(self._is_convertible(a) for a in half_inputs):
            return None
        conversions = self._emit_conversions(node, half_inputs)
        wide_node = make_node_like(
            node, node.prim, *[self._get_wide_argument(a) for a in node.args]
        )
        is_exact = node.prim.arithmetic.is_exact
        return [*conversions, wide_node, *self._emit_outputs(node, wide_node.outputs, is_exact)]

    def _widen_conversion(self, node: Node) -> Any:
        """Widen a Cast or Converted between float32 and a half type; return None if it stays
        unchanged.

        A conversion to float32 becomes the float32 value of its input, copied if its strides
        differ.
        """
        x, out = node.args[0], node.outputs[0]
        dtype = out.spec.dtype
        if half.is_half(dtype) and x.spec.dtype == half.FLOAT32:
            return self._emit_outputs(node, [x], is_exact=False)
        if dtype != half.FLOAT32 or x not in self.wide_values:
            return None
        if _compute_element_strides(self.arrays[x]) == _compute_element_strides(self.arrays[out]):
            return self.wide_values[x]
        return [make_node_like(node, Converted("float32"), self.wide_values[x])]

    def _get_wide_argument(self, arg: Any) -> Any:
        """Return the float32 value of a half value, if it has one; any other argument unchanged."""
        return self.wide_values.get(arg, arg) if arg.__class__ is Value else arg

    def _is_convertible(self, value: Value) -> bool:
        """Whether ``value`` has a float32 value or can get one, because it is a constant or its
        array is dense.
        """
        is_available = value in self.wide_values or value.data is not None
        return is_available or half.is_dense(self.arrays[value])

    def _emit_conversions(self, node: Node, half_inputs: Iterable[Value]) -> list[Node]:
        """Return nodes that convert to float32 the inputs that have no float32 value yet.

        Records their outputs in ``wide_values``; constants are converted immediately, without a
        node.
        """
        nodes = []
        for a in dict.fromkeys(half_inputs):
            if a in self.wide_values:
                continue
            if a.data is not None:
                spec = Spec(a.spec.shape, half.FLOAT32)
                self.wide_values[a] = Value(spec, half.to_float32(a.data))
            else:
                nodes.append(make_node_like(node, Converted("float32"), a))
                self.wide_values[a] = nodes[-1].outputs[0]
        return nodes

    def _emit_outputs(self, node: Node, wide_outputs: Iterable[Value], is_exact: bool) -> list[Any]:
        """Return nodes that convert float32 outputs to the half type, followed by the new outputs.

        Also records the float32 value of each new output.

        Args:
            node: the node on half values.
            wide_outputs: its outputs in float32.
            is_exact: whether the outputs are elements of the inputs, which need no rounding.
        """
        nodes: list[Any] = []
        outputs = []
        for out, wide in zip(node.outputs, wide_outputs, strict=True):
            if not half.is_half(out.spec.dtype):
                outputs.append(wide)
                continue
            dtype_name = out.spec.dtype.name
            if not is_exact:
                nodes.append(make_node_like(node, Rounded(dtype_name), wide))
                wide = nodes[-1].outputs[0]
            nodes.append(make_node_like(node, Converted(dtype_name), wide))
            narrow = nodes[-1].outputs[0]
            self.wide_values[narrow], self.arrays[narrow] = wide, self.arrays[out]
            outputs.append(narrow)
        return [*nodes, tuple(outputs)]


def _compute_element_strides(a: np.ndarray) -> list[int]:
    """Return the stride of each axis longer than 1, in elements."""
    return [s // a.itemsize for s, n in zip(a.strides, a.shape) if n > 1]
