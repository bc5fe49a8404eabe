"""Algebraic simplification: rewrite rules that never change a bit of the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.graph.ir import Graph, Rule, make_node_like, rewrite
from minispore.ir.node import Node
from minispore.ir.operator import Operator
from minispore.ir.value import Value
from minispore.ops.elementwise.arithmetic import Div, Mul, RealDiv
from minispore.ops.elementwise.bases import ReduceToShape
from minispore.ops.elementwise.powers import Pow
from minispore.ops.elementwise.rounding import Neg
from minispore.ops.shape.cast_fill import Cast, Identity, OnesLike, StopGradient, ZerosLike
from minispore.ops.shape.views import BroadcastTo, Reshape, Transpose

_ARITHMETIC = (Mul, Div, RealDiv, Pow, Neg)
_RULES: list[tuple[type[Operator], Rule]] = []


def simplify(graph: Graph) -> Graph:
    """Apply the rules of this module until none applies: identities, casts to the same type, x * 1,
    double transposes.
    """

    def exclude_strided_inputs(rule: Rule) -> Rule:
        """Wrap ``rule`` to return None where it would return an input that is not in C order.

        The result of arithmetic on such an input is dense, so the input can't replace it.
        """

        def apply_rule(node: Node, producers: dict[Value, Node]) -> Any:
            """Apply the rule, unless it would return an input that is not in C order."""
            replacement = rule(node, producers)
            is_strided = replacement.__class__ is Value and replacement in graph.input_strides
            return None if is_strided else replacement

        return apply_rule

    return rewrite(
        graph,
        *[(op, exclude_strided_inputs(rule) if op in _ARITHMETIC else rule) for op, rule in _RULES],
        until_stable=True,
    )


def _register_rule(*ops: type[Operator]) -> Callable[[Rule], Rule]:
    """Return a decorator that adds a rewrite rule for ``ops`` to ``_RULES``."""

    def register(rule: Rule) -> Rule:
        """Add the rule to ``_RULES`` for each of ``ops``, and return it."""
        _RULES.extend((op, rule) for op in ops)
        return rule

    return register


@_register_rule(Identity, StopGradient)
def _drop_identity(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite Identity(x) and StopGradient(x) to x, since no value is written twice."""
    x = node.args[0]
    return x if x.__class__ is Value else None


@_register_rule(Cast)
def _drop_cast(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite a Cast of x to the type of x to x itself."""
    x = node.args[0]
    return x if x.__class__ is Value and x.spec == node.outputs[0].spec else None


@_register_rule(Reshape, BroadcastTo, ReduceToShape)
def _drop_same_shape(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite Reshape, BroadcastTo and ReduceToShape of x to the shape of x to x itself."""
    x = node.args[0]
    return x if x.spec == node.outputs[0].spec else None


@_register_rule(Transpose)
def _merge_transposes(node: Node, producers: dict[Value, Node]) -> Any:
    """Merge a Transpose of a Transpose into one, and rewrite an identity transpose to its input."""
    x, perm = node.args[0], tuple(node.args[1])
    if perm == tuple(range(len(perm))):
        return x
    inner = producers.get(x)
    if inner is not None and isinstance(inner.prim, Transpose):
        inner_perm = inner.args[1]
        return [make_node_like(node, node.prim, inner.args[0], tuple(inner_perm[i] for i in perm))]
    return None


@_register_rule(OnesLike, ZerosLike)
def _fold_single_fill(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite OnesLike(x) and ZerosLike(x) of one element to a constant.

    A larger one is not rewritten, since its strides are those of x.
    """
    spec = node.outputs[0].spec
    if spec.size != 1:
        return None
    fill = 1 if isinstance(node.prim, OnesLike) else 0
    element = np.full((), fill, spec.dtype)
    return Value(spec, np.broadcast_to(element, spec.shape) if spec.shape else element)


def _is_filled_with(x: Any, number: int) -> bool:
    """Whether x is a Python scalar, or a constant broadcast from one element, that equals
    ``number``.
    """
    if x.__class__ is not Value:
        return isinstance(x, int | float) and x == number
    data = x.data
    return (
        data is not None
        and not any(data.strides)
        and data.size > 0
        and bool(data.flat[0] == number)
    )


def _can_replace_output(x: Any, node: Node, producers: dict[Value, Node]) -> bool:
    """Whether x can replace the output of ``node``: it has the same spec and is neither a constant
    nor a view.

    A view can't, because sums and products add in the order of the strides of their input.
    """
    if x.__class__ is not Value or x.spec != node.outputs[0].spec or x.data is not None:
        return False
    producer = producers.get(x)
    return producer is None or not producer.prim.traits.has_view


@_register_rule(Mul)
def _drop_times_one(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite a * 1 to a, and 1 * b to b, if shape, dtype and strides stay the same; also where the
    1 is a tensor of ones.
    """
    a, b = node.args
    if _can_replace_output(a, node, producers) and (
        _is_filled_with(b, 1) or _find_ones_source(b, producers) is not None
    ):
        return a
    if _can_replace_output(b, node, producers) and (
        _is_filled_with(a, 1) or _find_ones_source(a, producers) is b
    ):
        return b  # not for another tensor's ones: a product has the strides of its first factor
    return None


def _find_ones_source(x: Any, producers: dict[Value, Node]) -> Any:
    """Return y if x is OnesLike(y); None otherwise."""
    producer = producers.get(x) if x.__class__ is Value else None
    is_ones = producer is not None and isinstance(producer.prim, OnesLike)
    return producer.args[0] if is_ones else None  # type: ignore[union-attr]


@_register_rule(Div, RealDiv)
def _drop_division_by_one(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite x / 1 to x if shape, dtype and strides stay the same."""
    x, y = node.args
    return x if _is_filled_with(y, 1) and _can_replace_output(x, node, producers) else None


@_register_rule(Pow)
def _drop_power_of_one(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite x ** 1, with a Python scalar as exponent, to x if dtype and strides stay the
    same.
    """
    x, y = node.args
    is_one = y.__class__ is not Value and y == 1
    return x if is_one and _can_replace_output(x, node, producers) else None


@_register_rule(Neg)
def _drop_double_negation(node: Node, producers: dict[Value, Node]) -> Any:
    """Rewrite -(-x) to x if the strides stay the same."""
    inner = producers.get(node.args[0])
    if inner is None or not isinstance(inner.prim, Neg):
        return None
    x = inner.args[0]
    return x if _can_replace_output(x, node, producers) else None


__all__ = ["simplify"]
