"""A tensor in an f-string is not its value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.FormattedValue):
        if function.kind(node.value) == "tensor" and not function.within(
            node, ast.Raise, ast.Assert
        ):
            yield node


RULE = Rule(
    name="format-tensor",
    says="An f-string of a tensor gives a placeholder under STRICT.",
    bad='return f"{x}"',
    good="return x",
    strict=OTHER,
    find=_find,
)
