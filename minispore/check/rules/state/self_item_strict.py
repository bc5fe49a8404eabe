"""Report item writes to a list or dict of self, which STRICT refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import Rule, RuleMatch
from minispore.check.rules.state.self_item import is_container_of_self
from minispore.check.source import TracedFunction


def _find_self_item_write(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find writes to items of a list, dict or deque of self, and calls of ``setattr``.

    Parameters are the only state of a graph, so MindSpore refuses other writes under STRICT.
    """
    for node in function.walk(ast.Subscript):
        if isinstance(node.ctx, ast.Store) and is_container_of_self(function, node.value):
            yield node
    for call in function.find_calls("setattr"):
        if isinstance(call.func, ast.Name):
            yield call


RULE = Rule(
    name="self-item-strict",
    says="Under STRICT assigning to self.list[i] or self.dict[k], or calling setattr, is refused.",
    bad="""self.ks[0] = 3
return x * self.ks[0]""",
    good="""k = 3
return x * k""",
    around=make_construct_template("self.ks = [1]"),
    find=_find_self_item_write,
)
