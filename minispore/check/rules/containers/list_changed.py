"""A list that its own methods change is not what Python makes of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import LIKELY, OTHER, Found, Rule
from minispore.check.source import Source, called

LOST = ("remove", "sort")
TWICE = ("insert", "extend", "pop", "reverse")  # in the graph, and once more in what it returns


def returned(function: Source, name: str) -> bool:
    """Whether the list itself is a result."""
    for n in function.loads:
        up = function.parents.get(n)
        while isinstance(up, ast.Tuple | ast.List):
            up = function.parents.get(up)
        if n.id == name and isinstance(up, ast.Return):
            return True
    return False


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls(*LOST, *TWICE):
        on = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(on, ast.Name) or function.kind(on) != "list":
            continue
        whole = function.name == "construct" and returned(function, on.id)
        if called(call) in LOST or whole:
            yield call


RULE = Rule(
    name="list-changed",
    says="LAX does without remove and sort of a local list, and does insert, extend, pop and "
    "reverse twice to a list that is returned.",
    bad="""r = [3, 1]
r.sort()
return x * r[0]""",
    good="""r = [1, 3]
return x * r[0]""",
    lax=OTHER,
    strict="",
    sure=LIKELY,
    find=_find,
)
