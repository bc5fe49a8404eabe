"""An item of a list or dict of self is written in vain."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import OTHER, Found, Rule
from minispore.check.source import Source

CHANGES = ("append", "appendleft", "extend", "insert", "pop", "remove", "clear", "update")


def is_of_self(function: Source, node: ast.AST) -> bool:
    named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    if not named or node.value.id != "self":  # type: ignore[attr-defined]
        return False
    return isinstance(function.value(node), list | dict | deque)


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.Subscript):
        if isinstance(node.ctx, ast.Store) and is_of_self(function, node.value):
            once = isinstance(function.value(node.value), dict)
            if not once or function.varies(node.value.attr):
                yield node
    for call in function.calls("setattr"):
        name = getattr(call.args[1], "value", None) if len(call.args) > 1 else None
        constant = isinstance(name, str) and not function.varies(name)
        if isinstance(call.func, ast.Name) and not constant:
            yield call


RULE = Rule(
    name="self-item",
    says="Writing self.list[i] or self.dict[k], and setattr, is lost under LAX and refused under "
    "STRICT.",
    bad="""self.ks[0] = self.ks[0] + 1
return x * self.ks[0]""",
    good="""self.k = self.k + 1  # a Parameter made in __init__
return x * self.k""",
    lax=OTHER,
    around=construct('self.ks = [1]\nself.k = ms.Parameter(Tensor(1), name="k")'),
    find=_find,
)
