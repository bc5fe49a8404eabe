"""An attribute of a tensor or of another Cell can't be written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import UNKNOWN, Source, kind_of


def other_writes(function: Source) -> Iterator[tuple[ast.Attribute, str]]:
    """Attributes of other objects than self that are written, and what has them."""
    for node in function.walk(ast.Attribute):
        on = node.value
        if isinstance(node.ctx, ast.Store) and getattr(on, "id", "") != "self":
            stores = function.stores.get(on.id, ()) if isinstance(on, ast.Name) else ()
            if len(stores) == 1:  # box = self.box
                on = getattr(function.parents.get(stores[0]), "value", on)
            held = function.value(on)
            yield node, function.kind(on) if held is UNKNOWN else kind_of(held)


def _find(function: Source) -> Iterator[Found]:
    for node, kind in other_writes(function):
        if kind != "object":
            yield node


RULE = Rule(
    name="other-attribute",
    says="Assigning an attribute of a tensor or of another Cell than self is refused.",
    bad="""self.act.n = 3
return x * self.act.n""",
    good="""n = 3
return x * n""",
    lax=REFUSED,
    around=construct("self.act = nn.ReLU()\nself.act.n = 1"),
    find=_find,
)

__all__ = ["RULE", "other_writes"]
