"""STRICT writes no item of self."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import construct
from minispore.check.rule import Found, Rule
from minispore.check.rules.state.self_item import is_of_self
from minispore.check.source import Source


def _find(function: Source) -> Iterator[Found]:
    for node in function.walk(ast.Subscript):
        if isinstance(node.ctx, ast.Store) and is_of_self(function, node.value):
            yield node
    for call in function.calls("setattr"):
        if isinstance(call.func, ast.Name):
            yield call


RULE = Rule(
    name="self-item-strict",
    says="Under STRICT self.list[i] = v, self.dict[k] = v and setattr are refused.",
    bad="""self.ks[0] = 3
return x * self.ks[0]""",
    good="""k = 3
return x * k""",
    around=construct("self.ks = [1]"),
    find=_find,
)
