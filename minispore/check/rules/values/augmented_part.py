"""A part of a tuple that came as an argument can't be written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.rules.values.augmented import in_place
from minispore.check.source import Source


def _whole(function: Source, store: ast.Name) -> Any:
    """What a name is bound to a part of: by an index, in a loop, beside others."""
    up: Any = function.parents.get(store)
    if isinstance(up, ast.For):
        return up.iter
    if isinstance(up, ast.Tuple):
        return getattr(function.parents.get(up), "value", None)
    return getattr(getattr(up, "value", None), "value", None)


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.AugAssign):
        if function.name != "construct" or not in_place(node):
            continue
        name = getattr(node.target, "id", "")
        before = [s for s in function.stores.get(name, ()) if s.lineno < node.lineno]
        whole = _whole(function, before[-1]) if before else None
        if isinstance(whole, ast.Name) and whole.id in function.arguments:
            held = function.known.get(whole.id)
            if isinstance(held, tuple) and whole.id not in function.stores:
                yield node


RULE = Rule(
    name="augmented-part",
    says="x += y is refused where x is a part of a tuple that construct was given.",
    bad="a = t[0]\na += 1\nreturn a",
    good="a = t[0]\na = a + 1\nreturn a",
    lax=REFUSED,
    around=construct(given="t", run="Net()((Tensor([1.0]), Tensor([2.0])))"),
    find=_find,
)
