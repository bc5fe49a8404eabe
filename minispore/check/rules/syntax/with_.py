"""A with statement needs an object of a jit_class."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for made in function.walk(ast.With):
        for item in made.items:
            held = function.value(item.context_expr)
            if not hasattr(type(held), "__ms_class__"):
                yield item.context_expr


RULE = Rule(
    name="with",
    says="A with statement is refused unless its object is of a jit_class.",
    bad="""with self.manager as k:
    y = x * k
return y""",
    good="return x * self.k",
    lax=REFUSED,
    around=construct(
        "self.manager, self.k = contextlib.nullcontext(2), 2", head="import contextlib"
    ),
    find=_find,
)
