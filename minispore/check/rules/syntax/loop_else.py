"""The else of a loop is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for loop in function.walk(ast.For, ast.While):
        if loop.orelse:
            yield loop.orelse[0]


RULE = Rule(
    name="loop-else",
    says="The else of a for or while is refused.",
    bad="""for i in range(3):
    x = x + i
else:
    x = x * 10
return x""",
    good="""for i in range(3):
    x = x + i
return x * 10""",
    lax=REFUSED,
    find=_find,
)
