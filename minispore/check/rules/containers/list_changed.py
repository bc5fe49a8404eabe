"""insert, extend, pop, remove, reverse, sort and clear of a list are not what Python does."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import LIKELY, OTHER, Found, Rule
from minispore.check.source import Source

METHODS = ("insert", "extend", "pop", "remove", "reverse", "sort")


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls(*METHODS):
        on = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(on, ast.Name) and function.kind(on) == "list":
            yield call


RULE = Rule(
    name="list-changed",
    says="LAX gives something else for a local list that insert, extend, pop, remove, reverse or "
    "sort changes.",
    bad="""r = [3, 1]
r.reverse()
return x * r[0]""",
    good="""r = [1, 3]
return x * r[0]""",
    lax=OTHER,
    strict="",
    sure=LIKELY,
    find=_find,
)
