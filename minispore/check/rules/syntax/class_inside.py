"""A class made inside of construct is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    yield from function.walk(ast.ClassDef)


RULE = Rule(
    name="class-inside",
    says="A class made inside of construct is refused.",
    bad="""class A:
    k = 3
return x * A.k""",
    good="""k = 3
return x * k""",
    lax=REFUSED,
    find=_find,
)
