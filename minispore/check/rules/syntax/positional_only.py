"""Positional-only arguments are refused."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for made in (function.node, *function.walk(ast.FunctionDef)):
        if made.args.posonlyargs:
            yield made.args.posonlyargs[0]


RULE = Rule(
    name="positional-only",
    says="Arguments before a slash are refused.",
    bad="""def f(a, /):
    return a
return f(x)""",
    good="""def f(a):
    return a
return f(x)""",
    lax=REFUSED,
    find=_find,
)
