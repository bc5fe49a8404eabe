"""Report list methods whose effect in a LAX graph differs from Python's."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from minispore.check.rule import OTHER, Rule, RuleMatch
from minispore.check.source import TracedFunction, get_called_name

IGNORED_METHODS = ("remove", "sort")
LEAKING_METHODS = ("insert", "extend")  # on an empty list literal, which all calls share
REPEATED_METHODS = ("insert", "extend", "pop", "reverse")  # in the graph, and again in its result


def is_returned(function: TracedFunction, name: str) -> bool:
    """Whether the function returns the list itself, or a tuple or list literal that contains it."""
    for n in function.loads:
        parent = function.parents.get(n)
        while isinstance(parent, ast.Tuple | ast.List):
            parent = function.parents.get(parent)
        if n.id == name and isinstance(parent, ast.Return):
            return True
    return False


def _find_unreliable_list_method(function: TracedFunction) -> Iterator[RuleMatch]:
    """Find methods of a local list that LAX ignores, applies twice, or carries over to the next
    call.

    LAX ignores ``remove`` and ``sort``. It applies ``insert``, ``extend``, ``pop`` and ``reverse``
    twice to a returned list. The first ``insert`` or ``extend`` of a new empty list persists in
    later calls.
    """
    for call in function.find_calls(*IGNORED_METHODS, *REPEATED_METHODS):
        container = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(container, ast.Name) or function.infer_kind(container) != "list":
            continue
        is_result = function.name == "construct" and is_returned(function, container.id)
        if (
            get_called_name(call) in IGNORED_METHODS
            or is_result
            or (
                get_called_name(call) in LEAKING_METHODS
                and _is_new_empty_list(function, call, container)
            )
        ):
            yield call


def _is_new_empty_list(function: TracedFunction, call: ast.Call, container: ast.Name) -> bool:
    """Whether the list was last bound to an empty literal, with no ``append`` before the call."""
    stores = [s for s in function.stores.get(container.id, ()) if s.lineno < call.lineno][-1:]
    value = getattr(function.parents.get(stores[0]), "value", None) if stores else None
    is_empty = isinstance(value, ast.List) and not value.elts
    appends = (
        c
        for c in function.find_calls("append")
        if isinstance(c.func, ast.Attribute) and ast.unparse(c.func.value) == container.id
    )
    return is_empty and not any(c.lineno < call.lineno for c in appends)


RULE = Rule(
    name="list-changed",
    says="LAX ignores remove and sort of a local list, and applies insert, extend, pop and "
    "reverse twice to a returned list. Items that insert or extend first adds to an empty list "
    "are still there in the next call.",
    bad="""r = [3, 1]
r.sort()
return x * r[0]""",
    good="""r = [1, 3]
return x * r[0]""",
    lax=OTHER,
    strict="",
    find=_find_unreliable_list_method,
)
