"""STRICT reads no attribute of a plain object that construct has written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import Found, Rule
from minispore.check.rules.state.other_attribute import other_writes
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for node, kind in other_writes(function):
        read = any(
            n.attr == node.attr and isinstance(n.ctx, ast.Load) and n.lineno > node.lineno
            for n in function.walk(ast.Attribute)
        )
        if kind == "object" and read:
            yield node


RULE = Rule(
    name="object-attribute",
    says="Under STRICT an attribute of a plain object that is written and then read is refused.",
    bad="""self.box.n = 3
return x * self.box.n""",
    good="""n = 3
return x * n""",
    around=construct("self.box = types.SimpleNamespace(n=1)", head="import types"),
    find=_find,
)
