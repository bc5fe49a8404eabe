"""STRICT leaves None out of a result."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    if function.name != "construct":
        return
    for made in function.walk(ast.Return):
        parts = made.value.elts if isinstance(made.value, ast.Tuple | ast.List) else []
        if any(function.kind(part) == "none" for part in parts):
            yield made


RULE = Rule(
    name="none-returned",
    says="Under STRICT a tuple or list as a result comes back without the None in it.",
    bad="return x, None",
    good="return x",
    strict=OTHER,
    find=_find,
)
