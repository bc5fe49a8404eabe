"""A global that construct writes keeps what the trace gave."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import OTHER, Found, Rule
from minispore.check.rules.state.self_item import CHANGES
from minispore.check.source import Source
from minispore.core.tensor import Tensor


def _is_global(function: Source, node: ast.AST) -> bool:
    if not isinstance(node, ast.Name) or node.id in function.stores:
        return False
    if node.id in function.arguments:  # a default that keeps what was added
        defaults = function.node.args.defaults
        names = function.arguments[len(function.arguments) - len(defaults) :]
        return any(n == node.id and _is_made(d) for n, d in zip(names, defaults, strict=True))
    return isinstance(function.value(node), list | dict | set | Tensor)


def _is_made(default: ast.AST) -> bool:
    return isinstance(default, ast.List | ast.Dict | ast.Set)


def _find(function: Source) -> Iterator[Found]:
    for made in function.walk(ast.Global):
        if any(name in function.stores for name in made.names):
            yield made
    for node in function.walk(ast.Subscript):
        if isinstance(node.ctx, ast.Store) and _is_global(function, node.value):
            yield node
    for call in function.calls(*CHANGES):
        if isinstance(call.func, ast.Attribute) and _is_global(function, call.func.value):
            yield call


RULE = Rule(
    name="global",
    says="A global statement, or a list or dict of the module that is changed, acts once, at the "
    "trace.",
    bad="""global G
G = G + 1
return x * G""",
    good="""self.g = self.g + 1  # a Parameter made in __init__
return x * self.g""",
    lax=OTHER,
    strict=OTHER,
    around=construct('self.g = ms.Parameter(Tensor(1), name="g")', head="G = 1"),
    find=_find,
)
