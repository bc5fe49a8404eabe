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

_RULES: list[tuple[type[Primitive], Rule]] = []


def simplify(graph: Graph) -> Graph:
    """Apply the rules of this file until none fits: identities, casts to the same type, x * 1,
    double transposes.
    """
    return rewrite(graph, *_RULES, again=True)


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
    if x.spec == node.outputs[0].spec:
        return x
    inner = producers.get(x)
    both = inner is not None and isinstance(inner.prim, Reshape)
    if inner is not None and both and isinstance(node.prim, Reshape):
        return [like(node, node.prim, inner.args[0], node.outputs[0].spec.shape)]
    return None


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
    """OnesLike(x) and ZerosLike(x) depend on x's spec only: a constant that is broadcast."""
    spec = node.outputs[0].spec
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


def _own(x: Value, producers: dict[Value, Node]) -> bool:
    """Whether x has memory of its own. What comes of a view lies anew, so the view can't take its
    place: sums and products add in the order in which their input lies.
    """
    made = producers.get(x)
    return x.data is None and (made is None or not made.prim.has_view)


@_on(Mul)
def _times_one(node: Node, producers: dict[Value, Node]) -> Any:
    """x * 1 = x where the shape stays."""
    x, y = node.args
    for a, b in ((x, y), (y, x)):
        fits = a.__class__ is Value and a.spec == node.outputs[0].spec
        if fits and _is_filled(b, 1) and _own(a, producers):
            return a
    return None


@_on(Div, RealDiv)
def _over_one(node: Node, producers: dict[Value, Node]) -> Any:
    """x / 1 = x where shape and dtype stay."""
    x, y = node.args
    fits = x.__class__ is Value and x.spec == node.outputs[0].spec
    return x if fits and _is_filled(y, 1) and _own(x, producers) else None


@_on(Pow)
def _power(node: Node, producers: dict[Value, Node]) -> Any:
    """x ** 1 = x."""
    x, y = node.args
    fits = x.__class__ is Value and x.spec == node.outputs[0].spec
    fits = fits and y.__class__ is not Value and y == 1
    return x if fits and _own(x, producers) else None


@_on(Neg)
def _negated_twice(node: Node, producers: dict[Value, Node]) -> Any:
    """-(-x) = x."""
    inner = producers.get(node.args[0])
    if inner is None or not isinstance(inner.prim, Neg):
        return None
    x = inner.args[0]
    return x if _own(x, producers) else None


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
    *before, dhs, dcs, x, b = node.args
    slot, lengths = producers.get(dhs), node.args[5]
    if slot is None or not isinstance(slot.prim, GetItemGrad) or lengths is not None:
        return None
    (count, *state), picked = slot.args[1], _ranges(slot.args[2], slot.args[1])
    end = 0 if getattr(node.prim, "reverse", False) else count - 1
    whole = [range(n) for n in state]
    if picked not in ([end, *whole], [range(end, end + 1), *whole]):
        return None
    given = like(node, Reshape(), slot.args[0], (1, *state))
    return [given, like(node, node.prim, *before, given.outputs[0], dcs, x, b)]


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
