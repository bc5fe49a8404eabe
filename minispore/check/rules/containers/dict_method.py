"""A dict has no pop and no setdefault."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls("pop", "popitem", "setdefault"):
        if isinstance(call.func, ast.Attribute) and function.kind(call.func.value) == "dict":
            yield call


RULE = Rule(
    name="dict-method",
    says="pop, popitem and setdefault of a dict are refused.",
    bad="""d = {"a": 2, "b": 3}
k = d.pop("a")
return x * k""",
    good="""d = {"a": 2, "b": 3}
k = d["a"]
return x * k""",
    lax=REFUSED,
    find=_find,
)
