"""Report writes to a list argument that its caller does not see."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_write_to_list_argument(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find assignments to items of a list argument of the function.

    In a graph, LAX or STRICT, the caller does not see the new item; in PYNATIVE_MODE the caller's
    list changes.
    """
    for node in function.walk(ast.Subscript):
        if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            name = node.value.id
            if name in function.arguments and name not in function.stores:
                container_kind = function.infer_kind(node.value)
                is_augmented = isinstance(function.parents.get(node), ast.AugAssign)
                if container_kind == "list" and not is_augmented:  # r[0] += x writes into it
                    yield node


RULE = Rule(
    name="argument-written",
    says="A graph's write to an item of a list argument does not reach the caller's list. Make a "
    "new list instead.",
    bad="r[0] = x  # r is an argument\nreturn r[0]",
    good="r = [x, *r[1:]]\nreturn r[0]",
    lax=OTHER,
    strict=OTHER,
    around=make_construct_template(
        parameters="x, r", run="Net()(Tensor([1.0, 2.0]), [Tensor([3.0])])"
    ),
    find=_find_write_to_list_argument,
)
