"""A plain object counts once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import OTHER, Found, Rule
from minispore.check.rules.state.other_attribute import other_writes
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for node, kind in other_writes(function):
        up = function.parents.get(node)
        counts = isinstance(up, ast.AugAssign) or any(
            isinstance(n, ast.Attribute) and n.attr == node.attr
            for n in ast.walk(getattr(up, "value", None) or node.ctx)
        )
        if kind == "object" and counts:
            yield node


RULE = Rule(
    name="object-counter",
    says="An attribute of a plain object that is made of itself changes once, at the trace.",
    bad="""self.box.n = self.box.n + 1
return x * self.box.n""",
    good="""self.n = self.n + 1  # a Parameter made in __init__
return x * self.n""",
    lax=OTHER,
    strict=OTHER,
    around=construct(
        'self.box = types.SimpleNamespace(n=1)\nself.n = ms.Parameter(Tensor(1), name="n")',
        head="import types",
    ),
    find=_find,
)
