"""A set, written out or comprehended, is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    yield from function.walk(ast.Set, ast.SetComp)


RULE = Rule(
    name="set",
    says="A set, written out or comprehended, is refused.",
    bad="""s = {1, 2}
return x * len(s)""",
    good="""s = (1, 2)
return x * len(s)""",
    lax=REFUSED,
    find=_find,
)
