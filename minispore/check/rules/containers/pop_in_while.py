"""A list can't shrink in a while."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for loop in function.walk(ast.While):
        if function.kind(loop.test) == "list":
            yield loop


RULE = Rule(
    name="pop-in-while",
    says="A while over a list that its body pops is refused.",
    bad="""r = [1, 2]
while r:
    x = x + r.pop()
return x""",
    good="""for k in (2, 1):
    x = x + k
return x""",
    lax=REFUSED,
    find=_find,
)
