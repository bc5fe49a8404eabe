"""Report writes to attributes of tensors and of other Cells, which graphs refuse."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import REFUSED, Rule, RuleMatch
from minispore.check.source import UNKNOWN, TracedFunction, classify_object


def find_foreign_attribute_writes(function: TracedFunction) -> Iterator[tuple[ast.Attribute, str]]:
    """Yield writes to attributes of objects other than self, with the kind of the object."""
    for node in function.walk(ast.Attribute):
        target = node.value
        if isinstance(node.ctx, ast.Store) and getattr(target, "id", "") != "self":
            stores = function.stores.get(target.id, ()) if isinstance(target, ast.Name) else ()
            if len(stores) == 1:  # box = self.box
                target = getattr(function.parents.get(stores[0]), "value", target)
            value = function.resolve_value(target)
            yield node, function.infer_kind(target) if value is UNKNOWN else classify_object(value)


def _find_unsupported_attribute_write(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find writes to attributes of a tensor, of a Cell other than self, or of an unknown object.

    In a graph MindSpore supports writes to attributes of self and of plain objects, and refuses
    others in LAX and STRICT.
    """
    for node, kind in find_foreign_attribute_writes(function):
        if kind != "object":
            yield node


RULE = Rule(
    name="other-attribute",
    says="Assigning an attribute of a tensor, or of a Cell other than self, is refused.",
    bad="""self.act.n = 3
return x * self.act.n""",
    good="""n = 3
return x * n""",
    lax=REFUSED,
    around=make_construct_template("self.act = nn.ReLU()\nself.act.n = 1"),
    find=_find_unsupported_attribute_write,
)

__all__ = ["RULE", "find_foreign_attribute_writes"]
