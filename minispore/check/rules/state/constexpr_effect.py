"""A constexpr runs once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    node = function.node
    if isinstance(node, ast.FunctionDef) and "constexpr" in "".join(
        ast.unparse(d) for d in node.decorator_list
    ):
        yield from function.calls("append", "update", "add")


RULE = Rule(
    name="constexpr-effect",
    says="A function under constexpr that changes Python state does so once, at compile time.",
    bad="return x * k(3)  # k appends to a list",
    good="return x * 3",
    lax=OTHER,
    strict=OTHER,
    around=construct(
        head="""seen = []


@ms.constexpr
def k(n):
    seen.append(n)
    return n"""
    ),
    find=_find,
)
