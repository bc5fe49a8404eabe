"""A try statement is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    yield from function.walk(ast.Try, ast.TryStar)


RULE = Rule(
    name="try",
    says="A try statement is refused.",
    bad="""try:
    y = ops.sqrt(x)
except ValueError:
    y = x
return y""",
    good="return ops.sqrt(x)",
    lax=REFUSED,
    find=_find,
)
