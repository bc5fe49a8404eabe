"""A dict comes back as a tuple."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for made in function.walk(ast.Return):
        whole = made.value is not None and function.name == "construct"
        if whole and function.kind(made.value) == "dict":
            yield made


RULE = Rule(
    name="dict-returned",
    says="Under STRICT a dict as a result becomes a tuple of its values.",
    bad='return {"a": x}',
    good="return (x,)",
    strict=OTHER,
    find=_find,
)
