"""Dicts can't be joined by |."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for made in function.walk(ast.BinOp):
        if isinstance(made.op, ast.BitOr) and function.kind(made.left) == "dict":
            yield made


RULE = Rule(
    name="dict-or",
    says="{..} | {..} is refused.",
    bad="""d = {"a": 1} | {"b": 2}
return x * len(d)""",
    good="""d = {"a": 1, "b": 2}
return x * len(d)""",
    lax=REFUSED,
    find=_find,
)
