"""A match statement is refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    yield from function.walk(ast.Match)


RULE = Rule(
    name="match",
    says="A match statement is refused.",
    bad="""match x.ndim:
    case 1:
        return x
return x * 2""",
    good="""if x.ndim == 1:
    return x
return x * 2""",
    lax=REFUSED,
    find=_find,
)
