"""Report side effects of a ``constexpr`` function, which happen once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_constexpr_side_effect(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find ``append``, ``update`` and ``add`` calls in a ``constexpr`` function.

    Such a function runs when the graph is compiled, not at each call, so its side effects happen
    once, in LAX and STRICT.
    """
    node = function.node
    if isinstance(node, ast.FunctionDef) and "constexpr" in "".join(
        ast.unparse(d) for d in node.decorator_list
    ):
        yield from function.find_calls("append", "update", "add")


RULE = Rule(
    name="constexpr-effect",
    says="A constexpr function runs once, when the graph is compiled, so it changes Python state "
    "only once.",
    bad="return x * k(3)  # k appends to a list",
    good="return x * 3",
    lax=OTHER,
    strict=OTHER,
    around=make_construct_template(
        head="""seen = []


@ms.constexpr
def k(n):
    seen.append(n)
    return n"""
    ),
    find=_find_constexpr_side_effect,
)
