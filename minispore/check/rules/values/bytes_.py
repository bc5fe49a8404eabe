"""Report items of bytes objects, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import TracedFunction


def _find_item_of_bytes(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find items that are read from bytes: MindSpore treats bytes as a str and refuses arithmetic
    with an item.
    """
    for node in function.walk(ast.Subscript):
        if function.infer_kind(node.value) == "bytes":
            yield node


RULE = Rule(
    name="bytes",
    says="In a graph an item of a bytes object is a str, so arithmetic with it is refused.",
    bad="""key = b"ab"
return x * key[0]""",
    good="""key = (97, 98)
return x * key[0]""",
    lax=REFUSED,
    find=_find_item_of_bytes,
)
