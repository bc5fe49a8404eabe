"""A list that its own methods change is not what Python makes of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import LIKELY, OTHER, Found, Rule
from minispore.check.source import Source, called

LOST = ("remove", "sort")
KEPT = ("insert", "extend")  # an empty list, which is one for all calls
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
        if called(call) in LOST or whole or (called(call) in KEPT and _fresh(function, call, on)):
            yield call


def _fresh(function: Source, call: ast.Call, on: ast.Name) -> bool:
    """Whether the list is bound as an empty one and nothing was appended to it before."""
    made = [s for s in function.stores.get(on.id, ()) if s.lineno < call.lineno][-1:]
    value = getattr(function.parents.get(made[0]), "value", None) if made else None
    empty = isinstance(value, ast.List) and not value.elts
    earlier = (
        c
        for c in function.calls("append")
        if isinstance(c.func, ast.Attribute) and ast.unparse(c.func.value) == on.id
    )
    return empty and not any(c.lineno < call.lineno for c in earlier)


RULE = Rule(
    name="list-changed",
    says="LAX does without remove and sort of a local list, does insert, extend, pop and reverse "
    "twice to a list that is returned, and what insert and extend put first into an empty one is "
    "there in the next call, too.",
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
