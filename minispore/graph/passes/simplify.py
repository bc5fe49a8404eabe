"""Algebraic simplification: rules that never change a bit of the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.value import Node, Value
from minispore.graph.ir import Graph, Rule, like, rewrite
from minispore.ops.elementwise.arithmetic import Div, Mul, RealDiv
from minispore.ops.elementwise.bases import ReduceToShape
from minispore.ops.elementwise.powers import Pow
from minispore.ops.elementwise.rounding import Neg
from minispore.ops.index.subscript import GetItemGrad
from minispore.ops.network.lstm_gradient import LSTMSequenceGrad
from minispore.ops.shape.views import BroadcastTo, Reshape, Transpose
from minispore.ops.shape.whole import Cast, Identity, OnesLike, StopGradient, ZerosLike

_ARITHMETIC = (Mul, Div, RealDiv, Pow, Neg)
_RULES: list[tuple[type[Primitive], Rule]] = []


def simplify(graph: Graph) -> Graph:
    """Apply the rules of this file until none fits: identities, casts to the same type, x * 1,
    double transposes.
    """

    def of_plain(rule: Rule) -> Rule:
        """Not for an input that lies in an order of its own, or is repeated: a product does not."""

        def applied(node: Node, producers: dict[Value, Node]) -> Any:
            made = rule(node, producers)
            return None if made.__class__ is Value and made in graph.lies else made

        return applied

    return rewrite(
        graph,
        *[(op, of_plain(rule) if op in _ARITHMETIC else rule) for op, rule in _RULES],
        again=True,
    )


def _on(*ops: type[Primitive]) -> Callable[[Rule], Rule]:
    def add(rule: Rule) -> Rule:
        _RULES.extend((op, rule) for op in ops)
        return rule

    return add


@_on(Identity, StopGradient)
def _same(node: Node, producers: dict[Value, Node]) -> Any:
    """Identity(x) = x: values are never written twice, so another name serves."""
    first = node.args[0]
    return first if first.__class__ is Value else None


@_on(Cast)
def _cast(node: Node, producers: dict[Value, Node]) -> Any:
    """Cast to the type that x has already."""
    x = node.args[0]
    return x if x.__class__ is Value and x.spec == node.outputs[0].spec else None


@_on(Reshape, BroadcastTo, ReduceToShape)
def _same_shape(node: Node, producers: dict[Value, Node]) -> Any:
    """Reshape, BroadcastTo and ReduceToShape to the shape that x has already."""
    x = node.args[0]
    return x if x.spec == node.outputs[0].spec else None


@_on(Transpose)
def _transpose(node: Node, producers: dict[Value, Node]) -> Any:
    """Transpose(Transpose(x, p), q) = Transpose(x, p after q); none at all for the identity."""
    x, perm = node.args[0], tuple(node.args[1])
    if perm == tuple(range(len(perm))):
        return x
    inner = producers.get(x)
    if inner is not None and isinstance(inner.prim, Transpose):
        first = inner.args[1]
        return [like(node, node.prim, inner.args[0], tuple(first[i] for i in perm))]
    return None


@_on(OnesLike, ZerosLike)
def _filled(node: Node, producers: dict[Value, Node]) -> Any:
    """OnesLike(x) and ZerosLike(x) of one number depend on x's spec only: a constant. A larger one
    lies as x does.
    """
    spec = node.outputs[0].spec
    if spec.size != 1:
        return None
    fill = 1 if isinstance(node.prim, OnesLike) else 0
    one = np.full((), fill, spec.dtype)
    return Value(spec, np.broadcast_to(one, spec.shape) if spec.shape else one)


def _is_filled(x: Any, number: int) -> bool:
    if x.__class__ is not Value:
        return isinstance(x, int | float) and x == number
    data = x.data
    return (
        data is not None
        and not any(data.strides)
        and data.size > 0
        and bool(data.flat[0] == number)
    )


def _stays(x: Any, node: Node, producers: dict[Value, Node]) -> bool:
    """Whether x is what ``node`` gives in shape and type, and lies as that does. A view does not:
    sums and products add in the order in which their input lies.
    """
    if x.__class__ is not Value or x.spec != node.outputs[0].spec or x.data is not None:
        return False
    made = producers.get(x)
    return made is None or not made.prim.has_view


@_on(Mul)
def _times_one(node: Node, producers: dict[Value, Node]) -> Any:
    """x * 1 = x where the shape stays."""
    x, y = node.args
    if _stays(x, node, producers) and (_is_filled(y, 1) or _ones(y, producers) is not None):
        return x
    if _stays(y, node, producers) and (_is_filled(x, 1) or _ones(x, producers) is y):
        return y  # of two of one shape, the product lies as the first does
    return None


def _ones(x: Any, producers: dict[Value, Node]) -> Any:
    """The y of which x is OnesLike(y), or None."""
    made = producers.get(x) if x.__class__ is Value else None
    return made.args[0] if made is not None and isinstance(made.prim, OnesLike) else None


@_on(Div, RealDiv)
def _over_one(node: Node, producers: dict[Value, Node]) -> Any:
    """x / 1 = x where shape and dtype stay."""
    x, y = node.args
    return x if _is_filled(y, 1) and _stays(x, node, producers) else None


@_on(Pow)
def _power(node: Node, producers: dict[Value, Node]) -> Any:
    """x ** 1 = x."""
    x, y = node.args
    one = y.__class__ is not Value and y == 1
    return x if one and _stays(x, node, producers) else None


@_on(Neg)
def _negated_twice(node: Node, producers: dict[Value, Node]) -> Any:
    """-(-x) = x."""
    inner = producers.get(node.args[0])
    if inner is None or not isinstance(inner.prim, Neg):
        return None
    x = inner.args[0]
    return x if _stays(x, node, producers) else None


@_on(GetItemGrad)
def _slot_in_slot(node: Node, producers: dict[Value, Node]) -> Any:
    """What x[a:b].transpose(perm)[index] gives back to x is written there at once."""
    d, shape, parts = node.args[:3]
    inner: Any
    inner, perm = producers.get(d), tuple(range(len(shape)))
    if inner is not None and isinstance(inner.prim, Transpose):
        inner, perm = producers.get(inner.args[0]), tuple(inner.args[1])
    outer = _ranges(parts, shape)
    if inner is None or not isinstance(inner.prim, GetItemGrad) or outer is None:
        return None
    picked = _ranges(inner.args[2], inner.args[1])
    if picked is None or not all(isinstance(some, range) and some.step == 1 for some in outer):
        return None
    kept = [axis for axis in perm if isinstance(picked[axis], range)]
    if kept != sorted(kept):  # what is given back would have to be transposed
        return None
    both = [_of(some, picked[axis]) for some, axis in zip(outer, perm, strict=True)]
    return [like(node, node.prim, inner.args[0], shape, tuple(both))]


@_on(LSTMSequenceGrad)
def _end_alone(node: Node, producers: dict[Value, Node]) -> Any:
    """A cotangent of all h that is 0 but at the end is that of the end."""
    *before, dhs, dcs = node.args
    slot, lengths = producers.get(dhs), node.args[5]
    if slot is None or not isinstance(slot.prim, GetItemGrad) or lengths is not None:
        return None
    (count, *state), picked = slot.args[1], _ranges(slot.args[2], slot.args[1])
    end = 0 if getattr(node.prim, "reverse", False) else count - 1
    whole = [range(n) for n in state]
    if picked not in ([end, *whole], [range(end, end + 1), *whole]):
        return None
    given = like(node, Reshape(), slot.args[0], (1, *state))
    return [given, like(node, node.prim, *before, given.outputs[0], dcs)]


def _ranges(parts: Any, shape: tuple[int, ...]) -> list[range | int] | None:
    """What an index of ints and forward slices picks along each axis; None of another one."""
    found: list[range | int] = []
    if len(parts) > len(shape):
        return None
    for n, part in zip(shape, parts, strict=False):
        if type(part) is int:
            found.append(part % n)
        elif isinstance(part, tuple) and part[0] == "slice":
            found.append(range(n)[slice(*part[1:])])
            if found[-1].step < 1 or not found[-1]:  # type: ignore[union-attr]
                return None
        else:
            return None
    return found + [range(n) for n in shape[len(parts) :]]


def _of(some: Any, picked: Any) -> Any:
    """What picks these of some."""
    if isinstance(picked, int):
        return some[picked]
    both = some[picked.start : picked.stop : picked.step]
    return "slice", both.start, both.stop, both.step


__all__ = ["simplify"]
