"""max and min take no key."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls("max", "min"):
        if isinstance(call.func, ast.Name) and any(k.arg == "key" for k in call.keywords):
            yield call


RULE = Rule(
    name="max-key",
    says="max and min with key= are refused.",
    bad="return x * max([1, -5], key=abs)",
    good="return x * max([1, 5])",
    lax=REFUSED,
    find=_find,
)
