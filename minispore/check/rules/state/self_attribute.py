"""Report writes to attributes of self that are not Parameters, which STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import Rule, RuleMatch
from minispore.check.source import UNKNOWN, TracedFunction, classify_object


def find_attribute_writes(function: TracedFunction) -> Iterator[tuple[ast.Attribute, str]]:
    """Yield writes to attributes of self that are not Parameters, each with the attribute's kind
    before the call.
    """
    for node in function.walk(ast.Attribute):
        if not (isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)):
            continue
        if node.value.id == "self" and function.arguments[:1] == ("self",):
            kind = function.attribute_kinds.get(node.attr, UNKNOWN)
            if kind == UNKNOWN and hasattr(type(function.instance), node.attr):
                kind = classify_object(getattr(type(function.instance), node.attr))
            if kind != "parameter":
                yield node, kind


def _find_attribute_write(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find writes to attributes of self that are not Parameters, and to items of its tensors.

    Parameters are the only state of a graph, so MindSpore refuses other writes under STRICT.
    """
    for node, _ in find_attribute_writes(function):
        yield node
    for item in function.walk(ast.Subscript):
        container = item.value
        is_of_self = isinstance(container, ast.Attribute) and ast.unparse(container.value) == "self"
        if (
            isinstance(item.ctx, ast.Store)
            and is_of_self
            and function.attribute_kinds.get(container.attr) == "tensor"
        ):
            yield item


RULE = Rule(
    name="self-attribute",
    says="Under STRICT construct can assign an attribute of self, or an item of it, only if the "
    "attribute is a Parameter.",
    bad="""self.k = self.k + 1
return x * self.k""",
    good="""self.count = self.count + 1  # a Parameter made in __init__
return x * self.count""",
    around=make_construct_template(
        'self.k = 1\nself.count = ms.Parameter(Tensor(1), name="count")'
    ),
    find=_find_attribute_write,
)
