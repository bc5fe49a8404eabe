"""Report item writes to a list or dict of self, which are lost in LAX."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator

from minispore.check.example import make_construct_template
from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction

CHANGING_METHODS = ("append", "appendleft", "extend", "insert", "pop", "remove", "clear", "update")


def is_container_of_self(function: TracedFunction, node: ast.AST) -> bool:
    """Whether ``node`` is a list, dict or deque that is an attribute of self."""
    is_attribute = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    if not is_attribute or node.value.id != "self":  # type: ignore[attr-defined]
        return False
    return isinstance(function.resolve_value(node), list | dict | deque)


def _find_self_item_write(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find writes to items of a list or dict of self, and calls of ``setattr``.

    The write is lost in LAX and refused under STRICT. A dict, or an attribute that is set by a
    constant name, is left out if it was the same after each call.
    """
    for node in function.walk(ast.Subscript):
        if isinstance(node.ctx, ast.Store) and is_container_of_self(function, node.value):
            is_dict = isinstance(function.resolve_value(node.value), dict)
            if not is_dict or function.varies_between_calls(node.value.attr):
                yield node
    for call in function.find_calls("setattr"):
        name = getattr(call.args[1], "value", None) if len(call.args) > 1 else None
        is_constant = isinstance(name, str) and not function.varies_between_calls(name)
        if isinstance(call.func, ast.Name) and not is_constant:
            yield call


RULE = Rule(
    name="self-item",
    says="Assigning to self.list[i] or self.dict[k], or calling setattr, has no effect under LAX "
    "and is refused under STRICT.",
    bad="""self.ks[0] = self.ks[0] + 1
return x * self.ks[0]""",
    good="""self.k = self.k + 1  # a Parameter made in __init__
return x * self.k""",
    lax=OTHER,
    around=make_construct_template('self.ks = [1]\nself.k = ms.Parameter(Tensor(1), name="k")'),
    find=_find_self_item_write,
)
