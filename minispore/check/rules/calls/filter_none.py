"""filter needs a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for call in function.calls("filter"):
        plain = isinstance(call.func, ast.Name) and call.args
        if plain and function.kind(call.args[0]) == "none":
            yield call


RULE = Rule(
    name="filter-none",
    says="filter(None, ...) is refused.",
    bad="return x * len(list(filter(None, [0, 1, 2])))",
    good="return x * len([k for k in [0, 1, 2] if k != 0])",
    lax=REFUSED,
    find=_find,
)
