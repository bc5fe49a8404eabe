"""Two tensors can't be compared by is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.Compare):
        kinds = {function.kind(node.left), function.kind(node.comparators[0])}
        if isinstance(node.ops[0], ast.Is | ast.IsNot) and kinds == {"tensor"}:
            yield node


RULE = Rule(
    name="is",
    says="y is x is never what PYNATIVE_MODE says for tensors; STRICT refuses it.",
    bad="""y = x
if y is x:
    return x + 1
return x""",
    good="return x + 1",
    lax=OTHER,
    find=_find,
)
