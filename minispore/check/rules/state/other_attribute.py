"""An attribute of an object other than self can't be written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.Attribute):
        if not isinstance(node.ctx, ast.Store):
            continue
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            continue
        yield node


RULE = Rule(
    name="other-attribute",
    says="Assigning an attribute of another object than self is refused.",
    bad="""self.box.n = 3
return x * self.box.n""",
    good="""n = 3
return x * n""",
    lax=REFUSED,
    around=construct("self.box = types.SimpleNamespace(n=1)", head="import types"),
    find=_find,
)
