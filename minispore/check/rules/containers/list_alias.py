"""A list or dict that has two names is two lists in a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import LIKELY, OTHER, Found, Rule
from minispore.check.rules.containers.list_changed import returned
from minispore.check.source import Source


def _aliased(function: Source, name: str) -> bool:
    for store in function.stores.get(name, ()):
        value = getattr(function.parents.get(store), "value", None)
        if isinstance(value, ast.Name) and function.kind(value) in ("list", "dict"):
            return True
    return False


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls("append"):
        on = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(on, ast.Name):
            continue
        given = on.id in function.arguments and function.kind(on) == "list"
        given = given and not returned(function, on.id)
        if given or function.within(call, ast.ListComp) or _aliased(function, on.id):
            yield call
    for grown in function.walk(ast.AugAssign):
        on = grown.target
        if isinstance(on, ast.Name) and function.kind(grown.value) == "list":
            yield from [grown] if _aliased(function, on.id) else []
    for node in function.walk(ast.Subscript):
        on = node.value
        if not isinstance(node.ctx, ast.Store) or not isinstance(on, ast.Name):
            continue
        if _aliased(function, on.id) and function.kind(on) in ("list", "dict"):
            yield node


RULE = Rule(
    name="list-alias",
    says="A list or dict that is changed under another name, in a helper or in a comprehension "
    "stays as it was under the first.",
    bad="r = [1]\nq = r\nq.append(2)\nreturn x * len(r)",
    good="r = [1]\nr.append(2)\nreturn x * len(r)",
    lax=OTHER,
    strict=OTHER,
    sure=LIKELY,
    find=_find,
)
