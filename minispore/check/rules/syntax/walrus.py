"""An assignment inside an expression is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    yield from function.walk(ast.NamedExpr)


RULE = Rule(
    name="walrus",
    says="An assignment inside an expression is refused.",
    bad="return (a := x + 1) * a",
    good="""a = x + 1
return a * a""",
    lax=REFUSED,
    find=_find,
)
