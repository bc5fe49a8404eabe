"""An attribute of self that is no Parameter can't be written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import Found, Rule
from minispore.check.source import UNKNOWN, Source, kind_of


def self_writes(function: Source) -> Iterator[tuple[ast.Attribute, str]]:
    """Attributes of self that are written, and what they are before."""
    for node in function.walk(ast.Attribute):
        if not (isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)):
            continue
        if node.value.id == "self" and function.arguments[:1] == ("self",):
            kind = function.before.get(node.attr, UNKNOWN)
            if kind == UNKNOWN and hasattr(type(function.owner), node.attr):
                kind = kind_of(getattr(type(function.owner), node.attr))
            if kind != "parameter":
                yield node, kind


def _find(function: Source) -> Iterator[Found]:
    for node, _ in self_writes(function):
        yield node
    for item in function.walk(ast.Subscript):
        on = item.value
        own = isinstance(on, ast.Attribute) and ast.unparse(on.value) == "self"
        if isinstance(item.ctx, ast.Store) and own and function.before.get(on.attr) == "tensor":
            yield item


RULE = Rule(
    name="self-attribute",
    says="Under STRICT an attribute of self must be a Parameter to be written, or an item of it.",
    bad="""self.k = self.k + 1
return x * self.k""",
    good="""self.count = self.count + 1  # a Parameter made in __init__
return x * self.count""",
    around=construct('self.k = 1\nself.count = ms.Parameter(Tensor(1), name="count")'),
    find=_find,
)
