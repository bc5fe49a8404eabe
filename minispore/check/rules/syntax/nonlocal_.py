"""A nonlocal statement is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    yield from function.walk(ast.Nonlocal)


RULE = Rule(
    name="nonlocal",
    says="A nonlocal statement is refused.",
    bad="""n = 0
def tick():
    nonlocal n
    n += 1
    return n
return x * tick()""",
    good="""def tick(n):
    return n + 1
return x * tick(0)""",
    lax=REFUSED,
    find=_find,
)
