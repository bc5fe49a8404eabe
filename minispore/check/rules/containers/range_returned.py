"""A range comes back as a tuple."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for made in function.walk(ast.Return):
        if isinstance(made.value, ast.Call) and function.value(made.value.func) is range:
            yield made


RULE = Rule(
    name="range-returned",
    says="range as a result becomes a tuple.",
    bad="return range(3)",
    good="return (0, 1, 2)",
    lax=OTHER,
    strict=OTHER,
    find=_find,
)
