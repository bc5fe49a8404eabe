"""Report changes of a list or dict that has two names: a graph changes only one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.rules.containers.list_changed import is_returned
from minispore.check.source import TracedFunction


def _is_alias(function: TracedFunction, name: str) -> bool:
    """Whether a local name is an alias of another name for a list or dict."""
    for store in function.stores.get(name, ()):
        value = getattr(function.parents.get(store), "value", None)
        if isinstance(value, ast.Name) and function.infer_kind(value) in ("list", "dict"):
            return True
    return False


def _find_change_through_alias(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find changes of a list or dict through a second name, of a list argument in a helper, or in a
    comprehension.

    A graph has no aliases: in LAX and STRICT the container does not change under its first name.
    """
    for call in function.find_calls("append"):
        container = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(container, ast.Name):
            continue
        name = container.id
        is_list_argument = name in function.arguments and function.infer_kind(container) == "list"
        if (
            (is_list_argument and not is_returned(function, name))
            or function.is_inside(call, ast.ListComp)
            or _is_alias(function, name)
        ):
            yield call
    for statement in function.walk(ast.AugAssign):
        container = statement.target
        is_list_added = function.infer_kind(statement.value) == "list"
        if is_list_added and isinstance(container, ast.Name) and _is_alias(function, container.id):
            yield statement
    for node in function.walk(ast.Subscript):
        container = node.value
        if not isinstance(node.ctx, ast.Store) or not isinstance(container, ast.Name):
            continue
        if _is_alias(function, container.id) and function.infer_kind(container) in ("list", "dict"):
            yield node


RULE = Rule(
    name="list-alias",
    says="In a graph a list or dict keeps its old items under its first name if another name, a "
    "helper or a comprehension changes it.",
    bad="r = [1]\nq = r\nq.append(2)\nreturn x * len(r)",
    good="r = [1]\nr.append(2)\nreturn x * len(r)",
    lax=OTHER,
    strict=OTHER,
    find=_find_change_through_alias,
)
