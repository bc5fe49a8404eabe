"""A lambda must be bound to a name on a line of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import REFUSED, Found, Rule
from minispore.check.source import Source

_PLACES = ast.List | ast.Dict | ast.IfExp | ast.Tuple | ast.Call | ast.arguments  # a default


def _all_above(function: Source, node: ast.AST) -> Iterator[ast.AST]:
    while node in function.parents:
        node = function.parents[node]
        yield node


def _find(function: Source) -> Iterator[Found]:
    if isinstance(function.node, ast.Lambda):
        up = function.parents.get(function.node)
        inside = any(
            isinstance(p, ast.FunctionDef) and p.name == "construct"
            for p in _all_above(function, function.node)
        )
        held = isinstance(up, _PLACES)
        if isinstance(up, ast.ListComp) or (held and not inside):
            yield function.node


RULE = Rule(
    name="lambda",
    says="A lambda that is a default, or stands in a call, a list or another expression, is "
    "refused when it runs in a graph.",
    bad="f = self.fs[0]  # self.fs = [lambda a: a * 2]\nreturn f(x)",
    good="return self.f(x)  # f = lambda a: a * 2; self.f = f",
    lax=REFUSED,
    around=construct("f = lambda a: a * 2\nself.f = f\nself.fs = [lambda a: a * 2]"),
    find=_find,
)
