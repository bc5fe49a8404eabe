"""Widening: half floats stay in float32 between ops, rounded to the numbers that a half float has.

An op of half floats computes in float32 and rounds (:mod:`minispore.core.half`). Op by op that
converts each array that it reads and makes; in a graph only what comes in and goes out is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore.core import half
from minispore.core.primitive import Primitive
from minispore.core.value import Node, Spec, Value
from minispore.graph.ir import Graph, like, rewrite
from minispore.graph.strides import Strides
from minispore.ops.shape.whole import Cast
from minispore.ops.steps.halves import Converted, Rounded


def widen(graph: Graph) -> Graph:
    """f(x) of half floats -> Rounded(f(x)) in float32, and behind it a conversion for those who
    ask for halves: dead code, if nobody does.

    A copy of what is there in float32 copies that. Everything lies as half floats would, since
    what lies in another order is summed in another order.
    """
    if not any(half.is_half(o.spec.dtype) for n in graph.nodes for o in n.outputs):
        return graph
    return rewrite(graph, (Primitive, _Widening(graph)))


class _Widening:
    """The rule, and the float32 of each half value so far."""

    def __init__(self, graph: Graph) -> None:
        strides = Strides(graph)
        self.lies = strides.arrays
        self.views = {n.outputs[0] for n in strides.views}
        self.wide: dict[Value, Value] = {}

    def __call__(self, node: Node, producers: dict[Value, Node]) -> Any:
        if isinstance(node.prim, Cast | Converted):
            return self._conversion(node)
        halves = [a for a in node.inputs if half.is_half(a.spec.dtype)]
        if node.prim.moves:
            known = node.outputs[0] in self.views or any(a in self.wide for a in halves)
            # a number among pointwise arguments would have to be rounded as well
            plain = not node.prim.pointwise or len(node.inputs) == len(node.args)
            fits = bool(halves) and known and plain
        else:
            fits = half.widens(node.prim, tuple([o.spec for o in node.outputs]))
        if not fits or not all(self._can_be_read(a) for a in halves):
            return None
        steps = self._read(node, halves)
        made = like(node, node.prim, *[self._wide_of(a) for a in node.args])
        keeps = node.prim.moves or node.prim.chooses
        return [*steps, made, *self._ended(node, made.outputs, keeps)]

    def _conversion(self, node: Node) -> Any:
        x, out = node.args[0], node.outputs[0]
        to = out.spec.dtype
        if half.is_half(to) and x.spec.dtype == half.FLOAT32:
            return self._ended(node, [x], keeps=False)
        if to != half.FLOAT32 or x not in self.wide:
            return None
        if _steps(self.lies[x]) == _steps(self.lies[out]):
            return self.wide[x]
        return [like(node, Converted("float32"), self.wide[x])]

    def _wide_of(self, arg: Any) -> Any:
        return self.wide.get(arg, arg) if arg.__class__ is Value else arg

    def _can_be_read(self, value: Value) -> bool:
        known = value in self.wide or value.data is not None
        return known or half.is_dense(self.lies[value])

    def _read(self, node: Node, halves: Iterable[Value]) -> list[Node]:
        """The conversions of what is not in float32 yet."""
        steps = []
        for a in dict.fromkeys(halves):
            if a in self.wide:
                continue
            if a.data is not None:
                spec = Spec(a.spec.shape, half.FLOAT32)
                self.wide[a] = Value(spec, half.widened(a.data))
            else:
                steps.append(like(node, Converted("float32"), a))
                self.wide[a] = steps[-1].outputs[0]
        return steps

    def _ended(self, node: Node, made: Iterable[Value], keeps: bool) -> list[Any]:
        """What makes the outputs of ``node`` of those of float32, rounded unless it ``keeps`` the
        numbers of its inputs; and then these outputs.
        """
        steps: list[Any] = []
        outputs = []
        for out, wide in zip(node.outputs, made, strict=True):
            if not half.is_half(out.spec.dtype):
                outputs.append(wide)
                continue
            kind = out.spec.dtype.name
            if not keeps:
                steps.append(like(node, Rounded(kind), wide))
                wide = steps[-1].outputs[0]
            steps.append(like(node, Converted(kind), wide))
            back = steps[-1].outputs[0]
            self.wide[back], self.lies[back] = wide, self.lies[out]
            outputs.append(back)
        return [*steps, tuple(outputs)]


def _steps(a: np.ndarray) -> list[int]:
    """How many elements lie between neighbours along each axis."""
    return [s // a.itemsize for s, n in zip(a.strides, a.shape) if n > 1]
