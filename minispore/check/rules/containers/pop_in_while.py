"""A list can't shrink in a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.rules.state.self_item import is_of_self
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for loop in function.walk(ast.While):
        if function.kind(loop.test) == "list":
            yield loop
    for call in function.calls("pop"):
        on = call.func.value if isinstance(call.func, ast.Attribute) else call
        local = isinstance(on, ast.Name) and function.kind(on) == "list"
        looped = local and function.within(call, ast.For, ast.While)
        if looped or (is_of_self(function, on) and isinstance(function.value(on), list)):
            yield call


RULE = Rule(
    name="pop-in-while",
    says="A while over a list, and pop of a list in a loop or of one of self, are refused.",
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
